// The timeline: ruler, tracks and their names. The tracks are drawn when they change; the playhead and the selection move over them.

import { h, penOf, refill } from "../dom";
import type { Ask } from "../generated";
import { glyph, type Icon } from "../icons";
import { jumped, pause } from "../player";
import { editShot, editSound, gestureOf, toggleCel } from "../shot";
import { cells, goTo, hairShown, keep, length, on, ownSheet, select, settled, sheetAnswer, sheetPart, shotOf, state } from "../state";
import { t } from "../words";
import { bodyCells, hairCells } from "./cels";
import { drawContacts } from "./contacts";
import { drawCells, drawHandle, drawLocks, drawRuler, drawSound, drawSpacing, drawTakes, type Seen } from "./drawing";
import { Editing } from "./editing";
import { emptyTimeline } from "./empty";
import { edgeWithin, revealed, runAt, slideWithin, stepped, within, zoomed } from "./exposures";
import { heightOf, type Row, rowsNow } from "./layout";
import { SoundTrack } from "./sound";
import { Transport } from "./transport";

const EDGE = 6;
const FINGER = 14;
/** Half the width of the frame's number at the playhead, in pixels, at most. */
const BADGE = 24;
/** The part of a drawing's width, at each side, that takes hold of its edge: the rest of it can be clicked. */
const RIM = 0.25;
/** Least and most that a person may add to the usual height. */
const [LEAST, MOST] = [-60, 420];

type Drag =
  | { kind: "scrub" }
  | { kind: "edge" | "slide"; part: string; frame: number; from: number; gesture: string; moved: boolean }
  | { kind: "select"; from: number; moved: boolean }
  | { kind: "sound"; from: number; start: number; gesture: string };

export class Timeline {
  readonly element: HTMLElement;
  readonly sound = new SoundTrack();
  readonly editing: Editing;
  readonly transport: Transport;
  private readonly canvas = h("canvas", { class: "tracks", id: "tracks", tabindex: 0, role: "slider", "aria-label": "timeline" });
  private readonly playhead = h("div", { class: "playhead", "aria-hidden": "true" });
  private readonly chosen = h("div", { class: "chosen", "aria-hidden": "true" });
  private readonly heads = h("div", { class: "track-heads" });
  private readonly thumb = h("div", { class: "thumb" });
  private readonly bar = h(
    "div",
    { class: "slide", role: "scrollbar", tabindex: 0, "aria-controls": "tracks", "aria-orientation": "horizontal", "aria-valuemin": 0 },
    this.thumb,
  );
  private readonly grip = h("div", { class: "grip", role: "separator", tabindex: 0, "aria-orientation": "horizontal" });
  /** Frames from the first that is seen to where the scroll bar is held; null while it is not. */
  private held: number | null = null;
  /** Pixels per frame, and the first frame that is seen. */
  scale = 0;
  first = 0;
  private whole = true;
  /** How wide the canvas was when it was drawn last. */
  private wide = 0;
  private more = Math.max(LEAST, Math.min(MOST, Number(localStorage.getItem("komadori.timeline") ?? 0) || 0));
  private rows: Row[] = [];
  private drag: Drag | null = null;

  constructor(private readonly ask: (message: Ask) => void) {
    this.editing = new Editing(ask);
    this.transport = new Transport(this.editing, {
      step: (way) => this.step(way),
      zoom: (factor) => this.zoomBy(factor),
      rate: (fps) => this.ask({ type: "open", fps }),
    });
    const lanes = h("div", { class: "lanes" }, this.canvas, this.chosen, this.playhead, emptyTimeline());
    this.element = h(
      "section",
      { class: "timeline" },
      this.grip,
      this.transport.element,
      h("div", { class: "board" }, this.heads, lanes),
      this.bar,
    );
    this.canvas.addEventListener("pointerdown", (event) => this.down(event));
    this.canvas.addEventListener("pointermove", (event) => this.move(event));
    this.canvas.addEventListener("pointerup", (event) => this.up(event));
    this.canvas.addEventListener("pointercancel", () => (this.drag = null));
    this.scrolls();
    this.resizes();
    this.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    on(["frame"], () => this.follow());
    on(["answer", "scene", "part", "view", "language", "theme", "range"], () => this.draw());
    on(["body", "clip", "part"], () => {
      this.scale = 0;
      this.first = 0;
      this.draw();
    });
    on(["part", "body"], () => state.selection && select(null));
    on(["scene", "part", "language", "body"], () => this.names());
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    on(["scene", "connection", "part", "settled"], () => this.element.setAttribute("aria-busy", String(!settled())));
    this.names();
  }

