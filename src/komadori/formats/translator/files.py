"""Translators as files: JSON with everything that running needs, read as an untrusted file."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from typing import Any

import numpy as np

from komadori import json_text
from komadori.errors import FormatError, OptionError, quoted
from komadori.methods.translate.features import Space
from komadori.methods.translate.models import Candidate, Trial
from komadori.methods.translate.pace import Manner, Pace
from komadori.methods.translate.translator import Report, Translator
from komadori.motion import Pose
from komadori.numerics.subspace import StateSpace
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Note

VERSION = 1
MOST_JOINTS = 10_000
MOST_NUMBERS = 4_000_000


def emit(translator: Translator) -> bytes:
    """The translator as UTF-8 JSON; numbers in full, so that what is read back runs the same."""
    own, report = translator, translator.report
    value = {
        "komadori": "translator",
        "version": VERSION,
        "fps": own.fps,
        "manner": {"tempo": own.manner.tempo, "caution": own.manner.caution, "joints": list(own.manner.joints)},
        "flight": own.flight,
        "pace": [own.pace.size, own.pace.speed],
        "pace_weights": list(own.pace.weights),
        "slowest": own.pace.slowest,
        "inputs": [own.source.names[joint] for joint in own.inputs],
        "outputs": [own.target.names[joint] for joint in own.outputs],
        "source": _skeleton(own.source),
        "target": _skeleton(own.target),
        "base": {"rotations": own.base.rotations.tolist(), "positions": own.base.positions.tolist()},
        "space_in": _space(own.space_in),
        "space_out": _space(own.space_out),
        "system": _system(own.system),
        "report": {
            "clips": report.clips,
            "frames": report.frames,
            "chosen": _candidate(report.chosen),
            "trials": [
                {
                    "candidate": _candidate(t.candidate),
                    "folds_deg": [_finite(f) for f in t.folds_deg],
                    "slowed_deg": _finite(t.slowed_deg),
                    "swing": _finite(t.swing),
                    "correlation": _finite(t.correlation),
                }
                for t in report.trials
            ],
        },
    }
    return (json.dumps(value, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def parse(data: bytes, name: str) -> Translator:
    """The translator that `data` holds; every fault is a FormatError that names its place."""
    read = _Reader(json_text.loaded(json_text.decoded(data, name), name), name)
    if read.value.get("komadori") != "translator":
        raise FormatError(
            name, expected=Note("a komadori translator"), found=json_text.kind(read.value.get("komadori"))
        )
    json_text.whole(read.value.get("version"), name, "version", VERSION, VERSION)
    try:
        return _built(read)
    except OptionError as error:
        raise error.in_file(name) from None


def _built(read: _Reader) -> Translator:
    source, target = read.skeleton("source"), read.skeleton("target")
    inputs, outputs = read.joints("inputs", source), read.joints("outputs", target)
    space_in, space_out = read.space("space_in", len(inputs)), read.space("space_out", len(outputs))
    system = read.system("system", space_in.dims, space_out.dims)
    if system.radius >= 1.0:
        raise FormatError(read.name, "system", expected=Note("a spectral radius under 1"), found=f"{system.radius:.4g}")
    base = read.within("base")
    pose = Pose(base.array("rotations", (len(target), 4)), base.array("positions", (len(target), 3)))
    size, speed = read.array("pace", (2,)).tolist()
    pace = Pace(
        abs(size), abs(speed), read.weights("pace_weights", space_in.dims), max(read.optional("slowest") or 1.0, 1e-3)
    )
    told = read.within("report")
    trials = []
    for place, item in enumerate(json_text.sequence(told.value.get("trials"), read.name, Note("report trials"))):
        trial = _Reader(item, read.name, f"report trial {place}")
        folds = json_text.sequence(
            trial.value.get("folds_deg"), read.name, Note("report trial {place} folds_deg", place=place)
        )
        errors = tuple(math.inf if fold is None else trial.number("folds_deg", fold) for fold in folds)
        rest = (trial.optional(key) for key in ("slowed_deg", "swing", "correlation"))
        trials.append(
            Trial(trial.candidate("candidate"), float(np.mean(errors)) if errors else math.inf, errors, *rest)
        )
    chosen = told.candidate("chosen")
    if trials and chosen not in (trial.candidate for trial in trials):
        raise FormatError(
            read.name, Note("report chosen"), expected=Note("one of the models tried"), found=quoted(chosen.told)
        )
    report = Report(
        tuple(trials), chosen, system.radius, system.order, space_in.low, space_in.high,
        json_text.whole(told.value.get("clips"), read.name, Note("report clips"), 1, 10**9),
        json_text.whole(told.value.get("frames"), read.name, Note("report frames"), 1, 10**12),
    )  # fmt: skip
    fps = json_text.frame_rate(read.value.get("fps"), read.name, "fps")
    return Translator(
        source, target, inputs, outputs, fps, space_in, space_out, system, pace, _manner(read, len(outputs)),
        read.number("flight"), pose, report, report.notes if trials else (),
    )  # fmt: skip


def _manner(read: _Reader, outputs: int) -> Manner:
    """How the answer follows the pace. Files from before 1.x held the caution alone, which drew slow answers to the mean pose."""
    if "manner" not in read.value:
        return Manner(0.0, min(max(read.number("caution"), 0.0), 1.0))
    told = read.within("manner")
    tempo, caution = (max(told.number(key), 0.0) for key in ("tempo", "caution"))
    return Manner(min(tempo, 10.0), min(caution, 1.0), told.weights("joints", outputs))


class _Reader:
    """An object of the file, asked for its parts by kind."""

    def __init__(self, value: Any, name: str, place: str = "") -> None:
        self.name, self.place = name, place
        self.value = json_text.mapping(value, name, place or "the file")

    def _at(self, key: str) -> str:
        return f"{self.place} {key}".strip()

    def within(self, key: str) -> _Reader:
        return _Reader(self.value.get(key), self.name, self._at(key))

    def number(self, key: str, value: Any = None) -> float:
        found = self.value.get(key) if value is None else value
        if isinstance(found, bool) or not isinstance(found, int | float) or not -1e300 < found < 1e300:
            raise FormatError(self.name, self._at(key), expected=Note("a number"), found=json_text.kind(found))
        return float(found)

    def optional(self, key: str) -> float | None:
        return None if self.value.get(key) is None else self.number(key)

    def weights(self, key: str, count: int) -> tuple[float, ...]:
        """`count` numbers of 0 or more, or none."""
        if not self.value.get(key):
            return ()
        return tuple(np.abs(self.array(key, (count,))).tolist())

    def array(self, key: str, shape: tuple[int, ...]) -> Array:
        """Finite numbers of that shape; -1 fits any length."""
        given = json_text.sequence(self.value.get(key), self.name, self._at(key))
        wanted = " x ".join("any" if n < 0 else str(n) for n in shape)
        try:
            found = np.array(given, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise FormatError(
                self.name, self._at(key), expected=Note("{wanted} numbers", wanted=wanted), found=Note("other values")
            ) from None
        if found.size == 0 and -1 in shape:
            found = found.reshape([max(n, 0) for n in shape])
        if found.size == 0 and 0 in shape:
            found = found.reshape(shape)
        fits = found.ndim == len(shape) and all(n in (-1, have) for n, have in zip(shape, found.shape, strict=True))
        if not fits or found.size > MOST_NUMBERS or not np.isfinite(found).all():
            had = " x ".join(map(str, found.shape)) + ("" if np.isfinite(found).all() else ", not all finite")
            raise FormatError(self.name, self._at(key), expected=Note("{wanted} numbers", wanted=wanted), found=had)
        return found

    def skeleton(self, key: str) -> Skeleton:
        inner = self.within(key)
        listed = json_text.sequence(inner.value.get("names"), self.name, Note("{key} names", key=key))
        if not 0 < len(listed) <= MOST_JOINTS:
            raise FormatError(
                self.name,
                Note("{key} names", key=key),
                expected=Note("1 to {most} joints", most=MOST_JOINTS),
                found=str(len(listed)),
            )
        names = tuple(json_text.text(item, self.name, Note("{key} names", key=key)) for item in listed)
        parents = inner.array("parents", (len(names),))
        if (np.abs(parents) > MOST_JOINTS).any():
            raise FormatError(
                self.name, Note("{key} parents", key=key), problem=Note("a number is not that of a joint")
            )
        roles = {
            role: json_text.whole(joint, self.name, Note("{key} roles", key=key), 0, len(names) - 1)
            for role, joint in json_text.mapping(
                inner.value.get("roles"), self.name, Note("{key} roles", key=key)
            ).items()
        }
        offsets, rest = inner.array("offsets", (len(names), 3)), inner.array("rest", (len(names), 4))
        return Skeleton(names, parents.astype(np.intp), offsets, rest, roles)

    def joints(self, key: str, skeleton: Skeleton) -> tuple[int, ...]:
        names = json_text.sequence(self.value.get(key), self.name, key)
        found = []
        for item in names:
            name = json_text.text(item, self.name, key)
            if name not in skeleton.names:
                raise FormatError(self.name, key, expected=Note("joints of its skeleton"), found=json_text.kind(name))
            found.append(skeleton.names.index(name))
        if not found or len(set(found)) < len(found):
            raise FormatError(self.name, key, problem=Note("a joint is named twice, or none is named"))
        return tuple(found)

    def space(self, key: str, joints: int) -> Space:
        inner = self.within(key)
        axes = inner.array("axes", (-1, 3 * joints))
        count = len(axes)
        return Space(
            inner.array("mean", (joints, 4)), inner.array("centre", (3 * joints,)), axes,
            inner.array("low", (count,)), inner.array("high", (count,)),
        )  # fmt: skip

    def system(self, key: str, inputs: int, outputs: int) -> StateSpace:
        inner = self.within(key)
        n = json_text.whole(inner.value.get("order"), self.name, Note("{key} order", key=key), 0, 2000)
        shapes = {"A": (n, n), "B": (n, inputs), "C": (outputs, n), "D": (outputs, inputs)}
        return StateSpace(*(inner.array(name, shape) for name, shape in shapes.items()))

    def candidate(self, key: str) -> Candidate:
        inner = self.within(key)
        kind = json_text.text(inner.value.get("kind"), self.name, Note("{key} kind", key=key))
        order = inner.value.get("order")
        if order is not None:
            order = json_text.whole(order, self.name, Note("{key} order", key=key), 0, 2000)
        lags = json_text.whole(inner.value.get("lags"), self.name, key, 0, 10**6)
        return Candidate(kind, inner.number("ridge"), order, lags, inner.optional("second") or 0.0)


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None


def _skeleton(skeleton: Skeleton) -> dict[str, Any]:
    return {
        "names": list(skeleton.names),
        "parents": skeleton.parents.tolist(),
        "offsets": skeleton.offsets.tolist(),
        "rest": skeleton.rest.tolist(),
        "roles": dict(skeleton.roles),
    }


def _space(space: Space) -> dict[str, Any]:
    return {name: getattr(space, name).tolist() for name in ("mean", "centre", "axes", "low", "high")}


def _system(system: StateSpace) -> dict[str, Any]:
    # A matrix without rows or columns keeps no shape in JSON: the order says it.
    return {"order": system.order, **{name: getattr(system, name).tolist() for name in "ABCD"}}


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return asdict(candidate)
