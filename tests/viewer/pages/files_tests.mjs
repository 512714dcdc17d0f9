// Tables as CSV, pictures as SVG and PNG. pages_test.mjs calls add().
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

export function add({ test, open, page, quiet, drawn, nanoseconds, task }) {
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

  test("pictures are saved as PNG", async () => {
    await open("small", "timeline");
    await drawn();
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator('.bar-of-tools button:has-text("PNG")').click()]);
    const bytes = readFileSync(await download.path());
    assert.deepEqual([...bytes.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
    assert.ok(bytes.readUInt32BE(16) > 1000, "twice the width of the page");
  });
}
