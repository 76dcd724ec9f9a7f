"""The pages on formats name every suffix, and say what the table of formats can do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from komadori.formats import FORMATS

DOCS = Path(__file__).parents[2] / "docs"
KINDS = ("puppet", "translator", "trace", "take", "script", "recipe", "camera")
WORDS = {
    "formats.md": {
        "motion": "motion", "keys": "keys", "character": "character", "sheets": "timesheets", **{k: k for k in KINDS}
    },
    "ja/formats.md": {
        "motion": "モーション", "keys": "キー", "character": "キャラクター", "sheets": "タイムシート",
        **dict(zip(KINDS, ("パペット", "動作変換モデル", "トレース", "テイク", "スクリプト", "レシピ", "カメラ"), strict=True)),
    },
}  # fmt: skip


def rows(page: str) -> dict[str, tuple[str, str]]:
    """Suffix -> what is read and what is written, from the page's table."""
    found = {}
    for line in (DOCS / page).read_text(encoding="utf-8").splitlines():
        if line.startswith("| `."):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            found.update(dict.fromkeys(re.findall(r"`(\.[\w.]+)`", cells[0]), (cells[2], cells[3])))
    return found


@pytest.mark.parametrize("page", WORDS)
def test_every_suffix_is_there(page: str) -> None:
    assert set(rows(page)) == {suffix for known in FORMATS for suffix in known.suffixes}


@pytest.mark.parametrize("suffix", sorted({suffix for known in FORMATS for suffix in known.suffixes}))
@pytest.mark.parametrize("page", WORDS)
def test_what_is_read_and_written_is_true(page: str, suffix: str) -> None:
    (read, written), word = rows(page)[suffix], WORDS[page]
    able = [known for known in FORMATS if suffix in known.suffixes]

    def told(said: str) -> set[str]:
        return {kind for kind, name in word.items() if name in re.sub(r"\]\([^)]*\)", "]", said)}

    reads = {"motion": "read", "character": "read_character", "sheets": "read_sheets"}
    writes = {"motion": "write", "keys": "write_keys", "character": "write_character", "sheets": "write_sheets"}
    own = {known.kind for known in able if known.kind}
    assert told(read) - {"keys"} == own | {kind for kind, do in reads.items() if any(getattr(f, do) for f in able)}
    assert told(written) == own | {kind for kind, do in writes.items() if any(getattr(f, do) for f in able)}
