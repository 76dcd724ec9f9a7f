// Written by `python -m komadori.studio.typescript`; change the Python classes instead.

export interface Blow {
  type: "wind";
  wind: number[] | null;
  gesture?: string;
}
export interface BodyTold {
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
  chains: ChainTold[];
  height: number;
  notes: Said[];
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
export interface ChainTold {
  name: string;
  kind: string;
  joints: number[];
}
export interface Change {
  type: "change";
  part: "hair" | "keyposes" | "limited" | "puppet" | "translate";
  options: Record<string, boolean | number | string | number[] | null>;
  gesture?: string;
}
export interface ClearStrands {
  type: "clear_strands";
}
export interface DrawStrand {
  type: "strand";
  frame: number;
  rays: number[][];
}
export interface Dropped {
  items: ShelfItem[];
  troubles: string[];
}
export interface EditKey {
  type: "key";
  edit: "delete" | "drop" | "move" | "rename";
  name?: string;
  place?: number[] | null;
  to?: string | null;
  gesture?: string;
}
export interface EditPose {
  type: "pose";
  edit: "clip" | "keep" | "release" | "rest" | "turn";
  place: number[];
  joint?: number;
  rotation?: number[] | null;
  frame?: number;
  gesture?: string;
}
export interface EditSequence {
  type: "sequence";
  entries: Entry[];
  gesture?: string;
}
export interface EditSheet {
  type: "sheet";
  part: "keyposes" | "limited";
  edit: "delete" | "draw" | "edge" | "insert" | "pin" | "reset";
  frame?: number;
  to?: number;
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
export interface Entry {
  take: string;
  blend_s: number;
}
export interface Export {
  type: "export";
  what: "hair" | "keyposes" | "limited" | "original" | "puppet" | "translate";
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
  message: string;
}
export interface ExportTold {
  type: "export";
  address: string;
  name: string;
  size: number;
  notes: Said[];
}
export interface FeetTold {
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
}
export interface FitHair {
  type: "fit_hair";
  hold?: boolean;
}
export interface Follow {
  type: "follow";
  frame: number;
  serial?: number;
}
export interface FormatItem {
  kind: "character" | "frames" | "motion" | "picture" | "recipe" | "sheet";
  suffix: string;
  name: string;
  missing: string;
}
export interface Formats {
  items: FormatItem[];
  cameras: string[];
  styles: string[];
}
export interface Grab {
  joint: number;
  role: string;
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
export interface HairTold {
  type: "hair";
  revision: number;
  chain: string;
  plane: PlaneTold | null;
  values: Record<string, number>;
  wind: number[];
  cycle: number;
  step: number;
  drawings: number;
  period_s: number;
  loop_s: number;
  strands: StrandTold[];
  fit: FitFound | null;
  shown_angle_deg: number | null;
  shown_percent: number | null;
  trace: string;
  springs: string;
  notes: Said[];
}
export interface KeyposesPart {
  options: Record<string, boolean | number | string | number[] | null>;
  sheet: number[] | null;
}
export interface KeyposesTold {
  type: "keyposes";
  revision: number;
  frames: number[];
  order: number[];
  source: number[];
  edited: boolean;
  counts: number[];
  errors: number[];
  error: number;
  even_error: number;
  curve: number[][];
  distances: number[];
  explained: number;
  notes: Said[];
}
export interface LimitedPart {
  options: Record<string, boolean | number | string | number[] | null>;
  sheet: number[] | null;
}
export interface LimitedTold {
  type: "limited";
  revision: number;
  source: number[];
  edited: boolean;
  pins: number[];
  omitted: number;
  held: number;
  drawings: number;
  omitted_frames: number[];
  steps_before: number[];
  steps_after: number[];
  error: number;
  motion: string;
  notes: Said[];
}
export interface LoadPuppet {
  type: "load-puppet";
  name: string;
  text: string;
  gesture?: string;
}
export interface Open {
  type: "open";
  motion?: string | null;
  character?: string | null;
}
export interface OptimumTold {
  type: "optimum";
  revision: number;
  part: "keyposes" | "limited";
  optimum: number;
  frames: number[];
}
export interface PartnerTold {
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
export interface PlaneTold {
  root: number;
  holder: number;
  along: number[];
  up: number[];
}
export interface PosedBody {
  rotations: number[];
  positions: number[];
}
export interface Preset {
  type: "preset";
  preset: string;
}
export interface ProgressTold {
  type: "progress";
  about: string;
  done: number;
  total: number;
}
export interface PuppetKey {
  name: string;
  place: number[];
  pose: PosedBody;
}
export interface PuppetPart {
  options: Record<string, boolean | number | string | number[] | null>;
  keys: PuppetKey[];
  posed: PosedBody | null;
  takes: PuppetTake[];
  recording: Recording | null;
  sequence: Entry[];
  shown: string;
}
export interface PuppetTake {
  name: string;
  path: number[];
  times: number[];
}
export interface PuppetTold {
  type: "puppet";
  revision: number;
  home: number[];
  grabs: Grab[];
  motion: string;
  map: string;
  file: string;
  can_walk: boolean;
  notes: Said[];
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
export interface Remove {
  type: "remove";
  key: string;
}
export interface Said {
  en: string;
  ja: string;
}
export interface Save {
  type: "save";
}
export interface SavedTold {
  type: "saved";
  revision: number;
  problem: string;
}
export interface Scene {
  version: number;
  motion: string;
  character: string;
  limited: LimitedPart;
  keyposes: KeyposesPart;
  hair: HairPart;
  puppet: PuppetPart;
  translate: TranslatePart;
}
export interface SceneTold {
  type: "scene";
  revision: number;
  scene: Scene;
  can_undo: boolean;
  can_redo: boolean;
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
}
export interface ShelfTold {
  type: "shelf";
}
export interface StopExport {
  type: "stop_export";
}
export interface StrandDrawn {
  chain: string;
  frame: number;
  points: number[][];
}
export interface StrandTold {
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
export interface TranslateTold {
  type: "translate";
  revision: number;
  to: "animal" | "arms";
  partner: PartnerTold;
  source: number[];
  person: FeetTold;
  animal: FeetTold;
  gait: string;
  order: string[];
  cycle_s: number;
  skate_m_s: number;
  trials: TrialTold[];
  chosen: string;
  outside: number[];
  notes: Said[];
}
export interface TrialTold {
  model: string;
  error_deg: number;
}
export interface Trouble {
  type: "trouble";
  message: string;
  about: string;
}
export interface Undo {
  type: "undo";
}
export interface Watch {
  type: "watch";
  part: "hair" | "keyposes" | "limited" | "puppet" | "translate";
  frame?: number;
}
export type Ask = Watch | Open | Change | EditSheet | Blow | Preset | PickChain | DrawStrand | ClearStrands | TakeTrace | FitHair | Cast | Follow | Export | StopExport | Remove | EditKey | EditPose | EditTake | EditSequence | LoadPuppet | Undo | Redo | Save;
export type Tell = SceneTold | BodyTold | LimitedTold | KeyposesTold | HairTold | HairChecked | PuppetTold | OptimumTold | TranslateTold | ProgressTold | ExportTold | ExportEnded | ShelfTold | SavedTold | Trouble;

export interface Parameter {
  name: string; kind: string; default: unknown; unit: string; low: number | null; high: number | null;
  choices: string[]; optional: boolean; help: Said; label: Said;
}
export const PARAMETERS: Record<string, Parameter[]> = {
  "limited": [
    {
      "name": "omit",
      "kind": "int",
      "default": 4,
      "unit": "frames",
      "low": 0,
      "high": 1000000.0,
      "choices": [],
      "optional": false,
      "help": {
        "en": "in-betweens left out where the motion is fastest (4 to 6 suit one action)",
        "ja": "動きの最も速いところで抜く中割りの枚数（一つの動作で 4〜6 枚が目安）"
      },
      "label": {
        "en": "omit",
        "ja": "中抜き"
      }
    },
    {
      "name": "hold",
      "kind": "int",
      "default": null,
      "unit": "drawings",
      "low": 0,
      "high": 1000000000.0,
      "choices": [],
      "optional": true,
      "help": {
        "en": "drawings removed by holding the one before (a third of the frames if not given)",
        "ja": "前の絵を止めて減らす枚数（省略時は全コマの 3 分の 1）"
      },
      "label": {
        "en": "hold",
        "ja": "止め"
      }
    },
    {
      "name": "hold_share",
      "kind": "float",
      "default": null,
      "unit": "",
      "low": 0.0,
      "high": 1.0,
      "choices": [],
      "optional": true,
      "help": {
        "en": "drawings removed by holds as a share of the frames, where hold is not given",
        "ja": "止めて減らす枚数のコマ数に対する割合（hold を省略したとき）"
      },
      "label": {
        "en": "hold share",
        "ja": "hold share"
      }
    },
    {
      "name": "max_exposures",
      "kind": "int",
      "default": 3,
      "unit": "frames",
      "low": 1,
      "high": 1000,
      "choices": [],
      "optional": false,
      "help": {
        "en": "longest time that a drawing may stay: 2 is on twos, 3 on threes",
        "ja": "同じ絵を続けてよいコマ数。2 なら 2 コマ打ち、3 なら 3 コマ打ち"
      },
      "label": {
        "en": "max exposures",
        "ja": "最大コマ数"
      }
    },
    {
      "name": "keep_length",
      "kind": "bool",
      "default": true,
      "unit": "",
      "low": null,
      "high": null,
      "choices": [],
      "optional": false,
      "help": {
        "en": "repeat calm frames for the omitted ones, so that the clip keeps its length",
        "ja": "抜いた分だけ動きの少ないコマを繰り返し、尺を保つ"
      },
      "label": {
        "en": "keep length",
        "ja": "長さを保つ"
      }
    },
    {
      "name": "solver",
      "kind": "str",
      "default": "greedy",
      "unit": "",
      "low": null,
      "high": null,
      "choices": [
        "greedy",
        "optimal",
        "optimal-free",
        "uniform"
      ],
      "optional": false,
      "help": {
        "en": "greedy: the paper; optimal: least error, a run shows its first frame; optimal-free: its best frame; uniform: every drawing for max-exposures frames",
        "ja": "greedy: 論文の方法。optimal: 誤差最小（先頭の絵を止める）。optimal-free: 最もよい絵を止める。uniform: 全ての絵を max-exposures コマずつ"
      },
      "label": {
        "en": "solver",
        "ja": "解法"
      }
    },
    {
      "name": "actions",
      "kind": "bool",
      "default": false,
      "unit": "",
      "low": null,
      "high": null,
      "choices": [],
      "optional": false,
      "help": {
        "en": "split the clip at its calm moments and give each action its own omissions",
        "ja": "動きの静まるところで動作に分け、それぞれに中無しを入れる"
      },
      "label": {
        "en": "actions",
        "ja": "アクションごと"
      }
    },
    {
      "name": "cuts",
      "kind": "frames",
      "default": [],
      "unit": "frames",
      "low": null,
      "high": null,
      "choices": [],
      "optional": false,
      "help": {
        "en": "frames at which a new action begins, if you know them",
        "ja": "新しい動作が始まるフレーム（分かっている場合）"
      },
      "label": {
        "en": "cuts",
        "ja": "アクションの始まり"
      }
    },
    {
      "name": "action_omits",
      "kind": "frames",
      "default": [],
      "unit": "",
      "low": null,
      "high": null,
      "choices": [],
      "optional": false,
      "help": {
        "en": "omissions of each action in turn (omit for all if not given)",
        "ja": "動作ごとの中無しの枚数（省略時は全て omit）"
      },
      "label": {
        "en": "action omits",
        "ja": "アクションごとの中抜き"
      }
    },
    {
      "name": "layers",
      "kind": "str",
      "default": "whole",
      "unit": "",
      "low": null,
      "high": null,
      "choices": [
        "whole",
        "parts"
      ],
      "optional": false,
      "help": {
        "en": "whole: one sheet; parts: a sheet for body, head and each limb, the root on ones, feet kept from slipping",
        "ja": "whole: 一枚のシート。parts: 胴・頭・手足ごとのシート（ルートは 1 コマ打ち、足は滑らせない）"
      },
      "label": {
        "en": "layers",
        "ja": "レイヤー"
      }
    },
    {
      "name": "max_drift",
      "kind": "int",
      "default": null,
      "unit": "frames",
      "low": 0,
      "high": 1000000000.0,
      "choices": [],
      "optional": true,
      "help": {
        "en": "farthest that a shown frame may lie from its own time, so that sound still fits",
        "ja": "表示する絵が本来の時刻からずれてよい幅（音と合わせるため）"
      },
      "label": {
        "en": "max drift",
        "ja": "最大のずれ"
      }
    },
    {
      "name": "pins",
      "kind": "frames",
      "default": [],
      "unit": "frames",
      "low": null,
      "high": null,
      "choices": [],
      "optional": false,
      "help": {
        "en": "frames that must be drawn",
        "ja": "必ず描くフレーム"
      },
      "label": {
        "en": "pins",
        "ja": "固定フレーム"
      }
    },
    {
      "name": "contacts",
      "kind": "bool",
      "default": false,
      "unit": "",
      "low": null,
      "high": null,
      "choices": [],
      "optional": false,
      "help": {
        "en": "always draw the frames in which a foot touches down or lifts off",
        "ja": "足が着く・離れるフレームを必ず描く"
      },
      "label": {
        "en": "contacts",
        "ja": "接地"
      }
    }
  ],
  "keyposes": [
    {
      "name": "count",
      "kind": "int",
      "default": null,
      "unit": "poses",
      "low": 2,
      "high": 1000000000.0,
      "choices": [],
      "optional": true,
      "help": {
        "en": "how many key poses (chosen at the bend of the error curve if not given)",
        "ja": "キーポーズの数（省略時は誤差曲線の曲がり角で決める）"
      },
      "label": {
        "en": "count",
        "ja": "数"
      }
    },
    {
      "name": "tolerance",
      "kind": "float",
      "default": null,
      "unit": "m",
      "low": 0.0,
      "high": 1000000.0,
      "choices": [],
      "optional": true,
      "help": {
        "en": "as few key poses as keep the error at or below this",
        "ja": "誤差がこの値以下になる最少のキーポーズ数にする"
      },
      "label": {
        "en": "tolerance",
        "ja": "許容誤差"
      }
    },
    {
      "name": "solver",
      "kind": "str",
      "default": "greedy",
      "unit": "",
      "low": null,
      "high": null,
      "choices": [
        "greedy",
        "optimal",
        "synopsis"
      ],
      "optional": false,
      "help": {
        "en": "greedy: the paper; optimal: the least possible error; synopsis: Action Synopsis, for comparison",
        "ja": "greedy: 論文の方法。optimal: 誤差最小。synopsis: 比較用の Action Synopsis"
      },
      "label": {
        "en": "solver",
        "ja": "解法"
      }
    },
    {
      "name": "measure",
      "kind": "str",
      "default": "max",
      "unit": "",
      "low": null,
      "high": null,
      "choices": [
        "max",
        "sum"
      ],
      "optional": false,
      "help": {
        "en": "what the error is: the largest distance of a frame from the polyline, or the sum over all frames",
        "ja": "誤差の測り方。max: 折れ線から最も離れたフレームの距離、sum: 全フレームの合計"
      },
      "label": {
        "en": "measure",
        "ja": "誤差の測り方"
      }
    },
    {
      "name": "dims",
      "kind": "int",
      "default": 3,
      "unit": "",
      "low": 2,
      "high": 30,
      "choices": [],
      "optional": false,
      "help": {
        "en": "dimensions of the motion curve (the paper: 2 to 5)",
        "ja": "モーションカーブの次元（論文では 2〜5）"
      },
      "label": {
        "en": "dims",
        "ja": "次元"
      }
    },
    {
      "name": "velocity_weight",
      "kind": "str",
      "default": "balanced",
      "unit": "",
      "low": null,
      "high": null,
      "choices": [
        "balanced"
      ],
      "optional": false,
      "help": {
        "en": "weight of velocities: balanced gives them the variance of positions, 1 is the paper to the letter",
        "ja": "速度の重み。balanced は位置と同じ分散に揃える。1 は論文の式のまま"
      },
      "label": {
        "en": "velocity weight",
        "ja": "速度の重み"
      }
    },
    {
      "name": "time_weight",
      "kind": "float",
      "default": 0.0,
      "unit": "m/s",
      "low": 0.0,
      "high": 1000000.0,
      "choices": [],
      "optional": false,
      "help": {
        "en": "how far a second of movement without a key counts, so that slow motion gets keys",
        "ja": "キーのないまま動く 1 秒を何 m の距離とみなすか（遅い動きにもキーを入れるため）"
      },
      "label": {
        "en": "time weight",
        "ja": "時間の重み"
      }
    },
    {
      "name": "root_weight",
      "kind": "float",
      "default": 0.0,
      "unit": "",
      "low": 0.0,
      "high": 1000000.0,
      "choices": [],
      "optional": false,
      "help": {
        "en": "weight of the body's own way through the scene (1: as much as a hand's)",
        "ja": "体全体の移動の重み（1 で手と同じ）"
      },
      "label": {
        "en": "root weight",
        "ja": "移動の重み"
      }
    },
    {
      "name": "max_gap",
      "kind": "int",
      "default": null,
      "unit": "frames",
      "low": 1,
      "high": 1000000000.0,
      "choices": [],
      "optional": true,
      "help": {
        "en": "longest way from one key to the next",
        "ja": "キーとキーの最大間隔"
      },
      "label": {
        "en": "max gap",
        "ja": "最大間隔"
      }
    },
    {
      "name": "pins",
      "kind": "frames",
      "default": [],
      "unit": "frames",
      "low": null,
      "high": null,
      "choices": [],
      "optional": false,
      "help": {
        "en": "frames that must be keys",
        "ja": "必ずキーにするフレーム"
      },
      "label": {
        "en": "pins",
        "ja": "固定フレーム"
      }
    },
    {
      "name": "contacts",
      "kind": "bool",
      "default": false,
      "unit": "",
      "low": null,
      "high": null,
      "choices": [],
      "optional": false,
      "help": {
        "en": "make keys of the frames in which a foot touches down or lifts off",
        "ja": "足が着く・離れるフレームをキーにする"
      },
      "label": {
        "en": "contacts",
        "ja": "接地"
      }
    }
  ],
  "hair": [
    {
      "name": "seconds",
      "kind": "float",
      "default": null,
      "unit": "s",
      "low": 0.0,
      "high": 36000.0,
      "choices": [],
      "optional": true,
      "help": {
        "en": "how long the result is (the motion's length, or one whole loop, if not given)",
        "ja": "結果の長さ（省略時はモーションの長さ、なければ 1 ループ分）"
      },
      "label": {
        "en": "seconds",
        "ja": "seconds"
      }
    },
    {
      "name": "preset",
      "kind": "str",
      "default": null,
      "unit": "",
      "low": null,
      "high": null,
      "choices": [
        "breeze",
        "stream",
        "gust",
        "underwater",
        "run"
      ],
      "optional": true,
      "help": {
        "en": "a whole setting: what is not given otherwise is taken from it",
        "ja": "設定一式。個別に指定しない値はここから取る"
      },
      "label": {
        "en": "preset",
        "ja": "preset"
      }
    },
    {
      "name": "by",
      "kind": "str",
      "default": "wave",
      "unit": "",
      "low": null,
      "high": null,
      "choices": [
        "wave",
        "springs"
      ],
      "optional": false,
      "help": {
        "en": "the drawn wave, or the file's spring bones, simulated as VRM specifies, to compare with",
        "ja": "作画風の波か、比較用のスプリングボーン（VRM の仕様どおりの計算）か"
      },
      "label": {
        "en": "by",
        "ja": "by"
      }
    },
    {
      "name": "gust",
      "kind": "float",
      "default": null,
      "unit": "",
      "low": 0.0,
      "high": 1.0,
      "choices": [],
      "optional": true,
      "help": {
        "en": "how much the wind comes and goes: 0 is steady",
        "ja": "風の強弱の大きさ（0 で一定）"
      },
      "label": {
        "en": "gust",
        "ja": "突風"
      }
    },
    {
      "name": "period",
      "kind": "float",
      "default": null,
      "unit": "s",
      "low": 0.02,
      "high": 600.0,
      "choices": [],
      "optional": true,
      "help": {
        "en": "seconds in which the wave repeats (1 if not given)",
        "ja": "波の周期（省略時は 1 秒）"
      },
      "label": {
        "en": "period",
        "ja": "周期"
      }
    },
    {
      "name": "wavelength",
      "kind": "float",
      "default": null,
      "unit": "",
      "low": 0.05,
      "high": 100.0,
      "choices": [],
      "optional": true,
      "help": {
        "en": "length of the wave (k in the paper): 0.5 is one wave along a strand",
        "ja": "波長（論文の k）。0.5 で毛束に波が 1 つ"
      },
      "label": {
        "en": "wavelength",
        "ja": "波長"
      }
    },
    {
      "name": "calm",
      "kind": "float",
      "default": null,
      "unit": "",
      "low": 0.1,
      "high": 100.0,
      "choices": [],
      "optional": true,
      "help": {
        "en": "how calm the hair is (s in the paper): smaller swings and sags more",
        "ja": "穏やかさ（論文の s）。小さいほど大きく揺れ、大きく垂れる"
      },
      "label": {
        "en": "calm",
        "ja": "穏やかさ"
      }
    },
    {
      "name": "stiffness",
      "kind": "float",
      "default": null,
      "unit": "",
      "low": 0.0,
      "high": 20.0,
      "choices": [],
      "optional": true,
      "help": {
        "en": "how stiff the root is (p in the paper): larger moves it less",
        "ja": "根元の硬さ（論文の p）。大きいほど根元が動かない"
      },
      "label": {
        "en": "stiffness",
        "ja": "根元の硬さ"
      }
    },
    {
      "name": "size",
      "kind": "float",
      "default": null,
      "unit": "",
      "low": 0.0,
      "high": 20.0,
      "choices": [],
      "optional": true,
      "help": {
        "en": "size of the wave (a in the paper)",
        "ja": "波の大きさ（論文の a）"
      },
      "label": {
        "en": "size",
        "ja": "大きさ"
      }
    },
    {
      "name": "on",
      "kind": "int",
      "default": 1,
      "unit": "",
      "low": 1,
      "high": 12,
      "choices": [],
      "optional": false,
      "help": {
        "en": "frames that each drawing of the hair is shown: 2 is on twos",
        "ja": "髪の絵 1 枚を見せるフレーム数（2 で 2 コマ打ち）"
      },
      "label": {
        "en": "on",
        "ja": "コマ打ち"
      }
    },
    {
      "name": "drawings",
      "kind": "int",
      "default": null,
      "unit": "",
      "low": 2,
      "high": 1000,
      "choices": [],
      "optional": true,
      "help": {
        "en": "drawings in a cycle; with on 2 or 3 they give the period",
        "ja": "1 周期の作画枚数。on が 2 や 3 のときは周期もこれで決まる"
      },
      "label": {
        "en": "drawings a cycle",
        "ja": "1 周期の枚数"
      }
    },
    {
      "name": "spread",
      "kind": "float",
      "default": 0.35,
      "unit": "",
      "low": 0.0,
      "high": 1.0,
      "choices": [],
      "optional": false,
      "help": {
        "en": "how far neighbouring strands are out of step, in cycles: 0 is a wig",
        "ja": "隣り合う毛束のずれ（周期に対する割合）。0 ではかつらのように揃う"
      },
      "label": {
        "en": "spread",
        "ja": "ばらつき"
      }
    },
    {
      "name": "delay",
      "kind": "float",
      "default": 0.0,
      "unit": "",
      "low": 0.0,
      "high": 1.0,
      "choices": [],
      "optional": false,
      "help": {
        "en": "how much later the whole loop comes, in cycles",
        "ja": "ループ全体を遅らせる量（周期に対する割合）"
      },
      "label": {
        "en": "delay",
        "ja": "遅れ"
      }
    },
    {
      "name": "gather",
      "kind": "float",
      "default": 0.5,
      "unit": "",
      "low": 0.0,
      "high": 1.0,
      "choices": [],
      "optional": false,
      "help": {
        "en": "how much neighbouring strands draw together and part again",
        "ja": "隣り合う毛束の集束と分裂の大きさ"
      },
      "label": {
        "en": "gather",
        "ja": "集束"
      }
    },
    {
      "name": "follow",
      "kind": "float",
      "default": 1.0,
      "unit": "",
      "low": 0.0,
      "high": 5.0,
      "choices": [],
      "optional": false,
      "help": {
        "en": "how much hair trails behind, swings and overshoots as the head moves",
        "ja": "頭の動きに対して髪が遅れ、振れ、行き過ぎる度合い"
      },
      "label": {
        "en": "follow",
        "ja": "追従"
      }
    },
    {
      "name": "damping",
      "kind": "float",
      "default": 0.35,
      "unit": "",
      "low": 0.05,
      "high": 0.95,
      "choices": [],
      "optional": false,
      "help": {
        "en": "how soon a swing settles; near 1 it hardly overshoots",
        "ja": "揺れの収まりやすさ。1 に近いとほとんど行き過ぎない"
      },
      "label": {
        "en": "damping",
        "ja": "減衰"
      }
    },
    {
      "name": "still",
      "kind": "float",
      "default": 0.35,
      "unit": "",
      "low": 0.0,
      "high": 1.0,
      "choices": [],
      "optional": false,
      "help": {
        "en": "size of the wave while a moving head stands still, as a share of its whole",
        "ja": "動きのあるクリップで頭が止まっている間の波の大きさ（全体に対する割合）"
      },
      "label": {
        "en": "still",
        "ja": "静止時の波"
      }
    },
    {
      "name": "hang",
      "kind": "float",
      "default": null,
      "unit": "",
      "low": 0.0,
      "high": 5.0,
      "choices": [],
      "optional": true,
      "help": {
        "en": "how much strands hang down as the head tilts",
        "ja": "頭が傾いたとき毛束が下に垂れる度合い"
      },
      "label": {
        "en": "hang",
        "ja": "垂れ"
      }
    },
    {
      "name": "collide",
      "kind": "bool",
      "default": true,
      "unit": "",
      "low": null,
      "high": null,
      "choices": [],
      "optional": false,
      "help": {
        "en": "keep strands above the floor and outside arms, shoulders, back and legs",
        "ja": "毛束を床より上、腕・肩・背中・脚の外側に保つ"
      },
      "label": {
        "en": "collide",
        "ja": "衝突回避"
      }
    },
    {
      "name": "exact",
      "kind": "bool",
      "default": false,
      "unit": "",
      "low": null,
      "high": null,
      "choices": [],
      "optional": false,
      "help": {
        "en": "draw the paper's curve to the letter: no trimming, no gathering, nothing kept out of the body",
        "ja": "論文の曲線をそのまま描く（揺れの調整・集束・体との衝突回避をしない）"
      },
      "label": {
        "en": "exact",
        "ja": "論文どおり"
      }
    },
    {
      "name": "seed",
      "kind": "int",
      "default": 0,
      "unit": "",
      "low": 0,
      "high": 2147483648,
      "choices": [],
      "optional": false,
      "help": {
        "en": "another number gives other steps between the strands",
        "ja": "数を変えると毛束どうしのずれ方が変わる"
      },
      "label": {
        "en": "seed",
        "ja": "乱数の種"
      }
    }
  ],
  "puppet": [
    {
      "name": "kernel",
      "kind": "str",
      "default": "linear",
      "unit": "",
      "low": null,
      "high": null,
      "choices": [
        "linear",
        "cubic",
        "local"
      ],
      "optional": false,
      "help": {
        "en": "how keys blend: linear as the paper's, cubic smoother, local fading to the trend",
        "ja": "キーの混ぜ方: linear は論文どおり、cubic はよりなめらか、local は離れると全体の傾向に近づく"
      },
      "label": {
        "en": "kernel",
        "ja": "カーネル"
      }
    },
    {
      "name": "polynomial",
      "kind": "bool",
      "default": true,
      "unit": "",
      "low": null,
      "high": null,
      "choices": [],
      "optional": false,
      "help": {
        "en": "let poses go on in the keys' direction beyond them",
        "ja": "キーの外側でも、キーの並びの向きにポーズを延ばす"
      },
      "label": {
        "en": "polynomial",
        "ja": "一次の傾向"
      }
    },
    {
      "name": "ik",
      "kind": "str",
      "default": "none",
      "unit": "",
      "low": null,
      "high": null,
      "choices": [
        "none",
        "right_hand",
        "left_hand",
        "right_foot",
        "left_foot",
        "head"
      ],
      "optional": false,
      "help": {
        "en": "hold this joint at the handle",
        "ja": "この関節をハンドルに合わせる"
      },
      "label": {
        "en": "ik",
        "ja": "つかむ関節"
      }
    },
    {
      "name": "walks",
      "kind": "bool",
      "default": false,
      "unit": "",
      "low": null,
      "high": null,
      "choices": [],
      "optional": false,
      "help": {
        "en": "the handle counts from the body, and while it is on the ground the body moves instead",
        "ja": "ハンドルは体を基準に動き、地面に着いている間は代わりに体が進む"
      },
      "label": {
        "en": "walks",
        "ja": "歩く"
      }
    },
    {
      "name": "ground",
      "kind": "float",
      "default": 0.0,
      "unit": "m",
      "low": -10.0,
      "high": 10.0,
      "choices": [],
      "optional": false,
      "help": {
        "en": "height of that ground",
        "ja": "地面の高さ"
      },
      "label": {
        "en": "ground",
        "ja": "地面"
      }
    },
    {
      "name": "walk_speed",
      "kind": "float",
      "default": 1.2,
      "unit": "m/s",
      "low": -4.0,
      "high": 4.0,
      "choices": [],
      "optional": false,
      "help": {
        "en": "speed of a walk made of the keys; backwards below 0",
        "ja": "キーから作る歩きの速さ（負なら後ろ向き）"
      },
      "label": {
        "en": "walk speed",
        "ja": "歩く速さ"
      }
    },
    {
      "name": "walk_seconds",
      "kind": "float",
      "default": 4.0,
      "unit": "s",
      "low": 0.5,
      "high": 60.0,
      "choices": [],
      "optional": false,
      "help": {
        "en": "length of that walk",
        "ja": "歩きの長さ"
      },
      "label": {
        "en": "walk seconds",
        "ja": "歩く秒数"
      }
    }
  ],
  "translate": [
    {
      "name": "model",
      "kind": "str",
      "default": "auto",
      "unit": "",
      "low": null,
      "high": null,
      "choices": [
        "auto",
        "n4sid",
        "fir",
        "static"
      ],
      "optional": false,
      "help": {
        "en": "n4sid: the paper; fir: impulse response; static: no memory; auto: by cross-validation",
        "ja": "n4sid: 論文の方法、fir: インパルス応答、static: 記憶なし、auto: 交差検証で選択"
      },
      "label": {
        "en": "model",
        "ja": "モデル"
      }
    },
    {
      "name": "order",
      "kind": "int",
      "default": null,
      "unit": "",
      "low": 1,
      "high": 60,
      "choices": [],
      "optional": true,
      "help": {
        "en": "states of n4sid (chosen by cross-validation if not given)",
        "ja": "n4sid の状態数（省略時は交差検証で選択）"
      },
      "label": {
        "en": "order",
        "ja": "次数"
      }
    },
    {
      "name": "ridge",
      "kind": "float",
      "default": null,
      "unit": "",
      "low": 0.0,
      "high": 1000.0,
      "choices": [],
      "optional": true,
      "help": {
        "en": "weight against large coefficients (chosen by cross-validation if not given)",
        "ja": "大きな係数を抑える重み（省略時は交差検証で選択）"
      },
      "label": {
        "en": "ridge",
        "ja": "正則化"
      }
    },
    {
      "name": "components_in",
      "kind": "int",
      "default": 12,
      "unit": "",
      "low": 1,
      "high": 60,
      "choices": [],
      "optional": false,
      "help": {
        "en": "principal components of the input joints",
        "ja": "入力関節の主成分の数"
      },
      "label": {
        "en": "components in",
        "ja": "入力の主成分"
      }
    },
    {
      "name": "components_out",
      "kind": "int",
      "default": 16,
      "unit": "",
      "low": 1,
      "high": 90,
      "choices": [],
      "optional": false,
      "help": {
        "en": "principal components of the output joints",
        "ja": "出力関節の主成分の数"
      },
      "label": {
        "en": "components out",
        "ja": "出力の主成分"
      }
    },
    {
      "name": "lags_s",
      "kind": "float",
      "default": 0.27,
      "unit": "s",
      "low": 0.0,
      "high": 3.0,
      "choices": [],
      "optional": false,
      "help": {
        "en": "how far back an impulse response reaches",
        "ja": "インパルス応答がさかのぼる時間"
      },
      "label": {
        "en": "lags s",
        "ja": "さかのぼる秒数"
      }
    },
    {
      "name": "caution",
      "kind": "float",
      "default": 0.4,
      "unit": "",
      "low": 0.0,
      "high": 1.0,
      "choices": [],
      "optional": false,
      "help": {
        "en": "how much an answer is drawn towards the mean pose where the input is unlike the training (0: not at all)",
        "ja": "入力が学習と異なるとき、出力を平均ポーズへ寄せる強さ（0: 寄せない）"
      },
      "label": {
        "en": "caution",
        "ja": "慎重さ"
      }
    },
    {
      "name": "to",
      "kind": "str",
      "default": "animal",
      "unit": "",
      "low": null,
      "high": null,
      "choices": [
        "animal",
        "arms"
      ],
      "optional": false,
      "help": {
        "en": "what the person drives: an animal, or the person's own arms by the legs",
        "ja": "人が動かす相手: 動物、または脚の動きから自分の腕"
      },
      "label": {
        "en": "to",
        "ja": "動かす相手"
      }
    },
    {
      "name": "gait",
      "kind": "str",
      "default": "auto",
      "unit": "",
      "low": null,
      "high": null,
      "choices": [
        "auto",
        "walk",
        "run"
      ],
      "optional": false,
      "help": {
        "en": "which of the animal's clips answers; auto looks at whether the person runs",
        "ja": "動物のどのクリップを使うか（auto は人が走っているかで判断）"
      },
      "label": {
        "en": "gait",
        "ja": "歩き方"
      }
    },
    {
      "name": "speed",
      "kind": "float",
      "default": 1.0,
      "unit": "times",
      "low": 0.25,
      "high": 3.0,
      "choices": [],
      "optional": false,
      "help": {
        "en": "how fast the person's clip is taken",
        "ja": "人のクリップを進める速さ"
      },
      "label": {
        "en": "speed",
        "ja": "速さ"
      }
    },
    {
      "name": "loop",
      "kind": "bool",
      "default": false,
      "unit": "",
      "low": null,
      "high": null,
      "choices": [],
      "optional": false,
      "help": {
        "en": "the input plays over and over: make the result close",
        "ja": "入力をループとして扱い、結果もつながるようにする"
      },
      "label": {
        "en": "loop",
        "ja": "ループ"
      }
    }
  ]
};
export const JAPANESE: Record<string, string> = {
  "Limited": "リミテッド",
  "Key poses": "キーポーズ",
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
  "drawings shown": "絵の数",
  "drawing": "絵",
  "source frame": "元のフレーム",
  "omitted": "中抜き",
  "held": "止め",
  "error": "誤差",
  "times the optimum": "最適解との比",
  "steps over time": "動きの大きさ",
  "Exposure sheet": "タイムシート",
  "Reset the sheet": "シートを元に戻す",
  "edited by hand": "手で編集済み",
  "saved": "保存済み",
  "saving": "保存中",
  "not saved": "保存できません",
  "connection lost, trying again": "接続が切れました。再接続しています",
  "default": "既定",
  "auto": "自動",
  "Show the drawing one frame longer": "この絵を 1 コマ延ばす",
  "Take this exposure away": "このコマを取る",
  "Pin this drawing": "この絵を固定する",
  "Poses": "ポーズ",
  "Motion curve": "動きの曲線",
  "Error by number of keys": "キーの数と誤差",
  "previous key": "前のキー",
  "next key": "次のキー",
  "Keys": "キー",
  "more": "さらに",
  "one frame back": "1 フレーム戻る",
  "one frame on": "1 フレーム進む",
  "to the first frame": "最初のフレームへ",
  "to the last frame": "最後のフレームへ",
  "Save": "保存",
  "Motion curve, turned by dragging or with the arrow keys": "動きの曲線（ドラッグか矢印キーで回せます）",
  "these keys": "このキー",
  "the best keys": "最適なキー",
  "Hair": "髪",
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
  "tail": "尾",
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
  "Translate": "変換",
  "An animal": "動物",
  "Legs to arms": "脚から腕へ",
  "Animal": "動物",
  "Learn from (none: the open clip)": "学習に使うモーション（なければ開いているもの）",
  "Live": "ライブ",
  "the driven body follows the person frame by frame, as you play or drag": "再生やドラッグに合わせて、動かされる側がフレームごとに追従します",
  "learning": "学習中",
  "gait": "歩き方",
  "footfalls": "足をつく順",
  "cycle": "周期",
  "skate of standing feet": "接地した足の滑り",
  "chosen": "選ばれたもの",
  "frames out of range": "学習範囲外のフレーム",
  "Error on clips left out, degrees a joint": "除いたクリップでの誤差（関節あたりの度）",
  "walk": "歩き",
  "trot": "速歩",
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
  "Picture or film": "画像・動画",
  "A picture a frame": "1 フレーム 1 画像",
  "Recipe": "レシピ",
  "only limited animation and key poses have a timesheet": "タイムシートがあるのはリミテッドとキーポーズだけです",
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
  "Puppet": "パペット",
  "Takes": "テイク",
  "Sequence": "シーケンス",
  "Blending": "ブレンド",
  "Show in red where another key would help": "キーを足すとよい場所を赤で示す",
  "Drag a hand, a foot or the head to make a pose, then press K: a yellow key holds it": "手・足・頭をドラッグしてポーズを作り、K を押すと、黄色いキーに残ります",
  "Move the pink handle, make another pose, press K again; twice": "ピンクのハンドルを動かし、別のポーズを作って、また K を押します（2 回）",
  "Press R and drag the pink handle: it is recorded, and plays when you let go": "R を押してピンクのハンドルをドラッグすると録画され、離すと再生されます",
  "You have made your first motion": "最初の動きができました",
  "Three steps to a motion": "3 ステップで動きを作る",
  "recording: let go of the handle, or press R, and it plays": "録画中: ハンドルを離すか R を押すと再生します",
  "drag the handle: only its timing counts": "ハンドルをドラッグしてください（タイミングだけを使います）",
  "drag the pink handle: it is recorded": "ピンクのハンドルをドラッグすると録画されます",
  "this pose is not kept yet: press K": "このポーズはまだ残っていません: K を押してください",
  "here the keys define no pose: drop one": "ここではキーからポーズが決まりません: キーを置いてください",
  "set a key first: press K": "先に K を押してキーを置いてください",
  "Set the pose of this key": "このキーのポーズを更新",
  "Drop a key": "キーを置く",
  "Record": "録画",
  "Stop": "停止",
  "Rest pose": "基本姿勢",
  "Pose of the clip": "クリップのポーズ",
  "As the opened motion is at the frame last looked at": "開いているモーションの、最後に見ていたフレームの姿勢",
  "Let the pose go": "ポーズを手放す",
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
  "Play the sequence": "シーケンスを再生",
  "Walk": "歩く",
  "Turn walks on and set keys of one step": "「歩く」を入れ、一歩分のキーを置いてください",
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
  "drawings": "枚",
  "greedy": "貪欲法（論文）",
  "optimal": "最適",
  "optimal-free": "最適（絵も選ぶ）",
  "uniform": "均等",
  "whole": "全身",
  "parts": "部位ごと",
  "poses": "個",
  "synopsis": "Action Synopsis（比較用）",
  "max": "最大",
  "sum": "合計",
  "balanced": "つり合い",
  "m/s": "m/秒",
  "s": "秒",
  "linear": "直線",
  "cubic": "三次",
  "local": "局所",
  "right_hand": "右手",
  "left_hand": "左手",
  "right_foot": "右足",
  "left_foot": "左足",
  "head": "頭",
  "animal": "動物",
  "arms": "腕",
  "times": "倍"
};
