"""Every phrase of an error that a file can cause is a template with Japanese, and errors keep their parts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from komadori.words_ja import JAPANESE

SOURCE = Path(__file__).parent.parent / "src" / "komadori"
FILES = [
    *sorted((SOURCE / "formats").rglob("*.py")),
    *(SOURCE / name for name in ("errors.py", "files.py", "json_text.py", "pipeline/toml_text.py")),
    SOURCE / "methods" / "puppet" / "script.py",
]
ERRORS = {"FormatError", "OptionError", "OutputError", "UnreadableFile", "FileNotFound", "wrong", "fail"}
PARTS = {"take": 1, "values": 1, "count": 1, "records": 2, "finite": 1, "_text": 2, "check_magic": 2}
"""Method of a reader -> which argument says what is being read."""


def called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def templates(path: Path) -> Iterator[str]:
    """Every template of a Note in a file of source, and the parts of MikuMikuDance's files, which become one in an error."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and called(node) == "Note":
            first = node.args[0]
            if isinstance(first, ast.Constant):
                yield first.value
        elif isinstance(node, ast.Call) and path.parent.name == "mmd" and called(node) in PARTS:
            for what in node.args[PARTS[called(node)] :][:1]:
                if isinstance(what, ast.Constant) and isinstance(what.value, str):
                    yield what.value


def loose(node: ast.expr) -> Iterator[str]:
    """The words within an argument of an error that stand in no Note."""
    if isinstance(node, ast.Call) and called(node) in (
        "Note",
        "quoted",
        "one_of",
        "getattr",
        "at_line",
        "at_byte",
        "get",
    ):
        return
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.search("[a-z]{2}", node.value):
        yield node.value
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield from loose(child)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_every_phrase_has_japanese(path: Path) -> None:
    missing = [
        text for text in templates(path) if text not in JAPANESE and re.search("[A-Za-z]{2}", re.sub("{.*?}", "", text))
    ]
    assert not missing
    for text in templates(path):
        fields = sorted(re.findall(r"{(\w+)", JAPANESE.get(text, text)))
        assert fields == sorted(re.findall(r"{(\w+)", text)), text


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_errors_are_made_of_phrases(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and called(node) in ERRORS:
            parts = [*node.args[1:], *(k.value for k in node.keywords)] if node.args[1:] or node.keywords else node.args
            assert not [word for part in parts for word in loose(part) if " " in word.strip()], f"line {node.lineno}"
