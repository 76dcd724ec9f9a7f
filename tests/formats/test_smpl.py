"""SMPL parameters: exact round trips, axes, bodies, models, markers, and files that lie."""

from __future__ import annotations

import io
import random
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from komadori import quat, retarget, sample
from komadori.errors import FormatError, OptionError
from komadori.formats import encoded, left_out, load
from komadori.formats.smpl.bodies import BODIES, PELVIS
from komadori.formats.smpl.markers import AROUND, fitted, middles
from komadori.formats.smpl.reading import Z_UP, parse
from komadori.motion import Motion

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "fuzz"))
from fuzz_mutators import broken
from fuzz_seeds import smpl as seed
from fuzz_shapes import BY_FORMAT

from realdata import real

RNG = np.random.default_rng(19)


def packed(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def standing(joints: int, frames: int = 8, **more: Any) -> dict[str, Any]:
    """Somebody upright with z up, who turns every joint a little."""
    poses = RNG.normal(0.0, 0.2, (frames, joints, 3))
    poses[:, 0] = quat.log(quat.multiply(quat.inverse(Z_UP), quat.exp(poses[:, 0])))
    trans = np.array([0.0, 0.0, 1.2]) + RNG.normal(0.0, 0.01, (frames, 3))
    return {"poses": poses.reshape(frames, -1), "trans": trans, "mocap_framerate": np.array(120.0), **more}


def back(motion: Motion) -> dict[str, Any]:
    with np.load(io.BytesIO(encoded(motion, "a.npz")), allow_pickle=False) as file:
        return {key: file[key] for key in file.files}


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body.name)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_round_trip_is_exact(body: Any, dtype: Any) -> None:
    given = standing(len(body.names), betas=np.arange(16.0), gender=np.array("female"), dmpls=RNG.normal(size=(8, 8)))
    given = {key: value.astype(dtype) if key in ("poses", "trans") else value for key, value in given.items()}
    # The long way round and beyond a whole turn: no quaternion remembers it.
    given["poses"][:, 9:12] = [4.0, 0.5, 0.0]
    given["poses"][:, 12:15] = [0.0, 7.0, 0.0]
    motion = parse(packed(**given), "a.npz")
    assert motion.skeleton.names == body.names
    found = back(motion)
    assert found.keys() == given.keys()
    for key, value in given.items():
        assert found[key].dtype == np.asarray(value).dtype, key
        assert np.array_equal(found[key], value), key


def test_what_changed_is_written_anew_and_the_rest_as_it_was() -> None:
    given = standing(52, dmpls=RNG.normal(size=(8, 8)))
    motion = parse(packed(**given), "a.npz")
    cut = back(motion[2:5])
    assert np.array_equal(cut["poses"], given["poses"][2:5])
    assert np.array_equal(cut["dmpls"], given["dmpls"][2:5])
    rotations = np.array(motion.rotations)
    rotations[3, 7] = quat.exp([0.1, 0.2, 0.3])
    changed = motion.replaced(rotations=rotations)
    found = back(changed)
    assert np.allclose(found["poses"][3, 21:24], [0.1, 0.2, 0.3])
    same = np.ones_like(given["poses"], dtype=bool)
    same[3, 21:24] = False
    assert np.array_equal(found["poses"][same], given["poses"][same])
    assert "dmpls" not in found
    assert any("dmpls" in note for note in left_out(changed, "a.npz"))
    slower = back(motion.resampled(50))
    assert slower["mocap_framerate"] == 50


def test_z_is_up_in_the_file_and_y_here() -> None:
    given = standing(52)
    motion = parse(packed(**given), "a.npz")
    head, hips = (motion.world_transforms()[1][:, motion.skeleton.role(role)] for role in ("head", "hips"))
    assert ((head - hips)[:, 1] > 0.3).all()
    x, y, z = (given["trans"] + PELVIS).T
    assert np.allclose(motion.positions[:, 0], np.stack([x, z, -y], axis=1))
    assert motion.skeleton.names[motion.skeleton.role("left_hand") or 0] == "left_wrist"
    upright = {**given, "poses": given["poses"] * 0.1}
    motion = parse(packed(**upright), "a.npz")
    assert any("read as Y up" in note for note in motion.notes)
    assert np.array_equal(back(motion)["poses"], upright["poses"])


