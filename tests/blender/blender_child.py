"""The extension as a zip, and Blender's Python as a child process that runs the checks in this folder."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def extension(place: Path) -> Path:
    """The zip, built once in `place` however many processes ask for it."""
    with _locked(place / "extension.lock"):
        if not (found := sorted(place.glob("komadori-blender-*.zip"))):
            command = [sys.executable, str(ROOT / "blender" / "build.py"), str(place)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
            assert done.returncode == 0, done.stderr
            found = sorted(place.glob("komadori-blender-*.zip"))
    return found[0]


def run(python: str, module: str, zip_file: Path, *checks: str) -> dict[str, Any]:
    """What the checks of `module` gave, each by name, in a Blender that has nothing but its factory settings."""
    with tempfile.TemporaryDirectory() as place:
        answer = Path(place) / "answer.json"
        own = {"BLENDER_USER_RESOURCES": place, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": ""}
        command = [python, str(HERE / "inside_run.py"), str(zip_file), str(answer), module, *checks]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=600, check=False, env={**os.environ, **own}
        )
        assert done.returncode == 0, done.stderr[-4000:] + done.stdout[-2000:]
        told: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
    return told


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
