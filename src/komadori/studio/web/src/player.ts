// Playing by the clock, from where one is: between the in and out points, faster or slower, round and round or forth and back.

import { playRange, state, tell } from "./state";

let began = 0;
let from = 0;

export function play(): void {
  if (state.playing) {
    pause();
    return;
  }
  const [first, last] = playRange();
  state.playing = true;
  began = performance.now();
  from = state.frame >= last - 1 || state.frame < first ? first : state.frame;
  tell("playing");
}

export function pause(): void {
  if (!state.playing) return;
  state.playing = false;
  tell("playing");
}

/** The frame that is shown `passed` frames after `start`, in a range that is played again and again; null if it has ended. */
export function frameAfter(start: number, passed: number, [first, last]: [number, number], loop: boolean, bounce: boolean): number | null {
  const count = last - first;
  const at = start - first + Math.max(0, passed);
  if (at < count) return first + at;
  if (!loop) return null;
  if (!bounce || count < 2) return first + (at % count);
  const round = 2 * (count - 1);
  const turn = at % round;
  return first + (turn < count ? turn : round - turn);
}

/** Called before every picture: moves the frame on by the clock. */
export function advance(time: number): boolean {
  if (!state.playing) return false;
  const range = playRange();
  const passed = Math.floor(((time - began) / 1000) * (state.body?.fps ?? 24) * state.speed);
  const frame = frameAfter(from, passed, range, state.loop, state.bounce);
  if (frame === null) {
    state.frame = range[1] - 1;
    pause();
    tell("frame");
    return true;
  }
  if (frame === state.frame) return false;
  state.frame = frame;
  tell("frame");
  return true;
}

/** A jump while playing, or another speed: the clock starts again from there. */
export function jumped(): void {
  began = performance.now();
  from = state.frame;
}
