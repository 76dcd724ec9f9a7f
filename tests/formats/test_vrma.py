"""VRMA: poses as turns away from the T-pose, read and written; what three-vrm makes of the files is in test_vrm_judges."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import vrm_files
from hypothesis import given, settings
from hypothesis import strategies as st

import komadori
from komadori import kinematics, quat
from komadori.characters import SAMPLES, humanoid, sample
from komadori.errors import FormatError
from komadori.formats import gltf, left_out, vrm
from komadori.formats.vrm.humanoid import BONES, bone_name
from komadori.formats.vrm.normalised import normalised, posed
from komadori.motion import Motion
from komadori.skeleton import Skeleton

from realdata import real, reals

TOLERANCE_M = 2e-6
"""Turns and places are 32 bit numbers in a file."""


def role_places(motion: Motion, roles: Any) -> np.ndarray:
    return motion.world_positions()[:, [motion.skeleton.roles[role] for role in roles]]


def read(data: bytes) -> Motion:
    return vrm.read_motion(data, "made.vrma")


def stored(data: bytes) -> dict[str, Any]:
    return gltf.parse(data, "made.vrma").json


def turned_rest(skeleton: Skeleton, seed: int) -> Skeleton:
    """The same body in the same rest pose, whose joints' frames are turned at random."""
    rng = np.random.default_rng(seed)
    world = quat.normalized(rng.normal(size=(len(skeleton), 4)))
    _, places = kinematics.world_transforms(skeleton, skeleton.rest[None], skeleton.offsets[None])
    rest, offsets = world.copy(), places[0].copy()
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            rest[joint] = quat.multiply(quat.inverse(world[parent]), world[joint])
            offsets[joint] = quat.rotate(quat.inverse(world[parent]), places[0, joint] - places[0, parent])
    return Skeleton(skeleton.names, skeleton.parents, offsets, rest, skeleton.roles)


@given(st.integers(0, 2**31))
@settings(max_examples=20, deadline=None)
def test_normalised_rotations_are_those_of_the_specification(seed: int) -> None:
    rng = np.random.default_rng(seed)
    body = turned_rest(humanoid(), seed)
    turns = quat.normalized(rng.normal(size=(3, len(body), 4)))
    motion = Motion(body, 24.0, turns, np.repeat(body.offsets[None], 3, axis=0))
    found = normalised(motion)
    world = quat.identity(len(body))
    for joint, parent in enumerate(body.parents.tolist()):
        world[joint] = quat.multiply(world[parent], body.rest[joint]) if parent >= 0 else body.rest[joint]
    for number, role in enumerate(found.roles):
        joint = body.roles[role]
        around, local = world[joint], body.rest[joint]
        # NormalizedLocalRotation = W L^-1 R W^-1 (how_to_transform_human_pose)
        inner = quat.multiply(quat.inverse(local), turns[:, joint])
        wanted = quat.multiply(quat.multiply(around, inner), quat.inverse(around))
        away = quat.angle(quat.multiply(quat.inverse(wanted), found.rotations[:, number]))
        assert away.max() < 1e-7, role


@pytest.mark.parametrize("seed", range(3))
def test_bodies_that_differ_in_their_frames_alone_strike_the_same_poses(seed: int) -> None:
    dance = sample("pitch")
    other = turned_rest(dance.skeleton, seed)
    struck = posed(other, normalised(dance))
    roles = normalised(dance).roles
    assert role_places(struck, roles) == pytest.approx(role_places(dance, roles), abs=1e-9)


def test_hips_travel_in_proportion_to_their_height() -> None:
    walk = sample(next(iter(SAMPLES)))
    body = walk.skeleton
    half = Skeleton(body.names, body.parents, body.offsets * 0.5, body.rest, body.roles)
    struck = posed(half, normalised(walk))
    assert role_places(struck, ["hips"]) == pytest.approx(0.5 * role_places(walk, ["hips"]), abs=1e-9)


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_come_back_as_they_went(name: str) -> None:
    motion = sample(name)
    back = read(vrm.emit_motion(motion))
    assert (len(back), back.fps) == (len(motion), motion.fps)
    roles = [role for role in motion.skeleton.roles if role in back.skeleton.roles]
    assert set(motion.skeleton.roles) == set(roles)
    assert role_places(back, roles) == pytest.approx(role_places(motion, roles), abs=TOLERANCE_M)


@pytest.mark.parametrize("path", reals("character_vrma/*.vrma"))
def test_real_files_come_back_as_they_went(path: Path) -> None:
    motion = komadori.load(path)
    assert {"hips", "spine", "head", "left_hand", "right_foot"} <= set(motion.skeleton.roles)
    hips = motion.skeleton.roles["hips"]
    assert 0.3 < motion.world_positions()[0, hips, 1] < 1.5
    back = read(vrm.emit_motion(motion))
    roles = list(back.skeleton.roles)
    assert (len(back), back.fps) == (len(motion), motion.fps)
    assert role_places(back, roles) == pytest.approx(role_places(motion, roles), abs=TOLERANCE_M)


