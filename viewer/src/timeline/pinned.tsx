// Ranks that stay in sight above the timeline, in the same stretch of time, whichever rows are shown below.
import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { TimelineInfo } from "../data";
import { time } from "../format";
import { select, useSelection } from "../selection";
import { SaveButtons } from "../widgets/common";
import { Above, prepared } from "./above";
import { usePainted, usePicture } from "./moving";
import { CanvasPainter, SvgPainter } from "./painter";
import { type Order, useOrder } from "./rows";
import { axis, type Colours, draw, gutter, locationAt, type Scene, timeAt, type View, type Wait } from "./scene";

export const mostPinned = 8;
export const pinnedOf = (text: string): number[] => text.split(",").filter((word) => /^\d{1,9}$/.test(word)).map(Number).slice(0, mostPinned);
/** With this rank, without it if it is there; null: there are too many. */
export function withPinned(text: string, rank: number): string | null {
  const ranks = pinnedOf(text), others = ranks.filter((one) => one !== rank);
  if (others.length < ranks.length) return others.join(",");
  return ranks.length < mostPinned ? [...ranks, rank].sort((a, b) => a - b).join(",") : null;
}

interface Shown { info: TimelineInfo; range: { from: number; until: number }; width: number; waits: Wait[]; marks: number[]; palette: Colours; choose: (location: number, at: number) => void }

export function Pinned(p: Shown): JSX.Element | null {
  const s = useSelection(), ranks = pinnedOf(s.pinned).join(","), [problem, setProblem] = useState(""), { order, of } = useOrder(s.run, p.info, ranks, "", setProblem);
  if (ranks === "") return null;
  return <div class="pinned"><p class="base">pinned: {pinnedOf(ranks).map((rank) => <button type="button" class="link" title="do not pin it any longer" onClick={() => select({ pinned: withPinned(ranks, rank) ?? "" })}>rank {rank} ×</button>)} {problem && <span class="severity-warning" role="status">{problem}</span>}</p>
    {of === `${ranks} ` && <Rows {...p} ranks={ranks} order={order} />}</div>;
}

function Rows({ info, range, width, waits, marks, palette, choose, ranks, order }: Shown & { ranks: string; order: Order }): JSX.Element {
  const s = useSelection(), canvas = useRef<HTMLCanvasElement>(null), none = useRef<{ x: number; y: number } | null>(null), count = order.rows.length;
  const size = { width, height: axis + Math.min(280, 36 * count) }, view: View = { ...range, first: 0, count, ranks };
  const { picture, messages, problem } = usePicture(s.run, view, size, s.lines, s.transfers, 2000);
  const bins = usePainted(picture, palette, (size.height - axis) / count);
  const scene: Scene = { info, view, ...size, picture, bins, waits, marks, lines: messages?.lines ?? [], counter: null, sampled: null, call: s.call, area: null, order };
  useLayoutEffect(() => {
    const context = prepared(canvas.current, size);
    if (!context) return;
    draw(new CanvasPainter(context), scene, palette);
    canvas.current!.dataset.drawn = picture ? picture.kind : "";
  }, [info, range.from, range.until, width, count, picture, bins, messages, waits, marks, s.call, palette, order]);
  const onClick = (event: MouseEvent): void => {
    const { left, top } = canvas.current!.getBoundingClientRect(), x = event.clientX - left, y = event.clientY - top;
    if (x > gutter && y > axis) choose(locationAt(scene, y), Math.max(0, Math.floor(timeAt(scene, x))));
  };
  return <div class="layers"><canvas ref={canvas} tabIndex={0} role="img" style={{ width: `${size.width}px`, height: `${size.height}px` }} aria-label={`Pinned ranks ${ranks} from ${time(range.from)} to ${time(range.until)}`} onClick={onClick} />
    <Above below={canvas} scene={scene} pointer={none} />
    <SaveButtons name="pinned ranks" svg={() => { const painter = new SvgPainter(); draw(painter, scene, palette); return painter.document(size.width, size.height, palette.card); }} size={() => [size.width, size.height]} />
    {problem && <p class="severity-warning">{problem}</p>}</div>;
}
