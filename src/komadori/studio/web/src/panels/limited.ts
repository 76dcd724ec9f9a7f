// Limited animation: what the sheet that is shown, edited by hand or not, comes to.

import { state } from "../state";
import { t } from "../words";
import type { PanelHook } from "./method";

export const limitedHook: PanelHook = {
  first: ["omit", "hold", "max_exposures", "solver", "keep_length", "contacts"],
  rows: () => {
    const answer = state.limited;
    if (!answer) return null;
    const best = state.optimum.limited;
    const known = best && best.revision === answer.revision && best.optimum > 0;
    return [
      [t("drawings shown"), `${answer.drawings} / ${state.body?.frames ?? 0}`],
      [t("omitted"), String(answer.omitted)],
      [t("held"), String(answer.held)],
      [t("error"), `${answer.error.toPrecision(3)} m²`],
      ...(known ? [[t("times the optimum"), (answer.error / best.optimum).toFixed(3)] as [string, string]] : []),
    ];
  },
};
