// Small parts that all pages use.
import { Component, type ComponentChildren, type JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { NoAnswer } from "../data";
import { csv, save, savePng, svgText, type Value } from "../export";

/** The answer, or why there is none; the last answer stays until the next one is there. */
export function useAnswer<T>(make: () => Promise<T>, depends: unknown[]): { value?: T; error?: string } {
  const [state, set] = useState<{ value?: T; error?: string }>({});
  useEffect(() => {
    let isCurrent = true;
    make().then(
      (value) => isCurrent && set({ value }),
      (reason: unknown) => isCurrent && set((before) => ({ ...before, error: reason instanceof Error ? reason.message : String(reason) })),
    );
    return () => void (isCurrent = false);
  }, depends);
  return state;
}

export function Problem({ text }: { text: string }): JSX.Element {
  return <p class="card banner loss" role="alert">{text}</p>;
}

/** A mistake of the page itself is said, not left as a blank page. */
export class Guard extends Component<{ children: ComponentChildren }, { text: string }> {
  state = { text: "" };
  static getDerivedStateFromError(reason: unknown): { text: string } {
    return { text: reason instanceof NoAnswer ? reason.message : `This page cannot be shown: ${String(reason)}` };
  }
  render(): ComponentChildren {
    return this.state.text ? <Problem text={this.state.text} /> : this.props.children;
  }
}

/** A name from a program or a file, which is broken where its parts end before it is broken elsewhere. */
export function Name({ text }: { text: string }): JSX.Element {
  return <bdi>{text.split(/(?<=[/_@>›])/).map((part, i) => (i === 0 ? part : <><wbr />{part}</>))}</bdi>;
}

/** The class of a difference: its colour. */
export const toneOf = (value: number): "more" | "less" | undefined => (value > 0 ? "more" : value < 0 ? "less" : undefined);

export interface Column<Row> {
  name: string;
  value: (row: Row) => Value;          // of the CSV
  show?: (row: Row) => ComponentChildren;
  title?: (row: Row) => string;
  number?: boolean;
}

/** The button that saves rows as CSV. */
export function CsvButton({ name, head, rows }: { name: string; head: string[]; rows: () => Value[][] }): JSX.Element {
  return <button type="button" class="quiet" title={`${name} as CSV`} onClick={() => save(`${name}.csv`, "text/csv", csv(head, rows()))}>CSV</button>;
}

/** What the keys do in the rows of a table that choose something: the handlers, and what the `?` sheet says of them. */
export const rowKeys: { keys: string[]; does: string; move: (row: HTMLElement, choose: () => void) => void }[] = [
  { keys: ["ArrowUp"], does: "row above", move: (row) => (row.previousElementSibling as HTMLElement | null)?.focus() },
  { keys: ["ArrowDown"], does: "row below", move: (row) => (row.nextElementSibling as HTMLElement | null)?.focus() },
  { keys: ["Enter", " "], does: "choose", move: (_, choose) => choose() }];
/** The Tab key comes to one row of a table, arrows to the others. */
function onRowKey(event: JSX.TargetedKeyboardEvent<HTMLTableRowElement>, choose: () => void): void {
  const found = event.ctrlKey || event.altKey || event.metaKey || event.target !== event.currentTarget ? undefined : rowKeys.find(({ keys }) => keys.includes(event.key));
  if (!found) return;
  event.preventDefault();
  event.stopPropagation();
  found.move(event.currentTarget, choose);
}

/** A real table, with its content as CSV. A cap is said. */
export function DataTable<Row>(p: { name: string; columns: Column<Row>[]; rows: Row[]; most?: number; class?: string; onRow?: (row: Row) => void; chosen?: (row: Row) => boolean }): JSX.Element {
  const [all, showAll] = useState(false);
  const most = p.most ?? 200;
  const shown = all ? p.rows : p.rows.slice(0, most), tabbed = p.onRow ? Math.max(0, shown.findIndex((row) => p.chosen?.(row))) : -1;
  return <div class="table">
    <div class={`table-scroll ${shown.length > 40 ? "long" : ""}`} tabIndex={0} role="region" aria-label={p.name}><table class={p.class}>
      <caption class="hidden">{p.name}</caption>
      <thead><tr>{p.columns.map((c) => <th scope="col" class={c.number ? "number" : ""}>{c.name}</th>)}</tr></thead>
      <tbody>{shown.map((row, at) => <tr class={p.chosen?.(row) ? "chosen" : p.onRow ? "click" : ""} aria-current={p.chosen?.(row) ? "true" : undefined} tabIndex={!p.onRow ? undefined : at === tabbed ? 0 : -1} onClick={p.onRow && (() => p.onRow!(row))} onKeyDown={p.onRow && ((e) => onRowKey(e, () => p.onRow!(row)))}>
        {p.columns.map((c) => <td class={c.number ? "number" : c.name === "where" ? "place" : c.name === "call path" ? "call-path" : ""} title={c.title?.(row)}>{c.show ? c.show(row) : c.value(row)}</td>)}
      </tr>)}</tbody>
    </table></div>
    <p class="under">
      {p.rows.length > shown.length && <button type="button" onClick={() => showAll(true)}>showing {most} of {p.rows.length}: show all</button>}
      <CsvButton name={p.name} head={p.columns.map((c) => c.name)} rows={() => p.rows.map((row) => p.columns.map((c) => c.value(row)))} />
    </p>
  </div>;
}

/** The buttons that save a drawing. */
export function SaveButtons({ name, svg, size }: { name: string; svg: () => string | undefined; size: () => [number, number] }): JSX.Element {
  return <span class="save"><button type="button" class="quiet" title={`${name} as SVG`} onClick={() => { const text = svg(); if (text) save(`${name}.svg`, "image/svg+xml", text); }}>SVG</button>
    <button type="button" class="quiet" title={`${name} as PNG`} onClick={() => { const text = svg(); if (text) savePng(`${name}.png`, text, ...size()); }}>PNG</button></span>;
}

/** A picture with its SVG and PNG to save. */
export function Picture({ name, children }: { name: string; children: ComponentChildren }): JSX.Element {
  const box = useRef<HTMLDivElement>(null), picture = (): SVGSVGElement | null => box.current?.querySelector("svg") ?? null;
  return <div class="picture" ref={box}>{children}
    <SaveButtons name={name} svg={() => { const here = picture(); return here ? svgText(here) : undefined; }} size={() => { const at = picture()!.getBoundingClientRect(); return [Math.round(at.width), Math.round(at.height)]; }} /></div>;
}
