"""Which of several animations in a file is meant if nobody names one: the first that moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from komadori.errors import one_line
from komadori.motion import Motion
from komadori.words import Note

FEWEST = 3
"""Fewer frames than this are a pose that was stored as an animation, if anything else is there."""


def chosen(names: Sequence[str], motion_of: Callable[[str], Motion]) -> Motion:
    """The first of the animations `names` that moves, else the first; a note names it and the others.

    Programs that export a character often add an animation of one held pose, and often put it first.
    """
    assert names
    name, motion = names[0], motion_of(names[0])
    if len(names) == 1:
        return motion
    if not (len(motion) >= FEWEST and motion.moves):
        others = ((other, motion_of(other)) for other in names[1:])
        name, motion = next(((n, m) for n, m in others if len(m) >= FEWEST and m.moves), (name, motion))
    rest = one_line(", ".join(other for other in names if other != name), 200)
    template = "Took the animation {name}. The file also holds {others}; write FILE#NAME to take one of them."
    return motion.noted(Note(template, name=one_line(name, 80), others=rest))
