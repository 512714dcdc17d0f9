"use strict";
// Everything on the page is made from the two objects in the element "data": `report` is findings.json, `tables` holds
// call paths and cells (integer nanoseconds, counts or bytes by rank). Text enters only through textContent.
let report, tables, ranks, metrics, metricById, paths;

async function load() {
  const element = document.getElementById("data");
  let text = element.textContent;
  if (element.dataset.encoding === "gzip") {  // large results: gzip in base64
    const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    text = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
  }
  ({ report, tables } = JSON.parse(text));
  ranks = report.run.ranks;
  metrics = report.metrics.map((m) => ({ ...m, total: m.unit === "s" ? nanoseconds(m.inclusive ?? 0) : m.inclusive,
    own: m.unit === "s" ? nanoseconds(m.exclusive ?? 0) : m.exclusive, warm: !!(tables.glossary[m.id] || {}).wait_state }));
  metricById = new Map(metrics.map((m) => [m.id, m]));
  paths = tables.call_paths;
  paths.forEach((p, i) => { p.index = i; });
}
const at = (id) => document.getElementById(id);

function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "rect", "line", "text", "path", "g", "title"].includes(tag);
  const element = svg ? document.createElementNS("http" + "://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// ---- figures: units that adapt, exact values on hover, never "0.0" for something that is not zero
function time(ns) {
  const size = Math.abs(ns);
  if (size === 0) return "0 s";
  if (size < 1e3) return `${ns} ns`;
  if (size < 1e6) return `${(ns / 1e3).toPrecision(3)} µs`;
  if (size < 999.5e6) return `${(ns / 1e6).toPrecision(3)} ms`;
  return `${(ns / 1e9).toFixed(3)} s`;
}
function bytes(value) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let step = 0, v = value;
  while (Math.abs(v) >= 1024 && step < 5) { v /= 1024; step++; }
  return step === 0 ? `${v} B` : `${v.toFixed(1)} ${units[step]}`;
}
const amount = (value, unit) => unit === "s" ? time(value) : unit === "bytes" ? bytes(value) : value.toLocaleString("en");
function exact(value, unit) {
  if (unit === "bytes") return `${value} bytes`;
  if (unit !== "s") return `${value} times`;
  const size = Math.abs(value), whole = Math.floor(size / 1e9);
  return `${value < 0 ? "-" : ""}${whole}.${String(size - whole * 1e9).padStart(9, "0")} s`;
}
function percent(part, whole) {
  if (!whole) return "–";
  const p = 100 * part / whole;
  return part !== 0 && Math.abs(p) < 0.01 ? "<0.01 %" : `${p.toFixed(2)} %`;
}
const nanoseconds = (seconds) => Math.round(seconds * 1e9);
const sum = (values) => values.reduce((a, b) => a + b, 0);
const largest = (values) => values.reduce((a, b) => Math.max(a, b), 0);
const least = (values) => values.reduce((a, b) => Math.min(a, b), values.length ? values[0] : 0);
// Sentences come as plain text: keep figures with their units, and µ where the terminal says u.
const sentence = (text) => text.replace(/(\d) us\b/g, "$1\u00a0µs").replace(/(\d) (s|ms|ns|%)(?![a-z])/g, "$1\u00a0$2").replace(/\b([Rr]ank) (\d)/g, "$1\u00a0$2");

// ---- the three dimensions
const childrenOf = (list, key, id) => list.filter((item) => item[key] === id);
const cells = (metric, path) => (tables.cells[metric] || {})[path];
// Parents stand before children: one backward pass gives inclusive rows.
function inclusiveRows(metric) {
  const rows = paths.map((p) => (cells(metric, p.index) || new Array(ranks).fill(0)).slice());
  for (let i = paths.length - 1; i >= 0; i--) {
    const up = paths[i].parent;
    if (up !== null) rows[i].forEach((value, r) => { rows[up][r] += value; });
  }
  return rows;
}

const chosen = { metric: null, path: null };

