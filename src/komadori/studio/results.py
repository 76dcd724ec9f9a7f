"""Results: what the methods make of a scene, made once and kept for a while."""

from __future__ import annotations

from functools import lru_cache

import msgspec

from komadori.methods.keyposes import KeyposesResult
from komadori.methods.limited import LimitedResult
from komadori.methods.puppet import Puppet
from komadori.skeleton import Skeleton
from komadori.studio.messages import SheetPart
from komadori.studio.parts import keyposes, limited, puppet, translate
from komadori.studio.parts.hair import Hair
from komadori.studio.parts.sheet import Edited
from komadori.studio.scene import Scene
from komadori.studio.shelf import Shelf
from komadori.studio.stage import Stage, Staged

KEPT = 16
"""Results of each method that are kept."""


class Results:
    """Makes what the parts show, from the shelf's motions and characters."""

    def __init__(self, shelf: Shelf) -> None:
        self.stage = Stage(shelf)
        self.hair = Hair(self.stage)
        self.driver = translate.Driver(shelf, self.stage)
        self._puppets = puppet.Maker()
        self._limited = lru_cache(KEPT)(self._make_limited)
        self._keyposes = lru_cache(KEPT)(self._make_keyposes)

    def staged(self, scene: Scene) -> Staged:
        """The body on the stage, with its motion."""
        return self.stage.ready(scene.motion, scene.character)

    def skeleton(self, scene: Scene) -> Skeleton:
        """The skeleton of the body on the stage."""
        return self.staged(scene).motion.skeleton

    def limited(self, scene: Scene) -> LimitedResult:
        """Limited animation of the scene's clip."""
        return self._limited(scene.motion, scene.character, msgspec.json.encode(scene.limited.options, order="sorted"))

    def keyposes(self, scene: Scene) -> KeyposesResult:
        """Key poses of the scene's clip."""
        # One run finds the keys of every count: the slider only chooses among them.
        options = {name: value for name, value in scene.keyposes.options.items() if name != "count"}
        found = self._keyposes(scene.motion, scene.character, msgspec.json.encode(options, order="sorted"))
        count = scene.keyposes.options.get("count")
        return found.at(count) if isinstance(count, int) else found

    def puppet(self, scene: Scene) -> tuple[Skeleton, Puppet | None]:
        """The body on the stage, and its puppet where there are keys."""
        skeleton = self.skeleton(scene)
        return skeleton, self._puppets.of(scene.puppet, skeleton)

    def sheet(self, scene: Scene, part: SheetPart) -> Edited:
        """The timesheet that is shown: the one that was edited by hand, or the method's."""
        if part == "limited":
            return limited.shown(scene, self.limited(scene))
        return keyposes.shown(scene, self.keyposes(scene))

    def _make_limited(self, motion: str, character: str, options: bytes) -> LimitedResult:
        scene = limited.changed(Scene(), options=msgspec.json.decode(options))
        return limited.result(scene, self.stage.ready(motion, character))

    def _make_keyposes(self, motion: str, character: str, options: bytes) -> KeyposesResult:
        scene = keyposes.changed(Scene(), options=msgspec.json.decode(options))
        return keyposes.result(scene, self.stage.ready(motion, character))