def test_the_users_model_gives_the_bone_lengths(tmp_path: Path) -> None:
    body = BODIES[1]
    count = len(body.names)
    template, basis = RNG.normal(size=(200, 3)), RNG.normal(size=(200, 3, 4))
    regressor = RNG.random((count, 200))
    regressor /= regressor.sum(axis=1, keepdims=True)
    model = packed(v_template=template, shapedirs=basis, J_regressor=regressor)
    given = standing(count, betas=np.array([1.0, -2.0]), gender=np.array("male"))
    (tmp_path / "walk.npz").write_bytes(packed(**given))
    # What is not a file, such as a pipe that would be waited for, is not a model.
    (tmp_path / "SMPLH_MALE.npz").mkdir()
    assert any("SMPLH_MALE.npz" in note for note in load(tmp_path / "walk.npz").notes)
    (tmp_path / "SMPLH_MALE.npz").rmdir()
    (tmp_path / "smplh_male.npz").write_bytes(model)
    motion = load(tmp_path / "walk.npz", kind="motion")
    rest = regressor @ (template + basis[:, :, :2] @ [1.0, -2.0])
    assert np.allclose(motion.skeleton.offsets[4], rest[4] - rest[1])
    assert np.allclose(motion.positions[0, 0], quat.rotate(Z_UP, given["trans"][0] + rest[0]))
    assert np.array_equal(back(motion)["trans"], given["trans"])


def test_bones_are_found_from_markers_that_surround_the_joints() -> None:
    body = BODIES[1]
    given = standing(52, frames=80)
    true = np.array(body.offsets) * RNG.normal(1.1, 0.05, (52, 1))
    turns = quat.exp(given["poses"].reshape(80, 52, 3))
    rest = np.array([PELVIS] + [[0.0] * 3] * 51)
    for joint in range(1, 52):
        rest[joint] = rest[body.parents[joint]] + true[joint]
    skeleton = body.skeleton(rest)
    clip = Motion(skeleton, 120, turns, np.concatenate([(given["trans"] + rest[0])[:, None], np.tile(skeleton.offsets[1:], (80, 1, 1))], axis=1))  # fmt: skip
    world = clip.world_transforms()[1]
    seen = {name: world[:, body.names.index(name)] + RNG.normal(0, 0.003, (80, 3)) for name in AROUND}
    found = fitted(body, turns, given["trans"], seen)
    assert found is not None
    shins = [np.linalg.norm(found[7] - found[4]), np.linalg.norm(true[7])]
    assert shins[0] == pytest.approx(shins[1], abs=0.012)
    arm = [np.linalg.norm(found[20] - found[18]), np.linalg.norm(true[20])]
    assert arm[0] == pytest.approx(arm[1], abs=0.012)
    assert fitted(body, turns, given["trans"], {}) is None


def test_joints_agree_with_the_markers_of_the_sample() -> None:
    path = real("human_amass_NC/amass_sample.npz")
    motion = load(path, kind="motion")
    with np.load(path, allow_pickle=False) as file:
        raw = {key: file[key] for key in file.files}
    found = back(motion)
    assert found.keys() == raw.keys()
    for key, value in raw.items():
        same = np.array_equal(found[key], value, equal_nan=value.dtype.kind == "f")
        assert same, key
    labels = [label.decode() for label in raw["marker_labels"]]
    seen = middles(labels, raw["marker_data"])
    body, turns = BODIES[1], quat.exp(raw["poses"].reshape(-1, 52, 3))
    world = motion.world_transforms()[1]

    def error_mm(places: Any, names: Any, frames: slice) -> float:
        flat = [
            np.linalg.norm(places[frames, body.names.index(n)] - quat.rotate(Z_UP, seen[n])[frames], axis=-1)
            for n in names
        ]
        return 1e3 * float(np.nanmean(flat))

    everything = slice(None)
    assert error_mm(world, seen, everything) < 8.0
    # Average proportions, as for a file without markers: the sample's actor is a tall man.
    less = {key: value for key, value in raw.items() if not key.startswith("marker")}
    average = parse(packed(**less), "a.npz").world_transforms()[1]
    assert 60.0 < error_mm(average, seen, everything) < 160.0
    # Bones from the first half of the clip, judged on the second; and fingertips that had no say.
    told = {name: places for name, places in seen.items() if not name.endswith("3")}
    first = {name: places[:300] for name, places in told.items()}
    rest = fitted(body, turns[:300], raw["trans"][:300], first)
    assert rest is not None
    skeleton = body.skeleton(rest)
    positions = np.tile(skeleton.offsets, (len(turns), 1, 1))
    positions[:, 0] = raw["trans"] + rest[0]
    placed = Motion(skeleton, 120, turns, positions).world_transforms()[1]
    ours = quat.rotate(Z_UP, placed)
    assert error_mm(ours, told, slice(300, None)) < 9.0
    assert error_mm(ours, [name for name in seen if name.endswith("3")], slice(300, None)) < 25.0


