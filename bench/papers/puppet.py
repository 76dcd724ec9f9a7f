"""Igarashi: spatial keyframing."""

from __future__ import annotations

import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import komadori
from bench.papers import puppet_blends, statements
from bench.papers.claims import Claim, Measured, Paper, Words
from bench.papers.newcomer import Built, built
from bench.papers.puppet_pictures import figure4, figure6, figure7, turns
from komadori import Motion, Puppet, load, quat
from komadori.characters import character
from komadori.methods.puppet import Key, Scene, Take, parsed, sequence, together
from komadori.methods.puppet.reaching import held
from komadori.numerics import rbf
from komadori.quat import Array
from komadori.skeleton import Skeleton

EXAMPLES = Path(__file__).parents[2] / "examples" / "puppet"


def _figure6(_: Path) -> Measured:
    found = turns(np.array([0.0, 30.0]), np.array([[0.0, 0.0], [1.0, 0.0]]), np.array([[12.0, 0.0]]))
    ours, angle, quaternion = (float(found[name][0]) for name in ("matrices", "angles", "quaternions"))
    return Measured(
        Words(
            "keys of 0 and 30 degrees, the handle 12 times as far out: {ours:.0f} degrees by matrices, {angle:.0f} by angles, {quaternion:.0f} by quaternions (the paper: towards 180)",
            "0 度と 30 度のキーの間隔の 12 倍離れると、行列では {ours:.0f} 度、角度では {angle:.0f} 度、4 元数では {quaternion:.0f} 度になります（論文では 180 度へ近づく）",
        ),
        {"ours": ours, "angle": angle, "quaternion": quaternion},
        abs(ours) < quaternion < angle,
    )


def _keys(_: Path) -> Measured:
    """Every example asked for at its own keys, and the time of one pose."""
    rows, worst = [], 0.0
    for name in ("juggling", "kick", "dance", "hips", "walk"):
        puppet = load(EXAMPLES / f"{name}.json", kind="puppet").changed(ik=None)
        off = 0.0
        for key in puppet.keys:
            turned = quat.multiply(quat.inverse(key.pose.rotations), puppet.pose(key.position).rotations)
            off = max(off, float(np.degrees(quat.angle(turned)).max()))
        places = np.stack([key.position for key in puppet.keys])
        begin = time.process_time()
        for number in range(100):
            puppet.pose(places[number % len(places)] + 0.01)
        spent = 10.0 * (time.process_time() - begin)
        worst = max(worst, off)
        rows.append((name, str(len(puppet.keys)), str(9 * len(puppet.skeleton)), f"{off:.1e}", f"{spent:.2f} ms"))
    columns = (
        Words("example", "例"), Words("keys", "キー"), Words("functions (9 a joint)", "関数（関節ごとに 9）"),
        Words("off at the keys, degrees", "キーでの差（度）"), Words("one pose, processor time", "1 姿勢（CPU 時間）"),
    )  # fmt: skip
    found = Words(
        "at its own keys every joint of five puppets has the key's pose within {worst:.0e} degrees",
        "5 つのパペットのすべての関節が、キーの位置でキーの姿勢と {worst:.0e} 度以内で一致します",
    )
    return Measured(found, {"worst": worst}, worst < 1e-4, columns, tuple(rows))


def _iterated(matrices: Array) -> Array:
    """The appendix exactly as printed: bases drawn together for at most 10 rounds, or until they are nearly square."""
    axes = np.moveaxis(matrices, -1, 0) / np.linalg.norm(np.moveaxis(matrices, -1, 0), axis=-1, keepdims=True)
    for _ in range(10):
        if sum(np.einsum("ni,ni->n", axes[a], axes[b]) ** 2 for a, b in ((0, 1), (1, 2), (2, 0))).max() <= 1e-6:
            break
        square = np.stack([np.cross(axes[1], axes[2]), np.cross(axes[2], axes[0]), np.cross(axes[0], axes[1])])
        square /= np.linalg.norm(square, axis=-1, keepdims=True)
        axes = (axes + square) / 2.0
        axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
    return np.moveaxis(axes, 0, -1)


