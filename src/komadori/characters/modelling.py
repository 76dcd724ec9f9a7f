"""Small tools to model with: parts with their weights, tubes, locks of hair, flat drawings on a surface."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from komadori.character import Material, Mesh
from komadori.characters.acting import through
from komadori.characters.solids import Solid, Stack, Triangles, net, slope, vertex_normals
from komadori.quat import Array, cross
from komadori.skeleton import Skeleton

Weighing = Callable[[Array], Array]
"""From places along a lock (V,), 0 to 1, to its weights (V, J)."""

MOST = 4
"""Joints that a vertex follows at most."""


@dataclass(frozen=True, eq=False)
class Part:
    """A closed piece of a surface: `vertices` (V, 3), `triangles` (T, 3), `weights` (V, J) a row of all joints."""

    vertices: Array
    triangles: Triangles
    weights: Array
    normals: Array
    morphs: Mapping[str, Array] = field(default_factory=dict)


def part(vertices: Array, triangles: Triangles, weights: Array, morphs: Mapping[str, Array] | None = None) -> Part:
    """A part with normals from its own shape."""
    return Part(vertices, triangles, weights, vertex_normals(vertices, triangles), morphs or {})


def merged(parts: Sequence[Part]) -> Part:
    """Several parts as one; a morph that a part lacks leaves it still."""
    starts = np.cumsum([0, *(len(p.vertices) for p in parts)])
    names = dict.fromkeys(name for p in parts for name in p.morphs)
    return Part(
        np.concatenate([p.vertices for p in parts]),
        np.concatenate([p.triangles + start for p, start in zip(parts, starts[:-1], strict=True)]),
        np.concatenate([p.weights for p in parts]),
        np.concatenate([p.normals for p in parts]),
        {n: np.concatenate([p.morphs.get(n, np.zeros_like(p.vertices)) for p in parts]) for n in names},
    )


def mesh(name: str, pieces: Sequence[Part], material: int) -> Mesh:
    """The pieces as one mesh: every vertex keeps its MOST heaviest joints, and its weights sum to 1."""
    whole = merged(pieces)
    heaviest = np.argsort(-whole.weights, axis=1, kind="stable")[:, :MOST]
    weights = np.take_along_axis(whole.weights, heaviest, axis=1)
    weights = np.where(weights < 0.01, 0.0, weights)
    weights /= weights.sum(axis=1, keepdims=True)
    joints = np.where(weights > 0.0, heaviest, heaviest[:, :1])
    return Mesh(
        name, whole.vertices, whole.normals, whole.triangles, joints, weights, material=material, morphs=whole.morphs
    )


def look(name: str, colour: str, shade: str, line_m: float = 0.0025, ink: str = "3a2a2e") -> Material:
    """A material from hexadecimal colours: in light, in shadow, and of the line."""
    line = (*_rgb(ink), 1.0) if line_m else None
    return Material(name, (*_rgb(colour), 1.0), shade=_rgb(shade), outline=line, outline_m=line_m)


def _rgb(text: str) -> tuple[float, float, float]:
    red, green, blue = (value / 255.0 for value in bytes.fromhex(text))
    return red, green, blue


@dataclass(frozen=True)
class Limb:
    """Joints along which weights pass on, and the solids that belong to them.

    `joints` (names, root to tip); `bends` are the places along `axis` at which one joint hands over to the next, and
    `widths` the metres over which it does.
    """

    joints: tuple[str, ...]
    axis: tuple[float, float, float]
    bends: tuple[float, ...]
    widths: tuple[float, ...]
    solids: tuple[Solid, ...]
    side: float = 0.0
    """1 or -1: it holds nothing on the other side of the body."""

    def weights(self, skeleton: Skeleton, points: Array) -> Array:
        """(V, J) how each joint takes part, as if there were only this limb."""
        along = points @ np.array(self.axis)
        result = np.zeros((len(points), len(skeleton)))
        left = np.ones(len(points))
        for n, name in enumerate(self.joints):
            on = np.zeros(len(points))
            if n < len(self.bends):
                on = smooth((along - self.bends[n]) / self.widths[n] + 0.5)
            result[:, skeleton.index(name)] += left * (1.0 - on)
            left = left * on
        return result


def smooth(t: Array) -> Array:
    """0 below 0, 1 above 1, and a soft step between."""
    t = np.clip(t, 0.0, 1.0)
    return np.asarray(t * t * (3.0 - 2.0 * t))


def limb_weights(skeleton: Skeleton, limbs: Sequence[Limb], points: Array, melt: float = 0.03) -> Array:
    """(V, J) each vertex follows the limbs that it is near to, blended over `melt` metres where they meet."""
    nearness = np.stack([_nearest(limb.solids, points) for limb in limbs])
    share = np.exp(-(nearness - nearness.min(axis=0)) / melt * 2.0)
    for n, limb in enumerate(limbs):
        if limb.side:
            share[n] *= smooth(limb.side * points[:, 0] / 0.02 + 0.5)
    share = np.where(share < 0.02, 0.0, share)
    share /= share.sum(axis=0)
    return np.asarray(sum(s[:, None] * limb.weights(skeleton, points) for s, limb in zip(share, limbs, strict=True)))


def _nearest(solids: Sequence[Solid], points: Array) -> Array:
    return np.asarray(np.min([solid.field(points) for solid in solids], axis=0))


def body(
    skeleton: Skeleton,
    limbs: Sequence[Limb],
    solids: Sequence[Solid],
    grid: tuple[Array, Array, Array],
    melt: float = 0.03,
) -> Part:
    """The union of `solids` as one skin that follows `limbs`; normals are the field's own."""
    vertices, triangles = net(solids, *grid)
    rise = slope(solids, vertices)
    rise /= np.maximum(np.linalg.norm(rise, axis=1, keepdims=True), 1e-12)
    return Part(vertices, triangles, limb_weights(skeleton, limbs, vertices, melt), rise)


