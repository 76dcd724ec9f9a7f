"""glTF 2.0 (.glb, .gltf): parse bytes to a Gltf, which gives skeleton, motions and character, and write them back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from komadori.formats.format import Format, Late, exported_late

if TYPE_CHECKING:
    from komadori.formats.gltf.animations import motion as motion
    from komadori.formats.gltf.animations import motion_of as motion_of
    from komadori.formats.gltf.animations import motions_of as motions_of
    from komadori.formats.gltf.document import Gltf as Gltf
    from komadori.formats.gltf.document import Node as Node
    from komadori.formats.gltf.document import parse as parse
    from komadori.formats.gltf.meshes import character_of as character_of
    from komadori.formats.gltf.meshes import mesh_owners as mesh_owners
    from komadori.formats.gltf.rig import Rig as Rig
    from komadori.formats.gltf.rig import rig_of as rig_of
    from komadori.formats.gltf.rig import sized as sized
    from komadori.formats.gltf.rig import skeleton_of as skeleton_of
    from komadori.formats.gltf.writing import emit as emit
    from komadori.formats.gltf.writing import emit_character as emit_character

__getattr__ = exported_late(
    __name__,
    {
        "motion": "animations",
        "motion_of": "animations",
        "motions_of": "animations",
        "Gltf": "document",
        "Node": "document",
        "parse": "document",
        "character_of": "meshes",
        "mesh_owners": "meshes",
        "Rig": "rig",
        "rig_of": "rig",
        "sized": "rig",
        "skeleton_of": "rig",
        "emit": "writing",
        "emit_character": "writing",
    },
)

_FILES = "komadori.formats.vrm.files"
"""A VRM avatar may call itself a glTF, which it is; what VRM says of it still counts."""

GLB = Format(
    "glTF binary",
    (".glb",),
    read=Late(_FILES, "read"),
    write=Late(_FILES, "glb"),
    write_keys=Late(_FILES, "glb"),
    read_character=Late(_FILES, "read_character"),
    write_character=Late(_FILES, "glb_character"),
    left_out_character=Late("komadori.formats.gltf.writing", "left_out_character"),
    stretches=True,
    origins=("Source",),
)
GLTF = Format(
    "glTF",
    (".gltf",),
    read=Late(_FILES, "read"),
    write=Late(_FILES, "gltf_text"),
    write_keys=Late(_FILES, "gltf_text"),
    read_character=Late(_FILES, "read_character"),
    write_character=Late(_FILES, "gltf_text_character"),
    left_out_character=Late("komadori.formats.gltf.writing", "left_out_character"),
    stretches=True,
    origins=("Source",),
)
