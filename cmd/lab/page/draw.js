// Drawing of points, regions and evidence over the plane.

const COLORS = { light: ["#0072b2", "#d55e00", "#008a64", "#b0579a", "#a06f00", "#3898d0"], dark: ["#4ba3e3", "#f0843c", "#2fc298", "#dc8fc4", "#eab63e", "#8accf2"] };
const COLUMNS = 3; // numbers that an answer has of a point: margin, −log p, multiplier
const night = matchMedia("(prefers-color-scheme: dark)");
const rgb = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16));
function theme() {
  const dark = night.matches;
  return { colors: COLORS[dark ? "dark" : "light"], paper: dark ? "#14171c" : "#fdfdfb", ink: dark ? "#e4e7ec" : "#1d2430", quiet: dark ? "#a9b1bd" : "#535b68" };
}

// sharp sizes a canvas to the pixels of the screen and returns its context in CSS pixels.
function sharp(canvas) {
  const w = canvas.clientWidth, h = canvas.clientHeight, r = Math.min(2, devicePixelRatio || 1);
  if (canvas.width !== Math.round(w * r) || canvas.height !== Math.round(h * r)) { canvas.width = Math.round(w * r); canvas.height = Math.round(h * r); }
  const c = canvas.getContext("2d");
  c.setTransform(r, 0, 0, r, 0, 0);
  c.clearRect(0, 0, w, h);
  return { c, w, h };
}

// scale maps the plane to a picture: view is { x, y, width, height } of the plane, y upwards.
const scale = (view, w, h) => ({ width: w, height: h, x: u => (u - view.x) / view.width * w, y: v => h - (v - view.y) / view.height * h });

// mark is the sign of a class at (x, y): circle, square, triangle, diamond, cross, plus.
function mark(c, k, x, y, r) {
  c.beginPath();
  if (k === 0) c.arc(x, y, r, 0, 7);
  else if (k === 1) c.rect(x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r);
  else if (k === 2) { c.moveTo(x, y - 1.2 * r); c.lineTo(x + 1.1 * r, y + 0.8 * r); c.lineTo(x - 1.1 * r, y + 0.8 * r); c.closePath(); }
  else if (k === 3) { c.moveTo(x, y - 1.3 * r); c.lineTo(x + 1.3 * r, y); c.lineTo(x, y + 1.3 * r); c.lineTo(x - 1.3 * r, y); c.closePath(); }
  else { const s = k === 4 ? Math.PI / 4 : 0; for (let i = 0; i < 4; i++) { const a = s + i * Math.PI / 2; c.moveTo(x, y); c.lineTo(x + 1.4 * r * Math.cos(a), y + 1.4 * r * Math.sin(a)); } }
}

// sprites are the marks of the classes, drawn once for each theme and size.
const sprites = {};
function sprite(k, r) {
  const t = theme(), ratio = Math.min(2, devicePixelRatio || 1), key = [k, r, ratio, t.paper].join();
  if (sprites[key]) return sprites[key];
  const s = document.createElement("canvas"), size = Math.ceil(4 * r + 4);
  s.width = s.height = size * ratio;
  const c = s.getContext("2d");
  c.scale(ratio, ratio);
  mark(c, k, size / 2, size / 2, r);
  c.fillStyle = c.strokeStyle = t.colors[k];
  if (k < 4) { c.fill(); c.strokeStyle = t.paper; c.lineWidth = 1; } else c.lineWidth = 2.5;
  c.stroke();
  return sprites[key] = Object.assign(s, { css: size });
}

function segments(c, s, list) {
  c.beginPath();
  for (let i = 0; i + 3 < list.length; i += 4) { c.moveTo(s.x(list[i]), s.y(list[i + 1])); c.lineTo(s.x(list[i + 2]), s.y(list[i + 3])); }
  c.stroke();
}

function lines(c, s, list) {
  c.beginPath();
  for (const line of list) for (let i = 0; i < line.length; i += 2) c[i ? "lineTo" : "moveTo"](s.x(line[i]), s.y(line[i + 1]));
  c.stroke();
}

