"""BVH, Biovision's hierarchy and motion: `parse` and `emit`, bytes to a Document and a Motion to bytes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from komadori.files import read_bytes
from komadori.formats.format import Format, Late, exported_late, refuse
from komadori.motion import Motion

if TYPE_CHECKING:
    from komadori.formats.bvh.document import Document as Document
    from komadori.formats.bvh.reading import parse as parse
    from komadori.formats.bvh.writing import emit as emit

__getattr__ = exported_late(__name__, {"Document": "document", "parse": "reading", "emit": "writing"})


def read(path: Path, unit: str | None, clip: str | None) -> Motion:
    """The motion in the file at `path`."""
    from komadori.formats.bvh.reading import parse

    refuse(path, clip=clip)
    return parse(read_bytes(path), str(path)).motion(unit)


FORMAT = Format("BVH", (".bvh",), read=read, write=Late("komadori.formats.bvh.writing", "emit"))
