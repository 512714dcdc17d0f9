// The parts of the program like a file manager: all characteristics of the chosen one, the table interval x characteristic,
// every process. Numbers and names of `mora report --intervals`.
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { type Dimensions, gone, type Interval, once, type TimelineInfo } from "../data";
import { count, exactTime, nanoseconds, place, time } from "../format";
import { Change, changeOfInterval, useComparison } from "../compared";
import { useCommands } from "../keys";
import { meaningOf, nameOf, unitOf, useNames } from "../names";
import { select, settingOf, toggled, useSelection, withSetting, withToggled } from "../selection";
import { mostBars } from "../timeline/band";
import { Opened } from "../timeline/opened";
import { DataTable, Picture, Problem, useAnswer } from "../widgets/common";
import { revealSource } from "../widgets/source";
import { Strip } from "../widgets/strip";
import { type Node, Tree } from "../widgets/tree";

export function figure(key: string, value: number | undefined): string {
  if (value === undefined) return "–";
  const unit = unitOf(key);
  return unit === "ratio" ? value.toFixed(4) : unit === "s" ? time(nanoseconds(value)) : count(value);
}
const exactFigure = (key: string, value: number | undefined): string => (value === undefined ? "" : unitOf(key) === "s" ? exactTime(nanoseconds(value)) : String(value));
const where = (i: Interval): string => `${place(i.file, i.line)}${i.id ? `, id ${i.id}` : ""}`;

export function Intervals({ dimensions }: { dimensions: Dimensions | undefined }): JSX.Element {
  const answer = useAnswer(() => once<{ intervals: Interval[] }>("intervals"), []), isNamed = useNames(), s = useSelection();
  if (answer.error) return <Problem text={answer.error === gone ? gone : `There are no intervals: ${answer.error}`} />;
  if (!answer.value || !isNamed) return <p class="soft">Loading …</p>;
  return answer.value.intervals.length ? <Shown all={answer.value.intervals} number={s.interval} dimensions={dimensions} /> : <p class="card">The analysis has no intervals.</p>;
}

/** One interval through its iterations: the chosen figure of each, and how far its processes are apart. */
function Trend({ family, chosen, k }: { family: Interval[]; chosen: Interval; k: string }): JSX.Element {
  const width = 760, tall = 150, left = 74, values = family.map((i) => i.characteristics[k] ?? 0), spread = family.map((i) => i.comparative[k]), most = Math.max(...values, ...spread.map((c) => c?.max ?? 0), 1e-12), least = Math.min(0, ...values);
  const x = (i: number): number => left + ((width - left - 10) * (i + 0.5)) / family.length, y = (v: number): number => 8 + tall - (tall * (v - least)) / (most - least), wide = Math.max(0.6, Math.min(26, ((width - left - 10) / family.length) * 0.75));
  const name = nameOf(k), id = (i: Interval): string => (i.id ? `#${i.id}` : i.number), step = Math.ceil(family.length / 12);
  return <section class="card"><h2>{name} from execution to execution</h2><Picture name={`${name} by iteration`}><svg class="trend" viewBox={`0 0 ${width} ${tall + 34}`} role="img" aria-label={`${name} of ${count(family.length)} iterations: ${figure(k, Math.min(...values))} to ${figure(k, Math.max(...values))}`}>
    <text x={left - 6} y={14} text-anchor="end">{figure(k, most)}</text><text x={left - 6} y={tall + 10} text-anchor="end">{figure(k, least)}</text>
    {family.map((i, at) => <g class="iteration" onClick={() => select({ interval: i.number })}><rect x={x(at) - wide / 2} y={y(values[at]!)} width={wide} height={Math.max(1, y(least) - y(values[at]!))} class={i.number === chosen.number ? "fill-wait" : "fill-mpi"}><title>{`${i.number} ${i.name} ${id(i)}: ${exactFigure(k, values[at])}${spread[at] ? `; processes ${figure(k, spread[at]!.min)} to ${figure(k, spread[at]!.max)}` : ""}`}</title></rect>
      {spread[at] && <line x1={x(at)} x2={x(at)} y1={y(spread[at]!.min)} y2={y(spread[at]!.max)} class="stroke-ink" />}</g>)}
    <line x1={left} x2={width - 10} y1={y(0) + 0.5} y2={y(0) + 0.5} class="stroke-line" />
    {family.map((i, at) => at % step === 0 && <text x={x(at)} y={tall + 26} text-anchor="middle">{id(i)}</text>)}</svg></Picture>
    <p class="base">Bars: all processes; lines: least to most of a process. <bdi>{family[0]!.name}</bdi> {place(family[0]!.file, family[0]!.line)}, {count(family.length)} executions told apart by their numbers.</p></section>;
}

