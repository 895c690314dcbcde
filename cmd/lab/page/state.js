// The state of the page, and its form in the address: #p=two&n=120&s=1&a=svc,C:1&b=…&d=x,y,class;…

// A preset is a population, which the engine draws from, and points besides: [x, y, class]. Heaps are those of a class.
const unit = [[[1, 0], [0, 1]]], narrow = [[[0.35, 0], [0, 0.35]]];
const PRESETS = { __proto__: null,
  two: { name: "two Gaussian classes", Heaps: 1, Means: [[-1.2, -0.8], [1.2, 0.8]], Covs: unit },
  three: { name: "three Gaussian classes", Heaps: 1, Means: [[-2, -1.5], [2, -1.5], [0, 2]], Covs: unit },
  overlap: { name: "overlap", Heaps: 1, Means: [[-0.5, 0], [0.5, 0.3]], Covs: [[[1.4, 0.6], [0.6, 1]], [[1, -0.5], [-0.5, 1.2]]] },
  separable: { name: "separable", Heaps: 1, Means: [[-1.7, -1], [1.7, 1]], Covs: narrow },
  outlier: { name: "separable, with one outlier", Heaps: 1, Means: [[-1.7, -1], [1.7, 1]], Covs: narrow, besides: [[-3.4, -2.6, 1]] },
  xor: { name: "XOR", Heaps: 2, Means: [[-1.5, -1.5], [1.5, 1.5], [-1.5, 1.5], [1.5, -1.5]], Covs: narrow },
  line: { name: "three classes in a line (masking)", Heaps: 1, Means: [[-3, -3], [0, 0], [3, 3]], Covs: unit },
  exercise: { name: "the demo's exercise", Heaps: 1, Means: [[0, 0], [2, 2]], Covs: [[[1, 0.5], [0.5, 1]], [[1, -0.3], [-0.3, 1]]] },
};

// A setting of a model: its name in the query, kind and range. Sliders are of log₁₀ where log is set.
const degree = { key: "Degree", label: "Features", options: [[1, "the coordinates"], [2, "degree 2"], [3, "degree 3"]], value: 1, number: true };
const METHODS = { __proto__: null,
  leastsquares: { name: "least squares on ±1", settings: [degree] },
  indicator: { name: "regression on indicators", settings: [degree] },
  lda: { name: "linear discriminant analysis (LDA)", proba: true, settings: [degree] },
  qda: { name: "quadratic discriminant analysis (QDA)", proba: true, settings: [] },
  rda: { name: "regularised discriminant analysis (RDA)", proba: true, settings: [{ key: "Alpha", label: "α, from LDA (0) to QDA (1)", min: 0, max: 1, step: 0.01, value: 0.5 }] },
  rrlda: { name: "reduced-rank LDA", proba: true, settings: [{ key: "Rank", label: "Rank", options: [[1, "1"], [0, "all"]], value: 1, number: true }, degree] },
  logistic: { name: "logistic regression", proba: true, settings: [
    { key: "Lambda", label: "λ, weight of the penalty", log: true, zero: true, min: -4, max: 4, step: 0.1, value: 0 },
    { key: "L1Ratio", label: "share of the lasso in it", min: 0, max: 1, step: 0.05, value: 0 }, degree] },
  perceptron: { name: "perceptron", settings: [
    { key: "Order", label: "Order of updates", options: [[0, "row after row"], [1, "shuffled"], [2, "the worst row"], [3, "all wrong rows at once"]], value: 2, number: true },
    { key: "Random", label: "Start from a random plane", check: true, value: false },
    { key: "Seed", label: "Seed", min: 1, max: 50, step: 1, value: 1 },
    { key: "MaxEpochs", label: "Most epochs", log: true, min: 0, max: 3, step: 0.1, value: 100, whole: true }, degree] },
  pocket: { name: "perceptron with a pocket", settings: [
    { key: "MaxEpochs", label: "Most epochs", log: true, min: 0, max: 3, step: 0.1, value: 100, whole: true }, degree] },
  hardmargin: { name: "hard margin", settings: [degree] },
  svc: { name: "support vector classifier (SVC)", settings: [{ key: "C", label: "C, price of slack", log: true, min: -4, max: 4, step: 0.05, value: 1 }, degree] },
  bayes: { name: "Bayes rule of the population", proba: true, settings: [] },
};

