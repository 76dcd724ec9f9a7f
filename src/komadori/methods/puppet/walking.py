"""Walking (Igarashi, section 3.2): keys of one step become a walk at any speed, forwards and backwards, without slip.

The keys, in order, are a loop of the handle about the body. Everything in the walk is a function of how far the body has
come: the place on the loop, the spots on which feet stand, the root. So speed, stops and turns back change nothing in it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from komadori import kinematics, quat, roles
from komadori.errors import OptionError
from komadori.methods.puppet.rig import Puppet
from komadori.methods.puppet.take import frame_times
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import frozen
from komadori.words import Fact, Note

_SAMPLES = 720
"""Places of the loop at which the gait is measured."""
_OVERLAP = 0.08
"""Share of a cycle by which a foot stands longer than it carries: for a moment both stand."""
_EVEN = 0.04
"""Share of a cycle over which pace and height are evened out (sigma of a Gaussian)."""
_SLOWEST = 0.4
"""The handle's least pace along the loop, of the mean: where a foot turns round, the body does not wait for it."""
_STRETCH = 0.99
"""How straight a leg may get, as a share of its length: near its end a knee would snap."""
_CLEARANCE = 0.2
"""How high the ball of a swinging foot is at least, at the middle of its swing, in lengths of the foot."""
_HEEL_UP = np.radians(55.0)
_UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True)
class _Leg:
    hip: int
    knee: int
    ankle: int
    ball: int


@dataclass(frozen=True, eq=False)
class _Step:
    """What one foot does in a cycle. It comes down at phase `begin` and stands for `duration` (shares of a cycle)."""

    leg: _Leg
    begin: float
    duration: float
    spot: Array
    """(3,) where its ball stands in cycle 0; in every further one a stride ahead."""
    flat: Array
    """(4,) how the foot is turned when its sole is down."""
    flat_toes: Array
    """(4,) and its toes."""
    shifts: Array
    """(2, 3) by how much the ball misses its spot in the blend when it lifts off, and the next one when it lands."""
    twists: Array
    """(2, 4) and the foot its turn."""


@dataclass(frozen=True, eq=False)
class Walk:
    """A gait found in a puppet's keys: `stride` metres per cycle, towards `ahead`. Ask it for the motion of any travel."""

    puppet: Puppet
    stride: float
    ahead: Array
    loop: Array
    """(n, 3) the handle's path about the body in one cycle, closed."""
    lift: Array
    """(n, 3) what is added to the root on that way: standing legs are neither too long nor too short."""
    steps: tuple[_Step, ...] = ()

    def motion(self, travel: ArrayLike, fps: float = 24.0, *, heading: float = 0.0) -> Motion:
        """The walk in which the body has come `travel` (F,) metres at each frame; it may stop and turn back.

        `heading` turns the way, in radians to the left.
        """
        way = frozen(travel, np.float64, (-1,), "travel")
        bad = np.flatnonzero(~(np.abs(way) < 1e6))
        if len(bad):
            raise OptionError(
                "travel",
                expected=Note("distances in metres"),
                found=Note("{value} in frame {frame}", value=float(way[bad[0]]), frame=int(bad[0])),
            )
        phase = way / self.stride
        rotations, positions = self._blended(phase)
        skeleton = self.puppet.skeleton
        turns, places = kinematics.world_transforms(skeleton, rotations, positions)
        for step in self.steps:
            _bend(self, step, phase, rotations, turns, places)
        turn = quat.from_axis_angle(_UP, heading)
        rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
        positions[:, 0] = quat.rotate(turn, positions[:, 0])
        note = Fact("One cycle of the walk covers {stride:.2f} m.", stride=self.stride)
        notes = (*self.puppet.notes, note)
        return Motion(skeleton, fps, quat.continuous(quat.normalized(rotations)), positions, notes=notes)

    def _blended(self, phase: Array) -> tuple[Array, Array]:
        """The blend alone, on its way: rotations (F, J, 4) and positions (F, J, 3)."""
        found = self.puppet.poses(_around(self.loop, phase))
        positions = np.array(found.positions)
        positions[:, 0] += (phase * self.stride)[:, None] * self.ahead + _around(self.lift, phase)
        return np.array(found.rotations), positions

    def _seen(self, phase: Array) -> tuple[Array, Array]:
        """World rotations and places of the blend."""
        return kinematics.world_transforms(self.puppet.skeleton, *self._blended(phase))


