"""SMPL parameters, written: numbers that were read from such a file and did not change are the same to the last bit."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.errors import OptionError
from komadori.formats.smpl.bodies import BODIES, PELVIS, Body
from komadori.formats.smpl.layouts import RATES, fits, parts_of
from komadori.formats.smpl.reading import Z_UP, Document
from komadori.formats.unheld import other_joints
from komadori.motion import Motion
from komadori.quat import Array
from komadori.words import Note

BETAS = 16
SHAPES = ("betas", "v_template", "shapedirs", "J_regressor")
"""Arrays that have no row per frame, however many rows they have."""
STILL_M = 1e-6


def emit(motion: Motion) -> bytes:
    """`motion` as AMASS stores it. Its joints must be SMPL's: put another body's motion onto such a file's skeleton first."""
    body, place = _body(motion)
    document = motion.origin.document if motion.origin is not None else None
    document = document if isinstance(document, Document) and document.body is body else None
    arrays: dict[str, NDArray[Any]] = {} if document is None else _kept(document, motion)
    upright = Z_UP if document is None else document.upright
    turns, places = motion.rotations[:, place], motion.positions[:, place[0]]
    root, way = turns[:, 0], places
    root, way = quat.multiply(quat.inverse(upright), root), quat.rotate(quat.inverse(upright), places)
    poses = quat.log(np.concatenate([root[:, None], turns[:, 1:]], axis=1)).reshape(len(motion), -1)
    trans = way - (np.array(PELVIS) if document is None else document.pelvis)
    if document is not None:
        poses, trans = _as_read(document, motion, turns, places, poses, trans)
    rate = next((key for key in RATES if key in arrays), RATES[0])
    # A file that also keeps the parts of the body separately must not hold two different motions.
    arrays |= {"poses": poses, "trans": trans, **parts_of(poses, body, arrays), rate: np.array(motion.fps)}
    arrays.setdefault("gender", np.array("neutral"))
    arrays.setdefault("betas", np.zeros(BETAS))
    packed = io.BytesIO()
    # As np.savez_compressed does, but for arrays of any name (it takes names as arguments), and plain numbers and text alone.
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        for name, array in arrays.items():
            with file.open(f"{name}.npy", "w", force_zip64=True) as entry:
                np.lib.format.write_array(entry, np.asanyarray(array), allow_pickle=False)
    return packed.getvalue()


def _body(motion: Motion) -> tuple[Body, list[int]]:
    """The body whose joints the motion has, and where each of them stands in it; the largest that fits."""
    names = {name: joint for joint, name in enumerate(motion.skeleton.names)}
    for body in sorted(BODIES, key=lambda one: -len(one.names)):
        if all(name in names for name in body.names):
            return body, [names[name] for name in body.names]
    raise OptionError(
        Note(
            "AMASS files hold the joints of SMPL, SMPL-H or SMPL-X, and the motion has others; put it onto one first: komadori retarget IN"
            " --to A.npz -o OUT.npz"
        )
    )


def _kept(document: Document, motion: Motion) -> dict[str, NDArray[Any]]:
    """All that stood beside the angles; what has a row per frame follows the frames that are left."""
    assert motion.origin is not None
    rows = motion.origin.rows
    straight = rows.shape[1] == 1 or bool((rows == rows[:, :1]).all())
    kept: dict[str, NDArray[Any]] = {}
    for key, values in document.arrays.items():
        if _has_a_row_a_frame(key, values, len(document.rotations)):
            if straight and (rows >= 0).all():
                kept[key] = values[rows[:, 0]]
            elif fits(key, values, document.body):
                kept[key] = values
        elif key not in ("poses", "trans"):
            kept[key] = values
    return kept


def _has_a_row_a_frame(key: str, values: NDArray[Any], frames: int) -> bool:
    return key not in (*SHAPES, "poses", "trans") and values.ndim > 1 and len(values) == frames


def _as_read(
    document: Document, motion: Motion, turns: Array, places: Array, poses: Array, trans: Array
) -> tuple[NDArray[Any], NDArray[Any]]:
    """The numbers of the file wherever a joint still stands as it was read."""
    assert motion.origin is not None
    rows = np.broadcast_to(motion.origin.rows, (len(motion), len(motion.skeleton)))[:, : turns.shape[1]]
    at = np.maximum(rows, 0)
    joints = np.arange(turns.shape[1])
    was = document.rotations[at, joints]
    same = (rows >= 0) & ((turns == was).all(axis=-1) | (turns == -was).all(axis=-1))
    stood = (rows[:, 0] >= 0) & (places == document.positions[at[:, 0]]).all(axis=-1)
    raw = document.arrays["poses"].reshape(len(document.rotations), -1, 3)
    found = np.where(same[..., None], raw[at, joints], poses.reshape(*same.shape, 3))
    moved = np.where(stood[:, None], document.arrays["trans"][at[:, 0]], trans)
    # A file of single precision stays one if nothing was computed.
    if same.all() and stood.all():
        found, moved = found.astype(raw.dtype), moved.astype(document.arrays["trans"].dtype)
    return found.reshape(len(motion), -1), moved


def left_out(motion: Motion) -> tuple[Note, ...]:
    """What an AMASS file does not carry of a motion."""
    body, place = _body(motion)
    notes = []
    count, names = other_joints(motion, place)
    if count:
        notes.append(
            Note("{body} has no place for {count} joints that move: {names}", body=body.name, count=count, names=names)
        )
    document = motion.origin.document if motion.origin is not None else None
    if not isinstance(document, Document):
        notes.append(
            Note("AMASS files hold angles, not bone lengths: a reader uses its own body model in a neutral shape.")
        )  # fmt: skip
    elif lost := [key for key in document.arrays if key not in {"poses", "trans", *_kept(document, motion)}]:
        notes.append(Note("Not written, because the frames were recomputed: {names}", names=", ".join(lost)))
    shift = np.abs(motion.positions[:, place[1:]] - motion.skeleton.offsets[place[1:]]).max(initial=0.0)
    if shift > STILL_M:
        notes.append(
            Note(
                "AMASS files have no room for joints that move in their sockets (here by up to {mm:.1f} mm)",
                mm=1e3 * shift,
            )
        )
    return tuple(notes)
