# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators: one for every method, and those of puppets and timesheets. Each is a single undo step, or changes nothing."""

import time
from pathlib import Path

import bpy
from bpy_extras.io_utils import ExportHelper, ImportHelper

import komadori
from komadori.errors import KomadoriError, OptionError, quoted
from komadori.registry import Method
from komadori.words import Note

from . import jobs, puppets, settings, sheets, writing
from .words import language, say

TICK_S = 0.03
"""How long a piece of work may last before the window is drawn again."""


def told(context: bpy.types.Context, found: jobs.Told) -> str:
    """Keep what a job had to say for the panel, and give one line of it."""
    lines = [f"{say(label)}: {say(text)}" for label, text in found.rows]
    lines += [say(note) for note in found.notes]
    context.window_manager.komadori_told = "\n".join(lines)
    return say(Note("Made {names}.", names=", ".join(map(quoted, found.actions)))) + (f" {lines[0]}" if lines else "")


class Careful:
    """What every operator here shares: a fault becomes one message, and the operator is cancelled."""

    bl_options = {"REGISTER", "UNDO"}

    def fail(self, error: KomadoriError) -> set[str]:
        """Say what is wrong."""
        self.report({"ERROR"}, error.in_language(language()))
        return {"CANCELLED"}

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Do it, and say so."""
        try:
            self.report({"INFO"}, self.run(context))
        except KomadoriError as error:
            return self.fail(error)
        return {"FINISHED"}


class Method_:
    """Runs a method: at once for scripts, in steps with progress and Esc to cancel if there is a window."""

    bl_options = {"REGISTER", "UNDO"}
    method = ""

    def execute(self, context: bpy.types.Context) -> set[str]:
        """All at once."""
        job = jobs.method_job(context, self.method)
        try:
            while True:
                next(job)
        except StopIteration as end:
            self.report({"INFO"}, told(context, end.value))
            return {"FINISHED"}
        except KomadoriError as error:
            return Careful.fail(self, error)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """In steps."""
        if bpy.app.background or context.window is None:
            return self.execute(context)
        self.job = jobs.method_job(context, self.method, threaded=True)
        self.timer = context.window_manager.event_timer_add(TICK_S, window=context.window)
        context.window_manager.progress_begin(0.0, 1.0)
        context.window_manager.modal_handler_add(self)
        context.workspace.status_text_set(say(Note("komadori is working. Esc cancels.")))
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """A piece of the work at every tick of the timer."""
        if event.type == "ESC":
            self.end(context)
            self.report({"INFO"}, say(Note("Cancelled; nothing was changed.")))
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        begun = time.monotonic()
        try:
            while time.monotonic() - begun < TICK_S:
                share = next(self.job)
                if share is None:
                    break
                context.window_manager.progress_update(share)
        except StopIteration as done:
            self.end(context)
            self.report({"INFO"}, told(context, done.value))
            return {"FINISHED"}
        except KomadoriError as error:
            self.end(context)
            return Careful.fail(self, error)
        return {"RUNNING_MODAL"}

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender itself ends the operator: a file is opened, or the window closes."""
        self.end(context)

    def end(self, context: bpy.types.Context) -> None:
        """Leave nothing behind."""
        # A job that is closed puts the scene's frame and actions back.
        self.job.close()
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)


def operator_of(method: Method) -> type:
    """The operator of a method."""
    name = method.name
    return type(
        f"KOMADORI_OT_{name}",
        (Method_, bpy.types.Operator),
        {
            "bl_idname": f"komadori.{name}",
            "bl_label": say(method.label),
            "bl_description": say(settings.summary(method)),
            "__doc__": settings.summary(method),
            "method": name,
        },
    )


class KOMADORI_OT_restore(Careful, bpy.types.Operator):
    """Let the source action play again; the result stays in the file"""

    bl_idname = "komadori.restore"
    bl_label = "Back to the source"

    def run(self, context: bpy.types.Context) -> str:
        """All selected armatures."""
        found = [source for ob in jobs.chosen_armatures(context) if (source := writing.restore(ob)) is not None]
        if not found:
            raise OptionError(Note("The selected armatures do not play a komadori result."))
        context.scene.frame_set(context.scene.frame_current)
        return say(Note("{names} plays again.", names=", ".join(quoted(source.name) for source in found)))


