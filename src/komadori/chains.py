"""Chains: hair, skirts, ribbons, tails and ears of a body, by what the file says, by name, and by shape."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from komadori import kinematics, roles
from komadori.quat import Array
from komadori.skeleton import Skeleton

KINDS = ("hair", "skirt", "ribbon", "tail", "ear", "cloth", "other")
"""What a chain is."""

WORDS: Mapping[str, tuple[str, ...]] = {
    "hair": (
        *("hair", "bang", "bangs", "fringe", "ponytail", "twintail", "twintails", "pigtail", "pigtails", "braid"),
        *("ahoge", "kami", "maegami", "mane", "beard", "sideburn", "髪", "かみ", "アホ毛", "あほ毛", "ツインテ"),
        *("ポニテ", "ポニーテール", "おさげ", "もみあげ", "三つ編み", "たてがみ"),
    ),
    "ear": ("ear", "ears", "mimi", "耳", "みみ"),
    "tail": ("tail", "tails", "shippo", "sippo", "尻尾", "しっぽ", "シッポ", "尾"),
    "skirt": ("skirt", "hem", "petticoat", "スカート", "裾", "すそ"),
    "ribbon": (
        *("ribbon", "ribbons", "bow", "tie", "necktie", "scarf", "muffler", "string", "strap", "lace", "tassel"),
        *("リボン", "ネクタイ", "マフラー", "紐", "ひも", "帯", "タイ"),
    ),
    "cloth": (
        *("cloth", "cape", "cloak", "mantle", "coat", "dress", "sleeve", "sleeves", "hood", "veil", "sode", "robe"),
        *("マント", "コート", "袖", "フード", "布", "ケープ", "クローク", "ドレス"),
    ),
}
"""Words in joint names -> the kind of chain; the kind whose word is the longest wins ("ponytail" is no tail)."""

_FIXED = (
    *(
        "eye",
        "eyes",
        "eyelid",
        "lid",
        "brow",
        "jaw",
        "teeth",
        "tongue",
        "mouth",
        "lip",
        "lips",
        "cheek",
        "nose",
        "face",
    ),
    *("ik", "pole", "target", "ctrl", "control", "twist", "roll", "helper", "adj", "weapon", "prop", "camera", "root"),
    *("finger", "thumb", "hand", "foot", "toe", "toes", "heel", "knee", "elbow", "ball", "leg", "arm", "spine"),
    *("head", "neck", "shoulder", "hips", "pelvis", "目", "眉", "舌", "歯", "顎", "口", "捩", "捩り", "指", "足", "腕"),
)
"""Words of joints that never swing by themselves; only by shape would they be taken for a chain."""

_PLACES = ("head", "neck", "upper_chest", "chest", "spine", "shoulder", "arm", "hand", "hips", "leg", "foot", "tail")
"""Chains are listed by what they hang from, in this order."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@dataclass(frozen=True)
class Chain:
    """Bones that hang one from another and move by themselves: hair, ribbon, tail. `joints` go from root to tip."""

    name: str
    kind: str
    joints: tuple[int, ...]
    hangs_from: int
    """The joint that the first one hangs from (the head, for hair); -1 for none."""
    lengths: tuple[float, ...]
    """Metres of each bone, from a joint of the chain to the next; one fewer than `joints`."""
    why: str = ""
    """What identified it: a spring bone, a rigid body, a name."""


def find(skeleton: Skeleton, hints: Iterable[Chain] = ()) -> tuple[Chain, ...]:
    """The chains of a body, each joint in at most one, as a person would list them: from the head down, left to right.

    `hints` are what the file itself states; they come first. Then joints whose names say hair, skirt or tail, with everything
    below them; then, on a body with roles, longer rows of joints that hang from head or hips without a role.
    Where a row branches, the longest branch continues and the others begin their own chains.
    """
    found = roles.known(skeleton)
    world = kinematics.world_positions(skeleton, skeleton.rest[None], skeleton.offsets[None])[0]
    stated = _stated(skeleton, world, hints)
    taken = {joint for chain in stated for joint in chain.joints}
    # A tail has a role and is a chain nevertheless: the body ends at its parent.
    body = _body(skeleton, [int(skeleton.parents[j]) if role == "tail" else j for role, j in found.items()])
    # What a stated chain hangs from is its holder, whatever it is called.
    body |= _body(skeleton, [chain.joints[0] for chain in stated]) - taken
    named = [
        joint
        for joint, name in enumerate(skeleton.names)
        if joint not in body and kind_by_name([name]) != "other" and not skeleton.end_sites[joint]
    ]
    by_name = _grown(skeleton, world, named, taken | body, "its name")
    taken |= {joint for chain in by_name for joint in chain.joints}
    by_shape = _by_shape(skeleton, world, found, taken | body) if found else []
    return tuple(_in_order(skeleton, world, found, [*stated, *by_name, *by_shape]))


