"""The compiled loops draw what NumPy draws: NumPy is the reference, and each of the two gives the same bytes every time."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from PIL import Image as pillow

from komadori import fast
from komadori.camera import Camera
from komadori.character import Image
from komadori.render import raster
from komadori.render.textures import Pixels

from golden_pictures import GOLDEN
from test_toon import board, quad, still

FEW, SEEN = 0.01, 8
"""The share of a picture's pixels that may differ by more than SEEN levels."""


@pytest.fixture
def loops() -> Iterator[None]:
    pytest.importorskip("numba", reason="the compiled loops need numba")
    was = fast.enabled()
    fast.enable()
    yield
    fast.enable(was)


def by_numpy(drawn: Callable[[], Pixels]) -> Pixels:
    fast.enable(False)
    try:
        return drawn()
    finally:
        fast.enable()


def veiled() -> Pixels:
    """A half clear picture before a board, whose edge is a picture with holes: every way to a colour."""
    pixels = np.full((8, 8, 4), 255, dtype=np.uint8)
    pixels[:4, :, 3], pixels[..., 0] = 90, 40
    file = io.BytesIO()
    pillow.fromarray(pixels).save(file, "PNG")
    image = Image("veil", "image/png", file.getvalue())
    mesh, material = quad((1.0, 1.0, 1.0), 0.2, image=0, alpha="blend")
    holed, other = quad((0.2, 0.9, 0.4), 0.1, image=0, alpha="mask")
    body = board((mesh, material), (holed, other), quad((0.9, 0.5, 0.1), 0.0), images=(image,))
    return still(body).picture(0)


@pytest.mark.parametrize("name", [*GOLDEN, "veiled"])
def test_compiled_loops_draw_what_numpy_draws(name: str, loops: None) -> None:
    drawn = veiled if name == "veiled" else GOLDEN[name]
    compiled, reference = drawn(), by_numpy(drawn)
    away = np.abs(compiled.astype(int) - reference).max(axis=-1)
    assert (away > SEEN).mean() <= FEW
    # Stronger than what is promised: the loops do the same sums in the same order.
    assert np.array_equal(compiled, reference)
    assert np.array_equal(drawn(), compiled)


def test_a_body_that_passes_the_pictures_edge_is_drawn_alike(loops: None) -> None:
    near = Camera(np.array([0.4, 0.6, 0.7]), np.array([0.3, 0.6, 0.0]), fov_deg=60.0)
    shot = still(board(quad((1.0, 0.5, 0.0), 0.0)), camera=near)
    assert np.array_equal(shot.picture(0), by_numpy(lambda: shot.picture(0)))


def test_triangles_that_are_not_numbers_cover_nothing(loops: None) -> None:
    corners = np.array([[[1.0], [9.0], [np.nan]], [[1.0], [1.0], [9.0]], [[0.5], [0.5], [0.5]]])
    keys = np.zeros((12, 12), dtype=np.int64)
    raster.nearest(corners, raster.planes_of(corners, corners[2]), np.arange(1), keys)
    assert not keys.any()


def test_arrays_kept_for_drawing_do_not_leak_from_one_picture_into_the_next(loops: None) -> None:
    small, large = GOLDEN["horse"], GOLDEN["face"]
    first = small()
    large()
    assert np.array_equal(small(), first)
    assert np.array_equal(by_numpy(small), first)
    by_numpy(large)
    assert np.array_equal(by_numpy(small), first)
