"""One scene of ufbx taken apart: which nodes are joints, how they rest, and how they move."""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.errors import FormatError, one_line, quoted
from komadori.formats import rigid
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Note

DEFAULT_FPS = 24.0
MOST_JOINT_FRAMES = 20_000_000
"""An animation may state any length: this bounds the memory that it takes."""
MOST_NODES = 100_000


@dataclass(frozen=True, eq=False)
class Bones:
    """The nodes that are joints, parents first: their numbers in the file, and the skeleton."""

    nodes: NDArray[np.int64]
    skeleton: Skeleton
    stretch: Array
    """(J, 3, 3) of each joint in the world, at rest."""

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
        self.order = _parents_first(self.parents)

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
        if not (np.isfinite(result).all() and np.abs(result).max(initial=0.0) < 1e30):
            raise FormatError(
                self.path, expected=Note("finite numbers"), found=Note("a node whose place is not a number")
            )
        return result

    def joints(self, pulled: set[int]) -> list[int]:
        """The nodes that are joints: bones, what skins hang on, and what lies between; empties where there are none."""
        wanted = {int(node.typed_id) for node in self.nodes if node.bone is not None} | pulled
        if not wanted:
            wanted = {int(n.typed_id) for n in self.nodes if not n.is_root and n.mesh is None}
        if not wanted:
            raise FormatError(self.path, expected=Note("a skeleton"), found=Note("no bone and no empty"))
        below, above = np.zeros(len(self.nodes), dtype=bool), np.zeros(len(self.nodes), dtype=bool)
        for node in self.order:
            parent = int(self.parents[node])
            below[node] = parent >= 0 and (below[parent] or parent in wanted)
        for node in reversed(self.order):
            if (node in wanted or above[node]) and self.parents[node] >= 0:
                above[self.parents[node]] = True
        return [node for node in self.order if node in wanted or (above[node] and below[node])]

    def bones(self, chosen: list[int], rest: Array) -> Bones:
        """The nodes `chosen` as a skeleton that rests at `rest` (N, 4, 4)."""
        number = {node: joint for joint, node in enumerate(chosen)}
        parents = np.array([self._nearest(node, number) for node in chosen], dtype=np.intp)
        turned, stretch = rigid.decomposed(rest[chosen][:, :3, :3])
        rotations, positions = rigid.local(parents, turned[None], rest[chosen][None, :, :3, 3])
        names = rigid.different(one_line(self.nodes[node].name, 120) or f"node {node}" for node in chosen)
        return Bones(np.array(chosen), Skeleton(names, parents, positions[0], rotations[0]), stretch)

    def _nearest(self, node: int, number: dict[int, int]) -> int:
        """The joint that `node` hangs from, or -1."""
        above = int(self.parents[node])
        while above >= 0 and above not in number:
            above = int(self.parents[above])
        return number.get(above, -1)

    def motions(self, bones: Bones) -> dict[str, Motion]:
        """Every animation of the file, in its order."""
        rate = float(self.scene.settings.frames_per_second)
        fps = rate if math.isfinite(rate) and 1.0 <= rate <= 1000.0 else DEFAULT_FPS
        stacks = sorted(members(self.scene.anim_stacks), key=lambda stack: int(stack.element_id))
        names = rigid.different(one_line(stack.name, 120) or "animation" for stack in stacks)
        return {name: self._motion(stack, name, fps, bones) for name, stack in zip(names, stacks, strict=True)}

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
        anim, evaluate, needed = stack.anim, self.ufbx.evaluate_transform, self._needed(bones)
        flat = [
            (*t.translation, *t.rotation, *t.scale)
            for k in range(frames)
            for t in (evaluate(anim, self.nodes[node], begin + k / fps) for node in needed)
        ]
        locals_ = np.broadcast_to(np.eye(4), (frames, len(self.nodes), 4, 4)).copy()
        locals_[:, needed] = _transforms(np.array(flat).reshape(frames, len(needed), 10))
        world = self.worlds(locals_)[:, bones.nodes]
        turned, stretch = rigid.decomposed(world[..., :3, :3])
        rotations, positions = rigid.local(bones.skeleton.parents, turned, world[..., :3, 3])
        notes = []
        if grown := rigid.growing(stretch):
            template = "{count} joint(s) grow or shrink in {name}: joints stay where they are in the file, the skin's size does not follow"
            notes.append(Note(template, count=grown, name=name))
        return Motion(bones.skeleton, fps, rotations, positions, notes=tuple(notes))

    def _needed(self, bones: Bones) -> list[int]:
        """The joints and everything that they hang from."""
        wanted = set(bones.nodes.tolist())
        for node in reversed(self.order):
            if node in wanted and self.parents[node] >= 0:
                wanted.add(int(self.parents[node]))
        return sorted(wanted)


def members(listed: Any) -> list[Any]:
    """The elements in a list of ufbx's.

    A list of ufbx 0.0.5 gives away its elements without counting the reference, and they would be freed while in use:
    it is counted here. (Should a later version count it too, the scene stays in memory until this process ends.)
    """
    found = []
    for place in range(len(listed)):
        element = listed[place]
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(element))
        found.append(element)
    return found


def matrix(m: Any) -> Array:
    """ufbx's matrix of four columns as (4, 4)."""
    result = np.eye(4)
    result[:3] = np.array([m.c0, m.c1, m.c2, m.c3]).T
    return result


def _transforms(values: Array) -> Array:
    """(..., 4, 4) of (..., 10): translation, rotation x y z w, scale."""
    turn = quat.to_matrix(quat.normalized(values[..., 3:7]))
    return rigid.affine(turn * values[..., None, 7:10], values[..., :3])


def _parents_first(parents: NDArray[np.int64]) -> list[int]:
    order: list[int] = []
    done = np.zeros(len(parents), dtype=bool)
    for start in range(len(parents)):
        way, node = [], start
        while node >= 0 and not done[node]:
            done[node] = True
            way.append(node)
            node = int(parents[node])
        order += reversed(way)
    return order
