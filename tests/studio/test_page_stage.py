"""The stage in a real browser: the camera, two figures that can be determined apart, the keyboard's way, and a small window."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from komadori.characters import sample
from komadori.formats import encoded

from browser import Opener, frame, spots, visit, wait_for_answer

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

HIPS, HEAD, FOOT = 0, 5, 16
"""Joints of the built-in girl."""
MIDDLE = """([joint, apart]) => {
    const box = document.querySelector('.stage canvas').getBoundingClientRect();
    const [at] = window.probe.joints('result', [joint]);
    const middle = box.left + 0.75 * box.width;
    return at && Math.abs(at[0] - middle) < apart && at[1] > box.top && at[1] < box.bottom;
}"""
"""Whether a joint of the result is near the middle of its picture, which is the right half of the stage."""


@pytest.fixture
def ready(page: Page) -> Page:
    wait_for_answer(page)
    page.locator(".stage canvas").focus()
    return page


def opened(page: Page, motion: str) -> None:
    """Opens a built-in clip and waits until the timeline has it."""
    before = page.get_attribute(".stage", "data-shown")
    page.get_by_label("Motion", exact=True).select_option(motion)
    page.wait_for_function("before => document.querySelector('.stage').dataset.shown !== before", arg=before)
    page.locator(".stage canvas").focus()


def test_the_camera_goes_with_the_body_in_every_tab(ready: Page) -> None:
    opened(ready, "sample:walk")
    for part in ("limited", "keyposes", "hair"):
        ready.click(f"#tab-{part}")
        ready.keyboard.press("Home")
        ready.keyboard.press("End")
        ready.wait_for_function(MIDDLE, arg=[HIPS, 60])


def test_the_camera_stays_where_it_is_when_it_is_told_to(ready: Page) -> None:
    opened(ready, "sample:walk")
    ready.get_by_role("button", name="Follow the body").click()
    ready.keyboard.press("End")
    ready.wait_for_function(f"given => !({MIDDLE})(given)", arg=[HIPS, 60])


def rooted_walk() -> bytes:
    """The built-in walk below a root that never moves, as many programs and every VRM and PMX have one."""
    hierarchy, motion = encoded(sample("walk"), "walk.bvh").decode().split("MOTION")
    channels = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
    below = hierarchy.replace("HIERARCHY", "").replace("ROOT", "JOINT", 1).strip()
    lines = motion.strip().splitlines()
    rows = [f"0 0 0 0 0 0 {row}" for row in lines[2:]]
    root = f"HIERARCHY\nROOT reference\n{{\n  OFFSET 0 0 0\n  {channels}\n{below}\n}}\nMOTION\n"
    return (root + "\n".join([*lines[:2], *rows]) + "\n").encode()


def test_a_body_below_a_still_root_is_framed_and_its_shadow_goes_with_it(
    studios: Opener, empty_page: Page, tmp_path: Path
) -> None:
    (tmp_path / "rooted.bvh").write_bytes(rooted_walk())
    page = empty_page
    visit(page, studios(tmp_path / "project", tmp_path / "rooted.bvh").address)
    page.get_by_label("Character", exact=True).select_option("")
    page.wait_for_function("() => document.querySelector('.stage').dataset.shown.includes('rooted')")
    page.locator(".stage canvas").focus()
    page.get_by_role("button", name="Follow the body").click()
    page.keyboard.press("End")
    page.keyboard.press("f")
    page.wait_for_function(MIDDLE, arg=[1, 60])
    hips, root = page.evaluate("() => window.probe.joints('result', [1, 0])")
    assert abs(hips[0] - root[0]) > 100, "the root stayed behind"
    assert abs(spots(page)["shade"][0] - hips[0]) < 40


def test_another_clip_begins_at_its_first_frame_and_in_the_middle(ready: Page) -> None:
    opened(ready, "sample:walk")
    ready.get_by_role("button", name="Follow the body").click()
    ready.keyboard.press("End")
    ready.keyboard.press("f")
    opened(ready, "sample:kick")
    ready.wait_for_function(MIDDLE, arg=[HIPS, 80])
    assert frame(ready) == 1


def blue(stage: Locator) -> int:
    """How many pixels are as blue as what was captured."""
    pixels = np.asarray(Image.open(io.BytesIO(stage.screenshot())).convert("RGB"), dtype=int)
    return int(((pixels[..., 2] - pixels[..., 0] > 60) & (pixels[..., 2] > 200)).sum())


@pytest.mark.pictures
def test_in_the_overlay_what_was_captured_is_blue_and_the_result_is_not(ready: Page) -> None:
    for _ in range(74):
        ready.keyboard.press("ArrowRight")
    stage = ready.locator(".stage canvas")
    ready.get_by_role("button", name="Result alone").click()
    ready.wait_for_function("() => !document.querySelector('.labels').textContent")
    alone = blue(stage)
    ready.get_by_role("button", name="Overlay").click()
    ready.wait_for_function("() => document.querySelector('.labels').textContent")
    assert blue(stage) > alone + 200


def test_keys_of_the_number_pad_turn_the_view(ready: Page) -> None:
    tall = """([least, most, ...joints]) => {
        const [head, foot] = window.probe.joints('result', joints);
        const apart = Math.abs(head[1] - foot[1]);
        return least < apart && apart < most;
    }"""
    ready.keyboard.press("Numpad1")
    ready.wait_for_function(tall, arg=[150, 1000, HEAD, FOOT])
    ready.keyboard.press("Numpad7")
    ready.wait_for_function(tall, arg=[-1, 120, HEAD, FOOT])
    ready.get_by_role("button", name="Side view").click()
    ready.wait_for_function(tall, arg=[150, 1000, HEAD, FOOT])


def test_a_clicked_button_leaves_the_space_bar_to_the_playing(ready: Page) -> None:
    ready.get_by_role("button", name="Live").click()
    ready.keyboard.press("Space")
    ready.wait_for_selector(".transport button[aria-label=Pause]")
    ready.keyboard.press("Space")
    ready.wait_for_selector(".transport button[aria-label=Play]")


def test_enter_on_a_tab_keeps_the_keyboard_there_and_escape_gives_it_to_the_stage(ready: Page) -> None:
    ready.locator("#tab-keyposes").focus()
    ready.keyboard.press("Enter")
    ready.locator("#panel-keyposes .field:visible").first.wait_for()
    assert ready.evaluate("document.activeElement.id") == "tab-keyposes"
    ready.locator("#panel-keyposes input[type=number]:visible").first.focus()
    ready.keyboard.press("Escape")
    assert ready.evaluate("document.activeElement.parentElement.className") == "stage"


def test_a_selected_key_is_dragged_by_the_ring_around_the_handle(ready: Page) -> None:
    ready.click("#tab-puppet")
    ready.wait_for_function("() => window.probe.spots().right_hand")
    ready.keyboard.press("k")
    ready.wait_for_function("() => document.querySelectorAll('#puppet-keys li').length === 1")
    ready.keyboard.press(".")
    ready.wait_for_function("() => window.probe.spots().ring")
    before = spots(ready)
    x, y = before["handle"]
    (name,) = [
        key
        for key, at in before.items()
        if at == [x, y] and key not in ("handle", "ring") and not key.endswith("shadow")
    ]
    ready.mouse.move(x + 21, y)
    ready.mouse.down()
    ready.mouse.move(x + 61, y - 40, steps=5)
    ready.mouse.up()
    ready.wait_for_function("([name, x]) => Math.abs(window.probe.spots()[name]?.[0] - x - 40) < 6", arg=[name, x])


@pytest.mark.parametrize("language", ["English", "日本語"])
def test_nothing_is_off_the_screen_at_1024_by_640(ready: Page, language: str) -> None:
    ready.set_viewport_size({"width": 1024, "height": 640})
    if language == "日本語":
        ready.get_by_text("日本語").click()
        ready.wait_for_function("() => document.documentElement.lang === 'ja'")
    outside = """() => [...document.querySelectorAll('header button, header select, .tools button, .transport button, .tracks')]
        .filter(one => {
            const { left, right, top, bottom, width } = one.getBoundingClientRect();
            const nav = one.closest('nav')?.getBoundingClientRect();
            return width && (left < -0.5 || right > 1024.5 || top < 0 || bottom > 640.5 || (nav && right > nav.right + 1));
        }).map(one => one.textContent || one.ariaLabel)"""
    assert ready.evaluate(outside) == []
    for selector in ("header", "nav", "aside", ".transport", "body"):
        assert ready.eval_on_selector(selector, "e => e.scrollWidth - e.clientWidth") <= 0, selector


def test_the_stage_has_a_name(ready: Page) -> None:
    assert ready.get_by_role("img", name="Stage: girl").count() == 1
