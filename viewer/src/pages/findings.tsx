// What are the symptoms? Each wait state at each call path, ranked, with its worst instance drawn.
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { type Dimensions, type Finding, type Instance, pathOf, type Report, type Summary } from "../data";
import { count, exactTime, nanoseconds, percent, sentence, time } from "../format";
import { Change, changeOfPath, changeOfProgram, useComparison } from "../compared";
import { useCommands } from "../keys";
import { select, useSelection } from "../selection";
import { CsvButton, DataTable, Picture } from "../widgets/common";
import { revealSource } from "../widgets/source";
import { Strip } from "../widgets/strip";
import { noFindings, siteText } from "./overview";

const lastOf = (path: string[] | null | undefined): string => path?.[path.length - 1] ?? "an unknown call";

/** Two rows of time: who waits, and who comes late. */
export function WorstInstance({ worst, path }: { worst: Instance; path: string[] }): JSX.Element {
  const begin = nanoseconds(worst.begin_s), end = nanoseconds(worst.end_s), length = Math.max(1, end - begin);
  const x = (t: number): number => 110 + (380 * (t - begin + length * 0.15)) / (length * 1.35);
  const cut = (name: string, most: number): string => (name.length > most ? `${name.slice(0, most - 1)}…` : name), late = `enters ${cut(lastOf(worst.cause_call_path), Math.max(8, Math.floor((x(end) - 116) / 7) - 9))} →`;
  const two = worst.cause_rank !== null && worst.cause_rank !== worst.rank;
  return <Picture name="worst instance"><svg class="lanes" viewBox={`0 0 520 ${two ? 118 : 78}`} role="img" aria-label={`Rank ${worst.rank} waits from ${time(begin)} to ${time(end)}${two ? ` for rank ${worst.cause_rank}` : ""}`}>
    <text x={0} y={38} class="strong">rank {worst.rank} waits</text>
    <rect x={110} y={22} width={380} height={24} rx={3} class="fill-track" />
    <rect x={x(begin)} y={22} width={x(end) - x(begin)} height={24} rx={3} class="fill-wait"><title>waiting {exactTime(end - begin)}</title></rect>
    <text x={x(begin) + 2} y={15} class="strong">{time(end - begin)} in {cut(lastOf(path), 38)}<title>{lastOf(path)}</title></text>
    {two && <>
      <text x={0} y={80} class="strong">rank {worst.cause_rank} is late</text>
      <rect x={110} y={64} width={380} height={24} rx={3} class="fill-track" />
      <rect x={110} y={64} width={x(end) - 110} height={24} rx={3} class="fill-compute"><title>not yet there</title></rect>
      <rect x={x(end)} y={64} width={490 - x(end)} height={24} rx={3} class="fill-mpi"><title>{lastOf(worst.cause_call_path)}</title></rect>
      <text x={x(end) - 6} y={81} text-anchor="end" class="strong">{late}<title>{lastOf(worst.cause_call_path)}</title></text>
      <path d={`M ${x(end)} 64 L ${x(end)} 49 M ${x(end) - 4} 54 L ${x(end)} 47 L ${x(end) + 4} 54`} class="stroke-ink" /></>}
    <text x={x(begin)} y={two ? 108 : 66} text-anchor="middle">t = {time(begin)}</text><text x={x(end)} y={two ? 108 : 66} text-anchor="middle">{time(end)}</text>
  </svg></Picture>;
}

/** The stretch around an instance, and the ranks of both sides. */
export function showInstance(worst: Instance, finding: string): void {
  const begin = nanoseconds(worst.begin_s), end = nanoseconds(worst.end_s), room = Math.max(50, Math.round((end - begin) * 0.3));
  select({ page: "timeline", from: begin - room, until: end + room, first: 0, rows: 0, finding, call: 0, lines: true });
}

export function showInExplore(f: Finding, dimensions: Dimensions): void {
  select({ page: "explore", metric: f.metric, path: pathOf(dimensions, f.call_path), own: false, ownPath: false });
}

/** Where the one who was late had only waited itself: the call of who was late first. Of a stretch of computation the call that ends it. */
function firstInChain(f: Finding, dimensions: Dimensions, report: Report): number | null {
  const site = f.call_path.join("\n"), first = report.losses?.causes.find((c) => c.symptom === f.name && c.waits_at?.join("\n") === site), rank = f.worst_instance.cause_rank;
  if (!first?.call_path || rank === null || first.ranks.includes(rank)) return null;
  const last = lastOf(first.call_path), end = last.lastIndexOf(" -> ");
  return pathOf(dimensions, end < 0 ? first.call_path : [...first.call_path.slice(0, -1), last.slice(end + 4)]);
}

