// Key poses: the number of keys, the motion curve with its polyline, the error by number of keys.

import { at } from "../arrays";
import { h, penOf, refill } from "../dom";
import type { Ask, KeyposesUpdate, PosedBody } from "../generated";
import { gestureOf } from "../shot";
import { shownKey } from "../stage/keyposing";
import type { Stage } from "../stage/stage";
import { PosePictures } from "../stage/thumbnails";
import { goTo, on, optionsOf, state } from "../state";
import { colour } from "../theme";
import { t } from "../words";
import { dot, MotionCurve } from "./curve";
import { besideBest, type PanelHook } from "./method";

const WIDTH = 300;

export function keyposesHook(stage: Stage, ask: (message: Ask) => void): PanelHook {
  const pictures = new PosePictures(stage, () => state.part === "keyposes");
  const curve = new MotionCurve(2 * WIDTH, 440);
  const legend = h("p", { class: "hint legend" });
  const errors = h("canvas", { class: "plot", width: 2 * WIDTH, height: 200 });
  const poses = h("div", { class: "strip", role: "group" });
  /** The best keys of as many, if they are known by now. */
  const optimum = () => (state.optimum.keyposes?.revision === state.keyposes?.revision ? state.optimum.keyposes : undefined);
  const hint = h("p", { class: "hint" });
  const edit = (edit: "mirror" | "reset") => () => {
    const frame = shownKey();
    if (frame >= 0) ask({ type: "key-pose", part: "keyposes", edit, frame, gesture: gestureOf(edit) });
  };
  const mirror = h("button", { id: "pose-mirror", click: edit("mirror") });
  const reset = h("button", { id: "pose-reset", click: edit("reset") });
  const drawTools = (drawn: Map<number, PosedBody>) => {
    const key = shownKey();
    hint.textContent = t("Drag a joint on the stage to redraw this key; only the frames that show it change");
    mirror.textContent = `${t("Mirror the pose")} (M)`;
    reset.textContent = t("As captured");
    mirror.disabled = key < 0;
    reset.disabled = !drawn.has(key);
  };
  const draw = () => {
    const answer = state.keyposes;
    if (!answer) return;
    poses.setAttribute("aria-label", t("Poses"));
    const drawn = redrawnPoses();
    refill(poses, ...answer.frames.map((frame) => poseButton(frame, pictures.of(drawn.get(frame) ?? frame), drawn.has(frame))));
    drawTools(drawn);
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
        [
          t("away from the captured motion"),
          `${(100 * answer.error).toFixed(1)} cm`,
          t(
            optionsOf("keyposes").measure === "sum"
              ? "How far all frames together are from the motion curve that the keys make"
              : "How far the frame that fits worst is from the motion curve that the keys make",
          ),
        ],
        ...besideBest(answer.error, least),
      ];
    },
    below: {
      elements: [
        heading("Poses"),
        poses,
        hint,
        h("div", { class: "row" }, mirror, reset),
        ...curveAndLegend,
        heading("Distance by number of keys"),
        errors,
      ],
      draw,
    },
  };
}

/** Poses that a hand redrew, by their frames. */
function redrawnPoses(): Map<number, PosedBody> {
  return new Map((state.told?.scene.parts.keyposes?.poses ?? []).map(({ frame, pose }) => [frame, pose]));
}

function poseButton(frame: number, picture: HTMLElement, redrawn: boolean): HTMLElement {
  const pressed = String(frame === state.frame);
  const name = `${t("frame")} ${frame + 1}${redrawn ? `, ${t("edited by hand")}` : ""}`;
  return h(
    "button",
    { id: `pose-${frame}`, "aria-pressed": pressed, "aria-label": name, title: name, click: () => goTo(frame) },
    picture,
    h("span", {}, `${redrawn ? "✎ " : ""}${frame + 1}`),
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
  pen.strokeStyle = colour("curve-ink");
  pen.lineWidth = 3;
  pen.beginPath();
  for (const n of answer.errors.keys()) pen.lineTo(...place(n));
  pen.stroke();
  const here = answer.counts.indexOf(answer.frames.length);
  if (here >= 0) dot(pen, place(here), 8, colour("strong"));
}
