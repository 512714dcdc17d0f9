// The one table of keys: handlers, the `?` sheet and the command palette are made from it.
import { useLayoutEffect } from "preact/hooks";

export interface Command {
  keys: string[];       // as KeyboardEvent.key spells them; "Ctrl+p", "F F" for twice
  does: string;
  group: string;        // "everywhere", or the page
  run: () => void;
}

const commands = new Map<string, Command[]>();   // by owner
let pending = "";
let pendingSince = 0;

export const allCommands = (): Command[] => [...commands.values()].flat();

/** The commands hold while the component is shown, as of its last drawing. */
export function useCommands(owner: string, list: Command[]): void {
  useLayoutEffect(() => void commands.set(owner, list));
  useLayoutEffect(() => () => void commands.delete(owner), [owner]);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

function spelling(event: KeyboardEvent): string {
  const control = event.ctrlKey || event.metaKey;
  const name = control && event.key.length === 1 ? event.key.toLowerCase() : event.key;
  return `${control ? "Ctrl+" : ""}${control && event.shiftKey ? "Shift+" : ""}${name}`;
}

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.altKey || document.querySelector("dialog[open]")) return;
  const key = spelling(event);
  if (isTyping(event.target) && key !== "Escape" && !key.startsWith("Ctrl+")) return;
  if ((key === "Enter" || key === " ") && event.target instanceof Element && event.target.closest("button, a, summary, [role=treeitem]")) return;
  const twice = pending === key && Date.now() - pendingSince < 500 ? `${key} ${key}` : "";
  const all = allCommands().reverse();
  const found = all.find((command) => twice !== "" && command.keys.includes(twice)) ?? all.find((command) => command.keys.includes(key));
  pending = twice ? "" : key;
  pendingSince = Date.now();
  if (!found) return;
  event.preventDefault();
  found.run();
});
