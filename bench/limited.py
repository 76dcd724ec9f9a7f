"""Limited animation: the paper's sizes, growth to 100,000 frames, memory, and greedy next to the optimum."""

from __future__ import annotations

import tracemalloc
from functools import partial
from itertools import pairwise

import komadori
from bench.clips import clip
from bench.tables import Table, spoken, worked
from komadori.characters import SAMPLES, sample

PAPER = (
    ("Pitch", 129, 4, 33, 69),
    ("Kick", 92, 4, 30, 28),
    ("Tennis", 88, 4, 29, 27),
    ("Baseball swing", 120, 6, 40, 63),
)
"""Table 1 of the paper: frames, omitted, held, milliseconds on its machine."""
WANTED_S = 0.5e-3


def tables() -> list[Table]:
    return [_paper_sizes(), _growth(), _optimal(), _ratios()]


def _paper_sizes() -> Table:
    rows, failed = [], []
    for name, frames, omit, hold, paper_ms in PAPER:
        motion = clip(frames)
        paper = partial(komadori.limited, motion, omit=omit, hold=hold, solver="greedy", peaks=False)
        paper()
        time = worked(paper, repeats=300)
        rows.append((name, str(frames), str(omit), str(hold), f"{paper_ms} ms", spoken(time)))
        if time >= WANTED_S:
            failed.append(f"{name} takes {spoken(time)}, under {spoken(WANTED_S)} wanted")
    columns = ("size of", "frames", "omitted", "held", "the paper (2011, C++)", "komadori")
    about = "The built-in pitch cut to the sizes of the paper's table 1; processor time, without reading, with forward kinematics and result."
    return Table("The paper's sizes", columns, tuple(rows), about, tuple(failed))


def _growth() -> Table:
    rows, times, failed = [], {}, []
    sizes = (1_000, 10_000, 100_000)
    for frames in sizes:
        motion = clip(frames)
        greedy = partial(komadori.limited, motion, omit=4, solver="greedy", peaks=False)
        times[frames] = worked(greedy, repeats=5)
        tracemalloc.start()
        result = greedy()
        peak = tracemalloc.get_traced_memory()[1] / (motion.rotations.nbytes + motion.positions.nbytes)
        tracemalloc.stop()
        rows.append(
            (
                f"{frames:,}",
                str(result.held),
                spoken(times[frames]),
                f"{1e6 * times[frames] / frames:.2f} µs",
                f"{peak:.2f}",
            )
        )
        if peak > 3.0:
            failed.append(f"{frames:,} frames take {peak:.2f} times the arrays' memory, 3 allowed")
    for small, large in pairwise(sizes):
        rows.append((f"{small:,} to {large:,}", "", f"x {times[large] / times[small]:.1f}", "", ""))
    if times[100_000] >= 1.0:
        failed.append(f"100,000 frames take {spoken(times[100_000])}, under 1 s wanted")
    columns = ("frames", "held", "time", "a frame", "peak memory, times the motion's arrays")
    return Table("Growth", columns, tuple(rows), "Greedy, a third of the frames held; processor time.", tuple(failed))


def _optimal() -> Table:
    rows = []
    for frames in (129, 1_000, 5_000, 20_000):
        motion = clip(frames)
        for solver in ("optimal", "optimal-free"):
            time = worked(lambda m=motion, s=solver: komadori.limited(m, solver=s), repeats=3 if frames < 5000 else 1)  # type: ignore[misc]
            rows.append((solver, f"{frames:,}", spoken(time)))
    return Table(
        "The exact optimum",
        ("solver", "frames", "time"),
        tuple(rows),
        "A third of the frames held; processor time.",
    )


def _ratios() -> Table:
    rows = []
    for name in SAMPLES:
        motion = sample(name)
        for omit in (0, 4):
            greedy = komadori.limited(motion, omit=omit, solver="greedy")
            free = komadori.limited(motion, omit=omit, solver="optimal-free")
            twos = komadori.limited(motion, solver="uniform", max_exposures=2)
            row = (
                name,
                str(omit),
                str(greedy.drawings),
                f"{greedy.error:.4f}",
                f"{greedy.optimum:.4f}",
                f"{greedy.ratio:.2f}",
            )
            rows.append((*row, f"{free.error:.4f}", f"{twos.error:.4f} ({twos.drawings})"))
    columns = (
        "sample",
        "omitted",
        "drawings",
        "greedy, m²",
        "optimum, m²",
        "ratio",
        "optimal-free, m²",
        "plain on twos, m² (drawings)",
    )
    return Table(
        "What holds cost", columns, tuple(rows), "Summed squared distance of all joints from the sheet before holds."
    )