const SHOWS = { shade: "shading by probability", margins: "margins and slack", support: "multipliers (rings)", walk: "the solver's walk", over: "second model on the same picture" };

const fresh = () => ({ preset: "two", count: 120, seed: 1, xy: null, y: null, first: model("svc"), second: null, tool: "move", label: 0,
  show: { shade: true, margins: true, support: true, walk: false, over: false } });

function model(method) {
  const m = { method };
  for (const s of METHODS[method].settings) m[s.key] = s.value;
  return m;
}

// query is what the engine is asked for a model: its settings are options of the method's package.
// A plane between three classes is that of each class against the rest, whose scores are continuous.
function query(m, state) {
  const { method, Degree, ...o } = m, plane = ["perceptron", "pocket"].includes(method);
  if (plane) Object.assign(o, { Pocket: method === "pocket", EveryUpdate: state.show.walk && state.y.length <= 300 });
  if (method === "perceptron" && m.Order !== 1 && !m.Random) o.Seed = 0; // an option without a use is refused
  if (method === "logistic" && !m.Lambda) o.L1Ratio = 0;
  if (method === "svc" || method === "hardmargin") o.Multi = 1;
  const kind = plane ? "Perceptron" : { svc: "SVC", hardmargin: "HardMargin", logistic: "Logistic" }[method] || "Discriminant";
  return { Method: plane ? "perceptron" : method, Degree, proba: METHODS[method].proba, [kind]: o };
}

// title names a model and what is not at its default, as C = 0.01.
function title(m) {
  const parts = METHODS[m.method].settings.filter(s => m[s.key] !== s.value || s.key === "C").map(s => {
    if (s.options) return s.label.toLowerCase() + ": " + s.options.find(([v]) => v === m[s.key])?.[1];
    return s.check ? s.label.toLowerCase() : `${s.label.split(",")[0]} = ${number(m[s.key])}`;
  });
  return [METHODS[m.method].name, ...parts].join(", ");
}

const spell = m => [m.method, ...METHODS[m.method].settings.filter(s => m[s.key] !== s.value).map(s => s.key + ":" + m[s.key])].join(",");

function unspell(text) {
  const [method, ...rest] = text.split(",");
  if (!METHODS[method]) return null;
  const m = model(method);
  for (const part of rest) {
    const [key, value] = part.split(":");
    const s = METHODS[method].settings.find(s => s.key === key);
    if (s && s.check) m[key] = value === "true";
    else if (s && (s.options ? s.options.some(([v]) => v === +value) : Number.isFinite(+value))) m[key] = s.whole || s.step === 1 ? clamp(Math.round(value), 1, 1000) : +value;
  }
  return m;
}

// address writes the state; the points only where they are not a preset's as drawn.
function address(state, edited) {
  const parts = ["p=" + state.preset, "n=" + state.count, "s=" + state.seed, "a=" + spell(state.first)];
  if (state.second) parts.push("b=" + spell(state.second));
  const on = Object.keys(SHOWS).filter(k => state.show[k]);
  parts.push("v=" + on.join(","));
  if (edited) {
    const rows = [];
    for (let i = 0; i < state.y.length; i++) rows.push(state.xy[2 * i] + "," + state.xy[2 * i + 1] + "," + state.y[i]);
    parts.push("d=" + rows.join(";"));
  }
  return "#" + parts.join("&");
}

