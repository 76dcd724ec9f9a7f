"""A newcomer, who knows only what is on the page: a clip and an avatar become an export, a take, a fitted strand and a horse.

Every control is found by what it says, and must be seen saying it: its own words, or the tip that the mouse brings up. A key is
pressed only if the page says so. Actions are counted, and a task may not take more than a person would accept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from avatars import girl_vrm
from test_page_hair import resting_strand

from komadori.characters import sample
from komadori.formats import encoded, load_sheet

from browser import PATIENCE_MS, Studio, settle, spots, troubles, visit, wait_for_body, wait_for_spots

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.pictures


class Newcomer:
    """Hands and eyes; `actions` counts what they did."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.actions = 0

    def find(self, role: str, name: str, within: Locator | None = None) -> Locator:
        """The one control of a kind that says `name`: anything that only a machine could read is hidden knowledge."""
        found = (within or self.page).get_by_role(role, name=name, exact=True)
        found = found.and_(self.page.locator(":visible"))
        found.first.wait_for()
        assert found.count() == 1, f"there are {found.count()} of {role} {name!r} to be seen"
        said = found.evaluate(
            """one => [one.innerText, one.title, one.placeholder, one.parentElement.innerText, one.closest('.field')?.innerText,
                       ...[...(one.labels ?? [])].map(label => label.innerText)].join(' ')"""
        )
        assert name.casefold() in said.casefold(), f"{role} {name!r} says so to nobody who looks: {said!r}"
        return found

    def press(self, name: str, role: str = "button", within: Locator | None = None) -> None:
        """Clicks something that says `name`."""
        self.find(role, name, within).click()
        self.actions += 1

    def fill(self, name: str, value: str, role: str = "spinbutton", within: Locator | None = None) -> None:
        """Types into a field that says `name`."""
        field = self.find(role, name, within)
        field.fill(value)
        field.press("Enter")
        self.actions += 1

    def pick(self, name: str, option: str) -> None:
        """Chooses from a list that says `name`."""
        self.find("combobox", name).select_option(label=option)
        self.actions += 1

    def key(self, key: str) -> None:
        """Presses a key that the page names right now."""
        words = self.page.locator("aside").inner_text()
        assert re.search(rf"\({key}\)|press {key}\b|Press {key}\b", words), f"nothing on the page says {key}"
        self.page.keyboard.press(key.lower())
        self.actions += 1

    def drag(self, thing: str, dx: float, dy: float) -> None:
        """Draws something that is seen on the stage, once it stands still."""
        wait_for_spots(self.page, thing)
        x, y = spots(self.page)[thing]
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + dx, y + dy, steps=8)
        self.page.mouse.up()
        self.actions += 1

    def reads(self, words: str) -> None:
        """Waits until something says `words`."""
        self.page.get_by_text(words).and_(self.page.locator(":visible")).first.wait_for()

    def frames(self) -> int:
        return int(re.findall(r"/ (\d+)", self.page.locator(".counter").inner_text())[0])


@pytest.fixture
def hands(studio: Studio, empty_page: Page) -> Iterator[Newcomer]:
    visit(empty_page, studio.address)
    yield Newcomer(empty_page)
    assert troubles(empty_page) == []


