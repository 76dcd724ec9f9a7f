// Changes of the shot: what is played, and what it is timed against.

import { drop } from "./connection";
import { renewShelf } from "./files";
import type { Ask, Reference, Shot, Sound } from "./generated";
import { shotOf, state, trouble } from "./state";

let ask: (message: Ask) => void = () => undefined;
let gestures = 0;

export function listenToShot(asking: (message: Ask) => void): void {
  ask = asking;
}

export function gestureOf(kind: string): string {
  return `${kind} ${++gestures} ${Date.now()}`;
}

export function editShot(change: Partial<Shot>, gesture = ""): void {
  ask({ type: "shot", shot: { ...shotOf(), ...change }, fields: Object.keys(change) as (keyof Shot)[], gesture });
}

export function editSound(change: Partial<Sound>, gesture = ""): void {
  const { sound } = shotOf();
  if (sound) editShot({ sound: { ...sound, ...change } }, gesture);
}

export function editReference(change: Partial<Reference>, gesture = ""): void {
  const { reference } = shotOf();
  if (reference) editShot({ reference: { ...reference, ...change } }, gesture);
}

/** The in or out point is where the playhead is; a point beyond the other takes it along. */
export function setIn(): void {
  const { last } = shotOf();
  editShot({ first: state.frame, ...(last !== null && last <= state.frame ? { last: null } : {}) });
}

export function setOut(): void {
  const { first } = shotOf();
  editShot({ last: state.frame + 1, ...(first !== null && first > state.frame ? { first: null } : {}) });
}

export function toggleCel(cel: "body" | "hair"): void {
  const { muted } = shotOf();
  editShot({ muted: muted.includes(cel) ? muted.filter((one) => one !== cel) : [...muted, cel] });
}

export const MEDIA = /\.(wav|mp3|ogg|flac|m4a|mp4|m4v|mov|webm|png|jpe?g|webp)$/i;

/** Sounds, films and stills go under the timeline or the stage; false if there were none among the files. */
export async function takeMedia(files: { name: string; file: File }[]): Promise<boolean> {
  if (!files.length || !files.every(({ name }) => MEDIA.test(name))) return false;
  document.body.classList.add("busy");
  try {
    const { items, troubles } = await drop(files, state.part);
    for (const { en, ja } of troubles) trouble(en, "drop", ja);
    const sound = items.find(({ media }) => media === "sound");
    const seen = items.find(({ media }) => media === "film" || media === "stills");
    const change: Partial<Shot> = {};
    if (sound) change.sound = { key: sound.key, start: 0, muted: false };
    if (seen) change.reference = { key: seen.key, opacity: 0.6, offset_s: 0, rate: 1, scale: 1, x: 0, y: 0 };
    if (sound || seen) editShot(change);
    await renewShelf();
  } catch (error) {
    trouble((error as Error).message, "drop");
  } finally {
    document.body.classList.remove("busy");
  }
  return true;
}
