"""Finds Blender: `bpy` in its own Python, as `make blender` makes one; tests that need it are skipped if there is none."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]
MISSING = "no Blender is at hand: `make blender` fetches one"


def pythons() -> list[str]:
    """Every Python with a Blender in it: those that KOMADORI_BLENDER_PYTHON lists, else the one in .venv-blender."""
    named = os.environ.get("KOMADORI_BLENDER_PYTHON", "")
    beside = ROOT / ".venv-blender" / "bin" / "python"
    return named.split(os.pathsep) if named else [str(beside)] if beside.is_file() else []
