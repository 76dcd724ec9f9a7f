"""History: the scene as it is, was and would be again; one gesture of the hand is one step back."""

from __future__ import annotations

from dataclasses import dataclass, replace

from komadori.studio.scene import Scene

DEPTH = 500
"""Steps that can be taken back."""


@dataclass(frozen=True)
class History:
    """`past` (oldest first), the present and `future` (next first); `gesture` is what the last change belonged to."""

    present: Scene
    past: tuple[Scene, ...] = ()
    future: tuple[Scene, ...] = ()
    gesture: str = ""

    def changed(self, scene: Scene, gesture: str = "") -> History:
        """The history with `scene` now. Changes of one gesture (a drag) are undone together."""
        if scene == self.present:
            return self
        if gesture and gesture == self.gesture:
            return replace(self, present=scene, future=())
        return History(scene, (*self.past, self.present)[-DEPTH:], (), gesture)

    def seen(self, scene: Scene) -> History:
        """The history with `scene` now, where it only looks at something else: there is nothing to take back."""
        return replace(self, present=scene)

    def undone(self) -> History:
        """One step back; the same if there is none."""
        if not self.past:
            return self
        return History(self.past[-1], self.past[:-1], (self.present, *self.future))

    def redone(self) -> History:
        """One step forward again; the same if there is none."""
        if not self.future:
            return self
        return History(self.future[0], (*self.past, self.present), self.future[1:])
