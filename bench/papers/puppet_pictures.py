"""Figures 4, 6 and 7 of the paper on spatial keyframing, drawn from what the puppet does here."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from komadori import load, quat
from komadori.kinematics import world_positions
from komadori.methods.puppet import Key, Puppet, parsed
from komadori.methods.puppet.reaching import held
from komadori.motion import Pose
from komadori.numerics import rbf
from komadori.quat import Array
from komadori.render.body import body_of, camera_of, drawn
from komadori.render.drawing import Circle, Drawing, Item, Line, Rect, Text
from komadori.skeleton import Skeleton

EXAMPLES = Path(__file__).parents[2] / "examples" / "puppet"
YELLOW, PINK, GROUND, LABEL, INK, GREY = "#f0c808", "#d6498f", "#b8c0c9", "#4a5460", "#22272e", "#8a939e"


def turning(degrees: Array, places: Array) -> Puppet:
    """One joint that turns about z: keys of `degrees` (n,) at `places` (n, 2)."""
    skeleton, rest = Skeleton(("root",), np.array([-1]), np.zeros((1, 3))), np.zeros((1, 3))
    keys = [
        Key(np.array([x, y, 0.0]), Pose(quat.exp(np.radians([[0.0, 0.0, turn]])), rest), f"{number}")
        for number, (turn, (x, y)) in enumerate(zip(degrees.tolist(), places.tolist(), strict=True))
    ]
    return Puppet(skeleton, keys)


def turns(degrees: Array, places: Array, asked: Array) -> dict[str, Array]:
    """The turn in degrees at `asked` (m, 2): by matrices as here, by angles, and by quaternions, element by element."""
    spots = np.c_[places, np.zeros(len(places))]
    there = np.c_[asked, np.zeros(len(asked))]
    made = quat.log(turning(degrees, places).poses(there).rotations)[:, 0, 2]
    angle = rbf.solve(spots, degrees[:, None]).values(there)[:, 0]
    half = np.radians(degrees) / 2.0
    mixed = rbf.solve(spots, np.stack([np.cos(half), np.sin(half)], axis=1)).values(there)
    return {
        "matrices": np.degrees(made),
        "angles": angle,
        "quaternions": np.degrees(2.0 * np.arctan2(mixed[:, 1], mixed[:, 0])),
    }


def figure4(_: Path) -> Drawing:
    """The kick: where it begins, brought to the goal by inverse kinematics alone, and by keys and inverse kinematics."""
    puppet = load(EXAMPLES / "kick.json", kind="puppet")
    script = EXAMPLES / "kick.txt"
    path = parsed(script.read_text(encoding="utf-8"), script.name).take(fps=24.0).sampled(24.0)
    goal, grip = path[30], puppet.ik
    assert grip is not None
    begin = puppet.poses(path[:1])
    rotations, positions = begin.rotations, begin.positions
    for place in np.linspace(path[0], goal, 40):
        rotations, _misses = held(puppet.skeleton, grip, rotations, positions, place[None])
    both = puppet.poses(goal[None])
    skeleton = puppet.skeleton
    poses = ((begin.rotations, begin.positions), (rotations, positions), (both.rotations, both.positions))
    named = ("at first", "IK alone", "keys and IK")
    width, scale, floor = 190.0, 100.0, 200.0
    items: list[Item] = [
        Rect(0, 0, 3 * width, 235, fill="#ffffff"),
        Line(4, floor + 6, 3 * width - 4, floor + 6, GROUND, 1.5),
    ]
    first = world_positions(skeleton, *poses[0])[0]
    camera, body = camera_of(skeleton, first, "side"), body_of(skeleton, first)
    for number, (pose, name) in enumerate(zip(poses, named, strict=True)):
        middle = (number + 0.5) * width
        items += drawn(body, skeleton, camera.seen(world_positions(skeleton, *pose)[0]), (middle, floor), scale, 1.0)
        x, y, *_ = camera.seen((path[0] if number == 0 else goal)[None])[0].tolist()
        items.append(Circle(middle + x * scale, floor - y * scale, 5.0, PINK, INK, 0.8))
        items.append(Text(middle, 228, name, 12.0, LABEL, "middle"))
    return Drawing(3 * width, 235, tuple(items), "inverse kinematics with and without keys")


def figure6(_: Path) -> Drawing:
    """Keys of 0 and 30 degrees on a line, the handle farther and farther out: matrices settle, angles go round."""
    asked = np.array([[x, 0.0] for x in (-2.0, 0.0, 1.0, 2.0, 4.0, 6.0, 9.0, 12.0)])
    return _rows(np.array([0.0, 30.0]), np.array([[0.0, 0.0], [1.0, 0.0]]), asked, [f"{x:g}" for x in asked[:, 0]])


def figure7(_: Path) -> Drawing:
    """Keys of 0, 90, 180 and 270 degrees on a circle, the handle between them."""
    around = np.arange(0.0, 360.0, 45.0)
    keys = np.array([0.0, 90.0, 180.0, 270.0])
    return _rows(keys, _circle(keys), _circle(around), [f"{turn:g}" for turn in around], whole=True)


def _circle(degrees: Array) -> Array:
    return np.stack([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], axis=1)


def _rows(degrees: Array, places: Array, asked: Array, labels: list[str], *, whole: bool = False) -> Drawing:
    """An arrow for each place of the handle, a row for each way to interpolate; yellow where a key stands."""
    cell, left, top = 74.0, 110.0, 34.0
    found = turns(degrees, places, asked)
    width, height = left + cell * len(asked), top + cell * len(found) + 8.0
    items: list[Item] = [Rect(0, 0, width, height, fill="#ffffff"), Text(8, 20, "handle at / turn", 12.0, LABEL)]
    for column, label in enumerate(labels):
        items.append(Text(left + (column + 0.5) * cell, 20, label, 12.0, LABEL, "middle"))
    for row, (name, values) in enumerate(found.items()):
        y = top + (row + 0.5) * cell
        items.append(Text(8, y + 4, name, 12.0, INK))
        for column, value in enumerate(values.tolist()):
            x = left + (column + 0.5) * cell
            keyed = bool((np.linalg.norm(places - asked[column], axis=1) < 1e-9).any())
            items.append(Circle(x, y, 27.0, "#fff6cc" if keyed else None, YELLOW if keyed else GROUND, 1.2))
            items += _arrow(x, y, 24.0, value, INK if row == 0 else GREY)
            items.append(Text(x, y + 36, f"{round(value) % 360 if whole else round(value)}", 9.5, LABEL, "middle"))
    return Drawing(width, height, tuple(items), "turns by matrices, angles and quaternions")


def _arrow(x: float, y: float, size: float, degrees: float, colour: str) -> list[Item]:
    a = math.radians(degrees)
    tip = (x + size * math.cos(a), y - size * math.sin(a))
    lines: list[Item] = [Line(x, y, *tip, colour, 2.2)]
    lines += [
        Line(*tip, tip[0] + 8.0 * math.cos(a + side), tip[1] - 8.0 * math.sin(a + side), colour, 2.2)
        for side in (2.6, -2.6)
    ]
    return lines
