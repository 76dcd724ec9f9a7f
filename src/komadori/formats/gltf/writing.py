"""Writing glTF: a motion on its skeleton, or a character with its motions; what a file brought is carried through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from komadori.character import Character, inverse_binds
from komadori.errors import OptionError
from komadori.formats import body_losses
from komadori.formats.gltf import animations, bodies, clips, mending, ours, spare
from komadori.formats.gltf.animations import Source
from komadori.formats.gltf.builder import Builder
from komadori.formats.gltf.clips import Clip, Target
from komadori.formats.gltf.document import Gltf
from komadori.formats.gltf.rig import Rig, rig_of, world_matrix
from komadori.keyed import Keyed
from komadori.motion import Motion
from komadori.skeleton import Skeleton
from komadori.words import Note

LONE_NAME = "motion"
"""What an animation is called that has no name."""


def emit(clip: Clip, *, text: bool = False) -> bytes:
    """A motion, or keys, as a GLB (or as the `text` of a .gltf).

    A motion that was read from a glTF goes back into that file, in the place of the animation that it was; any other
    becomes a file of joints and one animation. Rotations are stored as 32 bit numbers: within 1e-7.
    """
    source = None if isinstance(clip, Keyed) or clip.origin is None else clip.origin.document
    if isinstance(source, Source) and _fits(clip.skeleton, source.rig.skeleton):
        name = animations.names(source.document)[source.number]
        return _back(source.document, source.rig, {name: clip}, text)
    builder = Builder()
    nodes = bodies.add_skeleton(builder, clip.skeleton)
    bodies.add_skin(builder, clip.skeleton, nodes, inverse_binds(clip.skeleton))
    bodies.say(builder, ours.about_skeleton(clip.skeleton))
    _animate(builder, {LONE_NAME: clip}, _new_target(clip.skeleton, nodes))
    return builder.encoded(text)


def emit_character(character: Character, motions: Mapping[str, Clip] | None = None, *, text: bool = False) -> bytes:
    """A character with its own motions and `motions` as a GLB (or as the `text` of a .gltf).

    One that was read from a glTF is that file again, whatever it holds, with the animations that are new, which come
    first, or changed.
    """
    wanted: dict[str, Clip] = {**character.motions, **(motions or {})}
    for name, clip in wanted.items():
        if not _fits(clip.skeleton, character.skeleton):
            raise OptionError(
                Note(
                    "the motion {name!r} moves another skeleton than that of {character!r}: retarget it first",
                    name=name,
                    character=character.name,
                )
            )
    document = character.document
    if isinstance(document, Gltf):
        rig = rig_of(document)
        if not _fits(character.skeleton, rig.skeleton):
            raise OptionError(Note("the skeleton of {name!r} is no longer that of its file", name=character.name))
        return _back(document, rig, wanted, text)
    builder = Builder()
    add_new(builder, character, wanted)
    return builder.encoded(text)


def add_new(builder: Builder, character: Character, motions: Mapping[str, Clip]) -> list[int]:
    """A character that was made by code or read from another format, with `motions`; the nodes of its joints."""
    nodes = bodies.add_skeleton(builder, character.skeleton)
    bodies.add_character(builder, character, nodes)
    _animate(builder, motions, _new_target(character.skeleton, nodes))
    return nodes


def left_out_character(character: Character) -> tuple[Note, ...]:
    """What a glTF does not carry of a character; one that was read from a glTF is that file again, with all it holds."""
    if isinstance(character.document, Gltf):
        return ()
    return body_losses.lost(
        character,
        "glTF",
        chains=True,
        expressions=True,
        toon=True,
        pictures="web",
        meta=(*ours.ASSET, *ours.told_meta(character)),
    )


def _back(document: Gltf, rig: Rig, wanted: Mapping[str, Clip], text: bool) -> bytes:
    """The document with `wanted` among its animations; those that did not change keep their own bytes."""
    known = animations.names(document)
    changed = {
        name: clip
        for name, clip in wanted.items()
        if len(clip) and not (name in known and clips.untouched(clip, document, known.index(name)))
    }
    builder = Builder(document, {known.index(name) for name in changed if name in known})
    mending.mend(builder, document)
    if changed:
        _free_of_matrices(builder, document, rig)
        _animate(builder, changed, _old_target(document, rig), known)
        _to_the_front(builder, known)
    return builder.encoded(text)


def _to_the_front(builder: Builder, known: list[str]) -> None:
    """Let animations that the file did not have come first: most viewers play number 0, and no other.

    Where an extension or an extra speaks of animations, often by number, all stay where they are.
    """
    listed = builder.objects("animations")
    if len(listed) > len(known) and not spare.speaks_of("anim", builder.json):
        # One without a name goes by its number, which changes: it is called what it was called.
        old = [
            entry if "name" in entry else {"name": name, **entry} for name, entry in zip(known, listed, strict=False)
        ]
        listed[:] = [*listed[len(known) :], *old]


def _animate(builder: Builder, wanted: Mapping[str, Clip], target: Target, known: list[str] | None = None) -> None:
    if any(isinstance(clip, Motion) and clip.stretch is not None for clip in wanted.values()):
        target = replace(target, squash=bodies.add_squash(builder, list(target.nodes)))
    for name, clip in wanted.items():
        if not len(clip):
            continue
        made = clips.animation(builder, name, clip, target, faces=known is not None)
        if known is not None and name in known:
            listed = builder.objects("animations")
            listed[known.index(name)] = _renewed(listed[known.index(name)], made)
        else:
            builder.add("animations", made)


def _renewed(old: dict[str, Any], made: dict[str, Any]) -> dict[str, Any]:
    """What was said of an animation stays, what it does is new."""
    before = old.get("extras")
    extras = {**before, **made["extras"]} if isinstance(before, dict) else made["extras"]
    name = {"name": old["name"]} if "name" in old else {}
    rest = {key: value for key, value in made.items() if key != "name"}
    return {**old, **name, **rest, "extras": extras}


def _free_of_matrices(builder: Builder, document: Gltf, rig: Rig) -> None:
    """Joints that are given as matrices become rotations, positions and scales: only those can be animated."""
    nodes = builder.objects("nodes")
    for number in rig.nodes.tolist():
        if "matrix" in nodes[number]:
            node = document.nodes[number]
            kept = {key: value for key, value in nodes[number].items() if key != "matrix"}
            parts = {"translation": node.translation, "rotation": node.rotation, "scale": np.diag(node.stretch)}
            nodes[number] = {**kept, **{key: value.tolist() for key, value in parts.items()}}


def _fits(skeleton: Skeleton, other: Skeleton) -> bool:
    return skeleton.names == other.names and bool(np.array_equal(skeleton.parents, other.parents))


def _old_target(document: Gltf, rig: Rig) -> Target:
    rotations = np.stack([document.nodes[node].rotation for node in rig.nodes.tolist()])
    outer = [document.nodes[node].parent for node in rig.nodes.tolist()]
    scales = np.array([np.linalg.norm(world_matrix(document, node)[:3, :3], 2) for node in outer])
    return Target(
        rig.nodes.tolist(),
        rotations,
        rig.translations,
        scales,
        rig.gains is not None,
        rig.to_nodes,
        metres=document.metres,
    )


def _new_target(skeleton: Skeleton, nodes: list[int]) -> Target:
    ones = np.ones(len(skeleton))
    return Target(
        nodes, skeleton.rest, skeleton.offsets, ones, True, lambda rotations, positions: (rotations, positions)
    )
