"""FBX as we write it: ufbx finds every key where it should be and as stepped as it should be, and all comes back as it was."""

from __future__ import annotations

import struct
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from extras import PIXEL, needs, small_character
from ufbx_judge import KEYS, asked

import komadori
from komadori import formats, quat
from komadori.character import Character, Image, Material, inverse_binds
from komadori.characters import character as built_in
from komadori.characters import sample
from komadori.errors import OptionError
from komadori.formats import fbx, rigid
from komadori.formats.angles import flowing, nearest
from komadori.formats.fbx.records import FILE_ID, Section, encoded, record
from komadori.keyed import Interpolation, Keyed, keyed
from komadori.motion import Motion
from komadori.numerics import bezier
from komadori.skeleton import Skeleton
from komadori.skinning import skinned

from bodies import tree, wander
from realdata import reals

with_fbx = needs("ufbx")
NEAR_MM, NEAR_DEG = 0.01, 0.001


def apart_by(a: Motion, b: Motion) -> tuple[float, float]:
    """Millimetres and degrees between the joints of two motions, at worst, in the world."""
    assert a.skeleton.names == b.skeleton.names
    assert np.array_equal(a.skeleton.parents, b.skeleton.parents)
    assert (len(a), a.fps) == (len(b), b.fps)
    (turned, places), (other, there) = a.world_transforms(), b.world_transforms()
    sine = np.linalg.norm(quat.multiply(quat.inverse(turned), other)[..., :3], axis=-1).max()
    return 1000.0 * float(np.abs(places - there).max()), float(np.degrees(2.0 * np.arcsin(min(sine, 1.0))))


def corners(character: Character, motion: Motion) -> np.ndarray:
    """Where every corner of every triangle is, (F, C, 3)."""
    places = skinned(character, motion)[0]
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in character.meshes)])
    listed = [start + mesh.triangles.reshape(-1) for start, mesh in zip(starts, character.meshes, strict=False)]
    return np.asarray(places[:, np.concatenate(listed)])


def there_and_back(character: Character, folder: Path) -> Character:
    formats.save(character, folder / "a.fbx")
    return formats.load_character(folder / "a.fbx")


# The bytes


def test_every_record_ends_where_it_says() -> None:
    data = formats.encoded(small_character(), "a.fbx")
    assert data.startswith(b"Kaydara FBX Binary  \x00\x1a\x00" + struct.pack("<I", 7500))

    def records(at: int, end: int) -> Iterator[tuple[str, int]]:
        while at < end:
            stop, count, size, letters = struct.unpack_from("<QQQB", data, at)
            if (stop, count, size, letters) == (0, 0, 0, 0):
                yield "", at + 25
                return
            name = data[at + 25 : at + 25 + letters].decode()
            inside = at + 25 + letters + size
            if inside < stop:
                *_, (last, left) = records(inside, stop)
                assert (last, left) == ("", stop)
            yield name, stop
            at = stop

    *found, (last, end) = records(27, len(data))
    assert [name for name, _ in found] == [
        "FBXHeaderExtension", "FileId", "CreationTime", "Creator", "GlobalSettings", "Documents", "References",
        "Definitions", "Objects", "Connections", "Takes",
    ]  # fmt: skip
    assert last == ""
    # The footer: its mark, zeros to a multiple of 16, the version, 120 zeros, and the last mark.
    foot = data[end:]
    assert (len(data) - 16 - 120 - 4) % 16 == 0
    assert 20 < len(foot) - 140 <= 36
    assert foot[-140:-136] == struct.pack("<I", 7500)
    assert foot.endswith(bytes(120) + bytes.fromhex("f85a8c6adef5d97eece90ce3758f290b"))
    assert FILE_ID in data


def test_thousands_of_joints_take_the_memory_of_their_file() -> None:
    """A tree of all records took twelve times the bytes of the file: 1.8 GB for a BVH of 2.6 MB."""
    motion = wander(tree(1_000, seed=0), 2, 24.0)
    tracemalloc.start()
    try:
        size = len(formats.encoded(motion, "a.fbx"))
        assert tracemalloc.get_traced_memory()[1] < 4 * size
    finally:
        tracemalloc.stop()


