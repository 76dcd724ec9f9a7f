# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of an operator, in steps: read the scene, run the method, plan every key, and only then change anything."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from komadori import methods
from komadori.chains import Chain, kind_by_name, lengths_of
from komadori.character import Character
from komadori.errors import OptionError, quoted
from komadori.keyed import Keyed
from komadori.kinematics import world_positions
from komadori.registry import Method
from komadori.timesheet import Timesheet
from komadori.words import Note

from . import actions, armature, posing, puppets, reading, settings, writing
from .armature import Rig
from .reading import Reading, Steps
from .writing import Plan

ON_SCREEN = 24.0
"""Frames per second that timings of drawings are meant for."""


@dataclass(frozen=True)
class Told:
    """What a finished job has to say: rows of a summary, and notes."""

    rows: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    actions: tuple[str, ...] = ()


def chosen_armatures(context: Any) -> list[Any]:
    """The selected armatures, the active one first; the armature of a selected mesh counts as well."""
    active = context.view_layer.objects.active
    picked = [active, *(ob for ob in context.view_layer.objects if ob.select_get())]
    found = [ob if ob.type == "ARMATURE" else ob.find_armature() for ob in picked if ob is not None]
    result = list(dict.fromkeys(ob for ob in found if ob is not None))
    if not result:
        armature.check(None)
    return result


def method_job(context: Any, name: str, *, threaded: bool = False) -> Steps:
    """Run a method on the selected armatures as the panel has it; returns a Told."""
    method, scene = methods.declared(name), context.scene
    group = getattr(scene.komadori, name)
    pointed = {
        item.reads: ob
        for item in method.parameters
        if item.reads in settings.POINTED and (ob := getattr(group, item.name)) is not None
    }
    aim = pointed.get("body") or pointed.get("animal")
    obs = chosen_armatures(context)[: 1 if aim or method.subject == "puppet" else None]
    if aim in obs:
        raise OptionError(
            Note("{name} cannot be retargeted to itself. Choose another armature in the panel.", name=quoted(aim.name))
        )
    if method.subject == "puppet":
        return (yield from _puppet_job(context, method, obs[0], threaded))
    with writing.from_source(obs, name):
        return (yield from _on_armatures(context, method, obs, pointed, threaded))


def _on_armatures(context: Any, method: Method, obs: list[Any], pointed: dict[str, Any], threaded: bool) -> Steps:
    scene = context.scene
    common, group = scene.komadori.common, getattr(scene.komadori, method.name)
    aim = pointed.get("body") or pointed.get("animal")
    rigs = [armature.rig_of(ob, scene) for ob in obs]
    frames = frame_range(scene, common, obs, needs_motion=method.subject == "motion")
    readings, camera = yield from reading.read(scene, rigs, frames, pointed.get("camera"))
    for one in readings:
        if method.subject == "motion" and not one.channels and not one.motion.moves:
            raise OptionError(
                Note("{name} has no action, and nothing else moves it.", name=quoted(one.rig.object.name))
            )
    onto = None
    if aim is not None:
        onto = yield from _target(scene, aim, moving="animal" in pointed)

    def given(reads: str, _: Any) -> Any:
        if reads == "camera":
            return camera
        return onto.motion if reads == "animal" else onto.rig.skeleton

    plans, rows, notes = [], [], []
    for one in readings:
        subject, more = _subject(method, one, common)
        options = settings.options(method, group, given, int(frames[0]), **more)
        result = yield from _called(lambda s=subject, o=options: method.call(s, o), threaded)
        plans.append(plan(method, one, result, common, onto))
        several = len(readings) > 1
        rows += [(f"{one.rig.object.name}: {label}" if several else label, text) for label, text in method.rows(result)]
        notes += [*result.notes, *_timing_notes(method, one)]
    made = [writing.write(each, common.markers, scene) for each in plans]
    return Told(tuple(rows), tuple(dict.fromkeys(notes)), tuple(action.name for action in made))


def frame_range(scene: Any, common: Any, obs: Sequence[Any], *, needs_motion: bool) -> np.ndarray:
    """The frames to work on, as the panel says."""
    spans = [found for ob in obs if (found := _span(ob)) is not None]
    whole = (min(first for first, _ in spans), max(last for _, last in spans)) if spans else None
    if common.range == "ACTION":
        first, last = whole or (scene.frame_start, scene.frame_end)
    elif common.range == "SCENE":
        first, last = scene.frame_start, scene.frame_end
    else:
        first, last = common.first, common.last
    if last < first:
        raise OptionError(Note("The last frame, {last}, lies before the first, {first}.", first=first, last=last))
    if needs_motion and whole is not None and (last < whole[0] or first > whole[1]):
        raise OptionError(
            Note(
                "Frames {first} to {last} lie outside the action, which has keys from {begin} to {end}.",
                first=first,
                last=last,
                begin=whole[0],
                end=whole[1],
            )
        )
    if needs_motion and last == first:
        raise OptionError(Note("There is only frame {first} to work on; at least two are needed.", first=first))
    return np.arange(first, last + 1)


