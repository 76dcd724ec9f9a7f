"""Every example in the README and the documentation runs: shell blocks through the command line, Python blocks as they stand."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest
from sybil import Example, Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser, SkipParser

from komadori.cli import main
from komadori.pipeline import Recipe

from docs_files import NEEDED, write_files

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [
        *ROOT.glob("README*.md"),
        *(path for path in (ROOT / "docs").rglob("*.md") if not {"benchmarks", "decisions"} & set(path.parts)),
    ]
)
OTHERS = ("pip", "pipx", "uvx", "uv", "make", "python", "blender", "apt", "npm", "dask")
"""Commands that install or build: they are tried by `make wheel` and the workflows, not here."""

SERVERS = (["komadori", "studio"], ["komadori", "live"])
"""They continue until they are stopped, unless they are given seconds; tests of their own start them."""


def shell(example: Example) -> None:
    """Runs each `komadori` line of a block; a line may end in a comment or continue after a backslash."""
    text = example.parsed.replace("\\\n", " ")
    for line in text.splitlines():
        words = shlex.split(line, comments=True)
        if not words or words[0] in OTHERS or (words[:2] in SERVERS and "--seconds" not in words):
            continue
        assert words[0] == "komadori", (
            f"{words[0]}: neither a komadori command nor one that is known to install or build"
        )
        target = None
        if ">" in words:
            target = words[words.index(">") + 1]
            words = words[: words.index(">")]
        run(words[1:], target)


def run(words: list[str], target: str | None) -> None:
    """One command, which must end well; standard output goes to `target` as `>` does it."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        status = main(words)
    assert status == 0, f"komadori {shlex.join(words)} ended with {status}: {shown.getvalue()}"
    if target is not None:
        Path(target).write_text(shown.getvalue(), encoding="utf-8")


def recipe(example: Example) -> None:
    """Reads a block of TOML as the recipe that it shows."""
    assert Recipe.parse(example.parsed, "example.toml").steps


EXAMPLES = Sybil(
    parsers=[
        CodeBlockParser(language="sh", evaluator=shell),
        CodeBlockParser(language="toml", evaluator=recipe),
        PythonCodeBlockParser(),
        SkipParser(),
    ],
    path=str(ROOT),
    pattern="*.md",
)


def code_of(page: Path) -> list[str]:
    """The lines of code on a page, without their comments."""
    blocks = re.findall(r"^```(?:sh|python|toml)\n(.*?)^```", page.read_text(encoding="utf-8"), re.S | re.M)
    return [re.sub(r"\s+#.*", "", line).strip() for block in blocks for line in block.splitlines()]


def told_in_english(page: Path) -> bool:
    """Whether a Japanese page shows the code of its English twin and nothing else; then the twin's run is enough."""
    twin = (
        page.with_name("README.md") if page.name == "README.ja.md" else Path(str(page).replace("/docs/ja/", "/docs/"))
    )
    return twin != page and set(code_of(page)) <= set(code_of(twin))


def test_no_command_hides_in_a_block_that_is_not_run() -> None:
    """A block of shell says so; one with an address on the network cannot run here."""
    hidden = [
        f"{page.relative_to(ROOT)}: {line}"
        for page in PAGES
        for kind, block in re.findall(r"^```(\w*)\n(.*?)^```", page.read_text(encoding="utf-8"), re.S | re.M)
        for line in block.splitlines()
        if kind != "sh" and line.startswith("komadori ") and "s3://" not in line
    ]
    assert not hidden, "\n".join(hidden)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_example_on_the_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not code_of(page) or told_in_english(page):
        return
    text = page.read_text(encoding="utf-8")
    write_files(tmp_path, [name for name in NEEDED if name in text])
    monkeypatch.chdir(tmp_path)
    for example in EXAMPLES.parse(page).examples():
        example.evaluate()
