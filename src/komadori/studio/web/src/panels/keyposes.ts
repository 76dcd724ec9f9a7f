// Key poses: the number of keys, the motion curve with its polyline, the error by number of keys.

import { at } from "../arrays";
import { h, penOf, refill } from "../dom";
import type { KeyposesUpdate } from "../generated";
import type { Stage } from "../stage/stage";
import { PosePictures } from "../stage/thumbnails";
import { goTo, on, state } from "../state";
import { t } from "../words";
import { dot, MotionCurve } from "./curve";
import type { PanelHook } from "./method";

const WIDTH = 300;

export function keyposesHook(stage: Stage): PanelHook {
  const pictures = new PosePictures(stage, () => state.part === "keyposes");
  const curve = new MotionCurve(2 * WIDTH, 440);
  const legend = h("p", { class: "hint legend" });
  const errors = h("canvas", { class: "plot", width: 2 * WIDTH, height: 200 });
  const poses = h("div", { class: "strip", role: "group" });
  /** The best keys of as many, where they are known by now. */
  const optimum = () => (state.optimum.keyposes?.revision === state.keyposes?.revision ? state.optimum.keyposes : undefined);
  const draw = () => {
    const answer = state.keyposes;
    if (!answer) return;
    poses.setAttribute("aria-label", t("Poses"));
    refill(poses, ...answer.frames.map((frame) => poseButton(frame, pictures.of(frame))));
    const best = optimum()?.frames ?? [];
    curve.show(answer, best);
    curve.element.setAttribute("aria-label", t("Motion curve, turned by dragging or with the arrow keys"));
    legend.replaceChildren(h("span", { class: "keys" }, t("these keys")), h("span", { class: "fitted" }, t("the best keys")));
    legend.hidden = !best.length;
    drawErrors(errors, answer);
  };
  const curveAndLegend = [heading("Motion curve"), curve.element, legend];
  return {
    first: ["count", "solver", "contacts", "dims"],
    rows: () => {
      const answer = state.keyposes;
      if (!answer) return null;
      const least = optimum()?.optimum ?? 0;
      return [
        [t("Keys"), String(answer.frames.length)],
        [t("error"), `${(100 * answer.error).toFixed(1)} cm`],
        ...(least > 0 ? [[t("times the optimum"), (answer.error / least).toFixed(3)] as [string, string]] : []),
      ];
    },
    below: { elements: [heading("Poses"), poses, ...curveAndLegend, heading("Error by number of keys"), errors], draw },
  };
}

function poseButton(frame: number, picture: HTMLElement): HTMLElement {
  const pressed = String(frame === state.frame);
  const name = `${t("frame")} ${frame + 1}`;
  return h(
    "button",
    { id: `pose-${frame}`, "aria-pressed": pressed, "aria-label": name, click: () => goTo(frame) },
    picture,
    h("span", {}, String(frame + 1)),
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
