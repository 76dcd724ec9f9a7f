"""Fixtures of the studio's tests: a studio that runs, one browser a worker, a page that fails the test on any complaint."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from browser import SHOTS, SOFTWARE_GL, Faults, Opener, Studio, chromium_path, new_page, skip_without_browser, visit

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Playwright

_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[Any]:
    report = yield
    if report.failed:
        item.stash[_FAILED] = True
    return report


@pytest.fixture(scope="session")
def chromium(request: pytest.FixtureRequest) -> Iterator[Browser]:
    """One headless Chromium for all tests of this worker."""
    skip_without_browser()
    playwright: Playwright = request.getfixturevalue("playwright")
    browser = playwright.chromium.launch(executable_path=chromium_path(), args=SOFTWARE_GL)
    yield browser
    browser.close()


@pytest.fixture
def studios() -> Iterator[Opener]:
    """Opens studios with arguments of one's own; they are closed with the test."""
    running: list[Studio] = []

    def opened(project: Path, *files: Path, port: int = 0, program: Path | None = None) -> Studio:
        running.append(Studio(project, *files, port=port, program=program))
        return running[-1]

    yield opened
    for one in running:
        one.close()


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    """A studio with an empty project."""
    running = Studio(tmp_path / "project")
    yield running
    running.close()


@pytest.fixture
def faults() -> Iterator[Faults]:
    """What pages complained of; the test fails if it is more than the test expects."""
    heard = Faults()
    yield heard
    assert heard.unexpected() == []


@pytest.fixture
def empty_page(chromium: Browser, faults: Faults, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page that is nowhere yet; its picture is kept when the test fails (out/screenshots).

    Tests that look at what the stage draws are marked `pictures`.
    """
    page = new_page(chromium, faults, pictures=request.node.get_closest_marker("pictures") is not None)
    yield page
    if request.node.stash.get(_FAILED, False):
        SHOTS.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=SHOTS / f"{re.sub(r'[^a-zA-Z0-9_-]+', '-', request.node.name)}.png")
    page.close()


@pytest.fixture
def page(studio: Studio, empty_page: Page) -> Page:
    """The studio's page with the first body on its stage."""
    visit(empty_page, studio.address)
    return empty_page
