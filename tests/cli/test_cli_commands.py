"""The commands: they do what the library does, say so in both languages, and write what was asked for."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli_running import COMMAND, environment, komadori, names, only_line
from click import Context

from komadori.camera import Camera
from komadori.characters.samples import SAMPLES, sample
from komadori.cli import run
from komadori.cli.commands import PROGRAM, commands
from komadori.cli.options import flag
from komadori.formats import load, load_sheet, save
from komadori.methods.limited import LimitedOptions, limited
from komadori.parameters import parameters_of
from komadori.timesheet import Timesheet

from realdata import real

Printed = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def in_english(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KOMADORI_LANG", "en")
    monkeypatch.chdir(tmp_path)


def said(capsys: Printed, *args: str | Path) -> str:
    status = run([str(arg) for arg in args])
    out, err = capsys.readouterr()
    assert (status, err) == (0, "")
    return out


def told(capsys: Printed, *args: str | Path) -> Any:
    return json.loads(said(capsys, *args, "--json"))


# The program


NUMPY_STAYS_OUT = """
import sys
from komadori.cli import run
run({args})
sys.exit("numpy" in sys.modules)
"""


@pytest.mark.parametrize("args", [["--help"], ["--version"], ["--help", "--lang", "ja"], []])
def test_the_first_page_does_not_wait_for_numpy(args: list[str]) -> None:
    script = NUMPY_STAYS_OUT.format(args=args)
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("name", commands())
def test_the_table_and_the_command_say_the_same(capsys: Printed, name: str) -> None:
    command = PROGRAM.get_command(Context(PROGRAM), name)
    assert command is not None
    assert command.name == name
    assert command.help is not None
    assert command.help.split("\n\n")[0] == commands()[name]
    page = said(capsys, name, "--help")
    assert page.startswith(f"Usage: komadori {name}")
    assert max(map(len, page.splitlines())) <= 80
    assert said(capsys, name, "--help", "--lang", "ja").startswith(f"使い方：komadori {name}")


def test_the_version_is_the_packages(capsys: Printed) -> None:
    import komadori

    assert said(capsys, "--version") == f"komadori {komadori.__version__}\n"


def test_no_command_shows_the_page(capsys: Printed) -> None:
    assert said(capsys) == said(capsys, "--help")


# limited


def test_every_parameter_of_the_method_has_its_option() -> None:
    command = PROGRAM.get_command(Context(PROGRAM), "limited")
    assert command is not None
    flags = {name for option in command.params for name in option.opts}
    wanted = {flag(item.name) for item in parameters_of(LimitedOptions) if item.faces}
    assert len(wanted) >= 10
    assert wanted | {"--camera", "--fps", "--keep-first", "--sheet", "--chart", "--json", "-o"} <= flags


@pytest.mark.parametrize(
    ("args", "options"),
    [
        ([], {}),
        (["--omit", "6", "--hold", "20", "--max-exposures", "2"], {"omit": 6, "hold": 20, "max_exposures": 2}),
        (["--no-keep-length", "--omit", "9"], {"keep_length": False, "omit": 9}),
        (["--solver", "optimal", "--pins", "3,17", "--pins", "40"], {"solver": "optimal", "pins": (3, 17, 40)}),
        (["--solver", "uniform"], {"solver": "uniform"}),
        (["--actions", "--max-drift", "4"], {"actions": True, "max_drift": 4}),
        (["--cuts", "30,60", "--action-omits", "1,2,3"], {"cuts": (30, 60), "action_omits": (1, 2, 3)}),
    ],
)
def test_limited_is_the_librarys_limited(capsys: Printed, args: list[str], options: dict[str, Any]) -> None:
    summary = told(capsys, "limited", "sample:kick", *args)
    result = limited(sample("kick").prepared(fps=24), **options)
    assert summary["source"] == result.sheet.source.tolist()
    assert summary["frames"] == len(result.sheet)
    assert (summary["omitted"], summary["held"]) == (result.omitted, result.held)
    assert summary["drawings"] == result.drawings
    assert (summary["error"], summary["ratio"]) == (result.error, result.ratio)
    assert summary["notes"] == [str(note) for note in result.notes]
    assert summary["outputs"] == []


def test_a_camera_comes_from_its_file(capsys: Printed, tmp_path: Path) -> None:
    view = {"position": [4, 1, 1], "target": [0, 1, 0], "fov_deg": 30}
    (tmp_path / "camera.json").write_text(json.dumps(view), encoding="utf-8")
    summary = told(capsys, "limited", "sample:pitch", "--camera", "camera.json")
    camera = Camera(np.array([4, 1, 1]), np.array([0, 1, 0]), fov_deg=30)
    assert summary["source"] == limited(sample("pitch"), camera=camera).sheet.source.tolist()
    assert "camera image" in said(capsys, "limited", "sample:pitch", "--camera", "camera.json", "-o", "out.bvh")


def test_every_output_is_written_and_holds_the_result(capsys: Printed, tmp_path: Path) -> None:
    wishes = ["-o", "new/out.bvh", *(word for s in ("xdts", "csv", "json", "svg") for word in ("--sheet", f"s.{s}"))]
    summary = told(capsys, "limited", "sample:pitch", *wishes, "--chart", "c.SVG")
    assert summary["outputs"] == ["new/out.bvh", "s.xdts", "s.csv", "s.json", "s.svg", "c.SVG"]
    assert names(tmp_path) == sorted(["new", *summary["outputs"]])
    sheet = Timesheet(24, summary["source"])
    assert all(load_sheet(path) == sheet for path in ("s.xdts", "s.csv", "s.json"))
    written, shown = load("new/out.bvh", unit="cm"), sample("pitch").retimed(sheet)
    order = [written.skeleton.index(name) for name in shown.skeleton.names]
    np.testing.assert_allclose(written.world_positions()[:, order], shown.world_positions(), atol=1e-6)
    assert all(b"<svg" in (tmp_path / name).read_bytes() for name in ("s.svg", "c.SVG"))


def test_a_long_sheet_is_a_file_a_page(capsys: Printed, tmp_path: Path) -> None:
    summary = told(capsys, "limited", "sample:pitch", "--fps", "60", "--sheet", "s.svg")
    assert summary["outputs"] == ["s-1.svg", "s-2.svg", "s-3.svg"] == names(tmp_path)


def test_a_page_that_would_replace_the_input_or_another_output_is_refused(capsys: Printed, tmp_path: Path) -> None:
    args = ["limited", "sample:pitch", "--fps", "60", "--sheet", "s.svg", "--chart", "s-2.svg"]
    assert run(args) == 2
    assert "named twice" in capsys.readouterr().err
    assert names(tmp_path) == []


def test_layers_become_tracks(capsys: Printed) -> None:
    summary = told(capsys, "limited", "sample:walk", "--layers", "parts", "--sheet", "s.xdts")
    tracks = load("s.xdts")
    assert len(tracks) > 3
    assert {name: sheet.source.tolist() for name, sheet in tracks.items()} == summary["layers"]


def test_the_summary_speaks_both_languages_and_json_neither(capsys: Printed) -> None:
    english = said(capsys, "limited", "sample:kick", "-o", "a.bvh")
    japanese = said(capsys, "limited", "sample:kick", "-o", "b.bvh", "--lang", "ja")
    assert "4 in-betweens, frames: " in english
    assert english.isascii() or "m²" in english
    assert "中割り 4 枚" in japanese
    assert len(english.splitlines()) == len(japanese.splitlines())
    assert said(capsys, "limited", "sample:kick", "--json", "--lang", "ja") == said(
        capsys, "limited", "sample:kick", "--json"
    )


def test_the_papers_pitch_with_one_command(capsys: Printed) -> None:
    clip = real("human_cmu_bvh/124_01.bvh")
    args = ["--omit", "4", "--hold", "33", "--sheet", "p.xdts", "--sheet", "p.pdf", "--chart", "p.svg"]
    summary = told(capsys, "limited", clip, "-o", "pitch.bvh", *args)
    assert (summary["frames"], summary["fps"], summary["omitted"], summary["held"]) == (129, 24.0, 4, 33)
    assert any("calibration pose" in note for note in summary["notes"])
    assert Path("p.pdf").read_bytes().startswith(b"%PDF")
    # A frame that is only moved in time keeps its exact numbers.
    rows = [line.split() for line in clip.read_text(encoding="ascii").splitlines() if line.strip()]
    first = next(place for place, row in enumerate(rows) if row[:2] == ["Frame", "Time:"]) + 1
    captured = np.array(rows[first:], dtype=float)[1:]
    written = [line.split() for line in Path("pitch.bvh").read_text(encoding="utf-8").splitlines() if line.strip()]
    shown = np.array(written[-129:], dtype=float)
    np.testing.assert_array_equal(shown, captured[5 * np.array(summary["source"])])
    kept = told(capsys, "limited", clip, "--keep-first")
    assert not any("calibration pose" in note for note in kept["notes"])


# info


def test_info_tells_of_motions(capsys: Printed) -> None:
    facts = told(capsys, "info", "sample:pitch")
    assert (facts["kind"], facts["frames"], facts["fps"], facts["body"]) == ("motion", 129, 24.0, "biped")
    assert facts["roles"]["left_hand"] in sample("pitch").skeleton.names
    assert 1.4 < facts["height_m"] < 2.0
    text = said(capsys, "info", "sample:pitch", "sample:walk")
    assert text.count("sample:") == 2
    assert "129 frames at 24 fps, 5.38 s" in text


def test_info_tells_what_is_odd_about_a_real_clip(capsys: Printed) -> None:
    facts = told(capsys, "info", real("human_cmu_bvh/124_01.bvh"))
    assert (facts["format"], facts["frames"], facts["fps"], facts["frame_time"]) == ("BVH", 644, 120.0, ".0083333")
    assert (facts["joints"], facts["end_sites"]) == (38, 7)
    assert ["frame 0" in note for note in facts["cleaning"]] == [True]


def test_what_asks_nothing_of_the_reader_is_in_the_report_alone(capsys: pytest.CaptureFixture[str]) -> None:
    save(sample("pitch").resampled(60), "pitch.bvh")
    shown = said(capsys, "limited", "pitch.bvh", "-o", "out.bvh", "--unit", "cm")
    told = json.loads(said(capsys, "limited", "pitch.bvh", "-o", "out.bvh", "--unit", "cm", "--json"))
    fact = "Resampled from 60 to 24 fps."
    assert fact in told["notes"]
    assert fact not in shown
    shown = said(capsys, "limited", "pitch.bvh", "-o", "out.bvh")
    assert re.search("note +No unit in the file; assumed centimetres, .* Use --unit to change it", shown)


def test_info_tells_of_sheets(capsys: Printed) -> None:
    save({"A": Timesheet(24, [0, 0, 1, 4, 4, 4]), "B": Timesheet.on(3, 6)}, "s.xdts")
    facts = told(capsys, "info", "s.xdts")
    assert (facts["kind"], facts["format"], facts["frames"]) == ("timesheet", "XDTS", 6)
    assert facts["tracks"]["A"] == {"frames": 6, "drawings": 3, "exposures": {"1": 1, "2": 1, "3": 1}}
    assert "2 drawings; exposure x count: 3 x 2" in said(capsys, "info", "s.xdts")


# convert, samples


def test_converting_keeps_the_exact_numbers(capsys: Printed) -> None:
    said(capsys, "samples", "kick", "-o", "a.bvh", "--fps", "60")
    said(capsys, "convert", "a.bvh", "b.bvh")
    assert Path("b.bvh").read_bytes() == Path("a.bvh").read_bytes()
    said(capsys, "convert", "a.bvh", "-o", "c.bvh", "--fps", "30")
    rows = [
        Path(name).read_text(encoding="utf-8").split("Frame Time:")[1].split("\n")[1:] for name in ("a.bvh", "c.bvh")
    ]
    assert rows[1][:40] == rows[0][::2][:40]


def test_converting_can_prepare(capsys: Printed) -> None:
    clip = real("human_cmu_bvh/124_01.bvh")
    assert "calibration pose" in said(capsys, "convert", clip, "a.bvh", "--prepare", "--fps", "24")
    assert (len(load("a.bvh")), load("a.bvh").fps) == (129, 24.0)
    assert "calibration pose" not in said(capsys, "convert", clip, "b.bvh")
    assert len(load("b.bvh")) == 644


def test_sheets_become_sheets(capsys: Printed) -> None:
    sheets = {"A": Timesheet(24, [0, 0, 1, 4, 4, 4]), "B": Timesheet.on(3, 6)}
    save(sheets, "a.xdts")
    said(capsys, "convert", "a.xdts", "b.csv")
    said(capsys, "convert", "b.csv", "c.json")
    assert load("c.json") == sheets
    assert run(["convert", "a.xdts", "d.csv", "--fps", "12"]) == 2
    assert run(["convert", "a.xdts", "d.bvh"]) == 2
    assert not Path("d.csv").exists()


def test_samples_are_listed_and_written(capsys: Printed) -> None:
    listed = said(capsys, "samples")
    assert list(told(capsys, "samples")) == list(SAMPLES)
    for name in SAMPLES:
        assert name in listed
        said(capsys, "samples", name, "-o", f"{name}.bvh")
        assert len(load(f"{name}.bvh")) == len(sample(name))


# Somebody watches


def test_a_terminal_sees_what_is_going_on_and_a_pipe_does_not() -> None:
    ours, theirs = os.openpty()
    result = subprocess.run(
        [*COMMAND, "info", "sample:kick"], stdout=subprocess.PIPE, stderr=theirs, env=environment(), check=True
    )
    seen = os.read(ours, 10_000)
    os.close(ours)
    os.close(theirs)
    assert seen.startswith(b"\rreading sample:kick")
    assert seen.endswith(b" \r")
    assert b"reading" not in result.stdout


def test_info_tells_of_a_character(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from komadori.characters import character
    from komadori.formats import save

    path = tmp_path / "girl.glb"
    save(character("girl"), path)
    assert run(["info", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["character"]
    assert told["vertices"] > 5000
    assert told["chains"]["hair"] >= 5
    assert run(["info", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "skin" in shown
    assert "chains" in shown


def test_convert_keeps_a_character_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from komadori.characters import character
    from komadori.formats import load_character

    horse = tmp_path / "horse.glb"
    save(character("horse"), horse)
    assert run(["convert", str(horse), str(tmp_path / "horse.gltf")]) == 0
    back = load_character(tmp_path / "horse.gltf")
    assert len(back.meshes[0].vertices) == len(load_character(horse).meshes[0].vertices)
    assert set(back.motions) == {"walk", "trot"}
    assert run(["convert", f"{horse}#trot", str(tmp_path / "trot.bvh")]) == 0
    assert len(load(tmp_path / "trot.bvh")) == len(back.motions["trot"])
    assert run(["convert", f"{horse}#canter", str(tmp_path / "canter.bvh")]) == 2
    assert "walk" in capsys.readouterr().err


@pytest.mark.parametrize(
    "args",
    [
        ("retarget", "sample:walk", "--to", ""),
        ("quadruped", "sample:walk", "--animal", ""),
        ("hair", ""),
        ("limited", ""),
    ],
    ids=lambda args: args[0],
)
def test_an_empty_name_is_one_line_that_shows_it(args: tuple[str, ...], tmp_path: Path) -> None:
    result = komadori(*args, "-o", tmp_path / "out.glb")
    assert result.returncode in (1, 2)
    assert only_line(result).startswith("komadori: ''")
    assert not list(tmp_path.iterdir())
