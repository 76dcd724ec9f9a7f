from __future__ import annotations

import io
import math
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

import komadori
from komadori.characters.samples import sample
from komadori.errors import OptionError
from komadori.motion import Motion
from komadori.render.body import body_of, camera_of, capsule
from komadori.render.drawing import Circle, Line, Polygon, Text
from komadori.render.figures import gif, motion_gif, strip
from komadori.skeleton import Skeleton
from komadori.timesheet import Timesheet

from realdata import reals


@pytest.fixture(scope="module")
def walk() -> Motion:
    return sample("walk")


@pytest.fixture(scope="module")
def pitch() -> Motion:
    return sample("pitch")


COORDINATE = st.floats(-10, 10)
RADIUS = st.floats(0.01, 5)


@given(st.tuples(COORDINATE, COORDINATE), st.tuples(COORDINATE, COORDINATE), RADIUS, RADIUS)
def test_a_limb_is_the_convex_outline_of_two_circles(
    a: tuple[float, float], b: tuple[float, float], ra: float, rb: float
) -> None:
    outline = np.array(capsule(a, b, ra, rb))
    from_a, from_b = np.linalg.norm(outline - a, axis=1), np.linalg.norm(outline - b, axis=1)
    on_circle = np.isclose(from_a, ra, atol=1e-6) | np.isclose(from_b, rb, atol=1e-6)
    assert on_circle.all()
    assert (from_a >= ra - 1e-6).all() or (from_b >= rb - 1e-6).all()
    # Every corner turns the same way.
    sides = np.diff(np.vstack([outline, outline[:2]]), axis=0)
    turns = sides[:-1, 0] * sides[1:, 1] - sides[:-1, 1] * sides[1:, 0]
    assert (turns >= -1e-6).all()


def test_from_the_side_a_walk_goes_to_the_right_and_from_the_front_it_comes_nearer(walk: Motion) -> None:
    world = walk.world_positions()
    for view, axis in (("side", 0), ("front", 2)):
        camera = camera_of(walk.skeleton, world[0], view)
        way = camera.seen(world[-1, 0] - world[0, 0])
        assert way[axis] > 0.9 * np.linalg.norm(way)
        assert camera.right @ camera.toward == pytest.approx(0.0)
        assert np.linalg.norm(camera.right) == pytest.approx(1.0)


def test_views_need_no_roles(walk: Motion) -> None:
    bare = walk.with_skeleton(walk.skeleton.with_roles({}))
    world = walk.world_positions()[0]
    for view in ("front", "side", "three-quarter"):
        with_roles, without = (camera_of(m.skeleton, world, view) for m in (walk, bare))
        assert with_roles.toward @ without.toward > 0.95
    assert len(strip(bare, [0, 5]).items) == len(strip(walk, [0, 5]).items)


def test_a_strip_shows_each_pose_on_one_ground_line_with_its_frame_below(pitch: Motion) -> None:
    drawing = strip(pitch, [0, 40, -1])
    assert [item.text for item in drawing.items if isinstance(item, Text)] == ["0", "40", "-1"]
    heads = [item for item in drawing.items if isinstance(item, Circle) and item.fill]
    assert len(heads) == 3
    assert [head.x for head in heads] == sorted(head.x for head in heads)
    (ground,) = [item for item in drawing.items if isinstance(item, Line)]
    lowest = max(y for item in drawing.items if isinstance(item, Polygon) for _, y in item.points)
    assert lowest == pytest.approx(ground.y1, abs=4.0)


def test_figures_of_a_strip_stay_inside_and_apart(pitch: Motion) -> None:
    drawing = strip(pitch, list(range(0, len(pitch), 10)))
    outlines = [item for item in drawing.items if isinstance(item, Polygon) and item.colour]
    x = np.array([point[0] for item in outlines for point in item.points])
    y = np.array([point[1] for item in outlines for point in item.points])
    assert 0 < x.min() < x.max() < drawing.width
    assert 0 < y.min() < y.max() < drawing.height
    per_figure = len(outlines) // 13
    ends = [
        (min(p[0] for i in part for p in i.points), max(p[0] for i in part for p in i.points))
        for part in (outlines[n : n + per_figure] for n in range(0, len(outlines), per_figure))
    ]
    assert all(right < left for (_, right), (left, _) in pairwise(ends))


