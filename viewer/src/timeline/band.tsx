// Intervals above the ruler: where the parts of the program are in time, on the process of the chosen call or of the first row.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ask } from "../data";
import { count, time } from "../format";
import { type Run, select } from "../selection";
import type { Painter } from "./painter";
import { type Colours, gutter, type View } from "./scene";

/** Interval, level, begin, end, executions. */
export interface Band { bars: [number, number, number, number, number][]; numbers: string[]; names: string[]; all: number; drawn: number; in_run: number; word?: string }

/** Of questions whose answer should leave nothing out. */
export const mostBars = 12000;

export function useBand(run: Run, view: View, location: number, width: number): Band | null {
  const [band, setBand] = useState<Band | null>(null), without = useRef("");
  useEffect(() => {
    const here = `${run} ${location}`;
    if (without.current === here) return;   // no zoom finds intervals on a process that executes none
    const stop = new AbortController();
    ask<Band>("timeline/intervals", { location, from: Math.floor(view.from), until: Math.ceil(view.until), columns: Math.max(1, Math.floor(width - gutter)) }, stop.signal, run).then((found) => { without.current = found.in_run === 0 ? here : ""; setBand(found); }, (reason: Error) => { if (!stop.signal.aborted) setBand((before) => before && { ...before, bars: [], all: 0, in_run: 0, word: reason.message }); });
    return () => stop.abort();
  }, [run, view.from, view.until, location, width]);
  return band;
}

/** The next or previous execution of the chosen interval, or of any at the outermost level: looked for ever further away. */
export async function nextExecution(chosen: string, location: number, view: View, by: number, duration: number): Promise<[number, number] | null> {
  const middle = Math.round((view.from + view.until) / 2);
  for (let length = 2 * (view.until - view.from); ; length *= 4) {
    const from = by > 0 ? middle : Math.round(middle - length), until = by > 0 ? Math.round(middle + length) : middle;
    const band = await ask<Band>("timeline/intervals", { location, from, until, columns: 8192, limit: mostBars }), fits = band.bars.filter(([i, level]) => (chosen ? band.numbers[i] === chosen : level === 1)).sort((a, b) => a[2] - b[2]);
    const next = by > 0 ? fits.find((b) => b[2] > middle) : fits.reverse().find((b) => b[3] < middle);
    if (next) return [next[2], next[3]];
    if (!(by > 0 ? until >= duration : from <= 0)) continue;
    if (band.drawn < band.all) throw new Error(`There is no further execution among those that are known here: ${count(band.all - band.drawn)} were left out.`);
    return null;
  }
}

const levels = 3, line = 18;
interface Drawn { left: number; wide: number; top: number; text: string; says: string; number: string; begin: number; end: number; several: boolean }
interface Layout { bars: Drawn[]; height: number; hidden: number; word: string }

/** Where each bar stands; a word if there is none. */
export function layoutOf(band: Band, view: View, width: number): Layout {
  const x = (t: number): number => Math.max(gutter, Math.min(width, gutter + ((t - view.from) / (view.until - view.from)) * (width - gutter)));
  const shown = band.bars.filter((b) => b[1] <= levels).slice(0, 300), word = band.word ?? (band.in_run === 0 ? "this process executes no interval" : shown.length === 0 ? `none of its ${count(band.in_run)} executions of intervals is here` : "");
  const bars = shown.map(([i, level, begin, end, executions]): Drawn => {
    const left = x(begin), name = `${band.numbers[i]} ${band.names[i]}`, several = executions > 1;
    return { left, wide: Math.max(1, x(end) - left - 1), top: (level - 1) * line, number: band.numbers[i]!, begin, end, several, text: several ? `${count(executions)} × ${name}` : name, says: several ? `${name}: ${count(executions)} executions in ${time(end - begin)}` : `${name}: ${time(end - begin)}` };
  });
  return { bars, word, hidden: band.all - shown.reduce((sum, b) => sum + b[4], 0), height: line * Math.max(1, Math.min(levels, Math.max(0, ...shown.map((b) => b[1])))) };
}

/** The band on a sheet, for files. */
export function drawBand(p: Painter, layout: Layout, who: string, chosen: string, c: Colours): void {
  p.text(4, line / 2, `intervals ${who}`, c.soft, "start", gutter - 4);
  for (const b of layout.bars) {
    p.rect(b.left, b.top + 1, b.wide, line - 2, b.number === chosen ? c.chosen : c.track);
    if (b.wide > 40) p.text(b.left + 3, b.top + line / 2, b.text, c.ink, "start", b.wide - 6);
  }
  if (layout.word) p.text(gutter + 4, line / 2, layout.word, c.soft);
}

export function IntervalBand({ layout, chosen, show, who, width }: { layout: Layout; width: number; chosen: string; show: (from: number, until: number) => void; who: string }): JSX.Element {
  return <div class="band" role="group" aria-label={`intervals of ${who}`} style={{ height: `${layout.height}px`, width: `${width}px` }}>
    <span class="soft" title={`intervals of ${who}, the process of the chosen call or of the first row${layout.hidden > 0 ? `; ${count(layout.hidden)} are not drawn` : ""}`}>intervals {who}{layout.hidden > 0 ? " …" : ""}</span>
    {layout.word && <em class="soft" style={{ left: `${gutter + 4}px` }}>{layout.word}</em>}
    {layout.bars.map((b) => <button type="button" tabIndex={b.wide > 12 ? 0 : -1} aria-pressed={b.number === chosen} class={b.several ? "several" : ""} title={b.says} aria-label={b.says} style={{ left: `${b.left}px`, width: `${b.wide}px`, top: `${b.top}px` }}
      onClick={() => select({ interval: b.number })} onDblClick={() => show(b.begin - (b.end - b.begin) * 0.02, b.end + (b.end - b.begin) * 0.02)}>{b.wide > 40 ? b.text : ""}</button>)}</div>;
}
