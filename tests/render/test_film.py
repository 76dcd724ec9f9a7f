"""Films: what a player decodes is what was drawn, as long and as fast; GIF and PNG come out the same every time."""

from __future__ import annotations

import io
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

from komadori.characters import sample
from komadori.errors import OptionError
from komadori.render import film
from komadori.render.shot import Shot, shot_of
from komadori.timesheet import Timesheet

av = pytest.importorskip("av")


@pytest.fixture(scope="module")
def shot() -> Shot:
    return shot_of(sample("kick").taken([30, 30, 30, 36, 36, 40, 44, 44, 50, 55]), size=(128, 72))


@pytest.mark.parametrize(("kind", "codec"), [("mp4", "h264"), ("webm", "vp9")])
@pytest.mark.parametrize("fps", [24.0, 24000 / 1001])
def test_a_player_sees_what_was_drawn(shot: Shot, kind: str, codec: str, fps: float) -> None:
    drawn = list(shot.pictures())
    with av.open(io.BytesIO(film.video(drawn, fps, kind))) as container:
        stream = container.streams.video[0]
        exact = Fraction(24) if fps == 24 else Fraction(24000, 1001)
        assert stream.codec_context.name in (codec, f"lib{codec}", "libvpx-vp9", "libdav1d")
        assert (stream.codec_context.width, stream.codec_context.height) == (128, 72)
        assert stream.codec_context.pix_fmt == "yuv420p"
        assert float(stream.average_rate) == pytest.approx(float(exact), rel=1e-3)
        frames = list(container.decode(video=0))
    assert len(frames) == len(drawn)
    times = [frame.time for frame in frames]
    np.testing.assert_allclose(times, np.arange(len(drawn)) / fps, atol=0.002)
    for frame, picture in zip(frames, drawn, strict=True):
        away = np.abs(frame.to_ndarray(format="rgb24").astype(int) - picture)
        assert away.mean() < 6.0
        # Flat paper keeps its colour: the file says which colours it has.
        assert away[:6, 40:].mean() < 3.0


def test_a_video_says_which_colours_it_has() -> None:
    orange = np.full((64, 64, 3), (255, 128, 0), dtype=np.uint8)
    with av.open(io.BytesIO(film.video([orange] * 3, 24.0))) as container:
        context = container.streams.video[0].codec_context
        assert (context.colorspace, context.color_primaries, context.color_trc) == (1, 1, 1)
        frame = next(container.decode(video=0))
        # BT.709, 16 to 235, computed by hand: Y = 16 + 219 (0.2126 r + 0.7152 g + 0.0722 b).
        luma = 16 + 219 * (0.2126 + 0.7152 * 128 / 255)
        assert frame.to_ndarray()[:64].mean() == pytest.approx(luma, abs=2.0)


def test_a_pyav_without_an_encoder_is_told(shot: Shot, monkeypatch: pytest.MonkeyPatch) -> None:
    assert film.can_encode("mp4")
    assert film.can_encode("webm")
    # The lookup is PyAV's own: its wheels carry no OpenH264, as a PyAV built without GPL code carries no x264.
    monkeypatch.setitem(film.CODECS, "mp4", ("libopenh264", {}))
    assert not film.can_encode("mp4")
    with pytest.raises(OptionError, match=r"^the installed PyAV has no H.264 encoder \(x264\): write .webm instead$"):
        film.video(shot.pictures(), 24.0)
    assert film.video(shot.pictures(), 24.0, "webm").startswith(b"\x1a\x45\xdf\xa3")


def test_a_videos_index_stands_at_its_front(shot: Shot) -> None:
    data = film.video(shot.pictures(), 24.0)
    assert 0 < data.index(b"moov") < data.index(b"mdat")
    assert data == film.video(shot.pictures(), 24.0)


def test_a_webm_is_the_same_every_time(shot: Shot) -> None:
    assert film.video(shot.pictures(), 24.0, "webm") == film.video(shot.pictures(), 24.0, "webm")


