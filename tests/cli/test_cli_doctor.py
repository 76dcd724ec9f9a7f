"""`komadori doctor`: tells what is there and what is not, with the command that gets it."""

from __future__ import annotations

import json
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from komadori.cli import main
from komadori.extras import PURPOSE, _asked, extras

from lowest import OF_BUILDERS

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
GATHERING = {"formats", "all"}


def optional() -> dict[str, list[str]]:
    found: dict[str, list[str]] = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    return found


def test_every_extra_that_users_choose_has_a_purpose() -> None:
    assert set(PURPOSE) == set(optional()) - OF_BUILDERS - GATHERING


def test_all_gathers_every_extra() -> None:
    asked = _asked([f"{line}; extra == '{name}'" for name, lines in optional().items() for line in lines])
    everything = {name for extra in PURPOSE for name, _ in asked[extra]}
    assert {name for name, _ in asked["all"]} == everything


def test_an_extra_brings_along_what_it_names() -> None:
    asked = _asked(
        [
            "numpy>=1",
            "pillow>=10; extra == 'pictures'",
            "komadori[pictures]; extra == 'video'",
            'av>=14; extra == "video"',
        ]
    )
    assert dict(asked["video"]) == {"pillow": ">=10", "av": ">=14"}


def test_two_extras_that_name_each_other_end() -> None:
    asked = _asked(["komadori[b]; extra == 'a'", "komadori[a]; extra == 'b'", "numba; extra == 'b'"])
    assert asked["a"] == (("numba", ""),)


def test_what_is_lacking_comes_with_its_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = metadata.version

    def version(name: str) -> str:
        if name == "av":
            raise metadata.PackageNotFoundError(name)
        return found(name) if name in ("numpy", "click") else "1.0"

    monkeypatch.setattr(metadata, "version", version)
    assert {extra.name for extra in extras() if not extra.is_there} == {"video"}
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert "not installed: films (MP4, WebM) (av). Get it with: pip install 'komadori[video]'" in said
    assert "installed: the studio in the browser" in said
    assert main(["doctor", "--lang", "ja"]) == 0
    assert "未インストール：ムービー" in capsys.readouterr().out
    assert main(["doctor", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["extras"]["video"]["installed"] is False
    assert told["extras"]["studio"]["installed"] is True
