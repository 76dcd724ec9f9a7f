"""Films: size, work and likeness of each codec that PyAV's wheel carries, on the film of `komadori anime`; GPL or not."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

import komadori
from bench.clips import real_data
from bench.tables import Table
from komadori.anime.pair import pair_of
from komadori.characters import character, sample
from komadori.methods.floor import floor
from komadori.motion import Motion
from komadori.pipeline import look
from komadori.render import film
from komadori.render.toon import Pixels
from komadori.words import Note

# SVT-AV1 reports its settings for every film otherwise.
os.environ.setdefault("SVT_LOG", "1")
LUMA = np.array([0.2126, 0.7152, 0.0722])
FRAMES = 96
"""Pictures of each film: four seconds."""
SAMPLES = ("pitch", "kick", "walk", "jog")
REAL = ("124_01", "135_04", "85_01")
"""Clips of the CMU database: a baseball pitch, a front kick and a jump that turns."""
WINDOW = 8
"""Side of the windows of SSIM, in pixels."""
PLAYS = {
    "H.264": "everywhere: QuickTime, Windows, browsers, editors, social networks",
    "VP9": "browsers, Windows, VLC; not QuickTime, few editors",
    "AV1": "newer browsers and machines, VLC; few editors",
    "MPEG-4 part 2": "QuickTime, Windows, VLC; no browser",
}
"""Codec -> where films of it play, by what their makers state. Not measured here."""


@dataclass(frozen=True)
class Way:
    """One way to encode a film: `kind` is the container."""

    name: str
    codec: str
    encoder: str
    kind: str
    options: dict[str, str]
    gpl: bool = False

    @property
    def is_ours(self) -> bool:
        """Whether komadori encodes so."""
        return (self.encoder, self.options) == film.CODECS.get(self.kind)


REALTIME = {"deadline": "realtime", "cpu-used": "6"}
GOOD = {"deadline": "good", "cpu-used": "4"}


def _x264() -> tuple[str, str, dict[str, str]]:
    encoder, options = film.CODECS["mp4"]
    return encoder, "mp4", options


def _vp9(name: str, **options: str) -> Way:
    return Way(name, "VP9", "libvpx-vp9", "webm", {"b": "0", "row-mt": "1", **options})


WAYS = (
    Way("x264 veryfast, CRF 17", "H.264", *_x264(), gpl=True),
    _vp9("libvpx realtime 6, CRF 28", **REALTIME, crf="28"),
    _vp9("libvpx realtime 6, CRF 20", **REALTIME, crf="20"),
    _vp9("libvpx realtime 6, CRF 16", **REALTIME, crf="16"),
    _vp9("libvpx good 4, CRF 20", **GOOD, crf="20"),
    Way("SVT-AV1 8, CRF 20", "AV1", "libsvtav1", "mp4", {"preset": "8", "crf": "20"}),
    Way("FFmpeg, quantiser 2", "MPEG-4 part 2", "mpeg4", "mp4", {"qmin": "2", "qmax": "2"}),
)
ALSO = ("libopenh264", "libaom-av1", "librav1e", "libxvid")
"""Encoders without GPL code that a build of FFmpeg may have."""


@dataclass(frozen=True)
class Figures:
    """What one film took and lost."""

    size: int
    work_s: float
    psnr: float
    ssim: float


def is_carried(encoder: str) -> bool:
    """Whether this machine's PyAV has an encoder."""
    try:
        av.Codec(encoder, "w")
    except av.codec.codec.UnknownCodecError:
        return False
    return True


def luma_of(pictures: Sequence[Pixels]) -> NDArray[np.float64]:
    """(F, H, W) the brightness of `pictures`, 0 to 255, by BT.709."""
    return np.asarray(np.stack(pictures) @ LUMA)


