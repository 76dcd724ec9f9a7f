// The studio's page: header, stage, panel, timeline, and the line that joins them to the server.

import { Connection, methods } from "./connection";
import { h, icon } from "./dom";
import { listenForDrops, renewShelf } from "./files";
import { motionName } from "./format";
import type { Arrays, Ask, ErrorMessage, Tell } from "./generated";
import { listen, type Shortcut } from "./keys";
import { exportDialog } from "./panels/export";
import { hairArrays, hairPanel, springsShown } from "./panels/hair";
import { keyposesHook } from "./panels/keyposes";
import { limitedHook } from "./panels/limited";
import { methodPanel, type PanelHook } from "./panels/method";
import { openDialog } from "./panels/open";
import { puppetPanel } from "./panels/puppet";
import { translatePanel } from "./panels/translate";
import { advance, jumped, play } from "./player";
import { Puppet } from "./puppet";
import { savedMark } from "./saved";
import { PuppetStage } from "./stage/puppet";
import { Stage } from "./stage/stage";
import { goTo, keep, on, shownView, state, tell, trouble, type View } from "./state";
import "./style.css";
import { Timeline } from "./timeline/timeline";
import { say, t } from "./words";

// The server knows which methods there are; until it says so there is nothing to show.
while (!state.methods.length) {
  try {
    state.methods = await methods();
  } catch (error) {
    document.getElementById("studio")?.replaceChildren(`${t("connection lost, trying again")}: ${(error as Error).message}`);
    await new Promise((done) => setTimeout(done, 1000));
  }
}

const connection = new Connection(hear, brought, (open) => {
  state.connected = open;
  if (open) {
    ask({ type: "watch", part: state.part, frame: state.frame });
    void renewShelf();
  }
  tell("connection");
});

function ask(message: Ask): void {
  connection.ask(message);
}

function hear(message: Tell): void {
  switch (message.type) {
    case "scene":
      state.told = message;
      tell("scene");
      break;
    case "body":
      state.body = message;
      // An answer may be quicker than its body; only those about an older one are void.
      for (const part of ["limited", "keyposes", "hair", "puppet", "translate"] as const) {
        if ((state[part]?.revision ?? 0) < message.revision) state[part] = null;
      }
      for (const [part, answer] of Object.entries(state.answers)) {
        if ((answer?.revision ?? 0) < message.revision) delete state.answers[part];
      }
      state.frame = Math.min(state.frame, message.frames - 1);
      tell("body");
      break;
    case "limited":
    case "keyposes":
    case "hair":
    case "puppet":
    case "translate":
      Object.assign(state, { [message.type]: message });
      state.progress[message.type] = null;
      tell("answer");
      tell("progress");
      break;
    case "method":
      state.answers[message.part] = message;
      state.progress[message.part] = null;
      tell("answer");
      tell("progress");
      break;
    case "hair_checked":
      state.hairChecks = message;
      tell("answer");
      break;
    case "optimum":
      state.optimum[message.part] = message;
      tell("answer");
      break;
    case "progress":
      state.progress[message.about] = message;
      tell("progress");
      break;
    case "export":
      exporting.ready(message);
      break;
    case "export_ended":
      state.progress.export = null;
      if (message.message) trouble(message.message.en, "export", message.message.ja);
      tell("progress");
      break;
    case "shelf":
      void renewShelf();
      break;
    case "saved":
      state.saved = message;
      tell("connection");
      break;
    case "error":
      state.progress[message.about] = null;
      state.troubles.push(message);
      tell("progress");
      tell("trouble");
      break;
  }
}

function brought(arrays: Arrays): void {
  switch (arrays.type) {
    case "hair_turns":
      hairArrays(stage, arrays);
      break;
    case "followed":
      stage.partner.brought(arrays);
      break;
    case "pose":
      puppet.brought(arrays);
      break;
  }
}

const stage = new Stage();
const timeline = new Timeline(ask);
stage.each(advance);
stage.partner.asking(ask);
const opening = openDialog(ask);
const exporting = exportDialog(ask);
const puppet = new Puppet(stage, (numbers) => connection.send(numbers), ask);
const puppetStage = new PuppetStage(stage, puppet);

function choose(part: string): void {
  state.part = part;
  location.hash = part;
  ask({ type: "watch", part, frame: state.frame });
  tell("part");
}

function setView(view: View): void {
  state.view = view;
  keep("view", view);
  tell("view");
}

