"""USD (.usda, .usdc, .usd, .usdz): skeletons, animations and skinned meshes by UsdSkel, with the library usd-core.

Files are read in a separate process: a few damaged bytes can make the library ask for any amount of memory.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from komadori.character import Character
from komadori.errors import OptionError
from komadori.files import read_bytes
from komadori.formats import apart
from komadori.formats.format import Clip, Format, Late, exported_late
from komadori.formats.usd.opening import USD
from komadori.keyed import Keyed
from komadori.motion import Motion

if TYPE_CHECKING:
    from komadori.formats.usd.writing import emit as emit
    from komadori.formats.usd.writing import emit_character as emit_character

__getattr__ = exported_late(__name__, {"emit": "writing", "emit_character": "writing"})


def read_motion(path: str | os.PathLike[str], unit: str | None = None, clip: str | None = None) -> Motion:
    """The animation called `clip` in the USD file at `path`, or that of its first animated skeleton.

    One frame of rest if there is none. `unit` may be given for a stage that states no `metersPerUnit`.
    """
    path = Path(path)
    read_bytes(path)
    motion = apart.read(__name__, path, USD, what="motion", unit=unit, clip=clip)
    assert isinstance(motion, Motion)
    return motion


def read(path: str | os.PathLike[str]) -> Character:
    """The character in the USD file at `path`: its first animated skeleton, the meshes bound to that, its animations."""
    path = Path(path)
    read_bytes(path)
    character = apart.read(__name__, path, USD, what="character")
    assert isinstance(character, Character)
    return character


def read_here(path: Path, what: str, unit: str | None = None, clip: str | None = None) -> Motion | Character:
    """Like `read_motion` or `read`, in this process."""
    from komadori.formats.usd.reading import read_motion_here
    from komadori.formats.usd.skin import read_character_here

    try:
        return read_motion_here(path, unit, clip) if what == "motion" else read_character_here(path)
    except OptionError as error:
        if error.parameter:
            raise
        raise error.in_file(path) from None


def _written(character: Character, clips: Mapping[str, Clip], kind: str) -> bytes:
    from komadori.formats.usd.writing import emit_character

    framed = {name: clip.motion() if isinstance(clip, Keyed) else clip for name, clip in clips.items()}
    return emit_character(character, framed, kind)


def _format(name: str, suffixes: tuple[str, ...], kind: str) -> Format:
    return Format(
        name,
        suffixes,
        read=read_motion,
        write=partial(Late("komadori.formats.usd.writing", "emit"), kind=kind),
        read_character=read,
        write_character=partial(_written, kind=kind),
        left_out_character=partial(
            Late("komadori.formats.body_losses", "lost"), form="USD", pictures="web" if kind == "usdz" else ""
        ),
    )


TEXT = _format("USD text", (".usda",), "usda")
BINARY = _format("USD", (".usd", ".usdc"), "usdc")
PACKAGE = _format("USDZ", (".usdz",), "usdz")
