"""Which nodes of a glTF are joints, and how a node's own rotation, position and scale become a joint's: metres, no scale.

A skeleton knows rotations and positions. Scales are worked into the places, so that every joint is in the world where the file
puts it. Nodes above the topmost joints that never move (an exporter's "Armature", turned and scaled) are worked into
those joints.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from komadori import kinematics, quat, roles
from komadori.errors import FormatError
from komadori.formats import units
from komadori.formats.gltf.document import Gltf, nearest_rotation
from komadori.formats.gltf.fields import told_apart
from komadori.formats.gltf.ours import roles_of, squash_part
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Note

EVEN = 2e-6
"""A scale whose axes differ by less than this part, or that moves by less, is even: it is noise of 32 bit numbers."""


@dataclass(frozen=True, eq=False)
class Rig:
    """A file's skeleton and the way between its joints and the nodes.

    `nodes` (J,) is each joint's node; `above` (J, 4, 4) is the world frame that a topmost joint hangs in (the identity
    elsewhere); `stretch` (J, 3, 3) is each node's scale at rest; `gains` (J,) is the scale of the frame that a joint
    hangs in where all scales are even, else None.
    """

    skeleton: Skeleton
    nodes: NDArray[np.intp]
    above: Array
    stretch: Array
    gains: Array | None
    translations: Array
    """(J, 3) of the nodes at rest, as the file has them."""

    @property
    def joint_of_node(self) -> dict[int, int]:
        """Node -> its joint."""
        return {node: joint for joint, node in enumerate(self.nodes.tolist())}

    @property
    def turned(self) -> Array:
        """(J, 4): the turn of `above`."""
        result = quat.identity(len(self.skeleton))
        result[self._roots] = nearest_rotation(self.above[self._roots, :3, :3])
        return result

    @property
    def _roots(self) -> list[int]:
        return [int(joint) for joint in np.flatnonzero(self.skeleton.parents < 0)]

    def from_nodes(self, rotations: Array, translations: Array, stretch: Array | None = None) -> tuple[Array, Array]:
        """Joint rotations (F, J, 4) and positions (F, J, 3) of node rotations and translations.

        `stretch` (F, J, 3, 3) are the nodes' scales where they move.
        """
        turned = quat.multiply(self.turned, rotations) if self._turns_above else rotations
        if self.gains is not None and stretch is None:
            positions = translations * self.gains[:, None]
            for joint in self._roots:
                positions[:, joint] = translations[:, joint] @ self.above[joint, :3, :3].T + self.above[joint, :3, 3]
            return turned, positions
        scaled = self.stretch if stretch is None else stretch
        return turned, self._straightened(turned, self._world_places(rotations, translations, scaled))

    def to_nodes(self, rotations: Array, positions: Array) -> tuple[Array, Array]:
        """Node rotations and translations (scales at rest) of joint rotations (F, J, 4) and positions (F, J, 3)."""
        own = quat.multiply(quat.inverse(self.turned), rotations) if self._turns_above else rotations
        if self.gains is not None:
            # A joint inside a node of zero size has no defined position: it stays where the file has it.
            sized = self.gains != 0.0
            translations = np.where(
                sized[:, None], positions / np.where(sized, self.gains, 1.0)[:, None], self.translations
            )
            for joint in self._roots:
                away = positions[:, joint] - self.above[joint, :3, 3]
                translations[:, joint] = self._inside(self.above[joint, :3, :3], away, joint)
            return own, translations
        world = kinematics.world_positions(self.skeleton, rotations, positions)
        linear = np.empty((*rotations.shape[:2], 3, 3))
        translations = np.empty(positions.shape)
        for joint, parent in enumerate(self.skeleton.parents.tolist()):
            outer = self.above[joint, :3, :3] if parent < 0 else linear[:, parent]
            away = world[:, joint] - (self.above[joint, :3, 3] if parent < 0 else world[:, parent])
            translations[:, joint] = self._inside(outer, away, joint)
            linear[:, joint] = outer @ quat.to_matrix(own[:, joint]) @ self.stretch[joint]
        return own, translations

    @property
    def _turns_above(self) -> bool:
        return bool(np.abs(self.above[:, :3, :3] - np.eye(3)).max() > 0.0)

    def _inside(self, outer: Array, away: Array, joint: int) -> Array:
        """Vectors `away` (F, 3) in the frame `outer` (3, 3) or (F, 3, 3); the rest's where the frame has no size."""
        outer = np.broadcast_to(outer, (len(away), 3, 3))
        sized = np.abs(np.linalg.det(outer)) > 1e-18
        solved = np.linalg.solve(np.where(sized[:, None, None], outer, np.eye(3)), away[..., None])[..., 0]
        return np.where(sized[:, None], solved, self.translations[joint])

    def _world_places(self, rotations: Array, translations: Array, stretch: Array) -> Array:
        """World positions (F, J, 3) of the nodes, with all their scales."""
        linear = quat.to_matrix(rotations) @ stretch
        places = np.array(translations)
        for joint, parent in enumerate(self.skeleton.parents.tolist()):
            outer = self.above[joint, :3, :3] if parent < 0 else linear[:, parent]
            origin = self.above[joint, :3, 3] if parent < 0 else places[:, parent]
            places[:, joint] = np.einsum("...ij,...j->...i", outer, places[:, joint]) + origin
            linear[:, joint] = outer @ linear[:, joint]
        return places

    def _straightened(self, rotations: Array, world: Array) -> Array:
        """Local positions (F, J, 3) that bring joints with `rotations` to the places `world` (F, J, 3)."""
        turns, _ = kinematics.world_transforms(self.skeleton, rotations, np.zeros(world.shape))
        positions = np.array(world)
        child = np.flatnonzero(self.skeleton.parents >= 0)
        parent = self.skeleton.parents[child]
        positions[:, child] = quat.rotate(quat.inverse(turns[:, parent]), world[:, child] - world[:, parent])
        return positions


