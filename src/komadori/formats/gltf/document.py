"""A glTF file as it stands: its JSON, its buffers and accessors, and its tree of nodes, all checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori import json_text, quat
from komadori.character import Image
from komadori.errors import FormatError
from komadori.formats.gltf import accessors, container, packed
from komadori.formats.gltf.fields import Fields
from komadori.quat import Array
from komadori.words import Note

MAGIC_BYTES = ((b"\x89PNG", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"\xabKTX", "image/ktx2"))


@dataclass(frozen=True, eq=False)
class Node:
    """A node's place in its parent: first `stretch` (3, 3), then `rotation` (4,), then `translation` (3,).

    The stretch is the diagonal of a scale, or what else a matrix does beside turning.
    """

    name: str
    parent: int
    children: tuple[int, ...]
    translation: Array
    rotation: Array
    stretch: Array
    mesh: int | None
    skin: int | None
    camera: bool

    @property
    def linear(self) -> Array:
        """(3, 3): rotation and stretch together."""
        return np.asarray(quat.to_matrix(self.rotation) @ self.stretch)

    @property
    def matrix(self) -> Array:
        """(4, 4): the node's frame to its parent's."""
        result = np.eye(4)
        result[:3, :3] = self.linear
        result[:3, 3] = self.translation
        return result


@dataclass(frozen=True, eq=False)
class Gltf:
    """A glTF file: `json` is the whole of it and is never changed; `binary` is the GLB's own chunk."""

    name: str
    json: dict[str, Any] = field(repr=False)
    binary: bytes | None = field(repr=False)
    folder: Path | None
    size: int
    also: frozenset[int] = frozenset()
    """Nodes that are joints although no skin or animation says so (VRM's humanoid bones)."""
    metres: float = 1.0
    """What one unit of the file is taken for: a metre, as glTF wants it, unless its body cannot be of that size."""
    mirrored: bool = False
    """Whether the file is read in a mirror that swaps left and right."""
    _buffers: dict[int, bytes] = field(default_factory=dict, repr=False)
    _lists: dict[str, list[Fields]] = field(default_factory=dict, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return (
            Gltf,
            (
                self.name,
                self.json,
                self.binary,
                self.folder,
                self.size,
                self.also,
                self.metres,
                self.mirrored,
                self._buffers,
            ),
        )

    @cached_property
    def fields(self) -> Fields:
        """The JSON, to be asked with checks."""
        return Fields(self.json, self.name, "")

    def listed(self, key: str) -> list[Fields]:
        """The file's objects of one kind: "meshes", "animations" ..."""
        if key not in self._lists:
            self._lists[key] = self.fields.many(key)
        return self._lists[key]

    def buffer(self, number: int) -> bytes:
        """The bytes of a buffer, all that the file promises."""
        if number not in self._buffers:
            entry = self.listed("buffers")[number]
            length = entry.whole("byteLength", low=1)
            if "uri" in entry:
                data = container.resource(entry.text("uri"), self.folder, self.name, entry.at("uri"))[0]
            elif number == 0 and self.binary is not None:
                data = self.binary
            else:
                raise FormatError(self.name, entry.place, problem=Note("the uri is missing"))
            if len(data) < length:
                raise entry.refused("byteLength", f"{length} bytes", f"only {len(data)}")
            self._buffers[number] = data if len(data) == length else data[:length]
        return self._buffers[number]

    def view(self, number: int) -> tuple[memoryview, int]:
        """The bytes of a buffer view, and its stride (0 for packed)."""
        view = self.listed("bufferViews")[number]
        buffer = view.index("buffer", len(self.listed("buffers")))
        if buffer is None:
            raise view.refused("buffer", "a buffer", "none")
        offset, length = view.whole("byteOffset", 0), view.whole("byteLength", low=1)
        data = self.buffer(buffer)
        if offset + length > len(data):
            raise FormatError(
                self.name,
                view.place,
                expected=Note("{count} bytes", count=offset + length),
                found=Note("a buffer of {count}", count=len(data)),
            )
        return memoryview(data)[offset : offset + length], view.whole("byteStride", 0, low=0, high=252)

    def accessor(self, number: int) -> NDArray[Any]:
        """An accessor's values: (count,), (count, n) or (count, rows, columns); normalised integers as float64."""
        return accessors.decoded(self.listed("accessors")[number], self._view_of, self.weight)

    @cached_property
    def weight(self) -> int:
        """Bytes of the file and of the buffer files next to it; its contents cannot be much larger."""
        total = self.size
        for entry in self.listed("buffers"):
            uri = entry.text("uri")
            if uri and uri[:5].lower() != "data:" and self.folder is not None:
                path = container.inside(uri, self.folder, self.name, entry.at("uri"))
                total += path.stat().st_size if container.there(path) else 0
        return total

    def _view_of(self, owner: Fields, key: str) -> tuple[memoryview, int]:
        number = owner.index(key, len(self.listed("bufferViews")))
        if number is None:
            raise owner.refused(key, "a buffer view", "none")
        return self.view(number)

    def image(self, number: int) -> Image:
        """A picture as the file has it; its type is determined by its first bytes if nothing else says it."""
        entry = self.listed("images")[number]
        if "uri" in entry:
            uri = entry.text("uri")
            data, mime = container.resource(uri, self.folder, self.name, entry.at("uri"))
            title = "" if uri[:5].lower() == "data:" else uri
        else:
            data, mime, title = bytes(self._view_of(entry, "bufferView")[0]), "", ""
        told = next((kind for magic, kind in MAGIC_BYTES if data.startswith(magic)), mime)
        return Image(entry.text("name") or title or f"image{number}", entry.text("mimeType") or told, data)

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """Every node of the file, with its parent (-1 for none); a tree, or a FormatError."""
        entries = self.listed("nodes")
        count = len(entries)
        children = [entry.references("children", count) for entry in entries]
        parents = [-1] * count
        for number, below in enumerate(children):
            for child in below:
                if parents[child] != -1 or child == number:
                    expected = Note("one parent per node")
                    raise entries[number].refused("children", expected, f"node {child} once more")
                parents[child] = number
        self._refuse_rings(parents)
        kinds = len(self.listed("meshes")), len(self.listed("skins"))
        return tuple(
            _node(entry, number, parents[number], children[number], kinds) for number, entry in enumerate(entries)
        )

    def _refuse_rings(self, parents: list[int]) -> None:
        # Walking up from every node, each is seen once: a walk that meets its own steps is in a cycle.
        seen = [0] * len(parents)
        for start in range(len(parents)):
            at = start
            while at != -1 and seen[at] == 0:
                seen[at] = start + 1
                at = parents[at]
            if at != -1 and seen[at] == start + 1:
                raise FormatError(self.name, f"nodes[{at}]", problem=Note("the nodes form a cycle"))

    @property
    def ground(self) -> Array:
        """(4, 4) from the frame that the topmost nodes hang in to the world: its unit in metres."""
        return np.diag([-self.metres if self.mirrored else self.metres, self.metres, self.metres, 1.0])

    @cached_property
    def worlds(self) -> Array:
        """(nodes, 4, 4) from each node's frame to the world, at rest."""
        result = np.empty((len(self.nodes), 4, 4))
        done = [False] * len(self.nodes)
        for start in range(len(self.nodes)):
            path = []
            at = start
            while at != -1 and not done[at]:
                path.append(at)
                at = self.nodes[at].parent
            for node in reversed(path):
                parent = self.nodes[node].parent
                with np.errstate(all="ignore"):
                    own = self.nodes[node].matrix
                    result[node] = self.ground @ own if parent == -1 else result[parent] @ own
                if not np.abs(result[node]).max() < LARGEST:
                    raise FormatError(
                        self.name, f"nodes[{node}]", problem=Note("the node's position in the world is out of range")
                    )
                done[node] = True
        return result

    @cached_property
    def scene(self) -> tuple[int, ...]:
        """The nodes of the scene that is shown, parents before children, in the order of the file's lists."""
        scenes, nodes = self.listed("scenes"), self.nodes
        chosen = self.fields.index("scene", len(scenes))
        roots = [n for n, node in enumerate(nodes) if node.parent == -1]
        if scenes:
            roots = list(scenes[chosen or 0].references("nodes", len(nodes)))
            met: set[int] = set()
            for root in roots:
                if nodes[root].parent != -1 or root in met:
                    raise scenes[chosen or 0].refused("nodes", "nodes without a parent, each once", f"node {root}")
                met.add(root)
        order, waiting = [], roots[::-1]
        while waiting:
            order.append(waiting.pop())
            waiting.extend(reversed(nodes[order[-1]].children))
        return tuple(order)


LARGEST = 1e12
"""Metres: nothing may be farther away, or sums of squares would overflow."""


def _node(entry: Fields, number: int, parent: int, children: tuple[int, ...], kinds: tuple[int, int]) -> Node:
    meshes, skins = kinds
    if "matrix" in entry:
        flat = entry.numbers("matrix", 16, ())
        matrix = np.array(flat).reshape(4, 4).T
        translation, linear = matrix[:3, 3], matrix[:3, :3]
        rotation = nearest_rotation(linear)
        stretch = quat.to_matrix(rotation).T @ linear
    else:
        translation = np.array(entry.numbers("translation", 3, (0.0, 0.0, 0.0)))
        rotation = quat.normalized(entry.numbers("rotation", 4, (0.0, 0.0, 0.0, 1.0)))
        stretch = np.diag(entry.numbers("scale", 3, (1.0, 1.0, 1.0)))
    name = entry.text("name") or f"node_{number}"
    mesh, skin = entry.index("mesh", meshes), entry.index("skin", skins)
    return Node(name, parent, children, translation, rotation, stretch, mesh, skin, "camera" in entry)


def nearest_rotation(linear: Array) -> Array:
    """The rotations (..., 4) that are nearest to matrices (..., 3, 3); a mirror stays in what is left."""
    left, _, right = np.linalg.svd(linear)
    left[..., 2] *= np.where(np.linalg.det(left @ right) < 0.0, -1.0, 1.0)[..., None]
    return quat.from_matrix(left @ right)


def parse(data: bytes, name: str, folder: Path | None = None) -> Gltf:
    """The glTF in `data`, a .glb or a .gltf; `folder` is where the files that it names are looked for."""
    text, binary = container.split(data, name)
    value = json_text.loaded(json_text.decoded(text, name), name)
    document = Gltf(name, json_text.mapping(value, name, ""), binary, folder, len(data))
    asset = document.fields.one("asset")
    version = asset.text("version")
    if not version.startswith("2."):
        raise asset.refused("version", "glTF version 2", repr(version)[:40])
    return packed.unpacked(document)
