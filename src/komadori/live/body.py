"""The body that performs: normalised poses become local ones of a character's skeleton, and back, a frame at a time."""

from __future__ import annotations

import numpy as np

from komadori import kinematics, quat, roles
from komadori.character import Character
from komadori.characters import humanoid
from komadori.errors import FormatError, OptionError
from komadori.formats.vrm.humanoid import REQUIRED, bone_name
from komadori.formats.vrm.normalised import above, as_a_t
from komadori.live.heard import NUMBER, ROLES
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Note


def four_legged(character: Character) -> bool:
    """Whether `character` is an animal on four legs."""
    return roles.body_plan(character.skeleton) == "quadruped"


def performer(character: Character) -> Skeleton:
    """The skeleton that moves as a performer does: the character's own, and the built-in body's for an animal."""
    return humanoid() if four_legged(character) else character.skeleton


class Body:
    """A humanoid of `skeleton`. `present` are the numbers of the bones that it has; `hips_m` is how high its hips are at rest."""

    def __init__(self, skeleton: Skeleton) -> None:
        missing = [role for role in REQUIRED if role not in skeleton.roles]
        if missing:
            raise OptionError(
                "character",
                expected=Note("a humanoid, with a joint for every bone of a person"),
                found=Note("none for {told}", told=", ".join(map(bone_name, missing))),
                advice=Note("use girl, mannequin or a VRM avatar"),
            )
        try:
            world, places, _ = as_a_t(skeleton, Note("the character"))
        except FormatError as error:
            raise OptionError(error.note) from None
        self.skeleton = skeleton
        self.present: tuple[int, ...] = tuple(NUMBER[role] for role in ROLES if role in skeleton.roles)
        chosen = [ROLES[number] for number in self.present]
        self._joints = [skeleton.roles[role] for role in chosen]
        self._uppers = [self._joints[at] if (at := above(role, chosen)) >= 0 else -1 for role in chosen]
        self._world = world
        parents = skeleton.parents
        over = np.where((parents >= 0)[:, None], world[np.maximum(parents, 0)], quat.IDENTITY)
        self._local = quat.multiply(quat.inverse(over), world)
        self._hips = skeleton.roles["hips"]
        self._rest_place = places[self._hips]
        self.hips_m = float(places[self._hips, 1] - places[:, 1].min())
        self._floor = float(places[:, 1].min())
        # Turns between a bone and the one that it hangs from, over joints that play no part and stay as they are.
        self._between = [self._way(upper, joint) for upper, joint in zip(self._uppers, self._joints, strict=True)]
        around = np.array([world[upper] if upper >= 0 else quat.IDENTITY for upper in self._uppers])
        self._before = quat.multiply(quat.inverse(np.array(self._between)), quat.inverse(around))
        self._after = world[self._joints]
        self._present = list(self.present)
        self._over = int(skeleton.parents[self._hips])
        """What the hips hang from; it has no role, and never moves."""
        self._around = around
        self._unturn = quat.inverse(self._after)
        # Bones that do not hang from the one above directly.
        self._apart = [
            (at, upper, joint)
            for at, (upper, joint) in enumerate(zip(self._uppers, self._joints, strict=True))
            if int(skeleton.parents[joint]) != upper
        ]
        self._places = places

    def _way(self, upper: int, joint: int) -> Array:
        turn, at = quat.IDENTITY, int(self.skeleton.parents[joint])
        while at not in (upper, -1):
            turn, at = quat.multiply(self._local[at], turn), int(self.skeleton.parents[at])
        return turn

    @property
    def resting(self) -> Array:
        """(3,) where the hips are at rest."""
        return np.asarray(self._rest_place)

    def posed(self, rotations: Array, hips: Array) -> tuple[Array, Array]:
        """Local rotations (J, 4) and positions (J, 3) of the body in the normalised pose (R, 4), its hips at that place."""
        local = np.array(self._local)
        turns = quat.multiply(quat.multiply(self._before, rotations[self._present]), self._after)
        local[self._joints] = quat.normalized(turns)
        positions = np.array(self.skeleton.offsets)
        if self._over >= 0:
            hips = quat.rotate(quat.inverse(self._world[self._over]), hips - self._places[self._over])
        positions[self._hips] = hips
        return local, positions

    def told(self, rotations: Array, positions: Array) -> tuple[Array, Array]:
        """The normalised pose (R, 4) and the place of the hips of a local pose: what `posed` was given."""
        made = quat.identity(len(ROLES))
        turns = np.array(rotations[self._joints])
        for at, upper, joint in self._apart:
            over = int(self.skeleton.parents[joint])
            while over not in (upper, -1):
                turns[at], over = quat.multiply(rotations[over], turns[at]), int(self.skeleton.parents[over])
        made[self._present] = quat.multiply(quat.multiply(self._around, turns), self._unturn)
        place = kinematics.world_positions(self.skeleton, rotations[None], positions[None])[0, self._hips]
        return made, place
