// The page: one state, one worker, at most one question under way.

let state = restore(location.hash), edited = state.xy !== null, results = [], step = null, running = 0;
let worker, waiting = false, stale = false, rest = 0, asked = null, finals = 0, versions = 0, moved = 0, shown = 0;
const stages = [], speed = { fit: [], trip: [], frame: [] };
state.chosen = -1; state.version = 0; state.loose = -1;

async function start() {
  setForm(state, { changed });
  wire();
  layout();
  worker = new Worker(URL.createObjectURL(new Blob([await unpack("worker")], { type: "text/javascript" })));
  worker.onmessage = receive;
  worker.onerror = e => { $("said").textContent = "The library stopped: " + e.message; };
  const library = await unpack("library");
  worker.postMessage({ library }, [library]);
}

// models are those on the page: one or two.
const models = () => [state.first, ...(state.second ? [state.second] : [])];
const split = () => state.second && !state.show.over;

// packed are the points as the worker takes them.
function packed() {
  const p = new Float64Array(3 * state.y.length);
  p.set(state.xy);
  p.set(state.y, state.xy.length);
  return p;
}

// plot is the size of the shaded picture, and grid that of the scores behind it.
function plotOf(canvas) {
  const w = canvas.clientWidth, h = canvas.clientHeight, t = theme();
  const plot = { width: Math.ceil(w / 2), height: Math.ceil(h / 2), colors: t.colors.map(rgb), paper: rgb(t.paper), probability: state.show.shade };
  const size = Math.max(8, w / 90), cols = Math.ceil(w / size) + 1, s = state.view.width / (cols - 1);
  return { plot, grid: { X: state.view.x, Y: state.view.y, Step: s, Cols: cols, Rows: Math.round(state.view.height / s) + 1 } };
}

// ask sends the state, or remembers to do so when the worker is free.
function ask(final) {
  clearTimeout(rest);
  if (!worker || waiting || !start.ready) { stale = true; return; }
  waiting = true; stale = false; asked = { at: performance.now(), state, models: models() };
  if (state.xy === null) {
    worker.postMessage({ id: "draw", queries: [{ Population: PRESETS[state.preset], Draw: state.count, Seed: state.seed }], points: new Float64Array(0) });
    return;
  }
  const { plot, grid } = plotOf(stages[0].canvas);
  asked.plot = plot;
  const queries = models().map(m => ({ ...query(m, state), Population: PRESETS[state.preset], Grid: grid, Final: !!final }));
  const points = packed();
  worker.postMessage({ id: final ? "final" : "quick", queries, points, plot }, [points.buffer]);
}

function receive({ data }) {
  if (data.ready) { start.ready = true; speed.start = performance.now(); ask(); return; }
  waiting = false;
  if (asked.state !== state || (data.id === "draw") !== (state.xy === null) || stale && state.xy === null) { ask(); return; }
  if (data.id === "draw") { drawn(data.results[0]); return; }
  speed.fit.push(data.took); speed.trip.push(performance.now() - asked.at);
  const list = models(), { plot } = asked;
  if (list.some((m, i) => m !== asked.models[i]) || list.length !== asked.models.length || data.results.some(r => r.table.length && r.table.length !== COLUMNS * state.y.length)) { ask(); return; }
  const before = results;
  results = data.results.map((r, i) => ({ ...r, query: list[i], method: list[i].method, proba: METHODS[list[i].method].proba, final: data.id === "final", width: plot.width, height: plot.height }));
  if (data.id === "quick") results.forEach((r, i) => keep(r, before[i]));
  if (data.id === "final") { history.replaceState(null, "", address(state, edited)); speak(); finals++; shown = moved = 0; }
  frame();
  if (stale) ask();
  else if (data.id === "quick") rest = setTimeout(() => ask(true), 250);
}

// keep shows the slow parts of the answer before until new ones come: they would flicker.
function keep(r, before) {
  if (!before || before.method !== r.method) return;
  r.answer.Test = before.answer.Test; r.answer.TestSE = before.answer.TestSE; r.answer.Bayes = before.answer.Bayes;
}

function drawn({ table, answer }) {
  if (answer.Error) { $("said").textContent = answer.Error; return; }
  state.xy = []; state.y = [];
  const thousandth = v => Math.round(1000 * v) / 1000; // files hold these exactly
  for (let i = 0; i < table.length; i += COLUMNS) { state.xy.push(thousandth(table[i]), thousandth(table[i + 1])); state.y.push(table[i + 2]); }
  for (const [x, y, k] of PRESETS[state.preset].besides || []) { state.xy.push(x, y); state.y.push(k); }
  edited = false; state.chosen = -1;
  settle(-1);
  look();
  ask();
}

