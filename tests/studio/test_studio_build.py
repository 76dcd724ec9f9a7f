"""The page and the server are one: what is generated is current, the TypeScript holds together, nothing comes from outside."""

from __future__ import annotations

import json
import re
import subprocess

import pytest

from komadori.studio.server import PAGE
from komadori.studio.typescript import TARGET, written

from browser import WEB


def test_the_generated_typescript_is_what_python_says_now() -> None:
    assert TARGET.read_text(encoding="utf-8") == written(), "run python -m komadori.studio.typescript"


def test_the_typescript_holds_together() -> None:
    compiler = WEB / "node_modules" / ".bin" / "tsc"
    if not compiler.exists():
        pytest.skip("what the page is built with is not installed (make page)")
    found = subprocess.run([compiler, "--noEmit"], cwd=WEB, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


def test_the_lock_file_names_no_host_and_every_package_by_its_digest() -> None:
    packages = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    for name, entry in packages.items():
        assert "resolved" not in entry, name
        assert not name or entry.get("integrity", "").startswith("sha512-"), name
        for other in entry.get("optionalDependencies", {}):
            # Without its entry `npm ci` refuses the whole file, on every system.
            assert f"node_modules/{other}" in packages, f"{name} needs {other}"


@pytest.mark.parametrize("name", [path.relative_to(WEB).as_posix() for path in (WEB / "src").rglob("*.ts")])
def test_the_page_writes_text_only_as_text(name: str) -> None:
    text = (WEB / name).read_text(encoding="utf-8")
    for risky in (
        r"\binnerHTML\b",
        r"\bouterHTML\b",
        r"insertAdjacentHTML",
        r"document\.write",
        r"\beval\(",
        r"new Function\(",
    ):
        assert not re.search(risky, text), risky


def test_the_page_loads_its_own_files_alone() -> None:
    if not (PAGE / "index.html").is_file():
        pytest.skip("the studio's page is not built (make page)")
    text = (PAGE / "index.html").read_text(encoding="utf-8")
    for address in re.findall(r'(?:src|href)="([^"]*)"', text):
        assert address.startswith("./assets/") or address == "data:,", address
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", text), "nothing inline"
    for sheet in (PAGE / "assets").glob("*.css"):
        assert not re.search(r"url\(\s*['\"]?(?:https?:)?//|@import", sheet.read_text(encoding="utf-8"))


def test_the_built_page_carries_nothing_for_tests() -> None:
    scripts = list((PAGE / "assets").glob("*.js"))
    if not scripts:
        pytest.skip("the studio's page is not built (make page)")
    for script in scripts:
        text = script.read_text(encoding="utf-8")
        assert not re.findall(
            r"dataset\.(?!signature|now|shown|chain|key|preset|frame|side)\w+|[sS]pots|window\.probe", text
        )


@pytest.mark.parametrize("page", ["docs/studio.md", "docs/ja/studio.md"])
def test_the_manual_lists_every_key_of_the_page(page: str) -> None:
    table = re.findall(r"^\| ([^|]+) \|", (WEB.parents[3] / page).read_text(encoding="utf-8"), re.MULTILINE)
    listed = {key for row in table for key in row.replace("スペース", "space").split()}
    sources = "\n".join(path.read_text(encoding="utf-8") for path in (WEB / "src").rglob("*.ts"))
    keys = {*re.findall(r'keys: \[[^\]]*\],\s*shown: "([^"]+)"', sources)}
    assert len(keys) > 15
    assert keys <= listed
