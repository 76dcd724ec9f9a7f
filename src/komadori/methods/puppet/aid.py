"""A learning aid: which key dominates where, where the keys define no pose, and where one more key would help most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from komadori import quat
from komadori.errors import OptionError
from komadori.methods.puppet.keys import path_of
from komadori.methods.puppet.reaching import effector_places, held
from komadori.methods.puppet.rig import Puppet
from komadori.quat import Array
from komadori.words import Note

_MARGIN = 0.25
"""How far beyond the keys a map reaches, in their extent."""


@dataclass(frozen=True, eq=False)
class Map:
    """What a puppet does at `places` (G, 3), as data to draw.

    `influence` (G, n) is the share of each key that counts (a row sums to 1; see `keys`), `defined` (G,) is 0 where the keys
    define no pose, `strain` (G,) is 0 where the keys agree and grows the more they disagree: the distance in metres from the
    blend's effector to the handle if there is a grip, and otherwise the way (0 to 1) of the blended matrices from
    true rotations. `correction` (G,) is how far the grip turns joints, in radians at most.
    """

    places: Array
    keys: tuple[str, ...]
    influence: Array
    defined: Array
    strain: Array
    correction: Array

    @property
    def best(self) -> Array:
        """(3,) where one more key would help most: the worst strain, an undefined place first."""
        return np.asarray(self.places[int(np.argmax(self.need))])

    @property
    def need(self) -> Array:
        """(G,) 0 to 1 and more: how much a key would help at each place; little where one is near already."""
        strain = self.strain / max(float(self.strain.max()), 1e-12)
        # A key's own place needs no other: its influence is 1 there.
        return np.asarray((strain + (1.0 - self.defined)) * (1.0 - np.clip(self.influence.max(axis=1), 0.0, 1.0)))


def mapped(puppet: Puppet, places: ArrayLike | None = None, *, steps: int = 12) -> Map:
    """The map of `puppet` at `places` (G, 3), or on a grid of `steps` a side about its keys (in the directions they span)."""
    if not 2 <= steps <= 100:
        raise OptionError("steps", expected=Note("a whole number from {low} to {high}", low=2, high=100), found=steps)
    where = grid(puppet, steps) if places is None else path_of(places, "places")
    blend = puppet.blend
    found, _ = blend.at(where)
    correction = np.zeros(len(where))
    if puppet.ik is not None:
        target = puppet._target(where, found)
        now = effector_places(puppet.skeleton, puppet.ik, found.rotations, found.positions)
        strain = np.linalg.norm(target - now, axis=1)
        pulled, _ = held(puppet.skeleton, puppet.ik, found.rotations, found.positions, target)
        turned = quat.angle(quat.multiply(quat.inverse(found.rotations), pulled))
        correction = turned.max(axis=1)
    else:
        strain = _unlike_rotations(blend.elements(where))
    names = tuple(puppet.keys[number].name or str(number) for number in blend.kept.tolist())
    return Map(where, names, blend.field.influence(where), found.defined, np.asarray(strain), correction)


def grid(puppet: Puppet, steps: int = 12) -> Array:
    """(G, 3) places about the keys: a line, a sheet or a box of them, as the keys lie."""
    field = puppet.blend.field
    nodes = field.nodes
    _, sizes, axes = np.linalg.svd(nodes, full_matrices=False)
    spanned = axes[sizes > 1e-3 * max(float(sizes[0]), 1e-12)] if sizes[0] > 0.0 else axes[:0]
    along = nodes @ spanned.T
    low, high = along.min(axis=0, initial=0.0), along.max(axis=0, initial=0.0)
    room = _MARGIN * (high - low)
    lines = [np.linspace(a, b, steps) for a, b in zip(low - room, high + room, strict=True)]
    inside = (
        np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, len(lines)) if lines else np.zeros((1, 0))
    )
    return np.asarray(inside @ spanned * field.extent + field.centre)


def _unlike_rotations(matrices: Array) -> Array:
    """(G,) how far the worst joint's blended matrix (G, T, 3, 3) is from any rotation, stretching aside: 0 to 1."""
    if not matrices.shape[1]:
        return np.zeros(len(matrices))
    sizes = np.linalg.svd(matrices, compute_uv=False)
    return np.asarray(1.0 - (sizes[..., 2] / np.maximum(sizes[..., 0], 1e-12)).min(axis=1))
