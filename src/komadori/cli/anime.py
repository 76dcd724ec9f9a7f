"""`komadori anime`: from a motion to everything that a director and an animator need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import click

from komadori.anime.files import FILMS, ExportOptions, Made, files_of, listed, names_of
from komadori.anime.report import numbers
from komadori.camera import Camera
from komadori.characters import CHARACTERS
from komadori.cli import inputs, outputs
from komadori.cli.json_out import print_json
from komadori.cli.page import Argument, Command, Option, Words
from komadori.cli.render import CAMERA, NO_FACE, STYLE, camera_from, drawn_on, size_in_pixels
from komadori.cli.say import Say, length, note_rows
from komadori.errors import FormatError, OptionError, OutputError, unquoted
from komadori.feet import Slip
from komadori.formats import load
from komadori.methods.limited import LimitedResult
from komadori.pipeline import LOOKS, PipelineResult, Recipe, look
from komadori.render.shot import CAMERAS
from komadori.words import Note

DEMO, DEMO_CHARACTER = "sample:pitch", "girl"
"""What is shown if nothing is named."""


def run(
    say: Say,
    input: str | None,
    character: str | None,
    look: str,
    output: str,
    also: str,
    camera: str,
    style: str,
    size: tuple[int, int],
    film: str,
    no_face: bool,
    unit: str | None,
    as_json: bool,
) -> None:
    """Load, run the recipe, make every file, write them all."""
    given, character = (DEMO, character or DEMO_CHARACTER) if input is None else (input, character)
    if size[0] % 2 or size[1] % 2:
        raise OptionError(
            "--size",
            expected=Note("an even width and height, as a video needs"),
            found=unquoted(f"{size[0]}x{size[1]}"),
        )
    seen_by = camera if camera in CAMERAS else camera_from(camera)
    recipe = _recipe(look)
    options = ExportOptions(inputs.stem(given), _also(also), seen_by, style, size, say.language, not no_face, film)
    named = [path for path in (character, look) if path and path not in (*CHARACTERS, *LOOKS)]
    _check_folder(output, options, [*inputs.files(given), *named])
    with _stages(say) as stage:
        stage(Note("reading {path}", path=given))
        motion = inputs.motion(given, unit)
        if not len(motion):
            raise FormatError(given, problem=Note("the motion has no frames"))
        inputs.check_length(given, motion, _rate(recipe))
        body = drawn_on(given, character, motion)
        shot = seen_by if isinstance(seen_by, Camera) else None
        result = recipe.run(motion, body, camera=shot, progress=lambda note, number, count: stage(note))
        made = files_of(result, options, stage)
        files = [(str(Path(output) / name), data) for name, data in made.files.items()]
        # The report comes last, so that every file it mentions exists.
        outputs.write_all([*files[1:], files[0]])
    written = [path for path, _ in files]
    if as_json:
        print_json(_summary(result, made, given, character, written))
    else:
        _tell(say, result, made, given, written)


def _recipe(given: str) -> Recipe:
    """A built-in look, or the recipe in a file."""
    if given in LOOKS:
        return look(given)
    if not Path(given).suffix and not Path(given).exists():
        raise OptionError(
            "--look", expected=Note("one of {words}, or a recipe's .toml file", words=", ".join(LOOKS)), found=given
        )
    return load(given, kind="recipe")


def _also(given: str) -> tuple[str, ...]:
    try:
        return listed(given)
    except OptionError as error:
        raise error.named("--also") from None


def _rate(recipe: Recipe) -> float:
    prepare = next((step for step in recipe.steps if step.use == "prepare"), None)
    return 24.0 if prepare is None else float(prepare.options().fps)


def _check_folder(output: str, options: ExportOptions, given: list[str]) -> None:
    """Errors reported before the work starts: a file where the folder should be, or an input that would be overwritten."""
    if Path(output).exists() and not Path(output).is_dir():
        raise OutputError(output, Note("this is a file; name a folder"))
    outputs.check_paths([str(Path(output) / name) for name in names_of(options)], given)


@contextmanager
def _stages(say: Say) -> Iterator[Callable[[Note], None]]:
    """Stages one after the other: naming the next one ends the one before."""
    with ExitStack() as now:

        def stage(words: Note) -> None:
            now.close()
            now.enter_context(say.stage(words))

        yield stage


def _summary(result: PipelineResult, made: Made, input: str, character: str | None, files: list[str]) -> dict[str, Any]:
    """The result for programs."""
    timing = result.timing
    limited = timing if isinstance(timing, LimitedResult) else None
    return {
        "input": input,
        "character": character,
        "look": result.recipe.name,
        "recipe": result.recipe.toml(),
        "fps": result.motion.fps,
        "frames": len(result.motion),
        "source_frames": len(result.original),
        "drawings": result.drawings,
        "sheets": {name: sheet.source for name, sheet in result.sheets.items()},
        "omitted": limited.omitted if limited else 0,
        "omitted_frames": limited.omitted_frames if limited else [],
        "held": limited.held if limited else 0,
        "error": limited.error if limited else None,
        "ratio": limited.quick_ratio if limited else None,
        "foot_slip_before": _slip(result.slip_before),
        "foot_slip_after": _slip(result.slip_after),
        "notes": (*result.notes, *made.notes),
        "outputs": files,
    }


def _slip(slip: Slip) -> dict[str, float]:
    return {"mean_cm": 100.0 * slip.per_frame, "max_cm": 100.0 * slip.largest, "steps": slip.steps}


def _tell(say: Say, result: PipelineResult, made: Made, input: str, files: list[str]) -> None:
    """The result for people."""
    say.line(Note("{path}: finished, look {name}", path=input, name=result.recipe.name))
    rows: list[tuple[str, str]] = [length(len(result.motion), result.motion.fps), *numbers(result)]
    rows += note_rows((*result.notes, *made.notes))
    say.rows([*rows, *((Note("written"), path) for path in files)])


command = Command(
    "anime",
    help="Motion in, anime out: make the animation, its timesheet, a film, a poster and a report.\n\n"
    "Without a motion, it uses the built-in pitch and the built-in girl.\n\n"
    "Example: komadori anime walk.bvh --character girl --look film -o out",
    params=[
        Argument(
            "input",
            "file with the motion, FILE#CLIP for one of several in it, or sample:kick for a built-in one",
            metavar="[IN]",
            required=False,
        ),
        Option(
            "--character",
            metavar="CHARACTER",
            help="character file, or a built-in one: mannequin, girl, horse (if not given: the motion file's own, or a skeleton)",
        ),
        Option(
            "--look",
            metavar="LOOK",
            default=LOOKS[0],
            show_default=True,
            limits=" | ".join(LOOKS),
            help="style of movement, or the .toml file of a recipe (see: komadori looks)",
        ),
        Option(
            "-o",
            "--output",
            metavar="FOLDER",
            default="out",
            show_default=True,
            help="folder for the files; existing files of the same names are replaced",
        ),
        Option(
            "--also",
            metavar="LIST",
            default="",
            help="more formats for the animation besides .glb, such as bvh,vmd,vrma",
        ),
        CAMERA,
        STYLE,
        Option(
            "--size",
            type=size_in_pixels,
            metavar="WxH",
            default="480x480",
            show_default=True,
            help="width and height of each half of the film in pixels",
        ),
        Option(
            "--film",
            type=Words(FILMS),
            metavar="CHOICE",
            limits=" | ".join(FILMS),
            default=FILMS[0],
            show_default=True,
            help="mp4 (H.264) opens in every editor; webm (VP9) is encoded without GPL code",
        ),
        NO_FACE,
        inputs.UNIT,
        inputs.AS_JSON,
    ],
    callback=click.pass_obj(run),
)
