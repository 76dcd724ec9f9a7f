"""The ways in which programs of research store SMPL parameters: one array of all angles, or a part of the body in each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.errors import FormatError, quoted
from komadori.formats.smpl.arrays import Arrays
from komadori.formats.smpl.bodies import BODIES, BY_ANGLES, Body
from komadori.json_text import frame_rate
from komadori.quat import Array
from komadori.words import Note

POSES = ("poses", "smpl_poses", "pose", "fullpose", "full_pose")
ROOT, TRUNK = ("root_orient", "global_orient"), ("pose_body", "body_pose")
HANDS, LEFT, RIGHT = ("pose_hand",), ("left_hand_pose",), ("right_hand_pose",)
JAW, EYES, LEFT_EYE, RIGHT_EYE = ("pose_jaw", "jaw_pose"), ("pose_eye",), ("leye_pose",), ("reye_pose",)
PLACES = ("trans", "transl", "smpl_trans")
RATES = ("mocap_framerate", "mocap_frame_rate", "fps", "framerate", "frame_rate")
SCALE = "smpl_scaling"
"""AIST++ has its places in the unit of its cameras, and says how many of them make a metre of the body."""
OTHER_NAMES = (*POSES[1:], *PLACES[1:], SCALE)
"""What other programs call the angles and places that are written under the usual names."""
FPS = 30.0
"""Understood if a file states no rate: what video is estimated from."""
_BODY_ANGLES = 66
"""The root and the trunk of SMPL-H and SMPL-X, without hands."""
_SLOTS: dict[tuple[str, ...], dict[str, slice]] = {
    ROOT: {"SMPL": slice(0, 3), "SMPL-H": slice(0, 3), "SMPL-X": slice(0, 3)},
    TRUNK: {"SMPL": slice(3, 72), "SMPL-H": slice(3, 66), "SMPL-X": slice(3, 66)},
    HANDS: {"SMPL-H": slice(66, 156), "SMPL-X": slice(75, 165)},
    LEFT: {"SMPL-H": slice(66, 111), "SMPL-X": slice(75, 120)},
    RIGHT: {"SMPL-H": slice(111, 156), "SMPL-X": slice(120, 165)},
    JAW: {"SMPL-X": slice(66, 69)},
    EYES: {"SMPL-X": slice(69, 75)},
    LEFT_EYE: {"SMPL-X": slice(69, 72)},
    RIGHT_EYE: {"SMPL-X": slice(72, 75)},
}
"""Where the angles of each part stand among all angles of a frame, by body."""


@dataclass(frozen=True, eq=False)
class Parameters:
    """What moves: all angles of a frame in a row (F, 3 J), positions (F, 3) in metres, and the rate."""

    body: Body
    poses: NDArray[Any]
    trans: NDArray[Any]
    fps: float
    notes: tuple[Note, ...]


def slots(body: Body) -> dict[str, slice]:
    """Where each array of a part stands among all angles of a frame, by the array's name."""
    return {key: place[body.name] for keys, place in _SLOTS.items() if body.name in place for key in keys}


def read(arrays: Arrays) -> Parameters:
    """The parameters in `arrays`, however they are called and divided."""
    notes: list[Note] = []
    key = next((key for key in POSES if key in arrays), None)
    poses = _together(arrays, notes) if key is None else _angles(arrays, key)
    if key is not None and poses.shape[1] == _BODY_ANGLES:
        poses = _padded(poses, BODIES[1])
    body = BY_ANGLES.get(poses.shape[1])
    if body is None:
        expected = Note("{counts} angles per frame", counts=", ".join(map(str, BY_ANGLES)))
        raise FormatError(arrays.name, quoted(key or TRUNK[0]), expected=expected, found=f"{poses.shape[1]}")
    if not len(poses):
        raise FormatError(arrays.name, quoted(key or ROOT[0]), expected=Note("at least one frame"), found=Note("none"))
    return Parameters(body, poses, _places(arrays, len(poses), notes), _rate(arrays, notes), tuple(notes))


