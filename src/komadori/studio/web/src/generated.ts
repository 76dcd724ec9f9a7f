// Written by `python -m komadori.studio.typescript`; change the Python classes instead.

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
export interface ChainTold {
  name: string;
  kind: string;
  joints: number[];
}
export interface Change {
  type: "change";
  part: "keyposes" | "limited" | "puppet";
  options: Record<string, boolean | number | string | number[] | null>;
  gesture?: string;
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
export interface Grab {
  joint: number;
  role: string;
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
}
export interface PosedBody {
  rotations: number[];
  positions: number[];
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
}
export interface Scene {
  version: number;
  motion: string;
  character: string;
  limited: LimitedPart;
  keyposes: KeyposesPart;
  puppet: PuppetPart;
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
  part: "keyposes" | "limited" | "puppet";
}
export type Ask = Watch | Open | Change | EditSheet | Undo | Redo | Save | EditKey | EditPose | EditTake | EditSequence | LoadPuppet;
export type Tell = SceneTold | BodyTold | LimitedTold | KeyposesTold | PuppetTold | OptimumTold | SavedTold | Trouble;

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
  "connection lost, trying again": "接続が切れました。再接続しています",
  "default": "既定",
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
  "frames": "コマ",
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
  "linear": "直線",
  "cubic": "三次",
  "local": "局所",
  "right_hand": "右手",
  "left_hand": "左手",
  "right_foot": "右足",
  "left_foot": "左足",
  "head": "頭",
  "s": "秒"
};
