"""`komadori translate` and `komadori quadruped`: files in and out, and what wrong calls get told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import komadori
from komadori.characters import sample
from komadori.cli import run


def test_arms_are_learnt_saved_and_used_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, saved = tmp_path / "out.bvh", tmp_path / "arms.json"
    args = ["translate", "--train", "sample:walk", "sample:slow-walk", "-o", str(out), "--save", str(saved)]
    assert run([*args, "--model", "static", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["chosen"].startswith("static")
    assert told["spectral_radius"] == 0.0
    assert told["frames"] == len(komadori.load(out)) == len(sample("slow-walk", 30.0))
    assert {item["model"].split(",")[0].rstrip(" .0123456789") for item in told["candidates"]} == {
        "mean",
        "plain ridge",
        "static",
    }
    assert all(item["swing_ratio"] >= 0.0 and item["correlation"] <= 1.0 for item in told["candidates"])
    again = tmp_path / "again.bvh"
    assert run(["translate", "sample:slow-walk", "--translator", str(saved), "-o", str(again)]) == 0
    assert again.read_bytes() == out.read_bytes()


def test_several_clips_to_learn_from_follow_each_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.bvh"
    args = ["translate", "--train", "sample:walk", "sample:kick", "--inputs", "legs", "--outputs", "arms"]
    assert run([*args, "sample:slow-walk", "-o", str(out), "--model", "static", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["frames"] == len(sample("slow-walk", 30.0))


def test_a_walk_becomes_a_horses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "horse.glb"
    assert run(["quadruped", "sample:walk", "--animal", "horse", "-o", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["animal"] == "horse"
    assert 0.5 < told["speed"] < 3.0
    assert told["largest_foot_drift"] < 2.0
    assert not told["notes"]
    written = komadori.load_character(out)
    assert written.meshes
    assert len(written.motions["walk"]) == told["frames"] == len(sample("walk"))


def test_the_clip_that_an_animal_learns_from_can_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {name: tmp_path / f"{name.replace('#', '_')}.glb" for name in ("horse", "horse#walk", "horse#trot")}
    for name, out in files.items():
        assert run(["quadruped", "sample:walk", "--animal", name, "-o", str(out)]) == 0
    capsys.readouterr()
    made = [komadori.load_character(out).motions["walk"].rotations for out in files.values()]
    assert (made[0] == made[1]).all()
    assert abs(made[0] - made[2]).max() > 0.05
    assert run(["quadruped", "sample:walk", "--animal", f"{files['horse']}#nap", "-o", str(tmp_path / "out.glb")]) == 2
    assert "found 'nap'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (["translate", "sample:walk", "-o", "out.bvh"], 2, "--train"),
        (["translate", "sample:walk", "--train", "sample:walk"], 2, "-o FILE"),
        (
            ["translate", "sample:walk", "--train", "sample:walk", "-o", "out.txt"],
            2,
            "expected a file name that ends in",
        ),
        (["translate", "sample:walk", "--train", "sample:walk", "--inputs", "wings", "-o", "out.bvh"], 2, "'wings'"),
        (["translate", "sample:walk", "--train", "sample:walk", "--order", "0", "-o", "out.bvh"], 2, "at least 1"),
        (["translate", "sample:walk", "--translator", "none.json", "-o", "out.bvh"], 1, "File not found"),
        (["quadruped", "sample:walk", "--animal", "unicorn", "-o", "out.glb"], 1, "File not found: unicorn"),
        (
            ["quadruped", "sample:walk", "--animal", "mannequin", "-o", "out.glb"],
            2,
            "expected a clip with walk in its name",
        ),
    ],
)
def test_wrong_calls_are_told_what_would_do(
    args: list[str],
    status: int,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(args) == status
    told = capsys.readouterr().err
    assert message in told
    assert not list(tmp_path.iterdir())