def test_a_section_may_grow_after_it_was_written() -> None:
    grown, whole = Section("Objects"), Section("Objects")
    whole.add(record("A", 1, inner=[record("B", 2.0)]))
    grown.add(record("A", 1, inner=[record("B", 2.0)]))
    assert encoded([record("C"), grown]) == encoded([record("C"), whole])
    for section in (grown, whole):
        section.add(record("D", "more"))
    assert encoded([grown]) == encoded([whole])
    assert encoded([grown]) == encoded(
        [record("Objects", inner=[record("A", 1, inner=[record("B", 2.0)]), record("D", "more")])]
    )


@with_fbx
@pytest.mark.parametrize("length", range(17))
def test_the_footer_fits_whatever_the_length(length: int, tmp_path: Path) -> None:
    data = encoded([record("Creator", "x" * length)])
    assert (len(data) - 140) % 16 == 0


# Keys


def curves_of(path: Path, folder: Path) -> dict[str, dict[str, np.ndarray]]:
    """Times and values (K, 2) of every curve by clip, all of one kind of interpolation, which is told first."""
    found: dict[str, dict[str, np.ndarray]] = {}
    for name, clip in asked(KEYS, path, folder)["clips"].items():
        found[name] = {}
        for curve, keys in clip["curves"].items():
            (kind,) = {key[2] for key in keys}
            found[name][f"{kind} {curve}"] = np.array([key[:2] for key in keys])
    return found


@with_fbx
def test_a_held_motion_has_stepped_keys_that_change_when_the_drawing_does(tmp_path: Path) -> None:
    motion = komadori.limited(sample("pitch", 24.0)).motion
    formats.save(motion, tmp_path / "a.fbx")
    told = asked(KEYS, tmp_path / "a.fbx", tmp_path)
    assert (told["fps"], told["metres"], told["axes"], told["warnings"]) == (24.0, 0.01, ["0", "2", "4"], 0)
    (clip,) = told["clips"].values()
    assert (clip["begin"], clip["end"]) == (0.0, pytest.approx((len(motion) - 1) / 24.0, abs=1e-9))
    drawings = 1 + np.flatnonzero((motion.rotations[1:] != motion.rotations[:-1]).any(axis=(1, 2)))
    assert 0 < len(drawings) < 0.7 * len(motion)
    shown = set()
    for name, keys in clip["curves"].items():
        assert {key[2] for key in keys} == {"CONSTANT_PREV"}, name
        times, values = np.array([key[:2] for key in keys]).T
        frames = np.rint(times * 24.0).astype(int)
        assert np.abs(times - frames / 24.0).max() < 1e-9
        # A frame that is not a key shows the key before it; and no key comes late.
        shown |= set(frames[1:][values[1:] != values[:-1]].tolist())
        # Programs without steps draw a line between two keys: it is level wherever frames have no key of their own.
        level = values[1:] == values[:-1]
        assert (level | (np.diff(frames) == 1)).all()
    assert shown == set(drawings.tolist())
    assert apart_by(motion, formats.load(tmp_path / "a.fbx")) < (NEAR_MM, NEAR_DEG)


@with_fbx
def test_a_motion_that_flows_has_linear_keys(tmp_path: Path) -> None:
    motion = wander(tree(5), 12, 30.0)
    formats.save(motion, tmp_path / "a.fbx")
    (clip,) = curves_of(tmp_path / "a.fbx", tmp_path).values()
    moving = [name for name in clip if name.startswith("LINEAR")]
    assert len(moving) >= 15
    assert all(np.allclose(clip[name][:, 0], np.arange(12) / 30.0) for name in moving)


@with_fbx
@pytest.mark.parametrize("kind", ["stepped", "linear", "bezier"])
def test_keys_are_written_as_keys(kind: Interpolation, tmp_path: Path) -> None:
    motion = sample("pitch", 24.0)[:40]
    keys = keyed(motion, np.arange(0, 40, 5), kind)
    formats.save(keys, tmp_path / "a.fbx")
    back = formats.load(tmp_path / "a.fbx")
    assert apart_by(keys.motion(), back) < (NEAR_MM, NEAR_DEG)
    (clip,) = asked(KEYS, tmp_path / "a.fbx", tmp_path)["clips"].values()
    wanted = {"stepped": "CONSTANT_PREV", "linear": "LINEAR", "bezier": "CUBIC"}[kind]
    moving = {name: curve for name, curve in clip["curves"].items() if len({key[1] for key in curve}) > 1}
    assert {key[2] for curve in moving.values() for key in curve} == {wanted}
    hips = np.array([key[0] for key in clip["curves"][f"{motion.skeleton.names[0]} Lcl Translation X"]]) * 24.0
    assert set(range(0, 40, 5)) <= set(np.rint(hips).astype(int).tolist())
    if kind == "bezier":
        # Fewer than a key per frame say the same: the curves are cubic indeed.
        assert np.mean([len(curve) for curve in moving.values()]) < 26


