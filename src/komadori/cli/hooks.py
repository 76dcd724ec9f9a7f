"""What a few commands have beyond their method's declaration: puppets made from clips, and clips to learn from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from komadori.character import Character
from komadori.characters import CHARACTERS
from komadori.characters.samples import sample
from komadori.cli import inputs, outputs
from komadori.cli.json_out import print_json
from komadori.cli.options import frames as frame_numbers
from komadori.cli.options import number_in
from komadori.cli.page import Argument, Option, Words
from komadori.cli.say import Say, note_rows
from komadori.errors import OptionError
from komadori.formats import encoded, load, suffixes
from komadori.methods.puppet import Puppet, PuppetResult, Take, keys_told, puppet_from, together
from komadori.methods.puppet.transfer import growth
from komadori.motion import Motion
from komadori.numerics.rbf import Kernel
from komadori.words import Note

NEW, DEMO = "new", "demo"
DEMO_FRAMES = (24, 30, 36, 42)
"""Of the sample walk: the left foot in front, under the body, behind, and passing."""
DEMO_SPEED, DEMO_SECONDS = 1.2, 4.0


@dataclass(frozen=True)
class Hook:
    """What a command adds to its method's declaration; every part is optional."""

    argument: Argument | None = None
    options: tuple[Option, ...] = ()
    examples: tuple[str, ...] = ()
    given: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    """What was typed, as the declaration expects it."""
    subject: Callable[[str, Mapping[str, Any], Any], Any] | None = None
    """How the subject is read, from its name, what else was typed, and the method's options."""
    instead: Callable[[Say, str | None, dict[str, Any]], bool] | None = None
    """Another job under the same command: does it and returns True if it was asked for."""
    more: Callable[[Any, str | None, Mapping[str, Any]], outputs.Files] | None = None
    """Files beside the result's own, of the result, the name of its file and what was typed."""


def _performed(given: dict[str, Any]) -> dict[str, Any]:
    """The demo walks by itself unless something else was asked for."""
    if given["cast"] and given["walk"] is not None:
        raise OptionError("--cast", problem=Note("a cast is performed with --path; --walk moves one puppet only"))
    given = {name: value for name, value in given.items() if name not in _MAKING}
    if given["input"] == DEMO and given["walk"] is None and given["path"] is None:
        given["walk"] = DEMO_SPEED
    if given["input"] == DEMO and given["seconds"] is None:
        given["seconds"] = DEMO_SECONDS
    if (given["path"] is None) == (given["walk"] is None):
        raise OptionError(
            Note("give a path for the handle: --path FILE (a .csv, a script or a motion), or --walk SPEED")
        )
    return given


def _puppet(name: str, given: Mapping[str, Any], options: Any) -> Puppet:
    return (
        puppet_from(sample("walk"), DEMO_FRAMES, "left_foot", ground=0.0) if name == DEMO else load(name, kind="puppet")
    )


def _made(say: Say, output: str | None, given: dict[str, Any]) -> bool:
    """`komadori puppet new`, and the demo as a puppet's file: keys from frames of a clip."""
    name, source, frames = given["input"], given["source"], given["frames"]
    if name != NEW and (source is not None or frames):
        raise OptionError(
            Note("--from and --frames make a puppet: komadori puppet new --from IN --frames 10,40,80 -o OUT")
        )
    if name != NEW and not (name == DEMO and output is not None and Path(output).suffix.lower() == ".json"):
        return False
    if output is None:
        raise OptionError(Note("name a file to write: -o FILE"))
    outputs.check_suffix("-o", output, (".json",))
    outputs.check_paths([output], inputs.files(source or ""))
    if name == DEMO:
        made = _puppet(DEMO, given, None)
    else:
        if source is None or not frames:
            raise OptionError(
                Note("name the clip and its frames: komadori puppet new --from IN --frames 10,40,80 -o OUT")
            )
        clip = inputs.motion(source, given["unit"])
        at = given["handle"] or ("left_foot" if given["ground"] is not None else "right_hand")
        rest = {key: given[key] for key in ("kernel", "polynomial", "ik", "ground")}
        made = puppet_from(clip, frames, at, **rest)
    if given["onto"] is not None:
        made = made.moved_to(inputs.motion(given["onto"], given["unit"]).skeleton)
    outputs.write_all([(output, encoded(made, output))])
    if given["as_json"]:
        print_json({**keys_told(made), "notes": made.notes, "outputs": [output]})
    else:
        rows: list[tuple[str, str]] = [(Note("keys"), str(len(made.keys)))]
        rows += note_rows(made.notes)
        say.rows([*rows, (Note("written"), output)], indent=0)
    return True


