"""What the studio's stage shows, made with the library alone."""

from __future__ import annotations

import komadori
from komadori import Character, Motion
from komadori.characters import character, sample


def staged_sample(name: str, body: Character | None = None) -> Motion:
    """The sample called `name` on the body (the girl) and on its floor."""
    body = character("girl") if body is None else body
    return komadori.floor(komadori.retarget(sample(name), body).motion, character=body).motion
