"""Translation: the paper's experiment and its peers on one split, and the speed of it all."""

from __future__ import annotations

import importlib
import os
import time
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import komadori
from bench.clips import real_data
from bench.tables import Table, spoken, together
from komadori import Motion, Translator, fast
from komadori.characters import sample
from komadori.methods.translate import models
from komadori.methods.translate.features import angles_deg, space_of
from komadori.methods.translate.options import TranslateOptions
from komadori.numerics import dtw, subspace
from komadori.numerics.subspace import StateSpace
from komadori.quat import Array

ARMS_DEG, DOG_DEG = 8.9, 10.0
FIT_S = {400: 0.05, 4_000: 0.5}
STREAM_S, DTW_S, DTW_MB = 50e-6, 0.15, 100.0
RATE = 30.0
PEER = TranslateOptions()


def tables() -> list[Table]:
    data = real_data()
    real = [_arms(data), _dogs(data)] if data else []
    return [*real, _fits(), _stream(), _warps()]


def _arms(data: Path) -> Table:
    def clip(name: str) -> Motion:
        return komadori.load(data / "human_cmu_bvh" / f"{name}.bvh").prepared(RATE)

    train = [clip(f"08_0{n}") for n in (1, 2, 3)]
    tests = {"08_04 slow": clip("08_04"), "08_07 exaggerated": clip("08_07"), "08_11 slow stride": clip("08_11")}
    rows, best = _compared(train, list(tests.values()), "legs", "arms")
    failed = () if best <= ARMS_DEG else (f"auto reaches {best:.2f} degrees, at most {ARMS_DEG} wanted",)
    about = (
        "Legs to arms, the paper's experiment: CMU subject 08, trained on three walks (08_01, 08_02, 08_03), 30 frames a second. Mean "
        "degrees a joint over all frames. nfoursid gets 4 and 4 principal components, the longest of the clips (it takes one "
        "recording) and the order from 1 to 8 that fits it best. All but `auto` are plain models, their settings cross-validated; `auto` "
        "also notices that an input is slower than the training, or its strides longer, and answers with more caution. The numbers of that "
        "rule were tuned on subject 07 alone; its form was settled with both subjects in view."
    )
    return Table("Legs to arms", ("model", *tests, "mean"), rows, about, failed)


def _dogs(data: Path) -> Table:
    folder = data / "quadruped_tencent_dog_bvh"
    first = komadori.load(folder / "30fps_trim_dog_walk.bvh").prepared(RATE)[30:120]
    second = komadori.load(folder / "dog_quad_walkrun_001.bvh").prepared(RATE)[40:130]
    there, one = _compared([first], [second], "hind legs", "fore legs")
    back, other = _compared([second], [first], "hind legs", "fore legs")
    rows = tuple(
        (a[0], a[1], b[1], f"{0.5 * (float(a[1]) + float(b[1])):.2f}") for a, b in zip(there, back, strict=True)
    )
    worst = max(one, other)
    failed = () if worst <= DOG_DEG else (f"auto reaches {worst:.2f} degrees, at most {DOG_DEG} wanted",)
    about = "A dog's hind legs to its fore legs, in the gait that was learnt: two recordings of a walking dog (90 frames each), trained on one and run on the other."
    return Table("Hind legs to fore legs", ("model", "walk 1 to 2", "walk 2 to 1", "mean"), rows, about, failed)


