// The ranks where they ran: by node, or as a grid of so many columns; each a field, darker is more. Where ranks are more
// than fit, a field is the largest of its group, and that is said.
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { amount, count, exact, type Unit } from "../format";
import { CanvasPainter, type Painter, SvgPainter } from "../timeline/painter";
import { SaveButtons } from "./common";

const most = 9000, framesAtMost = 900;   // fields; nodes with a frame

interface Field { x: number; y: number; side: number; first: number; last: number; value: number }
interface Frame { x: number; y: number; wide: number; tall: number; name: string }
interface Layout { fields: Field[]; frames: Frame[]; tall: number; group: number; columns: number }

/** The value of a group of ranks: the one farthest from zero. */
function groupOf(ranks: number[], list: number[], at: number, size: number): { first: number; last: number; value: number } {
  const end = Math.min(list.length, at + size);
  let value = 0;
  for (let i = at; i < end; ++i) { const here = ranks[list[i]!] ?? 0; if (Math.abs(here) > Math.abs(value)) value = here; }
  return { first: list[at]!, last: list[end - 1]!, value };
}

function grid(ranks: number[], columns: number, width: number): Layout {
  const group = Math.max(1, Math.ceil(ranks.length / most)), list = ranks.map((_, i) => i), fields: Field[] = [];
  const across = group === 1 ? Math.max(1, columns) : Math.ceil(Math.sqrt((ranks.length / group) * (width / 480))), side = Math.max(1, Math.min(ranks.length <= 64 ? 44 : 26, Math.floor((width - 2) / across)));
  for (let at = 0, i = 0; at < ranks.length; at += group, ++i) fields.push({ x: (i % across) * side, y: Math.floor(i / across) * side, side, ...groupOf(ranks, list, at, group) });
  return { fields, frames: [], tall: Math.ceil(fields.length / across) * side, group, columns };
}

function byNode(ranks: number[], nodeOf: number[], names: string[], width: number, columns = 0): Layout {
  const members: number[][] = names.map(() => []);
  ranks.forEach((_, rank) => members[nodeOf[rank] ?? 0]?.push(rank));
  const largest = members.reduce((a, list) => Math.max(a, list.length), 1), group = Math.max(1, Math.ceil(ranks.length / most)), perNode = Math.ceil(largest / group);
  const across = columns > 0 && group === 1 ? columns : Math.ceil(Math.sqrt(perNode)), room = Math.sqrt((width * 320) / names.length), side = Math.max(2, Math.min(ranks.length <= 64 ? 44 : 26, Math.floor((room - 12) / across))), named = side * across > 34;
  const edge = named ? 3 : 1, wide = side * across + (named ? 8 : 3), tall = side * Math.ceil(perNode / across) + (named ? 22 : 3), line = Math.max(1, Math.floor(width / wide)), fields: Field[] = [], frames: Frame[] = [];
  members.forEach((list, n) => {
    const x = (n % line) * wide, y = Math.floor(n / line) * tall, top = y + (named ? 16 : 1);
    if (names.length <= framesAtMost) frames.push({ x, y, wide: wide - edge, tall: tall - edge, name: named ? names[n] || "machine" : "" });
    for (let at = 0, i = 0; at < list.length; at += group, ++i) fields.push({ x: x + edge + (i % across) * side, y: top + Math.floor(i / across) * side, side, ...groupOf(ranks, list, at, group) });
  });
  return { fields, frames, tall: Math.ceil(names.length / line) * tall, group, columns: 0 };
}

/** "4x8x2": extents of a Cartesian grid, the last one running fastest, as MPI numbers its ranks; none: it is no such text. */
function extentsOf(text: string): number[] {
  const extents = text.split(/[^\d]+/).filter(Boolean).map(Number);
  return /^\s*\d+(\s*[x×*, ]\s*\d+){1,5}\s*$/.test(text) && extents.every((n) => n > 0) ? extents : [];
}

