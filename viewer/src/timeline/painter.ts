// One drawing, two sheets: a canvas for the screen, SVG for the file.

export interface Painter {
  rect(x: number, y: number, w: number, h: number, fill: string, alpha?: number): void;
  line(points: [number, number][], stroke: string, width?: number, dashed?: boolean): void;
  /** Separate lines, from `a` to `b` each, in one stroke. */
  strokes(lines: [a: [number, number], b: [number, number]][], stroke: string, width: number): void;
  text(x: number, y: number, text: string, fill: string, anchor?: "start" | "middle" | "end", room?: number): void;
  image(source: HTMLCanvasElement, x: number, y: number, w: number, h: number): void;
  /** What `draw` draws is cut at this rectangle. */
  within(x: number, y: number, w: number, h: number, draw: () => void): void;
}

/** Of texts in the one font that canvases have: names come again in every frame. */
const widths = new Map<string, number>();

export class CanvasPainter implements Painter {
  shapes = 0;
  private fill = "";
  constructor(private readonly c: CanvasRenderingContext2D) {
    c.font = "12px system-ui, 'Liberation Sans', sans-serif";
    c.textBaseline = "middle";
    c.imageSmoothingEnabled = false;
  }
  rect(x: number, y: number, w: number, h: number, fill: string, alpha = 1): void {
    this.shapes += 1;
    if (fill !== this.fill) this.c.fillStyle = this.fill = fill;
    if (alpha !== 1) this.c.globalAlpha = alpha;
    this.c.fillRect(x, y, w, h);
    if (alpha !== 1) this.c.globalAlpha = 1;
  }
  line(points: [number, number][], stroke: string, width = 1, dashed = false): void {
    this.shapes += 1;
    this.c.strokeStyle = stroke;
    this.c.lineWidth = width;
    this.c.setLineDash(dashed ? [4, 3] : []);
    this.c.beginPath();
    points.forEach(([x, y], i) => (i === 0 ? this.c.moveTo(x, y) : this.c.lineTo(x, y)));
    this.c.stroke();
  }
  strokes(lines: [[number, number], [number, number]][], stroke: string, width: number): void {
    this.shapes += lines.length;
    this.c.strokeStyle = stroke;
    this.c.lineWidth = width;
    this.c.setLineDash([]);
    this.c.beginPath();
    for (const [a, b] of lines) this.c.moveTo(...a), this.c.lineTo(...b);
    this.c.stroke();
  }
  text(x: number, y: number, text: string, fill: string, anchor: "start" | "middle" | "end" = "start", room?: number): void {
    if (room !== undefined && this.widthOf(text) > room) {
      const letters = Math.floor(room / 7) - 1;
      if (letters < 3) return;
      text = `${text.slice(0, letters)}…`;
    }
    if (fill !== this.fill) this.c.fillStyle = this.fill = fill;
    this.c.textAlign = anchor === "middle" ? "center" : anchor;
    this.c.fillText(text, x, y);
  }
  private widthOf(text: string): number {
    let width = widths.get(text);
    if (width === undefined) {
      if (widths.size > 5000) widths.clear();
      widths.set(text, (width = this.c.measureText(text).width));
    }
    return width;
  }
  image(source: HTMLCanvasElement, x: number, y: number, w: number, h: number): void {
    this.c.drawImage(source, x, y, w, h);
  }
  within(x: number, y: number, w: number, h: number, draw: () => void): void {
    this.c.save();
    this.c.beginPath();
    this.c.rect(x, y, w, h);
    this.c.clip();
    draw();
    this.c.restore();
    this.fill = "";
  }
}

const escaped = (text: string): string => text.replace(/[<>&"]/g, (c) => `&#${c.charCodeAt(0)};`).replace(/[\u0000-\u0008\u000b-\u001f]/g, "");

export class SvgPainter implements Painter {
  private parts: string[] = [];
  private clips = 0;
  rect(x: number, y: number, w: number, h: number, fill: string, alpha = 1): void {
    this.parts.push(`<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${Math.max(0, w).toFixed(1)}" height="${Math.max(0, h).toFixed(1)}" fill="${fill}"${alpha < 1 ? ` opacity="${alpha}"` : ""}/>`);
  }
  line(points: [number, number][], stroke: string, width = 1, dashed = false): void {
    this.parts.push(`<polyline points="${points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ")}" fill="none" stroke="${stroke}" stroke-width="${width}"${dashed ? ' stroke-dasharray="4 3"' : ""}/>`);
  }
  strokes(lines: [[number, number], [number, number]][], stroke: string, width: number): void {
    this.parts.push(`<path d="${lines.map(([a, b]) => `M${a.map((v) => v.toFixed(1)).join(" ")}L${b.map((v) => v.toFixed(1)).join(" ")}`).join("")}" fill="none" stroke="${stroke}" stroke-width="${width}"/>`);
  }
  text(x: number, y: number, text: string, fill: string, anchor: "start" | "middle" | "end" = "start", room?: number): void {
    if (room !== undefined && text.length * 6.5 > room) {
      const letters = Math.floor(room / 7) - 1;
      if (letters < 3) return;
      text = `${text.slice(0, letters)}…`;
    }
    this.parts.push(`<text x="${x.toFixed(1)}" y="${(y + 4).toFixed(1)}" fill="${fill}" text-anchor="${anchor}">${escaped(text)}</text>`);
  }
  image(source: HTMLCanvasElement, x: number, y: number, w: number, h: number): void {
    this.parts.push(`<image href="${source.toDataURL()}" x="${x}" y="${y}" width="${w}" height="${h}" preserveAspectRatio="none" style="image-rendering:pixelated"/>`);
  }
  within(x: number, y: number, w: number, h: number, draw: () => void): void {
    const id = `clip${++this.clips}`;
    this.parts.push(`<clipPath id="${id}"><rect x="${x}" y="${y}" width="${w}" height="${h}"/></clipPath><g clip-path="url(#${id})">`);
    draw();
    this.parts.push("</g>");
  }
  /** What was drawn so far moves down: something stands above it. */
  moveDown(by: number): void {
    this.parts = [`<g transform="translate(0 ${by})">`, ...this.parts, "</g>"];
  }
  document(width: number, height: number, background: string): string {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12"><rect width="100%" height="100%" fill="${background}"/>${this.parts.join("")}</svg>\n`;
  }
}
