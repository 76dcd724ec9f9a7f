"""Writes the pictures of docs/studio.md by driving the real page: `python docs/make_pictures/studio.py` (after `make page`)."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
sys.path.insert(0, str(ROOT / "tests" / "studio"))

from browser import SOFTWARE_GL, Faults, Studio, chromium_path, new_page, spots, visit, wait_for_answer, wait_for_spots  # noqa: E402


def main() -> None:
    """Make them all."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        studio = Studio(Path(folder) / "project")
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=SOFTWARE_GL)
        for name, language in (("studio.png", "en-US"), ("studio-ja.png", "ja-JP")):
            page = new_page(browser, Faults(), language, pictures=True)
            visit(page, studio.address)
            _at_the_throw(page)
            keep(page, name)
        page.locator("header button", has_text="English").click()
        page.click("#tab-keyposes")
        wait_for_answer(page)
        page.keyboard.press("o")
        page.keyboard.press("Home")
        for _ in range(2):
            page.keyboard.press(".")
        keep(page, "studio-keyposes.png")
        page.keyboard.press("o")
        page.click("#tab-hair")
        page.get_by_role("button", name="stream", exact=True).click()
        page.get_by_role("button", name="Result alone").click()
        keep(page, "studio-hair.png")
        page.click("#tab-puppet")
        _with_three_keys(page)
        keep(page, "studio-puppet.png")
        page.locator("header select").first.select_option("sample:walk")
        page.click("#tab-translate")
        page.get_by_role("button", name="Side by side").click()
        page.wait_for_selector("#panel-translate .numbers dd:visible")
        for _ in range(30):
            page.keyboard.press("ArrowRight")
        keep(page, "studio-translate.png")
        browser.close()
        studio.close()


def _at_the_throw(page: Page) -> None:
    wait_for_answer(page)
    page.keyboard.press("Home")
    for _ in range(74):
        page.keyboard.press("ArrowRight")


def _with_three_keys(page: Page) -> None:
    """A key at rest, one above it with the hand lowered, one aside with the foot lifted."""
    wait_for_spots(page, "right_hand")
    page.keyboard.press("k")
    for count, moves in (
        (2, {"handle": (0, -70), "right_hand": (60, 90)}),
        (3, {"handle": (-90, 40), "left_foot": (90, -60)}),
    ):
        for what, (dx, dy) in moves.items():
            x, y = spots(page)[what]
            page.mouse.move(x, y)
            page.mouse.down()
            page.mouse.move(x + dx, y + dy, steps=8)
            page.mouse.up()
        page.keyboard.press("k")
        page.wait_for_function(f"() => document.querySelectorAll('#puppet-keys li').length === {count}")


def keep(page: Page, name: str) -> None:
    """The page as it is when everything has been answered and saved."""
    page.wait_for_selector('.saved[data-now="saved"]')
    page.wait_for_function("() => document.querySelectorAll('.numbers').length > 0")
    page.wait_for_timeout(2000)  # What is computed when the hand rests has no mark of its own.
    page.screenshot(path=PICTURES / name)


if __name__ == "__main__":
    main()
