// The ranks where they ran: by node, as a grid of so many columns, or in a Cartesian topology that was recorded; each a
// field, darker is more. Where ranks are more than fit, a field is the largest of its group, and that is said.
import type { JSX } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Grid } from "../data";
import { amount, count, exact, type Unit } from "../format";
import { CanvasPainter, type Painter, SvgPainter } from "../timeline/painter";
import { SaveButtons } from "./common";

const most = 9000, framesAtMost = 900, gridsAtMost = 40;   // fields; nodes with a frame; offered

interface Field { x: number; y: number; side: number; first: number; last: number; value: number }
interface Frame { x: number; y: number; wide: number; tall: number; name: string }
interface Layout { fields: Field[]; frames: Frame[]; tall: number; group: number; columns: number }

/** The value of a group of places: the one farthest from zero. Places without a rank are -1; null: no rank is there. */
function groupOf(ranks: number[], list: number[], at: number, size: number): { first: number; last: number; value: number } | null {
  const there = list.slice(at, at + size).filter((rank) => rank >= 0);
  const value = there.reduce((a, rank) => (Math.abs(ranks[rank] ?? 0) > Math.abs(a) ? ranks[rank]! : a), 0);
  return there.length ? { first: there[0]!, last: there[there.length - 1]!, value } : null;
}

/** `list`: the rank at each place. */
function grid(ranks: number[], list: number[], columns: number, width: number): Layout {
  const group = Math.max(1, Math.ceil(list.length / most)), fields: Field[] = [];
  const across = group === 1 ? Math.max(1, columns) : Math.ceil(Math.sqrt((list.length / group) * (width / 480))), side = Math.max(1, Math.min(list.length <= 64 ? 44 : 26, Math.floor((width - 2) / across)));
  for (let at = 0, i = 0; at < list.length; at += group, ++i) { const of = groupOf(ranks, list, at, group); if (of) fields.push({ x: (i % across) * side, y: Math.floor(i / across) * side, side, ...of }); }
  return { fields, frames: [], tall: Math.ceil(Math.ceil(list.length / group) / across) * side, group, columns };
}

/** `members`: the ranks of each node or plane. */
function byNode(ranks: number[], members: number[][], names: string[], width: number, columns = 0): Layout {
  const largest = members.reduce((a, list) => Math.max(a, list.length), 1), group = Math.max(1, Math.ceil(ranks.length / most)), perNode = Math.ceil(largest / group);
  const across = columns > 0 && group === 1 ? columns : Math.ceil(Math.sqrt(perNode)), room = Math.sqrt((width * 320) / names.length), side = Math.max(2, Math.min(ranks.length <= 64 ? 44 : 26, Math.floor((room - 12) / across))), named = side * across > 34;
  const edge = named ? 3 : 1, wide = side * across + (named ? 8 : 3), tall = side * Math.ceil(perNode / across) + (named ? 22 : 3), line = Math.max(1, Math.floor(width / wide)), fields: Field[] = [], frames: Frame[] = [];
  members.forEach((list, n) => {
    const x = (n % line) * wide, y = Math.floor(n / line) * tall, top = y + (named ? 16 : 1);
    if (names.length <= framesAtMost) frames.push({ x, y, wide: wide - edge, tall: tall - edge, name: named ? names[n] || "machine" : "" });
    for (let at = 0, i = 0; at < list.length; at += group, ++i) { const of = groupOf(ranks, list, at, group); if (of) fields.push({ x: x + edge + (i % across) * side, y: top + Math.floor(i / across) * side, side, ...of }); }
  });
  return { fields, frames, tall: Math.ceil(names.length / line) * tall, group, columns: 0 };
}

/** "4x8x2": extents of a Cartesian grid, the last one running fastest, as MPI numbers its ranks; none: it is no such text. */
function extentsOf(text: string): number[] {
  const extents = text.split(/[^\d]+/).filter(Boolean).map(Number);
  return /^\s*\d+(\s*[x×*, ]\s*\d+){1,5}\s*$/.test(text) && extents.every((n) => n > 0) ? extents : [];
}

function membersOf(ranks: number[], nodeOf: number[], nodes: number): number[][] {
  const members: number[][] = Array.from({ length: nodes }, () => []);
  ranks.forEach((_, rank) => members[nodeOf[rank] ?? 0]?.push(rank));
  return members;
}

/** The rank at each place of a recorded grid; -1: none. */
function placesOf(g: Grid): number[] {
  if (g.places.length === 0) return Array.from({ length: g.size }, (_, i) => i);
  const list = new Array<number>(g.extents.reduce((a, b) => a * b, 1)).fill(-1);
  g.places.forEach((place, i) => { list[place] = g.ranks[i]!; });
  return list;
}

