"""Roles by words: what each joint's name says in any of several languages, put in order along each limb."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from komadori.roles.lexicon import FINGER_WORDS, GENERIC, systems, tokens, words_in
from komadori.roles.tables import ARM, FINGERS, LEG, SIDES, THUMB
from komadori.skeleton import Skeleton

_MAIN_ROLE, _OTHER_ROLE = 10.0, 3.0
"""The score for finding a role that a limb needs, and for one that may be missing."""
_STRANGE = 0.4
"""The cost of an unknown word in a joint's name."""

_ARM_WORDS: dict[str, dict[str, float]] = {
    # What a word may mean, and what it costs: LeftShoulder is a collar bone before LeftArm, else an upper arm.
    "collar": {"shoulder": 0.0},
    "shoulder": {"shoulder": 0.0, "upper_arm": 1.0},
    # A plain arm gives way to one that is called the upper: FrontLeg, FrontUpLeg, FrontLowLeg.
    "arm": {"upper_arm": 0.1, "lower_arm": 3.0, "hand": 4.0},
    "upper_arm": {"upper_arm": 0.0},
    "lower_arm": {"lower_arm": 0.0},
    "hand": {"hand": 0.0},
}
_LEG_WORDS: dict[str, dict[str, float]] = {
    "hips": {"upper_leg": 1.0},
    "leg": {"upper_leg": 1.0, "lower_leg": 1.0, "foot": 4.0},
    "upper_leg": {"upper_leg": 0.0},
    "lower_leg": {"lower_leg": 0.0},
    "ankle": {"foot": 0.0},
    "foot": {"foot": 0.1, "toes": 0.5},
    "toes": {"toes": 0.0},
}
_FORE_LEG = {
    "collar": "collar",
    "shoulder": "shoulder",
    "leg": "arm",
    "upper_leg": "upper_arm",
    "lower_leg": "lower_arm",
    "ankle": "hand",
    "foot": "hand",
    "toes": "hand",
    "hand": "hand",
    "arm": "arm",
    "upper_arm": "upper_arm",
    "lower_arm": "lower_arm",
}
"""What parts of an animal's leg are when its name says that it is a fore leg."""


@dataclass(frozen=True)
class _Named:
    """What a joint's name says: a part of the body, its side ("" for none), and how many words were not understood."""

    part: str
    side: str
    strange: int


def by_words(skeleton: Skeleton) -> dict[str, int]:
    """Roles by the words in the joints' names, each limb in the order in which it hangs; {} where too little is known."""
    pieces = [tokens(name) for name in skeleton.names]
    pieces = _without_shared(pieces)
    system = max(range(len(systems())), key=lambda n: _sides_told(pieces, n))
    said = [_said(piece, system) for piece in pieces]
    tree = _Tree(skeleton)
    roles: dict[str, int] = {}
    for side in SIDES:
        for kinds, table in ((ARM, _ARM_WORDS), (LEG, _LEG_WORDS)):
            limb = _filled(tree, _limb(tree, said, side, kinds, table), kinds)
            # A limb without one of its bones is not read: the rest would be a guess.
            limb = limb if {role for role in kinds if role.startswith(("upper", "lower"))} <= limb.keys() else {}
            roles |= {f"{side}_{role}": joint for role, joint in limb.items()}
        if f"{side}_hand" in roles:
            roles |= _fingers(tree, said, side, roles[f"{side}_hand"])
    roles |= _middle(tree, said, roles)
    for side in SIDES:
        eyes = [j for j, s in enumerate(said) if s is not None and (s.part, s.side) == ("eye", side)]
        if eyes and "head" in roles and tree.hangs(eyes[0], roles["head"]):
            roles[f"{side}_eye"] = eyes[0]
    return roles if "hips" in roles and len(set(roles.values())) == len(roles) else {}


def foreign(name: str) -> bool:
    """Whether a name means something attached to a body that is not part of it: hair, a twist bone, a control."""
    return any(kind == "bad" for token in tokens(name) for kind, _ in words_in(token, 0) or ())


def _without_shared(pieces: list[list[str]]) -> list[list[str]]:
    """The pieces of all names without those that more than half of the names begin or end with."""
    for place in (0, -1):
        first = Counter(piece[place] for piece in pieces if len(piece) > 1)
        for word, count in first.most_common(1):
            if count > 0.5 * len(pieces) and not any(word in system for system in systems()):
                cut = slice(1, None) if place == 0 else slice(None, -1)
                pieces = [piece[cut] if len(piece) > 1 and piece[place] == word else piece for piece in pieces]
    return pieces


