// The studio's page: header, stage, panel, timeline, and the line that joins them to the server.

import { Connection, methods, token } from "./connection";
import { h, refill } from "./dom";
import { listenForDrops, renewShelf } from "./files";
import { motionName } from "./format";
import type { Arrays, Ask, Tell } from "./generated";
import { leversPanel } from "./handles";
import { glyph, type Icon } from "./icons";
import { listen, type Shortcut } from "./keys";
import { notice, notices, troubles } from "./notices";
import { exportDialog } from "./panels/export";
import { hairArrays, hairPanel, springsShown } from "./panels/hair";
import { keyposesHook } from "./panels/keyposes";
import { limitedHook } from "./panels/limited";
import { livePanel } from "./panels/live";
import { methodPanel, type PanelHook } from "./panels/method";
import { foldedNotes, saidOnStage } from "./panels/notes";
import { openDialog } from "./panels/open";
import { projectDialog } from "./panels/project";
import { puppetPanel } from "./panels/puppet";
import { translatePanel } from "./panels/translate";
import { advance, jumped, play } from "./player";
import { Puppet } from "./puppet";
import { savedMark } from "./saved";
import { listenToShot, setIn, setOut } from "./shot";
import { KeyPoseStage } from "./stage/keyposing";
import { PuppetStage } from "./stage/puppet";
import { Underlay } from "./stage/reference";
import { Stage, VIEWS } from "./stage/stage";
import { toolbar } from "./stage/toolbar";
import { goTo, keep, on, select, shownView, state, tell, trouble } from "./state";
import { Stream } from "./stream";
import "./style/theme.css";
import "./style/controls.css";
import "./style/layout.css";
import "./style/panels.css";
import "./style/timeline.css";
import { isDark, switchTheme } from "./theme";
import { Timeline } from "./timeline/timeline";
import { XSheet } from "./timeline/xsheet";
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
    // After a restart the revisions begin again: what was answered before has nothing to do with them.
    forget();
    ask({ type: "watch", part: state.part, frame: state.frame });
    renewShelf().catch((error: Error) => trouble(error.message, "shelf"));
  }
  state.saved = null;
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
      // At another frame rate the same second is shown.
      if (state.body && state.body.name === message.name) state.frame = Math.round((state.frame * message.fps) / state.body.fps);
      state.body = message;
      // An answer may be quicker than its body; only those about an older one are void.
      for (const part of ["limited", "keyposes", "hair", "puppet", "translate"] as const) {
        if ((state[part]?.revision ?? 0) < message.revision) state[part] = null;
      }
      for (const [part, answer] of Object.entries(state.answers)) {
        if ((answer?.revision ?? 0) < message.revision) delete state.answers[part];
      }
      state.frame = Math.min(state.frame, message.frames - 1);
      if (message.long) notice(message.long);
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
      exporting.ended(message.message);
      break;
    case "shelf":
      renewShelf().catch((error: Error) => trouble(error.message, "shelf"));
      break;
    case "undone":
      if (message.part && message.part !== state.part) choose(message.part);
      notice(message.about);
      break;
    case "answered":
      state.answered = message;
      tell("settled");
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

function forget(): void {
  for (const part of ["limited", "keyposes", "hair", "hairChecks", "puppet", "translate"] as const) state[part] = null;
  state.answers = {};
  state.answered = null;
  state.optimum = {};
  state.progress = {};
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
      if (state.part === "keyposes") keyPoses.brought(arrays);
      else puppet.brought(arrays);
      break;
  }
}

const stage = new Stage();
new Underlay(stage);
const timeline = new Timeline(ask);
const xsheet = new XSheet(timeline.sound);
listenToShot(ask);
stage.each(advance);
stage.partner.asking(ask);
const opening = openDialog(ask);
const exporting = exportDialog(ask);
const project = projectDialog(ask);
const puppet = new Puppet(stage, (numbers) => connection.feel(numbers), ask);
const puppetStage = new PuppetStage(stage, puppet);
const keyPoses = new KeyPoseStage(stage, (numbers) => connection.feel(numbers), ask);
const stream = new Stream(token);
stage.element.append(livePanel(stage, stream, ask));

