"""Curves between a VMD's keys: close to the movement in every frame, exact where a drawing is held, and far fewer keys."""

from __future__ import annotations

import numpy as np
import pytest

from komadori import Timesheet, quat, sample
from komadori.camera import Camera
from komadori.formats.mmd import curves, vmd, writing
from komadori.formats.mmd.camera import camera_document, camera_of
from komadori.formats.mmd.playing import sampled
from komadori.motion import Motion
from komadori.quat import Array


def played_back(turns: Array, shifts: Array) -> tuple[Array, Array, int]:
    """What the keys of one bone give, read as a VMD's are."""
    at, points = curves.pieces(turns, shifts)
    keys = np.zeros(len(at), vmd.BONE)
    keys["frame"], keys["turn"], keys["shift"] = at, turns[at], shifts[at]
    keys["curves"] = vmd.packed_curves(points)
    back_turns, back_shifts = sampled(keys, len(turns))
    return back_turns, back_shifts, len(at)


def apart(a: Array, b: Array) -> float:
    return float(quat.angle(quat.multiply(quat.inverse(a), b)).max())


def test_straight_curves_are_packed_as_they_always_were() -> None:
    straight = np.tile(np.array(curves.STRAIGHT, dtype=np.uint8), (2, 4, 1))
    assert vmd.packed_curves(straight).tobytes() == 2 * vmd.key_curves()
    points = np.random.default_rng(3).integers(0, 128, (5, 4, 4)).astype(np.uint8)
    assert np.allclose(vmd.channel_curves(vmd.packed_curves(points))[:, 1:], points[:, 1:] / 127.0)
    # Bytes 2 and 3 are the switch of the physics; channels after x are read from their own rows.
    assert not vmd.packed_curves(points)[:, 2:4].any()


@pytest.mark.parametrize("seed", range(4))
def test_every_frame_lies_within_the_bounds(seed: int) -> None:
    random = np.random.default_rng(seed)
    knots = np.linspace(0, 119, 9)
    smooth = np.stack([np.interp(np.arange(120), knots, random.normal(0, 0.5, 9)) for _ in range(6)], axis=1)
    kernel = np.hanning(15) / np.hanning(15).sum()
    smooth = np.stack([np.convolve(column, kernel, "same") for column in smooth.T], axis=1)
    turns, shifts = quat.continuous(quat.exp(smooth[:, :3])), smooth[:, 3:]
    back_turns, back_shifts, count = played_back(turns, shifts)
    assert apart(back_turns, turns) < 1.1 * curves.MOST_RAD + 1e-3 * np.radians(1)
    assert np.abs(back_shifts - shifts).max() < curves.MOST_UNITS + 1e-6
    assert count < 100


def test_an_ease_that_one_curve_holds_takes_two_keys() -> None:
    share = vmd.eased(np.arange(31) / 30, np.tile(np.array([64, 0, 64, 127]) / 127, (31, 1)))
    turns = quat.exp(share[:, None] * [0.0, 0.6, 0.0])
    back, _, count = played_back(turns, np.zeros((31, 3)))
    assert count == 2
    assert apart(back, turns) < curves.MOST_RAD


def test_drawings_that_are_held_come_back_exactly() -> None:
    turns = quat.exp(np.random.default_rng(1).normal(0, 0.3, (20, 3))).astype(np.float32).astype(np.float64)
    held = quat.continuous(quat.normalized(np.repeat(turns, 2, axis=0)))
    back, _, count = played_back(held, np.zeros((40, 3)))
    assert count == 39
    assert apart(back, held) < 1e-6
    still, _, one = played_back(np.tile(turns[:1], (30, 1)), np.zeros((30, 3)))
    assert one == 1
    assert apart(still, np.tile(turns[:1], (30, 1))) < 1e-6


@pytest.mark.parametrize(("name", "times", "worst_mm"), [("walk", 2.0, 1.0), ("pitch", 2.5, 1.6), ("kick", 2.4, 1.8)])
def test_clips_need_fewer_keys_at_a_stated_error(
    name: str, times: float, worst_mm: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clip = sample(name, 30.0)

    def written() -> tuple[int, Motion]:
        document = writing.document_of(clip)
        return len(document.bones), vmd.parse(document.emit(), "x").motion()

    count, motion = written()
    monkeypatch.setattr(curves, "LEAST_FRAMES", 10**9)
    every, exact = written()
    away = 1e3 * np.linalg.norm(motion.world_positions() - exact.world_positions(), axis=-1)
    assert every / count > times
    assert away.max() < worst_mm


def test_a_body_on_twos_stays_on_twos() -> None:
    clip = sample("walk", 30.0)
    twos = clip.retimed(Timesheet.on(2, len(clip), 30.0))
    back = vmd.parse(writing.document_of(twos).emit(), "x").motion()
    even, odd = back.world_positions()[:-1:2], back.world_positions()[1::2]
    assert np.abs(even[: len(odd)] - odd).max() < 1e-6
    assert np.abs(np.diff(even, axis=0)).max() > 0.01


def test_the_camera_is_on_ones_beside_a_body_on_twos() -> None:
    frames = np.arange(48)
    position = np.stack([3.0 * np.sin(frames / 20), 1.0 + frames / 60, 3.0 * np.cos(frames / 20)], axis=1)
    target = np.stack([0.01 * frames, np.ones(48), np.zeros(48)], axis=1)
    shot = Camera(position, target, fov_deg=35.0)
    document = vmd.parse(camera_document(shot, 24.0).emit(), "x")
    assert document.model_name == "カメラ・照明"
    assert document.cameras["frame"].tolist() == list(range(59))
    assert (np.abs(np.diff(document.cameras["target"], axis=0)).max(axis=1) > 0).all()
    back = camera_of(document)
    # Every fifth frame of 30 falls on a fourth of 24.
    assert np.allclose(back.position[::5], position[::4], atol=1e-5)
    assert np.allclose(back.target[::5], target[::4], atol=1e-6)
    assert back.fov_deg == 35.0
    place, aim = np.array([0.0, 1.0, 4.0]), np.array([0.0, 1.0, 0.0])
    still = camera_document(Camera(place, aim), 30.0, frames=10).cameras
    assert len(still) == 10
    assert np.allclose(still["angles"], 0.0)
    assert np.allclose(still["distance"], -50.0)
