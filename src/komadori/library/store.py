"""Where results lie: a folder of this machine, or an fsspec address (s3://bucket/folder). Files are put there whole or not at all."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, Protocol

from komadori.errors import FileNotFound, KomadoriError, OutputError, UnreadableFile, one_line
from komadori.files import PART_PREFIX, PART_SUFFIX, read_bytes, write_bytes
from komadori.words import Note

_REMOTE = re.compile(r"[a-z][a-z0-9+.-]+://")
OWN = ("file://", "local://")
"""What addresses on this machine begin with."""
COMPANIONS = {".amc": (".asf",), ".gltf": (".bin", ".png", ".jpg", ".jpeg"), ".vmd": (".pmx", ".pmd")}
"""Suffix of a motion file -> suffixes of the files next to it that its reader may need."""


class Store(Protocol):
    """A place for named files; a name has slashes between its folders."""

    @property
    def address(self) -> str:
        """The address of this place."""

    def read(self, name: str) -> bytes | None:
        """All of a file, or None if there is none."""

    def write(self, name: str, data: bytes) -> None:
        """Put a file there, whole or not at all; an OutputError if that fails."""

    def size(self, name: str) -> int | None:
        """How many bytes a file has, or None if there is none."""

    def names(self, folder: str, suffix: str) -> list[str]:
        """The names of all files below `folder` that end in `suffix`."""


@dataclass(frozen=True)
class Folder:
    """A folder of this machine, or one that it shares with others."""

    address: str

    def read(self, name: str) -> bytes | None:
        """All of a file, or None if there is none."""
        try:
            return read_bytes(Path(self.address, name))
        except FileNotFound:
            return None

    def write(self, name: str, data: bytes) -> None:
        """Put a file there through a temporary one beside it."""
        write_bytes(Path(self.address, name), data)

    def size(self, name: str) -> int | None:
        """How many bytes a file has, or None if there is none."""
        try:
            return Path(self.address, name).stat().st_size
        except OSError:
            return None

    def names(self, folder: str, suffix: str) -> list[str]:
        """The names of all files below `folder` that end in `suffix`."""
        top = Path(self.address)
        return sorted(path.relative_to(top).as_posix() for path in (top / folder).rglob(f"*{suffix}"))

    def tidied(self) -> int:
        """Remove temporary files left by killed processes; returns how many there were."""
        left = [path for path in Path(self.address).rglob(f"{PART_PREFIX}*{PART_SUFFIX}") if path.is_file()]
        for path in left:
            path.unlink(missing_ok=True)
        return len(left)


@dataclass(frozen=True)
class Remote:
    """An fsspec address. Object stores put a file there at once, so nothing half-written is ever seen."""

    address: str

    def read(self, name: str) -> bytes | None:
        """All of a file, or None if there is none."""
        system, path = self._at(name)
        with contextlib.suppress(FileNotFoundError), reaching(f"{self.address}/{name}"):
            return bytes(system.cat_file(path))
        return None

    def write(self, name: str, data: bytes) -> None:
        """Put a file there in one request; folders are only made where the file system needs them, a bucket never."""
        system, path = self._at(name)
        with reaching(f"{self.address}/{name}", OutputError):
            try:
                system.pipe_file(path, data)
            except FileNotFoundError:
                folders = [str(folder) for folder in reversed(PurePosixPath(path).parents)]
                for folder in folders:
                    if not system.exists(folder):
                        system.mkdir(folder, create_parents=False)
                system.pipe_file(path, data)

    def size(self, name: str) -> int | None:
        """How many bytes a file has, or None if there is none."""
        system, path = self._at(name)
        with contextlib.suppress(FileNotFoundError), reaching(f"{self.address}/{name}"):
            return int(system.size(path))
        return None

    def names(self, folder: str, suffix: str) -> list[str]:
        """The names of all files below `folder` that end in `suffix`."""
        system, path = self._at(folder)
        top = path.removesuffix(folder)
        found: list[str] = []
        with contextlib.suppress(FileNotFoundError), reaching(f"{self.address}/{folder}"):
            found = system.find(path)
        return sorted(name.removeprefix(top).lstrip("/") for name in found if name.endswith(suffix))

    def _at(self, name: str) -> tuple[Any, str]:
        system, path = filesystem(self.address)
        return system, f"{path.rstrip('/')}/{name}" if name else path


def plain(address: str) -> str:
    """`address` as a path of this machine if it is one (file:///clips, local:///clips); any other stays as it is.

    >>> plain("file:///clips"), plain("s3://clips/cmu")
    ('/clips', 's3://clips/cmu')
    """
    for scheme in OWN:
        if address.startswith(scheme):
            return address.removeprefix(scheme) or "/"
    return address


def is_remote(address: str) -> bool:
    """Whether `address` is an fsspec one and no path of this machine.

    >>> is_remote("s3://clips/cmu"), is_remote("clips/cmu"), is_remote("file:///clips")
    (True, False, False)
    """
    return bool(_REMOTE.match(address)) and not address.startswith(OWN)


def store_at(address: str) -> Store:
    """The store that `address` leads to."""
    return Remote(address.rstrip("/")) if is_remote(address) else Folder(plain(address))


def filesystem(address: str) -> tuple[Any, str]:
    """fsspec's file system for an address, and the path in it."""
    try:
        import fsspec
    except ImportError:
        raise KomadoriError(
            Note("{address} needs fsspec, which is not installed: pip install 'komadori[cluster]'", address=address)
        ) from None
    with reaching(address):
        system, path = fsspec.core.url_to_fs(address)
    return system, str(path)


@contextmanager
def reaching(address: str, failed: Callable[[str, str], KomadoriError] = UnreadableFile) -> Iterator[None]:
    """Whatever a file system raises becomes one line about `address`; only a FileNotFoundError stays what it is, unless it is about a result."""
    try:
        yield
    except KomadoriError:
        raise
    except FileNotFoundError as error:
        if failed is UnreadableFile:
            raise
        raise failed(address, one_line(str(error))) from None
    except Exception as error:
        # Each has exceptions of its own: without credentials, or if nobody answers, S3's are no OSError.
        raise failed(address, one_line(str(error) or type(error).__name__)) from None


@contextmanager
def fetched(address: str) -> Iterator[str]:
    """The path of a file on this machine: its own, or that of a temporary copy."""
    if not is_remote(address):
        yield plain(address)
        return
    system, path = filesystem(address)
    remote = PurePosixPath(path)
    with TemporaryDirectory(prefix="komadori-") as folder:
        wanted = COMPANIONS.get(remote.suffix.lower(), ())
        try:
            with reaching(address):
                beside = [PurePosixPath(name) for name in system.ls(str(remote.parent), detail=False)] if wanted else []
                for one in [remote, *(one for one in beside if one.suffix.lower() in wanted)]:
                    Path(folder, one.name).write_bytes(system.cat_file(str(one)))
        except FileNotFoundError:
            raise FileNotFound(address) from None
        yield str(Path(folder, remote.name))
