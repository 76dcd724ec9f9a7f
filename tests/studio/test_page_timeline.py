"""The timeline in a real browser: scrub, play, edit the sheet with mouse and keys, take it all back."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import komadori
from komadori.characters import sample

from browser import PATIENCE_MS, Studio, frame, settle, troubles, wait_for_answer, wait_for_body
from staging import staged_sample

if TYPE_CHECKING:
    from playwright.sync_api import Page

RULER, SHEET = 9, 97
"""Heights within the timeline's canvas: the ruler, and the row of the sheet."""


@cache
def default_sheet() -> list[int]:
    """What the library says of the pitch on the girl, as the studio opens."""
    placed = staged_sample("pitch")
    return [int(source) for source in komadori.limited(placed).sheet.source]


def told(page: Page) -> tuple[int, int, int, int]:
    """Frame, number of frames, drawing and source frame, as the timeline says them (from 1)."""
    words = page.get_attribute(".tracks", "aria-valuetext") or ""
    found = re.fullmatch(r"frame (\d+) / (\d+) · [\d.]+ s · drawing (\d+) · source frame (\d+)", words)
    assert found, words
    return int(found[1]), int(found[2]), int(found[3]), int(found[4])


def until(page: Page, pattern: str) -> None:
    """Waits until the timeline says something that matches."""
    page.wait_for_function(
        "pattern => new RegExp(pattern).test(document.querySelector('.tracks').getAttribute('aria-valuetext'))",
        arg=pattern,
        timeout=PATIENCE_MS,
    )


def point(page: Page, at: float, height: int) -> tuple[float, float]:
    """The place on the screen of a (fractional) frame at a height of the timeline."""
    box = page.locator(".tracks").bounding_box()
    assert box
    return box["x"] + at * box["width"] / len(default_sheet()), box["y"] + height


@pytest.fixture
def ready(page: Page) -> Page:
    wait_for_answer(page)
    page.locator(".stage canvas").focus()
    return page


def test_arrows_commas_and_periods_go_where_an_animator_expects(ready: Page) -> None:
    source = default_sheet()
    assert told(ready) == (1, len(source), 1, source[0] + 1)
    ready.keyboard.press("ArrowRight")
    ready.keyboard.press("ArrowRight")
    assert frame(ready) == 3
    ready.keyboard.press("ArrowLeft")
    assert told(ready)[3] == source[1] + 1
    begins = [n for n in range(len(source)) if n == 0 or source[n] != source[n - 1]]
    ready.keyboard.press("Home")
    for number, begin in enumerate(begins[1:6]):
        ready.keyboard.press(".")
        assert told(ready)[:3] == (begin + 1, len(source), number + 2)
    ready.keyboard.press(",")
    assert frame(ready) == begins[4] + 1
    ready.keyboard.press("End")
    assert frame(ready) == len(source)


def test_the_ruler_is_scrubbed_with_the_mouse(ready: Page) -> None:
    source = default_sheet()
    ready.mouse.move(*point(ready, 20.5, RULER))
    ready.mouse.down()
    assert frame(ready) == 21
    ready.mouse.move(*point(ready, 77.5, RULER))
    ready.mouse.up()
    assert told(ready)[3] == source[77] + 1
    ready.mouse.move(*point(ready, 5.5, RULER))
    assert frame(ready) == 78


def test_the_edge_of_a_hold_is_dragged_and_one_undo_takes_it_back(ready: Page) -> None:
    source = default_sheet()
    edge = next(n for n in range(1, len(source) - 3) if source[n] != source[n - 1] and source[n] == source[n + 2])
    ready.mouse.move(*point(ready, edge, SHEET))
    ready.mouse.down()
    ready.mouse.move(*point(ready, edge + 1, SHEET))
    ready.mouse.move(*point(ready, edge + 2, SHEET))
    ready.mouse.up()
    ready.wait_for_selector("text=edited by hand")
    ready.mouse.click(*point(ready, edge + 1.5, RULER))
    until(ready, f"source frame {source[edge - 1] + 1}$")
    ready.mouse.click(*point(ready, edge + 2.5, RULER))
    until(ready, f"source frame {source[edge] + 1}$")
    ready.keyboard.press("Control+z")
    ready.wait_for_selector("text=edited by hand", state="detached")
    ready.mouse.click(*point(ready, edge + 0.5, RULER))
    until(ready, f"source frame {source[edge] + 1}$")