function choose(part: string): void {
  state.part = part;
  location.hash = part;
  ask({ type: "watch", part, frame: state.frame });
  tell("part");
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
    about: "Add a key here",
    run: () => {
      if (state.part === "puppet") puppet.drop();
    },
  },
  {
    keys: ["m"],
    shown: "M",
    about: "Mirror the pose",
    run: () => (state.part === "puppet" ? puppet.pose("mirror") : keyPoses.edit("mirror")),
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
    about: "Discard the pose",
    run: () => {
      if (state.part === "puppet") puppet.letGo();
      else select(null);
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
  {
    keys: ["g"],
    shown: "G",
    about: "Ghosts of the drawings around",
    run: () => {
      state.ghosts = !state.ghosts;
      tell("view");
    },
  },
  {
    keys: ["a"],
    shown: "A",
    about: "Arcs with a tick at every drawing",
    run: () => {
      state.arcs = !state.arcs;
      tell("view");
    },
  },
  { keys: ["f"], shown: "F", about: "Frame the character", run: () => stage.frameAll() },
  { keys: ["Numpad1"], shown: "Num1", about: "Front view", run: () => stage.frameAll(VIEWS.front) },
  { keys: ["Numpad3"], shown: "Num3", about: "Side view", run: () => stage.frameAll(VIEWS.side) },
  { keys: ["Numpad9"], shown: "Num9", about: "Back view", run: () => stage.frameAll(VIEWS.back) },
  { keys: ["Numpad7"], shown: "Num7", about: "Top view", run: () => stage.frameAll(VIEWS.top) },
  { keys: ["p"], shown: "P", about: "Pin this drawing", run: () => timeline.editing.edit("pin") },
  { keys: ["+", "="], shown: "+", about: "Extend this drawing by one frame", run: () => timeline.editing.edit("insert") },
  {
    keys: ["-", "Delete"],
    shown: "−",
    about: "Shorten this drawing by one frame",
    run: () => (state.part === "puppet" ? puppet.remove() : timeline.editing.edit("delete")),
  },
  { keys: ["u"], shown: "U", about: "Lock or unlock this drawing", run: () => timeline.transport.toggleLock() },
  { keys: ["1"], shown: "1", about: "Set on ones", run: () => timeline.editing.on(1) },
  { keys: ["2"], shown: "2", about: "Set on twos", run: () => timeline.editing.on(2) },
  { keys: ["3"], shown: "3", about: "Set on threes", run: () => timeline.editing.on(3) },
  { keys: ["Ctrl+c"], shown: "Ctrl+C", about: "Copy", run: () => timeline.editing.copy() },
  { keys: ["Ctrl+v"], shown: "Ctrl+V", about: "Paste", run: () => timeline.editing.paste() },
  { keys: ["Ctrl+a"], shown: "Ctrl+A", about: "Select all", run: () => select([0, Infinity]) },
  { keys: ["Shift+ArrowRight"], shown: "Shift+→", about: "Selection one frame longer", run: () => timeline.editing.extend(1) },
  { keys: ["Shift+ArrowLeft"], shown: "Shift+←", about: "Selection one frame shorter", run: () => timeline.editing.extend(-1) },
  { keys: ["["], shown: "[", about: "In point", run: setIn },
  { keys: ["]"], shown: "]", about: "Out point", run: setOut },
  {
    keys: ["t"],
    shown: "T",
    about: "Timesheet view",
    run: () => {
      state.xsheet = !state.xsheet;
      keep("xsheet", state.xsheet ? "yes" : "no");
      tell("view");
    },
  },
  { keys: ["Ctrl+z"], shown: "Ctrl+Z", about: "Undo", run: () => ask({ type: "undo" }) },
  { keys: ["Ctrl+y", "Ctrl+Shift+z"], shown: "Ctrl+Y", about: "Redo", run: () => ask({ type: "redo" }) },
  { keys: ["Ctrl+s"], shown: "Ctrl+S", about: "Save", run: () => ask({ type: "save" }) },
  { keys: ["Ctrl+o"], shown: "Ctrl+O", about: "Open", run: () => opening.showModal() },
  { keys: ["Ctrl+e"], shown: "Ctrl+E", about: "Export", run: () => exporting.open() },
  { keys: ["?"], shown: "?", about: "Help", run: () => help.showModal() },
];
listen(shortcuts, stage.canvas);
listenForDrops(ask);

const help = h("dialog", { class: "help" });
const header = h("header", {});
const notes = foldedNotes("Notes on clip and character");
/** Methods that are played by hand, or drive another body: panels of their own. */
const own: Record<string, () => HTMLElement> = {
  hair: () => hairPanel(stage, ask),
  puppet: () => {
    const panel = puppetPanel(puppet, puppetStage, stage);
    panel.append(leversPanel(puppet, stream));
    return panel;
  },
  translate: () => translatePanel(ask),
};
/** Methods with evidence to show: what their panels have beyond their declarations. */
const hooks: Record<string, PanelHook> = { limited: limitedHook(stage), keyposes: keyposesHook(stage, ask) };
const panels = new Map(state.methods.map((method) => [method.name, own[method.name]?.() ?? methodPanel(method, ask, hooks[method.name])]));
const labels = h("div", { class: "labels" });
stage.element.append(labels, toolbar(stage), saidOnStage);

/** The project's name, which leads to all projects. */
function projectButton(): HTMLElement {
  const name = state.told?.project ?? "komadori";
  return h("button", { id: "project", title: t("Project"), "aria-label": `${t("Project")}: ${name}`, click: () => project.open() }, name);
}

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
  const button = (name: string, sign: Icon, run: () => void, enabled = true) =>
    h("button", { class: "icon", title: t(name), "aria-label": t(name), disabled: !enabled, click: run }, glyph(sign));
  refill(
    header,
    projectButton(),
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
    button("Undo", "undo", () => ask({ type: "undo" }), told?.can_undo),
    button("Redo", "redo", () => ask({ type: "redo" }), told?.can_redo),
    button(isDark() ? "Light theme" : "Dark theme", isDark() ? "sun" : "moon", switchTheme),
    h(
      "button",
      {
        id: "language",
        click: () => {
          state.language = state.language === "ja" ? "en" : "ja";
          keep("language", state.language);
          tell("language");
        },
      },
      state.language === "ja" ? "English" : "日本語",
    ),
    button("Help", "help", () => help.showModal()),
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
  labels.className = `labels ${shownView()}`;
  labels.replaceChildren(...names.map((name) => h("span", {}, shownView() === "result" ? "" : t(name))));
}

on(["scene", "shelf", "language", "part", "view", "theme"], drawHeader);
on(["language", "body"], () => {
  stage.canvas.setAttribute("role", "img");
  stage.canvas.setAttribute("aria-label", `${t("Stage")}: ${state.body?.name ?? ""}`);
});
on(["body", "language"], () => notes.fill((state.body?.notes ?? []).map(say)));
on(["view"], () => {
  xsheet.element.hidden = !state.xsheet;
});
const aside = h("aside", {}, ...panels.values(), notes.element);
let shownPart = "";
on(["part"], () => {
  for (const [name, panel] of panels) panel.hidden = name !== state.part;
  // Another panel is read from its beginning, however far down the last one was.
  if (state.part !== shownPart) aside.scrollTop = 0;
  shownPart = state.part;
});

document
  .getElementById("studio")
  ?.replaceWith(
    h(
      "div",
      { id: "studio" },
      header,
      h("main", {}, xsheet.element, stage.element, aside),
      timeline.element,
      troubles,
      notices,
      help,
      opening,
      exporting.element,
      project.element,
    ),
  );
const asked = location.hash.slice(1);
choose(panels.has(asked) ? asked : (state.methods[0]?.name ?? ""));
drawHeader();
tell("view");
