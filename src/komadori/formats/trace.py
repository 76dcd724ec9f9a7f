"""Traces (.csv, .json): a strand as somebody drew it, joint by joint and frame by frame.

A trace is a small file, made by clicking along a lock of hair in a few drawings. CSV: a header `x0,y0,x1,y1,...` (root to
tip) and one row per drawing; lines that begin with `#` may say `fps: 24`, `chain: NAME`, `up: down` (y counts downwards, as in
pictures) and `at: 0 4 9` (the frame of each drawing, if they do not follow one another). JSON: {"fps": 24, "chain": NAME,
"up": "up", "at": [0, 4, 9], "frames": [[[x, y], ...], ...]}. Any unit of length will do.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from komadori import json_text
from komadori.errors import FormatError, OptionError, at_line, quoted
from komadori.formats.cells import FORMULA
from komadori.formats.format import Format
from komadori.quat import Array
from komadori.words import Note

if TYPE_CHECKING:
    from komadori.methods.hair.traces import Trace

MOST_NUMBERS = 2_000_000
MOST_FRAMES = 1_000_000_000


def parse_csv(data: bytes, name: str) -> Trace:
    """A trace of one row per drawing."""
    settings: dict[str, str] = {}
    rows: list[list[float]] = []
    columns = 0
    for number, line in enumerate(json_text.decoded(data, name).splitlines(), 1):
        bare, place = line.strip(), at_line(number)
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
                    name, place, expected=Note("a header x0,y0,x1,y1,... of two joints or more"), found=quoted(bare)
                )
            continue
        if len(cells) != columns:
            raise FormatError(name, place, expected=Note("{columns} numbers", columns=columns), found=f"{len(cells)}")
        rows.append([_number(cell, name, place) for cell in cells])
        if len(rows) * columns > MOST_NUMBERS:
            raise FormatError(
                name,
                place,
                problem=Note("more than {most:,} numbers", most=MOST_NUMBERS),
            )
    if not rows:
        raise FormatError(name, problem=Note("the file has no rows of joints"))
    fps = _number(settings["fps"], name, "fps") if "fps" in settings else 24.0
    at = [_number(cell, name, "at") for cell in settings.get("at", "").split()]
    places = np.array(rows).reshape(len(rows), -1, 2)
    return _made(places, fps, settings.get("chain", ""), settings.get("up", "up"), at, name)


def parse_json(data: bytes, name: str) -> Trace:
    """A trace as an object."""
    given = json_text.mapping(json_text.loaded(json_text.decoded(data, name), name), name, Note("the file"))
    frames = json_text.sequence(given.get("frames"), name, "frames")
    rows: list[list[Any]] = []
    for number, frame in enumerate(frames):
        place = f"frames[{number}]"
        joints = json_text.sequence(frame, name, place)
        if number and len(joints) != len(rows[0]):
            raise FormatError(
                name, place, expected=Note("{count} joints, as before", count=len(rows[0])), found=f"{len(joints)}"
            )
        for joint in joints:
            pair = json_text.sequence(joint, name, place)
            if len(pair) != 2 or not all(isinstance(v, int | float) and not isinstance(v, bool) for v in pair):
                raise FormatError(
                    name, place, expected=Note("joints of two numbers, [x, y]"), found=quoted(json.dumps(joint))
                )
        rows.append(joints)
    if not rows or len(rows[0]) < 2:
        raise FormatError(
            name,
            "frames",
            expected=Note("frames of two joints or more"),
            found=Note("none") if not rows else Note("fewer"),
        )
    fps = json_text.frame_rate(given.get("fps", 24.0), name, "fps")
    chain = json_text.text(given.get("chain", ""), name, "chain")
    up = json_text.text(given.get("up", "up"), name, "up")
    try:
        places = np.array(rows, dtype=np.float64)
    except OverflowError:
        raise FormatError(
            name, "frames", expected=Note("finite numbers"), found=Note("a number that is too large")
        ) from None
    at = json_text.sequence(given.get("at", []), name, "at")
    return _made(places, fps, chain, up, at, name)


def emit_csv(trace: Trace) -> bytes:
    """The trace as CSV."""
    computed = any(part.strip().startswith(FORMULA) for part in re.split("[,;]", trace.chain))
    if trace.chain != trace.chain.strip() or not trace.chain.isprintable() or computed:
        raise OptionError(
            Note("chain: a table cannot hold the name {chain}; use plain text, or a .json", chain=quoted(trace.chain))
        )
    head = ",".join(f"{axis}{n}" for n in range(trace.joints.shape[1]) for axis in "xy")
    told = [f"# fps: {trace.fps:g}", *([f"# chain: {trace.chain}"] if trace.chain else [])]
    told += [f"# at: {' '.join(map(str, trace.at))}"] if trace.at else []
    rows = [",".join(f"{value:.6g}" for value in frame.ravel()) for frame in trace.joints]
    return ("\n".join([*told, head, *rows]) + "\n").encode()


def emit_json(trace: Trace) -> bytes:
    """The trace as JSON, one line per drawing."""
    told = {
        "fps": trace.fps,
        **({"chain": trace.chain} if trace.chain else {}),
        **({"at": trace.at} if trace.at else {}),
    }
    lines = [f" {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}," for key, value in told.items()]
    rows = ",\n".join(f"  {json.dumps(frame)}" for frame in trace.joints.tolist())
    return "\n".join(["{", *lines, ' "frames": [', rows, " ]", "}", ""]).encode()


def _number(cell: str, name: str, place: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FormatError(name, place, expected=Note("a finite number"), found=quoted(cell))
    return value


def _made(joints: Array, fps: float, chain: str, up: str, at: Sequence[Any], name: str) -> Trace:
    from komadori.methods.hair.traces import Trace

    if up not in ("up", "down"):
        raise FormatError(name, "up", expected=Note('"up" or "down", the direction of y'), found=quoted(up))
    numbers = []
    for frame in at:
        known = isinstance(frame, int | float) and not isinstance(frame, bool) and 0 <= frame < MOST_FRAMES
        if not known or frame != int(frame):
            raise FormatError(
                name,
                "at",
                expected=Note("frame numbers below {most:,}", most=MOST_FRAMES),
                found=quoted(str(frame)),
            )
        numbers.append(int(frame))
    try:
        return Trace(joints * [1.0, 1.0 if up == "up" else -1.0], fps, chain, tuple(numbers))
    except OptionError as error:
        raise error.in_file(name) from None


def _is_csv(text: str) -> bool:
    lines = (line.strip() for line in text.splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return [cell.strip().lower() for cell in first.split(",")[:2]] == ["x0", "y0"]


def _is_json(value: Any) -> bool:
    return isinstance(value, dict) and "frames" in value and "komadori" not in value


CSV = Format("trace", (".csv",), kind="trace", holds="Trace", parse=parse_csv, emit=emit_csv, fits=_is_csv)
JSON = Format("trace", (".json",), kind="trace", holds="Trace", parse=parse_json, emit=emit_json, fits=_is_json)
