// Key poses: the number of keys, the motion curve with its polyline, the error by number of keys.

import { at } from "../arrays";
import { h, penOf, refill } from "../dom";
import type { Ask, KeyposesUpdate } from "../generated";
import type { Stage } from "../stage/stage";
import { PosePictures } from "../stage/thumbnails";
import { goTo, on, state } from "../state";
import { say, t } from "../words";
import { dot, MotionCurve } from "./curve";
import { Fields } from "./fields";

const WIDTH = 300;

export function keyposesPanel(stage: Stage, ask: (message: Ask) => void): HTMLElement {
  const fields = new Fields("keyposes", ask, ["count", "solver", "contacts", "dims"]);
  const pictures = new PosePictures(stage, () => state.part === "keyposes");
  const curve = new MotionCurve(2 * WIDTH, 440);
  const legend = h("p", { class: "hint legend" });
  const errors = h("canvas", { class: "plot", width: 2 * WIDTH, height: 200 });
  const poses = h("div", { class: "strip", role: "group" });
  const numbers = h("dl", { class: "numbers" });
  const notes = h("ul", { class: "notes" });
  const tell = () => {
    const answer = state.keyposes;
    if (!answer) return;
    const best = state.optimum.keyposes;
    const row = (name: string, value: string) => [h("dt", {}, t(name)), h("dd", {}, value)];
    numbers.replaceChildren(
      ...row("Keys", String(answer.frames.length)),
      ...row("error", `${(100 * answer.error).toFixed(1)} cm`),
      ...(best && best.revision === answer.revision && best.optimum > 0
        ? row("times the optimum", (answer.error / best.optimum).toFixed(3))
        : []),
    );
    poses.setAttribute("aria-label", t("Poses"));
    refill(
      poses,
      ...answer.frames.map((frame) =>
        h(
          "button",
          {
            id: `pose-${frame}`,
            "aria-pressed": String(frame === state.frame),
            "aria-label": `${t("frame")} ${frame + 1}`,
            click: () => goTo(frame),
          },
          pictures.of(frame),
          h("span", {}, String(frame + 1)),
        ),
      ),
    );
    notes.replaceChildren(...answer.notes.map((note) => h("li", {}, say(note))));
    const optimal = best && best.revision === answer.revision ? best.frames : [];
    curve.show(answer, optimal);
    curve.element.setAttribute("aria-label", t("Motion curve, turned by dragging or with the arrow keys"));
    legend.replaceChildren(h("span", { class: "keys" }, t("these keys")), h("span", { class: "fitted" }, t("the best keys")));
    legend.hidden = !optimal.length;
    drawErrors(errors, answer);
  };
  on(["answer", "language", "frame"], () => state.part === "keyposes" && tell());
  on(["part"], tell);
  on(["scene", "language", "body", "part"], () => state.part === "keyposes" && fields.renew());
  return h(
    "section",
    { class: "panel", id: "panel-keyposes" },
    fields.element,
    numbers,
    heading("Poses"),
    poses,
    heading("Motion curve"),
    curve.element,
    legend,
    heading("Error by number of keys"),
    errors,
    notes,
  );
}

function heading(name: string): HTMLElement {
  const made = h("h3", {}, t(name));
  on(["language"], () => (made.textContent = t(name)));
  return made;
}

function drawErrors(canvas: HTMLCanvasElement, answer: KeyposesUpdate): void {
  const pen = penOf(canvas);
  pen.clearRect(0, 0, canvas.width, canvas.height);
  const count = answer.counts.length;
  if (!count) return;
  const most = Math.max(...answer.errors, 1e-9);
  const place = (n: number): [number, number] => [
    20 + (n / Math.max(count - 1, 1)) * (canvas.width - 40),
    canvas.height - 20 - (at(answer.errors, n) / most) * (canvas.height - 40),
  ];
  pen.strokeStyle = "#2b2733";
  pen.lineWidth = 3;
  pen.beginPath();
  for (const n of answer.errors.keys()) pen.lineTo(...place(n));
  pen.stroke();
  const here = answer.counts.indexOf(answer.frames.length);
  if (here >= 0) dot(pen, place(here), 8, "#d9485f");
}
