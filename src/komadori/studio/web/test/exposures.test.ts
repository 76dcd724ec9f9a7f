import { describe, expect, it } from "vitest";
import {
  drawingNumber,
  drawingsAround,
  edgeWithin,
  largestOf,
  rulerStep,
  runAt,
  runsBetween,
  stepped,
  within,
  zoomed,
} from "../src/timeline/exposures";

/** Four drawings: on threes, on ones, on fours, on twos. */
const SHEET = [0, 0, 0, 5, 8, 8, 8, 8, 2, 2];

describe("runs of a sheet", () => {
  it("are found from any of their frames", () => {
    for (const frame of [4, 5, 6, 7]) expect(runAt(SHEET, frame)).toEqual({ start: 4, end: 8 });
    expect(runAt(SHEET, 3)).toEqual({ start: 3, end: 4 });
    expect(runAt(SHEET, 9)).toEqual({ start: 8, end: 10 });
  });

  it("are numbered from 1", () => {
    expect(SHEET.map((_, frame) => drawingNumber(SHEET, frame))).toEqual([1, 1, 1, 2, 3, 3, 3, 3, 4, 4]);
    expect(drawingNumber([], 0)).toBe(0);
  });

  it("cover the whole sheet once, wherever one looks", () => {
    const all = [...runsBetween(SHEET, 0, SHEET.length)];
    expect(all.map(({ start }) => start)).toEqual([0, 3, 4, 8]);
    for (let first = 0; first < SHEET.length; first++) {
      for (let last = first + 1; last <= SHEET.length; last++) {
        const seen = [...runsBetween(SHEET, first, last)];
        expect(seen).toEqual(all.filter(({ start, end }) => end > first && start < last));
      }
    }
    expect([...runsBetween(SHEET, 40, 50)]).toEqual([]);
    expect([...runsBetween([], 0, 5)]).toEqual([]);
  });

  it("tell one drawing from the next where a source frame comes back", () => {
    expect(drawingNumber([1, 2, 1], 2)).toBe(3);
  });
});

describe("an edge that is dragged", () => {
  it("stops where a neighbour would vanish", () => {
    expect(edgeWithin(SHEET, 4, 0)).toBe(4);
    expect(edgeWithin(SHEET, 8, 2)).toBe(5);
    expect(edgeWithin(SHEET, 8, 99)).toBe(9);
    expect(edgeWithin(SHEET, 3, 1)).toBe(1);
  });

  it("leaves both drawings at least a frame, and stays between them", () => {
    for (const edge of [3, 4, 8]) {
      const [before, after] = [runAt(SHEET, edge - 1), runAt(SHEET, edge)];
      for (let to = -3; to < 15; to++) {
        const found = edgeWithin(SHEET, edge, to);
        expect(found).toBeGreaterThan(before.start);
        expect(found).toBeLessThan(after.end);
      }
    }
  });
});

describe("going from drawing to drawing", () => {
  it("lands where one begins", () => {
    expect(stepped(SHEET, 0, 1)).toBe(3);
    expect(stepped(SHEET, 5, 1)).toBe(8);
    expect(stepped(SHEET, 5, -1)).toBe(4);
    expect(stepped(SHEET, 4, -1)).toBe(3);
    expect(stepped(SHEET, 9, 1)).toBe(10);
    expect(stepped(SHEET, 0, -1)).toBe(-1);
  });

  it("shows different neighbours in the onion skin, and none beyond the ends", () => {
    expect(drawingsAround(SHEET, 5, 2)).toEqual([5, 0, 2, -1]);
    expect(drawingsAround(SHEET, 0, 2)).toEqual([-1, -1, 5, 8]);
    expect(drawingsAround([7], 0, 1)).toEqual([-1, -1]);
  });
});

describe("the window of the timeline", () => {
  it("never shows anything beyond the sheet", () => {
    expect(within({ scale: 0, first: 0 }, 500, 100)).toEqual({ scale: 5, first: 0 });
    expect(within({ scale: 10, first: 90 }, 500, 100)).toEqual({ scale: 10, first: 50 });
    expect(within({ scale: 10, first: -4 }, 500, 100)).toEqual({ scale: 10, first: 0 });
  });

  it("keeps the frame under the pointer while it zooms", () => {
    const before = { scale: 10, first: 20 };
    const after = zoomed(before, 200, 1.5, 500, 100);
    expect(after.scale).toBe(15);
    expect(200 / after.scale + after.first).toBeCloseTo(200 / before.scale + before.first);
    expect(zoomed(before, 200, 1e6, 500, 100).scale).toBe(60);
    expect(zoomed(before, 200, 1e-6, 500, 100)).toEqual({ scale: 5, first: 0 });
  });

  it("has marks that do not run into each other", () => {
    expect(rulerStep(50, 44)).toBe(1);
    expect(rulerStep(2, 44)).toBe(24);
    expect(rulerStep(1e-5, 44)).toBe(48000);
  });

  it("finds the largest of lists too long to be spread", () => {
    const long = Array.from({ length: 400_000 }, (_, n) => n % 1000);
    expect(largestOf(1e-12, long, [7])).toBe(999);
    expect(largestOf(1e-12)).toBe(1e-12);
  });
});
