"""`convert --strict` and `left_out`: what a writer says of its losses is what its own file, read again, has lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from extras import needs, small_character

from komadori import formats
from komadori.character import Bends, Chain, Character, Follow
from komadori.characters import character
from komadori.cli import run
from komadori.cut import Cue, Cut
from komadori.formats import FORMATS
from komadori.springs import Spring, SpringBones, SpringJoint
from komadori.timesheet import Timesheet
from komadori.words import translated

from realdata import real

READ_BACK = {
    ".glb": None, ".gltf": None, ".fbx": "ufbx", ".usda": "pxr", ".usdc": "pxr", ".usdz": "pxr",
}  # fmt: skip
"""Every format that a character is written to, and the library that reads it again."""

THINGS: dict[str, tuple[str, Callable[[Character], object]]] = {
    "springs": ("spring bones", lambda c: bool(c.springs)),
    "expressions": ("facial expressions", lambda c: set(c.expressions)),
    "follows": ("append bones", lambda c: c.follows),
    "bends": ("linearly", lambda c: [mesh.bends is not None for mesh in c.meshes]),
    "toon": ("shade colours", lambda c: [(m.shade is not None, m.outline is not None) for m in c.materials]),
    "pictures": ("textures", lambda c: [m.image is not None for m in c.materials]),
    "meta": ("author and licence", lambda c: c.meta.get("authors")),
}
"""A thing that a character can have: a word of the note on its loss, and what shows whether it is still there."""


def full() -> Character:
    """A body with everything that some format or other has no place for."""
    plain = small_character()
    parents = plain.skeleton.parents
    tip = next(joint for joint in range(2, len(parents)) if parents[joint] > 0)
    held = int(parents[tip])
    bends = Bends(np.array([0]), np.zeros((1, 3, 3)), np.array([[held, tip]]), np.array([[0.5, 0.5]]), np.array([1, 2]))
    first = replace(plain.materials[0], shade=(0.5, 0.2, 0.3), outline=(0.1, 0.0, 0.0, 1.0), outline_m=0.002)
    return replace(
        plain,
        meshes=(replace(plain.meshes[0], bends=bends), *plain.meshes[1:]),
        materials=(first, *plain.materials[1:]),
        springs=SpringBones((Spring("tail", (SpringJoint(held), SpringJoint(tip))),)),
        chain_hints=(Chain("tail", "tail", (held, tip), int(parents[held]), (0.1,)),),
        expressions={"happy": {(0, "笑い"): 1.0}},
        follows=(Follow(tip, held, 0.5),),
        meta={"authors": ["somebody"]},
    )


def test_every_writer_of_characters_is_tried() -> None:
    written = {suffix for form in FORMATS if form.write_character is not None for suffix in form.suffixes}
    assert written == {*READ_BACK, ".usd", ".vrm"}
    assert all(form.left_out_character is not None for form in FORMATS if form.write_character is not None)


@pytest.mark.parametrize("suffix", [pytest.param(k, marks=[needs(v)] if v else []) for k, v in READ_BACK.items()])
def test_what_is_told_is_what_the_file_lacks(suffix: str, tmp_path: Path) -> None:
    given, path = full(), tmp_path / f"out{suffix}"
    notes = formats.left_out(given, path)
    formats.save(given, path)
    back = formats.load_character(path)
    for thing, (word, seen) in THINGS.items():
        said = any(word in note for note in notes)
        assert said == (seen(back) != seen(given)), thing
    assert len(back.motions) == len(given.motions)
    for note in notes:
        assert translated(note.template, "ja") != note.template


@pytest.mark.parametrize("suffix", [pytest.param(k, marks=[needs(v)] if v else []) for k, v in READ_BACK.items()])
def test_a_plain_body_loses_nothing(suffix: str, tmp_path: Path) -> None:
    plain = replace(small_character(), images=(), materials=())
    plain = replace(plain, meshes=tuple(replace(mesh, material=None) for mesh in plain.meshes))
    assert formats.left_out(plain, tmp_path / f"out{suffix}") == ()


def test_strict_writes_nothing_and_leaves_what_stood_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    formats.save(character("horse"), "horse.glb")
    Path("walk.bvh").write_text("before", encoding="utf-8")
    assert run(["convert", "horse.glb", "walk.bvh", "--strict"]) == 1
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    assert "BVH holds no skin" in line
    assert "other animations not written: 1" in line
    assert Path("walk.bvh").read_text(encoding="utf-8") == "before"
    assert run(["convert", "horse.glb", "new.bvh", "--strict", "--lang", "ja"]) == 1
    assert "スキン" in capsys.readouterr().err
    assert not Path("new.bvh").exists()
    # Without --strict the same is printed, and the rest is written.
    assert run(["convert", "horse.glb", "walk.bvh"]) == 0
    assert "BVH holds no skin" in capsys.readouterr().out
    assert len(formats.load("walk.bvh")) > 1
    # If nothing is lost, --strict says nothing.
    assert run(["convert", "walk.bvh", "walk.glb", "--strict"]) == 0
    assert run(["convert", "horse.glb", "horse.gltf", "--strict"]) == 0
    assert "lost" not in capsys.readouterr().out


def test_one_named_motion_loses_the_skin_and_no_other_motion(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    formats.save(character("horse"), tmp_path / "horse.glb")
    assert run(["convert", f"{tmp_path / 'horse.glb'}#trot", str(tmp_path / "trot.fbx")]) == 0
    shown = capsys.readouterr().out
    assert "FBX holds no skin" in shown
    assert "other animations" not in shown
    assert run(["convert", f"{tmp_path / 'horse.glb'}#trot", str(tmp_path / "trot.glb"), "--strict"]) == 0


@pytest.mark.parametrize("suffix", [".sts", ".csv", ".celsys.csv", ".tvpaint.csv", ".sxf", ".xdts", ".txt"])
def test_strict_sheets(suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Camera work fits into XDTS, and a heading with letters into none but TDTS and JSON; a plain sheet fits everywhere."""
    sheet = Timesheet(24, [0, 0, 1, 1, 2, 2])
    spoken = Cut({"A": sheet}, dialogue=(Cue(0, 2, "はい", "A"),), camera=(Cue(0, 4, "PAN", column="1"),), scene="7b")
    formats.save(spoken, tmp_path / "cut.tdts")
    formats.save({"A": sheet}, tmp_path / "plain.json")
    out = tmp_path / f"out{suffix}"
    assert run(["convert", str(tmp_path / "cut.tdts"), str(out), "--strict"]) == 1
    assert not out.exists()
    assert "--strict" in capsys.readouterr().err
    assert run(["convert", str(tmp_path / "cut.tdts"), str(out)]) == 0
    assert "lost" in capsys.readouterr().out
    assert run(["convert", str(tmp_path / "plain.json"), str(out), "--strict"]) == 0
    back = formats.load(out, kind="timesheets")
    assert next(iter(back.values())).source.tolist() == sheet.source.tolist()
    for whole in (".json", ".tdts"):
        assert run(["convert", str(tmp_path / "cut.tdts"), str(tmp_path / f"again{whole}"), "--strict"]) == 0
        assert formats.load(tmp_path / f"again{whole}").camera == spoken.camera


