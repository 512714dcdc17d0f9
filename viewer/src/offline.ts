// The page of `mora report --html`: the answers are inside of it. Numbers were made by the program that wrote the file; here
// they are looked up. What the file does not hold is refused with a sentence that says where it is.
import type { CallDetails, Line, LocationValues, Messages, PathValues, TimelineInfo } from "./data";
import { count } from "./format";
import type { Band } from "./timeline/band";
import type { Collectives, Epochs, Path } from "./timeline/relations";
import { decode, type CallsPicture, type TimelinePicture } from "./timeline/wire";

type Values = Record<string, string | number>;
interface Block { own: number[]; all: number[]; total: number; below: number[]; alone: number[] }
interface Row { values: number[]; ranks?: number[]; nodes: number[] }
interface Stretch { from: number; until: number; first: number; count: number; kind: "calls" | "bins"; picture: string; messages: Messages; collectives?: Collectives; epochs?: Epochs; transfers?: Record<string, Messages> }
interface Content {
  answers: Record<string, unknown>;
  store: { metrics: Block[][]; rows: Row[]; left_out: number };
  stretches?: Stretch[]; call_details?: Record<string, CallDetails>;
}

const element = document.getElementById("data");
export const isOffline = element !== null;

export class NotInFile extends Error {}
const elsewhere = "`mora view EXPERIMENT` shows it.";

