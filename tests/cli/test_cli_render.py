"""`komadori render`: every kind of file, on characters and bones, and what wrong calls get told."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import komadori
from komadori.characters import sample
from komadori.cli import run
from komadori.cli.render import command
from komadori.render.ground import PAPER


def opened(path: str) -> np.ndarray:
    """(H, W, 3) a picture as whole numbers."""
    return np.asarray(Image.open(io.BytesIO(Path(path).read_bytes()))).astype(int)


Printed = pytest.CaptureFixture[str]
SMALL = ["--size", "64x48"]


@pytest.fixture(autouse=True)
def in_english(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KOMADORI_LANG", "en")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def clip(tmp_path: Path) -> str:
    """A short clip with holds, as a file."""
    path = tmp_path / "clip.bvh"
    komadori.save(sample("kick").taken([20, 20, 20, 30, 30, 36, 40, 40]), path)
    return str(path)


def test_a_film_on_the_girl_has_all_frames_and_holds(clip: str, capsys: Printed) -> None:
    av = pytest.importorskip("av")
    assert run(["render", clip, "--unit", "cm", "--character", "girl", "-o", "out.mp4", *SMALL, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["frames"], told["drawings"], told["fps"], told["size"]) == (8, 4, 24, [64, 48])
    assert told["outputs"] == ["out.mp4"]
    with av.open("out.mp4") as container:
        assert len(list(container.decode(video=0))) == 8


@pytest.mark.parametrize("camera", ["front", "side", "three-quarter", "follow"])
def test_pictures_of_bones_from_every_side(clip: str, camera: str, capsys: Printed) -> None:
    assert run(["render", clip, "--unit", "cm", "--camera", camera, "--style", "line", "-o", "out.gif", *SMALL]) == 0
    assert "4 drawings" in capsys.readouterr().out
    with Image.open("out.gif") as film:
        assert film.size == (64, 48)
        assert film.n_frames >= 4  # type: ignore[attr-defined]


def test_png_is_a_poster_or_a_file_a_frame(clip: str, tmp_path: Path) -> None:
    assert run(["render", clip, "--unit", "cm", "-o", "poster.png", *SMALL]) == 0
    assert run(["render", clip, "--unit", "cm", "-o", "f/k-%03d.png", "--sheet", *SMALL]) == 0
    assert sorted(p.name for p in (tmp_path / "f").iterdir()) == [f"k-{n:03d}.png" for n in range(8)]
    assert opened("poster.png").size >= 4 * 64 * 48 * 3
    pictures = [opened(f"f/k-{n:03d}.png") for n in range(8)]
    assert pictures[0].shape[1] == 64
    assert pictures[0].shape[0] > 48
    np.testing.assert_array_equal(pictures[0][:48], pictures[2][:48])
    assert not np.array_equal(pictures[2][:48], pictures[3][:48])


def test_a_character_in_the_motions_own_file_is_drawn(tmp_path: Path) -> None:
    assert run(["retarget", "sample:kick", "--to", "girl", "-o", "kick.glb"]) == 0
    for given in ("kick.glb", "kick.glb#kick"):
        assert run(["render", given, "-o", "kick.png", "--size", "160x90"]) == 0
        seen = opened("kick.png")
        # Her hair: far more red than blue, which no stand-in has.
        assert (seen[..., 0] - seen[..., 2] > 90).sum() > 100


def test_a_camera_comes_from_its_file(clip: str, tmp_path: Path, capsys: Printed) -> None:
    Path("away.json").write_text(json.dumps({"position": [0, 1, 9], "target": [0, 1, 20]}), encoding="utf-8")
    assert run(["render", clip, "--unit", "cm", "--camera", "away.json", "-o", "a-%d.png", *SMALL]) == 0
    seen = opened("a-0.png")
    assert (seen[0] == PAPER).all()


def test_the_same_call_gives_the_same_bytes(clip: str) -> None:
    for name in ("a.gif", "b.gif"):
        assert run(["render", clip, "--unit", "cm", "-o", name, *SMALL]) == 0
    assert Path("a.gif").read_bytes() == Path("b.gif").read_bytes()


@pytest.mark.parametrize(
    ("args", "status", "told"),
    [
        (["-o", "x.avi"], 2, ".mp4, .webm, .gif or .png"),
        (["-o", "x.mp4", "--size", "63x48"], 2, "--size: expected an even width and height"),
        (["-o", "x.mp4", "--size", "huge"], 2, "640x360"),
        (["-o", "x.mp4", "--size", "9000x48"], 2, "16 to 4096"),
        (["-o", "x.gif", "--camera", "below"], 2, "front, three-quarter, side, follow"),
        (["-o", "x.gif", "--camera", "none.json"], 1, "none.json"),
        (["-o", "x.gif", "--style", "oil"], 2, "toon"),
        (["-o", "x.png", "--sheet"], 2, "name-%04d.png"),
        (["-o", "x.gif", "--onion", "99"], 2, "12"),
        (["-o", "x.gif", "--character", "nobody"], 1, "File not found: nobody"),
        (["-o", "x.gif", "--character", "body"], 1, "only a skeleton"),
        ([], 2, "-o"),
    ],
)
def test_wrong_calls_are_told_what_would_do(args: list[str], status: int, told: str, capsys: Printed) -> None:
    assert run(["render", "sample:kick", *args]) == status
    out, err = capsys.readouterr()
    assert out == ""
    assert told in err
    assert not Path("x.gif").exists()


def test_what_cannot_be_written_is_said_before_the_work(capsys: Printed, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("taken").write_text("a file", encoding="utf-8")
    monkeypatch.setattr("komadori.cli.render.shot_of", lambda *_, **__: pytest.fail("it began to draw"))
    assert run(["render", "sample:kick", "-o", "taken/x.gif"]) == 1
    assert "taken/x.gif: cannot be written: taken is not a folder" in capsys.readouterr().err
    monkeypatch.setattr("os.access", lambda *_: False)
    assert run(["render", "sample:kick", "-o", "new/x.gif"]) == 1
    assert "permission denied" in capsys.readouterr().err


def test_the_page_names_all_choices(capsys: Printed) -> None:
    assert run(["render", "--help"]) == 0
    page = capsys.readouterr().out
    for word in ("front | three-quarter | side | follow", "toon | line | clay", "mannequin, girl, horse"):
        assert word.replace(" ", "") in page.replace(" ", "").replace("\n", "")
    assert command.name == "render"
