// Every page and key of `mora view` in Chromium: pages_test.mjs TASK.json (viewer_test.py writes it).
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const task = JSON.parse(readFileSync(process.argv[2], "utf8"));
const require = createRequire(join(task.viewer, "package.json"));
const { chromium } = require("playwright-core");
const pages = ["overview", "findings", "explore", "timeline", "intervals", "matrix"];
const nanoseconds = (seconds) => `${Math.round(seconds * 1e9).toLocaleString("en")} ns`;

const browser = await chromium.launch({ executablePath: task.chromium, args: ["--no-sandbox", "--disable-gpu"] });
const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
let complaints = [];
page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
page.on("pageerror", (error) => complaints.push(String(error)));
page.setDefaultTimeout(20000);

const tests = [];
const test = (name, run) => tests.push([name, run]);
const url = (name) => task.sites[name].url;
const hash = () => page.evaluate(() => location.hash);
const drawn = () => page.waitForFunction(() => document.querySelector("canvas")?.dataset.drawn);
/** Questions that are not answered yet are counted, on every page of this browser. */
const countQuestions = (on) => on.addInitScript(() => {
  const ask = window.fetch;
  window.openQuestions = 0;
  window.fetch = (...words) => { ++window.openQuestions; return ask(...words).finally(() => --window.openQuestions); };
});
const counted = new WeakSet();
/** Another fragment alone loads nothing. A blank page between the two would be a new process of the browser's. */
async function load(on, address) {
  if (!counted.has(on)) await countQuestions(on);
  counted.add(on);
  const isLoaded = on.url().split("#")[0] === address.split("#")[0];
  await on.goto(address);
  if (isLoaded) await on.reload();
  await on.waitForSelector("main[data-ready]");
}
/** All is answered, and nothing changes any more for longer than the page waits before it asks for a picture. */
const quiet = (on = page) => on.evaluate(() => new Promise((done) => {
  let before = "", since = performance.now();
  const look = () => {
    const main = document.querySelector("main"), now = `${main.innerHTML.length} ${[...main.querySelectorAll("canvas")].map((c) => `${c.dataset.drawn} ${c.dataset.frames}`)}`;
    if (now !== before || window.openQuestions > 0 || /Loading/.test(main.innerText)) since = performance.now();
    before = now;
    if (performance.now() - since > 40) done();
    else requestAnimationFrame(look);
  };
  look();
}));
const open = (name, fragment = "overview") => load(page, `${url(name)}#/${fragment}`);
/** The page is not blank: it says something beside its header. */
const says = async () => (await page.innerText("main")).trim();
/** A class without a rule in the style sheet is drawn black. */
const everyFigureHasAColour = async () => assert.deepEqual(await page.$$eval("main svg rect", (list) => list.filter((r) => getComputedStyle(r).fill === "rgb(0, 0, 0)").map((r) => r.getAttribute("class"))), []);
/** What the browser said so far, or of it what is meant, is no mistake. */
const forgive = (meant) => { complaints = meant ? complaints.filter((text) => !meant.test(text)) : []; };
const changes = async (key, of = hash) => {
  const before = await of();
  await page.keyboard.press(key);
  await page.waitForFunction(([was]) => location.hash !== was, [before]).catch(() => assert.fail(`key ${key} changes nothing`));
};
/** The page of `mora report --html` at this fragment. */
const openFile = (name, fragment) => load(page, `${task.offline[name]}#/${fragment}`);

for (const site of Object.keys(task.sites)) {
  test(`${site}: no page is blank`, async () => {
    await open(site);
    for (let i = 0; i < pages.length; ++i) {
      await page.keyboard.press(String(i + 1));
      await page.waitForFunction((name) => location.hash.startsWith(`#/${name}`), pages[i]);
      await page.waitForFunction(() => !/^Loading/.test(document.querySelector("main").innerText.trim()));
      assert.ok((await says()).length > 20, `${pages[i]} says: ${await says()}`);
      await everyFigureHasAColour();
    }
    forgive(/status of 404/);
  });
}

