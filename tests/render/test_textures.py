"""Pictures of characters: large ones are made smaller as they are opened, and no file of a few bytes takes the memory."""

from __future__ import annotations

import io
import tracemalloc

import numpy as np
import pytest
from PIL import Image as pillow

from komadori.character import Image
from komadori.errors import FormatError
from komadori.render import textures


def png(mode: str, wide: int, tall: int, colour: object = None) -> Image:
    packed = io.BytesIO()
    pillow.new(mode, (wide, tall), colour).save(packed, "PNG", compress_level=1)
    return Image("a.png", "image/png", packed.getvalue())


@pytest.mark.parametrize(
    ("mode", "colour"),
    [("RGB", (200, 100, 50)), ("RGBA", (200, 100, 50, 128)), ("L", 90), ("P", 7), ("1", 1), ("LA", (90, 200))],
)
def test_a_large_picture_is_made_smaller(mode: str, colour: object) -> None:
    whole = np.asarray(pillow.open(io.BytesIO(png(mode, 2, 2, colour).data)).convert("RGBA"))
    pixels = textures.opened(png(mode, 5000, 300, colour))
    assert pixels.shape == (100, 1667, 4)
    assert np.abs(pixels.astype(int) - whole[0, 0]).max() <= 1  # clear colours are rounded


def test_a_small_picture_is_left_as_it_is() -> None:
    random = np.random.default_rng(1).integers(0, 255, (64, 2048, 4), dtype=np.uint8)
    packed = io.BytesIO()
    pillow.fromarray(random).save(packed, "PNG")
    assert np.array_equal(textures.opened(Image("a.png", "image/png", packed.getvalue())), random)


def test_a_bomb_of_9000_by_9000_fits_into_half_a_gigabyte() -> None:
    bomb = png("1", 9000, 9000)
    assert len(bomb.data) < 100_000
    tracemalloc.start()
    try:
        pixels = textures.opened(bomb)
        assert tracemalloc.get_traced_memory()[1] < 100_000_000
    finally:
        tracemalloc.stop()
    assert max(pixels.shape) <= textures.LARGEST_SIDE


def test_a_picture_that_could_only_be_unpacked_whole_is_refused() -> None:
    with pytest.raises(FormatError, match="at most 100,000,000 pixels, found 12000 x 9000"):
        textures.opened(png("1", 12_000, 9_000))


def test_many_pictures_share_the_memory_of_a_few() -> None:
    for count in (1, 16, 17, 400, 100_000):
        assert count * textures.side_for(count) ** 2 <= textures.MOST_TEXELS
    assert textures.side_for(1) == textures.side_for(16) == textures.LARGEST_SIDE