const bytesOf = (base64: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

let loaded: Promise<Content> | undefined;
function content(): Promise<Content> {
  loaded ??= (async () => {
    if (!("DecompressionStream" in window)) throw new NotInFile("This browser cannot unpack the page’s data: it needs DecompressionStream (2023 or later).");
    const text = await new Response(new Blob([bytesOf(element!.textContent!)]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
    element!.textContent = "";
    return JSON.parse(text) as Content;
  })();
  return loaded;
}

const pictures = new Map<Stretch, TimelinePicture>();
function pictureOf(stretch: Stretch): TimelinePicture {
  let picture = pictures.get(stretch);
  if (!picture) pictures.set(stretch, (picture = decode(bytesOf(stretch.picture).buffer)));
  return picture;
}

/** The one with most detail of those that hold the whole view. */
function stretchFor(all: Stretch[], view: { from: number; until: number; first: number; count: number }, duration: number): Stretch {
  const from = Math.max(0, Math.min(view.from, duration - 1)), until = Math.min(duration, Math.max(view.until, 1));
  const holds = (s: Stretch): boolean => s.from <= from && s.until >= until && s.first <= view.first && s.first + s.count >= view.first + view.count;
  const better = (a: Stretch, b: Stretch): number => (a.kind === b.kind ? a.until - a.from - (b.until - b.from) : a.kind === "calls" ? -1 : 1);
  return all.filter(holds).sort(better)[0] ?? all[0]!;
}

function callsOf(c: Content): CallsPicture[] {
  return (c.stretches ?? []).filter((s) => s.kind === "calls").map(pictureOf) as CallsPicture[];
}

function find(c: Content, q: Record<string, number>): number | null {
  const all = callsOf(c);
  if (q.region !== undefined) {
    let best: [number, number] | null = null;
    for (const p of all) for (let i = 0; i < p.calls; ++i) if (p.region[i] === q.region && p.begin[i]! > (q.after ?? -1) && (!best || p.begin[i]! < best[0])) best = [p.begin[i]!, p.enter[i]!];
    return best && best[1];
  }
  if (q.at !== undefined) {   // the neighbour on its location, within the stretch that holds the call
    for (const p of all) {
      const at = p.enter.indexOf(q.at);
      if (at < 0) continue;
      let best: number | null = null;
      for (let i = 0; i < p.calls; ++i) {
        const e = p.enter[i]!;
        if (p.location[i] === p.location[at] && (q.step! > 0 ? e > q.at && (best === null || e < best) : e < q.at && (best === null || e > best))) best = e;
      }
      if (best !== null) return best;
    }
    return null;
  }
  let best: [number, number] | null = null;
  for (const p of all) for (let i = 0; i < p.calls; ++i) if (p.location[i] === q.location && p.begin[i]! <= q.time! && p.end[i]! >= q.time! && (!best || p.depth[i]! > best[0])) best = [p.depth[i]!, p.enter[i]!];
  if (!best) throw new NotInFile(`Single calls at this time are not in this file. ${elsewhere}`);
  return best[1];
}

function zeros(n: number): number[] { return new Array<number>(n).fill(0); }

/** Of what crosses ranks, the part that is in the view. */
function related(c: Content, name: string, view: { from: number; until: number; first: number; count: number }, q: Record<string, number>, info: TimelineInfo): Epochs | Collectives | Path | Band | null {
  const meets = (from: number, until: number): boolean => from < view.until && until > view.from, shows = (l: number): boolean => l >= view.first && l < view.first + view.count, stretch = stretchFor(c.stretches!, view, info.duration);
  if (name === "timeline/epochs" && stretch.epochs) {
    const bars = stretch.epochs.bars.filter((b) => shows(b[0]) && meets(b[7], b[3]));
    return { ...stretch.epochs, bars, all: stretch.epochs.all === stretch.epochs.bars.length ? bars.length : stretch.epochs.all };
  }
  if (name === "timeline/collectives" && stretch.collectives) {
    const { instances, all, complete } = stretch.collectives, inside = instances.filter((one) => meets(one.begin, one.end)).map((one) => ({ ...one, points: one.points.filter(([l]) => shows(l)) })).filter((one) => one.points.length > 0);
    return { instances: inside, all: inside.length, complete: complete && all === instances.length };
  }
  const path = c.answers["timeline/path"] as Path | undefined;
  if (name === "timeline/path" && path) {
    const pieces = path.pieces!.filter(([, from, to]) => meets(from, to));
    return { ...path, pieces, all: path.all === path.pieces!.length ? pieces.length : path.all };
  }
  if (name === "timeline/intervals") {
    if (q.location !== 0) throw new NotInFile(`Only the intervals of the first process are in this file. ${elsewhere}`);
    const band = c.answers[name] as Band | undefined, bars = band?.bars.filter(([, , from, until]) => meets(from, until)) ?? [];
    if (!band) return null;
    const drawn = bars.reduce((sum, bar) => sum + bar[4], 0), missing = band.all - band.drawn;   // nobody knows where those are
    return { ...band, bars, drawn, all: drawn + missing, ...(drawn === 0 && missing > 0 ? { word: `${count(missing)} of its executions of intervals are not in this file. ${elsewhere}` } : {}) };
  }
  return null;
}

/** What a server would answer. */
export async function embedded(name: string, values: Values): Promise<unknown> {
  const c = await content(), q = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Number(value)])) as Record<string, number>;
  const d = c.answers.dimensions as { paths: unknown[] }, info = c.answers["timeline/info"] as TimelineInfo | undefined;
  if (name === "paths" || name === "locations") {
    const blocks = c.store.metrics[q.metric!] ?? [], block = q.own ? blocks[1] ?? blocks[0] : blocks[0];
    if (name === "paths") return (block ?? { own: zeros(d.paths.length), all: zeros(d.paths.length) }) satisfies PathValues;
    const number = !block ? 0 : q.path === undefined ? block.total : (q.own_path ? block.alone : block.below)[q.path]!, row = c.store.rows[number];
    if (!row) throw new NotInFile(`The values of single ranks are not in this file for this call path: it would be too large. ${elsewhere}`);
    return { values: row.values, ranks: row.ranks ?? row.values, nodes: row.nodes } satisfies LocationValues;
  }
  if (name.startsWith("timeline/") && info?.state === "ready" && c.stretches) {
    const view = { from: q.from!, until: q.until!, first: q.first ?? 0, count: q.count ?? 0 };
    if (name === "timeline/picture") return pictureOf(stretchFor(c.stretches, view, info.duration));
    if (name === "timeline/messages") {
      const stretch = stretchFor(c.stretches, view, info.duration), { lines, joined, all, complete } = (values.transfers && stretch.transfers?.[values.transfers]) || stretch.messages, shown = (l: number): boolean => l >= view.first && l < view.first + view.count;
      const inside = lines.filter((l: Line) => l.end >= view.from && l.begin <= view.until && (shown(l.from) || shown(l.to))), limit = q.limit ?? 500;
      return { lines: inside.slice(0, limit), joined: joined ?? [], all: inside.length + (joined?.length ?? 0), complete: complete && all === lines.length + (joined?.length ?? 0) } satisfies Messages;
    }
    if (name === "timeline/call") {
      const details = c.call_details?.[String(q.at)];
      if (!details) throw new NotInFile(`The details of this call are not in this file. ${elsewhere}`);
      return details;
    }
    const across = related(c, name, view, q, info);
    if (across) return across;
    if (name === "timeline/find") return { call: find(c, q) };
    if ((name === "timeline/traffic" || name === "timeline/activity") && Object.keys(values).length > 0) {
      const part = c.answers[`${name}?${Object.entries(values).map(([key, value]) => `${key}=${value}`).join("&")}`];
      if (!part) throw new NotInFile(`This part of the matrix is not in this file. ${elsewhere}`);
      return part;
    }
  }
  if (name === "sandwich") {
    const trees = c.answers[`sandwich?path=${q.path}&metric=${q.metric}&own=${q.own}`];
    if (!trees) throw new NotInFile(`Callers and callees of this metric are not in this file. ${elsewhere}`);
    return trees;
  }
  if (name === "example") return c.answers[`example?metric=${values.metric}`] ?? { caption: "", picture: "" };
  if (!(name in c.answers)) throw new NotInFile(`This is not in this file. ${elsewhere}`);
  return c.answers[name];
}
