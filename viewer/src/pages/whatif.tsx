// What should change? The run on another machine, with equal computation, without waiting: run times of `mora predict`, each
// with its error.
import type { JSX } from "preact";
import { type Changed, once, type ErrorSummary, type PredictedTimes, type Prediction } from "../data";
import { Change, useComparison } from "../compared";
import { count, exactTime, fixed, nanoseconds, percent, sentence, time } from "../format";
import { type Column, DataTable, Name, Picture, Problem, useAnswer } from "../widgets/common";

interface Row { change: string; words: string; run: number; mpi: number; low: number | null; high: number | null; error: number | null; kind: "recorded" | "changed" | "baseline" }

const shift = (value: number): string => `${value > 0 ? "+" : ""}${fixed(100 * value, 1)} %`;

/** Bars of run times, with the error bar of those that have one. */
function Bars({ rows }: { rows: Row[] }): JSX.Element {
  const width = 760, left = 372, room = width - left - 110, most = rows.reduce((a, r) => Math.max(a, r.run, r.high ?? 0), 1), x = (ns: number): number => left + (room * ns) / most, tall = 30;
  return <Picture name="predicted run times"><svg class="what-if" viewBox={`0 0 ${width} ${rows.length * tall + 4}`} role="img" aria-label={rows.map((r) => `${r.words}: ${time(r.run)}`).join("; ")}>
    {rows.map((r, i) => <g><text x={left - 8} y={i * tall + 19} text-anchor="end" class="strong">{r.words.length > 62 ? `${r.words.slice(0, 61)}…` : r.words}</text>
      <rect x={left} y={i * tall + 5} width={Math.max(1, x(r.run) - left)} height={18} rx={3} class={r.kind === "recorded" ? "fill-compute" : r.kind === "baseline" ? "fill-rest" : "fill-mpi"}><title>{exactTime(r.run)}</title></rect>
      {r.low !== null && r.high !== null && <path d={`M ${x(r.low)} ${i * tall + 14} L ${x(r.high)} ${i * tall + 14} M ${x(r.low)} ${i * tall + 9} L ${x(r.low)} ${i * tall + 19} M ${x(r.high)} ${i * tall + 9} L ${x(r.high)} ${i * tall + 19}`} class="stroke-ink"><title>{`from ${exactTime(r.low)} to ${exactTime(r.high)}`}</title></path>}
      <text x={Math.max(x(r.run), r.high === null ? 0 : x(r.high)) + 6} y={i * tall + 19}>{time(r.run)}</text></g>)}</svg></Picture>;
}

