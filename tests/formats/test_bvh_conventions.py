"""BVH as other programs and collections write it: every joint is where it is known to be, and every role is found."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import komadori
from bench import clips_conventions, clips_made
from bench.clips_conventions import CONVENTIONS, Told
from komadori import Motion, roles
from komadori.formats import units
from komadori.formats.bvh import axes
from komadori.roles.stature import TALL, stature


def read(told: Told, folder: Path) -> tuple[Motion, Motion]:
    truth = clips_conventions.truth(told)
    path = folder / "told.bvh"
    path.write_bytes(clips_conventions._text(truth, told).encode())
    return komadori.load(path), truth


@pytest.mark.parametrize("name", CONVENTIONS)
def test_every_convention_is_understood(name: str, tmp_path: Path) -> None:
    path, truth = clips_made.written(f"as {name}", tmp_path)
    found = komadori.load(path)
    assert [role for role, right in clips_made.roles_right(found.skeleton, truth.skeleton).items() if not right] == []
    assert clips_made.apart_m(found, truth) < 0.01
    assert roles.body_plan(found.skeleton, found.pose(0)) == "biped"
    tall = stature(found.skeleton)
    assert tall is not None
    assert 1.4 < TALL * tall < 1.8


def test_a_wrong_role_would_be_seen(tmp_path: Path) -> None:
    path, truth = clips_made.written("as LAFAN1", tmp_path)
    found = komadori.load(path).skeleton
    swapped = {**found.roles, "left_hand": found.roles["right_hand"], "right_hand": found.roles["left_hand"]}
    right = clips_made.roles_right(found.with_roles(swapped), truth.skeleton)
    assert [role for role, good in right.items() if not good] == ["left_hand", "right_hand"]


@pytest.mark.parametrize("unit_m", [0.3048, 1e-5, 30.0])
def test_a_person_in_a_unit_that_nobody_knows_is_still_a_person(unit_m: float, tmp_path: Path) -> None:
    found, _ = read(replace(CONVENTIONS["Mixamo"], unit_m=unit_m), tmp_path)
    tall = stature(found.skeleton)
    assert tall is not None
    assert 1.0 < TALL * tall < 2.3
    assert found.notes[0].startswith("No unit in the file")
    assert found.notes[0].in_language("ja") != found.notes[0]


def test_wings_do_not_make_a_person_small(tmp_path: Path) -> None:
    # Four metres from tip to tip: along the bones, centimetres would be too many.
    wings = "{}Wing1=upper_chest@0.3,0.2,0({}Wing2=upper_chest@1.2,0.9,0({}Wing3=upper_chest@2.2,0.8,0))"
    told = CONVENTIONS["LAFAN1"]
    found, truth = read(replace(told, tree=told.tree.replace("Neck=neck", f"{wings} Neck=neck")), tmp_path)
    tall = stature(found.skeleton)
    assert tall is not None
    assert 1.4 < TALL * tall < 1.8
    assert clips_made.apart_m(found, truth) < 0.01


def test_a_guess_stays_where_the_body_can_be_so_large(tmp_path: Path) -> None:
    found, _ = read(CONVENTIONS["Mixamo"], tmp_path)
    scale, note = units.guessed(found.skeleton, 0.01)
    assert scale == 0.01
    assert note is not None
    assert "assumed centimetres" in note
    nobody = found.skeleton.with_roles({})
    assert units.guessed(nobody, 7.0) == (7.0, None)


def test_the_motion_alone_tells_up_where_the_rest_pose_is_that_of_no_body(tmp_path: Path) -> None:
    told = CONVENTIONS["Unreal, in place"]
    for up in axes.UPS:
        found, truth = read(replace(told, up=up), tmp_path)
        assert clips_made.apart_m(found, truth) < 0.01
    # One that stands along Y at rest, and lies down along Z for a whole clip, on a floor that is not at 0.
    path, truth = clips_made.written("as Mixamo", tmp_path)
    standing = replace(CONVENTIONS["Mixamo"], zero="T")
    found, truth = read(standing, tmp_path)
    lying = komadori.quat.from_axis_angle((1.0, 0.0, 0.0), np.pi / 2)
    rotations, positions = np.array(truth.rotations), np.array(truth.positions)
    rotations[:, 0] = komadori.quat.multiply(lying, rotations[:, 0])
    positions[:, 0] = komadori.quat.rotate(lying, positions[:, 0]) + np.array([0.0, 3.0, 5.0])
    laid = truth.replaced(rotations=rotations, positions=positions)
    path.write_bytes(clips_conventions._text(laid, standing).encode())
    assert clips_made.apart_m(komadori.load(path), laid) < 0.01


@pytest.mark.parametrize("name", ["positions alone", "Axis Neuron, named body"])
def test_places_of_the_rows_are_the_bones_where_offsets_are_those_of_another_body(name: str, tmp_path: Path) -> None:
    path, truth = clips_made.written(f"as {name}", tmp_path)
    found = komadori.load(path)
    lengths = np.linalg.norm(found.skeleton.offsets, axis=1)
    known = {name: float(np.linalg.norm(bone)) for name, bone in zip(truth.skeleton.names, truth.skeleton.offsets, strict=True)}  # fmt: skip
    for joint in range(1, len(found.skeleton)):
        assert lengths[joint] == pytest.approx(known[found.skeleton.names[joint]], abs=1e-6)
    # Written and read again it is the same.
    komadori.save(found, tmp_path / "again.bvh")
    again = komadori.load(tmp_path / "again.bvh")
    np.testing.assert_allclose(again.world_positions(), found.world_positions(), atol=1e-6)
