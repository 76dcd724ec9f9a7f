"""Stream: a translation that is given one frame and gives one back, within microseconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from komadori.errors import OptionError, unquoted
from komadori.methods.translate.pace import Running
from komadori.quat import Array
from komadori.words import Note

if TYPE_CHECKING:
    from komadori.methods.translate.translator import Translator


class Stream:
    """Holds the state of a running translation; gives frame by frame what `Translator.run` gives.

    It begins in the steady state of its first frame: there is no transient at the start.
    """

    def __init__(self, translator: Translator) -> None:
        self._translator = translator
        self._inputs = list(translator.inputs)
        self._turn_in = _left(translator.space_in.mean * np.array([-1.0, -1.0, -1.0, 1.0]))
        self._turn_out = _left(translator.space_out.mean)
        space = translator.space_in
        self._axes = np.ascontiguousarray(space.axes.T)
        self._offset = space.centre @ self._axes
        self._state: Array | None = None
        manner = translator.manner
        self._running = None if manner.plain else Running(translator.pace, translator.fps)

    def step(self, rotations: Array) -> Array:
        """Local rotations (inputs, 4), or of the whole input body (J, 4), to those of the output joints (outputs, 4)."""
        own = self._translator
        q = np.asarray(rotations, dtype=np.float64)
        if len(q) != len(self._inputs):
            if q.shape != (len(own.source), 4):
                raise OptionError(
                    "rotations",
                    expected=Note(
                        "rotations of {count} joints, or of all {all}", count=len(self._inputs), all=len(own.source)
                    ),
                    found=unquoted(" x ".join(map(str, q.shape))),
                )
            q = q[self._inputs]
        u = _logs(np.matmul(self._turn_in, q[:, :, None])[:, :, 0]).ravel() @ self._axes - self._offset
        if not np.isfinite(u).all():
            raise OptionError("rotations", expected=Note("finite numbers"), found=Note("NaN or infinity"))
        if self._state is None:
            self._state = own.system.steady(u)
        y = own.system.D @ u
        if own.system.order:
            y = y + own.system.C @ self._state
            self._state = own.system.A @ self._state + own.system.B @ u
        maps = own.space_out.eased(y) @ own.space_out.axes
        if self._running is not None:
            maps = maps * own.manner.scale(own.pace, *self._running.step(u), len(own.outputs))
        turns = _exps((maps + own.space_out.centre).reshape(-1, 3))
        turned: Array = np.matmul(self._turn_out, turns[:, :, None])[:, :, 0]
        return turned


def _left(q: Array) -> Array:
    """(n, 4, 4) matrices that multiply a quaternion from the left by q (n, 4)."""
    x, y, z, w = q.T
    return np.array([[w, -z, y, x], [z, w, -x, y], [-y, x, w, z], [-x, -y, -z, w]]).transpose(2, 0, 1).copy()


def _logs(q: Array) -> Array:
    """Like quat.log for a few quaternions, in few calls."""
    vector, w = q[:, :3], q[:, 3]
    length = np.sqrt((vector * vector).sum(axis=1))
    scale = 2.0 * np.arctan2(length, np.abs(w)) / np.maximum(length, 1e-12)
    return np.asarray(vector * np.where(length < 1e-12, 2.0, np.copysign(scale, w))[:, None])


def _exps(v: Array) -> Array:
    """Like quat.exp for a few vectors, in few calls."""
    half = 0.5 * np.sqrt((v * v).sum(axis=1))
    result = np.empty((len(v), 4))
    result[:, :3] = v * (0.5 * np.sin(half) / np.maximum(half, 1e-12))[:, None]
    result[:, 3] = np.cos(half)
    return result
