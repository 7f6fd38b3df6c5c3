// The camera: an eye that circles a target, moved by mouse, wheel, fingers and keys.

const FIELD = (32 * Math.PI) / 180;

class Camera {
  constructor(run) {
    this.run = run;
    this.home([{ at: scaled(add(run.low, run.high), 0.5), radius: 0.5 * norm(subtract(run.high, run.low)) }], 1);
  }

  // Where all of the points {at, radius} are in view, below the part `top` of its height, which has a heading.
  home(points, aspect, top = 0) {
    const { low, high, azimuth, elevation } = this.run;
    Object.assign(this, { azimuth, elevation, wanted: null });
    const forward = this.forward, right = unit(cross(forward, [0, 0, 1])), up = cross(right, forward);
    this.target = scaled(add(low, high), 0.5);
    const half = Math.tan(FIELD / 2), wide = half * Math.max(aspect, 1), tall = aspect < 1 ? half / aspect : half;
    this.distance = 0;
    // The middle depends on the distance and the other way round: a few rounds settle both.
    for (let round = 0; round < 6; round++) {
      let distance = 1e-9;
      const [x, y] = [[Infinity, -Infinity], [Infinity, -Infinity]];
      for (const { at, radius } of points) {
        const p = subtract(at, this.target), [a, b, depth] = [dot(p, right), dot(p, up), dot(p, forward)];
        const reach = Math.max((Math.abs(a) + radius) / wide, (Math.abs(b) + radius) / (tall * (1 - top)));
        distance = Math.max(distance, 1.12 * reach - depth);
        const size = Math.max(this.distance, 1e-9) / Math.max(this.distance + depth, 0.2 * this.distance, 1e-9);
        x[0] = Math.min(x[0], size * (a - radius)); x[1] = Math.max(x[1], size * (a + radius));
        y[0] = Math.min(y[0], size * (b - radius)); y[1] = Math.max(y[1], size * (b + radius));
      }
      this.distance = distance;
      if (round < 5 && points.length)
        this.target = add(this.target, add(scaled(right, (x[0] + x[1]) / 2), scaled(up, (y[0] + y[1]) / 2)));
    }
    this.target = add(this.target, scaled(up, top * tall * this.distance));
  }

  get forward() {
    const c = Math.cos(this.elevation);
    return [-c * Math.cos(this.azimuth), -c * Math.sin(this.azimuth), -Math.sin(this.elevation)];
  }

  get eye() {
    return subtract(this.target, scaled(this.forward, this.distance));
  }

  // World to screen, for a view of this shape.
  matrix(aspect) {
    // A narrow window sees as much sideways as a square one.
    const fovy = aspect < 1 ? 2 * Math.atan(Math.tan(FIELD / 2) / aspect) : FIELD;
    const reach = 40 * this.run.size + 2 * norm(subtract(this.run.high, this.run.low));
    const project = perspective(fovy, aspect, this.distance / 200, this.distance + reach);
    return multiply(project, lookAlong(this.eye, this.forward, [0, 0, 1]));
  }

  orbit(dx, dy) {
    this.azimuth -= dx * 0.006;
    this.elevation = clamp(this.elevation + dy * 0.006, -1.5, 1.5);
  }

  pan(dx, dy, height) {
    const right = unit(cross(this.forward, [0, 0, 1])), up = cross(right, this.forward);
    const s = (2 * this.distance * Math.tan(FIELD / 2)) / height;
    this.target = add(this.target, add(scaled(right, -dx * s), scaled(up, dy * s)));
    this.wanted = null;
  }

  zoom(factor) {
    this.distance = clamp(this.distance * factor, 0.02 * this.run.size, 60 * this.run.size);
  }

  // Glides to a new target; true while on the way.
  glide(seconds) {
    if (!this.wanted) return false;
    const s = 1 - Math.exp(-8 * seconds);
    this.target = mixed(this.target, this.wanted.target, s);
    this.distance += s * (this.wanted.distance - this.distance);
    if (norm(subtract(this.target, this.wanted.target)) < 1e-3 * this.distance) this.wanted = null;
    return true;
  }
}

// Lets the pointers on `canvas` move the camera; `changed` is called after every change.
function steerCamera(canvas, camera, changed) {
  const fingers = new Map();
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  const end = (event) => fingers.delete(event.pointerId);
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    if (fingers.size === 2) {
      const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
      const span = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
      camera.zoom(span(before) / span(now));
      camera.pan(dx / 2, dy / 2, canvas.clientHeight);
    } else if (event.buttons & 6 || event.shiftKey) {
      camera.pan(dx, dy, canvas.clientHeight);
    } else {
      camera.orbit(dx, dy);
    }
    fingers.set(event.pointerId, now);
    changed();
  });
  // In a frame of another page the wheel scrolls that page, until the animation is clicked.
  const framed = window.self !== window.top;
  canvas.addEventListener("wheel", (event) => {
    if (framed && document.activeElement !== canvas && !event.ctrlKey) return;
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === 1 ? 20 : 1);
    camera.zoom(Math.exp(clamp(pixels, -200, 200) * 0.0015));
    changed();
  }, { passive: false });
}
