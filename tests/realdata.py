"""Real clips for tests: never part of the project, used when they lie beside it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest


def _found() -> Path | None:
    named = os.environ.get("KOMADORI_DATA")
    folder = Path(named) if named else Path(__file__).parents[2] / "shared" / "data"
    return folder if (folder / "MANIFEST.tsv").is_file() else None


DATA = _found()
WHY = "the real clips are not at hand (set KOMADORI_DATA to their folder)"


def real(name: str) -> Path:
    """The real file `name` (a path inside the data folder), or skip the test."""
    if DATA is None:
        pytest.skip(WHY)
    return DATA / name


def reals(*patterns: str) -> list[Any]:
    """Parameters for `pytest.mark.parametrize`: every real file that matches, or one skipped parameter."""
    if DATA is None:
        return [pytest.param(None, marks=pytest.mark.skipif(True, reason=WHY), id="no-real-data")]
    files = sorted({path for pattern in patterns for path in DATA.glob(pattern)})
    return [pytest.param(path, id=path.relative_to(DATA).as_posix()) for path in files]
