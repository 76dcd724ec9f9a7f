"""The desk: the one scene that is being worked on, its history, and how it changes when the page asks."""

from __future__ import annotations

from threading import Lock

import msgspec

from komadori.errors import KomadoriError, OptionError
from komadori.studio.history import History
from komadori.studio.messages import (
    Ask,
    Cast,
    Change,
    EditKeyPose,
    EditSheet,
    EditShot,
    EditTake,
    EditTogether,
    HairAsk,
    Open,
    PuppetAsk,
    Redo,
    Remove,
    Undo,
)
from komadori.studio.panels import panel
from komadori.studio.parts import poses, puppet_edits, translate
from komadori.studio.parts.hair import of_another
from komadori.studio.parts.sheet import edit, merged
from komadori.studio.results import Results
from komadori.studio.scene import Scene
from komadori.studio.shelf import Shelf
from komadori.studio.shot import Shot, at_rate
from komadori.studio.telling import Teller
from komadori.words import Note


class Desk:
    """Holds the scene; `prepare` does what takes time (call it off the event loop), `do` changes the scene at once."""

    def __init__(self, shelf: Shelf, scene: Scene | None = None) -> None:
        self.revision = -1
        self.generation = -1
        """Which project lies on the desk, counted from 0."""
        self._shelf_lock = Lock()
        self.become(shelf, scene)

    def become(self, shelf: Shelf, scene: Scene | None) -> None:
        """Clears the desk for another project; what was done before cannot be undone in it."""
        self.shelf = shelf
        self.results = Results(shelf)
        self.teller = Teller(self.results)
        self.history = History(puppet_edits.recovered(scene or Scene()))
        self.revision += 1
        self.generation += 1

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
            case EditKeyPose():
                self.results.sheet(self.scene, ask.part)
            case EditShot():
                self._check_shot(ask)
            case _ if isinstance(ask, HairAsk):
                self.results.hair.asked(self.scene, ask)
            case Cast():
                self.results.driver.check(ask)
            case Remove():
                self._remove(ask)
            case EditTogether():
                self.results.company.check(self.scene, ask.characters, self.results.skeleton(self.scene))
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
            case EditKeyPose():
                self.put(poses.edited(self.scene, ask, self.results.staged(self.scene).motion), ask.gesture)
            case EditShot():
                with self._shelf_lock:
                    shot = self._check_shot(ask)
                    self.put(msgspec.structs.replace(self.scene, shot=shot), ask.gesture)
            case _ if isinstance(ask, HairAsk):
                self._move_to(
                    self.history.changed(self.results.hair.asked(self.scene, ask), getattr(ask, "gesture", ""))
                )
            case Cast():
                with self._shelf_lock:
                    for key in filter(None, (ask.animal, *(ask.train or ()))):
                        self.shelf.check(key)
                    self.put(translate.cast(self.scene, ask))
            case EditTogether():
                with self._shelf_lock:
                    for key in ask.characters:
                        self.shelf.check(key)
                    self.put(puppet_edits.together(self.scene, ask), ask.gesture)
            case _ if isinstance(ask, PuppetAsk):
                staged, (_, puppet) = self.results.staged(self.scene), self.results.puppet(self.scene)
                scene = puppet_edits.edited(self.scene, ask, staged, puppet)
                if isinstance(ask, EditTake) and ask.edit == "show":
                    self._move_to(self.history.seen(scene))
                else:
                    self.put(scene, ask.gesture)

    def put(self, scene: Scene, gesture: str = "") -> None:
        """Makes `scene` the one that is worked on; changes of one gesture are undone together."""
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
        shot = [one.key for one in (scene.shot.sound, scene.shot.reference) if one is not None]
        used = [
            scene.motion,
            scene.character,
            scene.translate.animal,
            *scene.translate.train,
            *scene.puppet.together,
            *shot,
        ]
        place = ask.key.partition("/")[0] if ask.key.startswith("drop:") else ask.key
        if any(key.partition("#")[0] == ask.key or key.startswith(f"{place}/") for key in used):
            raise OptionError(Note("this file, or one that came with it, is in use: open another first"))
        self.shelf.removed(ask.key)

    def _check_shot(self, ask: EditShot) -> Shot:
        """The shot as asked; what it is timed against must be on the shelf, and be what it is taken for."""
        shot = msgspec.structs.replace(self.scene.shot, **{name: getattr(ask.shot, name) for name in ask.fields})
        if shot.first is not None and shot.last is not None and shot.last <= shot.first:
            raise OptionError(Note("the out point must come after the in point"))
        if shot.sound is not None:
            self.shelf.media_file(shot.sound.key, "sound")
        if shot.reference is not None:
            self.shelf.media_file(shot.reference.key, "film", "stills")
        return shot

    def _with_opened(self, ask: Open) -> Scene:
        """The scene with another motion or character; sheets that were edited by hand belonged to the old clip."""
        motion = self.scene.motion if ask.motion is None else ask.motion
        character = self.scene.character if ask.character is None else ask.character
        if ask.motion and ask.character is None and character and not self._can_play(character, motion):
            character = ""
        if not motion and not character:
            raise OptionError(Note("open a motion, a character, or both"))
        fps = self.scene.fps if ask.fps is None else ask.fps
        scene = of_another(msgspec.structs.replace(self.scene, motion=motion, character=character, fps=fps))
        if scene.puppet.keys or scene.puppet.sets:
            scene = puppet_edits.moved(scene, self.results.skeleton(self.scene), self.results.skeleton(scene))
        if scene.character != self.scene.character:
            # A pose belongs to one body.
            for name in scene.parts:
                scene = scene.with_part(name, poses=[])
        if fps != self.scene.fps:
            scene = msgspec.structs.replace(scene, shot=at_rate(scene.shot, fps / self.scene.fps))
        if ask.motion is None and fps == self.scene.fps:
            return scene
        if ask.motion is not None:
            scene = msgspec.structs.replace(scene, shot=msgspec.structs.replace(scene.shot, first=None, last=None))
        for name, part in scene.parts.items():
            options = {key: value for key, value in part.options.items() if not isinstance(value, list)}
            # Lists name frames of a clip, and mean nothing for another.
            scene = scene.with_part(name, locks=[], poses=[], options=options)
        return scene

    def _can_play(self, character: str, motion: str) -> bool:
        """Whether the body that is open can play another clip; one whose joints nobody knows plays on its own skeleton alone."""
        try:
            self.results.stage.ready(motion, character, self.scene.fps)
        except OptionError:
            try:
                self.results.stage.ready(motion, "", self.scene.fps)
            except KomadoriError:
                return True  # More is wrong with it, which is reported when it is opened.
            return False
        return True

    def _sheet_edited(self, ask: EditSheet) -> Scene:
        over = self.results.sheet(self.scene, ask.part).laid
        frames = len(self.results.staged(self.scene).motion)
        if ask.edit != "pin":
            if ask.edit == "reset":
                return self.scene.with_part(ask.part, locks=[])
            return self.scene.with_part(ask.part, locks=edit(over, ask, frames))
        over.check(ask.frame)
        # Key poses are chosen from the clip's frames: the one under the playhead is meant, not the key that is held there.
        pinned = over.base(ask.frame) if ask.part == "keyposes" else int(over.source[ask.frame])
        pins = self.scene.part(ask.part).options.get("pins", [])
        return _with_options(
            self.scene, Change(ask.part, {"pins": sorted({*(pins if isinstance(pins, list) else ())} ^ {pinned})})
        )


def _with_options(scene: Scene, ask: Change) -> Scene:
    """The scene with other options of a part; what a hand locked on its sheet stays."""
    options = merged(scene.part(ask.part).options, ask.options, panel(ask.part).options)
    return scene.with_part(ask.part, options=options)
