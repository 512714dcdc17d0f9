// The page Explore: three trees, flame graph, callers and callees, ranks in the machine. pages_test.mjs calls add().
import assert from "node:assert/strict";

export function add({ test, open, page, quiet, changes, hash }) {
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

  test("explore: a source text comes into sight if it is asked for, and another one does not instead", async () => {
    await page.route("**/source?**", (route) => route.fulfill({ json: { file: "ring.c", line: 50, text: Array.from({ length: 99 }, (_, i) => `line ${i}`), costs: [] } }));
    try {
      await open("small", "explore?metric=time");
      const paths = await page.evaluate(async () => (await (await fetch("dimensions")).json()).paths), withFile = paths.findIndex((p) => p.file !== ""), without = paths.findIndex((p) => p.file === "");
      const chosen = async (path) => { await page.evaluate((p) => { location.hash = `#/explore?metric=time&path=${p}`; }, path); await page.waitForFunction((p) => location.hash.includes(`path=${p}`), path); await quiet(); };
      for (const before of [[], [without]]) {
        await open("small", "explore?metric=time");
        for (const path of before) await chosen(path);
        await page.evaluate(() => scrollTo(0, 0));
        await page.keyboard.press("g");   // there is none here
        await chosen(withFile);
        await page.waitForSelector(".source");
        assert.equal(await page.evaluate(() => scrollY), 0);
      }
      await page.keyboard.press("g");
      await page.waitForFunction(() => scrollY > 0);
      // From the overview to where ranks compute, which has no file; then to another call path.
      await open("small", "overview");
      await page.locator('.divided .legend bdi:text-is("outside of MPI")').click();
      await page.waitForSelector(".crumbs button");
      await page.locator(".divided .legend li button").first().click();
      await page.waitForFunction(() => location.hash.startsWith("#/explore"));
      const led = Number(/path=(\d+)/.exec(await page.evaluate(() => location.hash))[1]);
      if (paths[led].file === "") {
        await page.evaluate(() => scrollTo(0, 0));
        await chosen(withFile);
        await page.waitForSelector(".source");
        assert.equal(await page.evaluate(() => scrollY), 0);
      }
    } finally {
      await page.unroute("**/source?**");
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
}
