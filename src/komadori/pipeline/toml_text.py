"""Recipes as TOML: read with the line of whatever is wrong, and written."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Sequence
from typing import Any

from komadori.errors import FormatError, OptionError, at_line, one_of, quoted
from komadori.pipeline.steps import Step, checked_about, misplaced, step_method, step_parameters, steps
from komadori.words import Note

MOST_BYTES, MOST_LINES, MOST_STEPS = 32_768, 600, 32
"""A longer text is not a recipe; error lines are found by parsing prefixes again, so it must be short."""

_KEYS = ("about", "step")
_AT = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)")

Document = dict[str, Any]


def decoded(data: bytes, path: str) -> str:
    """The text in a file's bytes, which must be UTF-8 and no longer than a recipe is."""
    if len(data) > MOST_BYTES:
        raise FormatError(
            path,
            expected=Note("a recipe of at most {most:,} bytes", most=MOST_BYTES),
            found=f"{len(data):,}",
        )
    try:
        # Editors on Windows put a byte order mark before the text.
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise FormatError(path, at_line(line), problem=Note("this is not UTF-8 text")) from None


def read(text: str, path: str) -> tuple[list[Step], str]:
    """The steps and the line about them in `text`; a FormatError for the first thing that is wrong."""
    document = _parsed(text, path)
    strange = next((key for key in document if key not in _KEYS), None)
    if strange is not None:
        place = _place(text, lambda part: strange in part)
        raise FormatError(path, place, expected=one_of(_KEYS), found=quoted(strange), advice=_advice(strange))
    try:
        about = checked_about(document.get("about", ""))
    except OptionError as error:
        place = _place(text, lambda part: "about" in part)
        raise FormatError(path, place, expected=_wanted(error), found=quoted(repr(document["about"]))) from None
    tables = document.get("step", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        place = _place(text, lambda part: "step" in part)
        raise FormatError(path, place, problem=Note("write each step under [[step]]"))
    if not tables:
        raise FormatError(path, problem=Note("the recipe has no [[step]]"))
    if len(tables) > MOST_STEPS:
        raise FormatError(path, expected=Note("at most {most} steps", most=MOST_STEPS), found=str(len(tables)))
    found = [_step(text, path, number, table) for number, table in enumerate(tables)]
    wrong = misplaced(found)
    if wrong is not None:
        number, expected = wrong
        raise FormatError(path, _step_place(text, number, "use"), expected=expected, found=found[number].use)
    return found, about


def written(recipe: Sequence[Step], about: str) -> str:
    """The steps of a recipe as a TOML file."""
    lines = [f"about = {_value(about)}"] if about else []
    for step in recipe:
        given = (f"{name} = {_value(value)}" for name, value in step.given if value is not None)
        lines += [*([""] if lines else []), "[[step]]", f"use = {_value(step.use)}", *given]
    return "\n".join(lines) + "\n"


def _parsed(text: str, path: str) -> Document:
    if len(text) > MOST_BYTES or text.count("\n") > MOST_LINES:
        found = Note("{lines:,} lines, {count:,} letters", lines=text.count(chr(10)) + 1, count=len(text))
        raise FormatError(path, expected=Note("a recipe of at most {most} lines", most=MOST_LINES), found=found)
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise FormatError(path, problem=Note("lists are nested too deeply")) from None
    except ValueError as error:
        # TOML's own errors, and numbers of more digits than Python reads.
        at = _AT.search(str(error))
        place = at_line(int(at[1])) if at and at[1] else Note("at its end") if at else ""
        raise FormatError(
            path, place, expected=Note("TOML"), found=_AT.sub("", str(error)) or Note("something else")
        ) from None


def _step(text: str, path: str, number: int, table: Document) -> Step:
    if "use" not in table:
        place = _place(text, lambda part: len(part.get("step", ())) > number)
        raise FormatError(
            path,
            place,
            problem=Note('a [[step]] needs use = "..." with one of {names}', names=", ".join(steps())),
        )
    use = table["use"]
    try:
        # The one method alone: to load all of them takes longer than to run a look.
        method = step_method(use)
    except OptionError:
        found = quoted(use) if isinstance(use, str) else quoted(repr(use))
        raise FormatError(path, _step_place(text, number, "use"), expected=one_of(steps()), found=found) from None
    known = step_parameters(method)
    given = {key: value for key, value in table.items() if key != "use"}
    for key, value in given.items():
        if key not in known:
            place = _step_place(text, number, key)
            now = method.renamed.get(key)
            if now is not None:
                advice = Note("{old} is called {new} now", old=key, new=now)
                raise FormatError(path, place, expected=now, found=quoted(key), advice=advice)
            allowed = one_of(known)
            raise FormatError(
                path,
                place,
                expected=Note("a parameter of {use}: {allowed}", use=use, allowed=allowed),
                found=quoted(key),
            )
        try:
            Step(use, **{key: value})
        except OptionError as error:
            if error.problem:
                raise FormatError(path, _step_place(text, number, key), problem=error.note) from None
            shown = quoted(value) if isinstance(value, str) else quoted(repr(value)).strip("'")
            raise FormatError(path, _step_place(text, number, key), expected=_wanted(error), found=shown) from None
    try:
        return Step(use, **given)
    except OptionError as error:
        # Each value is valid by itself, but not all together.
        raise FormatError(path, _step_place(text, number, "use"), problem=error.note) from None


def _wanted(error: OptionError) -> Note:
    """What an option's error asks for, with the option's name."""
    if not error.parameter:
        return error.note
    return Note("{parameter} to be {expected}", parameter=error.parameter, expected=error.expected)


def _advice(key: str) -> str:
    return Note("write each step under [[step]]") if key in ("steps", "use", *steps()) else ""


def _step_place(text: str, number: int, key: str) -> str:
    def there(part: Document) -> bool:
        steps = part.get("step", ())
        return len(steps) > number and key in steps[number]

    return _place(text, there)


def _place(text: str, there: Callable[[Document], bool]) -> str:
    """ "line N": the end of the shortest beginning of `text` that has it. Python's TOML reader does not report lines itself."""
    # As editors count them: other separators of Unicode may stand within a line.
    lines = text.split("\n")
    for count in range(1, len(lines) + 1):
        try:
            part = tomllib.loads("\n".join(lines[:count]))
        except ValueError:
            continue
        if there(part):
            return at_line(count)
    return ""


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, tuple) and value and all(isinstance(part, tuple) for part in value):
        return f"{{ {', '.join(f'{name} = {_value(part)}' for name, part in value)} }}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    return repr(value)
