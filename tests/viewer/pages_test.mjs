// Every page and key of `mora view` in Chromium: pages_test.mjs TASK.json (viewer_test.py writes it).
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
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
const changes = async (key, of = hash) => {
  const before = await of();
  await page.keyboard.press(key);
  await page.waitForFunction(([was]) => location.hash !== was, [before]).catch(() => assert.fail(`key ${key} changes nothing`));
};

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
    complaints = complaints.filter((text) => !/status of 404/.test(text) || site === "none");
  });
}

for (const site of ["small", "large"]) {
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

test("explore: a closed node is inclusive, an open one exclusive; modes; the URL holds it", async () => {
  await open("small", "explore?metric=mpi");
  const row = page.locator('[aria-label="metrics"] [aria-selected="true"]'), store = await page.evaluate(async () => (await fetch("dimensions")).json());
  const mpi = store.metrics.find((m) => m.id === "mpi"), ns = (v) => `${v.toLocaleString("en")} ns`;
  assert.equal(await row.locator(".number").getAttribute("title"), ns(mpi.all));
  await row.focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => location.hash.includes("own=1"));
  assert.equal(await row.locator(".number").getAttribute("title"), ns(mpi.own));
  for (const mode of ["root", "selection", "peer"]) {
    await changes("v");
    assert.ok((await hash()).includes(`mode=${mode}`));
    assert.ok((await row.locator(".number").textContent()).includes("%"));
  }
  await changes("v");
  await row.focus();
  await changes("ArrowLeft");
  await changes("x");
  assert.match(await hash(), /path=\d+/);
  const kept = await hash();
  await page.reload();
  await page.waitForSelector('[aria-label="call paths"] [aria-selected="true"]');
  assert.equal(await hash(), kept);
  await page.locator('[aria-label="system"] [role="treeitem"]').first().focus();
  for (const key of ["End", "Home", "ArrowDown", "Enter", "PageDown"]) await page.keyboard.press(key);
  assert.equal(await page.locator('[aria-label="system"] [aria-selected="true"]').count(), 1);
  await changes("Backspace");
});

test("keys: the sheet names every handler, and none of them fails", async () => {
  for (const name of pages) {
    await open("small", name);
    if (name === "timeline") await drawn();
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    const keys = await page.$$eval("dialog .keys section:not(:last-child) kbd", (list) => list.map((k) => k.textContent));
    assert.ok(keys.length >= 12, `${name}: ${keys}`);
    assert.ok(await page.$eval("dialog[open]", (box) => box.scrollHeight <= box.clientHeight + 1), `${name}: the sheet is cut`);
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog[open]", { state: "detached" });
    const spelled = { "←": "ArrowLeft", "→": "ArrowRight", "↑": "ArrowUp", "↓": "ArrowDown", Esc: "Escape", "Ctrl+P": "Control+p", "Ctrl+Shift+P": "Control+Shift+P" };
    for (const key of keys) {
      if (/^[1-8]$/.test(key)) continue;
      for (const one of key.includes(" ") ? key.split(" ") : [spelled[key] ?? key]) await page.keyboard.press(one);
      if (await page.$("dialog[open]")) await page.keyboard.press("Escape");
      if (!(await hash()).startsWith(`#/${name}`)) { await page.evaluate((p) => { location.hash = `#/${p}`; }, name); await quiet(); }
    }
    assert.ok((await says()).length > 20);
  }
  await page.evaluate(() => localStorage.clear());   // colours that a key chose would stay for the tests that follow, of this server
});

