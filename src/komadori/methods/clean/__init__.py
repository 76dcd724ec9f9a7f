"""Cleaning: artefacts of capture are removed before any stylisation, and every change is reported by joint and frame."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori import feet, kinematics, quat, roles
from komadori.errors import OptionError
from komadori.feet.contacts import anywhere, columns_of, runs, stands
from komadori.methods.clean import bridging, ground, swaps
from komadori.methods.clean.changes import Change, Kind, told_rows
from komadori.motion import Motion
from komadori.numerics import smoothing
from komadori.parameters import check, parameter
from komadori.quat import Array
from komadori.registry import Row, measured_facts, method
from komadori.result import Measure, Result
from komadori.roles.stature import sane_scale, stature
from komadori.skeleton import Skeleton
from komadori.timesheet import Timesheet
from komadori.words import Note

__all__ = ["Change", "CleanOptions", "CleanResult", "Kind", "clean"]

NEIGHBOURS = 0.5
"""How much neighbouring joints count when a joint's filter is chosen."""
COARSE_FPS = 48.0
"""Below this frame rate jitter in a few joints is taken for movement."""
ROUNDS = 4
"""How often spikes are searched for: a large one may hide a smaller one."""
STRIKE_M_S, STRIKE = 6.0, 0.9
"""A strike: a joint is faster than this, and than this share of the fastest in the clip."""
STRIKE_S, STRIKE_SHARE = 0.025, 0.6
"""There a parabola of this many seconds to each side gets this weight."""
LEAST_TOLD = 0.01
"""Degrees: smaller spikes are not reported."""
_UPRIGHT, _LYING = 0.8, 0.5
"""Cosines: a body stands along an axis, and does not stand along Y."""


@dataclass(frozen=True, kw_only=True)
class CleanOptions:
    """What is cleaned; each part can be switched off, and joints can be left alone."""

    axes: bool = parameter(
        True, "turn a body that lies on its side or stands on its head upright, and scale one of an impossible size"
    )
    swaps: bool = parameter(True, "swap left and right back where they were exchanged")
    gaps: bool = parameter(True, "fill in dropped frames, and joints that were lost or frozen during movement")
    spikes: bool = parameter(True, "remove single frames in which a joint jumps away and back")
    jitter: bool = parameter(True, "smooth jitter without delay; peaks and contacts are kept")
    jitter_mm: float = parameter(
        1.0,
        "jitter to leave alone, measured at the end of the bones that a joint moves",
        unit="mm",
        low=0.0,
        high=1000.0,
    )
    floor: bool = parameter(True, "level a floor that drifts or is tilted")
    skate: bool = parameter(True, "lock planted feet in place")
    skate_mm: float = parameter(5.0, "foot skate to leave alone, per contact", unit="mm", low=0.0, high=1000.0)
    keep_first: bool = parameter(False, "keep a calibration pose at the start")
    leave: tuple[str, ...] = parameter((), "joint (by name or role) to leave as it is; may be repeated", reads="names")

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, eq=False)
class CleanResult(Result):
    """The clean motion, and what was changed on the way to it."""

    source_motion: Motion
    options: CleanOptions
    motion: Motion
    changes: tuple[Change, ...]
    """Every change, in the order in which it was made; frames are those of the source."""
    first: int = 0
    """The frame of the source with which the motion begins."""
    notes: tuple[Note, ...] = ()
    sheet: Timesheet | None = None

    @property
    def measures(self) -> Mapping[str, Measure]:
        """How many frames each kind of change touched, and how far joints were moved."""
        counts = {f"{kind}_frames": Measure(_touched(self.changes, kind)) for kind in Kind.ALL}
        moved = self.moved_m
        return {
            **counts,
            "mean_change": Measure(1e3 * float(moved.mean()) if moved.size else 0.0, "mm"),
            "largest_change": Measure(1e3 * float(moved.max(initial=0.0)), "mm"),
        }

    @property
    def moved_m(self) -> Array:
        """(F, J) how far each joint of the result is from where the source has it; 0 where the source is not a number."""
        source = self.source_motion[self.first : self.first + len(self.motion)]
        apart = np.linalg.norm(self.motion.world_positions() - source.world_positions(), axis=-1)
        return np.where(np.isfinite(apart), apart, 0.0)


