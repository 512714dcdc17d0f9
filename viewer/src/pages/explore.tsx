// Where is it? Three coupled trees: metric, call path, system. What is chosen on the left decides what the next shows. All
// numbers are sums of the store at the server; a closed node asks for the inclusive one, an open one for its own.
import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { type Dimensions, type LocationValues, once, type PathValues, type SandwichTrees, type Summary } from "../data";
import { amount, count, exact, percent, place, signed } from "../format";
import { useCommands } from "../keys";
import { select, type Selection, useSelection } from "../selection";
import { CsvButton, DataTable, Problem, toneOf, useAnswer } from "../widgets/common";
import { Flame, Sandwich } from "../widgets/flame";
import { SourceText } from "../widgets/source";
import { Strip } from "../widgets/strip";
import { Topology } from "../widgets/topology";
import { type Node, type Shown, Tree } from "../widgets/tree";

const modes: [Selection["mode"], string, string][] = [["absolute", "Absolute", "the amounts"], ["root", "Root %", "percent of the whole of its tree’s root"], ["selection", "Selection %", "percent of what is chosen in the tree to the left"], ["peer", "Peer %", "percent of the largest value in this tree"]];

/** Nodes, ranks below them, threads below those that have several. Keys: nodes first, then ranks, then locations. */
function systemTree(d: Dimensions): { nodes: Node[]; names: string[]; nodeOf: number[]; index: (key: number) => ["node" | "rank" | "location", number]; ofRank: (rank: number) => number } {
  const names = [...new Set(d.locations.map((l) => l.node))], nodes: Node[] = names.map((name, i) => ({ key: i, parent: null, name: name || "machine", zero: false }));
  const number = new Map(names.map((name, i) => [name, i])), base = names.length, ranks = d.locations.reduce((most, l) => Math.max(most, l.rank + 1), 0), threads = base + ranks;
  const nodeOf = new Array<number>(ranks).fill(0), seen = new Set<number>(), perRank = new Map<number, number>();
  for (const l of d.locations) perRank.set(l.rank, (perRank.get(l.rank) ?? 0) + 1);
  d.locations.forEach((l, i) => {
    if (!seen.has(l.rank)) nodes.push({ key: base + l.rank, parent: number.get(l.node) ?? 0, name: `rank ${l.rank}`, zero: false });
    seen.add(l.rank);
    nodeOf[l.rank] = number.get(l.node) ?? 0;
    if ((perRank.get(l.rank) ?? 1) > 1) nodes.push({ key: threads + i, parent: base + l.rank, name: l.name || `thread ${l.thread}`, zero: false });
  });
  return { nodes, names, nodeOf, index: (key) => (key < base ? ["node", key] : key < threads ? ["rank", key - base] : ["location", key - threads]), ofRank: (rank) => base + rank };
}