test("timeline: zoom, pan, previous view, steps, messages, partner, worst wait, search", async () => {
  await open("small", "timeline");
  await drawn();
  await quiet();
  assert.ok(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight), "the timeline is higher than its window");
  for (const key of ["w", "d", "a", "s", "w", "0"]) await changes(key);
  await changes("w");
  const enlarged = await hash();
  await page.waitForTimeout(650);   // steps of one movement are one view
  await changes("d");
  await changes("Backspace");
  assert.equal(await hash(), enlarged);
  await changes(".");
  await page.waitForSelector(".details table");
  await changes(".");
  await changes("l");
  await page.waitForSelector("text=/messages and transfers/");
  await changes("x");
  await page.waitForSelector(".wait-line");
  assert.ok((await page.innerText(".details")).includes("for rank"));
  const before = await page.innerText(".details");
  await page.keyboard.press("]");
  await page.waitForFunction((was) => document.querySelector(".details").innerText !== was, before);
  await page.keyboard.press("0");
  await page.fill('input[type="search"]', "MPI_Barrier");
  await page.press('input[type="search"]', "Enter");
  await page.waitForFunction(() => document.querySelector(".details h2").textContent.includes("MPI_Barrier"));
  const box = await page.locator("canvas").first().boundingBox();
  await page.mouse.click(box.x + box.width * 0.6, box.y + box.height * 0.5);
  await page.mouse.move(box.x + 200, box.y + 100);
  await page.waitForSelector(".tooltip");
  const was = await hash();
  await page.mouse.wheel(0, -100);
  await page.waitForFunction((h) => location.hash !== h, was);
  await page.mouse.move(box.x + 300, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + 500, box.y + 70, { steps: 3 });
  await page.mouse.up();
});

test("timeline: every depth, from all years to one nanosecond", async () => {
  for (const range of ["from=100&until=101", "from=-99999999999999999&until=99999999999999999", "from=1000000000000&until=2000000000000", "from=9e99&until=-5", "first=9999&rows=3"]) {
    await open("small", `timeline?${range}`);
    await drawn();
    assert.ok((await says()).length > 20);
  }
});

test("timeline: 4,096 ranks, at most 10,000 shapes in a frame", async () => {
  await open("large", "timeline");
  await drawn();
  const shapes = async () => Number(await page.getAttribute("canvas", "data-shapes"));
  assert.ok((await shapes()) > 0 && (await shapes()) <= 10000, String(await shapes()));
  for (const key of ["w", "i", "i", "i", "i", "i", "i", "l"]) {
    await changes(key);
    await quiet();
    assert.ok((await shapes()) <= 10000, `${key}: ${await shapes()}`);
  }
  await page.waitForFunction(() => document.querySelector("canvas").dataset.drawn === "calls");
});

