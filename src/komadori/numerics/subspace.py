"""Linear systems from data: subspace identification (N4SID), impulse responses with their realisation, and ridge regression."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from komadori.errors import OptionError, unquoted
from komadori.numerics.systems import StateSpace as StateSpace
from komadori.quat import Array
from komadori.words import Note

Clips: TypeAlias = Array | Sequence[Array]
"""One recording (F, dims), or several unconnected ones."""

Complex: TypeAlias = NDArray[np.complex128]

MOST_ORDER = 200
_FEWEST_COLUMNS = 4
_WIDEST = 300
"""Columns of the regression up to which the horizon grows by itself."""
_LONGEST = 12
_SINGULAR = 1e-10
"""Directions weaker than this share of the strongest count as absent."""
_ABSENT = 1e-14
STABLE = 0.9995
"""A shift that gives a larger spectral radius is replaced by the padded one, which cannot grow."""


@dataclass(frozen=True, eq=False)
class Identified:
    """A system found from data, with the singular values that its order was read from."""

    system: StateSpace
    singular_values: Array
    starts: tuple[Array, ...]
    """The state (n,) in which each clip begins."""


def n4sid(
    u: Clips,
    y: Clips,
    order: int | None = None,
    *,
    horizon: int | None = None,
    ridge: float = 0.0,
    radius: float = STABLE,
) -> StateSpace:
    """The system of `order` states that makes `y` (F, outputs) from `u` (F, inputs): subspace identification.

    Maeda et al., section 3.3. The order is read from the singular values if not given. `horizon`: frames of past and of
    future that are looked at. `ridge`: weight against large coefficients, as a share of the mean power of what they
    multiply; 0 for clean data. `radius`: the most that the spectral radius may be, under 1: it bounds how long the system remembers.
    """
    return identified(u, y, order, horizon=horizon, ridge=ridge, radius=radius).system


def identified(
    u: Clips,
    y: Clips,
    order: int | None = None,
    *,
    horizon: int | None = None,
    ridge: float = 0.0,
    radius: float = STABLE,
) -> Identified:
    """Like `n4sid`, with its evidence."""
    inputs, outputs = pairs(u, y)
    m, l = inputs[0].shape[1], outputs[0].shape[1]  # noqa: E741
    if order is not None and not 0 <= order <= MOST_ORDER:
        raise OptionError(
            "order", expected=Note("a whole number from {low} to {high}", low=0, high=MOST_ORDER), found=order
        )
    if not (np.isfinite(ridge) and ridge >= 0.0):
        raise OptionError("ridge", expected=Note("a number of 0 or more"), found=ridge)
    if not 0.0 < radius < 1.0:
        raise OptionError(
            "radius", expected=Note("a number between {low:g} and {high:g}", low=0.0, high=1.0), found=radius
        )
    span = horizon if horizon is not None else _horizon(order, m, l, [len(x) for x in inputs])
    if span < 1:
        raise OptionError("horizon", expected=Note("1 frame or more"), found=span)
    observed, strengths = _observability(inputs, outputs, span, ridge)
    most = min(len(strengths), l * max(span - 1, 1))
    n = min(most, _gap(strengths[:most]) if order is None else order)
    # Data of fewer directions than states asked for teach no more than those.
    n = min(n, int(np.sum(strengths > _ABSENT * max(float(strengths.max(initial=0.0)), _ABSENT))))
    gamma = observed[:, :n] * np.sqrt(strengths[:n])
    a, c = _shifted(gamma, observed[:, :n], l, radius)
    b, d, starts = response(a, c, inputs, outputs, ridge)
    return Identified(StateSpace(a, b, c, d), strengths, starts)


def ridge_static(u: Clips, y: Clips, ridge: float) -> StateSpace:
    """y = D u, with no memory: ridge regression, the weight as a share of the inputs' mean power."""
    inputs, outputs = pairs(u, y)
    stacked, wanted = np.concatenate(inputs), np.concatenate(outputs)
    gram = stacked.T @ stacked
    d: Array = np.asarray(np.linalg.lstsq(gram + _weight(gram, ridge), stacked.T @ wanted, rcond=None)[0].T, np.float64)
    m, l = stacked.shape[1], wanted.shape[1]  # noqa: E741
    return StateSpace(np.zeros((0, 0)), np.zeros((0, m)), np.zeros((l, 0)), d)