def _compared(
    train: Sequence[Motion], tests: Sequence[Motion], inputs: str, outputs: str
) -> tuple[tuple[tuple[str, ...], ...], float]:
    """A row of errors for every model, and the mean of `auto`."""
    auto = Translator.fit([(clip, clip) for clip in train], inputs, outputs)
    inside, outside = list(auto.inputs), list(auto.outputs)
    u, y = ([np.asarray(clip.rotations[:, joints]) for clip in train] for joints in (inside, outside))

    def plain(kind: str) -> list[float]:
        results = [trial for trial in auto.report.trials if trial.candidate.kind == kind]
        fitted = models.fitted(min(results, key=lambda trial: trial.error_deg).candidate, u, y, PEER)
        return [models.error_deg(fitted, clip.rotations[:, inside], clip.rotations[:, outside]) for clip in tests]

    found: dict[str, list[float] | None] = {
        "mean pose": plain("mean"),
        "static ridge": plain("static"),
        "nfoursid": _peer(u, y, tests, inside, outside),
        "n4sid": plain("n4sid"),
        "fir": plain("fir"),
    }
    own = [float(angles_deg(auto.run(c).rotations[:, outside], c.rotations[:, outside]).mean()) for c in tests]
    found[f"auto ({auto.report.chosen.told})"] = own
    rows = []
    for name, errors in found.items():
        if errors is None:
            rows.append((name, *["not installed"] * (len(tests) + 1)))
        else:
            rows.append((name, *(f"{error:.2f}" for error in errors), f"{np.mean(errors):.2f}"))
    return tuple(rows), float(np.mean(own))


def _peer(
    u: list[Array], y: list[Array], tests: Sequence[Motion], inside: list[int], outside: list[int]
) -> list[float] | None:
    """nfoursid on the same components. It knows one recording alone, so the longest clip teaches it."""
    library, pandas = _library("nfoursid.nfoursid"), _library("pandas")
    if library is None or pandas is None:
        return None
    space_in, space_out = space_of(u, 4), space_of(y, 4)
    longest = int(np.argmax([len(clip) for clip in u]))
    a, b = space_in.reduced(u[longest]), space_out.reduced(y[longest])
    systems = []
    for order in range(1, 9):
        try:
            systems.append(_nfoursid(library, pandas, a, b, order, 6))
        except (np.linalg.LinAlgError, ValueError, AssertionError):
            continue
    with np.errstate(all="ignore"):
        fits = [np.nan_to_num(np.abs(s.simulated(a) - b).mean(), nan=1e9, posinf=1e9) for s in systems]
        system = systems[int(np.argmin(fits))]
        errors = []
        for clip in tests:
            answer = np.clip(np.nan_to_num(system.simulated(space_in.reduced(clip.rotations[:, inside]))), -3.0, 3.0)
            errors.append(float(angles_deg(space_out.rotations(answer), clip.rotations[:, outside]).mean()))
    return errors


def _nfoursid(library: Any, pandas: Any, u: Array, y: Array, order: int, rows: int) -> StateSpace:
    ins, outs = [f"u{k}" for k in range(u.shape[1])], [f"y{k}" for k in range(y.shape[1])]
    frame = pandas.DataFrame(np.hstack([u, y]), columns=[*ins, *outs])
    other = library.NFourSID(frame, output_columns=outs, input_columns=ins, num_block_rows=rows)
    other.subspace_identification()
    state, _ = other.system_identification(rank=order)
    return StateSpace(state.a, state.b, state.c, state.d)


def _fits() -> Table:
    library, pandas = _library("nfoursid.nfoursid"), _library("pandas")
    random = np.random.default_rng(0)
    a = random.normal(size=(12, 12))
    a *= 0.9 / np.abs(np.linalg.eigvals(a)).max()
    truth = StateSpace(a, *(random.normal(size=shape) for shape in ((12, 24), (24, 12), (24, 24))))
    rows, failed = [], []
    for frames, limit in FIT_S.items():
        u = random.normal(size=(frames, 24))
        y = truth.simulated(u) + 0.01 * random.normal(size=(frames, 24))
        works: dict[str, Callable[[], object]] = {"ours": lambda u=u, y=y: subspace.n4sid(u, y, 12)}  # type: ignore[misc]
        if library is not None and pandas is not None:
            works["nfoursid"] = lambda u=u, y=y: _nfoursid(library, pandas, u, y, 12, 4)  # type: ignore[misc]
        times = together(works, repeats=5)
        off = float(np.abs(subspace.n4sid(u, y, 12).markov(30) - truth.markov(30)).max())
        theirs = None
        if "nfoursid" in works:
            peer = _nfoursid(library, pandas, u, y, 12, 4)
            theirs = float(np.abs(peer.markov(30) - truth.markov(30)).max())
        rows.append(
            (
                f"{frames:,}",
                spoken(times["ours"]),
                spoken(times["nfoursid"]) if "nfoursid" in times else "not installed",
                f"{off:.4f}",
                f"{theirs:.4f}" if theirs is not None else "",
            )
        )
        if times["ours"] >= limit:
            failed.append(f"{frames:,} frames take {spoken(times['ours'])}, under {limit:g} s wanted")
    about = "N4SID with 24 inputs, 24 outputs and 12 states on noisy data of a known system, and the largest error of its impulse response; nfoursid with as many block rows."
    columns = ("frames", "ours", "nfoursid", "error, ours", "error, nfoursid")
    return Table("Fitting", columns, tuple(rows), about, tuple(failed))


