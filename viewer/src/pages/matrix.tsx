// Who sent how much to whom: point-to-point messages and one-sided transfers, counted from the trace, by call, interval,
// stretch of time; how large they were, and when. All figures are the server's.
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Activity, ask, type Interval, once, type TimelineInfo, type Traffic, type Waiting } from "../data";
import { bytes, count, place, time } from "../format";
import { useCommands } from "../keys";
import { isOffline } from "../offline";
import { select, selection, useSelection } from "../selection";
import { Opened } from "../timeline/opened";
import { CanvasPainter, type Painter, SvgPainter } from "../timeline/painter";
import { ticks } from "../timeline/scene";
import { OverTime } from "../widgets/over_time";
import { DataTable, Picture, Problem, SaveButtons, useAnswer } from "../widgets/common";

type Of = "bytes" | "messages" | "size";
const names: Record<Of, string> = { bytes: "Bytes", messages: "Messages", size: "Mean size" };
const kinds = [["", "All"], ["messages", "Point-to-point"], ["transfers", "One-sided"]] as const;
/** Of two runs: the values of the second less those of the first. */
function differenceOf(a: Traffic, b: Traffic, of: Of): { cell: Traffic["cells"][number]; by: number }[] {
  const places = new Map<string, [Traffic["cells"][number] | undefined, Traffic["cells"][number] | undefined]>(), key = (c: Traffic["cells"][number]): string => `${c[0]} ${c[1]}`;
  for (const cell of a.cells) places.set(key(cell), [cell, undefined]);
  for (const cell of b.cells) places.set(key(cell), [places.get(key(cell))?.[0], cell]);
  return [...places.values()].map(([before, now]) => ({ cell: now ?? [before![0], before![1], 0, 0] as Traffic["cells"][number], by: (now ? valueOf(now, of) : 0) - (before ? valueOf(before, of) : 0) }));
}
const valueOf = (cell: Traffic["cells"][number], of: Of): number => (of === "bytes" ? cell[3] : of === "messages" ? cell[2] : cell[3] / Math.max(1, cell[2]));
const figure = (value: number, of: Of): string => (of === "messages" ? count(value) : bytes(Math.round(value)));
const margin = { left: 62, top: 46, right: 10, bottom: 10 };

/** What the page shows, as the words that the URL holds. */
interface Choice { of: Of; kind: string; byNode: boolean; clustered: boolean; region: number | null; range: [number, number] | null }
function choiceOf(words: string): Choice {
  const all = words.split(".").filter(Boolean), region = all.map((w) => /^call(\d+)$/.exec(w)?.[1]).find(Boolean), part = all.map((w) => /^at(\d{1,9})-(\d{1,9})$/.exec(w)).find(Boolean);
  return { of: (["messages", "size"] as const).find((w) => all.includes(w)) ?? "bytes", kind: all.includes("p2p") ? "messages" : all.includes("rma") ? "transfers" : "", byNode: all.includes("nodes"), clustered: all.includes("clustered"), region: region === undefined ? null : Number(region), range: part ? [Number(part[1]), Math.max(1, Number(part[2]))] : null };
}
const wordsOf = (c: Choice): string => [c.of === "bytes" ? "" : c.of, c.kind === "messages" ? "p2p" : c.kind ? "rma" : "", c.byNode ? "nodes" : "", c.clustered ? "clustered" : "", c.region === null ? "" : `call${c.region}`, c.range ? `at${c.range[0]}-${c.range[1]}` : ""].filter(Boolean).join(".");

/** Calls and ranks have their numbers in one run. */
export const inAnyRun = (words: string): string => wordsOf({ ...choiceOf(words), region: null, range: null });

type Asked = Record<string, string | number>;
interface Look { more: string; less: string; ink: string; soft: string; card: string; track: string; hot: string; line: string }
function look(): Look {
  const style = getComputedStyle(document.documentElement), v = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return { more: v("more"), less: v("less"), ink: v("ink"), soft: v("soft"), card: v("card"), track: v("track"), hot: v("mpi"), line: v("line") };
}

