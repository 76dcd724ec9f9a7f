// Levers for the puppet's handle: gamepads, MIDI controllers, and whatever sends OSC. A lever is learned by moving it.

import { h, redrawn } from "./dom";
import type { Control } from "./generated";
import { midiLever, placed } from "./levers";
import { gesture, type Place, type Puppet } from "./puppet";
import { on, state } from "./state";
import type { Stream } from "./stream";
import { t } from "./words";

const TARGETS = ["x", "y", "z", "record"] as const;
type Target = Control["target"];
/** How far a lever must go from where it was to be meant. */
const MEANT = 0.3;
/** Metres that the handle goes either way from where it is when a lever is learned. */
const REACH = 0.6;

export class Levers {
  private learning: Target | null = null;
  private readonly rest = new Map<string, number>();
  private readonly last = new Map<string, number>();
  private midi = false;
  /** What was learned last, until the scene has it. */
  private learnt: Control[] | null = null;

  constructor(
    private readonly puppet: Puppet,
    stream: Stream,
    private readonly changed: () => void,
  ) {
    stream.on((told) => {
      if (told.type === "osc") this.moved(`osc:${told.address}:${told.index}`, told.value);
    });
    const poll = () => {
      if (state.part === "puppet") this.poll();
      requestAnimationFrame(poll);
    };
    requestAnimationFrame(poll);
    on(["scene"], () => {
      if (!state.unheard) this.learnt = null;
    });
  }

  get controls(): Control[] {
    return this.learnt ?? this.puppet.part?.controls ?? [];
  }

  get learns(): Target | null {
    return this.learning;
  }

  learn(target: Target): void {
    this.learning = this.learning === target ? null : target;
    this.rest.clear();
    void this.openMidi();
    this.changed();
  }

  clear(target: Target): void {
    this.keep(this.controls.filter((one) => one.target !== target));
  }

  /** A lever stands at `value`. */
  moved(control: string, value: number): void {
    if (this.learning) {
      const rest = this.rest.get(control);
      if (rest === undefined) this.rest.set(control, control.startsWith("midi") ? 0.5 * Math.round(value) : value);
      if (rest !== undefined && Math.abs(value - rest) > MEANT) this.learned(control);
      else if (rest === undefined && control.startsWith("midi-note") && value > 0) this.learned(control);
      return;
    }
    const before = this.last.get(control);
    this.last.set(control, value);
    if (before === value) return;
    const place: Place = [...this.puppet.handle];
    let led = false;
    for (const one of this.controls) {
      if (one.control !== control) continue;
      if (one.target === "record") {
        if (value > 0.5 && !(before !== undefined && before > 0.5)) this.puppet.record("", true);
      } else {
        place[TARGETS.indexOf(one.target)] = placed(one, value);
        led = true;
      }
    }
    if (led) this.puppet.move(place);
  }

  private learned(control: string): void {
    const target = this.learning;
    if (!target) return;
    this.learning = null;
    const here = target === "record" ? 0 : (this.puppet.handle[TARGETS.indexOf(target)] ?? 0);
    const span = target === "record" ? 0 : REACH;
    const others = this.controls.filter((one) => one.target !== target);
    this.keep([...others, { control, target, low: here - span, high: here + span }]);
  }

  private keep(controls: Control[]): void {
    this.learnt = controls;
    this.puppet.ask({ type: "controls", controls, gesture: gesture("controls") });
    this.changed();
  }

  private poll(): void {
    for (const pad of navigator.getGamepads?.() ?? []) {
      if (!pad) continue;
      pad.axes.forEach((value, n) => void this.moved(`gamepad:axis:${pad.index}:${n}`, value));
      pad.buttons.forEach((one, n) => void this.moved(`gamepad:button:${pad.index}:${n}`, one.value));
    }
  }

  private async openMidi(): Promise<void> {
    if (this.midi || !navigator.requestMIDIAccess) return;
    this.midi = true;
    try {
      const access = await navigator.requestMIDIAccess();
      const listen = () => {
        for (const input of access.inputs.values())
          input.onmidimessage = (event) => {
            const lever = midiLever(event.data);
            if (lever && state.part === "puppet") this.moved(lever.control, lever.value);
          };
      };
      access.onstatechange = listen;
      listen();
    } catch {
      // The browser's user said no: gamepads and OSC still work.
      this.midi = false;
    }
  }
}

/** The levers in the puppet's panel: what moves what, learned by moving it. */
export function leversPanel(puppet: Puppet, stream: Stream): HTMLElement {
  const rows = h("ul", { class: "rows levers" });
  const title = h("summary");
  const said = h("p", { class: "said", role: "status" });
  const port = h("input", {
    id: "osc-port",
    type: "number",
    min: 0,
    max: 65535,
    change: () => stream.ask({ type: "osc-listen", port: Number(port.value) }),
  });
  port.value = "0";
  const portName = h("label", { for: "osc-port" });
  const renew = (): void => {
    title.textContent = t("Gamepad, MIDI and OSC");
    portName.textContent = t("OSC port");
    said.textContent = levers.learns ? t("move the control that you want to use") : "";
    redrawn(rows, () => rows.replaceChildren(...TARGETS.map(row)));
  };
  const row = (target: Target): HTMLElement => {
    const mapped = levers.controls.find((one) => one.target === target);
    return h(
      "li",
      { "data-lever": target },
      h("span", {}, target === "record" ? t("record (button)") : t(`Handle ${target}`)),
      h("code", {}, mapped?.control ?? "–"),
      h("button", { class: "small", "aria-pressed": String(levers.learns === target), click: () => levers.learn(target) }, t("Learn")),
      h("button", { class: "small", disabled: !mapped, click: () => levers.clear(target) }, t("Clear")),
    );
  };
  const levers = new Levers(puppet, stream, renew);
  on(["scene", "language", "part"], renew);
  renew();
  return h("details", { class: "sliders", id: "puppet-levers" }, title, rows, said, h("div", { class: "field" }, portName, port));
}
