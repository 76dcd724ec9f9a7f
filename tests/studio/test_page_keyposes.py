"""The key poses' panel in a real browser: small pictures of the poses, and a motion curve that can be turned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from browser import frame, wait_for_answer

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
