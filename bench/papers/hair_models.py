"""Rows on hair beside physics and on models (Furukawa and Nakata, sections 3.1 and 3.2)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import komadori
from bench.papers.claims import Measured, Words
from komadori import Motion, kinematics, quat
from komadori.character import Character
from komadori.characters import character
from komadori.methods.hair import PRESETS, HairResult, hair, wave
from komadori.methods.hair.options import LETTERS
from komadori.quat import Array
from komadori.render.drawing import Circle, Drawing, Item, Line, Polyline, Rect, Text

INK, BLUE, AIR = "#22272e", "#0072b2", "#d7e3ee"
WALKS = ("07_01", "08_01", "08_04")
STRAND = "hair_ponytail"


def models(data: Path) -> dict[str, Character]:
    """The built-in bodies and the avatars at hand, a VRM and a PMX."""
    return {
        "girl": character("girl"),
        "horse": character("horse"),
        "Godette (VRM)": komadori.load(data / "character_vrm" / "Godette_vrm_v4.vrm", kind="character"),
        "Gene (PMX)": komadori.load(data / "character_mmd" / "Gene" / "Gene.pmx", kind="character"),
    }


def _exact(body: Character) -> tuple[HairResult, float, int, int, int]:
    """The hair to the letter, how far off the formula it is, the longest strand, and the strands along which swings lag."""
    result = hair(body, exact=True)
    flow, strands = result.flow, result.flow.strands
    t = 2.0 * np.pi * np.arange(24) / 24.0
    lines, ups = (np.broadcast_to(part, (3, 24, part.shape[2])) for part in flow._steady_lines[:2])
    found = flow.directions(np.arange(24) * result.period_s / 24.0)
    worst, longest, lagging, long = 0.0, 0, 0, 0
    for number, chain in enumerate(result.chains):
        bones = strands.bones(number)
        along, across = (np.einsum("nbi,inb->nb", found[:, bones], part[:, :, bones]) for part in (lines, ups))
        tilt = np.arctan2(across, along)
        given = {letter: getattr(chain, option) for letter, option in LETTERS.items()}
        worst = max(worst, float(np.abs(tilt - wave.tilts(strands.lengths[bones], t - chain.phase, **given)).max()))
        longest = max(longest, tilt.shape[1])
        if tilt.shape[1] >= 3:
            long += 1
            lagging += bool((np.diff(lags(tilt)) > 0.0).all())
    return result, worst, longest, lagging, long


def lags(tilt: Array) -> Array:
    """(bones,) radians by which each bone's swing lags behind the first one's; `tilt` (F, bones) is one cycle."""
    t = 2.0 * np.pi * np.arange(len(tilt)) / len(tilt)
    found = -np.unwrap(np.angle(((tilt - tilt.mean(axis=0)) * np.exp(-1j * t)[:, None]).sum(axis=0)))
    return np.asarray(found - found[0])


def figure2(data: Path) -> Measured:
    """Every bone of four bodies beside the formula; and how far the default leaves it."""
    rows, worst, lagging, long, scales = [], 0.0, 0, 0, []
    for name, body in models(data).items():
        result, off, longest, follow, several = _exact(body)
        worst, lagging, long = max(worst, off), lagging + follow, long + several
        ratios = []
        given: Any
        for given in (None, *PRESETS):
            flow = hair(body, preset=given).flow
            drawn, trimmed = (np.hypot(slopes[0], slopes[1]) for slopes in (flow._drawn, flow._slopes))
            ratios.append(trimmed[drawn > 1e-9] / drawn[drawn > 1e-9])
        scale = np.concatenate(ratios)
        scales += [float(scale.min()), float(scale.max())]
        told = f"{100.0 * scale.min():.0f}–{100.0 * scale.max():.0f} %"
        rows.append((name, str(len(result.chains)), str(longest), f"{off:.0e}", f"{follow} / {several}", told))
    columns = (
        Words("model", "モデル"), Words("chains", "チェーン"), Words("bones in the longest", "最も長いチェーンのボーン数"), Words("off f3, radians", "f3 との差（ラジアン）"),
        Words("strands of 3 bones or more in which the swing lags at every bone", "3 ボーン以上のうち、どのボーンでも遅れが増えるもの"),
        Words("the default's swings, of the formula's", "既定の揺れの大きさ（式に対して）"),
    )  # fmt: skip
    return Measured(
        Words(
            "with `exact=True` the hair of four models follows f3 within {worst:.0e} radians on every bone, and in {lagging} of {long} strands of three bones or more the wave reaches every bone later than the one before; without it swings have {low:.0f} to {high:.0f} % of their size in all presets",
            "`exact=True` では 4 つのモデルの髪のすべてのボーンが f3 に {worst:.0e} ラジアンまで一致し、3 ボーン以上の {long} 本中 {lagging} 本で、波は根元から順に遅れて届きます。既定では、どのプリセットでも揺れの大きさは式の {low:.0f}〜{high:.0f} % です",
        ),
        {"worst": worst, "lagging": lagging, "long": long, "low": 100.0 * min(scales), "high": 100.0 * max(scales)},
        worst < 1e-9 and lagging == long,
        columns,
        tuple(rows),
    )


def _tilts(body: Character, motion: Motion) -> Array:
    """(F, bones) how the longest strand's bones lean back and forth, seen from the head."""
    chain = next(one for one in body.chains() if one.name == STRAND).joints
    head = int(body.skeleton.parents[chain[0]])
    turns, places = kinematics.world_transforms(motion.skeleton, motion.rotations, motion.positions)
    seen = quat.rotate(quat.inverse(turns[:, head])[:, None], places[:, list(chain)] - places[:, [head]])
    lines = np.diff(seen, axis=1)
    return np.unwrap(np.arctan2(lines[..., 2], -lines[..., 1]), axis=0)


