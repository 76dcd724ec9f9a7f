"""Roles by shape: two pairs of equal limbs, a head and perhaps a tail, whatever the joints are called."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, log

import numpy as np

from komadori import quat
from komadori.quat import Array
from komadori.roles.tables import FINGERS, Plan
from komadori.roles.words import foreign
from komadori.skeleton import Skeleton

_ALIKE = 0.15
"""Limbs of one pair: their bones' lengths differ by less than this share of the limb (captured bodies are uneven)."""
_LEAST_LIMB = 0.35
"""Arms and legs are at least this share of each other; fingers, ears, ribbons and eyes are less."""
_UPPER = 0.5
"""Share of the forearm that an animal's upper arm is at least."""
_FORE_LEG = 0.85
"""Upper and lower arm over upper and lower leg: people 0.5 to 0.8, dogs and horses 0.9 to 1.2."""


@dataclass(frozen=True)
class _Pair:
    """Two branches of one joint with bones of equal length."""

    at: int
    branches: tuple[int, int]
    length: float


class _Tree:
    """A skeleton with its bones' lengths, and the longest way down from every joint."""

    def __init__(self, skeleton: Skeleton, world: Array) -> None:
        self.skeleton = skeleton
        self.world = world
        self.parents = skeleton.parents.tolist()
        parents = np.maximum(skeleton.parents, 0)
        self.bone = np.where(skeleton.parents >= 0, np.linalg.norm(world - world[parents], axis=1), 0.0).tolist()
        self.reach = [0.0] * len(skeleton)
        self.longest = [-1] * len(skeleton)
        for joint in range(len(skeleton) - 1, -1, -1):
            parent = self.parents[joint]
            if parent >= 0:
                way = self.bone[joint] + self.reach[joint]
                if self.longest[parent] < 0 or way >= self.reach[parent]:
                    self.reach[parent], self.longest[parent] = way, joint

    def chain(self, joint: int) -> list[int]:
        """From `joint` the longest way down to a leaf."""
        way = [joint]
        while self.longest[way[-1]] >= 0:
            way.append(self.longest[way[-1]])
        return way

    def path(self, low: int, high: int) -> list[int]:
        """From `high` (excluded) down to `low`, or [] where `low` does not hang below `high`."""
        way = []
        while low >= 0 and low != high:
            way.append(low)
            low = self.parents[low]
        return way[::-1] if low == high else []

    def meeting(self, a: int, b: int) -> int:
        """The joint that both hang from (-1 if there is none)."""
        above = {a}
        while a >= 0:
            a = self.parents[a]
            above.add(a)
        while b not in above:
            b = self.parents[b]
        return b

    def pairs(self) -> list[_Pair]:
        """The longest pair of alike branches of every joint that has one."""
        found = []
        for joint, kids in enumerate(self.skeleton.children):
            ways = sorted(((self.bone[k] + self.reach[k], k) for k in kids), reverse=True)
            for i, (length, kid) in enumerate(ways[:-1]):
                # An equally long tail may stand between two legs: look two places on.
                twin = next(
                    (other for _, other in ways[i + 1 : i + 3] if length > 0.0 and self._alike(kid, other)), None
                )
                if twin is not None:
                    found.append(_Pair(joint, (min(kid, twin), max(kid, twin)), self.reach[kid] + self.bone[kid]))
                    break
        return found

    def _alike(self, a: int, b: int) -> bool:
        # The first bones tell; anything held in one hand does not matter.
        first = [self.bone[j] for j in self.chain(a)[:4]]
        second = [self.bone[j] for j in self.chain(b)[:4]]
        if len(first) != len(second):
            return False
        most = max(*first, *second)
        return all(abs(x - y) <= _ALIKE * most for x, y in zip(first, second, strict=True))


