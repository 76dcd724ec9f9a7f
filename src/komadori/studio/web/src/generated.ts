// Written by `python -m komadori.studio.typescript`; change the Python classes instead.

export interface AnsweredUpdate {
  type: "answered";
  part: string;
  revision: number;
}
export interface BodyUpdate {
  type: "body";
  revision: number;
  figure: string;
  motion: string;
  name: string;
  frames: number;
  fps: number;
  joints: string[];
  parents: number[];
  roles: Record<string, number>;
  chains: ChainInfo[];
  grabs: Grab[];
  height: number;
  notes: Said[];
  long: Said | null;
}
export interface Cast {
  type: "cast";
  animal?: string | null;
  train?: string[] | null;
}
export interface ChainChecked {
  name: string;
  figure_8: boolean | null;
  root_to_tip: boolean | null;
  out_of_step: boolean | null;
  loops: boolean;
}
export interface ChainInfo {
  name: string;
  kind: string;
  joints: number[];
}
export interface Change {
  type: "change";
  part: string;
  options: Record<string, boolean | number | string | number[] | null>;
  gesture?: string;
}
export interface ChangesUpdate {
  type: "changes";
  about: string;
  edits: Edit[];
}
export interface Choice {
  value: string;
  label: Said;
}
export interface ClearStrands {
  type: "clear_strands";
}
export interface Control {
  control: string;
  target: "record" | "x" | "y" | "z";
  low: number;
  high: number;
}
export interface DrawStrand {
  type: "strand";
  frame: number;
  rays: number[][];
}
export interface Dropped {
  items: ShelfItem[];
  troubles: Said[];
  notes: Said[];
  project: string;
}
export interface Edit {
  path: (string | number)[];
  value?: unknown;
  gone?: boolean;
  at?: number[] | null;
  cut?: [number, number] | null;
}
export interface EditControls {
  type: "controls";
  controls: Control[];
  gesture?: string;
}
export interface EditKey {
  type: "key";
  edit: "delete" | "drop" | "move" | "rename";
  name?: string;
  place?: [number, number, number] | null;
  to?: string | null;
  gesture?: string;
}
export interface EditKeyPose {
  type: "key-pose";
  part: string;
  edit: "keep" | "mirror" | "reset" | "turn";
  frame: number;
  joint?: number;
  rotation?: [number, number, number, number] | null;
  gesture?: string;
}
export interface EditKeySet {
  type: "key-set";
  edit: "delete" | "new" | "pick" | "rename";
  name?: string;
  to?: string | null;
  gesture?: string;
}
export interface EditPose {
  type: "pose";
  edit: "clip" | "keep" | "mirror" | "release" | "rest" | "turn";
  place: [number, number, number];
  joint?: number;
  rotation?: [number, number, number, number] | null;
  frame?: number;
  gesture?: string;
}
export interface EditProject {
  type: "project";
  edit: "new" | "open" | "save-as";
  name: string;
}
export interface EditSequence {
  type: "sequence";
  entries: Entry[];
  gesture?: string;
}
export interface EditSheet {
  type: "sheet";
  part: string;
  edit: "delete" | "draw" | "edge" | "insert" | "lock" | "on" | "paste" | "pin" | "reset" | "slide" | "unlock";
  frame?: number;
  to?: number;
  step?: number;
  shown?: number[];
  gesture?: string;
}
export interface EditShot {
  type: "shot";
  shot: Shot;
  fields: ("first" | "hair" | "last" | "muted" | "reference" | "sound" | "view")[];
  gesture?: string;
}
export interface EditTake {
  type: "take";
  edit: "begin" | "delete" | "discard" | "finish" | "lasting" | "rename" | "show" | "smooth";
  name?: string;
  number?: number;
  to?: string | null;
  value?: number;
  what?: "nothing" | "sequence" | "take" | "walk";
  gesture?: string;
}
export interface EditTogether {
  type: "together";
  characters: string[];
  gesture?: string;
}
export interface Entry {
  take: string;
  blend_s: number;
}
export interface ErrorMessage {
  type: "error";
  message: string;
  about: string;
  ja: string;
}
export interface Export {
  type: "export";
  what: string;
  kind: "character" | "frames" | "motion" | "picture" | "recipe" | "sheet";
  suffix: string;
  language?: "en" | "ja";
  camera?: string;
  style?: string;
  width?: number;
  height?: number;
  strip?: boolean;
}
export interface ExportEnded {
  type: "export_ended";
  message: Said | null;
}
export interface ExportUpdate {
  type: "export";
  address: string;
  name: string;
  size: number;
  notes: Said[];
}
export interface FeetInfo {
  names: string[];
  stances: number[][];
}
export interface FitFound {
  chain: string;
  wavelength: number;
  calm: number;
  stiffness: number;
  size: number;
  period: number;
  phase: number;
  turn: number;
  angle_deg: number;
  percent: number;
  aside: number;
  aside_angle_deg: number;
  aside_percent: number;
  rigid_angle_deg: number;
  springs_angle_deg: number;
}
export interface FitHair {
  type: "fit_hair";
  hold?: boolean;
  aside?: boolean;
}
export interface Follow {
  type: "follow";
  frame: number;
  serial?: number;
}
export interface FollowArrays {
  type: "followed";
  serial: number;
  frame: number;
  joints: Ints;
  rotations: Floats;
}
export interface FormatItem {
  kind: "character" | "frames" | "motion" | "picture" | "recipe" | "sheet";
  suffix: string;
  name: string;
  purpose: Said;
  missing: Said | null;
}
export interface Formats {
  items: FormatItem[];
  unfit: Record<string, string[]>;
  why: Said;
  cameras: string[];
  styles: string[];
}
export interface Grab {
  joint: number;
  role: string;
}
export interface HairArrays {
  type: "hair_turns";
  revision: number;
  first: number;
  frames: number;
  joints: Ints;
  rotations: Floats;
  bones?: Floats | null;
  heights?: Floats | null;
}
export interface HairChecked {
  type: "hair_checked";
  revision: number;
  chains: ChainChecked[];
}
export interface HairPart {
  options: Record<string, boolean | number | string | number[] | null>;
  wind: number[] | null;
  off: string[];
  chain: string;
  strands: StrandDrawn[];
  fit: FitFound | null;
}
export interface HairUpdate {
  type: "hair";
  revision: number;
  chain: string;
  plane: PlaneInfo | null;
  values: Record<string, number>;
  wind: number[];
  cycle: number;
  step: number;
  drawings: number;
  period_s: number;
  loop_s: number;
  strands: StrandInfo[];
  fit: FitFound | null;
  shown_angle_deg: number | null;
  shown_percent: number | null;
  trace: string;
  springs: string;
  notes: Said[];
}
export interface KeySet {
  name: string;
  keys: PuppetKey[];
  options: Record<string, boolean | number | string | number[] | null>;
}
export interface KeyposesUpdate {
  type: "keyposes";
  revision: number;
  frames: number[];
  order: number[];
  counts: number[];
  errors: number[];
  error: number;
  even_error: number;
  curve: number[][];
  distances: number[];
  explained: number;
}
export interface LimitedUpdate {
  type: "limited";
  revision: number;
  omitted: number;
  held: number;
  drawings: number;
  omitted_frames: number[];
  steps_before: number[];
  steps_after: number[];
  error: number;
}
export interface LiveArrays {
  type: "live_pose";
  number: number;
  new: boolean;
  rotations: Floats;
  positions: Floats;
}
export interface LiveRecord {
  type: "record";
  on: boolean;
}
export interface LiveStart {
  type: "start";
  source: string;
  look_ahead?: number;
  hold_share?: number | null;
  max_exposures?: number;
  hair?: "drawn" | "none" | "ones";
  face?: "threes" | "through";
  clean?: boolean;
  feet?: boolean;
}
export interface LiveStop {
  type: "stop";
}
export interface LiveTake {
  type: "live-take";
  motion: string;
}
export interface LiveTrouble {
  type: "live-trouble";
  message: Said;
}
export interface LiveUpdate {
  type: "live";
  running: boolean;
  source: string;
  packets_s: number;
  delay_ms: number;
  dropped: number;
  heard: boolean;
  recording: number;
  line: Said;
}
export interface LoadPuppet {
  type: "load-puppet";
  name: string;
  text: string;
  gesture?: string;
}
export type Lock = [first: number, last: number, source: number, exposures: number];
export interface MapArrays {
  type: "puppet_map";
  places: Floats;
  need: Floats;
  defined: Floats;
}
export interface MemberInfo {
  character: string;
  name: string;
  figure: string;
  motion: string;
  height: number;
  joints: number;
}
export interface MethodItem {
  name: string;
  label: Said;
  summary: Said;
  parameters: ParameterItem[];
  makes_sheet: boolean;
  is_step: boolean;
  presets: PresetItem[];
}
export interface MethodPart {
  options: Record<string, boolean | number | string | number[] | null>;
  locks: Lock[];
  poses: PosedFrame[];
}
export interface MethodUpdate {
  type: "method";
  revision: number;
  part: string;
  rows: RowInfo[];
  motion: string;
  source: number[];
  edited: boolean;
  locked: [number, number][];
  notes: Said[];
}
export interface Methods {
  items: MethodItem[];
}
export interface MotionArrays {
  type: "motion";
  frames: number;
  fps: number;
  rotations: Floats;
  moving: Ints;
  positions: Floats;
  handle?: Floats | null;
  stretch?: Floats | null;
}
export interface Open {
  type: "open";
  motion?: string | null;
  character?: string | null;
  fps?: number | null;
}
export interface OptimumUpdate {
  type: "optimum";
  revision: number;
  part: string;
  optimum: number;
  frames: number[];
}
export interface OscHeard {
  type: "osc";
  address: string;
  index: number;
  value: number;
}
export interface OscListen {
  type: "osc-listen";
  port: number;
}
export interface ParameterItem {
  name: string;
  kind: string;
  default: boolean | number | string | number[] | null;
  unit: Said;
  low: number | null;
  high: number | null;
  choices: Choice[];
  optional: boolean;
  help: Said;
  label: Said;
  usual: [number, number] | null;
  symbol: string;
  group: string;
}
export interface PartnerInfo {
  figure: string;
  motion: string;
  name: string;
  frames: number;
  height: number;
  size: number;
}
export interface PickChain {
  type: "chain";
  name: string;
  on?: boolean | null;
}
export interface PlaneInfo {
  root: number;
  holder: number;
  along: number[];
  up: number[];
}
export interface PoseArrays {
  type: "pose";
  serial: number;
  defined: number;
  travel: [number, number];
  rotations: Floats;
  positions: Floats;
  turns?: Floats | null;
  places?: Floats | null;
}
export interface PosedBody {
  rotations: number[];
  positions: number[];
}
export interface PosedFrame {
  frame: number;
  pose: PosedBody;
}
export interface Preset {
  type: "preset";
  preset: string;
}
export interface PresetItem {
  label: Said;
  options: Record<string, boolean | number | string | number[] | null>;
}
export interface ProgressUpdate {
  type: "progress";
  about: string;
  done: number;
  total: number;
}
export interface ProjectItem {
  key: string;
  name: string;
  age_s: number;
  open: boolean;
}
export interface ProjectList {
  items: ProjectItem[];
}
export interface PuppetKey {
  name: string;
  place: [number, number, number];
  pose: PosedBody;
}
export interface PuppetPart {
  options: Record<string, boolean | number | string | number[] | null>;
  keys: PuppetKey[];
  set: string;
  sets: KeySet[];
  posed: PosedBody | null;
  takes: PuppetTake[];
  recording: Recording | null;
  sequence: Entry[];
  shown: string;
  controls: Control[];
  together: string[];
}
export interface PuppetTake {
  name: string;
  path: number[];
  times: number[];
  keys: string;
}
export interface PuppetUpdate {
  type: "puppet";
  revision: number;
  home: [number, number, number];
  motion: string;
  map: string;
  file: string;
  can_walk: boolean;
  notes: Said[];
  together: MemberInfo[];
}
export interface Recording {
  number: number;
  retime: string;
  path: number[];
  times: number[];
}
export interface Redo {
  type: "redo";
}
export interface Reference {
  key: string;
  opacity: number;
  offset_s: number;
  rate: number;
  scale: number;
  x: number;
  y: number;
}
export interface Remove {
  type: "remove";
  key: string;
}
export interface RowInfo {
  label: Said;
  value: Said;
}
export interface Said {
  en: string;
  ja: string;
}
export interface Save {
  type: "save";
}
export interface SavedUpdate {
  type: "saved";
  revision: number;
  problem: Said | null;
  heard: number;
}
export interface Scene {
  version: number;
  motion: string;
  character: string;
  fps: number;
  parts: Record<string, MethodPart>;
  hair: HairPart;
  puppet: PuppetPart;
  translate: TranslatePart;
  shot: Shot;
}
export interface SceneUpdate {
  type: "scene";
  revision: number;
  scene: Scene;
  can_undo: boolean;
  can_redo: boolean;
  heard: number;
  session: string;
  project: string;
}
export interface SetWind {
  type: "wind";
  wind: number[] | null;
  gesture?: string;
}
export interface Shelf {
  items: ShelfItem[];
}
export interface ShelfItem {
  key: string;
  name: string;
  about: Said;
  character: boolean;
  motions: string[];
  animal: boolean;
  media: string;
  stills: string[];
}
export interface ShelfUpdate {
  type: "shelf";
}
export interface Shot {
  first: number | null;
  last: number | null;
  sound: Sound | null;
  reference: Reference | null;
  muted: ("body" | "hair")[];
  hair: boolean;
  view: View | null;
}
export interface Sound {
  key: string;
  start: number;
  muted: boolean;
}
export interface SpringArrays {
  type: "springs";
  joints: Ints;
  rotations: Floats;
}
export interface StopExport {
  type: "stop_export";
}
export interface StrandDrawn {
  chain: string;
  frame: number;
  points: number[][];
}
export interface StrandInfo {
  frame: number;
  drawn: number[][];
  fitted: number[][];
}
export interface TakeTrace {
  type: "trace";
  name: string;
  text: string;
}
export interface TranslatePart {
  options: Record<string, boolean | number | string | number[] | null>;
  animal: string;
  train: string[];
}
export interface TranslateUpdate {
  type: "translate";
  revision: number;
  to: "animal" | "arms";
  partner: PartnerInfo;
  source: number[];
  person: FeetInfo;
  animal: FeetInfo;
  gait: string;
  order: string[];
  cycle_s: number;
  skate_m_s: number;
  trials: TrialInfo[];
  chosen: string;
  outside: number[];
  notes: Said[];
}
export interface TrialInfo {
  model: string;
  error_deg: number;
}
export interface Undo {
  type: "undo";
}
export interface UndoneUpdate {
  type: "undone";
  part: string;
  about: Said;
}
export interface View {
  eye: [number, number, number];
  target: [number, number, number];
  fov_deg: number;
  follows: boolean;
}
export interface Watch {
  type: "watch";
  part: string;
  frame?: number;
}
export type Ask = Watch | EditProject | Open | Change | EditSheet | EditKeyPose | EditShot | SetWind | Preset | PickChain | DrawStrand | ClearStrands | TakeTrace | FitHair | Cast | Follow | Export | StopExport | Remove | EditKeySet | EditKey | EditPose | EditTake | EditSequence | LoadPuppet | EditControls | EditTogether | Undo | Redo | Save;
export type Tell = SceneUpdate | BodyUpdate | MethodUpdate | LimitedUpdate | KeyposesUpdate | HairUpdate | HairChecked | PuppetUpdate | OptimumUpdate | TranslateUpdate | ProgressUpdate | ExportUpdate | ExportEnded | ShelfUpdate | SavedUpdate | ChangesUpdate | UndoneUpdate | AnsweredUpdate | ErrorMessage;
export type Arrays = MotionArrays | HairArrays | SpringArrays | PoseArrays | FollowArrays | MapArrays | LiveArrays;
export type LiveAsk = LiveStart | LiveStop | LiveRecord | OscListen;
export type LiveTell = LiveUpdate | LiveTake | LiveTrouble | OscHeard;
export interface Floats { data: Float32Array<ArrayBuffer>; shape: number[] }
export interface Ints { data: Int32Array<ArrayBuffer>; shape: number[] }
export const HAND_KIND = {
  "handle": 1,
  "pull": 2,
  "key": 3
} as const;
/** What the hand sends: these numbers, 32 bits each, one after another. */
export const HAND_INPUT = [
  "kind",
  "serial",
  "which",
  "x",
  "y",
  "z",
  "seconds",
  "frame"
] as const;
export type HandInput = Record<(typeof HAND_INPUT)[number], number>;

