"""The shot: what is played and what it is timed against."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from komadori.studio.shot import Shot


class EditShot(Struct, frozen=True, tag="shot", forbid_unknown_fields=True):
    """Play another range, or time against another sound or reference; those of one `gesture` are undone together."""

    shot: Shot
    fields: list[Literal["first", "last", "sound", "reference", "muted", "hair", "view"]]
    """What of it is meant; the rest stays as it is, whatever another page made of it meanwhile."""
    gesture: str = ""
