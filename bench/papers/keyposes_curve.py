"""Rows on the features and the curve of Suzuki and Kuriyama (sections 2 to 2.2), their two figures of it, and the plug-in."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import komadori
from bench.papers.claims import Measured, Words
from komadori import Motion, feet, quat
from komadori.methods import METHODS, declared
from komadori.methods.keyposes.features import frame_features, principal_curve, velocities, watched
from komadori.methods.keyposes.options import KeyposesOptions
from komadori.quat import Array
from komadori.render.drawing import Drawing
from komadori.render.keyposes import curve_chart, key_strip

NINE = ("124_01", "124_07", "135_04", "10_01", "49_06", "74_03", "85_01", "08_01", "08_04")
KEYS = 15
NEAR = 2
"""Frames within which two keys are of the same moment."""


def clip(data: Path, name: str) -> Motion:
    """A CMU clip at 30 frames per second, without its calibration pose."""
    made: Motion = komadori.load(data / "human_cmu_bvh" / f"{name}.bvh").prepared(fps=30.0)
    return made


def farthest(curve: Array, count: int) -> list[int]:
    """The four steps of section 2.2, done again in the plainest way."""
    keys = [0, len(curve) - 1]
    while len(keys) < count:
        found = []
        for a, b in itertools.pairwise(sorted(keys)):
            line = curve[b] - curve[a]
            for c in range(a + 1, b):
                along = np.clip((curve[c] - curve[a]) @ line / max(float(line @ line), 1e-30), 0.0, 1.0)
                found.append((float(np.linalg.norm(curve[c] - curve[a] - along * line)), c))
        keys.append(max(found)[1])
    return sorted(keys)


def _shared(one: NDArray[Any], other: NDArray[Any]) -> float:
    """The share of keys that have one of the others near them."""
    return float((np.abs(np.subtract.outer(one, other)).min(axis=1) <= NEAR).mean())


def scaling(data: Path) -> Measured:
    """Classical scaling of the whole matrix of equation 1, as the paper does it, beside the curve that is used here."""
    worst = 0.0
    for name in NINE:
        motion = clip(data, name)
        options = KeyposesOptions()
        values = frame_features(motion, watched(motion.skeleton), options).values
        squared = np.square(values[:, None] - values[None]).sum(axis=-1)
        centre = np.eye(len(values)) - 1.0 / len(values)
        variances, vectors = np.linalg.eigh(-0.5 * centre @ squared @ centre)
        theirs = (vectors * np.sqrt(np.maximum(variances, 0.0)))[:, ::-1][:, : options.dims]
        ours = principal_curve(values, options.dims)[0]
        signs = np.sign((ours * theirs).sum(axis=0))
        worst = max(worst, float(np.abs(ours - theirs * signs).max() / np.abs(ours).max()))
    return Measured(
        Words(
            "the eigenvectors of the whole distance matrix and the principal components of the 30 numbers, which are used here, give one curve within {worst:.0e} of its size on {count} clips",
            "距離行列全体の固有値分解と、ここで使う 30 個の数の主成分分析は、{count} 本のクリップで曲線の大きさの {worst:.0e} 以内で同じ曲線になります",
        ),
        {"worst": worst, "count": len(NINE)},
        worst < 1e-6,
    )


def all_joints(data: Path) -> Measured:
    """Keys by end sites beside keys by every joint."""
    rows, shares = [], []
    for name in NINE:
        motion = clip(data, name)
        ends = komadori.keyposes(motion, count=KEYS).frames
        every = komadori.keyposes(motion, count=KEYS, joints=tuple(motion.skeleton.names)).frames
        even = np.linspace(0, len(motion) - 1, KEYS).round().astype(int)
        shares.append((_shared(ends, every), _shared(ends, even)))
        rows.append((name, *(f"{100.0 * share:.0f} %" for share in shares[-1])))
    mean = [100.0 * float(np.mean(column)) for column in zip(*shares, strict=True)]
    columns = (
        Words("clip", "クリップ"),
        Words("every joint", "すべての関節"),
        Words("evenly spread keys", "等間隔のキー"),
    )
    return Measured(
        Words(
            "{mean:.0f} % of the keys by end sites have a key by all joints within {near} frames (evenly spread keys: {even:.0f} %)",
            "終端部位で選んだキーの {mean:.0f} % は、すべての関節で選んだキーと {near} フレーム以内にあります（等間隔のキーでは {even:.0f} %）",
        ),
        {"mean": mean[0], "even": mean[1], "near": NEAR},
        mean[0] >= 60.0 and mean[0] > mean[1],
        columns,
        tuple(rows),
    )


def angles(data: Path) -> Measured:
    """How much of the joints' angles the 30 numbers already tell, and what adding them does to the keys."""
    rows, told, kept = [], [], []
    for name in NINE:
        motion = clip(data, name)
        values = frame_features(motion, watched(motion.skeleton), KeyposesOptions()).values
        turns = quat.log(quat.multiply(quat.inverse(quat.mean(motion.rotations)), motion.rotations)).reshape(
            len(motion), -1
        )
        parts = []
        for aspect in (turns, velocities(turns)):
            centred, base = aspect - aspect.mean(axis=0), np.c_[np.ones(len(values)), values]
            rest = centred - base @ np.linalg.lstsq(base, centred, rcond=None)[0]
            free = (len(values) - 1) / (len(values) - base.shape[1])
            parts.append(1.0 - free * float(np.square(rest).sum() / np.square(centred).sum()))
        spread = float(values.var(axis=0).sum())
        both = [
            aspect * np.sqrt(0.5 * spread / max(float(aspect.var(axis=0).sum()), 1e-12))
            for aspect in (turns, velocities(turns))
        ]
        keys = farthest(principal_curve(np.concatenate([values, *both], axis=1), KeyposesOptions().dims)[0], KEYS)
        share = _shared(komadori.keyposes(motion, count=KEYS).frames, np.array(keys))
        told.append(parts)
        kept.append(share)
        rows.append((name, *(f"{100.0 * part:.0f} %" for part in (*parts, share))))
    means = [100.0 * float(np.mean(column)) for column in zip(*told, strict=True)]
    columns = (
        Words("clip", "クリップ"), Words("angles told by the 30 numbers", "30 個の数で説明できる角度"),
        Words("angular velocities", "角速度"), Words("keys that stay with both added", "両方を加えても変わらないキー"),
    )  # fmt: skip
    return Measured(
        Words(
            "a linear map of the 30 numbers tells {angle:.0f} % of the variance of all joints' angles and {speed:.0f} % of their velocities (adjusted R², mean of nine clips); with both added {kept:.0f} % of the keys stay within {near} frames",
            "30 個の数の線形写像で、全関節の角度の分散の {angle:.0f} %、角速度の {speed:.0f} % を説明できます（自由度調整済み R²、9 本の平均）。両方を加えても、キーの {kept:.0f} % は {near} フレーム以内に残ります",
        ),
        {"angle": means[0], "speed": means[1], "kept": 100.0 * float(np.mean(kept)), "near": NEAR},
        min(means) >= 50.0 and float(np.mean(kept)) >= 0.6,
        columns,
        tuple(rows),
    )


