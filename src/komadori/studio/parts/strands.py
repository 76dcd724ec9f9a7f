"""Strands drawn over frames: from rays of the page's camera to the chain's plane, to a trace, to the wave that fits it."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from komadori import quat
from komadori.errors import FormatError, OptionError
from komadori.formats import trace as traces
from komadori.methods.hair import HairResult, Trace, baselines, fit_hair, joints
from komadori.methods.hair.fitting import HairFit
from komadori.methods.hair.options import LETTERS
from komadori.methods.hair.traces import Comparison, compared
from komadori.quat import Array
from komadori.studio.messages import DrawStrand, StrandInfo, TakeTrace
from komadori.studio.scene import FitFound, HairPart, StrandDrawn
from komadori.words import Note

MOST_POINTS = 400
MOST_STRANDS = 1000
EDGE_ON = 0.12
"""Cosine between a ray and the plane's normal below which the plane is seen from its edge, and no point on it is meant."""
MUCH_NEARER = 0.7
FEWEST_ASIDE = 8
"""Drawings that are needed to fit one half and judge by the other: a fit takes four."""
FAR = 5.0
"""A point lies at most so many strands' lengths from the root."""


def drawn(before: list[StrandDrawn], made: HairResult, number: int, ask: DrawStrand) -> list[StrandDrawn]:
    """`before` with the strand that was drawn at a frame in place of what was there."""
    name, frames = made.chains[number].name, len(made.base)
    if not 0 <= ask.frame < frames:
        raise OptionError(
            "frame", expected=Note("a frame of the motion, 1 to {last}", last=frames), found=ask.frame + 1
        )
    kept = [one for one in before if (one.chain, one.frame) != (name, ask.frame)]
    if not ask.rays:
        return kept
    points = _on_plane(made, number, ask)
    return _in_order([*kept, StrandDrawn(name, ask.frame, points.round(6).tolist())])


def taken(before: list[StrandDrawn], made: HairResult, number: int, ask: TakeTrace) -> tuple[list[StrandDrawn], str]:
    """`before` with the drawings of a trace's file, as large as the chain, and the name of the chain."""
    parse = traces.parse_json if ask.name.lower().endswith(".json") else traces.parse_csv
    trace = parse(ask.text.encode("utf-8", "replace"), ask.name)
    names = [chain.name for chain in made.chains]
    number = names.index(trace.chain) if trace.chain in names else number
    name, fps, frames = names[number], made.base.fps, len(made.base)
    plane = np.stack(made.flow.plane(number))
    size = float(made.flow.strands.totals[number] / trace.lengths.sum())
    found = {}
    for second, line in zip(trace.seconds.tolist(), trace.joints, strict=True):
        if round(second * fps) < frames:
            points = (size * (line - line[0]) @ plane).round(6).tolist()
            found[round(second * fps)] = StrandDrawn(name, round(second * fps), points)
    if not found:
        raise FormatError(
            ask.name,
            "at",
            expected=Note("drawings within the {count} frames of the clip", count=frames),
            found=Note("none"),
        )
    kept = [one for one in before if one.chain != name or one.frame not in found]
    return _in_order([*kept, *found.values()]), name


def trace_of(strands: list[StrandDrawn], made: HairResult, number: int) -> Trace | None:
    """What was drawn of a chain, seen in its plane and with its bones; None if there is nothing."""
    own = [one for one in strands if one.chain == made.chains[number].name and one.frame < len(made.base)]
    if not own:
        return None
    plane = np.stack(made.flow.plane(number), axis=1)
    lengths = _lengths(made, number)
    places = np.concatenate([[0.0], np.cumsum(lengths) / lengths.sum()])
    lines = [Trace(np.array([one.points]) @ plane).with_bones(places).joints[0] for one in own]
    return Trace(np.array(lines), made.base.fps, made.chains[number].name, tuple(one.frame for one in own))


def fitted(
    made: HairResult, number: int, strands: bytes, hold: bool, aside: bool = False
) -> tuple[dict[str, Any], FitFound]:
    """Options that come nearest to what was drawn (`strands`, JSON), and the fit. `hold` keeps the period that there is.

    `aside` fits every second drawing only, and scores the fit on the others, which it has not seen.

    The wave runs along a line that wind, weight and the head's path have bent: what was drawn is straightened by that first. A
    cycle is a whole number of drawings: the rest is fitted again with the period that this gives. The wave of the chain that
    was drawn over is met in size and in time, so that the hair on the stage follows the drawings.
    """
    drawings = msgspec.json.decode(strands, type=list[StrandDrawn])
    own = [one for one in drawings if one.chain == made.chains[number].name]
    if aside and len(own) < FEWEST_ASIDE:
        raise OptionError(Note("draw over {count} frames or more to keep half of them aside", count=FEWEST_ASIDE))
    trace = trace_of(own[::2] if aside else own, made, number)
    kept = trace_of(own[1::2], made, number) if aside else None
    if trace is None:
        raise OptionError(Note("nothing was drawn over {chain} yet", chain=made.chains[number].name))
    fps, step, chain, options = made.base.fps, made.options.on, made.chains[number], made.options
    lengths, base = _lengths(made, number), _calm_tilts(made, number, trace.seconds)
    straight = replace(trace, joints=joints(lengths, trace.tilts - base))
    period = made.period_s
    if not hold:
        period = max(2, round(_best_fit(straight, None).period * fps / step)) * step / fps
    fit = _best_fit(straight, period)
    share = chain.size / options.value("size") if options.value("size") > 0.0 else 1.0
    later = (options.delay + (fit.phase - chain.phase) / (2.0 * math.pi)) % 1.0
    size = min(fit.size / max(share, 0.05), 20.0)
    wave = {"wavelength": fit.wavelength, "calm": fit.calm, "stiffness": fit.stiffness, "size": size, "delay": later}
    given: dict[str, Any] = {name: float(f"{value:.3g}") for name, value in wave.items()}
    # The drawings say how large the wave is, whether the head moves or not.
    given |= {"period": round(period, 4), "drawings": None, "still": 1.0}
    near = compared(joints(lengths, fit.tilts(lengths, trace.seconds) + base), trace)
    judges = trace if kept is None else kept
    seen = replace(judges, joints=joints(lengths, judges.tilts - _calm_tilts(made, number, judges.seconds)))
    others = baselines(straight, seen, period)
    found = FitFound(
        chain.name,
        **_values(fit),
        angle_deg=near.angle_deg,
        percent=near.distance_percent,
        rigid_angle_deg=others.rigid.angle_deg,
        springs_angle_deg=others.springs.angle_deg,
    )
    if kept is None:
        return given, found
    lines = joints(lengths, fit.tilts(lengths, kept.seconds) + _calm_tilts(made, number, kept.seconds))
    score = compared(lines, kept)
    judged = {"aside": len(kept.joints), "aside_angle_deg": score.angle_deg, "aside_percent": score.distance_percent}
    return given, msgspec.structs.replace(found, **judged)


