// Limited animation: sliders, and what they did.

import { h } from "../dom";
import type { Ask } from "../generated";
import { on, state } from "../state";
import { say, t } from "../words";
import { Fields } from "./fields";

export function limitedPanel(ask: (message: Ask) => void): HTMLElement {
  const fields = new Fields("limited", ask, ["omit", "hold", "max_exposures", "solver", "keep_length", "contacts"]);
  const numbers = h("dl", { class: "numbers" });
  const notes = h("ul", { class: "notes" });
  const tell = () => {
    const answer = state.limited;
    if (!answer) return;
    const best = state.optimum.limited;
    const ratio = best && best.revision === answer.revision && best.optimum > 0 ? answer.error / best.optimum : null;
    const row = (name: string, value: string) => [h("dt", {}, t(name)), h("dd", {}, value)];
    numbers.replaceChildren(
      ...row("drawings shown", `${answer.drawings} / ${state.body?.frames ?? 0}`),
      ...row("omitted", String(answer.omitted)),
      ...row("held", String(answer.held)),
      ...row("error", `${answer.error.toPrecision(3)} m²`),
      ...(ratio === null ? [] : row("times the optimum", ratio.toFixed(3))),
    );
    notes.replaceChildren(...answer.notes.map((note) => h("li", {}, say(note))));
  };
  on(["answer", "language", "body"], tell);
  on(["scene", "language", "body", "part"], () => state.part === "limited" && fields.renew());
  return h("section", { class: "panel", id: "panel-limited" }, fields.element, numbers, notes);
}
