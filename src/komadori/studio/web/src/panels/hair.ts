// Hair: presets, wind, sliders, the chains with the textbook's checks, the wave, traces, and spring bones beside it.

import { at } from "../arrays";
import { unpackedAs } from "../binary";
import { bytes } from "../connection";
import { h, refill } from "../dom";
import type { Ask, ChainChecked, ChainInfo, HairArrays } from "../generated";
import { Overlay } from "../stage/actor";
import type { Stage } from "../stage/stage";
import { chainColour, StrandLines } from "../stage/strands";
import { Tracing } from "../stage/tracing";
import { WindArrow } from "../stage/wind";
import { hairShown, keep, on, state, tell, trouble } from "../state";
import { say, t } from "../words";
import { Fields, InUse } from "./fields";
import { traceSection } from "./trace";
import { drawWave, waveOf } from "./wave";

const PRESETS = ["", "breeze", "stream", "gust", "underwater", "run"];
const FIRST = ["period", "size", "wavelength", "calm", "stiffness", "on", "drawings", "spread"];
const HIDDEN = ["preset", "seconds", "by"];
const AROUND_MS = 400;

/** What the textbook asks for: a sign, the check's name, and in words. */
const CHECKS: [string, Exclude<keyof ChainChecked, "name">, string][] = [
  ["8", "figure_8", "the tip draws an 8"],
  ["⇢", "root_to_tip", "the wave runs from root to tip"],
  ["≠", "out_of_step", "out of step with its neighbours"],
  ["↻", "loops", "the loop closes"],
];

let wave: ReturnType<typeof waveOf> = null;
let overlay: Overlay | null = null;
let springs: { address: string; overlay: Overlay | null } | null = null;

/** Turns that the server sent: laid over the clip, and drawn at once. */
export function hairArrays(stage: Stage, sent: HairArrays): void {
  const { frames, joints, rotations } = sent;
  if (!frames) overlay = wave = null;
  else {
    if (!overlay?.fits(frames, joints.data)) overlay = new Overlay(frames, joints.data);
    overlay.put(sent.first, rotations.data);
    wave = waveOf(sent) ?? wave;
  }
  lay(stage);
}

/** Whether the original is moved by spring bones. */
export function springsShown(): boolean {
  return springs !== null;
}

function lay(stage: Stage): void {
  const here = state.part === "hair";
  stage.overlays.result = hairShown() ? overlay : null;
  stage.overlays.original = here && springs ? springs.overlay : null;
  stage.draw();
}

