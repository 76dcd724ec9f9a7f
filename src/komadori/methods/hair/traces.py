"""Traces: a strand as somebody drew it, joint by joint and frame by frame, and how near a computed strand comes to it.

A trace is a small file, made by clicking along a lock of hair in a few drawings. CSV: a header `x0,y0,x1,y1,...` (root to
tip) and a row a drawing; lines that begin with `#` may say `fps: 24`, `chain: NAME`, `up: down` (y counts downwards, as in
pictures) and `at: 0 4 9` (the frame of each drawing, where they do not follow one another). JSON: {"fps": 24, "chain": NAME,
"up": "up", "at": [0, 4, 9], "frames": [[[x, y], ...], ...]}. Any unit of length will do.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from komadori import files, json_text
from komadori.errors import FormatError, OptionError, quoted
from komadori.quat import Array
from komadori.skeleton import frozen

MOST_NUMBERS = 2_000_000
MOST_FRAMES = 1_000_000_000


@dataclass(frozen=True, eq=False)
class Trace:
    """`joints` (F, n + 1, 2), root to tip, x along the way that the hair streams, y up; `fps` frames a second.

    `at` is the frame of each drawing; without it each stands for the frame after the one before, from 0 on.
    """

    joints: Array
    fps: float = 24.0
    chain: str = ""
    at: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "joints", frozen(self.joints, np.float64, (-1, -1, 2), "trace"))
        frames, count = self.joints.shape[:2]
        if frames < 1 or count < 2:
            raise OptionError(f"a trace needs a frame and two joints, found {frames} frame(s) of {count}")
        if not np.isfinite(self.joints).all():
            frame, joint = np.argwhere(~np.isfinite(self.joints))[0, :2]
            raise OptionError(f"a trace must be finite numbers: joint {joint} of frame {frame} is not")
        if not (math.isfinite(self.fps) and 0.0 < self.fps <= 1e6):
            raise OptionError(f"a trace's fps must lie above 0, not {self.fps!r}")
        if (self.bones.min(axis=1) <= 0.0).any():
            frame = int(np.argmin(self.bones.min(axis=1)))
            raise OptionError(f"a trace's bones must be longer than 0: two joints of frame {frame} lie on one another")

        if self.at and (len(self.at) != frames or self.at[0] < 0 or (np.diff(self.at) <= 0).any()):
            raise OptionError(f"a trace's `at` must be a rising frame number for each of its {frames} drawings")

    def __len__(self) -> int:
        return len(self.joints)

    @property
    def bones(self) -> Array:
        """(F, n) lengths in every drawing."""
        return np.asarray(np.linalg.norm(np.diff(self.joints, axis=1), axis=-1))

    @property
    def lengths(self) -> Array:
        """(n,) the middle length of every bone over the drawings."""
        return np.asarray(np.median(self.bones, axis=0))

    @property
    def tilts(self) -> Array:
        """(F, n) the tilt of every bone, radians."""
        steps = np.diff(self.joints, axis=1)
        return np.asarray(np.arctan2(steps[..., 1], steps[..., 0]))

    @property
    def seconds(self) -> Array:
        """(F,) when each drawing is shown."""
        return np.array(self.at or range(len(self))) / self.fps

    def with_bones(self, fractions: Array) -> Trace:
        """The same line with joints at `fractions` (m,) of its length, 0 to 1."""
        result = np.empty((len(self), len(fractions), 2))
        for frame, points in enumerate(self.joints):
            along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
            for axis in range(2):
                result[frame, :, axis] = np.interp(np.asarray(fractions) * along[-1], along, points[:, axis])
        return replace(self, joints=result)


@dataclass(frozen=True)
class Comparison:
    """How near a strand comes to a trace (paper 002, section 4)."""

    angle_deg: float
    """Mean absolute difference of the bones' angles."""
    distance_percent: float
    """Mean distance of the joints (the root is on the root), in percent of the strand's length."""
    frames: int
    bones: int
    shift_s: float = 0.0
    """The moment of the cycle that the trace was found to begin at."""


def compared(joints: Array, trace: Trace) -> Comparison:
    """`joints` (F, n + 1, 2) at the trace's frames, against the trace."""
    ours = np.asarray(joints, dtype=np.float64)
    steps = np.diff(ours, axis=1)
    lengths = np.linalg.norm(steps, axis=-1).mean(axis=0)
    if trace.joints.shape[1] != ours.shape[1]:
        trace = trace.with_bones(np.concatenate([[0.0], np.cumsum(lengths) / lengths.sum()]))
    off = np.arctan2(steps[..., 1], steps[..., 0]) - trace.tilts
    off = np.abs((off + np.pi) % (2.0 * np.pi) - np.pi)
    theirs = (trace.joints - trace.joints[:, :1]) / trace.lengths.sum()
    mine = (ours - ours[:, :1]) / lengths.sum()
    away = np.linalg.norm(mine - theirs, axis=-1)[:, 1:]
    return Comparison(float(np.degrees(off.mean())), float(100.0 * away.mean()), len(trace), ours.shape[1] - 1)