def _angles(arrays: Arrays, key: str, frames: int | None = None) -> NDArray[Any]:
    """(F, n) the angles called `key`, which may stand joint by joint or be matrices."""
    shape = arrays.get(key).shape
    if len(shape) == 4 and shape[2:] == (3, 3):
        turns = quat.from_matrix(arrays.numbers(key, frames, None, 3, 3))
        return np.asarray(quat.log(quat.continuous(turns))).reshape(shape[0], -1)
    if len(shape) == 3 and shape[2] == 3:
        arrays.numbers(key, frames, None, 3)
        return arrays.get(key).reshape(shape[0], 3 * shape[1])
    arrays.numbers(key, frames, None)
    return arrays.get(key)


def _together(arrays: Arrays, notes: list[Note]) -> NDArray[Any]:
    """(F, n) all angles of a frame, from arrays of the parts of the body."""
    root_key = next((key for key in ROOT if key in arrays), None)
    trunk_key = next((key for key in TRUNK if key in arrays), None)
    if root_key is None or trunk_key is None:
        # The error names the usual array, and those that are there.
        arrays.get(POSES[0])
        raise AssertionError
    trunk = _angles(arrays, trunk_key)
    frames = len(trunk)
    parts = {root_key: _angles(arrays, root_key, frames), trunk_key: trunk}
    for keys in _SLOTS:
        for key in keys:
            if key in arrays and key not in parts and keys not in (ROOT, TRUNK):
                parts[key] = _angles(arrays, key, frames)
    faces = {*JAW, *EYES, *LEFT_EYE, *RIGHT_EYE}
    body = BODIES[0] if trunk.shape[1] == 69 else BODIES[2] if faces & set(parts) else BODIES[1]
    poses = np.zeros((frames, 3 * len(body.names)), dtype=np.result_type(*parts.values()))
    places, untold = slots(body), []
    for key, values in parts.items():
        place = places.get(key, slice(0, 0))
        width = place.stop - place.start
        if values.shape[1] == width:
            poses[:, place] = values
        elif key in (root_key, trunk_key):
            expected = Note("{counts} angles per frame", counts=width)
            raise FormatError(arrays.name, quoted(key), expected=expected, found=f"{values.shape[1]}")
        else:
            untold.append(key)
    if untold:
        template = "Components of the body model stand in place of angles in {names}: these parts stay at rest. Save them as angles to read them."
        notes.append(Note(template, names=", ".join(untold)))
    return poses


def _padded(poses: NDArray[Any], body: Body) -> NDArray[Any]:
    """(F, 3 J) of `body`: the angles that are there, and joints at rest behind them."""
    return np.pad(poses, ((0, 0), (0, 3 * len(body.names) - poses.shape[1])))


def _places(arrays: Arrays, frames: int, notes: list[Note]) -> NDArray[Any]:
    """(F, 3) places in metres."""
    key = next((key for key in PLACES if key in arrays), None)
    if key is None:
        notes.append(Note("No translation in the file: the body stays in its place."))
        return np.zeros((frames, 3))
    places = arrays.numbers(key, frames, 3)
    if SCALE in arrays:
        scale = float(arrays.numbers(SCALE, 1)[0]) if arrays.get(SCALE).ndim else float(arrays.numbers(SCALE))
        return places / scale if scale > 0.0 else places
    return arrays.get(key)


def _rate(arrays: Arrays, notes: list[Note]) -> float:
    for key in RATES:
        if key in arrays:
            value = arrays.get(key)
            if value.size != 1 or value.dtype.kind not in "fiu":
                raise FormatError(arrays.name, quoted(key), expected=Note("a number"), found=quoted(str(value.dtype)))
            return frame_rate(float(value.reshape(-1)[0]), arrays.name, quoted(key))
    notes.append(Note("No frame rate in the file; assumed {fps:g} fps.", fps=FPS))
    return FPS


def fits(key: str, values: NDArray[Any], body: Body) -> bool:
    """Whether the array called `key` holds the angles of a part of `body`, frame by frame."""
    place = slots(body).get(key)
    return place is not None and values.ndim >= 2 and int(np.prod(values.shape[1:])) == place.stop - place.start


def parts_of(poses: Array, body: Body, kept: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays of parts among `kept`, with the angles of `poses` (F, 3 J) in them."""
    return {
        key: poses[:, slots(body)[key]].reshape(len(poses), *values.shape[1:]).astype(values.dtype)
        for key, values in kept.items()
        if fits(key, values, body)
    }