def strand_infos(part: HairPart, made: HairResult, number: int) -> list[StrandInfo]:
    """What was drawn of a chain, each with the fitted line beside it."""
    own = [one for one in part.strands if one.chain == made.chains[number].name]
    lines: list[list[list[float]]] = [[] for _ in own]
    fit = part.fit
    if fit is not None and fit.chain == made.chains[number].name:
        wave = HairFit(**_values(fit), error=Comparison(0.0, 0.0, 0, 0))
        lengths = _lengths(made, number)
        seconds = np.array([one.frame for one in own]) / made.base.fps
        flat = joints(lengths, wave.tilts(lengths, seconds) + _calm_tilts(made, number, seconds))
        starts = np.array([one.points[0] for one in own]).reshape(-1, 1, 3)
        lines = (starts + flat @ np.stack(made.flow.plane(number))).round(5).tolist()
    return [StrandInfo(one.frame, one.points, line) for one, line in zip(own, lines, strict=True)]


def csv(trace: Trace) -> bytes:
    """A trace as a file."""
    return traces.emit_csv(trace)


def _values(fit: HairFit | FitFound) -> dict[str, Any]:
    return {name: getattr(fit, name) for name in (*LETTERS.values(), "period", "phase", "turn")}


def _best_fit(trace: Trace, period: float | None) -> HairFit:
    """The fit along the strand's own line; one that is turned off it where that comes much nearer."""
    plain, turned = (fit_hair(trace, period=period, turn=turn) for turn in (False, True))
    return turned if turned.error.angle_deg < MUCH_NEARER * plain.error.angle_deg else plain


def _lengths(made: HairResult, number: int) -> Array:
    return made.flow.strands.lengths[made.flow.strands.bones(number)]


def _calm_tilts(made: HairResult, number: int, seconds: Array) -> Array:
    """(n, bones) tilts of a chain in its plane before it waves."""
    flow = made.flow
    calm = replace(flow, wave=replace(flow.wave, a=np.zeros_like(flow.wave.a)))
    lines = calm.directions(seconds)[:, flow.strands.bones(number)]
    along, up = flow.plane(number)
    return np.asarray(np.arctan2(lines @ up, lines @ along))


def _in_order(strands: list[StrandDrawn]) -> list[StrandDrawn]:
    if len(strands) > MOST_STRANDS:
        raise OptionError(
            "strands", expected=Note("at most {most} drawn strands", most=MOST_STRANDS), found=len(strands)
        )
    return sorted(strands, key=lambda one: (one.chain, one.frame))


def _on_plane(made: HairResult, number: int, ask: DrawStrand) -> Array:
    """(n, 3) where the rays meet the chain's plane, from the chain's root, in its holder's frame."""
    if not 2 <= len(ask.rays) <= MOST_POINTS or any(len(ray) != 6 for ray in ask.rays):
        raise OptionError(
            "rays", expected=Note("2 to {most} points from root to tip", most=MOST_POINTS), found=len(ask.rays)
        )
    rays = np.array(ask.rays)
    if not np.isfinite(rays).all() or np.abs(rays).max() > 1e6 or (np.linalg.norm(rays[:, 3:], axis=1) < 1e-9).any():
        raise OptionError("rays", expected=Note("finite numbers"), found=Note("NaN or infinity"))
    turns, places = made.base.taken([ask.frame]).world_transforms()
    holder = int(made.flow.strands.holders[number])
    turn = turns[0, holder] if holder >= 0 else quat.IDENTITY
    back = quat.inverse(turn)
    root = places[0, made.chains[number].chain.joints[0]]
    along, up = made.flow.plane(number)
    normal = np.cross(along, up)
    starts = quat.rotate(back, rays[:, :3] - root)
    ways = quat.rotate(back, rays[:, 3:] / np.linalg.norm(rays[:, 3:], axis=1, keepdims=True))
    facing = ways @ normal
    if np.abs(facing).min() < EDGE_ON:
        raise OptionError(Note("the strand is seen edge-on: turn the view until you look at it from the side"))
    points = starts - (starts @ normal / facing)[:, None] * ways
    length = float(made.flow.strands.totals[number])
    if np.linalg.norm(points, axis=1).max() > FAR * length:
        raise OptionError(Note("the strand was drawn too far from the original"))
    apart = np.concatenate([[True], np.linalg.norm(np.diff(points, axis=0), axis=1) > 1e-3 * length])
    if apart.sum() < 2:
        raise OptionError(Note("draw a strand as a line from root to tip, not as a point"))
    return np.asarray(points[apart])
