"""VRM avatars written back: nothing is lost, and motions land on them the right way round."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import vrm_files

import komadori
from komadori import quat
from komadori.character import Character
from komadori.characters import humanoid, sample
from komadori.errors import FormatError
from komadori.formats import gltf, load_character, save, vrm
from komadori.formats.vrm.facing import turned_clip
from komadori.formats.vrm.normalised import normalised, posed
from komadori.keyed import Keyed, keyed
from komadori.motion import Motion

from realdata import real, reals

AVATARS = reals("character_vrm/*.vrm", "character_vrm/springbone/*.vrm")
TOLERANCE_M = 2e-6
"""Turns and places are 32 bit numbers in a file."""


def read(made: dict[str, Any]) -> Character:
    return vrm.read(vrm_files.packed(made), "made.vrm")


def as_said(data: bytes) -> dict[str, Any]:
    """A file's JSON without what says where its bytes lie."""
    made: dict[str, Any] = json.loads(json.dumps(gltf.parse(data, "x").json))
    for key in ("bufferViews", "buffers"):
        made.pop(key, None)
    return made


def contents(data: bytes) -> list[Any]:
    """The values of all accessors and the bytes of all pictures of a file."""
    document = gltf.parse(data, "x")
    values = [document.accessor(n).tolist() for n in range(len(document.listed("accessors")))]
    return [*values, *(document.image(n).data for n in range(len(document.listed("images"))))]


@pytest.mark.parametrize("path", AVATARS)
def test_an_untouched_avatar_is_written_back_whole(path: Path) -> None:
    data = path.read_bytes()
    back = vrm.emit(vrm.read(data, path.name))
    assert as_said(back) == as_said(data)
    assert contents(back) == contents(data)


@pytest.mark.parametrize("path", AVATARS)
def test_an_avatar_with_a_motion_keeps_all_that_it_had(path: Path) -> None:
    data = path.read_bytes()
    avatar = vrm.read(data, path.name)
    rest, turns = avatar.rest, np.repeat(avatar.rest.rotations, 5, axis=0)
    turns[:, 0] = quat.multiply(
        quat.from_axis_angle([0.0, 1.0, 0.0], 0.1 * np.arange(5)),
        turns[:, 0],
    )
    spin = Motion(avatar.skeleton, 24.0, turns, np.repeat(rest.positions, 5, axis=0))
    written = vrm.emit(avatar, {"spin": spin})
    before, after = as_said(data), as_said(written)
    assert [one["name"] for one in after.pop("animations")] == ["spin"]
    assert after["accessors"][: len(before["accessors"])] == before["accessors"]
    for made in (before, after):
        made.pop("accessors")
    assert after == before
    back = vrm.read(written, path.name)
    assert back.motions["spin"].world_positions() == pytest.approx(spin.world_positions(), abs=TOLERANCE_M)
    assert back.springs == avatar.springs
    assert back.chain_hints == avatar.chain_hints
    assert back.expressions == avatar.expressions
    assert back.materials == avatar.materials
    assert back.meta == avatar.meta
    assert back.skeleton.roles == avatar.skeleton.roles


