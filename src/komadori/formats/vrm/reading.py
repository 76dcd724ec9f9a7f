"""Reading VRM avatars: a glTF character with the roles, springs, faces, colours and licence that VRM's extensions state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from komadori import json_text
from komadori.character import Character, Material
from komadori.errors import FormatError, one_line
from komadori.formats import moving
from komadori.formats.format import no_clip
from komadori.formats.gltf import Gltf, character_of, mesh_owners, parse, rig_of
from komadori.formats.gltf.meshes import instances_of
from komadori.formats.vrm import expressions, fields, materials, springs
from komadori.formats.vrm.facing import faces_back, turned
from komadori.formats.vrm.humanoid import REQUIRED, bone_name, nodes_by_role_0, nodes_by_role_1
from komadori.motion import Motion
from komadori.springs import SpringBones
from komadori.words import Fact, Note

VRM_0, VRM_1, SPRINGS_1 = "VRM", "VRMC_vrm", "VRMC_springBone"
KNOWN_1 = ("1.0", "1.0-beta")


def read(data: bytes, name: str) -> Character:
    """The avatar in `data`, a .vrm file."""
    document = parse(data, name)
    if not _extensions(document).keys() & {VRM_0, VRM_1}:
        advice = Note("a plain glTF ends in .glb") if SPRINGS_1 not in _extensions(document) else ""
        raise FormatError(
            name, "extensions", problem=Note("not a VRM avatar: neither VRM nor VRMC_vrm is there"), advice=advice
        )
    return character(document)


def is_avatar(document: Gltf) -> bool:
    """Whether VRM's extensions have something to say of a glTF's character."""
    return bool(_extensions(document).keys() & {VRM_0, VRM_1, SPRINGS_1})


def character(document: Gltf) -> Character:
    """A glTF with VRM's extensions as a Character that faces +Z."""
    extensions, name, count = _extensions(document), document.name, len(document.nodes)
    zero = fields.part(extensions.get(VRM_0), name, "extensions.VRM") if VRM_1 not in extensions else {}
    one = fields.part(extensions.get(VRM_1), name, "extensions.VRMC_vrm")
    bones: dict[str, int] = {}
    notes: list[Note] = []
    if one:
        humanoid = fields.part(one.get("humanoid"), name, "extensions.VRMC_vrm.humanoid")
        bones, notes = nodes_by_role_1(humanoid.get("humanBones"), count, name)
        _check_version(one, name, notes)
    elif zero:
        humanoid = fields.part(zero.get("humanoid"), name, "extensions.VRM.humanoid")
        bones, notes = nodes_by_role_0(humanoid.get("humanBones"), count, name)
    if zero or one:
        missing = [bone_name(role) for role in REQUIRED if role not in bones]
        if missing:
            notes.append(Note("humanoid bones that VRM requires are missing: {bones}", bones=", ".join(missing)))
    also = {*bones.values(), *_named_nodes(extensions, document)}
    plain = character_of(document, also)
    joint_of = rig_of(document, also).joint_of_node
    skeleton = plain.skeleton.with_roles({role: joint_of[node] for role, node in bones.items()})
    where = springs.Place(name, skeleton, joint_of)
    swinging, more = SpringBones(), list[Note]()
    if zero.get("secondaryAnimation") is not None:
        swinging, more = springs.read_0(zero["secondaryAnimation"], where)
    elif not zero and extensions.get(SPRINGS_1) is not None:
        swinging, more = springs.read_1(extensions[SPRINGS_1], where)
    faces, bound = _faces(document, plain, zero, one)
    found = replace(
        plain,
        skeleton=skeleton,
        materials=_toon(document, plain, zero),
        springs=swinging,
        chain_hints=springs.as_chains(swinging, skeleton),
        expressions=faces,
        meta=_meta(plain.meta, zero, one, name),
        motions={label: motion.with_skeleton(skeleton) for label, motion in plain.motions.items()},
        notes=(*plain.notes, *notes, *more, *bound),
    )
    return turned(found) if faces_back(document) else found


