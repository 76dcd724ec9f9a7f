"""Juggling, kick, dance, hip writing and walk as puppets: makes the .json files beside it from key poses, and draws what they do.

Run `python examples/puppet/make.py OUT` to write a GIF and a strip of each into the folder OUT, or
`python examples/puppet/make.py --keys` to write the puppets again after changing a pose here.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import komadori
from komadori import Motion, Pose, Puppet, kinematics
from komadori.characters import acting, humanoid, sample
from komadori.methods.puppet import Grip, Key, parsed, puppet_from, walking
from komadori.render.drawing import save
from komadori.render.figures import motion_gif, strip

HERE = Path(__file__).parent
NAMES = ("juggling", "kick", "dance", "hips", "walk")

# A body that stands: one row of the tables in komadori.characters.acting (degrees and metres).
STANDING = {
    "hips": (0.0, 0.92, 0.0, 0.0, 2.0, 0.0),
    "chest": (0.0, 2.0, 0.0),
    "head": (0.0, 4.0, 0.0),
    "left_arm": (8.0, 60.0, 60.0, 20.0, 0.0, 5.0, 25.0),
    "right_arm": (8.0, 60.0, 60.0, 20.0, 0.0, 5.0, 25.0),
    "left_foot": (0.12, 0.0, 0.0, 12.0, 0.0, 0.0),
    "right_foot": (-0.12, 0.0, 0.0, -12.0, 0.0, 0.0),
    "left_leg": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    "right_leg": (0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
}


def pose(**parts: tuple[float, ...]) -> Pose:
    """The standing body with some parts posed otherwise."""
    channels = {name: np.array([parts.get(name, row)]) for name, row in STANDING.items()}
    rotations, positions = acting.posed(channels)
    return Pose(rotations[0], positions[0])


def at(joint: str, posed: Pose, above: float = 0.0) -> np.ndarray:
    """Where `joint` is in a pose, and a little above it: keys are best set where the thing is that the handle stands for."""
    world = kinematics.world_positions(humanoid(), posed.rotations[None], posed.positions[None])[0]
    return np.asarray(world[humanoid().index(joint)] + [0.0, above, 0.0])


PALM = 0.05
"""How far above the fingers' first joint the middle of a ball in the hand is, in metres."""


def holding(side: str, posed: Pose, ball: tuple[float, float, float]) -> Key:
    """`posed` with the hand brought below the ball: a key at the ball."""
    grip = Grip(f"{side}_fingers", f"{side}_upper_arm")
    still = Puppet(humanoid(), [Key(ball, posed)], ik=grip, polynomial=False)
    reached = still.pose(np.array(ball) - [0.0, PALM, 0.0])
    return Key(
        ball, Pose(reached.rotations, reached.positions), f"in the {side} hand, {'low' if ball[1] < 0.95 else 'high'}"
    )


def juggling() -> Puppet:
    """The handle is the ball: in a hand that catches and throws it, or in the air before the eyes."""
    ready = (14.0, 60.0, 50.0, 76.0, 62.0, -8.0, 12.0)
    dip = (16.0, 60.0, 45.0, 70.0, 68.0, -10.0, 14.0)
    thrown = (36.0, 62.0, 50.0, 98.0, 55.0, 12.0, 2.0)
    right = pose(
        hips=(-0.02, 0.88, 0, -5, 3, -1), chest=(-12, 8, -4), head=(-14, 22, -4), right_arm=dip, left_arm=ready
    )
    left = pose(hips=(0.02, 0.88, 0, 5, 3, 1), chest=(12, 8, 4), head=(14, 22, 4), left_arm=dip, right_arm=ready)
    keys = [
        # A hand has the ball on a short way down and up again: a key at each end of it keeps them together.
        *(holding("right", right, (-0.245, height, 0.28)) for height in (0.99, 0.92)),
        *(holding("left", left, (0.245, height, 0.28)) for height in (0.99, 0.92)),
        Key([-0.16, 1.5, 0.36], pose(hips=(-0.01, 0.92, 0, -3, 0, 0), chest=(-8, -3, -2), head=(-11, -10, -3), right_arm=thrown, left_arm=ready), "up on the right"),
        Key([0.16, 1.5, 0.36], pose(hips=(0.01, 0.92, 0, 3, 0, 0), chest=(8, -3, 2), head=(11, -10, 3), left_arm=thrown, right_arm=ready), "up on the left"),
        Key([0.0, 1.95, 0.36], pose(hips=(0.0, 0.926, 0, 0, -2, 0), chest=(0, -9, 0), head=(0, -28, 0), left_arm=ready, right_arm=ready), "at the top"),
    ]  # fmt: skip
    return Puppet(humanoid(), keys)