/** The source line of the call that came late in the worst instance; where no single call can be named, of the one that waited. */
function showGuiltyLine(f: Finding, dimensions: Dimensions, report: Report): void {
  const late = f.worst_instance.cause_call_path, cause = firstInChain(f, dimensions, report) ?? (late && pathOf(dimensions, late));
  revealSource(cause ?? pathOf(dimensions, f.call_path));
  if (cause === null) showInExplore(f, dimensions);
  else select({ page: "explore", metric: "time", path: cause, own: false, ownPath: false });
}

/** From the wait to who was late for it, and to the cause of that, each with its place in Explore. */
function Chain({ f, report, summary, dimensions }: { f: Finding; report: Report; summary: Summary; dimensions: Dimensions | undefined }): JSX.Element {
  const worst = f.worst_instance, site = f.call_path.join("\n"), cause = report.losses?.causes.findIndex((c) => c.symptom === f.name && c.waits_at?.join("\n") === site) ?? -1, first = report.losses?.causes[cause]?.call_path;
  const at = (path: string[] | null | undefined, metric: string): JSX.Element => {
    const index = path && dimensions ? pathOf(dimensions, path) : null;
    return index === null ? <bdi>{lastOf(path)}</bdi> : <button type="button" class="link" title="in Explore" onClick={() => select({ page: "explore", metric, path: index, own: false, ownPath: false })}><bdi>{lastOf(path)}</bdi></button>;
  };
  return <ol class="chain" aria-label="cause chain"><li><b class="is-wait">Rank {worst.rank} waits</b> {time(nanoseconds(worst.end_s - worst.begin_s))} in {at(f.call_path, f.metric)}</li>
    {worst.cause_rank !== null && <li>until <b>rank {worst.cause_rank}</b> enters {at(worst.cause_call_path, "time")}</li>}
    {cause >= 0 && <li><b>Behind all {count(f.instances)}:</b> {summary.causes[cause]}{first ? <> (at {at(first, "time")})</> : null}</li>}</ol>;
}

function Inside({ f, report, summary, dimensions }: { f: Finding; report: Report; summary: Summary; dimensions: Dimensions | undefined }): JSX.Element {
  const byRank = f.by_rank.map(nanoseconds), s = f.statistics;
  return <div class="inside">
    <div class="whole">
      <h3>Where</h3><p class="path"><bdi>{f.call_path.join(" › ")}</bdi></p><p class="path">{siteText(f.call_site)}{f.call_site && f.call_site.file !== siteText(f.call_site) ? <span class="soft"> {f.call_site.file}</span> : null}</p>
      <h3>The worst instance, and its causes</h3><WorstInstance worst={f.worst_instance} path={f.call_path} /><Chain f={f} report={report} summary={summary} dimensions={dimensions} />
      <p><button type="button" onClick={() => showInstance(f.worst_instance, f.id)}>Show in the timeline (x)</button> {dimensions && <button type="button" onClick={() => showInExplore(f, dimensions)}>Show in Explore</button>} {dimensions && <button type="button" onClick={() => showGuiltyLine(f, dimensions, report)}>The source line {f.worst_instance.cause_call_path ? "that was late" : "that waits"} (g)</button>}</p>
    </div>
    <div>
      <h3>Why</h3><p>{f.diagnosis}</p><h3>What to try</h3><p>{f.advice}</p>
      {s && s.count > 1 && <><h3>How long single waits were</h3><DataTable name={`single waits of ${f.id}`} rows={[["shortest", s.min_s], ["a quarter takes at most", s.q1_s], ["half of them at most", s.median_s], ["three quarters at most", s.q3_s], ["longest", s.max_s], ["mean", s.mean_s]] as [string, number][]} columns={[
        { name: `of ${count(s.count)} waits`, value: ([name]) => name }, { name: "time", value: ([, value]) => nanoseconds(value), show: ([, value]) => time(nanoseconds(value)), title: ([, value]) => exactTime(nanoseconds(value)), number: true }]} /></>}
    </div>
    <div>
      <h3>Who waited ({count(byRank.filter((v) => v > 0).length)} of {count(report.run.ranks)} ranks, {count(f.instances)} times)</h3><Strip name={`${f.name} by rank`} values={byRank} unit="s" warm />
      <h3>Who was waited for</h3>
      {f.causes.length === 0 ? <p>No single rank can be named.</p> : <DataTable name={`causes of ${f.id}`} most={8} class="warm" rows={f.causes} columns={[
        { name: "rank", value: (c) => c.rank, number: true }, { name: "", value: () => "", show: (c) => <span class="meter"><span style={{ width: `${(100 * c.severity_s) / (f.causes[0]?.severity_s || 1)}%` }} /></span> },
        { name: "caused", value: (c) => nanoseconds(c.severity_s), show: (c) => time(nanoseconds(c.severity_s)), title: (c) => exactTime(nanoseconds(c.severity_s)), number: true }, { name: "of this finding", value: (c) => percent(c.severity_s, f.severity_s), number: true }]} />}
      {f.cause_calls.some((c) => c.call_path) && <DataTable name={`calls that caused ${f.id}`} most={5} rows={f.cause_calls.filter((c) => c.call_path)} columns={[
        { name: "rank", value: (c) => c.rank, number: true }, { name: "in the call", value: (c) => lastOf(c.call_path), title: (c) => c.call_path?.join(" > ") ?? "" }, { name: "caused", value: (c) => nanoseconds(c.severity_s), show: (c) => time(nanoseconds(c.severity_s)), number: true }]} />}
    </div></div>;
}

