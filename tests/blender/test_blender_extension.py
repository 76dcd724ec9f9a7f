"""The Blender extension in a real Blender: built, installed from its zip, enabled, and every operator tried (see the inside_ files)."""

from __future__ import annotations

import ast
import subprocess
import tomllib
import zipfile
from pathlib import Path

import pytest

import komadori

import blender_child
import blenders
import realdata

HERE = Path(__file__).parent
PYTHONS = blenders.pythons()
FILES = sorted(
    path.stem for path in HERE.glob("inside_*.py") if path.stem not in ("inside_run", "inside_scenes", "inside_real")
)
LONGEST = 400
"""Lines of a file, from which it is usually two."""

in_blender = pytest.mark.skipif(not PYTHONS, reason=blenders.MISSING)


@pytest.fixture(scope="session")
def zip_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.getbasetemp()
    # Workers have their own folders inside one that they share.
    return blender_child.extension(base.parent if base.name.startswith("popen") else base)


@in_blender
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("module", FILES)
def test_in_blender(module: str, python: str, zip_file: Path) -> None:
    checked(module, python, zip_file)


@in_blender
@pytest.mark.parametrize("python", PYTHONS)
def test_real_files_in_blender(python: str, zip_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOMADORI_DATA", str(realdata.real("")))
    checked("inside_real", python, zip_file)


def checked(module: str, python: str, zip_file: Path) -> None:
    """Every check of `module` passes in the Blender of `python`."""
    told = blender_child.run(python, module, zip_file)
    tree = ast.parse((HERE / f"{module}.py").read_text(encoding="utf-8"))
    wanted = {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("check_")}
    assert told["checks"].keys() == wanted
    failed = {name: found["failed"] for name, found in told["checks"].items() if "failed" in found}
    assert not failed, "\n".join(f"{name} in Blender {told['version']}\n{trace}" for name, trace in failed.items())
    print(told["version"], {name: found["said"] for name, found in told["checks"].items() if found["said"]})


@in_blender
@pytest.mark.parametrize("python", PYTHONS)
def test_blender_itself_finds_nothing_wrong_with_the_zip(python: str, zip_file: Path) -> None:
    found = (
        Path(python).parents[1].glob("lib/python3*/site-packages/bpy/*/scripts/addons_core/bl_pkg/cli/blender_ext.py")
    )
    command = [python, str(next(found)), "validate", str(zip_file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_zip_holds_the_library_and_says_so(zip_file: Path) -> None:
    with zipfile.ZipFile(zip_file) as archive:
        manifest = tomllib.loads(archive.read("blender_manifest.toml").decode())
        names = set(archive.namelist())
        own = [archive.read(name).decode() for name in names if name.endswith(".py")]
    assert manifest["version"] == komadori.__version__
    assert [wheel.removeprefix("./") in names for wheel in manifest["wheels"]] == [True]
    assert manifest["license"] == ["SPDX:GPL-3.0-or-later"]
    assert "LICENSE" in names
    assert "build.py" not in names
    assert all(text.startswith("# SPDX-License-Identifier: GPL-3.0-or-later\n") for text in own)


def test_only_the_extension_knows_blender() -> None:
    root = HERE.parents[1]
    knows = [path for path in (root / "src").rglob("*.py") if "import bpy" in path.read_text(encoding="utf-8")]
    assert knows == []
    long = {
        path.name for path in (root / "blender").glob("*.py") if path.read_text(encoding="utf-8").count("\n") > LONGEST
    }
    assert long == set()
