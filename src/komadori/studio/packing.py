"""Arrays on their way to the page: a line of JSON that tells what follows, then the numbers, 32 bits each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from komadori.motion import Motion

_KINDS = {"f": ("f32", np.dtype("<f4")), "i": ("i32", np.dtype("<i4")), "b": ("i32", np.dtype("<i4"))}


def packed(header: Mapping[str, Any], **arrays: ArrayLike) -> bytes:
    """`header` with the arrays behind it: length of the JSON (4 bytes), the JSON padded to 4 bytes, each array in turn.

    The JSON's `arrays` lists name, kind ("f32" or "i32") and shape of each, in order.
    """
    listed, parts = [], []
    for name, values in arrays.items():
        array = np.asarray(values)
        kind, dtype = _KINDS[array.dtype.kind]
        listed.append({"name": name, "kind": kind, "shape": list(array.shape)})
        parts.append(np.ascontiguousarray(array, dtype=dtype).tobytes())
    text = json.dumps({**header, "arrays": listed}, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    return b"".join([len(text).to_bytes(4, "little"), text, *parts])


def packed_motion(motion: Motion, **more: ArrayLike) -> bytes:
    """A motion for the page: all rotations, and the positions of those joints that are ever away from their offset."""
    away = (motion.positions != motion.skeleton.offsets).any(axis=(0, 2)) if len(motion) else np.zeros(0, dtype=bool)
    moving = np.flatnonzero(away)
    header = {"frames": len(motion), "fps": motion.fps}
    return packed(header, rotations=motion.rotations, moving=moving, positions=motion.positions[:, moving], **more)