  /** The frame at which the previous or next drawing begins. */
  step(direction: 1 | -1): void {
    goTo(stepped(cells(), state.frame, direction));
    jumped();
  }

  private x(frame: number): number {
    return (frame - this.first) * this.scale;
  }

  private frameAt(x: number): number {
    return Math.floor(x / this.scale + this.first);
  }

  private row(name: Row["name"]): Row | undefined {
    return this.rows.find((row) => row.name === name);
  }

  private rowAt(y: number): Row | undefined {
    return this.rows.find(({ top, height }) => y >= top && y < top + height + 2);
  }

  private draw(): void {
    const { clientWidth: width } = this.canvas;
    if (!width) return;
    // A timeline that showed everything does so at any width.
    if (this.whole && width !== this.wide) this.scale = 0;
    this.rows = rowsNow(this.more);
    const height = heightOf(this.rows);
    const ratio = Math.min(devicePixelRatio, 2);
    this.canvas.style.height = `${height}px`;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const count = length();
    Object.assign(this, within(this, width, count));
    const pen = penOf(this.canvas);
    pen.scale(ratio, ratio);
    pen.clearRect(0, 0, width, height);
    const seen: Seen = { width, height, scale: this.scale, first: this.first, x: (frame) => this.x(frame) };
    drawRuler(pen, seen, count);
    for (const row of this.rows) this.drawRow(pen, seen, row);
    this.placeBar(width, count);
    this.placeSelection();
    this.mark();
  }

  private drawRow(pen: CanvasRenderingContext2D, seen: Seen, row: Row): void {
    if (row.name === "contacts") drawContacts(pen, state.translate, { x: seen.x, width: seen.width, top: row.top, height: row.height });
    else if (row.name === "spacing") drawSpacing(pen, seen, row);
    else if (row.name === "handle") drawHandle(pen, seen, row);
    else if (row.name === "takes") drawTakes(pen, seen, row);
    else if (row.name === "sound") drawSound(pen, seen, row, this.sound, shotOf().sound?.muted ?? false);
    else if (row.name === "hair") drawCells(pen, seen, row, hairCells(hairShown()));
    else {
      drawCells(pen, seen, row, bodyCells());
      drawLocks(pen, seen, row, sheetAnswer());
    }
  }

  /** The names of the rows, and whether each is seen or heard. */
  private names(): void {
    this.rows = rowsNow(this.more);
    const button = (name: string, sign: Icon, pressed: boolean, run: () => void) =>
      h("button", { class: "icon quiet", title: t(name), "aria-label": t(name), "aria-pressed": String(pressed), click: run }, glyph(sign));
    const shot = shotOf();
    const labels: Record<Row["name"], string> = {
      spacing: "Spacing",
      body: "Body",
      hair: "Hair",
      handle: "Spacing",
      takes: "Takes",
      contacts: "footfalls",
      sound: "Sound",
    };
    const tools = (name: Row["name"]): HTMLElement[] => {
      const muted = shot.muted.includes("body");
      if (name === "body" && sheetPart())
        return [
          button(muted ? "Show this row's timing" : "Show every frame instead", muted ? "blind" : "eye", !muted, () => toggleCel("body")),
        ];
      if (name === "hair") {
        const shown = hairShown();
        const run = () => (state.part === "hair" ? toggleCel("hair") : editShot({ hair: !shot.hair }));
        return [button(`${t("Hair")}: ${t(shown ? "Mute" : "Unmute")}`, shown ? "eye" : "blind", shown, run)];
      }
      if (name !== "sound" || !shot.sound) return [];
      const silent = shot.sound.muted;
      return [
        button(silent ? "Unmute" : "Mute", silent ? "mute" : "sound", !silent, () => editSound({ muted: !silent })),
        h(
          "button",
          {
            class: "icon quiet",
            title: t("Remove the sound"),
            "aria-label": t("Remove the sound"),
            click: () => editShot({ sound: null }),
          },
          "×",
        ),
      ];
    };
    refill(
      this.heads,
      ...this.rows.map((row) => {
        const made = h("div", { class: "track-head" }, h("span", {}, t(labels[row.name])), ...tools(row.name));
        made.style.top = `${row.top}px`;
        made.style.height = `${row.height}px`;
        return made;
      }),
    );
    this.grip.setAttribute("aria-label", t("Height of the timeline"));
    this.bar.setAttribute("aria-label", t("timeline"));
    this.canvas.setAttribute("aria-label", t("timeline"));
    this.canvas.title = sheetPart() ? t("Drag to select; drag a selected drawing to move it; drag an edge to lengthen") : "";
  }

