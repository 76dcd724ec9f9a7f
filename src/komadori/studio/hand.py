"""One page's hand on the puppet: places of the handle and of dragged joints come in as numbers, poses go out at once.

The newest place wins. What is recorded or posed meanwhile is added to the scene as it comes, so that the save has it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from komadori.errors import KomadoriError
from komadori.methods.puppet import Puppet, dragged
from komadori.methods.puppet.keys import place as checked_place
from komadori.motion import Pose
from komadori.quat import Array
from komadori.studio.desk import Desk
from komadori.studio.messages import HandInput, HandKind, PoseArrays
from komadori.studio.packing import packed
from komadori.studio.parts import poses
from komadori.studio.parts.poses import stored
from komadori.studio.parts.puppet import changed, present
from komadori.studio.parts.puppet_edits import recorded, recovered
from komadori.studio.scene import MOST_PLACES

JOURNAL_S = 0.3
"""What was recorded or dragged is in the scene at least this often."""
RESTING_S = 0.06
"""A hand that sends nothing for this long has been still: the place before counts until just before the next."""
KEY_POSES = "keyposes"
"""The method whose poses are redrawn."""


class Hand:
    """Takes where the hand is, and gives the pose; `clock` gives seconds, `news` is called when the scene changed."""

    def __init__(self, desk: Desk, clock: Callable[[], float], news: Callable[[], None]) -> None:
        self._desk = desk
        self._clock = clock
        self._news = news
        self._handle: Array | None = None
        self._travel = np.zeros(2)
        self._waiting: HandInput | None = None
        self._reply: bytes | None = None
        self._drag: tuple[tuple[int, float, float], Pose] | None = None
        self._posed: Pose | None = None
        self._path: list[float] = []
        self._times: list[float] = []
        self._recording = 0
        self._last_s = -1.0
        self._kept = clock()

    def feel(self, data: bytes) -> bool:
        """Takes one message in, whether it is one; what it records is kept even where a newer one overtakes its pose."""
        given = HandInput.read(data)
        if given is None:
            return False
        if given.kind == HandKind.HANDLE and given.which:
            self._record(given)
        self._waiting = given
        return True

    def answer(self) -> bytes | None:
        """The pose that the newest message asks for; None if it is told already or there is none."""
        given, self._waiting = self._waiting, None
        if given is not None:
            self._reply = self._answered(given)
        if self._clock() - self._kept >= JOURNAL_S:
            self.keep()
        reply, self._reply = self._reply, None
        return reply

    def _answered(self, given: HandInput) -> bytes | None:
        scene = self._desk.scene
        others: tuple[Array, Array] | None = None
        try:
            target = checked_place(given.place, "handle")
            if given.kind == HandKind.KEY:
                return self._key_pose(given, target)
            skeleton, puppet = self._desk.results.puppet(scene)
            if given.kind == HandKind.PULL:
                base = self._drag_start(given, lambda: present(scene.puppet, skeleton, puppet, self._at(target))[0])
                pose, defined = dragged(skeleton, base, given.which, target), 1.0
                self._posed = pose
            else:
                pose, defined = present(scene.puppet, skeleton, puppet, target)
                self._walk(puppet, target)
                self._handle = target
                others = self._desk.results.company.poses(scene, skeleton, target)
        except KomadoriError:
            return None  # A body that the keys do not fit: the part's own answer tells it, once.
        x, z = self._travel.tolist()
        more = (None, None) if others is None else others
        return packed(PoseArrays(given.serial, defined, (x, z), pose.rotations, pose.positions, *more))

    def _key_pose(self, given: HandInput, target: Array) -> bytes:
        """A key pose with a joint drawn to a place."""
        motion, frame = self._desk.results.staged(self._desk.scene).motion, int(given.frame)
        base = self._drag_start(given, lambda: poses.present(motion, self._desk.scene, KEY_POSES, frame))
        self._posed = pose = dragged(motion.skeleton, base, given.which, target)
        return packed(PoseArrays(given.serial, 1.0, (0.0, 0.0), pose.rotations, pose.positions))

    def keep(self) -> None:
        """Lays what came since the last time into the scene; whatever is asked next sees it there."""
        self._kept = self._clock()
        if self._waiting is not None and self._waiting.kind != HandKind.HANDLE:
            given, self._waiting = self._waiting, None
            self._reply = self._answered(given)
        part = self._desk.scene.puppet
        if self._times:
            path, times = self._path, self._times
            self._path, self._times = [], []
            room = MOST_PLACES - len(part.recording.times) if part.recording else 0
            if part.recording is not None and part.recording.number == self._recording and room > 0:
                more = recorded(part, path[: 3 * room], times[:room])
                self._desk.put(changed(self._desk.scene, recording=more), f"record {self._recording}")
                self._news()
        self._lay_pose()

    def _lay_pose(self) -> None:
        if self._posed is not None and self._drag is not None:
            pose, self._posed = self._posed, None
            kind, number, frame = self._drag[0]
            scene = self._desk.scene
            if kind == HandKind.KEY:
                scene = poses.with_pose(scene, KEY_POSES, int(frame), pose)
            else:
                scene = changed(scene, posed=stored(pose))
            self._desk.put(scene, f"drag {id(self)} {kind} {number}")
            self._news()

    def leave(self) -> None:
        """The page has gone: what it was recording is a take."""
        self.keep()
        recording = self._desk.scene.puppet.recording
        if recording is not None and recording.number == self._recording:
            self._desk.put(recovered(self._desk.scene), f"record {self._recording}")
            self._news()

    def _at(self, other: Array) -> Array:
        return other if self._handle is None else self._handle

    def _drag_start(self, given: HandInput, make: Callable[[], Pose]) -> Pose:
        """The pose in which this drag began: what comes of it depends on where the hand is, not on how it came there."""
        drag = (given.kind, given.seconds, given.frame)
        if self._drag is None or self._drag[0] != drag:
            self._lay_pose()
            self._drag = (drag, make())
        return self._drag[1]

    def _walk(self, puppet: Puppet | None, place: Array) -> None:
        """How far the body has come, over the handle on the ground or over a foot (Igarashi, section 3.2)."""
        if puppet is None or puppet.ground is None or self._handle is None:
            return
        both = np.stack([self._handle, place])
        self._travel = self._travel + puppet.travelled(both, puppet.poses(both))[0]

    def _record(self, given: HandInput) -> None:
        if given.which != self._recording:
            self.keep()
            self._recording, self._last_s = given.which, -1.0
            self._path, self._times = [], []
        seconds = round(given.seconds, 4)
        if seconds <= self._last_s:
            return
        place = np.round(given.place, 5).tolist()
        if self._path and seconds - self._last_s > RESTING_S:
            self._times.append(round(seconds - RESTING_S / 3, 4))
            self._path += self._path[-3:]
        self._times.append(seconds)
        self._path += place
        self._last_s = seconds
