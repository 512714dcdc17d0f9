// What follows the pointer, on a sheet of its own above the timeline, with a state of its own: a movement draws and compares nothing else.
import type { JSX, RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { CanvasPainter } from "./painter";
import { type Colours, drawPointer, type Scene } from "./scene";
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

interface Point { x: number; y: number }

/** `pointer`: where it is over the sheet below, for who asks; null: elsewhere. */
export function Above({ below, scene, palette, pointer }: { below: RefObject<HTMLCanvasElement>; scene: Scene; palette: Colours; pointer: { current: Point | null } }): JSX.Element {
  const sheet = useRef<HTMLCanvasElement>(null), [at, setAt] = useState<Point | null>(null);
  useEffect(() => {
    const canvas = below.current;
    if (!canvas) return;
    const put = (point: Point | null): void => { pointer.current = point; setAt(point); };
    const move = (event: MouseEvent): void => { const r = canvas.getBoundingClientRect(); put({ x: event.clientX - r.left, y: event.clientY - r.top }); }, leave = (): void => put(null);
    canvas.addEventListener("mousemove", move);
    canvas.addEventListener("mouseleave", leave);
    return () => { canvas.removeEventListener("mousemove", move); canvas.removeEventListener("mouseleave", leave); };
  }, []);
  useEffect(() => {
    const context = prepared(sheet.current, scene);
    if (context) drawPointer(new CanvasPainter(context), { ...scene, hover: at?.x ?? 0 }, palette);
  });
  return <><canvas ref={sheet} class="above" aria-hidden="true" style={{ width: `${scene.width}px`, height: `${scene.height}px` }} />{at && !scene.area && <Tooltip scene={scene} x={at.x} y={at.y} />}</>;
}
