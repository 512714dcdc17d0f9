// Samples of computation as a lane of each row: which function was found, in its colour, until the next sample.
import type { SampleValues, TimelineInfo } from "../data";

export interface SampledStretch { location: number; from: number; until: number; name: string; path: string }
export interface SampledFunction { name: string; samples: number }
export interface SampledLane { stretches: SampledStretch[]; functions: SampledFunction[]; all: number; shown: number }

/** The same function has the same colour in every trace. */
export function functionColour(name: string): string {
  let hash = 2166136261;
  for (let i = 0; i < name.length; ++i) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619) >>> 0;
  const hue = hash % 360, part = (n: number): string => { const k = (n + hue / 30) % 12; return Math.round(255 * (0.5 - 0.3 * Math.max(-1, Math.min(k - 3, 9 - k, 1)))).toString(16).padStart(2, "0"); };
  return `#${part(0)}${part(8)}${part(4)}`;
}

/** A sample stands for the time to the next one of its location, but for no more than twice what is usual. */
export function sampledLane(values: SampleValues, info: TimelineInfo): SampledLane {
  const callers = new Map(values.callers.map(([caller, region, path]) => [caller, { name: info.regions[region]?.name ?? "?", path }]));
  const rows = new Map<number, [number, number][]>(), counts = new Map<string, number>();
  for (const [location, at, caller] of values.samples) {
    const row = rows.get(location) ?? [];
    rows.set(location, row);
    row.push([at, caller]);
  }
  const gaps = [...rows.values()].flatMap((row) => row.slice(1).map(([at], i) => at - row[i]![0])).filter((gap) => gap > 0).sort((a, b) => a - b);
  const usual = gaps[Math.floor(gaps.length / 2)] ?? 4e6, stretches: SampledStretch[] = [];
  for (const [location, row] of rows) {
    row.forEach(([from, caller], i) => {
      const { name, path } = callers.get(caller) ?? { name: "?", path: "" };
      counts.set(name, (counts.get(name) ?? 0) + 1);
      stretches.push({ location, from, until: Math.min(row[i + 1]?.[0] ?? Infinity, from + 2 * usual), name, path });
    });
  }
  const functions = [...counts].map(([name, samples]) => ({ name, samples })).sort((a, b) => b.samples - a.samples || (a.name < b.name ? -1 : 1));
  return { stretches, functions, all: values.all, shown: values.samples.length };
}
