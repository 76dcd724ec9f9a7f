# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing results: a new action with real keys, markers at drawings, and the source action kept on a muted NLA track."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from komadori.numerics import bezier
from komadori.timesheet import Timesheet

from . import actions
from .actions import BEZIER, CONSTANT, LINEAR, Channel, Keys
from .reading import Reading

KEPT = "komadori: "
"""The names of NLA tracks that keep a source begin so."""
MADE = "komadori"
"""The property of an action that says how it was made."""
SOURCE = "komadori_source"
"""The property of an action that points at the one it was made from."""
_INFLUENCES = "komadori_influences"
"""The property of a bone that remembers what its constraints did before a result let them go."""
_DRIVERS = "komadori_drivers"
"""The property of an object that names the drivers which a result muted: a key has no say if a driver has one."""
_VALUES = "komadori_values"
"""The property of an object that remembers what bones had if the source has no curve: a curve that is gone leaves its last value behind."""
_BETWEEN = {"stepped": CONSTANT, "linear": LINEAR, "bezier": BEZIER}


@dataclass(frozen=True, eq=False)
class Plan:
    """What is to be written onto one armature; nothing is changed before every plan is made."""

    reading: Reading
    keys: Mapping[Channel, Keys]
    name: str
    method: str
    first: int
    last: int
    fresh: bool = False
    """Whether the new action begins empty; else it begins as a copy of the source."""
    sheet: Timesheet | None = None
    marks: tuple[int, ...] = ()
    """Frames of drawings, in the scene's numbers."""
    let_go: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


def retimed(channels: Mapping[Channel, np.ndarray], sheet: Timesheet, first: int) -> dict[Channel, Keys]:
    """Keys at each drawing of `sheet`, with the values that every channel has in the frame it shows."""
    starts = sheet.starts
    frames, shown = first + starts, sheet.source[starts]
    between = np.full(len(starts), CONSTANT)
    return {channel: Keys(frames, values[shown], between) for channel, values in channels.items()}


def keyed(
    channels: Mapping[Channel, np.ndarray], at: np.ndarray, interpolation: str, first: int
) -> dict[Channel, Keys]:
    """Keys at frames `at`, with what lies between them; Bezier curves are fitted to what the channels did."""
    between = np.full(len(at), _BETWEEN[interpolation])
    if interpolation != "bezier" or not channels:
        return {channel: Keys(first + at, values[at], between) for channel, values in channels.items()}
    arriving, leaving = bezier.fitted_tangents(np.stack(list(channels.values()), axis=1), at)
    return {
        channel: Keys(first + at, values[at], between, arriving[:, n], leaving[:, n])
        for n, (channel, values) in enumerate(channels.items())
    }


def dense(channels: Mapping[Channel, np.ndarray], first: int, *, held: bool) -> dict[Channel, Keys]:
    """A key wherever a property changes: constant where it then stays, linear where it continues."""
    by_path: dict[str, list[int]] = {}
    for path, index in channels:
        by_path.setdefault(path, []).append(index)
    found = {}
    for path, indices in by_path.items():
        values = np.stack([channels[path, n] for n in indices], axis=1).astype(np.float32)
        at = np.flatnonzero(np.concatenate([[True], (np.diff(values, axis=0) != 0.0).any(axis=1)]))
        stays = np.diff(at, append=at[-1]) > 1
        between = np.where(stays | held, CONSTANT, LINEAR)
        for column, index in enumerate(indices):
            found[path, index] = Keys(first + at, values[at, column], between)
    return found


