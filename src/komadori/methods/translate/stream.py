"""Stream: a translation that is given one frame and gives one back, in microseconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from komadori.errors import OptionError
from komadori.methods.translate.pace import decay, eased
from komadori.quat import Array

if TYPE_CHECKING:
    from komadori.methods.translate.translator import Translator


class Stream:
    """Holds the state of a running translation. The only value of this method that changes.

    It begins in the steady state of its first frame: there is no transient at the start.
    """

    def __init__(self, translator: Translator) -> None:
        self._translator = translator
        self._inputs, self._outputs = list(translator.inputs), list(translator.outputs)
        self._turn_in = _left(translator.space_in.mean * np.array([-1.0, -1.0, -1.0, 1.0]))
        self._turn_out = _left(translator.space_out.mean)
        space = translator.space_in
        self._axes = np.ascontiguousarray(space.axes.T)
        self._offset = space.centre @ self._axes
        self._keep = decay(translator.fps)
        self._state = np.zeros(0)
        self._before: Array | None = None
        self._size = self._speed = 0.0

    def step(self, rotations: Array) -> Array:
        """Local rotations (inputs, 4), or of the whole input body (J, 4), to those of the output joints (outputs, 4)."""
        own = self._translator
        q = np.asarray(rotations, dtype=np.float64)
        if len(q) != len(self._inputs):
            if q.shape != (len(own.source), 4):
                raise OptionError(f"expected rotations of {len(self._inputs)} joints, or of all {len(own.source)}")
            q = q[self._inputs]
        u = _logs(np.matmul(self._turn_in, q[:, :, None])[:, :, 0]).ravel() @ self._axes - self._offset
        if not np.isfinite(u).all():
            raise OptionError("the frame holds a number that is not finite")
        if self._before is None:
            self._state = own.system.steady(u)
            self._before, self._size, self._speed = u, own.pace.size, own.pace.speed
        step, keep = u - self._before, self._keep
        self._size += (1.0 - keep) * (float(u @ u) - self._size)
        self._speed += (1.0 - keep) * (float(step @ step) - self._speed)
        self._before = u
        strange, slow = own.pace.shares(self._size, self._speed)
        y = own.system.D @ u
        if own.system.order:
            y = y + own.system.C @ self._state
            self._state = own.system.A @ self._state + own.system.B @ u
        if strange > 0.0:
            held = np.minimum(np.maximum(u, own.space_in.low), own.space_in.high)
            y = (1.0 - strange) * y + strange * (own.plain.D @ held)
        maps = eased((1.0 - own.caution * slow) * y, own.space_out) @ own.space_out.axes + own.space_out.centre
        turned: Array = np.matmul(self._turn_out, _exps(maps.reshape(-1, 3))[:, :, None])[:, :, 0]
        return turned


def _left(q: Array) -> Array:
    """(n, 4, 4) matrices that multiply a quaternion from the left by q (n, 4)."""
    x, y, z, w = q.T
    return np.array([[w, -z, y, x], [z, w, -x, y], [-y, x, w, z], [-x, -y, -z, w]]).transpose(2, 0, 1).copy()


def _logs(q: Array) -> Array:
    """As quat.log for a few quaternions, in few calls."""
    vector, w = q[:, :3], q[:, 3]
    length = np.sqrt((vector * vector).sum(axis=1))
    scale = 2.0 * np.arctan2(length, np.abs(w)) / np.maximum(length, 1e-12)
    return np.asarray(vector * np.where(length < 1e-12, 2.0, np.copysign(scale, w))[:, None])


def _exps(v: Array) -> Array:
    """As quat.exp for a few vectors, in few calls."""
    half = 0.5 * np.sqrt((v * v).sum(axis=1))
    result = np.empty((len(v), 4))
    result[:, :3] = v * (0.5 * np.sin(half) / np.maximum(half, 1e-12))[:, None]
    result[:, 3] = np.cos(half)
    return result
