// Is there a problem? The verdict, where the processors' time went, efficiency, advice, findings, data quality.
import type { JSX } from "preact";
import { type AdviceDocument, type Changed, type Dimensions, isCubeAlone, once, pathOf, type PathValues, type Pop, type Report, type Summary } from "../data";
import { count, exactTime, nanoseconds, percent, place, sentence, time } from "../format";
import { Change, changeOfPath, changeOfProgram, useComparison } from "../compared";
import { useCommands } from "../keys";
import { nameOf, useNames } from "../names";
import { select, textOf, useSelection, wordsOf } from "../selection";
import { revealSource } from "../widgets/source";
import { CsvButton, DataTable, Problem, useAnswer } from "../widgets/common";

/** What has no parts may lead to its place in Explore. */
interface Part { name: string; amount: number; class: string; title?: string; parts?: Part[]; go?: (() => void) | undefined; change?: Changed }

/** A call path in Explore, with its source text in sight. */
function goTo(path: number, metric: string): void {
  revealSource(path);
  select({ page: "explore", metric, path, own: false, ownPath: false });
}

/** Where the ranks compute: the call paths with most of the metric *computation* of their own. */
function useComputed(d: Dimensions | undefined): Part[] {
  return useAnswer(async () => {
    const metric = d?.metrics.findIndex((m) => m.id === "computation") ?? -1;
    if (!d || metric < 0) return [];
    const { own } = await once<PathValues>("paths", { metric, own: 0 });
    return own.map((amount, i) => ({ amount, i, path: d.paths[i]! })).filter(({ amount }) => amount > 0).sort((a, b) => b.amount - a.amount).slice(0, 12)
      .map(({ amount, i, path }): Part => ({ name: path.name, amount, class: "compute", go: () => goTo(i, "computation"), title: `${path.name}${path.file ? `\n${path.file}:${path.line}` : ""}` }));
  }, [d]).value ?? [];
}

/** The bar's parts down to the causes; the parts of a part that are not listed stay visible as a rest. */
function partsOf(report: Report, summary: Summary, dimensions: Dimensions | undefined, computed: Part[]): Part {
  const waiting = summary.waiting_ns, mpi = Math.max(0, summary.mpi_ns - waiting);
  const losses = report.losses, causes = losses?.causes ?? [];
  const going = (path: string[] | null): (() => void) | undefined => { const at = path && dimensions ? pathOf(dimensions, path) : null; return at === null ? undefined : () => goTo(at, "time"); };
  const ofCause = (wanted: boolean): Part[] => causes.map((cause, i) => ({ cause, i })).filter(({ cause }) => cause.waiting_s > 0 === wanted).map(({ cause, i }) => ({
    name: cause.call_path?.at(-1) ?? cause.kind,
    amount: nanoseconds(wanted ? cause.waiting_s : cause.amount_s), class: wanted ? "wait" : "mpi", title: summary.causes[i] ?? "", go: going(cause.call_path),
  }));
  const ends = (losses?.start_and_end ?? []).map((cause): Part => ({ name: cause.call_path?.at(-1) ?? cause.kind, amount: nanoseconds(cause.amount_s), class: "mpi", go: going(cause.call_path) }));
  const withRest = (name: string, amount: number, style: string, parts: Part[], rest: string): Part => {
    const known: Part[] = [];
    let left = amount;
    for (const part of parts) {
      const fits = Math.min(part.amount, left);
      if (fits > 0) known.push({ ...part, amount: fits });
      left -= fits;
    }
    if (left > 0 && known.length) known.push({ name: rest, amount: left, class: "rest" });
    return { name, amount, class: style, parts: known };
  };
  const outside = report.metrics.filter((m) => (m.parent === "time" || m.parent === "execution") && m.id !== "execution" && m.id !== "mpi" && m.unit === "s" && m.inclusive > 0)
    .map((m): Part => (m.id === "computation" ? withRest(m.name, nanoseconds(m.inclusive), "compute", computed, "smaller call paths") : { name: m.name, amount: nanoseconds(m.inclusive), class: "compute" })).sort((a, b) => b.amount - a.amount);
  return {
    name: "all ranks’ time", amount: summary.total_ns, class: "", parts: [
      withRest("outside of MPI", Math.max(0, summary.total_ns - waiting - mpi), "compute", outside.length === 1 ? outside[0]!.parts ?? [] : outside, "smaller parts"),
      withRest("in MPI, not waiting", mpi, "mpi", [...ofCause(false), ...ends], "smaller calls"),
      withRest("waiting in MPI", waiting, "wait", ofCause(true), "smaller causes"),
    ].filter((part) => part.amount > 0),
  };
}

