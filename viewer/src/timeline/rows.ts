// Which locations are rows, and in which order: chosen and ordered by the server (by rank, node, waiting, behaviour).
import { useEffect, useState } from "preact/hooks";
import { ask, type TimelineInfo } from "../data";
import type { Run } from "../selection";

export interface RowGroup { name: string; first: number; count: number }
/** Location by row; row by location, -1: not shown. */
export interface Order { rows: number[]; rowOf: number[]; groups: RowGroup[] }
export const sorts = ["", "node", "waiting", "alike"] as const;
export const sortNames: Record<string, string> = { "": "rank", node: "node", waiting: "waiting", alike: "behaviour" };

function orderOf(rows: number[], groups: RowGroup[], all: number): Order {
  const rowOf = new Array<number>(all).fill(-1);
  rows.forEach((location, row) => { rowOf[location] = row; });
  return { rows, rowOf, groups };
}
export const byRank = (info: TimelineInfo): Order => orderOf(info.locations.map((_, i) => i), [], info.locations.length);

/** What the selection asks for; by rank until it is there, and if there is none of it. `of`: what was asked for; `failed` hears why there is none, "" when it is asked for. */
export function useOrder(run: Run, info: TimelineInfo, ranks: string, sort: string, failed: (text: string) => void): { order: Order; of: string } {
  const wanted = `${ranks} ${sort}`, [found, setFound] = useState<{ order: Order; of: string }>(() => ({ order: byRank(info), of: " " }));
  useEffect(() => {
    failed("");
    if (!ranks && !sort) return setFound({ order: byRank(info), of: wanted });
    const stop = new AbortController();
    ask<{ rows: number[]; groups: RowGroup[] }>("timeline/rows", { ranks, sort }, stop.signal, run).then((answer) => setFound({ order: orderOf(answer.rows, answer.groups, info.locations.length), of: wanted }),
      (reason: Error) => { if (!stop.signal.aborted) { failed(reason.message); setFound({ order: byRank(info), of: " " }); } });
    return () => stop.abort();
  }, [run, info, ranks, sort]);
  return found;
}
