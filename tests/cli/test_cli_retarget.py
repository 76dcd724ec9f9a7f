"""`komadori retarget`: motions onto bodies, files in and out, and what wrong calls get told."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import komadori
from komadori.characters import character, humanoid, sample
from komadori.cli import run

from realdata import real


def test_a_clip_comes_onto_the_built_in_body(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "walk.bvh"
    clip = real("human_cmu_bvh/02_01.bvh")
    assert run(["retarget", str(clip), "--to", "body", "-o", str(out), "--fps", "30", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["fps"] == 30
    assert told["scale"] == pytest.approx(0.955, abs=0.01)
    assert told["direction_mean_deg"] < 1.0
    assert told["slip_mm_per_s"] < 2.0 < told["source_slip_mm_per_s"]
    assert told["height_max_mm"] < 5.0
    written = komadori.load(out, unit="cm")
    assert set(written.skeleton.names) == set(humanoid().names)
    assert len(written) == told["frames"] == len(komadori.load(clip).prepared(fps=30))


@pytest.mark.parametrize("name", ["mannequin", "girl"])
def test_a_character_is_written_with_the_motion_in_it(tmp_path: Path, name: str) -> None:
    out = tmp_path / "kick.glb"
    assert run(["retarget", "sample:kick", "--to", name, "-o", str(out)]) == 0
    written = komadori.load_character(out)
    assert written.meshes
    motion = written.motions["kick"]
    wanted = komadori.retarget(sample("kick"), character(name)).motion
    hands = [[m.skeleton.roles[role] for role in ("left_hand", "right_toes")] for m in (motion, wanted)]
    np.testing.assert_allclose(motion.world_positions()[:, hands[0]], wanted.world_positions()[:, hands[1]], atol=1e-4)


def test_any_motion_file_can_be_the_body(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body, out = tmp_path / "body.bvh", tmp_path / "out.bvh"
    komadori.save(sample("kick"), body)
    assert run(["retarget", "sample:walk", "--to", str(body), "-o", str(out), "--unit", "cm"]) != 0
    assert run(["retarget", "sample:walk", "--to", str(body), "-o", str(out), "--lang", "ja"]) == 0
    assert "リターゲットしました" in capsys.readouterr().out
    assert len(komadori.load(out)) == len(sample("walk"))


def test_the_floor_and_the_feet_can_be_chosen(tmp_path: Path) -> None:
    heights = []
    for ground in ("0", "1"):
        out = tmp_path / f"{ground}.bvh"
        options = ["--ground", ground, "--no-plant-feet", "--scale", "1"]
        assert run(["retarget", "sample:walk", "--to", "body", "-o", str(out), *options]) == 0
        heights.append(komadori.load(out, unit="cm").world_positions()[..., 1].min())
    assert heights[1] - heights[0] == pytest.approx(1.0, abs=1e-4)


def test_wrong_calls_are_told_what_would_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "x.bvh")
    for words, status, told in (
        (["--to", "body", "-o", str(tmp_path / "x.xyz")], 2, "expected a file name that ends in"),
        (["--to", "nobody", "-o", out], 1, "File not found: nobody"),
        (["--to", str(tmp_path), "-o", out], 1, "a file with a body"),
        (["-o", out], 2, "--to"),
        (["--to", "body", "-o", out, "--scale", "0"], 2, "--scale"),
    ):
        assert run(["retarget", "sample:walk", *words]) == status
        said = capsys.readouterr()
        assert told in said.err
        assert said.err.count("\n") == 1
        assert said.out == ""
    assert not list(tmp_path.iterdir())


def test_a_body_is_never_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    body = tmp_path / "body.bvh"
    komadori.save(sample("kick"), body)
    before = body.read_bytes()
    assert run(["retarget", "sample:walk", "--to", str(body), "-o", str(body)]) == 2
    assert body.read_bytes() == before
    assert np.char.count(capsys.readouterr().err, "is also an input") == 1
