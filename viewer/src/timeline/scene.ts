// What the timeline shows at a moment, and how it is drawn: axes, calls or bins, waits, messages, the chosen call.
import type { CounterValues, Joined, Line, TimelineInfo } from "../data";
import type { Painter } from "./painter";
import { drawMarks } from "./marks";
import { drawCollectives, drawEpochs, drawJoined, drawPath, lineEnds, type Relations, strip } from "./relations";
import type { Order, RowGroup } from "./rows";
import { functionColour, type SampledLane } from "./samples";
import type { BinsPicture, TimelinePicture } from "./wire";

export const gutter = 92, axis = 26;

export interface Wait { begin: number; end: number; rank: number; cause: number | null; name: string; finding: string; chosen: boolean }
/** Rows are those of the order that `ranks` and `sort` ask for; without them, of all locations. */
export interface View { from: number; until: number; first: number; count: number; ranks?: string; sort?: string }
export const rangeOf = (view: View): Record<string, string | number> => ({ from: Math.floor(view.from), until: Math.ceil(view.until), first: view.first, count: view.count, ...(view.ranks ? { ranks: view.ranks } : {}), ...(view.sort ? { sort: view.sort } : {}) });
export interface Area { x0: number; x1: number; y0: number; y1: number; ruler: boolean }
export interface Scene {
  info: TimelineInfo; view: View; width: number; height: number;
  picture: TimelinePicture | null; bins: HTMLCanvasElement | null;
  waits: Wait[]; lines: Line[]; counter: CounterValues | null; sampled: SampledLane | null; call: number; area: Area | null;
  order?: Order; relations?: Relations; joined?: Joined[]; marks?: number[];
}

export interface Colours { of: string[]; ink: string; soft: string; card: string; wait: string; rule: string; counter: string; focus: string; critical: string; more: string; less: string; track: string; chosen: string; onWait: string; onDark: boolean[] }

/** Text on what is bright, in light and dark alike. */
const dark = "#1b2430";
export function colours(info: TimelineInfo): Colours {
  const style = getComputedStyle(document.documentElement), value = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const of = info.categories.map((c) => value(c.key));
  return { of, ink: value("ink"), soft: value("soft"), card: value("card"), wait: value("wait"), rule: value("rule"), counter: value("counter"), focus: value("focus"), critical: value("loss"), more: value("more"), less: value("less"), track: value("track"), chosen: value("chosen"), onWait: brightness(value("wait")) < 140 ? "#ffffff" : dark, onDark: of.map((c) => brightness(c) < 140) };
}

export function rgb(hex: string): [number, number, number] {
  const n = parseInt(hex.slice(1), 16);
  return [(n >> 16) & 255, (n >> 8) & 255, n & 255];
}
const brightness = (hex: string): number => { const [r, g, b] = rgb(hex); return 0.299 * r + 0.587 * g + 0.114 * b; };

export const xOf = (s: Scene, t: number): number => gutter + ((t - s.view.from) / (s.view.until - s.view.from)) * (s.width - gutter);
export const timeAt = (s: Scene, x: number): number => s.view.from + ((x - gutter) / (s.width - gutter)) * (s.view.until - s.view.from);
export const rowHeight = (s: Scene): number => (s.height - axis) / Math.max(1, s.view.count);
export const yOfRow = (s: Scene, row: number): number => axis + (row - s.view.first) * rowHeight(s);
/** Far outside if the location is no row. */
export const yOf = (s: Scene, location: number): number => { const row = s.order ? s.order.rowOf[location] ?? -1 : location; return row < 0 ? -1e6 : yOfRow(s, row); };
export const rowAt = (s: Scene, y: number): number => Math.max(0, Math.min((s.order?.rows.length ?? s.info.locations.length) - 1, s.view.first + Math.floor((y - axis) / rowHeight(s))));
export const locationOf = (s: Scene, row: number): number => (s.order ? s.order.rows[row] ?? 0 : row);
export const locationAt = (s: Scene, y: number): number => locationOf(s, rowAt(s, y));

