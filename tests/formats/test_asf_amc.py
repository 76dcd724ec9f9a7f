from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from komadori import load, quat
from komadori.errors import FormatError
from komadori.formats import acclaim, asf_amc
from komadori.motion import Motion

from realdata import real

METRES = 0.0254 / 0.45

# A hip, a thigh along -y with its axes turned a quarter about z, a shin, and a tail that slides and stretches.
ASF = """# made for tests
:version 1.10
:name made
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
   begin end root anything at all
:root
   order TX TY TZ RX RY RZ
   axis XYZ
   position 0 0 0
   orientation 0 0 0
:bonedata
  begin
     id 1
     name thigh
     direction 0 -1 0
     length 8
     axis 0 0 90 XYZ
     dof rx ry rz
     limits (-160.0 20.0)
            (-70.0 70.0)
            (-inf inf)
  end
  begin
     id 2
     name shin
     direction 0 -1 0
     length 7
     axis 0 0 0 XYZ
     dof rz
  end
  begin
     name pelvis
     direction 1 0 0
     length 2
     axis 0 0 0 XYZ
  end
  begin
     name tail
     direction 0 0 -1
     length 3
     axis 0 0 90 XYZ
     dof TX RY l
  end
:hierarchy
  begin
    root pelvis tail
    pelvis thigh
    thigh shin
  end
"""
AMC = """#!made for tests
:FULLY-SPECIFIED
:DEGREES
1
root 0 0 0 0 0 0
thigh 0 0 0
shin 0
tail 0 0 0
2
root 1 2 3 10 20 30
thigh 90 0 0
shin 45 # bent
tail 1 30 0.5
"""


def made(asf: str = ASF, amc: str = AMC) -> Motion:
    skeleton = asf_amc.parse_asf(asf.encode(), "made.asf")
    return asf_amc.to_motion(asf_amc.parse_amc(amc.encode(), "made.amc", skeleton))


