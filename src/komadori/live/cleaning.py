"""Cleaning in real time: a One-Euro filter, gaps bridged, and no jump when tracking comes back.

The One-Euro filter (Casiez, Roussel and Vogel 2012) smooths what is slow, where tremor shows, and lets pass what is fast, where lag shows; it needs no
frames ahead and works at whatever rate packets come. Turns are filtered as turns: the newest is gone towards along the shortest arc.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from komadori import quat
from komadori.live.heard import ROLES, Heard, unturned
from komadori.quat import Array

SLOWEST_HZ, PER_SPEED = 1.0, 12.0
"""Cut-off of a bone that rests, and what a radian (or a metre) a second adds: chosen in docs/benchmarks/live.md."""
SPEED_HZ = 1.5
"""Cut-off of the speed itself."""
TOGETHER_S = 0.004
"""A frame is often sent in several packets, one right behind the other."""
LATE_S = 0.05
COAST_S = 0.08
"""When packets are this late the body continues its movement, and comes to rest with this time constant."""
GAP_S = 0.1
"""After this long without packets the body has to return to the performer gradually."""
FAST_RAD_S, FAST_M_S = 40.0, 15.0
"""No bone turns, and no body travels, faster than this: a pitcher's forearm does not."""
BACK_RAD_S, BACK_M_S = 4.0, 1.5
"""How fast it returns at first, after a gap or when another sender takes over."""
GAINS_S = 0.5
"""It speeds up by that much again in this time, so that it catches up with a moving performer."""
FOUND_RAD, FOUND_M = 0.05, 0.02
LONGEST_STEP_S = 0.5


@dataclass(frozen=True)
class Steady:
    """The pose that is shown at one moment: normalised rotations (R, 4), the place of the hips, and the face."""

    rotations: Array
    hips: Array
    face: dict[str, float]


