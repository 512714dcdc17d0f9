// The one selection that all pages show and change: metric x call path x ranks x time x filter. The URL's fragment holds it.
import { useEffect, useState } from "preact/hooks";

export const pages = ["overview", "findings", "explore", "timeline", "intervals", "matrix", "compare", "whatif"] as const;
export type Page = (typeof pages)[number];

/** Of two compared runs: the first, the other, or other minus first. */
export type Run = "" | "other" | "difference";

export interface Selection {
  page: Page;
  run: Run;
  metric: string;           // id
  path: number | null;      // call path
  own: boolean;             // the metric without its children
  ownPath: boolean;         // the path without those below it
  mode: "absolute" | "root" | "selection" | "peer" | "distribution";
  rank: number | null;      // chosen in the system tree
  from: number; until: number;   // ns; until 0: the whole run
  first: number; rows: number;   // locations of the timeline; rows 0: all
  call: number;             // number of an ENTER; 0: none
  finding: string;
  interval: string;
  lines: boolean;           // messages are drawn
  counter: string;          // name of the one that is drawn
  matrix: string;           // what the matrix shows, in words of its page
  overview: string; explore: string; intervals: string; compare: string;   // the same of these pages
  transfers: string;        // how one-sided ones are drawn
  epochs: boolean; collectives: boolean; critical: boolean;   // are drawn
  ranks: string; sort: string;   // rows of the timeline
  pinned: string;           // ranks that stay in sight above it, "3,17"
  marks: string;            // times that are marked in it, ns joined by dots
  drawer: boolean;          // details are beside it
}

const latest = 9e15;   // ns that a number holds exactly: 104 days

