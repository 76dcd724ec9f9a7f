"""SMPL parameters as AMASS stores them (.npz): angles of every joint, the travel of the body, and all that is kept beside them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.errors import FormatError, quoted
from komadori.files import read_bytes
from komadori.formats.format import refuse
from komadori.formats.smpl import layouts
from komadori.formats.smpl.arrays import Arrays
from komadori.formats.smpl.bodies import PELVIS, STATURE_M, Body
from komadori.formats.smpl.markers import fitted, middles
from komadori.motion import Motion, Origin
from komadori.quat import Array
from komadori.words import Fact, Note

GENDERS = ("male", "female", "neutral")
MOST_ANGLE, MOST_M = 1e4, 1e6
MOST_MODEL = 3 << 30
Z_UP = quat.from_axis_angle([1.0, 0.0, 0.0], -np.pi / 2)
"""From the files' axes, in which z points up, to ours."""
Y_DOWN = quat.from_axis_angle([1.0, 0.0, 0.0], np.pi)
"""From a camera's axes, in which y points down, to ours."""
UPRIGHT, LYING = 0.8, 0.35


@dataclass(frozen=True, eq=False)
class Document:
    """The file as it was: its arrays, the body that they turn, where its pelvis lies, and which way is up."""

    body: Body
    pelvis: Array
    """(3,) the pelvis in the model's space."""
    upright: Array
    """(4,) the turn from the file's axes to ours."""
    arrays: dict[str, NDArray[Any]]
    rotations: Array
    """(F, J, 4) what the angles were read as."""
    positions: Array
    """(F, 3) of the pelvis, likewise."""


def read(path: Path, unit: str | None, clip: str | None) -> Motion:
    """The motion of an AMASS file; the model beside it, if there is one, gives the bone lengths."""
    refuse(path, unit=unit, clip=clip)
    return parse(read_bytes(path), str(path), model=_beside(path))


def parse(data: bytes, name: str, *, model: str | Path | None = None) -> Motion:
    """The motion in an .npz file of SMPL, SMPL-H or SMPL-X parameters; `model` is the user's own body model (.npz)."""
    arrays = Arrays(data, name)
    given = layouts.read(arrays)
    body, frames = given.body, len(given.poses)
    poses, trans = given.poses.astype(np.float64), given.trans.astype(np.float64)
    for values, most, key in ((poses, MOST_ANGLE, "poses"), (trans, MOST_M, "trans")):
        if np.abs(values).max(initial=0.0) > most:
            expected = Note("numbers up to {most:g}", most=most)
            raise FormatError(name, quoted(key), expected=expected, found=f"{np.abs(values).max():g}")
    turns = quat.exp(poses.reshape(frames, -1, 3))
    rest, told = _rest(arrays, body, turns, trans, model)
    notes = [told, *given.notes]
    skeleton = body.skeleton(rest)
    pelvis = np.array(PELVIS) if rest is None else rest[0]
    places = trans + pelvis
    upright, axes = _upright(turns)
    turns[:, 0] = quat.multiply(upright, turns[:, 0])
    places = quat.rotate(upright, places)
    notes += axes
    turns = quat.continuous(turns)
    positions = np.tile(skeleton.offsets, (frames, 1, 1))
    positions[:, 0] = places
    plain = {key: arrays.get(key) for key in arrays if _plain(arrays, key)}
    kept = {key: values for key, values in plain.items() if key not in layouts.OTHER_NAMES}
    lost = [key for key in arrays if key not in plain]
    if lost:
        notes.append(Fact("Not read, because they hold neither numbers nor text: {names}", names=", ".join(lost[:8])))
    if "dmpls" in kept:
        notes.append(Fact("Soft-tissue parameters (dmpls) are kept for writing but move nothing here."))
    kept |= {"poses": given.poses, "trans": given.trans}
    document = Document(body, pelvis, upright, kept, turns, places)
    origin = Origin(document, np.arange(frames, dtype=np.int64)[:, None])
    return Motion(skeleton, given.fps, turns, positions, origin, tuple(notes))


