// The shell: header, the page of the selection, the key sheet, the command palette.
import { options, render } from "preact";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { type Dimensions, once, type Report, type Summary } from "./data";
import { count } from "./format";
import { allCommands, type Command, useCommands } from "./keys";
import { Compare } from "./pages/compare";
import { Explore } from "./pages/explore";
import { Findings } from "./pages/findings";
import { Intervals } from "./pages/intervals";
import { inAnyRun, Matrix } from "./pages/matrix";
import { Overview } from "./pages/overview";
import { Timeline } from "./pages/timeline";
import { WhatIf } from "./pages/whatif";
import { type Page, pages, select, settingOf, useSelection } from "./selection";
import { Guard, Problem, rowKeys, useAnswer } from "./widgets/common";
import { treeKeys } from "./widgets/tree";

const names: Record<Page, string> = { overview: "Overview", findings: "Findings", explore: "Explore", timeline: "Timeline", intervals: "Intervals", matrix: "Matrix", compare: "Compare", whatif: "What-if" };

function isDark(): boolean {
  const theme = document.documentElement.dataset.theme;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** A page from file:// may have no storage. */
function remember(name: string, value: string): void { try { localStorage.setItem(name, value); } catch { /* then not */ } }
function remembered(name: string): string | null { try { return localStorage.getItem(name); } catch { return null; } }

/** Canvases are drawn anew when the colours change. */
function setLook(name: "theme" | "palette", value: string): void {
  document.documentElement.dataset[name] = value;
  remember(`mora-${name}`, value);
  dispatchEvent(new Event("look"));
}

/** Paper is light, and no style sheet reaches what is drawn: that is drawn anew, at once, and again for the screen. */
let ofScreen: { theme: string | undefined } | null = null;   // null: nothing is printed
function onPaper(isPaper: boolean): void {
  const { dataset } = document.documentElement, debounce = options.debounceRendering;
  if (isPaper && !ofScreen) {
    ofScreen = { theme: dataset.theme };
    dataset.theme = "light";
  } else if (!isPaper && ofScreen) {
    if (ofScreen.theme === undefined) delete dataset.theme;
    else dataset.theme = ofScreen.theme;
    ofScreen = null;
  }
  options.debounceRendering = (draw) => draw();
  dispatchEvent(new Event("look"));
  if (debounce) options.debounceRendering = debounce;
  else delete options.debounceRendering;
}
addEventListener("beforeprint", () => onPaper(true));
addEventListener("afterprint", () => onPaper(false));
matchMedia("print").addEventListener("change", (event) => onPaper(event.matches));

function Dialog({ label, close, children }: { label: string; close: () => void; children: JSX.Element }): JSX.Element {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => box.current?.showModal(), []);
  return <dialog ref={box} aria-label={label} onClose={close} onClick={(e) => e.target === box.current && box.current?.close()}>{children}</dialog>;
}

