// The picture: shadows, sky, ground, bodies, lines, arrows and trails, drawn with WebGL 2.

const STEEP = 0.3;
const PLAIN = [0, 0, 0, 0];
const SHADOW_SIZE = 2048, UNDER_SIZE = 512;
const THEMES = {
  light: {
    low: [0.90, 0.915, 0.93], high: [0.985, 0.99, 0.995], ground: [0.955, 0.96, 0.965], lines: [0.74, 0.765, 0.79],
    edge: [0, 0, 0, 0.28], sky: [0.62, 0.66, 0.72], bounce: [0.40, 0.38, 0.36], sun: [0.98, 0.94, 0.86], shade: 1,
  },
  dark: {
    low: [0.085, 0.095, 0.11], high: [0.145, 0.16, 0.185], ground: [0.155, 0.17, 0.19], lines: [0.29, 0.315, 0.345],
    edge: [0, 0, 0, 0.45], sky: [0.40, 0.45, 0.54], bounce: [0.20, 0.20, 0.22], sun: [1.02, 0.96, 0.86], shade: 1.15,
  },
};
const LINE_COLOURS = {
  wire: [0.28, 0.3, 0.33, 1], rope: [0.62, 0.46, 0.27, 1], spring: [0.45, 0.48, 0.53, 1], tendon: [0.62, 0.17, 0.15, 1],
};
const ARROW_COLOUR = [0.80, 0.10, 0.32, 1];
const TRAIL_COLOUR = [0.80, 0.35, 0.02, 1];

