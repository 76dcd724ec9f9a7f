"""Puppet: keys in space and the body that they move (Igarashi). A place of the handle gives a pose, a path a motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike

from komadori import quat
from komadori.errors import OptionError, one_of
from komadori.methods.puppet.blend import Blend, Poses, solved
from komadori.methods.puppet.keys import Grip, Key, PuppetPose, checked_keys, joint_of, path_of, place
from komadori.methods.puppet.reaching import held
from komadori.methods.puppet.take import Take
from komadori.methods.puppet.transfer import moved
from komadori.methods.puppet.treading import Support, support_of, travelled
from komadori.motion import Motion, Pose
from komadori.numerics.rbf import Kernel
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Note

MOST_CELLS = 1_000_000
"""Frames times joints of one performance, more than 20 minutes of a whole body: a line of a script may say any length."""


@dataclass(frozen=True, eq=False)
class Puppet:
    """A body and its keys: drag the handle (`pose`), perform a path (`perform`), save it, move it to another body.

    `kernel` "linear" is the paper's |x|; "cubic" is smoother and swings out more between and beyond the keys; "local" fades
    to the plain linear trend away from them. `polynomial=False` leaves that trend out. `ik` (a joint, a role, or a
    Grip) holds that joint at the handle. With a `ground` (its height in metres) the handle counts from the point on the
    ground below the root, and while it touches the ground the body moves instead (section 3.2).
    """

    skeleton: Skeleton
    keys: tuple[Key, ...]
    kernel: Kernel = "linear"
    polynomial: bool = True
    ik: Grip | None = None
    ground: float | None = None
    notes: tuple[Note, ...] = ()

    def __init__(
        self,
        skeleton: Skeleton,
        keys: Sequence[Key | tuple[Any, Pose]],
        kernel: Kernel = "linear",
        polynomial: bool = True,
        ik: Grip | str | None = None,
        ground: float | None = None,
        notes: Sequence[Note] = (),
    ) -> None:
        put = object.__setattr__
        if kernel not in get_args(Kernel):
            raise OptionError("kernel", expected=one_of(get_args(Kernel)), found=kernel)
        if ground is not None and not abs(ground) < np.inf:
            raise OptionError("ground", expected=Note("a height in metres"), found=ground)
        put(self, "skeleton", skeleton)
        put(self, "keys", checked_keys(skeleton, list(keys)))
        put(self, "kernel", kernel)
        put(self, "polynomial", bool(polynomial))
        put(self, "ik", Grip(ik) if isinstance(ik, str) else ik)
        put(self, "ground", None if ground is None else float(ground))
        put(self, "notes", tuple(notes))
        if self.ik is not None:
            self.ik.chain(skeleton)
            for name in self.ik.limits_deg:
                joint_of(skeleton, name)

    def __repr__(self) -> str:
        return f"Puppet({len(self.keys)} keys, {len(self.skeleton)} joints, kernel {self.kernel!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.skeleton, self.keys, self.kernel, self.polynomial, self.ik, self.ground, self.notes)
        return (Puppet, parts)

    @cached_property
    def blend(self) -> Blend:
        """The keys, solved; done once."""
        positions = np.stack([np.asarray(key.pose.positions, dtype=np.float64) for key in self.keys])
        if self.ground is not None:
            # The handle counts from below the root: where on the ground that was when the key was set says nothing.
            positions[:, 0, ::2] = 0.0
        rotations = quat.normalized(np.stack([key.pose.rotations for key in self.keys]))
        places = np.stack([key.position for key in self.keys])
        return solved(places, rotations, positions, self.kernel, self.polynomial)

    @property
    def doubled(self) -> tuple[str, ...]:
        """Keys that do not count because a later one stands in the same place."""
        kept = set(self.blend.kept.tolist())
        return tuple(key.name or str(number) for number, key in enumerate(self.keys) if number not in kept)

    def pose(self, handle: ArrayLike) -> PuppetPose:
        """The pose at `handle` (3,). The same handle gives the same pose, whatever came before."""
        poses = self.poses(place(handle, "handle")[None])
        return PuppetPose(poses.rotations[0], poses.positions[0], float(poses.defined[0]))

    def poses(self, handles: ArrayLike) -> Poses:
        """The poses at many handles (F, 3), at once."""
        handles = path_of(handles, "handles")
        found, _ = self.blend.at(handles)
        if self.ik is None:
            return found
        rotations, _ = held(self.skeleton, self.ik, found.rotations, found.positions, self._target(handles, found))
        return replace(found, rotations=rotations)

    def _target(self, handles: Array, poses: Poses) -> Array:
        """Where in the world of the poses the handles are."""
        if self.ground is None:
            return handles
        return np.asarray(handles + poses.positions[:, 0] * np.array([1.0, 0.0, 1.0]))

    @cached_property
    def _support(self) -> Support | None:
        if self.ground is None:
            return None
        places = np.stack([key.position for key in self.keys])
        found, _ = self.blend.at(places)
        return support_of(self.skeleton, places, found.rotations, found.positions)

    def travelled(self, handles: ArrayLike, poses: Poses) -> Array:
        """(F - 1, 2) metres along x and z by which the body comes from each handle to the next, on its ground."""
        places = path_of(handles, "handles")
        if self.ground is None:
            return np.zeros((max(len(places) - 1, 0), 2))
        return travelled(self.skeleton, self.ground, self._support, places, poses.rotations, poses.positions)

    def perform(self, path: ArrayLike | Take, fps: float = 24.0) -> Motion:
        """The motion that the handle's path makes: (F, 3), one position per frame, or a Take.

        On a ground the path is relative to the body, and whenever the handle is on the ground in two frames running,
        it stays where it is and the body travels. Where the handle is a foot and in the air, the body goes over the other
        foot while that one stands.
        """
        handles = path.sampled(fps) if isinstance(path, Take) else path_of(path)
        most = max(MOST_CELLS // len(self.skeleton), 1)
        if len(handles) > most:
            expected = Note("at most {most} frames at {fps:g} fps", most=most, fps=fps)
            found_s = Note("{seconds:g} s", seconds=len(handles) / fps)
            raise OptionError("path", expected=expected, found=found_s)
        found = self.poses(handles)
        positions = found.positions
        notes = list(self.notes)
        if self.ground is not None and len(handles) > 1:
            positions = np.array(positions)
            positions[1:, 0, ::2] += np.cumsum(self.travelled(handles, found), axis=0)
        unsure = int((found.defined < 0.5).sum())
        if unsure:
            notes.append(
                Note(
                    "In {count:frame|frames} the handle is where the keys define no pose; the nearest key is used there.",
                    count=unsure,
                )
            )
        if self.doubled:
            notes.append(
                Note(
                    "Several keys are at the same position; these are not used: {names}", names=", ".join(self.doubled)
                )
            )
        return Motion(self.skeleton, fps, quat.continuous(found.rotations), positions, notes=tuple(notes))

    def with_key(self, position: ArrayLike, pose: Pose, name: str = "") -> Puppet:
        """The puppet with one more key; a key of the same name is replaced."""
        kept = [key for key in self.keys if not name or key.name != name]
        return self.changed(keys=[*kept, Key(place(position, "position"), pose, name)])

    def without_key(self, which: int | str) -> Puppet:
        """The puppet without a key, by name or number."""
        names = [key.name for key in self.keys]
        number = names.index(which) if which in names else which
        if not isinstance(number, int) or not 0 <= number < len(self.keys):
            raise OptionError(
                "key",
                expected=Note("the name of a key, or its number, 0 to {last}", last=len(self.keys) - 1),
                found=which,
            )
        return self.changed(keys=[key for n, key in enumerate(self.keys) if n != number])

    def changed(self, **parts: Any) -> Puppet:
        """The puppet with some of its parts replaced."""
        own = {
            "skeleton": self.skeleton, "keys": self.keys, "kernel": self.kernel, "polynomial": self.polynomial,
            "ik": self.ik, "ground": self.ground, "notes": self.notes,
        }  # fmt: skip
        return Puppet(**{**own, **parts})

    def moved_to(self, skeleton: Skeleton) -> Puppet:
        """The same keys on another body, joint by joint through roles; places grow with the body.

        A note states how far hands end up from where this body, with that one's arms, would have them.
        """
        there = moved(self.skeleton, self.keys, self.ik, skeleton, self.ground is not None)
        return self.changed(skeleton=skeleton, keys=there.keys, ik=there.ik, notes=(*self.notes, *there.notes))
