"""Layers: a sheet for every body part. The root travels on ones, and standing feet do not slip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from komadori import feet, quat, roles
from komadori.methods.limited.greedy import Frames, Limits
from komadori.methods.limited.holds import held_sheet
from komadori.motion import Motion
from komadori.quat import Array
from komadori.timesheet import Timesheet
from komadori.words import Fact, Note

ROOT = "root"
BODY = "body"


@dataclass(frozen=True, eq=False)
class Layered:
    """The sheets by part, the motion that they make together, and drawings removed in the body's sheet."""

    sheets: Mapping[str, Timesheet]
    motion: Motion
    held: int
    notes: tuple[Note, ...]


def layered(motion: Motion, before: Frames, hold: int, limits: Limits, solver: str) -> Layered:
    """`motion` timed by `before`, with `hold` drawings of each part removed by its own holds.

    A part's steps are measured as seen from the root, so that travel does not count as change of pose. The root keeps
    every frame: viewers dislike a held body that travels in steps. Where a leg is held while the root moves
    on, its foot would slide; standing feet are therefore kept in place, which turns those legs on ones.
    """
    seen = _seen_from_root(motion)
    root_sheet = Timesheet(motion.fps, before)
    sheets = {ROOT: root_sheet}
    frames = np.broadcast_to(before[:, None], (len(before), len(motion.skeleton))).copy()
    held = 0
    for name, joints in roles.parts(motion.skeleton).items():
        if name == ROOT or not joints.any():
            continue
        points = np.ascontiguousarray(seen[:, joints].reshape(len(motion), -1))
        source, count = held_sheet(points, before, hold, limits, solver)
        sheets[name] = Timesheet(motion.fps, source)
        frames[:, joints] = source[:, None]
        held = max(held, count)
    timed = motion.taken(frames)
    found = feet.contacts(motion)
    standing = replace(found, on=found.on[before])
    slip_m_s = feet.slippage(timed, standing).per_second
    planted = feet.planted(timed, standing, like=motion.retimed(root_sheet)) if standing.on.any() else timed
    note = Fact(
        "Planted feet slip {after:.1f} mm/s (captured: {captured:.1f}; with the legs held while the root moves: {before:.1f}).",
        after=1000.0 * feet.slippage(planted, standing).per_second,
        before=1000.0 * slip_m_s,
        captured=1000.0 * feet.slippage(motion, found).per_second,
    )
    return Layered(sheets, planted, held, (*found.notes, note))


def _seen_from_root(motion: Motion) -> Array:
    """(F, J, 3) every joint's place in the frame of the hips: in some files the root above them never moves."""
    turned, places = motion.world_transforms()
    hips = motion.skeleton.role("hips") or 0
    return quat.rotate(quat.inverse(turned[:, hips, None]), places - places[:, hips, None])
