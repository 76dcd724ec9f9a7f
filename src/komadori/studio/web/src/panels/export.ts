// The Export dialog: what, as which file, how it is drawn; progress while it is made, then the download.

import { bytes, formats } from "../connection";
import { h, redrawn } from "../dom";
import { download } from "../download";
import { fileSize } from "../format";
import type { Ask, ExportUpdate, FormatItem, Said } from "../generated";
import { methodOf, on, state } from "../state";
import { say, t } from "../words";

type Kind = FormatItem["kind"];
const KINDS: [Kind, string][] = [
  ["motion", "Motion"],
  ["character", "Character with the motion"],
  ["sheet", "Timesheet"],
  ["picture", "Picture or film"],
  ["frames", "A picture a frame"],
  ["recipe", "Recipe"],
];
export function exportDialog(ask: (message: Ask) => void): {
  element: HTMLDialogElement;
  open: () => void;
  ready: (told: ExportUpdate) => void;
  /** No file is being made any more; the message says why there is none. */
  ended: (message: Said | null) => void;
} {
  const element = h("dialog", { class: "sheet-dialog", id: "export-dialog" });
  let items: FormatItem[] = [];
  let unfit: Record<string, string[]> = {};
  let why: Said = { en: "", ja: "" };
  let cameras: string[] = [];
  let styles: string[] = [];
  let what = "limited";
  let chosen = "motion .bvh";
  let busy = false;
  let said: string[] = [];
  /** Why there is no file: it stands where the eyes are, in the dialog itself. */
  let wrong: Said | null = null;
  const picture = { camera: "three-quarter", style: "toon", width: 640, height: 360, strip: false };

  const select = (label: string, value: string, options: [string, string][], change: (value: string) => void) => {
    const id = `export-${label.toLowerCase().replace(/\W+/g, "-")}`;
    const box = h("select", { id, change: () => change(box.value) }, ...options.map(([key, name]) => h("option", { value: key }, name)));
    box.value = value;
    return h("div", { class: "field" }, h("label", { for: id }, t(label)), box);
  };
  const number = (label: string, key: "width" | "height") => {
    const id = `export-${key}`;
    const box = h("input", { id, type: "number", min: 16, max: 4096, step: 2, change: () => (picture[key] = Number(box.value)) });
    box.value = String(picture[key]);
    return h("div", { class: "field" }, h("label", { for: id }, t(label)), box);
  };
  /** Why this kind cannot be made of what was chosen; empty if it can. */
  const lacking = (item: FormatItem): string => {
    const method = methodOf(what);
    if (item.kind === "sheet" && !method?.makes_sheet) return t("it has no timesheet");
    if (unfit[what]?.includes(`${item.kind} ${item.suffix}`)) return say(why);
    if (item.kind === "recipe" && method && !method.is_step) return t("a recipe has no step for it");
    return item.missing ? say(item.missing) : "";
  };
  const make = () => {
    const [kind, suffix] = chosen.split(" ") as [Kind, string];
    busy = true;
    said = [];
    wrong = null;
    delete state.progress.export; // what an earlier file left there would end this one
    fill();
    ask({ type: "export", what, kind, suffix, language: state.language, ...picture });
    draw();
  };
  const rows = () =>
    KINDS.map(([kind, name]) =>
      h(
        "div",
        { class: "kinds", role: "group", "aria-label": t(name) },
        h("h3", {}, t(name)),
        h(
          "div",
          {},
          ...items
            .filter((item) => item.kind === kind)
            .map((item) => {
              const missing = lacking(item);
              const value = `${item.kind} ${item.suffix}`;
              const box = h("input", {
                type: "radio",
                name: "format",
                value,
                disabled: Boolean(missing),
                change: () => {
                  chosen = value;
                  draw();
                },
              });
              box.checked = chosen === value;
              return h(
                "label",
                { title: missing || `${item.name}: ${say(item.purpose)}`, class: missing ? "missing" : "" },
                box,
                item.suffix,
              );
            }),
        ),
      ),
    );
  const bar = h("progress", { max: 1 });
  const fill = () => {
    const work = state.progress.export;
    bar.setAttribute("aria-label", t("making the file"));
    if (work) bar.value = work.done / Math.max(work.total, 1);
    else bar.removeAttribute("value");
  };
  const draw = () =>
    redrawn(element, () => {
      const pictures = /^(picture|frames) /.test(chosen);
      const film = pictures && chosen !== "picture .png";
      const item = items.find(({ kind, suffix }) => `${kind} ${suffix}` === chosen);
      const missing = item ? lacking(item) : "";
      fill();
      const names = (values: string[]): [string, string][] => values.map((name) => [name, t(name)]);
      element.replaceChildren(
        h("h2", {}, t("Export")),
        select(
          "What",
          what,
          [["original", t("Original")], ...state.methods.map(({ name, label }): [string, string] => [name, say(label)])],
          (value) => {
            what = value;
            draw();
          },
        ),
        h(
          "div",
          { class: "scroll" },
          ...rows(),
          ...(pictures
            ? [
                h(
                  "div",
                  { class: "pictures" },
                  select("Camera", picture.camera, names(cameras), (value) => (picture.camera = value)),
                  select("Style", picture.style, names(styles), (value) => (picture.style = value)),
                  number("Width", "width"),
                  number("Height", "height"),
                  film ? strip() : null,
                ),
              ]
            : []),
        ),
        h(
          "p",
          { class: "told", role: "status" },
          item ? `${item.name}: ${say(item.purpose)}` : "",
          missing ? h("span", {}, missing) : "",
          ...said.map((line) => h("span", {}, line)),
        ),
        h("p", { class: "wrong", role: "alert", hidden: !wrong }, wrong ? say(wrong) : ""),
        h(
          "div",
          { class: "row" },
          busy
            ? h("button", { class: "primary", click: () => ask({ type: "stop_export" }) }, t("Cancel"))
            : h("button", { class: "primary", id: "export-make", disabled: Boolean(missing) || !item, click: make }, t("Export")),
          busy ? bar : null,
          h("span", { class: "gap" }),
          h("button", { click: () => element.close() }, t("Close")),
        ),
      );
    });
  const strip = () => {
    const box = h("input", { id: "export-strip", type: "checkbox", change: () => (picture.strip = box.checked) });
    box.checked = picture.strip;
    return h("div", { class: "field" }, h("label", { for: "export-strip" }, t("Sheet below")), box);
  };
  on(["progress"], () => {
    if (state.progress.export === null && busy) {
      busy = false;
      if (element.open) draw();
    }
    // A step forward moves the bar alone: Cancel must stay below the pointer that is about to press it.
    fill();
  });
  on(["language"], draw);
  on(["connection"], () => {
    if (state.connected || !busy) return;
    busy = false;
    fail(t("connection lost, trying again"));
  });
  const fail = (message: string) => {
    wrong = { en: message, ja: message };
    draw();
  };
  return {
    element,
    open: () => {
      what = methodOf(state.part) ? state.part : "original";
      said = [];
      wrong = null;
      element.showModal();
      draw();
      void formats().then(
        (found) => {
          ({ items, unfit, why, cameras, styles } = found);
          draw();
        },
        (error: Error) => fail(error.message),
      );
    },
    ready: (told) => {
      said = [`${told.name}, ${fileSize(told.size)}`, ...told.notes.map(say)];
      void bytes(told.address).then(
        (data) => download(told.name, data),
        (error: Error) => fail(error.message),
      );
      draw();
    },
    ended: (message) => {
      busy = false;
      state.progress.export = null;
      wrong = message;
      if (message && !element.open) element.showModal();
      draw();
    },
  };
}
