"""Files of the glTF family, .glb, .gltf, .vrm and .vrma: read as avatars if they are avatars, and written as they were filed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from komadori.character import Character
from komadori.files import read_bytes
from komadori.formats import gltf, vrm
from komadori.formats.format import Clip, refuse
from komadori.motion import Motion


def read(path: Path, unit: str | None, clip: str | None) -> Motion:
    """The motion called `clip`, or the first, of a glTF or VRM file."""
    refuse(path, unit=unit)
    document = gltf.parse(read_bytes(path), str(path), path.parent)
    if vrm.is_avatar(document):
        return vrm.motion(document, clip)
    document, notes = gltf.sized(document)
    return gltf.motion(document, clip).noted(*notes)


def read_character(path: Path) -> Character:
    """The character in a glTF file, which may be an avatar."""
    document = gltf.parse(read_bytes(path), str(path), path.parent)
    if vrm.is_avatar(document):
        return vrm.character(document)
    document, notes = gltf.sized(document)
    character = gltf.character_of(document)
    return replace(character, notes=(*character.notes, *notes))


def glb(clip: Clip) -> bytes:
    """A movement as .glb."""
    return gltf.emit(vrm.clip_as_filed(clip))


def gltf_text(clip: Clip) -> bytes:
    """A movement as .gltf."""
    return gltf.emit(vrm.clip_as_filed(clip), text=True)


def glb_character(character: Character, clips: Mapping[str, Clip]) -> bytes:
    """A character with its motions as .glb."""
    return gltf.emit_character(*vrm.as_filed(character, clips))


def gltf_text_character(character: Character, clips: Mapping[str, Clip]) -> bytes:
    """A character with its motions as .gltf."""
    return gltf.emit_character(*vrm.as_filed(character, clips), text=True)


def read_avatar(path: Path) -> Character:
    """The avatar in a .vrm."""
    return vrm.read(read_bytes(path), str(path))


def read_vrma(path: Path, unit: str | None, clip: str | None) -> Motion:
    """The motion in a .vrma."""
    refuse(path, unit=unit)
    return vrm.read_motion(read_bytes(path), str(path), clip)
