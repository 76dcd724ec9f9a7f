"""Binary messages: a line of JSON that tells what follows, then the numbers, 32 bits each."""

from __future__ import annotations

from functools import cache

import msgspec
import numpy as np
from msgspec import inspect

from komadori.motion import Motion
from komadori.quat import Array
from komadori.studio.messages.arrays import KINDS, Arrays, MotionArrays


def packed(message: Arrays) -> bytes:
    """The message with its arrays behind it: length of the JSON (4 bytes), the JSON padded to 4 bytes, each array in turn.

    The JSON's `arrays` lists name, kind ("f32" or "i32") and shape of each, in order.
    """
    header, listed, parts = {"type": message.__struct_config__.tag}, [], []
    for name, kind in layout(type(message)).items():
        value = getattr(message, name)
        if kind is None:
            header[name] = value
        elif value is not None:
            array = np.asarray(value)
            listed.append({"name": name, "kind": kind, "shape": list(array.shape)})
            parts.append(np.ascontiguousarray(array, dtype=KINDS[kind]).tobytes())
    text = msgspec.json.encode({**header, "arrays": listed})
    text += b" " * (-len(text) % 4)
    return b"".join([len(text).to_bytes(4, "little"), text, *parts])


def packed_motion(motion: Motion, handle: Array | None = None) -> bytes:
    """A motion for the page: all rotations, and the positions of those joints that are ever away from their offset."""
    away = (motion.positions != motion.skeleton.offsets).any(axis=(0, 2)) if len(motion) else np.zeros(0, dtype=bool)
    moving = np.flatnonzero(away)
    positions = motion.positions[:, moving]
    stretch = motion.stretch
    told = None if stretch is None else np.c_[stretch.along, motion.positions[:, 0] + stretch.pivot]
    return packed(MotionArrays(len(motion), motion.fps, motion.rotations, moving, positions, handle, told))


@cache
def layout(message: type[Arrays]) -> dict[str, str | None]:
    """Field of a binary message -> how its numbers are sent, or None if it is not an array."""
    info = inspect.type_info(message)
    assert isinstance(info, inspect.StructType)
    return {item.name: array_kind(item.type) for item in info.fields}


def array_kind(info: inspect.Type) -> str | None:
    """ "f32" or "i32" of an array's field, None of any other."""
    arms = info.types if isinstance(info, inspect.UnionType) else (info,)
    return next((str(arm.extra["array"]) for arm in arms if isinstance(arm, inspect.Metadata) and arm.extra), None)
