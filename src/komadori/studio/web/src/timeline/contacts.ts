// When feet stand: a row of bars for each, the person's above the animal's, and frames outside the training in red.

import { at } from "../arrays";
import type { FeetInfo, TranslateUpdate } from "../generated";
import { colour } from "../theme";
import { t } from "../words";

export interface Place {
  x: (frame: number) => number;
  width: number;
  top: number;
  height: number;
}

export function drawContacts(pen: CanvasRenderingContext2D, answer: TranslateUpdate | null, place: Place): void {
  if (!answer) return;
  const { x, width, top, height } = place;
  pen.fillStyle = colour("strong");
  pen.globalAlpha = 0.3;
  for (const frame of answer.outside) pen.fillRect(x(frame), top, Math.max(x(frame + 1) - x(frame), 1), height);
  pen.globalAlpha = 1;
  const rows = rowsOf(answer.person, colour("before")).concat(rowsOf(answer.animal, colour("after")));
  const step = Math.min(18, (height - 4) / Math.max(rows.length, 1));
  rows.forEach(({ name, stances, tone }, row) => {
    const y = top + 3 + row * step;
    pen.fillStyle = tone;
    for (let n = 0; n + 1 < stances.length; n += 2) {
      const left = x(at(stances, n));
      const right = x(at(stances, n + 1));
      if (right > 0 && left < width) pen.fillRect(left, y, Math.max(right - left - 1, 1), step - 4);
    }
    pen.font = "bold 10px system-ui, sans-serif";
    pen.fillStyle = colour("lane");
    const wide = pen.measureText(name).width + 8;
    pen.fillRect(2, y, wide, step - 4);
    pen.fillStyle = colour("ink");
    pen.fillText(name, 6, y + step / 2 + 1.5);
  });
}

function rowsOf(feet: FeetInfo, tone: string): { name: string; stances: number[]; tone: string }[] {
  return feet.names.map((name, n) => ({ name: t(name), stances: feet.stances[n] ?? [], tone }));
}
