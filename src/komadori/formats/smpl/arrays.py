"""Arrays of an .npz file that is not trusted: no pickles, no stated size trusted before the bytes are read."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori.errors import FormatError, quoted
from komadori.words import Note

SUFFIX = ".npy"
MOST_BYTES = 1 << 30
"""Largest array that is unpacked: ten hours at 120 frames per second."""
FREE_BYTES, BYTES_A_BYTE = 32 << 20, 20
"""An array may unpack to this much plus this many times the file: zeros compress a thousand to one, motion three to one."""
MOST_ENTRIES = 1000
_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
    SyntaxError,
)


class Arrays:
    """The arrays in an .npz file by name, read one by one when they are asked for."""

    def __init__(self, data: bytes, name: str, most_bytes: int = MOST_BYTES) -> None:
        self.name = name
        self._most = min(most_bytes, FREE_BYTES + BYTES_A_BYTE * len(data))
        try:
            self._file = zipfile.ZipFile(io.BytesIO(data))
            self._entries = {info.filename: info for info in self._file.infolist()[:MOST_ENTRIES]}
        except _BROKEN:
            raise FormatError(
                name, expected=Note("an .npz file of NumPy"), found=Note("{count} bytes", count=len(data))
            ) from None

    def __contains__(self, key: str) -> bool:
        return key + SUFFIX in self._entries

    def __iter__(self) -> Iterator[str]:
        return (name.removesuffix(SUFFIX) for name in self._entries if name.endswith(SUFFIX))

    def get(self, key: str) -> NDArray[Any]:
        """The array called `key`; a FormatError if there is none, or none that holds plain values."""
        if key not in self:
            known = ", ".join(quoted(one, 20) for one in list(self)[:8]) or Note("none")
            raise FormatError(self.name, expected=Note("an array {key}", key=quoted(key)), found=known)
        info = self._entries[key + SUFFIX]
        if info.file_size > self._most:
            expected = Note("at most {most:,} bytes", most=self._most)
            raise FormatError(self.name, quoted(key), expected=expected, found=f"{info.file_size:,}")
        try:
            with self._file.open(info) as entry:
                content = entry.read(info.file_size + 1)
            return self._array(content, key)
        except _BROKEN:
            raise FormatError(self.name, quoted(key), problem=Note("the array is damaged")) from None

    def _array(self, content: bytes, key: str) -> NDArray[Any]:
        stream = io.BytesIO(content)
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = read(stream)
        if dtype.hasobject or dtype.kind not in "fiubSU" or dtype.itemsize == 0:
            raise FormatError(
                self.name,
                quoted(key),
                expected=Note("plain numbers or text"),
                found=Note("pickled objects") if dtype.hasobject else quoted(str(dtype)),
            )
        count = 1
        for size in shape:
            count *= size
        left = len(content) - stream.tell()
        if count < 0 or count * dtype.itemsize != left:
            expected = Note("{count} bytes", count=count * dtype.itemsize)
            raise FormatError(self.name, quoted(key), expected=expected, found=f"{left}")
        values = np.frombuffer(content, dtype=dtype, count=count, offset=stream.tell())
        return values.reshape(shape, order="F" if fortran else "C")

    def numbers(self, key: str, *shape: int | None) -> NDArray[np.float64]:
        """The array called `key` as finite numbers of `shape`; None stands for any size."""
        values = self.get(key)
        fits = values.ndim == len(shape) and all(
            want is None or want == has for want, has in zip(shape, values.shape, strict=True)
        )
        if values.dtype.kind not in "fiu" or not fits:
            wanted = " x ".join("n" if size is None else str(size) for size in shape) or "1"
            expected = Note("numbers of the shape {shape}", shape=wanted)
            found = " x ".join(map(str, values.shape)) or "1"
            raise FormatError(self.name, quoted(key), expected=expected, found=f"{found} ({values.dtype})")
        numbers = values.astype(np.float64)
        if not np.isfinite(numbers).all():
            raise FormatError(self.name, quoted(key), expected=Note("finite numbers"), found=Note("NaN or infinity"))
        return numbers

    def word(self, key: str) -> str:
        """The text called `key`; empty if there is none."""
        if key not in self:
            return ""
        value = self.get(key)
        if value.dtype.kind not in "SU" or value.size != 1:
            raise FormatError(self.name, quoted(key), expected=Note("a word"), found=quoted(str(value.dtype)))
        # NumPy hands on code points that no character has, and Python fails on the string later: decode the bytes here.
        coding = "utf-8" if value.dtype.kind == "S" else "utf-32-be" if value.dtype.byteorder == ">" else "utf-32-le"
        return value.tobytes().decode(coding, "replace").rstrip("\0")
