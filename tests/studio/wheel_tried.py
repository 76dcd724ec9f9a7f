"""`make wheel`: an sdist, a wheel from it, and the studio from that wheel in an empty environment without Node."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]


def run(*command: str | Path) -> None:
    subprocess.run([*map(str, command)], check=True)


def environment(folder: Path, *packages: str) -> Path:
    """A new environment with `packages`; its Python."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    return python


def check_sdist(path: Path) -> None:
    with tarfile.open(path) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    web = "src/komadori/studio/web"
    assert {f"{web}/src/main.ts", f"{web}/package-lock.json", f"{web}/build.py", "hatch_build.py"} <= set(names)
    assert not [name for name in names if "node_modules" in name or name.startswith("src/komadori/studio/page/")]


def check_wheel(path: Path) -> None:
    names = zipfile.ZipFile(path).namelist()
    assert "komadori/studio/page/index.html" in names
    assert "komadori/studio/page/licenses.md" in names
    assert any(name.startswith("komadori/studio/page/assets/") and name.endswith(".js") for name in names)
    assert not [name for name in names if name.startswith("komadori/studio/web") or "node_modules" in name]


def check_studio(python: Path, project: Path) -> None:
    """Starts the installed studio and fetches the page and all that it names."""
    bare = {"PATH": str(python.parent), "PYTHONUNBUFFERED": "1", "HOME": str(project)}
    process = subprocess.Popen(
        [python, "-m", "komadori", "studio", "--no-browser", "--project", project],
        stdout=subprocess.PIPE, text=True, env={**os.environ, **bare}, cwd=project,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        address = next(found[0] for line in process.stdout if (found := re.search(r"http://\S+", line)))
        text = urllib.request.urlopen(address).read().decode()
        parts = re.findall(r'(?:src|href)="\./(assets/[^"]+)"', text)
        assert any(part.endswith(".js") for part in parts), text
        for part in parts:
            answer = urllib.request.urlopen(address.partition("?")[0] + part)
            assert answer.status == 200
            assert len(answer.read()) > 1000
    finally:
        process.terminate()
        process.communicate()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        builder = environment(work / "builder", "build")
        run(builder, "-m", "build", "--outdir", work / "dist", ROOT)
        (sdist,) = (work / "dist").glob("*.tar.gz")
        (wheel,) = (work / "dist").glob("*.whl")
        check_sdist(sdist)
        check_wheel(wheel)
        check_studio(environment(work / "user", f"{wheel}[studio]"), work)
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, and its studio opens")


if __name__ == "__main__":
    main()
