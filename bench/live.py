"""Live: the causal solver beside the offline optimum, by look-ahead, and what a frame of the whole chain costs."""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import PurePosixPath
from types import FrameType

import numpy as np
from numpy.typing import NDArray

import komadori
from bench import live_session
from bench.clips import real_data
from bench.clips_all import clips_in, shown
from bench.tables import Table
from bench.timing import STEADY, SUDDEN, Clip, every_clip
from komadori import KomadoriError, Motion
from komadori.characters import SAMPLES, sample
from komadori.methods.limited.causal import CausalHolds, Exposure, Rules
from komadori.methods.limited.greedy import Limits
from komadori.methods.limited.measure import frame_points
from komadori.methods.limited.optimal import with_least_error
from komadori.methods.limited.options import LimitedOptions
from komadori.methods.limited.streaming import MOST_AHEAD, StreamOptions, rules_of
from komadori.quat import Array

SHORTEST, LONGEST = 24, 300
"""Frames: less is not a motion, and of more the beginning is enough."""
LOAD_S = 25
ALLOWED = {3: 1.5, 6: 1.25}
"""Look-ahead -> how many times the offline optimum's error is allowed on any clip."""
MOST = 3
ROUNDING = 1e-6
NOTHING = 1e-9
"""Errors below this (m²) are none: both solvers hold only what does not move."""


@dataclass(frozen=True)
class Row:
    """A clip's points, whether the policy was chosen on it, and whether its figures may be shown."""

    name: str
    points: Array
    rules: Rules
    tuned: bool
    open: bool


@dataclass(frozen=True)
class Against:
    """One clip's error as a share of others' with the same number of drawings."""

    optimum: float
    free: float
    twos: float
    drawn: float


def tables() -> list[Table]:
    return [_halved(), _as_it_comes(), _omissions(), *live_session.tables()]


@cache
def _rows() -> tuple[Row, ...]:
    """Every clip at hand, every second one (by name) for choosing the policy."""
    found = sorted(_motions(), key=lambda each: each[0])
    data = real_data()
    real = [name for name, _ in found if not name.startswith("sample:")]
    may = {*(shown(data, real) if data else ()), *(name for name, _ in found if name.startswith("sample:"))}
    rows = []
    for number, (name, motion) in enumerate(found):
        rules = rules_of(
            motion.skeleton, StreamOptions(omit_up_to=0), np.ones(len(motion.skeleton)), motion.world_positions()[0]
        )
        rows.append(Row(name, frame_points(motion, LimitedOptions())[:LONGEST], rules, number % 2 == 0, name in may))
    return tuple(rows)


def _motions() -> Iterator[tuple[str, Motion]]:
    for name in SAMPLES:
        yield f"sample:{name}", sample(name).prepared(fps=24)
    data = real_data()
    for clip in clips_in(data) if data else ():
        if clip.lower().endswith((".vrm", ".pmx", ".pmd")):
            continue
        signal.signal(signal.SIGALRM, _too_long)
        signal.alarm(LOAD_S)
        try:
            motion = komadori.load(data / clip, kind="motion").prepared(fps=24) if data else None
        except (KomadoriError, TimeoutError):
            continue
        finally:
            signal.alarm(0)
        if isinstance(motion, Motion) and len(motion) >= SHORTEST:
            yield clip, motion


def _too_long(number: int, frame: FrameType | None) -> None:
    raise TimeoutError


def streamed(points: Array, rules: Rules) -> NDArray[np.int64]:
    """The source frame of every output frame."""
    holds = CausalHolds(rules)
    made: list[Exposure | None] = [holds.push(row) for row in points]
    return np.array([each.source for each in [*made, *holds.finish()] if each is not None], dtype=np.int64)


def drawings(source: NDArray[np.int64]) -> int:
    return 1 + int(np.count_nonzero(np.diff(source)))


def against(points: Array, source: NDArray[np.int64]) -> Against:
    """How the sheet compares with offline solvers that make as many drawings."""
    count, frames = drawings(source), len(points)
    error = float(np.square(points[source] - points).sum())
    if error < NOTHING:
        return Against(1.0, 1.0, 0.0, count / frames)
    none = np.zeros(frames, dtype=bool)
    limits = Limits(MOST, None, none, none)
    first, free = (with_least_error(points, np.arange(frames), count, limits, best).error for best in (False, True))
    starts = (np.arange(count) * frames) // count
    even = np.repeat(starts, np.diff(np.append(starts, frames)))
    plain = float(np.square(points[even] - points).sum())
    return Against(error / max(first, NOTHING), error / max(free, NOTHING), error / plain, count / frames)


