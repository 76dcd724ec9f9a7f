"""Hair in the studio: the turns of all chains while wind, wave and presets are dragged about."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np

from komadori.errors import OptionError, one_of
from komadori.methods.hair import HairOptions, HairResult, curve, joints, moving, simulate_springs, tilts
from komadori.methods.hair.checking import IN_STEP_DEG, SEAM_DEG
from komadori.methods.hair.heads import Heads, heads_of
from komadori.methods.hair.options import LETTERS, PRESETS, Vector, checked_wind
from komadori.methods.hair.strands import Strands, rigged
from komadori.quat import Array
from komadori.studio.bilingual import in_both_languages
from komadori.studio.messages import (
    ChainChecked,
    ClearStrands,
    DrawStrand,
    FitHair,
    HairArrays,
    HairAsk,
    HairChecked,
    HairUpdate,
    PickChain,
    PlaneInfo,
    Preset,
    SetWind,
    SpringArrays,
    TakeTrace,
)
from komadori.studio.offers import Offer
from komadori.studio.packing import packed
from komadori.studio.parts import strands as drawing
from komadori.studio.parts.sheet import merged, plain
from komadori.studio.scene import Opened, Scene
from komadori.studio.stage import Stage, Staged
from komadori.words import Note

KEPT = 16
WHOLE = 600
"""Clips of so many frames are sent in one piece."""
BEFORE, AFTER = 24, 96
"""Of longer ones, the frames around the present one come first,"""
PIECE = 2000
"""then the others, so many at a time."""
MOMENTS = 48
"""Drawings of a cycle that the wave is plotted at, at most."""
POINTS = 65
MOST_SPRINGS = 2400
"""Frames up to which spring bones are simulated beside the wave: they need all frames before."""
OF_THE_WAVE = (*LETTERS.values(), "period", "gust", "hang")


class Hair:
    """Keeps what does not change while a slider is dragged: strands, and how far they lag behind the heads."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._strands = lru_cache(KEPT)(self._make_strands)
        self._heads = lru_cache(KEPT)(self._make_heads)
        self._result = lru_cache(KEPT)(self._make_result)
        self._springs = lru_cache(4)(self._make_springs)
        self._fitted = lru_cache(KEPT)(drawing.fitted)

    def result(self, scene: Scene) -> HairResult | None:
        """The hair of the scene's character; None if no chain can move."""
        part = scene.hair
        wind = None if part.wind is None else checked_wind(part.wind)
        options = msgspec.json.encode(part.options, order="sorted")
        return self._result(scene.opened, tuple(part.off), wind, options)

    def answers(self, revision: int, scene: Scene, frame: int, offer: Offer) -> Iterator[HairUpdate | bytes]:
        """The turns at the frames that are looked at, what there is to say, then the turns at all other frames."""
        made = self.result(scene)
        if made is None:
            yield packed(HairArrays(revision, 0, 0, np.zeros(0, dtype=int), np.zeros((0, 0, 4))))
            yield _nothing(revision, self._staged(scene))
            return
        number = chain_number(scene, made)
        pieces = list(_pieces(len(made.base), frame))
        yield _piece(made, revision, pieces[0], _wave(made, number))
        yield self._update(revision, scene, made, number, offer)
        for piece in pieces[1:]:
            yield _piece(made, revision, piece, {})

    def asked(self, scene: Scene, ask: HairAsk) -> Scene:
        """The scene after what was asked; what cannot be is refused. A fit takes time, once: it is kept."""
        part = scene.hair
        match ask:
            case SetWind():
                return _with(scene, wind=None if ask.wind is None else list(checked_wind(ask.wind)))
            case Preset():
                if ask.preset and ask.preset not in PRESETS:
                    raise OptionError("preset", expected=one_of(PRESETS), found=ask.preset)
                gone: dict[str, Any] = dict.fromkeys(OF_THE_WAVE)
                options = merged(part.options, {**gone, "preset": ask.preset or None}, HairOptions)
                return _with(scene, options=options, wind=None, fit=None)
            case PickChain():
                names = [chain.name for chain in self._staged(scene).character.chains()]
                if ask.name not in names:
                    raise OptionError("chain", expected=one_of(names), found=ask.name)
                if ask.on is None:
                    return _with(scene, chain=ask.name)
                off = set(part.off) - {ask.name} if ask.on else {*part.off, ask.name}
                return _with(scene, off=[name for name in names if name in off])
            case ClearStrands():
                made, number = self._looked_at(scene)
                name = made.chains[number].name
                return _with(scene, strands=[one for one in part.strands if one.chain != name], fit=None)
            case DrawStrand():
                made, number = self._looked_at(scene)
                return _with(scene, strands=drawing.drawn(part.strands, made, number, ask), fit=None)
            case TakeTrace():
                made, number = self._looked_at(scene)
                taken, name = drawing.taken(part.strands, made, number, ask)
                return _with(scene, strands=taken, chain=name, fit=None)
            case FitHair():
                made, number = self._looked_at(scene)
                options, fit = self._fitted(made, number, msgspec.json.encode(part.strands), ask.hold, ask.aside)
                return _with(scene, options=merged(part.options, options, HairOptions), fit=fit)

    def checked(self, revision: int, scene: Scene) -> HairChecked | None:
        """The textbook's checks of all chains that move."""
        made = self.result(scene)
        if made is None:
            return None
        found = [
            ChainChecked(
                one.name,
                one.figure_8,
                one.root_to_tip,
                None if one.step_deg is None else one.step_deg >= IN_STEP_DEG,
                one.seam_deg <= SEAM_DEG,
            )
            for one in made.checks.chains
        ]
        return HairChecked(revision, found)

    def _looked_at(self, scene: Scene) -> tuple[HairResult, int]:
        made = self.result(scene)
        if made is None:
            raise OptionError(Note("there is no moving chain to draw over"))
        return made, chain_number(scene, made)

    def _update(self, revision: int, scene: Scene, made: HairResult, number: int, offer: Offer) -> HairUpdate:
        along, up = made.flow.plane(number)
        strands, chain = made.flow.strands, made.chains[number]
        trace = drawing.trace_of(scene.hair.strands, made, number)
        near = None if trace is None else made.compare(trace, chain.name, align=False)
        key = (scene.opened, tuple(scene.hair.off))
        short = len(made.base) <= MOST_SPRINGS
        address = f"springs-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}.motion"
        return HairUpdate(
            revision=revision,
            chain=chain.name,
            plane=PlaneInfo(chain.chain.joints[0], int(strands.holders[number]), along.tolist(), up.tolist()),
            values={name: made.options.value(name) for name in OF_THE_WAVE},
            wind=made.flow.air.wind.tolist(),
            cycle=made.cycle,
            step=made.step,
            drawings=made.drawings,
            period_s=made.period_s,
            loop_s=made.loop_s,
            strands=drawing.strand_infos(scene.hair, made, number),
            fit=scene.hair.fit,
            shown_angle_deg=None if near is None else near.angle_deg,
            shown_percent=None if near is None else near.distance_percent,
            trace="" if trace is None else offer("hair-trace.csv", lambda: drawing.csv(trace)),
            springs=offer(address, lambda: self._springs(*key)) if short else "",
            notes=in_both_languages(made.notes),
        )

    def _staged(self, scene: Scene) -> Staged:
        return self._stage.ready(*scene.opened)

    def _make_strands(self, opened: Opened, off: tuple[str, ...]) -> tuple[Strands, list[Note]] | None:
        body = self._stage.ready(*opened).character
        chains = [chain for chain in body.chains() if chain.name not in off]
        return rigged(body, chains) if chains else None

    def _make_heads(self, opened: Opened, off: tuple[str, ...], damping: float) -> Heads | None:
        found = self._strands(opened, off)
        assert found is not None
        staged = self._stage.ready(*opened)
        return heads_of(found[0], staged.motion, damping, None, staged.floor_m)

    def _make_result(
        self, opened: Opened, off: tuple[str, ...], wind: Vector | None, options: bytes
    ) -> HairResult | None:
        staged, found = self._stage.ready(*opened), self._strands(opened, off)
        if found is None:
            return None
        given = plain(msgspec.json.decode(options), HairOptions)
        # The studio's hair is as long as the clip; a character without a motion stands, and its wave is a whole one.
        given |= {"by": "wave", "seconds": len(staged.motion) / staged.motion.fps}
        chosen = HairOptions(
            staged.motion if opened.motion else None, wind=wind, fps=staged.motion.fps, floor_m=staged.floor_m, **given
        )
        heads = self._heads(opened, off, chosen.damping) if opened.motion else None
        return moving(staged.character, chosen, found[0], heads, found[1])

    def _make_springs(self, opened: Opened, off: tuple[str, ...]) -> bytes:
        """The joints that spring bones move, and how."""
        staged, found = self._stage.ready(*opened), self._strands(opened, off)
        assert found is not None
        chains = None if staged.character.springs else found[0].chains
        moved = simulate_springs(staged.character, staged.motion, settle=1.0, chains=chains)
        touched = np.flatnonzero((moved.rotations != staged.motion.rotations).any(axis=(0, 2)))
        return packed(SpringArrays(touched, moved.rotations[:, touched]))


