"""`make clips` in small: every column is measured, a limit that is passed fails, and one bad clip is a row."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import komadori
from bench import clips_all, clips_made
from bench.clips_all import main, measured_apart, shown
from bench.clips_hair import before_face
from bench.clips_measures import Measured, measured
from bench.clips_table import COLUMNS, Column, Limits, failures, half
from komadori import quat
from komadori.characters import character, sample
from komadori.pipeline import LOOKS

from realdata import real


def run(folder: Path, out: Path, *words: str) -> int:
    return main([str(folder), f"--out={out}", "--jobs=1", *words])


def written(path: Path) -> dict[str, dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return {row["clip"]: row for row in csv.DictReader(file)}


def test_a_clip_is_measured_by_every_column_and_a_bad_one_is_a_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clips = tmp_path / "given"
    komadori.save(sample("kick"), clips / "good.bvh")
    (clips / "bad.bvh").write_text("HIERARCHY\nROOT Hips\n{\n")
    words = ("--only=*.bvh", "--seconds=2", "--limit=size=1")
    assert run(clips, tmp_path, *words) == 1
    said = capsys.readouterr().out
    assert "bad.bvh: refused: bad.bvh" in said
    rows = written(tmp_path / "clips.csv")
    assert rows["bad.bvh"]["error"]
    assert rows["good.bvh"]["cut"] == "1"
    assert int(rows["good.bvh"]["frames"]) == 48
    blank = [name for name in (column.name for column in COLUMNS) if not rows["good.bvh"][name]]
    assert blank == ["truth"]
    page = (tmp_path / "clips.md").read_text(encoding="utf-8")
    assert "good.bvh" in page
    assert "No films were drawn" in page
    # With the bad one excused nothing is past a limit; with a limit of 0 the good one is.
    # Neither is measured again, for which there would be no time.
    again = ("--resume", "--timeout=0.001")
    assert run(clips, tmp_path, *words, *again, "--excuse=refused=bad.bvh") == 0
    assert run(clips, tmp_path, *again, "--only=good.bvh", "--limit=size=1", "--limit=time=0") == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("  good.bvh: time: ")
    assert last.endswith(", at most 0.0 ms")


def test_a_clip_that_takes_too_long_is_a_row(tmp_path: Path) -> None:
    row = measured_apart("sample:kick", tmp_path, timeout_s=0.01)
    assert row.error == "not done after 0.01 s"
    assert not row.refused
    assert failures([row], Limits()) == ["sample:kick: failed: not done after 0.01 s"]


def test_a_crash_is_a_row_even_where_a_refusal_is_excused(tmp_path: Path) -> None:
    row = measured_apart("made:no such name", tmp_path)
    assert row.error == "KeyError: 'no such name'"
    assert failures([row], Limits(), [("refused", "*")])


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.name)
def test_every_column_fails_past_its_limit(column: Column) -> None:
    for value, past in ((column.high, 1.01), (column.low, 0.99)):
        if value is None:
            continue
        row = Measured("clip.bvh", "biped", values={column.name: value})
        assert failures([row], Limits()) == []
        (line,) = failures([Measured("clip.bvh", "biped", values={column.name: value * past})], Limits())
        assert line.startswith(f"clip.bvh: {column.title}: ")
        assert failures([Measured("clip.bvh", "biped", values={column.name: float("nan")})], Limits())


def test_too_many_lost_peaks_fail_over_all_clips() -> None:
    few = [Measured("a", peaks={look: [100, 1, 0] for look in LOOKS})]
    assert failures(few, Limits()) == []
    many = [*few, Measured("b", peaks={look: [20, 2, 0] for look in LOOKS})]
    assert [line.partition(",")[0] for line in failures(many, Limits())] == ["all clips: peaks"] * len(LOOKS)


def test_made_clips_know_their_truth(tmp_path: Path) -> None:
    row = measured("made:-Z up, left-handed", tmp_path)
    assert row.told["up"] == "-Z, left-handed"
    assert row.values["truth"] == pytest.approx(0.0, abs=1e-6)
    truth = sample("kick")
    mirrored = truth.replaced(positions=truth.positions * [-1.0, 1.0, 1.0])
    for other in (mirrored, clips_made._in_unit(truth, "inch"), clips_made._in_world(truth, "Z")):
        assert clips_made.apart_m(other, truth) > 0.05
    # Which way is ahead and where 0 is are free.
    quarter = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.pi / 2.0)
    rotations, positions = np.array(truth.rotations), np.array(truth.positions)
    rotations[:, 0] = quat.multiply(quarter, rotations[:, 0])
    positions[:, 0] = quat.rotate(quarter, positions[:, 0]) + np.array([3.0, 1.0, -2.0])
    assert clips_made.apart_m(truth.replaced(rotations=rotations, positions=positions), truth) < 1e-9


def test_names_are_scored_and_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, tmp_path, "--only=names:German*") == 0
    assert run(tmp_path, tmp_path, "--only=names:German*", "--limit=names=1.01") == 1
    assert "names:German: roles: " in capsys.readouterr().out


def test_an_unknown_column_or_folder_is_wrong_usage(tmp_path: Path) -> None:
    assert run(tmp_path, tmp_path, "--limit=nothing=1") == 2
    assert run(tmp_path / "none", tmp_path) == 2


def test_figures_of_clips_whose_licence_forbids_it_stay_out_of_the_page(tmp_path: Path) -> None:
    lines = ["path\tsource\tlicence", "a/one.bvh\tx\tCC BY-NC 4.0", "a/two.bvh\tNC\tMIT"]
    (tmp_path / "MANIFEST.tsv").write_text("\n".join(lines))
    assert shown(tmp_path, ["a/one.bvh", "a/two.bvh", "b_NC/three.bvh"]) == ["a/two.bvh"]


def test_a_clip_in_which_nothing_moves_must_be_refused(tmp_path: Path) -> None:
    row = measured("made:stands still", tmp_path)
    assert row.refused
    assert failures([row], Limits()) == []
    assert failures([Measured("made:stands still")], Limits())


def test_halves() -> None:
    assert half("human_cmu_bvh/02_01.bvh") == "tuned"
    assert half("odd_bvh/bvhtoolbox_walk01.bvh") == half("elsewhere/02_01.bvh") == "aside"


@pytest.mark.parametrize("name", ["human_cmu_bvh/144_05.bvh", "quadruped_gltf/Fox.glb", "character_mmd/Gene/Gene.pmx"])
def test_real_clips_keep_the_limits(name: str) -> None:
    folder = real(name).parents[len(Path(name).parts) - 1]
    row = measured(name, folder, seconds=3.0)
    assert not row.error
    assert row.values["roles"] == 1.0
    # Work and pictures are looked at by the program itself: a busy machine must not fail a test.
    kept = tuple(column for column in COLUMNS if column.name not in ("time", "size"))
    assert failures([row], Limits(kept)) == []


def test_files_are_found_by_what_can_be_read(tmp_path: Path) -> None:
    for name in ("b/walk.BVH", "a.vrm", "skeleton.asf", "notes.txt", "sheet.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert clips_all.clips_in(tmp_path) == ["a.vrm", "b/walk.BVH"]


@pytest.mark.parametrize("name", ["falls on the back", "falls on the face"])
def test_who_falls_and_lies_for_most_of_a_clip_still_stands_along_y(name: str, tmp_path: Path) -> None:
    path, truth = clips_made.written(name, tmp_path)
    found = komadori.load(path)
    assert clips_made.apart_m(found, truth) < 0.01
    # Lying, with nothing of body or hair below the floor.
    row = measured(f"{clips_made.PREFIX}{name}", tmp_path)
    for column, most in (("floor", 1.5), ("hair_floor", 1.5), ("face", 2.0)):
        value = row.values[column]
        assert value is not None
        assert value < most, column


def test_hair_that_air_blows_before_the_face_counts_and_what_the_head_throws_there_does_not() -> None:
    girl = character("girl")
    still = komadori.retarget(sample("pitch"), girl).motion.taken(np.zeros(48, dtype=int))

    def share(motion: komadori.Motion, wind: float) -> tuple[float, float]:
        moved = komadori.hair(girl, motion, wind=(0.0, 0.0, wind)).motion
        return before_face(girl, *moved.world_transforms(), moved.fps)

    ahead = quat.rotate(still.world_transforms()[0][0, girl.skeleton.roles["hips"]], np.array([0.0, 0.0, 1.0]))[2]
    assert share(still, -2.0 * np.sign(ahead)) == (0.0, 0.0)
    blown, _ = share(still, 12.0 * np.sign(ahead))
    assert blown > 0.9
    # Back she goes by 2 m in a quarter of a second, and stops: the hair flies ahead, and may.
    positions = np.array(still.positions)
    positions[:, 0, 2] -= np.sign(ahead) * 2.0 * np.clip((np.arange(48) - 20) / 6.0, 0.0, 1.0)
    blown, every = share(still.replaced(positions=positions), 0.0)
    assert every > 0.02
    assert blown < 0.5 * every