def _halving(row: Row, look_ahead: int) -> NDArray[np.int64]:
    """The stream whose tolerance leaves as many drawings as plain on twos has, or as near to it as can be."""
    wanted, low, high = len(row.points) // 2, -30.0, 8.0
    best = streamed(row.points, replace(row.rules, look_ahead=look_ahead))
    for _ in range(16):
        middle = 0.5 * (low + high)
        source = streamed(row.points, replace(row.rules, look_ahead=look_ahead, worth=float(np.exp(middle))))
        if abs(drawings(source) - wanted) <= abs(drawings(best) - wanted):
            best = source
        if drawings(source) == wanted:
            break
        low, high = (middle, high) if drawings(source) > wanted else (low, middle)
    return best


COLUMNS = (
    "look-ahead", "half", "clips", "drawings, share of the frames", "times the optimum: median", "worst",
    "times optimal-free: median", "worst", "times plain on twos: median", "worst",
)  # fmt: skip
Compared = list[tuple[Row, Against]]


def _line(look_ahead: int, half: str, found: Compared) -> tuple[str, ...]:
    """Medians, and the worst with the clip's name."""
    told = []
    for name in ("optimum", "free", "twos"):
        values = [getattr(each, name) for _, each in found]
        worst = int(np.argmax(values))
        told += [f"{np.median(values):.2f}", f"{values[worst]:.2f} ({PurePosixPath(found[worst][0].name).stem})"]
    return (str(look_ahead), half, str(len(found)), f"{np.mean([each.drawn for _, each in found]):.2f}", *told)


def _halved() -> Table:
    lines, failed = [], []
    for look_ahead in range(MOST_AHEAD + 1):
        made = [(row, against(row.points, _halving(row, look_ahead))) for row in _rows()]
        for tuned, half in ((True, "chosen on"), (False, "kept aside")):
            found = [(row, each) for row, each in made if row.tuned is tuned and row.open]
            if found:
                lines.append(_line(look_ahead, half, found))
        most = ALLOWED.get(look_ahead, math.inf)
        for row, each in made:
            name = row.name if row.open else "a clip with a closed licence"
            if max(each.optimum, each.free) > most:
                failed.append(f"{name}: {max(each.optimum, each.free):.2f} times an optimum with {look_ahead} frames")
            if each.twos > 1.0 + ROUNDING:
                failed.append(f"{name}: {each.twos:.2f} times plain on twos with {look_ahead} frames")
    about = (
        "The tolerance of each clip is set so that as many drawings are made as on twos. The optimum knows the whole clip; a run shows"
        " its first frame (optimum) or its best one (optimal-free). Clips whose licence is closed are left out of the table; their limits are checked."
        f" Allowed on every clip, beside either optimum: {ALLOWED[3]:g} times with 3 frames, {ALLOWED[6]:g} times with 6, and never more than plain on twos."
    )
    return Table(
        "Against the offline optimum, as many drawings as on twos", COLUMNS, tuple(lines), about, tuple(failed)
    )


def _as_it_comes() -> Table:
    lines = []
    for name, change in (("fixed", None), ("follows half", 0.5)):
        for look_ahead in (0, 3, 6):
            found = [
                (
                    row,
                    against(row.points, streamed(row.points, replace(row.rules, look_ahead=look_ahead, share=change))),
                )
                for row in _rows()
                if row.open
            ]
            lines.append((name, *_line(look_ahead, "both", found)))
    about = (
        "The default tolerance, on every clip alike, and one that follows a share of held frames (`hold_share`): compared with as many drawings as it"
        " came to. A tolerance that follows is worse on short clips, because what it learned in their calm parts does not fit their fast ones."
    )
    return Table("Against the offline optimum, as it comes", ("tolerance", *COLUMNS), tuple(lines), about)


def _omissions() -> Table:
    lines = []
    for kind, patterns in (("throws, kicks, leaps", SUDDEN), ("walks and runs", STEADY)):
        chosen = [each for each in every_clip() if each.is_one_of(patterns)]
        offline = [komadori.limited(each.motion, peaks=False).omitted for each in chosen]
        lines.append((kind, "offline", str(len(chosen)), str(np.count_nonzero(offline)), str(sum(offline))))
        for look_ahead in (2, 3, 6):
            found = [_omitted(each, look_ahead) for each in chosen]
            lines.append(
                (kind, f"{look_ahead} frames", str(len(chosen)), str(np.count_nonzero(found)), str(sum(found)))
            )
    columns = ("clips", "look-ahead", "in all", "with omissions", "in-betweens omitted")
    return Table("Omission", columns, tuple(lines), "The default options; offline is `limited` without peaks.")


def _omitted(clip: Clip, look_ahead: int) -> int:
    motion = clip.motion
    stream = komadori.limited.stream(motion.skeleton, look_ahead=look_ahead)
    made = [stream.push(q, p) for q, p in zip(motion.rotations, motion.positions, strict=True)]
    before = {each.exposure.before for each in [*made, *stream.finish()] if each is not None}
    return len(motion) - len(before)
