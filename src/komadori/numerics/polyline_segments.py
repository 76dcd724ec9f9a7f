"""The segments between frames of a curve from which no frame inside lies farther away than a bound."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori.errors import OptionError
from komadori.numerics.polyline import Frames, formula, inverse_lengths, squared_distances, waited
from komadori.quat import Array
from komadori.words import Note

MOST = 30_000_000
"""Segments that are kept, in about 3 GB."""
MOST_TRIED = 200_000_000
"""Segments that are looked at, in a quarter of an hour or so. Beyond either, an error says so."""
SHORT = 32
"""Segments of up to so many frames are looked at all at once, longer ones start by start."""
ALONE = 256
"""Up to so many starts one thread takes: more would spend longer on starting."""
STRIDES = (64, 8)
"""Of a long segment every so many-th frame is looked at first: most segments are ruled out by one of these."""
ROOM = 1 << 15
"""Numbers worked on at once: what is computed then stays in the processor's second cache."""
MOST_ENDS = 256
"""Segments worked on at once: more would span many frames that lie beyond the first one's end."""
BATCH = 1 << 15
"""Candidates that are gathered before their distances are computed."""
CLOSE = 1e-6
"""Relative error for each of 4 + D dimensions that the quick formula, in single precision, stays well below (measured: 1e-7)."""


@dataclass(frozen=True, eq=False)
class Segments:
    """Segments of a curve, sorted by their last frame, then by their first."""

    frames: int
    left: Frames
    """(n,) first frames."""
    right: Frames
    """(n,) last frames."""
    squared: Array
    """(n,) the largest squared distance of a frame inside."""

    def __len__(self) -> int:
        return len(self.left)

    def offsets(self) -> NDArray[np.int64]:
        """(F + 1,) where the segments that end at each frame begin, and the number of all."""
        return np.searchsorted(self.right, np.arange(self.frames + 1))

    def where(self, kept: NDArray[np.bool_]) -> Segments:
        """Only the `kept` (n,) ones."""
        return Segments(self.frames, self.left[kept], self.right[kept], self.squared[kept])

    def within(self, most: float) -> Segments:
        """Only those whose largest squared distance is `most` or less."""
        return self.where(self.squared <= most)


