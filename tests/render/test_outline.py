"""Outlines: what they cover is what the triangles cover, pixel by pixel."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from plain_outline import covered

from komadori.characters import character, sample
from komadori.methods.retarget import retarget
from komadori.quat import Array
from komadori.render import outline, raster
from komadori.render.raster import Whole
from komadori.render.shot import shot_of

SIDE = 24
Cover = NDArray[np.bool_]
point = st.tuples(st.floats(-4.0, 28.0, width=32), st.floats(-4.0, 28.0, width=32))
BOX = np.array([[0, 2, 1], [0, 3, 2], [4, 5, 6], [4, 6, 7], [0, 1, 5], [0, 5, 4],
                [1, 2, 6], [1, 6, 5], [2, 3, 7], [2, 7, 6], [3, 0, 4], [3, 4, 7]]).T  # fmt: skip


def by_outline(seen: Array, triangles: Whole, two_sided: bool, width: int = SIDE, height: int = SIDE) -> Cover:
    sides = outline.sides_of(seen, triangles, np.full(triangles.shape[1], two_sided))
    start, end = outline.ends_of(sides, outline.twins_of(triangles), triangles)
    return outline.covered(seen[:2].take(start, axis=1), seen[:2].take(end, axis=1), width, height)


def by_triangles(seen: Array, triangles: Whole, two_sided: bool, width: int = SIDE, height: int = SIDE) -> Cover:
    _, _, corners = raster.facing(seen, triangles, np.full(triangles.shape[1], two_sided))
    return covered(corners, width, height)


@given(st.lists(point, min_size=8, max_size=8), st.booleans(), st.sets(st.integers(0, 11), max_size=5))
def test_an_outline_covers_what_its_triangles_cover(
    points: list[tuple[float, float]], two_sided: bool, left_out: set[int]
) -> None:
    # A box bent out of shape, with holes: the front, the back and edges without a neighbour, in any order.
    seen = np.concatenate([np.array(points).T, np.ones((1, 8))])
    triangles = np.delete(BOX, sorted(left_out), axis=1)
    assert np.array_equal(by_outline(seen, triangles, two_sided), by_triangles(seen, triangles, two_sided))


@given(
    st.lists(st.tuples(*[st.integers(0, 6)] * 3), min_size=1, max_size=14),
    st.lists(point, min_size=7, max_size=7),
    st.booleans(),
)
def test_a_surface_of_any_make_has_an_outline(
    corners: list[tuple[int, ...]], points: list[tuple[float, float]], two_sided: bool
) -> None:
    # Triangles that share edges three times, in one direction, or with themselves.
    seen = np.concatenate([np.array(points).T, np.ones((1, 7))])
    triangles = np.array(corners).T
    assert np.array_equal(by_outline(seen, triangles, two_sided), by_triangles(seen, triangles, two_sided))


def test_a_body_has_the_outline_of_its_triangles() -> None:
    girl = character("girl")
    motion = retarget(sample("pitch"), girl).motion
    shot = shot_of(motion, girl, size=(240, 160))
    width, height = 480, 320
    view = raster.view_of(shot.camera.at(0), width, height)
    for frame in range(0, len(motion), 11):
        (places, *_), _ = shot._skinned([frame], [frame])
        seen = view.seen(np.asarray(places, dtype=np.float64))
        both = [make(seen, shot.painter.triangles, False, width, height) for make in (by_outline, by_triangles)]
        assert both[0].sum() > 1000
        assert np.array_equal(*both)


def test_what_is_behind_the_eye_or_too_far_aside_covers_nothing() -> None:
    seen = np.array([[2.0, 2.0, 20.0, np.nan, 1e9], [2.0, 20.0, 2.0, 4.0, 4.0], [1.0, 1.0, 1.0, 1.0, 1.0]])
    triangles = np.array([[0], [1], [2]])
    assert by_outline(seen, triangles, True).sum() > 100
    for corner in (3, 4):
        assert not by_outline(seen, np.array([[0], [1], [corner]]), True).any()
    seen[2, 1] = 0.0
    assert not by_outline(seen, triangles, True).any()


def test_neighbours_name_each_other_and_a_closed_body_has_no_edge_without_one() -> None:
    twins = outline.twins_of(BOX)
    assert (twins >= 0).all()
    for corner, triangle in np.ndindex(3, 12):
        ends = {BOX[corner, triangle], BOX[(corner + 1) % 3, triangle]}
        assert ends < set(BOX[:, twins[corner, triangle]].tolist())
        assert triangle in twins[:, twins[corner, triangle]]
