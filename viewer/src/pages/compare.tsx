// Did it help? What changed between two runs: in words, in figures, by wait state, call path and interval, and both
// timelines with one zoom. Sentences and figures are those of `mora compare`.
import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Changed, type Comparison, once, type TimelineInfo } from "../data";
import { bytes, count, fixed, nanoseconds, sentence, signed, time } from "../format";
import { useCommands } from "../keys";
import { previousView, type Run, select, settingOf, useSelection, withSetting } from "../selection";
import { panTime, showTime, usePainted, usePicture, zoomTime } from "../timeline/moving";
import { AreaMark } from "../timeline/above";
import { Opened } from "../timeline/opened";
import { CanvasPainter, SvgPainter } from "../timeline/painter";
import { axis, colours, draw, gutter, type Scene, timeAt, type View } from "../timeline/scene";
import { DataTable, Name, Problem, SaveButtons, toneOf, useAnswer } from "../widgets/common";

type Unit = Comparison["figures"][number]["unit"];
function figure(value: number | null, unit: Unit): string {
  if (value === null) return "–";
  return unit === "s" ? time(nanoseconds(value)) : unit === "bytes" ? bytes(value) : unit === "ratio" ? fixed(value, 4) : count(value);
}
const exactFigure = (value: number | null, unit: Unit): string => (value === null ? "not known" : unit === "s" ? `${nanoseconds(value).toLocaleString("en")} ns` : String(value));

interface Row extends Changed { label: string; unit: Unit; path?: string[] }

/** The call first, then how the program comes to it. */
const Path = ({ path }: { path: string[] }): JSX.Element => <><Name text={path[path.length - 1] ?? ""} />{path.length > 1 && <span class="soft"><Name text={path.slice(0, -1).join(" › ")} /></span>}</>;

function Changes({ name, first, rows, labels, most, onRow }: { name: string; first: string; rows: Row[]; labels: string[]; most: number; onRow?: (row: Row) => void }): JSX.Element {
  if (rows.length === 0) return <p>None.</p>;
  return <DataTable name={name} most={most} rows={rows} {...(onRow ? { onRow } : {})} columns={[
    { name: first, value: (r) => r.label, show: (r) => (r.path ? <Path path={r.path} /> : <Name text={r.label} />) },
    ...[0, 1].map((i) => ({ name: labels[i]!, value: (r: Row) => r.values[i] ?? null, show: (r: Row) => figure(r.values[i] ?? null, r.unit), title: (r: Row) => exactFigure(r.values[i] ?? null, r.unit), number: true })),
    { name: "difference", value: (r) => r.difference, show: (r) => <span class={toneOf(r.difference ?? 0)}>{signed(figure(r.difference, r.unit), r.difference ?? 0)}</span>, title: (r) => exactFigure(r.difference, r.unit), number: true },
    { name: "ratio", value: (r) => r.ratio, show: (r) => (r.ratio === null ? "–" : `× ${r.ratio.toFixed(3)}`), number: true },
    { name: "", value: (r) => r.significance ?? "", show: (r) => (r.significance === "insignificant" ? <span title="not more than runs of one configuration differ">±</span> : "") }]} />;
}

