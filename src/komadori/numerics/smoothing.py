"""Smoothing that keeps peaks: every moment of every channel gets the filter that costs it least, by Stein's unbiased estimate of the risk.

All filters are symmetric in time, so nothing is delayed. The choice is made from the noise, which is measured first: channels without noise are
left alone. The filters are local parabolas of many widths (short ones keep a strike) and windowed spectra with James and Stein's
shrinkage (long ones find what repeats, such as steps).
"""

from __future__ import annotations

import math

import numpy as np

from komadori.quat import Array

WIDTHS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 29, 35, 42, 50, 60, 75, 100)
"""Half widths of the parabolas, in frames."""
LONGEST_S = 0.4
"""The widest parabola, to one side."""
SPECTRA_S = (0.5, 1.0, 2.0)
"""Lengths of the windows of the spectra."""
SHRINK = 2.5
"""How many times its expected power noise must reach before a frequency counts for something."""
RISK_S = 0.2
"""The time over which a filter's risk is averaged."""
SHARPNESS = 0.03
"""Risks that differ by this share of the noise tell two filters apart."""
ORDERS = range(2, 11)
"""Differences from which noise is measured: movement shows less the higher they are, noise the same in all."""
WHITE = (0.85, 1.2)
"""What the highest difference gives in parts of a middle one, where both see noise alone."""
MEDIAN = 2.366
"""The median of the squared length of a vector of three normal numbers."""
FARTHEST = 3.5
"""Standard deviations: white noise of three dimensions goes farther seven times in a thousand."""
FEWEST = 24
"""Frames: with fewer, noise cannot be measured."""


