"""VRM avatars (.vrm, 0.x and 1.0) and VRM animations (.vrma).

Which way is front: a VRM 1.0 avatar and a VRMA look along +Z with their left at +X, as characters do here, and are read as
they stand. A VRM 0.x avatar looks along -Z. It is turned half round about the vertical when it is read, at its topmost joints
alone (`facing`), and turned back when it is written, to the very same numbers; so an avatar that nobody touched is written
back unchanged, and the same motion suits avatars of both versions. Springs of 0.x are given in the turned world.

The rest pose of an avatar is VRM's T-pose. VRM 0.x has no rest rotations; in VRM 1.0 and VRMA every node may have one, and
`normalised` tells poses between such bodies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from komadori.formats.format import Format, Late, exported_late

if TYPE_CHECKING:
    from komadori.formats.vrm.reading import character as character
    from komadori.formats.vrm.reading import is_avatar as is_avatar
    from komadori.formats.vrm.reading import motion as motion
    from komadori.formats.vrm.reading import read as read
    from komadori.formats.vrm.vrma import Vrma as Vrma
    from komadori.formats.vrm.vrma import read_motion as read_motion
    from komadori.formats.vrm.vrma_writing import emit_motion as emit_motion
    from komadori.formats.vrm.vrma_writing import left_out as left_out
    from komadori.formats.vrm.writing import as_filed as as_filed
    from komadori.formats.vrm.writing import clip_as_filed as clip_as_filed
    from komadori.formats.vrm.writing import emit as emit
    from komadori.formats.vrm.writing import fits as fits

__getattr__ = exported_late(
    __name__,
    {
        "character": "reading",
        "is_avatar": "reading",
        "motion": "reading",
        "read": "reading",
        "Vrma": "vrma",
        "read_motion": "vrma",
        "emit_motion": "vrma_writing",
        "left_out": "vrma_writing",
        "as_filed": "writing",
        "fits": "writing",
        "clip_as_filed": "writing",
        "emit": "writing",
    },
)

_FILES = "komadori.formats.vrm.files"

AVATAR = Format(
    "VRM avatar",
    (".vrm",),
    read=Late(_FILES, "read"),
    read_character=Late(_FILES, "read_avatar"),
    write_character=Late("komadori.formats.vrm.writing", "emit"),
    left_out_character=Late("komadori.formats.vrm.writing", "left_out"),
    origins=("Source",),
    stretches=True,
)
ANIMATION = Format(
    "VRM animation",
    (".vrma",),
    read=Late(_FILES, "read_vrma"),
    write=Late("komadori.formats.vrm.vrma_writing", "emit_motion"),
    left_out=Late("komadori.formats.vrm.vrma_writing", "left_out"),
    origins=("Vrma", "Face"),
)