def test_a_sheet_is_printed_in_both_forms(tmp_path: Path) -> None:
    formats.save({"A": Timesheet.on(2, 100)}, tmp_path / "cut.tdts")
    for form, pages in (("6", 1), ("3", 2)):
        out = tmp_path / f"form{form}.svg"
        assert run(["convert", str(tmp_path / "cut.tdts"), str(out), "--sheet-form", form]) == 0
        assert len(list(tmp_path.glob(f"form{form}*.svg"))) == pages


def test_faces_of_a_vrma_are_missed_elsewhere(tmp_path: Path) -> None:
    motion = formats.load(real("character_vrma/threevrm_test.vrma"))
    assert any("facial expressions" in note for note in formats.left_out(motion, "out.bvh"))
    assert not any("facial expressions" in note for note in formats.left_out(motion, "out.vrma"))


def test_joints_that_leave_their_sockets_are_told(tmp_path: Path) -> None:
    walk = character("girl").rest
    positions = np.array(walk.positions)
    positions[:, walk.skeleton.roles["left_hand"]] += (0.0, 0.02, 0.0)
    for suffix in (".vrma", ".vmd"):
        assert any("20.0 mm" in note for note in formats.left_out(walk.replaced(positions=positions), f"a{suffix}"))
        assert not any(" mm are not written" in note for note in formats.left_out(walk, f"a{suffix}"))