// look chooses the part of the plane that is shown: all points, with as much scale on both axes.
function look() {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < state.y.length; i++) {
    x0 = Math.min(x0, state.xy[2 * i]); x1 = Math.max(x1, state.xy[2 * i]);
    y0 = Math.min(y0, state.xy[2 * i + 1]); y1 = Math.max(y1, state.xy[2 * i + 1]);
  }
  if (!(x1 >= x0)) [x0, y0, x1, y1] = [-4, -3, 4, 3];
  const width = 1.15 * Math.max(x1 - x0, (y1 - y0) * 4 / 3, 1e-9) || 1;
  state.view = { x: (x0 + x1 - width) / 2, y: (y0 + y1 - 0.75 * width) / 2, width, height: 0.75 * width };
  state.unit = 10 ** Math.round(Math.log10(width / 5000));
}
const round = v => +(Math.round(v / state.unit) * state.unit).toPrecision(12);

// layout makes a picture for each model, or one for both.
function layout() {
  const n = split() ? 2 : 1;
  $("left").className = n === 1 ? "single" : "";
  if (stages.length === n) return caption();
  stages.length = 0;
  $("stages").replaceChildren();
  for (let i = 0; i < n; i++) {
    const canvas = element("canvas", {}), text = element("figcaption", { id: "caption" + i });
    const picture = element("div", { className: "picture", tabIndex: 0 }, canvas);
    picture.setAttribute("role", "application");
    picture.setAttribute("aria-labelledby", "caption" + i);
    picture.setAttribute("aria-describedby", "keys");
    $("stages").append(element("figure", { className: "stage" }, text, picture));
    stages.push({ canvas, picture, text });
    mouse(picture, canvas);
    picture.addEventListener("keydown", keyboard);
  }
  caption();
}
function caption() {
  const names = models().map(title);
  stages.forEach((s, i) => { s.text.textContent = stages.length === 1 && names[1] ? `${names[0]} (solid), ${names[1]} (dotted)` : names[i]; });
}

// frame draws once before the next refresh of the screen, however often it is called.
let due = false;
function frame() {
  if (due) return;
  due = true;
  requestAnimationFrame(() => {
    due = false;
    if (!state.view || state.xy === null) return; // new points are being drawn: what is shown stays
    const t0 = performance.now();
    stages.forEach((s, i) => paint(s.canvas, state, results[i], stages.length === 1 ? results[1] : null, state.show.walk && i === 0 ? step ?? null : null));
    // While a point moves, texts change ten times a second, and the drawings each time.
    if (t0 - moved > 300 || t0 - shown > 100) { shown = t0; cards(); } else drawings.forEach(d => d());
    speed.frame.push(performance.now() - t0);
    if (speed.fit.length % 10 === 1) $("speed").textContent = `Fits and picture: ${speed.fit[speed.fit.length - 1].toFixed(1)} ms.`;
  });
}

