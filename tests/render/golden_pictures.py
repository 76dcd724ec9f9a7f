"""Golden pictures: small drawings of our own characters that tests compare with.

After a change that is meant, run `python tests/render/golden_pictures.py`, look at what it wrote, and commit it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from komadori.camera import Camera
from komadori.characters import character, sample
from komadori.methods.retarget import retarget
from komadori.render import film
from komadori.render.shot import shot_of
from komadori.render.textures import Pixels

FOLDER = Path(__file__).parent / "golden"
SIZE = (160, 120)


def _girl(clip: str, frame: int, **options: object) -> Pixels:
    girl = character("girl")
    return shot_of(retarget(sample(clip), girl).motion, girl, size=SIZE, **options).picture(frame)


def _face() -> Pixels:
    girl = character("girl")
    head = girl.rest.world_positions()[0, girl.skeleton.roles["head"]] + [0.0, 0.06, 0.0]
    near = Camera(head + np.array([0.25, 0.0, 1.1]), head, fov_deg=24.0)
    return shot_of(girl.rest, girl, camera=near, size=SIZE).picture(0)


def _horse() -> Pixels:
    horse = character("horse")
    return shot_of(horse.rest, horse, camera="side", size=SIZE).picture(0)


GOLDEN: dict[str, Callable[[], Pixels]] = {
    "pitch-toon": lambda: _girl("pitch", 71),
    "pitch-line": lambda: _girl("pitch", 71, style="line", camera="side"),
    "pitch-clay": lambda: _girl("pitch", 71, style="clay", camera="front"),
    "kick-onion": lambda: _girl("kick", 38, onion=2),
    "walk-follow": lambda: _girl("walk", 30, camera="follow"),
    "face": _face,
    "horse": _horse,
    "bones": lambda: shot_of(sample("kick"), size=SIZE).picture(38),
}
"""Name -> what draws it."""


def difference(one: Pixels, two: Pixels) -> Pixels:
    """Both pictures and, between them, where they differ (white is most)."""
    away = np.clip(np.abs(one.astype(int) - two).max(axis=-1) * 3, 0, 255).astype(np.uint8)
    return np.concatenate([one, np.repeat(away[..., None], 3, axis=-1), two], axis=1)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, drawn in GOLDEN.items():
        (FOLDER / f"{name}.png").write_bytes(film.png(drawn()))
        print(FOLDER / f"{name}.png")


if __name__ == "__main__":
    main()