/** Where the chosen interval is in the run, on the first process; an execution opens the timeline. */
function Place({ info, chosen, all }: { info: TimelineInfo; chosen: Interval; all: Interval[] }): JSX.Element {
  const columns = 4000, found = useAnswer(() => once<{ bars: [number, number, number, number, number][]; numbers: string[] }>("timeline/intervals", { location: 0, from: 0, until: info.duration, columns, limit: mostBars }), []), width = 760, name = `${chosen.number} ${chosen.name}`;
  if (found.error) return <p class="soft">{found.error}</p>;
  if (!found.value) return <p class="soft">Loading …</p>;
  const x = (t: number): number => (width * Math.max(0, Math.min(info.duration, t))) / info.duration, parent = chosen.number.slice(0, Math.max(0, chosen.number.lastIndexOf("."))), numbers = found.value.numbers;
  const mine = found.value.bars.filter(([i]) => numbers[i] === chosen.number), others = found.value.bars.filter(([i]) => numbers[i] === parent || (parent === "" && all.length > 1 && numbers[i]!.split(".").length === 2)), executions = mine.reduce((sum, bar) => sum + bar[4], 0);
  const go = (from: number, until: number): void => { const room = Math.max(5, Math.round((until - from) * 0.05)); select({ page: "timeline", from: from - room, until: until + room, interval: chosen.number, call: 0 }); };
  const whole = chosen.level === 0 || mine.length === 0;
  return <><Picture name={`${name} in the run`}><svg class="trend" viewBox={`0 0 ${width} 54`} role="img" aria-label={`${name}: ${count(executions)} executions on the first process, in a run of ${time(info.duration)}`}>
    <rect x={0} y={8} width={width} height={22} rx={3} class={chosen.level === 0 ? "fill-mpi" : "fill-track"} />
    {chosen.level > 0 && others.map(([, , from, until]) => <rect x={x(from)} y={8} width={Math.max(0.6, x(until) - x(from))} height={22} class="fill-rest" />)}
    {mine.map(([, , from, until, n]) => <rect class="fill-mpi iteration" x={x(from)} y={8} width={Math.max(1, x(until) - x(from))} height={22} onClick={() => go(from, until)}><title>{`${name}${n > 1 ? `, ${count(n)} executions` : ""}: ${exactTime(until - from)} from ${exactTime(from)}`}</title></rect>)}
    <text x={0} y={48}>0 s</text><text x={width} y={48} text-anchor="end">{time(info.duration)}</text></svg></Picture>
    <p class="base">{chosen.level === 0 ? "The program is the whole run." : executions > 0 ? `${count(executions)} execution${executions === 1 ? "" : "s"} on the first process; click one to see it in the timeline.` : "Not executed on the first process."} <button type="button" onClick={() => (whole ? select({ page: "timeline", from: 0, until: 0, interval: chosen.number, call: 0 }) : go(mine[0]![2], mine[0]![3]))}>Show in the timeline (t)</button></p></>;
}

/** The executions of one place within one interval: those beside the chosen one, or the most numerous within it. */
function familyOf(all: Interval[], chosen: Interval): Interval[] {
  const above = (i: Interval): string => i.number.slice(0, Math.max(0, i.number.lastIndexOf("."))), same = (a: Interval) => (b: Interval): boolean => above(a) === above(b) && a.name === b.name && a.file === b.file && a.line === b.line;
  const beside = all.filter(same(chosen));
  if (beside.length > 1) return beside;
  const within = all.filter((i) => above(i) === chosen.number).map((i) => all.filter(same(i)));
  return within.reduce<Interval[]>((most, list) => (list.length > most.length ? list : most), []);
}