def test_exposures_are_put_in_and_taken_out_by_keys(ready: Page) -> None:
    count = len(default_sheet())
    ready.keyboard.press("+")
    until(ready, f"/ {count + 1} ")
    ready.keyboard.press("+")
    until(ready, f"/ {count + 2} ")
    ready.keyboard.press("Control+z")
    until(ready, f"/ {count + 1} ")
    ready.keyboard.press("Control+y")
    until(ready, f"/ {count + 2} ")
    ready.get_by_text("Reset the sheet").click()
    until(ready, f"/ {count} ")


def test_a_pin_becomes_a_drawing_of_its_own(ready: Page) -> None:
    source = default_sheet()
    held = next(n for n in range(1, len(source)) if source[n] == source[n - 1])
    missing = next(n for n in range(held, len(source)) if n not in source)
    ready.locator("#panel-limited summary:visible").first.click()
    pins = ready.locator("#panel-limited").get_by_label("pinned frames")
    pins.fill(str(missing + 1))
    pins.press("Enter")
    ready.locator(".stage canvas").focus()
    placed = staged_sample("pitch")
    wanted = komadori.limited(placed, pins=(missing,)).sheet.source.tolist()
    ready.keyboard.press("Home")
    for _ in range(wanted.index(missing)):
        ready.keyboard.press("ArrowRight")
    until(ready, f"source frame {missing + 1}$")


def test_frames_are_counted_from_one_and_counts_are_what_they_are(ready: Page, studio: Studio) -> None:
    ready.locator("#panel-limited summary:visible").first.click()
    panel = ready.locator("#panel-limited")
    for label, text in (("actions begin at", "31, 61"), ("omit in each action", "2, 0, 3")):
        field = panel.get_by_label(label)
        field.fill(text)
        field.press("Enter")
        settle(ready)
        assert field.input_value() == text
    ready.wait_for_selector('.saved[data-now="saved"]')
    options = json.loads((studio.project / "scene.json").read_text("utf-8"))["parts"]["limited"]["options"]
    assert (options["cuts"], options["action_omits"]) == ([30, 60], [2, 0, 3])
    wanted = komadori.limited(staged_sample("pitch"), cuts=(30, 60), action_omits=(2, 0, 3))
    assert panel.locator(".numbers dd").nth(1).inner_text() == str(wanted.omitted)


def test_a_slider_gives_what_the_library_gives(ready: Page) -> None:
    placed = staged_sample("pitch")
    slider = ready.get_by_label("omit in-betweens", exact=True).first
    slider.focus()
    for _ in range(4):
        slider.press("ArrowRight")
    wanted = komadori.limited(placed, omit=int(slider.input_value())).drawings
    ready.wait_for_function(
        "n => document.querySelector('.numbers dd').textContent.startsWith(n + ' ')", arg=str(wanted)
    )
    ready.keyboard.press("Control+z")
    ready.wait_for_function("() => !document.querySelector('button[aria-label=Redo]').disabled")


def test_space_plays_from_here_and_loops(ready: Page) -> None:
    ready.keyboard.press("End")
    ready.keyboard.press("ArrowLeft")
    last = frame(ready)
    ready.keyboard.press("Space")
    ready.wait_for_function(
        "last => Number(document.querySelector('.tracks').getAttribute('aria-valuenow')) < last", arg=last - 20
    )
    ready.keyboard.press("Space")
    stopped = frame(ready)
    ready.keyboard.press("ArrowRight")
    assert frame(ready) == stopped + 1


def test_without_the_loop_it_stops_at_the_end(ready: Page) -> None:
    ready.keyboard.press("l")
    ready.keyboard.press("End")
    for _ in range(5):
        ready.keyboard.press("ArrowLeft")
    ready.keyboard.press("Space")
    until(ready, f"^frame {len(default_sheet())} ")
    ready.wait_for_selector("button[aria-label=Play]")


