// Cards under the picture: the certificate, the chosen point, its loss, projections, contours.

const number = v => v == null || Number.isNaN(v) ? "—" : v === 0 ? "0" : Math.abs(v) >= 1e5 || Math.abs(v) < 1e-3 ? Math.abs(v) === Infinity ? "∞" : v.toExponential(2).replace("e-", "e−").replace("-", "−") : String(+v.toPrecision(4)).replace("-", "−");
const percent = v => (100 * v).toFixed(1) + " %";

function element(tag, properties, ...children) {
  const e = Object.assign(document.createElement(tag), properties);
  e.append(...children);
  return e;
}

function rows(list) {
  return element("table", {}, ...list.map(([name, value]) => element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value))));
}

// proven says in words what the certificate says.
function proven(result) {
  const { answer, method } = result, r = answer.Report, c = r && r.certificate;
  if (answer.Separated) return [["good", "There is no best fit, and this is the proof: a line separates the classes, so the likelihood rises for ever along it."]];
  if (method === "hardmargin" && answer.Error && answer.Weights) return [["bad", "No line separates these classes."], ["good", "The proof: a mixture of points of one class is at the same place as a mixture of points of the other (the circle)."]];
  if (!c || !r.status || r.status === "none") return [["bad", answer.Error || "no fit"]];
  const value = number(c.value), tol = number(c.tol);
  if (c.kind === "gap") return [[c.value <= c.tol ? "good" : "bad", `${c.value <= c.tol ? "Proven" : "Not yet proven"}: the objective is at most ${value} of itself above its minimum (asked: ${tol}).`]];
  if (c.kind === "misclassified") {
    const out = [[c.value === 0 ? "good" : "bad", c.value === 0 ? "Proven: every point is on its side of the line." : `${percent(c.value)} of the points are on the wrong side of the last line.`]];
    if (answer.Weights) out.push(["good", "Proven: no line can do it. A mixture of points of one class is at the same place as a mixture of the other (the circle)."]);
    return out;
  }
  if (method === "bayes") return [["good", "No rule has a lower error on this population."]];
  if (c.kind === "residual") return [[c.value <= c.tol ? "good" : "bad", `The equations that define the fit hold to ${value} (asked: ${tol}).`]];
  return [[c.value <= c.tol ? "good" : "bad", `Certificate (${c.kind}): ${value} (asked: ${tol}).`]];
}

function certificate(state, result, title) {
  const { answer, table, method } = result, r = answer.Report || {};
  const card = element("div", { className: "card certificate" }, element("h2", {}, title));
  for (const [kind, text] of proven(result)) card.append(element("p", { className: kind }, text));
  if (answer.Holds) card.append(element("p", {}, "The evidence was multiplied out in integers: it holds exactly."));
  else if (result.final && (answer.Separated || answer.Weights)) card.append(element("p", { className: "bad" }, "The evidence was multiplied out in integers, and it does not hold."));
  const list = [];
  if (r.status && r.status !== "none" && method !== "bayes") list.push(["status", r.status.replaceAll("_", " ")], ["objective", number(r.objective)], ["iterations", String(r.iterations)]);
  for (const [name, v] of Object.entries(answer.Figures || {})) list.push([name, number(v)]);
  if (conditioned(result)) list.push(["half-width 1/‖β‖", number(1 / Math.hypot(...answer.Coef[0].slice(1)))]);
  let wrong = 0;
  const n = answer.Labels && r.status && r.status !== "none" ? table.length / COLUMNS : 0;
  for (let i = 0; i < n; i++) if (!(table[COLUMNS * i] > 0)) wrong++;
  if (n && !answer.Separated) list.push(["error on these points", `${percent(wrong / n)} (${wrong} of ${n})`]);
  if (n && answer.Labels.length > 2) list.push(["right, by class", answer.Labels.map(k => {
    const own = state.y.flatMap((v, i) => v === k ? [i] : []);
    return `${LETTERS[k]}: ${own.filter(i => table[COLUMNS * i] > 0).length} of ${own.length}`;
  }).join("; ")]);
  if (answer.Bayes) list.push(["error on new points", `${percent(answer.Test)} ± ${percent(answer.TestSE)}`], ["lowest possible (Bayes)", percent(answer.Bayes)]);
  if (answer.Coef && answer.Coef.length === 1) list.push(["intercept; coefficients", answer.Coef[0].map(number).join("; ")]);
  card.append(rows(list));
  if (answer.Error && r.status && r.status !== "none") card.append(element("p", {}, answer.Error));
  return card;
}