def _again(tilt: Array, fps: float) -> float:
    """How far the tip is from where it was a cycle before, in shares of its swing; the cycle that suits best counts."""
    tip = tilt[:, -1]
    apart = [
        np.sqrt(np.square(tip[shift:] - tip[:-shift]).mean() / 2.0) / tip.std()
        for shift in range(round(0.4 * fps), min(round(1.6 * fps), len(tip) // 2))
    ]
    return float(min(apart))


def _lag(tilt: Array) -> float:
    """Degrees by which the tip swings later than the root, at the frequency at which the tip swings most."""
    window = np.hanning(len(tilt))[:, None]
    found = np.fft.rfft((tilt - tilt.mean(axis=0)) * window, axis=0)
    phase = np.unwrap(np.angle(found[2 + int(np.abs(found[2:, -1]).argmax())]))
    return float(np.degrees(phase[0] - phase[-1]))


def physics(data: Path) -> Measured:
    """The wave and VRM spring bones on the same captured walks: does the tip lag, and does the swing repeat?"""
    girl, rows, nearer, later = character("girl"), [], 0, 0
    for name in WALKS:
        clip = komadori.load(data / "human_cmu_bvh" / f"{name}.bvh").prepared(fps=24.0)
        body = komadori.retarget(clip, girl).motion
        tilts = [_tilts(girl, hair(girl, body, by=by).motion)[12:] for by in ("wave", "springs")]
        lag, again = [_lag(tilt) for tilt in tilts], [_again(tilt, 24.0) for tilt in tilts]
        nearer += again[0] < again[1]
        later += lag[0] > lag[1]
        rows.append((f"CMU {name}", *(f"{one:.0f}°" for one in lag), *(f"{100.0 * share:.0f} %" for share in again)))
    columns = (
        Words("walk", "歩行"), Words("wave: tip behind root", "波：根元に対する毛先の遅れ"), Words("spring bones", "スプリングボーン"),
        Words("wave: off after a cycle, of its swing", "波：1 周期後のずれ（振幅比）"), Words("spring bones", "スプリングボーン"),
    )  # fmt: skip
    return Measured(
        Words(
            "on {count} captured walks the tip of an eight-bone ponytail lags farther behind its root with the wave than with VRM spring bones in {later}, and its swing repeats more nearly in {nearer}",
            "キャプチャした {count} 本の歩行で 8 ボーンのポニーテールを比べると、毛先の遅れは {later} 本で波の方が VRM のスプリングボーンより大きく、1 周期後のずれは {nearer} 本で波の方が小さくなります",
        ),
        {"nearer": nearer, "later": later, "count": len(WALKS)},
        nearer == later == len(WALKS),
        columns,
        tuple(rows),
    )


def curved(data: Path) -> Measured:
    """Chains that are bent at rest: how bent, and what the wave does to their bones' lengths."""
    rows, worst = [], 0.0
    for name, body in models(data).items():
        result = hair(body, preset="stream")
        world, rest = result.motion.world_positions(), body.rest.world_positions()[0]
        bends, off = [], 0.0
        for one in result.chains:
            joints = list(one.chain.joints)
            lines = np.diff(rest[joints], axis=0)
            sizes = np.linalg.norm(lines, axis=1)
            if len(lines) > 1 and sizes.min() > 1e-9:
                ways = lines / sizes[:, None]
                bends.append(float(np.degrees(np.arccos(np.clip((ways[1:] * ways[:-1]).sum(axis=1), -1.0, 1.0))).sum()))
            found = np.linalg.norm(np.diff(world[:, joints], axis=1), axis=2)
            off = max(off, float(np.abs(found - sizes).max()))
        worst = max(worst, off)
        rows.append((name, str(len(bends)), f"{max(bends, default=0.0):.0f}°", f"{1000.0 * off:.0e} mm"))
    columns = (
        Words("model", "モデル"), Words("chains of two bones or more", "2 ボーン以上のチェーン"), Words("most bent at rest, root to tip", "静止時の曲がり（根元から毛先、最大）"),
        Words("lengths of bones change by", "ボーンの長さの変化"),
    )  # fmt: skip
    return Measured(
        Words(
            "chains that are bent at rest are carried along their own curve: with the preset `stream` no bone of four models changes its length by more than {worst:.0e} mm",
            "静止時に曲がったチェーンは、その曲線に沿って動きます。プリセット `stream` で、4 つのモデルのどのボーンも長さの変化は {worst:.0e} mm 以下です",
        ),
        {"worst": 1000.0 * worst},
        worst < 1e-6,
        columns,
        tuple(rows),
    )


def air(_: Path) -> Drawing:
    """A strand in six moments of a cycle, and the ball of air between its trough and its crest."""
    cell, size, top = 156.0, 42.0, 62.0
    x = np.linspace(0.0, np.pi, 120)
    items: list[Item] = [Rect(0, 0, 6 * cell, 140, fill="#ffffff")]
    for number in range(6):
        t = 2.0 * np.pi * number / 6.0
        left = number * cell + 14.0
        # The lump is below the place that the wave lifts most: there the sine of f1 is -1.
        middle = 0.5 * (t - np.pi) % np.pi
        height = wave.curve(np.array([middle]), np.array([[t]]), 0.5, 1.5, 1.2, 0.65)[0, 0]
        items.append(Circle(left + size * middle, top - size * height + 15.0, 13.0, AIR))
        y = wave.curve(x, np.array([[t]]), 0.5, 1.5, 1.2, 0.65)[0]
        points = tuple((left + size * a, top - size * b) for a, b in zip(x.tolist(), y.tolist(), strict=True))
        items.append(Polyline(points, BLUE, 3.0))
        items.append(Circle(left, top, 3.0, INK))
        items.append(Text(left, 130, f"{number} / 6", 11.0, INK))
        if number:
            items.append(Line(number * cell, 20, number * cell, 118, "#dfe3e8"))
    return Drawing(6 * cell, 140, tuple(items), "a lump of air along the hair")
