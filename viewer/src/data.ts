// What the server answers. Each answer is asked for once and kept; those of a moving view are aborted when superseded.
import type { Unit } from "./format";
import { embedded, isOffline } from "./offline";
import { type Run, selection } from "./selection";
import { decode, type TimelinePicture } from "./timeline/wire";

export interface Site { file: string; line: number }
export interface Instance {
  begin_s: number; end_s: number; rank: number; thread: number; call_path?: string[];
  cause_rank: number | null; cause_call_path: string[] | null; cause_call_site: Site | null;
}
export interface Statistics { count: number; sum_s: number; min_s: number; q1_s: number; median_s: number; q3_s: number; max_s: number; mean_s: number }
export interface Finding {
  id: string; metric: string; name: string; severity_s: number; percent_of_time: number; instances: number;
  call_path: string[]; call_site: Site | null; by_rank: number[]; worst_rank: number;
  causes: { rank: number; severity_s: number }[];
  cause_calls: { rank: number; call_path: string[] | null; severity_s: number }[];
  worst_instance: Instance; statistics?: Statistics | null; most_severe?: Instance[];
  summary: string; diagnosis: string; advice: string;
}
export interface LossCause {
  kind: string; amount_s: number; ranks: number[]; call_path: string[] | null; call_site: Site | null; waiting_s: number;
  waits_at: string[] | null; symptom: string;
}
export interface Quality { kind: string; severity: string; where: string; count: number; what: string; remedy: string }
export interface ReportMetric {
  id: string; name: string; parent: string | null; unit: Unit; inclusive: number; exclusive: number; by_rank: number[];
  statistics?: Statistics; most_severe?: Instance[];
}
export interface Report {
  creator: string;
  run: { program: string; trace: string; trace_format: string; ranks: number; locations: number; nodes: number; events: number; wall_s: number; [more: string]: string | number };
  losses: { focus_s: number; outside_s: number; lost_s: number; smaller_s: number; causes: LossCause[]; start_and_end: LossCause[] } | null;
  metrics: ReportMetric[]; findings: Finding[]; data_quality: Quality[];
}
export interface Meaning { summary: string; formula: string; source: string; diagnosis: string; advice: string; wait_state: boolean }
export interface Summary {
  verdict: string; efficiency: string[]; waiting_ns: number; total_ns: number; mpi_ns: number; causes: string[];
  waiting_by_rank_ns: number[]; glossary: Record<string, Meaning>;
}
export interface Metric { id: string; name: string; parent: number | null; unit: Unit; fold: string; all: number; own: number }
export interface Path { name: string; kind: string; parent: number | null; file: string; line: number; function: number }
/** Entries: index of the parent (-1: the function itself), a call path of the function, value. */
export interface SandwichTrees { total: number; places: number; callers: [number, number, number][]; callees: [number, number, number][] }
export interface Location { name: string; rank: number; thread: number; node: string }
/** A Cartesian topology; no places: rank i is at place i, the last extent running fastest. */
export interface Grid { name: string; extents: number[]; periodic: number[]; size: number; ranks: number[]; places: number[] }
export interface Dimensions { metrics: Metric[]; paths: Path[]; locations: Location[]; grids: Grid[] }
/** The call path of these labels, from the program down; null: there is none. */
export function pathOf(dimensions: Dimensions, wanted: string[]): number | null {
  const labels = (index: number): string[] => {
    const names: string[] = [];
    for (let at: number | null = index; at !== null; at = dimensions.paths[at]!.parent) names.unshift(dimensions.paths[at]!.name);
    return names;
  };
  const path = dimensions.paths.findIndex((p, i) => p.name === wanted[wanted.length - 1] && labels(i).join("\n") === wanted.join("\n"));
  return path < 0 ? null : path;
}
export interface PathValues { own: number[]; all: number[] }
export interface LocationValues { values: number[]; ranks: number[]; nodes: number[] }
export interface Pop {
  processes: number; run_time_s: number; parallel_efficiency: number | null;
  multiplicative: Record<string, number | null> | null; notes: string[]; definition: string;
}
export interface AdviceDocument {
  verdict: string; efficiency: number; caveats: string[]; losses: { loss: string; amount_s: number; share_of_total: number }[];
  conclusions: {
    rule: string; title: string; loss: string; what: string; gain_at_most_s: number; gain_at_most_share: number; gain_reason: string; confidence: number; confidence_word: string;
    advice: string; source: string; evidence: { text: string }[]; ranks: number[]; explained_s: number;
  }[];
}
export interface Interval {
  number: string; name: string; file: string; line: number; id: number; level: number; count: number; processes: number;
  characteristics: Record<string, number>;
  comparative: Record<string, { min: number; min_rank: number; max: number; max_rank: number; mean: number }>;
  by_rank?: ({ rank: number } & Record<string, number>)[];
}
export interface TimelineInfo {
  state: "none" | "opening" | "preparing" | "ready"; error?: string; done?: number; all?: number;
  duration: number; events: number;
  categories: { key: string; name: string }[];
  locations: { rank: number; thread: number; node: string; begin: number; end: number }[];
  regions: { name: string; file: string; line: number; category: number; longest: number; longest_call: number }[];
  counters?: ({ name: string; unit: string; readings: number } | null)[];
  samples?: number; one_sided?: boolean;
}
/** Location, from, until, what was counted, and for each nanosecond. */
export interface CounterValues { stretches: [number, number, number, number, number][]; all: number; largest: number; left_out: number }
/** Location, time, caller; caller, region, the functions that it was called through. */
export interface SampleValues { samples: [number, number, number][]; callers: [number, number, string][]; all: number; complete: boolean }
export interface Line { kind: string; from: number; to: number; begin: number; end: number; bytes: number; tag: number; from_call: number; to_call: number; window?: string }
/** Fences of one instance: location and time of each member. */
export interface Joined { kind: string; window: string; members: number; points: [number, number][] }
export interface Messages { lines: Line[]; joined?: Joined[]; all: number; complete: boolean }
export interface CallDetails {
  call: number; location: number; rank: number; thread: number; begin: number; end: number; region: number; path: number[];
  communicator?: string; members?: number; sent?: number; received?: number; root?: number;
  transfers: { type: string; time: number; bytes: number; tag: number; partner: number | null; partner_time?: number; partner_location?: number; partner_call?: number }[];
  transfers_in_all: number;
}
/** Cells: sender, receiver, messages, bytes; sizes: at most so many bytes; calls: number of the region; over_time: equal parts. */
export interface Traffic {
  ranks: number; by: "rank" | "node"; first: number; shown: number; group: number; messages: number; bytes: number; from: number; until: number; names?: string[]; order?: number[];
  cells: [number, number, number, number][]; sizes: [number, number, number][]; calls: [number, number, number][]; over_time: [number, number][];
}
/** Bars of `length` from `from` on; null: an older analysis kept none. */
export interface Waiting { from: number; length: number; waits: { metric: string; name: string; all: number; ns: number[] }[] | null }
export interface Activity { from: number; until: number; share: number[] }