def turn(axis: int, degrees: float) -> np.ndarray:
    """A turn about one axis, as every textbook writes it."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    matrix = np.eye(3)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    matrix[i, i], matrix[j, j], matrix[i, j], matrix[j, i] = c, c, -s, s
    return matrix


def local(motion: Motion, frame: int, joint: str) -> np.ndarray:
    return quat.to_matrix(motion.rotations[frame, motion.skeleton.index(joint)])


# What the format means


def test_joints_lie_where_the_parents_bone_ends() -> None:
    motion = made()
    assert motion.skeleton.names == ("root", "pelvis", "thigh", "shin", "shin_end", "tail", "tail_end")
    assert motion.skeleton.parents.tolist() == [-1, 0, 1, 2, 3, 0, 5]
    expected = np.array([[0, 0, 0], [0, 0, 0], [2, 0, 0], [2, -8, 0], [2, -15, 0], [0, 0, 0], [0, 0, -3]])
    assert np.allclose(motion.world_positions()[0], expected * METRES)
    assert motion.skeleton.end_sites.tolist() == [False, False, False, False, True, False, True]


def test_a_unit_is_an_inch_divided_by_the_unit_of_length() -> None:
    motion = made()
    assert np.linalg.norm(motion.skeleton.offsets[4]) == pytest.approx(7 / 0.45 * 0.0254)
    assert made(ASF.replace("length 0.45", "length 1.0")).skeleton.offsets[4, 1] == pytest.approx(-7 * 0.0254)


def test_the_root_turns_about_fixed_axes_in_its_order() -> None:
    motion = made()
    assert np.allclose(motion.positions[1, 0], np.array([1, 2, 3]) * METRES)
    assert np.allclose(local(motion, 1, "root"), turn(2, 30) @ turn(1, 20) @ turn(0, 10))


def test_channels_may_come_in_any_order() -> None:
    asf = ASF.replace("order TX TY TZ RX RY RZ", "order rz TY ry TX rx tz")
    motion = made(asf, AMC.replace("root 1 2 3 10 20 30", "root 30 2 20 1 10 3"))
    assert np.allclose(motion.positions[1, 0], np.array([1, 2, 3]) * METRES)
    assert np.allclose(local(motion, 1, "root"), turn(0, 10) @ turn(1, 20) @ turn(2, 30))


def test_a_bone_turns_about_its_own_axes() -> None:
    # The thigh's x axis is the parent's y axis: a quarter about it.
    c = turn(2, 90)
    assert np.allclose(local(made(), 1, "thigh"), c @ turn(0, 90) @ c.T)
    assert np.allclose(local(made(), 1, "thigh"), turn(1, 90))
    assert np.allclose(local(made(), 1, "shin"), turn(2, 45))


@settings(max_examples=25)
@given(st.lists(st.floats(-180, 180), min_size=6, max_size=6), st.permutations("XYZ"), st.permutations("XYZ"))
def test_the_definition_holds_for_all_axes_and_orders(values: list[float], axis: list[str], dof: list[str]) -> None:
    written = [f"{value:.6f}" for value in values]
    asf = ASF.replace(
        "axis 0 0 90 XYZ\n     dof rx ry rz",
        f"axis {' '.join(written[:3])} {''.join(axis)}\n     dof r{' r'.join(dof)}",
    )
    motion = made(asf, AMC.replace("thigh 90 0 0", f"thigh {' '.join(written[3:])}"))
    c, r = np.eye(3), np.eye(3)
    for letter in axis:
        c = turn("XYZ".index(letter), float(written["XYZ".index(letter)])) @ c
    for place, letter in enumerate(dof):
        r = turn("XYZ".index(letter), float(written[3 + place])) @ r
    assert np.allclose(local(motion, 1, "thigh"), c @ r @ c.T, atol=1e-9)


def test_a_bone_may_slide_and_stretch() -> None:
    motion = made()
    tail, end = motion.skeleton.index("tail"), motion.skeleton.index("tail_end")
    assert np.allclose(motion.positions[1, tail], np.array([0, 1, 0]) * METRES)
    assert np.allclose(motion.positions[1, end], np.array([0, 0, -3.5]) * METRES)
    assert np.allclose(motion.positions[0], motion.skeleton.offsets)


def test_the_roots_own_place_and_turn_are_added() -> None:
    asf = ASF.replace("position 0 0 0", "position 4 5 6").replace("orientation 0 0 0", "orientation 0 90 0")
    motion = made(asf)
    assert np.allclose(motion.positions[1, 0], np.array([5, 7, 9]) * METRES)
    assert np.allclose(local(motion, 0, "root"), turn(1, 90))
    assert np.allclose(local(motion, 1, "root"), turn(2, 30) @ turn(1, 20) @ turn(0, 10) @ turn(1, 90))


def test_degrees_and_radians() -> None:
    skeleton = ASF.replace("angle deg", "angle rad").replace("axis 0 0 90", f"axis 0 0 {np.pi / 2!r}")
    lines = []
    for line in AMC.splitlines():
        words = line.partition("#")[0].split()
        if words[:1] == ["root"]:
            words[4:] = [repr(float(np.radians(float(word)))) for word in words[4:]]
        elif words[:1] == ["tail"]:
            words[2] = repr(float(np.radians(float(words[2]))))
        elif words[:1] in (["thigh"], ["shin"]):
            words[1:] = [repr(float(np.radians(float(word)))) for word in words[1:]]
        lines.append(" ".join(words))
    radians = "\n".join(lines).replace(":DEGREES", ":RADIANS")
    for asf, amc in ((ASF, radians), (skeleton, AMC), (skeleton, radians), (skeleton, radians.replace(":RADIANS", ""))):
        motion = made(asf, amc)
        assert np.allclose(motion.rotations, made().rotations, atol=1e-12)
        assert np.allclose(motion.positions, made().positions, atol=1e-12)


def test_rates_and_notes() -> None:
    assert made().fps == 120.0
    assert any("120" in note for note in made().notes)
    told = made(amc=AMC.replace(":DEGREES", ":DEGREES\n:SAMPLES-PER-SECOND 60"))
    assert told.fps == 60.0
    assert not any("assumed" in note for note in told.notes)
    assert any("2 frame number" in note for note in made(amc=AMC.replace("\n2\n", "\n4\n")).notes)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: text.replace(" ", "\t"),
        lambda text: text.replace("\n", "\n\n  # a comment\n"),
        lambda text: text.rstrip("\n"),
    ],
    ids=["crlf", "cr", "tabs", "comments", "no last newline"],
)
def test_the_same_text_written_otherwise(change: object) -> None:
    assert callable(change)
    motion = made(change(ASF), change(AMC))
    assert np.array_equal(motion.rotations, made().rotations)
    assert np.array_equal(motion.positions, made().positions)


def test_an_end_site_finds_a_free_name() -> None:
    asf = ASF.replace("name shin", "name tail_end").replace("thigh shin", "thigh tail_end")
    names = made(asf, AMC.replace("shin", "tail_end")).skeleton.names
    assert names == ("root", "pelvis", "thigh", "tail_end", "tail_end_end", "tail", "tail_end_end_end")


def test_every_row_of_the_file_is_known() -> None:
    origin = made().origin
    assert origin is not None
    assert origin.rows.tolist() == [[0], [1]]
    assert isinstance(origin.document, asf_amc.AmcDocument)
    assert origin.document.numbers == (1, 2)


# What is refused, and how


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ("length 0.45", "length 0", "line 6", "a unit of length above 0"),
        ("length 0.45", "length nan", "line 6", "'nan'"),
        ("angle deg", "angle turns", "line 7", "angle deg or angle rad"),
        ("order TX TY TZ RX RY RZ", "order TX TY TZ RX RY RW", "line 11", "'RW'"),
        ("order TX TY TZ RX RY RZ", "order TX TX", "line 11", "once"),
        ("   order TX TY TZ RX RY RZ\n", "", "line 10", "'order'"),
        ("   axis XYZ", "   axis XYX", "line 12", "'XYX'"),
        ("position 0 0 0", "position 0 0", "line 13", "3 numbers"),
        ("     name thigh\n", "", "line 16", "a name"),
        ("     length 8\n", "", "line 16", "direction and length of bone 'thigh'"),
        ("direction 0 -1 0", "direction 0 down 0", "line 19", "'down'"),
        ("length 8", "length 1e300", "line 20", "'1e300'"),
        ("length 8", "length 1_0", "line 20", "'1_0'"),
        ("axis 0 0 90 XYZ", "axis 0 0 90", "line 21", "XYZ"),
        ("name shin", "name thigh", "line 34", "'thigh' twice"),
        ("name shin", "name Root", "line 29", "'Root'"),
        ("     dof rz\n  end", "     dof rz", "line 34", "'end' of the bone begun in line 27"),
        ("    pelvis thigh", "    pelvis thigh thigh", "line 51", "another for 'thigh'"),
        ("    pelvis thigh", "    pelvis thihg", "line 51", "'thihg'"),
        ("    pelvis thigh", "    pelvis root", "line 51", "another for 'root'"),
        ("    pelvis thigh\n    thigh shin", "    thigh shin\n    shin thigh", "line 54", "'thigh' elsewhere"),
    ],
)
def test_no_skeleton(old: str, new: str, place: str, said: str) -> None:
    assert old in ASF
    with pytest.raises(FormatError) as caught:
        asf_amc.parse_asf(ASF.replace(old, new, 1).encode(), "made.asf")
    assert caught.value.place == place
    assert said in str(caught.value)
    assert str(caught.value).startswith("made.asf, ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "data", [b"", b"\x00\xff\xfe", b"HIERARCHY\nROOT hips\n", b":bonedata\nbegin\n", b"#\n" * 1000]
)
def test_something_else(data: bytes) -> None:
    with pytest.raises(FormatError):
        asf_amc.parse_asf(data, "made.asf")
    with pytest.raises(FormatError):
        asf_amc.parse_amc(data, "made.amc", asf_amc.parse_asf(ASF.encode(), "made.asf"))


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ("thigh 90 0 0", "thigh 90 0", "line 11", "expected as many values for 'thigh' as in made.asf (3), found 2"),
        ("thigh 90 0 0", "thigh 90 0 0 0", "line 11", "found 4"),
        ("thigh 90 0 0", "thigh 90 nan 0", "line 11", "'nan'"),
        ("thigh 90 0 0", "thigh 90 -inf 0", "line 11", "'-inf'"),
        ("thigh 90 0 0", "thigh 90 1e99 0", "line 11", "'1e99'"),
        ("thigh 90 0 0", "thigh 90 0,5x 0", "line 11", "found 4"),
        ("thigh 90 0 0", "thigh 9_0 0 0", "line 11", "'9_0'"),
        ("thigh 90 0 0", "thigh ninety 0 0", "line 11", "'ninety'"),
        ("thigh 90 0 0", "thihg 90 0 0", "line 11", "'thihg 90 0 0'"),
        ("thigh 90 0 0", "pelvis 90 0 0", "line 11", "that can move"),
        ("shin 45 # bent\n", "", "line 13", "none for 'shin'"),
        ("shin 0\n", "", "line 8", "in frame 1, found none for 'shin'"),
        ("shin 45", "shin 45\nshin 45", "line 13", "again"),
        ("\n2\n", "\n1\n", "line 9", "a frame number above 1, found 1"),
        ("\n2\n", "\n0\n", "line 9", "a frame number above 1"),
        ("\n2\n", f"\n{'9' * 5000}\n", "line 9", "a frame's number"),
        ("\n2\n", "\n", "line 9", "again"),
        (":DEGREES\n1\n", ":DEGREES\n", "line 4", "after its number"),
        (":DEGREES", ":SAMPLES-PER-SECOND 0", "line 3", "a frame rate"),
    ],
)
def test_no_motion(old: str, new: str, place: str, said: str) -> None:
    assert old in AMC
    with pytest.raises(FormatError) as caught:
        made(amc=AMC.replace(old, new, 1))
    assert caught.value.place == place
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_frame_at_all() -> None:
    with pytest.raises(FormatError, match="at least one numbered frame"):
        made(amc=":FULLY-SPECIFIED\n:DEGREES\n")


def test_a_small_file_cannot_ask_for_much_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asf_amc, "MOST_JOINT_FRAMES", 13)
    with pytest.raises(FormatError, match="found 7 x 2"):
        made()
    monkeypatch.setattr(acclaim, "MOST_BONES", 3)
    with pytest.raises(FormatError, match="at most 3 bones"):
        made()


# Which skeleton


def put(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")


def test_the_skeleton_of_the_same_name_comes_first(tmp_path: Path) -> None:
    other = ASF.replace("length 8", "length 80")
    put(tmp_path, m_01__amc=AMC, m_01__asf=ASF, m__asf=other, z__asf=other)
    assert np.allclose(asf_amc.read(tmp_path / "m_01.amc").skeleton.offsets, made().skeleton.offsets)


def test_then_the_one_before_the_last_underscore(tmp_path: Path) -> None:
    other = ASF.replace("length 8", "length 80")
    put(tmp_path, m_01__amc=AMC, M__ASF=ASF, z__asf=other)
    motion = asf_amc.read(tmp_path / "m_01.amc")
    assert np.allclose(motion.skeleton.offsets, made().skeleton.offsets)
    assert not any("does not match" in note for note in motion.notes)


def test_then_the_only_one_with_a_note(tmp_path: Path) -> None:
    put(tmp_path, m_01__amc=AMC, z__asf=ASF)
    motion = asf_amc.read(tmp_path / "m_01.amc")
    assert any("z.asf does not match the motion m_01.amc" in note for note in motion.notes)


@pytest.mark.parametrize("skeletons", [0, 2])
def test_otherwise_an_error_says_how_to_name_it(tmp_path: Path, skeletons: int) -> None:
    put(tmp_path, m_01__amc=AMC, **{f"z{n}__asf": ASF for n in range(skeletons)})
    with pytest.raises(FormatError, match=r"m_01\.asf or m\.asf in the same folder"):
        asf_amc.read(tmp_path / "m_01.amc")


@pytest.mark.skipif(not Path("/dev/null").is_char_device(), reason="a system with devices")
def test_only_files_count_as_skeletons(tmp_path: Path) -> None:
    put(tmp_path, m_01__amc=AMC)
    # As a pipe is, which would be waited for.
    (tmp_path / "m_01.asf").symlink_to("/dev/null")
    with pytest.raises(FormatError, match=r"m_01\.asf or m\.asf in the same folder"):
        asf_amc.read(tmp_path / "m_01.amc")


def test_a_skeleton_alone_rests(tmp_path: Path) -> None:
    put(tmp_path, m__asf=ASF)
    motion = asf_amc.read(tmp_path / "m.asf")
    assert len(motion) == 1
    assert motion.fps == 120.0
    assert np.array_equal(motion.rotations[0], motion.skeleton.rest)
    assert np.array_equal(motion.positions[0], motion.skeleton.offsets)


@pytest.mark.parametrize("name", ["m.asf", "m.amc", "nowhere/m.amc"])
def test_a_file_that_is_not_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(FormatError, match="File not found"):
        asf_amc.read(tmp_path / name)


# Real files

SIDES = {
    "hipjoint": "{0}HipJoint",
    "femur": "{1}UpLeg",
    "tibia": "{1}Leg",
    "foot": "{1}Foot",
    "toes": "{1}ToeBase",
    "toes_end": "{1}ToeBase_end",
    "clavicle": "{1}Shoulder",
    "humerus": "{1}Arm",
    "radius": "{1}ForeArm",
    "wrist": "{1}Hand",
    "hand": "{1}FingerBase",
    "fingers": "{1}HandIndex1",
    "fingers_end": "{1}HandIndex1_end",
    "thumb": "{0}Thumb",
    "thumb_end": "{0}Thumb_end",
}
MIDDLE = {
    "root": "Hips",
    "lowerback": "LowerBack",
    "upperback": "Spine",
    "thorax": "Spine1",
    "lowerneck": "Neck",
    "upperneck": "Neck1",
    "head": "Head",
    "head_end": "Head_end",
}
NAMES = MIDDLE | {
    side[0].lower() + bone: name.format(side[0], side) for side in ("Left", "Right") for bone, name in SIDES.items()
}
BRANCHING = ("thorax", "lwrist", "rwrist")
"""Bones with several children: anybody who turned CMU's library into BVH gave them no length."""