export const JAPANESE: Record<string, string> = {
  "Open": "開く",
  "Motion": "モーション",
  "Character": "キャラクター",
  "its own skeleton": "モーション自身の骨格",
  "Drop a BVH, GLB, VRM, PMX or VMD anywhere on the page": "BVH・GLB・VRM・PMX・VMD をページのどこにでもドロップできます",
  "Play": "再生",
  "Pause": "一時停止",
  "Loop": "ループ",
  "Onion skin": "オニオンスキン",
  "Frame the character": "キャラクターを画面に収める",
  "Front view": "正面",
  "Side view": "側面",
  "Back view": "背面",
  "Top view": "俯瞰",
  "Follow the body": "カメラ追従",
  "Stage": "ステージ",
  "Side by side": "左右に並べる",
  "Overlay": "重ねる",
  "Result alone": "結果のみ",
  "Original": "元の動き",
  "Result": "結果",
  "Undo": "元に戻す",
  "Redo": "やり直す",
  "Help": "ヘルプ",
  "Close": "閉じる",
  "frame": "コマ",
  "drawings shown": "枚数",
  "drawing": "絵",
  "source frame": "元のフレーム",
  "omitted": "中無し",
  "held": "止め",
  "steps over time": "変化量の推移",
  "Exposure sheet": "タイムシート",
  "Reset the sheet": "シートを元に戻す",
  "edited by hand": "手で編集済み",
  "saved": "保存済み",
  "saving": "保存中",
  "not saved": "保存できません",
  "connection lost, trying again": "接続が切れました。再接続しています",
  "default": "既定",
  "auto": "自動",
  "Extend this drawing by one frame": "この絵を 1 コマ延ばす",
  "Shorten this drawing by one frame": "1 コマ詰める",
  "Pin this drawing": "この絵をピン留め",
  "Poses": "ポーズ",
  "Motion curve": "モーションカーブ",
  "Distance by number of keys": "原画の枚数と差",
  "previous key": "前のキー",
  "next key": "次のキー",
  "Keys": "キー",
  "more": "詳細設定",
  "one frame back": "1 フレーム戻る",
  "one frame on": "1 フレーム進む",
  "to the first frame": "最初のフレームへ",
  "to the last frame": "最後のフレームへ",
  "Save": "保存",
  "Motion curve, turned by dragging or with the arrow keys": "モーションカーブ（ドラッグか矢印キーで回せます）",
  "these keys": "このキー",
  "the best keys": "最適なキー",
  "Presets": "プリセット",
  "plain": "基本",
  "breeze": "そよ風",
  "stream": "なびく",
  "gust": "突風",
  "underwater": "水中",
  "run": "走り",
  "Wind": "風",
  "preset's": "既定の風",
  "Let the preset's own wind blow": "プリセットの風に戻す",
  "repeats in": "1 周期",
  "frames": "コマ",
  "drawings a cycle": "1 周期の枚数",
  "on ones": "1 コマ打ち",
  "on twos": "2 コマ打ち",
  "on threes": "3 コマ打ち",
  "on fours": "4 コマ打ち",
  "loops after": "ループの長さ",
  "Wave": "波",
  "Chains": "チェーン",
  "show chains": "チェーンを表示",
  "Look at this chain": "このチェーンを見る",
  "hair": "髪",
  "skirt": "スカート",
  "ribbon": "リボン",
  "tail": "尻尾",
  "ear": "耳",
  "the tip draws an 8": "毛先が 8 の字を描く",
  "the wave runs from root to tip": "波が根元から先へ伝わる",
  "out of step with its neighbours": "隣とずれている",
  "the loop closes": "ループがつながる",
  "Spring bones beside it": "スプリングボーンと並べる",
  "Spring bones": "スプリングボーン",
  "Drawn wave": "作画の波",
  "Draw over frames and fit": "なぞって合わせる",
  "Draw along the strand from root to tip, in four frames or more": "根元から先まで線でなぞります。4 フレーム以上で合わせられます",
  "Trace the picked chain, then let the wave fit it": "選んだチェーンをなぞり、波を合わせます",
  "Trace": "なぞる",
  "See it from the side": "真横から見る",
  "keep the period": "周期はそのまま",
  "Fit": "合わせる",
  "Erase this drawing": "この線を消す",
  "Erase all": "すべて消す",
  "Load a trace": "トレースを開く",
  "Save the trace": "トレースを保存",
  "drawn frames": "なぞったフレーム",
  "the fitted wave": "合わせた波",
  "the hair as it is": "今の髪",
  "fitted": "当てはめ",
  "An animal": "動物",
  "Legs to arms": "脚から腕へ",
  "Animal": "動物",
  "Learn from (none: the open clip)": "学習に使うモーション（なければ開いているもの）",
  "Live": "ライブ",
  "the driven body follows the person frame by frame, as you play or drag": "再生やドラッグに合わせて、動物や腕がフレームごとに追従します",
  "learning": "学習中",
  "gait": "歩法",
  "footfalls": "足をつく順",
  "cycle": "周期",
  "slip of planted feet": "接地した足の滑り",
  "chosen": "選ばれたもの",
  "frames out of range": "学習範囲外のフレーム",
  "How far off on clips kept aside, degrees per joint": "学習に使わなかったクリップでの差（関節あたりの度）",
  "walk": "歩き",
  "trot": "速歩",
  "gallop": "ギャロップ",
  "pace": "側対歩",
  "other": "その他",
  "L": "左",
  "R": "右",
  "LH": "左後",
  "RH": "右後",
  "LF": "左前",
  "RF": "右前",
  "Open motion": "モーションを開く",
  "Open character": "キャラクターを開く",
  "motion": "モーション",
  "character": "キャラクター",
  "Remove from the project": "プロジェクトから外す",
  "Choose files": "ファイルを選ぶ",
  "This project's files": "このプロジェクトのファイル",
  "Samples": "サンプル",
  "Characters": "キャラクター",
  "Export": "書き出し",
  "What": "対象",
  "Character with the motion": "モーション付きキャラクター",
  "Timesheet": "タイムシート",
  "Picture or film": "画像・ムービー",
  "A picture a frame": "1 フレーム 1 画像",
  "Recipe": "レシピ",
  "it has no timesheet": "タイムシートはありません",
  "a recipe has no step for it": "レシピにはこれを作る手順がありません",
  "making the file": "ファイルを作成中",
  "Cancel": "中止",
  "Camera": "カメラ",
  "Style": "画風",
  "Width": "幅",
  "Height": "高さ",
  "Sheet below": "下にシートを表示",
  "three-quarter": "斜め前",
  "front": "正面",
  "side": "横",
  "follow": "追従",
  "toon": "トゥーン",
  "line": "線画",
  "clay": "クレイ",
  "Takes": "テイク",
  "Sequence": "シーケンス",
  "Blending": "ブレンド",
  "Show in red where another key would help": "キーを足すとよい場所を赤で示す",
  "Drag a hand, a foot or the head to make a pose, then press K: a yellow key holds it": "手・足・頭をドラッグしてポーズを作り、K を押すと、黄色いキーに残ります",
  "Move the pink handle, make another pose, press K again; twice": "ピンクのハンドルを動かし、別のポーズを作って、また K を押します（2 回）",
  "Press R and drag the pink handle: it is recorded, and plays when you let go": "R を押してピンクのハンドルをドラッグすると記録され、離すと再生されます",
  "You have made your first motion": "最初の動きができました",
  "Three steps to a motion": "3 ステップで動きを作る",
  "recording: let go of the handle, or press R, and it plays": "記録中：ハンドルを離すか R を押すと再生します",
  "drag the handle: only its timing counts": "ハンドルをドラッグしてください（タイミングだけを使います）",
  "drag the pink handle: it is recorded": "ピンクのハンドルをドラッグすると記録されます",
  "this pose is not saved yet: press K": "このポーズはまだ残っていません：K を押してください",
  "the keys define no pose here: add one": "ここではキーからポーズが決まりません：キーを置いてください",
  "add a key first: press K": "先に K を押してキーを置いてください",
  "Set the pose of this key": "このキーのポーズを更新",
  "Add a key here": "キーを置く",
  "Record": "記録",
  "Stop": "停止",
  "Rest pose": "レストポーズ",
  "Pose of the clip": "クリップのポーズ",
  "As the opened motion is at the frame last looked at": "開いているモーションの、最後に見ていたフレームのポーズ",
  "Discard the pose": "ポーズを破棄する",
  "Go to this key": "このキーへ",
  "Name of the key": "キーの名前",
  "Name of the take": "テイクの名前",
  "Delete": "削除",
  "Seconds": "秒数",
  "Smooth": "なめらかに",
  "Perform its timing again": "タイミングを演じ直す",
  "Add to the sequence": "シーケンスに加える",
  "Blend, seconds": "つなぎの秒数",
  "Earlier": "前へ",
  "for comparison: a rigid swing": "比較：剛体の揺れ",
  "for comparison: springs in a wind": "比較：風を受けるばね",
  "On the same handle": "同じハンドルで動かすキャラクター",
  "Add a character on this handle": "同じハンドルで動かすキャラクターを追加",
  "Play the sequence": "シーケンスを再生",
  "Walk": "歩く",
  "Turn walks on and set keys of one step": "「歩く」をオンにして、1 歩分のキーを置いてください",
  "Save the puppet as a file": "パペットを保存",
  "Open a puppet's file": "パペットを開く",
  "Handle and joints by numbers": "ハンドルと関節を数値で",
  "Handle x": "ハンドル x",
  "Handle y": "ハンドル y",
  "Handle z": "ハンドル z",
  "Joint": "関節",
  "Turn x": "回転 x",
  "Turn y": "回転 y",
  "Turn z": "回転 z",
  "none": "なし",
  "Source": "ソース",
  "VMC (VSeeFace, VMagicMirror, Warudo ...)": "VMC（VSeeFace、VMagicMirror、Warudo など）",
  "Sony mocopi": "ソニー mocopi",
  "The open motion, as if it were live": "開いているモーション（ライブとして再生）",
  "Port": "ポート",
  "Look-ahead, frames": "先読み（コマ）",
  "Start": "開始",
  "packets per second": "パケット/秒",
  "delay, ms": "遅延 ms",
  "dropped": "破棄",
  "the take is on the shelf": "テイクを棚に入れました",
  "Gamepad, MIDI and OSC": "ゲームパッド・MIDI・OSC",
  "Learn": "割り当て",
  "move the control that you want to use": "使いたいコントロールを動かしてください",
  "Clear": "解除",
  "OSC port": "OSC ポート",
  "record (button)": "記録（ボタン）",
  "Light theme": "ライトテーマ",
  "Dark theme": "ダークテーマ",
  "View": "表示",
  "Overlays": "重ね表示",
  "Ghosts of the drawings around": "前後の絵のゴースト",
  "Arcs with a tick at every drawing": "軌跡（絵ごとに目盛り）",
  "Joints with an arc": "軌跡を描く関節",
  "Save a still of the stage": "ステージを静止画で保存",
  "Save a film of the stage": "ステージをムービーで保存",
  "This browser cannot encode films; use Export instead": "このブラウザではムービーを作れません。「書き出し」を使ってください",
  "head": "頭",
  "left hand": "左手",
  "right hand": "右手",
  "left foot": "左足",
  "right foot": "右足",
  "hips": "腰",
  "left lower arm": "左前腕",
  "right lower arm": "右前腕",
  "chest": "胸",
  "Spacing": "変化量",
  "Body": "体",
  "Hair": "髪",
  "Sound": "音声",
  "Reference": "参考映像",
  "Mute": "ミュート",
  "Unmute": "ミュート解除",
  "Show this row's timing": "この行のタイミングを表示",
  "Show every frame instead": "全コマを表示",
  "Height of the timeline": "タイムラインの高さ",
  "Zoom in": "拡大",
  "Zoom out": "縮小",
  "Show the whole clip": "全体を表示",
  "Ping-pong": "往復再生",
  "Playback speed": "再生速度",
  "Frame rate": "フレームレート",
  "In point": "イン点",
  "Out point": "アウト点",
  "Clear the in and out points": "イン点・アウト点を消す",
  "Copy": "コピー",
  "Paste": "貼り付け",
  "Select all": "すべて選択",
  "Set on ones": "1 コマ打ちにする",
  "Set on twos": "2 コマ打ちにする",
  "Set on threes": "3 コマ打ちにする",
  "Timesheet view": "タイムシート表示",
  "Frame": "コマ",
  "Cel": "セル",
  "Add sound": "音声を追加",
  "Remove the sound": "音声を外す",
  "Add a reference": "参考映像を追加",
  "Remove the reference": "参考映像を外す",
  "Opacity": "不透明度",
  "Offset": "ずらし",
  "Rate": "速度",
  "Sound starts at frame": "音声の開始コマ",
  "This browser cannot read the sound": "この音声はブラウザで読めません",
  "This browser cannot show the reference": "この参考映像はブラウザで表示できません",
  "Auto": "自動",
  "Drag to select; drag a selected drawing to move it; drag an edge to lengthen": "ドラッグで選択、選んだ絵のドラッグで移動、端のドラッグで延長",
  "Mirror the pose": "ポーズを左右反転",
  "Ghosts of the neighbouring keys": "隣のキーのゴースト",
  "Keep every second drawing aside to judge the fit": "1 枚おきに残し、当てはめの評価に使う",
  "on the drawings kept aside": "残した絵での誤差",
  "timeline": "タイムライン",
  "Selection one frame longer": "選択を 1 コマ延ばす",
  "Selection one frame shorter": "選択を 1 コマ縮める",
  "in the paper": "論文では",
  "Offset, seconds": "ずらし（秒）",
  "Size": "大きさ",
  "Across": "横位置",
  "Down": "縦位置",
  "Selection": "選択範囲",
  "not connected": "未接続",
  "changes wait": "変更を保留中",
  "changes that wait": "保留中の変更",
  "not done: the connection is lost; do it again when it is back": "接続が切れているため実行できません。再接続してからもう一度行ってください",
  "the studio restarted before the last edit was saved; check whether it is still there": "最後の編集が保存される前にスタジオが再起動しました。反映されているか確認してください",
  "Lock this drawing": "この絵をロック",
  "Unlock this drawing": "この絵のロックを解除",
  "Lock or unlock this drawing": "この絵をロック／解除",
  "Project": "プロジェクト",
  "open now": "編集中",
  "Open project": "プロジェクトを開く",
  "Name of the project": "プロジェクト名",
  "New project": "新規プロジェクト",
  "Save as": "別名で保存",
  "Open a project's file": "プロジェクトファイルを開く",
  "Share as one file": "1 つのファイルで共有",
  "Recent projects": "最近のプロジェクト",
  "Key set": "キーセット",
  "New key set": "新しいキーセット",
  "Name of the key set": "キーセットの名前",
  "Delete the key set": "キーセットを削除",
  "Drag a joint on the stage to redraw this key; only the frames that show it change": "ステージの関節をドラッグすると、この原画を描き直せます。変わるのはこの原画を見せているコマだけです",
  "As captured": "キャプチャのまま",
  "Measure in the picture": "画面上の変化量で測る",
  "What counts is how far a joint goes in the picture from this view, not in the world": "関節の変化量を、空間ではなくこの視点から見た画面の上で測ります",
  "Take this view": "今の視点を使う",
  "Notes on the result": "結果のメモ",
  "Notes on clip and character": "モーションとキャラクターのメモ",
  "away from the captured motion": "元の動きとの差",
  "What the held drawings change: squared distances of all joints, summed over all frames": "止めによる変化：全関節の距離の 2 乗を全コマで合計",
  "How far the frame that fits worst is from the motion curve that the keys make": "原画が作るモーションカーブから最も離れたフレームの距離",
  "How far all frames together are from the motion curve that the keys make": "原画が作るモーションカーブと全フレームの距離の合計",
  "compared with the best choice": "最善の選び方との比較",
  "How much more this is than the least that as many drawings can come to": "同じ枚数で最も小さい値と比べて、どれだけ大きいか",
  "nothing is better": "これが最善",
  "Nothing is recorded yet: make a pose on the stage and press K to keep it as a key": "まだ記録がありません。ステージでポーズを作り、K でキーにします",
  "Move the pink handle, make another pose and press K; with three keys, press R to record": "ピンクのハンドルを動かし、別のポーズを作って K を押します。キーが 3 つになったら R で記録します",
  "Press R and drag the pink handle: what you record appears here": "R を押してピンクのハンドルをドラッグします。記録した動きがここに表示されます",
  "Press ▶ beside a take to see it here, or R to record another": "テイクの ▶ を押すとここに表示されます。R で新しく記録します"
};
