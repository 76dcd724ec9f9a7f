# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the extension: the library as a wheel, the files of this folder, and a manifest that names both, in one zip."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
WHEN = (2026, 1, 1, 0, 0, 0)
"""The date of every file in the zip: the same sources make the same bytes."""


def wheel_in(folder: Path) -> Path:
    """The library as a wheel. Blender has NumPy, and needs neither the studio's page nor Node to build it."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    if find_spec("hatchling") is not None:
        command.insert(4, "--no-build-isolation")
    quiet = {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "KOMADORI_WHEEL_WITHOUT_PAGE": "1"}
    subprocess.run(command, check=True, env={**os.environ, **quiet})
    return next(folder.glob("komadori-*.whl"))


def manifest(wheel: str) -> str:
    """The manifest with the version and the wheel filled in."""
    text = (HERE / "blender_manifest.toml").read_text(encoding="utf-8")
    version = wheel.split("-")[1]
    text = re.sub(r'^version = ".*"$', f'version = "{version}"', text, flags=re.M)
    return re.sub(r"^wheels = \[\]$", f'wheels = ["./wheels/{wheel}"]', text, flags=re.M)


def build(folder: Path) -> Path:
    """The extension in `folder`, as the zip that Blender installs."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        wheel = wheel_in(Path(temporary))
        held = {
            "blender_manifest.toml": manifest(wheel.name).encode(),
            "LICENSE": (HERE / "LICENSE").read_bytes(),
            f"wheels/{wheel.name}": wheel.read_bytes(),
        }
        held |= {path.name: path.read_bytes() for path in sorted(HERE.glob("*.py")) if path.name != "build.py"}
        target = folder / f"komadori-blender-{wheel.name.split('-')[1]}.zip"
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in held.items():
                entry = zipfile.ZipInfo(name, WHEN)
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, data)
    return target


def main() -> None:
    """Where to: the first argument, else dist."""
    target = build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist")
    print(
        f"{target}: {target.stat().st_size / 1e6:.1f} MB. In Blender: Preferences, Get Extensions, Install from Disk."
    )


if __name__ == "__main__":
    main()
