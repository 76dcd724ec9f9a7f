"""The cartoon animation filter: anticipation, follow-through, and what it must leave alone."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import komadori
from komadori import Motion, Skeleton, feet, quat
from komadori.characters import character
from komadori.characters.samples import sample
from komadori.errors import OptionError
from komadori.methods.exaggerate import exaggerate
from komadori.motion import joined
from komadori.numerics.filters import main_frequency, smoothed_curvature
from komadori.skinning import joint_matrices, skin_of
from komadori.timesheet import Timesheet


def turning(angle: np.ndarray, fps: float = 24.0) -> Motion:
    """A bone that turns about z by `angle` (F,)."""
    skeleton = Skeleton(("root", "tip_end"), [-1, 0], [[0, 0, 0], [0, 1, 0]])
    rotations = quat.identity(len(angle), 2)
    rotations[:, 0] = quat.from_axis_angle([0.0, 0.0, 1.0], angle)
    return Motion(skeleton, fps, rotations, np.broadcast_to(skeleton.offsets, (len(angle), 2, 3)))


def angle_of(motion: Motion) -> np.ndarray:
    return np.asarray(2.0 * np.arctan2(motion.rotations[:, 0, 2], motion.rotations[:, 0, 3]))


def test_a_move_is_anticipated_and_overshot() -> None:
    t = np.arange(120)
    angle = 1.0 / (1.0 + np.exp(-(t - 60) / 3.0))
    out = angle_of(komadori.exaggerate(turning(angle), amount=1.0, width_s=0.2).motion)
    assert out[:60].min() < -0.03
    assert out[60:].max() > 1.03
    assert np.argmin(out) < 60 < np.argmax(out)
    assert abs(out[0] - angle[0]) < 1e-3
    assert abs(out[-1] - angle[-1]) < 1e-3


def test_the_gain_of_a_swing_is_the_filters_formula() -> None:
    """A sine of w is answered by 1 + amount (sigma w)^2 exp(-(sigma w)^2 / 2)."""
    fps, w, amount, width_s = 120.0, 2.0 * np.pi * 1.5, 0.8, 0.1
    t = np.arange(600) / fps
    swing = 0.02 * np.sin(w * t)
    out = angle_of(komadori.exaggerate(turning(swing, fps), amount=amount, width_s=width_s).motion)
    x = (width_s * w) ** 2
    inner = slice(120, 480)
    assert np.abs(out[inner] - (1 + amount * x * np.exp(-x / 2)) * swing[inner]).max() < 2e-4


def test_steady_motion_and_stillness_are_left_alone() -> None:
    t = np.arange(100)
    assert np.abs(smoothed_curvature((3.0 + 0.5 * t)[:, None], 4.0)[25:-25]).max() < 1e-9
    assert smoothed_curvature((0.5 * (t / 4.0) ** 2)[:, None], 4.0)[50, 0] == pytest.approx(1.0)
    still = turning(np.full(40, 0.3))
    assert np.allclose(komadori.exaggerate(still, amount=2.0).motion.rotations, still.rotations)
    assert main_frequency(np.zeros((20, 3))) == 0.0
    assert main_frequency(np.sin(0.3 * np.arange(2000))[:, None]) == pytest.approx(0.3, rel=0.02)


def test_nothing_asked_nothing_changed() -> None:
    motion = sample("kick")
    assert komadori.exaggerate(motion, amount=0.0).motion is motion
    for frames in (0, 1, 2):
        assert len(komadori.exaggerate(motion[:frames]).motion) == frames


@pytest.mark.parametrize("name", ["pitch", "kick", "walk"])
def test_samples_keep_their_bones_and_stand_still(name: str) -> None:
    motion = sample(name)
    result = komadori.exaggerate(motion, amount=1.0)
    assert np.allclose(np.linalg.norm(result.motion.rotations, axis=-1), 1.0)
    parents = motion.skeleton.parents[1:]
    for before, after in [(motion.world_positions(), result.motion.world_positions())]:
        lengths = np.linalg.norm(before[:, 1:] - before[:, parents], axis=-1)
        assert np.allclose(np.linalg.norm(after[:, 1:] - after[:, parents], axis=-1), lengths)
    standing = feet.contacts(motion)
    loose = komadori.exaggerate(motion, amount=1.0, plant_feet=False)
    assert feet.slippage(result.motion, standing).per_second < 0.1 * feet.slippage(loose.motion, standing).per_second
    assert result.largest_rad > 0.1


def test_the_same_at_every_frame_rate() -> None:
    slow, fast = sample("kick", 24.0), sample("kick", 120.0)
    options = {"amount": 1.0, "width_s": 0.15, "plant_feet": False}
    a = komadori.exaggerate(slow, **options).motion.world_positions()
    b = komadori.exaggerate(fast, **options).motion.world_positions()[::5]
    inner = slice(15, -15)
    assert np.abs(a[: len(b)][inner] - b[inner]).max() < 0.03


def test_wrong_options_are_named() -> None:
    with pytest.raises(OptionError, match="amount: expected a number between 0 and 5"):
        komadori.exaggerate(turning(np.zeros(5)), amount=9.0)
    with pytest.raises(OptionError, match="width_s: expected a number"):
        komadori.exaggerate(turning(np.zeros(5)), width_s=0.0)


def bends(motion: Motion, like: Motion, side: str, names: tuple[str, str, str]) -> np.ndarray:
    """(F,) degrees by which a limb is bent the way that it bends in `like`."""
    joints = [motion.skeleton.roles[f"{side}_{name}"] for name in names]

    def lines(clip: Motion) -> tuple[np.ndarray, np.ndarray]:
        turned, places = clip.world_transforms()
        upper, lower, end = (quat.rotate(quat.inverse(turned[:, joints[0]]), places[:, joint]) for joint in joints)
        return lower - upper, end - lower

    axis = np.cross(*lines(like)).sum(axis=0)
    axis /= np.linalg.norm(axis)
    first, second = lines(motion)
    return np.degrees(np.arctan2(np.cross(first, second) @ axis, (first * second).sum(axis=1)))


@pytest.mark.parametrize("amount", [1.0, 2.5])
@pytest.mark.parametrize("name", ["kick", "pitch", "jog"])
def test_knees_and_elbows_never_bend_the_wrong_way(name: str, amount: float) -> None:
    clip = sample(name)
    made = komadori.exaggerate(clip, amount=amount, plant_feet=False).motion
    for side in ("left", "right"):
        for names in (("upper_leg", "lower_leg", "foot"), ("upper_arm", "lower_arm", "hand")):
            before, after = (bends(motion, clip, side, names) for motion in (clip, made))
            # A knee of the kick went 12 degrees past straight.
            assert after.min() > min(before.min(), 0.0) - 1.5
            assert after.max() < max(before.max(), 155.0) + 1.5


def test_an_exaggerated_kick_reaches_as_far_and_higher() -> None:
    clip = sample("kick")
    made = komadori.exaggerate(clip, amount=1.0).motion
    hip, foot = (clip.skeleton.roles[f"right_{role}"] for role in ("upper_leg", "foot"))

    def most(motion: Motion) -> tuple[float, float]:
        places = motion.world_positions()
        peak = int(places[:, foot, 1].argmax())
        return float(np.linalg.norm(places[peak, foot] - places[peak, hip])), float(places[peak, foot, 1])

    assert most(made)[0] > 0.98 * most(clip)[0]
    assert most(made)[1] > 1.1 * most(clip)[1]


# ---- squash and stretch ------------------------------------------------------------------------------------------------


def leaping() -> Motion:
    """The girl's body, which crouches, leaps with a swing of the arms, lands and stands, seen to it that the hips tell."""
    body = character("girl")
    stand = komadori.retarget(sample("kick"), body).motion
    t = np.arange(48) / 24.0
    # Stands, crouches, leaps half a metre, lands in a crouch, stands.
    hop = np.interp(t, [0, 0.35, 0.6, 0.75, 1.0, 1.25, 1.45, 1.7, 2.0], [0, 0, -0.18, 0, 0.45, 0, -0.2, 0, 0])
    rotations = np.repeat(stand.rotations[:1], len(t), axis=0)
    positions = np.repeat(stand.positions[:1], len(t), axis=0)
    positions[:, stand.skeleton.roles["hips"], 1] += np.convolve(np.pad(hop, 2, "edge"), np.full(5, 0.2), "valid")
    return Motion(stand.skeleton, 24.0, rotations, positions)


