"""Camera: a pinhole that looks at the world, still or moving, so that steps can be measured in its image."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from komadori import quat
from komadori.errors import OptionError, unquoted
from komadori.quat import Array
from komadori.words import Note

FARTHEST_M = 1e12
"""No camera and no target is farther away than this."""
NEAR_M = 0.01
"""Points nearer than this (or behind the camera) are treated as this far away, so that a projection never overflows."""


@dataclass(frozen=True, eq=False)
class Camera:
    """Looks from `position` at `target` with `up` upwards; (3,) when still, (F, 3) when moving. `fov_deg` is vertical.

    Image coordinates: x to the right, y up, 1 is half the image's height.
    """

    position: Array
    target: Array
    up: Array = field(default_factory=lambda: np.array([0.0, 1.0, 0.0]))
    fov_deg: float = 40.0

    def __post_init__(self) -> None:
        for name in ("position", "target", "up"):
            value = np.array(getattr(self, name), dtype=np.float64)
            if value.ndim not in (1, 2) or value.shape[-1] != 3 or not (np.abs(value) < FARTHEST_M).all():
                raise OptionError(
                    name,
                    expected=Note("finite x, y, z, or one such row per frame"),
                    found=unquoted(" x ".join(map(str, value.shape))),
                )
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        if not 1.0 <= float(self.fov_deg) <= 170.0:
            raise OptionError(
                "fov_deg",
                expected=Note("a number of degrees from {low:g} to {high:g}", low=1.0, high=170.0),
                found=self.fov_deg,
            )
        if self.frames == 0:
            raise OptionError("position", expected=Note("at least one row for a moving camera"), found=Note("none"))
        look = self.target - self.position
        if (np.linalg.norm(look, axis=-1) < 1e-9).any():
            raise OptionError("target", problem=Note("the camera cannot look at its own position"))

    @property
    def frames(self) -> int | None:
        """How many frames a moving camera has; None when it stands still."""
        lengths = {len(v) for v in (self.position, self.target, self.up) if v.ndim == 2}
        if len(lengths) > 1:
            raise OptionError(
                "position",
                expected=Note("as many rows in position, target and up"),
                found=unquoted(", ".join(map(str, sorted(lengths)))),
            )
        return lengths.pop() if lengths else None

    def projected(self, points: ArrayLike) -> Array:
        """World points (F, J, 3) in the image, (F, J, 2)."""
        seen = self.seen(points)
        depth = np.maximum(-seen[..., 2:], NEAR_M)
        return np.asarray(seen[..., :2] / (depth * math.tan(math.radians(self.fov_deg) / 2.0)))

    def seen(self, points: ArrayLike) -> Array:
        """World points (F, J, 3) as metres to the right, up, and back towards the eye, (F, J, 3)."""
        points = np.asarray(points, dtype=np.float64)
        frames = self.frames
        if frames is not None and frames != len(points):
            raise OptionError(
                "camera",
                expected=Note("as many frames as the motion has ({count})", count=len(points)),
                found=frames,
            )
        axes = self.axes
        if axes.ndim == 3:
            return np.asarray(
                np.einsum("fij,fkj->fki", axes, points - np.broadcast_to(self.position, axes.shape[:-1])[:, None, :])
            )
        if self.position.ndim == 2:
            return np.asarray(np.einsum("ij,fkj->fki", axes, points - self.position[:, None, :]))
        return np.asarray((points - self.position) @ axes.T)

    @property
    def axes(self) -> Array:
        """The image's right, its up, and back towards the eye as rows: (3, 3), or (F, 3, 3) where the camera turns."""
        back = _unit(self.position - self.target)
        right = quat.cross(np.broadcast_to(self.up, back.shape), back)
        # Looking straight up or down leaves the roll undefined: any level direction will do.
        level = np.linalg.norm(right, axis=-1, keepdims=True) > 1e-9
        right = _unit(np.where(level, right, np.array([1.0, 0.0, 0.0])))
        return np.stack([right, quat.cross(back, right), back], axis=-2)

    def at(self, frame: int) -> Camera:
        """The camera as it stands at `frame`."""
        position, target, up = (v if v.ndim == 1 else v[frame] for v in (self.position, self.target, self.up))
        return Camera(position, target, up, self.fov_deg)


STATED = ("position", "target", "up", "fov_deg")


def camera_of(stated: object) -> Camera:
    """A camera as itself, as a table of `STATED` (a mapping, or its pairs), or as seven numbers: position, target, degrees."""
    if isinstance(stated, Camera):
        return stated
    expected = Note('a table with "position" and "target" (and "up", "fov_deg")')
    try:
        if isinstance(stated, tuple | list) and len(stated) == 7:
            stated = {"position": stated[:3], "target": stated[3:6], "fov_deg": stated[6]}
        table = dict(stated)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        raise OptionError("camera", expected=expected, found=stated) from None
    if not {"position", "target"} <= set(table) <= set(STATED):
        raise OptionError("camera", expected=expected, found=unquoted(", ".join(map(str, table))))
    try:
        fov_deg = float(table.pop("fov_deg", 40.0))
        return Camera(**{name: np.array(value, dtype=np.float64) for name, value in table.items()}, fov_deg=fov_deg)
    except OptionError as error:
        raise error.named("camera") from None
    except (TypeError, ValueError, OverflowError):
        raise OptionError("camera", problem=Note("the camera has values that are not numbers")) from None


def _unit(v: Array) -> Array:
    return np.asarray(v / np.linalg.norm(v, axis=-1, keepdims=True))
