"""The figures of docs/anime.md are what comes out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import komadori
from komadori import Recipe, look
from komadori.characters import character, sample
from komadori.pipeline import LOOKS, steps

from realdata import real

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [DOCS / "anime.md", DOCS / "ja" / "anime.md"]


@pytest.mark.parametrize("page", PAGES, ids=["en", "ja"])
def test_the_looks_make_as_many_drawings_as_the_page_says(page: Path) -> None:
    told = dict(re.findall(r"^\| `(\w+)` \|.*\| (\d+) \|$", page.read_text(encoding="utf-8"), re.MULTILINE))
    girl = character("girl")
    assert told == {name: str(look(name).run(sample("pitch"), girl).drawings) for name in LOOKS}


@pytest.mark.parametrize("page", PAGES, ids=["en", "ja"])
def test_the_slip_of_the_walk_is_what_the_page_says(page: Path) -> None:
    result = look("tv").run(komadori.load(real("human_cmu_bvh/02_01.bvh")), character("girl"))
    text = page.read_text(encoding="utf-8")
    told = re.findall(r"\d\.\d\d", text[text.index("CMU 02_01") :])[:4]
    slips = (result.slip_before, result.slip_after)
    assert told == [f"{100.0 * value:.2f}" for slip in slips for value in (slip.per_frame, slip.largest)]


@pytest.mark.parametrize("page", PAGES, ids=["en", "ja"])
def test_the_recipe_of_the_page_is_one(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    recipe = Recipe.parse(re.findall(r"```toml\n(.*?)```", text, re.DOTALL)[0])
    assert [step.use for step in recipe.steps] == ["plant", "exaggerate", "hands", "limited", "hair"]
    assert all(f"`{use}`" in text for use in steps())
