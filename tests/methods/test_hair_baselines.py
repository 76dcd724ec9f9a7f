"""What a wave must beat: a rigid swing and springs in a wind, fitted on some drawings and scored on others."""

from __future__ import annotations

import numpy as np
import pytest

from komadori.methods.hair import Trace, baselines, fit_hair, joints, tilts
from komadori.methods.hair.baselines import STEPS, blown_springs, rigid_swing
from komadori.quat import Array

LENGTHS = np.full(6, 0.5)
PERIOD = 1.5


def trace(angles: Array, first: int = 0) -> Trace:
    """Every second of 36 drawings in three cycles."""
    lines = joints(LENGTHS, angles)
    at = tuple(range(first, len(lines), 2))
    return Trace(lines[list(at)], 24.0, at=at)


def wave() -> Array:
    return tilts(LENGTHS, 2.0 * np.pi * np.arange(108) / 24.0 / PERIOD, 0.5, 1.5, 1.2, 0.6)


def swing() -> Array:
    t = 2.0 * np.pi * np.arange(108) / 24.0 / PERIOD
    return np.asarray(np.linspace(0.1, -0.6, 6) + 0.4 * np.sin(t - 0.7)[:, None])


def test_a_rigid_swing_is_given_back_and_a_wave_is_not() -> None:
    assert baselines(trace(swing()), trace(swing(), 1), PERIOD).rigid.angle_deg < 1e-9
    found = baselines(trace(wave()), trace(wave(), 1), PERIOD)
    fit = fit_hair(trace(wave()), period=PERIOD)
    assert fit.error.angle_deg < 0.1
    assert min(found.rigid.angle_deg, found.springs.angle_deg) > 5.0


def test_the_drawings_that_judge_are_not_looked_at() -> None:
    learnt, others = trace(wave()), trace(wave()[::-1].copy(), 1)
    one, other = (blown_springs(learnt, asked.seconds, PERIOD) for asked in (trace(wave(), 1), others))
    np.testing.assert_array_equal(one, other)
    assert rigid_swing(learnt, others.seconds, PERIOD).shape == (len(others), 6)


def test_springs_come_and_go_with_the_wind() -> None:
    learnt = trace(wave())
    seconds = np.arange(STEPS) * PERIOD / STEPS
    found = blown_springs(learnt, seconds, PERIOD)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, blown_springs(learnt, seconds + PERIOD, PERIOD))
    assert np.ptp(found[:, -1]) > 0.02


@pytest.mark.parametrize("size", [1.0, 40.0])
def test_the_unit_of_a_trace_does_not_matter(size: float) -> None:
    small = trace(wave())
    large = Trace(size * small.joints, small.fps, at=small.at)
    one, other = (baselines(given, given, PERIOD) for given in (small, large))
    assert one.springs.angle_deg == pytest.approx(other.springs.angle_deg, abs=1e-9)
