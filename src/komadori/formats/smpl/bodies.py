"""The joints of SMPL, SMPL-H and SMPL-X: their names, how they hang together, and where they lie on an average body.

Angles need no body model; bone lengths do, and the model's licence does not allow redistribution. What stands here comes from published
tables of body proportions (Drillis and Contini, as shares of the stature) for an adult of 1.70 m, not from the model.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from komadori.quat import Array
from komadori.skeleton import Skeleton

STATURE_M = 1.70
PELVIS = (0.0, -0.22, 0.03)
"""Where the pelvis lies in the model's own space, which the files' translations start from."""

_BODY = (
    ("pelvis", "", (0.0, 0.0, 0.0)),
    ("left_hip", "pelvis", (0.065, -0.09, 0.0)),
    ("right_hip", "pelvis", (-0.065, -0.09, 0.0)),
    ("spine1", "pelvis", (0.0, 0.11, 0.0)),
    ("left_knee", "left_hip", (0.0, -0.417, 0.0)),
    ("right_knee", "right_hip", (0.0, -0.417, 0.0)),
    ("spine2", "spine1", (0.0, 0.13, 0.0)),
    ("left_ankle", "left_knee", (0.0, -0.418, -0.01)),
    ("right_ankle", "right_knee", (0.0, -0.418, -0.01)),
    ("spine3", "spine2", (0.0, 0.055, 0.0)),
    ("left_foot", "left_ankle", (0.02, -0.05, 0.12)),
    ("right_foot", "right_ankle", (-0.02, -0.05, 0.12)),
    ("neck", "spine3", (0.0, 0.21, -0.01)),
    ("left_collar", "spine3", (0.08, 0.115, 0.0)),
    ("right_collar", "spine3", (-0.08, 0.115, 0.0)),
    ("head", "neck", (0.0, 0.09, 0.03)),
    ("left_shoulder", "left_collar", (0.139, -0.01, 0.0)),
    ("right_shoulder", "right_collar", (-0.139, -0.01, 0.0)),
    ("left_elbow", "left_shoulder", (0.316, 0.0, 0.0)),
    ("right_elbow", "right_shoulder", (-0.316, 0.0, 0.0)),
    ("left_wrist", "left_elbow", (0.248, 0.0, 0.0)),
    ("right_wrist", "right_elbow", (-0.248, 0.0, 0.0)),
)
_FINGERS = (
    ("index", (0.095, -0.003, 0.024), 0.034, 0.023),
    ("middle", (0.1, 0.002, 0.002), 0.036, 0.025),
    ("pinky", (0.078, -0.008, -0.038), 0.022, 0.016),
    ("ring", (0.09, -0.002, -0.02), 0.033, 0.023),
    ("thumb", (0.035, -0.012, 0.03), 0.036, 0.028),
)
"""In the order of the model: where a finger's first joint lies from the left wrist, and the lengths to the next two."""
_FACE = (
    ("jaw", "head", (0.0, 0.0, 0.02)),
    ("left_eye", "head", (0.03, 0.07, 0.07)),
    ("right_eye", "head", (-0.03, 0.07, 0.07)),
)
_ENDS = (("left_hand", "left_wrist", (0.085, 0.0, 0.0)), ("right_hand", "right_wrist", (-0.085, 0.0, 0.0)))
_ROLES = {
    "hips": "pelvis", "spine": "spine1", "chest": "spine2", "upper_chest": "spine3", "neck": "neck", "head": "head",
    **{
        f"{side}_{role}": f"{side}_{name}"
        for side in ("left", "right")
        for role, name in (
            ("upper_leg", "hip"), ("lower_leg", "knee"), ("foot", "ankle"), ("toes", "foot"),
            ("shoulder", "collar"), ("upper_arm", "shoulder"), ("lower_arm", "elbow"), ("hand", "wrist"),
        )
    },
}  # fmt: skip


@dataclass(frozen=True)
class Body:
    """One of the family: its name, its joints in the order of the file's angles, and their average offsets (J, 3)."""

    name: str
    names: tuple[str, ...]
    parents: tuple[int, ...]
    offsets: tuple[tuple[float, float, float], ...]

    def skeleton(self, rest: Array | None = None) -> Skeleton:
        """The skeleton; `rest` (J, 3) are the joints' places in the model's space where a model gave them."""
        offsets = np.array(self.offsets)
        parents = np.array(self.parents)
        if rest is not None:
            offsets = rest - np.where(parents[:, None] >= 0, rest[parents], rest[:1])
        found = Skeleton(self.names, parents, offsets)
        return found.with_roles({role: self.names.index(name) for role, name in _ROLES.items()})


def _hand(side: str) -> list[tuple[str, str, tuple[float, float, float]]]:
    out = 1.0 if side == "left" else -1.0
    joints: list[tuple[str, str, tuple[float, float, float]]] = []
    for finger, (x, y, z), first, second in _FINGERS:
        above = f"{side}_wrist"
        way = np.array([0.7, -0.2, 0.68]) if finger == "thumb" else np.array([1.0, -0.05, 0.0])
        way = way / np.linalg.norm(way)
        for number, offset in enumerate(((x, y, z), tuple(first * way), tuple(second * way)), start=1):
            name = f"{side}_{finger}{number}"
            joints.append((name, above, (out * offset[0], float(offset[1]), float(offset[2]))))
            above = name
    return joints


def _made(name: str, joints: tuple[tuple[str, str, tuple[float, float, float]], ...]) -> Body:
    names = tuple(joint for joint, _, _ in joints)
    parents = tuple(names.index(above) if above else -1 for _, above, _ in joints)
    return Body(name, names, parents, tuple(offset for _, _, offset in joints))


_HANDS = (*_hand("left"), *_hand("right"))
BODIES = (
    _made("SMPL", (*_BODY, *_ENDS)),
    _made("SMPL-H", (*_BODY, *_HANDS)),
    _made("SMPL-X", (*_BODY, *_FACE, *_HANDS)),
)
"""The family: 24, 52 and 55 joints."""
BY_ANGLES = {3 * len(body.names): body for body in BODIES}
"""Numbers in a frame of `poses` -> the body that they turn."""
