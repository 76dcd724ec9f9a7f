"""Skinning: equal to its plain definition, whole for a rest pose, and rigid where a vertex has one joint."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from komadori import kinematics, quat, skinning
from komadori.character import Character, Mesh
from komadori.errors import OptionError
from komadori.motion import Motion
from komadori.quat import Array

from bodies import tree, wander


def made(joints: int = 7, vertices: int = 40, per_vertex: int = 3, seed: int = 0, meshes: int = 2) -> Character:
    """A random body in two random meshes, some weights 0, with morphs that move some of the vertices."""
    random = np.random.default_rng(seed)
    parts = []
    for number in range(meshes):
        weights = random.random((vertices, per_vertex)) * (random.random((vertices, per_vertex)) < 0.7)
        weights[:, 0] += 0.01
        normals = random.normal(size=(vertices, 3))
        shift = random.normal(size=(vertices, 3)) * (random.random((vertices, 1)) < 0.3)
        parts.append(
            Mesh(
                f"mesh {number}",
                random.normal(size=(vertices, 3)),
                normals / np.linalg.norm(normals, axis=1, keepdims=True),
                random.integers(0, vertices, size=(5, 3)),
                random.integers(0, joints, size=(vertices, per_vertex)),
                weights / weights.sum(axis=1, keepdims=True),
                morphs={"smile": shift, "blink": -2.0 * shift[::-1]},
            )
        )
    expressions = {"happy": {(0, "smile"): 1.0, (1, "smile"): 0.5}, "sleepy": {(0, "blink"): 1.0, (0, "smile"): 0.25}}
    return Character("made up", tree(joints, seed), tuple(parts), expressions=expressions)


def plainly(character: Character, motion: Motion, morphs: dict[tuple[int, str], Array]) -> Array:
    """The definition, vertex by vertex: the weighted sum of where each joint takes it."""
    turned, places = motion.world_transforms()
    frames = []
    for frame in range(len(motion)):
        row = []
        for number, mesh in enumerate(character.meshes):
            for vertex in range(len(mesh.vertices)):
                point = mesh.vertices[vertex].copy()
                for (which, morph), weight in morphs.items():
                    if which == number:
                        point += weight[frame] * mesh.morphs[morph][vertex]
                total = np.zeros(3)
                for joint, weight in zip(mesh.joints[vertex], mesh.weights[vertex], strict=True):
                    inside = character.binds[joint] @ np.append(point, 1.0)
                    total += weight * (quat.rotate(turned[frame, joint], inside[:3]) + places[frame, joint])
                row.append(total)
        frames.append(row)
    return np.array(frames)


@given(st.integers(0, 1000), st.integers(1, 5), st.integers(0, 20))
def test_it_is_the_plain_definition(seed: int, per_vertex: int, frames: int) -> None:
    character = made(seed=seed, per_vertex=per_vertex, vertices=15)
    motion = wander(character.skeleton, frames, seed=seed)
    random = np.random.default_rng(seed)
    morphs = {(0, "smile"): random.random(frames), (1, "blink"): random.random(frames)}
    places, normals = skinning.skinned(character, motion, morphs=morphs)
    assert places.shape == normals.shape == (frames, 30, 3)
    np.testing.assert_allclose(places, plainly(character, motion, morphs).reshape(frames, 30, 3), atol=1e-12)


@pytest.mark.parametrize("count", [3, 127, 128, 129, 300])
def test_groups_end_where_they_may(count: int) -> None:
    character = made(vertices=count, meshes=1, seed=count, joints=30)
    motion = wander(character.skeleton, 2)
    np.testing.assert_allclose(skinning.skinned(character, motion)[0], plainly(character, motion, {}), atol=1e-12)


def test_at_rest_every_vertex_is_where_it_was_made() -> None:
    character = made()
    places, normals = skinning.skinned(character, character.rest)
    np.testing.assert_allclose(places[0], np.concatenate([m.vertices for m in character.meshes]), atol=1e-12)
    np.testing.assert_allclose(normals[0], np.concatenate([m.normals for m in character.meshes]), atol=1e-12)


def test_a_body_that_moves_as_a_whole_keeps_its_shape() -> None:
    character = made()
    turn, step = quat.from_axis_angle(np.array([0.0, 0.6, 0.8]), np.asarray(1.2)), np.array([1.0, 2.0, 3.0])
    rotations, positions = np.array(character.skeleton.rest), np.array(character.skeleton.offsets)
    rotations[0] = quat.multiply(turn, rotations[0])
    positions[0] = quat.rotate(turn, positions[0]) + step
    places, normals = skinning.skinned(character, Motion(character.skeleton, 24.0, rotations[None], positions[None]))
    every = np.concatenate([m.vertices for m in character.meshes])
    np.testing.assert_allclose(places[0], quat.rotate(turn, every) + step, atol=1e-12)
    np.testing.assert_allclose(
        normals[0], quat.rotate(turn, np.concatenate([m.normals for m in character.meshes])), atol=1e-12
    )


def test_normals_stay_of_unit_length_and_follow_a_single_joint() -> None:
    character = made(per_vertex=1)
    motion = wander(character.skeleton, 5)
    _, normals = skinning.skinned(character, motion)
    blended = made(per_vertex=4)
    np.testing.assert_allclose(np.linalg.norm(skinning.skinned(blended, wander(blended.skeleton, 5))[1], axis=-1), 1.0)
    turned, _ = motion.world_transforms()
    rest, _ = kinematics.world_transforms(
        character.skeleton, character.skeleton.rest[None], character.skeleton.offsets[None]
    )
    mesh = character.meshes[1]
    delta = quat.multiply(turned, quat.inverse(rest))[:, mesh.joints[:, 0]]
    np.testing.assert_allclose(normals[:, 40:], quat.rotate(delta, mesh.normals), atol=1e-12)


def test_a_pose_is_one_frame_and_parts_make_the_whole() -> None:
    character = made()
    motion = wander(character.skeleton, 37)
    skin = skinning.skin_of(character)
    places, normals = skin.posed(motion, {(0, "smile"): np.linspace(0.0, 1.0, 37)})
    parts = list(skin.parts(motion, {(0, "smile"): np.linspace(0.0, 1.0, 37)}))
    assert len(parts) > 2
    np.testing.assert_array_equal(np.concatenate([part for part, _ in parts]), places)
    np.testing.assert_array_equal(np.concatenate([part for _, part in parts]), normals)
    one, _ = skin.posed(motion.pose(20), {(0, "smile"): 20.0 / 36.0})
    np.testing.assert_allclose(one[0], places[20], atol=1e-12)
    assert skin.starts == (0, 40, 80)


def test_single_precision_is_nearly_the_same() -> None:
    character = made()
    motion = wander(character.skeleton, 5)
    places, normals = skinning.skinned(character, motion, dtype=np.float32)
    assert places.dtype == normals.dtype == np.float32
    np.testing.assert_allclose(places, skinning.skinned(character, motion)[0], atol=1e-5)


def test_expressions_are_mixtures_of_morphs() -> None:
    character = made()
    weights = skinning.expression_weights(character, {"happy": 0.5, "sleepy": np.array([0.0, 1.0])})
    np.testing.assert_allclose(weights[0, "smile"], [0.5, 0.75])
    np.testing.assert_allclose(weights[1, "smile"], 0.25)
    np.testing.assert_allclose(weights[0, "blink"], [0.0, 1.0])
    motion = wander(character.skeleton, 2)
    np.testing.assert_allclose(
        skinning.skinned(character, motion, morphs=weights)[0],
        plainly(character, motion, {k: np.broadcast_to(v, (2,)) for k, v in weights.items()}),
        atol=1e-12,
    )


def test_scaled_binds_are_obeyed() -> None:
    character = made()
    binds = np.array(character.binds)
    binds[:, :3, :3] *= 2.0
    motion = wander(character.skeleton, 3)
    larger = replace(character, binds=binds)
    np.testing.assert_allclose(skinning.skinned(larger, motion)[0], plainly(larger, motion, {}), atol=1e-12)


def test_wrong_motions_and_morphs_are_refused() -> None:
    character = made()
    with pytest.raises(OptionError, match="retarget"):
        skinning.skinned(character, wander(tree(9), 2))
    with pytest.raises(OptionError, match="morphs: expected a morph of mesh 0, found 'frown'"):
        skinning.skinned(character, character.rest, morphs={(0, "frown"): 1.0})
    with pytest.raises(OptionError, match="morphs: expected a morph of mesh 9, found 'smile'"):
        skinning.skinned(character, character.rest, morphs={(9, "smile"): 1.0})
    with pytest.raises(OptionError, match="one per frame"):
        skinning.skinned(character, character.rest, morphs={(0, "smile"): np.ones(3)})
    with pytest.raises(OptionError, match="expressions: expected one of happy, sleepy, found 'angry'"):
        skinning.expression_weights(character, {"angry": 1.0})
    with pytest.raises(OptionError, match="dtype"):
        skinning.skin_of(character, dtype=np.int64)


def test_a_character_without_meshes_has_no_vertices() -> None:
    bare = Character("bones", tree(3))
    places, normals = skinning.skinned(bare, bare.rest)
    assert places.shape == normals.shape == (1, 0, 3)
