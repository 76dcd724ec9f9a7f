// Sliders, choices and switches of a part, made from the parameters that the Python side defines.

import { h } from "../dom";
import type { Ask, ParameterItem } from "../generated";
import { length, methodOf, optionsOf, state } from "../state";
import { say, t } from "../words";

let gestures = 0;

/** A sensible end for a slider whose parameter only guards against nonsense. */
function end(item: ParameterItem): number {
  if (item.usual) return item.usual[1];
  const own = item.high ?? Infinity;
  if (own < 1e4) return own;
  if (["frames", "drawings", "poses"].includes(item.unit.en)) {
    return item.name === "omit" ? Math.min(24, state.body?.frames ?? 24) : (state.body?.frames ?? length());
  }
  return typeof item.default === "number" && item.default > 0 ? 10 * item.default : 10;
}

/** A control for one parameter, and what puts the scene's value into it. */
export interface Field {
  element: HTMLElement;
  /** The scene's value, and what the method takes where the scene has none. */
  put: (value: unknown, taken?: unknown) => void;
}

/** Whether a hand is at this control: it is held, typed into, or what it last asked for is not in the scene yet. */
export class InUse {
  private held = false;
  private typed = false;

  constructor(private readonly input: HTMLInputElement) {
    input.addEventListener("pointerdown", () => (this.held = true));
    for (const kind of ["pointerup", "pointercancel", "blur"]) input.addEventListener(kind, () => (this.held = false));
    const typing = input.type === "number" || input.type === "text";
    input.addEventListener("input", () => (this.typed = typing));
    for (const kind of ["change", "blur"]) input.addEventListener(kind, () => (this.typed = false));
  }

  get now(): boolean {
    return this.held || this.typed || (state.unheard > 0 && document.activeElement === this.input);
  }
}

/** Gives a control the scene's value, unless a hand is at it. */
function putting(input: HTMLInputElement): (value: string) => void {
  const use = new InUse(input);
  return (value) => {
    if (!use.now && input.value !== value) input.value = value;
  };
}

/** Runs unless what this control asked for last is not in the scene yet: an older scene does not set it back. */
function unlessAsked(control: HTMLElement, run: () => void): void {
  if (state.unheard === 0 || document.activeElement !== control) run();
}

/** One field; `change` is called on every movement with the gesture that it belongs to. */
export function field(part: string, item: ParameterItem, change: (value: unknown, gesture: string) => void): Field {
  const name = say(item.label);
  const id = `field-${part}-${item.name}`;
  let gesture = "";
  const begin = () => (gesture = `${item.name} ${++gestures} ${Date.now()}`);
  const unit = item.unit.en ? ` (${say(item.unit)})` : "";
  const symbol = item.symbol ? ` · ${t("in the paper")}: ${item.symbol}` : "";
  const title = `${say(item.help)}${unit}${symbol}`;
  const element = h("div", { class: "field", title }, h("label", { for: id }, name));
  if (item.kind === "bool") {
    const box = h("input", { id, type: "checkbox", change: () => change(box.checked, begin()) });
    element.append(box);
    return { element, put: (value) => unlessAsked(box, () => (box.checked = Boolean(value ?? item.default))) };
  }
  if (item.choices.length) {
    const choice = h("select", { id, change: () => change(choice.value === "" ? null : choice.value, begin()) });
    if (item.optional) choice.append(h("option", { value: "" }, t("default")));
    choice.append(...item.choices.map(({ value, label }) => h("option", { value }, say(label))));
    element.append(choice);
    return { element, put: (value) => unlessAsked(choice, () => (choice.value = String(value ?? item.default ?? ""))) };
  }
  if (item.kind === "int" || item.kind === "float") return numberField(item, element, id, begin, () => gesture || begin(), change);
  // Frames are counted from 1 wherever people read them; other numbers are what they are.
  const first = item.unit.en === "frames" ? 1 : 0;
  const text = h("input", {
    id,
    type: "text",
    inputmode: "numeric",
    placeholder: first ? "13, 41" : "4, 6",
    change: () => {
      const numbers = text.value
        .split(/[,\s]+/)
        .filter(Boolean)
        .map(Number)
        .filter(Number.isInteger);
      change(
        numbers.map((number) => number - first),
        begin(),
      );
    },
  });
  element.append(text);
  const put = putting(text);
  return { element, put: (value) => put(((value as number[] | undefined) ?? []).map((number) => number + first).join(", ")) };
}

