"""New VRM avatars: three-vrm finds the bones, springs and faces that the character has, and the validator has nothing to say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gltf_judge import faults, needs_judge, said_of
from test_vrm_judges import READY, WITHIN_M, farthest_m, judged

import komadori
from komadori import formats, quat
from komadori.character import Character, Toon
from komadori.characters import character, sample
from komadori.errors import FormatError
from komadori.formats.gltf.surfaces import to_linear
from komadori.springs import Collider, Spring, SpringBones, SpringJoint

from realdata import real

needs_three = pytest.mark.skipif(not READY, reason="three-vrm is not at hand (make judges)")
SHAPES = (
    Collider(4, "sphere", (0.0, 0.1, 0.02), 0.09),
    Collider(3, "capsule", (0.0, 0.0, 0.0), 0.1, (0.0, 0.2, 0.0)),
    Collider(2, "plane", (0.0, 0.1, 0.0), normal=(0.0, 0.0, 1.0)),
    Collider(5, "sphere", (0.0, 0.0, 0.0), 0.3, inside=True),
)


def girl() -> Character:
    """The built-in girl with spring bones that meet every shape."""
    made = character("girl")
    settings = SpringJoint(-1, 0.7, (0.0, -0.2, 0.1), 0.3, 0.02)
    springs = [
        Spring(chain.name, tuple(replace(settings, joint=joint) for joint in chain.joints), colliders=(0, 1, 2, 3))
        for chain in made.chain_hints
    ]
    springs[1] = replace(springs[1], colliders=(1,), centre=0)
    return replace(made, springs=SpringBones(tuple(springs), SHAPES))


@pytest.mark.parametrize("kind", ["girl", "mannequin", "stated", "pmx"])
def test_a_new_avatar_comes_back(kind: str, tmp_path: Path) -> None:
    if kind == "pmx":
        given = formats.load_character(next(iter(sorted(real("character_mmd/Gene").glob("*.pmx")))))
    else:
        given = girl() if kind == "stated" else character(kind)
    motion = komadori.retarget(sample("walk"), given).motion
    formats.save(given, tmp_path / "a.vrm", motions={"walk": motion})
    back = formats.load_character(tmp_path / "a.vrm")
    assert np.abs(back.motions["walk"].world_positions() - motion.world_positions()).max() < 1e-5
    assert set(back.expressions) == set(given.expressions)
    for name, weights in given.expressions.items():
        assert sum(back.expressions[name].values()) == pytest.approx(sum(weights.values()))
    assert len(back.springs.springs) == sum(len(chain.joints) > 1 for chain in given.chain_hints)
    assert [m.shade is None for m in back.materials] == [m.shade is None and m.outline is None for m in given.materials]
    for old, new in zip(given.materials, back.materials, strict=True):
        assert new.outline_m == pytest.approx(old.outline_m if old.outline is not None else 0.0)
        if old.shade is not None:
            assert new.shade == pytest.approx(old.shade, abs=1e-6)


def test_springs_and_colliders_are_the_same_again(tmp_path: Path) -> None:
    given = girl()
    formats.save(given, tmp_path / "a.vrm")
    back = formats.load_character(tmp_path / "a.vrm")
    assert [back.skeleton.names[c.joint] for c in back.springs.colliders] == [
        given.skeleton.names[c.joint] for c in SHAPES
    ]
    assert [replace(c, joint=0) for c in back.springs.colliders] == [replace(c, joint=0) for c in SHAPES]
    for old, new in zip(given.springs.springs, back.springs.springs, strict=True):
        assert (new.name, new.colliders, new.tip) == (old.name, old.colliders, None)
        assert (new.centre == -1) == (old.centre == -1)
        for a, b in zip(old.joints, new.joints, strict=True):
            assert back.skeleton.names[b.joint] == given.skeleton.names[a.joint]
            assert b.gravity == pytest.approx(a.gravity)
            assert replace(b, joint=0, gravity=a.gravity) == replace(a, joint=0)


def test_a_last_bone_of_its_own_gets_a_joint_at_its_end(tmp_path: Path) -> None:
    given = girl()
    first = replace(given.springs.springs[0], tip=(0.0, -0.07, 0.0))
    formats.save(replace(given, springs=SpringBones((first,))), tmp_path / "a.vrm")
    (spring,) = formats.load_character(tmp_path / "a.vrm").springs.springs
    assert len(spring.joints) == len(first.joints) + 1


@needs_three
@pytest.mark.parametrize("kind", ["girl", "stated", "hanging"])
def test_three_vrm_sees_the_same_avatar(kind: str, tmp_path: Path) -> None:
    given = girl() if kind != "girl" else character("girl")
    if kind == "hanging":
        given = hanging(given)
    motion = komadori.retarget(sample("kick"), given).motion
    formats.save(given, tmp_path / "a.vrm", motions={"kick": motion})
    frames = [0, 10, len(motion) - 1]
    said = judged("vrm_poses.mjs", tmp_path / "a.vrm", "own", *[str(frame / motion.fps) for frame in frames])
    back = formats.load_character(tmp_path / "a.vrm")
    assert said["version"] == "1"
    assert farthest_m(said, back, back.motions["kick"], frames) < WITHIN_M
    assert np.abs(back.motions["kick"].world_positions() - motion.world_positions()).max() < 1e-5
    assert set(said["expressions"]) == set(given.expressions)
    assert said["springs"] == sum(len(chain.joints) - 1 for chain in given.chain_hints)


@needs_judge
@pytest.mark.parametrize("kind", ["girl", "stated", "mannequin", "hanging"])
def test_the_validator_finds_no_fault(kind: str, tmp_path: Path) -> None:
    given = {"girl": character("girl"), "stated": girl(), "mannequin": character("mannequin")}.get(
        kind, hanging(girl())
    )
    formats.save(given, tmp_path / "a.vrm", motions={"walk": komadori.retarget(sample("walk"), given).motion})
    (told,) = said_of(tmp_path / "a.vrm")
    assert not faults(told), told


def hanging(given: Character) -> Character:
    """The character at rest with its arms 40 degrees down."""
    skeleton, rest = given.skeleton, np.array(given.skeleton.rest)
    for side, sign in (("left", -1.0), ("right", 1.0)):
        joint = skeleton.roles[f"{side}_upper_arm"]
        turned, _ = given.rest.world_transforms()
        above = turned[0, skeleton.parents[joint]]
        down = quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), sign * np.radians(40.0))
        world = quat.multiply(down, quat.multiply(above, rest[joint]))
        rest[joint] = quat.multiply(quat.inverse(above), world)
    return replace(given, skeleton=replace(skeleton, rest=rest), motions={})


def test_hanging_arms_are_raised_and_told_of(tmp_path: Path) -> None:
    given = hanging(girl())
    assert any("T-pose" in note for note in formats.left_out(given, "a.vrm"))
    assert not any("T-pose" in note for note in formats.left_out(girl(), "a.vrm"))
    formats.save(given, tmp_path / "a.vrm")
    back = formats.load_character(tmp_path / "a.vrm")
    places = back.rest.world_positions()[0]
    arm = places[back.skeleton.roles["left_hand"]] - places[back.skeleton.roles["left_upper_arm"]]
    assert arm[0] > 0.95 * np.linalg.norm(arm)


def test_an_animal_is_no_avatar(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="a body on four legs cannot be an avatar"):
        formats.save(character("horse"), tmp_path / "a.vrm")
    assert not (tmp_path / "a.vrm").exists()


@needs_three
@pytest.mark.parametrize("kind", ["0.x", "1.0"])
def test_three_vrm_reads_the_same_toon_settings(kind: str, tmp_path: Path) -> None:
    """VRM 0.x states shift, toony and rim in other terms than 1.0, and three-vrm turns them over as well."""
    path = real("character_vrm/Godette_vrm_v4.vrm") if kind == "0.x" else tmp_path / "a.vrm"
    if kind == "1.0":
        toon, given = Toon(-0.2, 0.7, (0.25, 0.5, 0.75), 3.0, 0.1, 0.5), character("girl")
        formats.save(replace(given, materials=tuple(replace(one, toon=toon) for one in given.materials)), path)
    said = judged("vrm_materials.mjs", path)
    ours = {material.name: material.toon for material in formats.load_character(path).materials}
    assert said
    for label, told in said.items():
        shading = ours[label]
        assert shading is not None
        assert (shading.shift, shading.toony) == pytest.approx((told["shift"], told["toony"]), abs=1e-6)
        assert (shading.rim_power, shading.rim_lift, shading.rim_mix) == pytest.approx(
            (told["power"], told["lift"], told["mix"]), abs=1e-6
        )
        # three-vrm takes a power of 2.2 for 0.x where we take sRGB's own curve.
        within = 5e-3 if kind == "0.x" else 1e-4
        assert [to_linear(value) for value in shading.rim] == pytest.approx(told["rim"], abs=within)


@pytest.mark.parametrize("suffix", [".vrm", ".glb"])
def test_toon_settings_come_back(suffix: str, tmp_path: Path) -> None:
    toon = Toon(-0.2, 0.7, (0.25, 0.5, 0.75), 3.0, 0.1, 0.5)
    given = character("girl")
    given = replace(given, materials=tuple(replace(one, toon=toon, shade=(0.5, 0.4, 0.3)) for one in given.materials))
    formats.save(given, tmp_path / f"a{suffix}")
    for material in formats.load_character(tmp_path / f"a{suffix}").materials:
        assert material.toon is not None
        assert material.toon.numbers() == pytest.approx(toon.numbers(), abs=1e-6)