export function Compare(): JSX.Element {
  const words = useAnswer(() => once<{ words: string[] }>("compare/words"), []), found = useAnswer(() => once<Comparison>("compare"), []), c = found.value;
  const text = useSelection().compare, metric = settingOf(text, "m") || "time", characteristic = settingOf(text, "c") || "execution_time";
  const setMetric = (key: string): void => select({ compare: withSetting(text, "m", key) }), setCharacteristic = (key: string): void => select({ compare: withSetting(text, "c", key) });
  const byKey = useMemo(() => new Map((c?.figures ?? []).map((f) => [`${f.kind} ${f.key}`, f])), [c]);
  if (found.error || words.error) return <Problem text={found.error ?? words.error ?? ""} />;
  if (!c || !words.value) return <p class="soft">Loading …</p>;
  const labels = c.configurations.map((one) => one.label), program = c.intervals[0];
  const size = (r: Changed): number => Math.abs(r.difference ?? 0), larger = (a: Changed, b: Changed): number => size(b) - size(a);
  const rowOf = (f: Changed, label?: string): Row => { const known = byKey.get(`${f.kind ?? "metric"} ${f.key}`) ?? byKey.get(`metric ${f.key}`); return { ...f, label: label ?? known?.name ?? f.key, unit: known?.unit ?? "occ" }; };
  const figures = (program?.figures ?? []).filter((f) => f.kind !== "metric" && !f.key.startsWith("additive_")).map((f) => rowOf(f));
  const waits = (program?.figures ?? []).filter((f) => f.kind === "metric" && byKey.get(`metric ${f.key}`)?.wait_state && size(f) > 0).sort(larger).map((f) => rowOf(f));
  const paths = c.call_paths.flatMap((p): Row[] => { const f = p.metrics.find((m) => m.key === metric); return f ? [{ ...rowOf({ ...f, kind: "metric" }, p.call_path.join(" › ")), path: p.call_path }] : []; }).filter((r) => size(r) > 0 || r.values.some((v) => v)).sort(larger);
  const metrics = [...new Set(c.call_paths.flatMap((p) => p.metrics.map((m) => m.key)))];
  const intervals = c.intervals.flatMap((i): Row[] => { const f = i.figures.find((one) => one.key === characteristic && one.kind === "characteristic"); return f ? [rowOf(f, i.interval)] : []; });
  const choice = (value: string, put: (value: string) => void, keys: string[], kind: string): JSX.Element => <select value={value} onChange={(e) => put(e.currentTarget.value)}>{keys.map((key) => <option value={key}>{byKey.get(`${kind} ${key}`)?.name ?? key}</option>)}</select>;
  const missing = [...c.unmatched.intervals, ...c.unmatched.call_paths];
  return <div class="compare">
    <ul class="verdict sentences">{words.value.words.slice(0, 3).map((text) => <li>{text}</li>)}</ul>
    <ul class="sentences">{words.value.words.slice(3).map((text) => <li>{text}</li>)}</ul>
    <dl class="facts">{c.configurations.map((one) => one.runs.map((run) => <div class="wide"><dt>Run {one.label}</dt><dd><bdi>{run.name}</bdi>, {count(run.processes)} process{run.processes === 1 ? "" : "es"}{run.date ? `, ${run.date}` : ""}{run.notes.map((note) => <div class="severity-warning">{note}</div>)}</dd></div>))}</dl>
    <p class="base">{sentence(c.criterion)}. Orange and “+”: more in {labels[1]}; blue and “-”: less. <button type="button" class="link" onClick={() => select({ page: "explore", run: "difference", path: null })}>The difference in three trees</button></p>
    <section class="card"><h2>Both timelines</h2><Timelines labels={labels} /></section>
    <div class="columns">
      <section class="card"><h2>Program</h2><Changes name="figures of the program" first="figure" rows={figures} labels={labels} most={40} /></section>
      <div>
        <section class="card"><h2>Wait states that changed</h2><Changes name="wait states" first="wait state" rows={waits} labels={labels} most={12} onRow={(r) => select({ page: "explore", run: "difference", metric: r.key, path: null, own: false })} /></section>
        <section class="card"><h2>Call paths, without those below</h2><p class="base"><label>metric: {choice(metric, setMetric, metrics, "metric")}</label></p><Changes name="call paths" first="call path" rows={paths} labels={labels} most={15} /></section>
        {intervals.length > 1 && <section class="card"><h2>Intervals</h2><p class="base"><label>characteristic: {choice(characteristic, setCharacteristic, c.figures.filter((f) => f.kind === "characteristic").map((f) => f.key), "characteristic")}</label></p><Changes name="compared intervals" first="interval" rows={intervals} labels={labels} most={20} /></section>}
        {missing.length > 0 && <section class="card"><h2>Only in one of the runs</h2><DataTable name="unmatched" most={15} rows={missing} columns={[{ name: "place", value: (m) => m.place, show: (m) => <Name text={m.place} /> }, { name: "in", value: (m) => m.in.join(", ") }]} /></section>}
      </div></div>
  </div>;
}

function Timelines({ labels }: { labels: string[] }): JSX.Element {
  return <Opened what="timeline" run="">{(a) => <Opened what="timeline" run="other">{(b) => <Coupled infos={[a, b]} labels={labels} />}</Opened>}</Opened>;
}

