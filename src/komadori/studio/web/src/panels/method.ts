// A method's panel, made from its declaration: controls for its parameters, the rows of its summary, its notes. A hook adds to it.

import { h, refill } from "../dom";
import type { Ask, MethodItem } from "../generated";
import { on, optionsOf, state } from "../state";
import { say, t } from "../words";
import { Fields } from "./fields";
import { foldedNotes } from "./notes";

/** Parameters that are shown at once where no hook says which; the others wait behind "more". */
const FIRST = 8;

/** What a number is called, the number, and what it means at more length where the name says too little. */
export type SummaryRow = [label: string, value: string, meaning?: string];

/** What a method's panel has beyond its declaration. */
export interface PanelHook {
  /** Parameters that are shown at once. */
  first?: string[];
  /** Rows in place of the summary's, in the present language; null while they are not there. */
  rows?: () => SummaryRow[] | null;
  /** What the method took where the scene has no value. */
  values?: () => Record<string, number>;
  /** What stands between the controls and the rows, and draws it again with the scene. */
  above?: { elements: HTMLElement[]; draw: () => void };
  /** What stands below the rows, and draws it again. */
  below?: { elements: HTMLElement[]; draw: () => void };
}

export function methodPanel(method: MethodItem, ask: (message: Ask) => void, hook: PanelHook = {}): HTMLElement {
  const names = method.parameters.map(({ name }) => name);
  const fields = new Fields(method.name, ask, hook.first ?? names.slice(0, FIRST), hook.values ? { values: hook.values } : {});
  const presets = h("div", { class: "presets", role: "group" });
  const summary = h("p", { class: "hint" });
  const numbers = h("dl", { class: "numbers" });
  const notes = foldedNotes("Notes on the result");
  const active = () => state.part === method.name;
  const own = () => state.answers[method.name]?.rows.map(({ label, value }): SummaryRow => [say(label), say(value)]);
  on(["answer", "language", "body", "part"], () => {
    if (!active()) return;
    summary.textContent = say(method.summary);
    const rows = (hook.rows ?? own)() ?? [];
    numbers.replaceChildren(
      ...rows.flatMap(([label, value, title]) => [h("dt", title ? { title } : {}, label), h("dd", title ? { title } : {}, value)]),
    );
    notes.fill((state.answers[method.name]?.notes ?? []).map(say));
    hook.below?.draw();
  });
  on(["frame"], () => {
    if (active()) hook.below?.draw();
  });
  on(["scene", "language", "body", "part", "answer"], () => {
    if (!active()) return;
    fields.renew();
    drawPresets(presets, method, ask);
    hook.above?.draw();
  });
  const below = hook.below?.elements ?? [];
  const above = hook.above?.elements ?? [];
  return h(
    "section",
    { class: "panel", id: `panel-${method.name}` },
    summary,
    presets,
    fields.element,
    ...above,
    numbers,
    ...below,
    notes.element,
  );
}

/** The row that sets a result beside the best that there is, where that is known. */
export function besideBest(value: number, best: number): SummaryRow[] {
  if (!(best > 0)) return [];
  const more = 100 * Math.max(value / best - 1, 0);
  const said = more < 0.05 ? t("nothing is better") : `+${more.toFixed(more < 10 ? 1 : 0)} %`;
  return [[t("compared with the best choice"), said, t("How much more this is than the least that as many drawings can come to")]];
}

let gestures = 0;

/** Whole settings, the first thing that one sees; the one that holds is marked. */
function drawPresets(row: HTMLElement, method: MethodItem, ask: (message: Ask) => void): void {
  row.hidden = !method.presets.length;
  row.setAttribute("aria-label", t("Presets"));
  const now = optionsOf(method.name);
  const usual = new Map(method.parameters.map((item) => [item.name, item.default]));
  const value = (options: Record<string, unknown>, name: string) => options[name] ?? usual.get(name) ?? null;
  refill(
    row,
    ...method.presets.map(({ label, options }, n) => {
      const holds = Object.keys(options).every((name) => value(options, name) === value(now, name));
      const run = () => ask({ type: "change", part: method.name, options, gesture: `preset ${++gestures} ${Date.now()}` });
      return h("button", { id: `preset-${method.name}-${n}`, "aria-pressed": String(holds), click: run }, say(label));
    }),
  );
}