def test_a_broken_file_is_said_in_one_line_and_the_page_goes_on(ready: Page, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    broken = tmp_path / "broken.bvh"
    broken.write_text("HIERARCHY\nROOT hips\n{\n  OFFSETT 0 0 0\n", encoding="ascii")
    good = tmp_path / "stroll.bvh"
    komadori.save(sample("walk"), good)
    ready.keyboard.press("Control+o")
    ready.get_by_label("Choose files", exact=True).first.set_input_files(broken)
    ready.wait_for_selector(".troubles p")
    (message,) = troubles(ready)
    assert "broken.bvh, line 4" in message
    assert str(tmp_path) not in message
    ready.get_by_label("Choose files", exact=True).first.set_input_files(good)
    until(ready, f"/ {len(sample('walk'))} ")
    # The header is drawn when the shelf has come, which may be after the clip.
    expect(ready.get_by_label("Motion", exact=True).locator("option:checked")).to_have_text("stroll.bvh")


@pytest.mark.parametrize("part", ["limited", "keyposes", "hair", "puppet", "translate"])
@pytest.mark.parametrize("language", ["English", "日本語"])
def test_everything_fits_at_1280_by_720(ready: Page, part: str, language: str) -> None:
    if language == "日本語":
        ready.get_by_text("日本語").click()
    ready.locator(f"#tab-{part}").click()
    ready.locator(f"#panel-{part} .field:visible").first.wait_for()
    for selector in ("header", "aside", ".transport", "body"):
        over = ready.eval_on_selector(selector, "e => e.scrollWidth - e.clientWidth")
        assert over <= 0, f"{selector} is {over} pixels too wide"
    assert ready.eval_on_selector("html", "e => e.lang") == ("ja" if language == "日本語" else "en")


def test_the_keyboard_alone_is_enough(studio: Studio, ready: Page) -> None:
    ready.locator("body").press("Tab")
    ready.keyboard.press("?")
    ready.wait_for_selector("dialog[open]")
    ready.keyboard.press("Escape")
    ready.locator("#tab-keyposes").focus()
    ready.keyboard.press("Enter")
    wait_for_answer(ready)
    count = ready.locator("#field-keyposes-count")
    count.focus()
    count.press("Home")
    ready.wait_for_function("() => document.querySelectorAll('#panel-keyposes .strip button').length === 2")
    for _ in range(3):
        count.press("ArrowRight")
    ready.wait_for_function("() => document.querySelectorAll('#panel-keyposes .strip button').length === 5")


def test_another_character_takes_the_stage(ready: Page) -> None:
    ready.get_by_label("Character", exact=True).select_option("character:mannequin")
    wait_for_body(ready, "mannequin")
    ready.get_by_label("Character", exact=True).select_option("")
    wait_for_body(ready, "pitch")


def test_every_exposure_of_one_frame_can_be_clicked(ready: Page) -> None:
    source = default_sheet()
    single = [n for n in range(1, len(source) - 1) if source[n - 1] != source[n] != source[n + 1]]
    assert len(single) > 20
    for n in single:
        for part in (0.35, 0.5, 0.65):
            ready.mouse.click(*point(ready, n + part, SHEET))
            assert frame(ready) == n + 1
    assert ready.get_by_text("edited by hand").count() == 0


def test_a_zoomed_timeline_goes_with_the_playhead_and_has_a_scroll_bar(ready: Page) -> None:
    tracks = ready.locator(".tracks").bounding_box()
    assert tracks
    assert not ready.locator(".slide").is_visible()
    ready.mouse.move(*point(ready, 5, RULER))
    ready.mouse.wheel(0, -800)
    ready.locator(".slide").wait_for()
    for key in ("End", "Home", "End"):
        ready.keyboard.press(key)
        head = ready.locator(".playhead").bounding_box()
        assert head
        assert tracks["x"] - 1 <= head["x"] <= tracks["x"] + tracks["width"] + 1
    thumb = ready.locator(".thumb").bounding_box()
    assert thumb
    assert thumb["width"] < tracks["width"] / 4
    ready.mouse.move(thumb["x"] + thumb["width"] / 2, thumb["y"] + 4)
    ready.mouse.down()
    ready.mouse.move(tracks["x"], thumb["y"] + 4, steps=4)
    ready.mouse.up()
    ready.mouse.click(tracks["x"] + 3, tracks["y"] + RULER)
    assert frame(ready) == 1


def test_scrubbing_moves_the_playhead_and_draws_no_track(ready: Page) -> None:
    ready.evaluate(
        """() => {
            const pen = document.querySelector('.tracks').getContext('2d');
            window.drawn = 0;
            window.moving = false;
            // What an answer draws that happens to come meanwhile is no part of a move.
            addEventListener('pointermove', () => { window.moving = true; }, { capture: true });
            addEventListener('pointermove', () => { window.moving = false; });
            for (const name of ['fillRect', 'stroke', 'fillText', 'clearRect']) {
                const draw = pen[name].bind(pen);
                pen[name] = (...given) => { if (window.moving) window.drawn += 1; draw(...given); };
            }
        }"""
    )
    ready.mouse.move(*point(ready, 20.5, RULER))
    ready.mouse.down()
    for n in (30, 50, 77):
        ready.mouse.move(*point(ready, n + 0.5, RULER))
        assert frame(ready) == n + 1
    ready.mouse.up()
    assert ready.evaluate("window.drawn") == 0
    # The count works: what an edit draws is counted.
    ready.evaluate("window.moving = true")
    ready.keyboard.press("+")
    ready.wait_for_function("() => window.drawn > 0")
