// Tables as CSV, pictures as SVG and PNG: files that the browser saves.

export function save(name: string, type: string, content: BlobPart): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** A drawing as PNG, with two points for each of the page, so that it is sharp in a document. */
export function savePng(name: string, svg: string, width: number, height: number): void {
  const image = new Image(), sheet = document.createElement("canvas");
  image.onload = () => {
    sheet.width = 2 * width;
    sheet.height = 2 * height;
    sheet.getContext("2d")!.drawImage(image, 0, 0, sheet.width, sheet.height);
    URL.revokeObjectURL(image.src);
    sheet.toBlob((blob) => blob && save(name, "image/png", blob), "image/png");
  };
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
}

export type Value = string | number | null;

/** RFC 4180; a text that a spreadsheet would take for a formula is quoted with an apostrophe. */
export function csv(head: string[], rows: Value[][]): string {
  const field = (value: Value): string => {
    let text = value === null ? "" : String(value);
    if (typeof value === "string" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [head, ...rows].map((row) => row.map(field).join(",")).join("\r\n") + "\r\n";
}

/** The picture with its colours written out, since style sheets stay behind. */
export function svgText(picture: SVGSVGElement): string {
  const copy = picture.cloneNode(true) as SVGSVGElement;
  const originals = [picture, ...picture.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((element, i) => {
    const style = getComputedStyle(originals[i]!);
    for (const name of ["fill", "stroke", "stroke-width", "font-family", "font-size", "font-weight", "text-anchor", "opacity"]) {
      element.setAttribute(name, style.getPropertyValue(name));
    }
    element.removeAttribute("class");
  });
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  const box = picture.getBoundingClientRect();
  copy.setAttribute("width", String(Math.round(box.width)));
  copy.setAttribute("height", String(Math.round(box.height)));
  return new XMLSerializer().serializeToString(copy);
}