def _sides_told(pieces: list[list[str]], system: int) -> tuple[int, int]:
    """How many names a language calls left or right, the lesser count of the two first."""
    sides = Counter(
        meaning
        for piece in pieces
        for token in piece
        for kind, meaning in words_in(token, system) or ()
        if kind == "side"
    )
    return min(sides["left"], sides["right"]), sides["left"] + sides["right"]


def _said(piece: list[str], system: int) -> _Named | None:
    """What a name says; None if it names no part, or something that is not part of the body proper."""
    words: list[tuple[str, str]] = []
    strange = 0
    for token in piece:
        known = words_in(token, system)
        strange += known is None
        words += known or ()
    # LUArm falls apart as LU, Arm: as one piece it is l, uarm.
    whole = words_in("".join(piece), system) if strange else None
    if whole is not None:
        words, strange = list(whole), 0
    if any(kind == "bad" for kind, _ in words):
        return None
    sides = {meaning for kind, meaning in words if kind == "side"}
    qualifiers = [meaning for kind, meaning in words if kind == "qualifier"]
    parts = [meaning for kind, meaning in words if kind == "part"]
    if not parts or len(sides) > 1:
        return None
    exact = [part for part in parts if part not in GENERIC] or parts
    part = exact[-1]
    side = sides.pop() if sides else ""
    if part in ("arm", "leg"):
        level = "upper" if "upper" in qualifiers else "lower" if "lower" in qualifiers else ""
        # A forearm is a lower arm; a foreleg is the leg in front.
        if part == "arm" and "front" in qualifiers and not level:
            level, qualifiers = "lower", []
        part = f"{level}_{part}" if level else part
    if "front" in qualifiers and side:
        part = _FORE_LEG.get(part, part)
    return _Named(part, side, strange)


class _Tree:
    """Who hangs from whom."""

    def __init__(self, skeleton: Skeleton) -> None:
        self.skeleton = skeleton
        self.parents = skeleton.parents.tolist()

    def above(self, joint: int) -> list[int]:
        """The joint and everything above it, the root first."""
        way = []
        while joint >= 0:
            way.append(joint)
            joint = self.parents[joint]
        return way[::-1]

    def hangs(self, joint: int, above: int) -> bool:
        """Whether `joint` hangs from `above`."""
        return joint != above and above in self.above(joint)

    def meeting(self, joints: list[int]) -> int:
        """The lowest joint that all hang from or are; -1 if there is none."""
        ways = [self.above(joint) for joint in joints]
        shared = [steps[0] for steps in zip(*ways, strict=False) if len(set(steps)) == 1]
        return shared[-1] if shared else -1


def _limb(
    tree: _Tree, said: list[_Named | None], side: str, kinds: tuple[str, ...], table: dict[str, dict[str, float]]
) -> dict[str, int]:
    """The roles of one limb: of all ways from the root to a joint that speaks of it, the one that tells most."""
    speaking = {j: s for j, s in enumerate(said) if s is not None and s.side == side and s.part in table}
    inner = {above for joint in speaking for above in tree.above(joint)[:-1]}
    best: dict[str, int] = {}
    best_worth = 0.0
    for leaf in speaking:
        if leaf in inner and any(leaf in tree.above(other)[:-1] for other in speaking):
            continue
        way = [joint for joint in tree.above(leaf) if joint in speaking]
        worth, found = _ordered([(joint, speaking[joint]) for joint in way], kinds, table)
        if worth > best_worth:
            best, best_worth = found, worth
    return best


def _filled(tree: _Tree, limb: dict[str, int], kinds: tuple[str, ...]) -> dict[str, int]:
    """The limb with a role between two known ones given to the joint between them that lies nearest the middle."""
    lengths = np.linalg.norm(tree.skeleton.offsets, axis=1)
    for before, role, after in zip(kinds, kinds[1:], kinds[2:], strict=False):
        if role not in limb and before in limb and after in limb:
            way = tree.above(limb[after])
            between = way[way.index(limb[before]) + 1 : -1]
            far = np.cumsum([lengths[joint] for joint in (*between, limb[after])])
            if between and np.isfinite(far).all():
                limb = {**limb, role: between[int(np.argmin(np.abs(far[:-1] - 0.5 * far[-1])))]}
    return limb