def _hundred_and_fifty(data: Path) -> Motion:
    """The 150 frames of the pitch that end where it ends."""
    return clip(data, "124_01")[-150:]


def figure1(data: Path) -> Measured:
    """The example of figure 1: 150 frames at 30 a second, 15 keys."""
    motion = _hundred_and_fifty(data)
    ours, other = (komadori.keyposes(motion, count=KEYS, solver=solver) for solver in ("greedy", "synopsis"))
    near = [int((np.diff(result.frames) == 1).sum()) for result in (ours, other)]
    return Measured(
        Words(
            "{frames} frames of CMU 124_01 at 30 fps, {keys} keys: {near} pairs of neighbouring frames among them ({frames_told}), {other} with Action Synopsis; the polyline is {ours:.2f} m off the curve, that of Action Synopsis {synopsis:.2f} m",
            "30 fps の CMU 124_01 の {frames} フレームから {keys} 個：隣接するキーは {near} 組（{frames_told}）、Action Synopsis では {other} 組です。曲線との最大の差は折れ線近似で {ours:.2f} m、Action Synopsis で {synopsis:.2f} m です",
        ),
        {
            "frames": len(motion), "keys": len(ours.frames), "near": near[0], "other": near[1], "ours": ours.error, "synopsis": other.error,
            "frames_told": ", ".join(map(str, ours.frames.tolist())),
        },
        near[0] > 0 and near[1] == 0 and ours.error < other.error,
    )  # fmt: skip


def figure1_picture(data: Path) -> Drawing:
    """The curve with both polylines."""
    motion = _hundred_and_fifty(data)
    ours, other = (komadori.keyposes(motion, count=KEYS, solver=solver) for solver in ("greedy", "synopsis"))
    return curve_chart(ours, dims=2, other=other)


def figure2_picture(data: Path) -> Drawing:
    """The key poses of the pitch."""
    return key_strip(komadori.keyposes(_hundred_and_fifty(data), count=KEYS), height=120)