const keyNames: Record<string, string> = { " ": "Space", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc" };
const spelled = (key: string): string => keyNames[key] ?? key.replace("Ctrl+Shift+p", "Ctrl+Shift+P").replace("Ctrl+p", "Ctrl+P");

function KeySheet({ close }: { close: () => void }): JSX.Element {
  const groups = new Map<string, Pick<Command, "keys" | "does">[]>();
  for (const command of allCommands()) groups.set(command.group, [...(groups.get(command.group) ?? []), command]);
  if (document.querySelector('[role="tree"]')) groups.set("in a tree", treeKeys);
  if (document.querySelector("tr[tabindex]")) groups.set("in a table whose rows are chosen", rowKeys);
  return <Dialog label="keys" close={close}><><h2>Keys on this page</h2><div class="keys">{[...groups].map(([group, list]) => <section data-group={group}><h3>{group}</h3><table><tbody>
    {list.map((command) => <tr><td>{command.keys.map((key) => <><kbd>{spelled(key)}</kbd> </>)}</td><td>{command.does}</td></tr>)}</tbody></table></section>)}</div></></Dialog>;
}

/** Others show what changed beside each figure. */
const hasDifference = (page: Page): boolean => page === "explore" || page === "timeline" || page === "matrix";

interface Hit { name: string; note: string; run: () => void }

/** What is not in a list before it is asked for: a rank by its number, intervals. */
function numbered(text: string, ranks: number): Hit[] {
  const found = /^\s*(?:r(?:ank)?)?\s*(\d+)\s*$/i.exec(text), rank = Number(found?.[1]);
  if (!found || rank >= ranks) return [];
  return [{ name: `rank ${rank}`, note: "in Explore", run: () => select({ page: "explore", rank }) }, { name: `rank ${rank}`, note: "in the timeline", run: () => select({ page: "timeline", ranks: String(rank), first: 0, rows: 0 }) }];
}

function Palette({ close, hits: known, ranks }: { close: () => void; hits: Hit[]; ranks: number }): JSX.Element {
  const intervals = useAnswer(() => once<{ intervals: { number: string; name: string }[] }>("intervals").catch(() => ({ intervals: [] })), []).value?.intervals ?? [];
  const [text, setText] = useState(""), [at, setAt] = useState(0);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean), most = 50;
  const hits = [...known, ...intervals.map((i): Hit => ({ name: `${i.number} ${i.name}`, note: "interval", run: () => select({ page: "intervals", interval: i.number }) }))];
  const found = [...numbered(text, ranks), ...hits.filter((hit) => words.every((word) => `${hit.name} ${hit.note}`.toLowerCase().includes(word)))];
  useEffect(() => document.getElementById(`hit-${at}`)?.scrollIntoView({ block: "nearest" }), [at, text]);
  const choose = (hit: Hit | undefined): void => { if (hit) { close(); hit.run(); } };
  return <Dialog label="search and commands" close={close}><div class="palette">
    <input autofocus type="search" role="combobox" aria-expanded="true" aria-controls="hits" aria-activedescendant={found.length > 0 ? `hit-${at}` : undefined} placeholder="a command, page, metric, call path, finding, interval, or rank 17" aria-label="search" value={text} onInput={(e) => { setText(e.currentTarget.value); setAt(0); }} onKeyDown={(e) => {
      if (e.key === "ArrowDown" || e.key === "ArrowUp") { e.preventDefault(); setAt(Math.max(0, Math.min(Math.min(found.length, most) - 1, at + (e.key === "ArrowDown" ? 1 : -1)))); }
      if (e.key === "Enter") { e.preventDefault(); choose(found[at]); }
    }} />
    <ul id="hits" role="listbox" aria-label="hits">{found.slice(0, most).map((hit, i) => <li id={`hit-${i}`} role="option" aria-selected={i === at} onClick={() => choose(hit)}><bdi>{hit.name}</bdi><span class="soft">{hit.note}</span></li>)}</ul>
    {found.length > most && <p class="base">showing {most} of {found.length}</p>}{found.length === 0 && <p class="base">nothing of this name</p>}</div></Dialog>;
}