const shortcuts: Shortcut[] = [
  { keys: [" "], shown: "space", about: "Play", run: play },
  {
    keys: ["ArrowLeft"],
    shown: "←",
    about: "one frame back",
    run: () => {
      goTo(state.frame - 1);
      jumped();
    },
  },
  {
    keys: ["ArrowRight"],
    shown: "→",
    about: "one frame on",
    run: () => {
      goTo(state.frame + 1);
      jumped();
    },
  },
  {
    keys: ["Home"],
    shown: "Home",
    about: "to the first frame",
    run: () => {
      goTo(0);
      jumped();
    },
  },
  {
    keys: ["End"],
    shown: "End",
    about: "to the last frame",
    run: () => {
      goTo(Infinity);
      jumped();
    },
  },
  { keys: [","], shown: ",", about: "previous key", run: () => (state.part === "puppet" ? puppet.step(-1) : timeline.step(-1)) },
  { keys: ["."], shown: ".", about: "next key", run: () => (state.part === "puppet" ? puppet.step(1) : timeline.step(1)) },
  {
    keys: ["k"],
    shown: "K",
    about: "Drop a key",
    run: () => {
      if (state.part === "puppet") puppet.drop();
    },
  },
  {
    keys: ["r"],
    shown: "R",
    about: "Record",
    run: () => {
      if (state.part === "puppet") puppet.record("", puppetStage.held);
    },
  },
  {
    keys: ["Escape"],
    shown: "Esc",
    about: "Let the pose go",
    run: () => {
      if (state.part === "puppet") puppet.letGo();
    },
  },
  {
    keys: ["l"],
    shown: "L",
    about: "Loop",
    run: () => {
      state.loop = !state.loop;
      tell("playing");
    },
  },
  {
    keys: ["o"],
    shown: "O",
    about: "Onion skin",
    run: () => {
      state.onion = !state.onion;
      tell("view");
    },
  },
  { keys: ["f"], shown: "F", about: "Frame the character", run: () => stage.frameAll() },
  { keys: ["p"], shown: "P", about: "Pin this drawing", run: () => timeline.edit("pin") },
  { keys: ["+", "="], shown: "+", about: "Show the drawing one frame longer", run: () => timeline.edit("insert") },
  {
    keys: ["-", "Delete"],
    shown: "−",
    about: "Take this exposure away",
    run: () => (state.part === "puppet" ? puppet.remove() : timeline.edit("delete")),
  },
  { keys: ["Ctrl+z"], shown: "Ctrl+Z", about: "Undo", run: () => ask({ type: "undo" }) },
  { keys: ["Ctrl+y", "Ctrl+Shift+z"], shown: "Ctrl+Y", about: "Redo", run: () => ask({ type: "redo" }) },
  { keys: ["Ctrl+s"], shown: "Ctrl+S", about: "Save", run: () => ask({ type: "save" }) },
  { keys: ["Ctrl+o"], shown: "Ctrl+O", about: "Open", run: () => opening.showModal() },
  { keys: ["Ctrl+e"], shown: "Ctrl+E", about: "Export", run: () => exporting.open() },
  { keys: ["?"], shown: "?", about: "Help", run: () => help.showModal() },
];
listen(shortcuts);
listenForDrops(ask);

const help = h("dialog", { class: "help" });
const troubles = h("div", { class: "troubles", role: "alert" });
const header = h("header", {});
const notes = h("ul", { class: "notes body-notes" });
/** Methods that are played by hand, or drive another body: panels of their own. */
const own: Record<string, () => HTMLElement> = {
  hair: () => hairPanel(stage, ask),
  puppet: () => puppetPanel(puppet, puppetStage, stage),
  translate: () => translatePanel(ask),
};
/** Methods with evidence to show: what their panels have beyond their declarations. */
const hooks: Record<string, PanelHook> = { limited: limitedHook, keyposes: keyposesHook(stage) };
const panels = new Map(state.methods.map((method) => [method.name, own[method.name]?.() ?? methodPanel(method, ask, hooks[method.name])]));
const labels = h("div", { class: "labels" });
stage.element.append(labels);

