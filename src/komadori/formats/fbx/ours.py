"""What komadori knows and FBX has no place for, kept as JSON in a user property, which other programs keep or ignore."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any, Final

from komadori.character import Material, Toon

KEY: Final = "komadori"
"""The name of the property."""


def about_material(material: Material) -> str:
    """What to store for a material; empty if there is nothing."""
    told: dict[str, Any] = {}
    if material.image is not None and tuple(material.colour[:3]) != (1.0, 1.0, 1.0):
        told["tint"] = list(material.colour[:3])
    if material.alpha == "mask":
        told["alpha"] = material.alpha
    if material.two_sided:
        told["two_sided"] = True
    if material.shade is not None:
        told["shade"] = list(material.shade)
    if material.outline is not None:
        told |= {"outline": list(material.outline), "outline_m": material.outline_m}
    if material.toon is not None:
        told["toon"] = material.toon.numbers()
    return json.dumps(told) if told else ""


def about_clip(fps: float) -> str:
    """What to store for a clip whose rate differs from the one that the file states for all."""
    return json.dumps({"fps": fps})


def said(element: Any) -> dict[str, Any]:
    """What was stored for an element of ufbx; empty if the property is missing or damaged."""
    found = element.props.find_prop(KEY)
    try:
        told = {} if found is None else json.loads(str(found.value_str))
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def rate(told: dict[str, Any], otherwise: float) -> float:
    """The frame rate of a clip with the stored values `told`."""
    (fps,) = _numbers([told.get("fps")], 1) or (otherwise,)
    return fps if 1.0 <= fps <= 1000.0 else otherwise


def dressed(material: Material, told: dict[str, Any]) -> Material:
    """`material` with everything that was stored for it."""
    if (tint := _colour(told.get("tint"), 3)) is not None:
        material = replace(material, colour=(*tint, material.colour[3]))
    if told.get("alpha") == "mask":
        material = replace(material, alpha="mask")
    if told.get("two_sided") is True:
        material = replace(material, two_sided=True)
    if (shade := _colour(told.get("shade"), 3)) is not None:
        material = replace(material, shade=shade)
    if (outline := _colour(told.get("outline"), 4)) is not None:
        (width,) = _numbers([told.get("outline_m")], 1) or (0.0,)
        material = replace(material, outline=outline, outline_m=min(max(width, 0.0), 1.0))
    if (toon := _numbers(told.get("toon"), len(Toon().numbers()))) is not None:
        material = replace(material, toon=Toon.of_numbers(toon))
    return material


def _colour(given: Any, count: int) -> Any:
    values = _numbers(given, count)
    return None if values is None else tuple(min(max(value, 0.0), 1.0) for value in values)


def _numbers(given: Any, count: int) -> tuple[float, ...] | None:
    if not isinstance(given, list) or len(given) != count:
        return None
    if not all(isinstance(value, int | float) and math.isfinite(value) for value in given):
        return None
    return tuple(map(float, given))
