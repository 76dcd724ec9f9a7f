"""MikuMikuDance: PMX and PMD models, VMD motions, VPD poses.

Left-handed axes, units of 8 cm and 30 frames per second stay in here; what comes out is metres, right-handed, Y up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from komadori.formats.format import Format, Late, exported_late

if TYPE_CHECKING:
    from komadori.formats.mmd.files import model_beside as model_beside
    from komadori.formats.mmd.files import read_character as read_character
    from komadori.formats.mmd.files import read_model as read_model
    from komadori.formats.mmd.files import read_motion as read_motion

__getattr__ = exported_late(
    __name__, dict.fromkeys(("model_beside", "read_character", "read_model", "read_motion"), "files")
)

_READ = Late("komadori.formats.mmd.files", "read_file")

MODEL = Format(
    "MikuMikuDance model",
    (".pmx", ".pmd"),
    read=_READ,
    read_character=Late("komadori.formats.mmd.files", "read_character"),
)
MOTION = Format(
    "MikuMikuDance motion",
    (".vmd",),
    read=_READ,
    write=Late("komadori.formats.mmd.writing", "emit"),
    left_out=Late("komadori.formats.mmd.writing", "left_out"),
    origins=("Performance", "Face"),
)
POSE = Format(
    "MikuMikuDance pose",
    (".vpd",),
    read=_READ,
    write=Late("komadori.formats.mmd.vpd", "emit"),
    left_out=Late("komadori.formats.mmd.vpd", "left_out"),
)