def _touched(changes: tuple[Change, ...], kind: str) -> int:
    frames: set[int] = set()
    for change in changes:
        if change.kind == kind:
            frames.update(range(change.first, change.last + 1))
    return len(frames)


def _rows(result: CleanResult) -> list[Row]:
    return told_rows(result.changes, result.motion.skeleton.names, result.measures)


def _facts(result: CleanResult) -> dict[str, Any]:
    names = result.motion.skeleton.names
    return {
        **measured_facts(result),
        "first": result.first,
        "changes": [change.plain(names) for change in result.changes],
    }


@method(
    CleanOptions,
    stage="clean",
    rows=_rows,
    facts=_facts,
    files=("motion", "changes"),
    fps=None,
    panel=False,
    title="{path}: cleaned",
    working="cleaning {count} frames",
    about="The input file is never changed. As the first step of a recipe, each part can be switched off later, as in floor = false.",
    example="komadori clean walk.bvh -o clean.bvh --changes changes.csv",
)
def clean(motion: Motion, options: CleanOptions) -> CleanResult:
    """`motion` without the artefacts of capture: wrong axes, swapped sides, gaps, spikes, jitter, a drifting floor, skating feet."""
    left = _left(motion.skeleton, options.leave)
    changes: list[Change] = []
    notes: list[Note] = []
    if not len(motion):
        return CleanResult(motion, options, motion, ())
    work = motion
    if options.axes:
        work, told = _set_up(work, changes)
        notes += told
    if options.gaps:
        work = _filled(work, changes, left)
    if options.swaps:
        # Before whole frames are checked: a body whose sides are swapped leaps as a whole.
        work = _sides(work, changes)
    before = work
    if options.spikes or options.gaps:
        # Whole frames that are not part of the movement: calibration poses, drop-outs, impossible positions.
        work = work.prepared(work.fps, keep_first=options.keep_first)
    first = _begins(before, work)
    if options.spikes:
        work = _calmed(work, changes, first, left, also_gaps=options.gaps)
    if options.jitter:
        work = _smooth(work, changes, first, left, options.jitter_mm)
    if options.floor:
        work = _levelled(work, changes, first)
    if options.skate:
        work = _stood(work, changes, first, options.skate_mm)
    if first:
        changes.insert(0, Change(Kind.CUT, -1, 0, first - 1, 0.0, ""))
    return CleanResult(motion, options, work, tuple(changes), first, tuple(notes))


def _left(skeleton: Skeleton, names: tuple[str, ...]) -> NDArray[np.bool_]:
    """(J,) the joints that are left alone; an OptionError for one that there is not."""
    found = roles.known(skeleton)
    mask = np.zeros(len(skeleton), dtype=bool)
    for name in names:
        joint = found.get(name, skeleton.names.index(name) if name in skeleton.names else -1)
        if joint < 0:
            raise OptionError("leave", expected=Note("joints of the motion's skeleton"), found=name)
        mask[joint] = True
    return mask


def _begins(before: Motion, after: Motion) -> int:
    """How many frames were cut off at the start."""
    for frame in range(len(before) - len(after) + 1 if len(after) else 0):
        if np.array_equal(before.positions[frame], after.positions[0]) and np.array_equal(
            np.abs(before.rotations[frame]), np.abs(after.rotations[0])
        ):
            return frame
    return 0


