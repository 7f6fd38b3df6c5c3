// The player: time, and what happens as it passes.

class Player {
  constructor(run) {
    this.run = run;
    this.poses = new Poses(run);
    this.first = this.poses.first;
    this.last = this.poses.last;
    this.time = this.first;
    this.speed = 1;
    this.loop = true;
    this.playing = false;
    this.follow = run.follow ? -2 : -1;
    const layers = Object.fromEntries(Object.keys(LAYER_NAMES).map((name) => [name, run.shown.includes(name)]));
    this.look = { layers, wireframe: false, hovered: -1 };
    this.camera = new Camera(run);
    this.canvas = find("view");
    this.renderer = this.makeRenderer();
    this.board = new Board(run.curves, [this.first, this.last], () => this.ink(), (t) => {
      this.pause();
      this.seek(t);
    }, () => this.changed());
    this.controls = new Controls(run, this);
    this.home();
    this.watch();
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (wanted.has("t")) this.seek(Number(wanted.get("t")) || 0);
    if (wanted.has("plain")) this.controls.openPanel(false);
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches || wanted.has("paused");
    if (run.autoplay !== false && !still) this.play();
    this.before = performance.now();
    requestAnimationFrame((now) => this.tick(now));
  }

  makeRenderer() {
    try {
      return new Renderer(this.canvas, this.run);
    } catch (fault) {
      find("message").textContent =
        `The bodies cannot be drawn: this browser offers no WebGL 2 (${fault.message}). The curves still work.`;
      find("message").hidden = false;
      this.canvas.hidden = true;
      return null;
    }
  }

