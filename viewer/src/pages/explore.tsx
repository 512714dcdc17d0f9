// Where is it? Three coupled trees: metric, call path, system. What is chosen on the left decides what the next shows. All
// numbers are sums of the store at the server; a closed node asks for the inclusive one, an open one for its own.
import type { JSX } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { type Dimensions, type LocationValues, once, type PathValues, type SandwichTrees, type Summary } from "../data";
import { amount, count, exact, percent, place, signed } from "../format";
import { useCommands } from "../keys";
import { select, type Selection, settingOf, toggled, useSelection, withSetting, withToggled } from "../selection";
import { CsvButton, DataTable, Name, Problem, toneOf, useAnswer } from "../widgets/common";
import { Flame, Sandwich } from "../widgets/flame";
import { showSource, SourceText } from "../widgets/source";
import { Strip } from "../widgets/strip";
import { Topology } from "../widgets/topology";
import { type Node, type Shown, Tree } from "../widgets/tree";

const modes: [Selection["mode"], string, string][] = [["absolute", "Absolute", "the amounts"], ["root", "Root %", "percent of the whole of its tree’s root"], ["selection", "Selection %", "percent of what is chosen in the tree to the left"], ["peer", "Peer %", "percent of the largest value beside it: of all call paths, of all nodes, of all ranks"], ["distribution", "Peer range %", "where it lies between the least (0 %) and the largest value (100 %) beside it"]];

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

const pending: Shown = { text: "…", title: "on its way", share: 0 };
type Extreme = Record<"node" | "rank" | "location", number>;
const largestIn = (list: number[] | undefined): number => (list ?? []).reduce((a, b) => Math.max(a, Math.abs(b)), 0);
const leastIn = (list: number[] | undefined): number => (list?.length ? list.reduce((a, b) => Math.min(a, b), Infinity) : 0);

/** The small trace that `mora explain` draws of a wait state. */
function Example({ metric }: { metric: string }): JSX.Element | null {
  const found = useAnswer(() => once<{ caption: string; picture: string }>("example", { metric }, ""), [metric]).value;
  return found?.picture ? <><h3>An example</h3><p>{found.caption}</p><pre class="example" tabIndex={0} role="img" aria-label={found.caption}>{found.picture}</pre></> : null;
}

/** Names from the root down; of equal ones below one call path the first, the second … */
function placesOf(d: Dimensions): string[] {
  const seen = new Map<string, number>(), places: string[] = [];
  d.paths.forEach((p, i) => {
    const place = `${p.parent === null ? "" : places[p.parent]}\n${p.kind} ${p.name}`, before = seen.get(place) ?? 0;
    seen.set(place, before + 1);
    places[i] = before === 0 ? place : `${place} ${before}`;
  });
  return places;
}

/** Of two runs: each call path as wide as in the second, in the colour of what changed. */
function FlameOfDifference(p: { d: Dimensions; metric: Dimensions["metrics"][number]; own: boolean; all: number[]; root: number | null; onChoose: (path: number | null) => void }): JSX.Element {
  const second = useAnswer(async () => {
    const d = await once<Dimensions>("dimensions", {}, "other"), metric = d.metrics.findIndex((m) => m.id === p.metric.id);
    if (metric < 0) return new Map<string, number>();
    const values = await once<PathValues>("paths", { metric, own: p.own ? 1 : 0 }, "other");
    return new Map(placesOf(d).map((place, i) => [place, values.all[i] ?? 0]));
  }, [p.metric.id, p.own]);
  if (second.error) return <p class="soft">{second.error}</p>;
  if (!second.value) return <p class="soft">Loading …</p>;
  const places = placesOf(p.d), wide = places.map((place) => second.value!.get(place) ?? 0), largest = p.all.reduce((a, b) => Math.max(a, Math.abs(b)), 0), gone = p.all.filter((v, i) => v < 0 && wide[i] === 0).length, unit = p.metric.unit;
  return <Flame name={`${p.metric.name}, difference`} paths={p.d.paths} all={wide} root={p.root} warm={false} tone={(i) => (largest > 0 ? (p.all[i] ?? 0) / largest : 0)} onChoose={p.onChoose}
    title={(i) => `${p.d.paths[i]!.name}\nrun A: ${exact((wide[i] ?? 0) - (p.all[i] ?? 0), unit)}\nrun B: ${exact(wide[i] ?? 0, unit)}\nB − A: ${signed(exact(p.all[i] ?? 0, unit), p.all[i] ?? 0)}`} note={`Widths: run B; orange: more than in run A, blue: less, the stronger the larger the change.${gone > 0 ? ` ${count(gone)} call path${gone === 1 ? " is" : "s are"} zero in run B and have no width.` : ""} `} />;
}