test("names that attack are text", async () => {
  for (const name of pages) {
    await open("hostile", name);
    if (name === "timeline") await drawn();
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.equal(await page.locator("main img, main script, main b > b, main i > .c").count(), 0);
    const wide = await page.evaluate(() => (document.documentElement.scrollWidth <= innerWidth + 1 ? [] : [...document.querySelectorAll("main *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).slice(0, 4).map((e) => e.outerHTML.slice(0, 90))));
    assert.deepEqual(wide, [], `${name} is wider than the window`);
  }
  await open("hostile", "explore?metric=time");
  await page.waitForSelector('[aria-label="call paths"] [role="treeitem"]');
  assert.ok((await says()).includes(task.hostile[1]));
  await page.selectOption(".topology select", "n1");   // a name of 10,000 characters
  await page.waitForFunction(() => document.querySelector(".topology canvas").getAttribute("aria-label").includes("ggg…: 2"));
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1 && window.hacked === undefined), true);
});

test("what has no findings says why: a CUBE file alone, a trace without events, one without waiting", async () => {
  for (const [site, overview, timeline] of [["lone", /is waiting[^]*A CUBE file alone has no findings/, /a CUBE file alone holds sums/], ["empty", /The trace holds no time to judge[^]*No wait state was found[^]*have no meaning/, /The trace has no events/], ["one", /no wait state was found[^]*1 process;/, null]]) {
    await open(site);
    await page.waitForSelector('h2:has-text("POP efficiency")');
    assert.match(await says(), overview);
    if (site === "empty") assert.equal(await page.locator(".pop").count(), 0);   // efficiencies of nothing
    if (!timeline) continue;
    for (const name of ["timeline", "matrix"]) {
      await open(site, name);
      await page.waitForFunction((text) => new RegExp(text).test(document.querySelector("main").innerText), timeline.source);
    }
  }
});

test("the content security policy holds, served and in a file: no script but the page's own, no other address", async () => {
  for (const show of [() => open("small"), () => openFile("small", "overview")]) {
    await show();
    const found = await page.evaluate(async () => {
      const refused = new Set(), all = new Promise((done) => addEventListener("securitypolicyviolation", (event) => { refused.add(event.effectiveDirective); if (refused.size === 3) done(); }));
      const script = document.createElement("script");
      script.textContent = "window.hacked = 1";
      document.body.append(script);
      new Image().src = "http://127.0.0.2:9/picture.png";
      fetch("http://127.0.0.2:9/").catch(() => undefined);
      await all;
      return { hacked: window.hacked ?? "no", refused: [...refused].sort() };
    });
    assert.deepEqual(found, { hacked: "no", refused: ["connect-src", "img-src", "script-src-elem"] });
  }
  complaints = [];   // the browser says each refusal
});

test("matrix: from one nanosecond to years, and what makes no sense", async () => {
  for (const range of ["from=100&until=101", "from=-99999999999999999&until=99999999999999999", "from=1000000000000&until=2000000000000", "from=9e99&until=-5", "matrix=call999999.x..size", "interval=7.7"]) {
    await open("phases", `matrix?${range}`);
    await page.waitForFunction(() => !/Loading/.test(document.querySelector("main").innerText));
    assert.ok((await says()).length > 20, range);
    complaints = complaints.filter((text) => !/status of 400/.test(text));
  }
});

test("a trace that is deleted while it is open is said, and no page is blank", async () => {
  await open("deleted", "matrix");
  await page.waitForSelector("canvas[data-drawn]");
  rmSync(task.deleted);
  for (const name of pages) {
    await open("deleted", name);
    await page.waitForFunction(() => !/^Loading/.test(document.querySelector("main").innerText.trim()));
    assert.ok((await says()).length > 20, name);
  }
  await open("deleted", "matrix?interval=0.3");   // asks for what was not read yet
  await page.waitForFunction(() => /transfers|deleted\.trace/.test(document.querySelector("main").innerText));
  complaints = complaints.filter((text) => !/status of 500/.test(text));
});

test("tables are saved as CSV, pictures as SVG", async () => {
  await open("hostile", "explore");
  const saved = async (selector) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator(selector).last().click({ force: true })]);
    return readFileSync(await download.path(), "utf8");
  };
  const table = await saved('button:has-text("CSV")');
  assert.match(table, /^call path,where,of its own,of the metric\r\n/);
  assert.ok(!/^[=+@]/m.test(table));
  await open("small", "timeline");
  await drawn();
  assert.match(await saved('.bar-of-tools button:has-text("SVG")'), /^<svg xmlns=[^]*MPI_Barrier[^]*<\/svg>\n$/);
  await page.selectOption(".bar-of-tools select", "samples");
  await page.waitForSelector('.legend li:has-text("relax: 36")');
  await page.waitForSelector('.legend li:has-text("flux: 12")');
  await open("small", "matrix");
  await page.waitForSelector("canvas");
  assert.match(await saved('.bar-of-tools button:has-text("SVG")'), /^<svg /);
});

