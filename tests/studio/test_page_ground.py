"""The page as a whole, in a real browser: it opens, draws, hears keys, and complains of nothing."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

from komadori.characters.samples import SAMPLES
from komadori.words import translated

from browser import Faults, Opener, Studio, frame, new_page, troubles, visit, wait_for_answer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.mark.pictures
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


def test_the_header_says_whether_the_work_is_saved(page: Page, studio: Studio) -> None:
    page.wait_for_selector('.saved[data-now="saved"]')
    assert page.text_content(".saved") == "saved"
    page.evaluate("document.querySelector('.saved').dataset.now = 'waiting for news'")
    slider = page.locator(".panel:visible .field input[type=range]").first
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_selector('.saved[data-now="saved"]')
    assert json.loads((studio.project / "scene.json").read_text())["parts"]["limited"]["options"] != {}


def test_a_folder_that_cannot_be_written_shows_in_the_header(studios: Opener, empty_page: Page, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    visit(empty_page, studios(tmp_path / "file" / "project").address)
    empty_page.wait_for_selector('.saved[data-now="not saved"]')
    assert "cannot be written" in (empty_page.get_attribute(".saved", "title") or "")
    assert any("cannot be written" in text for text in troubles(empty_page))
    empty_page.close()


def test_the_page_speaks_with_its_own_server_alone_and_keeps_its_token(studio: Studio, empty_page: Page) -> None:
    asked: list[tuple[str, dict[str, str]]] = []
    empty_page.on("request", lambda request: asked.append((request.url, request.all_headers())))
    visit(empty_page, studio.address)
    wait_for_answer(empty_page)
    own = f"http://127.0.0.1:{studio.port}/"
    assert len(asked) > 4
    for address, headers in asked:
        assert address.startswith((own, f"blob:{own}", "data:")), address
        assert "referer" not in headers, "the token stands in the address, which is told to nobody"
        assert "cookie" not in headers
    assert [address for address, _ in asked if studio.token in address] == [studio.address]
    assert empty_page.evaluate("document.cookie") == ""


def test_killed_and_opened_again_the_page_shows_what_it_showed(
    studios: Opener, empty_page: Page, faults: Faults, tmp_path: Path
) -> None:
    faults.expect("WebSocket connection|ERR_CONNECTION|ERR_EMPTY_RESPONSE")
    first = studios(tmp_path / "project")
    visit(empty_page, first.address)
    empty_page.get_by_label("Motion", exact=True).select_option("sample:walk")
    empty_page.wait_for_function("() => document.querySelector('.tracks').getAttribute('aria-valuemax') !== '129'")
    frames = empty_page.get_attribute(".tracks", "aria-valuemax")
    empty_page.wait_for_selector('.saved[data-now="saved"]')
    first.kill()
    empty_page.get_by_text("connection lost, trying again").wait_for()
    visit(empty_page, studios(tmp_path / "project").address)
    empty_page.wait_for_function("() => document.querySelector('header select').value === 'sample:walk'")
    empty_page.wait_for_function("frames => document.querySelector('.tracks').ariaValueMax === frames", arg=frames)
    empty_page.close()


def uncounted(texts: list[str]) -> list[str]:
    """Texts without their counts: a note may come with an answer in between."""
    return [re.sub(r"\d+$", "", text) for text in texts]


def test_every_word_changes_with_the_language(page: Page) -> None:
    """Switched to Japanese and back, every panel reads as before."""
    wait_for_answer(page)
    for tab in page.locator("[role=tab]").all():
        tab.click()
        words = page.locator("aside > .panel:visible :is(h3, label, summary)")
        before = uncounted(words.all_text_contents())
        page.locator("header button", has_text="日本語").click()
        names = {"", *SAMPLES}  # What a file is called is called so in every language.

        # A panel is redrawn with the next picture.
        page.wait_for_function("() => document.documentElement.lang === 'ja'")
        for _ in range(50):
            now = uncounted(words.all_text_contents())
            same = [w for w in now if w in before and w not in names and translated(w, "ja") != w]
            if not same:
                break
            page.wait_for_timeout(100)
        assert same == []
        page.locator("header button", has_text="English").click()
        # A panel is redrawn with the next picture, and what comes with an answer may have come in between.
        for _ in range(50):
            if {*before} - {""} <= {*uncounted(words.all_text_contents())}:
                break
            page.wait_for_timeout(100)
        assert {*before} - {""} <= {*uncounted(words.all_text_contents())}
