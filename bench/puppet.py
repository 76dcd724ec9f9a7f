"""Spatial keyframing beside SciPy's RBFInterpolator: solving the keys, one pose, ten thousand poses, and walking."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bench.tables import Table, spoken, worked
from komadori import quat
from komadori.characters import sample
from komadori.methods.puppet import Puppet, puppet_from, walking
from komadori.motion import Pose
from komadori.quat import Array
from komadori.skeleton import Skeleton

KEYS = JOINTS = 100
MANY = 10_000
SOLVE_S, ONE_S, MANY_S, TIMES_FASTER = 0.020, 0.0001, 0.5, 10.0


def tables() -> list[Table]:
    return [_poses(), _bodies()]


def puppet_of_100() -> Puppet:
    """100 keys by 100 joints that all turn."""
    rng = np.random.default_rng(1)
    skeleton = Skeleton(tuple(f"joint {j}" for j in range(JOINTS)), np.arange(JOINTS) - 1, np.ones((JOINTS, 3)))
    base = quat.normalized(rng.normal(size=(JOINTS, 4)))
    keys = [
        (
            rng.normal(size=3),
            Pose(quat.multiply(base, quat.exp(0.5 * rng.normal(size=(JOINTS, 3)))), np.ones((JOINTS, 3))),
        )
        for _ in range(KEYS)
    ]
    return Puppet(skeleton, keys)


def _poses() -> Table:
    from scipy.interpolate import RBFInterpolator
    from scipy.spatial.transform import Rotation

    puppet = puppet_of_100()
    places = np.stack([key.position for key in puppet.keys])
    values = quat.to_matrix(np.stack([key.pose.rotations for key in puppet.keys])).reshape(KEYS, -1)
    theirs = RBFInterpolator(places, values, kernel="linear", degree=1)
    rng = np.random.default_rng(2)
    one, many = rng.normal(size=(1, 3)), rng.normal(size=(MANY, 3))

    def peer(handles: Array) -> Array:
        """The same poses from SciPy's parts: interpolate, then the nearest rotations, from a singular value decomposition."""
        u, _, v = np.linalg.svd(theirs(handles).reshape(-1, 3, 3))
        u[:, :, 2] *= np.sign(np.linalg.det(u @ v))[:, None]
        return np.asarray(Rotation.from_matrix(u @ v).as_quat())

    field = puppet.blend.field
    apart = np.abs(puppet.blend.elements(many).reshape(MANY, -1) - theirs(many)).max()
    works: dict[str, tuple[Callable[[], object], Callable[[], object], int, float]] = {
        "solve the keys": (
            lambda: puppet.changed().blend,
            lambda: RBFInterpolator(places, values, kernel="linear", degree=1),
            15,
            SOLVE_S,
        ),
        "one handle, matrices only": (lambda: field.values(one), lambda: theirs(one), 300, np.inf),
        "one pose": (lambda: puppet.poses(one), lambda: peer(one), 300, ONE_S),
        f"{MANY:,} poses": (lambda: puppet.poses(many), lambda: peer(many), 3, MANY_S),
    }
    rows, failed = [], []
    for name, (own, other, repeats, limit) in works.items():
        best = {"komadori": worked(own, repeats), "SciPy": worked(other, repeats)}
        ratio = best["SciPy"] / best["komadori"]
        target = "" if limit == np.inf else f"under {spoken(limit)}"
        rows.append((name, spoken(best["komadori"]), spoken(best["SciPy"]), f"{ratio:.1f} x", target))
        if best["komadori"] > limit:
            failed.append(f"{name}: {spoken(best['komadori'])}, more than {spoken(limit)}")
        if name == "one pose" and ratio < TIMES_FASTER:
            failed.append(f"one pose: {ratio:.1f} times as fast as SciPy's parts, less than {TIMES_FASTER:g} times")
    about = (
        f"{KEYS} keys by {JOINTS} joints, all turning; processor time. Nothing is remembered from one pose to the next. SciPy: RBFInterpolator (linear kernel, degree 1), and for poses the "
        f"nearest rotations by SVD and Rotation.from_matrix. Both give the same matrices (to {apart:.1e})."
    )
    return Table("Poses", ("work", "komadori", "SciPy", "faster", "target"), tuple(rows), about, tuple(failed))


def _bodies() -> Table:
    clip = sample("pitch")
    plain = puppet_from(clip, range(10, 110, 10))
    gripped = plain.changed(ik="right_hand")
    step = puppet_from(sample("walk"), (24, 30, 36, 42), "left_foot", ground=0.0)
    handle = plain.keys[3].position + 0.05
    path = np.random.default_rng(0).normal(size=(1000, 3)) * 0.2 + handle
    works: dict[str, Callable[[], object]] = {
        "one pose": lambda: plain.pose(handle),
        "one pose, the hand held at the handle": lambda: gripped.pose(handle),
        "1,000 poses, the hand held": lambda: gripped.poses(path),
        "a walk of 10 s at 24 fps": lambda: walking(step, 1.2, 10.0),
    }
    best = {name: worked(work, 30) for name, work in works.items()}
    rows = tuple((name, spoken(value)) for name, value in best.items())
    return Table(
        "On the built-in body", ("work", "komadori"), rows, "31 joints, 10 keys (the walk: 4); processor time."
    )