def cmu_pair() -> tuple[Motion, Motion, list[int], list[int]]:
    """02_01 from both files, without the pose that the BVH has in front, and the joints of one in the other."""
    acclaim_motion = asf_amc.read(real("human_cmu_asfamc/02_01.amc"))
    bvh = load(real("human_cmu_bvh/02_01.bvh"))[1:]
    assert len(acclaim_motion) == len(bvh) == 343
    assert len(acclaim_motion.skeleton) == len(bvh.skeleton) == len(NAMES) == 38
    ours = [acclaim_motion.skeleton.index(name) for name in NAMES]
    theirs = [bvh.skeleton.index(name) for name in NAMES.values()]
    return acclaim_motion, bvh, ours, theirs


def test_cmu_turns_agree_with_the_bvh_joint_by_joint() -> None:
    motion, bvh, ours, theirs = cmu_pair()
    apart = quat.multiply(quat.inverse(motion.rotations[:, ours]), bvh.rotations[:, theirs])
    assert np.degrees(quat.angle(apart)).max() < 2e-4
    assert motion.fps == bvh.fps == 120.0


def test_cmu_bones_agree_but_for_those_that_the_bvh_lost() -> None:
    motion, bvh, ours, theirs = cmu_pair()
    apart = np.linalg.norm(motion.skeleton.offsets[ours] - bvh.skeleton.offsets[theirs], axis=-1) * 1000
    parents = [motion.skeleton.names[motion.skeleton.parents[joint]] for joint in ours]
    lost = np.array([parent in BRANCHING for parent in parents])
    assert apart[~lost].max() < 0.001
    assert np.allclose(bvh.skeleton.offsets[np.array(theirs)[lost]], 0.0)
    assert apart[lost].min() > 30.0


