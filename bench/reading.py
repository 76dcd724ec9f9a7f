"""Reading BVH beside other readers, its share of bare number parsers, and forward kinematics beside pymotion."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable

import numpy as np

import komadori
from bench.clips import bvh_file, captured
from bench.tables import Table, spoken, together
from komadori import fast
from komadori.formats import bvh

FRAMES = 5000


def tables() -> list[Table]:
    return [_readers(), _parsers(), _kinematics()]


def _quiet(work: Callable[[], object]) -> Callable[[], object]:
    def run() -> object:
        with contextlib.redirect_stdout(io.StringIO()):
            return work()

    return run


def _readers() -> Table:
    import bvhio
    import pybvh
    from pymotion.io.bvh import BVH

    path = bvh_file(FRAMES)

    def pymotion() -> object:
        file = BVH()
        file.load(str(path))
        return file.get_data()

    times = together(
        {
            "komadori.load (to quaternions)": lambda: komadori.load(path),
            "komadori, channels only": lambda: bvh.parse(path.read_bytes(), path.name),
            "pybvh (channels)": _quiet(lambda: pybvh.read_bvh_file(str(path))),
            "pymotion (to quaternions)": _quiet(pymotion),
        },
        repeats=7,
    )
    times |= together({"bvhio (channels)": _quiet(lambda: bvhio.readAsBvh(str(path)))}, repeats=2)
    ours = times["komadori.load (to quaternions)"]
    rows = tuple((name, spoken(value), f"{value / ours:.2f}") for name, value in times.items())
    failed = tuple(
        f"{name} takes only {times[name] / ours:.2f} times as long, {least:g} wanted"
        for name, least in (("pybvh (channels)", 2.5), ("pymotion (to quaternions)", 7.0), ("bvhio (channels)", 25.0))
        if times[name] / ours < least
    )
    size = path.stat().st_size / 1e6
    about = f"{FRAMES} frames, 31 joints with channels, {size:.1f} MB. Times are of one read, from the file."
    return Table("BVH reading", ("reader", "time", "times komadori.load"), rows, about, failed)


def _parsers() -> Table:
    import msgspec

    data = bvh_file(FRAMES).read_bytes()
    numbers = data.partition(b"Frame Time:")[2].partition(b"\n")[2]
    decoder = msgspec.json.Decoder(list[float])
    times = together(
        {
            "komadori, whole file to channels": lambda: bvh.parse(data, "bench.bvh"),
            "msgspec: split, join, decode as JSON": lambda: decoder.decode(b"[" + b",".join(numbers.split()) + b"]"),
            "numpy.fromstring(sep=' ')": lambda: np.fromstring(numbers.decode(), sep=" "),
            "list(map(float, split()))": lambda: list(map(float, numbers.split())),
        }
    )
    best = min(value for name, value in times.items() if not name.startswith("komadori"))
    rows = tuple((name, spoken(value), f"{value / best:.2f}") for name, value in times.items())
    return Table(
        "Number parsing", ("parser", "time", "times the fastest bare parser"), rows, "The same numbers, from memory."
    )


def _kinematics() -> Table:
    from pymotion.ops.skeleton import fk

    motion = captured(FRAMES)
    rotations = np.ascontiguousarray(motion.rotations[..., [3, 0, 1, 2]])
    parents = np.array(motion.skeleton.parents)
    parents[0] = 0
    root, offsets = np.array(motion.positions[:, 0]), np.array(motion.skeleton.offsets)
    assert np.abs(fk(rotations, root, offsets, parents)[0] - motion.world_positions()).max() < 1e-5
    works: dict[str, Callable[[], object]] = {
        "pymotion": lambda: fk(rotations, root, offsets, parents),
        "komadori, NumPy": motion.world_positions,
    }
    times = together(works, repeats=15)
    fast.enable()
    motion.world_positions()
    times |= together({"komadori, fast extra (numba)": motion.world_positions}, repeats=15)
    fast.enable(False)
    rows = tuple((name, spoken(value), f"{times['pymotion'] / value:.1f}") for name, value in times.items())
    failed = tuple(
        f"{name} is only {times['pymotion'] / times[name]:.1f} times as fast as pymotion, {least:g} wanted"
        for name, least in (("komadori, NumPy", 3.0), ("komadori, fast extra (numba)", 10.0))
        if times["pymotion"] / times[name] < least
    )
    about = f"{FRAMES} frames by {len(motion.skeleton)} joints (end sites among them) to world positions."
    return Table("Forward kinematics", ("program", "time", "times as fast as pymotion"), rows, about, failed)
