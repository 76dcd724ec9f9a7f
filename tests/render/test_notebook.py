"""What a notebook shows: asked as IPython asks, small, quick to make, and there with NumPy alone."""

from __future__ import annotations

import base64
import io
import re
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

import komadori
from komadori import shown
from komadori.character import Character
from komadori.characters import character, sample
from komadori.motion import Motion
from komadori.render import notebook
from komadori.render.apng import apng
from komadori.render.shot import drawings_of
from komadori.timesheet import Timesheet


def page(value: object) -> str:
    """What Jupyter puts into the notebook, asked for as IPython's formatter does."""
    bundle = value._repr_mimebundle_(include=None, exclude=None)  # type: ignore[attr-defined]
    assert set(bundle) == {"text/html"}
    return str(bundle["text/html"])


def pictures(html: str) -> list[tuple[str, bytes]]:
    """(kind, data) of every picture in a page; there is nothing that would have to be fetched."""
    assert not re.search(r"(?:src|href)=\"(?!data:)", html)
    assert "<script" not in html
    found = re.findall(r'src="data:image/([a-z+]+);base64,([^"]+)"', html)
    return [(kind, base64.b64decode(code)) for kind, code in found]


def shown_ms(data: bytes) -> list[float]:
    with Image.open(io.BytesIO(data)) as opened:
        times = []
        for n in range(getattr(opened, "n_frames", 1)):
            opened.seek(n)
            times.append(opened.info.get("duration", 0.0))
    return times


def test_a_limited_motion_moves_with_its_holds() -> None:
    motion = komadori.limited(sample("kick")).motion
    ((kind, data),) = pictures(page(motion))
    runs = drawings_of(motion).runs()
    times = shown_ms(data)
    assert kind == "png"
    assert len(times) == len(runs) <= notebook.MOST_DRAWINGS
    np.testing.assert_allclose(times, [1000.0 * run.length / motion.fps for run in runs], atol=1.0)
    assert sum(times) == pytest.approx(1000.0 * len(motion) / motion.fps, abs=1.0)


def test_a_captured_motion_keeps_its_time() -> None:
    motion = sample("pitch")
    ((_, data),) = pictures(page(motion))
    assert sum(shown_ms(data)) == pytest.approx(1000.0 * len(motion) / motion.fps, rel=0.08)


def test_a_motion_of_any_length_is_small() -> None:
    clip = sample("walk")
    long = clip.taken(np.arange(100_000) % len(clip))
    html = page(long)
    ((_, data),) = pictures(html)
    assert len(data) <= notebook.MOST_BYTES
    assert len(shown_ms(data)) <= notebook.MOST_PICTURES
    assert f"of 100000 frames, {100_000 / clip.fps / 5:.3g} times as fast" in html


def test_what_is_too_large_has_fewer_pictures_and_keeps_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    motion = sample("kick")[20:50]
    ((_, whole),) = pictures(page(motion))
    monkeypatch.setattr(notebook, "MOST_BYTES", len(whole) - 1)
    ((_, less),) = pictures(page(motion))
    assert len(shown_ms(less)) == len(shown_ms(whole)) // 2
    assert sum(shown_ms(less)) == pytest.approx(sum(shown_ms(whole)), abs=1.0)


def test_sheet_character_and_skeleton_show_themselves() -> None:
    assert [kind for kind, _ in pictures(page(Timesheet(24, [0, 0, 1, 4, 4])))] == ["svg+xml"]
    assert "the first 144 of 5000 frames" in page(Timesheet(24, np.arange(5000)))
    girl = character("girl")
    ((kind, data),) = pictures(page(girl))
    assert kind == "png"
    with Image.open(io.BytesIO(data)) as opened:
        colours = np.unique(np.asarray(opened.convert("RGB")).reshape(-1, 3), axis=0)
    assert len(colours) > 30
    assert pictures(page(girl.skeleton))
    assert pictures(page(Character("bare", girl.skeleton)))


def test_results_come_with_their_charts() -> None:
    kick, girl = sample("kick"), character("girl")
    assert [kind for kind, _ in pictures(page(komadori.limited(kick)))] == ["png", "svg+xml"]
    assert [kind for kind, _ in pictures(page(komadori.keyposes(kick)))] == ["svg+xml", "svg+xml"]
    for result in (
        komadori.exaggerate(kick),
        komadori.hair(girl, komadori.retarget(kick, girl).motion[:8]),
        komadori.retarget(kick, girl),
    ):
        assert [kind for kind, _ in pictures(page(result))] == ["png"]


def test_what_cannot_be_drawn_leaves_its_text() -> None:
    kick = sample("kick")
    assert "Motion(0 frames" in page(kick[:0])
    broken = Motion(kick.skeleton, 24.0, kick.rotations, np.where(kick.positions == 0.0, np.nan, kick.positions))
    assert broken._repr_mimebundle_() == {}


def test_names_of_files_cannot_write_into_the_page() -> None:
    girl = character("girl")
    evil = Character("<script>alert('\"x\"')</script>", girl.skeleton)
    assert "<script" not in page(evil)


def test_without_a_painter_a_value_is_its_text() -> None:
    before = shown._painter
    try:
        shown.shown_by(None)
        assert sample("kick")._repr_mimebundle_() == {}
    finally:
        shown.shown_by(before)


def test_it_needs_numpy_alone_and_costs_nothing_before() -> None:
    asked = """
import sys
sys.modules["PIL"] = None
import komadori
assert "numpy" not in sys.modules
from komadori.characters import character, sample
assert "komadori.render" not in sys.modules
kick = sample("kick")
for value in (kick, character("girl"), komadori.limited(kick), komadori.limited(kick).sheet):
    assert len(value._repr_mimebundle_()["text/html"]) > 1000
"""
    subprocess.run([sys.executable, "-c", asked], check=True)


def test_an_animated_png_is_what_went_in() -> None:
    rng = np.random.default_rng(3)
    first = np.repeat(rng.integers(0, 4, (20, 30, 1)) * 60, 3, axis=-1).astype(np.uint8)
    second = np.array(first)
    second[5:8, 7:20] = (255, 0, 10)
    with Image.open(io.BytesIO(apng([first, second, second, first], [40, 80, 5, 125]))) as opened:
        assert opened.n_frames == 4  # type: ignore[attr-defined]
        assert opened.info["loop"] == 0
        for n, (picture, time) in enumerate(zip((first, second, second, first), (40, 80, 5, 125), strict=True)):
            opened.seek(n)
            assert opened.info["duration"] == time
            np.testing.assert_array_equal(np.asarray(opened.convert("RGB")), picture)
    with Image.open(io.BytesIO(apng([first], [0]))) as opened:
        assert getattr(opened, "n_frames", 1) == 1
        np.testing.assert_array_equal(np.asarray(opened.convert("RGB")), first)
    with pytest.raises(komadori.OptionError, match="at least one picture"):
        apng([], [])


def test_more_colours_than_a_palette_has_become_the_nearest() -> None:
    many = np.random.default_rng(4).integers(0, 256, (40, 40, 3)).astype(np.uint8)
    many[:20] = (10, 20, 30)
    with Image.open(io.BytesIO(apng([many], [0]))) as opened:
        seen = np.asarray(opened.convert("RGB"))
    np.testing.assert_array_equal(seen[:20], many[:20])
    assert np.abs(seen.astype(int) - many)[20:].mean() < 25
