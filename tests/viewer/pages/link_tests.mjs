// A link shows the same view again, on every page and with every part of the selection; what two runs show of their
// difference; the palette; answers for people. pages_test.mjs calls add().
import assert from "node:assert/strict";

const settled = async (page, quiet) => {
  await page.waitForFunction(() => !/Loading|Predicting/.test(document.querySelector("main").innerText));
  await page.waitForFunction(() => [...document.querySelectorAll('canvas:not([aria-hidden])')].every((c) => c.dataset.drawn));
  await quiet(page);
};

/** What a person sees of a page: its words and titles, its drawings, what is chosen in its controls. */
const seen = async (page, quiet) => {
  await settled(page, quiet);
  return page.evaluate(() => {
    const main = document.querySelector("main");
    return { hash: location.hash, words: main.innerText, titles: [...main.querySelectorAll("[title]")].map((e) => e.title), chosen: [...main.querySelectorAll("select, input")].map((e) => e.value),
      marks: [...main.querySelectorAll('[aria-selected="true"], [aria-pressed="true"], [aria-current="true"], [aria-expanded="true"], tr.chosen')].map((e) => e.innerText), drawn: [...main.querySelectorAll('canvas:not([aria-hidden])')].map((c) => {   // in small: browsers smooth edges in more than one way
        const small = document.createElement("canvas"), context = small.getContext("2d");
        [small.width, small.height] = [160, 90];
        context.drawImage(c, 0, 0, 160, 90);
        return [...context.getImageData(0, 0, 160, 90).data];
      }) };
  });
};

/** Drawings may differ by what smoothing does. */
const alike = (a, b) => a.length === b.length && a.every((one, i) => one.length === b[i].length && one.every((v, at) => Math.abs(v - b[i][at]) <= 24));
const equal = (part, a, b) => (part === "drawn" ? alike(a, b) : JSON.stringify(a) === JSON.stringify(b));

