// Who sent how much to whom: point-to-point messages and one-sided transfers, counted from the trace; and how large they were.
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, type Traffic } from "../data";
import { bytes, count } from "../format";
import { useCommands } from "../keys";
import { CanvasPainter, type Painter, SvgPainter } from "../timeline/painter";
import { Opened } from "../timeline/opened";
import { ticks } from "../timeline/scene";
import { DataTable, Picture, Problem, SaveButtons, useAnswer } from "../widgets/common";

type Of = "bytes" | "messages" | "size";
const names: Record<Of, string> = { bytes: "Bytes", messages: "Messages", size: "Mean size" };
const valueOf = (cell: Traffic["cells"][number], of: Of): number => (of === "bytes" ? cell[3] : of === "messages" ? cell[2] : cell[3] / Math.max(1, cell[2]));
const figure = (value: number, of: Of): string => (of === "messages" ? count(value) : bytes(Math.round(value)));
const margin = { left: 62, top: 46, right: 10, bottom: 10 };

interface Look { ink: string; soft: string; card: string; track: string; hot: string; line: string }
function look(): Look {
  const style = getComputedStyle(document.documentElement), v = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return { ink: v("ink"), soft: v("soft"), card: v("card"), track: v("track"), hot: v("mpi"), line: v("line") };
}

function draw(p: Painter, t: Traffic, of: Of, side: number, c: Look): void {
  const cells = Math.ceil(t.shown / t.group), step = (side - margin.left - margin.right) / Math.max(1, cells), values = t.cells.map((cell) => valueOf(cell, of));
  let most = 0, least = Infinity;
  for (const value of values) if (value > 0) { most = Math.max(most, value); least = Math.min(least, value); }
  p.rect(0, 0, side, side, c.card);
  p.rect(margin.left, margin.top, step * cells, step * cells, c.track);
  t.cells.forEach((cell, i) => {
    const value = values[i]!, share = most === least ? 1 : (Math.log(Math.max(value, least)) - Math.log(least)) / (Math.log(most) - Math.log(least));
    p.rect(margin.left + cell[1] * step, margin.top + cell[0] * step, Math.max(1, step - (step > 6 ? 1 : 0)), Math.max(1, step - (step > 6 ? 1 : 0)), c.hot, value > 0 ? 0.18 + 0.82 * share : 0.1);
    if (step > 46) p.text(margin.left + (cell[1] + 0.5) * step, margin.top + (cell[0] + 0.5) * step, figure(value, of), share > 0.45 ? c.card : c.ink, "middle", step - 6);
  });
  p.text(margin.left, 12, "receiver →", c.soft);
  p.text(4, margin.top - 12, "sender ↓", c.soft);
  for (const rank of ticks(t.first, t.first + t.shown - 1, Math.min(12, Math.max(2, cells)))) {
    const place = ((rank - t.first) / t.group + 0.5) * step;
    p.text(margin.left + place, margin.top - 12, String(rank), c.soft, "middle");
    p.text(margin.left - 8, margin.top + place, String(rank), c.soft, "end");
  }
}

export const Matrix = (): JSX.Element => <Opened what="matrix">{() => <Counted />}</Opened>;

