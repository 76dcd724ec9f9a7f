"""Hair that lies on a body stays outside it: planes of the skin, wherever wind, wave and head push."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hair_bodies import moved

from komadori import quat
from komadori.character import Character, Mesh
from komadori.characters import character
from komadori.methods.hair import PRESETS, hair
from komadori.methods.hair.skin import skin_below
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton

RADIUS = 0.12
HEAD = np.array([0.0, 1.5, 0.0])


def sphere(radius: float = RADIUS, rings: int = 24) -> Mesh:
    """A round head at `HEAD`."""
    around, up = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, 2 * rings), np.linspace(0.02, np.pi - 0.02, rings))
    normals = np.stack([np.sin(up) * np.sin(around), np.cos(up), np.sin(up) * np.cos(around)], axis=-1).reshape(-1, 3)
    row, column = np.meshgrid(np.arange(rings - 1), np.arange(2 * rings - 1), indexing="ij")
    a = row * 2 * rings + column
    triangles = np.concatenate(
        [
            np.stack([a, a + 2 * rings, a + 1], axis=-1).reshape(-1, 3),
            np.stack([a + 1, a + 2 * rings, a + 2 * rings + 1], axis=-1).reshape(-1, 3),
        ]
    )
    count = len(normals)
    return Mesh(
        "skin", HEAD + radius * normals, normals, triangles, np.zeros((count, 1), dtype=np.intp), np.ones((count, 1))
    )


def fringed(off: float = 0.01) -> Character:
    """A round head with a lock of four bones that lies on its front, `off` metres above the skin."""
    angles = np.radians([60.0, 42.0, 24.0, 6.0, -12.0])
    places = HEAD + (RADIUS + off) * np.stack([0.0 * angles, np.sin(angles), np.cos(angles)], axis=-1)
    names = ("head", *(f"hair_{n}" for n in range(4)), "hair_end")
    offsets = np.concatenate([[HEAD], [places[0] - HEAD], np.diff(places, axis=0)])
    skeleton = Skeleton(names, np.arange(-1, 5), offsets, roles={"head": 0})
    return Character("fringed", skeleton, meshes=(sphere(),))


def depths(body: Character, motion: Motion) -> Array:
    """(F, 4) metres of each bone's end above the head's skin, wherever the head is."""
    world = motion.world_positions()
    return np.linalg.norm(world[:, 2:] - world[:, :1], axis=-1) - RADIUS


def test_the_skin_below_is_the_nearest_that_faces_the_bone() -> None:
    body = fringed(0.03)
    ends = body.rest.world_positions()[0, 2:]
    out = ends - HEAD
    way = np.repeat([[0.0, 0.0, 1.0]], 4, axis=0)
    normals, air = skin_below(body, ends, way, np.zeros(4, dtype=np.intp), np.full(4, 0.2))
    np.testing.assert_allclose(normals, out / np.linalg.norm(out, axis=1, keepdims=True), atol=0.1)
    np.testing.assert_allclose(air, 0.03, atol=0.004)
    _, far = skin_below(body, ends, way, np.zeros(4, dtype=np.intp), np.full(4, 0.01))
    assert np.isinf(far).all()


@pytest.mark.parametrize("wind", [(0.0, 0.0, -6.0), (1.0, -1.0, -5.0), (0.0, -3.0, -3.0)])
@pytest.mark.parametrize("a", [0.0, 0.65, 1.2])
def test_wind_in_the_face_does_not_blow_hair_into_the_head(wind: Any, a: float) -> None:
    body = fringed()
    assert depths(body, hair(body, wind=wind, size=a).motion).min() > -0.003
    # Without skin to lie on it would: the test can tell.
    bald = Character("bald", body.skeleton)
    assert depths(bald, hair(bald, wind=wind, size=a).motion).min() < -0.01


def test_a_head_that_stops_or_turns_does_not_take_its_hair_in() -> None:
    body = fringed()
    t = np.arange(96) / 24.0
    back = np.stack([0.0 * t, 0.0 * t, 4.0 * np.minimum(t, 2.0)], axis=1)
    yaw = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.radians(120.0) * np.clip((t - 1.0) / 0.2, 0.0, 1.0))
    for motion in (moved(body, back), moved(body, -back), moved(body, 0.0 * back, yaw)):
        assert depths(body, hair(body, motion).motion).min() > -0.003


def test_what_lies_on_the_skin_at_rest_stays_as_it_was_modelled() -> None:
    body = fringed(0.0)
    calm = hair(body, size=0.0).motion
    np.testing.assert_allclose(calm.rotations, np.broadcast_to(body.skeleton.rest, calm.rotations.shape), atol=1e-12)


@pytest.mark.parametrize("preset", [None, *PRESETS])
@pytest.mark.parametrize("name", ["girl", "horse"])
def test_no_bone_of_built_in_hair_goes_deeper_than_its_skin(name: str, preset: Any) -> None:
    body = character(name)
    clip = body.motions.get("trot")
    for motion in (None, clip):
        result = hair(body, motion, preset=preset, collide=False)
        strands = result.flow.strands
        guard = strands.guard
        assert guard is not None
        steps = strands.lengths[:, None] * (result.flow.directions(np.arange(48) / 24.0) - strands.directions)
        ends = np.cumsum(steps, axis=1)
        ends -= (ends - steps)[:, strands.firsts][:, strands.of]
        above = np.einsum("nbi,ib->nb", ends, guard.normals) + guard.room
        # A trot shakes locks a little farther than the half of the air that they may use.
        assert above.min() > -0.012


def test_skin_of_joints_that_move_on_their_own_holds_nothing_back() -> None:
    """The girl's side locks hang before her chest, which the head does not carry: wind takes them past it."""
    girl = character("girl")
    strands = hair(girl).flow.strands
    number = [chain.name for chain in strands.chains].index("hair_side_left")
    guard = strands.guard
    assert guard is not None
    rooms = guard.room[strands.bones(number)]
    assert rooms[0] < 0.1
    assert rooms[-1] > 1e6
