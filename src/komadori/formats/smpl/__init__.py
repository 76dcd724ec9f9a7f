"""SMPL, SMPL-H and SMPL-X parameters as AMASS stores them (.npz), in and out."""

from __future__ import annotations

from komadori.formats.format import Format, Late

FORMAT = Format(
    "AMASS",
    (".npz",),
    read=Late("komadori.formats.smpl.reading", "read"),
    write=Late("komadori.formats.smpl.writing", "emit"),
    left_out=Late("komadori.formats.smpl.writing", "left_out"),
)
