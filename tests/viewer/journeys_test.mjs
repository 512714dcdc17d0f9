// Presses keys in Chromium and tells the marked line of the source text: one JSON line in, one out (journeys_test.py).
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [viewer, executablePath] = process.argv.slice(2);
const { chromium } = createRequire(join(viewer, "package.json"))("playwright-core");
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
for await (const line of createInterface({ input: process.stdin })) {
  const { url, keys } = JSON.parse(line), page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  let shown;
  try {
    await page.goto(url);
    await page.waitForSelector("main[data-ready] .verdict", { timeout: 60000 });
    await page.waitForTimeout(300);
    for (const key of keys) await (key.startsWith("click ") ? page.click(key.slice(6)) : page.keyboard.press(key));
    await page.waitForSelector(".source .this-line", { timeout: 60000 });
    await page.waitForTimeout(200);
    shown = await page.evaluate(() => {
      const row = document.querySelector(".source .this-line"), box = row.getBoundingClientRect();
      return { line: Number(row.cells[2].innerText), text: row.cells[3].innerText.trim(), file: document.querySelector(".source-card .path").innerText, visible: box.top >= 0 && box.bottom <= innerHeight };
    });
  } catch (reason) {
    shown = { problem: String(reason).slice(0, 300), at: await page.evaluate(() => location.hash) };
  }
  await page.close();
  process.stdout.write(`${JSON.stringify(shown)}\n`);
}
await browser.close();