def write(plan: Plan, markers: str, scene: Any) -> Any:
    """The new action, which now plays on the armature."""
    ob = plan.reading.rig.object
    data = ob.animation_data or ob.animation_data_create()
    source, slot = data.action, getattr(data, "action_slot", None)
    over_nla = data.use_nla and any(not track.mute and len(track.strips) for track in data.nla_tracks)
    keys = {**plan.keys, **_letting_go(plan)}
    for name in plan.let_go:
        bone = ob.pose.bones[name]
        bone[_INFLUENCES] = {constraint.name: constraint.influence for constraint in bone.constraints}
    _mute(ob, keys)
    _remember(ob, keys.keys() - {_channel(curve) for curve in actions.curves_of(ob)})
    if source is not None and not plan.fresh and (slot is not None or not actions.slotted(source)):
        action, own = actions.copied(source, slot, plan.name)
    else:
        action, own = actions.made_for(ob, plan.name)
    have = {(curve.data_path, curve.array_index): curve for curve in actions.curves_in(action, own)}
    home = actions.home(action, own)
    for channel, made in keys.items():
        curve = have.get(channel)
        if curve is None:
            curve = home.new(channel[0], index=channel[1])
            actions.write(curve, made)
        elif len(curve.modifiers) or not len(curve.keyframe_points):
            _baked(curve, home, channel, made, plan, scene)
        else:
            actions.kept_outside(curve, plan.first, plan.last)
            kept = actions.outside(curve, plan.first, plan.last)
            actions.write(curve, made)
            actions.put_back(curve, kept)
    _grouped(action, own)
    if source is not None:
        _keep(data, source, slot)
        action[SOURCE] = source
    action[MADE] = {"method": plan.method, "first": plan.first, "fps": float(plan.reading.motion.fps), **plan.facts}
    if plan.sheet is not None:
        action[MADE]["sheet"] = [int(frame) for frame in plan.sheet.source]
    for number, frame in enumerate(plan.marks, 1):
        if markers == "ACTION":
            action.pose_markers.new(str(number)).frame = frame
        elif markers == "SCENE":
            scene.timeline_markers.new(str(number), frame=frame)
    actions.assign(ob, action, own)
    if over_nla:
        # Outside its frames the NLA continues as before.
        data.action_extrapolation = "NOTHING"
    return action


def source_of(ob: Any) -> Any:
    """The action that the one on `ob` was made from, or None."""
    data = ob.animation_data
    return None if data is None or data.action is None else data.action.get(SOURCE)


def restore(ob: Any) -> Any:
    """Let the source play again; the result stays in the file as any action does. The source, or None if there is none."""
    source = source_of(ob)
    if source is None:
        return None
    data = ob.animation_data
    for track in [track for track in data.nla_tracks if track.name == KEPT + source.name and track.mute]:
        kept = next((getattr(strip, "action_slot", None) for strip in track.strips), None)
        identifier = kept.identifier if kept is not None else None
        data.nla_tracks.remove(track)
        slot = next((one for one in getattr(source, "slots", ()) if one.identifier == identifier), None)
        actions.assign(ob, source, slot)
        break
    else:
        actions.assign(ob, source, None)
    _influences_back(ob)
    _unmute(ob)
    _values_back(ob)
    return source


@contextmanager
def from_source(obs: Sequence[Any], method: str) -> Iterator[None]:
    """Within, objects whose action is a result of this very method play what that was made from.

    Afterwards they play whatever was written meanwhile, or, if nothing was, the result as before.
    """
    before = []
    for ob in obs:
        data = ob.animation_data
        made = None if data is None or data.action is None else data.action.get(MADE)
        if made is None or made.get("method") != method or source_of(ob) is None:
            continue
        kept = {bone.name: dict(bone[_INFLUENCES]) for bone in ob.pose.bones if _INFLUENCES in bone}
        result = (ob, data.action, getattr(data, "action_slot", None), kept, _muted(ob), ob.get(_VALUES))
        restore(ob)
        before.append((*result, data.action, getattr(data, "action_slot", None)))
    done = False
    try:
        yield
        done = True
    finally:
        for ob, action, slot, kept, muted, values, source, source_slot in before if not done else ():
            _keep(ob.animation_data, source, source_slot)
            actions.assign(ob, action, slot)
            _mute(ob, muted)
            if values is not None:
                ob[_VALUES] = values
            for name, influences in kept.items():
                ob.pose.bones[name][_INFLUENCES] = influences


def _keep(data: Any, source: Any, slot: Any) -> None:
    name = KEPT + source.name
    if any(track.name == name for track in data.nla_tracks):
        return
    track = data.nla_tracks.new()
    track.name = name
    strip = track.strips.new(source.name, int(np.floor(source.frame_range[0])), source)
    if slot is not None and hasattr(strip, "action_slot"):
        strip.action_slot = slot
    track.mute = True


