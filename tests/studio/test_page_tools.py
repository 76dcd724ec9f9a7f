"""The stage's tools in a real browser: themes, the floor, ghosts, arcs, and pictures and films of what the camera sees."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from komadori.characters import character, sample
from komadori.methods.retarget import retarget

from browser import frame, new_page, settle, visit, wait_for_answer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from browser import Faults, Studio

TRAIL = """() => {
    const found = {};
    window.probe.each((one) => {
        if (one.name === 'arc' || one.name === 'ticks') (found[one.name] ??= []).push([...one.geometry.attributes.position.array]);
    });
    return found;
}"""


@pytest.fixture
def ready(page: Page) -> Page:
    wait_for_answer(page)
    page.locator(".stage canvas").focus()
    return page


def shot(page: Page) -> np.ndarray:
    """The stage as it is seen, (H, W, 3)."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return np.asarray(Image.open(io.BytesIO(page.locator(".stage").screenshot())).convert("RGB")).astype(float)


def resting(page: Page) -> np.ndarray:
    """The stage once two looks at it are the same: on a busy machine a picture comes late, and a note takes its time to fade."""
    settle(page)
    before = shot(page)
    for _ in range(60):
        now = shot(page)
        if np.array_equal(now, before):
            return now
        before = now
    raise AssertionError("the stage never came to rest")


def test_the_system_chooses_the_theme_and_the_switch_keeps_another(
    studio: Studio, chromium: Browser, faults: Faults
) -> None:
    page = new_page(chromium, faults, color_scheme="dark")
    visit(page, studio.address)
    assert page.get_attribute("html", "data-theme") == "dark"
    dark = shot(page)[2:40, 600:700].mean()
    page.get_by_role("button", name="Light theme").click()
    assert page.get_attribute("html", "data-theme") == "light"
    assert shot(page)[2:40, 600:700].mean() > dark + 100
    page.reload()
    page.wait_for_selector(".stage[data-shown]")
    assert page.get_attribute("html", "data-theme") == "light"
    assert page.get_by_role("button", name="Dark theme").is_visible()
    page.close()


@pytest.mark.pictures
def test_the_floor_has_no_edge(ready: Page) -> None:
    """From high above, the picture's border is plain: no line of the floor ends in it."""
    ready.get_by_role("button", name="Result alone").click()
    box = ready.locator(".stage").bounding_box()
    assert box
    for _ in range(10):
        ready.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        ready.mouse.wheel(0, 400)
    picture = shot(ready)
    middle = picture[200:-160, 400:-400]
    assert middle.std(axis=(0, 1)).max() > 0.5
    for border in (picture[60:-60, -6:-2], picture[-6:-2, 120:-200]):
        assert border.std(axis=(0, 1)).max() < 1.0


def test_arcs_have_a_tick_at_every_drawing_where_the_joint_is(ready: Page) -> None:
    ready.keyboard.press("a")
    ready.wait_for_function(f"() => (({TRAIL})().ticks ?? []).length === 2")
    found = ready.evaluate(TRAIL)
    girl = character("girl")
    motion = retarget(sample("pitch"), girl).motion
    joint = motion.skeleton.roles["left_hand"]
    places = motion.world_positions()
    arc = np.array(found["arc"][0]).reshape(-1, 3)
    # It ends with the last drawing.
    assert len(arc) > 120
    np.testing.assert_allclose(arc, places[: len(arc), joint], atol=2e-4)
    drawings = int(ready.locator(".numbers dd").first.inner_text().split(" ")[0])
    assert len(found["ticks"][0]) == 3 * drawings


def test_the_joints_of_arcs_are_chosen_in_a_menu(ready: Page) -> None:
    ready.locator("summary[aria-label='Joints with an arc']").click()
    ready.get_by_label("head", exact=True).check()
    ready.wait_for_function(f"() => (({TRAIL})().ticks ?? []).length === 3")
    ready.keyboard.press("Escape")
    assert not ready.get_by_label("head", exact=True).is_visible()


@pytest.mark.pictures
def test_ghosts_show_more_of_the_stage_and_go_again(ready: Page) -> None:
    ready.get_by_role("button", name="Result alone").click()
    ready.keyboard.press("Home")
    for _ in range(74):
        ready.keyboard.press("ArrowRight")
    before = resting(ready)
    ready.keyboard.press("g")
    assert np.abs(resting(ready) - before).mean() > 0.5
    ready.keyboard.press("g")
    assert np.abs(resting(ready) - before).mean() < 0.05


@pytest.mark.pictures
def test_a_still_is_the_stage_as_it_is_seen(ready: Page, tmp_path: Path) -> None:
    ready.mouse.move(700, 600)
    seen = shot(ready)
    with ready.expect_download() as download:
        ready.get_by_role("button", name="Save a still of the stage").click()
    assert download.value.suggested_filename == "girl-limited.1.png"
    download.value.save_as(tmp_path / "still.png")
    still = np.asarray(Image.open(tmp_path / "still.png").convert("RGB")).astype(float)
    assert still.shape == seen.shape
    # The tools and labels float over the page alone.
    assert np.abs(still[90:-70] - seen[90:-70]).mean() < 1.0


@pytest.mark.pictures
def test_a_film_has_every_frame_between_the_in_and_out_points(ready: Page, tmp_path: Path) -> None:
    av = pytest.importorskip("av")
    for _ in range(10):
        ready.keyboard.press("ArrowRight")
    ready.keyboard.press("[")
    for _ in range(11):
        ready.keyboard.press("ArrowRight")
    ready.keyboard.press("]")
    ready.get_by_text("11–22 ×").wait_for()
    with ready.expect_download() as download:
        ready.get_by_role("button", name="Save a film of the stage").click()
    download.value.save_as(tmp_path / "film.webm")
    with av.open(str(tmp_path / "film.webm")) as film:
        (stream,) = film.streams.video
        pictures = [picture.to_ndarray(format="rgb24") for picture in film.decode(stream)]
        assert float(stream.average_rate) == pytest.approx(24.0, abs=0.1)
    assert len(pictures) == 12
    assert np.abs(pictures[0].astype(float) - pictures[-1].astype(float)).mean() > 0.2
    assert frame(ready) == 22