def psnr(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Peak signal to noise ratio of two films' brightness, in dB.

    >>> round(psnr(np.zeros((1, 8, 8)), np.ones((1, 8, 8))), 2)
    48.13
    """
    return float(10.0 * np.log10(255.0**2 / max(float(np.mean((a - b) ** 2)), 1e-12)))


def ssim(a: NDArray[np.float64], b: NDArray[np.float64], window: int = WINDOW) -> float:
    """Structural similarity (Wang et al. 2004, equation 13) of two films' brightness: the mean over all square windows, uniformly weighted.

    >>> picture = np.arange(256.0).reshape(1, 16, 16)
    >>> float(ssim(picture, picture))
    1.0
    >>> ssim(picture, 255.0 - picture) < 0.0
    True
    """
    c1, c2 = (0.01 * 255.0) ** 2, (0.03 * 255.0) ** 2
    ma, mb, aa, bb, ab = (_box(x, window) for x in (a, b, a * a, b * b, a * b))
    va, vb, both = aa - ma**2, bb - mb**2, ab - ma * mb
    told = (2 * ma * mb + c1) * (2 * both + c2) / ((ma**2 + mb**2 + c1) * (va + vb + c2))
    return float(told.mean())


def _box(x: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """The mean of every n x n window of the last two axes."""
    total = np.cumsum(np.cumsum(np.pad(x, ((0, 0), (1, 0), (1, 0))), axis=1), axis=2)
    return np.asarray((total[:, n:, n:] - total[:, :-n, n:] - total[:, n:, :-n] + total[:, :-n, :-n]) / n**2)


def encoded(pictures: Sequence[Pixels], way: Way) -> bytes:
    """The film of `pictures`, as komadori writes it, but by `way`."""
    return film.encoded(pictures, 24.0, way.kind, way.encoder, way.options)


def decoded(data: bytes) -> list[Pixels]:
    """The pictures of a film as a player shows them."""
    with av.open(io.BytesIO(data), "r") as container:
        return [_rgb(frame) for frame in container.decode(video=0)]


def _rgb(frame: Any) -> Pixels:
    return np.asarray(frame.to_ndarray(format="rgb24"), dtype=np.uint8)


def measured(pictures: Sequence[Pixels], way: Way, repeats: int = 2) -> Figures:
    """What `way` makes of `pictures`; the processor time is the least of `repeats`."""
    work, data = float("inf"), b""
    for _ in range(repeats):
        begin = time.process_time()
        data = encoded(pictures, way)
        work = min(work, time.process_time() - begin)
    a, b = luma_of(pictures), luma_of(decoded(data))
    # In parts: a film's squares do not fit beside each other into the memory of a small machine.
    parts = [ssim(a[at : at + 8], b[at : at + 8]) for at in range(0, len(a), 8)]
    return Figures(len(data), work, psnr(a, b), float(np.mean(parts)))


def drawn(motion: Motion) -> list[Pixels]:
    """The pictures of `komadori anime`'s film: captured beside animated, with the sheet below."""
    result = look("tv").run(motion, character("girl"))
    pair = pair_of(result, "three-quarter", "toon", (480, 480))
    pictures = pair.pictures(Note("captured"), Note("look: {name}", name="tv"))
    return [picture for picture, _ in zip(pictures, range(FRAMES), strict=False)]


def films() -> dict[str, list[Pixels]]:
    """Clip -> its pictures: the samples, and three real clips if they are there."""
    found = {f"`sample:{name}`": drawn(sample(name)) for name in SAMPLES}
    data = real_data()
    for name in REAL if data is not None else ():
        clip = komadori.load(data / "human_cmu_bvh" / f"{name}.bvh").prepared(fps=24.0)  # type: ignore[operator]
        found[f"CMU {name}"] = drawn(floor(clip).motion)
    return found


def tables() -> list[Table]:
    made = films()
    figures = {(clip, way.name): measured(pictures, way) for clip, pictures in made.items() for way in WAYS}
    counts = {clip: len(pictures) for clip, pictures in made.items()}
    return [_ways(figures, counts), _clips(figures, counts)]


def _ways(figures: dict[tuple[str, str], Figures], counts: dict[str, int]) -> Table:
    rows = []
    first = WAYS[0].name
    for way in WAYS:
        own = [figures[clip, way.name] for clip in counts]
        other = [figures[clip, first] for clip in counts]
        size = np.exp(np.mean([np.log(a.size / b.size) for a, b in zip(own, other, strict=True)]))
        work = np.exp(np.mean([np.log(a.work_s / b.work_s) for a, b in zip(own, other, strict=True)]))
        each = 1000.0 * np.mean([a.work_s / counts[clip] for a, clip in zip(own, counts, strict=True)])
        rows.append(
            (
                f"**{way.name}**" if way.is_ours else way.name,
                way.codec,
                "yes" if way.gpl else "no",
                f"{size:.2f}",
                f"{work:.2f}",
                f"{each:.1f} ms",
                f"{np.mean([a.psnr for a in own]):.1f}",
                f"{np.mean([a.ssim for a in own]):.4f}",
                PLAYS[way.codec],
            )
        )
    columns = (
        "encoder", "codec", "GPL", "size / x264", "work / x264", "work per picture", "PSNR, dB", "SSIM", "plays in",
    )  # fmt: skip
    about = (
        f"The film of `komadori anime`, 960 pixels wide, {FRAMES} pictures of each of {len(counts)} clips, by every encoder that the "
        f"wheel of PyAV {av.__version__} carries. Work is processor time of all threads; ratios are geometric means. PSNR and SSIM "
        "compare the decoded brightness with the drawn one. Bold: what komadori writes. Where a codec plays is as its makers "
        f"state, not measured. Not in this wheel: {', '.join(name for name in ALSO if not is_carried(name))}."
    )
    return Table("Codecs", columns, tuple(rows), about)


def _clips(figures: dict[tuple[str, str], Figures], counts: dict[str, int]) -> Table:
    rows = [
        (clip, way.name, f"{told.size / 1024:.0f} KB", f"{1000.0 * told.work_s / counts[clip]:.1f} ms", f"{told.psnr:.1f}", f"{told.ssim:.4f}")
        for clip in counts
        for way in WAYS
        for told in [figures[clip, way.name]]
    ]  # fmt: skip
    return Table("Clip by clip", ("clip", "encoder", "size", "work per picture", "PSNR, dB", "SSIM"), tuple(rows))
