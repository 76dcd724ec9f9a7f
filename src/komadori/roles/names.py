"""Roles by name: which convention a skeleton's joint names follow, and what it says of each joint."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from functools import cache

from komadori.roles.tables import ARM, CONVENTIONS, FINGERS, LEG, MAIN, MIDDLE, SIDED, SIDES, THUMB, Convention
from komadori.skeleton import Skeleton

_RIG_PREFIX = re.compile(r"^(?:j_(?:bip|adj)_(?:c_)?|bip\d+[ _]+|b_+|def[-_.])", re.IGNORECASE)
_NODE_NUMBER = re.compile(r"_0\d*$")
_SEPARATORS = re.compile(r"[\s_.\-()]+")
_LEADING_ZEROS = re.compile(r"(?<!\d)0+(?=\d)")
_SIDE_WORDS = {"left", "right", "l", "r"}

_LIMBS = (MIDDLE[:6], *(tuple(f"{side}_{role}" for role in chain) for side in SIDES for chain in (ARM, LEG)))
_BRANCHES = (
    ("head", "jaw"),
    ("hips", "tail"),
    *(
        (f"{side}_hand", *(f"{side}_{role}" for role in finger))
        for side in SIDES
        for finger in (THUMB, *(FINGERS[i : i + 3] for i in range(0, 12, 3)))
    ),
    *(("head", f"{side}_eye") for side in SIDES),
)
"""Roles that hang from each other: a joint plays one only if it hangs below the joint that plays the one before.

A branch begins with a role of trunk or limb, and is not read if that is missing.
"""

_NEEDED = {f"{side}_{role}" for side in SIDES for role in ("upper_arm", "lower_arm", "upper_leg", "lower_leg")}
"""A limb that lacks one of these is not read further: the rest would be a guess."""


def by_name(skeleton: Skeleton) -> tuple[dict[str, int], Convention | None]:
    """The roles that the best fitting convention finds, and that convention; ({}, None) if no name is known."""
    # Looked up once for a skeleton: every step of a recipe asks on how many legs the body goes.
    kept: list[tuple[dict[str, int], Convention | None]] = vars(skeleton).setdefault("_by_name", [])
    if not kept:
        kept.append(_by_name(skeleton))
    found, convention = kept[0]
    return dict(found), convention


def _by_name(skeleton: Skeleton) -> tuple[dict[str, int], Convention | None]:
    joints: dict[str, list[int]] = {}
    for joint, name in enumerate(plain_names(skeleton.names)):
        joints.setdefault(name, []).append(joint)
    is_below = _below(skeleton)
    best: tuple[dict[str, int], Convention | None] = ({}, None)
    best_score = 0
    for convention in CONVENTIONS:
        found = _matched(convention, joints, is_below)
        score = sum(4 if role in MAIN else 1 for role in found)
        if score > best_score:
            best, best_score = (found, convention), score
    return best


def plain_names(names: tuple[str, ...]) -> list[str]:
    """Names as they are compared: without namespace, the rig's own prefixes and suffixes, case and separators.

    >>> plain_names(("mixamorig:LeftArm", "J_Bip_L_UpperArm", "Bip01 L Finger01", "左親指１"))
    ['leftarm', 'lupperarm', 'lfinger1', '左親指1']
    """
    bare = [re.split(r"[:|/]", unicodedata.normalize("NFKC", name))[-1] for name in names]
    if sum(bool(_NODE_NUMBER.search(name)) for name in bare) > 0.8 * len(bare):
        bare = [_NODE_NUMBER.sub("", name) for name in bare]
    bare = _without_shared_word([_RIG_PREFIX.sub("", name) for name in bare])
    return [_plain(name) for name in bare]


def _plain(name: str) -> str:
    return _LEADING_ZEROS.sub("", _SEPARATORS.sub("", unicodedata.normalize("NFKC", name).casefold()))


def _without_shared_word(names: list[str]) -> list[str]:
    """Names without a first or last word that more than half of them share (the rig's or the armature's name)."""
    for word_of, cut in ((r"^([^\s_.\-]+)[\s_.\-]", r"^{}[\s_.\-]+"), (r"[\s_.\-]([^\s_.\-]+)$", r"[\s_.\-]+{}$")):
        words = Counter(match[1].casefold() for name in names if (match := re.search(word_of, name)))
        if not words:
            continue
        word, count = words.most_common(1)[0]
        if count > 0.5 * len(names) and word not in _SIDE_WORDS and not word.isdigit():
            pattern = re.compile(cut.format(re.escape(word)), re.IGNORECASE)
            names = [pattern.sub("", name) or name for name in names]
    return names


@cache
def _spellings(convention: Convention) -> dict[str, tuple[str, ...]]:
    """Role with its side -> the plain names that may play it, the preferred one first."""
    result = {role: tuple(map(_plain, convention.names.get(role, ()))) for role in MIDDLE}
    for role in SIDED:
        for side, words in zip(SIDES, convention.sides, strict=True):
            spelled: list[str] = []
            for name in convention.names.get(role, ()):
                for word in words:
                    both = (name.format(word),) if "{}" in name else (f"{word}_{name}", f"{name}_{word}")
                    spelled += [_plain(one) for one in both]
            result[f"{side}_{role}"] = tuple(spelled)
    return result


def _matched(
    convention: Convention, joints: dict[str, list[int]], is_below: Callable[[int, int], bool]
) -> dict[str, int]:
    """Roles by `convention`, each below the one that it must hang from; no joint plays two."""
    spellings = _spellings(convention)
    found: dict[str, int] = {}
    taken: set[int] = set()
    for chain in (*_LIMBS, *_BRANCHES):
        above: int | None = None
        if chain in _BRANCHES and chain[0] not in found:
            continue
        for role in chain:
            if role not in found:
                joint = _below_one(spellings[role], joints, taken, is_below, above)
                if joint is None and role in ("neck", "head") and "hips" in found:
                    # The neck may hang beside the joint that carries the arms.
                    joint = _below_one(spellings[role], joints, taken, is_below, found["hips"])
                if joint is None and role in _NEEDED:
                    break
                if joint is None:
                    continue
                found[role] = joint
                taken.add(joint)
            above = found[role]
    return found


def _below_one(
    names: tuple[str, ...],
    joints: dict[str, list[int]],
    taken: set[int],
    is_below: Callable[[int, int], bool],
    above: int | None,
) -> int | None:
    """The first free joint with one of `names` that hangs below `above`, or anywhere if that is None."""
    fitting = (
        joint
        for name in names
        for joint in joints.get(name, ())
        if joint not in taken and (above is None or is_below(joint, above))
    )
    return next(fitting, None)


def _below(skeleton: Skeleton) -> Callable[[int, int], bool]:
    """A test whether the first joint hangs below the second, from the order in which a walk enters and leaves them."""
    size = [1] * len(skeleton)
    parents = skeleton.parents.tolist()
    for joint in range(len(skeleton) - 1, -1, -1):
        if parents[joint] >= 0:
            size[parents[joint]] += size[joint]
    entered = [0] * len(skeleton)
    free = [0] * len(skeleton)
    start = 0
    for joint, parent in enumerate(parents):
        if parent < 0:
            entered[joint], start = start, start + size[joint]
        else:
            entered[joint] = free[parent]
            free[parent] += size[joint]
        free[joint] = entered[joint] + 1
    return lambda joint, above: entered[above] < entered[joint] < entered[above] + size[above]
