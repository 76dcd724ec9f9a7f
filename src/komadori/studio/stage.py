"""The stage: a character with a motion on it at the scene's frame rate, made ready once and kept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from komadori.character import Character
from komadori.errors import OptionError
from komadori.methods.floor import floor
from komadori.methods.retarget import retarget
from komadori.motion import Motion
from komadori.render.stand_in import stand_in
from komadori.skinning import skin_of
from komadori.studio.figures import figure
from komadori.studio.packing import packed_motion
from komadori.studio.pictures import notes_on_pictures
from komadori.studio.scene import FPS
from komadori.studio.shelf import Shelf
from komadori.words import Note

REST_FRAMES = 48
"""Frames for which a character without a motion stands at rest."""
MOST_FRAMES = 200_000
KEPT = 8


@dataclass(frozen=True, eq=False)
class Staged:
    """A character and the motion that it plays, both on one skeleton."""

    name: str
    character: Character
    motion: Motion
    floor_m: float | None = None
    """How high the floor is that the body was put on."""

    @cached_property
    def figure(self) -> bytes:
        """The character for the page, a GLB."""
        return figure(self.character)

    @cached_property
    def arrays(self) -> bytes:
        """The motion for the page."""
        return packed_motion(self.motion)

    @cached_property
    def height(self) -> float:
        """Metres from its lowest to its highest place at rest."""
        return self.extent[1] or 1.0

    @cached_property
    def extent(self) -> tuple[float, float, float]:
        """Metres from end to end at rest, along x, y and z: of the skin if there is one, else of the joints."""
        rest = self.character.rest
        # A file's vertices may lie in any space of their own; only the skin over the joints tells where they are.
        skinned = any(len(mesh.vertices) for mesh in self.character.meshes)
        places = skin_of(self.character).posed(rest)[0] if skinned else rest.world_positions()
        x, y, z = np.ptp(np.asarray(places, dtype=np.float64).reshape(-1, 3), axis=0).tolist()
        return x, y, z


class Stage:
    """Puts motions onto characters; what was asked for lately is kept."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self._ready = lru_cache(KEPT)(self._made)

    def ready(self, motion: str, character: str, fps: float = FPS) -> Staged:
        """The motion (a key, or empty for rest) on the character (a key, or empty for the motion's own skeleton)."""
        return self._ready(motion, character, fps)

    def _made(self, motion: str, character: str, fps: float) -> Staged:
        if not motion:
            body = self._shelf.character(character)
            still = body.rest.taken(np.zeros(REST_FRAMES, dtype=np.intp))
            standing = Motion(still.skeleton, fps, still.rotations, still.positions)
            return Staged(body.name, body, standing)
        captured = self._shelf.motion(motion)
        if captured.duration_s * fps > MOST_FRAMES:
            raise OptionError(
                file_of(motion),
                expected=Note("a clip of at most {most} frames at {fps:g} fps", most=MOST_FRAMES, fps=fps),
                found=Note("{seconds:g} s", seconds=round(captured.duration_s, 1)),
            )
        if not len(captured):
            raise OptionError(file_of(motion), problem=Note("the motion has no frames"))
        clip = captured.prepared(fps=fps)
        if not character:
            on_floor = floor(clip)
            return Staged(motion, stand_in(clip.skeleton), on_floor.motion, on_floor.height_m)
        body = self._shelf.character(character)
        same = clip.skeleton.same_joints(body.skeleton)
        clip = clip.with_skeleton(body.skeleton) if same else retarget(clip, body).motion
        # As a recipe does, so that one exported from here makes the same.
        on_floor = floor(clip, character=body)
        return Staged(body.name, body, on_floor.motion, on_floor.height_m)


def file_of(key: str) -> str:
    """What people call the file or sample behind a key of the shelf.

    >>> file_of("drop:f3eddf14ba915fb9/walk.bvh#run"), file_of("sample:pitch")
    ('walk.bvh#run', 'pitch')
    """
    return key.partition(":")[2].rpartition("/")[2] or key


def notes_of(staged: Staged) -> tuple[Note, ...]:
    """What there is to say of the character and of how the motion came onto it."""
    return (*staged.character.notes, *staged.motion.notes, *notes_on_pictures(staged.character))
