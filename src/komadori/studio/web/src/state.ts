// What the page knows and shows, and who wants to hear of a change.

import type {
  BodyUpdate,
  ErrorMessage,
  HairChecked,
  HairUpdate,
  KeyposesUpdate,
  LimitedUpdate,
  OptimumUpdate,
  ProgressUpdate,
  PuppetUpdate,
  SavedUpdate,
  SceneUpdate,
  ShelfItem,
  TranslateUpdate,
} from "./generated";

export type Topic =
  | "clip"
  | "hand"
  | "scene"
  | "body"
  | "answer"
  | "frame"
  | "playing"
  | "view"
  | "part"
  | "language"
  | "connection"
  | "shelf"
  | "trouble"
  | "progress";
export type SheetPart = "limited" | "keyposes";
export type PartName = SheetPart | "hair" | "puppet" | "translate";
export type View = "side" | "over" | "result";

export interface State {
  told: SceneUpdate | null;
  body: BodyUpdate | null;
  limited: LimitedUpdate | null;
  keyposes: KeyposesUpdate | null;
  hair: HairUpdate | null;
  hairChecks: HairChecked | null;
  translate: TranslateUpdate | null;
  /** Long work by what it is about; null where none goes on. */
  progress: Partial<Record<string, ProgressUpdate | null>>;
  /** Whether the driven body follows the person frame by frame. */
  live: boolean;
  puppet: PuppetUpdate | null;
  /** Frames of the result's own motion, once it has been fetched. */
  resultFrames: number;
  /** How far the puppet's handle goes from frame to frame of it. */
  handleSteps: number[];
  optimum: Partial<Record<string, OptimumUpdate>>;
  shelf: ShelfItem[];
  troubles: ErrorMessage[];
  part: PartName;
  frame: number;
  playing: boolean;
  loop: boolean;
  onion: boolean;
  view: View;
  language: "en" | "ja";
  connected: boolean;
  saved: SavedUpdate | null;
}

const kept = (name: string): string | null => localStorage.getItem(`komadori.${name}`);

export const state: State = {
  told: null,
  body: null,
  limited: null,
  keyposes: null,
  hair: null,
  hairChecks: null,
  translate: null,
  progress: {},
  live: false,
  puppet: null,
  resultFrames: 0,
  handleSteps: [],
  optimum: {},
  shelf: [],
  troubles: [],
  part: "limited",
  frame: 0,
  playing: false,
  loop: true,
  onion: false,
  view: (kept("view") as View | null) ?? "side",
  language: kept("language") === "ja" || (!kept("language") && navigator.language.startsWith("ja")) ? "ja" : "en",
  connected: false,
  saved: null,
};

const listeners = new Map<Topic, Set<() => void>>();

export function on(topics: Topic[], run: () => void): void {
  for (const topic of topics) {
    const known = listeners.get(topic) ?? new Set();
    listeners.set(topic, known.add(run));
  }
}

export function tell(topic: Topic): void {
  for (const run of listeners.get(topic) ?? []) run();
}

export function keep(name: string, value: string): void {
  localStorage.setItem(`komadori.${name}`, value);
}

/** The sheet that the timeline shows: output frame -> source frame. */
export function sheet(): number[] {
  if (state.part === "puppet") return Array.from({ length: state.resultFrames }, (_, frame) => frame);
  if (state.part === "translate" && state.translate && state.body) return state.translate.source;
  const answer = sheetAnswer();
  if (answer && state.body && answer.source.length) return answer.source;
  return Array.from({ length: state.body?.frames ?? 0 }, (_, frame) => frame);
}

/** Where the result's own motion is fetched, when a sheet of the clip's frames does not tell it; else empty. */
export function resultMotion(): string {
  if (state.part === "puppet") return state.puppet?.motion ?? "";
  return state.part === "limited" ? (state.limited?.motion ?? "") : "";
}

/** The part in which the sheet can be edited, if the present one is such. */
export function sheetPart(): SheetPart | null {
  return state.part === "limited" || state.part === "keyposes" ? state.part : null;
}

export function sheetAnswer(): LimitedUpdate | KeyposesUpdate | null {
  const part = sheetPart();
  return part && state[part];
}

/** What the timeline's cells show: the sheet, or the drawings of what is drawn on its own (hair on twos). */
export function cells(): number[] {
  const step = state.part === "hair" ? (state.hair?.step ?? 1) : 1;
  return step > 1 ? sheet().map((frame) => frame - (frame % step)) : sheet();
}

/** What the stage shows: a puppet has no original beside it. */
export function shownView(): View {
  return state.part === "puppet" ? "result" : state.view;
}

/** How many frames the timeline has: the longer of original and result. */
export function length(): number {
  if (state.part === "translate") return Math.max(sheet().length, 1);
  if (state.part === "puppet") return Math.max(state.resultFrames, 1);
  return Math.max(sheet().length, state.body?.frames ?? 0, 1);
}

/** One clear line for the user; everything else goes on. */
export function trouble(message: string, about: string): void {
  state.troubles.push({ type: "error", message, about });
  tell("trouble");
}

export function goTo(frame: number): void {
  const last = length() - 1;
  const wanted = Math.max(0, Math.min(last, Math.round(frame)));
  if (wanted === state.frame) return;
  state.frame = wanted;
  tell("frame");
}