export interface PredictedTimes { mpi_time: number; waiting: number; transfer: number; overhead: number; local: number; recorded: number }
export interface PredictedRun { run_time: number; mpi_time: number }
export interface Prediction {
  trace: string; machine: string; collectives: string; placement: string; predicted: PredictedRun; recorded: PredictedRun; hockney: PredictedRun; free_network: PredictedRun; largest_message_beyond_measured: number | null;
  what_if: { change: string; words: string; run_time: number; mpi_time: number; low: number | null; high: number | null; error: number | null }[];
  call_paths: ({ path: string; function: string; kind: string; calls: number } & PredictedTimes)[]; ranks: ({ rank: number } & PredictedTimes)[];
  not_modelled: { function: string; calls: number; recorded: number; how: string }[];
  check: { run_time_error: number; hockney_run_time_error: number; ranks: ErrorSummary; free_network_ranks: ErrorSummary; hockney_ranks: ErrorSummary; call_paths: ErrorSummary } | null;
}
export interface ErrorSummary { count: number; median: number; ninth_decile: number; worst: number }

/** Sums without the experiment that they belong to. */
export const isCubeAlone = (report: Report): boolean => report.run.trace_format === "CUBE";

export interface Source { file: string; line: number; why: string; text: string[] | null; costs: [number, number][] }
export interface Changed { key: string; kind: string; values: (number | null)[]; difference: number | null; ratio: number | null; significance: string | null }
export interface Comparison {
  configurations: { label: string; runs: { name: string; date: string | null; processes: number; notes: string[] }[] }[];
  criterion: string; figures: { key: string; kind: string; name: string; unit: Unit | "ratio"; wait_state: boolean }[];
  intervals: { interval: string; figures: Changed[] }[];
  call_paths: { call_path: string[]; match: string; in: string[]; metrics: Changed[] }[];
  unmatched: { intervals: { place: string; in: string[] }[]; call_paths: { place: string; in: string[] }[] };
}

/** The server is gone, or refuses; its sentence. */
export class NoAnswer extends Error {}

export const gone = "`mora view` does not answer any more. Start it again, and open the address that it prints.";

/** Also one that ends in the middle of an answer is gone. */
async function answer<T>(name: string, values: Record<string, string | number>, read: (response: Response) => Promise<T>, signal?: AbortSignal): Promise<T> {
  const query = new URLSearchParams(Object.entries(values).map(([key, value]) => [key, String(value)])).toString();
  let response: Response;
  try {
    response = await fetch(query ? `${name}?${query}` : name, signal ? { signal } : {});
    if (response.ok) return await read(response);
  } catch (reason) {
    throw signal?.aborted || !(reason instanceof TypeError) ? reason : new NoAnswer(gone);
  }
  const text = await response.json().then((refusal: { error?: string }) => refusal.error).catch(() => undefined);
  throw new NoAnswer(text ?? `the server answered ${response.status}`);
}

/** Names of the server: those of the other run stand below "other/", sums of the difference below "difference/". */
function nameOf(name: string, run: Run): string {
  if (run === "" || /^(compare|session)/.test(name)) return name;
  return `${run === "difference" && /^(dimensions|paths|locations|sandwich|source)$/.test(name) ? "difference" : "other"}/${name}`;
}

export async function ask<T>(name: string, values: Record<string, string | number> = {}, signal?: AbortSignal, run = selection().run): Promise<T> {
  return isOffline ? (embedded(name, values) as Promise<T>) : answer(nameOf(name, run), values, (response) => response.json() as Promise<T>, signal);
}

export async function askPicture(values: Record<string, string | number>, signal: AbortSignal, run = selection().run): Promise<TimelinePicture> {
  if (isOffline) return embedded("timeline/picture", values) as Promise<TimelinePicture>;
  return decode(await answer(nameOf("timeline/picture", run), values, (response) => response.arrayBuffer(), signal));
}

const kept = new Map<string, Promise<unknown>>();

/** Asked for once; a failure is not kept. */
export function once<T>(name: string, values: Record<string, string | number> = {}, run = selection().run): Promise<T> {
  const key = `${run} ${name} ${JSON.stringify(values)}`;
  let found = kept.get(key) as Promise<T> | undefined;
  if (!found) {
    found = ask<T>(name, values, undefined, run);
    kept.set(key, found);
    if (kept.size > 400) kept.delete(kept.keys().next().value!);
    found.catch(() => kept.delete(key));
  }
  return found;
}
