"""Faces: eyes blink every few seconds and where an action begins, on threes, and lead the head's turns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import komadori
from komadori import Motion, quat
from komadori.anime.pair import pair_of
from komadori.anime.poster import _shot
from komadori.character import Character
from komadori.characters import character, sample
from komadori.pipeline import look
from komadori.render.face import _named, acted, blinking, cuts
from komadori.render.shot import shot_of

from realdata import real

GIRL = character("girl")
HEAD = GIRL.skeleton.roles["head"]


def standing(frames: int, body: Character = GIRL) -> Motion:
    return body.rest.taken(np.zeros(frames, dtype=int))


def turning(degrees: float, body: Character = GIRL) -> Motion:
    """A head that turns to its left by that much in a third of a second, one second into the clip."""
    motion = standing(72, body)
    rotations = np.array(motion.rotations)
    angle = np.radians(degrees) * np.clip((np.arange(72) - 24) / 8.0, 0.0, 1.0)
    head = body.skeleton.roles["head"]
    rotations[:, head] = quat.multiply(body.skeleton.rest[head], quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), angle))
    return motion.replaced(rotations)


def starts(shut: np.ndarray) -> np.ndarray:
    return np.flatnonzero((shut[1:] > 0.0) & (shut[:-1] == 0.0)) + 1


def test_eyes_blink_every_few_seconds_on_threes() -> None:
    shut = blinking(24 * 60, 24.0)
    begins = starts(shut)
    assert 13 <= len(begins) <= 24
    apart = np.diff(begins) / 24.0
    assert 2.3 < apart.min() < apart.max() < 4.9
    # Never like a clock.
    assert len(set(apart.round(2))) > 8
    for begin in begins:
        assert shut[begin : begin + 7].tolist() == [1.0] * 3 + [0.5] * 3 + [0.0]
    np.testing.assert_array_equal(shut, blinking(24 * 60, 24.0))
    assert starts(blinking(60 * 60, 60.0))[:5] / 60.0 == pytest.approx(begins[:5] / 24.0, abs=0.03)
    assert not blinking(5, 24.0).any()
    assert len(blinking(0, 24.0)) == 0


def test_a_blink_waits_for_a_cut_of_the_action() -> None:
    shut = blinking(240, 24.0, [40, 45, 110])
    assert starts(shut).tolist()[:2] == [40, 110]
    assert not shut[43 + 3 : 64].any()


def test_a_fast_turn_and_the_start_of_an_action_are_cuts() -> None:
    assert any(24 <= frame <= 33 for frame in cuts(turning(80.0)))
    assert cuts(turning(8.0)) == []
    assert cuts(standing(48)) == []
    assert len(cuts(look("subtle").run(sample("kick"), GIRL).motion)) >= 1


def test_eyes_go_before_the_head() -> None:
    for degrees, this, other in ((60.0, "look_left", "look_right"), (-60.0, "look_right", "look_left")):
        motion = turning(degrees)
        face = acted(motion, GIRL, blinks=False)
        named = {morph for _, morph in face.morphs}
        assert this in named
        assert other not in named
        weight = next(values for (_, morph), values in face.morphs.items() if morph == this)
        # They begin while the head is still, and are back when it has arrived.
        assert weight[24] > 0.2
        assert weight[:16].max() == 0.0
        assert weight[40:].max() == 0.0


def test_her_iris_goes_to_the_side_that_she_looks_to() -> None:
    iris = next(mesh for mesh in GIRL.meshes if mesh.name == "iris")
    assert iris.morphs["look_left"][:, 0].min() > 0.003
    assert iris.morphs["look_right"][:, 0].max() < -0.003
    assert iris.morphs["look_up"][:, 1].min() > 0.002


def test_a_blink_is_seen_and_moves_over_a_held_drawing() -> None:
    shot = shot_of(standing(60), GIRL, camera="front", size=(96, 96), face=True)
    assert len(shot.sheet.runs()) == 1
    pictures = list(shot.pictures())
    begin = int(starts(blinking(60, 24.0))[0])
    assert pictures[begin] is pictures[begin + 2]
    assert not np.array_equal(pictures[begin], pictures[begin - 1])
    np.testing.assert_array_equal(pictures[begin], shot.picture(begin))
    np.testing.assert_array_equal(pictures[begin + 6], pictures[0])
    # Three drawings of the face in all.
    assert len({id(picture) for picture in pictures}) == 4
    still = list(shot_of(standing(60), GIRL, camera="front", size=(96, 96)).pictures())
    assert len({id(picture) for picture in still}) == 1


def test_films_act_and_posters_keep_their_eyes_open() -> None:
    result = look("tv").run(sample("pitch"), GIRL)
    acting, dead = (pair_of(result, "front", "toon", (32, 32), face=face) for face in (True, False))
    for shot in (acting.before, acting.after):
        assert shot.face is not None
        assert any(morph == "blink" for _, morph in shot.face.morphs)
    assert dead.before.face is dead.after.face is None
    poster = _shot(result, "front", "toon", 40.0, True)
    assert poster.face is not None
    assert not any(morph == "blink" for _, morph in poster.face.morphs)


def test_a_body_without_a_face_stays_as_it_is() -> None:
    mannequin, horse = character("mannequin"), character("horse")
    for body in (mannequin, horse, replace(GIRL, expressions={}, meshes=())):
        motion = standing(90, body)
        face = acted(motion, body)
        assert not face.morphs
        assert not face.eyes


def test_avatars_blink_by_what_their_files_call_it() -> None:
    vrm = komadori.load_character(real("character_vrm/Godette_vrm_v4.vrm"))
    mmd = komadori.load_character(real("character_mmd/Gene/Gene.pmx"))
    for body in (vrm, mmd):
        motion = standing(72, body)
        face = acted(motion, body)
        assert face.morphs
        assert max(values.max() for values in face.morphs.values()) == pytest.approx(1.0)
    # Only her file has a look by morphs; his eyes are bones, and only they are turned.
    motion = turning(60.0, mmd)
    face = acted(motion, mmd)
    assert set(face.eyes) == {mmd.skeleton.roles["left_eye"], mmd.skeleton.roles["right_eye"]}
    ahead = quat.rotate(
        face.put_on(motion, range(72)).world_transforms()[0][:, list(face.eyes)], np.array([0.0, 0.0, 1.0])
    )
    held = quat.rotate(motion.world_transforms()[0][:, list(face.eyes)], np.array([0.0, 0.0, 1.0]))
    assert (ahead - held)[24, :, 0].min() > 0.03
    assert np.abs(ahead - held)[:15].max() < 1e-9
    assert _named(vrm, ("lookleft",))
