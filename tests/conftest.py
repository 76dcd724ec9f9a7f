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