/** Planes of the last two extents, one frame each. */
function planes(ranks: number[], extents: number[], width: number): Layout {
  const columns = extents[extents.length - 1]!, tall = extents[extents.length - 2]!, size = columns * tall, names: string[] = [], outer = extents.slice(0, -2);
  for (let plane = 0; plane * size < ranks.length; ++plane) {
    let rest = plane;
    const place = outer.map((_, i) => { const below = outer.slice(i + 1).reduce((a, b) => a * b, 1), at = Math.floor(rest / below); rest %= below; return at; });
    names.push(outer.length ? `${place.join(", ")}, …` : "");
  }
  return outer.length ? byNode(ranks, ranks.map((_, r) => Math.floor(r / size)), names, width, columns) : grid(ranks, columns, width);
}

/** Columns that divide the ranks, and the one next to a square. */
function columnsOf(ranks: number): { all: number[]; square: number } {
  const all: number[] = [];
  for (let c = 2; c * c <= ranks; ++c) if (ranks % c === 0) all.push(c, ranks / c);
  all.sort((a, b) => a - b);
  const root = Math.sqrt(ranks);
  return { all, square: all.find((c) => c >= root) ?? Math.ceil(root) };
}

function draw(p: Painter, l: Layout, width: number, warm: boolean, chosen: number | null): void {
  const style = getComputedStyle(document.documentElement), v = (name: string): string => style.getPropertyValue(`--${name}`).trim(), largest = l.fields.reduce((a, f) => Math.max(a, Math.abs(f.value)), 0);
  p.rect(0, 0, width, l.tall, v("card"));
  for (const f of l.frames) { p.rect(f.x, f.y, f.wide, f.tall, v("track")); if (f.name) p.text(f.x + 4, f.y + 9, f.name, v("soft"), "start", f.wide - 6); }
  for (const f of l.fields) {
    const gap = f.side > 5 ? 1 : 0, share = largest > 0 ? Math.abs(f.value) / largest : 0;
    p.rect(f.x, f.y, f.side - gap, f.side - gap, v("card"));
    p.rect(f.x, f.y, f.side - gap, f.side - gap, v(f.value < 0 ? "less" : warm ? "wait" : "mpi"), f.value === 0 ? 0.06 : 0.12 + 0.88 * share);
    if (f.side >= 20) p.text(f.x + (f.side - gap) / 2, f.y + f.side / 2, String(f.first), share > 0.5 ? v("card") : v("ink"), "middle", f.side - 2);
    if (chosen !== null && chosen >= f.first && chosen <= f.last && l.group === 1) p.line([[f.x, f.y], [f.x + f.side - 1, f.y], [f.x + f.side - 1, f.y + f.side - 1], [f.x, f.y + f.side - 1], [f.x, f.y]], v("focus"), 2);
  }
}

