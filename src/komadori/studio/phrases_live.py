"""What the page says of live work: a performer on the stage, and levers for the puppet."""

from __future__ import annotations

PHRASES: tuple[str, ...] = (
    "Live",
    "Source",
    "VMC (VSeeFace, VMagicMirror, Warudo ...)",
    "Sony mocopi",
    "The open motion, as if it were live",
    "Port",
    "Look-ahead, frames",
    "Start",
    "packets per second",
    "delay, ms",
    "dropped",
    "the take is on the shelf",
    "Gamepad, MIDI and OSC",
    "Learn",
    "move the control that you want to use",
    "Clear",
    "OSC port",
    "record (button)",
)
