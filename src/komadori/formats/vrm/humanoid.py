"""The humanoid map of VRM files: which node is the left hand, in VRM's bone names and in komadori's roles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from komadori import json_text
from komadori.errors import FormatError, one_line
from komadori.roles import FINGERS, SIDED, THUMB
from komadori.words import Fact, Note

MIDDLE = ("hips", "spine", "chest", "upper_chest", "neck", "head", "jaw")
ROLES = (*MIDDLE, *(f"{side}_{role}" for side in ("left", "right") for role in SIDED))
"""Every humanoid bone of VRM 1.0, as a role."""

REQUIRED = (
    *("hips", "spine", "head"),
    *(
        f"{side}_{role}"
        for side in ("left", "right")
        for role in ("upper_arm", "lower_arm", "hand", "upper_leg", "lower_leg", "foot")
    ),
)
"""The bones that a VRM or VRMA must have."""

_MIDDLE_ABOVE = {"hips": "", "spine": "hips", "chest": "spine", "upper_chest": "chest", "neck": "upper_chest"}
_SIDED_ABOVE = {
    "eye": "head",
    "shoulder": "upper_chest",
    "upper_arm": "shoulder",
    "lower_arm": "upper_arm",
    "hand": "lower_arm",
    "upper_leg": "hips",
    "lower_leg": "upper_leg",
    "foot": "lower_leg",
    "toes": "foot",
}


def _parents() -> dict[str, str]:
    above = {**_MIDDLE_ABOVE, "head": "neck", "jaw": "head"}
    for side in ("left", "right"):
        for role, parent in _SIDED_ABOVE.items():
            above[f"{side}_{role}"] = parent if parent in above else f"{side}_{parent}"
        for finger in (THUMB, *(FINGERS[i : i + 3] for i in range(0, 12, 3))):
            for role, parent in zip(finger, ("hand", *finger), strict=False):
                above[f"{side}_{role}"] = f"{side}_{parent}"
    return above


PARENTS: Mapping[str, str] = _parents()
"""Role -> the role that it hangs from in VRM's humanoid ("" for the hips); a body may lack bones in between."""


def bone_name(role: str) -> str:
    """VRM 1.0's name of a role.

    >>> bone_name("left_upper_arm")
    'leftUpperArm'
    """
    first, *others = role.split("_")
    return first + "".join(word.capitalize() for word in others)


BONES: Mapping[str, str] = {bone_name(role): role for role in ROLES}
"""VRM 1.0's bone name -> role."""

# VRM 0.x (and early drafts of 1.0) name the thumb's joints one step further out.
OLD_BONES: Mapping[str, str] = {
    **{bone: role for bone, role in BONES.items() if not bone.endswith("ThumbMetacarpal")},
    **{f"{side}ThumbProximal": f"{side}_thumb_metacarpal" for side in ("left", "right")},
    **{f"{side}ThumbIntermediate": f"{side}_thumb_proximal" for side in ("left", "right")},
}
"""VRM 0.x's bone name -> role."""


def nodes_by_role_0(bones: Any, count: int, name: str) -> tuple[dict[str, int], list[Note]]:
    """The node of each role from VRM 0.x's list of bones; `count` is how many nodes the file has."""
    place = "extensions.VRM.humanoid.humanBones"
    found: dict[str, int] = {}
    notes: list[Note] = []
    for number, entry in enumerate(json_text.sequence([] if bones is None else bones, name, place)):
        here = f"{place}[{number}]"
        fields = json_text.mapping(entry, name, here)
        node = fields.get("node", -1)
        if node is None or node == -1:
            continue  # UniVRM writes -1 for a bone that the body does not have
        bone = json_text.text(fields.get("bone"), name, f"{here}.bone")
        _take(found, notes, OLD_BONES.get(bone), bone, node, count, name, here)
    _must_be_apart(found, name, place)
    return found, notes


def nodes_by_role_1(
    bones: Any, count: int, name: str, extension: str = "VRMC_vrm"
) -> tuple[dict[str, int], list[Note]]:
    """The node of each role from the map of VRM 1.0 (and of VRMA); `count` is how many nodes the file has."""
    place = f"extensions.{extension}.humanoid.humanBones"
    found: dict[str, int] = {}
    notes: list[Note] = []
    entries = {} if bones is None else json_text.mapping(bones, name, place)
    table = OLD_BONES if any(f"{side}ThumbIntermediate" in entries for side in ("left", "right")) else BONES
    for bone, entry in entries.items():
        here = f"{place}.{one_line(bone, 40)}"
        if entry is None:
            continue
        node = json_text.mapping(entry, name, here).get("node")
        _take(found, notes, table.get(bone), bone, node, count, name, here)
    _must_be_apart(found, name, place)
    return found, notes


def _take(
    found: dict[str, int],
    notes: list[Note],
    role: str | None,
    bone: str,
    node: Any,
    count: int,
    name: str,
    place: str,
) -> None:
    number = json_text.whole(node, name, f"{place}.node", 0, count - 1)
    if role is None:
        notes.append(Fact("The humanoid bone {bone} is not defined by VRM and was ignored.", bone=one_line(bone, 40)))
    elif role in found:
        notes.append(Fact("The humanoid bone {bone} appears twice; used the first.", bone=one_line(bone, 40)))
    else:
        found[role] = number


def _must_be_apart(found: Mapping[str, int], name: str, place: str) -> None:
    """One node cannot be two bones: a pose would turn it twice."""
    owner: dict[int, str] = {}
    for role, node in found.items():
        if node in owner:
            raise FormatError(
                name,
                place,
                problem=Note(
                    "one node ({node}) is named for two bones: {value} and {other}",
                    node=node,
                    value=bone_name(owner[node]),
                    other=bone_name(role),
                ),
            )
        owner[node] = role