export function add({ test, open, page, changes, quiet, task, browser }) {
  /** Another window that gets nothing but the link shows the same, once both have all answers. */
  const same = async (what) => {
    await page.mouse.move(2, 2);   // nothing is under the pointer
    const other = await page.context().newPage();
    try {
      await other.goto(page.url());
      await other.waitForSelector("main[data-ready]");
      for (let left = 20; ; --left) {
        const here = await seen(page, quiet), there = await seen(other, quiet);
        if (left > 0 && Object.keys(here).some((part) => !equal(part, here[part], there[part]))) continue;
        for (const part of Object.keys(here)) assert.ok(equal(part, here[part], there[part]), `${what}: ${part} of ${here.hash}: ${JSON.stringify(there[part]).slice(0, 300)} instead of ${JSON.stringify(here[part]).slice(0, 300)}`);
        return here.hash;
      }
    } finally {
      await other.close();
    }
  };

  const ready = {   // page, what is done there, and what the link must then hold
    overview: ["small", "overview", async () => { await page.click(".stack .part.wait"); }, /overview=\d/],
    findings: ["small", "findings", async () => { await page.keyboard.press("j"); }, /finding=f2/],
    explore: ["phases", "explore?metric=time", async () => {
      for (const key of ["v", "v", "v", "v", "z", "x"]) await changes(key);
      await page.locator('[aria-label="system"] [role="treeitem"][aria-level="1"]').first().click();
      await page.locator('[aria-label="system"] [role="treeitem"][aria-level="1"]').last().dblclick();
      await page.locator('[aria-label="metrics"] [role="treeitem"][aria-expanded="true"]').nth(1).dblclick();
      await page.selectOption(".topology select", "2");
    }, /mode=distribution.*explore=/],
    "explore, a rank": ["large", "explore?metric=time", async () => { await page.waitForSelector(".topology canvas[data-drawn]"); await page.locator(".topology canvas").click({ position: { x: 30, y: 30 } }); }, /rank=\d+/],
    timeline: ["small", "timeline", async () => { for (const key of ["w", "d", ".", "l", "b"]) await changes(key); }, /call=\d+.*lines=1/],
    intervals: ["phases", "intervals", async () => {
      await changes("j");
      await page.selectOption('label:has-text("shown:") select', "execution_time");
      await page.selectOption('label:has-text("add a column:") select', "overlap");
      await page.locator('[aria-label="intervals"] [role="treeitem"]').first().dblclick();
    }, /interval=.*intervals=/],
    matrix: ["phases", "matrix", async () => { for (const key of ["v", "r", "o"]) await changes(key); }, /matrix=/],
    compare: ["compared", "compare", async () => { await page.waitForSelector("canvas"); await page.selectOption('label:has-text("metric:") select', "visits"); await changes("w"); }, /compare=/],
    "the difference": ["compared", "explore?metric=time&run=difference", async () => { await changes("x"); }, /run=difference/],
    whatif: ["phases", "whatif", async () => {}, /whatif/],
  };
  for (const [name, [site, fragment, act, holds]] of Object.entries(ready)) {
    test(`the link holds the view: ${name}`, async () => {
      await open(site, fragment);
      await settled(page, quiet);
      await act();
      assert.match(await same(name), holds);
    });
  }

  test("explore: peer range tells where a rank lies between the least and the largest", async () => {
    await open("small", "explore?metric=time&mode=distribution&path=1");
    await settled(page, quiet);
    const rows = await page.$$eval('[aria-label="system"] [role="treeitem"][aria-level="2"]', (list) => list.map((row) => [Number(row.querySelector(".number").title.replaceAll(/[^\d]/g, "")), row.querySelector(".number").innerText]));
    const values = rows.map(([value]) => value), least = Math.min(...values), largest = Math.max(...values);
    assert.equal(rows.length, 4);
    for (const [value, text] of rows) assert.equal(text, largest === least ? "100.00 %" : `${((100 * (value - least)) / (largest - least)).toFixed(2)} %`);
    assert.match(await page.innerText("main"), /0 %: .*, 100 %: /);
  });

  test("explore: a wait state has its text, its formula and the picture of mora explain", async () => {
    await open("small", "findings");
    await page.locator(".finding h2 button").click();
    await page.waitForSelector("pre.example");
    assert.match(await page.innerText("pre.example"), /rank 0.*\n/);
    assert.match(await page.innerText("main"), /Formula[^]*Source/);
  });

  test("intervals: where the chosen one is in the run, and from there to the timeline", async () => {
    await open("phases", "intervals?interval=0.3");
    await page.waitForSelector(".place rect.iteration");
    const d = await page.evaluate(async () => ({ info: await (await fetch("timeline/info")).json(), band: await (await fetch("timeline/intervals?location=0&from=0&until=6120000&columns=4000")).json() }));
    const [, , from, until] = d.band.bars.find(([i]) => d.band.numbers[i] === "0.3"), box = await page.$eval(".place rect.iteration", (r) => [Number(r.getAttribute("x")), Number(r.getAttribute("width"))]);
    assert.ok(Math.abs(box[0] - (760 * from) / d.info.duration) < 0.01 && Math.abs(box[1] - (760 * (until - from)) / d.info.duration) < 0.01, JSON.stringify([box, from, until]));
    await page.keyboard.press("t");
    await page.waitForFunction(() => location.hash.startsWith("#/timeline"));
    const range = new URLSearchParams((await page.evaluate(() => location.hash)).split("?")[1]);
    assert.ok(Number(range.get("from")) <= from && Number(range.get("until")) >= until && range.get("interval") === "0.3", String(range));
  });

  test("explore: ranks in a grid of the program, by its name; who has no place in it is said", async () => {
    await open("large", "explore?metric=time");
    await page.waitForSelector(".topology canvas[data-drawn]");
    assert.deepEqual(await page.locator(".topology select option").allTextContents().then((all) => all.filter((name) => name.includes(":"))), ["torus: 4 × 16 × 64 (periodic)", "half: 32 × 64, 2,048 ranks"]);
    await page.selectOption(".topology select", { label: "torus: 4 × 16 × 64 (periodic)" });
    await page.waitForFunction(() => document.querySelector(".topology canvas").getAttribute("aria-label").includes("in torus: 4 × 16 × 64"));
    await page.selectOption(".topology select", { label: "half: 32 × 64, 2,048 ranks" });
    await page.waitForSelector("text=/2,048 of 4,096 ranks have a place in it/");
    await page.reload();
    await page.waitForSelector("text=/2,048 of 4,096 ranks have a place in it/");
    // Its first place has the last rank of the communicator.
    await page.locator(".topology canvas").hover({ position: { x: 4, y: 4 } });
    await page.waitForSelector(".topology .tooltip >> text=/rank 2047/");
  });

  test("explore: ranks as a grid of three extents; one that does not fit is said", async () => {
    await open("large", "explore?metric=time&explore=g4x16x64");
    await page.waitForSelector(".topology canvas[data-drawn]");
    assert.match(await page.getAttribute(".topology canvas", "aria-label"), /a grid of 4 × 16 × 64/);
    await page.fill(".topology input", "3x5");
    await page.press(".topology input", "Enter");
    await page.waitForSelector("text=/15 places for 4,096 ranks/");
  });

  test("two runs: the bar, the flame graph and predictions show what changed", async () => {
    const summaries = await (async () => { await open("compared", "overview"); return page.evaluate(async () => Promise.all(["summary", "other/summary"].map(async (name) => (await fetch(name)).json()))); })();
    await page.waitForSelector(".legend .change");
    const bar = await page.$$eval(".legend li .change", (list) => list.map((e) => [e.title, e.className]));
    assert.equal(bar.length, 3);
    const waiting = summaries[1].waiting_ns - summaries[0].waiting_ns;
    assert.ok(waiting < 0 && bar[2][1].includes("less"), JSON.stringify(bar));
    await open("compared", "explore?metric=time&run=difference");
    await page.waitForSelector("rect.flame-less, rect.flame-more");
    const [d, metric, all, other] = await page.evaluate(async () => {
      const d = await (await fetch("difference/dimensions")).json(), o = await (await fetch("other/dimensions")).json(), index = (of) => of.metrics.findIndex((m) => m.id === "time");
      return [d, index(d), (await (await fetch(`difference/paths?metric=${index(d)}`)).json()).all, (await (await fetch(`other/paths?metric=${index(o)}`)).json()).all];
    });
    const titles = await page.$$eval("svg.flame rect title", (list) => list.map((t) => t.textContent.split("\n")));
    const digits = (text) => Number(text.replaceAll(/[^\d-]/g, ""));
    const root = titles.find(([name]) => name === d.paths[0].name);
    assert.deepEqual([digits(root[1].slice(7)), digits(root[2].slice(7)), digits(root[3].slice(7))], [other[0] - all[0], other[0], all[0]], `metric ${metric}`);
    for (const [, a, b, difference] of titles) assert.equal(digits(b.slice(7)) - digits(a.slice(7)), digits(difference.slice(7)));
    await open("compared", "whatif");
    await page.waitForSelector('table:has(caption:text("what if")) .change');
    const first = await page.getAttribute('table:has(caption:text("what if")) tbody tr:first-child .change', "class");
    assert.match(first, /less/);
  });

  test("palette: ranks, intervals, findings and metrics by what is typed", async () => {
    for (const [site, text, holds] of [["large", "rank 17", /explore\?.*rank=17/], ["phases", "0.3 step", /intervals\?.*interval=0\.3/], ["small", "#f1", /findings\?.*finding=f1/], ["small", "late sender metric", /explore\?.*metric=late-sender/]]) {
      await open(site, "overview");
      await page.keyboard.press("/");
      await page.fill(".palette input", text);
      await page.waitForSelector('.palette [role="option"]');
      await quiet(page);
      await page.keyboard.press("Enter");
      await page.waitForFunction((pattern) => new RegExp(pattern).test(location.hash), holds.source);
    }
  });

  test("a wrong key and a wrong name are answered with a sentence", async () => {
    const base = new URL(task.sites.small.url);
    for (const [path, says] of [["/", /copy the whole address/], [`/${"0".repeat(32)}/`, /copy the whole address/], [base.pathname.slice(0, -1), /ends with a slash/]]) {
      const other = await browser.newPage();
      await other.goto(new URL(path, base).href);
      assert.match(await other.innerText("body"), says);
      assert.doesNotMatch(await other.innerText("body"), /[{}]/);
      await other.close();
    }
  });

  test("compare: from one nanosecond to years; names that attack", async () => {
    for (const range of ["from=100&until=101", "from=-99999999999999999&until=99999999999999999", "from=1000000000000&until=2000000000000", "from=9e99&until=-5"]) {
      await open("compared", `compare?${range}`);
      await page.waitForFunction(() => document.querySelectorAll("canvas").length === 2);
      assert.ok((await page.innerText("main")).length > 100, range);
    }
    for (const name of ["compare", "explore?run=difference&metric=time", "overview", "findings", "intervals"]) {
      await open("hostiles", name);
      await quiet(page);
      assert.equal(await page.evaluate(() => window.hacked), undefined);
      assert.equal(await page.locator("main img, main script, main b > b").count(), 0);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 1, `${name} is ${wide} points wider than the window`);
    }
  });
}