def _rest(
    arrays: Arrays, body: Body, turns: Array, trans: Array, model: str | Path | None
) -> tuple[Array | None, Note]:
    """The joints at rest, from the user's model, else from the file's own markers, else None; and what is said of it."""
    if model is not None:
        betas = _betas(arrays)
        return rest_joints(model, body, betas), Fact(
            "Bone lengths come from the body model {file}.", file=Path(model).name
        )
    file = _model_name(body, _gender(arrays))
    seen = _markers(arrays, len(turns))
    rest = fitted(body, turns, trans, seen) if seen else None
    if rest is not None:
        return rest, Note(
            "Bone lengths were fitted to the markers in the file. For exact ones, put your {body} model beside it as {file}.",
            body=body.name,
            file=file,
        )
    return None, Note(
        "The file holds only angles, so bone lengths are those of an average adult {metres:.2f} m tall. For exact ones, put your {body} model beside it as {file}.",
        metres=STATURE_M,
        body=body.name,
        file=file,
    )


def _markers(arrays: Arrays, frames: int) -> dict[str, Array]:
    """The middles of joints' markers where the file keeps them in a shape that is known; otherwise nothing."""
    if "marker_data" not in arrays or "marker_labels" not in arrays:
        return {}
    if not _plain(arrays, "marker_data") or not _plain(arrays, "marker_labels"):
        return {}
    places, labels = arrays.get("marker_data"), arrays.get("marker_labels")
    if places.dtype.kind != "f" or labels.dtype.kind not in "SU" or places.shape != (frames, labels.size, 3):
        return {}
    with np.errstate(over="ignore", invalid="ignore"):
        places = np.where(np.abs(places) < MOST_M, places.astype(np.float64), np.nan)
    names = [one.decode("utf-8", "replace") if isinstance(one, bytes) else str(one) for one in labels.reshape(-1)]
    return middles(names, places)


def _plain(arrays: Arrays, key: str) -> bool:
    try:
        arrays.get(key)
    except FormatError:
        return False
    return True


def _gender(arrays: Arrays) -> str:
    """What the file says of the body's gender. It only decides which model is looked for, so a wrong value does no harm."""
    try:
        return arrays.word("gender")
    except FormatError:
        return ""


def _betas(arrays: Arrays) -> Array:
    """(n,) the shape of the body; the first if there is one per frame."""
    if "betas" not in arrays:
        return np.zeros(0)
    shape = arrays.get("betas").shape
    return arrays.numbers("betas", None, None)[0] if len(shape) == 2 and shape[0] else arrays.numbers("betas", None)


def _upright(turns: Array) -> tuple[Array, list[Note]]:
    """The rotation (4,) from the file's axes to ours, determined by where the body's own up lies all the time, and notes."""
    up = quat.rotate(turns[:, 0], np.array([0.0, 1.0, 0.0])).mean(axis=0)
    if abs(up[1]) > UPRIGHT and abs(up[2]) < LYING:
        if up[1] > 0.0:
            return quat.identity(), [
                Fact("The body stands along the y axis, so it was read as Y up (AMASS uses Z up).")
            ]
        return Y_DOWN, [Fact("The body stands against the y axis, as in camera coordinates, so it was read as Y down.")]
    return Z_UP, []


def _model_name(body: Body, gender: str) -> str:
    told = gender.lower() if gender.lower() in GENDERS else "neutral"
    return f"{body.name.replace('-', '')}_{told.upper()}.npz"


def _beside(path: Path) -> Path | None:
    """The body model in the folder of `path`: SMPLH_MALE.npz and the like, whatever its letters' case."""
    arrays = Arrays(read_bytes(path), str(path))
    wanted = _model_name(layouts.read(arrays).body, _gender(arrays)).lower()
    beside = (one for one in sorted(path.parent.iterdir()) if one.name.lower() == wanted and one != path)
    # A pipe of that name would block forever.
    return next((one for one in beside if one.is_file()), None)


def rest_joints(model: str | Path, body: Body, betas: Array) -> Array:
    """(J, 3) the joints of the user's body model at rest, for the shape `betas`."""
    name = str(model)
    arrays = Arrays(read_bytes(model), name, MOST_MODEL)
    template = arrays.numbers("v_template", None, 3)
    regressor = arrays.numbers("J_regressor", len(body.names), len(template))
    shape = template
    if "shapedirs" in arrays and len(betas):
        basis = arrays.numbers("shapedirs", len(template), 3, None)
        used = min(len(betas), basis.shape[2])
        shape = template + basis[:, :, :used] @ betas[:used]
    return np.asarray(regressor @ shape)