// ---- trees: role tree, roving tabindex, arrows
function tree(container, label, roots, draw, children, choose, isChosen, key) {
  const closed = tree.closed[label] ||= new Set();
  const list = make("div", { class: "tree-scroll", role: "tree", "aria-label": label });
  const rows = [];
  (function add(items, level) {
    for (const item of items) {
      const inner = children(item), open = !closed.has(key(item));
      const row = draw(item, level);
      row.setAttribute("role", "treeitem");
      row.setAttribute("aria-level", level + 1);
      row.setAttribute("aria-selected", isChosen(item));
      row.tabIndex = -1;
      row.firstChild.prepend(make("span", { class: "fold", "aria-hidden": "true" }, inner.length ? (open ? "▾" : "▸") : ""));
      row.firstChild.style.paddingLeft = `${level * 0.75}rem`;
      if (inner.length) row.setAttribute("aria-expanded", open);
      const fold = (shut) => { shut ? closed.add(key(item)) : closed.delete(key(item)); redraw(container, key(item)); };
      row.addEventListener("click", (event) => event.target.className === "fold" && inner.length ? fold(open) : choose(item));
      rows.push({ row, item, inner, open, fold, level });
      list.append(row);
      if (inner.length && open) add(inner, level + 1);
    }
  })(roots, 0);
  list.addEventListener("keydown", (event) => {
    const i = rows.findIndex((r) => r.row === document.activeElement);
    if (i < 0) return;
    const { item, inner, open, fold, level } = rows[i];
    const go = (j) => rows[Math.max(0, Math.min(rows.length - 1, j))].row.focus();
    const actions = { ArrowDown: () => go(i + 1), ArrowUp: () => go(i - 1), Home: () => go(0), End: () => go(rows.length - 1),
      ArrowRight: () => inner.length && (open ? go(i + 1) : fold(false)),
      ArrowLeft: () => inner.length && open ? fold(true) : go(rows.slice(0, i).findLastIndex((r) => r.level < level)),
      Enter: () => choose(item), " ": () => choose(item) };
    if (actions[event.key]) { event.preventDefault(); actions[event.key](); }
  });
  const entry = rows.find((r) => isChosen(r.item)) || rows[0];
  if (entry) entry.row.tabIndex = 0;
  container.replaceChildren(list);
  container.focusKey = (wanted) => { const r = rows.find((x) => key(x.item) === wanted); if (r) r.row.focus(); };
}
tree.closed = {};
function redraw(container, focusKey) { drawExplore(); if (container.focusKey) container.focusKey(focusKey); }

function node(name, value, part, share, title, warm) {
  const width = Math.max(0, Math.min(100, 100 * share));
  return make("div", { class: value ? "node" : "node zero", title },
    make("span", { class: "name" }, name), make("span", { class: "number" }, value || "0"), make("span", { class: "number percent" }, part),
    make("span", { class: warm ? "meter warm" : "meter" }, make("span", { style: `width:${width}%` })));
}

function drawExplore() {
  const zeros = at("show-zero").checked;
  const metric = metricById.get(chosen.metric);
  const largestByUnit = {};
  for (const m of metrics) largestByUnit[m.unit] = Math.max(largestByUnit[m.unit] || 0, m.total);
  const visible = (m) => zeros || m.total !== 0 || m.reason || m.id === chosen.metric;
  tree(at("metric-tree"), "Metrics", childrenOf(metrics, "parent", null).filter(visible),
    (m) => node(m.name, m.reason ? "not computable" : amount(m.total, m.unit), m.unit === "s" ? percent(m.total, tables.total_ns) : "", m.total / (largestByUnit[m.unit] || 1),
      `${m.name}\n${m.reason ? `not computable: ${m.reason}\n` : ""}with children: ${exact(m.total, m.unit)}\nown: ${exact(m.own, m.unit)}`, m.warm),
    (m) => childrenOf(metrics, "parent", m.id).filter(visible),
    (m) => choose(m.id, null), (m) => m.id === chosen.metric, (m) => m.id);

  const rows = inclusiveRows(metric.id), totals = rows.map(sum);
  const ownOf = (p) => sum(cells(metric.id, p.index) || []);
  const ordered = (list) => at("largest-first").checked ? list.sort((a, b) => totals[b.index] - totals[a.index] || a.index - b.index) : list;
  const shownPath = (p) => zeros || totals[p.index] !== 0 || p.index === chosen.path;
  at("path-base").textContent = `${metric.name}, percent of its total ${amount(metric.total, metric.unit)}`;
  tree(at("path-tree"), "Call paths", ordered(childrenOf(paths, "parent", null).filter(shownPath)),
    (p) => node(p.label, amount(totals[p.index], metric.unit), percent(totals[p.index], metric.total), totals[p.index] / (metric.total || 1),
      `${p.label}${p.file ? `\n${p.file}${p.line ? `:${p.line}` : ""}` : ""}\nwith children: ${exact(totals[p.index], metric.unit)}\nown: ${exact(ownOf(p), metric.unit)}`, metric.warm),
    (p) => ordered(childrenOf(paths, "parent", p.index).filter(shownPath)),
    (p) => choose(chosen.metric, p.index), (p) => p.index === chosen.path, (p) => String(p.index));
  const hidden = zeros ? 0 : metrics.filter((m) => !visible(m)).length + paths.filter((p) => !shownPath(p)).length;
  at("hidden-note").textContent = hidden ? `${hidden} with value 0 are hidden` : "";

  const byRank = chosen.path === null ? metric.by_rank.map((v) => metric.unit === "s" ? nanoseconds(v ?? 0) : v ?? 0) : rows[chosen.path];
  const where = chosen.path === null ? "all call paths" : paths[chosen.path].label;
  at("rank-base").textContent = `${metric.name} in ${where}, percent of ${amount(sum(byRank), metric.unit)}`;
  at("rank-panel").replaceChildren(...rankPanel(byRank, metric.unit, metric.warm));
  drawAbout(metric);
}

