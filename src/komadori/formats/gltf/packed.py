"""glTF whose geometry is compressed (Draco, meshopt): the same file with plain bytes, from which all else is read and written.

The codecs are libraries that komadori can do without, loaded when a file needs one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from komadori.errors import FormatError, quoted
from komadori.formats.apart import Extra
from komadori.formats.gltf.accessors import SHAPES, TYPES
from komadori.formats.gltf.fields import Fields
from komadori.words import Note

if TYPE_CHECKING:
    from komadori.formats.gltf.document import Gltf

DRACO = "KHR_draco_mesh_compression"
MESHOPT = ("EXT_meshopt_compression", "KHR_meshopt_compression")
_DRACO = Extra("Draco glTF", "DracoPy", "DracoPy", "compressed")
_MESHOPT = Extra("meshopt glTF", "meshoptimizer", "meshoptimizer", "compressed")
MOST_TIMES = 128
"""No meshopt codec expands a byte to more than this: a larger count is wrong, and no memory is allocated for it."""
_FILTERS = {"OCTAHEDRAL": "decode_filter_oct", "QUATERNION": "decode_filter_quat", "EXPONENTIAL": "decode_filter_exp"}


def unpacked(document: Gltf) -> Gltf:
    """`document` without compression; one that has none is given back as it is.

    If the codec for meshes is not installed they stay compressed: skeleton and motions can be read all the same.
    """
    views = document.listed("bufferViews")
    packed = {number: name for number, view in enumerate(views) for name in MESHOPT if name in view.one("extensions")}
    draco = any(DRACO in one.one("extensions") for mesh in document.listed("meshes") for one in mesh.many("primitives"))
    if packed:
        document = _without_meshopt(document, packed)
    if draco and find_spec(_DRACO.module) is not None:
        document = _without_draco(document)
    return document


def need_draco() -> None:
    """The error of a mesh that is still compressed: its codec is not installed."""
    _DRACO.check()


class _Plain:
    """A document that is being unpacked: its JSON, copied where it changes, and the bytes that are added as one more buffer."""

    def __init__(self, document: Gltf, gone: tuple[str, ...]) -> None:
        self.document, self.gone = document, gone
        self.json = dict(document.json)
        self.views = [dict(view.value) for view in document.listed("bufferViews")]
        self.buffer = len(document.listed("buffers"))
        self.parts: list[bytes] = []
        self.size = 0

    def put(self, values: NDArray[Any] | bytes) -> dict[str, Any]:
        """Adds bytes: where they are."""
        data = values if isinstance(values, bytes) else values.tobytes()
        place = {"buffer": self.buffer, "byteOffset": self.size, "byteLength": len(data)}
        padding = -len(data) % 4
        self.parts += [data, bytes(padding)]
        self.size += len(data) + padding
        return place

    def document_of(self) -> Gltf:
        """The plain document."""
        buffers = [_stripped(entry.value, self.gone) for entry in self.document.listed("buffers")]
        data = b"".join(self.parts)
        self.json |= {"bufferViews": self.views, "buffers": [*buffers, {"byteLength": max(len(data), 1)}]}
        for key in ("extensionsUsed", "extensionsRequired"):
            left = [name for name in self.document.fields.texts(key) if name not in self.gone]
            if left:
                self.json[key] = left
            else:
                self.json.pop(key, None)
        known = {**self.document._buffers, self.buffer: data or b"\0"}
        return replace(self.document, json=self.json, size=self.document.size + len(data), _buffers=known, _lists={})


def _stripped(entry: dict[str, Any], gone: tuple[str, ...]) -> dict[str, Any]:
    """`entry` without the extensions that are `gone`."""
    known = entry.get("extensions")
    if not isinstance(known, dict):
        return dict(entry)
    left = {name: value for name, value in known.items() if name not in gone}
    kept = {key: value for key, value in entry.items() if key != "extensions"}
    return {**kept, "extensions": left} if left else kept


def _without_meshopt(document: Gltf, packed: dict[int, str]) -> Gltf:
    required = set(document.fields.texts("extensionsRequired")) & set(MESHOPT)
    made = _Plain(document, MESHOPT)
    if not required and find_spec(_MESHOPT.module) is None:
        # The same bytes stand in the file uncompressed.
        for number in packed:
            made.views[number] = _stripped(made.views[number], MESHOPT)
        return made.document_of()
    _MESHOPT.check()
    for number, name in packed.items():
        view = document.listed("bufferViews")[number]
        kept = _stripped(made.views[number], MESHOPT)
        made.views[number] = {**kept, **made.put(_meshopt(document, view.one("extensions").one(name)))}
    return made.document_of()


def _meshopt(document: Gltf, view: Fields) -> bytes:
    """The bytes that a compressed view stands for."""
    import meshoptimizer

    count, stride = view.whole("count", low=1), view.whole("byteStride", low=1, high=256)
    mode, wanted = view.text("mode"), view.text("filter", "NONE")
    data = bytes(_source(document, view))
    if count * stride > MOST_TIMES * len(data) + 1024:
        raise view.refused("count", Note("a count that the file can mean"), str(count))
    try:
        if mode == "ATTRIBUTES" and stride % 4 == 0:
            made = meshoptimizer.decode_vertex_buffer(count, stride, data)
        elif mode == "TRIANGLES" and stride in (2, 4) and count % 3 == 0:
            made = meshoptimizer.decode_index_buffer(count, stride, data)
        elif mode == "INDICES" and stride in (2, 4):
            made = meshoptimizer.decode_index_sequence(count, stride, data)
        else:
            raise view.refused("mode", Note("ATTRIBUTES, TRIANGLES or INDICES with a fitting stride"), quoted(mode))
        if wanted != "NONE":
            made = _filtered(meshoptimizer, view, made, wanted, count, stride)
    except (RuntimeError, ValueError) as error:
        found = quoted(str(error))
        raise FormatError(
            document.name, view.place, expected=Note("bytes that meshopt can read"), found=found
        ) from None
    # Indices of two bytes lie in the first half of what is given for four.
    return np.ascontiguousarray(made).reshape(-1).view(np.uint8)[: count * stride].tobytes()


def _filtered(codec: Any, view: Fields, made: NDArray[Any], wanted: str, count: int, stride: int) -> NDArray[Any]:
    fits = {"OCTAHEDRAL": stride in (4, 8), "QUATERNION": stride == 8, "EXPONENTIAL": stride % 4 == 0}
    if not fits.get(wanted) or view.text("mode") != "ATTRIBUTES":
        expected = Note("one of {names}, with a fitting stride", names=", ".join(("NONE", *_FILTERS)))
        raise view.refused("filter", expected, quoted(wanted))
    apply: Callable[..., NDArray[Any]] = getattr(codec, _FILTERS[wanted])
    return apply(np.ascontiguousarray(made), count, stride)


def _source(document: Gltf, view: Fields) -> memoryview:
    buffer = view.index("buffer", len(document.listed("buffers")))
    if buffer is None:
        raise view.refused("buffer", Note("a buffer"), Note("none"))
    offset, length = view.whole("byteOffset", 0), view.whole("byteLength", low=1)
    data = document.buffer(buffer)
    if offset + length > len(data):
        expected = Note("{count} bytes", count=offset + length)
        found = Note("a buffer of {count}", count=len(data))
        raise FormatError(document.name, view.place, expected=expected, found=found)
    return memoryview(data)[offset : offset + length]


def _without_draco(document: Gltf) -> Gltf:
    made = _Plain(document, (DRACO,))
    accessors = [dict(accessor.value) for accessor in document.listed("accessors")]
    meshes = []
    for mesh in document.listed("meshes"):
        primitives = []
        for primitive in mesh.many("primitives"):
            if DRACO in primitive.one("extensions"):
                _plain_primitive(document, primitive, made, accessors)
            primitives.append(_stripped(primitive.value, (DRACO,)))
        meshes.append({**mesh.value, "primitives": primitives})
    made.json |= {"meshes": meshes, "accessors": accessors}
    return made.document_of()


def _plain_primitive(document: Gltf, primitive: Fields, made: _Plain, accessors: list[dict[str, Any]]) -> None:
    """Gives the accessors of a compressed primitive the bytes that they mean."""
    import DracoPy

    packed = primitive.one("extensions").one(DRACO)
    number = packed.index("bufferView", len(document.listed("bufferViews")))
    if number is None:
        raise packed.refused("bufferView", Note("a buffer view"), Note("none"))
    try:
        mesh = DracoPy.decode(bytes(document.view(number)[0]))
    except (DracoPy.FileTypeException, RuntimeError, ValueError, TypeError, IndexError, MemoryError) as error:
        found = quoted(str(error) or type(error).__name__)
        raise FormatError(
            document.name, packed.place, expected=Note("bytes that Draco can read"), found=found
        ) from None
    given = {int(one["unique_id"]): np.asarray(one["data"]) for one in mesh.attributes}
    attributes, coded = primitive.one("attributes"), packed.one("attributes")
    for name in coded.value:
        target = attributes.index(name, len(accessors))
        if target is None:
            continue
        unique = coded.whole(name)
        if unique not in given:
            raise coded.refused(name, Note("an attribute of the compressed mesh"), str(unique))
        _fill(document, target, given[unique], made, accessors)
    target = primitive.index("indices", len(accessors))
    faces = getattr(mesh, "faces", None)
    if target is not None and faces is not None:
        _fill(document, target, np.asarray(faces).reshape(-1, 1), made, accessors)


def _fill(document: Gltf, number: int, values: NDArray[Any], made: _Plain, accessors: list[dict[str, Any]]) -> None:
    """Lets an accessor stand for `values` (n, width), in the type that it states."""
    accessor = document.listed("accessors")[number]
    dtype = TYPES.get(accessor.whole("componentType"))
    columns, rows = SHAPES.get(accessor.text("type"), (0, 0))
    values = values.reshape(len(values), -1) if values.size else np.zeros((0, 1))
    if dtype is None or (len(values), values.shape[1]) != (accessor.whole("count", low=1), columns * rows):
        found = Note("{count} values of {width} numbers", count=len(values), width=values.shape[1])
        expected = Note("as many values as the accessor states")
        raise FormatError(document.name, accessor.place, expected=expected, found=found)
    with np.errstate(over="ignore", invalid="ignore"):
        stored = np.ascontiguousarray(values, dtype=dtype)
    width = stored.shape[1] * stored.itemsize
    place = made.put(_rows_of_four(stored))
    stride = {} if width % 4 == 0 or columns * rows == 1 else {"byteStride": width + -width % 4}
    made.views.append({**place, **stride})
    kept = {key: value for key, value in accessors[number].items() if key not in ("byteOffset", "sparse")}
    accessors[number] = {**kept, "bufferView": len(made.views) - 1}


def _rows_of_four(values: NDArray[Any]) -> bytes:
    """The bytes of rows, each of which begins at a multiple of four; single numbers are packed."""
    raw = values.reshape(len(values), -1).view(np.uint8)
    if values.shape[1] == 1 or raw.shape[1] % 4 == 0:
        return values.tobytes()
    padded = np.zeros((len(raw), raw.shape[1] + -raw.shape[1] % 4), dtype=np.uint8)
    padded[:, : raw.shape[1]] = raw
    return padded.tobytes()
