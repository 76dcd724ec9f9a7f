"""What a glTF no longer needs when animations are taken out: accessors and buffer views whose numbers can be given again.

Numbers of objects may stand in extensions that nobody here knows, so nothing is ever moved to another number; what any
extension or extra might mean is left alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from komadori.formats.gltf.document import Gltf
from komadori.formats.gltf.fields import Fields


def freed(document: Gltf, animations: set[int]) -> tuple[list[int], list[int]]:
    """Accessors and buffer views that only `animations` of the file use, in rising order."""
    if not animations:
        return [], []
    accessors, views = document.listed("accessors"), document.listed("bufferViews")
    listed = document.listed("animations")
    unknown = set(_unknown(document.json))
    used = unknown | set(_of_bodies(document))
    used |= set(_of_animations((entry for n, entry in enumerate(listed) if n not in animations), len(accessors)))
    ours = set(_of_animations((listed[n] for n in animations), len(accessors)))
    loose = {n for n in ours - used if "extensions" not in accessors[n]}
    held = unknown | set(_indices(document.listed("images"), "bufferView", len(views)))
    released: set[int] = set()
    for number, accessor in enumerate(accessors):
        (released if number in loose else held).update(_views(accessor, len(views)))
    return sorted(loose), sorted(n for n in released - held if "extensions" not in views[n])


def _indices(owners: Iterable[Fields], key: str, count: int) -> Iterator[int]:
    for owner in owners:
        number = owner.index(key, count)
        if number is not None:
            yield number


def _views(accessor: Fields, count: int) -> Iterator[int]:
    sparse = accessor.one("sparse")
    return _indices((accessor, sparse.one("indices"), sparse.one("values")), "bufferView", count)


def _of_bodies(document: Gltf) -> Iterator[int]:
    """Accessors that meshes and skins name."""
    count = len(document.listed("accessors"))
    for mesh in document.listed("meshes"):
        for primitive in mesh.many("primitives"):
            for attributes in (primitive.one("attributes"), *primitive.many("targets")):
                for key in attributes.value:
                    yield from _indices([attributes], key, count)
            yield from _indices([primitive], "indices", count)
    yield from _indices(document.listed("skins"), "inverseBindMatrices", count)


def _of_animations(animations: Iterable[Fields], count: int) -> Iterator[int]:
    for animation in animations:
        for sampler in animation.many("samplers"):
            yield from _indices([sampler], "input", count)
            yield from _indices([sampler], "output", count)


def speaks_of(word: str, data: Any) -> bool:
    """Whether an extension or an extra has a field with `word` in its name, other than those that komadori writes."""
    waiting: list[tuple[Any, bool]] = [(data, False)]
    while waiting:
        value, inside = waiting.pop()
        if isinstance(value, dict):
            for key, below in value.items():
                if inside and word in str(key).casefold():
                    return True
                waiting.append((below, inside or key in ("extensions", "extras")))
        elif isinstance(value, list):
            waiting += [(below, inside) for below in value]
    return False


def _unknown(data: Any) -> Iterator[int]:
    """Every whole number inside an extension or an extra: it may be the number of an object."""
    waiting: list[tuple[Any, bool]] = [(data, False)]
    while waiting:
        value, inside = waiting.pop()
        if isinstance(value, dict):
            waiting += [(below, inside or key in ("extensions", "extras")) for key, below in value.items()]
        elif isinstance(value, list):
            waiting += [(below, inside) for below in value]
        elif inside and isinstance(value, int) and not isinstance(value, bool):
            yield value