export function Explore({ dimensions: d, summary, first }: { dimensions: Dimensions; summary: Summary; first: string }): JSX.Element {
  const s = useSelection();
  const metric = Math.max(0, d.metrics.findIndex((m) => m.id === (s.metric || first))), chosen = d.metrics[metric];
  const path = s.path !== null && s.path < d.paths.length ? s.path : null;
  const [zeros, showZeros] = useState(false);
  const [openMetrics, setOpenMetrics] = useState(() => new Set<number>(d.metrics.map((m, i) => (m.parent === null ? i : -1))));
  const [openPaths, setOpenPaths] = useState(() => new Set<number>(d.paths.length < 60 ? d.paths.keys() : [0]));
  const system = useMemo(() => systemTree(d), [d]);
  const [openSystem, setOpenSystem] = useState(() => new Set<number>(d.locations.length <= 64 || new Set(d.locations.map((l) => l.node)).size === 1 ? [...new Set(d.locations.map((l) => l.node))].keys() : []));
  const [rank, setRank] = useState<number | null>(null);
  useEffect(() => {   // a chosen node is in sight, its parents are open; it is open itself where its own value is meant
    const metrics = new Set(openMetrics), paths = new Set(openPaths);
    for (let at = chosen?.parent ?? null; at !== null; at = d.metrics[at]!.parent) metrics.add(at);
    if (s.own) metrics.add(metric);
    else metrics.delete(metric);
    setOpenMetrics(metrics);
    if (path === null) return;
    for (let at = d.paths[path]!.parent; at !== null; at = d.paths[at]!.parent) paths.add(at);
    if (s.ownPath) paths.add(path);
    else paths.delete(path);
    setOpenPaths(paths);
  }, [metric, path, s.own, s.ownPath]);

  const query = { metric, own: s.own ? 1 : 0 };
  const paths = useAnswer(() => once<PathValues>("paths", query), [metric, s.own]);
  const locations = useAnswer(() => once<LocationValues>("locations", { ...query, ...(path === null ? {} : { path }), own_path: s.ownPath ? 1 : 0 }), [metric, s.own, path, s.ownPath]);
  const isSum = chosen?.fold === "sum" && s.run !== "difference", middle = path === null ? null : d.paths[path]!.function;
  const sandwich = useAnswer(() => (isSum && middle !== null ? once<SandwichTrees>("sandwich", { path: middle, ...query }) : Promise.resolve(undefined)), [metric, s.own, middle, isSum]);
  const cycle = (): void => select({ mode: modes[(modes.findIndex(([mode]) => mode === s.mode) + 1) % modes.length]![0] });
  const heaviest = (): void => {
    const own = paths.value?.own ?? [];
    let best = -1;
    own.forEach((value, i) => { if (Math.abs(value) > (best < 0 ? 0 : Math.abs(own[best]!))) best = i; });
    if (best >= 0) select({ path: best, ownPath: true });
  };
  useCommands("explore", [
    { keys: ["v"], does: "next way to show values: absolute, root %, selection %, peer %", group: "explore", run: cycle },
    { keys: ["z"], does: "show or hide what is zero", group: "explore", run: () => showZeros(!zeros) },
    { keys: ["x"], does: "the call path with the largest value of its own", group: "explore", run: heaviest },
    { keys: ["Backspace"], does: "no call path: the whole program", group: "explore", run: () => select({ path: null, ownPath: false }) }]);
  if (!chosen) return <p class="card">The result has no metrics.</p>;

  const rootOf = (index: number): number => { let at = index; while (d.metrics[at]!.parent !== null) at = d.metrics[at]!.parent!; return at; };
  const total = s.own ? chosen.own : chosen.all, ofPath = path === null ? total : (s.ownPath ? paths.value?.own : paths.value?.all)?.[path] ?? 0;
  /** `left`: of what is chosen in the tree to the left; `largest`: of this tree. */
  const isDifference = s.run === "difference";
  const show = (value: number, root: number, left: number, largest: number): Shown => isDifference ? { text: signed(amount(value, chosen.unit), value), title: exact(value, chosen.unit), share: largest > 0 ? Math.abs(value) / largest : 0, tone: toneOf(value) } : {
    text: s.mode === "absolute" ? amount(value, chosen.unit) : percent(value, s.mode === "root" ? root : s.mode === "selection" ? left : largest),
    title: `${exact(value, chosen.unit)}`, share: largest > 0 ? value / largest : 0,
  };
  const metricNodes: Node[] = d.metrics.map((m, i) => ({ key: i, parent: m.parent, name: m.name, title: `${m.name}: ${summary.glossary[m.id]?.summary ?? m.id}`, zero: m.all === 0 && m.own === 0 })).filter((n) => zeros || !n.zero || n.key === metric);
  const metricValue = (node: Node, isOpen: boolean): Shown => {
    const m = d.metrics[node.key]!, value = isOpen ? m.own : m.all, root = d.metrics[rootOf(node.key)]!.all;
    if (isDifference) return { text: signed(amount(value, m.unit), value), title: exact(value, m.unit), share: value === 0 ? 0 : 1, tone: toneOf(value) };
    const text = s.mode === "absolute" ? amount(value, m.unit) : percent(value, root);
    return { text, title: exact(value, m.unit), share: root > 0 ? value / root : 0 };
  };
  const all = paths.value?.all ?? [], own = paths.value?.own ?? [];
  const pathNodes: Node[] = d.paths.map((p, i) => ({ key: i, parent: p.parent, name: p.name, title: `${p.name}${p.file ? `\n${p.file}${p.line ? `:${p.line}` : ""}` : ""}`, zero: (all[i] ?? 0) === 0 && (own[i] ?? 0) === 0 })).filter((n) => zeros || !n.zero || n.key === path);
  const largestIn = (list: number[] | undefined): number => (list ?? []).reduce((a, b) => Math.max(a, Math.abs(b)), 0), largestPath = largestIn(all);
  const values = locations.value, largestOf = { node: largestIn(values?.nodes), rank: largestIn(values?.ranks), location: largestIn(values?.values) };
  const systemValue = (node: Node): Shown => {
    const [kind, index] = system.index(node.key), list = kind === "node" ? values?.nodes : kind === "rank" ? values?.ranks : values?.values;
    return show(list?.[index] ?? 0, d.metrics[rootOf(metric)]!.all, ofPath, largestOf[kind]);
  };
  const toggle = (set: Set<number>, put: (s: Set<number>) => void) => (node: Node): void => {
    const next = new Set(set);
    if (!next.delete(node.key)) next.add(node.key);
    put(next);
  };
  const meaning = summary.glossary[chosen.id], warm = meaning?.wait_state ?? false, hiddenMetrics = d.metrics.length - metricNodes.length;
  return <>
    {isDifference && <p class="base">Differences, run B minus run A; metrics, call paths and ranks of both.</p>}
    <div class="bar-of-tools">{!isDifference && <div role="group" aria-label="values">{modes.map(([mode, name, title]) => <button type="button" title={title} aria-pressed={s.mode === mode} onClick={() => select({ mode })}>{name}</button>)}</div>}
      <button type="button" aria-pressed={zeros} onClick={() => showZeros(!zeros)}>{zeros ? "Hide zeros" : `Show ${count(hiddenMetrics + d.paths.length - pathNodes.length)} zeros`}</button>
      <button type="button" onClick={heaviest}>Largest call path (x)</button>
      {path !== null && <button type="button" onClick={() => select({ path: null, ownPath: false })}>Whole program</button>}
      <span class="soft">save: metrics <CsvButton name="metrics" head={["metric", "name", "unit", "with those below", "alone"]} rows={() => d.metrics.map((m) => [m.id, m.name, m.unit, m.all, m.own])} /> call paths <CsvButton name={`${chosen.id} of call paths`} head={["call path", "file", "line", "with those below", "alone"]} rows={() => d.paths.map((p, i) => [p.name, p.file, p.line, paths.value?.all[i] ?? null, paths.value?.own[i] ?? null])} /> ranks <CsvButton name={`${chosen.id} by rank`} head={["rank", "value"]} rows={() => (locations.value?.ranks ?? []).map((value, rank) => [rank, value])} /></span></div>
    {(paths.error || locations.error) && <Problem text={paths.error ?? locations.error ?? ""} />}
    <div class="panels">
      <section class="panel"><h2>What: metrics</h2><p class="base">Closed: with all below. Open: without. Chosen: <b>{chosen.name}</b>{s.own ? " alone" : ""}, {amount(total, chosen.unit)}</p>
        <Tree label="metrics" nodes={metricNodes} open={openMetrics} chosen={metric} value={metricValue} onToggle={(node) => (node.key === metric ? select({ own: !s.own }) : toggle(openMetrics, setOpenMetrics)(node))} onChoose={(node, isOpen) => select({ metric: d.metrics[node.key]!.id, own: isOpen })} /></section>
      <section class="panel"><h2>Where: call paths</h2><p class="base">{chosen.name}{s.own ? " alone" : ""} in {path === null ? "the whole program" : <bdi>{d.paths[path]!.name}{s.ownPath ? " alone" : ""}</bdi>}: {amount(ofPath, chosen.unit)}</p>
        <Tree label="call paths" nodes={pathNodes} open={openPaths} chosen={path} warm={warm} value={(node, isOpen) => show((isOpen ? own : all)[node.key] ?? 0, d.metrics[rootOf(metric)]!.all, total, largestPath)} onToggle={(node) => (node.key === path ? select({ ownPath: !s.ownPath }) : toggle(openPaths, setOpenPaths)(node))} onChoose={(node, isOpen) => select({ path: node.key, ownPath: isOpen })} /></section>
      <section class="panel"><h2>Who: system</h2><p class="base">{count(d.locations.length)} location{d.locations.length === 1 ? "" : "s"}; {chosen.fold === "sum" ? `all together ${amount(ofPath, chosen.unit)}` : `each the ${chosen.fold}`}</p>
        {values && values.ranks.length > 1 && <Strip name={`${chosen.name} by rank`} values={values.ranks} unit={chosen.unit} warm={warm} height={44} />}
        <Tree label="system" nodes={system.nodes} open={openSystem} chosen={rank === null ? null : system.ofRank(rank)} warm={warm} value={systemValue} onToggle={toggle(openSystem, setOpenSystem)} onChoose={(node) => { const [kind, index] = system.index(node.key); setRank(kind === "rank" ? index : null); }} /></section>
    </div>
    {path !== null && d.paths[path]!.file !== "" && <section class="card flame-card source-card"><h2>Source text: {chosen.name}{s.own ? " alone" : ""} by line</h2><SourceText metric={metric} own={s.own} path={path} unit={chosen.unit} warm={warm} /></section>}
    {!isDifference && chosen.fold === "sum" && all.length > 1 && <section class="card flame-card"><h2>{chosen.name}{s.own ? " alone" : ""} as a flame graph</h2>
      <Flame name={chosen.name} paths={d.paths} all={all} root={path} warm={warm} title={(i) => `${d.paths[i]!.name}\n${exact(all[i] ?? 0, chosen.unit)}, ${percent(all[i] ?? 0, total)} of ${chosen.name}`} onChoose={(i) => select({ path: i, ownPath: false })} /></section>}
    {isSum && path !== null && <section class="card flame-card"><h2>Callers and callees</h2>
      {sandwich.error ? <p class="soft">{sandwich.error}</p> : sandwich.value ? <Sandwich name={chosen.name} paths={d.paths} path={path} trees={sandwich.value} unit={chosen.unit} warm={warm} onChoose={(i) => select({ path: i, ownPath: false })} /> : <p class="soft">Loading …</p>}</section>}
    {values && values.ranks.length > 1 && <section class="card flame-card"><h2>{chosen.name}{s.own ? " alone" : ""} in the machine</h2><Topology name={chosen.name} ranks={values.ranks} nodeOf={system.nodeOf} nodes={system.names} unit={chosen.unit} warm={warm} chosen={rank} onChoose={(r) => { setRank(r); setOpenSystem(new Set(openSystem).add(system.nodeOf[r] ?? 0)); }} /></section>}
    <div class="columns"><section class="card"><h2>{chosen.name} <code>{chosen.id}</code></h2>
      {meaning ? <dl class="meaning">{([["Meaning", meaning.summary], ["Formula", meaning.formula], ["Source", meaning.source], ["If it is large", meaning.diagnosis], ["What to try", meaning.advice]] as const).filter(([, text]) => text).map(([name, text]) => <><dt>{name}</dt><dd>{name === "Formula" ? <code>{text}</code> : text}</dd></>)}</dl> : <p class="soft">This Mora has no text for this metric.</p>}</section>
      <section class="card"><h2>Call paths by value</h2><DataTable name={`${chosen.id} by call path`} most={12} onRow={(i) => select({ path: i, ownPath: true })} chosen={(i) => i === path}
        rows={own.map((_, i) => i).filter((i) => own[i] !== 0).sort((a, b) => Math.abs(own[b]!) - Math.abs(own[a]!))} columns={[
          { name: "call path", value: (i) => d.paths[i]!.name, show: (i) => <bdi>{d.paths[i]!.name}</bdi> }, { name: "where", value: (i) => place(d.paths[i]!.file, d.paths[i]!.line) },
          { name: "of its own", value: (i) => own[i] ?? 0, show: (i) => (isDifference ? <span class={toneOf(own[i]!)}>{signed(amount(own[i]!, chosen.unit), own[i]!)}</span> : amount(own[i] ?? 0, chosen.unit)), title: (i) => exact(own[i] ?? 0, chosen.unit), number: true }, ...(isDifference ? [] : [{ name: "of the metric", value: (i: number) => percent(own[i] ?? 0, total), number: true }])]} /></section></div>
  </>;
}
