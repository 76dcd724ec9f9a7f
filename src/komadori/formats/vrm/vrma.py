"""Reading VRMA, VRM's animation files: a humanoid's motion with its roles, and the faces and gaze beside it.

The motion is on the file's own skeleton, with the rest rotations that its nodes have. Only what players of VRMA use moves
the body: the turns of humanoid bones and the travel of the hips. Joints that no humanoid bone hangs from (hair, say) move as
the file has them. A VRMA faces +Z, as characters do here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from komadori import json_text, kinematics, quat
from komadori.errors import FormatError, one_line
from komadori.formats.format import no_clip
from komadori.formats.gltf import Gltf, animations, motion_of, parse, rig_of
from komadori.formats.vrm import fields
from komadori.formats.vrm.humanoid import nodes_by_role_1
from komadori.motion import Motion, Origin
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Fact, Note

EXTENSION = "VRMC_vrm_animation"

HIPS_M = (0.15, 2.0)
"""Between these heights the hips of a body that is given in metres rest."""
UNITS = {"centimetres": 0.01, "millimetres": 0.001, "inches": 0.0254}
USUAL_HIPS_M = 0.9


@dataclass(frozen=True, eq=False)
class Vrma:
    """A VRMA as it stands: its glTF, and its faces at every frame of the motion that was read from it.

    `expressions` maps a name ("happy") to weights (F,) from 0 to 1; `gaze` (F, 4) is where the eyes turn, from +Z.
    """

    document: Gltf
    expressions: Mapping[str, Array] = field(default_factory=dict)
    gaze: Array | None = None
    gaze_fields: Mapping[str, Any] = field(default_factory=dict)

    @property
    def beside(self) -> dict[Note, int]:
        """What the file moves besides joints."""
        return {Note("facial expressions"): len(self.expressions), Note("gaze tracks"): int(self.gaze is not None)}

    def __reduce__(self) -> tuple[Any, ...]:
        return (Vrma, (self.document, dict(self.expressions), self.gaze, dict(self.gaze_fields)))


def read_motion(data: bytes, name: str, clip: str | None = None) -> Motion:
    """The motion of the VRMA in `data`: its first animation, or the one called `clip`."""
    return motion(parse(data, name), clip)


def motion(document: Gltf, clip: str | None = None) -> Motion:
    """The motion of a VRMA. Its origin is a Vrma, which knows the faces that VRMA's writer puts beside it again."""
    name, place = document.name, f"extensions.{EXTENSION}"
    extensions = document.fields.one("extensions")
    if EXTENSION not in extensions:
        raise FormatError(name, "extensions", problem=Note("not a VRMA: {extension} is missing", extension=EXTENSION))
    given = extensions.one(EXTENSION).value
    humanoid = fields.part(given.get("humanoid"), name, f"{place}.humanoid")
    count = len(document.nodes)
    bones, notes = nodes_by_role_1(humanoid.get("humanBones"), count, name, EXTENSION)
    if "hips" not in bones:
        raise FormatError(name, f"{place}.humanoid.humanBones", problem=Note("the hips are missing"))
    faces = _faces(given, count, name)
    gaze, gaze_fields = _gaze(given, count, name)
    rig = rig_of(document, bones.values())
    if document.listed("animations"):
        number = _numbered(document, clip)
        whole = motion_of(document, rig, number)
        animation = document.listed("animations")[number]
    else:
        whole, animation = animations.rest_of(rig), None
    joint_of = rig.joint_of_node
    roles = {role: joint_of[node] for role, node in bones.items()}
    moved, more = _as_players_do(whole.with_skeleton(whole.skeleton.with_roles(roles)))
    lone = {joint_of[node] for node in (*faces.values(), gaze) if node in joint_of}
    body = _without(moved, lone - set(roles.values()))
    body, scaled = _in_metres(body)
    weights: dict[str, Array] = {}
    turns: Array | None = None
    if animation is not None:
        source = whole.origin.document if whole.origin is not None else None
        assert isinstance(source, animations.Source)
        for track in animations.tracks_of(document, animation, ("translation", "rotation")):
            values = animations.sampled(track, source.start_s, len(whole), source.fps)
            for label, node in faces.items():
                if node == track.node and track.path == "translation":
                    weights[label] = np.clip(values[:, 0], 0.0, 1.0)
            if gaze == track.node and track.path == "rotation":
                turns = quat.continuous(quat.normalized(values))
    record = Vrma(document, MappingProxyType(weights), turns, gaze_fields)
    origin = Origin(record, np.arange(len(body), dtype=np.int64)[:, None])
    return replace(body, origin=origin, notes=(*body.notes, *notes, *more, *scaled, *_lost_notes(weights, turns)))


def _numbered(document: Gltf, clip: str | None) -> int:
    """The number of the animation called `clip`; players take the first."""
    known = animations.names(document)
    if clip is not None and clip not in known:
        raise no_clip(document.name, clip, known)
    return 0 if clip is None else known.index(clip)


