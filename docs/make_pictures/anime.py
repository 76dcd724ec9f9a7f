"""Make the pictures of docs/anime.md and the README again: `python docs/make_pictures/anime.py`."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from komadori.anime.pair import pair_of
from komadori.anime.poster import poster
from komadori.characters import character, sample
from komadori.pipeline import look
from komadori.render.toon import Pixels
from komadori.words import Note

PICTURES = Path(__file__).parent.parent / "pictures"


def saved(name: str, picture: Pixels) -> None:
    """A picture as a PNG of few colours."""
    few = Image.fromarray(picture).quantize(192, dither=Image.Dither.NONE)
    few.save(PICTURES / f"anime-{name}.png", optimize=True)


def main() -> None:
    """The poster of the demo, a picture of its film, and the kick in another look."""
    girl = character("girl")
    pitch = look("tv").run(sample("pitch"), girl)
    saved("poster", poster(pitch, title="pitch", view="three-quarter", style="toon", language="en"))
    pictures = pair_of(pitch, "three-quarter", "toon", (480, 480)).pictures(
        Note("captured"), Note("look: {name}", name="tv")
    )
    saved("film", next(picture for frame, picture in enumerate(pictures) if frame == 73))
    kick = look("snappy").run(sample("kick"), girl)
    saved("snappy", poster(kick, title="kick", view="three-quarter", style="toon", language="en"))


if __name__ == "__main__":
    main()
