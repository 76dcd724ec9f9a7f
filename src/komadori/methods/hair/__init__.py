"""Hair as anime draws it: a wave of air along every strand, in closed form, which follows the head (Furukawa and Nakata, "Automatic generation of anime-like hair motion of 3D characters")."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from komadori import quat, rates
from komadori.character import Chain, Character
from komadori.errors import OptionError, one_of
from komadori.methods.hair.baselines import Baselines, baselines
from komadori.methods.hair.checking import ChainCheck, HairChecks, checked
from komadori.methods.hair.fitting import HairFit, fit_hair
from komadori.methods.hair.flow import Air, Flow, Wave
from komadori.methods.hair.heading import front_of
from komadori.methods.hair.heads import Heads, heads_of
from komadori.methods.hair.obstacles import Obstacles, obstacles_of
from komadori.methods.hair.options import GUST_PERIODS, LETTERS, PRESETS, HairOptions
from komadori.methods.hair.springs import SpringStream, simulate_springs, springs_of
from komadori.methods.hair.strands import Strands, strands_of
from komadori.methods.hair.traces import Comparison, Trace, compared
from komadori.methods.hair.wave import curve, joints, tilts
from komadori.motion import Motion
from komadori.quat import Array
from komadori.registry import Row, method
from komadori.result import Measure, Result
from komadori.timesheet import Timesheet
from komadori.words import Fact, Note

__all__ = [
    "PRESETS",
    "Baselines",
    "ChainCheck",
    "Comparison",
    "HairChain",
    "HairChecks",
    "HairFit",
    "HairOptions",
    "HairResult",
    "SpringStream",
    "Trace",
    "baselines",
    "compared",
    "curve",
    "fit_hair",
    "hair",
    "joints",
    "simulate_springs",
    "springs_of",
    "tilts",
]

FPS = 24.0
FITTED = ("wavelength", "calm", "stiffness", "size", "period")
"""The fitted parameters that the wave then uses, unless the call sets them."""
MOST_FRAMES = 1_000_000
SHIFTS = 48
"""How many moments of a cycle are tried as the start of a trace."""
GOLDEN = 0.6180339887498949
"""The golden ratio's fraction: the fractional parts of its multiples stay apart, which sets neighbours out of phase."""
TRAVELS = 1.0
"""Metres per second: a body this fast makes its own wind."""


@dataclass(frozen=True)
class HairChain:
    """A chain and the wave that it was given."""

    chain: Chain
    wavelength: float
    calm: float
    stiffness: float
    size: float
    phase: float
    """Its phase in radians."""

    @property
    def name(self) -> str:
        """The chain's name."""
        return self.chain.name


