"""`komadori render`: a motion as pictures: a film, a GIF, or the drawings side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import numpy as np

from komadori.camera import Camera
from komadori.character import Character
from komadori.characters import CHARACTERS
from komadori.cli import inputs, outputs
from komadori.cli.json_out import print_json
from komadori.cli.options import number_in, unlike
from komadori.cli.page import Command, Option, Words
from komadori.cli.say import Say, note_rows
from komadori.errors import FormatError, OptionError, unquoted
from komadori.files import check_writable
from komadori.formats import load, load_character, suffixes
from komadori.methods.retarget import retarget
from komadori.motion import Motion
from komadori.render import film
from komadori.render.shot import CAMERAS, LARGEST, MOST_GHOSTS, SMALLEST, Shot, drawings_of, shot_of
from komadori.render.toon import STYLES, Pixels
from komadori.words import Note

MOST_PNG = 10_000
_NUMBERED = re.compile(r"%(0[1-9])?d")


def run(
    say: Say,
    input: str,
    output: str,
    character: str | None,
    camera: str,
    style: str,
    size: tuple[int, int],
    onion: int,
    sheet: bool,
    no_face: bool,
    fps: float,
    keep_first: bool,
    unit: str | None,
    as_json: bool,
) -> None:
    """Load, put the motion onto the character, draw every picture once, write."""
    outputs.check_suffix("-o", output, film.SUFFIXES)
    suffix = Path(output).suffix.lower()
    _check_size(suffix, size)
    given = [] if character is None or character in CHARACTERS else [character]
    if sheet and suffix == ".png" and not _NUMBERED.search(Path(output).name):
        raise OptionError(
            "--sheet",
            expected=Note("a film to run below"),
            found=output,
            advice=Note("write .mp4, .webm, .gif, or one file per frame (name-%04d.png)"),
        )
    outputs.check_paths([output], [*inputs.files(input), *given])
    check_writable(output)
    seen_by = camera if camera in CAMERAS else camera_from(camera)
    with say.stage(Note("reading {path}", path=input)):
        clip = inputs.prepared(input, unit, fps, keep_first)
        body = drawn_on(input, character, clip)
    if character is not None and body is not None:
        with say.stage(Note("retargeting {count} frames to {path}", count=len(clip), path=character)):
            # Planting feet may move a held frame very slightly: it must still be one drawing.
            clip = retarget(clip, body).motion.taken(drawings_of(clip).source)
    shot = shot_of(clip, body, camera=seen_by, style=style, size=size, onion=onion, face=not no_face)
    files = _files(say, shot, output, suffix, sheet)
    outputs.check_paths([path for path, _ in files], inputs.files(input))
    outputs.write_all(files)
    written = [path for path, _ in files]
    notes = (*clip.notes, *(() if body is None else body.notes))
    if as_json:
        told = {"input": input, "character": character, "frames": len(shot), "fps": shot.fps, "size": list(size)}
        more = {"drawings": len(shot.sheet.drawings), "notes": notes, "outputs": written}
        print_json({**told, **more})
        return
    say.line(Note("{path}: drawn", path=input))
    length = Note(
        "{count:frame|frames} at {fps:.6g} fps, {seconds:.2f} s",
        count=len(shot),
        fps=shot.fps,
        seconds=len(shot) / shot.fps,
    )
    rows: list[tuple[str, str]] = [
        (Note("length"), length),
        (Note("drawn"), Note("{count:drawing|drawings}", count=len(shot.sheet.drawings))),
    ]
    rows += note_rows(notes)
    say.rows([*rows, (Note("written"), written[0] if len(written) == 1 else f"{written[0]} ... {written[-1]}")])


def _files(say: Say, shot: Shot, path: str, suffix: str, sheet: bool) -> outputs.Files:
    """The film, or the picture, or one picture per frame if the name has a placeholder for a number."""
    numbered = _NUMBERED.search(Path(path).name)
    if suffix == ".png" and not numbered:
        with say.stage(Note("drawing {count} pictures", count=len(shot.sheet.runs()))):
            return [(path, film.png(film.poster(shot)))]
    total = len(shot)
    pictures: Iterator[Pixels] = say.counted(
        shot.pictures(), lambda done: Note("drawing picture {done} of {count}", done=done, count=total)
    )
    if sheet:
        pictures = film.with_sheet(pictures, shot.sheet)
    if suffix == ".png" and numbered:
        if len(shot) > MOST_PNG:
            raise OptionError(
                "-o",
                expected=Note("at most {most:,} pictures", most=MOST_PNG),
                found=len(shot),
                advice=Note("cut the motion, or write .mp4"),
            )
        name = Path(path).name
        places = [str(Path(path).with_name(name.replace(numbered[0], numbered[0] % n, 1))) for n in range(len(shot))]
        return [(place, film.png(picture)) for place, picture in zip(places, pictures, strict=True)]
    data = film.gif(pictures, shot.fps) if suffix == ".gif" else film.video(pictures, shot.fps, suffix[1:])
    return [(path, data)]


def drawn_on(input: str, given: str | None, clip: Motion) -> Character | None:
    """The character that was asked for, else the one that the motion's own file has, else none."""
    if given is not None:
        found = inputs.character(given)
        if not found.meshes:
            known = ", ".join(CHARACTERS)
            expected = Note("a character with a skin, or one of {names}", names=known)
            raise FormatError(given, expected=expected, found=Note("only a skeleton"))
        return found
    own_file = next((path for path in inputs.files(input) if _has_skin(path)), None)
    if own_file is None:
        return None
    own = load_character(own_file)
    fits = len(own.skeleton) == len(clip.skeleton) and np.array_equal(own.skeleton.parents, clip.skeleton.parents)
    return own if own.meshes and fits else None


