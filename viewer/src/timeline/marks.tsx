// Times that are marked: lines through all rows with a letter each, held in the link. Between two of them stands the exact time.
import type { JSX } from "preact";
import { exactTime, time } from "../format";
import { select } from "../selection";
import type { Painter } from "./painter";
import { axis, type Colours, gutter, type Scene, xOf } from "./scene";

export const mostMarks = 26;
const letterOf = (at: number): string => String.fromCharCode(65 + at);
export const marksOf = (text: string): number[] => [...new Set(text.split(".").filter((word) => /^\d{1,16}$/.test(word)).map(Number))].sort((a, b) => a - b).slice(0, mostMarks);

/** With this time marked; without the nearest mark, if one is no further than `room` from it; null: there are too many. */
export function withMark(text: string, at: number, room: number): string | null {
  const marks = marksOf(text), away = (mark: number): number => Math.abs(mark - at), nearest = marks.reduce((best, mark) => (away(mark) < away(best) ? mark : best), Infinity);
  if (away(nearest) <= room) return marks.filter((mark) => mark !== nearest).join(".");
  return marks.length < mostMarks ? [...marks, Math.max(0, Math.round(at))].join(".") : null;
}

export function drawMarks(p: Painter, s: Scene, c: Colours): void {
  s.marks?.forEach((mark, at) => {
    const x = xOf(s, mark);
    if (x < gutter || x > s.width) return;
    p.line([[x, axis - 4], [x, s.height]], c.card, 3.5);
    p.line([[x, axis - 4], [x, s.height]], c.focus, 1.5);
    p.rect(x - 8, axis - 16, 16, 14, c.focus);
    p.text(x, axis - 8.5, letterOf(at), c.card, "middle");
  });
}

/** The marks of the legend: each with its time, and the time since the one before. */
export function MarkList({ marks, show }: { marks: number[]; show: (at: number) => void }): JSX.Element {
  return <li class="marks">{marks.map((mark, at) => <><button type="button" class="link" title={`${exactTime(mark)}: show it`} onClick={() => show(mark)}>{letterOf(at)}</button> {time(mark)}{at > 0 && <b title={exactTime(mark - marks[at - 1]!)}> (+{time(mark - marks[at - 1]!)})</b>}; </>)}<button type="button" class="link" onClick={() => select({ marks: "" })}>no marks</button></li>;
}
