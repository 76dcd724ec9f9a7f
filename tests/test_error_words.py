"""Every phrase of an error is a template with Japanese, errors keep their parts, and no code reads their prose."""

from __future__ import annotations

import ast
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from komadori.errors import (
    FileNotFound,
    FormatError,
    KomadoriError,
    OptionError,
    OutputError,
    UnreadableFile,
    at_line,
    one_of,
)
from komadori.formats import Kind, load
from komadori.words import Note
from komadori.words_ja import JAPANESE

SOURCE = Path(__file__).parent.parent / "src" / "komadori"
FILES = sorted(SOURCE.rglob("*.py"))
ERRORS = {"FormatError", "OptionError", "OutputError", "UnreadableFile", "FileNotFound", "wrong", "fail"}
LONE = {"OptionError", "KomadoriError"}
"""Errors that a lone Note may make."""
PARTS = {"take": 1, "values": 1, "count": 1, "records": 2, "finite": 1, "_text": 2, "check_magic": 2}
"""Method of a reader -> which argument says what is being read."""


def called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def parts(path: Path) -> Iterator[str]:
    """What the parts of MikuMikuDance's files are called where they are read; they become a Note in an error alone."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and called(node) in PARTS:
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


def test_every_part_of_a_file_and_every_kind_has_japanese() -> None:
    named = {what for path in (SOURCE / "formats" / "mmd").glob("*.py") for what in parts(path)}
    assert {"a material", "the version", "rigid bodies"} <= named
    assert not {what for what in named if what not in JAPANESE}
    assert not {kind for kind in get_args(Kind) if kind not in JAPANESE}


def faults(path: Path, tree: ast.AST) -> Iterator[str]:
    """Where a source file makes an error of words that no catalogue can hold."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or called(node) not in ERRORS:
            continue
        where = f"{path.relative_to(SOURCE)}, line {node.lineno}"
        parts = [*node.args[1:], *(k.value for k in node.keywords)] if node.args[1:] or node.keywords else node.args
        if any(" " in word.strip() for part in parts for word in loose(part)):
            yield f"{where}: words outside a Note"
        alone = len(node.args) == 1 and not node.keywords
        if alone and called(node) in LONE and isinstance(node.args[0], ast.Constant | ast.JoinedStr | ast.BinOp):
            yield f"{where}: a lone string"


# One test for all files, not one for each: it takes a moment, and a failure names every place.


def test_errors_are_made_of_phrases() -> None:
    assert not [fault for path in FILES for fault in faults(path, ast.parse(path.read_text(encoding="utf-8")))]


@pytest.mark.parametrize(
    "line",
    [
        'OptionError("count must lie above 0")',
        'OptionError(f"there is no look {name}")',
        'OptionError("a" "b" + name)',
        'OptionError("count", expected="a number above 0", found=3)',
        'OptionError("count", expected=Note("a number"), found=f"more than {most}")',
        'OutputError(path, "this is a folder")',
        'FormatError(path, expected=f"a file of {names}", found=Note("none"))',
    ],
)
def test_the_scan_sees_words_that_stand_alone(line: str) -> None:
    assert list(faults(SOURCE / "x.py", ast.parse(line)))


def test_no_code_cuts_words_out_of_an_error() -> None:
    # What comes back from a separate process is damaged or whole; its reason is passed on, not read.
    for path in set(FILES) - {SOURCE / "formats" / "parcel.py"}:
        text = path.read_text(encoding="utf-8")
        for at in re.finditer(
            r"\bexcept [^\n]*(?:KomadoriError|OptionError|FormatError|OutputError)[^\n]* as error:", text
        ):
            body = text[at.end() :].split("\n\n")[0][:400]
            assert not re.search(r'str\(error\)|f"[^"\n]*\{error', body), path.relative_to(SOURCE)


def test_a_format_error_has_parts_and_two_languages() -> None:
    error = FormatError(
        "walk.bvh", at_line(7), expected=Note("a finite number"), found="'x'", advice=Note("name a file in it")
    )
    assert (error.file, str(error.place), error.expected, error.found) == (
        "walk.bvh",
        "line 7",
        "a finite number",
        "'x'",
    )
    assert str(error) == "walk.bvh, line 7: expected a finite number, found 'x'; name a file in it"
    assert error.in_language("en") == str(error)
    assert (
        error.in_language("ja")
        == "walk.bvh（7 行目）：「有限の数値」が必要ですが、「'x'」でした。中のファイルを指定してください"
    )


def test_an_option_error_has_parts_and_another_name() -> None:
    error = OptionError("omit", expected=one_of(["3", "4"]), found=5)
    assert (error.parameter, error.expected, error.found) == ("omit", "one of 3, 4", "5")
    assert str(error) == "omit: expected one of 3, 4, found 5"
    flagged = error.named("--omit")
    assert (str(flagged), flagged.parameter) == ("--omit: expected one of 3, 4, found 5", "--omit")
    assert flagged.in_language("ja") == "--omit：「3, 4 のいずれか」が必要ですが、5 でした"
    assert str(error) == "omit: expected one of 3, 4, found 5"
    lone = OptionError(Note("give either count or tolerance, not both"))
    assert (str(lone), lone.parameter) == ("give either count or tolerance, not both", "")
    assert lone.in_language("ja") == "count と tolerance はどちらか一方だけ指定してください"
    assert lone.named("--count") is lone