/** Of a position: the rank or node there, or how many are joined. */
function itemOf(t: Traffic, cell: number): string {
  const first = t.first + cell * t.group, last = Math.min(t.first + t.shown, first + t.group) - 1, item = (at: number): string => t.names?.[at] ?? String(t.order?.[at] ?? at);
  if (first === last) return `${t.by} ${item(first)}`;
  return t.order || t.names ? `${t.by}s ${item(first)} … ${item(last)} (${last - first + 1})` : `${t.by}s ${first}–${last}`;
}

function draw(p: Painter, t: Traffic, of: Of, side: number, c: Look, before?: Traffic): void {
  const cells = Math.ceil(t.shown / t.group), step = (side - margin.left - margin.right) / Math.max(1, cells), changes = before ? differenceOf(before, t, of) : t.cells.map((cell) => ({ cell, by: valueOf(cell, of) })), values = changes.map((one) => Math.abs(one.by));
  let most = 0, least = Infinity;
  for (const value of values) if (value > 0) { most = Math.max(most, value); least = Math.min(least, value); }
  p.rect(0, 0, side, side, c.card);
  p.rect(margin.left, margin.top, step * cells, step * cells, c.track);
  changes.forEach(({ cell, by }, i) => {
    const value = values[i]!, share = most === least ? 1 : (Math.log(Math.max(value, least)) - Math.log(least)) / (Math.log(most) - Math.log(least));
    p.rect(margin.left + cell[1] * step, margin.top + cell[0] * step, Math.max(1, step - (step > 6 ? 1 : 0)), Math.max(1, step - (step > 6 ? 1 : 0)), !before ? c.hot : by > 0 ? c.more : by < 0 ? c.less : c.line, value > 0 ? 0.18 + 0.82 * share : 0.1);
    if (step > 46) p.text(margin.left + (cell[1] + 0.5) * step, margin.top + (cell[0] + 0.5) * step, (by < 0 ? "-" : before && by > 0 ? "+" : "") + figure(value, of), share > 0.45 ? c.card : c.ink, "middle", step - 6);
  });
  p.text(margin.left, 12, `receiving ${t.by} →${t.order ? " (clustered)" : ""}`, c.soft);
  p.text(4, 12, "sender ↓", c.soft);
  const letters = Math.max(4, ...(t.names ?? []).map((name) => Math.min(8, name.length))), names = Math.max(2, Math.min(12, Math.floor((side - margin.left) / (7.4 * letters + 12))));
  const shown = t.order || t.names ? Array.from({ length: cells }, (_, i) => i).filter((i) => i % Math.ceil(cells / names) === 0) : ticks(t.first, t.first + t.shown - 1, Math.min(12, Math.max(2, cells))).map((rank) => (rank - t.first) / t.group);
  for (const cell of shown) {
    const at = t.first + Math.round(cell * t.group), text = (t.names?.[at] ?? String(t.order?.[at] ?? at)).slice(0, 8), middle = ((cell * t.group) / t.group + 0.5) * step;
    p.text(margin.left + middle, margin.top - 12, text, c.soft, "middle");
    p.text(margin.left - 8, margin.top + middle, text, c.soft, "end");
  }
}

export const Matrix = (): JSX.Element => <Opened what="matrix">{(info) => <Counted info={info} />}</Opened>;

