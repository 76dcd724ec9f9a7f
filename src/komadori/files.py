"""Reading and writing whole files: one clear line when it fails, and never a half-written file."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
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
_NO_PATH = Note("the path cannot be a file's")


def _reason(error: OSError) -> str:
    return _REASONS.get(error.errno or 0) or error.strerror or type(error).__name__


def read_bytes(path: str | PathLike[str]) -> bytes:
    """Everything in the file at `path`; a FormatError of one line where it cannot be read."""
    try:
        if Path(path).is_dir():
            raise IsADirectoryError(errno.EISDIR, "a folder")
        return Path(path).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFound(path) from None
    except OSError as error:
        advice = Note("name a file in it") if error.errno == errno.EISDIR else ""
        raise UnreadableFile(path, _reason(error), advice) from None
    except ValueError:
        raise UnreadableFile(path, _NO_PATH) from None
    except MemoryError:
        raise UnreadableFile(path, Note("it is more than fits into memory")) from None


def write_bytes(path: str | PathLike[str], data: bytes) -> None:
    """Puts `data` at `path`, whole or not at all; missing folders are made.

    The bytes go to a temporary file beside the target, which is renamed over it when they are safely on disk. A link
    is followed, and the file that it points to is replaced. An existing file keeps its mode.
    """
    try:
        _replace(Path(path), data)
    except OSError as error:
        raise OutputError(path, _reason(error)) from None
    except ValueError:
        raise OutputError(path, _NO_PATH) from None


def check_writable(path: str | PathLike[str]) -> None:
    """An OutputError now, where `write_bytes` would have one after long work: a folder that is none, or is not ours."""
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


def _replace(path: Path, data: bytes) -> None:
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, "a folder")
    if target.exists() and not target.is_file():
        # A pipe or a device (/dev/stdout) has nothing that could be left half-written, and must not be replaced.
        target.write_bytes(data)
        return
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "permission denied")
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
    handle, temporary = tempfile.mkstemp(prefix=".komadori-", suffix=".part", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(target)
    except BaseException:
        # An interrupt too: whatever ends the writing, no temporary file stays behind.
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise


def _umask() -> int:
    # The mask can only be read by setting it.
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
