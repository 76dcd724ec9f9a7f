// What the page knows and shows, and who wants to hear of a change.

import type {
  AnsweredUpdate,
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
  Shot,
  TranslateUpdate,
} from "./generated";

export type Topic =
  | "clip"
  | "hand"
  | "settled"
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
  | "progress"
  | "theme"
  | "range";
export type View = "side" | "over" | "result";

export interface State {
  /** The methods that have a tab, as the server lists them. */
  methods: MethodItem[];
  /** What methods gave, by their names. */
  answers: Partial<Record<string, MethodUpdate>>;
  told: SceneUpdate | null;
  body: BodyUpdate | null;
  /** The newest scene of which all has been told. */
  answered: AnsweredUpdate | null;
  /** The evidence of those that have more to show than a summary. */
  limited: LimitedUpdate | null;
  keyposes: KeyposesUpdate | null;
  hair: HairUpdate | null;
  hairChecks: HairChecked | null;
  translate: TranslateUpdate | null;
  /** Long work by what it is about; null if there is none. */
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
  /** Forth and back instead of round and round. */
  bounce: boolean;
  /** How many times as fast as the clock. */
  speed: number;
  /** Frames of the sheet that are selected: the first, and the one after the last. */
  selection: [number, number] | null;
  /** Source frames that were copied. */
  copied: number[];
  /** Whether the vertical timesheet is shown. */
  xsheet: boolean;
  onion: boolean;
  /** Whether every drawing around the present one is shown at once, and the trails of chosen joints. */
  ghosts: boolean;
  arcs: boolean;
  /** Roles of the joints whose trails are drawn. */
  arcJoints: string[];
  theme: "system" | "light" | "dark";
  /** Whether the camera goes with the body. */
  follow: boolean;
  view: View;
  language: "en" | "ja";
  connected: boolean;
  /** Edits that the server has not answered yet, and those that wait for a line to it. */
  unheard: number;
  waiting: number;
  saved: SavedUpdate | null;
}

const kept = (name: string): string | null => localStorage.getItem(`komadori.${name}`);

export const state: State = {
  methods: [],
  answers: {},
  answered: null,
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
  bounce: false,
  speed: 1,
  selection: null,
  copied: [],
  xsheet: kept("xsheet") === "yes",
  onion: false,
  ghosts: false,
  arcs: false,
  arcJoints: (kept("arcs") ?? "left_hand,right_hand").split(",").filter(Boolean),
  theme: "system",
  follow: kept("follow") !== "no",
  view: (kept("view") as View | null) ?? "side",
  language: kept("language") === "ja" || (!kept("language") && navigator.language.startsWith("ja")) ? "ja" : "en",
  connected: false,
  unheard: 0,
  waiting: 0,
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

/** Whether the page shows what was asked for last: every edit was heard, and the part that is open has answered. */
export function settled(): boolean {
  const { told, answered, part, unheard, connected } = state;
  return connected && !unheard && told !== null && answered?.part === part && answered.revision >= told.revision;
}

/** The options of a part that were changed. */
export function optionsOf(part: string): Scene["hair"]["options"] {
  const scene = state.told?.scene;
  if (!scene) return {};
  if (part === "hair" || part === "puppet" || part === "translate") return scene[part].options;
  return scene.parts[part]?.options ?? {};
}

let counted: number[] = [];

/** Every frame once: the same list for as long as there are as many. */
function everyFrame(count: number): number[] {
  if (counted.length !== count) counted = Array.from({ length: count }, (_, frame) => frame);
  return counted;
}

/** Whether the body is shown on every frame instead of by its sheet. */
export function muted(): boolean {
  return sheetPart() !== null && shotOf().muted.includes("body");
}

/** The sheet that the timeline shows: output frame -> source frame. */
export function sheet(): number[] {
  // A muted body is shown on every frame, so that one sees what its timing does.
  if (muted()) return everyFrame(state.body?.frames ?? 0);
  return ownSheet();
}

/** The sheet as the method and the hand made it, muted or not. */
export function ownSheet(): number[] {
  if (state.part === "puppet") return everyFrame(state.resultFrames);
  if (state.part === "translate" && state.translate && state.body) return state.translate.source;
  const answer = sheetAnswer();
  if (answer && state.body && answer.source.length) return answer.source;
  const own = state.answers[state.part]?.motion ? state.resultFrames : 0;
  return everyFrame(own || (state.body?.frames ?? 0));
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

/** First frame that is played, and the one after the last. */
export function playRange(): [number, number] {
  const count = length();
  const first = Math.min(shotOf().first ?? 0, count - 1);
  return [first, Math.max(first + 1, Math.min(shotOf().last ?? count, count))];
}

const NO_SHOT: Shot = { first: null, last: null, sound: null, reference: null, muted: [], hair: false, view: null };

/** What is played, and what it is timed against. */
export function shotOf(): Shot {
  return state.told?.scene.shot ?? NO_SHOT;
}

/** Whether the hair waves on the stage: on its own page always, elsewhere as its own cel. */
export function hairShown(): boolean {
  return state.part === "hair" ? !shotOf().muted.includes("hair") : shotOf().hair && sheetPart() !== null;
}

export function select(range: [number, number] | null): void {
  const count = sheet().length;
  const [first, last] = range ?? [0, 0];
  const [low, high] = [Math.max(0, Math.min(first, last)), Math.min(count, Math.max(first, last))];
  state.selection = high > low ? [low, high] : null;
  tell("range");
}

/** One clear line for the user; everything else continues. */
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
