// What characteristics of intervals and POP metrics are called, and their units: those of `mora compare` on every page.
import { once } from "./data";
import type { Unit } from "./format";
import { useAnswer } from "./widgets/common";

export interface FigureName { key: string; kind: "characteristic" | "pop"; name: string; unit: Unit | "ratio"; formula: string; other_names: string }

const known = new Map<string, FigureName>();

async function askNames(): Promise<true> {
  const { figures } = await once<{ figures: FigureName[] }>("figures", {}, "").catch(() => ({ figures: [] }));
  for (const f of figures) known.set(`${f.kind} ${f.key}`, f);
  return true;
}

/** Whether the names are known; where there are none, keys are shown. */
export const useNames = (): boolean => useAnswer(askNames, []).value ?? false;

export const nameOf = (key: string, kind: FigureName["kind"] = "characteristic"): string => known.get(`${kind} ${key}`)?.name ?? key;
/** Of a characteristic; what none is, is counted: executions. Without names nearly all are times. */
export const unitOf = (key: string): FigureName["unit"] => known.get(`characteristic ${key}`)?.unit ?? (known.size === 0 && key !== "executions" ? "s" : "occ");
/** The formula, and what others call it. */
export function meaningOf(key: string): string {
  const found = known.get(`characteristic ${key}`);
  return found ? `${found.name} = ${found.formula}${found.other_names ? `\nalso called: ${found.other_names}` : ""}` : "";
}