def motion(document: Gltf, clip: str | None = None) -> Motion:
    """The animation called `clip` of a glTF with VRM's extensions, or the first that moves, or its rest pose; it faces +Z."""
    avatar = character(document)
    if clip is not None and clip not in avatar.motions:
        raise no_clip(document.name, clip, avatar.motions)
    if not avatar.motions:
        return avatar.rest.noted(Fact("The file holds no animation; read one frame of its rest pose."), *avatar.notes)
    if clip is None:
        return moving.chosen(list(avatar.motions), avatar.motions.__getitem__)
    return avatar.motions[clip]


def _extensions(document: Gltf) -> dict[str, Any]:
    return document.fields.one("extensions").value


def _check_version(one: Mapping[str, Any], name: str, notes: list[Note]) -> None:
    version = fields.label(one.get("specVersion"), name, "extensions.VRMC_vrm.specVersion", "none")
    if version not in KNOWN_1:
        notes.append(Fact("The file states VRM version {version}; read it as 1.0.", version=one_line(version, 20)))


def _named_nodes(extensions: Mapping[str, Any], document: Gltf) -> Iterator[int]:
    """Nodes that springs and colliders name: joints, although no skin may use them. Invalid nodes are reported later."""
    nodes = document.nodes
    named: list[Any] = []
    wide: list[Any] = []
    swing = extensions.get(SPRINGS_1)
    if isinstance(swing, dict):
        named += [_get(entry, "node") for entry in _list(swing, "colliders")]
        for spring in _list(swing, "springs"):
            named += [_get(spring, "center"), *(_get(joint, "node") for joint in _list(spring, "joints"))]
    old = extensions.get(VRM_0)
    animation = old.get("secondaryAnimation") if isinstance(old, dict) else None
    if isinstance(animation, dict):
        named += [_get(group, "node") for group in _list(animation, "colliderGroups")]
        for group in _list(animation, "boneGroups"):
            named.append(_get(group, "center"))
            wide += _list(group, "bones")
    yield from (node for node in named if _is_node(node, len(nodes)))
    waiting = [node for node in wide if _is_node(node, len(nodes))]
    seen: set[int] = set()
    while waiting:
        node = waiting.pop()
        if node not in seen:
            seen.add(node)
            yield node
            waiting.extend(nodes[node].children)


def _get(entry: Any, key: str) -> Any:
    return entry.get(key) if isinstance(entry, dict) else None


def _list(entry: Any, key: str) -> list[Any]:
    value = _get(entry, key)
    return value if isinstance(value, list) else []


def _is_node(value: Any, count: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < count


def _faces(
    document: Gltf, plain: Character, zero: Mapping[str, Any], one: Mapping[str, Any]
) -> tuple[dict[str, expressions.Weights], list[Note]]:
    if zero.get("blendShapeMaster") is not None:
        return expressions.read_0(zero["blendShapeMaster"], plain.meshes, mesh_owners(document), document.name)
    if one.get("expressions") is not None:
        by_node: dict[int, list[int]] = {}
        for number, instance in enumerate(instances_of(document)[0]):
            by_node.setdefault(instance.node, []).append(number)
        return expressions.read_1(one["expressions"], plain.meshes, by_node, document.name)
    return {}, []


def _toon(document: Gltf, plain: Character, zero: Mapping[str, Any]) -> tuple[Material, ...]:
    if zero.get("materialProperties") is not None:
        return materials.toon_0(plain.materials, zero["materialProperties"], document.name)
    return materials.toon_1(plain.materials, document.json.get("materials"), document.name)


def _meta(asset: Mapping[str, Any], zero: Mapping[str, Any], one: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Title, authors and licence in words that both versions share, and beside them every field as the file has it."""
    if one:
        given = fields.part(one.get("meta"), name, "extensions.VRMC_vrm.meta")
        authors = json_text.sequence(given.get("authors", []), name, "extensions.VRMC_vrm.meta.authors")
        told = {"format": "VRM 1.0", "title": given.get("name"), "authors": tuple(map(str, authors))}
        told |= {"licence": given.get("licenseUrl")}
    elif zero:
        given = fields.part(zero.get("meta"), name, "extensions.VRM.meta")
        told = {"format": "VRM 0.x", "title": given.get("title"), "licence": given.get("licenseName")}
        told |= {"authors": (str(given["author"]),) if given.get("author") else ()}
    else:
        return dict(asset)
    return {**asset, **told, "fields": dict(given)}