def _has_skin(path: str) -> bool:
    return Path(path).suffix.lower() in suffixes("read_character")


def camera_from(path: str) -> Camera:
    """The camera in the file at `path`."""
    if not Path(path).suffix and not Path(path).exists():
        raise OptionError(
            "--camera", expected=Note("one of {words}, or a camera's file", words=", ".join(CAMERAS)), found=path
        )
    return load(path, kind="camera")


def _check_size(suffix: str, size: tuple[int, int]) -> None:
    if suffix in (".mp4", ".webm") and (size[0] % 2 or size[1] % 2):
        raise OptionError(
            "--size",
            expected=Note("an even width and height, as a video needs"),
            found=unquoted(f"{size[0]}x{size[1]}"),
        )


def size_in_pixels(value: str | tuple[int, int]) -> tuple[int, int]:
    """Width and height.

    >>> size_in_pixels("640x360")
    (640, 360)
    """
    if isinstance(value, tuple):
        return value
    found = re.fullmatch(r"([0-9]{1,5})[xX×]([0-9]{1,5})", value.strip())
    sides = (int(found[1]), int(found[2])) if found else (0, 0)
    if not all(SMALLEST <= side <= LARGEST for side in sides):
        wanted = Note("a size such as 640x360, {low} to {high}", low=SMALLEST, high=LARGEST)
        raise click.BadParameter(unlike(wanted, value))
    return sides


NO_FACE = Option(
    "--no-face", is_flag=True, help="do not animate the eyes: no blinking, no eye movement ahead of head turns"
)
CAMERA = Option(
    "--camera",
    metavar="CHOICE",
    default="three-quarter",
    show_default=True,
    limits=" | ".join(CAMERAS),
    help="camera view, or a JSON file with a camera",
)
STYLE = Option(
    "--style",
    type=Words(STYLES),
    metavar="CHOICE",
    limits=" | ".join(STYLES),
    default="toon",
    show_default=True,
    help="flat colours and ink, ink only, or plain clay without lines",
)


command = Command(
    "render",
    help="Pictures: draw a motion as a film, a GIF or a poster, on a character or as a skeleton.\n\n"
    "Flat tones, ink lines and a shadow. A held drawing is drawn once; the camera moves on ones.\n\n"
    "Example: komadori render walk.bvh --character girl -o walk.mp4",
    params=[
        inputs.INPUT,
        Option(
            "-o",
            "--output",
            metavar="FILE",
            required=True,
            help="film to write: .mp4 .webm .gif; .png for all drawings side by side, or one file per frame: walk-%04d.png",
        ),
        Option(
            "--character",
            metavar="CHARACTER",
            help="character to draw: a file, or a built-in one: mannequin, girl, horse (if not given: the motion file's own, or a skeleton)",
        ),
        CAMERA,
        STYLE,
        Option(
            "--size",
            type=size_in_pixels,
            metavar="WxH",
            default="640x360",
            show_default=True,
            help="width and height of a picture in pixels",
        ),
        Option(
            "--onion",
            type=number_in(int, 0, MOST_GHOSTS),
            metavar="N",
            default=0,
            show_default=True,
            limits=Note("{low:g} to {high:g}", low=0, high=MOST_GHOSTS),
            help="number of earlier drawings to show through (onion skin)",
        ),
        Option("--sheet", is_flag=True, help="show the timesheet below the picture"),
        NO_FACE,
        inputs.fps_option(24.0),
        inputs.KEEP_FIRST,
        inputs.UNIT,
        inputs.AS_JSON,
    ],
    callback=click.pass_obj(run),
)
