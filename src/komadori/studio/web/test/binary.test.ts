import { describe, expect, it } from "vitest";
import { at, placeAt } from "../src/arrays";
import { packedHand, unpacked, unpackedAs } from "../src/binary";
import { HAND_INPUT, HAND_KIND } from "../src/generated";

/** A message as the server packs it. */
function packed(header: object, ...arrays: (Float32Array | Int32Array)[]): ArrayBuffer {
  let text = JSON.stringify(header);
  while (new TextEncoder().encode(text).length % 4) text += " ";
  const line = new TextEncoder().encode(text);
  const size = arrays.reduce((sum, array) => sum + array.byteLength, 4 + line.length);
  const bytes = new Uint8Array(size);
  new DataView(bytes.buffer).setUint32(0, line.length, true);
  bytes.set(line, 4);
  let place = 4 + line.length;
  for (const array of arrays) {
    bytes.set(new Uint8Array(array.buffer), place);
    place += array.byteLength;
  }
  return bytes.buffer;
}

const SPRINGS = packed(
  {
    type: "springs",
    arrays: [
      { name: "joints", kind: "i32", shape: [2] },
      { name: "rotations", kind: "f32", shape: [1, 2, 4] },
    ],
  },
  new Int32Array([3, 9]),
  new Float32Array([0, 0, 0, 1, 0.5, 0.5, 0.5, 0.5]),
);

describe("a binary message", () => {
  it("has its arrays as fields beside the others", () => {
    const found = unpacked(SPRINGS);
    if (found.type !== "springs") throw new Error(found.type);
    expect([...found.joints.data]).toEqual([3, 9]);
    expect(found.rotations.shape).toEqual([1, 2, 4]);
    expect(found.rotations.data).toBeInstanceOf(Float32Array);
    expect([...found.rotations.data.slice(4)]).toEqual([0.5, 0.5, 0.5, 0.5]);
    expect(found).not.toHaveProperty("arrays");
  });

  it("is refused where another is expected", () => {
    expect(unpackedAs("springs", SPRINGS).joints.shape).toEqual([2]);
    expect(() => unpackedAs("motion", SPRINGS)).toThrow("expected arrays of type motion, found springs");
  });

  it("may hold empty arrays, and letters of several bytes", () => {
    const found = unpacked(packed({ type: "hair_turns", é: "桜", arrays: [{ name: "joints", kind: "i32", shape: [0] }] }));
    expect(found).toMatchObject({ type: "hair_turns", é: "桜", joints: { shape: [0] } });
  });

  it("of the hand is its numbers in the order of the fields", () => {
    const input = { kind: HAND_KIND.pull, serial: 7, which: 21, x: 0.5, y: 1.5, z: -2, seconds: 3, frame: 16 };
    expect([...packedHand(input)]).toEqual(HAND_INPUT.map((name) => input[name]));
    expect(packedHand(input).byteLength).toBe(4 * HAND_INPUT.length);
  });
});

describe("looking into a list", () => {
  it("gives what is there, and says what is not", () => {
    expect(at([4, 5], 1)).toBe(5);
    expect(at(new Float32Array([0]), 0)).toBe(0);
    expect(() => at([4, 5], 2)).toThrow("there is no 2 in a list of 2");
    expect(placeAt([0, 0, 0, 1, 2, 3], 1)).toEqual([1, 2, 3]);
    expect(() => placeAt([0, 0, 0], 1)).toThrow(RangeError);
  });
});
