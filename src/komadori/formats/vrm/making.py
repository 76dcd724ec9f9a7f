"""New VRM 1.0 avatars, of any humanoid character: bones, spring bones, expressions, gaze, MToon's colours, author and licence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from komadori import quat, roles
from komadori.character import Chain, Character, Material
from komadori.errors import FormatError
from komadori.formats import body_losses
from komadori.formats.gltf import writing
from komadori.formats.gltf.builder import Builder
from komadori.formats.gltf.clips import Clip
from komadori.formats.gltf.surfaces import to_linear
from komadori.formats.vrm.expressions import PRESETS
from komadori.formats.vrm.humanoid import REQUIRED, ROLES, bone_name
from komadori.formats.vrm.materials import MTOON, toon_fields
from komadori.formats.vrm.normalised import as_a_t
from komadori.formats.vrm.springs import EXTENDED
from komadori.springs import Collider, Spring, SpringBones, SpringJoint
from komadori.words import Note

SPEC = "1.0"
LICENCE = "https://vrm.dev/licenses/1.0/"
"""The licence of VRM 1.0 itself, which every avatar must name."""
UNKNOWN = "unknown"
LOOKS = ("lookUp", "lookDown", "lookLeft", "lookRight")
USUAL = SpringJoint(-1, stiffness=0.6, gravity=(0.0, -0.3, 0.0), drag=0.35)
"""How a chain swings whose file does not say, as `komadori hair --springs` moves it."""
META = ("format", "title", "authors", "licence", "fields", "copyright")
"""Fields that VRM's meta has."""


def emit(character: Character, motions: Mapping[str, Clip]) -> bytes:
    """The bytes of a new avatar. It rests in a T-pose, as VRM wants it: arms that hang are raised."""
    name = character.name
    missing = [bone_name(role) for role in REQUIRED if role not in character.skeleton.roles]
    if missing:
        raise FormatError(
            name,
            problem=Note("no joint for {told}", told=", ".join(missing)),
            advice=Note("only a whole humanoid can be an avatar"),
        )
    if roles.body_plan(character.skeleton) == "quadruped":
        raise FormatError(name, problem=Note("a body on four legs cannot be an avatar"))
    standing = _in_a_t(character, name)
    builder = Builder()
    nodes = writing.add_new(builder, standing, {**character.motions, **motions})
    shown = [number for number, mesh in enumerate(standing.meshes) if len(mesh.triangles)]
    first = len(builder.objects("nodes")) - len(shown)
    mesh_node = {mesh: first + place for place, mesh in enumerate(shown)}
    extensions: dict[str, Any] = {"VRMC_vrm": _avatar(standing, nodes, mesh_node)}
    springs = standing.springs or of_chains(standing.chain_hints)
    if springs:
        extensions["VRMC_springBone"] = _springs(builder, springs, nodes)
    used = list(extensions)
    toon = [_mtoon(builder.objects("materials"), number, one) for number, one in enumerate(standing.materials)]
    if any(toon):
        used.append(MTOON)
    if any(collider.shape == "plane" or collider.inside for collider in springs.colliders):
        used.append(EXTENDED)
    builder.json["extensionsUsed"] = used
    builder.json["extensions"] = extensions
    return builder.encoded(text=False)


def fits(character: Character) -> bool:
    """Whether a new avatar can be made of the character."""
    skeleton = character.skeleton
    return all(role in skeleton.roles for role in REQUIRED) and roles.body_plan(skeleton) != "quadruped"


def left_out(character: Character) -> tuple[Note, ...]:
    """What a new avatar does not carry of a character, or changes."""
    losses = body_losses.lost(
        character, "VRM", springs=True, chains=True, expressions=True, toon=True, pictures="web", meta=META
    )
    if all(role in character.skeleton.roles for role in REQUIRED) and as_a_t(character.skeleton, "VRM")[2]:
        return (*losses, Note("The rest pose was changed to a T-pose, as an avatar needs."))
    return losses


def of_chains(hints: Sequence[Chain]) -> SpringBones:
    """Spring bones in usual settings for chains that nothing is said of."""
    return SpringBones(
        tuple(
            Spring(chain.name, tuple(replace(USUAL, joint=joint) for joint in chain.joints))
            for chain in hints
            if len(chain.joints) > 1
        )
    )


def _in_a_t(character: Character, name: str) -> Character:
    """The character at rest in a T-pose; its skin stays bound as it was."""
    skeleton = character.skeleton
    turned, _, moved = as_a_t(skeleton, name)
    plain = replace(character, document=None, motions={})
    if not moved:
        return plain
    above = np.where((skeleton.parents >= 0)[:, None], turned[skeleton.parents], quat.IDENTITY)
    return replace(plain, skeleton=replace(skeleton, rest=quat.multiply(quat.inverse(above), turned)))


def _avatar(character: Character, nodes: Sequence[int], mesh_node: Mapping[int, int]) -> dict[str, Any]:
    known = character.skeleton.roles
    bones = {bone_name(role): {"node": nodes[known[role]]} for role in ROLES if role in known}
    told: dict[str, Any] = {"specVersion": SPEC, "meta": _meta(character), "humanoid": {"humanBones": bones}}
    if all(character.expressions.get(look) for look in LOOKS):
        told["lookAt"] = _gaze("expression", 1.0)
    elif "left_eye" in known and "right_eye" in known:
        told["lookAt"] = _gaze("bone", 10.0)
    faces: dict[str, dict[str, Any]] = {}
    for name, weights in character.expressions.items():
        binds = [
            {"node": mesh_node[mesh], "index": list(character.meshes[mesh].morphs).index(morph), "weight": weight}
            for (mesh, morph), weight in weights.items()
            if mesh in mesh_node and morph in character.meshes[mesh].morphs
        ]
        kind = "preset" if name in PRESETS else "custom"
        faces.setdefault(kind, {})[name] = {"morphTargetBinds": binds} if binds else {}
    return {**told, "expressions": faces} if faces else told