def figure2(data: Path) -> Measured:
    """The moments that make a pitch, and how far the nearest key is from each."""
    motion = _hundred_and_fifty(data)
    world, known = motion.world_positions(), motion.skeleton.roles or komadori.roles.known(motion.skeleton)
    keys = komadori.keyposes(motion, count=KEYS).frames
    hands = [known["right_hand"], known["left_hand"]]
    speed = np.linalg.norm(np.diff(world[:, hands], axis=0), axis=-1)
    release, side = (int(part) for part in np.unravel_index(int(speed.argmax()), speed.shape))
    hand = hands[side]
    knees = world[:release, [known["left_lower_leg"], known["right_lower_leg"]], 1]
    lift, leg = (int(part) for part in np.unravel_index(int(knees.argmax()), knees.shape))
    contacts = feet.contacts(motion)
    columns_of = [column for column, limb in enumerate(contacts.limbs) if limb == leg]
    stride: NDArray[Any] = np.asarray(contacts.on[:, columns_of].any(axis=1))
    lands = next((frame for frame in range(lift, release + 8) if stride[frame] and not stride[frame - 1]), release)
    cocked = lift + int(world[lift:release, hand, 1].argmax())
    through = release + int(world[release : release + 15, hand, 1].argmin())
    moments = (
        (Words("knee highest", "膝が最も高い"), lift), (Words("striding foot lands", "踏み出した足の着地"), lands),
        (Words("arm highest", "腕が最も高い"), cocked), (Words("hand fastest: release", "手が最も速い（リリース）"), release),
        (Words("follow-through: hand lowest", "フォロースルー：手が最も低い"), through),
    )  # fmt: skip
    away = [int(np.abs(keys - frame).min()) for _, frame in moments]
    rows = tuple(
        (f"{told.en} / {told.ja}", str(frame), str(int(keys[np.abs(keys - frame).argmin()])), str(off))
        for (told, frame), off in zip(moments, away, strict=True)
    )
    columns = (
        Words("moment", "瞬間"),
        Words("frame", "フレーム"),
        Words("nearest key", "最も近いキー"),
        Words("apart", "差"),
    )
    return Measured(
        Words(
            "of {count} moments that make a pitch {near} have a key within {most} frames",
            "投球を特徴づける {count} つの瞬間のうち {near} つに、{most} フレーム以内のキーがあります",
        ),
        {"count": len(moments), "near": sum(off <= NEAR for off in away), "most": NEAR},
        max(away) <= NEAR,
        columns,
        rows,
    )


def enough(data: Path) -> Measured:
    """How many keys Action Synopsis needs to come as near to the motion as 15 of the polyline."""
    rows, more = [], 0
    for name in NINE:
        motion = clip(data, name)
        wanted = komadori.keyposes(motion, count=KEYS).error
        other = komadori.keyposes(motion, count=min(150, len(motion)), solver="synopsis")
        most = len(other.frames)
        needed = next((count for count in range(2, most + 1) if other.at(count).error <= wanted), None)
        more += needed is None or needed > KEYS
        rows.append((name, f"{wanted:.2f} m", f"> {most}" if needed is None else str(needed)))
    columns = (
        Words("clip", "クリップ"), Words("error of 15 keys by the polyline", "折れ線近似 15 個の誤差"), Words("keys that Action Synopsis needs", "Action Synopsis に必要な数"),
    )  # fmt: skip
    return Measured(
        Words(
            "Action Synopsis needs more than {keys} keys to be as near to the motion in {more} of {count} clips",
            "{count} 本中 {more} 本で、同じ誤差に収めるには Action Synopsis の方が多くのキーを要します（{keys} 個を超える）",
        ),
        {"keys": KEYS, "more": more, "count": len(NINE)},
        more > len(NINE) // 2,
        columns,
        tuple(rows),
    )


def plugin(_: Path) -> Measured:
    """The extension for Blender, as its panels are made from the declarations of the methods."""
    source = Path(__file__).parents[2] / "blender"
    panels = [line.name for line in METHODS if declared(line.name).panel]
    shown = [item for item in declared("keyposes").parameters if item.faces]
    there = (source / "blender_manifest.toml").is_file() and "keyposes" in panels
    return Measured(
        Words(
            "the extension for Blender has panels for {panels} methods, that for key poses with {shown} options, all made from the methods' declarations. It was not tried in a production.",
            "Blender 用の拡張機能には {panels} 個の手法のパネルがあり、キーポーズの設定項目は {shown} 個です（いずれも手法の宣言から作られます）。制作現場での試用は行っていません",
        ),
        {"shown": len(shown), "panels": len(panels)},
        there,
    )
