"""The picture of docs/measure.md: how the measures of the CMU clips are spread. `python docs/make_pictures/measure.py FOLDER`."""

from __future__ import annotations

import sys
from pathlib import Path

from komadori.cli import run

PICTURES = Path(__file__).parents[1] / "pictures"


def main(folder: str) -> int:
    """Measure every clip in `folder` and draw the distributions, in both languages."""
    clips = ["measure", folder]
    for name, language in (("measure-cmu.svg", "en"), ("measure-cmu-ja.svg", "ja")):
        run([*clips, "--chart", str(PICTURES / name), "--lang", language])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
