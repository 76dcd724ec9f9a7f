"""Materials, textures and images of a glTF, as far as flat drawing needs them."""

from __future__ import annotations

from komadori.character import Image, Material, Toon
from komadori.errors import one_line
from komadori.formats.gltf import container
from komadori.formats.gltf.document import Gltf
from komadori.formats.gltf.fields import Fields
from komadori.formats.gltf.ours import OURS as OURS
from komadori.formats.gltf.ours import said
from komadori.words import Note

OTHER_SOURCES = ("KHR_texture_basisu", "EXT_texture_webp", "EXT_texture_avif")
"""Extensions that name a texture's image in another picture format."""
UNDRAWN = {"image/ktx2": "KTX2", "image/avif": "AVIF"}
"""Kinds of textures that are kept but not drawn."""


def to_screen(linear: float) -> float:
    """sRGB of a linear colour value, both 0 to 1."""
    value = min(1.0, max(0.0, linear))
    # Rounded, so that white is exactly 1.
    return round(12.92 * value if value <= 0.0031308 else 1.055 * value ** (1.0 / 2.4) - 0.055, 9)


def to_linear(screen: float) -> float:
    """The linear colour value of sRGB, both 0 to 1."""
    value = min(1.0, max(0.0, screen))
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def images_of(document: Gltf) -> tuple[tuple[Image, ...], list[Note]]:
    """Every picture of the file; one whose file is missing is empty, and a note says so."""
    images, notes = [], []
    for number, entry in enumerate(document.listed("images")):
        uri = entry.text("uri")
        outside = "uri" in entry and uri[:5].lower() != "data:"
        if outside and not container.there(container.inside(uri, document.folder, document.name, entry.at("uri"))):
            notes.append(Note("Texture missing: {name}. Using a plain colour.", name=one_line(uri, 60)))
            images.append(Image(entry.text("name") or uri, entry.text("mimeType"), b""))
        else:
            images.append(document.image(number))
    return tuple(images), notes


def materials_of(document: Gltf, images: tuple[Image, ...]) -> tuple[Material, ...]:
    """Every material of the file: base colour, its picture, and how it is seen through."""
    return tuple(
        _material(document, entry, number, images) for number, entry in enumerate(document.listed("materials"))
    )


def _material(document: Gltf, entry: Fields, number: int, images: tuple[Image, ...]) -> Material:
    look = entry.one("pbrMetallicRoughness")
    red, green, blue, alpha = look.numbers("baseColorFactor", 4, (1.0, 1.0, 1.0, 1.0))
    mode = entry.text("alphaMode", "OPAQUE").lower()
    shade, outline, width = _ours(entry)
    toon = said(entry).numbers("toon", len(Toon().numbers()), ())
    picture = next((found for found in _pictures(document, _base(entry)) if _drawable(images[found])), None)
    return Material(
        name=entry.text("name") or f"material_{number}",
        colour=(to_screen(red), to_screen(green), to_screen(blue), min(1.0, max(0.0, alpha))),
        image=picture,
        shade=shade,
        outline=outline,
        outline_m=width,
        toon=Toon.of_numbers(toon) if toon else None,
        two_sided=entry.flag("doubleSided"),
        alpha=mode if mode in ("mask", "blend") else "opaque",
    )


def uv_set(entry: Fields) -> int:
    """Which TEXCOORD the base colour's picture uses."""
    return entry.one("pbrMetallicRoughness").one("baseColorTexture").whole("texCoord", 0, high=64)


def _pictures(document: Gltf, texture: Fields) -> list[int]:
    """The images that a texture may show: those that extensions name, and last its own, for programs that know none of these."""
    textures, count = document.listed("textures"), len(document.listed("images"))
    number = texture.index("index", len(textures))
    if number is None:
        return []
    extensions = textures[number].one("extensions")
    named = [extensions.one(name).index("source", count) for name in OTHER_SOURCES if name in extensions]
    return [found for found in (*named, textures[number].index("source", count)) if found is not None]


def _drawable(image: Image) -> bool:
    return len(image.data) > 0 and image.mime not in UNDRAWN


def _base(entry: Fields) -> Fields:
    return entry.one("pbrMetallicRoughness").one("baseColorTexture")


def undrawn(document: Gltf, images: tuple[Image, ...]) -> list[Note]:
    """A note on each picture that nothing here can draw, and that has no other beside it."""
    notes = []
    for entry in document.listed("materials"):
        shown = [images[number] for number in _pictures(document, _base(entry))]
        if shown and all(image.mime in UNDRAWN for image in shown):
            template = "The texture {name} is {kind}, which komadori cannot draw: its surface is plain. Save it as PNG or JPEG."
            note = Note(template, name=one_line(shown[0].name, 60), kind=UNDRAWN[shown[0].mime])
            notes += [] if note in notes else [note]
    return notes


def _ours(
    entry: Fields,
) -> tuple[tuple[float, float, float] | None, tuple[float, float, float, float] | None, float]:
    """What we wrote into the material's extras: shade, outline and its width."""
    ours = said(entry)
    shade, outline = ours.numbers("shade", 3, ()), ours.numbers("outline", 4, ())
    return (
        (shade[0], shade[1], shade[2]) if shade else None,
        (outline[0], outline[1], outline[2], outline[3]) if outline else None,
        ours.number("outline_m", 0.0),
    )


def is_picture(image: Image) -> bool:
    """Whether glTF itself allows the picture's type."""
    return image.mime in ("image/png", "image/jpeg") and len(image.data) > 0


def linear_colour(material: Material) -> list[float]:
    """The base colour factor of a material."""
    return [*(to_linear(value) for value in material.colour[:3]), min(1.0, max(0.0, material.colour[3]))]
