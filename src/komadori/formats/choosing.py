"""Which format a file has, by the suffix of its name."""

from __future__ import annotations

from pathlib import Path

from komadori.errors import FormatError, quoted
from komadori.formats.format import Format
from komadori.formats.table import FORMATS
from komadori.words import Note


def suffixes(ability: str) -> tuple[str, ...]:
    """The suffixes of all formats with that ability: "read", "write", "read_character", "read_sheets" ..."""
    return tuple(suffix for known in FORMATS if getattr(known, ability) is not None for suffix in known.suffixes)


def format_of(path: Path, what: str, ability: str) -> Format:
    """The format of `path` by its suffix, which must have that ability; `what` names the thing for the error."""
    name = path.name.lower()
    able = [
        (len(suffix), known)
        for known in FORMATS
        if getattr(known, ability) is not None
        for suffix in known.suffixes
        if name.endswith(suffix) and name != suffix
    ]
    if not able:
        raise unknown(path, what, suffixes(ability))
    # ".celsys.csv" names its format more closely than ".csv".
    return max(able, key=lambda one: one[0])[1]


def of_kind(path: Path, kind: str, *, any_name: bool = False) -> Format:
    """The format in which `path` holds a thing of that kind; with `any_name` the kind's only format, whatever the suffix."""
    own = [known for known in FORMATS if known.kind == kind]
    for known in own:
        if path.suffix.lower() in known.suffixes or (any_name and len(own) == 1):
            return known
    raise unknown(
        path, Note("a file of a {kind}", kind=Note(kind)), tuple(suffix for known in own for suffix in known.suffixes)
    )


def unknown(path: Path, what: str, known: tuple[str, ...]) -> FormatError:
    """The error for a name that ends in none of the `known` suffixes."""
    expected = Note("the name of {what} to end in {names}", what=what, names=", ".join(known))
    suffix = path.suffix.lower()
    advice = next((form.advice for form in FORMATS if suffix in form.suffixes and form.advice), "")
    return FormatError(
        path, expected=expected, found=quoted(path.suffix) if suffix else Note("no suffix"), advice=advice
    )
