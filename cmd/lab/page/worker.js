// The worker: the library, and pictures made of its scores. The last state wins, because the page
// sends a state only after the answer to the one before.

const go = new Go();
let ready;

onmessage = async ({ data }) => {
  if (data.library) {
    ready = WebAssembly.instantiate(data.library, go.importObject).then(({ instance }) => { go.run(instance); });
    await ready;
    postMessage({ ready: true });
    return;
  }
  await ready;
  const t0 = performance.now();
  const results = data.queries.map(q => answer(q, data));
  postMessage({ id: data.id, results, took: performance.now() - t0 }, results.flatMap(r => [r.table.buffer, ...(r.image ? [r.image.buffer] : [])]));
};

const floats = bytes => new Float64Array(bytes.buffer);

function answer(q, { points, plot }) {
  const raw = lab(JSON.stringify(q), new Uint8Array(points.buffer, points.byteOffset, points.byteLength));
  if (typeof raw === "string") return { answer: { Error: raw }, table: new Float64Array(0) };
  const a = JSON.parse(raw.answer), result = { answer: a, table: floats(raw.table) };
  const scores = floats(raw.scores), K = (a.Labels || []).length;
  if (plot && scores.length && K > 1) {
    const g = q.Grid;
    result.boundary = [];
    for (let k = K === 2 ? 1 : 0; k < K; k++) result.boundary.push(...trace(g, lead(scores, K, k), 0));
    if (K === 2) result.margins = [1, -1].flatMap(v => trace(g, lead(scores, K, 1), v));
    result.image = shade(scores, K, a, q, g, plot);
  }
  return result;
}

// lead is the score of class k less the largest of the others, at each node.
function lead(scores, K, k) {
  const out = new Float64Array(scores.length / K);
  for (let i = 0; i < out.length; i++) {
    let other = -Infinity;
    for (let l = 0; l < K; l++) if (l !== k && scores[i * K + l] > other) other = scores[i * K + l];
    out[i] = scores[i * K + k] - other;
  }
  return out;
}

// trace returns the lines f = level, each a list of x and y, by marching squares: exact where f is linear.
function trace(g, f, level) {
  const out = [], at = new Float64Array(4), ends = new Map();
  const put = (e, r, c, t) => { // where an edge of a cell is crossed, under a number of that edge
    const [dr, dc] = [[0, t], [t, 1], [1, t], [t, 0]][e];
    return { key: 2 * ((r + (e === 2)) * g.Cols + c + (e === 1)) + e % 2, x: g.X + (c + dc) * g.Step, y: g.Y + (r + dr) * g.Step };
  };
  for (let r = 0; r + 1 < g.Rows; r++) for (let c = 0; c + 1 < g.Cols; c++) {
    const i = r * g.Cols + c;
    at[0] = f[i] - level; at[1] = f[i + 1] - level; at[2] = f[i + g.Cols + 1] - level; at[3] = f[i + g.Cols] - level;
    const up = (at[0] > 0) + (at[1] > 0) + (at[2] > 0) + (at[3] > 0);
    if (up === 0 || up === 4) continue;
    const cross = [];
    for (let e = 0; e < 4; e++) {
      const u = at[e], v = at[(e + 1) % 4];
      if ((u > 0) !== (v > 0)) cross.push(put(e, r, c, e < 2 ? u / (u - v) : v / (v - u)));
    }
    for (let k = 0; k + 1 < cross.length; k += 2) join(ends, cross[k], cross[k + 1]);
  }
  for (const line of new Set(ends.values())) out.push(line.points.flatMap(p => [p.x, p.y]));
  return out.concat(ends.closed || []);
}

// join adds the segment from p to q to the lines that end at either; ends has the open lines by both ends.
function join(ends, p, q) {
  const a = ends.get(p.key), b = ends.get(q.key);
  if (a && a === b) { // it closes a ring
    ends.delete(p.key); ends.delete(q.key);
    (ends.closed ||= []).push([...a.points, a.points[0]].flatMap(v => [v.x, v.y]));
    return;
  }
  const toEnd = (line, v) => { if (line.points[line.points.length - 1].key !== v.key) line.points.reverse(); ends.delete(v.key); return line.points; };
  const points = [...(a ? toEnd(a, p) : [p]), ...(b ? toEnd(b, q).reverse() : [q])], line = { points };
  ends.set(points[0].key, line); ends.set(points[points.length - 1].key, line);
}

// shade colours the regions, scores between nodes being interpolated.
function shade(scores, K, a, q, g, { width, height, colors, paper, probability }) {
  const image = new Uint8ClampedArray(4 * width * height), s = new Float64Array(K);
  const sx = (g.Cols - 1) / width, sy = (g.Rows - 1) / height;
  for (let y = 0, o = 0; y < height; y++) {
    const v = (height - 1 - y + 0.5) * sy, r = Math.min(g.Rows - 2, Math.floor(v)), fy = v - r;
    for (let x = 0; x < width; x++, o += 4) {
      const u = (x + 0.5) * sx, c = Math.min(g.Cols - 2, Math.floor(u)), fx = u - c;
      const i = (r * g.Cols + c) * K, j = i + g.Cols * K;
      let best = 0;
      for (let k = 0; k < K; k++) {
        s[k] = (1 - fy) * ((1 - fx) * scores[i + k] + fx * scores[i + K + k]) + fy * ((1 - fx) * scores[j + k] + fx * scores[j + K + k]);
        if (s[k] > s[best]) best = k;
      }
      let weight = 0.2;
      if (probability && q.proba && !a.Separated) {
        let sum = 1;
        for (let k = 0; k < K; k++) if (k !== best) sum += Math.exp(s[k] - s[best]);
        weight = 0.04 + 0.36 * (1 / sum - 1 / K) / (1 - 1 / K);
      } else if (a.Separated) weight = 0.1;
      const color = colors[a.Labels[best]];
      for (let b = 0; b < 3; b++) image[o + b] = paper[b] + weight * (color[b] - paper[b]);
      image[o + 3] = 255;
    }
  }
  return image;
}
