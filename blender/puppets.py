# SPDX-License-Identifier: GPL-3.0-or-later
"""Puppets in a scene: an empty as the handle, keys kept with the armature, and a handler that poses it while the handle moves."""

from __future__ import annotations

import functools
from typing import Any

import bpy
import numpy as np
from bpy.app.handlers import persistent

from komadori import roles
from komadori.errors import OptionError, quoted
from komadori.formats.puppet.reading import parse
from komadori.formats.puppet.writing import emit
from komadori.kinematics import world_positions
from komadori.methods.puppet import Key, Puppet, Take
from komadori.motion import Motion, Pose
from komadori.words import Note

from . import armature, posing, reading
from .armature import Rig
from .reading import Reading, Steps

_shown: dict[str, tuple[float, ...]] = {}
"""Armature -> the place of the handle that its pose was made for."""
_reading = [False]
"""Whether a path is being read: then nothing is posed."""


def handle_of(ob: Any) -> Any:
    """The handle of `ob`; an OptionError if it has none."""
    handle = ob.komadori_puppet.handle
    if handle is None:
        raise OptionError(Note("{name} has no handle. Add one in the Puppet panel first.", name=quoted(ob.name)))
    return handle


def puppet_of(ob: Any, rig: Rig) -> Puppet:
    """The puppet that is kept with `ob`; an OptionError if it has no keys, or other bones than when they were set."""
    text = ob.komadori_puppet.keys_json
    if not text:
        raise OptionError(
            Note("{name} has no puppet keys. Pose it, place the handle, and add a key.", name=quoted(ob.name))
        )
    puppet = _parsed(text)
    if puppet.skeleton.names != rig.skeleton.names:
        raise OptionError(
            Note(
                "The bones of {name} have changed since its puppet keys were set. Set the keys again.",
                name=quoted(ob.name),
            )
        )
    return puppet.changed(skeleton=rig.skeleton, kernel=ob.komadori_puppet.kernel)


@functools.lru_cache(maxsize=8)
def _parsed(text: str) -> Puppet:
    return parse(text.encode(), "puppet keys")


def key_names(ob: Any) -> list[str]:
    """The names of the keys of `ob`."""
    text = ob.komadori_puppet.keys_json
    return [key.name for key in _parsed(text).keys] if text else []


def keep(ob: Any, puppet: Puppet | None) -> None:
    """Store a puppet with `ob`."""
    ob.komadori_puppet.keys_json = emit(puppet).decode() if puppet is not None else ""


def add_handle(context: Any, ob: Any) -> Any:
    """An empty beside the right hand (or the tip of the body), which goes where the armature goes."""
    rig = armature.rig_of(ob, context.scene, at_home=True)
    world = world_positions(rig.skeleton, rig.skeleton.rest[None], rig.skeleton.offsets[None])[0]
    found = roles.known(rig.skeleton)
    place = world[found["right_hand"]] if "right_hand" in found else world[int(np.argmax(world[:, 1]))]
    handle = bpy.data.objects.new(f"{ob.name} handle", None)
    handle.empty_display_type = "SPHERE"
    handle.empty_display_size = 0.05 * max(float(np.ptp(world[:, 1])), 1e-3) / rig.metres
    handle.parent = ob
    handle.location = armature.to_blender(place) / rig.metres
    (ob.users_collection[0] if ob.users_collection else context.scene.collection).objects.link(handle)
    ob.komadori_puppet.handle = handle
    return handle


def add_key(context: Any, ob: Any, name: str = "") -> Puppet:
    """The pose that is shown now, at the place where the handle is."""
    rig = armature.rig_of(ob, context.scene, at_home=True)
    handle = handle_of(ob)
    poses, worlds = reading.posed_now(rig, context)
    now = reading.motion_of(rig, poses, np.eye(4)[None], reading.rate(context.scene)).pose(0)
    graph = context.evaluated_depsgraph_get()
    place = _place(handle.evaluated_get(graph).matrix_world, worlds[0], rig.metres)
    names = key_names(ob)
    number = 1
    while not name or name in names:
        name, number = str(number), number + 1
    pose = Pose(now.rotations, now.positions)
    puppet = puppet_of(ob, rig).with_key(place, pose, name) if names else Puppet(rig.skeleton, [Key(place, pose, name)])
    keep(ob, puppet)
    return puppet


