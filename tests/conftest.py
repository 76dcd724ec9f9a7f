"""Shared by all tests: settings, and a line that says whether the real clips are at hand."""

from __future__ import annotations

import os

# Before NumPy is loaded: on a busy machine a BLAS that spins on all cores makes small products thirty times slower.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import hypothesis
import pytest

from realdata import DATA

collect_ignore = ["formats/blender_heads.py", "formats/blender_bones.py"]  # run inside Blender

hypothesis.settings.register_profile("komadori", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.load_profile("komadori")


def pytest_report_header(config: pytest.Config) -> str:
    return f"real clips: {'found' if DATA else 'NOT found; tests on real files are skipped (set KOMADORI_DATA)'}"


SLOW = (
    "studio/test_page_",
    "formats/test_fuzz",
    "formats/test_agreement",
    "formats/test_usd",
    "methods/test_translate",
    "methods/test_retarget",
    "methods/test_hair",
    "anime/",
    "render/test_toon",
    "render/test_film",
    "render/test_notebook",
    "cli/test_cli_anime",
    "cli/test_cli_render",
    "test_clips",
    "test_roles_scored",
    "_hostile",
    "_judges",
    "_peers",
)
"""Parts of the paths of test files that `make check` leaves to `make test`: browsers, other programs, films, and hours of real clips."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow: the files above, and tests that go through every real clip."""
    for item in items:
        path = item.path.as_posix()
        over_clips = any(str(value).startswith(str(DATA)) for value in _parameters(item)) if DATA else False
        if over_clips or any(part in path for part in SLOW):
            item.add_marker(pytest.mark.slow)


def _parameters(item: pytest.Item) -> list[object]:
    return list(getattr(getattr(item, "callspec", None), "params", {}).values())