function strip(values, unit, warm, height) {
  // One bar per rank; with more ranks than bars, each bar is the largest of its neighbours, and the caption says so.
  const bars = Math.min(values.length, 320), group = values.length / bars, most = Math.max(1, largest(values));
  const svg = make("svg", { class: "strip", viewBox: `0 0 330 ${height + 34}`, role: "img",
    "aria-label": `Bars of ${values.length} ranks; largest ${amount(largest(values), unit)} on rank ${values.indexOf(largest(values))}` });
  const step = 318 / bars;
  for (let i = 0; i < bars; i++) {
    const from = Math.floor(i * group), to = Math.max(from + 1, Math.floor((i + 1) * group));
    const value = largest(values.slice(from, to)), size = value > 0 ? Math.max(1.5, height * value / most) : 0;
    svg.append(make("rect", { x: 6 + i * step, y: height + 6 - size, width: Math.max(0.8, step - Math.min(2, step / 4)), height: size,
      fill: warm ? "var(--wait)" : "var(--mpi)" },
      make("title", {}, `${to - from > 1 ? `ranks ${from}–${to - 1}, largest` : `rank ${from}`}: ${exact(value, unit)}`)));
  }
  svg.append(make("line", { x1: 6, x2: 324, y1: height + 6.5, y2: height + 6.5, stroke: "var(--line)" }),
    make("text", { x: 6, y: height + 22 }, "rank 0"),
    make("text", { x: 324, y: height + 22, "text-anchor": "end" }, values.length > 1 ? `rank ${values.length - 1}` : ""),
    make("text", { x: 165, y: height + 22, "text-anchor": "middle" }, group > 1 ? `each bar: largest of ${Math.ceil(group)} ranks` : `highest bar ${amount(largest(values), unit)}`));
  return svg;
}

function rankPanel(values, unit, warm) {
  const total = sum(values), most = Math.max(1, largest(values)), limit = 48;
  const order = values.map((value, rank) => ({ value, rank }));
  if (values.length > limit) order.sort((a, b) => b.value - a.value || a.rank - b.rank);
  const shown = order.slice(0, limit);
  const table = make("table", { class: warm ? "warm" : "" }, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "rank"),
    make("th", { scope: "col" }, ""), make("th", { scope: "col", class: "number" }, "value"), make("th", { scope: "col", class: "number" }, "percent"))),
    make("tbody", {}, ...shown.map(({ value, rank }) => make("tr", { title: `rank ${rank}: ${exact(value, unit)}` },
      make("td", { class: "number" }, String(rank)), make("td", { class: "bar" }, make("span", { style: `width:${100 * value / most}%` })),
      make("td", { class: "number" }, amount(value, unit)), make("td", { class: "number" }, percent(value, total))))));
  const mean = total / (values.length || 1);
  const spread = make("p", { class: "base" }, `least ${amount(least(values), unit)} (rank ${values.indexOf(least(values))}), ` +
    `mean ${amount(Math.round(mean), unit)}, most ${amount(largest(values), unit)} (rank ${values.indexOf(largest(values))})`);
  const cut = order.length > limit ? make("p", { class: "base" }, `showing the ${limit} largest of ${order.length} ranks; the bars above show all`) : null;
  return [values.length > 8 ? strip(values, unit, warm, 70) : null, spread, make("div", { class: "tree-scroll" }, table), cut].filter(Boolean);
}