// cards fills the panels. Those with canvases are kept, so that nothing flickers.
const kept = {};
function card(key, title, canvasClass) {
  if (!kept[key]) {
    const canvas = element("canvas", { className: canvasClass || "" }), box = element("div", {});
    canvas.setAttribute("role", "img");
    kept[key] = { root: element("div", { className: "card" }, element("h2", {}, title), canvas, box), canvas, box };
  }
  return kept[key];
}
let drawings = [];
function cards() {
  const list = [];
  results.forEach((r, i) => {
    list.push(certificate(state, r, (results.length > 1 ? (i ? "Second: " : "First: ") : "Certificate: ") + title(r.query)));
  });
  drawings = [];
  const first = results[0], lossyOne = () => results.find(r => r.boundary && !r.answer.Separated && (r.proba || r.answer.Labels.length === 2)), lossy = lossyOne();
  if (lossy) {
    const l = card("loss", "Loss by margin, each point a mark");
    l.canvas.setAttribute("aria-label", `The ${lossOf(lossy.method)} loss as a function of the margin, with all points on it.`);
    l.box.replaceChildren(state.chosen >= 0 ? rows(chosen(state, lossy)) : element("p", {}, "Press on a point to choose it."));
    drawings.push(() => { const r = lossyOne(); if (r) loss(l.canvas, state, r); });
    list.push(l.root);
  }
  const kkt = results.findIndex(conditioned);
  if (kkt >= 0) {
    const k = card("conditions", "The conditions, point by point (KKT)");
    k.canvas.setAttribute("aria-label", "All points at their margin, to the right, and multiplier α, upwards, on the line that the conditions allow.");
    k.box.replaceChildren(element("p", {}, "Margin to the right, α upwards: every point has to be on the line."), rows(missed(state, results[kkt])));
    drawings.push(() => { if (results[kkt] && conditioned(results[kkt])) conditions(k.canvas, state, results[kkt]); });
    list.push(k.root);
  }
  const projected = results.findIndex(r => r.answer.Directions && r.answer.Directions[0].length === 2);
  if (projected >= 0) {
    const p = card("projections", "Along the first discriminant direction");
    p.canvas.setAttribute("aria-label", "Histograms of the classes along the first discriminant direction.");
    drawings.push(() => { if (results[projected]?.answer.Directions) projections(p.canvas, state, results[projected]); });
    list.push(p.root);
  }
  if (first && state.show.walk && objective(first)) {
    const w = card("walk", "The objective over both coefficients", "square");
    w.canvas.setAttribute("aria-label", "Contours of the objective, the solution and the steps of the solver.");
    w.box.replaceChildren(...steps(first));
    drawings.push(() => { if (results[0] && objective(results[0])) contours(w.canvas, state, results[0], step); });
    list.push(w.root);
  }
  const focus = document.activeElement && document.activeElement.id;
  $("panels").replaceChildren(...list);
  if (focus && $(focus) && document.activeElement !== $(focus)) $(focus).focus();
  drawings.forEach(d => d());
}

// steps are the controls of the walk.
function steps({ answer }) {
  const walk = answer.Walk;
  if (!walk || walk.length < 2) return [element("p", {}, "Contours at the intercept of the solution (+).")];
  const last = walk.length - 1, at = Math.min(step ?? last, last);
  const go = v => { step = clamp(v, 0, last); frame(); };
  const input = element("input", { type: "range", id: "step", min: 0, max: last, step: 1, oninput: () => go(+input.value) });
  input.value = at;
  return [element("label", {}, `Step ${at} of ${last}`, input),
    element("button", { type: "button", id: "forward", onclick: () => go(at + 1) }, "Step"), " ",
    element("button", { type: "button", id: "run", onclick: () => { clearInterval(running); step = 0; running = setInterval(() => { go(step + 1); if (step >= last) clearInterval(running); }, Math.max(30, 3000 / walk.length)); } }, "Run")];
}

// speak says for a screen reader where the chosen point is and how the fit ended.
function speak() {
  const i = state.chosen, r = results[0];
  const point = i >= 0 && i < state.y.length ? `Point ${i + 1} of ${state.y.length}, class ${LETTERS[state.y[i]]}, at ${number(state.xy[2 * i])}, ${number(state.xy[2 * i + 1])}. ` : `${state.y.length} points. `;
  $("said").textContent = point + (r ? proven(r).map(p => p[1]).join(" ") : "");
}

// changed is called after each change of the settings.
function changed() {
  step = null;
  layout();
  $("command").textContent = command(state.first);
  ask();
}

// touched is called after each change of the points; i is the one that moves, and moves again as a rule.
function touched(i = -1) {
  if (i < 0 || state.loose !== i) settle(i);
  edited = true; moved = performance.now();
  ask();
  frame();
}
function settle(loose) { state.loose = loose; state.version = ++versions; }