const outsideOf = (s: Summary): number => Math.max(0, s.total_ns - Math.max(s.waiting_ns, s.mpi_ns)), quietOf = (s: Summary): number => Math.max(0, s.mpi_ns - s.waiting_ns);
/** B - A of the bar's three parts: by what these run summaries say. */
function changed(whole: Part, runs: [Summary, Summary] | undefined): Part {
  if (!runs) return whole;
  const of = (amountOf: (s: Summary) => number): Changed => { const [a, b] = runs.map((s) => amountOf(s) / 1e9) as [number, number]; return { key: "", kind: "", values: [a, b], difference: b - a, ratio: null, significance: null }; };
  const parts = (whole.parts ?? []).map((part): Part => ({ ...part, change: of(part.class === "compute" ? outsideOf : part.class === "mpi" ? quietOf : (s) => s.waiting_ns) }));
  return { ...whole, parts };
}

function Divided({ whole }: { whole: Part }): JSX.Element {
  const way = wordsOf(useSelection().overview).map(Number), setWay = (steps: number[]): void => select({ overview: textOf(steps.map(String)) });
  const chain: Part[] = [whole];
  for (const step of way) {
    const next = chain[chain.length - 1]!.parts?.[step];
    if (!next) break;   // of another run
    chain.push(next);
  }
  const here = chain[chain.length - 1]!;
  const parts = here.parts ?? [], taken = way.slice(0, chain.length - 1), open = (i: number): void => (parts[i]!.parts?.length ? setWay([...taken, i]) : parts[i]!.go?.()), opens = (part: Part): boolean => (part.parts?.length ?? 0) > 0 || part.go !== undefined;
  return <div class="divided">
    <p class="crumbs">{chain.map((part, i) => i + 1 < chain.length
      ? <><button type="button" class="link" onClick={() => setWay(taken.slice(0, i))}>{part.name}</button> › </>
      : <strong>{part.name}: {time(part.amount)}{i > 0 ? `, ${percent(part.amount, whole.amount)} of all ranks’ time` : ""}</strong>)}</p>
    <div class="stack">{parts.map((part, i) => <button type="button" class={`part ${part.class}`} style={{ flexGrow: part.amount }} disabled={!opens(part)}
      aria-label={`${part.name}: ${percent(part.amount, whole.amount)}`} title={`${part.title || part.name}\n${exactTime(part.amount)}, ${percent(part.amount, whole.amount)} of all ranks’ time${part.parts?.length || !part.go ? "" : "\nin Explore, with its source text"}`} onClick={() => open(i)} />)}</div>
    <ul class="legend">{parts.map((part, i) => <li><i class={part.class} />
      {opens(part) ? <button type="button" class="link" onClick={() => open(i)}><bdi>{part.name}</bdi></button> : <bdi>{part.name}</bdi>}{" "}
      <b>{percent(part.amount, whole.amount)}</b> <span class="soft" title={exactTime(part.amount)}>({time(part.amount)})</span> {part.change && <Change of={part.change} unit="s" />}</li>)}{parts.length > 0 && <li><CsvButton name={here.name} head={["part", "nanoseconds"]} rows={() => parts.map((part) => [part.name, part.amount])} /></li>}</ul>
    {taken.length > 0 && here.class === "wait" && parts.some((part) => part.title) && <ul class="sentences">{parts.filter((part) => part.title).map((part) => <li>{part.title}</li>)}</ul>}
  </div>;
}

/** Each is the product of those one level below it. */
const popTree: [string, number][] = [["load_balance", 1], ["communication_efficiency", 1], ["serialisation", 2], ["transfer", 2]];

