// The Project dialog: which there are, a new one, a copy under another name, and one file to share.

import { bytes, projects } from "../connection";
import { h, keepingFocus } from "../dom";
import { download } from "../download";
import { picked } from "../files";
import type { Ask, ProjectItem } from "../generated";
import { on, state } from "../state";
import { t } from "../words";

export function projectDialog(ask: (message: Ask) => void): { element: HTMLDialogElement; open: () => void } {
  const element = h("dialog", { class: "sheet-dialog", id: "project-dialog" });
  let items: ProjectItem[] = [];
  let wrong = "";
  let name = "";
  const asked = (edit: "new" | "open" | "save-as", key: string) => {
    ask({ type: "project", edit, name: key });
    element.close();
  };
  const share = () =>
    bytes("api/project").then(
      (data) => download(`${state.told?.project ?? "project"}.zip`, data),
      (error: Error) => fail(error),
    );
  const fail = (error: Error) => {
    wrong = error.message;
    draw();
  };
  const row = (item: ProjectItem) =>
    h(
      "li",
      { class: item.open ? "used" : "" },
      h("div", {}, h("strong", {}, item.name), h("span", {}, item.open ? t("open now") : ago(item.age_s))),
      h(
        "div",
        { class: "chips" },
        h(
          "button",
          { "aria-label": `${t("Open project")} ${item.name}`, disabled: item.open, click: () => asked("open", item.key) },
          t("Open project"),
        ),
      ),
    );
  const draw = () =>
    keepingFocus(element, () => {
      const field = h("input", {
        type: "text",
        id: "project-name",
        maxlength: 80,
        placeholder: t("Name of the project"),
        "aria-label": t("Name of the project"),
        input: () => {
          name = field.value;
          for (const button of [fresh, copy]) button.disabled = !name.trim();
        },
      });
      field.value = name;
      const fresh = h("button", { id: "project-new", disabled: !name.trim(), click: () => asked("new", name) }, t("New project"));
      const copy = h("button", { id: "project-copy", disabled: !name.trim(), click: () => asked("save-as", name) }, t("Save as"));
      const picker = h("input", {
        type: "file",
        accept: ".zip",
        class: "hidden",
        "aria-label": t("Open a project's file"),
        change: () => void picked(picker, ask).then(() => element.close()),
      });
      element.replaceChildren(
        h("h2", {}, `${t("Project")}: ${state.told?.project ?? ""}`),
        h("div", { class: "row" }, field, fresh, copy),
        h(
          "div",
          { class: "row" },
          h("button", { class: "primary", id: "project-share", click: () => void share() }, t("Share as one file")),
          h("button", { click: () => picker.click() }, t("Open a project's file")),
          picker,
        ),
        h("p", { class: "wrong", role: "alert", hidden: !wrong }, wrong),
        h("h3", {}, t("Recent projects")),
        h("div", { class: "scroll" }, h("ul", { class: "shelf" }, ...items.map(row))),
        h("form", { method: "dialog" }, h("button", { class: "wide" }, t("Close"))),
      );
    });
  on(["language", "scene"], () => {
    if (element.open) draw();
  });
  return {
    element,
    open: () => {
      wrong = name = "";
      element.showModal();
      draw();
      void projects().then((found) => {
        ({ items } = found);
        draw();
      }, fail);
    },
  };
}

/** How long ago, in the largest unit that fits. */
function ago(seconds: number): string {
  if (seconds < 0) return "";
  const units: [Intl.RelativeTimeFormatUnit, number][] = [
    ["day", 86400],
    ["hour", 3600],
    ["minute", 60],
  ];
  const [unit, size] = units.find(([, length]) => seconds >= length) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(state.language, { numeric: "auto" }).format(-Math.round(seconds / size), unit);
}
