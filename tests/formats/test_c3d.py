"""C3D: markers are where the file says, gaps are known, and a bad file harms nobody."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from extras import damaged, needs
from hypothesis import given
from hypothesis import strategies as st

from komadori import formats
from komadori.errors import FormatError, OptionError
from komadori.formats import c3d

from realdata import real

with_c3d = needs("ezc3d")
REAL = "misc_c3d/pyomeca_markers_analogs.c3d"


def made(path: Path, units: str = "mm", y_screen: str = "", x_screen: str = "", rate: float = 120.0) -> Path:
    """Three markers over five frames: a rises along the file's Z by 100 a frame, b has a gap, c is never seen."""
    import ezc3d

    file = ezc3d.c3d()
    file["parameters"]["POINT"]["RATE"]["value"] = [rate]
    file["parameters"]["POINT"]["LABELS"]["value"] = ["a", "b", "c"]
    file["parameters"]["POINT"]["UNITS"]["value"] = [units]
    for key, axis in (("X_SCREEN", x_screen), ("Y_SCREEN", y_screen)):
        if axis:
            file.add_parameter("POINT", key, [axis])
    points = np.zeros((4, 3, 5))
    points[3] = 1.0
    points[2, 0] = 100.0 * np.arange(5)
    points[0, 1] = [0, 10, 20, 30, 40]
    points[:, 1, 2:4] = np.nan
    points[:, 2] = np.nan
    file["data"]["points"] = points
    file.write(str(path))
    return path


@with_c3d
def test_a_real_file() -> None:
    import ezc3d

    path = real(REAL)
    markers = c3d.read(path)
    theirs = ezc3d.c3d(str(path))["data"]["points"]
    assert (len(markers), len(markers.names), markers.fps) == (580, 51, 100.0)
    assert markers.names[0] == "boite:gauche_ext"
    assert (~markers.valid).sum() == np.isnan(theirs).any(axis=0).sum() == 305
    # Millimetres with Z up in the file.
    wanted = np.stack([theirs[0], theirs[2], -theirs[1]], axis=-1).transpose(1, 0, 2) / 1000.0
    assert np.allclose(markers.positions, wanted, equal_nan=True, atol=1e-9)
    assert np.isnan(markers.positions[~markers.valid]).all()


@with_c3d
def test_markers_as_a_motion() -> None:
    motion = formats.load(real(REAL))
    assert (motion.skeleton.parents == -1).all()
    assert np.isfinite(motion.positions).all()
    markers = c3d.read(real(REAL))
    assert np.array_equal(motion.world_positions()[markers.valid], markers.positions[markers.valid])
    assert "51 markers" in motion.notes[0]
    assert "13 markers have gaps. 305 positions" in motion.notes[1]


@with_c3d
def test_gaps_are_bridged_and_noted(tmp_path: Path) -> None:
    markers = c3d.read(made(tmp_path / "a.c3d", y_screen="+Z"))
    assert markers.valid[:, 1].tolist() == [True, True, False, False, True]
    assert not markers.valid[:, 2].any()
    motion = c3d.read_motion(tmp_path / "a.c3d")
    assert motion.skeleton.names == ("a", "b")
    assert np.allclose(motion.positions[:, 1, 0], [0, 0.01, 0.02, 0.03, 0.04])
    assert any("never visible" in note and "c" in note for note in motion.notes)
    assert any("1 marker has gaps. 2 positions" in note for note in motion.notes)


@with_c3d
@pytest.mark.parametrize(
    ("units", "metres"), [("mm", 0.4), ("cm", 4.0), ("m", 400.0), ("M", 400.0), ("", 0.4), ("parsec", 0.4)]
)
def test_units(units: str, metres: float, tmp_path: Path) -> None:
    markers = c3d.read(made(tmp_path / "a.c3d", units, "+Z", "+X"))
    assert np.isclose(markers.positions[-1, 0, 1], metres)
    assert any("millimetres" in note for note in markers.notes) == (units in ("", "parsec"))


@with_c3d
@pytest.mark.parametrize(
    ("x_screen", "y_screen", "place"),
    [
        ("", "", (0, 0.4, 0)),
        ("+X", "+Z", (0, 0.4, 0)),
        ("+Y", "+Z", (0, 0.4, 0)),
        ("+X", "-Z", (0, -0.4, 0)),
        ("+X", "+Y", (0, 0, 0.4)),
        ("+Z", "+Y", (0.4, 0, 0)),
        ("", "+Y", (0, 0, 0.4)),
        ("sideways", "Z", (0, 0.4, 0)),
    ],
)
def test_which_way_is_up(x_screen: str, y_screen: str, place: tuple[float, ...], tmp_path: Path) -> None:
    markers = c3d.read(made(tmp_path / "a.c3d", "mm", y_screen, x_screen))
    assert np.allclose(markers.positions[-1, 0], place)
    assert any("No up axis" in note for note in markers.notes) == (not y_screen)


@given(st.sampled_from(["+", "-", ""]), st.sampled_from("XYZ"), st.sampled_from(["", "+X", "-Y", "Z", "no"]))
def test_standing_up_never_mirrors(sign: str, up: str, right: str) -> None:
    turn = c3d._upright({"Y_SCREEN": {"value": [sign + up]}, "X_SCREEN": {"value": [right]}}, [])
    assert np.isclose(np.linalg.det(turn), 1.0)
    assert np.allclose(turn @ turn.T, np.eye(3))
    upwards = np.zeros(3)
    upwards["XYZ".index(up)] = -1.0 if sign == "-" else 1.0
    assert np.allclose(turn @ upwards, [0.0, 1.0, 0.0])


@with_c3d
def test_damaged_files_give_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    whole = made(tmp_path / "whole.c3d").read_bytes()
    lines = []
    for number, spoilt in enumerate(damaged(whole, 16)):
        (tmp_path / f"{number}.c3d").write_bytes(spoilt)
        try:
            c3d.read(tmp_path / f"{number}.c3d")
        except FormatError as error:
            lines.append(str(error))
    assert lines
    assert not any("\n" in line for line in lines)
    assert capfd.readouterr() == ("", "")


@with_c3d
def test_other_files_are_refused(tmp_path: Path) -> None:
    for name, data in (("empty.c3d", b""), ("text.c3d", b"HIERARCHY\n" * 100)):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(FormatError, match="signature 0x50"):
            c3d.read(tmp_path / name)
    with pytest.raises(FormatError, match="File not found"):
        c3d.read(tmp_path / "none.c3d")


@with_c3d
def test_it_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="C3D is read only"):
        formats.save(c3d.read_motion(made(tmp_path / "a.c3d")), tmp_path / "b.c3d")


def test_markers_can_be_sent_elsewhere() -> None:
    markers = c3d.Markers(("a",), 24.0, np.zeros((2, 1, 3)), np.ones((2, 1), dtype=bool))
    back = pickle.loads(pickle.dumps(markers))
    assert back.names == ("a",)
    assert len(back) == 2


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "ezc3d", None)
    (tmp_path / "a.c3d").write_bytes(b"\x02\x50")
    with pytest.raises(OptionError, match=r"pip install 'komadori\[c3d\]'"):
        c3d.read(tmp_path / "a.c3d")
