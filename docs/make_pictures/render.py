"""Make the pictures of docs/render.md again: `python docs/make_pictures/render.py`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from komadori.characters import character, sample
from komadori.methods.limited import limited
from komadori.methods.retarget import retarget
from komadori.render import film
from komadori.render.shot import shot_of
from komadori.render.toon import STYLES, Pixels

PICTURES = Path(__file__).parent.parent / "pictures"


def saved(name: str, picture: Pixels) -> None:
    """A picture as a PNG of few colours."""
    few = Image.fromarray(picture).quantize(160, dither=Image.Dither.NONE)
    few.save(PICTURES / f"render-{name}.png", optimize=True)


def main() -> None:
    """The girl's limited pitch as a poster and with its sheet, all styles, and the others at a walk."""
    girl, mannequin, horse = (character(name) for name in ("girl", "mannequin", "horse"))
    pitch = limited(retarget(sample("pitch"), girl).motion).motion
    # Seen as the whole pitch begins.
    camera = shot_of(pitch, girl, camera="three-quarter", size=(300, 300)).camera
    saved("poster", film.poster(shot_of(pitch[58:92], girl, camera=camera, size=(300, 300)), 8))
    shot = shot_of(pitch, girl, onion=3)
    shown = [picture for frame, picture in enumerate(film.with_sheet(shot.pictures(), shot.sheet)) if frame == 78]
    saved("sheet", shown[0])
    looks = [shot_of(pitch[58:92], girl, camera=camera, style=style, size=(300, 300)).picture(17) for style in STYLES]
    saved("styles", np.concatenate(looks, axis=1))
    others = [
        shot_of(sample("walk"), camera="follow", size=(300, 300)).picture(30),
        shot_of(sample("walk"), mannequin, camera="follow", size=(300, 300)).picture(30),
        shot_of(horse.motions["trot"], horse, camera="follow", size=(300, 300)).picture(30),
    ]
    saved("others", np.concatenate(others, axis=1))


if __name__ == "__main__":
    main()
