"""The numbers of drawings that a sheet calls by name: "7" and "A0007.png" are 7; names without a plain number are counted."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

from komadori.errors import one_line
from komadori.words import Note

LARGEST = 2**31 - 1
_NAME = re.compile(r"(.*?)([0-9]{1,10})", re.ASCII | re.DOTALL)
_PICTURE = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}$", re.ASCII)
_DIGIT = re.compile("[0-9]", re.ASCII)


def numbers(names: Iterable[str], track: str, first: int = 1) -> tuple[dict[str, int], Note | None]:
    """The number of each of a track's drawing `names`, given in order of appearance; and a note on it, if there is something to say.

    `first` is 0 if the file is known to count from 0.

    A number is what a name ends in, before the suffix of a picture. If any name of the track has none (1a, BG) or two have the
    same, all are counted 1, 2, 3 in order of appearance; drawings that are counted from 0 are counted from 1.

    >>> numbers(["A0007.png", "A0003.png"], "A")
    ({'A0007.png': 7, 'A0003.png': 3}, None)
    >>> numbers(["1", "1a", "2"], "A")[0]
    {'1': 1, '1a': 2, '2': 3}
    """
    names = list(dict.fromkeys(names))
    found = _plain(names)
    if found is None and len(names) == 1:
        return {names[0]: 1}, None
    if found is None:
        template = "Not every drawing of track {track} is named by a plain number ({names}). Where a number is needed, they are counted 1, 2, 3 in order of appearance."
        odd = one_line(", ".join([name for name in names if _plain([name]) is None] or names), 80)
        return dict(zip(names, range(1, len(names) + 1), strict=True)), Note(template, track=track, names=odd)
    if first and 0 not in found.values():
        return found, None
    note = Note(
        "The drawings of track {track} count from 0 in the file; as frames of a motion they count from 1.", track=track
    )
    return {name: number + 1 for name, number in found.items()}, note if first else None


def called(known: Mapping[str, int], *, pictures: bool = False) -> dict[int, str]:
    """The names of a track's drawings by number, if any is called by more than its number; `known` is what `numbers` found.

    Files of `pictures` say no more than the number that they end in, if they end in one.

    >>> called({"1": 1, "1a": 2}), called({"1": 1, "02": 2})
    ({1: '1', 2: '1a'}, {1: '1', 2: '02'})
    >>> called({"1": 1, "2": 2}), called({"A_0001.png": 1}, pictures=True), called({"BG.png": 1}, pictures=True)
    ({}, {}, {1: 'BG'})
    """
    if all(name == str(number) for name, number in known.items()) or (pictures and _plain(list(known)) is not None):
        return {}
    return {number: _PICTURE.sub("", name) if pictures else name for name, number in known.items()}


def counts_from_zero(names: Iterable[str]) -> bool:
    """Whether any of a track's drawings is number 0."""
    found = _plain(list(dict.fromkeys(names)))
    return found is not None and 0 in found.values()


def _plain(names: list[str]) -> dict[str, int] | None:
    """The number that each name ends in, or None if they do not tell the drawings apart."""
    found, heads = {}, set()
    for name in names:
        match = _NAME.fullmatch(_PICTURE.sub("", unicodedata.normalize("NFKC", name).strip()))
        if match is None or int(match[2]) >= LARGEST:
            return None
        heads.add(match[1])
        found[name] = int(match[2])
    # Digits before the number (the 12 of c12_0007) are not part of it if all names share them.
    told_apart = len(set(found.values())) == len(found)
    return found if told_apart and (len(heads) == 1 or not any(_DIGIT.search(head) for head in heads)) else None
