"""Shared by all tests: settings, and a line that says whether the real clips are at hand."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

# Before NumPy is loaded: on a busy machine a BLAS that spins on all cores makes small products thirty times slower.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A shell without job control starts what runs in its background with Ctrl+C ignored, and every process below inherits that:
# the tests that press Ctrl+C in a command would wait for one that cannot hear it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

import hypothesis
import pytest
from xdist.scheduler import LoadScopeScheduling

from realdata import DATA

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Playwright

collect_ignore = ["formats/blender_heads.py", "formats/blender_bones.py"]  # run inside Blender
collect_ignore_glob = ["blender/inside_*.py"]  # these too

hypothesis.settings.register_profile("komadori", deadline=None, derandomize=True, print_blob=True)
hypothesis.settings.register_profile("nightly", deadline=None, max_examples=1000, print_blob=True)
hypothesis.settings.load_profile("komadori")


def pytest_report_header(config: pytest.Config) -> str:
    return f"real clips: {'found' if DATA else 'NOT found; tests on real files are skipped (set KOMADORI_DATA)'}"


SLOW = (
    "studio/test_page_",
    "blender/",
    "formats/test_fuzz",
    "formats/test_agreement",
    "formats/test_usd",
    "methods/test_translate",
    "methods/test_retarget",
    "methods/test_hair",
    "anime/",
    "tests/docs/test_",
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

CROWDED = ("studio/test_page_", "studio/test_studio_kills", "library/test_batch")
"""Tests that fill the machine with separate processes (browsers, workers, clusters): one at a time, or they starve each other."""


class _OneAtATime(LoadScopeScheduling):  # type: ignore[misc,unused-ignore]
    """Hands tests out one by one, but all crowded ones to the worker that takes the first. (pytest 9 ignores xdist's own groups.)"""

    def _split_scope(self, nodeid: str) -> str:
        return "crowded" if any(part in nodeid for part in CROWDED) else nodeid


def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> _OneAtATime:
    return _OneAtATime(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is slow: the files above, and tests that go through every real clip. What is crowded comes first."""
    items.sort(key=lambda item: not any(part in item.path.as_posix() for part in CROWDED))
    for item in items:
        path = item.path.as_posix()
        over_clips = any(str(value).startswith(str(DATA)) for value in _parameters(item)) if DATA else False
        if over_clips or any(part in path for part in SLOW):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """The one Playwright of this worker: a second beside it does not start."""
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as running:
        yield running


def _parameters(item: pytest.Item) -> list[object]:
    return list(getattr(getattr(item, "callspec", None), "params", {}).values())
