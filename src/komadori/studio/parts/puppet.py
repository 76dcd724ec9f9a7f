"""The puppet in the studio: the scene's keys as a puppet, its pose at any place, and what the timeline plays of it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from komadori import kinematics, roles
from komadori.errors import KomadoriError, OptionError
from komadori.formats import encoded
from komadori.methods.plant import plant
from komadori.methods.puppet import Key, Puppet, Take, mapped, rest_pose, sequence, walking
from komadori.methods.puppet import Scene as Act
from komadori.motion import Motion, Pose
from komadori.numerics.rbf import Kernel
from komadori.parameters import check, parameter
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.studio.bilingual import error_message, in_both_languages
from komadori.studio.messages import ErrorMessage, MapArrays, MemberInfo, PuppetUpdate
from komadori.studio.offers import Offer
from komadori.studio.packing import packed, packed_motion
from komadori.studio.parts.poses import fits, plain_pose
from komadori.studio.parts.sheet import plain
from komadori.studio.scene import KeySet, PosedBody, PuppetPart, PuppetTake, Scene
from komadori.studio.stage import Staged
from komadori.words import Note

_BESIDE = 0.15
"""How far outside the right hand the handle begins, in heights of the body: it must not cover the hand."""
_MAP_STEPS = 11


Grip: TypeAlias = Literal["none", "right_hand", "left_hand", "right_foot", "left_foot", "head"]
"""What can be held at the handle."""


@dataclass(frozen=True)
class PuppetOptions:
    """How the keys become poses."""

    kernel: Kernel = parameter(
        "linear",
        "how keys blend: linear as the paper's, cubic smoother, local fading to the trend",
        label="blend between keys",
        called={"linear": "straight", "cubic": "smooth", "local": "near keys only"},
    )
    polynomial: bool = parameter(True, "extrapolate poses beyond the keys", label="go beyond the keys")
    ik: Grip = parameter(
        "none",
        "hold this joint at the handle",
        label="joint at the handle",
        called={name: name.replace("_", " ") for name in get_args(Grip)},
    )
    walks: bool = parameter(
        False,
        "the handle counts from the body, and while it is on the ground the body moves instead",
        label="walk on the ground",
    )
    ground: float = parameter(
        0.0, "height of that ground", unit="m", low=-10.0, high=10.0, label="height of the ground"
    )
    plant_feet: bool = parameter(False, "lock planted feet in place", label="keep planted feet in place")
    walk_speed: float = parameter(
        1.2,
        "speed of a walk made of the keys; backwards below 0",
        unit="m/s",
        low=-4.0,
        high=4.0,
        label="speed of the walk",
    )
    walk_seconds: float = parameter(
        4.0, "length of that walk", unit="s", low=0.5, high=60.0, label="length of the walk"
    )

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


def options(part: PuppetPart | KeySet) -> PuppetOptions:
    """The scene's options."""
    return PuppetOptions(**plain(part.options, PuppetOptions))


def built(part: PuppetPart | KeySet, skeleton: Skeleton) -> Puppet:
    """The keys as a puppet of this body."""
    own = options(part)
    keys = [Key(np.array(key.place), pose_of(key.pose, skeleton), key.name) for key in part.keys]
    return Puppet(skeleton, keys, own.kernel, own.polynomial, own.grip, own.ground if own.walks else None)


def pose_of(pose: PosedBody, skeleton: Skeleton) -> Pose:
    """A pose out of the scene."""
    if not fits(pose, skeleton):
        raise OptionError(
            Note(
                "the puppet's keys are of another body, whose joints cannot be matched: open that body again, or delete the keys"
            )
        )
    return plain_pose(pose)


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
    """(3,) where the handle begins: a little outside the right hand at rest, or before the chest if there is none."""
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
    revision: int,
    scene: Scene,
    staged: Staged,
    puppet: Puppet | None,
    others: Callable[[], list[MemberInfo]],
    offer: Offer,
) -> Iterator[PuppetUpdate | ErrorMessage]:
    """What the page is told: the puppet, and where its motion, its map and its file can be fetched."""
    part, skeleton = scene.puppet, staged.motion.skeleton
    motion = chart = file = ""
    notes: tuple[Note, ...] = ()
    trouble: KomadoriError | None = None
    together: list[MemberInfo] = []
    if puppet is not None:
        name = digest(scene.motion, scene.character, part.keys, part.options)
        chart = offer(f"puppet-map-{name}", lambda: _chart(puppet))
        file = offer(f"puppet-{name}.json", lambda: encoded(puppet, "puppet.json"))
        if puppet.doubled:
            notes = (
                Note(
                    "Several keys are at the same position; these are not used: {names}",
                    names=", ".join(puppet.doubled),
                ),
            )
    try:
        played = acts(part)
        if played is not None:
            name = digest(scene.opened, played)
            motion = offer(f"puppet-{name}.motion", lambda: _motion(part, skeleton, scene.fps))
        together = others()
    except KomadoriError as error:
        trouble = error
    can_walk = puppet is not None and puppet.ground is not None and len(puppet.keys) >= 3
    yield PuppetUpdate(
        revision, home(staged).tolist(), motion, chart, file, can_walk, in_both_languages(notes), together
    )
    if trouble is not None:
        yield error_message(trouble, "puppet")