def rig_of(document: Gltf, also: Iterable[int] = ()) -> Rig:
    """The joints of a file: skin joints, animated nodes, and the nodes `also`; what lies between them, and bare ends.

    A file without skins gives every node at or below an animated one, and one with neither gives its whole scene.
    """
    nodes = document.nodes
    chosen = _chosen(document, document.also | set(also))
    order = _ordered(document, chosen)
    if not order:
        raise FormatError(document.name, "nodes", problem=Note("no nodes to build a skeleton from"))
    joint_of = {node: joint for joint, node in enumerate(order)}
    parents = np.array([joint_of.get(nodes[node].parent, -1) for node in order])
    above = np.broadcast_to(np.eye(4), (len(order), 4, 4)).copy()
    for joint, node in enumerate(order):
        if parents[joint] < 0:
            above[joint] = world_matrix(document, nodes[node].parent)
    stretch = np.stack([nodes[node].stretch for node in order])
    translations = np.stack([nodes[node].translation for node in order])
    rotations = np.stack([nodes[node].rotation for node in order])
    skeleton = Skeleton(tuple(told_apart(nodes[node].name for node in order)), parents, np.zeros((len(order), 3)))
    gains = _gains(parents, above, stretch)
    rig = Rig(skeleton, np.array(order), above, stretch, gains, translations)
    turned, offsets = rig.from_nodes(rotations[None], translations[None])
    stated = roles_of(document, skeleton.names)
    return replace(rig, skeleton=Skeleton(skeleton.names, parents, offsets[0], turned[0], stated))


def sized(document: Gltf) -> tuple[Gltf, tuple[Note, ...]]:
    """The document in a unit of which its body is of a size that can be, and not in a mirror; a note on each that had to be changed."""
    notes: tuple[Note, ...] = ()
    rig = rig_of(document)
    top = rig.above[int(np.argmin(rig.skeleton.parents)), :3, :3]
    if np.linalg.det(top) < 0.0:
        # Joints turn and never mirror: a body in a mirror would have its left hand on the right.
        document = replace(document, mirrored=True)
        rig = rig_of(document)
        notes = (Note("The whole scene is mirrored, by a negative scale; read it as it is without the mirror."),)
    skeleton = rig.skeleton
    found = dict(skeleton.roles) or roles.find(skeleton)
    scale, note = units.stated(skeleton.with_roles(found), PurePath(document.name).stem)
    return (document, notes) if note is None else (replace(document, metres=scale), (*notes, note))


def skeleton_of(document: Gltf, also: Iterable[int] = ()) -> tuple[Skeleton, dict[int, int]]:
    """The skeleton of a file in metres, and the joint of each node that is one."""
    rig = rig_of(document, also)
    return rig.skeleton, rig.joint_of_node


def world_matrix(document: Gltf, node: int) -> Array:
    """(4, 4) from a node's frame to the world, at rest; that of the topmost nodes' frame for -1."""
    return document.worlds[node] if node != -1 else document.ground


