"""Results: what the methods make of a scene, made once and kept for a while."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from komadori.errors import OptionError
from komadori.methods import declared
from komadori.methods.keyposes import KeyposesResult
from komadori.methods.limited import LimitedResult
from komadori.methods.puppet import Puppet
from komadori.motion import Motion
from komadori.result import Result
from komadori.skeleton import Skeleton
from komadori.studio.parts import derived, puppet, translate
from komadori.studio.parts.company import Company
from komadori.studio.parts.hair import Hair
from komadori.studio.parts.poses import redrawn
from komadori.studio.parts.sheet import Edited, edited_sheet
from komadori.studio.scene import Opened, PosedFrame, Scene
from komadori.studio.shelf import Shelf
from komadori.studio.shot import View
from komadori.studio.stage import Stage, Staged
from komadori.words import Note

KEPT = 32
"""Results that are kept."""


class Results:
    """Makes what the parts show, from the shelf's motions and characters."""

    def __init__(self, shelf: Shelf) -> None:
        self.stage = Stage(shelf)
        self.hair = Hair(self.stage)
        self.driver = translate.Driver(shelf, self.stage)
        self._puppets = puppet.Maker()
        self.company = Company(self.stage)
        self._clip: tuple[list[PosedFrame], Motion, Motion] | None = None
        self._run = lru_cache(KEPT)(self._run_method)

    def staged(self, scene: Scene) -> Staged:
        """The body on the stage, with its motion."""
        return self.stage.ready(*scene.opened)

    def skeleton(self, scene: Scene) -> Skeleton:
        """The skeleton of the body on the stage."""
        return self.staged(scene).motion.skeleton

    def method(self, scene: Scene, name: str) -> Result:
        """What the method called `name` makes of the body on the stage, before any edit by hand."""
        if name == "keyposes":
            return self.keyposes(scene)
        options = msgspec.json.encode(scene.part(name).options, order="sorted")
        seen = any(item.reads == "camera" for item in declared(name).parameters)
        return self._run(name, scene.opened, options, scene.shot.view if seen else None)

    def limited(self, scene: Scene) -> LimitedResult:
        """Limited animation of the scene's clip."""
        made = self.method(scene, "limited")
        assert isinstance(made, LimitedResult)
        return made

    def keyposes(self, scene: Scene) -> KeyposesResult:
        """Key poses of the scene's clip."""
        # One run finds the keys of every count: the slider only chooses among them.
        options = dict(scene.part("keyposes").options)
        count = options.pop("count", None)
        found = self._run("keyposes", scene.opened, msgspec.json.encode(options, order="sorted"), None)
        assert isinstance(found, KeyposesResult)
        return found.at(count) if isinstance(count, int) else found

    def puppet(self, scene: Scene) -> tuple[Skeleton, Puppet | None]:
        """The body on the stage, and its puppet if there are keys."""
        skeleton = self.skeleton(scene)
        return skeleton, self._puppets.of(scene.puppet, skeleton)

    def sheet(self, scene: Scene, name: str) -> Edited:
        """The timesheet that is shown: the method's, with what a hand locked on it."""
        if not declared(name).makes_sheet:
            raise OptionError(Note("{name} has no timesheet", name=name))
        made = self.method(scene, name).sheet
        assert made is not None
        return edited_sheet(scene.locks(name), made, len(self.staged(scene).motion))

    def clip(self, scene: Scene, name: str) -> Motion:
        """The clip whose frames the sheet of the method called `name` shows: as captured, but for poses that a hand redrew."""
        drawn, motion = scene.poses(name), self.staged(scene).motion
        if self._clip is None or self._clip[0] is not drawn or self._clip[1] is not motion:
            self._clip = (drawn, motion, redrawn(motion, drawn))
        return self._clip[2]

    def _run_method(self, name: str, opened: Opened, options: bytes, view: View | None) -> Result:
        return derived.run(declared(name), self.stage.ready(*opened), msgspec.json.decode(options), view)
