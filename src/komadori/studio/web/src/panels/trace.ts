// Drawing over frames: a strand is traced in a few of them, and the wave that fits them is found.

import { bytes } from "../connection";
import { h } from "../dom";
import type { Ask } from "../generated";
import type { Tracing } from "../stage/tracing";
import { goTo, on, state, tell } from "../state";
import { t } from "../words";

const FEWEST = 4;
const FEWEST_ASIDE = 8;

export function traceSection(tracing: Tracing, ask: (message: Ask) => void): HTMLElement {
  const title = h("h3", {});
  const hint = h("p", { class: "hint" });
  const mode = h("button", {
    id: "trace-mode",
    click: () => {
      tracing.set(!tracing.on);
      draw();
      tell("view");
    },
  });
  const square = h("button", { id: "trace-side", click: () => tracing.square() });
  const frames = h("div", { class: "chips", role: "group" });
  const hold = h("input", { type: "checkbox", id: "trace-hold" });
  const holdLabel = h("label", { for: "trace-hold" });
  const aside = h("input", { type: "checkbox", id: "trace-aside" });
  const asideLabel = h("label", { for: "trace-aside" });
  const fit = h("button", {
    id: "trace-fit",
    class: "primary",
    click: () => ask({ type: "fit_hair", hold: hold.checked, aside: aside.checked && !aside.disabled }),
  });
  const erase = h("button", { id: "trace-erase", click: () => ask({ type: "strand", frame: state.frame, rays: [] }) });
  const clear = h("button", { id: "trace-clear", click: () => ask({ type: "clear_strands" }) });
  const picker = h("input", {
    type: "file",
    accept: ".csv,.json",
    class: "hidden",
    change: () => {
      const file = picker.files?.[0];
      picker.value = "";
      if (file) void file.text().then((text) => ask({ type: "trace", name: file.name, text }));
    },
  });
  const load = h("button", { id: "trace-load", click: () => picker.click() });
  const save = h("button", { id: "trace-save", click: () => void download() });
  const numbers = h("dl", { class: "numbers", id: "trace-numbers" });
  const legend = h("p", { class: "hint legend" });

  const draw = () => {
    const told = state.hair;
    const strands = told?.strands ?? [];
    title.textContent = t("Draw over frames and fit");
    hint.textContent = tracing.on
      ? t("Draw along the strand from root to tip, in four frames or more")
      : t("Trace the picked chain, then let the wave fit it");
    mode.textContent = t("Trace");
    mode.setAttribute("aria-pressed", String(tracing.on));
    square.textContent = t("See it from the side");
    holdLabel.textContent = t("keep the period");
    asideLabel.textContent = t("Keep every second drawing aside to judge the fit");
    aside.disabled = strands.length < FEWEST_ASIDE;
    fit.textContent = t("Fit");
    fit.disabled = strands.length < FEWEST;
    erase.textContent = t("Erase this drawing");
    erase.disabled = !strands.some(({ frame }) => frame === state.frame);
    clear.textContent = t("Erase all");
    clear.disabled = !strands.length;
    load.textContent = t("Load a trace");
    save.textContent = t("Save the trace");
    save.disabled = !told?.trace;
    mode.disabled = square.disabled = load.disabled = !told?.plane;
    frames.setAttribute("aria-label", t("drawn frames"));
    frames.replaceChildren(
      ...strands.map(({ frame }) =>
        h("button", { "aria-pressed": String(frame === state.frame), click: () => goTo(frame) }, String(frame + 1)),
      ),
    );
    const row = (name: string, angle: number, percent: number) => [
      h("dt", {}, t(name)),
      h("dd", {}, `${angle.toFixed(1)}° · ${percent.toFixed(1)} %`),
    ];
    const angle = (name: string, value: number) => [h("dt", {}, t(name)), h("dd", {}, `${value.toFixed(1)}°`)];
    numbers.replaceChildren(
      ...(told?.fit && told.fit.chain === told.chain ? row("the fitted wave", told.fit.angle_deg, told.fit.percent) : []),
      ...(told?.fit && told.fit.chain === told.chain && told.fit.aside
        ? row("on the drawings kept aside", told.fit.aside_angle_deg, told.fit.aside_percent)
        : []),
      ...(told?.fit && told.fit.chain === told.chain && told.fit.rigid_angle_deg > 0
        ? [
            ...angle("for comparison: a rigid swing", told.fit.rigid_angle_deg),
            ...angle("for comparison: springs in a wind", told.fit.springs_angle_deg),
          ]
        : []),
      ...(told && told.shown_angle_deg !== null && told.shown_percent !== null
        ? row("the hair as it is", told.shown_angle_deg, told.shown_percent)
        : []),
    );
    numbers.hidden = !numbers.childElementCount;
    legend.replaceChildren(h("span", { class: "drawn" }, t("drawn")), h("span", { class: "fitted" }, t("fitted")));
    legend.hidden = !strands.length;
  };

  async function download(): Promise<void> {
    const told = state.hair;
    if (!told?.trace) return;
    const link = h("a", { download: `${told.chain}.csv` });
    link.href = URL.createObjectURL(new Blob([await bytes(told.trace)], { type: "text/csv" }));
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  on(["answer", "language", "part"], draw);
  on(["frame"], () => state.part === "hair" && state.hair?.strands.length && draw());
  on(["part", "body"], () => {
    if (tracing.on) {
      tracing.set(false);
      draw();
    }
  });
  draw();
  return h(
    "section",
    { class: "trace" },
    title,
    hint,
    h("div", { class: "row" }, mode, square),
    legend,
    frames,
    h("div", { class: "row" }, fit, h("span", { class: "check" }, hold, holdLabel)),
    h("p", { class: "check" }, aside, asideLabel),
    numbers,
    h("div", { class: "row" }, erase, clear),
    h("div", { class: "row" }, load, save, picker),
  );
}
