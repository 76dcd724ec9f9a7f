"""`komadori looks`: the built-in recipes, listed or printed."""

from __future__ import annotations

import click

from komadori.cli.inputs import AS_JSON
from komadori.cli.json_out import print_json
from komadori.cli.page import Argument, Command
from komadori.cli.say import Say
from komadori.pipeline.looks import LOOKS, look, look_text
from komadori.words import Note


def run(say: Say, name: str | None, as_json: bool) -> None:
    """List the looks, or print one exactly as in its file."""
    if name is not None:
        text = look_text(name)
        if as_json:
            print_json({"name": name, "about": look(name).about, "toml": text})
        else:
            print(text, end="")
        return
    if as_json:
        print_json({each: look(each).about for each in LOOKS})
        return
    say.rows((each, look(each).about) for each in LOOKS)
    say.line(Note("Print one and change it: komadori looks {name} > my.toml", name=LOOKS[0]))


command = Command(
    "looks",
    help="List the built-in looks, or print one to start your own from.\n\n"
    "Example: komadori looks tv > my.toml; komadori anime walk.bvh --look my.toml -o out",
    params=[Argument("name", "the look to print", metavar="[NAME]", required=False), AS_JSON],
    callback=click.pass_obj(run),
)
