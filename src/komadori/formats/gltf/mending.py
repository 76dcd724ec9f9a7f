"""Repairs for invalid glTF files: faults with one obvious remedy that changes nothing visible."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from komadori import quat
from komadori.errors import FormatError
from komadori.formats.gltf.builder import Builder
from komadori.formats.gltf.document import Gltf

UNIT = 5e-4
"""A rotation this far from unit length is an error; the limit is that of glTF's validator."""


def mend(builder: Builder, document: Gltf) -> None:
    """Repairs the objects that `builder` carries over from `document`."""
    _skeletons(builder, document)
    _rotations(builder, document)
    _bounds(builder, document)


def _skeletons(builder: Builder, document: Gltf) -> None:
    """A skin's skeleton must stand above all its joints: else the nearest node that does, or none, because it is only a hint."""
    for number, skin in enumerate(document.listed("skins")):
        stated = skin.index("skeleton", len(document.nodes))
        joints = skin.references("joints", len(document.nodes))
        if stated is None or not joints:
            continue
        shared = set(_upwards(document, joints[0]))
        for joint in joints[1:]:
            shared &= set(_upwards(document, joint))
        if stated in shared:
            continue
        above = next((node for node in _upwards(document, joints[0]) if node in shared), None)
        kept = {key: value for key, value in skin.value.items() if key != "skeleton"}
        builder.objects("skins")[number] = kept if above is None else {**kept, "skeleton": above}


def _upwards(document: Gltf, node: int) -> Iterator[int]:
    while node != -1:
        yield node
        node = document.nodes[node].parent


def _rotations(builder: Builder, document: Gltf) -> None:
    """Rotations have unit length; they are read as if they had."""
    for number, entry in enumerate(document.listed("nodes")):
        turned = np.array(entry.numbers("rotation", 4, (0.0, 0.0, 0.0, 1.0)))
        if abs(float(np.linalg.norm(turned)) - 1.0) > UNIT:
            carried = builder.objects("nodes")[number]
            if "rotation" in carried:
                builder.objects("nodes")[number] = {**carried, "rotation": quat.normalized(turned).tolist()}


def _bounds(builder: Builder, document: Gltf) -> None:
    """Places and key times state their least and largest values, which are those that are there."""
    listed = document.listed("accessors")
    for number in sorted(_bounded(document)):
        accessor, carried = listed[number], builder.objects("accessors")[number]
        if carried is not accessor.value or accessor.whole("componentType") != 5126 or "bufferView" not in accessor:
            continue
        try:
            values = document.accessor(number)
        except FormatError:
            # It was not asked for, so it stays as it was.
            continue
        flat = values.reshape(len(values), -1).astype(np.float32)
        real: dict[str, Any] = {"min": flat.min(axis=0), "max": flat.max(axis=0)}
        if not all(_same(accessor.value.get(key), bound) for key, bound in real.items()):
            bounds = {key: bound.tolist() for key, bound in real.items()}
            builder.objects("accessors")[number] = {**carried, **bounds}


def _bounded(document: Gltf) -> set[int]:
    """The accessors that must state their bounds."""
    count, found = len(document.listed("accessors")), set()
    for mesh in document.listed("meshes"):
        for primitive in mesh.many("primitives"):
            for attributes in (primitive.one("attributes"), *primitive.many("targets")):
                found.add(attributes.index("POSITION", count))
    for animation in document.listed("animations"):
        found |= {sampler.index("input", count) for sampler in animation.many("samplers")}
    return {number for number in found if number is not None}


def _same(stated: Any, real: Any) -> bool:
    if not isinstance(stated, list) or len(stated) != len(real):
        return False
    # A number of 400 digits does not fit into 32 bits, and cannot even be converted.
    given = [value if isinstance(value, int | float) and abs(value) < 3.5e38 else np.nan for value in stated]
    return bool((np.array(given, dtype=np.float64).astype(np.float32) == real).all())
