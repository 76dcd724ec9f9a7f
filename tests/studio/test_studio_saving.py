"""Work is never lost: killed, damaged, full, taken twice; and what was opened comes back."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path

import pytest

from komadori.characters.samples import sample
from komadori.errors import OptionError, OutputError
from komadori.formats import save as write_motion
from komadori.studio import keeping
from komadori.studio.desk import Desk
from komadori.studio.keeping import NEVER, Keeper
from komadori.studio.known import MOST_FILES, remember, remembered
from komadori.studio.locks import END
from komadori.studio.messages import Change
from komadori.studio.saving import Save
from komadori.studio.scene import VERSION, FitFound, Lock, MethodPart, Scene
from komadori.studio.shelf import Shelf
from komadori.words import Note

from browser import Opener
from wire import heard, in_a_loop, live


def change(omit: int) -> str:
    return json.dumps({"type": "change", "part": "limited", "options": {"omit": omit}, "gesture": "drag"})


def test_killed_in_the_middle_of_a_drag_the_last_that_was_saved_is_there(tmp_path: Path, studios: Opener) -> None:
    """Whatever the page was told to be saved survives kill -9, and so does what changed while it was being saved."""
    studio = studios(tmp_path / "project")
    with live(studio) as line:
        heard(line, "scene")
        for number in range(6, 26):
            line.send(change(number))
        while heard(line, "scene")["scene"]["parts"].get("limited", {"options": {}})["options"].get("omit") != 25:
            pass
        line.send('{"type":"save"}')
        while heard(line, "saved")["revision"] != 20:
            pass
        line.send(change(30))
        studio.kill()
    again = studios(tmp_path / "project")
    with live(again) as line:
        told = heard(line, "scene")["scene"]
        assert told["parts"]["limited"]["options"]["omit"] in (25, 30)
    assert again.close().count("Traceback") == 0


def test_without_being_asked_it_saves_within_a_moment(tmp_path: Path, studios: Opener) -> None:
    studio = studios(tmp_path / "project")
    with live(studio) as line:
        heard(line, "scene")
        line.send(change(7))
        while heard(line, "saved")["revision"] != 1:
            pass
        studio.kill()
    scene, note = Save(tmp_path / "project").read()
    assert note is None
    assert scene == Scene(parts={"limited": MethodPart(options={"omit": 7})})


DAMAGED = {
    "empty": b"",
    "truncated": b'{"version": 1, "motion": "sample:pi',
    "not JSON": b"\xff\xfe\0\0",
    "another type": b"[1, 2]",
    "a wrong type inside": b'{"version": 1, "motion": 5}',
    "version of no kind": b'{"version": 0}',
    "unknown field": b'{"version": 1, "nothing": 5}',
    "unknown field of today": json.dumps({"version": VERSION, "nothing": 5}).encode(),
    "hair of no kind": b'{"version": 1, "hair": {"options": 5}}',
    "deep": b'{"version": 1, "nothing": ' + b"[" * 200_000,
    "newer": json.dumps({"version": VERSION + 1, "motion": "x", "new": True}).encode(),
}


FIT = {"chain": "hair_ponytail", "period": 1.0, "phase": 0.2, "turn": 0.0, "angle_deg": 2.0, "percent": 1.0}


def test_a_scene_of_version_1_opens_with_its_methods_as_parts(tmp_path: Path) -> None:
    asked = {"options": {"omit": 7, "pins": [3]}, "sheet": [0, 0, 2]}
    old = {"version": 1, "limited": asked, "keyposes": {"options": {}, "sheet": None}, "puppet": {"shown": "walk"}}
    save = Save(tmp_path)
    save.path.write_text(json.dumps(old))
    scene, note = save.read()
    assert note is None
    assert scene is not None
    assert scene.parts == {"limited": MethodPart({"omit": 7, "pins": [3]}, [Lock(0, 2, 0, 2), Lock(2, END, 2, 1)])}
    assert scene.puppet.shown == "walk"


def test_a_scene_of_version_1_opens_with_the_letters_of_its_hair_as_names(tmp_path: Path) -> None:
    old = {"options": {"k": 0.9, "s": 2.0, "preset": "run"}, "fit": {**FIT, "k": 0.5, "s": 1.5, "p": 1.2, "a": 0.7}}
    save = Save(tmp_path)
    save.path.write_text(json.dumps({"version": 1, "motion": "sample:walk", "hair": old}))
    scene, note = save.read()
    assert note is None
    assert scene is not None
    assert (scene.version, scene.motion) == (VERSION, "sample:walk")
    assert scene.hair.options == {"wavelength": 0.9, "calm": 2.0, "preset": "run"}
    assert scene.hair.fit == FitFound(**FIT, wavelength=0.5, calm=1.5, stiffness=1.2, size=0.7)
    save.write(scene)
    assert save.read() == (scene, None)


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED)
def test_a_save_that_cannot_be_opened_is_kept_aside_and_said(tmp_path: Path, data: bytes) -> None:
    save = Save(tmp_path)
    for number in (1, 2):
        save.path.write_bytes(data)
        scene, note = save.read()
        assert scene is None
        assert f"scene.unreadable-{number}.json" in str(note)
        assert (tmp_path / f"scene.unreadable-{number}.json").read_bytes() == data
        assert not save.path.exists()
    assert ("newer" in str(note)) == (data == DAMAGED["newer"])


def test_a_damaged_save_is_said_on_the_page_and_work_goes_on(tmp_path: Path, studios: Opener) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "scene.json").write_bytes(b"{")
    studio = studios(tmp_path / "project")
    with live(studio) as line:
        assert "kept as scene.unreadable-1.json" in str(heard(line, "error")["message"])
        assert heard(line, "body")["frames"]
    studio.close()


@pytest.mark.parametrize(
    "scene",
    [
        Scene(),
        Scene(motion="", character="character:girl", parts={"limited": MethodPart({"omit": 3}, [Lock(0, 1, 0, 1)])}),
    ],
)
def test_what_is_written_is_read_back(tmp_path: Path, scene: Scene) -> None:
    save = Save(tmp_path / "new" / "folder")
    save.write(scene)
    assert save.read() == (scene, None)
    assert [path.name for path in save.folder.iterdir()] == ["scene.json"], "nothing half-written stays"


def test_a_folder_that_cannot_be_written_is_told_and_work_goes_on(tmp_path: Path, studios: Opener) -> None:
    (tmp_path / "file").write_text("not a folder")
    studio = studios(tmp_path / "file" / "project")
    with live(studio) as line:
        assert "cannot be written" in str(heard(line, "error")["message"])
        line.send(change(9))
        while heard(line, "scene")["revision"] != 1:
            pass
        line.send('{"type":"save"}')
        saved = heard(line, "saved")
        assert saved["revision"] == NEVER
        assert "cannot be written" in str(saved["problem"])
    assert "Traceback" not in studio.close()


def test_a_full_disk_is_tried_again_until_there_is_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    room = False

    class Full(Save):
        def write(self, scene: Scene) -> None:
            if not room:
                raise OutputError(self.path, Note("no space left on the disk"))
            super().write(scene)

    async def work() -> list[str]:
        nonlocal room
        desk = Desk(Shelf(tmp_path / "files"))
        news: asyncio.Queue[None] = asyncio.Queue()
        keeper = Keeper(desk, Full(tmp_path), lambda: news.put_nowait(None))
        running = asyncio.create_task(keeper.run())
        heard = []
        desk.do(Change("limited", {"omit": 9}))
        keeper.changed()
        await news.get()
        heard.append(keeper.state.problem.en if keeper.state.problem else "")
        room = True
        await news.get()
        heard.append(keeper.state.problem.en if keeper.state.problem else "")
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        return heard

    monkeypatch.setattr(keeping, "AGAIN_S", 0.0)
    problem, none = in_a_loop(work)
    assert "no space left" in problem
    assert none == ""
    scene, _ = Save(tmp_path).read()
    assert scene is not None
    assert scene.part("limited").options == {"omit": 9}


def test_a_save_waits_for_no_other_work(tmp_path: Path) -> None:
    """Methods, uploads and exports may have taken every thread there is: the work goes to disk all the same."""

    async def work() -> list[str]:
        done = threading.Event()
        others = [asyncio.create_task(asyncio.to_thread(done.wait, 120.0)) for _ in range(64)]
        await asyncio.sleep(0)
        keeper = Keeper(Desk(Shelf(tmp_path / "files")), Save(tmp_path), lambda: None)
        try:
            state = await asyncio.wait_for(keeper.now(), 60.0)
        finally:
            done.set()
            await asyncio.gather(*others)
        return [str(state.revision)]

    assert in_a_loop(work) == ["0"]
    assert Save(tmp_path).read()[0] is not None


def test_a_second_studio_on_one_folder_is_refused_in_one_line(tmp_path: Path, studios: Opener) -> None:
    first = studios(tmp_path / "project")
    with pytest.raises(RuntimeError, match=r"another studio is open on .*--project") as refused:
        studios(tmp_path / "project")
    assert "Traceback" not in str(refused.value)
    first.kill()
    # The lock ends with its process, however it ended.
    studios(tmp_path / "project").close()


def test_a_folder_is_claimed_once_and_released(tmp_path: Path) -> None:
    one, two = Save(tmp_path), Save(tmp_path)
    one.claim()
    with pytest.raises(OptionError, match="another studio"):
        two.claim()
    one.release()
    two.claim()
    two.release()


def test_what_was_named_on_the_command_line_comes_back(tmp_path: Path, studios: Opener) -> None:
    clip = tmp_path / "歩き.bvh"
    write_motion(sample("walk", 24.0), clip)
    first = studios(tmp_path / "project", clip)
    with live(first) as line:
        frames = heard(line, "body")["frames"]
        line.send('{"type":"save"}')
        while heard(line, "saved")["revision"] == NEVER:
            pass
    first.kill()
    again = studios(tmp_path / "project")
    with live(again) as line:
        body = heard(line, "body")
        assert body["frames"] == frames
        assert heard(line, "scene")["scene"]["motion"] == f"path:{clip}"
    again.close()
    clip.unlink()
    gone = studios(tmp_path / "project")
    with live(gone) as line:
        assert "File not found: " in str(heard(line, "error")["message"])
    assert "Traceback" not in gone.close()


def test_files_are_remembered_for_each_project_newest_first(tmp_path: Path) -> None:
    data, one, two = tmp_path / "data", tmp_path / "one", tmp_path / "two"
    assert remembered(data, one) == []
    remember(data, one, [tmp_path / "a.bvh"])
    remember(data, one, [tmp_path / "b.bvh", tmp_path / "a.bvh"])
    remember(data, two, [])
    assert remembered(data, one) == [tmp_path / "b.bvh", tmp_path / "a.bvh"]
    assert remembered(data, two) == []
    remember(data, two, [tmp_path / f"{n}.bvh" for n in range(100)])
    assert len(remembered(data, two)) == MOST_FILES
    (data / "opened.json").write_bytes(b"[")
    assert remembered(data, one) == []
