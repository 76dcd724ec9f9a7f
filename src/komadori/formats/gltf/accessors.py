"""glTF accessors: typed arrays in a file's buffers, with strides, normalised integers and sparse values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori.errors import FormatError
from komadori.formats.gltf.fields import Fields
from komadori.words import Note

TYPES: dict[int, np.dtype[Any]] = {
    5120: np.dtype("<i1"),
    5121: np.dtype("<u1"),
    5122: np.dtype("<i2"),
    5123: np.dtype("<u2"),
    5125: np.dtype("<u4"),
    5126: np.dtype("<f4"),
}
"""componentType -> how a number is stored."""

SHAPES: dict[str, tuple[int, int]] = {
    "SCALAR": (1, 1),
    "VEC2": (1, 2),
    "VEC3": (1, 3),
    "VEC4": (1, 4),
    "MAT2": (2, 2),
    "MAT3": (3, 3),
    "MAT4": (4, 4),
}
"""type -> columns and rows."""

ZEROS = 1 << 24
"""Bytes of an accessor that states no data (it is zeros) which any file may ask for; above that, its own size counts."""


def decoded(accessor: Fields, view_of: Callable[[Fields, str], tuple[memoryview, int]], size: int) -> NDArray[Any]:
    """The values of an accessor: (count,) for scalars, (count, n) for vectors, (count, rows, columns) for matrices.

    Normalised integers become float64 from -1 (or 0) to 1; all else keeps the file's type. `view_of` gives the bytes of
    the buffer view that a field names, and its stride (0 for packed); `size` is that of the file, for what is not there.
    """
    kind = accessor.text("type")
    if kind not in SHAPES:
        raise accessor.refused("type", "one of " + ", ".join(SHAPES), repr(kind)[:40])
    dtype = _type_of(accessor)
    count = accessor.whole("count", low=1)
    columns, rows = SHAPES[kind]
    # Columns of matrices of small integers start at multiples of four bytes.
    column_bytes = rows * dtype.itemsize if columns == 1 else -(-rows * dtype.itemsize // 4) * 4
    element = columns * column_bytes
    if "bufferView" in accessor:
        data, stride = view_of(accessor, "bufferView")
        values = _strided(accessor, data, count, dtype, (columns, rows), column_bytes, stride or element, element)
    else:
        if count * element > max(ZEROS, 8 * size):
            raise accessor.refused("count", "a count that the file can mean", f"{count} elements without data")
        values = np.zeros((count, columns, rows), dtype=dtype)
    if "sparse" in accessor:
        values = _with_sparse(accessor.one("sparse"), values, dtype, column_bytes, element, view_of)
    if dtype.kind == "f" and not np.isfinite(values).all():
        found = Note("numbers that are not finite")
        raise FormatError(accessor.name, accessor.place, expected=Note("finite numbers"), found=found)
    if accessor.flag("normalized") and dtype.kind in "iu":
        values = np.maximum(values / float(np.iinfo(dtype).max), -1.0)
    if columns > 1:
        return values.transpose(0, 2, 1)
    return values[:, 0, 0] if rows == 1 else values[:, 0]


def _type_of(fields: Fields) -> np.dtype[Any]:
    number = fields.whole("componentType")
    if number not in TYPES:
        raise fields.refused("componentType", "one of " + ", ".join(map(str, TYPES)), str(number))
    return TYPES[number]


def _strided(
    fields: Fields,
    data: memoryview,
    count: int,
    dtype: np.dtype[Any],
    shape: tuple[int, int],
    column_bytes: int,
    stride: int,
    element: int,
) -> NDArray[Any]:
    offset = fields.whole("byteOffset", 0)
    if stride < element:
        raise fields.refused("bufferView", f"a byte stride of {element} or more", str(stride))
    need = offset + (count - 1) * stride + element
    if need > len(data):
        raise FormatError(
            fields.name,
            fields.place,
            expected=Note("{need} bytes for {count} elements", need=need, count=count),
            found=Note("a view of {count}", count=len(data)),
        )
    strides = (stride, column_bytes, dtype.itemsize)
    return np.ndarray((count, *shape), dtype, buffer=data, offset=offset, strides=strides)


def _with_sparse(
    sparse: Fields,
    values: NDArray[Any],
    dtype: np.dtype[Any],
    column_bytes: int,
    element: int,
    view_of: Callable[[Fields, str], tuple[memoryview, int]],
) -> NDArray[Any]:
    count = sparse.whole("count", low=1, high=len(values))
    where, what = sparse.one("indices"), sparse.one("values")
    kind = _type_of(where)
    if kind.kind != "u":
        raise where.refused("componentType", "an unsigned integer", str(kind))
    at = _strided(where, view_of(where, "bufferView")[0], count, kind, (1, 1), 0, kind.itemsize, kind.itemsize)
    at = at[:, 0, 0].astype(np.int64)
    if at.max() >= len(values) or (np.diff(at) <= 0).any():
        found = Note("numbers up to {most}", most=at.max())
        raise FormatError(
            where.name, where.place, expected=Note("increasing numbers below {count}", count=len(values)), found=found
        )
    result = np.array(values)
    data = view_of(what, "bufferView")[0]
    result[at] = _strided(what, data, count, dtype, values.shape[1:], column_bytes, element, element)
    return result