def kind_by_name(names: Iterable[str]) -> str:
    """What a chain is by the words in its joints' names; "other" if they do not tell.

    >>> kind_by_name(["J_Sec_Hair2_01"]), kind_by_name(["ponytail.L"]), kind_by_name(["左スカート後"]), kind_by_name(["ForeArm"])
    ('hair', 'hair', 'skirt', 'other')
    """
    best, size = "other", 0
    for name in names:
        plain, words = _plain(name), _words(name)
        for kind, known in WORDS.items():
            for word in known:
                # Japanese has no spaces between words; a single sign may be part of any other word.
                here = word in words if word.isascii() else word in plain and (len(word) > 1 or _ends(plain, word))
                if here and len(word) > size:
                    best, size = kind, len(word)
        if size:
            break
    return best


def lengths_of(world: Array, joints: Iterable[int]) -> tuple[float, ...]:
    """Metres from each of `joints` to the next, in the pose `world` (J, 3)."""
    return tuple(float(np.linalg.norm(world[b] - world[a])) for a, b in pairwise(joints))


def _plain(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _words(name: str) -> set[str]:
    """The English words of a name: "J_Sec_Hair2_01" has j, sec and hair; "HairTail" has hair, tail and hairtail."""
    pieces = re.split(r"[^A-Za-z]+", unicodedata.normalize("NFKC", name))
    return {word.casefold() for piece in pieces for word in (piece, *_WORD.findall(piece)) if word}


def _ends(plain: str, word: str) -> bool:
    """Whether a single sign stands at the beginning or the end of a name, numbers and sides aside."""
    bare = re.sub(r"[\W\d_a-z]+|[左右前後上下中先親]", "", plain)
    return bare.startswith(word) or bare.endswith(word)


def _body(skeleton: Skeleton, carried: Iterable[int]) -> set[int]:
    """The joints of `carried` and all above them."""
    result: set[int] = set()
    for joint in carried:
        while joint >= 0 and joint not in result:
            result.add(joint)
            joint = int(skeleton.parents[joint])
    return result


def _stated(skeleton: Skeleton, world: Array, hints: Iterable[Chain]) -> list[Chain]:
    """The file's own chains; a joint that two of them name stays with the first."""
    result: list[Chain] = []
    taken: set[int] = set()
    for hint in hints:
        joints = tuple(dict.fromkeys(joint for joint in hint.joints if joint not in taken))
        if not joints:
            continue
        taken.update(joints)
        kind = hint.kind
        if kind == "other":
            kind = kind_by_name([hint.name, *(skeleton.names[joint] for joint in joints)])
        above = hint.hangs_from if joints == hint.joints else int(skeleton.parents[joints[0]])
        result.append(replace(hint, kind=kind, joints=joints, hangs_from=above, lengths=lengths_of(world, joints)))
    return result


def _grown(skeleton: Skeleton, world: Array, seeds: list[int], barred: set[int], why: str) -> list[Chain]:
    """Chains from `seeds` and everything below them, without the joints of `barred`."""
    free = skeleton.below(seeds)
    free[list(barred)] = False
    reach = _reach(skeleton, world, free)
    starts = [j for j in np.flatnonzero(free).tolist() if skeleton.parents[j] < 0 or not free[skeleton.parents[j]]]
    result = []
    while starts:
        joint = starts.pop(0)
        kids = [kid for kid in skeleton.children[joint] if free[kid]]
        if len([kid for kid in kids if not skeleton.end_sites[kid]]) > 1:
            # Strands that part at once hang from a holder, which swings with none of them.
            starts += kids
            continue
        row = [joint]
        while kids:
            kids.sort(key=lambda kid: -reach[kid])
            row.append(kids[0])
            starts += kids[1:]
            kids = [kid for kid in skeleton.children[row[-1]] if free[kid]]
        lengths = lengths_of(world, row)
        if sum(lengths) > 1e-6:
            names = [skeleton.names[j] for j in row]
            result.append(Chain(names[0], kind_by_name(names), tuple(row), int(skeleton.parents[row[0]]), lengths, why))
    return result


def _reach(skeleton: Skeleton, world: Array, free: NDArray[np.bool_]) -> Array:
    """(J,) metres from the parent of each joint to the farthest tip of free joints below it."""
    reach = np.zeros(len(skeleton))
    for joint in range(len(skeleton) - 1, -1, -1):
        above = int(skeleton.parents[joint])
        if above < 0 or not free[joint]:
            continue
        below = max((reach[kid] for kid in skeleton.children[joint] if free[kid]), default=0.0)
        reach[joint] = below + float(np.linalg.norm(world[joint] - world[above]))
    return reach


def _by_shape(skeleton: Skeleton, world: Array, found: Mapping[str, int], barred: set[int]) -> list[Chain]:
    """Rows of two bones or more that hang from head or hips and have neither a role nor a name that says otherwise."""
    result = []
    for role in ("head", "hips"):
        if role not in found:
            continue
        seeds = [
            kid
            for kid in skeleton.children[found[role]]
            if kid not in barred and not skeleton.end_sites[kid] and not _is_fixed(skeleton.names[kid])
        ]
        rows = [c for c in _grown(skeleton, world, seeds, barred, "its shape") if len(c.lengths) > 1]
        many = sum(chain.hangs_from == found[role] for chain in rows) > 2
        four = roles.body_plan(skeleton) == "quadruped"
        for chain in rows:
            kind = chain.kind
            if kind == "other" and role == "hips":
                kind = "skirt" if many else "tail"
            elif kind == "other":
                up = world[chain.joints[-1], 1] > world[chain.joints[0], 1]
                kind = "ear" if up and (four or not many) else "hair"
            result.append(replace(chain, kind=kind))
    return result


def _is_fixed(name: str) -> bool:
    plain, words = _plain(name), _words(name)
    return any(word in words if word.isascii() else word in plain for word in _FIXED)


def _in_order(skeleton: Skeleton, world: Array, found: Mapping[str, int], given: list[Chain]) -> list[Chain]:
    """Chains by what they hang from and by kind; then those of one name together, the foremost first, left to right."""
    role_of = {joint: role for role, joint in found.items()}
    left = np.array([1.0, 0.0, 0.0])
    for role in ("upper_leg", "upper_arm", "shoulder"):
        if f"left_{role}" in found and f"right_{role}" in found:
            left = world[found[f"left_{role}"]] - world[found[f"right_{role}"]]
            left = left / max(float(np.linalg.norm(left)), 1e-9)
            break
    front = np.array([-left[2], 0.0, left[0]])

    def place(chain: Chain) -> int:
        joint = chain.hangs_from
        while joint >= 0 and joint not in role_of:
            joint = int(skeleton.parents[joint])
        bare = role_of.get(joint, "").removeprefix("left_").removeprefix("right_")
        return next((i for i, word in enumerate(_PLACES) if bare == word or word in bare.split("_")), len(_PLACES))

    def group(chain: Chain) -> tuple[int, int, str]:
        return place(chain), KINDS.index(chain.kind) if chain.kind in KINDS else len(KINDS), _stem(chain.name)

    # Where a chain hangs is seen from its middle: strands often begin at one point.
    middles = [world[list(chain.joints)].mean(axis=0) for chain in given]
    groups: dict[tuple[int, int, str], list[float]] = {}
    for chain, middle in zip(given, middles, strict=True):
        groups.setdefault(group(chain), []).append(float(middle @ front))
    ahead = {key: round(-sum(values) / len(values), 3) for key, values in groups.items()}

    def key(item: tuple[Chain, Array]) -> tuple[int, int, float, str, float, int]:
        chain, middle = item
        here, kind, stem = group(chain)
        return here, kind, ahead[here, kind, stem], stem, -round(float(middle @ left), 3), chain.joints[0]

    return [chain for chain, _ in sorted(zip(given, middles, strict=True), key=key)]


def _stem(name: str) -> str:
    """A name without numbers, single letters and sides: "FrontHair_Center_L" and "FrontHair_R" share theirs."""
    return re.sub(r"[\W\d_左右]+|(?<![a-z])(?:[a-z]|left|right|center|centre|middle)(?![a-z])", "", _plain(name))