class Renderer {
  constructor(canvas, run) {
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false, powerPreference: "high-performance" });
    if (!gl) throw new Error("no WebGL 2");
    Object.assign(this, { canvas, run, gl, theme: THEMES.light });
    this.programs = {
      surface: this.program(VERTEX, SURFACE_FRAGMENT),
      depth: this.program(VERTEX, DEPTH_FRAGMENT),
      pick: this.program(VERTEX, PICK_FRAGMENT),
      line: this.program(VERTEX, LINE_FRAGMENT),
      sky: this.program(SKY_VERTEX, SKY_FRAGMENT),
      ground: this.program(VERTEX, GROUND_FRAGMENT),
    };
    this.meshes = run.meshes.map((mesh) => ({
      ...this.upload(surface(mesh)), ...this.uploadEdges(edges(mesh)), radius: reachOf(mesh.vertices), box: boxOf(mesh.vertices), mark: markOf(mesh),
    }));
    this.parts = run.parts.map((part) => ({ ...part, mesh: this.meshes[part.mesh] }));
    const tendons = run.strands.map((strand) => ({ ...strand, kind: "tendon" }));
    this.lines = [...run.lines, ...tendons].map((line) => ({ ...line, mesh: null, layer: "shapes" }));
    this.arrow = this.upload(arrowMesh(0.022, 0.2));
    this.blank = gl.createVertexArray();
    this.shadow = this.depthTarget(SHADOW_SIZE, true);
    this.under = this.depthTarget(UNDER_SIZE, false);
    this.picked = this.pickTarget();
    this.radii = run.bodies.map((_, b) =>
      Math.max(run.unit, ...this.parts.filter((p) => p.body === b && p.layer === "shapes").map((p) => p.mesh.radius)));
    const seen = this.parts.filter((p) => p.layer !== "ground" && run.shown.includes(p.layer));
    this.corners = run.bodies.map((_, b) => cornersOf(seen.filter((p) => p.body === b)));
    this.fixed = cornersOf(seen.filter((p) => p.body < 0));
    const sun = run.azimuth - 0.85;
    this.toSun = unit([0.62 * Math.cos(sun), 0.62 * Math.sin(sun), 1]);
    // Steep planes are walls: they stay small and let the bodies behind them shine through.
    this.planes = run.planes.map((plane) => ({ ...plane, solid: true, wall: plane.normal[2] < STEEP }));
    if (!this.planes.length && !run.follow) {
      const margin = 0.06 * run.size;
      this.planes = [{ point: [0, 0, run.low[2] - margin], normal: [0, 0, 1], solid: false }];
    }
    for (const plane of this.planes) this.prepareGround(plane);
    this.trail = null;
  }

  program(vertex, fragment) {
    const gl = this.gl, made = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(made, shader);
    }
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
    const at = {};
    for (let i = 0; i < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); i++) {
      const { name, type } = gl.getActiveUniform(made, i);
      at[name] = [gl.getUniformLocation(made, name), type];
    }
    return { made, at };
  }

  // Sets uniforms by name, whatever their type.
  set(program, values) {
    const gl = this.gl;
    for (const [name, value] of Object.entries(values)) {
      const found = program.at[name];
      if (!found) continue;
      const [at, type] = found;
      if (type === gl.FLOAT_MAT4) gl.uniformMatrix4fv(at, false, value);
      else if (type === gl.FLOAT_VEC4) gl.uniform4fv(at, value);
      else if (type === gl.FLOAT_VEC3) gl.uniform3fv(at, value);
      else if (type === gl.FLOAT) gl.uniform1f(at, value);
      else gl.uniform1i(at, value);
    }
  }

  upload({ positions, normals, indices }, old = null) {
    const gl = this.gl;
    const mesh = old || {
      array: gl.createVertexArray(), places: gl.createBuffer(), normals: gl.createBuffer(), indices: gl.createBuffer(),
    };
    const use = old ? gl.DYNAMIC_DRAW : gl.STATIC_DRAW;
    gl.bindVertexArray(mesh.array);
    [[mesh.places, positions], [mesh.normals, normals]].forEach(([buffer, values], k) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, values, use);
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 0, 0);
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.indices);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, use);
    gl.bindVertexArray(null);
    mesh.count = indices.length;
    return mesh;
  }

  uploadEdges({ all, sharp }) {
    const gl = this.gl;
    const make = (values) => {
      const array = gl.createVertexArray();
      gl.bindVertexArray(array);
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
      gl.enableVertexAttribArray(0);
      gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
      gl.bindVertexArray(null);
      return { array, count: values.length / 3 };
    };
    return { all: make(all), sharp: make(sharp) };
  }

  depthTarget(size, compare) {
    const gl = this.gl, texture = gl.createTexture(), buffer = gl.createFramebuffer();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, size, size);
    const filter = compare ? gl.LINEAR : gl.NEAREST;
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    if (compare) gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
    gl.drawBuffers([gl.NONE]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return { texture, buffer, size };
  }

  pickTarget() {
    const gl = this.gl, buffer = gl.createFramebuffer(), color = gl.createRenderbuffer(), depth = gl.createRenderbuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, buffer);
    for (const [made, format, point] of [
      [color, gl.RGBA8, gl.COLOR_ATTACHMENT0], [depth, gl.DEPTH_COMPONENT24, gl.DEPTH_ATTACHMENT],
    ]) {
      gl.bindRenderbuffer(gl.RENDERBUFFER, made);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, 1, 1);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, point, gl.RENDERBUFFER, made);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return buffer;
  }

  prepareGround(plane) {
    const level = Math.abs(plane.normal[2]) > 0.9999;
    const [x, y] = level ? [[1, 0, 0], [0, Math.sign(plane.normal[2]), 0]] : frameAbout(plane.normal);
    Object.assign(plane, { x, y });
    const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].flatMap(([s, t]) => add(scaled(x, s), scaled(y, t)));
    const normals = [0, 1, 2, 3].flatMap(() => plane.normal);
    plane.mesh = this.upload({
      positions: new Float32Array(corners), normals: new Float32Array(normals),
      indices: new Uint32Array([0, 1, 2, 0, 2, 3]),
    });
  }

  // Centre and radius of all bodies at this time.
  subject(poses) {
    const middle = poses.middle();
    let radius = this.run.unit;
    for (let b = 0; b < poses.count; b++)
      radius = Math.max(radius, norm(subtract(poses.place(b), middle)) + this.radii[b]);
    return { middle, radius: Math.min(radius, 6 * this.run.size) };
  }

  draw(poses, camera, look) {
    const gl = this.gl, { canvas, run } = this;
    const aspect = canvas.width / Math.max(1, canvas.height);
    this.updateLines(poses);
    const subject = this.subject(poses);
    const shown = this.parts.filter((p) => look.layers[p.layer]);
    const casters = look.wireframe ? [] : shown.filter((p) => p.color[3] > 0.5 && p.layer !== "frames" && p.layer !== "masses");
    const light = this.castShadows(poses, subject, casters, look);
    const view = { camera: camera.matrix(aspect), eye: camera.eye, distance: camera.distance };

    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.drawSky();
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 1);
    this.startSurface(view, light);
    if (!look.wireframe) for (const part of shown) if (part.color[3] >= 1) this.drawPart(part, poses, look);
    if (look.layers.shapes) this.drawLines(poses);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    this.drawEdges(shown, poses, view, look);
    if (look.layers.ground) this.drawGround(view, light, subject, camera);
    this.startSurface(view, light);
    if (!look.wireframe) {
      gl.depthMask(false);
      for (const part of shown) if (part.color[3] < 1) this.drawPart(part, poses, look);
      gl.depthMask(true);
    }
    this.drawTrail(poses);
    if (look.layers.forces && run.touches) this.drawArrows(poses.frame);
    gl.disable(gl.BLEND);
  }

  castShadows(poses, subject, casters, look) {
    const gl = this.gl, { middle, radius } = subject, reach = 1.05 * radius;
    const up = Math.abs(this.toSun[2]) > 0.99 ? [1, 0, 0] : [0, 0, 1];
    const from = add(middle, scaled(this.toSun, 2 * reach));
    const sun = multiply(parallel(reach, 0, 4 * reach + 12 * this.run.size), lookAlong(from, scaled(this.toSun, -1), up));
    const floor = this.planes.find((plane) => !plane.wall);
    const light = { sun, radius, under: IDENTITY, depth: 0, half: 1 };
    this.depthPass(this.shadow, sun, poses, casters, look);
    if (floor) {
      light.depth = 0.55 * this.run.size;
      light.half = 1.15 * radius;
      const foot = subtract(middle, scaled(floor.normal, dot(subtract(middle, floor.point), floor.normal)));
      light.under = multiply(parallel(light.half, -0.02 * light.depth, light.depth), lookAlong(foot, floor.normal, floor.x));
      this.depthPass(this.under, light.under, poses, casters, look);
    }
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.shadow.texture);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.under.texture);
    return light;
  }

  depthPass(target, camera, poses, casters, look) {
    const gl = this.gl;
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, null);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, null);
    gl.bindFramebuffer(gl.FRAMEBUFFER, target.buffer);
    gl.viewport(0, 0, target.size, target.size);
    gl.enable(gl.DEPTH_TEST);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    const program = this.programs.depth;
    gl.useProgram(program.made);
    this.set(program, { camera });
    for (const part of casters) this.mesh(program, part.mesh, poses.of(part.body));
    if (look.layers.shapes) for (const line of this.lines) if (line.mesh) this.mesh(program, line.mesh, IDENTITY);
  }

  mesh(program, mesh, model, count = mesh.count) {
    const gl = this.gl;
    gl.uniformMatrix4fv(program.at.model[0], false, model);
    gl.bindVertexArray(mesh.array);
    gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 0);
  }

  drawSky() {
    const gl = this.gl, { sky } = this.programs;
    gl.disable(gl.DEPTH_TEST);
    gl.useProgram(sky.made);
    this.set(sky, { low: this.theme.low, high: this.theme.high });
    gl.bindVertexArray(this.blank);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  startSurface(view, light) {
    const { surface: program } = this.programs, { theme } = this;
    this.gl.useProgram(program.made);
    this.set(program, {
      camera: view.camera, eye: view.eye, toSun: this.toSun, skyLight: theme.sky, groundLight: theme.bounce,
      sunLight: theme.sun, ...this.shadowFields(light), glow: 0, mark: PLAIN,
    });
  }

  shadowFields(light) {
    return { sun: light.sun, shadows: 0, above: 1, texel: 1 / SHADOW_SIZE, depthBias: (3.2 * light.radius) / SHADOW_SIZE };
  }

  drawPart(part, poses, look) {
    const { surface: program } = this.programs;
    const mark = part.layer === "shapes" ? part.mesh.mark : PLAIN;
    this.set(program, { color: part.color, mark, glow: part.body >= 0 && part.body === look.hovered ? 0.35 : 0 });
    this.mesh(program, part.mesh, poses.of(part.body));
  }

  drawEdges(shown, poses, view, look) {
    const gl = this.gl, { line: program } = this.programs;
    gl.useProgram(program.made);
    // From afar, where a body is a few pixels wide, its edges would blacken it.
    const pixels = (this.run.unit * this.canvas.height) / (2 * view.distance * Math.tan(FIELD / 2));
    const edge = [...this.theme.edge.slice(0, 3), this.theme.edge[3] * clamp((pixels - 1) / 4, 0, 1)];
    this.set(program, { camera: view.camera, color: edge });
    for (const part of shown) {
      const lines = look.wireframe ? part.mesh.all : part.mesh.sharp;
      if (!lines.count || (!look.wireframe && part.layer !== "shapes" && part.layer !== "ground")) continue;
      if (look.wireframe) this.set(program, { color: part.color });
      gl.uniformMatrix4fv(program.at.model[0], false, poses.of(part.body));
      gl.bindVertexArray(lines.array);
      gl.drawArrays(gl.LINES, 0, lines.count);
    }
  }

  drawGround(view, light, subject, camera) {
    const gl = this.gl, { ground: program } = this.programs, { theme, run } = this;
    const floor = this.planes.find((plane) => !plane.wall);
    gl.useProgram(program.made);
    gl.depthMask(false);
    for (const plane of this.planes) {
      const foot = (p) => subtract(p, scaled(plane.normal, dot(subtract(p, plane.point), plane.normal)));
      const middle = foot(plane.wall ? subject.middle : camera.target), spacing = gridSpacing(run);
      const far = plane.wall ? 2.5 * run.size : Math.max(14 * run.size, 2.2 * camera.distance);
      const m = columns(scaled([1, 0, 0], far), scaled([0, 1, 0], far), scaled([0, 0, 1], far), middle);
      this.set(program, {
        camera: view.camera, eye: view.eye, toSun: this.toSun, ...this.shadowFields(light), middle, origin: plane.point,
        base: theme.ground, lines: theme.lines, normal: plane.normal, sideX: plane.x, sideY: plane.y, spacing,
        near: 0.15 * far, far, strength: plane.wall ? 0.55 : plane.solid ? 1 : 0.8, shade: theme.shade, under: light.under,
        underDepth: plane === floor ? light.depth : 0, underSpread: (0.22 * run.size) / (2 * light.half),
      });
      this.mesh(program, plane.mesh, m);
    }
    gl.depthMask(true);
  }

  updateLines(poses) {
    const { run } = this;
    for (const line of this.lines) {
      if (line.kind === "tendon") {
        const tube = tubeAlong(poses.strand(line.pieces), 0.12 * run.unit, 6);
        line.mesh = this.upload(tube, line.mesh || this.upload(tube));
        continue;
      }
      const a = transformed(poses.of(line.a), line.pointA), b = transformed(poses.of(line.b), line.pointB);
      const spring = line.kind === "spring", radius = spring ? 0.4 * run.unit : 0.12 * run.unit;
      const tube = tubeAlong(linePoints(line.kind, a, b, line.length, radius, run.down), spring ? 0.1 * run.unit : radius, 6);
      line.mesh = this.upload(tube, line.mesh || this.upload(tube));
    }
  }

  drawLines() {
    const { surface: program } = this.programs;
    for (const line of this.lines) {
      this.set(program, { color: LINE_COLOURS[line.kind], glow: 0, mark: PLAIN });
      this.mesh(program, line.mesh, IDENTITY);
    }
  }

  // The path of a body's centre of mass, as a tube of which the past is drawn; -1: none.
  setTrail(body, run) {
    this.trail = null;
    const { count, position, time } = run.frames;
    if (body < 0 || count < 2) return;
    const every = Math.max(1, Math.ceil(count / 3000)), points = [], times = [];
    for (let f = 0; f < count; f += every) {
      const at = 3 * (f * run.bodies.length + body);
      points.push([position[at], position[at + 1], position[at + 2]]);
      times.push(time[f]);
    }
    const around = 6, way = smoothWay(points, times);
    this.trail = {
      body, ...way, mesh: this.upload(tubeAlong(way.points, 0.09 * run.unit, around)), step: 6 * around, head: null,
    };
  }

  drawTrail(poses) {
    if (!this.trail) return;
    const { body, points, mesh, times, step } = this.trail, now = this.now ?? poses.last;
    let past = 0;
    while (past < times.length && times[past] <= now + 1e-9) past++;
    this.set(this.programs.surface, { color: TRAIL_COLOUR, glow: 0.2 });
    this.mesh(this.programs.surface, mesh, IDENTITY, Math.max(0, past - 1) * step);
    // From there a last piece to where the body is now.
    const from = points[Math.max(0, past - 1)], to = poses.place(body);
    if (norm(subtract(to, from)) < 1e-9 * this.run.size) return;
    const tube = tubeAlong([from, to], 0.09 * this.run.unit, step / 6);
    this.trail.head = this.upload(tube, this.trail.head || this.upload(tube));
    this.mesh(this.programs.surface, this.trail.head, IDENTITY);
  }

  drawArrows(frame) {
    const gl = this.gl, { surface: program } = this.programs, { start, point, force, typical } = this.run.touches;
    const size = clamp(9 * this.run.unit, 0.22 * this.run.size, 0.55 * this.run.size);
    for (const [compare, opacity] of [[gl.GREATER, 0.3], [gl.LEQUAL, 1]]) {
      gl.depthFunc(compare);
      if (opacity < 1) gl.depthMask(false);
      this.set(program, { color: [...ARROW_COLOUR.slice(0, 3), opacity], glow: 0.25 });
      for (let k = start[frame]; k < start[frame + 1]; k++) {
        const f = [force[3 * k], force[3 * k + 1], force[3 * k + 2]];
        const length = Math.min(2.2, norm(f) / typical) * size;
        if (length < 0.015 * size) continue;
        const z = unit(f), [x, y] = frameAbout(z), thick = Math.min(length, size);
        const at = [point[3 * k], point[3 * k + 1], point[3 * k + 2]];
        this.mesh(program, this.arrow, columns(scaled(x, thick), scaled(y, thick), scaled(z, length), at));
      }
      gl.depthMask(true);
    }
    gl.depthFunc(gl.LESS);
  }

  // The body under a point of the canvas [pixels from its top left], or -1.
  bodyAt(x, y, poses, camera, look) {
    const gl = this.gl, { pick: program } = this.programs, { clientWidth: w, clientHeight: h } = this.canvas;
    const zoom = columns([w, 0, 0], [0, h, 0], [0, 0, 1], [w - 2 * x, 2 * y - h, 0]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.picked);
    gl.viewport(0, 0, 1, 1);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.useProgram(program.made);
    this.set(program, { camera: multiply(zoom, camera.matrix(this.canvas.width / this.canvas.height)) });
    for (const part of this.parts) {
      if (part.body < 0 || !look.layers[part.layer]) continue;
      const id = part.body + 1;
      this.set(program, { color: [(id & 255) / 255, ((id >> 8) & 255) / 255, ((id >> 16) & 255) / 255, 1] });
      this.mesh(program, part.mesh, poses.of(part.body));
    }
    const pixel = new Uint8Array(4);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return pixel[0] + 256 * pixel[1] + 65536 * pixel[2] - 1;
  }
}