@pytest.mark.parametrize("frames", [1, 7, 24, 145])
def test_a_gif_does_not_drift(frames: int) -> None:
    """24 pictures per second are not whole hundredths: every one begins at most half a hundredth off."""
    pictures = [np.zeros((8, 8, 3), dtype=np.uint8) for _ in range(frames)]
    for n, picture in enumerate(pictures):
        picture[n % 8, n // 8 % 8] = 255
    with Image.open(io.BytesIO(film.gif(pictures, 24.0))) as opened:
        lengths = []
        for n in range(getattr(opened, "n_frames", 1)):
            opened.seek(n)
            lengths.append(opened.info["duration"])
    assert len(lengths) == frames
    begins = np.cumsum([0, *lengths])
    assert np.abs(begins - 1000.0 * np.arange(frames + 1) / 24.0).max() <= 5.0


def test_a_gif_keeps_time_and_holds(shot: Shot) -> None:
    data = film.gif(shot.pictures(), shot.fps)
    assert data == film.gif(shot.pictures(), shot.fps)
    with Image.open(io.BytesIO(data)) as opened:
        lengths, pictures = [], []
        for n in range(opened.n_frames):  # type: ignore[attr-defined]
            opened.seek(n)
            lengths.append(opened.info["duration"])
            pictures.append(np.asarray(opened.convert("RGB")))
        assert opened.info["loop"] == 0
    runs = shot.sheet.runs()
    assert len(lengths) == len(runs)
    assert sum(lengths) == round(100 * len(shot) / shot.fps) * 10
    for picture, run, length in zip(pictures, runs, lengths, strict=True):
        assert length == pytest.approx(1000 * run.length / shot.fps, abs=10)
        away = np.abs(picture.astype(int) - shot.picture(run.start))
        assert away.mean() < 1.0
        # Flat paper is exactly the paper.
        assert (away[:8].max(axis=-1) == 0).mean() > 0.9


def test_a_gifs_flat_colours_do_not_shift() -> None:
    # Thousands of colours, each a few times, and large areas of one: the areas stay exactly as they are.
    noisy = np.random.default_rng(2).integers(0, 256, (90, 160, 3)).astype(np.uint8)
    noisy[:40], noisy[40:60] = (233, 238, 242), (234, 238, 242)
    with Image.open(io.BytesIO(film.gif([noisy, noisy[::-1]], 24.0))) as opened:
        seen = np.asarray(opened.convert("RGB"))
    np.testing.assert_array_equal(seen[:60], noisy[:60])
    assert np.abs(seen.astype(int) - noisy).mean() < 20


def test_a_png_is_exact(shot: Shot) -> None:
    data = film.png(shot.picture(0))
    np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(data))), shot.picture(0))
    assert data == film.png(shot.picture(0))


def test_a_poster_has_every_drawing_once(shot: Shot) -> None:
    whole = film.poster(shot)
    tiles = whole.shape[0] // 72 * (whole.shape[1] // 128)
    assert tiles >= len(shot.sheet.runs())
    np.testing.assert_array_equal(whole[16:72, :128], shot.picture(0)[16:])
    assert film.poster(shot, most=2).size < whole.size


def test_the_sheet_runs_below() -> None:
    blank = np.full((360, 640, 3), 7, dtype=np.uint8)
    sheet = Timesheet(24, [0, 0, 0, 3, 4, 4])
    shown = list(film.with_sheet([blank] * 6, sheet))
    assert {picture.shape for picture in shown} == {(394, 640, 3)}
    assert all((picture[:360] == 7).all() for picture in shown)
    assert all(not np.array_equal(a, b) for a, b in pairwise(shown))


def test_what_cannot_be_a_film_is_refused(shot: Shot, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(OptionError, match="even"):
        film.video([np.zeros((31, 40, 3), dtype=np.uint8)], 24.0)
    for make in (film.video, film.gif):
        with pytest.raises(OptionError, match="at least one"):
            make([], 24.0)
    with pytest.raises(
        OptionError, match="pictures: expected a GIF of at most 1,500 pictures of this size, found more pictures"
    ):
        film.gif([shot.picture(0)] * (film.MOST_GIF + 1), 24.0)
    monkeypatch.setattr(film, "MOST_GIF_PIXELS", 2 * 128 * 72)
    with pytest.raises(
        OptionError, match="pictures: expected a GIF of at most 6 pictures of this size, found more pictures"
    ):
        film.gif(shot.pictures(), 24.0)
