// Zoom and pan: changes of the one selection, the same for every timeline on a page.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask, askPicture, type CounterValues, type Messages, type SampleValues } from "../data";
import { type Run, select } from "../selection";
import { axis, type Colours, gutter, paintBins, type Painted, rangeOf, type View } from "./scene";
import type { BinsPicture, TimelinePicture } from "./wire";

/** [from, until) becomes the view, at least 10 ns and at most three times the run. */
export function showTime(from: number, until: number, duration: number): void {
  const length = Math.max(10, Math.min(duration * 3, until - from)), middle = (from + until) / 2;
  if (length >= duration && from <= 0 && until >= duration) return select({ from: 0, until: 0 });
  select({ from: Math.round(middle - length / 2), until: Math.round(middle + length / 2) });
}
/** What is shown stays within the run, as long as there is room. */
export function zoomTime(view: View, factor: number, at: number, duration: number): void {
  const length = (view.until - view.from) * factor, from = at - (at - view.from) * factor;
  if (factor > 1 && length >= duration * 0.999) return select({ from: 0, until: 0 });
  const begin = factor > 1 ? Math.max(0, Math.min(duration - length, from)) : from;
  showTime(begin, begin + length, duration);
}
export function panTime(view: View, part: number): void {
  const by = (view.until - view.from) * part;
  select({ from: Math.round(view.from + by), until: Math.round(view.until + by) });
}

/** The picture of a view, and its messages if they are wanted; the last ones stay until the next are there. */
export function usePicture(run: Run, view: View, size: { width: number; height: number }, withLines: boolean, way = "", calls = 8000): { picture: TimelinePicture | null; messages: Messages | null; problem: string; setProblem: (text: string) => void } {
  const [picture, setPicture] = useState<TimelinePicture | null>(null), [messages, setMessages] = useState<Messages | null>(null), [problem, setProblem] = useState("");
  useEffect(() => {
    const stop = new AbortController(), columns = Math.max(1, Math.floor(size.width - gutter)), rows = Math.max(1, Math.floor((size.height - axis) / (view.count > size.height / 3 ? 1 : 3)));
    const range = rangeOf(view);
    const failed = (reason: Error): void => { if (!stop.signal.aborted) setProblem(reason.message); };
    const timer = setTimeout(() => {
      askPicture({ ...range, columns, rows, ...(calls < 8000 ? { calls } : {}) }, stop.signal, run).then((answer) => { setPicture(answer); setProblem(""); }, failed);
      if (withLines) ask<Messages>("timeline/messages", { ...range, limit: 500, ...(way ? { transfers: way } : {}) }, stop.signal, run).then(setMessages, failed);
      else setMessages(null);
    }, 25);
    return () => { clearTimeout(timer); stop.abort(); };
  }, [run, view.from, view.until, view.first, view.count, view.ranks, view.sort, size.width, size.height, withLines, way, calls]);
  return { picture, messages, problem, setProblem };
}

/** Both runs in the same stretch, as bins; null while one of them is not there. */
export function useBoth(isWanted: boolean, view: View, size: { width: number; height: number }): [BinsPicture, BinsPicture] | null {
  const [both, setBoth] = useState<[BinsPicture, BinsPicture] | null>(null);
  useEffect(() => {
    if (!isWanted) return setBoth(null);
    const stop = new AbortController(), rows = Math.max(1, Math.floor((size.height - axis) / (view.count > size.height / 3 ? 1 : 3)));
    const asked = { ...rangeOf(view), columns: Math.max(1, Math.floor(size.width - gutter)), rows, calls: 1 };
    Promise.all((["", "other"] as const).map((run) => askPicture(asked, stop.signal, run))).then(([a, b]) => setBoth(a?.kind === "bins" && b?.kind === "bins" ? [a, b] : null), () => undefined);
    return () => stop.abort();
  }, [isWanted, view.from, view.until, view.first, view.count, view.ranks, view.sort, size.width, size.height]);
  return both;
}

/** The stretches of a counter in a view; null without one. */
export function useCounter(run: Run, metric: number, view: View, failed: (text: string) => void): CounterValues | null {
  const [values, setValues] = useState<CounterValues | null>(null);
  useEffect(() => {
    if (metric < 0) return setValues(null);
    const stop = new AbortController();
    ask<CounterValues>("timeline/counters", { metric, ...rangeOf(view), limit: 4000 }, stop.signal, run).then(setValues, (reason: Error) => { if (!stop.signal.aborted) { setValues(null); failed(reason.message); } });
    return () => stop.abort();
  }, [run, metric, view.from, view.until, view.first, view.count, view.ranks, view.sort]);
  return values;
}

/** The samples of computation in a view; null if they are not wanted. */
export function useSamples(run: Run, wanted: boolean, view: View, failed: (text: string) => void): SampleValues | null {
  const [values, setValues] = useState<SampleValues | null>(null);
  useEffect(() => {
    if (!wanted) return setValues(null);
    const stop = new AbortController();
    ask<SampleValues>("timeline/samples", { ...rangeOf(view), limit: 5000 }, stop.signal, run).then(setValues, (reason: Error) => { if (!stop.signal.aborted) { setValues(null); failed(reason.message); } });
    return () => stop.abort();
  }, [run, wanted, view.from, view.until, view.first, view.count, view.ranks, view.sort]);
  return values;
}

/** A picture of bins as it is painted. */
export function usePainted(picture: TimelinePicture | null, palette: Colours, tall: number): HTMLCanvasElement | null {
  const before = useRef<Painted | null>(null);
  return useMemo(() => (before.current = picture ? paintBins(picture, palette, tall, before.current) : null), [picture, palette])?.sheet ?? null;
}
