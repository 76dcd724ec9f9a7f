"""The few exceptions that komadori raises on purpose; each message is one line that says what to do next."""

from __future__ import annotations

from os import PathLike


class KomadoriError(Exception):
    """Base of every error that a user can cause and can mend."""


class FormatError(KomadoriError):
    """A file that cannot be read (or a thing that a format cannot hold).

    The message is one line: file, place, expected, found, and what to do.

    >>> str(FormatError("walk.bvh", "line 7", expected="OFFSET", found="'OFFSETT'"))
    "walk.bvh, line 7: expected OFFSET, found 'OFFSETT'"
    """

    def __init__(
        self,
        path: str | PathLike[str],
        place: str = "",
        *,
        expected: str,
        found: str,
        hint: str = "",
    ) -> None:
        self.path = str(path)
        self.place = place
        self.expected = expected
        self.found = found
        self.hint = hint
        where = f"{self.path}, {place}" if place else self.path
        text = f"{where}: expected {expected}, found {found}"
        super().__init__(one_line(f"{text}; {hint}" if hint else text))


class OutputError(KomadoriError):
    """A file that could not be written; whatever stood there before is unchanged."""


class OptionError(KomadoriError, ValueError):
    """A parameter outside what a method accepts."""


def one_line(text: str, limit: int = 600) -> str:
    """`text` with control characters escaped and its length bounded: fit for one line of a terminal."""
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    return safe if len(safe) <= limit else safe[: limit - 1] + "…"


def quoted(text: str, limit: int = 60) -> str:
    """A piece of a file, quoted for an error message: escaped, and cut where it is long."""
    return "'" + one_line(text, limit) + "'"