const usual = ["execution_time", "efficiency", "productive_time", "lost_time", "communication", "real_synchronization", "load_imbalance"];

function Shown({ all, number, dimensions }: { all: Interval[]; number: string; dimensions: Dimensions | undefined }): JSX.Element {
  const at = Math.max(0, all.findIndex((i) => i.number === number)), chosen = all[at]!;
  const text = useSelection().intervals, opened = useMemo(() => all.map((_, i) => i).filter((i) => all[i]!.level < 2 || all.length < 60), [all]), open = toggled(text, "o", opened);
  const keys = Object.keys(chosen.characteristics), wanted = settingOf(text, "k"), key = keys.includes(wanted) ? wanted : "lost_time", setKey = (k: string): void => select({ intervals: withSetting(text, "k", k) });
  const listed = settingOf(text, "c").split("~").filter((k) => keys.includes(k)), columns = listed.length ? listed : usual, setColumns = (list: string[]): void => select({ intervals: withSetting(text, "c", list.join("~")) });
  const byNumber = useMemo(() => new Map(all.map((i, at) => [i.number, at])), [all]);
  const nodes: Node[] = all.map((i, index) => ({ key: index, parent: byNumber.get(i.number.slice(0, Math.max(0, i.number.lastIndexOf(".")))) ?? null, name: `${i.number} ${i.name}`, title: `${i.name}\n${i.file}${i.line ? `:${i.line}` : ""}`, zero: false }));
  const whole = all[0]!.characteristics[key] ?? 0;
  const step = (by: number): void => select({ interval: all[Math.max(0, Math.min(all.length - 1, at + by))]!.number });
  const path = dimensions?.paths.findIndex((p) => chosen.line > 0 && p.file === chosen.file && p.line === chosen.line && p.kind !== "mpi" && p.kind !== "compute") ?? -1;
  /** Where the chosen interval is marked. */
  const showLine = (): void => { if (path >= 0) { revealSource(path); select({ page: "explore", metric: "time", path, own: false, ownPath: false }); } };
  useCommands("intervals", [{ keys: ["j"], does: "next interval", group: "intervals", run: () => step(1) }, { keys: ["k"], does: "previous interval", group: "intervals", run: () => step(-1) },
    { keys: ["t"], does: "this interval in the timeline", group: "intervals", run: () => document.querySelector<HTMLButtonElement>("main .place button:not(.quiet)")?.click() },
    ...(path >= 0 ? [{ keys: ["g"], does: "the source line of this interval", group: "intervals", run: showLine }] : [])]);
  const compared = useComparison(), change = (i: Interval, k: string): JSX.Element => <Change of={changeOfInterval(compared, i.number, i.name, k)} unit={unitOf(k)} />;
  const perRank = chosen.by_rank ?? [], family = familyOf(all, chosen);
  return <div class="two">
    <section class="panel"><h2>Intervals</h2><p class="base"><label>shown: <select value={key} onChange={(e) => setKey(e.currentTarget.value)}>{keys.map((k) => <option value={k}>{nameOf(k)}</option>)}</select></label></p>
      <Tree label="intervals" nodes={nodes} open={open} chosen={at} value={(node) => { const value = all[node.key]!.characteristics[key]; return { text: figure(key, value), title: exactFigure(key, value), share: whole > 0 ? (value ?? 0) / whole : 0 }; }}
        onToggle={(node) => { const next = new Set(open); if (!next.delete(node.key)) next.add(node.key); select({ intervals: withToggled(text, "o", opened, next) }); }} onChoose={(node) => select({ interval: all[node.key]!.number })} /></section>
    <div>
      <section class="card"><h2>{chosen.number} <bdi>{chosen.name}</bdi></h2>
        <p class="base">{where(chosen) || "place not known"}; level {chosen.level}, executed {count(chosen.count)} time{chosen.count === 1 ? "" : "s"} by {count(chosen.processes)} process{chosen.processes === 1 ? "" : "es"} {path >= 0 && <button type="button" onClick={showLine}>The source line (g)</button>}</p>
        {perRank.length > 1 && <Strip name={`${nameOf(key)} by rank`} values={perRank.map((r) => (unitOf(key) === "s" ? nanoseconds(r[key] ?? 0) : r[key] ?? 0))} unit={unitOf(key) === "s" ? "s" : "occ"} height={44} />}
        <DataTable name={`characteristics of ${chosen.number}`} rows={keys} onRow={setKey} chosen={(k) => k === key} columns={[
          { name: "characteristic", value: (k) => nameOf(k), title: meaningOf }, { name: "all processes", value: (k) => chosen.characteristics[k] ?? null, show: (k) => <>{figure(k, chosen.characteristics[k])} {change(chosen, k)}</>, title: (k) => exactFigure(k, chosen.characteristics[k]), number: true },
          ...(["min", "mean", "max"] as const).map((which) => ({ name: which, value: (k: string) => chosen.comparative[k]?.[which] ?? null, show: (k: string) => figure(k, chosen.comparative[k]?.[which]), title: (k: string) => exactFigure(k, chosen.comparative[k]?.[which]), number: true })),
          { name: "least, most at", value: (k) => (chosen.comparative[k] ? `${chosen.comparative[k]!.min_rank}, ${chosen.comparative[k]!.max_rank}` : null), number: true }]} />
        <p class="base">`mora report --why {chosen.number}/{key} EXP` explains this number down to the calls behind it.</p></section>
      <section class="card place"><h2>In the run</h2><Opened what="timeline">{(info) => <Place info={info} chosen={chosen} all={all} />}</Opened></section>
      {family.length > 1 && <Trend family={family} chosen={chosen} k={key} />}
      <section class="card"><h2>Interval × characteristic</h2>
        <p class="base"><label>add a column: <select value="" onChange={(e) => e.currentTarget.value && setColumns([...columns, e.currentTarget.value])}><option value="">…</option>{keys.filter((k) => !columns.includes(k)).map((k) => <option value={k}>{nameOf(k)}</option>)}</select></label> {columns.length > 1 && <button type="button" onClick={() => setColumns(columns.slice(0, -1))}>remove the last</button>}</p>
        <DataTable name="intervals" class="stacked" rows={all} most={40} onRow={(i) => select({ interval: i.number })} chosen={(i) => i.number === chosen.number} columns={[
          { name: "interval", value: (i) => `${i.number} ${i.name}`, show: (i) => <span style={{ paddingLeft: `${i.level}rem`, whiteSpace: "nowrap" }}>{i.number} <bdi>{i.name}</bdi></span> }, { name: "where", value: where },
          ...columns.map((k) => ({ name: nameOf(k), value: (i: Interval) => i.characteristics[k] ?? null, show: (i: Interval) => <>{figure(k, i.characteristics[k])} {change(i, k)}</>, title: (i: Interval) => exactFigure(k, i.characteristics[k]), number: true }))]} /></section>
      {perRank.length === 0 && chosen.processes > 1 && <p class="base">The {count(chosen.processes)} processes are too many to list one by one here: `mora report --intervals --interval {chosen.number} --rank LIST` does.</p>}
      {perRank.length > 0 && <section class="card"><h2>Process by process in {chosen.number}</h2><DataTable name={`processes of ${chosen.number}`} rows={perRank} most={16} columns={[{ name: "rank", value: (r) => r.rank, number: true },
        ...columns.filter((k) => perRank.some((r) => typeof r[k] === "number")).map((k) => ({ name: nameOf(k), value: (r: { rank: number } & Record<string, number>) => r[k] ?? null, show: (r: { rank: number } & Record<string, number>) => figure(k, r[k]), title: (r: { rank: number } & Record<string, number>) => exactFigure(k, r[k]), number: true }))]} /></section>}
    </div></div>;
}