export function Topology(p: { name: string; ranks: number[]; nodeOf: number[]; nodes: string[]; unit: Unit; warm: boolean; chosen: number | null; arranged: string; onArrange: (how: string) => void; onChoose: (rank: number) => void }): JSX.Element {
  const box = useRef<HTMLDivElement>(null), sheet = useRef<HTMLCanvasElement>(null), [width, setWidth] = useState(900), [hover, setHover] = useState<{ x: number; y: number } | null>(null), [look, setLook] = useState(0);
  const choices = columnsOf(p.ranks.length), extents = extentsOf(p.arranged), fields = extents.reduce((a, b) => a * b, 1);
  const columns = extents.length ? -1 : /^\d+$/.test(p.arranged) ? Math.min(Number(p.arranged), p.ranks.length) : p.nodes.length > 1 && p.nodes.length <= framesAtMost ? 0 : choices.square;
  useLayoutEffect(() => {
    const measure = (): void => setWidth(Math.max(300, Math.floor(box.current?.getBoundingClientRect().width ?? 900))), again = (): void => setLook((n) => n + 1);
    measure();
    addEventListener("resize", measure);
    addEventListener("look", again);
    return () => { removeEventListener("resize", measure); removeEventListener("look", again); };
  }, []);
  const l = useMemo(() => (extents.length ? planes(p.ranks, extents, width) : columns === 0 ? byNode(p.ranks, p.nodeOf, p.nodes, width) : grid(p.ranks, columns, width)), [p.ranks, p.nodeOf, p.nodes, p.arranged, columns, width]);
  useEffect(() => {
    const canvas = sheet.current, context = canvas?.getContext("2d"), dense = devicePixelRatio || 1;
    if (!canvas || !context) return;
    canvas.width = width * dense;
    canvas.height = Math.max(1, l.tall) * dense;
    context.scale(dense, dense);
    draw(new CanvasPainter(context), l, width, p.warm, p.chosen);
    canvas.dataset.drawn = "topology";
  }, [l, look, p.warm, p.chosen]);
  const under = hover && l.fields.find((f) => hover.x >= f.x && hover.x < f.x + f.side && hover.y >= f.y && hover.y < f.y + f.side);
  const largest = l.fields.reduce((a, f) => (Math.abs(f.value) > Math.abs(a.value) ? f : a), l.fields[0] ?? { value: 0, first: 0 });
  const who = (f: { first: number; last: number }): string => (l.group > 1 ? `ranks ${f.first}–${f.last}, largest` : `rank ${f.first}${p.nodes.length > 1 ? ` on ${p.nodes[p.nodeOf[f.first] ?? 0]}` : ""}`);
  return <div ref={box} class="topology">
    <div class="bar-of-tools"><label>arranged: <select value={columns} onChange={(e) => p.onArrange(e.currentTarget.value)}>{extents.length > 0 && <option value={-1}>as a grid</option>}<option value={0}>by node</option>{[...new Set([choices.square, ...choices.all])].sort((a, b) => a - b).map((c) => <option value={c}>{count(c)} × {count(Math.ceil(p.ranks.length / c))}</option>)}</select></label>
      <label>grid of MPI_Cart_create: <input class="ranks" placeholder="4x8x2" value={extents.length ? p.arranged : ""} onChange={(e) => p.onArrange(extentsOf(e.currentTarget.value).join("x"))} /></label>
      {extents.length > 0 && fields !== p.ranks.length && <span class="severity-warning">{count(fields)} places for {count(p.ranks.length)} ranks</span>}
      <span class="base">the stronger the colour, the more; largest: rank {largest.first} with {amount(largest.value, p.unit)}{l.group > 1 ? `; each field: largest of ${count(l.group)} ranks` : ""}; grids of MPI_Cart_create are not recorded, but its extents show one (the last runs fastest, ranks not reordered)</span>
      <SaveButtons name={`${p.name} in the machine`} svg={() => { const painter = new SvgPainter(); draw(painter, l, width, p.warm, p.chosen); return painter.document(width, l.tall, getComputedStyle(document.documentElement).getPropertyValue("--card").trim()); }} size={() => [width, l.tall]} /></div>
    <div class="sheet"><canvas ref={sheet} tabIndex={0} role="img" style={{ width: `${width}px`, height: `${Math.max(1, l.tall)}px` }} aria-label={`${p.name} by rank, ${extents.length ? `as a grid of ${extents.join(" × ")}` : columns === 0 ? `on ${count(p.nodes.length)} nodes` : `${columns} in a row`}; largest: rank ${largest.first} with ${amount(largest.value, p.unit)}`}
      onMouseMove={(e) => { const r = e.currentTarget.getBoundingClientRect(); setHover({ x: e.clientX - r.left, y: e.clientY - r.top }); }} onMouseLeave={() => setHover(null)} onClick={() => { if (under) p.onChoose(under.first); }} />
      {hover && under && <div class="tooltip" style={{ left: `${Math.min(hover.x + 14, width - 200)}px`, top: `${hover.y + 14}px` }}><b>{who(under)}</b><div>{exact(under.value, p.unit)}</div></div>}</div>
  </div>;
}
