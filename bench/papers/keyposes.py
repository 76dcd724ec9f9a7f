"""Suzuki and Kuriyama: key poses by a polyline through the motion curve."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np

import komadori
from bench.papers import keyposes_curve, statements
from bench.papers.claims import Claim, Measured, Paper, Words
from bench.papers.keyposes_curve import KEYS, NINE, clip, farthest
from komadori import Pose, quat


def _adjacent(frames: np.ndarray) -> int:
    return int(np.count_nonzero(np.diff(frames) == 1))


Weight = Literal["per-frame", "per-second", "balanced"]
UNITS: tuple[Weight, ...] = ("per-frame", "per-second", "balanced")


def _units(data: Path) -> Measured:
    rows, letter = [], []
    for name in NINE:
        motion = clip(data, name)
        found = [_adjacent(komadori.keyposes(motion, count=KEYS, velocity_weight=weight).frames) for weight in UNITS]
        other = _adjacent(komadori.keyposes(motion, count=KEYS, solver="synopsis").frames)
        letter.append(found[0] > other)
        rows.append((name, *map(str, found), str(other)))
    columns = (
        Words("clip", "クリップ"),
        Words("per frame (as printed)", "1 フレームあたり（式のまま）"),
        Words("per second", "1 秒あたり"),
        Words("balanced (default)", "位置に揃える（既定）"),
        Words("Action Synopsis", "Action Synopsis"),
    )
    found_ = Words(
        "neighbouring keys among 15 at 30 fps; exactly as printed there are more than in Action Synopsis in {letter} of {count} clips",
        "30 fps でキー 15 個のうち、隣り合うキーの組の数です。式のままで Action Synopsis より多いのは {count} 本中 {letter} 本です",
    )
    return Measured(found_, {"letter": sum(letter), "count": len(NINE)}, all(letter), columns, tuple(rows))


def _spread(data: Path) -> Measured:
    rows, more = [], 0
    for name in NINE:
        motion = clip(data, name)
        world = motion.world_positions()
        speed = np.append(0.0, np.square(np.diff(world, axis=0)).sum(axis=(1, 2)))
        fast = speed > np.quantile(speed, 0.75)
        ours, other = (
            float(fast[komadori.keyposes(motion, count=KEYS, solver=solver).frames].mean())
            for solver in ("greedy", "synopsis")
        )
        more += ours > other
        rows.append((name, f"{100 * ours:.0f} %", f"{100 * other:.0f} %"))
    columns = (Words("clip", "クリップ"), Words("polyline", "折れ線近似"), Words("Action Synopsis", "Action Synopsis"))
    return Measured(
        Words(
            "share of keys in the fastest quarter of the frames; larger than Action Synopsis' in {more} of {count} clips",
            "最も速い 4 分の 1 のフレームにあるキーの割合です。{count} 本中 {more} 本で Action Synopsis より大きくなります",
        ),
        {"more": more, "count": len(NINE)},
        more > len(NINE) // 2,
        columns,
        tuple(rows),
    )


def _dims(data: Path) -> Measured:
    rows, kept = [], {}
    for name in NINE:
        motion = clip(data, name)
        kept[name] = [komadori.keyposes(motion, count=KEYS, dims=dims).explained for dims in (2, 3, 5)]
        printed_5 = komadori.keyposes(motion, count=KEYS, dims=5, velocity_weight="per-frame")
        kept[name].append(printed_5.explained)
        rows.append((name, *(f"{100 * share:.0f} %" for share in kept[name])))
    five = [shares[2] for shares in kept.values()]
    printed = [shares[3] for shares in kept.values()]
    columns = (
        Words("clip", "クリップ"),
        Words("2", "2"),
        Words("3 (default)", "3（既定）"),
        Words("5", "5"),
        Words("5, velocity per frame", "5（速度が 1 フレームあたりの場合）"),
    )
    return Measured(
        Words(
            "5 dimensions keep {low:.0f} to {high:.0f} % of the variance of the 30 numbers on nine clips with balanced velocities, {least:.0f} to {most:.0f} % with velocities per frame",
            "9 本のクリップで、5 次元は 30 個の数の分散の {low:.0f}〜{high:.0f} %（速度を位置に揃えた場合）、{least:.0f}〜{most:.0f} %（速度が 1 フレームあたりの場合）を保ちます",
        ),
        {
            "low": 100 * min(five),
            "high": 100 * max(five),
            "least": 100 * min(printed),
            "most": 100 * max(printed),
        },
        min(five) >= 0.9,
        columns,
        tuple(rows),
    )


def _held(data: Path) -> Measured:
    same = 0
    for name in NINE:
        result = komadori.keyposes(clip(data, name), count=KEYS)
        shown = result.frames[np.searchsorted(result.frames, np.arange(len(result.sheet)), "right") - 1]
        away = result.motion.world_positions() - result.source_motion.world_positions()[shown]
        same += float(np.abs(away).max()) < 1e-9
    return Measured(
        Words(
            "every frame shows the key before it, to a millionth of a millimetre, in {same} of {count} clips",
            "{count} 本中 {same} 本で、どのフレームも直前のキーの姿勢と 100 万分の 1 mm まで一致します",
        ),
        {"same": same, "count": len(NINE)},
        same == len(NINE),
    )


def _steps(data: Path) -> Measured:
    """The four steps of section 2.2, done again in the plainest way, beside `solver="greedy"`."""
    same = 0
    for name in NINE:
        result = komadori.keyposes(clip(data, name), count=KEYS)
        same += farthest(result.curve, KEYS) == result.frames.tolist()
    return Measured(
        Words(
            "done again frame by frame, the four steps give the same {keys} keys in {same} of {count} clips",
            "4 つの手順を 1 フレームずつ計算し直すと、{count} 本中 {same} 本で同じ {keys} 個のキーになります",
        ),
        {"keys": KEYS, "same": same, "count": len(NINE)},
        same == len(NINE),
    )


def _ends(data: Path) -> Measured:
    counts = {len(komadori.keyposes(clip(data, name), count=KEYS).joints) for name in NINE}
    told = ", ".join(map(str, sorted(counts)))
    return Measured(
        Words(
            "{told} end sites are looked at in each of nine clips (hands, feet, head), which makes {numbers} numbers a frame",
            "9 本のどのクリップでも終端部位は {told} 個（手・足・頭）で、1 フレームあたり {numbers} 個の数になります",
        ),
        {"told": told, "numbers": 6 * max(counts)},
        counts == {5},
    )


def _even(data: Path) -> Measured:
    """How unevenly keys lie in time: the spread of the gaps between them, in mean gaps."""
    rows, more = [], 0
    for name in NINE:
        motion = clip(data, name)
        spread = []
        for solver in ("synopsis", "greedy"):
            gaps = np.diff(komadori.keyposes(motion, count=KEYS, solver=solver).frames)
            spread.append(float(gaps.std() / gaps.mean()))
        more += spread[0] < spread[1]
        rows.append((name, f"{spread[0]:.2f}", f"{spread[1]:.2f}"))
    columns = (Words("clip", "クリップ"), Words("Action Synopsis", "Action Synopsis"), Words("polyline", "折れ線近似"))
    return Measured(
        Words(
            "the gaps between keys vary less in Action Synopsis in {more} of {count} clips (standard deviation, in mean gaps)",
            "{count} 本中 {more} 本で、Action Synopsis の方がキーの間隔のばらつき（標準偏差 ÷ 平均）が小さくなります",
        ),
        {"more": more, "count": len(NINE)},
        more > len(NINE) // 2,
        columns,
        tuple(rows),
    )


def _redrawn(data: Path) -> Measured:
    """A key is given another pose: which frames change, and does it come back after another count?"""
    others = keys = lost = 0
    for name in NINE:
        result = komadori.keyposes(clip(data, name), count=KEYS)
        before = result.motion.world_positions()
        for frame in result.frames.tolist():
            rotations = result.source_motion.rotations.copy()
            rotations[frame, 1:] = quat.multiply(quat.exp(np.array([0.3, 0.0, 0.0])), rotations[frame, 1:])
            drawn = result.redrawn({frame: Pose(rotations[frame], result.source_motion.positions[frame])})
            made = drawn.motion
            again = drawn.at(KEYS + 5).at(KEYS - 5).at(KEYS).motion
            lost += not np.array_equal(again.rotations, made.rotations)
            changed = (np.abs(made.world_positions() - before) > 1e-9).any(axis=(1, 2))
            others += int((changed != (result.sheet.source == frame)).sum())
            keys += 1
    return Measured(
        Words(
            "{keys} keys of nine clips were given another pose, one at a time: {others} frames changed that are not held on that key, and {lost} poses were lost on the way to {more} keys, {fewer} keys and back. No animator was asked.",
            "9 本のクリップの {keys} 個のキーを 1 つずつ別の姿勢にしました。そのキーを止めていないのに変わったフレームは {others}、キーを {more} 個、{fewer} 個に変えて戻すまでに失われたポーズは {lost} です。アニメータの評価は行っていません。",
        ),
        {"keys": keys, "others": others, "lost": lost, "more": KEYS + 5, "fewer": KEYS - 5},
        False,
    )


def _slow(data: Path) -> Measured:
    rows, more = [], 0
    for name in NINE:
        motion = clip(data, name)
        plain, timed = (
            int(np.diff(komadori.keyposes(motion, count=KEYS, time_weight=weight).frames).max())
            for weight in (0.0, 0.5)
        )
        more += timed < plain
        rows.append((name, str(plain), str(timed)))
    columns = (
        Words("clip", "クリップ"),
        Words("longest gap, frames", "最長の間隔（フレーム）"),
        Words("with time_weight 0.5", "time_weight 0.5 のとき"),
    )
    found = Words(
        "with time in the curve the longest stretch without a key is shorter in {more} of {count} clips",
        "時間の要素を加えると、{count} 本中 {more} 本でキーのない最長の区間が短くなります",
    )
    return Measured(found, {"more": more, "count": len(NINE)}, more > len(NINE) // 2, columns, tuple(rows))


def _root(data: Path) -> Measured:
    moved = []
    for name in NINE:
        motion = clip(data, name)
        plain, rooted = (
            set(komadori.keyposes(motion, count=KEYS, root_weight=weight).frames.tolist()) for weight in (0.0, 1.0)
        )
        moved.append(len(rooted - plain))
    return Measured(
        Words(
            "counting the hips' own travel (`root_weight=1`) changes {low} to {high} of 15 keys on nine clips",
            "腰の移動を数えると（root_weight 1）、9 本のクリップでキー 15 個中 {low}〜{high} 個が変わります",
        ),
        {"low": min(moved), "high": max(moved)},
        max(moved) > 0,
    )


KEYPOSES = Paper(
    "keyposes",
    Words("Key poses: claim by claim", "キーフレーム抽出：論文との対照"),
    "Tadamichi Suzuki, Shigeru Kuriyama: 「モーションカーブの線分近似を用いたキーフレーム抽出」 (Keyframe Extraction via Polyline Approximation of Motion Curve), LJ_002.",
    3,
    0,
    (
        Claim("scaling", Words("Section 2.1: multidimensional scaling", "2.1 節：多次元尺度法"), Words("eigenvectors of the matrix of distances give the curve", "距離行列の固有値分解で低次元のモーションカーブを得る"), keyposes_curve.scaling),
        Claim("dims", Words("Section 2.1", "2.1 節"), Words("30 numbers become 2 to 5 dimensions", "30 次元を 2〜5 次元程度にできる"), _dims,
              why=Words("Agreement is asked of 9 tenths of the variance in 5 dimensions on every clip. Velocities have the variance of positions here (velocity_weight balanced), and they are spread over more dimensions than positions, as the last column shows; the paper gives neither its unit nor the share that it keeps.", "一致の条件は、すべてのクリップで 5 次元が分散の 9 割を保つことです。ここでは速度の分散を位置に揃えており（velocity_weight は balanced）、最後の列が示すように速度は位置より多くの次元に広がります。論文は単位も、保たれる割合も述べていません。")),
        Claim("ends", Words("Section 2.1: end sites", "2.1 節：終端部位"), Words("hands, feet and head relative to the hips are enough to look at", "腰を基準とした手先・足先・頭の位置と速度を用いる"), _ends),
        Claim("all-joints", Words("Section 2.1: end sites or all joints", "2.1 節：終端部位とすべての関節"), Words("all joints could be used; end sites alone are, since people look at them", "すべての関節も使えるが、注目される終端部位のみとした"), keyposes_curve.all_joints,
              note=Words("Agreement is asked of 6 keys in 10.", "一致の条件は、キーの 6 割以上が同じ瞬間にあることです。")),
        Claim("angles", Words("Section 2.1: angles", "2.1 節：関節の角度"), Words("rotation angles and angular velocities are redundant", "回転角度と回転角速度は位置・速度との相関が強く冗長"), keyposes_curve.angles,
              note=Words("Agreement is asked of half the variance and of 6 keys in 10.", "一致の条件は、分散の半分以上を説明でき、キーの 6 割以上が残ることです。")),
        Claim("steps", Words("Section 2.2: the four steps", "2.2 節：4 つの手順"), Words("the frame farthest from the line between two keys becomes a key, again and again", "2 つのキーを結ぶ線分から最も遠いフレームを繰り返しキーにする"), _steps),
        Claim("hold", Words("Section 2.3: sample and hold", "2.3 節：サンプル＆ホールド"), Words("a key's pose stays until the next key", "キーの姿勢を次のキーまで維持する"), _held),
        Claim("figure-1", Words("Figure 1: 150 frames, 15 keys", "図 1：150 フレームから 15 個"), Words("15 keys of 150 frames at 30 fps; neighbouring frames are among them, and with Action Synopsis they are not", "30 fps・150 フレームから 15 個。丸で囲まれた部分では隣接したフレームもキーになる"), keyposes_curve.figure1,
              note=Words("The paper's clip is not at hand; these are the last 150 frames of CMU 124_01, a pitch. Velocities are balanced (the default).", "論文のクリップは手元にないため、CMU 124_01（投球）の最後の 150 フレームで測りました。速度は位置に揃えています（既定）。"),
              pictures=(("papers-keyposes-curve", Words("The curve (dots), the polyline of 15 keys (blue), and that of Action Synopsis (dashed).", "モーションカーブ（点）、15 個のキーの折れ線（青）、Action Synopsis の折れ線（破線）。"), keyposes_curve.figure1_picture),)),
        Claim("figure-2", Words("Figure 2: the keys of a throw", "図 2：投げる動作のキー"), Words("the telling frames of a throw are extracted", "投げる動作の特徴的なフレームが抽出されている"), keyposes_curve.figure2,
              pictures=(("papers-keyposes-pitch", Words("The 15 key poses of the pitch, and when they are.", "投球の 15 個のキーポーズと、その時刻。"), keyposes_curve.figure2_picture),)),
        Claim("units", Words("Section 3 and equation 1: neighbouring keys", "3 節と式 1：隣接するキー"), Words("in violent motion even neighbouring frames become keys, unlike in Action Synopsis", "激しい動作では Action Synopsis と異なり隣接フレームもキーになる"), _units, why=Words("Equation 1 adds squared metres and squared velocities, so the unit of time decides. Per frame, as printed, velocities hardly count beside positions; per second they dominate. The paper does not state its unit.", "式 1 は位置と速度の二乗を足すため、時間の単位で結果が決まります。式のまま（1 フレームあたり）では速度は位置に比べほとんど効かず、1 秒あたりでは支配的になります。論文は単位を述べていません。")),
        Claim("violent", Words("Section 3: violent motion", "3 節：激しい動作"), Words("more keys in violent motion, fewer elsewhere", "激しい動作では多く、そうでない動作では少ないキーを抽出する"), _spread,
              note=Words("Action Synopsis is built from the summary that Suzuki and Kuriyama give of Assa, Caspi and Cohen-Or (2005), not from that paper's own text: its low-pass width (0.25 s) is ours.", "Action Synopsis は、Assa・Caspi・Cohen-Or（2005）の原文ではなく、鈴木・栗山による要約から実装しました。平均カーブの幅（0.25 秒）は本プロジェクトの値です。")),
        Claim("even", Words("Section 3: Action Synopsis", "3 節：Action Synopsis"), Words("Action Synopsis spreads its keys rather evenly over the clip", "Action Synopsis では比較的均等にキーフレームが抽出される"), _even,
              note=Words("This property is the one that the paper states of Action Synopsis.", "論文が Action Synopsis について述べている性質です。")),
        Claim("enough", Words("Section 2: Action Synopsis gives too few keys", "2 節：Action Synopsis のキーの数"), Words("Action Synopsis gives too few keys for animation", "Action Synopsis では数が少なすぎて意味が十分に再現されない"), keyposes_curve.enough,
              note=Words("How Action Synopsis ends is not in the paper; so the counts are compared at equal error.", "Action Synopsis がキーの数をどう決めるかは論文にないため、同じ誤差になる数を比べました。")),
        Claim("figure-3", Words("Figure 3: an animator redraws the keys", "図 3：アニメータによる変形"), Words("professionals judged the result well", "アニメータから概ね良好な評価を得た"), _redrawn,
              why=Words("A judgement by professionals cannot be repeated by a program. What the judgement rests on is measured instead: a redrawn key changes the frames that hold it and no others, and survives other counts. In the studio keys are redrawn by dragging limbs.", "プロの評価はプログラムでは再現できません。代わりに、その前提となる「描き直したキーは、それを止めているフレームだけを変え、キーの数を変えても残る」ことを測りました。スタジオでは手足をドラッグして描き直せます。")),
        Claim("plugin", Words("Section 4: a plug-in", "4 節：プラグインツール"), Words("a plug-in, and trials in production, are planned", "プラグインツールの実装と、制作現場での評価を予定"), keyposes_curve.plugin, "beyond"),
        Claim("slow", Words("Section 4: slow motion", "4 節：遅い動作"), Words("slow motion may get no fitting key; time in the curve is future work", "遅い動作では適切なキーが得られないことがあり、時間の要素は今後の課題"), _slow, "beyond"),
        Claim("root", Words("Section 4: the body's travel", "4 節：全身の移動"), Words("the body's travel is left out; using it is future work", "腰の移動は考慮しておらず今後の課題"), _root, "beyond"),
    ),
    sections=("2", "2.1", "2.2", "2.3", "3", "4"),
    statements=statements.KEYPOSES,
)  # fmt: skip
