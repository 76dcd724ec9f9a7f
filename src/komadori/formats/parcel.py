"""Values from an untrusted process, as plain data only, so that opening a parcel never runs code.

A parcel is one line of JSON and then the bytes of its arrays. Objects of this package cross as their fields, by the names in
KINDS; anybody who opens a parcel makes them again, with every check that their classes have.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module
from pathlib import PurePath
from typing import Any

import numpy as np

from komadori import errors
from komadori.errors import KomadoriError
from komadori.words import Note

KINDS = {
    "Chain": "komadori.chains",
    "Character": "komadori.character",
    "Collider": "komadori.springs",
    "Image": "komadori.character",
    "Markers": "komadori.formats.markers",
    "Material": "komadori.character",
    "Mesh": "komadori.character",
    "Motion": "komadori.motion",
    "Skeleton": "komadori.skeleton",
    "Spring": "komadori.springs",
    "SpringBones": "komadori.springs",
    "SpringJoint": "komadori.springs",
    "Toon": "komadori.character",
}
"""Class -> its module: what a parcel may hold besides plain data."""
ERRORS: dict[str, type[KomadoriError]] = {
    kind.__name__: kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, KomadoriError)
}
_NUMBERS = ("<f8", "<f4", "<i8", "<i4", "<u4", "<u2", "|u1", "|b1")


class Damaged(Exception):
    """Bytes that are not a parcel."""


def packed(value: Any) -> bytes:
    """`value` as bytes; a TypeError for anything that a parcel cannot hold."""
    packer = _Packer()
    head = json.dumps(packer.told(value), separators=(",", ":")).encode()
    return b"".join([head, b"\n", *packer.blobs])


def opened(data: bytes) -> Any:
    """The value that `packed` made into `data`; raises Damaged for anything else."""
    head, mark, rest = data.partition(b"\n")
    if not mark:
        raise Damaged("it breaks off")
    try:
        return _Opener(rest).value(json.loads(head))
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, KomadoriError) as error:
        raise Damaged(str(error)) from None


class _Packer:
    def __init__(self) -> None:
        self.blobs: list[Any] = []
        # What several hold (the skeleton of all motions) is sent once; it is kept here so that its id is not reused.
        self._sent: dict[int, tuple[int, Any]] = {}

    def told(self, value: Any) -> Any:
        if value is None or isinstance(value, bool | int | float) or type(value) is str:
            return value
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, PurePath):  # Notes name files; their words are all that is told.
            return str(value)
        if isinstance(value, Note):
            return {"note": [value.template, self.told(value.values)]}
        if isinstance(value, list | tuple):
            return {type(value).__name__: [self.told(item) for item in value]}
        if isinstance(value, Mapping):
            return {"dict": [[self.told(key), self.told(item)] for key, item in value.items()]}
        if isinstance(value, bytes):
            self.blobs.append(value)
            return {"bytes": len(value)}
        if isinstance(value, KomadoriError):
            return {"error": [type(value).__name__, list(value.args), self.told(vars(value))]}
        return self._object(value)

    def _object(self, value: Any) -> Any:
        if id(value) in self._sent:
            return {"again": self._sent[id(value)][0]}
        if isinstance(value, np.ndarray):
            array = np.ascontiguousarray(value)
            if array.dtype.str not in _NUMBERS:
                raise TypeError(f"no parcel holds an array of {array.dtype}")
            self.blobs.append(array.tobytes())
            told: Any = {"array": [array.dtype.str, list(array.shape)]}
        else:
            name = type(value).__name__
            if KINDS.get(name) != type(value).__module__:
                raise TypeError(f"no parcel holds a {name}")
            told = {"object": [name, {field.name: self.told(getattr(value, field.name)) for field in fields(value)}]}
        self._sent[id(value)] = (len(self._sent), value)
        return told


class _Opener:
    def __init__(self, rest: bytes) -> None:
        self._rest = memoryview(rest)
        self._made: list[Any] = []

    def value(self, told: Any) -> Any:
        if not isinstance(told, dict):
            return told
        ((kind, held),) = told.items()
        match kind:
            case "note":
                return Note(held[0], **self.value(held[1]))
            case "list":
                return [self.value(item) for item in held]
            case "tuple":
                return tuple(self.value(item) for item in held)
            case "dict":
                return {self.value(key): self.value(item) for key, item in held}
            case "bytes":
                return bytes(self._taken(held))
            case "error":
                return self._error(*held)
            case "again":
                return self._made[held]
        self._made.append(self._array(*held) if kind == "array" else self._object(*held))
        return self._made[-1]

    def _taken(self, size: int) -> memoryview:
        if not 0 <= size <= len(self._rest):
            raise ValueError("it breaks off")
        taken, self._rest = self._rest[:size], self._rest[size:]
        return taken

    def _array(self, dtype: str, shape: list[int]) -> Any:
        if dtype not in _NUMBERS or min(shape, default=0) < 0:
            raise ValueError("an array of nothing known")
        data = self._taken(math.prod(shape) * np.dtype(dtype).itemsize)
        return np.frombuffer(data, dtype=dtype).reshape(shape)

    def _object(self, name: str, held: dict[str, Any]) -> Any:
        made = getattr(import_module(KINDS[name]), name)
        return made(**{field: self.value(value) for field, value in held.items()})

    def _error(self, name: str, args: list[str], state: Any) -> KomadoriError:
        kind = ERRORS[name]
        error = kind.__new__(kind, *args)
        vars(error).update(self.value(state))
        if not isinstance(error.note, Note):
            raise ValueError("an error without a message")
        return error
