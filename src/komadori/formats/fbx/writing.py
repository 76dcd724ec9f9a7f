"""Motions and characters as binary FBX 7.5: joints, skins, meshes, materials with their pictures, and one stack per clip.

Centimetres, Y up, Z to the front: what Maya, MotionBuilder, Unreal and Unity take for granted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np

from komadori import rates
from komadori.character import Character, inverse_binds
from komadori.errors import OptionError
from komadori.formats.fbx import ours
from komadori.formats.fbx.bodies import add_character
from komadori.formats.fbx.curves import CENTIMETRES, TICKS, Curves, euler_deg, ticks, tracks
from komadori.formats.fbx.objects import Objects
from komadori.formats.fbx.records import (
    CREATED,
    FILE_ID,
    VERSION,
    Record,
    Short,
    choice,
    encoded,
    moment,
    number,
    properties,
    record,
    text,
    three,
    whole,
)  # fmt: skip
from komadori.formats.format import Clip
from komadori.keyed import Keyed
from komadori.skeleton import Skeleton
from komadori.words import Note

LONE_NAME: Final = "motion"
"""What a clip is called that has no name."""
DEFAULT_FPS: Final = 24.0
_MODES: Final = {
    120: 1, 100: 2, 60: 3, 50: 4, 48: 5, 30: 6, 25: 10, 24: 11, 1000: 12, 96: 15, 72: 16,
}  # fmt: skip
_NTSC_MODES: Final = {30: 9, 24: 13, 60: 17, 120: 18}
_OTHER_RATE: Final = 14
"""FBX's number of each frame rate, of those that are 1000/1001 of one, and of every other."""


def emit(clip: Clip) -> bytes:
    """The bytes of an FBX file with this motion, or these keys, on its skeleton."""
    return emit_character(Character("motion", clip.skeleton, binds=inverse_binds(clip.skeleton)), {LONE_NAME: clip})


def emit_character(character: Character, motions: Mapping[str, Clip] | None = None) -> bytes:
    """The bytes of an FBX file with this character, `motions` and its own; the first is the one that programs show."""
    clips: dict[str, Clip] = {**(motions or {})}
    clips |= {name: clip for name, clip in character.motions.items() if name not in clips}
    skeleton = character.skeleton
    for name, clip in clips.items():
        if clip.skeleton.names != skeleton.names or not np.array_equal(clip.skeleton.parents, skeleton.parents):
            raise OptionError(Note("the motion {name!r} is one of another skeleton: retarget it first", name=name))
    for values in (skeleton.offsets, skeleton.rest, character.binds):
        if not np.isfinite(values).all():
            raise OptionError(Note("the skeleton has numbers that are not finite: FBX cannot hold them"))
    objects = Objects()
    joints = _joints(objects, skeleton)
    add_character(objects, character, joints)
    fps = next((clip.fps for clip in clips.values()), DEFAULT_FPS)
    spans = [_stack(objects, name, clip, skeleton, joints, fps) for name, clip in clips.items()]
    longest = max((stop for _, stop in spans), default=0)
    return encoded(
        [
            _header(),
            record("FileId", FILE_ID),
            record("CreationTime", CREATED),
            record("Creator", "komadori"),
            _settings(fps, longest),
            _documents(objects, next(iter(clips), "")),
            record("References", block=True),
            _definitions(objects),
            objects.records,
            objects.links,
            _takes(spans),
        ]
    )


def _joints(objects: Objects, skeleton: Skeleton) -> list[int]:
    """A limb for every joint, with its rest in the very properties that are animated: assimp turns by a pre-rotation twice."""
    turned = euler_deg(skeleton.rest[None])[0]
    reach = np.linalg.norm(skeleton.offsets, axis=1)
    joints: list[int] = []
    for joint, name in enumerate(skeleton.names):
        rows = [
            choice("InheritType", 1),
            three("Lcl Translation", "Lcl Translation", "", CENTIMETRES * skeleton.offsets[joint], "A"),
            three("Lcl Rotation", "Lcl Rotation", "", turned[joint], "A"),
            three("Lcl Scaling", "Lcl Scaling", "", (1.0, 1.0, 1.0), "A"),
        ]
        below = skeleton.children[joint]
        size = CENTIMETRES * float(np.mean(reach[list(below)])) if below else 1.0
        made = objects.model(name, "LimbNode", rows)
        attribute = objects.add(
            "NodeAttribute",
            name,
            "NodeAttribute",
            "LimbNode",
            [properties(number("Size", max(size, 0.1))), record("TypeFlags", "Skeleton")],
        )
        objects.link(attribute, made)
        parent = int(skeleton.parents[joint])
        objects.link(made, joints[parent] if parent >= 0 else 0)
        joints.append(made)
    return joints


