"""Hair and the body that carries it: wind from its front, hair that hangs, floors and limbs that are not entered."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hair_bodies import moved, strand

from komadori import Motion, quat
from komadori.character import Character
from komadori.characters import character
from komadori.methods.hair import HairResult, hair, tilts
from komadori.methods.hair.checking import runs_to_tip
from komadori.methods.hair.heading import headings_of, turned_wind
from komadori.methods.hair.options import LETTERS, PRESETS
from komadori.methods.hair.solids import axis_distances, solids_of
from komadori.methods.hair.strands import strands_of
from komadori.quat import Array
from komadori.render import ground
from komadori.render.shot import shot_of

CALM: dict[str, Any] = {"size": 0.0, "gather": 0.0}
X, Y = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])


def turned(body: Character, turns: Array, places: Array | None = None) -> Motion:
    """The body at rest, turned about its hips by `turns` (F, 4)."""
    still = np.zeros((len(turns), 3)) if places is None else places
    return moved(body, still, turns)


def tail(body: Character, motion: Motion, name: str = "hair_ponytail") -> Array:
    """(F, n, 3) a chain's joints in the world."""
    chain = next(chain for chain in body.chains() if chain.name == name)
    return np.asarray(motion.world_positions()[:, list(chain.joints)])


@pytest.mark.parametrize("preset", list(PRESETS))
@pytest.mark.parametrize("angle_deg", [90.0, 180.0, 235.0])
def test_a_presets_wind_comes_from_the_front_whatever_way_a_body_faces(preset: Any, angle_deg: float) -> None:
    girl = character("girl")
    turn = quat.from_axis_angle(Y, np.full(12, np.radians(angle_deg)))
    ahead = hair(girl, turned(girl, quat.identity(12)), preset=preset)
    other = hair(girl, turned(girl, turn), preset=preset)
    np.testing.assert_allclose(ahead.drawn(np.arange(12)), other.drawn(np.arange(12)), atol=1e-9)


def test_a_wind_that_is_given_stays_the_worlds() -> None:
    body = strand()
    about = quat.from_axis_angle(Y, np.full(4, np.pi))
    same, other = (
        tail_of(hair(body, moved(body, np.zeros((4, 3)), turn), wind=(3.0, 0.0, 0.0), spread=0.0, **CALM))
        for turn in (quat.identity(4), about)
    )
    assert same[0] > 0.2
    assert other[0] > 0.2


def tail_of(result: HairResult) -> Array:
    """(3,) from the root of the first chain to its tip, in the first frame."""
    world = result.motion.world_positions()[0, list(result.chains[0].chain.joints)]
    return np.asarray(world[-1] - world[0])


def test_the_wind_goes_round_with_a_body_that_turns_and_rests_while_it_spins() -> None:
    front = np.array([0.0, 0.0, 1.0])
    angle = np.pi * np.clip(np.arange(240) / 24.0 - 4.0, 0.0, 1.0)
    found = headings_of(front, [quat.from_axis_angle(Y, angle)], 24.0)
    assert found[0] == pytest.approx(1.0)
    assert found[-1] == pytest.approx(-1.0)
    assert np.abs(np.diff(found)).max() < 0.12, "no jump from one frame to the next"
    np.testing.assert_allclose(turned_wind(-3.0 * front, found[[0, -1]])[:, 2], [-3.0, 3.0], atol=1e-9)
    spins = headings_of(front, [quat.from_axis_angle(Y, 4.0 * np.pi * np.arange(240) / 24.0)], 24.0)
    assert np.abs(spins[60:180]).max() < 0.05
    lying = headings_of(front, [quat.from_axis_angle(X, np.full(48, -0.5 * np.pi))], 24.0)
    assert np.abs(lying).max() < 1e-9, "who lies on the back faces no way that a wind could come from"


def test_headings_hardly_depend_on_the_frame_rate() -> None:
    front = np.array([0.0, 0.0, 1.0])
    coarse, fine = (
        headings_of(front, [quat.from_axis_angle(Y, np.sin(np.arange(5 * rate) / rate * 3.0))], float(rate))
        for rate in (24, 120)
    )
    np.testing.assert_allclose(coarse[40:-40], fine[::5][40:-40], atol=2e-3)


