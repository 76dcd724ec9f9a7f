"""Framing: the body stays large and whole in its picture however far it goes, and numbers stay where they belong."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import komadori
from komadori import quat
from komadori.anime.pair import pair_of
from komadori.anime.poster import _Cell, _label, _ribbon
from komadori.characters import character, sample
from komadori.methods.retarget import retarget
from komadori.motion import Motion
from komadori.pipeline import look
from komadori.render import film
from komadori.render.drawing import Circle, Text, text_width
from komadori.render.framing import CLOSELY_S, smoothed_path
from komadori.render.raster import view_of
from komadori.render.sheets import printed_sheet
from komadori.render.shot import Shot, shot_of
from komadori.timesheet import Run, Timesheet

from realdata import real

GIRL = character("girl")


def going(metres: float, *, up: float = 0.0) -> Motion:
    """The girl carried evenly over the ground to her left, or up as well, in four seconds."""
    count = 96
    motion = GIRL.rest.taken(np.zeros(count, dtype=int))
    positions = np.array(motion.positions)
    positions[:, 0] += np.linspace(0.0, 1.0, count)[:, None] * [metres, up, 0.0]
    return motion.replaced(positions=positions)


def heights(shot: Shot) -> np.ndarray:
    """(F,) the share of the picture's height that is drawn on; nothing may lie outside."""
    result = []
    for frame in range(0, len(shot), 4):
        places = shot.skin.posed(shot.motion.pose(frame))[0][0]
        x, y, _ = view_of(shot.camera.at(frame), *shot.size).seen(places)
        assert min(x.min(), y.min()) > 0.0
        assert x.max() < shot.size[0]
        assert y.max() < shot.size[1]
        result.append(np.ptp(y) / shot.size[1])
    return np.array(result)


@pytest.mark.parametrize("view", ["front", "three-quarter", "side"])
def test_the_camera_goes_along_on_a_long_way_and_stays_on_a_short_one(view: str) -> None:
    long, short = (shot_of(going(metres), GIRL, camera=view, size=(160, 160)) for metres in (12.0, 0.2))
    assert long.camera.frames == 96
    assert short.camera.frames is None
    assert heights(long).min() > 0.45
    assert heights(short).min() > 0.45
    # It never turns, and goes evenly as she does.
    assert np.abs(np.diff(long.camera.position, n=2, axis=0)).max() < 1e-6
    assert np.ptp(long.camera.axes.reshape(-1, 9)[:9], axis=0).max() < 1e-9


def test_the_camera_climbs_with_a_body_that_climbs() -> None:
    shot = shot_of(going(0.0, up=9.0), GIRL, size=(160, 160))
    assert np.ptp(shot.camera.position[:, 1]) == pytest.approx(9.0, abs=0.5)
    assert heights(shot).min() > 0.45


def test_the_camera_keeps_closer_to_a_dog_that_runs_in_circles() -> None:
    run = komadori.load(real("quadruped_tencent_dog_bvh/30fps_trim_dog_run.bvh"))
    run = run[: round(6.0 * run.fps)].prepared()
    path, closely = smoothed_path(run), smoothed_path(run, seconds=CLOSELY_S)
    shot = shot_of(run, size=(160, 160))
    np.testing.assert_allclose(np.diff(shot.camera.position, axis=0), np.diff(closely, axis=0), atol=1e-9)
    assert np.abs(path - closely).max() > 0.2


def test_an_arm_that_is_up_for_one_frame_stays_in_the_picture() -> None:
    """Between the frames that are looked at evenly a leap was cut off at the head."""
    motion = GIRL.rest.taken(np.zeros(240, dtype=int))
    positions = np.array(motion.positions)
    positions[116:119, 0, 1] += 0.9
    assert heights(shot_of(motion.replaced(positions=positions), GIRL, size=(160, 160))).min() > 0.3


def test_an_animal_shows_its_face_whatever_left_and_right_are_called() -> None:
    horse = character("horse")
    names = dict(horse.skeleton.roles)
    swapped = {
        role.replace("left", "#").replace("right", "left").replace("#", "right"): joint for role, joint in names.items()
    }
    mirrored = horse.with_roles(swapped)
    for body in (horse, mirrored):
        seen = shot_of(body.rest, body, size=(64, 48)).camera
        world = body.rest.world_positions()[0]
        nearness = world @ seen.axes[2]
        assert nearness[names["head"]] > nearness[names["hips"]] + 0.3


