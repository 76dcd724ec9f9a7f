"""The oldest libraries that pyproject.toml allows, as a constraints file for pip: `python tests/lowest.py > lowest.txt`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
OF_BUILDERS = {"test", "lint", "bench", "docs", "dev"}
"""Extras for developing komadori: their tools may be new."""


def lowest(text: str) -> tuple[str, ...]:
    """One `name==version` for each library that users of the pyproject.toml `text` get, its lower bound as the version.

    >>> lowest('[project]\\ndependencies = ["numpy>=1.26", "click>=8.1,<9"]')
    ('click==8.1', 'numpy==1.26')
    """
    project = tomllib.loads(text)["project"]
    lines = list(project["dependencies"])
    for name, extra in project.get("optional-dependencies", {}).items():
        lines += [] if name in OF_BUILDERS else extra
    found = {match[1]: match[2] for line in lines if (match := re.match(r"([\w.-]+)>=([\w.]+)", line))}
    unbounded = [line for line in lines if not line.startswith(("komadori[", *found))]
    if unbounded:
        raise ValueError(f"no lower bound: {', '.join(unbounded)}")
    return tuple(f"{name}=={version}" for name, version in sorted(found.items()))


if __name__ == "__main__":
    print("\n".join(lowest(PROJECT.read_text(encoding="utf-8"))))
