"""The textbook's checks of drawn hair: the tip draws an 8, the wave runs from root to tip, no two in step, the loop closes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from komadori.methods.hair.eights import FEWEST
from komadori.methods.hair.flow import Air, Flow
from komadori.quat import Array

SAMPLES = 96
"""Moments of a cycle that are looked at."""
IN_STEP_DEG = 10.0
"""Neighbours whose waves are nearer than this are in step."""
LOBE = 0.1
"""The smaller side of an 8 is at least so large a share of the larger."""
FAINT = 0.1
"""Share of a strand's largest swing below which a bone counts as still."""
SEAM_DEG = 1e-6
BENT = 0.75
"""A strand whose bend alone swings its tip so far across, as a share of the 8's width, cannot be asked for an 8."""


@dataclass(frozen=True)
class ChainCheck:
    """The results for one chain; None if a chain of so few bones, or so bent a one, cannot show it."""

    name: str
    figure_8: bool | None
    """Whether the tip's path over a cycle crosses itself and goes round the two sides the opposite way."""
    root_to_tip: bool | None
    """Whether every bone swings later than the one before it."""
    step_deg: float | None
    """How far its wave is from that of the nearest neighbour, in degrees of a cycle; None without a neighbour."""
    seam_deg: float
    """How far a bone points elsewhere after a whole loop."""

    @property
    def passed(self) -> bool:
        """Whether all checks passed."""
        apart = self.step_deg is None or self.step_deg >= IN_STEP_DEG
        return self.figure_8 is not False and self.root_to_tip is not False and apart and self.seam_deg <= SEAM_DEG


@dataclass(frozen=True)
class HairChecks:
    """The textbook's checks of all chains."""

    chains: tuple[ChainCheck, ...]

    @property
    def passed(self) -> bool:
        """Whether every chain passes."""
        return all(chain.passed for chain in self.chains)


def checked(flow: Flow, loop_s: float) -> HairChecks:
    """The checks of every chain of `flow` over one period of its wave, as a head that stands still carries it."""
    strands = flow.strands
    still = flow.at_rest(flow.air)
    ends = still.directions([0.0, loop_s])
    # A gust moves the whole strand in its own time, so only the wave is checked.
    steady = still.at_rest(Air(flow.air.wind, 0.0, 1))
    cycles = np.arange(SAMPLES) / SAMPLES
    lines = steady.directions(cycles * flow.period_s, cycles)
    phases = strand_phases(steady, lines)
    found = []
    for number, chain in enumerate(strands.chains):
        bones = strands.bones(number)
        seam = float(
            np.degrees(
                2.0 * np.arcsin(np.clip(np.linalg.norm(ends[1, bones] - ends[0, bones], axis=1) / 2.0, 0.0, 1.0)).max()
            )
        )
        seen = _in_plane(steady, lines, number)
        eight: bool | None = None
        ordered: bool | None = None
        if bones.stop - bones.start >= FEWEST:
            tip = np.cumsum(seen * strands.lengths[bones, None], axis=1)[:, -1]
            eight = draws_eight(tip) or (None if steady.roundness[number] > BENT else False)
        if bones.stop - bones.start > 1:
            ordered = runs_to_tip(np.arctan2(seen[..., 1], seen[..., 0]))
        beside = [
            other
            for other in (number - 1, number + 1)
            if 0 <= other < len(strands) and strands.holders[other] == strands.holders[number]
        ]
        steps = [abs((phases[number] - phases[other] + np.pi) % (2.0 * np.pi) - np.pi) for other in beside]
        step = float(np.degrees(min(steps))) if steps else None
        found.append(ChainCheck(chain.name, eight, ordered, step, seam))
    return HairChecks(tuple(found))


def strand_phases(flow: Flow, lines: Array) -> Array:
    """(C,) radians: when in the cycle each chain's last bone is highest."""
    strands = flow.strands
    result = np.empty(len(strands))
    turn = np.exp(-2j * np.pi * np.arange(len(lines)) / len(lines))
    for number in range(len(strands)):
        seen = _in_plane(flow, lines, number)[:, -1]
        result[number] = np.angle(np.sum(np.arctan2(seen[:, 1], seen[:, 0]) * turn))
    return result


def _in_plane(flow: Flow, lines: Array, chain: int) -> Array:
    """(n, bones, 2) a chain's bones in its own plane: along the way that it streams, and up."""
    along, up = flow.plane(chain)
    own = lines[:, flow.strands.bones(chain)]
    return np.stack([own @ along, own @ up], axis=-1)


def runs_to_tip(tilts: Array) -> bool:
    """Whether the swing of `tilts` (n, bones) over a cycle reaches every bone after the one before it."""
    turn = np.exp(-2j * np.pi * np.arange(len(tilts)) / len(tilts))
    # About each bone's own mean direction: a tilt must not jump where it passes half a turn.
    about = np.angle(np.exp(1j * tilts) * np.conj(np.exp(1j * tilts).mean(axis=0)))
    swing = np.sum((about - about.mean(axis=0)) * turn[:, None], axis=0)
    # Bones near the root that hardly swing say nothing.
    seen = swing[np.abs(swing) > FAINT * np.abs(swing).max()]
    return bool((np.angle(seen[:-1] * np.conj(seen[1:])) > -1e-9).all())


def draws_eight(path: Array) -> bool:
    """Whether a closed path (n, 2) crosses itself so that it goes round the two sides the opposite way."""
    for first, second in _crossings(path):
        one = _area(path[first + 1 : second + 1])
        other = _area(np.concatenate([path[second + 1 :], path[: first + 1]]))
        if one * other < 0.0 and min(abs(one), abs(other)) > LOBE * max(abs(one), abs(other)):
            return True
    return False


def _area(loop: Array) -> float:
    x, y = loop.T
    return float(0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))


def _crossings(path: Array) -> list[tuple[int, int]]:
    """The pairs of steps of a closed path (n, 2) that cross."""
    start, step = path, np.roll(path, -1, axis=0) - path
    apart = start[None] - start[:, None]
    square = step[:, None, 0] * step[None, :, 1] - step[:, None, 1] * step[None, :, 0]
    safe = np.where(square == 0.0, 1e-300, square)
    along = (apart[..., 0] * step[None, :, 1] - apart[..., 1] * step[None, :, 0]) / safe
    other = (apart[..., 0] * step[:, None, 1] - apart[..., 1] * step[:, None, 0]) / safe
    # A little more: a path may cross itself exactly where two steps meet.
    inside = [(part >= -1e-6) & (part <= 1.0 + 1e-6) for part in (along, other)]
    hit = inside[0] & inside[1] & (square != 0.0)
    return [(i, j) for i, j in np.argwhere(hit).tolist() if 1 < j - i < len(path) - 1]
