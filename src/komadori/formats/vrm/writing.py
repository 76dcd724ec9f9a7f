"""Writing VRM avatars: the file that was read, whole, with motions as its animations, or a new one."""

from __future__ import annotations

from collections.abc import Mapping

from komadori.character import Character
from komadori.formats.gltf import Gltf, emit_character
from komadori.formats.gltf.animations import Source
from komadori.formats.gltf.clips import Clip
from komadori.formats.vrm import making
from komadori.formats.vrm.facing import faces_back, turned, turned_clip
from komadori.formats.vrm.reading import VRM_0, VRM_1
from komadori.keyed import Keyed
from komadori.words import Note


def came_as_vrm(character: Character) -> bool:
    """Whether the character was read from a VRM, whose own data it carries."""
    document = character.document
    return isinstance(document, Gltf) and bool(document.fields.one("extensions").value.keys() & {VRM_0, VRM_1})


def fits(character: Character) -> bool:
    """Whether the character can be written as a .vrm: it came as one, or it is a whole humanoid."""
    return came_as_vrm(character) or making.fits(character)


def emit(character: Character, motions: Mapping[str, Clip] | None = None) -> bytes:
    """The bytes of the avatar with its own motions and `motions`, a .vrm (which is a .glb).

    Everything in the VRM that it was read from is carried: VRM's own data, meshes, pictures, and what nobody here knows. Any
    other humanoid becomes a new VRM 1.0.
    """
    document = character.document
    if not isinstance(document, Gltf) or not came_as_vrm(character):
        return making.emit(character, motions or {})
    return emit_character(*as_filed(character, motions or {}))


def left_out(character: Character) -> tuple[Note, ...]:
    """What a .vrm does not carry of a character."""
    if came_as_vrm(character):
        return ()
    return making.left_out(character)


def as_filed(character: Character, motions: Mapping[str, Clip]) -> tuple[Character, dict[str, Clip]]:
    """A character and motions as they stand in its file: those of a VRM 0.x turned back, others as they are."""
    document = character.document
    if not (isinstance(document, Gltf) and faces_back(document)):
        return character, dict(motions)
    return turned(character, -1.0), {name: turned_clip(clip, -1.0) for name, clip in motions.items()}


def clip_as_filed(clip: Clip) -> Clip:
    """A motion as it stands in the file that it was read from: turned back if that is a VRM 0.x."""
    source = None if isinstance(clip, Keyed) or clip.origin is None else clip.origin.document
    return turned_clip(clip, -1.0) if isinstance(source, Source) and faces_back(source.document) else clip
