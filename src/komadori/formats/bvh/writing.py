"""Writing BVH: a motion to a Document, with the file's own numbers wherever they are still valid, and a Document to bytes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from komadori import kinematics, quat
from komadori.errors import OptionError
from komadori.formats.angles import nearest
from komadori.formats.bvh.axes import z_up
from komadori.formats.bvh.document import POSITIONS, ROTATIONS, Document
from komadori.formats.bvh.reading import LARGEST
from komadori.formats.units import METRES
from komadori.motion import COMPUTED, Motion
from komadori.quat import Array
from komadori.skeleton import END_SUFFIX, Skeleton
from komadori.words import Note

ORDER = "ZXY"
"""The order of rotation channels if no file prescribes one."""

STILL = 1e-9
"""Metres or radians within which a joint counts as not moved."""

_DEEPEST_INDENT = 40


def emit(motion: Motion) -> bytes:
    """`motion` as a BVH file.

    A motion that was read from a BVH keeps that file's names, offsets, channels and frame time, and every frame that
    was not computed keeps its exact numbers. Any other is written in centimetres, with joint frames that are
    upright in the rest pose, as BVH wants them.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        document = _from_document(motion) or _from_elsewhere(motion)
    if not np.isfinite(document.values).all() or not np.isfinite(document.offsets).all():
        raise OptionError(Note("the motion holds numbers that are not finite, which BVH has no way to write"))
    largest = max(float(np.abs(numbers).max(initial=0.0)) for numbers in (document.values, document.offsets))
    if largest > LARGEST:
        raise OptionError(
            Note(
                "the motion holds the number {number:g}; a BVH holds none above {most:g}", number=largest, most=LARGEST
            )
        )
    return written(document)


def written(document: Document) -> bytes:
    """The bytes of a Document; every number parses to the same double."""
    lines = ["HIERARCHY"]
    depths: list[int] = []
    for joint, parent in enumerate(document.parents.tolist()):
        depth = depths[parent] + 1 if parent >= 0 else 0
        lines += _closing(depths[-1] if depths else -1, depth)
        depths.append(depth)
        outer, inner = _indent(depth), _indent(depth + 1)
        end = bool(document.ends[joint])
        kind = "End Site" if end else f"{'JOINT' if parent >= 0 else 'ROOT'} {document.names[joint]}"
        offset = " ".join(map(repr, document.offsets[joint].tolist()))
        lines += [f"{outer}{kind}", f"{outer}{{", f"{inner}OFFSET {offset}"]
        if not end:
            group = document.channels[joint]
            lines.append(f"{inner}{' '.join(['CHANNELS', str(len(group)), *group])}")
    lines += _closing(depths[-1], 0)
    lines += ["MOTION", f"Frames: {len(document.values)}", f"Frame Time: {document.frame_time_text}"]
    lines += [" ".join(map(repr, row)) for row in document.values.tolist()]
    return ("\n".join(lines) + "\n").encode("utf-8", "replace")


def _closing(last: int, depth: int) -> list[str]:
    """The braces between a joint at depth `last` and the next one at `depth`."""
    return [f"{_indent(level)}}}" for level in range(last, depth - 1, -1)]


def _indent(depth: int) -> str:
    # The indentation is bounded: a chain of thousands of joints would otherwise be mostly tabs.
    return "\t" * min(depth, _DEEPEST_INDENT)


def _frame_time(motion: Motion, document: Document | None) -> str:
    if document is not None and motion.fps == document.fps and (document.frame_time_s or len(motion) <= 1):
        return document.frame_time_text
    return repr(1.0 / motion.fps)


def _from_document(motion: Motion) -> Document | None:
    """The file that `motion` was read from, with the rows that it has now; None if its joints have changed."""
    origin = motion.origin
    if origin is None or not isinstance(origin.document, Document):
        return None
    source = origin.document
    if not source.skeleton().same_joints(motion.skeleton):
        return None
    rows = np.broadcast_to(origin.rows, (len(motion), len(motion.skeleton)))
    rotations, positions = motion.rotations, motion.positions
    if source.axes != ("Y", False):
        rotations, positions = z_up(rotations, *source.axes), z_up(positions, *source.axes)
    # The layout works about the axes of the file.
    layout = _Layout(replace(source, up="Y", mirrored=False).skeleton(), source.scale, source)
    return layout.filled(motion, rows, rotations, positions)


def _from_elsewhere(motion: Motion) -> Document:
    """`motion` as a new file: joints in the order of the hierarchy, upright at rest, in centimetres."""
    order = _depth_first(motion.skeleton)
    skeleton = motion.skeleton
    rest = kinematics.world_transforms(skeleton, skeleton.rest[None], skeleton.offsets[None])[0][0]
    above = np.where((skeleton.parents >= 0)[:, None], rest[skeleton.parents], quat.IDENTITY)
    rotations = quat.multiply(quat.multiply(above, motion.rotations), quat.inverse(rest))[:, order]
    positions = quat.rotate(above, motion.positions)[:, order]
    place = np.empty(len(order), dtype=np.intp)
    place[order] = np.arange(len(order))
    parents = skeleton.parents[order]
    upright = Skeleton(
        tuple(skeleton.names[joint] for joint in order),
        np.where(parents >= 0, place[parents], -1),
        quat.rotate(above, skeleton.offsets)[order],
    )
    rows = np.full((len(motion), len(order)), COMPUTED, dtype=np.int64)
    return _Layout(upright, METRES["cm"], None).filled(motion, rows, rotations, positions)


