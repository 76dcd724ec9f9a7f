"""A Motion as a VMD: on MikuMikuDance's bones as they are, from any other body through its roles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from komadori import kinematics, quat, rates, roles
from komadori.character import Character
from komadori.errors import OptionError
from komadori.formats.faces import MORPHS, Face
from komadori.formats.mmd import bones, curves, fitting, standard
from komadori.formats.mmd.binary import UNIT_M, cut, mirrored, mirrored_turns, padded
from komadori.formats.mmd.model import Bone, Model
from komadori.formats.mmd.playing import Performance, model_of
from komadori.formats.mmd.vmd import (
    BONE,
    FPS,
    IK_NAME_BYTES,
    MAGIC,
    MORPH,
    NAME_BYTES,
    Switches,
    VmdDocument,
    packed_curves,
)
from komadori.formats.unheld import other_joints, shifts
from komadori.motion import COMPUTED, Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Fact, Note

MOST_FRAMES = 1_000_000
RESAMPLED = "MikuMikuDance plays at 30 fps; resampled the motion from {fps:g} fps."
_LEAST = 1e-6
"""Units or parts of a quaternion under which a bone counts as at rest."""


def document_of(motion: Motion, character: Character | Model | None = None, name: str = "komadori") -> VmdDocument:
    """`motion` as a VMD document: keys where a pose changes, holds as pairs of equal keys, the legs' IK switched off.

    On a skeleton with MikuMikuDance's bone names the numbers are taken as they are (`character` tells of append and IK
    where the motion itself does not); any other body goes through its roles to the standard bones. What a VMD file
    said of the face is kept. A motion that is just as it was read gives its own file again.
    """
    performance = _performance(motion)
    if performance is not None and _unchanged(motion, performance.document):
        return performance.document
    if not len(motion):
        raise OptionError(Note("a motion without frames cannot be a VMD file"))
    clip, notes = _at_30(motion)
    if len(clip) > MOST_FRAMES:
        raise OptionError(
            Note(
                "a VMD file of {count} frames is more than MikuMikuDance opens ({most})",
                count=len(clip),
                most=MOST_FRAMES,
            )
        )
    model = model_for(motion, character)
    posed = posed_on(clip, model)
    if model is standard.model():
        notes.append(Fact("Matched the joints to MikuMikuDance's standard bones by role."))
    turns, shifts = bones.own(model, posed)
    iks = body_iks(model, motion.skeleton)
    keys = _keys(model, turns, shifts, iks)
    morphs = _morphs(clip, _face_of(motion) if performance is None else performance.document.morph_tracks)
    states = {bone.name: int(n not in iks) for n, bone in enumerate(model.bones) if bone.ik is not None}
    # By name as well: the model on which this is played may have what the skeleton at hand does not show.
    states |= dict.fromkeys((*standard.LEG_IKS, *filter(standard.is_leg_ik, motion.skeleton.names)), 0)
    switches = Switches(0, 1, tuple((padded(name, IK_NAME_BYTES), state) for name, state in states.items()))
    header = MAGIC.ljust(30, b"\0") + padded(performance.document.model_name if performance else name, 20)
    return VmdDocument(name, header, keys, morphs, switches=(switches,), notes=tuple(notes))


def emit(motion: Motion) -> bytes:
    """`motion` as the bytes of a VMD file."""
    if not (np.isfinite(motion.rotations).all() and np.isfinite(motion.positions).all()):
        raise OptionError(Note("a motion with numbers that are not finite cannot be written"))
    return document_of(motion).emit()


def left_out(motion: Motion) -> tuple[Note, ...]:
    """What a VMD of `motion` changes or does not hold: joints that no standard bone plays, and other frame rates."""
    performance = _performance(motion)
    if performance is not None and _unchanged(motion, performance.document):
        return ()
    notes: list[Note] = []
    if motion.fps != FPS:
        notes.append(Note(RESAMPLED, fps=motion.fps))
    if performance is not None and performance.document.stage_keys:
        text = "Keys of camera, light and shadow belong to the file as it was and are not written: {count}"
        notes.append(Note(text, count=performance.document.stage_keys))
    return (*notes, *left_out_of_bones(motion))


def left_out_of_bones(motion: Motion) -> tuple[Note, ...]:
    """The joints that move and that no standard bone plays; none where the joints are MikuMikuDance's own."""
    if model_for(motion) is not standard.model():
        return ()
    known = roles.known(motion.skeleton)
    count, names = other_joints(motion, list(known.values()))
    notes: list[Note] = []
    if count:
        text = "MikuMikuDance's standard bones cannot hold the motion of {count:joint|joints}: {names}"
        notes.append(Note(text, count=count, names=names))
    inner = [joint for role, joint in known.items() if role != "hips"]
    return (*notes, *shifts(motion, inner, "MikuMikuDance"))


