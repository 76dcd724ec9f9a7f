// The motion curve in space, turned by hand: the way of the whole clip, the polyline of its keys, and that of the best keys.

import { at } from "../arrays";
import { h, penOf } from "../dom";
import type { KeyposesUpdate } from "../generated";
import { on, state } from "../state";
import { colour } from "../theme";

const STEP = 0.12;

type Point = [number, number];
const WAYS: Record<string, Point> = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };

export class MotionCurve {
  readonly element: HTMLCanvasElement;
  private yaw = -0.5;
  private pitch = 0.35;
  private shown: { answer: KeyposesUpdate; best: number[] } | null = null;
  private held: PointerEvent | null = null;

  constructor(width: number, height: number) {
    this.element = h("canvas", { class: "plot turned", width, height, tabindex: 0, role: "img" });
    on(["theme"], () => this.draw());
    this.element.addEventListener("pointerdown", (event) => {
      this.held = event;
      this.element.setPointerCapture(event.pointerId);
    });
    this.element.addEventListener("pointermove", (event) => {
      if (!this.held) return;
      this.turn((event.clientX - this.held.clientX) / 90, (event.clientY - this.held.clientY) / 90);
      this.held = event;
    });
    for (const kind of ["pointerup", "pointercancel"] as const) this.element.addEventListener(kind, () => (this.held = null));
    this.element.addEventListener("keydown", (event) => {
      const way = WAYS[event.key];
      if (!way) return;
      event.preventDefault();
      event.stopPropagation();
      this.turn(...way);
    });
  }

  show(answer: KeyposesUpdate, best: number[]): void {
    this.shown = { answer, best };
    this.draw();
  }

  private turn(yaw: number, pitch: number): void {
    this.yaw += yaw;
    this.pitch = Math.max(-1.5, Math.min(1.5, this.pitch + pitch));
    this.draw();
  }

  private draw(): void {
    const pen = penOf(this.element);
    const { width, height } = this.element;
    pen.clearRect(0, 0, width, height);
    if (!this.shown) return;
    const { answer, best } = this.shown;
    const place = this.seen(answer.curve);
    const line = (frames: number[], colour: string, thick: number, dashes: number[] = []) => {
      pen.strokeStyle = colour;
      pen.lineWidth = thick;
      pen.setLineDash(dashes);
      pen.beginPath();
      for (const frame of frames) pen.lineTo(...place(frame));
      pen.stroke();
      pen.setLineDash([]);
    };
    line(
      answer.curve.map((_, frame) => frame),
      colour("curve"),
      3,
    );
    line(best, colour("good"), 2, [8, 5]);
    line(answer.frames, colour("strong"), 2);
    for (const frame of best) dot(pen, place(frame), 4, colour("good"));
    for (const frame of answer.frames) dot(pen, place(frame), 6, colour("strong"));
    const now = Math.min(state.frame, answer.curve.length - 1);
    if (now >= 0) dot(pen, place(now), 8, colour("curve-ink"));
  }

  /** Where a frame's point is seen; the whole curve fits however it is turned. */
  private seen(curve: number[][]): (frame: number) => Point {
    const middle = [0, 1, 2].map((axis) => {
      const values = curve.map((point) => at(point, axis));
      return (Math.min(...values) + Math.max(...values)) / 2;
    });
    const fromMiddle = (point: number[], axis: number) => at(point, axis) - at(middle, axis);
    const far = Math.max(...curve.map((point) => Math.hypot(...[0, 1, 2].map((axis) => fromMiddle(point, axis)))), 1e-9);
    const { width, height } = this.element;
    const unit = (Math.min(width, height) / 2 - 14) / far;
    const [cosYaw, sinYaw, cosPitch, sinPitch] = [Math.cos(this.yaw), Math.sin(this.yaw), Math.cos(this.pitch), Math.sin(this.pitch)];
    return (frame) => {
      const point = at(curve, frame);
      const [x, y, z] = [fromMiddle(point, 0), fromMiddle(point, 1), fromMiddle(point, 2)];
      const across = cosYaw * x + sinYaw * z;
      const deep = cosYaw * z - sinYaw * x;
      return [width / 2 + unit * across, height / 2 - unit * (cosPitch * y + sinPitch * deep)];
    };
  }
}

export function dot(pen: CanvasRenderingContext2D, [x, y]: Point, radius: number, colour: string): void {
  pen.fillStyle = colour;
  pen.beginPath();
  pen.arc(x, y, radius, 0, 7);
  pen.fill();
}
