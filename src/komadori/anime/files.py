"""Every file of a finished animation, complete in memory; a file whose library is missing is reported and skipped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path

import numpy as np

from komadori import rates
from komadori.anime.pair import pair_of
from komadori.anime.poster import poster
from komadori.anime.report import page
from komadori.camera import Camera
from komadori.errors import FormatError, KomadoriError, OptionError
from komadori.formats import encoded, suffixes
from komadori.keyed import Keyed, keyed
from komadori.motion import Motion
from komadori.pipeline import PipelineResult
from komadori.render import drawing, film
from komadori.render.body import VIEWS
from komadori.render.sheets import printed_sheet
from komadori.render.toon import Pixels
from komadori.words import Note

ANIMATION = ".glb"
VMD_FPS = 30.0
"""MikuMikuDance plays at this rate whatever a file says."""


TOLD_EVERY = 12
"""Pictures between two progress reports."""
LIBRARIES = {".mp4": "av", ".webm": "av", ".png": "PIL", ".pdf": "reportlab"}
"""Suffix -> the library without which such a file cannot be made."""
MISSING = {
    "reportlab": Note("the printed timesheet needs ReportLab: pip install 'komadori[video]'"),
    "PIL": Note("film and poster need Pillow: pip install 'komadori[video]'"),
    "av": Note("the film needs PyAV: pip install 'komadori[video]'"),
}


FILMS = ("mp4", "webm")
"""H.264, which every editor opens and GPL code encodes; VP9, which needs none of it."""
INSTEAD = {"mp4": "webm", "webm": "mp4"}
"""Kind of film -> the one that is written when PyAV has no encoder for it."""


@dataclass(frozen=True)
class ExportOptions:
    """How the files of an animation are made: `also` lists further formats by suffix, `size` is the size of one side of the film."""

    title: str
    also: tuple[str, ...] = ()
    camera: str | Camera = "three-quarter"
    style: str = "toon"
    size: tuple[int, int] = (480, 480)
    language: str = "en"
    face: bool = True
    """Whether eyes blink and lead the head's turns in film and poster."""
    film: str = FILMS[0]
    """What the film is: one of FILMS."""


@dataclass(frozen=True, eq=False)
class Made:
    """File name -> bytes, in the order in which a reader wants them; and notes on what could not be made."""

    files: Mapping[str, bytes] = field(repr=False)
    notes: tuple[Note, ...] = ()


Progress = Callable[[Note], None]


def names_of(options: ExportOptions) -> list[str]:
    """The names that `files_of` may give, whether or not every library is there."""
    options, _ = _with_encoder(options)
    animations = [f"{options.title}{suffix}" for suffix in dict.fromkeys([ANIMATION, *options.also])]
    return [
        "report.html",
        *animations,
        f"{options.title}.xdts",
        f"{options.title}.pdf",
        f"{options.title}.{options.film}",
        "poster.png",
    ]


def files_of(result: PipelineResult, options: ExportOptions, progress: Progress = lambda note: None) -> Made:
    """The animation of `result` in every form: GLB and `also`, XDTS, PDF, a film, a poster, and a page that shows them."""
    options, changed = _with_encoder(options)
    notes: list[Note] = [*changed]
    progress(Note("writing the animation and its sheet"))
    files = {f"{options.title}{ANIMATION}": _animation(result, options, ANIMATION)}
    for suffix in options.also:
        try:
            files[f"{options.title}{suffix}"] = _animation(result, options, suffix)
        except FormatError as error:
            # A file that cannot be made must not stop the others.
            notes.append(Note("Could not write {name}: {why}", name=f"{options.title}{suffix}", why=error.note))
    files[f"{options.title}.xdts"] = encoded(dict(result.sheets), "sheet.xdts")
    sheet = printed_sheet(result.sheets, title=options.title, language=options.language)
    prints = _can_load("reportlab", notes)
    draws = _can_load("PIL", notes)
    films = draws and _can_load("av", notes)
    video = picture = None
    # In parallel with the film, whose threads are not always busy.
    with ThreadPoolExecutor(1) as pool:
        printed = pool.submit(_printed, sheet) if prints else None
        drawn = pool.submit(_poster_picture, result, options) if draws else None
        video = _film_video(result, options, progress) if films else None
        if printed is not None:
            files[f"{options.title}.pdf"] = printed.result()
        if video is not None:
            files[f"{options.title}.{options.film}"] = video
        if drawn is not None:
            progress(Note("drawing the poster"))
            picture = files["poster.png"] = drawn.result()
    progress(Note("writing the report"))
    told = replace(result, notes=(*result.notes, *notes))
    text = page(told, options.title, list(files), sheet, video, picture, options.language)
    return Made({"report.html": text.encode("utf-8", "replace"), **files}, tuple(notes))


