// The live source: a performer on the stage, with a level meter of packets, delay and drops.

import { h } from "../dom";
import { renewShelf } from "../files";
import type { Ask, LiveUpdate } from "../generated";
import "../style/live.css";
import type { Stage } from "../stage/stage";
import { on, state, trouble } from "../state";
import type { Stream } from "../stream";
import { say, t } from "../words";

const PORTS: Record<string, number> = { vmc: 39539, mocopi: 12351 };
/** Packets a second that fill the meter. */
const FULL = 60;

export function livePanel(stage: Stage, stream: Stream, ask: (message: Ask) => void): HTMLElement {
  let told: LiveUpdate | null = null;
  const kind = h("select", { id: "live-source" });
  const port = h("input", { id: "live-port", type: "number", min: 0, max: 65535 });
  const ahead = h("input", { id: "live-ahead", type: "number", min: 0, max: 6 });
  ahead.value = "3";
  const start = h("button", { id: "live-start", class: "primary", click: () => toggle() });
  const record = h("button", { id: "live-record", click: () => stream.ask({ type: "record", on: !recording() }) });
  const bar = h("i");
  const level = h("div", { class: "level", role: "meter", "aria-valuemin": 0, "aria-valuemax": FULL }, bar);
  const meter = h("div", { class: "meter" });
  const line = h("p", { role: "status", id: "live-line" });
  const names = { kind: h("span"), port: h("span"), ahead: h("span") };
  const box = h(
    "div",
    { class: "box", hidden: true },
    h("label", {}, names.kind, kind),
    h("label", {}, names.port, port),
    h("label", {}, names.ahead, ahead),
    h("div", { class: "row" }, start, record),
    level,
    meter,
    line,
  );
  const button = h("button", { id: "live-open", "aria-expanded": "false", click: () => open(!!box.hidden) });

  const running = () => told?.running ?? false;
  const recording = () => (told?.recording ?? -1) >= 0;
  const source = () => (kind.value === "file" ? "file:scene" : `${kind.value}:${Number(port.value)}`);

  function open(shown: boolean): void {
    box.hidden = !shown;
    button.setAttribute("aria-expanded", String(shown));
  }

  function begin(from: string, more: Record<string, string> = {}): void {
    const share = Number(more.hold_share);
    stream.ask({
      type: "start",
      source: from,
      look_ahead: Number(ahead.value),
      ...(share > 0 ? { hold_share: share } : {}),
      ...(Number(more.max_exposures) > 0 ? { max_exposures: Number(more.max_exposures) } : {}),
    });
  }

  function toggle(): void {
    if (running()) stream.ask({ type: "stop" });
    else begin(source());
  }

  function words(): void {
    button.textContent = `◉ ${t("Live")}`;
    names.kind.textContent = t("Source");
    names.port.textContent = t("Port");
    names.ahead.textContent = t("Look-ahead, frames");
    const chosen = kind.value || "vmc";
    const kinds: [string, string][] = [
      ["vmc", "VMC (VSeeFace, VMagicMirror, Warudo ...)"],
      ["mocopi", "Sony mocopi"],
      ["file", "The open motion, as if it were live"],
    ];
    kind.replaceChildren(...kinds.map(([value, name]) => h("option", { value }, t(name))));
    kind.value = chosen;
    draw();
  }

  function draw(): void {
    start.textContent = running() ? t("Stop") : t("Start");
    record.textContent = recording() ? `■ ${t("Stop")} · ${told?.recording}` : `● ${t("Record")}`;
    record.disabled = !running();
    port.disabled = kind.value === "file" || running();
    kind.disabled = ahead.disabled = running();
    const rate = told?.packets_s ?? 0;
    level.classList.toggle("silent", running() && !told?.heard);
    level.setAttribute("aria-valuenow", rate.toFixed(0));
    bar.style.width = running() && !told?.heard ? "100%" : `${Math.min(100, (100 * rate) / FULL)}%`;
    const cells: [string, string][] = [
      [rate.toFixed(0), t("packets per second")],
      [(told?.delay_ms ?? 0).toFixed(0), t("delay, ms")],
      [String(told?.dropped ?? 0), t("dropped")],
    ];
    meter.replaceChildren(...cells.map(([value, name]) => h("span", {}, h("b", {}, value), name)));
    line.textContent = told ? say(told.line) : "";
    button.classList.toggle("recording", running());
  }

  function release(): void {
    stage.live = null;
    stage.draw();
  }

  kind.addEventListener("change", () => {
    port.value = String(PORTS[kind.value] ?? 0);
    draw();
  });
  port.value = String(PORTS.vmc);
  stream.posed = ({ rotations, positions }) => {
    if (!running() || positions.shape[0] !== state.body?.joints.length) return;
    stage.live = { rotations: rotations.data, positions: positions.data };
    stage.result?.put(stage.live);
    stage.draw();
  };
  stream.closed = () => {
    told = null;
    release();
    draw();
  };
  stream.on((message) => {
    if (message.type === "live") {
      if (told?.running && !message.running) release();
      told = message;
      draw();
    } else if (message.type === "live-take") {
      renewShelf().catch(() => undefined);
      line.textContent = t("the take is on the shelf");
    } else if (message.type === "live-trouble") trouble(message.message.en, "live", message.message.ja);
  });
  // Another body has other joints: anybody who performs starts again.
  let body = "";
  on(["body"], () => {
    const now = `${state.told?.scene.character}`;
    if (running() && body && now !== body) stream.ask({ type: "stop" });
    body = now;
  });
  on(["language"], words);
  words();
  const asked = new URLSearchParams(location.hash.slice(1));
  const from = asked.get("live");
  if (from) {
    const who = asked.get("character");
    if (who) ask({ type: "open", character: who });
    if (asked.get("look_ahead")) ahead.value = asked.get("look_ahead") ?? "3";
    const [protocol = "", ...rest] = from.split(":");
    kind.value = protocol;
    if (PORTS[protocol] && rest.length) port.value = rest.at(-1) ?? "";
    open(true);
    begin(from, Object.fromEntries(asked));
  }
  return h("div", { class: "live" }, box, button);
}
