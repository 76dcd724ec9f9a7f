"""What a format is: its name, its suffixes, and what it reads and writes. Each format declares one (or a few) in its own file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias

from komadori.character import Character
from komadori.cut import Cut
from komadori.errors import OptionError
from komadori.keyed import Keyed
from komadori.motion import Motion
from komadori.timesheet import Timesheet
from komadori.words import Note

Clip: TypeAlias = Motion | Keyed
"""A movement that can be saved: frame by frame, or as keys."""

Kind = Literal[
    "motion", "character", "timesheets", "puppet", "translator", "trace", "take", "script", "recipe", "camera"
]
"""What a file can hold. A motion's file may hold a character too; every other holds one kind."""


@dataclass(frozen=True)
class Format:
    """A kind of file: what it is called, its suffixes (lower case), and what it can hold.

    Motions: `read` takes a path, the unit of length and the name of one clip (None if none was given); `write_keys` writes
    keys as keys, and if a format has none, `write` gets every frame. `left_out` tells what `write` cannot carry of a motion,
    `left_out_character` what `write_character` cannot; `origins` names the classes of the documents whose motions it writes with all that stood
    beside the joints (faces, cameras), or tells of it itself; `stretches` is whether it holds a body that is squashed and stretched.
    Timesheets are read and written by the name of their track; `left_out_sheets` tells what of a cut stays behind. Any other `kind` of thing has `parse` (bytes and the file's
    name, for messages) and `emit`; `holds` is the class of the thing. If several formats share a suffix, `fits` looks at
    what a file holds (the value of a .json, else the text) and tells whether it is one of this format.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Path, str | None, str | None], Motion] | None = None
    write: Callable[[Motion], bytes] | None = None
    write_keys: Callable[[Keyed], bytes] | None = None
    left_out: Callable[[Motion], tuple[Note, ...]] | None = None
    read_character: Callable[[Path], Character] | None = None
    write_character: Callable[[Character, Mapping[str, Clip]], bytes] | None = None
    left_out_character: Callable[[Character], tuple[Note, ...]] | None = None
    origins: tuple[str, ...] = ()
    stretches: bool = False
    read_sheets: Callable[[bytes, str], Cut] | None = None
    write_sheets: Callable[[Mapping[str, Timesheet]], bytes] | None = None
    left_out_sheets: Callable[[Mapping[str, Timesheet]], tuple[Note, ...]] | None = None
    kind: Kind | None = None
    holds: str = ""
    parse: Callable[[bytes, str], Any] | None = None
    emit: Callable[[Any], bytes] | None = None
    fits: Callable[[Any], bool] | None = None
    advice: str = ""
    """What to do instead of what it does not support."""


@dataclass(frozen=True)
class Late:
    """A function whose module is imported when it is called: a declaration must not be as expensive as the format itself."""

    module: str
    name: str

    def __call__(self, *args: Any, **options: Any) -> Any:
        """What the function gives."""
        return self.there()(*args, **options)

    def there(self) -> Callable[..., Any]:
        """The function itself."""
        found: Callable[..., Any] = getattr(import_module(self.module), self.name)
        return found


def exported_late(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """A package's `__getattr__` that imports a public name (name -> module of the package) when it is asked for."""

    def found(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{homes[name]}"), name)

    return found


def refuse(path: str | PathLike[str], *, unit: str | None = None, clip: str | None = None) -> None:
    """An OptionError for something that a format does not support."""
    if unit is not None:
        raise OptionError("unit", problem=Note("{file} states its own unit; leave this out", file=path))
    if clip is not None:
        raise OptionError("clip", problem=Note("{file} holds a single motion; leave the name out", file=path))


def no_clip(path: str | PathLike[str], clip: str, known: Iterable[str]) -> OptionError:
    """The error for a motion that a file does not hold."""
    names = ", ".join(known)
    advice = Note("it has {names}", names=names) if names else Note("it has no animation")
    return OptionError("clip", expected=Note("an animation in {file}", file=path), found=clip, advice=advice)
