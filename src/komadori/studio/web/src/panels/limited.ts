// Limited animation: what the sheet that is shown, edited by hand or not, comes to, and the view in which steps count.

import { h } from "../dom";
import { editShot } from "../shot";
import type { Stage } from "../stage/stage";
import { shotOf, state } from "../state";
import { t } from "../words";
import { besideBest, type PanelHook } from "./method";

export function limitedHook(stage: Stage): PanelHook {
  const box = h("input", { type: "checkbox", id: "limited-view", change: () => editShot({ view: box.checked ? stage.view() : null }) });
  const label = h("label", { for: "limited-view" });
  const again = h("button", { id: "limited-view-again", click: () => editShot({ view: stage.view() }) });
  const seen = h("div", { class: "row seen" }, h("span", { class: "check" }, box, label), again);
  return {
    first: ["omit", "hold", "max_exposures", "keep_length"],
    values: () => (state.limited ? { omit: state.limited.omitted, hold: state.limited.held } : {}) as Record<string, number>,
    above: {
      elements: [seen],
      draw: () => {
        const { view } = shotOf();
        label.textContent = t("Measure in the picture");
        seen.title = t("What counts is how far a joint goes in the picture from this view, not in the world");
        again.textContent = t("Take this view");
        box.checked = view !== null;
        again.hidden = view === null;
      },
    },
    rows: () => {
      const answer = state.limited;
      if (!answer) return null;
      const best = state.optimum.limited;
      const known = best && best.revision === answer.revision ? best.optimum : 0;
      return [
        [t("drawings shown"), `${answer.drawings} / ${state.body?.frames ?? 0}`],
        [t("omitted"), String(answer.omitted)],
        [t("held"), String(answer.held)],
        [
          t("away from the captured motion"),
          `${answer.error.toPrecision(3)}${shotOf().view ? "" : " m²"}`,
          t("What the held drawings change: squared distances of all joints, summed over all frames"),
        ],
        ...besideBest(answer.error, known),
      ];
    },
  };
}