def posed_on(motion: Motion, model: Model) -> bones.Posed:
    """The poses of `motion` in the model's units, axes and numbering; fitted where the model is not the motion's own.

    MikuMikuDance's bones have no turn of their own at rest: a turn is told about the world's axes as they stand there.
    """
    skeleton = motion.skeleton
    if not _bones_are(model, skeleton):
        return fitting.fitted(motion, model)
    above, _ = kinematics.world_transforms(skeleton, skeleton.rest[None], skeleton.offsets[None])
    parent = np.where((skeleton.parents >= 0)[:, None], above[0, skeleton.parents], quat.IDENTITY)
    turned = quat.multiply(motion.rotations, quat.inverse(skeleton.rest))
    if (skeleton.rest != quat.IDENTITY).any():
        turned = quat.multiply(quat.multiply(parent, turned), quat.inverse(parent))
    shifted = quat.rotate(parent, motion.positions - skeleton.offsets)
    joints = model.joint_of
    return bones.Posed(mirrored_turns(turned[:, joints]), mirrored(shifted[:, joints]) / UNIT_M)


def body_iks(model: Model, skeleton: Skeleton) -> set[int]:
    """The IK bones that would turn a joint with a role: those of the legs. Others (of clothes) may stay at work."""
    played = {skeleton.names[joint] for joint in roles.known(skeleton).values()} | set(standard.ROLE_BONES.values())
    return {
        n
        for n, bone in enumerate(model.bones)
        if bone.ik is not None and any(model.bones[link.bone].name in played for link in bone.ik.links)
    }


def _unchanged(motion: Motion, document: VmdDocument) -> bool:
    assert motion.origin is not None
    rows = motion.origin.rows
    return motion.fps == FPS and len(motion) == len(document) and bool((rows == np.arange(len(rows))[:, None]).all())


def model_for(motion: Motion, character: Character | Model | None = None) -> Model:
    """The model whose bones are the motion's joints; one made of names alone if there is none; or the standard one."""
    performance = _performance(motion)
    for one in (character, performance.model if performance else None):
        if one is not None and _bones_are(model_of(one), motion.skeleton):
            return model_of(one)
    skeleton = motion.skeleton
    return _model_by_names(skeleton) if standard.is_standard(skeleton.names) else standard.model()


def _performance(motion: Motion) -> Performance | None:
    source = motion.origin.document if motion.origin is not None else None
    return source if isinstance(source, Performance) else None


def _bones_are(model: Model, skeleton: Skeleton) -> bool:
    return len(model.bones) == len(skeleton) and all(
        skeleton.names[model.joint_of[n]].startswith(bone.name) for n, bone in enumerate(model.bones)
    )


def _model_by_names(skeleton: Skeleton) -> Model:
    _, places = kinematics.world_transforms(skeleton, skeleton.rest[None], skeleton.offsets[None])
    numbers = {name: n for n, name in enumerate(skeleton.names)}
    made: list[Bone] = []
    for n, (name, place) in enumerate(zip(skeleton.names, mirrored(places[0]) / UNIT_M, strict=True)):
        one = standard.bone(name, tuple(place.tolist()), int(skeleton.parents[n]), numbers)
        made.append(standard.with_leg_ik(one, numbers))
    return standard.skinless("", made)


