"""The pages on formats name every suffix, and say what the table of formats can do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from komadori.formats import FORMATS, Format

DOCS = Path(__file__).parents[2] / "docs"
WORDS = {
    "formats.md": {"motion": "motion", "keys": "keys", "character": "character", "sheets": "timesheets"},
    "ja/formats.md": {"motion": "モーション", "keys": "キー", "character": "キャラクター", "sheets": "タイムシート"},
}


def rows(page: str) -> dict[str, tuple[str, str]]:
    """Suffix -> what is read and what is written, from the page's table."""
    found = {}
    for line in (DOCS / page).read_text(encoding="utf-8").splitlines():
        if line.startswith("| `."):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            found.update(dict.fromkeys(re.findall(r"`(\.\w+)`", cells[0]), (cells[2], cells[3])))
    return found


@pytest.mark.parametrize("page", WORDS)
def test_every_suffix_is_there(page: str) -> None:
    assert set(rows(page)) == {suffix for known in FORMATS for suffix in known.suffixes}


@pytest.mark.parametrize("known", FORMATS, ids=lambda known: known.name)
@pytest.mark.parametrize("page", WORDS)
def test_what_is_read_and_written_is_true(page: str, known: Format) -> None:
    said, word = rows(page), WORDS[page]
    for suffix in known.suffixes:
        read, written = said[suffix]
        assert (word["motion"] in read) == (known.read is not None), suffix
        assert (word["character"] in read) == (known.read_character is not None), suffix
        assert (word["sheets"] in read) == (known.read_sheets is not None), suffix
        assert (word["motion"] in written) == (known.write is not None), suffix
        assert (word["keys"] in written) == (known.write_keys is not None), suffix
        assert (word["character"] in written) == (known.write_character is not None), suffix
        assert (word["sheets"] in written) == (known.write_sheets is not None), suffix