def test_cmu_places_agree_below_the_lost_bones() -> None:
    motion, bvh, ours, theirs = cmu_pair()
    apart = np.linalg.norm(motion.world_positions()[:, ours] - bvh.world_positions()[:, theirs], axis=-1) * 1000
    branch = [motion.skeleton.index(name) for name in BRANCHING]
    beyond = (motion.skeleton.below(branch) & ~np.isin(np.arange(38), branch[:1]))[ours]
    assert beyond.sum() == 22
    assert apart[:, ~beyond].max() < 0.02


def test_cmu_places_agree_everywhere_without_the_lost_bones() -> None:
    motion, bvh, ours, theirs = cmu_pair()
    positions = motion.positions.copy()
    for name in BRANCHING:
        positions[:, list(motion.skeleton.children[motion.skeleton.index(name)])] = 0.0
    world = motion.replaced(positions=positions).world_positions()
    apart = np.linalg.norm(world[:, ours] - bvh.world_positions()[:, theirs], axis=-1) * 1000
    assert apart.max() < 0.02


def test_another_real_pair_with_crlf() -> None:
    motion = asf_amc.read(real("human_cmu_asfamc/fairmotion_11_01.amc"))
    assert len(motion) == 597
    assert len(motion.skeleton) == 38
    height = np.ptp(motion.world_positions()[0, :, 1])
    assert 1.4 < height < 1.8
    assert not any("does not match" in note for note in motion.notes)