function meaning(id) {
  const text = tables.glossary[id];
  if (!text) return make("p", { class: "note" }, "This version of Mora has no text for this metric.");
  const rows = [["Meaning", text.summary], ["Formula", make("code", {}, text.formula)], ["Source", text.source], ["If it is large", text.diagnosis], ["What to try", text.advice]];
  return make("dl", { class: "meaning" }, ...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
}
function drawAbout(metric) {
  at("about").replaceChildren(make("h3", {}, `${metric.name} `, make("code", {}, metric.id)), meaning(metric.id));
}

function choose(metric, path) {
  chosen.metric = metric;
  chosen.path = path;
  history.replaceState(null, "", `#explore?m=${encodeURIComponent(metric)}${path === null ? "" : `&c=${path}`}`);
  const focused = document.activeElement && document.activeElement.getAttribute("role") === "treeitem" ? document.activeElement.closest("[id]").id : null;
  drawExplore();
  if (focused) at(focused).focusKey(focused === "metric-tree" ? metric : String(path));
}

// ---- the worst instance of a finding: two lanes of time
function microTimeline(f) {
  const worst = f.worst_instance, begin = nanoseconds(worst.begin_s), end = nanoseconds(worst.end_s), length = Math.max(1, end - begin);
  const x = (t) => 110 + 380 * (t - begin + length * 0.15) / (length * 1.35);
  const call = (path) => path && path.length ? path[path.length - 1] : "an unknown call";
  const cause = worst.cause_rank, two = cause !== null && cause !== worst.rank;
  const svg = make("svg", { class: "lanes", viewBox: `0 0 520 ${two ? 118 : 78}`, role: "img",
    "aria-label": `Rank ${worst.rank} waits from ${time(begin)} to ${time(end)}${two ? ` for rank ${cause}` : ""}` });
  svg.append(make("text", { x: 0, y: 38, class: "strong" }, `rank ${worst.rank} waits`),
    make("rect", { x: 110, y: 22, width: 380, height: 24, rx: 3, fill: "var(--track)" }),
    make("rect", { x: x(begin), y: 22, width: x(end) - x(begin), height: 24, rx: 3, fill: "var(--wait)" }, make("title", {}, `waiting ${exact(end - begin, "s")}`)),
    make("text", { x: x(begin) + 2, y: 15, class: "strong" }, `in ${call(f.call_path)}: ${time(end - begin)}`));
  if (two) {
    svg.append(make("text", { x: 0, y: 80, class: "strong" }, `rank ${cause} is late`),
      make("rect", { x: 110, y: 64, width: 380, height: 24, rx: 3, fill: "var(--track)" }),
      make("rect", { x: 110, y: 64, width: x(end) - 110, height: 24, rx: 3, fill: "var(--compute)" }, make("title", {}, "not yet there")),
      make("rect", { x: x(end), y: 64, width: 490 - x(end), height: 24, rx: 3, fill: "var(--mpi)" }, make("title", {}, call(worst.cause_call_path))),
      make("text", { x: x(end) - 6, y: 81, "text-anchor": "end", class: "strong" }, `enters ${call(worst.cause_call_path)} →`),
      make("path", { d: `M ${x(end)} 64 L ${x(end)} 49 M ${x(end) - 4} 54 L ${x(end)} 47 L ${x(end) + 4} 54`, stroke: "var(--ink)", fill: "none", "stroke-width": 1.6 }));
  }
  const base = two ? 108 : 66;
  svg.append(make("text", { x: x(begin), y: base, "text-anchor": "middle" }, `t = ${time(begin)}`), make("text", { x: x(end), y: base, "text-anchor": "middle" }, time(end)));
  return svg;
}

// The calls that were waited for, with what each caused.
function causeCalls(f) {
  const shown = 5, calls = (f.cause_calls || []).filter((c) => c.call_path);
  if (!calls.length) return null;
  return make("div", {}, make("table", { class: "warm" }, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "rank"), make("th", { scope: "col" }, "in the call"), make("th", { scope: "col", class: "number" }, "caused"))),
    make("tbody", {}, ...calls.slice(0, shown).map((c) => make("tr", {}, make("td", { class: "number" }, String(c.rank)), make("td", { class: "path", title: c.call_path.join(" > ") }, c.call_path[c.call_path.length - 1]),
      make("td", { class: "number", title: exact(nanoseconds(c.severity_s), "s") }, time(nanoseconds(c.severity_s))))))),
  calls.length > shown ? make("p", { class: "base" }, `showing ${shown} of ${calls.length} calls`) : null);
}
// Quartiles of the single waits.
function howLong(f) {
  const s = f.statistics;
  if (!s || s.count < 2) return null;
  const columns = [["shortest", s.min_s], ["a quarter ≤", s.q1_s], ["half ≤", s.median_s], ["three quarters ≤", s.q3_s], ["longest", s.max_s], ["mean", s.mean_s]];
  return make("div", {}, make("h4", {}, "How long single waits were"), make("table", {},
    make("thead", {}, make("tr", {}, ...columns.map(([name]) => make("th", { scope: "col", class: "number" }, name)))),
    make("tbody", {}, make("tr", {}, ...columns.map(([, value]) => make("td", { class: "number", title: exact(nanoseconds(value), "s") }, time(nanoseconds(value))))))));
}
function drawFindings() {
  const list = at("finding-list");
  if (!report.findings.length) list.append(make("p", { class: "card" },
    metrics.some((m) => m.reason) ? `Wait states cannot be computed: ${metrics.find((m) => m.reason).reason}.` : "No wait state was found."));
  const first = 6, limit = 50, rest = make("details", { class: "more" }, make("summary", {}, `Show ${Math.min(limit, report.findings.length) - first} more findings, each ${time(nanoseconds((report.findings[first] || { severity_s: 0 }).severity_s))} or less`));
  report.findings.slice(0, limit).forEach((f, i) => {
    const byRank = f.by_rank.map(nanoseconds), severity = nanoseconds(f.severity_s);
    const site = f.call_site ? `${f.call_site.file}${f.call_site.line ? `:${f.call_site.line}` : ""}` : "call site not known";
    const inside = make("div", { class: "inside" },
      make("div", {}, make("h4", {}, "Where"), make("p", { class: "path" }, f.call_path.join(" > ")), make("p", { class: "path" }, site),
        make("h4", {}, "The worst instance"), microTimeline(f),
        make("h4", {}, "Why"), make("p", {}, f.diagnosis), make("h4", {}, "What to try"), make("p", {}, f.advice)),
      make("div", {}, make("h4", {}, `Who waited (${byRank.filter((v) => v > 0).length} of ${ranks} ranks, ${f.instances.toLocaleString("en")} times)`), strip(byRank, "s", true, 56),
        make("h4", {}, "Who was waited for"),
        f.causes.length ? make("table", { class: "warm" }, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "rank"), make("th", { scope: "col" }, ""), make("th", { scope: "col", class: "number" }, "caused"), make("th", { scope: "col", class: "number" }, "of this finding"))),
          make("tbody", {}, ...f.causes.slice(0, 8).map((c) => make("tr", {}, make("td", { class: "number" }, String(c.rank)),
            make("td", { class: "bar" }, make("span", { style: `width:${100 * c.severity_s / f.causes[0].severity_s}%` })),
            make("td", { class: "number", title: exact(nanoseconds(c.severity_s), "s") }, time(nanoseconds(c.severity_s))), make("td", { class: "number" }, percent(c.severity_s, f.severity_s)))))) : make("p", {}, "No single rank can be named."),
        f.causes.length > 8 ? make("p", { class: "base" }, `showing 8 of ${f.causes.length} ranks`) : null,
        causeCalls(f), howLong(f),
        make("p", {}, make("button", { type: "button", onclick: () => showInExplore(f) }, "Show in Explore"))));
    const style = f.percent_of_time < 1 ? "finding small" : "finding";
    (i < first ? list : rest).append(make("details", i === 0 ? { class: style, id: f.id, open: "" } : { class: style, id: f.id },
      make("summary", {}, make("span", { class: "handle" }, `#${f.id}`), make("span", { class: "number amount", title: exact(severity, "s") }, time(severity)),
        make("span", { class: "number share" }, percent(severity, tables.total_ns)), make("span", { class: "sentence" }, make("strong", {}, f.name), sentence(f.summary) + ".")), inside));
  });
  if (report.findings.length > first) list.append(rest);
  if (report.findings.length > limit) list.append(make("p", { class: "note" }, `Showing ${limit} of ${report.findings.length} findings; mora report --json has all.`));
}
function showInExplore(f) {
  const same = (p) => { const labels = []; for (let q = p; q; q = q.parent === null ? null : paths[q.parent]) labels.unshift(q.label); return labels.join("\n") === f.call_path.join("\n"); };
  const path = paths.find(same);
  choose(f.metric, path ? path.index : null);
  at("explore").scrollIntoView();
}

