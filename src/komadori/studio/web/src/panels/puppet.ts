// The puppet's panel: three steps for newcomers, what is in hand, keys, takes, and the sequence of takes.

import * as THREE from "three";
import { bytes } from "../connection";
import { h, redrawn } from "../dom";
import type { Entry, PuppetPart, PuppetTake } from "../generated";
import { pause } from "../player";
import { distance, gesture, type Place, type Puppet } from "../puppet";
import type { PuppetStage } from "../stage/puppet";
import type { Stage } from "../stage/stage";
import { PosePictures } from "../stage/thumbnails";
import { keep, on, state, trouble } from "../state";
import { say, t } from "../words";
import { Fields, InUse } from "./fields";

const CARD = "puppet-card";
const SMOOTH_S = 0.08;
const MOST_TOGETHER = 6;
const AXES = ["x", "y", "z"] as const;

export function puppetPanel(puppet: Puppet, onStage: PuppetStage, stage: Stage): HTMLElement {
  const fields = new Fields("puppet", puppet.ask, ["kernel", "ik", "walks", "plant_feet"]);
  const pictures = new PosePictures(stage, () => state.part === "puppet");
  const card = h("section", { class: "card" });
  const hand = h("section", { class: "hand" });
  const keys = h("ul", { class: "rows", id: "puppet-keys" });
  const sets = h("div", { class: "row", id: "puppet-sets" });
  const takes = h("ul", { class: "rows", id: "puppet-takes" });
  const order = h("ol", { class: "rows", id: "puppet-sequence" });
  const together = h("ul", { class: "rows", id: "puppet-together" });
  const more = h("div", { class: "chips" });
  const notes = h("ul", { class: "notes" });
  const sliders = new Sliders(puppet, stage);
  const map = h("input", { type: "checkbox", id: "puppet-map", change: () => onStage.showMap(map.checked) });
  map.checked = true;
  const mapName = h("label", { for: "puppet-map" });
  const titles = { keys: h("h3"), takes: h("h3"), order: h("h3"), together: h("h3"), options: h("h3") };
  const renew = (): void => {
    const part = puppet.part;
    if (state.part !== "puppet" || !part) return;
    drawCard(card, part, renew);
    drawHand(hand, puppet, part);
    titles.keys.textContent = `${t("Keys")} · ${part.keys.length}`;
    titles.takes.textContent = `${t("Takes")} · ${part.takes.length}`;
    titles.order.textContent = t("Sequence");
    titles.together.textContent = t("On the same handle");
    titles.options.textContent = t("Blending");
    mapName.textContent = t("Show in red where another key would help");
    unlessTyping(sets, () => sets.replaceChildren(...setRow(puppet, part)));
    unlessTyping(keys, () => keys.replaceChildren(...part.keys.map((key) => keyRow(puppet, key.name, pictures.of(key.pose)))));
    unlessTyping(takes, () => takes.replaceChildren(...part.takes.map((take) => takeRow(puppet, part, take))));
    unlessTyping(order, () => order.replaceChildren(...sequenceRows(puppet, part)));
    unlessTyping(together, () => together.replaceChildren(...togetherRows(puppet, part)));
    redrawn(more, () => more.replaceChildren(...moreButtons(puppet, part)));
    notes.replaceChildren(...(state.puppet?.notes ?? []).map((note) => h("li", {}, say(note))));
    sliders.renew();
  };
  on(["scene", "answer", "language", "part", "body", "shelf"], renew);
  on(["hand"], () => {
    if (puppet.part && state.part === "puppet") {
      drawHand(hand, puppet, puppet.part);
      sliders.renew();
      mark(keys, puppet);
    }
  });
  on(["scene", "language", "body", "part"], () => state.part === "puppet" && fields.renew());
  return h(
    "section",
    { class: "panel", id: "panel-puppet" },
    card,
    hand,
    titles.keys,
    sets,
    keys,
    titles.takes,
    takes,
    titles.order,
    order,
    more,
    titles.together,
    together,
    sliders.element,
    titles.options,
    h("div", { class: "field check" }, map, mapName),
    fields.element,
    notes,
  );
}

/** The hand that types a name knows best what stands there, until it is done or takes a step back. */
function unlessTyping(list: HTMLElement, run: () => void): void {
  const active = document.activeElement;
  if (active instanceof HTMLInputElement && list.contains(active) && typed.has(active)) return;
  redrawn(list, run);
}

/** Fields with something typed into them that is not told yet. */
const typed = new WeakSet<HTMLInputElement>();
addEventListener("input", ({ target }) => {
  if (target instanceof HTMLInputElement) typed.add(target);
});
addEventListener("change", ({ target }) => {
  if (target instanceof HTMLInputElement) typed.delete(target);
});