def walk_of(puppet: Puppet) -> Walk:
    """The gait that the puppet's keys make, their places in order being a loop of the handle about the body.

    Four keys are enough: a foot in front, under the body, behind, and lifted on its way back to the front. The foot that
    goes back, seen from the body, is the one that carries it.
    """
    if puppet.ground is None:
        raise OptionError(
            "ground",
            problem=Note("the puppet has no ground to walk on"),
            advice=Note("make the puppet with ground=0.0"),
        )
    if len(puppet.keys) < 3:
        raise OptionError("keys", expected=Note("a loop of at least 3 keys; four work well"), found=len(puppet.keys))
    legs = _legs(puppet)
    loop = _loop(np.stack([key.position for key in puppet.keys]))
    still = Walk(puppet, 0.0, np.zeros(3), loop, np.zeros((1, 3)))
    phase = np.arange(_SAMPLES) / _SAMPLES
    _, places = still._seen(phase)
    left = (places[:, legs[0].hip] - places[:, legs[1].hip]).mean(axis=0) * np.array([1.0, 0.0, 1.0])
    ahead = quat.cross(left, _UP) / max(float(np.linalg.norm(left)), 1e-12)
    going = _going(places, legs, ahead)
    pace = _smoothed(np.maximum(-going.min(axis=1), 0.0))
    if not pace.sum() > 0.0:
        raise OptionError(
            "keys",
            problem=Note("no foot moves back relative to the body, so these keys are not a walk"),
        )
    # The loop is walked so that the foot that carries goes back evenly.
    done = np.cumsum(np.maximum(pace, _SLOWEST * pace.mean()))
    loop = _around(loop, np.interp(phase, np.append(0.0, done) / done[-1], np.append(phase, 1.0)))
    still = replace(still, loop=loop, ahead=ahead)
    _, places = still._seen(phase)
    going = _going(places, legs, ahead)
    carrying = going[:, 0] < going[:, 1]
    stride = float(-going.min(axis=1).sum())
    at_keys = puppet.poses(np.stack([key.position for key in puppet.keys]))
    stood = kinematics.world_positions(puppet.skeleton, at_keys.rotations, at_keys.positions)
    sole = max(puppet.ground, min(float(stood[:, leg.ball, 1].min()) for leg in legs))
    stands = [_stand(mask) for mask in (carrying, ~carrying)]
    lift = np.zeros((_SAMPLES, 3))
    height = np.where(carrying, places[:, legs[0].ball, 1], places[:, legs[1].ball, 1])
    lift[:, 1] = _smoothed(sole - height)
    walk = replace(still, stride=stride, lift=lift)
    walk = replace(walk, steps=_steps(walk, legs, stands, sole))
    lift = lift.copy()
    lift[:, 1] -= _too_far(walk, phase)
    walk = replace(walk, lift=lift, steps=())
    return replace(walk, steps=_steps(walk, legs, stands, sole))


def walking(puppet: Puppet, speed: float, seconds: float, fps: float = 24.0) -> Motion:
    """The puppet walking at an even `speed` in metres per second, backwards if it is negative."""
    return walk_of(puppet).motion(speed * frame_times(seconds, fps), fps)


def _legs(puppet: Puppet) -> tuple[_Leg, _Leg]:
    known, skeleton = roles.known(puppet.skeleton), puppet.skeleton
    made = []
    for side in ("left", "right"):
        hip, knee, ankle = (known.get(f"{side}_{part}", -1) for part in ("upper_leg", "lower_leg", "foot"))
        if min(hip, knee, ankle) < 0:
            raise OptionError(
                "skeleton",
                problem=Note("no {side} leg was recognised", side=Note(side)),
            )
        kids = sorted(skeleton.children[ankle], key=lambda kid: float(np.linalg.norm(skeleton.offsets[kid])))
        made.append(_Leg(hip, knee, ankle, known.get(f"{side}_toes", kids[-1] if kids else ankle)))
    return made[0], made[1]


