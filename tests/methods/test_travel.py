"""Root motion: nothing moves in the world but what was asked for, and summed steps give the path back."""

from __future__ import annotations

from pathlib import Path as File

import numpy as np
import pytest

import komadori
from komadori import quat
from komadori.characters import character, sample
from komadori.cli import run
from komadori.methods.travel import Path, path_of, travel
from komadori.motion import Motion

from realdata import real, reals

CLIPS = reals("human_cmu_bvh/*.bvh")[::8]


def spun(turns: float = 1.5) -> Motion:
    """A walk on a circle, so that travel and heading both change; heads past a half turn."""
    walk = sample("walk")
    angle = np.linspace(0.0, 2.0 * np.pi * turns, len(walk))
    about = quat.from_axis_angle([0.0, 1.0, 0.0], angle)
    rotations, positions = np.array(walk.rotations), np.array(walk.positions)
    rotations[:, 0] = quat.multiply(about, rotations[:, 0])
    positions[:, 0] = quat.rotate(about, positions[:, 0] * (0.0, 1.0, 0.0) + (2.0, 0.0, 0.0))
    return walk.replaced(rotations, positions)


def rooted(motion: Motion) -> Motion:
    """The same clip on a body that has a joint above its hips."""
    return travel(motion, root="extracted").motion


def summed(path: Path) -> Path:
    return Path.summed(path.places[0], float(path.headings[0]), path.deltas)


@pytest.mark.parametrize("path", CLIPS)
def test_summed_steps_give_the_path_back_on_real_clips(path: File) -> None:
    motion = komadori.load(path)
    found = path_of(motion)
    again = summed(found)
    assert np.abs(again.places - found.places).max() < 1e-10
    assert np.abs(again.headings - found.headings).max() < 1e-10
    extracted = travel(motion, root="extracted").motion
    world = extracted.world_positions()
    assert np.abs(world[:, 1:] - motion.world_positions()).max() < 1e-12
    # What an engine does: the root goes by summed steps, the body in its frame.
    assert np.abs(world[:, 0] - again.places).max() < 1e-10


@pytest.mark.parametrize("make", [spun, lambda: rooted(spun())], ids=["hips", "root"])
def test_extracted_stands_on_the_ground_and_keeps_the_world(make: object) -> None:
    motion = make() if callable(make) else None
    assert motion is not None
    result = travel(motion, root="extracted")
    world = result.motion.world_positions()
    assert np.abs(world[:, -len(motion.skeleton) + 0 :][:, -20:] - motion.world_positions()[:, -20:]).max() < 1e-12
    assert np.abs(world[:, 0, 1]).max() < 1e-12
    assert result.motion.skeleton.names[0] == "root"
    # The hips no longer travel or turn in the root's frame.
    hips = result.motion.skeleton.roles["hips"]
    assert np.abs(result.motion.positions[:, hips, [0, 2]]).max() < 1e-9
    assert float(np.degrees(result.path.headings[-1] - result.path.headings[0])) == pytest.approx(540.0, abs=1.0)


@pytest.mark.parametrize("above", [False, True])
def test_in_place_stays_where_it_starts_with_the_same_pose(above: bool) -> None:
    motion = rooted(spun()) if above else spun()
    made = travel(motion, root="in-place").motion
    hips = motion.skeleton.roles["hips"]
    world, before = made.world_positions(), motion.world_positions()
    assert np.abs(world[:, hips, [0, 2]] - before[0, hips, [0, 2]]).max() < 1e-12
    assert np.abs(world[:, hips, 1] - before[:, hips, 1]).max() < 1e-12
    # The pose, seen from the hips, is the same: only whole turns about the vertical axis differ.
    assert (
        np.abs(
            np.linalg.norm(world - world[:, [hips]], axis=2) - np.linalg.norm(before - before[:, [hips]], axis=2)
        ).max()
        < 1e-9
    )
    assert np.abs(world[0] - before[0]).max() < 1e-12
    only_travel = travel(motion, root="in-place", heading=False).motion.world_positions()
    assert np.abs(only_travel - only_travel[:, [hips]] - (before - before[:, [hips]])).max() < 1e-9


@pytest.mark.parametrize("root", ["kept", "in-place", "extracted"])
@pytest.mark.parametrize("held", [False, True])
def test_a_closed_loop_ends_as_it_began(root: str, held: bool) -> None:
    walk = sample("walk")[5:60]
    if held:
        walk = walk.taken(np.arange(len(walk)) // 2 * 2)
    result = travel(walk, root=root, loop=True)
    assert result.gap_deg > 5.0
    assert travel(result.motion).gap_deg < 1e-5
    assert np.array_equal(result.motion.world_positions()[0], travel(walk, root=root).motion.world_positions()[0])
    # Drawings that were held are held still, and the path is what it was.
    shown = lambda motion: len({frame.tobytes() for frame in motion.rotations})  # noqa: E731
    assert shown(result.motion) <= shown(walk)
    assert np.abs(path_of(result.motion).places[-1] - result.path.places[-1]).max() < 0.1 or root == "in-place"


def test_kept_is_the_very_clip() -> None:
    walk = sample("walk")
    assert travel(walk).motion is walk


def test_ends_that_do_not_meet_are_told_of() -> None:
    assert any("hardly a loop" in note for note in travel(sample("kick")[:20], loop=True).notes)
    assert not travel(sample("walk"), loop=True).notes


def test_convert_takes_root_and_loop(tmp_path: File, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "walk.bvh"
    assert run(["convert", "sample:walk", str(out), "--root", "in-place", "--loop"]) == 0
    back = komadori.load(out)
    assert np.ptp(back.world_positions()[:, 0, [0, 2]], axis=0).max() < 1e-6
    assert run(["travel", "sample:walk", "-o", str(tmp_path / "walk.glb"), "--root", "extracted"]) == 0
    assert "5.20 m" in capsys.readouterr().out
    assert komadori.load(tmp_path / "walk.glb").skeleton.names[0] == "root"


def test_a_file_with_a_root_of_its_own_keeps_its_skin(tmp_path: File) -> None:
    """The fox has joints above its hips: the path goes onto the topmost, and the file is carried."""
    motion = komadori.load(real("quadruped_gltf/Fox.glb"), clip="Run")
    made = travel(motion, root="extracted").motion
    if made.skeleton.names == motion.skeleton.names:
        komadori.save(made, tmp_path / "Fox.glb")
        assert komadori.load_character(tmp_path / "Fox.glb").meshes
    assert np.abs(made.world_positions()[:, -5:] - motion.world_positions()[:, -5:]).max() < 1e-6


def test_a_girl_extracted_keeps_her_roles() -> None:
    made = travel(komadori.retarget(sample("walk"), character("girl")).motion, root="extracted").motion
    for role, joint in made.skeleton.roles.items():
        assert made.skeleton.names[joint] == character("girl").skeleton.names[character("girl").skeleton.roles[role]]
