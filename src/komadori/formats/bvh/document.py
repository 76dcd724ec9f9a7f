"""Document: the contents of a BVH file as written, and the motion that they mean."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from komadori import quat, rates, roles
from komadori.formats import units
from komadori.formats.bvh import axes
from komadori.motion import Motion, Origin, Pose
from komadori.quat import Array
from komadori.skeleton import END_SUFFIX, Skeleton, frozen
from komadori.words import Fact, Note

POSITIONS = ("Xposition", "Yposition", "Zposition")
ROTATIONS = ("Xrotation", "Yrotation", "Zrotation")
CHANNELS = POSITIONS + ROTATIONS

STILL_FPS = 24.0
"""The frame rate of a single pose that states none."""

_BLOCK = 128
"""Frames turned at once: the vectors of a block stay in the processor's cache."""

Slots: TypeAlias = slice | NDArray[np.intp]


_STEADY = 0.01
"""How far a joint's position may vary, as a share of the bone's length, and still count as constant."""


@dataclass(frozen=True, eq=False)
class Document:
    """A BVH file: joints as written (end sites among them, in the order of the file), channels, rows.

    `offsets` (J, 3) and `values` (F, C) are the file's own numbers, in its own unit and in degrees; `scale` is what
    one of its units is in metres, `up` the axis that points up in it ("Y", "Z", "-Y" ...) and `mirrored` whether its axes
    are left-handed, once they are known.
    """

    names: tuple[str, ...]
    parents: NDArray[np.intp]
    offsets: Array
    channels: tuple[tuple[str, ...], ...]
    ends: NDArray[np.bool_]
    frame_time_text: str
    frame_time_s: float
    declared: int
    values: Array
    scale: float = 1.0
    up: str = "Y"
    mirrored: bool = False

    def __post_init__(self) -> None:
        joints = len(self.names)
        put = object.__setattr__
        put(self, "parents", frozen(self.parents, np.intp, (joints,), "parents"))
        put(self, "offsets", frozen(self.offsets, np.float64, (joints, 3), "offsets"))
        put(self, "ends", frozen(self.ends, np.bool_, (joints,), "ends"))
        put(self, "values", frozen(self.values, np.float64, (-1, sum(map(len, self.channels))), "values"))

    @property
    def fps(self) -> float:
        """The frame rate that the frame time means."""
        return float(rates.exact(rates.meant(self.frame_time_s))) if self.frame_time_s else STILL_FPS

    def columns(self) -> list[dict[str, int]]:
        """For each joint, the column of `values` that each of its channels stands in."""
        first = np.cumsum([0, *map(len, self.channels)]).tolist()
        return [
            {channel: at + i for i, channel in enumerate(group)}
            for at, group in zip(first, self.channels, strict=False)
        ]

    def skeleton(self) -> Skeleton:
        """The joints in metres, with names that differ; where rows put a joint elsewhere for good, that is where it is."""
        offsets = self._offsets() * self.scale
        turned = (self.up, self.mirrored) != ("Y", False)
        return Skeleton(unique_names(self), self.parents, axes.y_up(offsets, *self.axes) if turned else offsets)

    @property
    def axes(self) -> tuple[str, bool]:
        """The axis that points up, and whether the axes are left-handed."""
        return self.up, self.mirrored

    def motion(self, unit: str | None = None) -> Motion:
        """What the file means, in metres and Y up; `unit` is the file's (of `units.METRES`), guessed if it is None."""
        scale, note = units.chosen(unit, units.body_size(self.parents, self._bones()))
        document = replace(self, scale=scale)
        notes = [note] if note else []
        if len(self.values) > self.declared:
            notes.append(
                Fact(
                    "The file declares {declared} frames but holds {found}; read all of them.",
                    declared=self.declared,
                    found=len(self.values),
                )
            )
        if not self.frame_time_s:
            notes.append(Note("No frame time in the file; assumed {fps:g} fps.", fps=STILL_FPS))
        origin = Origin(document, np.arange(len(self.values))[:, None])
        rotations, positions = document.transforms()
        skeleton = document.skeleton()
        found = roles.find(skeleton, Pose(rotations[0], positions[0]) if len(rotations) else None)
        better, told = units.guessed(skeleton.with_roles(found), scale) if unit is None else (scale, None)
        if told is not None:
            notes[0] = told
        if better != scale:
            positions *= better / scale
            document = replace(document, scale=better)
            skeleton = document.skeleton()
        up = axes.found_up(skeleton.with_roles(found), rotations, positions)
        if up != "Y":
            notes.append(Fact("The file is {axis} up; turned the body to Y up.", axis=up))
            rotations, positions, skeleton, document = _turned(rotations, positions, document, up, False)
            found = roles.find(skeleton, Pose(rotations[0], positions[0]))
        # Where names say nothing, left and right were determined by the shape: that cannot contradict itself.
        if axes.is_mirrored(skeleton.with_roles(found), rotations, positions) and roles.told_by_names(skeleton):
            notes.append(Fact("The file uses left-handed axes, which swap left and right; mirrored the body back."))
            rotations, positions, skeleton, document = _turned(*document.transforms(), document, up, True)
            found = roles.find(skeleton, Pose(rotations[0], positions[0]))
        origin = Origin(document, origin.rows)
        return Motion(skeleton.with_roles(found), self.fps, rotations, positions, origin, tuple(notes))

    def transforms(self) -> tuple[Array, Array]:
        """Local rotations (F, J, 4), continuous in time, and positions (F, J, 3) in metres, about the file's own axes."""
        frames, joints = len(self.values), len(self.names)
        positions = np.empty((frames, joints, 3))
        positions[:] = self.offsets * self.scale
        columns = self.columns()
        for joint, column in enumerate(columns):
            for axis, channel in enumerate(POSITIONS):
                if channel in column:
                    np.multiply(self.values[:, column[channel]], self.scale, out=positions[:, joint, axis])
        rotations = np.empty((frames, joints, 4))
        groups = self._by_order(columns)
        for start in range(0, frames, _BLOCK):
            rows = slice(start, start + _BLOCK)
            sines, cosines = _half_angles(self.values[rows])
            for order, (same, taken) in groups.items():
                rotations[rows, same] = (
                    quat.from_half_angles([sines[:, at] for at in taken], [cosines[:, at] for at in taken], order)
                    if order
                    else quat.IDENTITY
                )
        return quat.continuous(rotations), positions

    def _by_order(self, columns: list[dict[str, int]]) -> dict[str, tuple[Slots, list[Slots]]]:
        """Order of rotation ("ZYX", "" for none) -> the joints that have it, and the column of each angle."""
        joints: dict[str, list[int]] = {}
        for joint, group in enumerate(self.channels):
            joints.setdefault("".join(channel[0] for channel in group if channel in ROTATIONS), []).append(joint)
        return {
            order: (_slots(same), [_slots([columns[joint][f"{axis}rotation"] for joint in same]) for axis in order])
            for order, same in joints.items()
        }

    def _offsets(self) -> Array:
        """Each joint's offset (J, 3), or the place that all rows give it: some files have those of another body, or zeros."""
        offsets = self.offsets.copy()
        sample = self.values[:: max(1, len(self.values) // 64)]
        for joint, column in enumerate(self.columns() if len(sample) else []):
            if self.parents[joint] >= 0 and {*POSITIONS} <= column.keys():
                path = sample[:, [column[channel] for channel in POSITIONS]]
                with np.errstate(over="ignore"):
                    size = np.abs(path).max()
                    if np.ptp(path, axis=0).max() <= _STEADY * size < np.abs(path[0] - offsets[joint]).max():
                        offsets[joint] = np.median(path, axis=0)
        return offsets

    def _bones(self) -> Array:
        """Each joint's place in its parent's frame (J, 3): its offset, or what its rows put instead.

        Zero where the rows let it travel: the offset from a root on the floor to the hips is not a bone.
        """
        bones = self.offsets.copy()
        sample = self.values[:: max(1, len(self.values) // 64)]
        for joint, column in enumerate(self.columns() if len(sample) else []):
            for axis, channel in enumerate(POSITIONS):
                if channel in column:
                    bones[joint, axis] = sample[0, column[channel]]
            path = sample[:, [column[channel] for channel in POSITIONS if channel in column]]
            with np.errstate(over="ignore"):
                if path.size and np.ptp(path, axis=0).max() > 0.2 * np.abs(bones[joint]).max():
                    bones[joint] = 0.0
        return bones


def _turned(
    rotations: Array, positions: Array, document: Document, up: str, mirrored: bool
) -> tuple[Array, Array, Skeleton, Document]:
    """Transforms about the file's own axes as they are where Y is up, and the document that remembers it."""
    document = replace(document, up=up, mirrored=mirrored)
    return axes.y_up(rotations, up, mirrored), axes.y_up(positions, up, mirrored), document.skeleton(), document


def _slots(numbers: list[int]) -> Slots:
    """An index for `numbers`: a slice if they are evenly spaced, for NumPy reads that without copying."""
    step = numbers[1] - numbers[0] if len(numbers) > 1 else 1
    even = step > 0 and numbers == list(range(numbers[0], numbers[-1] + 1, step))
    return slice(numbers[0], numbers[-1] + 1, step) if even else np.array(numbers)


def _half_angles(degrees: Array) -> tuple[Array, Array]:
    """Sine and cosine of half of each angle, from one tangent of a quarter: their squares then sum to 1 to the last bit."""
    tangent = np.tan(degrees * (np.pi / 720.0))
    square = tangent * tangent
    scale = 1.0 / (1.0 + square)
    return 2.0 * tangent * scale, (1.0 - square) * scale


def unique_names(document: Document) -> tuple[str, ...]:
    """Names for all joints that differ: an end site is called after its parent, a repeated name gets a number."""
    ends = document.ends.tolist()
    written = {name for name, end in zip(document.names, ends, strict=True) if not end}
    used: set[str] = set()
    numbers: dict[str, int] = {}
    names: list[str] = []
    for name, end, parent in zip(document.names, ends, document.parents.tolist(), strict=True):
        unique = wanted = names[parent] + END_SUFFIX if end else name
        # A name that the file gives to a joint stays with that joint, even if an end site comes first.
        while unique in used or (unique in written and unique != name):
            numbers[wanted] = numbers.get(wanted, 0) + 1
            stem, suffix = (names[parent], END_SUFFIX) if end else (name, "")
            unique = f"{stem}.{numbers[wanted]:03d}{suffix}"
        used.add(unique)
        names.append(unique)
    return tuple(names)