test("every page saves its tables and pictures", async () => {
  const expected = { overview: [/part,nanoseconds/, /metric,efficiency/], findings: [/id,name,call path/], explore: [/metric,name,unit/, /call path,file,line/, /rank,value/], intervals: [/interval,where/], matrix: [/call,messages,bytes/] };
  for (const [name, heads] of Object.entries(expected)) {
    await open("small", name);
    await quiet();
    const texts = [];
    for (const button of await page.locator('main button:text-is("CSV")').all()) {
      const [download] = await Promise.all([page.waitForEvent("download"), button.evaluate((b) => b.click())]);
      texts.push(readFileSync(await download.path(), "utf8"));
    }
    for (const head of heads) assert.ok(texts.some((text) => head.test(text.split("\r\n")[0])), `${name}: ${head} in ${texts.map((t) => t.split("\r\n")[0])}`);
    if (name !== "overview") assert.ok(await page.locator('main button:text-is("SVG")').count() > 0, name);
  }
  const ranks = await (async () => { await open("small", "explore?metric=time"); await quiet(); const [download] = await Promise.all([page.waitForEvent("download"), page.locator('button[title="time by rank as CSV"]').click({ force: true })]); return readFileSync(await download.path(), "utf8"); })();
  const time = task.reports.small.metrics.find((m) => m.id === "time");
  assert.deepEqual(ranks.trim().split("\r\n").slice(1).map((line) => Number(line.split(",")[1])), time.by_rank.map((v) => Math.round(v * 1e9)));
  await open("compared", "compare");
  await page.waitForSelector("canvas");
  assert.equal(await page.locator('.sheet button:text-is("PNG")').count(), 2);
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

test("compare: words first, the figures of mora compare, both timelines with one zoom", async () => {
  await open("compared", "overview");
  await page.keyboard.press("7");
  await page.waitForFunction(() => document.querySelectorAll("canvas[data-drawn]:not([data-drawn=''])").length === 2);
  const words = await page.$$eval("ul.verdict li", (list) => list.map((e) => e.textContent));
  assert.match(words[0], /^The run time is .* in A and .* in B: .* less\.$/);
  const figures = task.comparison.intervals[0].figures.find((f) => f.kind === "characteristic" && f.key === "execution_time");
  const cells = await page.$$eval('table:has(caption:text("figures of the program")) tbody tr', (rows) => rows.map((r) => [...r.cells].map((c) => c.title || c.innerText)));
  const row = cells.find((r) => r[1] === nanoseconds(figures.values[0]) && r[2] === nanoseconds(figures.values[1]));
  assert.ok(row && row[3] === `${Math.round(figures.difference * 1e9).toLocaleString("en")} ns`, JSON.stringify(cells.slice(0, 3)));
  for (const key of ["w", "d", "a", "s", "w", "0"]) await changes(key);
  const box = await page.locator("canvas").first().boundingBox();
  await page.mouse.move(box.x + 300, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + 500, box.y + 70, { steps: 3 });
  await page.mouse.up();
  await page.waitForFunction(() => location.hash.includes("from="));
});

test("compare: every page shows either run; Explore their difference, which is that of mora cube", async () => {
  await open("compared", "explore?metric=time");
  const value = async () => page.locator('[aria-label="metrics"] [aria-selected="true"] .number').getAttribute("title");
  const ns = (text) => Number(text.replaceAll(",", "").replace(" ns", ""));
  const values = [];
  for (const key of ["", "c", "c"]) {
    if (key) await changes(key);
    await page.waitForSelector('[aria-label="metrics"] [aria-selected="true"] .number');
    await quiet();
    values.push(ns(await value()));
  }
  assert.notEqual(values[0], values[1]);
  assert.equal(values[2], values[1] - values[0]);
  assert.ok(await page.locator(".number.less").count() > 0);
  for (const name of pages) {
    await open("compared", `${name}?run=other`);
    await page.waitForFunction(() => !/^Loading/.test(document.querySelector("main").innerText.trim()));
    assert.ok((await says()).length > 20, name);
  }
});

test("compare: what changed is coloured on every page, as mora compare finds it; timelines and matrices have a difference", async () => {
  const program = task.comparison.intervals[0].figures, changes = () => page.$$eval(".change", (list) => list.map((e) => [e.textContent, e.classList.contains("more"), e.classList.contains("less")]));
  const efficiency = program.find((f) => f.kind === "pop" && f.key === "parallel_efficiency"), time = program.find((f) => f.kind === "metric" && f.key === "time");
  await open("compared", "overview");
  await page.waitForSelector("table.pop .change");
  assert.equal(await page.innerText("table.pop tr:first-child .change"), `${efficiency.difference > 0 ? "+" : ""}${(100 * efficiency.difference).toFixed(2)} points`);
  assert.ok((await changes()).some(([text, , less]) => less && text.startsWith("-")) && time.difference < 0);
  await open("compared", "findings");
  await page.waitForSelector(".list .change.less");
  await open("compared", "intervals");
  await page.waitForSelector("td .change");
  const lost = task.comparison.intervals[0].figures.find((f) => f.kind === "characteristic" && f.key === "lost_time");
  assert.ok((await page.$$eval(".change", (list) => list.map((e) => e.className))).some((name) => name.includes(lost.difference < 0 ? "less" : "more")));
  await open("compared", "timeline?from=100000&until=1500000");
  await drawn();
  for (const drawnNow of ["", "difference"]) {
    await page.keyboard.press("c");
    await page.waitForFunction((wanted) => (document.querySelector("canvas")?.dataset.drawn === "difference") === (wanted !== ""), drawnNow);
    assert.ok((await hash()).includes("from=100000"), "the zoom is that of both");
  }
  await page.waitForFunction(() => /less; times since the start/.test(document.querySelector(".legend").innerText));
  const tones = await page.evaluate(() => {
    const sheet = document.querySelector("canvas"), seen = new Set(), { data } = sheet.getContext("2d").getImageData(100, 30, sheet.width - 110, sheet.height - 40);
    for (let i = 0; i < data.length; i += 4) seen.add(data[i] > data[i + 2] + 40 ? "warm" : data[i + 2] > data[i] + 40 ? "cold" : "");
    return [...seen];
  });
  assert.ok(tones.includes("warm") || tones.includes("cold"), String(tones));
  await open("compared", "matrix?run=difference");
  await page.waitForFunction(() => document.querySelector("canvas")?.dataset.drawn === "difference");
  assert.match(await page.innerText("p.base"), /0 of 4 cells changed/);  // the two runs send the same
});

test("compare: callers and callees of a function, and the ranks, say what changed", async () => {
  await open("compared", "explore?metric=time&run=difference");
  const [functions, d] = await page.evaluate(async () => { const d = await (await fetch("difference/dimensions")).json(); return [d.paths.map((p) => p.name), d]; });
  const path = functions.findIndex((name) => name.startsWith("MPI_Recv")), metric = d.metrics.findIndex((m) => m.id === "time");
  await open("compared", `explore?metric=time&run=difference&path=${path}`);
  await page.waitForSelector(".sandwich rect");
  const trees = await page.evaluate(async ([path, metric]) => (await fetch(`difference/sandwich?path=${path}&metric=${metric}&own=0`)).json(), [d.paths[path].function, metric]);
  const middle = await page.locator(".sandwich-middle title").textContent();
  assert.ok(middle.endsWith(`B − A: ${trees.total > 0 ? "+" : ""}${trees.total.toLocaleString("en")} ns`), middle);
  assert.ok(await page.locator(`.sandwich-middle .flame-${trees.total > 0 ? "more" : "less"}`).count() === 1);
  const titles = await page.locator(".sandwich > g:not(.sandwich-middle) title").allTextContents();
  assert.ok(titles.length > 0 && titles.every((title) => title.includes("B − A: ")), String(titles));
  const ranks = await page.evaluate(async ([path, metric]) => (await (await fetch(`difference/locations?metric=${metric}&own=0&path=${path}&own_path=0`)).json()).ranks, [path, metric]);
  await everyFigureHasAColour();
  assert.deepEqual(await page.$$eval(".panel .strip rect", (list) => list.map((r) => [r.classList.contains("fill-more"), r.classList.contains("fill-less")])), ranks.map((value) => [value >= 0, value < 0]));
});

test("wide: a CUBE file of 100,000 ranks is drawn with few shapes, each of which says for how many ranks it stands", async () => {
  await open("wide", "explore?metric=time");
  await page.waitForFunction(() => /each field: largest of 12 ranks/.test(document.querySelector("main").innerText), null, { timeout: 60000 });
  assert.ok(await page.evaluate(() => document.querySelectorAll("*").length) < 10000);
  assert.match(await page.innerText("main"), /100,000 locations/);
  await page.waitForFunction(() => document.querySelector(".topology canvas")?.dataset.drawn);
  assert.ok((await page.locator(".topology canvas").boundingBox()).height < 4000);
});

test("explore: flame graph and source text", async () => {
  await open("small", "explore?metric=time");
  await page.waitForSelector("svg.flame rect");
  await page.waitForFunction(() => {   // the program has the whole width
    const picture = document.querySelector("svg.flame"), whole = picture.viewBox.baseVal.width;
    return Math.abs(Number(picture.querySelector("rect").getAttribute("width")) + 1 - whole) < 0.01 && Math.abs(picture.getBoundingClientRect().width - whole) < 2;
  });
  await page.locator("svg.flame rect").last().click();
  await page.waitForFunction(() => /path=\d+/.test(location.hash));
  await page.waitForSelector("text=/Source text/");
  await page.waitForSelector("text=/not on this machine/");
});

/** The answer behind the matrix, as a dense table. */
const matrixOf = (query, index) => page.evaluate(async ([q, i]) => {
  const t = await (await fetch(`timeline/traffic?${q}`)).json(), rows = Array.from({ length: t.ranks }, () => new Array(t.ranks).fill(0));
  for (const cell of t.cells) rows[cell[0]][cell[1]] += cell[i];
  return rows;
}, [query, index]);

test("matrix: messages are those of Python's comm_matrix, transfers those of mora report --transfers", async () => {
  for (const site of ["small", "phases"]) {
    await open(site, "matrix");
    if (task.matrices[site]) assert.deepEqual([await matrixOf("kind=messages", 3), await matrixOf("kind=messages", 2)], task.matrices[site]);
  }
  const expected = Array.from({ length: 4 }, () => new Array(4).fill(0));
  for (const t of task.transfers.transfers) {
    if (t.kind === "get") expected[t.target][t.origin] += t.bytes;
    else expected[t.origin][t.target] += t.bytes;
  }
  assert.deepEqual(await matrixOf("kind=transfers", 3), expected);
  assert.equal(expected[0][2], 64);
});

test("matrix: by call, interval, stretch, node; clustered; sums agree", async () => {
  await open("phases", "matrix");
  await page.waitForSelector("canvas[data-drawn]");
  const shown = async () => (await page.innerText("main .base")).split(" messages")[0];
  const shows = (text) => page.waitForFunction((t) => document.querySelector("main .base")?.innerText.startsWith(t), text);
  await shows("22 messages and transfers");   // 5 steps of 4 ranks, a put, a get
  for (const key of ["v", "v", "v", "k"]) await changes(key);
  await shows("20 messages and transfers, 8.6 KiB, of 22");
  await changes("k");
  await shows("2 messages and transfers, 96 B, of 22");
  await changes("0");
  await page.selectOption('label:has-text("call:") select', { label: "MPI_Send (phases.c:14)" });
  await shows("4 messages and transfers, 3.9 KiB, of 22");
  assert.match(await hash(), /matrix=call\d+/);
  await changes("0");
  await page.selectOption('label:has-text("interval:") select', "0.4");
  await shows("4 messages and transfers, 1.6 KiB, of 22");   // step 4: 4 x 400 bytes
  await page.selectOption('label:has-text("interval:") select', "0.3");
  await shows("4 messages and transfers, 3.9 KiB, of 22");
  await changes("r");
  await page.waitForFunction(() => [...document.querySelectorAll("caption")].some((c) => c.textContent === "traffic" && /node a/.test(c.parentElement.innerText)));
  await changes("0");
  await changes("o");
  await page.waitForFunction(() => document.querySelector("canvas").getAttribute("aria-label").includes("4 ranks"));
  await open("phases", "matrix?from=2000000&until=3000000");   // what the second step sends
  await shows("4 messages and transfers, 800 B, of 22");
  await page.locator('button:has-text("whole run")').click();
  await shows("22 messages and transfers");
  assert.equal(await shown(), "22");
  const answers = await page.evaluate(async () => {
    const all = [];
    for (const q of ["", "kind=messages", "interval=0.2", "by=node", "order=clustered"]) all.push(await (await fetch(`timeline/traffic?${q}`)).json());
    return all;
  });
  for (const t of answers) {   // every table says the same
    const sum = (list, i) => list.reduce((a, b) => a + b[i], 0);
    for (const [list, i] of [[t.cells, 3], [t.sizes, 2], [t.calls, 2], [t.over_time, 1]]) assert.equal(sum(list, i), t.bytes);
    for (const [list, i] of [[t.cells, 2], [t.sizes, 1], [t.calls, 1], [t.over_time, 0]]) assert.equal(sum(list, i), t.messages);
  }
});

test("explore: callers above and callees below a function; ranks in the machine", async () => {
  await open("small", "explore?metric=time");
  const d = await page.evaluate(async () => (await fetch("dimensions")).json());
  const recv = d.paths.findIndex((p) => p.name.startsWith("MPI_Recv")), main = d.paths.findIndex((p) => p.name === "main");
  await open("small", `explore?metric=time&path=${recv}`);
  await page.waitForSelector("svg.sandwich");
  const trees = await page.evaluate(async ([path, metric]) => (await fetch(`sandwich?path=${path}&metric=${metric}`)).json(), [recv, d.metrics.findIndex((m) => m.id === "time")]);
  const paths = await page.evaluate(async (metric) => (await fetch(`paths?metric=${metric}`)).json(), d.metrics.findIndex((m) => m.id === "time"));
  assert.equal(trees.total, d.paths.reduce((sum, p, i) => sum + (p.function === d.paths[recv].function ? paths.all[i] : 0), 0));
  assert.ok(trees.callers.some(([, path]) => path === main));
  assert.match(await page.getAttribute("svg.sandwich", "aria-label"), /1 callers? above|[2-9] callers above/);
  await page.locator("svg.sandwich g").first().click();   // the outermost caller
  await page.waitForFunction((was) => !location.hash.includes(`path=${was}`), recv);
  await open("large", "explore?metric=time");
  await page.waitForSelector(".topology canvas[data-drawn]");
  assert.match(await page.getAttribute(".topology canvas", "aria-label"), /on 64 nodes; largest: rank \d+/);
  await page.selectOption(".topology select", "64");
  await page.waitForFunction(() => document.querySelector(".topology canvas").getAttribute("aria-label").includes("64 in a row"));
  await page.locator(".topology canvas").click({ position: { x: 30, y: 30 } });
  await page.waitForSelector('[aria-label="system"] [aria-selected="true"]');
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

test("pictures are saved as PNG", async () => {
  await open("small", "timeline");
  await drawn();
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator('.bar-of-tools button:has-text("PNG")').click()]);
  const bytes = readFileSync(await download.path());
  assert.deepEqual([...bytes.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
  assert.ok(bytes.readUInt32BE(16) > 1000, "twice the width of the page");
});

/** The page of `mora report --html` at this fragment. */
const openFile = (name, fragment) => load(page, `${task.offline[name]}#/${fragment}`);

test("the page without a server shows the same", async () => {
  const shown = async () => {
    await quiet();
    await page.evaluate(() => document.querySelector(".source-card")?.remove());   // files of this machine are not in the page
    const titles = await page.$$eval("main [title]", (list) => list.map((e) => e.title));
    return `${await says()}\n${titles.join("\n")}`;
  };
  const fragments = ["overview", "findings", "intervals", "matrix"];
  for (const metric of ["time", "late-sender"]) for (const path of ["", "&path=3&own_path=1"]) fragments.push(`explore?metric=${metric}${path}`, `explore?metric=${metric}&own=1${path}`);
  const served = [];
  for (const fragment of fragments) {
    await open("small", fragment);
    served.push(await shown());
  }
  for (const [i, fragment] of fragments.entries()) {
    await openFile("small", fragment);
    assert.equal(await shown(), served[i], fragment);
  }
});

test("the page without a server: timeline, worst wait, partner, steps, search, messages", async () => {
  await openFile("small", "timeline");
  await drawn();
  await changes("x");
  await page.waitForSelector(".wait-line");
  const before = await page.innerText(".details");
  await page.keyboard.press("]");
  await page.waitForFunction((was) => document.querySelector(".details").innerText !== was, before);
  assert.match(await page.innerText(".details"), /ring\.c:1[0-2]/);
  await changes(".");
  await changes("l");
  await page.waitForSelector("text=/messages and transfers/");
  await page.fill('input[type="search"]', "MPI_Finalize");
  await page.press('input[type="search"]', "Enter");
  await page.waitForFunction(() => document.querySelector(".details h2").textContent.includes("MPI_Finalize"));
});

test("the page without a server: 4,096 ranks; what is not in it is said", async () => {
  await openFile("large", "timeline");
  await drawn();
  assert.equal(await page.getAttribute("canvas", "data-drawn"), "bins");
  await changes("x");
  await page.waitForFunction(() => document.querySelector("canvas").dataset.drawn === "calls");
  await page.waitForSelector(".wait-line");
  await page.keyboard.press("0");
  await page.waitForSelector("text=/single calls only around the worst waits/");
  await openFile("large", "matrix");
  await page.waitForSelector("canvas");
  await page.locator("canvas").first().click({ position: { x: 200, y: 200 } });
  await page.waitForSelector("text=/not in this file/");
});

test("the page without a server: attacking names, no events", async () => {
  for (const site of ["hostile", "empty"]) {
    for (const name of pages) {
      await openFile(site, name);
      await quiet();
      assert.equal(await page.evaluate(() => window.hacked), undefined);
      assert.ok((await says()).length > 20, `${site} ${name}`);
      assert.equal(await page.locator("main img, main script, main b > b").count(), 0);
    }
  }
});

(await import("./look_tests.mjs")).add({ test, open, load, url, page, pages, quiet, task, browser, axe: readFileSync(require.resolve("axe-core/axe.min.js"), "utf8") });
(await import("./link_tests.mjs")).add({ test, open, page, changes, quiet, task, browser });
(await import("./timeline_tests.mjs")).add({ test, open, openFile, page, changes, drawn, task, forgive: () => { complaints = []; } });

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
  complaints = [];
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
