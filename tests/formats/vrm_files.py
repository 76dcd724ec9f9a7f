"""Small VRM and VRMA files made by hand: the JSON as a dict that a test may change, and the bytes that it makes."""

from __future__ import annotations

import copy
import json
import struct
from typing import Any

import numpy as np

from komadori.formats.gltf import container
from komadori.formats.vrm import humanoid

# role -> place in the world of a body in a T-pose that looks along +Z (metres)
PLACES: dict[str, tuple[float, float, float]] = {
    "hips": (0.0, 0.9, 0.0),
    "spine": (0.0, 1.0, 0.0),
    "chest": (0.0, 1.15, 0.0),
    "neck": (0.0, 1.4, 0.0),
    "head": (0.0, 1.5, 0.02),
}
for _side, _sign in (("left", 1.0), ("right", -1.0)):
    PLACES |= {
        f"{_side}_upper_arm": (_sign * 0.15, 1.35, 0.0),
        f"{_side}_lower_arm": (_sign * 0.42, 1.35, 0.0),
        f"{_side}_hand": (_sign * 0.66, 1.35, 0.0),
        f"{_side}_thumb_metacarpal": (_sign * 0.68, 1.34, 0.03),
        f"{_side}_thumb_proximal": (_sign * 0.71, 1.34, 0.05),
        f"{_side}_upper_leg": (_sign * 0.09, 0.85, 0.0),
        f"{_side}_lower_leg": (_sign * 0.09, 0.45, 0.0),
        f"{_side}_foot": (_sign * 0.09, 0.08, 0.0),
        f"{_side}_toes": (_sign * 0.09, 0.02, 0.13),
    }
ROLES = [role for role in humanoid.ROLES if role in PLACES]