// Distance of the lines of the ground [m].
const gridSpacing = (run) => niceAbove(run.size / 6);

function reachOf(vertices) {
  let most = 0;
  for (let v = 0; v < vertices.length; v += 3)
    most = Math.max(most, Math.hypot(vertices[v], vertices[v + 1], vertices[v + 2]));
  return most;
}

// Lowest and highest corner of points.
function boxOf(vertices) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  vertices.forEach((v, i) => { low[i % 3] = Math.min(low[i % 3], v); high[i % 3] = Math.max(high[i % 3], v); });
  return [low, high];
}

// Centre and kind of a round mesh: 1 a ball, 2 to 4 a disc about x, y or z; 0 anything else.
function markOf({ vertices, smooth }) {
  if (!smooth || vertices.length < 100) return PLAIN;
  const [low, high] = boxOf(vertices), centre = scaled(add(low, high), 0.5), half = scaled(subtract(high, low), 0.5);
  const away = (v, left) => Math.hypot(...[0, 1, 2].map((i) => (i === left ? 0 : vertices[v + i] - centre[i])));
  const alike = (left, radius, hollow) => {
    for (let v = 0; v < vertices.length; v += 3) {
      const r = away(v, left) / radius;
      if (Math.abs(r - 1) > 0.01 && !(hollow && r < 0.01)) return false;
    }
    return true;
  };
  if (alike(-1, half[0], false)) return [...centre, 1];
  for (let axis = 0; axis < 3; axis++) {
    const radius = half[(axis + 1) % 3];
    if (half[axis] < 0.6 * radius && alike(axis, radius, true)) return [...centre, 2 + axis];
  }
  return PLAIN;
}

// The eight corners of the box around parts of one body; none without parts.
function cornersOf(parts) {
  if (!parts.length) return [];
  const ends = [0, 1].map((k) => [0, 1, 2].map((i) => {
    const values = parts.map((part) => part.mesh.box[k][i]);
    return k ? Math.max(...values) : Math.min(...values);
  }));
  return Array.from({ length: 8 }, (_, k) => [0, 1, 2].map((i) => ends[(k >> i) & 1][i]));
}