function drawCard(card: HTMLElement, part: PuppetPart, renew: () => void): void {
  card.hidden = localStorage.getItem(`komadori.${CARD}`) === "closed";
  if (card.hidden) return;
  const done = [part.keys.length >= 1, part.keys.length >= 3, part.takes.length >= 1];
  const now = done.indexOf(false);
  const steps = [
    "Drag a hand, a foot or the head to make a pose, then press K: a yellow key holds it",
    "Move the pink handle, make another pose, press K again; twice",
    "Press R and drag the pink handle: it is recorded, and plays when you let go",
  ];
  card.replaceChildren(
    h(
      "header",
      {},
      h("strong", {}, now < 0 ? t("You have made your first motion") : t("Three steps to a motion")),
      h(
        "button",
        {
          "aria-label": t("Close"),
          title: t("Close"),
          click: () => {
            keep(CARD, "closed");
            renew();
          },
        },
        "×",
      ),
    ),
    h(
      "ol",
      {},
      ...steps.map((step, n) =>
        h(
          "li",
          { class: done[n] ? "done" : n === now ? "now" : "", "aria-current": n === now ? "step" : null },
          h("span", { class: "mark", "aria-hidden": "true" }, done[n] ? "✓" : String(n + 1)),
          h("span", {}, t(step), n === 1 && !done[1] && done[0] ? ` (${Math.max(0, part.keys.length - 1)} / 2)` : ""),
        ),
      ),
    ),
  );
}

function drawHand(hand: HTMLElement, puppet: Puppet, part: PuppetPart): void {
  const here = part.keys.find((key) => distance(key.place, puppet.handle) < 2e-3);
  const recording = puppet.recording !== null;
  const button = (name: string, run: () => void, more: Record<string, string | boolean> = {}) =>
    h("button", { click: run, ...more }, t(name));
  let said = "";
  if (recording) said = t("recording: let go of the handle, or press R, and it plays");
  else if (puppet.armed)
    said = puppet.armed.retime ? t("drag the handle: only its timing counts") : t("drag the pink handle: it is recorded");
  else if (part.posed) said = t("this pose is not saved yet: press K");
  else if (puppet.defined < 0.5 && stagedLive(puppet)) said = t("the keys define no pose here: add one");
  // A moving handle changes nothing here: the panel is built again only when it says something else.
  const signature = [
    said,
    here?.name,
    recording,
    puppet.armed,
    part.posed !== null,
    part.keys.length,
    puppet.clipFrame,
    state.language,
  ].join();
  if (hand.dataset.signature === signature) return;
  hand.dataset.signature = signature;
  const fresh = [
    h(
      "div",
      { class: "row" },
      h(
        "button",
        { class: part.posed || !part.keys.length ? "primary" : "", id: "puppet-drop", click: () => puppet.drop() },
        `${here ? t("Set the pose of this key") : t("Add a key here")} (K)`,
      ),
      h(
        "button",
        {
          id: "puppet-record",
          class: recording || puppet.armed ? "recording" : "",
          "aria-pressed": String(recording || puppet.armed !== null),
          disabled: !part.keys.length,
          click: () => puppet.record(),
        },
        `● ${recording ? t("Stop") : t("Record")} (R)`,
      ),
    ),
    h("p", { class: "said", role: "status" }, said),
    h(
      "div",
      { class: "chips" },
      button("Rest pose", () => puppet.pose("rest")),
      h("button", { id: "puppet-mirror", click: () => puppet.pose("mirror") }, `${t("Mirror the pose")} (M)`),
      h(
        "button",
        { title: t("As the opened motion is at the frame last looked at"), click: () => puppet.pose("clip") },
        `${t("Pose of the clip")} · ${puppet.clipFrame + 1}`,
      ),
      part.posed ? button("Discard the pose", () => puppet.pose("release")) : "",
    ),
  ];
  redrawn(hand, () => hand.replaceChildren(...fresh));
}

function stagedLive(puppet: Puppet): boolean {
  return (puppet.part?.keys.length ?? 0) > 0 && !state.playing;
}

function named(value: string, label: string, rename: (to: string) => void): HTMLInputElement {
  const input = h("input", {
    type: "text",
    class: "name",
    "aria-label": label,
    maxlength: 60,
    change: () => {
      if (input.value.trim()) rename(input.value);
      else input.value = value;
    },
  });
  input.value = value;
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") input.blur();
  });
  return input;
}

const small = (label: string, sign: string, run: () => void, pressed?: boolean): HTMLElement =>
  h(
    "button",
    { class: "small", title: t(label), "aria-label": t(label), "aria-pressed": pressed === undefined ? null : String(pressed), click: run },
    sign,
  );

