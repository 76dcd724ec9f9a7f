// What a lever's value means: sticks, faders, MIDI messages.

import type { Control } from "./generated";

/** A stick that is let go does not come back to zero exactly. */
const DEAD = 0.08;

/** Where between `low` and `high` a lever stands: sticks go from -1 to 1, others from 0 to 1. */
export function placed(control: Control, value: number): number {
  const part = control.control.startsWith("gamepad:axis") ? 0.5 + 0.5 * (Math.abs(value) < DEAD ? 0 : value) : value;
  return control.low + Math.min(1, Math.max(0, part)) * (control.high - control.low);
}

/** A MIDI message's lever and its value from 0 to 1: control changes, and notes as buttons. Null for all others. */
export function midiLever(data: Uint8Array | null): { control: string; value: number } | null {
  if (!data || data.length < 3) return null;
  const [status = 0, number = 0, value = 0] = data;
  const kind = status & 0xf0;
  if (kind === 0xb0) return { control: `midi:${status & 15}:${number}`, value: value / 127 };
  if (kind === 0x90 || kind === 0x80) return { control: `midi-note:${status & 15}:${number}`, value: kind === 0x90 ? value / 127 : 0 };
  return null;
}