/** One zoom for both: times since the start of each run. */
function Coupled({ infos, labels }: { infos: TimelineInfo[]; labels: string[] }): JSX.Element {
  const s = useSelection(), duration = Math.max(...infos.map((i) => i.duration)), isWhole = s.from === 0 && s.until === 0;
  const range = { from: isWhole ? 0 : s.from, until: isWhole ? duration : Math.max(s.until, s.from + 1) }, middle = (range.from + range.until) / 2, view: View = { ...range, first: 0, count: 1 };
  useCommands("compare", [
    { keys: ["w", "W", "+"], does: "zoom in, both timelines", group: "compare", run: () => zoomTime(view, 0.6, middle, duration) }, { keys: ["s", "S", "-"], does: "zoom out", group: "compare", run: () => zoomTime(view, 1 / 0.6, middle, duration) },
    { keys: ["a", "A", "ArrowLeft"], does: "earlier", group: "compare", run: () => panTime(view, -0.3) }, { keys: ["d", "D", "ArrowRight"], does: "later", group: "compare", run: () => panTime(view, 0.3) },
    { keys: ["0"], does: "both runs as a whole", group: "compare", run: () => select({ from: 0, until: 0 }) }, { keys: ["Backspace"], does: "previous view", group: "compare", run: previousView }]);
  return <><p class="base"><b>{time(range.until - range.from)}</b> from {time(range.from)}; drag or <kbd>w</kbd> <kbd>s</kbd> to enlarge both, <kbd>0</kbd>: whole runs; times since the start of each run</p>
    {infos.map((info, i) => <Sheet info={info} run={i === 0 ? "" : "other"} label={labels[i]!} range={range} duration={duration} />)}</>;
}

function Sheet({ info, run, label, range, duration }: { info: TimelineInfo; run: Run; label: string; range: { from: number; until: number }; duration: number }): JSX.Element {
  const box = useRef<HTMLDivElement>(null), canvas = useRef<HTMLCanvasElement>(null), [width, setWidth] = useState(900), [look, setLook] = useState(0), [dragged, setDragged] = useState<[number, number] | null>(null);
  const all = info.locations.length, view: View = { ...range, first: 0, count: all }, size = { width, height: axis + Math.max(90, Math.min(260, all * 34)) };
  useEffect(() => {
    const measure = (): void => setWidth(Math.max(300, Math.floor(box.current?.getBoundingClientRect().width ?? 900))), again = (): void => setLook((n) => n + 1);
    measure();
    addEventListener("resize", measure);
    addEventListener("look", again);
    return () => { removeEventListener("resize", measure); removeEventListener("look", again); };
  }, []);
  const { picture, problem } = usePicture(run, view, size, false), palette = useMemo(() => colours(info), [info, look]);
  const bins = usePainted(picture, palette, (size.height - axis) / view.count);
  const scene: Scene = { info, view, ...size, picture, bins, waits: [], lines: [], counter: null, sampled: null, call: 0, area: null };
  useLayoutEffect(() => {
    const sheet = canvas.current, context = sheet?.getContext("2d"), dense = devicePixelRatio || 1;
    if (!sheet || !context) return;
    sheet.width = size.width * dense;
    sheet.height = size.height * dense;
    context.scale(dense, dense);
    draw(new CanvasPainter(context), scene, palette);
    sheet.dataset.drawn = picture ? picture.kind : "";
  }, [info, range.from, range.until, width, picture, bins, palette]);
  const onDown = (event: MouseEvent): void => {
    const left = canvas.current!.getBoundingClientRect().left, start = Math.max(gutter, event.clientX - left);
    const move = (e: MouseEvent): void => setDragged([start, Math.max(gutter, e.clientX - left)]);
    const up = (e: MouseEvent): void => {
      removeEventListener("mousemove", move);
      removeEventListener("mouseup", up);
      setDragged(null);
      const end = Math.max(gutter, e.clientX - left);
      if (Math.abs(end - start) > 4) showTime(timeAt(scene, Math.min(start, end)), timeAt(scene, Math.max(start, end)), duration);
    };
    addEventListener("mousemove", move);
    addEventListener("mouseup", up);
  };
  return <div class="sheet" ref={box}><h3>Run {label} <SaveButtons name={`timeline of run ${label}`} svg={() => { const p = new SvgPainter(); draw(p, scene, palette); return p.document(size.width, size.height, palette.card); }} size={() => [size.width, size.height]} /></h3><div class="layers"><canvas ref={canvas} tabIndex={0} role="img" style={{ width: `${size.width}px`, height: `${size.height}px` }} aria-label={`Timeline of run ${label} from ${time(range.from)} to ${time(range.until)}`} onMouseDown={onDown} />{dragged && <AreaMark scene={scene} area={{ x0: dragged[0], x1: dragged[1], y0: axis, y1: size.height, ruler: true }} />}</div>{problem && <p class="severity-warning">{problem}</p>}</div>;
}
