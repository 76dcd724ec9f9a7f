"""The cartoon animation filter: anticipation, follow-through, and what it must leave alone."""

from __future__ import annotations

import numpy as np
import pytest

import komadori
from komadori import Motion, Skeleton, feet, quat
from komadori.characters.samples import sample
from komadori.errors import OptionError
from komadori.numerics.filters import main_frequency, smoothed_curvature


def turning(angle: np.ndarray, fps: float = 24.0) -> Motion:
    """A bone that turns about z by `angle` (F,)."""
    skeleton = Skeleton(("root", "tip_end"), [-1, 0], [[0, 0, 0], [0, 1, 0]])
    rotations = quat.identity(len(angle), 2)
    rotations[:, 0] = quat.from_axis_angle([0.0, 0.0, 1.0], angle)
    return Motion(skeleton, fps, rotations, np.broadcast_to(skeleton.offsets, (len(angle), 2, 3)))


def angle_of(motion: Motion) -> np.ndarray:
    return np.asarray(2.0 * np.arctan2(motion.rotations[:, 0, 2], motion.rotations[:, 0, 3]))


def test_a_move_is_anticipated_and_overshot() -> None:
    t = np.arange(120)
    angle = 1.0 / (1.0 + np.exp(-(t - 60) / 3.0))
    out = angle_of(komadori.exaggerate(turning(angle), amount=1.0, width_s=0.2).motion)
    assert out[:60].min() < -0.03
    assert out[60:].max() > 1.03
    assert np.argmin(out) < 60 < np.argmax(out)
    assert abs(out[0] - angle[0]) < 1e-3
    assert abs(out[-1] - angle[-1]) < 1e-3


def test_the_gain_of_a_swing_is_the_filters_formula() -> None:
    """A sine of w is answered by 1 + amount (sigma w)^2 exp(-(sigma w)^2 / 2)."""
    fps, w, amount, width_s = 120.0, 2.0 * np.pi * 1.5, 0.8, 0.1
    t = np.arange(600) / fps
    swing = 0.02 * np.sin(w * t)
    out = angle_of(komadori.exaggerate(turning(swing, fps), amount=amount, width_s=width_s).motion)
    x = (width_s * w) ** 2
    inner = slice(120, 480)
    assert np.abs(out[inner] - (1 + amount * x * np.exp(-x / 2)) * swing[inner]).max() < 2e-4


def test_steady_motion_and_stillness_are_left_alone() -> None:
    t = np.arange(100)
    assert np.abs(smoothed_curvature((3.0 + 0.5 * t)[:, None], 4.0)[25:-25]).max() < 1e-9
    assert smoothed_curvature((0.5 * (t / 4.0) ** 2)[:, None], 4.0)[50, 0] == pytest.approx(1.0)
    still = turning(np.full(40, 0.3))
    assert np.allclose(komadori.exaggerate(still, amount=2.0).motion.rotations, still.rotations)
    assert main_frequency(np.zeros((20, 3))) == 0.0
    assert main_frequency(np.sin(0.3 * np.arange(2000))[:, None]) == pytest.approx(0.3, rel=0.02)


def test_nothing_asked_nothing_changed() -> None:
    motion = sample("kick")
    assert komadori.exaggerate(motion, amount=0.0).motion is motion
    for frames in (0, 1, 2):
        assert len(komadori.exaggerate(motion[:frames]).motion) == frames


@pytest.mark.parametrize("name", ["pitch", "kick", "walk"])
def test_samples_keep_their_bones_and_stand_still(name: str) -> None:
    motion = sample(name)
    result = komadori.exaggerate(motion, amount=1.0)
    assert np.allclose(np.linalg.norm(result.motion.rotations, axis=-1), 1.0)
    parents = motion.skeleton.parents[1:]
    for before, after in [(motion.world_positions(), result.motion.world_positions())]:
        lengths = np.linalg.norm(before[:, 1:] - before[:, parents], axis=-1)
        assert np.allclose(np.linalg.norm(after[:, 1:] - after[:, parents], axis=-1), lengths)
    standing = feet.contacts(motion)
    loose = komadori.exaggerate(motion, amount=1.0, plant_feet=False)
    assert feet.slippage(result.motion, standing).per_second < 0.1 * feet.slippage(loose.motion, standing).per_second
    assert result.largest_rad > 0.1


def test_the_same_at_every_frame_rate() -> None:
    slow, fast = sample("kick", 24.0), sample("kick", 120.0)
    options = {"amount": 1.0, "width_s": 0.15, "plant_feet": False}
    a = komadori.exaggerate(slow, **options).motion.world_positions()  # type: ignore[arg-type]
    b = komadori.exaggerate(fast, **options).motion.world_positions()[::5]  # type: ignore[arg-type]
    inner = slice(15, -15)
    assert np.abs(a[: len(b)][inner] - b[inner]).max() < 0.03


def test_wrong_options_are_named() -> None:
    with pytest.raises(OptionError, match="amount: expected a number between 0 and 5"):
        komadori.exaggerate(turning(np.zeros(5)), amount=9.0)
    with pytest.raises(OptionError, match="width_s: expected a number"):
        komadori.exaggerate(turning(np.zeros(5)), width_s=0.0)