def body(front: float = 1.0) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Nodes of a humanoid that looks along +Z (or -Z), and the node of each role; a node "Armature" holds them."""
    nodes: list[dict[str, Any]] = [{"name": "Armature", "children": []}]
    number: dict[str, int] = {}
    turn = np.array([front, 1.0, front])
    for role in ROLES:
        parent = humanoid.PARENTS[role]
        while parent and parent not in number:
            parent = humanoid.PARENTS[parent]
        away = (np.array(PLACES[role]) - (np.array(PLACES[parent]) if parent else 0.0)) * turn
        number[role] = len(nodes)
        nodes.append({"name": f"b_{role}", "translation": away.tolist()})
        nodes[number[parent] if parent else 0].setdefault("children", []).append(number[role])
    return nodes, number


def strand(
    nodes: list[dict[str, Any]], parent: int, name: str, count: int, step: tuple[float, float, float]
) -> list[int]:
    """Adds a row of nodes below `parent`."""
    made = []
    for n in range(count):
        nodes.append({"name": f"{name}_{n}", "translation": list(step)})
        nodes[parent].setdefault("children", []).append(len(nodes) - 1)
        parent = len(nodes) - 1
        made.append(parent)
    return made


def document(nodes: list[dict[str, Any]], extensions: dict[str, Any], **more: Any) -> dict[str, Any]:
    roots = sorted(set(range(len(nodes))) - {child for node in nodes for child in node.get("children", ())})
    return {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": roots}],
        "nodes": nodes,
        "extensionsUsed": list(extensions),
        "extensions": extensions,
        **more,
    }


def avatar_1() -> dict[str, Any]:
    """A VRM 1.0 with a strand of hair, colliders of every shape, a face and a toon material; no mesh is drawn."""
    nodes, number = body()
    hair = strand(nodes, number["head"], "hair", 4, (0.0, -0.1, 0.0))
    bones = {humanoid.bone_name(role): {"node": node} for role, node in number.items()}
    extended = {"VRMC_springBone_extended_collider": {"specVersion": "1.0", "shape": {"plane": {"normal": [0, 1, 0]}}}}
    sphere = {"sphere": {"offset": [0.0, 0.1, 0.02], "radius": 0.1}}
    capsule = {"capsule": {"offset": [0.0, 0.0, 0.0], "tail": [0.0, -0.2, 0.0], "radius": 0.05}}
    springs = {
        "specVersion": "1.0",
        "colliders": [
            {"node": number["head"], "shape": sphere},
            {"node": number["chest"], "shape": capsule},
            {"node": number["hips"], "shape": sphere, "extensions": extended},
        ],
        "colliderGroups": [{"name": "body", "colliders": [0, 1]}, {"name": "floor", "colliders": [2]}],
        "springs": [
            {
                "name": "Ponytail",
                "center": number["hips"],
                "colliderGroups": [1, 0],
                "joints": [
                    {"node": node, "stiffness": 2.0, "gravityPower": 0.5, "gravityDir": [0, -1, 0], "dragForce": 0.3}
                    for node in hair
                ],
            }
        ],
    }
    meta = {"name": "Avatar", "authors": ["A. Person"], "licenseUrl": "https://vrm.dev/licenses/1.0/"}
    one = {"specVersion": "1.0", "meta": meta, "humanoid": {"humanBones": bones}}
    return document(nodes, {"VRMC_vrm": one, "VRMC_springBone": springs})


def avatar_0() -> dict[str, Any]:
    """A VRM 0.x, looking along -Z, with a forked strand of hair and a collider."""
    nodes, number = body(front=-1.0)
    hair = strand(nodes, number["head"], "hair", 3, (0.0, -0.1, 0.0))
    strand(nodes, hair[0], "fork", 1, (0.05, 0.0, 0.0))
    old = {role: name for name, role in reversed(humanoid.OLD_BONES.items())}
    bones = [{"bone": old[role], "node": node, "useDefaultValues": True} for role, node in number.items()]
    sphere = {"offset": {"x": 0.01, "y": 0.1, "z": 0.02}, "radius": 0.1}
    group = {
        "comment": "",
        "stiffiness": 2.5,
        "gravityPower": 0.5,
        "gravityDir": {"x": 0.2, "y": -1.0, "z": 0.4},
        "dragForce": 0.3,
        "hitRadius": 0.02,
        "center": -1,
        "bones": [hair[0]],
        "colliderGroups": [0],
    }
    animation = {"boneGroups": [group], "colliderGroups": [{"node": number["head"], "colliders": [sphere]}]}
    meta = {"title": "Old avatar", "author": "B. Person", "licenseName": "CC_BY"}
    zero = {"specVersion": "0.0", "meta": meta, "humanoid": {"humanBones": bones}, "secondaryAnimation": animation}
    return document(nodes, {"VRM": zero})


def face(made: dict[str, Any], parent: int, morphs: tuple[str, ...]) -> tuple[dict[str, Any], bytes]:
    """`made` with a triangle of two materials that hangs from a node and has `morphs`, and the file's bytes."""
    made = copy.deepcopy(made)
    data = struct.pack("<9f", 0.0, 0.0, 0.1, 0.1, 0.0, 0.1, 0.0, 0.1, 0.1)
    made["buffers"] = [{"byteLength": len(data)}]
    made["bufferViews"] = [{"buffer": 0, "byteOffset": 0, "byteLength": len(data)}]
    place = {
        "bufferView": 0,
        "componentType": 5126,
        "count": 3,
        "type": "VEC3",
        "min": [0, 0, 0.1],
        "max": [0.1, 0.1, 0.1],
    }
    made["accessors"] = [place]
    part = {"attributes": {"POSITION": 0}, "targets": [{"POSITION": 0} for _ in morphs]}
    primitives = [{**part, "material": 0}, {**part, "material": 1}]
    made["meshes"] = [{"name": "face", "primitives": primitives, "extras": {"targetNames": list(morphs)}}]
    made["materials"] = [{"name": "skin"}, {"name": "lines"}]
    made["nodes"].append({"name": "face", "mesh": 0})
    made["nodes"][parent].setdefault("children", []).append(len(made["nodes"]) - 1)
    return made, data


def packed(made: dict[str, Any], binary: bytes = b"") -> bytes:
    return container.packed(json.dumps(made).encode(), binary)