def test_an_option_error_can_be_one_of_a_file() -> None:
    error = OptionError("keys", expected=Note("at least one key"), found=Note("none")).in_file("a.json")
    assert (type(error), str(error)) == (FormatError, "a.json, keys: expected at least one key, found none")
    lone = OptionError(Note("give either count or tolerance, not both")).in_file("a.json")
    assert str(lone) == "a.json: give either count or tolerance, not both"
    wrong = OptionError("keys", problem=Note("the puppet has no keys")).in_file("a.json")
    assert str(wrong) == "a.json, keys: the puppet has no keys"
    assert wrong.in_language("ja") == "a.json（keys）：パペットにキーがありません"


def test_an_error_can_say_what_is_wrong_instead_of_what_was_expected() -> None:
    error = FormatError(
        "walk.bvh", at_line(7), problem=Note("the parents form a cycle"), advice=Note("name a file in it")
    )
    assert str(error) == "walk.bvh, line 7: the parents form a cycle; name a file in it"
    assert error.in_language("ja") == "walk.bvh（7 行目）：親子関係が循環しています。中のファイルを指定してください"
    assert str(error.of("run.bvh")) == "run.bvh, line 7: the parents form a cycle; name a file in it"
    option = OptionError("keys", problem=Note("the puppet has no keys"))
    assert (option.parameter, str(option), str(option.named("--keys"))) == (
        "keys",
        "keys: the puppet has no keys",
        "--keys: the puppet has no keys",
    )


def test_a_file_can_have_another_name_in_an_error() -> None:
    error = FormatError("/project/files/ab12/walk.bvh", at_line(7), expected=Note("a list"), found="3")
    assert str(error.of("walk.bvh")) == "walk.bvh, line 7: expected a list, found 3"
    assert error.of("walk.bvh").in_language("ja") == "walk.bvh（7 行目）：「リスト」が必要ですが、「3」でした"
    assert str(FileNotFound("/project/walk.bvh").of("walk.bvh")) == "File not found: walk.bvh"


def test_numbers_of_numpy_are_shown_as_numbers() -> None:
    assert OptionError("fps", expected=Note("a number"), found=np.float64(2.5)).found == "2.5"
    assert OptionError("pins", expected=Note("a number"), found=np.int64(7)).found == "7"


@pytest.mark.parametrize(
    "error",
    [
        FormatError("a", at_line(2), expected=Note("a list"), found="3"),
        UnreadableFile("a", Note("permission denied")),
        FileNotFound("a"),
        OutputError("a", Note("permission denied")),
        FormatError("a", at_line(2), problem=Note("the parents form a cycle")),
        OptionError("unit", expected=one_of("ab"), found="c"),
        OptionError("unit", problem=Note("give a name")),
        OptionError(Note("a motion without frames cannot be a VMD file")),
        KomadoriError(Note("a list")),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_crosses_processes(error: KomadoriError) -> None:
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is type(error)
    assert (str(back), back.in_language("ja"), vars(back)) == (str(error), error.in_language("ja"), vars(error))


def test_a_missing_file_is_said_in_both_languages(tmp_path: Path) -> None:
    with pytest.raises(FileNotFound, match=r"^File not found: .*walk\.bvh$") as caught:
        load(tmp_path / "walk.bvh")
    assert caught.value.in_language("ja") == f"ファイルが見つかりません：{tmp_path / 'walk.bvh'}"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.bvh", b"HIERARCHY\nROOT a\n{\nOFFSET 1 2\n}\nMOTION\n"),
        ("a.glb", b"glTF\x01\x00\x00\x00\x0c\x00\x00\x00"),
        ("a.pmx", b"PMX \x00\x00\x00\x40"),
        ("a.vmd", b"Vocaloid Motion Data 0002" + b"\0" * 30),
        ("a.asf", b":units\n length 0\n"),
        ("a.xdts", b"exchangeDigitalTimeSheet Save Data\n{}"),
        ("a.json", b'{"komadori": "puppet", "version": 1}'),
        ("a.json", b'{"komadori": "translator", "version": 1}'),
        ("a.json", b'{"position": 1, "target": 2}'),
        ("a.csv", b"x0,y0,x1,y1\n1,2,3\n"),
        ("a.csv", b"A source\n-1\n"),
        ("a.csv", b"1,2,3\n1,2\n"),
        ("a.toml", b"[[step]]\nuse = 'soup'\n"),
        ("a.txt", b"x = 1 +\n"),
    ],
)
def test_an_error_of_every_format_is_japanese(name: str, data: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FormatError) as caught:
        load(tmp_path / name)
    said = caught.value.in_language("ja").replace(str(tmp_path), "")
    assert "が必要ですが" in said
    assert not re.search(r"expected|found| of | the ", said)
