"""The blend of a puppet's keys at any place of the handle (Igarashi, section 4): matrices through radial basis functions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from komadori import quat
from komadori.methods.puppet.rotation import FADE, faded_in, nearest_rotation
from komadori.numerics import rbf
from komadori.quat import Array

_BLOCK = 256
"""Handles worked on at once."""
_SHARPNESS = 8.0
"""Power of the distance by which the nearest key outweighs the others where the blend is undefined."""


@dataclass(frozen=True, eq=False)
class Poses:
    """Many poses: `rotations` (F, J, 4), `positions` (F, J, 3), and how well the keys define each, `defined` (F,)."""

    rotations: Array
    positions: Array
    defined: Array

    def __len__(self) -> int:
        return len(self.rotations)


@dataclass(frozen=True, eq=False)
class Blend:
    """Keys solved: ask it for poses."""

    field: rbf.Field
    kept: NDArray[np.intp]
    """Numbers of the keys that count: of keys in one place the last."""
    turning: NDArray[np.intp]
    """Joints whose rotation differs from key to key; the others stand still."""
    moving: NDArray[np.intp]
    """Joints whose position differs from key to key: the root, mostly."""
    rotations: Array
    """(n, J, 4) of the kept keys, all on one side of their mean."""
    positions: Array
    """(n, J, 3) of the kept keys."""
    matrix: Array
    """(9 T + 3 P, n + 1 + k) the field's coefficients, element by element of the matrices."""

    def elements(self, handles: Array) -> Array:
        """(F, T, 3, 3) the blended matrices of the turning joints, before they are made rotations."""
        values = self.field.values(handles)[:, : 9 * len(self.turning)]
        return np.moveaxis(values.reshape(len(handles), 3, 3, len(self.turning)), 3, 1)

    def at(self, handles: Array) -> tuple[Poses, Array]:
        """Poses at `handles` (F, 3), and how well each turning joint is defined, (F, T)."""
        frames, joints = len(handles), self.rotations.shape[1]
        rotations = np.empty((frames, joints, 4))
        positions = np.empty((frames, joints, 3))
        rotations[:] = self.rotations[0]
        positions[:] = self.positions[0]
        certain = np.ones((frames, len(self.turning)))
        for start in range(0, frames, _BLOCK):
            block = slice(start, min(start + _BLOCK, frames))
            self._fill(handles[block], rotations[block], positions[block], certain[block])
        defined = certain.min(axis=1, initial=1.0)
        return Poses(rotations, positions, defined), certain

    def _fill(self, handles: Array, rotations: Array, positions: Array, certain: Array) -> None:
        count, turning = len(handles), len(self.turning)
        values = self.matrix @ self.field.rows(handles).T
        if len(self.moving):
            positions[:, self.moving] = values[9 * turning :].reshape(len(self.moving), 3, count).transpose(2, 0, 1)
        if not turning:
            return
        turns, handedness = nearest_rotation(values[: 9 * turning].reshape(9, turning * count))
        blended = turns.reshape(4, turning, count).transpose(2, 1, 0)
        if handedness.min() < FADE:
            certain[:] = faded_in(handedness).reshape(turning, count).T
            unsure = np.flatnonzero(certain.min(axis=1) < 1.0)
            blended = np.array(blended)
            blended[unsure] = faded(self._nearest_key(handles[unsure]), blended[unsure], certain[unsure])
        rotations[:, self.turning] = blended

    def _nearest_key(self, handles: Array) -> Array:
        """(F, T, 4) the nearest key's rotations, gliding from one key to the next where two are equally near."""
        nodes = self.field.nodes * self.field.extent + self.field.centre
        apart = np.linalg.norm(handles[:, None] - nodes, axis=-1)
        nearest = apart.min(axis=1, keepdims=True)
        weights = (np.maximum(nearest, 1e-12) / np.maximum(apart, 1e-12)) ** _SHARPNESS
        # All keys lie on one side of their mean, so that no weighted sum of them can vanish.
        mixed = np.tensordot(weights, self.rotations[:, self.turning], axes=(1, 0))
        return quat.normalized(mixed)


def faded(to: Array, rotation: Array, weight: Array) -> Array:
    """`rotation` (..., 4) where `weight` (...,) is 1, `to` where it is 0, and no jump between.

    Not a slerp: that takes the short way round, which changes sides where both are half a turn apart. Here what both have in
    common is blended, so the sign of neither matters.
    """
    common = np.einsum("...i,...i->...", to, rotation)[..., None]
    w = weight[..., None]
    mixed = quat.normalized((1.0 - w) * to + w * common * rotation)
    return np.where(w < 1.0, mixed, rotation)


def solved(places: Array, rotations: Array, positions: Array, kernel: rbf.Kernel, polynomial: bool) -> Blend:
    """The blend of keys at `places` (n, 3) with `rotations` (n, J, 4) and `positions` (n, J, 3)."""
    kept = rbf.distinct(places, kernel)
    rotations, positions = rotations[kept], positions[kept]
    mean = quat.mean(rotations)
    side = np.einsum("njc,jc->nj", rotations, mean)
    rotations = np.where(side[..., None] < 0.0, -rotations, rotations)
    turning = np.flatnonzero((np.abs(rotations - rotations[0]) > 1e-12).any(axis=(0, 2)))
    moving = np.flatnonzero((np.abs(positions - positions[0]) > 1e-12).any(axis=(0, 2)))
    matrices = quat.to_matrix(rotations[:, turning]).transpose(0, 2, 3, 1).reshape(len(kept), -1)
    values = np.concatenate([matrices, positions[:, moving].reshape(len(kept), -1)], axis=1)
    field = rbf.solve(places[kept], values, kernel, polynomial)
    matrix = np.ascontiguousarray(field.coefficients.T)
    return Blend(field, kept, turning, moving, rotations, positions, matrix)
