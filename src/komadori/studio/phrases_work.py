"""Phrases of the page about the work itself: its connection, its undoing, its locks, its projects."""

from __future__ import annotations

PHRASES: tuple[str, ...] = (
    "not connected",
    "changes wait",
    "changes that wait",
    "not done: the connection is lost; do it again when it is back",
    "the studio restarted before the last edit was saved; check whether it is still there",
    "Lock this drawing",
    "Unlock this drawing",
    "Lock or unlock this drawing",
    "Project",
    "open now",
    "Open project",
    "Name of the project",
    "New project",
    "Save as",
    "Open a project's file",
    "Share as one file",
    "Recent projects",
    "Key set",
    "New key set",
    "Name of the key set",
    "Delete the key set",
    "Drag a joint on the stage to redraw this key; only the frames that show it change",
    "As captured",
    "Measure in the picture",
    "What counts is how far a joint goes in the picture from this view, not in the world",
    "Take this view",
    "Notes on the result",
    "Notes on clip and character",
)
