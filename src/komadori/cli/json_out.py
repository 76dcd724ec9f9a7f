"""Results for programs: one JSON value on one line."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any


def print_json(data: Any) -> None:
    """One JSON value on one line of standard output; ASCII alone, so that any pipe can carry it."""
    import json

    print(json.dumps(_plain(data), allow_nan=False))


def _plain(data: Any) -> Any:
    """`data` as JSON knows it: NumPy's arrays and numbers as Python's, what is not finite as null."""
    if isinstance(data, str):
        return str(data)
    if isinstance(data, Mapping):
        return {str(name): _plain(value) for name, value in data.items()}
    if hasattr(data, "tolist"):
        return _plain(data.tolist())
    if isinstance(data, Iterable):
        return [_plain(item) for item in data]
    if isinstance(data, float) and not math.isfinite(data):
        return None
    return data
