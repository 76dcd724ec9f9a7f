"""The puppet in the studio: the scene's keys as a puppet, its pose at any place, and what the timeline plays of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from komadori import kinematics, roles
from komadori.errors import KomadoriError, OptionError
from komadori.formats import encoded
from komadori.methods.puppet import Key, Puppet, Take, mapped, rest_pose, sequence, walking
from komadori.methods.puppet import Scene as Act
from komadori.motion import Motion, Pose
from komadori.numerics.rbf import Kernel
from komadori.parameters import check, parameter
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.studio.bilingual import error_message, in_both_languages
from komadori.studio.messages import ErrorMessage, Grab, MapArrays, PuppetUpdate
from komadori.studio.offers import Offer
from komadori.studio.packing import packed, packed_motion
from komadori.studio.parts.sheet import plain
from komadori.studio.scene import PosedBody, PuppetPart, PuppetTake, Scene
from komadori.studio.shelf import FPS
from komadori.studio.stage import Staged
from komadori.words import Note

GRABS = (
    "right_hand", "left_hand", "right_foot", "left_foot", "head", "hips", "chest",
    "right_lower_arm", "left_lower_arm", "right_lower_leg", "left_lower_leg",
)  # fmt: skip
"""Roles of the joints that can be dragged."""
_BESIDE = 0.15
"""How far outside the right hand the handle begins, in heights of the body: it must not cover the hand."""
_MAP_STEPS = 11


Grip: TypeAlias = Literal["none", "right_hand", "left_hand", "right_foot", "left_foot", "head"]
"""What can be held at the handle."""


@dataclass(frozen=True)
class PuppetOptions:
    """How the keys become poses."""

    kernel: Kernel = parameter(
        "linear", "how keys blend: linear as the paper's, cubic smoother, local fading to the trend"
    )
    polynomial: bool = parameter(True, "let poses go on in the keys' direction beyond them")
    ik: Grip = parameter("none", "hold this joint at the handle")
    walks: bool = parameter(
        False, "the handle counts from the body, and while it is on the ground the body moves instead"
    )
    ground: float = parameter(0.0, "height of that ground", unit="m", low=-10.0, high=10.0)
    walk_speed: float = parameter(
        1.2, "speed of a walk made of the keys; backwards below 0", unit="m/s", low=-4.0, high=4.0
    )
    walk_seconds: float = parameter(4.0, "length of that walk", unit="s", low=0.5, high=60.0)

    def __post_init__(self) -> None:
        check(self)

    @property
    def grip(self) -> str | None:
        """The role that is held at the handle."""
        return None if self.ik == "none" else self.ik


class Maker:
    """Makes the scene's puppet; the last one is kept, so that a moving handle only asks for poses."""

    def __init__(self) -> None:
        self._last: tuple[list[Any], dict[str, Any], Skeleton, Puppet] | None = None

    def of(self, part: PuppetPart, skeleton: Skeleton) -> Puppet | None:
        """The puppet of these keys, or None while there are none."""
        last = self._last
        if last is not None and last[0] is part.keys and last[1] is part.options and last[2] is skeleton:
            return last[3]
        if not part.keys:
            return None
        made = built(part, skeleton)
        self._last = (part.keys, part.options, skeleton, made)
        return made


def options(part: PuppetPart) -> PuppetOptions:
    """The scene's options."""
    return PuppetOptions(**plain(part.options, PuppetOptions))


def built(part: PuppetPart, skeleton: Skeleton) -> Puppet:
    """The keys as a puppet of this body."""
    own = options(part)
    keys = [Key(np.array(key.place), pose_of(key.pose, skeleton), key.name) for key in part.keys]
    return Puppet(skeleton, keys, own.kernel, own.polynomial, own.grip, own.ground if own.walks else None)


def fits(pose: PosedBody, skeleton: Skeleton) -> bool:
    """Whether the pose is one of a body with as many joints."""
    return len(pose.rotations) == 4 * len(skeleton) and len(pose.positions) == 3 * len(skeleton)


def pose_of(pose: PosedBody, skeleton: Skeleton) -> Pose:
    """A pose out of the scene."""
    if not fits(pose, skeleton):
        raise OptionError(
            Note(
                "the puppet's keys are of another body, whose joints cannot be matched: open that body again, or delete the keys"
            )
        )
    return Pose(np.reshape(pose.rotations, (-1, 4)), np.reshape(pose.positions, (-1, 3)))


def stored(pose: Pose) -> PosedBody:
    """A pose for the scene: finer than a millionth of a metre or of a turn shows nowhere."""
    return PosedBody(np.round(pose.rotations, 7).ravel().tolist(), np.round(pose.positions, 6).ravel().tolist())


