"""`komadori live`: from a performer to limited animation, until Ctrl+C; then the recording is written."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any
from urllib.parse import urlencode

import click

from komadori.characters import CHARACTERS
from komadori.characters import character as built_in
from komadori.cli.options import number_in, settings
from komadori.cli.outputs import check_paths, check_suffix
from komadori.cli.page import Command, Option, Words
from komadori.cli.say import Say
from komadori.errors import OptionError
from komadori.formats import SAMPLE, load_character
from komadori.live import LiveOptions, Loop, Recording, Session, Status, VmcSink, opened, places
from komadori.live.body import four_legged
from komadori.live.sinks import Sink
from komadori.pipeline import LOOKS, look
from komadori.words import Note

RECORDED = (".bvh", ".glb", ".vmd", ".vrma")
WIDTH = 100


def run(
    say: Say,
    source: str,
    targets: tuple[str, ...],
    character: str,
    look_name: str | None,
    record: str | None,
    loop: bool,
    seconds: float | None,
    **given: Any,
) -> None:
    """Open everything, run until the end, and write what was recorded."""
    came_from = places.source(source)
    goes_to = [places.target(each) for each in targets]
    if record is not None:
        check_suffix("--record", record, RECORDED)
        check_paths([record], [came_from.file])
    if not goes_to and record is None:
        raise OptionError(Note("give an output: --to vmc:39540, --to studio or --record take.glb"))
    chosen = {name: value for name, value in given.items() if value is not None}
    options = LiveOptions(**chosen) if look_name is None else LiveOptions.of_look(look(look_name), **chosen)
    body = built_in(character) if character in CHARACTERS else load_character(character)
    if any(place.kind == "studio" for place in goes_to):
        if len(goes_to) > 1 or record is not None or seconds is not None:
            raise OptionError(
                Note("the studio itself shows and records: remove every other --to, --record and --seconds")
            )
        _in_the_studio(say, came_from, source, character, options)
        return
    if any(place.kind == "vmc" for place in goes_to) and four_legged(body):
        raise OptionError(
            "--to",
            problem=Note("VMC carries only a person's bones; for an animal, use --to studio or --record alone"),
        )
    session = Session(body, options)
    with contextlib.ExitStack() as held:
        heard = opened(came_from, body, loop=loop)
        held.callback(heard.close)
        sinks: list[Sink] = [VmcSink(place, session.body, options.fps) for place in goes_to]
        take = Recording(body, options.fps) if record is not None else None
        if take is not None:
            sinks.append(take)
        for sink in sinks:
            held.callback(sink.close)
        running = Loop(session, heard, sinks, told=_teller(say))
        say.line(Note("Live from {source}; Ctrl+C ends it.", source=source))
        with _until_interrupted() as stopped:
            running.run(seconds, stopped)
        _end_line()
        say.line(running.status().line())
        if take is not None and record is not None:
            _saved(say, take, record)


def _saved(say: Say, take: Recording, record: str) -> None:
    for path in take.saved(record):
        say.line(Note("wrote {path}", path=path))
    if not len(take):
        say.line(Note("Nothing was recorded, because no packets came."))


def _in_the_studio(say: Say, came_from: places.Place, source: str, character: str, options: LiveOptions) -> None:
    """Open the studio with the source running: its page reads what to start from its own address."""
    from komadori.cli import studio

    # A file is opened in the studio as any other; the page then plays what is open.
    files = [] if character in CHARACTERS else [character]
    asked = {"live": source, "look_ahead": options.look_ahead, "max_exposures": options.max_exposures}
    if came_from.kind == "file" and not came_from.file.startswith(SAMPLE):
        files.append(came_from.file)
        asked["live"] = "file:scene"
    if character in CHARACTERS:
        asked["character"] = f"character:{character}"
    if options.hold_share is not None:
        asked["hold_share"] = options.hold_share
    studio.run(say, tuple(files), 0, None, browser=True, fragment=urlencode(asked))


def _teller(say: Say) -> Callable[[Status], None]:
    """Rewrites the status line on a terminal; elsewhere it would only fill a log."""

    def told(status: Status) -> None:
        if sys.stderr.isatty():
            sys.stderr.write("\r" + say.text(status.line())[:WIDTH].ljust(WIDTH))
            sys.stderr.flush()

    return told


def _end_line() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\n")


@contextlib.contextmanager
def _until_interrupted() -> Iterator[Callable[[], bool]]:
    """Ctrl+C ends the loop after the frame at hand; a second one is an ordinary interruption."""
    asked: list[int] = []

    def ask(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        for each, before in kept.items():
            signal.signal(each, before)

    kept = {each: signal.signal(each, ask) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(asked)
    finally:
        for each, before in kept.items():
            signal.signal(each, before)


command = Command(
    "live",
    help="Live: turn a performer's motion into limited animation as it arrives.\n\n" "It listens only on this machine (127.0.0.1) unless you give another address, as in vmc:0.0.0.0:39539. The delay is the look-ahead: 3 frames are an eighth of a second.\n\n" "Example: komadori live --from vmc:39539 --to vmc:39540 --character girl.vrm --look tv --record take.glb",
    params=[
        Option("--from", "source", metavar="SOURCE", required=True, help="vmc:39539, mocopi:12351, or file:FILE to play a file as if it were live (file:sample:pitch)"),
        Option("--to", "targets", metavar="TARGET", multiple=True, help="vmc:39540, vmc:HOST:PORT or studio; may be given more than once"),
        Option("--character", metavar="NAME|FILE", default="girl", help="character that performs: girl, mannequin, horse, or a file (.vrm, .glb, .pmx); an animal on four legs is acted by the performer"),
        Option("--look", "look_name", metavar="|".join(LOOKS), type=Words(list(LOOKS)), help="look that sets holds, omissions and hair"),
        Option("--record", metavar="FILE", help="record the result to this file (.bvh .glb .vmd .vrma), with its timesheet (.xdts) beside it"),
        *settings(LiveOptions, undecided=True),
        Option("--loop", is_flag=True, help="repeat the file"),
        Option("--seconds", type=number_in(float, 0.0, 1e6), metavar="S", help="stop after this many seconds"),
    ],
    callback=click.pass_obj(run),
)  # fmt: skip
