// The menu of the reference: which film or stills lie under the stage, how strongly, from where, and how fast.

import { h } from "../dom";
import { glyph } from "../icons";
import { editReference, editShot, gestureOf, takeMedia } from "../shot";
import { on, shotOf, state } from "../state";
import { t } from "../words";

type Number = "opacity" | "offset_s" | "rate" | "scale" | "x" | "y";

const ROWS: { name: Number; label: string; low: number; high: number; step: number }[] = [
  { name: "opacity", label: "Opacity", low: 0, high: 1, step: 0.05 },
  { name: "offset_s", label: "Offset, seconds", low: -10, high: 10, step: 0.01 },
  { name: "rate", label: "Rate", low: 0.1, high: 4, step: 0.01 },
  { name: "scale", label: "Size", low: 0.2, high: 4, step: 0.01 },
  { name: "x", label: "Across", low: -1, high: 1, step: 0.01 },
  { name: "y", label: "Down", low: -1, high: 1, step: 0.01 },
];

export function referenceMenu(): { element: HTMLDetailsElement } {
  const summary = h("summary", { id: "reference-menu" }, glyph("picture"));
  const picker = h("input", {
    type: "file",
    multiple: true,
    class: "hidden",
    accept: ".mp4,.m4v,.mov,.webm,.png,.jpg,.jpeg,.webp",
    change: () => {
      const files = [...(picker.files ?? [])].map((file) => ({ name: file.name, file }));
      picker.value = "";
      void takeMedia(files);
    },
  });
  const add = h("button", { class: "primary", click: () => picker.click() });
  const remove = h("button", { click: () => editShot({ reference: null }) });
  const name = h("strong", {});
  let gesture = "";
  const begin = () => (gesture = gestureOf("reference"));
  const rows = ROWS.map(({ name, low, high, step }) => {
    const slider = h("input", {
      id: `reference-${name}`,
      type: "range",
      min: low,
      max: high,
      step,
      pointerdown: begin,
      keydown: begin,
      input: () => {
        number.value = slider.value;
        editReference({ [name]: Number(slider.value) }, gesture || begin());
      },
    });
    const number = h("input", {
      type: "number",
      step,
      change: () => number.value !== "" && editReference({ [name]: Number(number.value) }, begin()),
    });
    const label = h("label", { for: slider.id });
    return { label, slider, number, row: h("div", { class: "field plain" }, label, slider, number) };
  });
  const element = h(
    "details",
    { class: "reference" },
    summary,
    h("div", { class: "menu wide", role: "group" }, name, ...rows.map(({ row }) => row), h("div", { class: "row" }, add, remove, picker)),
  );
  const draw = () => {
    const { reference } = shotOf();
    const item = state.shelf.find(({ key }) => key === reference?.key);
    summary.setAttribute("aria-label", t("Reference"));
    summary.title = t("Reference");
    summary.classList.toggle("used", reference !== null);
    name.textContent = item?.name ?? t("Reference");
    add.textContent = t("Add a reference");
    picker.setAttribute("aria-label", t("Add a reference"));
    remove.textContent = t("Remove the reference");
    remove.hidden = !reference;
    for (const [n, { label, slider, number, row }] of rows.entries()) {
      const about = ROWS[n];
      if (!about) continue;
      row.hidden = !reference;
      label.textContent = t(about.label);
      number.setAttribute("aria-label", t(about.label));
      const value = String(reference?.[about.name] ?? 0);
      if (document.activeElement !== slider) slider.value = value;
      if (document.activeElement !== number) number.value = value;
    }
  };
  on(["scene", "shelf", "language"], draw);
  draw();
  return { element };
}
