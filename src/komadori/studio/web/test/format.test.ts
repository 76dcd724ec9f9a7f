import { expect, it } from "vitest";
import { clipName, fileSize, motionName } from "../src/format";

it("sizes of files are kilobytes, then megabytes", () => {
  expect(fileSize(0)).toBe("0.0 kB");
  expect(fileSize(999_999)).toBe("1000.0 kB");
  expect(fileSize(1_000_000)).toBe("1.0 MB");
  expect(fileSize(12_345_678)).toBe("12.3 MB");
});

it("a clip is named by what stands behind the last #", () => {
  expect(clipName("sample:pitch")).toBe("");
  expect(clipName("character:horse#walk")).toBe("walk");
  expect(clipName("drop:ab/a#b.glb#Armature|Run")).toBe("Run");
});

it("a motion in a list has the item's name before the clip's", () => {
  expect(motionName("pitch", "sample:pitch")).toBe("pitch");
  expect(motionName("horse", "character:horse#walk")).toBe("horse · walk");
});
