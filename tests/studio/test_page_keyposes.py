"""The key poses' panel in a real browser: small pictures of the poses, and a motion curve that can be turned."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from browser import Studio, frame, settle, spots, wait_for_answer, wait_for_spots

if TYPE_CHECKING:
    from playwright.sync_api import Page

COLOURS = """selector => [...document.querySelectorAll(selector)].map((canvas) => {
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  const found = new Set();
  for (let n = 0; n < data.length; n += 4) found.add(`${data[n]},${data[n + 1]},${data[n + 2]},${data[n + 3]}`);
  return found.size;
})"""
PIXELS = "() => document.querySelector('.turned').toDataURL()"


@pytest.fixture
def ready(page: Page) -> Page:
    page.click("#tab-keyposes")
    wait_for_answer(page)
    page.wait_for_selector(".strip button")
    return page


@pytest.mark.pictures
def test_every_key_has_a_picture_that_leads_to_it(ready: Page) -> None:
    ready.wait_for_function(f"() => ({COLOURS})('.strip canvas').every((count) => count > 20)")
    pictures = ready.locator(".strip canvas").evaluate_all("all => all.map((one) => one.toDataURL())")
    assert len(set(pictures)) == len(pictures) > 3, "each shows its own pose"
    third = ready.locator(".strip button").nth(2)
    third.click()
    assert frame(ready) == int(third.inner_text())
    ready.wait_for_selector(".strip button:nth-child(3)[aria-pressed=true]")


def test_the_curve_is_turned_by_hand_and_by_key(ready: Page) -> None:
    # The best keys come when the hand rests, and would change the picture by themselves.
    ready.wait_for_selector("#panel-keyposes .legend:not([hidden])")
    first = ready.evaluate(PIXELS)
    ready.locator(".turned").scroll_into_view_if_needed()
    box = ready.locator(".turned").bounding_box()
    assert box
    ready.mouse.move(box["x"] + 100, box["y"] + 60)
    ready.mouse.down()
    ready.mouse.move(box["x"] + 160, box["y"] + 80, steps=3)
    ready.mouse.up()
    dragged = ready.evaluate(PIXELS)
    assert dragged != first
    before = frame(ready)
    ready.focus(".turned")
    ready.keyboard.press("ArrowLeft")
    assert ready.evaluate(PIXELS) != dragged
    assert frame(ready) == before, "the arrow turned the curve and left the frame alone"


def edited(studio: Studio, page: Page) -> list[dict[str, Any]]:
    """The key poses that were redrawn, as they are on disk."""
    page.wait_for_selector(".saved[data-now=saved]")
    parts = json.loads((studio.project / "scene.json").read_text("utf-8"))["parts"]
    found: list[dict[str, Any]] = parts.get("keyposes", {}).get("poses", [])
    return found


def test_a_key_is_redrawn_by_dragging_a_joint_and_given_back(ready: Page, studio: Studio) -> None:
    key = ready.locator(".strip button").nth(2)
    number = int(key.inner_text())
    key.click()
    places = "() => window.probe.world('result').flat()"
    wait_for_spots(ready, "left_hand")
    before = ready.evaluate(places)
    x, y = spots(ready)["left_hand"]
    ready.mouse.move(x, y)
    ready.mouse.down()
    ready.mouse.move(x + 20, y - 60, steps=6)
    # The body follows while it is dragged.
    moved = f"before => ({places})().some((value, n) => Math.abs(value - before[n]) > 0.03)"
    ready.wait_for_function(moved, arg=before)
    ready.mouse.up()
    ready.wait_for_selector(f".strip button:has-text('✎ {number}')")
    settle(ready)
    assert [one["frame"] for one in edited(studio, ready)] == [number - 1]
    # What is shown from the scene is what was drawn: the key before it is as it was captured.
    ready.wait_for_function(moved, arg=before)
    ready.locator(".strip button").nth(1).click()
    assert ready.is_disabled("#pose-reset")
    ready.locator(".strip button").nth(2).click()
    ready.wait_for_function(moved, arg=before)
    ready.click("#pose-reset")
    ready.wait_for_selector(".strip button:has-text('✎')", state="detached")
    same = f"before => ({places})().every((value, n) => Math.abs(value - before[n]) < 1e-3)"
    ready.wait_for_function(same, arg=before)
    ready.keyboard.press("Control+z")
    ready.get_by_text("Undone: Key poses: a key pose").wait_for()
    ready.wait_for_function(moved, arg=before)


def test_a_key_is_mirrored_by_its_key(ready: Page, studio: Studio) -> None:
    ready.locator(".strip button").nth(1).click()
    ready.keyboard.press("m")
    ready.wait_for_selector(".strip button:has-text('✎')")
    settle(ready)
    assert len(edited(studio, ready)) == 1


def test_limited_animation_is_measured_in_the_view_of_the_stage(ready: Page, studio: Studio) -> None:
    ready.click("#tab-limited")
    wait_for_answer(ready)
    before = ready.inner_text("#panel-limited .numbers")
    assert "m²" in before
    ready.get_by_label("Measure in the picture").check()
    ready.wait_for_function(
        "before => !document.querySelector('#panel-limited .numbers').innerText.includes('m²')", arg=before
    )
    ready.wait_for_selector(".saved[data-now=saved]")
    view = json.loads((studio.project / "scene.json").read_text("utf-8"))["shot"]["view"]
    assert view["follows"] is True
    ready.keyboard.press("Control+z")
    ready.wait_for_function(
        "before => document.querySelector('#panel-limited .numbers').innerText.includes('m²')", arg=before
    )
    assert not ready.is_checked("#limited-view")