def test_another_body_is_refused_until_it_is_put_onto_this_one(tmp_path: Path) -> None:
    walk = sample("walk")
    with pytest.raises(OptionError, match="komadori retarget"):
        encoded(walk, "a.npz")
    (tmp_path / "a.npz").write_bytes(packed(**standing(52)))
    there = retarget(walk, load(tmp_path / "a.npz", kind="motion")).motion
    assert any("bone lengths" in note for note in left_out(there, "a.npz"))
    again = parse(encoded(there, "a.npz"), "a.npz")
    assert len(again) == len(there)
    assert np.allclose(np.abs((again.rotations * there.rotations).sum(axis=-1)), 1.0, atol=1e-9)


@pytest.mark.parametrize(
    "given",
    [
        {"poses": None},
        {"poses": np.zeros((8, 100))},
        {"poses": np.zeros((0, 156)), "trans": np.zeros((0, 3))},
        {"poses": np.zeros((8, 52, 4))},
        {"poses": None, "root_orient": np.zeros((8, 3)), "pose_body": np.zeros((8, 60))},
        {"poses": None, "root_orient": np.zeros((7, 3)), "pose_body": np.zeros((8, 63))},
        {"poses": np.zeros((8, 156), dtype="U3")},
        {"poses": np.full((8, 156), np.nan)},
        {"poses": np.full((8, 156), 1e300)},
        {"poses": np.zeros((7, 156))},
        {"trans": np.zeros((8, 2))},
        {"trans": np.full((8, 3), 1e300)},
        {"mocap_framerate": np.array(0.0)},
        {"mocap_framerate": np.array(np.inf)},
        {"mocap_framerate": np.array("fast")},
        {"mocap_framerate": np.array([1.0, 2.0])},
    ],
)
def test_what_is_no_motion_is_refused_in_one_line(given: dict[str, Any], tmp_path: Path) -> None:
    arrays = {key: value for key, value in {**standing(52), **given}.items() if value is not None}
    (tmp_path / "a.npz").write_bytes(packed(**arrays))
    with pytest.raises(FormatError) as error:
        load(tmp_path / "a.npz")
    assert "\n" not in str(error.value)


def divided(poses: Any, **places: slice) -> dict[str, Any]:
    return {key: poses[:, place] for key, place in places.items()}


def test_parts_of_the_body_are_read_from_arrays_of_their_own() -> None:
    given = standing(55)
    poses = given.pop("poses")
    whole = parse(packed(poses=poses, **given), "a.npz")
    amass = divided(
        poses, root_orient=slice(0, 3), pose_body=slice(3, 66), pose_jaw=slice(66, 69), pose_eye=slice(69, 75), pose_hand=slice(75, 165)
    )  # fmt: skip
    named = dict(zip(("transl", "fps"), (given["trans"], given["mocap_framerate"]), strict=True)) | divided(
        poses,
        global_orient=slice(0, 3),
        body_pose=slice(3, 66),
        jaw_pose=slice(66, 69),
        leye_pose=slice(69, 72),
        reye_pose=slice(72, 75),
        left_hand_pose=slice(75, 120),
        right_hand_pose=slice(120, 165),
    )
    for arrays in ({**given, **amass}, named, {**given, "poses": poses.reshape(8, 55, 3)}):
        read = parse(packed(**arrays), "a.npz")
        assert (len(read.skeleton), read.fps) == (55, 120.0)
        assert np.array_equal(read.rotations, whole.rotations)
        assert np.array_equal(read.positions, whole.positions)


def test_matrices_are_angles_too() -> None:
    given = standing(24)
    turned = quat.to_matrix(quat.exp(given["poses"].reshape(8, 24, 3)))
    read, whole = parse(packed(**{**given, "poses": turned}), "a.npz"), parse(packed(**given), "a.npz")
    assert np.abs((read.rotations * whole.rotations).sum(axis=-1)).min() > 1.0 - 1e-12


def test_what_a_file_does_not_state_is_assumed_and_told() -> None:
    given = standing(24)
    bare = parse(packed(poses=given["poses"]), "a.npz")
    assert (bare.fps, np.ptp(bare.positions[:, 0], axis=0).max()) == (30.0, 0.0)
    assert any("assumed 30 fps" in note for note in bare.notes)
    assert any("No translation" in note for note in bare.notes)


