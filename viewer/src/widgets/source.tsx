// The source text around a line, with what each line costs; numbers of the server.
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { once, type Source } from "../data";
import { amount, exact, type Unit } from "../format";
import { useAnswer } from "./common";

let wanted: number | null = null;
/** The source text of this call path comes into sight when it is shown, unless that of another is shown before. */
export const revealSource = (path: number | null): void => { wanted = path; };
/** That of this page, which is of this call path, comes into sight, now or when it is there. */
export function showSource(path: number): void {
  const box = document.querySelector(".source");
  if (box) box.scrollIntoView({ block: "center" });
  else revealSource(path);
}

export function SourceText({ metric, own, path, unit, warm }: { metric: number; own: boolean; path: number; unit: Unit; warm: boolean }): JSX.Element {
  const found = useAnswer(() => once<Source>("source", { metric, own: own ? 1 : 0, path }), [metric, own, path]), box = useRef<HTMLDivElement>(null), s = found.value;
  useEffect(() => {
    const line = box.current?.querySelector<HTMLElement>(".this-line");
    if (line && box.current) box.current.scrollTop = line.offsetTop - box.current.clientHeight / 2;
    if (!s) return;
    if (wanted === path) box.current?.scrollIntoView({ block: "center" });
    wanted = null;
  }, [s]);
  if (found.error) return <p class="soft">{found.error}</p>;
  if (!s) return <p class="soft">Loading …</p>;
  const costs = new Map(s.costs), largest = s.costs.reduce((most, [, value]) => Math.max(most, Math.abs(value)), 1);
  if (!s.text) return <p class="soft">No source text: {s.why}.{s.file ? <> <code><bdi>{s.file}</bdi></code></> : null}</p>;
  return <><p class="path"><bdi>{s.file}</bdi></p><div class="source" ref={box} tabIndex={0} role="region" aria-label={`source text of ${s.file}`}><table><tbody>{s.text.map((text, i) => {
    const value = costs.get(i + 1);
    return <tr class={i + 1 === s.line ? "this-line" : ""}><td class="number" title={value === undefined ? undefined : exact(value, unit)}>{value === undefined ? "" : amount(value, unit)}</td>
      <td class={`cost ${warm ? "warm-cost" : ""}`}><span style={{ width: `${value === undefined ? 0 : (100 * Math.abs(value)) / largest}%` }} /></td><td class="number soft">{i + 1}</td><td><code>{text}</code></td></tr>;
  })}</tbody></table></div></>;
}
