"""`komadori doctor`: which optional parts are installed, which are not, and the command that gets each."""

from __future__ import annotations

import platform
import sys
from importlib import metadata

import click

from komadori import __version__
from komadori.cli.inputs import AS_JSON
from komadori.cli.json_out import print_json
from komadori.cli.page import Command
from komadori.cli.say import Say
from komadori.extras import Extra, extras
from komadori.words import Note


def run(say: Say, as_json: bool) -> None:
    """List what is installed, and name the command for what is not."""
    found = extras()
    core = {name: metadata.version(name) for name in ("numpy", "click")}
    system = f"{platform.system()} {platform.machine()}"
    if as_json:
        print_json(
            {
                "komadori": __version__,
                "python": platform.python_version(),
                "system": system,
                "core": core,
                "extras": {extra.name: _facts(extra) for extra in found},
            }
        )
        return
    say.rows(
        [
            ("komadori", __version__),
            ("Python", f"{platform.python_version()} ({sys.executable})"),
            (Note("system"), system),
            *core.items(),
        ],
        indent=0,
    )
    print()
    for extra in found:
        if extra.is_there:
            versions = ", ".join(f"{library.name} {library.version}" for library in extra.libraries)
            say.line(Note("installed: {purpose} ({libraries})", purpose=extra.purpose, libraries=versions))
    for extra in found:
        if not extra.is_there:
            lacking = ", ".join(library.name for library in extra.libraries if not library.version)
            say.line(
                Note(
                    "not installed: {purpose} ({libraries}). Get it with: {command}",
                    purpose=extra.purpose,
                    libraries=lacking,
                    command=extra.command,
                )
            )
    if not all(extra.is_there for extra in found):
        print()
        say.line(Note("Get everything with: {command}", command="pip install 'komadori[all]'"))


def _facts(extra: Extra) -> dict[str, object]:
    return {
        "purpose": str(extra.purpose),
        "installed": extra.is_there,
        "command": extra.command,
        "libraries": {library.name: library.version for library in extra.libraries},
    }


command = Command(
    "doctor",
    help="Show which optional parts are installed, and how to install the others.",
    params=[AS_JSON],
    callback=click.pass_obj(run),
)