export function hairPanel(stage: Stage, ask: (message: Ask) => void): HTMLElement {
  const active = () => state.part === "hair";
  const tracing = new Tracing(stage, ask);
  const lines = new StrandLines(stage.besideResult);
  const arrow = new WindArrow(stage, () => !tracing.on, ask);
  const fields = new Fields("hair", ask, FIRST, { hidden: HIDDEN, values: () => state.hair?.values ?? {} });
  const presets = h("div", { class: "chips", role: "group" });
  const wind = windFields(ask);
  const numbers = h("dl", { class: "numbers" });
  const plot = h("canvas", { class: "plot", width: 600, height: 200, role: "img" });
  const plotTitle = h("h3", {});
  const chains = h("ul", { class: "chains" });
  const chainsTitle = h("h3", {});
  const notes = h("ul", { class: "notes" });
  const beside = h("input", { type: "checkbox", id: "hair-springs", change: () => void besides(beside.checked) });
  const besideLabel = h("label", { for: "hair-springs" });
  const shown = h("input", {
    type: "checkbox",
    id: "hair-lines",
    change: () => {
      lines.shown = shown.checked;
      stage.draw();
    },
  });
  const shownLabel = h("label", { for: "hair-lines" });
  shown.checked = true;

  const point = (event: Event) => {
    const row = event.type === "pointerleave" ? null : (event.target as HTMLElement).closest<HTMLElement>("[data-chain]");
    const name = row?.dataset.chain ?? "";
    if (name === lines.pointedAt) return;
    lines.pointedAt = name;
    stage.draw();
  };
  for (const kind of ["pointerover", "pointerleave", "focusin"]) chains.addEventListener(kind, point);

  stage.posed(() => {
    // A new body is told of before its figure has come: until then its joints are not on the stage.
    const here = active() && stage.result !== null && stage.result.bones.length === state.body?.joints.length;
    if (stage.result) lines.follow(stage.result, here);
    arrow.follow(here);
    if (here) drawWave(plot, wave);
  });

  async function besides(wanted: boolean): Promise<void> {
    if (!wanted) springs = null;
    else {
      springs = { address: "", overlay: null };
      if (state.view !== "side") {
        state.view = "side";
        keep("view", "side");
      }
      await fetchSprings();
    }
    lay(stage);
    tell("view");
  }

  async function fetchSprings(): Promise<void> {
    const address = state.hair?.springs ?? "";
    if (!springs || !address || springs.address === address) return;
    springs = { address, overlay: null };
    stage.element.classList.add("busy");
    try {
      const { joints, rotations } = unpackedAs("springs", await bytes(address));
      if (springs?.address !== address) return;
      springs.overlay = new Overlay(at(rotations.shape, 0), joints.data);
      springs.overlay.put(0, rotations.data);
      lay(stage);
    } catch (error) {
      trouble((error as Error).message, "hair");
    } finally {
      stage.element.classList.remove("busy");
    }
  }

  function drawPresets(): void {
    const now = state.told?.scene.hair.options.preset ?? "";
    presets.setAttribute("aria-label", t("Presets"));
    refill(
      presets,
      ...PRESETS.map((name) =>
        h(
          "button",
          {
            id: `preset-${name || "plain"}`,
            "data-preset": name,
            "aria-pressed": String(now === name),
            click: () => ask({ type: "preset", preset: name }),
          },
          t(name || "plain"),
        ),
      ),
    );
  }

  function drawChains(): void {
    const off = new Set(state.told?.scene.hair.off ?? []);
    const checks = new Map((state.hairChecks?.chains ?? []).map((one) => [one.name, one]));
    chainsTitle.textContent = t("Chains");
    shownLabel.textContent = t("show chains");
    besideLabel.textContent = t("Spring bones beside it");
    beside.disabled = !state.hair?.springs;
    const heads = CHECKS.map(([sign, , about]) => h("span", { class: "mark", title: t(about) }, sign));
    refill(
      chains,
      h(
        "li",
        { class: "heads", "aria-hidden": "true" },
        h("span"),
        h("span"),
        h("span"),
        h("span"),
        h("span", { class: "marks" }, ...heads),
      ),
      ...(state.body?.chains ?? []).map((chain, number) => chainRow(chain, number, !off.has(chain.name), checks.get(chain.name), ask)),
    );
  }

  function drawAnswer(): void {
    const told = state.hair;
    if (!told) return;
    const row = (name: string, value: string) => [h("dt", {}, t(name)), h("dd", {}, value)];
    numbers.replaceChildren(
      ...(told.plane
        ? [
            ...row("repeats in", `${told.cycle} ${t("frames")} · ${told.period_s.toFixed(2)} s`),
            ...row("drawings a cycle", `${told.drawings} · ${t(["on ones", "on twos", "on threes", "on fours"][told.step - 1] ?? "held")}`),
            ...row("loops after", `${told.loop_s.toFixed(2)} s`),
          ]
        : []),
    );
    plotTitle.textContent = `${t("Wave")} · ${told.chain}`;
    plot.setAttribute("aria-label", plotTitle.textContent);
    plot.hidden = plotTitle.hidden = !told.plane;
    notes.replaceChildren(...told.notes.map((note) => h("li", {}, say(note))));
  }

  // The server sends the frames around the present one first: it has to know where that is.
  let looking = 0;
  on(["frame"], () => {
    if (!active() || (state.body?.frames ?? 0) < 600 || looking) return;
    looking = setTimeout(() => {
      looking = 0;
      if (active()) ask({ type: "watch", part: "hair", frame: state.frame });
    }, AROUND_MS);
  });
  on(["body"], () => {
    overlay = wave = null;
    state.hairChecks = null;
    if (springs) springs = { address: "", overlay: null };
    lines.renew();
    lay(stage);
  });
  on(["part", "scene"], () => lay(stage));
  // A dragged arrow brings a scene and an answer for every step of the hand: the panel is renewed once a picture.
  let waiting = false;
  on(["scene", "language", "body", "part", "answer"], () => {
    if (!active() || waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      fields.renew();
      wind.renew();
      drawPresets();
      drawChains();
      drawAnswer();
    });
  });
  on(["answer", "part"], () => {
    if (active()) void fetchSprings();
  });
  return h(
    "section",
    { class: "panel", id: "panel-hair" },
    presets,
    wind.element,
    fields.element,
    numbers,
    plotTitle,
    plot,
    h("div", { class: "row spread" }, chainsTitle, h("span", { class: "check" }, shown, shownLabel)),
    chains,
    h("p", { class: "check" }, beside, besideLabel),
    traceSection(tracing, ask),
    notes,
  );
}

