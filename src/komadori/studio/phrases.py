"""Every phrase that the page itself says; its Japanese stands with all other Japanese, in `words_ja`."""

from __future__ import annotations

from komadori.words import translated

PHRASES: tuple[str, ...] = (
    "Limited",
    "Key poses",
    "Open",
    "Motion",
    "Character",
    "its own skeleton",
    "Drop a BVH, GLB, VRM, PMX or VMD anywhere on the page",
    "Play",
    "Pause",
    "Loop",
    "Onion skin",
    "Frame the character",
    "Side by side",
    "Overlay",
    "Result alone",
    "Original",
    "Result",
    "Undo",
    "Redo",
    "Help",
    "Close",
    "frame",
    "drawings shown",
    "drawing",
    "source frame",
    "omitted",
    "held",
    "error",
    "times the optimum",
    "steps over time",
    "Exposure sheet",
    "Reset the sheet",
    "edited by hand",
    "saved",
    "saving",
    "not saved",
    "connection lost, trying again",
    "default",
    "Show the drawing one frame longer",
    "Take this exposure away",
    "Pin this drawing",
    "Poses",
    "Motion curve",
    "Error by number of keys",
    "previous key",
    "next key",
    "Keys",
    "more",
    "one frame back",
    "one frame on",
    "to the first frame",
    "to the last frame",
    "Save",
)


def japanese() -> dict[str, str]:
    """English phrase -> Japanese."""
    return {phrase: translated(phrase, "ja") for phrase in PHRASES}
