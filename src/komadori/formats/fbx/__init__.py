"""FBX: read with the `ufbx` library in a separate process, written by ourselves as binary FBX 7.5."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from komadori import roles
from komadori.character import Character
from komadori.errors import FormatError, OptionError, quoted
from komadori.files import read_bytes
from komadori.formats import apart, moving, units
from komadori.formats.format import Format, Late, exported_late, no_clip, refuse
from komadori.motion import Motion
from komadori.words import Fact, Note

if TYPE_CHECKING:
    from komadori.formats.fbx.writing import emit as emit
    from komadori.formats.fbx.writing import emit_character as emit_character

__getattr__ = exported_late(__name__, {"emit": "writing", "emit_character": "writing"})

UFBX = apart.Extra("FBX", "ufbx", "ufbx", "fbx")


def read(path: str | os.PathLike[str]) -> Character:
    """The character in the FBX file at `path`, with its animations; metres, Y up."""
    path = Path(path)
    read_bytes(path)
    character = apart.read(__name__, path, UFBX)
    assert isinstance(character, Character)
    scale, note = units.stated(character.skeleton.with_roles(roles.find(character.skeleton)), path.stem)
    return character if note is None else _scaled(character, scale, note)


def _scaled(character: Character, scale: float, note: Note) -> Character:
    """The character larger or smaller, with its motions."""
    skeleton = replace(character.skeleton, offsets=scale * character.skeleton.offsets)
    binds = np.array(character.binds)
    binds[:, :3, 3] *= scale
    meshes = tuple(
        replace(
            mesh,
            vertices=scale * mesh.vertices,
            morphs={name: scale * offsets for name, offsets in mesh.morphs.items()},
        )
        for mesh in character.meshes
    )
    motions = {
        name: replace(motion, skeleton=skeleton, positions=scale * motion.positions, notes=(*motion.notes, note))
        for name, motion in character.motions.items()
    }
    notes = (*character.notes, note)
    return replace(character, skeleton=skeleton, meshes=meshes, binds=binds, motions=motions, notes=notes)


def read_motion(path: str | os.PathLike[str], clip: str | None = None) -> Motion:
    """The animation called `clip` in the FBX file at `path`, or the first that moves; one frame of rest if it has none.

    Frames are those of the file's own rate.
    """
    character = read(path)
    if clip is not None:
        if clip not in character.motions:
            raise no_clip(path, clip, character.motions)
        return character.motions[clip]
    if character.motions:
        return moving.chosen(list(character.motions), character.motions.__getitem__)
    return character.rest.noted(Fact("The file holds no animation; read one frame of its rest pose."))


def read_here(path: Path) -> Character:
    """Like `read`, in this process, whose garbage collector must be off: it crashes on the objects of ufbx 0.0.5."""
    import ufbx

    from komadori.formats.fbx.character import character_of

    data = read_bytes(path)
    try:
        scene = ufbx.load_memory(
            data,
            target_axes=ufbx.axes_right_handed_y_up,
            target_unit_meters=1.0,
            space_conversion=ufbx.SpaceConversion.ADJUST_TRANSFORMS,
            inherit_mode_handling=ufbx.InheritModeHandling.HELPER_NODES,
            generate_missing_normals=True,
            normalize_normals=True,
            clean_skin_weights=True,
            file_format=ufbx.FileFormat.FBX,
            load_external_files=False,
        )
        return character_of(ufbx, scene, path)
    except (ufbx.UfbxError, RuntimeError) as error:
        raise FormatError(
            path, expected=Note("an FBX file"), found=quoted(str(error) or type(error).__name__)
        ) from None
    except OptionError as error:
        raise error.in_file(path) from None


def _read_file(path: Path, unit: str | None, clip: str | None) -> Motion:
    refuse(path, unit=unit)
    return read_motion(path, clip)


FORMAT = Format(
    "FBX",
    (".fbx",),
    read=_read_file,
    write=Late("komadori.formats.fbx.writing", "emit"),
    write_keys=Late("komadori.formats.fbx.writing", "emit"),
    read_character=read,
    write_character=Late("komadori.formats.fbx.writing", "emit_character"),
    left_out_character=partial(Late("komadori.formats.body_losses", "lost"), form="FBX", toon=True, pictures="any"),
)
