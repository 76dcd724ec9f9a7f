"""Translation: who is driven by whom, and the evidence."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from komadori.studio.messages.common import Said


class Cast(Struct, frozen=True, tag="cast", forbid_unknown_fields=True):
    """Translation: choose the animal, or the clips that arms learn from; None leaves it."""

    animal: str | None = None
    train: list[str] | None = None


class Follow(Struct, frozen=True, tag="follow", forbid_unknown_fields=True):
    """Translation, live: the person is now at this frame of the clip; the answer is what the driven joints do."""

    frame: int
    serial: int = 0


class PartnerInfo(Struct, frozen=True):
    """A second body on the stage, which moves in step with the first."""

    figure: str
    motion: str
    name: str
    frames: int
    height: float
    size: float
    """Its largest extent at rest, in metres."""


class FeetInfo(Struct, frozen=True):
    """When the feet of a body stand: for each, from frame to frame (its end not included), one after another."""

    names: list[str]
    stances: list[list[int]]


class TrialInfo(Struct, frozen=True):
    """A model and its error on clips that it had not seen, mean degrees per joint (-1: it could not be fitted)."""

    model: str
    error_deg: float


class TranslateUpdate(Struct, frozen=True, tag="translate"):
    """One body drives another: the driven one, and the evidence."""

    revision: int
    to: Literal["animal", "arms"]
    partner: PartnerInfo
    source: list[int]
    """Frame of the person's clip that is beside each frame of the result."""
    person: FeetInfo
    animal: FeetInfo
    gait: str
    order: list[str]
    cycle_s: float
    skate_m_s: float
    """How far standing feet move over the ground, metres per second of standing."""
    trials: list[TrialInfo]
    chosen: str
    outside: list[int]
    notes: list[Said]
