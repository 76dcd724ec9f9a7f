"""Root motion: the travel of a clip kept where it is, taken out, or put on a root joint of its own; loops closed on request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from komadori import kinematics, quat
from komadori.motion import Motion
from komadori.parameters import check, parameter
from komadori.quat import Array
from komadori.registry import Row, method
from komadori.result import Measure, Result
from komadori.roles import known
from komadori.skeleton import Skeleton
from komadori.timesheet import Timesheet
from komadori.words import Note

__all__ = ["Path", "TravelOptions", "TravelResult", "travel"]

ROOT = "root"
"""What the joint is called that carries the travel, if the body has none above its hips."""
WIDE_DEG = 30.0
"""If the ends of a clip differ by more than this, it is not a loop."""
UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class Path:
    """Where the body is on the ground: `places` (F, 3) in metres, at height 0, and `headings` (F,) in radians about Y."""

    places: Array
    headings: Array

    @property
    def deltas(self) -> Array:
        """(F - 1, 4) the step from each frame to the next: x, y, z in the frame's own heading, and the turn."""
        steps = quat.rotate(quat.inverse(_turns(self.headings[:-1])), np.diff(self.places, axis=0))
        return np.concatenate([steps, np.diff(self.headings)[:, None]], axis=1)

    @classmethod
    def summed(cls, place: Array, heading: float, deltas: Array) -> Path:
        """The path that starts at `place` and continues by `deltas`, as an engine adds root motion up."""
        headings = np.concatenate([[heading], heading + np.cumsum(deltas[:, 3])])
        steps = quat.rotate(_turns(headings[:-1]), deltas[:, :3])
        return cls(np.concatenate([[place], place + np.cumsum(steps, axis=0)]), headings)


@dataclass(frozen=True, kw_only=True)
class TravelOptions:
    """Where the travel goes."""

    root: Literal["kept", "in-place", "extracted"] = parameter(
        "kept",
        "kept: travel stays as it is; in-place: the body moves on the spot; extracted: a root joint on the ground carries travel and heading",
    )
    heading: bool = parameter(True, "extract the heading of the hips as well as the travel")
    loop: bool = parameter(
        False, "close the loop: spread the difference between the last and first poses over the clip"
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True, eq=False)
class TravelResult(Result):
    """The motion, and the path that was found in it."""

    source_motion: Motion
    options: TravelOptions
    motion: Motion
    path: Path
    gap_deg: float
    """By how much the last pose differed from the first, at the joint where that was most."""
    sheet: Timesheet | None = None
    notes: tuple[Note, ...] = ()

    @property
    def measures(self) -> Mapping[str, Measure]:
        """How far the body goes and turns from the first frame to the last, and how well the clip loops."""
        gone = float(np.linalg.norm(self.path.places[-1] - self.path.places[0])) if len(self.path.places) else 0.0
        turned = float(np.degrees(self.path.headings[-1] - self.path.headings[0])) if len(self.path.headings) else 0.0
        return {
            "travel": Measure(gone, "m"),
            "turn": Measure(turned, "degrees"),
            "loop_gap": Measure(self.gap_deg, "degrees"),
        }


def _rows(result: TravelResult) -> list[Row]:
    told = {name: one.value for name, one in result.measures.items()}
    return [
        (Note("travel"), Note("{metres:.2f} m, {degrees:.0f} degrees", metres=told["travel"], degrees=told["turn"])),
        (Note("ends"), Note("{degrees:.1f} degrees apart", degrees=told["loop_gap"])),
    ]


@method(
    TravelOptions,
    rows=_rows,
    panel=False,
    title="{path}: root motion",
    example="komadori travel walk.bvh -o walk.fbx --root extracted --loop",
)
def travel(motion: Motion, options: TravelOptions) -> TravelResult:
    """`motion` with its travel where `options` want it.

    The path is that of the hips on the ground, frame by frame: held drawings hold it as well, and `Path.summed` of its
    `deltas` gives it back.
    """
    path = path_of(motion, heading=options.heading)
    if not len(motion):
        return TravelResult(motion, options, motion, path, 0.0)
    frame = quat.continuous(_turns(path.headings))
    onto = _Rooted(motion, frame, path.places)
    gap_deg = onto.gap_deg()
    notes: tuple[Note, ...] = ()
    if options.loop:
        onto = onto.closed()
        if gap_deg > WIDE_DEG:
            text = "The first and last poses differ by up to {degrees:.0f} degrees at a joint, so the clip is hardly a loop. Cut it to whole cycles first."
            notes = (Note(text, degrees=gap_deg),)
    if options.root == "kept":
        made = onto.kept() if options.loop else motion
    elif options.root == "in-place":
        made = onto.in_place()
    else:
        made = onto.extracted()
    return TravelResult(motion, options, made, path, gap_deg, notes=notes)


def path_of(motion: Motion, *, heading: bool = True) -> Path:
    """The path of the hips (the first joint, if no role tells) on the ground."""
    hips = known(motion.skeleton).get("hips", 0)
    turned, places = motion.world_transforms()
    rest, _ = kinematics.world_transforms(motion.skeleton, motion.skeleton.rest[None], motion.skeleton.offsets[None])
    away = quat.multiply(turned[:, hips], quat.inverse(rest[0, hips]))
    headings = np.zeros(len(motion))
    if heading:
        # The part of the turn that is about the vertical axis; a body upside down has none of its own.
        headings = np.unwrap(2.0 * np.arctan2(away[:, 1], away[:, 3]))
    return Path(places[:, hips] * np.array([1.0, 0.0, 1.0]), headings)


def _turns(headings: Array) -> Array:
    return quat.from_axis_angle(UP, headings)


