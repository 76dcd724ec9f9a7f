"""The gallery: as its program writes it, with pictures that are there and made by the programs that it names."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[1] / "docs"


def _program() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_gallery", DOCS / "make_gallery.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


GALLERY = _program()


@pytest.mark.parametrize("path", list(GALLERY.pages()), ids=lambda path: str(path.relative_to(DOCS)))
def test_the_page_is_the_one_that_the_program_writes(path: Path) -> None:
    written = path.read_text(encoding="utf-8")
    assert written == GALLERY.pages()[path], "run: python docs/make_gallery.py"


@pytest.mark.parametrize("entry", GALLERY.ENTRIES, ids=lambda entry: entry.picture)
def test_the_picture_is_there_and_its_program_makes_it(entry: object) -> None:
    picture, program, page = entry.picture, entry.program, entry.page  # type: ignore[attr-defined]
    assert (DOCS / "pictures" / picture).is_file()
    text = (DOCS / "make_pictures" / program).read_text(encoding="utf-8")
    stem = picture.rpartition(".")[0]
    assert picture in text or all(part in text for part in stem.split("-")), f"{program} does not write {picture}"
    assert (DOCS / page).is_file()
    assert (DOCS / "ja" / page).is_file()


def test_every_film_is_in_the_gallery() -> None:
    films = {path.name for path in (DOCS / "pictures").iterdir() if path.suffix in {".gif", ".mp4", ".webm"}}
    assert films <= {entry.picture for entry in GALLERY.ENTRIES}