function keyRow(puppet: Puppet, name: string, picture: HTMLElement): HTMLElement {
  return h(
    "li",
    { "data-key": name },
    small("Go to this key", "●", () => puppet.select(name), puppet.selected === name),
    picture,
    named(name, t("Name of the key"), (to) => {
      puppet.ask({ type: "key", edit: "rename", name, to });
      if (puppet.selected === name) puppet.selected = to;
    }),
    small("Delete", "×", () => puppet.ask({ type: "key", edit: "delete", name })),
  );
}

/** Which key set is in hand; takes keep the one that they were recorded with. */
function setRow(puppet: Puppet, part: PuppetPart): HTMLElement[] {
  const ask = (edit: "new" | "pick" | "rename" | "delete", name = "", to: string | null = null) =>
    puppet.ask({ type: "key-set", edit, name, to, gesture: gesture(edit) });
  const names = [part.set, ...part.sets.map(({ name }) => name)].sort();
  const choice = h(
    "select",
    { id: "puppet-set", "aria-label": t("Key set"), title: t("Key set"), change: () => ask("pick", choice.value) },
    ...names.map((name) => h("option", { value: name }, name)),
  );
  choice.value = part.set;
  return [
    choice,
    named(part.set, t("Name of the key set"), (to) => ask("rename", part.set, to)),
    small("New key set", "+", () => ask("new")),
    small("Delete the key set", "×", () => ask("delete", part.set)),
  ];
}

function mark(keys: HTMLElement, puppet: Puppet): void {
  for (const row of keys.children) {
    row.querySelector("button")?.setAttribute("aria-pressed", String(row.getAttribute("data-key") === puppet.selected));
  }
}

function takeRow(puppet: Puppet, part: PuppetPart, take: PuppetTake): HTMLElement {
  const { name } = take;
  const seconds = (take.times.at(-1) ?? 0) - (take.times[0] ?? 0);
  const edit = (edit: "smooth" | "lasting" | "delete", value = 0) =>
    puppet.ask({ type: "take", edit, name, value, gesture: gesture(edit) });
  const length = h("input", {
    type: "number",
    min: 0.1,
    max: 600,
    step: 0.1,
    "aria-label": t("Seconds"),
    title: t("Seconds"),
    change: () => {
      if (Number(length.value) > 0) edit("lasting", Number(length.value));
    },
  });
  length.value = seconds.toFixed(1);
  return h(
    "li",
    { class: part.shown === `take:${name}` ? "shown" : "" },
    small("Play", "▶", () => puppet.show("take", name), part.shown === `take:${name}`),
    named(name, t("Name of the take"), (to) => puppet.ask({ type: "take", edit: "rename", name, to })),
    length,
    small("Smooth", "∿", () => edit("smooth", SMOOTH_S)),
    small("Perform its timing again", "⟳", () => {
      pause();
      puppet.record(name);
    }),
    small("Add to the sequence", "+", () => puppet.ask({ type: "sequence", entries: [...part.sequence, { take: name, blend_s: 0.4 }] })),
    small("Delete", "×", () => edit("delete")),
  );
}

function sequenceRows(puppet: Puppet, part: PuppetPart): HTMLElement[] {
  const put = (entries: Entry[], name = "") => puppet.ask({ type: "sequence", entries, gesture: name });
  return part.sequence.map((entry, n) => {
    const blend = h("input", {
      type: "number",
      min: 0,
      max: 60,
      step: 0.1,
      "aria-label": t("Blend, seconds"),
      title: t("Blend, seconds"),
      change: () => put(part.sequence.map((one, at) => (at === n ? { ...one, blend_s: Math.max(0, Number(blend.value)) } : one))),
    });
    blend.value = String(entry.blend_s);
    const others = part.sequence.filter((_, at) => at !== n);
    const earlier = others.toSpliced(Math.max(n - 1, 0), 0, entry);
    return h(
      "li",
      {},
      h("span", { class: "name" }, `${n + 1}. ${entry.take}`),
      blend,
      small("Earlier", "↑", () => put(earlier)),
      small("Delete", "×", () => put(others)),
    );
  });
}

/** The other characters that the handle moves, and a choice of one more. */
function togetherRows(puppet: Puppet, part: PuppetPart): HTMLElement[] {
  const put = (characters: string[]) => puppet.ask({ type: "together", characters, gesture: gesture("together") });
  const bodies = state.shelf.filter((item) => item.character && !item.animal);
  const name = (key: string) => bodies.find((item) => item.key === key)?.name ?? key;
  const choice = h(
    "select",
    {
      id: "puppet-together-add",
      "aria-label": t("Add a character on this handle"),
      disabled: part.together.length >= MOST_TOGETHER,
      change: () => {
        if (choice.value) put([...part.together, choice.value]);
      },
    },
    h("option", { value: "" }, t("Add a character on this handle")),
    ...bodies.map((item) => h("option", { value: item.key }, item.name)),
  );
  return [
    ...part.together.map((key, n) =>
      h(
        "li",
        { "data-character": key },
        h("span", { class: "name" }, name(key)),
        small("Delete", "×", () => put(part.together.filter((_, at) => at !== n))),
      ),
    ),
    h("li", {}, choice),
  ];
}

