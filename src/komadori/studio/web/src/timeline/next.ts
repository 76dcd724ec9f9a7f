// Which step comes next where nothing has been recorded yet.

/** As many keys as make a motion that is worth recording. */
const ENOUGH = 3;

/** The next step of a puppet that plays nothing; empty while it plays something. */
export function nextStep(keys: number, takes: number, plays: boolean): string {
  if (plays) return "";
  if (takes) return "Press ▶ beside a take to see it here, or R to record another";
  if (!keys) return "Nothing is recorded yet: make a pose on the stage and press K to keep it as a key";
  if (keys < ENOUGH) return "Move the pink handle, make another pose and press K; with three keys, press R to record";
  return "Press R and drag the pink handle: what you record appears here";
}
