// Curves over time on small canvases; the cursor is the time of the player, and the pointer moves it.

const FONT = "11px system-ui, -apple-system, 'Segoe UI', sans-serif";
const MARGIN = { left: 46, right: 10, top: 6, bottom: 20 };

// One pair of axes: curves of one quantity and unit, with a legend from which they can be taken out.
class Plot {
  constructor(board, curve) {
    Object.assign(this, { board, span: board.span, log: curve.log, key: panelKey(curve), curves: [] });
    this.box = element("figure");
    this.title = element("h3", `${curve.panel} [${curve.unit}]`);
    this.canvas = element("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${curve.panel} over time; click to go to a time`);
    this.legend = element("ul");
    this.box.append(this.title, this.canvas, this.legend);
    const move = (event) => {
      const { left, width } = this.canvas.getBoundingClientRect(), { span } = this;
      const s = (event.clientX - left - MARGIN.left) / (width - MARGIN.left - MARGIN.right);
      board.seek(span[0] + clamp(s, 0, 1) * (span[1] - span[0]));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      move(event);
    });
    this.canvas.addEventListener("pointermove", (event) => event.buttons && move(event));
  }

  // Shows these curves, in the order of the run.
  set(curves) {
    this.curves = curves;
    this.range = this.rangeOf(curves);
    this.entries = curves.map((curve) => {
      const row = element("li"), swatch = element("i"), value = element("output");
      const out = element("button", "×", { type: "button", title: `take ${curve.name} out` });
      swatch.style.borderTop = `2px ${curve.dashes.length ? "dashed" : "solid"} ${curve.color}`;
      out.addEventListener("click", () => this.board.remove([curve]));
      row.append(swatch, element("span", curve.label, { title: curve.name }), value, out);
      return { row, value };
    });
    this.legend.replaceChildren(...this.entries.map((entry) => entry.row));
  }

  // Ends of the vertical axis, in decades where it is logarithmic.
  rangeOf(curves) {
    let low = Infinity, high = -Infinity;
    for (const { values } of curves) {
      for (const v of values) {
        const shown = this.log ? Math.log10(v) : v;
        low = Math.min(low, shown);
        high = Math.max(high, shown);
      }
    }
    if (low > high) return [0, 1];
    if (this.log) return [Math.floor(low - 0.02), Math.max(Math.floor(low - 0.02) + 1, Math.ceil(high + 0.02))];
    low = Math.min(low, 0);
    high = Math.max(high, 0);
    const pad = 0.06 * (high - low) || 1;
    return [low < 0 ? low - pad : 0, high > 0 ? high + pad : 0].map((v, k) => (low === high ? [-1, 1][k] : v));
  }

  draw(time) {
    const { canvas, curves, span, range, log } = this, scale = Math.min(window.devicePixelRatio || 1, 2);
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !height) return;
    if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
    if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
    const pen = canvas.getContext("2d"), ink = this.board.ink();
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = FONT;
    const { left, right, top, bottom } = MARGIN;
    const px = (t) => left + ((t - span[0]) / (span[1] - span[0] || 1)) * (width - left - right);
    const py = (v) => height - bottom - ((v - range[0]) / (range[1] - range[0])) * (height - top - bottom);
    this.axes(pen, ink, px, py, width, height);
    pen.save();
    pen.beginPath();
    pen.rect(left, top - 2, width - left - right, height - top - bottom + 4);
    pen.clip();
    pen.lineWidth = 1.4;
    pen.lineJoin = "round";
    for (const curve of curves) {
      pen.strokeStyle = ink.light(curve.color);
      pen.setLineDash(curve.dashes);
      pen.beginPath();
      curve.time.forEach((t, k) => {
        const y = py(log ? Math.log10(curve.values[k]) : curve.values[k]);
        if (k) pen.lineTo(px(t), y); else pen.moveTo(px(t), y);
      });
      pen.stroke();
    }
    pen.restore();
    pen.strokeStyle = ink.cursor;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(px(time), top - 2);
    pen.lineTo(px(time), height - bottom);
    pen.stroke();
    curves.forEach((curve, k) => {
      const now = valueAt(curve, time);
      this.entries[k].value.textContent = now === null ? "" : short(now);
      if (now === null) return;
      pen.fillStyle = ink.light(curve.color);
      pen.beginPath();
      pen.arc(px(time), py(log ? Math.log10(now) : now), 3, 0, 2 * Math.PI);
      pen.fill();
    });
  }

  axes(pen, ink, px, py, width, height) {
    const { left, right, bottom } = MARGIN, { range, span, log } = this;
    const empty = this.curves.every((curve) => !curve.values.length);
    if (empty) {
      pen.fillStyle = ink.text;
      pen.textAlign = "center";
      pen.fillText(log ? "zero at all times" : "no values", (left + width) / 2, height / 2 - 10);
    }
    pen.strokeStyle = ink.grid;
    pen.fillStyle = ink.text;
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const step = log ? Math.max(1, Math.ceil((range[1] - range[0]) / 4)) : niceAbove((range[1] - range[0]) / 4);
    const lowest = Math.ceil(range[0] / step - 1e-9) * step;
    for (let v = lowest; !empty && v <= range[1] + 1e-9 * step; v += step) {
      const y = Math.round(py(v)) + 0.5;
      pen.beginPath();
      pen.moveTo(left, y);
      pen.lineTo(width - right, y);
      pen.stroke();
      pen.fillText(log ? `1e${Math.round(v)}` : short(Math.abs(v) < 1e-9 * step ? 0 : v), left - 5, y);
    }
    pen.textAlign = "center";
    pen.textBaseline = "top";
    const pace = niceAbove((span[1] - span[0] || 1) / 5);
    for (let t = Math.ceil(span[0] / pace - 1e-9) * pace; t <= span[1] + 1e-9 * pace; t += pace) {
      const last = t + pace > span[1] + 1e-9 * pace;
      if (last) pen.textAlign = "right";
      pen.fillText(last ? `${short(t)} s` : short(t), last ? Math.min(px(t) + 12, width - 1) : px(t), height - bottom + 6);
    }
  }
}

