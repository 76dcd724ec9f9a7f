"""Writing VRM avatars: the file that was read, whole, with motions as its animations."""

from __future__ import annotations

from collections.abc import Mapping

from komadori.character import Character
from komadori.errors import FormatError
from komadori.formats.gltf import Gltf, emit_character
from komadori.formats.gltf.animations import Source
from komadori.formats.gltf.clips import Clip
from komadori.formats.vrm.facing import faces_back, turned, turned_clip
from komadori.formats.vrm.reading import VRM_0, VRM_1
from komadori.keyed import Keyed
from komadori.words import Note


def emit(character: Character, motions: Mapping[str, Clip] | None = None) -> bytes:
    """The bytes of the avatar with its own motions and `motions`, a .vrm (which is a .glb).

    Everything in the file that it was read from is carried: VRM's own data, meshes, pictures, and what nobody here knows.
    """
    document = character.document
    if not isinstance(document, Gltf) or not document.fields.one("extensions").value.keys() & {VRM_0, VRM_1}:
        advice = Note("save it as .glb, and make an avatar of it with a VRM editor")
        expected = Note("a character that was read from a VRM")
        raise FormatError(f"{character.name}.vrm", expected=expected, found=Note("another"), advice=advice)
    return emit_character(*as_filed(character, motions or {}))


def as_filed(character: Character, motions: Mapping[str, Clip]) -> tuple[Character, dict[str, Clip]]:
    """A character and motions as they stand in its file: those of a VRM 0.x turned back, others as they are."""
    document = character.document
    if not (isinstance(document, Gltf) and faces_back(document)):
        return character, dict(motions)
    return turned(character, -1.0), {name: turned_clip(clip, -1.0) for name, clip in motions.items()}


def clip_as_filed(clip: Clip) -> Clip:
    """A motion as it stands in the file that it was read from: turned back where that is a VRM 0.x."""
    source = None if isinstance(clip, Keyed) or clip.origin is None else clip.origin.document
    return turned_clip(clip, -1.0) if isinstance(source, Source) and faces_back(source.document) else clip
