// How pages look: accessible, readable in every look, printable, with one name for one thing. Called by pages_test.mjs.
import assert from "node:assert/strict";

/** Text that is too like its background in the look that is on, with its contrast: what axe's rule color-contrast finds, which asks the browser for each letter what
    lies below it and needs seconds. Here backgrounds are those of the ancestors; nothing lies on something else on these pages but in pictures. */
const faint = (on) => on.evaluate(() => {
  const rgba = (text) => { const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number); return [r, g, b, a]; }, styles = new Map(), backgrounds = new Map();
  const styleOf = (e) => styles.get(e) ?? styles.set(e, getComputedStyle(e)).get(e), over = (top, below) => [...[0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])), 1];
  const backgroundOf = (e) => {
    if (!e) return [255, 255, 255, 1];
    if (!backgrounds.has(e)) { const own = rgba(styleOf(e).backgroundColor); backgrounds.set(e, own[3] === 1 ? own : over(own, backgroundOf(e.parentElement))); }
    return backgrounds.get(e);
  };
  const light = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let looked = 0;
  while (walker.nextNode()) {
    const text = walker.currentNode.textContent.trim(), e = walker.currentNode.parentElement;
    if (!text || e.closest("svg, :disabled, option, script, style") || !e.checkVisibility()) continue;
    let strength = 1;
    for (let at = e; at; at = at.parentElement) strength *= Number(styleOf(at).opacity);
    if (strength === 0) continue;   // shown when the pointer is over it
    const style = styleOf(e), below = backgroundOf(e), ink = rgba(style.color), [a, b] = [light(over([...ink.slice(0, 3), ink[3] * strength], below)), light(below)].sort((x, y) => y - x), contrast = (a + 0.05) / (b + 0.05), size = parseFloat(style.fontSize);
    ++looked;
    if (contrast < (size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5)) found.push([text.slice(0, 60), e.className, contrast.toFixed(2)]);
  }
  return { looked, found };
});