// All plots of the panel, and the menu from which signals are chosen.
class Board {
  constructor(curves, span, ink, seek, changed) {
    Object.assign(this, { curves, span, ink, seek, changed });
    this.shown = new Set(curves.filter((curve) => curve.shown));
    this.plots = [];
    this.menu();
    this.arrange();
  }

  // A list of all signals by quantity; before those of a panel, one entry for all of them.
  menu() {
    const list = find("signals"), groups = new Map();
    for (const curve of this.curves) {
      if (!groups.has(curve.quantity)) groups.set(curve.quantity, new Map());
      const panels = groups.get(curve.quantity), key = panelKey(curve);
      panels.set(key, [...(panels.get(key) || []), curve]);
    }
    this.choices = [];
    const option = (words, chosen) => element("option", words, { value: this.choices.push(chosen) - 1 });
    list.append(element("option", "plot a signal …", { value: -1 }));
    for (const [quantity, panels] of groups) {
      const group = element("optgroup", undefined, { label: quantity });
      for (const chosen of panels.values()) {
        if (chosen.length > 1) group.append(option(`all ${quantity} [${chosen[0].unit}]`, chosen));
        for (const curve of chosen) group.append(option(`${curve.label} [${curve.unit}]`, [curve]));
      }
      list.append(group);
    }
    list.addEventListener("change", () => {
      const chosen = this.choices[Number(list.value)];
      list.value = -1;
      if (chosen) this.add(chosen);
    });
  }

  add(curves) {
    for (const curve of curves) this.shown.add(curve);
    this.arrange();
    const last = this.plots.find((plot) => plot.key === panelKey(curves[0]));
    last.box.scrollIntoView({ block: "nearest" });
  }

  remove(curves) {
    for (const curve of curves) this.shown.delete(curve);
    this.arrange();
  }

  // Makes the plots that the shown curves need, and no others.
  arrange() {
    const wanted = new Map();
    for (const curve of this.curves) {
      if (this.shown.has(curve)) wanted.set(panelKey(curve), [...(wanted.get(panelKey(curve)) || []), curve]);
    }
    this.plots = [...wanted].map(([key, curves]) => {
      const plot = this.plots.find((old) => old.key === key) || new Plot(this, curves[0]);
      plot.set(curves);
      return plot;
    });
    find("plots").replaceChildren(...this.plots.map((plot) => plot.box));
    this.changed();
  }

  draw(time) { for (const plot of this.plots) plot.draw(time); }
}

const panelKey = (curve) => `${curve.panel} [${curve.unit}]`;

// The value of a curve at the point nearest to a time, or null.
function valueAt(curve, time) {
  const count = curve.time.length;
  if (!count) return null;
  let low = 0, high = count - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (curve.time[middle] < time - 1e-12) low = middle + 1; else high = middle;
  }
  if (low > 0 && time - curve.time[low - 1] < curve.time[low] - time) low -= 1;
  return curve.values[low];
}
