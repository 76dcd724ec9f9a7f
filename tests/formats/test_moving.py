"""Which animation of a file is taken, and where a new one is written."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from extras import needs

import komadori
from komadori import formats
from komadori.characters import character as built_in
from komadori.characters import sample
from komadori.formats import moving
from komadori.motion import Motion

from bodies import tree, wander
from realdata import real


def still(motion: Motion, frames: int) -> Motion:
    return motion.taken(np.zeros(frames, dtype=int))


def names_in(data: bytes) -> list[str]:
    """The animations of a GLB in the order in which viewers see them."""
    document = json.loads(data[20 : 20 + struct.unpack("<I", data[12:16])[0]])
    return [animation["name"] for animation in document["animations"]]


def test_what_moves() -> None:
    motion = wander(tree(5), 20)
    assert motion.moves
    assert not still(motion, 20).moves
    assert not motion[:1].moves
    # A body that only slides moves all the same, and noise in the last digits does not count.
    slid = still(motion, 20)
    way = np.array(slid.positions)
    way[:, 0, 0] += np.linspace(0.0, 0.5, 20)
    assert slid.replaced(positions=way).moves
    noise = 1e-7 * np.random.default_rng(0).normal(size=way.shape)
    assert not slid.replaced(positions=slid.positions + noise).moves


@pytest.mark.parametrize("suffix", [".glb", ".gltf", pytest.param(".usda", marks=needs("pxr"))])
def test_the_animation_that_moves_is_taken_and_the_others_are_named(suffix: str, tmp_path: Path) -> None:
    kick = sample("kick")
    motions = {"Take_001": still(kick, 30), "mixamo_com": kick, "other": sample("walk")}
    file = tmp_path / f"many{suffix}"
    komadori.save(built_in("mannequin"), file, motions=motions)
    motion = komadori.load(file)
    assert len(motion) == len(kick)
    assert np.abs(motion.world_positions() - kick.world_positions()).max() < 1e-4
    note = next(note for note in motion.notes if "Took the animation" in note)
    assert "Took the animation mixamo_com. The file also holds Take_001, other" in note
    # By name even what stands still is taken.
    assert len(komadori.load(file, clip="Take_001")) == 30


def test_one_animation_is_not_worth_a_note(tmp_path: Path) -> None:
    komadori.save(sample("walk"), tmp_path / "walk.glb")
    assert not any("Took" in note for note in komadori.load(tmp_path / "walk.glb").notes)


@needs("ufbx")
def test_fbx_animations_are_weighed_too() -> None:
    horse = formats.load_character(real("quadruped_fbx/quaternius_Horse.fbx"))
    motions = {"Take 001": still(horse.motions["Armature|Run"], 9), **horse.motions}
    taken = moving.chosen(list(motions), motions.__getitem__)
    assert len(taken) == len(horse.motions["Armature|Death"])
    assert "Take 001" in taken.notes[-1]


def test_a_new_animation_comes_first_in_a_file_that_has_others(tmp_path: Path) -> None:
    file = tmp_path / "old.glb"
    komadori.save(built_in("mannequin"), file, motions={"idle": sample("walk"), "run": sample("walk")[::2]})
    old = formats.load_character(file)
    new = formats.encoded(old, "new.glb", motions={"kick": sample("kick")})
    assert names_in(new) == ["kick", "idle", "run"]
    # What was there is there as it was, and a changed one stays in its place.
    (tmp_path / "new.glb").write_bytes(new)
    again = formats.load_character(tmp_path / "new.glb")
    for name, motion in old.motions.items():
        np.testing.assert_array_equal(again.motions[name].rotations, motion.rotations)
    assert names_in(formats.encoded(old, "new.glb", motions={"run": sample("kick")})) == ["idle", "run"]


def test_animations_that_an_extension_may_count_stay_where_they_are(tmp_path: Path) -> None:
    file = tmp_path / "old.gltf"
    komadori.save(built_in("mannequin"), file, motions={"idle": sample("walk")})
    document = json.loads(file.read_text())
    document["extensions"] = {"ACME_states": {"startAnimation": 0}}
    file.write_text(json.dumps(document))
    new = formats.encoded(formats.load_character(file), "new.glb", motions={"kick": sample("kick")})
    assert names_in(new) == ["idle", "kick"]