def _baked(curve: Any, home: Any, channel: Channel, made: Keys, plan: Plan, scene: Any) -> None:
    """A curve with modifiers, or without keys: what it does outside the range is written frame by frame."""
    first, last = min(scene.frame_start, plan.first), max(scene.frame_end, plan.last)
    frames = np.concatenate([np.arange(first, plan.first), np.arange(plan.last + 1, last + 1)])
    values = actions.sampled(curve, frames)
    group = curve.group
    home.remove(curve)
    curve = home.new(channel[0], index=channel[1])
    curve.group = group
    before = frames < plan.first
    linear = np.full(len(frames), LINEAR)
    actions.write(
        curve,
        Keys(
            np.concatenate([frames[before], made.frames, frames[~before]]),
            np.concatenate([values[before], made.values, values[~before]]),
            np.concatenate([linear[before], made.between, linear[~before]]),
        ),
    )


def _grouped(action: Any, slot: Any) -> None:
    """Each bone's curves in a group of its name, as Blender itself has them."""
    for curve in actions.curves_in(action, slot):
        bone = actions.bone_of(curve.data_path)
        if not bone or curve.group is not None:
            continue
        groups = action.groups if not actions.slotted(action) else _bag(action, slot).groups
        group = next((one for one in groups if one.name == bone), None)
        curve.group = group if group is not None else groups.new(bone)


def _bag(action: Any, slot: Any) -> Any:
    return action.layers[0].strips[0].channelbag(slot, ensure=True)


def _letting_go(plan: Plan) -> dict[Channel, Keys]:
    """Constraints that would move a keyed bone have no influence while the keys play."""
    ob, found = plan.reading.rig.object, {}
    for name in plan.let_go:
        for constraint in ob.pose.bones[name].constraints:
            path = influence_path(name, constraint)
            frames, values = [plan.first], [0.0]
            if not plan.fresh:
                frames, values = (
                    [plan.first - 1, *frames, plan.last + 1],
                    [constraint.influence, 0.0, constraint.influence],
                )
            found[path, 0] = Keys(np.array(frames), np.array(values), np.full(len(frames), CONSTANT))
    return found


def _influences_back(ob: Any) -> None:
    for bone in ob.pose.bones:
        kept = bone.get(_INFLUENCES)
        for constraint in bone.constraints if kept is not None else ():
            constraint.influence = kept.get(constraint.name, constraint.influence)
        if kept is not None:
            del bone[_INFLUENCES]


def influence_path(bone: str, constraint: Any) -> str:
    """The path of how much a bone's constraint does."""
    escaped = constraint.name.replace("\\", "\\\\").replace('"', '\\"')
    return f'{actions.bone_path(bone, "constraints")}["{escaped}"].influence'


def _remember(ob: Any, channels: Iterable[Channel]) -> None:
    """Keep the values of bones' `channels`; what is remembered already was there first."""
    known = {(path, index): value for path, index, value in json.loads(ob.get(_VALUES, "[]"))}
    for path, index in sorted(channels):
        value = ob.path_resolve(path)
        if (path, index) not in known and hasattr(value, "__len__"):
            known[path, index] = float(value[index])
    if known:
        ob[_VALUES] = json.dumps([(*channel, value) for channel, value in known.items()])


def _values_back(ob: Any) -> None:
    for path, index, value in json.loads(ob.get(_VALUES, "[]")):
        if actions.bone_of(path) in ob.pose.bones:
            ob.path_resolve(path)[index] = value
    if _VALUES in ob and source_of(ob) is None:
        del ob[_VALUES]


def _muted(ob: Any) -> list[Channel]:
    """The drivers of `ob` that a result muted."""
    return [(path, index) for path, index in json.loads(ob.get(_DRIVERS, "[]"))]


def _mute(ob: Any, channels: Iterable[Channel]) -> None:
    """Drivers of `channels` are silent while the keys play."""
    wanted = set(channels)
    found = [curve for curve in ob.animation_data.drivers if not curve.mute and _channel(curve) in wanted]
    for curve in found:
        curve.mute = True
    if found:
        ob[_DRIVERS] = json.dumps([*_muted(ob), *map(_channel, found)])


def _unmute(ob: Any) -> None:
    silent = _muted(ob)
    for curve in ob.animation_data.drivers if silent else ():
        curve.mute = curve.mute and _channel(curve) not in silent
    if silent:
        del ob[_DRIVERS]


def _channel(curve: Any) -> Channel:
    return curve.data_path, curve.array_index
