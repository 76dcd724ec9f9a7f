"""Figures for the page: any character as a GLB whose materials are MToon's, so that all are drawn as anime."""

from __future__ import annotations

import json
import struct
from dataclasses import replace
from typing import Any

from komadori.character import Character, Material
from komadori.formats import gltf
from komadori.formats.gltf.surfaces import to_linear
from komadori.formats.vrm.materials import toon_fields
from komadori.studio.pictures import too_large

EXTENSION = "VRMC_materials_mtoon"
_SHADE = 0.72
"""How dark the shadow is if a material does not say."""
OWN_SHADING = {"shadingToonyFactor": 0.95, "shadingShiftFactor": -0.05}
"""How hard the edge of the shadow is and where it lies, if a material does not say."""
_INK = (0.10, 0.09, 0.12)
_INK_M = 0.0016
"""The ink line if a material does not say: nearly black, this wide in metres."""


def figure(character: Character) -> bytes:
    """The character as a GLB in our own conventions: joints in the skeleton's order, cel-shaded, with ink outlines."""
    # A picture that would unfold into more than a browser can hold stays behind.
    images = tuple(replace(image, data=b"") if too_large(image) else image for image in character.images)
    plain = replace(character, document=None, motions={}, images=images)
    if not plain.materials:
        plain = replace(
            plain, materials=(Material("plain"),), meshes=tuple(replace(mesh, material=0) for mesh in plain.meshes)
        )
    return _with_materials(gltf.emit_character(plain), plain.materials)


def _with_materials(glb: bytes, materials: tuple[Material, ...]) -> bytes:
    """The GLB with MToon's extension on every material. We wrote it ourselves: a JSON chunk, then a binary one."""
    (length,) = struct.unpack_from("<I", glb, 12)
    document: dict[str, Any] = json.loads(glb[20 : 20 + length])
    for entry, material in zip(document.get("materials", []), materials, strict=True):
        entry["extensions"] = {EXTENSION: _mtoon(material, entry)}
    document["extensionsUsed"] = sorted({*document.get("extensionsUsed", []), EXTENSION})
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    rest = glb[20 + length :]
    head = struct.pack("<4sII", b"glTF", 2, 20 + len(text) + len(rest))
    return head + struct.pack("<I4s", len(text), b"JSON") + text + rest


def _mtoon(material: Material, entry: dict[str, Any]) -> dict[str, Any]:
    shade = material.shade or tuple(_SHADE * value for value in material.colour[:3])
    toon: dict[str, Any] = {
        "specVersion": "1.0",
        "shadeColorFactor": [to_linear(value) for value in shade],
        **(OWN_SHADING if material.toon is None else toon_fields(material.toon)),
        "giEqualizationFactor": 0.9,
        "transparentWithZWrite": material.alpha == "blend",
    }
    picture = entry["pbrMetallicRoughness"].get("baseColorTexture")
    if picture is not None:
        toon["shadeMultiplyTexture"] = picture
    if material.alpha != "blend":
        ink = material.outline[:3] if material.outline is not None else _INK
        toon |= {
            "outlineWidthMode": "worldCoordinates",
            "outlineWidthFactor": material.outline_m or _INK_M,
            "outlineColorFactor": [to_linear(value) for value in ink],
            "outlineLightingMixFactor": 0.0,
        }
    return toon