def _loop(places: Array) -> Array:
    """(n, 3) a closed, smooth way through `places` (Catmull and Rom), the same number of steps between any two."""
    u = np.arange(_SAMPLES) * (len(places) / _SAMPLES)
    i = u.astype(np.intp)
    s = (u - i)[:, None]
    a, b, c, d = (places[(i + k) % len(places)] for k in (-1, 0, 1, 2))
    return np.asarray(b + 0.5 * s * (c - a + s * (2.0 * a - 5.0 * b + 4.0 * c - d + s * (3.0 * (b - c) + d - a))))


def _around(table: Array, phase: Array) -> Array:
    """(F, 3) values of a closed table (n, 3) at any phase; 1 is once around."""
    at = (phase - np.floor(phase)) * len(table)
    i = at.astype(np.intp) % len(table)
    part = (at - np.floor(at))[:, None]
    return np.asarray(table[i] * (1.0 - part) + table[(i + 1) % len(table)] * part)


def _smoothed(values: Array) -> Array:
    """A closed row of values (n,) under a Gaussian."""
    waves = np.fft.rfftfreq(len(values))
    return np.asarray(
        np.fft.irfft(np.fft.rfft(values) * np.exp(-2.0 * (np.pi * waves * _EVEN * len(values)) ** 2), len(values))
    )


def _going(places: Array, legs: tuple[_Leg, _Leg], ahead: Array) -> Array:
    """(n, 2) how far each foot goes forward from sample to sample, seen from the body."""
    feet = np.stack([0.5 * (places[:, leg.ankle] + places[:, leg.ball]) for leg in legs], axis=1)
    return np.asarray((np.roll(feet, -1, axis=0) - feet) @ ahead)


def _stand(carrying: NDArray[np.bool_]) -> tuple[float, float]:
    """When a foot comes down and for how long it stands, as shares of a cycle."""
    edges = np.flatnonzero(carrying & ~np.roll(carrying, 1))
    if len(edges) != 1:
        raise OptionError(
            "keys",
            problem=Note("each foot must move back once and forward once relative to the body"),
        )
    return float(edges[0] / _SAMPLES - 0.5 * _OVERLAP), float(carrying.mean() + _OVERLAP)


def _steps(walk: Walk, legs: tuple[_Leg, _Leg], stands: list[tuple[float, float]], sole: float) -> tuple[_Step, ...]:
    return tuple(_step(walk, leg, *stand, sole) for leg, stand in zip(legs, stands, strict=True))


def _step(walk: Walk, leg: _Leg, begin: float, duration: float, sole: float) -> _Step:
    turns, places = walk._seen(begin + duration * np.linspace(0.0, 1.0, 49))
    # The mean splits what the blend misses evenly between the beginning of the stand and its end.
    spot = places[:, leg.ball].mean(axis=0)
    spot[1] = sole
    zero, same = np.zeros((2, 3)), quat.identity(2)
    step = _Step(leg, begin, duration, spot, turns[24, leg.ankle], turns[24, leg.ball], zero, same)
    turns, places = walk._seen(np.array([begin + duration, begin + 1.0]))
    share = np.array([1.0, 0.0])
    goal = _standing_turn(walk, step, turns[:, leg.ankle], share)
    spots = np.stack([spot, spot + walk.stride * walk.ahead])
    return replace(
        step,
        shifts=spots - places[:, leg.ball],
        twists=quat.multiply(goal, quat.inverse(turns[:, leg.ankle])),
    )


def _standing_turn(walk: Walk, step: _Step, foot: Array, share: Array) -> Array:
    """(F, 4) a standing foot: flat, and in the second half of its stand with as much heel off the ground as the keys say."""
    lateral = quat.cross(_UP, walk.ahead)
    pitch = quat.log(quat.multiply(foot, quat.inverse(step.flat))) @ lateral
    rising = np.clip(pitch, 0.0, _HEEL_UP) * _eased((share - 0.5) / 0.4)
    return quat.multiply(quat.from_axis_angle(lateral, rising), step.flat)


