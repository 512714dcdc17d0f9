// Frames in a second while the timeline of `mora view` pans and zooms at each of them: frames.mjs URL. Prints JSON.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(join(dirname(fileURLToPath(import.meta.url)), "../../viewer/package.json"));
const { chromium } = require("playwright-core");
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
await page.goto(`${process.argv[2]}#/timeline`);
await page.waitForFunction(() => document.querySelector("canvas")?.dataset.drawn, null, { timeout: 120_000 });
const result = await page.evaluate(async () => {
  const canvas = document.querySelector("canvas"), lengths = [];
  let shapes = 0, before = 0;
  const press = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const keys = [..."wwwwdddaaa", ..."sswwdddaaa", ..."ssss"];
  await new Promise((ended) => {
    let n = 0;
    const frame = (now) => {
      if (before > 0) lengths.push(now - before);
      before = now;
      shapes = Math.max(shapes, Number(canvas.dataset.shapes));
      if (n++ === 360) return ended();
      if (n % 6 === 0) press(keys[(n / 6) % keys.length]);
      const { left, top } = canvas.getBoundingClientRect();
      canvas.dispatchEvent(new MouseEvent("mousemove", { clientX: left + 100 + (n % 900), clientY: top + 60 + (n % 400), bubbles: true }));  // the ruler follows: all is drawn again
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  lengths.sort((a, b) => a - b);
  return { median: 1000 / lengths[Math.floor(lengths.length / 2)], low: 1000 / lengths[Math.floor(lengths.length * 0.9)], shapes };
});
console.log(JSON.stringify(result));
await browser.close();
