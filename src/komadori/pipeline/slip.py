"""Foot slip: how far standing feet move from one shown frame to the next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import feet
from komadori.feet import Contacts
from komadori.motion import Motion

Frames = NDArray[np.int64]


@dataclass(frozen=True)
class FootSlip:
    """How far a standing foot moves over the ground from one frame to the next, in metres: the mean, and the largest.

    `steps` is over how many pairs of frames; a drawing that is held does not slip, and counts as such.
    """

    mean_m: float
    max_m: float
    steps: int


def foot_slip(motion: Motion, contacts: Contacts, source: Frames | None = None) -> FootSlip:
    """The slip of `motion`, whose frame f shows frame `source`[f] of the clip that `contacts` were found in.

    Only steps within one and the same stand count: where omission leaps over a lifted foot, the foot has stepped.
    """
    frames = np.arange(len(contacts)) if source is None else source
    world = motion.world_positions()
    found = []
    for limb in sorted(set(contacts.limbs)):
        columns = [column for column, owner in enumerate(contacts.limbs) if owner == limb]
        stands = feet.stands(contacts.standing[:, limb])[frames]
        same = (stands[1:] == stands[:-1]) & (stands[1:] > 0)
        on = contacts.on[frames][:, columns]
        both = on[1:] & on[:-1]
        same &= both.any(axis=1)
        # Of a foot on ankle and toes, the toes count: the ankle may turn about them.
        foremost = len(columns) - 1 - np.argmax(both[:, ::-1], axis=1)
        joints = np.array([contacts.joints[column] for column in columns])[foremost]
        rows = np.flatnonzero(same)
        step = world[rows + 1, joints[rows]] - world[rows, joints[rows]]
        found.append(np.hypot(step[:, 0], step[:, 2]))
    slips = np.concatenate(found) if found else np.zeros(0)
    if not len(slips):
        return FootSlip(0.0, 0.0, 0)
    return FootSlip(float(slips.mean()), float(slips.max()), len(slips))
