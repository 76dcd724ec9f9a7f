"""A whole library at once: clips found, a recipe run over all of them in separate processes, and a table of what came out."""

from __future__ import annotations

from typing import Any

__all__ = ["BatchResult", "Limits", "batch"]
_HOME = {"BatchResult": "batching", "batch": "batching", "Limits": "hands"}


def __getattr__(name: str) -> Any:
    # Finding clips and writing tables must not wait for what only a batch needs.
    if name not in _HOME:
        raise AttributeError(f"module 'komadori.library' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"komadori.library.{_HOME[name]}"), name)
