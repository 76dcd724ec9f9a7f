// Key poses: the number of keys, the motion curve with its polyline, the error by number of keys.

import { h } from "../dom";
import type { Ask, KeyposesTold } from "../generated";
import { goTo, on, state } from "../state";
import { say, t } from "../words";
import { Fields } from "./fields";

const WIDTH = 300;

export function keyposesPanel(ask: (message: Ask) => void): HTMLElement {
  const fields = new Fields("keyposes", ask, ["count", "solver", "contacts", "dims"]);
  const curve = h("canvas", { class: "plot", width: 2 * WIDTH, height: 360 });
  const errors = h("canvas", { class: "plot", width: 2 * WIDTH, height: 200 });
  const poses = h("div", { class: "chips" });
  const numbers = h("dl", { class: "numbers" });
  const notes = h("ul", { class: "notes" });
  const tell = () => {
    const answer = state.keyposes;
    if (!answer) return;
    const best = state.optimum["keyposes"];
    const row = (name: string, value: string) => [h("dt", {}, t(name)), h("dd", {}, value)];
    numbers.replaceChildren(
      ...row("Keys", String(answer.frames.length)),
      ...row("error", `${(100 * answer.error).toFixed(1)} cm`),
      ...(best && best.revision === answer.revision && best.optimum > 0
        ? row("times the optimum", (answer.error / best.optimum).toFixed(3))
        : []),
    );
    poses.replaceChildren(
      ...answer.frames.map((frame) =>
        h("button", { "aria-pressed": String(frame === state.frame), click: () => goTo(frame) }, String(frame + 1))),
    );
    notes.replaceChildren(...answer.notes.map((note) => h("li", {}, say(note))));
    drawCurve(curve, answer);
    drawErrors(errors, answer);
  };
  on(["answer", "language", "frame"], () => state.part === "keyposes" && tell());
  on(["part"], tell);
  on(["scene", "language", "body", "part"], () => state.part === "keyposes" && fields.renew());
  return h("section", { class: "panel", id: "panel-keyposes" },
    fields.element, numbers, heading("Poses"), poses, heading("Motion curve"), curve,
    heading("Error by number of keys"), errors, notes);
}

function heading(name: string): HTMLElement {
  const made = h("h3", {}, t(name));
  on(["language"], () => (made.textContent = t(name)));
  return made;
}

/** The motion curve seen from a fixed corner, and the polyline through the keys. */
function drawCurve(canvas: HTMLCanvasElement, answer: KeyposesTold): void {
  const pen = canvas.getContext("2d")!;
  pen.clearRect(0, 0, canvas.width, canvas.height);
  const seen = answer.curve.map(([x, y, z]) => [0.87 * x - 0.5 * z, y + 0.3 * x + 0.3 * z]);
  const xs = seen.map((p) => p[0]);
  const ys = seen.map((p) => p[1]);
  const low = [Math.min(...xs), Math.min(...ys)];
  const size = Math.max(Math.max(...xs) - low[0], (Math.max(...ys) - low[1]) * (canvas.width / canvas.height), 1e-9);
  const unit = (canvas.width - 40) / size;
  const at = (frame: number): [number, number] => [
    20 + (seen[frame][0] - low[0]) * unit,
    canvas.height - 20 - (seen[frame][1] - low[1]) * unit,
  ];
  const line = (frames: number[], colour: string, width: number) => {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    frames.forEach((frame) => pen.lineTo(...at(frame)));
    pen.stroke();
  };
  line(seen.map((_, frame) => frame), "#9aa5b8", 3);
  line(answer.frames, "#d9485f", 2);
  for (const frame of answer.frames) dot(pen, at(frame), 6, "#d9485f");
  const now = Math.min(state.frame, seen.length - 1);
  if (now >= 0) dot(pen, at(now), 8, "#2b2733");
}

function drawErrors(canvas: HTMLCanvasElement, answer: KeyposesTold): void {
  const pen = canvas.getContext("2d")!;
  pen.clearRect(0, 0, canvas.width, canvas.height);
  const count = answer.counts.length;
  if (!count) return;
  const most = Math.max(...answer.errors, 1e-9);
  const at = (n: number): [number, number] => [
    20 + (n / Math.max(count - 1, 1)) * (canvas.width - 40),
    canvas.height - 20 - (answer.errors[n] / most) * (canvas.height - 40),
  ];
  pen.strokeStyle = "#2b2733";
  pen.lineWidth = 3;
  pen.beginPath();
  answer.errors.forEach((_, n) => pen.lineTo(...at(n)));
  pen.stroke();
  const here = answer.counts.indexOf(answer.frames.length);
  if (here >= 0) dot(pen, at(here), 8, "#d9485f");
}

function dot(pen: CanvasRenderingContext2D, [x, y]: [number, number], radius: number, colour: string): void {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.arc(x, y, radius, 0, 7);
  pen.fill();
}
