"""`komadori exaggerate`: files in and out, and what wrong calls get told."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import komadori
from komadori.characters import sample
from komadori.cli import run


def test_a_sample_comes_out_bolder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "kick.bvh"
    assert run(["exaggerate", "sample:kick", "-o", str(out), "--amount", "1.5", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["frames"] == 91
    assert told["largest_deg"] > 10
    kick = sample("kick")
    foot = kick.skeleton.roles["right_foot"]
    bold = komadori.load(out, unit="cm").world_positions()[:, foot, 1].max()
    assert bold > kick.world_positions()[:, foot, 1].max() + 0.05
    assert np.isfinite(bold)


def test_both_languages_and_wrong_values(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "x.bvh")
    assert run(["exaggerate", "sample:walk", "-o", out, "--lang", "ja"]) == 0
    assert "誇張" in capsys.readouterr().out
    assert run(["exaggerate", "sample:walk", "-o", out, "--amount", "9"]) == 2
    assert run(["exaggerate", "sample:walk", "-o", str(tmp_path / "x.xyz")]) == 2
    assert run(["exaggerate", "sample:walk"]) == 2
    assert capsys.readouterr().err.count("\n") == 3