def fetched(hands: Newcomer, folder: Path, group: str, suffix: str) -> Path:
    """What the Export dialog gives for a kind of file."""
    dialog = hands.page.locator("#export-dialog")
    kinds = dialog.get_by_role("group", name=group)
    kinds.get_by_text(suffix, exact=True).click()
    hands.actions += 1
    with hands.page.expect_download(timeout=4 * PATIENCE_MS) as download:
        hands.press("Export", within=dialog)
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_a_clip_and_an_avatar_become_a_film_and_a_timesheet(hands: Newcomer, tmp_path: Path) -> None:
    page = hands.page
    (tmp_path / "walk.bvh").write_bytes(encoded(sample("walk"), "walk.bvh"))
    (tmp_path / "avatar.vrm").write_bytes(girl_vrm())
    hands.press("Open")
    with page.expect_file_chooser() as chooser:
        hands.press("Choose files")
    chooser.value.set_files([tmp_path / "walk.bvh", tmp_path / "avatar.vrm"])
    page.wait_for_function("() => document.querySelector('.stage').dataset.shown?.includes('avatar')")
    wait_for_body(page)
    hands.reads("drawings shown")
    # Limited as for television.
    drawings = page.locator(".numbers:visible dd").first
    before = int(drawings.inner_text().split("/")[0])
    hands.press("TV")
    page.wait_for_function(
        "before => Number(document.querySelector('.numbers dd').innerText.split('/')[0]) < before", arg=before
    )
    # One drawing is held longer, and that is taken back.
    frames = hands.frames()
    timeline = page.get_by_role("slider", name="timeline")
    box = timeline.bounding_box()
    assert box
    page.mouse.click(box["x"] + 0.3 * box["width"], box["y"] + 9)
    hands.actions += 1
    hands.press("Extend this drawing by one frame")
    page.wait_for_function(
        "frames => document.querySelector('.counter').innerText.includes(`/ ${frames} `)", arg=frames + 1
    )
    hands.reads("edited by hand")
    hands.press("Undo")
    hands.reads("Undone: Limited: the exposure sheet")
    page.wait_for_function(
        "frames => document.querySelector('.counter').innerText.includes(`/ ${frames} `)", arg=frames
    )
    hands.press("Export")
    dialog = page.locator("#export-dialog")
    dialog.get_by_role("group", name="Picture or film").get_by_text(".mp4", exact=True).click()
    hands.fill("Width", "160", within=dialog)
    hands.fill("Height", "90", within=dialog)
    film = fetched(hands, tmp_path, "Picture or film", ".mp4")
    assert film.read_bytes()[4:8] == b"ftyp"
    sheet = load_sheet(fetched(hands, tmp_path, "Timesheet", ".xdts"))
    assert len(sheet) == frames
    assert len(sheet.drawings) < before
    assert hands.actions <= 20, hands.actions


def test_a_puppet_is_performed(hands: Newcomer) -> None:
    page = hands.page
    hands.press("Puppet", "tab")
    hands.reads("Three steps to a motion")
    wait_for_spots(page, "right_hand")
    hands.drag("right_hand", 60, 120)
    hands.key("K")
    for n, (handle, hand) in enumerate((((20, -120), (-20, -200)), ((-90, 100), (-60, 60)))):
        page.wait_for_function("n => document.querySelectorAll('#puppet-keys li').length === n", arg=n + 1)
        hands.drag("handle", *handle)
        hands.drag("right_hand", *hand)
        hands.key("K")
    page.wait_for_function("() => document.querySelectorAll('#puppet-keys li').length === 3")
    wait_for_spots(page, "handle")
    hands.key("R")
    x, y = spots(page)["handle"]
    page.mouse.move(x, y)
    page.mouse.down()
    for n in range(30):
        page.mouse.move(x + 80 * np.sin(n / 5), y - 6 * n + 40 * np.cos(n / 4))
    page.mouse.up()
    hands.actions += 1
    hands.reads("You have made your first motion")
    hands.find("button", "Pause")
    assert hands.actions <= 12, hands.actions


def test_a_strand_is_traced_and_fitted(hands: Newcomer) -> None:
    page = hands.page
    hands.press("Hair", "tab")
    hands.press("stream")
    page.wait_for_selector("[data-chain] button[aria-pressed=true]")
    hands.press("Result alone")
    hands.press("See it from the side")
    hands.press("Trace")
    hands.reads("Draw along the strand from root to tip, in four frames or more")
    for number in range(5):
        if number:
            for _ in range(4):
                page.keyboard.press("ArrowRight")
            hands.actions += 1
        settle(page)
        points = resting_strand(page)
        page.mouse.move(*points[0])
        page.mouse.down()
        for x, y in points[1:]:
            page.mouse.move(x, y, steps=3)
        page.mouse.up()
        hands.actions += 1
        page.wait_for_function(
            "count => document.querySelectorAll('.trace .chips button').length === count", arg=number + 1
        )
    hands.press("Fit")
    hands.reads("the fitted wave")
    assert hands.actions <= 18, hands.actions


def test_the_horse_is_driven(hands: Newcomer) -> None:
    page = hands.page
    hands.pick("Motion", "walk")
    hands.press("Translate", "tab")
    page.wait_for_function("() => window.probe.has('partner horse')")
    hands.pick("Animal", "horse")
    hands.reads("footfalls")
    hands.press("Play")
    before = page.locator(".counter").inner_text()
    page.wait_for_function("before => document.querySelector('.counter').innerText !== before", arg=before)
    assert hands.actions <= 6, hands.actions
