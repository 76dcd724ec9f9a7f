"""Facial expressions of VRM files: blend shape groups (0.x) and expressions (1.0), by VRM 1.0's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from komadori import json_text
from komadori.character import Mesh
from komadori.errors import one_line
from komadori.formats.vrm import fields
from komadori.words import Fact, Note

Weights = dict[tuple[int, str], float]

PRESETS_0: Mapping[str, str] = {
    "neutral": "neutral",
    "a": "aa",
    "i": "ih",
    "u": "ou",
    "e": "ee",
    "o": "oh",
    "blink": "blink",
    "blink_l": "blinkLeft",
    "blink_r": "blinkRight",
    "joy": "happy",
    "angry": "angry",
    "sorrow": "sad",
    "fun": "relaxed",
    "lookup": "lookUp",
    "lookdown": "lookDown",
    "lookleft": "lookLeft",
    "lookright": "lookRight",
}
"""VRM 0.x's preset -> VRM 1.0's."""

PRESETS = (*PRESETS_0.values(), "surprised")
"""VRM 1.0's preset expressions."""

FULL_0 = 100.0
"""VRM 0.x counts weights in percent."""


def read_0(master: Any, meshes: Sequence[Mesh], owners: Mapping[int, Sequence[int]], name: str) -> _Read:
    """The expressions of VRM 0.x's `blendShapeMaster`; `owners` maps a mesh of the file to the character's meshes."""
    place = "extensions.VRM.blendShapeMaster"
    given = json_text.mapping(master, name, place)
    found: dict[str, Weights] = {}
    notes: list[Note] = []
    for here, group in fields.entries(given.get("blendShapeGroups"), name, f"{place}.blendShapeGroups"):
        preset = fields.label(group.get("presetName"), name, f"{here}.presetName", "unknown")
        own = fields.label(group.get("name"), name, f"{here}.name", preset)
        label = PRESETS_0.get(preset.lower(), own)
        if label in found:
            notes.append(Fact("The expression {name} appears twice; used the first.", name=one_line(label, 40)))
            continue
        weights: Weights = {}
        for spot, bind in fields.entries(group.get("binds"), name, f"{here}.binds"):
            whose = json_text.whole(bind.get("mesh"), name, f"{spot}.mesh", -1, 2**31)
            weight = fields.number(bind.get("weight"), name, f"{spot}.weight", FULL_0) / FULL_0
            _bind(weights, notes, bind, weight, owners.get(whose, ()), meshes, name, spot)
        found[label] = weights
    return found, notes


def read_1(expressions: Any, meshes: Sequence[Mesh], owners: Mapping[int, Sequence[int]], name: str) -> _Read:
    """The expressions of VRM 1.0; `owners` maps a node of the file to the character's meshes."""
    place = "extensions.VRMC_vrm.expressions"
    given = json_text.mapping(expressions, name, place)
    found: dict[str, Weights] = {}
    notes: list[Note] = []
    for kind in ("preset", "custom"):
        listed = fields.part(given.get(kind), name, f"{place}.{kind}")
        for label, entry in listed.items():
            here = f"{place}.{kind}.{one_line(label, 40)}"
            if label in found or entry is None:
                continue
            weights: Weights = {}
            binds = json_text.mapping(entry, name, here).get("morphTargetBinds")
            for spot, bind in fields.entries(binds, name, f"{here}.morphTargetBinds"):
                whose = json_text.whole(bind.get("node"), name, f"{spot}.node", -1, 2**31)
                weight = fields.number(bind.get("weight"), name, f"{spot}.weight", 1.0)
                _bind(weights, notes, bind, weight, owners.get(whose, ()), meshes, name, spot)
            found[label] = weights
    return found, notes


_Read = tuple[dict[str, Weights], list[Note]]


def _bind(
    weights: Weights,
    notes: list[Note],
    bind: Mapping[str, Any],
    weight: float,
    owners: Sequence[int],
    meshes: Sequence[Mesh],
    name: str,
    place: str,
) -> None:
    """Adds one morph to an expression, on every part of the mesh that has it."""
    index = json_text.whole(bind.get("index"), name, f"{place}.index", -1, 2**31)
    used = False
    for owner in owners:
        morphs = list(meshes[owner].morphs)
        if 0 <= index < len(morphs):
            weights[owner, morphs[index]] = weight
            used = True
    if not used:
        notes.append(
            Note("{place}: {what} {index} is not in the file and was skipped.", place=place, what="morph", index=index)
        )
