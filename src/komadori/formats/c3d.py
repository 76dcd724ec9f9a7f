"""C3D marker files, read with the `ezc3d` library in a separate process: where each named marker is over time."""

from __future__ import annotations

import math
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from komadori import rates
from komadori.errors import FormatError, at_byte, one_line, quoted
from komadori.files import read_bytes
from komadori.formats import apart, rigid
from komadori.formats.format import Format, refuse
from komadori.formats.markers import METRES, MOST_MARKER_FRAMES, Markers, as_motion
from komadori.motion import Motion
from komadori.quat import Array
from komadori.words import Fact, Note

EZC3D = apart.Extra("C3D", "ezc3d", "ezc3d", "c3d")


def read(path: str | os.PathLike[str]) -> Markers:
    """The markers in the C3D file at `path`; analog channels are passed over."""
    path = Path(path)
    read_bytes(path)
    markers = apart.read(__name__, path, EZC3D)
    assert isinstance(markers, Markers)
    return markers


def read_motion(path: str | os.PathLike[str]) -> Motion:
    """The markers at `path` as joints without bones, every one a root; gaps are bridged straight, and noted."""
    path = Path(path)
    return as_motion(read(path), path)


def read_here(path: Path) -> Markers:
    """Like `read`, in this process: `ezc3d` may crash or hang on a bad file, so it should run in a disposable process."""
    import ezc3d

    if read_bytes(path)[1:2] != b"\x50":
        raise FormatError(path, at_byte(1), problem=Note("not a C3D file: the signature 0x50 is missing"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            held = ezc3d.c3d(str(path))
            points = np.asarray(held["data"]["points"], dtype=np.float64)
            residuals = np.asarray(held["data"]["meta_points"]["residuals"], dtype=np.float64)
            about = {key: value for key, value in dict(held["parameters"]["POINT"]).items() if key != "__METADATA__"}
    except (OSError, RuntimeError, ValueError, IndexError, KeyError, TypeError, OverflowError) as error:
        raise FormatError(
            path, expected=Note("a valid C3D file"), found=quoted(str(error) or type(error).__name__, 200)
        ) from None
    return _markers(points, residuals, about, path)


def _markers(points: Array, residuals: Array, about: dict[str, Any], path: Path) -> Markers:
    if points.ndim != 3 or points.shape[1] == 0 or points.shape[2] == 0:
        raise FormatError(path, problem=Note("no markers; a file with only analog data cannot be read"))
    _, count, frames = points.shape
    if count * frames > MOST_MARKER_FRAMES:
        raise FormatError(
            path,
            expected=Note("at most {most:,} markers x frames", most=MOST_MARKER_FRAMES),
            found=f"{count} x {frames}",
        )
    notes: list[Note] = []
    rate = _number(about, "RATE")
    if rate is None or not 0.0 < rate <= 1e5:
        raise FormatError(path, "POINT:RATE", expected=Note("a frame rate above 0"), found=f"{rate}")
    places = points[:3].transpose(2, 1, 0) * _metres(about, notes) @ _upright(about, notes).T
    valid = np.asarray(np.isfinite(places).all(axis=-1))
    if residuals.shape == (1, count, frames):
        valid &= residuals[0].T >= 0.0
    places = np.where(valid[..., None], places, np.nan)
    return Markers(_labels(about, count), rates.meant(1.0 / rate), places, valid, tuple(notes))


def _labels(about: dict[str, Any], count: int) -> tuple[str, ...]:
    labels: list[str] = []
    # A parameter holds 255 labels at most: the others follow in LABELS2, LABELS3 ...
    for key in ("LABELS", *(f"LABELS{number}" for number in range(2, 256))):
        if key not in about or len(labels) >= count:
            break
        labels += [one_line(str(label).strip(), 120) for label in about[key].get("value", ())]
    labels = [label or f"marker {place + 1}" for place, label in enumerate(labels[:count])]
    labels += [f"marker {place + 1}" for place in range(len(labels), count)]
    return rigid.different(labels)


def _number(about: dict[str, Any], key: str) -> float | None:
    value = np.ravel(about.get(key, {}).get("value", ()))
    return float(value[0]) if len(value) and math.isfinite(float(value[0])) else None


def _word(about: dict[str, Any], key: str) -> str:
    value = about.get(key, {}).get("value", ())
    return str(value[0]).strip() if len(value) else ""


def _metres(about: dict[str, Any], notes: list[Note]) -> float:
    unit = _word(about, "UNITS")
    if unit.casefold() not in METRES:
        notes.append(Note("Unknown unit in the file ({unit}); assumed millimetres.", unit=quoted(unit, 20)))
        return 0.001
    return METRES[unit.casefold()]


def _upright(about: dict[str, Any], notes: list[Note]) -> Array:
    """The turn (3, 3) to Y up: POINT:Y_SCREEN names the axis that points up on a screen; Z if the file does not say."""
    right, up = (_axis(_word(about, key)) for key in ("X_SCREEN", "Y_SCREEN"))
    if up is None:
        notes.append(Fact("No up axis in the file; assumed Z."))
        return rigid.Y_UP_FROM_Z_UP
    if right is None or abs(float(right @ up)) > 0.5:
        if abs(up[1]) > 0.5:
            return np.diag([1.0, float(up[1]), float(up[1])])
        right = np.array([1.0, 0.0, 0.0]) if abs(up[2]) > 0.5 else np.array([0.0, 1.0, 0.0])
    return np.stack([right, up, np.cross(right, up)])


def _axis(told: str) -> Array | None:
    """ "+Z" as a direction."""
    text = told.upper()
    if len(text) not in (1, 2) or text[-1] not in "XYZ" or text[:-1] not in ("", "+", "-"):
        return None
    axis: Array = np.zeros(3)
    axis["XYZ".index(text[-1])] = -1.0 if text[0] == "-" else 1.0
    return axis


def _read_file(path: Path, unit: str | None, clip: str | None) -> Motion:
    refuse(path, unit=unit, clip=clip)
    return read_motion(path)


FORMAT = Format("C3D", (".c3d",), read=_read_file, advice=Note("C3D is read only"))
