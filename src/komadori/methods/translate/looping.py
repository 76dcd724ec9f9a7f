"""Loops: a person's looping clip drives an animal's looping clip."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from komadori import quat
from komadori.methods.translate.performance import QuadrupedResult
from komadori.motion import Motion

ROUNDS = 3
FADE_S = 0.25
"""The end of a round becomes that of the round before over this time, which the first frame follows on."""


def rounds(person: Motion) -> Motion:
    """ROUNDS rounds of a loop one after another, each beginning a step beyond where the one before ended."""
    frames = np.tile(np.arange(len(person)), ROUNDS)
    path = person.world_positions()[:, 0] * np.array([1.0, 0.0, 1.0])
    onward = path[-1] - path[0] + 0.5 * (path[1] - path[0] + path[-1] - path[-2])
    positions = np.array(person.positions[frames])
    roots = person.skeleton.parents < 0
    positions[:, roots] += (np.arange(len(frames)) // len(person))[:, None, None] * onward
    return person.taken(frames).replaced(positions=positions)


def middle(made: QuadrupedResult) -> QuadrupedResult:
    """The second of three rounds, closed: its last frame leads to its first."""
    count = len(made.motion) // ROUNDS
    own, before = (slice(k * count, (k + 1) * count) for k in (1, 0))
    motion, shift = made.motion[own], made.way[2 * count] - made.way[count]
    fade = min(count // 3, max(2, round(FADE_S * motion.fps)))
    share = np.zeros(count)
    share[count - fade :] = (np.arange(fade) + 1.0) / fade
    share = share * share * (3.0 - 2.0 * share)
    earlier = np.array(made.motion.positions[before])
    earlier[:, motion.skeleton.parents < 0] += shift * np.array([1.0, 0.0, 1.0])
    rotations = quat.slerp(motion.rotations, made.motion.rotations[before], share[:, None])
    positions = motion.positions + share[:, None, None] * (earlier - motion.positions)
    on = np.where(share[:, None] > 0.5, made.contacts.on[before], made.contacts.on[own])
    closed = motion.replaced(rotations=quat.continuous(rotations), positions=positions)
    return replace(
        made,
        motion=closed,
        contacts=replace(made.contacts, on=on),
        speed=made.speed[own],
        way=made.way[own],
        gaits=made.gaits[own],
        planned=np.where(share[:, None] > 0.5, made.planned[before], made.planned[own]),
    )
