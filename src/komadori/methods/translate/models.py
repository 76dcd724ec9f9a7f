"""Candidates for a translation: fitted on some clips, judged on the others, the simplest of the good ones chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from komadori.errors import OptionError
from komadori.methods.translate.features import Space, angles_deg, space_of
from komadori.methods.translate.options import TranslateOptions
from komadori.numerics import subspace
from komadori.numerics.subspace import StateSpace
from komadori.quat import Array

RIDGES = (0.01, 0.03, 0.1, 0.3, 1.0)
ORDERS = (2, 4, 8)
GROWTH = 1.3
"""By how much the weight against an impulse response grows a lag."""
FOLDS = 4
"""Stretches that a single clip is cut into."""
MARGIN = 1.02
"""A simpler model is taken where it is as good within this factor, or within the spread of the folds."""
REALISED = 1e-2
FEWEST_FRAMES = 12


@dataclass(frozen=True)
class Candidate:
    """A kind of model with its settings: "mean" (the mean pose), "static", "fir" or "n4sid"."""

    kind: str
    ridge: float = 0.0
    order: int | None = None
    lags: int = 0

    @property
    def told(self) -> str:
        """For a table."""
        parts = [self.kind]
        if self.kind == "n4sid":
            parts.append(f"order {self.order}")
        if self.kind == "fir":
            parts.append(f"{self.lags} lags")
        return ", ".join(parts if self.kind == "mean" else [*parts, f"ridge {self.ridge:g}"])


PLAIN = Candidate("static", 2.0)
"""What answers an input unlike the training: strongly damped (tuned on CMU subject 07)."""


@dataclass(frozen=True)
class Trial:
    """What a candidate reached on clips that it had not seen: mean degrees a joint, on the whole and in each fold."""

    candidate: Candidate
    error_deg: float
    folds_deg: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Fitted:
    """Both spaces, and the system between them."""

    space_in: Space
    space_out: Space
    system: StateSpace


def candidates(options: TranslateOptions, fps: float) -> list[Candidate]:
    """Everything that `options` leave open; the mean pose and static ridge always, to compare with."""
    ridges = RIDGES if options.ridge is None else (options.ridge,)
    lags = max(1, round(options.lags_s * fps))
    orders = ORDERS if options.order is None else (options.order,)
    found = [Candidate("mean"), *(Candidate("static", ridge) for ridge in ridges)]
    if options.model in ("auto", "fir"):
        found += [Candidate("fir", ridge, lags=lags) for ridge in ridges]
    if options.model in ("auto", "n4sid"):
        found += [Candidate("n4sid", ridge, order) for order in orders for ridge in ridges]
    return found


def fitted(
    candidate: Candidate, inputs: Sequence[Array], outputs: Sequence[Array], options: TranslateOptions
) -> Fitted:
    """`candidate` fitted on the rotations (F, J, 4) of clips."""
    space_in = space_of(inputs, options.components_in)
    space_out = space_of(outputs, options.components_out)
    u = [space_in.reduced(clip) for clip in inputs]
    y = [space_out.reduced(clip) for clip in outputs]
    return Fitted(space_in, space_out, _system(candidate, u, y))


def _system(candidate: Candidate, u: list[Array], y: list[Array]) -> StateSpace:
    m, l = u[0].shape[1], y[0].shape[1]  # noqa: E741
    if candidate.kind == "mean":
        return StateSpace(np.zeros((0, 0)), np.zeros((0, m)), np.zeros((l, 0)), np.zeros((l, m)))
    if candidate.kind == "static":
        return subspace.ridge_static(u, y, candidate.ridge)
    if candidate.kind == "fir":
        answer = subspace.impulse_response(u, y, candidate.lags, candidate.ridge, GROWTH)
        return subspace.realised(answer, tolerance=REALISED)
    return subspace.n4sid(u, y, candidate.order, ridge=candidate.ridge)


def error_deg(model: Fitted, inputs: Array, outputs: Array) -> float:
    """Mean degrees a joint between what `model` makes of rotations `inputs` (F, J, 4) and `outputs`."""
    u = model.space_in.reduced(inputs)
    y = model.system.simulated(u, model.system.steady(u[0]))
    return float(angles_deg(model.space_out.rotations(y), outputs).mean())


def trials(
    tried: Sequence[Candidate],
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    options: TranslateOptions,
    progress: Callable[[int, int], None] | None = None,
) -> list[Trial]:
    """Every candidate, judged on each clip by what the others taught it; a single clip is cut into stretches.

    `progress` is called before each candidate with its number from 0 and how many there are.
    """
    folds = _folds(list(inputs), list(outputs))
    found = []
    for number, candidate in enumerate(tried):
        if progress is not None:
            progress(number, len(tried))
        errors = []
        for train, test in folds:
            try:
                model = fitted(candidate, [u for u, _ in train], [y for _, y in train], options)
            except OptionError:
                # Too short for this candidate's window.
                errors.append(np.inf)
                continue
            errors.append(error_deg(model, *test))
        found.append(Trial(candidate, float(np.mean(errors)), tuple(errors)))
    return found


def chosen(results: Sequence[Trial], model: str) -> Trial:
    """The best of the kind that was asked for; for "auto" the simplest that the best does not clearly beat.

    In the order static, n4sid (few states first), fir: a simpler one is taken where its error is within 2 percent of the best
    one's, or the difference is less than its own spread over the folds; never one that loses to the mean pose or to static
    ridge by more than 2 percent.
    """
    if model != "auto":
        return min((trial for trial in results if trial.candidate.kind == model), key=lambda trial: trial.error_deg)
    best = min(results, key=lambda trial: trial.error_deg)
    champions = [
        min(group, key=lambda trial: trial.error_deg)
        for kind in ("mean", "static", "n4sid", "fir")
        if (group := [trial for trial in results if trial.candidate.kind == kind])
    ]
    plain = min((trial.error_deg for trial in champions if trial.candidate.kind in ("mean", "static")), default=np.inf)
    return next(trial for trial in champions if _as_good(trial, best) and trial.error_deg <= MARGIN * plain)


def _as_good(trial: Trial, best: Trial) -> bool:
    if trial.error_deg <= MARGIN * best.error_deg:
        return True
    if trial.candidate.kind == "mean" or not np.isfinite(trial.error_deg) or len(trial.folds_deg) < 2:
        return False
    gaps = np.subtract(trial.folds_deg, best.folds_deg)
    return bool(gaps.mean() <= gaps.std(ddof=1) / np.sqrt(len(gaps)))


Pair = tuple[Array, Array]


def _folds(inputs: list[Array], outputs: list[Array]) -> list[tuple[list[Pair], Pair]]:
    """Training pairs and the pair to test on."""
    clips = list(zip(inputs, outputs, strict=True))
    if len(clips) > 1:
        return [([other for k, other in enumerate(clips) if k != left], clips[left]) for left in range(len(clips))]
    u, y = clips[0]
    edges = np.linspace(0, len(u), FOLDS + 1).astype(int).tolist()
    found = []
    for start, stop in pairwise(edges):
        # The two sides do not follow on each other: they stay two clips.
        rest = [(u[part], y[part]) for part in (slice(0, start), slice(stop, None)) if len(u[part]) > 1]
        found.append((rest, (u[start:stop], y[start:stop])))
    return found
