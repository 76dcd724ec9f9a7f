"""What must hold of every built-in character: its skin, its weights, its chains, its face, and how it bends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from komadori import quat, roles
from komadori.character import Character, Mesh
from komadori.characters import CHARACTER_DESCRIPTIONS, CHARACTERS, SAMPLES, character, humanoid, sample
from komadori.characters.gallery import MAKERS
from komadori.errors import OptionError
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skinning import skinned
from komadori.words import translated

MOST_VERTICES = {"mannequin": 4000, "girl": 12000, "horse": 5400}
PEOPLE = ("mannequin", "girl")

every = pytest.mark.parametrize("name", CHARACTERS)
people = pytest.mark.parametrize("name", PEOPLE)


def pieces(mesh: Mesh) -> NDArray[np.int64]:
    """(V,) which connected piece each vertex belongs to."""
    label = np.arange(len(mesh.vertices))
    while True:
        least = label[mesh.triangles].min(axis=1)
        lower = label.copy()
        for corner in range(3):
            np.minimum.at(lower, mesh.triangles[:, corner], least)
        lower = lower[lower]
        if np.array_equal(lower, label):
            return np.unique(label, return_inverse=True)[1]
        label = lower


def volume(vertices: Array, triangles: NDArray[np.int64]) -> float:
    a, b, c = (vertices[triangles[:, n]] for n in range(3))
    return float(np.einsum("ti,ti->", a, np.cross(b, c)) / 6.0)


def closed_up(vertices: Array, triangles: NDArray[np.int64]) -> float:
    """The volume of a surface with holes, each closed by a cone to the middle of its edge."""
    edges = np.concatenate([triangles[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))])
    keys = {(int(a), int(b)) for a, b in edges}
    rim = np.array([(a, b) for a, b in keys if (b, a) not in keys])
    if not len(rim):
        return volume(vertices, triangles)
    middle = vertices[rim].mean(axis=(0, 1))
    lid = np.stack([np.broadcast_to(middle, (len(rim), 3)), vertices[rim[:, 1]], vertices[rim[:, 0]]], axis=1)
    cap = np.einsum("ti,ti->", lid[:, 0], np.cross(lid[:, 1], lid[:, 2])) / 6.0
    return volume(vertices, triangles) + float(cap)


def bent(body: Character, turns: dict[str, Array]) -> list[Array]:
    """The vertices of every mesh with some joints turned from rest."""
    rotations = np.array(body.skeleton.rest)
    for joint, turn in turns.items():
        rotations[body.skeleton.index(joint)] = turn
    places, _ = skinned(body, Motion(body.skeleton, 24.0, rotations[None], body.skeleton.offsets[None]))
    return np.split(np.asarray(places[0]), np.cumsum([len(mesh.vertices) for mesh in body.meshes])[:-1])


def worn(body: Character, motion: Motion) -> Motion:
    """`motion` of the built-in body on a body with the same joints first; the other joints rest."""
    frames, own = len(motion), len(motion.skeleton)
    rotations = np.repeat(body.skeleton.rest[None], frames, axis=0)
    positions = np.repeat(body.skeleton.offsets[None], frames, axis=0)
    rotations[:, :own] = motion.rotations
    positions[:, 0] = motion.positions[:, 0] * (body.skeleton.offsets[0, 1] / motion.skeleton.offsets[0, 1])
    return Motion(body.skeleton, motion.fps, rotations, positions)


# Names


def test_the_names_and_their_lines() -> None:
    assert CHARACTERS == ("mannequin", "girl", "horse")
    assert tuple(CHARACTER_DESCRIPTIONS) == CHARACTERS
    for text in CHARACTER_DESCRIPTIONS.values():
        assert translated(text, "ja") != text


@pytest.mark.parametrize("name", ["", "Girl", "dog", "\n", None])
def test_an_unknown_name_lists_the_known_ones(name: str) -> None:
    with pytest.raises(OptionError, match="mannequin, girl, horse") as caught:
        character(name)
    assert "\n" not in str(caught.value)


@every
def test_made_twice_it_is_the_same(name: str) -> None:
    one, two = MAKERS[name](), MAKERS[name]()
    assert one.skeleton.same_joints(two.skeleton)
    assert one.materials == two.materials
    for a, b in zip(one.meshes, two.meshes, strict=True):
        for part in ("vertices", "normals", "triangles", "joints", "weights"):
            np.testing.assert_array_equal(getattr(a, part), getattr(b, part))
    assert character(name) is character(name)


# The skin


@every
def test_small(name: str) -> None:
    body = character(name)
    assert sum(len(mesh.vertices) for mesh in body.meshes) < MOST_VERTICES[name]


@every
def test_every_vertex_follows_at_most_four_joints_wholly(name: str) -> None:
    body = character(name)
    for mesh in body.meshes:
        assert mesh.joints.shape[1] <= 4
        assert (mesh.weights >= 0.0).all()
        np.testing.assert_allclose(mesh.weights.sum(axis=1), 1.0, atol=1e-12)
        # An end site never turns: what would follow it belongs to its parent.
        assert not body.skeleton.end_sites[mesh.joints[mesh.weights > 0.0]].any()


@every
def test_every_surface_is_closed_and_faces_outwards(name: str) -> None:
    for mesh in character(name).meshes:
        edges = np.concatenate([mesh.triangles[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))])
        there, count = np.unique(edges, axis=0, return_counts=True)
        back, back_count = np.unique(edges[:, ::-1], axis=0, return_counts=True)
        np.testing.assert_array_equal(there, back, err_msg=mesh.name)
        np.testing.assert_array_equal(count, back_count, err_msg=mesh.name)
        label = pieces(mesh)
        for piece in range(int(label.max()) + 1):
            own = mesh.triangles[label[mesh.triangles[:, 0]] == piece]
            assert volume(mesh.vertices, own) > 0.0, f"{mesh.name}, piece {piece}"


@every
def test_no_triangle_is_degenerate_and_normals_are_unit(name: str) -> None:
    for mesh in character(name).meshes:
        a, b, c = (mesh.vertices[mesh.triangles[:, n]] for n in range(3))
        face = np.cross(b - a, c - a)
        assert np.linalg.norm(face, axis=1).min() > 1e-9, mesh.name
        np.testing.assert_allclose(np.linalg.norm(mesh.normals, axis=1), 1.0, atol=1e-9)
        assert np.unique(mesh.triangles).size == len(mesh.vertices)


@people
def test_normals_point_out_of_the_surface(name: str) -> None:
    for mesh in character(name).meshes:
        if mesh.name == "skin":
            continue  # its face and neck are shaded as one draws them, not as they lie
        a, b, c = (mesh.vertices[mesh.triangles[:, n]] for n in range(3))
        face = np.cross(b - a, c - a)
        mean = mesh.normals[mesh.triangles].sum(axis=1)
        # Across a sharp edge the three normals differ, and their sum tells nothing.
        agree = np.linalg.norm(mean, axis=1) > 2.0
        assert (np.einsum("ti,ti->t", face, mean)[agree] > 0.0).mean() > 0.99, mesh.name


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("mannequin", (-0.85, 0.0, -0.13), (0.85, 1.66, 0.20)),
        ("girl", (-0.75, 0.0, -0.38), (0.75, 1.64, 0.20)),
        ("horse", (-0.28, 0.0, -1.05), (0.28, 1.92, 1.22)),
    ],
)
def test_it_stands_on_the_ground_in_its_size(
    name: str, low: tuple[float, float, float], high: tuple[float, float, float]
) -> None:
    every_vertex = np.concatenate([mesh.vertices for mesh in character(name).meshes])
    least, most = every_vertex.min(axis=0), every_vertex.max(axis=0)
    assert (least > np.array(low) - 2e-3).all()
    assert (most < np.array(high)).all()
    assert abs(least[1]) < 2e-3
    assert (most - least > 0.85 * (np.array(high) - low)).all()


@every
def test_shadows_are_darker_and_lines_thin(name: str) -> None:
    for material in character(name).materials:
        assert material.shade is not None
        assert sum(material.shade) <= sum(material.colour[:3])
        assert 0.0 <= material.outline_m < 0.006
        assert (material.outline is not None) == (material.outline_m > 0.0)


@every
def test_every_mesh_has_its_material(name: str) -> None:
    body = character(name)
    assert [body.materials[mesh.material].name for mesh in body.meshes if mesh.material is not None] == [
        mesh.name for mesh in body.meshes
    ]


# Joints


def test_the_mannequin_is_the_built_in_body() -> None:
    assert character("mannequin").skeleton is humanoid()


def test_the_girl_has_the_same_joints_first() -> None:
    girl, plain = character("girl").skeleton, humanoid()
    assert girl.names[: len(plain)] == plain.names
    np.testing.assert_array_equal(girl.parents[: len(plain)], plain.parents)
    assert girl.roles == plain.roles
    rest = character("girl").rest.world_positions()[0]
    assert rest[girl.index("head_end"), 1] == pytest.approx(1.58)
    assert 0.0 < rest[: len(plain), 1].min() < 0.02
    for joint, name in enumerate(girl.names[: len(plain)]):
        if name.startswith("left_"):
            mirror = rest[girl.index(name.replace("left_", "right_"))]
            np.testing.assert_allclose(mirror, rest[joint] * [-1.0, 1.0, 1.0], atol=1e-12)


@people
def test_roles_are_found_by_name_too(name: str) -> None:
    skeleton = character(name).skeleton
    found = roles.find(replace(skeleton, roles={}))
    assert found == dict(skeleton.roles)


@every
def test_chains_are_chains(name: str) -> None:
    body = character(name)
    for chain in body.chain_hints:
        joints = list(chain.joints)
        assert body.skeleton.parents[joints[0]] == chain.hangs_from
        assert body.skeleton.parents[joints[1:]].tolist() == joints[:-1]
        np.testing.assert_allclose(chain.lengths, np.linalg.norm(body.skeleton.offsets[joints[1:]], axis=1))
        assert min(chain.lengths) > 0.01
        assert body.skeleton.end_sites[joints[-1]]
        assert not set(joints) & set(body.skeleton.roles.values()) or name == "horse"


def test_the_girls_chains() -> None:
    girl = character("girl")
    bones = {chain.name: len(chain.lengths) for chain in girl.chain_hints}
    kinds = {chain.name: chain.kind for chain in girl.chain_hints}
    assert 6 <= bones["hair_ponytail"] <= 8
    assert sum(kind == "hair" for kind in kinds.values()) == 6
    assert sum(kind == "ribbon" for kind in kinds.values()) == 4
    assert {chain.hangs_from for chain in girl.chain_hints} == {girl.skeleton.index("head")}
    # Every joint after the body's belongs to one of them.
    owned = sorted(joint for chain in girl.chain_hints for joint in chain.joints)
    assert owned == list(range(len(humanoid()), len(girl.skeleton)))
    # And each moves some of the skin.
    moved = {int(j) for mesh in girl.meshes for j in np.unique(mesh.joints[mesh.weights > 0.05])}
    assert {joint for chain in girl.chain_hints for joint in chain.joints[:-1]} <= moved


def test_a_swung_ponytail_moves_nothing_else() -> None:
    girl = character("girl")
    rest = bent(girl, {})
    swung = bent(girl, {"hair_ponytail_1": quat.from_euler([0.8], "Z")})
    for mesh, before, after in zip(girl.meshes, rest, swung, strict=True):
        moved = np.linalg.norm(after - before, axis=1) > 1e-9
        assert moved.any() == (mesh.name == "hair"), mesh.name
        if moved.any():
            assert before[moved, 2].max() < -0.10


# The face


def test_the_girl_can_blink_and_smile() -> None:
    girl = character("girl")
    assert set(girl.expressions) == {"blink", "happy", "lookLeft", "lookRight", "lookUp", "lookDown"}
    by_name = {mesh.name: mesh for mesh in girl.meshes}
    for name in ("white", "iris", "shine"):
        mesh = by_name[name]
        open_eye = np.ptp(mesh.vertices[:, 1])
        assert np.ptp((mesh.vertices + mesh.morphs["blink"])[:, 1]) < 0.3 * open_eye
    mouth = by_name["mouth"]
    corners = np.abs(mouth.vertices[:, 0]) > 0.9 * np.abs(mouth.vertices[:, 0]).max()
    smile = mouth.morphs["smile"]
    assert smile[corners, 1].mean() > smile[~corners, 1].mean() + 0.002
    for weights in girl.expressions.values():
        assert all(morph in girl.meshes[mesh].morphs for mesh, morph in weights)


def test_the_face_is_drawn_on_the_face() -> None:
    girl = character("girl")
    skin = next(mesh for mesh in girl.meshes if mesh.name == "skin").vertices
    for mesh in girl.meshes:
        if mesh.name in ("white", "iris", "ink", "mouth", "brow", "blush"):
            apart = np.linalg.norm(mesh.vertices[:, None] - skin[None], axis=2).min(axis=1)
            assert apart.max() < 0.012, mesh.name
            assert mesh.vertices[:, 2].min() > 0.02


# Bending


@people
@pytest.mark.parametrize(
    ("joint", "axis", "degrees"),
    [
        ("left_lower_arm", "Y", -120.0),
        ("left_lower_arm", "X", 150.0),  # a twist, which wrings soft limbs like sweet wrappers
        ("left_lower_leg", "X", 120.0),
        ("left_hand", "Z", -70.0),
    ],
)
def test_a_bent_limb_keeps_its_volume(name: str, joint: str, axis: str, degrees: float) -> None:
    body = character(name)
    rest, after = bent(body, {}), bent(body, {joint: quat.from_euler(np.radians([degrees]), axis)})
    hinge = body.rest.world_positions()[0, body.skeleton.index(joint)]
    # The limb alone, cut off between trunk and hinge.
    part, cut, sign = (1, 0.7, -1.0) if "leg" in joint else (0, 0.2, 1.0)
    ratios = []
    for mesh, before, now in zip(body.meshes, rest, after, strict=True):
        label = pieces(mesh)
        for piece in np.unique(label[np.linalg.norm(before - hinge, axis=1) < 0.08]):
            own = mesh.triangles[label[mesh.triangles[:, 0]] == piece]
            on_limb = (sign * before[own][..., part] > sign * cut) & (before[own][..., 0] > 0.0)
            own = own[on_limb.all(axis=1)]
            if len(own) > 60 and closed_up(before, own) > 2e-4:
                ratios.append(closed_up(now, own) / closed_up(before, own))
    assert ratios
    assert min(ratios) > 0.85


@people
@pytest.mark.parametrize("joint", ["left_lower_arm", "left_upper_arm", "right_lower_leg", "right_upper_leg", "head"])
def test_no_vertex_goes_farther_than_its_bones(name: str, joint: str) -> None:
    body = character(name)
    angle = np.radians(100.0)
    rest, after = bent(body, {}), bent(body, {joint: quat.from_axis_angle([0.6, 0.0, 0.8], angle)})
    hinge = body.rest.world_positions()[0, body.skeleton.index(joint)]
    for before, now in zip(rest, after, strict=True):
        reach = 2.0 * np.sin(0.5 * angle) * np.linalg.norm(before - hinge, axis=1)
        assert (np.linalg.norm(now - before, axis=1) <= reach + 1e-9).all()


@people
@pytest.mark.parametrize("limb", ["upper_leg", "lower_leg", "upper_arm", "foot"])
def test_one_side_leaves_the_other_alone(name: str, limb: str) -> None:
    body = character(name)
    rest, after = bent(body, {}), bent(body, {f"left_{limb}": quat.from_euler([1.2], "X")})
    for before, now in zip(rest, after, strict=True):
        moved = np.linalg.norm(now - before, axis=1) > 1e-9
        assert not moved[before[:, 0] < -0.02].any()


@every
def test_weights_are_the_same_on_both_sides(name: str) -> None:
    body = character(name)
    names = body.skeleton.names

    def mirror_name(joint: str) -> str:
        for a, b in (("left", "right"), ("right", "left")):
            if joint.startswith(f"{a}_"):
                return joint.replace(a, b, 1)
        return joint

    twin = np.array([names.index(mirror_name(joint)) for joint in names])
    for mesh in body.meshes:
        if mesh.name not in ("body", "shirt", "shorts", "coat", "skin", "shoes"):
            continue
        dense = np.zeros((len(mesh.vertices), len(names)))
        for k in range(mesh.joints.shape[1]):
            np.add.at(dense, (np.arange(len(dense)), mesh.joints[:, k]), mesh.weights[:, k])
        flipped = mesh.vertices * [-1.0, 1.0, 1.0]
        squares = np.einsum("vi,vi->v", mesh.vertices, mesh.vertices)
        apart = squares[:, None] + squares[None] - 2.0 * (flipped @ mesh.vertices.T)
        near = apart.argmin(axis=1)
        assert apart[np.arange(len(near)), near].max() < 0.03**2, mesh.name
        # Solids melt into each other one after the other, so the two sides differ by a little.
        assert np.abs(dense[:, twin] - dense[near]).mean() < 0.002, mesh.name


@people
@pytest.mark.parametrize("clip", SAMPLES)
def test_samples_are_worn_without_tearing(name: str, clip: str) -> None:
    body = character(name)
    motion = worn(body, sample(clip, 6.0))
    places, normals = skinned(body, motion)
    assert np.isfinite(places).all()
    assert np.isfinite(normals).all()
    starts = np.cumsum([0, *(len(mesh.vertices) for mesh in body.meshes)])
    for mesh, start in zip(body.meshes, starts[:-1], strict=True):
        edges = np.concatenate([mesh.triangles[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))])
        here = np.asarray(places[:, start : start + len(mesh.vertices)])
        now = np.linalg.norm(here[:, edges[:, 0]] - here[:, edges[:, 1]], axis=2)
        before = np.linalg.norm(mesh.vertices[edges[:, 0]] - mesh.vertices[edges[:, 1]], axis=1)
        assert (now > before + 0.12).mean() < 0.001, mesh.name
        assert (now > 2.0 * before + 0.01).mean() < 0.01, mesh.name
    assert places[..., 1].min() > -0.06