  watch() {
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const themed = () => {
      if (this.renderer) this.renderer.theme = dark.matches ? THEMES.dark : THEMES.light;
      this.changed();
    };
    dark.addEventListener("change", themed);
    themed();
    new ResizeObserver(() => this.changed()).observe(find("stage"));
    const { canvas } = this;
    steerCamera(canvas, this.camera, () => this.changed());
    canvas.addEventListener("pointermove", (event) => { 
      this.pointer = event.buttons || event.pointerType === "touch" ? null : [event.offsetX, event.offsetY];
      this.changed();
    });
    canvas.addEventListener("pointerleave", () => { this.pointer = null; this.hover(-1); });
    canvas.addEventListener("dblclick", (event) => {
      const body = this.bodyAt(event.offsetX, event.offsetY);
      if (body >= 0) this.focus(body); else this.home();
    });
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      find("message").textContent = "The graphics card was taken away; reload the page to see the bodies again.";
      find("message").hidden = false;
      this.renderer = null;
    });
  }

  ink() {
    const style = getComputedStyle(document.body), read = (name) => style.getPropertyValue(name).trim();
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    // Black on black cannot be seen.
    const light = (color) => (dark && color === "#000000" ? "#FFFFFF" : color);
    return { light, cursor: read("--accent"), grid: read("--line"), text: read("--quiet") };
  }

  changed() { this.dirty = true; }

  play() {
    if (this.last <= this.first) return;
    if (this.time >= this.last - 1e-12) this.time = this.first;
    this.playing = true;
    this.changed();
  }

  pause() { this.playing = false; this.changed(); }

  toggle() { if (this.playing) this.pause(); else this.play(); }

  seek(t) {
    this.time = clamp(t, this.first, this.last);
    this.poses.at(this.time);
    this.changed();
  }

  // Goes on by whole frames and stays there.
  step(frames) {
    this.pause();
    const { time } = this.run.frames, now = this.poses.frameAt(this.time);
    const between = this.time > time[now] + 1e-9 && frames < 0 ? 1 : 0;
    this.seek(time[clamp(now + frames + between, 0, time.length - 1)]);
  }

  // Shows all that the bodies ever come to; where the camera follows, all that they are now.
  home() {
    const { run, renderer, canvas } = this, points = [];
    this.poses.at(this.time);
    const corners = renderer ? renderer.corners : run.bodies.map(() => [[0, 0, 0]]);
    const now = new Poses(run), count = run.frames.count;
    const every = run.follow ? count : Math.max(1, Math.ceil(count / clamp(30000 / (8 * run.bodies.length + 1), 4, 150)));
    for (let f = 0; f < count; f += every) {
      now.at(run.follow ? this.time : run.frames.time[f]);
      corners.forEach((list, b) => list.forEach((p) => points.push({ at: transformed(now.of(b), p), radius: 0 })));
    }
    if (renderer && !run.follow) for (const at of renderer.fixed) points.push({ at, radius: 0 });
    const [width, height] = [canvas.clientWidth || 4, canvas.clientHeight || 3];
    this.camera.home(points, width / height, clamp(45 / height, 0, 0.15));
    if (run.follow) this.camera.zoom(1.6); // room to see where it goes
    this.anchor = this.follow === -1 ? null : this.followed();
    this.changed();
  }

  focus(body) {
    if (this.follow !== -1) {
      this.setFollow(body);
      find("follow").value = body;
    }
    const near = this.renderer ? this.renderer.radii[body] : this.run.size;
    this.camera.wanted = {
      target: this.poses.place(body), distance: Math.min(this.camera.distance, (3.2 * near) / Math.sin(FIELD / 2)),
    };
    this.changed();
  }

  setFollow(body) {
    this.follow = body;
    if (body !== -1) this.camera.wanted = { target: this.followed(), distance: this.camera.distance };
    this.anchor = null;
    this.changed();
  }

  followed() { return this.follow === -2 ? this.poses.middle() : this.poses.place(this.follow); }

  setTrail(body) {
    if (this.renderer) this.renderer.setTrail(body, this.run);
    this.changed();
  }

  hover(body) {
    if (this.look.hovered === body) return;
    this.look.hovered = body;
    this.changed();
  }

  bodyAt(x, y) {
    return this.renderer ? this.renderer.bodyAt(x, y, this.poses, this.camera, this.look) : -1;
  }

  tick(now) {
    const seconds = Math.min(0.1, (now - this.before) / 1000);
    this.before = now;
    if (this.playing) {
      this.time += seconds * this.speed;
      if (this.time >= this.last) {
        if (this.loop) this.time = this.first + ((this.time - this.last) % (this.last - this.first));
        else { this.time = this.last; this.playing = false; }
      }
      this.dirty = true;
    }
    if (this.camera.glide(seconds)) this.dirty = true;
    if (this.dirty) this.draw();
    requestAnimationFrame((later) => this.tick(later));
  }

  draw() {
    const { canvas, poses, camera } = this;
    poses.at(this.time);
    if (this.follow !== -1) {
      const place = this.followed();
      if (this.anchor && !camera.wanted) camera.target = add(camera.target, subtract(place, this.anchor));
      else if (camera.wanted) camera.wanted.target = place;
      this.anchor = place;
    }
    if (this.renderer && canvas.clientWidth && canvas.clientHeight) {
      const scale = Math.min(window.devicePixelRatio || 1, 2);
      const [w, h] = [Math.round(canvas.clientWidth * scale), Math.round(canvas.clientHeight * scale)];
      if (canvas.width !== w) canvas.width = w;
      if (canvas.height !== h) canvas.height = h;
      if (this.pointer) {
        const body = this.bodyAt(...this.pointer);
        this.hover(body);
        const label = find("label");
        label.hidden = body < 0;
        if (body >= 0) {
          label.textContent = this.run.bodies[body];
          label.style.transform = `translate(${this.pointer[0] + 14}px, ${this.pointer[1] + 14}px)`;
        }
      } else find("label").hidden = true;
      this.renderer.now = this.time;
      this.renderer.draw(poses, camera, this.look);
    }
    if (document.body.classList.contains("open") || !this.renderer) this.board.draw(this.time);
    this.controls.update();
    this.dirty = false;
  }
}

window.player = new Player(readRun(document));