def _as_players_do(motion: Motion) -> tuple[Motion, list[Note]]:
    """`motion` with everything at rest that would move humanoid bones although no player heeds it."""
    skeleton = motion.skeleton
    bones = set(skeleton.roles.values())
    carries = np.zeros(len(skeleton), dtype=bool)
    for joint in range(len(skeleton) - 1, -1, -1):
        parent = int(skeleton.parents[joint])
        if parent >= 0 and (carries[joint] or joint in bones):
            carries[parent] = True
    own = np.array([joint in bones for joint in range(len(skeleton))])
    hips = np.arange(len(skeleton)) == skeleton.roles["hips"]
    still_turns, still_places = carries & ~own, (carries | own) & ~hips
    notes: list[Note] = []
    rotations, positions = np.array(motion.rotations), np.array(motion.positions)
    turned = (rotations[:, still_turns] != skeleton.rest[still_turns]).any(axis=(0, 2)).sum()
    shifted = (np.abs(positions[:, still_places] - skeleton.offsets[still_places]) > 1e-6).any(axis=(0, 2)).sum()
    rotations[:, still_turns], positions[:, still_places] = skeleton.rest[still_turns], skeleton.offsets[still_places]
    if turned:
        template = "{count:joint|joints} between the humanoid bones are animated in the file. Like VRM players, komadori ignores them."
        notes.append(Fact(template, count=int(turned)))
    if shifted:
        template = (
            "{count:joint|joints} other than the hips are moved in the file. Like VRM players, komadori ignores that."
        )
        notes.append(Fact(template, count=int(shifted)))
    return replace(motion, rotations=rotations, positions=positions), notes


def _without(motion: Motion, joints: set[int]) -> Motion:
    """`motion` without `joints` (those that carry faces), unless something hangs from them."""
    skeleton = motion.skeleton
    keep = [
        j for j in range(len(skeleton)) if j not in joints or any(kid not in joints for kid in skeleton.children[j])
    ]
    if len(keep) == len(skeleton):
        return motion
    number = {joint: n for n, joint in enumerate(keep)}
    parents = np.array([number.get(int(skeleton.parents[joint]), -1) for joint in keep])
    roles = {role: number[joint] for role, joint in skeleton.roles.items()}
    names = tuple(skeleton.names[joint] for joint in keep)
    smaller = Skeleton(names, parents, skeleton.offsets[keep], skeleton.rest[keep], roles)
    return Motion(smaller, motion.fps, motion.rotations[:, keep], motion.positions[:, keep], notes=motion.notes)


def _in_metres(motion: Motion) -> tuple[Motion, list[Note]]:
    """`motion` at a person's size: a VRMA counts relative to its own hips, so some are written in centimetres."""
    skeleton = motion.skeleton
    rest = kinematics.world_positions(skeleton, skeleton.rest[None], skeleton.offsets[None])[0]
    height = float(rest[skeleton.roles["hips"], 1])
    if not height > 0.0:
        return motion, [
            Note(
                "The hips rest at or below the ground, so the file is not in VRM's T-pose. Export it again in a T-pose."
            )
        ]
    if HIPS_M[0] <= height <= HIPS_M[1]:
        return motion, []
    unit = min(UNITS, key=lambda one: abs(np.log(UNITS[one] * height / USUAL_HIPS_M)))
    template = "The hips rest {height:.4g} m above the ground, so the file was read as {unit}."
    scale = UNITS[unit]
    scaled = Skeleton(skeleton.names, skeleton.parents, skeleton.offsets * scale, skeleton.rest, skeleton.roles)
    note = Fact(template, height=height, unit=unit)
    if not HIPS_M[0] <= scale * height <= HIPS_M[1]:
        return motion, [
            Note(
                "The hips rest {height:.4g} m above the ground, which fits no known body. Check the unit of the export.",
                height=height,
            )
        ]
    return replace(motion, skeleton=scaled, positions=motion.positions * scale), [note]


def _faces(given: Mapping[str, Any], count: int, name: str) -> dict[str, int]:
    """The node of each expression."""
    place = f"extensions.{EXTENSION}.expressions"
    listed = fields.part(given.get("expressions"), name, place)
    found: dict[str, int] = {}
    for kind in ("preset", "custom"):
        for label, entry in fields.part(listed.get(kind), name, f"{place}.{kind}").items():
            here = f"{place}.{kind}.{one_line(label, 40)}"
            node = json_text.mapping(entry, name, here).get("node")
            found.setdefault(label, json_text.whole(node, name, f"{here}.node", 0, count - 1))
    return found


def _gaze(given: Mapping[str, Any], count: int, name: str) -> tuple[int | None, dict[str, Any]]:
    """The node that shows where the eyes turn, and what else the file says of them."""
    place = f"extensions.{EXTENSION}.lookAt"
    listed = fields.part(given.get("lookAt"), name, place)
    node = listed.get("node")
    if node is not None:
        json_text.whole(node, name, f"{place}.node", 0, count - 1)
    kept: dict[str, Any] = {}
    if listed.get("offsetFromHeadBone") is not None:
        spot = f"{place}.offsetFromHeadBone"
        kept["offsetFromHeadBone"] = list(fields.vector(listed["offsetFromHeadBone"], name, spot, (0.0, 0.0, 0.0)))
    return node, kept


def _lost_notes(weights: Mapping[str, Array], turns: Array | None) -> list[Note]:
    notes: list[Note] = []
    if weights:
        template = "The motion includes facial expressions, which a VRMA keeps: {names}."
        notes.append(Fact(template, names=", ".join(one_line(label, 40) for label in list(weights)[:20])))
    if turns is not None:
        notes.append(Fact("The motion includes eye gaze, which a VRMA keeps."))
    return notes
