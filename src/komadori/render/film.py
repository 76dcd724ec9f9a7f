"""Films: pictures as MP4, WebM, GIF and PNG files, complete in memory; the sheet can run below them."""

from __future__ import annotations

import io
import math
import tempfile
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from komadori import rates
from komadori.errors import OptionError, unquoted
from komadori.render.png import MISSING, font_of
from komadori.render.shot import Shot
from komadori.render.toon import Pixels
from komadori.timesheet import Timesheet
from komadori.words import Note

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

SUFFIXES = (".mp4", ".webm", ".gif", ".png")
MISSING_VIDEO = Note("MP4 and WebM need PyAV: pip install 'komadori[video]'; GIF and PNG do without it")
NO_ENCODER = {
    "mp4": Note("the installed PyAV has no H.264 encoder (x264): write .webm instead"),
    "webm": Note("the installed PyAV has no VP9 encoder (libvpx): write .mp4 instead"),
}
"""Kind of film -> what to do when PyAV cannot encode it."""
MOST_GIF, MOST_GIF_PIXELS = 1500, 400_000_000
"""Pictures of a GIF, and pixels of all its drawings together: they are in memory while it is written."""
EXACT = 96
"""Colours of a GIF that are taken as they are; the others are means."""
MOST_ON_POSTER = 24
STRIP, CELL = 34, 16
"""Height of the running sheet, and the least width of one frame in it, in pixels of a picture 360 high."""
FIGURE = 6.5
"""What a figure of a drawing's number takes of that width: cells of long numbers are wider, or neighbours would run together."""
TOGETHER = 96
"""Pictures whose running sheet is drawn at once."""
AHEAD = 4
"""Pictures that wait for the encoder at most: a long film must not pile up in memory."""

_BT709, _LIMITED = 1, 1
"""The numbers of H.273 for today's colours, and for levels from 16 to 235."""
# Without its macroblock tree, in which x264 at times decides otherwise about the same pictures: the same film must be
# the same bytes. Found with x264 core 165 in one of some ten runs.
CODECS: dict[str, tuple[str, dict[str, str]]] = {
    "mp4": ("libx264", {"preset": "veryfast", "crf": "17", "tune": "animation", "x264-params": "mbtree=0:bframes=0"}),
    "webm": ("libvpx-vp9", {"crf": "16", "b": "0", "deadline": "realtime", "cpu-used": "6", "row-mt": "1"}),
}
"""Kind of film -> its encoder and how it is set: H.264, which plays everywhere and is encoded by GPL code, and VP9,
which needs none of it. docs/decisions/0036-films.md has the figures."""


def can_encode(kind: str) -> bool:
    """Whether PyAV is installed and has the encoder for films of `kind`: one built without GPL code has none for MP4."""
    try:
        import av
    except ImportError:
        return False
    try:
        av.Codec(CODECS[kind][0], "w")
    except av.codec.codec.UnknownCodecError:
        return False
    return True


def video(pictures: Iterable[Pixels], fps: float, kind: str = "mp4") -> bytes:
    """`pictures` (H, W, 3), all of one even size, as an MP4 (H.264) or WebM (VP9) file in yuv420p."""
    try:
        import av  # noqa: F401
    except ImportError:
        raise OptionError(MISSING_VIDEO) from None
    if not can_encode(kind):
        raise OptionError(NO_ENCODER[kind])
    return encoded(pictures, fps, kind, *CODECS[kind])


def encoded(pictures: Iterable[Pixels], fps: float, kind: str, codec: str, options: dict[str, str]) -> bytes:
    """The same by any encoder of PyAV, `codec`, set as `options` say, in a container of `kind`."""
    import av

    # In a file, for an MP4's index is moved to its front at the end: then it plays while it is still loading.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"film.{kind}"
        # Exact bytes: a WebM would have two random numbers otherwise.
        front = {"movflags": "+faststart", "fflags": "+bitexact"} if kind == "mp4" else {"fflags": "+bitexact"}
        with av.open(str(path), "w", format=kind, container_options=front) as container:
            stream: Any = None
            # The encoder works beside the drawing: it does not hold the interpreter's lock.
            with ThreadPoolExecutor(1) as encoder:
                waiting: deque[Future[None]] = deque()
                for number, picture in enumerate(pictures):
                    if stream is None:
                        stream = _stream(container, codec, options, fps, picture)
                    waiting.append(encoder.submit(_encode, container, stream, picture, number, fps))
                    if len(waiting) > AHEAD:
                        waiting.popleft().result()
                for job in waiting:
                    job.result()
            if stream is None:
                raise OptionError("pictures", expected=Note("at least one picture"), found=Note("none"))
            container.mux(stream.encode(None))
        return path.read_bytes()


