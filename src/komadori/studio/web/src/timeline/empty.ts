// What stands in a timeline that has nothing to show yet: what to do next, in the place where it will appear.

import { h } from "../dom";
import { on, state } from "../state";
import { t } from "../words";
import { nextStep } from "./next";

export function emptyTimeline(): HTMLElement {
  const element = h("p", { class: "empty", role: "status" });
  const renew = (): void => {
    const puppet = state.part === "puppet" ? state.told?.scene.puppet : undefined;
    const step = puppet && state.puppet ? nextStep(puppet.keys.length, puppet.takes.length, state.puppet.motion !== "") : "";
    element.hidden = !step;
    const said = step && t(step);
    if (element.textContent !== said) element.textContent = said;
  };
  on(["scene", "answer", "part", "language"], renew);
  renew();
  return element;
}
