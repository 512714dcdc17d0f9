// Call paths as a flame graph: a box is a call path with all below it, its children stand below it, widths are values of the
// chosen metric. And the same around one function: its callers above it, its callees below. What is too narrow to draw is counted.
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Path, SandwichTrees } from "../data";
import { count, exact, percent, signed, type Unit } from "../format";
import { Picture } from "./common";

const tall = 19, narrowest = 1.5;

interface Box { at: number; x: number; wide: number; level: number }

/** Boxes of a tree whose `tops` fill their part of the width; parents stand before their children. */
function boxesOf(parents: (number | null)[], values: number[], tops: number[] | null, width: number, whole: number): { boxes: Box[]; narrow: number; deepest: number } {
  const children = new Map<number | null, number[]>();
  parents.forEach((parent, i) => { const under = children.get(parent); if (under) under.push(i); else children.set(parent, [i]); });
  const boxes: Box[] = [];
  let narrow = 0, deepest = -1;
  const place = (list: number[], from: number, level: number): void => {
    let x = from;
    for (const at of list) {
      const wide = whole > 0 ? (width * (values[at] ?? 0)) / whole : 0;
      if (wide >= narrowest) {
        boxes.push({ at, x, wide, level });
        deepest = Math.max(deepest, level);
        place(children.get(at) ?? [], x, level + 1);
      } else if (wide > 0) {
        ++narrow;
      }
      x += wide;
    }
  };
  place(tops ?? children.get(null) ?? [], 0, 0);
  return { boxes, narrow, deepest };
}

const kinds: Record<string, string> = { mpi: "flame-mpi", compute: "flame-compute" };
const cut = (name: string, wide: number): string => (name.length * 7.2 > wide - 8 ? `${name.slice(0, Math.max(1, Math.floor((wide - 8) / 7.2) - 1))}…` : name);
/** A call's name without its place. */
const functionOf = (path: Path): string => (path.kind === "mpi" ? path.name.replace(/@[^@]*$/, "") : path.name);

/** `tone`: of a difference, from -1 (all of the largest less) to 1. */
function Boxed(p: { box: Box; y: number; name: string; kind: string; warm: boolean; tone?: number | undefined; title: string; onClick: () => void }): JSX.Element {
  const look = p.tone === undefined ? (p.warm ? "flame-wait" : kinds[p.kind] ?? "flame-user") : p.tone === 0 ? "flame-user" : p.tone > 0 ? "flame-more" : "flame-less";
  return <g onClick={p.onClick}><rect x={p.box.x} y={p.y} width={Math.max(0.5, p.box.wide - 1)} height={tall - 1} rx={2} class={look} style={p.tone ? { fillOpacity: 0.12 + 0.38 * Math.abs(p.tone) } : undefined}><title>{p.title}</title></rect>
    {p.box.wide > 40 && <text x={p.box.x + 4} y={p.y + 13}>{cut(p.name, p.box.wide)}</text>}</g>;
}

function useWidth(): [{ current: HTMLDivElement | null }, number] {
  const sheet = useRef<HTMLDivElement>(null), [width, setWidth] = useState(1200);
  useLayoutEffect(() => {
    const measure = (): void => setWidth(Math.max(300, Math.floor(sheet.current?.getBoundingClientRect().width ?? 1200)));
    measure();
    addEventListener("resize", measure);
    return () => removeEventListener("resize", measure);
  }, []);
  return [sheet, width];
}

const narrowText = (narrow: number): string => (narrow > 0 ? ` ${count(narrow)} call path${narrow === 1 ? " is" : "s are"} too narrow to be drawn.` : "");