  /** The playhead continues; the tracks stay as they are unless it would leave what is seen of them. */
  private follow(): void {
    const { clientWidth: width } = this.canvas;
    if (!width || !this.scale) return;
    const { first } = revealed(this, state.frame, width, length());
    if (first === this.first) this.mark();
    else {
      this.first = first;
      this.draw();
    }
  }

  private mark(): void {
    const at = this.x(state.frame + 0.5);
    this.playhead.style.transform = `translateX(${at}px)`;
    this.playhead.dataset.frame = String(state.frame + 1);
    this.playhead.dataset.side = at < BADGE ? "first" : at > this.wide - BADGE ? "last" : "";
    this.canvas.setAttribute("aria-valuenow", String(state.frame + 1));
    this.canvas.setAttribute("aria-valuemin", "1");
    this.canvas.setAttribute("aria-valuemax", String(length()));
    this.canvas.setAttribute("aria-valuetext", this.transport.count());
  }

  private placeSelection(): void {
    const body = this.row("body");
    const range = state.selection;
    this.chosen.hidden = !range || !body;
    if (!range || !body) return;
    this.chosen.style.transform = `translateX(${this.x(range[0])}px)`;
    this.chosen.style.width = `${(range[1] - range[0]) * this.scale}px`;
    this.chosen.style.top = `${body.top}px`;
    this.chosen.style.height = `${body.height}px`;
  }

  private placeBar(width: number, count: number): void {
    const seen = width / this.scale;
    this.whole = seen >= count - 1e-6;
    this.wide = width;
    this.bar.classList.toggle("all", this.whole);
    this.thumb.style.left = `${(100 * this.first) / count}%`;
    this.thumb.style.width = `${Math.min(100, (100 * seen) / count)}%`;
    this.bar.setAttribute("aria-valuemax", String(Math.max(0, Math.round(count - seen))));
    this.bar.setAttribute("aria-valuenow", String(Math.round(this.first)));
  }

