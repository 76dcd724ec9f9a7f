"""The standard bones of MikuMikuDance: their names, which role each plays, and a body of usual proportions made of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np

from komadori.formats.mmd.model import (
    APPEND_ROTATION,
    ENABLED,
    HAS_IK,
    MOVABLE,
    ROTATABLE,
    VISIBLE,
    Append,
    Bone,
    Ik,
    IkLink,
    Model,
    Vertices,
)
from komadori.roles import FINGERS, THUMB

CENTRE, LOWER, UPPER, UPPER2 = "センター", "下半身", "上半身", "上半身2"
SIDES = (("left", "左"), ("right", "右"))

_SIDED = {
    "shoulder": "肩",
    "upper_arm": "腕",
    "lower_arm": "ひじ",
    "hand": "手首",
    "upper_leg": "足",
    "lower_leg": "ひざ",
    "foot": "足首",
    "toes": "足先EX",
    "eye": "目",
    **{role: f"親指{digit}" for role, digit in zip(THUMB, "０１２", strict=True)},
    **{
        role: f"{word}{digit}"
        for (word, digit), role in zip(
            ((word, digit) for word in ("人指", "中指", "薬指", "小指") for digit in "１２３"), FINGERS, strict=True
        )
    },
}
ROLE_BONES: dict[str, str] = {
    "hips": LOWER,
    "spine": UPPER,
    "upper_chest": UPPER2,
    "neck": "首",
    "head": "頭",
    **{f"{side}_{role}": word + name for side, word in SIDES for role, name in _SIDED.items()},
}
"""Role -> the bone that plays it. The hips' turn goes to the lower body alone: the centre moves, and does not turn."""

HEIGHT_M = 1.58
"""Of the standard body: 19.7 units."""

LEG_IKS = tuple(word + name for name in ("足ＩＫ", "つま先ＩＫ") for _, word in SIDES)

_TELLING = {
    CENTRE,
    UPPER,
    LOWER,
    "首",
    "頭",
    *(w + n for _, w in SIDES for n in ("腕", "ひじ", "手首", "足", "ひざ", "足首")),
}

APPENDS: dict[str, tuple[str, float]] = {
    word + name: (f"{word}{source}" if sided else source, ratio)
    for _, word in SIDES
    for name, source, ratio, sided in (
        ("足D", "足", 1.0, True),
        ("ひざD", "ひざ", 1.0, True),
        ("足首D", "足首", 1.0, True),
        ("目", "両目", 1.0, False),
        ("肩C", "肩P", -1.0, True),
        ("腕捩1", "腕捩", 0.25, True),
        ("腕捩2", "腕捩", 0.5, True),
        ("腕捩3", "腕捩", 0.75, True),
        ("手捩1", "手捩", 0.25, True),
        ("手捩2", "手捩", 0.5, True),
        ("手捩3", "手捩", 0.75, True),
    )
} | {f"腰キャンセル{word}": ("腰", -1.0) for _, word in SIDES}
"""Semi-standard bones that follow another: bone -> (source, share of its turn)."""

_PLAIN = ROTATABLE | VISIBLE | ENABLED
_KNEE = ((-np.pi, 0.0, 0.0), (np.radians(-0.5), 0.0, 0.0))


def is_leg_ik(name: str) -> bool:
    """Whether a bone of this name is the IK of a leg or its toes, in whichever width it is written."""
    return bool(re.fullmatch("[左右](足|つま先)IK", unicodedata.normalize("NFKC", name)))


def is_standard(names: tuple[str, ...]) -> bool:
    """Whether bones of these names are a MikuMikuDance model's."""
    return len(_TELLING.intersection(names)) >= 0.75 * len(_TELLING)


def bone(
    name: str, place: tuple[float, float, float], parent: int, sources: dict[str, int], *, move: bool = False
) -> Bone:
    """A bone with the append that its name asks for, if its source is among `sources`."""
    flags = _PLAIN | (MOVABLE if move else 0)
    append = None
    if name in APPENDS and APPENDS[name][0] in sources:
        source, ratio = APPENDS[name]
        append, flags = Append(sources[source], ratio, True, False), flags | APPEND_ROTATION
    return Bone(name, "", place, parent, flags=flags, append=append)


