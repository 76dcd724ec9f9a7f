"""Which format a file has, by the suffix of its name."""

from __future__ import annotations

from pathlib import Path

from komadori.errors import FormatError, quoted
from komadori.formats.format import Format
from komadori.formats.table import FORMATS


def suffixes(ability: str) -> tuple[str, ...]:
    """The suffixes of all formats with that ability: "read", "write", "read_character", "read_sheets" ..."""
    return tuple(suffix for known in FORMATS if getattr(known, ability) is not None for suffix in known.suffixes)


def format_of(path: Path, what: str, ability: str) -> Format:
    """The format of `path` by its suffix, which must have that ability; `what` names the thing for the error."""
    suffix = path.suffix.lower()
    for known in FORMATS:
        if suffix in known.suffixes and getattr(known, ability) is not None:
            return known
    raise unknown(path, what, suffixes(ability))


def of_kind(path: Path, kind: str, *, any_name: bool = False) -> Format:
    """The format in which `path` holds a thing of that kind; with `any_name` the kind's only format, whatever the suffix."""
    own = [known for known in FORMATS if known.kind == kind]
    for known in own:
        if path.suffix.lower() in known.suffixes or (any_name and len(own) == 1):
            return known
    raise unknown(path, f"a {kind}'s file", tuple(suffix for known in own for suffix in known.suffixes))


def unknown(path: Path, what: str, known: tuple[str, ...]) -> FormatError:
    """The error for a name that ends in none of the `known` suffixes."""
    expected = f"the name of {what} to end in {', '.join(known)}"
    suffix = path.suffix.lower()
    hint = next((form.hint for form in FORMATS if suffix in form.suffixes and form.hint), "")
    return FormatError(path, expected=expected, found=quoted(path.suffix) if suffix else "no suffix", hint=hint)