def by_shape(skeleton: Skeleton, world: Array) -> dict[str, int]:
    """Roles from bone lengths and branches; `world` (J, 3) is a pose, which tells left from right. {} if no body."""
    if not np.isfinite(world).all():
        return {}
    tree = _Tree(skeleton, world)
    body = _legs_and_arms(tree)
    if body is None:
        return {}
    legs, arms = body
    hips = tree.meeting(legs.at, arms.at)
    leg_pair = [_leg(tree, branch) for branch in legs.branches]
    arm_pair = [_arm(tree, branch) for branch in arms.branches]
    if not all((*leg_pair, *arm_pair)):
        return {}
    roles = {"hips": hips}
    trunk = tree.path(arms.at, hips)
    roles.update(zip(("spine", "chest"), trunk, strict=False))
    if len(trunk) > 2:
        roles["upper_chest"] = trunk[-1]
    roles |= _head(tree, arms)
    other = {*roles.values(), *legs.branches}
    tails = [k for k in skeleton.children[hips] if k not in other and tree.reach[k] > 0.1 * legs.length]
    if legs.at == hips and tails:
        roles["tail"] = max(tails, key=lambda k: tree.reach[k])
    return roles | _sided(tree, roles, leg_pair, arm_pair)


def plan_of(roles: dict[str, int], rest: Array, pose: Array | None = None) -> Plan:
    """Whether the body stands on two or four limbs, from its roles, its rest pose and a usual pose, each (J, 3).

    People have longer legs than arms, legs longer than their trunk, broad shoulders and fingers, and stand upright; no
    one of these tells alone: a child or a cartoon figure has short legs, and anyone may crawl in a clip's first frame.
    """
    pose = rest if pose is None else pose
    limbs = [
        [roles.get(f"{side}_{role}", -1) for role in chain]
        for chain in (("upper_leg", "lower_leg", "foot"), ("upper_arm", "lower_arm", "hand"))
        for side in ("left", "right")
    ]
    if "hips" not in roles or any(-1 in limb for limb in limbs) or not np.isfinite((rest, pose)).all():
        return "unknown"
    # Some files lay every bone along its own axis: where the legs point apart, the rest pose says nothing.
    told = rest if _legs_agree(rest, limbs) else pose
    lengths = [float(np.linalg.norm(np.diff(told[limb], axis=0), axis=1).sum()) for limb in limbs]
    legs, arms = max(lengths[0] + lengths[1], 1e-300), lengths[2] + lengths[3]
    tops = [0.5 * (pose[limbs[i][0]] + pose[limbs[i + 1][0]]) for i in (0, 2)]
    trunk = max(float(np.linalg.norm(tops[1] - tops[0])), 1e-300)
    broad = float(np.linalg.norm(pose[limbs[2][0]] - pose[limbs[3][0]])) / trunk
    four = _vote(arms / legs, 0.72, _FORE_LEG) + _vote(trunk / (0.5 * legs), 1.0 / 1.3, 1.0 / 1.05)
    four += 1.5 * _vote(-broad, -0.5, -0.42) + 2.0 * _upright(told, roles, limbs)
    four -= 2.0 * (sum(f"left_{finger}" in roles for finger in FINGERS) >= 3)
    four += 1.0 * ("tail" in roles)
    return "quadruped" if four > 0.0 else "biped"


def _vote(value: float, least: float, most: float) -> float:
    """-1 up to `least`, 1 from `most` on, and between them in proportion."""
    return float(np.clip(2.0 * (value - least) / (most - least) - 1.0, -1.0, 1.0))


def _legs_agree(world: Array, limbs: list[list[int]]) -> bool:
    ways = [_unit(world[limb[-1]] - world[limb[0]]) for limb in limbs[:2]]
    trunk = 0.5 * (world[limbs[2][0]] + world[limbs[3][0]] - world[limbs[0][0]] - world[limbs[1][0]])
    # A body whose trunk points the same way as its legs is not in a real pose.
    return float(ways[0] @ ways[1]) >= 0.3 and float(_unit(trunk) @ _unit(ways[0] + ways[1])) < 0.5


