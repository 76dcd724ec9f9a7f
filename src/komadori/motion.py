"""Motion: a skeleton's rotations and positions over time, and where its numbers came from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from komadori import kinematics, quat, rates
from komadori.errors import OptionError
from komadori.numerics import cleaning
from komadori.quat import Array
from komadori.shown import Shown
from komadori.skeleton import Skeleton, frozen
from komadori.timesheet import Timesheet
from komadori.words import Note

COMPUTED = -1
"""In `Origin.rows`: this joint at this frame was computed and stands in no row of the file."""

STILL_RAD = np.radians(0.5)
STILL_SHARE = 1e-3
"""A joint that turns no farther than this from its first frame, or travels no farther in bone lengths, stands still."""
MOST_CELLS, MOST_TIMES_LARGER = 2_000_000, 64
"""Frames times joints that a motion may come to at another rate, and how many times as many as it has: frames that a file says
are days apart must not take the memory."""
SHORT_S = 0.1
"""A pose that the body jumps to or from counts as foreign to the movement when it lasts no longer than this."""


@dataclass(frozen=True, eq=False)
class Origin:
    """Where a motion's numbers stand in the file that it was read from, so that they can be written back exactly.

    `document` is the format's own record of the file; `rows` (F, 1) or (F, J) is the row of that file which a
    frame (or a joint at a frame) was taken from, or COMPUTED.
    """

    document: object
    rows: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pose:
    """One moment of a motion: `rotations` (J, 4) and `positions` (J, 3), both local to the parent."""

    rotations: Array
    positions: Array

    @property
    def root(self) -> Array:
        """The root's position (3,)."""
        return np.asarray(self.positions[0])


