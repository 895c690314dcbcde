// Opens the page of the experiments in a headless Chromium, on four widths, light and dark.
//
//	node .ci/page.mjs DIR/index.html [-shots DIR] [-axe axe.min.js]
//
// Nothing is wider than the screen, every picture is there and has a name, no text of a picture
// lies over another or leaves it, nothing is asked of a network, and axe-core finds nothing.
// No word or number of a table breaks inside, and all of it stays a table for who hears it.
// On paper nothing is cut. -shots writes what there is to see.
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { attach, barriers, check, end, run, send, size } from "./browser.mjs";

const args = process.argv.slice(2), option = name => { const i = args.indexOf(name); return i < 0 ? null : args.splice(i, 2)[1]; };
const shots = option("-shots"), axe = option("-axe"), file = resolve(args[0]);

async function open() {
  await attach();
  await size(1600, 1000);
  await send("Page.navigate", { url: pathToFileURL(file).href });
  while (!await run("document.readyState === 'complete' && document.querySelectorAll('main > section').length > 0")) await new Promise(r => setTimeout(r, 50));
  const nameless = await run("[...document.querySelectorAll('svg')].filter(s => !s.querySelector('title')?.textContent).length");
  check("every picture has a name", nameless === 0, await run("document.querySelectorAll('svg').length") + " pictures");
}

// collisions are the texts of pictures that overlap or stand outside, in the browser's fonts;
// a tenth of the height of a box is air above and below the letters.
const collisions = () => run(`[...document.querySelectorAll("figure svg")].flatMap(svg => {
  const frame = svg.getBoundingClientRect(), name = svg.querySelector("title").textContent;
  const boxes = [...svg.querySelectorAll("text")].map(t => { const r = t.getBoundingClientRect(), up = t.hasAttribute("transform"), air = (up ? r.width : r.height) / 10;
    return { text: t.textContent, left: r.left + (up ? air : 0), right: r.right - (up ? air : 0), top: r.top + (up ? 0 : air), bottom: r.bottom - (up ? 0 : air) }; });
  return boxes.flatMap((a, i) => [
    ...(a.left < frame.left - 1 || a.right > frame.right + 1 || a.top < frame.top - 1 || a.bottom > frame.bottom + 1 ? [name + ": " + a.text + " leaves it"] : []),
    ...boxes.slice(0, i).filter(b => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1).map(b => name + ": " + a.text + " over " + b.text)]);
})`);

// broken are the words and numbers of tables that go over a line's end, other than after the hyphen between two letters.
const broken = () => run(`[...document.querySelectorAll("table")].flatMap(table => {
  const walk = document.createTreeWalker(table, NodeFilter.SHOW_TEXT), range = document.createRange(), found = [];
  while (walk.nextNode()) for (const token of walk.currentNode.data.matchAll(/(?:[^\\s-]|(?<!\\p{L})-|-(?!\\p{L}))+-?/gu)) {
    range.setStart(walk.currentNode, token.index);
    range.setEnd(walk.currentNode, token.index + token[0].length);
    if (new Set([...range.getClientRects()].map(r => r.top)).size > 1) found.push(table.closest("main > section").id + ": " + token[0]);
  }
  return found;
})`);

// spoken counts the parts of tables in the page, and for a screen reader.
async function spoken() {
  const { nodes } = await send("Accessibility.getFullAXTree"), roles = { table: "table", row: "tr", columnheader: "th", cell: "tbody td" };
  const counts = [];
  for (const [role, tag] of Object.entries(roles)) counts.push({ role, said: nodes.filter(n => !n.ignored && n.role?.value === role).length, there: await run(`document.querySelectorAll("${tag}").length`) });
  return counts;
}

// paper prints the page, in light colours and with nothing wider than the sheet.
async function paper() {
  await size(1600, 1000, "dark");
  await send("Emulation.setEmulatedMedia", { media: "print", features: [{ name: "prefers-color-scheme", value: "light" }] });
  await send("Emulation.setDeviceMetricsOverride", { width: 700, height: 1000, deviceScaleFactor: 1, mobile: false });
  const wide = await run("document.documentElement.scrollWidth"), nav = await run("getComputedStyle(document.querySelector('nav')).display");
  check("nothing is wider than a sheet of paper, and no list of links is on it", wide <= 700 && nav === "none", `page ${wide}, nav ${nav}`);
  await send("Emulation.setEmulatedMedia", { media: "" });
}

async function widths() {
  for (const width of [390, 600, 800, 1600]) for (const scheme of ["light", "dark"]) {
    await size(width, 900, scheme);
    const wide = await run("document.documentElement.scrollWidth"), out = await run(`[...document.querySelectorAll("figure svg")].filter(s => s.getBoundingClientRect().right > ${width} + 1).length`);
    const tables = await run("[...document.querySelectorAll('.scroll')].filter(s => s.scrollWidth > s.clientWidth + 1).map(s => s.closest('main > section').id + ' ' + s.scrollWidth)");
    check(`nothing is wider than ${width} px, ${scheme}`, wide <= width && out === 0 && tables.length === 0, `page ${wide}, ${out} pictures, tables: ${tables.join(", ") || "none"}`);
    const over = await collisions();
    check(`texts of pictures stand apart, ${width} px, ${scheme}`, over.length === 0, over.join("; ").slice(0, 2000));
    const split = await broken();
    check(`no word or number of a table breaks inside, ${width} px, ${scheme}`, split.length === 0, `${split.length} ${split.join(", ").slice(0, 300)}`);
    const counts = await spoken();
    check(`tables stay tables for a screen reader, ${width} px, ${scheme}`, counts.every(c => c.said >= c.there && c.there > 0), counts.map(c => `${c.said} of ${c.there} ${c.role}`).join(", "));
    if (axe) {
      const found = await barriers(axe);
      check(`axe-core, ${width} px, ${scheme}`, found.length === 0, found.join("; ").slice(0, 2000));
    }
    if (shots) for (const id of await run("[...document.querySelectorAll('main > section')].map(s => s.id)")) {
      const { x, y, width: w, height } = await run(`(() => { const r = document.getElementById("${id}").getBoundingClientRect(); return { x: 0, y: r.top + scrollY, width: ${width}, height: r.height }; })()`);
      const { data } = await send("Page.captureScreenshot", { format: "png", captureBeyondViewport: true, clip: { x, y, width: w, height, scale: 1 } });
      writeFileSync(join(shots, `${id}-${scheme}-${width}.png`), Buffer.from(data, "base64"));
    }
  }
}

await end(open, widths, paper);