@pytest.mark.parametrize("gender", [np.array(3), np.array(None, dtype=object), np.array([b"male"])])
def test_an_odd_gender_stops_nothing(gender: Any, tmp_path: Path) -> None:
    (tmp_path / "a.npz").write_bytes(packed(**standing(52, gender=gender)))
    assert len(load(tmp_path / "a.npz")) == 8


def test_a_camera_that_looks_at_the_body_has_y_down() -> None:
    given = standing(24)
    upright = quat.multiply(Z_UP, quat.exp(given["poses"][:, :3]))
    flipped = quat.from_axis_angle([1.0, 0.0, 0.0], np.pi)
    seen = {**given, "poses": given["poses"].copy(), "trans": quat.rotate(quat.multiply(flipped, Z_UP), given["trans"])}
    seen["poses"][:, :3] = quat.log(quat.multiply(flipped, upright))
    read, whole = parse(packed(**seen), "a.npz"), parse(packed(**given), "a.npz")
    assert np.abs((read.rotations * whole.rotations).sum(axis=-1)).min() > 1.0 - 1e-12
    assert any("read as Y down" in note for note in read.notes)
    again = back(read)
    assert np.array_equal(again["poses"], seen["poses"])


def test_hands_as_components_of_the_model_stay_at_rest() -> None:
    poses = standing(52)["poses"]
    arrays = {**divided(poses, global_orient=slice(0, 3), body_pose=slice(3, 66)), "left_hand_pose": np.ones((8, 6))}
    read = parse(packed(**arrays), "a.npz")
    hand = [n for n, name in enumerate(read.skeleton.names) if name.startswith("left_index")]
    assert np.array_equal(read.rotations[:, hand], quat.identity(8, 3))
    assert any("left_hand_pose" in note for note in read.notes)


def test_places_of_aist_are_in_its_own_unit() -> None:
    given = standing(24)
    read = parse(
        packed(smpl_poses=given["poses"], smpl_trans=93.0 * given["trans"], smpl_scaling=np.array([93.0])), "a.npz"
    )
    whole = parse(packed(**given), "a.npz")
    assert np.allclose(read.positions, whole.positions, atol=1e-12)


def test_a_file_that_tells_a_motion_twice_still_tells_one_when_it_changed() -> None:
    given = standing(55)
    parts = divided(given["poses"], root_orient=slice(0, 3), pose_body=slice(3, 66), pose_hand=slice(75, 165))
    read = parse(packed(**given, **parts, markers_latent=np.zeros((60, 3))), "a.npz")
    shorter = read[2:6].resampled(60.0)
    again = back(shorter)
    assert again["markers_latent"].shape == (60, 3)
    for key, place in (("root_orient", slice(0, 3)), ("pose_body", slice(3, 66)), ("pose_hand", slice(75, 165))):
        assert np.array_equal(again[key], again["poses"][:, place])
    unchanged = back(read)
    assert all(np.array_equal(unchanged[key], values) for key, values in {**given, **parts}.items())


def test_pickles_are_never_opened(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "sprung",))

    arrays = {**standing(52), "gender": np.array("male"), "extra": np.array([Trap()], dtype=object)}
    (tmp_path / "a.npz").write_bytes(packed(**arrays))
    assert any("extra" in note for note in load(tmp_path / "a.npz").notes)
    (tmp_path / "b.npz").write_bytes(packed(**{**standing(52), "poses": np.array([Trap()], dtype=object)}))
    with pytest.raises(FormatError, match="pickled"):
        load(tmp_path / "b.npz")
    assert not (tmp_path / "sprung").exists()


def test_a_lie_about_a_size_takes_no_memory() -> None:
    file = io.BytesIO()
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 156), }"
    with zipfile.ZipFile(file, "w") as target:
        target.writestr("poses.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    with pytest.raises(FormatError, match="bytes"):
        parse(file.getvalue(), "a.npz")
    for data in (b"", b"PK\x03\x04", b"PK\x05\x06" + bytes(18), b"x" * 1000):
        with pytest.raises(FormatError):
            parse(data, "a.npz")


def test_broken_files_end_in_one_line_each() -> None:
    rng, sound, lines = random.Random(19), seed(), []
    for _ in range(200):
        try:
            motion = parse(broken(sound, BY_FORMAT["AMASS .npz"], rng), "a.npz")
        except FormatError as error:
            lines.append(str(error))
        else:
            assert np.isfinite(motion.rotations).all()
    assert len(lines) > 50
    assert not [line for line in lines if "\n" in line]
