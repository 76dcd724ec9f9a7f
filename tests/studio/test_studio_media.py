"""Sounds, films and stills on the shelf, and the shot that is timed against them."""

from __future__ import annotations

from pathlib import Path

import pytest

from komadori.errors import FormatError, OptionError
from komadori.studio import media
from komadori.studio.desk import Desk
from komadori.studio.messages import EditShot, Open, Remove, Undo
from komadori.studio.shelf import Shelf
from komadori.studio.shot import Reference, Shot, Sound

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
WAV = b"RIFF\x24\0\0\0WAVEfmt " + b"\0" * 30
MP4 = b"\0\0\0\x18ftypisom" + b"\0" * 20


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(Shelf(tmp_path / "files"))


def asked(desk: Desk, shot: Shot, *fields: str) -> None:
    ask = EditShot(shot, list(fields))
    desk.prepare(ask)
    desk.do(ask)


def test_a_sound_and_a_film_come_onto_the_shelf(desk: Desk) -> None:
    dropped = desk.shelf.dropped([("line.wav", WAV), ("dance.mp4", MP4)])
    assert dropped.troubles == []
    assert [(item.name, item.media, item.motions, item.character) for item in dropped.items] == [
        ("line.wav", "sound", [], False),
        ("dance.mp4", "film", [], False),
    ]
    assert [item.media for item in desk.shelf.items() if item.media] == ["film", "sound"]


def test_stills_that_come_together_are_one_thing_in_the_order_of_their_numbers(desk: Desk) -> None:
    names = ["walk_10.png", "walk_2.png", "walk_1.png"]
    (item,) = desk.shelf.dropped([(name, PNG) for name in names]).items
    assert item.media == "stills"
    assert [key.rpartition("/")[2] for key in item.stills] == ["walk_1.png", "walk_2.png", "walk_10.png"]
    assert len([one for one in desk.shelf.items() if one.media]) == 1


def test_pictures_beside_a_model_are_its_textures(desk: Desk) -> None:
    from komadori.characters import sample
    from komadori.formats import encoded

    dropped = desk.shelf.dropped([("walk.bvh", encoded(sample("walk"), "walk.bvh")), ("skin.png", PNG)])
    assert [item.name for item in dropped.items] == ["walk.bvh"]
    assert not [item for item in desk.shelf.items() if item.media]


@pytest.mark.parametrize("name", sorted(media.SUFFIXES))
def test_a_file_that_begins_as_something_else_is_refused_by_name(desk: Desk, name: str) -> None:
    dropped = desk.shelf.dropped([(f"wrong{name}", b"<html></html>")])
    assert dropped.items == []
    (trouble,) = dropped.troubles
    assert f"wrong{name}" in trouble.en
    assert trouble.ja != trouble.en
    with pytest.raises(FormatError):
        media.check(f"empty{name}", b"")


def test_the_shot_takes_what_is_meant_and_leaves_the_rest(desk: Desk) -> None:
    sound, film = desk.shelf.dropped([("line.wav", WAV), ("dance.mp4", MP4)]).items
    asked(desk, Shot(sound=Sound(sound.key, 12)), "sound")
    asked(desk, Shot(first=4), "first")
    asked(desk, Shot(last=9), "last")
    asked(desk, Shot(reference=Reference(film.key, rate=0.5)), "reference")
    assert desk.scene.shot == Shot(4, 9, Sound(sound.key, 12), Reference(film.key, rate=0.5))
    desk.do(Undo())
    assert desk.scene.shot.reference is None
    desk.do(Open(motion="sample:walk"))
    assert desk.scene.shot == Shot(sound=Sound(sound.key, 12))


def test_what_cannot_be_is_refused(desk: Desk) -> None:
    (sound,) = desk.shelf.dropped([("line.wav", WAV)]).items
    with pytest.raises(OptionError, match="not a file of this kind"):
        asked(desk, Shot(reference=Reference(sound.key)), "reference")
    with pytest.raises(OptionError, match="not on the shelf"):
        asked(desk, Shot(sound=Sound("drop:0000000000000000/none.wav")), "sound")
    with pytest.raises(OptionError, match="not on the shelf"):
        asked(desk, Shot(sound=Sound("path:/etc/passwd")), "sound")
    with pytest.raises(OptionError, match="after the in point"):
        asked(desk, Shot(9, 9), "first", "last")
    assert desk.scene.shot == Shot()


def test_a_sound_that_is_used_is_not_removed(desk: Desk) -> None:
    (sound,) = desk.shelf.dropped([("line.wav", WAV)]).items
    asked(desk, Shot(sound=Sound(sound.key)), "sound")
    with pytest.raises(OptionError, match="in use"):
        desk.prepare(Remove(sound.key))
    asked(desk, Shot(), "sound")
    desk.prepare(Remove(sound.key))
    assert not [item for item in desk.shelf.items() if item.media]