  /** The scroll bar, by pointer and by keys. */
  private scrolls(): void {
    const { bar } = this;
    const frameOf = (event: PointerEvent): number => {
      const { left, width } = bar.getBoundingClientRect();
      return ((event.clientX - left) / width) * length();
    };
    const slide = (event: PointerEvent): void => {
      if (this.held === null) return;
      this.first = frameOf(event) - this.held;
      this.draw();
    };
    bar.addEventListener("pointerdown", (event) => {
      bar.setPointerCapture(event.pointerId);
      const seen = this.canvas.clientWidth / this.scale;
      const away = frameOf(event) - this.first;
      this.held = away >= 0 && away <= seen ? away : seen / 2;
      slide(event);
    });
    bar.addEventListener("pointermove", slide);
    for (const kind of ["pointerup", "pointercancel"] as const) bar.addEventListener(kind, () => (this.held = null));
    bar.addEventListener("keydown", (event) => {
      const way = { ArrowLeft: -0.1, ArrowRight: 0.1, PageUp: -0.9, PageDown: 0.9, Home: -Infinity, End: Infinity }[event.key];
      if (way === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      const seen = this.canvas.clientWidth / this.scale;
      this.first = Math.max(0, Math.min(length() - seen, this.first + way * seen));
      this.draw();
    });
  }

  /** The grip above the timeline, by pointer and by keys. */
  private resizes(): void {
    let from: { y: number; more: number } | null = null;
    const put = (more: number) => {
      this.more = Math.max(LEAST, Math.min(MOST, more));
      keep("timeline", String(Math.round(this.more)));
      this.grip.setAttribute("aria-valuenow", String(Math.round(this.more)));
      this.draw();
      this.names();
    };
    this.grip.setAttribute("aria-valuemin", String(LEAST));
    this.grip.setAttribute("aria-valuemax", String(MOST));
    this.grip.setAttribute("aria-valuenow", String(Math.round(this.more)));
    this.grip.addEventListener("pointerdown", (event) => {
      this.grip.setPointerCapture(event.pointerId);
      from = { y: event.clientY, more: this.more };
    });
    this.grip.addEventListener("pointermove", (event) => from && put(from.more + from.y - event.clientY));
    for (const kind of ["pointerup", "pointercancel"] as const) this.grip.addEventListener(kind, () => (from = null));
    this.grip.addEventListener("keydown", (event) => {
      const way = { ArrowUp: 12, ArrowDown: -12 }[event.key];
      if (way === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      put(this.more + way);
    });
  }

  private down(event: PointerEvent): void {
    this.canvas.setPointerCapture(event.pointerId);
    pause();
    const part = sheetPart();
    const row = this.rowAt(event.offsetY);
    const here = this.frameAt(event.offsetX);
    if (row?.name === "sound" && shotOf().sound) {
      this.drag = { kind: "sound", from: here, start: shotOf().sound?.start ?? 0, gesture: gestureOf("sound") };
      return;
    }
    if (row?.name !== "body" || !part || shotOf().muted.includes("body")) {
      this.drag = { kind: "scrub" };
      this.scrub(event);
      return;
    }
    const edge = this.edgeAt(event);
    const gesture = gestureOf("sheet");
    if (edge > 0) this.drag = { kind: "edge", part, frame: edge, from: here, gesture, moved: false };
    else if (event.shiftKey) select([state.selection?.[0] ?? state.frame, here + 1]);
    else if (this.isChosenRun(here))
      this.drag = { kind: "slide", part, frame: runAt(ownSheet(), here).start, from: here, gesture, moved: false };
    else {
      this.drag = { kind: "select", from: here, moved: false };
      this.scrub(event);
    }
  }

  /** Whether the drawing at `frame`, and nothing else, is selected: then it can be dragged along. */
  private isChosenRun(frame: number): boolean {
    if (!state.selection || frame >= ownSheet().length) return false;
    const { start, end } = runAt(ownSheet(), frame);
    return state.selection[0] === start && state.selection[1] === end;
  }

  private move(event: PointerEvent): void {
    const { drag } = this;
    const here = this.frameAt(event.offsetX);
    switch (drag?.kind) {
      case undefined:
        this.canvas.style.cursor = this.edgeAt(event) > 0 ? "ew-resize" : "default";
        return;
      case "scrub":
        this.scrub(event);
        return;
      case "select":
        if (here === drag.from && !drag.moved) return;
        drag.moved = true;
        select(here < drag.from ? [here, drag.from + 1] : [drag.from, here + 1]);
        this.scrub(event);
        return;
      case "sound":
        editSound({ start: drag.start + here - drag.from }, drag.gesture);
        return;
      case "edge":
        this.pulled(drag, edgeWithin(ownSheet(), drag.frame, Math.round(event.offsetX / this.scale + this.first)));
        return;
      case "slide":
        this.pulled(drag, slideWithin(ownSheet(), drag.frame, drag.frame + here - drag.from));
    }
  }

  /** An edge or a drawing follows the hand; both stop at their neighbours, on the server as here. */
  private pulled(drag: Extract<Drag, { kind: "edge" | "slide" }>, to: number): void {
    if (to === drag.frame) return;
    this.ask({ type: "sheet", part: drag.part, edit: drag.kind, frame: drag.frame, to, gesture: drag.gesture });
    if (drag.kind === "slide" && state.selection) {
      select([state.selection[0] + to - drag.frame, state.selection[1] + to - drag.frame]);
      drag.from += to - drag.frame;
    }
    drag.frame = to;
    drag.moved = true;
  }

  /** A person who presses and does not move means the frame there, and the drawing on it. */
  private up(event: PointerEvent): void {
    const { drag } = this;
    this.drag = null;
    if (!drag || drag.kind === "scrub" || drag.kind === "sound" || drag.moved) return;
    this.scrub(event);
    const here = Math.min(state.frame, ownSheet().length - 1);
    if (sheetPart() && drag.kind === "select") {
      const { start, end } = runAt(ownSheet(), here);
      select([start, end]);
    }
  }

  private scrub(event: PointerEvent): void {
    goTo(this.frameAt(Math.max(0, Math.min(this.canvas.clientWidth - 1, event.offsetX))));
  }

  /** The frame whose left edge is under the pointer, in the sheet's row; 0 if there is none. */
  private edgeAt(event: PointerEvent): number {
    if (this.rowAt(event.offsetY)?.name !== "body" || !sheetPart()) return 0;
    const source = ownSheet();
    const near = Math.round(event.offsetX / this.scale + this.first);
    if (near < 1 || near >= source.length || source[near] === source[near - 1]) return 0;
    const [before, after] = [runAt(source, near - 1), runAt(source, near)];
    const narrow = Math.min(before.end - before.start, after.end - after.start) * this.scale;
    const reach = Math.min(event.pointerType === "touch" ? FINGER : EDGE, RIM * narrow);
    return Math.abs(this.x(near) - event.offsetX) <= reach ? near : 0;
  }

  private zoomBy(factor: number): void {
    Object.assign(this, zoomed(this, this.x(state.frame + 0.5), factor, this.canvas.clientWidth, length()));
    this.draw();
    this.follow();
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const { clientWidth: width } = this.canvas;
    if (event.ctrlKey || Math.abs(event.deltaY) > Math.abs(event.deltaX)) {
      Object.assign(this, zoomed(this, event.offsetX, Math.exp(-event.deltaY / 400), width, length()));
    } else this.first += event.deltaX / this.scale;
    this.draw();
  }
}
