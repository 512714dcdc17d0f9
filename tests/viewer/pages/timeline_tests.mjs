// The timeline's lines, bars and rows, for pages_test.mjs: what is drawn is what other verbs print.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

export function add({ test, open, openFile, page, changes, hash, drawn, quiet, says, task, forgive }) {
  const ask = (name, values = {}) => page.evaluate(async ([path, query]) => (await fetch(`${path}?${new URLSearchParams(query)}`)).json(), [name, values]);
  const legend = (text) => page.waitForSelector(`.legend li:has-text("${text}")`);
  const shapes = async () => Number(await page.getAttribute("canvas", "data-shapes"));
  const critical = async (values = {}) => {
    for (;;) {
      const answer = await ask("timeline/path", { limit: 20000, ...values });
      if (answer.state === "ready") return answer;
      await page.waitForTimeout(100);
    }
  };

  test("timeline: zoom, pan, previous view, steps, messages, partner, worst wait, search", async () => {
    await open("small", "timeline");
    await drawn();
    await quiet();
    assert.ok(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight), "the timeline is higher than its window");
    for (const key of ["w", "d", "a", "s", "w", "0"]) await changes(key);
    await changes("w");
    const enlarged = await hash();
    await page.waitForTimeout(650);   // steps of one movement are one view
    await changes("d");
    await changes("Backspace");
    assert.equal(await hash(), enlarged);
    await changes(".");
    await page.waitForSelector(".details table");
    await changes(".");
    await changes("l");
    await page.waitForSelector("text=/messages and transfers/");
    await changes("x");
    await page.waitForSelector(".wait-line");
    assert.ok((await page.innerText(".details")).includes("for rank"));
    const before = await page.innerText(".details");
    await page.keyboard.press("]");
    await page.waitForFunction((was) => document.querySelector(".details").innerText !== was, before);
    await page.keyboard.press("0");
    await page.fill('input[type="search"]', "MPI_Barrier");
    await page.press('input[type="search"]', "Enter");
    await page.waitForFunction(() => document.querySelector(".details h2").textContent.includes("MPI_Barrier"));
    const box = await page.locator("canvas").first().boundingBox();
    await page.mouse.click(box.x + box.width * 0.6, box.y + box.height * 0.5);
    await page.mouse.move(box.x + 200, box.y + 100);
    await page.waitForSelector(".tooltip");
    const was = await hash();
    await page.mouse.wheel(0, -100);
    await page.waitForFunction((h) => location.hash !== h, was);
    await page.mouse.move(box.x + 300, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 500, box.y + 70, { steps: 3 });
    await page.mouse.up();
  });

  test("timeline: every depth, from all years to one nanosecond", async () => {
    for (const range of ["from=100&until=101", "from=-99999999999999999&until=99999999999999999", "from=1000000000000&until=2000000000000", "from=9e99&until=-5", "first=9999&rows=3"]) {
      await open("small", `timeline?${range}`);
      await drawn();
      assert.ok((await says()).length > 20);
    }
  });

  test("timeline: 4,096 ranks, at most 10,000 shapes in a frame", async () => {
    await open("large", "timeline");
    await drawn();
    assert.ok((await shapes()) > 0 && (await shapes()) <= 10000, String(await shapes()));
    for (const key of ["w", "i", "i", "i", "i", "i", "i", "l"]) {
      await changes(key);
      await quiet();
      assert.ok((await shapes()) <= 10000, `${key}: ${await shapes()}`);
    }
    await page.waitForFunction(() => document.querySelector("canvas").dataset.drawn === "calls");
  });

  for (const site of ["small", "large", "onesided", ...(task.sites.recorded ? ["recorded"] : [])]) {
    test(`timeline ${site}: the critical path has no gap, and on each rank the length that the analysis says`, async () => {
      await open(site, "timeline");
      await drawn();
      const before = await shapes();
      await changes("t");
      await legend("stretches");
      await page.waitForFunction((was) => Number(document.querySelector("canvas").dataset.shapes) > was, before);
      const { pieces, all } = await critical(), metric = task.reports[site].metrics.find((m) => m.id === "critical-path"), by = metric.by_rank.map(() => 0), info = await ask("timeline/info");
      assert.equal(pieces.length, all);
      for (const [i, [location, from, to]] of pieces.entries()) {
        by[info.locations[location].rank] += to - from;
        assert.ok(i === 0 || from === pieces[i - 1][2], `gap at ${from}`);
      }
      assert.deepEqual(by, metric.by_rank.map((s) => Math.round(s * 1e9)));
      const few = await critical({ limit: 3 });
      assert.ok(few.pieces.length <= 3 && few.all === all);
      assert.ok((await shapes()) <= 10000);
    });
  }

  test("timeline: epochs are those of mora print --epochs, locks those of --locks", async () => {
    await open("onesided", "timeline");
    await drawn();
    await changes("e");
    for (const text of ["fence epoch", "access epoch", "exposure epoch", "exclusive lock", "shared lock", "queue"]) await legend(text);
    const { bars, kinds, all } = await ask("timeline/epochs"), end = (await ask("timeline/info")).duration;
    assert.equal(bars.length, all);
    const epochs = bars.filter((b) => !kinds[b[4]].endsWith("lock")).map((b) => `P${b[0]} ${b[2]}-${b[9] ? "end" : b[3]}`);
    const printed = task.epochs.trim().split("\n").map((line) => line.split(" ")).map(([rank, , times, kind]) => [`${rank} ${times}`, kind]);
    for (const epoch of epochs) assert.ok(printed.some(([name]) => name === epoch), epoch);
    const inLocks = new Set(bars.filter((b) => kinds[b[4]].endsWith("lock")).map((b) => `P${b[0]} ${b[2]}-${b[3]}`));
    for (const [name, kind] of printed) if (kind === "RMA") assert.ok(epochs.includes(name) || inLocks.has(name), `${name} is not drawn`);
    for (const b of bars) if (b[9]) assert.equal(b[3], end);
    const locks = bars.filter((b) => kinds[b[4]].endsWith("lock")).flatMap((b) => [`P${b[6]} ${b[2]} WLOCK P${b[0]} ${kinds[b[4]].split(" ")[0]}`, `P${b[6]} ${b[3]} WUNLOCK P${b[0]}`]).sort();
    assert.deepEqual(locks, task.locks.trim().split("\n").map((line) => line.replace(/^w0 /, "").replace(/ (requested|event)=.*/, "")).sort());
    assert.equal(await page.evaluate(() => location.hash.includes("epochs=1")), true);
  });

  test("timeline: one-sided transfers closed, logical, as dependencies, as mora convert writes them", async () => {
    await open("onesided", "timeline");
    await drawn();
    for (const way of ["closed", "logical", "dependencies"]) {
      await changes("L");
      assert.equal(await page.evaluate(() => new URLSearchParams(location.hash.split("?")[1]).get("transfers")), way);
      await legend(`one-sided: ${way}`);
    }
    const found = await ask("timeline/messages", { transfers: "dependencies", limit: 10000 });
    const rows = task.dependencies.trim().split("\n").slice(1).map((line) => line.split(","));
    const kinds = (list) => list.reduce((sum, kind) => ({ ...sum, [kind]: (sum[kind] ?? 0) + 1 }), {});
    const at = task.dependencies.split("\n")[0].split(",").indexOf("kind");
    const exported = kinds(rows.map((row) => row[at]));
    assert.deepEqual(kinds([...found.lines.map((l) => l.kind), ...found.joined.map((f) => f.kind)]), exported);
    assert.ok(found.lines.some((l) => l.end < l.begin), "one runs backwards");
    const closed = await ask("timeline/messages", { transfers: "closed" });
    assert.deepEqual(closed.lines.map((l) => l.kind).sort(), ["get", "get request", "put", "put"]);
    assert.ok(closed.lines.every((l) => l.end >= l.begin && l.window === "w0"));
    await changes("L");
  });

  test("timeline: the tooltip of a call names function, kind, place, duration, partner, bytes and wait", async () => {
    const f = task.reports.small.findings.find((one) => one.call_path.at(-1).startsWith("MPI_Recv")), worst = f.worst_instance, [from, until] = [worst.begin_s, worst.end_s].map((s) => Math.round(s * 1e9));
    await open("small", `timeline?from=${from - 20000}&until=${until + 20000}`);
    await drawn();
    await legend(" calls");
    const box = await page.locator("canvas").first().boundingBox();
    await page.mouse.move(box.x + 92 + (box.width - 92) / 2, box.y + 26 + ((worst.rank + 0.9) * (box.height - 26)) / 4);
    await page.waitForSelector('.tooltip:has-text("message from rank")');   // asked for once the pointer rests
    const said = await page.innerText(".tooltip");
    for (const part of [/^MPI_Recv: \d/m, /receiv/i, /ring\.c:11/, /message from rank \d, [\d.]+ (B|KiB)/, new RegExp(`${f.name}: .*for rank ${worst.cause_rank}`), new RegExp(`rank ${worst.rank} on node0 at `)]) assert.match(said, part);
  });

  test("timeline: Shift-drag measures, and changes nothing; a drag enlarges", async () => {
    await open("small", "timeline");
    await drawn();
    await legend(" calls");
    const box = await page.locator("canvas").first().boundingBox(), { duration } = await ask("timeline/info"), before = await hash(), ruler = () => page.innerText(".area-length");
    await page.keyboard.down("Shift");
    await page.mouse.move(box.x + 292, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + 492, box.y + 90, { steps: 3 });
    await page.waitForSelector(".area-length");
    const expected = (200 * duration) / (box.width - 92), [, number, unit] = /^([\d.,]+) (.*)$/.exec(await ruler());
    assert.ok(Math.abs(Number(number.replaceAll(",", "")) * { ns: 1, "µs": 1e3, ms: 1e6, s: 1e9 }[unit] - expected) < expected * 0.02, `${await ruler()}, not ${expected} ns`);
    await page.mouse.up();
    await page.keyboard.up("Shift");
    await page.waitForSelector(".area-length", { state: "detached" });
    assert.equal(await hash(), before);
  });

  if (task.sites.recorded) {
    test("timeline: when a rank had a core, and what else the kernel counted, as lanes", async () => {
      await open("recorded", "timeline");
      await drawn();
      const names = await page.$$eval(".bar-of-tools select:has(option[value='']) option", (list) => list.map((o) => [o.value, o.textContent])), [value] = names.find(([, text]) => text === "had a core") ?? [];
      assert.equal(value, "CPU_TIME", JSON.stringify(names));
      const before = await page.getAttribute("canvas", "data-frames");
      await page.selectOption(".bar-of-tools label:has-text('lane') select", value);
      await legend("had a core: full height is all of the time");
      await page.waitForFunction((was) => document.querySelector("canvas").dataset.frames !== was, before);
      const info = await ask("timeline/info"), metric = info.counters.findIndex((c) => c?.name === "CPU_TIME"), { stretches } = await ask("timeline/counters", { metric, limit: 100000 });
      assert.ok(stretches.length > 0 && stretches.every(([, from, until, value, rate]) => until > from && Math.abs(rate - value / (until - from)) < 1e-6), JSON.stringify(stretches.slice(0, 3)));
      const sum = (of) => stretches.reduce((all, one) => all + of(one), 0);
      assert.ok(sum((one) => one[3]) > 0 && sum((one) => one[3]) <= 1.05 * sum((one) => one[2] - one[1]), "more time on a core than there was");
      for (const name of ["waited for a core", "page faults"]) assert.ok(names.some(([, text]) => text === name), name);
      await changes("k");
      assert.ok(!(await hash()).includes("counter=CPU_TIME"));
    });
  }

  test("timeline: tooltips name partner, bytes, window, kind", async () => {
    await open("onesided", "timeline?lines=1&transfers=closed&epochs=1&from=36000&until=66000");
    await drawn();
    const { lines } = await ask("timeline/messages", { transfers: "closed" }), put = lines.find((l) => l.kind === "put" && l.bytes === 4000), box = await page.locator("canvas").first().boundingBox();
    const x = (t) => 92 + ((t - 36000) / 30000) * (box.width - 92), y = (rank) => 26 + ((rank + 0.5) * (box.height - 26)) / 3;
    const middle = 0.4, at = [x(put.begin + (put.end - put.begin) * middle), y(put.from) + (y(put.to) - y(put.from)) * middle];
    await page.waitForFunction(() => /transfers/.test(document.querySelector(".legend").innerText));
    await page.mouse.move(box.x + at[0], box.y + at[1]);
    await page.waitForSelector('.tooltip:has-text("put on w0: rank 0 → rank 2, ")');
    assert.match(await page.innerText(".tooltip"), /rank 2, (4\.0+ kB|4,000 B|3\.9\d* KiB), 20\.0+ µs/);
    await page.mouse.move(box.x + x(50000), box.y + 26 + ((box.height - 26) / 3) * 1.93);
    await page.waitForSelector('.tooltip:has-text("in the queue for the shared lock of w0 at rank 2")');
    await page.mouse.move(box.x + x(42000), box.y + y(0) + 2);
    await page.waitForSelector('.tooltip:has-text("put to rank 2")');
  });

  test("timeline: who came when in collectives; root", async () => {
    await open("onesided", "timeline");
    await drawn();
    await changes("b");
    await legend("◇ root");
    const { instances } = await ask("timeline/collectives"), bcast = instances.find((one) => one.name === "MPI_Bcast");
    assert.deepEqual([bcast.members, bcast.root, bcast.points], [3, 0, [[0, 112000], [1, 111000], [2, 115000]]]);
    await open("large", "timeline?collectives=1");
    await drawn();
    await legend("a point is the last of its neighbours");
    assert.ok((await shapes()) <= 10000);
    assert.ok((await ask("timeline/collectives")).instances.every((one) => one.members === 4096 && one.points.length <= 256));
  });

  test("timeline: non-blocking collectives lead from start to completion; ], details, tooltip", async () => {
    await open("overlapping", "timeline");
    await drawn();
    const before = await shapes();
    await changes("b");
    await legend("to where a non-blocking one is completed; 1 never completed");
    await page.waitForFunction((was) => Number(document.querySelector("canvas").dataset.shapes) > was + 4, before);
    const { instances } = await ask("timeline/collectives"), [one] = instances, [p0, p1, p2] = one.completions;
    assert.deepEqual([instances.length, one.name, one.members, one.points], [1, "MPI_Iallreduce", 3, [[0, 10000], [1, 30000], [2, 40000]]]);
    assert.deepEqual([p0.slice(0, 3), p1.slice(0, 3), p2.slice(0, 3)], [[0, 10000, 100000], [1, 30000, 60000], [2, 40000, null]]);
    const box = await page.locator("canvas").first().boundingBox(), high = (box.height - 26) / 3;
    await page.mouse.move(box.x + 92 + (70 / 130) * (box.width - 92), box.y + 26 + high / 2);
    await page.waitForSelector('.tooltip:has-text("rank 0 completed it 90.000 µs after its start; 3 members started it within 30.000 µs")');
    await open("overlapping", `timeline?call=${p0[3]}`);
    await page.waitForSelector('.details:has-text("starts an operation")');
    await page.locator("canvas").first().focus();
    await changes("]");
    await page.waitForFunction((call) => location.hash.includes(`call=${call}`), p0[4]);
    await page.waitForSelector('.details:has-text("MPI_Wait")');
    await changes("]");
    await page.waitForFunction((call) => location.hash.includes(`call=${call}`), p0[3]);
  });

  test("matrix: waiting over time is the waiting of the report", async () => {
    await open("small", "matrix");
    await page.waitForSelector("svg.over-time rect.fill-wait-0");
    const { waits, from, length } = await ask("waiting"), metrics = Object.fromEntries(task.reports.small.metrics.map((m) => [m.id, Math.round(m.inclusive * 1e9)]));
    assert.ok(waits.length >= 2 && from === 0 && length > 0);
    for (const wait of waits) {
      assert.deepEqual([wait.all, wait.ns.reduce((a, b) => a + b, 0)], [metrics[wait.metric], metrics[wait.metric]], wait.metric);
      await page.waitForSelector(`.legend li:has-text("${wait.name}")`);
    }
    await openFile("small", "matrix");
    await page.waitForSelector("svg.over-time rect.fill-wait-0");
  });

  test("timeline: the longest call of a function, by its name and from any of its calls", async () => {
    let expected = 0;
    for (const show of [open, openFile]) {
      await show("small", "timeline");
      await drawn();
      if (show === open) expected = await page.evaluate(async () => Math.max(...(await (await fetch("timeline/info")).json()).regions.filter((r) => r.name === "MPI_Recv").map((r) => r.longest)));
      await page.fill('.bar-of-tools input[type="search"]', "MPI_Recv");
      await page.press('.bar-of-tools input[type="search"]', "Shift+Enter");
      await page.waitForFunction(() => document.querySelector(".details h2").textContent.includes("MPI_Recv"));
      const duration = async () => page.locator('.details tr:has(th:text("duration")) td').getAttribute("title"), longest = await duration();
      assert.equal(longest, `${expected.toLocaleString("en")} ns`);
      const worst = task.reports.small.findings.find((f) => f.call_path.at(-1).startsWith("MPI_Recv")).worst_instance;
      assert.ok(Number(longest.replace(/\D/g, "")) >= Math.round(1e9 * (worst.end_s - worst.begin_s)), longest);   // no wait is longer than the call that it is in
      await page.fill('.bar-of-tools input[type="search"]', "");
      await page.locator("canvas").first().focus();
      await page.keyboard.press(".");
      await page.waitForFunction(() => !document.querySelector(".details h2").textContent.includes("MPI_Recv"));
      const other = await page.innerText(".details h2");
      await page.keyboard.press("X");
      await page.waitForFunction((name) => document.querySelector(".details h2").textContent === name, other);
    }
  });

  test("timeline: zooming out stays within the run", async () => {
    await open("small", "timeline?from=1000&until=101000");
    await drawn();
    for (let i = 0; i < 12 && (await page.evaluate(() => location.hash)).includes("until="); ++i) {
      await changes("s");
      const [from, until] = await page.evaluate(() => ["from", "until"].map((name) => Number(new URLSearchParams(location.hash.split("?")[1]).get(name) ?? 0)));
      assert.ok(from >= 0 && until - from < 2_000_000, `${from} to ${until}`);
    }
    assert.ok(!(await page.evaluate(() => location.hash)).includes("until="));
  });

  test("timeline: a movement of the pointer does not draw the timeline again", async () => {
    await open("small", "timeline");
    await drawn();
    await legend(" calls");
    const frames = () => page.getAttribute("canvas", "data-frames"), before = await frames(), box = await page.locator("canvas").first().boundingBox();
    for (let i = 0; i < 20; ++i) await page.mouse.move(box.x + 150 + 20 * i, box.y + 80);
    await page.waitForSelector(".tooltip");
    assert.equal(await frames(), before);
  });

  test("timeline: intervals above the ruler are those of mora report --intervals; click, double click, u, U", async () => {
    await open("marks", "timeline");
    await drawn();
    await page.waitForSelector(".band button");
    const { bars, numbers } = await ask("timeline/intervals", { location: 0, from: 0, until: 500000 });
    for (const interval of task.marked.intervals.slice(1)) {
      const mine = bars.filter((b) => numbers[b[0]] === interval.number);
      assert.equal(mine.length, 6);
      assert.equal(mine.reduce((sum, b) => sum + b[3] - b[2], 0), Math.round(interval.by_rank.find((r) => r.rank === 0).execution_time * 1e9), interval.number);
    }
    await page.locator(".band button").nth(2).click();
    await page.waitForFunction(() => location.hash.includes("interval=0.1"));
    await page.locator(".band button").nth(2).dblclick();
    await page.waitForFunction(() => location.hash.includes("from="));
    await changes("u");
    await changes("U");
    await open("marks", "timeline?from=1000&until=5000");
    await page.waitForFunction(() => /none of its 12 executions/.test((document.querySelector(".band")?.innerText ?? "")));
    await open("marks", "timeline?call=3");
    await page.waitForFunction(() => /^intervals P/.test((document.querySelector(".band")?.innerText ?? "")));
    const file = await Promise.all([page.waitForEvent("download"), page.locator("button", { hasText: "SVG" }).last().click({ force: true })]).then(([saved]) => saved.path());
    assert.ok(readFileSync(file, "utf8").includes(">0.1 step<"), "the band is in the file");
    await page.keyboard.press("5");
    await page.waitForSelector("tr.chosen, [aria-selected=true]");
  });

  test("timeline: ranks are chosen and ordered; the link holds it", async () => {
    await open("large", "timeline");
    await drawn();
    await page.fill("input.ranks", "0-7,130");
    await page.press("input.ranks", "Enter");
    await page.waitForSelector('.legend li:has-text("9 of 4,096 rows")');
    await page.waitForFunction(() => document.querySelector("canvas").dataset.drawn === "calls");
    const kept = await page.evaluate(() => location.hash);
    assert.ok(kept.includes("ranks=0-7%2C130"), kept);
    await page.reload();
    await page.waitForSelector('.legend li:has-text("9 of 4,096 rows")');
    await page.locator('.legend button:has-text("all")').click();
    await page.locator("canvas").first().focus();
    for (const sort of ["node", "waiting", "alike"]) {
      await changes("r");
      assert.ok((await page.evaluate(() => location.hash)).includes(`sort=${sort}`));
      if (sort === "node") await legend("64 nodes: node0 (64)");
      if (sort === "alike") await legend("kinds of behaviour: like P0");
    }
    assert.ok((await shapes()) <= 10000);
    await open("small", "timeline?sort=waiting");
    const { rows } = await ask("timeline/rows", { sort: "waiting" }), summary = await ask("summary"), waiting = rows.map((l) => summary.waiting_by_rank_ns[l]);
    assert.deepEqual(waiting, [...waiting].sort((a, b) => b - a));
    await open("small", "timeline?ranks=99");
    await page.waitForSelector("text=/none of these ranks/");
    forgive();   // the refusal is an error in the browser's console, too
    await open("small", "timeline?ranks=1,2&sort=waiting");
    await drawn();
    await changes("x");   // the worst wait, of a rank that may not be among these
  });

  test("the page without a server: critical path, epochs, transfers, collectives, intervals", async () => {
    await openFile("onesided", "timeline?epochs=1&lines=1&transfers=dependencies&collectives=1&critical=1");
    await drawn();
    for (const text of ["critical path: ", "exposure epoch", "one-sided: dependencies", "◇ root"]) await legend(text);
    assert.equal(await page.locator(".legend .severity-warning").count(), 0);
    assert.equal(await page.locator("input.ranks").count(), 0);
    const bandOf = async (show, fragment) => { await show("marks", fragment); await page.waitForSelector(".band button"); return page.$$eval(".band button", (list) => list.map((b) => b.title)); };
    for (const fragment of ["timeline", "timeline?from=100000&until=200000"]) {
      const served = await bandOf(open, fragment);
      assert.equal(served.length, fragment === "timeline" ? 12 : 4);   // each execution by itself
      assert.deepEqual(await bandOf(openFile, fragment), served);
    }
    await openFile("large", "timeline?critical=1");
    await drawn();
    await legend("critical path: ");
  });
}
