// Translation: who is driven, what is learnt, and the outcome of it.

import { h, redrawn } from "../dom";
import { motionName } from "../format";
import type { Ask } from "../generated";
import { methodOf, on, state, tell } from "../state";
import { say, t } from "../words";
import { Fields } from "./fields";

const BOTH = ["speed", "loop"];

export function translatePanel(ask: (message: Ask) => void): HTMLElement {
  const parameters = methodOf("translate")?.parameters ?? [];
  const of = (group: string) => [...parameters.filter((item) => item.group === group).map(({ name }) => name), ...BOTH];
  const animalFields = new Fields("translate", ask, ["gait", ...BOTH], { only: of("animal") });
  const armFields = new Fields("translate", ask, ["model", ...BOTH], { group: "arms", only: of("arms") });
  const who = h("div", { class: "group", role: "group" });
  const animals = h("div", { class: "field" });
  const train = h("fieldset", { class: "list" });
  const live = h("div", { class: "field" });
  const progress = h("progress", { max: 1, hidden: true });
  const numbers = h("dl", { class: "numbers" });
  const trials = h("table", { class: "trials" });
  const notes = h("ul", { class: "notes" });
  const target = (): "animal" | "arms" => (state.told?.scene.translate.options.to === "arms" ? "arms" : "animal");

  const choices = () => {
    const scene = state.told?.scene.translate;
    if (!scene) return;
    const choose = (to: "animal" | "arms", name: string) =>
      h(
        "button",
        { "aria-pressed": String(target() === to), click: () => ask({ type: "change", part: "translate", options: { to } }) },
        t(name),
      );
    who.replaceChildren(choose("animal", "An animal"), choose("arms", "Legs to arms"));
    const select = h(
      "select",
      { id: "translate-animal", change: () => ask({ type: "cast", animal: select.value }) },
      ...state.shelf
        .filter((item) => item.animal)
        .map((item) => h("option", { value: item.character ? item.key : item.motions[0] }, item.name)),
    );
    select.value = scene.animal;
    animals.replaceChildren(h("label", { for: "translate-animal" }, t("Animal")), select);
    const motions = state.shelf
      .filter((item) => !item.animal)
      .flatMap((item) => item.motions.map((key) => ({ key, name: motionName(item.name, key) })));
    const boxes = motions.map(({ key, name }) => {
      const box = h("input", {
        type: "checkbox",
        value: key,
        change: () => {
          const chosen = new Set(scene.train);
          if (box.checked) chosen.add(key);
          else chosen.delete(key);
          ask({ type: "cast", train: [...chosen] });
        },
      });
      box.checked = scene.train.includes(key);
      return h("label", {}, box, name);
    });
    train.replaceChildren(h("legend", {}, t("Learn from (none: the open clip)")), ...boxes);
    const box = h("input", {
      id: "translate-live",
      type: "checkbox",
      change: () => {
        state.live = box.checked;
        tell("view");
      },
    });
    box.checked = state.live;
    live.replaceChildren(h("label", { for: "translate-live" }, t("Live")), box);
    live.title = t("the driven body follows the person frame by frame, as you play or drag");
    const arms = target() === "arms";
    animals.hidden = animalFields.element.hidden = arms;
    train.hidden = armFields.element.hidden = !arms;
    (arms ? armFields : animalFields).renew();
  };

  const told = () => {
    const answer = state.translate;
    const work = state.progress.translate;
    progress.hidden = !work;
    for (const old of [numbers, trials, notes]) old.classList.toggle("learning", Boolean(work));
    if (work) progress.value = work.done / Math.max(work.total, 1);
    progress.setAttribute("aria-label", t("learning"));
    if (!answer) return numbers.replaceChildren();
    const row = (name: string, value: string) => [h("dt", {}, t(name)), h("dd", {}, value)];
    numbers.replaceChildren(
      ...(answer.to === "animal"
        ? [
            ...row("gait", t(answer.gait) || "–"),
            ...row("footfalls", answer.order.map(t).join(" ") || "–"),
            ...row("cycle", answer.cycle_s ? `${answer.cycle_s.toFixed(2)} s` : "–"),
            ...row("slip of planted feet", `${(1000 * answer.skate_m_s).toFixed(1)} mm/s`),
          ]
        : [...row("chosen", modelName(answer.chosen)), ...row("frames out of range", String(answer.outside.length))]),
    );
    trials.hidden = !answer.trials.length;
    const sorted = [...answer.trials].sort(
      (a, b) => (a.error_deg < 0 ? Infinity : a.error_deg) - (b.error_deg < 0 ? Infinity : b.error_deg),
    );
    trials.replaceChildren(
      h("caption", {}, t("How far off on clips kept aside, degrees per joint")),
      ...sorted.map(({ model, error_deg }) =>
        h(
          "tr",
          model === answer.chosen ? { class: "chosen", "aria-current": "true" } : {},
          h("td", {}, modelName(model)),
          h("td", {}, error_deg < 0 ? "–" : error_deg.toFixed(2)),
        ),
      ),
    );
    notes.replaceChildren(...answer.notes.map((note) => h("li", {}, say(note))));
  };

  const panel = h(
    "section",
    { class: "panel", id: "panel-translate" },
    who,
    animals,
    animalFields.element,
    train,
    armFields.element,
    live,
    progress,
    numbers,
    trials,
    notes,
  );
  on(["scene", "shelf", "language", "body", "part"], () => state.part === "translate" && redrawn(panel, choices));
  on(["answer", "progress", "language", "body", "part"], () => state.part === "translate" && told());
  return panel;
}

/** A model as its control calls it. */
function modelName(model: string): string {
  const choices = methodOf("translate")?.parameters.find(({ name }) => name === "model")?.choices ?? [];
  const choice = choices.find(({ value }) => value === model);
  return choice ? say(choice.label) : model;
}