const CURVES = {
  logistic: m => Math.log1p(Math.exp(-Math.abs(m))) + Math.max(0, -m), hinge: m => Math.max(0, 1 - m),
  perceptron: m => Math.max(0, -m), squared: m => (1 - m) * (1 - m) / 2,
};
const lossOf = method => ({ svc: "hinge", hardmargin: "hinge", perceptron: "perceptron", pocket: "perceptron", leastsquares: "squared", indicator: "squared" })[method] || "logistic";

// lossAt is the loss of a point: −log p, of all classes, or the curve at its margin.
const lossAt = ({ proba, table, method }, i) => proba ? table[COLUMNS * i + 1] : CURVES[lossOf(method)](table[COLUMNS * i]);

// loss draws the loss of a margin with all points on it, the chosen one large.
function loss(canvas, state, result) {
  const { table, method } = result;
  const { c, w, h } = sharp(canvas), t = theme(), name = lossOf(method), L = CURVES[name];
  const X = m => 10 + (clamp(m, -4, 4) + 4) / 8 * (w - 20), Y = v => h - 18 - Math.min(v, 5.2) / 5.2 * (h - 28);
  c.font = "12px system-ui, sans-serif"; c.fillStyle = t.quiet; c.strokeStyle = t.quiet; c.lineWidth = 1;
  c.beginPath(); c.moveTo(10, h - 18); c.lineTo(w - 10, h - 18); c.moveTo(X(0), 4); c.lineTo(X(0), h - 18); c.stroke();
  for (const m of [-4, -2, 0, 2, 4]) c.fillText(number(m), X(m) - 5, h - 4);
  c.strokeStyle = t.ink; c.lineWidth = 2; c.beginPath();
  for (let m = -4; m <= 4; m += 0.05) if (L(m) <= 5.2) c.lineTo(X(m), Y(L(m))); // what is higher lies beyond the picture
  c.stroke();
  for (let i = 0, by = Math.ceil(state.y.length / 500); i < state.y.length; i += by) { c.fillStyle = t.colors[state.y[i]]; c.fillRect(X(table[COLUMNS * i]) - 2, Y(lossAt(result, i)) - 2, 4, 4); }
  const i = state.chosen;
  if (i >= 0 && i < state.y.length) {
    c.fillStyle = t.colors[state.y[i]]; mark(c, state.y[i] % 4, X(table[COLUMNS * i]), Y(lossAt(result, i)), 6); c.fill();
    c.strokeStyle = t.ink; c.lineWidth = 1.5; c.stroke();
  }
}

// condition says which of the conditions of Karush, Kuhn and Tucker holds of a point, and by how
// much it is missed: all that α = 0, 0 < α < C and α = C ask is of the margin.
function condition(result, i) {
  const margin = result.table[COLUMNS * i], alpha = multiplier(result, i), C = result.method === "svc" ? result.query.C : Infinity;
  const kind = alpha <= 0 ? "α = 0" : alpha >= C ? "α = C" : C < Infinity ? "0 < α < C" : "α > 0";
  return { kind, margin, missed: alpha <= 0 ? Math.max(0, 1 - margin) : alpha >= C ? Math.max(0, margin - 1) : Math.abs(margin - 1) };
}

const asks = { "α = 0": "margin ≥ 1", "α = C": "margin ≤ 1", "0 < α < C": "margin = 1", "α > 0": "margin = 1" };

const conditioned = r => r.boundary && r.answer.Labels.length === 2 && ["svc", "hardmargin"].includes(r.method);

