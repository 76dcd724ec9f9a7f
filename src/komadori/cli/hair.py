"""`komadori hair`: a character's hair set in motion, on its own or on top of a motion; and traces compared and fitted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from komadori.character import Character
from komadori.characters import CHARACTERS
from komadori.characters import character as built_in
from komadori.cli import inputs, outputs
from komadori.cli.options import chosen, settings
from komadori.cli.page import Argument, Command, Option
from komadori.cli.say import Say, print_json
from komadori.errors import FormatError, OptionError, quoted
from komadori.formats import encoded, load_character, suffixes
from komadori.methods.hair import Comparison, HairFit, HairOptions, HairResult, fit_hair, hair, load_trace
from komadori.methods.hair.options import LETTERS
from komadori.methods.retarget import retarget
from komadori.motion import Motion
from komadori.words import Note

FITTED = (*LETTERS.values(), "period")
"""What a fit finds that the wave is then made with, unless the call says otherwise."""


def run(
    say: Say,
    character: str,
    motion: str | None,
    output: str | None,
    wind: str | None,
    chains: tuple[str, ...],
    compare: str | None,
    fit: str | None,
    fps: float | None,
    keep_first: bool,
    unit: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Load, move, compare, write."""
    if output is None and compare is None and fit is None:
        raise click.UsageError(
            "say where the result goes: -o FILE (or compare with a trace: --compare FILE, --fit FILE)"
        )
    if output is not None:
        outputs.check_suffix("-o", output, sorted({*outputs.MOTION, *suffixes("write_character")}))
        named = [
            *([] if character in CHARACTERS else [character]),
            *inputs.files(motion or ""),
            compare or "",
            fit or "",
        ]
        outputs.check_paths([output], [name for name in named if name])
    if unit and motion is None:
        raise OptionError("--unit is for a motion's file: name it with --motion")
    air = None if wind is None else _vector(wind)
    with say.stage(Note("reading {path}", path=character)):
        body = who(character)
    fitted = None if fit is None else fit_hair(load_trace(fit), period=given.get("period"))
    if fitted is not None:
        given = {**given, **{name: getattr(fitted, name) for name in FITTED if given.get(name) is None}}
        if given.get("drawings") is not None:
            given["period"] = None
    trace = None if compare is None else load_trace(compare)
    clip = None if motion is None else _clip(say, motion, body, fps, keep_first, unit)
    rate = fps if clip is None else None
    options = chosen(HairOptions, given, motion=clip, wind=air, chains=chains or None, fps=rate)
    with say.stage(Note("moving the hair of {path}", path=character)):
        result = hair(body, **vars(options))
    compared = None if trace is None else result.compare(trace)
    if output is not None:
        name = inputs.stem(motion) if motion else "hair"
        outputs.write_all([(output, _encoded(result, name, output))])
    _tell(say, character, output, result, compared, fitted, as_json)


def who(given: str) -> Character:
    """The character that `given` names: a built-in one, or a file's."""
    if given in CHARACTERS:
        return built_in(given)
    suffix = Path(given).suffix.lower()
    known = suffixes("read_character")
    if suffix in known or not Path(given).exists():
        if not Path(given).exists():
            names = ", ".join(CHARACTERS)
            raise FormatError(given, expected=f"a character's file, or one of {names}", found="no such file")
        return load_character(given)
    found = quoted(suffix) if suffix else "no suffix"
    raise FormatError(given, expected=f"a character's file, with a name that ends in {', '.join(known)}", found=found)


def _clip(say: Say, given: str, body: Character, fps: float | None, keep_first: bool, unit: str | None) -> Motion:
    """The motion on the character, put onto it where it is another body's."""
    with say.stage(Note("reading {path}", path=given)):
        clip = inputs.motion(given, unit, fps)
        rate = fps or clip.fps
        inputs.check_length(given, clip, rate)
        clip = clip.prepared(fps=rate, keep_first=keep_first)
        if not len(clip):
            raise FormatError(given, expected="a motion with frames", found="none")
    if clip.skeleton.same_joints(body.skeleton):
        return clip
    with say.stage(Note("putting {count} frames onto {path}", count=len(clip), path=body.name)):
        return retarget(clip, body)