@cache
def model() -> Model:
    """A body of 19.7 units (1.58 m) with the standard bones and the semi-standard ones that motions use; no skin."""
    numbers: dict[str, int] = {}
    bones: list[Bone] = []

    def add(name: str, parent: str, x: float, y: float, z: float, *, move: bool = False) -> None:
        made = bone(name, (x, y, z), numbers.get(parent, -1), numbers, move=move)
        numbers[name] = len(bones)
        bones.append(made)

    add("全ての親", "", 0.0, 0.0, 0.0, move=True)
    add(CENTRE, "全ての親", 0.0, 8.0, 0.0, move=True)
    add("グルーブ", CENTRE, 0.0, 8.2, 0.0, move=True)
    add("腰", "グルーブ", 0.0, 11.6, 0.0)
    add(UPPER, "腰", 0.0, 11.9, 0.0)
    add(LOWER, "腰", 0.0, 11.9, 0.0)
    add(UPPER2, UPPER, 0.0, 13.3, 0.0)
    add("首", UPPER2, 0.0, 15.9, 0.1)
    add("頭", "首", 0.0, 16.9, 0.0)
    add("両目", "頭", 0.0, 19.7, -0.3)
    for side, (_, word) in zip((1.0, -1.0), SIDES, strict=True):
        add(f"{word}目", "頭", side * 0.35, 17.9, -0.5)
        add(f"{word}肩P", UPPER2, side * 0.3, 15.6, 0.1)
        add(f"{word}肩", f"{word}肩P", side * 0.3, 15.6, 0.1)
        add(f"{word}肩C", f"{word}肩", side * 1.3, 15.3, 0.1)
        add(f"{word}腕", f"{word}肩C", side * 1.3, 15.3, 0.1)
        add(f"{word}腕捩", f"{word}腕", side * 2.4, 14.5, 0.1)
        add(f"{word}ひじ", f"{word}腕捩", side * 3.5, 13.7, 0.1)
        add(f"{word}手捩", f"{word}ひじ", side * 4.6, 12.9, 0.05)
        add(f"{word}手首", f"{word}手捩", side * 5.7, 12.1, 0.0)
        _fingers(add, word, side)
        add(f"腰キャンセル{word}", LOWER, side * 0.85, 10.7, 0.0)
        add(f"{word}足", f"腰キャンセル{word}", side * 0.85, 10.7, 0.0)
        add(f"{word}ひざ", f"{word}足", side * 0.85, 6.0, -0.15)
        add(f"{word}足首", f"{word}ひざ", side * 0.85, 1.25, 0.3)
        add(f"{word}つま先", f"{word}足首", side * 0.85, 0.0, -1.1)
        add(f"{word}足先EX", f"{word}足首", side * 0.85, 0.35, -0.75)
        add(f"{word}足IK親", "全ての親", side * 0.85, 0.0, 0.3, move=True)
        add(f"{word}足ＩＫ", f"{word}足IK親", side * 0.85, 1.25, 0.3, move=True)
        add(f"{word}つま先ＩＫ", f"{word}足ＩＫ", side * 0.85, 0.0, -1.1, move=True)
    return skinless("standard", [with_leg_ik(one, numbers) for one in bones])


def skinless(name: str, bones: list[Bone]) -> Model:
    """A model of bones alone."""
    flat = np.zeros((0, 3), dtype=np.float32)
    vertices = Vertices(
        flat, flat, np.zeros((0, 2), np.float32), np.zeros((0, 0, 4), np.float32), np.zeros(0, np.uint8),
        np.zeros((0, 4), np.int64), np.zeros((0, 4)), np.zeros(0, np.float32),
    )  # fmt: skip
    return Model(name, 2.0, name, name, "", "", vertices, np.zeros((0, 3), np.int64), (), (), tuple(bones))


def with_leg_ik(bone: Bone, numbers: dict[str, int]) -> Bone:
    """`bone` with the IK that its name asks for, if the leg's bones are among `numbers`."""
    word, name = bone.name[:1], bone.name[1:]
    knee, leg, ankle, tip = (numbers.get(f"{word}{part}") for part in ("ひざ", "足", "足首", "つま先"))
    if knee is None or leg is None or ankle is None:
        return bone
    ik = None
    if name == "足ＩＫ":
        ik = Ik(ankle, 40, 2.0, (IkLink(knee, *_KNEE), IkLink(leg)))
    elif name == "つま先ＩＫ" and tip is not None:
        ik = Ik(tip, 3, 4.0, (IkLink(ankle),))
    # One layer later: legs are computed before what reaches with them.
    return bone if ik is None else replace(bone, layer=1, flags=bone.flags | HAS_IK, ik=ik)


def _fingers(add: Callable[[str, str, float, float, float], None], word: str, side: float) -> None:
    along = np.array([2.2, -1.6, 0.0]) / np.hypot(2.2, 1.6)
    wrist = np.array([5.7, 12.1, 0.0])
    starts = {
        "親指": (0.25, -0.25),
        "人指": (1.0, -0.25),
        "中指": (1.05, -0.05),
        "薬指": (1.0, 0.15),
        "小指": (0.92, 0.33),
    }
    for finger, (forward, z) in starts.items():
        digits = "０１２" if finger == "親指" else "１２３"
        way = np.array([0.62, -0.5, -0.6]) if finger == "親指" else along
        place, parent = wrist + forward * along + (0.0, 0.0, z), f"{word}手首"
        for digit, length in zip(digits, (0.36, 0.27, 0.22), strict=True):
            add(f"{word}{finger}{digit}", parent, side * place[0], place[1], place[2])
            place, parent = place + length * way, f"{word}{finger}{digit}"
