"""Opening and exporting in a real browser: dropping good and broken files, removing them, and fetching what was made."""

from __future__ import annotations

import base64
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import komadori
from komadori.characters import character, sample
from komadori.formats import encoded, load, load_character, load_sheet
from komadori.studio.exporting import formats

from browser import PATIENCE_MS, Studio, settle, troubles, wait_for_answer, wait_for_body, wait_for_partner
from staging import staged_sample

if TYPE_CHECKING:
    from playwright.sync_api import Page


def drop(page: Page, **files: bytes) -> None:
    """Drops files on the page as a hand does, by the events that a browser sends."""
    page.evaluate(
        """(files) => {
            const data = new DataTransfer();
            for (const [name, text] of files) {
                const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
                data.items.add(new File([bytes], name));
            }
            for (const kind of ["dragover", "drop"]) {
                document.body.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
            }
        }""",
        [[name.replace("_", ".", 1), base64.b64encode(data).decode()] for name, data in files.items()],
    )


def exported(page: Page, what: str, kind: str, suffix: str, folder: Path) -> Path:
    """Exports by clicking, and the file that the browser then has."""
    page.click("#export")
    page.get_by_label("What").select_option(what)
    page.check(f'#export-dialog input[value="{kind} {suffix}"]')
    with page.expect_download(timeout=PATIENCE_MS) as download:
        page.click("#export-make")
    target = folder / download.value.suggested_filename
    download.value.save_as(target)
    page.locator("#export-dialog").get_by_role("button", name="Close").click()
    return target


def test_every_format_says_what_it_is_for(page: Page) -> None:
    page.click("#export")
    dialog, told = page.locator("#export-dialog"), page.locator("#export-dialog .told")
    for language in ("en", "ja"):
        for item in formats():
            box = dialog.locator(f'input[value="{item.kind} {item.suffix}"]')
            if box.is_enabled():
                box.check()
                told.get_by_text(getattr(item.purpose, language)).wait_for()
            else:
                assert box.locator("..").get_attribute("title")
        assert dialog.evaluate("one => one.scrollWidth <= one.clientWidth"), "the dialog overflows"
        page.keyboard.press("Escape")
        page.click("header button:has-text('日本語'), header button:has-text('English')")
        page.click("#export")


def test_the_main_panel_says_what_its_numbers_mean(page: Page) -> None:
    wait_for_answer(page)
    for tab in ("limited", "keyposes"):
        page.click(f"#tab-{tab}")
        panel = page.locator(f"#panel-{tab} .numbers")
        label = panel.get_by_text("away from the captured motion")
        label.wait_for()
        assert len(label.get_attribute("title") or "") > 40
        panel.get_by_text("compared with the best choice").wait_for()
        assert not {"error", "times the optimum"} & {*panel.locator("dt").all_inner_texts()}


@pytest.fixture(scope="module")
def bvh() -> bytes:
    return encoded(sample("kick")[:40], "kick.bvh")