def volume(places: np.ndarray) -> np.ndarray:
    """(F,) the volume that the meshes of the girl enclose, signed."""
    body, found, begin = character("girl"), np.zeros(len(places)), 0
    for mesh in body.meshes:
        a, b, c = (places[:, begin + mesh.triangles[:, n]] for n in range(3))
        found += np.einsum("fti,fti->f", a, np.cross(b, c)) / 6.0
        begin += len(mesh.vertices)
    return found


def test_a_leap_squashes_before_stretches_in_the_air_and_keeps_its_volume() -> None:
    motion = leaping()
    result = komadori.exaggerate(motion, amount=0.0, squash=1.0)
    along = result.motion.stretch.along  # type: ignore[union-attr]
    assert along.max() > 1.1
    assert along.min() < 0.9
    assert abs(int(along.argmax()) - 24) <= 2, "tallest at the top of the leap"
    assert along[10:18].min() < 0.95, "the crouch"
    assert along[32:40].min() < 0.95, "the landing"
    assert along.max() < 1.6
    assert abs(along[0] - 1.0) < 0.06
    skin = skin_of(character("girl"))
    before, after = (volume(skin.posed(one)[0]) for one in (motion, result.motion))
    assert np.abs(after / before - 1.0).max() < 1e-9
    assert set(result.measures) >= {"shortest", "tallest"}
    assert "with the volume kept" in dict(exaggerate.declaration.rows(result))["squashed"]


