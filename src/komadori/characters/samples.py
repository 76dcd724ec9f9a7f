"""Sample motions made by code, free of any licence: a pitch, a kick, two walks and a jog on the built-in body."""

from __future__ import annotations

import numpy as np

from komadori import rates
from komadori.characters import acting, body
from komadori.characters.gait import JOG, SLOW_WALK, WALK, Gait
from komadori.characters.kick import KICK
from komadori.characters.pitch import PITCH
from komadori.errors import OptionError, one_of
from komadori.motion import Motion
from komadori.words import Note

PERFORMANCES: dict[str, acting.Take | Gait] = {
    "pitch": PITCH,
    "kick": KICK,
    "walk": WALK,
    "slow-walk": SLOW_WALK,
    "jog": JOG,
}
SAMPLES: tuple[str, ...] = tuple(PERFORMANCES)
DESCRIPTIONS: dict[str, str] = {
    "pitch": "a baseball pitch from the wind-up: leg lift, stride, whip of the arm, follow-through",
    "kick": "two steps and a shot at a ball: plant, back-swing, whip of the shin, balance",
    "walk": "a lively walk, eight steps",
    "slow-walk": "a slow, tired walk, eight steps",
    "jog": "a jog, eight steps, both feet in the air between them",
}
"""One line about every sample; Japanese through `komadori.words.translated`."""
MOST_FPS = 10_000


def sample(name: str, fps: float = 24.0) -> Motion:
    """The sample called `name` (one of SAMPLES) at `fps` frames per second, on `body.humanoid()`.

    The curves themselves are read at every frame's time, so moments that two frame rates share are the same.

    >>> sample("pitch")
    Motion(129 frames at 24 fps, 31 joints, 5.38 s)
    """
    if name not in PERFORMANCES:
        raise OptionError("sample", expected=one_of(SAMPLES), found=str(name))
    performance = PERFORMANCES[name]
    rate = rates.exact(fps)
    if rate > MOST_FPS:
        raise OptionError("fps", expected=Note("at most {most} fps", most=MOST_FPS), found=fps)
    # A millionth of a frame of slack: the length is a decimal, the last frame belongs to it.
    last = int(performance.seconds * float(rate) + 1e-6)
    times = np.arange(last + 1) * rate.denominator / rate.numerator
    rotations, positions = acting.posed(performance.channels(times), performance.reach)
    return Motion(body.humanoid(), fps, rotations, positions)