def test_hair_hangs_down_in_a_handstand() -> None:
    girl = character("girl")
    over = quat.from_axis_angle(X, np.full(48, np.pi))
    result = hair(girl, turned(girl, over), preset="breeze", collide=False)
    joints = tail(girl, result.motion)
    assert (joints[:, -1, 1] < joints[:, 0, 1] - 0.3).all(), "the tip hangs well below the knot"
    for side in ("left", "right"):
        lock = tail(girl, result.motion, f"hair_side_{side}")
        assert (lock[:, -1, 1] < lock[:, 0, 1]).all()
    # The bend goes round by the outside: bones turn from one to the next, none is folded back onto the one before.
    lines = np.diff(joints, axis=1)
    lines /= np.linalg.norm(lines, axis=-1, keepdims=True)
    assert (lines[:, 1:] * lines[:, :-1]).sum(axis=-1).min() > -0.2


def lying(body: Character, frames: int = 48) -> Motion:
    """On the back, 10 cm above the height that its hips would need: the floor is then below 0, wherever the skin ends."""
    back = quat.from_axis_angle(X, np.full(frames, -0.5 * np.pi))
    return turned(body, back, np.tile([0.0, -0.7, 0.0], (frames, 1)))


def skin_floor(body: Character, motion: Motion) -> float:
    """The height of the lowest skin that is no hair."""
    hangs = ground.hanging(body)
    places = np.asarray(shot_of(motion, body).skin.posed(motion)[0], dtype=np.float64)
    return ground.height_of(places, hangs)


@pytest.mark.parametrize("preset", [None, "breeze", "gust"])
def test_hair_of_a_body_that_lies_stays_above_the_floor(preset: Any) -> None:
    girl = character("girl")
    motion = lying(girl)
    floor = skin_floor(girl, motion)
    joints = [joint for chain in girl.chains() for joint in chain.joints]
    kept, free = (
        hair(girl, motion, preset=preset, collide=collide).motion.world_positions()[:, joints, 1].min()
        for collide in (True, False)
    )
    assert kept > floor - 0.01
    assert free < floor - 0.3, "without a floor it hangs far below"


def test_the_ground_of_a_picture_is_the_bodys_and_not_its_hairs() -> None:
    girl = character("girl")
    motion = lying(girl)
    loose = hair(girl, motion, collide=False).motion
    assert shot_of(loose, girl).ground == pytest.approx(shot_of(motion, girl).ground, abs=1e-9)
    places = np.zeros((4, 3, 3))
    places[:, 2, 1] = -5.0
    assert ground.height_of(places, np.array([False, False, True])) == 0.0
    assert ground.height_of(places, np.array([True, True, True])) == -5.0, "a body that is all hair stands on it"


def depth(body: Character, result: HairResult) -> float:
    """How deep the ponytail is inside the body's capsules, at most, along its bones; what it rests in does not count."""
    solids = solids_of(body)
    assert solids is not None
    turns, places = result.base.world_transforms()
    ends = places[:, solids.joints] + quat.rotate(turns[:, solids.joints], solids.offsets)
    far = axis_distances(along(tail(body, result.motion))[:, :, None], ends[:, None, :, 0], ends[:, None, :, 1])[0]
    rest = along(tail(body, resting(body)))[0]
    room = np.minimum(solids.radii, solids.rooms(rest, np.zeros(len(rest))))
    return float((room - far).max())


def along(joints: Array) -> Array:
    """(F, 4 n, 3) places along the bones between `joints` (F, n + 1, 3)."""
    shares = np.array([0.25, 0.5, 0.75, 1.0])[:, None]
    places = joints[:, :-1, None] + shares * np.diff(joints, axis=1)[:, :, None]
    return places.reshape(len(joints), -1, 3)


def resting(body: Character) -> Motion:
    return moved(body, np.zeros((1, 3)))


