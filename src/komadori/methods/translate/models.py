"""Candidates for a translation: fitted on some clips, judged on the others; the simplest good one is chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from komadori import quat
from komadori.errors import OptionError
from komadori.methods.translate.features import Space, angles_deg, space_of, swing
from komadori.methods.translate.options import TranslateOptions
from komadori.methods.translate.pace import STEADY, Manner, Pace
from komadori.numerics import subspace
from komadori.numerics.subspace import StateSpace
from komadori.quat import Array

RIDGES = (0.01, 0.03, 0.1, 0.3, 1.0)
ORDERS = (2, 4, 8)
KINDS = ("mean", "ridge", "static", "both", "n4sid", "fir")
"""From the simplest to the most able."""
TEMPOS = (0.0, 0.5, 1.0)
CAUTION = 0.4
FOLLOWING = 0.9
"""Held-out correlation from which on arms follow the legs as they do in a walk."""
GROWTH = 1.3
"""By how much the weight against an impulse response grows a lag."""
FOLDS = 2
"""Stretches that a single clip is cut into."""
SLOWED = 0.75
"""Fold-out clips are judged at this share of their pace too: a lag that was learnt at one pace alone is caught so."""
SEVERAL = 3
"""Clips left out from which on memory and caution are to be had: the halves of one clip resemble each other too much."""
MARGIN = 1.02
"""Errors within this factor count as equal."""
CLEAR, WORTH = 0.95, 0.85
"""Principal components must reach this share of plain ridge's error to be taken for it, a model with memory that share."""
REALISED = 1e-2
MEMORY_S = 0.25
"""The longest time constant of an identified system: one that rings for cycles fits its training and loses elsewhere."""
FEWEST_FRAMES = 12

Pair = tuple[Array, Array]


@dataclass(frozen=True)
class Candidate:
    """A kind of model with its settings: one of KINDS. "mean" is the mean pose, "ridge" knows no principal components.

    "both" is the mean of plain ridge with `ridge` and of static ridge with `second`.
    """

    kind: str
    ridge: float = 0.0
    order: int | None = None
    lags: int = 0
    second: float = 0.0

    @property
    def told(self) -> str:
        """For a table."""
        if self.kind == "ridge":
            return f"plain ridge {self.ridge:g}"
        if self.kind == "both":
            return f"mean of plain ridge {self.ridge:g} and static, ridge {self.second:g}"
        parts = [self.kind]
        if self.kind == "n4sid":
            parts.append(f"order {self.order}")
        if self.kind == "fir":
            parts.append(f"{self.lags} lags")
        return ", ".join(parts if self.kind == "mean" else [*parts, f"ridge {self.ridge:g}"])


@dataclass(frozen=True)
class Trial:
    """What a candidate reached on clips that it had not seen: mean degrees per joint, on the whole and in each fold."""

    candidate: Candidate
    error_deg: float
    folds_deg: tuple[float, ...]
    slowed_deg: float | None = None
    """The error on the same clips, played more slowly."""
    swing: float | None = None
    """How far the result swings against the truth (1: as far), the mean over the folds; `correlation` likewise."""
    correlation: float | None = None

    @property
    def judged_deg(self) -> float:
        """The error that decides: the mean of both paces."""
        return self.error_deg if self.slowed_deg is None else 0.5 * (self.error_deg + self.slowed_deg)

    @property
    def off_swing(self) -> float:
        """How far its swing is from the truth's; 0 is none."""
        return abs(float(np.log(max(self.swing, 1e-9)))) if self.swing is not None else 0.0


@dataclass(frozen=True, eq=False)
class Fitted:
    """Both spaces, the system between them, and the pace at which it learnt."""

    space_in: Space
    space_out: Space
    system: StateSpace
    pace: Pace

    def answer(self, rotations: Array, manner: Manner, fps: float, *, loop: bool = False) -> Array:
        """(F, outputs, 4) what it makes of rotations (F, inputs, 4)."""
        return answered(self.space_in.reduced(rotations), self, manner, fps, loop)


def answered(u: Array, model: Fitted, manner: Manner, fps: float, loop: bool) -> Array:
    """(F, outputs, 4) what `model` makes of input components `u` (F, k): every frame by its system, held softly to the range it learnt."""
    system, space = model.system, model.space_out
    y = space.eased(system.simulated(u, system.periodic(u) if loop else system.steady(u[0])))
    if manner.plain:
        return space.rotations(y)
    return space.rotations(y, manner.scales(model.pace, u, fps, loop, len(space.mean)))


def candidates(options: TranslateOptions, fps: float) -> list[Candidate]:
    """Every candidate that `options` allow; the mean pose and plain and static ridge always, for comparison."""
    ridges = RIDGES if options.ridge is None else (options.ridge,)
    lags = max(1, round(options.lags_s * fps))
    orders = ORDERS if options.order is None else (options.order,)
    found = [Candidate("mean"), *(Candidate(kind, ridge) for kind in ("ridge", "static") for ridge in ridges)]
    if options.model in ("auto", "fir"):
        found += [Candidate("fir", ridge, lags=lags) for ridge in ridges]
    if options.model in ("auto", "n4sid"):
        found += [Candidate("n4sid", ridge, order) for order in orders for ridge in ridges]
    return found