export function Findings({ report, summary, dimensions }: { report: Report; summary: Summary; dimensions: Dimensions | undefined }): JSX.Element {
  const s = useSelection(), compared = useComparison(), all = report.findings, at = Math.max(0, all.findIndex((f) => f.id === s.finding)), chosen = all[at];
  const step = (by: number): void => {
    const next = all[Math.max(0, Math.min(all.length - 1, at + by))];
    if (next) select({ finding: next.id });
  };
  useCommands("findings", [
    { keys: ["j", "n"], does: "next finding", group: "findings", run: () => step(1) }, { keys: ["k", "N"], does: "previous finding", group: "findings", run: () => step(-1) },
    { keys: ["x"], does: "the worst instance in the timeline", group: "findings", run: () => chosen && showInstance(chosen.worst_instance, chosen.id) },
    { keys: ["w"], does: "the source line that waits", group: "findings", run: () => { if (chosen && dimensions) { revealSource(pathOf(dimensions, chosen.call_path)); showInExplore(chosen, dimensions); } } },
    { keys: ["g"], does: "the source line that was late, or that waits", group: "findings", run: () => chosen && dimensions && showGuiltyLine(chosen, dimensions, report) },
    { keys: ["Enter"], does: "this finding in Explore", group: "findings", run: () => chosen && dimensions && showInExplore(chosen, dimensions) }]);
  useEffect(() => document.getElementById(`finding-${chosen?.id}`)?.scrollIntoView({ block: "nearest" }), [chosen?.id]);
  if (!all.length) return <p class="card">{noFindings(report)}</p>;
  return <div class="two">
    <div><p class="base">Most severe first. Times are summed over ranks; percent are of all ranks’ time ({time(summary.total_ns)}). <CsvButton name="findings" head={["id", "name", "call path", "file", "line", "nanoseconds", "instances", "summary"]} rows={() => all.map((f) => [f.id, f.name, f.call_path.join(" > "), f.call_site?.file ?? null, f.call_site?.line ?? null, nanoseconds(f.severity_s), f.instances, f.summary])} /></p>
      <ol class="list" aria-label="findings">{all.map((f) => <li id={`finding-${f.id}`}><button type="button" class="row" aria-current={f.id === chosen?.id} onClick={() => select({ finding: f.id })}>
        <span class="handle">#{f.id}</span><span class="number amount" title={exactTime(nanoseconds(f.severity_s))}>{time(nanoseconds(f.severity_s))}</span>
        <span class="number soft">{percent(nanoseconds(f.severity_s), summary.total_ns)}</span><b>{f.name}</b><bdi class="soft under-name">{lastOf(f.call_path)} <Change of={changeOfPath(compared, f.call_path, f.metric)} unit="s" /></bdi></button></li>)}</ol></div>
    {chosen && <section class="card finding" aria-label={`finding ${chosen.id}`}><h2><span class="handle">#{chosen.id}</span> <button type="button" class="link" title={`${summary.glossary[chosen.metric]?.summary ?? chosen.name}\nits meaning, formula and an example: on the page Explore`} onClick={() => select({ page: "explore", metric: chosen.metric, path: null, own: false })}>{chosen.name}</button></h2><p>{sentence(chosen.summary)}.</p>{compared && <p>B − A: here <Change of={changeOfPath(compared, chosen.call_path, chosen.metric) ?? { key: "", kind: "", values: [], difference: null, ratio: null, significance: null }} unit="s" />{changeOfPath(compared, chosen.call_path, chosen.metric) ? "" : "not in both runs"}; {chosen.name} in the whole program <Change of={changeOfProgram(compared, chosen.metric)} unit="s" /></p>}<Inside f={chosen} report={report} summary={summary} dimensions={dimensions} /></section>}
  </div>;
}
