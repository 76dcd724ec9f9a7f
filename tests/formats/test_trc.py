"""TRC markers: as another reader has them, as programs write them, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from trc import TRCData

from komadori import formats
from komadori.errors import FormatError
from komadori.formats import trc

from realdata import real

HEAD = """PathFileType\t4\t(X/Y/Z)\twalk.trc
DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames
120.00\t120.00\t3\t2\tmm\t120.00\t1\t3
Frame#\tTime\tR.ASIS\t\t\tTop.Head\t\t\t
\t\tX1\tY1\tZ1\tX2\tY2\tZ2\t
"""
ROWS = """
1\t0.000\t10\t1000\t20\t12\t1700\t25\t
2\t0.008\t11\t1001\t21\t\t\t\t
3\t0.017\t12\t1002\t22\t14\t1702\t27\t
"""
WANTED: list[list[list[float] | None]] = [
    [[0.01, 1.0, 0.02], [0.012, 1.7, 0.025]],
    [[0.011, 1.001, 0.021], None],
    [[0.012, 1.002, 0.022], [0.014, 1.702, 0.027]],
]


def wanted() -> np.ndarray:
    return np.array([[place or [np.nan] * 3 for place in frame] for frame in WANTED])


def read(text: str) -> trc.Markers:
    return trc.parse(text.encode(), "a.trc")


def test_a_file_of_cortex() -> None:
    markers = read(HEAD + ROWS)
    assert (markers.names, markers.fps) == (("R.ASIS", "Top.Head"), 120.0)
    np.testing.assert_allclose(markers.positions, wanted(), atol=1e-12)
    assert markers.valid.tolist() == [[True, True], [True, False], [True, True]]
    assert markers.notes == ("No up axis in the file; assumed Y.",)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n\n", "\n"),
        lambda text: "\ufeff" + text,
        lambda text: text.replace("\t25\t\n", "\t25\n").replace("21\t\t\t\t\n", "21\n"),
        lambda text: text.replace("\t\t\t\t\n3", "\tNaN\tNaN\tNaN\n3"),
        lambda text: text.replace("\t\t\t\t\n3", "\t1e300\t0\t0\n3"),
        lambda text: text.replace("120.00\t120.00\t3", "0\t0\t3").replace("0.008", "0.00833333").replace("0.017", "0.01666667"),
        lambda text: text.replace("\t\tX1\tY1\tZ1\tX2\tY2\tZ2\t\n", ""),
        lambda text: text.replace("120.00\t120.00\t3\t2", "120.00\t120.00\t900\t2"),
    ],
)  # fmt: skip
def test_small_differences_between_programs(change: object) -> None:
    markers = read(change(HEAD + ROWS))  # type: ignore[operator]
    assert (markers.names, round(markers.fps, 3)) == (("R.ASIS", "Top.Head"), 120.0)
    np.testing.assert_allclose(markers.positions, wanted(), atol=1e-12)


def test_spaces_instead_of_tabs() -> None:
    text = HEAD + ROWS.replace("\t\t\t\t\n", "\t0\t0\t0\n")
    markers = read("\n".join(" ".join(line.split()) for line in text.splitlines()))
    assert markers.names == ("R.ASIS", "Top.Head")
    np.testing.assert_allclose(markers.positions[[0, 2]], wanted()[[0, 2]], atol=1e-12)


def test_names_over_every_column_and_missing_ones() -> None:
    every = "Frame#\tTime\tnose_x\tnose_y\tnose_z\thip_x\thip_y\thip_z"
    assert read(HEAD.replace("Frame#\tTime\tR.ASIS\t\t\tTop.Head\t\t\t", every) + ROWS).names == ("nose", "hip")
    assert read(HEAD.replace("Top.Head", "") + ROWS).names == ("R.ASIS", "marker 2")
    assert read(HEAD.replace("Top.Head", "R.ASIS") + ROWS).names == ("R.ASIS", "R.ASIS.2")


def test_a_row_may_hold_nothing() -> None:
    """Nobody was seen in that frame."""
    markers = read(HEAD + ROWS + "4\n5\t0.033\n")
    assert markers.valid[3:].tolist() == [[False, False], [False, False]]


def test_units_and_the_axis_that_is_up() -> None:
    assert read((HEAD + ROWS).replace("\tmm\t", "\tm\t")).positions[0, 1, 1] == 1700.0
    odd = read((HEAD + ROWS).replace("\tmm\t", "\tells\t"))
    assert odd.positions[0, 1, 1] == pytest.approx(1.7)
    assert "Unknown unit" in odd.notes[0]
    turned = read(HEAD + "1\t0\t10\t20\t1000\t12\t25\t1700\n2\t0.01\t10\t20\t1000\t12\t25\t1700\n")
    np.testing.assert_allclose(turned.positions[0], [[0.01, 1.0, -0.02], [0.012, 1.7, -0.025]])
    assert "assumed Z" in turned.notes[0]


def test_as_a_motion_it_is_joints_without_bones(tmp_path: Path) -> None:
    (tmp_path / "a.trc").write_text(HEAD + ROWS, encoding="utf-8")
    motion = formats.load(tmp_path / "a.trc")
    assert motion.skeleton.names == ("R.ASIS", "Top.Head")
    # The gap is bridged straight, and that is told.
    np.testing.assert_allclose(motion.positions[1, 1], [0.013, 1.701, 0.026], atol=1e-12)
    assert any("filled in" in note for note in motion.notes)


def test_another_reader_agrees_on_real_markers(tmp_path: Path) -> None:
    """The markers of an AMASS clip, written by the other program."""
    held = np.load(real("human_amass_NC/amass_sample.npz"), allow_pickle=False)
    places = held["marker_data"][:60]
    names = [f"{label.decode()}_{place}" for place, label in enumerate(held["marker_labels"])]
    title = "\t".join(f"{name}\t\t" for name in names)
    rows = ["\t".join([str(f + 1), f"{f / 120:.6f}", *(f"{v:.6f}" for v in places[f].ravel())]) for f in range(60)]
    head = HEAD.replace("\t3\t2\tmm\t", f"\t60\t{len(names)}\tm\t").splitlines()[:3]
    axes = "\t".join(f"{axis}{n + 1}" for n in range(len(names)) for axis in "XYZ")
    text = "\n".join([*head, f"Frame#\tTime\t{title}", f"\t\t{axes}", "", *rows, ""])
    theirs = TRCData()
    theirs.parse(text)
    theirs.save(str(tmp_path / "a.trc"))
    markers = trc.parse((tmp_path / "a.trc").read_bytes(), "a.trc")
    assert markers.names == tuple(theirs["Markers"]) == tuple(names)
    found = np.array([theirs[name] for name in names]).transpose(1, 0, 2)
    # The clip stands along Z.
    np.testing.assert_allclose(
        markers.positions, np.stack([found[..., 0], found[..., 2], -found[..., 1]], -1), atol=1e-4
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "PathFileType"),
        ("PathFileType\t4\n", "Frame#"),
        (HEAD, "no rows of markers"),
        (HEAD + "1\t0\t1\t2\tthree\t4\t5\t6\n", "line 6: expected a number"),
        (HEAD + "1\t0\t1\t2\t3\t4\t5\t6\t7\t8\n", "line 6"),
        (HEAD + ROWS + "end\n", "line 10"),
        (HEAD.replace("\t3\t2\t", "\t3\t9999999\t") + ROWS, "3 columns each"),
        (HEAD.replace("\t3\t2\t", "\t3\t0\t") + ROWS, "3 columns each"),
        (HEAD.replace("120.00", "x") + "1\t0\t1\t2\t3\t4\t5\t6\n", "a frame rate above 0"),
        ("\udc80" + HEAD, "UTF-8"),
    ],
)
def test_what_is_no_trc_is_refused_in_one_line(text: str, said: str) -> None:
    with pytest.raises(FormatError) as error:
        trc.parse(text.encode("utf-8", "surrogateescape"), "a.trc")
    assert said in str(error.value)
    assert "\n" not in str(error.value)
