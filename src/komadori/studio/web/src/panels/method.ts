// A method's panel, made from its declaration: controls for its parameters, the rows of its summary, its notes. A hook adds to it.

import { h } from "../dom";
import type { Ask, MethodItem } from "../generated";
import { on, state } from "../state";
import { say } from "../words";
import { Fields } from "./fields";

/** Parameters that are shown at once where no hook says which; the others wait behind "more". */
const FIRST = 8;

/** What a method's panel has beyond its declaration. */
export interface PanelHook {
  /** Parameters that are shown at once. */
  first?: string[];
  /** Rows in place of the summary's, in the present language; null while they are not there. */
  rows?: () => [string, string][] | null;
  /** What stands below the rows, and draws it anew. */
  below?: { elements: HTMLElement[]; draw: () => void };
}

export function methodPanel(method: MethodItem, ask: (message: Ask) => void, hook: PanelHook = {}): HTMLElement {
  const names = method.parameters.map(({ name }) => name);
  const fields = new Fields(method.name, ask, hook.first ?? names.slice(0, FIRST));
  const summary = h("p", { class: "hint" });
  const numbers = h("dl", { class: "numbers" });
  const notes = h("ul", { class: "notes" });
  const active = () => state.part === method.name;
  const own = () => state.answers[method.name]?.rows.map(({ label, value }): [string, string] => [say(label), say(value)]);
  on(["answer", "language", "body", "part"], () => {
    if (!active()) return;
    summary.textContent = say(method.summary);
    const rows = (hook.rows ?? own)() ?? [];
    numbers.replaceChildren(...rows.flatMap(([label, value]) => [h("dt", {}, label), h("dd", {}, value)]));
    notes.replaceChildren(...(state.answers[method.name]?.notes ?? []).map((note) => h("li", {}, say(note))));
    hook.below?.draw();
  });
  on(["frame"], () => {
    if (active()) hook.below?.draw();
  });
  on(["scene", "language", "body", "part"], () => {
    if (active()) fields.renew();
  });
  const below = hook.below?.elements ?? [];
  return h("section", { class: "panel", id: `panel-${method.name}` }, summary, fields.element, numbers, ...below, notes);
}
