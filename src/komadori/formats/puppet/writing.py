"""A puppet as JSON that a person can read and edit: one line per joint, one line per turn."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from komadori import quat
from komadori.methods.puppet.rig import Puppet
from komadori.quat import Array

VERSION = 1
_DIGITS = 9
"""Decimals of metres and degrees: finer than any pose can show."""


def emit(puppet: Puppet) -> bytes:
    """The puppet as UTF-8 JSON. Turns are rotation vectors in degrees (axis times angle) against the joint's parent."""
    skeleton = puppet.skeleton
    joints = [
        {
            "name": name,
            "parent": skeleton.names[parent] if parent >= 0 else None,
            "offset": _numbers(skeleton.offsets[joint]),
            **({"rest_deg": _turn(skeleton.rest[joint])} if quat.angle(skeleton.rest[joint]) > 1e-12 else {}),
        }
        for joint, (name, parent) in enumerate(zip(skeleton.names, skeleton.parents.tolist(), strict=True))
    ]
    roles = {role: skeleton.names[joint] for role, joint in skeleton.roles.items()}
    grip: dict[str, Any] | None = None
    if puppet.ik is not None:
        grip = {"effector": puppet.ik.effector, "base": puppet.ik.base, "limits_deg": dict(puppet.ik.limits_deg)}
    head = {
        "komadori": "puppet",
        "version": VERSION,
        "kernel": puppet.kernel,
        "polynomial": puppet.polynomial,
        "ik": grip,
        "ground": puppet.ground,
    }
    lines = [f'  "{name}": {_text(value)}' for name, value in head.items()]
    lines.append('  "skeleton": {\n    "joints": [\n' + _listed((_text(joint) for joint in joints), 6) + "\n    ],\n"
                 + f'    "roles": {_text(roles)}\n  }}')  # fmt: skip
    lines.append('  "keys": [\n' + ",\n".join(_key(puppet, number) for number in range(len(puppet.keys))) + "\n  ]")
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode("utf-8", "replace")


def _key(puppet: Puppet, number: int) -> str:
    key, skeleton = puppet.keys[number], puppet.skeleton
    rotations = quat.normalized(key.pose.rotations)
    off_rest = quat.angle(quat.multiply(quat.inverse(skeleton.rest), rotations)) > 1e-12
    turns = [f"{_text(skeleton.names[j])}: {_text(_turn(rotations[j]))}" for j in np.flatnonzero(off_rest)]
    moved = np.flatnonzero((key.pose.positions != skeleton.offsets).any(axis=1))
    places = {skeleton.names[j]: _numbers(key.pose.positions[j]) for j in moved if j}
    parts = [
        *([f'"name": {_text(key.name)}'] if key.name else []),
        f'"position": {_text(_numbers(key.position))}',
        f'"root": {_text(_numbers(key.pose.root))}',
        *([f'"places": {_text(places)}'] if places else []),
        '"turns_deg": {\n' + _listed(turns, 8) + "\n      }" if turns else '"turns_deg": {}',
    ]
    return "    {\n" + _listed(parts, 6) + "\n    }"


def _listed(lines: Iterable[str], indent: int) -> str:
    return ",\n".join(" " * indent + line for line in lines)


def _turn(q: Array) -> list[float]:
    return _numbers(np.degrees(quat.log(q)))


def _numbers(values: Array) -> list[float]:
    # Adding 0 turns a minus zero into a zero.
    return [round(float(value), _DIGITS) + 0.0 for value in values]


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
