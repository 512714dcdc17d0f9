// The page Matrix: who sent how much to whom is what other verbs say. pages_test.mjs calls add().
import assert from "node:assert/strict";

export function add({ test, open, page, says, changes, hash, task }) {
  /** The answer behind the matrix, as a dense table. */
  const matrixOf = (query, index) => page.evaluate(async ([q, i]) => {
    const t = await (await fetch(`timeline/traffic?${q}`)).json(), rows = Array.from({ length: t.ranks }, () => new Array(t.ranks).fill(0));
    for (const cell of t.cells) rows[cell[0]][cell[1]] += cell[i];
    return rows;
  }, [query, index]);

  test("matrix: messages are those of Python's comm_matrix, transfers those of mora report --transfers", async () => {
    for (const site of ["small", "phases"]) {
      await open(site, "matrix");
      if (task.matrices[site]) assert.deepEqual([await matrixOf("kind=messages", 3), await matrixOf("kind=messages", 2)], task.matrices[site]);
    }
    const expected = Array.from({ length: 4 }, () => new Array(4).fill(0));
    for (const t of task.transfers.transfers) {
      if (t.kind === "get") expected[t.target][t.origin] += t.bytes;
      else expected[t.origin][t.target] += t.bytes;
    }
    assert.deepEqual(await matrixOf("kind=transfers", 3), expected);
    assert.equal(expected[0][2], 64);
  });

  test("matrix: by call, interval, stretch, node; clustered; sums agree", async () => {
    await open("phases", "matrix");
    await page.waitForSelector("canvas[data-drawn]");
    const shown = async () => (await page.innerText("main .base")).split(" messages")[0];
    const shows = (text) => page.waitForFunction((t) => document.querySelector("main .base")?.innerText.startsWith(t), text);
    await shows("22 messages and transfers");   // 5 steps of 4 ranks, a put, a get
    for (const key of ["v", "v", "v", "k"]) await changes(key);
    await shows("20 messages and transfers, 8.6 KiB, of 22");
    await changes("k");
    await shows("2 messages and transfers, 96 B, of 22");
    await changes("0");
    await page.selectOption('label:has-text("call:") select', { label: "MPI_Send (phases.c:14)" });
    await shows("4 messages and transfers, 3.9 KiB, of 22");
    assert.match(await hash(), /matrix=call\d+/);
    await changes("0");
    await page.selectOption('label:has-text("interval:") select', "0.4");
    await shows("4 messages and transfers, 1.6 KiB, of 22");   // step 4: 4 x 400 bytes
    await page.selectOption('label:has-text("interval:") select', "0.3");
    await shows("4 messages and transfers, 3.9 KiB, of 22");
    await changes("r");
    await page.waitForFunction(() => [...document.querySelectorAll("caption")].some((c) => c.textContent === "traffic" && /node a/.test(c.parentElement.innerText)));
    await changes("0");
    await changes("o");
    await page.waitForFunction(() => document.querySelector("canvas").getAttribute("aria-label").includes("4 ranks"));
    await open("phases", "matrix?from=2000000&until=3000000");   // what the second step sends
    await shows("4 messages and transfers, 800 B, of 22");
    await page.locator('button:has-text("whole run")').click();
    await shows("22 messages and transfers");
    assert.equal(await shown(), "22");
    const answers = await page.evaluate(async () => {
      const all = [];
      for (const q of ["", "kind=messages", "interval=0.2", "by=node", "order=clustered"]) all.push(await (await fetch(`timeline/traffic?${q}`)).json());
      return all;
    });
    for (const t of answers) {   // every table says the same
      const sum = (list, i) => list.reduce((a, b) => a + b[i], 0);
      for (const [list, i] of [[t.cells, 3], [t.sizes, 2], [t.calls, 2], [t.over_time, 1]]) assert.equal(sum(list, i), t.bytes);
      for (const [list, i] of [[t.cells, 2], [t.sizes, 1], [t.calls, 1], [t.over_time, 0]]) assert.equal(sum(list, i), t.messages);
    }
  });
}
