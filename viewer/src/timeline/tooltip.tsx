// Everything about what is under the pointer: function, kind, place, partners, bytes, duration, waiting, and what crosses there.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ask, type CallDetails } from "../data";
import { bytes, percent, time } from "../format";
import { regionPlace, transferWords } from "./details";
import { Name } from "../widgets/common";
import { said } from "./relations";
import { axis, gutter, locationAt, rowAt, type Scene, timeAt } from "./scene";

/** Partners and bytes of a call: asked for when the pointer rests on it. */
function useCall(call: number): CallDetails | null {
  const [details, setDetails] = useState<CallDetails | null>(null);
  useEffect(() => {
    setDetails(null);
    if (call <= 0) return;
    const stop = new AbortController(), timer = setTimeout(() => void ask<CallDetails>("timeline/call", { at: call }, stop.signal).then(setDetails, () => undefined), 120);
    return () => { clearTimeout(timer); stop.abort(); };
  }, [call]);
  return details;
}

function partners(d: CallDetails): string {
  const parts = d.transfers.slice(0, 3).map((t) => `${transferWords(t)}, ${bytes(t.bytes)}`);
  if (d.transfers_in_all > 3) parts.push(`${d.transfers_in_all - 3} more`);
  if (d.communicator !== undefined) parts.push(`${d.communicator}, ${d.members} members${d.root !== undefined ? `, root ${d.root}` : ""}${(d.sent ?? 0) + (d.received ?? 0) > 0 ? `: ${bytes(d.sent ?? 0)} sent, ${bytes(d.received ?? 0)} received` : ""}`);
  return parts.join("; ");
}

export function Tooltip({ scene, x, y }: { scene: Scene; x: number; y: number }): JSX.Element {
  const { picture, info } = scene, t = timeAt(scene, x), isOutside = x < gutter || y < axis, location = locationAt(scene, y), l = info.locations[location];
  let text = "user code", where = "", kind = "", call = 0;
  if (isOutside) {
    text = "";
  } else if (picture?.kind === "calls") {
    let best = -1;
    for (let i = 0; i < picture.calls; ++i) if (picture.location[i] === location && picture.begin[i]! <= t && picture.end[i]! > t && (best < 0 || picture.depth[i]! > picture.depth[best]!)) best = i;
    if (best >= 0) {
      const region = info.regions[picture.region[best]!];
      text = `${region?.name}: ${time(picture.end[best]! - picture.begin[best]!)}`;
      where = regionPlace(region);
      kind = info.categories[region?.category ?? 7]?.name ?? "";
      call = picture.enter[best]!;
    }
  } else if (picture) {
    const column = Math.floor(((t - picture.from) / (picture.until - picture.from)) * picture.columns), row = Math.floor((rowAt(scene, y) - picture.first) / picture.group), bin = row * picture.columns + column;
    const category = picture.category[bin], share = picture.share[bin];
    if (category !== undefined && share !== undefined && column >= 0 && column < picture.columns) text = category === 0 ? "not running" : share === 0 ? "user code" : `${percent(share, 255)} not user code, most of it ${info.categories[category]?.name}`;
  }
  const details = useCall(call);
  if (isOutside) return <></>;
  const sample = scene.sampled?.stretches.find((one) => one.location === location && one.from <= t && one.until > t);
  const wait = scene.waits.find((w) => w.rank === l?.rank && w.begin <= t && w.end > t), crossing = said(scene, x, y), to = details && details.call === call ? partners(details) : "";
  return <div class="tooltip" style={{ left: `${Math.min(x + 14, scene.width - 300)}px`, top: `${Math.min(y + 16, scene.height - 110)}px` }}>
    {crossing.map((words) => <div><bdi>{words}</bdi></div>)}
    <b><bdi>{text}</bdi></b>{kind && <div class="soft">{kind}</div>}{where && <div class="path"><Name text={where} /></div>}{to && <div><bdi>{to}</bdi></div>}{sample && <div class="path"><bdi>{sample.path ? `${sample.path} > ` : ""}{sample.name} (sampled)</bdi></div>}{wait && <div class="wait-line">{wait.name}: {time(wait.end - wait.begin)}{wait.cause !== null ? `, for rank ${wait.cause}` : ""}</div>}
    <div class="soft">rank {l?.rank}{l?.thread ? `, thread ${l.thread}` : ""}{l?.node ? ` on ${l.node}` : ""} at {time(t)}</div></div>;
}