def _goals(walk: Walk, step: _Step, phase: Array, turns: Array, places: Array) -> tuple[Array, Array, Array]:
    """The foot's world rotation (F, 4), its ankle's place (F, 3), and its toes' world rotation (F, 4)."""
    leg = step.leg
    since = phase - step.begin
    cycle = np.floor(since)
    since = since - cycle
    stands = (since <= step.duration)[:, None]
    swing = np.clip((since - step.duration) / (1.0 - step.duration), 0.0, 1.0)
    glide = _eased(swing)
    foot = turns[:, leg.ankle]
    twist = quat.slerp(step.twists[0], step.twists[1], glide)
    standing = _standing_turn(walk, step, foot, np.minimum(since / step.duration, 1.0))
    # Long before it lands a foot levels out: blended toes that still point down would scrape the ground.
    level = quat.slerp(quat.multiply(twist, foot), np.broadcast_to(step.flat, foot.shape), _eased((swing - 0.3) / 0.6))
    goal_turn = np.where(stands, standing, level)
    spot = step.spot + (cycle * walk.stride)[:, None] * walk.ahead
    blended = places[:, leg.ball] + (1.0 - glide)[:, None] * step.shifts[0] + glide[:, None] * step.shifts[1]
    # At both ends of its swing the foot is at rest: there a plain step from spot to spot, between them what the keys say.
    plain = spot + (glide * walk.stride)[:, None] * walk.ahead
    flying = plain + ((4.0 * swing * (1.0 - swing)) ** 2)[:, None] * (blended - plain)
    lever = quat.rotate(quat.inverse(foot), places[:, leg.ball] - places[:, leg.ankle])
    clear = _CLEARANCE * float(np.linalg.norm(lever, axis=1).max(initial=0.0))
    flying[:, 1] = np.maximum(flying[:, 1], step.spot[1] + clear * np.sin(np.pi * swing) ** 2)
    ball = np.where(stands, spot, flying)
    natural = quat.multiply(goal_turn, quat.multiply(quat.inverse(foot), turns[:, leg.ball]))
    firm = 1.0 - _eased(np.minimum(swing / 0.35, (1.0 - swing) / 0.2))
    toes = quat.slerp(natural, np.broadcast_to(step.flat_toes, natural.shape), np.where(stands[:, 0], 1.0, firm))
    return goal_turn, ball - quat.rotate(goal_turn, lever), toes


def _bend(walk: Walk, step: _Step, phase: Array, rotations: Array, turns: Array, places: Array) -> None:
    """Change a leg's `rotations` so that foot and toes are where they shall be."""
    leg, parents = step.leg, walk.puppet.skeleton.parents
    foot, ankle, toes = _goals(walk, step, phase, turns, places)
    hip, knee, end = places[:, leg.hip], places[:, leg.knee], places[:, leg.ankle]
    axis = quat.rotate(quat.inverse(turns[:, leg.hip]), quat.cross(knee - hip, end - knee)).sum(axis=0)
    upper, lower = kinematics.two_bone(hip, knee, end, ankle, hinge=quat.rotate(turns[:, leg.hip], axis))
    new = {
        leg.hip: quat.multiply(upper, turns[:, leg.hip]),
        leg.knee: quat.multiply(lower, turns[:, leg.knee]),
        leg.ankle: foot,
    }
    if leg.ball != leg.ankle and walk.puppet.skeleton.children[leg.ball]:
        new[leg.ball] = toes
    for joint, world in new.items():
        parent = int(parents[joint])
        above = new[parent] if parent in new else turns[:, parent]
        rotations[:, joint] = quat.multiply(quat.inverse(above), world)


def _too_far(walk: Walk, phase: Array) -> Array:
    """(n,) by how much the root must sink on the way so that no leg is stretched too far."""
    turns, places = walk._seen(phase)
    need = np.zeros(len(phase))
    for step in walk.steps:
        leg = step.leg
        _, ankle, _ = _goals(walk, step, phase, turns, places)
        bones = [places[:, a] - places[:, b] for a, b in ((leg.knee, leg.hip), (leg.ankle, leg.knee))]
        reach = _STRETCH * sum(np.linalg.norm(bone, axis=1) for bone in bones)
        away = (ankle - places[:, leg.hip])[:, ::2]
        height = np.sqrt(np.maximum(reach**2 - np.einsum("ni,ni->n", away, away), 0.0))
        need = np.maximum(need, places[:, leg.hip, 1] - ankle[:, 1] - height)
    # The greatest need within reach of the Gaussian, evened out, is never less than the need itself.
    width = int(3.5 * _EVEN * len(phase))
    widest = np.max([np.roll(need, shift) for shift in range(-width, width + 1, 4)], axis=0)
    return _smoothed(widest)


def _eased(x: Array) -> Array:
    x = np.clip(x, 0.0, 1.0)
    return np.asarray(x * x * (3.0 - 2.0 * x))
