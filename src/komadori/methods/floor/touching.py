"""Touching: how low each part of a body comes, by its skin if it has one, else by the thickness of its bones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import flesh, kinematics, quat, roles
from komadori.character import Character
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.skinning import Skin, skin_of

SIDES = ("left", "right")
TRUNK = "trunk"
"""Everything but feet, hands and forearms: to raise it, the whole body must rise."""
TOGETHER = 128
"""Frames that are looked at together."""
_ALONG = np.stack(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 3), axis=-1).reshape(-1, 3)
_WAYS = np.delete(_ALONG, 13, axis=0) / np.linalg.norm(np.delete(_ALONG, 13, axis=0), axis=1, keepdims=True)
"""(26, 3) the ways in which the outermost vertices of a part are looked for."""


@dataclass(frozen=True, eq=False)
class Parts:
    """A body's parts: `names`, and (J,) which of them each joint belongs to; -1 for what hangs from the body, which never stands."""

    names: tuple[str, ...]
    of: NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Touching:
    """Points that can touch the ground: vertices of a skin, or balls around joints. `part` (n,) is theirs."""

    parts: Parts
    part: NDArray[np.intp]
    skin: Skin | None
    vertices: NDArray[np.intp]
    joints: NDArray[np.intp]
    offsets: Array
    radii: Array

    def lowest(self, motion: Motion) -> dict[str, Array]:
        """(F,) the height of the lowest point of each part."""
        found = np.full((len(motion), len(self.parts.names)), np.inf)
        for start in range(0, len(motion), TOGETHER):
            frames = slice(start, min(start + TOGETHER, len(motion)))
            heights = self._heights(motion[frames])
            for part in np.unique(self.part).tolist():
                found[frames, part] = heights[:, self.part == part].min(axis=1)
        return {name: found[:, n] for n, name in enumerate(self.parts.names) if np.isfinite(found[:, n]).all()}

    def _heights(self, motion: Motion) -> Array:
        if self.skin is not None:
            return self.skin.places_of(motion, self.vertices)[..., 1]
        turned, places = motion.world_transforms()
        at = places[:, self.joints, 1] + quat.rotate(turned[:, self.joints], self.offsets)[..., 1]
        return np.asarray(at - self.radii)


def parts_of(skeleton: Skeleton, hanging: NDArray[np.bool_], four: bool) -> Parts:
    """Which part each joint belongs to; of an animal's fore legs, hands are feet too."""
    known: Mapping[str, int] = roles.known(skeleton)
    names = [TRUNK]
    of = np.zeros(len(skeleton), dtype=np.intp)
    for side in SIDES:
        # From the inside out: the last one wins.
        ends = ("lower_arm", "hand", "foot", "toes")
        for role in ends:
            joint = known.get(f"{side}_{role}")
            if joint is None or (role == "toes" and f"{side}_foot" not in known) or (four and role == "lower_arm"):
                continue
            name = f"{side}_{'hand' if role == 'lower_arm' else role}"
            if name not in names:
                names.append(name)
            of[skeleton.below([joint])] = names.index(name)
    of[hanging] = -1
    return Parts(tuple(names), of)


def touching_of(character: Character | None, motion: Motion) -> Touching:
    """What of the body can touch the ground; `character` is that of the motion, or None."""
    skeleton = motion.skeleton
    four = roles.body_plan(skeleton, motion.pose(0) if len(motion) else None) == "quadruped"
    hanging = np.zeros(len(skeleton), dtype=bool)
    if character is not None and character.meshes:
        for chain in character.chains():
            hanging[list(chain.joints)] = True
        parts = parts_of(skeleton, hanging, four)
        vertices, owners = _outermost(character, parts)
        if len(vertices):
            none = np.zeros(0)
            return Touching(parts, parts.of[owners], skin_of(character), vertices, owners, none.reshape(0, 3), none)
    parts = parts_of(skeleton, hanging, four)
    joints, offsets, radii = _balls(skeleton)
    return Touching(parts, parts.of[joints], None, np.zeros(0, dtype=np.intp), joints, offsets, radii)


def _outermost(character: Character, parts: Parts) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Vertices, among those of all meshes, that lie outermost of what each joint moves most; and that joint."""
    used = np.concatenate([np.isin(np.arange(len(mesh.vertices)), mesh.triangles) for mesh in character.meshes])
    owners = np.concatenate(
        [np.take_along_axis(m.joints, m.weights.argmax(axis=1)[:, None], axis=1)[:, 0] for m in character.meshes]
    )
    places = np.concatenate([mesh.vertices for mesh in character.meshes])
    # Vertices moved mostly by hair hang, whichever of its joints moves them most.
    loose = parts.of < 0
    hangs = np.concatenate([(m.weights * loose[m.joints]).sum(axis=1) > 0.5 for m in character.meshes])
    chosen = []
    for joint in np.unique(owners).tolist():
        own = np.flatnonzero((owners == joint) & used & ~hangs)
        if len(own) and not loose[joint]:
            chosen.append(np.unique(own[(places[own] @ _WAYS.T).argmax(axis=0)]))
    vertices = np.concatenate(chosen) if chosen else np.zeros(0, dtype=np.intp)
    return vertices, owners[vertices]


def _balls(skeleton: Skeleton) -> tuple[NDArray[np.intp], Array, Array]:
    """Joints, offsets (n, 3) from them and radii (n,) of the balls that a body of bones is drawn around."""
    turned, places = (
        part[0] for part in kinematics.world_transforms(skeleton, skeleton.rest[None], skeleton.offsets[None])
    )
    radii, height = flesh.radii(skeleton, places)
    head = roles.known(skeleton).get("head")
    drawn = skeleton.below([skeleton.roles.get("hips", 0)])
    if head is not None:
        drawn &= ~skeleton.below(skeleton.children[head])
    joints = np.flatnonzero(drawn)
    offsets, sizes = np.zeros((len(joints), 3)), radii[joints]
    if head is not None:
        middle = quat.rotate(quat.inverse(turned[head]), flesh.skull(skeleton, head, places) - places[head])
        joints, offsets = np.append(joints, head), np.concatenate([offsets, middle[None]])
        sizes = np.append(sizes, flesh.HEAD * height)
    return joints, offsets, sizes
