"""Japanese for every note, help line and label: English template -> Japanese template."""

from __future__ import annotations

JAPANESE: dict[str, str] = {
    # motion, cleaning
    # formats: bvh
    # formats: asf/amc
    # formats: sheets
    # roles, feet
    # methods: limited
    # methods: exaggerate
    # characters
    # render
    # cli
}
