"""A film or stills under the stage in a real browser: in step with the frames, and part of stills of the stage."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from browser import wait_for_answer

if TYPE_CHECKING:
    from playwright.sync_api import Page

SHADE = """() => {
    const seen = document.querySelector('.underlay:not([hidden])');
    if (!seen || (seen.tagName === 'VIDEO' ? seen.seeking || seen.readyState < 2 : !seen.complete)) return -1;
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 1;
    const pen = canvas.getContext('2d');
    pen.drawImage(seen, 0, 0, 1, 1);
    return pen.getImageData(0, 0, 1, 1).data[1];
}"""
NEAR = f"([wanted, off]) => Math.abs(({SHADE})() - wanted) <= off"
STEP = 5
"""Every picture of the reference is so much lighter than the one before."""


@pytest.fixture
def ready(page: Page) -> Page:
    wait_for_answer(page)
    page.locator(".stage canvas").focus()
    return page


def film(path: Path) -> Path:
    """48 pictures at 24 a second, each of one grey that tells its number."""
    av = pytest.importorskip("av")
    with av.open(str(path), "w") as file:
        stream = file.add_stream("libvpx", rate=24)
        stream.width, stream.height, stream.pix_fmt = 64, 64, "yuv420p"
        stream.options = {"g": "1", "crf": "4", "b": "2M"}
        for number in range(48):
            picture = np.full((64, 64, 3), STEP * number, dtype=np.uint8)
            file.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        file.mux(stream.encode())
    return path


@pytest.mark.pictures
def test_a_film_lies_under_the_stage_in_step_with_the_frames(ready: Page, tmp_path: Path) -> None:
    ready.locator("#reference-menu").click()
    ready.get_by_label("Add a reference").set_input_files(film(tmp_path / "dance.webm"))
    ready.wait_for_function(NEAR, arg=[0, 3])
    for _ in range(10):
        ready.locator(".stage canvas").press("ArrowRight")
    ready.wait_for_function(NEAR, arg=[10 * STEP, 3])
    offset = ready.get_by_label("Offset, seconds").last
    offset.fill("0.5")
    offset.press("Enter")
    ready.wait_for_function(NEAR, arg=[22 * STEP, 3])
    rate = ready.get_by_label("Rate", exact=True).last
    rate.fill("0.5")
    rate.press("Enter")
    ready.wait_for_function(NEAR, arg=[17 * STEP, 3])
    opacity = ready.get_by_label("Opacity").last
    opacity.fill("1")
    opacity.press("Enter")
    ready.wait_for_function("() => document.querySelector('.underlay:not([hidden])').style.opacity === '1'")
    with ready.expect_download() as download:
        ready.get_by_role("button", name="Save a still of the stage").click()
    download.value.save_as(tmp_path / "still.png")
    still = np.asarray(Image.open(tmp_path / "still.png").convert("RGB")).astype(float)
    wide = still.shape[1]
    # The result's half has it behind the body; the original's has the plain stage.
    assert still[30, int(0.75 * wide)] == pytest.approx([17 * STEP] * 3, abs=6)
    assert still[30, int(0.25 * wide)].min() > 180
    ready.reload()
    ready.wait_for_selector(".stage[data-shown]")
    ready.wait_for_function("() => document.querySelector('.underlay:not([hidden])')")
    ready.locator("#reference-menu").click()
    ready.get_by_role("button", name="Remove the reference").click()
    ready.wait_for_function("() => !document.querySelector('.underlay:not([hidden])')")


def test_stills_follow_one_another_frame_by_frame(ready: Page, tmp_path: Path) -> None:
    files = []
    for number in (1, 2, 3, 10):
        files.append(tmp_path / f"still_{number}.png")
        Image.new("RGB", (32, 32), (20 * number, 20 * number, 20 * number)).save(files[-1])
    ready.locator("#reference-menu").click()
    ready.get_by_label("Add a reference").set_input_files(files)
    ready.wait_for_function(NEAR, arg=[20, 1])
    for shade in (40, 60, 200, 200):
        ready.locator(".stage canvas").press("ArrowRight")
        ready.wait_for_function(NEAR, arg=[shade, 1])


def test_a_film_that_cannot_be_played_is_said(ready: Page, tmp_path: Path) -> None:
    (tmp_path / "broken.webm").write_bytes(b"\x1a\x45\xdf\xa3" + b"\0" * 400)
    ready.locator("#reference-menu").click()
    ready.get_by_label("Add a reference").set_input_files(tmp_path / "broken.webm")
    ready.wait_for_selector("text=This browser cannot show the reference")
