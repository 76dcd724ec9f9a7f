"""Projects and papers over the wire: named, listed, copied, shared as one file; sheets and recipes opened again."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import komadori
from komadori.characters import character, sample
from komadori.formats import encoded
from komadori.formats import save as write
from komadori.pipeline import Recipe, Step

from browser import Opener, Studio
from wire import ask, drop, heard, last, live, own


def projects(studio: Studio) -> dict[str, dict[str, Any]]:
    status, _, body = ask(studio, "/api/projects")
    assert status == 200
    return {item["name"]: item for item in json.loads(body)["items"]}


def dropped(studio: Studio, name: str, data: bytes, part: str = "limited") -> dict[str, Any]:
    status, _, body = ask(studio, f"/api/drop?part={part}", "POST", drop((name, data)), Origin=own(studio))
    found: dict[str, Any] = json.loads(body)
    return {"status": status, **found}


def say(line: Any, **message: Any) -> None:
    line.send(json.dumps(message))


def until(line: Any, test: Any) -> dict[str, Any]:
    """The next scene for which `test` holds."""
    while not test(told := heard(line, "scene")):
        pass
    return told


def test_a_project_is_named_copied_listed_and_opened_again(studios: Opener, tmp_path: Path) -> None:
    studio = studios(tmp_path / "project")
    data = tmp_path / "data" / "komadori" / "studio"
    with live(studio) as line:
        assert heard(line, "scene")["project"] == "project"
        say(line, type="change", part="limited", options={"omit": 7})
        until(line, lambda told: told["scene"]["parts"])
        say(line, type="project", edit="save-as", name="Opening scene")
        told = until(line, lambda told: told["project"] == "Opening scene")
        assert told["scene"]["parts"]["limited"]["options"] == {"omit": 7}
        assert not told["can_undo"]
        say(line, type="change", part="limited", options={"omit": 9})
        until(line, lambda told: told["scene"]["parts"]["limited"]["options"] == {"omit": 9})
        say(line, type="project", edit="new", name="カット 2")
        told = until(line, lambda told: told["project"] == "カット 2")
        assert told["scene"]["parts"] == {}
        found = projects(studio)
        assert list(found)[:2] == ["カット 2", "Opening scene"]
        assert found["カット 2"]["open"]
        say(line, type="project", edit="open", name=found["Opening scene"]["key"])
        told = until(line, lambda told: told["project"] == "Opening scene")
        assert told["scene"]["parts"]["limited"]["options"] == {"omit": 9}
        say(line, type="project", edit="open", name=found["project"]["key"])
        told = until(line, lambda told: told["project"] == "project")
        assert told["scene"]["parts"]["limited"]["options"] == {"omit": 7}
        for name in ("Opening scene", "../up", "a/b", "", ".hidden", "CON"):
            say(line, type="project", edit="new", name=name)
            assert heard(line, "error")["message"]
        for key in ("/etc", str(tmp_path), str(data.parent), "projects"):
            say(line, type="project", edit="open", name=key)
            assert "no project" in heard(line, "error")["message"]
    assert sorted(path.name for path in (data / "projects").iterdir()) == ["Opening scene", "カット 2"]
    assert "Traceback" not in studio.close()


def test_a_project_is_shared_as_one_file_with_what_it_uses(studios: Opener, tmp_path: Path) -> None:
    clip = tmp_path / "here" / "歩き.bvh"
    clip.parent.mkdir()
    write(sample("walk"), clip)
    studio = studios(tmp_path / "project", clip)
    assert dropped(studio, "girl.glb", encoded(character("girl"), "girl.glb"))["status"] == 200
    assert dropped(studio, "unused.bvh", encoded(sample("kick"), "a.bvh"))["status"] == 200
    with live(studio) as line:
        shelf = json.loads(ask(studio, "/api/shelf")[2])["items"]
        key = next(item["key"] for item in shelf if item["name"] == "girl.glb")
        say(line, type="open", character=key)
        until(line, lambda told: told["scene"]["character"] == key)
        say(line, type="change", part="limited", options={"omit": 5})
        until(line, lambda told: told["scene"]["parts"])
    status, _, body = ask(studio, "/api/project")
    assert status == 200
    assert body == ask(studio, "/api/project")[2], "the same work gives the same bytes"
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        names = archive.namelist()
    assert sorted(Path(name).name for name in names) == ["girl.glb", "scene.json", "歩き.bvh"]
    other = studios(tmp_path / "elsewhere" / "project")
    clip.unlink()
    answer = dropped(other, "cut 12.zip", body)
    assert answer["project"].endswith("cut 12")
    with live(other) as line:
        say(line, type="project", edit="open", name=answer["project"])
        told = until(line, lambda told: told["project"] == "cut 12")
        assert told["scene"]["parts"]["limited"]["options"] == {"omit": 5}
        assert told["scene"]["motion"].startswith("drop:")
        body_told = last(line, "body")
        assert body_told is not None
        assert (body_told["name"], body_told["frames"]) == ("girl", len(sample("walk").prepared(fps=24.0)))


def test_a_shared_model_brings_its_own_pictures_and_no_others(studios: Opener, tmp_path: Path) -> None:
    """A model in a folder full of private pictures: only those that it names go into the file that is shared."""
    folder = tmp_path / "Downloads"
    (folder / "tex").mkdir(parents=True)
    (folder / "holidays").mkdir()
    for name in ("tex/skin one.png", "tex/髪.png", "passport.png", "holidays/beach.jpg", "notes.bin"):
        (folder / name).write_bytes(b"picture")
    model = json.loads(encoded(character("girl"), "girl.gltf"))
    model["images"] = [{"uri": "tex/skin%20one.png"}, {"uri": "tex/髪.png"}]
    (folder / "girl.gltf").write_text(json.dumps(model), encoding="utf-8")
    studio = studios(tmp_path / "project", folder / "girl.gltf")
    with live(studio) as line:
        until(line, lambda told: "girl.gltf" in told["scene"]["character"])
    status, _, body = ask(studio, "/api/project")
    assert status == 200
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        names = {Path(name).name for name in archive.namelist()}
    assert names == {"scene.json", "girl.gltf", "skin one.png", "髪.png"}


def zipped(**files: bytes) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        b"PK\x03\x04 no zip",
        zipped(**{"other.txt": b"x"}),
        zipped(**{"scene.json": b"{"}),
        zipped(**{"scene.json": b'{"version": 3}', "../out.txt": b"x"}),
        zipped(**{"scene.json": b'{"version": 3}', "/tmp/out.txt": b"x"}),
        zipped(**{"scene.json": b'{"version": 3}', "files/a.bvh": b"x"}),
        zipped(**{"scene.json": b'{"version": 3}', "scene.lock": b"x"}),
    ],
    ids=["no zip", "no scene", "a damaged scene", "up", "absolute", "no place", "another file"],
)
def test_a_strangers_zip_that_is_no_project_leaves_nothing(studio: Studio, data: bytes, tmp_path: Path) -> None:
    answer = dropped(studio, "bad.zip", data)
    assert answer["status"] == 422
    assert "\n" not in answer["message"]
    folder = tmp_path / "data" / "komadori" / "studio" / "projects"
    assert not folder.exists() or list(folder.iterdir()) == []
    assert not (tmp_path / "data" / "komadori" / "studio" / "out.txt").exists()


@pytest.mark.parametrize("suffix", [".xdts", ".csv", ".json"])
def test_a_sheet_is_opened_again_and_drives_the_motion(studio: Studio, suffix: str) -> None:
    placed = komadori.retarget(sample("pitch"), character("girl")).motion
    sheet = komadori.limited(placed, omit=6, hold=40).sheet
    answer = dropped(studio, f"cut{suffix}", encoded(sheet, f"cut{suffix}"))
    assert answer["troubles"] == []
    assert "all locked" in answer["notes"][0]["en"]
    with live(studio) as line:
        say(line, type="watch", part="limited")
        told = heard(line, "method")
        assert told["source"] == sheet.source.tolist()
        assert told["edited"]
        say(line, type="change", part="limited", options={"omit": 0})
        assert heard(line, "method")["source"] == sheet.source.tolist(), "it drives the motion, whatever a slider says"
        say(line, type="export", what="limited", kind="sheet", suffix=suffix)
        again = ask(studio, f"/{heard(line, 'export')['address']}")[2]
        assert again == encoded({"A": sheet}, f"pitch-limited{suffix}")
        say(line, type="undo")
        say(line, type="undo")
        while heard(line, "method")["edited"]:
            pass


def test_an_animators_drawings_take_the_poses_of_the_frames_in_which_they_appear(studio: Studio) -> None:
    sheet = komadori.Timesheet(24.0, np.arange(60) // 2)
    answer = dropped(studio, "cut.sts", encoded(sheet, "cut.sts"))
    assert answer["troubles"] == []
    assert "30 drawings in 60 frames" in answer["notes"][0]["en"]
    assert "as drawings" in answer["notes"][0]["en"]
    with live(studio) as line:
        say(line, type="watch", part="limited")
        assert heard(line, "method")["source"] == (np.arange(60) // 2 * 2).tolist()


def test_a_sheet_of_another_clip_is_refused_in_one_line(studio: Studio) -> None:
    sheet = komadori.Timesheet(24.0, [0, 0, 500])
    answer = dropped(studio, "long.xdts", encoded(sheet, "long.xdts"))
    assert answer["notes"] == []
    assert answer["troubles"][0]["en"].startswith("long.xdts: expected drawings of the open clip, frames 1 to 129")
    assert "frame 501" in answer["troubles"][0]["en"]


def test_a_recipe_is_opened_again(studio: Studio) -> None:
    recipe = Recipe([Step("prepare", fps=24.0), Step("retarget"), Step("limited", omit=6, pins=(3, 9))], "tried")
    answer = dropped(studio, "tv.toml", recipe.toml().encode())
    assert answer["notes"] == [{"en": "tv.toml: its settings are set", "ja": "tv.toml：設定を読み込みました"}]
    with live(studio) as line:
        told = heard(line, "scene")
        assert told["scene"]["parts"]["limited"]["options"] == {"omit": 6, "pins": [3, 9]}
        say(line, type="export", what="limited", kind="recipe", suffix=".toml")
        again = ask(studio, f"/{heard(line, 'export')['address']}")[2].decode()
        assert Recipe.parse(again).steps == recipe.steps


def test_what_is_no_paper_is_told(studio: Studio) -> None:
    for name, data in (("a.toml", b"[["), ("b.json", b"[1]"), ("c.csv", b"1,2\n"), ("d.xdts", b"")):
        answer = dropped(studio, name, data)
        assert answer["notes"] == []
        assert answer["troubles"][0]["en"].startswith(name)


def test_an_edit_that_only_moves_a_slider_is_few_bytes(studio: Studio, record_property: Any) -> None:
    """A scene with long takes is not sent again for a slider."""
    with live(studio) as line:
        say(line, type="watch", part="limited")
        while not (last(line, "scene") and last(line, "limited")):
            heard(line, "scene" if last(line, "limited") else "limited")
        say(line, type="change", part="limited", options={"omit": 7})
        sizes: dict[str, int] = {}
        while not {"scene", "limited"} <= sizes.keys():
            message = line.recv(timeout=60)
            assert isinstance(message, str)
            found = json.loads(message)
            assert found["type"] in ("changes", "saved", "optimum", "answered")
            if found["type"] == "changes":
                sizes[found["about"]] = len(message)
        record_property("bytes", sizes)
        assert sizes["scene"] < 300
        assert sum(sizes.values()) < 12_000