def present(part: PuppetPart, skeleton: Skeleton, puppet: Puppet | None, place: ArrayLike) -> tuple[Pose, float]:
    """What the body does with the handle at `place`, and how well that is defined: a pose made by hand goes before the keys."""
    if part.posed is not None and fits(part.posed, skeleton):
        return pose_of(part.posed, skeleton), 1.0
    if puppet is None:
        return rest_pose(skeleton), 1.0
    found = puppet.pose(place)
    return found, found.defined


def take_of(take: PuppetTake) -> Take:
    """A take out of the scene."""
    return Take(np.reshape(take.path, (-1, 3)), np.array(take.times))


def home(staged: Staged) -> Array:
    """(3,) where the handle begins: a little outside the right hand at rest, or before the chest where there is none."""
    skeleton = staged.motion.skeleton
    rest = rest_pose(skeleton)
    places = kinematics.world_positions(skeleton, rest.rotations[None], rest.positions[None])[0]
    known = roles.known(skeleton)
    if "right_hand" not in known:
        return np.asarray(places[0] + np.array([0.0, 0.0, 0.3 * staged.height]))
    hand = places[known["right_hand"]]
    arm = hand - places[known.get("right_lower_arm", known["right_hand"])]
    length = float(np.linalg.norm(arm))
    away = arm / length if length > 1e-9 else np.array([-1.0, 0.0, 0.0])
    return np.asarray(hand + _BESIDE * staged.height * away)


def answers(
    revision: int, scene: Scene, staged: Staged, puppet: Puppet | None, offer: Offer
) -> Iterator[PuppetUpdate | ErrorMessage]:
    """What the page is told: the puppet, and where its motion, its map and its file can be fetched."""
    part, skeleton = scene.puppet, staged.motion.skeleton
    known = roles.known(skeleton)
    grabs = [Grab(known[role], role) for role in GRABS if role in known] or [Grab(0, "root")]
    motion = chart = file = ""
    notes: tuple[Note, ...] = ()
    trouble: KomadoriError | None = None
    if puppet is not None:
        name = _digest(scene.motion, scene.character, part.keys, part.options)
        chart = offer(f"puppet-map-{name}", lambda: _chart(puppet))
        file = offer(f"puppet-{name}.json", lambda: encoded(puppet, "puppet.json"))
        if puppet.doubled:
            notes = (Note("several keys stand in one place: {names} do not count", names=", ".join(puppet.doubled)),)
        try:
            acts = _acts(part)
            if acts is not None:
                motion = offer(f"puppet-{_digest(name, acts)}.motion", lambda: _motion(part, puppet))
        except KomadoriError as error:
            trouble = error
    can_walk = puppet is not None and puppet.ground is not None and len(puppet.keys) >= 3
    yield PuppetUpdate(revision, home(staged).tolist(), grabs, motion, chart, file, can_walk, in_both_languages(notes))
    if trouble is not None:
        yield error_message(trouble, "puppet")


def performed(part: PuppetPart, puppet: Puppet) -> tuple[Motion, Array | None]:
    """What the timeline plays, and the handle (F, 3) that led it where there was one."""
    kind, _, name = part.shown.partition(":")
    own = options(part)
    if kind == "walk":
        return walking(puppet, own.walk_speed, own.walk_seconds, FPS), None
    takes = {take.name: take_of(take) for take in part.takes}
    if kind == "sequence":
        return sequence([Act(puppet, takes[entry.take], blend_s=entry.blend_s) for entry in part.sequence], FPS), None
    path = takes[name].sampled(FPS)
    return puppet.perform(path, FPS), path


def plays(part: PuppetPart) -> bool:
    """Whether there is anything that the timeline plays."""
    return _acts(part) is not None


def _acts(part: PuppetPart) -> object:
    """What the shown motion is made of, or None where nothing is shown."""
    kind, _, name = part.shown.partition(":")
    takes = {take.name: take for take in part.takes}
    if kind == "take" and name in takes:
        return takes[name]
    if kind == "sequence" and part.sequence and all(entry.take in takes for entry in part.sequence):
        return part.sequence, [takes[entry.take] for entry in part.sequence]
    return "walk" if kind == "walk" else None


def _motion(part: PuppetPart, puppet: Puppet) -> bytes:
    motion, handle = performed(part, puppet)
    if handle is None:
        return packed_motion(motion)
    # On a ground the handle is where the body is and a way off it.
    travel = (motion.positions[:, 0] - puppet.poses(handle).positions[:, 0]) * np.array([1.0, 0.0, 1.0])
    return packed_motion(motion, handle=handle + travel)


def _chart(puppet: Puppet) -> bytes:
    found = mapped(puppet, steps=_MAP_STEPS)
    return packed(MapArrays(found.places, found.need, found.defined))


def _digest(*parts: object) -> str:
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:16]


def changed(scene: Scene, **parts: Any) -> Scene:
    """The scene with some of this part's fields replaced."""
    return msgspec.structs.replace(scene, puppet=msgspec.structs.replace(scene.puppet, **parts))
