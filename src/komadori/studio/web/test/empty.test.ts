import { describe, expect, it } from "vitest";
import { nextStep } from "../src/timeline/next";

describe("an empty puppet timeline", () => {
  it("names the step that comes next", () => {
    expect(nextStep(0, 0, false)).toContain("press K");
    expect(nextStep(1, 0, false)).toContain("make another pose");
    expect(nextStep(2, 0, false)).toContain("make another pose");
    expect(nextStep(3, 0, false)).toContain("Press R");
    expect(nextStep(3, 1, false)).toContain("▶");
  });

  it("says nothing over what plays", () => {
    expect(nextStep(3, 1, true)).toBe("");
    expect(nextStep(1, 0, true)).toBe("");
  });
});
