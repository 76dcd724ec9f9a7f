"""Translation in a real browser: the animal walks in step with the person, live too; arms show what was learnt."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from browser import PATIENCE_MS, frame, troubles, wait_for_body, wait_for_partner

if TYPE_CHECKING:
    from playwright.sync_api import Page

CYCLE = 24
"""Frames in which the sample walks two steps."""
SETTLED = 48
"""By then the animal has started: its first cycle differs from the ones that follow."""


@pytest.fixture
def walking(page: Page) -> Page:
    """The walk on the left, the horse on the right."""
    page.get_by_label("Motion", exact=True).select_option("sample:walk")
    page.click("#tab-translate")
    wait_for_partner(page, "horse")
    page.locator(".stage canvas").focus()
    return page


def halves(page: Page) -> tuple[np.ndarray, np.ndarray]:
    """The person's picture and the animal's, as they are on the screen."""
    whole, before = _picture(page), None
    # The camera eases after the body: two pictures in a row that are the same show it at rest.
    for _ in range(40):
        whole, before = _picture(page), whole
        if np.array_equal(whole, before):
            break
    middle = whole.shape[1] // 2
    return whole[:, :middle], whole[:, middle:]


def _picture(page: Page) -> np.ndarray:
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    shot = page.locator(".stage canvas").screenshot()
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), dtype=float)


def go(page: Page, wanted: int) -> None:
    key = "ArrowRight" if wanted > frame(page) else "ArrowLeft"
    for _ in range(abs(wanted - frame(page))):
        page.keyboard.press(key)
    assert frame(page) == wanted


@pytest.mark.pictures
def test_the_animal_walks_in_step_with_the_person(walking: Page) -> None:
    pictures = []
    for at in (SETTLED, SETTLED + CYCLE // 2, SETTLED + CYCLE):
        go(walking, at)
        pictures.append(halves(walking))
    for side in (0, 1):
        start, half, whole = (picture[side] for picture in pictures)
        assert np.abs(start - half).mean() > 0.3, "half a cycle later it looks otherwise"
        # The ground passes below, so that the pictures are alike, not the same.
        assert np.abs(start - whole).mean() < 0.6 * np.abs(start - half).mean(), "a cycle later it looks alike"


def test_gait_footfalls_and_notes_are_shown(walking: Page) -> None:
    told = walking.locator("#panel-translate .numbers").inner_text()
    assert "LH LF RH RF" in told
    assert "1.00 s" in told


def test_the_speed_slider_shortens_the_clip_and_is_undone(walking: Page) -> None:
    count = int(walking.get_attribute(".tracks", "aria-valuemax") or 0)
    number = walking.locator("#panel-translate").get_by_label("speed").nth(1)
    number.fill("2")
    number.press("Enter")
    walking.wait_for_function(
        "most => Number(document.querySelector('.tracks').getAttribute('aria-valuemax')) === most",
        arg=round((count - 1) / 2) + 1,
        timeout=PATIENCE_MS,
    )
    walking.locator(".stage canvas").focus()
    walking.keyboard.press("Control+z")
    walking.wait_for_function(
        "most => Number(document.querySelector('.tracks').getAttribute('aria-valuemax')) === most",
        arg=count,
        timeout=PATIENCE_MS,
    )


def test_live_the_animal_follows_every_frame(walking: Page) -> None:
    walking.get_by_role("checkbox", name="Live").check()
    walking.wait_for_function("() => window.probe.heard.followed?.frame === 0")
    walking.locator(".stage canvas").focus()
    _, before = halves(walking)
    for at in range(1, 13):
        walking.keyboard.press("ArrowRight")
        walking.wait_for_function("at => window.probe.heard.followed.frame === at", arg=at)
    _, after = halves(walking)
    assert np.abs(before - after).mean() > 0.3
    assert troubles(walking) == []


def test_legs_to_arms_shows_what_every_model_reached(walking: Page) -> None:
    walking.get_by_role("button", name="Legs to arms").click()
    walking.locator("#panel-translate").get_by_label("how it is learned", exact=True).select_option("static")
    for name in ("slow-walk", "walk"):
        box = walking.get_by_role("checkbox", name=name, exact=True)
        box.press("Space")
        walking.wait_for_function("() => document.activeElement?.checked", timeout=PATIENCE_MS)
    wait_for_partner(walking, "girl")
    row = walking.locator(".trials .chosen")
    row.wait_for()
    assert "static" in row.inner_text()
    assert walking.locator(".trials tr").count() >= 6


def test_whoever_cannot_drive_is_told_and_the_page_goes_on(walking: Page) -> None:
    walking.get_by_label("Character", exact=True).select_option("character:horse")
    walking.wait_for_selector(".troubles p", timeout=PATIENCE_MS)
    assert any("expected a motion of a person" in message for message in troubles(walking))
    walking.get_by_label("Character", exact=True).select_option("character:girl")
    wait_for_body(walking, "girl")
    walking.click("#tab-limited")
    walking.wait_for_selector("#panel-limited .numbers dd")


def test_all_of_it_in_japanese_fits(walking: Page) -> None:
    walking.get_by_role("button", name="日本語").click()
    assert "左後" in walking.locator("#panel-translate .numbers").inner_text()
    for selector in ("header", "#panel-translate", ".timeline"):
        box = walking.locator(selector)
        assert box.evaluate("one => one.scrollWidth <= one.clientWidth + 1"), selector
