"""The exceptions that komadori raises on purpose; each message is one line that says what to do next, in English or Japanese."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any, overload

from komadori.words import Note


class KomadoriError(Exception):
    """Base of every error that a user can cause and can fix. `note` is its line, as a Note that can be translated."""

    note: Note

    def __init__(self, note: Note) -> None:
        self.note = note
        super().__init__(one_line(note))

    def in_language(self, language: str) -> str:
        """The line in `language` ("en" or "ja")."""
        return one_line(self.note.in_language(language))

    def __reduce__(self) -> tuple[Any, ...]:
        # Errors are pickled between processes; the arguments that made one are not in `args`.
        return _restored, (type(self), self.args, vars(self))


class FormatError(KomadoriError):
    """A file that cannot be read (or a thing that a format cannot hold).

    Its line says the file, the place in it, what was expected and found (or `problem`, a sentence that says what is wrong),
    and what to do. Each of the parts may be a Note.

    >>> str(FormatError("walk.bvh", "line 7", expected="OFFSET", found="'OFFSETT'"))
    "walk.bvh, line 7: expected OFFSET, found 'OFFSETT'"
    >>> str(FormatError("walk.bvh", "line 7", problem="'hips' is used twice"))
    "walk.bvh, line 7: 'hips' is used twice"
    """

    @overload
    def __init__(
        self, file: str | PathLike[str], place: str = "", *, expected: str, found: str, advice: str = ""
    ) -> None: ...
    @overload
    def __init__(self, file: str | PathLike[str], place: str = "", *, problem: str, advice: str = "") -> None: ...
    def __init__(
        self,
        file: str | PathLike[str],
        place: str = "",
        *,
        expected: str = "",
        found: str = "",
        problem: str = "",
        advice: str = "",
    ) -> None:
        # An empty name, as an unset shell variable gives it, would be invisible.
        self.file = str(file) or "''"
        self.place = place
        self.expected = expected
        self.found = found
        self.problem = problem
        self.advice = advice
        super().__init__(self._line())

    def of(self, file: str) -> FormatError:
        """The same error with another name for the file: users know a dropped file by its original name."""
        again: FormatError = _restored(type(self), self.args, {**vars(self), "file": file})
        again.note = again._line()
        again.args = (one_line(again.note),)
        return again

    def _line(self) -> Note:
        where: str = Note("{file}, {place}", file=self.file, place=self.place) if self.place else self.file
        if self.problem:
            return _problem(where, self.problem, self.advice)
        said = {"where": where, "expected": self.expected, "found": self.found}
        if self.advice:
            return Note("{where}: expected {expected}, found {found}; {advice}", **said, advice=self.advice)
        return Note("{where}: expected {expected}, found {found}", **said)


class UnreadableFile(FormatError):
    """A file that could not be read at all; `found` says why."""

    def __init__(self, file: str | PathLike[str], reason: str, advice: str = "") -> None:
        super().__init__(file, expected=Note("a readable file"), found=reason, advice=advice)

    def _line(self) -> Note:
        if self.advice:
            return Note(
                "{file}: cannot be read: {reason}; {advice}", file=self.file, reason=self.found, advice=self.advice
            )
        return Note("{file}: cannot be read: {reason}", file=self.file, reason=self.found)


class FileNotFound(UnreadableFile):
    """A file that is not there.

    >>> str(FileNotFound("walk.bvh"))
    'File not found: walk.bvh'
    """

    def __init__(self, file: str | PathLike[str], advice: str = "") -> None:
        super().__init__(file, Note("no such file"), advice)

    def _line(self) -> Note:
        if self.advice:
            return Note("File not found: {file}; {advice}", file=self.file, advice=self.advice)
        return Note("File not found: {file}", file=self.file)


class OutputError(KomadoriError):
    """A file that could not be written, and why; whatever stood there before is unchanged.

    >>> str(OutputError("out.bvh", Note("permission denied")))
    'out.bvh: cannot be written: permission denied'
    """

    def __init__(self, file: str | PathLike[str], reason: str) -> None:
        self.file, self.reason = str(file), reason
        super().__init__(Note("{file}: cannot be written: {reason}", file=self.file, reason=reason))


class OptionError(KomadoriError, ValueError):
    """A parameter with a value that is not accepted: its name, and what was expected and given or `problem`, a sentence that
    says what is wrong. A single Note may replace all of these.

    >>> str(OptionError("unit", expected=one_of(["cm", "m"]), found="furlong"))
    "unit: expected one of cm, m, found 'furlong'"
    """

    @overload
    def __init__(self, parameter: Note) -> None: ...
    @overload
    def __init__(self, parameter: str, *, expected: Note, found: object, advice: str = "") -> None: ...
    @overload
    def __init__(self, parameter: str, *, problem: Note, advice: str = "") -> None: ...
    def __init__(
        self, parameter: str, *, expected: str = "", found: object = "", problem: str = "", advice: str = ""
    ) -> None:
        self.parameter = parameter if expected or problem else ""
        self.expected = expected
        self.problem = problem
        self.found = found if isinstance(found, Note) else _shown(found)
        self.advice = advice
        super().__init__(parameter if isinstance(parameter, Note) and not self.parameter else self._line())

    def _line(self) -> Note:
        if self.problem:
            return _problem(self.parameter, self.problem, self.advice)
        said = {"parameter": self.parameter, "expected": self.expected, "found": self.found}
        if self.advice:
            return Note("{parameter}: expected {expected}, found {found}; {advice}", **said, advice=self.advice)
        return Note("{parameter}: expected {expected}, found {found}", **said)

    def in_file(self, file: str | PathLike[str]) -> FormatError:
        """The same error as a FormatError, with the parameter as the place."""
        if not self.parameter:
            return FormatError(file, problem=self.note)
        if self.problem:
            return FormatError(file, self.parameter, problem=self.problem, advice=self.advice)
        return FormatError(file, self.parameter, expected=self.expected, found=self.found, advice=self.advice)

    def named(self, parameter: str) -> OptionError:
        """The same error with another name for the parameter: the command line knows "omit" as "--omit"."""
        if not self.parameter:
            return self
        again: OptionError = _restored(type(self), self.args, {**vars(self), "parameter": parameter})
        again.note = again._line()
        again.args = (one_line(again.note),)
        return again


def _problem(where: str, problem: str, advice: str) -> Note:
    if advice:
        return Note("{where}: {problem}; {advice}", where=where, problem=problem, advice=advice)
    return Note("{where}: {problem}", where=where, problem=problem)


def _shown(found: object) -> str:
    """A value as an error shows it."""
    if type(found).__module__ == "numpy" and getattr(found, "ndim", 1) == 0:
        found = found.item()  # type: ignore[attr-defined]
    try:
        return quoted(found) if isinstance(found, str) else one_line(repr(found), 80)
    except ValueError:
        # Python refuses to print integers of more than a few thousand digits.
        return Note("a number of thousands of digits")


def _restored(kind: type[Any], args: tuple[Any, ...], state: dict[str, Any]) -> Any:
    error = kind.__new__(kind, *args)
    vars(error).update(state)
    return error


def one_line(text: str, limit: int = 600) -> str:
    """`text` with control characters escaped and its length bounded: fit for one line of a terminal."""
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    return safe if len(safe) <= limit else safe[: limit - 1] + "…"


def quoted(text: str, limit: int = 60) -> str:
    """A piece of a file, quoted for an error message: escaped, and cut if it is long."""
    return "'" + one_line(text, limit) + "'"


def unquoted(text: str) -> Note:
    """Sizes, names or numbers that an error shows as they are, without quotes."""
    return Note("{text}", text=one_line(text, 80))


def at_line(number: int) -> Note:
    """A place in a text file, for an error; lines count from 1."""
    return Note("line {number}", number=number)


def at_byte(number: int) -> Note:
    """A place in a binary file, for an error; bytes count from 0."""
    return Note("byte {number}", number=number)


def one_of(words: Iterable[str]) -> Note:
    """What is expected if there is a choice."""
    return Note("one of {words}", words=", ".join(words))