def _appendix(_data: Path) -> Measured:
    """Blends of turns between the keys of the examples: the appendix' iteration beside the nearest rotation."""
    rows, worst, near, every = [], 0.0, 0, 0
    for name in ("juggling", "kick", "dance", "hips", "walk"):
        puppet = load(EXAMPLES / f"{name}.json", kind="puppet")
        places = np.stack([key.position for key in puppet.keys])
        values = np.stack([quat.to_matrix(key.pose.rotations).reshape(-1) for key in puppet.keys])
        asked = np.random.default_rng(0).uniform(places.min(axis=0), places.max(axis=0), (200, 3))
        blends = rbf.solve(places, values).values(asked).reshape(-1, 3, 3)
        left, _, right = np.linalg.svd(blends)
        nearest = left @ right
        kept = np.linalg.det(nearest) > 0.0
        turn = np.einsum("nij,nij->n", _iterated(blends[kept]), nearest[kept])
        off = np.degrees(np.arccos(np.clip((turn - 1.0) / 2.0, -1.0, 1.0)))
        worst, near, every = max(worst, float(off.max())), near + int((off < 1.0).sum()), every + len(off)
        rows.append((name, str(int(kept.sum())), f"{float(off.mean()):.3f}", f"{float(off.max()):.2f}"))
    columns = (
        Words("example", "例"),
        Words("blends", "混合の数"),
        Words("mean, degrees", "平均（度）"),
        Words("at most, degrees", "最大（度）"),
    )
    found = Words(
        "the iteration of the appendix ends within 1 degree of the nearest rotation in {share:.1f} % of the blends, and within {worst:.1f} degrees in all; here that rotation is solved for exactly",
        "補遺の反復は {share:.1f} % の混合で最も近い回転から 1 度以内、すべてで {worst:.1f} 度以内で終わります。ここでは最も近い回転を厳密に求めています",
    )
    return Measured(found, {"worst": worst, "share": 100.0 * near / every}, near > 0.99 * every, columns, tuple(rows))


def _moved_handle(_: Path) -> Measured:
    """The handle by a script, by a spring that follows one, and along the ground alone."""
    puppet, motion, path = _example("dance")
    hung = komadori.puppet(puppet, path=Take.recorded(path, 24.0), spring=2.0).motion
    lag = float(
        np.degrees(
            quat.angle(quat.multiply(quat.inverse(hung.rotations[: len(motion)]), motion.rotations[: len(hung)]))
        ).max()
    )
    return Measured(
        Words(
            "the dance by a script of its handle: {frames} frames; hung on a spring of 2 Hz the handle swings on, joints differ by up to {lag:.0f} degrees",
            "スクリプトでハンドルを動かしたダンスは {frames} コマです。2 Hz のばねにつるすとハンドルは揺れ続け、関節の差は最大 {lag:.0f} 度です",
        ),
        {"frames": len(motion), "lag": lag},
        len(motion) > 100 and lag > 1.0,
    )


def _example(name: str) -> tuple[Puppet, Motion, Array]:
    puppet = load(EXAMPLES / f"{name}.json", kind="puppet")
    script = EXAMPLES / f"{name}.txt"
    path = parsed(script.read_text(encoding="utf-8"), script.name).take(fps=24.0).sampled(24.0)
    return puppet, puppet.perform(path), path


def _away(motion: Motion, joint: str, path: Array, above: float = 0.0) -> Array:
    """(F,) metres of the handle from a point so far above the joint."""
    places = motion.world_positions()[:, motion.skeleton.index(joint)] + np.array([0.0, above, 0.0])
    return np.asarray(np.linalg.norm(places - path, axis=1))


