// The timesheet as on paper: a row per frame from top to bottom, a column per cel, heavier lines at half and whole seconds.

import { h, penOf } from "../dom";
import { jumped, pause } from "../player";
import { goTo, hairShown, length, on, ownSheet, select, sheetAnswer, sheetPart, shotOf, state } from "../state";
import { colour } from "../theme";
import { t } from "../words";
import { bodyCells, hairCells } from "./cels";
import { type Cells, lockedOf } from "./drawing";
import { runsBetween } from "./exposures";
import type { SoundTrack } from "./sound";

const ROW = 17;
const NUMBERS = 44;
const COLUMN = 56;

export class XSheet {
  readonly element: HTMLElement;
  private readonly canvas = h("canvas", { class: "xsheet-canvas" });
  private readonly space = h("div", { class: "xsheet-space" });
  private readonly head = h("div", { class: "xsheet-head", "aria-hidden": "true" });
  private readonly now = h("div", { class: "xsheet-now", "aria-hidden": "true" });
  private readonly scroll = h("div", { class: "xsheet-scroll", tabindex: 0, role: "slider", "aria-orientation": "vertical" }, this.space);
  private from: number | null = null;
  private waiting = false;

  constructor(private readonly sound: SoundTrack) {
    this.space.append(this.canvas, this.now);
    this.element = h("section", { class: "xsheet" }, this.head, this.scroll);
    this.scroll.addEventListener("scroll", () => this.later());
    this.scroll.addEventListener("pointerdown", (event) => this.down(event));
    this.scroll.addEventListener("pointermove", (event) => this.move(event));
    for (const kind of ["pointerup", "pointercancel"] as const) this.scroll.addEventListener(kind, () => (this.from = null));
    this.scroll.addEventListener("keydown", (event) => {
      const way = { ArrowUp: -1, ArrowDown: 1, PageUp: -24, PageDown: 24 }[event.key];
      if (way === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      goTo(state.frame + way);
      jumped();
    });
    on(["answer", "scene", "part", "body", "language", "theme", "range", "view", "clip"], () => this.later());
    on(["frame"], () => this.follow());
    new ResizeObserver(() => this.later()).observe(this.scroll);
  }

  private columns(): { name: string; cells: Cells | null }[] {
    const cels: { name: string; cells: Cells | null }[] = [];
    if (state.part !== "puppet" && state.part !== "translate") {
      cels.push({ name: `A ${t("Body")}`, cells: bodyCells() });
      if (state.body?.chains.length) cels.push({ name: `B ${t("Hair")}`, cells: hairCells(hairShown()) });
    }
    if (shotOf().sound) cels.push({ name: t("Sound"), cells: null });
    return cels;
  }

  /** A picture's worth of changes is drawn once. */
  private later(): void {
    if (this.waiting || this.element.hidden) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  private draw(): void {
    const { clientHeight: high } = this.scroll;
    if (this.element.hidden || !high) return;
    const count = length();
    const columns = this.columns();
    const width = NUMBERS + COLUMN * columns.length;
    this.element.style.width = `${width + 16}px`;
    this.space.style.height = `${ROW * count}px`;
    this.head.replaceChildren(h("span", {}, t("Frame")), ...columns.map(({ name }) => h("span", {}, name)));
    this.head.style.gridTemplateColumns = `${NUMBERS}px repeat(${columns.length}, ${COLUMN}px)`;
    this.scroll.setAttribute("aria-label", t("Timesheet"));
    const top = this.scroll.scrollTop;
    const ratio = Math.min(devicePixelRatio, 2);
    this.canvas.width = width * ratio;
    this.canvas.height = high * ratio;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${high}px`;
    this.canvas.style.transform = `translateY(${top}px)`;
    const pen = penOf(this.canvas);
    pen.scale(ratio, ratio);
    const first = Math.floor(top / ROW);
    const last = Math.min(count, Math.ceil((top + high) / ROW) + 1);
    pen.translate(0, -top);
    this.drawLines(pen, first, last, width);
    for (const [n, { cells }] of columns.entries()) {
      const left = NUMBERS + n * COLUMN;
      if (cells) this.drawCel(pen, left, first, last, cells, n === 0);
      else this.drawSound(pen, left, first, last);
    }
    this.drawSelection(pen, first, last);
    this.mark();
  }

  private drawLines(pen: CanvasRenderingContext2D, first: number, last: number, width: number): void {
    const fps = Math.round(state.body?.fps ?? 24);
    pen.fillStyle = colour("lane");
    pen.fillRect(0, first * ROW, width, (last - first) * ROW);
    pen.font = "10px system-ui, sans-serif";
    pen.textAlign = "end";
    for (let frame = first; frame < last; frame++) {
      const y = frame * ROW;
      const whole = frame % fps === 0;
      const half = frame % (fps / 2) === 0;
      pen.fillStyle = colour(whole ? "cell-edge" : half ? "edge" : "lane-line");
      pen.fillRect(0, y, width, whole ? 2 : 1);
      const second = Math.floor(frame / fps);
      pen.fillStyle = colour(frame % 6 === 0 || whole ? "ink" : "soft");
      // As on paper: seconds and frames, "2+06".
      pen.fillText(whole ? `${second}+${String((frame % fps) + 1).padStart(2, "0")}` : String(frame + 1), NUMBERS - 8, y + 12);
    }
  }

  private drawCel(pen: CanvasRenderingContext2D, left: number, first: number, last: number, cells: Cells, locks: boolean): void {
    const middle = left + COLUMN / 2;
    pen.globalAlpha = cells.muted ? 0.4 : 1;
    pen.fillStyle = colour("cell-edge");
    pen.fillRect(left, first * ROW, 1, (last - first) * ROW);
    pen.textAlign = "center";
    for (const { start, end, number } of runsBetween(cells.source, first, last)) {
      const y = start * ROW;
      const source = cells.source[start] ?? 0;
      if (cells.keys.has(source) || cells.pinned.has(source)) {
        pen.strokeStyle = colour(cells.pinned.has(source) ? "pin" : "strong");
        pen.lineWidth = 1.2;
        pen.beginPath();
        pen.ellipse(middle, y + ROW / 2 + 0.5, 13, 7.5, 0, 0, 7);
        pen.stroke();
      }
      pen.fillStyle = colour("ink");
      pen.font = "600 11px system-ui, sans-serif";
      pen.fillText(String(cells.cycle ? ((number - 1) % cells.cycle) + 1 : number), middle, y + 13);
      pen.fillStyle = colour("cell-edge");
      if (end - start > 1) pen.fillRect(middle - 0.5, y + ROW + 2, 1, (end - start - 1) * ROW - 4);
    }
    pen.globalAlpha = 1;
    if (!locks) return;
    pen.fillStyle = colour("pin");
    for (const [start, end] of lockedOf(sheetAnswer())) pen.fillRect(left + 3, start * ROW + 1, 3, (end - start) * ROW - 2);
  }

  private drawSound(pen: CanvasRenderingContext2D, left: number, first: number, last: number): void {
    pen.fillStyle = colour("cell-edge");
    pen.fillRect(left, first * ROW, 1, (last - first) * ROW);
    pen.fillStyle = colour("sound");
    for (let frame = first; frame < last; frame++) {
      for (let part = 0; part < 4; part++) {
        const from = this.sound.at(frame + part / 4);
        const wide = this.sound.loudest(from, this.sound.at(frame + (part + 1) / 4)) * (COLUMN - 8);
        if (from >= 0 && from < this.sound.seconds)
          pen.fillRect(left + COLUMN / 2 - wide / 2, frame * ROW + (part * ROW) / 4, wide, ROW / 4);
      }
    }
  }

  private drawSelection(pen: CanvasRenderingContext2D, first: number, last: number): void {
    const range = state.selection;
    if (!range || !sheetPart() || range[1] <= first || range[0] >= last) return;
    pen.fillStyle = colour("range");
    pen.fillRect(NUMBERS, range[0] * ROW, COLUMN, (range[1] - range[0]) * ROW);
    pen.strokeStyle = colour("focus");
    pen.lineWidth = 2;
    pen.strokeRect(NUMBERS + 1, range[0] * ROW + 1, COLUMN - 2, (range[1] - range[0]) * ROW - 2);
  }

  private mark(): void {
    this.now.style.transform = `translateY(${state.frame * ROW}px)`;
    this.scroll.setAttribute("aria-valuemin", "1");
    this.scroll.setAttribute("aria-valuemax", String(length()));
    this.scroll.setAttribute("aria-valuenow", String(state.frame + 1));
  }

  /** The playhead moves alone; the sheet scrolls when it would leave it. */
  private follow(): void {
    if (this.element.hidden) return;
    const { scrollTop: top, clientHeight: high } = this.scroll;
    const y = state.frame * ROW;
    if (y < top || y + ROW > top + high) this.scroll.scrollTop = Math.max(0, y - 0.3 * high);
    this.mark();
  }

  private frameAt(event: PointerEvent): number {
    const box = this.scroll.getBoundingClientRect();
    return Math.max(0, Math.min(length() - 1, Math.floor((event.clientY - box.top + this.scroll.scrollTop) / ROW)));
  }

  private down(event: PointerEvent): void {
    // The scroll bar is not the sheet.
    if (event.clientX > this.scroll.getBoundingClientRect().left + this.scroll.clientWidth) return;
    pause();
    this.from = this.frameAt(event);
    goTo(this.from);
    if (sheetPart()) select(event.shiftKey && state.selection ? [state.selection[0], this.from + 1] : null);
  }

  private move(event: PointerEvent): void {
    if (this.from === null) return;
    const here = this.frameAt(event);
    if (here === state.frame) return;
    goTo(here);
    if (sheetPart() && here < ownSheet().length) select(here < this.from ? [here, this.from + 1] : [this.from, here + 1]);
  }
}
