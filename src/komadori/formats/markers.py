"""Markers: named points over time, as C3D and TRC files hold them, and what a motion is made of that has no bones."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.errors import FormatError
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton, frozen
from komadori.words import Fact, Note

MOST_MARKER_FRAMES = 50_000_000
METRES = {
    "m": 1.0,
    "meters": 1.0,
    "cm": 0.01,
    "mm": 0.001,
    "in": 0.0254,
    "inch": 0.0254,
    "inches": 0.0254,
    "ft": 0.3048,
}
"""What files call their units."""


@dataclass(frozen=True, eq=False)
class Markers:
    """Named points over time: `positions` (F, M, 3) in metres with Y up, NaN where `valid` (F, M) is false."""

    names: tuple[str, ...]
    fps: float
    positions: Array
    valid: NDArray[np.bool_]
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "names", tuple(self.names))
        put(self, "positions", frozen(self.positions, np.float64, (-1, len(self.names), 3), "positions"))
        put(self, "valid", frozen(self.valid, np.bool_, (len(self.positions), len(self.names)), "valid"))

    def __len__(self) -> int:
        return len(self.positions)

    def __repr__(self) -> str:
        return f"Markers({len(self.names)} markers, {len(self)} frames at {self.fps:g} fps)"


def as_motion(markers: Markers, path: Path) -> Motion:
    """Markers as joints without bones, every one a root; gaps are bridged straight, and noted."""
    seen = np.flatnonzero(markers.valid.any(axis=0))
    if not len(seen):
        raise FormatError(
            path,
            problem=Note("none of the {count} markers is ever visible", count=len(markers.names)),
        )
    names = tuple(markers.names[marker] for marker in seen)
    positions = np.stack([bridged(markers.positions[:, m], markers.valid[:, m]) for m in seen], axis=1)
    notes = [
        *markers.notes,
        Fact("The file holds {count} markers and no bones: each marker is a separate joint.", count=len(names)),
    ]
    never = [markers.names[m] for m in range(len(markers.names)) if m not in set(seen.tolist())]
    if never:
        notes.append(
            Note(
                "{count:marker was|markers were} never visible and not read: {names}",
                count=len(never),
                names=_some(never),
            )
        )
    gaps = ~markers.valid[:, seen]
    if gaps.any():
        template = "{count:marker has|markers have} gaps. {frames} positions were filled in from the frames around them: {names}"
        torn = [names[m] for m in np.flatnonzero(gaps.any(axis=0))]
        notes.append(Note(template, count=len(torn), frames=int(gaps.sum()), names=_some(torn)))
    skeleton = Skeleton(names, np.full(len(names), -1), positions[0])
    return Motion(skeleton, markers.fps, quat.identity(len(markers), len(names)), positions, notes=tuple(notes))


def bridged(places: Array, valid: NDArray[np.bool_]) -> Array:
    """`places` (F, 3) of one marker with its gaps filled: straight between neighbours, held at the ends."""
    known = np.flatnonzero(valid)
    frames = np.arange(len(places))
    return np.stack([np.interp(frames, known, places[known, axis]) for axis in range(3)], axis=-1)


def _some(names: list[str]) -> str:
    return ", ".join(names[:6]) + (" ..." if len(names) > 6 else "")
