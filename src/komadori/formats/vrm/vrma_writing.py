"""Writing VRMA: the motion of any humanoid in a T-pose as VRM's normalised bones, with the faces that came with it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori.errors import OptionError
from komadori.formats.faces import Face
from komadori.formats.gltf.builder import Builder
from komadori.formats.gltf.surfaces import OURS
from komadori.formats.keys import held
from komadori.formats.unheld import other_joints, shifts
from komadori.formats.vrm.expressions import PRESETS
from komadori.formats.vrm.humanoid import REQUIRED, ROLES, bone_name
from komadori.formats.vrm.normalised import as_a_t, normalised
from komadori.formats.vrm.tracks import Tracks
from komadori.formats.vrm.vrma import EXTENSION, Vrma
from komadori.motion import Motion
from komadori.words import Note


def emit_motion(motion: Motion) -> bytes:
    """The bytes of a VRMA that plays `motion` on VRM avatars.

    The rest pose must stand, facing +Z, with the roles that VRM requires (a FormatError says what to do if it does
    not); from an A-pose it is raised to a T-pose. The file's body has bones without rest rotations; only turns and the travel of the hips are stored, as VRMA wants.
    Expressions and gaze of the VRMA that the motion was read from are written with it, retimed as the motion was.
    """
    poses = normalised(motion)
    if not (np.isfinite(poses.rotations).all() and np.isfinite(poses.hips).all()):
        raise OptionError(Note("a motion with numbers that are not finite cannot be written"))
    builder = Builder()
    tracks = Tracks(builder, motion.fps, held(motion))
    nodes: list[dict[str, Any]] = []
    for role, parent, place in zip(poses.roles, poses.parents, poses.places, strict=True):
        away = place - (poses.places[parent] if parent >= 0 else 0.0)
        nodes.append({"name": bone_name(role), "translation": away.tolist()})
        if parent >= 0:
            nodes[parent].setdefault("children", []).append(len(nodes) - 1)
    roots = [0]
    if len(motion):
        # Players lay the hips at rest if no track says otherwise, each avatar's at its own place.
        if poses.travels:
            tracks.add(0, "translation", poses.hips)
        for number in range(len(poses.roles)):
            tracks.add(number, "rotation", poses.rotations[:, number], to_the_end=number == 0)
    bones = {bone_name(role): {"node": number} for number, role in enumerate(poses.roles)}
    extension: dict[str, Any] = {"specVersion": "1.0", "humanoid": {"humanBones": bones}}
    _add_face(extension, nodes, roots, tracks, motion)
    builder.json |= {
        "extensionsUsed": [EXTENSION],
        "extensions": {EXTENSION: extension},
        "nodes": nodes,
        "scene": 0,
        "scenes": [{"nodes": roots}],
    }
    if tracks.channels:
        # Keys alone cannot say the rate: a clip on twos would come back at half of it.
        said = {"fps": motion.fps, "frames": len(motion)}
        animation = {"channels": tracks.channels, "samplers": tracks.samplers, "extras": {OURS: said}}
        builder.json["animations"] = [animation]
    return builder.encoded(text=False)


def left_out(motion: Motion) -> tuple[Note, ...]:
    """What a VRMA of `motion` does not hold: everything that is not a humanoid bone, such as hair and skirts."""
    held = [joint for role, joint in motion.skeleton.roles.items() if role in ROLES]
    count, names = other_joints(motion, held)
    notes = []
    if all(role in motion.skeleton.roles for role in REQUIRED) and as_a_t(motion.skeleton, "VRMA")[2]:
        notes.append(Note("The rest pose was changed to a T-pose, as a VRM animation needs."))
    # The hips travel, and are the body's root whatever stands above them.
    inner = [joint for joint in held if joint != motion.skeleton.roles.get("hips")]
    notes += shifts(motion, inner, "VRMA")
    if not count:
        return tuple(notes)
    text = "A VRM animation holds humanoid bones only, so the motion of {count:other joint|other joints} was not written: {names}"
    return (*notes, Note(text, count=count, names=names))


def _add_face(
    extension: dict[str, Any], nodes: list[dict[str, Any]], roots: list[int], tracks: Tracks, motion: Motion
) -> None:
    """Expressions and gaze that came with the motion, at the frames that it shows."""
    source = motion.origin.document if motion.origin is not None else None
    if not isinstance(source, Vrma | Face) or motion.origin is None or not len(motion):
        return
    shown = _shown(motion.origin.rows)
    for label, weights in (source.weights if isinstance(source, Face) else source.expressions).items():
        node = _lone(nodes, roots, label)
        kind = "preset" if label in PRESETS else "custom"
        extension.setdefault("expressions", {}).setdefault(kind, {})[label] = {"node": node}
        values = np.zeros((len(motion), 3))
        values[:, 0] = weights[shown]
        tracks.add(node, "translation", values)
    if isinstance(source, Vrma) and source.gaze is not None:
        node = _lone(nodes, roots, "lookAt")
        extension["lookAt"] = {"node": node, **source.gaze_fields}
        tracks.add(node, "rotation", source.gaze[shown])


def _lone(nodes: list[dict[str, Any]], roots: list[int], name: str) -> int:
    nodes.append({"name": name})
    roots.append(len(nodes) - 1)
    return len(nodes) - 1


def _shown(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """(F,) the file's frame that each frame shows: the latest of its joints'; computed frames lie between their like."""
    latest = rows.max(axis=1)
    known = np.flatnonzero(latest >= 0)
    if not len(known):
        return np.zeros(len(rows), dtype=np.int64)
    return np.asarray(np.rint(np.interp(np.arange(len(rows)), known, latest[known])), dtype=np.int64)