/** Of each entry of a tree, what it is: names from the middle function outwards or inwards. */
function entriesOf(list: SandwichTrees["callers"], d: Dimensions): string[] {
  const names: string[] = [];
  list.forEach(([parent, path], i) => { names[i] = `${parent < 0 ? "" : names[parent]}\n${d.paths[path]!.kind} ${d.paths[path]!.name}`; });
  return names;
}

/** Of two runs: callers and callees as wide as in the second, in the colour of what changed. */
function SandwichOfDifference(p: { d: Dimensions; metric: Dimensions["metrics"][number]; own: boolean; path: number; warm: boolean; onChoose: (path: number) => void }): JSX.Element {
  const middle = p.d.paths[p.path]!.function, answer = useAnswer(async () => {
    const own = p.own ? 1 : 0, other = await once<Dimensions>("dimensions", {}, "other"), metric = other.metrics.findIndex((m) => m.id === p.metric.id), there = other.paths.find((path) => path.name === p.d.paths[middle]!.name)?.function;
    if (metric < 0 || there === undefined) return null;
    const changes = await once<SandwichTrees>("sandwich", { path: middle, metric: p.d.metrics.indexOf(p.metric), own }, "difference"), second = await once<SandwichTrees>("sandwich", { path: there, metric, own }, "other");
    const side = (which: "callers" | "callees"): { list: SandwichTrees["callers"]; change: number[] } => {   // entries of the difference: those of either run
      const names = entriesOf(second[which], other), wide = new Map(second[which].map(([, , value], i) => [names[i]!, value]));
      const all = entriesOf(changes[which], p.d);
      return { list: changes[which].map(([parent, path], i) => [parent, path, wide.get(all[i]!) ?? 0]), change: changes[which].map(([, , value]) => value) };
    };
    const callers = side("callers"), callees = side("callees");
    return { trees: { total: second.total, places: Math.max(changes.places, second.places), callers: callers.list, callees: callees.list }, change: { total: changes.total, callers: callers.change, callees: callees.change } };
  }, [p.metric.id, p.own, middle]);
  if (answer.error) return <p class="soft">{answer.error}</p>;
  if (answer.value === undefined) return <p class="soft">Loading …</p>;
  if (answer.value === null || answer.value.trees.total <= 0) return <p class="soft">Run B spends nothing in this function: its widths would be zero. Run A is shown alone (c).</p>;
  return <Sandwich name={p.metric.name} paths={p.d.paths} path={p.path} trees={answer.value.trees} change={answer.value.change} unit={p.metric.unit} warm={p.warm} onChoose={p.onChoose} />;
}

