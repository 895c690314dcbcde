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
    for (let k = K === 2 ? 1 : 0; k < K; k++) trace(result.boundary, g, lead(scores, K, k), 0);
    if (K === 2) {
      result.plus = trace([], g, lead(scores, K, 1), 1);
      result.minus = trace([], g, lead(scores, K, 1), -1);
    }
    result.image = shade(scores, K, a, g, plot);
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

// trace appends the segments of f = level, x and y of both ends, by marching squares: exact where f is linear.
function trace(out, g, f, level) {
  const at = new Float64Array(4), cross = new Float64Array(8);
  for (let r = 0; r + 1 < g.Rows; r++) for (let c = 0; c + 1 < g.Cols; c++) {
    const i = r * g.Cols + c;
    at[0] = f[i] - level; at[1] = f[i + 1] - level; at[2] = f[i + g.Cols + 1] - level; at[3] = f[i + g.Cols] - level;
    const up = (at[0] > 0) + (at[1] > 0) + (at[2] > 0) + (at[3] > 0);
    if (up === 0 || up === 4) continue;
    let n = 0;
    for (let e = 0; e < 4; e++) {
      const u = at[e], v = at[(e + 1) % 4];
      if ((u > 0) === (v > 0)) continue;
      const t = u / (u - v);
      cross[n++] = g.X + (c + (e === 0 ? t : e === 1 ? 1 : e === 2 ? 1 - t : 0)) * g.Step;
      cross[n++] = g.Y + (r + (e === 0 ? 0 : e === 1 ? t : e === 2 ? 1 : 1 - t)) * g.Step;
    }
    for (let k = 0; k + 3 < n; k += 4) out.push(cross[k], cross[k + 1], cross[k + 2], cross[k + 3]);
  }
  return out;
}

// shade colours the regions, scores between nodes being interpolated.
function shade(scores, K, a, g, { width, height, colors, paper, probability }) {
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
      if (probability && a.Proba && !a.Separated) {
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
