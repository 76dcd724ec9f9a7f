"""Fitting: the wave's parameters that come nearest to a drawn strand, by least squares on the bones' tilts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from komadori.errors import OptionError
from komadori.methods.hair import wave
from komadori.methods.hair.traces import Comparison, Trace, compared
from komadori.quat import Array
from komadori.words import Note

STEPS = 60
LOW = np.array([0.05, 0.1, 0.0, 0.0, 0.0, -np.inf])
HIGH = np.array([20.0, 50.0, 10.0, 20.0, np.inf, np.inf])
"""Ranges of k, s, p, a, radians per second, and phase."""


@dataclass(frozen=True)
class HairFit:
    """The wave that comes nearest to a trace, and how near."""

    wavelength: float
    calm: float
    stiffness: float
    size: float
    period: float
    """Seconds."""
    phase: float
    """Radians that the wave is ahead at frame 0, -pi to pi."""
    turn: float
    """Radians by which the whole strand is tilted (0 unless it was asked for)."""
    error: Comparison

    def tilts(self, lengths: Array, seconds: Array) -> Array:
        """(n, bones) of a strand of `lengths` at `seconds` (n,)."""
        t = 2.0 * np.pi * np.asarray(seconds) / self.period - self.phase
        return wave.tilts(lengths, t, self.wavelength, self.calm, self.stiffness, self.size) + self.turn


def fit_hair(trace: Trace, *, period: float | None = None, turn: bool = False) -> HairFit:
    """Wavelength, calm, stiffness, size, period and phase of the wave that is nearest to `trace`, with the error (Furukawa and Nakata, section 4).

    `period` in seconds holds it fixed; `turn` also looks for the direction in which the strand streams (its x axis
    if not). First the frequency that the tilts swing with, then the best of a grid of k and p, for each of which the rest is
    linear; then all together by Levenberg and Marquardt on the angles.
    """
    if not isinstance(trace, Trace):
        raise OptionError("trace", expected=Note("a Trace, such as komadori.load reads"), found=type(trace).__name__)
    if period is not None and not (math.isfinite(period) and period > 0.0):
        raise OptionError("period", expected=Note("a number of seconds above 0"), found=period)
    if len(trace) < 4:
        raise OptionError("trace", expected=Note("four drawings or more"), found=len(trace))
    x = wave.places(trace.lengths)
    tilt = trace.tilts
    middle = float(np.angle(np.exp(1j * tilt).mean())) if turn else 0.0
    seen = (tilt - middle + np.pi) % (2.0 * np.pi) - np.pi
    rates = np.array([2.0 * np.pi / period]) if period is not None else _rates(seen, trace.seconds)
    best: tuple[float, Array] | None = None
    for rate in rates:
        start = _start(x, trace.seconds, seen, float(rate))
        found = _refined(x, trace.seconds, seen, start, hold=period is not None, turn=turn)
        if best is None or found[0] < best[0]:
            best = found
    assert best is not None
    k, s, p, a, rate, phase, bend = best[1].tolist()
    ahead = (phase + math.pi) % (2.0 * math.pi) - math.pi
    plain = Comparison(0.0, 0.0, 0, 0)
    fit = HairFit(k, s, p, a, 2.0 * math.pi / rate, ahead, middle + bend, plain)
    drawn = wave.joints(trace.lengths, fit.tilts(trace.lengths, trace.seconds))
    return HairFit(k, s, p, a, 2.0 * math.pi / rate, ahead, middle + bend, compared(drawn, trace))


def _rates(tilt: Array, seconds: Array) -> Array:
    """The few angular speeds at which one swing for each bone explains most of the tilts."""
    frames = len(tilt)
    # The last drawing lasts as long as the others do on average.
    lasting = (seconds[-1] - seconds[0]) * frames / (frames - 1)
    asked = np.arange(0.5, max(frames / 3.0, 1.0), 0.2) * (2.0 * np.pi / lasting)
    left = np.empty(len(asked))
    for n, rate in enumerate(asked):
        basis = np.stack([np.cos(rate * seconds), np.sin(rate * seconds), np.ones(frames)], axis=1)
        fitted, *_ = np.linalg.lstsq(basis, tilt, rcond=None)
        left[n] = np.sum((tilt - basis @ fitted) ** 2)
    low = np.concatenate([[np.inf], left, [np.inf]])
    dips = np.flatnonzero((left <= low[:-2]) & (left <= low[2:]))
    return np.asarray(asked[dips[np.argsort(left[dips])][:3]])


def _start(x: Array, seconds: Array, tilt: Array, rate: float) -> Array:
    """The best of a grid of k and p: with them and the rate, the slopes are linear in what is left."""
    steep = np.clip(tilt, -1.45, 1.45)
    slope, weight = np.tan(steep), np.cos(steep) ** 2
    cosine, sine = np.cos(rate * seconds)[:, None], np.sin(rate * seconds)[:, None]
    best = (np.inf, np.zeros(7))
    for k in np.geomspace(0.15, 3.0, 16):
        for p in (0.3, 0.7, 1.0, 1.4, 2.0, 3.0, 4.5):
            grow = (x / np.pi) ** p
            parts = [
                np.diff(-grow * f) / np.diff(x)
                for f in (np.sin(x / k + np.pi / 2), np.cos(x / k + np.pi / 2), np.ones_like(x))
            ]
            # sin(x/k - t + phase + pi/2), with t = rate seconds, in terms of cos(phase) and sin(phase)
            even = cosine * parts[0] - sine * parts[1]
            odd = cosine * parts[1] + sine * parts[0]
            flat = np.broadcast_to(parts[2], even.shape)
            basis = np.stack([(weight * part).ravel() for part in (even, odd, flat)], axis=1)
            (c, d, b), *_ = np.linalg.lstsq(basis, (weight * slope).ravel(), rcond=None)
            error = float(np.sum((basis @ [c, d, b] - (weight * slope).ravel()) ** 2))
            if error < best[0]:
                size = max(math.hypot(c, d), 1e-4)
                s = float(np.clip(size / b if b > 0.0 else 50.0, 0.2, 50.0))
                best = (error, np.array([k, s, p, size * s, rate, math.atan2(d, c), 0.0]))
    return best[1]


def _model(x: Array, seconds: Array, values: Array) -> Array:
    k, s, p, a, rate, phase, bend = values
    height = wave.curve(x, (rate * seconds - phase)[:, None], k, s, p, a)
    return np.asarray(np.arctan2(np.diff(height, axis=1), np.diff(x)) + bend)


def _refined(x: Array, seconds: Array, tilt: Array, start: Array, *, hold: bool, turn: bool) -> tuple[float, Array]:
    """Levenberg and Marquardt on the angles; returns the sum of squares and the parameters."""
    free = np.array([0, 1, 2, 3, *([] if hold else [4]), 5, *([6] if turn else [])])
    low, high = np.append(LOW, -np.pi), np.append(HIGH, np.pi)
    low[4], high[4] = 0.3 * start[4], 3.0 * start[4]

    def off(values: Array) -> Array:
        away = _model(x, seconds, values) - tilt
        return np.asarray((away + np.pi) % (2.0 * np.pi) - np.pi).ravel()

    values = np.clip(start, low, high)
    rest = off(values)
    error, damp = float(rest @ rest), 1e-3
    for _ in range(STEPS):
        jacobian = np.empty((len(rest), len(free)))
        for column, index in enumerate(free):
            moved = values.copy()
            step = 1e-6 * max(1.0, abs(values[index]))
            moved[index] += step
            jacobian[:, column] = (off(moved) - rest) / step
        square, slope = jacobian.T @ jacobian, jacobian.T @ rest
        improved = False
        for _ in range(12):
            change = np.linalg.solve(square + damp * np.diag(np.diag(square) + 1e-12), -slope)
            tried = values.copy()
            tried[free] += change
            tried = np.clip(tried, low, high)
            there = off(tried)
            if float(there @ there) < error:
                gained = error - float(there @ there)
                values, rest, error, damp, improved = tried, there, float(there @ there), max(damp / 5.0, 1e-12), True
                break
            damp *= 4.0
        if not improved or gained < 1e-15 * (1.0 + error):
            break
    return error, values
