// The Open dialog: built-in samples and characters, the project's files, and a place to drop more.

import { h, keepingFocus } from "../dom";
import { picked } from "../files";
import { clipName } from "../format";
import type { Ask, ShelfItem } from "../generated";
import { glyph } from "../icons";
import { on, state } from "../state";
import { say, t } from "../words";

const FEW = 3;

export function openDialog(ask: (message: Ask) => void): HTMLDialogElement {
  const dialog = h("dialog", { class: "sheet-dialog", id: "open-dialog" });
  const opened = (message: Ask) => () => {
    ask(message);
    dialog.close();
  };
  const motionsOf = (item: ShelfItem) => {
    if (item.motions.length <= FEW) {
      return item.motions.map((key) =>
        h(
          "button",
          { "aria-label": `${t("Open motion")} ${item.name} ${clipName(key)}`.trim(), click: opened({ type: "open", motion: key }) },
          clipName(key) || t("motion"),
        ),
      );
    }
    const choice = h(
      "select",
      { "aria-label": `${t("Motion")} ${item.name}` },
      ...item.motions.map((key) => h("option", { value: key }, clipName(key))),
    );
    return [
      choice,
      h(
        "button",
        { "aria-label": `${t("Open motion")} ${item.name}`, click: () => opened({ type: "open", motion: choice.value })() },
        t("motion"),
      ),
    ];
  };
  const row = (item: ShelfItem) => {
    const own = item.key.startsWith("drop:") || item.key.startsWith("path:");
    const scene = state.told?.scene;
    const open = [scene?.motion, scene?.character].some((key) => key?.split("#")[0] === item.key);
    const used = open || [scene?.translate.animal, ...(scene?.translate.train ?? [])].some((key) => key?.split("#")[0] === item.key);
    return h(
      "li",
      { class: open ? "used" : "" },
      h("div", {}, h("strong", {}, item.name), h("span", {}, say(item.about))),
      h(
        "div",
        { class: "chips" },
        ...(item.character
          ? [
              h(
                "button",
                { "aria-label": `${t("Open character")} ${item.name}`, click: opened({ type: "open", character: item.key }) },
                t("character"),
              ),
            ]
          : []),
        ...motionsOf(item),
        own
          ? h(
              "button",
              {
                title: t("Remove from the project"),
                "aria-label": `${t("Remove from the project")}: ${item.name}`,
                disabled: used,
                click: () => ask({ type: "remove", key: item.key }),
              },
              glyph("bin"),
            )
          : null,
      ),
    );
  };
  const group = (name: string, items: ShelfItem[]) =>
    items.length ? [h("h3", {}, t(name)), h("ul", { class: "shelf" }, ...items.map(row))] : [];
  const draw = () =>
    keepingFocus(dialog, () => {
      const of = (kind: string) => state.shelf.filter((item) => item.key.startsWith(`${kind}:`));
      const picker = h("input", {
        type: "file",
        multiple: true,
        class: "hidden",
        "aria-label": t("Choose files"),
        change: () => {
          void picked(picker, ask).then(() => dialog.close());
        },
      });
      dialog.replaceChildren(
        h("h2", {}, t("Open")),
        h(
          "div",
          { class: "drop-zone" },
          h("p", {}, t("Drop a BVH, GLB, VRM, PMX or VMD anywhere on the page")),
          picker,
          h("button", { class: "primary", click: () => picker.click() }, t("Choose files")),
        ),
        h(
          "div",
          { class: "scroll" },
          ...group("This project's files", [...of("path"), ...of("drop")]),
          ...group("Samples", of("sample")),
          ...group("Characters", of("character")),
        ),
        h("form", { method: "dialog" }, h("button", { class: "wide" }, t("Close"))),
      );
    });
  on(["shelf", "scene", "language"], draw);
  draw();
  return dialog;
}
