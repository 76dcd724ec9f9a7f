"""Feet: when they are planted, how far they slip, and how they are kept in place."""

from __future__ import annotations

from komadori.feet.contacts import HEIGHT, RELEASE, SPEED, Contacts, Limb, Slip, contacts, limbs_of, slippage, stands
from komadori.feet.planting import DRIFT, planted, shifted

__all__ = [
    "DRIFT",
    "HEIGHT",
    "RELEASE",
    "SPEED",
    "Contacts",
    "Limb",
    "Slip",
    "contacts",
    "limbs_of",
    "planted",
    "shifted",
    "slippage",
    "stands",
]
