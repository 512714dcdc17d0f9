// Everything about the chosen call: function, place, time, partners, bytes; the way along its messages.
import type { JSX } from "preact";
import type { CallDetails, Report, TimelineInfo } from "../data";
import { bytes, count, exactTime, nanoseconds, percent, time } from "../format";
import { Name } from "../widgets/common";
import type { Wait } from "./scene";

export const regionPlace = (region: { file: string; line: number } | undefined): string => (region?.file ? `${region.file}${region.line ? `:${region.line}` : ""}` : "place not known");

/** What people call the records of messages and transfers. */
const transferNames: Record<string, string> = { SEND: "message", RECV: "message", PUT_1TS: "put", PUT_1TE: "end of put", GET_1TS: "get", GET_1TE: "end of get", ATOMIC_1TS: "atomic operation", ATOMIC_1TE: "end of atomic operation", NBC_START: "starts an operation", NBC_END: "completes an operation" };
/** Of a transfer: its name, and its partner as seen from here. */
export const transferWords = (t: { type: string; partner: number | null }): string => `${transferNames[t.type] ?? t.type}${t.partner === null ? "" : ` ${/RECV|TE$/.test(t.type) ? "from" : "to"} rank ${t.partner}`}`;

export function Details(p: { info: TimelineInfo; report: Report; details: CallDetails | null; waits: Wait[]; follow: (call: number) => void; show: (wait: Wait) => void; all: number }): JSX.Element {
  const { details: d, info } = p, region = d ? info.regions[d.region] : undefined;
  if (!d) {
    return <aside class="details" aria-live="polite"><h2>Nothing chosen</h2>
      <p class="soft">Click a call, or press <kbd>.</kbd> to choose one. <kbd>x</kbd> shows the worst wait, <kbd>?</kbd> all keys.</p>
      <h3>Longest waits</h3><ol class="waits">{p.waits.slice(0, 12).map((w) => <li><button type="button" class="link" onClick={() => p.show(w)}>{w.name}</button> <span title={exactTime(w.end - w.begin)}>{time(w.end - w.begin)}</span> <span class="soft">rank {w.rank} at {time(w.begin)}</span></li>)}</ol>
      <p class="base">{p.all > 12 ? `showing 12 of ${count(p.all)} recorded longest waits` : ""}</p></aside>;
  }
  const waits = p.waits.filter((w) => w.rank === d.rank && w.begin < d.end && w.end > d.begin && w.begin >= d.begin - 1);
  return <aside class="details" aria-live="polite"><h2><bdi>{region?.name ?? "region"}</bdi></h2><p class="path"><Name text={regionPlace(region)} /></p>
    <table><tbody>
      <tr><th scope="row">rank</th><td>{d.rank}{d.thread ? `, thread ${d.thread}` : ""} <span class="soft">{info.locations[d.location]?.node}</span></td></tr>
      <tr><th scope="row">begin</th><td title={exactTime(d.begin)}>{time(d.begin)} <span class="soft">{exactTime(d.begin)}</span></td></tr>
      <tr><th scope="row">duration</th><td title={exactTime(d.end - d.begin)}><b>{time(d.end - d.begin)}</b> <span class="soft">{exactTime(d.end - d.begin)}; {percent(d.end - d.begin, nanoseconds(p.report.run.wall_s) || info.duration)} of the run</span></td></tr>
      <tr><th scope="row">what</th><td>{info.categories[region?.category ?? 7]?.name}</td></tr>
      {d.communicator !== undefined && <tr><th scope="row">communicator</th><td><bdi>{d.communicator}</bdi>, {count(d.members ?? 0)} members{d.root !== undefined ? `, root ${d.root}` : ""}</td></tr>}
      {d.sent !== undefined && (d.sent > 0 || (d.received ?? 0) > 0) && <tr><th scope="row">bytes</th><td>{bytes(d.sent)} sent, {bytes(d.received ?? 0)} received</td></tr>}
    </tbody></table>
    {waits.map((w) => <p class="wait-line">{w.name}: {time(w.end - w.begin)}{w.cause !== null ? `, for rank ${w.cause}` : ""}</p>)}
    {d.path.length > 1 && <p class="path"><bdi>{d.path.map((r) => info.regions[r]?.name ?? "?").join(" › ")}</bdi></p>}
    {d.transfers.length > 0 && <><h3>Messages and transfers</h3><table><tbody>{d.transfers.map((t) => <tr><td>{transferWords(t)}</td><td class="number" title={`${count(t.bytes)} bytes`}>{bytes(t.bytes)}</td><td class="soft tag">{/SEND|RECV/.test(t.type) ? `tag ${t.tag}` : ""}</td>
      <td>{t.partner_call ? <button type="button" onClick={() => p.follow(t.partner_call!)} title="follow (])">→</button> : <span class="soft">no partner</span>}</td></tr>)}</tbody></table>
      {d.transfers_in_all > d.transfers.length && <p class="base">showing {d.transfers.length} of {count(d.transfers_in_all)}</p>}</>}
  </aside>;
}