// restore reads what address wrote; unknown parts are left at their defaults.
function restore(hash) {
  const state = fresh();
  for (const part of hash.replace(/^#/, "").split("&")) {
    const key = part.slice(0, 1), value = decoded(part.slice(2));
    if (key === "p" && (PRESETS[value] || value === "none")) state.preset = value;
    if (key === "n") state.count = clamp(Math.round(+value) || 120, 2, 2000);
    if (key === "s") state.seed = clamp(Math.round(+value) || 1, 1, 999999);
    if (key === "a") state.first = unspell(value) || state.first;
    if (key === "b") state.second = unspell(value);
    if (key === "v") for (const k in SHOWS) state.show[k] = value.split(",").includes(k);
    if (key === "d") {
      const rows = value.split(";").map(r => r.split(",").map(Number)).filter(r => r.length === 3 && r.every(Number.isFinite)).slice(0, 2000);
      state.xy = rows.flatMap(r => [r[0], r[1]]);
      state.y = rows.map(r => clamp(Math.round(r[2]), 0, 5));
    }
  }
  return state;
}

function decoded(text) { try { return decodeURIComponent(text); } catch { return ""; } }

const clamp = (v, lo, hi) => Math.min(hi, Math.max(lo, v));

// parseCSV reads two numbers and a class a line, or says which line has something else. Classes are numbered in byte order.
function parseCSV(text) {
  const xy = [], classes = [], bare = cell => cell.trim().replace(/^"(.*)"$/, "$1");
  let columns = 0;
  for (const [i, line] of text.split(/\r\n|\r|\n/).entries()) {
    if (!line.trim()) continue;
    const cells = line.split(/\t/.test(line) ? "\t" : /;/.test(line) ? ";" : ",").map(bare), off = cells.slice(0, 2).find(c => c === "" || !Number.isFinite(+c));
    if (cells.length < 3) return { error: `Line ${i + 1} has ${cells.length} of the 3 cells wanted: two numbers and a class.` };
    if (columns && cells.length !== columns) return { error: `Line ${i + 1} has ${cells.length} cells, the lines before have ${columns}.` };
    if (off === undefined && cells[cells.length - 1] === "") return { error: `Line ${i + 1} has no class.` };
    if (off === undefined) { xy.push(+cells[0], +cells[1]); classes.push(cells[cells.length - 1]); }
    else if (columns) return { error: `Line ${i + 1}: “${off}” is no number.` };
    columns = cells.length;
  }
  const names = [...new Set(classes)].sort();
  if (classes.length < 2 || classes.length > 2000) return { error: `${classes.length} points: the lab takes 2 to 2000.` };
  if (names.length < 2 || names.length > 6) return { error: `${names.length} ${names.length === 1 ? "class" : "classes"}: the lab takes 2 to 6.` };
  return { xy, y: classes.map(c => names.indexOf(c)), said: columns > 3 ? `Taken: the first two of ${columns} columns, and the last as the class.` : "" };
}

const LETTERS = "abcdef";

// csv writes the points with shortest digits, which read back exactly, and their monomials if asked.
function csv(state, degree) {
  const names = ["x1", "x2"], factor = [[-1, 0], [-1, 1]];
  for (let from = 0, d = 2; d <= degree; d++) {
    const to = factor.length;
    for (let j = 0; j < 2; j++) for (let p = from; p < to; p++) if (factor[p][1] >= j) factor.push([p, j]), names.push(names[j] + "*" + names[p]);
    from = to;
  }
  const lines = [names.join(",") + ",class"];
  state.y.forEach((k, i) => {
    const v = [];
    for (const [p, j] of factor) v.push(p < 0 ? state.xy[2 * i + j] : v[p] * state.xy[2 * i + j]);
    lines.push(v.join(",") + "," + LETTERS[k]);
  });
  return lines.join("\n") + "\n";
}

// command is the command line that fits the exported points, "" where it has no such method.
function command(m) {
  const flag = (name, v, none) => v === none ? "" : ` -${name} ${v}`;
  const options = {
    lda: "", qda: "", indicator: "", rda: flag("alpha", m.Alpha), rrlda: flag("rank", m.Rank, 0), hardmargin: " -multi ovr",
    logistic: flag("lambda", m.Lambda, 0) + flag("l1-ratio", m.L1Ratio, 0), svc: flag("C", m.C) + " -multi ovr",
    perceptron: m.Random || m.Order > 1 ? null : flag("max-epochs", m.MaxEpochs) + (m.Order === 1 ? flag("seed", m.Seed) : ""),
    pocket: flag("max-epochs", m.MaxEpochs) + " -pocket",
  }[m.method];
  return options == null ? "" : `halfspace fit -method ${m.method === "pocket" ? "perceptron" : m.method}${options} points.csv`;
}
