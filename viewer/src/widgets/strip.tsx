// One bar per rank; where ranks are more than fit, a bar is the largest of its group and, in full colour, its mean, and that is said. Of a difference,
// what is more stands above a line, what is less below it.
import type { JSX } from "preact";
import { amount, exact, signed, type Unit } from "../format";
import { Picture } from "./common";

export function Strip(p: { name: string; values: number[]; unit: Unit; warm?: boolean; changed?: boolean; height?: number; most?: number }): JSX.Element {
  const width = 320, height = p.height ?? 56, bars = Math.min(p.values.length, 160);
  const largest = p.values.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
  const edge = (b: number): number => Math.floor((b * p.values.length) / bars);
  return <Picture name={p.name}><svg class="strip" shape-rendering={bars > 80 ? "crispEdges" : undefined} viewBox={`0 0 ${width + 12} ${height + 26}`} role="img" aria-label={`${p.name}: largest ${amount(largest, p.unit)}`}>
    {Array.from({ length: bars }, (_, b) => {
      const from = edge(b), to = edge(b + 1);
      let value = 0, sum = 0;
      for (let i = from; i < to; ++i) {
        value = Math.abs(p.values[i] ?? 0) > Math.abs(value) ? p.values[i]! : value;
        sum += p.values[i] ?? 0;
      }
      const room = p.changed ? height / 2 : height, isGroup = to - from > 1 && !p.changed, mean = isGroup ? sum / (to - from) : value;
      const tallOf = (of: number): number => (of !== 0 ? Math.max(1, (room * Math.abs(of)) / Math.max(1, largest)) : 0), said = (of: number): string => (p.changed ? signed(exact(of, p.unit), of) : exact(of, p.unit));
      const bar = (of: number, look: string): JSX.Element => <rect x={6 + (width * b) / bars} y={2 + room - (of < 0 && p.changed ? 0 : tallOf(of))} width={Math.max(0.8, width / bars - (bars > 80 ? 0 : 2))} height={tallOf(of)} class={`${of < 0 ? "fill-less" : p.changed ? "fill-more" : p.warm ? "fill-wait" : "fill-mpi"}${look}`}>
        <title>{to - from > 1 ? `ranks ${from}–${to - 1}: largest ${said(value)}${isGroup ? `, mean ${said(Math.round(mean))}` : ""}` : `rank ${from}: ${said(value)}`}</title></rect>;
      return isGroup ? <>{bar(value, " fill-most")}{bar(mean, "")}</> : bar(value, "");
    })}
    <line x1={6} x2={width + 6} y1={p.changed ? 2 + height / 2 : height + 4.5} y2={p.changed ? 2 + height / 2 : height + 4.5} class="stroke-line" />
    <text x={6} y={height + 20}>rank 0</text>
    <text x={width / 2 + 6} y={height + 20} text-anchor="middle">{p.values.length > bars ? `largest and mean of ${Math.ceil(p.values.length / bars)}` : `${p.changed ? "largest change" : "highest bar"} ${amount(largest, p.unit)}`}</text>
    <text x={width + 6} y={height + 20} text-anchor="end">{p.values.length > 1 ? `rank ${p.values.length - 1}` : ""}</text>
  </svg></Picture>;
}