// conditions draws all points at their margins and multipliers: at a solution they lie on a bent line.
function conditions(canvas, state, result) {
  const { c, w, h } = sharp(canvas), t = theme(), svc = result.method === "svc";
  const alpha = state.y.map((_, i) => multiplier(result, i)), top = svc ? result.query.C : alpha.reduce((a, b) => Math.max(a, b), 0) || 1;
  const X = m => 14 + (clamp(m, -2, 4) + 2) / 6 * (w - 28), Y = a => h - 22 - a / top * (h - 36);
  c.font = "12px system-ui, sans-serif"; c.fillStyle = t.quiet; c.strokeStyle = t.ink; c.lineWidth = 1.5;
  for (const m of [-2, 0, 1, 2, 4]) c.fillText(number(m), X(m) - 4, h - 6);
  c.fillText(svc ? "α = C" : "α", svc ? X(2) : X(1) + 8, Y(top) + 4);
  c.beginPath();
  if (svc) c.lineTo(X(-2), Y(top));
  c.lineTo(X(1), Y(top)); c.lineTo(X(1), Y(0)); c.lineTo(X(4), Y(0)); c.stroke();
  for (let i = 0, by = Math.ceil(state.y.length / 500); i < state.y.length; i += by) { c.fillStyle = t.colors[state.y[i]]; c.fillRect(X(result.table[COLUMNS * i]) - 2, Y(alpha[i]) - 2, 4, 4); }
  const i = state.chosen;
  if (i >= 0 && i < alpha.length) { c.beginPath(); c.arc(X(result.table[COLUMNS * i]), Y(alpha[i]), 7, 0, 7); c.stroke(); }
}

// missed are the counts of points by condition and the largest miss, for the card.
function missed(state, result) {
  const counts = result.method === "svc" ? { "α = 0": 0, "0 < α < C": 0, "α = C": 0 } : { "α = 0": 0, "α > 0": 0 };
  let worst = 0, most = 0;
  for (let i = 0; i < state.y.length; i++) {
    const { kind, missed } = condition(result, i);
    counts[kind]++;
    if (missed > most) { most = missed; worst = i; }
  }
  return [...Object.entries(counts).map(([kind, n]) => [`points with ${kind}, ${asks[kind]}`, String(n)]), ["largest miss, point " + (worst + 1), number(most)]];
}

// projections draws histograms of the classes along the first discriminant direction.
function projections(canvas, state, { answer }) {
  const { c, w, h } = sharp(canvas), t = theme(), d = answer.Directions[0];
  const place = state.y.map((_, i) => d[0] * state.xy[2 * i] + d[1] * state.xy[2 * i + 1]);
  const lo = place.reduce((a, b) => Math.min(a, b)), hi = place.reduce((a, b) => Math.max(a, b)), bins = 36;
  const counts = {};
  let top = 1;
  place.forEach((p, i) => {
    const list = counts[state.y[i]] ||= new Array(bins).fill(0), b = Math.min(bins - 1, Math.floor((p - lo) / (hi - lo || 1) * bins));
    top = Math.max(top, ++list[b]);
  });
  for (const k in counts) {
    c.strokeStyle = t.colors[k]; c.lineWidth = 2; c.beginPath();
    counts[k].forEach((v, b) => { const y = h - 6 - v / top * (h - 14); c.lineTo(b / bins * w, y); c.lineTo((b + 1) / bins * w, y); });
    c.stroke();
  }
}

// objective is the function that the method minimises, of both coefficients, the intercept being
// that of the solution; null where there is no such picture. At most 400 points stand for all.
function objective({ answer, method, query: q }) {
  const b = answer.Coef && answer.Coef[0], L = CURVES[lossOf(method)];
  if (!b || answer.Coef.length > 1 || b.length !== 3 || !["svc", "logistic", "perceptron", "pocket", "leastsquares"].includes(method)) return null;
  const svc = method === "svc", price = svc ? q.C : 1, ridge = svc ? 1 : (q.Lambda || 0) * (1 - (q.L1Ratio || 0)), lasso = svc ? 0 : (q.Lambda || 0) * (q.L1Ratio || 0);
  return ({ xy, y }, u, v) => {
    let sum = 0, n = 0;
    for (let i = 0, by = Math.ceil(y.length / 400); i < y.length; i += by, n++) sum += L((y[i] === answer.Labels[1] ? 1 : -1) * (b[0] + u * xy[2 * i] + v * xy[2 * i + 1]));
    return price * sum * y.length / n + ridge / 2 * (u * u + v * v) + lasso * (Math.abs(u) + Math.abs(v));
  };
}