export function add({ test, open, load, url, page, pages, quiet, task, browser, axe }) {
  test("axe finds nothing; no text is faint in any of the four looks", async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, bypassCSP: true });
    const other = await context.newPage(), tags = ["wcag2a", "wcag2aa", "wcag21aa"], contrasted = new Set();
    for (const [site, name] of [...[...pages, "compare"].map((p) => ["compared", p]), ["phases", "whatif"], ["phases", "intervals"], ["small", "explore?metric=time&path=3"], ["large", "explore?metric=time"]]) {
      await load(other, `${url(site)}#/${name}`);
      if (["timeline", "matrix", "compare"].includes(name)) await other.waitForSelector("canvas");
      else await quiet(other);
      await other.evaluate(axe);
      const rules = contrasted.has(name.split("?")[0]) ? { "color-contrast": { enabled: false } } : {};   // once for each page: it needs most of axe's time
      contrasted.add(name.split("?")[0]);
      const result = await other.evaluate((options) => window.axe.run({ resultTypes: ["violations"], ...options }), { runOnly: tags, rules });
      assert.deepEqual(result.violations.map((v) => [name, v.id, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120))]), []);
      for (const theme of ["light", "dark"]) for (const palette of ["safe", "dvm"]) {
        await other.evaluate(([theme, palette]) => { Object.assign(document.documentElement.dataset, { theme, palette }); }, [theme, palette]);
        const { looked, found } = await faint(other);
        assert.ok(looked > 15, `${name}: ${looked} texts`);
        assert.deepEqual(found, [], `${name}, ${theme}, ${palette}`);
      }
    }
    // What is above the pages; the page without a server; what stands in place of a page.
    const clean = async (what) => {
      await other.evaluate(axe);
      const { violations } = await other.evaluate((options) => window.axe.run({ resultTypes: ["violations"], ...options }), { runOnly: tags });
      assert.deepEqual(violations.map((v) => [what, v.id, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120))]), []);
    };
    for (const key of ["?", "/"]) {
      await load(other, `${url("small")}#/explore?metric=time`);
      await quiet(other);
      await other.keyboard.press(key);
      await other.waitForSelector("dialog[open]");
      await clean(`key ${key}`);
    }
    for (const [address, name] of [[task.offline.small, "timeline"], [task.offline.small, "overview"], [task.offline.large, "matrix"], [url("lone"), "timeline"], [url("small"), "whatif"], [url("small"), "timeline?pinned=1,2&marks=100000.300000&lines=1"]]) {
      await load(other, `${address}#/${name}`);
      await quiet(other);
      await clean(`${address.slice(0, 4)} ${name}`);
    }
    await other.evaluate(() => { document.querySelector("main").insertAdjacentHTML("beforeend", '<p style="background: #333"><b style="color: #777">faint</b></p>'); });
    assert.deepEqual((await faint(other)).found.map(([text]) => text), ["faint"]);
    await context.close();
  });

  test("on paper: light also where the screen is dark, nothing that is pressed or scrolls", async () => {
    const context = await browser.newContext({ viewport: { width: 718, height: 1000 }, colorScheme: "dark" }), other = await context.newPage();
    for (const [site, name] of [...pages.map((one) => ["small", one]), ["compared", "compare"], ["phases", "whatif"]]) {
      await load(other, `${url(site)}#/${name}`);
      await quiet(other);
      assert.match(await other.evaluate(() => getComputedStyle(document.documentElement).backgroundColor), /^rgb\(1\d, 2\d, 2\d\)$/);
      await other.emulateMedia({ media: "print", colorScheme: "dark" });
      await other.waitForFunction(() => document.documentElement.dataset.theme === "light");   // then all is drawn for paper
      const found = await other.evaluate(() => {
        const shown = (e) => e.getClientRects().length > 0, bright = (c) => c.match(/\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0) / 765;
        return { page: bright(getComputedStyle(document.documentElement).backgroundColor), ink: bright(getComputedStyle(document.documentElement).color), pressed: [...document.querySelectorAll("nav a, header button, .quiet")].filter(shown).length,
          cut: [...document.querySelectorAll("main *")].filter((e) => shown(e) && !e.closest("svg, .tree, .source") && e.scrollHeight > e.clientHeight + 2 && /auto|scroll|hidden/.test(getComputedStyle(e).overflowY)).map((e) => e.className), wide: document.documentElement.scrollWidth };
      });
      assert.ok(found.page > 0.9 && found.ink < 0.3, JSON.stringify(found));
      assert.deepEqual([found.pressed, found.cut], [0, []], name);
      if (["overview", "findings", "timeline", "intervals", "matrix", "compare"].includes(name)) assert.ok(found.wide <= 719, `${name} is ${found.wide} points wide: paper cuts it`);
      // What is drawn is light, too, and nothing lies on something else.
      const drawn = () => other.evaluate(() => [...document.querySelectorAll("main canvas")].map((c) => [...c.getContext("2d").getImageData(c.width - 4, 3, 1, 1).data.slice(0, 3)].reduce((a, b) => a + b, 0) / 765));
      if (["timeline", "matrix", "explore", "compare"].includes(name)) assert.ok((await drawn()).length > 0, name);
      for (const light of await drawn()) assert.ok(light > 0.9, `${name}: a drawing is dark on paper: ${light}`);
      const covered = await other.evaluate(() => [...document.querySelectorAll("main .card, main .panel")].filter((card) => { const next = card.parentElement.classList.contains("two") ? card.nextElementSibling : null; return next && next.getBoundingClientRect().top < card.getBoundingClientRect().bottom - 1; }).map((card) => card.innerText.slice(0, 40)));
      assert.deepEqual(covered, [], name);
      const pdf = await other.pdf({ format: "A4" });
      assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
      assert.ok(pdf.length > 20000, `${name}: ${pdf.length} bytes`);
      await other.emulateMedia({ media: "screen", colorScheme: "dark" });
      await other.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));   // the page is told of its medium before a frame
      assert.equal(await other.evaluate(() => document.documentElement.dataset.theme), undefined);
      for (const light of await drawn()) assert.ok(light < 0.3, `${name}: a drawing stayed light: ${light}`);
    }
    await context.close();
  });

  test("characteristics and POP metrics have one name on all pages: that of mora compare", async () => {
    const named = (kind) => new Map(task.comparison.figures.filter((f) => f.kind === kind).map((f) => [f.key, f.name])), characteristics = named("characteristic"), pop = named("pop");
    await open("compared", "intervals");
    await page.waitForSelector('table:has(caption:text("characteristics of"))');
    const rows = await page.$$eval('table:has(caption:text("characteristics of")) tbody tr', (list) => list.map((row) => [row.cells[0].innerText, row.cells[0].title]));
    assert.ok(rows.length > 20 && rows.every(([name, title]) => [...characteristics.values()].includes(name) && title.startsWith(`${name} = `)), JSON.stringify(rows));
    assert.ok((await page.$$eval("option", (list) => list.map((o) => [o.value, o.innerText]))).every(([key, name]) => key === "" || characteristics.get(key) === name));
    await open("compared", "overview");
    await page.waitForSelector("table.pop .change");
    assert.deepEqual(await page.$$eval("table.pop th", (list) => list.map((e) => e.innerText)), ["parallel_efficiency", "load_balance", "communication_efficiency", "serialisation", "transfer"].map((key) => pop.get(key)));
    await open("compared", "compare");
    await page.waitForSelector('table:has(caption:text("figures of the program"))');
    const compared = await page.$$eval('table:has(caption:text("figures of the program")) tbody td:first-child', (list) => list.map((e) => e.innerText));
    for (const name of [characteristics.get("lost_time"), pop.get("load_balance")]) assert.ok(compared.includes(name), name);
  });
}
