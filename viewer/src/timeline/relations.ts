// What goes across ranks beside messages: the critical path, epochs and locks, who came when in collectives. The server finds
// them; here they are drawn, and named where the pointer is.
import { useEffect, useState } from "preact/hooks";
import { ask, type Line, type Messages } from "../data";
import { bytes, count, percent, time } from "../format";
import type { Run } from "../selection";
import type { Painter } from "./painter";
import { axis, type Colours, gutter, rangeOf, rowHeight, type Scene, timeAt, type View, xOf, yOf } from "./scene";

/** Location, lane, begin, end, kind, window, target, queued since, call, still open at the end of the trace. */
export type EpochBar = [number, number, number, number, number, number, number | null, number, number, boolean];
export interface Epochs { bars: EpochBar[]; kinds: string[]; windows: string[]; all: number }
/** Completions, of non-blocking ones that are not too many: location, started, completed (null: never), call, completing call. */
export interface Collective { name: string; communicator: string; begin: number; end: number; members: number; root: number | null; points: [number, number][]; nonblocking?: boolean; completions?: Completion[] }
export type Completion = [number, number, number | null, number, number];
export interface Collectives { instances: Collective[]; all: number; complete: boolean }
export interface Path { state: string; done?: number; all: number; in_all?: number; pieces?: [number, number, number][] }
export interface Relations { epochs: Epochs | null; collectives: Collectives | null; path: Path | null }
export interface Wanted { epochs: boolean; collectives: boolean; critical: boolean }
export const transferWays = ["", "closed", "logical", "dependencies"] as const;
export const wayNames: Record<string, string> = { "": "as recorded", closed: "closed: request and data", logical: "logical: as late as the synchronisation allows", dependencies: "dependencies, also backwards" };

function useAnswerFor<T>(wanted: boolean, name: string, run: Run, view: View, more: Record<string, number>, failed: (text: string) => void, isReady: (answer: T) => boolean = () => true): T | null {
  const [value, setValue] = useState<T | null>(null);
  useEffect(() => {
    if (!wanted) return setValue(null);
    const stop = new AbortController();
    let timer = 0;
    const poll = (): void => void ask<T>(name, { ...rangeOf(view), ...more }, stop.signal, run).then((answer) => {
      setValue(answer);
      if (!isReady(answer)) timer = setTimeout(poll, 400) as unknown as number;
    }, (reason: Error) => { if (!stop.signal.aborted) { setValue(null); failed(reason.message); } });
    poll();
    return () => { clearTimeout(timer); stop.abort(); };
  }, [wanted, run, view.from, view.until, view.first, view.count, view.ranks, view.sort]);
  return value;
}

export function useRelations(run: Run, view: View, wanted: Wanted, failed: (text: string) => void): Relations {
  const epochs = useAnswerFor<Epochs>(wanted.epochs, "timeline/epochs", run, view, { limit: 700 }, failed);
  const collectives = useAnswerFor<Collectives>(wanted.collectives, "timeline/collectives", run, view, { limit: 60 }, failed);
  const path = useAnswerFor<Path>(wanted.critical, "timeline/path", run, view, { limit: 2000 }, failed, (answer) => answer.state !== "computing");
  return { epochs, collectives, path };
}

const epochColours = (c: Colours): string[] => [c.of[8]!, c.of[3]!, c.of[5]!, c.of[9]!, c.of[11]!];
export const epochColour = (c: Colours, kind: number): string => epochColours(c)[kind] ?? c.soft;

/** Height of the strip under the calls of a row that holds epochs and locks; 0: the rows are too low. */
export function strip(s: Scene): number {
  if (!s.relations?.epochs) return 0;
  const tall = rowHeight(s);
  return tall < 16 ? 0 : Math.min(36, tall * 0.4);
}
function laneOf(s: Scene, location: number): { top: number; high: number } | null {
  const high = strip(s), bars = s.relations!.epochs!.bars;
  if (high === 0) return null;
  const lanes = Math.max(1, ...bars.map((b) => (b[0] === location ? b[1] + 1 : 1)));
  return { top: yOf(s, location) + rowHeight(s) - 2 - high, high: high / lanes };
}

