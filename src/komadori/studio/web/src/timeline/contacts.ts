// When feet stand: a row of bars for each, the person's above the animal's, and frames outside the training in red.

import { at } from "../arrays";
import type { FeetInfo, TranslateUpdate } from "../generated";
import { t } from "../words";

const PERSON = "#3b82f6";
const ANIMAL = "#d97706";
const OUTSIDE = "rgba(217, 72, 95, 0.35)";
const INK = "#2b2733";

export interface Place {
  x: (frame: number) => number;
  width: number;
  top: number;
  height: number;
}

export function drawContacts(pen: CanvasRenderingContext2D, answer: TranslateUpdate | null, place: Place): void {
  if (!answer) return;
  const { x, width, top, height } = place;
  pen.fillStyle = OUTSIDE;
  for (const frame of answer.outside) pen.fillRect(x(frame), top, Math.max(x(frame + 1) - x(frame), 1), height);
  const rows = rowsOf(answer.person, PERSON).concat(rowsOf(answer.animal, ANIMAL));
  const step = Math.min(18, (height - 4) / Math.max(rows.length, 1));
  rows.forEach(({ name, stances, colour }, row) => {
    const y = top + 3 + row * step;
    pen.fillStyle = colour;
    for (let n = 0; n + 1 < stances.length; n += 2) {
      const left = x(at(stances, n));
      const right = x(at(stances, n + 1));
      if (right > 0 && left < width) pen.fillRect(left, y, Math.max(right - left - 1, 1), step - 4);
    }
    pen.font = "bold 10px system-ui, sans-serif";
    pen.fillStyle = "rgba(255, 253, 248, 0.85)";
    const wide = pen.measureText(name).width + 8;
    pen.fillRect(2, y, wide, step - 4);
    pen.fillStyle = INK;
    pen.fillText(name, 6, y + step / 2 + 1.5);
  });
}

function rowsOf(feet: FeetInfo, colour: string): { name: string; stances: number[]; colour: string }[] {
  return feet.names.map((name, n) => ({ name: t(name), stances: feet.stances[n] ?? [], colour }));
}