@dataclass(frozen=True, eq=False)
class HairResult(Result):
    """The body's motion with the hair's added, and how it came about."""

    character: Character
    options: HairOptions
    base: Motion
    """The body's motion alone, as long as the result."""
    chains: tuple[HairChain, ...]
    cycle: int
    """Frames in which the wave repeats."""
    step: int
    """Frames that each drawing of the hair is shown."""
    period_s: float
    """The period that was used: a whole number of frames."""
    drawings: int
    """Drawings of the hair in a cycle."""
    loop_s: float
    """After this long the hair (of a still head) is back where it was."""
    flow: Flow
    """The closed form itself."""
    notes: tuple[Note, ...] = ()
    fitted: HairFit | None = None
    """The wave that was found for the trace to be fitted."""
    sheet: Timesheet | None = None

    @cached_property
    def motion(self) -> Motion:
        """The body's motion with the hair's added."""
        if self.options.by == "springs":
            chains = None if self.character.springs else self.flow.strands.chains
            moved = simulate_springs(self.character, self.base, settle=1.0, chains=chains)
        else:
            rotations = np.array(self.base.rotations)
            rotations[:, self.touched] = self.drawn(np.arange(len(self.base)))
            moved = replace(self.base.replaced(rotations=rotations), notes=self.base.notes)
        return moved.noted(*self.notes)

    def at(self, seconds: ArrayLike) -> Array:
        """(n, B, 4) local rotations of `joints` at any moments (n,), each on its own: no frame before it is needed."""
        return self.flow.at(seconds)

    def drawn(self, frames: ArrayLike) -> Array:
        """(n, T, 4) local rotations of `touched` at whole frames (n,): frames of one drawing share theirs."""
        held = np.asarray(frames, dtype=np.int64) // self.step * self.step
        # Whole frames, so that a cycle later is the same number and not one that is nearly so.
        cycles = np.mod(held, self.cycle * self.flow.air.periods) / self.cycle
        result = np.repeat(self.base.skeleton.rest[None, self.touched], len(held), axis=0)
        place = {joint: n for n, joint in enumerate(self.touched)}
        result[:, [place[joint] for joint in self.joints]] = self.flow.at(held / self.base.fps, cycles)
        return result

    @cached_property
    def against(self) -> Baselines | None:
        """What a wave must beat on the trace that was fitted: a rigid swing and springs in a wind; None without a fit."""
        trace = self.options.fit
        return None if trace is None or self.fitted is None else baselines(trace, trace, self.fitted.period)

    @property
    def joints(self) -> tuple[int, ...]:
        """The B joints that turn."""
        return tuple(self.flow.strands.joints.tolist())

    @cached_property
    def touched(self) -> list[int]:
        """The T joints of all chains: those that turn, and ends that stay at rest."""
        return [joint for chain in self.flow.strands.chains for joint in chain.joints]

    @cached_property
    def comparison(self) -> Comparison | None:
        """How close the hair comes to the trace that it is compared with."""
        return None if self.options.compare is None else self.compare(self.options.compare)

    @property
    def measures(self) -> Mapping[str, Measure]:
        """The cycle, and how close the hair comes to drawn strands."""
        found = {
            "chains": Measure(len(self.chains)),
            "period_s": Measure(self.period_s, "s"),
            "drawings": Measure(self.drawings),
            "loop_s": Measure(self.loop_s, "s"),
        }
        if self.comparison is not None:
            found["angle_deg"] = Measure(self.comparison.angle_deg, "degrees")
            found["distance_percent"] = Measure(self.comparison.distance_percent, "%")
        return found

    @cached_property
    def checks(self) -> HairChecks:
        """The textbook's checks."""
        return checked(self.flow, self.loop_s)

    def compare(self, trace: Trace, chain: str | None = None, *, align: bool = True) -> Comparison:
        """How near a chain comes to `trace` at the trace's frames: bones' angles and joints' distances (section 4).

        The chain is the named one, else the one that the trace names, else the longest. It is seen in the plane that it
        waves in, x along the way that it streams. `align` first looks for the moment of the cycle at which the trace begins.
        """
        number = self._chain_number(chain or trace.chain or None)
        if self.options.by == "springs":
            return compared(self._seen(number, self._shown_lines(number, trace.seconds)), trace)
        bones = self.flow.strands.bones(number)
        shifts = np.arange(SHIFTS) * (self.period_s / SHIFTS) if align else np.zeros(1)
        best: Comparison | None = None
        for shift in shifts.tolist():
            lines = self.flow.directions(trace.seconds + shift)[:, bones]
            found = replace(compared(self._seen(number, lines), trace), shift_s=shift)
            best = found if best is None or found.angle_deg < best.angle_deg else best
        assert best is not None
        return best

    def _seen(self, number: int, lines: Array) -> Array:
        """(n, bones + 1, 2) a chain's joints in its plane, root at the origin, from its bones' directions (n, bones, 3)."""
        along, up = self.flow.plane(number)
        lengths = self.flow.strands.lengths[self.flow.strands.bones(number), None]
        steps = np.stack([lines @ along, lines @ up], axis=-1) * lengths
        return np.concatenate([np.zeros((len(steps), 1, 2)), np.cumsum(steps, axis=1)], axis=1)

    def _chain_number(self, name: str | None) -> int:
        if name is None:
            return int(np.argmax(self.flow.strands.totals))
        for number, chain in enumerate(self.chains):
            if chain.name == name:
                return number
        raise OptionError("chain", expected=one_of(c.name for c in self.chains), found=name)

    def _shown_lines(self, number: int, seconds: Array) -> Array:
        """(n, bones, 3) a chain's bones in its holder's frame, as the result's motion has them at the nearest frames."""
        strands, bones = self.flow.strands, self.flow.strands.bones(number)
        frames = np.minimum(np.round(seconds * self.motion.fps).astype(np.intp), len(self.motion) - 1)
        turns, _ = self.motion.taken(frames).world_transforms()
        holder = int(strands.holders[number])
        own = quat.multiply(turns[:, strands.joints[bones]], quat.inverse(strands.rests[bones]))
        if holder >= 0:
            own = quat.multiply(quat.inverse(turns[:, None, holder]), own)
        return quat.rotate(own, strands.directions[bones])