// plane draws b₀ + b₁x + b₂y = 0.
function plane(c, s, view, [b0, b1, b2]) {
  const steep = Math.abs(b1) > Math.abs(b2);
  const p = steep ? [view.y, view.y + view.height].map(v => [-(b0 + b2 * v) / b1, v]) : [view.x, view.x + view.width].map(u => [u, -(b0 + b1 * u) / b2]);
  if (!p.flat().every(Number.isFinite)) return;
  c.beginPath();
  c.moveTo(s.x(p[0][0]), s.y(p[0][1])); c.lineTo(s.x(p[1][0]), s.y(p[1][1]));
  c.stroke();
}

function arrow(c, x0, y0, x1, y1) {
  const a = Math.atan2(y1 - y0, x1 - x0);
  c.beginPath();
  c.moveTo(x0, y0); c.lineTo(x1, y1);
  for (const d of [2.6, -2.6]) { c.moveTo(x1, y1); c.lineTo(x1 + 9 * Math.cos(a + d), y1 + 9 * Math.sin(a + d)); }
  c.stroke();
}

// paint draws the state and one result, and over it the boundary of another.
function paint(canvas, state, result, over, step) {
  const { c, w, h } = sharp(canvas), t = theme(), s = scale(state.view, w, h);
  if (!w || !h) return; // not laid out
  c.fillStyle = t.paper;
  c.fillRect(0, 0, w, h);
  if (result) backdrop(c, w, h, result);
  c.strokeStyle = t.ink;
  if (result && result.boundary) {
    c.lineWidth = 2.5;
    c.setLineDash(result.answer.Separated ? [9, 5] : []);
    lines(c, s, result.boundary);
    c.setLineDash([]);
    if (state.show.margins) margins(c, s, state, result, t);
    directions(c, s, state, result.answer, t);
  }
  if (over && over.boundary) { c.lineWidth = 2.5; c.setLineDash([2, 4]); c.strokeStyle = t.ink; lines(c, s, over.boundary); c.setLineDash([]); }
  if (result && step != null && result.answer.Walk) { c.lineWidth = 3; c.strokeStyle = t.colors[3]; plane(c, s, state.view, result.answer.Walk[step]); }
  points(c, s, state, result, t);
  if (!result) return;
  if (result.answer.Weights) meeting(c, s, state, result.answer.Weights, t);
  if (result.answer.Separated) note(c, t, "dashed: a line that separates the classes");
  else if (result.answer.Weights) note(c, t, "circle: mixtures of both classes coincide");
}

const scratch = document.createElement("canvas");
function backdrop(c, w, h, { image, width, height }) {
  if (!image || !image.length) return; // asked for while nothing was laid out
  scratch.width = width; scratch.height = height;
  scratch.getContext("2d").putImageData(new ImageData(image, width, height), 0, 0);
  c.imageSmoothingEnabled = true;
  c.drawImage(scratch, 0, 0, w, h);
}

// margins draws f = ±1 and the slack of each point, for planes the way to its margin.
function margins(c, s, state, { answer, margins: list, table, method }, t) {
  if (!list || !["svc", "hardmargin"].includes(method)) return;
  c.lineWidth = 1.3; c.strokeStyle = t.ink; c.setLineDash([6, 4]);
  lines(c, s, list);
  c.setLineDash([]);
  const b = answer.Coef && answer.Coef[0];
  if (!b || b.length !== 3 || method !== "svc") return;
  const q = b[1] * b[1] + b[2] * b[2];
  answer.Labels.forEach((k, side) => {
    const ways = [];
    for (let i = 0; i < state.y.length; i++) {
      const x = state.xy[2 * i], y = state.xy[2 * i + 1], slack = 1 - table[COLUMNS * i], f = (side ? slack : -slack) / q;
      if (state.y[i] === k && slack > 1e-6) ways.push(x, y, x + f * b[1], y + f * b[2]);
    }
    c.strokeStyle = t.colors[k]; c.lineWidth = 1;
    segments(c, s, ways);
  });
}

function directions(c, s, state, answer, t) {
  const v = state.view, cx = v.x + v.width / 2, cy = v.y + v.height / 2;
  (answer.Directions || []).forEach((d, i) => {
    if (d.length !== 2) return;
    const n = 0.42 * v.height / Math.hypot(...d);
    c.strokeStyle = t.quiet; c.lineWidth = i ? 1.2 : 2;
    arrow(c, s.x(cx - n * d[0]), s.y(cy - n * d[1]), s.x(cx + n * d[0]), s.y(cy + n * d[1]));
  });
}

