// The tracks of the timeline, each drawn into its row. Only what is seen is drawn, and never more than a mark per pixel.

import { at } from "../arrays";
import type { MethodUpdate, PuppetPart } from "../generated";
import { optionsOf, playRange, state } from "../state";
import { colour } from "../theme";
import { largestOf, rulerStep, runsBetween } from "./exposures";
import { type Row, RULER } from "./layout";
import type { SoundTrack } from "./sound";

const MARKS = 44;
/** Pixels per frame below which single drawings are not told apart. */
const DENSE = 2;

/** What is seen: pixels, and where frames are in them. */
export interface Seen {
  width: number;
  height: number;
  scale: number;
  first: number;
  x: (frame: number) => number;
}

type Pen = CanvasRenderingContext2D;

/** First and last frame (not included) that are seen of `count`. */
function span({ first, width, scale }: Seen, count: number): [number, number] {
  return [Math.max(0, Math.floor(first)), Math.min(count, Math.ceil(first + width / scale) + 1)];
}

export function drawRuler(pen: Pen, seen: Seen, count: number): void {
  const { width, height, scale, first, x } = seen;
  pen.font = "10px system-ui, sans-serif";
  pen.textAlign = "start";
  const every = rulerStep(scale, MARKS);
  for (let frame = Math.floor(first / every) * every; frame < count; frame += every) {
    const left = x(frame);
    if (left > width) break;
    pen.fillStyle = colour("soft");
    pen.fillText(String(frame + 1), left + 3, 11);
    pen.fillStyle = colour("lane-line");
    pen.fillRect(left, 0, 1, height);
  }
  const [from, to] = playRange();
  if (from === 0 && to === count) return;
  // What is not played is veiled.
  pen.fillStyle = colour("ground");
  pen.globalAlpha = 0.65;
  pen.fillRect(0, 0, x(from), height);
  pen.fillRect(x(to), 0, width - x(to), height);
  pen.globalAlpha = 1;
  pen.fillStyle = colour("on");
  pen.fillRect(x(from), 0, Math.max(2, x(to) - x(from)), 2);
  pen.fillRect(x(from), 0, 2, RULER);
  pen.fillRect(x(to) - 2, 0, 2, RULER);
}

/** Bars of what is shown, a line of the motion itself, and dots where in-betweens were omitted. */
export function drawSpacing(pen: Pen, seen: Seen, row: Row): void {
  const base = row.top + row.height;
  if (state.part === "keyposes" && state.keyposes) {
    // How far every frame is from the polyline of the keys.
    const { distances } = state.keyposes;
    const worst = largestOf(1e-12, distances);
    pen.fillStyle = colour("curve");
    bars(pen, { ...seen, x: (frame) => seen.x(frame - 1) }, distances, (far) => row.height * (far / worst), base);
  }
  const answer = state.limited;
  if (!answer || state.part !== "limited") return;
  const largest = largestOf(1e-12, answer.steps_before, answer.steps_after);
  const tall = (step: number) => row.height * Math.sqrt(step / largest);
  pen.fillStyle = colour("curve");
  bars(pen, seen, answer.steps_after, (step) => tall(step), base);
  pen.strokeStyle = colour("curve-ink");
  pen.lineWidth = 1.2;
  pen.beginPath();
  const [from, to] = span(seen, answer.steps_before.length);
  const each = Math.max(1, Math.floor(1 / seen.scale));
  for (let n = from; n < to; n += each) pen.lineTo(seen.x(n + 1.5), base - tall(most(answer.steps_before, n, n + each)));
  pen.stroke();
  pen.fillStyle = colour("strong");
  for (const frame of answer.omitted_frames) {
    const left = seen.x(frame + 0.5);
    if (left < -3 || left > seen.width + 3) continue;
    pen.beginPath();
    pen.arc(left, base - tall(answer.steps_before[Math.max(frame - 1, 0)] ?? 0), 3, 0, 7);
    pen.fill();
  }
}

