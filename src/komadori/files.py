"""Reading and writing whole files: one clear error line on failure, and never a half-written file."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from os import PathLike
from pathlib import Path

from komadori.errors import FileNotFound, OutputError, UnreadableFile
from komadori.words import Note

_REASONS = {
    errno.EISDIR: Note("this is a folder"),
    errno.EACCES: Note("permission denied"),
    errno.EPERM: Note("permission denied"),
    errno.ENOSPC: Note("no space left on the disk"),
    errno.EDQUOT: Note("no space left on the disk"),
    errno.EROFS: Note("the disk cannot be written to"),
    errno.ENAMETOOLONG: Note("the name is too long"),
}
PART_PREFIX, PART_SUFFIX = ".komadori-", ".part"
"""How the names of temporary files begin and end: a leftover one belonged to a process that was killed."""
_NO_PATH = Note("not a valid file path")


def _reason(error: OSError) -> str:
    return _REASONS.get(error.errno or 0) or error.strerror or type(error).__name__


def read_bytes(path: str | PathLike[str]) -> bytes:
    """Everything in the file at `path`; a FormatError of one line if it cannot be read."""
    try:
        kind = Path(path).stat().st_mode
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, "a folder")
        # A link may lead to an endless device; /dev/stdin does end, even when typed by hand.
        if (stat.S_ISCHR(kind) or stat.S_ISBLK(kind)) and os.fspath(path) != "/dev/stdin":
            raise UnreadableFile(path, Note("this is a device"))
        return Path(path).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFound(path) from None
    except OSError as error:
        advice = Note("name a file in it") if error.errno == errno.EISDIR else ""
        raise UnreadableFile(path, _reason(error), advice) from None
    except ValueError:
        raise UnreadableFile(path, _NO_PATH) from None
    except MemoryError:
        raise UnreadableFile(path, Note("it does not fit into memory")) from None


def write_bytes(path: str | PathLike[str], data: bytes, *, follow: bool = True) -> None:
    """Puts `data` at `path`, whole or not at all; missing folders are made.

    The bytes go to a temporary file beside the target, which is renamed over it when they are safely on disk. A link
    is followed, and the file that it points to is replaced; without `follow` the link itself is. An existing file keeps
    its mode.
    """
    try:
        _replace(Path(path), data, follow)
    except OSError as error:
        raise OutputError(path, _reason(error)) from None
    except ValueError:
        raise OutputError(path, _NO_PATH) from None


def check_writable(path: str | PathLike[str]) -> None:
    """An OutputError now, if `write_bytes` would raise one after long work: not a directory, or not writable."""
    try:
        target = Path(os.path.realpath(path))
        there = next(place for place in (target, *target.parents) if place.exists())
        if there != target and not there.is_dir():
            raise OutputError(path, Note("{name} is not a folder", name=there.name))
        if not os.access(there, os.W_OK):
            raise PermissionError(errno.EACCES, "permission denied")
    except OSError as error:
        raise OutputError(path, _reason(error)) from None
    except ValueError:
        raise OutputError(path, _NO_PATH) from None


def is_plain(path: Path) -> bool:
    """Whether its own file lies at `path`: no link, pipe, device or folder."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):
        return False


def _replace(path: Path, data: bytes, follow: bool) -> None:
    target = Path(os.path.realpath(path)) if follow else path
    if target.is_dir() and (follow or not target.is_symlink()):
        raise IsADirectoryError(errno.EISDIR, "a folder")
    if follow and target.exists() and not target.is_file():
        # A pipe or a device (/dev/stdout) has nothing that could be left half-written, and must not be replaced.
        target.write_bytes(data)
        return
    kept = is_plain(target)
    if kept and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "permission denied")
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = _temporary(target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if kept:
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)
    except BaseException:
        # An interrupt too: however the writing ends, no temporary file is left behind.
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _temporary(folder: Path) -> tuple[int, Path]:
    """A new file in `folder`, open for writing.

    The system gives it the mode of any new file. Nobody needs to know the process's mask for it, which can only be read by
    setting it, for all threads at once.
    """
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    while True:
        path = folder / f"{PART_PREFIX}{secrets.token_hex(8)}{PART_SUFFIX}"
        with contextlib.suppress(FileExistsError):
            return os.open(path, flags, 0o666), path