@dataclass(frozen=True, eq=False)
class _Rooted:
    """A motion as seen from its path: `turns` (F, 4) and `places` (F, 3) of the path in the world."""

    motion: Motion
    turns: Array
    places: Array

    @property
    def _above(self) -> bool:
        """Whether the body has a lone joint above its hips, which can carry the path."""
        skeleton = self.motion.skeleton
        hips = known(skeleton).get("hips", 0)
        return int((skeleton.parents < 0).sum()) == 1 and skeleton.parents[hips] >= 0

    @property
    def _tops(self) -> list[int]:
        """The joints that stand in the path's frame: the hips' own, and all beside them."""
        parents = self.motion.skeleton.parents
        return np.flatnonzero(parents == (0 if self._above else -1)).tolist()

    def seen(self) -> tuple[Array, Array]:
        """Rotations and positions of all joints; those of `_tops` from the path, the others from their parents."""
        turned, places = self.motion.world_transforms()
        rotations, positions = np.array(self.motion.rotations), np.array(self.motion.positions)
        back = quat.inverse(self.turns)[:, None]
        tops = self._tops
        rotations[:, tops] = quat.multiply(back, turned[:, tops])
        positions[:, tops] = quat.rotate(back, places[:, tops] - self.places[:, None])
        return rotations, positions

    def gap_deg(self) -> float:
        """How far the last pose is from the first at the worst joint, the path aside."""
        rotations, _ = self.seen()
        return float(
            np.degrees(quat.angle(quat.multiply(rotations[0], quat.inverse(rotations[-1])))[self._posed].max())
        )

    @property
    def _posed(self) -> slice:
        """The joints of the pose: all, or all below the joint that carries the path."""
        return slice(1, None) if self._above else slice(None)

    def closed(self) -> _Rooted:
        """The same with its last pose run into the first: what differs is spread over the clip, a hold moving as one."""
        rotations, positions = self.seen()
        share = np.linspace(0.0, 1.0, len(rotations)) if len(rotations) > 1 else np.zeros(1)
        same = np.concatenate(
            [
                [False],
                (
                    (rotations[1:] == rotations[:-1]).all(axis=(1, 2))
                    & (positions[1:] == positions[:-1]).all(axis=(1, 2))
                ),
            ]
        )
        if not same.all():
            first = np.maximum.accumulate(np.where(same, 0, np.arange(len(same))))
            share = share[first] / max(share[first[-1]], 1e-12)
        missing = quat.multiply(rotations[0], quat.inverse(rotations[-1]))
        missing = np.where(missing[:, 3:] < 0.0, -missing, missing)
        part = quat.slerp(quat.identity(len(missing))[None], missing[None], share[:, None])
        rotations = quat.multiply(part, rotations)
        positions = positions + share[:, None, None] * (positions[0] - positions[-1])
        rotations[share == 1.0], positions[share == 1.0] = rotations[0], positions[0]
        return replace(self, motion=self._back(rotations, positions, self.turns, self.places))

    def _back(self, rotations: Array, positions: Array, turns: Array, places: Array) -> Motion:
        """A motion of the body's own joints of what was `seen`, from the path `turns` and `places`."""
        rotations, positions, tops = np.array(rotations), np.array(positions), self._tops
        world_q = quat.multiply(turns[:, None], rotations[:, tops])
        world_p = places[:, None] + quat.rotate(turns[:, None], positions[:, tops])
        if self._above:
            root_q, root_p = self._carried(turns, places)
            rotations[:, 0], positions[:, 0] = root_q, root_p
            world_q = quat.multiply(quat.inverse(root_q)[:, None], world_q)
            world_p = quat.rotate(quat.inverse(root_q)[:, None], world_p - root_p[:, None])
        rotations[:, tops], positions[:, tops] = world_q, world_p
        return self.motion.replaced(rotations, positions)

    def _carried(self, turns: Array, places: Array) -> tuple[Array, Array]:
        """The body's own root joint on the path: turned and moved from its rest as the path is from the origin."""
        skeleton = self.motion.skeleton
        return quat.multiply(turns, skeleton.rest[0]), places + quat.rotate(turns, skeleton.offsets[0])

    def kept(self) -> Motion:
        """The body's own joints, on the path as it was."""
        if not self._above:
            return self._back(*self.seen(), self.turns, self.places)
        return self.motion

    def in_place(self) -> Motion:
        """The body on the spot where it starts."""
        still = np.repeat(self.turns[:1], len(self.turns), axis=0), np.repeat(self.places[:1], len(self.places), axis=0)
        return self._back(*self.seen(), *still)

    def extracted(self) -> Motion:
        """The path on the body's root joint, or on a new one above all its joints."""
        rotations, positions = self.seen()
        if self._above:
            return self._back(rotations, positions, self.turns, self.places)
        skeleton = self.motion.skeleton
        name = ROOT
        while name in skeleton.names:
            name += "_"
        rooted = Skeleton(
            (name, *skeleton.names),
            np.concatenate([[-1], skeleton.parents + 1]),
            np.concatenate([np.zeros((1, 3)), skeleton.offsets]),
            np.concatenate([quat.IDENTITY[None], skeleton.rest]),
            {role: joint + 1 for role, joint in skeleton.roles.items()},
        )
        return Motion(
            rooted,
            self.motion.fps,
            quat.continuous(np.concatenate([self.turns[:, None], rotations], axis=1)),
            np.concatenate([self.places[:, None], positions], axis=1),
            notes=self.motion.notes,
            stretch=self.motion.stretch
            and self.motion.stretch.onto(np.zeros(3), self.motion.positions[:, 0] - self.places),
        )