def test_the_skin_is_squashed_about_the_point_it_stands_on_and_its_normals_stay_square_to_it() -> None:
    motion = leaping()
    made = komadori.exaggerate(motion, amount=0.0, squash=1.0).motion
    skin = skin_of(character("girl"))
    (before, _), (after, normals) = skin.posed(motion), skin.posed(made)
    stretch = made.stretch
    assert stretch is not None
    fixed = (made.positions[:, 0] + stretch.pivot)[:, None]
    assert np.allclose(after - fixed, stretch.scales[:, None] * (before - fixed))
    assert np.allclose(skin.places_of(made, np.arange(50)), after[:, :50])
    matrices, plain = joint_matrices(character("girl"), made), joint_matrices(character("girl"), motion)
    assert np.allclose(np.linalg.det(matrices[..., :3]), np.linalg.det(plain[..., :3]))
    mesh = character("girl").meshes[0]
    edges = after[24][mesh.triangles[:, 1]] - after[24][mesh.triangles[:, 0]]
    flat = np.einsum(
        "ti,ti->t", edges / np.linalg.norm(edges, axis=1, keepdims=True), normals[24][mesh.triangles[:, 0]]
    )
    rest = before[24][mesh.triangles[:, 1]] - before[24][mesh.triangles[:, 0]]
    own = np.einsum(
        "ti,ti->t", rest / np.linalg.norm(rest, axis=1, keepdims=True), skin.posed(motion)[1][24][mesh.triangles[:, 0]]
    )
    assert abs(np.abs(flat).mean() - np.abs(own).mean()) < 0.02


