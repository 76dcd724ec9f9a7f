"""`komadori measure`: one clip, a library, tables and pictures, and what cannot be measured."""

from __future__ import annotations

import csv
import json
import sqlite3
from pathlib import Path

import pytest

import komadori
from komadori.characters import sample
from komadori.cli import run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("walk", "kick"):
        komadori.save(sample(name), tmp_path / "clips" / f"{name}.bvh")
    (tmp_path / "clips" / "broken.bvh").write_text("HIERARCHY\nROOT\n")
    (tmp_path / "clips" / "notes.txt").write_text("not a clip")
    return tmp_path / "clips"


def test_one_clip_is_told_in_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["measure", "sample:walk"]) == 0
    out = capsys.readouterr().out
    assert "skating" in out
    assert "mm/s" in out
    assert run(["measure", "sample:walk", "--lang", "ja"]) == 0
    assert "足滑り" in capsys.readouterr().out


def test_a_library_is_measured_past_what_is_broken(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table, chart = folder.parent / "m.csv", folder.parent / "m.svg"
    assert run(["measure", str(folder), "-o", str(table), "--chart", str(chart)]) == 1
    told = capsys.readouterr()
    assert told.err.count("\n") == 1
    assert "broken.bvh" in told.err
    rows = {row["clip"]: row for row in csv.DictReader(table.read_text(encoding="utf-8").splitlines())}
    assert list(rows) == ["broken", "kick", "walk"]
    assert rows["broken"]["error"]
    assert not rows["broken"]["skating"]
    clip = komadori.load(folder / "kick.bvh")
    assert float(rows["kick"]["skating"]) == pytest.approx(komadori.measure(clip)["skating"].value)
    drawn = chart.read_text(encoding="utf-8")
    assert "skating" in drawn
    assert "2 clips" in drawn, "what could not be measured is not among the marks"


def test_tables_of_every_kind_hold_the_same(folder: Path) -> None:
    (folder / "broken.bvh").unlink()
    for suffix in (".csv", ".sqlite", ".parquet"):
        assert run(["measure", str(folder), "-o", str(folder.parent / f"m{suffix}")]) == 0
    wanted = [
        (row["clip"], float(row["jerk"])) for row in csv.DictReader((folder.parent / "m.csv").read_text().splitlines())
    ]
    base = sqlite3.connect(folder.parent / "m.sqlite")
    assert base.execute("SELECT clip, jerk FROM clips ORDER BY clip").fetchall() == wanted
    base.close()
    parquet = pytest.importorskip("pyarrow.parquet")
    held = parquet.read_table(folder.parent / "m.parquet").to_pylist()
    assert [(row["clip"], row["jerk"]) for row in held] == wanted


def test_the_result_is_compared_with_its_capture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, sheet = tmp_path / "l.bvh", tmp_path / "l.xdts"
    assert run(["limited", "sample:kick", "-o", str(out), "--sheet", str(sheet), "--hold", "20"]) == 0
    capsys.readouterr()
    captured = tmp_path / "kick.bvh"
    komadori.save(sample("kick"), captured)
    assert run(["measure", str(out), "--against", str(captured), "--sheet", str(sheet), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["clips"]
    assert row["hold_error"] > 0.0
    assert 0.5 < row["contact_accuracy"] <= 1.0


@pytest.mark.parametrize(
    ("args", "status", "words"),
    [
        (["nothing-here"], 1, "File not found"),
        (["empty"], 2, "in 'empty'"),
        (["sample:walk", "sample:kick", "--against", "sample:walk"], 2, "one clip to compare"),
        (["sample:walk", "--sheet", "x.xdts"], 2, "--against"),
        (["sample:walk", "-o", "x.txt"], 2, ".csv"),
    ],
)
def test_wrong_calls_get_one_line(
    args: list[str],
    status: int,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    assert run(["measure", *args]) == status
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1
