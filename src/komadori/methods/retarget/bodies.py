"""What retargeting knows of a body: how it stands when it stands straight, its trunk, its soles and its legs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from komadori import feet, kinematics, quat, roles
from komadori.errors import OptionError, one_line
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Fact, Note

SIDES = ("left", "right")
UP = np.array([0.0, 1.0, 0.0])

_UPRIGHT = np.cos(np.radians(40.0))
"""A body stands in a pose when trunk and legs lie within this of the plumb line."""
_SURE_OF_SOLES = np.cos(np.radians(15.0))
"""Measured soles that lie nearer than this to what the rest pose says are the same soles, seen through noise."""
_NO_SOLES = np.cos(np.radians(60.0))
"""Those that lie farther than this from it are not soles: the foot touched the floor with another side."""
_FLOOR = (-0.05, 0.15)
_ANKLES = (0.03, 0.25)
"""In leg lengths: how high the lowest joint, and the ankle, may be above y = 0 for that to be the floor."""
_LEANING = np.cos(np.radians(12.0))
"""A trunk that lies nearer to an axis than this is meant to lie along it."""
ON_ITS_LEG = np.cos(np.radians(50.0))
"""A foot stands while its leg is nearer to the plumb line than this; one that touches the floor otherwise lies on it."""
_HANGING = np.radians(12.0)
"""How far from the plumb line an arm is that nothing moves."""
_BENT = 0.4
"""Sine of the bend from which a limb shows the axis of its joint."""


@dataclass(frozen=True, eq=False)
class Body:
    """A skeleton in the pose from which its turns are counted.

    `local` (J, 4) are the joints' rotations in that pose, `turned` (J, 4) and `places` (J, 3) the same in the world.
    It stands in that pose: a body that lies at rest, or all through a motion, is raised as a whole. `soles` says for
    each side which way is up for a foot that stands flat, seen in that pose. `frame` is the frame of a motion that
    serves as the pose, None for the rest pose. `floor` is the height of the ground in that pose, None if it is
    unknown.
    """

    skeleton: Skeleton
    roles: Mapping[str, int]
    local: Array
    turned: Array
    places: Array
    soles: Mapping[str, Array]
    frame: int | None
    floor: float | None
    stands: bool
    four: bool
    """Whether it walks on four limbs."""
    hinges: Mapping[str, Array]
    """Axes (3,) in that pose about which elbows and knees bend, by the role of the upper bone."""

    @property
    def rested(self) -> bool:
        """Whether the pose is a rest pose that stands: one that was made to be straight, as no moment of a motion is."""
        return self.stands and self.frame is None

    def line(self, one: str, other: str) -> Array:
        """From the joint that plays `one` to that of `other`, (3,), in the pose."""
        return np.asarray(self.places[self.roles[other]] - self.places[self.roles[one]])

    @property
    def heading(self) -> float | None:
        """Radians about the vertical from a body with its left at +X; None if left and right are unknown."""
        for role in ("upper_leg", "upper_arm"):
            if all(f"{side}_{role}" in self.roles for side in SIDES):
                across = self.line(f"right_{role}", f"left_{role}")
                if np.hypot(across[0], across[2]) > 1e-6:
                    return float(np.arctan2(-across[2], across[0]))
        return None

    def tip(self, side: str) -> int | None:
        """The joint in which the foot ends: its toes, or its longest child."""
        if f"{side}_toes" in self.roles:
            return self.roles[f"{side}_toes"]
        foot = self.roles.get(f"{side}_foot")
        kids = () if foot is None else self.skeleton.children[foot]
        far = max(kids, key=lambda kid: float(np.linalg.norm(self.skeleton.offsets[kid])), default=None)
        return far if far is not None and np.linalg.norm(self.skeleton.offsets[far]) > 1e-6 else None

    @property
    def leg_length(self) -> float | None:
        """Thigh and shin in metres, the mean of both legs."""
        legs = [
            np.linalg.norm(self.line(f"{side}_upper_leg", f"{side}_lower_leg"))
            + np.linalg.norm(self.line(f"{side}_lower_leg", f"{side}_foot"))
            for side in SIDES
            if all(f"{side}_{role}" in self.roles for role in ("upper_leg", "lower_leg", "foot"))
        ]
        return float(np.mean(legs)) if legs and min(legs) > 1e-6 else None

    @property
    def pelvis(self) -> int:
        """The joint that carries both legs: the hips, or whatever is below them for that (MMD's lower body)."""
        legs = [self.path(self.roles["hips"], self.roles.get(f"{side}_upper_leg", -1)) for side in SIDES]
        shared = [a for a, b in zip(*legs, strict=False) if a == b]
        return shared[-1] if shared and shared[-1] != legs[0][-1] else self.roles["hips"]

    @property
    def trunk(self) -> list[int]:
        """The joints that bend the trunk, from below: above the fork of legs and spine, up to what carries the neck."""
        hips = self.roles["hips"]
        end = next((self.roles[role] for role in ("neck", "head") if role in self.roles), None)
        if end is None:
            return [self.roles[role] for role in ("spine", "chest", "upper_chest") if role in self.roles]
        path = self.path(hips, end)[:-1]
        legs = {j for side in SIDES for j in self.path(hips, self.roles.get(f"{side}_upper_leg", -1))}
        return [joint for joint in path if joint not in legs and joint != hips]

    @property
    def neck(self) -> list[int]:
        """The joints from the neck up to the head, without the head."""
        if "neck" not in self.roles or "head" not in self.roles:
            return []
        return self.path(self.roles["neck"], self.roles["head"])[:-1]

    def path(self, above: int, below: int) -> list[int]:
        """The joints from `above` down to `below`, both included; [] if they do not hang together."""
        found = []
        while below >= 0:
            found.append(below)
            if below == above:
                return found[::-1]
            below = int(self.skeleton.parents[below])
        return []

    def ankle_height(self, side: str) -> float:
        """How high the ankle is above the ground in the pose, or above the foot's lowest joint."""
        foot = self.roles[f"{side}_foot"]
        if self.floor is not None:
            return float(self.places[foot, 1] - self.floor)
        return float(self.places[foot, 1] - self.places[self.skeleton.below([foot]), 1].min())

    def toe_drop(self, side: str) -> float:
        """How much lower the foot's tip is than its ankle when it stands flat."""
        tip, foot = self.tip(side), self.roles[f"{side}_foot"]
        return 0.0 if tip is None else float((self.places[foot] - self.places[tip]) @ self.soles[side])


def body_of(
    skeleton: Skeleton, motion: Motion | None, contacts: feet.Contacts | None = None, *, what: str = "character"
) -> Body:
    """The body of `skeleton`; a motion of it shows how it stands where the rest pose does not, and its soles."""
    found = roles.known(skeleton)
    if "hips" not in found:
        some = one_line(", ".join(skeleton.names[:6]), 80)
        raise OptionError(
            what, expected=Note("a body that can be recognised"), found=Note("joints called {names} ...", names=some)
        )
    four = roles.body_plan(skeleton, motion.pose(0) if motion is not None and len(motion) else None) == "quadruped"
    local, positions, frame = skeleton.rest, skeleton.offsets, None
    turned, places = kinematics.world_transforms(skeleton, local[None], positions[None])
    upright = bool(_stands(places, found, four)[0] > 0.0)
    stands = upright or bool(_straight(places, found, four)[0] > 0.0)
    if not stands and motion is not None and len(motion):
        world = motion.world_positions()
        scores = _stands(world, found, four)
        if scores.max() <= 0.0:
            scores = _straight(world, found, four)
        frame = int(np.argmax(scores))
        local, positions = motion.rotations[frame], motion.positions[frame]
        turned, places = (part[[frame]] for part in motion.world_transforms())
        upright = bool(_stands(places, found, four)[0] > 0.0)
        stands = bool(scores[frame] > 0.0)
    turned, places = turned[0], places[0]
    if not upright and not four:
        raised = _raising(places[None], found)[0]
        turned, places = quat.multiply(raised, turned), quat.rotate(raised, places)
        local = np.array(local)
        roots = skeleton.parents < 0
        local[roots] = quat.multiply(raised, local[roots])
    body = Body(skeleton, found, local, turned, places, {}, frame, None, stands, four, {})
    floor = _floor(body) if upright else None
    rested = upright and frame is None
    soles = {side: _sole(body, side, floor, rested, motion, contacts) for side in SIDES if f"{side}_foot" in found}
    hinges = _measured_hinges(body, motion) if frame is not None and motion is not None else _hinges(body)
    return replace(body, floor=floor, soles=soles, hinges=hinges)


def armless(body: Body) -> list[str]:
    """The sides on which a body has no arm."""
    return [side for side in SIDES if not {f"{side}_upper_arm", f"{side}_lower_arm"} & body.roles.keys()]


def with_arms_down(body: Body, sides: Sequence[str]) -> Body:
    """`body` in a pose in which the arms of `sides` hang, a little away from the trunk, and not out as in a T-pose."""
    local, turned, places = np.array(body.local), np.array(body.turned), np.array(body.places)
    for side in sides:
        upper, lower, hips = (body.roles.get(role, -1) for role in (f"{side}_upper_arm", f"{side}_lower_arm", "hips"))
        if body.four or min(upper, lower, hips) < 0:
            continue
        out = (places[upper] - places[hips]) * [1.0, 0.0, 1.0]
        down = np.sin(_HANGING) * _unit(out) - np.cos(_HANGING) * UP
        swing = quat.between(places[lower] - places[upper], down)
        below = body.skeleton.below([upper])
        places[below] = places[upper] + quat.rotate(swing, places[below] - places[upper])
        turned[below] = quat.multiply(swing, turned[below])
        above = int(body.skeleton.parents[upper])
        local[upper] = quat.multiply(quat.inverse(turned[above]), turned[upper]) if above >= 0 else turned[upper]
    return replace(body, local=local, turned=turned, places=places)


def alike(one: Mapping[str, int], other: Mapping[str, int]) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Both sets of roles, without a neck that only one has: lines to the neck and to the shoulders are two things."""
    if ("neck" in one) == ("neck" in other):
        return one, other
    bare = [{role: joint for role, joint in each.items() if role != "neck"} for each in (one, other)]
    return bare[0], bare[1]


def trunk_line(world: Array, found: Mapping[str, int]) -> Array | None:
    """From the middle of the hip joints to the neck (..., 3), in places `world` (..., J, 3); None if one is unknown.

    Where the neck is unknown, to the middle of the shoulders.
    """
    top = _middle(world, found, "upper_arm") if "neck" not in found else world[..., found["neck"], :]
    foot = _middle(world, found, "upper_leg")
    return None if top is None or foot is None else np.asarray(top - foot)


def neck_line(world: Array, found: Mapping[str, int]) -> Array | None:
    """From the neck, or the middle of the shoulders, to the head (..., 3); None if one of them is unknown."""
    foot = _middle(world, found, "upper_arm") if "neck" not in found else world[..., found["neck"], :]
    return None if foot is None or "head" not in found else np.asarray(world[..., found["head"], :] - foot)


def _middle(world: Array, found: Mapping[str, int], role: str) -> Array | None:
    pair = [found.get(f"{side}_{role}", -1) for side in SIDES]
    return None if min(pair) < 0 else np.asarray(0.5 * (world[..., pair[0], :] + world[..., pair[1], :]))


def _raising(world: Array, found: Mapping[str, int]) -> Array:
    """(F, 4) the turns that bring the trunk of poses `world` (F, J, 3) upright, the shortest way.

    Trunks lean by some degrees even where bodies stand straight: one that lies about along an axis keeps its lean.
    """
    line = trunk_line(world, found)
    if line is None:
        return quat.identity(len(world))
    axis = np.argmax(np.abs(line), axis=-1)
    along = np.eye(3)[axis] * np.sign(np.take_along_axis(line, axis[:, None], axis=-1))
    near = cosines(line, along) > _LEANING
    return quat.between(np.where(near[:, None], along, line), UP)


def _straight(world: Array, found: Mapping[str, int], four: bool) -> Array:
    """Like `_stands`, (F,), whichever way up the body is: it is raised first. An animal counts as it is."""
    if four:
        return _stands(world, found, four)
    raised = _raising(world, found)
    return _stands(quat.rotate(raised[:, None], world), found, four)


def _stands(world: Array, found: Mapping[str, int], four: bool) -> Array:
    """(F,) how straight the body stands in poses `world` (F, J, 3): above 0 it does, 1 is like a plumb line."""
    # An animal's hock stands back from its hip, but it stands on its toes.
    ends = {side: f"{side}_toes" if four and f"{side}_toes" in found else f"{side}_foot" for side in SIDES}
    plumb = [(ends[side], f"{side}_upper_leg") for side in SIDES]
    if not four:
        plumb.append(("hips", "neck" if "neck" in found else "head"))
    lines = [world[:, found[b]] - world[:, found[a]] for a, b in plumb if a in found and b in found]
    if not lines:
        return np.ones(len(world))
    straight = np.min([cosines(line, UP) for line in lines], axis=0)
    score = (straight - _UPRIGHT) / (1.0 - _UPRIGHT)
    for role in ("upper_leg", "upper_arm"):
        if all(f"{side}_{role}" in found for side in SIDES):
            across = world[:, found[f"left_{role}"]] - world[:, found[f"right_{role}"]]
            score = np.where(np.abs(cosines(across, UP)) > 0.5, -1.0, score)
    # Bent elbows and knees tell less of how a limb is turned: of many standing frames take the straightest one.
    for side in SIDES:
        for limb in (("upper_arm", "lower_arm", "hand"), ("upper_leg", "lower_leg", "foot")):
            joints = [found.get(f"{side}_{role}", -1) for role in limb]
            if min(joints) >= 0 and not four:
                bend = cosines(world[:, joints[1]] - world[:, joints[0]], world[:, joints[2]] - world[:, joints[1]])
                score = np.where(score > 0.0, score * (0.75 + 0.25 * np.maximum(bend, 0.0)), score)
    return np.asarray(score)


def _floor(body: Body) -> float | None:
    leg = body.leg_length
    feet_joints = [body.roles[f"{side}_foot"] for side in SIDES if f"{side}_foot" in body.roles]
    if leg is None or not feet_joints or body.frame is not None:
        return None
    lowest = float(body.places[body.skeleton.below(feet_joints), 1].min())
    return 0.0 if _FLOOR[0] * leg < lowest < _FLOOR[1] * leg else None


def _sole(
    body: Body, side: str, floor: float | None, rested: bool, motion: Motion | None, contacts: feet.Contacts | None
) -> Array:
    """Which way is up for a foot that stands flat, in the body's pose, (3,); `rested` where the feet should know."""
    guess = UP
    if floor is None and rested and f"{side}_upper_leg" in body.roles:
        # A bare skeleton with legs apart (CMU) turns its feet with them.
        leg = body.line(f"{side}_upper_leg", f"{side}_foot")
        heading = body.heading or 0.0
        left = np.array([np.cos(heading), 0.0, -np.sin(heading)])
        splay = float(leg @ left) * left
        guess = quat.rotate(quat.between(np.array([0.0, leg[1], 0.0]), np.array([0.0, leg[1], 0.0]) + splay), UP)
    if motion is None or contacts is None:
        return np.asarray(guess)
    measured = _measured_sole(body, side, motion, contacts)
    if measured is None or (body.rested and float(measured @ guess) < _NO_SOLES):
        return np.asarray(guess)
    if rested and float(measured @ guess) > _SURE_OF_SOLES:
        return np.asarray(guess)
    return measured


def _measured_sole(body: Body, side: str, motion: Motion, contacts: feet.Contacts) -> Array | None:
    """Like `_sole`, from the frames in which both heel and toes stand; None if they are few or disagree."""
    foot = body.roles[f"{side}_foot"]
    flat = flat_frames(body, side, motion, contacts)
    if len(flat) < 3:
        return None
    turned = motion.world_transforms()[0][flat, foot]
    up = quat.rotate(quat.inverse(turned), UP).mean(axis=0)
    length = float(np.linalg.norm(up))
    return np.asarray(quat.rotate(body.turned[foot], up / length)) if length > 0.95 else None


def _hinges(body: Body) -> dict[str, Array]:
    """Elbows and knees of a body that stands straight: forearms bend to the front, shins to the back."""
    heading = body.heading
    if heading is None:
        return {}
    front = np.array([np.sin(heading), 0.0, np.cos(heading)])
    return {
        f"{side}_{upper}": quat.cross(body.line(f"{side}_{upper}", f"{side}_{lower}"), way * front)
        for side in SIDES
        for upper, lower, way in (("upper_arm", "lower_arm", 1.0), ("upper_leg", "lower_leg", -1.0))
        if f"{side}_{upper}" in body.roles and f"{side}_{lower}" in body.roles
    }


def _measured_hinges(body: Body, motion: Motion) -> dict[str, Array]:
    """The same as a motion shows them, of the limbs that bend in it."""
    turned, places = motion.world_transforms()
    result = {}
    for side in SIDES:
        for limb in (("upper_arm", "lower_arm", "hand"), ("upper_leg", "lower_leg", "foot")):
            joints = [body.roles.get(f"{side}_{role}", -1) for role in limb]
            if min(joints) < 0:
                continue
            upper, lower, end = (places[:, joint] for joint in joints)
            axes = quat.cross(_unit(lower - upper), _unit(end - lower))
            bent = np.linalg.norm(axes, axis=-1) > _BENT
            if not bent.any():
                continue
            mean = quat.rotate(quat.inverse(turned[bent, joints[0]]), axes[bent]).mean(axis=0)
            result[f"{side}_{limb[0]}"] = quat.rotate(body.turned[joints[0]], mean)
    return result


def flat_frames(body: Body, side: str, motion: Motion, contacts: feet.Contacts) -> NDArray[np.intp]:
    """The frames in which all points of that foot stand, under a leg that stands on it."""
    foot = body.roles[f"{side}_foot"]
    columns = [i for i, joint in enumerate(contacts.joints) if joint in {foot, body.tip(side)}]
    if not columns:
        return np.empty(0, dtype=np.intp)
    flat = contacts.on[:, columns].all(axis=1)
    upper = body.roles.get(f"{side}_upper_leg")
    if upper is not None and flat.any():
        world = motion.world_positions()
        flat &= cosines(world[:, upper] - world[:, foot], UP) > ON_ITS_LEG
    return np.flatnonzero(flat)


def standing_height(body: Body, side: str, motion: Motion, contacts: feet.Contacts) -> float | None:
    """How high the ankle is above y = 0 while that foot stands flat in `motion`; None if y = 0 is not a floor."""
    flat, leg = flat_frames(body, side, motion, contacts), body.leg_length
    if not len(flat) or leg is None:
        return None
    height = float(np.median(motion.world_positions()[flat, body.roles[f"{side}_foot"], 1]))
    return height if _ANKLES[0] * leg < height < _ANKLES[1] * leg else None


def notes_on(source: Body, target: Body) -> list[Note]:
    """What should be known of the poses from which turns are counted."""
    notes: list[Note] = []
    if source.frame is not None:
        notes.append(
            Fact("The motion's rest pose is not upright; used frame {frame} as the reference pose.", frame=source.frame)
        )
    if not source.stands:
        notes.append(
            Note(
                "The performer never stands straight in the motion, so limbs may be twisted about their length. Check them."
            )
        )
    if not target.stands:
        notes.append(
            Note(
                "The character's rest pose is not straight, so limbs may be twisted about their length. A character in a T-pose or A-pose avoids this."
            )
        )
    return notes


def _unit(v: Array) -> Array:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12))


def cosines(a: Array, b: Array) -> Array:
    """Cosine of the angle between (..., 3) arrays; 0 where one has no length."""
    size = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    return np.asarray(np.einsum("...i,...i->...", a, b) / np.maximum(size, 1e-12))