def load_trace(path: str | PathLike[str]) -> Trace:
    """The trace in a .csv or .json file."""
    name, data = str(path), files.read_bytes(path)
    if Path(name).suffix.lower() not in (".csv", ".json"):
        raise FormatError(
            name, expected="a trace, with a name that ends in .csv or .json", found=quoted(Path(name).suffix)
        )
    text = json_text.decoded(data, name)
    return from_json(text, name) if Path(name).suffix.lower() == ".json" else from_csv(text, name)


def from_csv(text: str, name: str) -> Trace:
    """A trace of one row a frame."""
    settings: dict[str, str] = {}
    rows: list[list[float]] = []
    columns = 0
    for number, line in enumerate(text.splitlines(), 1):
        bare, place = line.strip(), f"line {number}"
        if bare.startswith("#"):
            key, found, value = bare.lstrip("# ").partition(":")
            if found:
                settings[key.strip().lower()] = value.strip()
            continue
        if not bare:
            continue
        cells = [cell.strip() for cell in bare.split(",")]
        if not columns:
            columns = len(cells)
            wanted = [f"{axis}{n}" for n in range(columns // 2) for axis in "xy"]
            if [cell.lower() for cell in cells] != wanted or columns < 4:
                raise FormatError(
                    name, place, expected="a header x0,y0,x1,y1,... of two joints or more", found=quoted(bare)
                )
            continue
        if len(cells) != columns:
            raise FormatError(name, place, expected=f"{columns} numbers", found=f"{len(cells)}")
        rows.append([_number(cell, name, place) for cell in cells])
        if len(rows) * columns > MOST_NUMBERS:
            raise FormatError(name, place, expected=f"at most {MOST_NUMBERS:,} numbers", found="more")
    if not rows:
        raise FormatError(name, expected="a row of joints for every frame", found="none")
    fps = _number(settings["fps"], name, "fps") if "fps" in settings else 24.0
    at = [_number(cell, name, "at") for cell in settings.get("at", "").split()]
    places = np.array(rows).reshape(len(rows), -1, 2)
    return _made(places, fps, settings.get("chain", ""), settings.get("up", "up"), at, name)


def from_json(text: str, name: str) -> Trace:
    """A trace as an object."""
    given = json_text.mapping(json_text.loaded(text, name), name, "the file")
    frames = json_text.sequence(given.get("frames"), name, "frames")
    rows: list[list[Any]] = []
    for number, frame in enumerate(frames):
        place = f"frames[{number}]"
        joints = json_text.sequence(frame, name, place)
        if number and len(joints) != len(rows[0]):
            raise FormatError(name, place, expected=f"{len(rows[0])} joints, as before", found=f"{len(joints)}")
        for joint in joints:
            pair = json_text.sequence(joint, name, place)
            if len(pair) != 2 or not all(isinstance(v, int | float) and not isinstance(v, bool) for v in pair):
                raise FormatError(
                    name, place, expected="joints of two numbers, [x, y]", found=quoted(json.dumps(joint))
                )
        rows.append(joints)
    if not rows or len(rows[0]) < 2:
        raise FormatError(
            name, "frames", expected="frames of two joints or more", found="none" if not rows else "fewer"
        )
    fps = json_text.frame_rate(given.get("fps", 24.0), name, "fps")
    chain = json_text.text(given.get("chain", ""), name, "chain")
    up = json_text.text(given.get("up", "up"), name, "up")
    try:
        places = np.array(rows, dtype=np.float64)
    except OverflowError:
        raise FormatError(name, "frames", expected="finite numbers", found="one that is too large") from None
    at = json_text.sequence(given.get("at", []), name, "at")
    return _made(places, fps, chain, up, at, name)


def to_csv(trace: Trace) -> str:
    """The trace as CSV."""
    head = ",".join(f"{axis}{n}" for n in range(trace.joints.shape[1]) for axis in "xy")
    told = [f"# fps: {trace.fps:g}", *([f"# chain: {trace.chain}"] if trace.chain else [])]
    told += [f"# at: {' '.join(map(str, trace.at))}"] if trace.at else []
    rows = [",".join(f"{value:.6g}" for value in frame.ravel()) for frame in trace.joints]
    return "\n".join([*told, head, *rows]) + "\n"


def _number(cell: str, name: str, place: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FormatError(name, place, expected="a finite number", found=quoted(cell))
    return value


def _made(joints: Array, fps: float, chain: str, up: str, at: Sequence[Any], name: str) -> Trace:
    if up not in ("up", "down"):
        raise FormatError(name, "up", expected='"up" or "down", the way that y counts', found=quoted(up))
    numbers = []
    for frame in at:
        known = isinstance(frame, int | float) and not isinstance(frame, bool) and 0 <= frame < MOST_FRAMES
        if not known or frame != int(frame):
            raise FormatError(name, "at", expected=f"frame numbers below {MOST_FRAMES:,}", found=quoted(str(frame)))
        numbers.append(int(frame))
    try:
        return Trace(joints * [1.0, 1.0 if up == "up" else -1.0], fps, chain, tuple(numbers))
    except OptionError as error:
        raise FormatError(name, expected="a strand that can be measured", found=str(error)) from None
