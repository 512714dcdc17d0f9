// Keys: the sheet says all that work on a page, on recorded, small and large traces, and each does what the sheet says. pages_test.mjs calls add().
import assert from "node:assert/strict";

const spelled = { "←": "ArrowLeft", "→": "ArrowRight", "↑": "ArrowUp", "↓": "ArrowDown", Esc: "Escape", "Ctrl+P": "Control+p", "Ctrl+Shift+P": "Control+Shift+P", Space: " " };

export function add({ test, open, page, pages, quiet, says, changes, hash, drawn, task, forgive }) {
  /** The keys of the sheet by group. */
  const sheet = async () => {
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    const groups = Object.fromEntries(await page.$$eval("dialog .keys section", (list) => list.map((s) => [s.dataset.group, [...s.querySelectorAll("kbd")].map((k) => k.textContent)])));
    const isWhole = await page.$eval("dialog[open]", (box) => box.scrollHeight <= box.clientHeight + 1);
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog[open]", { state: "detached" });
    return { groups, isWhole };
  };
  const views = [...pages.map((name) => ["small", name]), ...(task.sites.recorded ? pages.map((name) => ["recorded", name]) : []), ...pages.map((name) => ["large", name]), ["onesided", "timeline"], ["compared", "compare"], ["phases", "whatif"]];
  for (const [site, name] of views) {
    test(`keys: ${site}, ${name}: the sheet names every handler, and none of them fails`, async () => {
      await open(site, name);
      if (["timeline", "compare"].includes(name)) await drawn();
      const { groups, isWhole } = await sheet(), keys = Object.entries(groups).filter(([group]) => !group.startsWith("in a t")).flatMap(([, list]) => list);
      assert.ok(keys.length >= 12, `${name}: ${keys}`);
      assert.ok(isWhole, `${name}: the sheet is cut`);
      for (const key of keys) {
        if (/^[1-8]$/.test(key)) continue;
        for (const one of key.includes(" ") ? key.split(" ") : [spelled[key] ?? key]) await page.keyboard.press(one);
        if (await page.$("dialog[open]")) await page.keyboard.press("Escape");
        if (!(await hash()).startsWith(`#/${name}`)) { await page.evaluate((p) => { location.hash = `#/${p}`; }, name); await quiet(); }
      }
      assert.ok((await says()).length > 20);
      await page.evaluate(() => localStorage.clear());   // colours that a key chose would stay for the tests that follow, of this server
    });
  }

  test("keys: y copies the link to the view, and says so; where it may not, it says that", async () => {
    await open("small", "explore?metric=mpi");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.keyboard.press("y");
    await page.waitForSelector('[role="status"]:has-text("is copied")');
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), page.url());
    await page.context().clearPermissions();
    await page.evaluate(() => { navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed")); });
    await page.keyboard.press("y");
    await page.waitForSelector('[role="status"]:has-text("address field")');
  });

  test("keys: what the sheet says of trees works in each of them", async () => {
    await open("small", "explore?metric=time");
    assert.deepEqual((await sheet()).groups["in a tree"], ["↑", "↓", "→", "←", "Enter", "Space", "PageUp", "PageDown", "Home", "End"]);
    for (const label of ["metrics", "call paths", "system"]) {
      const tree = page.locator(`[aria-label="${label}"]`), at = () => page.evaluate(() => document.activeElement.innerText), focus = async (key) => { const was = await at(); await page.keyboard.press(key); await page.waitForFunction((text) => document.activeElement.innerText !== text, was); };
      await tree.locator('[role="treeitem"]').first().focus();
      await focus("End");
      const last = await at();
      for (const key of ["Home", "ArrowDown", "ArrowUp"]) await focus(key);
      await focus("PageDown");
      await focus("PageUp");
      const open = () => tree.locator('[role="treeitem"]').first().getAttribute("aria-expanded"), was = await open(), key = was === "true" ? "ArrowLeft" : "ArrowRight";
      for (const [press, before] of [[key, was], [key === "ArrowLeft" ? "ArrowRight" : "ArrowLeft", was === "true" ? "false" : "true"], ...(was === "false" ? [[key, was]] : [])]) {
        await page.keyboard.press(press);
        await page.waitForFunction(([name, not]) => document.querySelector(`[aria-label="${name}"] [role="treeitem"]`).getAttribute("aria-expanded") !== not, [label, before]);
      }
      await focus("ArrowDown");
      const before = await hash();
      await page.keyboard.press("Space");
      await page.waitForFunction((h) => location.hash !== h, before);
      assert.notEqual(last, "");
    }
  });

  test("keys: rows of tables are chosen by keys, too", async () => {
    for (const [site, fragment, caption, holds] of [["small", "explore?metric=time", "time by call path", /path=\d/], ["phases", "intervals", "intervals", /interval=0\./], ["phases", "intervals", "characteristics of 0", /intervals=k/], ["phases", "matrix", "traffic by call", /matrix=call\d/], ["compared", "compare", "wait states", /explore\?.*run=difference/]]) {
      await open(site, fragment);
      const table = page.locator(`table:has(caption:text-is("${caption}"))`);
      await table.waitFor();
      assert.ok((await sheet()).groups["in a table whose rows are chosen"].includes("Enter"));
      await quiet();
      assert.equal(await table.locator('tr[tabindex="0"]').count(), 1, `${caption}: one row for the Tab key`);
      await table.locator('tr[tabindex="0"]').focus();
      const at = () => page.evaluate(() => [...document.activeElement.parentElement.children].indexOf(document.activeElement)), first = await at();
      if (await table.locator("tbody tr").count() > 1) {
        await page.keyboard.press("ArrowDown");
        assert.equal(await at(), first + 1, caption);
      }
      const before = await hash();
      await page.keyboard.press("Enter");
      await page.waitForFunction((h) => location.hash !== h, before);
      assert.match(await hash(), holds, caption);
    }
  });

  test("keys: m marks a time, M goes to the next, the legend says what is between; the link and the file hold them", async () => {
    await open("small", "timeline");
    await drawn();
    await quiet();
    const box = await page.locator(".layers canvas").first().boundingBox(), mark = async (part) => { await page.mouse.move(box.x + 92 + part * (box.width - 92), box.y + 60); await changes("m"); };
    await mark(0.25);
    await mark(0.75);
    const marks = new URLSearchParams((await hash()).split("?")[1]).get("marks").split(".").map(Number);
    assert.equal(marks.length, 2);
    const between = () => page.locator(".legend .marks b").getAttribute("title");
    assert.equal(await between(), `${(marks[1] - marks[0]).toLocaleString("en")} ns`);
    await page.reload();
    await drawn();
    assert.equal(await between(), `${(marks[1] - marks[0]).toLocaleString("en")} ns`);
    await changes("w");
    for (let i = 0; i < 2; ++i) await changes("M");
    const view = new URLSearchParams((await hash()).split("?")[1]);
    assert.ok(marks.some((one) => Math.abs(one - (Number(view.get("from")) + Number(view.get("until"))) / 2) <= 2), await hash());
    await page.mouse.move(2, 2);
    await changes("m");   // nothing under the pointer: the middle, where a mark is
    assert.equal(new URLSearchParams((await hash()).split("?")[1]).get("marks").split(".").length, 1);
    await page.locator('.marks button:has-text("no marks")').click();
    assert.ok(!(await hash()).includes("marks="));
    const middle = Math.round((await page.evaluate(async () => (await fetch("timeline/info")).json())).duration / 2);
    await open("small", `timeline?marks=${middle - 3}.${middle + 1}.${middle + 4}`);   // three within a pixel: one goes
    await drawn();
    await page.mouse.move(2, 2);
    await changes("m");
    assert.equal(new URLSearchParams((await hash()).split("?")[1]).get("marks"), `${middle - 3}.${middle + 4}`);
    await open("small", `timeline?marks=${Array.from({ length: 40 }, (_, i) => 1000 * i).join(".")}.x.-5.1e9`);   // too many, and what are none
    await drawn();
    assert.equal(await page.locator(".marks button").count(), 27);
    await page.mouse.move(2, 2);
    await page.keyboard.press("m");
    await page.waitForSelector("text=/26 marks/");
  });

  test("keys: p pins ranks above the others, which stay there and are chosen from there", async () => {
    await open("large", "timeline");
    await drawn();
    await quiet();
    await page.locator(".layers canvas").first().hover({ position: { x: 300, y: 60 } });
    await changes("p");
    await page.waitForSelector(".pinned canvas[data-drawn]:not([data-drawn=''])");
    const rank = Number(new URLSearchParams((await hash()).split("?")[1]).get("pinned"));
    assert.ok(rank > 0 && rank < 4096);
    assert.ok(await page.evaluate(() => document.documentElement.scrollHeight <= innerHeight + 1), "the timeline is higher than its window");
    await changes("i");   // other ranks below
    await page.locator(".pinned canvas").first().click({ position: { x: 500, y: 40 } });
    await page.waitForFunction((r) => new RegExp(`rank\\s+${r}\\b`).test(document.querySelector(".details table")?.innerText ?? ""), rank);
    assert.match(await page.getAttribute(".pinned canvas", "aria-label"), new RegExp(`^Pinned ranks ${rank} from`));
    await changes("p");   // the chosen call's rank is no longer
    await page.waitForSelector(".pinned", { state: "detached" });
    await open("large", "timeline?pinned=4,2,99999,x,3");
    await page.waitForSelector(".pinned canvas[data-drawn]:not([data-drawn=''])");
    assert.match(await page.innerText(".pinned p"), /rank 4 ×.*rank 2 ×/);
  });

  test("keys: what is said of ranks that cannot be shown is said no longer when others are", async () => {
    for (const [wrong, right, where] of [["pinned=2,99999", "pinned=2", ".pinned p [role=status]"], ["ranks=9-", "ranks=0-2", ".legend [role=status]"]]) {
      await page.route("**/timeline/rows?**", (route) => (/99999|9-&|9-$/.test(decodeURIComponent(route.request().url())) ? route.fulfill({ status: 400, json: { error: "no such ranks" } }) : route.continue()));
      await open("small", `timeline?${wrong}`);
      await page.waitForSelector(`${where}:has-text("no such ranks")`);
      await page.evaluate((words) => { location.hash = `#/timeline?${words}`; }, right);
      await page.waitForSelector(`${where}:has-text("no such ranks")`, { state: "detached" });
      await page.unroute("**/timeline/rows?**");
    }
    forgive(/status of 400/);
  });

  test("keys: Q gives the timeline the room of the details; R shows the chosen call alone; F centres it", async () => {
    await open("small", "timeline");
    await drawn();
    await changes(".");
    await page.waitForSelector(".details table");
    await quiet();
    const wide = async () => (await page.locator(".layers canvas").first().boundingBox()).width, before = await wide();
    await changes("Q");
    await page.waitForFunction((was) => document.querySelector(".layers canvas").getBoundingClientRect().width > was + 200, before);
    assert.equal(await page.locator(".details").count(), 0);
    await page.reload();
    await drawn();
    assert.equal(await page.locator(".details").count(), 0, "the link holds it");
    await changes("Q");
    await page.waitForSelector(".details table");
    const d = await page.evaluate(async () => (await fetch(`timeline/call?at=${new URLSearchParams(location.hash.split("?")[1]).get("call")}`)).json());
    await changes("R");
    const at = new URLSearchParams((await hash()).split("?")[1]), view = ["from", "until"].map((name) => Number(at.get(name)));
    assert.deepEqual([...view, Number(at.get("rows"))], [d.begin, d.end, 1]);
    await changes("d");
    await changes("F");
    const centred = new URLSearchParams((await hash()).split("?")[1]);
    assert.ok(Math.abs((Number(centred.get("from")) + Number(centred.get("until"))) / 2 - (d.begin + d.end) / 2) <= 2, await hash());
  });

  test("keys: w, s, a, d enlarge and move the matrix; the link holds it", async () => {
    await open("large", "matrix");
    await page.waitForSelector("canvas[data-drawn]");
    const part = async () => /at(\d+)-(\d+)/.exec(await hash())?.slice(1).map(Number), shows = (from, wide) => page.waitForFunction(([a, b]) => document.querySelector("canvas").getAttribute("aria-label").includes(`, ${b.toLocaleString("en")} ranks`) && location.hash.includes(`at${a}-${b}`), [from, wide]);
    await changes("w");
    await shows(1024, 2048);
    await changes("w");
    await shows(1536, 1024);
    await changes("d");
    await shows(1792, 1024);
    await page.reload();
    await page.waitForSelector("canvas[data-drawn]");
    await shows(1792, 1024);
    await changes("a");
    await shows(1536, 1024);
    await changes("s");
    await shows(1024, 2048);
    await changes("s");
    assert.equal(await part(), undefined);
    await page.route("**/timeline/traffic?**", async (route) => { await new Promise((go) => setTimeout(go, 300)); await route.continue(); });
    try {   // faster than the answers
      for (const key of ["w", "w", "d"]) await changes(key);
      await shows(1792, 1024);
    } finally {
      await page.unroute("**/timeline/traffic?**");
    }
  });
}
