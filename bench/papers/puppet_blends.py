"""Rows on the blend of Igarashi (sections 3 and 4, appendix): few keys, the cubic kernel, places that no key defines; and walking."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from bench.papers.claims import Measured, Words
from komadori import Motion, Pose, Puppet, feet, load, quat
from komadori.methods.puppet import walking
from komadori.methods.puppet.walking import Walk, walk_of
from komadori.quat import Array
from komadori.render.drawing import Drawing
from komadori.render.figures import strip

EXAMPLES = Path(__file__).parents[2] / "examples" / "puppet"
NAMES = ("juggling", "kick", "dance", "hips", "walk")
STEPS_S, ON_GROUND_M = 3, 0.1


def example(name: str) -> Puppet:
    """A puppet of the examples, as it is saved."""
    made: Puppet = load(EXAMPLES / f"{name}.json", kind="puppet")
    return made


def _apart(one: Array, other: Array) -> Array:
    """Mean degrees per joint between poses (..., J, 4)."""
    return np.asarray(np.degrees(quat.angle(quat.multiply(quat.inverse(one), other))).mean(axis=-1))


def few_keys(_: Path) -> Measured:
    """Two keys of each example: the pose half way, and the way from one to the other and on."""
    rows, uneven, jump = [], 0.0, 0.0
    for name in NAMES:
        puppet = example(name).changed(ik=None)
        a, b = puppet.keys[:2]
        two = puppet.changed(keys=[a, b])
        whole = float(_apart(a.pose.rotations, b.pose.rotations))
        half = two.pose(0.5 * (a.position + b.position)).rotations
        shares = [float(_apart(half, key.pose.rotations)) / whole for key in (a, b)]
        way = np.linspace(-1.0, 2.0, 301)[:, None] * (b.position - a.position) + a.position
        step = float(_apart(two.poses(way).rotations[1:], two.poses(way).rotations[:-1]).max())
        uneven, jump = max(uneven, abs(shares[0] - shares[1])), max(jump, 100.0 * step / whole)
        rows.append(
            (name, f"{whole:.1f}", *(f"{100.0 * share:.0f} %" for share in shares), f"{100.0 * step / whole:.1f} %")
        )
    columns = (
        Words("example", "例"), Words("between its first two keys, degrees per joint", "最初の 2 つのキーの差（関節あたり度）"), Words("half way: from the first", "中間：1 つ目から"),
        Words("from the second", "2 つ目から"), Words("largest change in a hundredth of the way, one length beyond either key", "道のり 100 分の 1 での最大の変化（両端の外側を含む）"),
    )  # fmt: skip
    return Measured(
        Words(
            "with two keys the pose half way is as far from the one as from the other within {uneven:.0f} % of the whole; from one length before the first key to one beyond the second, a hundredth of the way changes the pose by at most {jump:.1f} %",
            "キーが 2 つのとき、中間の姿勢から両方のキーまでの差の違いは全体の {uneven:.0f} % 以内です。キーの外側へ同じ距離だけ離れても、道のり 100 分の 1 での姿勢の変化は最大 {jump:.1f} % で、途切れません",
        ),
        {"uneven": 100.0 * uneven, "jump": jump},
        uneven < 0.05 and jump < 5.0,
        columns,
        tuple(rows),
    )


def cubic(_: Path) -> Measured:
    """How fast poses change beyond the keys, by kernel: the handle twice as far out as the keys are."""
    rows, more = [], 0
    for name in NAMES:
        puppet = example(name).changed(ik=None)
        places = np.stack([key.position for key in puppet.keys])
        middle = places.mean(axis=0)
        out = middle + 2.0 * (places - middle)
        found = []
        for kernel in ("linear", "cubic"):
            own = puppet.changed(kernel=kernel)
            found.append(float(_apart(own.poses(out).rotations, own.poses(places).rotations).mean()))
        more += found[1] > found[0]
        rows.append((name, *(f"{one:.1f}" for one in found)))
    columns = (
        Words("example", "例"), Words("|x| (default): degrees per joint", "|x|（既定）：関節あたり度"), Words("|x|³", "|x|³"),
    )  # fmt: skip
    return Measured(
        Words(
            "twice as far out as the keys, |x|³ takes the pose farther from that of the key than |x| in {more} of {count} examples",
            "キーの 2 倍の距離では、{count} 例中 {more} 例で |x|³ の方が |x| よりキーの姿勢から大きく離れます",
        ),
        {"more": more, "count": len(NAMES)},
        more == len(NAMES),
        columns,
        tuple(rows),
    )


def _contradicting(puppet: Puppet) -> Puppet:
    """One more key among the others, in which the whole body is turned upside down."""
    middle = np.stack([key.position for key in puppet.keys]).mean(axis=0)
    pose = puppet.keys[0].pose
    rotations = np.array(pose.rotations)
    rotations[0] = quat.multiply(quat.exp(np.array([np.pi, 0.0, 0.0])), rotations[0])
    return puppet.with_key(middle, Pose(rotations, pose.positions), "upside down")


def _largest_turn(puppet: Puppet, ends: Array, count: int) -> float:
    """The largest turn of a joint, in degrees, from one of `count` places on each way to the next."""
    worst = 0.0
    for a, b in ends:
        turns = puppet.poses(np.linspace(a, b, count)).rotations
        worst = max(worst, float(quat.angle(quat.multiply(quat.inverse(turns[:-1]), turns[1:])).max()))
    return float(np.degrees(worst))


def undefined(_: Path) -> Measured:
    """Keys that contradict each other: where no pose is defined, that is told, and nothing jumps."""
    rows, share, shrinks = [], [], np.inf
    for name in NAMES:
        puppet = _contradicting(example(name).changed(ik=None))
        places = np.stack([key.position for key in puppet.keys])
        low, high = places.min(axis=0), places.max(axis=0)
        asked = np.random.default_rng(0).uniform(low, high, (2000, 3))
        lost = float((puppet.poses(asked).defined < 0.5).mean())
        steps = [_largest_turn(puppet, asked[:40].reshape(-1, 2, 3), count) for count in (400, 1600)]
        share.append(lost)
        shrinks = min(shrinks, steps[0] / steps[1])
        rows.append((name, f"{100.0 * lost:.1f} %", *(f"{step:.1f}°" for step in steps)))
    columns = (
        Words("example", "例"), Words("places where the keys define no pose", "ポーズが定まらない場所"), Words("largest turn of a joint in a 400th of a way", "道のり 400 分の 1 での関節の最大の変化"),
        Words("in a 1600th", "1600 分の 1"),
    )  # fmt: skip
    return Measured(
        Words(
            "with a key amid the others that contradicts them (the body upside down), {least:.0f} to {most:.0f} % of the places between the keys are told as undefined (`defined` under 0.5, red in the studio, with the place where another key helps most); the pose glides to the nearest key there: on 20 straight ways through each set steps a quarter as long turn joints {shrinks:.1f} times less or more, so that nothing jumps",
            "ほかと矛盾するキー（体が逆さま）を間に置くと、キーの間の {least:.0f}〜{most:.0f} % の場所が「定まらない」と示されます（`defined` が 0.5 未満。スタジオでは赤く表示し、キーを足すと最も効く場所も示します）。そこでは最も近いキーへ滑らかに移ります。それぞれ 20 本の直線に沿って動かすと、歩幅を 4 分の 1 にしたときの関節の変化は {shrinks:.1f} 分の 1 以下になり、途切れはありません",
        ),
        {"least": 100.0 * min(share), "most": 100.0 * max(share), "shrinks": shrinks},
        min(share) > 0.0 and shrinks > 2.5,
        columns,
        tuple(rows),
    )


def by_hand() -> Array:
    """The path of a handle at the left foot: back along the ground and forward through the air, a second per step, three times."""
    u = np.arange(24 * STEPS_S + 1) / 24.0 % 1.0
    down, over = u < 0.6, (u - 0.6) / 0.4
    height = np.where(down, ON_GROUND_M, ON_GROUND_M + 0.12 * np.sin(np.pi * over))
    return np.stack(
        [np.full(len(u), 0.075), height, np.where(down, 0.26 - 0.58 * u / 0.6, -0.32 + 0.58 * over)], axis=1
    )


def dragged() -> Motion:
    """The walk of the examples, its left foot dragged along the ground by `by_hand`."""
    return example("walk").changed(ik="left_foot", ground=ON_GROUND_M).perform(by_hand())


def walk_picture(_: Path) -> Drawing:
    """Two steps of it."""
    return strip(dragged(), list(range(0, 49, 4)), height=130.0)


def _slip(walk: Walk, travel: Array) -> float:
    """The farthest that the ball of a foot moves while the walk has it stand, in metres."""
    world, worst = walk.motion(travel).world_positions(), 0.0
    for step in walk.steps:
        since = travel / walk.stride - step.begin
        cycle = np.floor(since)
        stands = since - cycle <= step.duration
        for number in np.unique(cycle[stands]):
            worst = max(worst, float(np.ptp(world[stands & (cycle == number), step.leg.ball], axis=0).max()))
    return worst


def walk(_: Path) -> Measured:
    """Walking by itself at several speeds, and by dragging: what slides, and how many steps there are."""
    puppet = example("walk")
    gait = walk_of(puppet)
    rows, worst, paces = [], 0.0, {}
    for speed in (0.4, 1.2, 2.4, -1.2):
        slip = 1000.0 * _slip(gait, np.asarray(speed * np.arange(97) / 24.0, dtype=np.float64))
        worst = max(worst, slip)
        made = walking(puppet, speed, 4.0)
        paces[speed] = abs(speed) / gait.stride
        seen = 1000.0 * feet.slippage(made, feet.contacts(made)).worst
        rows.append((f"{speed} m/s", f"{slip:.2f} mm", f"{paces[speed]:.2f}", f"{seen:.2f} mm"))
    motion, path = dragged(), by_hand()
    world, known = motion.world_positions(), motion.skeleton.roles
    down = path[:, 1] <= ON_GROUND_M
    slid = []
    for stands, joint in ((down, "left_foot"), (~down, "right_toes")):
        both = stands[1:] & stands[:-1]
        slid.append(1000.0 * float(np.linalg.norm(np.diff(world[:, known[joint]][:, ::2], axis=0), axis=1)[both].max()))
    seen = 1000.0 * feet.slippage(motion, feet.contacts(motion)).worst
    rows.append(("dragged, 3 steps / ドラッグで 3 歩", f"{max(slid):.2f} mm", "1.00", f"{seen:.2f} mm"))
    columns = (
        Words("walk", "歩行"), Words("a standing foot slides, at most", "接地中の足の滑り（最大）"), Words("cycles a second", "毎秒の周期"),
        Words("by contacts found in the motion", "動きから見つけた接地で測ると"),
    )  # fmt: skip
    return Measured(
        Words(
            "a standing foot slides by at most {worst:.2f} mm at any of four speeds; dragged along the ground for three steps, the ankle at the handle slides by {left:.2f} mm a frame and the ball of the other foot, while it carries the body, by {right:.2f} mm; at twice the speed there are {times:.2f} times the steps",
            "4 つの速度のどれでも、接地中の足の滑りは最大 {worst:.2f} mm です。地面でドラッグして 3 歩進めると、1 フレームの滑りは、ハンドルの足首で {left:.2f} mm、体を支える反対の足の付け根で {right:.2f} mm です。2 倍の速さでは歩数も {times:.2f} 倍になります",
        ),
        {"worst": worst, "left": slid[0], "right": slid[1], "times": paces[2.4] / paces[1.2]},
        max(worst, *slid) < 5.0,
        columns,
        tuple(rows),
    )