def chain_weights(skeleton: Skeleton, joints: Sequence[int], along: Array) -> Array:
    """(V, J) weights on a chain for `along` (V,): 0 at the first joint, 1 at the second, and so on; tents."""
    places = np.arange(len(joints)) + 0.5
    result = np.zeros((len(along), len(skeleton)))
    where = np.clip(along, places[0], places[-1])
    for n, joint in enumerate(joints):
        result[:, joint] += np.maximum(0.0, 1.0 - np.abs(where - places[n]))
    return np.asarray(result / result.sum(axis=1, keepdims=True))


def still(skeleton: Skeleton, name: str) -> Weighing:
    """Weights of a lock that goes with one joint."""
    joint = skeleton.index(name)
    return lambda t: follow(skeleton, joint, len(t))


def swinging(skeleton: Skeleton, joints: Sequence[int], start: float, end: float) -> Weighing:
    """Weights of a lock that covers `start` to `end` of a chain, both counted in joints."""
    return lambda t: chain_weights(skeleton, joints, start + t * (end - start))


def follow(skeleton: Skeleton, joint: int, count: int) -> Array:
    """(V, J) all the weight on one joint."""
    result = np.zeros((count, len(skeleton)))
    result[:, joint] = 1.0
    return result


def tube(centres: Array, sides: Array, fronts: Array, outline: Array) -> tuple[Array, Triangles]:
    """Rings around `centres` (R, 3), closed at both ends; the last ring may shrink to a point.

    Each ring is `outline` (M, 2), drawn anticlockwise, times `sides` (R, 3) and `fronts` (R, 3): half width and
    half depth as vectors. The tube runs along sides x fronts. The ends close on a middle vertex.
    """
    rings, m = len(centres), len(outline)
    body_ = centres[:, None] + outline[None, :, :1] * sides[:, None] + outline[None, :, 1:] * fronts[:, None]
    vertices = np.concatenate([body_.reshape(-1, 3), centres[:1], centres[-1:]])
    ring, spot = np.meshgrid(np.arange(rings - 1), np.arange(m), indexing="ij")
    a, b = ring * m + spot, ring * m + (spot + 1) % m
    c, d = a + m, b + m
    first, last = rings * m, rings * m + 1
    end = (rings - 1) * m
    around, on = np.arange(m), (np.arange(m) + 1) % m
    triangles = np.concatenate(
        [
            np.stack([a, b, d], axis=-1).reshape(-1, 3),
            np.stack([a, d, c], axis=-1).reshape(-1, 3),
            np.stack([np.full(m, first), on, around], axis=-1),
            np.stack([np.full(m, last), end + around, end + on], axis=-1),
        ]
    )
    return vertices, triangles.astype(np.int64)


