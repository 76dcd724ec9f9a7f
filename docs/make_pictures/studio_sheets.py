"""Writes contact sheets of every tab of the studio, in both themes and languages and at three sizes.

`python docs/make_pictures/studio_sheets.py` (after `make page`) writes `docs/pictures/studio-sheets/*.jpg`; with `--full FOLDER` it also
keeps every screenshot at its real size, and `--only light,en,1280` limits it to what is named.
"""

from __future__ import annotations

import argparse
import io
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[2]
SHEETS = ROOT / "docs" / "pictures" / "studio-sheets"
sys.path.insert(0, str(ROOT / "tests" / "studio"))

from browser import SOFTWARE_GL, Faults, Studio, chromium_path, new_page, visit  # noqa: E402

SIZES = ((1024, 640), (1280, 720), (1920, 1080))
LANGUAGES = {"en": "en-US", "ja": "ja-JP"}
THEMES = ("light", "dark")
CELL = 480
"""Width of a screenshot on a sheet, in pixels."""
GAP = 8


def main() -> None:
    """Make them all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", type=Path, help="folder for the screenshots at their real size")
    parser.add_argument("--only", default="", help="themes, languages, widths and tabs, separated by commas")
    given = parser.parse_args()
    only = set(filter(None, given.only.split(",")))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        studio = Studio(Path(folder) / "project")
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=SOFTWARE_GL)
        for theme in _chosen(THEMES, only):
            for language in _chosen(LANGUAGES, only):
                shots = dict(_shots(browser, studio, theme, language, only))
                if given.full:
                    given.full.mkdir(parents=True, exist_ok=True)
                    for (tab, width), shot in shots.items():
                        shot.save(given.full / f"{theme}-{language}-{width}-{tab}.png")
                else:
                    SHEETS.mkdir(parents=True, exist_ok=True)
                    montage(shots).save(SHEETS / f"{theme}-{language}.jpg", quality=72, optimize=True)
        browser.close()
        studio.close()


def _chosen(all_of: tuple[str, ...] | dict[str, str], only: set[str]) -> list[str]:
    return [one for one in all_of if one in only] or list(all_of)


def _shots(
    browser: Browser, studio: Studio, theme: str, language: str, only: set[str]
) -> Iterator[tuple[tuple[str, int], Image.Image]]:
    scheme = "dark" if theme == "dark" else "light"
    page = new_page(browser, Faults(), LANGUAGES[language], pictures=True, color_scheme=scheme)
    visit(page, studio.address)
    tabs = [str(tab.get_attribute("id")).removeprefix("tab-") for tab in page.get_by_role("tab").all()]
    for tab in _chosen(tuple(tabs), only):
        page.locator(f"#tab-{tab}").click()
        page.locator(f"#panel-{tab}").wait_for()
        settle(page)
        for width, height in SIZES:
            if only & {str(wide) for wide, _ in SIZES} and str(width) not in only:
                continue
            page.set_viewport_size({"width": width, "height": height})
            settle(page)
            yield (tab, width), Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    page.close()


def settle(page: Page) -> None:
    """Waits for two pictures and for what is computed when the hand rests, which has no mark of its own."""
    page.wait_for_timeout(900)
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def montage(shots: dict[tuple[str, int], Image.Image]) -> Image.Image:
    """One row a tab, one column a size."""
    tabs = list(dict.fromkeys(tab for tab, _ in shots))
    widths = sorted({width for _, width in shots})
    high = {width: round(CELL * shots[tabs[0], width].height / width) for width in widths}
    row = max(high.values()) + GAP + 14
    sheet = Image.new("RGB", (len(widths) * (CELL + GAP) + GAP, len(tabs) * row + GAP), "#808080")
    pen = ImageDraw.Draw(sheet)
    for r, tab in enumerate(tabs):
        for c, width in enumerate(widths):
            x, y = GAP + c * (CELL + GAP), GAP + r * row
            pen.text((x, y), f"{tab}  {width}", fill="white")
            sheet.paste(shots[tab, width].resize((CELL, high[width]), Image.Resampling.LANCZOS), (x, y + 14))
    return sheet


if __name__ == "__main__":
    main()