export function drawEpochs(p: Painter, s: Scene, c: Colours): void {
  const epochs = s.relations?.epochs;
  if (!epochs || strip(s) === 0) return;
  const lanes = new Map<number, { top: number; high: number }>();
  for (let row = s.view.first; row < s.view.first + s.view.count; ++row) {
    const location = s.order ? s.order.rows[row] : row, lane = location === undefined ? null : laneOf(s, location);
    if (lane) lanes.set(location!, lane);
  }
  for (const lane of lanes.values()) p.rect(gutter, lane.top, s.width - gutter, strip(s) + 2, c.card);
  for (const [location, at, begin, end, kind, window, target, queued] of epochs.bars) {
    const lane = lanes.get(location);
    if (!lane) continue;
    const y = lane.top + 1 + at * lane.high, high = Math.max(2, lane.high - 1.5), from = Math.max(gutter, xOf(s, begin)), wide = Math.max(1, Math.min(s.width, xOf(s, end)) - from);
    if (queued < begin) {
      const left = Math.max(gutter, xOf(s, queued));
      p.rect(left, y, Math.max(1, from - left), high, c.wait, 0.4);
      p.line([[left, y + high / 2], [from, y + high / 2]], c.wait, 1.5, true);
    }
    const colour = epochColour(c, kind), says = `${epochs.kinds[kind]}${target !== null ? ` on ${target}` : ""}, ${epochs.windows[window] ?? ""}`;
    p.rect(from, y, wide, high, colour, kind === 0 ? 0.45 : 0.85);
    if (wide > 3) p.rect(from, y, 1, high, c.ink, 0.6);
    if (kind === 4) p.rect(from, y, wide, Math.min(2, high), c.ink);   // exclusive: an edge, not colour alone
    if (wide > 60 && high >= 11) p.text(from + 4, y + high / 2 + 0.5, says, kind === 0 ? c.ink : c.card, "start", wide - 8);
  }
}

function pointsAt(s: Scene, points: [number, number][]): [number, number][] {
  return points.filter(([location]) => yOf(s, location) > -1e5).map(([location, at]) => [xOf(s, at), yOf(s, location) + rowHeight(s) / 2]);
}

/** Of all collectives together, so that a frame keeps to its shapes: arrows to completions; members that are marked one by one, each with its edge. */
const completionsDrawn = 1500, marksDrawn = 1500;
/** Of each non-blocking collective the members' ways from the start to the completion, as many as can be drawn. */
function completionsOf(s: Scene): { of: Collective; from: [number, number]; to: [number, number]; completion: Completion }[] {
  const half = rowHeight(s) / 2, found: ReturnType<typeof completionsOf> = [];
  for (const of of s.relations?.collectives?.instances ?? []) {
    for (const completion of of.completions ?? []) {
      const [location, begin, end] = completion, y = yOf(s, location) + half;
      if (end === null || y < 0 || y > s.height || xOf(s, end) < gutter || xOf(s, begin) > s.width) continue;
      if (found.length === completionsDrawn) return found;
      found.push({ of, from: [xOf(s, begin), y], to: [xOf(s, end), y], completion });
    }
  }
  return found;
}

/** Lines through the members of one collective, each where it came; the root has a mark. Arrows along the rows lead to where a member completed a non-blocking one. */
export function drawCollectives(p: Painter, s: Scene, c: Colours): void {
  const tall = rowHeight(s);
  let marks = 0;
  for (const { from, to, completion } of completionsOf(s)) {
    const isChosen = completion[3] === s.call || completion[4] === s.call, colour = isChosen ? c.focus : c.of[2]!;
    if (tall >= 12) p.line([from, to], c.card, isChosen ? 4.5 : 3.5);
    p.line([from, to], colour, isChosen ? 2.5 : 1.5, true);
    if (tall >= 12) p.line([[to[0] - 6, to[1] - 4], to, [to[0] - 6, to[1] + 4]], colour, 1.5);
  }
  for (const one of s.relations?.collectives?.instances ?? []) {
    const line = pointsAt(s, one.points);
    if (line.length > 64) {   // a line through so many would hatch the picture: each by itself
      if ((marks += line.length) > marksDrawn) continue;
      const half = Math.max(1, ((s.height - axis) / line.length) * 0.5), each = line.map(([x, y]): [[number, number], [number, number]] => [[x, y - half], [x, y + half]]);
      p.strokes(each, c.card, 4);
      p.strokes(each, c.ink, 2);
    } else if (line.length > 1) {
      p.line(line, c.card, 3.5);
      p.line(line, c.of[2]!, 1.5);
    }
    if (line.length <= 64) for (const [x, y] of line) p.rect(x - 2, y - 2, 4, 4, c.of[2]!);
    const root = one.root === null ? undefined : one.points.find(([location]) => s.info.locations[location]?.rank === one.root);
    if (!root || yOf(s, root[0]) < -1e5) continue;
    const x = xOf(s, root[1]), y = yOf(s, root[0]) + tall / 2;
    p.line([[x, y - 7], [x + 7, y], [x, y + 7], [x - 7, y], [x, y - 7]], c.card, 4);
    p.line([[x, y - 7], [x + 7, y], [x, y + 7], [x - 7, y], [x, y - 7]], c.of[2]!, 2);
  }
}

