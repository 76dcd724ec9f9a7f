# SPDX-License-Identifier: GPL-3.0-or-later
"""The language of the panels and messages: as the preferences say, else Blender's own."""

from __future__ import annotations

import bpy

from komadori.words import told

PACKAGE = __package__


def language() -> str:
    """ "en" or "ja"."""
    addon = bpy.context.preferences.addons.get(PACKAGE)
    chosen = addon.preferences.language if addon is not None and addon.preferences is not None else "AUTO"
    if chosen != "AUTO":
        return str(chosen)
    return "ja" if bpy.app.translations.locale.startswith("ja") else "en"


def say(text: str) -> str:
    """`text`, a Note or a label of the library, in the chosen language."""
    return told(text, language())