def _upright(world: Array, roles: dict[str, int], limbs: list[list[int]]) -> float:
    """-1 for a trunk that rises from the legs, 1 for one that lies on four; 0 where the pose does not tell."""
    if not _legs_agree(world, limbs):
        return 0.0
    ways = [_unit(world[limb[-1]] - world[limb[0]]) for limb in limbs]
    legs, arms = _unit(ways[0] + ways[1]), _unit(ways[2] + ways[3])
    spine = _unit(0.5 * (world[limbs[2][0]] + world[limbs[3][0]]) - world[roles["hips"]])
    if float(spine @ legs) < -0.8:
        return -1.0
    return 0.5 if float(spine @ legs) > -0.6 and float(arms @ legs) > 0.5 else 0.0


def _legs_and_arms(tree: _Tree) -> tuple[_Pair, _Pair] | None:
    """The pair nearest the root that has another, comparable pair below it; or two pairs that meet at the waist."""
    pairs = tree.pairs()
    comparable = [
        (a, b)
        for a in pairs
        for b in pairs
        if a is not b and _LEAST_LIMB * a.length <= b.length <= a.length / _LEAST_LIMB
    ]
    for legs, arms in comparable:
        trunk = tree.path(arms.at, legs.at)
        # Pairs are listed from the root down: the first is the hips' and its first follower the chest's.
        if trunk and trunk[0] not in legs.branches:
            return legs, arms
    for a, b in comparable:
        apart = tree.meeting(a.at, b.at)
        if apart >= 0 and apart not in (a.at, b.at):
            low_a, low_b = (np.mean([tree.world[tree.chain(k)[-1]][1] for k in pair.branches]) for pair in (a, b))
            return (a, b) if (low_a, -a.length) < (low_b, -b.length) else (b, a)
    return None


def _leg(tree: _Tree, branch: int) -> list[int]:
    """Upper leg, lower leg, foot and, if there are, toes; [] where the branch is too short."""
    chain = tree.chain(branch)
    bones = [tree.bone[j] for j in chain[1:]]
    start = next((i for i, bone in enumerate(bones) if bone >= 0.5 * max(bones)), 0)
    limb = chain[start : start + 4]
    if len(limb) == 4 and tree.skeleton.end_sites[limb[3]]:
        limb = limb[:3]
    return limb if len(limb) >= 3 else []


def _arm(tree: _Tree, branch: int) -> list[int]:
    """Shoulder (-1 if none), upper arm, lower arm and hand; [] where the branch is too short.

    The collar bone may be as long as the arm's bones: of all places the one is taken where lower and upper
    arm are about equal, the bone before them is shorter and the one after them much shorter.
    """
    chain = tree.chain(branch)
    bones = [tree.bone[j] for j in chain[1:]] + [0.0, 0.0]
    least = 0.25 * max(bones[:5])
    best, best_cost = -1, inf
    for i in range(min(4, len(chain) - 2)):
        if min(bones[i], bones[i + 1]) <= least or bones[i + 1] == 0.0:
            continue
        before = bones[i - 1] if i else 0.0
        cost = abs(log(bones[i + 1] / bones[i]) + 0.1) + max(0.0, bones[i + 2] / bones[i + 1] - 0.3)
        cost += max(0.0, log(before / bones[i]) + 0.4) if before > 0.0 else 0.0
        if cost < best_cost:
            best, best_cost = i, cost
    return [chain[best - 1] if best > 0 else -1, *chain[best : best + 3]] if best >= 0 else []


def _fore_leg(tree: _Tree, arm: list[int]) -> dict[str, int]:
    """An animal's arm read again as a leg: above what looks like a person's upper arm there may be the true one.

    Below a horse's elbow two bones of equal length follow each other, as in a person's arm.
    """
    above = arm[0]
    blade = tree.parents[above] if above >= 0 else -1
    # Another joint hangs above it that carries this leg alone: the shoulder blade.
    if blade < 0 or sum(tree.reach[kid] > 0.0 for kid in tree.skeleton.children[blade]) != 1:
        return {}
    if tree.bone[arm[1]] < _UPPER * tree.bone[arm[2]]:
        return {}
    return {"shoulder": blade, "upper_arm": above, "lower_arm": arm[1], "hand": arm[2]}


