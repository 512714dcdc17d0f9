// What happens when, of the page Matrix: volume, time in MPI, waiting by wait state. All figures are the server's.
import type { JSX } from "preact";
import type { Activity, Traffic, Waiting } from "../data";
import { bytes, count, percent, time } from "../format";
import { select } from "../selection";
import { DataTable, Picture } from "./common";

/** How many wait states have a colour of their own; the others share one. */
const waitColours = 5;

/** One strip of the picture: a headline, bars upwards from its line. */
function Strip({ top, width, says, bars, children }: { top: number; width: number; says: string; bars: JSX.Element[]; children?: JSX.Element }): JSX.Element {
  return <g><text x={10} y={top + 12} class="strong">{says}</text>{bars}<line x1={10} x2={width - 10} y1={top + stripHeight + 0.5} y2={top + stripHeight + 0.5} class="stroke-line" />{children}</g>;
}
const stripHeight = 84, barHeight = 64;

/** Over time: volume in bytes, the share of time that is not user code, and waiting by wait state, each on its own scale. */
export function OverTime({ t, activity, waiting, ranks }: { t: Traffic; activity: Activity | undefined; waiting: Waiting | undefined; ranks: number }): JSX.Element {
  const width = 560, left = 10, room = width - 20, bins = t.over_time.length, most = t.over_time.reduce((a, b) => Math.max(a, b[1]), 0), at = (i: number): number => t.from + ((t.until - t.from) * i) / bins, x = (i: number): number => left + (room * i) / bins;
  const stretch = (i: number): string => `${time(at(i))} to ${time(at(i + 1))}`, wide = room / bins;
  const waits = waiting?.waits ?? [], length = waiting?.length ?? 1, from = waiting?.from ?? 0, sums = (waits[0]?.ns ?? []).map((_, i) => waits.reduce((sum, w) => sum + w.ns[i]!, 0)), mostWaiting = Math.max(0, ...sums);
  const xOf = (ns: number): number => Math.max(left, Math.min(left + room, left + (room * (ns - t.from)) / (t.until - t.from)));
  const sent = t.over_time.flatMap((bin, i) => (bin[0] > 0 ? [<rect x={x(i)} y={stripHeight - Math.max(1, (barHeight * bin[1]) / Math.max(1, most))} width={wide + 0.4} height={Math.max(1, (barHeight * bin[1]) / Math.max(1, most))} class="fill-mpi"><title>{`${stretch(i)}: ${count(bin[0])} messages and transfers begin, ${bytes(bin[1])}`}</title></rect>] : []));
  const top = stripHeight + 12, inMpi = (activity?.share ?? []).flatMap((share, i) => (share > 0 ? [<rect x={x(i)} y={top + stripHeight - (barHeight * share) / 255} width={wide + 0.4} height={(barHeight * share) / 255} class="fill-compute"><title>{`${stretch(i)}: ${percent(share, 255)} of all ranks’ time is not user code`}</title></rect>] : []));
  const low = (activity ? 2 : 1) * top, stacked = sums.flatMap((sum, i) => {
    const begin = xOf(from + i * length), end = xOf(from + (i + 1) * length), says = `${time(from + i * length)} to ${time(from + (i + 1) * length)}: ${time(sum)} of waiting, ${percent(sum, length * ranks)} of all ranks’ time`;
    let y = low + stripHeight;
    return sum > 0 && end > begin ? waits.flatMap((wait, k) => {
      const high = (barHeight * wait.ns[i]!) / mostWaiting;
      y -= high;
      return high > 0 ? [<rect x={begin} y={y} width={Math.max(0.5, end - begin + 0.4)} height={high} class={`fill-wait-${Math.min(k, waitColours)}`}><title>{`${says}\n${wait.name}: ${time(wait.ns[i]!)}`}</title></rect>] : [];
    }) : [];
  });
  const high = low + (mostWaiting > 0 ? stripHeight : waiting ? 18 : -12) + 20;
  return <><Picture name="volume, MPI and waiting over time"><svg class="over-time" viewBox={`0 0 ${width} ${high}`} role="img" aria-label={`over time: bytes sent, at most ${bytes(most)} in ${time((t.until - t.from) / bins)}; time in MPI; waiting, at most ${time(mostWaiting)} of all ranks in ${time(length)}`}>
    <Strip top={0} width={width} says={`sent: at most ${bytes(most)} in ${time((t.until - t.from) / bins)}`} bars={sent} />
    {activity && <Strip top={top} width={width} says="in MPI: share of all ranks’ time, full height is 100 %" bars={inMpi} />}
    {mostWaiting > 0 ? <Strip top={low} width={width} says={`waiting: at most ${time(mostWaiting)} of all ranks in ${time(length)}, ${percent(mostWaiting, length * ranks)} of their time`} bars={stacked} />
      : waiting && <text x={left} y={low + 12} class="strong">{waiting.waits === null ? "waiting: not kept by this analysis; mora analyze keeps it" : "waiting: none here"}</text>}
    <text x={left} y={high - 4}>{time(t.from)}</text><text x={width - 10} y={high - 4} text-anchor="end">{time(t.until)}</text>
  </svg></Picture>
    {waits.length > 0 && <ul class="legend">{waits.slice(0, waitColours).map((wait, k) => <li><i class={`wait-${k}`} /><button type="button" class="link" onClick={() => select({ page: "explore", metric: wait.metric })}>{wait.name}</button> {time(wait.all)}</li>)}{waits.length > waitColours && <li><i class={`wait-${waitColours}`} />{count(waits.length - waitColours)} more wait states: {time(waits.slice(waitColours).reduce((sum, w) => sum + w.all, 0))}</li>}<li class="soft">in the whole run</li></ul>}
    {waits.length > 0 && <details><summary>as a table</summary><DataTable name="waiting over time" rows={sums.map((_, i) => i)} most={12} columns={[{ name: "from", value: (i) => from + i * length, show: (i) => time(from + i * length), number: true }, { name: "all", value: (i) => sums[i]!, show: (i) => time(sums[i]!), number: true }, ...waits.map((wait) => ({ name: wait.name, value: (i: number) => wait.ns[i]!, show: (i: number) => time(wait.ns[i]!), number: true }))]} /></details>}</>;
}
