// Why? Ranks x time: every call at any magnification, the longest waits shaded, messages and causes on demand.
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask, type CallDetails, type Finding, type Report, type TimelineInfo } from "../data";
import { count, nanoseconds, time } from "../format";
import { SaveButtons } from "../widgets/common";
import { useCommands } from "../keys";
import { isOffline } from "../offline";
import { previousView, select, selection, useSelection } from "../selection";
import { Details, regionPlace } from "../timeline/details";
import { CanvasPainter, SvgPainter } from "../timeline/painter";
import { drawBand, IntervalBand, layoutOf, nextExecution, useBand } from "../timeline/band";
import { keyTo, transferWays, useRelations } from "../timeline/relations";
import { sortNames, sorts, useOrder } from "../timeline/rows";
import { type Area, axis, colours, draw, gutter, locationAt, paintDifference, rowAt, rowHeight, type Scene, timeAt, type View, type Wait } from "../timeline/scene";
import { Above, prepared } from "../timeline/above";
import { panTime, showTime, useBoth, useCounter, usePainted, usePicture, useSamples, zoomTime } from "../timeline/moving";
import { functionColour, sampledLane } from "../timeline/samples";
import { Opened } from "../timeline/opened";
import { MarkList, marksOf, mostMarks, withMark } from "../timeline/marks";
import { mostPinned, Pinned, withPinned } from "../timeline/pinned";

/** The longest waits of every finding, the longest first. */
function waitsOf(findings: Finding[], chosen: string): Wait[] {
  return findings.flatMap((f) => (f.most_severe?.length ? f.most_severe : [f.worst_instance]).map((i, at): Wait => ({
    begin: nanoseconds(i.begin_s), end: nanoseconds(i.end_s), rank: i.rank, cause: i.cause_rank, name: f.name, finding: f.id, chosen: f.id === chosen && at === 0,
  }))).sort((a, b) => b.end - b.begin - (a.end - a.begin));
}

/** The kernel's counters of a thread; of times, one nanosecond is counted for each nanosecond at most. */
const counterWords: Record<string, string> = { CPU_TIME: "had a core", RUN_QUEUE_WAIT: "waited for a core", KERNEL_TIME: "was in the kernel", PAGE_FAULTS: "page faults", VOLUNTARY_SWITCHES: "gave up its core", INVOLUNTARY_SWITCHES: "core was taken from it" };
const isShare = (name: string): boolean => /^(CPU_TIME|RUN_QUEUE_WAIT|KERNEL_TIME|(task|cpu)-clock(:.*)?)$/.test(name);
/** A lane that is no counter: what samples found. */
const samplesLane = "samples";
const counterName = (name: string): string => (name === samplesLane ? "functions (samples)" : counterWords[name] ?? name);

/** All rows where they are few; else those around the waiting rank, and its cause if it is not far away. */
function rowsAround(all: number, row: number, cause: number): { first: number; rows: number } {
  if (all <= 64 || row < 0) return { first: 0, rows: 0 };
  const near = cause >= 0 && Math.abs(cause - row) <= 48 ? cause : row, first = Math.max(0, Math.min(row, near) - 8);
  return { first, rows: Math.min(all - first, Math.abs(near - row) + 17 - Math.max(0, 8 - Math.min(row, near))) };
}

export const Timeline = ({ report }: { report: Report }): JSX.Element => <Opened what="timeline">{(info) => <Ready info={info} report={report} />}</Opened>;