def file_of(result: PipelineResult, options: ExportOptions, suffix: str) -> bytes:
    """One file of the animation alone, by its suffix: the motion in a format, .xdts and other sheets, .pdf, .png (a poster), .mp4, .webm or .html.

    A KomadoriError if a library is missing, or the format cannot hold it.
    """
    notes: list[Note] = []
    if suffix in LIBRARIES and not _can_load(LIBRARIES[suffix], notes):
        raise KomadoriError(notes[0])
    if suffix.removeprefix(".") in FILMS:
        return _film_video(result, replace(options, film=suffix.removeprefix(".")), lambda note: None)
    if suffix == ".png":
        return _poster_picture(result, options)
    if suffix in (".pdf", ".html"):
        sheet = printed_sheet(result.sheets, title=options.title, language=options.language)
        if suffix == ".html":
            return page(result, options.title, [], sheet, None, None, options.language).encode("utf-8", "replace")
        return _printed(sheet)
    if suffix in suffixes("write_sheets"):
        return encoded(dict(result.sheets), f"sheet{suffix}")
    return _animation(result, options, suffix)


def _printed(sheet: list[drawing.Drawing]) -> bytes:
    return next(iter(drawing.encoded(sheet, "sheet.pdf").values()))


def _poster_picture(result: PipelineResult, options: ExportOptions) -> bytes:
    view = options.camera if isinstance(options.camera, str) and options.camera in VIEWS else "three-quarter"
    made = poster(
        result, title=options.title, view=view, style=options.style, language=options.language, face=options.face
    )
    return film.png(made)


def _with_encoder(options: ExportOptions) -> tuple[ExportOptions, tuple[Note, ...]]:
    """The same options with a film that PyAV can encode, and a note if that is another one than was asked for."""
    other = INSTEAD[options.film]
    if film.can_encode(options.film) or not film.can_encode(other):
        return options, ()
    told = Note(
        "The installed PyAV cannot encode .{kind} films, so the film is {name}. Use --film {other} to ask for that.",
        kind=options.film, name=f"{options.title}.{other}", other=other,
    )  # fmt: skip
    return replace(options, film=other), (told,)


def _film_video(result: PipelineResult, options: ExportOptions, progress: Progress) -> bytes:
    pair = pair_of(result, options.camera, options.style, options.size, face=options.face)
    right = Note("look: {name}", name=result.recipe.name or "-")
    # Closed whatever happens: an error that somebody keeps would keep the processes that draw.
    with closing(pair.pictures(Note("captured"), right, options.language)) as pictures:
        return film.video(_counted(pictures, len(pair.before), progress), pair.before.fps, options.film)


def _counted(pictures: Iterable[Pixels], count: int, progress: Progress) -> Iterator[Pixels]:
    """The same pictures, with a progress report now and then."""
    for number, picture in enumerate(pictures):
        if number % TOLD_EVERY == 0:
            progress(Note("drawing the film: picture {number} of {count}", number=number + 1, count=count))
        yield picture


def _animation(result: PipelineResult, options: ExportOptions, suffix: str) -> bytes:
    """The animation in a format; on the character if both have a skin."""
    path = f"{options.title}{suffix}"
    try:
        motion = result.motion
        if suffix == ".vmd":
            motion = _held_at(motion, VMD_FPS)
        clip: Motion | Keyed = motion
        if suffix in (".glb", ".gltf"):
            clip = _stepped(result)
        if result.character is not None and result.character.meshes and suffix in suffixes("write_character"):
            # On its own: the motions that came with the character are not part of this animation.
            return encoded(replace(result.character, motions={}), path, motions={options.title: clip})
        return encoded(clip, path)
    except OptionError as error:
        raise FormatError(path, problem=error.note) from None


def _stepped(result: PipelineResult) -> Motion | Keyed:
    """Stepped keys: a player that runs at 60 fps must not blend held drawings."""
    if result.timing is None:
        return result.motion
    starts = np.unique(np.concatenate([sheet.starts for sheet in result.sheets.values()]))
    return keyed(result.motion, starts)


def _held_at(motion: Motion, fps: float) -> Motion:
    """The drawing shown at each time of another frame rate; drawings are never blended."""
    ratio = rates.exact(motion.fps) / rates.exact(fps)
    count = int(len(motion) / ratio)
    frames = [min(int(n * ratio), len(motion) - 1) for n in range(max(count, 1))]
    return replace(motion.taken(frames), fps=fps)


def _can_load(library: str, notes: list[Note]) -> bool:
    """Whether a library can be loaded; if not, a note says what is missing and how to install it."""
    try:
        import_module(library)
    except ImportError:
        notes.append(MISSING[library])
        return False
    return True


def listed(also: str) -> tuple[str, ...]:
    """Suffixes from a list such as "bvh,vmd"; an OptionError for one that cannot be written.

    >>> listed("bvh, .VMD")
    ('.bvh', '.vmd')
    """
    known = dict.fromkeys([*suffixes("write"), *suffixes("write_character")])
    found = [f".{word.strip().lower().removeprefix('.')}" for word in also.split(",") if word.strip()]
    for suffix in found:
        if suffix not in known:
            names = ", ".join(name.removeprefix(".") for name in known)
            raise OptionError(
                "also", expected=Note("formats among {names}", names=names), found=Path(suffix).name.removeprefix(".")
            )
    return tuple(dict.fromkeys(suffix for suffix in found if suffix != ANIMATION))
