"""Sequences: takes of different key sets on one timeline with blended transitions, and several characters at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from komadori import quat
from komadori.errors import OptionError
from komadori.methods.puppet.rig import Puppet
from komadori.methods.puppet.take import MOST_FRAMES, Take
from komadori.motion import Motion
from komadori.quat import Array
from komadori.words import Note


@dataclass(frozen=True, eq=False)
class Scene:
    """One entry of a timeline: a puppet performing a take, or a motion that is there already, from `start_s` on.

    `start_s=None` begins it `blend_s` before the scene before it ends, so that the transition lies where both play.
    """

    puppet: Puppet | None
    take: Take | Motion
    start_s: float | None = None
    blend_s: float = 0.4

    def motion(self, fps: float) -> Motion:
        """The scene by itself."""
        if isinstance(self.take, Motion):
            return self.take if self.take.fps == fps else self.take.resampled(fps)
        if self.puppet is None:
            raise OptionError("puppet", problem=Note("no puppet performs the take"))
        return self.puppet.perform(self.take, fps)


def sequence(scenes: Sequence[Scene], fps: float = 24.0, *, stay: bool = True) -> Motion:
    """The scenes one after another as one motion, each gliding into the next over its `blend_s`.

    All must be of one skeleton (see `Puppet.moved_to`). Where two scenes overlap the later one takes over; if there is a
    gap the earlier one holds its last pose. With `stay` a scene begins, on the ground, where the body has
    come to, not where its keys were set.
    """
    if not scenes:
        raise OptionError("scenes", expected=Note("at least one scene"), found=Note("none"))
    result: Motion | None = None
    for number, scene in enumerate(scenes):
        if not 0.0 <= scene.blend_s <= 60.0:
            raise OptionError(
                Note("scene {number}, blend_s", number=number),
                expected=Note("a number of seconds from {low:g} to {high:g}", low=0.0, high=60.0),
                found=scene.blend_s,
            )
        clip = scene.motion(fps)
        if not len(clip):
            raise OptionError(Note("scene {number}", number=number), problem=Note("the motion has no frames"))
        if result is None:
            result = clip
            continue
        if not clip.skeleton.same_joints(result.skeleton):
            raise OptionError(
                Note("scene {number}", number=number),
                problem=Note("the scene has another skeleton than the first"),
                advice=Note("puppet.moved_to moves its puppet there"),
            )
        blend = round(scene.blend_s * fps)
        first = max(0, len(result) - blend) if scene.start_s is None else round(scene.start_s * fps)
        if first < 0 or first + len(clip) > MOST_FRAMES:
            raise OptionError(
                Note("scene {number}, start_s", number=number),
                expected=Note("a start within {most} frames", most=MOST_FRAMES),
                found=scene.start_s,
            )
        result = _joined(result, clip, first, blend, stay)
    assert result is not None
    return result


def together(puppets: Sequence[Puppet], takes: Sequence[Take] | Take, fps: float = 24.0) -> tuple[Motion, ...]:
    """Several characters: all on one handle (one take), or each on its own (as many takes); all of one length.

    A person who ends first holds the last pose.
    """
    own = [takes] * len(puppets) if isinstance(takes, Take) else list(takes)
    if len(own) != len(puppets):
        raise OptionError(
            "takes", expected=Note("one take, or one per puppet ({count})", count=len(puppets)), found=len(own)
        )
    clips = [puppet.perform(take, fps) for puppet, take in zip(puppets, own, strict=True)]
    longest = max((len(clip) for clip in clips), default=0)
    return tuple(clip.taken(np.minimum(np.arange(longest), len(clip) - 1)) for clip in clips)


def _joined(before: Motion, after: Motion, first: int, blend: int, stay: bool) -> Motion:
    frames = max(len(before), first + len(after))
    at = np.arange(frames)
    old_q, old_p = before.rotations[np.minimum(at, len(before) - 1)], before.positions[np.minimum(at, len(before) - 1)]
    own = np.clip(at - first, 0, len(after) - 1)
    new_q, new_p = after.rotations[own], np.array(after.positions[own])
    if stay:
        there, here = old_p[min(first, frames - 1), 0], new_p[min(first, frames - 1), 0]
        new_p[:, 0, ::2] += there[::2] - here[::2]
    x = np.clip((at - first + 1) / (blend + 1), 0.0, 1.0)
    weight = x * x * (3.0 - 2.0 * x)
    rotations = _mixed(old_q, new_q, weight)
    positions = old_p + weight[:, None, None] * (new_p - old_p)
    return Motion(
        before.skeleton, before.fps, quat.continuous(rotations), positions, notes=(*before.notes, *after.notes)
    )


def _mixed(old: Array, new: Array, weight: Array) -> Array:
    """From `old` to `new` (F, J, 4): slerp, always round the same side, so that no joint flips where both are half a turn apart."""
    signed = quat.continuous(old)
    start = int(np.argmax(weight > 0.0))
    other = quat.continuous(new)
    opposite = np.einsum("jc,jc->j", signed[start], other[start]) < 0.0
    other = np.where(opposite[:, None], -other, other)
    mixed = quat.normalized((1.0 - weight)[:, None, None] * signed + weight[:, None, None] * other)
    return np.where((weight == 0.0)[:, None, None], old, np.where((weight == 1.0)[:, None, None], new, mixed))