def _stream(container: Any, codec: str, options: dict[str, str], fps: float, picture: Pixels) -> Any:
    """The stream of pictures like this one."""
    height, width = picture.shape[:2]
    if height % 2 or width % 2:
        raise OptionError(
            "size", expected=Note("an even width and height, as a video needs"), found=unquoted(f"{width}x{height}")
        )
    stream = container.add_stream(codec, rate=rates.exact(fps), options=options)
    stream.height, stream.width = height, width
    stream.pix_fmt = "yuv420p"
    context = stream.codec_context
    # A fixed number: how the work is shared changes the bytes.
    context.thread_count = 2
    # Said in the file, because players guess by size otherwise, and colours shift.
    context.colorspace, context.color_primaries, context.color_trc = _BT709, _BT709, _BT709
    context.color_range = _LIMITED
    return stream


def _encode(container: Any, stream: Any, picture: Pixels, number: int, fps: float) -> None:
    import av

    rgb = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
    frame = rgb.reformat(format="yuv420p", dst_colorspace=_BT709, dst_color_range=_LIMITED)
    frame.pts = number
    frame.time_base = 1 / rates.exact(fps)
    container.mux(stream.encode(frame))


def gif(pictures: Iterable[Pixels], fps: float) -> bytes:
    """`pictures` (H, W, 3) as a GIF that loops and keeps time; equal neighbours become one longer picture."""
    shown: list[Pixels] = []
    times: list[int] = []
    # A GIF counts hundredths of a second: each picture begins at the one nearest to its time.
    for number, picture in enumerate(pictures):
        if number >= MOST_GIF or len(shown) * picture[..., 0].size > MOST_GIF_PIXELS:
            raise OptionError(
                "pictures",
                expected=Note("a GIF of at most {most:,} pictures of this size", most=number),
                found=Note("more pictures"),
                advice=Note("cut the motion, or write .mp4"),
            )
        length = 10 * (round(100.0 * (number + 1) / fps) - round(100.0 * number / fps))
        if shown and (picture is shown[-1] or np.array_equal(picture, shown[-1])):
            times[-1] += length
        else:
            shown.append(picture)
            times.append(length)
    if not shown:
        raise OptionError("pictures", expected=Note("at least one picture"), found=Note("none"))
    few = list(_in_palette(shown, _palette(shown[:: max(1, len(shown) // 8)])))
    file = io.BytesIO()
    few[0].save(file, "GIF", save_all=True, append_images=few[1:], duration=times, loop=0, optimize=False)
    return file.getvalue()


def png(picture: Pixels) -> bytes:
    """A picture (H, W, 3) as a PNG file."""
    file = io.BytesIO()
    _pillow().fromarray(picture).save(file, "PNG")
    return file.getvalue()


def poster(shot: Shot, most: int = MOST_ON_POSTER) -> Pixels:
    """The drawings of a shot side by side in rows, each with its frame; evenly chosen if there are more than `most`."""
    runs = shot.sheet.runs()
    chosen = [runs[n] for n in np.unique(np.linspace(0, len(runs) - 1, most).round().astype(int))]
    pillow = _pillow()
    width, height = shot.size
    columns = max(1, math.ceil(math.sqrt(len(chosen) * 1.3 * height / width)))
    lines = math.ceil(len(chosen) / columns)
    whole = pillow.new("RGB", (columns * width, lines * height), "#ffffff")
    for place, run in enumerate(chosen):
        picture = pillow.fromarray(shot.picture(run.start))
        pen = _pen(picture)
        pen.text((0.03 * height, 0.03 * height), str(run.start), fill="#4a5460", font=font_of(0.05 * height))
        whole.paste(picture, (place % columns * width, place // columns * height))
    return np.asarray(whole)


def with_sheet(pictures: Iterable[Pixels], sheet: Timesheet) -> Iterator[Pixels]:
    """`pictures` with the timesheet running below: a cell per frame, a number where a drawing begins, a bar while it is held."""
    ribbon: _Ribbon | None = None
    for frame, picture in enumerate(pictures):
        height, width = picture.shape[:2]
        if ribbon is None or frame >= ribbon.first + TOGETHER:
            ribbon = _ribbon(sheet, frame, width, max(1.0, height / 360.0))
        yield np.concatenate([picture, ribbon.at(frame)])


@dataclass(frozen=True, eq=False)
class _Ribbon:
    """A piece of the running sheet, long enough for TOGETHER pictures from `first` on: `plain`, and where it is `lit` as
    the present frame is, from `now` on for a `cell`."""

    first: int
    width: int
    now: int
    cell: int
    plain: Pixels
    lit: Pixels

    def at(self, frame: int) -> Pixels:
        """The strip below the picture of `frame`."""
        left = (frame - self.first) * self.cell
        result = np.array(self.plain[:, left : left + self.width])
        present = slice(self.now, self.now + self.cell)
        result[:, present] = self.lit[:, left : left + self.width][:, present]
        return result


def _ribbon(sheet: Timesheet, first: int, width: int, scale: float) -> _Ribbon:
    # Whole pixels per frame, so that one picture shows many frames by moving.
    across = max(CELL, FIGURE * len(str(len(sheet.drawings))) + 3.0)
    tall, cell, now = 2 * round(STRIP * scale / 2), round(across * scale), round(width / 3.0)
    plain, lit = (_drawn(sheet, first, width, now, tall, cell, scale, paper) for paper in ("#ffffff", "#ffe9a8"))
    return _Ribbon(first, width, now, cell, plain, lit)


def _drawn(
    sheet: Timesheet, first: int, width: int, now: int, tall: int, cell: int, scale: float, paper: str
) -> Pixels:
    whole = width + (TOGETHER - 1) * cell
    image = _pillow().new("RGB", (whole, tall), paper)
    pen, font = _pen(image), font_of(11.0 * scale)
    number = {int(source): n + 1 for n, source in enumerate(sheet.drawings)}
    upper, lower = 0.16 * tall, 0.9 * tall
    seconds = round(sheet.fps)
    for run in sheet.runs():
        left, right = (now + (at - first) * cell for at in (run.start, run.start + run.length))
        if right < 0 or left > whole:
            continue
        pen.line((left, upper, left, lower), fill="#8794a3", width=max(1, round(scale)))
        pen.text(((left + 0.5 * cell), 0.55 * tall), str(number[run.source]), fill="#223040", font=font, anchor="mm")
        if run.length > 1:
            bar = (left + 1.15 * cell, 0.55 * tall, right - 0.3 * cell, 0.55 * tall)
            pen.line(bar, fill="#8c9cb0", width=max(1, round(1.5 * scale)))
    for at in range(max(0, first - math.ceil(now / cell)), len(sheet)):
        x = now + (at - first) * cell
        if x > whole:
            break
        # Longer ticks at every second, as sheets have a thicker line there.
        pen.line((x, 0, x, (0.24 if seconds and at % seconds == 0 else 0.1) * tall), fill="#8794a3")
    pen.line((0, 0, whole, 0), fill="#8794a3")
    return np.asarray(image)


def _palette(pictures: list[Pixels]) -> NDArray[np.uint8]:
    """(n, 3) up to 256 colours: the most frequent ones exactly, because flat areas must not change colour, then means of the others."""
    pillow = _pillow()
    colours, counts = np.unique(np.concatenate([_packed(picture) for picture in pictures]), return_counts=True)
    exact = colours[np.argsort(-counts, kind="stable")[:EXACT]]
    rest = np.setdiff1d(colours, exact)
    if not len(rest):
        return _unpacked(exact)
    few = pillow.fromarray(_unpacked(rest)[None]).quantize(256 - EXACT, method=pillow.Quantize.MEDIANCUT)
    means = np.array(few.getpalette(), dtype=np.uint8).reshape(-1, 3)[: 256 - EXACT]
    return np.concatenate([_unpacked(exact), means])


def _in_palette(pictures: list[Pixels], palette: NDArray[np.uint8]) -> Iterator[Image.Image]:
    """Each picture in the nearest colours of `palette`. Pillow's own search takes near ones, and paper would flicker."""
    nearest = np.full(1 << 24, -1, dtype=np.int16)
    for picture in pictures:
        packed = _packed(picture)
        new = np.unique(packed[nearest[packed] < 0])
        for some in np.array_split(new, len(new) // 4096 + 1):
            away = _unpacked(some)[:, None].astype(np.int32) - palette
            nearest[some] = np.argmin((away * away).sum(axis=-1), axis=1)
        image = _pillow().fromarray(nearest[packed].astype(np.uint8).reshape(picture.shape[:2]))
        image.putpalette(palette.tobytes())
        yield image


def _packed(picture: Pixels) -> NDArray[np.int32]:
    wide = picture.reshape(-1, 3).astype(np.int32)
    return np.asarray(wide[:, 0] << 16 | wide[:, 1] << 8 | wide[:, 2])


def _unpacked(packed: NDArray[np.int32]) -> NDArray[np.uint8]:
    return np.stack([packed >> shift & 255 for shift in (16, 8, 0)], axis=-1).astype(np.uint8)


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise OptionError(MISSING) from None
    return Image


def _pen(image: Image.Image) -> ImageDraw.ImageDraw:
    from PIL import ImageDraw

    return ImageDraw.Draw(image)