function mouse(picture, canvas) {
  let held = -1, down = false, last = 0;
  const place = e => {
    const box = canvas.getBoundingClientRect(), v = state.view;
    return [v.x + (e.clientX - box.left) / box.width * v.width, v.y + (box.bottom - e.clientY) / box.height * v.height];
  };
  const near = ([x, y], reach) => {
    let best = -1, d = (reach * state.view.width / canvas.clientWidth) ** 2;
    for (let i = 0; i < state.y.length; i++) {
      const q = (state.xy[2 * i] - x) ** 2 + (state.xy[2 * i + 1] - y) ** 2;
      if (q < d) { d = q; best = i; }
    }
    return best;
  };
  const act = (e, first) => {
    const p = place(e);
    if (state.tool === "erase") { const i = near(p, 12); if (i >= 0) erase(i); return; }
    if (state.tool === "paint") {
      if (first || e.timeStamp - last > 40) { last = e.timeStamp; const r = first ? 0 : 0.03 * state.view.width; add(p[0] + r * (Math.random() - 0.5), p[1] + r * (Math.random() - 0.5)); }
      return;
    }
    if (first) { held = near(p, e.pointerType === "touch" ? 22 : 11); if (held < 0) { add(...p); held = state.y.length - 1; } state.chosen = held; frame(); return; }
    if (held >= 0) move(held, ...p);
  };
  picture.addEventListener("pointerdown", e => { if (e.button || !state.y) return; down = true; picture.setPointerCapture(e.pointerId); picture.focus({ preventScroll: true }); act(e, true); });
  picture.addEventListener("pointermove", e => { if (down) act(e, false); });
  for (const end of ["pointerup", "pointercancel"]) picture.addEventListener(end, () => { down = false; held = -1; });
}

function add(x, y, label = state.label) {
  if (state.y.length >= 2000) { $("said").textContent = "2000 points are the most."; return; }
  state.xy.push(round(x), round(y)); state.y.push(label);
  touched();
}
function move(i, x, y) { state.xy[2 * i] = round(x); state.xy[2 * i + 1] = round(y); touched(i); }
function erase(i) {
  if (state.y.length <= 2) return;
  state.xy.splice(2 * i, 2); state.y.splice(i, 1);
  if (state.chosen >= i) state.chosen--;
  touched();
}

function keyboard(e) {
  const n = state.y ? state.y.length : 0, i = state.chosen, far = state.view.width * (e.shiftKey ? 0.05 : 0.005);
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[e.key];
  if (e.ctrlKey || e.metaKey || e.altKey || !n) return;
  if (e.key === "n" || e.key === "p") { state.chosen = ((i < 0 && e.key === "p" ? 0 : i) + (e.key === "n" ? 1 : n - 1)) % n; frame(); speak(); }
  else if (e.key === "a") { add(...(i < 0 ? [state.view.x + state.view.width / 2, state.view.y + state.view.height / 2] : [state.xy[2 * i] + 4 * far, state.xy[2 * i + 1]])); state.chosen = state.y.length - 1; }
  else if (way && i >= 0) move(i, state.xy[2 * i] + way[0] * far, state.xy[2 * i + 1] + way[1] * far);
  else if (e.key === "Delete" && i >= 0) erase(i);
  else if (e.key >= "1" && e.key <= "6" && i >= 0) { state.y[i] = +e.key - 1; touched(); }
  else return;
  e.preventDefault();
}

// wire connects the controls that are always there.
function wire() {
  const again = () => { state.xy = null; ask(); };
  $("preset").onchange = () => { state.preset = $("preset").value; if (state.preset !== "none") again(); };
  $("count").onchange = () => { state.count = clamp(Math.round(+$("count").value) || 120, 2, 2000); again(); };
  $("seed").onchange = () => { state.seed = clamp(Math.round(+$("seed").value) || 1, 1, 999999); again(); };
  $("fresh").onclick = () => { state.seed = state.seed % 999999 + 1; $("seed").value = state.seed; again(); };
  $("link").onclick = () => { history.replaceState(null, "", address(state, edited)); navigator.clipboard?.writeText(location.href).catch(() => {}); $("said").textContent = "The address of this page now holds the picture; it was copied where the browser allows that."; };
  $("export").onclick = () => {
    const a = element("a", { href: URL.createObjectURL(new Blob([csv(state, state.first.Degree || 1)], { type: "text/csv" })), download: "points.csv" });
    a.click();
    URL.revokeObjectURL(a.href);
  };
  $("take").onclick = () => {
    const { error, said, ...read } = parseCSV($("pasted").value);
    $("taken").textContent = error || said;
    if (error) return;
    Object.assign(state, read, { preset: "none", chosen: -1 });
    edited = true;
    settle(-1);
    setForm(state, { changed });
    look();
    ask();
  };
  $("command").textContent = command(state.first);
  night.addEventListener("change", () => ask());
  addEventListener("resize", () => { frame(); ask(); });
  addEventListener("hashchange", () => { state = Object.assign(restore(location.hash), { chosen: -1 }); settle(-1); edited = state.xy !== null; if (edited) look(); setForm(state, { changed }); changed(); });
}

if (edited) look();
start();