def _head(tree: _Tree, arms: _Pair) -> dict[str, int]:
    """Neck and head: the longest other branch of the joint that the arms hang from."""
    names, ends = tree.skeleton.names, tree.skeleton.end_sites
    rest = [k for k in tree.skeleton.children[arms.at] if k not in arms.branches and not ends[k]]
    if not rest:
        return {}
    chain = [max(rest, key=lambda k: tree.bone[k] + tree.reach[k])]
    # The head is where face and hair branch off, or the last joint that turns.
    while True:
        kids = [k for k in tree.skeleton.children[chain[-1]] if not ends[k] and not foreign(names[k])]
        if len(kids) != 1:
            break
        chain.append(kids[0])
    last = len(chain) - 1
    # A joint at the crown ends a bone longer than the neck's: the head is where that bone begins.
    crown = not tree.skeleton.children[chain[last]] or tree.reach[chain[last]] == 0.0
    if last >= 2 and crown and tree.bone[chain[last]] > 1.3 * tree.bone[chain[last - 1]]:
        last -= 1
    return {"neck": chain[0], "head": chain[last]} if last else {"head": chain[0]}


def _sided(tree: _Tree, roles: dict[str, int], leg_pair: list[list[int]], arm_pair: list[list[int]]) -> dict[str, int]:
    """The limbs' roles: left is up x forward."""
    named = [
        dict(zip(("upper_leg", "lower_leg", "foot", "toes"), limb, strict=False))
        | dict(zip(("shoulder", "upper_arm", "lower_arm", "hand"), arm, strict=True))
        for limb, arm in zip(leg_pair, arm_pair, strict=True)
    ]
    both = roles | {
        f"{side}_{r}": j for side, half in zip(("left", "right"), named, strict=True) for r, j in half.items()
    }
    plan = plan_of(both, tree.world)
    left = _left_direction(tree, both, plan)
    if plan == "quadruped":
        for half, arm in zip(named, arm_pair, strict=True):
            half |= _fore_leg(tree, arm)
    result = {}
    for kinds, upper in (
        (("upper_leg", "lower_leg", "foot", "toes"), "upper_leg"),
        (("shoulder", "upper_arm", "lower_arm", "hand"), "upper_arm"),
    ):
        across = tree.world[named[0][upper]] - tree.world[named[1][upper]]
        order = (0, 1) if float(across @ left) >= 0.0 else (1, 0)
        for side, which in zip(("left", "right"), order, strict=True):
            result.update({f"{side}_{r}": named[which][r] for r in kinds if named[which].get(r, -1) >= 0})
    return result


def _left_direction(tree: _Tree, roles: dict[str, int], plan: Plan) -> Array:
    world = tree.world
    sides = ("left", "right")

    def middle(role: str) -> Array:
        return np.asarray(0.5 * (world[roles[f"left_{role}"]] + world[roles[f"right_{role}"]]))

    trunk = middle("upper_arm") - world[roles["hips"]]
    if plan == "quadruped":
        return quat.cross(middle("upper_leg") - middle("foot"), trunk)
    feet = [roles[f"{side}_foot"] for side in sides]
    toes = sum((world[tree.chain(foot)[-1]] - world[foot] for foot in feet), np.zeros(3))
    knees = middle("lower_leg") - 0.5 * (middle("upper_leg") + middle("foot"))
    elbows = 0.5 * (middle("upper_arm") + middle("hand")) - middle("lower_arm")
    for forward in (toes, knees, elbows):
        left = quat.cross(_unit(trunk), forward)
        if np.linalg.norm(left) > 0.02 * np.linalg.norm(trunk):
            return left
    return np.array([1.0, 0.0, 0.0])


def _unit(v: Array) -> Array:
    return np.asarray(v / max(float(np.linalg.norm(v)), 1e-300))
