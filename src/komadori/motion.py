"""Motion: a skeleton's rotations and positions over time, and where its numbers came from."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from komadori import kinematics, quat, rates
from komadori.errors import OptionError
from komadori.numerics import cleaning
from komadori.numerics.memory import keep_freed
from komadori.quat import Array
from komadori.shown import Shown
from komadori.skeleton import Skeleton, frozen
from komadori.timesheet import Timesheet
from komadori.words import Fact, Note

Real = TypeVar("Real", bound=np.floating[Any])
COMPUTED = -1
"""In `Origin.rows`: this joint at this frame was computed and stands in no row of the file."""

STILL_RAD = np.radians(0.5)
STILL_SHARE = 1e-3
"""A joint that turns no farther than this from its first frame, or travels no farther in bone lengths, stands still."""
MOST_CELLS, MOST_TIMES_LARGER = 2_000_000, 64
"""Frames times joints that a motion may come to at another rate, and how many times as many as it has: frames that a file says
are days apart must not exhaust the memory."""
_FINGER = re.compile("_(thumb|index|middle|ring|little)_")
SHORT_S = 0.1
"""A pose that the body jumps to or from is not part of the movement if it lasts no longer than this."""

# Working with motions creates and drops many arrays of about 100 kB: half of the time would go into new memory for them.
keep_freed()


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
class Stretch:
    """Squash and stretch of a whole body: `along` (F,) times as tall about `pivot` (F, 3), and as much thinner as keeps its volume.

    The pivot is seen from the first root, so that it goes where the body goes.
    """

    along: Array
    pivot: Array

    def __post_init__(self) -> None:
        along = frozen(self.along, np.float64, (-1,), "along")
        object.__setattr__(self, "along", along)
        object.__setattr__(self, "pivot", frozen(self.pivot, np.float64, (len(along), 3), "pivot"))

    def __reduce__(self) -> tuple[Any, ...]:
        return (Stretch, (self.along, self.pivot))

    def __len__(self) -> int:
        return len(self.along)

    @property
    def scales(self) -> Array:
        """(F, 3) the scale along each axis of the world; their product is 1."""
        thin = 1.0 / np.sqrt(self.along)
        return np.stack([thin, self.along, thin], axis=1)

    def taken(self, frames: ArrayLike) -> Stretch:
        """That of other frames, in their order."""
        index = np.asarray(frames, dtype=np.intp)
        return Stretch(self.along[index], self.pivot[index])

    def between(self, left: NDArray[np.intp], right: NDArray[np.intp], part: Array) -> Stretch:
        """That of moments `part` (n,) of the way from frames `left` to frames `right`: sizes multiply."""
        logs = np.log(self.along)
        along = np.exp(logs[left] + part * (logs[right] - logs[left]))
        return Stretch(along, self.pivot[left] + part[:, None] * (self.pivot[right] - self.pivot[left]))

    def onto(self, before: Array, after: Array, scale: float = 1.0) -> Stretch:
        """That of a body `scale` times the size whose joint at `after` (F, 3) is ours at `before`, both seen from their first roots."""
        return Stretch(self.along, after + scale * (self.pivot - before))

    def moved(self, places: NDArray[Real], roots: Array) -> NDArray[Real]:
        """World positions (F, n, 3) of a body whose first root is at `roots` (F, 3), squashed and stretched."""
        fixed, scales = (one[:, None].astype(places.dtype) for one in (roots + self.pivot, self.scales))
        moved: NDArray[Real] = fixed + scales * (places - fixed)
        return moved


@dataclass(frozen=True, eq=False)
class Motion(Shown):
    """`rotations` (F, J, 4) and `positions` (F, J, 3), local to the parent, `fps` frames per second.

    Metres, right-handed, Y up; quaternions x, y, z, w, unit, continuous in time. Nothing in it ever changes:
    every method gives a new Motion. `notes` say what was guessed or repaired on the way. `stretch` squashes and stretches the skin
    of whatever body it moves, joints and all; rotations and positions do not have it.
    """

    skeleton: Skeleton
    fps: float
    rotations: Array
    positions: Array
    origin: Origin | None = None
    notes: tuple[Note, ...] = ()
    stretch: Stretch | None = None

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
        if self.stretch is not None and len(self.stretch) != len(self.rotations):
            raise OptionError(
                "stretch",
                expected=Note("one row per frame, {count} in all", count=len(self.rotations)),
                found=len(self.stretch),
            )

    def __len__(self) -> int:
        return len(self.rotations)

    def __reduce__(self) -> tuple[Any, ...]:
        return (
            Motion,
            (self.skeleton, self.fps, self.rotations, self.positions, self.origin, self.notes, self.stretch),
        )

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
        """The same motion, which computes its world transforms once and keeps them, read-only.

        For work that asks for them again and again; the copy takes twice the memory. `worlds` are these rotations
        (F, J, 4) and positions (F, J, 3) if they are known already.
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
        return self._taken(frames, self.fps)

    def _taken(self, frames: ArrayLike, fps: float) -> Motion:
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
        # One size of the body at a time: where parts are held by themselves, that of the root.
        stretch = self.stretch and self.stretch.taken(index if index.ndim == 1 else index[:, 0])
        return replace(
            self, fps=fps, rotations=rotations, positions=self.positions[index, joints], origin=origin, stretch=stretch
        )

    def retimed(self, sheet: Timesheet) -> Motion:
        """The motion as `sheet` shows it. A frame that is only moved in time keeps its exact numbers."""
        if len(sheet) and sheet.source.max() >= len(self):
            raise OptionError(
                "sheet",
                expected=Note("frames of the motion, 0 to {last}", last=len(self) - 1),
                found=int(sheet.source.max()),
            )
        return self._taken(sheet.source, sheet.fps)

    def replaced(self, rotations: Array | None = None, positions: Array | None = None) -> Motion:
        """The same clip with other rotations or positions; what did not change still counts as read from the file."""
        new_q = self.rotations if rotations is None else quat.continuous(rotations)
        new_p = self.positions if positions is None else np.asarray(positions, dtype=np.float64)
        if new_q.shape != self.rotations.shape or new_p.shape != self.positions.shape:
            raise OptionError(
                "rotations",
                problem=Note(
                    "rotations and positions must have {count} frames x {joints} joints",
                    count=len(self),
                    joints=len(self.skeleton),
                ),
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
                    "the motion lasts {seconds:,.0f} s, which is {count:,} frames at {fps:g} fps: more than fits into memory; cut it, or give its frame rate",
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
        stretch = self.stretch and self.stretch.between(left, right, part)
        return replace(
            self, fps=fps, rotations=quat.continuous(rotations), positions=positions, origin=origin, stretch=stretch
        )

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
        """The movement alone, at `fps`: calibration poses, drop-outs, spikes and flipped joints gone, and a note for all that was done.

        At the ends of the clip such frames are omitted; inside it they are bridged from their neighbours, so that time
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
            notes.append(
                Note("Every frame is a drop-out (all zeros, or not a number), so none was removed. Check the file.")
            )
        elif bad.any():
            rows = np.arange(len(self))
            if self.origin is not None:
                rows = np.where((self.origin.rows >= 0).all(axis=1), self.origin.rows[:, 0], rows)
            first, last = np.flatnonzero(~bad)[[0, -1]]
            inside = np.arange(len(self)) >= first
            inside[last + 1 :] = False
            if calibration.any():
                template = "Removed the calibration pose (frame {frames}). Use --keep-first to keep it."
                notes.append(Note(template, frames=_listed(rows[calibration])))
            for template, frames in (
                (
                    "Removed {count:drop-out|drop-outs} (frame {frames}) at an end of the clip.",
                    found.dropouts & ~inside,
                ),
                (
                    "Filled in {count:drop-out|drop-outs} (frame {frames}) from the neighbouring frames.",
                    found.dropouts & inside,
                ),
                (
                    "Removed {count:spike|spikes} (frame {frames}) out of reach of the rest of the clip.",
                    found.spikes & ~inside,
                ),
                (
                    "Filled in {count:spike|spikes} (frame {frames}) from the neighbouring frames.",
                    found.spikes & inside,
                ),
            ):
                if frames.any():
                    notes.append(Fact(template, count=int(frames.sum()), frames=_listed(rows[frames])))
            clip = self.taken(np.arange(first, last + 1))._bridged(bad[first : last + 1])
        if not bad.all():
            clip, notes = clip._unflipped(notes)
        if len(self) > 1 and not self.moves and not bad.all():
            notes.append(
                Note(
                    "No joint moves in this clip: every frame shows the same pose. Check that the right animation was exported."
                )
            )
        if rates.exact(fps) != rates.exact(self.fps):
            notes.append(Fact("Resampled from {before:g} to {after:g} fps.", before=self.fps, after=fps))
        return clip.resampled(fps).noted(*notes)

    def _unflipped(self, notes: list[Note]) -> tuple[Motion, list[Note]]:
        """The clip with joints that flip over and back laid between their neighbours, and the notes with one on that.

        Fingers and thumbs are left alone: half of all captures flip them, and it is not visible.
        """
        flipped = cleaning.flips(self.rotations, self.skeleton.parents, self.fps) & _limbs(self.skeleton)
        if not flipped.any():
            return self, notes
        rotations = np.array(self.rotations)
        for joint in np.flatnonzero(flipped.any(axis=0)).tolist():
            bad = flipped[:, joint]
            own, place = rotations[:, joint : joint + 1], self.positions[:, joint : joint + 1]
            rotations[:, joint : joint + 1] = cleaning.bridged(own, place, bad)[0]
        rows = np.arange(len(self))
        if self.origin is not None:
            rows = np.where((self.origin.rows >= 0).all(axis=1), self.origin.rows[:, 0], rows)
        names = [self.skeleton.names[joint] for joint in np.flatnonzero(flipped.any(axis=0))]
        told = Note(
            "Bridged frame {frames}: {joints} flipped over and back.",
            frames=_listed(rows[flipped.any(axis=1)]),
            joints=", ".join(names[:4]) + (f" ... ({len(names)})" if len(names) > 4 else ""),
        )
        return self.replaced(rotations=rotations), [*notes, told]

    def _bridged(self, bad: NDArray[np.bool_]) -> Motion:
        if not bad.any():
            return self
        rotations, positions = cleaning.bridged(self.rotations, self.positions, bad)
        origin = self.origin and Origin(self.origin.document, np.where(bad[:, None], COMPUTED, self.origin.rows))
        return replace(self, rotations=quat.continuous(rotations), positions=positions, origin=origin)


def _limbs(skeleton: Skeleton) -> NDArray[np.bool_]:
    """(J,) the joints that move the body: all that play a role, fingers aside, and all that those hang from; every joint without roles."""
    if not skeleton.roles:
        return np.ones(len(skeleton), dtype=bool)
    chosen = np.zeros(len(skeleton), dtype=bool)
    chosen[[joint for role, joint in skeleton.roles.items() if not _FINGER.search(role)]] = True
    for joint in range(len(skeleton) - 1, -1, -1):
        if chosen[joint] and skeleton.parents[joint] >= 0:
            chosen[skeleton.parents[joint]] = True
    return chosen


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
            raise OptionError("motions", problem=Note("the motions differ in skeleton or frame rate"))
    rotations = quat.continuous(np.concatenate([clip.rotations for clip in clips]))
    made = Motion(first.skeleton, first.fps, rotations, np.concatenate([clip.positions for clip in clips]))
    if all(clip.stretch is None for clip in clips):
        return made
    stretches = [clip.stretch or Stretch(np.ones(len(clip)), np.zeros((len(clip), 3))) for clip in clips]
    along, pivot = (np.concatenate([getattr(one, name) for one in stretches]) for name in ("along", "pivot"))
    return replace(made, stretch=Stretch(along, pivot))