def _vector(text: str) -> tuple[float, ...]:
    """Three numbers with commas between them."""
    try:
        values = tuple(float(word) for word in text.split(","))
    except ValueError:
        values = ()
    if len(values) != 3:
        raise click.BadParameter(f"expected X,Y,Z in metres a second, found {quoted(text)}", param_hint="--wind")
    return values


def _encoded(result: HairResult, name: str, path: str) -> bytes:
    """The motion inside the character where the format has a skin, else on its own."""
    if Path(path).suffix.lower() in suffixes("write_character"):
        return encoded(replace(result.character, motions={name: result.motion}), path)
    return encoded(result.motion, path)


def _tell(
    say: Say,
    character: str,
    output: str | None,
    result: HairResult,
    compared: Comparison | None,
    fitted: HairFit | None,
    as_json: bool,
) -> None:
    checks = result.checks
    notes = (*result.motion.notes, *outputs.left_out(result.motion, output))
    wrong = [chain.name for chain in checks.chains if not chain.passed]
    if as_json:
        print_json(
            {
                "character": character,
                "fps": result.motion.fps,
                "frames": len(result.motion),
                "period_s": result.period_s,
                "drawings": result.drawings,
                "loop_s": result.loop_s,
                "chains": [
                    {
                        "name": c.name,
                        "kind": c.chain.kind,
                        **{key: getattr(c, key) for key in (*LETTERS.values(), "phase")},
                    }
                    for c in result.chains
                ],
                "checks": {"passed": checks.passed, "failed": wrong},
                "compare": None if compared is None else vars(compared),
                "fit": None if fitted is None else {**vars(fitted), "error": vars(fitted.error)},
                "notes": notes,
                "outputs": [] if output is None else [output],
            }
        )
        return
    count = len(result.chains)
    say.line(
        Note("{path}: {count} chain(s) move, {frames} frames", path=character, count=count, frames=len(result.motion))
    )
    rows: list[tuple[str, str]] = [
        (Note("cycle"), Note("{period:.4g} s, {drawings} drawings", period=result.period_s, drawings=result.drawings))
    ]
    if fitted is not None:
        values = {name: getattr(fitted, name) for name in FITTED}
        error = fitted.error
        text = (
            "wavelength {wavelength:.4g}, calm {calm:.4g}, stiffness {stiffness:.4g}, size {size:.4g}, "
            "period {period:.4g} s"
        )
        rows.append((Note("fitted"), Note(text, **values)))
        rows.append((Note("fit's error"), _error(error)))
    if compared is not None:
        rows.append((Note("off the trace"), _error(compared)))
    if wrong:
        rows.append((Note("check"), Note("not as the textbook draws it: {names}", names=", ".join(wrong[:6]))))
    rows += [(Note("note"), note) for note in notes]
    if output is not None:
        rows.append((Note("written"), output))
    say.rows(rows)


def _error(error: Comparison) -> Note:
    return Note(
        "{angle:.2f} degrees, {distance:.2f} % of the length", angle=error.angle_deg, distance=error.distance_percent
    )


command = Command(
    "hair",
    help="Hair, skirts, ribbons and tails that move as anime draws them: a wave of air from root to tip, which loops.\n\n"
    "Example: komadori hair girl --motion sample:walk --preset stream -o girl.glb",
    params=[
        Argument("character", "character's file (.vrm, .pmx, .glb), or girl, horse", metavar="CHARACTER"),
        Option(
            "--motion", metavar="IN", help="the body's motion: a file, or sample:walk; it is put onto the character"
        ),
        Option("-o", "--output", metavar="FILE", help="motion or character file to write"),
        Option("--wind", metavar="X,Y,Z", help="wind in the world, x, y, z in metres a second"),
        Option(
            "--chains",
            metavar="NAME",
            multiple=True,
            help="move these chains alone, by name or kind (hair, skirt, ribbon, tail, ear); can be given again",
        ),
        Option("--compare", metavar="FILE", help="trace of a drawn strand (.csv, .json) to compare the result with"),
        Option("--fit", metavar="FILE", help="trace of a drawn strand whose wave is found and used"),
        inputs.fps_option(),
        inputs.KEEP_FIRST,
        inputs.UNIT,
        *settings(HairOptions),
        inputs.AS_JSON,
    ],
    callback=click.pass_obj(run),
)
