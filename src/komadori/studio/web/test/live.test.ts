import { describe, expect, it } from "vitest";
import { midiLever, placed } from "../src/levers";

describe("levers", () => {
  const along = { target: "x" as const, low: -1, high: 3 };

  it("puts a stick's middle in the middle, and its ends at the ends", () => {
    const stick = { ...along, control: "gamepad:axis:0:1" };
    expect(placed(stick, 0)).toBe(1);
    expect(placed(stick, 0.05)).toBe(1);
    expect(placed(stick, -1)).toBe(-1);
    expect(placed(stick, 1)).toBe(3);
  });

  it("puts a fader's ends at the ends, whatever is sent beyond them", () => {
    const fader = { ...along, control: "osc:/fader:0" };
    expect(placed(fader, 0)).toBe(-1);
    expect(placed(fader, 0.5)).toBe(1);
    expect(placed(fader, 40)).toBe(3);
  });

  it("reads control changes and notes of MIDI, and nothing else", () => {
    expect(midiLever(new Uint8Array([0xb2, 21, 127]))).toEqual({ control: "midi:2:21", value: 1 });
    expect(midiLever(new Uint8Array([0x90, 60, 64]))?.value).toBeGreaterThan(0.5);
    expect(midiLever(new Uint8Array([0x80, 60, 64]))).toEqual({ control: "midi-note:0:60", value: 0 });
    expect(midiLever(new Uint8Array([0xf8]))).toBeNull();
    expect(midiLever(new Uint8Array([0xe0, 1, 2]))).toBeNull();
    expect(midiLever(null)).toBeNull();
  });
});