/** One chain: its colour, whether it moves, its name (which picks it), and what the textbook says of it. */
function chainRow(
  chain: ChainInfo,
  number: number,
  moves: boolean,
  found: ChainChecked | undefined,
  ask: (message: Ask) => void,
): HTMLElement {
  const box = h("input", {
    type: "checkbox",
    id: `chain-moves-${number}`,
    "aria-label": chain.name,
    change: () => ask({ type: "chain", name: chain.name, on: box.checked }),
  });
  box.checked = moves;
  const swatch = h("span", { class: "swatch" });
  swatch.style.background = moves ? chainColour(number) : "transparent";
  const mark = (value: boolean | null | undefined, about: string) => {
    const said = value === undefined || value === null ? "–" : value ? "✓" : "✗";
    return h(
      "span",
      {
        class: value === false ? "mark bad" : value ? "mark good" : "mark",
        title: t(about),
        role: "img",
        "aria-label": `${t(about)}: ${said}`,
      },
      said,
    );
  };
  const checks = moves ? CHECKS.map(([, name, about]) => mark(found?.[name], about)) : [];
  const picked = state.hair?.chain === chain.name;
  return h(
    "li",
    { "data-chain": chain.name },
    box,
    swatch,
    h(
      "button",
      {
        id: `chain-${number}`,
        "aria-pressed": String(picked),
        title: t("Look at this chain"),
        click: () => ask({ type: "chain", name: chain.name }),
      },
      chain.name,
    ),
    h("span", { class: "kind" }, `${t(chain.kind)} · ${chain.joints.length}`),
    h("span", { class: "marks" }, ...checks),
  );
}

/** The wind as three numbers, and back to the preset's own. */
function windFields(ask: (message: Ask) => void): { element: HTMLElement; renew: () => void } {
  const inputs = ["x", "y", "z"].map((axis) =>
    h("input", { type: "number", step: 0.1, min: -200, max: 200, id: `wind-${axis}`, change: () => blow() }),
  );
  const use = inputs.map((input) => new InUse(input));
  const title = h("span", {});
  const reset = h("button", { id: "wind-reset", click: () => ask({ type: "wind", wind: null }) });
  const blow = () => ask({ type: "wind", wind: inputs.map((input) => Number(input.value) || 0) });
  const renew = () => {
    title.textContent = `${t("Wind")} (m/s)`;
    inputs.forEach((input, n) => {
      input.setAttribute("aria-label", `${t("Wind")} ${"xyz"[n]}`);
      if (!use[n]?.now) input.value = String(Number((state.hair?.wind[n] ?? 0).toFixed(2)));
    });
    reset.textContent = t("preset's");
    reset.title = t("Let the preset's own wind blow");
    reset.disabled = state.told?.scene.hair.wind === null;
  };
  return { element: h("div", { class: "wind" }, title, ...inputs, reset), renew };
}