export function Flame(p: { name: string; paths: Path[]; all: number[]; root: number | null; warm: boolean; tone?: (path: number) => number; note?: string; title: (path: number) => string; onChoose: (path: number | null) => void }): JSX.Element {
  const [sheet, width] = useWidth(), parents = p.paths.map((path) => path.parent), tops = p.root === null ? null : [p.root];
  const whole = p.root === null ? p.all.reduce((sum, value, i) => (parents[i] === null ? sum + value : sum), 0) : p.all[p.root] ?? 0;
  const { boxes, narrow, deepest } = boxesOf(parents, p.all, tops, width, whole);
  if (boxes.length === 0) return <p class="soft" ref={sheet}>The metric is zero here.</p>;
  return <div ref={sheet}><Picture name={`flame graph of ${p.name}`}><svg class="flame" viewBox={`0 0 ${width} ${(deepest + 1) * tall}`} role="img" aria-label={`${p.name} by call path, ${count(boxes.length)} boxes`}>
    {boxes.map((b) => <Boxed key={b.at} box={b} y={b.level * tall} name={p.paths[b.at]!.name} kind={p.paths[b.at]!.kind} warm={p.warm} tone={p.tone?.(b.at)} title={p.title(b.at)} onClick={() => p.onChoose(b.at === p.root ? p.paths[b.at]!.parent : b.at)} />)}
  </svg></Picture><p class="base">{p.note}Below each box the calls in it; click one to enlarge it, the topmost to go back.{narrowText(narrow)}</p></div>;
}

/** One function, wherever it is called: callers above it, outermost at the top; callees below. `change`: of a difference, by entry. */
export function Sandwich(p: { name: string; paths: Path[]; path: number; trees: SandwichTrees; change?: { total: number; callers: number[]; callees: number[] }; unit: Unit; warm: boolean; onChoose: (path: number) => void }): JSX.Element {
  const [sheet, width] = useWidth(), t = p.trees, tree = (list: SandwichTrees["callers"]) => boxesOf(list.map(([parent]) => (parent < 0 ? null : parent)), list.map(([, , value]) => value), null, width, t.total);
  if (t.total <= 0) return <p class="soft" ref={sheet}>The metric is zero in this function.</p>;
  const above = tree(t.callers), below = tree(t.callees), middle = (above.deepest + 1) * tall, here = functionOf(p.paths[p.path]!), narrow = above.narrow + below.narrow;
  const largest = p.change ? [p.change.total, ...p.change.callers, ...p.change.callees].reduce((a, b) => Math.max(a, Math.abs(b)), 0) : 0;
  const tone = (change: number | undefined): number | undefined => (change === undefined ? undefined : largest > 0 ? change / largest : 0), changed = (change: number | undefined): string => (change === undefined ? "" : `\nB − A: ${signed(exact(change, p.unit), change)}`);
  const whole = tone(p.change?.total);
  const box = (list: SandwichTrees["callers"], b: Box, y: number, what: string): JSX.Element => {
    const [, path, value] = list[b.at]!, name = functionOf(p.paths[path]!), change = p.change?.[list === t.callers ? "callers" : "callees"][b.at];
    return <Boxed box={b} y={y} name={name} kind={p.paths[path]!.kind} warm={p.warm} tone={tone(change)} title={`${name}\n${exact(value, p.unit)}, ${percent(value, t.total)} of ${here} ${what}${changed(change)}`} onClick={() => p.onChoose(path)} />;
  };
  return <div ref={sheet}><Picture name={`callers and callees of ${here}`}><svg class="flame sandwich" viewBox={`0 0 ${width} ${middle + (below.deepest + 2) * tall + 6}`} role="img" aria-label={`${p.name} of ${here}: ${count(t.callers.length)} callers above, ${count(t.callees.length)} callees below`}>
    {above.boxes.map((b) => box(t.callers, b, (above.deepest - b.level) * tall, "comes through it"))}
    <g class="sandwich-middle"><rect x={0} y={middle + 2} width={width - 1} height={tall - 1} rx={2} class={whole === undefined ? (p.warm ? "flame-wait" : kinds[p.paths[p.path]!.kind] ?? "flame-user") : whole === 0 ? "flame-user" : whole > 0 ? "flame-more" : "flame-less"} style={whole ? { fillOpacity: 0.12 + 0.38 * Math.abs(whole) } : undefined}><title>{`${here}\n${exact(t.total, p.unit)}${changed(p.change?.total)}`}</title></rect><text x={4} y={middle + 15} class="strong">{here}</text></g>
    {below.boxes.map((b) => box(t.callees, b, middle + 4 + (b.level + 1) * tall, "is spent in it"))}
  </svg></Picture><p class="base">{here} at {count(t.places)} call path{t.places === 1 ? "" : "s"}, all together: above it who calls it, the program at the top; below it what it calls. Click a box to choose that function.{p.change ? " Widths: run B; orange: more than in run A, blue: less." : ""}{narrowText(narrow)}</p></div>;
}