def _depth_first(skeleton: Skeleton) -> NDArray[np.intp]:
    """Joint numbers in the order in which a nested hierarchy names them."""
    found: list[int] = []
    waiting = [joint for joint in range(len(skeleton) - 1, -1, -1) if skeleton.parents[joint] < 0]
    while waiting:
        joint = waiting.pop()
        found.append(joint)
        waiting.extend(reversed(skeleton.children[joint]))
    return np.array(found, dtype=np.intp)


class _Layout:
    """The joints and channels of the file to write, widened if the motion needs more than they hold."""

    def __init__(self, skeleton: Skeleton, scale: float, source: Document | None) -> None:
        self.skeleton = skeleton
        self.scale = scale
        self.source = source
        if source is not None:
            self.names, self.offsets = list(source.names), source.offsets
            self.channels, self.ends = [list(group) for group in source.channels], source.ends.copy()
            return
        self.names = [safe_name(name) for name in skeleton.names]
        roots = skeleton.parents < 0
        # Readers disagree on whether a root's offset is added to its position: with a zero offset both are right.
        self.offsets = np.where(roots[:, None], 0.0, skeleton.offsets / scale)
        called = [f"{skeleton.names[p]}{END_SUFFIX}" if p >= 0 else "" for p in skeleton.parents.tolist()]
        self.ends = skeleton.end_sites & np.array([a == b for a, b in zip(skeleton.names, called, strict=True)])
        turning = [f"{axis}rotation" for axis in ORDER]
        self.channels = [
            [] if end else [*POSITIONS, *turning] if root else list(turning)
            for end, root in zip(self.ends.tolist(), roots.tolist(), strict=True)
        ]

    def filled(self, motion: Motion, rows: NDArray[np.int64], rotations: Array, positions: Array) -> Document:
        """The Document of all frames: row rows[f, j] of the source for each joint, or its transform where COMPUTED."""
        kept = rows != COMPUTED
        changed = np.flatnonzero(~kept.all(axis=0))
        places = positions / self.scale if len(changed) else positions
        turns = self._turns(rows, kept, rotations, changed)
        for joint in changed.tolist():
            self._widened(joint, ~kept[:, joint], positions[:, joint], turns[joint])
        old = self.source.columns() if self.source is not None else []
        columns: list[Array] = []
        for joint, group in enumerate(self.channels):
            for channel in group:
                column = np.empty(len(motion))
                if kept[:, joint].any():
                    column[:] = self._read(old[joint], joint, channel, rows[:, joint])
                if joint in turns:
                    axis = "XYZ".index(channel[0])
                    computed = places[:, joint, axis] if channel in POSITIONS else turns[joint][channel]
                    column = np.where(kept[:, joint], column, computed)
                columns.append(column)
        time = _frame_time(motion, self.source)
        return Document(
            names=tuple(self.names),
            parents=self.skeleton.parents,
            offsets=self.offsets,
            channels=tuple(map(tuple, self.channels)),
            ends=self.ends,
            frame_time_text=time,
            frame_time_s=float(time),
            declared=len(motion),
            values=np.stack(columns, axis=1) if columns else np.empty((len(motion), 0)),
            scale=self.scale,
        )

    def _read(self, old: dict[str, int], joint: int, channel: str, rows: NDArray[np.int64]) -> Array:
        """What the source says in `channel` of a joint at `rows`; for a channel that it does not have, what that means."""
        assert self.source is not None
        if channel in old:
            column: Array = self.source.values[rows, old[channel]]
            return column
        meant = self.source.offsets[joint, "XYZ".index(channel[0])] if channel in POSITIONS else 0.0
        return np.full(len(rows), meant)

    def _turns(
        self, rows: NDArray[np.int64], kept: NDArray[np.bool_], rotations: Array, changed: NDArray[np.intp]
    ) -> dict[int, dict[str, Array]]:
        """For each changed joint its rotation in degrees (F,) by channel, about all three axes."""
        by_order: dict[str, list[int]] = {}
        for joint in changed.tolist():
            order = "".join(channel[0] for channel in self.channels[joint] if channel in ROTATIONS)
            order += "".join(axis for axis in ORDER if axis not in order)
            by_order.setdefault(order, []).append(joint)
        old = self.source.columns() if self.source is not None else []
        result: dict[int, dict[str, Array]] = {}
        for order, joints in by_order.items():
            known = np.zeros((len(rows), len(joints), 3))
            for n, joint in enumerate(joints):
                for i, axis in enumerate(order if kept[:, joint].any() else ""):
                    known[:, n, i] = self._read(old[joint], joint, f"{axis}rotation", rows[:, joint])
            angles = np.degrees(nearest(rotations[:, joints], order, np.radians(known), kept[:, joints]))
            for n, joint in enumerate(joints):
                result[joint] = {f"{axis}rotation": angles[:, n, i] for i, axis in enumerate(order)}
        return result

    def _widened(self, joint: int, computed: NDArray[np.bool_], path: Array, turns: dict[str, Array]) -> None:
        """Gives a joint the channels that it needs and the file did not have; an end site with channels is a joint."""
        group = self.channels[joint]
        away = np.abs(path[computed] - self.skeleton.offsets[joint]) > STILL
        if any(away[:, axis].any() and channel not in group for axis, channel in enumerate(POSITIONS)):
            group[:0] = [channel for channel in POSITIONS if channel not in group]
        missing = [channel for channel in turns if channel not in group]
        if any((np.abs(np.radians(turns[channel][computed])) > STILL).any() for channel in missing):
            group.extend(missing)
        if self.ends[joint] and group:
            self.ends[joint] = False
            self.names[joint] = safe_name(self.skeleton.names[joint])


def safe_name(name: str) -> str:
    """`name` as it can stand in a line of a BVH: one line, no braces, not empty."""
    return "".join(c if c.isprintable() and c not in "{}" else "_" for c in name).strip() or "joint"
