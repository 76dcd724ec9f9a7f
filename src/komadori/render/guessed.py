"""Guessed colours: a character whose pictures are missing is all of one colour; the names of its parts say more."""

from __future__ import annotations

from dataclasses import replace

from komadori.character import Character, Material

_PARTS: tuple[tuple[tuple[str, ...], str | None, str, bool], ...] = (
    # What a name holds (in any case), its colour (None: not drawn), its shade, and whether it keeps its line.
    (("頬", "照れ", "赤面", "青ざめ", "涙", "汗", "イライラ", "blush", "cheek", "tear", "sweat"), None, "", False),
    (("眉", "睫", "まつ", "brow", "lash"), "3b2e33", "3b2e33", False),
    (("白目", "歯", "white", "teeth"), "fbf8f4", "d9d4de", False),
    (("目", "瞳", "眼", "eye", "iris", "pupil"), "3d3350", "3d3350", False),
    (("髪", "hair"), "7a5c50", "573f3c", True),
    (("口", "舌", "mouth", "tongue", "lip"), "b86a62", "9a5450", False),
    (("肌", "顔", "手", "耳", "首", "skin", "face", "hand", "head"), "fbe3d3", "e5b7a6", True),
    (("靴", "ブーツ", "shoe", "boot", "belt", "ベルト"), "6b5a55", "4c403f", True),
    (("アンダー", "パンツ", "ズボン", "スカート", "下", "under", "pants", "trouser", "skirt", "bottom", "sock"), "56607a", "3e4660", True),
    (("トップス", "上", "シャツ", "服", "top", "shirt", "coat", "jacket", "dress", "cloth"), "e9e4dc", "bdb5c4", True),
)  # fmt: skip


WHITE = 0.85
"""A colour whose channels are all brighter than this is that of a surface whose texture is missing."""
FEWEST = 3


def coloured(character: Character) -> tuple[Material, ...]:
    """The materials of `character`, with colours by their names if nothing else tells one from another.

    That is so where at least half of its visible materials, and three of them, are white and have no picture: a PMX
    whose textures were not with it. Those that have a colour or their own picture keep it. Overlays on a face,
    such as a blush, become transparent: without their texture they would hide it.
    """
    used = {mesh.material for mesh in character.meshes if mesh.material is not None}
    seen = [character.materials[n] for n in sorted(used) if character.materials[n].colour[3] > 0.0]
    plain = [material for material in seen if _plain(material)]
    kinds = {part for material in plain if (part := _part(material)) is not None}
    if len(plain) < max(FEWEST, 0.5 * len(seen)) or len(kinds) < 2:
        return character.materials
    return tuple(_guessed(material) if _plain(material) else material for material in character.materials)


def _plain(material: Material) -> bool:
    return material.image is None and min(material.colour[:3]) >= WHITE


def _part(material: Material) -> int | None:
    """Which of `_PARTS` a material's name speaks of."""
    name = material.name.casefold()
    return next((n for n, (words, *_) in enumerate(_PARTS) if any(word in name for word in words)), None)


def _guessed(material: Material) -> Material:
    part = _part(material)
    if part is None:
        return material
    _, colour, shade, lined = _PARTS[part]
    if colour is None:
        return replace(material, colour=(*material.colour[:3], 0.0), alpha="blend")
    outline = material.outline if lined else None
    return replace(material, colour=(*_rgb(colour), material.colour[3]), shade=_rgb(shade), outline=outline)


def _rgb(code: str) -> tuple[float, float, float]:
    red, green, blue = (value / 255.0 for value in bytes.fromhex(code))
    return red, green, blue
