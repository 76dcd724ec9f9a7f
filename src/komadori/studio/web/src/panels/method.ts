// A method's panel, made from its declaration alone: controls for its parameters, the rows of its summary, its notes.

import { h } from "../dom";
import type { Ask, MethodItem } from "../generated";
import { on, state } from "../state";
import { say } from "../words";
import { Fields } from "./fields";

/** Parameters that are shown at once; the others wait behind "more". */
const FIRST = 8;

export function methodPanel(method: MethodItem, ask: (message: Ask) => void): HTMLElement {
  const names = method.parameters.map(({ name }) => name);
  const fields = new Fields(method.name, ask, names.slice(0, FIRST));
  const summary = h("p", { class: "hint" });
  const numbers = h("dl", { class: "numbers" });
  const notes = h("ul", { class: "notes" });
  const active = () => state.part === method.name;
  on(["answer", "language", "body", "part"], () => {
    const answer = state.answers[method.name];
    if (!active() || !answer) return;
    summary.textContent = say(method.summary);
    numbers.replaceChildren(...answer.rows.flatMap(({ label, value }) => [h("dt", {}, say(label)), h("dd", {}, say(value))]));
    notes.replaceChildren(...answer.notes.map((note) => h("li", {}, say(note))));
  });
  on(["scene", "language", "body", "part"], () => {
    if (active()) fields.renew();
  });
  return h("section", { class: "panel", id: `panel-${method.name}` }, summary, fields.element, numbers, notes);
}