def test_both_sides_of_the_film_stay_large_and_held_drawings_hold_their_camera() -> None:
    walk = sample("walk").taken(np.arange(90))
    positions = np.array(walk.positions)
    positions[:, 0, 2] += np.linspace(0.0, 9.0, 90)
    pair = pair_of(look("tv").run(walk.replaced(positions=positions), GIRL), "three-quarter", "toon", (120, 120))
    for shot in (pair.before, pair.after):
        assert shot.camera.frames == 90
        assert heights(shot).min() > 0.45
    held = np.flatnonzero(np.diff(pair.sheet.source) == 0)
    assert len(held) > 10
    np.testing.assert_array_equal(pair.after.camera.position[held], pair.after.camera.position[held + 1])
    # So a held drawing is one picture, drawn once.
    shown = list(pair.after.pictures())
    drawn = pair.after.sheet.source
    assert all(shown[frame] is shown[frame + 1] for frame in held if drawn[frame] == drawn[frame + 1])


def test_a_walk_of_a_real_clip_fills_the_picture() -> None:
    import komadori

    walk = komadori.load(real("human_cmu_styles/91_02.bvh"))[::5]
    shot = shot_of(retarget(walk, GIRL).motion, GIRL, size=(160, 160))
    assert shot.camera.frames is not None
    assert np.median(heights(shot)) > 0.6


@pytest.mark.parametrize("number", [7, 42, 999, 1000, 12345])
def test_a_posters_number_stays_in_its_circle(number: int) -> None:
    items = _label(_Cell(Run(0, 2, 0), number, False), 100.0, 50.0, 200.0)
    ring = next(item for item in items if isinstance(item, Circle))
    text = next(item for item in items if isinstance(item, Text))
    assert text.text == str(number)
    assert text_width(text.text, text.size) < 1.5 * ring.radius
    assert text.size <= 17.0


def test_numbers_of_a_printed_sheet_stay_in_columns_and_circles() -> None:
    """The last page of a long sheet on ones with four tracks, where numbers have five figures."""
    sheet = Timesheet.ones(12_000, 24.0)
    page = printed_sheet(dict.fromkeys("ABCD", sheet), keys=range(0, 12_000, 2))[-1]
    rings = [item for item in page.items if isinstance(item, Circle) and item.fill == "#ffffff"]
    texts = [item for item in page.items if isinstance(item, Text) and item.text.isdigit() and item.anchor == "middle"]
    assert rings
    for ring in rings:
        inside = [text for text in texts if abs(text.x - ring.x) < 1e-6 and abs(text.y - ring.y) < ring.radius]
        assert inside
        assert all(text_width(text.text, text.size) < 2.0 * ring.radius for text in inside)
    rows: dict[float, list[Text]] = {}
    for text in texts:
        rows.setdefault(round(text.y / 3.0), []).append(text)
    for row in rows.values():
        row.sort(key=lambda text: text.x)
        for one, two in pairwise(row):
            if two.x - one.x > 0.1:
                assert one.x + 0.5 * text_width(one.text, one.size) <= two.x - 0.5 * text_width(two.text, two.size)


@pytest.mark.parametrize("count", [90, 900, 9_000])
def test_numbers_of_the_running_sheet_stay_apart(count: int) -> None:
    """On ones, white paper must be left between one number and the next."""
    sheet = Timesheet.ones(count, 24.0)
    ribbon = film._ribbon(sheet, count - 40, 640, 1.0)
    middle = ribbon.plain[round(0.4 * len(ribbon.plain)) : round(0.7 * len(ribbon.plain))]
    # Where a drawing begins there is a line; beside it, on both sides, there is nothing.
    for frame in range(1, 30):
        line = ribbon.now + frame * ribbon.cell
        for beside in (line - 1, line + 2):
            assert (middle[:, beside] > 140).all(), (count, frame)


def test_the_posters_legend_has_room_for_the_words_in_either_language() -> None:
    """If there is no Japanese font, English is drawn in its place and is longer."""
    items = [item for item in _ribbon(Timesheet.ones(48, 24.0), [0], 100.0, "ja") if isinstance(item, Text)]
    legend = [item for item in items if item.english]
    assert len(legend) == 3
    for one, two in pairwise(legend):
        assert one.x + text_width(str(one.english), one.size) < two.x - 22


def test_who_turns_round_at_the_start_is_not_seen_from_behind() -> None:
    standing = GIRL.rest.taken(np.zeros(60, dtype=int))
    rotations = np.array(standing.rotations)
    rotations[6:, 0] = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.pi)
    motion = standing.replaced(rotations)
    for clip, ahead in ((motion, [0.0, 0.0, -1.0]), (standing, [0.0, 0.0, 1.0])):
        back = shot_of(clip, GIRL, size=(64, 48)).camera.axes[2]
        assert back @ np.array(ahead) > 0.6


def test_where_a_clip_is_cut_the_camera_is_elsewhere_at_once() -> None:
    run = sample("jog", 24.0)
    positions = np.array(run.positions)
    half = len(run) // 2
    positions[half:, 0] += [6.0, 0.0, -2.0]
    path = smoothed_path(run.replaced(positions=positions))
    apart = [smoothed_path(part) for part in (run[:half], run[half:])]
    np.testing.assert_allclose(path, np.concatenate([apart[0], apart[1] + np.array([6.0, 0.0, -2.0])]), atol=1e-9)