def remove_key(ob: Any, name: str, scene: Any) -> None:
    """Take a key away by its name."""
    names = key_names(ob)
    if names == [name]:
        keep(ob, None)
    else:
        keep(ob, puppet_of(ob, armature.rig_of(ob, scene, at_home=True)).without_key(name))


def show_key(context: Any, ob: Any, name: str) -> None:
    """Put handle and body where they were when the key was set."""
    rig = armature.rig_of(ob, context.scene, at_home=True)
    puppet = puppet_of(ob, rig)
    key = next(key for key in puppet.keys if key.name == name)
    matrix = np.array(ob.matrix_world) @ np.append(armature.to_blender(key.position) / rig.metres, 1.0)
    handle = handle_of(ob)
    handle.matrix_world.translation = matrix[:3]
    _pose(rig, puppet, key.position)


def path(scene: Any, ob: Any, rig: Rig, frames: np.ndarray) -> Steps:
    """The handle's path over `frames` as a Take."""
    handle = handle_of(ob)
    before, found = (scene.frame_current, scene.frame_subframe), []
    _reading[0] = True
    try:
        for done, frame in enumerate(frames.tolist()):
            scene.frame_set(frame)
            graph = bpy.context.evaluated_depsgraph_get()
            shown = handle.evaluated_get(graph).matrix_world
            found.append(_place(shown, np.array(ob.evaluated_get(graph).matrix_world), rig.metres))
            if done % reading.STRIDE == reading.STRIDE - 1:
                yield (done + 1) / len(frames)
    finally:
        scene.frame_set(before[0], subframe=before[1])
        _reading[0] = False
    if len(found) < 2 or not np.ptp(np.array(found), axis=0).any():
        raise OptionError(
            Note("The handle {name} does not move. Key its location, or record it.", name=quoted(handle.name))
        )
    return Take.recorded(np.array(found), reading.rate(scene))


def standing(rig: Rig, fps: float, frames: np.ndarray) -> Reading:
    """The armature at rest in its own space, to be posed from."""
    poses = rig.rests[None]
    worlds = np.eye(4)[None]
    return Reading(rig, frames[:1], poses, worlds, reading.motion_of(rig, poses, worlds, fps))


def _place(handle: Any, world: np.ndarray, metres: float) -> np.ndarray:
    """Where the handle is, in the armature's own space, in metres with Y up."""
    inside = np.linalg.inv(world) @ np.append(np.array(handle, dtype=np.float64)[:3, 3], 1.0)
    return armature.from_blender(inside[:3]) * metres


def _pose(rig: Rig, puppet: Puppet, place: np.ndarray) -> None:
    pose = puppet.pose(place)
    motion = Motion(rig.skeleton, 24.0, pose.rotations[None], pose.positions[None])
    posing.pose_now(standing(rig, 24.0, np.zeros(1, dtype=int)), motion)


@persistent
def follow(scene: Any, graph: Any = None) -> None:
    """Pose every live puppet whose handle has moved."""
    if _reading[0]:
        return
    graph = graph or bpy.context.evaluated_depsgraph_get()
    for ob in scene.objects:
        if ob.type != "ARMATURE" or not ob.komadori_puppet.live or ob.komadori_puppet.handle is None:
            continue
        if not ob.komadori_puppet.keys_json or ob.mode == "EDIT":
            continue
        world = np.array(ob.evaluated_get(graph).matrix_world, dtype=np.float64)
        metres = float(scene.unit_settings.scale_length) or 1.0
        place = _place(ob.komadori_puppet.handle.evaluated_get(graph).matrix_world, world, metres)
        where = tuple(place.round(6).tolist())
        if _shown.get(ob.name) == where:
            continue
        _shown[ob.name] = where
        try:
            rig = armature.rig_of(ob, scene, at_home=True)
            _pose(rig, puppet_of(ob, rig), place)
        except OptionError:
            # A person who asks for the puppet by a button is told what is wrong; a handler has no one to tell.
            ob.komadori_puppet.live = False