ROUND6 = np.stack([np.cos(np.arange(6) * np.pi / 3), np.sin(np.arange(6) * np.pi / 3)], axis=-1)
ROUND4 = np.array([(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)])
LENS = np.array(
    [(1.0, 0.0), (0.62, 0.62), (0.0, 0.9), (-0.62, 0.62), (-1.0, 0.0), (-0.55, -0.35), (0.0, -0.5), (0.55, -0.35)]
)
"""A lock's outline: full in front, flatter behind, with edges at the sides."""

LENS6 = np.array([(1.0, 0.0), (0.5, 0.8), (-0.5, 0.8), (-1.0, 0.0), (-0.5, -0.45), (0.5, -0.45)])
"""The same with fewer corners."""


def curve(points: Sequence[ArrayLike] | Array, count: int) -> Array:
    """(count, 3) evenly spaced in parameter on the smooth curve (Catmull-Rom) through `points`."""
    p = np.asarray(points, dtype=np.float64)
    p = np.concatenate([[2.0 * p[0] - p[1]], p, [2.0 * p[-1] - p[-2]]])
    t = np.linspace(0.0, len(p) - 3.0, count)
    i = np.minimum(t.astype(np.intp), len(p) - 4)
    s = (t - i).reshape(-1, *([1] * (p.ndim - 1)))
    a, b, c, d = p[i], p[i + 1], p[i + 2], p[i + 3]
    return np.asarray(0.5 * (2 * b + s * (c - a + s * (2 * a - 5 * b + 4 * c - d + s * (3 * b - a - 3 * c + d)))))


def lock(
    path: Array,
    widths: Array,
    depths: Array,
    out: Array,
    weights: Weighing,
    outline: Array = LENS,
) -> Part:
    """A lock of hair along `path` (R, 3): its broad side faces `out` (3,) or (R, 3); it ends in a point.

    `widths` and `depths` (R,) are half sizes; `weights` gives (V, J) for places along the path, 0 to 1.
    """
    ahead = np.gradient(path, axis=0)
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    side = cross(np.broadcast_to(out, path.shape), ahead)
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    front = cross(ahead, side)
    vertices, triangles = tube(path, side * widths[:, None], front * depths[:, None], outline)
    share = np.concatenate([np.repeat(np.linspace(0.0, 1.0, len(path)), len(outline)), [0.0, 1.0]])
    return part(vertices, triangles, weights(share))


def sheet(
    outline: Array, lift: Callable[[Array], tuple[Array, Array]], height: float, sink: float, weights: Array
) -> Part:
    """A flat drawing laid on a surface: `outline` (M, 2) anticlockwise and star-shaped about its mean.

    `lift` takes (N, 2) to the surface's places and normals (N, 3). The drawing floats `height` metres above it and is
    closed `sink` metres below. `weights` (J,) is one row for all of it. Rings keep it on curved ground.
    """
    middle = outline.mean(axis=0)
    shares = (1.0, 0.66, 0.33)
    rings = [middle + share * (outline - middle) for share in shares]
    flat = np.concatenate([*rings, middle[None]])
    places, normals = lift(flat)
    front = places + height * normals
    back = places[: len(outline)] - sink * normals[: len(outline)]
    m, total = len(outline), len(flat)
    around, on = np.arange(m), (np.arange(m) + 1) % m
    faces = [np.stack([around + total, on + total, on], axis=-1), np.stack([around + total, on, around], axis=-1)]
    for n in range(len(shares) - 1):
        outer, inner = n * m, (n + 1) * m
        faces.append(np.stack([outer + around, outer + on, inner + on], axis=-1))
        faces.append(np.stack([outer + around, inner + on, inner + around], axis=-1))
    last = (len(shares) - 1) * m
    faces.append(np.stack([last + around, last + on, np.full(m, total - 1)], axis=-1))
    faces.append(np.stack([np.full(m, total + m), total + on, total + around], axis=-1))
    vertices = np.concatenate([front, back, back.mean(axis=0, keepdims=True)])
    whole = np.broadcast_to(weights, (len(vertices), len(weights)))
    turned = np.concatenate([normals, -normals[:m], -normals[-1:]])
    return Part(vertices, np.concatenate(faces).astype(np.int64), np.array(whole), turned)


