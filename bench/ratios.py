"""Ratios: each part of komadori beside a reference measured in the same run, and beside itself with ten times the input.

Processor time, in turns: what else the machine does hits both sides alike, so that a ratio says the same on a busy machine as
on a quiet one. `make bench-check` compares with the committed ones.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import mkdtemp

import numpy as np

import komadori
from bench import render, skinning
from bench.clips import bvh_file, captured, clip
from bench.hair import curly, wandering
from bench.keyposes import varied
from bench.puppet import puppet_of_100
from bench.tables import Table
from komadori import kinematics
from komadori.characters import character, sample
from komadori.formats import encoded
from komadori.methods.hair import hair
from komadori.methods.retarget import retarget
from komadori.numerics import dtw
from komadori.render import film, raster
from komadori.render.toon import FINER
from komadori.skinning import skin_of

Work = Callable[[], object]


@dataclass(frozen=True)
class Pair:
    """A work, what it is measured by, and how often both are run; `name` says which."""

    name: str
    work: Work
    reference: Work
    repeats: int = 7
    target: float | None = None
    """The most that the ratio should be; what is above is marked as missed."""


def tables() -> list[Table]:
    return [_table("Beside a reference", beside(), _ABOUT), _table("With ten times the input", growth(), _GROWN)]


_ABOUT = "Processor time over that of the reference, the least of a few runs in turns."
_GROWN = "Processor time for ten times the input over that for the input: 10 is linear."


def _table(title: str, pairs: list[Pair], about: str) -> Table:
    ratios = measured(pairs)
    rows, failed = [], []
    for pair in pairs:
        wanted = "" if pair.target is None else f"{pair.target:g}"
        rows.append((pair.name, f"{ratios[pair.name]:.3g}", wanted))
        if pair.target is not None and ratios[pair.name] > pair.target:
            failed.append(f"{pair.name}: {ratios[pair.name]:.3g}, at most {pair.target:g} wanted")
    return Table(title, ("what", "ratio", "at most"), tuple(rows), about, tuple(failed))


def measured(pairs: list[Pair]) -> dict[str, float]:
    """Name -> processor time of the work over that of its reference."""
    return {pair.name: _ratio(pair) for pair in pairs}


def _ratio(pair: Pair) -> float:
    works: Mapping[str, Work] = {"work": pair.work, "reference": pair.reference}
    best = dict.fromkeys(works, float("inf"))
    # What is quick is run several times in a row: the clock of a process counts in steps.
    often = {name: max(1, min(1000, int(0.02 / max(_spent(work, 1), 1e-6)))) for name, work in works.items()}
    gc.disable()
    for _ in range(pair.repeats):
        for name, work in works.items():
            gc.collect()
            best[name] = min(best[name], _spent(work, often[name]))
    gc.enable()
    return best["work"] / best["reference"]


def _spent(work: Work, times: int) -> float:
    begin = _processor()
    for _ in range(times):
        work()
    return (_processor() - begin) / times


def _processor() -> float:
    """Seconds of processor time of this process and of those it has waited for."""
    children = getrusage(RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _calls() -> None:
    """One hundred small NumPy calls: what work on a single pose or a short clip consists of."""
    a = _SOME
    for _ in range(100):
        np.add(a, 1.0)


def _numbers() -> None:
    """A million numbers multiplied, added and rooted, as many at once as stay in the cache: what work on arrays consists of."""
    for _ in range(50):
        np.sqrt(_MANY * _MANY + _MANY)


_SOME, _MANY = np.ones(300), np.random.default_rng(0).random(20_000)


def beside() -> list[Pair]:
    """Every part beside its reference."""
    text = bvh_file(1_000).read_text().partition("Frame Time:")[2]
    motion, pitch, girl = captured(1_000), clip(129), character("girl")
    puppet = puppet_of_100()
    shot = render.shot_at((640, 360))
    view = raster.view_of(shot.camera, FINER * 640, FINER * 360)
    corners = render.corners_of(shot, view)
    pictures = list(shot.pictures())
    body = skinning.body_of(captured(100), 20_000)
    skin = skin_of(body)
    walk = np.cumsum(np.random.default_rng(0).normal(size=(500, 60)), axis=0)
    head, strands = (lambda b: (b, wandering(b)))(curly())
    return [
        Pair("reading BVH / float() of its words", lambda: komadori.load(bvh_file(1_000)), lambda: list(map(float, text.split())), target=1.0),
        Pair("forward kinematics of 38 joints / as many matrix products", lambda: _forward(1_000), lambda: _MATRICES @ _MATRICES),
        Pair("limited, 129 frames / 100 NumPy calls", lambda: komadori.limited(pitch, omit=4, hold=33), _calls),
        Pair("greedy key poses, 1,000 frames / 100 NumPy calls", lambda: komadori.keyposes(varied(1_000)), _calls),
        Pair("exact key poses, 500 frames / a million numbers", lambda: komadori.keyposes(varied(500), solver="optimal"), _numbers, 3),
        Pair("one puppet pose / 100 NumPy calls", lambda: puppet.pose([0.1, 0.2, 0.3]), _calls),
        Pair("hair, 1,600 bones by 1,000 frames / a million numbers", lambda: hair(head, strands).motion, _numbers, 2),
        Pair("skinning of 20,000 vertices / gathering matrices", lambda: skin.posed(captured(100)), lambda: skinning.gathered(body, captured(100)), 2, target=1.0),
        Pair("retargeting 129 frames / 100 NumPy calls", lambda: retarget(pitch, girl), _calls, 3),
        Pair("writing glTF / a million numbers", lambda: encoded(motion, "clip.glb"), _numbers),
        Pair("warping 500 by 500 frames / a million numbers", lambda: dtw.warp(walk, walk[::-1]), _numbers),
        Pair("a picture of 640 x 360 / Pillow's polygons", lambda: shot.picture(12), lambda: render.by_polygons(corners, view), 5),
        Pair("24 pictures as MP4 / as PNG", lambda: film.video(pictures, 24.0), lambda: [film.png(p) for p in pictures], 2),
        Pair("starting komadori / starting NumPy", lambda: _started("import komadori; komadori.load; komadori.limited"), lambda: _started("import numpy"), 5),
    ]  # fmt: skip


_MATRICES = np.random.default_rng(1).random((38_000, 3, 3))


def _forward(frames: int) -> None:
    motion = captured(frames)
    kinematics.world_positions(motion.skeleton, motion.rotations, motion.positions)


def _started(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def growth() -> list[Pair]:
    """Every part beside itself with a tenth of the input."""
    girl = character("girl")
    puppet = puppet_of_100()
    handles = np.random.default_rng(2).normal(size=(1_000, 3))
    small, large = (render.shot_at(size) for size in ((360, 240), (1140, 760)))
    head = curly()
    way = wandering(head)
    walk = np.cumsum(np.random.default_rng(0).normal(size=(948, 60)), axis=0)
    skin = skin_of(skinning.body_of(captured(100), 20_000))
    return [
        Pair("reading BVH", lambda: komadori.load(bvh_file(5_000)), lambda: komadori.load(bvh_file(500)), target=11.0),
        Pair("forward kinematics", lambda: _forward(5_000), lambda: _forward(500), target=13.0),
        Pair("limited", lambda: komadori.limited(clip(10_000)), lambda: komadori.limited(clip(1_000)), 5, target=12.0),
        Pair("greedy key poses", lambda: komadori.keyposes(varied(10_000)), lambda: komadori.keyposes(varied(1_000)), 5, target=12.0),
        Pair("exact key poses (tenfold: 100 to 1,000 frames)", lambda: komadori.keyposes(varied(1_000), solver="optimal"), lambda: komadori.keyposes(varied(100), solver="optimal"), 2),
        Pair("puppet poses", lambda: puppet.poses(handles), lambda: puppet.poses(handles[:100]), target=11.0),
        Pair("hair", lambda: hair(head, way).motion, lambda: hair(head, way[:100]).motion, 2, target=13.0),
        Pair("skinning", lambda: skin.posed(captured(100)), lambda: skin.posed(captured(100)[:10]), 3, target=12.0),
        Pair("retargeting", lambda: retarget(clip(3_000), girl), lambda: retarget(clip(300), girl), 2, target=12.0),
        Pair("reading glTF", lambda: komadori.load(_glb(3_000)), lambda: komadori.load(_glb(300))),
        Pair("writing glTF", lambda: encoded(captured(3_000), "clip.glb"), lambda: encoded(captured(300), "clip.glb")),
        Pair("warping (tenfold area)", lambda: dtw.warp(walk, walk[::-1]), lambda: dtw.warp(walk[:300], walk[:300][::-1]), target=15.0),
        Pair("pictures (tenfold pixels)", lambda: large.picture(12), lambda: small.picture(12), 5, target=10.0),
        Pair("films (tenfold pictures)", lambda: film.video([p for p in _FILM for _ in range(10)], 24.0), lambda: film.video(_FILM, 24.0), 2, target=12.0),
        Pair("samples (tenfold rate)", lambda: sample("kick", 240.0), lambda: sample("kick", 24.0), 3),
    ]  # fmt: skip


@cache
def _glb(frames: int) -> Path:
    path = Path(mkdtemp(prefix="komadori-bench-")) / f"{frames}.glb"
    komadori.save(captured(frames), path)
    return path


_FILM = [np.full((120, 160, 3), tone, dtype=np.uint8) for tone in range(0, 240, 10)]
