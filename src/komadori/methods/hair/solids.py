"""Solids: the parts of a body that strands stay outside of, as capsules that its joints carry, and what it stands on.

Where they are comes from the joints' roles, how thick they are from the mesh, or from the limbs' lengths if there is
none. Strands that rest inside a capsule keep the room that they rest in: nothing is pushed out of where it was modelled.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.character import Character
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.skinning import skinned

Index = NDArray[np.intp]

THICK_M = 0.02
"""Strands have thickness: their bones keep this far from the skin and the floor."""
SKIN = 75.0
"""A capsule is as thick as this percentile of its skin is far from its axis."""
SIDE = 0.6
"""How far out from the spine to a shoulder the sides of the trunk lie."""
SLIM = {"upper_arm": 0.19, "lower_arm": 0.16, "upper_leg": 0.22, "trunk": 0.32, "neck": 0.5, "head": 0.4}
"""Radii without a mesh, as shares: of a limb's length, the shoulders' distance, the neck's length, the head's height."""
OUTSIDE, LIMB_OUTSIDE = 0.8, 0.15
"""How much a strand goes round the trunk, and round a limb, by the outside of the body rather than by the side that it is on."""
HEAD_M = 0.2
"""The default height of a head."""


@dataclass(frozen=True, eq=False)
class Solids:
    """K capsules, and the S joints that a body can stand or lie on.

    `joints` (K, 2) carry the two ends, at `offsets` (K, 2, 3) in the joints' frames; `radii` (K,) metres;
    `outside` (K,) is how much strands go round them by the outside of the body. `stands` (S,) are
    joints, `soles` (S,) how far the skin is below them. `turns` and `places` (J, ...) are the rest pose's.
    """

    joints: Index
    offsets: Array
    radii: Array
    outside: Array
    stands: Index
    soles: Array
    turns: Array
    places: Array

    def rooms(self, points: Array, lengths: Array) -> Array:
        """(n, K) how near the ends `points` (n, 3) of bones of `lengths` (n,) at rest may come to the capsules' axes, metres."""
        ends = self.places[self.joints] + quat.rotate(self.turns[self.joints], self.offsets)
        far, _ = axis_distances(points[:, None], ends[:, 0], ends[:, 1])
        # Far enough that a bone whose two ends are outside a thin arm does not cross it in between.
        clear = np.maximum(self.radii + THICK_M, np.hypot(self.radii, 0.5 * lengths[:, None]))
        return np.asarray(np.minimum(clear, 0.999 * far))


def axis_distances(points: Array, first: Array, last: Array) -> tuple[Array, Array]:
    """How far `points` (..., 3) are from the segments `first` to `last` (..., 3), and the way (..., 3) from these to them."""
    along = last - first
    share = ((points - first) * along).sum(axis=-1) / np.maximum((along * along).sum(axis=-1), 1e-12)
    away = points - first - np.clip(share, 0.0, 1.0)[..., None] * along
    return np.sqrt((away * away).sum(axis=-1)), away


def solids_of(character: Character) -> Solids | None:
    """The solids of a body whose joints are known; None if neither limbs nor feet are."""
    skeleton = character.skeleton
    turns, places = (part[0] for part in character.rest.world_transforms())
    roles = skeleton.roles
    rows: list[tuple[str, int, Array, int, Array]] = []

    def add(group: str, first: int, start: Array, last: int, end: Array) -> None:
        rows.append((group, first, start, last, end))

    for side in ("left", "right"):
        for above, below in (("upper_arm", "lower_arm"), ("lower_arm", "hand"), ("upper_leg", "lower_leg")):
            one, other = roles.get(f"{side}_{above}"), roles.get(f"{side}_{below}")
            if one is not None and other is not None:
                add(f"{side}_{above}", one, places[one], other, places[other])
    hips, neck, head = (roles.get(name) for name in ("hips", "neck", "head"))
    top = next((roles[name] for name in ("upper_chest", "chest", "spine") if name in roles), None)
    across = [roles.get(f"{side}_upper_arm") for side in ("left", "right")]
    if hips is not None and top is not None:
        low, high = places[hips], places[neck if neck is not None else top]
        add("trunk", hips, low, top, high)
        for shoulder in across:
            if shoulder is not None:
                out = places[shoulder] - high
                out = SIDE * (
                    out - (out @ (high - low)) / max(float((high - low) @ (high - low)), 1e-12) * (high - low)
                )
                add("trunk", hips, low + out, top, places[shoulder] - (1.0 - SIDE) / SIDE * out)
        if across[0] is not None and across[1] is not None:
            add("trunk", top, places[across[0]], top, places[across[1]])
    if head is not None and neck is not None:
        add("neck", neck, places[neck], head, places[head])
    hanging = {joint for chain in character.chains() for joint in chain.joints}
    skin = _skin(character, hanging)
    if head is not None and any(row[0] == "trunk" for row in rows):
        low, high = _head(character, head, places, hanging, skin)
        add("head", head, low, head, high)
    starts, stops = (np.array([row[n] for row in rows]).reshape(-1, 3) for n in (2, 4))
    groups = [row[0] for row in rows]
    radii = _radii(character, groups, starts, stops, skin)
    joints = np.array([(row[1], row[3]) for row in rows], dtype=np.intp).reshape(-1, 2)
    thick = np.zeros(len(skeleton))
    np.maximum.at(thick, joints[:, 0], radii)
    stands, soles = _soles(skeleton, places, hanging, skin, thick)
    if not rows and not len(stands):
        return None
    ends = np.stack([starts, stops], axis=1)
    offsets = quat.rotate(quat.inverse(turns[joints]), ends - places[joints])
    outside = np.array([LIMB_OUTSIDE if group.partition("_")[0] in ("left", "right") else OUTSIDE for group in groups])
    return Solids(joints, offsets, radii, outside, stands, soles, turns, places)