function numberField(
  item: ParameterItem,
  element: HTMLElement,
  id: string,
  begin: () => string,
  gesture: () => string,
  change: (value: unknown, gesture: string) => void,
): Field {
  const whole = item.kind === "int";
  const low = item.usual?.[0] ?? item.low ?? 0;
  let automatic = true;
  const slider = h("input", {
    id,
    type: "range",
    pointerdown: begin,
    keydown: begin,
    input: () => {
      number.value = slider.value;
      change(Number(slider.value), gesture());
    },
  });
  const number = h("input", {
    type: "number",
    min: item.low ?? null,
    step: whole ? 1 : "any",
    "aria-label": say(item.label),
    change: () => change(number.value === "" ? null : Number(number.value), begin()),
  });
  number.placeholder = t("auto");
  element.append(slider, number);
  element.classList.toggle("plain", !item.optional);
  const auto = item.optional
    ? h(
        "button",
        {
          type: "button",
          role: "switch",
          id: `${id}-auto`,
          "aria-label": `${t("Auto")}: ${say(item.label)}`,
          click: () => change(automatic ? Number(slider.value) : null, begin()),
        },
        t("Auto"),
      )
    : null;
  if (auto) element.append(auto);
  if (item.unit.en) element.append(h("span", { class: "unit" }, say(item.unit)));
  const use = new InUse(slider);
  const putNumber = putting(number);
  return {
    element,
    put: (value, taken) => {
      const set = value ?? item.default;
      const shown = set ?? taken;
      const known = typeof shown === "number" ? shown : low;
      const high = Math.max(end(item), known);
      automatic = set === null || set === undefined;
      element.classList.toggle("auto", automatic);
      auto?.setAttribute("aria-checked", String(automatic));
      slider.min = String(Math.min(low, known));
      slider.max = String(high);
      slider.step = String(whole ? 1 : Number(((high - low) / 200).toPrecision(1)));
      if (use.now) return;
      slider.value = String(shown ?? (low + high) / 3);
      putNumber(typeof shown === "number" ? String(Number(shown.toPrecision(6))) : "");
    },
  };
}

/** All fields of a part: made once, and given what the scene says whenever it says something. */
export class Fields {
  readonly element = h("form", { class: "fields", submit: (event: Event) => event.preventDefault() });
  /** Tells its controls from those of others on the page. */
  private readonly group: string;
  private made: { signature: string; fields: Map<string, Field> } = { signature: "", fields: new Map() };

  constructor(
    private readonly part: string,
    private readonly ask: (message: Ask) => void,
    private readonly first: string[] = [],
    /** Parameters that have controls of their own, those that are shown at all, and values that hold where the scene has none. */
    private readonly own: {
      group?: string;
      hidden?: string[];
      only?: string[];
      values?: () => Record<string, number>;
    } = {},
  ) {
    this.group = own.group ?? part;
  }

  renew(): void {
    const { hidden, only } = this.own;
    const items = (methodOf(this.part)?.parameters ?? []).filter(({ name }) => !hidden?.includes(name) && (!only || only.includes(name)));
    const signature = [state.language, ...items.map(({ name }) => name)].join();
    if (signature !== this.made.signature) this.make(items, signature);
    const options = optionsOf(this.part);
    const values = this.own.values?.() ?? {};
    for (const [name, { put }] of this.made.fields) put(options[name], values[name]);
  }

  private make(items: ParameterItem[], signature: string): void {
    const fields = new Map<string, Field>();
    const make = (item: ParameterItem) => {
      const change = (value: unknown, gesture: string) =>
        this.ask({ type: "change", part: this.part, options: { [item.name]: value as never }, gesture });
      const made = field(this.group, item, change);
      fields.set(item.name, made);
      return made.element;
    };
    const chosen = items.filter((item) => this.first.includes(item.name));
    const rest = items.filter((item) => !this.first.includes(item.name));
    const open = this.element.querySelector("details")?.open ?? false;
    this.element.replaceChildren(
      ...chosen.map(make),
      rest.length === 0 ? "" : h("details", open ? { open: true } : {}, h("summary", {}, t("more")), ...rest.map(make)),
    );
    this.made = { signature, fields };
  }
}
