"""Bodies for the studio's tests: the built-in girl as a VRM, whose hips hang below a root that never moves, and one with fingers."""

from __future__ import annotations

import json
import re
import struct
from typing import Any

import numpy as np

from komadori import Motion, Skeleton
from komadori.characters import character
from komadori.formats import encoded


def girl_vrm() -> bytes:
    """The bytes of a VRM 1.0."""
    girl = character("girl")
    glb = encoded(girl, "girl.glb")
    (length,) = struct.unpack_from("<I", glb, 12)
    document = json.loads(glb[20 : 20 + length])
    names = {node.get("name"): n for n, node in enumerate(document["nodes"])}
    top = names[girl.skeleton.names[0]]
    root = len(document["nodes"])
    document["nodes"].append({"name": "Root", "children": [top], "translation": [0.0, 0.0, 0.0]})
    for scene in document["scenes"]:
        scene["nodes"] = [root if node == top else node for node in scene["nodes"]]
    for node in document["nodes"][:-1]:
        if top in node.get("children", []):
            node["children"] = [root if child == top else child for child in node["children"]]
    bones = {
        re.sub("_([a-z])", lambda found: found[1].upper(), role): {"node": names[girl.skeleton.names[joint]]}
        for role, joint in girl.skeleton.roles.items()
    }
    licence = "https://vrm.dev/licenses/1.0/"
    meta = {"name": "girl", "authors": ["komadori"], "licenseUrl": licence, "version": "1"}
    document["extensions"] = {"VRMC_vrm": {"specVersion": "1.0", "meta": meta, "humanoid": {"humanBones": bones}}}
    document["extensionsUsed"] = [*document.get("extensionsUsed", []), "VRMC_vrm"]
    data = _with_root_in_skins(document, root, glb[28 + length :])
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data)) + struct.pack("<I4s", len(text), b"JSON")
    return head + text + struct.pack("<I4s", len(data), b"BIN\0") + data


def _with_root_in_skins(document: dict[str, Any], root: int, data: bytes) -> bytes:
    """Makes the root a joint of every skin; the bytes with the matrices that it needs."""
    identity = struct.pack("<16f", *(float(n % 5 == 0) for n in range(16)))
    for skin in document["skins"]:
        accessor = document["accessors"][skin["inverseBindMatrices"]]
        view = document["bufferViews"][accessor["bufferView"]]
        begin = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        matrices = data[begin : begin + 64 * accessor["count"]] + identity
        document["bufferViews"].append({"buffer": 0, "byteOffset": len(data), "byteLength": len(matrices)})
        document["accessors"].append(
            {
                **accessor,
                "bufferView": len(document["bufferViews"]) - 1,
                "byteOffset": 0,
                "count": accessor["count"] + 1,
            }
        )
        skin["inverseBindMatrices"] = len(document["accessors"]) - 1
        skin["joints"].append(root)
        skin["skeleton"] = root
        data += matrices
    document["buffers"][0]["byteLength"] = len(data)
    return data


def with_fingers(motion: Motion) -> Motion:
    """`motion` on a body with two fingers and a thumb on each hand, straight as in a T-pose."""
    skeleton, count = motion.skeleton, len(motion)
    names, parents = list(skeleton.names), skeleton.parents.tolist()
    offsets, roles = [*skeleton.offsets], dict(skeleton.roles)
    for side in ("left", "right"):
        hand = roles[f"{side}_hand"]
        along = skeleton.offsets[hand] / np.linalg.norm(skeleton.offsets[hand])
        for finger, aside in (("thumb", 0.03), ("index", 0.015), ("little", -0.03)):
            joints = ("metacarpal", "proximal") if finger == "thumb" else ("proximal", "intermediate")
            parent, step = hand, 0.08 * along + [0.0, 0.0, aside]
            for part in (*joints, "distal"):
                role = f"{side}_{finger}_{part}"
                roles[role] = len(names)
                names.append(role)
                parents.append(parent)
                offsets.append(step)
                parent, step = roles[role], 0.03 * along
    body = Skeleton(tuple(names), np.array(parents), np.array(offsets), roles=roles)
    more = len(names) - len(skeleton)
    still = np.broadcast_to([0.0, 0.0, 0.0, 1.0], (count, more, 4))
    moved = np.broadcast_to(body.offsets[-more:], (count, more, 3))
    return Motion(
        body, motion.fps, np.concatenate([motion.rotations, still], 1), np.concatenate([motion.positions, moved], 1)
    )