def plan(method: Method, one: Reading, result: Any, common: Any, onto: Reading | None = None) -> Plan:
    """What is to be written of `result`."""
    ob, first = one.rig.object, int(one.frames[0])
    only = {bone.name for bone in ob.pose.bones if armature.is_selected(bone)} if common.only_selected else None
    if only is not None and not only:
        raise OptionError(Note("No bone is selected in {name}.", name=quoted(ob.name)))
    last = first + max(len(one.frames), len(result.motion)) - 1
    name = f"{_base_name(ob)} {method.name}"
    sheet: Timesheet | None = result.sheet
    marks = () if sheet is None else tuple((first + sheet.starts).tolist())
    if onto is not None:
        keys, let_go = _posed_keys(onto, result.motion, first, held=sheet is not None, everything=True)
        return Plan(
            onto,
            keys,
            f"{_base_name(onto.rig.object)} {method.name}",
            method.name,
            first,
            last,
            True,
            sheet,
            marks,
            let_go,
        )
    channels = {c: v for c, v in one.channels.items() if only is None or actions.bone_of(c[0]) in only}
    pieces = bool(getattr(result, "layers", None))
    keyed = getattr(result, "keys", None)
    if sheet is None or pieces or common.bake or not channels:
        shown = None if sheet is None or pieces else sheet.source
        keys, let_go = _posed_keys(one, result.motion, first, held=sheet is not None, only=only, shown=shown)
        return Plan(one, keys, name, method.name, first, last, False, None if pieces else sheet, marks, let_go)
    if isinstance(keyed, Keyed) and keyed.interpolation != "stepped":
        keys = writing.keyed(channels, keyed.frames, keyed.interpolation, first)
    else:
        keys = writing.retimed(channels, sheet, first)
    return Plan(one, keys, name, method.name, first, last, False, sheet, marks)


def sheet_job(context: Any, sheets: dict[str, Timesheet]) -> Told:
    """Retime the selected armatures by `sheets`: the track of an armature's name, else the first."""
    scene, common = context.scene, context.scene.komadori.common
    obs = chosen_armatures(context)
    with writing.from_source(obs, "sheet"):
        return _by_sheets(scene, common, obs, sheets)


def _by_sheets(scene: Any, common: Any, obs: list[Any], sheets: dict[str, Timesheet]) -> Told:
    rigs = [armature.rig_of(ob, scene) for ob in obs]
    frames = frame_range(scene, common, obs, needs_motion=True)
    readings, _ = _finished(reading.read(scene, rigs, frames))
    plans = []
    for one in readings:
        ob, first = one.rig.object, int(frames[0])
        sheet = sheets.get(ob.name) or next(iter(sheets.values()))
        if len(sheet) and int(sheet.source.max()) >= len(frames):
            raise OptionError(
                Note(
                    "The timesheet shows frame {shown}, but {name} has only {count} frames from {first} on.",
                    shown=int(sheet.source.max()) + 1,
                    name=quoted(ob.name),
                    count=len(frames),
                    first=first,
                )
            )
        if not one.channels:
            raise OptionError(Note("{name} has no action, and nothing else moves it.", name=quoted(ob.name)))
        keys = writing.retimed(one.channels, sheet, first)
        last = first + max(len(frames), len(sheet)) - 1
        marks = tuple((first + sheet.starts).tolist())
        plans.append(Plan(one, keys, f"{_base_name(ob)} sheet", "sheet", first, last, False, sheet, marks))
    made = [writing.write(each, common.markers, scene) for each in plans]
    return Told((), (), tuple(action.name for action in made))


def _finished(steps: Steps) -> Any:
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return end.value


def _posed_keys(one: Reading, motion: Any, first: int, *, held: bool, **more: Any) -> Any:
    channels, let_go = posing.channels_of(one, motion, **more)
    return writing.dense(channels, first, held=held), let_go