def impulse_response(u: Clips, y: Clips, lags: int, ridge: float, growth: float = 1.15) -> Array:
    """(lags + 1, outputs, inputs): how the output answers to an input of that many frames ago.

    Ridge regression with a weight that grows by `growth` a lag: what lies far back counts less. Before its first frame a clip
    is taken to have stood still.
    """
    inputs, outputs = pairs(u, y)
    if lags < 0:
        raise OptionError("lags", expected=Note("a whole number, 0 or more"), found=lags)
    m = inputs[0].shape[1]
    rows = np.concatenate([lagged(x, lags) for x in inputs])
    gram = rows.T @ rows
    weight = np.repeat(growth ** np.arange(lags + 1), m)
    share = max(float(np.trace(gram)) / max(len(gram), 1), 1e-300)
    gram[np.diag_indices_from(gram)] += (max(ridge, _SINGULAR) * share) * weight
    found = _solved(gram, rows.T @ np.concatenate(outputs)).real
    return np.ascontiguousarray(found.reshape(lags + 1, m, -1).transpose(0, 2, 1))


def lagged(u: Array, lags: int) -> Array:
    """(F, (lags + 1) * inputs): each frame with those before it, the newest first; the first one stands before the clip."""
    padded = np.concatenate([np.repeat(u[:1], lags, axis=0), u])
    return np.concatenate([padded[lags - k : len(padded) - k] for k in range(lags + 1)], axis=1)


def realised(response: Array, order: int | None = None, *, tolerance: float = 1e-3) -> StateSpace:
    """The system with this impulse response (lags + 1, outputs, inputs): Kung's realisation.

    The Hankel matrix is padded with zeros (the answer ends after the last lag), so that the spectral radius is under 1. Without
    `order` as many states are kept as answer for all but `tolerance` of the matrix.
    """
    lags, l, m = len(response) - 1, *response.shape[1:]  # noqa: E741
    d = np.array(response[0])
    if lags < 1:
        return StateSpace(np.zeros((0, 0)), np.zeros((0, m)), np.zeros((l, 0)), d)
    hankel = np.zeros((lags, l, lags, m))
    for row in range(lags):
        for column in range(lags - row):
            hankel[row, :, column] = response[1 + row + column]
    left, strengths, right = np.linalg.svd(hankel.reshape(lags * l, lags * m), full_matrices=False)
    energy = np.sqrt(np.cumsum(strengths[::-1] ** 2))[::-1]
    whole = max(float(energy[0]), 1e-300)
    n = int(np.sum(energy > tolerance * whole)) if order is None else min(order, len(strengths))
    n = min(n, int(np.sum(strengths > 1e-12 * whole)))
    root = np.sqrt(strengths[:n])
    u = left[:, :n]
    # The orthonormal shift cannot grow; the balanced scaling is put on afterwards.
    a = (u.T @ np.concatenate([u[l:], np.zeros((l, n))])) * root / np.maximum(root[:, None], 1e-300)
    return StateSpace(a, root[:, None] * right[:n, :m], u[:l] * root, d)


def pairs(u: Clips, y: Clips) -> tuple[list[Array], list[Array]]:
    """Clips as lists of finite arrays of equal length, or an OptionError that names the one that is wrong."""
    inputs, outputs = _listed(u, "u"), _listed(y, "y")
    if len(inputs) != len(outputs):
        raise OptionError(
            "y", expected=Note("as many clips as u holds ({count})", count=len(inputs)), found=len(outputs)
        )
    for number, (one, other) in enumerate(zip(inputs, outputs, strict=True)):
        if len(one) != len(other):
            raise OptionError(
                "y",
                expected=Note("as many frames as u has in clip {number} ({count})", count=len(one), number=number),
                found=len(other),
            )
    return inputs, outputs


def _listed(clips: Clips, what: str) -> list[Array]:
    given = [clips] if isinstance(clips, np.ndarray) and clips.ndim == 2 else list(clips)
    if not given:
        raise OptionError(what, expected=Note("at least one clip to learn from"), found=Note("none"))
    found = []
    for number, clip in enumerate(given):
        values = np.asarray(clip, dtype=np.float64)
        if values.ndim != 2 or len(values) < 1:
            raise OptionError(
                what,
                expected=Note("frames of numbers in clip {number}", number=number),
                found=unquoted(" x ".join(map(str, values.shape))),
            )
        if not np.isfinite(values).all():
            frame = int(np.argmin(np.isfinite(values).all(axis=1)))
            raise OptionError(
                what,
                expected=Note("finite numbers in clip {number}", number=number),
                found=Note("NaN or infinity in frame {frame}", frame=frame),
            )
        if values.shape[1] != np.shape(given[0])[1]:
            raise OptionError(
                what,
                expected=Note(
                    "as many numbers per frame in clip {number} as in the first ({count})",
                    count=np.shape(given[0])[1],
                    number=number,
                ),
                found=values.shape[1],
            )
        found.append(values)
    return found


