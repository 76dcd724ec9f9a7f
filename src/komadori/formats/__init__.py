"""Files in and out: the formats that are known, in one table, and the functions that pick one by a file's suffix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from komadori import roles
from komadori.errors import FormatError, OptionError, quoted
from komadori.files import read_bytes, write_bytes
from komadori.motion import Motion
from komadori.timesheet import Timesheet

LONE_TRACK = "A"
"""The track of a timesheet that is saved on its own: the first cell layer, as studios letter them."""


# A format's module is imported when one of its files is met: these few lines keep `import komadori` quick.


def _read_bvh(path: Path, unit: str | None) -> Motion:
    from komadori.formats import bvh

    return bvh.parse(read_bytes(path), str(path)).motion(unit)


def _write_bvh(motion: Motion) -> bytes:
    from komadori.formats import bvh

    return bvh.emit(motion)


def _read_asf_amc(path: Path, unit: str | None) -> Motion:
    from komadori.formats import asf_amc

    if unit is not None:
        raise OptionError(f"unit: {path} states its own unit, it cannot be given")
    return asf_amc.read(path)


def _read_xdts(path: Path) -> dict[str, Timesheet]:
    from komadori.formats import xdts

    return xdts.parse(read_bytes(path), str(path))


def _write_xdts(sheets: Mapping[str, Timesheet]) -> bytes:
    from komadori.formats import xdts

    return xdts.emit(sheets)


def _read_json(path: Path) -> dict[str, Timesheet]:
    from komadori.formats import sheet_tables

    return sheet_tables.parse_json(read_bytes(path), str(path))


def _write_json(sheets: Mapping[str, Timesheet]) -> bytes:
    from komadori.formats import sheet_tables

    return sheet_tables.emit_json(sheets)


def _read_csv(path: Path) -> dict[str, Timesheet]:
    from komadori.formats import sheet_tables

    return sheet_tables.parse_csv(read_bytes(path), str(path))


def _write_csv(sheets: Mapping[str, Timesheet]) -> bytes:
    from komadori.formats import sheet_tables

    return sheet_tables.emit_csv(sheets)


@dataclass(frozen=True)
class Format:
    """A kind of file: what it is called, its suffixes (lower case), and what it can hold."""

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Path, str | None], Motion] | None = None
    write: Callable[[Motion], bytes] | None = None
    read_sheets: Callable[[Path], dict[str, Timesheet]] | None = None
    write_sheets: Callable[[Mapping[str, Timesheet]], bytes] | None = None


FORMATS: tuple[Format, ...] = (
    Format("BVH", (".bvh",), read=_read_bvh, write=_write_bvh),
    Format("Acclaim ASF/AMC", (".amc", ".asf"), read=_read_asf_amc),
    Format("XDTS", (".xdts",), read_sheets=_read_xdts, write_sheets=_write_xdts),
    Format("JSON", (".json",), read_sheets=_read_json, write_sheets=_write_json),
    Format("CSV", (".csv",), read_sheets=_read_csv, write_sheets=_write_csv),
)


def load(path: str | PathLike[str], *, unit: str | None = None) -> Motion:
    """The motion in the file at `path`: its own frames, in metres, with the joints' roles found.

    `unit` is the file's unit of length where the format states none ("m", "cm", "mm", "inch" or "cmu"); None guesses it
    from the size of the body, and a note says so.
    """
    path = Path(path)
    read = _format_of(path, "a motion file", "read").read
    assert read is not None
    motion = read(path, unit)
    # The first pose tells left from right where names and rest offsets do not.
    found = roles.find(motion.skeleton, motion.pose(0) if len(motion) else None)
    return motion.with_skeleton(motion.skeleton.with_roles(found))


def load_sheets(path: str | PathLike[str]) -> dict[str, Timesheet]:
    """Every timesheet in the file at `path`, by the name of its track."""
    path = Path(path)
    read = _format_of(path, "a timesheet file", "read_sheets").read_sheets
    assert read is not None
    return read(path)


def load_sheet(path: str | PathLike[str], track: str | None = None) -> Timesheet:
    """One timesheet of the file at `path`: that of `track`, or the only one."""
    sheets = load_sheets(path)
    if track is None and len(sheets) == 1:
        return next(iter(sheets.values()))
    if track is None or track not in sheets:
        expected = "one track" if track is None else f"the track {quoted(track)}"
        found = ", ".join(map(quoted, sheets)) or "none"
        raise FormatError(path, expected=expected, found=found, hint="name one of its tracks" if sheets else "")
    return sheets[track]


def save(thing: Motion | Timesheet | Mapping[str, Timesheet], path: str | PathLike[str]) -> None:
    """Writes a motion, a timesheet, or timesheets by track name; the suffix of `path` says in which format.

    The file appears whole or not at all, and missing folders are made.
    """
    write_bytes(path, encoded(thing, path))


def encoded(thing: Motion | Timesheet | Mapping[str, Timesheet], path: str | PathLike[str]) -> bytes:
    """What `save` would write to `path`."""
    path = Path(path)
    if isinstance(thing, Motion):
        write = _format_of(path, "a motion file", "write").write
        assert write is not None
        return write(thing)
    sheets = {LONE_TRACK: thing} if isinstance(thing, Timesheet) else thing
    if not isinstance(sheets, Mapping) or not all(isinstance(sheet, Timesheet) for sheet in sheets.values()):
        raise OptionError(f"only a Motion, a Timesheet or a mapping of Timesheets can be saved, not {type(thing)!r}")
    write_sheets = _format_of(path, "a timesheet file", "write_sheets").write_sheets
    assert write_sheets is not None
    return write_sheets(sheets)


def suffixes(ability: str) -> tuple[str, ...]:
    """The suffixes of all formats with that ability: "read", "write", "read_sheets" or "write_sheets"."""
    return tuple(suffix for known in FORMATS if getattr(known, ability) is not None for suffix in known.suffixes)


def _format_of(path: Path, what: str, ability: str) -> Format:
    """The format of `path` by its suffix, which must have that ability."""
    suffix = path.suffix.lower()
    for known in FORMATS:
        if suffix in known.suffixes and getattr(known, ability) is not None:
            return known
    expected = f"the name of {what} to end in {', '.join(suffixes(ability))}"
    raise FormatError(path, expected=expected, found=quoted(path.suffix) if suffix else "no suffix")
