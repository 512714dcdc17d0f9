// With two runs: what changed, in the colours of the page Compare, beside any figure of any page. Values are those of `mora compare --json`.
import type { JSX } from "preact";
import { type Changed, type Comparison, once } from "./data";
import { bytes, count, fixed, nanoseconds, signed, time } from "./format";
import { isOffline } from "./offline";
import { toneOf, useAnswer } from "./widgets/common";

/** Null while it is not known, and with one run. */
export function useComparison(): Comparison | null {
  const session = useAnswer(() => (isOffline ? Promise.resolve({ compared: false }) : once<{ compared: boolean }>("session")), []), isCompared = session.value?.compared === true;
  return useAnswer(() => (isCompared ? once<Comparison>("compare") : Promise.resolve(null)), [isCompared]).value ?? null;
}

const programOf = (c: Comparison): Changed[] => c.intervals[0]?.figures ?? [];
export const changeOfProgram = (c: Comparison | null, key: string, kind = "metric"): Changed | undefined => (c ? programOf(c).find((f) => f.key === key && f.kind === kind) : undefined);
/** Of the interval with this number and name, which both runs have. */
export const changeOfInterval = (c: Comparison | null, number: string, name: string, key: string): Changed | undefined => c?.intervals.find((i) => i.interval.startsWith(`${number} ${name}`))?.figures.find((f) => f.key === key && f.kind === "characteristic");
export const changeOfPath = (c: Comparison | null, path: string[], metric: string): Changed | undefined => c?.call_paths.find((p) => p.call_path.length === path.length && p.call_path.every((name, i) => name === path[i]))?.metrics.find((m) => m.key === metric);

const words = (value: number, unit: string): string => (unit === "s" ? time(nanoseconds(value)) : unit === "bytes" ? bytes(value) : unit === "points" ? `${fixed(100 * value, 2)} points` : unit === "ratio" ? fixed(value, 4) : count(value));

/** "+3 ms", orange; "-3 ms", blue; "=" where nothing changed; nothing if it is not known. */
export function Change({ of, unit }: { of: Changed | undefined; unit: string }): JSX.Element | null {
  if (!of || of.difference === null) return null;
  const [a, b] = of.values.map((v) => (v === null || v === undefined ? "none" : words(v, unit)));
  return <span class={`change ${toneOf(of.difference) ?? ""}`} title={`run A: ${a}\nrun B: ${b}${of.significance === "insignificant" ? "\nnot more than runs of one configuration differ" : ""}`}>{of.difference === 0 ? "=" : `${signed(words(of.difference, unit), of.difference)}${of.significance === "insignificant" ? " ±" : ""}`}</span>;
}