@with_fbx
def test_a_cubic_place_is_the_same_between_frames_too(tmp_path: Path) -> None:
    motion = sample("pitch", 24.0)[:41]
    keys = keyed(motion, np.arange(0, 41, 8), "bezier")
    formats.save(keys, tmp_path / "a.fbx")
    (clip,) = asked(KEYS, tmp_path / "a.fbx", tmp_path)["clips"].values()
    for axis, letter in enumerate("XYZ"):
        curve = np.array(
            [key[:2] + key[3:] for key in clip["curves"][f"{motion.skeleton.names[0]} Lcl Translation {letter}"]]
        )
        assert np.rint(curve[:, 0] * 24.0).astype(int).tolist() == keys.frames.tolist()
        arriving = np.divide(curve[:, 3], curve[:, 2], out=np.zeros(len(curve)), where=curve[:, 2] > 0.0)
        leaving = np.divide(curve[:, 5], curve[:, 4], out=np.zeros(len(curve)), where=curve[:, 4] > 0.0)
        at = np.arange(0.0, 40.0, 0.37)
        theirs = bezier.evaluated(curve[:, 1:2], arriving[:, None] / 24.0, leaving[:, None] / 24.0, keys.frames, at)
        assert np.abs(theirs[:, 0] / 100.0 - keys.at(at)[1][:, 0, axis]).max() < 1e-5