function drawOverview() {
  const run = report.run, total = tables.total_ns, waiting = tables.waiting_ns, mpi = Math.max(0, tables.mpi_ns - waiting), rest = total - mpi - waiting;
  document.title = `${run.program} – Mora report`;
  at("program").textContent = `${run.program}, ${run.ranks} ranks`;
  at("verdict").textContent = sentence(tables.verdict);
  at("efficiency").append(...tables.efficiency.map((text) => make("li", {}, sentence(text))));
  const parts = [["compute", "outside of MPI", rest], ["mpi", "in MPI, not waiting", mpi], ["wait", "waiting in MPI", waiting]];
  if (total > 0) at("split").append(
    make("div", { class: "stack", role: "img", "aria-label": parts.map(([, name, v]) => `${name} ${percent(v, total)}`).join(", ") },
      ...parts.filter(([, , v]) => v > 0).map(([style, name, v]) => make("span", { class: style, style: `flex: ${v} 0 0`, title: `${name}: ${exact(v, "s")}` }))),
    make("ul", { class: "legend" }, ...parts.map(([style, name, v]) => make("li", {}, make("i", { class: style }), `${name}: ${percent(v, total)} of all ranks’ time (${time(v)})`))));
  const facts = [["Wall time", time(nanoseconds(run.wall_s))], ["Ranks", `${run.ranks} on ${run.nodes} node${run.nodes === 1 ? "" : "s"}`], ["Events", run.events.toLocaleString("en")],
    ["Date", run.date], ["MPI", run.mpi], ["Programs", run.programs, "wide"], ["Command", run.command, "wide"], ["End", run.ending, "wide"], ["Trace", `${run.trace} (${run.trace_format})`, "wide"]];
  at("facts").append(...facts.filter(([, value]) => value).map(([name, value, wide]) => make("div", { class: wide || "" }, make("dt", {}, name), make("dd", {}, value))));
  const serious = report.data_quality.filter((row) => row.severity !== "info");
  if (serious.length) at("quality-banner").append(make("p", { class: `card banner ${serious.some((row) => row.severity === "loss") ? "loss" : ""}` },
    `Some figures may be off: ${serious.map((row) => `${row.count} × ${row.kind}`).join(", ")}. `, make("a", { href: "#quality" }, "See data quality")));
}