// note writes on the picture.
function note(c, t, text) {
  c.font = "600 13px system-ui, sans-serif";
  c.fillStyle = t.paper; c.globalAlpha = 0.85; c.fillRect(6, 6, c.measureText(text).width + 10, 20); c.globalAlpha = 1;
  c.fillStyle = t.ink; c.fillText(text, 11, 20);
}

function put(c, s, state, i, m) { c.drawImage(m, s.x(state.xy[2 * i]) - m.css / 2, s.y(state.xy[2 * i + 1]) - m.css / 2, m.css, m.css); }

// resting is a picture of all points but the loose one, which is drawn anew only when one of them changes.
const layers = new WeakMap();
function resting(canvas, s, state, r, t) {
  const layer = layers.get(canvas) || document.createElement("canvas"), key = [state.version, state.loose, r, t.paper, canvas.width, canvas.height, state.view.x].join();
  if (layer.key === key) return layer;
  layers.set(canvas, Object.assign(layer, { key, width: canvas.width, height: canvas.height }));
  const c = layer.getContext("2d"), marks = COLORS.light.map((_, k) => sprite(k, r));
  c.scale(canvas.width / s.width, canvas.width / s.width);
  for (let i = 0; i < state.y.length; i++) if (i !== state.loose) put(c, s, state, i, marks[state.y[i]]);
  return layer;
}

// points draws all points, rings for their multipliers, and the chosen one.
function points(c, s, state, result, t) {
  const n = state.y.length, r = Math.round(10 * clamp(s.width / 700, 0.65, 1.5) * (n > 600 ? 2.6 : n > 150 ? 3.8 : 5)) / 10;
  const alpha = result && result.boundary && state.show.support && ["svc", "hardmargin", "logistic"].includes(result.method) ? state.y.map((_, i) => multiplier(result, i)) : null;
  const top = alpha && alpha.reduce((a, b) => Math.max(a, b), 0);
  c.strokeStyle = t.ink;
  c.drawImage(resting(c.canvas, s, state, r, t), 0, 0, s.width, s.height);
  if (state.loose >= 0 && state.loose < n) put(c, s, state, state.loose, sprite(state.y[state.loose], r));
  const rings = [[], [], []]; // thin, middle, thick
  const least = result && result.method === "logistic" ? 0.05 : 1e-6;
  for (let i = 0; alpha && i < n; i++) {
    const a = alpha[i] / top;
    if (a > least) rings[Math.min(2, Math.floor(3 * a))].push(s.x(state.xy[2 * i]), s.y(state.xy[2 * i + 1]));
  }
  rings.forEach((list, j) => {
    c.lineWidth = 0.8 + 0.7 * j;
    c.beginPath();
    for (let i = 0; i < list.length; i += 2) { c.moveTo(list[i] + r + 3.5, list[i + 1]); c.arc(list[i], list[i + 1], r + 3.5, 0, 7); }
    c.stroke();
  });
  const i = state.chosen;
  if (i >= 0 && i < n) {
    c.lineWidth = 3; c.strokeStyle = t.ink;
    c.beginPath(); c.arc(s.x(state.xy[2 * i]), s.y(state.xy[2 * i + 1]), r + 7, 0, 7); c.stroke();
  }
}

// multiplier is that of a point: of a likelihood the probability of the other classes.
const multiplier = ({ method, table }, i) => method === "logistic" ? -Math.expm1(-table[COLUMNS * i + 1]) : table[COLUMNS * i + 2];

// meeting draws the convex combinations that coincide: lines as thick as the weights.
function meeting(c, s, state, weights, t) {
  if (weights.length !== state.y.length) return; // of other points
  let x0 = 0, y0 = 0; // both classes together have twice the place
  weights.forEach((w, i) => { x0 += w / 2 * s.x(state.xy[2 * i]); y0 += w / 2 * s.y(state.xy[2 * i + 1]); });
  for (let i = 0; i < state.y.length; i++) {
    const weight = weights[i];
    if (!(weight > 1e-9)) continue;
    c.strokeStyle = t.colors[state.y[i]]; c.lineWidth = 1 + 4 * weight;
    c.beginPath(); c.moveTo(s.x(state.xy[2 * i]), s.y(state.xy[2 * i + 1])); c.lineTo(x0, y0); c.stroke();
  }
  c.fillStyle = t.paper; c.strokeStyle = t.ink; c.lineWidth = 2.5;
  c.beginPath(); c.arc(x0, y0, 6, 0, 7); c.fill(); c.stroke();
}
