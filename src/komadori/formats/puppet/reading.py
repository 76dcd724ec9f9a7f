"""Puppets from untrusted JSON: every fault is one FormatError that names its place."""

from __future__ import annotations

import math
from typing import Any, get_args

import numpy as np

from komadori import quat
from komadori.errors import FormatError, OptionError, one_of, quoted
from komadori.formats.puppet.writing import VERSION
from komadori.json_text import decoded, kind, loaded, mapping, sequence, text, whole
from komadori.methods.puppet.keys import Grip, Key
from komadori.methods.puppet.rig import Puppet
from komadori.motion import Pose
from komadori.numerics.rbf import Kernel
from komadori.skeleton import Skeleton
from komadori.words import Note

_MOST_JOINTS, _MOST_KEYS = 10_000, 2_000
_MOST_TURNS = 400_000
"""Joints times keys of any file; of a large one, as many as it has bytes. A key names few joints and poses all."""


def parse(data: bytes, name: str) -> Puppet:
    """The puppet in `data`; `name` is the file's, for messages."""
    top = mapping(loaded(decoded(data, name), name), name, Note("the top"))
    if top.get("komadori") != "puppet":
        raise FormatError(name, expected=Note('a puppet ("komadori": "puppet")'), found=kind(top.get("komadori")))
    version = whole(top.get("version"), name, '"version"', 1, 2**31)
    if version > VERSION:
        advice = Note("it was written by a newer komadori: update this one")
        raise FormatError(
            name, '"version"', expected=Note("at most {version}", version=VERSION), found=str(version), advice=advice
        )
    _only(
        top, {"komadori", "version", "kernel", "polynomial", "ik", "ground", "skeleton", "keys"}, name, Note("the top")
    )
    kernel: Any = top.get("kernel", "linear")
    if kernel not in get_args(Kernel):
        raise FormatError(name, '"kernel"', expected=one_of(get_args(Kernel)), found=kind(kernel))
    polynomial = top.get("polynomial", True)
    if not isinstance(polynomial, bool):
        raise FormatError(name, '"polynomial"', expected=Note("true or false"), found=kind(polynomial))
    ground = top.get("ground")
    skeleton = _skeleton(mapping(top.get("skeleton"), name, '"skeleton"'), name)
    rows = sequence(top.get("keys"), name, '"keys"')
    if not 1 <= len(rows) <= _MOST_KEYS:
        raise FormatError(name, '"keys"', expected=Note("1 to {most} keys", most=_MOST_KEYS), found=str(len(rows)))
    if len(rows) * len(skeleton) > max(_MOST_TURNS, len(data)):
        raise FormatError(
            name,
            '"keys"',
            expected=Note("at most {most} keys", most=_MOST_TURNS // len(skeleton)),
            found=str(len(rows)),
        )
    keys = [
        _key(mapping(row, name, Note("key {number}", number=number)), skeleton, name, number)
        for number, row in enumerate(rows)
    ]
    try:
        grip = _grip(top.get("ik"), name)
        height = None if ground is None else _number(ground, name, '"ground"')
        return Puppet(skeleton, keys, kernel, polynomial, grip, height)
    except OptionError as error:
        raise error.in_file(name) from None


def _skeleton(found: dict[str, Any], name: str) -> Skeleton:
    _only(found, {"joints", "roles"}, name, '"skeleton"')
    rows = sequence(found.get("joints"), name, '"joints"')
    if not 1 <= len(rows) <= _MOST_JOINTS:
        raise FormatError(
            name, '"joints"', expected=Note("1 to {most} joints", most=_MOST_JOINTS), found=str(len(rows))
        )
    names: dict[str, int] = {}
    parents, offsets, rest = [], [], []
    for number, row in enumerate(rows):
        place = Note("joint {number}", number=number)
        joint = mapping(row, name, place)
        _only(joint, {"name", "parent", "offset", "rest_deg"}, name, place)
        parent = joint.get("parent")
        if parent is not None and (not isinstance(parent, str) or parent not in names):
            raise FormatError(name, place, expected=Note("a parent listed above it"), found=kind(parent))
        parents.append(-1 if parent is None else names[parent])
        called = text(joint.get("name"), name, place)
        if called in names:
            raise FormatError(name, place, problem=Note("the name {called} is used twice", called=quoted(called)))
        names[called] = number
        offsets.append(_numbers(joint.get("offset"), name, f'{place}, "offset"'))
        rest.append(_numbers(joint.get("rest_deg", [0.0, 0.0, 0.0]), name, f'{place}, "rest_deg"'))
    roles = mapping(found.get("roles", {}), name, '"roles"')
    for role, joint in roles.items():
        if not isinstance(joint, str) or joint not in names:
            raise FormatError(
                name, Note("role {role}", role=quoted(role)), expected=Note("a joint's name"), found=kind(joint)
            )
    turns = quat.exp(np.radians(np.array(rest)))
    return Skeleton(tuple(names), np.array(parents), np.array(offsets), turns, {r: names[j] for r, j in roles.items()})


def _key(row: dict[str, Any], skeleton: Skeleton, name: str, number: int) -> Key:
    called = text(row.get("name", ""), name, Note("key {number}", number=number))
    place = f"key {number}" + (f" ({quoted(called)})" if called else "")
    _only(row, {"name", "position", "root", "places", "turns_deg"}, name, place)
    rotations, positions = np.array(skeleton.rest), np.array(skeleton.offsets)
    for part, rows in (("turns_deg", row.get("turns_deg", {})), ("places", row.get("places", {}))):
        for joint, values in mapping(rows, name, f'{place}, "{part}"').items():
            if joint not in skeleton.names:
                raise FormatError(
                    name, f'{place}, "{part}"', expected=Note("a joint of the skeleton"), found=quoted(joint)
                )
            numbers = _numbers(values, name, Note("{place}, joint {joint}", place=place, joint=quoted(joint)))
            if part == "turns_deg":
                rotations[skeleton.index(joint)] = quat.exp(np.radians(numbers))
            else:
                positions[skeleton.index(joint)] = numbers
    if row.get("root") is not None:
        positions[0] = _numbers(row["root"], name, f'{place}, "root"')
    position = np.array(_numbers(row.get("position"), name, f'{place}, "position"'))
    return Key(position, Pose(rotations, positions), called)


def _grip(found: Any, name: str) -> Grip | None:
    if found is None:
        return None
    if isinstance(found, str):
        return Grip(found)
    row = mapping(found, name, '"ik"')
    _only(row, {"effector", "base", "limits_deg"}, name, '"ik"')
    base = row.get("base")
    limits = mapping(row.get("limits_deg", {}), name, '"limits_deg"')
    return Grip(
        text(row.get("effector"), name, '"effector"'),
        None if base is None else text(base, name, '"base"'),
        {joint: _number(limit, name, f'"limits_deg", {quoted(joint)}') for joint, limit in limits.items()},
    )


def _number(value: Any, name: str, place: str) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not abs(value) <= 1e9
        or not math.isfinite(value)
    ):
        raise FormatError(name, place, expected=Note("a number of at most 1e9"), found=kind(value))
    return float(value)


def _numbers(values: Any, name: str, place: str) -> list[float]:
    row = sequence(values, name, place)
    if len(row) != 3:
        raise FormatError(name, place, expected=Note("three numbers"), found=str(len(row)))
    return [_number(value, name, place) for value in row]


def _only(found: dict[str, Any], known: set[str], name: str, place: str) -> None:
    strange = [key for key in found if key not in known]
    if strange:
        expected = Note("only {names}", names=", ".join(sorted(known)))
        raise FormatError(name, place, expected=expected, found=quoted(strange[0]))