class KOMADORI_OT_handle(Careful, bpy.types.Operator):
    """Add an empty that moves the puppet"""

    bl_idname = "komadori.puppet_handle"
    bl_label = "Add a handle"

    def run(self, context: bpy.types.Context) -> str:
        """The active armature."""
        handle = puppets.add_handle(context, jobs.chosen_armatures(context)[0])
        return say(Note("Added {name}.", name=quoted(handle.name)))


class KOMADORI_OT_key(Careful, bpy.types.Operator):
    """Store the current pose as a key at the handle's position"""

    bl_idname = "komadori.puppet_key"
    bl_label = "Add a key"

    name: bpy.props.StringProperty()

    def run(self, context: bpy.types.Context) -> str:
        """The active armature."""
        made = puppets.add_key(context, jobs.chosen_armatures(context)[0], self.name)
        return say(Note("Added {name}.", name=quoted(made.keys[-1].name)))


class KOMADORI_OT_key_remove(Careful, bpy.types.Operator):
    """Delete this key"""

    bl_idname = "komadori.puppet_key_remove"
    bl_label = "Remove the key"

    name: bpy.props.StringProperty()

    def run(self, context: bpy.types.Context) -> str:
        """The active armature."""
        puppets.remove_key(_with_key(context, self.name), self.name, context.scene)
        return say(Note("Removed {name}.", name=quoted(self.name)))


class KOMADORI_OT_key_show(Careful, bpy.types.Operator):
    """Move the handle to this key and show its pose"""

    bl_idname = "komadori.puppet_key_show"
    bl_label = "Show the key"

    name: bpy.props.StringProperty()

    def run(self, context: bpy.types.Context) -> str:
        """The active armature."""
        puppets.show_key(context, _with_key(context, self.name), self.name)
        return self.name


def _with_key(context: bpy.types.Context, name: str) -> bpy.types.Object:
    ob = jobs.chosen_armatures(context)[0]
    names = puppets.key_names(ob)
    if name not in names:
        raise OptionError("name", expected=komadori.errors.one_of(names), found=name)
    return ob


class KOMADORI_OT_sheet_text(Careful, bpy.types.Operator):
    """Write the timesheet of the selected armatures into a text of the Text Editor"""

    bl_idname = "komadori.sheet_text"
    bl_label = "Timesheet as text"

    def run(self, context: bpy.types.Context) -> str:
        """All selected armatures side by side."""
        found = {ob.name: sheets.sheet_of(ob, context.scene) for ob in jobs.chosen_armatures(context)}
        text = bpy.data.texts.new(f"{next(iter(found))} timesheet")
        text.write(sheets.as_text(found))
        return say(Note("Made {names}.", names=quoted(text.name)))


class KOMADORI_OT_sheet_export(Careful, bpy.types.Operator, ExportHelper):
    """Save the timesheet of the selected armatures: XDTS for drawing programs, SVG to print, or JSON, CSV"""

    bl_idname = "komadori.sheet_export"
    bl_label = "Export timesheet"
    bl_options = {"REGISTER"}
    filename_ext = ".xdts"
    check_extension = None

    filter_glob: bpy.props.StringProperty(default="*.xdts;*.svg;*.json;*.csv", options={"HIDDEN"})

    def run(self, context: bpy.types.Context) -> str:
        """A track for each selected armature."""
        found = {ob.name: sheets.sheet_of(ob, context.scene)[1] for ob in jobs.chosen_armatures(context)}
        path = Path(bpy.path.abspath(self.filepath))
        written = sheets.save(found, path if path.suffix else path.with_suffix(self.filename_ext), language())
        return say(Note("Saved {name}.", name=", ".join(each.name for each in written)))


class KOMADORI_OT_sheet_import(Careful, bpy.types.Operator, ImportHelper):
    """Time the selected armatures by a timesheet: XDTS of a drawing program, or JSON, CSV"""

    bl_idname = "komadori.sheet_import"
    bl_label = "Import timesheet"
    filename_ext = ".xdts"

    filter_glob: bpy.props.StringProperty(default="*.xdts;*.json;*.csv", options={"HIDDEN"})

    def run(self, context: bpy.types.Context) -> str:
        """The track of an armature's name, else the first."""
        found = komadori.load(Path(bpy.path.abspath(self.filepath)), kind="timesheets")
        return told(context, jobs.sheet_job(context, found))


CLASSES = (
    KOMADORI_OT_restore,
    KOMADORI_OT_handle,
    KOMADORI_OT_key,
    KOMADORI_OT_key_remove,
    KOMADORI_OT_key_show,
    KOMADORI_OT_sheet_text,
    KOMADORI_OT_sheet_export,
    KOMADORI_OT_sheet_import,
)
