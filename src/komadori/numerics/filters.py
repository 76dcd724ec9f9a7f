"""Filters over time, on bare arrays: a smoothed second derivative, and the main frequency of a movement."""

from __future__ import annotations

import math

import numpy as np

from komadori.quat import Array


def smoothed_curvature(values: Array, sigma: float) -> Array:
    """sigma^2 times the second derivative of `values` (F, ...) after a Gaussian of `sigma` frames; no unit of time.

    The ends continue as they are (their last value), so that a movement that starts from rest still anticipates. A
    straight line has curvature 0 away from the ends, a sine of w radians per frame -(sigma w)^2 exp(-(sigma w)^2 / 2).
    """
    frames = len(values)
    if frames < 2:
        return np.zeros_like(values)
    reach = max(2, math.ceil(5.0 * sigma))
    t = np.arange(-reach, reach + 1) / sigma
    kernel = (t * t - 1.0) * np.exp(-0.5 * t * t)
    # Sampled and truncated, the kernel no longer ignores constants or reproduces parabolas exactly: correct both.
    kernel -= kernel.mean()
    kernel *= 2.0 / np.sum(kernel * t * t)
    flat = values.reshape(frames, -1)
    padded = np.concatenate([np.repeat(flat[:1], reach, axis=0), flat, np.repeat(flat[-1:], reach, axis=0)])
    result = np.empty_like(flat, dtype=np.float64)
    for column in range(flat.shape[1]):
        result[:, column] = np.convolve(padded[:, column], kernel, mode="valid")
    return result.reshape(values.shape)


def main_frequency(values: Array) -> float:
    """Radians per frame at which `values` (F, D) move most: the mean over the spectrum of their velocity.

    0 for what does not move.
    """
    velocity = np.diff(values.reshape(len(values), math.prod(values.shape[1:])), axis=0)
    if len(velocity) < 3:
        return 0.0
    # Steady travel is not oscillation.
    power = np.sum(np.abs(np.fft.rfft(velocity - velocity.mean(axis=0), axis=0)) ** 2, axis=1)
    total = power.sum()
    if total <= 1e-18:
        return 0.0
    return float(np.sum(power * 2.0 * np.pi * np.fft.rfftfreq(len(velocity))) / total)
