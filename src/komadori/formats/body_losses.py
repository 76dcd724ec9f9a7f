"""What a character's format cannot hold: one note for each thing that is lost."""

from __future__ import annotations

from collections.abc import Collection

from komadori.character import Character
from komadori.formats import surfaces
from komadori.words import Note

NEUTRAL = ("generator", "minVersion")
"""Metadata that nobody misses."""


def lost(
    character: Character,
    form: str,
    *,
    springs: bool = False,
    chains: bool = False,
    expressions: bool = False,
    toon: bool = False,
    pictures: str = "",
    meta: Collection[str] = (),
) -> tuple[Note, ...]:
    """The notes for a format called `form`, which holds what is named: `pictures` are "", "any" or "web" (PNG and JPEG), and
    of `meta` those fields.

    No format but MikuMikuDance's own holds bones that follow others, or vertices that do not blend linearly.
    """
    notes: list[Note] = []
    if character.springs and not springs:
        count = len(character.springs.springs)
        notes.append(Note("{form} has no spring bones; springs not written: {count}", form=form, count=count))
    elif character.chain_hints and not chains:
        count = len(character.chain_hints)
        notes.append(Note("{form} does not mark bone chains; chains not marked: {count}", form=form, count=count))
    if character.expressions and not expressions:
        text = "{form} has no facial expressions; not written: {count} (their blend shapes are)"
        notes.append(Note(text, form=form, count=len(character.expressions)))
    if character.follows:
        text = "{form} has no append bones; joints that no longer follow others: {count}"
        notes.append(Note(text, form=form, count=len(character.follows)))
    bent = sum(len(m.bends.spherical) + len(m.bends.dual) for m in character.meshes if m.bends is not None)
    if bent:
        text = "{form} blends skin linearly; vertices that bent by SDEF or QDEF: {count}"
        notes.append(Note(text, form=form, count=bent))
    inked = [material for material in character.materials if material.shade is not None or material.outline is not None]
    if inked and not toon:
        text = "{form} has no shade colours or outlines; materials that lose them: {count}"
        notes.append(Note(text, form=form, count=len(inked)))
    notes += _of_pictures(character, form, pictures)
    fields = [name for name, value in character.meta.items() if value and name not in (*NEUTRAL, *meta)]
    if fields:
        text = "{form} has no fields for author and licence: {names}"
        notes.append(Note(text, form=form, names=", ".join(fields)))
    return tuple(notes)


def _of_pictures(character: Character, form: str, held: str) -> list[Note]:
    used = {material.image for material in character.materials if material.image is not None}
    there = [image for number, image in enumerate(character.images) if number in used and image.data]
    if not held:
        text = "{form} has no room for textures; pictures not written: {count}"
        return [Note(text, form=form, count=len(there))] if there else []
    odd = [image.name for image in there if held == "web" and surfaces.picture_kind(image.data) is None]
    text = "{form} holds PNG and JPEG pictures only; not written: {names}"
    return [Note(text, form=form, names=", ".join(odd))] if odd else []


def unskinned(character: Character, form: str) -> tuple[Note, ...]:
    """The notes for a format that holds one motion and no body."""
    notes: list[Note] = []
    if character.meshes:
        text = "{form} holds no skin; meshes not written: {count}"
        notes.append(Note(text, form=form, count=len(character.meshes)))
    if len(character.motions) > 1:
        text = "{form} holds one motion; other animations not written: {count}"
        notes.append(Note(text, form=form, count=len(character.motions) - 1))
    return tuple(notes)