def test_what_is_held_resampled_joined_and_put_onto_others_stays_squashed() -> None:
    made = komadori.exaggerate(leaping(), amount=0.0, squash=1.0).motion
    stretch = made.stretch
    assert stretch is not None
    held = made.retimed(Timesheet(24.0, np.arange(48) // 2 * 2)).stretch
    assert held is not None
    assert np.array_equal(held.along, stretch.along[np.arange(48) // 2 * 2])
    fine = made.resampled(48.0).stretch
    assert fine is not None
    # By way of logarithms, whose last bit differs between versions of NumPy.
    np.testing.assert_allclose(fine.along[::2], stretch.along, rtol=1e-14)
    assert np.allclose(fine.along[1::2], np.sqrt(stretch.along[:-1] * stretch.along[1:]))
    both = joined([made, leaping()]).stretch
    assert both is not None
    assert (both.along[48:] == 1.0).all()
    other = komadori.retarget(made, character("mannequin")).motion
    assert other.stretch is not None
    low = (other.positions[:, 0] + other.stretch.pivot)[:, 1] - other.world_positions()[..., 1].min(axis=1)
    assert np.abs(low).max() < 0.06, "it stands on its own ground"
    assert np.array_equal(pickle.loads(pickle.dumps(made)).stretch.along, stretch.along)


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
def test_a_gltf_holds_it_as_a_scale_above_the_joints(suffix: str, tmp_path: Path) -> None:
    body = character("girl")
    made = komadori.exaggerate(leaping(), amount=0.0, squash=1.0).motion
    path = tmp_path / f"leap{suffix}"
    komadori.save(body, path, motions={"leap": made})
    assert komadori.formats.left_out(made, path) == ()
    back = komadori.load(path, kind="character")
    again = back.motions["leap"]
    assert len(again.skeleton) == len(body.skeleton), "the nodes that squash are no joints"
    assert made.stretch is not None
    assert again.stretch is not None
    assert np.abs(again.stretch.along - made.stretch.along).max() < 1e-6
    assert np.abs(again.stretch.pivot - made.stretch.pivot).max() < 1e-5
    assert np.abs(skin_of(back).posed(again)[0] - skin_of(body).posed(made)[0]).max() < 1e-4
    # Written once more, the nodes are the same two.
    komadori.save(back, path, motions={"leap": again})
    third = komadori.load(path, kind="character").motions["leap"]
    assert third.stretch is not None
    assert np.abs(third.stretch.along - made.stretch.along).max() < 1e-6
    document: Any = back.document
    squashing = [node for node in document.json["nodes"] if "komadori" in node.get("extras", {})]
    assert [node["name"] for node in squashing] == ["squash_pivot", "squash"]


def test_a_viewer_of_gltf_sees_the_same_skin(tmp_path: Path) -> None:
    """The scene's graph computed by the specification alone: global transforms of nodes, joints, inverse binds."""
    body = character("girl")
    made = komadori.exaggerate(leaping(), amount=0.0, squash=1.0).motion
    path = tmp_path / "leap.glb"
    komadori.save(body, path, motions={"leap": made})
    document: Any = komadori.load(path, kind="character").document
    nodes, frame = document.json["nodes"], 24
    animation = next(one for one in document.json["animations"] if one["name"] == "leap")
    for channel in animation["channels"]:
        sampler = animation["samplers"][channel["sampler"]]
        times, values = document.accessor(sampler["input"]), document.accessor(sampler["output"])
        target = channel["target"]
        row = np.array([np.interp(frame / 24.0, times, column) for column in np.asarray(values, float).T])
        nodes[target["node"]] = {**nodes[target["node"]], target["path"]: row}
    parent = {child: n for n, node in enumerate(nodes) for child in node.get("children", ())}

    def matrix(node: int) -> np.ndarray:
        own, entry = np.eye(4), nodes[node]
        turn = quat.to_matrix(quat.normalized(np.asarray(entry.get("rotation", (0.0, 0.0, 0.0, 1.0)))))
        own[:3, :3] = turn * np.asarray(entry.get("scale", (1.0, 1.0, 1.0)))
        own[:3, 3] = entry.get("translation", (0.0, 0.0, 0.0))
        return matrix(parent[node]) @ own if node in parent else own

    skin = document.json["skins"][0]
    binds = np.asarray(document.accessor(skin["inverseBindMatrices"]), float)
    moves = np.stack([matrix(joint) @ bind for joint, bind in zip(skin["joints"], binds, strict=True)])
    ours, begin = skin_of(body).posed(made)[0][frame], 0
    mesh = body.meshes[0]
    bound = np.c_[mesh.vertices, np.ones(len(mesh.vertices))]
    seen = np.einsum("vk,vkij,vj->vi", mesh.weights, moves[mesh.joints], bound)[:, :3]
    assert np.abs(seen - ours[begin : begin + len(seen)]).max() < 1e-4


def test_formats_without_scales_say_that_it_is_not_written() -> None:
    made = komadori.exaggerate(leaping(), amount=0.0, squash=1.0).motion
    for name in ("leap.bvh", "leap.fbx", "leap.vrma"):
        assert any("squash and stretch" in str(note) for note in komadori.formats.left_out(made, Path(name))), name
    plain = leaping()
    assert not any("squash" in str(note) for note in komadori.formats.left_out(plain, Path("leap.bvh")))


def test_no_squash_is_the_method_as_it_was() -> None:
    assert komadori.exaggerate(sample("kick"), amount=1.0).motion.stretch is None
    with pytest.raises(OptionError, match="squash"):
        komadori.exaggerate(sample("kick"), squash=-1.0)
