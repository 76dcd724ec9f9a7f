// The arithmetic of an exposure sheet: a list that tells for every output frame which source frame it shows.

/** The most pixels that a frame is wide. */
const NEAREST = 60;

export interface Run {
  /** First frame, and the one after the last. */
  start: number;
  end: number;
  /** Which drawing it is, from 1. */
  number: number;
}

/** The run of frames that shows the same drawing as `frame`. */
export function runAt(source: number[], frame: number): { start: number; end: number } {
  let start = frame;
  while (start > 0 && source[start - 1] === source[frame]) start--;
  let end = frame + 1;
  while (end < source.length && source[end] === source[frame]) end++;
  return { start, end };
}

/** The number, from 1, of the drawing that is shown at `frame`; 0 before the first. */
export function drawingNumber(source: number[], frame: number): number {
  return numbersOf(source)[Math.min(frame, source.length - 1)] ?? 0;
}

const numbered = new WeakMap<number[], Int32Array>();

/** The drawing's number at every frame, counted once for a sheet. */
function numbersOf(source: number[]): Int32Array {
  const known = numbered.get(source);
  if (known) return known;
  const numbers = new Int32Array(source.length);
  let number = 0;
  for (let f = 0; f < source.length; f++) {
    if (f === 0 || source[f] !== source[f - 1]) number++;
    numbers[f] = number;
  }
  numbered.set(source, numbers);
  return numbers;
}

/** The runs that are seen between two frames. */
export function* runsBetween(source: number[], first: number, last: number): Generator<Run> {
  if (first >= source.length) return;
  let { start } = runAt(source, Math.max(0, first));
  let number = drawingNumber(source, start);
  while (start < Math.min(last, source.length)) {
    const { end } = runAt(source, start);
    yield { start, end, number: number++ };
    start = end;
  }
}

/** Where the edge before the drawing at `edge` may go when it is drawn to `to`: its neighbours keep one frame each. */
export function edgeWithin(source: number[], edge: number, to: number): number {
  const before = runAt(source, edge - 1);
  const after = runAt(source, edge);
  return Math.max(before.start + 1, Math.min(after.end - 1, to));
}

/** Where the drawing that begins at `start` may go when it is drawn to `to`, as long as it is: its neighbours keep one frame each. */
export function slideWithin(source: number[], start: number, to: number): number {
  const { end } = runAt(source, start);
  if (start === 0 || end === source.length) return start;
  const low = runAt(source, start - 1).start + 1;
  const high = runAt(source, end).end - 1 - (end - start);
  return Math.max(low, Math.min(high, to));
}

/** The frame at which the next (or previous) drawing begins, seen from `frame`; beyond the sheet if there is none. */
export function stepped(source: number[], frame: number, direction: 1 | -1): number {
  let at = frame + direction;
  while (at > 0 && at < source.length && source[at] === source[at - 1]) at += direction;
  return at;
}

/** The `count` different drawings before the one at `frame` (nearest first), then those after it; -1 if there is none. */
export function drawingsAround(source: number[], frame: number, count: number): number[] {
  const side = (step: 1 | -1): number[] => {
    const found: number[] = [];
    let last = source[frame];
    for (let f = frame + step; found.length < count; f += step) {
      const drawing = source[f];
      if (drawing === undefined) break;
      if (drawing !== last) found.push(drawing);
      last = drawing;
    }
    return [...found, ...Array<number>(count - found.length).fill(-1)];
  };
  return [...side(-1), ...side(1)];
}

/** Frames between two marks of the ruler, so that they are at least `apart` pixels from each other; `scale` is pixels per frame. */
export function rulerStep(scale: number, apart: number): number {
  return [1, 2, 6, 12, 24, 48, 120, 240, 720, 2400, 12000].find((n) => n * scale >= apart) ?? 48000;
}

/** The largest of a list, or `least` if that is more; lists may be too long to be spread. */
export function largestOf(least: number, ...lists: number[][]): number {
  return lists.reduce((most, list) => list.reduce((a, b) => Math.max(a, b), most), least);
}

/** What of the timeline is seen: pixels per frame, and the first frame. */
export interface Window {
  scale: number;
  first: number;
}

/** The window within `count` frames on `width` pixels: it shows no more than all of them, and nothing beyond. */
export function within({ scale, first }: Window, width: number, count: number): Window {
  const wide = Math.max(scale, Math.min(NEAREST, width / count));
  return { scale: wide, first: Math.max(0, Math.min(first, count - width / wide)) };
}

/** The window moved so that `frame` is seen: it comes in near the side from which it came. */
export function revealed({ scale, first }: Window, frame: number, width: number, count: number): Window {
  const seen = width / scale;
  if (frame >= first && frame + 1 <= first + seen) return { scale, first };
  return within({ scale, first: frame < first ? frame - 0.9 * seen + 1 : frame - 0.1 * seen }, width, count);
}

/** The window `factor` times as near, the frame at pixel `x` staying where it is. */
export function zoomed({ scale, first }: Window, x: number, factor: number, width: number, count: number): Window {
  const nearer = Math.max(Math.min(NEAREST, width / count), Math.min(NEAREST, scale * factor));
  return within({ scale: nearer, first: x / scale + first - x / nearer }, width, count);
}
