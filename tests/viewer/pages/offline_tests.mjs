// The page of `mora report --html`, without a server: the same answers, and what is not in it is said. pages_test.mjs calls add().
import assert from "node:assert/strict";

export function add({ test, open, openFile, page, pages, quiet, says, changes, hash, drawn }) {
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

  test("the page without a server: all executions of a long loop are in it, the last ones, too", async () => {
    const last = 10 + 80 * 399, band = () => page.$$eval(".band button", (list) => list.map((b) => b.title));   // 400 with one inside each
    for (const show of [open, openFile]) {
      await show("loop", `timeline?from=${1000 * (last - 80)}&until=${1000 * (last + 90)}&interval=0.1.1`);
      await drawn();
      await page.waitForSelector(".band button");
      assert.equal((await band()).length, 4, String(await band()));
      await show("loop", "timeline?from=0&until=5000&interval=0.1.1");
      await drawn();
      for (let i = 0; i < 2; ++i) await changes("u");
      await show("loop", `timeline?from=${1000 * (last - 80)}&until=${1000 * (last - 20)}&interval=0.1.1`);
      await drawn();
      await changes("u");
      assert.ok(Number(new URLSearchParams((await hash()).split("?")[1]).get("from")) > 1000 * (last - 20), await hash());
      await show("loop", "intervals?interval=0.1.1");
      await page.waitForSelector("text=/400 executions on the first process/");
    }
  });

  test("the page without a server: executions of intervals that are not in it are counted, and not said to be none", async () => {
    await openFile("cut", "timeline?from=31000000&until=31900000");
    await drawn();
    await page.waitForSelector(".band em");
    assert.match(await page.innerText(".band em"), /^200 of its executions of intervals are not in this file/);
    await page.keyboard.press("u");
    await page.waitForSelector("text=/200 were left out/");
    await openFile("cut", "timeline");
    await drawn();
    assert.match(await page.getAttribute(".band span", "title"), /; [\d,]+ are not drawn$/);
  });

  test("the page without a server: keys that would need one are not there", async () => {
    await openFile("large", "matrix");
    await page.waitForSelector("canvas[data-drawn]");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    const keys = await page.$$eval('dialog [data-group="matrix"] kbd', (list) => list.map((k) => k.textContent));
    assert.ok(keys.includes("v") && !keys.some((key) => "wsad+-".includes(key)), String(keys));
    assert.ok(!(await says()).includes("to enlarge"));
  });

  test("the page without a server: from one nanosecond to years, and ranks that are not there", async () => {
    for (const name of ["timeline", "matrix"]) for (const range of ["from=100&until=101", "from=-99999999999999999&until=99999999999999999", "from=1000000000000&until=2000000000000", "from=9e99&until=-5", "first=9999&rows=3", "matrix=at999-16", "ranks=7&sort=x&pinned=1"]) {
      await openFile("small", `${name}?${range}`);
      await quiet();
      assert.ok((await says()).length > 20, `${name} ${range}: ${await says()}`);
    }
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
}
