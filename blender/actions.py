# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions and their curves, in Blender with slots (4.4 and later) and without."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

CONSTANT, LINEAR, BEZIER = 0, 1, 2
"""Blender's numbers of what lies between keys."""
FREE = 0
"""A handle that stays where it is put."""
_BONE = re.compile(r'^pose\.bones\["((?:[^"\\]|\\.)*)"\]')
Channel = tuple[str, int]
"""A curve's path and index."""


@dataclass(frozen=True, eq=False)
class Keys:
    """What a curve gets: `frames` (K,), `values` (K,), what lies behind each key, and slopes per frame for Bezier curves."""

    frames: np.ndarray
    values: np.ndarray
    between: np.ndarray
    arriving: np.ndarray | None = None
    leaving: np.ndarray | None = None


def slotted(action: Any) -> bool:
    """Whether actions have slots here."""
    return hasattr(action, "slots")


def curves_of(ob: Any) -> tuple[Any, ...]:
    """The curves of the action that plays on `ob`."""
    data = ob.animation_data
    return () if data is None or data.action is None else curves_in(data.action, getattr(data, "action_slot", None))


def curves_in(action: Any, slot: Any) -> tuple[Any, ...]:
    """The curves of `action` for `slot`."""
    if not slotted(action):
        return tuple(action.fcurves)
    if slot is None:
        return ()
    bags = (strip.channelbag(slot) for layer in action.layers for strip in layer.strips)
    return tuple(curve for bag in bags if bag is not None for curve in bag.fcurves)


def copied(action: Any, slot: Any, name: str) -> tuple[Any, Any]:
    """A copy of `action` with only what belongs to `slot`, and that slot in it."""
    made = action.copy()
    made.name = name
    if not slotted(action):
        return made, None
    own = next((one for one in made.slots if slot is not None and one.identifier == slot.identifier), None)
    for other in [one for one in made.slots if own is None or one.identifier != own.identifier]:
        made.slots.remove(other)
    return made, own


def made_for(ob: Any, name: str) -> tuple[Any, Any]:
    """A new action for `ob`, and its slot."""
    import bpy

    action = bpy.data.actions.new(name)
    if not slotted(action):
        action.id_root = "OBJECT"
        return action, None
    return action, action.slots.new("OBJECT", ob.name)


def home(action: Any, slot: Any) -> Any:
    """Where new curves of `action` go."""
    if not slotted(action):
        return action.fcurves
    layer = action.layers[0] if len(action.layers) else action.layers.new("Layer")
    strip = layer.strips[0] if len(layer.strips) else layer.strips.new(type="KEYFRAME")
    return strip.channelbag(slot, ensure=True).fcurves


def assign(ob: Any, action: Any, slot: Any) -> None:
    """Let `action` play on `ob`."""
    data = ob.animation_data or ob.animation_data_create()
    data.action = action
    if slot is not None:
        data.action_slot = slot


def bone_of(path: str) -> str:
    """The bone that a curve belongs to; empty for none."""
    match = _BONE.match(path)
    return re.sub(r"\\(.)", r"\1", match[1]) if match else ""


def bone_path(bone: str, what: str) -> str:
    """The path of a bone's property."""
    escaped = bone.replace("\\", "\\\\").replace('"', '\\"')
    return f'pose.bones["{escaped}"].{what}'


def sampled(curve: Any, frames: np.ndarray) -> np.ndarray:
    """The curve at whole `frames` (F,), one after the other."""
    count = len(curve.keyframe_points)
    if count == len(frames) and not len(curve.modifiers):
        points = np.empty(2 * count, dtype=np.float32)
        curve.keyframe_points.foreach_get("co", points)
        if np.array_equal(points[::2], frames.astype(np.float32)):
            return points[1::2].astype(np.float64)
    evaluate = curve.evaluate
    return np.array([evaluate(frame) for frame in frames.tolist()])


def span(curves: Iterable[Any]) -> tuple[int, int] | None:
    """The first and last whole frame with a key; None if there are none."""
    ends = [curve.range() for curve in curves if len(curve.keyframe_points) or len(curve.sampled_points)]
    if not ends:
        return None
    return int(np.floor(min(first for first, _ in ends))), int(np.ceil(max(last for _, last in ends)))


def write(curve: Any, keys: Keys) -> None:
    """Put all keys of a curve at once, in place of those that it has."""
    points, count = curve.keyframe_points, len(keys.frames)
    points.clear()
    points.add(count)
    at = np.empty((count, 2), dtype=np.float32)
    at[:, 0], at[:, 1] = keys.frames, keys.values
    points.foreach_set("co", at.ravel())
    points.foreach_set("interpolation", np.ascontiguousarray(keys.between, dtype=np.int32))
    reach = np.diff(keys.frames, prepend=keys.frames[:1] - 1, append=keys.frames[-1:] + 1) / 3.0
    for name, side, slopes in (
        ("handle_left", -reach[:-1], keys.arriving),
        ("handle_right", reach[1:], keys.leaving),
    ):
        handle = np.array(at, dtype=np.float64)
        handle[:, 0] += side
        handle[:, 1] += 0.0 if slopes is None else side * slopes
        points.foreach_set(name, handle.astype(np.float32).ravel())
        if slopes is not None:
            points.foreach_set(f"{name}_type", np.full(count, FREE, dtype=np.int32))
    curve.update()


def kept_outside(curve: Any, first: int, last: int) -> None:
    """Make the curve the same outside `first` to `last`, whatever its keys in between become."""
    points = curve.keyframe_points
    begin, end = curve.range()
    if begin < first:
        points.insert(first - 1, curve.evaluate(first - 1), options={"FAST"})
    if end > last:
        points.insert(last + 1, curve.evaluate(last + 1), options={"FAST"})


def outside(curve: Any, first: int, last: int) -> list[dict[str, Any]]:
    """What the keys before `first` and after `last` are, to be put back after `write`."""
    names = ("co", "handle_left", "handle_right", "handle_left_type", "handle_right_type", "interpolation", "easing")
    more = ("back", "amplitude", "period", "type")
    return [
        {name: (tuple(value) if hasattr(value := getattr(key, name), "__len__") and not isinstance(value, str) else value)
         for name in (*names, *more)}
        for key in curve.keyframe_points
        if not first <= key.co[0] <= last
    ]  # fmt: skip


def put_back(curve: Any, kept: Sequence[dict[str, Any]]) -> None:
    """Add the keys that `outside` remembered."""
    for key in kept:
        point = curve.keyframe_points.insert(key["co"][0], key["co"][1], options={"FAST"})
        for name, value in key.items():
            setattr(point, name, value)
    if kept:
        curve.update()
