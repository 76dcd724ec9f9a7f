"""Files in and out: the formats that are known, in one table, and the functions that pick one by a file's suffix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TypeAlias

from komadori import roles
from komadori.character import Character
from komadori.errors import FormatError, OptionError, quoted
from komadori.files import read_bytes, write_bytes
from komadori.keyed import Keyed
from komadori.motion import Motion
from komadori.skeleton import Skeleton
from komadori.timesheet import Timesheet
from komadori.words import Note

Clip: TypeAlias = Motion | Keyed
"""A movement that can be saved: frame by frame, or as keys."""

LONE_TRACK = "A"
"""The track of a timesheet that is saved on its own: the first cell layer, as studios letter them."""


# A format's module is imported when one of its files is met: these few lines keep `import komadori` quick.


def _read_bvh(path: Path, unit: str | None, clip: str | None) -> Motion:
    from komadori.formats import bvh

    _refuse(path, clip=clip)
    return bvh.parse(read_bytes(path), str(path)).motion(unit)


def _write_bvh(motion: Motion) -> bytes:
    from komadori.formats import bvh

    return bvh.emit(motion)


def _read_asf_amc(path: Path, unit: str | None, clip: str | None) -> Motion:
    from komadori.formats import asf_amc

    _refuse(path, unit=unit, clip=clip)
    return asf_amc.read(path)


# A VRM avatar may call itself a glTF, which it is; what VRM says of it counts all the same.


def _read_gltf(path: Path, unit: str | None, clip: str | None) -> Motion:
    from komadori.formats import gltf, vrm

    _refuse(path, unit=unit)
    document = gltf.parse(read_bytes(path), str(path), path.parent)
    if vrm.is_avatar(document):
        return vrm.motion(document, clip)
    document, notes = gltf.sized(document)
    return gltf.motion(document, clip).noted(*notes)


def _read_gltf_character(path: Path) -> Character:
    from komadori.formats import gltf, vrm

    document = gltf.parse(read_bytes(path), str(path), path.parent)
    if vrm.is_avatar(document):
        return vrm.character(document)
    document, notes = gltf.sized(document)
    character = gltf.character_of(document)
    return replace(character, notes=(*character.notes, *notes))


def _write_glb(clip: Clip) -> bytes:
    from komadori.formats import gltf, vrm

    return gltf.emit(vrm.clip_as_filed(clip))


def _write_gltf(clip: Clip) -> bytes:
    from komadori.formats import gltf, vrm

    return gltf.emit(vrm.clip_as_filed(clip), text=True)


def _write_glb_character(character: Character, clips: Mapping[str, Clip]) -> bytes:
    from komadori.formats import gltf, vrm

    return gltf.emit_character(*vrm.as_filed(character, clips))


def _write_gltf_character(character: Character, clips: Mapping[str, Clip]) -> bytes:
    from komadori.formats import gltf, vrm

    return gltf.emit_character(*vrm.as_filed(character, clips), text=True)


def _read_vrm_character(path: Path) -> Character:
    from komadori.formats import vrm

    return vrm.read(read_bytes(path), str(path))


def _write_vrm_character(character: Character, clips: Mapping[str, Clip]) -> bytes:
    from komadori.formats import vrm

    return vrm.emit(character, clips)


def _read_vrma(path: Path, unit: str | None, clip: str | None) -> Motion:
    from komadori.formats import vrm

    _refuse(path, unit=unit)
    return vrm.read_motion(read_bytes(path), str(path), clip)


def _write_vrma(motion: Motion) -> bytes:
    from komadori.formats import vrm

    return vrm.emit_motion(motion)


def _left_out_of_vrma(motion: Motion) -> tuple[Note, ...]:
    from komadori.formats import vrm

    return vrm.left_out(motion)


def _left_out_of_vmd(motion: Motion) -> tuple[Note, ...]:
    from komadori.formats import mmd

    return mmd.writing.left_out(motion)


def _left_out_of_vpd(motion: Motion) -> tuple[Note, ...]:
    from komadori.formats import mmd

    return mmd.vpd.left_out(motion)


def _read_mmd(path: Path, unit: str | None, clip: str | None) -> Motion:
    from komadori.formats import mmd

    _refuse(path, unit=unit, clip=clip)
    return mmd.read_motion(path)


def _read_mmd_character(path: Path) -> Character:
    from komadori.formats import mmd

    return mmd.read_character(path)


def _write_vmd(motion: Motion) -> bytes:
    from komadori.formats import mmd

    return mmd.writing.emit(motion)


def _write_vpd(motion: Motion) -> bytes:
    from komadori.formats import mmd

    return mmd.vpd.emit(motion)


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
    """A kind of file: what it is called, its suffixes (lower case), and what it can hold.

    `read` takes a path, the unit of length and the name of one clip (None where none was given); `write_keys` writes
    keys as keys, and where a format has none, `write` gets every frame. `left_out` tells what `write` cannot carry of a motion.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Path, str | None, str | None], Motion] | None = None
    write: Callable[[Motion], bytes] | None = None
    write_keys: Callable[[Keyed], bytes] | None = None
    left_out: Callable[[Motion], tuple[Note, ...]] | None = None
    read_character: Callable[[Path], Character] | None = None
    write_character: Callable[[Character, Mapping[str, Clip]], bytes] | None = None
    read_sheets: Callable[[Path], dict[str, Timesheet]] | None = None
    write_sheets: Callable[[Mapping[str, Timesheet]], bytes] | None = None
    hint: str = ""
    """What to do instead of what it cannot."""


