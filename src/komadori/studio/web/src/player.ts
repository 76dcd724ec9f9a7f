// Playing: 24 frames a second by the clock, from where one is.

import { length, state, tell } from "./state";

let began = 0;
let from = 0;

export function play(): void {
  if (state.playing) {
    pause();
    return;
  }
  state.playing = true;
  began = performance.now();
  from = state.frame >= length() - 1 ? 0 : state.frame;
  tell("playing");
}

export function pause(): void {
  state.playing = false;
  tell("playing");
}

/** Called before every picture: moves the frame on by the clock. */
export function advance(time: number): boolean {
  if (!state.playing) return false;
  const count = length();
  const passed = Math.floor(((time - began) / 1000) * (state.body?.fps ?? 24));
  let frame = from + Math.max(0, passed);
  if (frame >= count) {
    if (!state.loop) {
      state.frame = count - 1;
      pause();
      tell("frame");
      return true;
    }
    frame %= count;
  }
  if (frame === state.frame) return false;
  state.frame = frame;
  tell("frame");
  return true;
}

/** A jump while playing: the clock starts again from there. */
export function jumped(): void {
  began = performance.now();
  from = state.frame;
}
