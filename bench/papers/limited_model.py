"""Rows on the model of Kitamura and others (sections 3.1 and 3.2): actions, speed, the loop, the length; and the pictures."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np

import komadori
from bench.limited import PAPER
from bench.papers.claims import Measured, Words
from komadori import Motion
from komadori.methods.limited import LimitedResult
from komadori.render.charts import steps_chart
from komadori.render.drawing import Drawing, Text
from komadori.render.figures import strip
from komadori.render.layout import placed

CLIPS = {"Pitch": "124_01", "Kick": "135_04", "Tennis": "124_07", "Baseball swing": "124_07"}
"""The clip that stands for each row of table 1: 124_01 is the paper's Pitch by its length, the others stand in."""
SEVERAL = ("144_05", "13_17", "135_04")
"""Clips in which there is more than one action."""
GREEDY: Any = {"solver": "greedy", "peaks": False}
LEAD, FOLLOW = 3, 4


def clip(data: Path, name: str) -> Motion:
    """A CMU clip at 24 frames per second, without its calibration pose."""
    made: Motion = komadori.load(data / "human_cmu_bvh" / f"{name}.bvh").prepared(fps=24.0)
    return made


def row(data: Path, name: str) -> tuple[Motion, int, int]:
    """The clip of a row of table 1, whole, and how many it omits and holds."""
    omit, hold = next((omit, hold) for own, _, omit, hold, _ in PAPER if own == name)
    return clip(data, CLIPS[name]), omit, hold


def paper(motion: Motion, omit: int, hold: int) -> LimitedResult:
    """The paper's method."""
    return komadori.limited(motion, omit=omit, hold=hold, **GREEDY)


def actions(data: Path) -> Measured:
    """Clips of several actions: which of them get omissions when the clip is split, and when it is not."""
    rows, found_in, split = [], [], []
    for name in SEVERAL:
        motion = clip(data, name)
        one = komadori.limited(motion, omit=4, hold=0, **GREEDY)
        each = komadori.limited(motion, omit=4, hold=0, actions=True, **GREEDY)
        ends = [*each.actions[1:], len(motion)]
        inside = [
            [int(((frames >= begin) & (frames < end)).sum()) for begin, end in zip(each.actions, ends, strict=True)]
            for frames in (one.omitted_frames, each.omitted_frames)
        ]
        split.append(len(each.actions))
        found_in.append(all(inside[1]))
        touched = (sum(count > 0 for count in counts) for counts in inside)
        rows.append((name, str(len(motion)), str(len(each.actions)), *map(str, touched), str(each.omitted)))
    columns = (
        Words("clip", "クリップ"), Words("frames", "フレーム"), Words("actions found", "見つかった動作"),
        Words("with omissions, as one clip", "中無しの入る動作（分けない場合）"), Words("with omissions, split", "中無しの入る動作（分けた場合）"),
        Words("omitted in all", "中無しの合計"),
    )  # fmt: skip
    return Measured(
        Words(
            "three clips of several actions are split by `actions` into {low} to {high}; each of them then gets its own omissions in {all} of {count} clips",
            "複数の動作を含む 3 本のクリップは `actions` で {low}〜{high} 個の動作に分かれます。{count} 本中 {all} 本で、すべての動作にそれぞれの中無しが入ります",
        ),
        {"low": min(split), "high": max(split), "all": sum(found_in), "count": len(SEVERAL)},
        all(found_in),
        columns,
        tuple(rows),
    )


def speed(data: Path) -> Measured:
    """Equation 1 and algorithm 1, done again in the plainest way."""
    off, same = 0.0, 0
    for name, _, omit, _, _ in PAPER:
        motion = clip(data, CLIPS[name])
        world = motion.world_positions()
        ours = komadori.limited(motion, omit=omit, hold=0, **GREEDY)
        steps = [
            sum(float(np.sum((b - a) ** 2)) for a, b in zip(*pair, strict=True)) for pair in itertools.pairwise(world)
        ]
        off = max(off, float(np.abs(ours.steps_before / np.array(steps) - 1.0).max()))
        same += _algorithm1(world, omit) == ours.before_holds.source.tolist()
    return Measured(
        Words(
            "equation 1 summed joint by joint differs from ours by at most {off:.0e} of a step; algorithm 1 done again, frame by frame, gives the same frames in {same} of {count} rows of table 1",
            "式 1 を関節ごとに足した値との差は、変化量の {off:.0e} 以下です。アルゴリズム 1 を 1 フレームずつ計算し直すと、表 1 の {count} 行中 {same} 行で同じフレームになります",
        ),
        {"off": off, "same": same, "count": len(PAPER)},
        off < 1e-9 and same == len(PAPER),
    )