def segments_within(points: Array, reach: Frames, clock: Array | None, most: float) -> Segments:
    """All segments from a frame i to `reach[i]` (F,) at the farthest, whose largest squared distance is `most` or less.

    Distances are exact to the last bit of `squared_distances`. What is computed grows with the segments that are found and
    those near them, not with all pairs of frames: `within_reach` ends the search from a frame, and few frames of a long
    segment rule most of the rest out.
    """
    reach = within_reach(points, reach, most)
    if int((reach - np.arange(len(points))).sum()) > MOST_TRIED:
        raise _too_many()
    found = list(_short(points, reach, clock, most))
    begins = np.flatnonzero(reach - np.arange(len(points)) > SHORT)
    if len(begins):
        workers = max(1, min(os.cpu_count() or 1, 8)) if len(begins) > ALONE else 1

        def search(first: int) -> list[tuple[Frames, Frames, Array]]:
            rows = _Rows(points, clock, most, MOST // workers)
            for i in begins[first::workers].tolist():
                rows.look(i, int(reach[i]))
            return rows.done()

        if workers == 1:
            found += search(0)
        else:
            # NumPy lets go of the interpreter's lock: threads share the starts.
            with ThreadPoolExecutor(workers) as pool:
                for part in pool.map(search, range(workers)):
                    found += part
    left, right, squared = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.argsort(right * len(points) + left)
    return Segments(len(points), left[order], right[order], squared[order])


def _too_many() -> OptionError:
    return OptionError(
        "solver",
        problem=Note("the clip is too long, or too still for minutes, for the exact optimum"),
        advice=Note("choose greedy, ask for more keys, or limit max_gap"),
    )  # fmt: skip


def within_reach(points: Array, reach: Frames, most: float) -> Frames:
    """(F,) for every frame a last frame: no segment from it that ends later (and at `reach` or before) can stay within `most`.

    A frame farther from the start than the bound lies inside a cone around every segment that passes it closely enough.
    Where two such cones do not touch, no segment passes both frames. Each frame is compared with the farthest before it, and
    far from the start not every frame is.
    """
    result = np.minimum(reach, len(points) - 1)
    if not np.isfinite(most):
        return result
    bound = np.sqrt(most) * (1.0 + 1e-9) + 1e-300
    start = np.flatnonzero(result - np.arange(len(points)) > 1)
    towards = np.zeros((len(start), points.shape[1]))
    farthest, sine, cosine = np.full(len(start), bound), np.ones(len(start)), np.zeros(len(start))
    step = 0
    while len(start):
        step += 1 + step // 16
        inside = start + step < result[start]
        start, towards, farthest = start[inside], towards[inside], farthest[inside]
        sine, cosine = sine[inside], cosine[inside]
        away = points[start + step] - points[start]
        length = np.sqrt(np.einsum("kd,kd->k", away, away))
        out = np.maximum(length, bound)
        s = bound / out
        c = np.sqrt(1.0 - s * s)
        away /= out[:, None]
        # Cones that are not there yet, or that are all directions, touch every other: their cosine is 0, their sine 1.
        apart = np.einsum("kd,kd->k", away, towards) < c * cosine - s * sine - 1e-9
        apart &= (length > bound) & (farthest > bound)
        further = length > farthest
        towards[further], farthest[further] = away[further], length[further]
        sine[further], cosine[further] = s[further], c[further]
        if apart.any():
            result[start[apart]] = start[apart] + step - 1
            start, towards, farthest = start[~apart], towards[~apart], farthest[~apart]
            sine, cosine = sine[~apart], cosine[~apart]
    return result


def _short(points: Array, reach: Frames, clock: Array | None, most: float) -> Iterator[tuple[Frames, Frames, Array]]:
    """The segments of 1 to SHORT frames, by their length."""
    columns = [np.ascontiguousarray(column) for column in points.T]
    frames = len(points)
    gaps = reach - np.arange(frames)
    for gap in range(1, min(SHORT, int(gaps.max(initial=0))) + 1):
        starts = np.flatnonzero(gaps[: frames - gap] >= gap)
        for begin in range(0, len(starts), ROOM // gap):
            start = starts[begin : begin + ROOM // gap]
            end, inside = start + gap, start + np.arange(1, gap)[:, None]
            along = [column[end] - column[start] for column in columns]
            away = [column[inside] - column[start] for column in columns]
            distances = formula(along, inverse_lengths(along), away)
            if clock is not None:
                distances += waited(clock[inside], clock[start], clock[end])
            squared = distances.max(axis=0, initial=0.0)
            kept = squared <= most
            yield start[kept], end[kept], squared[kept]


class _Rows:
    """The segments of more than SHORT frames, start by start.

    A quick formula (one matrix product in single precision, and digits cancel) rules segments out by some of their frames, and
    finds for each of the rest the frames that may be the farthest, nearly always one; the plain formula then decides among them.
    """

    def __init__(self, points: Array, clock: Array | None, most: float, left: int) -> None:
        self.points, self.clock, self.most = points, clock, most
        self.left = left
        """How many more segments may be kept."""
        # Of frames in one place the first stands for all, where waiting does not count.
        self.fresh = np.ones(len(points), dtype=bool)
        if clock is None:
            self.fresh[1:] = (points[1:] != points[:-1]).any(axis=1)
        size = max(ROOM, len(points))
        self.room = np.empty(size, dtype=np.float32), np.empty(size, dtype=np.float32)
        self.waiting: list[tuple[Frames, Frames, Frames, int]] = []
        self.gathered = 0
        self.found: list[tuple[Frames, Frames, Array]] = []

    def look(self, i: int, reach: int) -> None:
        """Look at all segments that start at `i` and end at `reach` or before."""
        away = self.points[i + 1 : reach + 1] - self.points[i]
        far = np.einsum("kd,kd->k", away, away)
        slack = np.maximum.accumulate(far)
        if self.clock is not None:
            slack += (self.clock[i + 1 : reach + 1] - self.clock[i]) ** 2
        slack *= CLOSE * (4.0 + away.shape[1])
        length = np.sqrt(far)
        along = np.divide(away, length[:, None], out=np.zeros_like(away), where=length[:, None] > 0.0)
        away, far, length, along = (part.astype(np.float32) for part in (away, far, length, along))
        row = _Row(i, away, far, length, along, self.clock, self.room)
        ends, most = np.arange(SHORT, len(away)), self.most + slack
        for stride in STRIDES:
            if len(away) >= 4 * stride and np.isfinite(self.most):
                tops = [quick.max(axis=1) for _, quick in row.blocks(ends, stride)]
                ends = ends[np.concatenate(tops) <= most[ends]]
                if not len(ends):
                    return
        fresh = None
        if not self.fresh[i + 2 : reach + 1].all():
            fresh = np.append(True, self.fresh[i + 2 : reach + 1])
        for part, quick in row.blocks(ends, 1):
            top = quick.max(axis=1)
            cut = np.where(top <= most[part], top - slack[part], np.inf).astype(np.float32)
            near = quick >= cut[:, None]
            if fresh is not None:
                near &= fresh[: quick.shape[1]]
            segment, frame = np.divmod(np.flatnonzero(near), quick.shape[1])
            if len(segment):
                self.waiting.append((i + 1 + part[segment], i + 1 + frame, np.full(len(frame), i), len(frame)))
                self.gathered += len(frame)
        if self.gathered > BATCH:
            self.decide()

    def decide(self) -> None:
        """Decide among the frames that were found so far."""
        if not self.waiting:
            return
        right, frame, left = (np.concatenate(parts) for parts in list(zip(*self.waiting, strict=True))[:3])
        squared = squared_distances(self.points, frame, left, right, self.clock)
        first = np.flatnonzero(np.append(True, (left[1:] != left[:-1]) | (right[1:] != right[:-1])))
        largest = np.maximum.reduceat(squared, first)
        kept = largest <= self.most
        self.found.append((left[first][kept], right[first][kept], largest[kept]))
        self.left -= int(kept.sum())
        if self.left < 0:
            raise _too_many()
        self.waiting, self.gathered = [], 0

    def done(self) -> list[tuple[Frames, Frames, Array]]:
        """First frames, last frames and largest squared distances of all that was found."""
        self.decide()
        return self.found


@dataclass(frozen=True, eq=False)
class _Row:
    """The frames after one start, as the quick formula needs them: seen from the start, in single precision."""

    start: int
    away: NDArray[np.float32]
    far: NDArray[np.float32]
    length: NDArray[np.float32]
    along: NDArray[np.float32]
    clock: Array | None
    room: tuple[NDArray[np.float32], NDArray[np.float32]]

    def blocks(self, ends: Frames, stride: int) -> Iterator[tuple[Frames, NDArray[np.float32]]]:
        """Parts of `ends` (rising), and the squared distances (ends, frames) of every `stride`-th frame inside; -inf beyond the end."""
        first = stride // 2
        frames = np.arange(first, len(self.away), stride)
        away, far = np.ascontiguousarray(self.away[first::stride].T), self.far[first::stride]
        begin = 0
        while begin < len(ends):
            stop = min(len(ends), begin + max(1, ROOM // len(frames)), begin + MOST_ENDS)
            part = ends[begin:stop]
            inside = -(-(int(part[-1]) - first) // stride)
            quick, cut = (room[: inside * len(part)].reshape(len(part), inside) for room in self.room)
            length = self.length[part, None]
            # With g along the segment and c the g cut to it: |away - c|^2 = |away|^2 + c (c - 2 g).
            np.matmul(self.along[part], away[:, :inside], out=quick)
            np.maximum(quick, 0.0, out=cut)
            np.minimum(cut, length, out=cut)
            np.subtract(cut, quick, out=quick)
            quick += quick
            quick -= cut
            quick *= cut
            quick += far[:inside]
            if self.clock is not None:
                at = self.clock[self.start + 1 + frames[:inside]]
                quick += waited(at, self.clock[self.start], self.clock[self.start + 1 + part, None])
            tail = -(-(int(part[0]) - first) // stride)
            np.copyto(quick[:, tail:], -np.inf, where=frames[tail:inside] >= part[:, None])
            yield part, quick
            begin = stop
