// The wave of one chain, drawn: all drawings of a cycle faintly, the present one strongly, the curve that the bones follow.

import { at } from "../arrays";
import { penOf } from "../dom";
import type { HairArrays } from "../generated";
import { state } from "../state";
import { colour } from "../theme";

interface Wave {
  moments: number;
  joints: number;
  bones: Float32Array;
  heights: Float32Array;
  points: number;
}

export function waveOf({ bones, heights }: HairArrays): Wave | null {
  if (!bones || !heights) return null;
  return {
    moments: at(bones.shape, 0),
    joints: at(bones.shape, 1),
    bones: bones.data,
    heights: heights.data,
    points: at(heights.shape, 1),
  };
}

/** The drawing of the cycle that is shown at the present frame. */
function moment(count: number): number {
  const told = state.hair;
  if (!told?.drawings) return 0;
  const drawing = Math.floor(state.frame / told.step) % told.drawings;
  return Math.floor((drawing * count) / told.drawings);
}

export function drawWave(canvas: HTMLCanvasElement, wave: Wave | null): void {
  const pen = penOf(canvas);
  pen.clearRect(0, 0, canvas.width, canvas.height);
  if (!wave) return;
  let low = 0;
  let high = 0;
  for (let n = 1; n < wave.bones.length; n += 2) [low, high] = [Math.min(low, at(wave.bones, n)), Math.max(high, at(wave.bones, n))];
  for (const height of wave.heights) [low, high] = [Math.min(low, height), Math.max(high, height)];
  const unit = Math.min((canvas.width - 40) / 1.05, (canvas.height - 24) / Math.max(high - low, 0.05));
  const left = (canvas.width - 1.0 * unit) / 2;
  const middle = canvas.height / 2 + ((high + low) / 2) * unit;
  const line = (colour: string, width: number, count: number, place: (n: number) => [number, number]) => {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    for (let n = 0; n < count; n++) {
      const [x, y] = place(n);
      pen.lineTo(left + unit * x, middle - unit * y);
    }
    pen.stroke();
  };
  const bone =
    (drawing: number) =>
    (n: number): [number, number] => {
      const first = 2 * (drawing * wave.joints + n);
      return [at(wave.bones, first), at(wave.bones, first + 1)];
    };
  line(colour("cell-edge"), 1, 2, (n) => [n, 0]);
  for (let drawing = 0; drawing < wave.moments; drawing++) line(colour("cell-edge"), 1.5, wave.joints, bone(drawing));
  const now = moment(wave.moments);
  line(colour("curve-ink"), 2, wave.points, (n) => [n / (wave.points - 1), at(wave.heights, now * wave.points + n)]);
  line(colour("strong"), 4, wave.joints, bone(now));
  pen.fillStyle = colour("strong");
  for (let n = 0; n < wave.joints; n++) {
    const [x, y] = bone(now)(n);
    pen.beginPath();
    pen.arc(left + unit * x, middle - unit * y, 5, 0, 7);
    pen.fill();
  }
}
