// What hands and keys do to the exposure sheet: each is one message, and one step of undo.

import type { Ask } from "../generated";
import { gestureOf } from "../shot";
import { methodOf, ownSheet, select, sheet, sheetAnswer, sheetPart, state } from "../state";
import { lockedOf } from "./drawing";
import { runAt } from "./exposures";

export type SimpleEdit = "insert" | "delete" | "pin" | "reset" | "lock" | "unlock";

/** Whether frames of the part that is open can be pinned. */
export function canPin(): boolean {
  return methodOf(state.part)?.parameters.some(({ name }) => name === "pins") ?? false;
}

/** Whether a hand has set the drawing at `frame`, so that it stays when the method makes another sheet. */
export function isLocked(frame: number): boolean {
  const { start, end } = runAt(sheet(), Math.min(frame, sheet().length - 1));
  return lockedOf(sheetAnswer()).some(([first, last]) => first < end && last > start);
}

export class Editing {
  constructor(private readonly ask: (message: Ask) => void) {}

  edit(edit: SimpleEdit): void {
    const part = sheetPart();
    if (edit === "pin" && !canPin()) return;
    if (!part) return;
    // What is selected is locked together; everything else is about the playhead.
    const [frame, to] = state.selection && (edit === "lock" || edit === "unlock") ? state.selection : [state.frame, 0];
    this.ask({ type: "sheet", part, edit, frame: Math.min(frame, ownSheet().length - 1), to });
  }

  /** The range that an edit is about: what is selected, or the drawing at the playhead. */
  range(): [number, number] {
    if (state.selection) return state.selection;
    const source = ownSheet();
    const { start, end } = runAt(source, Math.min(state.frame, source.length - 1));
    return [start, end];
  }

  /** The selected frames on ones, twos or threes; without a selection all of them. */
  on(step: number): void {
    const part = sheetPart();
    const [frame, to] = state.selection ?? [0, ownSheet().length];
    if (part) this.ask({ type: "sheet", part, edit: "on", frame, to, step, gesture: gestureOf("on") });
  }

  copy(): void {
    const [first, last] = this.range();
    state.copied = ownSheet().slice(first, last);
    select([first, last]);
  }

  /** What was copied is shown from the playhead on, in place of what is there. */
  paste(): void {
    const part = sheetPart();
    if (!part || !state.copied.length) return;
    this.ask({ type: "sheet", part, edit: "paste", frame: state.frame, shown: state.copied, gesture: gestureOf("paste") });
    select([state.frame, state.frame + state.copied.length]);
  }

  /** The selection with one frame more or less, as by Shift and an arrow. */
  extend(way: 1 | -1): void {
    const at = state.selection ?? [state.frame, state.frame + 1];
    select([at[0], Math.max(at[0] + 1, at[1] + way)]);
  }
}