def test_a_broken_file_is_told_in_one_line_and_a_good_one_opens(page: Page, bvh: bytes) -> None:
    drop(page, broken_bvh=bvh[: len(bvh) // 20])
    page.wait_for_selector(".troubles p")
    (message,) = troubles(page)
    assert message.startswith("broken.bvh")
    assert "expected" in message
    assert "\n" not in message
    drop(page, good_bvh=bvh)
    page.wait_for_function("() => document.querySelector('.tracks').getAttribute('aria-valuemax') === '40'")
    page.wait_for_function(
        "name => [...document.querySelectorAll('header select')].some((one) => one.selectedOptions[0]?.textContent === name)",
        arg="good.bvh",
    )


def test_a_file_that_is_nothing_known_is_told(page: Page) -> None:
    drop(page, poem_txt=b"an old silent pond")
    page.wait_for_selector(".troubles p")
    assert ".bvh" in troubles(page)[0]
    wait_for_answer(page)


def test_the_open_dialog_lists_opens_and_removes(page: Page, bvh: bytes, studio: Studio) -> None:
    from playwright.sync_api import expect

    drop(page, mine_bvh=bvh)
    page.wait_for_function("() => document.querySelector('.tracks').getAttribute('aria-valuemax') === '40'")
    page.keyboard.press("Control+o")
    dialog = page.locator("#open-dialog")
    # What was dropped comes first, once the list has heard of it.
    page.wait_for_function("() => document.querySelector('#open-dialog li strong')?.textContent === 'mine.bvh'")
    names = dialog.locator("li strong").all_inner_texts()
    assert {"pitch", "walk", "girl", "horse"} <= set(names)
    assert "40 frames" in dialog.locator("li", has_text="mine.bvh").inner_text()
    remove = dialog.get_by_role("button", name="Remove from the project: mine.bvh")
    expect(remove).to_be_disabled()  # It is open.
    dialog.get_by_role("button", name="Open motion walk").click()
    page.wait_for_function("() => document.querySelector('.tracks').getAttribute('aria-valuemax') !== '40'")
    expect(dialog).to_be_hidden()
    page.click("#open")
    remove.click()
    page.wait_for_function(
        "() => ![...document.querySelectorAll('#open-dialog li strong')].some((one) => one.textContent === 'mine.bvh')"
    )
    assert not [path for path in (studio.project / "files").rglob("*") if path.is_file()]
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_files_are_chosen_in_the_open_dialog_too(page: Page, bvh: bytes) -> None:
    page.click("#open")
    page.locator("#open-dialog input[type=file]").set_input_files({"name": "picked.bvh", "mimeType": "", "buffer": bvh})
    page.wait_for_function("() => document.querySelector('.tracks').getAttribute('aria-valuemax') === '40'")
    page.locator("#open-dialog").wait_for(state="hidden")


def test_limited_animation_is_fetched_as_bvh_xdts_and_glb(page: Page, tmp_path: Path) -> None:
    wait_for_answer(page)
    girl = character("girl")
    wanted = komadori.limited(staged_sample("pitch"))
    bvh = exported(page, "limited", "motion", ".bvh", tmp_path)
    assert bvh.name == "pitch-limited.bvh"
    assert bvh.read_bytes() == encoded(wanted.motion, bvh)
    assert len(load(bvh)) == len(wanted.motion)
    xdts = exported(page, "limited", "sheet", ".xdts", tmp_path)
    assert load_sheet(xdts) == wanted.sheet
    glb = exported(page, "limited", "character", ".glb", tmp_path)
    read = load_character(glb)
    assert [mesh.vertices.shape for mesh in read.meshes] == [mesh.vertices.shape for mesh in girl.meshes]
    assert len(read.motions["pitch-limited"]) == len(wanted.motion)


def test_the_animal_is_fetched_with_the_motion_that_is_seen(page: Page, tmp_path: Path) -> None:
    page.get_by_label("Motion", exact=True).select_option("sample:walk")
    wait_for_body(page)
    page.click("#tab-translate")
    wait_for_partner(page, "horse")
    glb = exported(page, "translate", "character", ".glb", tmp_path)
    read = load_character(glb)
    horse = character("horse")
    made = komadori.quadruped(staged_sample("walk"), horse).motion
    assert read.skeleton.names == horse.skeleton.names
    np.testing.assert_allclose(read.motions["walk-translate"].world_positions(), made.world_positions(), atol=1e-4)


def test_the_recipe_tells_what_was_set(page: Page, tmp_path: Path) -> None:
    wait_for_answer(page)
    number = page.locator("#panel-limited").get_by_label("omit").nth(1)
    number.fill("7")
    number.press("Enter")
    settle(page)
    recipe = tomllib.loads(exported(page, "limited", "recipe", ".toml", tmp_path).read_text(encoding="utf-8"))
    assert recipe["step"][-1] == {"use": "limited", "omit": 7}


def test_a_film_shows_its_progress_and_can_be_given_up(page: Page) -> None:
    wait_for_answer(page)
    page.click("#export")
    page.check('#export-dialog input[value="picture .gif"]')
    page.locator("#export-width").fill("640")
    page.click("#export-make")
    page.wait_for_selector("#export-dialog progress")
    cancel = page.locator("#export-dialog").get_by_role("button", name="Cancel")
    below = cancel.element_handle()
    page.wait_for_function("() => document.querySelector('#export-dialog progress').value > 0.05")
    assert below.evaluate("one => one.isConnected"), "the button was taken away below the pointer"
    cancel.click()
    page.wait_for_selector("#export-make")
    assert troubles(page) == []


def test_what_cannot_be_written_is_greyed_and_says_why(page: Page) -> None:
    page.click("#export")
    page.get_by_label("What").select_option("original")
    sheet = page.locator('#export-dialog input[value="sheet .xdts"]')
    assert sheet.is_disabled()
    assert "timesheet" in (sheet.locator("xpath=..").get_attribute("title") or "")


def test_both_dialogs_fit_the_window_in_both_languages(page: Page) -> None:
    for language in ("en", "ja"):
        for opener, dialog in (("#open", "#open-dialog"), ("#export", "#export-dialog")):
            page.click(opener)
            if opener == "#export":
                page.check('#export-dialog input[value="picture .gif"]')
            box = page.locator(dialog).bounding_box()
            assert box
            assert box["x"] >= 0
            assert box["y"] >= 0
            assert box["x"] + box["width"] <= 1280
            assert box["y"] + box["height"] <= 720
            assert page.locator(dialog).evaluate("one => one.scrollWidth <= one.clientWidth + 1")
            page.keyboard.press("Escape")
        if language == "en":
            page.get_by_role("button", name="日本語").click()


def test_a_dialog_has_the_keyboard_for_itself(page: Page) -> None:
    wait_for_answer(page)
    page.keyboard.press("Control+e")
    before = page.get_attribute(".tracks", "aria-valuenow")
    for key in ("ArrowRight", "Delete", "?"):
        page.keyboard.press(key)
    assert page.get_attribute(".tracks", "aria-valuenow") == before
    assert page.locator("dialog[open]").count() == 1
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    assert page.get_attribute(".tracks", "aria-valuenow") != before