@dataclass(frozen=True, eq=False)
class Motion(Shown):
    """`rotations` (F, J, 4) and `positions` (F, J, 3), local to the parent, `fps` frames a second.

    Metres, right-handed, Y up; quaternions x, y, z, w, unit, continuous in time. Nothing in it ever changes:
    every method gives a new Motion. `notes` say what was guessed or mended on the way.
    """

    skeleton: Skeleton
    fps: float
    rotations: Array
    positions: Array
    origin: Origin | None = None
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        joints = len(self.skeleton)
        put = object.__setattr__
        put(self, "fps", float(rates.exact(float(self.fps))))
        put(self, "rotations", frozen(self.rotations, np.float64, (-1, joints, 4), "rotations"))
        put(self, "positions", frozen(self.positions, np.float64, (len(self.rotations), joints, 3), "positions"))
        put(self, "notes", tuple(self.notes))
        if self.origin is not None and len(self.origin.rows) != len(self.rotations):
            raise OptionError(
                "origin",
                expected=Note("one row per frame, {count} in all", count=len(self.rotations)),
                found=len(self.origin.rows),
            )

    def __len__(self) -> int:
        return len(self.rotations)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Motion, (self.skeleton, self.fps, self.rotations, self.positions, self.origin, self.notes))

    def __repr__(self) -> str:
        return f"Motion({len(self)} frames at {self.fps:g} fps, {len(self.skeleton)} joints, {self.duration_s:.2f} s)"

    def __getitem__(self, frames: slice) -> Motion:
        if not isinstance(frames, slice):
            raise TypeError("a motion is sliced, motion[10:20]; for a single frame use motion.pose(frame)")
        start, stop, stride = frames.indices(len(self))
        taken = self.taken(np.arange(start, stop, stride))
        # Every n-th frame of a clip is the same movement, seen less often.
        return taken if abs(stride) == 1 else replace(taken, fps=self.fps / abs(stride))

    @property
    def duration_s(self) -> float:
        """Seconds from the first frame to the end of the last."""
        return len(self) / self.fps

    def pose(self, frame: int) -> Pose:
        """The pose at `frame`; negative frames count from the end."""
        if not -len(self) <= frame < len(self):
            raise OptionError(
                "frame", expected=Note("a frame of the motion, 0 to {last}", last=len(self) - 1), found=frame
            )
        return Pose(self.rotations[frame], self.positions[frame])

    def with_worlds(self, worlds: tuple[Array, Array] | None = None) -> Motion:
        """The same motion, which works out its world transforms once and keeps them, read-only.

        For work that asks for them again and again; the copy takes twice the memory. `worlds` are these rotations
        (F, J, 4) and positions (F, J, 3) where they are known already.
        """
        if "_worlds" in vars(self):
            return self
        result = replace(self)
        worlds = worlds or kinematics.world_transforms(self.skeleton, self.rotations, self.positions)
        for array in worlds:
            array.flags.writeable = False
        vars(result)["_worlds"] = worlds
        return result

    def world_positions(self) -> Array:
        """Where every joint is in the world, (F, J, 3)."""
        if "_worlds" in vars(self):
            return np.asarray(vars(self)["_worlds"][1])
        return kinematics.world_positions(self.skeleton, self.rotations, self.positions)

    def world_transforms(self) -> tuple[Array, Array]:
        """World rotations (F, J, 4) and world positions (F, J, 3)."""
        if "_worlds" in vars(self):
            turned, places = vars(self)["_worlds"]
            return turned, places
        return kinematics.world_transforms(self.skeleton, self.rotations, self.positions)

    def noted(self, *notes: Note) -> Motion:
        """The same motion with more notes."""
        return replace(self, notes=(*self.notes, *notes))

    def with_skeleton(self, skeleton: Skeleton) -> Motion:
        """The same numbers on `skeleton`, which must have as many joints (its roles may differ)."""
        return replace(self, skeleton=skeleton)

    def taken(self, frames: ArrayLike) -> Motion:
        """The motion that shows `frames` of this one, in that order; their exact numbers are kept.

        (n,) takes whole frames, (n, J) a frame for each joint.
        """
        index = np.asarray(frames, dtype=np.intp)
        if index.size and not -len(self) <= index.min() <= index.max() < len(self):
            raise OptionError(
                "frames",
                expected=Note("frames of the motion, 0 to {last}", last=len(self) - 1),
                found=Note("frames {first} to {last}", first=int(index.min()), last=int(index.max())),
            )
        joints = np.arange(len(self.skeleton)) if index.ndim == 2 else slice(None)
        origin = self.origin
        if origin is not None:
            rows = origin.rows if index.ndim == 1 else np.broadcast_to(origin.rows, (len(self), len(self.skeleton)))
            origin = Origin(origin.document, rows[index, joints])
        rotations = quat.continuous(self.rotations[index, joints])
        return replace(self, rotations=rotations, positions=self.positions[index, joints], origin=origin)

    def retimed(self, sheet: Timesheet) -> Motion:
        """The motion as `sheet` shows it. A frame that is only moved in time keeps its exact numbers."""
        if len(sheet) and sheet.source.max() >= len(self):
            raise OptionError(
                "sheet",
                expected=Note("frames of the motion, 0 to {last}", last=len(self) - 1),
                found=int(sheet.source.max()),
            )
        return replace(self.taken(sheet.source), fps=sheet.fps)

    def replaced(self, rotations: Array | None = None, positions: Array | None = None) -> Motion:
        """The same clip with other rotations or positions; what did not change still counts as read from the file."""
        new_q = self.rotations if rotations is None else quat.continuous(rotations)
        new_p = self.positions if positions is None else np.asarray(positions, dtype=np.float64)
        if new_q.shape != self.rotations.shape or new_p.shape != self.positions.shape:
            raise OptionError(
                "rotations",
                expected=Note(
                    "rotations and positions of {count} frames x {joints} joints",
                    count=len(self),
                    joints=len(self.skeleton),
                ),
                found=Note("other sizes"),
            )
        origin = self.origin
        if origin is not None:
            same = (new_p == self.positions).all(axis=-1)
            same &= (new_q == self.rotations).all(axis=-1) | (new_q == -self.rotations).all(axis=-1)
            origin = Origin(origin.document, np.where(same, origin.rows, COMPUTED))
        return replace(self, rotations=new_q, positions=new_p, origin=origin)

    def resampled(self, fps: float) -> Motion:
        """The motion at another frame rate: slerp for rotations, linear for positions.

        Exact: output frame k lies at k / fps seconds, computed in fractions, and where that is a frame of this motion
        (every 5th when 120 becomes 24) its numbers are taken as they are.
        """
        ratio = rates.exact(self.fps) / rates.exact(fps)
        if ratio == 1 or len(self) == 0:
            return replace(self, fps=fps)
        count = (len(self) - 1) * ratio.denominator // ratio.numerator + 1
        most = max(MOST_CELLS, MOST_TIMES_LARGER * len(self) * len(self.skeleton))
        if count * len(self.skeleton) > most:
            raise OptionError(
                Note(
                    "the motion lasts {seconds:,.0f} s, which is {count:,} frames at {fps:g} a second: more than fits into memory; "
                    "cut it, or state its frame rate",
                    seconds=self.duration_s,
                    count=count,
                    fps=fps,
                )
            )
        # Python's integers first: numerator times frame may pass 64 bits for odd rates.
        exact = [divmod(k * ratio.numerator, ratio.denominator) for k in range(count)]
        left = np.array([whole for whole, _ in exact], dtype=np.intp)
        part = np.array([rest / ratio.denominator for _, rest in exact])
        if not part.any():
            return replace(self.taken(left), fps=fps)
        right = np.minimum(left + 1, len(self) - 1)
        between = part > 0.0
        rotations = self.rotations[left]
        positions = self.positions[left]
        t = part[between, None]
        rotations[between] = quat.slerp(rotations[between], self.rotations[right[between]], t)
        positions[between] += t[..., None] * (self.positions[right[between]] - positions[between])
        origin = self.origin
        if origin is not None:
            origin = Origin(origin.document, np.where(between[:, None], COMPUTED, origin.rows[left]))
        return replace(self, fps=fps, rotations=quat.continuous(rotations), positions=positions, origin=origin)

    @cached_property
    def moves(self) -> bool:
        """Whether any joint ever turns or travels: not by more than noise does."""
        if len(self) < 2 or not (np.isfinite(self.rotations).all() and np.isfinite(self.positions).all()):
            return len(self) > 1
        cosine = np.abs(np.einsum("fji,ji->fj", self.rotations, self.rotations[0])).min()
        size = max(float(np.linalg.norm(self.skeleton.offsets, axis=1).max()), 1e-12)
        travel = float(np.linalg.norm(self.positions - self.positions[0], axis=-1).max())
        return bool(2.0 * np.arccos(min(float(cosine), 1.0)) > STILL_RAD or travel > STILL_SHARE * size)

    def prepared(self, fps: float = 24.0, *, keep_first: bool = False) -> Motion:
        """The movement alone, at `fps`: calibration poses, drop-outs and spikes gone, and a note for all that was done.

        At the ends of the clip such frames are left out; inside it they are bridged from their neighbours, so that time
        does not shift. `keep_first` keeps a calibration pose. Frame numbers in the notes are the file's, from 0.
        """
        if len(self) == 0:
            return self.resampled(fps)
        rest = kinematics.world_positions(self.skeleton, self.skeleton.rest[None], self.skeleton.offsets[None])[0]
        size = float(np.linalg.norm(np.ptp(rest, axis=0))) or 1.0
        found = cleaning.find(self.rotations, self.positions, size, max(1, round(SHORT_S * self.fps)))
        calibration = found.calibration & (not keep_first)
        bad = found.dropouts | found.spikes | calibration
        clip, notes = self, []
        if bad.all():
            notes.append(Note("every frame is a drop-out (all zero, or not a number): nothing was left out"))
        elif bad.any():
            rows = np.arange(len(self))
            if self.origin is not None:
                rows = np.where((self.origin.rows >= 0).all(axis=1), self.origin.rows[:, 0], rows)
            first, last = np.flatnonzero(~bad)[[0, -1]]
            inside = np.arange(len(self)) >= first
            inside[last + 1 :] = False
            for template, frames in (
                (
                    "left out frame {frames}: a calibration pose, from which the body jumps into the movement",
                    calibration,
                ),
                ("left out frame {frames}: a drop-out at an end of the clip", found.dropouts & ~inside),
                ("bridged frame {frames}: a drop-out, laid between its neighbours", found.dropouts & inside),
                ("Left out frame {frames}: a spike, out of reach of the rest of the clip.", found.spikes & ~inside),
                ("Bridged frame {frames}: a spike, out of reach of its neighbours.", found.spikes & inside),
            ):
                if frames.any():
                    notes.append(Note(template, frames=_listed(rows[frames])))
            clip = self.taken(np.arange(first, last + 1))._bridged(bad[first : last + 1])
        if len(self) > 1 and not self.moves and not bad.all():
            notes.append(Note("No joint moves in this clip: every frame shows the same pose."))
        if rates.exact(fps) != rates.exact(self.fps):
            notes.append(Note("resampled from {before:g} to {after:g} frames a second", before=self.fps, after=fps))
        return clip.resampled(fps).noted(*notes)

    def _bridged(self, bad: NDArray[np.bool_]) -> Motion:
        if not bad.any():
            return self
        rotations, positions = cleaning.bridged(self.rotations, self.positions, bad)
        origin = self.origin and Origin(self.origin.document, np.where(bad[:, None], COMPUTED, self.origin.rows))
        return replace(self, rotations=quat.continuous(rotations), positions=positions, origin=origin)


def _listed(frames: NDArray[np.int64]) -> str:
    """Frame numbers for a note: "1, 5-9"."""
    runs = np.split(frames, np.flatnonzero(np.diff(frames) != 1) + 1)
    told = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    return ", ".join(told[:12]) + (f", ... ({len(frames)} frames)" if len(told) > 12 else "")


def joined(parts: Iterable[Motion]) -> Motion:
    """Clips of one skeleton and frame rate, one after the other."""
    clips = list(parts)
    if not clips:
        raise OptionError("motions", expected=Note("at least one motion"), found=Note("none"))
    first = clips[0]
    for clip in clips[1:]:
        if not clip.skeleton.same_joints(first.skeleton) or clip.fps != first.fps:
            raise OptionError(
                "motions", expected=Note("motions of one skeleton and one frame rate"), found=Note("different ones")
            )
    rotations = quat.continuous(np.concatenate([clip.rotations for clip in clips]))
    return Motion(first.skeleton, first.fps, rotations, np.concatenate([clip.positions for clip in clips]))
