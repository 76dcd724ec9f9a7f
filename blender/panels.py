# SPDX-License-Identifier: GPL-3.0-or-later
"""Panels in the 3D view and the dope sheet, one for every method, made from its declaration."""

import textwrap
from typing import Any

import bpy

from komadori.registry import Method
from komadori.words import Note

from . import puppets, settings
from .settings import NUMBER, Control
from .words import language, say

SPACES = {"VIEW_3D": "view", "DOPESHEET_EDITOR": "dope"}
"""Editors that have the panels -> what their classes are called."""
WIDE = {"en": 46, "ja": 24}
"""Letters in a line of a panel."""


def panels(methods: tuple[Method, ...]) -> list[type]:
    """Every panel, those that hold others first."""
    found = []
    for space, short in SPACES.items():
        top = _panel("top", space, short, Note("komadori"), _draw_common, "")
        found += [top, _panel("told", space, short, Note("Result"), _draw_told, top.__name__)]
        for method in methods:
            found.append(_panel(method.name, space, short, method.label, _drawing(method), top.__name__, closed=True))
        found.append(_panel("sheet", space, short, Note("Timesheet"), _draw_sheet, top.__name__, closed=True))
    return found


def _panel(name: str, space: str, short: str, label: str, draw: Any, parent: str, *, closed: bool = False) -> type:
    body = {
        "bl_space_type": space,
        "bl_region_type": "UI",
        "bl_category": "komadori",
        "bl_label": say(label),
        "bl_options": {"DEFAULT_CLOSED"} if closed else set(),
        "draw": draw,
        **({"bl_parent_id": parent} if parent else {}),
    }
    return type(f"KOMADORI_PT_{short}_{name}", (bpy.types.Panel,), body)


def _draw_common(self: Any, context: Any) -> None:
    layout, common = self.layout, context.scene.komadori.common
    layout.use_property_split, layout.use_property_decorate = True, False
    layout.prop(common, "range")
    if common.range == "CUSTOM":
        row = layout.row(align=True)
        row.prop(common, "first")
        row.prop(common, "last")
    layout.prop(common, "only_selected")
    layout.prop(common, "bake")
    layout.prop(common, "markers")
    layout.operator("komadori.restore", icon="LOOP_BACK")


def _draw_told(self: Any, context: Any) -> None:
    text = context.window_manager.komadori_told
    column = self.layout.column(align=True)
    for line in text.splitlines() or [say(Note("No result yet."))]:
        for piece in textwrap.wrap(line, WIDE[language()]):
            column.label(text=piece)


def _drawing(method: Method) -> Any:
    def draw(self: Any, context: Any) -> None:
        layout, group = self.layout, getattr(context.scene.komadori, method.name)
        layout.use_property_split, layout.use_property_decorate = True, False
        if method.subject == "puppet":
            _draw_puppet(layout, context)
        for one in settings.controls(method):
            _draw_control(layout, group, one)
        layout.operator(f"komadori.{method.name}", icon="PLAY")

    return draw


def _draw_control(layout: Any, group: Any, one: Control) -> None:
    words = settings.label(one.parameter)
    if one.switch:
        row = layout.row(heading=words)
        row.prop(group, one.switch, text="")
        value = row.row()
        value.active = getattr(group, one.switch)
        value.prop(group, one.name, text="")
        return
    layout.prop(group, one.name, text=words)
    if one.parameter.number and getattr(group, one.name) == NUMBER:
        layout.prop(group, f"{one.name}_number", text=" ")


def _draw_puppet(layout: Any, context: Any) -> None:
    active = context.view_layer.objects.active
    ob = active if active is None or active.type == "ARMATURE" else active.parent
    if ob is None or ob.type != "ARMATURE":
        layout.label(text=say(Note("Select an armature first.")))
        return
    kept = ob.komadori_puppet
    layout.prop(kept, "handle")
    if kept.handle is None:
        layout.operator("komadori.puppet_handle", icon="EMPTY_AXIS")
        return
    layout.prop(kept, "kernel")
    layout.operator("komadori.puppet_key", icon="KEY_HLT")
    for name in puppets.key_names(ob):
        row = layout.row(align=True)
        row.operator("komadori.puppet_key_show", text=name).name = name
        row.operator("komadori.puppet_key_remove", text="", icon="X").name = name
    layout.prop(kept, "live", toggle=True)


def _draw_sheet(self: Any, context: Any) -> None:
    column = self.layout.column(align=True)
    column.operator("komadori.sheet_text", icon="TEXT")
    column.operator("komadori.sheet_export", icon="EXPORT")
    column.operator("komadori.sheet_import", icon="IMPORT")
