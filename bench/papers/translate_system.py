"""Rows on the system of Maeda, Kurihara and Nishita (sections 3.1 to 3.3 and 4), and the paper's own split: one walk is learnt."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

import komadori
from bench.papers.claims import Measured, Words
from komadori import Motion, Translator, quat
from komadori.characters import character
from komadori.methods.translate.aligning import pose_features
from komadori.methods.translate.features import angles_deg, swing
from komadori.numerics import subspace
from komadori.numerics.subspace import StateSpace
from komadori.render.drawing import Drawing, Text
from komadori.render.figures import strip
from komadori.render.layout import placed

TESTS = {
    "08_04": Words("slow walk (figure 8)", "遅歩き（図 8）"),
    "08_07": Words("wide stride (figure 9)", "大股歩き（図 9）"),
}
MODELS = ("n4sid", "auto")
ROUNDS = 20


def person(data: Path, name: str) -> Motion:
    """A CMU clip at 30 frames per second, without its calibration pose."""
    made: Motion = komadori.load(data / "human_cmu_bvh" / f"{name}.bvh").prepared(fps=30.0)
    return made


@cache
def taught(data: Path, model: str) -> Translator:
    """Legs to arms, from the one normal walk."""
    walk = person(data, "08_01")
    return Translator.fit([(walk, walk)], "legs", "arms", model=model)  # type: ignore[arg-type]


def arms(data: Path) -> Measured:
    """One normal walk is learnt; the arms of a slow walk and of a wide stride are made from their legs."""
    rows, values = [], {}
    for model in MODELS:
        made = taught(data, model)
        joints = list(made.outputs)
        for name, told in TESTS.items():
            clip = person(data, name)
            ours, theirs = made.run(clip).rotations[:, joints], clip.rotations[:, joints]
            mean = quat.mean(person(data, "08_01").rotations[:, joints])
            error = float(angles_deg(ours, theirs).mean())
            ratio, correlation = swing(ours, theirs)
            values[model, name] = (error, ratio, correlation)
            still = float(angles_deg(mean, theirs).mean())
            rows.append(
                (
                    model,
                    f"{name}: {told.en} / {told.ja}",
                    f"{error:.1f}",
                    f"{still:.1f}",
                    f"{ratio:.2f}",
                    f"{correlation:.2f}",
                )
            )
    columns = (
        Words("model", "モデル"), Words("clip", "クリップ"), Words("error, degrees per joint", "誤差（関節あたり度）"), Words("mean pose", "平均ポーズ"),
        Words("swing, of the original", "振り幅（元に対する比）"), Words("correlation", "相関"),
    )  # fmt: skip
    found: dict[str, object] = {}
    for model in MODELS:
        for name, word in (("08_04", "slow"), ("08_07", "wide")):
            error, ratio, correlation = values[model, name]
            found |= {f"{model}_{word}": ratio, f"{model}_{word}_like": correlation, f"{model}_{word}_off": error}
    slow, wide = values["n4sid", "08_04"], values["n4sid", "08_07"]
    return Measured(
        Words(
            "one walk learnt by the paper's linear system: on the slow walk the arms swing {n4sid_slow:.2f} times as far as the captured ones (correlation {n4sid_slow_like:.2f}, {n4sid_slow_off:.1f} degrees a joint), on the wide stride {n4sid_wide:.2f} times ({n4sid_wide_like:.2f}, {n4sid_wide_off:.1f}); by `auto`, the default, {auto_slow:.2f} times ({auto_slow_like:.2f}, {auto_slow_off:.1f}) and {auto_wide:.2f} times ({auto_wide_like:.2f}, {auto_wide_off:.1f})",
            "論文の線形システムで 1 本の歩行から学習すると、遅歩きの腕の振り幅は元の {n4sid_slow:.2f} 倍（相関 {n4sid_slow_like:.2f}、誤差は関節あたり {n4sid_slow_off:.1f} 度）、大股歩きでは {n4sid_wide:.2f} 倍（{n4sid_wide_like:.2f}、{n4sid_wide_off:.1f} 度）です。既定の `auto` では {auto_slow:.2f} 倍（{auto_slow_like:.2f}、{auto_slow_off:.1f} 度）と {auto_wide:.2f} 倍（{auto_wide_like:.2f}、{auto_wide_off:.1f} 度）です",
        ),
        found,
        0.75 <= slow[1] <= 1.25 and slow[2] >= 0.8 and wide[0] > slow[0],
        columns,
        tuple(rows),
    )


def arms_picture(name: str) -> Callable[[Path], Drawing]:
    """Draws a test clip: the captured arms above, ours below."""

    def draw(data: Path) -> Drawing:
        clip = person(data, name)
        made = taught(data, "auto").run(clip)
        frames = [round(frame) for frame in np.linspace(10, min(len(clip) - 1, 80), 9)]
        above, below = (strip(one, frames, height=110.0) for one in (clip, made))
        title = Drawing(200.0, 18.0, (Text(6.0, 14.0, f"CMU {name}", 12.0),))
        return placed([(0.0, 0.0, title), (0.0, 18.0, above), (0.0, 22.0 + above.height, below)], name, 4.0)

    return draw


def maps(data: Path) -> Measured:
    """The numbers of each part, and how smoothly they continue through the clips."""
    rows, jump = [], 0.0
    walk = person(data, "08_01")
    made = taught(data, "n4sid")
    horse = character("horse")
    beast = Translator.fit([(horse.motions["walk"], horse.motions["walk"])], "hind legs", "fore legs", model="n4sid")
    for told, wanted, joints, motion in (
        (Words("a person's legs", "人の脚"), 24, made.inputs, walk), (Words("a person's arms", "人の腕"), 24, made.outputs, walk),
        (Words("a horse's hind legs", "馬の後ろ脚"), 30, beast.inputs, horse.motions["walk"]), (Words("a horse's fore legs", "馬の前脚"), 36, beast.outputs, horse.motions["walk"]),
    ):  # fmt: skip
        turns = motion.rotations[:, list(joints)]
        logs = quat.log(quat.multiply(quat.inverse(quat.mean(turns)), turns))
        step = float(np.degrees(np.linalg.norm(np.diff(logs, axis=0), axis=-1).max()))
        jump = max(jump, step)
        rows.append((f"{told.en} / {told.ja}", str(wanted), str(3 * len(joints)), f"{step:.1f}"))
    columns = (
        Words("part", "部位"), Words("paper", "論文"), Words("here", "ここ"), Words("largest change in a frame, degrees", "1 フレームの最大の変化（度）"),
    )  # fmt: skip
    return Measured(
        Words(
            "joints are exponential maps about their mean turn: {first} and {second} numbers for a person, {third} and {fourth} for the built-in horse; none changes by more than {jump:.0f} degrees in a frame, so that none turns over",
            "関節は平均の向きを基準とした exponential map で表します。人は {first} と {second}、付属の馬は {third} と {fourth} 次元です。1 フレームの変化は最大 {jump:.0f} 度で、途中で裏返ることはありません",
        ),
        {"first": rows[0][2], "second": rows[1][2], "third": rows[2][2], "fourth": rows[3][2], "jump": jump},
        rows[0][2] == rows[1][2] == "24" and jump < 60.0,
        columns,
        tuple(rows),
    )


def distance(data: Path) -> Measured:
    """A clip beside itself, elsewhere, turned and twice as large."""
    clip = person(data, "08_01")
    turn = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), 2.0)
    rotations, positions = np.array(clip.rotations), np.array(clip.positions)
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    positions[:, 0] = quat.rotate(turn, positions[:, 0]) + np.array([3.0, 0.0, -5.0])
    own = pose_features(clip, [])
    moved = pose_features(clip.replaced(rotations=rotations, positions=positions), [])
    off = float(np.abs(own - moved).max() / np.abs(own).max())
    return Measured(
        Words(
            "a walk that starts elsewhere and goes another way is {off:.0e} of the largest feature away from itself",
            "別の場所から別の方向へ歩かせても、同じ歩行との差は最大の特徴量の {off:.0e} です",
        ),
        {"off": off},
        off < 1e-9,
    )


def identification(_: Path) -> Measured:
    """A known system given back from what went in and came out, and whether what is learnt from walks is stable."""
    random = np.random.default_rng(0)
    a = random.normal(size=(6, 6))
    a *= 0.9 / np.abs(np.linalg.eigvals(a)).max()
    truth = StateSpace(a, *(random.normal(size=shape) for shape in ((6, 4), (4, 6), (4, 4))))
    u = random.normal(size=(400, 4))
    found = subspace.n4sid(u, truth.simulated(u), 6)
    off = float(np.abs(found.markov(30) - truth.markov(30)).max() / np.abs(truth.markov(30)).max())
    radius = max(abs(np.linalg.eigvals(found.A)))
    return Measured(
        Words(
            "from 400 frames of a known system of 6 states its impulse responses come back within {off:.0e}; spectral radius {radius:.2f}, as the system's own ({own:.2f})",
            "6 状態の既知のシステムの 400 フレームから、インパルス応答が {off:.0e} の精度で求まります。スペクトル半径は {radius:.2f}（元のシステムは {own:.2f}）です",
        ),
        {"off": off, "radius": float(radius), "own": 0.9},
        off < 1e-6,
    )


def real_time(data: Path) -> Measured:
    """How long a system takes to be identified, and a frame to be made with it."""
    clip, rows, most = person(data, "08_04"), [], 0.0
    for model in MODELS:
        begin = time.process_time()
        made = taught.__wrapped__(data, model)
        learning = time.process_time() - begin
        frames = list(clip.rotations[:, list(made.inputs)])
        stream = made.stream()
        begin = time.process_time()
        for _ in range(ROUNDS):
            for frame in frames:
                stream.step(frame)
        spent = 1e6 * (time.process_time() - begin) / (ROUNDS * len(frames))
        most = max(most, spent)
        rows.append((model, f"{learning:.1f} s", f"{spent:.0f} µs"))
    columns = (
        Words("model", "モデル"),
        Words("to learn (processor time)", "学習（CPU 時間）"),
        Words("a frame", "1 フレーム"),
    )
    return Measured(
        Words(
            "a frame takes {most:.0f} µs at most: at 30 frames a second {share:.2f} % of the time there is",
            "1 フレームは最大 {most:.0f} µs です。毎秒 30 フレームでは使える時間の {share:.2f} % です",
        ),
        {"most": most, "share": 100.0 * most / (1e6 / 30.0)},
        most < 1e6 / 30.0,
        columns,
        tuple(rows),
    )
