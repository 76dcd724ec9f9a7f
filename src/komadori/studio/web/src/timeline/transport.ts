// The transport: play and its options, if there is one, and what can be done to the sheet.

import { h, refill } from "../dom";
import { glyph, type Icon } from "../icons";
import { jumped, pause, play } from "../player";
import { editShot, setIn, setOut, takeMedia } from "../shot";
import { keep, length, on, playRange, sheet, sheetAnswer, sheetPart, shotOf, state, tell } from "../state";
import { t } from "../words";
import { canPin, type Editing, isLocked } from "./editing";
import { drawingNumber } from "./exposures";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2];
/** Frames a second of film, television and games. */
const RATES = [8, 12, 15, 24, 25, 30, 48, 60];

export interface Steps {
  step: (direction: 1 | -1) => void;
  zoom: (factor: number) => void;
  rate: (fps: number) => void;
}

export class Transport {
  readonly element = h("div", { class: "transport", role: "toolbar" });
  readonly counter = h("output", { class: "counter", "aria-live": "off" });
  private readonly lock = h("button", { class: "icon", id: "sheet-lock", click: () => this.toggleLock() }, glyph("lock"));
  private readonly picker = h("input", {
    type: "file",
    multiple: true,
    class: "hidden",
    accept: ".wav,.mp3,.ogg,.flac,.m4a",
    "aria-label": "sound file",
    change: () => {
      const files = [...(this.picker.files ?? [])].map((file) => ({ name: file.name, file }));
      this.picker.value = "";
      void takeMedia(files);
    },
  });

  constructor(
    private readonly editing: Editing,
    private readonly steps: Steps,
  ) {
    on(["playing", "language", "part", "answer", "scene", "range", "view"], () => this.draw());
    this.draw();
  }

  toggleLock(): void {
    this.editing.edit(isLocked(state.frame) ? "unlock" : "lock");
  }

  private draw(): void {
    const button = (
      name: string,
      sign: Icon,
      run: () => void,
      more: { key?: string; pressed?: boolean; off?: boolean; id?: string } = {},
    ) =>
      h(
        "button",
        {
          class: "icon",
          id: more.id ?? null,
          title: more.key ? `${t(name)} (${more.key})` : t(name),
          "aria-label": t(name),
          "aria-pressed": more.pressed === undefined ? null : String(more.pressed),
          disabled: more.off ?? false,
          click: run,
        },
        glyph(sign),
      );
    const toggle = (name: "loop" | "bounce" | "xsheet") => () => {
      state[name] = !state[name];
      if (name === "xsheet") keep("xsheet", state.xsheet ? "yes" : "no");
      jumped();
      tell(name === "xsheet" ? "view" : "playing");
    };
    const speed = h(
      "select",
      {
        id: "speed",
        "aria-label": t("Playback speed"),
        title: t("Playback speed"),
        change: () => {
          state.speed = Number(speed.value);
          jumped();
          tell("playing");
        },
      },
      ...SPEEDS.map((value) => h("option", { value }, `${value} ×`)),
    );
    speed.value = String(state.speed);
    const now = state.told?.scene.fps ?? 24;
    const rate = h(
      "select",
      { id: "rate", "aria-label": t("Frame rate"), title: t("Frame rate"), change: () => this.steps.rate(Number(rate.value)) },
      ...[...new Set([...RATES, now])].sort((a, b) => a - b).map((value) => h("option", { value }, `${value} fps`)),
    );
    rate.value = String(now);
    const shot = shotOf();
    const [from, to] = playRange();
    const ranged = shot.first !== null || shot.last !== null;
    this.element.setAttribute("aria-label", t("Play"));
    this.picker.setAttribute("aria-label", t("Add sound"));
    refill(
      this.element,
      button("previous key", "previous", () => this.steps.step(-1), { key: "," }),
      state.playing ? button("Pause", "pause", pause, { key: "space" }) : button("Play", "play", play, { key: "space" }),
      button("next key", "next", () => this.steps.step(1), { key: "." }),
      button("Loop", "loop", toggle("loop"), { key: "L", pressed: state.loop }),
      button("Ping-pong", "bounce", toggle("bounce"), { pressed: state.bounce, off: !state.loop }),
      speed,
      rate,
      h("span", { class: "rule" }),
      button("In point", "in", setIn, { key: "[", pressed: shot.first !== null }),
      button("Out point", "out", setOut, { key: "]", pressed: shot.last !== null }),
      ranged
        ? h(
            "button",
            {
              class: "icon",
              id: "shot-range",
              title: t("Clear the in and out points"),
              "aria-label": `${t("Clear the in and out points")}: ${from + 1}–${to}`,
              click: () => editShot({ first: null, last: null }),
            },
            `${from + 1}–${to} ×`,
          )
        : "",
      this.counter,
      h("span", { class: "gap" }),
      ...this.sheetTools(button),
      h("span", { class: "rule" }),
      button("Zoom out", "zoomOut", () => this.steps.zoom(1 / 1.6)),
      button("Zoom in", "zoomIn", () => this.steps.zoom(1.6)),
      button("Timesheet view", "sheet", toggle("xsheet"), { key: "T", pressed: state.xsheet, id: "xsheet-toggle" }),
      button("Add sound", "sound", () => this.picker.click()),
      this.picker,
    );
    this.count();
  }

