"""Scenes with untrusted values: invalid parts are set aside one by one and reported; everything else is kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from msgspec import structs

from komadori.errors import OptionError
from komadori.methods.hair import HairOptions
from komadori.methods.hair.options import checked_wind
from komadori.methods.puppet.keys import place as checked_place
from komadori.studio.locks import are_sound
from komadori.studio.panels import panel
from komadori.studio.parts.puppet import PuppetOptions, take_of
from komadori.studio.parts.sheet import plain
from komadori.studio.parts.strands import MOST_POINTS, MOST_STRANDS
from komadori.studio.parts.translate_options import DriveOptions
from komadori.studio.scene import (
    HairPart,
    KeySet,
    MethodPart,
    PosedBody,
    PuppetKey,
    PuppetPart,
    PuppetTake,
    Recording,
    Scene,
    StrandDrawn,
    TranslatePart,
)
from komadori.words import Note

T = TypeVar("T")


def sound(scene: Scene) -> tuple[Scene, list[str]]:
    """The scene without its invalid parts, and the names of those."""
    lost: list[str] = []
    parts = {name: _method(name, part, lost) for name, part in scene.parts.items()}
    kept = structs.replace(
        scene,
        parts={name: part for name, part in parts.items() if part != MethodPart()},
        hair=_hair(scene.hair, lost),
        puppet=_puppet(scene.puppet, lost),
        translate=_translate(scene.translate, lost),
    )
    return kept, lost


def told(lost: list[str], name: str) -> Note:
    """The notes on a scene that lost something; `name` is the file that still has it."""
    return Note(
        "parts of the saved scene are damaged and were not loaded: {parts}; the original is kept as {name}",
        parts=", ".join(dict.fromkeys(lost)),
        name=name,
    )


def _holds(test: Callable[[], object]) -> bool:
    try:
        test()
    except OptionError:
        return False
    return True


def _kept(items: list[T], is_sound: Callable[[T], bool], name: str, lost: list[str]) -> list[T]:
    good = [item for item in items if is_sound(item)]
    if len(good) < len(items):
        lost.append(name)
    return good


def _options(given: Mapping[str, Any], kind: type, name: str, lost: list[str]) -> dict[str, Any]:
    """The options that can be, each for itself; none if they cannot be together."""
    good = {key: value for key, value in given.items() if _holds(lambda: kind(**plain({key: value}, kind)))}  # noqa: B023
    if not _holds(lambda: kind(**plain(good, kind))):
        good = {}
    if len(good) < len(given):
        lost.append(f"{name}.options")
    return good


def _method(name: str, part: MethodPart, lost: list[str]) -> MethodPart:
    if not _holds(lambda: panel(name)):
        lost.append(name)
        return MethodPart()
    locks = part.locks
    if not are_sound(locks):
        lost.append(f"{name}.locks")
        locks = []
    poses = _kept(part.poses, lambda one: _is_pose(one.pose), f"{name}.poses", lost)
    return MethodPart(_options(part.options, panel(name).options, name, lost), locks, poses)


def _hair(part: HairPart, lost: list[str]) -> HairPart:
    wind, fit = part.wind, part.fit
    if wind is not None and not _holds(lambda: checked_wind(wind)):
        lost.append("hair.wind")
        wind = None
    if fit is not None and not all(_finite(value) for key, value in structs.asdict(fit).items() if key != "chain"):
        lost.append("hair.fit")
        fit = None
    strands = _kept(part.strands, _is_strand, "hair.strands", lost)
    if len(strands) > MOST_STRANDS:
        lost.append("hair.strands")
    return structs.replace(
        part,
        options=_options(part.options, HairOptions, "hair", lost),
        wind=wind,
        fit=fit,
        strands=strands[:MOST_STRANDS],
    )


def _is_strand(strand: StrandDrawn) -> bool:
    sized = 2 <= len(strand.points) <= MOST_POINTS and 0 <= strand.frame < 2**31
    return sized and all(len(point) == 3 and all(map(_finite, point)) for point in strand.points)


def _puppet(part: PuppetPart, lost: list[str]) -> PuppetPart:
    keys = _kept(part.keys, _is_key, "puppet.keys", lost)
    sets = [
        KeySet(
            one.name,
            _kept(one.keys, _is_key, "puppet.keys", lost),
            _options(one.options, PuppetOptions, "puppet", lost),
        )
        for one in part.sets
    ]
    if len({part.set, *(one.name for one in sets)}) <= len(sets):
        lost.append("puppet.sets")
        sets = list({one.name: one for one in sets if one.name != part.set}.values())
    takes = _kept(part.takes, _is_take, "puppet.takes", lost)
    names = {take.name for take in takes}
    posed, recording = part.posed, part.recording
    if posed is not None and not _is_pose(posed):
        lost.append("puppet.posed")
        posed = None
    if recording is not None and not _is_recording(recording):
        lost.append("puppet.recording")
        recording = None
    sequence = _kept(part.sequence, lambda entry: entry.take in names, "puppet.sequence", lost)
    shown = "" if part.shown.startswith("take:") and part.shown[5:] not in names else part.shown
    return structs.replace(
        part,
        options=_options(part.options, PuppetOptions, "puppet", lost),
        keys=keys,
        sets=sets,
        takes=takes,
        posed=posed,
        recording=recording,
        sequence=sequence,
        shown="" if shown == "sequence" and not sequence else shown,
    )


def _is_pose(pose: PosedBody) -> bool:
    joints = len(pose.positions) // 3
    sized = joints > 0 and len(pose.positions) == 3 * joints and len(pose.rotations) == 4 * joints
    if not sized or not all(map(_finite, (*pose.rotations, *pose.positions))):
        return False
    turns = pose.rotations
    return all(sum(number * number for number in turns[at : at + 4]) > 1e-12 for at in range(0, len(turns), 4))


def _is_key(key: PuppetKey) -> bool:
    return _is_pose(key.pose) and _holds(lambda: checked_place(key.place, "place"))


def _is_take(take: PuppetTake) -> bool:
    return len(take.path) == 3 * len(take.times) and len(take.times) >= 2 and _holds(lambda: take_of(take))


def _is_recording(recording: Recording) -> bool:
    if len(recording.path) != 3 * len(recording.times):
        return False
    return not recording.times or _holds(lambda: take_of(PuppetTake("recording", recording.path, recording.times)))


def _translate(part: TranslatePart, lost: list[str]) -> TranslatePart:
    return structs.replace(part, options=_options(part.options, DriveOptions, "translate", lost))


def _finite(number: float) -> bool:
    return math.isfinite(number) and abs(number) <= 1e6