class Training:
    """Rotations (F, J, 4) of input and output clips, with their spaces, which candidates of a kind share."""

    def __init__(self, pairs: Sequence[Pair], options: TranslateOptions, fps: float) -> None:
        self._fps = fps
        self._inputs, self._outputs = [u for u, _ in pairs], [y for _, y in pairs]
        self._options = options
        self._kept: dict[bool, tuple[Space, Space, list[Array], list[Array], Pace]] = {}

    def fitted(self, candidate: Candidate) -> Fitted:
        """`candidate` fitted on these clips."""
        whole = candidate.kind in ("ridge", "both")
        if whole not in self._kept:
            most = (10**6, 10**6) if whole else (self._options.components_in, self._options.components_out)
            space_in, space_out = space_of(self._inputs, most[0]), space_of(self._outputs, most[1])
            u = [space_in.reduced(clip) for clip in self._inputs]
            y = [space_out.reduced(clip) for clip in self._outputs]
            self._kept[whole] = space_in, space_out, u, y, Pace.of(u, self._fps)
        space_in, space_out, u, y, pace = self._kept[whole]
        system = _system(candidate, u, y, self._fps)
        if candidate.kind == "both":
            # The strongest components come first, in both spaces: the static model is a corner of the plain one.
            few = min(self._options.components_in, space_in.dims), min(self._options.components_out, space_out.dims)
            corner = subspace.ridge_static([a[:, : few[0]] for a in u], [b[:, : few[1]] for b in y], candidate.second).D
            direct = 0.5 * system.D
            direct[: few[1], : few[0]] += 0.5 * corner
            system = replace(system, D=direct)
        return Fitted(space_in, space_out, system, pace)


def _system(candidate: Candidate, u: list[Array], y: list[Array], fps: float) -> StateSpace:
    m, l = u[0].shape[1], y[0].shape[1]  # noqa: E741
    if candidate.kind == "mean":
        return StateSpace(np.zeros((0, 0)), np.zeros((0, m)), np.zeros((l, 0)), np.zeros((l, m)))
    if candidate.kind in ("ridge", "static", "both"):
        return subspace.ridge_static(u, y, candidate.ridge)
    if candidate.kind == "fir":
        answer = subspace.impulse_response(u, y, candidate.lags, candidate.ridge, GROWTH)
        return subspace.realised(answer, tolerance=REALISED)
    return subspace.n4sid(u, y, candidate.order, ridge=candidate.ridge, radius=float(np.exp(-1.0 / (MEMORY_S * fps))))


class Fold:
    """Training clips without one of them, and that one to judge by, at its own pace and slowed."""

    def __init__(self, train: Sequence[Pair], test: Pair, options: TranslateOptions, fps: float) -> None:
        self.training, self.fps = Training(train, options, fps), fps
        self.test = test
        self.slowed = (_slowed(test[0]), _slowed(test[1]))


def held_out(inputs: Sequence[Array], outputs: Sequence[Array], options: TranslateOptions, fps: float) -> list[Fold]:
    """Each clip held out in turn; a single clip is cut into halves."""
    clips = list(zip(inputs, outputs, strict=True))
    if len(clips) > 1:
        return [
            Fold([other for k, other in enumerate(clips) if k != left], clip, options, fps)
            for left, clip in enumerate(clips)
        ]
    u, y = clips[0]
    edges = np.linspace(0, len(u), FOLDS + 1).astype(int).tolist()
    found = []
    for start, stop in pairwise(edges):
        # The two sides do not follow on each other: they stay two clips.
        rest = [(u[part], y[part]) for part in (slice(0, start), slice(stop, None)) if len(u[part]) > 1]
        found.append(Fold(rest, (u[start:stop], y[start:stop]), options, fps))
    return found


def trials(
    tried: Sequence[Candidate],
    folds: Sequence[Fold],
    progress: Callable[[int, int], None] | None = None,
) -> list[Trial]:
    """Every candidate, judged on each clip by what the others taught it.

    `progress` is called before each candidate with its number from 0 and how many there are.
    """
    found = []
    for number, candidate in enumerate(tried):
        if progress is not None:
            progress(number, len(tried))
        errors, slow, swings = [], [], []
        for fold in folds:
            try:
                model = fold.training.fitted(candidate)
            except OptionError:
                # The clip is too short for this candidate's window.
                errors.append(np.inf)
                slow.append(np.inf)
                swings.append((0.0, 0.0))
                continue
            made, slowly = (model.answer(u, Manner(), fold.fps) for u in (fold.test[0], fold.slowed[0]))
            errors.append(_error_deg(made, fold.test[1]))
            slow.append(_error_deg(slowly, fold.slowed[1]))
            swings.append(swing(made, fold.test[1]))
        ratio, correlation = np.mean(swings, axis=0).tolist()
        found.append(Trial(candidate, float(np.mean(errors)), tuple(errors), float(np.mean(slow)), ratio, correlation))
    return found


