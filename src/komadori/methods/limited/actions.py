"""Actions: where a compound clip divides into single ones. The paper cut clips by hand; calm moments serve as well."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori.quat import Array
from komadori.words import Fact, Note

SMOOTH_S = 0.12
"""Width of the Gaussian over the speed: shorter bumps belong to one action."""
VALLEY = 0.45
"""Two bursts are two actions when the speed between them falls below this share of the weaker one."""
BURST = 0.35
"""A bump weaker than this share of the strongest burst is not a separate action."""
SHORTEST_S = 0.5
ALIKE = 1e-9
"""Speeds that differ by less than this share of the fastest are the same but for rounding."""
MOST_LISTED = 12
AROUND_S = 0.5
"""Time before and after an action's fastest step that tells how fast its surroundings are."""
SNAPS = 0.4
"""What belongs to a burst: steps of at least this share of the fastest one's speed."""


def action_starts(steps: Array, fps: float) -> tuple[int, ...]:
    """The frames at which an action begins, the first being 0, from the squared steps (F - 1,) of a clip.

    Speed is the root of the step, smoothed. Bursts are its peaks; the cut between two lies at the calmest frame.
    """
    frames = len(steps) + 1
    if frames < 3:
        return (0,)
    speed = _smoothed(np.sqrt(steps), SMOOTH_S * fps)
    peaks = _peaks(speed)
    strongest = float(speed.max())
    if strongest <= 0.0:
        return (0,)
    peaks = [p for p in peaks if speed[p] >= BURST * strongest]
    kept: list[int] = []
    valleys: list[int] = []
    for peak in peaks:
        if not kept:
            kept.append(peak)
            continue
        between = speed[kept[-1] : peak + 1]
        # Of frames that are as calm as each other the first, however sums are rounded.
        valley = kept[-1] + int(np.argmax(between <= between.min() + ALIKE * strongest))
        apart = speed[valley] < VALLEY * min(speed[kept[-1]], speed[peak]) and peak - kept[-1] >= SHORTEST_S * fps
        if apart:
            kept.append(peak)
            valleys.append(valley)
        elif speed[peak] > speed[kept[-1]]:
            kept[-1] = peak
    # Step k leads from frame k to k + 1: the calm frame itself is the first of the next action.
    return (0, *(valley + 1 for valley in valleys))


def standing_out(steps: Array, begin: int, end: int, fps: float, ratio: float) -> tuple[int, int] | None:
    """The frames (first, last) of the burst of the action of frames `begin` to `end` (exclusive), or None.

    An action stands out where its fastest step is at least `ratio` times as fast as the median of the steps within half a
    second of it. A steady run does not: there every step is as fast as its neighbours. The burst is what snaps when it
    is omitted: the stretch around the fastest step in which no step is slower than a
    share of it. One that reaches over the edge of the clip does not count: there is no pose to leap from, or none to land in, and
    a stride that was cut off looks like a burst.
    """
    speed = np.sqrt(steps[begin : max(begin, end - 1)])
    if not len(speed) or speed.max() == 0.0:
        return None
    fastest = int(speed.argmax())
    reach = max(1, round(AROUND_S * fps))
    # The surroundings are those of the clip: a neighbouring action belongs to them.
    around = np.sqrt(steps[max(0, begin + fastest - reach) : begin + fastest + reach + 1])
    if speed[fastest] < ratio * float(np.median(around)):
        return None
    slow = np.flatnonzero(speed < SNAPS * speed[fastest])
    first = int(slow[slow < fastest].max(initial=-1)) + 1
    last = int(slow[slow > fastest].min(initial=len(speed))) - 1
    if begin + first == 0 or begin + last == len(steps) - 1:
        return None
    # Step k leads into frame k + 1.
    return begin + first + 1, begin + last + 1


def way_there(steps: Array, burst: tuple[int, int], kept: NDArray[np.bool_]) -> tuple[int, int] | None:
    """The frames (first, last) of a burst that can be omitted, given those that are `kept` (F,); None if all are.

    They lie between two frames that are kept, on the way of the fastest step or as near to it as can be: one leap, from
    one drawing that must be seen to the next, and none right behind it, so that a peak stays to be seen.
    """
    free = burst[0] + np.flatnonzero(~kept[burst[0] : burst[1] + 1])
    if not len(free):
        return None
    stretches = np.split(free, 1 + np.flatnonzero(np.diff(free) > 1))
    # Step k leads into frame k + 1, and a leap ends behind the last frame that is omitted.
    into = burst[0] + int(steps[burst[0] - 1 : burst[1]].argmax())
    best = min(stretches, key=lambda each: max(each[0] - into, into - each[-1] - 1, 0))
    return int(best[0]), int(best[-1])


def found_actions(starts: Sequence[int], omitted: Sequence[int]) -> Note:
    """What was found and what was done: the first frame of each action, and its omissions."""
    total, some = sum(omitted), sum(count > 0 for count in omitted)
    if len(starts) == 1:
        if total == 0:
            return Note(
                "1 action found; nothing is omitted, because no moment of it stands out. Set omit to omit in-betweens anyway."
            )
        if total == 1:
            return Fact("1 action found; omitted 1 in-between")
        return Fact("1 action found; omitted {total} in-betweens", total=total)
    listed = (
        ", ".join(map(str, starts[:-1]))
        if len(starts) <= MOST_LISTED
        else ", ".join(map(str, starts[: MOST_LISTED - 1])) + " ..."
    )
    found: dict[str, Any] = {"count": len(starts), "frames": listed, "last": starts[-1]}
    if total == 0:
        return Note(
            "{count} actions found, starting at frames {frames} and {last}; nothing is omitted, because none of them stands out. Set omit to omit in-betweens anyway.",
            **found,
        )
    if total == 1:
        return Fact(
            "{count} actions found, starting at frames {frames} and {last}; omitted 1 in-between in one of them",
            **found,
        )
    if min(omitted) == max(omitted) > 1:
        return Fact(
            "{count} actions found, starting at frames {frames} and {last}; omitted {each} in-betweens in each",
            each=omitted[0],
            **found,
        )
    return Fact(
        "{count} actions found, starting at frames {frames} and {last}; omitted {total} in-betweens in {some} of them",
        total=total,
        some=some,
        **found,
    )


def _smoothed(values: Array, sigma: float) -> Array:
    """Gaussian smoothing in which the ends count as often as they can be seen."""
    reach = max(1, math.ceil(3.0 * sigma))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / max(sigma, 1e-9)) ** 2)
    total = np.convolve(values, kernel, mode="full")[reach : reach + len(values)]
    seen = np.convolve(np.ones_like(values), kernel, mode="full")[reach : reach + len(values)]
    return np.asarray(total / seen)


def _peaks(values: Array) -> list[int]:
    """Frames that rise above the one before and do not lie below the one after."""
    padded = np.concatenate([[-np.inf], values, [-np.inf]])
    top: NDArray[np.bool_] = (values > padded[:-2]) & (values >= padded[2:])
    return np.flatnonzero(top).tolist()
