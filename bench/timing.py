"""Timing: what the looks lose of limb peaks, where they omit, what each solver costs; the defaults are chosen here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np

import komadori
from bench.clips import clip, real_data
from bench.tables import Table, seconds, spoken
from komadori import KomadoriError, Motion, Recipe, Step, look
from komadori.characters import SAMPLES, sample
from komadori.methods.limited import LimitedResult
from komadori.methods.limited.options import STAND_OUT
from komadori.methods.limited.peaks import LEAST, LOSS, limb_curves, limb_ends, limb_peaks, loss, shown_frames
from komadori.numerics.costs import QUICK_S, holds_cost_s
from komadori.pipeline import LOOKS, PipelineResult

TUNED = ("human_*/*.bvh",)
"""Files that the defaults were chosen on, with the built-in samples."""
ASIDE = (
    "odd_bvh/*.bvh",
    "quadruped_*/*.bvh",
    "human_cmu_asfamc/*.amc",
    "character_vrma/*.vrma",
    "quadruped_*/*.[gf][lb][bx]",
)
"""Files that were looked at after the defaults had been chosen."""
SHORTEST, LONGEST = 12, 300
"""Frames: less is not a motion, and of more the beginning is enough."""
STEADY = (
    "walk", "slow-walk", "jog", "02_01", "07_*", "08_*", "35_*", "91_*", "dataset-1_run*", "dataset-1_walk*", "*zombie",
)  # fmt: skip
"""Walks and runs among the tuned clips: nothing should be omitted."""
SUDDEN = ("pitch", "kick", "10_01", "124_*", "13_17", "74_03", "85_01", "135_04", "dataset-1_kick*", "dataset-1_slash*")
"""Throws, kicks, punches and leaps: something should be."""
LOST, LOST_SHARE, LOST_MOST = 0.25, 0.01, 0.5
"""At most this share of the peaks loses more than LOST of its rise, and none LOST_MOST."""
STEADY_WITH_OMISSIONS, SUDDEN_WITHOUT = 0.05, 0.0
"""Shares of clips that may be treated wrongly."""
WITHOUT_RULES = {
    "tv": {"omit": 4, "solver": "greedy", "actions": True},
    "film": {"omit": 2, "solver": "optimal", "actions": True},
    "snappy": {"omit": 6, "solver": "greedy", "actions": True},
    "subtle": {"omit": 0, "solver": "optimal"},
}
"""The same looks with the same number of omissions in every action and nothing that must be drawn."""


@dataclass(frozen=True)
class Clip:
    """A motion to measure on."""

    name: str
    motion: Motion
    tuned: bool

    def is_one_of(self, patterns: tuple[str, ...]) -> bool:
        return any(Path(self.name).match(pattern) for pattern in patterns)


def tables() -> list[Table]:
    return [_peaks(), _rules(), _standing_out(), _solvers(), _times()]


@cache
def every_clip() -> tuple[Clip, ...]:
    return tuple(_found())


def _found() -> Iterator[Clip]:
    for name in SAMPLES:
        yield Clip(name, sample(name), True)
    data = real_data()
    for patterns, tuned in ((TUNED, True), (ASIDE, False)):
        for path in sorted({path for pattern in patterns for path in data.glob(pattern)}) if data else ():
            try:
                motion = komadori.load(path).prepared(fps=24)
            except KomadoriError:
                continue
            if len(motion) >= SHORTEST:
                yield Clip(path.stem, motion[:LONGEST], tuned)


def _without_rules(name: str) -> Recipe:
    """The look without peaks and with omissions everywhere."""
    steps = []
    for step in look(name).steps:
        given = {key: value for key, value in step.given if key != "omit_up_to"}
        if step.use == "limited":
            given |= {"peaks": False, **WITHOUT_RULES[name]}
        steps.append(Step(step.use, **given))
    return Recipe(steps)


def losses(made: PipelineResult) -> list[float]:
    """For each limb peak of the captured motion the share of its rise that the animation never shows."""
    world, source = made.motion.world_positions(), made.sheet.source
    ends, hips = limb_ends(made.original.skeleton)
    shown = {limb: limb_curves(world, end, hips) for limb, end in ends.items()}
    found = []
    for each in limb_peaks(made.original):
        inside = (source >= each.peak.first) & (source <= each.peak.last)
        curve = shown[each.limb][each.kind]
        found.append(float((each.peak.value - curve[inside].max()) / each.peak.rise) if inside.any() else 1.0)
    return found


def _lost(values: list[float]) -> tuple[str, str, str]:
    lost = np.array(values)
    over = int((lost > LOST).sum())
    return (
        f"{over} ({100 * over / max(1, len(lost)):.1f} %)",
        str(int((lost > LOST_MOST).sum())),
        f"{lost.max(initial=0.0):.2f}",
    )


def _peaks() -> Table:
    rows, failed = [], []
    for tuned in (True, False):
        clips = [each for each in every_clip() if each.tuned == tuned]
        for name in LOOKS if clips else ():
            now = [look(name).run(each.motion) for each in clips]
            lost = [value for made in now for value in losses(made)]
            before = [value for each in clips for value in losses(_without_rules(name).run(each.motion))]
            timing = [
                loss(each, made.sheet.source)
                for made in now
                if isinstance(made.timing, LimitedResult)
                for each in limb_peaks(made.timing.source_motion)
            ]
            drawings = sum(made.drawings for made in now) / sum(len(made.motion) for made in now)
            rows.append(
                (
                    "tuned" if tuned else "aside",
                    str(len(clips)),
                    name,
                    str(len(lost)),
                    " / ".join(_lost(before)),
                    " / ".join(_lost(lost)),
                    " / ".join(_lost(timing)),
                    f"{100 * drawings:.0f} %",
                )
            )
            if np.mean(np.array(lost) > LOST) > LOST_SHARE or max(lost, default=0.0) > LOST_MOST:
                failed.append(f"{name} loses {', '.join(_lost(lost))} of {len(lost)} peaks")
    columns = ("clips", "count", "look", "peaks", "without the rules", "now", "by the timing alone", "drawings")
    about = (
        f"Limb peaks of the captured motion: how many lose more than {100 * LOST:.0f} % of their rise, how many more than"
        f" {100 * LOST_MOST:.0f} %, and the worst loss. Without the rules: as many omissions in every action, and nothing"
        " that must be drawn. By the timing alone: against the motion that is timed, after exaggeration."
    )
    return Table("Limb peaks", columns, tuple(rows), about, tuple(failed))


def _rules() -> Table:
    """The rise from which a peak counts, and what a drawing of it may miss, against what they cost."""
    rows = []
    clips = [each for each in every_clip() if each.tuned]
    for least in (0.1, 0.15, 0.2):
        for most in (0.1, 0.15, 0.2):
            made = [
                komadori.limited(
                    each.motion,
                    hold_share=0.55,
                    peaks=False,
                    pins=tuple(shown_frames(limb_peaks(each.motion, least), most)),
                )
                for each in clips
            ]
            small = [loss(peak, each.sheet.source) for each in made for peak in limb_peaks(each.source_motion, 0.1)]
            chosen = " (chosen)" if (least, most) == (LEAST, LOSS) else ""
            rows.append(
                (
                    f"{least:g}{chosen}",
                    f"{most:g}",
                    str(sum(len(each.options.pins) for each in made)),
                    str(sum(each.omitted for each in made)),
                    f"{sum(each.error for each in made):.0f} m²",
                    " / ".join(_lost(small)),
                )
            )
    columns = (
        "rise, share of the limb",
        "may miss",
        "frames to draw",
        "omitted",
        "error of the holds",
        "peaks of 0.1 lost",
    )
    about = "On the tuned clips, held as the look tv holds: what the definition of a peak costs, and what it saves."
    return Table("The definition of a peak", columns, tuple(rows), about)


def _standing_out() -> Table:
    rows, failed = [], []
    steady = [each for each in every_clip() if each.tuned and each.is_one_of(STEADY)]
    sudden = [each for each in every_clip() if each.tuned and each.is_one_of(SUDDEN)]
    for ratio in (1.3, 1.4, 1.5, 1.6, STAND_OUT, 1.8, 2.0, 2.2):
        omits = partial(komadori.limited, hold=0, stand_out=ratio)
        wrong = [each.name for each in steady if omits(each.motion).omitted]
        missed = [each.name for each in sudden if not omits(each.motion).omitted]
        chosen = " (chosen)" if ratio == STAND_OUT else ""
        rows.append(
            (
                f"{ratio:g}{chosen}",
                f"{len(wrong)} of {len(steady)}",
                f"{len(missed)} of {len(sudden)}",
                ", ".join([*wrong, *missed][:6]),
            )
        )
        if ratio == STAND_OUT and len(wrong) > STEADY_WITH_OMISSIONS * len(steady):
            failed.append(f"{len(wrong)} of {len(steady)} walks and runs have omissions: {', '.join(wrong)}")
        if ratio == STAND_OUT and len(missed) > SUDDEN_WITHOUT * len(sudden):
            failed.append(f"{len(missed)} of {len(sudden)} sudden actions have none: {', '.join(missed)}")
    columns = ("stand_out", "walks and runs with omissions", "sudden actions without", "which")
    about = "How many times as fast as the second around it an action's fastest moment must be for in-betweens to go."
    return Table("Where to omit", columns, tuple(rows), about, tuple(failed))


def _solvers() -> Table:
    rows, failed = [], []
    for tuned in (True, False):
        clips = [each for each in every_clip() if each.tuned == tuned]
        if not clips:
            continue
        for solver in ("auto", "greedy", "optimal-free"):
            made = [komadori.limited(each.motion, solver=solver) for each in clips]
            ratios = [each.ratio for each in made if each.optimum > 0.0]
            middle, high = np.percentile(ratios, [50, 95])
            rows.append(("tuned" if tuned else "aside", str(len(ratios)), solver, f"{middle:.2f}", f"{high:.2f}"))
            if solver == "auto" and high > 1.0:
                failed.append(f"the default is {high:.2f} times the optimum")
    columns = ("clips", "count", "solver", "error / optimum, median", "95th percentile")
    return Table("Solvers", columns, tuple(rows), "A third of the frames held, at most 3 exposures.", tuple(failed))


def _times() -> Table:
    rows, failed = [], []
    for frames in (129, 1_000, 10_000, 100_000):
        motion = clip(frames)
        motion.world_positions()
        took = {}
        for solver in ("greedy", "optimal"):
            work = partial(komadori.limited, motion, solver=solver)
            took[solver] = seconds(work, repeats=3 if frames <= 10_000 else 1)
        cost_s = holds_cost_s(frames, frames // 3, 3)
        auto = "optimal" if cost_s <= QUICK_S else "greedy"
        rows.append((f"{frames:,}", spoken(took["greedy"]), spoken(took["optimal"]), spoken(cost_s), auto))
        if frames == 10_000 and took["optimal"] > QUICK_S:
            failed.append(f"the optimum of 10,000 frames takes {spoken(took['optimal'])}, {spoken(QUICK_S)} allowed")
    columns = ("frames", "greedy", "optimal", "estimated cost of the optimum", "auto takes")
    about = "A third of the frames held, peaks kept; the whole call. Auto takes the optimum where the estimate is a second or less."
    return Table("Time", columns, tuple(rows), about, tuple(failed))