def noise(values: Array) -> Array:
    """(J,) the standard deviation, a dimension of three, of the white noise in `values` (F, J, C).

    0 where the differences do not agree: then what they see is movement, such as corners in a clip of few frames per second.
    """
    if len(values) < FEWEST:
        return np.zeros(values.shape[1])
    found = [
        np.median((np.diff(values, n=order, axis=0) ** 2).sum(axis=-1), axis=0) / (math.comb(2 * order, order) * MEDIAN)
        for order in ORDERS
    ]
    middle, highest = found[len(found) // 2], found[-1]
    white = (highest > WHITE[0] ** 2 * middle) & (highest < WHITE[1] ** 2 * middle)
    return np.asarray(np.where(white, np.sqrt(np.min(found, axis=0)), 0.0))


def smoothed(values: Array, fps: float, sigma: Array, share: Array | None = None) -> Array:
    """`values` (F, J, C) with white noise of `sigma` (J,), three dimensions of it, taken out.

    `share` (J, J), columns of sum 1, lets channels decide together: neighbours move alike, and their risks are known better together.
    """
    frames, channels, _ = values.shape
    power = np.maximum(3.0 * sigma**2, 1e-300)
    kernels = [_parabola(h) for h in WIDTHS if h <= min(LONGEST_S * fps, frames // 2 - 2)]
    if not kernels:
        return values
    reach = len(kernels[-1]) // 2
    padded = _beyond(values, reach).reshape(frames + 2 * reach, -1)
    size = 1 << (len(padded) - 1).bit_length()
    spectrum = np.fft.rfft(padded, size, axis=0)
    window = max(1, round(RISK_S * fps))
    made, risks = [values], [np.broadcast_to(power, (frames, channels))]
    for kernel in kernels:
        half = len(kernel) // 2
        wrapped = np.zeros(size)
        wrapped[: half + 1], wrapped[-half:] = kernel[half:], kernel[:half]
        filtered = np.fft.irfft(spectrum * np.fft.rfft(wrapped)[:, None], size, axis=0)
        made.append(filtered[reach : reach + frames].reshape(values.shape))
        risks.append(_risk(values, made[-1], power, np.full((frames, channels), kernel[half]), window))
    for length_s in SPECTRA_S:
        shrunk = _shrunk(values, power, max(8, int(length_s * fps) // 4 * 4))
        if shrunk is not None:
            made.append(shrunk[0])
            risks.append(_risk(values, shrunk[0], power, shrunk[1], window))
    risk = np.stack(risks) / power
    risk = risk if share is None else risk @ share
    weights = np.exp((risk.min(axis=0) - risk) / SHARPNESS)
    weights /= weights.sum(axis=0)
    best = np.zeros_like(values)
    for weight, one in zip(weights, made, strict=True):
        best += weight[..., None] * one
    return best


def within(values: Array, made: Array, sigma: Array, part: Array) -> Array:
    """`values` (F, J, C) moved by `part` (J,) of the way to `made`, and no farther than white noise of `sigma` (J,) goes: the rest was movement."""
    away = made - values
    far = np.linalg.norm(away, axis=-1)
    most = FARTHEST * sigma
    return np.asarray(values + away * (part * np.minimum(1.0, most / np.maximum(far, 1e-300)))[..., None])


def lightly(values: Array, half: int) -> Array:
    """`values` (F, ...) through the parabola of `half` frames to each side alone: little noise less, and peaks as high as they were."""
    half = min(half, (len(values) - 1) // 2)
    if half < 1:
        return values
    padded = _beyond(values, half)
    kernel = _parabola(half)
    return np.asarray(sum(weight * padded[n : n + len(values)] for n, weight in enumerate(kernel)))


def _risk(values: Array, made: Array, power: Array, own: Array, window: int) -> Array:
    """(F, J) Stein's estimate of how far `made` is from what lies below the noise; `own` is a value's weight in itself."""
    return averaged(((made - values) ** 2).sum(axis=-1), window) + power * (2.0 * averaged(own, window) - 1.0)


def averaged(values: Array, half: int) -> Array:
    """The mean of `values` (F, ...) over a bell of `half` frames to each side; at the ends over what there is."""
    kernel = np.hanning(2 * half + 3)[1:-1]
    size = 1 << (len(values) + 2 * half).bit_length()
    bell = np.fft.rfft(kernel, size).reshape(-1, *[1] * (values.ndim - 1))

    def summed(array: Array) -> Array:
        full = np.fft.irfft(np.fft.rfft(array, size, axis=0) * bell, size, axis=0)
        return np.asarray(full[half : half + len(values)])

    ones = np.ones((len(values), *[1] * (values.ndim - 1)))
    return np.asarray(summed(values) / summed(ones))


def _parabola(half: int) -> Array:
    """The weights by which the middle of a parabola through 2 half + 1 values is found; near ones count more."""
    t = np.arange(-half, half + 1) / (half + 1.0)
    weight = 1.0 - t * t
    powers = np.stack([np.ones_like(t), t * t], axis=1)
    solved = np.linalg.solve(powers.T @ (powers * weight[:, None]), powers.T)[0]
    return np.asarray(solved * weight)


def _beyond(values: Array, reach: int) -> Array:
    """`values` (F, ...) with `reach` frames more at both ends, turned about the end itself: its speed continues."""
    first, last = 2.0 * values[0] - values[reach:0:-1], 2.0 * values[-1] - values[-2 : -reach - 2 : -1]
    return np.concatenate([first, values, last])


def _shrunk(values: Array, power: Array, length: int) -> tuple[Array, Array] | None:
    """`values` (F, J, C) through windows of `length`, each frequency shrunk by how much of it is noise; and (F, J) own weights."""
    frames, channels, _ = values.shape
    reach = min(length, frames - 1)
    padded = _beyond(values, reach)
    if len(padded) < length:
        return None
    window = np.sin(np.pi * (np.arange(length) + 0.5) / length)
    square = window**2
    time = np.linspace(-1.0, 1.0, length)
    trend = np.stack([np.ones(length), time, time * time], axis=1)
    trend = trend @ np.linalg.pinv(trend)
    result, own, total = np.zeros_like(padded), np.zeros((len(padded), channels)), np.zeros(len(padded))
    starts = [*range(0, len(padded) - length, length // 4), len(padded) - length]
    for start in starts:
        part = padded[start : start + length]
        slow = (trend @ part.reshape(length, -1)).reshape(part.shape)
        found = np.fft.rfft((part - slow) * window[:, None, None], axis=0)
        strength = (np.abs(found) ** 2).sum(axis=-1)
        near, count = strength.copy(), np.full((len(strength), 1), 3.0)
        near[1:] += strength[:-1]
        near[:-1] += strength[1:]
        count[0] = count[-1] = 2.0
        kept = np.maximum(0.0, 1.0 - SHRINK * square.sum() * power / np.maximum(near / count, 1e-300))
        quick = np.fft.irfft(found * kept[..., None], length, axis=0) * window[:, None, None]
        mean = np.fft.irfft(kept, length, axis=0)[0]
        at = slice(start, start + length)
        result[at] += quick + slow * square[:, None, None]
        own[at] += square[:, None] * (mean + (1.0 - mean) * np.diag(trend)[:, None])
        total[at] += square
    inner = slice(reach, reach + frames)
    total = np.maximum(total, 1e-12)
    return (result / total[:, None, None])[inner], (own / total[:, None])[inner]
