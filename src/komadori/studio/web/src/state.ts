// What the page knows and shows, and who wants to hear of a change.

import type {
  BodyUpdate,
  ErrorMessage,
  HairChecked,
  HairUpdate,
  KeyposesUpdate,
  LimitedUpdate,
  MethodItem,
  MethodUpdate,
  OptimumUpdate,
  ProgressUpdate,
  PuppetUpdate,
  SavedUpdate,
  Scene,
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
export type View = "side" | "over" | "result";

export interface State {
  /** The methods that have a tab, as the server lists them. */
  methods: MethodItem[];
  /** What methods gave, by their names. */
  answers: Partial<Record<string, MethodUpdate>>;
  told: SceneUpdate | null;
  body: BodyUpdate | null;
  /** The evidence of those that have more to show than a summary. */
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
  /** The method whose tab is open. */
  part: string;
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
  methods: [],
  answers: {},
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

export function methodOf(part: string): MethodItem | undefined {
  return state.methods.find(({ name }) => name === part);
}

/** The options of a part that were changed. */
export function optionsOf(part: string): Scene["hair"]["options"] {
  const scene = state.told?.scene;
  if (!scene) return {};
  if (part === "hair" || part === "puppet" || part === "translate") return scene[part].options;
  return scene.parts[part]?.options ?? {};
}

/** The sheet that the timeline shows: output frame -> source frame. */
export function sheet(): number[] {
  if (state.part === "puppet") return Array.from({ length: state.resultFrames }, (_, frame) => frame);
  if (state.part === "translate" && state.translate && state.body) return state.translate.source;
  const answer = sheetAnswer();
  if (answer && state.body && answer.source.length) return answer.source;
  const own = state.answers[state.part]?.motion ? state.resultFrames : 0;
  return Array.from({ length: own || (state.body?.frames ?? 0) }, (_, frame) => frame);
}

/** Where the result's own motion is fetched, when a sheet of the clip's frames does not tell it; else empty. */
export function resultMotion(): string {
  if (state.part === "puppet") return state.puppet?.motion ?? "";
  return state.answers[state.part]?.motion ?? "";
}

/** The part in which the sheet can be edited, if the present one is such. */
export function sheetPart(): string | null {
  return methodOf(state.part)?.makes_sheet ? state.part : null;
}

export function sheetAnswer(): MethodUpdate | null {
  const part = sheetPart();
  return part ? (state.answers[part] ?? null) : null;
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
export function trouble(message: string, about: string, ja = ""): void {
  state.troubles.push({ type: "error", message, about, ja });
  tell("trouble");
}

export function goTo(frame: number): void {
  const last = length() - 1;
  const wanted = Math.max(0, Math.min(last, Math.round(frame)));
  if (wanted === state.frame) return;
  state.frame = wanted;
  tell("frame");
}
