"""Recipes as TOML: read with the line of whatever is wrong, and written."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

from komadori.errors import FormatError, OptionError, quoted
from komadori.files import read_bytes
from komadori.pipeline.steps import STEPS, Step, checked_about, misplaced

MOST_BYTES, MOST_LINES, MOST_STEPS = 32_768, 600, 32
"""More than this is no recipe; the lines of errors are found by reading beginnings again, so it must stay short."""

_KEYS = ("about", "step")
_AT = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)")

Document = dict[str, Any]


def decoded(path: str | PathLike[str]) -> str:
    """The text of the file at `path`, which must be UTF-8 and no longer than a recipe is."""
    data = read_bytes(path)
    if len(data) > MOST_BYTES:
        raise FormatError(path, expected=f"a recipe of at most {MOST_BYTES:,} bytes", found=f"{len(data):,}")
    try:
        # Editors on Windows put a mark before the text.
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise FormatError(path, f"line {line}", expected="text in UTF-8", found="other bytes") from None


def read(text: str, path: str) -> tuple[list[Step], str]:
    """The steps and the line about them in `text`; a FormatError for the first thing that is wrong."""
    document = _parsed(text, path)
    strange = next((key for key in document if key not in _KEYS), None)
    if strange is not None:
        place = _place(text, lambda part: strange in part)
        raise FormatError(path, place, expected=_one_of(_KEYS), found=quoted(strange), hint=_hint(strange))
    try:
        about = checked_about(document.get("about", ""))
    except OptionError as error:
        place = _place(text, lambda part: "about" in part)
        raise FormatError(path, place, expected=_wish(error), found=quoted(repr(document["about"]))) from None
    tables = document.get("step", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        place = _place(text, lambda part: "step" in part)
        raise FormatError(path, place, expected="steps, each under [[step]]", found="one that is none")
    if not tables:
        raise FormatError(path, expected='at least one [[step]] with use = "..."', found="none")
    if len(tables) > MOST_STEPS:
        raise FormatError(path, expected=f"at most {MOST_STEPS} steps", found=str(len(tables)))
    steps = [_step(text, path, number, table) for number, table in enumerate(tables)]
    wrong = misplaced(steps)
    if wrong is not None:
        number, expected = wrong
        raise FormatError(path, _step_place(text, number, "use"), expected=expected, found=steps[number].use)
    return steps, about


def written(steps: Sequence[Step], about: str) -> str:
    """`steps` as a TOML file."""
    lines = [f"about = {_value(about)}"] if about else []
    for step in steps:
        given = (f"{name} = {_value(value)}" for name, value in step.given if value is not None)
        lines += [*([""] if lines else []), "[[step]]", f"use = {_value(step.use)}", *given]
    return "\n".join(lines) + "\n"


def _parsed(text: str, path: str) -> Document:
    if len(text) > MOST_BYTES or text.count("\n") > MOST_LINES:
        found = f"{text.count(chr(10)) + 1:,} lines, {len(text):,} letters"
        raise FormatError(path, expected=f"a recipe of at most {MOST_LINES} lines", found=found)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise FormatError(path, expected="a recipe", found="lists nested too deeply") from None
    except ValueError as error:
        # TOML's own errors, and numbers of more digits than Python reads.
        at = _AT.search(str(error))
        place = f"line {at[1]}" if at and at[1] else "at its end" if at else ""
        raise FormatError(path, place, expected="TOML", found=_AT.sub("", str(error)) or "something else") from None


def _step(text: str, path: str, number: int, table: Document) -> Step:
    if "use" not in table:
        place = _place(text, lambda part: len(part.get("step", ())) > number)
        raise FormatError(path, place, expected=f'use = "..." with one of {", ".join(STEPS)}', found="a step without")
    use = table["use"]
    if not isinstance(use, str) or use not in STEPS:
        found = quoted(use) if isinstance(use, str) else quoted(repr(use))
        raise FormatError(path, _step_place(text, number, "use"), expected=_one_of(STEPS), found=found)
    known = STEPS[use].parameters()
    given = {key: value for key, value in table.items() if key != "use"}
    for key, value in given.items():
        if key not in known:
            place = _step_place(text, number, key)
            now = STEPS[use].renamed.get(key)
            if now is not None:
                raise FormatError(path, place, expected=now, found=quoted(key), hint=f"{key} is called {now} now")
            allowed = _one_of(known)
            raise FormatError(path, place, expected=f"a parameter of {use}: {allowed}", found=quoted(key))
        try:
            Step(use, **{key: value})
        except OptionError as error:
            shown = quoted(value) if isinstance(value, str) else quoted(repr(value)).strip("'")
            raise FormatError(path, _step_place(text, number, key), expected=_wish(error), found=shown) from None
    try:
        return Step(use, **given)
    except OptionError as error:
        # Each does by itself, but not all together.
        raise FormatError(
            path, _step_place(text, number, "use"), expected="parameters that go together", found=str(error)
        ) from None


def _wish(error: OptionError) -> str:
    """What an option's message asks for, without what it found: "omit must be 4, not 5" asks for "omit to be 4"."""
    return (str(error).rpartition(", not ")[0] or str(error)).replace(" must ", " to ", 1)


def _one_of(words: Sequence[str] | Any) -> str:
    return f"one of {', '.join(words)}"


def _hint(key: str) -> str:
    return "steps stand under [[step]]" if key in ("steps", "use", *STEPS) else ""


def _step_place(text: str, number: int, key: str) -> str:
    def there(part: Document) -> bool:
        steps = part.get("step", ())
        return len(steps) > number and key in steps[number]

    return _place(text, there)


def _place(text: str, there: Callable[[Document], bool]) -> str:
    """ "line N": the end of the shortest beginning of `text` that has it. TOML's reader itself tells no lines."""
    # As editors count them: other separators of Unicode may stand within a line.
    lines = text.split("\n")
    for count in range(1, len(lines) + 1):
        try:
            part = tomllib.loads("\n".join(lines[:count]))
        except ValueError:
            continue
        if there(part):
            return f"line {count}"
    return ""


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    return repr(value)