def _rows(result: HairResult) -> list[Row]:
    rows: list[Row] = [
        (Note("chains"), str(len(result.chains))),
        (Note("cycle"), Note("{period:.4g} s, {drawings} drawings", period=result.period_s, drawings=result.drawings)),
    ]
    if result.fitted is not None:
        values = {name: getattr(result.fitted, name) for name in FITTED}
        text = (
            "wavelength {wavelength:.4g}, calm {calm:.4g}, stiffness {stiffness:.4g}, size {size:.4g},"
            " period {period:.4g} s"
        )
        rows.append((Note("fitted"), Note(text, **values)))
        rows.append((Note("fit's error"), _nearness(result.fitted.error)))
    if result.against is not None:
        rows.append((Note("a rigid swing would be"), _nearness(result.against.rigid)))
        rows.append((Note("springs in a wind would be"), _nearness(result.against.springs)))
    if result.comparison is not None:
        rows.append((Note("off the trace"), _nearness(result.comparison)))
    wrong = [chain.name for chain in result.checks.chains if not chain.passed]
    if wrong:
        rows.append((Note("check"), Fact("not as the textbook draws it: {names}", names=", ".join(wrong[:6]))))
    return rows


def _nearness(error: Comparison) -> Note:
    return Note(
        "{angle:.2f} degrees, {distance:.2f} % of the length", angle=error.angle_deg, distance=error.distance_percent
    )


def _facts(result: HairResult) -> dict[str, Any]:
    near, fitted = result.comparison, result.fitted
    chains = [
        {"name": c.name, "kind": c.chain.kind, **{k: v for k, v in vars(c).items() if k != "chain"}}
        for c in result.chains
    ]
    return {
        "fps": result.motion.fps,
        "frames": len(result.motion),
        "period_s": result.period_s,
        "drawings": result.drawings,
        "loop_s": result.loop_s,
        "chains": chains,
        "checks": {
            "passed": result.checks.passed,
            "failed": [chain.name for chain in result.checks.chains if not chain.passed],
        },
        "compare": None if near is None else vars(near),
        "fit": None if fitted is None else {**vars(fitted), "error": vars(fitted.error)},
        "against": None
        if result.against is None
        else {"rigid": vars(result.against.rigid), "springs": vars(result.against.springs)},
    }


@method(
    HairOptions,
    subject="character",
    stage="secondary",
    rows=_rows,
    facts=_facts,
    files=("motion", "character"),
    fps=None,
    title="{path}: hair motion, {frames} frames",
    working="moving the hair of {path}",
    example="komadori hair girl --motion sample:walk --preset stream -o girl.glb",
    renamed=LETTERS,
    stream=SpringStream,
)
def hair(character: Character, options: HairOptions) -> HairResult:
    """`character`'s hair, ribbons, skirt, tail and ears moved as an animator would draw them, on top of `motion`.

    Along each chain runs the paper's wave (section 3.2), in the plane of the chain and the world's up; wind, gravity and the
    head's own recorded motion bend the line that it runs along. Everything is a closed form of time: it loops exactly, and
    any frame can be asked for alone, at any frame rate (`result.at`).
    """
    if not isinstance(character, Character):
        raise OptionError("character", expected=Note("a Character"), found=type(character).__name__)
    motion = options.motion
    if motion is not None and not motion.skeleton.same_joints(character.skeleton):
        raise OptionError(
            "motion",
            problem=Note("the motion is of another skeleton than the character"),
            advice=Note("komadori.retarget transfers it first"),
        )
    if motion is not None and not len(motion):
        raise OptionError("motion", problem=Note("the motion has no frames"))
    strands, notes = strands_of(character, options.chains)
    if options.fit is None:
        return moving(character, options, strands, notes=notes)
    found = fit_hair(options.fit, period=options.period)
    wave = {name: getattr(found, name) for name in FITTED if getattr(options, name) is None}
    if options.drawings is not None:
        wave["period"] = None
    return replace(moving(character, replace(options, **wave), strands, notes=notes), fitted=found)


def moving(
    character: Character, options: HairOptions, strands: Strands, heads: Heads | None = None, notes: Sequence[Note] = ()
) -> HairResult:
    """`hair` of `strands` that are known already; `heads` too, if neither motion nor damping has changed since."""
    motion = options.motion
    fps = motion.fps if motion is not None else float(rates.exact(options.fps or FPS))
    cycle, step, said = _cycle(options, fps)
    period_s = cycle / fps
    air = _air(character, options, motion)
    periods = air.periods if air.wind.any() else 1
    count = _length(options, motion, fps, cycle * periods)
    if options.exact:
        strands = replace(strands, guard=None, solids=None)
    wave = _wave(strands, options)
    if heads is None and motion is not None:
        heads = heads_of(strands, motion, options.damping, options.camera, options.floor_m)
    collide = options.collide and not options.exact
    if motion is None and options.camera is not None:
        body = _standing(character, count, fps)
        heads = heads_of(strands, body, options.damping, options.camera)
    flow = Flow(
        strands,
        wave,
        period_s,
        air,
        heads,
        follow=options.follow,
        damping=options.damping,
        hang=options.value("hang"),
        still=options.still if motion is not None and not options.exact else 1.0,
        gather=0.0 if options.exact else options.gather,
        obstacles=None if not collide else _obstacles(character, strands) if heads is None else heads.obstacles,
        exact=options.exact,
    )
    base = _standing(character, count, fps) if motion is None else _lasting(motion, count)
    given = [HairChain(c, *(float(v[n]) for v in vars(wave).values())) for n, c in enumerate(strands.chains)]
    told = (*notes, *said)
    return HairResult(
        character, options, base, tuple(given), cycle, step, period_s, cycle // step, period_s * periods, flow, told
    )


