"""Separate processes: how one is started so that nothing in the working directory or the environment is imported."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

DRAWERS = "KOMADORI_DRAWERS"
"""The environment variable that says how many processes may draw beside one (`komadori.render.drawers`); 0 is none."""


def paths() -> list[str]:
    """Where a child may import from: Python's own modules first, then this package, then all else except the working directory."""
    home = str(Path(__file__).parents[1])
    here = os.path.realpath(Path.cwd())
    others = [
        entry for entry in sys.path if Path(entry).is_absolute() and entry != home and os.path.realpath(entry) != here
    ]
    own = [entry for entry in others if _is_standard(entry)]
    return [*own, home, *(entry for entry in others if entry not in own)]


def isolated(code: str, *arguments: str) -> list[str]:
    """The command of a Python that runs `code` and knows no module but its own until the code sets `sys.path` to `paths()`."""
    return [sys.executable, "-I", "-c", code, *arguments]


def _is_standard(entry: str) -> bool:
    standard = [Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")]
    named = Path(entry)
    return named in standard or (named.parent in standard and named.name == "lib-dynload") or named.suffix == ".zip"
