"""Putting a glTF together: a new one, or one that was read with more added to it, as bytes that are always the same."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori.errors import FormatError
from komadori.formats.gltf import container
from komadori.formats.gltf.document import MAGIC_BYTES, Gltf
from komadori.formats.gltf.spare import freed
from komadori.words import Note

COMPONENTS = {"f4": 5126, "u1": 5121, "u2": 5123, "u4": 5125}
VERTICES, INDICES = 34962, 34963
"""Buffer view targets."""


class Builder:
    """Collects objects and bytes. What a document brought stays as it was; only `dropped` animations make room."""

    def __init__(self, document: Gltf | None = None, dropped: set[int] | None = None) -> None:
        self.json: dict[str, Any] = dict(document.json) if document else {}
        self.json.setdefault("asset", {"version": "2.0", "generator": "komadori"})
        self._own: set[str] = set()
        self._parts: list[bytes] = []
        self._size = 0
        self._times: dict[bytes, int] = {}
        self._free: dict[str, list[int]] = {}
        if document is not None:
            accessors, views = freed(document, dropped or set())
            self._free = {"accessors": accessors[::-1], "bufferViews": views[::-1]}
            self._carry(document)

    def objects(self, kind: str) -> list[Any]:
        """The list of one kind of object ("nodes"), ours to change; its objects are not."""
        if kind not in self._own:
            self._own.add(kind)
            self.json[kind] = list(self.json.get(kind, []))
        found: list[Any] = self.json[kind]
        return found

    def add(self, kind: str, thing: dict[str, Any]) -> int:
        """Adds an object, at a number that became free or at the end, and gives its number."""
        if self._free.get(kind):
            number = self._free[kind].pop()
            self.objects(kind)[number] = thing
            return number
        self.objects(kind).append(thing)
        return len(self.objects(kind)) - 1

    def view(self, data: bytes, target: int | None = None) -> int:
        """A buffer view of `data`, which starts at a multiple of four bytes."""
        view: dict[str, Any] = {"buffer": 0, "byteOffset": self._put(data), "byteLength": len(data)}
        return self.add("bufferViews", view | ({"target": target} if target else {}))

    def accessor(self, values: NDArray[Any], kind: str, *, target: int | None = None, bounds: bool = False) -> int:
        """An accessor of its own view; `bounds` states the least and the largest values."""
        return self._accessor(values, kind, self.view(values.tobytes(), target), 0, bounds)

    def key_times(self, times: NDArray[np.float32], view: int, offset: int) -> int:
        """An accessor of key times in a view; the same times are stated once."""
        name = times.tobytes()
        if name not in self._times:
            self._times[name] = self._accessor(times, "SCALAR", view, offset, True)
        return self._times[name]

    def knows_times(self, times: NDArray[np.float32]) -> bool:
        """Whether these key times stand in the file already."""
        return times.tobytes() in self._times

    def key_values(self, values: NDArray[np.float32], kind: str, view: int, offset: int) -> int:
        """An accessor of key values in a view."""
        return self._accessor(values, kind, view, offset, False)

    def encoded(self, text: bool) -> bytes:
        """The whole file: a .glb, or as `text` a .gltf that holds its bytes as a data URI."""
        self._tidy()
        binary = b"".join(self._parts)
        if binary:
            # What a buffer says of itself beside its bytes stays with it.
            known = self.json.get("buffers", [])[:1]
            kept = {key: value for entry in known for key, value in entry.items() if key not in ("uri", "byteLength")}
            uri = {"uri": container.data_uri(binary)} if text else {}
            self.json["buffers"] = [{**uri, "byteLength": len(binary), **kept}]
        encoded = self._text()
        return encoded + b"\n" if text else container.packed(encoded, binary)

    def _text(self) -> bytes:
        try:
            return json.dumps(self.json, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")
        except UnicodeEncodeError:
            # A lone surrogate can only be escaped.
            return json.dumps(self.json, separators=(",", ":"), allow_nan=False).encode("ascii")
        except ValueError:
            raise FormatError("glTF", expected=Note("finite numbers"), found=Note("a number out of range")) from None

    def _put(self, data: bytes) -> int:
        at = self._size
        padding = -len(data) % 4
        self._parts += [data, b"\0" * padding] if padding else [data]
        self._size += len(data) + padding
        return at

    def _accessor(self, values: NDArray[Any], kind: str, view: int, offset: int, bounds: bool) -> int:
        component = COMPONENTS[values.dtype.str[1:]]
        entry: dict[str, Any] = {"bufferView": view, "byteOffset": offset} if offset else {"bufferView": view}
        entry |= {"componentType": component, "count": len(values), "type": kind}
        if bounds:
            flat = values.reshape(len(values), -1)
            entry |= {"min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()}
        return self.add("accessors", entry)

    def _carry(self, document: Gltf) -> None:
        """Takes over the document's buffers as one, without the views that became free."""
        if document.listed("bufferViews"):
            self._carry_views(document)
        for number, image in enumerate(document.listed("images")):
            uri = image.text("uri")
            if "uri" in image and uri[:5].lower() != "data:":
                self._carry_image(document, number)

    def _carry_views(self, document: Gltf) -> None:
        free = set(self._free["bufferViews"])
        if not free and len(document.listed("buffers")) == 1:
            # Whatever lies between the views comes along: something unknown may mean it.
            self._put(document.buffer(0))
            return
        views = self.objects("bufferViews")
        # Views may overlap: bytes are taken over in stretches that belong together.
        spans = sorted(
            (view["buffer"], view.get("byteOffset", 0), view.get("byteOffset", 0) + view["byteLength"], number)
            for number, view in enumerate(views)
            if number not in free and document.view(number) is not None
        )
        stretches: list[list[Any]] = []
        for buffer, start, end, number in spans:
            if stretches and stretches[-1][0] == buffer and start < stretches[-1][2]:
                stretches[-1][2] = max(stretches[-1][2], end)
                stretches[-1][3].append(number)
            else:
                stretches.append([buffer, start, end, [number]])
        for buffer, start, end, numbers in stretches:
            # Numbers of up to four bytes keep their alignment, whatever lay before them.
            shift = start % 4
            at = self._put(b"\0" * shift + document.buffer(buffer)[start:end]) + shift - start
            for number in numbers:
                view = views[number]
                views[number] = {**view, "buffer": 0, "byteOffset": view.get("byteOffset", 0) + at}

    def _carry_image(self, document: Gltf, number: int) -> None:
        entry = document.listed("images")[number]
        path = container.inside(entry.text("uri"), document.folder, document.name, entry.at("uri"))
        if not container.there(path):
            return
        image = document.image(number)
        if not any(image.data.startswith(magic) for magic, _ in MAGIC_BYTES):
            return
        kept = {key: value for key, value in entry.value.items() if key != "uri"}
        view = self.view(image.data)
        self.objects("images")[number] = {**kept, "bufferView": view, "mimeType": image.mime}

    def _tidy(self) -> None:
        """Fills the numbers that stayed free: at the end of the list they are dropped, elsewhere they repeat another object."""
        for kind in ("accessors", "bufferViews"):
            free = set(self._free.get(kind, ()))
            things = self.objects(kind) if free else []
            while things and len(things) - 1 in free:
                things.pop()
            stand_in = next((n for n in range(len(things)) if n not in free), None)
            for number in free:
                if number < len(things) and stand_in is not None:
                    things[number] = things[stand_in]
        for kind in ("accessors", "bufferViews", "buffers"):
            if not self.json.get(kind, True):
                del self.json[kind]