def _read_usd(path: Path, unit: str | None, clip: str | None) -> Motion:
    from komadori.formats import usd

    return usd.read_motion(path, unit, clip)


def _read_usd_character(path: Path) -> Character:
    from komadori.formats import usd

    return usd.read(path)


def _write_usd(motion: Motion, kind: str) -> bytes:
    from komadori.formats import usd

    return usd.emit(motion, kind)


def _write_usd_character(character: Character, clips: Mapping[str, Clip], kind: str) -> bytes:
    from komadori.formats import usd

    framed = {name: clip.motion() if isinstance(clip, Keyed) else clip for name, clip in clips.items()}
    return usd.emit_character(character, framed, kind)


def _usd(name: str, suffixes: tuple[str, ...], kind: str) -> Format:
    return Format(
        name,
        suffixes,
        read=_read_usd,
        write=partial(_write_usd, kind=kind),
        read_character=_read_usd_character,
        write_character=partial(_write_usd_character, kind=kind),
    )


def _read_fbx(path: Path, unit: str | None, clip: str | None) -> Motion:
    from komadori.formats import fbx

    _refuse(path, unit=unit)
    return fbx.read_motion(path, clip)


def _read_fbx_character(path: Path) -> Character:
    from komadori.formats import fbx

    return fbx.read(path)


def _read_c3d(path: Path, unit: str | None, clip: str | None) -> Motion:
    from komadori.formats import c3d

    _refuse(path, unit=unit, clip=clip)
    return c3d.read_motion(path)


FORMATS: tuple[Format, ...] = (
    Format("BVH", (".bvh",), read=_read_bvh, write=_write_bvh),
    Format("Acclaim ASF/AMC", (".amc", ".asf"), read=_read_asf_amc),
    Format(
        "glTF binary",
        (".glb",),
        read=_read_gltf,
        write=_write_glb,
        write_keys=_write_glb,
        read_character=_read_gltf_character,
        write_character=_write_glb_character,
    ),
    Format(
        "glTF",
        (".gltf",),
        read=_read_gltf,
        write=_write_gltf,
        write_keys=_write_gltf,
        read_character=_read_gltf_character,
        write_character=_write_gltf_character,
    ),
    Format("MikuMikuDance model", (".pmx", ".pmd"), read=_read_mmd, read_character=_read_mmd_character),
    Format("MikuMikuDance motion", (".vmd",), read=_read_mmd, write=_write_vmd, left_out=_left_out_of_vmd),
    Format("MikuMikuDance pose", (".vpd",), read=_read_mmd, write=_write_vpd, left_out=_left_out_of_vpd),
    Format(
        "VRM avatar",
        (".vrm",),
        read=_read_gltf,
        read_character=_read_vrm_character,
        write_character=_write_vrm_character,
    ),
    Format("VRM animation", (".vrma",), read=_read_vrma, write=_write_vrma, left_out=_left_out_of_vrma),
    _usd("USD text", (".usda",), "usda"),
    _usd("USD", (".usd", ".usdc"), "usdc"),
    _usd("USDZ", (".usdz",), "usdz"),
    Format(
        "FBX",
        (".fbx",),
        read=_read_fbx,
        read_character=_read_fbx_character,
        hint="FBX is written through Blender only: write a .glb and export it from there",
    ),
    Format("C3D", (".c3d",), read=_read_c3d, hint="C3D is read only"),
    Format("XDTS", (".xdts",), read_sheets=_read_xdts, write_sheets=_write_xdts),
    Format("JSON", (".json",), read_sheets=_read_json, write_sheets=_write_json),
    Format("CSV", (".csv",), read_sheets=_read_csv, write_sheets=_write_csv),
)


