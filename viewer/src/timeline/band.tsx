// Intervals above the ruler: where the parts of the program are in time, on the first process that is shown.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ask } from "../data";
import { count, time } from "../format";
import { type Run, select } from "../selection";
import { gutter, type View } from "./scene";

/** Interval, level, begin, end, executions. */
interface Band { bars: [number, number, number, number, number][]; numbers: string[]; names: string[]; all: number; drawn: number }

export function useBand(run: Run, view: View, location: number, width: number): Band | null {
  const [band, setBand] = useState<Band | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    ask<Band>("timeline/intervals", { location, from: Math.floor(view.from), until: Math.ceil(view.until), columns: Math.max(1, Math.floor(width - gutter)) }, stop.signal, run).then(setBand, () => { if (!stop.signal.aborted) setBand(null); });
    return () => stop.abort();
  }, [run, view.from, view.until, location, width]);
  return band;
}

/** The next or previous execution of the chosen interval, or of any at the outermost level: looked for ever further away. */
export async function nextExecution(chosen: string, location: number, view: View, by: number, duration: number): Promise<[number, number] | null> {
  const middle = Math.round((view.from + view.until) / 2);
  for (let length = 2 * (view.until - view.from); ; length *= 4) {
    const from = by > 0 ? middle : Math.round(middle - length), until = by > 0 ? Math.round(middle + length) : middle;
    const band = await ask<Band>("timeline/intervals", { location, from, until, columns: 8192 }), fits = band.bars.filter(([i, level]) => (chosen ? band.numbers[i] === chosen : level === 1)).sort((a, b) => a[2] - b[2]);
    const next = by > 0 ? fits.find((b) => b[2] > middle) : fits.reverse().find((b) => b[3] < middle);
    if (next) return [next[2], next[3]];
    if (by > 0 ? until >= duration : from <= 0) return null;
  }
}

const levels = 3;
export function IntervalBand({ band, view, width, chosen, show, rank }: { band: Band; view: View; width: number; chosen: string; show: (from: number, until: number) => void; rank: number }): JSX.Element {
  const deepest = Math.min(levels, Math.max(...band.bars.map((b) => b[1]))), x = (t: number): number => Math.max(gutter, Math.min(width, gutter + ((t - view.from) / (view.until - view.from)) * (width - gutter)));
  const shown = band.bars.filter((b) => b[1] <= levels).slice(0, 300), hidden = band.all - shown.reduce((sum, b) => sum + b[4], 0);
  return <div class="band" role="group" aria-label={`intervals of rank ${rank}`} style={{ height: `${deepest * 18}px`, width: `${width}px` }}>
    <span class="soft" title={`intervals of rank ${rank}${hidden > 0 ? `; ${count(hidden)} are not drawn` : ""}`}>intervals{hidden > 0 ? " …" : ""}</span>
    {shown.map(([i, level, begin, end, executions]) => {
      const left = x(begin), wide = Math.max(1, x(end) - left - 1), name = `${band.numbers[i]} ${band.names[i]}`;
      const says = executions > 1 ? `${name}: ${count(executions)} executions in ${time(end - begin)}` : `${name}: ${time(end - begin)}`;
      return <button type="button" tabIndex={wide > 12 ? 0 : -1} aria-pressed={band.numbers[i] === chosen} class={executions > 1 ? "several" : ""} title={says} aria-label={says} style={{ left: `${left}px`, width: `${wide}px`, top: `${(level - 1) * 18}px` }}
        onClick={() => select({ interval: band.numbers[i]! })} onDblClick={() => show(begin - (end - begin) * 0.02, end + (end - begin) * 0.02)}>{wide > 40 ? (executions > 1 ? `${count(executions)} × ${name}` : name) : ""}</button>;
    })}</div>;
}