for (const site of ["small", "large", ...["prv", "otf2", "recorded"].filter((name) => task.reports[name])]) {
  test(`${site}: numbers are those of mora report --json`, async () => {
    const report = task.reports[site];
    await open(site, "findings");
    const rows = await page.$$eval(".list .row", (list) => list.map((row) => [row.querySelector(".handle").textContent, row.querySelector(".amount").title]));
    assert.deepEqual(rows, report.findings.map((f) => [`#${f.id}`, nanoseconds(f.severity_s)]));
    const store = await page.evaluate(async () => (await fetch("dimensions")).json());
    for (const metric of report.metrics) {
      const here = store.metrics.find((m) => m.id === metric.id);
      const exact = metric.unit === "s" ? (v) => Math.round(v * 1e9) : (v) => v;
      assert.equal(here.all, exact(metric.inclusive), metric.id);
      assert.equal(here.own, exact(metric.exclusive), metric.id);
    }
    const sums = await page.evaluate(async () => {
      const d = await (await fetch("dimensions")).json(), wrong = [];
      const step = d.locations.length > 1000 ? 40 : 1, ask = async (name, m) => (await fetch(`${name}?metric=${m}`)).json();
      await Promise.all(d.metrics.map(async (metric, m) => {
        if (m % step !== 0 || metric.fold !== "sum") return;
        const [paths, locations] = await Promise.all([ask("paths", m), ask("locations", m)]);
        const sum = (list) => list.reduce((a, b) => a + b, 0), roots = d.paths.map((p, i) => (p.parent === null ? paths.all[i] : 0));
        for (const list of [paths.own, roots, locations.values, locations.ranks, locations.nodes]) if (sum(list) !== d.metrics[m].all) wrong.push(d.metrics[m].id);
      }));
      return wrong;
    });
    assert.deepEqual(sums, []);
  });
}

test("overview: the bar divides down to the causes, and to where the ranks compute; each part is what the report says", async () => {
  for (const show of [open, openFile]) {
    await show("small", "overview");
    const report = task.reports.small, parts = () => page.$$eval(".divided .legend li", (list) => list.filter((li) => li.querySelector("i")).map((li) => [li.querySelector("bdi").innerText, Number(li.querySelector(".soft").title.replaceAll(/[^\d]/g, ""))]));
    const whole = Math.round(report.metrics.find((m) => m.id === "time").inclusive * 1e9), sum = (list) => list.reduce((all, [, ns]) => all + ns, 0);
    await page.waitForSelector('.divided .legend button:has-text("outside of MPI")');
    const first = await parts();
    assert.equal(sum(first), whole);
    for (const [name, ns] of first) {
      await page.locator(`.divided .legend bdi:text-is("${name}")`).click();
      await page.waitForFunction((text) => document.querySelector(".crumbs strong").innerText.startsWith(text), name);
      const inside = await parts();
      assert.ok(inside.length > 0, name);
      assert.equal(sum(inside), ns, name);
      await page.locator('.crumbs button:has-text("all ranks’ time")').click();
      await page.waitForFunction(() => !document.querySelector(".crumbs button"));
    }
    await page.locator('.divided .legend bdi:text-is("outside of MPI")').click();
    await page.waitForSelector(".crumbs button");
    const computed = Math.round(report.metrics.find((m) => m.id === "computation").inclusive * 1e9);
    assert.equal(sum(await parts()), computed);   // the trace has nothing else outside of MPI
    assert.match((await parts())[0][0], /compute|main/);
  }
});

test("a trace alone, of Paraver or OTF2, has every page: its calls, messages and counters in the timeline", async () => {
  for (const site of ["prv", "otf2", "paje", "chrome"]) {
    await open(site, "timeline?lines=1");
    await drawn();
    await page.waitForFunction(() => /messages and transfers/.test(document.querySelector(".legend").innerText));
    if (site !== "paje") assert.ok(!/^0 /m.test((await page.innerText(".legend")).match(/.*messages and transfers/)[0]), await page.innerText(".legend"));
    await changes(".");
    await page.waitForSelector(".details table");
  }
  await open("prv", "timeline");
  await drawn();
  await page.selectOption(".bar-of-tools label:has-text('lane') select", { index: 1 });
  await page.waitForFunction(() => /full height is/.test(document.querySelector(".legend").innerText));
});