const gridName = (g: Grid): string => `${g.name.length > 60 ? `${g.name.slice(0, 59)}…` : g.name || "grid"}: ${g.extents.map((n, d) => `${n}${g.periodic[d] ? " (periodic)" : ""}`).join(" × ")}`;

/** Planes of the last two extents, one frame each. */
function planes(ranks: number[], list: number[], extents: number[], width: number): Layout {
  const columns = extents[extents.length - 1]!, tall = extents[extents.length - 2]!, size = columns * tall, names: string[] = [], outer = extents.slice(0, -2);
  for (let plane = 0; plane * size < list.length; ++plane) {
    let rest = plane;
    const place = outer.map((_, i) => { const below = outer.slice(i + 1).reduce((a, b) => a * b, 1), at = Math.floor(rest / below); rest %= below; return at; });
    names.push(outer.length ? `${place.join(", ")}, …` : "");
  }
  return outer.length ? byNode(ranks, names.map((_, plane) => list.slice(plane * size, (plane + 1) * size)), names, width, columns) : grid(ranks, list, columns, width);
}

/** Columns that divide the ranks, and the one next to a square. */
function columnsOf(ranks: number): { all: number[]; square: number } {
  const all: number[] = [];
  for (let c = 2; c * c <= ranks; ++c) if (ranks % c === 0) all.push(c, ranks / c);
  all.sort((a, b) => a - b);
  const root = Math.sqrt(ranks);
  return { all, square: all.find((c) => c >= root) ?? Math.ceil(root) };
}

function draw(p: Painter, l: Layout, width: number, more: string, chosen: number | null): void {
  const style = getComputedStyle(document.documentElement), v = (name: string): string => style.getPropertyValue(`--${name}`).trim(), largest = l.fields.reduce((a, f) => Math.max(a, Math.abs(f.value)), 0);
  p.rect(0, 0, width, l.tall, v("card"));
  for (const f of l.frames) { p.rect(f.x, f.y, f.wide, f.tall, v("track")); if (f.name) p.text(f.x + 4, f.y + 9, f.name, v("soft"), "start", f.wide - 6); }
  for (const f of l.fields) {
    const gap = f.side > 5 ? 1 : 0, share = largest > 0 ? Math.abs(f.value) / largest : 0;
    p.rect(f.x, f.y, f.side - gap, f.side - gap, v("card"));
    p.rect(f.x, f.y, f.side - gap, f.side - gap, v(f.value < 0 ? "less" : more), f.value === 0 ? 0.06 : 0.12 + 0.88 * share);
    if (f.side >= 20) p.text(f.x + (f.side - gap) / 2, f.y + f.side / 2, String(f.first), share > 0.5 ? v("card") : v("ink"), "middle", f.side - 2);
    if (chosen !== null && chosen >= f.first && chosen <= f.last && l.group === 1) p.line([[f.x, f.y], [f.x + f.side - 1, f.y], [f.x + f.side - 1, f.y + f.side - 1], [f.x, f.y + f.side - 1], [f.x, f.y]], v("focus"), 2);
  }
}

