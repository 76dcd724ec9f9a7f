"""Make the pictures of docs/limited.md and the README again: `python docs/make_pictures/limited.py [CMU_124_01.bvh]`."""

from __future__ import annotations

import sys
from pathlib import Path

import komadori
from komadori.characters import sample
from komadori.render.charts import steps_chart
from komadori.render.drawing import save
from komadori.render.figures import motion_gif, strip
from komadori.render.sheets import printed_sheet

PICTURES = Path(__file__).parent.parent / "pictures"


def main(captured: str | None) -> None:
    """The built-in pitch before and after; and the paper's Pitch, if its file is there."""
    pitch = sample("pitch")
    result = komadori.limited(pitch, omit=4, solver="greedy", peaks=False)
    motion_gif([pitch, result.motion], PICTURES / "pitch.gif", labels=["captured", "limited"])
    throw = range(64, 84)
    labels = [f"{frame} ({source})" for frame, source in enumerate(result.sheet.source) if frame in throw]
    save(strip(pitch, throw), PICTURES / "pitch-captured.png")
    save(strip(result.motion, throw, labels=labels), PICTURES / "pitch-limited.png")
    seen = komadori.limited(pitch)
    labels = [f"{frame} ({source})" for frame, source in enumerate(seen.sheet.source) if frame in throw]
    save(strip(seen.motion, throw, labels=labels), PICTURES / "pitch-peaks.png")
    save(steps_chart(result, title="the built-in pitch"), PICTURES / "pitch-chart.svg")
    save(printed_sheet({"A": result.sheet}, title="pitch"), PICTURES / "pitch-sheet.svg")
    save(strip(komadori.exaggerate(pitch).motion, range(48, 96, 4)), PICTURES / "pitch-exaggerated.png")
    save(strip(pitch, range(48, 96, 4)), PICTURES / "pitch-plain.png")
    if captured is not None:
        paper = komadori.limited(
            komadori.load(captured).prepared(fps=24), omit=4, hold=33, solver="greedy", peaks=False
        )
        save(steps_chart(paper, title="CMU 124_01, the paper's Pitch"), PICTURES / "cmu-124-01-chart.svg")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
