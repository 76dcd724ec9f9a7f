"""Finishing: the way that the feet carry the animal, its height, and feet that stay where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from komadori import feet, quat, roles
from komadori.methods.translate import gaits
from komadori.methods.translate.aligning import headings, smoothed
from komadori.methods.translate.animal import Lesson, loosened
from komadori.methods.translate.gaits import Footfalls
from komadori.methods.translate.walker import TURN_S
from komadori.motion import Motion
from komadori.quat import Array
from komadori.result import Measure, Result
from komadori.timesheet import Timesheet
from komadori.words import Note

SPEED_S = 0.12
HEIGHT_S = 0.1
"""Times over which the speed and the height of the body are smoothed."""
SINK = 0.12
"""Leg lengths that the body may sink where a leg would not reach its place."""
_SHORTEST_S = 0.08
_STILL = 0.12
"""Leg lengths a second: while no foot moves faster against the body, the animal stands on all of them."""


@dataclass(frozen=True, eq=False)
class Performance(Result):
    """What came out, and the evidence: when each foot (LH, RH, LF, RF) stands, (F, 4), the speed (F,) in metres a second, and
    the way (F, 3) over the ground.
    """

    motion: Motion
    contacts: feet.Contacts
    speed: Array
    way: Array
    notes: tuple[Note, ...] = ()
    sheet: Timesheet | None = None

    @property
    def measures(self) -> Mapping[str, Measure]:
        """How fast the animal goes, and how far its standing feet move."""
        speed = float(self.speed.mean()) if len(self.speed) else 0.0
        return {"speed": Measure(speed, "m/s"), "slip_mm_per_s": Measure(1e3 * self.slip.per_second, "mm/s")}

    @property
    def slip(self) -> feet.Slip:
        """How far standing feet move."""
        return feet.slippage(self.motion, self.contacts)

    @property
    def footfalls(self) -> Footfalls | None:
        """The gait, from the feet."""
        return gaits.footfalls(self.contacts.on, self.motion.fps)


def way_of(places: Array, on: NDArray[np.bool_], fps: float) -> Array:
    """(F,) speed along +Z at which a body on the spot must go, so that its standing feet (F, 4, 3) stay: metres a second."""
    speed = np.gradient(places[..., 2], axis=0) * fps
    count = on.sum(axis=1)
    mean = -np.where(on, speed, 0.0).sum(axis=1) / np.maximum(count, 1)
    known = np.flatnonzero(count)
    if not len(known):
        return np.zeros(len(places))
    return smoothed(np.interp(np.arange(len(places)), known, mean[known])[:, None], fps, SPEED_S)[:, 0]


def finished(made: Motion, signals: Array, taught: Lesson, person: Motion) -> Performance:
    """`made` (on the spot, facing +Z) on the person's way: it goes where the person turns, as fast as its own feet carry it."""
    world = made.world_positions()
    points = list(taught.points)
    on = _standing(signals, world[:, points], taught, made.fps)
    speed = way_of(world[:, points], on, made.fps) * taught.evenness
    lift = _lift(world[:, points, 1] - np.array(taught.heights), on, made.fps)
    start = person.world_positions()
    heading = headings(person, start, TURN_S)
    forward = quat.rotate(heading, np.array([0.0, 0.0, 1.0]))
    steps = forward * speed[:, None] / made.fps
    way = np.concatenate([np.zeros((1, 3)), np.cumsum(steps[:-1], axis=0)])
    hips = start[0, roles.known(person.skeleton).get("hips", 0)]
    way = way + np.array([hips[0], 0.0, hips[2]])
    way[:, 1] = lift
    roots = np.flatnonzero(made.skeleton.parents < 0)
    rotations, positions = np.array(made.rotations), np.array(made.positions)
    rotations[:, roots] = quat.multiply(heading[:, None], made.rotations[:, roots])
    positions[:, roots] = quat.rotate(heading[:, None], made.positions[:, roots]) + way[:, None]
    moving = made.replaced(rotations=rotations, positions=positions)
    contacts = feet.Contacts(taught.points, (0, 1, 2, 3), on, 0.0)
    planted = feet.planted(moving, contacts, heights=taught.heights, sink_m=SINK * taught.leg_m)
    return Performance(loosened(planted, taught), contacts, speed, way)


def _standing(signals: Array, places: Array, taught: Lesson, fps: float) -> NDArray[np.bool_]:
    """(F, 4) when the feet stand: where their signal is over a half, in runs that are long enough; all while nothing moves."""
    on = signals > 0.5
    speed = np.linalg.norm(np.gradient(places, axis=0), axis=2).max(axis=1) * fps
    calm = smoothed(speed[:, None], fps)[:, 0] < _STILL * taught.leg_m
    shortest = max(1, round(_SHORTEST_S * fps))
    for foot in range(on.shape[1]):
        for value in (False, True):
            edges = np.flatnonzero(np.diff(np.concatenate([[not value], on[:, foot], [not value]]).astype(np.int8)))
            for start, stop in pairwise(edges.tolist()):
                inside = start > 0 and stop < len(on)
                if stop - start < shortest and inside and bool(on[start, foot]) == value:
                    on[start:stop, foot] = not value
    on[calm] = True
    return np.asarray(on)


def _lift(heights: Array, on: NDArray[np.bool_], fps: float) -> Array:
    """(F,) how much the body must rise so that its standing feet, (F, 4) above the ground, lie on it on the mean."""
    count = on.sum(axis=1)
    known = np.flatnonzero(count)
    if not len(known):
        return np.zeros(len(heights))
    low = np.where(on, heights, 0.0).sum(axis=1) / np.maximum(count, 1)
    return -smoothed(np.interp(np.arange(len(heights)), known, low[known])[:, None], fps, HEIGHT_S)[:, 0]
