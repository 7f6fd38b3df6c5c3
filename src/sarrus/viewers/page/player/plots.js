// Curves over time on small canvases; the cursor is the time of the player, and the pointer moves it.

const FONT = "11px system-ui, -apple-system, 'Segoe UI', sans-serif";
const MARGIN = { left: 46, right: 10, top: 6, bottom: 20 };

class Plot {
  constructor(box, curve, span, colors, seek) {
    Object.assign(this, { curve, span, colors });
    this.title = document.createElement("h3");
    this.title.textContent = `${curve.title} [${curve.unit}]`;
    this.value = document.createElement("span");
    this.title.append(this.value);
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${curve.title} over time; click to go to a time`);
    box.append(this.title, this.canvas);
    this.range = this.rangeOf(curve);
    const move = (event) => {
      const { left, width } = this.canvas.getBoundingClientRect();
      const s = (event.clientX - left - MARGIN.left) / (width - MARGIN.left - MARGIN.right);
      seek(span[0] + clamp(s, 0, 1) * (span[1] - span[0]));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      move(event);
    });
    this.canvas.addEventListener("pointermove", (event) => event.buttons && move(event));
  }

  // Ends of the vertical axis, in decades where it is logarithmic.
  rangeOf({ values, log }) {
    if (!values.length) return [0, 1];
    const shown = log ? values.map(Math.log10) : values;
    let low = Infinity, high = -Infinity;
    for (const v of shown) { low = Math.min(low, v); high = Math.max(high, v); }
    if (log) return [Math.floor(low - 0.02), Math.max(Math.floor(low - 0.02) + 1, Math.ceil(high + 0.02))];
    low = Math.min(low, 0);
    high = Math.max(high, 0);
    const pad = 0.06 * (high - low) || 1;
    return [low < 0 ? low - pad : 0, high > 0 ? high + pad : 0].map((v, k) => (low === high ? [-1, 1][k] : v));
  }

  draw(time) {
    const { canvas, curve, span, range } = this, scale = Math.min(window.devicePixelRatio || 1, 2);
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !height) return;
    if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
    if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
    const pen = canvas.getContext("2d"), ink = this.colors();
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
    pen.strokeStyle = ink.curve;
    pen.lineWidth = 1.4;
    pen.lineJoin = "round";
    pen.beginPath();
    curve.time.forEach((t, k) => {
      const y = py(curve.log ? Math.log10(curve.values[k]) : curve.values[k]);
      if (k) pen.lineTo(px(t), y); else pen.moveTo(px(t), y);
    });
    pen.stroke();
    pen.restore();
    pen.strokeStyle = ink.cursor;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(px(time), top - 2);
    pen.lineTo(px(time), height - bottom);
    pen.stroke();
    const now = this.valueAt(time);
    this.value.textContent = now === null ? "" : short(now);
    if (now !== null) {
      pen.fillStyle = ink.cursor;
      pen.beginPath();
      pen.arc(px(time), py(curve.log ? Math.log10(now) : now), 3, 0, 2 * Math.PI);
      pen.fill();
    }
  }

  axes(pen, ink, px, py, width, height) {
    const { left, right, bottom } = MARGIN, { range, span, curve } = this;
    if (!curve.values.length) {
      pen.fillStyle = ink.text;
      pen.textAlign = "center";
      pen.fillText(curve.log ? "zero at all times" : "no values", (left + width) / 2, height / 2 - 10);
    }
    pen.strokeStyle = ink.grid;
    pen.fillStyle = ink.text;
    pen.lineWidth = 1;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const step = curve.log ? Math.max(1, Math.ceil((range[1] - range[0]) / 4)) : niceAbove((range[1] - range[0]) / 4);
    const lowest = Math.ceil(range[0] / step - 1e-9) * step;
    for (let v = lowest; curve.values.length && v <= range[1] + 1e-9 * step; v += step) {
      const y = Math.round(py(v)) + 0.5;
      pen.beginPath();
      pen.moveTo(left, y);
      pen.lineTo(width - right, y);
      pen.stroke();
      pen.fillText(curve.log ? `1e${Math.round(v)}` : short(Math.abs(v) < 1e-9 * step ? 0 : v), left - 5, y);
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

  // The value at the point nearest to a time, or null.
  valueAt(time) {
    const { curve } = this, count = curve.time.length;
    if (!count) return null;
    let low = 0, high = count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (curve.time[middle] < time - 1e-12) low = middle + 1; else high = middle;
    }
    if (low > 0 && time - curve.time[low - 1] < curve.time[low] - time) low -= 1;
    return curve.values[low];
  }
}
