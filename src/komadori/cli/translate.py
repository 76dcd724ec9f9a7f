"""`komadori translate`: fit a translator on clips (or read one), run it over another clip, and write what comes out."""

from __future__ import annotations

from typing import Any

import click

from komadori.cli import inputs, outputs
from komadori.cli.options import chosen, settings
from komadori.cli.page import Argument, Command, Option
from komadori.cli.say import Say, print_json
from komadori.errors import OptionError
from komadori.methods.translate import TranslateOptions, Translator, load_translator
from komadori.methods.translate.saving import to_json
from komadori.motion import Motion
from komadori.words import Note


def run(
    say: Say,
    clips: tuple[str, ...],
    output: str | None,
    train: tuple[str, ...],
    translator: str | None,
    save: str | None,
    inputs_: str,
    outputs_: str,
    loop: bool,
    fps: float,
    keep_first: bool,
    unit: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """Fit or read a translator, run it, write."""
    # What follows on --train up to the last file is learnt from as well: --train A B ... IN.
    train, source = (*train, *clips[:-1]), clips[-1]
    if (not train) == (translator is None):
        raise click.UsageError(
            "say what to learn from: --train A.bvh --train B.bvh, or a fitted one: --translator FILE"
        )
    if output is None and save is None:
        raise click.UsageError("say where the result goes: -o FILE, or --save FILE for the translator itself")
    if output:
        outputs.check_suffix("-o", output, outputs.MOTION)
    if save:
        outputs.check_suffix("--save", save, (".json",))
    sources = [
        *inputs.files(source),
        *(path for clip in train for path in inputs.files(clip)),
        *([translator] if translator else []),
    ]
    outputs.check_paths([path for path in (output, save) if path], sources)
    if translator is None:
        options = chosen(TranslateOptions, given)
        taught = []
        for path in train:
            with say.stage(Note("reading {path}", path=path)):
                taught.append(inputs.prepared(path, unit, fps, keep_first))
        with say.stage(Note("learning from {count} clips", count=len(taught))):
            made = _fitted(taught, inputs_, outputs_, options)
    else:
        made = load_translator(translator)
    with say.stage(Note("reading {path}", path=source)):
        clip = inputs.prepared(source, unit, made.fps, keep_first)
    result = made.run(clip, loop=loop)
    files = outputs.saved_file(result, output) if output else []
    if save:
        files.append((save, to_json(made)))
    outputs.write_all(files)
    told = (*made.notes, *result.notes, *outputs.left_out(result, output))
    _tell(say, as_json, made, result, made.outside(clip), told, [path for path, _ in files])


def _fitted(clips: list[Motion], inputs_: str, outputs_: str, options: TranslateOptions) -> Translator:
    return Translator.fit([(clip, clip) for clip in clips], _joints(inputs_), _joints(outputs_), **vars(options))


def _joints(given: str) -> str | tuple[str, ...]:
    """A group's word, or names with commas between them."""
    names = tuple(name.strip() for name in given.split(",") if name.strip())
    if not names:
        raise OptionError("name a group (legs, arms, hind legs, fore legs) or joints with commas between them")
    return names[0] if len(names) == 1 else names


def _tell(
    say: Say,
    as_json: bool,
    made: Translator,
    result: Motion,
    outside: Any,
    notes: tuple[Note, ...],
    files: list[str],
) -> None:
    report = made.report
    if as_json:
        print_json(
            {
                "chosen": report.chosen.told,
                "error_deg": report.error_deg,
                "tempo": made.manner.tempo,
                "caution": made.manner.caution,
                "candidates": [
                    {
                        "model": t.candidate.told,
                        "error_deg": t.error_deg,
                        "swing_ratio": t.swing,
                        "correlation": t.correlation,
                    }
                    for t in report.trials
                ],
                "order": report.order,
                "spectral_radius": report.radius,
                "frames": len(result),
                "fps": result.fps,
                "outside": outside.nonzero()[0],
                "notes": notes,
                "outputs": files,
            }
        )
        return
    rows: list[tuple[str, str]] = [
        (
            Note("length"),
            Note(
                "{count} frames at {fps:.6g} fps, {seconds:.2f} s",
                count=len(result),
                fps=result.fps,
                seconds=result.duration_s,
            ),
        )
    ]
    rows += [(Note("note"), note) for note in notes]
    rows += [(Note("written"), path) for path in files]
    say.rows(rows, indent=0)


command = Command(
    "translate",
    help="Translation: learn how one part of a body follows another (legs to arms), and let it drive new clips.\n\n"
    "Clips to learn from are of the same body as the input. The model is chosen on held-out clips and reported.\n\n"
    "Example: komadori translate --train walk1.bvh walk2.bvh --inputs legs --outputs arms slow.bvh -o out.bvh",
    params=[
        Argument(
            "clips",
            "file to read, or sample:walk; of several the last is the input, the others are learnt from",
            metavar="[TRAIN...] IN",
            nargs=-1,
        ),
        Option("-o", "--output", metavar="FILE", help="motion file to write, such as out.bvh"),
        Option("--train", metavar="IN", multiple=True, help="clip to learn from; may be repeated"),
        Option("--translator", metavar="FILE", help="a fitted translator (.json) instead of --train"),
        Option("--save", metavar="FILE", help="write the fitted translator to this file (.json)"),
        Option(
            "--inputs",
            "inputs_",
            metavar="JOINTS",
            default="legs",
            show_default=True,
            help="what drives: legs, arms, hind legs, fore legs, or joint names with commas",
        ),
        Option(
            "--outputs",
            "outputs_",
            metavar="JOINTS",
            default="arms",
            show_default=True,
            help="what is driven: legs, arms, hind legs, fore legs, or joint names with commas",
        ),
        Option("--loop", is_flag=True, help="the input plays over and over: make the result close"),
        inputs.fps_option(30.0),
        inputs.KEEP_FIRST,
        inputs.UNIT,
        *settings(TranslateOptions),
        inputs.AS_JSON,
    ],
    callback=click.pass_obj(run),
)
