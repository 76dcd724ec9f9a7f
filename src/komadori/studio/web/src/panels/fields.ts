// Sliders, choices and switches of a part, made from the parameters that the Python side defines.

import { h } from "../dom";
import type { Ask, ParameterItem } from "../generated";
import { length, methodOf, optionsOf, state } from "../state";
import { say, t } from "../words";

let gestures = 0;

/** A sensible end for a slider whose parameter only guards against nonsense. */
function end(item: ParameterItem, ends: Record<string, number>): number {
  const chosen = ends[item.name];
  if (chosen !== undefined) return chosen;
  const own = item.high ?? Infinity;
  if (own < 1e4) return own;
  if (["frames", "drawings", "poses"].includes(item.unit.en)) {
    return item.name === "omit" ? Math.min(24, state.body?.frames ?? 24) : (state.body?.frames ?? length());
  }
  return typeof item.default === "number" && item.default > 0 ? 10 * item.default : 10;
}

/** One field; `change` is called on every movement with the gesture that it belongs to. */
export function field(
  item: ParameterItem,
  value: unknown,
  change: (value: unknown, gesture: string) => void,
  ends: Record<string, number> = {},
): HTMLElement {
  const name = say(item.label);
  const id = `field-${item.name}`;
  let gesture = "";
  const begin = () => (gesture = `${item.name} ${++gestures} ${Date.now()}`);
  const title = item.unit.en ? `${say(item.help)} (${say(item.unit)})` : say(item.help);
  const row = h("div", { class: "field", title }, h("label", { for: id }, name));
  if (item.kind === "bool") {
    const box = h("input", { id, type: "checkbox", change: () => change(box.checked, begin()) });
    box.checked = Boolean(value ?? item.default);
    row.append(box);
  } else if (item.choices.length) {
    const choice = h("select", { id, change: () => change(choice.value === "" ? null : choice.value, begin()) });
    if (item.optional) choice.append(h("option", { value: "" }, t("default")));
    choice.append(...item.choices.map(({ value, label }) => h("option", { value }, say(label))));
    choice.value = String(value ?? item.default ?? "");
    row.append(choice);
  } else if (item.kind === "int" || item.kind === "float") {
    const whole = item.kind === "int";
    const low = item.low ?? 0;
    const high = end(item, ends);
    const shown = value ?? item.default;
    const slider = h("input", {
      id,
      type: "range",
      min: low,
      max: high,
      step: whole ? 1 : Number(((high - low) / 200).toPrecision(1)),
      pointerdown: begin,
      keydown: begin,
      input: () => {
        number.value = slider.value;
        change(Number(slider.value), gesture || begin());
      },
    });
    const number = h("input", {
      type: "number",
      min: low,
      step: whole ? 1 : "any",
      "aria-label": name,
      change: () => change(number.value === "" ? null : Number(number.value), begin()),
    });
    slider.value = String(shown ?? (low + high) / 3);
    number.value = shown === null || shown === undefined ? "" : String(shown);
    number.placeholder = t("auto");
    row.append(slider, number);
    if (item.unit.en) row.append(h("span", { class: "unit" }, say(item.unit)));
  } else {
    const text = h("input", {
      id,
      type: "text",
      inputmode: "numeric",
      placeholder: "12, 40",
      change: () =>
        change(
          text.value
            .split(/[,\s]+/)
            .filter(Boolean)
            .map(Number)
            .filter(Number.isInteger),
          begin(),
        ),
    });
    text.value = ((value as number[] | undefined) ?? []).join(", ");
    row.append(text);
  }
  return row;
}

/** All fields of a part. While a field is in use it is left alone: the hand knows best where the slider is. */
export class Fields {
  readonly element = h("form", { class: "fields", submit: (event: Event) => event.preventDefault() });

  constructor(
    private readonly part: string,
    private readonly ask: (message: Ask) => void,
    private readonly first: string[] = [],
    /** Parameters that have controls of their own, those that are shown at all, ends of sliders, and values that hold where the scene has none. */
    private readonly own: {
      hidden?: string[];
      only?: string[];
      ends?: Record<string, number>;
      values?: () => Record<string, number>;
    } = {},
  ) {}

  renew(): void {
    if (this.element.contains(document.activeElement) && this.element.childElementCount) {
      const active = document.activeElement as HTMLInputElement;
      if (active.type === "range" || active.type === "number") return;
    }
    const options = optionsOf(this.part);
    const { hidden, only } = this.own;
    const items = (methodOf(this.part)?.parameters ?? []).filter(({ name }) => !hidden?.includes(name) && (!only || only.includes(name)));
    const values = this.own.values?.() ?? {};
    const make = (item: ParameterItem) =>
      field(
        item,
        options[item.name] ?? values[item.name],
        (value, gesture) => this.ask({ type: "change", part: this.part, options: { [item.name]: value as never }, gesture }),
        this.own.ends,
      );
    const chosen = items.filter((item) => this.first.includes(item.name));
    const rest = items.filter((item) => !this.first.includes(item.name));
    const open = this.element.querySelector("details")?.open ?? false;
    this.element.replaceChildren(
      ...chosen.map(make),
      rest.length === 0 ? "" : h("details", open ? { open: true } : {}, h("summary", {}, t("more")), ...rest.map(make)),
    );
  }
}