export function drawJoined(p: Painter, s: Scene, c: Colours): void {
  for (const fence of s.joined ?? []) {
    const line = pointsAt(s, fence.points);
    if (line.length > 1) p.line(line, c.of[8]!, 1.5, true);
  }
}

/** One line through the ranks. */
export function drawPath(p: Painter, s: Scene, c: Colours): void {
  const pieces = s.relations?.path?.pieces;
  if (!pieces) return;
  const half = rowHeight(s) / 2;
  let line: [number, number][] = [], last = -1;
  const end = (): void => {
    if (line.length > 1) {
      p.line(line, c.card, 6);
      p.line(line, c.critical, 3);
    }
    line = [];
  };
  for (const [location, from, to] of pieces) {
    const y = yOf(s, location) + half;
    if (y < -1e5) { end(); continue; }
    if (line.length > 0 && from > last) end();
    line.push([Math.max(gutter - 9, xOf(s, from)), y], [Math.min(s.width + 9, xOf(s, to)), y]);
    last = to;
  }
  end();
}

const near = (x: number, y: number, a: [number, number], b: [number, number]): number => {
  const dx = b[0] - a[0], dy = b[1] - a[1], length = dx * dx + dy * dy, t = length === 0 ? 0 : Math.max(0, Math.min(1, ((x - a[0]) * dx + (y - a[1]) * dy) / length));
  return Math.hypot(x - a[0] - t * dx, y - a[1] - t * dy);
};
export const lineEnds = (s: Scene, line: Line): [[number, number], [number, number]] => {
  const half = rowHeight(s) / 2;
  return [[xOf(s, line.begin), yOf(s, line.from) + half], [xOf(s, line.end), yOf(s, line.to) + half]];
};
const rankOf = (s: Scene, location: number): string => { const l = s.info.locations[location]; return `rank ${l?.rank ?? "?"}${l?.thread ? `, thread ${l.thread}` : ""}`; };

/** What is under the pointer, in words. */
export function said(s: Scene, x: number, y: number): string[] {
  const words: string[] = [], t = timeAt(s, x), half = rowHeight(s) / 2;
  for (const line of s.lines) {
    const [from, to] = lineEnds(s, line);
    if (near(x, y, from, to) > 5) continue;
    const size = /message|put|get$|atomic/.test(line.kind) ? `, ${bytes(line.bytes)}` : "", by = line.end - line.begin;
    words.push(`${line.kind}${line.window ? ` on ${line.window}` : ""}: ${rankOf(s, line.from)} → ${rankOf(s, line.to)}${size}${line.kind === "message" ? `, tag ${line.tag}` : ""}, ${by < 0 ? `${time(-by)} backwards` : time(by)}`);
    if (words.length === 3) break;
  }
  const epochs = s.relations?.epochs, location = s.order ? s.order.rows[s.view.first + Math.floor((y - axis) / rowHeight(s))] : s.view.first + Math.floor((y - axis) / rowHeight(s));
  const lane = epochs && location !== undefined ? laneOf(s, location) : null;
  if (epochs && lane && y >= lane.top) {
    for (const [at, number, begin, end, kind, window, target, queued, , isOpen] of epochs.bars) {
      if (at !== location || number !== Math.floor((y - lane.top) / lane.high) || t < queued || t > end) continue;
      const where = `${epochs.windows[window] ?? ""}${target !== null ? ` at rank ${target}` : kind >= 3 ? " at all ranks" : ""}`;
      words.push(t < begin ? `waits ${time(begin - queued)} in the queue for the ${epochs.kinds[kind]} of ${where}` : `${epochs.kinds[kind]} of ${where}: ${time(end - begin)}${isOpen ? ", never closed" : ""}${queued < begin ? `, after ${time(begin - queued)} in the queue` : ""}`);
    }
  }
  for (const one of s.relations?.collectives?.instances ?? []) {
    const line = pointsAt(s, one.points);
    if (!line.some((at, i) => (line.length > 64 ? near(x, y, at, at) <= 5 : i > 0 && near(x, y, line[i - 1]!, at) <= 5))) continue;
    const came = one.points.map(([, at]) => at), spread = Math.max(...came) - Math.min(...came), lastOne = one.points[came.indexOf(Math.max(...came))]!;
    words.push(`${one.name} on ${one.communicator}: ${count(one.members)} members came within ${time(spread)}, ${rankOf(s, lastOne[0])} last${one.root !== null ? `; root ${one.root}` : ""}`);
    break;
  }
  const way = s.relations?.collectives ? completionsOf(s).find((one) => near(x, y, one.from, one.to) <= 4) : undefined;
  if (way) {
    const [at, begin, end] = way.completion, came = way.of.points.map(([, start]) => start);
    words.push(`${way.of.name} on ${way.of.communicator}: ${rankOf(s, at)} completed it ${time(end! - begin)} after its start; ${count(way.of.members)} members started it within ${time(Math.max(...came) - Math.min(...came))}`);
  }
  const piece = s.relations?.path?.pieces?.find(([at, from, to]) => at === location && t >= from && t < to && Math.abs(y - yOf(s, at) - half) <= 6);
  if (piece) words.push(`critical path: on ${rankOf(s, piece[0])} for ${time(piece[2] - piece[1])}`);
  return words;
}

