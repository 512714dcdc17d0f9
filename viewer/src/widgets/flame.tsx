// Call paths as a flame graph: a box is a call path with all below it, its children stand below it, widths are values of the
// chosen metric. What is too narrow to draw is counted.
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Path } from "../data";
import { count } from "../format";
import { Picture } from "./common";

const tall = 19, narrowest = 1.5;

interface Box { path: number; x: number; wide: number; level: number }

export function boxesOf(paths: Path[], all: number[], root: number | null, width: number): { boxes: Box[]; narrow: number; deepest: number } {
  const children = new Map<number | null, number[]>();
  paths.forEach((p, i) => { const under = children.get(p.parent); if (under) under.push(i); else children.set(p.parent, [i]); });
  const tops = root === null ? children.get(null) ?? [] : [root], total = tops.reduce((sum, i) => sum + (all[i] ?? 0), 0), boxes: Box[] = [];
  let narrow = 0, deepest = 0;
  const place = (list: number[], from: number, level: number): void => {
    let x = from;
    for (const path of list) {
      const wide = total > 0 ? (width * (all[path] ?? 0)) / total : 0;
      if (wide >= narrowest) {
        boxes.push({ path, x, wide, level });
        deepest = Math.max(deepest, level);
        place(children.get(path) ?? [], x, level + 1);
      } else if (wide > 0) {
        ++narrow;
      }
      x += wide;
    }
  };
  place(tops, 0, 0);
  return { boxes, narrow, deepest };
}

export function Flame(p: { name: string; paths: Path[]; all: number[]; root: number | null; warm: boolean; title: (path: number) => string; onChoose: (path: number | null) => void }): JSX.Element {
  const sheet = useRef<HTMLDivElement>(null), [width, setWidth] = useState(1200);
  useLayoutEffect(() => {
    const measure = (): void => setWidth(Math.max(300, Math.floor(sheet.current?.getBoundingClientRect().width ?? 1200)));
    measure();
    addEventListener("resize", measure);
    return () => removeEventListener("resize", measure);
  }, []);
  const { boxes, narrow, deepest } = boxesOf(p.paths, p.all, p.root, width);
  if (boxes.length === 0) return <p class="soft" ref={sheet}>The metric is zero here.</p>;
  const kinds: Record<string, string> = { mpi: "flame-mpi", compute: "flame-compute" };
  return <div ref={sheet}><Picture name={`flame graph of ${p.name}`}><svg class="flame" viewBox={`0 0 ${width} ${(deepest + 1) * tall}`} role="img" aria-label={`${p.name} by call path, ${count(boxes.length)} boxes`}>
    {boxes.map((b) => <g key={b.path} onClick={() => p.onChoose(b.path === p.root ? p.paths[b.path]!.parent : b.path)}>
      <rect x={b.x} y={b.level * tall} width={Math.max(0.5, b.wide - 1)} height={tall - 1} rx={2} class={p.warm ? "flame-wait" : kinds[p.paths[b.path]!.kind] ?? "flame-user"}><title>{p.title(b.path)}</title></rect>
      {b.wide > 40 && <text x={b.x + 4} y={b.level * tall + 13}>{p.paths[b.path]!.name.length * 6.6 > b.wide - 8 ? `${p.paths[b.path]!.name.slice(0, Math.max(1, Math.floor((b.wide - 8) / 6.6) - 1))}…` : p.paths[b.path]!.name}</text>}</g>)}
  </svg></Picture><p class="base">Below each box the calls in it; click one to enlarge it, the topmost to go back.{narrow > 0 ? ` ${count(narrow)} call path${narrow === 1 ? " is" : "s are"} too narrow to be drawn.` : ""}</p></div>;
}
