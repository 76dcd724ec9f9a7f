"""Several characters on the puppet's handle (future work of Igarashi): the same keys, moved to each body, and the same takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from komadori.errors import KomadoriError, OptionError
from komadori.methods.puppet import Puppet, rest_pose
from komadori.methods.puppet.transfer import growth
from komadori.motion import Motion, Pose
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.studio.messages import MemberInfo
from komadori.studio.offers import Offer
from komadori.studio.packing import packed_motion
from komadori.studio.parts.puppet import Maker, acts, built, digest, performed, plays
from komadori.studio.parts.puppet_edits import moved
from komadori.studio.scene import Scene
from komadori.studio.stage import Stage, Staged
from komadori.words import Note


@dataclass(frozen=True, eq=False)
class Member:
    """Another character on the handle: its scene has the keys and takes for its body."""

    character: str
    staged: Staged
    scene: Scene
    puppet: Puppet | None
    grown: float
    """How many times as far the handle goes for it."""

    @property
    def skeleton(self) -> Skeleton:
        """The body's joints."""
        return self.staged.motion.skeleton

    def pose(self, place: Array) -> Pose:
        """What it does with the first character's handle at `place`."""
        return rest_pose(self.skeleton) if self.puppet is None else self.puppet.pose(self.grown * place)

    def motion(self) -> Motion:
        """What the timeline plays of it."""
        return performed(self.scene.puppet, self.skeleton, self.scene.fps)[0]


class Company:
    """The others on the handle; the last ones are kept, so that a moving handle only asks for poses."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._maker = Maker()
        self._last: tuple[Scene, Skeleton, tuple[Member, ...]] | None = None

    def of(self, scene: Scene, skeleton: Skeleton) -> tuple[Member, ...]:
        """The members, with keys for their bodies; `skeleton` is that of the first character."""
        last = self._last
        if last is not None and last[0].puppet is scene.puppet and last[0].fps == scene.fps and last[1] is skeleton:
            return last[2]
        lead = self._maker.of(scene.puppet, skeleton)
        members = tuple(self._member(name, scene, skeleton, lead) for name in scene.puppet.together)
        self._last = (scene, skeleton, members)
        return members

    def _member(self, name: str, scene: Scene, skeleton: Skeleton, lead: Puppet | None) -> Member:
        staged = self._stage.ready("", name)
        other = staged.motion.skeleton
        own = moved(scene, skeleton, other)
        if lead is None or not own.puppet.keys:
            return Member(name, staged, own, None, 1.0)
        puppet = built(own.puppet, other)
        return Member(name, staged, own, puppet, growth(lead.keys, puppet.keys))

    def check(self, scene: Scene, names: list[str], skeleton: Skeleton) -> None:
        """Refuses a body onto which no keys can be moved."""
        lead = self._maker.of(scene.puppet, skeleton)
        for name in names:
            other = self._stage.ready("", name).motion.skeleton
            if lead is not None:
                try:
                    lead.moved_to(other)
                except KomadoriError as error:
                    raise OptionError(
                        Note(
                            "the keys cannot be moved to {name}: {why}",
                            name=self._stage.ready("", name).name,
                            why=error.note,
                        )
                    ) from None

    def told(self, scene: Scene, skeleton: Skeleton, offer: Offer) -> list[MemberInfo]:
        """What the page is told of them."""
        found = []
        for member in self.of(scene, skeleton):
            part, staged = member.scene.puppet, member.staged
            figure, motion = offer(f"{digest('figure', member.character)}.glb", partial(_figure, staged)), ""
            if plays(part):
                name = digest(member.character, scene.fps, acts(part), part.options)
                motion = offer(f"{name}.motion", partial(_packed, member))
            found.append(MemberInfo(member.character, staged.name, figure, motion, staged.height, len(member.skeleton)))
        return found

    def poses(self, scene: Scene, skeleton: Skeleton, place: Array) -> tuple[Array, Array] | None:
        """(N, 4) rotations and (N, 3) positions of all members' joints with the handle at `place`; None without members."""
        found = [member.pose(place) for member in self.of(scene, skeleton)]
        if not found:
            return None
        return np.concatenate([pose.rotations for pose in found]), np.concatenate([pose.positions for pose in found])


def _figure(staged: Staged) -> bytes:
    return staged.figure


def _packed(member: Member) -> bytes:
    return packed_motion(member.motion())
