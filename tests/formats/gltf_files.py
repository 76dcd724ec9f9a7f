"""glTF files put together by hand, byte by byte as the specification says: independent of komadori's own writer."""

from __future__ import annotations

import base64
import json
import struct
from typing import Any

import numpy as np

TYPES = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}


class Handmade:
    """A glTF in the making: `json` is free to be changed, `put` adds an accessor with its bytes."""

    def __init__(self, **parts: Any) -> None:
        self.json: dict[str, Any] = {"asset": {"version": "2.0"}, **parts}
        self.data = b""

    def view(self, data: bytes, **more: Any) -> int:
        self.data += b"\0" * (-len(self.data) % 4)
        views = self.json.setdefault("bufferViews", [])
        views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": len(data), **more})
        self.data += data
        return len(views) - 1

    def put(self, values: Any, kind: str, dtype: str = "f4", **more: Any) -> int:
        array = np.asarray(values, dtype="<" + dtype)
        accessors = self.json.setdefault("accessors", [])
        view = self.view(array.tobytes())
        accessors.append({"bufferView": view, "componentType": TYPES[dtype], "count": len(array), "type": kind, **more})
        return len(accessors) - 1

    def animate(self, node: int, path: str, times: Any, values: Any, mode: str = "LINEAR", name: str = "a") -> None:
        animations = self.json.setdefault("animations", [])
        entry = next((one for one in animations if one["name"] == name), None)
        if entry is None:
            entry = {"name": name, "samplers": [], "channels": []}
            animations.append(entry)
        flat = np.asarray(values, dtype=float)
        kind = {"rotation": "VEC4", "weights": "SCALAR"}.get(path, "VEC3")
        times = self.put(times, "SCALAR", min=[float(np.min(times))], max=[float(np.max(times))])
        sampler = {"input": times, "output": self.put(flat, kind), "interpolation": mode}
        entry["samplers"].append(sampler)
        entry["channels"].append({"sampler": len(entry["samplers"]) - 1, "target": {"node": node, "path": path}})

    def _with_buffer(self, **more: Any) -> bytes:
        whole = dict(self.json)
        if self.data:
            whole["buffers"] = [{"byteLength": len(self.data), **more}]
        return json.dumps(whole).encode()

    def glb(self) -> bytes:
        return glb(self._with_buffer(), self.data)

    def gltf(self) -> bytes:
        uri = "data:application/octet-stream;base64," + base64.b64encode(self.data).decode()
        return self._with_buffer(uri=uri) if self.data else self._with_buffer()

    def gltf_beside(self, name: str) -> bytes:
        return self._with_buffer(uri=name)


def glb(text: bytes, data: bytes = b"") -> bytes:
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    if data:
        data += b"\0" * (-len(data) % 4)
        chunks += struct.pack("<I4s", len(data), b"BIN\0") + data
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def arm() -> Handmade:
    """Two joints in a skin and an end: the upper one 1 m up, the lower one 1 m to the side, a mesh of two triangles."""
    made = Handmade(
        scene=0,
        scenes=[{"nodes": [0, 3]}],
        nodes=[
            {"name": "upper", "translation": [0, 1, 0], "children": [1]},
            {"name": "lower", "translation": [1, 0, 0], "children": [2]},
            {"name": "tip", "translation": [0.5, 0, 0]},
            {"name": "body", "mesh": 0, "skin": 0},
        ],
    )
    vertices = [[0, 1, 0], [1, 1, 0], [1, 1.5, 0], [1.5, 1, 0]]
    primitive = {
        "attributes": {
            "POSITION": made.put(vertices, "VEC3", min=[0, 1, 0], max=[1.5, 1.5, 0]),
            "NORMAL": made.put([[0, 0, 1]] * 4, "VEC3"),
            "TEXCOORD_0": made.put([[0, 0], [1, 0], [0, 1], [1, 1]], "VEC2"),
            "JOINTS_0": made.put([[0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0]], "VEC4", "u1"),
            "WEIGHTS_0": made.put([[1, 0, 0, 0], [0.5, 0.5, 0, 0], [0.25, 0.75, 0, 0], [1, 0, 0, 0]], "VEC4"),
        },
        "indices": made.put([0, 1, 2, 1, 3, 2], "SCALAR", "u2"),
    }
    made.json["meshes"] = [{"name": "sleeve", "primitives": [primitive]}]
    inverse = np.stack([np.eye(4), np.eye(4)])
    inverse[0, :3, 3] = (0, -1, 0)
    inverse[1, :3, 3] = (-1, -1, 0)
    matrices = made.put(inverse.transpose(0, 2, 1).reshape(2, 16), "MAT4")
    made.json["skins"] = [{"joints": [0, 1], "inverseBindMatrices": matrices}]
    return made
