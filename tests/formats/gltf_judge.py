"""The Khronos validator as a judge of our files, where `make judges` has set it up."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parents[1]
FOLDER = Path(os.environ.get("KOMADORI_JUDGES") or TESTS.parent / ".judges")
ERROR, WARNING = 0, 1
MISSING = shutil.which("node") is None or not (FOLDER / "node_modules" / "gltf-validator").is_dir()

needs_judge = pytest.mark.skipif(MISSING, reason="no glTF validator is at hand (run `make judges`; it needs npm)")


def said_of(*files: Path) -> list[list[dict[str, Any]]]:
    """Everything that the validator says of each file."""
    command = ["node", str(TESTS / "judges" / "gltf.mjs"), *map(str, files)]
    run = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, check=True)
    told: list[list[dict[str, Any]]] = json.loads(run.stdout)
    return told


def faults(told: list[dict[str, Any]]) -> Counter[str]:
    """Errors and warnings by their code."""
    return Counter(one["code"] for one in told if one["severity"] <= WARNING)