def _at_30(motion: Motion) -> tuple[Motion, list[Note]]:
    """The motion at MikuMikuDance's rate. A drawing that is held stays held: nothing is laid between it and the next."""
    if motion.fps == FPS:
        return motion, []
    clip = motion.resampled(FPS)
    ratio = rates.exact(motion.fps) / rates.exact(FPS)
    left = np.array([k * ratio.numerator // ratio.denominator for k in range(len(clip))], dtype=np.intp)
    same = (motion.rotations[1:] == motion.rotations[:-1]).all(axis=(1, 2))
    same &= (motion.positions[1:] == motion.positions[:-1]).all(axis=(1, 2))
    held = np.zeros(len(motion), dtype=bool)
    held[1:] |= same
    held[:-1] |= same
    jump = held[left] | held[np.minimum(left + 1, len(motion) - 1)]
    steps = motion.taken(left)
    rotations = np.where(jump[:, None, None], steps.rotations, clip.rotations)
    positions = np.where(jump[:, None, None], steps.positions, clip.positions)
    note = Note(RESAMPLED, fps=motion.fps)
    origin = clip.origin
    if origin is not None and steps.origin is not None:
        origin = replace(origin, rows=np.where(jump[:, None], steps.origin.rows, origin.rows))
    return replace(clip, rotations=quat.continuous(rotations), positions=positions, origin=origin), [note]


def _keys(model: Model, turns: Array, shifts: Array, iks: set[int]) -> NDArray[np.void]:
    """Keys of every bone that is moved or usual: both ends of every hold, and where a curve has to end to stay close."""
    moved = shifts.astype(np.float32)
    turned = quat.normalized(turns).astype(np.float32)
    moves = np.abs(shifts).max(axis=(0, 2)) > _LEAST
    turns_at_all = np.abs(turns[..., :3]).max(axis=(0, 2)) > _LEAST
    usual = {standard.CENTRE, *standard.ROLE_BONES.values()}
    names = [cut(bone.name, NAME_BYTES) for bone in model.bones]
    # Links of an IK that stays at work are turned by it, and two names that are cut alike would fight.
    others = {link.bone for n, bone in enumerate(model.bones) if bone.ik and n not in iks for link in bone.ik.links}
    chosen = np.array(
        [
            n
            for n, bone in enumerate(model.bones)
            if (moves[n] or turns_at_all[n] or bone.name in usual) and n not in others and model.by_key[names[n]] == n
        ],
        dtype=np.intp,
    )
    moved, turned = moved[:, chosen], turned[:, chosen]
    bent = {
        n: curves.pieces(quat.continuous(turned[:, n].astype(np.float64)), moved[:, n].astype(np.float64))
        for n in range(len(chosen))
    }
    mask = np.zeros(moved.shape[:2], dtype=bool)
    shapes = np.tile(np.array(curves.STRAIGHT, dtype=np.uint8), (*moved.shape[:2], 4, 1))
    for n, (at, points) in bent.items():
        mask[at, n] = True
        shapes[at, n] = points
    # The clip is as long as its last key.
    mask[-1, 0] = True
    frame, column = np.nonzero(mask)
    keys = np.zeros(len(frame), BONE)
    table = np.array([list(name.ljust(NAME_BYTES, b"\0")) for name in names], dtype=np.uint8)
    keys["name"] = table[chosen[column]]
    keys["frame"] = frame
    keys["shift"], keys["turn"] = moved[frame, column], turned[frame, column]
    keys["curves"] = packed_curves(shapes[frame, column])
    return keys


def _face_of(motion: Motion) -> dict[str, NDArray[np.void]]:
    """The face that came with a motion, as tracks of the morphs that models usually have: a key in every frame."""
    source = motion.origin.document if motion.origin is not None else None
    tracks: dict[str, NDArray[np.void]] = {}
    for label, weights in source.weights.items() if isinstance(source, Face) else ():
        keys = np.zeros(len(weights), MORPH)
        keys["name"], keys["frame"], keys["weight"] = np.frombuffer(padded(MORPHS.get(label, label), NAME_BYTES), np.uint8), np.arange(len(weights)), weights  # fmt: skip
        tracks[label] = keys
    return tracks


def _morphs(clip: Motion, tracks: Mapping[str, NDArray[np.void]]) -> NDArray[np.void]:
    """The face's keys, in the time of the clip: each frame shows the face of the frame that it was taken from."""
    if not tracks:
        return np.zeros(0, MORPH)
    assert clip.origin is not None
    rows = clip.origin.rows
    head = clip.skeleton.role("head")
    column = rows[:, head if head is not None and rows.shape[1] > 1 else 0]
    known = np.flatnonzero(column != COMPUTED)
    if not len(known):
        return np.zeros(0, MORPH)
    when = np.interp(np.arange(len(column)), known, column[known])
    parts = []
    for keys in tracks.values():
        weights = np.interp(when, keys["frame"], keys["weight"]).astype(np.float32)
        slopes = np.diff(weights)
        needed = np.ones(len(weights), dtype=bool)
        # Between keys a morph moves evenly: a frame on the line of its neighbours needs none.
        needed[1:-1] = np.abs(slopes[1:] - slopes[:-1]) > 1e-6
        if not slopes.any():
            needed[1:] = False
        at = np.flatnonzero(needed)
        part = np.zeros(len(at), MORPH)
        part["name"], part["frame"], part["weight"] = keys["name"][0], at, weights[at]
        parts.append(part)
    joined = np.concatenate(parts)
    return np.asarray(joined[np.argsort(joined["frame"], kind="stable")])