def _ordered(
    way: list[tuple[int, _Named]], kinds: tuple[str, ...], table: dict[str, dict[str, float]]
) -> tuple[float, dict[str, int]]:
    """The best reading of the joints of one way as `kinds`, in that order: what it is worth, and the roles."""
    best: list[tuple[float, dict[str, int]]] = [(0.0, {})] * (len(kinds) + 1)
    for joint, named in way:
        # After a joint, the best reading that has used at most the first k kinds.
        before = list(best)
        for k, role in enumerate(kinds):
            cost = table[named.part].get(role)
            if cost is None:
                continue
            main = role not in ("shoulder", "toes")
            worth = (_MAIN_ROLE if main else _OTHER_ROLE) - cost - _STRANGE * named.strange
            total = before[k][0] + worth
            if total > best[k + 1][0]:
                best[k + 1] = (total, {**before[k][1], role: joint})
        for k in range(len(kinds)):
            if best[k][0] > best[k + 1][0]:
                best[k + 1] = best[k]
    return best[-1]


def _fingers(tree: _Tree, said: list[_Named | None], side: str, hand: int) -> dict[str, int]:
    """The finger joints below a hand, in the order in which they hang."""
    roles: dict[str, int] = {}
    for number, finger in enumerate(FINGER_WORDS):
        kinds = THUMB if finger == "thumb" else FINGERS[3 * number - 3 : 3 * number]
        joints = [
            j
            for j, s in enumerate(said)
            if s is not None and s.part == finger and s.side in (side, "") and tree.hangs(j, hand)
        ]
        joints = [j for j in joints if not tree.skeleton.end_sites[j]]
        # Four joints in a row: the first lies inside the palm.
        if finger != "thumb" and len(joints) > 3:
            joints = joints[1:]
        roles |= {f"{side}_{role}": joint for role, joint in zip(kinds, joints, strict=False)}
    return roles


def _middle(tree: _Tree, said: list[_Named | None], limbs: dict[str, int]) -> dict[str, int]:
    """Hips, trunk, neck and head: the hips by name or as the joint that carries legs and trunk, the rest between them."""
    named: dict[str, list[int]] = {}
    for joint, words in enumerate(said):
        if words is not None and words.side == "" and joint not in limbs.values():
            named.setdefault(words.part, []).append(joint)
    legs = [limbs[role] for role in ("left_upper_leg", "right_upper_leg") if role in limbs]
    if len(legs) < 2:
        return {}
    roles: dict[str, int] = {}
    heads = named.get("head", [])
    top = heads or named.get("neck", [])
    carrier = tree.meeting([*legs, *top[:1]])
    hips = [joint for joint in named.get("hips", []) if all(tree.hangs(leg, joint) for leg in legs)]
    fitting = [joint for joint in hips if not top or tree.hangs(top[0], joint)]
    roles["hips"] = fitting[-1] if fitting else carrier if carrier >= 0 else hips[0] if hips else -1
    if roles["hips"] < 0:
        return {}
    for tail in named.get("tail", []):
        roles.setdefault("tail", tail)
    below = [joint for joint in heads if tree.hangs(joint, roles["hips"])]
    if not below:
        return roles
    head = below[0]
    necks = [joint for joint in named.get("neck", []) if tree.hangs(head, joint) and tree.hangs(joint, roles["hips"])]
    roles["head"] = head
    roles |= {"neck": necks[0]} if necks else {}
    jaws = [joint for joint in named.get("jaw", []) if tree.hangs(joint, head)]
    roles |= {"jaw": jaws[0]} if jaws else {}
    arms = [limbs[f"{side}_{role}"] for side in SIDES for role in ARM if f"{side}_{role}" in limbs]
    trunk_end = tree.meeting(arms) if len(arms) > 1 else -1
    way = tree.above(trunk_end) if trunk_end >= 0 and tree.hangs(trunk_end, roles["hips"]) else tree.above(head)[:-1]
    leg_ways = {joint for leg in legs for joint in tree.above(leg)}
    taken = {*limbs.values(), *roles.values()}
    trunk = [j for j in way if tree.hangs(j, roles["hips"]) and j not in leg_ways and j not in taken]
    speaking = [j for j in trunk if (words := said[j]) is not None and words.part in ("trunk", "hips")]
    trunk = speaking or trunk
    roles |= dict(zip(("spine", "chest"), trunk, strict=False))
    return roles | ({"upper_chest": trunk[-1]} if len(trunk) > 2 else {})