def chain_number(scene: Scene, made: HairResult) -> int:
    """The chain that is looked at: the scene's, else the longest."""
    names = [chain.name for chain in made.chains]
    if scene.hair.chain in names:
        return names.index(scene.hair.chain)
    return int(np.argmax(made.flow.strands.totals))


def of_another(scene: Scene) -> Scene:
    """The scene without what was drawn over another clip or body."""
    return _with(scene, strands=[], fit=None) if scene.hair.strands or scene.hair.fit else scene


def _with(scene: Scene, **fields: Any) -> Scene:
    return msgspec.structs.replace(scene, hair=msgspec.structs.replace(scene.hair, **fields))


def _nothing(revision: int, staged: Staged) -> HairUpdate:
    """What is told where no chain moves."""
    note = Note("every chain is switched off")
    if not staged.character.chains():
        note = Note("{name} has no hair, skirt, ribbon, tail or ears that could move", name=staged.name)
    return HairUpdate(
        revision, "", None, {}, [0.0] * 3, 0, 1, 0, 0.0, 0.0, [], None, None, None, "", "", in_both_languages([note])
    )


def _pieces(frames: int, frame: int) -> Iterator[tuple[int, int]]:
    """First and last frame (not included) of what is sent at a time: around `frame`, on to the end, then the beginning."""
    if frames <= WHOLE:
        yield 0, frames
        return
    start = max(0, min(frame - BEFORE, frames - BEFORE - AFTER))
    middle = start + BEFORE + AFTER
    yield start, middle
    for low, high in ((middle, frames), (0, start)):
        for first in range(low, high, PIECE):
            yield first, min(first + PIECE, high)


def _piece(made: HairResult, revision: int, frames: tuple[int, int], wave: Mapping[str, Array]) -> bytes:
    first, last = frames
    turns = made.drawn(np.arange(first, last))
    return packed(HairArrays(revision, first, len(made.base), np.asarray(made.touched), turns, **wave))


def _wave(made: HairResult, number: int) -> dict[str, Array]:
    """The wave of a chain over its cycle: `bones` (T, n + 1, 2) and the curve `heights` (T, 65), lengths from 0 to 1."""
    chain, bones = made.chains[number], made.flow.strands.bones(number)
    lengths = made.flow.strands.lengths[bones] / made.flow.strands.totals[number]
    count = min(made.drawings, MOMENTS)
    t = 2.0 * np.pi * np.arange(count) / count - chain.phase
    wave = chain.wavelength, chain.calm, chain.stiffness, chain.size
    x = np.linspace(0.0, np.pi, POINTS)
    return {
        "bones": joints(lengths, tilts(lengths, t, *wave)),
        "heights": curve(x, t[:, None], *wave) / np.pi,
    }