/** How many collectives of many members are drawn; 0: all. */
function tooMany(collectives: Collectives): number {
  const many = collectives.instances.filter((one) => one.points.length > 64), drawn = many.filter((_, i) => many.slice(0, i + 1).reduce((sum, one) => sum + one.points.length, 0) <= marksDrawn).length;
  return drawn < many.length ? drawn : 0;
}

/** The key to what is drawn, and how much of it is not. */
export function keyTo(relations: Relations, messages: Messages | null, way: string, isTooLow: boolean): { colour: (c: Colours) => string; text: string }[] {
  const { epochs, collectives, path } = relations, keys: { colour: (c: Colours) => string; text: string }[] = [];
  if (path?.state === "computing") keys.push({ colour: (c) => c.critical, text: `the critical path is being looked for: ${percent(path.done ?? 0, path.all)}` });
  if (path?.pieces) keys.push({ colour: (c) => c.critical, text: `critical path${path.all > path.pieces.length ? `: ${count(path.pieces.length)} stretches stand for ${count(path.all)}, each where most of it is` : `: ${count(path.all)} stretches`}` });
  if (epochs) {
    if (isTooLow && epochs.all > 0) keys.push({ colour: (c) => c.soft, text: `${count(epochs.all)} epochs and locks are not drawn: the rows are too low (i: fewer ranks)` });
    else if (epochs.all === 0) keys.push({ colour: (c) => c.soft, text: "no epochs or locks here" });
    else {
      for (const kind of [...new Set(epochs.bars.map((b) => b[4]))].sort()) keys.push({ colour: (c) => epochColour(c, kind), text: epochs.kinds[kind]! });
      if (epochs.bars.some((b) => b[7] < b[2])) keys.push({ colour: (c) => c.wait, text: "waits in the lock's queue" });
      if (epochs.all > epochs.bars.length) keys.push({ colour: (c) => c.soft, text: `showing the ${count(epochs.bars.length)} longest of ${count(epochs.all)} epochs and locks` });
    }
  }
  if (collectives) {
    const group = collectives.instances.find((one) => one.points.length > 1 && one.members > one.points.length);
    keys.push({ colour: (c) => c.of[2]!, text: `who came when: ${collectives.all > collectives.instances.length || !collectives.complete ? `showing ${count(collectives.instances.length)} of ${count(collectives.all)}${collectives.complete ? "" : " or more"} collective calls` : `${count(collectives.all)} collective calls`}${group ? `; of many members, a point is the last of its neighbours${tooMany(collectives) ? `, drawn of the first ${count(tooMany(collectives))}` : ""}` : ""}${collectives.instances.some((one) => one.root !== null) ? "; ◇ root" : ""}` });
  }
  const nonblocking = collectives?.instances.filter((one) => one.nonblocking) ?? [];
  if (nonblocking.length > 0) {
    const all = nonblocking.reduce((sum, one) => sum + (one.completions?.length ?? 0), 0), open = nonblocking.reduce((sum, one) => sum + (one.completions ?? []).filter((c) => c[2] === null).length, 0), many = nonblocking.filter((one) => !one.completions).length;
    keys.push({ colour: (c) => c.of[2]!, text: `- -> to where a non-blocking one is completed${all > completionsDrawn ? `: showing at most ${count(completionsDrawn)} of ${count(all)}` : ""}${open > 0 ? `; ${count(open)} never completed` : ""}${many > 0 ? `; not drawn for ${count(many)} with too many members (i: fewer ranks)` : ""}` });
  }
  if (messages && way !== "") keys.push({ colour: (c) => c.of[8]!, text: `one-sided: ${wayNames[way]}` });
  return keys;
}