function drawHeader(): void {
  const told = state.told;
  const choice = (label: string, value: string, options: [string, string][], change: (value: string) => void) => {
    const select = h(
      "select",
      { "aria-label": t(label), title: t(label), change: () => change(select.value) },
      ...options.map(([key, name]) => h("option", { value: key }, name)),
    );
    select.value = value;
    return select;
  };
  const motions = state.shelf.flatMap((item) => item.motions.map((key): [string, string] => [key, motionName(item.name, key)]));
  const characters: [string, string][] = [
    ["", t("its own skeleton")],
    ...state.shelf.filter((item) => item.character).map((item): [string, string] => [item.key, item.name]),
  ];
  const button = (name: string, path: string, run: () => void, enabled = true) =>
    h("button", { title: t(name), "aria-label": t(name), disabled: !enabled, click: run }, icon(path));
  const view = (name: View, label: string) =>
    h("button", { "aria-pressed": String(state.view === name), click: () => setView(name) }, t(label));
  header.replaceChildren(
    h("strong", { class: "logo" }, "komadori"),
    h("button", { class: "primary", id: "open", click: () => opening.showModal() }, t("Open")),
    choice("Motion", told?.scene.motion ?? "", motions, (key) => ask({ type: "open", motion: key })),
    choice("Character", told?.scene.character ?? "", characters, (key) => ask({ type: "open", character: key })),
    h(
      "nav",
      { role: "tablist" },
      ...state.methods.map(({ name, label, summary }) => {
        const selected = String(state.part === name);
        const title = say(summary);
        return h("button", { role: "tab", id: `tab-${name}`, "aria-selected": selected, title, click: () => choose(name) }, say(label));
      }),
    ),
    h("span", { class: "gap" }),
    savedMark,
    h("button", { id: "export", click: () => exporting.open() }, t("Export")),
    state.part === "puppet"
      ? ""
      : h("div", { class: "group" }, view("side", "Side by side"), view("over", "Overlay"), view("result", "Result alone")),
    button("Undo", "M9 5L3 10l6 5v-3h6a4 4 0 0 1 0 8h-4v2h4a6 6 0 0 0 0-12H9z", () => ask({ type: "undo" }), told?.can_undo),
    button("Redo", "M15 5l6 5-6 5v-3H9a4 4 0 0 0 0 8h4v2H9A6 6 0 0 1 9 10h6z", () => ask({ type: "redo" }), told?.can_redo),
    h(
      "button",
      {
        click: () => {
          state.language = state.language === "ja" ? "en" : "ja";
          keep("language", state.language);
          tell("language");
        },
      },
      state.language === "ja" ? "English" : "日本語",
    ),
    button("Help", "M11 17h2v2h-2zM12 4a5 5 0 0 0-5 5h2a3 3 0 1 1 4 3c-1.500.500-2 1.500-2 3h2c0-2 4-2 4-6a5 5 0 0 0-5-5z", () =>
      help.showModal(),
    ),
  );
  document.getElementById(`tab-${state.part}`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  document.documentElement.lang = state.language;
  help.replaceChildren(
    h("h2", {}, t("Help")),
    h("p", {}, t("Drop a BVH, GLB, VRM, PMX or VMD anywhere on the page")),
    h("table", {}, ...shortcuts.map(({ shown, about }) => h("tr", {}, h("th", {}, h("kbd", {}, shown)), h("td", {}, t(about))))),
    h("form", { method: "dialog" }, h("button", { class: "wide" }, t("Close"))),
  );
  const names = state.part === "hair" && springsShown() ? ["Spring bones", "Drawn wave"] : ["Original", "Result"];
  labels.replaceChildren(...names.map((name) => h("span", {}, shownView() === "side" ? t(name) : "")));
}

function troubleText({ message, ja }: ErrorMessage): string {
  return (state.language === "ja" && ja) || message;
}

function drawTroubles(): void {
  const lost = state.connected ? [] : [h("p", {}, t("connection lost, trying again"))];
  const told = state.troubles.slice(-3).map((trouble) =>
    h(
      "p",
      {},
      troubleText(trouble),
      h(
        "button",
        {
          "aria-label": t("Close"),
          click: () => {
            state.troubles.splice(state.troubles.indexOf(trouble), 1);
            drawTroubles();
          },
        },
        "×",
      ),
    ),
  );
  troubles.replaceChildren(...lost, ...told);
}

on(["scene", "shelf", "language", "part", "view"], drawHeader);
on(["trouble", "connection", "language"], drawTroubles);
on(["body", "language"], () => notes.replaceChildren(...(state.body?.notes ?? []).map((note) => h("li", {}, say(note)))));
on(["part"], () => {
  for (const [name, panel] of panels) panel.hidden = name !== state.part;
});

document
  .getElementById("studio")
  ?.replaceWith(
    h(
      "div",
      { id: "studio" },
      header,
      h("main", {}, stage.element, h("aside", {}, ...panels.values(), notes)),
      timeline.element,
      troubles,
      help,
      opening,
      exporting.element,
    ),
  );
const asked = location.hash.slice(1);
choose(panels.has(asked) ? asked : (state.methods[0]?.name ?? ""));
drawHeader();