function Counted(): JSX.Element {
  const [of, setOf] = useState<Of>("bytes"), [range, setRange] = useState<[number, number] | null>(null);
  const traffic = useAnswer(() => ask<Traffic>("timeline/traffic", { cells: 256, ...(range ? { first: range[0], count: range[1] } : {}) }), [range]);
  const sheet = useRef<HTMLCanvasElement>(null), [hover, setHover] = useState<{ x: number; y: number } | null>(null), [redraw, setRedraw] = useState(0);
  const side = Math.max(320, Math.min(900, Math.min(innerHeight - 190, innerWidth * 0.5))), t = traffic.value;
  useEffect(() => {
    const again = (): void => setRedraw((n) => n + 1);
    addEventListener("look", again);
    return () => removeEventListener("look", again);
  }, []);
  useEffect(() => {
    const context = sheet.current?.getContext("2d"), dense = devicePixelRatio || 1;
    if (!context || !t) return;
    sheet.current!.width = sheet.current!.height = side * dense;
    context.scale(dense, dense);
    draw(new CanvasPainter(context), t, of, side, look());
  }, [t, of, side, redraw]);
  useCommands("matrix", [{ keys: ["v"], does: "bytes, messages, mean size", group: "matrix", run: () => setOf(of === "bytes" ? "messages" : of === "messages" ? "size" : "bytes") }, { keys: ["0"], does: "all ranks", group: "matrix", run: () => setRange(null) }]);
  if (!t) return traffic.error ? <Problem text={traffic.error} /> : <p class="soft">Loading …</p>;
  if (t.messages === 0) return <p class="card">No point-to-point message and no one-sided transfer was recorded. Collective operations are on the pages Explore and Timeline.</p>;
  const cells = Math.ceil(t.shown / t.group), step = (side - margin.left - margin.right) / cells;
  const at = (x: number, y: number): [number, number] | null => { const to = Math.floor((x - margin.left) / step), from = Math.floor((y - margin.top) / step); return to >= 0 && from >= 0 && to < cells && from < cells ? [from, to] : null; };
  const under = hover && at(hover.x, hover.y), cell = under && t.cells.find((c) => c[0] === under[0] && c[1] === under[1]);
  const ranks = (i: number): string => (t.group === 1 ? `rank ${t.first + i}` : `ranks ${t.first + i * t.group}–${Math.min(t.first + t.shown, t.first + (i + 1) * t.group) - 1}`);
  const sorted = [...t.cells].sort((a, b) => valueOf(b, of) - valueOf(a, of)), largest = Math.max(...t.sizes.map((size) => size[1]));
  return <div class="matrix">
    {traffic.error && <Problem text={traffic.error} />}
    <div class="bar-of-tools"><div role="group" aria-label="values">{(["bytes", "messages", "size"] as const).map((which) => <button type="button" aria-pressed={of === which} onClick={() => setOf(which)}>{names[which]}</button>)}</div>
      {range && <button type="button" onClick={() => setRange(null)}>All ranks (0)</button>}<span class="soft">{count(t.messages)} messages and transfers, {bytes(t.bytes)}{t.group > 1 ? `; a cell is ${t.group} × ${t.group} ranks: click to enlarge` : ""}; darker is more, logarithmic; collectives are not in it</span>
      <SaveButtons name="matrix" svg={() => { const p = new SvgPainter(); draw(p, t, of, side, look()); return p.document(side, side, look().card); }} size={() => [side, side]} /></div>
    <div class="matrix-columns"><div class="sheet"><canvas ref={sheet} tabIndex={0} role="img" aria-label={`${names[of]} by sender and receiver, ${count(t.shown)} ranks`} style={{ width: `${side}px`, height: `${side}px` }}
      onMouseMove={(e) => { const r = e.currentTarget.getBoundingClientRect(); setHover({ x: e.clientX - r.left, y: e.clientY - r.top }); }} onMouseLeave={() => setHover(null)}
      onClick={() => { if (under && t.group > 1) { const middle = t.first + ((under[0] + under[1]) / 2) * t.group, wide = Math.max(256, Math.ceil(t.shown / 4)); setRange([Math.max(0, Math.min(t.ranks - wide, Math.round(middle - wide / 2))), wide]); } }} />
      {hover && under && <div class="tooltip" style={{ left: `${hover.x + 14}px`, top: `${hover.y + 14}px` }}><b>{ranks(under[0])} → {ranks(under[1])}</b><div>{cell ? `${count(cell[2])} messages, ${bytes(cell[3])}, mean ${bytes(Math.round(cell[3] / Math.max(1, cell[2])))}` : "nothing"}</div></div>}</div>
      <div><section class="card"><h2>Sizes</h2><Picture name="sizes of messages"><svg viewBox={`0 0 420 ${t.sizes.length * 20 + 4}`} role="img" aria-label="messages by size">{t.sizes.map((size, i) => <g>
        <text x={92} y={i * 20 + 14} text-anchor="end">{size[0] === 0 ? "empty" : `≤ ${bytes(size[0])}`}</text><rect x={100} y={i * 20 + 3} width={Math.max(1, (200 * size[1]) / largest)} height={14} rx={2} class="fill-mpi" /><text x={106 + Math.max(1, (200 * size[1]) / largest)} y={i * 20 + 14}>{count(size[1])}</text></g>)}</svg></Picture></section>
        <section class="card"><h2>Largest</h2><DataTable name="traffic" rows={sorted} most={12} columns={[{ name: "from", value: (c) => ranks(c[0]) }, { name: "to", value: (c) => ranks(c[1]) }, { name: "messages", value: (c) => c[2], show: (c) => count(c[2]), number: true }, { name: "bytes", value: (c) => c[3], show: (c) => bytes(c[3]), title: (c) => `${count(c[3])} bytes`, number: true }]} /></section></div></div>
  </div>;
}