def test_a_motion_on_anothers_skeleton_is_read_with_a_note() -> None:
    twelve, clip = real("human_cmu_asfamc/roboschool_12.asf"), real("human_cmu_asfamc/02_01.amc")
    motion, own = asf_amc.read_pair(twelve, clip), asf_amc.read(clip)
    assert motion.notes[-1].startswith("The skeleton roboschool_12.asf does not match")
    assert len(motion) == 343
    assert np.allclose(np.abs(np.einsum("...i,...i->...", motion.rotations, own.rotations)), 1.0, atol=1e-3)
    assert not np.allclose(motion.skeleton.offsets, own.skeleton.offsets, atol=1e-3)


def test_a_skeleton_with_other_channels_is_refused() -> None:
    data = real("human_cmu_asfamc/02.asf").read_bytes().replace(b"dof rx rz", b"dof rx", 1)
    skeleton = asf_amc.parse_asf(data, "02.asf")
    with pytest.raises(
        FormatError, match=r"02_01\.amc, line 32: expected as many values for 'lfoot' as in 02\.asf \(1\), found 2"
    ):
        asf_amc.parse_amc(real("human_cmu_asfamc/02_01.amc").read_bytes(), "02_01.amc", skeleton)


def test_the_registry_knows_acclaim() -> None:
    path = real("human_cmu_asfamc/02_01.amc")
    assert np.array_equal(load(path).rotations, asf_amc.read(path).rotations)


