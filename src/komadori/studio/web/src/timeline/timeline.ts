// The timeline: ruler, steps over time, and the exposure sheet drawing by drawing, all on one canvas.

import { at } from "../arrays";
import { h, icon, penOf } from "../dom";
import type { Ask } from "../generated";
import { jumped, pause, play } from "../player";
import { cells, goTo, length, methodOf, on, optionsOf, sheet, sheetAnswer, sheetPart, state, tell } from "../state";
import { t } from "../words";
import { drawContacts } from "./contacts";
import { drawingNumber, edgeWithin, largestOf, rulerStep, runsBetween, stepped, within, zoomed } from "./exposures";

const RULER = 18;
const CURVE = 58;
const CELLS = 30;
const GAP = 6;
export const HEIGHT = RULER + CURVE + GAP + CELLS + GAP;
const EDGE = 6;
const MARKS = 44;
const INK = "#2b2733";
const LINES = "#d8d1c3";
const BORDER = "#8b8598";
const CALM = "#9aa5b8";
const STRONG = "#d9485f";
const HANDLE = "#ff9cc4";
const PIN = "#7c3aed";

export class Timeline {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { class: "tracks", tabindex: 0, role: "slider", "aria-label": "timeline" });
  private readonly transport = h("div", { class: "transport", role: "toolbar" });
  /** Pixels a frame, and the first frame that is seen. */
  scale = 0;
  first = 0;
  private dragging: { part: string; edge: number; gesture: string } | "scrub" | null = null;
  private gestures = 0;

  constructor(private readonly ask: (message: Ask) => void) {
    this.element = h("section", { class: "timeline" }, this.transport, this.canvas);
    this.canvas.addEventListener("pointerdown", (event) => this.down(event));
    this.canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const kind of ["pointerup", "pointercancel"] as const) {
      this.canvas.addEventListener(kind, () => (this.dragging = null));
    }
    this.canvas.addEventListener("wheel", (event) => this.zoom(event), { passive: false });
    on(["frame", "answer", "scene", "part", "view", "language"], () => this.draw());
    on(["body", "clip", "part"], () => {
      this.scale = 0;
      this.first = 0;
      this.draw();
    });
    on(["playing", "language", "view", "part", "answer"], () => this.buttons());
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    this.buttons();
  }

  edit(edit: "insert" | "delete" | "pin" | "reset"): void {
    const part = sheetPart();
    if (edit === "pin" && !canPin()) return;
    if (part) this.ask({ type: "sheet", part, edit, frame: Math.min(state.frame, sheet().length - 1) });
  }

  /** The frame at which the previous or next drawing begins. */
  step(direction: 1 | -1): void {
    goTo(stepped(cells(), state.frame, direction));
    jumped();
  }

  private buttons(): void {
    const button = (name: string, path: string, run: () => void, key: string, pressed?: boolean) =>
      h(
        "button",
        { title: `${t(name)} (${key})`, "aria-label": t(name), "aria-pressed": pressed === undefined ? null : String(pressed), click: run },
        icon(path),
      );
    const answer = sheetAnswer();
    const edits = sheetPart()
      ? [
          button("Show the drawing one frame longer", "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z", () => this.edit("insert"), "+"),
          button("Take this exposure away", "M5 11h14v2H5z", () => this.edit("delete"), "−"),
          canPin() ? button("Pin this drawing", "M12 2l3 7 7 1-5 5 1 7-6-3-6 3 1-7-5-5 7-1z", () => this.edit("pin"), "P") : "",
          answer?.edited
            ? h("button", { class: "wide", click: () => this.edit("reset") }, `${t("edited by hand")} · ${t("Reset the sheet")}`)
            : "",
        ]
      : [];
    this.counter = h("output", { class: "counter", "aria-live": "off" });
    this.transport.replaceChildren(
      button("previous key", "M19 5v14L9 12zM5 5h2v14H5z", () => this.step(-1), ","),
      state.playing ? button("Pause", "M7 5h3v14H7zM14 5h3v14h-3z", pause, "space") : button("Play", "M7 4v16l13-8z", play, "space"),
      button("next key", "M5 5v14l10-7zM17 5h2v14h-2z", () => this.step(1), "."),
      button(
        "Loop",
        "M5 8h11V5l5 5-5 5v-3H5zM19 19H8v3l-5-5 5-5v3h11z",
        () => {
          state.loop = !state.loop;
          tell("playing");
        },
        "L",
        state.loop,
      ),
      button(
        "Onion skin",
        "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 4a5 5 0 1 1 0 10 5 5 0 0 1 0-10z",
        () => {
          state.onion = !state.onion;
          tell("view");
        },
        "O",
        state.onion,
      ),
      this.counter,
      h("span", { class: "gap" }),
      ...edits,
    );
    this.count();
  }

  private counter = h("output");

  private count(): void {
    const source = sheet();
    const here = Math.min(state.frame, source.length - 1);
    const drawing = drawingNumber(source, here);
    const seconds = state.frame / (state.body?.fps ?? 24);
    const place = `${t("frame")} ${state.frame + 1} / ${length()} · ${seconds.toFixed(2)} s`;
    this.counter.textContent = sheetPart()
      ? `${place} · ${t("drawing")} ${drawing} · ${t("source frame")} ${(source[here] ?? 0) + 1}`
      : place;
    this.canvas.setAttribute("aria-valuetext", this.counter.textContent);
  }

  private x(frame: number): number {
    return (frame - this.first) * this.scale;
  }

  private frameAt(x: number): number {
    return Math.floor(x / this.scale + this.first);
  }

  private draw(): void {
    const { clientWidth: width } = this.canvas;
    if (!width) return;
    const ratio = Math.min(devicePixelRatio, 2);
    this.canvas.width = width * ratio;
    this.canvas.height = HEIGHT * ratio;
    const count = length();
    Object.assign(this, within(this, width, count));
    const pen = penOf(this.canvas);
    pen.scale(ratio, ratio);
    pen.clearRect(0, 0, width, HEIGHT);
    this.drawRuler(pen, width, count);
    if (state.part === "translate") {
      drawContacts(pen, state.translate, { x: (frame) => this.x(frame), width, top: RULER, height: HEIGHT - RULER });
    } else {
      this.drawSteps(pen, width);
      this.drawHandle(pen);
      this.drawSheet(pen, width);
    }
    const x = this.x(state.frame + 0.5);
    pen.fillStyle = STRONG;
    pen.fillRect(x - 0.75, 0, 1.5, HEIGHT);
    pen.beginPath();
    pen.moveTo(x - 5, 0);
    pen.lineTo(x + 5, 0);
    pen.lineTo(x, 8);
    pen.fill();
    this.canvas.setAttribute("aria-valuenow", String(state.frame + 1));
    this.canvas.setAttribute("aria-valuemin", "1");
    this.canvas.setAttribute("aria-valuemax", String(count));
    this.count();
  }

  private drawRuler(pen: CanvasRenderingContext2D, width: number, count: number): void {
    pen.font = "10px system-ui, sans-serif";
    pen.fillStyle = INK;
    pen.strokeStyle = LINES;
    const every = rulerStep(this.scale, MARKS);
    for (let frame = Math.floor(this.first / every) * every; frame < count; frame += every) {
      const x = this.x(frame);
      if (x > width) break;
      pen.fillText(String(frame + 1), x + 3, 11);
      pen.beginPath();
      pen.moveTo(x + 0.5, 0);
      pen.lineTo(x + 0.5, HEIGHT);
      pen.stroke();
    }
  }

  private drawSteps(pen: CanvasRenderingContext2D, width: number): void {
    const answer = state.limited;
    if (!answer || state.part !== "limited") return;
    const base = RULER + CURVE;
    const largest = largestOf(1e-12, answer.steps_before, answer.steps_after);
    const height = (step: number) => CURVE * Math.sqrt(step / largest);
    const gone = new Set(answer.omitted_frames);
    pen.fillStyle = CALM;
    answer.steps_after.forEach((step, n) => {
      const x = this.x(n + 1);
      if (x + this.scale < 0 || x > width) return;
      pen.fillRect(x, base - height(step), Math.max(this.scale - 1, 0.5), height(step));
    });
    pen.strokeStyle = INK;
    pen.lineWidth = 1.2;
    pen.beginPath();
    for (const [n, step] of answer.steps_before.entries()) pen.lineTo(this.x(n + 1.5), base - height(step));
    pen.stroke();
    pen.fillStyle = STRONG;
    for (const frame of gone) {
      const x = this.x(frame + 0.5);
      pen.beginPath();
      pen.arc(x, base - height(answer.steps_before[Math.max(frame - 1, 0)] ?? 0), 3, 0, 7);
      pen.fill();
    }
  }

  /** How fast the puppet's handle goes. */
  private drawHandle(pen: CanvasRenderingContext2D): void {
    if (state.part !== "puppet" || !state.handleSteps.length) return;
    const base = HEIGHT - GAP;
    const largest = largestOf(1e-12, state.handleSteps);
    pen.fillStyle = HANDLE;
    state.handleSteps.forEach((step, n) => {
      const high = (base - RULER - GAP) * (step / largest);
      pen.fillRect(this.x(n + 1), base - high, Math.max(this.scale - 1, 0.5), high);
    });
  }

  private drawSheet(pen: CanvasRenderingContext2D, width: number): void {
    if (state.part === "puppet") return;
    const source = cells();
    const top = RULER + CURVE + GAP;
    const answer = sheetAnswer();
    const cycle = state.part === "hair" ? (state.hair?.drawings ?? 0) : 0;
    const pinned = new Set(pins(state.part));
    const keys = new Set(state.part === "keyposes" ? (state.keyposes?.frames ?? []) : []);
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "center";
    for (const { start, end, number } of runsBetween(source, Math.floor(this.first), Math.ceil(this.first + width / this.scale) + 1)) {
      const drawing = at(source, start);
      const x = this.x(start);
      const wide = this.x(end) - x;
      pen.fillStyle = "#fffdf8";
      pen.fillRect(x, top, wide, CELLS);
      pen.fillStyle = keys.has(drawing) ? "#fde68a" : number % 2 ? "#dfe7f4" : "#eef2f9";
      pen.fillRect(x, top, Math.min(this.scale, wide), CELLS);
      pen.fillStyle = BORDER;
      pen.fillRect(x, top, 1, CELLS);
      pen.strokeStyle = BORDER;
      pen.lineWidth = 1;
      pen.fillStyle = INK;
      if (wide > 14)
        pen.fillText(String(cycle ? ((number - 1) % cycle) + 1 : number), x + Math.min(this.scale / 2 + 2, wide / 2), top + 19, wide);
      if (end - start > 1 && this.scale > 3) {
        pen.beginPath();
        pen.moveTo(x + this.scale + 2, top + CELLS / 2);
        pen.lineTo(x + wide - 3, top + CELLS / 2);
        pen.stroke();
      }
      if (pinned.has(drawing)) {
        pen.fillStyle = PIN;
        pen.beginPath();
        pen.arc(x + 5, top + 5, 3, 0, 7);
        pen.fill();
      }
    }
    pen.textAlign = "start";
    pen.strokeStyle = BORDER;
    pen.strokeRect(0.5, top + 0.5, Math.min(this.x(source.length), width) - 1, CELLS - 1);
    if (answer?.edited) {
      pen.fillStyle = PIN;
      pen.fillRect(0, top + CELLS + 1, width, 2);
    }
  }

  private down(event: PointerEvent): void {
    this.canvas.setPointerCapture(event.pointerId);
    const edge = this.edgeAt(event);
    pause();
    const part = sheetPart();
    if (part && edge > 0) this.dragging = { part, edge, gesture: `edge ${++this.gestures} ${performance.now()}` };
    else {
      this.dragging = "scrub";
      goTo(this.frameAt(event.offsetX));
    }
  }

  private move(event: PointerEvent): void {
    if (this.dragging === "scrub") goTo(this.frameAt(event.offsetX));
    else if (this.dragging) {
      const to = Math.round(event.offsetX / this.scale + this.first);
      if (to === this.dragging.edge || to < 1) return;
      // The edge stops at its neighbours, on the server as here.
      const { edge } = this.dragging;
      const wanted = edgeWithin(sheet(), edge, to);
      if (wanted === edge) return;
      this.ask({ type: "sheet", part: this.dragging.part, edit: "edge", frame: edge, to: wanted, gesture: this.dragging.gesture });
      this.dragging.edge = wanted;
    } else this.canvas.style.cursor = this.edgeAt(event) > 0 ? "ew-resize" : "default";
  }

  /** The frame whose left edge is under the pointer, in the sheet's row; 0 where there is none. */
  private edgeAt(event: PointerEvent): number {
    if (event.offsetY < RULER + CURVE || !sheetPart()) return 0;
    const source = sheet();
    const near = Math.round(event.offsetX / this.scale + this.first);
    if (near < 1 || near >= source.length || source[near] === source[near - 1]) return 0;
    return Math.abs(this.x(near) - event.offsetX) <= Math.min(EDGE, this.scale / 2) ? near : 0;
  }

  private zoom(event: WheelEvent): void {
    event.preventDefault();
    const { clientWidth: width } = this.canvas;
    if (event.ctrlKey || Math.abs(event.deltaY) > Math.abs(event.deltaX)) {
      Object.assign(this, zoomed(this, event.offsetX, Math.exp(-event.deltaY / 400), width, length()));
    } else this.first += event.deltaX / this.scale;
    this.draw();
  }
}

/** Source frames that must be drawn. */
function pins(part: string): number[] {
  const pinned = optionsOf(part).pins;
  return Array.isArray(pinned) ? pinned : [];
}

/** Whether frames of the part that is open can be pinned. */
function canPin(): boolean {
  return methodOf(state.part)?.parameters.some(({ name }) => name === "pins") ?? false;
}
