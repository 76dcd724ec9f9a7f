"""Writes the pictures of docs/keyposes.md: `python docs/make_pictures/keyposes.py FOLDER_OF_CMU_BVH_FILES`.

The baseball pitch is 124_01 of CMU's motion capture database, which is free for all uses. All other motion is built in.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np

import komadori
from komadori import Motion
from komadori.characters import sample
from komadori.methods.keyposes import KeyposesResult
from komadori.motion import joined
from komadori.render.drawing import Circle, Drawing, Item, Line, Polyline, Rect, Text, save
from komadori.render.keyposes import curve_chart, key_strip, keyposes_chart
from komadori.render.layout import placed

PICTURES = Path(__file__).parents[1] / "pictures"
GREY, BLUE, VERMILION, INK = "#9aa3ad", "#0072b2", "#d55e00", "#22272e"


def main(cmu: Path) -> None:
    """Make them all, and print the numbers that the page states."""
    pitch = komadori.load(cmu / "124_01.bvh").prepared(24)
    greedy, best, spread = (
        komadori.keyposes(pitch, count=15, solver=solver) for solver in ("greedy", "optimal", "synopsis")
    )
    for name, result in (("greedy", greedy), ("optimal", best), ("synopsis", spread)):
        told(f"124_01 {name}", result)
    write("keyposes-pitch.png", key_strip(greedy, height=170))
    write("keyposes-pitch-chart.svg", keyposes_chart(greedy, title="CMU 124_01, 15 key poses"))
    write(
        "keyposes-synopsis.png",
        stacked(
            key_strip(greedy, height=150, title="polyline (paper)"),
            key_strip(spread, height=150, title="Action Synopsis"),
        ),
    )
    write(
        "keyposes-synopsis-curve.svg", side_by_side(*(curve_chart(greedy, dims=dims, other=spread) for dims in (2, 3)))
    )

    slow, walk = joined([sample("slow-walk"), sample("pitch")]), len(sample("slow-walk"))
    strips = []
    for weight in (0.0, 0.5):
        result = komadori.keyposes(slow, count=14, time_weight=weight)
        told(f"slow walk, then pitch, time_weight {weight:g}", result)
        print("   keys in the walk:", int(np.sum(result.frames < walk)))
        strips.append(key_strip(result, height=130, title=f"time_weight {weight:g}"))
    write("keyposes-slow-walk.png", stacked(*strips))

    ride = travelling()
    results = [komadori.keyposes(ride, count=5, root_weight=weight, solver="optimal") for weight in (0.0, 1.0)]
    for result in results:
        told(f"travelling, root_weight {result.options.root_weight:g}", result)
    write("keyposes-root.svg", side_by_side(*(from_above(ride, result) for result in results)))


def travelling() -> Motion:
    """A body that breathes and otherwise stands still, carried along a street with four corners."""
    corners = np.array([[0, 0], [3, 0], [3, 2], [6, 2], [6, 0]], dtype=float)
    steps = [np.linspace(a, b, round(8 * np.abs(b - a).sum()), endpoint=False) for a, b in pairwise(corners)]
    path = np.concatenate([*steps, corners[-1:]])
    still = sample("slow-walk").taken(6 + np.round(2 * np.sin(np.arange(len(path)) / 7.0)).astype(int))
    positions = still.positions.copy()
    positions[:, 0, [0, 2]] = path
    return still.replaced(positions=positions)


def from_above(motion: Motion, result: KeyposesResult) -> Drawing:
    """The way of the body seen from above, with its keys."""
    scale, margin = 60.0, 34.0
    places = [(margin + x * scale, 40 + margin + z * scale) for x, z in motion.positions[:, 0, [0, 2]].tolist()]
    items: list[Item] = [Rect(0, 0, 430, 240, fill="#ffffff"), Polyline(tuple(places), GREY, 2.0)]
    items += [Circle(x, y, 2.0, fill=GREY) for x, y in places]
    keys = [places[frame] for frame in result.frames.tolist()]
    items += [Line(*a, *b, BLUE, 1.6) for a, b in pairwise(keys)]
    items += [Circle(x, y, 5.0, fill=VERMILION, colour="#ffffff") for x, y in keys]
    items.append(Text(16, 26, f"root_weight {result.options.root_weight:g}", 14, INK, bold=True))
    return Drawing(430, 240, tuple(items))


def stacked(*drawings: Drawing) -> Drawing:
    """One below the other."""
    tops = np.append(0.0, np.cumsum([drawing.height + 10.0 for drawing in drawings]))
    return placed([(0.0, float(top), drawing) for top, drawing in zip(tops, drawings, strict=False)])


def side_by_side(*drawings: Drawing) -> Drawing:
    """One beside the other."""
    lefts = np.append(0.0, np.cumsum([drawing.width for drawing in drawings]))
    return placed([(float(left), 0.0, drawing) for left, drawing in zip(lefts, drawings, strict=False)])


def told(name: str, result: KeyposesResult) -> None:
    """The numbers of one choice."""
    gaps = np.diff(result.frames)
    print(f"{name}: {result.frames.tolist()}, error {result.error:.4f}, least {result.least_error:.4f},", end=" ")
    print(
        f"even {result.even_error:.4f}, gaps {gaps.min()} to {gaps.max()}, bezier {result.keyed('bezier').worst_mm:.0f} mm"
    )


def write(name: str, drawing: Drawing) -> None:
    """Into the pictures' folder; a strip of figures is smaller as PNG than as SVG."""
    save(drawing, PICTURES / name, scale=1.5)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
