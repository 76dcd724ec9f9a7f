"""How keys, saves and the page spell a path: JSON cannot hold a name whose bytes are not UTF-8."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any


def spelled(path: str | Path) -> str:
    r"""`path` as text that JSON can hold; it is the same for all names but those that are not UTF-8.

    >>> spelled("caf\udce9.bvh")
    'caf\\udce9.bvh'
    """
    return os.fspath(path).encode("utf-8", "backslashreplace").decode()


def can_be_spelled(path: Path) -> bool:
    """Whether the path can be read again from what `spelled` makes of it."""
    return spelled(path) == os.fspath(path)


def all_spelled(told: Any) -> Any:
    """Plain JSON with every text in it spelled."""
    if isinstance(told, dict):
        return {spelled(key) if isinstance(key, str) else key: all_spelled(value) for key, value in told.items()}
    if isinstance(told, list | tuple):
        return [all_spelled(value) for value in told]
    return spelled(told) if isinstance(told, str) else told
