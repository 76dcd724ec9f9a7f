"""Exporting: which files can be made, and the file that was made."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from komadori.studio.messages.common import Said

ExportKind: TypeAlias = Literal["motion", "character", "sheet", "picture", "frames", "recipe"]


class Export(Struct, frozen=True, tag="export", forbid_unknown_fields=True):
    """Make a file of what a part gives. `language`, `camera`, `style`, `width`, `height` and `strip` are for pictures."""

    what: str
    kind: ExportKind
    suffix: str
    language: Literal["en", "ja"] = "en"
    camera: str = "three-quarter"
    style: str = "toon"
    width: int = 640
    height: int = 360
    strip: bool = False


class StopExport(Struct, frozen=True, tag="stop_export", forbid_unknown_fields=True):
    """Give up the file that is being made."""


class ExportUpdate(Struct, frozen=True, tag="export"):
    """A file is ready to be fetched."""

    address: str
    name: str
    size: int
    notes: list[Said]


class ExportEnded(Struct, frozen=True, tag="export_ended"):
    """No file is being made any more; `message` says why there is none, if it is not because it was given up."""

    message: Said | None = None


class FormatItem(Struct, frozen=True):
    """A kind of file that can be written, what it is for and what opens it, and what is missing for it here, if anything is."""

    kind: ExportKind
    suffix: str
    name: str
    purpose: Said
    missing: Said | None = None


class Formats(Struct, frozen=True):
    """Everything that can be written, and how pictures can be taken."""

    items: list[FormatItem]
    unfit: dict[str, list[str]]
    """Method -> kinds and suffixes ("character .vrm") that its body cannot be written as."""
    why: Said
    """What there is to say of those."""
    cameras: list[str]
    styles: list[str]
