"""Which optional parts there are, what each is for, and whether its libraries are installed: read from the package's own metadata."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata

from komadori.words import Note

PACKAGE = "komadori"
PURPOSE: Mapping[str, Note] = {
    "pictures": Note("PNG and GIF pictures, printed timesheets (PDF)"),
    "video": Note("films (MP4, WebM)"),
    "studio": Note("the studio in the browser"),
    "live": Note("live input and output (VMC)"),
    "fbx": Note("reading FBX files"),
    "usd": Note("reading and writing USD files"),
    "c3d": Note("reading C3D marker files"),
    "compressed": Note("reading Draco and meshopt geometry in glTF files"),
    "cluster": Note("batches on several machines, and files at an address (s3://...)"),
    "parquet": Note("a batch's table as a Parquet file"),
    "fast": Note("compiled loops for long clips (set KOMADORI_FAST=1)"),
}
"""Extra -> what a user gets from it. The others in pyproject.toml combine these, or are for developing komadori."""

_REQUIREMENT = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)(?P<inner>\[[^]]*\])?(?P<rest>[^;]*)(?:;(?P<marker>.*))?$")
_EXTRA = re.compile(r"""extra\s*==\s*['"]([^'"]+)['"]""")


@dataclass(frozen=True)
class Library:
    """One distribution that an extra asks for, and the version that is installed, if any."""

    name: str
    wanted: str
    version: str | None


@dataclass(frozen=True)
class Extra:
    """One optional part of komadori."""

    name: str
    purpose: Note
    libraries: tuple[Library, ...]

    @property
    def is_there(self) -> bool:
        """Whether everything that it needs is installed."""
        return all(library.version for library in self.libraries)

    @property
    def command(self) -> str:
        """What to type to get it."""
        return f"pip install '{PACKAGE}[{self.name}]'"


def extras() -> tuple[Extra, ...]:
    """The optional parts that users choose from, with what is installed of each."""
    asked = _asked(metadata.requires(PACKAGE) or [])
    return tuple(
        Extra(name, purpose, tuple(Library(each, wanted, _version(each)) for each, wanted in asked.get(name, ())))
        for name, purpose in PURPOSE.items()
    )


def _asked(requirements: list[str]) -> dict[str, tuple[tuple[str, str], ...]]:
    """Extra -> the distributions that it asks for; an extra that names another one includes its distributions."""
    direct: dict[str, list[tuple[str, str]]] = {}
    named: dict[str, set[str]] = {}
    for line in requirements:
        parts = _REQUIREMENT.match(line.strip())
        extra = _EXTRA.search(parts["marker"] or "") if parts else None
        if parts is None or extra is None:
            continue
        if parts["name"] == PACKAGE and parts["inner"]:
            named.setdefault(extra[1], set()).update(word.strip() for word in parts["inner"][1:-1].split(","))
        else:
            direct.setdefault(extra[1], []).append((parts["name"], parts["rest"].strip()))

    def whole(name: str, seen: frozenset[str]) -> dict[str, str]:
        inner = (whole(each, seen | {name}) for each in sorted(named.get(name, set()) - seen))
        return {key: value for part in inner for key, value in part.items()} | dict(direct.get(name, ()))

    return {name: tuple(whole(name, frozenset()).items()) for name in {*direct, *named}}


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
