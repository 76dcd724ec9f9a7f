// Notes: what is new appears over the stage where it matters and fades; all of them stay in the panel, folded.

import { h } from "../dom";
import { on, state } from "../state";
import { t } from "../words";

export const saidOnStage = h("ul", { class: "said-on-stage", "aria-live": "polite" });
const MOST = 3;
// What was said of one method is not about the next.
on(["part", "language"], () => saidOnStage.replaceChildren());

/** Shows sentences for a while. */
function appear(notes: string[]): void {
  saidOnStage.replaceChildren(
    ...notes.slice(0, MOST).map((note) => {
      const line = h("li", { animationend: () => line.remove() }, note);
      return line;
    }),
  );
}

/** A list of notes, called `name`, that is folded, and shows those that are new for a moment. */
export function foldedNotes(name: string): { element: HTMLElement; fill: (notes: string[]) => void } {
  const list = h("ul", { class: "notes" });
  const title = h("summary", {});
  const element = h("details", { class: "notes-fold" }, title, list);
  let known: string[] | null = null;
  let language = state.language;
  return {
    element,
    fill: (notes) => {
      // In another language the same notes read otherwise, and are not new.
      const fresh = known && language === state.language ? notes.filter((note) => !known?.includes(note)) : [];
      known = notes;
      language = state.language;
      if (fresh.length) appear(fresh);
      title.textContent = `${t(name)} · ${notes.length}`;
      element.hidden = !notes.length;
      list.replaceChildren(...notes.map((note) => h("li", {}, note)));
    },
  };
}
