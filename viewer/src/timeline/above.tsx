// What follows the pointer, above the timeline, with a state of its own: a movement draws and compares nothing else. These are elements
// of the page, not a sheet to draw on: the browser paints anew what they covered and cover, not as many points as the timeline has.
import type { JSX, RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";
import { time } from "../format";
import { type Area, axis, gutter, type Scene, timeAt } from "./scene";
import { Tooltip } from "./tooltip";

/** An empty sheet of this size, for as many points as the screen has. */
export function prepared(sheet: HTMLCanvasElement | null, size: { width: number; height: number }): CanvasRenderingContext2D | null {
  const context = sheet?.getContext("2d"), dense = devicePixelRatio || 1, width = Math.round(size.width * dense), height = Math.round(size.height * dense);
  if (!sheet || !context) return null;
  if (sheet.width !== width || sheet.height !== height) {   // a new sheet costs more than an empty one
    sheet.width = width;
    sheet.height = height;
  }
  context.setTransform(dense, 0, 0, dense, 0, 0);
  context.clearRect(0, 0, size.width, size.height);
  return context;
}

/** The ruler, or the area that is drawn, with its length. */
export function AreaMark({ scene, area }: { scene: Scene; area: Area }): JSX.Element {
  const { x0, x1, y0, y1, ruler } = area, left = Math.min(x0, x1), top = ruler ? axis : Math.min(y0, y1), wide = Math.abs(x1 - x0);
  return <><div class="area" style={{ left: `${left}px`, top: `${top}px`, width: `${wide}px`, height: `${ruler ? scene.height - axis : Math.abs(y1 - y0)}px` }} />
    <div class="area-length" style={{ left: `${Math.max(gutter + 52, Math.min(scene.width - 52, left + wide / 2))}px`, top: `${top + 4}px` }}>{time(Math.round(Math.abs(timeAt(scene, x1) - timeAt(scene, x0))))}</div></>;
}

interface Point { x: number; y: number }

/** `pointer`: where it is over the sheet below, for who asks; null: elsewhere. */
export function Above({ below, scene, pointer }: { below: RefObject<HTMLCanvasElement>; scene: Scene; pointer: { current: Point | null } }): JSX.Element {
  const [at, setAt] = useState<Point | null>(null);
  useEffect(() => {
    const canvas = below.current;
    if (!canvas) return;
    const put = (point: Point | null): void => { pointer.current = point; setAt(point); };
    const move = (event: MouseEvent): void => { const r = canvas.getBoundingClientRect(); put({ x: event.clientX - r.left, y: event.clientY - r.top }); }, leave = (): void => put(null);
    canvas.addEventListener("mousemove", move);
    canvas.addEventListener("mouseleave", leave);
    return () => { canvas.removeEventListener("mousemove", move); canvas.removeEventListener("mouseleave", leave); };
  }, []);
  if (scene.area) return <AreaMark scene={scene} area={scene.area} />;
  if (!at) return <></>;
  return <>{at.x > gutter && <div class="cursor" style={{ transform: `translateX(${Math.round(at.x)}px)`, top: `${axis}px`, height: `${scene.height - axis}px` }} />}<Tooltip scene={scene} x={at.x} y={at.y} /></>;
}
