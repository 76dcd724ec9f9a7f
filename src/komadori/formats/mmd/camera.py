"""A camera as a VMD: on ones, a key on every one of MikuMikuDance's 30 frames, while the model beside it may be on twos.

The camera stands `distance` behind a target, turned about x and y; angles and signs are as three.js reads such files.
"""

from __future__ import annotations

import numpy as np

from komadori import quat, rates
from komadori.camera import Camera
from komadori.errors import OptionError
from komadori.formats.mmd.binary import UNIT_M, mirrored, padded
from komadori.formats.mmd.vmd import BONE, CAMERA, FPS, MAGIC, VmdDocument
from komadori.words import Note

OWNER = "カメラ・照明"
"""What MikuMikuDance calls the model of a file that moves the camera."""
STRAIGHT = bytes([20, 107, 20, 107] * 6)
"""Curves of a camera's key: x1, x2, y1, y2 of x, y, z, turn, distance and view."""
MOST_FRAMES = 1_000_000


def camera_document(camera: Camera, fps: float, frames: int = 1, name: str = "komadori") -> VmdDocument:
    """`camera`, which moves at `fps`, as a VMD document; one that stands still is held for `frames`.

    Times between two of its frames lie on the line between them. MikuMikuDance has whole degrees of view; roll is not written.
    """
    count = camera.frames or max(frames, 1)
    position, target = (np.broadcast_to(value, (count, 3)) for value in (camera.position, camera.target))
    last = (count - 1) * rates.exact(FPS) / rates.exact(fps)
    total = int(last) + 1
    if total > MOST_FRAMES:
        raise OptionError(
            Note(
                "a VMD file of {count} frames is more than MikuMikuDance opens ({most})", count=total, most=MOST_FRAMES
            )
        )
    when = np.arange(total) * float(rates.exact(fps) / rates.exact(FPS))
    position, target = (
        np.stack([np.interp(when, np.arange(count), value[:, axis]) for axis in range(3)], axis=1)
        for value in (position, target)
    )
    back = position - target
    distance = np.linalg.norm(back, axis=1)
    keys = np.zeros(total, CAMERA)
    keys["frame"] = np.arange(total)
    keys["distance"] = -distance / UNIT_M
    keys["target"] = mirrored(target) / UNIT_M
    keys["angles"][:, 0] = -np.arcsin(np.clip(back[:, 1] / np.maximum(distance, 1e-12), -1.0, 1.0))
    keys["angles"][:, 1] = np.unwrap(np.arctan2(back[:, 0], back[:, 2]))
    keys["curves"] = np.frombuffer(STRAIGHT, np.uint8)
    keys["view_deg"] = max(1, round(camera.fov_deg))
    header = MAGIC.ljust(30, b"\0") + padded(OWNER, 20)
    return VmdDocument(name, header, np.zeros(0, BONE), cameras=keys)


def camera_of(document: VmdDocument) -> Camera:
    """The camera of a VMD whose every frame has a key, as `camera_document` writes it: positions and targets in metres."""
    keys = document.cameras
    target = UNIT_M * mirrored(keys["target"])
    turn = quat.multiply(
        quat.from_axis_angle([0.0, 1.0, 0.0], keys["angles"][:, 1].astype(np.float64)),
        quat.from_axis_angle([1.0, 0.0, 0.0], keys["angles"][:, 0].astype(np.float64)),
    )
    back = np.zeros((len(keys), 3))
    back[:, 2] = -UNIT_M * keys["distance"]
    return Camera(target + quat.rotate(turn, back), target, fov_deg=float(keys["view_deg"][0]))