def _examples(_: Path) -> Measured:
    found: dict[str, float] = {}
    rows = []
    for name, en, ja in (
        ("juggling", "ball from the palm that holds it", "ボールと、持っている手のひら"),
        ("kick", "ankle from the handle", "足首とハンドル"),
        ("hips", "hips from the handle", "腰とハンドル"),
        ("dance", "(the handle only leads)", "（ハンドルは導くだけ）"),
    ):
        puppet, motion, path = _example(name)
        beat, part = np.divmod(np.arange(len(path)) / 24.0, 1.0)
        if name == "juggling":
            sides = ("right", "left")
            away = np.concatenate(
                [
                    _away(motion, f"{side}_fingers", path, 0.05)[(part <= 0.35) & (beat % 2 == n)]
                    for n, side in enumerate(sides)
                ]
            )
        else:
            away = _away(motion, {"kick": "right_foot"}.get(name, "hips"), path)
        found[name] = 100.0 * float(away.max())
        told = "" if name == "dance" else f"{found[name]:.2f} cm"
        rows.append((name, str(len(puppet.keys)), str(len(motion)), f"{en} / {ja}", told))
    columns = (
        Words("example", "例"), Words("keys", "キー"), Words("frames", "コマ"), Words("distance of", "何の距離か"), Words("at most", "最大"),
    )  # fmt: skip
    return Measured(
        Words(
            "all four perform: the ball is within {juggling:.2f} cm of the hand while held, the kicking foot within {kick:.2f} cm of the handle, the hips within {hips:.2f} cm of the letter し",
            "4 例とも実演できます。持っている間のボールは手から {juggling:.2f} cm 以内、キックの足はハンドルから {kick:.2f} cm 以内、腰は文字「し」から {hips:.2f} cm 以内です",
        ),
        found,
        found["juggling"] < 2.0 and found["kick"] < 1.0 and found["hips"] < 2.0,
        columns,
        tuple(rows),
    )


def _ik(_: Path) -> Measured:
    """Two ways of the handle to one place: by keys and IK, and by IK alone, each frame from the one before."""
    puppet, _motion, path = _example("kick")
    grip = puppet.ik
    assert grip is not None
    goal = path[35]
    straight = np.linspace(path[0], goal, 40)
    around = np.concatenate([path[:30:2], np.linspace(path[30], goal, 25)])
    ends, alone = [], []
    for way in (straight, around):
        ends.append(puppet.perform(way).rotations[-1])
        first = puppet.pose(path[0])
        rotations, positions = first.rotations[None], first.positions[None]
        for place in way:
            rotations, _misses = held(puppet.skeleton, grip, rotations, positions, place[None])
        alone.append(rotations[0])
    joints = list(grip.chain(puppet.skeleton))[:-1]

    def apart(pair: list[Array]) -> float:
        return float(np.degrees(quat.angle(quat.multiply(quat.inverse(pair[0]), pair[1])))[joints].max())

    motion = puppet.perform(path)
    ankle = motion.world_positions()[:, motion.skeleton.index("right_foot")]
    near = 1000.0 * float(np.linalg.norm(ankle - path, axis=1).max())
    values = {"ours": apart(ends), "alone": apart(alone), "near": near}
    return Measured(
        Words(
            "the kick's foot brought to one place by two ways: the leg's joints differ by {ours:.0e} degrees with keys and IK, by {alone:.1f} with IK alone; the ankle is {near:.0e} mm off the handle",
            "キックの足を 2 通りの経路で同じ場所へ運ぶと、脚の関節の差はキーと IK で {ours:.0e} 度、IK だけで {alone:.1f} 度です。このとき足首とハンドルの距離は {near:.0e} mm です",
        ),
        values,
        values["ours"] < 1e-3 < values["alone"] and near < 1.0,
    )