function drawQuality() {
  if (!report.data_quality.length) { at("quality-table").append(make("p", { class: "card" }, "Nothing was lost or repaired.")); return; }
  at("quality-table").append(make("div", { class: "card" }, make("table", {}, make("thead", {}, make("tr", {}, ...["severity", "count", "kind", "where", "what happened", "what to do"].map((h) => make("th", { scope: "col", class: h === "count" ? "number" : "" }, h)))),
    make("tbody", {}, ...report.data_quality.map((row) => make("tr", {}, make("td", { class: `severity-${row.severity}` }, row.severity), make("td", { class: "number" }, String(row.count)),
      make("td", {}, make("code", {}, row.kind)), make("td", {}, row.where || "–"), make("td", {}, row.what), make("td", {}, row.remedy || "–")))))));
}

function start() {
  drawOverview();
  drawFindings();
  drawQuality();
  for (const m of metrics) at("glossary-list").append(make("details", { id: `metric-${m.id}` }, make("summary", {}, `${m.name} `, make("code", {}, m.id)), meaning(m.id)));
  at("footer").textContent = `${report.creator}. Formulas, sources and advice come from the analysis itself; mora report --json prints the same figures.`;
  const wanted = new URLSearchParams(location.hash.split("?")[1] || "");
  chosen.metric = metricById.has(wanted.get("m")) ? wanted.get("m") : report.findings.length ? report.findings[0].metric : metrics.length ? metrics[0].id : null;
  const path = wanted.has("c") ? Number(wanted.get("c")) : NaN;
  chosen.path = Number.isInteger(path) && paths[path] ? path : null;
  if (chosen.metric !== null) drawExplore();
  for (const id of ["show-zero", "largest-first"]) at(id).addEventListener("change", drawExplore);
  at("theme").addEventListener("click", () => {
    const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    document.documentElement.dataset.theme = dark ? "light" : "dark";
  });
  if (location.hash.startsWith("#theme-")) document.documentElement.dataset.theme = location.hash.slice(7);
  document.body.dataset.ready = "yes";
}
load().then(start).catch((reason) => {
  document.body.prepend(make("p", { class: "card banner loss", role: "alert" }, `This page cannot show its data: ${reason}. Large results need a browser with DecompressionStream (2023 or later).`));
  throw reason;
});