def _stack(
    objects: Objects, name: str, clip: Clip, skeleton: Skeleton, joints: list[int], fps: float
) -> tuple[str, int]:
    """One clip: its stack, layer and curves; the clip's name and last tick."""
    length = clip.length if isinstance(clip, Keyed) else len(clip)
    moved = list(tracks(name, clip, skeleton))
    stop = int(ticks(length - 1, clip.fps))
    rows = [
        moment("LocalStart", 0),
        moment("LocalStop", stop),
        moment("ReferenceStart", 0),
        moment("ReferenceStop", stop),
    ]
    if clip.fps != fps:
        # A file states one rate for all its clips; this one has another.
        rows.append(text(ours.KEY, ours.about_clip(clip.fps), "U"))
    stack = objects.add("AnimationStack", name, "AnimStack", "", [properties(*rows)])
    layer = objects.add("AnimationLayer", name, "AnimLayer", "", [], block=True)
    objects.link(layer, stack)
    curves = Curves(clip.fps)
    for track in moved:
        first = track.values[0].tolist()
        axes = [number(f"d|{axis}", value, "A") for axis, value in zip("XYZ", first, strict=True)]
        node = objects.add("AnimationCurveNode", track.kind, "AnimCurveNode", "", [properties(*axes)])
        objects.link(node, layer)
        objects.link(node, joints[track.joint], "Lcl Rotation" if track.kind == "R" else "Lcl Translation")
        for axis, inner in zip("XYZ", curves.records(track), strict=True):
            objects.link(objects.add("AnimationCurve", "", "AnimCurve", "", inner), node, f"d|{axis}")
    return name, stop


def _header() -> Record:
    zero = Short(0)
    stamp = record(
        "CreationTimeStamp",
        inner=[
            record("Version", Short(1000)),
            *(record(part, Short(given)) for part, given in (("Year", 1970), ("Month", 1), ("Day", 1), ("Hour", 10))),
            *(record(part, zero) for part in ("Minute", "Second", "Millisecond")),
        ],
    )
    return record(
        "FBXHeaderExtension",
        inner=[
            record("FBXHeaderVersion", Short(1003)),
            record("FBXVersion", Short(VERSION)),
            record("EncryptionType", zero),
            stamp,
            record("Creator", "komadori"),
        ],
    )


def _settings(fps: float, stop: int) -> Record:
    exact = rates.exact(fps)
    mode = _MODES.get(int(exact), _OTHER_RATE) if exact.denominator == 1 else _OTHER_RATE
    if exact.denominator == 1001:
        mode = _NTSC_MODES.get(exact.numerator // 1000, _OTHER_RATE)
    return record(
        "GlobalSettings",
        inner=[
            record("Version", Short(1000)),
            properties(
                *(
                    whole(f"{axis}{part}", given)
                    for axis, place in (("Up", 1), ("Front", 2), ("Coord", 0), ("OriginalUp", 1))
                    for part, given in (("Axis", place), ("AxisSign", 1))
                ),
                number("UnitScaleFactor", 1.0),
                number("OriginalUnitScaleFactor", 1.0),
                choice("TimeMode", mode),
                moment("TimeSpanStart", 0),
                moment("TimeSpanStop", stop or TICKS),
                number("CustomFrameRate", fps),
            ),
        ],
    )


def _documents(objects: Objects, active: str) -> Record:
    document = record(
        "Document",
        objects.fresh(),
        "Scene",
        "Scene",
        inner=[properties(text("ActiveAnimStackName", active)), record("RootNode", 0)],
    )
    return record("Documents", inner=[record("Count", Short(1)), document])


def _definitions(objects: Objects) -> Record:
    kinds = [("GlobalSettings", 1), *objects.records.counts.items()]
    return record(
        "Definitions",
        inner=[
            record("Version", Short(100)),
            record("Count", Short(sum(count for _, count in kinds))),
            *(record("ObjectType", kind, inner=[record("Count", Short(count))]) for kind, count in kinds),
        ],
    )


def _takes(spans: Iterable[tuple[str, int]]) -> Record:
    listed = [
        record(
            "Take",
            name,
            inner=[
                record("FileName", "".join(c if c.isalnum() else "_" for c in name) + ".tak"),
                record("LocalTime", 0, stop),
                record("ReferenceTime", 0, stop),
            ],
        )
        for name, stop in spans
    ]
    current = record("Current", next((name for name, _ in spans), "") if listed else "")
    return record("Takes", inner=[current, *listed])
