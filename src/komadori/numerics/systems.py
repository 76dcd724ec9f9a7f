"""StateSpace: a linear time-invariant system in discrete time, how it runs, and where it starts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from komadori.errors import OptionError, unquoted
from komadori.quat import Array
from komadori.words import Note


@dataclass(frozen=True, eq=False)
class StateSpace:
    """x(t + 1) = A x(t) + B u(t), y(t) = C x(t) + D u(t) (Maeda et al., equation 2).

    `A` (n, n), `B` (n, inputs), `C` (outputs, n), `D` (outputs, inputs). n may be 0: then y = D u.
    """

    A: Array
    B: Array
    C: Array
    D: Array

    def __post_init__(self) -> None:
        arrays = {name: np.ascontiguousarray(getattr(self, name), dtype=np.float64) for name in "ABCD"}
        if any(array.ndim != 2 for array in arrays.values()):
            raise OptionError(
                "A, B, C, D",
                expected=Note("matrices"),
                found=unquoted(", ".join(f"{name}: {array.ndim}-d" for name, array in arrays.items())),
            )
        n, (outputs, inputs) = len(arrays["A"]), arrays["D"].shape
        wanted = {"A": (n, n), "B": (n, inputs), "C": (outputs, n), "D": (outputs, inputs)}
        for name, array in arrays.items():
            if array.shape != wanted[name]:
                found, want = (" x ".join(map(str, shape)) for shape in (array.shape, wanted[name]))
                raise OptionError(name, expected=Note("a matrix of {size}", size=want), found=unquoted(found))
            if not np.isfinite(array).all():
                raise OptionError(name, expected=Note("finite numbers"), found=Note("NaN or infinity"))
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @property
    def order(self) -> int:
        """How many states it has."""
        return len(self.A)

    @cached_property
    def radius(self) -> float:
        """The spectral radius: under 1, what went in fades; 0 without states."""
        return float(np.max(np.abs(np.linalg.eigvals(self.A)), initial=0.0))

    def markov(self, count: int) -> Array:
        """(count, outputs, inputs): D, C B, C A B, ...: the answer to an impulse, which any basis of the states shares."""
        result = np.empty((count, *self.D.shape))
        state = self.B
        for k in range(count):
            result[k] = self.D if k == 0 else self.C @ state
            state = self.A @ state if k else state
        return result

    def simulated(self, u: Array, start: Array | None = None) -> Array:
        """(F, outputs) the answer to `u` (F, inputs), from the state `start` (n,), or from rest."""
        return self.run(u, start)[0]

    def run(self, u: Array, start: Array | None = None) -> tuple[Array, Array]:
        """The answer (F, outputs), and the state (n,) after the last frame."""
        y = np.asarray(u @ self.D.T)
        state = np.zeros(self.order) if start is None else np.asarray(start, dtype=np.float64)
        if self.order:
            driven = np.asarray(u @ self.B.T)
            states = np.empty((len(u), self.order))
            for t in range(len(u)):
                states[t] = state
                state = self.A @ state + driven[t]
            y += states @ self.C.T
        return y, state

    def steady(self, u: Array) -> Array:
        """The state (n,) that an input (inputs,) which never changed has led to."""
        if not self.order:
            return np.zeros(0)
        return np.asarray(np.linalg.solve(np.eye(self.order) - self.A, self.B @ u))

    def periodic(self, u: Array) -> Array:
        """The state (n,) at the first frame of `u` (F, inputs), played over and over: after it the loop closes."""
        if not self.order:
            return np.zeros(0)
        _, after = self.run(u)
        return np.asarray(np.linalg.solve(np.eye(self.order) - np.linalg.matrix_power(self.A, len(u)), after))