def _figure7(_: Path) -> Measured:
    """Keys of 0, 90, 180 and 270 degrees on a circle; the handle goes round it."""
    skeleton, rest = Skeleton(("root",), np.array([-1]), np.zeros((1, 3))), np.zeros((1, 3))
    turns = np.array([0.0, 90.0, 180.0, 270.0])

    def around(degrees: Array) -> Array:
        return np.stack([np.cos(np.radians(degrees)), np.sin(np.radians(degrees)), 0.0 * degrees], axis=1)

    keys = [
        Key(place, komadori.motion.Pose(quat.exp(np.radians([[turn, 0.0, 0.0]])), rest), str(turn))
        for turn, place in zip(turns, around(turns), strict=True)
    ]
    asked = np.arange(0.0, 361.0, 5.0)
    made = Puppet(skeleton, keys).poses(around(asked)).rotations[:, 0]
    off = np.degrees(quat.angle(quat.multiply(quat.inverse(made), quat.exp(np.radians(np.outer(asked, [1.0, 0, 0]))))))
    angle = rbf.solve(around(turns), turns[:, None]).values(around(np.array([315.0])))[0, 0]
    values = {"off": float(off.max()), "angle": float(angle)}
    return Measured(
        Words(
            "all round the circle the turn is within {off:.1f} degrees of the handle's; between 270 and 0 degrees, where it should be 315, angles give {angle:.0f} (the paper: 135)",
            "円周のどこでも向きとハンドルの差は {off:.1f} 度以内です。270 度と 0 度の間（正しくは 315 度）で、角度の補間は {angle:.0f} 度になります（論文でも 135 度）",
        ),
        values,
        values["off"] < 10.0,
    )


def _beyond(_: Path) -> Measured:
    kick, dance = (_example(name) for name in ("kick", "dance"))
    takes = [Take.recorded(path, 24.0) for _p, _m, path in (kick, dance)]
    joined = sequence([Scene(kick[0], takes[0]), Scene(dance[0], takes[1], blend_s=0.4)])

    def fastest(motion: Motion) -> float:
        turned = quat.multiply(quat.inverse(motion.rotations[:-1]), motion.rotations[1:])
        return float(np.degrees(quat.angle(turned)).max())

    cast = together([dance[0], dance[0].moved_to(character("girl").skeleton)], takes[1])
    values = {
        "own": max(fastest(kick[1]), fastest(dance[1])),
        "joined": fastest(joined),
        "cast": len(cast),
        "joints": len(cast[1].skeleton),
    }
    return Measured(
        Words(
            "a kick blends into a dance: no joint turns by more than {joined:.0f} degrees per frame ({own:.0f} in the two by themselves); one handle moves {cast} bodies, the second by keys carried over to a skeleton of {joints} joints",
            "キックからダンスへつないでも、関節の変化は最大で毎フレーム {joined:.0f} 度です（単独では {own:.0f} 度）。1 つのハンドルで {cast} 体が動き、2 体目は {joints} 関節の骨格へ移したキーで動きます",
        ),
        values,
        values["joined"] <= 1.05 * values["own"] and values["cast"] == 2,
    )


@cache
def _built() -> dict[str, Built]:
    """Every task, built once for the rows that tell of it."""
    return built()


def _dragging(_: Path) -> Measured:
    """The handle and its shadow, dragged by a mouse in the studio's page."""
    found = _built()
    up = [abs(one.handle[1]) for one in found.values()]
    flat = [abs(one.shadow[1]) for one in found.values()]
    along = [float(np.hypot(one.shadow[0], one.shadow[2])) for one in found.values()]
    return Measured(
        Words(
            "in the studio's page a drag of the handle, up the screen, raises it by {up:.2f} m or more; a drag of its shadow moves it {along:.2f} m or more along the ground, and its height changes by {flat:.3f} m",
            "スタジオの画面でハンドルを上へドラッグすると {up:.2f} m 以上高くなります。影をドラッグすると地面に沿って {along:.2f} m 以上動き、高さの変化は {flat:.3f} m です",
        ),
        {"up": min(up), "along": min(along), "flat": max(flat)},
        min(up) > 0.05 and min(along) > 0.02 and max(flat) < 1e-6,
    )