/** How fast the puppet's handle goes. */
export function drawHandle(pen: Pen, seen: Seen, row: Row): void {
  const largest = largestOf(1e-12, state.handleSteps);
  pen.fillStyle = colour("handle");
  bars(pen, seen, state.handleSteps, (step) => row.height * (step / largest), row.top + row.height);
}

function most(values: number[], from: number, to: number): number {
  let found = 0;
  for (let n = from; n < to; n++) found = Math.max(found, values[n] ?? 0);
  return found;
}

function bars(pen: Pen, seen: Seen, steps: number[], tall: (step: number) => number, base: number): void {
  const [from, to] = span(seen, steps.length);
  const each = Math.max(1, Math.floor(1 / seen.scale));
  for (let n = from; n < to; n += each) {
    const high = tall(most(steps, n, n + each));
    pen.fillRect(seen.x(n + 1), base - high, Math.max(seen.scale * each - 1, 0.5), high);
  }
}

export interface Cells {
  /** Which drawing every frame shows. */
  source: number[];
  /** Drawings of a cycle that repeats, or 0. */
  cycle: number;
  /** Drawings that must be, and those that are keys. */
  pinned: Set<number>;
  keys: Set<number>;
  muted: boolean;
}

/** Drawings of a cel, side by side, with their numbers and how long they are held. */
export function drawCells(pen: Pen, seen: Seen, row: Row, { source, cycle, pinned, keys, muted }: Cells): void {
  const { scale, x, width } = seen;
  const { top, height } = row;
  const [from, to] = span(seen, source.length);
  pen.globalAlpha = muted ? 0.4 : 1;
  if (scale < DENSE) drawDensity(pen, seen, row, source);
  else {
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "center";
    for (const { start, end, number } of runsBetween(source, from, to)) {
      const drawing = at(source, start);
      const left = x(start);
      const wide = x(end) - left;
      pen.fillStyle = colour("cell");
      pen.fillRect(left, top, wide, height);
      pen.fillStyle = colour(keys.has(drawing) ? "cell-key" : number % 2 ? "cell-head" : "cell-head-2");
      pen.fillRect(left, top, Math.min(scale, wide), height);
      pen.fillStyle = colour("cell-edge");
      pen.fillRect(left, top, 1, height);
      pen.fillStyle = colour("ink");
      if (wide > 14)
        pen.fillText(
          String(cycle ? ((number - 1) % cycle) + 1 : number),
          left + Math.min(Math.max(scale / 2, 8) + 2, wide / 2),
          top + height / 2 + 4,
          wide,
        );
      if (end - start > 1 && scale > 3 && wide - Math.max(scale, 16) > 6) {
        pen.fillStyle = colour("cell-edge");
        pen.fillRect(left + Math.max(scale, 16) + 2, top + height / 2, wide - Math.max(scale, 16) - 5, 1);
      }
      if (pinned.has(drawing)) {
        pen.fillStyle = colour("pin");
        pen.beginPath();
        pen.arc(left + 5, top + 5, 3, 0, 7);
        pen.fill();
      }
    }
    pen.textAlign = "start";
  }
  pen.strokeStyle = colour("cell-edge");
  pen.lineWidth = 1;
  pen.strokeRect(0.5, top + 0.5, Math.min(x(source.length), width) - 1, height - 1);
  pen.globalAlpha = 1;
}

/** Too many drawings to tell apart: how many frames each is held, as a height. */
function drawDensity(pen: Pen, seen: Seen, { top, height }: Row, source: number[]): void {
  const { first, scale, width, x } = seen;
  pen.fillStyle = colour("cell");
  pen.fillRect(0, top, Math.min(x(source.length), width), height);
  pen.fillStyle = colour("cell-head");
  for (let px = 0; px < width; px++) {
    const from = Math.floor(first + px / scale);
    const to = Math.max(from + 1, Math.floor(first + (px + 1) / scale));
    if (from >= source.length) break;
    let drawings = 0;
    for (let n = from; n < to; n++) if (source[n] !== source[n - 1]) drawings++;
    const high = height * Math.min(1, drawings / (to - from));
    pen.fillRect(px, top + height - high, 1, high);
  }
}

