"""The site: built without a warning, it is searched from its folder, with no network and no server."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Playwright

ROOT = Path(__file__).parents[2]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytest.importorskip("mkdocs", reason="no MkDocs is at hand (pip install 'komadori[docs]')")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    run = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    return folder


def test_no_page_asks_another_host_for_anything(site: Path) -> None:
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for start in ('src="http', "src='http", '<link rel="stylesheet" href="http'):
            assert start not in text, f"{page.relative_to(site)} loads something from elsewhere"


def test_the_reference_has_every_command_and_every_sentence(site: Path) -> None:
    from komadori.cli.commands import commands
    from komadori.words_ja import JAPANESE

    text = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    assert all(f"komadori {name}" in text for name in commands())
    messages = (site / "ja" / "reference" / "messages.html").read_text(encoding="utf-8")
    assert messages.count("<tr>") == len(JAPANESE) + 1


@pytest.mark.skipif(CHROMIUM is None, reason="no browser is at hand (install chromium)")
def test_search_works_from_the_folder(site: Path, playwright: Playwright) -> None:
    asked: list[str] = []
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    page = browser.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto((site / "index.html").as_uri())
    page.wait_for_load_state("load")
    page.locator(".md-search__input").click()
    page.keyboard.type("hold_share")
    page.locator(".md-search-result__item").first.wait_for(state="attached", timeout=60_000)
    assert "Methods and recipe keys" in (page.locator(".md-search-result__list").text_content() or "")
    page.goto((site / "ja" / "index.html").as_uri())
    page.wait_for_load_state("load")
    page.locator(".md-search__input").fill("中無し")
    # The page searches when a key comes up.
    page.keyboard.press("End")
    page.locator(".md-search-result__item").first.wait_for(state="attached", timeout=60_000)
    assert "リミテッドアニメーション" in (page.locator(".md-search-result__list").text_content() or "")
    browser.close()
    assert [url for url in asked if not url.startswith(("file:", "data:", "about:", "blob:"))] == []
