// Which rows the timeline has in a part, and where: one list from which the canvas and the names beside it are drawn.

import { shotOf, state } from "../state";

export type RowName = "spacing" | "body" | "hair" | "handle" | "takes" | "contacts" | "sound";

export interface Row {
  name: RowName;
  top: number;
  height: number;
}

export const RULER = 18;
const GAP = 6;
/** Usual heights, and what of the height that a person adds goes to a row. */
const ROWS: Record<RowName, { height: number; grows: number }> = {
  spacing: { height: 58, grows: 1 },
  body: { height: 30, grows: 0 },
  hair: { height: 22, grows: 0 },
  handle: { height: 58, grows: 1 },
  takes: { height: 26, grows: 0 },
  contacts: { height: 94, grows: 1 },
  sound: { height: 34, grows: 1 },
};

function names(): RowName[] {
  const sound: RowName[] = shotOf().sound ? ["sound"] : [];
  if (state.part === "translate") return ["contacts", ...sound];
  if (state.part === "puppet") return ["handle", "takes", ...sound];
  const hair: RowName[] = state.body?.chains.length ? ["hair"] : [];
  // The spacing is of the methods that measure it.
  const spacing: RowName[] = state.part === "limited" || state.part === "keyposes" ? ["spacing"] : [];
  return [...spacing, "body", ...hair, ...sound];
}

/** The rows from top to bottom; `more` is what a person added to (or took from) the usual height. */
export function rowsNow(more: number): Row[] {
  const shown = names();
  const growing = shown.reduce((sum, name) => sum + ROWS[name].grows, 0);
  let top = RULER;
  return shown.map((name, n) => {
    const { height: usual, grows } = ROWS[name];
    const height = Math.max(16, usual + (growing ? (more * grows) / growing : 0));
    const row = { name, top, height };
    top += height + (n === 0 ? GAP : 4);
    return row;
  });
}

export function heightOf(rows: Row[]): number {
  const last = rows.at(-1);
  return last ? last.top + last.height + 4 : RULER;
}