/** A line under the frames of a lock, and a padlock if there is room. */
export function drawLocks(pen: Pen, seen: Seen, { top, height }: Row, answer: MethodUpdate | null): void {
  for (const [start, end] of lockedOf(answer)) {
    const left = seen.x(start);
    const right = seen.x(end);
    if (right < 0 || left > seen.width) continue;
    pen.fillStyle = pen.strokeStyle = colour("pin");
    pen.fillRect(left + 1, top + height - 3, Math.max(1, right - left - 1), 4);
    if (right - left < 14) continue;
    pen.fillRect(right - 11, top + 6, 8, 6);
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.arc(right - 7, top + 6, 2.5, Math.PI, 0);
    pen.stroke();
  }
}

/** The frames of the sheet that a hand has set: first, and one behind the last. */
export function lockedOf(answer: MethodUpdate | null): [number, number][] {
  return answer?.locked ?? [];
}

/** The waveform, a bar a pixel. */
export function drawSound(pen: Pen, seen: Seen, { top, height }: Row, track: SoundTrack, muted: boolean): void {
  if (!track.peaks) return;
  const middle = top + height / 2;
  pen.globalAlpha = muted ? 0.35 : 1;
  pen.fillStyle = colour("sound");
  for (let px = 0; px < seen.width; px++) {
    const from = track.at(seen.first + px / seen.scale);
    const to = track.at(seen.first + (px + 1) / seen.scale);
    if (to < 0 || from > track.seconds) continue;
    const high = Math.max(1, track.loudest(from, to) * (height - 4));
    pen.fillRect(px, middle - high / 2, 1, high);
  }
  pen.globalAlpha = 1;
}

/** One take after another as clips, with what glides into the next. */
export function clipsOf(part: PuppetPart, fps: number): { name: string; start: number; end: number; blend: number }[] {
  const lasting = (name: string) => {
    const take = part.takes.find((one) => one.name === name);
    return take ? ((take.times.at(-1) ?? 0) - (take.times[0] ?? 0)) * fps : 0;
  };
  if (part.shown.startsWith("take:")) {
    const name = part.shown.slice(5);
    return [{ name, start: 0, end: lasting(name), blend: 0 }];
  }
  if (part.shown !== "sequence") return [];
  let end = 0;
  return part.sequence.map(({ take, blend_s }, n) => {
    const blend = n ? Math.min(blend_s * fps, lasting(take), end) : 0;
    const start = Math.max(0, end - blend);
    end = start + lasting(take);
    return { name: take, start, end, blend };
  });
}

export function drawTakes(pen: Pen, seen: Seen, { top, height }: Row): void {
  const part = state.told?.scene.puppet;
  if (!part) return;
  pen.font = "11px system-ui, sans-serif";
  for (const { name, start, end, blend } of clipsOf(part, state.body?.fps ?? 24)) {
    const left = seen.x(start);
    const wide = Math.max(2, seen.x(end) - left);
    pen.fillStyle = colour("clip");
    pen.fillRect(left, top, wide, height);
    pen.fillStyle = colour("clip-edge");
    pen.fillRect(left, top, 2, height);
    pen.fillRect(left, top + height - 2, wide, 2);
    if (blend) {
      pen.globalAlpha = 0.5;
      pen.beginPath();
      pen.moveTo(left, top + height);
      pen.lineTo(seen.x(start + blend), top);
      pen.lineTo(left, top);
      pen.fill();
      pen.globalAlpha = 1;
    }
    pen.fillStyle = colour("ink");
    pen.fillText(name, left + 7, top + height / 2 + 4, wide - 10);
  }
}

/** Source frames that must be drawn. */
export function pinsOf(part: string): number[] {
  const pinned = optionsOf(part).pins;
  return Array.isArray(pinned) ? pinned : [];
}