  private sheetTools(
    button: (name: string, sign: Icon, run: () => void, more?: { key?: string; off?: boolean }) => HTMLElement,
  ): (HTMLElement | string)[] {
    if (!sheetPart()) return [];
    const { editing } = this;
    const on = (step: number, name: string) =>
      h(
        "button",
        { class: "icon step", title: `${t(name)} (${step})`, "aria-label": t(name), click: () => editing.on(step) },
        String(step),
      );
    const edited = sheetAnswer()?.edited ?? false;
    const [first, last] = state.selection ?? [0, 0];
    const chosen = `${first + 1}–${last}`;
    return [
      h(
        "output",
        { class: "selected", id: "selected", title: `${t("Selection")}: ${chosen}`, hidden: !state.selection },
        state.selection ? chosen : "",
      ),
      edited
        ? h(
            "button",
            { class: "quiet reset", title: `${t("edited by hand")} · ${t("Reset the sheet")}`, click: () => editing.edit("reset") },
            h("span", {}, `${t("edited by hand")} · `),
            t("Reset the sheet"),
          )
        : "",
      h(
        "div",
        { class: "group", role: "group", "aria-label": t("Exposure sheet") },
        on(1, "Set on ones"),
        on(2, "Set on twos"),
        on(3, "Set on threes"),
      ),
      button("Copy", "copy", () => editing.copy(), { key: "Ctrl+C" }),
      button("Paste", "paste", () => editing.paste(), { key: "Ctrl+V", off: !state.copied.length }),
      button("Extend this drawing by one frame", "plus", () => editing.edit("insert"), { key: "+" }),
      button("Shorten this drawing by one frame", "minus", () => editing.edit("delete"), { key: "−" }),
      canPin() ? button("Pin this drawing", "pin", () => editing.edit("pin"), { key: "P" }) : "",
      this.lock,
    ];
  }

  /** Where one is; called for every frame, so that it changes text alone. */
  count(): string {
    const source = sheet();
    const here = Math.min(state.frame, source.length - 1);
    const seconds = state.frame / (state.body?.fps ?? 24);
    const place = `${t("frame")} ${state.frame + 1} / ${length()} · ${seconds.toFixed(2)} s`;
    const said = sheetPart()
      ? `${place} · ${t("drawing")} ${drawingNumber(source, here)} · ${t("source frame")} ${(source[here] ?? 0) + 1}`
      : place;
    this.counter.textContent = said;
    this.counter.title = said;
    const locked = isLocked(state.frame);
    const name = t(locked ? "Unlock this drawing" : "Lock this drawing");
    this.lock.setAttribute("aria-pressed", String(locked));
    this.lock.setAttribute("aria-label", name);
    this.lock.title = `${name} (U)`;
    return said;
  }
}