def _set_up(motion: Motion, changes: list[Change]) -> tuple[Motion, list[Note]]:
    """The body upright and of a plausible size."""
    notes = []
    skeleton = motion.skeleton.with_roles(roles.known(motion.skeleton))
    turn = _uprighting(motion, skeleton)
    last = max(len(motion) - 1, 0)
    if turn is not None:
        roots = np.flatnonzero(skeleton.parents < 0)
        rotations, positions = np.array(motion.rotations), np.array(motion.positions)
        rotations[:, roots] = quat.multiply(turn, rotations[:, roots])
        positions[:, roots] = quat.rotate(turn, positions[:, roots])
        motion = motion.replaced(rotations=rotations, positions=positions)
        changes.append(Change(Kind.AXES, -1, 0, last, float(np.degrees(quat.angle(turn))), "degrees"))
        notes.append(
            Note("The body did not stand along Y; turned it upright. Use --no-axes if it is meant to lie down.")
        )
    size = stature(skeleton)
    four = roles.body_plan(skeleton, motion.pose(0) if len(motion) else None) == "quadruped"
    scale = 1.0 if size is None else sane_scale(size, "dog" if four else "person")
    if size is not None and scale != 1.0:
        grown = replace(motion.skeleton, offsets=motion.skeleton.offsets * scale)
        motion = replace(motion, skeleton=grown, positions=motion.positions * scale, origin=None)
        changes.append(Change(Kind.AXES, -1, 0, last, scale, "times"))
        notes.append(
            Note("The body was {size:.3g} m along its bones; scaled it by {scale:.3g}. Use --unit to set the file's unit.", size=size, scale=scale)
        )  # fmt: skip
    return motion, notes


def _uprighting(motion: Motion, skeleton: Skeleton) -> Array | None:
    """The quarter or half turn that sets the body upright, or None if it stands, or lies as people do for a while."""
    found = skeleton.roles
    low = [found[role] for role in ("left_foot", "right_foot") if role in found]
    high = [found[role] for role in ("head", "neck", "hips") if role in found][:1]
    if not low or not high or not len(motion) or roles.body_plan(skeleton, motion.pose(0)) != "biped":
        return None
    world = motion.world_positions()
    rise = world[:, high].mean(axis=1) - world[:, low].mean(axis=1)
    length = np.linalg.norm(rise, axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        middle = np.nanmedian(rise / np.maximum(length, 1e-9), axis=0)
    axis = int(np.argmax(np.abs(middle)))
    if axis == 1 and middle[1] > -_UPRIGHT:
        return None
    rest = motion.skeleton
    # Somebody who lies down has a standing rest pose; a file with other axes does not.
    if axis != 1 and (abs(middle[axis]) < _UPRIGHT or abs(middle[1]) > _LYING or _rest_stands(rest, low, high)):
        return None
    if axis == 1:
        return quat.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.pi)
    direction = np.zeros(3)
    direction[axis] = np.sign(middle[axis])
    return quat.between(direction, np.array([0.0, 1.0, 0.0]))


def _rest_stands(skeleton: Skeleton, low: list[int], high: list[int]) -> bool:
    rest = kinematics.world_positions(skeleton, skeleton.rest[None], skeleton.offsets[None])[0]
    rise = rest[high].mean(axis=0) - rest[low].mean(axis=0)
    return bool(rise[1] > _UPRIGHT * np.linalg.norm(rise))


def _size(skeleton: Skeleton) -> float:
    rest = kinematics.world_positions(skeleton, skeleton.rest[None], skeleton.offsets[None])[0]
    return float(np.linalg.norm(np.ptp(rest, axis=0))) or 1.0


def _filled(motion: Motion, changes: list[Change], left: NDArray[np.bool_]) -> Motion:
    found = bridging.find(motion.rotations, motion.positions, motion.fps, _size(motion.skeleton))
    # Frames without a single number, and ends of the clip, are for whole-frame cleaning.
    whole: NDArray[np.bool_] = np.asarray(found.gaps.all(axis=1) & ~np.isfinite(motion.positions).all(axis=(1, 2)))
    bad = np.asarray(found.gaps & ~left & ~whole[:, None])
    return _bridged(motion, changes, 0, bad, Kind.GAP)


def _calmed(motion: Motion, changes: list[Change], first: int, left: NDArray[np.bool_], also_gaps: bool) -> Motion:
    """Spikes taken out until there are none; behind one, a gap may come to light."""
    for _ in range(ROUNDS):
        found = bridging.find(motion.rotations, motion.positions, motion.fps, _size(motion.skeleton))
        spikes = np.asarray(found.spikes & ~left)
        gaps = np.asarray(found.gaps & ~left & also_gaps)
        if not (spikes.any() or gaps.any()):
            break
        motion = _bridged(motion, changes, first, spikes, Kind.SPIKE)
        motion = _bridged(motion, changes, first, gaps, Kind.GAP)
    return motion


