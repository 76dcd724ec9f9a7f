// Messages that come as what is different in them: put together with what the page has had before.

import type { ChangesUpdate, Edit, Tell } from "./generated";

/** What was told before, by what it is about. */
export class Told {
  private readonly whole = new Map<string, unknown>();

  /** The message with all that it says; `null` where it changes one that never came. */
  message(given: Tell): Tell | null {
    if (given.type !== "changes") {
      this.whole.set(aboutOf(given), given);
      return given;
    }
    const before = this.whole.get(given.about);
    if (before === undefined) return null;
    const after = applied(before, given.edits);
    this.whole.set(given.about, after);
    return after as Tell;
  }
}

function aboutOf(message: Exclude<Tell, ChangesUpdate>): string {
  return "part" in message ? `${message.type} ${message.part}`.trim() : message.type;
}

/** `whole` with the edits; what they do not touch is the same objects as before. */
export function applied(whole: unknown, edits: Edit[]): unknown {
  return edits.reduce((before, edit) => put(before, edit.path, edit), whole);
}

function put(whole: unknown, path: (string | number)[], edit: Edit): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return changed(whole, edit);
  if (Array.isArray(whole)) {
    const copy = [...(whole as unknown[])];
    copy[Number(first)] = put(copy[Number(first)], rest, edit);
    return copy;
  }
  const copy = { ...(whole as Record<string, unknown>) };
  if (!rest.length && edit.gone) delete copy[first];
  else copy[first] = put(copy[first], rest, edit);
  return copy;
}

function changed(there: unknown, { value, at, cut }: Edit): unknown {
  const given = (value ?? []) as unknown[];
  if (at) {
    const copy = [...(there as unknown[])];
    at.forEach((place, n) => {
      copy[place] = given[n];
    });
    return copy;
  }
  if (cut) {
    const old = there as unknown[];
    return [...old.slice(0, cut[0]), ...given, ...old.slice(cut[0] + cut[1])];
  }
  return value ?? null;
}
