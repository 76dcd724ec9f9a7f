"""BVH, Biovision's hierarchy and motion: `parse` and `emit`, bytes to a Document and a Motion to bytes."""

from __future__ import annotations

from komadori.formats.bvh.document import Document as Document
from komadori.formats.bvh.reading import parse as parse
from komadori.formats.bvh.writing import emit as emit
