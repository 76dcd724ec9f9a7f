"""`komadori anime` and `komadori looks`, as they are typed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from cli_running import komadori, names, only_line

from komadori import Recipe, look, save
from komadori.characters import sample
from komadori.pipeline import LOOKS

pytest.importorskip("av", reason="films need PyAV")

SMALL = ("--size", "32x32")


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("clips") / "my kick.bvh"
    save(sample("kick")[40:64], path)
    return path


def test_two_runs_write_the_same_bytes_and_nothing_of_the_machine(clip: Path, tmp_path: Path) -> None:
    for out in ("one", "two"):
        told = komadori("anime", clip, "--character", "girl", "-o", tmp_path / out, "--also", "bvh,vmd", *SMALL)
        assert told.returncode == 0, told.stderr
    expected = ["bvh", "glb", "mp4", "pdf", "vmd", "xdts"]
    assert names(tmp_path / "one") == [*(f"my kick.{suffix}" for suffix in expected), "poster.png", "report.html"]
    for name in names(tmp_path / "one"):
        data = (tmp_path / "one" / name).read_bytes()
        assert data == (tmp_path / "two" / name).read_bytes()
        assert str(tmp_path).encode() not in data
        assert str(clip.parent).encode() not in data
    assert (tmp_path / "one" / "report.html").read_text(encoding="utf-8").count("my%20kick.glb") == 1


def test_the_summary_for_programs_and_for_people(clip: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "mine.toml"
    recipe.write_text(look("snappy").toml(), encoding="utf-8")
    told = komadori("anime", clip, "--look", recipe, "-o", "out", "--json", *SMALL, cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    summary = json.loads(told.stdout)
    assert summary["look"] == "mine"
    assert Recipe.parse(summary["recipe"]) == look("snappy")
    assert summary["frames"] == 24
    assert summary["drawings"] == len(set(summary["sheets"]["A"]))
    assert summary["foot_slip_after"]["mean_cm"] >= 0.0
    assert summary["outputs"][0] == "out/report.html"
    japanese = komadori("anime", clip, "--lang", "ja", "-o", "out", *SMALL, cwd=tmp_path)
    assert "ルック：tv" in japanese.stdout
    assert '<html lang="ja">' in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("args", "status", "says"),
    [
        (("--look", "tvv"), 2, "--look: expected one of tv, film, snappy, subtle"),
        (("--look", "none.toml"), 1, "File not found: none.toml"),
        (("--look", "bad.toml"), 1, "bad.toml, line 3: expected omit to be a whole number, found 'x'"),
        (("--also", "bvh,doc"), 2, "--also: expected formats among bvh"),
        (("--size", "33x32"), 2, "--size: expected an even width and height"),
        (("--camera", "above"), 2, "--camera: expected one of front"),
        (("--character", "nobody"), 1, "File not found: nobody; name a character file, or one of"),
        (("-o", "bad.toml"), 1, "this is a file; name a folder"),
    ],
)
def test_what_is_wrong_ends_in_one_line_before_any_work(
    clip: Path, tmp_path: Path, args: tuple[str, ...], status: int, says: str
) -> None:
    (tmp_path / "bad.toml").write_text('[[step]]\nuse = "limited"\nomit = "x"\n', encoding="utf-8")
    told = komadori("anime", clip, "-o", "out", *args, cwd=tmp_path)
    assert told.returncode == status
    assert says in only_line(told)
    assert names(tmp_path) == ["bad.toml"]


def test_the_input_is_never_written_over(clip: Path, tmp_path: Path) -> None:
    own = tmp_path / "kick.bvh"
    own.write_bytes(clip.read_bytes())
    told = komadori("anime", own, "-o", tmp_path, "--also", "bvh", *SMALL)
    assert told.returncode == 2
    assert "is also an input" in only_line(told)
    assert names(tmp_path) == ["kick.bvh"]


def test_looks_are_listed_and_printed() -> None:
    listed = komadori("looks")
    assert listed.returncode == 0
    assert [line.split()[0] for line in listed.stdout.splitlines()[: len(LOOKS)]] == list(LOOKS)
    assert "テレビ" in komadori("looks", "--lang", "ja").stdout
    for name in LOOKS:
        assert Recipe.parse(komadori("looks", name).stdout) == look(name)
    assert json.loads(komadori("looks", "--json").stdout) == {name: look(name).about for name in LOOKS}
    assert "look: expected one of tv, film, snappy, subtle, found 'x'" in only_line(komadori("looks", "x"))


@pytest.mark.skipif(sys.platform != "linux", reason="only some systems take names that are no text")
def test_a_name_that_is_not_utf_8_is_no_bug(tmp_path: Path) -> None:
    clip = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe.bvh"))
    save(sample("pitch")[:8], clip)
    command = [sys.executable, "-m", "komadori", "anime", clip, "--size", "64x64", "-o", str(tmp_path / "out")]
    result = subprocess.run(command, capture_output=True, check=False)
    assert result.returncode == 0, result.stderr.decode()
    assert len(list((tmp_path / "out").iterdir())) > 3
