"""Feet: when they stand on the ground, how much they slip there, and how they are kept in place."""

from __future__ import annotations

from komadori.feet.contacts import HEIGHT, SPEED, Contacts, Slip, contacts, slippage, stands
from komadori.feet.planting import planted

__all__ = ["HEIGHT", "SPEED", "Contacts", "Slip", "contacts", "planted", "slippage", "stands"]