function Counted({ info }: { info: TimelineInfo }): JSX.Element {
  const s = useSelection(), choice = choiceOf(s.matrix), { of, range } = choice, [hover, setHover] = useState<{ x: number; y: number } | null>(null), [redraw, setRedraw] = useState(0);
  const intervals = useAnswer(() => once<{ intervals: Interval[] }>("intervals").catch(() => ({ intervals: [] as Interval[] })), []).value?.intervals ?? [];
  const interval = intervals.find((i, at) => at > 0 && i.number === s.interval), hasStretch = s.from !== 0 || s.until !== 0, stretch: Asked = hasStretch ? { from: Math.floor(s.from), until: Math.floor(Math.max(s.until, s.from + 1)) } : {};
  const asked: Asked = { ...(choice.kind ? { kind: choice.kind } : {}), ...(choice.byNode ? { by: "node" } : {}), ...(choice.clustered && s.run !== "difference" ? { order: "clustered" } : {}), ...(choice.region === null ? {} : { region: choice.region }), ...(interval ? { interval: interval.number } : {}), ...stretch };
  const traffic = useAnswer(() => ask<Traffic>("timeline/traffic", { ...asked, ...(range ? { first: range[0], count: range[1] } : {}) }), [JSON.stringify(asked), range?.[0], range?.[1]]);
  const t = traffic.value, isDifference = s.run === "difference" && choice.region === null, ofA = useAnswer(() => (isDifference ? ask<Traffic>("timeline/traffic", { ...asked, ...(range ? { first: range[0], count: range[1] } : {}) }, undefined, "") : Promise.resolve(undefined)), [isDifference, JSON.stringify(asked), range?.[0], range?.[1]]).value;
  const activity = useAnswer(() => ask<Activity>("timeline/activity", stretch), [JSON.stringify(stretch)]);
  const waiting = useAnswer(() => ask<Waiting>("waiting", stretch), [JSON.stringify(stretch), s.run]);
  const before = ofA && t && ofA.group === t.group && ofA.shown === t.shown ? ofA : undefined, why = s.run !== "difference" ? "" : choice.region !== null ? "the difference of a single call is not shown: this is run B" : ofA && t && !before ? "the runs have different numbers of ranks: this is run B" : "";
  const whole = useAnswer(() => once<Traffic>("timeline/traffic", {}), []).value;
  const sheet = useRef<HTMLCanvasElement>(null), side = Math.max(320, Math.min(1080, innerHeight - 250, Math.round(innerWidth * 0.5)));
  const put = (change: Partial<Choice>): void => select({ matrix: wordsOf({ ...choiceOf(selection().matrix), range: null, ...change }) });
  const all = t && (t.by === "node") === choice.byNode ? t.ranks : 0;   // 0: not known yet
  /** These ranks or nodes alone, at least 16 of them. */
  const part = (first: number, wide: number): void => {
    const most = Math.max(16, Math.round(wide));
    if (all > 0) put({ range: most >= all ? null : [Math.max(0, Math.min(all - most, Math.round(first))), most] });
  };
  /** Of what is asked for, which need not be drawn yet: shifted by parts of its width, so many times as wide. */
  const move = (by: number, times = 1): void => {
    const [first, width] = choiceOf(selection().matrix).range ?? [0, all], wide = Math.min(width, all);
    part(Math.min(first, all - wide) + by * wide, times * wide);
  };
  useEffect(() => {
    const again = (): void => setRedraw((n) => n + 1);
    addEventListener("look", again);
    return () => removeEventListener("look", again);
  }, []);
  useLayoutEffect(() => {
    const context = sheet.current?.getContext("2d"), dense = devicePixelRatio || 1;
    if (!context || !t) return;
    sheet.current!.width = sheet.current!.height = side * dense;
    context.scale(dense, dense);
    draw(new CanvasPainter(context), t, of, side, look(), before);
    sheet.current!.dataset.drawn = before ? "difference" : "matrix";
  }, [t, of, side, redraw, before]);
  const everything = (): void => select({ matrix: "", interval: "", from: 0, until: 0 });
  useCommands("matrix", [
    { keys: ["v"], does: "bytes, messages, mean size", group: "matrix", run: () => put({ of: of === "bytes" ? "messages" : of === "messages" ? "size" : "bytes" }) },
    { keys: ["k"], does: "all, point-to-point, one-sided", group: "matrix", run: () => put({ kind: choice.kind === "" ? "messages" : choice.kind === "messages" ? "transfers" : "" }) },
    { keys: ["r"], does: "ranks or nodes", group: "matrix", run: () => put({ byNode: !choice.byNode }) },
    { keys: ["o"], does: "in order, or those next to each other that exchange most", group: "matrix", run: () => put({ clustered: !choice.clustered }) },
    ...(isOffline ? [] : [   // a part is asked of a server
      { keys: ["w", "+"], does: "enlarge the middle", group: "matrix", run: () => move(1 / 4, 1 / 2) }, { keys: ["s", "-"], does: "more of it", group: "matrix", run: () => move(-1 / 2, 2) },
      { keys: ["a"], does: "lower ranks", group: "matrix", run: () => move(-1 / 4) }, { keys: ["d"], does: "higher ranks", group: "matrix", run: () => move(1 / 4) }]),
    { keys: ["0"], does: "everything", group: "matrix", run: everything }]);
  if (!t) return traffic.error ? <><Problem text={traffic.error} /><p><button type="button" onClick={everything}>Everything (0)</button></p></> : <p class="soft">Loading …</p>;
  if (whole && whole.messages === 0) return <p class="card">No point-to-point message and no one-sided transfer was recorded. Collective operations are on the pages Explore and Timeline.</p>;
  const cells = Math.ceil(t.shown / t.group), step = (side - margin.left - margin.right) / cells;
  const at = (x: number, y: number): [number, number] | null => { const to = Math.floor((x - margin.left) / step), from = Math.floor((y - margin.top) / step); return to >= 0 && from >= 0 && to < cells && from < cells ? [from, to] : null; };
  const under = hover && at(hover.x, hover.y), cell = under && t.cells.find((c) => c[0] === under[0] && c[1] === under[1]), cellBefore = under && before?.cells.find((c) => c[0] === under[0] && c[1] === under[1]);
  const sorted = [...t.cells].sort((a, b) => valueOf(b, of) - valueOf(a, of)), largest = Math.max(...t.sizes.map((size) => size[1]), 1);
  const callName = (region: number): string => { const r = info.regions[region]; return r ? `${r.name}${r.line || r.file ? ` (${place(r.file, r.line)})` : ""}` : "a call that is not known"; };
  const calls = [...(whole?.calls ?? t.calls)].sort((a, b) => b[2] - a[2] || b[1] - a[1]), isPart = Object.keys(asked).some((key) => key !== "by" && key !== "order") || range !== null;
  const mean = (c: [number, number, number]): number => Math.round(c[2] / Math.max(1, c[1]));
  return <div class="matrix">
    {traffic.error && <Problem text={traffic.error} />}
    <div class="bar-of-tools"><div role="group" aria-label="values">{(["bytes", "messages", "size"] as const).map((which) => <button type="button" aria-pressed={of === which} onClick={() => put({ of: which })}>{names[which]}</button>)}</div>
      <div role="group" aria-label="what is counted">{kinds.map(([kind, name]) => <button type="button" aria-pressed={choice.kind === kind} onClick={() => put({ kind })}>{name}</button>)}</div>
      <button type="button" aria-pressed={choice.byNode} onClick={() => put({ byNode: !choice.byNode })}>Nodes (r)</button>
      <button type="button" aria-pressed={choice.clustered} title="ranks that exchange most stand next to each other" onClick={() => put({ clustered: !choice.clustered })}>Clustered (o)</button>
      <label>call: <select value={choice.region ?? ""} onChange={(e) => put({ region: e.currentTarget.value === "" ? null : Number(e.currentTarget.value) })}><option value="">all</option>{calls.map((c) => <option value={c[0]}>{callName(c[0])}</option>)}</select></label>
      {intervals.length > 1 && <label>interval: <select value={interval?.number ?? ""} onChange={(e) => select({ interval: e.currentTarget.value, matrix: wordsOf({ ...choice, range: null }) })}><option value="">the program</option>{intervals.slice(1, 400).map((i) => <option value={i.number}>{i.number} {i.name} {place(i.file, i.line)}{i.id ? ` #${i.id}` : ""}</option>)}</select></label>}
      {hasStretch && <button type="button" onClick={() => select({ from: 0, until: 0 })}>{time(s.from)} to {time(Math.max(s.until, s.from + 1))} only: whole run</button>}
      {isPart && <button type="button" onClick={everything}>Everything (0)</button>}
      <SaveButtons name="matrix" svg={() => { const p = new SvgPainter(); draw(p, t, of, side, look(), before); return p.document(side, side, look().card); }} size={() => [side, side]} /></div>
    <p class="base">{count(t.messages)} messages and transfers, {bytes(t.bytes)}{isPart && whole ? `, of ${count(whole.messages)} with ${bytes(whole.bytes)} in the run` : ""}{t.group > 1 ? `; a cell is ${t.group} × ${t.group} ${t.by}s${isOffline ? "" : ": click, or w, to enlarge"}` : ""}; {before ? <>colours: <span class="more">more</span> or <span class="less">less</span> in run B than in run A, the stronger, the larger the change (logarithmic); tables and curves are of run B; {count(differenceOf(before, t, of).filter((one) => one.by !== 0).length)} of {count(differenceOf(before, t, of).length)} cells changed</> : "the stronger the colour, the more (logarithmic)"}{why && `; ${why}`}; collectives are not in it</p>
    <div class="matrix-columns"><div class="sheet"><canvas ref={sheet} tabIndex={0} role="img" aria-label={`${names[of]} by sender and receiver, ${count(t.shown)} ${t.by}s`} style={{ width: `${side}px`, height: `${side}px` }}
      onMouseMove={(e) => { const r = e.currentTarget.getBoundingClientRect(); setHover({ x: e.clientX - r.left, y: e.clientY - r.top }); }} onMouseLeave={() => setHover(null)}
      onClick={() => { if (under && t.group > 1) { const middle = t.first + ((under[0] + under[1]) / 2) * t.group, wide = Math.max(256, Math.ceil(t.shown / 4)); part(middle - wide / 2, wide); } }} />
      {hover && under && <div class="tooltip" style={{ left: `${hover.x + 14}px`, top: `${hover.y + 14}px` }}><b>{itemOf(t, under[0])} → {itemOf(t, under[1])}</b><div>{cell ? `${count(cell[2])} messages, ${bytes(cell[3])}, mean ${bytes(Math.round(cell[3] / Math.max(1, cell[2])))}` : "nothing"}</div>{before && <div>run A: {cellBefore ? `${count(cellBefore[2])} messages, ${bytes(cellBefore[3])}` : "nothing"}</div>}</div>}</div>
      <div><section class="card"><h2>Over time</h2><OverTime t={t} activity={activity.value} waiting={waiting.value} ranks={info.locations.length} /></section>
        <section class="card"><h2>Sizes</h2>{t.sizes.length === 0 ? <p>Nothing is sent here.</p> : <><Picture name="sizes of messages"><svg class="sizes" viewBox={`0 0 420 ${t.sizes.length * 20 + 4}`} role="img" aria-label="messages by size">{t.sizes.map((size, i) => <g>
        <text x={92} y={i * 20 + 14} text-anchor="end">{size[0] === 0 ? "empty" : `≤ ${bytes(size[0])}`}</text><rect x={100} y={i * 20 + 3} width={Math.max(1, (200 * size[1]) / largest)} height={14} rx={2} class="fill-mpi" /><text x={106 + Math.max(1, (200 * size[1]) / largest)} y={i * 20 + 14}>{count(size[1])}</text></g>)}</svg></Picture>
          <details><summary>as a table</summary><DataTable name="sizes of messages" rows={t.sizes} columns={[{ name: "bytes at most", value: (c) => c[0], number: true }, { name: "messages", value: (c) => c[1], show: (c) => count(c[1]), number: true }, { name: "bytes", value: (c) => c[2], show: (c) => bytes(c[2]), title: (c) => `${count(c[2])} bytes`, number: true }]} /></details></>}</section>
        <section class="card"><h2>By call</h2><DataTable name="traffic by call" rows={[...t.calls].sort((a, b) => b[2] - a[2] || b[1] - a[1])} most={12} onRow={(c) => put({ region: c[0] })} chosen={(c) => c[0] === choice.region} columns={[{ name: "call", value: (c) => callName(c[0]), show: (c) => <bdi>{callName(c[0])}</bdi> }, { name: "messages", value: (c) => c[1], show: (c) => count(c[1]), number: true }, { name: "bytes", value: (c) => c[2], show: (c) => bytes(c[2]), title: (c) => `${count(c[2])} bytes`, number: true }, { name: "mean size", value: mean, show: (c) => bytes(mean(c)), number: true }]} /></section>
        <section class="card"><h2>Largest</h2><DataTable name="traffic" rows={sorted} most={12} columns={[{ name: "from", value: (c) => itemOf(t, c[0]) }, { name: "to", value: (c) => itemOf(t, c[1]) }, { name: "messages", value: (c) => c[2], show: (c) => count(c[2]), number: true }, { name: "bytes", value: (c) => c[3], show: (c) => bytes(c[3]), title: (c) => `${count(c[3])} bytes`, number: true }]} /></section></div></div>
  </div>;
}