@pytest.mark.parametrize("made", [vrm_files.avatar_0(), vrm_files.avatar_1()], ids=["0.x", "1.0"])
@pytest.mark.parametrize("suffix", [".vrm", ".glb", ".gltf"])
def test_motions_come_back_through_any_suffix(made: dict[str, Any], suffix: str, tmp_path: Path) -> None:
    avatar = read(made)
    dance = posed(avatar.skeleton, normalised(sample("pitch")))
    path = tmp_path / f"dancer{suffix}"
    save(avatar, path, motions={"pitch": dance})
    back = load_character(path)
    assert back.meta["format"] == avatar.meta["format"]
    assert back.motions["pitch"].world_positions() == pytest.approx(dance.world_positions(), abs=TOLERANCE_M)
    # The motion alone, read from the avatar's file and saved into it again, still looks the same way.
    alone = komadori.load(path)
    assert alone.world_positions() == pytest.approx(dance.world_positions(), abs=TOLERANCE_M)
    assert alone.skeleton.roles == avatar.skeleton.roles
    changed = alone.taken(np.arange(12) // 2 * 2)
    komadori.save(changed, tmp_path / "again.glb")
    again = load_character(tmp_path / "again.glb").motions["pitch"]
    assert again.world_positions() == pytest.approx(changed.world_positions(), abs=TOLERANCE_M)


def test_a_motion_of_the_avatars_own_is_changed_and_stays_the_right_way_round() -> None:
    plain = read(vrm_files.avatar_0())
    dance = posed(plain.skeleton, normalised(sample("pitch")))
    avatar = vrm.read(vrm.emit(plain, {"pitch": dance}), "x")
    untouched = vrm.read(vrm.emit(avatar), "x").motions["pitch"]
    assert np.array_equal(untouched.rotations, avatar.motions["pitch"].rotations)
    twos = avatar.motions["pitch"].taken(np.arange(40) // 2 * 2)
    back = vrm.read(vrm.emit(replace(avatar, motions={"pitch": twos})), "x").motions["pitch"]
    assert back.world_positions() == pytest.approx(twos.world_positions(), abs=TOLERANCE_M)


def test_a_dance_on_a_vrm_0_looks_along_minus_z_in_its_file_and_plus_z_here() -> None:
    avatar = read(vrm_files.avatar_0())
    dance = posed(avatar.skeleton, normalised(sample("pitch")))
    written = gltf.parse(vrm.emit(avatar, {"pitch": dance}), "x")
    plain = gltf.character_of(written, range(len(written.nodes))).motions["pitch"]
    there = plain.world_positions()[:, plain.skeleton.index("b_left_hand")]
    here = dance.world_positions()[:, dance.skeleton.index("b_left_hand")]
    assert there == pytest.approx(here * [-1.0, 1.0, -1.0], abs=TOLERANCE_M)


@pytest.mark.parametrize("interpolation", ["stepped", "linear", "bezier"])
def test_keys_are_written_as_keys_and_the_right_way_round(interpolation: Any) -> None:
    avatar = read(vrm_files.avatar_0())
    dance = posed(avatar.skeleton, normalised(sample("pitch")))
    keys = keyed(dance, np.arange(0, len(dance), 4), interpolation)
    back = vrm.read(vrm.emit(avatar, {"pitch": keys}), "x").motions["pitch"]
    assert back.world_positions() == pytest.approx(keys.motion().world_positions(), abs=1e-5)
    round_trip = turned_clip(turned_clip(keys), -1.0)
    assert isinstance(round_trip, Keyed)
    assert round_trip.motion().world_positions() == pytest.approx(keys.motion().world_positions(), abs=1e-12)


def test_only_a_humanoid_can_be_an_avatar() -> None:
    """Any humanoid becomes a new one (test_vrm_making.py)."""
    skeleton = humanoid()
    roles = {role: joint for role, joint in skeleton.roles.items() if role != "left_foot"}
    with pytest.raises(FormatError, match="no joint for leftFoot; only a whole humanoid"):
        vrm.emit(Character("mannequin", skeleton.with_roles(roles)))


def test_a_vrm_without_motion_loads_as_its_rest_pose(tmp_path: Path) -> None:
    path = tmp_path / "still.vrm"
    path.write_bytes(vrm_files.packed(vrm_files.avatar_0()))
    motion = komadori.load(path)
    assert len(motion) == 1
    assert any("no animation" in note for note in motion.notes)
    with pytest.raises(komadori.OptionError, match=r"expected an animation in .*, found 'walk'"):
        komadori.load(path, clip="walk")
    with pytest.raises(komadori.OptionError, match="unit"):
        komadori.load(path, unit="cm")


def test_a_vrma_lands_on_a_real_avatar() -> None:
    avatar = vrm.read(real("character_vrm/Godette_vrm_v4.vrm").read_bytes(), "godette")
    idle = komadori.load(real("character_vrma/chatvrm_idle_loop.vrma"))
    motion = posed(avatar.skeleton, normalised(idle))
    back = vrm.read(vrm.emit(avatar, {"idle": motion}), "godette").motions["idle"]
    assert back.fps == 24.0
    assert back.world_positions() == pytest.approx(motion.world_positions(), abs=TOLERANCE_M)