function PopTree({ pop }: { pop: Pop }): JSX.Element {
  const values = pop.multiplicative, compared = useComparison(), popName = (key: string): string => nameOf(key, "pop");
  useNames();
  const row = (key: string, value: number | null | undefined, level: number): JSX.Element => {
    const grade = value === null || value === undefined ? "unknown" : value >= 0.8 ? "good" : value >= 0.6 ? "fair" : "poor";
    return <tr class={grade}><th scope="row" style={{ paddingLeft: `${0.5 + level * 1.3}rem` }}>{popName(key)}</th>
      <td class="number">{value === null || value === undefined ? "not known" : `${(100 * value).toFixed(2)} %`}</td>
      <td class="bar"><span style={{ width: `${100 * Math.max(0, Math.min(1, value ?? 0))}%` }} /></td><td class="grade">{grade === "unknown" ? "" : grade}</td>{compared && <td class="number"><Change of={changeOfProgram(compared, key, "pop")} unit="points" /></td>}</tr>;
  };
  return <section class="card"><h2>POP efficiency</h2>
    {pop.processes > 0 && <><table class="pop"><tbody>{row("parallel_efficiency", pop.parallel_efficiency, 0)}
      {values && popTree.map(([key, level]) => row(key, values[key], level))}</tbody></table>
    <p class="base">Of the time between MPI_Init and MPI_Finalize, {count(pop.processes)} process{pop.processes === 1 ? "" : "es"}; good from 80 %, poor below 60 %. Each is the product of those below it. {compared && "Beside it: points of percent, B − A. "}<CsvButton name="POP efficiency" head={["metric", "efficiency"]} rows={() => [[popName("parallel_efficiency"), pop.parallel_efficiency], ...(values ? popTree.map(([key]): [string, number | null] => [popName(key), values[key] ?? null]) : [])]} /></p></>}
    {pop.notes.map((note) => <p class="base">{sentence(note)}.</p>)}</section>;
}

function Advice({ advice }: { advice: AdviceDocument }): JSX.Element {
  const ranked = [...advice.conclusions].sort((a, b) => b.gain_at_most_s - a.gain_at_most_s);
  return <section class="card"><h2>Advice, the largest gain first</h2>
    {ranked.length === 0 && <p>No rule finds enough evidence for advice.</p>}
    <ol class="advice">{ranked.slice(0, 6).map((c) => <li><details>
      <summary><b>{sentence(c.title)}</b><span class="soft"> – gains at most {time(nanoseconds(c.gain_at_most_s))} ({percent(c.gain_at_most_share, 1)} of the run time); confidence {c.confidence_word} ({c.confidence.toFixed(2)})</span><br />{sentence(c.what)}</summary>
      <p>{c.advice}</p><ul>{c.evidence.map((fact) => <li>{fact.text}</li>)}</ul><p class="base">{c.gain_reason}. Source: {c.source}</p></details></li>)}</ol>
    {ranked.length > 6 && <p class="base">showing 6 of {ranked.length}; `mora advise` has all</p>}
    {advice.caveats.map((text) => <p class="base">{text}</p>)}</section>;
}

