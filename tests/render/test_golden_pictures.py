"""Golden pictures: what is drawn today looks as it did when somebody last looked at it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from komadori.camera import Camera
from komadori.render import film, ground, ink, toon

from golden_pictures import FOLDER, GOLDEN, difference

MEAN, STRONG, FEW = 0.35, 40, 0.004
"""Levels of 255 that a picture may be off on average, and the share of its pixels that may be off by more than STRONG."""


def unlike(name: str) -> str | None:
    """What is wrong with the drawing `name`, in words; None if it looks as it did."""
    drawn = GOLDEN[name]()
    with Image.open(FOLDER / f"{name}.png") as opened:
        kept = np.asarray(opened)
    assert kept.shape == drawn.shape
    away = np.abs(kept.astype(int) - drawn)
    mean, strong = float(away.mean()), float((away.max(axis=-1) > STRONG).mean())
    return None if mean < MEAN and strong < FEW else f"{mean:.2f} levels off on average, {100 * strong:.2f} % strongly"


@pytest.mark.parametrize("name", GOLDEN)
def test_it_looks_as_it_did(name: str, tmp_path: Path) -> None:
    wrong = unlike(name)
    if wrong is not None:
        with Image.open(FOLDER / f"{name}.png") as opened:
            both = difference(np.asarray(opened), GOLDEN[name]())
        (tmp_path / f"{name}.png").write_bytes(film.png(both))
        pytest.fail(f"{name}: {wrong}; was, difference, is: {tmp_path / f'{name}.png'}")


def test_every_golden_picture_is_drawn_by_the_program() -> None:
    assert {path.stem for path in FOLDER.glob("*.png")} == set(GOLDEN)
    assert max(path.stat().st_size for path in FOLDER.glob("*.png")) < 16_000


def test_a_change_in_shading_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toon, "TERMINATOR", 0.3)
    assert unlike("pitch-toon")
    assert unlike("horse")


def test_a_change_of_the_light_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toon, "LIGHT", np.array([0.45, 0.72, 0.53]))
    assert unlike("pitch-toon")
    assert unlike("pitch-clay")


@pytest.mark.parametrize("name", ["pitch-toon", "pitch-line", "bones"])
def test_a_change_of_the_lines_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ink, "_radius", lambda view: 1.0)
    assert unlike(name)


def test_lost_folds_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ink, "BORDER", 0.01)
    assert unlike("face")


def test_a_lost_shadow_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ground, "SHADOW", ground.PAPER)
    assert unlike("bones")


def test_a_camera_that_is_off_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Camera.axes.fget  # type: ignore[attr-defined]
    turned = np.array([[0.9998, 0.02, 0.0], [-0.02, 0.9998, 0.0], [0.0, 0.0, 1.0]])
    monkeypatch.setattr(Camera, "axes", property(lambda self: turned @ seen(self)))
    for name in ("pitch-toon", "walk-follow"):
        assert unlike(name)