def _study(_: Path) -> Measured:
    """A program as a newcomer: the paper's examples built in the studio's page by mouse and keys."""
    found = _built()
    rows = [(name, str(one.keys), str(one.actions), f"{one.seconds:.0f} s") for name, one in found.items()]
    columns = (
        Words("task", "課題"),
        Words("keys", "キー"),
        Words("actions (drags, clicks, keys pressed)", "操作（ドラッグ・クリック・キー入力）"),
        Words("time with a software renderer, waiting included", "時間（ソフトウェア描画、待ち時間を含む）"),
    )
    actions = [one.actions for one in found.values()]
    told = Words(
        "in the studio's page a program builds {count} tasks of three keys each and records a motion, in {low} actions each; no person took part",
        "プログラムがスタジオの画面で 3 キーの課題を {count} 種作り、動きを記録しました。操作はそれぞれ {low} 回です。人による実験は行っていません",
    )
    return Measured(told, {"count": len(found), "low": min(actions), "high": max(actions)}, False, columns, tuple(rows))


INTERPOLANTS = {
    "linear": Words("the linear kernel |x| (default)", "線形（既定）"),
    "cubic": Words("the cubic kernel", "3 次"),
    "local": Words("the local kernel", "局所"),
    "nearest": Words("the nearest key", "最近傍のキー"),
    "log-quaternion": Words("logarithms of quaternions", "対数四元数"),
}


def _kernels(data: Path) -> Measured:
    """Every key left out in turn, its pose asked for at its own place: geodesic degrees per joint."""
    totals: dict[str, list[float]] = {}
    rows = []
    for name in ("124_01", "124_07", "135_04", "10_01", "08_01", "08_04", "49_06", "85_01"):
        motion = komadori.load(data / "human_cmu_bvh" / f"{name}.bvh").prepared(fps=24.0)
        hand = motion.skeleton.roles.get("right_hand") or komadori.roles.known(motion.skeleton)["right_hand"]
        world = motion.world_positions()
        frames = np.unique(np.linspace(0, len(motion) - 1, 12).astype(int))
        places = world[frames, hand] - world[frames, 0]
        poses = [motion.pose(int(frame)) for frame in frames]
        errors: dict[Any, list[float]] = {
            kernel: [] for kernel in ("linear", "cubic", "local", "nearest", "log-quaternion")
        }
        for left, place in enumerate(places):
            rest = [n for n in range(len(frames)) if n != left]
            true = motion.rotations[frames[left]]
            for kernel, found in errors.items():
                if kernel == "nearest":
                    near = min(rest, key=lambda n: float(np.linalg.norm(places[n] - place)))
                    own = motion.rotations[frames[near]]
                elif kernel == "log-quaternion":
                    middle = motion.rotations[frames[rest[0]]]
                    logs = quat.log(quat.multiply(quat.inverse(middle), motion.rotations[frames[rest]]))
                    field = rbf.solve(places[rest], logs.reshape(len(rest), -1))
                    own = quat.multiply(middle, quat.exp(field.values(place[None]).reshape(-1, 3)))
                else:
                    own = (
                        Puppet(motion.skeleton, [Key(places[n], poses[n], str(n)) for n in rest], kernel=kernel)
                        .pose(place)
                        .rotations
                    )
                found.append(float(np.degrees(quat.angle(quat.multiply(quat.inverse(true), own))).mean()))
        means = {kernel: float(np.mean(found)) for kernel, found in errors.items()}
        for kernel, value in means.items():
            totals.setdefault(kernel, []).append(value)
        rows.append((name, *(f"{value:.1f}" for value in means.values())))
    rows.append(("mean / 平均", *(f"{np.mean(values):.1f}" for values in totals.values())))
    first, second, *_rest = sorted(totals, key=lambda kernel: float(np.mean(totals[kernel])))
    least, following = (float(np.mean(totals[kernel])) for kernel in (first, second))
    columns = (
        Words("clip", "クリップ"),
        Words("linear", "線形"),
        Words("cubic", "3 次"),
        Words("local", "局所"),
        Words("nearest key", "最近傍のキー"),
        Words("log quaternions, linear", "対数四元数（線形）"),
    )
    return Measured(
        Words(
            "each of 12 keys left out in turn, in degrees per joint: least by {best} ({least:.1f}), then by {second} ({next:.1f})",
            "12 個のキーを 1 つずつ除いたときの平均誤差（関節あたり）は、{best}の {least:.1f} 度が最小で、次が{second}の {next:.1f} 度です",
        ),
        {"best": INTERPOLANTS[first], "second": INTERPOLANTS[second], "least": least, "next": following},
        True,
        columns,
        tuple(rows),
    )