def band(
    low: Array, high: Array, lift: Callable[[Array], tuple[Array, Array]], height: float, sink: float, weights: Array
) -> Part:
    """Like `sheet`, between two lines `low` and `high` (M, 2) that run anticlockwise below and clockwise above."""
    shares = np.linspace(0.0, 1.0, 4)[:, None, None]
    rows, m = len(shares), len(low)
    places, normals = lift((low + shares * (high - low)).reshape(-1, 2))
    vertices = np.concatenate([places + height * normals, places - sink * normals])
    row, spot = np.meshgrid(np.arange(rows - 1), np.arange(m - 1), indexing="ij")
    a = (row * m + spot).ravel()
    front = np.concatenate([np.stack([a, a + 1, a + m + 1], axis=-1), np.stack([a, a + m + 1, a + m], axis=-1)])
    corner = np.arange(rows * m).reshape(rows, m)
    rim = np.concatenate([corner[0, :-1], corner[:-1, -1], corner[-1, :0:-1], corner[:0:-1, 0]])
    on, under = np.roll(rim, -1), rows * m
    wall = [np.stack([rim + under, on + under, on], axis=-1), np.stack([rim + under, on, rim], axis=-1)]
    triangles = np.concatenate([front, front[:, ::-1] + under, *wall])
    whole = np.repeat(weights[None], len(vertices), axis=0)
    return Part(vertices, triangles.astype(np.int64), whole, np.concatenate([normals, -normals]))


def stack_tube(
    stack: Stack, count: int, sides: int, reach: tuple[float, float] | None = None
) -> tuple[Array, Triangles]:
    """The surface of a stack (of power 2) as `count` rings of `sides` vertices; `reach` takes a stretch of it."""
    low, high = reach or (stack.rows[0][0], stack.rows[-1][0])
    at = np.linspace(low, high, count)
    cu, cv, ru, rv = through(stack.rows, at).T
    none = np.zeros_like(at)
    turn = np.arange(sides) * 2.0 * np.pi / sides
    outline = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    # Which of the two comes first decides which way the tube runs: always up its own axis.
    if stack.axis == "x":
        columns = ((at, cu, cv), (none, ru, none), (none, none, rv))
    elif stack.axis == "y":
        columns = ((cu, at, cv), (none, none, rv), (ru, none, none))
    else:
        columns = ((cu, cv, at), (ru, none, none), (none, rv, none))
    centres, across, fronts = (np.stack(column, axis=-1) for column in columns)
    return tube(centres, across, fronts, outline)


def ring_tube(path: Array, out: Array, outline: Array) -> tuple[Array, Triangles]:
    """A closed cord along the loop `path` (R, 3): `outline` (M, 2) in metres, its second column towards `out` (R, 3)."""
    ahead = np.roll(path, -1, axis=0) - np.roll(path, 1, axis=0)
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    side = cross(out, ahead)
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    m, rings = len(outline), len(path)
    vertices, triangles = tube(path, side, cross(ahead, side), outline)
    open_ = triangles[(triangles < rings * m).all(axis=1)]
    # The last ring joins the first one.
    around, on = np.arange(m), (np.arange(m) + 1) % m
    end = (rings - 1) * m
    seam = [np.stack([end + around, end + on, on], axis=-1), np.stack([end + around, on, around], axis=-1)]
    return vertices[: rings * m], np.concatenate([open_, *seam])


def chain_joints(path: Array, count: int) -> Array:
    """(count + 1, 3) places that cut `path` (R, 3) into `count` bones of one length along it."""
    steps = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(path, axis=0), axis=1))])
    at = np.linspace(0.0, steps[-1], count + 1)
    return np.stack([np.interp(at, steps, path[:, n]) for n in range(3)], axis=-1)
