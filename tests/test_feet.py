"""Feet: contacts of real walks, worked examples, and feet that stay where they stand."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from komadori import feet, formats, quat, roles
from komadori.characters import sample
from komadori.errors import OptionError
from komadori.feet import Contacts
from komadori.motion import COMPUTED, Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton

from realdata import real, reals

WALKS = [
    "human_cmu_bvh/02_01.bvh",
    "human_cmu_bvh/35_01.bvh",
    "human_cmu_bvh/08_01.bvh",
    "human_cmu_bvh/07_01.bvh",
    "human_bandai_bvh_NC/dataset-1_walk_normal_001.bvh",
]
DOGS = ["quadruped_tencent_dog_bvh/30fps_trim_dog_walk.bvh", "quadruped_mann_dog_bvh_NC/D1_007_KAN01_001.bvh"]
LEG = ("upper_leg", "lower_leg", "foot", "toes")


def clip(name: str, fps: float | None = None) -> Motion:
    motion = formats.load(real(name))
    return motion.prepared(fps=fps or motion.fps)


def runs(mask: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def stepper(frames: int = 120, fps: float = 60.0, slide: float = 0.0) -> Motion:
    """Two legs under a body that glides along z; the feet stand in turn for half of each second.

    A standing foot slides by `slide` metres per second; knees bend forward; solved in closed form, knees in the y-z plane.
    """
    names = ["hips", "head"]
    parents = [-1, 0]
    offsets = [[0.0, 0.85, 0.0], [0.0, 0.6, 0.0]]
    for side, x in (("left", 0.1), ("right", -0.1)):
        at = 0
        for role, offset in zip(LEG, ([x, 0.0, 0.0], [0, -0.45, 0], [0, -0.45, 0], [0, -0.05, 0.15]), strict=True):
            names.append(f"{side}_{role}")
            parents.append(at)
            offsets.append(offset)
            at = len(names) - 1
    table = {name: i for i, name in enumerate(names)}
    skeleton = Skeleton(tuple(names), np.array(parents), np.array(offsets, dtype=float), roles=table)
    t = np.arange(frames) / fps
    rotations = quat.identity(frames, len(names))
    positions = np.tile(skeleton.offsets, (frames, 1, 1))
    pace = 0.6
    positions[:, 0, 2] = pace * t
    for side, phase in (("left", 0.0), ("right", 0.5)):
        cycle = (t + phase) % 1.0
        home = pace * (np.floor(t + phase) - phase + 0.25)
        swing = np.clip((cycle - 0.5) / 0.5, 0.0, 1.0)
        eased = swing**3 * (10.0 - 15.0 * swing + 6.0 * swing**2)
        z = home + pace * eased + slide * np.where(cycle < 0.5, cycle - 0.25, 0.25 * (1.0 - 2.0 * eased))
        y = 0.05 + 0.12 * np.sin(np.pi * swing) ** 2
        down, out = positions[:, 0, 1] - y, z - positions[:, 0, 2]
        reach = np.hypot(down, out)
        bend = 2.0 * np.arccos(np.clip(reach / 0.9, 0.0, 1.0))
        lean = np.arctan2(out, down)
        # About +x a leg that hangs down turns backwards.
        thigh = -(lean + 0.5 * bend)
        angles = (thigh, bend, -thigh - bend)
        for role, angle in zip(LEG[:3], angles, strict=True):
            rotations[:, table[f"{side}_{role}"]] = quat.from_axis_angle([1.0, 0.0, 0.0], angle)
    return Motion(skeleton, fps, quat.continuous(rotations), positions)


def knee_angles(motion: Motion, side: str) -> Array:
    world = motion.world_positions()
    hip, knee, ankle = (world[:, roles.known(motion.skeleton)[f"{side}_{role}"]] for role in LEG[:3])
    a, b = knee - hip, ankle - knee
    cosine = np.einsum("fi,fi->f", a, b) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1)
    return np.asarray(np.arccos(np.clip(cosine, -1.0, 1.0)))


def test_the_made_up_walker_stands_on_each_foot_for_its_half_second() -> None:
    found = feet.contacts(stepper(frames=180))
    names = stepper(frames=1).skeleton.names
    assert [names[j] for j in found.joints] == ["left_foot", "left_toes", "right_foot", "right_toes"]
    assert found.limbs == (0, 0, 1, 1)
    for limb, downs in ((0, [60, 120]), (1, [30, 90])):
        whole = [(start, stop) for start, stop in runs(found.standing[:, limb]) if start > 0 and stop < 180]
        assert len(whole) == 2
        for (start, stop), down in zip(whole, downs, strict=True):
            # Half a second at 60 fps, and a few frames before and after in which the foot is as good as still.
            assert down - 5 <= start <= down
            assert down + 30 <= stop <= down + 36
    assert found.ground == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize("name", WALKS)
@pytest.mark.parametrize("fps", [None, 24.0])
def test_feet_of_a_walk_stand_in_turn_for_half_to_three_quarters_of_a_cycle(name: str, fps: float | None) -> None:
    motion = clip(name, fps)
    standing = feet.contacts(motion).standing
    assert standing.shape[1] == 2
    assert standing.any(axis=1).mean() > 0.9
    events = []
    for limb in (0, 1):
        spans = runs(standing[:, limb])
        cycles = [(b - a, nxt - a) for (a, b), (nxt, _) in pairwise(spans) if a > 0]
        share = sum(stood for stood, _ in cycles) / sum(whole for _, whole in cycles)
        assert 0.48 <= share <= 0.75
        assert min(b - a for a, b in spans if a > 0 and b < len(motion)) / motion.fps > 0.3
        events += [(a, limb) for a, _ in spans if a > 0]
    turns = [limb for _, limb in sorted(events)]
    assert all(a != b for a, b in pairwise(turns))


@pytest.mark.parametrize("name", [WALKS[0], WALKS[1]])
def test_contacts_do_not_depend_on_the_frame_rate(name: str) -> None:
    motion = clip(name)
    fine, coarse = feet.contacts(motion), feet.contacts(motion.resampled(24.0))
    a, b = fine.touchdowns() / motion.fps, coarse.touchdowns() / 24.0
    assert len(a) == len(b)
    assert np.abs(a - b).max() < 1.5 / 24.0


@given(scale=st.floats(0.01, 100.0))
def test_contacts_do_not_depend_on_the_bodys_size(scale: float) -> None:
    motion = stepper(frames=90)
    grown = replace(motion, positions=motion.positions * scale)
    bones = replace(motion.skeleton, offsets=motion.skeleton.offsets * scale)
    assert np.array_equal(feet.contacts(grown.with_skeleton(bones)).on, feet.contacts(motion).on)


def test_a_tilted_floor_is_still_a_floor() -> None:
    motion = stepper(frames=300)
    positions = motion.positions.copy()
    positions[:, 0, 1] += 0.03 * positions[:, 0, 2]
    tilted = replace(motion, positions=positions)
    level, sloped = feet.contacts(motion), feet.contacts(tilted)
    assert np.abs(level.standing.mean(axis=0) - sloped.standing.mean(axis=0)).max() < 0.05


def test_a_foot_held_still_in_the_air_does_not_stand() -> None:
    motion = stepper(frames=60)
    still = motion.taken(np.full(90, 45))  # the left foot is in the middle of its swing
    walk_then_still = Motion(
        motion.skeleton,
        motion.fps,
        quat.continuous(np.concatenate([motion.rotations, still.rotations])),
        np.concatenate([motion.positions, still.positions]),
    )
    standing = feet.contacts(walk_then_still).standing
    assert not standing[65:, 0].any()
    assert standing[65:, 1].all()


def test_legs_in_the_air_of_a_handstand_stand_nowhere() -> None:
    upright = sample("slow-walk")
    assert feet.contacts(upright).on.any()
    over = quat.from_axis_angle((1.0, 0.0, 0.0), np.pi)
    rotations, positions = np.array(upright.rotations), np.array(upright.positions)
    rotations[:, 0] = quat.multiply(over, rotations[:, 0])
    positions[:, 0] *= [1.0, -1.0, -1.0]
    assert not feet.contacts(upright.replaced(rotations=rotations, positions=positions)).on.any()


@pytest.mark.parametrize(("pace", "stands"), [(0.3, True), (0.6, False), (0.7, False)])
def test_feet_that_glide_do_not_stand(pace: float, stands: bool) -> None:
    # The legs are 0.9 m: a foot is caught below 0.54 m/s and let go above 0.675.
    still = stepper(frames=60).taken(np.full(60, 15))
    positions = still.positions.copy()
    positions[:, 0, 2] += pace * np.arange(60) / 60.0
    assert feet.contacts(replace(still, positions=positions)).standing[:, 0].all() == stands
    assert feet.contacts(replace(still, positions=positions)).standing[:, 0].any() == stands


@pytest.mark.parametrize("path", reals("human_cmu_bvh/*.bvh", "human_bandai_bvh_NC/*.bvh", "quadruped_*_bvh*/*.bvh"))
def test_no_contact_flickers(path: Path) -> None:
    motion = formats.load(path)
    motion = motion.prepared(fps=motion.fps)[: int(20 * motion.fps)]
    found = feet.contacts(motion)
    shortest = max(1, round(0.07 * motion.fps))
    for column in found.on.T:
        for start, stop in runs(column):
            assert stop - start >= shortest or start == 0 or stop == len(motion)
        for start, stop in runs(~column):
            assert stop - start >= shortest or start == 0 or stop == len(motion)


@pytest.mark.parametrize("name", DOGS)
def test_a_dog_stands_on_four_paws(name: str) -> None:
    motion = clip(name)
    found = feet.contacts(motion)
    assert len(found.joints) == 4
    assert found.limbs == (0, 1, 2, 3)
    share = found.standing.mean(axis=0)
    assert (share > 0.3).all()
    assert (share < 0.8).all()
    after = feet.planted(motion, found)
    assert feet.slippage(motion, found).per_second > 0.02
    assert feet.slippage(after, found).per_second < 0.05 * feet.slippage(motion, found).per_second


def test_paws_of_a_dog_that_breaks_into_a_run_are_still_found() -> None:
    # At a gallop a paw rests for three frames only; by a walk's speeds alone ten of these steps are missed.
    assert len(feet.contacts(clip(DOGS[0])).touchdowns()) > 36


@pytest.mark.parametrize("name", WALKS)
def test_planted_feet_stop_slipping_and_knees_do_not_pop(name: str) -> None:
    motion = clip(name)
    found = feet.contacts(motion)
    after = feet.planted(motion, found)
    before, now = feet.slippage(motion, found), feet.slippage(after, found)
    assert before.per_second > 0.03
    assert now.per_second < 0.1 * before.per_second
    assert now.worst < 0.01
    assert now.per_second == pytest.approx(now.per_frame * motion.fps)
    for side in ("left", "right"):
        turned, was = (np.abs(np.diff(knee_angles(m, side))).max() for m in (after, motion))
        assert turned < 1.75 * was


@pytest.mark.parametrize("name", [WALKS[0], WALKS[4], DOGS[0]])
def test_planting_turns_legs_only_and_keeps_bones_and_the_feets_own_rotation(name: str) -> None:
    motion = clip(name)
    found = feet.contacts(motion)
    after = feet.planted(motion, found)
    known = roles.known(motion.skeleton)
    chain = LEG[:3] + (("upper_arm", "lower_arm", "hand") if "dog" in name else ())
    legs = [known[f"{side}_{role}"] for side in ("left", "right") for role in chain]
    others = np.setdiff1d(np.arange(len(motion.skeleton)), legs)
    np.testing.assert_array_equal(np.abs(after.rotations[:, others]), np.abs(motion.rotations[:, others]))
    np.testing.assert_array_equal(after.positions, motion.positions)
    was, now = motion.world_transforms()[0], after.world_transforms()[0]
    ends = [known[f"{side}_foot"] for side in ("left", "right")]
    assert quat.angle(quat.multiply(quat.inverse(was[:, ends]), now[:, ends])).max() < 1e-6
    assert after.origin is not None
    rows = np.broadcast_to(after.origin.rows, (len(after), len(motion.skeleton)))
    assert (rows[:, others] != COMPUTED).all()
    assert (rows[:, legs] == COMPUTED).any()


def test_a_sliding_walker_stands_still_afterwards_within_a_tenth_of_a_millimetre() -> None:
    motion = stepper(frames=180, slide=0.1)
    found = feet.contacts(motion)
    after = feet.planted(motion, found)
    assert feet.slippage(motion, found).per_second > 0.05
    assert feet.slippage(after, found).per_second < 1e-3
    toes = after.world_positions()[:, found.joints[1]]
    for start, stop in runs(found.on[:, 1]):
        assert np.ptp(toes[start:stop, ::2], axis=0).max() < 1e-4


def test_a_body_that_drifts_far_takes_its_feet_along() -> None:
    still = stepper(frames=60).taken(np.full(180, 15))
    positions = still.positions.copy()
    positions[:, 0, 2] += 0.3 * np.arange(180) / still.fps
    drifting = still.replaced(positions=positions)
    found = feet.contacts(drifting)
    assert found.standing.any(axis=1).all()
    before, after = drifting.world_positions(), feet.planted(drifting, found, drift=feet.DRIFT).world_positions()
    moved = np.linalg.norm(after - before, axis=-1)[:, list(found.joints)]
    # 90 cm in all: the feet are held back by three tenths of the legs' 90 cm, and no farther.
    assert 0.2 < moved.max() < 0.271
    # Halfway there they stand still.
    slips = np.linalg.norm(np.diff(after[75:105, list(found.joints)], axis=0), axis=-1)
    assert slips[:, found.on.any(axis=0)].min(axis=1).max() < 1e-3


def test_a_drift_that_cannot_be_is_refused() -> None:
    motion = stepper(frames=60)
    for drift in (-0.1, float("nan")):
        with pytest.raises(OptionError, match="drift"):
            feet.planted(motion, feet.contacts(motion), drift=drift)


def test_slip_of_a_known_slide_is_that_slide() -> None:
    motion = stepper(frames=60, slide=0.1)
    found = feet.contacts(motion)
    # The left foot stands from 0 to 0.5 s.
    inside = np.zeros_like(found.on)
    inside[2:28, :2] = True
    only = replace(found, on=inside)
    assert feet.slippage(motion, only).per_second == pytest.approx(0.1, rel=1e-3)
    assert feet.slippage(motion, only).per_frame == pytest.approx(0.1 / 60.0, rel=1e-3)
    assert feet.slippage(motion, only).worst == pytest.approx(0.1 * 25 / 60.0, rel=1e-3)


def test_nothing_pops_where_the_correction_begins_and_ends() -> None:
    motion = stepper(frames=180, slide=0.15)
    after = feet.planted(motion, feet.contacts(motion))
    moved = after.world_positions() - motion.world_positions()
    ankles = [motion.skeleton.roles[f"{side}_foot"] for side in ("left", "right")]
    assert np.abs(moved[:, ankles]).max() > 0.02
    # The largest step of the correction between two frames stays a few millimetres.
    assert np.linalg.norm(np.diff(moved[:, ankles], axis=0), axis=-1).max() < 0.012


def test_a_motion_without_slip_is_left_as_it_is() -> None:
    motion = stepper(frames=60)
    found = feet.contacts(motion)
    strict = replace(found, on=found.on & (np.arange(60) < 30)[:, None] & np.array([True, True, False, False]))
    after = feet.planted(motion, strict)
    assert np.abs(after.world_positions() - motion.world_positions()).max() < 1e-6


def test_feet_can_stand_as_they_do_in_another_motion() -> None:
    motion = stepper(frames=120)
    found = feet.contacts(motion)
    positions = motion.positions.copy()
    positions[:, 0, 2] += 0.02 * np.sin(np.arange(120) / 5.0)
    positions[:, 0, 1] -= 0.01
    shaken = replace(motion, positions=positions)
    after = feet.planted(shaken, found, like=motion)
    toes = list(found.joints[1::2])
    want, got = motion.world_positions()[:, toes], after.world_positions()[:, toes]
    both = found.on[:, 1::2]
    assert np.abs(want - got)[both].max() < 0.01
    assert np.abs(want - shaken.world_positions()[:, toes])[both].max() > 0.015
    assert feet.slippage(after, found).per_second < 1e-3


def test_a_leg_too_short_stretches_towards_its_place_and_says_so() -> None:
    motion = stepper(frames=60)
    found = feet.contacts(motion)
    positions = motion.positions.copy()
    positions[:, 0, 1] += 0.4
    lifted = replace(motion, positions=positions)
    after = feet.planted(lifted, found, like=motion)
    assert [note.template for note in after.notes] == [
        "In {count:frame|frames} a foot is up to {cm:.1f} cm off its contact point because the leg is too short for the stride."
    ]
    assert all(note.in_language("ja") != note for note in after.notes)
    for side in ("left", "right"):
        mid = np.flatnonzero(found.standing[:, 0 if side == "left" else 1])
        assert knee_angles(after, side)[mid].max() < 0.2


def test_a_body_without_legs_has_no_contacts_and_says_so() -> None:
    chain = Skeleton(("a", "b", "c"), np.array([-1, 0, 1]), np.ones((3, 3)))
    motion = Motion(chain, 24.0, quat.identity(5, 3), np.ones((5, 3, 3)))
    found = feet.contacts(motion)
    assert found.on.shape == (5, 0)
    assert found.standing.shape == (5, 0)
    assert found.touchdowns().tolist() == found.liftoffs().tolist() == []
    assert [n.in_language("ja") for n in found.notes] == [
        "脚が見分けられないため、足の接地は分かりません。見分けられた関節は komadori info で確認できます"
    ]
    assert feet.slippage(motion, found).per_second == 0.0
    assert feet.planted(motion, found) is motion


@pytest.mark.parametrize("frames", [0, 1, 2, 3])
def test_very_short_clips(frames: int) -> None:
    motion = stepper(frames=60)[:frames]
    found = feet.contacts(motion)
    assert found.on.shape == (frames, 4)
    assert len(feet.planted(motion, found)) == frames
    assert feet.slippage(motion, found).per_second >= 0.0


def test_touchdowns_and_liftoffs_are_the_first_frames_of_a_limb_on_and_off_the_ground() -> None:
    on = np.zeros((10, 3), dtype=bool)
    on[2:5, 0] = on[4:7, 1] = on[5:9, 2] = True
    found = Contacts((3, 4, 5), (0, 0, 1), on, 0.0)
    assert found.touchdowns().tolist() == [2, 5]
    assert found.liftoffs().tolist() == [7, 9]


@pytest.mark.parametrize(("option", "value"), [("height", 0.0), ("speed", -1.0), ("height", np.nan), ("speed", np.inf)])
def test_thresholds_must_make_sense(option: str, value: float) -> None:
    with pytest.raises(OptionError, match=option):
        feet.contacts(stepper(10), **{option: value})


def test_contacts_must_fit_the_motion() -> None:
    motion = stepper(30)
    found = feet.contacts(motion)
    with pytest.raises(OptionError, match=r"contacts: expected as many frames as the motion has \(20\), found 30"):
        feet.planted(motion[:20], found)
    with pytest.raises(OptionError, match="blend_s"):
        feet.planted(motion, found, blend_s=-0.1)
    with pytest.raises(OptionError, match="on"):
        replace(found, on=np.zeros((30, 1), dtype=bool))


def test_planting_changes_nothing_it_was_given() -> None:
    motion = stepper(60, slide=0.1)
    kept = motion.rotations.copy()
    feet.planted(motion, feet.contacts(motion))
    np.testing.assert_array_equal(motion.rotations, kept)


def test_standing_feet_come_to_their_height_and_never_swing_below_it() -> None:
    walk = sample("walk", 30.0)
    found = feet.contacts(walk)
    positions = np.array(walk.positions)
    positions[:, 0, 1] += 0.03 * np.sin(np.arange(len(walk)) / 5.0) - 0.02
    shaken = walk.replaced(positions=positions)
    own = walk.world_positions()[:, found.joints, 1]
    heights = [float(np.median(own[found.on[:, n], n])) for n in range(len(found.joints))]
    after = feet.planted(shaken, found, heights=heights, sink_m=0.1).world_positions()[:, found.joints, 1]
    toes = [n for n, limb in enumerate(found.limbs) if n + 1 == len(found.limbs) or found.limbs[n + 1] != limb]
    for n in toes:
        assert np.abs(after[found.on[:, n], n] - heights[n]).max() < 0.004
        assert after[:, n].min() > heights[n] - 0.004


def test_a_body_sinks_where_a_leg_would_not_reach() -> None:
    walk = sample("walk", 30.0)
    found = feet.contacts(walk)
    positions = np.array(walk.positions)
    positions[:, 0, 1] += 0.06
    stilted = walk.replaced(positions=positions)
    own = walk.world_positions()[:, found.joints, 1]
    heights = [float(np.median(own[found.on[:, n], n])) for n in range(len(found.joints))]
    assert any("off its contact point" in note for note in feet.planted(stilted, found, heights=heights).notes)
    after = feet.planted(stilted, found, heights=heights, sink_m=0.15)
    assert not after.notes
    drop = positions[:, 0, 1] - after.positions[:, 0, 1]
    assert 0.03 < drop.max() <= 0.15
    # It glides: no more than a centimetre or two from frame to frame.
    assert np.abs(np.diff(drop)).max() < 0.02
    assert feet.slippage(after, found).per_second < 0.01
    little = feet.planted(stilted, found, heights=heights, sink_m=0.01)
    assert (positions[:, 0, 1] - little.positions[:, 0, 1]).max() <= 0.01 + 1e-12


def test_heights_and_sinking_that_cannot_be_are_refused() -> None:
    walk = sample("walk", 30.0)
    found = feet.contacts(walk)
    with pytest.raises(OptionError, match="sink_m"):
        feet.planted(walk, found, sink_m=-0.1)
    for heights in ([0.0], [np.nan] * len(found.joints)):
        with pytest.raises(OptionError, match="heights: expected"):
            feet.planted(walk, found, heights=heights)
