"""Changes: what is different between two messages, so that a page which has the old one need not be sent the new one whole."""

from __future__ import annotations

from typing import Any

from msgspec import Struct
from msgspec.structs import fields

from komadori.studio.messages.common import Edit

FEW = 0.4
"""A list of which more than this part is different is sent whole."""


def changes(old: Any, new: Any) -> list[Edit]:
    """What turns `old` into `new`; both are of one kind.

    >>> for edit in changes({"a": 1, "b": [1, 2, 3]}, {"a": 2, "b": [1, 2, 3, 4]}):
    ...     print(edit.path, edit.value, edit.cut)
    ['a'] 2 None
    ['b'] [4] (3, 0)
    """
    found: list[Edit] = []
    _compare(old, new, [], found)
    return found


def applied(whole: Any, edits: list[dict[str, Any]]) -> Any:
    """`whole`, plain JSON, with edits as they were sent: what the page makes of them."""
    for edit in edits:
        whole = _put(whole, edit["path"], edit)
    return whole


def _compare(old: Any, new: Any, path: list[str | int], found: list[Edit]) -> None:
    if old is new or (type(old) is type(new) and old == new):
        return
    if isinstance(new, Struct) and type(old) is type(new) and not new.__struct_config__.array_like:
        for item in fields(new):
            _compare(getattr(old, item.name), getattr(new, item.name), [*path, item.encode_name], found)
    elif isinstance(new, dict) and isinstance(old, dict):
        found += [Edit([*path, name], gone=True) for name in old if name not in new]
        for name, value in new.items():
            if name in old:
                _compare(old[name], value, [*path, name], found)
            else:
                found.append(Edit([*path, name], value))
    elif isinstance(new, list) and isinstance(old, list):
        _compare_lists(old, new, path, found)
    else:
        found.append(Edit(path, new))


def _compare_lists(old: list[Any], new: list[Any], path: list[str | int], found: list[Edit]) -> None:
    if len(old) == len(new):
        other = [n for n, (one, two) in enumerate(zip(old, new, strict=True)) if one is not two and one != two]
        if other and isinstance(new[other[0]], Struct | dict):
            for n in other:
                _compare(old[n], new[n], [*path, n], found)
        elif len(other) <= FEW * len(new):
            found.append(Edit(path, [new[n] for n in other], at=other))
        else:
            found.append(Edit(path, new))
        return
    short = min(len(old), len(new))
    head = next((n for n in range(short) if old[n] != new[n]), short)
    tail = next((n for n in range(short - head) if old[-1 - n] != new[-1 - n]), short - head)
    put = new[head : len(new) - tail]
    if len(put) <= FEW * len(new) or len(new) <= len(old):
        found.append(Edit(path, put, cut=(head, len(old) - head - tail)))
    else:
        found.append(Edit(path, new))


def _put(whole: Any, path: list[str | int], edit: dict[str, Any]) -> Any:
    if not path:
        return _changed(whole, edit)
    first, rest = path[0], path[1:]
    copy = whole.copy()
    if not rest and edit.get("gone"):
        del copy[first]
        return copy
    there = copy.get(first) if isinstance(copy, dict) else copy[first]
    copy[first] = _put(there, rest, edit)
    return copy


def _changed(there: Any, edit: dict[str, Any]) -> Any:
    value = edit.get("value")
    if (at := edit.get("at")) is not None:
        copy = list(there)
        for n, item in zip(at, value or [], strict=True):
            copy[n] = item
        return copy
    if (cut := edit.get("cut")) is not None:
        return [*there[: cut[0]], *(value or []), *there[cut[0] + cut[1] :]]
    return value
