// The cels of the sheet: the body's drawings, and the hair's, which are drawn on their own clock.

import { ownSheet, sheet, shotOf, state } from "../state";
import { type Cells, pinsOf } from "./drawing";

const none = new Set<number>();

export function bodyCells(): Cells {
  return {
    source: state.part === "hair" ? sheet() : ownSheet(),
    cycle: 0,
    pinned: new Set(pinsOf(state.part)),
    keys: new Set(state.part === "keyposes" ? (state.keyposes?.frames ?? []) : []),
    muted: shotOf().muted.includes("body"),
  };
}

let kept: { step: number; count: number; source: number[] } = { step: 0, count: 0, source: [] };

/** How many frames a drawing of the hair stays. */
export function hairStep(): number {
  const on = state.told?.scene.hair.options.on;
  return state.hair?.step ?? (typeof on === "number" ? on : 1);
}

export function hairCells(shown: boolean): Cells {
  const step = hairStep();
  const count = sheet().length;
  if (kept.step !== step || kept.count !== count)
    kept = { step, count, source: Array.from({ length: count }, (_, frame) => frame - (frame % step)) };
  return { source: kept.source, cycle: state.hair?.drawings ?? 0, pinned: none, keys: none, muted: !shown };
}
