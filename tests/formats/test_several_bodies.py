"""Two people in one file: the first is worked with, the other is named, and either can be taken alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import komadori
from komadori import OptionError, quat
from komadori.characters import character, sample
from komadori.motion import Motion
from komadori.skeleton import Skeleton


def together(first: Motion, second: Motion, carried: bool) -> Motion:
    """Both in one skeleton: as two trees, or below one node that carries them."""
    count = min(len(first), len(second))
    one, other = first.skeleton, second.skeleton
    names = [*(f"Ann:{name}" for name in one.names), *(f"Bob:{name}" for name in other.names)]
    parents = [*one.parents, *(np.where(other.parents < 0, -1, other.parents + len(one)))]
    rotations = np.concatenate([first.rotations[:count], second.rotations[:count]], axis=1)
    positions = np.concatenate([first.positions[:count], second.positions[:count]], axis=1)
    offsets = np.concatenate([one.offsets, other.offsets])
    if carried:
        names, parents = ["World", *names], [-1, *(parent + 1 if parent >= 0 else 0 for parent in parents)]
        rotations = np.concatenate([quat.identity(count, 1), rotations], axis=1)
        positions = np.concatenate([np.zeros((count, 1, 3)), positions], axis=1)
        offsets = np.concatenate([np.zeros((1, 3)), offsets])
    return Motion(Skeleton(tuple(names), np.array(parents), offsets), first.fps, rotations, positions)


def still(motion: Motion) -> Motion:
    return motion.taken(np.zeros(len(motion), dtype=int))


@pytest.mark.parametrize("carried", [False, True])
@pytest.mark.parametrize("suffix", [".bvh", ".glb"])
def test_the_first_body_is_worked_with_and_the_other_can_be_taken(suffix: str, carried: bool, tmp_path: Path) -> None:
    kick, walk, path = sample("kick"), sample("walk"), tmp_path / f"two{suffix}"
    komadori.save(together(kick, walk, carried), path)
    both = komadori.load(path, kind="motion")
    names = both.skeleton.names
    assert {names[joint].split(":")[0] for joint in both.skeleton.roles.values()} == {"Ann"}
    note = next(note for note in both.notes if note.template.startswith("The file holds {count} bodies"))
    assert (note.values["count"], note.values["name"], note.values["others"]) == (2, "Ann:hips", "Bob:hips")
    for name, truth in (("Ann", kick), ("Bob", walk)):
        alone = komadori.load(f"{path}#{name}:hips", kind="motion")
        assert all(joint.startswith((name, "World")) for joint in alone.skeleton.names)
        assert {role: alone.skeleton.names[joint] for role, joint in alone.skeleton.roles.items()} == {
            role: f"{name}:{truth.skeleton.names[joint]}" for role, joint in truth.skeleton.roles.items()
        }
        order = [alone.skeleton.names.index(f"{name}:{joint}") for joint in truth.skeleton.names]
        places = alone.world_positions()[:, order]
        assert places == pytest.approx(truth.world_positions()[: len(places)], abs=1e-5)
        assert not [note for note in alone.notes if note.template.startswith("The file holds {count} bodies")]


def test_a_body_that_stands_still_is_not_the_first(tmp_path: Path) -> None:
    path = tmp_path / "two.bvh"
    komadori.save(together(still(sample("kick")), sample("walk"), carried=False), path)
    both = komadori.load(path, kind="motion")
    assert both.skeleton.names[both.skeleton.roles["hips"]] == "Bob:hips"


def test_a_name_that_no_body_has_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "two.bvh"
    komadori.save(together(sample("kick"), sample("walk"), carried=False), path)
    with pytest.raises(OptionError):
        komadori.load(f"{path}#Cid:hips", kind="motion")


def test_one_body_is_never_taken_apart(tmp_path: Path) -> None:
    for name in ("girl", "horse"):
        motion = Motion(character(name).skeleton, 24.0, *(np.repeat(a[None], 3, axis=0) for a in (character(name).skeleton.rest, character(name).skeleton.offsets)))  # fmt: skip
        komadori.save(motion, tmp_path / "one.bvh")
        found = komadori.load(tmp_path / "one.bvh", kind="motion")
        assert not [note for note in found.notes if note.template.startswith("The file holds {count} bodies")]
        with pytest.raises(OptionError):
            komadori.load(f"{tmp_path / 'one.bvh'}#hips", kind="motion")