def load(path: str | PathLike[str], *, unit: str | None = None, clip: str | None = None) -> Motion:
    """The motion in the file at `path`: its own frames, in metres, with the joints' roles found.

    `unit` is the file's unit of length where the format states none ("m", "cm", "mm", "inch" or "cmu"); None guesses it
    from the size of the body, and a note says so. `clip` names one of several motions in a file; None takes the first that moves.
    """
    path = Path(path)
    read = _format_of(path, "a motion file", "read").read
    assert read is not None
    motion = read(path, unit, clip)
    # The first pose tells left from right where names and rest offsets do not.
    return motion.with_skeleton(_with_roles(motion.skeleton, motion if len(motion) else None))


def load_character(path: str | PathLike[str]) -> Character:
    """The character in the file at `path`: skeleton with its roles, meshes, materials, pictures, and its motions."""
    path = Path(path)
    read = _format_of(path, "a character's file", "read_character").read_character
    assert read is not None
    character = read(path)
    skeleton = _with_roles(character.skeleton, None)
    motions = {name: motion.with_skeleton(skeleton) for name, motion in character.motions.items()}
    return replace(character, skeleton=skeleton, motions=motions)


def _with_roles(skeleton: Skeleton, motion: Motion | None) -> Skeleton:
    """`skeleton` with the roles that its file states, else with those that can be told."""
    return skeleton.with_roles(dict(skeleton.roles) or roles.find(skeleton, motion.pose(0) if motion else None))


def _refuse(path: Path, *, unit: str | None = None, clip: str | None = None) -> None:
    """An OptionError for what a format has no use for."""
    if unit is not None:
        raise OptionError(f"unit: {path} states its own unit, it cannot be given")
    if clip is not None:
        raise OptionError(f"clip: {path} holds a single motion, it has no name")


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


Saved: TypeAlias = Clip | Character | Timesheet | Mapping[str, Timesheet]


def save(thing: Saved, path: str | PathLike[str]) -> None:
    """Writes a motion, keys, a character, a timesheet, or timesheets by track name; the suffix of `path` names the format.

    The file appears whole or not at all, and missing folders are made.
    """
    write_bytes(path, encoded(thing, path))


def save_character(character: Character, path: str | PathLike[str], motions: Mapping[str, Clip] | None = None) -> None:
    """Writes a character with its own motions and with `motions`, which replace those of the same name."""
    write_bytes(path, encoded(character, path, motions=motions))


def left_out(thing: Saved, path: str | PathLike[str]) -> tuple[Note, ...]:
    """What a file at `path` would not carry of `thing`, one note each: bones that its format has no place for, frames, rates."""
    if not isinstance(thing, Motion | Keyed):
        return ()
    tell = _format_of(Path(path), "a motion file", "write").left_out
    return () if tell is None else tell(thing.motion() if isinstance(thing, Keyed) else thing)


def encoded(thing: Saved, path: str | PathLike[str], *, motions: Mapping[str, Clip] | None = None) -> bytes:
    """What `save` would write to `path`, or `save_character` with `motions`."""
    path = Path(path)
    if isinstance(thing, Character):
        return _encoded_character(thing, path, motions or {})
    if isinstance(thing, Motion | Keyed):
        chosen = _format_of(path, "a motion file", "write")
        if isinstance(thing, Keyed) and chosen.write_keys is not None:
            return chosen.write_keys(thing)
        assert chosen.write is not None
        return chosen.write(thing.motion() if isinstance(thing, Keyed) else thing)
    sheets = {LONE_TRACK: thing} if isinstance(thing, Timesheet) else thing
    if not isinstance(sheets, Mapping) or not all(isinstance(sheet, Timesheet) for sheet in sheets.values()):
        raise OptionError(
            f"only a Motion, Keyed, a Character, a Timesheet or a mapping of Timesheets can be saved, not {type(thing)!r}"
        )
    write_sheets = _format_of(path, "a timesheet file", "write_sheets").write_sheets
    assert write_sheets is not None
    return write_sheets(sheets)


def _encoded_character(character: Character, path: Path, motions: Mapping[str, Clip]) -> bytes:
    write = _format_of(path, "a character's file", "write_character").write_character
    assert write is not None
    return write(character, motions)


def suffixes(ability: str) -> tuple[str, ...]:
    """The suffixes of all formats with that ability: "read", "write", "read_character", "read_sheets" ..."""
    return tuple(suffix for known in FORMATS if getattr(known, ability) is not None for suffix in known.suffixes)


def _format_of(path: Path, what: str, ability: str) -> Format:
    """The format of `path` by its suffix, which must have that ability."""
    suffix = path.suffix.lower()
    for known in FORMATS:
        if suffix in known.suffixes and getattr(known, ability) is not None:
            return known
    expected = f"the name of {what} to end in {', '.join(suffixes(ability))}"
    hint = next((known.hint for known in FORMATS if suffix in known.suffixes), "")
    raise FormatError(path, expected=expected, found=quoted(path.suffix) if suffix else "no suffix", hint=hint)