PUPPET = Paper(
    "puppet",
    Words("Spatial keyframing: claim by claim", "空間的キーフレーム法：論文との対照"),
    "Takeo Igarashi: 「空間的キーフレーム法によるキャラクターアニメーション」 (Spatial Keyframing for Character Animation).",
    7,
    0,
    (
        Claim("keys", Words("Section 4: the pose as a function of the handle", "4 節：ハンドルの位置から姿勢を返す関数"), Words("nine functions for each joint go through the keys, fast enough to drag the handle", "関節ごとに 9 個の関数がキーを通り、実時間で操作できる"), _keys),
        Claim("appendix", Words("Appendix: bases made orthonormal", "補遺：正規直交基底への変換"), Words("at most ten rounds give a basis that is good enough in practice", "10 回以内の反復で、実用上問題ない基底が得られる"), _appendix,
              why=Words("The kick's keys contradict each other between standing and the back-swing: blends there are nearly flat, and ten rounds do not bring them square. Agreement is asked within 1 degree for 99 % of the blends.", "キックのキーは立ち姿勢と後ろ振りの間で大きく食い違い、そこでの混合はほとんど平らになるため、10 回の反復では直交に近づききりません。一致の条件は、混合の 99 % が 1 度以内であることです。")),
        Claim("undefined", Words("Appendix: keys that contradict each other", "補遺：矛盾するキー"), Words("where the iteration does not converge, the user is asked for other keys", "収束しない場合や不連続が現れる場合は、ゆがんだ結果を示してキーの再設定を要求する"), puppet_blends.undefined,
              note=Words("Instead of a distorted figure the nearest key's pose is shown, and the place is marked.", "ゆがんだ結果の代わりに最も近いキーの姿勢を示し、その場所に印を付けます。")),
        Claim("cubic", Words("Section 4: the cubic kernel", "4 節：3 乗の関数"), Words("|x|³ is smoother, and moves more away from the keys", "|x|³ はより滑らかだが、キーから離れたときの動きが大きくなりがち"), puppet_blends.cubic),
        Claim("figure-6", Words("Figure 6: beyond the keys", "図 6：キーの外側"), Words("angles and quaternions keep turning beyond the keys; matrices settle", "角度や 4 元数では回転が続くが、行列では収まる"), _figure6,
              pictures=(("puppet-figure-6", Words("Keys of 0 and 30 degrees (yellow); the number below an arrow is its turn in degrees.", "0 度と 30 度のキー（黄）。矢印の下の数は向き（度）です。"), figure6),)),
        Claim("dragging", Words("Section 3: the handle and its shadow", "3 節：ハンドルと影"), Words("the handle moves parallel to the screen, its shadow parallel to the ground", "ハンドルは画面に平行な平面内、影は地面に平行な平面内を移動する"), _dragging),
        Claim("few-keys", Words("Section 3, figure 1: few keys", "3 節と図 1：少ないキー"), Words("a few keys suffice, also outside the space between them; two keys give the pose between", "少数の点で、内部に止まらない広い範囲を補間できる。2 つのキーからは中間のポーズが得られる"), puppet_blends.few_keys),
        Claim("interpolants", Words("Section 3: other interpolants", "3 節：他の補間手法"), Words("a comparison with other interpolants is left to the future", "他の補間手法との詳細な比較は今後の課題"), _kernels, "beyond"),
        Claim("examples", Words("Section 3, figure 2: examples", "3 節と図 2：例"), Words("juggling, kick, dance and hip writing (尻文字) work", "ジャグリング・キック・ダンス・尻文字の例で有効性を確認"), _examples,
              note=Words("The paper gives no distances. A ball counts as held in the first 35 hundredths of each throw, and its middle as 5 cm above the first joint of the fingers.", "論文に距離の数値はありません。各投げの最初の 35 % を「持っている間」とし、ボールの中心は指の付け根の 5 cm 上としました。")),
        Claim("ik", Words("Section 3.1, figures 3 and 4: inverse kinematics", "3.1 節と図 3・4：IK"), Words("the same handle gives the same pose", "同じハンドル位置なら常に同じ結果"), _ik,
              pictures=(("puppet-figure-4", Words("The kick: at first, brought to the handle by inverse kinematics alone, and by keys with inverse kinematics.", "キック：初期状態、IK だけの結果、キーと IK を組み合わせた結果。"), figure4),)),
        Claim("walking", Words("Section 3.2, figure 5: walking", "3.2 節と図 5：歩行"), Words("the handle stays on the ground and the body moves: feet do not slide, and go faster with the body", "ハンドルを地面に固定して本体を動かす。足先は滑らず、早く移動させれば足の動きも早くなる"), puppet_blends.walk,
              note=Words("The paper tells of the foot at the handle alone; while that is in the air, the body goes over the other foot here. The second column takes the frames in which a foot is set to stand, the last those in which `feet.contacts` finds it standing, from its height and speed: at 0.4 m/s a swinging foot is slow enough to be among these.", "論文はハンドルの足だけを扱います。ここでは、その足が空中にある間、体は反対の足を支えに進みます。2 列目は足を着けているフレーム、最後の列は `feet.contacts` が高さと速さから接地とみなしたフレームで測りました。毎秒 0.4 m では振り出す足も遅いため、最後の列に含まれます。"),
              pictures=(("papers-puppet-walk", Words("The left foot dragged along the ground, lifted and set down again: two steps of three, every fourth frame.", "左足を地面に沿ってドラッグし、持ち上げて前へ置くことを繰り返した歩行（3 歩のうち 2 歩、4 コマごと）。"), puppet_blends.walk_picture),)),
        Claim("figure-7", Words("Figure 7: a full turn", "図 7：1 周する場合"), Words("no break between 0 and 360 degrees", "0 度と 360 度の間に不連続がない"), _figure7,
              pictures=(("puppet-figure-7", Words("Keys of 0, 90, 180 and 270 degrees on a circle (yellow); the number below an arrow is its turn in degrees.", "円周上の 0・90・180・270 度のキー（黄）。矢印の下の数は向き（度）です。"), figure7),)),
        Claim("script", Words("Section 5: scripts and physics", "5 節：スクリプトと物理シミュレーション"), Words("a script or a simulation can move the handle", "ハンドルの動きをスクリプトや物理シミュレーションで設定できる"), _moved_handle),
        Claim("sequences", Words("Section 5: sequences, casts, other bodies", "5 節：連続動作・複数キャラクター・転用"), Words("left to the future", "今後の課題"), _beyond, "beyond"),
        Claim("study", Words("Section 5: a user study", "5 節：操作実験"), Words("left to the future", "今後の課題"), _study, "beyond",
              why=Words("A study needs people, and none took part: the paper leaves it open, and so does this page. Counted instead are the actions and the time that a program takes in the page, which is no measure of people.", "操作実験には人が必要ですが、行っていません。論文と同じくここでも今後の課題です。代わりに、プログラムが画面で行う操作と時間を数えました。人の所要時間の目安ではありません。")),
    ),
    sections=("3", "3.1", "3.2", "4", "5"),
    statements=statements.PUPPET,
)  # fmt: skip