def _bridged(motion: Motion, changes: list[Change], first: int, bad: NDArray[np.bool_], kind: str) -> Motion:
    if not bad.any() or bad.all(axis=0).any():
        return motion
    rotations, positions = bridging.bridged(
        motion.rotations, motion.positions, bad, motion.fps, motion.skeleton.parents
    )
    turned = np.degrees(quat.angle(quat.multiply(quat.inverse(motion.rotations), rotations)))
    for joint in np.flatnonzero(bad.any(axis=0)).tolist():
        for start, stop in runs(bad[:, joint]):
            amount = float(np.nan_to_num(turned[start:stop, joint]).max())
            if (
                amount < LEAST_TOLD
                and kind == Kind.SPIKE
                and np.array_equal(positions[start:stop, joint], motion.positions[start:stop, joint])
            ):
                continue
            changes.append(Change(kind, joint, first + start, first + stop - 1, amount, "degrees"))
    return motion.replaced(rotations=rotations, positions=positions)


def _sides(motion: Motion, changes: list[Change]) -> Motion:
    rotations, positions = motion.rotations, motion.positions
    for both in swaps.pairs(motion.skeleton).values():
        wrong = swaps.swapped(rotations, positions, both, _size(motion.skeleton))
        if not wrong.any():
            continue
        travels = np.ptp(positions[:, both[:, 0]], axis=0).max() > 0.05 * _size(motion.skeleton)
        rotations = swaps.exchanged(rotations, both, wrong)
        # Bones keep their own length and side; only points that travel on their own change places.
        positions = swaps.exchanged(positions, both, wrong) if travels else positions
        changes += [
            Change(Kind.SWAP, int(both[0, 0]), start, stop - 1, float(len(both)), "pairs")
            for start, stop in runs(wrong)
        ]
    return motion if rotations is motion.rotations else motion.replaced(rotations=rotations, positions=positions)


def _smooth(motion: Motion, changes: list[Change], first: int, left: NDArray[np.bool_], least_mm: float) -> Motion:
    """Jitter smoothed: in the quaternions of joints that rotate, in the positions of joints that travel."""
    reach = _reach(motion)
    turning = 2.0 * smoothing.noise(motion.rotations)
    travelling = smoothing.noise(motion.positions)
    least = max(least_mm * 1e-3, 1e-9)
    shaky = (turning * reach > least) & ~left
    moving = (travelling > least) & ~left
    turns = np.ptp(motion.rotations, axis=0).max(axis=-1) > 1e-3
    if motion.fps < COARSE_FPS and shaky.sum() < 0.5 * turns.sum():
        # At such a low rate the corners of a step look like noise; real noise is in most joints.
        shaky[:] = False
    if not (shaky.any() or moving.any()):
        return motion
    rotations, positions = np.array(motion.rotations), np.array(motion.positions)
    if shaky.any():
        share = _share(motion.skeleton)[np.ix_(shaky, shaky)]
        sigma = 0.5 * turning[shaky]
        made = smoothing.smoothed(rotations[:, shaky], motion.fps, sigma, share / share.sum(axis=0))
        made = smoothing.within(rotations[:, shaky], made, sigma, _onset(turning * reach / least)[shaky])
        rotations[:, shaky] = quat.normalized(made)
    if moving.any():
        made = smoothing.smoothed(positions[:, moving], motion.fps, travelling[moving])
        part = _onset(travelling / least)[moving]
        positions[:, moving] = smoothing.within(positions[:, moving], made, travelling[moving], part)
    rotations, positions = _struck(motion, rotations, positions, shaky, moving)
    for joint in np.flatnonzero(shaky | moving).tolist():
        tremble = 1e3 * max(
            turning[joint] * reach[joint] if shaky[joint] else 0.0, travelling[joint] if moving[joint] else 0.0
        )
        changes.append(Change(Kind.JITTER, joint, first, first + len(motion) - 1, float(tremble), "mm"))
    return motion.replaced(rotations=rotations, positions=positions)


def _onset(tremble: Array) -> Array:
    """How much smoothing joints get, by how many times their jitter exceeds the threshold: none at once, all at twice."""
    part = np.clip(tremble - 1.0, 0.0, 1.0)
    return np.asarray(part * part * (3.0 - 2.0 * part))