function App(): JSX.Element {
  const s = useSelection();
  const [dialog, setDialog] = useState<"" | "keys" | "palette">("");
  const report = useAnswer(() => once<Report>("report"), [s.run]), summary = useAnswer(() => once<Summary>("summary"), [s.run]), dimensions = useAnswer(() => once<Dimensions>("dimensions"), [s.run]);
  const session = useAnswer(() => once<{ compared: boolean; predicted: boolean }>("session", {}, ""), []).value, isCompared = session?.compared ?? false, isPredicted = session?.predicted ?? false, shownPages = pages.filter((p) => (p !== "compare" || isCompared) && (p !== "whatif" || isPredicted));
  const nextRun = (): void => select({ run: s.run === "" ? "other" : s.run === "other" && hasDifference(s.page) ? "difference" : "", path: null, ownPath: false, finding: "", interval: "", call: 0, overview: "", matrix: inAnyRun(s.matrix), explore: settingOf(s.explore, "z") ? "z1" : "" });
  const close = (): void => setDialog(""), [notice, setNotice] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setNotice(""), 4000);
    return () => clearTimeout(timer);
  }, [notice]);
  /** A page from file:// may not be allowed to. */
  const copyLink = (): void => void (navigator.clipboard?.writeText(location.href) ?? Promise.reject()).then(() => setNotice("The link to this view is copied."), () => setNotice("The browser lets this page copy nothing: the link is in its address field."));
  useCommands("everywhere", [
    ...shownPages.map((page, i): Command => ({ keys: [String(i + 1)], does: names[page], group: "everywhere", run: () => select({ page }) })),
    { keys: ["?"], does: "this sheet", group: "everywhere", run: () => setDialog("keys") },
    { keys: ["Ctrl+p", "Ctrl+Shift+p", ">", "/"], does: "search and commands", group: "everywhere", run: () => setDialog("palette") },
    { keys: ["y"], does: "copy the link to exactly this view", group: "everywhere", run: copyLink },
    ...(isCompared ? [{ keys: ["c"], does: "run A, run B; on the pages Explore, Timeline and Matrix also their difference", group: "everywhere", run: nextRun }] : []),
    { keys: ["T"], does: "light or dark", group: "everywhere", run: () => setLook("theme", isDark() ? "light" : "dark") },
    { keys: ["C"], does: "colours: safe for the colour-blind, or those of the DVM analyser", group: "everywhere", run: () => setLook("palette", document.documentElement.dataset.palette === "dvm" ? "safe" : "dvm") },
    { keys: ["Escape"], does: "close, clear", group: "everywhere", run: () => select({ call: 0 }) }]);
  const run = report.value?.run;
  useEffect(() => { if (run) document.title = `${run.program} – ${names[s.page]} – Mora`; }, [run, s.page]);
  const hits = (): Hit[] => [
    ...allCommands().map((c): Hit => ({ name: c.does, note: c.keys.map(spelled).join("  "), run: c.run })),
    ...(report.value?.findings ?? []).map((f): Hit => ({ name: `#${f.id} ${f.name} ${f.call_path[f.call_path.length - 1] ?? ""}`, note: "finding", run: () => select({ page: "findings", finding: f.id }) })),
    ...(dimensions.value?.metrics ?? []).map((m): Hit => ({ name: m.name, note: "metric", run: () => select({ page: "explore", metric: m.id, own: false }) })),
    ...(dimensions.value?.paths ?? []).map((p, i): Hit => ({ name: p.name, note: "call path", run: () => select({ page: "explore", path: i, ownPath: false }) }))];
  const error = report.error ?? summary.error ?? dimensions.error;
  const page = (): JSX.Element => {
    if (!report.value || !summary.value) return error ? <></> : <p class="soft">Loading …</p>;
    switch (s.page) {
      case "findings": return <Findings report={report.value} summary={summary.value} dimensions={dimensions.value} />;
      case "explore": return dimensions.value ? <Explore dimensions={dimensions.value} summary={summary.value} first={report.value.findings[0]?.metric ?? ""} /> : <p class="soft">Loading …</p>;
      case "timeline": return <Timeline report={report.value} />;
      case "intervals": return <Intervals dimensions={dimensions.value} />;
      case "matrix": return <Matrix />;
      case "compare": return isCompared ? <Compare /> : <p class="card">Two runs are compared with `mora view EXP EXP2`.</p>;
      case "whatif": return isPredicted ? <WhatIf /> : <p class="card">Run times on another machine are predicted with `mora view --on MACHINE EXP`; `mora calibrate` measures a machine.</p>;
      default: return <Overview report={report.value} summary={summary.value} dimensions={dimensions.value} />;
    }
  };
  return <>
    <header><h1 class="brand">Mora{run && <bdi>{run.program}, {count(run.ranks)} rank{run.ranks === 1 ? "" : "s"}</bdi>}</h1>
      <nav aria-label="pages">{shownPages.map((p, i) => <a href={`#/${p}`} aria-current={p === s.page ? "page" : undefined} onClick={(e) => { e.preventDefault(); select({ page: p }); }}>{names[p]}<kbd>{i + 1}</kbd></a>)}</nav>
      {isCompared && s.page !== "compare" && <button type="button" title="which run is shown (c)" onClick={nextRun}>{s.run === "" ? "Run A" : s.run === "difference" && hasDifference(s.page) ? "B − A" : "Run B"} <kbd>c</kbd></button>}
      <button type="button" title="search and commands" onClick={() => setDialog("palette")}>Search <kbd>/</kbd></button>
      <button type="button" title="keys" onClick={() => setDialog("keys")}>Keys <kbd>?</kbd></button>
      <button type="button" title="light or dark (T)" aria-label="light or dark" onClick={() => setLook("theme", isDark() ? "light" : "dark")}>◐</button><span role="status" class={notice ? "notice" : ""}>{notice}</span></header>
    <main data-ready={report.value && summary.value ? "yes" : undefined}>{error && <Problem text={error} />}<Guard key={`${s.page} ${s.run}`}>{page()}</Guard></main>
    {dialog === "keys" && <KeySheet close={close} />}{dialog === "palette" && <Palette close={close} hits={hits()} ranks={report.value?.run.ranks ?? 0} />}
  </>;
}

for (const name of ["theme", "palette"] as const) {
  const value = remembered(`mora-${name}`);
  if (value) document.documentElement.dataset[name] = value;
}
render(<App />, document.getElementById("app")!);
