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
        rows = np.flatnonzero((stands[1:] == stands[:-1]) & (stands[1:] > 0))
        places = world[:, [contacts.joints[column] for column in columns]][..., ::2]
        way = np.linalg.norm(places[rows + 1] - places[rows], axis=-1)
        on = contacts.on[frames][:, columns]
        # A foot that rolls turns about one of its points: the one that moves least says whether it slips.
        found.append(np.where(on[rows] | on[rows + 1], way, np.inf).min(axis=1))
    slips = np.concatenate(found) if found else np.zeros(0)
    if not len(slips):
        return FootSlip(0.0, 0.0, 0)
    return FootSlip(float(slips.mean()), float(slips.max()), len(slips))
