// Two runs: words, figures, colours, both timelines. pages_test.mjs calls add().
import assert from "node:assert/strict";

export function add({ test, open, page, pages, quiet, says, changes, hash, drawn, nanoseconds, everyFigureHasAColour, task }) {
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

  test("compare: the other run's matrix is not of the call and ranks that have the same numbers there", async () => {
    await open("compared", "matrix?matrix=messages.call3.at0-2");
    await page.waitForSelector("canvas[data-drawn]");
    await changes("c");
    assert.match(await hash(), /run=other&matrix=messages$/);
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
}
