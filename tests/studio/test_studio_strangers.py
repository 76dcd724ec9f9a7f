"""A project from a stranger: nothing outside it is read, listed, made or deleted, and nothing in it stops the studio."""

from __future__ import annotations

import io
import json
import os
import random
import sys
import zipfile
from pathlib import Path

import pytest

from komadori.characters.samples import sample
from komadori.errors import FormatError, KomadoriError, OptionError
from komadori.formats import save
from komadori.studio.desk import Desk
from komadori.studio.messages import Open, Remove
from komadori.studio.messages import Shelf as ShelfMessage
from komadori.studio.projects import packed, unpacked
from komadori.studio.replies import encoded
from komadori.studio.saving import Save
from komadori.studio.scene import Scene
from komadori.studio.shelf import Shelf

from browser import Opener
from wire import ask, heard, live

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="links and pipes are made as on Unix")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Somebody's documents, with a motion among them."""
    place = tmp_path / "home" / "Documents"
    place.mkdir(parents=True)
    save(sample("pitch")[:3], place / "mine.bvh")
    (place / "letter.txt").write_text("private")
    return place.parent


@pytest.fixture
def project(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    return place


def own_keys(shelf: Shelf) -> list[str]:
    return [item.key for item in shelf.items() if item.key.startswith(("drop:", "path:"))]


def test_a_folder_of_files_that_is_a_link_shows_and_deletes_nothing(home: Path, project: Path) -> None:
    (project / "files").symlink_to(home)
    shelf = Shelf(project / "files")
    assert own_keys(shelf) == []
    for key in ("drop:Documents/mine.bvh", "drop:Documents/letter.txt"):
        with pytest.raises(OptionError, match="not on the shelf"):
            shelf.motion(key)
        with pytest.raises(OptionError, match="not on the shelf"):
            shelf.removed(key)
    with pytest.raises(OptionError, match="leads out of the project"):
        shelf.dropped([("a.bvh", b"HIERARCHY")])
    shelf.swept()
    assert sorted(p.name for p in home.rglob("*")) == ["Documents", "letter.txt", "mine.bvh"]


@pytest.mark.parametrize("place", ["0123456789abcdef", "inner"])
def test_links_among_the_files_are_not_followed(place: str, home: Path, project: Path) -> None:
    inner = project / "files" / place
    inner.mkdir(parents=True)
    save(sample("pitch")[:3], inner / "walk.bvh")
    (inner / "link.bvh").symlink_to(home / "Documents" / "mine.bvh")
    (inner / "folder").symlink_to(home / "Documents")
    os.mkfifo(inner / "pipe.bvh")
    shelf = Shelf(project / "files")
    assert own_keys(shelf) == [f"drop:{place}/walk.bvh"]
    with pytest.raises(OptionError, match="not on the shelf"):
        shelf.removed(f"drop:{place}/folder/mine.bvh")
    shelf.removed(f"drop:{place}/walk.bvh")
    assert not (inner / "walk.bvh").exists()
    assert (home / "Documents" / "mine.bvh").is_file()
    assert (home / "Documents" / "letter.txt").is_file()


def test_remove_deletes_what_was_dropped_together_and_nothing_beside_it(project: Path) -> None:
    shelf = Shelf(project / "files")
    clip = project / "clip.bvh"
    save(sample("pitch")[:3], clip)
    one = shelf.dropped([("a/walk.bvh", clip.read_bytes()), ("a/skin.png", b"x")]).items[0]
    other = shelf.dropped([("b.bvh", clip.read_bytes())]).items[0]
    # A folder that we did not make holds whatever its owner put there.
    (project / "files" / "mine").mkdir()
    save(sample("pitch")[:3], project / "files" / "mine" / "c.bvh")
    (project / "files" / "mine" / "diary.txt").write_text("dear")
    shelf.removed(one.key)
    shelf.removed("drop:mine/c.bvh")
    assert own_keys(shelf) == [other.key]
    assert (project / "files" / "mine" / "diary.txt").is_file()
    assert sorted(p.name for p in (project / "files").iterdir()) == sorted([other.key[5:21], "mine"])


@pytest.mark.parametrize("name", ["scene.json", "scene.lock"])
@pytest.mark.parametrize("kind", ["dangling", "link", "pipe"])
def test_what_is_no_file_of_its_own_is_neither_followed_nor_waited_for(
    name: str, kind: str, home: Path, project: Path
) -> None:
    target = home / "made"
    if kind == "link":
        target.write_text("mine")
    if kind == "pipe":
        os.mkfifo(project / name)
    else:
        (project / name).symlink_to(target)
    held = Save(project)
    held.claim()
    scene, note = held.read()
    held.write(Scene())
    held.release()
    assert scene is None
    assert (note is not None) == (name == "scene.json")
    assert target.exists() == (kind == "link")
    if kind == "link":
        assert target.read_text() == "mine"
    assert held.read()[0] == Scene()


def test_a_file_that_cannot_be_read_is_read_once_and_can_be_removed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = Shelf(project / "files")
    assert shelf.dropped([("bad.bvh", b"HIERARCHY\nnothing")]).troubles
    read: list[Path] = []

    def load(path: Path, **_: object) -> None:
        read.append(path)
        raise FormatError(path, expected="a", found="b")

    monkeypatch.setattr("komadori.studio.shelf.load", load)
    (listed,) = [item for item in shelf.items() if item.key.startswith("drop:")]
    assert read == []
    assert (listed.name, listed.motions, listed.character) == ("bad.bvh", [], False)
    # Another file under the same name is looked at.
    (project / "files" / listed.key[5:]).write_bytes(b"other")
    shelf.items()
    shelf.items()
    assert len(read) == 1
    shelf.removed(listed.key)
    assert own_keys(shelf) == []


def test_what_can_never_be_opened_is_not_kept(project: Path) -> None:
    shelf = Shelf(project / "files")
    assert "expected a file of" in shelf.dropped([("a.exe", b"MZ"), ("b.txt", b"hello")]).troubles[0].en
    assert not (project / "files").exists()
    (project / "files" / "0123456789abcdef").mkdir(parents=True)
    left = [project / ".komadori-1.part", project / "files" / "0123456789abcdef" / ".komadori-2.part"]
    for path in left:
        path.write_bytes(b"half")
    shelf.swept()
    assert not any(path.exists() for path in left)


def test_what_one_page_removes_another_cannot_open(project: Path) -> None:
    shelf = Shelf(project / "files")
    clip = project / "clip.bvh"
    save(sample("pitch")[:3], clip)
    key = shelf.dropped([("walk.bvh", clip.read_bytes())]).items[0].motions[0]
    desk = Desk(shelf)
    before = desk.scene
    desk.prepare(Open(key, ""))
    desk.prepare(Remove(key))
    with pytest.raises(OptionError, match="not on the shelf"):
        desk.do(Open(key, ""))
    assert desk.scene == before


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are always Unicode")
def test_names_that_are_not_utf_8_are_opened_told_and_removed(home: Path, project: Path) -> None:
    clip = (home / "Documents" / "mine.bvh").read_bytes()
    named = home / os.fsdecode(b"w\xe4lk.bvh")
    dropped = project / "files" / ("0" * 16) / os.fsdecode(b"j\xe4mp.bvh")
    dropped.parent.mkdir(parents=True)
    for path in (named, dropped):
        path.write_bytes(clip)
    damaged = dropped.with_name(os.fsdecode(b"\xe4.bvh"))
    damaged.write_bytes(b"no motion")
    shelf = Shelf(project / "files", [named])
    told = json.loads(encoded(ShelfMessage(shelf.items())))
    keys = [item["key"] for item in told["items"] if item["key"].startswith(("drop:", "path:"))]
    assert keys == own_keys(shelf)
    assert len(keys) == 3
    broken = next(key for key in keys if "mp" not in key and "lk" not in key)
    with pytest.raises(FormatError):
        shelf.motion(broken)
    for key in keys:
        if key != broken:
            assert len(shelf.motion(key)) == 3
    # The scene is saved and read again with such a key, and goes elsewhere as one file.
    scene = Scene(motion=keys[0], character="")
    Save(project).write(scene)
    assert Save(project).read() == (scene, None)
    unpacked(packed(scene, shelf), "p.zip", project.parent / "elsewhere")
    there, note = Save(project.parent / "elsewhere").read()
    assert there is not None
    assert note is None
    assert len(Shelf(project.parent / "elsewhere" / "files").motion(there.motion)) == 3
    for key in keys:
        if key.startswith("path:"):
            shelf.removed(key)
    shelf.removed(broken)
    assert own_keys(shelf) == []
    assert named.exists()
    assert not damaged.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are always Unicode")
def test_a_project_whose_name_is_not_utf_8_is_opened(tmp_path: Path, studios: Opener) -> None:
    project = tmp_path / os.fsdecode(b"pr\xfcfung")
    project.mkdir()
    clip = project / os.fsdecode(b"w\xe4lk.bvh")
    save(sample("pitch")[:3], clip)
    studio = studios(project, clip)
    with live(studio) as line:
        motion = str(heard(line, "scene")["scene"]["motion"])
        assert motion.startswith("path:")
        line.send('{"type":"save"}')
        heard(line, "saved")
    found = json.loads(ask(studio, "/api/shelf")[2])
    assert motion in [item["key"] for item in found["items"]]
    assert any(item["open"] for item in json.loads(ask(studio, "/api/projects")[2])["items"])
    assert "Traceback" not in studio.close()


def test_a_project_as_one_file_is_damaged_or_unfolds_without_end(home: Path, project: Path) -> None:
    """A stranger's ZIP: whatever is wrong is one line, and a few kilobytes never become gigabytes."""
    shelf = Shelf(project / "files", [home / "Documents" / "mine.bvh"])
    (key,) = own_keys(shelf)
    sound = packed(Scene(motion=key, character=""), shelf)
    unpacked(sound, "p.zip", project.parent / "sound")
    rng = random.Random(3)
    refused: list[str] = []
    for number in range(300):
        broken = bytearray(sound)
        for _ in range(1 + number % 3):
            broken[rng.randrange(len(broken))] = rng.randrange(256)
        data = bytes(broken if number % 4 else broken[: rng.randrange(len(broken))])
        try:
            unpacked(data, "p.zip", project.parent / "broken")
        except KomadoriError as error:
            refused.append(str(error))
    assert len(refused) > 100
    assert not [line for line in refused if "\n" in line]
    for how, size, told in (
        (zipfile.ZIP_DEFLATED, 60_000_000, "for its size"),
        (zipfile.ZIP_LZMA, 9, "in a way that cannot be read; save the project as a file again"),
    ):
        bomb = io.BytesIO()
        with zipfile.ZipFile(bomb, "w", how) as archive:
            archive.writestr("scene.json", zipfile.ZipFile(io.BytesIO(sound)).read("scene.json"))
            archive.writestr("files/0123456789abcdef/a.png", bytes(size))
        with pytest.raises(FormatError, match=told):
            unpacked(bomb.getvalue(), "p.zip", project.parent / "bomb")
    assert not (project.parent / "bomb").exists()
