"""MToon, VRM's cel shading: base, shade and outline colours of VRM 0.x and 1.0 for flat two-tone drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from komadori import json_text
from komadori.character import Material, Toon
from komadori.formats.gltf.surfaces import to_linear, to_screen
from komadori.formats.vrm import fields

MTOON = "VRMC_materials_mtoon"
SHADER_0 = "VRM/MToon"

VIEW_M = 2.0
"""Outlines that a file gives as a part of the picture's height are taken at a view of this height: a whole figure."""

WIDTHS_0 = ("none", "worldCoordinates", "screenCoordinates")


def toon_0(materials: Sequence[Material], properties: Any, name: str) -> tuple[Material, ...]:
    """`materials` with what VRM 0.x's `materialProperties` say; their colours are as screens have them."""
    place = "extensions.VRM.materialProperties"
    changed = list(materials)
    for number, (here, entry) in enumerate(fields.entries(properties, name, place)):
        if number >= len(changed) or entry.get("shader") != SHADER_0:
            continue
        colours = fields.part(entry.get("vectorProperties"), name, f"{here}.vectorProperties")
        numbers = fields.part(entry.get("floatProperties"), name, f"{here}.floatProperties")

        def colour(key: str, default: tuple[float, ...], found: Mapping[str, Any] = colours, spot: str = here) -> Any:
            return fields.colour(found.get(key), name, f"{spot}.vectorProperties.{key}", default)

        mode = fields.number(numbers.get("_OutlineWidthMode"), name, f"{here}.floatProperties._OutlineWidthMode", 0.0)
        width = fields.number(numbers.get("_OutlineWidth"), name, f"{here}.floatProperties._OutlineWidth", 0.0)
        kind = WIDTHS_0[int(mode)] if 0 <= mode <= 2 else "none"
        # A width of 1 is a centimetre, or a hundredth of half the picture's height.
        width_m = _metres(kind, (0.005 if kind == "screenCoordinates" else 0.01) * width)
        changed[number] = replace(
            changed[number],
            colour=colour("_Color", changed[number].colour),
            shade=colour("_ShadeColor", (0.97, 0.81, 0.86)),
            outline=colour("_OutlineColor", (0.0, 0.0, 0.0, 1.0)) if width_m > 0.0 else None,
            outline_m=width_m,
            toon=_toon_0(numbers, colours, name, here),
        )
    return tuple(changed)


def _toon_0(numbers: Mapping[str, Any], colours: Mapping[str, Any], name: str, here: str) -> Toon:
    """Shift, toony and rim of MToon 0.x in the terms of 1.0, as three-vrm turns them over."""

    def told(key: str, default: float) -> float:
        return fields.number(numbers.get(key), name, f"{here}.floatProperties.{key}", default)

    shift, toony = told("_ShadeShift", 0.0), told("_ShadeToony", 0.9)
    share = 0.5 + 0.5 * shift
    toony += (1.0 - toony) * share
    rim = fields.colour(colours.get("_RimColor"), name, f"{here}.vectorProperties._RimColor", (0.0, 0.0, 0.0, 1.0))
    power, lift, mix = told("_RimFresnelPower", 1.0), told("_RimLift", 0.0), told("_RimLightingMix", 0.0)
    return Toon.of_numbers([-shift - (1.0 - toony), toony, *rim[:3], power, lift, mix])


def toon_1(materials: Sequence[Material], given: Any, name: str) -> tuple[Material, ...]:
    """`materials` with what their MToon extension says (VRM 1.0); `given` is the file's list of materials.

    The file's colours are linear.
    """
    changed = list(materials)
    for number, (here, entry) in enumerate(fields.entries(given, name, "materials")):
        extensions = fields.part(entry.get("extensions"), name, f"{here}.extensions")
        if number >= len(changed) or extensions.get(MTOON) is None:
            continue
        place = f"{here}.extensions.{MTOON}"
        toon = json_text.mapping(extensions[MTOON], name, place)
        mode = fields.label(toon.get("outlineWidthMode"), name, f"{place}.outlineWidthMode", "none")
        width = fields.number(toon.get("outlineWidthFactor"), name, f"{place}.outlineWidthFactor", 0.0)
        black = (0.0, 0.0, 0.0)
        red, green, blue = _screen(
            fields.colour(toon.get("shadeColorFactor"), name, f"{place}.shadeColorFactor", black)
        )
        line = _screen(fields.colour(toon.get("outlineColorFactor"), name, f"{place}.outlineColorFactor", black))
        width_m = _metres(mode, width)
        changed[number] = replace(
            changed[number],
            shade=(red, green, blue),
            outline=(line[0], line[1], line[2], 1.0) if width_m > 0.0 else None,
            outline_m=width_m,
            toon=_toon_1(toon, name, place),
        )
    return tuple(changed)


def _toon_1(toon: Mapping[str, Any], name: str, place: str) -> Toon:
    def told(key: str, default: float) -> float:
        return fields.number(toon.get(key), name, f"{place}.{key}", default)

    black = (0.0, 0.0, 0.0)
    rim = _screen(fields.colour(toon.get("parametricRimColorFactor"), name, f"{place}.parametricRimColorFactor", black))
    power, lift = told("parametricRimFresnelPowerFactor", 5.0), told("parametricRimLiftFactor", 0.0)
    shading = told("shadingShiftFactor", 0.0), told("shadingToonyFactor", 0.9)
    return Toon.of_numbers([*shading, *rim[:3], power, lift, told("rimLightingMixFactor", 1.0)])


def toon_fields(toon: Toon) -> dict[str, Any]:
    """Shift, toony and rim as MToon 1.0 states them."""
    return {
        "shadingShiftFactor": toon.shift,
        "shadingToonyFactor": toon.toony,
        "parametricRimColorFactor": [to_linear(value) for value in toon.rim],
        "parametricRimFresnelPowerFactor": toon.rim_power,
        "parametricRimLiftFactor": toon.rim_lift,
        "rimLightingMixFactor": toon.rim_mix,
    }


def _metres(mode: str, width: float) -> float:
    scale = {"worldCoordinates": 1.0, "screenCoordinates": VIEW_M}.get(mode, 0.0)
    return max(0.0, width * scale)


def _screen(linear: Sequence[float]) -> tuple[float, ...]:
    return tuple(to_screen(value) for value in linear)