def key_set(part: PuppetPart, name: str) -> KeySet | None:
    """The key set called `name`: the one in hand, or another."""
    if name == part.set:
        return KeySet(part.set, part.keys, part.options)
    return next((one for one in part.sets if one.name == name), None)


def performed(part: PuppetPart, skeleton: Skeleton, fps: float) -> tuple[Motion, Array | None]:
    """What the timeline plays, and the handle (F, 3) that led it if there was one; each take with its own keys."""
    motion, handle = _played(part, skeleton, fps)
    return plant(motion).motion if options(part).plant_feet else motion, handle


def _played(part: PuppetPart, skeleton: Skeleton, fps: float) -> tuple[Motion, Array | None]:
    kind, _, name = part.shown.partition(":")
    if kind == "walk":
        own = options(part)
        return walking(built(part, skeleton), own.walk_speed, own.walk_seconds, fps), None
    takes = {take.name: take for take in part.takes}
    if kind == "sequence":
        puppets = {name: _built_for(part, name, skeleton) for name in {takes[e.take].keys for e in part.sequence}}
        parts = [
            Act(puppets[takes[entry.take].keys], take_of(takes[entry.take]), blend_s=entry.blend_s)
            for entry in part.sequence
        ]
        return sequence(parts, fps), None
    path = take_of(takes[name]).sampled(fps)
    return _built_for(part, takes[name].keys, skeleton).perform(path, fps), path


def _built_for(part: PuppetPart, name: str, skeleton: Skeleton) -> Puppet:
    found = key_set(part, name)
    if found is None or not found.keys:
        raise OptionError(Note("the take's key set has no keys any more: {name}", name=name))
    return built(found, skeleton)


def plays(part: PuppetPart) -> bool:
    """Whether there is anything that the timeline plays."""
    return acts(part) is not None


def acts(part: PuppetPart) -> object:
    """What the shown motion is made of, or None if nothing is shown."""
    kind, _, name = part.shown.partition(":")
    takes = {take.name: take for take in part.takes}
    if kind == "take" and name in takes:
        return takes[name], key_set(part, takes[name].keys)
    if kind == "sequence" and part.sequence and all(entry.take in takes for entry in part.sequence):
        played = [takes[entry.take] for entry in part.sequence]
        return part.sequence, played, [key_set(part, name) for name in sorted({take.keys for take in played})]
    return ("walk", part.keys, part.options) if kind == "walk" and part.keys else None


def _motion(part: PuppetPart, skeleton: Skeleton, fps: float) -> bytes:
    motion, handle = performed(part, skeleton, fps)
    if handle is None:
        return packed_motion(motion)
    free, _ = _played(part, skeleton, fps)
    take = next(take for take in part.takes if f"take:{take.name}" == part.shown)
    puppet = _built_for(part, take.keys, skeleton)
    # On a ground the handle is where the body is and a way off it.
    travel = (free.positions[:, 0] - puppet.poses(handle).positions[:, 0]) * np.array([1.0, 0.0, 1.0])
    return packed_motion(motion, handle=handle + travel)


def _chart(puppet: Puppet) -> bytes:
    found = mapped(puppet, steps=_MAP_STEPS)
    return packed(MapArrays(found.places, found.need, found.defined))


def digest(*parts: object) -> str:
    """A name for what is made of these."""
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:16]


def changed(scene: Scene, **parts: Any) -> Scene:
    """The scene with some of this part's fields replaced."""
    return msgspec.structs.replace(scene, puppet=msgspec.structs.replace(scene.puppet, **parts))