def inverse_of(matrix: Array) -> Array:
    """The inverse of (4, 4); of a flat one, that which comes nearest."""
    with np.errstate(all="ignore"):
        flat = not abs(np.linalg.det(matrix)) > 1e-30
    return np.asarray(np.linalg.pinv(matrix) if flat else np.linalg.inv(matrix))


def _chosen(document: Gltf, also: frozenset[int]) -> set[int]:
    nodes = document.nodes
    skins = {joint for skin in document.listed("skins") for joint in skin.references("joints", len(nodes))}
    moved = _animated(document)
    chosen = skins | moved | also
    if not chosen:
        return set(document.scene)
    # What lies between a joint and a joint above it is a joint as well.
    for node in sorted(chosen):
        path: list[int] = []
        at = nodes[node].parent
        while at != -1 and at not in chosen:
            path.append(at)
            at = nodes[at].parent
        if at != -1:
            chosen.update(path)
    if not skins:
        for node in document.scene:
            if nodes[node].parent in chosen:
                chosen.add(node)
    return chosen | {
        number
        for number, node in enumerate(nodes)
        if node.parent in chosen and node.mesh is None and not node.camera and not node.children
    }


def squash_nodes(document: Gltf) -> dict[int, str]:
    """The nodes that squash and stretch the body below them, "outer" and "inner": they are not among its joints."""
    return {n: part for n, entry in enumerate(document.listed("nodes")) if (part := squash_part(entry.value))}


def _animated(document: Gltf) -> set[int]:
    found = set()
    squashing = set(squash_nodes(document))
    for animation in document.listed("animations"):
        for channel in animation.many("channels"):
            target = channel.one("target")
            node = target.index("node", len(document.nodes))
            if (
                node is not None
                and node not in squashing
                and target.text("path") in ("translation", "rotation", "scale")
            ):
                found.add(node)
    return found


def _ordered(document: Gltf, chosen: set[int]) -> list[int]:
    """The chosen nodes, parents first: as the skin lists them where it lists them all, else tree by tree.

    Of several trees the largest comes first, which is the body's.
    """
    nodes = document.nodes
    for skin in document.listed("skins")[:1]:
        listed = skin.references("joints", len(nodes))
        place = {node: n for n, node in enumerate(listed)}
        before = (place.get(nodes[node].parent, -1) < n for n, node in enumerate(listed))
        if len(place) == len(listed) and set(place) == chosen and all(before):
            return list(listed)
    trees: list[list[int]] = []
    tree_of: dict[int, list[int]] = {}
    for node in _everywhere(document):
        if node not in chosen:
            continue
        tree = tree_of.get(nodes[node].parent)
        if tree is None:
            tree = []
            trees.append(tree)
        tree.append(node)
        tree_of[node] = tree
    return [node for tree in sorted(trees, key=len, reverse=True) for node in tree]


def _everywhere(document: Gltf) -> list[int]:
    """All nodes, those of the scene first, parents before children."""
    order = list(document.scene)
    seen = set(order)
    waiting = [n for n in reversed(range(len(document.nodes))) if document.nodes[n].parent == -1 and n not in seen]
    while waiting:
        order.append(waiting.pop())
        waiting.extend(reversed(document.nodes[order[-1]].children))
    return order


def _gains(parents: NDArray[np.intp], above: Array, stretch: Array) -> Array | None:
    """(J,) the even scale of the frame that each joint hangs in, or None if one is not even."""
    roots, inner = np.flatnonzero(parents < 0), np.zeros(len(parents), dtype=bool)
    inner[parents[parents >= 0]] = True
    outer = above[roots, :3, :3]
    gains = np.ones(len(parents))
    gains[roots] = _even(quat.to_matrix(nearest_rotation(outer)).swapaxes(-1, -2) @ outer)
    # What scales a leaf alone moves no joint.
    within = np.where(inner, _even(stretch), 1.0)
    for joint in np.flatnonzero(parents >= 0).tolist():
        gains[joint] = gains[parents[joint]] * within[parents[joint]]
    return gains if np.isfinite(gains).all() else None


def _even(linear: Array) -> Array:
    """(...,) the scales of matrices (..., 3, 3) that scale alike along all axes, turn nothing and mirror nothing, else NaN; -1 turns all axes round."""
    size = np.trace(linear, axis1=-2, axis2=-1) / 3.0
    away = np.abs(linear - size[..., None, None] * np.eye(3)).max(axis=(-2, -1))
    return np.where(away <= EVEN * np.abs(size), size, np.nan)