def _cast(result: PuppetResult, output: str | None, given: Mapping[str, Any]) -> outputs.Files:
    """The other characters on the same handle, a file each beside the first one's."""
    if not given["cast"]:
        return []
    if result.take is None:
        raise OptionError("--cast", problem=Note("a cast is performed with --path; --walk moves one puppet only"))
    if output is None:
        raise OptionError(Note("name a file to write: -o FILE"))
    bodies = [_member(name, result.puppet) for name in given["cast"]]
    puppets = [result.puppet, *(puppet for puppet, _, _ in bodies)]
    takes = [result.take, *(Take(grown * result.take.path, result.take.times) for _, _, grown in bodies)]
    _, *clips = together(puppets, takes, result.options.fps)
    files: outputs.Files = []
    first = Path(output)
    for number, (clip, (_, body, _)) in enumerate(zip(clips, bodies, strict=True)):
        path = str(first.with_name(f"{first.stem}-{number + 2}{first.suffix}"))
        outputs.check_paths([path], [file for name in given["cast"] for file in inputs.files(name)])
        whole = body is not None and first.suffix.lower() in suffixes("write_character")
        thing = replace(body, motions={first.stem: clip}) if body is not None and whole else clip
        files.append((path, encoded(thing, path)))
    return files


def _member(name: str, lead: Puppet) -> tuple[Puppet, Character | None, float]:
    """A puppet with keys of its own, or the first one's keys on another body, where its handle's path grows with them."""
    if Path(name).suffix.lower() == ".json":
        return load(name, kind="puppet"), None, 1.0
    if name in CHARACTERS or Path(name).suffix.lower() in suffixes("read_character"):
        body = inputs.character(name)
        moved = lead.moved_to(body.skeleton)
        return moved, body, growth(lead.keys, moved.keys)
    moved = lead.moved_to(inputs.motion(name, None).skeleton)
    return moved, None, growth(lead.keys, moved.keys)


_MAKING = ("cast", "source", "frames", "handle", "ground", "ik", "kernel", "polynomial")
_PUPPET = Hook(
    options=(
        Option("--from", "source", metavar="IN", help="new: the clip that the keys are taken from"),
        Option(
            "--cast",
            metavar="WHO",
            multiple=True,
            help="another character on the same handle (may be repeated): a puppet file, or a body to retarget the keys to; each is written next to the first (out-2.bvh)",
        ),
        Option("--frames", metavar="N,N...", type=frame_numbers, default=(), help="new: the frames that become keys"),
        Option(
            "--handle",
            metavar="NAME",
            help="new: joint or role at which keys are placed (right_hand; left_foot with --ground)",
        ),
        Option(
            "--ground",
            metavar="HEIGHT",
            type=number_in(float, -1e6, 1e6),
            help="new: height of the ground; the body travels while the handle touches it",
        ),
        Option("--ik", metavar="NAME", help="new: joint or role that is held at the handle"),
        Option(
            "--kernel",
            metavar="CHOICE",
            type=Words(get_args(Kernel)),
            limits=" | ".join(get_args(Kernel)),
            default="linear",
            show_default=True,
            help="new: how keys are blended",
        ),
        Option(
            "--polynomial/--no-polynomial",
            default=True,
            show_default=True,
            help="new: extrapolate beyond the keys",
        ),
    ),
    examples=(
        "Example: komadori puppet new --from sample:pitch --frames 20,50,70,90 -o pitch.json",
        "Example: komadori puppet dance.json --path dance.txt --cast girl --cast other.json -o dance.glb",
    ),
    given=_performed,
    subject=_puppet,
    instead=_made,
    more=_cast,
)


def _learning(given: dict[str, Any]) -> dict[str, Any]:
    """What follows on --train up to the last file is learnt from as well: --train A B ... IN."""
    *more, source = given.pop("input")
    train = (*given["train"], *more)
    if (not train) == (given["translator"] is None):
        raise OptionError(
            Note("give clips to train on: --train A.bvh --train B.bvh; or a trained translator: --translator FILE")
        )
    return {**given, "input": source, "train": train}


def _driving(name: str, given: Mapping[str, Any], options: Any) -> Motion:
    """The clip at the rate that the translator works at."""
    fps = given["fps"] if options.translator is None else options.translator.fps
    return inputs.prepared(name, given["unit"], fps, given["keep_first"])


HOOKS: Mapping[str, Hook] = {
    "puppet": _PUPPET,
    "translate": Hook(
        argument=Argument(
            "input",
            "file to read, or sample:walk; if several are given, the last is the input and the others are training clips",
            metavar="[TRAIN...] IN",
            nargs=-1,
        ),
        given=_learning,
        subject=_driving,
    ),
}
"""Method -> what its command has of its own."""
