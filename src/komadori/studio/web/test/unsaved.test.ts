import { expect, test } from "vitest";
import type { Ask } from "../src/generated";
import { Unsaved } from "../src/unsaved";

const change = (omit: number): Ask => ({ type: "change", part: "limited", options: { omit } });
const insert: Ask = { type: "sheet", part: "limited", edit: "insert", frame: 3 };

test("an edit is unheard until it is answered, and kept until it is safe", () => {
  const unsaved = new Unsaved();
  unsaved.goes({ type: "watch", part: "limited" });
  unsaved.goes(change(5));
  unsaved.goes(change(6));
  expect(unsaved.unheard).toBe(2);
  unsaved.answered(2);
  expect(unsaved.unheard).toBe(1);
  unsaved.answered(3);
  expect(unsaved.unheard).toBe(0);
  unsaved.safe(2);
  unsaved.opened();
  unsaved.goes({ type: "watch", part: "limited" });
  expect(unsaved.again(false)).toEqual({ asks: [change(6)], lost: 0 });
  expect(unsaved.again(false)).toEqual({ asks: [], lost: 0 });
});

test("to the same run only what it did not hear is said again", () => {
  const unsaved = new Unsaved();
  unsaved.goes(change(5));
  unsaved.goes(insert);
  unsaved.answered(1);
  unsaved.opened();
  expect(unsaved.again(true)).toEqual({ asks: [], lost: 1 });
});

test("sliders wait for a line, what depends on the moment does not", () => {
  const unsaved = new Unsaved();
  expect(unsaved.waits(insert)).toBe(false);
  expect(unsaved.waits({ type: "undo" })).toBe(false);
  for (const omit of [5, 6, 7]) expect(unsaved.waits(change(omit))).toBe(true);
  expect(unsaved.waits({ type: "change", part: "limited", options: { hold: 3 } })).toBe(true);
  expect(unsaved.waiting).toBe(1);
  expect(unsaved.again(true).asks).toEqual([{ type: "change", part: "limited", options: { omit: 7, hold: 3 } }]);
});