def _stream() -> Table:
    walk = sample("walk", RATE)
    rows, failed = [], []
    for model in ("static", "n4sid", "fir"):
        made = Translator.fit([(walk, walk)], model=model)
        stream, frames = made.stream(), list(walk.rotations[:, list(made.inputs)])
        best = float("inf")
        for _ in range(20):
            start = time.perf_counter()
            for frame in frames:
                stream.step(frame)
            best = min(best, (time.perf_counter() - start) / len(frames))
        rows.append((model, str(made.report.order), f"{1e6 * best:.0f} µs"))
        if best >= STREAM_S:
            failed.append(f"{model}: {1e6 * best:.0f} µs a frame, under {1e6 * STREAM_S:.0f} wanted")
    about = "One frame in, one frame out: 8 joints to 8, from local rotations to local rotations."
    return Table("Streaming", ("model", "states", "a frame"), tuple(rows), about, tuple(failed))


def _warps() -> Table:
    random = np.random.default_rng(0)
    a, b = (np.cumsum(random.normal(size=(3_000, 60)), axis=0) for _ in range(2))
    works: dict[str, Callable[[], object]] = {"komadori": lambda: dtw.warp(a, b)}
    aeon, tslearn, librosa = (_library(n) for n in ("aeon.distances", "tslearn.metrics", "librosa.sequence"))
    if aeon is not None:
        works["aeon"] = lambda: aeon.dtw_alignment_path(a.T, b.T)
    if tslearn is not None:
        works["tslearn"] = lambda: tslearn.dtw_path(a, b)
    if librosa is not None:
        works["librosa"] = lambda: librosa.dtw(a.T, b.T, metric="sqeuclidean")
    for work in works.values():
        work()
    times = together(works, repeats=5)
    if _library("numba") is not None:
        fast.enable()
        dtw.warp(a, b)
        times["komadori, with the fast extra"] = together({"": lambda: dtw.warp(a, b)}, repeats=5)[""]
        fast.enable(False)
    tracemalloc.start()
    dtw.warp(a, b)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    rows = [
        (name, spoken(times[name]) if name in times else "not installed")
        for name in ("komadori", "komadori, with the fast extra", "aeon", "tslearn", "librosa")
    ]
    threads = "one thread" if os.environ.get("OPENBLAS_NUM_THREADS") == "1" else "all cores"
    failed = []
    if times["komadori"] >= DTW_S:
        failed.append(f"{spoken(times['komadori'])}, under {DTW_S:g} s wanted")
    if peak >= DTW_MB:
        failed.append(f"{peak:.0f} MB, under {DTW_MB:.0f} wanted")
    about = f"Dynamic time warping of 3,000 by 3,000 frames in 60 dimensions, with the path; ours took {peak:.0f} MB at most. The others are compiled (numba); NumPy worked on {threads}."
    return Table("Warping", ("library", "time"), tuple(rows), about, tuple(failed))


def _library(name: str) -> Any:
    """A peer's module, or None where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