export function WhatIf(): JSX.Element {
  const answer = useAnswer(() => once<Prediction>("predict"), []), p = answer.value;
  const compared = useComparison() !== null, both = useAnswer(() => (compared ? Promise.all([once<Prediction>("predict", {}, ""), once<Prediction>("predict", {}, "other")]) : Promise.resolve(null)), [compared]).value;
  if (answer.error) return <Problem text={answer.error} />;
  if (!p) return <p class="soft">Predicting: the run is replayed …</p>;
  const ns = (seconds: number | null): number | null => (seconds === null ? null : nanoseconds(seconds)), recorded = nanoseconds(p.recorded.run_time);
  const rows: Row[] = [
    { change: "", words: "as it was recorded", run: recorded, mpi: nanoseconds(p.recorded.mpi_time), low: null, high: null, error: null, kind: "recorded" },
    ...p.what_if.map((one): Row => ({ change: one.change, words: one.words, run: nanoseconds(one.run_time), mpi: nanoseconds(one.mpi_time), low: ns(one.low), high: ns(one.high), error: one.error, kind: "changed" })),
    { change: "hockney", words: "baseline: a message’s time is a straight line (Hockney 1994)", run: nanoseconds(p.hockney.run_time), mpi: nanoseconds(p.hockney.mpi_time), low: null, high: null, error: p.check?.hockney_run_time_error ?? null, kind: "baseline" }];
  const difference = (key: string): Changed | undefined => {
    const [a, b] = both?.map((one) => (key === "" ? one.recorded : key === "hockney" ? one.hockney : one.what_if.find((w) => w.change === key))?.run_time ?? null) ?? [null, null];
    return a === null || b === null || a === undefined || b === undefined ? undefined : { key, kind: "", values: [a, b], difference: b - a, ratio: null, significance: null };
  };
  const best = rows.filter((r) => r.kind === "changed").reduce((a, b) => (b.run < a.run ? b : a)), own = p.check?.run_time_error ?? null;
  const errors: [string, ErrorSummary | undefined][] = [["this machine’s model, MPI time of a rank", p.check?.ranks], ["a network that costs nothing", p.check?.free_network_ranks], ["Hockney’s straight line", p.check?.hockney_ranks], ["this machine’s model, call path of a rank", p.check?.call_paths]];
  const timed = (name: string, key: keyof PredictedTimes): Column<PredictedTimes> => ({ name, value: (r) => nanoseconds(r[key]), show: (r) => time(nanoseconds(r[key])), title: (r) => exactTime(nanoseconds(r[key])), number: true });
  const parts = [timed("MPI", "mpi_time"), timed("wait", "waiting"), timed("transfer", "transfer"), timed("overhead", "overhead"), timed("recorded", "recorded")];
  return <div class="what-if-page">
    <p class="verdict">{best.run < recorded ? `${sentence(best.words)}: ${time(best.run)} instead of ${time(recorded)} (${percent(best.run, recorded)}).` : `Nothing that is predicted here would make the run of ${time(recorded)} quicker.`}</p>
    <p class="base">Machine: <bdi>{p.machine}</bdi>; collectives of {p.collectives}; placement {p.placement}. {own === null ? "" : `The recorded run itself is predicted ${shift(own)} from what was measured: differences smaller than that say nothing.`}</p>
    <section class="card"><h2>Run time, if …</h2><Bars rows={rows} />
      <DataTable name="what if" rows={rows} columns={[
        { name: "if", value: (r) => r.words }, { name: "run time", value: (r) => r.run, show: (r) => time(r.run), title: (r) => exactTime(r.run), number: true }, ...(both ? [{ name: "B − A", value: (r: Row) => { const d = difference(r.change)?.difference; return d === undefined || d === null ? null : nanoseconds(d); }, show: (r: Row) => <Change of={difference(r.change)} unit="s" />, number: true }] : []), { name: "of recorded", value: (r) => percent(r.run, recorded), number: true },
        { name: "MPI time, all ranks", value: (r) => r.mpi, show: (r) => time(r.mpi), title: (r) => exactTime(r.mpi), number: true },
        { name: "all costs lower", value: (r) => r.low, show: (r) => (r.low === null ? "–" : time(r.low)), number: true }, { name: "higher", value: (r) => r.high, show: (r) => (r.high === null ? "–" : time(r.high)), number: true },
        { name: "error", value: (r) => r.error, show: (r) => (r.error === null ? "–" : shift(r.error)), number: true }]} />
      <p class="base">Lower, higher: with all costs of the network changed by the errors that the machine model states. Error: (predicted - recorded) / recorded of the recorded run itself on the same network. Equal computation: each rank’s stretches times mean / own, over the whole run. A run ends when the last rank comes to MPI_Finalize; MPI time is without MPI_Init and MPI_Finalize.</p>
      {p.largest_message_beyond_measured !== null && <p class="severity-warning">Messages of up to {count(p.largest_message_beyond_measured)} bytes are larger than what was measured: all figures rest on the model’s last line.</p>}</section>
    <div class="columns"><section class="card"><h2>Calls on this machine</h2><DataTable name="predicted calls" rows={p.call_paths} most={15} columns={[{ name: "call path", value: (c) => c.path, show: (c) => <Name text={c.path} /> }, ...parts]} /></section>
      <div>{p.check && <section class="card"><h2>How good the model is</h2><DataTable name="errors" rows={errors.filter(([, e]) => e)} columns={[{ name: "relative error of", value: ([name]) => name }, ...(["median", "ninth_decile"] as const).map((key) => ({ name: key === "median" ? "median" : "90th percentile", value: ([, e]: [string, ErrorSummary | undefined]) => e![key], show: ([, e]: [string, ErrorSummary | undefined]) => `${(100 * e![key]).toFixed(1)} %`, number: true })), { name: "worst", value: ([, e]) => e!.worst, show: ([, e]) => shift(e!.worst), number: true }]} /></section>}
        <section class="card"><h2>Ranks on this machine</h2><DataTable name="predicted ranks" rows={p.ranks} most={12} columns={[{ name: "rank", value: (r) => r.rank, number: true }, ...parts]} /></section>
        {p.not_modelled.length > 0 && <section class="card"><h2>Only approximated</h2><DataTable name="not modelled" rows={p.not_modelled} columns={[{ name: "function", value: (u) => u.function }, { name: "calls", value: (u) => u.calls, number: true }, { name: "recorded", value: (u) => nanoseconds(u.recorded), show: (u) => time(nanoseconds(u.recorded)), number: true }, { name: "how", value: (u) => u.how }]} /></section>}</div></div>
  </div>;
}
