"""Cameras: where a world point falls in the image, still or moving, and what a wrong file gets told."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from komadori.camera import Camera
from komadori.errors import FormatError, OptionError
from komadori.formats.camera import parse


def test_worked_example() -> None:
    """Ten metres back with 90 degrees, a point 1 m right and 2 m up lies at a tenth and a fifth of the half height."""
    camera = Camera(position=[0.0, 0.0, 10.0], target=[0.0, 0.0, 0.0], fov_deg=90.0)
    assert camera.projected([[[1.0, 2.0, 0.0]]]) == pytest.approx(np.array([[[0.1, 0.2]]]))
    # Twice as far, half the size.
    assert camera.projected([[[1.0, 2.0, -10.0]]]) == pytest.approx(np.array([[[0.05, 0.1]]]))


def test_a_moving_camera_is_a_still_one_at_every_frame() -> None:
    rng = np.random.default_rng(0)
    points, position, target = (
        rng.normal(size=(6, 4, 3)),
        rng.normal(size=(6, 3), loc=(0, 0, 9)),
        rng.normal(size=(6, 3)),
    )
    for where, at in ((position, target), (position[0], target), (position, target[0])):
        seen = Camera(where, at).projected(points)
        for f in range(6):
            one = Camera(where if where.ndim == 1 else where[f], at if at.ndim == 1 else at[f])
            assert seen[f] == pytest.approx(one.projected(points[f : f + 1])[0])


def test_looking_straight_down_and_what_lies_behind() -> None:
    above = Camera([0.0, 5.0, 0.0], [0.0, 0.0, 0.0])
    assert np.isfinite(above.projected([[[1.0, 0.0, 1.0], [0.0, 9.0, 0.0], [0.0, 5.0, 0.0]]])).all()


@given(st.binary(max_size=200))
def test_any_bytes_are_a_camera_or_a_format_error(data: bytes) -> None:
    found: object = None
    try:
        found = parse(data, "cam.json")
    except FormatError as error:
        found = str(error)
    assert isinstance(found, Camera) or "\n" not in str(found)


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "{}",
        '{"position": [0, 0, 1]}',
        '{"position": [0, 0, 1], "target": [0, 0, 1]}',
        '{"position": [0, 0], "target": [0, 0, 1]}',
        '{"position": [0, 0, NaN], "target": [0, 0, 1]}',
        '{"position": "x", "target": [0, 0, 1]}',
        '{"position": [0, 0, 5], "target": [0, 0, 1], "fov_deg": 500}',
        '{"position": [0, 0, 5], "target": [0, 0, 1], "zoom": 2}',
        '{"position": [[0, 0, 5], [0, 0]], "target": [0, 0, 1]}',
        "[" * 100_000,
    ],
)
def test_wrong_cameras_are_refused_in_one_line(text: str) -> None:
    with pytest.raises(FormatError, match=r"^cam\.json") as caught:
        parse(text.encode(), "cam.json")
    assert "\n" not in str(caught.value)


def test_a_moving_camera_is_read() -> None:
    camera = parse(json.dumps({"position": [[0, 0, 5], [1, 0, 5]], "target": [0, 1, 0]}).encode(), "cam.json")
    assert camera.frames == 2
    with pytest.raises(OptionError, match="as many"):
        Camera(np.ones((2, 3)), np.zeros((3, 3)))
    with pytest.raises(OptionError, match="at least one"):
        Camera(np.ones((0, 3)), np.zeros(3))
