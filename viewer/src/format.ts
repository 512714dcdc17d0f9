// Figures for people: units that adapt, never "0.0" for something that is not zero, percent that says of what.

export type Unit = "s" | "occ" | "bytes";

const timeUnits: [number, string][] = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];

/** Three to four digits and a unit, of nanoseconds. */
export function time(ns: number): string {
  if (ns === 0) return "0 s";
  const size = Math.abs(ns);
  const [scale, unit] = timeUnits.find(([least]) => size >= least) ?? [1, "ns"];
  const value = ns / scale;
  if (size / scale >= 10000) return `${value.toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 })} ${unit}`;
  return `${unit === "ns" ? Math.round(value) : value.toFixed(size / scale >= 100 ? 1 : 3)} ${unit}`;
}

/** All digits. */
export const exactTime = (ns: number): string => `${Math.round(ns).toLocaleString("en")} ns`;

export function bytes(count: number): string {
  if (count < 0) return `-${bytes(-count)}`;
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let k = 0;
  while (count >= 1024 && k + 1 < units.length) count /= 1024, ++k;
  return `${k === 0 ? count : count.toFixed(count >= 100 ? 0 : 1)} ${units[k]}`;
}

export const count = (n: number): string => n.toLocaleString("en");

export function amount(value: number, unit: Unit): string {
  return unit === "s" ? time(value) : unit === "bytes" ? bytes(value) : count(value);
}

export function exact(value: number, unit: Unit): string {
  return unit === "s" ? exactTime(value) : unit === "bytes" ? `${count(value)} bytes` : count(value);
}

export function percent(part: number, whole: number): string {
  if (whole === 0) return "–";
  const share = (100 * part) / whole;
  if (share !== 0 && Math.abs(share) < 0.01) return "<0.01 %";
  if (share > 99.995 && part !== whole && share < 100) return ">99.99 %";
  return `${share.toFixed(2)} %`;
}

export const nanoseconds = (seconds: number): number => Math.round(seconds * 1e9);

export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const fileName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

export const place = (file: string, line: number): string => (file === "" ? "" : line > 0 ? `${fileName(file)}:${line}` : fileName(file));

/** With so many digits behind the point; what is not zero never looks like it. */
export const fixed = (value: number, digits: number): string => (value !== 0 && Number(value.toFixed(digits)) === 0 ? `${value > 0 ? "<" : ">-"}${(10 ** -digits).toFixed(digits)}` : value.toFixed(digits));

/** With its sign, for differences. */
export const signed = (text: string, value: number): string => (value > 0 ? `+${text}` : text);
