"""The table of formats: suffixes decide, and what cannot be is refused with the suffixes that can."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import komadori
from komadori import Camera, Take, Translator, look
from komadori.characters import character, sample
from komadori.cut import Cut
from komadori.errors import FormatError, KomadoriError, OptionError
from komadori.formats import FORMATS, encoded, load, load_sheet, save, suffixes
from komadori.formats.format import Format, Late
from komadori.json_text import loaded
from komadori.methods.hair import Trace
from komadori.methods.puppet import Key, Puppet, parsed, puppet_from
from komadori.motion import Motion, Pose
from komadori.skeleton import Skeleton
from komadori.timesheet import Timesheet

from realdata import real

SHEET = Timesheet(24, [0, 0, 3, 3, 3, 9])


def small_motion(frames: int = 4) -> Motion:
    skeleton = Skeleton(("Hips", "Spine", "Spine_end"), np.array([-1, 0, 1]), [[0, 0.9, 0], [0, 0.3, 0], [0, 0.5, 0]])
    rotations = np.zeros((frames, 3, 4))
    rotations[..., 3] = 1.0
    return Motion(skeleton, 24, rotations, np.broadcast_to(skeleton.offsets, (frames, 3, 3)))


def test_a_suffix_belongs_to_one_format_or_its_content_tells() -> None:
    known = [(suffix, entry) for entry in FORMATS for suffix in entry.suffixes]
    for suffix, entry in known:
        assert suffix == suffix.lower()
        assert suffix.startswith(".")
        assert entry.read or entry.read_sheets or entry.parse, f"{entry.name} can do nothing"
        if sum(other == suffix for other, _ in known) > 1:
            assert entry.fits is not None, f"{entry.name} shares {suffix} and tells itself from nothing"


def test_every_function_that_is_named_late_is_there() -> None:
    for entry in FORMATS:
        for value in vars(entry).values():
            for late in (value, getattr(value, "func", None)):
                if isinstance(late, Late):
                    assert callable(late.there()), late


def test_a_motion_is_saved_and_loaded(tmp_path: Path) -> None:
    save(small_motion(), tmp_path / "a" / "walk.BVH")
    back = load(str(tmp_path / "a" / "walk.BVH"), unit="cm")
    assert np.allclose(back.world_positions(), small_motion().world_positions(), atol=1e-12)
    assert back.skeleton.names == ("Hips", "Spine", "Spine_end")


@pytest.mark.parametrize("suffix", suffixes("write_sheets"))
def test_a_sheet_is_saved_and_loaded(suffix: str, tmp_path: Path) -> None:
    save(SHEET, tmp_path / f"one{suffix}")
    assert load_sheet(tmp_path / f"one{suffix}") == SHEET
    assert load(tmp_path / f"one{suffix}") == {"A": SHEET}
    two = {"body": SHEET, "hair": Timesheet(24, [0, 1, 2, 3, 4, 5])}
    if suffix == ".txt":
        with pytest.raises(OptionError, match="one cel, and the sheet has body, hair"):
            save(two, tmp_path / f"two{suffix}")
        return
    save(two, tmp_path / f"two{suffix}")
    assert load(tmp_path / f"two{suffix}") == two
    assert load_sheet(tmp_path / f"two{suffix}", "hair") == two["hair"]
    with pytest.raises(FormatError, match="'body', 'hair'"):
        load_sheet(tmp_path / f"two{suffix}")
    with pytest.raises(FormatError, match="the track 'tail'"):
        load_sheet(tmp_path / f"two{suffix}", "tail")


@pytest.mark.parametrize("name", ["walk", "walk.doc", "walk.pdf", ".bvh"])
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
            save(thing, tmp_path / "a.xdts")


def test_a_unit_must_be_known_and_missing(tmp_path: Path) -> None:
    save(small_motion(), tmp_path / "a.bvh")
    with pytest.raises(OptionError, match="mm"):
        load(tmp_path / "a.bvh", unit="furlong")
    with pytest.raises(OptionError, match="states its own"):
        load(tmp_path / "a.amc", unit="cm")


def test_roles_are_found() -> None:
    motion = komadori.load(real("human_cmu_bvh/02_01.bvh"))
    assert motion.skeleton.names[motion.skeleton.roles["left_hand"]] == "LeftHand"


def test_the_public_names_are_these() -> None:
    assert komadori.load is load
    assert komadori.save is save
    assert komadori.load_sheet is load_sheet


def test_a_format_is_imported_when_it_is_used() -> None:
    code = "import sys, komadori.formats; sys.exit(any(m in sys.modules for m in ('komadori.formats.bvh.reading', 'komadori.formats.gltf.document', 'komadori.methods')))"
    subprocess.run([sys.executable, "-c", code], check=True)


def _things() -> dict[str, Any]:
    """One thing of every kind that has its own file, by the name of that file."""
    clip = load("sample:walk", kind="motion")
    puppet = puppet_from(clip, [24, 30, 36], "left_foot", ground=0.0)
    joints = np.cumsum(np.ones((3, 4, 2)), axis=1)
    return {
        "a.bvh": clip,
        "a.xdts": Cut({"A": SHEET}),
        "sheet.json": Cut({"A": SHEET}),
        "sheet.csv": Cut({"A": SHEET}),
        "keys.txt": Cut({"A": SHEET}),
        "puppet.json": puppet,
        "translator.json": Translator.fit([(clip, clip)], "legs", "arms", model="static"),
        "trace.json": Trace(joints, 12.0, "tail"),
        "trace.csv": Trace(joints, 12.0, "tail"),
        "take.csv": Take(np.arange(12.0).reshape(4, 3) / 7.0, [0.0, 0.1, 0.2, 0.35]),
        "script.txt": parsed("seconds = 2\nx = sin(t)  # a way\n"),
        "recipe.toml": look("tv"),
        "camera.json": Camera([0.0, 1.0, 4.0], [[0.0, 1.0, 0.0], [0.1, 1.0, 0.0]]),
    }


def test_everything_is_saved_and_loaded_by_its_name_alone(tmp_path: Path) -> None:
    things = _things()
    assert {Path(name).suffix for name in things} >= set(suffixes("parse"))
    for name, thing in things.items():
        save(thing, tmp_path / name)
        back = load(tmp_path / name)
        assert type(back) is type(thing), name
        # What was read is written as it was: nothing was lost on the way.
        assert encoded(back, tmp_path / name) == (tmp_path / name).read_bytes(), name


@pytest.mark.parametrize("kind", [entry.kind for entry in FORMATS if entry.kind])
def test_a_file_of_another_kind_is_refused_by_the_one_that_was_asked_for(kind: Any, tmp_path: Path) -> None:
    (tmp_path / "walk.bvh").write_bytes(b"HIERARCHY\n")
    with pytest.raises(FormatError, match=r"walk\.bvh"):
        load(tmp_path / "walk.bvh", kind=kind)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.json", "{}", "an object"),
        ("a.json", "[1]", "a list"),
        ("a.json", '{"komadori": "soup"}', "a 'soup'"),
        ("a.json", '{"name": 1, "size": 2}', "an object with 'name', 'size'"),
        ("a.json", '{"name": ', "line 1, column 10"),
        ("a.csv", "", "nothing"),
        ("a.csv", "name;size\n", "'name;size'"),
        ("a.csv", "1,2\n", "'1,2'"),
    ],
)
def test_what_fits_no_kind_is_told(name: str, text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        load(tmp_path / name)
    assert f"found {told}" in str(caught.value) or told in caught.value.place
    if not caught.value.place:
        assert "timesheets" in caught.value.expected
        assert "trace" in caught.value.expected


def test_samples_and_clips_are_named_in_the_path(tmp_path: Path) -> None:
    assert len(load("sample:pitch")) == 129
    with pytest.raises(OptionError, match=r"sample: expected one of .* found 'pich'"):
        load("sample:pich")
    for wrong in ({"unit": "cm"}, {"clip": "a"}):
        with pytest.raises(OptionError, match="sample"):
            load("sample:pitch", **wrong)
    horse = character("horse")
    save(horse, tmp_path / "horse.glb")
    name = list(horse.motions)[1]
    assert len(load(f"{tmp_path / 'horse.glb'}#{name}")) == len(horse.motions[name])
    save(small_motion(), tmp_path / "a#b.bvh")
    assert len(load(tmp_path / "a#b.bvh", unit="cm")) == 4


@pytest.mark.parametrize("wrong", [{"unit": "cm"}, {"clip": "a"}])
def test_what_is_no_motion_has_no_unit_and_no_clip(wrong: dict[str, str], tmp_path: Path) -> None:
    save(SHEET, tmp_path / "a.xdts")
    with pytest.raises(OptionError, match="is not a motion; leave this out"):
        load(tmp_path / "a.xdts", **wrong)
    with pytest.raises(OptionError, match="character"):
        save(SHEET, tmp_path / "a.xdts", motions={"a": small_motion()})


def test_what_a_reader_refuses_is_never_written(tmp_path: Path) -> None:
    clip = load("sample:walk", kind="motion")
    two = puppet_from(clip, [24, 30], "left_foot")
    pose = two.keys[1].pose
    far = two.changed(keys=[two.keys[0], replace(two.keys[1], pose=Pose(pose.rotations, pose.positions + 2e9))])
    for thing, name in [
        (far, "a.json"),
        (Take([[0, 0, 0], [1, 0, 0]], [0, 2e9]), "a.csv"),
        (Timesheet(24, [2**60]), "b.csv"),
        (Timesheet(24, [2**60]), "b.json"),
    ]:
        with pytest.raises(KomadoriError):
            save(thing, tmp_path / name)
        assert not (tmp_path / name).exists()


def test_a_new_format_is_a_declaration_and_a_place_in_the_tuple(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def parse(data: bytes, name: str) -> Camera:
        return Camera([float(data), 0.0, 0.0], [0.0, 0.0, 0.0])

    mine = Format("lens", (".lens",), kind="camera", holds="Camera", parse=parse, emit=lambda c: b"%g" % c.position[0])
    for module in ("choosing", "loading", "saving"):
        monkeypatch.setattr(f"komadori.formats.{module}.FORMATS", (*FORMATS, mine))
    save(Camera([7.0, 0.0, 0.0], [0.0, 0.0, 0.0]), tmp_path / "a.lens")
    assert load(tmp_path / "a.lens").position[0] == 7.0


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (r'"\ud800"', "\ufffd"),
        (r'"\uDE00x"', "\ufffdx"),
        (r'"\ud83d\ude00"', "😀"),
        (r'"\ud800\ud83d\ude00"', "\ufffd😀"),
        (r'"\\ud800"', r"\ud800"),
        (r'"\\\ud800"', "\\\ufffd"),
    ],
)
def test_half_a_letter_in_json_becomes_the_mark_of_an_unknown_one(given: str, read: str) -> None:
    assert loaded(given, "a.json") == read


def test_a_name_that_is_half_a_letter_can_be_written_again(tmp_path: Path) -> None:
    clip = sample("pitch")[:3]
    puppet = Puppet(clip.skeleton, [Key(np.zeros(3), clip.pose(0), "first"), Key(np.ones(3), clip.pose(1), "second")])
    path = tmp_path / "puppet.json"
    path.write_bytes(encoded(puppet, path).replace(b'"first"', rb'"\ud800"'))
    read = load(path)
    save(read, path)
    assert load(path).keys[0].name == "\ufffd"
