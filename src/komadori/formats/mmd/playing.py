"""A VMD's keys on a model's bones: the Motion that MikuMikuDance would play."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.character import Character
from komadori.errors import FormatError, OptionError
from komadori.formats.mmd import body, bones, standard
from komadori.formats.mmd.binary import UNIT_M, cut, japanese, mirrored, mirrored_turns
from komadori.formats.mmd.model import Model
from komadori.formats.mmd.vmd import FPS, VmdDocument, channel_curves, eased
from komadori.motion import Motion, Origin
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Fact, Note

MOST_VALUES, LEAST_VALUES, VALUES_A_KEY = 2**24, 2**21, 500
"""Frames times bones that a motion may have: an hour of a usual model. A frame number beyond is a broken file's."""


@dataclass(frozen=True, eq=False)
class Performance:
    """Where a motion came from: the file of keys, and the model on which they were played."""

    document: VmdDocument
    model: Model

    @property
    def beside(self) -> dict[Note, int]:
        """What the file moves besides bones, in keys."""
        told = self.document
        return {Note("facial keys"): len(told.morphs), Note("camera, light and shadow keys"): told.stage_keys}


def model_of(character: Character | Model) -> Model:
    """The MikuMikuDance model behind a character."""
    model = character.document if isinstance(character, Character) else character
    if not isinstance(model, Model):
        raise OptionError(
            Note("a VMD motion needs a character from a PMX or PMD file; `komadori.retarget` fits it to others")
        )
    return model


def skeleton_of(character: Character | Model | None, model: Model) -> Skeleton:
    """The character's own skeleton if there is one, else the model's."""
    return character.skeleton if isinstance(character, Character) else body.skeleton(model)


def played(document: VmdDocument, character: Character | Model | None) -> Motion:
    """See `VmdDocument.motion`."""
    notes: list[Note] = []
    if character is None:
        model = standard.model()
        notes.append(
            Fact(
                "No model was given; put the motion on a standard skeleton {metres:.2f} m tall.",
                metres=standard.HEIGHT_M,
            )
        )
    else:
        model = model_of(character)
    frames = len(document)
    allowed = min(MOST_VALUES, max(LEAST_VALUES, VALUES_A_KEY * len(document.bones)))
    if frames * len(model.bones) > allowed:
        most = allowed // len(model.bones)
        raise FormatError(
            document.name,
            expected=Note("keys up to frame {most}", most=most),
            found=Note("a key at frame {frame}", frame=frames - 1),
        )
    turns, shifts, strange = _keyed(document, model, frames)
    if strange:
        names = ", ".join(strange[:5]) + (" ..." if len(strange) > 5 else "")
        notes.append(
            Note(
                "{count:bone of the motion is|bones of the motion are} not in the model: {names}",
                count=len(strange),
                names=names,
            )
        )
    ik_on = switched(document, model, frames)
    posed = bones.solved(model, turns, shifts, ik_on)
    at_work = [bone.name for n, bone in enumerate(model.bones) if bone.ik is not None and ik_on[:, n].any()]
    if at_work and len(document.bones):
        notes.append(Fact("Solved IK: {names}", names=", ".join(at_work[:6]) + (" ..." if len(at_work) > 6 else "")))
    if not len(document.bones) and (len(document.morphs) or document.stage_keys):
        moved = Note("the face") if len(document.morphs) else Note("camera, light or shadow")
        notes.append(Note("The file has no keys of bones, only of {moved}: the body stands still.", moved=moved))
    origin = Origin(Performance(document, model), np.arange(frames)[:, None])
    return to_motion(model, skeleton_of(character, model), posed, origin).noted(*notes)


def to_motion(model: Model, skeleton: Skeleton, posed: bones.Posed, origin: Origin | None = None) -> Motion:
    """A pose of the model's bones as a motion of its skeleton: metres, right-handed, parents first."""
    order = model.order
    turns = quat.continuous(quat.normalized(mirrored_turns(posed.turns[:, order])))
    places = skeleton.offsets + UNIT_M * mirrored(posed.shifts[:, order])
    return Motion(skeleton, FPS, turns, places, origin)


def switched(document: VmdDocument, model: Model, frames: int) -> NDArray[np.bool_]:
    """(F, J) where an IK is at work: from each switch on, until the next; before the first, all are."""
    on = np.ones((frames, len(model.bones)), dtype=bool)
    for key in sorted(document.switches, key=lambda key: key.frame):
        for raw, state in key.iks:
            bone = model.by_key.get(cut(japanese(raw)))
            if bone is not None:
                on[key.frame :, bone] = bool(state)
    return on


def _keyed(document: VmdDocument, model: Model, frames: int) -> tuple[Array, Array, list[str]]:
    """The keys' own rotations (F, J, 4) and offsets (F, J, 3), and the bones that the model does not have."""
    turns, shifts = quat.identity(frames, len(model.bones)), np.zeros((frames, len(model.bones), 3))
    strange = []
    for name, keys in document.bone_tracks.items():
        bone = model.by_key.get(cut(name))
        if bone is None:
            strange.append(name)
        else:
            turns[:, bone], shifts[:, bone] = sampled(keys, frames)
    return turns, shifts, strange


def sampled(keys: NDArray[Any], frames: int) -> tuple[Array, Array]:
    """rotations (F, 4) and offsets (F, 3) that a bone's keys (rising in time) give; held before the first and after the last."""
    at = keys["frame"].astype(np.int64)
    turns = quat.normalized(keys["turn"])
    shifts = keys["shift"].astype(np.float64)
    if len(keys) == 1:
        return np.repeat(turns, frames, axis=0), np.repeat(shifts, frames, axis=0)
    moment = np.arange(frames)
    left = np.clip(np.searchsorted(at, moment, "right") - 1, 0, len(at) - 2)
    share = np.clip((moment - at[left]) / (at[left + 1] - at[left]), 0.0, 1.0)
    curves = channel_curves(keys["curves"])[left + 1]
    moved = shifts[left + 1] - shifts[left]
    result = shifts[left]
    if moved.any():
        for axis in range(3):
            result[:, axis] += moved[:, axis] * eased(share, curves[:, axis])
    if np.array_equal(turns[1:], turns[:-1]):
        return turns[left], result
    return quat.slerp(turns[left], turns[left + 1], eased(share, curves[:, 3])), result
