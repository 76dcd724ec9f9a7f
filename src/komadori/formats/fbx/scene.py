"""One scene of ufbx taken apart: which nodes are joints, how they rest, and how they move."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori import quat, rates
from komadori.errors import FormatError, one_line, quoted
from komadori.formats import rigid
from komadori.formats.fbx import ours
from komadori.formats.fbx.curves import TICKS
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Fact, Note

DEFAULT_FPS = 24.0
MOST_JOINT_FRAMES = 20_000_000
"""An animation may state any length: this bounds the memory that it takes."""
MOST_NODES = 100_000
EVEN = 1e-12
"""Scales that differ by less than this part are equal."""


@dataclass(frozen=True, eq=False)
class Bones:
    """The nodes that are joints, parents first: their numbers in the file, and the skeleton."""

    nodes: NDArray[np.int64]
    skeleton: Skeleton
    stretch: Array
    """(J, 3, 3) of each joint in the world, when the first animation begins."""

    def number(self) -> dict[int, int]:
        """The joint that each node is."""
        return {int(node): joint for joint, node in enumerate(self.nodes)}


class Scene:
    """The nodes of a ufbx scene by number, parents first where the order counts."""

    def __init__(self, ufbx: Any, scene: Any, path: Path) -> None:
        self.ufbx, self.scene, self.path = ufbx, scene, path
        self.nodes = members(scene.nodes)
        if len(self.nodes) > MOST_NODES:
            raise FormatError(
                path, expected=Note("at most {most:,} nodes", most=MOST_NODES), found=f"{len(self.nodes):,}"
            )
        above = [node.parent for node in self.nodes]
        self.parents = np.array([-1 if parent is None else int(parent.typed_id) for parent in above], dtype=np.int64)
        # Where a scale is not handed down, ufbx makes a helper below the node that carries it, and whatever hung on the node.
        helped = [node.is_scale_helper or node.is_geometry_transform_helper for node in self.nodes]
        self.owners = np.where(helped, self.parents, np.arange(len(self.nodes)))
        self.stands = np.arange(len(self.nodes))
        """Of each node, the one that stands where it does and has its scale: itself, or its helper."""
        for node in self.nodes:
            if node.scale_helper is not None:
                self.stands[int(node.typed_id)] = int(node.scale_helper.typed_id)
        self._stacks = sorted(members(scene.anim_stacks), key=lambda stack: int(stack.element_id))
        self.lost: list[Note] = []
        """What the animations hold besides the motions that were read."""
        # ufbx sorts nodes by depth; the file's own order keeps a limb together, and what we wrote comes back as it was.
        filed = np.argsort([int(node.element_id) for node in self.nodes], kind="stable")
        self.order = _parents_first(self.parents, filed.tolist())

    def rest(self) -> Array:
        """World matrices (N, 4, 4) of all nodes as the file has them without animation."""
        return np.asarray(self.worlds(np.stack([matrix(node.node_to_parent) for node in self.nodes])[None])[0])

    def worlds(self, locals_: Array) -> Array:
        """World matrices (F, N, 4, 4) of local ones."""
        result = np.empty_like(locals_)
        with np.errstate(over="ignore", invalid="ignore"):
            for node in self.order:
                parent = self.parents[node]
                result[:, node] = locals_[:, node] if parent < 0 else result[:, parent] @ locals_[:, node]
        self._check(result)
        return result

    def _check(self, *numbers: Array) -> None:
        if not all(np.isfinite(part).all() and np.abs(part).max(initial=0.0) < 1e30 for part in numbers):
            raise FormatError(self.path, problem=Note("the position of a node is NaN or infinite"))

    def joints(self, pulled: set[int]) -> list[int]:
        """The nodes that are joints: bones, what skins hang on, and what lies between; empties if there are
        none, and if there are none of these either whatever there is."""
        own = [(int(self.owners[int(node.typed_id)]), node) for node in self.nodes]
        wanted = {number for number, node in own if node.bone is not None} | pulled
        if not wanted:
            solid = {number for number, node in own if node.mesh is not None}
            wanted = {number for number, node in own if not node.is_root} - solid
        if not wanted:
            wanted = {number for number, node in own if not node.is_root}
        if not wanted:
            raise FormatError(self.path, problem=Note("the scene is empty"))
        below, above = np.zeros(len(self.nodes), dtype=bool), np.zeros(len(self.nodes), dtype=bool)
        for node in self.order:
            parent = int(self.parents[node])
            below[node] = parent >= 0 and (below[parent] or parent in wanted)
        for node in reversed(self.order):
            if (node in wanted or above[node]) and self.parents[node] >= 0:
                above[self.parents[node]] = True
        return [node for node in self.order if node in wanted or (above[node] and below[node])]

    def bones(self, chosen: list[int], rest: Array) -> Bones:
        """The nodes `chosen` as a skeleton that rests at `rest` (N, 4, 4).

        A skin is stretched by what its joints are stretched by when they move, whatever they were when it was bound.
        """
        number = {node: joint for joint, node in enumerate(chosen)}
        parents = np.array([self._nearest(node, number) for node in chosen], dtype=np.intp)
        turned, _ = rigid.decomposed(rest[chosen][:, :3, :3])
        rotations, positions = rigid.local(parents, turned[None], rest[chosen][None, :, :3, 3])
        names = rigid.different(one_line(self.nodes[node].name, 120) or f"node {node}" for node in chosen)
        _, stretch = rigid.decomposed(self._played()[self.stands[chosen]][:, :3, :3])
        return Bones(np.array(chosen), Skeleton(names, parents, positions[0], rotations[0]), stretch)

    def _played(self) -> Array:
        """World matrices (N, 4, 4) of all nodes when the first animation begins, or without one."""
        if not self._stacks or not math.isfinite(float(self._stacks[0].time_begin)):
            return self.rest()
        begin = _moment(float(self._stacks[0].time_begin))
        values = self._evaluated(self._stacks[0], list(range(len(self.nodes))), [begin])
        return np.asarray(self.worlds(_transforms(values))[0])

    def _nearest(self, node: int, number: dict[int, int]) -> int:
        """The joint that `node` hangs from, or -1."""
        above = int(self.parents[node])
        while above >= 0 and above not in number:
            above = int(self.parents[above])
        return number.get(above, -1)

    def motions(self, bones: Bones) -> dict[str, Motion]:
        """Every animation of the file, in its order."""
        rate = float(self.scene.settings.frames_per_second)
        # ufbx has rates such as 29.97 with a few digits.
        fps = rates.meant(1.0 / rate) if math.isfinite(rate) and 1.0 <= rate <= 1000.0 else DEFAULT_FPS
        stacks = self._stacks
        names = rigid.different(one_line(stack.name, 120) or "animation" for stack in stacks)
        return {
            name: self._motion(stack, name, ours.rate(ours.said(stack), fps), bones)
            for name, stack in zip(names, stacks, strict=True)
        }

    def _motion(self, stack: Any, name: str, fps: float, bones: Bones) -> Motion:
        begin, end = float(stack.time_begin), float(stack.time_end)
        length = (end - begin) * fps
        if not (math.isfinite(begin) and length >= 0.0 and (length + 1) * len(self.nodes) <= MOST_JOINT_FRAMES):
            raise FormatError(
                self.path,
                Note("animation {name}", name=quoted(name)),
                expected=Note("at most {most:,} joints x frames", most=MOST_JOINT_FRAMES),
                found=Note("{seconds:g} seconds of {count} nodes", seconds=end - begin, count=len(self.nodes)),
            )
        frames = math.floor(length + 1e-3) + 1
        needed = self._needed(bones)
        values = self._evaluated(stack, needed, [_moment(begin + k / fps) for k in range(frames)])
        turned, places, stretch = self._posed(values, needed, bones)
        rotations, positions = rigid.local(bones.skeleton.parents, turned, places)
        notes: list[Note] = []
        if grown := rigid.growing(stretch):
            template = "{count:joint is|joints are} scaled in {name}. Joint positions follow the file, but the mesh keeps its size."
            notes.append(Fact(template, count=grown, name=name))
        if shapes := self._blended(stack):
            told = one_line(", ".join(shapes), 120)
            notes.append(
                Note("Animated blend shapes of {name} are not part of the motion: {shapes}.", name=name, shapes=told)
            )
            self.lost.append(notes[-1])
        return Motion(bones.skeleton, fps, rotations, positions, notes=tuple(notes))

    def _blended(self, stack: Any) -> list[str]:
        """The blend shapes that an animation changes."""
        found: dict[str, None] = {}
        for layer in members(stack.layers):
            for prop in members(layer.anim_props):
                element = kept(prop.element)
                if isinstance(element, self.ufbx.BlendChannel):
                    curves = [kept(curve) for curve in kept(kept(prop.anim_value).curves)]
                    if any(curve is not None and curve.max_value > curve.min_value for curve in curves):
                        found[one_line(element.name, 60)] = None
        return list(found)

    def _evaluated(self, stack: Any, needed: list[int], times: list[float]) -> Array:
        """Translation, rotation and scale (F, n, 10) of the nodes `needed` at `times`, as ufbx evaluates them."""
        anim, evaluate, nodes = stack.anim, self.ufbx.evaluate_transform, [self.nodes[node] for node in needed]
        flat: list[float] = []
        for time in times:
            for node in nodes:
                found = evaluate(anim, node, time)
                flat += found.translation
                flat += found.rotation
                flat += found.scale
        return np.array(flat).reshape(len(times), len(nodes), 10)

    def _posed(self, values: Array, needed: list[int], bones: Bones) -> tuple[Array, Array, Array]:
        """World rotations (F, J, 4), positions (F, J, 3) and stretches (F or 1, J, 3, 3) of the joints, from `_evaluated` numbers."""
        scale = values[..., 7:]
        if (np.abs(scale - scale[:1, :, :1]) <= EVEN * np.abs(scale[:1, :, :1])).all() and (scale[0, :, 0] > 0.0).all():
            return self._even(values, needed, bones)
        locals_ = np.broadcast_to(np.eye(4), (len(values), len(self.nodes), 4, 4)).copy()
        locals_[:, needed] = _transforms(values)
        world = self.worlds(locals_)[:, self.stands[bones.nodes]]
        turned, stretch = rigid.decomposed(world[..., :3, :3])
        return turned, world[..., :3, 3], stretch

    def _even(self, values: Array, needed: list[int], bones: Bones) -> tuple[Array, Array, Array]:
        """Like `_posed`, for nodes that never grow and are as wide as high: turns need no matrices then, which is quicker."""
        column = {node: place for place, node in enumerate(needed)}
        turned, places, size = quat.normalized(values[..., 3:7]), values[..., :3].copy(), values[0, :, 7].copy()
        for node in self.order:
            if node in column and self.parents[node] >= 0:
                own, above = column[node], column[int(self.parents[node])]
                places[:, own] = places[:, above] + size[above] * quat.rotate(turned[:, above], places[:, own])
                turned[:, own] = quat.multiply(turned[:, above], turned[:, own])
                size[own] *= size[above]
        self._check(places, size)
        joints = [column[node] for node in self.stands[bones.nodes].tolist()]
        return turned[:, joints], places[:, joints], size[joints][None, :, None, None] * np.eye(3)

    def _needed(self, bones: Bones) -> list[int]:
        """The joints and everything above them."""
        wanted = {*bones.nodes.tolist(), *self.stands[bones.nodes].tolist()}
        for node in reversed(self.order):
            if node in wanted and self.parents[node] >= 0:
                wanted.add(int(self.parents[node]))
        return sorted(wanted)


def _moment(seconds: float) -> float:
    """The first tick that is not before: a stepped key whose time was rounded up is there already.

    Keys are at whole ticks, and on a stepped key a moment more or less is another drawing.
    """
    return math.ceil(seconds * TICKS - 1e-2) / TICKS


def members(listed: Any) -> list[Any]:
    """The elements in a list of ufbx's.

    A list of ufbx 0.0.5 returns its elements without counting the reference, so they would be freed while in use; the
    reference is counted here. (Should a later version count it too, the scene stays in memory until this process ends.)
    """
    return [kept(listed[place]) for place in range(len(listed))]


def kept(element: Any) -> Any:
    """`element`, with the reference that ufbx 0.0.5 forgets to count."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(element))
    return element


def matrix(m: Any) -> Array:
    """ufbx's matrix of four columns as (4, 4)."""
    result = np.eye(4)
    result[:3] = np.array([m.c0, m.c1, m.c2, m.c3]).T
    return result


def _transforms(values: Array) -> Array:
    """(..., 4, 4) of (..., 10): translation, rotation x y z w, scale."""
    turn = quat.to_matrix(quat.normalized(values[..., 3:7]))
    return rigid.affine(turn * values[..., None, 7:10], values[..., :3])


def _parents_first(parents: NDArray[np.int64], filed: list[int]) -> list[int]:
    """All nodes in the order `filed`, but none before its parent."""
    order: list[int] = []
    done = np.zeros(len(parents), dtype=bool)
    for start in filed:
        way, node = [], start
        while node >= 0 and not done[node]:
            done[node] = True
            way.append(node)
            node = int(parents[node])
        order += reversed(way)
    return order
