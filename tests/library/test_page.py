"""The page to browse a batch, in a real browser: failures first, headings that sort, posters that show and films that play."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import komadori
from komadori.characters import sample
from komadori.library import index
from komadori.library.jobs import Record

if TYPE_CHECKING:
    from playwright.sync_api import Page, Playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE_MS = 60_000


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Page]:
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None or importlib.util.find_spec("playwright") is None:
        pytest.skip("there is no browser, or no Playwright")
    folder = tmp_path_factory.mktemp("page")
    for name, frames in (("walk", 12), ("kick", 20), ("a<b>&'c", 16)):
        komadori.save(sample("kick")[20 : 20 + frames], folder / "in" / f"{name}.bvh")
    (folder / "in" / "zz-broken.bvh").write_text("HIERARCHY\nROOT\n")
    komadori.batch(folder / "in", folder / "out", files=("xdts", "mp4"), character="mannequin", jobs=1)
    play: Playwright = request.getfixturevalue("playwright")
    with play.chromium.launch(executable_path=browser, args=["--no-sandbox"]) as running:
        shown = running.new_page(viewport={"width": 1500, "height": 900}, locale="en-GB")
        shown.set_default_timeout(PATIENCE_MS)
        told: list[str] = []
        shown.on("console", lambda message: told.append(message.text))
        shown.on("pageerror", lambda error: told.append(str(error)))
        shown.goto((folder / "out" / "index.html").as_uri())
        yield shown
        assert told == [], "nothing is blocked and nothing fails"


def names(page: Page) -> list[str]:
    found: list[str] = page.locator("tbody tr td:nth-child(3)").evaluate_all(
        "all => all.map(td => td.firstChild.textContent)"
    )
    return found


def heading(page: Page, label: str) -> None:
    page.locator("th", has_text=label).first.click()


@pytest.mark.slow
def test_failures_come_first_and_headings_sort(page: Page) -> None:
    assert names(page)[0] == "zz-broken"
    assert "line 2" in page.locator("tbody tr").first.inner_text()
    heading(page, "frames")
    up = names(page)
    heading(page, "frames")
    down = names(page)
    # A clip without frames stands last, whichever way.
    assert up[-1] == down[-1] == "zz-broken"
    assert up[:-1] == down[:-1][::-1]
    assert up[0] == "walk"
    assert page.locator("th[aria-sort=descending]").inner_text().startswith("frames")
    heading(page, "status")


@pytest.mark.slow
def test_names_are_text_and_the_filter_finds_them(page: Page) -> None:
    page.locator("#filter").fill("a_b_")
    assert names(page) == ["a_b_&'c"]
    page.locator("#filter").fill("ROOT")
    assert names(page) == ["zz-broken"]
    page.locator("#filter").fill("")
    assert len(names(page)) == 4


@pytest.mark.slow
def test_posters_show_and_films_play(page: Page) -> None:
    films = page.locator("td button")
    assert films.count() == 3
    posters = films.locator("img")
    assert posters.evaluate_all(
        "all => all.every(one => one.src.startsWith('data:image/svg+xml') && one.naturalWidth > 0)"
    )
    assert page.locator("video").count() == 0, "nothing is loaded before it is played"
    films.first.click()
    seconds = page.locator("video").evaluate(
        """film => new Promise((resolve, reject) => {
            film.loop = false; film.onended = () => resolve(film.duration); film.onerror = () => reject(film.error.message); film.play().catch(reject); })"""
    )
    assert 0.3 < seconds < 2.0
    assert films.count() == 2


def test_a_page_of_thousands_makes_rows_as_they_come_into_view(page: Page, tmp_path: Path) -> None:
    records = [Record(f"{n:04d}", "x.bvh", "done", facts={"frames": n, "jitter": n * 1e-5}) for n in range(1500)]
    records.append(Record("never", "x.bvh", "waiting"))
    (tmp_path / "index.html").write_text(index.page(records), encoding="utf-8")
    context = page.context.browser.new_context(locale="ja-JP", viewport={"width": 1200, "height": 800})  # type: ignore[union-attr]
    other = context.new_page()
    other.goto((tmp_path / "index.html").as_uri())
    assert other.title() == "1501 クリップ：完了 1500、失敗 0、未処理 1"
    assert other.locator("th", has_text="ジッター").count() == 1
    assert other.locator("tbody tr").first.inner_text().startswith("\t未処理")
    assert other.locator("tbody tr").count() < 800
    other.wait_for_function(
        """() => {
            scrollTo(0, document.body.scrollHeight);
            return document.querySelectorAll("tbody tr").length === 1501;
        }""",
        timeout=PATIENCE_MS,
    )
    assert names(other)[-1] == "1499"
    # No exponents, three digits.
    assert other.locator("tbody tr").last.locator("td").nth(8).inner_text() == "0.015"
    context.close()


@pytest.mark.parametrize("width", [800, 1300])
def test_an_error_wraps_within_the_window(page: Page, tmp_path: Path, width: int) -> None:
    """The table is wider than the window, and a name may have no place to break: what went wrong is read without scrolling."""
    line = "clips/broken.bvh, line 4: expected three numbers after OFFSET, found " + "no_end_" * 60
    measured = dict.fromkeys(("skating", "jitter", "jerk", "penetration", "joint_speed"), 1.0)
    records = [
        Record("a-clip-whose-name-is-long-" * 3, "x.bvh", "failed", error=line),
        Record("fine", "x.bvh", "done", facts=measured),
    ]
    (tmp_path / "index.html").write_text(index.page(records), encoding="utf-8")
    context = page.context.browser.new_context(locale="en-GB", viewport={"width": width, "height": 700})  # type: ignore[union-attr]
    other = context.new_page()
    other.goto((tmp_path / "index.html").as_uri())
    shown = other.locator("td.error p")
    box = shown.bounding_box()
    assert shown.inner_text() == line
    assert box
    assert box["x"] > 0
    assert box["x"] + box["width"] <= width, "it runs off the window"
    assert box["height"] > 40, "it wraps"
    context.close()
