"""The table of formats: suffixes decide, and what cannot be is refused with the suffixes that can."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import komadori
from komadori.errors import FormatError, OptionError
from komadori.formats import FORMATS, load, load_sheet, load_sheets, save, suffixes
from komadori.motion import Motion
from komadori.skeleton import Skeleton
from komadori.timesheet import Timesheet

from realdata import real

SHEET = Timesheet(24, [0, 0, 3, 3, 3, 9])


def small_motion(frames: int = 4) -> Motion:
    skeleton = Skeleton(("Hips", "Spine", "Spine_end"), np.array([-1, 0, 1]), [[0, 0.9, 0], [0, 0.3, 0], [0, 0.5, 0]])
    rotations = np.zeros((frames, 3, 4))
    rotations[..., 3] = 1.0
    return Motion(skeleton, 24, rotations, np.broadcast_to(skeleton.offsets, (frames, 3, 3)))


def test_no_suffix_belongs_to_two_formats() -> None:
    known = [suffix for entry in FORMATS for suffix in entry.suffixes]
    assert len(set(known)) == len(known)
    assert all(suffix == suffix.lower() and suffix.startswith(".") for suffix in known)
    for entry in FORMATS:
        assert entry.read or entry.read_sheets, f"{entry.name} can do nothing"


def test_a_motion_is_saved_and_loaded(tmp_path: Path) -> None:
    save(small_motion(), tmp_path / "a" / "walk.BVH")
    back = load(str(tmp_path / "a" / "walk.BVH"), unit="cm")
    assert np.allclose(back.world_positions(), small_motion().world_positions(), atol=1e-12)
    assert back.skeleton.names == ("Hips", "Spine", "Spine_end")


@pytest.mark.parametrize("suffix", suffixes("write_sheets"))
def test_a_sheet_is_saved_and_loaded(suffix: str, tmp_path: Path) -> None:
    save(SHEET, tmp_path / f"one{suffix}")
    assert load_sheet(tmp_path / f"one{suffix}") == SHEET
    assert load_sheets(tmp_path / f"one{suffix}") == {"A": SHEET}
    two = {"body": SHEET, "hair": Timesheet(24, [0, 1, 2, 3, 4, 5])}
    save(two, tmp_path / f"two{suffix}")
    assert load_sheets(tmp_path / f"two{suffix}") == two
    assert load_sheet(tmp_path / f"two{suffix}", "hair") == two["hair"]
    with pytest.raises(FormatError, match="'body', 'hair'"):
        load_sheet(tmp_path / f"two{suffix}")
    with pytest.raises(FormatError, match="the track 'tail'"):
        load_sheet(tmp_path / f"two{suffix}", "tail")


@pytest.mark.parametrize("name", ["walk", "walk.txt", "walk.xdts", ".bvh"])
def test_an_unknown_suffix_names_the_known_ones(name: str, tmp_path: Path) -> None:
    for attempt in (lambda: load(tmp_path / name), lambda: save(small_motion(), tmp_path / name)):
        with pytest.raises(FormatError, match=r"\.bvh") as caught:
            attempt()
        assert "\n" not in str(caught.value)
    assert not (tmp_path / name).exists()


def test_a_motion_file_holds_no_sheets(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"\.xdts"):
        save(SHEET, tmp_path / "walk.bvh")
    with pytest.raises(FormatError, match=r"\.xdts"):
        load_sheet(tmp_path / "walk.bvh")


def test_other_things_cannot_be_saved(tmp_path: Path) -> None:
    for thing in (3, {"A": 3}, None):
        with pytest.raises(OptionError):
            save(thing, tmp_path / "a.xdts")  # type: ignore[arg-type]


def test_a_unit_must_be_known_and_missing(tmp_path: Path) -> None:
    save(small_motion(), tmp_path / "a.bvh")
    with pytest.raises(OptionError, match="mm"):
        load(tmp_path / "a.bvh", unit="furlong")
    with pytest.raises(OptionError, match="its own unit"):
        load(tmp_path / "a.amc", unit="cm")


def test_roles_are_found() -> None:
    motion = komadori.load(real("human_cmu_bvh/02_01.bvh"))
    assert motion.skeleton.names[motion.skeleton.roles["left_hand"]] == "LeftHand"


def test_the_public_names_are_these() -> None:
    assert komadori.load is load
    assert komadori.save is save
    assert komadori.load_sheet is load_sheet


def test_a_format_is_imported_when_it_is_used() -> None:
    code = "import sys, komadori.formats; sys.exit(any(m.startswith('komadori.formats.bvh') for m in sys.modules))"
    subprocess.run([sys.executable, "-c", code], check=True)