def chosen(results: Sequence[Trial], model: str) -> Trial:
    """The best of the kind that was asked for; for "auto" plain ridge (see `hedged`), or what clearly beats it.

    Few clips say little, so principal components must be better by 5 percent, a model with memory by 15 percent and on every one of three clips or more. The
    mean pose is only for comparison: it is not a translation. Of settings that are as good within 2 percent, the one whose swing is truest.
    """
    groups = {
        kind: group
        for kind in KINDS
        if model in ("auto", kind) and (group := [trial for trial in results if trial.candidate.kind == kind])
    }
    found = {kind: _truest(group) for kind, group in groups.items()}
    if model != "auto":
        return found[model]
    best = found["ridge"]
    if "static" in found and found["static"].judged_deg <= CLEAR * best.judged_deg:
        best = found["static"]
    able = [found[kind] for kind in ("n4sid", "fir") if kind in found and _beats(found[kind], best)]
    return min(able, key=lambda trial: trial.judged_deg, default=best)


def hedged(results: Sequence[Trial], folds: Sequence[Fold]) -> Trial | None:
    """The mean of plain and static ridge, judged, if neither is clearly the better one: which of them will be on new clips cannot be determined."""
    plain, static = (_truest([trial for trial in results if trial.candidate.kind == kind]) for kind in KINDS[1:3])
    if not CLEAR * plain.judged_deg < static.judged_deg < plain.judged_deg / CLEAR:
        return None
    return trials([Candidate("both", plain.candidate.ridge, second=static.candidate.ridge)], folds)[0]


def _truest(group: Sequence[Trial]) -> Trial:
    least = min(trial.judged_deg for trial in group)
    near = [trial for trial in group if trial.judged_deg <= MARGIN * least]
    return min(near or group, key=lambda trial: trial.off_swing)


def _beats(trial: Trial, simple: Trial) -> bool:
    everywhere = all(own < other for own, other in zip(trial.folds_deg, simple.folds_deg, strict=True))
    return len(trial.folds_deg) >= SEVERAL and everywhere and trial.judged_deg <= WORTH * simple.judged_deg


def manner_of(
    winner: Trial, model: Fitted, folds: Sequence[Fold], options: TranslateOptions, joints: tuple[float, ...]
) -> Manner:
    """How the answer follows the pace: as asked, else (for "auto") what held-out clips say; `joints`: as `Manner.joints`.

    Clips of one pace say nothing about others: a person's arms then follow the tempo of the legs as people's arms do, unless less of that is better by
    more than 2 percent on clips left out. Nothing else follows it.
    """
    if options.model != "auto":
        return Manner(options.tempo or 0.0, options.caution or 0.0, joints)
    walks = joints and model.pace.slowest >= STEADY and (winner.correlation or 0.0) >= FOLLOWING
    usual = 1.0 if walks else 0.0
    tempo = usual if options.tempo is None else options.tempo
    first = Manner(tempo, options.caution or 0.0, joints)
    others = [Manner(t, first.caution, joints) for t in TEMPOS if options.tempo is None and t < tempo]
    if options.caution is None and len(folds) >= SEVERAL:
        others += [replace(manner, caution=CAUTION) for manner in (first, *others)]
    errors: dict[Manner, list[float]] = {manner: [] for manner in (first, *others)}
    for fold in folds if others else ():
        try:
            held = fold.training.fitted(winner.candidate)
        except OptionError:
            return first
        for manner, told in errors.items():
            told.append(_error_deg(held.answer(fold.test[0], manner, fold.fps), fold.test[1]))
    usual_deg = errors[first]
    # Caution is for input that no clip resembles: every clip left out must gain by it.
    helpful = [
        manner
        for manner, told in errors.items()
        if MARGIN * sum(told) < sum(usual_deg)
        and (manner.caution == first.caution or all(MARGIN * a < b for a, b in zip(told, usual_deg, strict=True)))
    ]
    return min(helpful, key=lambda manner: sum(errors[manner]), default=first)


def _error_deg(made: Array, truth: Array) -> float:
    return float(angles_deg(made, truth).mean())


def _slowed(rotations: Array) -> Array:
    """Rotations (F, J, 4) played at SLOWED of their pace."""
    at = np.arange(0.0, len(rotations) - 1 + 1e-9, SLOWED)
    first = np.minimum(at.astype(np.intp), len(rotations) - 1)
    after = np.minimum(first + 1, len(rotations) - 1)
    return quat.slerp(rotations[first], rotations[after], (at - first)[:, None])
