import { expect, test } from "vitest";
import { applied, Told } from "../src/changes";
import type { Tell } from "../src/generated";

test("edits are put in, and what they do not touch stays the same", () => {
  const whole = { a: { b: [1, 2, 3], c: { d: 1 } }, e: { f: [{ g: 1 }, { g: 2 }] }, h: 5 };
  const after = applied(whole, [
    { path: ["a", "b"], value: [9], at: [1] },
    { path: ["e", "f", 1, "g"], value: 7 },
    { path: ["h"] },
    { path: ["i"], value: [] },
  ]) as typeof whole;
  expect(after).toEqual({ a: { b: [1, 9, 3], c: { d: 1 } }, e: { f: [{ g: 1 }, { g: 7 }] }, h: null, i: [] });
  expect(after.a.c).toBe(whole.a.c);
  expect(whole.a.b).toEqual([1, 2, 3]);
  expect(applied({ a: 1, b: 2 }, [{ path: ["a"], gone: true }])).toEqual({ b: 2 });
  expect(applied({ a: [1, 2, 3, 4] }, [{ path: ["a"], value: [7], cut: [1, 2] }])).toEqual({ a: [1, 7, 4] });
  expect(applied({ a: [1, 2] }, [{ path: ["a"], cut: [0, 2] }])).toEqual({ a: [] });
});

test("a message that changes one which never came is none", () => {
  const told = new Told();
  expect(told.message({ type: "changes", about: "scene", edits: [] })).toBeNull();
  const whole = { type: "optimum", part: "limited", revision: 1, optimum: 2, frames: [] } as Tell;
  expect(told.message(whole)).toBe(whole);
  expect(told.message({ type: "changes", about: "optimum limited", edits: [{ path: ["revision"], value: 2 }] })).toEqual({
    ...whole,
    revision: 2,
  });
});
