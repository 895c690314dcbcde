// A headless Chromium and one page of it, driven over its debugging pipe; no packages needed.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const scratch = mkdtempSync(join(tmpdir(), "halfspace-"));
export const trouble = [], requests = []; // errors of the page, and what it asks of a network

const browser = spawn(process.env.CHROMIUM ?? "chromium", ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions", "--disable-background-networking",
  `--user-data-dir=${scratch}`, "--remote-debugging-pipe", "about:blank"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
const pending = new Map();
let next = 1, buffer = "", session;
browser.stdio[4].setEncoding("utf8").on("data", text => {
  const messages = (buffer + text).split("\0");
  buffer = messages.pop();
  for (const m of messages.map(m => JSON.parse(m))) {
    if (m.id) { const { good, bad } = pending.get(m.id); pending.delete(m.id); m.error ? bad(new Error(m.error.message)) : good(m.result); }
    if (m.method === "Runtime.exceptionThrown") trouble.push(m.params.exceptionDetails.exception?.description ?? m.params.exceptionDetails.text);
    if (m.method === "Log.entryAdded" && m.params.entry.level === "error") trouble.push(m.params.entry.text);
    if (m.method === "Network.requestWillBeSent" && !/^(file|blob|data):/.test(m.params.request.url)) requests.push(m.params.request.url);
  }
});
export const send = (method, params = {}) => new Promise((good, bad) => {
  const id = next++;
  pending.set(id, { good, bad });
  browser.stdio[3].write(JSON.stringify({ id, method, params, ...(session && { sessionId: session }) }) + "\0");
});

// run evaluates an expression in the page.
export async function run(expression) {
  const r = await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  if (r.exceptionDetails) throw new Error(expression.slice(0, 80) + ": " + (r.exceptionDetails.exception?.description ?? r.exceptionDetails.text));
  return r.result.value;
}

// attach connects to the page, and size makes it a screen.
export async function attach() {
  const { targetInfos } = await send("Target.getTargets");
  session = (await send("Target.attachToTarget", { targetId: targetInfos.find(t => t.type === "page").targetId, flatten: true })).sessionId;
  for (const domain of ["Page", "Runtime", "Log", "Network"]) await send(domain + ".enable");
}
export async function size(width, height, scheme = "light") {
  await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
  await send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: width < 500 });
}

// barriers are what axe-core, the file, finds on the page.
export async function barriers(axe) {
  await run(readFileSync(axe, "utf8") + ";0");
  return run("axe.run({ resultTypes: ['violations'] }).then(r => r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.target.join(' ')).join(', ')))");
}

let failures = 0;
export function check(name, ok, detail = "") {
  if (!ok) failures++;
  console.log(`${ok ? "ok  " : "FAIL"} ${name}${detail === "" ? "" : ": " + detail}`);
}

// end runs the steps, closes the browser and exits.
export async function end(...steps) {
  try {
    for (const step of steps) await step();
    check("no errors in the page", trouble.length === 0, trouble.join("; "));
    check("nothing is asked of a network", requests.length === 0, requests.join(" "));
  } catch (e) {
    check("the run", false, e.message + (trouble.length ? " | " + trouble.join("; ") : ""));
  } finally {
    browser.kill();
    await new Promise(r => browser.on("exit", r));
    rmSync(scratch, { recursive: true, force: true, maxRetries: 60, retryDelay: 100 }); // its other processes end a little later
  }
  process.exit(failures ? 1 : 0);
}