def _cycle(options: HairOptions, fps: float) -> tuple[int, int, list[Note]]:
    """Frames in a cycle, frames per drawing, and what had to be changed so that both are whole."""
    asked = options.value("period") * fps
    if options.drawings is not None and options.on > 1:
        cycle, step = options.drawings * options.on, options.on
    elif options.drawings is not None:
        step = max(1, round(asked / options.drawings))
        cycle = step * options.drawings
    else:
        step = options.on
        cycle = max(2, round(asked / step)) * step
    notes: list[Note] = []
    if abs(cycle - asked) > 1e-6 * cycle:
        text = "Set the period to {frames} frames ({period:.4g} s; asked for: {asked:.4g} s), so that the wave loops."
        notes.append(Fact(text, frames=cycle, period=cycle / fps, asked=asked / fps))
    return cycle, step, notes


def _air(character: Character, options: HairOptions, motion: Motion | None) -> Air:
    """The wind that was given; a preset's blows from the body's front, unless the body runs itself."""
    gust = options.value("gust")
    periods = GUST_PERIODS if gust > 0.0 else 1
    if options.wind is not None:
        return Air(np.array(options.wind), gust, periods)
    world = character.rest.world_positions()[0]
    wind = np.array([0.0, options.value("rise"), 0.0]) - options.value("blow") * front_of(character.skeleton, world)
    if options.preset == "run" and motion is not None and len(motion) > 1:
        way = motion.positions[:, 0]
        travelled = np.linalg.norm((way[-1] - way[0]) * [1.0, 0.0, 1.0]) * motion.fps / (len(motion) - 1)
        wind = np.zeros(3) if travelled > TRAVELS else wind
    return Air(wind, gust, periods, turns=True)


def _wave(strands: Strands, options: HairOptions) -> Wave:
    """The same wave for all, each at its own step; where strands differ, shorter ones swing less far."""
    count = len(strands)
    k, s, p, a = (options.value(name) for name in LETTERS.values())
    longest = np.array([strands.totals[strands.holders == holder].max() for holder in strands.holders])
    apart = min(1.0, options.spread / 0.35)
    less = apart * (1.0 - np.sqrt(strands.totals / longest))
    waves = np.full(count, k)
    if options.wavelength is None and not options.exact:
        # A wave needs some four bones to be seen: strands of fewer get a longer one.
        waves = np.maximum(waves, 1.5 / strands.counts)
    # Steps are those between tips, which are seen: the wave takes another time to reach the last bone of another strand.
    last = strands.firsts + strands.counts - 1
    reached = 0.5 * (strands.near + strands.far)[last] / waves
    steps = options.spread * np.mod((np.arange(count) + options.seed) * GOLDEN, 1.0)
    phase = 2.0 * np.pi * (options.delay + steps)
    phase += apart * (reached[np.argmax(strands.totals)] - reached)
    return Wave(waves, np.full(count, s), np.full(count, p), a * (1.0 - less), phase)


def _obstacles(character: Character, strands: Strands) -> Obstacles | None:
    """The obstacles for strands on a body at rest."""
    turns, places = character.rest.world_transforms()
    return obstacles_of(strands, 1.0, turns, places, np.arange(len(character.skeleton)))


def _length(options: HairOptions, motion: Motion | None, fps: float, loop: int) -> int:
    if options.seconds is None:
        return len(motion) if motion is not None else loop
    count = round(options.seconds * fps)
    if not 1 <= count <= MOST_FRAMES:
        raise OptionError(
            "seconds", expected=Note("1 to {most:,} frames at {fps:g} fps", most=MOST_FRAMES, fps=fps), found=count
        )
    return count


def _standing(character: Character, count: int, fps: float) -> Motion:
    skeleton = character.skeleton
    rotations = np.broadcast_to(skeleton.rest, (count, len(skeleton), 4))
    return Motion(skeleton, fps, rotations, np.broadcast_to(skeleton.offsets, (count, len(skeleton), 3)))


def _lasting(motion: Motion, count: int) -> Motion:
    """The first `count` frames; the last one is held if the motion is shorter."""
    return motion if count == len(motion) else motion.taken(np.minimum(np.arange(count), len(motion) - 1))
