"""Every file of a finished animation, complete in memory; what a missing library cannot make is told, not fatal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path

import numpy as np

from komadori import rates
from komadori.anime.pair import pair_of
from komadori.anime.poster import poster
from komadori.anime.report import page
from komadori.camera import Camera
from komadori.errors import FormatError, OptionError
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
"""Pictures between two words on how far the film is."""
MISSING = {
    "reportlab": Note("the printed timesheet needs ReportLab: pip install 'komadori[video]'"),
    "PIL": Note("film and poster need Pillow: pip install 'komadori[video]'"),
    "av": Note("the film needs PyAV: pip install 'komadori[video]'"),
}


@dataclass(frozen=True)
class ExportOptions:
    """How the files of an animation are made: `also` are more formats by suffix, `size` is that of one side of the film."""

    title: str
    also: tuple[str, ...] = ()
    camera: str | Camera = "three-quarter"
    style: str = "toon"
    size: tuple[int, int] = (480, 480)
    language: str = "en"
    face: bool = True
    """Whether eyes blink and lead the head's turns in film and poster."""


@dataclass(frozen=True, eq=False)
class Made:
    """File name -> bytes, in the order in which a reader wants them; and what could not be made."""

    files: Mapping[str, bytes] = field(repr=False)
    notes: tuple[Note, ...] = ()


Progress = Callable[[Note], None]


def names_of(options: ExportOptions) -> list[str]:
    """The names that `files_of` may give, whether or not every library is there."""
    animations = [f"{options.title}{suffix}" for suffix in dict.fromkeys([ANIMATION, *options.also])]
    return [
        "report.html",
        *animations,
        f"{options.title}.xdts",
        f"{options.title}.pdf",
        f"{options.title}.mp4",
        "poster.png",
    ]


def files_of(result: PipelineResult, options: ExportOptions, progress: Progress = lambda note: None) -> Made:
    """The animation of `result` in every form: GLB and `also`, XDTS, PDF, MP4, a poster, and a page that shows them."""
    notes: list[Note] = []
    progress(Note("writing the animation and its sheet"))
    files = {f"{options.title}{ANIMATION}": _animation(result, options, ANIMATION)}
    for suffix in options.also:
        try:
            files[f"{options.title}{suffix}"] = _animation(result, options, suffix)
        except FormatError as error:
            # One file that cannot be made must not cost the others.
            notes.append(Note("Could not write {name}: {why}", name=f"{options.title}{suffix}", why=error.note))
    files[f"{options.title}.xdts"] = encoded(dict(result.sheets), "sheet.xdts")
    sheet = printed_sheet(result.sheets, title=options.title, language=options.language)
    if _can_load("reportlab", notes):
        files[f"{options.title}.pdf"] = next(iter(drawing.encoded(sheet, "sheet.pdf").values()))
    video = picture = None
    if _can_load("PIL", notes):
        # Beside the film, which has two threads of its own but is not always busy.
        with ThreadPoolExecutor(1) as pool:
            drawn = pool.submit(_poster_picture, result, options)
            if _can_load("av", notes):
                video = files[f"{options.title}.mp4"] = _film_video(result, options, progress)
            progress(Note("drawing the poster"))
            picture = files["poster.png"] = drawn.result()
    progress(Note("writing the report"))
    told = replace(result, notes=(*result.notes, *notes))
    text = page(told, options.title, list(files), sheet, video, picture, options.language)
    return Made({"report.html": text.encode("utf-8", "replace"), **files}, tuple(notes))


def _poster_picture(result: PipelineResult, options: ExportOptions) -> bytes:
    view = options.camera if isinstance(options.camera, str) and options.camera in VIEWS else "three-quarter"
    made = poster(
        result, title=options.title, view=view, style=options.style, language=options.language, face=options.face
    )
    return film.png(made)


def _film_video(result: PipelineResult, options: ExportOptions, progress: Progress) -> bytes:
    pair = pair_of(result, options.camera, options.style, options.size, face=options.face)
    right = Note("look: {name}", name=result.recipe.name or "-")
    pictures = pair.pictures(Note("captured"), right, options.language)
    return film.video(_counted(pictures, len(pair.before), progress), pair.before.fps)


def _counted(pictures: Iterable[Pixels], count: int, progress: Progress) -> Iterator[Pixels]:
    """The same pictures, with a word now and then on how far they are."""
    for number, picture in enumerate(pictures):
        if number % TOLD_EVERY == 0:
            progress(Note("drawing the film: picture {number} of {count}", number=number + 1, count=count))
        yield picture


def _animation(result: PipelineResult, options: ExportOptions, suffix: str) -> bytes:
    """The animation in a format; on the character where both have a skin."""
    path = f"{options.title}{suffix}"
    try:
        motion = result.motion
        if suffix == ".vmd":
            motion = _held_at(motion, VMD_FPS)
        clip: Motion | Keyed = motion
        if suffix in (".glb", ".gltf"):
            clip = _stepped(result)
        if result.character is not None and result.character.meshes and suffix in suffixes("write_character"):
            # Alone: the motions that came with the character are not this animation.
            return encoded(replace(result.character, motions={}), path, motions={options.title: clip})
        return encoded(clip, path)
    except OptionError as error:
        raise FormatError(path, expected=Note("an animation that this format can hold"), found=error.note) from None


def _stepped(result: PipelineResult) -> Motion | Keyed:
    """Keys that switch from drawing to drawing: a player that runs at 60 must not blend what is held."""
    if result.timing is None:
        return result.motion
    starts = np.unique(np.concatenate([sheet.starts for sheet in result.sheets.values()]))
    return keyed(result.motion, starts)


def _held_at(motion: Motion, fps: float) -> Motion:
    """What is on show at the times of another frame rate: no drawing is blended with the next."""
    ratio = rates.exact(motion.fps) / rates.exact(fps)
    count = int(len(motion) / ratio)
    frames = [min(int(n * ratio), len(motion) - 1) for n in range(max(count, 1))]
    return replace(motion.taken(frames), fps=fps)


def _can_load(library: str, notes: list[Note]) -> bool:
    """Whether a library can be loaded; where not, a note says what is missing and how to get it."""
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