export function Topology(p: { name: string; ranks: number[]; nodeOf: number[]; nodes: string[]; grids: Grid[]; unit: Unit; warm: boolean; changed: boolean; chosen: number | null; arranged: string; onArrange: (how: string) => void; onChoose: (rank: number) => void }): JSX.Element {
  const box = useRef<HTMLDivElement>(null), sheet = useRef<HTMLCanvasElement>(null), [width, setWidth] = useState(900), [hover, setHover] = useState<{ x: number; y: number } | null>(null), [look, setLook] = useState(0);
  const more = p.changed ? "more" : p.warm ? "wait" : "mpi", choices = columnsOf(p.ranks.length), recorded = /^n\d+$/.test(p.arranged) ? p.grids[Number(p.arranged.slice(1))] : undefined, extents = recorded ? (recorded.extents.length > 1 ? recorded.extents : [1, ...recorded.extents]) : extentsOf(p.arranged), fields = extents.reduce((a, b) => a * b, 1);
  const columns = extents.length ? -1 : /^\d+$/.test(p.arranged) ? Math.min(Number(p.arranged), p.ranks.length) : p.nodes.length > 1 && p.nodes.length <= framesAtMost ? 0 : choices.square;
  const offered = useMemo(() => [...p.grids].sort((a, b) => b.size - a.size).slice(0, gridsAtMost), [p.grids]);
  useLayoutEffect(() => {
    const measure = (): void => setWidth(Math.max(300, Math.floor(box.current?.getBoundingClientRect().width ?? 900))), again = (): void => setLook((n) => n + 1);
    measure();
    addEventListener("resize", measure);
    addEventListener("look", again);
    return () => { removeEventListener("resize", measure); removeEventListener("look", again); };
  }, []);
  const l = useMemo(() => (extents.length ? planes(p.ranks, recorded ? placesOf(recorded) : p.ranks.map((_, i) => i), extents, width) : columns === 0 ? byNode(p.ranks, membersOf(p.ranks, p.nodeOf, p.nodes.length), p.nodes, width) : grid(p.ranks, p.ranks.map((_, i) => i), columns, width)), [p.ranks, p.grids, p.nodeOf, p.nodes, p.arranged, columns, width]);
  useLayoutEffect(() => {
    const canvas = sheet.current, context = canvas?.getContext("2d"), dense = devicePixelRatio || 1;
    if (!canvas || !context) return;
    canvas.width = width * dense;
    canvas.height = Math.max(1, l.tall) * dense;
    context.scale(dense, dense);
    draw(new CanvasPainter(context), l, width, more, p.chosen);
    canvas.dataset.drawn = "topology";
  }, [l, look, more, p.chosen]);
  const under = hover && l.fields.find((f) => hover.x >= f.x && hover.x < f.x + f.side && hover.y >= f.y && hover.y < f.y + f.side);
  const largest = l.fields.reduce((a, f) => (Math.abs(f.value) > Math.abs(a.value) ? f : a), l.fields[0] ?? { value: 0, first: 0 });
  const who = (f: { first: number; last: number }): string => (l.group > 1 ? `ranks ${f.first}–${f.last}, largest` : `rank ${f.first}${p.nodes.length > 1 ? ` on ${p.nodes[p.nodeOf[f.first] ?? 0]}` : ""}`);
  return <div ref={box} class="topology">
    <div class="bar-of-tools"><label>arranged: <select value={recorded ? p.arranged : columns} onChange={(e) => p.onArrange(e.currentTarget.value)}>{extents.length > 0 && !recorded && <option value={-1}>as a grid</option>}{offered.map((g) => <option value={`n${p.grids.indexOf(g)}`}>{gridName(g)}{g.size !== p.ranks.length ? `, ${count(g.size)} ranks` : ""}</option>)}<option value={0}>by node</option>{[...new Set([choices.square, ...choices.all])].sort((a, b) => a - b).map((c) => <option value={c}>{count(c)} × {count(Math.ceil(p.ranks.length / c))}</option>)}</select></label>
      <label>extents: <input class="ranks" placeholder="4x8x2" title="a grid whose last extent runs fastest, ranks in their order" value={extents.length && !recorded ? p.arranged : ""} onChange={(e) => p.onArrange(extentsOf(e.currentTarget.value).join("x"))} /></label>
      {extents.length > 0 && !recorded && fields !== p.ranks.length && <span class="severity-warning">{count(fields)} places for {count(p.ranks.length)} ranks</span>}
      {recorded && recorded.size !== p.ranks.length && <span class="severity-warning">{count(recorded.size)} of {count(p.ranks.length)} ranks have a place in it</span>}
      <span class="base">{largest.value === 0 ? (p.changed ? "no rank’s value changed" : "zero on all ranks") : `${p.changed ? "orange: more than in run A, blue: less; largest change:" : "the stronger the colour, the more; largest:"} rank ${largest.first} with ${amount(largest.value, p.unit)}`}{l.group > 1 ? `; each field: largest of ${count(l.group)} ranks` : ""}{p.grids.length > offered.length ? `; the ${offered.length} largest of ${count(p.grids.length)} grids are offered` : ""}</span>
      <SaveButtons name={`${p.name} in the machine`} svg={() => { const painter = new SvgPainter(); draw(painter, l, width, more, p.chosen); return painter.document(width, l.tall, getComputedStyle(document.documentElement).getPropertyValue("--card").trim()); }} size={() => [width, l.tall]} /></div>
    <div class="sheet"><canvas ref={sheet} tabIndex={0} role="img" style={{ width: `${width}px`, height: `${Math.max(1, l.tall)}px` }} aria-label={`${p.name} by rank, ${recorded ? `in ${gridName(recorded)}` : extents.length ? `as a grid of ${extents.join(" × ")}` : columns === 0 ? `on ${count(p.nodes.length)} nodes` : `${columns} in a row`}; largest: rank ${largest.first} with ${amount(largest.value, p.unit)}`}
      onMouseMove={(e) => { const r = e.currentTarget.getBoundingClientRect(); setHover({ x: e.clientX - r.left, y: e.clientY - r.top }); }} onMouseLeave={() => setHover(null)} onClick={() => { if (under) p.onChoose(under.first); }} />
      {hover && under && <div class="tooltip" style={{ left: `${Math.min(hover.x + 14, width - 200)}px`, top: `${hover.y + 14}px` }}><b>{who(under)}</b><div>{exact(under.value, p.unit)}</div></div>}</div>
  </div>;
}
