"""Materials, textures and images of a glTF, as far as flat drawing needs them."""

from __future__ import annotations

from komadori.character import Image, Material
from komadori.errors import one_line
from komadori.formats.gltf import container
from komadori.formats.gltf.document import Gltf
from komadori.formats.gltf.fields import Fields
from komadori.formats.gltf.ours import OURS as OURS
from komadori.formats.gltf.ours import said
from komadori.words import Note

OTHER_SOURCES = ("KHR_texture_basisu", "EXT_texture_webp", "EXT_texture_avif")
"""Extensions that name a texture's image in another picture format."""


def to_screen(linear: float) -> float:
    """sRGB of a linear colour value, both 0 to 1."""
    value = min(1.0, max(0.0, linear))
    # Rounded, so that white is 1 and not a hair below it.
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
            notes.append(Note("the picture {name} is not there: its surface is plain", name=one_line(uri, 60)))
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
    picture = _picture(document, look.one("baseColorTexture")) if "baseColorTexture" in look else None
    return Material(
        name=entry.text("name") or f"material_{number}",
        colour=(to_screen(red), to_screen(green), to_screen(blue), min(1.0, max(0.0, alpha))),
        image=picture if picture is not None and images[picture].data else None,
        shade=shade,
        outline=outline,
        outline_m=width,
        two_sided=entry.flag("doubleSided"),
        alpha=mode if mode in ("mask", "blend") else "opaque",
    )


def uv_set(entry: Fields) -> int:
    """Which TEXCOORD the base colour's picture uses."""
    return entry.one("pbrMetallicRoughness").one("baseColorTexture").whole("texCoord", 0, high=64)


def _picture(document: Gltf, texture: Fields) -> int | None:
    textures, count = document.listed("textures"), len(document.listed("images"))
    number = texture.index("index", len(textures))
    if number is None:
        return None
    extensions = textures[number].one("extensions")
    for name in OTHER_SOURCES:
        if name in extensions:
            found = extensions.one(name).index("source", count)
            if found is not None:
                return found
    return textures[number].index("source", count)


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
