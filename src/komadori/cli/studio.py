"""`komadori studio`: the page in which everything is done by hand, served on this machine alone."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

from komadori.cli.options import number_in
from komadori.cli.page import Argument, Command, Option
from komadori.cli.say import Say
from komadori.errors import OptionError
from komadori.words import Note


def run(say: Say, files: tuple[str, ...], port: int, project: str | None, browser: bool) -> None:
    """Open the studio and serve it until interrupted."""
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
        say.line(Note("The studio is open at {address}", address=studio.address))
        say.line(
            Note("Your work is saved in {folder} as you go. Ctrl+C closes the studio.", folder=str(studio.save.folder))
        )
        if browser:
            webbrowser.open(studio.entrance)

    serve(studio, ready)


command = Command(
    "studio",
    help="The studio: a page on this machine where you see, drag and perform.\n\n"
    "It listens on 127.0.0.1 alone and needs the token in its address.\n\n"
    "Example: komadori studio walk.bvh girl.vrm",
    params=[
        Argument("files", "motions and characters to open", metavar="[FILES]...", nargs=-1, required=False),
        Option("--port", type=number_in(int, 0, 65535), metavar="N", default=0, help="port to listen on (any free one if not given)"),
        Option("--project", metavar="DIR", help="folder to keep the work in (your data folder if not given)"),
        Option("--browser/--no-browser", default=True, help="open the page in your browser"),
    ],
    callback=click.pass_obj(run),
)  # fmt: skip
