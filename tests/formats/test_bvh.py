"""Reading BVH: worked examples, the quirks of the wild, real clips, and one clear line for what is wrong."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import komadori
from komadori import quat
from komadori.errors import FormatError
from komadori.formats import bvh
from komadori.formats.bvh import Document
from komadori.formats.bvh.axes import z_up
from komadori.motion import Motion

from realdata import real, reals

HEAD = """HIERARCHY
ROOT Hips
{
	OFFSET 1.0 2.0 3.0
	CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
	JOINT Chest
	{
		OFFSET 0.0 10.0 0.0
		CHANNELS 3 Zrotation Xrotation Yrotation
		End Site
		{
			OFFSET 0.0 5.0 0.0
		}
	}
}
"""
ROW = "0 90 0 0 0 0 0 0 0\n"


def text(rows: str = ROW, frames: int | str = 1, time: str = "0.04", head: str = HEAD) -> bytes:
    return f"{head}MOTION\nFrames: {frames}\nFrame Time: {time}\n{rows}".encode()


def read(data: bytes, unit: str | None = "cm") -> Motion:
    return bvh.parse(data, "a.bvh").motion(unit)


def refused(data: bytes) -> FormatError:
    with pytest.raises(FormatError) as caught:
        read(data)
    assert "\n" not in str(caught.value)
    return caught.value


# What a file means


def test_a_worked_example() -> None:
    # The hips turn a quarter about Z: the chest, 10 above them, comes to lie at -x; its own turn about X lifts the tip.
    motion = read(text("100 200 300 90 0 0 0 90 0\n"))
    assert motion.skeleton.names == ("Hips", "Chest", "Chest_end")
    assert motion.skeleton.parents.tolist() == [-1, 0, 1]
    assert motion.fps == 25.0
    assert np.allclose(motion.world_positions()[0], [[1, 2, 3], [0.9, 2, 3], [0.9, 2, 3.05]], atol=1e-15)


@pytest.mark.parametrize("order", ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"])
def test_rotations_are_applied_in_the_order_of_the_channels(order: str) -> None:
    head = HEAD.replace("Zrotation Xrotation Yrotation", " ".join(f"{axis}rotation" for axis in order))
    degrees = [400.0, -75.0, 181.25]
    motion = read(text("0 0 0 400.0 -75.0 181.25 0 0 0\n", head=head))
    axes = {"X": [1.0, 0, 0], "Y": [0, 1.0, 0], "Z": [0, 0, 1.0]}
    expected = quat.IDENTITY
    for axis, angle in zip(order, degrees, strict=True):
        expected = quat.multiply(expected, quat.from_axis_angle(axes[axis], np.radians(angle)))
    assert abs(np.dot(motion.rotations[0, 0], expected)) == pytest.approx(1.0, abs=1e-15)


def test_channels_may_come_in_any_order_and_differ_by_joint() -> None:
    head = HEAD.replace(
        "Xposition Yposition Zposition Zrotation Xrotation Yrotation",
        "Yrotation Zposition Xrotation Xposition Zrotation Yposition",
    ).replace("CHANNELS 3 Zrotation Xrotation Yrotation", "CHANNELS 2 Xrotation Zrotation")
    motion = read(text("10 3 20 1 30 2 40 50\n", head=head))
    assert np.allclose(motion.positions[0, 0], [0.01, 0.02, 0.03])
    assert np.allclose(motion.rotations[0, 0], quat.from_euler(np.radians([10, 20, 30]), "YXZ"))
    assert np.allclose(motion.rotations[0, 1], quat.from_euler(np.radians([40, 50]), "XZ"))


def test_positions_of_any_joint_replace_its_offset() -> None:
    head = HEAD.replace("CHANNELS 3 Zrotation Xrotation Yrotation", "CHANNELS 2 Xposition Zposition")
    motion = read(text("0 0 0 0 0 0 7 8\n", head=head))
    assert np.allclose(motion.positions[0, 1], [0.07, 0.10, 0.08])
    assert np.allclose(motion.skeleton.offsets[1], [0, 0.10, 0])


def test_a_root_without_positions_stands_at_its_offset() -> None:
    head = HEAD.replace("CHANNELS 6 Xposition Yposition Zposition Zrotation", "CHANNELS 4 Yposition Zrotation")
    motion = read(text("9 0 0 0 0 0 0\n", head=head))
    assert np.allclose(motion.positions[0, 0], [0.01, 0.09, 0.03])


def test_several_roots_missing_ends_and_joints_without_channels() -> None:
    head = HEAD + "ROOT Ball\n{\nOFFSET 0 0 0\nJOINT Seam\n{\nOFFSET 0 1 0\nCHANNELS 0\n}\n}\n"
    motion = read(text(head=head))
    assert motion.skeleton.parents.tolist() == [-1, 0, 1, -1, 3]
    assert motion.skeleton.names[3:] == ("Ball", "Seam")


def test_no_frames_at_all() -> None:
    for rows in ("", "\n\n"):
        assert len(read(text(rows, frames=0))) == 0


def test_names_are_made_unique_and_kept_as_written() -> None:
    bone = "JOINT Bone\n{\nOFFSET 0 1 0\nCHANNELS 0\nEnd Site\n{\nOFFSET 0 1 0\n}\nEnd Site\n{\nOFFSET 1 0 0\n}\n}\n"
    odd = "JOINT Bone.001\n{\nOFFSET 0 1 0\nCHANNELS 0\n}\nJOINT Bone_end\n{\nOFFSET 0 1 0\n}\n"
    head = HEAD[:-2] + bone + bone + odd + "}\n"
    document = bvh.parse(text(head=head), "a.bvh")
    names = document.skeleton().names
    assert [name for name in document.names if name != "End Site"][2:] == ["Bone", "Bone", "Bone.001", "Bone_end"]
    assert len(set(names)) == len(names)
    assert {"Bone", "Bone.001", "Bone_end"} <= set(names)
    assert document.skeleton().end_sites.sum() == 6  # The five End Sites, and a leaf that is called like one.


@pytest.mark.parametrize("name", ["Left Arm", "mixamorig:Hips", "a{b", "}", "JOINT", "OFFSET 1", "左腕", "Ünter"])
def test_names_may_be_odd(name: str) -> None:
    head = HEAD.replace("Chest", name)
    assert read(text(head=head)).skeleton.names[1] == name


@pytest.mark.parametrize(("encoding", "name"), [("utf-8", "リボン"), ("cp932", "リボ"), ("latin-1", "Hüfte\xff")])
def test_names_may_be_in_other_encodings(encoding: str, name: str) -> None:
    # In cp932 the last byte of ボ is that of an opening brace.
    data = text().replace(b"Chest", name.encode(encoding))
    assert read(data).skeleton.names[1] == name


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
def test_a_whole_file_may_be_utf_16_as_windows_writes_it(order: str) -> None:
    plain = text("1 2 3 4 5 6 7 8 9\n").decode()
    data = ("\ufeff" + plain.replace("Chest", "胸").replace("\n", "\r\n")).encode(order)
    assert read(data).skeleton.names[1] == "胸"
    np.testing.assert_array_equal(read(data).rotations, read(plain.encode()).rotations)
    with pytest.raises(FormatError):
        read(data[: len(data) // 2 + 1])


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace("\n", "\r\n"),
        lambda t: t.replace("\n", "\r"),
        lambda t: t.replace("\n", "\n\n \t\n"),
        lambda t: t.replace(" ", "\t"),
        lambda t: t.replace(" ", "   ").replace("\n", "  \n"),
        lambda t: t.lower().replace("hips", "Hips").replace("chest", "Chest"),
        lambda t: t.upper().replace("HIPS", "Hips").replace("CHEST", "Chest"),
        lambda t: "\ufeff" + t,
        lambda t: t.replace(":", " :"),
        lambda t: t.replace("s:", "s").replace("e:", "e"),
        lambda t: t.rstrip("\n"),
        lambda t: t.replace("\n{", " {").replace("\n\t{", "{").replace("\n\t\t{", " { "),
        lambda t: t.replace("End Site", "End Site Tip"),
        lambda t: t.replace("\n\t\tCHANNELS", " CHANNELS"),
    ],
)
def test_layout_does_not_matter(change: object) -> None:
    plain = text("1 2 3 4 5 6 7 8 9\n9 8 7 6 5 4 3 2 1\n", frames=2).decode()
    expected, found = bvh.parse(plain.encode(), "a"), bvh.parse(change(plain).encode(), "b")  # type: ignore[operator]
    assert found.names == expected.names
    assert found.channels == expected.channels
    assert np.array_equal(found.values, expected.values)
    assert np.array_equal(found.offsets, expected.offsets)
    assert np.array_equal(found.parents, expected.parents)


def test_numbers_may_be_written_in_any_way() -> None:
    document = bvh.parse(text(".5 -1.e-3 1e+02 +3 -0.0 5. 007 1E2 123456789012.34567\n"), "a.bvh")
    assert document.values[0].tolist() == [0.5, -0.001, 100.0, 3.0, 0.0, 5.0, 7.0, 100.0, 123456789012.34567]
    assert np.signbit(document.values[0, 4])


def test_frames_may_be_wrapped_evenly() -> None:
    rows = "1 2 3\n4 5 6 7 8 9\n1 2 3\n4 5 6 7 8 9\n"
    assert bvh.parse(text(rows, frames=2), "a.bvh").values.tolist() == [list(range(1, 10))] * 2
    assert bvh.parse(text(ROW.strip() + " " + ROW, frames=2), "a.bvh").values.shape == (2, 9)


@pytest.mark.parametrize(("written", "fps"), [(".0083333", 120.0), ("0.041708", 24000 / 1001), ("0.0333333", 30.0)])
def test_a_frame_time_is_the_rate_that_is_meant(written: str, fps: float) -> None:
    document = bvh.parse(text(time=written), "a.bvh")
    assert document.motion("cm").fps == fps
    assert document.frame_time_text == written


def test_quaternions_are_unit_and_continuous() -> None:
    # As many files do, the angles jump from 180 to -180 degrees.
    wrapped = [(angle + 180) % 360 - 180 for angle in range(0, 2000, 20)]
    rows = "".join(f"0 0 0 {angle} 20 {-angle} 0 {angle} 0\n" for angle in wrapped)
    motion = read(text(rows, frames=100))
    assert np.allclose(np.linalg.norm(motion.rotations, axis=-1), 1.0, atol=1e-15)
    assert (np.einsum("fji,fji->fj", motion.rotations[1:], motion.rotations[:-1]) > 0).all()


# Notes


def test_more_rows_than_declared_are_kept_and_said() -> None:
    motion = read(text(ROW * 3, frames=2))
    assert len(motion) == 3
    assert "declares 2 frames but holds 3" in motion.notes[-1]


def test_a_single_pose_needs_no_frame_time() -> None:
    motion = read(text(time="0.0"))
    assert motion.fps == 24.0
    assert "assumed 24 fps" in motion.notes[-1]


def test_every_note_speaks_japanese() -> None:
    motion = read(text(ROW * 2, frames=1, time="0.0"), unit=None)
    assert len(motion.notes) == 3
    assert all(note.in_language("ja") != note for note in motion.notes)


# What is refused: name, line, expected, found


@pytest.mark.parametrize(
    ("data", "place", "expected", "found"),
    [
        (b"", "line 1", "HIERARCHY", "the end of the file"),
        (b"\x89PNG\r\n\x1a\n", "line 1", "HIERARCHY", "NG'"),
        (b"HIERARCHY\n", "line 2", "ROOT", "the end of the file"),
        (text().replace(b"ROOT", b"JOINT"), "line 2", "ROOT or MOTION", "JOINT Hips"),
        (text().replace(b"ROOT Hips\n{", b"ROOT Hips\n"), "line 4", "'{'", "OFFSET"),
        (text().replace(b"ROOT Hips", b"ROOT"), "line 2", "a name after ROOT", "nothing"),
        (text().replace(b"10.0 0.0", b"10.0"), "line 8", "three numbers after OFFSET", "the end of the line"),
        (text().replace(b"10.0 0.0", b"10.0 abc"), "line 8", "three numbers after OFFSET", "'abc'"),
        (text().replace(b"10.0 0.0", b"10.0 nan"), "line 8", "three numbers after OFFSET", "'nan'"),
        (text().replace(b"10.0 0.0", b"10.0 0.0 0.0"), "line 8", "OFFSET, CHANNELS, JOINT", "'0.0'"),
        (text().replace(b"CHANNELS 3", b"CHANNELS 999999999999"), "line 9", "0 to 6", "'999999999999'"),
        (text().replace(b"CHANNELS 3", b"CHANNELS -3"), "line 9", "0 to 6", "'-3'"),
        (text().replace(b"CHANNELS 3", b"CHANNELS 2"), "line 9", "OFFSET, CHANNELS", "'Yrotation'"),
        (text().replace(b"CHANNELS 3", b"CHANNELS 4"), "line 9", "4 channel names", "only 3"),
        (text().replace(b"Xrotation", b"Zrotation"), "line 5", "every channel once", "'Zrotation'"),
        (text().replace(b"Xrotation", b"Xscale"), "line 5", "channel names", "'Xscale'"),
        (text().replace(b"\t\t\tOFFSET", b"\t\t\tCHANNELS 0\nOFFSET"), "line 12", "OFFSET", "'CHANNELS'"),
        (text().replace(b"}\nMOTION", b"}\n}\nMOTION"), "line 16", "ROOT or MOTION", "'}'"),
        (text().replace(b"\tOFFSET 1", b"\tOFFSET 1 1 1\nOFFSET 1"), "line 5", "one OFFSET in 'Hips'", "a second"),
        (text().replace(b"Frames: 1", b"Frames: one"), "line 17", "a number of frames", "'one'"),
        (text().replace(b"Frames: 1", b"Frames: -1"), "line 17", "a number of frames", "'-1'"),
        (text().replace(b"Frames: 1\n", b""), "line 17", "Frames:", "Frame Time"),
        (text().replace(b"Frame Time: 0.04\n", b""), "line 18", "Frame Time:", "'0 90 0"),
        (text(ROW * 2, frames=2, time="0"), "line 18", "a frame time", "'0'"),
        (text(time="1e-300"), "line 18", "a frame time", "'1e-300'"),
        (text(time="nan"), "line 18", "a frame time", "'nan'"),
        (text(ROW + "0 90 0 0 0 0 0 0\n", frames=2), "line 20", "9 numbers in a row", "8"),
        (text("1 2 3 4 5 6 7 8\n1 2 3 4 5 6 7 8 9 0\n", frames=2), "line 19", "9 numbers in a row", "8"),
        (text(ROW + "0 90 nan 0 0 0 0 0 0\n", frames=2), "line 20, column 6", "a finite number", "'nan'"),
        (text(ROW + "0 90 0 0 0 0 0 0 1e400\n", frames=2), "line 20, column 18", "a finite number", "'1e400'"),
        (text("0 90 0 0 0 0 0 0 1e13\n"), "line 19, column 18", "at most 1e+12", "'1e13'"),
        (text("0 90 0 0 0 0 0 0 -1e13\n"), "line 19, column 18", "at most 1e+12", "'-1e13'"),
        (text().replace(b"10.0", b"1e156"), "line 8", "at most 1e+12", "'1e156'"),
        (text("0 90 0 0 0 0 0 0 0x1\n"), "line 19, column 18", "a finite number", "'0x1'"),
        (text(frames=1_000_000_000), "line 19", "a row of numbers for every frame", "1 of 1,000,000,000 declared"),
        (text(ROW + "the end\n"), "line 20, column 1", "a finite number", "'the'"),
    ],
)
def test_what_is_wrong_is_named(data: bytes, place: str, expected: str, found: str) -> None:
    error = refused(data)
    assert error.file == "a.bvh"
    assert error.place == place
    assert expected in error.expected
    assert found in error.found


def test_a_decimal_comma_gets_a_hint() -> None:
    assert "with a point" in refused(text("0,5 90 0 0 0 0 0 0 0\n")).advice
    assert "with a point" in refused(text().replace(b"10.0", b"10,0")).advice


def test_frames_without_channels_are_refused() -> None:
    head = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\n"
    assert "has frames, but no joint has channels" in refused(text("", frames=10**9, head=head)).problem
    assert "has numbers, but no joint has channels" in refused(text("1\n", frames=0, head=head)).problem
    assert len(read(text("", frames=0, head=head))) == 0


def test_nesting_may_be_deep_but_not_endless() -> None:
    def chain(joints: int) -> bytes:
        inner = "".join(f"JOINT j{n}\n{{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n" for n in range(joints - 1))
        head = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n" + inner + "}\n" * joints
        return text("0 " * joints, head=head)

    assert len(bvh.parse(chain(20_000), "deep").names) == 20_000
    assert "more than 100,000 joints" in refused(chain(100_001)).problem


def test_joints_that_never_move_cannot_fill_the_memory() -> None:
    still = "".join(f"JOINT j{n}\n{{\nOFFSET 0 1 0\n}}\n" for n in range(1000))
    head = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n" + still + "}\n"
    assert "channels in most joints" in refused(text("0\n" * 10_000, frames=10_000, head=head)).expected
    assert len(read(text("0\n" * 90, frames=90, head=head))) == 90


# Real files


@pytest.mark.parametrize("path", reals("odd_bvh/*malformed*.bvh"))
def test_malformed_files_are_refused(path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        komadori.load(path)
    message = str(caught.value)
    assert "\n" not in message
    assert path.name in message
    assert "line " in message


@pytest.mark.parametrize("path", [p for p in reals("*_bvh*/*.bvh", "odd_bvh/*.bvh") if "malformed" not in str(p.id)])
def test_real_files_are_read(path: Path) -> None:
    motion = komadori.load(path)
    document = motion.origin.document if motion.origin else None
    assert isinstance(document, Document)
    body = path.read_bytes().split(b"\n")
    words = [line.split() for line in body]
    rows = [row for row in words if len(row) == document.values.shape[1] and row[0][:1] in b"-.0123456789"]
    # Straight from the file, by another way: the same doubles.
    expected = np.array([[float(word) for word in row] for row in rows]).reshape(document.values.shape)
    assert np.array_equal(document.values, expected)
    assert np.isfinite(motion.world_positions()).all()
    assert "unit" in motion.notes[0]


def test_the_extra_row_of_boxing_toes_is_read() -> None:
    motion = komadori.load(real("odd_bvh/assimp_Boxing_Toes.bvh"))
    assert len(motion) == 3070
    assert any("declares 3069 frames but holds 3070" in note for note in motion.notes)


@pytest.mark.parametrize("name", ["human_other_bvh/animateddrawings_fair1_zombie", "odd_bvh/pybvh_bvh_test1", "odd_bvh/pybvh_bvh_test3"])  # fmt: skip
def test_bodies_that_stand_along_z_are_turned(name: str) -> None:
    motion = komadori.load(real(f"{name}.bvh"))
    assert any("The file is Z up" in note for note in motion.notes)
    world = motion.world_positions()
    roles = motion.skeleton.roles
    assert (world[:, roles["head"], 1] > world[:, roles["left_foot"], 1] + 0.5).mean() > 0.9
    assert motion.origin is not None
    document = motion.origin.document
    assert isinstance(document, Document)
    # About the file's own axes the root is where the file says.
    columns = [document.columns()[0][f"{axis}position"] for axis in "XYZ"]
    assert np.allclose(z_up(motion.positions)[:, 0] / document.scale, document.values[:, columns])


def test_a_motion_survives_pickling() -> None:
    motion = pickle.loads(pickle.dumps(read(text())))
    assert bvh.emit(motion) == bvh.emit(read(text()))
