"""The optional `fast` extra: compiled loops (numba) for large work, off unless asked for.

Numba costs a second to import, so it is used only after `enable()` or with KOMADORI_FAST=1 in the environment.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any

from komadori.errors import OptionError
from komadori.words import Note

_enabled = os.environ.get("KOMADORI_FAST", "") not in ("", "0")


def enable(on: bool = True) -> None:
    """Switch the compiled loops on (or off)."""
    global _enabled
    if on:
        _numba()
    _enabled = on


def enabled() -> bool:
    """Whether the compiled loops are in use."""
    return _enabled


def forward_kernel() -> Callable[..., None] | None:
    """The compiled forward kinematics, or None if it is not asked for."""
    return _compiled_forward() if _enabled else None


def compiled(loop: Callable[..., None]) -> Callable[..., None] | None:
    """`loop` compiled, free of the interpreter's lock, or None if compiled loops are not asked for."""
    return _compiled(loop) if _enabled else None


def _numba() -> Any:
    try:
        import numba
    except ImportError:
        raise OptionError(
            Note("the fast loops need numba, which is not installed: pip install 'komadori[fast]'")
        ) from None
    return numba


@cache
def _compiled(loop: Callable[..., None]) -> Callable[..., None]:
    made: Callable[..., None] = _numba().njit(cache=True, nogil=True, fastmath=False)(loop)
    return made


@cache
def _compiled_forward() -> Callable[..., None]:
    compiled: Callable[..., None] = _numba().njit(cache=True, parallel=False, fastmath=False)(forward)
    return compiled


def forward(parents: Any, rotations: Any, positions: Any, world_q: Any, world_p: Any) -> None:
    """Forward kinematics joint by joint, written to be compiled; `world_q` may be empty when it is not wanted."""
    frames, joints = rotations.shape[0], rotations.shape[1]
    if frames == 0:
        return
    keep = world_q.shape[0] == frames
    # Components as single numbers: the compiler keeps them in registers.
    turn = world_q[0] if keep else rotations[0].copy()
    for f in range(frames):
        if keep:
            turn = world_q[f]
        for j in range(joints):
            parent = parents[j]
            x, y, z, w = rotations[f, j, 0], rotations[f, j, 1], rotations[f, j, 2], rotations[f, j, 3]
            vx, vy, vz = positions[f, j, 0], positions[f, j, 1], positions[f, j, 2]
            if parent < 0:
                turn[j, 0], turn[j, 1], turn[j, 2], turn[j, 3] = x, y, z, w
                world_p[f, j, 0], world_p[f, j, 1], world_p[f, j, 2] = vx, vy, vz
            else:
                px, py, pz, pw = turn[parent, 0], turn[parent, 1], turn[parent, 2], turn[parent, 3]
                tx = 2.0 * (py * vz - pz * vy)
                ty = 2.0 * (pz * vx - px * vz)
                tz = 2.0 * (px * vy - py * vx)
                world_p[f, j, 0] = vx + pw * tx + py * tz - pz * ty + world_p[f, parent, 0]
                world_p[f, j, 1] = vy + pw * ty + pz * tx - px * tz + world_p[f, parent, 1]
                world_p[f, j, 2] = vz + pw * tz + px * ty - py * tx + world_p[f, parent, 2]
                turn[j, 0] = pw * x + px * w + py * z - pz * y
                turn[j, 1] = pw * y - px * z + py * w + pz * x
                turn[j, 2] = pw * z + px * y - py * x + pz * w
                turn[j, 3] = pw * w - px * x - py * y - pz * z
