"""The page as a whole, in a real browser: it opens, draws, hears keys, and complains of nothing."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from browser import Faults, Studio, frame, new_page, troubles, visit, wait_for_answer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


def test_the_page_opens_and_draws_the_character(page: Page) -> None:
    wait_for_answer(page)
    assert troubles(page) == []
    picture = Image.open(io.BytesIO(page.locator(".stage").screenshot())).convert("RGB")
    half = picture.width // 2
    for side in (picture.crop((0, 0, half, picture.height)), picture.crop((half, 0, picture.width, picture.height))):
        pixels = np.asarray(side, dtype=int)
        ink = (pixels.max(axis=2) < 70).mean()
        away_from_paper = (np.abs(pixels - pixels[2, 2]).max(axis=2) > 60).mean()
        assert 0.0003 < ink < 0.2, "a figure has thin dark lines"
        assert 0.01 < away_from_paper < 0.4, "and stands before a lot of paper"


def test_keys_step_through_the_frames(page: Page) -> None:
    assert frame(page) == 1
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert frame(page) == 3
    page.keyboard.press("ArrowLeft")
    assert frame(page) == 2


def test_nothing_overlaps_or_overflows_in_either_language(chromium: Browser, studio: Studio, faults: Faults) -> None:
    for language in ("en-US", "ja-JP"):
        page = new_page(chromium, faults, language)
        visit(page, studio.address)
        wait_for_answer(page)
        assert page.evaluate("document.documentElement.lang") == language[:2]
        boxes = [page.locator(part).bounding_box() for part in ("header", "main", ".timeline")]
        edges = [edge for box in boxes if box for edge in (round(box["y"]), round(box["y"] + box["height"]))]
        assert edges == [0, edges[1], edges[1], edges[3], edges[3], 720], "one below the other, filling the page"
        over = page.evaluate(
            "[...document.querySelectorAll('header *')].filter(e => e.getBoundingClientRect().right > 1280.5).length"
        )
        assert over == 0
        page.close()


def test_the_harness_hears_what_the_content_policy_refuses(page: Page, faults: Faults) -> None:
    faults.expect("Content Security Policy")
    page.evaluate(
        "() => { const s = document.createElement('script'); s.textContent = 'window.broken = 1'; document.body.append(s); }"
    )
    page.wait_for_timeout(0)
    assert page.evaluate("window.broken") is None
    assert any("Content Security Policy" in fault for fault in faults.found)