def mutated(data: bytes, random: np.random.Generator) -> bytes:
    """`data` with a few bytes, words or lines changed, cut, doubled or swapped."""
    for _ in range(int(random.integers(1, 4))):
        at, size = int(random.integers(0, len(data) + 1)), int(random.integers(0, 40))
        words = [b"nan", b"1e308", b"-", b"9" * 400, b"\n", b"#", b":", b"end\n", b"root ", b"\xff", b"\x00", b"begin"]
        piece = random.choice(np.array([*words, data[at : at + size], random.bytes(size)], dtype=object))
        data = data[:at] + bytes(piece) + data[at + size * int(random.integers(0, 2)) :]
        if random.random() < 0.1:
            data = data[:at]
    return data


def test_mutated_files_are_read_or_refused_in_one_line() -> None:
    asf = real("human_cmu_asfamc/02.asf").read_bytes()
    amc = b"\n".join(real("human_cmu_asfamc/02_01.amc").read_bytes().split(b"\n")[:93])
    random = np.random.default_rng(2)
    refused = 0
    for case in range(400):
        bad_asf, bad_amc = (mutated(asf, random), amc) if case % 2 else (asf, mutated(amc, random))
        try:
            skeleton = asf_amc.parse_asf(bad_asf, "02.asf")
            motion = asf_amc.to_motion(asf_amc.parse_amc(bad_amc, "02_01.amc", skeleton))
        except FormatError as error:
            refused += 1
            assert "\n" not in str(error), case  # noqa: PT017
        else:
            assert np.isfinite(motion.rotations).all(), case
            assert np.isfinite(motion.positions).all(), case
    assert 100 < refused < 400
