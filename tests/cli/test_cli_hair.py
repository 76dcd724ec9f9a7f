"""`komadori hair`: characters in, moving hair out, traces compared and fitted, and what wrong calls get told."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import komadori
from komadori.characters import character, sample
from komadori.cli import run
from komadori.methods.hair import hair

TRACE = str(Path(__file__).parents[2] / "examples" / "hair" / "lock.csv")


def test_a_character_is_written_with_moving_hair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "girl.glb"
    assert run(["hair", "girl", "--preset", "stream", "-o", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["checks"] == {"passed": True, "failed": []}
    assert (told["frames"], told["period_s"], told["drawings"], told["loop_s"]) == (96, 1.0, 24, 4.0)
    assert len(told["chains"]) == 10
    written = komadori.load_character(out).motions["hair"]
    wanted = hair(character("girl"), preset="stream").motion
    tips = [[m.skeleton.index("hair_ponytail_8") for m in (written, wanted)], [0, 0]][0]
    np.testing.assert_allclose(written.world_positions()[:, tips[0]], wanted.world_positions()[:, tips[1]], atol=1e-4)


def test_a_motion_of_another_body_is_put_onto_the_character(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "walk.bvh"
    words = ["--motion", "sample:walk", "--wind", "0,0,-2", "--on", "2", "--chains", "hair"]
    assert run(["hair", "girl", *words, "-o", str(out), "--lang", "ja"]) == 0
    assert re.search(r"チェーン +6\n", capsys.readouterr().out)
    written = komadori.load(out, unit="cm")
    assert len(written) == len(sample("walk"))
    joint = written.skeleton.index("hair_ponytail_6")
    np.testing.assert_allclose(written.rotations[0:90:2, joint], written.rotations[1:91:2, joint], atol=1e-6)


def test_traces_are_compared_and_fitted_without_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["hair", "girl", "--preset", "stream", "--compare", TRACE, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["compare"]["angle_deg"] < 19.2
    assert run(["hair", "girl", "--fit", TRACE, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["fit"]["error"]["angle_deg"] < 4.0
    # A fit alone proves nothing: what is no wave fits this one worse.
    assert min(one["angle_deg"] for one in told["against"].values()) > 2.0 * told["fit"]["error"]["angle_deg"]
    assert told["chains"][0]["wavelength"] == pytest.approx(told["fit"]["wavelength"])
    assert run(["hair", "girl", "--fit", TRACE, "--compare", TRACE]) == 0
    assert "off the trace" in capsys.readouterr().out


def test_wrong_calls_are_told_what_would_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "x.bvh")
    bad = tmp_path / "bad.csv"
    bad.write_text("x0,y0,x1,y1\n0,0,nan,1\n", encoding="utf-8")
    for words, status, told in (
        (["girl"], 2, "name a file to write"),
        (["girl", "-o", str(tmp_path / "x.xyz")], 2, "expected a file name that ends in"),
        (["nobody", "-o", out], 1, "File not found: nobody"),
        (["mannequin", "-o", out], 2, "has no hair, skirt"),
        (["girl", "-o", out, "--wavelength", "0"], 2, "--wavelength"),
        (["girl", "-o", out, "--period", "-1"], 2, "--period"),
        (["girl", "-o", out, "--wind", "north"], 2, "X,Y,Z"),
        (["girl", "-o", out, "--wind", "1,2,nan"], 2, "--wind"),
        (["girl", "-o", out, "--chains", "beard"], 2, "--chains: expected one of"),
        (["girl", "-o", out, "--compare", str(bad)], 1, "finite number"),
        (["girl", "-o", out, "--preset", "storm"], 2, "--preset"),
    ):
        assert run(["hair", *words]) == status, words
        said = capsys.readouterr()
        assert told in said.err
        assert said.err.count("\n") == 1
        assert said.out == ""
    assert list(tmp_path.iterdir()) == [bad]


def test_what_the_file_cannot_carry_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["hair", "girl", "-o", str(tmp_path / "hair.vrma"), "--json"]) == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert any("humanoid bones only" in note for note in notes)
    assert run(["hair", "girl", "-o", str(tmp_path / "hair.glb"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["notes"] == []
    # The same hair, converted from a file that has it.
    assert run(["convert", str(tmp_path / "hair.glb#hair"), str(tmp_path / "again.vrma")]) == 0
    assert "humanoid bones only" in capsys.readouterr().out
