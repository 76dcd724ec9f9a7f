"""The paper's two greedy passes, on bare arrays: omission (section 3.2) and holds (section 3.3)."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from komadori.numerics.steps import consecutive_steps, squared_step, squared_steps
from komadori.quat import Array

Frames = NDArray[np.int64]
Omission = Literal["iterative", "at-once", "centred"]
T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True)
class Limits:
    """What no operation may break."""

    max_exposures: int
    max_drift: int | None
    pinned: NDArray[np.bool_]
    """(F,) source frames that must stay among the drawings."""
    kept: NDArray[np.bool_]
    """(F,) source frames that omission leaves alone: those that are pinned, and what else it must not take."""


def with_omissions(
    points: Array, source: Frames, omit: int, keep_length: bool, limits: Limits, omission: Omission = "iterative"
) -> tuple[Frames, int]:
    """Algorithm 1 (中無し): `source` with up to `omit` of the fastest frames left out, and how many were.

    Each round deletes the shown frame with the largest step into it (never the first or last, ties: the earliest); to keep
    the length it then repeats the left frame of the smallest step between two drawings, where the left one is shown
    fewer than `max_exposures` times. A round that finds no such place is undone, and is the last.

    `omission` "at-once" is section 3.4's other way: the frames with the largest steps of the clip as it came. "centred"
    measures again as the paper does, but of the two frames at the largest step takes the one that leaves the larger leap.
    """
    if omit == 0 or len(source) < 3:
        return source, 0
    first = int(source[0])
    shown, steps = source.copy(), np.concatenate([[-1.0], squared_steps(points, source[:-1], source[1:])])
    exposures = np.bincount(shown - first)
    guarded = limits.kept[first:].any()
    at_once = source[1 + np.argsort(-steps[1:-1], kind="stable")] if omission == "at-once" else source[:0]
    at_once = at_once[~limits.kept[at_once]][:omit]
    for count in range(omit):
        if len(shown) < 3:
            return shown, count
        if omission == "at-once":
            if count == len(at_once):
                return shown, count
            k = int(np.argmax(shown == at_once[count]))
        else:
            # The first has no step into it and the last must stay, so both are left out of the search.
            into = np.where(limits.kept[shown[1:-1]], -1.0, steps[1:-1]) if guarded else steps[1:-1]
            k = 1 + int(into.argmax())
            if into[k - 1] < 0.0:
                return shown, count
            if omission == "centred":
                k = _wider(points, shown, k, limits)
        shorter, shorter_steps = _without(shown, k), _without(steps, k)
        shorter_steps[k] = squared_step(points, int(shorter[k - 1]), int(shorter[k]))
        exposures[shown[k] - first] -= 1
        if keep_length:
            place = _calmest_place(shorter, shorter_steps, exposures, k, limits, first)
            if place is None:
                return shown, count
            exposures[shorter[place - 1] - first] += 1
            # The repeat stands before the old right frame: its own step is 0 and the right frame's is as it was.
            shorter, shorter_steps = _with(shorter, place, shorter[place - 1]), _with(shorter_steps, place, 0.0)
        elif not _within_drift(shorter, limits.max_drift, first):
            return shown, count
        shown, steps = shorter, shorter_steps
    return shown, omit


def _wider(points: Array, shown: Frames, k: int, limits: Limits) -> int:
    """Of the frames at both ends of the step into the k-th, the one without which the leap is larger; ties: the k-th."""
    if k < 2 or limits.kept[shown[k - 1]]:
        return k
    without_k, without_left = (squared_step(points, int(shown[j - 1]), int(shown[j + 1])) for j in (k, k - 1))
    return k - 1 if without_left > without_k else k


def _without(values: NDArray[T], k: int) -> NDArray[T]:
    """`values` less the k-th; several times quicker on a short clip than numpy.delete."""
    return np.concatenate([values[:k], values[k + 1 :]])


def _with(values: NDArray[T], k: int, value: object) -> NDArray[T]:
    """`values` with `value` put before the k-th."""
    result = np.empty(len(values) + 1, dtype=values.dtype)
    result[:k], result[k], result[k + 1 :] = values[:k], value, values[k:]
    return result


def _calmest_place(
    source: Frames, steps: Array, exposures: NDArray[np.intp], deleted: int, limits: Limits, first: int
) -> int | None:
    """Where to repeat the frame on the left: the index of the right frame of the calmest step, or None."""
    left = source[:-1]
    fits = (source[1:] != left) & (exposures[left - first] < limits.max_exposures)
    if limits.max_drift is not None:
        fits &= _keeps_drift(source, deleted, limits.max_drift, first)
    calm = np.where(fits, steps[1:], np.inf)
    place = int(calm.argmin())
    return 1 + place if fits[place] else None


def _keeps_drift(shorter: Frames, deleted: int, bound: int, first: int) -> NDArray[np.bool_]:
    """(n - 1,) true where a repeat before index 1.. keeps every frame within `bound` of its time.

    Frames behind both the deletion and the repeat stand where they stood; only those between the two are moved by one.
    """
    time = first + np.arange(len(shorter))
    early = np.abs(shorter - time) <= bound  # as they stand now: pulled one frame forward by the deletion
    late = np.abs(shorter - time - 1) <= bound  # pushed back by a repeat before them
    places = np.arange(1, len(shorter))
    # A repeat at index r shows shorter[r - 1] at time r: that frame must fit as well.
    repeat = np.abs(shorter[:-1] - time[1:]) <= bound
    wrong_early = np.concatenate([[0], np.cumsum(~early)])
    wrong_late = np.concatenate([[0], np.cumsum(~late)])
    after = (places >= deleted) & (wrong_early[places] - wrong_early[deleted] == 0)
    before = (places < deleted) & (wrong_late[deleted] - wrong_late[places] == 0)
    return np.asarray((after | before) & repeat)


def _within_drift(source: Frames, bound: int | None, first: int) -> bool:
    return bound is None or bool((np.abs(source - first - np.arange(len(source))) <= bound).all())


def with_holds(points: Array, source: Frames, hold: int, limits: Limits) -> tuple[Frames, int]:
    """Algorithm 2 (コマ打ち): `source` with up to `hold` drawings replaced by the one before, and how many were.

    Each round takes the smallest step between two runs that together last at most `max_exposures` (ties: the
    earliest); the right run takes the left one's drawing, whole, so that one round removes exactly one drawing. A heap
    with late deletion makes all rounds together O(F log F).
    """
    if hold == 0 or len(source) < 2:
        return source, 0
    starts = np.flatnonzero(np.concatenate([[True], source[1:] != source[:-1]]))
    drawing = source[starts].tolist()
    length = np.diff(np.append(starts, len(source))).tolist()
    start = starts.tolist()
    first = int(source[0])
    runs = len(drawing)
    left = list(range(-1, runs - 1))
    right = [*range(1, runs), -1]
    whole = runs == len(source) and drawing[-1] - first == runs - 1
    steps = (
        consecutive_steps(points[first : first + runs]) if whole else squared_steps(points, drawing[:-1], drawing[1:])
    )
    step = [-1.0, *steps.tolist()]
    pinned = limits.pinned[drawing].tolist()
    most, drift = limits.max_exposures, limits.max_drift
    heap = [
        (step[run], run)
        for run in range(1, runs)
        if not pinned[run] and length[run - 1] + length[run] <= most
    ]  # fmt: skip
    heapq.heapify(heap)
    done = 0
    while heap and done < hold:
        value, run = heapq.heappop(heap)
        before = left[run]
        # Skip stale entries: a run that is gone, a step that has changed, or runs that have grown since.
        if before < 0 or step[run] != value or length[before] + length[run] > most:
            continue
        if drift is not None and start[run] + length[run] - 1 - (drawing[before] - first) > drift:
            continue
        length[before] += length[run]
        after = right[run]
        right[before] = after
        left[run] = -1
        if after >= 0:
            left[after] = before
            step[after] = squared_step(points, drawing[before], drawing[after])
            if not pinned[after] and length[before] + length[after] <= most:
                heapq.heappush(heap, (step[after], after))
        done += 1
    kept = [0, *(run for run in range(1, runs) if left[run] >= 0)]
    shown = np.repeat(np.array([drawing[run] for run in kept]), [length[run] for run in kept])
    return shown.astype(np.int64), done


def with_literal_holds(points: Array, source: Frames, hold: int, limits: Limits) -> tuple[Frames, int]:
    """Algorithm 2 as printed, if that does not stall: `source` with `hold` frames overwritten, and how many were.

    Each round copies frame k - 1 onto frame k, one frame and not its whole run, where the step is least and the drawing
    is shown fewer than `max_exposures` times. As printed the loop would next find the step of 0 that it has just made, and
    copy the same frame again until its count is used up: frames that already show the drawing before are passed over.
    """
    shown, first = source.copy(), int(source[0]) if len(source) else 0
    steps = squared_steps(points, shown[:-1], shown[1:])
    exposures = np.bincount(shown - first)
    late = np.arange(1, len(shown)) + first
    for count in range(hold):
        left, right = shown[:-1], shown[1:]
        fits = (left != right) & (exposures[left - first] < limits.max_exposures)
        fits &= ~(limits.pinned[right] & (exposures[right - first] == 1))
        if limits.max_drift is not None:
            fits &= late - left <= limits.max_drift
        if not fits.any():
            return shown, count
        k = 1 + int(np.where(fits, steps, np.inf).argmin())
        exposures[shown[k] - first] -= 1
        exposures[shown[k - 1] - first] += 1
        shown[k] = shown[k - 1]
        steps[k - 1] = 0.0
        if k + 1 < len(shown):
            steps[k] = squared_step(points, int(shown[k]), int(shown[k + 1]))
    return shown, hold