class Tracker:
    """Takes frames whenever they come, and gives the pose at any moment. `clean` False leaves out the filter alone."""

    def __init__(self, resting: Array, clean: bool = True) -> None:
        self._clean = clean
        count = len(ROLES)
        self._turns, self._spin = unturned(), np.zeros((count, 3))
        self._heard_s = np.full(count, -np.inf)
        self._hips, self._drift = np.array(resting, dtype=np.float64), np.zeros(3)
        self._hips_s = -np.inf
        self._face: dict[str, float] = {}
        self._newest_s = -np.inf
        self._shown: tuple[Array, Array] | None = None
        self._shown_s = 0.0
        self._finding_back = False
        self._back_since_s = 0.0
        self._coming: tuple[Heard, float] | None = None

    @property
    def newest_s(self) -> float:
        """When a frame was heard last."""
        return self._newest_s if self._coming is None else self._coming[1]

    def startled(self) -> None:
        """What comes next is another performer, or the same one elsewhere: go there, do not jump."""
        self._coming = None
        self._finding_back, self._back_since_s = self._shown is not None, self._shown_s
        self._heard_s[:], self._hips_s = -np.inf, -np.inf

    def hear(self, heard: Heard, now_s: float) -> None:
        """Take in a frame that came at `now_s`. Parts of one frame that come together are taken in together."""
        if self._coming is not None:
            before, at = self._coming
            if now_s - at < TOGETHER_S and not (before.known & heard.known).any():
                self._coming = _joined(before, heard), at
                return
            self._take(before, at)
        self._coming = heard, now_s

    def _take(self, heard: Heard, now_s: float) -> None:
        if now_s - self._newest_s > GAP_S and np.isfinite(self._newest_s):
            self.startled()
        elapsed = np.clip(now_s - self._heard_s, 1e-3, LONGEST_STEP_S)
        fresh = ~np.isfinite(self._heard_s)
        known = heard.known
        turns = np.where(
            (heard.rotations * self._turns).sum(axis=1, keepdims=True) < 0.0, -heard.rotations, heard.rotations
        )
        way = quat.log(quat.multiply(turns, quat.inverse(self._turns)))
        spin = np.where(fresh[:, None], 0.0, way / elapsed[:, None])
        eased = _share(np.full(len(ROLES), SPEED_HZ), elapsed)[:, None]
        spin = np.where(fresh[:, None], 0.0, self._spin + eased * (spin - self._spin))
        if self._clean:
            part = _share(SLOWEST_HZ + PER_SPEED * np.linalg.norm(spin, axis=1), elapsed)
            turns = quat.slerp(self._turns, turns, np.where(fresh, 1.0, part))
        self._turns = np.where(known[:, None], quat.normalized(turns), self._turns)
        self._spin = np.where(known[:, None], spin, self._spin)
        self._heard_s = np.where(known, now_s, self._heard_s)
        if heard.hips is not None:
            self._hear_hips(heard.hips, now_s)
        if heard.face:
            self._face = dict(heard.face)
        self._newest_s = now_s

    def _hear_hips(self, hips: Array, now_s: float) -> None:
        if not np.isfinite(self._hips_s):
            self._hips, self._drift = np.array(hips), np.zeros(3)
        else:
            elapsed = min(max(now_s - self._hips_s, 1e-3), LONGEST_STEP_S)
            drift = (hips - self._hips) / elapsed
            self._drift = self._drift + float(_share(np.array(SPEED_HZ), elapsed)) * (drift - self._drift)
            speed = SLOWEST_HZ + PER_SPEED * float(np.linalg.norm(self._drift))
            part = float(_share(np.array(speed), elapsed)) if self._clean else 1.0
            self._hips = self._hips + part * (hips - self._hips)
        self._hips_s = now_s

    def at(self, now_s: float) -> Steady | None:
        """The pose to show at `now_s`, which never goes back; None before anything was received."""
        if self._coming is not None:
            heard, at = self._coming
            self._coming = None
            self._take(heard, at)
        if not np.isfinite(self._newest_s):
            return None
        turns, hips = self._turns, self._hips
        late = now_s - self._newest_s - LATE_S
        if late > 0.0 and self._clean:
            coast = COAST_S * (1.0 - np.exp(-late / COAST_S))
            turns = quat.normalized(quat.multiply(quat.exp(self._spin * coast), turns))
            hips = hips + self._drift * coast
        if self._shown is not None:
            turns, hips = self._bounded(turns, hips, max(now_s - self._shown_s, 0.0))
        self._shown, self._shown_s = (turns, hips), now_s
        return Steady(turns, hips, dict(self._face))

    def _bounded(self, turns: Array, hips: Array, elapsed: float) -> tuple[Array, Array]:
        """The way from what is shown to what should be, cut at the speed that is allowed."""
        assert self._shown is not None
        shown, place = self._shown
        turns = np.where((turns * shown).sum(axis=1, keepdims=True) < 0.0, -turns, turns)
        angle = quat.angle(quat.multiply(turns, quat.inverse(shown)))
        travel = float(np.linalg.norm(hips - place))
        if self._finding_back and angle.max() < FOUND_RAD and travel < FOUND_M:
            self._finding_back = False
        spin, speed = FAST_RAD_S, FAST_M_S
        if self._finding_back:
            gained = 1.0 + (self._shown_s + elapsed - self._back_since_s) / GAINS_S
            spin, speed = min(BACK_RAD_S * gained, spin), min(BACK_M_S * gained, speed)
        part = np.minimum(spin * elapsed / np.maximum(angle, 1e-9), 1.0)
        turns = np.where((part < 1.0)[:, None], quat.slerp(shown, turns, part), turns)
        return turns, place + min(speed * elapsed / max(travel, 1e-9), 1.0) * (hips - place)

    @property
    def finding_back(self) -> bool:
        """Whether the body is on its way back to the performer."""
        return self._finding_back


def _joined(one: Heard, other: Heard) -> Heard:
    """Both parts of a frame."""
    return replace(
        one,
        rotations=np.where(other.known[:, None], other.rotations, one.rotations),
        known=one.known | other.known,
        hips=one.hips if other.hips is None else other.hips,
        face=other.face or one.face,
    )


def _share(cutoff_hz: Array, elapsed: Array | float) -> Array:
    """How far a low-pass of that cut-off goes towards the newest value in that time."""
    return np.asarray(1.0 / (1.0 + 1.0 / (2.0 * np.pi * cutoff_hz * elapsed)))