export function parse(fragment: string): Selection {
  const [name = "", query = ""] = fragment.replace(/^#\/?/, "").split("?");
  const values = new URLSearchParams(query);
  const number = (key: string, least = 0): number => {
    const value = Number(values.get(key) ?? 0);
    return Number.isFinite(value) && value >= least ? Math.max(-latest, Math.min(latest, Math.floor(value))) : 0;
  };
  const mode = values.get("mode"), run = values.get("run");
  return {
    page: pages.find((page) => page === name) ?? "overview",
    run: run === "other" || run === "difference" ? run : "",
    metric: values.get("metric") ?? "",
    path: values.has("path") ? number("path") : null,
    rank: values.has("rank") ? number("rank") : null,
    overview: values.get("overview") ?? "", explore: values.get("explore") ?? "", intervals: values.get("intervals") ?? "", compare: values.get("compare") ?? "",
    own: values.get("own") === "1", ownPath: values.get("own_path") === "1",
    mode: mode === "root" || mode === "selection" || mode === "peer" || mode === "distribution" ? mode : "absolute",
    from: number("from", -Infinity), until: number("until", -Infinity), first: number("first"), rows: number("rows"),
    call: number("call"), finding: values.get("finding") ?? "", interval: values.get("interval") ?? "", lines: values.get("lines") === "1", counter: values.get("counter") ?? "", matrix: values.get("matrix") ?? "",
    transfers: values.get("transfers") ?? "", epochs: values.get("epochs") === "1", collectives: values.get("collectives") === "1", critical: values.get("critical") === "1", ranks: values.get("ranks") ?? "", sort: values.get("sort") ?? "", pinned: values.get("pinned") ?? "", marks: values.get("marks") ?? "", drawer: values.get("drawer") !== "0",
  };
}

export function write(s: Selection): string {
  const values = new URLSearchParams();
  const put = (key: string, value: string | number | null, unless: string | number | null): void => {
    if (value !== unless && value !== null) values.set(key, String(value));
  };
  put("run", s.run, "");
  put("metric", s.metric, "");
  put("path", s.path, null);
  put("rank", s.rank, null);
  put("own", s.own ? 1 : 0, 0);
  put("own_path", s.ownPath ? 1 : 0, 0);
  put("mode", s.mode, "absolute");
  put("from", Math.floor(s.from), 0);
  put("until", Math.floor(s.until), 0);
  put("first", s.first, 0);
  put("rows", s.rows, 0);
  put("call", s.call, 0);
  put("finding", s.finding, "");
  put("interval", s.interval, "");
  put("lines", s.lines ? 1 : 0, 0);
  put("counter", s.counter, "");
  put("matrix", s.matrix, "");
  for (const key of ["overview", "explore", "intervals", "compare"] as const) put(key, s[key], "");
  put("transfers", s.transfers, "");
  for (const key of ["epochs", "collectives", "critical"] as const) put(key, s[key] ? 1 : 0, 0);
  put("ranks", s.ranks, "");
  put("sort", s.sort, "");
  put("pinned", s.pinned, "");
  put("marks", s.marks, "");
  put("drawer", s.drawer ? 1 : 0, 1);
  const query = values.toString();
  return `#/${s.page}${query ? `?${query}` : ""}`;
}

let now: Selection = parse("");
const listeners = new Set<() => void>();
const past: Selection[] = [];
let lastZoom = 0;

export const selection = (): Selection => now;

/** A change of page is a step of the browser's history; others replace it. */
export function select(change: Partial<Selection>): void {
  const next = { ...now, ...change };
  if (next.from !== now.from || next.until !== now.until || next.first !== now.first || next.rows !== now.rows) {
    if (Date.now() - lastZoom > 600) past.push(now);
    lastZoom = Date.now();
  }
  const isStep = next.page !== now.page;
  now = next;
  if (isStep) history.pushState(null, "", write(now));
  else history.replaceState(null, "", write(now));
  listeners.forEach((listener) => listener());
}

/** The stretch of time and ranks before the last zoom. */
export function previousView(): void {
  const before = past.pop();
  if (!before) return;
  lastZoom = Date.now();
  now = { ...now, from: before.from, until: before.until, first: before.first, rows: before.rows };
  history.replaceState(null, "", write(now));
  listeners.forEach((listener) => listener());
}

export function useSelection(): Selection {
  const [, redraw] = useState(0);
  useEffect(() => {
    const listener = (): void => redraw((n) => n + 1);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return now;
}

/** What a page's own text holds: words, joined by dots; the first letter says of what. */
export const wordsOf = (text: string): string[] => text.split(".").filter(Boolean);
export const textOf = (words: string[]): string => words.join(".");

/** Numbers behind a letter, "p3.p17": what differs from how it is at first, such as open nodes of a tree. */
export function toggled(text: string, letter: string, first: Iterable<number>): Set<number> {
  const set = new Set(first);
  for (const word of wordsOf(text)) if (word.startsWith(letter) && /^\d+$/.test(word.slice(1)) && !set.delete(Number(word.slice(1)))) set.add(Number(word.slice(1)));
  return set;
}
export function withToggled(text: string, letter: string, first: Iterable<number>, now: Set<number>): string {
  const before = new Set(first), differ = [...before].filter((n) => !now.has(n)).concat([...now].filter((n) => !before.has(n)));
  return textOf([...wordsOf(text).filter((word) => !(word.startsWith(letter) && /^\d+$/.test(word.slice(1)))), ...differ.map((n) => letter + n)].sort());
}
/** One setting behind a letter, "g64"; "": none. What the page's own text may not hold is written as in a URL. */
export function settingOf(text: string, letter: string): string {
  const found = wordsOf(text).find((word) => word.startsWith(letter))?.slice(1) ?? "";
  try { return decodeURIComponent(found); } catch { return ""; }
}
export const withSetting = (text: string, letter: string, value: string): string => textOf([...wordsOf(text).filter((word) => !word.startsWith(letter)), ...(value === "" ? [] : [letter + encodeURIComponent(value).replaceAll(".", "%2E")])].sort());

function read(): void {
  now = parse(location.hash);
  listeners.forEach((listener) => listener());
}
addEventListener("popstate", read);
addEventListener("hashchange", read);
now = parse(location.hash);
