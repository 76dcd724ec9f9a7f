"""Make the pictures of docs/retarget.md again: `python docs/make_pictures/retarget.py`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

import komadori
from komadori import Skeleton, kinematics, quat
from komadori.characters import character, humanoid, sample
from komadori.render.drawing import save
from komadori.render.figures import strip

PICTURES = Path(__file__).parent.parent / "pictures"
FRAMES = (0, 12, 24, 30, 36, 42, 48, 54, 66, 80)


def child() -> Skeleton:
    """A child that stands in an A-pose: short legs and arms, a large head, and other axes in every joint."""
    body = humanoid()
    offsets = np.array(body.offsets)
    for name, factor in (("lower_leg", 0.55), ("foot", 0.6), ("lower_arm", 0.6), ("hand", 0.6), ("upper_leg", 0.8)):
        for side in ("left", "right"):
            offsets[body.index(f"{side}_{name}")] *= factor
    for name in ("spine", "chest", "upper_chest", "neck"):
        offsets[body.index(name)] *= 0.7
    offsets[body.index("head_end")] *= 1.25
    offsets[0, 1] = 0.55
    rotations = quat.identity(len(body))
    for side, sign in (("left", -1.0), ("right", 1.0)):
        turn = quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.asarray(sign * 0.8))
        rotations[body.index(f"{side}_upper_arm")] = turn
    places = kinematics.world_positions(body, rotations[None], offsets[None])[0]
    child = np.flatnonzero(body.parents >= 0)
    places[child] -= kinematics.world_positions(body, rotations[None], offsets[None])[0][body.parents[child]]
    return replace(body, names=("child", *body.names[1:]), offsets=places)


def main() -> None:
    """The built-in kick as it is, on the girl, and on the child; and the child as it stands."""
    kick, small = sample("kick"), child()
    save(strip(kick, FRAMES, height=200.0), PICTURES / "retarget-kick.png")
    save(strip(komadori.retarget(kick, character("girl")).motion, FRAMES, height=200.0), PICTURES / "retarget-girl.png")
    save(strip(komadori.retarget(kick, small).motion, FRAMES, height=150.0), PICTURES / "retarget-child.png")


if __name__ == "__main__":
    main()
