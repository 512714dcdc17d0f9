// What a frame of the timeline costs while someone zooms, pans and points: frames.mjs URL [STEPS]. Prints JSON, times in ms of processor time.
// A step is a key or a movement of the pointer; `first`: the main thread until the frame that shows it is drawn (script, style, layout, painting),
// `all`: of all threads of Chromium's processes; `task`: of the main thread's tasks, none of which may be longer than a frame; `answer`: the same main thread for the server's picture, which comes later (decoding, painting, drawing).
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(join(dirname(fileURLToPath(import.meta.url)), "../../viewer/package.json"));
const { chromium } = require("playwright-core");
const steps = Number(process.argv[3] ?? 160);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
await page.goto(`${process.argv[2]}#/timeline`);
await page.waitForFunction(() => document.querySelector("canvas")?.dataset.drawn, null, { timeout: 120_000 });
const processes = (await (await browser.newBrowserCDPSession()).send("SystemInfo.getProcessInfo")).processInfo;
const used = (file) => { try { return Number(readFileSync(file, "utf8").split(" ")[0]) / 1e6; } catch { return 0; } };
// One renderer is kept in reserve: the page's is the one that has worked.
const ofPage = processes.filter((p) => p.type === "renderer").map((p) => p.id).sort((a, b) => used(`/proc/${b}/task/${b}/schedstat`) - used(`/proc/${a}/task/${a}/schedstat`))[0], mainThread = () => used(`/proc/${ofPage}/task/${ofPage}/schedstat`);
const everything = () => processes.reduce((sum, p) => sum + readdirSync(`/proc/${p.id}/task`).reduce((all, task) => all + used(`/proc/${p.id}/task/${task}/schedstat`), 0), 0);

/** One step, to the end of the frame after it; then until no further picture comes. */
const step = (what) => page.evaluate(async (what) => {
  const canvas = document.querySelector("canvas"), frame = () => new Promise((next) => requestAnimationFrame(next));
  if (typeof what === "string") {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: what, bubbles: true }));
  } else {
    const { left, top } = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new MouseEvent("mousemove", { clientX: left + what.x, clientY: top + what.y, bubbles: true }));
  }
  await frame();
  await frame();
  return { shapes: Number(canvas.dataset.shapes), drawn: canvas.dataset.drawn };
}, what);
const settled = () => page.evaluate(async () => {
  const canvas = document.querySelector("canvas"), wait = (ms) => new Promise((next) => setTimeout(next, ms));
  for (let before = "", same = 0; same < 3; same = before === canvas.dataset.frames ? same + 1 : 0) { before = canvas.dataset.frames; await wait(60); }
});

const idle = [];
for (let i = 0; i < 10; ++i) { const before = mainThread(); await step({ x: -10, y: -10 }); idle.push(mainThread() - before); await settled(); }
const keys = [..."wwwwdddaaaiiwwddaassddaaoosswwwwwwddaawwddaasssssssss"], costs = { key: [], pointer: [], all: [], answer: [] };
let shapes = 0, calls = 0;
for (let i = 0; i < steps; ++i) {
  const isKey = i % 2 === 0, before = mainThread(), beforeAll = everything();
  const shown = await step(isKey ? keys[(i / 2) % keys.length] : { x: 100 + ((37 * i) % 900), y: 60 + ((53 * i) % 400) });
  const after = mainThread();
  costs[isKey ? "key" : "pointer"].push(after - before);
  if (isKey) costs.all.push(everything() - beforeAll);
  shapes = Math.max(shapes, shown.shapes);
  calls += shown.drawn === "calls" ? 1 : 0;
  await settled();
  if (isKey) costs.answer.push(mainThread() - after);
}
const at = (list, part) => { const ordered = [...list].sort((a, b) => a - b); return Math.round(10 * ordered[Math.min(ordered.length - 1, Math.floor(part * ordered.length))]) / 10; };

// Again under Chromium's own trace: a frame is late if one task of the main thread takes longer than 16 ms.
await browser.startTracing(page, { categories: ["toplevel", "disabled-by-default-devtools.timeline"] });
for (const key of keys) { await step(key); await settled(); }
const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
const thread = traceEvents.find((e) => e.name === "thread_name" && e.args.name === "CrRendererMain" && e.pid === ofPage);
const tasks = traceEvents.filter((e) => e.ph === "X" && /RunTask$/.test(e.name) && e.pid === thread.pid && e.tid === thread.tid).map((e) => (e.tdur ?? e.dur) / 1000).filter((ms) => ms > 0.5);
costs.task = tasks;
console.log(JSON.stringify({ ...Object.fromEntries(Object.entries({ idle, ...costs }).map(([name, list]) => [name, { median: at(list, 0.5), p95: at(list, 0.95), most: at(list, 1) }])), shapes, steps, with_calls: calls, tasks_beyond_16_ms: tasks.filter((ms) => ms > 16).length, tasks_of_more_than_half_a_ms: tasks.length }));
await browser.close();