def _algorithm1(world: np.ndarray, omit: int) -> list[int]:
    """As printed; the first and the last frame stay, and a drawing has at most three exposures."""
    shown = list(range(len(world)))

    def step(k: int) -> float:
        return float(np.square(world[shown[k]] - world[shown[k - 1]]).sum())

    for _ in range(omit):
        shown.pop(max(range(1, len(shown) - 1), key=step))
        places = [k for k in range(1, len(shown)) if shown.count(shown[k - 1]) < 3]
        calm = min(places, key=step)
        shown.insert(calm, shown[calm - 1])
    return shown


def length(data: Path) -> Measured:
    """How long the clips are with the length kept, and without."""
    rows, kept, shorter = [], 0, 0
    for name, _, omit, hold, _ in PAPER:
        motion = clip(data, CLIPS[name])
        made = [
            len(komadori.limited(motion, omit=omit, hold=hold, keep_length=keep, **GREEDY).sheet)
            for keep in (True, False)
        ]
        kept += made[0] == len(motion)
        shorter += made[1] == len(motion) - omit
        rows.append((name, str(len(motion)), *map(str, made)))
    columns = (
        Words("paper's row", "論文の行"), Words("frames", "フレーム"), Words("length kept", "尺を保つ"), Words("`keep_length` off", "`keep_length` なし"),
    )  # fmt: skip
    return Measured(
        Words(
            "the length is kept in {kept} of {count} clips; without `keep_length` {shorter} of them are shorter by the frames omitted",
            "{count} 本中 {kept} 本で尺が保たれます。`keep_length` なしでは {shorter} 本が抜いたフレームの分だけ短くなります",
        ),
        {"kept": kept, "shorter": shorter, "count": len(PAPER)},
        kept == shorter == len(PAPER),
        columns,
        tuple(rows),
    )


def third(data: Path) -> Measured:
    """How much of the movement is in the drawings that holds take away."""
    rows, gone, shares = [], [], []
    for name, frames, _, hold, _ in PAPER:
        shares.append(100.0 * hold / frames)
        motion = clip(data, CLIPS[name])
        cells = []
        for share in (1.0 / 6.0, 1.0 / 3.0, 0.5):
            result = paper(motion, 0, round(share * len(motion)))
            path = np.sqrt(result.steps_before)
            at_holds = path[result.held_frames - 1].sum() / path.sum()
            cells.append(100.0 * float(at_holds))
        gone.append(cells[1])
        rows.append((name, f"{100.0 * hold / frames:.0f} %", *(f"{cell:.0f} %" for cell in cells)))
    columns = (
        Words("paper's row", "論文の行"), Words("held in table 1", "表 1 のコマ撮りの割合"), Words("movement held: a sixth", "止めた動きの割合：6 分の 1"),
        Words("a third", "3 分の 1"), Words("half", "2 分の 1"),
    )  # fmt: skip
    return Measured(
        Words(
            "table 1 holds {least:.0f} to {most:.0f} % of the frames; a third of the frames, held, carries {low:.0f} to {high:.0f} % of the movement (the default, too, is a third)",
            "表 1 ではフレームの {least:.0f}〜{most:.0f} % をコマ撮りにしています。フレームの 3 分の 1 を止めても、止まるのは動き全体の {low:.0f}〜{high:.0f} % です（既定も 3 分の 1）",
        ),
        {"least": min(shares), "most": max(shares), "low": min(gone), "high": max(gone)},
        max(gone) < 100.0 / 3.0,
        columns,
        tuple(rows),
    )


def chart(data: Path) -> Drawing:
    """The paper's Pitch: its steps before and after."""
    motion, omit, hold = row(data, "Pitch")
    return steps_chart(paper(motion, omit, hold), title="CMU 124_01")


def before_and_after(name: str) -> Any:
    """Draws a row of table 1 around its omissions: captured above, limited below."""

    def draw(data: Path) -> Drawing:
        motion, omit, hold = row(data, name)
        result = paper(motion, omit, hold)
        first = int(result.omitted_frames.min())
        hole = int(np.searchsorted(result.sheet.source, first))
        frames = range(max(first - LEAD, 0), min(first + omit + FOLLOW, len(motion)))
        shown = range(max(hole - LEAD, 0), min(hole + omit + FOLLOW, len(result.sheet)))
        labels = [str(result.sheet.source[frame]) for frame in shown]
        above, below = (
            strip(motion, list(frames), height=110.0),
            strip(result.motion, list(shown), height=110.0, labels=labels),
        )
        title = Drawing(200.0, 18.0, (Text(6.0, 14.0, f"CMU {CLIPS[name]}", 12.0),))
        return placed([(0.0, 0.0, title), (0.0, 18.0, above), (0.0, 22.0 + above.height, below)], name, 4.0)

    return draw
