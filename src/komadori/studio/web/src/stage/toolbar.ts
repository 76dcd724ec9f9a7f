// What floats over the stage: what is shown, from where, what is shown beside it, and pictures of it.

import { h, keepingFocus } from "../dom";
import { glyph, type Icon } from "../icons";
import { keep, on, state, tell, type View } from "../state";
import { t } from "../words";
import { film, still } from "./recording";
import { referenceMenu } from "./reference_menu";
import { type Stage, VIEWS } from "./stage";

/** Roles whose trails can be drawn, in the order of the menu. */
const ROLES = ["head", "left_hand", "right_hand", "left_foot", "right_foot", "hips", "left_lower_arm", "right_lower_arm", "chest"];

export function toolbar(stage: Stage): HTMLElement {
  const element = h("div", { class: "tools", role: "toolbar" });
  let recording: number | null = null;
  let open = false;
  const button = (name: string, sign: Icon, run: () => void, more: { pressed?: boolean; key?: string; id?: string } = {}) =>
    h(
      "button",
      {
        id: more.id ?? null,
        title: more.key ? `${t(name)} (${more.key})` : t(name),
        "aria-label": t(name),
        "aria-pressed": more.pressed === undefined ? null : String(more.pressed),
        click: run,
      },
      glyph(sign),
    );
  const setView = (view: View) => () => {
    state.view = view;
    keep("view", view);
    tell("view");
  };
  const toggle = (name: "follow" | "onion" | "ghosts" | "arcs") => () => {
    state[name] = !state[name];
    if (name === "follow") keep("follow", state.follow ? "yes" : "no");
    tell("view");
  };
  const joints = () => {
    const roles = ROLES.filter((role) => state.body?.roles[role] !== undefined);
    const boxes = roles.map((role) => {
      const box = h("input", {
        type: "checkbox",
        id: `arc-${role}`,
        change: () => {
          state.arcJoints = box.checked ? [...state.arcJoints, role] : state.arcJoints.filter((one) => one !== role);
          state.arcs = true;
          keep("arcs", state.arcJoints.join());
          tell("view");
        },
      });
      box.checked = state.arcJoints.includes(role);
      return h("label", { for: `arc-${role}` }, box, t(role.replaceAll("_", " ")));
    });
    const made = h(
      "details",
      { toggle: () => (open = made.open) },
      h("summary", { "aria-label": t("Joints with an arc"), title: t("Joints with an arc") }, glyph("down")),
      h("div", { class: "menu", role: "group", "aria-label": t("Joints with an arc") }, ...boxes),
    );
    made.open = open;
    return made;
  };
  const reference = referenceMenu();
  const draw = () => {
    element.setAttribute("aria-label", t("Stage"));
    const puppet = state.part === "puppet";
    element.replaceChildren(
      h(
        "div",
        { class: "group", hidden: puppet, role: "group", "aria-label": t("View") },
        button("Side by side", "side", setView("side"), { pressed: state.view === "side" }),
        button("Overlay", "over", setView("over"), { pressed: state.view === "over" }),
        button("Result alone", "single", setView("result"), { pressed: state.view === "result" }),
      ),
      h(
        "div",
        { class: "group", role: "group", "aria-label": t("Camera") },
        button("Front view", "front", () => stage.frameAll(VIEWS.front), { key: "Num1" }),
        button("Side view", "profile", () => stage.frameAll(VIEWS.side), { key: "Num3" }),
        button("Back view", "back", () => stage.frameAll(VIEWS.back), { key: "Num9" }),
        button("Top view", "top", () => stage.frameAll(VIEWS.top), { key: "Num7" }),
        button("Frame the character", "frame", () => stage.frameAll(), { key: "F" }),
        button("Follow the body", "follow", toggle("follow"), { pressed: state.follow }),
      ),
      h(
        "div",
        { class: "group stage-menu", role: "group", "aria-label": t("Overlays") },
        button(puppet ? "Ghosts of the neighbouring keys" : "Onion skin", "onion", toggle("onion"), {
          pressed: state.onion,
          key: "O",
          id: "stage-onion",
        }),
        ...(puppet
          ? []
          : [
              button("Ghosts of the drawings around", "ghosts", toggle("ghosts"), { pressed: state.ghosts, key: "G" }),
              button("Arcs with a tick at every drawing", "arcs", toggle("arcs"), { pressed: state.arcs, key: "A" }),
              joints(),
            ]),
      ),
      reference.element,
      h(
        "div",
        { class: "group", role: "group", "aria-label": t("Save") },
        button("Save a still of the stage", "still", () => void still(stage)),
        recording === null
          ? button("Save a film of the stage", "film", () => void film(stage, progressed), { id: "stage-film" })
          : h(
              "button",
              { id: "stage-film", title: t("Stop"), "aria-label": t("Stop"), click: () => void film(stage, progressed) },
              `${Math.round(100 * recording)} %`,
            ),
      ),
    );
  };
  const progressed = (share: number | null) => {
    recording = share;
    keepingFocus(element, draw);
  };
  on(["language", "part", "view", "body"], () => keepingFocus(element, draw));
  // A menu is left by pressing anywhere else, or Escape.
  addEventListener("pointerdown", (event) => {
    for (const menu of element.querySelectorAll("details")) if (menu.open && !menu.contains(event.target as Node)) menu.open = false;
  });
  element.addEventListener("keydown", (event) => {
    const menu = element.querySelector<HTMLDetailsElement>("details[open]");
    if (event.key !== "Escape" || !menu) return;
    event.stopPropagation();
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
  draw();
  return element;
}