export function Explore({ dimensions: d, summary, first }: { dimensions: Dimensions; summary: Summary; first: string }): JSX.Element {
  const s = useSelection();
  const metric = Math.max(0, d.metrics.findIndex((m) => m.id === (s.metric || first))), chosen = d.metrics[metric];
  const path = s.path !== null && s.path < d.paths.length ? s.path : null;
  // Which nodes are open, and what else the page is set to, is part of the link.
  const zeros = settingOf(s.explore, "z") !== "", showZeros = (on: boolean): void => select({ explore: withSetting(s.explore, "z", on ? "1" : "") });
  const system = useMemo(() => systemTree(d), [d]);
  const atFirst = useMemo(() => ({ m: d.metrics.flatMap((m, i) => (m.parent === null ? [i] : [])), p: d.paths.length < 60 ? [...d.paths.keys()] : [0], s: d.locations.length <= 64 || system.names.length === 1 ? [...system.names.keys()] : [] }), [d]);
  const [openMetrics, openPaths, openSystem] = useMemo(() => (["m", "p", "s"] as const).map((tree) => toggled(s.explore, tree, atFirst[tree])), [s.explore, atFirst]) as [Set<number>, Set<number>, Set<number>];
  const setOpen = (tree: "m" | "p" | "s", open: Set<number>, more: Partial<Selection> = {}): void => select({ ...more, explore: withToggled(s.explore, tree, atFirst[tree], open) });
  const rank = s.rank !== null && s.rank < system.nodeOf.length ? s.rank : null, inSystem = rank !== null ? system.ofRank(rank) : settingOf(s.explore, "y") === "" ? null : Number(settingOf(s.explore, "y"));
  const grid = settingOf(s.explore, "g");
  useEffect(() => {   // a chosen node is in sight, its parents are open; it is open itself where its own value is meant
    const metrics = new Set(openMetrics), paths = new Set(openPaths), ranks = new Set(openSystem);
    for (let at = chosen?.parent ?? null; at !== null; at = d.metrics[at]!.parent) metrics.add(at);
    if (s.own) metrics.add(metric);
    else metrics.delete(metric);
    if (path !== null) {
      for (let at = d.paths[path]!.parent; at !== null; at = d.paths[at]!.parent) paths.add(at);
      if (s.ownPath) paths.add(path);
      else paths.delete(path);
    }
    if (rank !== null) ranks.add(system.nodeOf[rank] ?? 0);
    const words = withToggled(withToggled(withToggled(s.explore, "m", atFirst.m, metrics), "p", atFirst.p, paths), "s", atFirst.s, ranks);
    if (words !== s.explore) select({ explore: words });
  }, [metric, path, s.own, s.ownPath, rank]);

  const query = { metric, own: s.own ? 1 : 0 };
  const paths = useAnswer(() => once<PathValues>("paths", query), [metric, s.own]);
  const locations = useAnswer(() => once<LocationValues>("locations", { ...query, ...(path === null ? {} : { path }), own_path: s.ownPath ? 1 : 0 }), [metric, s.own, path, s.ownPath]);
  const values = locations.value;
  const [largestOf, leastOf] = useMemo(() => [largestIn, leastIn].map((of) => ({ node: of(values?.nodes), rank: of(values?.ranks), location: of(values?.values) })), [values]) as [Extreme, Extreme];
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
    { keys: ["v"], does: "next way to show values: absolute, root %, selection %, peer %, peer range %", group: "explore", run: cycle },
    { keys: ["z"], does: "show or hide what is zero", group: "explore", run: () => showZeros(!zeros) },
    { keys: ["x"], does: "the call path with the largest value of its own", group: "explore", run: heaviest },
    { keys: ["g"], does: "the source text of the chosen call path", group: "explore", run: () => { if (path !== null && d.paths[path]!.file !== "") showSource(path); } },
    { keys: ["Backspace"], does: "no call path: the whole program", group: "explore", run: () => select({ path: null, ownPath: false }) }]);
  if (!chosen) return <p class="card">The result has no metrics.</p>;

  const rootOf = (index: number): number => { let at = index; while (d.metrics[at]!.parent !== null) at = d.metrics[at]!.parent!; return at; };
  const total = s.own ? chosen.own : chosen.all, ofPath = path === null ? total : (s.ownPath ? paths.value?.own : paths.value?.all)?.[path] ?? 0;
  /** `left`: of what is chosen in the tree to the left; `largest`: of this tree. */
  const isDifference = s.run === "difference";
  const range = (value: number, least: number, largest: number): number => (largest > least ? (value - least) / (largest - least) : 1);
  const show = (value: number, root: number, left: number, largest: number, least: number): Shown => isDifference ? { text: signed(amount(value, chosen.unit), value), title: exact(value, chosen.unit), share: largest > 0 ? Math.abs(value) / largest : 0, tone: toneOf(value) } : {
    text: s.mode === "absolute" ? amount(value, chosen.unit) : s.mode === "distribution" ? percent(range(value, least, largest), 1) : percent(value, s.mode === "root" ? root : s.mode === "selection" ? left : largest),
    title: `${exact(value, chosen.unit)}`, share: s.mode === "distribution" ? range(value, least, largest) : largest > 0 ? value / largest : 0,
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
  const largestPath = largestIn(all), leastPath = Math.min(leastIn(all), leastIn(own));
  const systemValue = (node: Node): Shown => {
    const [kind, index] = system.index(node.key), list = kind === "node" ? values?.nodes : kind === "rank" ? values?.ranks : values?.values;
    return list === undefined ? pending : show(list[index] ?? 0, d.metrics[rootOf(metric)]!.all, ofPath, largestOf[kind], leastOf[kind]);
  };
  const toggle = (tree: "m" | "p" | "s", set: Set<number>) => (node: Node): void => {
    const next = new Set(set);
    if (!next.delete(node.key)) next.add(node.key);
    setOpen(tree, next);
  };
  const isPeer = !isDifference && (s.mode === "peer" || s.mode === "distribution");
  const rootMetric = d.metrics[rootOf(metric)]!, ofWhat = (left: string, largest: number, least: number): string => (isDifference || s.mode === "absolute" ? "" : `; ${s.mode === "root" ? `percent of ${rootMetric.name}, ${amount(rootMetric.all, rootMetric.unit)}` : s.mode === "selection" ? `percent of ${left}` : s.mode === "peer" ? `percent of the largest, ${amount(largest, chosen.unit)}` : `0 %: ${amount(least, chosen.unit)}, 100 %: ${amount(largest, chosen.unit)}`}`);
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
      <section class="panel"><h2>What: metrics</h2><p class="base">Closed: with all below. Open: without. Chosen: <b>{chosen.name}</b>{s.own ? " alone" : ""}, {amount(total, chosen.unit)}{isDifference || s.mode === "absolute" ? "" : "; percent of the root of each"}</p>
        <Tree label="metrics" nodes={metricNodes} open={openMetrics} chosen={metric} value={metricValue} onToggle={(node) => (node.key === metric ? select({ own: !s.own }) : toggle("m", openMetrics)(node))} onChoose={(node, isOpen) => select({ metric: d.metrics[node.key]!.id, own: isOpen })} /></section>
      <section class="panel"><h2>Where: call paths</h2><p class="base">{chosen.name}{s.own ? " alone" : ""} in {path === null ? "the whole program" : <bdi>{d.paths[path]!.name}{s.ownPath ? " alone" : ""}</bdi>}: {amount(ofPath, chosen.unit)}{ofWhat(`${chosen.name}${s.own ? " alone" : ""}, ${amount(total, chosen.unit)}`, largestPath, leastPath)}</p>
        <Tree label="call paths" nodes={pathNodes} open={openPaths} chosen={path} warm={warm} value={(node, isOpen) => paths.value === undefined ? pending : show((isOpen ? own : all)[node.key] ?? 0, d.metrics[rootOf(metric)]!.all, total, largestPath, leastPath)} onToggle={(node) => (node.key === path ? select({ ownPath: !s.ownPath }) : toggle("p", openPaths)(node))} onChoose={(node, isOpen) => select({ path: node.key, ownPath: isOpen })} /></section>
      <section class="panel"><h2>Who: system</h2><p class="base">{count(d.locations.length)} location{d.locations.length === 1 ? "" : "s"}; {chosen.fold === "sum" ? `all together ${amount(ofPath, chosen.unit)}` : `each the ${chosen.fold}`}{ofWhat(`${path === null ? "the program" : "the call path"}, ${amount(ofPath, chosen.unit)}`, largestOf.rank, leastOf.rank)}{isPeer && system.names.length > 1 ? " (ranks)" : ""}</p>
        {values && values.ranks.length > 1 && <Strip name={`${chosen.name} by rank`} values={values.ranks} unit={chosen.unit} warm={warm} changed={isDifference} height={44} />}
        <Tree label="system" nodes={system.nodes} open={openSystem} chosen={inSystem} warm={warm} value={systemValue} onToggle={toggle("s", openSystem)} onChoose={(node) => { const [kind, index] = system.index(node.key); select({ rank: kind === "rank" ? index : null, explore: withSetting(s.explore, "y", kind === "rank" ? "" : String(node.key)) }); }} /></section>
    </div>
    {path !== null && d.paths[path]!.file !== "" && <section class="card flame-card source-card"><h2>Source text: {chosen.name}{s.own ? " alone" : ""} by line</h2><SourceText metric={metric} own={s.own} path={path} unit={chosen.unit} warm={warm} /></section>}
    {isDifference && chosen.fold === "sum" && all.length > 1 && <section class="card flame-card"><h2>{chosen.name}{s.own ? " alone" : ""} as a flame graph: what changed</h2>
      <FlameOfDifference d={d} metric={chosen} own={s.own} all={all} root={path} onChoose={(i) => select({ path: i, ownPath: false })} /></section>}
    {isDifference && chosen.fold === "sum" && path !== null && <section class="card flame-card"><h2>Callers and callees: what changed</h2>
      <SandwichOfDifference d={d} metric={chosen} own={s.own} path={path} warm={warm} onChoose={(i) => select({ path: i, ownPath: false })} /></section>}
    {!isDifference && chosen.fold === "sum" && all.length > 1 && <section class="card flame-card"><h2>{chosen.name}{s.own ? " alone" : ""} as a flame graph</h2>
      <Flame name={chosen.name} paths={d.paths} all={all} root={path} warm={warm} title={(i) => `${d.paths[i]!.name}\n${exact(all[i] ?? 0, chosen.unit)}, ${percent(all[i] ?? 0, total)} of ${chosen.name}`} onChoose={(i) => select({ path: i, ownPath: false })} /></section>}
    {isSum && path !== null && <section class="card flame-card"><h2>Callers and callees</h2>
      {sandwich.error ? <p class="soft">{sandwich.error}</p> : sandwich.value ? <Sandwich name={chosen.name} paths={d.paths} path={path} trees={sandwich.value} unit={chosen.unit} warm={warm} onChoose={(i) => select({ path: i, ownPath: false })} /> : <p class="soft">Loading …</p>}</section>}
    {values && values.ranks.length > 1 && <section class="card flame-card"><h2>{chosen.name}{s.own ? " alone" : ""} in the machine</h2><Topology name={chosen.name} ranks={values.ranks} nodeOf={system.nodeOf} nodes={system.names} grids={d.grids} unit={chosen.unit} warm={warm} changed={isDifference} chosen={rank} arranged={grid} onArrange={(how) => select({ explore: withSetting(s.explore, "g", how) })} onChoose={(r) => select({ rank: r })} /></section>}
    <div class="columns"><section class="card"><h2>{chosen.name} <code>{chosen.id}</code></h2>
      {meaning ? <dl class="meaning">{([["Meaning", meaning.summary], ["Formula", meaning.formula], ["Source", meaning.source], ["If it is large", meaning.diagnosis], ["What to try", meaning.advice]] as const).filter(([, text]) => text).map(([name, text]) => <><dt>{name}</dt><dd>{name === "Formula" ? <code>{text}</code> : text}</dd></>)}</dl> : <p class="soft">This Mora has no text for this metric.</p>}{warm && <Example metric={chosen.id} />}</section>
      <section class="card"><h2>Call paths by value</h2><DataTable name={`${chosen.id} by call path`} most={12} onRow={(i) => select({ path: i, ownPath: true })} chosen={(i) => i === path}
        rows={own.map((_, i) => i).filter((i) => own[i] !== 0).sort((a, b) => Math.abs(own[b]!) - Math.abs(own[a]!))} columns={[
          { name: "call path", value: (i) => d.paths[i]!.name, show: (i) => <Name text={d.paths[i]!.name} /> }, { name: "where", value: (i) => place(d.paths[i]!.file, d.paths[i]!.line), show: (i) => <Name text={place(d.paths[i]!.file, d.paths[i]!.line)} /> },
          { name: "of its own", value: (i) => own[i] ?? 0, show: (i) => (isDifference ? <span class={toneOf(own[i]!)}>{signed(amount(own[i]!, chosen.unit), own[i]!)}</span> : amount(own[i] ?? 0, chosen.unit)), title: (i) => exact(own[i] ?? 0, chosen.unit), number: true }, ...(isDifference ? [] : [{ name: "of the metric", value: (i: number) => percent(own[i] ?? 0, total), number: true }])]} /></section></div>
  </>;
}