def _skin(character: Character, hanging: set[int]) -> tuple[Array, Index]:
    """(V, 3) the body's skin at rest without what goes with a chain, and the joints (V,) that move it most."""
    if not character.meshes:
        return np.zeros((0, 3)), np.zeros(0, dtype=np.intp)
    vertices = np.asarray(skinned(character, character.rest)[0][0], dtype=np.float64)
    loose = np.zeros(len(character.skeleton), dtype=bool)
    loose[list(hanging)] = True
    owners = [np.take_along_axis(m.joints, m.weights.argmax(axis=1)[:, None], axis=1)[:, 0] for m in character.meshes]
    body = [(m.weights * loose[m.joints]).sum(axis=1) < 0.5 for m in character.meshes]
    kept = np.concatenate(body)
    return vertices[kept], np.concatenate(owners)[kept].astype(np.intp)


def _head(
    character: Character, head: int, places: Array, hanging: set[int], skin: tuple[Array, Index]
) -> tuple[Array, Array]:
    """The two ends of the head's axis: upwards from its joint."""
    spots = skin[0][skin[1] == head]
    if len(spots):
        low, high = np.percentile(spots, 2.0, axis=0), np.percentile(spots, 98.0, axis=0)
        middle, wide = 0.5 * (low + high), 0.5 * min(high[0] - low[0], high[2] - low[2])
        reach = np.array([0.0, max(0.5 * (high[1] - low[1]) - wide, 0.0), 0.0])
        return np.asarray(middle - reach), np.asarray(middle + reach)
    ends = [places[child] for child in character.skeleton.children[head] if child not in hanging]
    tall = max([HEAD_M, *(float(end[1] - places[head, 1]) for end in ends)])
    return np.asarray(places[head] + [0.0, 0.4 * tall, 0.0]), np.asarray(places[head] + [0.0, 0.6 * tall, 0.0])


def _radii(
    character: Character,
    groups: list[str],
    starts: Array,
    stops: Array,
    skin: tuple[Array, Index],
) -> Array:
    """(K,) metres; capsules of one group, such as the trunk, are equally thick."""
    roles = character.skeleton.roles
    trunk = [roles[name] for name in ("hips", "spine", "chest", "upper_chest") if name in roles]
    lengths = np.linalg.norm(stops - starts, axis=1)
    wide = max((lengths[n] for n, group in enumerate(groups) if group == "trunk"), default=0.0)
    result = np.zeros(len(groups))
    for group in dict.fromkeys(groups):
        own = [n for n, name in enumerate(groups) if name == group]
        owners = trunk if group == "trunk" else [roles[group]]
        spots = skin[0][np.isin(skin[1], owners)]
        if len(spots) >= 8:
            far = np.stack([axis_distances(spots, starts[n], stops[n])[0] for n in own]).min(axis=0)
            result[own] = np.percentile(far, SKIN)
        else:
            share = SLIM[group.partition("_")[2] if group not in SLIM else group]
            size = wide if group == "trunk" else HEAD_M if group == "head" else float(lengths[own].mean())
            result[own] = share * size
    return result


def _soles(
    skeleton: Skeleton, places: Array, hanging: set[int], skin: tuple[Array, Index], thick: Array
) -> tuple[Index, Array]:
    """The body's joints, and how far the skin of each lies below it, metres; none if no feet are known."""
    roles = skeleton.roles
    feet = [roles[name] for name in ("left_foot", "right_foot", "left_toes", "right_toes") if name in roles]
    if not feet:
        return np.zeros(0, dtype=np.intp), np.zeros(0)
    stands = np.array([joint for joint in range(len(skeleton)) if joint not in hanging], dtype=np.intp)
    floor = float(min(places[feet, 1].min(), skin[0][:, 1].min() if len(skin[0]) else np.inf))
    return stands, np.where(np.isin(stands, feet), places[stands, 1] - floor, thick[stands])
