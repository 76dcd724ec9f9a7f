"""Hair in a real browser: presets, the wind dragged by its arrow, chains, spring bones, and a strand traced and fitted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from komadori.characters import character

from browser import PATIENCE_MS, drawn, spots, troubles, wait_for_answer, wait_for_body, wait_for_spot

if TYPE_CHECKING:
    from playwright.sync_api import Page

FRAMES = (1, 5, 9, 13, 17, 21, 25)


@pytest.fixture
def ready(page: Page) -> Page:
    page.click("#tab-hair")
    wait_for_answer(page)
    page.wait_for_selector("[data-chain] button[aria-pressed=true]")
    return page


def strand(page: Page) -> np.ndarray:
    """(n, 2) where the joints of the picked chain are on the page, root to tip."""
    name = page.get_attribute("[data-chain]:has(button[aria-pressed=true])", "data-chain")
    chain = next(chain for chain in character("girl").chains() if chain.name == name)
    return np.array(page.evaluate("joints => window.probe.joints('result', joints)", list(map(int, chain.joints))))


def resting_strand(page: Page) -> np.ndarray:
    """The strand once its turns at this frame have come and been drawn: it is the same in looks that follow one another."""
    now, same = strand(page), 0
    while same < 3:
        drawn(page)
        page.wait_for_timeout(60)
        before, now = now, strand(page)
        same = same + 1 if before.shape == now.shape and np.abs(before - now).max() < 0.01 else 0
    return now


def until_strand(page: Page, before: np.ndarray, wanted: Callable[[float], bool]) -> np.ndarray:
    """Waits until the tip's distance in pixels from `before` is as wanted."""
    for _ in range(PATIENCE_MS // 50):
        now = strand(page)
        if now.shape == before.shape and wanted(float(np.linalg.norm(now[-1] - before[-1]))):
            return now
        page.wait_for_timeout(50)
    raise AssertionError(f"the tip stayed at {strand(page)[-1]}, before {before[-1]}")


def moved(distance: float) -> bool:
    return distance > 5.0


def back(distance: float) -> bool:
    return distance < 0.3


def ball(page: Page) -> tuple[float, float]:
    x, y = spots(page)["wind"]
    return x, y


def wind(page: Page) -> list[float]:
    return [float(page.input_value(f"#wind-{axis}")) for axis in "xyz"]


def trace_over(page: Page, frames: tuple[int, ...]) -> None:
    """Draws along the strand as it is seen at each of the frames (from 1)."""
    for number, frame in enumerate(frames):
        page.keyboard.press("Home")
        for _ in range(frame - 1):
            page.keyboard.press("ArrowRight")
        page.wait_for_function("frame => document.querySelector('.tracks').ariaValueNow === String(frame)", arg=frame)
        points = resting_strand(page)
        page.mouse.move(*points[0])
        page.mouse.down()
        for x, y in points[1:]:
            page.mouse.move(x, y, steps=3)
        page.mouse.up()
        page.wait_for_function(
            "count => document.querySelectorAll('.trace .chips button').length === count", arg=number + 1
        )


def test_a_preset_moves_the_hair_and_is_taken_back(ready: Page) -> None:
    before = strand(ready)
    ready.click("#preset-stream")
    ready.wait_for_selector("#preset-stream[aria-pressed=true]")
    blown = until_strand(ready, before, moved)
    assert np.allclose(blown[0], before[0], atol=1.0), "the root stays on the head"
    assert wind(ready) == [0.0, 1.5, -5.0]
    ready.keyboard.press("Control+z")
    until_strand(ready, before, back)
    assert ready.get_attribute("#preset-plain", "aria-pressed") == "true"
    ready.keyboard.press("Control+y")
    until_strand(ready, blown, back)


def test_the_hair_follows_the_wind_arrow_while_it_is_dragged(ready: Page) -> None:
    before, (x, y) = strand(ready), ball(ready)
    ready.mouse.move(x, y)
    ready.mouse.down()
    ready.mouse.move(x - 60, y + 10, steps=6)
    during = until_strand(ready, before, moved)
    assert during[-1, 0] < before[-1, 0], "the hair goes where the wind blows"
    ready.mouse.move(x - 110, y + 10, steps=6)
    until_strand(ready, during, moved)
    ready.mouse.up()
    wait_for_spot(ready, "wind", x - 110, y + 10)
    assert np.linalg.norm(wind(ready)) > 2.0
    ready.keyboard.press("Control+z")
    until_strand(ready, before, back)
    assert wind(ready) == [0.0, 0.0, 0.0], "one drag is one step back"


def test_the_wind_is_typed_as_numbers(ready: Page) -> None:
    before = strand(ready)
    ready.fill("#wind-x", "6")
    ready.press("#wind-x", "Enter")
    until_strand(ready, before, moved)
    ready.click("#wind-reset")
    until_strand(ready, before, back)


def test_sliders_move_the_hair_and_say_what_holds(ready: Page) -> None:
    ready.click("#preset-underwater")
    ready.wait_for_function("() => document.querySelector('#field-hair-period + input').value === '4'")
    ready.focus("#field-hair-on")
    ready.keyboard.press("ArrowRight")
    ready.wait_for_function("() => document.querySelector('#panel-hair .numbers').textContent.includes('on twos')")
    assert "48 · on twos" in ready.inner_text("#panel-hair .numbers")


def test_chains_are_switched_picked_and_checked_by_keyboard(ready: Page) -> None:
    ready.wait_for_selector("#panel-hair .mark.good")
    row = ready.locator("[data-chain=hair_ponytail]")
    assert row.locator(".mark.good").count() == 4
    number = ready.evaluate("document.querySelector('[data-chain=hair_ponytail] button').id").removeprefix("chain-")
    ready.focus(f"#chain-moves-{number}")
    ready.keyboard.press(" ")
    ready.wait_for_function("() => !document.querySelector('[data-chain=hair_ponytail] button[aria-pressed=true]')")
    assert row.locator(".mark").count() == 0, "a chain that stays still is not checked"
    assert ready.evaluate("document.activeElement.id") == f"chain-moves-{number}", "the focus stays"
    ready.keyboard.press(" ")
    ready.focus("[data-chain=ribbon_left] button")
    ready.keyboard.press("Enter")
    ready.wait_for_function("() => document.querySelector('[data-chain=ribbon_left] button[aria-pressed=true]')")
    assert len(strand(ready)) in (4, 9)


def test_spring_bones_stand_beside_the_wave(ready: Page) -> None:
    ready.select_option("header select >> nth=1", label="horse")
    ready.wait_for_selector("[data-chain=tail]")
    ready.wait_for_function("() => !document.querySelector('#hair-springs').disabled")
    ready.check("#hair-springs")
    ready.wait_for_function("() => document.querySelector('.labels').textContent.includes('Spring bones')")
    ready.wait_for_selector(".stage:not(.busy)")
    ready.uncheck("#hair-springs")
    ready.wait_for_function("() => document.querySelector('.labels').textContent.includes('Original')")


def test_bodies_may_come_and_go(ready: Page) -> None:
    for name, chain in (("horse", "tail"), ("girl", "hair_ponytail"), ("horse", "tail")):
        ready.select_option("header select >> nth=1", label=name)
        ready.wait_for_selector(f"[data-chain={chain}]")
        wait_for_body(ready, name)
    ready.select_option("header select >> nth=1", index=0)
    ready.wait_for_function("() => document.querySelector('#panel-hair .notes').textContent.includes('no hair')")


def test_a_strand_is_traced_and_fitted(ready: Page, tmp_path: Path) -> None:
    ready.click("#preset-stream")
    ready.wait_for_selector("#preset-stream[aria-pressed=true]")
    ready.get_by_role("button", name="Result alone").click()
    ready.click("#trace-side")
    ready.click("#trace-mode")
    assert ready.is_disabled("#trace-fit")
    trace_over(ready, FRAMES)
    assert troubles(ready) == []
    ready.click("#trace-fit")
    ready.wait_for_function("() => document.querySelector('#trace-numbers').textContent.includes('the fitted wave')")
    fitted, rigid, springs, shown = (
        float(text.split("°")[0]) for text in ready.locator("#trace-numbers dd").all_inner_texts()
    )
    assert max(fitted, shown) < 6.0
    assert fitted < min(rigid, springs)
    assert float(ready.input_value("#field-hair-period + input")) == pytest.approx(1.0, abs=0.1)
    with ready.expect_download() as download:
        ready.click("#trace-save")
    saved = tmp_path / "trace.csv"
    download.value.save_as(saved)
    assert "# at: 0 4 8 12 16 20 24" in saved.read_text()
    ready.keyboard.press("Control+z")
    ready.wait_for_function("() => !document.querySelector('#trace-numbers').textContent.includes('the fitted wave')")
    ready.click("#trace-clear")
    ready.wait_for_function("() => document.querySelectorAll('.trace .chips button').length === 0")
    ready.set_input_files(".trace input[type=file]", saved)
    ready.wait_for_function("() => document.querySelectorAll('.trace .chips button').length === 7")


def test_a_trace_that_cannot_be_read_is_said(ready: Page) -> None:
    ready.set_input_files(
        ".trace input[type=file]", {"name": "no.csv", "mimeType": "text/csv", "buffer": b"not,a,trace\n"}
    )
    ready.wait_for_selector(".troubles p")
    assert "no.csv" in troubles(ready)[0]


@pytest.mark.parametrize("language", ["English", "日本語"])
def test_the_panel_fits_its_place_in_both_languages(ready: Page, language: str) -> None:
    if language != "English":
        ready.click(f"text={language}")
        ready.wait_for_function("() => document.documentElement.lang === 'ja'")
    ready.click("#panel-hair details summary")
    assert ready.evaluate("document.querySelector('aside').scrollWidth <= document.querySelector('aside').clientWidth")
    crossing = ready.evaluate(
        """() => [...document.querySelectorAll('#panel-hair button, #panel-hair input, #panel-hair label')]
          .filter((one) => one.checkVisibility())
          .map((one) => one.getBoundingClientRect())
          .filter((box) => box.right > innerWidth || box.left < innerWidth - 332).length"""
    )
    assert crossing == 0