test("a trace that is still being read says how far it is, and then shows itself", async () => {
  let asked = 0;
  const answers = [{ state: "opening", done: 0, all: 0 }, { state: "opening", done: 250, all: 1000 }, { state: "preparing", done: 750, all: 1000 }];
  const says = [/The trace is being indexed …/, /The trace is being indexed: 25\.00 % of 1,000 events/, /Levels of detail are being made: 75\.00 % of 1,000 events/];
  await page.route("**/timeline/info", (route) => (answers[asked] ? route.fulfill({ json: answers[asked] }) : route.continue()));
  try {
    await open("small", "timeline");
    for (const text of says) {
      await page.waitForFunction((pattern) => new RegExp(pattern).test(document.querySelector("main").innerText) && document.querySelector("progress"), text.source);
      ++asked;
    }
    await drawn();
  } finally {
    await page.unroute("**/timeline/info");
  }
});

test("from the verdict to the guilty line in five keys", async () => {
  await open("small", "overview");
  for (const key of ["Enter", "x"]) await page.keyboard.press(key);
  await page.waitForSelector("canvas");
  await drawn();
  await changes("x");
  await page.waitForSelector(".wait-line");
  const before = await page.innerText(".details");
  await page.keyboard.press("]");
  await page.waitForFunction((was) => document.querySelector(".details").innerText !== was, before);
  assert.match(await page.innerText(".details"), /ring\.c:1[0-2]/);
});

test("what-if: run times and errors of mora predict; hidden without a machine", async () => {
  await open("phases", "overview");
  await page.keyboard.press("7");
  await page.waitForSelector("svg.what-if");
  const p = task.prediction, rows = await page.$$eval('table:has(caption:text("what if")) tbody tr', (list) => list.map((row) => [row.cells[0].innerText, row.cells[1].title, row.cells[6].innerText]));
  assert.equal(rows[0][1], nanoseconds(p.recorded.run_time));
  for (const [i, one] of p.what_if.entries()) {
    assert.deepEqual(rows[i + 1].slice(0, 2), [one.words, nanoseconds(one.run_time)]);
    assert.equal(rows[i + 1][2], `${one.error > 0 ? "+" : ""}${(100 * one.error).toFixed(1)} %`);
  }
  assert.ok(p.what_if.some((one) => one.change === "balanced" && one.low <= one.run_time && one.run_time <= one.high));
  await open("small", "overview");
  assert.equal(await page.locator('nav a:has-text("What-if")').count(), 0);
  await open("small", "whatif");
  assert.match(await says(), /mora view --on MACHINE/);
});

const kit = { test, open, openFile, load, url, page, pages, quiet, says, changes, hash, drawn, nanoseconds, everyFigureHasAColour, task, browser, forgive, axe: readFileSync(require.resolve("axe-core/axe.min.js"), "utf8") };
for (const name of ["explore", "keys", "bad_input", "files", "compare", "matrix", "offline", "look", "link", "timeline"]) (await import(`./pages/${name}_tests.mjs`)).add(kit);

test("a server that is gone is said, also in the middle of an answer", async () => {
  await open("one", "overview");
  await page.evaluate(() => { window.fetch = async () => new Response(new ReadableStream({ start: (controller) => controller.error(new TypeError("network error")) })); });
  await page.keyboard.press("5");
  await page.waitForSelector('[role="alert"]');
  assert.match(await page.innerText('[role="alert"]'), /^`mora view` does not answer any more/);
  await open("one", "explore");
  process.kill(task.sites.one.pid, "SIGKILL");
  await page.waitForFunction(() => fetch("session").then(() => false, () => true));
  await page.keyboard.press("5");
  await page.waitForSelector('[role="alert"]');
  assert.ok((await says()).includes("does not answer any more"));
  forgive();
});

let failed = 0;
for (const [name, run] of tests.filter(([title]) => new RegExp(process.env.ONLY ?? "").test(title))) {
  complaints = [];
  const begin = Date.now();
  try {
    await run();
    assert.deepEqual(complaints, [], "the browser's console");
    console.log(`ok      ${name} (${Date.now() - begin} ms)`);
  } catch (reason) {
    ++failed;
    console.log(`FAILED  ${name}: ${String(reason.stack ?? reason).slice(0, 1500)}\n  at ${await hash().catch(() => "?")}; console: ${complaints.slice(0, 3).join(" | ").slice(0, 600)}`);
  }
}
await browser.close();
process.exit(failed ? 1 : 0);
