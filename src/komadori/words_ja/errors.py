"""Japanese for the lines of errors, and for the phrases that stand in them."""

from __future__ import annotations

JAPANESE: dict[str, str] = {}
