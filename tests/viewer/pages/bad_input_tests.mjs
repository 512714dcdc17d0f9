// What nobody wishes for: names that attack, traces without events or deleted, ranges without sense; nothing is blank, nothing is injected. pages_test.mjs calls add().
import assert from "node:assert/strict";
import { rmSync } from "node:fs";

export function add({ test, open, openFile, page, pages, says, drawn, task, browser, forgive }) {
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
    forgive();   // the browser says each refusal
  });

  test("matrix: from one nanosecond to years, and what makes no sense", async () => {
    for (const range of ["from=100&until=101", "from=-99999999999999999&until=99999999999999999", "from=1000000000000&until=2000000000000", "from=9e99&until=-5", "matrix=call999999.x..size", "matrix=at999999-16", "matrix=at0-0", "matrix=at1-999999999.nodes", "interval=7.7"]) {
      await open("phases", `matrix?${range}`);
      await page.waitForFunction(() => !/Loading/.test(document.querySelector("main").innerText));
      assert.ok((await says()).length > 20, range);
      forgive(/status of 400/);
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
    forgive(/status of 500/);
  });
}