function moreButtons(puppet: Puppet, part: PuppetPart): HTMLElement[] {
  const file = state.puppet?.file ?? "";
  const picker = h("input", {
    type: "file",
    accept: ".json,application/json",
    class: "hidden",
    change: () => {
      const [picked] = picker.files ?? [];
      if (picked) void picked.text().then((text) => puppet.ask({ type: "load-puppet", name: picked.name, text }));
    },
  });
  return [
    h("button", { disabled: !part.sequence.length, click: () => puppet.show("sequence") }, t("Play the sequence")),
    h(
      "button",
      { disabled: !state.puppet?.can_walk, title: t("Turn walks on and set keys of one step"), click: () => puppet.show("walk") },
      t("Walk"),
    ),
    h("button", { disabled: !file, click: () => void download(file) }, t("Save the puppet as a file")),
    h("button", { click: () => picker.click() }, t("Open a puppet's file")),
    picker,
  ];
}

async function download(address: string): Promise<void> {
  try {
    const link = h("a", {
      href: URL.createObjectURL(new Blob([await bytes(address)], { type: "application/json" })),
      download: "puppet.json",
    });
    link.click();
    URL.revokeObjectURL(link.href);
  } catch (error) {
    trouble((error as Error).message, "puppet");
  }
}

/** Handle and joints by keyboard: three sliders for the handle's place, three for the chosen joint's turn. */
class Sliders {
  readonly element = h("details", { class: "sliders" });
  private readonly using = new Map<HTMLInputElement, InUse>();
  private readonly place = AXES.map((axis, n) => this.slider(`handle ${axis}`, -3, 3, 0.01, () => this.moved(n)));
  private readonly angles = AXES.map((axis) => this.slider(`turn ${axis}`, -180, 180, 1, () => this.turned()));
  private readonly joints = h("select", { id: "puppet-joint", change: () => this.puppet.choose(Number(this.joints.value)) });
  private readonly words: [HTMLElement, string][] = [];
  private names: string[] | null = null;
  private language = "";
  private turn = "";

  constructor(
    private readonly puppet: Puppet,
    private readonly stage: Stage,
  ) {
    const word = (element: HTMLElement, phrase: string): HTMLElement => {
      this.words.push([element, phrase]);
      return element;
    };
    this.element.append(
      word(h("summary"), "Handle and joints by numbers"),
      ...this.place.map((input, n) => h("div", { class: "field" }, word(h("label", { for: input.id }), `Handle ${AXES[n]}`), input)),
      h("div", { class: "field" }, word(h("label", { for: "puppet-joint" }), "Joint"), this.joints),
      ...this.angles.map((input, n) => h("div", { class: "field" }, word(h("label", { for: input.id }), `Turn ${AXES[n]}`), input)),
    );
  }

  renew(): void {
    const names = state.body?.joints ?? [];
    if (names !== this.names || state.language !== this.language) {
      this.names = names;
      this.language = state.language;
      for (const [element, phrase] of this.words) element.textContent = t(phrase);
      this.joints.replaceChildren(h("option", { value: -1 }, t("none")), ...names.map((name, n) => h("option", { value: n }, name)));
    }
    this.joints.value = String(this.puppet.joint);
    this.place.forEach((input, n) => {
      if (!this.using.get(input)?.now) input.value = String(this.puppet.handle[n]);
    });
    const bone = this.stage.result?.bones[this.puppet.joint];
    this.angles.forEach((input, n) => {
      input.disabled = !bone;
      if (bone && !this.angles.some((one) => this.using.get(one)?.now))
        input.value = String(THREE.MathUtils.radToDeg(bone.rotation.toArray()[n] as number));
    });
  }

  private slider(name: string, low: number, high: number, step: number, input: () => void): HTMLInputElement {
    const made = h("input", {
      id: `puppet-${name.replace(" ", "-")}`,
      type: "range",
      min: low,
      max: high,
      step,
      input,
      pointerdown: () => this.begin(),
      focus: () => this.begin(),
    });
    this.using.set(made, new InUse(made));
    return made;
  }

  private begin(): void {
    this.turn = gesture("turn");
  }

  private moved(axis: number): void {
    const place: Place = [...this.puppet.handle];
    place[axis] = Number(this.place[axis]?.value);
    this.puppet.move(place);
  }

  private turned(): void {
    const angles = this.angles.map((input) => THREE.MathUtils.degToRad(Number(input.value)));
    const turn = new THREE.Quaternion().setFromEuler(new THREE.Euler(angles[0], angles[1], angles[2]));
    this.puppet.turn(this.puppet.joint, turn.toArray(), this.turn);
  }
}
