"""Japanese for MikuMikuDance's models and motions, as far as it is newer than the rest."""

from __future__ import annotations

JAPANESE: dict[str, str] = {}
