"""The desk: the one scene that is being worked on, its history, and how it changes when the page asks."""

from __future__ import annotations

from threading import Lock

import msgspec

from komadori.errors import OptionError
from komadori.studio.history import History
from komadori.studio.messages import (
    Ask,
    Cast,
    Change,
    EditSheet,
    EditTake,
    HairAsk,
    Open,
    PuppetAsk,
    Redo,
    Remove,
    Undo,
)
from komadori.studio.panels import panel
from komadori.studio.parts import puppet_edits, translate
from komadori.studio.parts.hair import of_another
from komadori.studio.parts.sheet import edit, merged
from komadori.studio.results import Results
from komadori.studio.scene import Scene
from komadori.studio.shelf import Shelf
from komadori.studio.telling import Teller
from komadori.words import Note


class Desk:
    """Holds the scene; `prepare` does what takes time (call it off the event loop), `do` changes the scene at once."""

    def __init__(self, shelf: Shelf, scene: Scene | None = None) -> None:
        self.shelf = shelf
        self.results = Results(shelf)
        self.teller = Teller(self.results)
        self.history = History(puppet_edits.recovered(scene or Scene()))
        self.revision = 0
        self._shelf_lock = Lock()

    @property
    def scene(self) -> Scene:
        """The scene as it is now."""
        return self.history.present

    def prepare(self, ask: Ask) -> None:
        """What `ask` will need, read and computed: anything that is wrong with it is raised here."""
        match ask:
            case Open():
                after = self._with_opened(ask)
                self.results.staged(after)
            case EditSheet():
                self.results.sheet(self.scene, ask.part)
            case _ if isinstance(ask, HairAsk):
                self.results.hair.asked(self.scene, ask)
            case Cast():
                self.results.driver.check(ask)
            case Remove():
                self._remove(ask)
            case _ if isinstance(ask, PuppetAsk):
                self.results.puppet(self.scene)

    def do(self, ask: Ask) -> None:
        """Changes the scene as asked."""
        match ask:
            case Undo():
                self._move_to(self.history.undone())
            case Redo():
                self._move_to(self.history.redone())
            case Open():
                with self._shelf_lock:
                    for key in filter(None, (ask.motion, ask.character)):
                        self.shelf.check(key)  # Another page may have removed it while this one prepared it.
                    self.put(self._with_opened(ask))
            case Change():
                self.put(_with_options(self.scene, ask), ask.gesture)
            case EditSheet():
                self.put(self._sheet_edited(ask), ask.gesture)
            case _ if isinstance(ask, HairAsk):
                self._move_to(
                    self.history.changed(self.results.hair.asked(self.scene, ask), getattr(ask, "gesture", ""))
                )
            case Cast():
                with self._shelf_lock:
                    for key in filter(None, (ask.animal, *(ask.train or ()))):
                        self.shelf.check(key)
                    self.put(translate.cast(self.scene, ask))
            case _ if isinstance(ask, PuppetAsk):
                staged, (_, puppet) = self.results.staged(self.scene), self.results.puppet(self.scene)
                scene = puppet_edits.edited(self.scene, ask, staged, puppet)
                if isinstance(ask, EditTake) and ask.edit == "show":
                    self._move_to(self.history.seen(scene))
                else:
                    self.put(scene, ask.gesture)

    def put(self, scene: Scene, gesture: str = "") -> None:
        """Makes `scene` the one that is worked on; what belongs to one gesture is undone together."""
        self._move_to(self.history.changed(scene, gesture))

    def _move_to(self, history: History) -> None:
        if history.present != self.history.present:
            self.revision += 1
        self.history = history

    def _remove(self, ask: Remove) -> None:
        """Takes a file from the shelf, unless the scene needs it."""
        with self._shelf_lock:
            self._remove_unused(ask)

    def _remove_unused(self, ask: Remove) -> None:
        scene = self.scene
        used = [scene.motion, scene.character, scene.translate.animal, *scene.translate.train]
        place = ask.key.partition("/")[0] if ask.key.startswith("drop:") else ask.key
        if any(key.partition("#")[0] == ask.key or key.startswith(f"{place}/") for key in used):
            raise OptionError(Note("this file, or one that came with it, is in use: open another first"))
        self.shelf.removed(ask.key)

    def _with_opened(self, ask: Open) -> Scene:
        """The scene with another motion or character; sheets that were edited by hand belonged to the old clip."""
        motion = self.scene.motion if ask.motion is None else ask.motion
        character = self.scene.character if ask.character is None else ask.character
        if not motion and not character:
            raise OptionError(Note("open a motion, a character, or both"))
        scene = of_another(msgspec.structs.replace(self.scene, motion=motion, character=character))
        if scene.puppet.keys:
            scene = puppet_edits.moved(scene, self.results.skeleton(self.scene), self.results.skeleton(scene))
        if ask.motion is None:
            return scene
        for name, part in scene.parts.items():
            options = {key: value for key, value in part.options.items() if not isinstance(value, list)}
            # Lists name frames of a clip, and mean nothing for another.
            scene = scene.with_part(name, sheet=None, options=options)
        return scene

    def _sheet_edited(self, ask: EditSheet) -> Scene:
        sheet = self.results.sheet(self.scene, ask.part).sheet
        frames = len(self.results.staged(self.scene).motion)
        if ask.edit == "reset":
            return self.scene.with_part(ask.part, sheet=None)
        if ask.edit == "pin":
            if not 0 <= ask.frame < len(sheet):
                raise OptionError(
                    "frame", expected=Note("a frame of the sheet, 0 to {last}", last=len(sheet) - 1), found=ask.frame
                )
            pins = self.scene.part(ask.part).options.get("pins", [])
            pinned = sorted({*(pins if isinstance(pins, list) else ())} ^ {int(sheet.source[ask.frame])})
            return _with_options(self.scene, Change(ask.part, {"pins": pinned}))
        return self.scene.with_part(ask.part, sheet=edit(sheet.source.tolist(), ask, frames))


def _with_options(scene: Scene, ask: Change) -> Scene:
    """The scene with other options of a part; a sheet edited by hand gives way to what the method now says."""
    options = merged(scene.part(ask.part).options, ask.options, panel(ask.part).options)
    return scene.with_part(ask.part, options=options, sheet=None)
