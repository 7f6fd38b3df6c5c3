// The run: header and binary block of the page, unpacked, and the pose of every body at any time.

const WORLD = -1;

function readRun(document) {
  const header = JSON.parse(document.getElementById("header").textContent);
  const text = atob(document.getElementById("data").textContent), block = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) block[i] = text.charCodeAt(i);
  const bytes = block.buffer;
  const kinds = {
    float32: Float32Array, float64: Float64Array, int16: Int16Array, uint16: Uint16Array, uint32: Uint32Array,
  };
  const array = ([kind, start, count]) => new kinds[kind](bytes, start, count);
  const rows = (stored) => {
    const values = array(stored.data);
    if (!stored.low) return Float32Array.from(values);
    return Float32Array.from(values, (v, i) => stored.low[i % 3] + stored.step[i % 3] * v);
  };
  const frames = {
    count: header.frames.count,
    time: array(header.frames.time),
    position: rows(header.frames.position),
    orientation: Float32Array.from(array(header.frames.orientation), (v) => v / 32767),
  };
  const touches = header.touches && {
    start: array(header.touches.start),
    point: rows(header.touches.point),
    force: rows(header.touches.force),
    typical: header.touches.typical,
  };
  const meshes = header.meshes.map((mesh) => ({
    vertices: rows(mesh.vertices), faces: array(mesh.faces), smooth: mesh.smooth,
  }));
  const curves = header.curves.map((c) => ({ ...c, time: array(c.time), values: array(c.values) }));
  const strands = header.strands.map((strand) => ({
    ...strand, pieces: strand.pieces.map((piece) => (piece.points ? { ...piece, points: rows(piece.points) } : piece)),
  }));
  return { ...header, frames, touches, meshes, curves, strands };
}

class Poses {
  // Matrices of all bodies at one time; `at(t)` moves them.
  constructor(run) {
    this.frames = run.frames;
    this.count = run.bodies.length;
    this.first = run.frames.time[0];
    this.last = run.frames.time[run.frames.count - 1];
    this.matrices = run.bodies.map(() => new Float32Array(16));
    this.frame = 0;
    this.at(this.first);
  }

  // Index of the last frame that is not after t.
  frameAt(t) {
    const time = this.frames.time;
    let low = 0, high = time.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (time[middle] <= t + 1e-12) low = middle; else high = middle - 1;
    }
    return low;
  }

  at(t) {
    const { time, position: p, orientation: q } = this.frames;
    const i = this.frameAt(t), j = Math.min(i + 1, time.length - 1);
    const s = j > i ? clamp((t - time[i]) / (time[j] - time[i]), 0, 1) : 0;
    this.frame = s < 0.5 ? i : j;
    Object.assign(this, { before: i, after: j, share: s });
    for (let b = 0; b < this.count; b++) {
      const a3 = 3 * (i * this.count + b), b3 = 3 * (j * this.count + b);
      const a4 = 4 * (i * this.count + b), b4 = 4 * (j * this.count + b);
      const mix = (from, k, l) => from[k] + s * (from[l] - from[k]);
      let w = mix(q, a4, b4), x = mix(q, a4 + 1, b4 + 1), y = mix(q, a4 + 2, b4 + 2), z = mix(q, a4 + 3, b4 + 3);
      const n = 1 / (Math.hypot(w, x, y, z) || 1);
      w *= n; x *= n; y *= n; z *= n;
      poseMatrix(this.matrices[b], mix(p, a3, b3), mix(p, a3 + 1, b3 + 1), mix(p, a3 + 2, b3 + 2), w, x, y, z);
    }
  }

  // Points of the world that draw a tendon; where it winds around something, those of both frames are mixed.
  strand(pieces) {
    const points = [];
    for (const piece of pieces) {
      const matrix = this.of(piece.body);
      if (piece.point) {
        points.push(transformed(matrix, piece.point));
        continue;
      }
      const row = (frame, k) => piece.points.subarray(3 * (frame * piece.count + k), 3 * (frame * piece.count + k) + 3);
      for (let k = 0; k < piece.count; k++) {
        points.push(transformed(matrix, mixed(row(this.before, k), row(this.after, k), this.share)));
      }
    }
    return points.filter((p, k) => !k || norm(subtract(p, points[k - 1])) > 0);
  }

  of(body) {
    return body === WORLD ? IDENTITY : this.matrices[body];
  }

  place(body) {
    const m = this.matrices[body];
    return [m[12], m[13], m[14]];
  }

  // Mean place of all bodies.
  middle() {
    if (!this.count) return [0, 0, 0];
    const sum = this.matrices.reduce((a, m) => add(a, [m[12], m[13], m[14]]), [0, 0, 0]);
    return scaled(sum, 1 / this.count);
  }
}
