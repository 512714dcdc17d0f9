// A tree of values as CUBE users know it: a closed node shows itself with all below it, an open one itself alone. Only the
// rows in sight are in the document, so that a million ranks scroll.
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

export interface Node { key: number; parent: number | null; name: string; title?: string; zero: boolean }
export interface Shown { text: string; title: string; share: number; tone?: "more" | "less" }

const rowHeight = 26;

/** Where the focus is in a tree, and what can be done there. */
interface Standing { at: number; all: number; parent: number; folds: boolean; isOpen: boolean; go: (row: number) => void; toggle: () => void; choose: () => void }
/** What the keys do in a tree: the handlers, and what the `?` sheet says of them. */
export const treeKeys: { keys: string[]; does: string; move: (t: Standing) => void }[] = [
  { keys: ["ArrowUp"], does: "up", move: (t) => t.go(t.at - 1) }, { keys: ["ArrowDown"], does: "down", move: (t) => t.go(t.at + 1) },
  { keys: ["ArrowRight"], does: "open; further down", move: (t) => (t.folds && !t.isOpen ? t.toggle() : t.go(t.at + 1)) },
  { keys: ["ArrowLeft"], does: "close; to what it is in", move: (t) => (t.folds && t.isOpen ? t.toggle() : t.go(t.parent)) },
  { keys: ["Enter", " "], does: "choose", move: (t) => t.choose() },
  { keys: ["PageUp"], does: "20 up", move: (t) => t.go(t.at - 20) }, { keys: ["PageDown"], does: "20 down", move: (t) => t.go(t.at + 20) },
  { keys: ["Home"], does: "first", move: (t) => t.go(0) }, { keys: ["End"], does: "last", move: (t) => t.go(t.all - 1) }];

export function Tree(p: {
  label: string; nodes: Node[]; open: Set<number>; chosen: number | null; warm?: boolean;
  value: (node: Node, isOpen: boolean) => Shown;
  onChoose: (node: Node, isOpen: boolean) => void; onToggle: (node: Node) => void;
}): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  const [active, setActive] = useState<number | null>(null);
  const children = useMemo(() => {
    const of = new Map<number | null, Node[]>();
    for (const node of p.nodes) {
      const under = of.get(node.parent);
      if (under) under.push(node);
      else of.set(node.parent, [node]);
    }
    return of;
  }, [p.nodes]);
  const rows = useMemo(() => {
    const all: { node: Node; level: number; folds: boolean }[] = [];
    const walk = (parent: number | null, level: number): void => {
      for (const node of children.get(parent) ?? []) {
        const folds = children.has(node.key);
        all.push({ node, level, folds });
        if (folds && p.open.has(node.key)) walk(node.key, level + 1);
      }
    };
    walk(null, 0);
    return all;
  }, [children, p.open]);
  const at = Math.max(0, rows.findIndex((row) => row.node.key === (active ?? p.chosen)));

  useLayoutEffect(() => {
    const seen = new ResizeObserver(() => setHeight(box.current?.clientHeight ?? 600));
    seen.observe(box.current!);
    return () => seen.disconnect();
  }, []);
  const reveal = (index: number): void => {
    const view = box.current;
    if (!view) return;
    if (index * rowHeight < view.scrollTop) view.scrollTop = index * rowHeight;
    if ((index + 1) * rowHeight > view.scrollTop + view.clientHeight) view.scrollTop = (index + 1) * rowHeight - view.clientHeight;
  };
  const revealed = useRef<number | null>(null);
  useEffect(() => {   // once; its parents may be opened after it was chosen
    const index = p.chosen === revealed.current ? -1 : rows.findIndex((row) => row.node.key === p.chosen);
    if (index >= 0) reveal(index);
    if (index >= 0 || p.chosen === null) revealed.current = p.chosen;
  }, [p.chosen, rows]);

  const go = (index: number): void => {
    const row = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (!row) return;
    setActive(row.node.key);
    reveal(rows.indexOf(row));
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-key="${row.node.key}"]`)?.focus({ preventScroll: true }));
  };
  const onKey = (event: KeyboardEvent): void => {
    const row = rows[at];
    if (!row || event.ctrlKey || event.altKey || event.metaKey) return;
    const found = treeKeys.find(({ keys }) => keys.includes(event.key)), isOpen = p.open.has(row.node.key);
    if (!found) return;
    event.preventDefault();
    event.stopPropagation();
    found.move({ at, all: rows.length, parent: rows.findIndex((r) => r.node.key === row.node.parent), folds: row.folds, isOpen, go, toggle: () => p.onToggle(row.node), choose: () => p.onChoose(row.node, isOpen && row.folds) });
  };

  const first = Math.max(0, Math.floor(top / rowHeight) - 10), last = Math.min(rows.length, Math.ceil((top + height) / rowHeight) + 10);
  return <div class="tree" role="tree" aria-label={p.label} ref={box} onKeyDown={onKey} onScroll={() => setTop(box.current?.scrollTop ?? 0)}>
    <div role="presentation" style={{ height: `${rows.length * rowHeight}px`, position: "relative" }}>
      {rows.slice(first, last).map(({ node, level, folds }, i) => {
        const isOpen = folds && p.open.has(node.key), shown = p.value(node, isOpen);
        return <div key={node.key} role="treeitem" aria-level={level + 1} aria-selected={node.key === p.chosen} aria-expanded={folds ? isOpen : undefined}
          tabIndex={first + i === at ? 0 : -1} data-key={node.key} class={`node ${node.zero ? "zero" : ""}`} style={{ top: `${(first + i) * rowHeight}px` }} title={node.title}
          onClick={() => { setActive(node.key); p.onChoose(node, isOpen); }} onDblClick={() => folds && p.onToggle(node)}>
          <span class="name" style={{ paddingLeft: `${level * 1.05}rem` }}>
            <span class="fold" onClick={(event) => { event.stopPropagation(); if (folds) p.onToggle(node); }}>{folds ? (isOpen ? "▾" : "▸") : ""}</span>
            <span class="box" style={{ opacity: shown.share > 0 ? 0.15 + 0.85 * Math.min(1, shown.share) : 0 }} data-warm={p.warm ? "" : undefined} data-tone={shown.tone} />
            <bdi>{node.name}</bdi></span>
          <span class={`number ${shown.tone ?? ""}`} title={shown.title}>{shown.text}</span>
        </div>;
      })}
    </div>
  </div>;
}
