// Drives the lab's page in a headless Chromium over its debugging pipe; no packages needed.
//
//	node .ci/lab.mjs LAB.html HALFSPACE [-times] [-shots DIR] [-axe axe.min.js]
//
// It loads the page from disk, moves points, tries each model, and compares the page's fits
// with those of the command HALFSPACE on the exported points. -times prints frame times,
// -shots writes pictures at three widths, light and dark, -axe runs axe-core.
import { execFileSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { attach, barriers, check, end, run, scratch, send, size } from "./browser.mjs";

const args = process.argv.slice(2), option = name => { const i = args.indexOf(name); return i < 0 ? null : args.splice(i, 2)[1]; };
const times = args.includes("-times") && args.splice(args.indexOf("-times"), 1);
const shots = option("-shots"), axe = option("-axe");
const [file, halfspace] = args.map(a => resolve(a));
const sleep = ms => new Promise(r => setTimeout(r, ms));
async function until(expression, what = expression) {
  for (const end = Date.now() + 20_000; Date.now() < end; await sleep(25)) if (await run(expression)) return;
  throw new Error("waited 20 s for " + what + " at " + await run("location.hash.slice(0, 80) + ' ' + JSON.stringify({ waiting, stale, finals, n: results.length, said: $('said').textContent })"));
}
const settled = () => until("start.ready && state.xy && !waiting && !stale && results.length === models().length && finals > 0", "a final answer");

const pointer = (type, x, y, buttons = 1) => send("Input.dispatchMouseEvent", { type, x, y, button: "left", buttons, clickCount: 1 });
const key = async k => { for (const type of ["keyDown", "keyUp"]) await send("Input.dispatchKeyEvent", { type, key: k, text: k.length === 1 && type === "keyDown" ? k : undefined }); };
// show goes to a state and waits for its final answer.
async function show(hash) {
  await run(`new Promise(done => {
    const begin = () => { finals = 0; results = []; ask(); done(0); };
    if (location.hash === ${JSON.stringify("#" + hash)}) return begin();
    addEventListener("hashchange", begin, { once: true });
    location.hash = ${JSON.stringify("#" + hash)};
  })`);
  await settled();
}
const onScreen = i => run(`(() => { const b = stages[0].canvas.getBoundingClientRect(), s = scale(state.view, b.width, b.height); return [b.left + s.x(state.xy[2*${i}]), b.top + s.y(state.xy[2*${i}+1])]; })()`);

async function open() {
  await attach();
  await size(1280, 900);
  await send("Page.navigate", { url: pathToFileURL(file).href });
  await until("typeof start === 'function' && start.ready === true", "the library to start");
  await settled();
  check("the page starts", true, `${Math.round(await run("speed.start"))} ms, ${statSync(file).size} bytes`);
  check("it is at most 3 MB", statSync(file).size <= 3e6);
}

async function points() {
  await show("p=two&n=100&s=3&a=svc");
  const third = await run("String(state.xy)");
  await show("p=two&n=100&s=1&a=svc");
  await run("finals = 0; $('fresh').click(); $('fresh').click();");
  await settled();
  check("the points are those of the last seed", await run("state.seed") === 3 && await run("String(state.xy)") === third);
  await show("p=two&n=100&s=1&a=lda");
  await show("p=two&n=100&s=1&a=svc");
  check("a preset has its points", await run("state.y.length") === 100);
  check("the certificate is shown", /Proven: the objective is at most/.test(await run("document.querySelector('.certificate').textContent")));
  const box = await run("(() => { const b = stages[0].canvas.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()");
  const [x, y] = [box[0] + box[2] * 0.03, box[1] + box[3] * 0.03];
  await run("finals = 0");
  await pointer("mousePressed", x, y); await pointer("mouseReleased", x, y, 0);
  await settled();
  check("a click adds a point", await run("state.y.length") === 101);
  check("all points are painted", await painted() > 0.9, await painted());
  const before = await run("[state.xy[200], results[0].answer.Report.objective]");
  await run("finals = 0");
  await pointer("mousePressed", x, y);
  for (let i = 1; i <= 20; i++) await pointer("mouseMoved", x + 20 * i, y + 10 * i);
  await pointer("mouseReleased", x + 400, y + 200, 0);
  await settled();
  const after = await run("[state.xy[200], results[0].answer.Report.objective]");
  check("a drag moves it and fits anew", after[0] > before[0] && after[1] !== before[1], `objective ${before[1]} → ${after[1]}`);
  await run("finals = 0; stages[0].picture.focus()");
  await key("p"); await key("n"); await key("ArrowRight");
  await settled();
  check("and all are painted where they are now", await painted() > 0.9, await painted());
  check("keys choose and move a point", await run("state.xy[200]") > after[0] && /Point 101 of 101/.test(await run("$('said').textContent")));
  await run("finals = 0");
  await key("Delete");
  check("a key erases it", await run("state.y.length") === 100);
  await settled();
  await run("finals = 0; $('pasted').value = 'x,y,class\\n1.5,2,no\\n-3,4e0,yes\\n0.25,1,no\\n7,8,yes'; $('take').click()");
  await settled();
  check("pasted points are taken", JSON.stringify(await run("[state.xy, state.y]")) === "[[1.5,2,-3,4,0.25,1,7,8],[0,1,0,1]]");
  const [hash, xy] = [await run("location.hash"), await run("[...state.xy]")];
  await show("p=xor&a=lda");
  await show(hash.slice(1));
  check("the address restores the points", JSON.stringify(await run("[...state.xy]")) === JSON.stringify(xy) && await run("state.first.method") === "svc", `${hash.length} characters`);
}

// restored tries that an address brings back every setting of every model, the points and what is shown.
async function restored() {
  for (const method of await run("Object.keys(METHODS)")) {
    const wrote = await run(`(() => {
      const m = model("${method}");
      for (const s of METHODS[m.method].settings) m[s.key] = s.check ? !s.value : s.options ? s.options.find(([v]) => v !== s.value)[0] : s.whole || s.step === 1 ? 7 : s.log ? 3.16 : (s.max + s.value) / 2;
      Object.assign(state, { preset: "none", seed: 7, count: 33, first: m, second: m, xy: [0.1, 2, -3, 4.25, 5, 1e-3, 1, 1], y: [0, 1, 1, 0] });
      for (const k in SHOWS) state.show[k] = !state.show[k];
      return { hash: address(state, true), state: JSON.stringify([state.preset, state.seed, state.count, state.first, state.second, state.xy, state.y, state.show]) };
    })()`);
    await show("p=xor&a=lda");
    await show(wrote.hash.slice(1));
    const read = await run("JSON.stringify([state.preset, state.seed, state.count, state.first, state.second, state.xy, state.y, state.show])");
    const shown = await run("METHODS[state.first.method].settings.every(s => { const c = $('first-' + s.key); return s.check ? c.checked === state.first[s.key] : s.options ? +c.value === state.first[s.key] : true; }) && $('first-method').value === state.first.method");
    check(`the address restores ${method}`, read === wrote.state && shown, read === wrote.state ? "" : read + " for " + wrote.state);
  }
  for (const hash of ["a=cart,x:1&p=moon&n=-5&s=none&v=", "d=1,2,0;3,4;x,y,1;5,6,1", "d=", "p=%E0%A4%A", "a=svc,C:0", "a=svc,C:1e300", "d=1e300,1e300,0;-1e300,1e300,1", "d=1,1,0;1,1,1", "d=1,1,3", "a=logistic,L1Ratio:0.5", "p=constructor&a=constructor&b=toString", "a=svc,Degree:2.5", "a=perceptron,Order:1,Seed:-1.5,MaxEpochs:2.5"]) {
    await show(hash);
    check(`the address #${hash} leaves a page that says what it has`, await run("!/json/.test($('said').textContent) && $('said').textContent.length > 10 && document.querySelector('.certificate') !== null"), await run("$('said').textContent"));
  }
}

// pasted tries tables that are not points: each is refused with its line, and changes nothing.
async function pasted() {
  await show("p=two&n=50");
  for (const [text, says] of [["", "0 points"], ["x,y,class", "0 points"], ["1,2,a", "1 points"], ["1,2\n3,4", "Line 1 has 2"], ["x,y,c\n1,2,a\n\n3,no,b", "Line 4: “no”"], ["1,2,a\n3,4", "Line 2 has 2"], ["1,2,a\n3,4,b,5", "Line 2 has 4"],
    ["1,2,a\n3,4,a", "1 class"], ["1,2,a\n3,,b", "Line 2: “”"], ["1,2,a\n3,4,", "Line 2 has no class"], ["1,2,a\n3,1e999,b", "1e999"], ["1,2,a\n3,NaN,b", "NaN"], ["1,5;2,5;a\n1,5;2,5;b", "Line 2: “1,5”"],
    [[..."abcdefg"].map(k => "1,2," + k).join("\n"), "7 classes"], [Array.from({ length: 2001 }, (_, i) => `${i},1,${i % 2}`).join("\n"), "2001 points"]]) {
    await run(`$('pasted').value = ${JSON.stringify(text)}; $('take').click()`);
    const said = await run("$('taken').textContent");
    check(`pasting ${JSON.stringify(text.slice(0, 30))} is refused`, said.includes(says) && await run("state.y.length") === 50, said);
  }
  const table = 'a\tb\tc\tclass\r\n1\t2\t0\t"x"\r\n2\t5\t0\t"y"\r\n';
  await run(`finals = 0; $('pasted').value = ${JSON.stringify(table)}; $('take').click()`);
  await settled();
  check("tabs, quotes and a fourth column are taken, and said", JSON.stringify(await run("[state.xy, state.y]")) === "[[1,2,2,5],[0,1]]" && /4 columns/.test(await run("$('taken').textContent")));
}

// visited does what someone does who sees the page for the first time.
async function visited() {
  const follow = async text => { await run(`finals = 0; results = []; [...document.querySelectorAll("nav a")].find(a => a.textContent.includes("${text}")).click()`); await sleep(100); await settled(); };
  await follow("masking");
  const right = await run("[...document.querySelectorAll('.certificate')].map(c => +/b: (\\d+) of 100/.exec(c.textContent)[1])");
  check("masking is shown: regression finds few of class b, LDA most", right[0] < 50 && right[1] > 90, right.join(" and "));
  await follow("what C does");
  const [small, large] = await run("stages.map(s => s.text.textContent)");
  check("captions say which C", small.endsWith("C = 0.01") && large.endsWith("C = 100"), `${small} | ${large}`);
  await show("p=overlap&a=svc");
  const wide = await run("1 / Math.hypot(...results[0].answer.Coef[0].slice(1))");
  await run("finals = 0; $('first-C').focus()");
  for (let i = 0; i < 10; i++) await key("ArrowLeft");
  await settled();
  const wider = await run("1 / Math.hypot(...results[0].answer.Coef[0].slice(1))");
  check("a smaller C by keys widens the margin", wider > wide, `${wide} → ${wider} at C = ${await run("state.first.C")}`);
  check("every point is on the line of its conditions", await run("state.y.every((_, i) => condition(results[0], i).missed < 1e-9) && kept.conditions.root.isConnected"));
}

// painted is the share of the points that have the colour of their class in the middle of the first picture's mark.
const painted = () => run(`(() => {
  const { canvas } = stages[0], c = canvas.getContext("2d"), s = scale(state.view, canvas.width, canvas.height), t = theme().colors.map(rgb);
  paint(canvas, state, results[0], null, null);
  const same = state.y.filter((k, i) => { const p = c.getImageData(s.x(state.xy[2 * i]), s.y(state.xy[2 * i + 1]), 1, 1).data; return t[k].every((v, b) => Math.abs(v - p[b]) < 40); });
  return same.length / state.y.length;
})()`);

// models tries each model, and compares it with the command's on the exported points.
async function models() {
  for (const [method, hash] of [["leastsquares", "p=two&a=leastsquares"], ["indicator", "p=line&a=indicator"], ["lda", "p=three&a=lda"], ["qda", "p=exercise&a=qda"],
    ["rda", "p=exercise&a=rda,Alpha:0.3"], ["rrlda", "p=three&a=rrlda"], ["logistic", "p=overlap&a=logistic"], ["ridge", "p=two&a=logistic,Lambda:2"], ["lasso", "p=overlap&a=logistic,Lambda:3,L1Ratio:1"],
    ["multinomial", "p=three&a=logistic,Lambda:0.5"], ["perceptron", "p=separable&a=perceptron,Order:0"], ["pocket", "p=overlap&a=pocket"], ["hardmargin", "p=separable&a=hardmargin"],
    ["svc", "p=overlap&a=svc,C:0.1"], ["cubic svc", "p=xor&a=svc,C:1,Degree:3"], ["bayes", "p=exercise&a=bayes"]]) {
    await show(hash + "&n=150&s=3");
    const { answer, line, text, degree } = await run("({ answer: results[0].answer, line: command(state.first), text: csv(state, state.first.Degree || 1), degree: state.first.Degree || 1 })");
    if (!line) { check(method, !answer.Error, answer.Report.status); continue; }
    const path = join(scratch, "points.csv");
    writeFileSync(path, text);
    const theirs = JSON.parse(execFileSync(halfspace, [...line.split(" ").slice(1, -1), "-json", path], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
    let distance = Math.abs(theirs.objective - answer.Report.objective) / Math.max(1e-300, Math.abs(theirs.objective));
    if (!(theirs.objective || answer.Report.objective)) distance = 0;
    const ours = answer.Coef?.flat() ?? [], coef = theirs.coef?.flatMap((row, k) => [theirs.intercept[k], ...row]) ?? [];
    const size = Math.max(...coef.map(Math.abs));
    ours.forEach((v, i) => { distance = Math.max(distance, Math.abs(v - coef[i]) / size); });
    check(method, ours.length === coef.length && distance <= 1e-12 && theirs.certificate.value <= 1, `${line}: ${distance.toExponential(1)} from the command's, ${ours.length} of ${coef.length} coefficients, certificate ${theirs.certificate.value} ${answer.Error ?? ""}`);
  }
  await show("p=separable&a=perceptron,Order:1,Random:true,Seed:7");
  check("a perceptron starts anywhere", await run("!results[0].answer.Error && results[0].answer.Walk.length > 1"));
  await show("p=separable&a=logistic");
  check("separated classes have their direction", await run("results[0].answer.Separated && results[0].answer.Holds && results[0].boundary.length > 0"));
  await show("p=overlap&a=hardmargin");
  check("an impossible margin has its combinations", await run("results[0].answer.Weights.length === state.y.length && results[0].answer.Holds"));
  await show("p=line&a=indicator&b=lda&v=shade");
  check("two models stand side by side", await run("stages.length === 2 && results.length === 2 && results.every(r => r.boundary.length > 0)"));
  await show("p=line&a=indicator&b=lda&v=over");
  check("or on one picture", await run("stages.length === 1 && results.length === 2"));
  await show("p=two&a=svc&v=walk");
  check("a soft margin's walk ends at its coefficients", await run("(() => { const { Walk, Coef } = results[0].answer, end = Walk[Walk.length - 1]; return Math.hypot(end[1] - Coef[0][1], end[2] - Coef[0][2]) < 1e-6 && kept.walk.root.isConnected; })()"));
  await show("p=two&n=60&a=perceptron,MaxEpochs:5&v=walk");
  check("a perceptron is shown at every update", await run("results[0].answer.Walk.length > results[0].answer.Figures.updates"), await run("results[0].answer.Figures.updates + ' updates'"));
  await show("p=two&a=logistic,Lambda:1&v=walk");
  check("a walk is drawn on contours", await run("results[0].answer.Walk.length > 2 && objective(results[0]) && kept.walk.root.isConnected"));
}

// dragging measures each model while a point moves for two seconds.
async function dragging() {
  console.log(`start-up ${Math.round(await run("speed.start"))} ms, ${statSync(file).size} bytes, load ${loadavg()[0].toFixed(1)} before\n`);
  console.log("| model | points | frame: median | 95 % | fit and picture: median | 95 % | frames a second | processor, a frame |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
  await send("Performance.enable", { timeDomain: "threadTicks" });
  const processor = async () => Object.fromEntries((await send("Performance.getMetrics")).metrics.map(m => [m.name, 1000 * m.value]));
  for (const n of [500, 2000]) for (const a of ["leastsquares", "indicator", "lda", "qda", "rda", "rrlda", "logistic", "logistic,Lambda:1", "logistic,Lambda:3,L1Ratio:1", "perceptron", "pocket", "svc", "svc,Degree:3", "bayes", "hardmargin"]) {
    await show(`p=${a === "hardmargin" ? "separable" : "two"}&n=${n}&a=${a}`);
    const c0 = await processor();
    const t = await run(`new Promise(done => {
      Object.assign(speed, { fit: [], trip: [], frame: [] });
      const t0 = performance.now(), gaps = [], x = state.xy[0], y = state.xy[1]; let last = t0;
      const tick = t => { gaps.push(t - last); last = t; if (t - t0 > 2000) return done({ gaps: gaps.slice(2), ...speed }); move(0, x + 0.3 * Math.sin(t / 200), y + 0.3 * Math.cos(t / 200)); requestAnimationFrame(tick); };
      requestAnimationFrame(tick); })`);
    const c1 = await processor(), each = (c1.TaskDuration - c0.TaskDuration) / t.frame.length;
    const q = (v, p) => v.sort((a, b) => a - b)[Math.floor(p * (v.length - 1))].toFixed(1);
    console.log(`| ${a} | ${n} | ${q(t.gaps, 0.5)} ms | ${q(t.gaps, 0.95)} ms | ${q(t.fit, 0.5)} ms | ${q(t.fit, 0.95)} ms | ${(t.gaps.length / t.gaps.reduce((a, b) => a + b, 0) * 1000).toFixed(0)} | ${each.toFixed(1)} ms |`);
  }
  console.log(`\nload ${loadavg()[0].toFixed(1)} after`);
}

async function pictures() {
  for (const [name, hash] of [["svc", "p=overlap&n=120&a=svc,C:1"], ["masking", "p=line&n=300&a=indicator&b=lda"], ["separated", "p=separable&a=logistic&v=walk"], ["impossible", "p=overlap&n=30&a=hardmargin"], ["walk", "p=two&a=logistic,Lambda:1&v=shade,walk"]])
    for (const scheme of ["light", "dark"]) for (const [width, height] of [[390, 844], [800, 1100], [1600, 1000]]) {
      await size(width, height, scheme);
      await show(hash);
      await sleep(400);
      const { data } = await send("Page.captureScreenshot", { format: "png", captureBeyondViewport: width === 390 });
      writeFileSync(join(shots, `${name}-${scheme}-${width}.png`), Buffer.from(data, "base64"));
      if (await run("document.documentElement.scrollWidth > innerWidth")) check(`${name} at ${width}`, false, "it scrolls sideways");
    }
}

async function accessible() {
  for (const hash of ["p=two&a=svc", "p=overlap&n=30&a=hardmargin", "p=line&a=indicator&b=lda&v=shade,walk", "p=two&a=perceptron&v=walk"]) for (const scheme of ["light", "dark"]) {
    await size(1280, 900, scheme);
    await show(hash);
    const found = await barriers(axe);
    check(`axe-core, ${scheme}, ${hash}`, found.length === 0, found.join("; "));
  }
}

await end(open, points, models, restored, pasted, visited, ...(times ? [dragging] : []), ...(axe ? [accessible] : []), ...(shots ? [pictures] : []));
