// Every page of a .cubex file of very many ranks: million_test.mjs TASK (million_test.py).
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";

const task = JSON.parse(process.argv[2]), { chromium } = createRequire(join(task.viewer, "package.json"))("playwright-core");
const browser = await chromium.launch({ executablePath: task.chromium, args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } }), complaints = [];
  page.setDefaultTimeout(120000);
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  const ranks = task.ranks.toLocaleString("en");
  const pages = { overview: new RegExp(`${ranks}( on| rank|$)`, "m"), findings: /A CUBE file alone has no findings/, explore: new RegExp(`${ranks} locations`), timeline: /a CUBE file alone holds sums/, intervals: new RegExp(`by ${ranks} processes`), matrix: /a CUBE file alone holds sums/ };
  for (const [name, says] of Object.entries(pages)) {
    const began = Date.now();
    await page.goto(`${task.url}#/${name}`);
    await page.waitForFunction((text) => new RegExp(text, "m").test(document.querySelector("main[data-ready]")?.innerText ?? ""), says.source);
    const elements = await page.evaluate(() => document.querySelectorAll("*").length);
    assert.ok(elements < 10000, `${name}: ${elements} elements`);
    console.log(`ok      ${name}: ${Date.now() - began} ms, ${elements} elements`);
  }
  const last = task.ranks - 1;
  await page.goto(`${task.url}#/explore?metric=time`);
  await page.waitForFunction(() => document.querySelector(".topology canvas")?.dataset.drawn);
  await page.keyboard.press("/");
  await page.fill(".palette input", `rank ${last}`);
  await page.waitForSelector('.palette [role="option"]');
  await page.keyboard.press("Enter");
  await page.waitForFunction((rank) => document.querySelector('[aria-label="system"] [aria-selected="true"]')?.innerText.includes(`rank ${rank}`), last);
  console.log(`ok      rank ${last} is found`);
  assert.deepEqual(complaints.filter((text) => !/status of 404/.test(text)), []);   // what a file alone has not
} catch (reason) {
  console.log(`FAILED  ${String(reason.stack ?? reason).slice(0, 1500)}`);
  process.exitCode = 1;
}
await browser.close();