def test_real_files_have_the_frames_that_their_keys_state() -> None:
    idle = komadori.load(real("character_vrma/chatvrm_idle_loop.vrma"))
    nod = komadori.load(real("character_vrma/tk256ailab_original_01.vrma"))
    assert (len(idle), idle.fps) == (250, 24.0)
    assert (len(nod), nod.fps) == (709, 118.0)
    # Hair that no humanoid bone hangs from is there, and moves if the file says so.
    assert any("Hair" in name for name in nod.skeleton.names)
    assert any("6 joints between the humanoid bones" in note for note in idle.notes)


def test_files_in_centimetres_are_brought_to_a_persons_size() -> None:
    made = stored(vrm.emit_motion(sample("pitch")[:1]))
    for node in made["nodes"]:
        node["translation"] = [100.0 * value for value in node["translation"]]
    del made["animations"]
    motion = vrm.read_motion(json.dumps(made).encode(), "cm.vrma")
    assert motion.skeleton.offsets[0] == pytest.approx(humanoid().offsets[0])
    assert any("read as centimetres" in note for note in motion.notes)


def test_held_poses_are_steps_with_a_key_at_both_ends_of_a_hold() -> None:
    motion = sample("pitch")
    twos = motion.taken(np.arange(40) // 2 * 2)
    made = stored(vrm.emit_motion(twos))
    (animation,) = made["animations"]
    assert {sampler["interpolation"] for sampler in animation["samplers"]} == {"STEP"}
    fours = motion.taken(np.arange(40) // 4 * 4)
    document = gltf.parse(vrm.emit_motion(fours), "fours.vrma")
    most = max(document.json["accessors"][s["input"]]["count"] for s in document.json["animations"][0]["samplers"])
    assert most == 20
    back = read(vrm.emit_motion(fours))
    roles = list(back.skeleton.roles)
    assert role_places(back, roles) == pytest.approx(role_places(fours, roles), abs=TOLERANCE_M)
    # A player that draws lines between keys whatever the file says still shows every frame right.
    lines = json.loads(json.dumps(document.json))
    for sampler in lines["animations"][0]["samplers"]:
        sampler["interpolation"] = "LINEAR"
    drawn = read(vrm_files.packed(lines, document.binary or b""))
    assert role_places(drawn, roles) == pytest.approx(role_places(fours, roles), abs=TOLERANCE_M)


def test_a_hand_that_is_held_on_a_moving_arm_needs_no_key() -> None:
    motion = sample("pitch")
    hand = motion.skeleton.roles["right_hand"]
    turns = np.array(motion.rotations)
    turns[:, hand] = turns[0, hand]
    made = stored(vrm.emit_motion(motion.replaced(rotations=turns)))
    node = next(n for n, entry in enumerate(made["nodes"]) if entry["name"] == "rightHand")
    animation = made["animations"][0]
    (channel,) = [one for one in animation["channels"] if one["target"]["node"] == node]
    assert made["accessors"][animation["samplers"][channel["sampler"]]["input"]]["count"] == 1


def test_flowing_motion_is_lines_and_still_joints_have_one_key() -> None:
    motion = sample("pitch")
    made = stored(vrm.emit_motion(motion))
    samplers = made["animations"][0]["samplers"]
    assert {sampler["interpolation"] for sampler in samplers} == {"LINEAR"}
    counts = {channel["target"]["node"]: made["accessors"][samplers[channel["sampler"]]["output"]]["count"]
              for channel in made["animations"][0]["channels"]}  # fmt: skip
    assert max(counts.values()) <= len(motion)
    last = made["accessors"][samplers[0]["input"]]["max"][0]
    assert last == pytest.approx((len(motion) - 1) / motion.fps)


def with_face(motion: Motion) -> bytes:
    """A VRMA of `motion` with a smile that grows and a gaze that turns, a key per frame."""
    document = gltf.parse(vrm.emit_motion(motion), "face.vrma")
    made, data = json.loads(json.dumps(document.json)), document.binary or b""
    count = len(motion)
    smile, gaze = np.zeros((count, 3), "<f4"), np.zeros((count, 4), "<f4")
    smile[:, 0] = np.linspace(0.0, 1.0, count)
    gaze[:, 1], gaze[:, 3] = np.sin(0.01 * np.arange(count)), np.cos(0.01 * np.arange(count))
    times = (np.arange(count) / motion.fps).astype("<f4")
    first = len(made["accessors"])
    for values, kind in ((times, "SCALAR"), (smile, "VEC3"), (gaze, "VEC4")):
        made["bufferViews"].append({"buffer": 0, "byteOffset": len(data), "byteLength": values.nbytes})
        view = len(made["bufferViews"]) - 1
        made["accessors"].append({"bufferView": view, "componentType": 5126, "count": count, "type": kind})
        data += values.tobytes()
    made["buffers"] = [{"byteLength": len(data)}]
    node = len(made["nodes"])
    made["nodes"] += [{"name": "smile"}, {"name": "eyes"}]
    made["scenes"][0]["nodes"] += [node, node + 1]
    animation = made["animations"][0]
    for n, path in enumerate(("translation", "rotation")):
        animation["channels"].append(
            {"sampler": len(animation["samplers"]), "target": {"node": node + n, "path": path}}
        )
        animation["samplers"].append({"input": first, "output": first + 1 + n})
    extension = made["extensions"]["VRMC_vrm_animation"]
    extension["expressions"] = {"preset": {"happy": {"node": node}}}
    extension["lookAt"] = {"node": node + 1, "offsetFromHeadBone": [0.0, 0.06, 0.0]}
    return vrm_files.packed(made, data)


def test_faces_and_gaze_stay_with_the_motion_and_follow_its_sheet() -> None:
    motion = read(with_face(sample("pitch")))
    assert motion.origin is not None
    record = motion.origin.document
    assert isinstance(record, vrm.Vrma)
    assert record.expressions["happy"] == pytest.approx(np.linspace(0.0, 1.0, len(motion)), abs=1e-6)
    assert not {"smile", "eyes"} & set(motion.skeleton.names)
    shown = np.arange(30) // 3 * 3
    back = read(vrm.emit_motion(motion.taken(shown)))
    assert back.origin is not None
    again = back.origin.document
    assert isinstance(again, vrm.Vrma)
    assert again.expressions["happy"] == pytest.approx(record.expressions["happy"][shown], abs=1e-6)
    assert again.gaze is not None
    assert record.gaze is not None
    assert again.gaze == pytest.approx(record.gaze[shown], abs=1e-6)
    assert again.gaze_fields == {"offsetFromHeadBone": [0.0, 0.06, 0.0]}
    slower = read(vrm.emit_motion(motion.resampled(motion.fps / 2.0)))
    assert slower.origin is not None
    assert isinstance(slower.origin.document, vrm.Vrma)
    halved = slower.origin.document.expressions["happy"]
    assert halved == pytest.approx(record.expressions["happy"][::2][: len(halved)], abs=1e-6)


def test_only_what_players_use_moves_the_body() -> None:
    made = stored(vrm.emit_motion(sample("pitch")[:20]))
    channels = made["animations"][0]["channels"]
    spine = next(n for n, node in enumerate(made["nodes"]) if node["name"] == "spine")
    moving = next(c for c in channels if c["target"]["path"] == "translation")
    channels.append({"sampler": moving["sampler"], "target": {"node": spine, "path": "translation"}})
    data = gltf.parse(vrm.emit_motion(sample("pitch")[:20]), "x").binary or b""
    motion = read(vrm_files.packed(made, data))
    plain = read(vrm.emit_motion(sample("pitch")[:20]))
    assert np.array_equal(motion.positions, plain.positions)
    assert any("other than the hips are moved" in note for note in motion.notes)


def test_the_file_says_what_vrma_demands() -> None:
    made = stored(vrm.emit_motion(sample("pitch")))
    extension = made["extensions"]["VRMC_vrm_animation"]
    assert extension["specVersion"] == "1.0"
    assert made["extensionsUsed"] == ["VRMC_vrm_animation"]
    bones = extension["humanoid"]["humanBones"]
    assert set(bones) <= set(BONES)
    assert {"leftEye", "rightEye"}.isdisjoint(bones)
    assert not any("scale" in node or "rotation" in node for node in made["nodes"])
    hips = bones["hips"]["node"]
    for channel in made["animations"][0]["channels"]:
        assert channel["target"]["path"] == "rotation" or channel["target"]["node"] == hips


def test_hips_that_stay_where_they_rest_have_no_track() -> None:
    walk = sample("walk")
    still = np.repeat(walk.skeleton.offsets[None], len(walk), axis=0)
    paths = {
        clip: [one["target"]["path"] for one in stored(vrm.emit_motion(motion))["animations"][0]["channels"]]
        for clip, motion in (("walks", walk), ("stays", walk.replaced(positions=still)))
    }
    assert "translation" in paths["walks"]
    assert "translation" not in paths["stays"]


def test_the_registry_knows_vrma(tmp_path: Path) -> None:
    motion = sample("pitch")
    komadori.save(motion, tmp_path / "a.vrma")
    back = komadori.load(tmp_path / "a.vrma")
    assert len(back) == len(motion)
    assert set(back.skeleton.roles) == set(motion.skeleton.roles)


@pytest.mark.parametrize("degrees", [-90.0, -50.0, -20.0, 40.0])
def test_a_pose_other_than_a_t_is_made_one(degrees: float) -> None:
    """What moves is the same: the same pitch on a body that rests with its arms elsewhere gives the same file."""
    pitch = sample("pitch")
    rotations = np.array(pitch.skeleton.rest)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        turn = quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.radians(sign * degrees))
        rotations[pitch.skeleton.roles[f"{side}_upper_arm"]] = turn
    places = kinematics.world_positions(pitch.skeleton, rotations[None], pitch.skeleton.offsets[None])[0]
    offsets = places.copy()
    below = np.flatnonzero(pitch.skeleton.parents >= 0)
    offsets[below] -= places[pitch.skeleton.parents[below]]
    body = replace(pitch.skeleton, names=("another", *pitch.skeleton.names[1:]), offsets=offsets)
    slanted = komadori.retarget(pitch, body, plant_feet=False).motion
    told = left_out(slanted, "a.vrma")
    assert any("T-pose" in note for note in told) == (abs(degrees) > 30.0)
    one, other = read(vrm.emit_motion(pitch)), read(vrm.emit_motion(slanted))
    roles = list(one.skeleton.roles)
    # Slants that pass for a T are kept.
    most = TOLERANCE_M if abs(degrees) > 30.0 else 0.5
    assert role_places(other, roles) == pytest.approx(role_places(one, roles), abs=most)


def test_a_rest_pose_that_does_not_stand_is_refused_and_the_way_out_is_named() -> None:
    motion = sample("pitch")
    lying = quat.rotate(np.array([0.5**0.5, 0.0, 0.0, 0.5**0.5]), motion.skeleton.offsets)
    with pytest.raises(FormatError, match=r"stands upright.*komadori retarget IN --to girl"):
        vrm.emit_motion(motion.with_skeleton(replace(motion.skeleton, offsets=lying)))
    backwards = {role.replace("left", "x").replace("right", "left").replace("x", "right"): joint
                 for role, joint in motion.skeleton.roles.items()}  # fmt: skip
    with pytest.raises(FormatError, match=r"faces \+Z"):
        vrm.emit_motion(motion.with_skeleton(motion.skeleton.with_roles(backwards)))


def test_a_rest_pose_with_its_hips_at_the_origin_is_stood_on_the_ground() -> None:
    walk = sample("walk")
    offsets = np.array(walk.skeleton.offsets)
    offsets[0] = 0.0
    body = walk.skeleton
    sunk = walk.with_skeleton(Skeleton(body.names, body.parents, offsets, body.rest, body.roles))
    one, other = read(vrm.emit_motion(walk)), read(vrm.emit_motion(sunk))
    roles = list(one.skeleton.roles)
    assert role_places(other, roles) == pytest.approx(role_places(one, roles), abs=TOLERANCE_M)
    # The sole is a few centimetres below the lowest joint.
    assert other.skeleton.offsets[0, 1] == pytest.approx(one.skeleton.offsets[0, 1], abs=0.03)


def test_a_body_without_the_bones_that_vrma_requires_is_refused() -> None:
    motion = sample("pitch")
    roles = {role: joint for role, joint in motion.skeleton.roles.items() if role != "left_foot"}
    with pytest.raises(FormatError, match="no joint for leftFoot"):
        vrm.emit_motion(motion.with_skeleton(motion.skeleton.with_roles(roles)))


def test_numbers_that_are_not_finite_are_refused() -> None:
    motion = sample("pitch")
    broken = np.array(motion.positions)
    broken[3, 0, 1] = np.nan
    with pytest.raises(komadori.OptionError, match="not finite"):
        vrm.emit_motion(motion.replaced(positions=broken))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda e: e.clear(), "not a VRMA: VRMC_vrm_animation is missing"),
        (lambda e: e["VRMC_vrm_animation"]["humanoid"]["humanBones"].pop("hips"), "the hips are missing"),
        (lambda e: e["VRMC_vrm_animation"]["humanoid"]["humanBones"]["head"].update(node=99), "whole number"),
        (lambda e: e["VRMC_vrm_animation"].update(expressions={"preset": {"a": {"node": 99}}}), "whole number"),
        (lambda e: e["VRMC_vrm_animation"].update(lookAt={"node": "x"}), "whole number"),
    ],
)
def test_what_is_no_vrma_is_refused_in_one_line(change: Any, message: str) -> None:
    data = vrm.emit_motion(sample("pitch")[:3])
    made = json.loads(json.dumps(stored(data)))
    change(made["extensions"])
    with pytest.raises(FormatError, match=message):
        read(vrm_files.packed(made, gltf.parse(data, "x").binary or b""))


def test_bone_names() -> None:
    assert bone_name("left_index_intermediate") == "leftIndexIntermediate"
    assert BONES["upperChest"] == "upper_chest"