def _subject(method: Method, one: Reading, common: Any) -> tuple[Any, dict[str, Any]]:
    """What the method works on, and the parameters that the scene itself gives."""
    if method.subject != "character":
        return one.motion, {}
    hints: tuple[Chain, ...] = ()
    more: dict[str, Any] = {"motion": one.motion}
    if common.only_selected:
        hints = _selected_chains(one.rig)
        if not hints:
            raise OptionError(Note("No bone is selected in {name}.", name=quoted(one.rig.object.name)))
        more["chains"] = tuple(chain.name for chain in hints)
    return Character(one.rig.object.name, one.motion.skeleton, chain_hints=hints), more


def _selected_chains(rig: Rig) -> tuple[Chain, ...]:
    """Chains of the selected bones, each from a bone whose parent is not selected down to the tip."""
    skeleton = rig.skeleton
    picked = {j for j, name in enumerate(rig.bones) if name and armature.is_selected(rig.object.pose.bones[name])}
    world = world_positions(skeleton, skeleton.rest[None], skeleton.offsets[None])[0]
    found, todo = [], [j for j in sorted(picked) if int(skeleton.parents[j]) not in picked]
    while todo:
        row = [todo.pop(0)]
        while kids := [kid for kid in skeleton.children[row[-1]] if kid in picked]:
            row.append(kids[0])
            todo += kids[1:]
        row += [kid for kid in skeleton.children[row[-1]] if not rig.bones[kid]][:1] or list(
            skeleton.children[row[-1]][:1]
        )
        names = [skeleton.names[j] for j in row]
        above = int(skeleton.parents[row[0]])
        found.append(Chain(names[0], kind_by_name(names), tuple(row), above, lengths_of(world, row), "the selection"))
    return tuple(found)


def _target(scene: Any, aim: Any, *, moving: bool) -> Steps:
    """The armature that takes a motion: as it stands, or over its own action."""
    rig = armature.rig_of(aim, scene)
    span = _span(aim) if moving else (scene.frame_current, scene.frame_current)
    if span is None:
        raise OptionError(Note("{name} needs an action in which it walks.", name=quoted(aim.name)))
    found, _ = yield from reading.read(scene, [rig], np.arange(span[0], span[1] + 1))
    return found[0]


def _puppet_job(context: Any, method: Method, ob: Any, threaded: bool) -> Steps:
    scene, common = context.scene, context.scene.komadori.common
    group = getattr(scene.komadori, method.name)
    rig = armature.rig_of(ob, scene, at_home=True)
    puppet = puppets.puppet_of(ob, rig)
    frames = frame_range(scene, common, [puppets.handle_of(ob)], needs_motion=False)
    more: dict[str, Any] = {"fps": reading.rate(scene)}
    if not group.use_walk:
        more["path"] = yield from puppets.path(scene, ob, rig, frames)
    options = settings.options(method, group, lambda *_: None, int(frames[0]), **more)
    result = yield from _called(lambda: method.call(puppet, options), threaded)
    one = puppets.standing(rig, reading.rate(scene), frames)
    keys, let_go = _posed_keys(one, result.motion, int(frames[0]), held=False, everything=True)
    first, last = int(frames[0]), int(frames[0]) + len(result.motion) - 1
    made = writing.write(
        Plan(one, keys, f"{_base_name(ob)} puppet", "puppet", first, last, True, None, (), let_go),
        common.markers,
        scene,
    )
    return Told(tuple(method.rows(result)), tuple(result.notes), (made.name,))


def _called(work: Callable[[], Any], threaded: bool) -> Steps:
    """`work()`, in its own thread where the window has to stay alive; None is given while it works."""
    if not threaded:
        yield 0.5
        return work()
    box: dict[str, Any] = {}

    def run() -> None:
        try:
            box["result"] = work()
        except BaseException as error:  # carried over to the thread that asked
            box["error"] = error

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        yield None
    if "error" in box:
        raise box["error"]
    return box["result"]


def _span(ob: Any) -> tuple[int, int] | None:
    """The frames over which an object is animated by its action or the NLA."""
    if ob is None or ob.animation_data is None:
        return None
    found = actions.span(actions.curves_of(ob))
    if found is not None:
        return found
    strips = [strip for track in ob.animation_data.nla_tracks if not track.mute for strip in track.strips]
    if not strips:
        return None
    return int(min(s.frame_start for s in strips)), int(np.ceil(max(s.frame_end for s in strips)))


def _base_name(ob: Any) -> str:
    action = ob.animation_data.action if ob.animation_data else None
    return action.name if action is not None else ob.name


def _timing_notes(method: Method, one: Reading) -> list[Note]:
    fps = one.motion.fps
    if not method.makes_sheet or fps <= 1.25 * ON_SCREEN:
        return []
    return [
        Note(
            "The scene runs at {fps:g} fps, so each drawing is short. Set it to 24 before you import the motion.",
            fps=fps,
        )
    ]
