"""The documents: links lead somewhere, every page has its Japanese twin, examples of code are code."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")])
OF_BUILDERS = {"house.md", "releasing.md"}
"""Pages for those who work on the code, in English alone (as are decisions and benchmarks)."""


def anchors(page: Path) -> set[str]:
    """The names under which a page's headings can be linked."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def prose(page: Path) -> str:
    """A page without its blocks of code."""
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_and_pictures_are_there(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link} leads nowhere"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{link}: there is no such heading"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_are_python(page: Path) -> None:
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S):
        ast.parse(block)


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_every_page_speaks_japanese_too(page: Path) -> None:
    if page.name in OF_BUILDERS:
        return
    twin = page.parent / "ja" / page.name
    assert twin.exists(), f"docs/ja/{page.name} is missing"
    pictures = set(re.findall(r"!\[[^]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8")))
    told = {link.removeprefix("../") for link in re.findall(r"!\[[^]]*\]\(([^)]+)\)", twin.read_text(encoding="utf-8"))}
    # A picture with words in it has a Japanese one of its own.
    lacking = {link for link in pictures - told if re.sub(r"(\.\w+)$", r"-ja\1", link) not in told}
    assert not lacking, f"the Japanese page lacks {lacking}"


def test_every_picture_is_shown_somewhere() -> None:
    shown = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    kept = [path.name for path in (ROOT / "docs" / "pictures").rglob("*") if path.is_file()]
    assert [name for name in kept if name not in shown] == []
