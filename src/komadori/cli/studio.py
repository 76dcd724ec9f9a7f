"""`komadori studio`: the page for working by hand, served on this machine only."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

from komadori.cli.options import number_in
from komadori.cli.page import Argument, Command, Option
from komadori.cli.say import Say
from komadori.errors import OptionError
from komadori.words import Note


def run(say: Say, files: tuple[str, ...], port: int, project: str | None, browser: bool, fragment: str = "") -> None:
    """Open the studio and serve it until interrupted; the `fragment` of its address says what the page starts with."""
    behind = f"#{fragment}" if fragment else ""
    try:
        from komadori.studio.serving import opened, serve
    except ModuleNotFoundError as error:
        raise OptionError(
            Note(
                "the studio needs {library}, which is not installed: pip install 'komadori[studio]'", library=error.name
            )
        ) from None
    studio = opened([Path(file) for file in files], None if project is None else Path(project), port)

    def ready() -> None:
        say.line(Note("The studio is open at {address}", address=studio.address + behind))
        say.line(
            Note("Your work is saved in {folder} as you go. Ctrl+C closes the studio.", folder=str(studio.save.folder))
        )
        if browser:
            webbrowser.open(studio.entrance + behind)

    serve(studio, ready)


command = Command(
    "studio",
    help="The studio: work interactively in your browser, on this machine.\n\n" "It listens only on 127.0.0.1, and its address carries a token.\n\n" "Example: komadori studio walk.bvh girl.vrm",
    params=[
        Argument("files", "motions and characters to open", metavar="[FILES]...", nargs=-1, required=False),
        Option("--port", type=number_in(int, 0, 65535), metavar="N", default=0, help="port to listen on (any free one if not given)"),
        Option("--project", metavar="DIR", help="project folder (one in your data folder if not given)"),
        Option("--browser/--no-browser", default=True, help="open the page in your browser"),
    ],
    callback=click.pass_obj(run),
)  # fmt: skip
