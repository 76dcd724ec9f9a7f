"""What komadori knows of a body and glTF has no place for: roles, chains and expressions, kept in the file's extras."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from komadori.character import KINDS, Chain, Character
from komadori.formats.gltf.document import Gltf
from komadori.formats.gltf.fields import Fields
from komadori.skeleton import Skeleton

OURS = "komadori"
"""The key of what we say in `extras`."""
ASSET = ("version", "generator", "minVersion", "copyright")
"""What glTF itself has a place for."""


def said(owner: Fields) -> Fields:
    """What we said in the extras of an object; empty if we said nothing."""
    extras = owner.value.get("extras")
    ours = extras.get(OURS) if isinstance(extras, dict) else None
    return Fields(ours if isinstance(ours, dict) else {}, owner.name, owner.at(f"extras.{OURS}"))


def squash_part(entry: Mapping[str, Any]) -> str:
    """ "outer" or "inner" of the JSON of a node that squashes and stretches the body below it; otherwise nothing."""
    extras = entry.get("extras")
    ours = extras.get(OURS) if isinstance(extras, dict) else None
    part = ours.get("squash") if isinstance(ours, dict) else None
    return part if part in ("outer", "inner") else ""


def about_skeleton(skeleton: Skeleton) -> dict[str, Any]:
    """What is to be said of a skeleton."""
    return {"roles": {role: skeleton.names[joint] for role, joint in skeleton.roles.items()}} if skeleton.roles else {}


def about_character(character: Character, written: Sequence[int]) -> dict[str, Any]:
    """What is to be said of a character, of whose meshes those in `written` are in the file."""
    names = character.skeleton.names
    chains = [
        {
            "name": chain.name,
            "kind": chain.kind,
            "joints": [names[joint] for joint in chain.joints],
            **({"why": chain.why} if chain.why else {}),
        }
        for chain in character.chain_hints
    ]
    place = {mesh: n for n, mesh in enumerate(written)}
    expressions = {
        name: [[place[mesh], morph, float(weight)] for (mesh, morph), weight in weights.items() if mesh in place]
        for name, weights in character.expressions.items()
    }
    found: dict[str, Any] = about_skeleton(character.skeleton)
    found |= {"chains": chains} if chains else {}
    found |= {"expressions": expressions} if expressions else {}
    meta = {key: character.meta[key] for key in told_meta(character)}
    return found | ({"meta": meta} if meta else {})


def told_meta(character: Character) -> list[str]:
    """What a character's file says of its author and licence, as far as it is words."""
    return [key for key, value in character.meta.items() if value and _is_words(value) and key not in ASSET]


def meta_of(document: Gltf) -> dict[str, Any]:
    """What we said of author and licence."""
    meta = said(document.fields).one("meta").value
    return {str(key): value for key, value in meta.items() if _is_words(value)}


def _is_words(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list | tuple) and all(isinstance(word, str) for word in value))


def roles_of(document: Gltf, names: Sequence[str]) -> dict[str, int]:
    """The roles that we said, of joints that are there."""
    known = {name: joint for joint, name in enumerate(names)}
    roles = said(document.fields).one("roles")
    return {role: known[joint] for role in roles.value if (joint := roles.text(role)) in known}


def chains_of(document: Gltf, skeleton: Skeleton) -> tuple[Chain, ...]:
    """The chains that we said, of joints that are there and hang from one another."""
    known = {name: joint for joint, name in enumerate(skeleton.names)}
    found = []
    for chain in said(document.fields).many("chains"):
        joints = tuple(known.get(name, -1) for name in chain.texts("joints"))
        hung = all(skeleton.parents[b] == a for a, b in pairwise(joints))
        if not joints or -1 in joints or not hung:
            continue
        lengths = np.linalg.norm(skeleton.offsets[list(joints[1:])], axis=1).tolist()
        kind = chain.text("kind")
        found.append(
            Chain(
                chain.text("name"),
                kind if kind in KINDS else "other",
                joints,
                int(skeleton.parents[joints[0]]),
                tuple(lengths),
                chain.text("why"),
            )
        )
    return tuple(found)


def expressions_of(document: Gltf, morphs: Sequence[Mapping[str, Any]]) -> dict[str, dict[tuple[int, str], float]]:
    """The expressions that we said, as far as `morphs` of each mesh has them."""
    listed = said(document.fields).one("expressions")
    found: dict[str, dict[tuple[int, str], float]] = {}
    for name, weights in listed.value.items():
        found[name] = {}
        for entry in weights if isinstance(weights, list) else []:
            match entry:
                case [int(mesh), str(morph), int() | float() as weight] if 0 <= mesh < len(morphs):
                    if morph in morphs[mesh]:
                        found[name][mesh, morph] = float(weight)
    return found
