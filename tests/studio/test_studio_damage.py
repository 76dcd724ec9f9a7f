"""Scenes that are well-formed and wrong: what cannot be is set aside and said, the rest is worked on, the line stays open."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from komadori.errors import FormatError, OptionError
from komadori.methods.limited import LimitedOptions
from komadori.studio.checking import sound
from komadori.studio.desk import Desk
from komadori.studio.messages import Change
from komadori.studio.saving import Save, parsed
from komadori.studio.scene import VERSION, Scene
from komadori.studio.shelf import Shelf

from browser import Opener
from wire import heard, live

POSE = {"rotations": [0.0, 0.0, 0.0, 1.0], "positions": [0.0, 1.0, 0.0]}
TAKE = {"name": "t", "path": [0.0, 0.0, 0.0, 1.0, 0.0, 0.0], "times": [0.0, 1.0]}
WRONG: dict[str, dict[str, Any]] = {
    "limited.options": {"parts": {"limited": {"options": {"pins": 5, "omit": 3}}}},
    "nothing": {"parts": {"nothing": {"options": {}, "locks": [[0, 1, 0, 1]]}}},
    "limited.locks": {"parts": {"limited": {"locks": [[0, 1, -1, 1]]}}},
    "limited.locks ": {"parts": {"limited": {"locks": [[0, 4, 0, 1], [3, 5, 3, 2]]}}},
    "keyposes.options": {"parts": {"keyposes": {"options": {"pins": [1.5]}}}},
    "hair.strands": {"hair": {"strands": [{"chain": "a", "frame": 0, "points": [[0, 0, 0], [1, 2]]}]}},
    "hair.wind": {"hair": {"wind": [1.0]}},
    "hair.options": {"hair": {"options": {"size": "large"}}},
    "puppet.takes": {"puppet": {"takes": [{**TAKE, "path": [0.0] * 7}, TAKE], "shown": "take:t"}},
    "puppet.takes ": {"puppet": {"takes": [{**TAKE, "times": [1.0, 0.0]}]}},
    "puppet.keys": {"puppet": {"keys": [{"name": "k", "place": [0, 0, 0], "pose": {**POSE, "rotations": [0.0]}}]}},
    "puppet.keys ": {"puppet": {"keys": [{"name": "k", "place": [0, 0, 1e300], "pose": POSE}]}},
    "puppet.posed": {"puppet": {"posed": {"rotations": [0.0] * 4, "positions": [0.0] * 3}}},
    "puppet.recording": {"puppet": {"recording": {"number": 1, "path": [0.0], "times": [0.0, 1.0]}}},
    "puppet.sequence": {"puppet": {"sequence": [{"take": "none"}], "shown": "sequence"}},
    "translate.options": {"translate": {"options": {"speed": -1.0}}},
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_is_set_aside_and_said(name: str, tmp_path: Path) -> None:
    written = json.dumps({"version": VERSION, "motion": "sample:pitch", **WRONG[name]})
    (tmp_path / "scene.json").write_text(written)
    scene, note = Save(tmp_path).read()
    assert scene is not None
    assert note is not None
    assert name.strip() in note
    assert note.in_language("ja") != note
    # What was there is not lost, and what is left has nothing wrong with it.
    assert (tmp_path / "scene.unreadable-1.json").read_text() == written
    assert sound(scene) == (scene, [])
    Desk(Shelf(tmp_path / "files"), scene)


def test_what_is_right_beside_it_stays(tmp_path: Path) -> None:
    given = {
        "version": VERSION,
        "parts": {**WRONG["limited.options"]["parts"], "keyposes": {"options": {"pins": [3]}}},
        **WRONG["puppet.takes"],
    }
    scene, lost = sound(msgspec.convert(given, type=Scene))
    assert lost == ["limited.options", "puppet.takes"]
    assert scene.part("limited").options == {"omit": 3}
    assert scene.part("keyposes").options == {"pins": [3]}
    assert [take.name for take in scene.puppet.takes] == ["t"]
    assert scene.puppet.shown == "take:t"


def test_a_list_must_be_a_list(tmp_path: Path) -> None:
    for value in (5, "ab", None):
        with pytest.raises(OptionError, match="pins"):
            LimitedOptions(pins=value)
    desk = Desk(Shelf(tmp_path))
    with pytest.raises(OptionError, match="pins"):
        desk.do(Change("limited", {"pins": 5}))


def test_a_mistake_of_ours_does_not_close_the_line(tmp_path: Path, studios: Opener) -> None:
    program = tmp_path / "mistaken.py"
    program.write_text(
        "from komadori.studio import telling\n"
        "from komadori.studio.desk import Desk\n"
        "def mistaken(*_, **__):\n    raise IndexError('ours')\n"
        "def failing(*_, **__):\n    raise OSError('the disk')\n"
        "telling.Teller.answers = mistaken\n"
        "Desk.do = failing\n"
        "from komadori.cli import main\nmain()\n"
    )
    studio = studios(tmp_path / "project", program=program)
    with live(studio) as line:
        heard(line, "scene")
        line.send('{"type":"undo"}')
        assert "log" in str(heard(line, "error")["message"])
        line.send('{"type":"watch","part":"limited"}')
        assert "log" in str(heard(line, "error")["message"])
        line.send("{")
        assert "unknown" in str(heard(line, "error")["message"])
    log = studio.close()
    assert "IndexError: ours" in log
    assert "OSError: the disk" in log


@pytest.mark.parametrize("older", ["", '"version": 1, '])
def test_a_scene_that_is_not_utf_8_is_set_aside(older: str, tmp_path: Path) -> None:
    scene = b'{%s"motion": "sample:p\xa5tch"}' % (older or f'"version": {VERSION}, ').encode()
    (tmp_path / "scene.json").write_bytes(scene)
    found, note = Save(tmp_path).read()
    assert found is None
    assert note is not None
    assert "scene.unreadable-1.json" in note
    assert (tmp_path / "scene.unreadable-1.json").read_bytes() == scene
    with pytest.raises(FormatError, match="damaged"):
        parsed(scene)
