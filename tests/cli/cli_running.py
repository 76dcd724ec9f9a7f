"""Real runs of the command line, in a separate process."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

COMMAND = [sys.executable, "-m", "komadori"]


def environment(**more: str) -> dict[str, str]:
    """This process's environment, without what would change the language, the endings or Python's own printing."""
    ours = ("LC_ALL", "LC_MESSAGES", "LANG", "KOMADORI_LANG", "KOMADORI_DEBUG", "PYTHONUNBUFFERED", "PYTHONWARNINGS")
    return {**{name: value for name, value in os.environ.items() if name not in ours}, "LANG": "C.UTF-8", **more}


def komadori(
    *args: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    before: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run `komadori ARGS` and wait for its end; `before` runs in the child first."""
    return subprocess.run(
        [*COMMAND, *map(str, args)],
        cwd=cwd,
        env=environment(**(env or {})),
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=120,
        preexec_fn=before,
    )


def only_line(result: subprocess.CompletedProcess[str]) -> str:
    """The one line that a failed run may print: on stderr, nothing on stdout, no traceback."""
    assert result.stdout == ""
    assert result.stderr.startswith("komadori: ")
    assert result.stderr.count("\n") == 1
    assert "Traceback" not in result.stderr
    return result.stderr.strip()


def names(folder: Path) -> list[str]:
    """Everything in `folder`, however deep, hidden files too."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))