def _struck(
    motion: Motion, rotations: Array, positions: Array, shaky: NDArray[np.bool_], moving: NDArray[np.bool_]
) -> tuple[Array, Array]:
    """The smooth `rotations` and `positions` with the peaks of strikes as high as they were: there a short filter counts for more."""
    speed = _speeds(motion.replaced(rotations=rotations, positions=positions))
    struck = (speed > STRIKE_M_S) & (speed > STRIKE * speed.max(initial=0.0))
    if not struck.any():
        return rotations, positions
    half = max(1, round(STRIKE_S * motion.fps))
    bell = np.convolve(np.pad(struck, 2 * half), np.hanning(4 * half + 3)[1:-1], "valid")
    weight = STRIKE_SHARE * np.minimum(bell, 1.0)[:, None, None]
    turned, moved = np.array(rotations), np.array(positions)
    near = smoothing.lightly(motion.rotations[:, shaky], half)
    turned[:, shaky] = quat.normalized((1.0 - weight) * rotations[:, shaky] + weight * near)
    near = smoothing.lightly(motion.positions[:, moving], half)
    moved[:, moving] = (1.0 - weight) * positions[:, moving] + weight * near
    higher = _speeds(motion.replaced(rotations=turned, positions=moved)).max() > speed.max()
    return (turned, moved) if higher else (rotations, positions)


def _speeds(motion: Motion) -> Array:
    """(F,) the speed of the fastest joint, in metres per second, over two frames."""
    speed = np.zeros(len(motion))
    if len(motion) > 2:
        world = motion.world_positions()
        speed[1:-1] = np.linalg.norm(world[2:] - world[:-2], axis=-1).max(axis=1) * 0.5 * motion.fps
    return speed


def _reach(motion: Motion) -> Array:
    """(J,) how far the farthest joint below each is from it along the bones, in metres."""
    lengths = np.median(np.linalg.norm(motion.positions, axis=-1), axis=0)
    reach = np.zeros(len(motion.skeleton))
    for joint in range(len(reach) - 1, 0, -1):
        parent = int(motion.skeleton.parents[joint])
        if parent >= 0:
            reach[parent] = max(reach[parent], reach[joint] + lengths[joint])
    return reach


def _share(skeleton: Skeleton) -> Array:
    """(J, J) how much joints count in one another's choice of a filter."""
    share = np.eye(len(skeleton))
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            share[parent, joint] = share[joint, parent] = NEIGHBOURS
    return share


def _levelled(motion: Motion, changes: list[Change], first: int) -> Motion:
    drift = ground.rise(motion)
    if not drift.any():
        return motion
    positions = np.array(motion.positions)
    positions[:, motion.skeleton.parents < 0, 1] -= drift[:, None]
    changes.append(Change(Kind.FLOOR, -1, first, first + len(motion) - 1, 1e3 * float(np.ptp(drift)), "mm"))
    return motion.replaced(positions=positions)


def _stood(motion: Motion, changes: list[Change], first: int, least_mm: float) -> Motion:
    """Feet planted if they slid farther than the tolerance during a contact."""
    found = feet.contacts(motion)
    if not found.on.any():
        return motion
    on = np.zeros_like(found.on)
    slid: list[Change] = []
    for columns in columns_of(found):
        stand = stands(anywhere(found.on[:, columns]))
        one = feet.Contacts(
            tuple(found.joints[c] for c in columns), (0,) * len(columns), found.on[:, columns], found.ground
        )
        for number in range(1, int(stand.max(initial=0)) + 1):
            at = stand == number
            alone = replace(one, on=one.on & at[:, None])
            way = 1e3 * feet.slippage(motion, alone).worst
            if way > least_mm:
                on[np.ix_(at, columns)] = found.on[np.ix_(at, columns)]
                frames = np.flatnonzero(at)
                slid.append(Change(Kind.SKATE, found.joints[columns[0]], first + int(frames[0]), first + int(frames[-1]), way, "mm"))  # fmt: skip
    if not slid:
        return motion
    changes += slid
    return feet.planted(motion, replace(found, on=on))
