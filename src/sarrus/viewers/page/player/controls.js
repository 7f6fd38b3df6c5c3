// The panel and the keys: what the user sets, and what the page says.

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];
const LAYER_NAMES = {
  shapes: "shapes", collision: "collision shapes", joints: "joints", frames: "frames", masses: "centres of mass",
  ground: "ground", forces: "contact forces",
};

const find = (id) => document.getElementById(id);

function element(kind, text, properties = {}) {
  const made = document.createElement(kind);
  if (text !== undefined) made.textContent = text;
  return Object.assign(made, properties);
}

class Controls {
  constructor(run, player) {
    Object.assign(this, { run, player });
    this.words();
    this.layers();
    this.choices();
    this.transport();
    this.keys();
  }

  words() {
    const { run } = this;
    const fact = Object.fromEntries(run.facts);
    find("name").textContent = run.title;
    find("subtitle").textContent = [
      fact.method, `dt ${fact["time step"]}`, fact.duration,
      ...(fact["largest violation"] ? [`violation ≤ ${fact["largest violation"]}`] : []),
    ].join(" · ");
    for (const [name, value] of run.facts) find("facts").append(element("dt", name), element("dd", value));
    for (const note of run.notes) find("notes").append(element("p", note));
  }

  layers() {
    const { run, player } = this, present = new Set(run.parts.map((part) => part.layer));
    if (run.lines.length || run.strands.length) present.add("shapes");
    if (run.touches) present.add("forces");
    if (player.renderer && player.renderer.planes.length) present.add("ground");
    const toggle = (name, label, value, set) => {
      const box = element("input", undefined, { type: "checkbox", checked: value, id: `show-${name}` });
      box.addEventListener("change", () => { set(box.checked); player.changed(); });
      const row = element("label");
      row.append(box, element("span", label));
      if (name === "ground") {
        const spacing = `${short(gridSpacing(run))} m`;
        row.append(element("small", spacing));
        row.title = `the thin lines are ${spacing} apart`;
      }
      find("layers").append(row);
    };
    for (const [name, label] of Object.entries(LAYER_NAMES)) {
      if (!present.has(name)) continue;
      toggle(name, label, player.look.layers[name], (on) => { player.look.layers[name] = on; });
    }
    toggle("wireframe", "wireframe", player.look.wireframe, (on) => { player.look.wireframe = on; });
  }

  choices() {
    const { run, player } = this;
    const fill = (id, first) => {
      find(id).append(...first.map(([value, text]) => element("option", text, { value })));
      run.bodies.forEach((name, b) => find(id).append(element("option", name, { value: b })));
    };
    fill("follow", [[-1, "nothing"], [-2, "all bodies"]]);
    fill("trail", [[-1, "none"]]);
    find("follow").value = player.follow;
    find("follow").addEventListener("change", (event) => { player.setFollow(Number(event.target.value)); });
    find("trail").addEventListener("change", (event) => { player.setTrail(Number(event.target.value)); });
    const colors = run.bodies.map((_, b) => (run.parts.find((p) => p.body === b) || { color: [0.5, 0.5, 0.5, 1] }).color);
    run.bodies.forEach((name, b) => {
      const row = element("button", undefined, { type: "button", title: "click to look at this body" });
      const dot = element("i");
      dot.style.background = `rgb(${colors[b].slice(0, 3).map((c) => Math.round(255 * c)).join(" ")})`;
      row.append(dot, element("span", name));
      row.addEventListener("click", () => player.focus(b));
      row.addEventListener("pointerenter", () => player.hover(b));
      row.addEventListener("pointerleave", () => player.hover(-1));
      find("bodies").append(row);
    });
    find("body-count").textContent = run.bodies.length;
  }

  transport() {
    const { run, player } = this, slider = find("time");
    Object.assign(slider, { min: player.first, max: player.last, step: "any", value: player.first });
    slider.disabled = player.last <= player.first;
    slider.addEventListener("input", () => { player.pause(); player.seek(Number(slider.value)); });
    find("play").addEventListener("click", () => player.toggle());
    find("back").addEventListener("click", () => player.step(-1));
    find("forth").addEventListener("click", () => player.step(1));
    find("start").addEventListener("click", () => player.seek(player.first));
    find("fit").addEventListener("click", () => player.home());
    find("open").addEventListener("click", () => this.openPanel(!document.body.classList.contains("open")));
    find("loop").addEventListener("click", () => { player.loop = !player.loop; this.update(); });
    for (const speed of SPEEDS) find("speed").append(element("option", `${speed}×`, { value: speed }));
    find("speed").value = player.speed;
    find("speed").addEventListener("change", (event) => { player.speed = Number(event.target.value); });
    this.openPanel(window.innerWidth >= 860 && window.innerHeight >= 420 && run.panel !== false);
  }

  openPanel(open) {
    document.body.classList.toggle("open", open);
    find("open").setAttribute("aria-expanded", open);
    this.player.changed();
  }

  keys() {
    const { player } = this;
    const speed = (by) => {
      const k = clamp(SPEEDS.indexOf(player.speed) + by, 0, SPEEDS.length - 1);
      player.speed = SPEEDS[k];
      find("speed").value = player.speed;
    };
    const actions = {
      " ": () => player.toggle(), ArrowLeft: (e) => player.step(e.shiftKey ? -10 : -1),
      ArrowRight: (e) => player.step(e.shiftKey ? 10 : 1), Home: () => player.seek(player.first),
      End: () => player.seek(player.last), "+": () => speed(1), "-": () => speed(-1), f: () => player.home(),
      l: () => { player.loop = !player.loop; this.update(); },
      p: () => this.openPanel(!document.body.classList.contains("open")),
    };
    window.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target.tagName === "SELECT") return;
      if (event.key === " " && (event.target.tagName === "BUTTON" || event.target.type === "checkbox")) return;
      const action = actions[event.key];
      if (!action) return;
      event.preventDefault();
      action(event);
    });
  }

  update() {
    const { player } = this;
    find("time").value = player.time;
    find("time").style.setProperty("--share", `${(100 * (player.time - player.first)) / (player.last - player.first || 1)}%`);
    find("clock").textContent = `${player.time.toFixed(2)} / ${player.last.toFixed(2)} s`;
    find("play").classList.toggle("playing", player.playing);
    find("play").setAttribute("aria-label", player.playing ? "pause" : "play");
    find("loop").setAttribute("aria-pressed", player.loop);
  }
}