def _horizon(order: int | None, m: int, l: int, lengths: list[int]) -> int:  # noqa: E741
    """As long as the regression stays small and the clips are long enough."""
    least = 2 + -(-(order if order is not None else _LONGEST) // l)
    widest = max(least, min(_LONGEST, _WIDEST // (2 * (m + l))), 2)
    longest = max(lengths)
    # At least as many columns as rows if the clips allow it.
    while widest > 2 and longest - 2 * widest + 1 < _FEWEST_COLUMNS:
        widest -= 1
    return widest


def _observability(inputs: list[Array], outputs: list[Array], span: int, ridge: float) -> tuple[Array, Array]:
    """Left singular vectors (span * outputs, k) and values of the oblique projection of the future outputs.

    Columns of the Hankel matrices are windows of 2 `span` frames of one clip each: none crosses from one to the next.
    """
    rows = []
    for u, y in zip(inputs, outputs, strict=True):
        count = len(u) - 2 * span + 1
        if count < 1:
            continue
        past_u, past_y = _windows(u, 0, span, count), _windows(y, 0, span, count)
        rows.append(
            np.concatenate([_windows(u, span, span, count), past_u, past_y, _windows(y, span, span, count)], axis=1)
        )
    if not rows:
        longest = max(len(u) for u in inputs)
        raise OptionError(
            "clips",
            expected=Note("a clip of at least {count} frames", count=2 * span),
            found=Note("at most {count} frames", count=longest),
        )
    m, l = inputs[0].shape[1], outputs[0].shape[1]  # noqa: E741
    data = np.concatenate(rows)
    future, known = m * span, (2 * m + l) * span
    if ridge > 0.0:
        power = float(np.einsum("ij,ij->", data[:, :known], data[:, :known])) / known
        damp = np.zeros((known, data.shape[1]))
        damp[:, :known] = np.sqrt(ridge * power) * np.eye(known)
        data = np.concatenate([data, damp])
    r: Array = np.asarray(np.linalg.qr(data, mode="r"))
    # Columns of r: future inputs, past, future outputs; its rows below `future` are what the future inputs do not tell.
    past, wanted = r[future:known, future:known], r[future:known, known:]
    if not len(past):
        return np.zeros((l * span, 0)), np.zeros(0)
    coefficients = np.linalg.lstsq(past, wanted, rcond=_SINGULAR)[0]
    projected = (r[:known, future:known] @ coefficients).T
    left, strengths, _ = np.linalg.svd(projected, full_matrices=False)
    return left, strengths


def _windows(values: Array, start: int, span: int, count: int) -> Array:
    """(count, span * dims): windows of `span` frames, the first at `start`."""
    return np.concatenate([values[start + k : start + k + count] for k in range(span)], axis=1)


def _gap(strengths: Array) -> int:
    """The order at which the singular values fall most steeply; 0 if there is nothing."""
    if not len(strengths) or strengths[0] <= 1e-300:
        return 0
    floor = strengths[0] * 1e-13
    levels = np.log(np.maximum(np.append(strengths, floor), floor))
    return int(np.argmax(levels[:-1] - levels[1:])) + 1


def _shifted(gamma: Array, orthonormal: Array, l: int, most: float) -> tuple[Array, Array]:  # noqa: E741
    """A and C from the observability matrix: its first block, and its shift by one."""
    n = gamma.shape[1]
    if n == 0:
        return np.zeros((0, 0)), np.zeros((l, 0))
    a = np.zeros((n, n))
    if len(gamma) > l:
        a = np.asarray(np.linalg.lstsq(gamma[:-l], gamma[l:], rcond=None)[0], dtype=np.float64)
    if np.max(np.abs(np.linalg.eigvals(a))) < most:
        return a, gamma[:l]
    padded = np.concatenate([orthonormal[l:], np.zeros((l, n))])
    a = orthonormal.T @ padded
    radius = float(np.max(np.abs(np.linalg.eigvals(a)), initial=0.0))
    return a * min(1.0, most / max(radius, 1e-300)), orthonormal[:l]


def response(
    a: Array, c: Array, inputs: list[Array], outputs: list[Array], ridge: float
) -> tuple[Array, Array, tuple[Array, ...]]:
    """B, D and the first state of each clip with which A and C simulate the outputs best.

    Linear least squares. In A's eigenvectors a state is a sum of geometric decays of single inputs, so that the normal
    equations need (frames) x (states * inputs) numbers, however many outputs there are.
    """
    n, m, l = len(a), inputs[0].shape[1], outputs[0].shape[1]  # noqa: E741
    basis = _Modes(a, c)
    if n == 0:
        system = ridge_static(inputs, outputs, ridge)
        return np.zeros((0, m)), system.D, tuple(np.zeros(0) for _ in inputs)
    clips, free = len(inputs), n * m
    size = free + n * clips
    gram = np.zeros((size, size), dtype=np.complex128)
    cross_u = np.zeros((size, m, l), dtype=np.complex128)
    right = np.zeros(size, dtype=np.complex128)
    gram_u, right_u = np.zeros((m, m)), np.zeros((m, l))
    power = basis.c.conj().T @ basis.c
    for number, (u, y) in enumerate(zip(inputs, outputs, strict=True)):
        z = np.concatenate([basis.filtered(u), basis.powers(len(u))], axis=1)
        mode = np.concatenate([np.repeat(np.arange(n), m), np.arange(n)])
        at = np.concatenate([np.arange(free), free + number * n + np.arange(n)])
        turned = z.conj().T
        gram[np.ix_(at, at)] += power[np.ix_(mode, mode)] * (turned @ z)
        seen = basis.c.conj().T[mode]
        cross_u[at] += (turned @ u)[:, :, None] * seen[:, None, :]
        right[at] += np.einsum("kl,kl->k", turned @ y, seen)
        gram_u += u.T @ u
        right_u += u.T @ y
    damped = gram_u + _weight(gram_u, max(ridge, 1e-14))
    # D is eliminated: each output has its own row of it.
    solved_u = np.asarray(_solved(damped, np.concatenate([right_u, np.eye(m)], axis=1)).real)
    first, inverse_u = solved_u[:, :l], solved_u[:, l:]
    flat = cross_u.reshape(size, m * l)
    reduced = gram - np.matmul(inverse_u, cross_u).reshape(size, m * l) @ flat.conj().T
    goal = right - flat @ first.reshape(m * l)
    reduced[np.diag_indices(size)] += max(ridge, 1e-14) * float(np.trace(gram).real) / size
    found = _solved(reduced, goal)
    d = first - inverse_u @ (found @ flat.conj()).reshape(m, l).real
    b = basis.real(found[:free].reshape(n, m))
    starts = tuple(basis.real(found[free + k * n : free + (k + 1) * n, None])[:, 0] for k in range(clips))
    return b, np.ascontiguousarray(d.T), starts


def _solved(matrix: NDArray[Any], right: NDArray[Any]) -> Complex:
    """The solution of a system of equations, the shortest one if there are many."""
    try:
        found = np.linalg.solve(matrix, right)
    except np.linalg.LinAlgError:
        found = np.full(right.shape, np.nan)
    if not np.isfinite(found).all():
        found = np.linalg.lstsq(matrix, right, rcond=1e-12)[0]
    return np.asarray(found, dtype=np.complex128)


class _Modes:
    """A in its eigenvectors; a defective A is nudged until it has some."""

    def __init__(self, a: Array, c: Array) -> None:
        values, vectors = np.linalg.eig(a)
        if len(a) and np.linalg.cond(vectors) > 1e10:
            nudged = a + 1e-7 * np.random.default_rng(0).normal(size=a.shape) * max(float(np.abs(a).max()), 1e-3)
            values, vectors = np.linalg.eig(nudged)
        self.values, self.vectors = values.astype(np.complex128), vectors.astype(np.complex128)
        self.c = c @ self.vectors

    def filtered(self, u: Array) -> Complex:
        """(F, n * inputs): each input through each mode alone, from rest."""
        frames, m = u.shape
        result = np.zeros((frames, len(self.values), m), dtype=np.complex128)
        state = np.zeros((len(self.values), m), dtype=np.complex128)
        decay = self.values[:, None]
        for t in range(frames - 1):
            state = decay * state + u[t]
            result[t + 1] = state
        return result.reshape(frames, -1)

    def powers(self, frames: int) -> Complex:
        """(F, n): how a first state fades."""
        steps = np.vander(self.values, frames, increasing=True).T
        return np.ascontiguousarray(steps)

    def real(self, coordinates: Complex) -> Array:
        """States (n, k) from their coordinates along the eigenvectors."""
        return np.ascontiguousarray((self.vectors @ coordinates).real)


def _weight(gram: Array, ridge: float) -> Array:
    share = float(np.trace(gram)) / max(len(gram), 1)
    return np.asarray(max(ridge, _SINGULAR) * max(share, 1e-300) * np.eye(len(gram)))
