"""`komadori keyposes`: it does what the library does, says so, and writes what was asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from komadori.characters import sample
from komadori.cli import run
from komadori.formats import load, load_sheet, save
from komadori.methods.keyposes import keyposes
from komadori.motion import Motion

Printed = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def in_english(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KOMADORI_LANG", "en")
    monkeypatch.chdir(tmp_path)


def said(capsys: Printed, *args: str) -> str:
    status = run(list(args))
    out, err = capsys.readouterr()
    assert (status, err) == (0, "")
    return out


def refused(capsys: Printed, *args: str) -> str:
    assert run(["keyposes", *args]) != 0
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def told(capsys: Printed, *args: str) -> Any:
    return json.loads(said(capsys, "keyposes", *args, "--json"))


def same_places(path: str, motion: Motion) -> bool:
    """Whether the file holds `motion`; a format may list joints in its own order."""
    read = load(path)
    shared = [name for name in motion.skeleton.names if name in read.skeleton.names]
    assert len(shared) > 20
    ours = motion.world_positions()[:, [motion.skeleton.index(name) for name in shared]]
    theirs = read.world_positions()[:, [read.skeleton.index(name) for name in shared]]
    return bool(np.allclose(ours, theirs, atol=1e-5))


def test_it_finds_what_the_library_finds(capsys: Printed) -> None:
    summary = told(capsys, "sample:pitch", "--count", "9")
    result = keyposes(sample("pitch"), count=9)
    assert summary["frames"] == result.frames.tolist()
    assert summary["order"] == result.order.tolist()
    assert summary["error"] == pytest.approx(result.error)
    assert summary["source"] == result.sheet.source.tolist()
    assert summary["worst_mm"] == pytest.approx(result.keyed().worst_mm)


def test_options_reach_the_method(capsys: Printed) -> None:
    given = ["--solver", "optimal", "--measure", "sum", "--max-gap", "20", "--pins", "33", "--velocity-weight", "2",
             "--joint", "right_hand", "--joint", "head", "--time-weight", "0.2", "--root-weight", "0.5", "--dims", "4",
             "--tolerance", "4"]  # fmt: skip
    summary = told(capsys, "sample:pitch", *given)
    result = keyposes(
        sample("pitch"), solver="optimal", measure="sum", max_gap=20, pins=(33,), velocity_weight=2.0,
        joints=("right_hand", "head"), time_weight=0.2, root_weight=0.5, dims=4, tolerance=4.0,
    )  # fmt: skip
    assert summary["frames"] == result.frames.tolist()
    assert 33 in summary["frames"]


def test_it_writes_motion_sheet_strip_and_charts(capsys: Printed, tmp_path: Path) -> None:
    text = said(
        capsys, "keyposes", "sample:pitch", "-o", "keys.bvh", "--sheet", "keys.xdts", "--sheet", "print.svg",
        "--strip", "poses.png", "--strip", "poses.svg", "--chart", "curve.svg", "--chart", "curve.png", "--count", "9",
    )  # fmt: skip
    result = keyposes(sample("pitch"), count=9)
    assert same_places("keys.bvh", result.motion)
    assert load_sheet("keys.xdts").source.tolist() == result.sheet.source.tolist()
    assert Path("poses.png").read_bytes()[:4] == b"\x89PNG"
    assert Path("poses.svg").read_text().count("</text>") >= 9
    assert "9 keys" in Path("curve.svg").read_text()
    assert text.count("written") == 7
    assert "9, frames: 0, " in text
    assert "times the optimum" in text


def test_held_frames_keep_the_rows_of_the_file(capsys: Printed) -> None:
    save(sample("pitch"), "clip.bvh")
    said(capsys, "keyposes", "clip.bvh", "-o", "keys.bvh", "--count", "9", "--keep-first")
    rows = Path("keys.bvh").read_text().split("Frame Time:")[1].splitlines()[1:]
    assert set(rows) <= set(Path("clip.bvh").read_text().splitlines())
    assert 2 <= len(set(rows)) <= 9


def test_curves_between_keys_are_written(capsys: Printed) -> None:
    text = said(capsys, "keyposes", "sample:pitch", "-o", "curves.bvh", "--interpolation", "bezier", "--count", "20")
    made = keyposes(sample("pitch"), count=20).keyed("bezier")
    assert same_places("curves.bvh", made.motion())
    assert f"bezier keys; largest deviation {made.worst_mm:.0f} mm" in text


def test_japanese_is_spoken(capsys: Printed) -> None:
    text = said(capsys, "keyposes", "sample:pitch", "--chart", "c.svg", "--lang", "ja")
    assert "キー" in text
    assert "最適解の" in text
    assert "モーションカーブ" in Path("c.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["sample:pitch"], "name a file to write"),
        (["sample:pitch", "-o", "out.bvh", "--count", "1"], "of at least 2"),
        (
            ["sample:pitch", "-o", "out.bvh", "--count", "500"],
            "--count: expected at most one key per frame (129), found 500",
        ),
        (
            ["sample:pitch", "-o", "out.bvh", "--pins", "500"],
            "--pins: expected frames of the motion, 0 to 128, found 500",
        ),
        (
            ["sample:pitch", "-o", "out.bvh", "--velocity-weight", "much"],
            "expected balanced, per-frame, per-second or a number",
        ),
        (
            ["sample:pitch", "-o", "out.bvh", "--velocity-weight", "-1"],
            "expected balanced, per-frame, per-second or a number",
        ),
        (["sample:pitch", "-o", "out.bvh", "--joint", "nose"], "found 'nose'"),
        (["sample:pitch", "--strip", "out.gif"], "--strip: expected a file name that ends in"),
        (["sample:pitch", "--count", "4", "--tolerance", "1", "--json"], "give either count or tolerance"),
        (["nothing.bvh", "--json"], "nothing.bvh"),
    ],
)
def test_mistakes_are_told_in_one_line(capsys: Printed, args: list[str], words: str) -> None:
    assert words in refused(capsys, *args)
    assert not Path("out.bvh").exists()


def test_a_long_strip_has_several_rows(capsys: Printed) -> None:
    from komadori.render.keyposes import POSES_IN_ROW, key_strip

    few, many = keyposes(sample("pitch"), count=8), keyposes(sample("pitch"), count=POSES_IN_ROW + 4)
    assert key_strip(many).height > 1.9 * key_strip(few).height
    assert np.isfinite(key_strip(many).width)
