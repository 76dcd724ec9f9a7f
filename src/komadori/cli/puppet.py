"""`komadori puppet`: a handle's path in, a motion out; keys from a clip; and a walk from four of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import click

from komadori.characters.samples import sample
from komadori.cli import inputs, outputs
from komadori.cli.options import frames as frame_numbers
from komadori.cli.options import number_in
from komadori.cli.page import Argument, Command, Option
from komadori.cli.say import Say, print_json
from komadori.errors import FormatError
from komadori.files import read_bytes
from komadori.formats import load, suffixes
from komadori.formats import take as takes
from komadori.methods.puppet import (
    Puppet,
    Take,
    following,
    puppet_from,
    spring,
    walking,
)
from komadori.methods.puppet.keys import joint_of
from komadori.motion import Motion
from komadori.numerics.rbf import Kernel
from komadori.words import Note

NEW, DEMO = "new", "demo"
DEMO_FRAMES = (24, 30, 36, 42)
"""Of the sample walk: the left foot in front, under the body, behind, and passing."""
DEMO_SPEED, DEMO_SECONDS = 1.2, 4.0
MOST_SECONDS = 36_000.0


def run(
    say: Say,
    puppet: str,
    output: str | None,
    path: str | None,
    joint: str,
    spring_hz: float | None,
    walk: float | None,
    seconds: float | None,
    onto: str | None,
    source: str | None,
    frames: tuple[int, ...],
    handle: str | None,
    ground: float | None,
    ik: str | None,
    kernel: Any,
    polynomial: bool,
    fps: float,
    unit: str | None,
    as_json: bool,
) -> None:
    """Make a puppet, or perform one."""
    if output is None:
        raise click.UsageError("say where the result goes: -o FILE")
    making = puppet == NEW or (puppet == DEMO and Path(output).suffix.lower() == ".json")
    outputs.check_suffix("-o", output, (".json",) if making else outputs.MOTION)
    outputs.check_paths([output], [*_files(puppet), *inputs.files(path or ""), *inputs.files(source or "")])
    if puppet != NEW and (source is not None or frames):
        raise click.UsageError(
            "--from and --frames make a puppet: komadori puppet new --from IN --frames 10,40,80 -o OUT"
        )
    if puppet == NEW:
        if source is None or not frames:
            raise click.UsageError(
                "name the clip and its frames: komadori puppet new --from IN --frames 10,40,80 -o OUT"
            )
        clip = inputs.motion(source, unit, None)
        at = handle or ("left_foot" if ground is not None else "right_hand")
        made = puppet_from(clip, frames, at, kernel=kernel, polynomial=polynomial, ik=ik, ground=ground)
    elif puppet == DEMO:
        made = puppet_from(sample("walk"), DEMO_FRAMES, "left_foot", ground=0.0)
        walk = DEMO_SPEED if walk is None and path is None else walk
        seconds = DEMO_SECONDS if seconds is None else seconds
    else:
        made = load(puppet, kind="puppet")
    if onto is not None:
        made = made.moved_to(inputs.motion(onto, unit).skeleton)
    if making:
        outputs.write_all(outputs.saved_file(made, output))
        _tell(say, as_json, made, None, output)
        return
    motion = _performed(say, made, path, joint, spring_hz, walk, seconds, fps)
    outputs.write_all(outputs.saved_file(motion, output))
    _tell(say, as_json, made, motion, output)


def _performed(
    say: Say,
    puppet: Puppet,
    path: str | None,
    joint: str,
    spring_hz: float | None,
    walk: float | None,
    seconds: float | None,
    fps: float,
) -> Motion:
    if (path is None) == (walk is None):
        raise click.UsageError("say what moves the handle: --path FILE (a .csv, a script or a motion), or --walk SPEED")
    if walk is not None:
        return walking(puppet, walk, DEMO_SECONDS if seconds is None else seconds, fps)
    assert path is not None
    with say.stage(Note("reading {path}", path=path)):
        take = _take(puppet, path, joint, seconds, fps)
    if spring_hz is not None:
        take = spring(take, fps, frequency=spring_hz)
    return puppet.perform(take, fps)


def _take(puppet: Puppet, path: str, joint: str, seconds: float | None, fps: float) -> Take:
    if path.startswith(inputs.PREFIX) or Path(path).suffix.lower() in suffixes("read"):
        clip = inputs.motion(path)
        if not len(clip):
            raise FormatError(path, expected="a motion with frames", found="none")
        take = following(clip, joint_of(clip.skeleton, joint), relative_to_root=puppet.ground is not None)
    elif Path(path).suffix.lower() == ".csv":
        take = takes.parse(read_bytes(path), path, fps)
    else:
        return load(path, kind="script").take(seconds, fps)
    return take if seconds is None else take.lasting(seconds)


def _files(puppet: str) -> list[str]:
    return [] if puppet in (NEW, DEMO) else [puppet]


def _tell(say: Say, as_json: bool, puppet: Puppet, motion: Motion | None, output: str) -> None:
    notes = puppet.notes if motion is None else (*motion.notes, *outputs.left_out(motion, output))
    if as_json:
        facts: dict[str, Any] = {
            "keys": [{"name": key.name, "position": key.position} for key in puppet.keys],
            "joints": len(puppet.skeleton),
            "kernel": puppet.kernel,
            "notes": notes,
            "outputs": [output],
        }
        if motion is not None:
            facts |= {"frames": len(motion), "fps": motion.fps}
        print_json(facts)
        return
    rows: list[tuple[str, str]] = [(Note("keys"), str(len(puppet.keys)))]
    if motion is not None:
        length = Note(
            "{count} frames at {fps:.6g} fps, {seconds:.2f} s",
            count=len(motion),
            fps=motion.fps,
            seconds=motion.duration_s,
        )
        rows.append((Note("length"), length))
    say.rows([*rows, *((Note("note"), note) for note in notes), (Note("written"), output)], indent=0)


command = Command(
    "puppet",
    help="Spatial keyframing: poses at places, and a handle that plays them; walks without foot slip.\n\n"
    "A puppet is a JSON file of keys. Make one from frames of a clip with `komadori puppet new`, and play it with a path of "
    "the handle: a table, a small script, or a joint of another clip. `komadori puppet demo` makes a walk from four poses.\n\n"
    "Example: komadori puppet new --from sample:pitch --frames 20,50,70,90 -o pitch.json\n\n"
    "Example: komadori puppet pitch.json --path throw.txt -o throw.bvh",
    params=[
        Argument("puppet", "puppet file to play (.json), or the word new or demo", metavar="PUPPET"),
        Option("-o", "--output", metavar="FILE", help="motion file to write, or for new the puppet file (.json)"),
        Option("--path", metavar="FILE", help="what moves the handle: .csv of x,y,z or t,x,y,z, a script, or a motion"),
        Option(
            "--joint",
            metavar="NAME",
            default="right_hand",
            show_default=True,
            help="joint or role of that motion to follow",
        ),
        Option(
            "--spring",
            "spring_hz",
            metavar="HZ",
            type=number_in(float, 0.01, 1000.0),
            help="hang the handle on a spring of so many swings a second that follows the path",
        ),
        Option(
            "--walk",
            metavar="SPEED",
            type=number_in(float, -100.0, 100.0),
            help="walk at this speed instead of a path, in metres a second; less than 0 is backwards",
        ),
        Option("--seconds", metavar="S", type=number_in(float, 0.001, MOST_SECONDS), help="length of the result"),
        Option("--onto", metavar="IN", help="move the puppet to the body in this motion file first"),
        Option("--from", "source", metavar="IN", help="new: the clip that the keys are taken from"),
        Option("--frames", metavar="N,N...", type=frame_numbers, default=(), help="new: the frames that become keys"),
        Option(
            "--handle",
            metavar="NAME",
            help="new: joint or role at which keys are placed (right_hand, on a ground left_foot)",
        ),
        Option(
            "--ground",
            metavar="HEIGHT",
            type=number_in(float, -1e6, 1e6),
            help="new: height of a ground, on which the body travels while the handle touches it",
        ),
        Option("--ik", metavar="NAME", help="new: joint or role that is held at the handle"),
        Option(
            "--kernel",
            metavar="CHOICE",
            type=click.Choice(get_args(Kernel)),
            limits=" | ".join(get_args(Kernel)),
            default="linear",
            show_default=True,
            help="new: how keys are blended",
        ),
        Option(
            "--polynomial/--no-polynomial",
            default=True,
            show_default=True,
            help="new: go on beyond the keys as between them",
        ),
        inputs.fps_option(24.0),
        inputs.UNIT,
        inputs.AS_JSON,
    ],
    callback=click.pass_obj(run),
)