@with_fbx
@pytest.mark.parametrize("fps", [24.0, 25.0, 30000.0 / 1001.0, 24000.0 / 1001.0, 60.0, 120.0, 12.0, 17.3])
def test_the_rate_is_stated_and_no_drawing_comes_late(fps: float, tmp_path: Path) -> None:
    motion = wander(tree(4), 200, 24.0)
    held = replace(motion.taken(np.arange(200) // 2 * 2), fps=fps)
    formats.save(held, tmp_path / "a.fbx")
    assert asked(KEYS, tmp_path / "a.fbx", tmp_path)["fps"] == pytest.approx(fps, rel=2e-6)
    assert apart_by(held, formats.load(tmp_path / "a.fbx")) < (NEAR_MM, NEAR_DEG)


@with_fbx
def test_a_motion_of_one_frame(tmp_path: Path) -> None:
    motion = wander(tree(4), 5)[2:3]
    formats.save(motion, tmp_path / "a.fbx")
    assert apart_by(motion, formats.load(tmp_path / "a.fbx")) < (NEAR_MM, NEAR_DEG)


@with_fbx
def test_a_joint_that_turns_over_and_over_keeps_turning(tmp_path: Path) -> None:
    skeleton = Skeleton(("a", "b"), np.array([-1, 0]), np.array([[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]))
    turns = np.zeros((200, 2, 4))
    turns[:, 0] = quat.from_axis_angle([0.0, 0.0, 1.0], np.arange(200) * 0.3)
    turns[:, 1] = quat.from_axis_angle([0.0, 1.0, 0.0], np.arange(200) * np.pi / 8.0)
    motion = Motion(skeleton, 30.0, quat.continuous(turns), np.broadcast_to(skeleton.offsets, (200, 2, 3)))
    formats.save(motion, tmp_path / "a.fbx")
    assert apart_by(motion, formats.load(tmp_path / "a.fbx")) < (NEAR_MM, NEAR_DEG)
    (clip,) = curves_of(tmp_path / "a.fbx", tmp_path).values()
    # No angle jumps: between frames, too, the joint turns on and not back by a whole turn.
    assert np.abs(np.diff(clip["LINEAR a Lcl Rotation Z"][:, 1])).max() < 20.0


def test_angles_flow_as_those_that_are_found_frame_by_frame() -> None:
    random = np.random.default_rng(5)
    steps = quat.exp(random.normal(size=(300, 12, 3)) * 0.2)
    turns = steps.copy()
    for frame in range(1, len(turns)):
        turns[frame] = quat.multiply(turns[frame - 1], steps[frame])
    slow = nearest(turns, "ZYX", np.zeros((300, 12, 3)), np.zeros((300, 12), dtype=bool))
    quick = flowing(turns, "ZYX")
    assert np.abs(quat.to_matrix(quat.from_euler(quick, "ZYX")) - quat.to_matrix(turns)).max() < 1e-9
    assert np.abs(np.diff(quick, axis=0)).sum() <= np.abs(np.diff(slow, axis=0)).sum() * (1.0 + 1e-9)


@pytest.mark.parametrize("kind", ["empty", "endless", "stranger", "huge"])
def test_what_cannot_be_written_is_refused(kind: str, tmp_path: Path) -> None:
    motion = wander(tree(4), 5)
    rotations = np.array(motion.rotations)
    rotations[2, 1] = np.nan
    wrong = {
        "empty": motion[0:0],
        "endless": replace(motion, rotations=rotations),
        "stranger": wander(tree(5), 5),
        "huge": replace(motion, positions=1e11 * (1.0 + np.array(motion.positions))),
    }[kind]
    whole = Character("a", motion.skeleton)
    if kind == "huge":
        # In centimetres it is still a number of 32 bits: written, and as exact as those are.
        formats.save(wrong, tmp_path / "a.fbx")
        return
    with pytest.raises(OptionError):
        formats.save(whole, tmp_path / "a.fbx", motions={"x": wrong})
    assert not (tmp_path / "a.fbx").exists()


# Characters


@with_fbx
def test_a_character_comes_back_whole(tmp_path: Path) -> None:
    made = small_character()
    looks = (
        replace(made.materials[0], colour=(0.5, 0.25, 1.0, 1.0), alpha="mask", shade=(0.1, 0.2, 0.3)),
        replace(made.materials[1], outline=(0.1, 0.0, 0.2, 1.0), outline_m=0.002),
        Material("plain", (0.2, 0.4, 0.6, 1.0)),
    )
    images = (Image("face.png", "image/png", PIXEL), Image("other", "image/png", PIXEL + b"\0"))
    made = replace(made, materials=looks, images=images)
    back = there_and_back(made, tmp_path)
    assert list(back.motions) == list(made.motions)
    for name, motion in made.motions.items():
        assert apart_by(motion, back.motions[name]) < (NEAR_MM, NEAR_DEG)
        np.testing.assert_allclose(corners(back, back.motions[name]), corners(made, motion), atol=1e-5)
    assert apart_by(made.rest, back.rest) < (NEAR_MM, NEAR_DEG)
    for before, after in zip(made.meshes, back.meshes, strict=True):
        assert (after.name, after.material) == (before.name, before.material)
        np.testing.assert_allclose(after.normals[after.triangles], before.normals[before.triangles], atol=1e-6)
        if before.uvs is None:
            assert after.uvs is None
        else:
            assert after.uvs is not None
            np.testing.assert_allclose(after.uvs[after.triangles], before.uvs[before.triangles], atol=1e-6)
        assert list(after.morphs) == list(before.morphs)
        for name, moved in before.morphs.items():
            np.testing.assert_allclose(after.morphs[name][after.triangles], moved[before.triangles], atol=1e-9)
    for material, other in zip(made.materials, back.materials, strict=True):
        np.testing.assert_allclose(other.colour, material.colour, atol=1e-6)
        assert replace(other, colour=material.colour) == material
    # A picture that no material uses is not asked for.
    assert [(image.name, image.mime, image.data) for image in back.images] == [("face.png", "image/png", PIXEL)]
    assert not back.notes


@with_fbx
@pytest.mark.parametrize("name", ["mannequin", "girl", "horse"])
def test_the_built_in_characters(name: str, tmp_path: Path) -> None:
    made = built_in(name)
    still = made.rest.taken(np.zeros(3, dtype=int))
    clips = {"still": still, "moving": wander(made.skeleton, 6)}
    formats.save(made, tmp_path / "a.fbx", motions=clips)
    back = formats.load_character(tmp_path / "a.fbx")
    for clip, motion in clips.items():
        assert apart_by(motion, back.motions[clip]) < (NEAR_MM, NEAR_DEG)
        assert np.abs(corners(back, back.motions[clip]) - corners(made, motion)).max() < 1e-5
    assert [mesh.name for mesh in back.meshes] == [mesh.name for mesh in made.meshes]
    assert [list(mesh.morphs) for mesh in back.meshes] == [list(mesh.morphs) for mesh in made.meshes]
    assert [material.shade for material in back.materials] == [material.shade for material in made.materials]


@with_fbx
@pytest.mark.parametrize("kind", ["scaled", "turned", "uneven"])
def test_a_body_that_was_bound_otherwise_than_it_rests(kind: str, tmp_path: Path) -> None:
    made = small_character()
    grown = {
        "scaled": rigid.affine(0.01 * np.eye(3)),
        "turned": rigid.affine(quat.to_matrix(quat.exp([0.3, 0.2, 0.9])), np.array([0.1, 0.2, 0.3])),
        "uneven": rigid.affine(np.diag([1.0, 2.0, 0.5])),
    }[kind]
    binds = np.array(inverse_binds(made.skeleton) @ grown)
    if kind == "uneven":
        binds[1] = binds[1] @ rigid.affine(np.diag([3.0, 1.0, 1.0]))
    made = replace(made, binds=binds)
    back = there_and_back(made, tmp_path)
    assert apart_by(made.rest, back.rest) < (NEAR_MM, NEAR_DEG)
    for name, motion in made.motions.items():
        assert np.abs(corners(back, back.motions[name]) - corners(made, motion)).max() < 1e-5


@with_fbx
@pytest.mark.parametrize(
    "path",
    reals("character_gltf/*.glb", "quadruped_gltf/*.glb", "character_vrm/*.vrm", "character_mmd/*/*.pmx", "quadruped_fbx/*.fbx"),
)  # fmt: skip
def test_real_characters_come_back(path: Path, tmp_path: Path) -> None:
    made = formats.load_character(path)
    back = there_and_back(made, tmp_path)
    assert apart_by(made.rest, back.rest) < (NEAR_MM, NEAR_DEG)
    assert list(back.motions) == list(made.motions)
    for name, motion in made.motions.items():
        assert apart_by(motion, back.motions[name]) < (NEAR_MM, NEAR_DEG)
    if made.meshes:
        own, other = next(iter(made.motions.values()), made.rest), next(iter(back.motions.values()), back.rest)
        some = np.unique(np.linspace(0, len(own) - 1, 3).astype(int))
        assert np.abs(corners(made, own.taken(some)) - corners(back, other.taken(some))).max() < 1e-5


@with_fbx
@pytest.mark.parametrize(
    "path", reals("human_cmu_bvh/*.bvh", "human_other_bvh/a*.bvh", "human_bandai_bvh_NC/*.bvh")[:8]
)
def test_real_clips_come_back(path: Path, tmp_path: Path) -> None:
    motion = formats.load(path)[:600]
    formats.save(motion, tmp_path / "a.fbx")
    assert apart_by(motion, formats.load(tmp_path / "a.fbx")) < (NEAR_MM, NEAR_DEG)


@with_fbx
def test_the_same_thing_gives_the_same_bytes() -> None:
    assert formats.encoded(small_character(), "a.fbx") == formats.encoded(small_character(), "b.fbx")
    assert fbx.emit(sample("kick")) == formats.encoded(sample("kick"), "a.fbx")


def test_a_joint_that_has_no_bind_is_refused(tmp_path: Path) -> None:
    made = small_character()
    binds = np.array(made.binds)
    binds[2, :3, :3] = 0.0
    with pytest.raises(OptionError, match="no inverse"):
        formats.save(replace(made, binds=binds), tmp_path / "a.fbx")


def test_names_may_hold_anything(tmp_path: Path) -> None:
    motion = wander(tree(3), 3)
    skeleton = replace(motion.skeleton, names=("a\0b", "髪::Model", "\ud800"))
    data = formats.encoded(
        Keyed(skeleton, 24.0, 3, np.array([0, 2]), motion.rotations[:2], motion.positions[:2]), "a.fbx"
    )
    assert b"a\0b" not in data
