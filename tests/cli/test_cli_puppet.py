"""`komadori puppet`: make a puppet, play it, walk; one line and a status for everything else."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import komadori
from komadori.characters import character
from komadori.cli import run
from komadori.methods.puppet import Take, together
from komadori.methods.puppet.transfer import growth


@pytest.fixture
def puppet(tmp_path: Path) -> Path:
    path = tmp_path / "pitch.json"
    assert run(["puppet", "new", "--from", "sample:pitch", "--frames", "30,50,60,70", "-o", str(path)]) == 0
    return path


def test_new_makes_keys_at_the_hand(puppet: Path) -> None:
    made = komadori.load(puppet)
    assert [key.name for key in made.keys] == ["frame 30", "frame 50", "frame 60", "frame 70"]
    assert (made.kernel, made.ik, made.ground) == ("linear", None, None)


def test_a_script_a_table_and_a_clip_can_move_the_handle(puppet: Path, tmp_path: Path) -> None:
    script = tmp_path / "throw.txt"
    script.write_text("seconds = 2\nx = 0.3*sin(2*pi*t)\ny = 1.2\nz = 0.1\n", encoding="utf-8")
    table = tmp_path / "handle.csv"
    table.write_text("x,y,z\n" + "0.1,1.2,0.3\n" * 10, encoding="utf-8")
    for path, frames in ((str(script), 49), (str(table), 10), ("sample:pitch", 129)):
        out = tmp_path / "out.bvh"
        assert run(["puppet", str(puppet), "--path", path, "-o", str(out)]) == 0
        assert len(komadori.load(out)) == frames


def test_a_spring_and_another_length_are_options(puppet: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.bvh"
    args = ["puppet", str(puppet), "--path", "sample:pitch", "--seconds", "1", "--spring", "3", "-o", str(out)]
    assert run(args) == 0
    assert len(komadori.load(out)) == 25


def test_the_demo_walks_forwards_and_backwards(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for speed, sign in (("1.3", 1.0), ("-0.8", -1.0)):
        out = tmp_path / "walk.bvh"
        assert run(["puppet", "demo", "--walk", speed, "--seconds", "3", "-o", str(out), "--json"]) == 0
        facts = json.loads(capsys.readouterr().out)
        assert (facts["frames"], len(facts["keys"])) == (73, 4)
        motion = komadori.load(out)
        went = motion.positions[-1, 0, 2] - motion.positions[0, 0, 2]
        assert went * sign == pytest.approx(3.0 * abs(float(speed)), rel=0.05)


def test_the_demo_as_a_puppet_can_be_walked_and_moved(tmp_path: Path) -> None:
    path, out = tmp_path / "walk.json", tmp_path / "walk.bvh"
    assert run(["puppet", "demo", "-o", str(path)]) == 0
    assert run(["puppet", str(path), "--walk", "1", "--onto", "sample:kick", "-o", str(out)]) == 0
    assert len(komadori.load(out)) == 97


def test_options_of_new_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    args = [
        "--from",
        "sample:kick",
        "--frames",
        "5,20",
        "--handle",
        "right_foot",
        "--ik",
        "right_foot",
        "--kernel",
        "cubic",
    ]
    assert run(["puppet", "new", *args, "--no-polynomial", "--ground", "0.1", "-o", str(path)]) == 0
    made = komadori.load(path)
    assert (made.kernel, made.polynomial, made.ground) == ("cubic", False, 0.1)
    assert made.ik is not None
    assert made.ik.effector == "right_foot"


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (["puppet", "demo"], 2, "-o FILE"),
        (["puppet", "new", "-o", "x.json"], 2, "name the clip and its frames"),
        (["puppet", "new", "--from", "sample:kick", "-o", "x.json"], 2, "name the clip and its frames"),
        (["puppet", "new", "--from", "sample:kick", "--frames", "1,2", "-o", "x.bvh"], 2, "ends in .json"),
        (["puppet", "new", "--from", "sample:kick", "--frames", "1,99999", "-o", "x.json"], 2, "found 99999"),
        (["puppet", "new", "--from", "sample:kick", "--frames", "1", "--handle", "wing", "-o", "x.json"], 2, "'wing'"),
        (["puppet", "{puppet}", "-o", "x.bvh"], 2, "give a path for the handle"),
        (["puppet", "{puppet}", "--walk", "1", "-o", "x.bvh"], 2, "the puppet has no ground to walk on"),
        (["puppet", "{puppet}", "--path", "nothing.csv", "-o", "x.bvh"], 1, "File not found"),
        (["puppet", "{puppet}", "--path", "nothing.csv", "-o", "x.png"], 2, "expected a file name that ends in"),
        (["puppet", "{puppet}", "--path", "{bad}", "-o", "x.bvh"], 1, "line 2: expected arithmetic"),
        (["puppet", "{puppet}", "--frames", "1", "--walk", "1", "-o", "x.bvh"], 2, "puppet new"),
        (["puppet", "{puppet}", "--path", "{bad}", "-o", "{puppet}"], 2, "expected a file name that ends in"),
        (["puppet", "missing.json", "--walk", "1", "-o", "x.bvh"], 1, "File not found"),
        (["puppet", "demo", "--walk", "fast", "-o", "x.bvh"], 2, "expected a number"),
    ],
)
def test_mistakes_are_one_line_and_leave_no_file(
    args: list[str],
    status: int,
    message: str,
    puppet: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("x = 1\ny = 'no'\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    assert run([word.format(puppet=puppet, bad=bad) for word in args]) == status
    assert message in capsys.readouterr().err
    assert not list(tmp_path.glob("x.*"))


def test_the_walk_of_the_demo_does_not_slip(tmp_path: Path) -> None:
    out = tmp_path / "walk.bvh"
    assert run(["puppet", "demo", "-o", str(out)]) == 0
    motion = komadori.load(out)
    toes = motion.world_positions()[:, motion.skeleton.roles["left_toes"]]
    low = toes[:, 1] < toes[:, 1].min() + 1e-4
    steps = np.linalg.norm(np.diff(toes, axis=0), axis=1)[low[1:] & low[:-1]]
    assert len(steps) > 30
    assert np.median(steps) < 1e-5


def test_one_handle_moves_a_cast(puppet: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "circle.txt", tmp_path / "cast.glb"
    path.write_text("x = 0.2*sin(2*pi*t)\ny = 1.2\nz = 0.3\nseconds = 2\n", encoding="utf-8")
    own = tmp_path / "own.json"
    assert run(["puppet", "new", "--from", "sample:kick", "--frames", "20,40,60", "-o", str(own)]) == 0
    args = ["puppet", str(puppet), "--path", str(path), "--cast", str(own), "--cast", "girl", "-o", str(out)]
    capsys.readouterr()
    assert run([*args, "--json"]) == 0
    assert [Path(name).name for name in json.loads(capsys.readouterr().out)["outputs"]] == [
        "cast.glb",
        "cast-2.glb",
        "cast-3.glb",
    ]
    clips = [komadori.load(tmp_path / f"cast{number}.glb") for number in ("", "-2", "-3")]
    assert {len(clip) for clip in clips} == {49}
    lead, take = komadori.load(puppet, kind="puppet"), komadori.load(path, kind="script").take(fps=24.0)
    girl = lead.moved_to(character("girl").skeleton)
    # Her keys are as much nearer as she is smaller, and so is the way of her handle.
    smaller = Take(growth(lead.keys, girl.keys) * take.path, take.times)
    wanted = together([lead, komadori.load(own, kind="puppet"), girl], [take, take, smaller])
    assert growth(lead.keys, girl.keys) < 0.98
    for clip, want in zip(clips, wanted, strict=True):
        assert np.abs(clip.world_positions() - want.world_positions()).max() < 1e-4
    assert komadori.load(tmp_path / "cast-3.glb", kind="character").meshes, "a body keeps its skin"
    (tmp_path / "cast-2.glb").unlink()
    for more, told in (
        (["--walk", "1"], "a cast is performed with --path"),
        (["--path", str(path), "--cast", str(tmp_path / "cast-3.glb")], "is also an input"),
    ):
        assert run(["puppet", str(puppet), *more, "--cast", "girl", "-o", str(out)]) == 2
        assert told in capsys.readouterr().err
    assert not (tmp_path / "cast-2.glb").exists(), "nothing is written where one of the cast cannot be"
