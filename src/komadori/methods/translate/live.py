"""Live: a person's frames go in as they come, the animal's come out a fixed time later, just as `quadruped` makes them."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori.character import Character
from komadori.errors import OptionError
from komadori.methods.translate.acting import Acting, Beat, Beats
from komadori.methods.translate.animal import loose
from komadori.methods.translate.beast import Beast, beast
from komadori.methods.translate.posing import Memory, posed
from komadori.methods.translate.quadruped_options import ActingOptions
from komadori.methods.translate.reading import spans, unwound, with_speeds
from komadori.methods.translate.watching import AT, Watcher, checked, start_of, watcher
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Note


@dataclass(frozen=True, eq=False)
class Frame:
    """One frame of the animal: local rotations (J, 4) and positions (J, 3), and which feet (LH, RH, LF, RF) stand, (4,)."""

    rotations: Array
    positions: Array
    stands: NDArray[np.bool_]


class QuadrupedStream:
    """A person of `skeleton` who acts `animal` live, at `fps` frames per second.

    Give every frame to `push`; it answers with the animal's frame of `look_ahead` frames before (about two thirds of a second: so
    long must the person's next step be known), or with None at the start. `finish` gives the frames that are left.
    `options` but `loop` can be given as one or by name. `skeleton` below is the animal's.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        animal: Character | Motion,
        fps: float = 30.0,
        options: ActingOptions | None = None,
        **named: Any,
    ) -> None:
        acting = ActingOptions(**named) if options is None else options
        if acting.loop:
            raise OptionError(
                "loop",
                problem=Note("a live performer does not repeat"),
                advice=Note("leave it out"),
            )
        self._person, self._fps, self._options = skeleton, fps, acting
        self._beast: Beast = beast(animal, fps)
        self._spans = spans(fps)
        self._rows: deque[Array] = deque(maxlen=2 * self._spans.difference + 1)
        self._reader: Watcher | None = None
        self._acting: Acting | None = None
        self._start = np.zeros(3)
        self._memory = Memory()
        self._count = 0
        self._last: Array | None = None
        self._roots = self._beast.body.skeleton.parents < 0

    @property
    def skeleton(self) -> Skeleton:
        """The animal's."""
        return self._beast.taught.skeleton

    @property
    def look_ahead(self) -> int:
        """Frames of the person that must be known beyond the one that is shown."""
        return self._spans.ahead

    def push(self, rotations: Array, positions: Array) -> Frame | None:
        """Local rotations (J, 4) and positions (J, 3) of the person's next frame in, the animal's next frame out."""
        q, p = np.asarray(rotations, dtype=np.float64)[None], np.asarray(positions, dtype=np.float64)[None]
        if q.shape != (1, len(self._person), 4) or p.shape != (1, len(self._person), 3):
            raise OptionError(
                "rotations",
                problem=Note("rotations and positions must have {joints} joints", joints=len(self._person)),
            )
        if not (np.isfinite(q).all() and np.isfinite(p).all()):
            raise OptionError("rotations", expected=Note("finite numbers"), found=Note("NaN or infinity"))
        if self._reader is None:
            self._reader = checked(watcher(self._person, p[0]), q, p)
            self._start = start_of(self._reader, q, p)
            self._acting = Acting(self._beast.stage, self._fps, self._reader.shin, self._options)
        before = float(self._rows[-1][AT["heading"]]) if self._rows else None
        self._rows.append(unwound(self._reader.rows(q, p), before)[0])
        self._count += 1
        reach = self._spans.difference
        if self._count <= reach:
            return None
        return self._acted(len(self._rows) - 1 - reach)

    def finish(self) -> list[Frame]:
        """The frames that are left; the person continues as in the last ones."""
        if self._acting is None:
            return []
        late = range(max(len(self._rows) - self._spans.difference, 0), len(self._rows))
        made = [self._acted(at) for at in late]
        made += [self._shown(beat) for beat in self._acting.finish()]
        return [frame for frame in made if frame is not None]

    def _acted(self, at: int) -> Frame | None:
        assert self._acting is not None
        row = with_speeds(np.array(self._rows), at, at + 1, self._fps)[0]
        return self._shown(self._acting.push(row))

    def _shown(self, beat: Beat | None) -> Frame | None:
        if beat is None:
            return None
        body = self._beast.body
        rotations, positions, stands, _ = posed(self._beast.poser, Beats(*(part[None] for part in beat)), self._memory)
        positions[:, self._roots] += self._start
        if self._beast.taught.followers:
            taught = self._beast.taught
            rotations, positions = loose(
                rotations, positions, body.skeleton, taught.skeleton, taught.followers, taught.order
            )
        if self._last is not None:
            rotations = np.where((rotations[0] * self._last).sum(axis=1)[:, None] < 0.0, -rotations, rotations)
        self._last = rotations[0]
        return Frame(rotations[0], positions[0], stands[0])