def test_an_arm_that_reaches_back_does_not_enter_the_hair() -> None:
    girl = character("girl")
    roles, frames = girl.skeleton.roles, 60
    motion = moved(girl, np.zeros((frames, 3)))
    rotations = np.array(motion.rotations)
    # An arm sweeps backwards through where the ponytail hangs.
    sweep = np.linspace(0.0, 2.3, frames)
    rotations[:, roles["left_upper_arm"]] = quat.from_axis_angle(Y, sweep)
    clip = motion.replaced(rotations=rotations)
    cases: list[dict[str, Any]] = [{}, {"wind": (0.0, 0.0, 3.0)}, {"preset": "breeze"}]
    for options in cases:
        kept = hair(girl, clip, **options)
        free = hair(girl, clip, collide=False, **options)
        assert depth(girl, kept) < 0.005
        assert depth(girl, free) > 0.012
        # Lengths stay, and a moment asked for alone is the same.
        bones = np.linalg.norm(np.diff(tail(girl, kept.motion), axis=1), axis=-1)
        np.testing.assert_allclose(bones, bones[:1].repeat(frames, axis=0), rtol=1e-9)
        np.testing.assert_allclose(kept.at(31 / 24.0)[0], kept.at(np.arange(frames) / 24.0)[31], atol=1e-12)


@pytest.mark.parametrize("wind", [3.0, 6.0, 10.0])
@pytest.mark.parametrize("tilt", [0.0, 0.5, 0.9])
def test_a_wind_from_behind_does_not_press_hair_into_the_back(wind: float, tilt: float) -> None:
    girl = character("girl")
    motion = moved(girl, np.zeros((24, 3)))
    rotations = np.array(motion.rotations)
    rotations[:, girl.skeleton.roles["head"]] = quat.from_axis_angle(X, -tilt)
    clip = motion.replaced(rotations=rotations)
    kept, free = (hair(girl, clip, wind=(0.0, 0.0, wind), collide=collide) for collide in (True, False))
    assert depth(girl, kept) < 0.02
    assert depth(girl, free) > (0.07 if tilt else 0.005)


def test_nothing_is_pushed_out_of_where_it_was_modelled() -> None:
    for name in ("girl", "horse"):
        body = character(name)
        result = hair(body, resting(body), **CALM)
        joints = list(result.joints)
        np.testing.assert_allclose(result.motion.rotations[0, joints], body.skeleton.rest[joints], atol=2e-2)
        loose = hair(body, resting(body), collide=False, **CALM)
        np.testing.assert_allclose(result.motion.rotations, loose.motion.rotations, atol=1e-9)


def test_a_strand_slides_off_an_arm_without_a_jump() -> None:
    girl = character("girl")
    roles, frames = girl.skeleton.roles, 240
    motion = moved(girl, np.zeros((frames, 3)), fps=96.0)
    rotations = np.array(motion.rotations)
    rotations[:, roles["left_upper_arm"]] = quat.from_axis_angle(Y, np.linspace(0.8, 1.9, frames))
    result = hair(girl, motion.replaced(rotations=rotations), **CALM)
    assert np.linalg.norm(np.diff(tail(girl, result.motion), axis=0), axis=-1).max() < 0.03


def test_a_body_without_a_mesh_has_solids_by_its_proportions() -> None:
    girl = character("girl")
    bare = solids_of(replace(girl, meshes=()))
    whole = solids_of(girl)
    assert bare is not None
    assert whole is not None
    assert len(bare.radii) == len(whole.radii)
    ratio = bare.radii / whole.radii
    assert ratio.min() > 0.4
    assert ratio.max() < 2.0
    assert solids_of(strand()) is None, "a head alone has nothing to meet"


