// What the page knows and shows, and who wants to hear of a change.

import type { BodyTold, KeyposesTold, LimitedTold, OptimumTold, PuppetTold, SceneTold, ShelfItem, Trouble } from "./generated";

export type Topic =
  | "clip" | "hand" | "scene" | "body" | "answer" | "frame" | "playing" | "view" | "part" | "language" | "connection" | "shelf" | "trouble";
export type PartName = "limited" | "keyposes" | "puppet";
export type SheetPart = "limited" | "keyposes";
export type View = "side" | "over" | "result";

export interface State {
  told: SceneTold | null;
  body: BodyTold | null;
  limited: LimitedTold | null;
  keyposes: KeyposesTold | null;
  puppet: PuppetTold | null;
  /** Frames of the result's own motion, once it has been fetched. */
  resultFrames: number;
  /** How far the puppet's handle goes from frame to frame of it. */
  handleSteps: number[];
  optimum: Partial<Record<string, OptimumTold>>;
  shelf: ShelfItem[];
  troubles: Trouble[];
  part: PartName;
  frame: number;
  playing: boolean;
  loop: boolean;
  onion: boolean;
  view: View;
  language: "en" | "ja";
  connected: boolean;
  savedRevision: number;
}

const kept = (name: string): string | null => localStorage.getItem(`komadori.${name}`);

export const state: State = {
  told: null, body: null, limited: null, keyposes: null, puppet: null, resultFrames: 0, handleSteps: [], optimum: {}, shelf: [], troubles: [],
  part: "limited", frame: 0, playing: false, loop: true, onion: false,
  view: (kept("view") as View | null) ?? "side",
  language: kept("language") === "ja" || (!kept("language") && navigator.language.startsWith("ja")) ? "ja" : "en",
  connected: false, savedRevision: 0,
};

const listeners = new Map<Topic, Set<() => void>>();

export function on(topics: Topic[], run: () => void): void {
  for (const topic of topics) {
    if (!listeners.has(topic)) listeners.set(topic, new Set());
    listeners.get(topic)!.add(run);
  }
}

export function tell(topic: Topic): void {
  listeners.get(topic)?.forEach((run) => run());
}

export function keep(name: string, value: string): void {
  localStorage.setItem(`komadori.${name}`, value);
}

/** The sheet that the timeline shows: output frame -> source frame. */
export function sheet(): number[] {
  if (state.part === "puppet") return Array.from({ length: state.resultFrames }, (_, frame) => frame);
  const answer = state.part === "keyposes" ? state.keyposes : state.limited;
  if (answer && state.body && answer.source.length) return answer.source;
  return Array.from({ length: state.body?.frames ?? 0 }, (_, frame) => frame);
}

/** Where the result's own motion is fetched, when a sheet of the clip's frames does not tell it; else empty. */
export function resultMotion(): string {
  if (state.part === "puppet") return state.puppet?.motion ?? "";
  return state.part === "limited" ? (state.limited?.motion ?? "") : "";
}

/** The part whose timesheet is edited, where it has one. */
export function sheetPart(): SheetPart | null {
  return state.part === "limited" || state.part === "keyposes" ? state.part : null;
}

/** What the stage shows: a puppet has no original beside it. */
export function shownView(): View {
  return state.part === "puppet" ? "result" : state.view;
}

/** How many frames the timeline has: the longer of original and result. */
export function length(): number {
  if (state.part === "puppet") return Math.max(state.resultFrames, 1);
  return Math.max(sheet().length, state.body?.frames ?? 0, 1);
}

export function goTo(frame: number): void {
  const last = length() - 1;
  const wanted = Math.max(0, Math.min(last, Math.round(frame)));
  if (wanted === state.frame) return;
  state.frame = wanted;
  tell("frame");
}
