"""Opening a source: a socket for a protocol, or a file that is retargeted to the character and played."""

from __future__ import annotations

from komadori.character import Character
from komadori.errors import FormatError, OptionError
from komadori.formats import load
from komadori.formats.vrm.normalised import normalised
from komadori.live.body import four_legged, performer
from komadori.live.places import Place
from komadori.live.sources import FileSource, Source, UdpSource
from komadori.methods.retarget import retarget
from komadori.motion import Motion
from komadori.words import Note


def opened(place: Place, character: Character, *, loop: bool = False) -> Source:
    """The source at `place`."""
    return played(place.file, character, loop=loop) if place.kind == "file" else UdpSource(place)


def played(file: str, character: Character, *, loop: bool = False) -> FileSource:
    """The motion of `file` (or `sample:NAME`) on `character`, played as if a performer sent it."""
    return performed(load(file, kind="motion"), character, file, loop=loop)


def performed(motion: Motion, character: Character, name: str, *, loop: bool = False) -> FileSource:
    """`motion`, which is called `name`, on `character`, played as if a performer sent it."""
    motion = motion.prepared(fps=motion.fps)
    if not len(motion):
        raise FormatError(name, problem=Note("the motion has no frames"))
    moved = retarget(motion, performer(character) if four_legged(character) else character).motion
    try:
        return FileSource(normalised(moved), loop)
    except FormatError as error:
        raise OptionError(error.note) from None