@pytest.mark.parametrize("preset", [None, *PRESETS])
@pytest.mark.parametrize("name", ["girl", "horse"])
def test_exact_draws_the_papers_tilts_on_every_bone(name: str, preset: Any) -> None:
    body = character(name)
    result = hair(body, preset=preset, exact=True)
    flow, strands = result.flow, result.flow.strands
    seconds = np.arange(24) * result.period_s / 24.0
    lines, ups, _ = flow._steady_lines if not flow.air.gust else flow._lines(*_pushed(flow, seconds))
    found = flow.directions(seconds)
    for number, chain in enumerate(result.chains):
        bones = strands.bones(number)
        along = np.einsum("nbi,inb->nb", found[:, bones], np.broadcast_to(lines, (3, 24, lines.shape[2]))[:, :, bones])
        across = np.einsum("nbi,inb->nb", found[:, bones], np.broadcast_to(ups, (3, 24, ups.shape[2]))[:, :, bones])
        wave = {letter: getattr(chain, option) for letter, option in LETTERS.items()}
        wanted = tilts(strands.lengths[bones], 2.0 * np.pi * np.arange(24) / 24.0 - chain.phase, **wave)
        np.testing.assert_allclose(np.arctan2(across, along), wanted, atol=1e-9)


def _pushed(flow: Any, seconds: Array) -> tuple[Any, Any]:
    push, _, ups = flow._pushes(seconds, seconds / flow.period_s)
    return push, ups


def test_the_default_leaves_the_papers_swings_by_what_the_docs_say() -> None:
    """Sizes are trimmed to between 61 and 128 percent, never the order in which the wave reaches the bones."""
    for name in ("girl", "horse"):
        for preset in (None, *PRESETS):
            flow = hair(character(name), preset=preset).flow
            drawn, trimmed = (np.hypot(slopes[0], slopes[1]) for slopes in (flow._drawn, flow._slopes))
            ratio = trimmed[drawn > 1e-9] / drawn[drawn > 1e-9]
            assert ratio.min() > 0.60
            assert ratio.max() < 1.29


def test_the_wave_is_seen_to_run_from_root_to_tip_of_the_girls_ponytail() -> None:
    girl = character("girl")
    result = hair(girl, preset="stream", gust=0.0)
    number = next(n for n, chain in enumerate(result.chains) if chain.name == "hair_ponytail")
    bones = result.flow.strands.bones(number)
    assert bones.stop - bones.start >= 6
    along, up = result.flow.plane(number)
    lines = result.flow.directions(np.arange(48) / 48.0 * result.period_s)[:, bones]
    swings = np.arctan2(lines @ up, lines @ along)
    assert runs_to_tip(swings)
    assert not runs_to_tip(swings[::-1])
    turn = np.exp(-2j * np.pi * np.arange(48) / 48.0)
    phases = np.unwrap(np.angle(turn @ (swings - swings.mean(axis=0))))
    assert phases[0] - phases[-1] > np.pi / 2.0, "the lump is seen to travel: a quarter of a cycle or more"


def test_the_face_stays_clear_when_the_head_goes_back() -> None:
    """Strands before the face take a part of the push that throws them ahead; those behind it take all of it."""
    girl = character("girl")
    away = np.zeros((40, 3))
    away[:, 2] = -0.05 * np.arange(40)
    made = hair(girl, turned(girl, quat.identity(40), away))
    strands = made.flow.strands
    named = {strands.chains[n].name for n in np.flatnonzero(strands.facing > 0.0)}
    assert {"hair_bangs", "hair_bangs_left", "hair_bangs_right"} < named
    assert not any("ponytail" in name for name in named)
    free = replace(made.flow, strands=replace(strands, facing=np.zeros(len(strands))))
    kept = made.flow.directions(np.array([1.5]))[0, :, 2] - free.directions(np.array([1.5]))[0, :, 2]
    bangs = np.isin(strands.of, np.flatnonzero(strands.facing > 0.5))
    assert kept[bangs].min() < -0.05
    assert np.abs(kept[np.isin(strands.of, np.flatnonzero(strands.facing == 0.0))]).max() < 1e-9


def test_a_strand_lies_on_the_floor_with_its_skin_and_not_with_its_bones() -> None:
    """The ponytail is 6 cm thick: its bones stay so far above the floor that its skin does not go through."""
    strands = strands_of(character("girl"))[0]
    tail = max(range(len(strands)), key=lambda n: strands.totals[n])
    assert 0.03 < strands.thick[strands.bones(tail)].max() < 0.2
    assert (strands.thick >= 0.02).all()
