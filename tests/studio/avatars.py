"""The built-in girl as a VRM, for tests: her hips hang below a root that never moves, as in most avatars."""

from __future__ import annotations

import json
import re
import struct
from typing import Any

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
