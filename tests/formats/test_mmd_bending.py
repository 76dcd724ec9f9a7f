"""Append bones and SDEF in our own posing and skinning: as MikuMikuDance works them out."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from komadori import quat, retarget, sample, skinning
from komadori.character import Follow
from komadori.formats import load_character
from komadori.formats.mmd import body, bones, pmx
from komadori.formats.mmd.model import QDEF, SDEF, Model
from komadori.formats.mmd.playing import to_motion
from komadori.motion import Motion
from komadori.numerics.bending import dual_blended, spherical_blended

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent))
from mmd_files import leg

from realdata import real

RNG = np.random.default_rng(7)


def test_a_bone_that_follows_goes_along_as_in_mikumikudance() -> None:
    model = pmx.parse(leg().emit(), "x")
    character = body.character(model)
    knee, follower = (character.skeleton.names.index(name) for name in ("左ひざ", "従う骨"))
    assert character.follows == (Follow(follower, knee, 0.5, 0.0),)
    turns = quat.identity(4, len(model.bones))
    turns[:, model.order[knee]] = quat.exp(RNG.normal(0, 0.5, (4, 3)))
    off = np.zeros((4, len(model.bones)), dtype=bool)
    shifts = np.zeros((4, len(model.bones), 3))
    wanted = to_motion(model, character.skeleton, bones.solved(model, turns, shifts, off))
    plain = to_motion(model, character.skeleton, bones.Posed(turns, shifts))
    assert np.abs(plain.rotations[:, follower, :3]).max() == 0.0
    made = character.followed(plain)
    assert np.allclose(np.abs((made.rotations * wanted.rotations).sum(axis=-1)), 1.0, atol=1e-12)
    # What was computed already is not added again.
    assert np.allclose(character.followed(wanted).rotations, wanted.rotations)
    assert np.allclose(skinning.skinned(character, plain)[0], skinning.skinned(character, wanted)[0])


def test_a_retargeted_motion_turns_the_bones_that_follow() -> None:
    girl = load_character(real("character_mmd/Gene/Gene.pmx"))
    assert len(girl.follows) == 11
    # As models with D bones have it: a bone of the same place carries the skin of the leg, and follows the leg.
    names = list(girl.skeleton.names)
    thigh = girl.skeleton.role("left_upper_leg")
    assert thigh is not None
    spare = names.index("左腕捩連")
    girl = replace(girl, follows=(*girl.follows, Follow(spare, thigh, 1.0)))
    made = retarget(sample("walk"), girl).motion
    assert quat.angle(made.rotations[:, thigh]).max() > 0.3
    assert np.allclose(np.abs((made.rotations[:, spare] * made.rotations[:, thigh]).sum(axis=-1)), 1.0)


def bent() -> Model:
    """A leg of four vertices, one each of SDEF and of QDEF, with points of their own."""
    model = pmx.parse(leg(skinned=(2, 3)).emit(), "x")
    kinds = np.array(model.vertices.kinds)
    kinds[:] = (SDEF, SDEF, QDEF, QDEF)
    joined = np.tile([2, 3, 4, 5], (4, 1))
    shares = np.array([[0.25, 0.75, 0.0, 0.0], [0.6, 0.4, 0.0, 0.0], [0.25, 0.25, 0.25, 0.25], [0.7, 0.1, 0.1, 0.1]])
    points = RNG.normal(size=(4, 9)).astype(np.float32)
    return replace(model, vertices=replace(model.vertices, kinds=kinds, bones=joined, weights=shares, sdef=points))


def test_vertices_of_sdef_and_qdef_are_skinned_as_such() -> None:
    model = bent()
    character = body.character(model)
    motion = Motion(
        character.skeleton,
        30.0,
        quat.exp(RNG.normal(0, 0.7, (5, len(character.skeleton), 3))),
        np.tile(character.skeleton.offsets, (5, 1, 1)),
    )
    skin = skinning.skin_of(character)
    places, normals = skin.posed(motion)
    moves = skinning.joint_matrices(character, motion)
    found = {"spherical": 0, "dual": 0}
    for start, mesh in zip(skin.starts, character.meshes, strict=False):
        if mesh.bends is None:
            continue
        rows = mesh.bends.spherical
        at, facing = spherical_blended(
            mesh.vertices[rows], mesh.normals[rows], mesh.bends.centres, mesh.bends.shares, moves[:, mesh.bends.pairs]
        )
        assert np.allclose(places[:, start + rows], at)
        assert np.allclose(normals[:, start + rows], facing / np.linalg.norm(facing, axis=-1, keepdims=True))
        dual = mesh.bends.dual
        at, _ = dual_blended(mesh.vertices[dual], mesh.normals[dual], mesh.weights[dual], moves[:, mesh.joints[dual]])
        assert np.allclose(places[:, start + dual], at)
        found["spherical"] += len(rows)
        found["dual"] += len(dual)
        chosen = start + np.concatenate([rows, dual])
        assert np.allclose(skin.places_of(motion, chosen), places[:, chosen])
    assert found["spherical"]
    assert found["dual"]
    rest, _ = skin.posed(character.rest)
    bound = np.concatenate([mesh.vertices for mesh in character.meshes])
    assert np.allclose(rest[0], bound, atol=1e-12)


def test_a_morph_moves_bent_vertices_before_the_joints_do() -> None:
    character = body.character(bent())
    number, name = next(
        (n, name) for n, mesh in enumerate(character.meshes) if mesh.bends is not None for name in mesh.morphs
    )
    mesh = character.meshes[number]
    assert mesh.bends is not None
    rest = skinning.skinned(character, character.rest, morphs={(number, name): 0.5})[0][0]
    start = sum(len(one.vertices) for one in character.meshes[:number])
    rows = np.concatenate([mesh.bends.spherical, mesh.bends.dual])
    assert np.allclose(rest[start + rows], mesh.vertices[rows] + 0.5 * mesh.morphs[name][rows])
