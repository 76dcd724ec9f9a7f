"""Live translation: the person goes from frame to frame, and the driven joints follow through a stream."""

from __future__ import annotations

import numpy as np

from komadori.methods.translate import Stream
from komadori.studio.messages import Follow, FollowArrays
from komadori.studio.packing import packed
from komadori.studio.parts.translate import Driven


class Follower:
    """Holds one page's stream, which remembers what came before; a leap of more than a second begins again."""

    def __init__(self) -> None:
        self._driven: Driven | None = None
        self._stream: Stream | None = None
        self._frame = 0

    def followed(self, driven: Driven, ask: Follow) -> bytes:
        """What the driven joints do now."""
        last = len(driven.person) - 1
        frame = max(0, min(last, ask.frame))
        translator = driven.translator
        if translator is None:
            # An animal's frames need the person's next step: they are those of the whole clip, hooves where they stand.
            rotations = driven.staged.motion.rotations[frame, list(driven.inner)]
            return packed(FollowArrays(ask.serial, frame, np.array(driven.inner), rotations))
        if self._stream is None or self._driven is not driven or abs(frame - self._frame) > driven.person.fps:
            self._driven, self._stream, self._frame = driven, translator.stream(), frame
        # The page may have skipped frames that it had no time to draw; the body went through them all the same.
        way = 1 if frame >= self._frame else -1
        passed = range(self._frame + way, frame + way, way) if frame != self._frame else (frame,)
        for now in passed:
            rotations = self._stream.step(driven.person.rotations[now])
        self._frame = frame
        return packed(FollowArrays(ask.serial, frame, np.array(translator.outputs), rotations))