def kick() -> Puppet:
    """The handle is the ankle of the right foot, which inverse kinematics keeps there."""
    stand = {"left_foot": (0.1, 0.0, 0.0, 8.0, 0.0, 0.0)}
    poses = {
        "stand": pose(**stand),
        "lifted": pose(**stand, hips=(0.05, 0.9, 0.02, -10, 8, -4), chest=(10, 6, -4), head=(0, 14, 0), right_leg=(1, 4, 10, 0, 62, -20), left_arm=(36, 60, 60, 26, 0, 0, 20), right_arm=(34, 10, 40, 34, 0, 0, 20)),
        "drawn back": pose(**stand, hips=(0.05, 0.88, 0.02, -28, 12, -4), chest=(24, 6, -4), head=(0, 14, 0), right_leg=(1, -34, 34, 0, 78, -30), left_arm=(62, 60, 60, 30, 0, 0, 20), right_arm=(58, -20, 40, 40, 0, 0, 20)),
        "at the ball": pose(**stand, hips=(0.06, 0.895, 0.04, 6, -6, -6), chest=(-2, 8, -6), head=(0, 22, 0), right_leg=(1, 26, 6, 0, 14, -34), left_arm=(56, 40, 60, 26, 0, 0, 20), right_arm=(50, 20, 40, 30, 0, 0, 20)),
        "through": pose(**stand, hips=(0.05, 0.915, 0.06, 30, -20, -6), chest=(-26, 18, -4), head=(-4, 2, 0), right_leg=(1, 88, 16, 0, 8, -30), left_arm=(70, -10, 60, 20, 0, 0, 20), right_arm=(36, 90, 60, 44, 0, 0, 20)),
    }  # fmt: skip
    keys = [Key(at("right_foot", posed), posed, name) for name, posed in poses.items()]
    return Puppet(humanoid(), keys, ik=Grip("right_foot", "right_upper_leg"))


def dance() -> Puppet:
    """The handle leads the hips; the arms answer."""
    up = (150.0, 20.0, 80.0, 40.0, 0.0, 0.0, 8.0)
    out = (78.0, 30.0, 70.0, 46.0, 20.0, -10.0, 10.0)
    low = (26.0, 60.0, 60.0, 66.0, 20.0, 6.0, 14.0)
    wide = {"left_foot": (0.19, 0.0, 0.0, 22.0, 0.0, 0.0), "right_foot": (-0.19, 0.0, 0.0, -22.0, 0.0, 0.0)}
    keys = [
        Key([0.0, 1.0, 0.0], pose(**wide, left_arm=low, right_arm=low), "middle"),
        Key([0.3, 1.0, 0.0], pose(**wide, hips=(0.11, 0.89, 0, 14, 0, 10), chest=(-12, 0, -10), head=(-16, 0, 10), left_arm=up, right_arm=out), "to the left"),
        Key([-0.3, 1.0, 0.0], pose(**wide, hips=(-0.11, 0.89, 0, -14, 0, -10), chest=(12, 0, 10), head=(16, 0, -10), left_arm=out, right_arm=up), "to the right"),
        Key([0.0, 0.7, 0.0], pose(**wide, hips=(0, 0.74, -0.06, 0, 16, 0), chest=(0, 22, 0), head=(0, 14, 0), left_arm=(40, 90, 60, 100, 30, 0, 60), right_arm=(40, 90, 60, 100, 30, 0, 60)), "down"),
        Key([0.0, 1.3, 0.0], pose(hips=(0, 0.935, 0.01, 0, -2, 0), chest=(0, -12, 0), head=(0, -18, 0), left_arm=(164, 20, 80, 14, 0, 0, 4), right_arm=(164, 20, 80, 14, 0, 0, 4)), "up"),
        Key([0.0, 1.0, 0.3], pose(**wide, hips=(0, 0.87, 0.05, 0, -8, 0), chest=(0, -16, 0), head=(0, -10, 0), left_arm=(70, 10, 40, 96, 0, 0, 20), right_arm=(70, 10, 40, 96, 0, 0, 20)), "forward"),
    ]  # fmt: skip
    return Puppet(humanoid(), keys)


def hips() -> Puppet:
    """Hip writing (尻文字): the handle is the hips, which write a letter in the air while the feet stay."""
    wide = {"left_foot": (0.2, 0.0, 0.0, 18.0, 0.0, 0.0), "right_foot": (-0.2, 0.0, 0.0, -18.0, 0.0, 0.0)}
    arms = (30.0, -20.0, 60.0, 70.0, 30.0, 0.0, 30.0)
    keys = []
    for down, y in (("high", 0.88), ("low", 0.76)):
        for side, x in (("left", 0.13), ("middle", 0.0), ("right", -0.13)):
            lean = 110.0 * x
            bent = pose(
                **wide,
                hips=(x, y, -0.06, lean, 14.0, 0.6 * lean),
                chest=(-lean, 10.0, -0.6 * lean),
                head=(-0.3 * lean, -12.0, 0.0),
                left_arm=arms,
                right_arm=arms,
            )
            keys.append(Key([x, y, -0.06], bent, f"{side}, {down}"))
    return Puppet(humanoid(), keys)


def walk() -> Puppet:
    """Four poses of a step, on a ground: the left foot in front, below, behind and passing."""
    return puppet_from(sample("walk"), (24, 30, 36, 42), "left_foot", ground=0.0)


def performed(name: str, fps: float = 24.0) -> Motion:
    """The example `name` as it is in the files here."""
    puppet = komadori.load(HERE / f"{name}.json", kind="puppet")
    if name == "walk":
        return walking(puppet, 1.2, 4.0, fps)
    script = HERE / f"{name}.txt"
    return puppet.perform(parsed(script.read_text(encoding="utf-8"), script.name).take(fps=fps), fps)


def main(args: list[str]) -> None:
    """Write the puppets, or pictures of them."""
    if args == ["--keys"]:
        for name, make in zip(NAMES, (juggling, kick, dance, hips, walk), strict=True):
            komadori.save(make(), HERE / f"{name}.json")
        return
    out = Path(args[0] if args else ".")
    for name in NAMES:
        motion = performed(name)
        motion_gif([motion], out / f"{name}.gif")
        save(strip(motion, np.linspace(0, len(motion) - 1, 12).astype(int).tolist()), out / f"{name}.png")


if __name__ == "__main__":
    main(sys.argv[1:])