function Ready({ info, report }: { info: TimelineInfo; report: Report }): JSX.Element {
  const s = useSelection(), canvas = useRef<HTMLCanvasElement>(null), box = useRef<HTMLDivElement>(null), over = useRef<HTMLDivElement>(null);
  const [problemOfRows, setProblemOfRows] = useState(""), { order, of } = useOrder(s.run, info, s.ranks, s.sort, setProblemOfRows), isOrdered = of === `${s.ranks} ${s.sort}` && (s.ranks !== "" || s.sort !== "");
  const all = order.rows.length, [size, setSize] = useState({ width: 900, height: 500 });
  const isWhole = s.from === 0 && s.until === 0;
  const view: View = { from: isWhole ? 0 : s.from, until: isWhole ? info.duration : Math.max(s.until, s.from + 1), first: Math.min(s.first, all - 1), count: Math.max(1, Math.min(s.rows || all, all - Math.min(s.first, all - 1))), ...(isOrdered ? { ranks: s.ranks, sort: s.sort } : {}) };
  const [details, setDetails] = useState<CallDetails | null>(null), [look, setLook] = useState(0);
  const [area, setArea] = useState<Area | null>(null), pointer = useRef<{ x: number; y: number } | null>(null), [wanted, setWanted] = useState("");
  const waits = useMemo(() => waitsOf(report.findings, s.finding), [report, s.finding]);
  const instances = useMemo(() => waitsOf(report.findings.filter((f) => f.id === (s.finding || report.findings[0]?.id)), s.finding).sort((a, b) => a.begin - b.begin), [report, s.finding]);

  useEffect(() => {
    const measure = (): void => {
      const at = box.current?.getBoundingClientRect(), top = over.current?.getBoundingClientRect().bottom;
      if (!at || top === undefined) return;
      const width = Math.max(300, Math.floor(at.width)), height = Math.max(200, Math.floor(innerHeight - top - scrollY - 66));
      setSize((before) => (before.width === width && before.height === height ? before : { width, height }));
    };
    const seen = new ResizeObserver(measure);   // what stands above changes its height, the details beside it come and go
    seen.observe(box.current!);
    seen.observe(over.current!);
    const again = (): void => setLook((n) => n + 1), scheme = matchMedia("(prefers-color-scheme: dark)");
    measure();
    addEventListener("resize", measure);
    addEventListener("look", again);
    scheme.addEventListener("change", again);
    return () => { seen.disconnect(); removeEventListener("resize", measure); removeEventListener("look", again); scheme.removeEventListener("change", again); };
  }, []);

  const { picture, messages, problem, setProblem } = usePicture(s.run, view, size, s.lines, s.transfers, s.lines || s.epochs || s.collectives || s.critical ? 5000 : 8000);
  const relations = useRelations(s.run, view, s, setProblem), firstShown = order.rows[view.first] ?? 0, ofBand = details?.location ?? firstShown, band = useBand(s.run, view, ofBand, size.width), hasWindows = info.one_sided === true;
  const counters = (info.counters ?? []).flatMap((c, index) => (c ? [{ ...c, index }] : [])), chosenCounter = counters.find((c) => c.name === s.counter), counter = useCounter(s.run, chosenCounter?.index ?? -1, view, setProblem);
  const lanes = [...(info.samples && !isOffline ? [samplesLane] : []), ...counters.map((c) => c.name)], samples = useSamples(s.run, s.counter === samplesLane, view, setProblem);
  const sampled = useMemo(() => (samples ? sampledLane(samples, info) : null), [samples, info]);

  useEffect(() => {
    if (!s.call) return setDetails(null);
    const stop = new AbortController();
    ask<CallDetails>("timeline/call", { at: s.call }, stop.signal).then(setDetails, (reason: Error) => { if (!stop.signal.aborted) { setDetails(null); setProblem(reason.message); } });
    return () => stop.abort();
  }, [s.call]);

  const palette = useMemo(() => colours(info), [info, look]), marks = useMemo(() => marksOf(s.marks), [s.marks]);
  const both = useBoth(s.run === "difference", view, size), difference = useMemo(() => both && paintDifference(both, palette), [both, palette]);
  const bins = usePainted(picture, palette, (size.height - axis) / view.count);
  const scene: Scene = { info, view, ...size, picture: both ? both[1] : picture, bins: difference ?? bins, waits: both ? [] : waits, lines: messages?.lines ?? [], counter: counter && { ...counter, largest: isShare(s.counter) ? 1 : counter.largest }, sampled, call: s.call, area, order, relations, joined: messages?.joined ?? [], marks };
  useLayoutEffect(() => {
    const context = prepared(canvas.current, size);
    if (!context) return;
    const painter = new CanvasPainter(context), { dataset } = canvas.current!;
    draw(painter, scene, palette);
    dataset.shapes = String(painter.shapes);
    dataset.drawn = both ? "difference" : picture ? picture.kind : "";
    dataset.frames = String(Number(dataset.frames ?? 0) + 1);
  }, [info, view.from, view.until, view.first, view.count, size.width, size.height, picture, both, bins, difference, waits, messages, counter, sampled, s.call, s.counter, order, relations.epochs, relations.collectives, relations.path, marks, palette]);

  // ---- moving
  const show = (from: number, until: number): void => showTime(from, until, info.duration);
  const zoom = (factor: number, at = pointer.current && pointer.current.x > gutter ? timeAt(scene, pointer.current.x) : (view.from + view.until) / 2): void => zoomTime(view, factor, at, info.duration);
  const pan = (part: number): void => panTime(view, part);
  const showRows = (first: number, rows: number): void => {
    const most = Math.max(1, Math.min(all, Math.round(rows)));
    select(most === all ? { first: 0, rows: 0 } : { first: Math.max(0, Math.min(all - most, Math.round(first))), rows: most });
  };
  /** Brings a call into sight without a change of magnification, unless that is needed. */
  const reveal = (d: CallDetails, fit: boolean): void => {
    const length = Math.max(20, d.end - d.begin), wide = view.until - view.from;
    if (fit) show(d.begin - length * 0.25, d.end + length * 0.25);
    else if (d.begin < view.from || d.begin > view.until) show(d.begin - wide * 0.3, d.begin + wide * 0.7);
    const row = order.rowOf[d.location] ?? -1;
    if (row < 0) setProblem(`Rank ${d.rank} is not among the rows that are chosen.`);
    else if (row < view.first || row >= view.first + view.count) showRows(row - view.count / 2, view.count);
  };
  const choose = (call: number, fit = false): void => {
    select({ call });
    void ask<CallDetails>("timeline/call", { at: call }).then((d) => reveal(d, fit), () => undefined);
  };
  const find = (values: Record<string, number>, then = choose): void => void ask<{ call: number | null }>("timeline/find", values).then((answer) => (answer.call ? then(answer.call) : setProblem("There is no further call.")), (reason: Error) => setProblem(reason.message));
  const step = (by: number): void => find(s.call ? { at: s.call, step: by } : { location: pointer.current ? locationAt(scene, pointer.current.y) : firstShown, time: Math.max(0, Math.floor((view.from + view.until) / 2)) });
  const follow = (towards: number): void => {
    const partners = (details?.transfers ?? []).filter((t) => t.partner_call), next = towards > 0 ? partners[0] : partners[partners.length - 1];
    if (next?.partner_call) return choose(next.partner_call);
    const wait = waits.find((w) => details && w.rank === details.rank && w.begin >= details.begin - 1 && w.end <= details.end + 1 && w.cause !== null);
    const location = wait ? info.locations.findIndex((l) => l.rank === wait.cause && l.thread === 0) : -1;
    if (wait && location >= 0) find({ location, time: wait.end });
    else setProblem("This call has no partner that is known.");
  };
  const showWait = (w: Wait): void => {
    const room = Math.max(50, (w.end - w.begin) * 0.3), row = info.locations.findIndex((l) => l.rank === w.rank && l.thread === 0);
    select({ from: Math.round(w.begin - room), until: Math.round(w.end + room), finding: w.finding, ...rowsAround(all, order.rowOf[row] ?? -1, w.cause === null ? order.rowOf[row] ?? -1 : order.rowOf[info.locations.findIndex((l) => l.rank === w.cause && l.thread === 0)] ?? -1) });
    if ((order.rowOf[row] ?? -1) < 0) setProblem(`Rank ${w.rank}, which waits, is not among the rows that are chosen.`);
    if (row >= 0) find({ location: row, time: w.begin }, (call) => select({ call }));
  };
  const instance = (by: number): void => {
    const middle = (view.from + view.until) / 2, ahead = instances.filter((w) => (by > 0 ? (w.begin + w.end) / 2 > middle + 1 : (w.begin + w.end) / 2 < middle - 1));
    const next = by > 0 ? ahead[0] : ahead[ahead.length - 1];
    if (next) showWait(next);
  };
  const worst = (): void => { const w = waits.find((wait) => !s.finding || wait.finding === s.finding); if (w) showWait(w); };
  const named = wanted.trim().toLowerCase(), hits = named ? info.regions.map((r, i) => ({ r, i })).filter(({ r }) => r.name.toLowerCase().includes(named) || regionPlace(r).toLowerCase().includes(named)) : [];
  /** Of the functions in the field, else of the chosen call's. */
  const longest = (): void => {
    const own = details ? info.regions[details.region] : undefined, among = named ? hits.map(({ r }) => r) : own ? info.regions.filter((r) => r.name === own.name) : [];
    const most = among.reduce<TimelineInfo["regions"][number] | undefined>((best, r) => (r.longest_call && (!best || r.longest > best.longest) ? r : best), undefined);
    if (most) choose(most.longest_call, true);
    else setProblem(named ? "No such function is called." : "Choose a call, or name a function in the field.");
  };
  const layout = band && band.numbers.length > 1 ? layoutOf(band, view, size.width) : null, whose = info.locations[ofBand], who = `P${whose?.rank ?? 0}${whose?.thread ? `:${whose.thread}` : ""}`, full = size.height + (layout ? layout.height + 2 : 0);
  const svg = (): string => {
    const painter = new SvgPainter();
    draw(painter, scene, palette);
    if (layout) painter.moveDown(layout.height + 2), drawBand(painter, layout, who, s.interval, palette);
    return painter.document(size.width, full, palette.card);
  };
  const nextWay = (): void => select({ lines: true, transfers: transferWays[(transferWays.indexOf(selection().transfers as "") + 1) % transferWays.length]! });
  const sortBy = (sort: string): void => select({ sort, first: 0, rows: 0 });
  const centre = (at: number): void => show(at - (view.until - view.from) / 2, at + (view.until - view.from) / 2);
  /** At the pointer, else where the chosen call begins, else in the middle. */
  const mark = (): void => {
    const over = pointer.current && pointer.current.x > gutter ? timeAt(scene, pointer.current.x) : null, to = withMark(selection().marks, over ?? details?.begin ?? (view.from + view.until) / 2, (4 * (view.until - view.from)) / (size.width - gutter));
    if (to === null) setProblem(`There are ${mostMarks} marks, which is all that have a letter.`);
    else select({ marks: to });
  };
  const nextMark = (): void => {
    const middle = (view.from + view.until) / 2, to = marks.find((one) => one > middle + 1) ?? marks[0];
    if (to === undefined) setProblem("Nothing is marked (m).");
    else centre(to);
  };
  const pin = (): void => {
    const rank = details?.rank ?? info.locations[pointer.current ? locationAt(scene, pointer.current.y) : firstShown]?.rank ?? 0, to = withPinned(selection().pinned, rank);
    if (to === null) setProblem(`${mostPinned} ranks are pinned, and no more can be.`);
    else select({ pinned: to });
  };
  /** Exactly the time of the chosen call, of its rank alone. */
  const only = (): void => {
    if (!details) return setProblem("Choose a call first.");
    const row = order.rowOf[details.location] ?? -1;
    show(details.begin, details.end);
    if (row >= 0) showRows(row, 1);
  };
  const execution = (by: number): void => void nextExecution(s.interval, ofBand, view, by, info.duration).then((next) => (next ? show(next[0] - (next[1] - next[0]) * 0.02, next[1] + (next[1] - next[0]) * 0.02) : setProblem("There is no further execution.")), (reason: Error) => setProblem(reason.message));
  useCommands("timeline", [
    { keys: ["w", "W", "+"], does: "zoom in at the pointer", group: "timeline", run: () => zoom(0.6) }, { keys: ["s", "S", "-"], does: "zoom out", group: "timeline", run: () => zoom(1 / 0.6) },
    { keys: ["a", "A", "ArrowLeft"], does: "earlier", group: "timeline", run: () => pan(-0.3) }, { keys: ["d", "D", "ArrowRight"], does: "later", group: "timeline", run: () => pan(0.3) },
    { keys: ["ArrowUp"], does: "lower ranks", group: "timeline", run: () => showRows(view.first - Math.max(1, view.count / 3), view.count) }, { keys: ["ArrowDown"], does: "higher ranks", group: "timeline", run: () => showRows(view.first + Math.max(1, view.count / 3), view.count) },
    { keys: ["i"], does: "fewer ranks", group: "timeline", run: () => showRows(view.first + view.count / 4, view.count / 2) }, { keys: ["o"], does: "more ranks", group: "timeline", run: () => showRows(view.first - view.count / 2, view.count * 2) },
    { keys: ["0"], does: "whole run, all ranks", group: "timeline", run: () => select({ from: 0, until: 0, first: 0, rows: 0 }) }, { keys: ["Backspace"], does: "previous view", group: "timeline", run: previousView },
    { keys: ["f", "F"], does: "centre the chosen call", group: "timeline", run: () => details && centre((details.begin + details.end) / 2) },
    { keys: ["f f", "F F"], does: "fit the chosen call", group: "timeline", run: () => details && reveal(details, true) },
    { keys: ["."], does: "next call of the same rank", group: "timeline", run: () => step(1) }, { keys: [","], does: "previous call of the same rank", group: "timeline", run: () => step(-1) },
    { keys: ["]"], does: "follow the message or wait to its partner or cause", group: "timeline", run: () => follow(1) }, { keys: ["["], does: "the same, the last of several", group: "timeline", run: () => follow(-1) },
    { keys: ["x"], does: "the worst wait", group: "timeline", run: worst }, { keys: ["X"], does: "the longest call of the function in the field, else of the chosen call’s", group: "timeline", run: longest }, { keys: ["n"], does: "next instance of this finding", group: "timeline", run: () => instance(1) }, { keys: ["N"], does: "previous instance of this finding", group: "timeline", run: () => instance(-1) },
    { keys: ["k"], does: "next lane: functions that samples found, counters", group: "timeline", run: () => select({ counter: lanes[lanes.indexOf(selection().counter) + 1] ?? "" }) },
    { keys: ["l"], does: "messages and transfers", group: "timeline", run: () => select({ lines: !selection().lines }) },
    ...(hasWindows ? [{ keys: ["L"], does: "one-sided transfers: as recorded, closed, logical, as dependencies", group: "timeline", run: nextWay }, { keys: ["e"], does: "epochs and locks", group: "timeline", run: () => select({ epochs: !selection().epochs }) }] : []),
    { keys: ["m"], does: "mark this time, or no longer", group: "timeline", run: mark }, { keys: ["M"], does: "next mark", group: "timeline", run: nextMark },
    ...(isOffline ? [] : [{ keys: ["p"], does: "pin this rank above the others, or no longer", group: "timeline", run: pin }]),
    { keys: ["R"], does: "the chosen call’s time and rank alone", group: "timeline", run: only }, { keys: ["Q"], does: "details beside the timeline, or more room", group: "timeline", run: () => select({ drawer: !selection().drawer }) },
    { keys: ["b"], does: "who came when in collective calls", group: "timeline", run: () => select({ collectives: !selection().collectives }) },
    { keys: ["t"], does: "critical path", group: "timeline", run: () => select({ critical: !selection().critical }) },
    ...(isOffline ? [] : [{ keys: ["r"], does: "order of ranks: by rank, node, waiting, behaviour", group: "timeline", run: () => sortBy(sorts[(sorts.indexOf(selection().sort as "") + 1) % sorts.length]!) }]),
    ...(band && band.in_run > 0 ? [{ keys: ["u"], does: "next execution of the chosen interval", group: "timeline", run: () => execution(1) }, { keys: ["U"], does: "previous execution of the chosen interval", group: "timeline", run: () => execution(-1) }] : [])]);

  // ---- the mouse
  const at = (event: MouseEvent): { x: number; y: number } => { const r = canvas.current!.getBoundingClientRect(); return { x: event.clientX - r.left, y: event.clientY - r.top }; };
  const onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    const { x, y } = at(event), delta = Math.sign(event.deltaY || event.deltaX);
    if (event.shiftKey) return pan(0.12 * delta);
    if (event.altKey || x < gutter) { const row = rowAt(scene, y), factor = delta > 0 ? 1.5 : 1 / 1.5; return showRows(row - (row - view.first) * factor, view.count * factor); }
    zoom(delta > 0 ? 1.35 : 1 / 1.35, timeAt(scene, x));
  };
  useEffect(() => {
    const sheet = canvas.current;
    sheet?.addEventListener("wheel", onWheel, { passive: false });
    return () => sheet?.removeEventListener("wheel", onWheel);
  });
  const onDown = (event: MouseEvent): void => {
    if (event.button !== 0) return;
    const start = at(event);
    const spanned = (e: MouseEvent): Area => ({ x0: Math.max(gutter, start.x), x1: Math.max(gutter, at(e).x), y0: start.y, y1: at(e).y, ruler: event.shiftKey });
    const move = (e: MouseEvent): void => { if (Math.abs(at(e).x - start.x) > 4) setArea(spanned(e)); };
    const up = (e: MouseEvent): void => {
      removeEventListener("mousemove", move);
      removeEventListener("mouseup", up);
      setArea(null);
      const a = spanned(e);
      if (Math.abs(a.x1 - a.x0) <= 4) {
        if (start.x > gutter && start.y > axis) find({ location: locationAt(scene, start.y), time: Math.max(0, Math.floor(timeAt(scene, start.x))) }, (call) => select({ call }));
        return;
      }
      if (a.ruler) return;
      show(timeAt(scene, Math.min(a.x0, a.x1)), timeAt(scene, Math.max(a.x0, a.x1)));
      const top = rowAt(scene, Math.min(a.y0, a.y1)), low = rowAt(scene, Math.max(a.y0, a.y1));
      if (Math.abs(a.y1 - a.y0) > 2 * rowHeight(scene) && low - top + 1 < view.count) showRows(top, low - top + 1);
    };
    addEventListener("mousemove", move);
    addEventListener("mouseup", up);
  };

  const next = (): void => { const hit = hits[0]; if (hit) find({ region: hit.i, after: details && details.region === hit.i ? Math.floor(details.begin) : -1 }); };
  const drawnLines = (messages?.lines.length ?? 0) + (messages?.joined?.length ?? 0);
  const shownKinds = info.categories.map((c, i) => ({ ...c, i })).filter((c) => c.i > 0 && (c.i === 1 || info.regions.some((r) => r.category === c.i)));
  return <div class="timeline">
    <div class="bar-of-tools">
      <span class="number range"><b>{time(view.until - view.from)}</b> from {time(view.from)}</span>
      <button type="button" onClick={() => select({ from: 0, until: 0, first: 0, rows: 0 })} disabled={isWhole && view.count === all}>Whole run (0)</button>
      <button type="button" onClick={worst} disabled={waits.length === 0}>Worst wait (x)</button>
      <button type="button" aria-pressed={s.lines} onClick={() => select({ lines: !s.lines })}>Messages (l)</button>
      {lanes.length > 0 && <label>lane <select value={s.counter} onChange={(e) => select({ counter: e.currentTarget.value })}><option value="">none</option>{lanes.map((name) => <option value={name}>{counterName(name)}</option>)}</select></label>}
      {hasWindows && <label>one-sided <select value={s.transfers} onChange={(e) => select({ lines: true, transfers: e.currentTarget.value })}>{transferWays.map((way) => <option value={way}>{way || "as recorded"}</option>)}</select></label>}
      {hasWindows && <button type="button" aria-pressed={s.epochs} onClick={() => select({ epochs: !s.epochs })}>Epochs, locks (e)</button>}
      <button type="button" aria-pressed={s.collectives} onClick={() => select({ collectives: !s.collectives })}>Collectives (b)</button>
      <button type="button" aria-pressed={s.critical} onClick={() => select({ critical: !s.critical })}>Critical path (t)</button>
      {!isOffline && info.locations.length > 1 && <><label>ranks <input class="ranks" type="text" placeholder="all, or 0-7,12" value={s.ranks} onChange={(e) => select({ ranks: e.currentTarget.value.trim(), first: 0, rows: 0 })} /></label>
        <label>by <select value={s.sort} onChange={(e) => sortBy(e.currentTarget.value)}>{sorts.map((sort) => <option value={sort}>{sortNames[sort]}</option>)}</select></label></>}
      <input type="search" list="regions" placeholder="next call of …" aria-label="next call of this region; with Shift the longest" title="Enter: next call; Shift-Enter: the longest" value={wanted} onInput={(e) => setWanted(e.currentTarget.value)} onKeyDown={(e) => { if (e.key === "Enter") { e.preventDefault(); if (e.shiftKey) longest(); else next(); } }} />
      <datalist id="regions">{[...new Set(info.regions.map((r) => r.name))].slice(0, 200).map((name) => <option value={name} />)}</datalist>
      {named && <span class="soft">{hits.length === 0 ? "no such region" : `${hits.length} region${hits.length === 1 ? "" : "s"}`} {hits.length > 0 && <button type="button" class="link" onClick={longest}>longest call (X)</button>}</span>}
      <SaveButtons name="timeline" svg={svg} size={() => [size.width, full]} />
    </div>
    <div class={s.drawer ? "with-details" : ""}><div ref={box} class="sheet">
      <div ref={over}>{!isOffline && <Pinned info={info} range={view} width={size.width} waits={waits} marks={marks} palette={palette} choose={(location, time) => find({ location, time }, (call) => select({ call }))} />}
        {layout && <IntervalBand layout={layout} width={size.width} chosen={s.interval} show={show} who={who} />}</div>
      <div class="layers"><canvas ref={canvas} tabIndex={0} role="img" style={{ width: `${size.width}px`, height: `${size.height}px` }} aria-label={`Timeline of ${count(view.count)} locations from ${time(view.from)} to ${time(view.until)}`}
        onMouseDown={onDown} />
        <Above below={canvas} scene={scene} pointer={pointer} /></div>
      <ul class="legend">{both && <><li><i style={{ background: palette.more }} />more of the time in MPI in run B than in run A</li><li><i style={{ background: palette.less }} />less; times since the start of each run</li></>}{!both && shownKinds.map((c) => <li><i style={{ background: palette.of[c.i] }} />{c.name}</li>)}{waits.length > 0 && !both && <li><i class="wait" />longest waits of each finding</li>}
        <li class="soft">{both ? "" : picture?.kind === "bins" ? `summary: a column is ${time((picture.until - picture.from) / picture.columns)}${picture.group > 1 ? `, a row ${picture.group} ranks` : ""}; height and strength are the share of MPI` : picture ? `${count(picture.calls)} calls` : ""}</li>
        {isOffline && picture && (picture.kind === "bins" || picture.until < view.until || picture.from > view.from) && <li class="severity-warning">this file holds single calls only around the worst waits (x, n, N); `mora view` shows them everywhere</li>}
        {counter && chosenCounter && <li><i class="counter" />{counterName(chosenCounter.name)}: full height is {isShare(chosenCounter.name) ? "all of the time" : `${counter.largest.toPrecision(3)} ${chosenCounter.unit} per ns`}{counter.all > counter.stretches.length ? `; showing ${count(counter.stretches.length)} of ${count(counter.all)} stretches` : ""}{counter.left_out > 0 ? `; ${count(counter.left_out)} readings were not kept` : ""}</li>}
        {sampled && <>{sampled.functions.slice(0, 8).map((f) => <li><i style={{ background: functionColour(f.name) }} />{f.name}: {count(f.samples)}</li>)}<li class="soft">{`${count(sampled.all)} samples${sampled.shown < sampled.all ? `, of which ${count(sampled.shown)} are shown` : ""}${sampled.functions.length > 8 ? `; ${count(sampled.functions.length - 8)} more functions` : ""}`}</li></>}
        {messages && <li class="soft">{messages.all > drawnLines ? `showing ${count(drawnLines)} of ${count(messages.all)} messages and transfers${messages.complete ? "" : " or more"}` : `${count(messages.all)} messages and transfers`}</li>}
        {keyTo(relations, messages, s.transfers, rowHeight(scene) < 16).map((key) => <li><i style={{ background: key.colour(palette) }} />{key.text}</li>)}
        {marks.length > 0 && <MarkList marks={marks} show={centre} />}
        {order.groups.length > 0 && <li>{count(order.groups.length)} {s.sort === "node" ? "nodes" : "kinds of behaviour"}: {order.groups.slice(0, 6).map((g) => `${g.name} (${count(g.count)})`).join(", ")}{order.groups.length > 6 ? " …" : ""}</li>}
        {s.ranks !== "" && isOrdered && <li class="soft">{count(all)} of {count(info.locations.length)} rows <button type="button" class="link" onClick={() => select({ ranks: "", first: 0, rows: 0 })}>all</button></li>}
        {problemOfRows && <li class="severity-warning" role="status">{problemOfRows}</li>}
        {problem && <li class="severity-warning" role="status">{problem}</li>}</ul>
    </div>
    {s.drawer && <Details info={info} report={report} details={details} waits={waits} all={waits.length} follow={choose} show={showWait} />}</div>
  </div>;
}