export function Overview({ report, summary, dimensions }: { report: Report; summary: Summary; dimensions: Dimensions | undefined }): JSX.Element {
  const computed = useComputed(dimensions), pop = useAnswer(() => once<Pop>("pop"), []), advice = useAnswer(() => once<AdviceDocument>("advice"), []);
  const compared = useComparison(), run = report.run, serious = report.data_quality.filter((row) => row.severity !== "info");
  const both = useAnswer(() => (compared ? Promise.all([once<Summary>("summary", {}, ""), once<Summary>("summary", {}, "other")]) : Promise.resolve(null)), [compared !== null]);
  const open = (id: string): void => select({ page: "findings", finding: id });
  useCommands("overview", [{ keys: ["Enter"], does: "open the first finding", group: "overview", run: () => report.findings[0] && open(report.findings[0].id) }]);
  const facts: [string, string | number | undefined, boolean?][] = [["Wall time", run.wall_s === undefined || run.wall_s === 0 ? undefined : time(nanoseconds(run.wall_s))], ["Ranks", `${count(run.ranks)}${run.nodes ? ` on ${count(run.nodes)} node${run.nodes === 1 ? "" : "s"}` : ""}`],
    ["Events", run.events ? count(run.events) : undefined], ["Date", run.date], ["MPI", run.mpi], ["Trace", `${run.trace}${run.trace_format ? ` (${run.trace_format})` : ""}`, true], ["Command", run.command, true], ["Processors", run.processors, true]];
  return <>
    <p class="verdict">{summary.total_ns > 0 || !isCubeAlone(report) ? sentence(summary.verdict) : `${run.program}: metrics by call path and rank are on the page Explore.`}</p>
    {serious.length > 0 && <p class={`card banner ${serious.some((row) => row.severity === "loss") ? "loss" : ""}`}>Some figures may be off: {serious.map((row) => `${count(row.count)} × ${row.kind}`).join(", ")}. <a href="#quality" onClick={(e) => { e.preventDefault(); document.getElementById("quality")?.scrollIntoView(); }}>Data quality</a></p>}
    {summary.total_ns > 0 && <Divided whole={changed(partsOf(report, summary, dimensions, computed), both.value ?? undefined)} />}
    <dl class="facts">{facts.filter(([, value]) => value !== undefined && value !== "").map(([name, value, wide]) => <div class={wide ? "wide" : ""}><dt>{name}</dt><dd><bdi>{value}</bdi></dd></div>)}{compared && <div><dt>Time of all ranks, B − A</dt><dd><Change of={changeOfProgram(compared, "time")} unit="s" /></dd></div>}</dl>
    <div class="columns">
      <div>
        <section class="card"><h2>Findings that cost most</h2>
          {report.findings.length === 0 && <p>{noFindings(report)}</p>}
          <ol class="top">{report.findings.slice(0, 5).map((f) => <li><button type="button" class="row" onClick={() => open(f.id)}>
            <span class="handle">#{f.id}</span><span class="number amount" title={exactTime(nanoseconds(f.severity_s))}>{time(nanoseconds(f.severity_s))}</span><span class="number soft">{percent(nanoseconds(f.severity_s), summary.total_ns)}</span>
            <span><b>{f.name}</b> <bdi>{f.call_path[f.call_path.length - 1] ?? ""}</bdi> <Change of={changeOfPath(compared, f.call_path, f.metric)} unit="s" /></span></button></li>)}</ol>
          {report.findings.length > 5 && <p class="base">showing 5 of {report.findings.length}; <button type="button" class="link" onClick={() => select({ page: "findings" })}>all findings</button></p>}
        </section>
        {pop.value && <PopTree pop={pop.value} />}
        {summary.efficiency.length > 0 && <section class="card"><h2>Productive and lost</h2><ul class="sentences">{summary.efficiency.map((text) => <li>{sentence(text)}</li>)}</ul></section>}
      </div>
      <div>
        {advice.value && <Advice advice={advice.value} />}
        <section class="card" id="quality"><h2>Data quality</h2>
          {report.data_quality.length === 0 ? <p>Nothing was lost or repaired.</p> : <DataTable name="data quality" rows={report.data_quality} columns={[
            { name: "severity", value: (r) => r.severity, show: (r) => <span class={`severity-${r.severity}`}>{r.severity}</span> }, { name: "count", value: (r) => r.count, number: true },
            { name: "what happened", value: (r) => r.what, show: (r) => <>{r.what} <code>{r.kind}</code>{r.where ? ` (${r.where})` : ""}</> }, { name: "what to do", value: (r) => r.remedy || "–" }]} />}</section>
      </div>
    </div>
    {(pop.error || advice.error) && report.findings.length > 0 && <Problem text={pop.error ?? advice.error ?? ""} />}
  </>;
}

export const noFindings = (report: Report): string => (isCubeAlone(report) ? "A CUBE file alone has no findings: its metrics are on the page Explore." : "No wait state was found.");
export const siteText = (site: { file: string; line: number } | null): string => (site ? place(site.file, site.line) : "call site not known");