def test_near_limbs_lie_over_far_ones_and_are_lighter(pitch: Motion) -> None:
    fills = [item.fill for item in strip(pitch, [40], labels=[""]).items if isinstance(item, Polygon) and item.fill]
    lightness = [sum(bytes.fromhex(fill[1:])) for fill in fills]
    assert lightness == sorted(lightness)
    assert lightness[0] < lightness[-1]


@pytest.mark.parametrize("view", ["front", "side", "three-quarter"])
def test_a_body_of_one_joint_or_a_bare_chain_can_be_drawn(view: str) -> None:
    for joints in (1, 2, 5):
        offsets = np.tile([0.0, 0.3, 0.0], (joints, 1))
        skeleton = Skeleton(tuple(f"j{n}" for n in range(joints)), np.arange(-1, joints - 1), offsets)
        motion = Motion(skeleton, 24, np.tile([0.0, 0, 0, 1], (2, joints, 1)), np.tile(offsets, (2, 1, 1)))
        drawing = strip(motion, [0, 1], view=view)
        assert all(math.isfinite(p) for i in drawing.items if isinstance(i, Polygon) for xy in i.points for p in xy)


def test_a_root_on_the_ground_is_no_third_leg(walk: Motion) -> None:
    body = walk.skeleton
    names = ("ground", *body.names)
    parents = np.append(-1, body.parents + 1)
    offsets = np.vstack([np.zeros(3), body.offsets])
    roles = {role: joint + 1 for role, joint in body.roles.items()}
    rooted = Skeleton(names, parents, offsets, roles=roles)
    below = body_of(rooted, np.vstack([np.zeros(3), walk.world_positions()[0]]))
    plain = body_of(body, walk.world_positions()[0])
    assert len(below.bones) == len(plain.bones)
    assert np.array_equal(below.bones - 1, plain.bones)


@pytest.mark.parametrize(
    "path",
    reals("human_cmu_bvh/124_01.bvh", "quadruped_*_bvh*/*.bvh", "human_bandai_bvh_NC/*kick_normal_001.bvh"),
)
def test_real_bodies_can_be_drawn(path: Path) -> None:
    motion = komadori.load(path)
    drawing = strip(motion, [0, len(motion) // 2, len(motion) - 1])
    limbs = body_of(motion.skeleton, motion.world_positions()[len(motion) // 2]).limbs
    assert limbs.max() >= 4
    assert drawing.width < 40 * drawing.height


def test_a_gif_plays_for_as_long_as_the_motion(pitch: Motion) -> None:
    image = Image.open(io.BytesIO(gif([pitch, pitch.retimed(Timesheet.on(3, len(pitch)))], ["on ones", "on threes"])))
    total = 0
    for frame in range(image.n_frames):  # type: ignore[attr-defined]
        image.seek(frame)
        total += image.info["duration"]
    assert total == pytest.approx(1000 * pitch.duration_s, abs=10)
    assert image.info["loop"] == 0


def test_a_held_drawing_costs_no_picture_and_the_same_motion_gives_the_same_file(walk: Motion) -> None:
    threes = walk.retimed(Timesheet.on(3, len(walk)))
    data = gif([threes], height=120)
    assert data == gif([threes], height=120)
    assert Image.open(io.BytesIO(data)).n_frames == math.ceil(len(walk) / 3)  # type: ignore[attr-defined]


def test_a_gif_is_white_where_nothing_is(walk: Motion, tmp_path: Path) -> None:
    motion_gif([walk], tmp_path / "walk.gif", ["walk"], height=120)
    with Image.open(tmp_path / "walk.gif") as image:
        assert image.convert("RGB").getpixel((1, 1)) == (255, 255, 255)


def test_wrong_requests_are_refused(walk: Motion) -> None:
    with pytest.raises(OptionError, match="view"):
        strip(walk, [0], view="above")
    with pytest.raises(OptionError, match="frames"):
        strip(walk, [])
    with pytest.raises(OptionError, match="frame: expected a frame of the motion, 0 to 96, found 99999"):
        strip(walk, [99999])
    with pytest.raises(OptionError, match="labels"):
        strip(walk, [0, 1], labels=["a"])
    with pytest.raises(OptionError, match="labels"):
        gif([walk], ["a", "b"])
    with pytest.raises(OptionError, match="motions"):
        gif([])
    with pytest.raises(OptionError, match="pictures"):
        gif([walk.retimed(Timesheet(24, np.zeros(100_000, dtype=int)))])


def test_a_gif_without_pillow_names_the_command(walk: Motion, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name == "PIL" or name.startswith("PIL.")]:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(OptionError, match="pip install"):
        gif([walk])