/** Steps of 1, 2, 5 x 10^k, never below a nanosecond. */
export function ticks(from: number, until: number, most: number): number[] {
  const rough = (until - from) / most, power = 10 ** Math.floor(Math.log10(Math.max(rough, 1))), step = Math.max(1, [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? 10 * power);
  const list: number[] = [];
  for (let t = Math.ceil(from / step) * step; t <= until && list.length < 100; t += step) list.push(t === 0 ? 0 : t);
  return list;
}

/** A label that tells neighbours apart. */
function tickText(t: number, step: number): string {
  const [scale, unit] = step >= 1e8 ? [1e9, "s"] : step >= 1e5 ? [1e6, "ms"] : step >= 100 ? [1e3, "µs"] : [1, "ns"];
  const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(step / (scale as number)) - 1e-9)));
  return `${((t as number) / (scale as number)).toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
}

/** A painted picture with its points: the next one of its size takes both, which cost more to make than to paint. */
export interface Painted { sheet: HTMLCanvasElement; data: ImageData }
function sheetOf(width: number, height: number, before: Painted | null): Painted {
  if (before && before.data.width === width && before.data.height === height) return before;
  const sheet = document.createElement("canvas");
  sheet.width = width;
  sheet.height = height;
  return { sheet, data: sheet.getContext("2d")!.createImageData(width, height) };
}

/** Bins as a picture of one point per column; rows of eight points show the share of MPI as height, thin ones as mixture. */
export function paintBins(picture: TimelinePicture, c: Colours, tall: number, before: Painted | null): Painted | null {
  if (picture.kind !== "bins" || picture.rows === 0) return null;
  const points = tall >= 6 ? 8 : 1, { columns } = picture, { sheet, data } = sheetOf(columns, picture.rows * points, before), context = sheet.getContext("2d")!, pixels = new Uint32Array(data.data.buffer), of = c.of.map(rgb), user = of[1]!;
  const pixel = (colour: number[]): number => ((255 << 24) | (Math.round(colour[2]!) << 16) | (Math.round(colour[1]!) << 8) | Math.round(colour[0]!)) >>> 0, full = of.map(pixel);
  // Of each category and share the colour of a thin row, or how many of eight points are filled: made once, not for each point.
  const mixed = new Uint32Array(256 * of.length), filled = new Uint8Array(256);
  for (let share = 0; share < 256; ++share) {
    filled[share] = share === 0 ? 0 : Math.min(points, Math.floor(points * (share / 255) + 0.5));
    of.forEach((colour, category) => { const part = category === 0 ? 1 : Math.max(share / 255, share > 0 ? 0.15 : 0); mixed[256 * category + share] = pixel(user.map((u, i) => u + (colour[i]! - u) * part)); });
  }
  for (let row = 0; row < picture.rows; ++row) {
    for (let column = 0; column < columns; ++column) {
      const at = row * columns + column, category = Math.min(picture.category[at]!, of.length - 1), share = picture.share[at]!;
      if (points === 1) {
        pixels[at] = mixed[256 * category + share]!;
        continue;
      }
      const empty = points - filled[share]!;
      for (let k = 0; k < points; ++k) pixels[(row * points + k) * columns + column] = category === 0 ? full[0]! : k < empty ? full[1]! : full[category]!;
    }
  }
  context.putImageData(data, 0, 0);
  return { sheet, data };
}

/** Where the second of two runs has more of its time in MPI than the first, and where less; what has no counterpart is empty. */
export function paintDifference([a, b]: [BinsPicture, BinsPicture], c: Colours): HTMLCanvasElement {
  const sheet = document.createElement("canvas"), more = rgb(c.more), less = rgb(c.less), same = rgb(c.track), none = rgb(c.card);
  sheet.width = b.columns;
  sheet.height = b.rows;
  const context = sheet.getContext("2d")!, data = context.createImageData(b.columns, b.rows);
  for (let row = 0; row < b.rows; ++row) {
    for (let column = 0; column < b.columns; ++column) {
      const at = row * b.columns + column, time = b.from + ((b.until - b.from) * (column + 0.5)) / b.columns, columnOfA = Math.floor(((time - a.from) / (a.until - a.from)) * a.columns);
      const other = row < a.rows && columnOfA >= 0 && columnOfA < a.columns ? row * a.columns + columnOfA : -1, isIn = [other >= 0 && a.category[other] !== 0, b.category[at] !== 0];
      const by = (isIn[1] ? b.share[at]! : 0) - (isIn[0] ? a.share[other]! : 0), towards = by > 0 ? more : less, share = Math.min(1, Math.abs(by) / 160);
      for (let i = 0; i < 3; ++i) data.data[4 * at + i] = !isIn[0] && !isIn[1] ? none[i]! : Math.round(same[i]! + (towards[i]! - same[i]!) * share);
      data.data[4 * at + 3] = 255;
    }
  }
  context.putImageData(data, 0, 0);
  return sheet;
}

const deepestOf = new WeakMap<object, number>();
/** Of a row: where its calls are, how high one level of them is, and the part of it, from below, that shades waits. */
function levelsOf(s: Scene): { room: number; step: number; shade: number } {
  const tall = rowHeight(s), room = (tall > 7 ? tall - 2 : tall) - strip(s);
  if (s.picture?.kind !== "calls") return { room, step: room, shade: Math.max(2, (tall - 2 - strip(s)) * 0.38) };
  let deepest = deepestOf.get(s.picture);
  if (deepest === undefined) {
    deepest = 1;
    for (const depth of s.picture.depth) deepest = Math.max(deepest, depth + 1);
    deepestOf.set(s.picture, deepest);
  }
  const step = room / deepest, shade = Math.min(room * 0.38, step * 0.5);
  return { room, step, shade: Math.max(Math.min(2, room), shade < 12 && step >= 13 ? 12 : shade) };
}
const isNamed = (wide: number, shade: number): boolean => wide > 46 && shade >= 11;

function drawCalls(p: Painter, s: Scene, c: Colours): void {
  const picture = s.picture;
  if (picture?.kind !== "calls") return;
  const { room, step, shade } = levelsOf(s), waitsAt = new Map<number, Wait[]>();
  for (const wait of s.waits) if (wait.end > s.view.from && wait.begin < s.view.until) waitsAt.set(wait.rank, [...(waitsAt.get(wait.rank) ?? []), wait]);
  for (let i = s.view.first; i < s.view.first + s.view.count; ++i) {
    const l = s.info.locations[locationOf(s, i)];
    if (l && l.end > l.begin) p.rect(Math.max(gutter, xOf(s, l.begin)), yOfRow(s, i), Math.min(s.width, xOf(s, l.end)) - Math.max(gutter, xOf(s, l.begin)), room, c.of[1]!);
  }
  for (let i = 0; i < picture.calls; ++i) {
    const from = Math.max(gutter, xOf(s, picture.begin[i]!)), to = Math.min(s.width + 1, xOf(s, picture.end[i]!));
    if (to < gutter || from > s.width) continue;
    const location = picture.location[i]!, region = s.info.regions[picture.region[i]!], category = region?.category ?? 7, top = yOf(s, location) + step * picture.depth[i]!;
    const wide = Math.max(1, to - from), isUser = category === 1, high = Math.max(1, isUser ? step - 1 : room - step * picture.depth[i]! - 0.5);
    p.rect(from, top, wide, high, isUser ? c.rule : c.of[category]!);
    if (wide > 34 && Math.min(high, step) >= 11) {
      // Above the shading of a wait in this call; where there is no room for both, the wait's name says more.
      const begin = picture.begin[i]!, end = picture.end[i]!, l = s.info.locations[location], isShaded = !isUser && l?.thread === 0 && (waitsAt.get(l.rank) ?? []).some((w) => w.begin < end && w.end > begin && xOf(s, w.begin) < from + 64);
      const free = isShaded ? high - shade : Math.min(high, step);
      if (free >= 11) p.text(from + 4, top + Math.min(free, step) / 2 + 0.5, region?.name ?? "", c.onDark[category] ? "#ffffff" : dark, "start", wide - 8);
    }
    if (picture.enter[i] === s.call) {
      p.line([[from, top], [from + wide, top], [from + wide, top + high], [from, top + high], [from, top]], c.focus, 2.5);
    }
  }
}

function drawWaits(p: Painter, s: Scene, c: Colours): void {
  const tall = rowHeight(s), { room, shade } = levelsOf(s), rows = new Map(s.info.locations.map((l, i) => [l.thread === 0 ? l.rank : -1, i]));
  for (const wait of s.waits) {
    const row = rows.get(wait.rank), from = xOf(s, wait.begin), to = xOf(s, wait.end);
    if (row === undefined || to < gutter || from > s.width || yOf(s, row) < axis - 2 * tall || yOf(s, row) > s.height) continue;
    const y = yOf(s, row), x = Math.max(gutter, from), wide = Math.max(1.5, Math.min(s.width, to) - x), top = y + room - shade;
    p.rect(x, top, wide, shade, c.wait, wait.chosen ? 1 : 0.85);
    if (wait.chosen) p.line([[x, y], [x + wide, y], [x + wide, y + room], [x, y + room], [x, y]], c.wait, 2);
    if (isNamed(wide, shade)) p.text(x + 4, top + shade / 2 + 0.5, wait.name, c.onWait, "start", wide - 8);
    const cause = wait.cause === null ? undefined : rows.get(wait.cause);
    if (wait.chosen && cause !== undefined && cause !== row && yOf(s, cause) > -1e5) {
      const there = yOf(s, cause) + tall / 2, here = y + tall / 2, way = Math.sign(here - there);
      p.line([[to, there], [to, here]], c.wait, 2, true);
      p.line([[to - 4, here - 8 * way], [to, here], [to + 4, here - 8 * way]], c.wait, 2);
      const says = `rank ${wait.cause} is late`, space = 7.2 * says.length + 12, left = to - space - 6 > gutter ? to - space - 6 : to + 6;   // beside the arrow, on what the rank does before
      if (tall >= 14) {
        const at = tall >= 46 ? there + 13 : there;   // lines through ranks go along the middle
        p.rect(left, at - 10, space, 20, c.card, 0.9);
        p.text(left + space / 2, at, says, c.ink, "middle");
      }
    }
  }
}

/** A lane at the top of each row: its filled height is what was counted for each nanosecond, of the largest in the trace. */
export const counterLane = (tall: number): number => (tall >= 18 ? Math.min(26, tall * 0.25) : Math.max(1, tall * 0.4));
function drawCounter(p: Painter, s: Scene, c: Colours): void {
  if (!s.counter) return;
  const high = counterLane(rowHeight(s)), drawn = s.counter.stretches;
  for (let i = s.view.first; i < s.view.first + s.view.count && s.view.count <= 600; ++i) p.rect(gutter, yOfRow(s, i), s.width - gutter, high, c.card, 0.9);
  for (const [location, from, until, , rate] of drawn) {
    const x = Math.max(gutter, xOf(s, from)), wide = Math.max(0.7, Math.min(s.width, xOf(s, until)) - x), share = s.counter.largest > 0 ? Math.max(0, Math.min(1, rate / s.counter.largest)) : 0;
    p.rect(x, yOf(s, location) + high * (1 - share), wide, high * share, c.counter, 0.9);
  }
}

function drawSampled(p: Painter, s: Scene, c: Colours): void {
  if (!s.sampled) return;
  const high = counterLane(rowHeight(s));
  for (let i = s.view.first; i < s.view.first + s.view.count && s.view.count <= 600; ++i) p.rect(gutter, yOfRow(s, i), s.width - gutter, high, c.card, 0.9);
  for (const { location, from, until, name } of s.sampled.stretches) {
    const x = Math.max(gutter, xOf(s, from)), wide = Math.max(0.7, Math.min(s.width, xOf(s, until)) - x);
    p.rect(x, yOf(s, location), wide, high, functionColour(name), 0.9);
    if (wide > 40 && high >= 11) p.text(x + 4, yOf(s, location) + high / 2, name, "#ffffff", "start", wide - 8);
  }
}

const groupsIn = (s: Scene): RowGroup[] => (s.order?.groups ?? []).filter((g) => g.first + g.count > s.view.first && g.first < s.view.first + s.view.count);

/** All that does not follow the pointer. */
export function draw(p: Painter, s: Scene, c: Colours): void {
  p.rect(0, 0, s.width, s.height, c.card);
  const { from, until } = s.view, tall = rowHeight(s);
  p.within(gutter, axis, s.width - gutter, s.height - axis, () => {
    p.rect(gutter, axis, s.width - gutter, s.height - axis, c.of[0]!);
    if (s.picture?.kind === "bins" && s.bins) {
      const rows = s.picture.count, x = xOf(s, s.picture.from), y = yOfRow(s, s.picture.first);
      p.image(s.bins, x, y, xOf(s, s.picture.until) - x, rows * tall);
      if (tall >= 6) for (let i = s.view.first; i < s.view.first + s.view.count; ++i) p.rect(gutter, yOfRow(s, i) + tall - 1.5, s.width - gutter, 1.5, c.card);
    }
    drawCalls(p, s, c);
    drawWaits(p, s, c);
    drawCounter(p, s, c);
    drawSampled(p, s, c);
    drawEpochs(p, s, c);
    for (const group of groupsIn(s)) {   // many low groups would be more line than picture: thinner, in the sheet's colour, then none
      const high = group.count * tall;
      if (group.first > s.view.first && high >= 5) p.rect(gutter, yOfRow(s, group.first) - (high >= 24 ? 1.5 : 0.5), s.width - gutter, high >= 24 ? 2 : 1, high >= 24 ? c.ink : c.card, high >= 24 ? 0.7 : 0.85);
    }
    drawCollectives(p, s, c);
    drawJoined(p, s, c);
    for (const line of s.lines) {
      const [start, end] = lineEnds(s, line);
      if (start[1] < -1e5 || end[1] < -1e5) continue;   // to or from a rank that is not among the rows
      const isOneSided = line.kind !== "message", angle = Math.atan2(end[1] - start[1], end[0] - start[0]), mine = line.from_call === s.call || line.to_call === s.call;
      p.line([start, end], mine ? c.focus : c.ink, mine ? 2.2 : 1, isOneSided);
      for (const side of [-0.45, 0.45]) p.line([end, [end[0] - 8 * Math.cos(angle + side), end[1] - 8 * Math.sin(angle + side)]], mine ? c.focus : c.ink);
    }
    drawPath(p, s, c);
  });
  const marks = ticks(from, until, Math.max(2, Math.floor((s.width - gutter) / 110))), step = marks.length > 1 ? marks[1]! - marks[0]! : until - from;
  for (const t of marks) {
    p.line([[xOf(s, t), axis - 5], [xOf(s, t), axis]], c.soft);
    const says = tickText(t, step);
    if (xOf(s, t) + 3 + 7 * says.length < s.width) p.text(xOf(s, t) + 3, axis / 2, says, c.soft);   // none is cut
  }
  p.text(4, axis / 2, "rank \\ time", c.soft);
  const groups = tall < 12 ? groupsIn(s) : [];   // rows too low for their own names: those of nodes, of kinds of behaviour
  let free = axis;
  for (const group of groups) {
    const y = Math.max(axis, yOfRow(s, group.first)), high = Math.min(s.height, yOfRow(s, group.first + group.count)) - y;
    p.line([[gutter - 5, y + 0.5], [gutter, y + 0.5]], c.soft);
    if (y < free || y + 12 > s.height) continue;
    p.text(gutter - 8, y + Math.max(7, Math.min(high, 16) / 2), group.name.slice(0, 12), c.soft, "end");
    free = y + 16;
  }
  const every = Math.max(1, Math.ceil(16 / tall));
  for (let i = s.view.first + (groups.length > 0 ? s.view.count : 0); i < s.view.first + s.view.count; i += every) {
    const l = s.info.locations[locationOf(s, i)];
    if (l && yOfRow(s, i) + 12 < s.height) p.text(gutter - 8, yOfRow(s, i) + Math.max(tall, 12) / 2, l.thread === 0 ? `rank ${l.rank}` : `${l.rank} thread ${l.thread}`, c.soft, "end");
  }
  p.line([[gutter - 0.5, axis], [gutter - 0.5, s.height]], c.rule);
  drawMarks(p, s, c);
}