def _gaze(kind: str, most: float) -> dict[str, Any]:
    """Eyes that look by expressions, or turn as bones; a gaze of 90 degrees to a side turns or shows them by `most`."""
    span = {"inputMaxValue": 90.0, "outputScale": most}
    sides = ("rangeMapHorizontalInner", "rangeMapHorizontalOuter", "rangeMapVerticalDown", "rangeMapVerticalUp")
    return {"type": kind, "offsetFromHeadBone": [0.0, 0.06, 0.0], **{side: dict(span) for side in sides}}


def _meta(character: Character) -> dict[str, Any]:
    """VRM's own fields if the file had them; else what is known, under the strictest permissions."""
    fields = character.meta.get("fields")
    if isinstance(fields, Mapping) and "licenseUrl" in fields and "authors" in fields:
        return {key: value for key, value in fields.items() if key != "thumbnailImage"}
    authors = [str(author) for author in character.meta.get("authors", ()) if author]
    told: dict[str, Any] = {
        "name": str(character.meta.get("title") or character.name or "avatar"),
        "authors": authors or [UNKNOWN],
        "licenseUrl": LICENCE,
    }
    licence = character.meta.get("licence")
    if isinstance(licence, str) and licence:
        told["thirdPartyLicenses"] = licence
    owner = character.meta.get("copyright")
    if isinstance(owner, str) and owner:
        told["copyrightInformation"] = owner
    return told


def _springs(builder: Builder, springs: SpringBones, nodes: Sequence[int]) -> dict[str, Any]:
    told: dict[str, Any] = {"specVersion": SPEC}
    # Springs name groups, not colliders: one group for each set that some spring meets.
    sets = dict.fromkeys(spring.colliders for spring in springs.springs if spring.colliders and springs.colliders)
    group = {members: number for number, members in enumerate(sets)}
    if springs.colliders:
        told["colliders"] = [_collider(collider, nodes) for collider in springs.colliders]
        told["colliderGroups"] = [{"colliders": list(members)} for members in sets]
    listed = []
    for spring in springs.springs:
        entry: dict[str, Any] = {"name": spring.name, "joints": [_joint(one, nodes) for one in spring.joints]}
        if spring.tip is not None:
            # VRM 1.0 ends a spring with a joint that only marks where the last bone ends.
            last = builder.objects("nodes")[nodes[spring.joints[-1].joint]]
            made = builder.add("nodes", {"name": f"{spring.name} tip", "translation": list(spring.tip)})
            last["children"] = [*last.get("children", []), made]
            entry["joints"].append({"node": made})
        if spring.colliders in group:
            entry["colliderGroups"] = [group[spring.colliders]]
        if spring.centre >= 0:
            entry["center"] = nodes[spring.centre]
        listed.append(entry)
    return {**told, "springs": listed}


def _joint(one: SpringJoint, nodes: Sequence[int]) -> dict[str, Any]:
    power = float(np.linalg.norm(one.gravity))
    along = [value / power for value in one.gravity] if power > 0.0 else [0.0, -1.0, 0.0]
    return {
        "node": nodes[one.joint],
        "hitRadius": one.radius_m,
        "stiffness": one.stiffness,
        "gravityPower": power,
        "gravityDir": along,
        "dragForce": one.drag,
    }


def _collider(collider: Collider, nodes: Sequence[int]) -> dict[str, Any]:
    """A shape; one that VRM 1.0 itself lacks goes into the extension for it, and far away in the plain one."""
    round_: dict[str, Any] = {"offset": list(collider.offset), "radius": collider.radius_m}
    if collider.shape == "capsule":
        round_["tail"] = list(collider.tail)
    plain = {collider.shape: round_}
    if collider.shape != "plane" and not collider.inside:
        return {"node": nodes[collider.joint], "shape": plain}
    full: dict[str, Any] = {"plane": {"offset": list(collider.offset), "normal": list(collider.normal)}}
    if collider.shape != "plane":
        full = {collider.shape: {**round_, "inside": collider.inside}}
    away = {"sphere": {"offset": [0.0, -10000.0, 0.0], "radius": 0.0}}
    return {
        "node": nodes[collider.joint],
        "shape": away,
        "extensions": {EXTENDED: {"specVersion": SPEC, "shape": full}},
    }


def _mtoon(entries: list[Any], number: int, material: Material) -> bool:
    """Gives a material of the file MToon's extension if it is one of cel shading."""
    if material.shade is None and material.outline is None:
        return False
    entry = dict(entries[number])
    shade = material.shade if material.shade is not None else material.colour[:3]
    toon: dict[str, Any] = {"specVersion": SPEC, "shadeColorFactor": [to_linear(value) for value in shade]}
    picture = entry["pbrMetallicRoughness"].get("baseColorTexture")
    if picture is not None:
        toon["shadeMultiplyTexture"] = picture
    if material.toon is not None:
        toon |= toon_fields(material.toon)
    if material.outline is not None and material.outline_m > 0.0:
        toon |= {
            "outlineWidthMode": "worldCoordinates",
            "outlineWidthFactor": material.outline_m,
            "outlineColorFactor": [to_linear(value) for value in material.outline[:3]],
        }
    entry["extensions"] = {MTOON: toon}
    entries[number] = entry
    return True
