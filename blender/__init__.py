# SPDX-License-Identifier: GPL-3.0-or-later
"""komadori in Blender: limited animation, key poses, hair, puppets and more, as ordinary keys on ordinary actions."""

from typing import Any, get_args

import bpy

from komadori.numerics.rbf import Kernel
from komadori.words import Note

from . import operators, panels, puppets, settings
from .words import say

_registered: list[type] = []
"""What is registered, in order; a change of language registers it again."""


class KomadoriPreferences(bpy.types.AddonPreferences):
    """The extension's preferences."""

    bl_idname = __package__

    language: bpy.props.EnumProperty(
        name="Language / 言語",
        items=[
            ("AUTO", "Blender", "As Blender / Blender に合わせる"),
            ("en", "English", "English"),
            ("ja", "日本語", "日本語"),
        ],
        default="AUTO",
        update=lambda self, context: _relabel(),
    )

    def draw(self, context: bpy.types.Context) -> None:
        """One choice."""
        self.layout.prop(self, "language")


def _named(name: str, help: str) -> dict[str, str]:
    return {"name": say(name), "description": say(help)}


def _common() -> type:
    """What all methods share: which frames, which bones, how to write."""
    ranges = [
        ("ACTION", say(Note("Action")), say(Note("all frames with keys"))),
        ("SCENE", say(Note("Scene")), say(Note("the frames of the scene"))),
        ("CUSTOM", say(Note("From, to")), say(Note("frames that you choose"))),
    ]
    markers = [
        ("ACTION", say(Note("In the action")), say(Note("markers of the new action, shown in the Action Editor"))),
        ("SCENE", say(Note("In the scene")), say(Note("markers of the timeline"))),
        ("NONE", say(Note("None")), say(Note("no markers"))),
    ]
    only = _named(Note("Selected bones only"), Note("work on the selected bones; the others keep their keys"))
    bake = _named(
        Note("Bake constraints"),
        Note("write the visible pose to the bones themselves, with their constraints switched off, instead of retiming the keys of the controls"),
    )  # fmt: skip
    found = {
        "range": bpy.props.EnumProperty(items=ranges, **_named(Note("Frames"), Note("the frames to work on"))),
        "first": bpy.props.IntProperty(default=1, **_named(Note("From"), Note("the first frame"))),
        "last": bpy.props.IntProperty(default=250, **_named(Note("To"), Note("the last frame"))),
        "only_selected": bpy.props.BoolProperty(**only),
        "bake": bpy.props.BoolProperty(**bake),
        "markers": bpy.props.EnumProperty(items=markers, **_named(Note("Markers"), Note("a marker where each drawing begins"))),
    }  # fmt: skip
    return type("KOMADORI_PG_common", (bpy.types.PropertyGroup,), {"__annotations__": found})


def _puppet() -> type:
    """What is kept with an armature."""
    words = [(word, say(word), "") for word in get_args(Kernel)]
    found = {
        "handle": bpy.props.PointerProperty(
            type=bpy.types.Object, **_named(Note("Handle"), Note("the object that moves the puppet"))
        ),
        "live": bpy.props.BoolProperty(**_named(Note("Live"), Note("pose the armature whenever the handle moves"))),
        "kernel": bpy.props.EnumProperty(
            items=words, **_named(Note("Blend"), Note("how poses blend between the keys"))
        ),
        "keys_json": bpy.props.StringProperty(options={"HIDDEN"}),
    }
    return type("KOMADORI_PG_puppet", (bpy.types.PropertyGroup,), {"__annotations__": found})


def _enter() -> None:
    methods = settings.offered()
    groups = {"common": _common(), **{method.name: settings.group_of(method) for method in methods}}
    kept = _puppet()
    fields = {name: bpy.props.PointerProperty(type=group) for name, group in groups.items()}
    root = type("KOMADORI_PG_root", (bpy.types.PropertyGroup,), {"__annotations__": fields})
    own = [_relabelled(one) for one in operators.CLASSES]
    classes = [*groups.values(), kept, root, *map(operators.operator_of, methods), *own, *panels.panels(methods)]
    for one in classes:
        bpy.utils.register_class(one)
        _registered.append(one)
    bpy.types.Scene.komadori = bpy.props.PointerProperty(type=root)
    bpy.types.Object.komadori_puppet = bpy.props.PointerProperty(type=kept)
    bpy.types.WindowManager.komadori_told = bpy.props.StringProperty(options={"SKIP_SAVE"})


def _relabelled(operator: type) -> type:
    """An operator that says what it is in the chosen language."""
    operator.bl_label = say(_ENGLISH.setdefault(operator.__name__, operator.bl_label))
    operator.bl_description = say(operator.__doc__ or "")
    return operator


_ENGLISH: dict[str, str] = {}
"""The labels of operators as they stand in the code."""


def _leave() -> None:
    del bpy.types.Scene.komadori, bpy.types.Object.komadori_puppet, bpy.types.WindowManager.komadori_told
    while _registered:
        bpy.utils.unregister_class(_registered.pop())


def _relabel() -> Any:
    """Say everything in another language. Not while Blender draws: in a moment, if there is a window."""

    def again() -> None:
        _leave()
        _enter()

    if bpy.app.background:
        again()
    else:
        bpy.app.timers.register(again, first_interval=0.01)


HANDLERS = ("depsgraph_update_post", "frame_change_post")


def register() -> None:
    """Called by Blender when the extension is enabled."""
    bpy.utils.register_class(KomadoriPreferences)
    _enter()
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).append(puppets.follow)


def unregister() -> None:
    """Called by Blender when the extension is disabled."""
    for name in HANDLERS:
        getattr(bpy.app.handlers, name).remove(puppets.follow)
    _leave()
    bpy.utils.unregister_class(KomadoriPreferences)