// contours draws the objective, the walk, and where it stands.
function contours(canvas, state, result, step) {
  const { c, w, h } = sharp(canvas), t = theme(), { answer } = result, b = answer.Coef[0], f = objective(result), walk = answer.Walk || [];
  let reach = 0.75 * Math.max(Math.abs(b[1]), Math.abs(b[2]), 1e-9);
  for (const p of walk) reach = Math.max(reach, 1.1 * Math.abs(p[1] - b[1]), 1.1 * Math.abs(p[2] - b[2]));
  const n = 25, g = { X: b[1] - reach, Y: b[2] - reach, Step: 2 * reach / (n - 1), Cols: n, Rows: n }, values = [];
  for (let i = 0; i < n * n; i++) values.push(f(state, g.X + (i % n) * g.Step, g.Y + Math.floor(i / n) * g.Step));
  const least = Math.min(...values), most = Math.max(...values), s = scale({ x: g.X, y: g.Y, width: 2 * reach, height: 2 * reach }, w, h);
  c.lineWidth = 1; c.strokeStyle = t.quiet;
  for (let i = 1; i <= 12; i++) segments(c, s, level(g, values, least + (most - least) * (i / 13) ** 2));
  if (walk.length) {
    c.strokeStyle = t.colors[3]; c.lineWidth = 2; c.beginPath();
    walk.forEach(p => c.lineTo(s.x(p[1]), s.y(p[2])));
    c.stroke();
    const p = walk[Math.min(step ?? walk.length - 1, walk.length - 1)];
    c.fillStyle = t.colors[3]; c.beginPath(); c.arc(s.x(p[1]), s.y(p[2]), 6, 0, 7); c.fill();
  }
  c.strokeStyle = t.ink; c.lineWidth = 2; c.beginPath();
  const x = s.x(b[1]), y = s.y(b[2]);
  c.moveTo(x - 6, y); c.lineTo(x + 6, y); c.moveTo(x, y - 6); c.lineTo(x, y + 6); c.stroke();
}

// level is the contour of values on a grid, by marching squares on triangles.
function level(g, f, v) {
  const out = [];
  for (let r = 0; r + 1 < g.Rows; r++) for (let q = 0; q + 1 < g.Cols; q++) for (const half of [[[0, 0], [1, 0], [1, 1]], [[0, 0], [0, 1], [1, 1]]]) {
    const cut = [];
    for (let e = 0; e < 3; e++) {
      const [x0, y0] = half[e], [x1, y1] = half[(e + 1) % 3];
      const a = f[(r + y0) * g.Cols + q + x0] - v, b = f[(r + y1) * g.Cols + q + x1] - v;
      if ((a > 0) === (b > 0)) continue;
      const k = a / (a - b);
      cut.push(g.X + (q + x0 + k * (x1 - x0)) * g.Step, g.Y + (r + y0 + k * (y1 - y0)) * g.Step);
    }
    if (cut.length === 4) out.push(...cut);
  }
  return out;
}

// chosen says all about the chosen point that one model knows.
function chosen(state, result) {
  const i = state.chosen, { table, method } = result, margin = table[COLUMNS * i], alpha = multiplier(result, i), l = lossAt(result, i);
  const list = [["margin", number(margin)], ["loss", number(l)]];
  if (method === "svc" || method === "hardmargin") list.push(["slack ξ", number(Math.max(0, 1 - margin))], ["multiplier α", number(alpha)]);
  if (conditioned(result)) { const { kind, missed } = condition(result, i); list.push(["condition (KKT)", `${kind}, so ${asks[kind]}: missed by ${number(missed)}`]); }
  if (method === "logistic") list.push(["probability of its class", number(Math.exp(-l))]);
  return list;
}
