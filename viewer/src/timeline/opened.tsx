// Waits for the trace, which the server opens beside everything else; says how far it is, or why there is none.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ask, isCubeAlone, once, type Report, type TimelineInfo } from "../data";
import { count, percent } from "../format";
import { type Run, selection } from "../selection";
import { Problem, useAnswer } from "../widgets/common";

function useTimelineInfo(run: Run): { info: TimelineInfo | null; error: string } {
  const [info, setInfo] = useState<TimelineInfo | null>(null), [error, setError] = useState("");
  useEffect(() => {
    let timer = 0, ended = false;
    const poll = (): void => void ask<TimelineInfo>("timeline/info", {}, undefined, run).then((answer) => {
      if (ended) return;
      setInfo(answer);
      if (answer.state === "opening" || answer.state === "preparing") timer = setTimeout(poll, 300) as unknown as number;
    }, (reason: Error) => !ended && setError(reason.message));
    poll();
    return () => { ended = true; clearTimeout(timer); };
  }, []);
  return { info, error };
}

export function Opened({ what, run = selection().run, children }: { what: string; run?: Run; children: (info: TimelineInfo) => JSX.Element }): JSX.Element {
  const { info, error } = useTimelineInfo(run), report = useAnswer(() => once<Report>("report", {}, run), []).value;
  if (error) return <Problem text={error} />;
  if (!info) return <p class="soft">Loading …</p>;
  if (info.state === "none") return <div class="card"><h2>There is no {what}</h2>{report && isCubeAlone(report) ? <p>It is made from the events of a trace, and a CUBE file alone holds sums: open the experiment’s directory with `mora view`.</p> : <><p>It is made from the trace, which cannot be opened:</p><p class="path lines">{info.error}</p></>}</div>;
  if (info.state !== "ready") return <p class="card">{info.state === "opening" ? "The trace is being indexed" : "Levels of detail are being made"}{info.all ? `: ${percent(info.done ?? 0, info.all)} of ${count(info.all)} events` : " …"} <progress max={info.all || undefined} value={info.all ? info.done : undefined} aria-label="progress" /></p>;
  if (info.locations.length === 0 || info.duration <= 0) return <p class="card">The trace has no events, so there is no {what}.</p>;
  return children(info);
}
