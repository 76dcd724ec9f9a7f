"""Make the pictures of the built-in characters again: `python docs/make_pictures/characters.py`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from komadori import quat
from komadori.character import Character
from komadori.characters import character, sample
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skinning import expression_weights, skinned

PICTURES = Path(__file__).parent.parent / "pictures"
PAPER = (0.925, 0.935, 0.945)
LIGHT = np.array([0.66, 0.54, 0.52])
FINER = 2


def painted(
    body: Character,
    motion: Motion,
    *,
    yaw_deg: float,
    centre: tuple[float, float, float],
    height_m: float,
    size: tuple[int, int],
    expressions: dict[str, float] | None = None,
) -> Array:
    """(H, W, 3) one frame as a drawing: two flat tones and ink lines, seen from afar.

    A line is the mesh again, a little larger and turned inside out, in the colour of ink.
    """
    vertices, normals = (a[0] for a in skinned(body, motion, morphs=expression_weights(body, expressions or {})))
    width, height = FINER * size[0], FINER * size[1]
    scale = height / height_m
    turned = quat.to_matrix(quat.from_euler(np.radians([yaw_deg]), "Y")).T
    facing = normals @ turned
    corners, tones, start = [], [], 0
    for mesh in body.meshes:
        material = body.materials[mesh.material or 0]
        own = slice(start, start + len(mesh.vertices))
        start += len(mesh.vertices)
        layers = [(0.0, material.colour[:3], material.shade or material.colour[:3])]
        if material.outline is not None:
            layers.append((material.outline_m, material.outline[:3], material.outline[:3]))
        for thick, light, dark in layers:
            seen = (vertices[own] + thick * normals[own] - np.array(centre)) @ turned * scale
            seen = seen * [1.0, -1.0, 1.0] + [0.5 * width, 0.5 * height, 0.0]
            place = seen[mesh.triangles]
            a, b = place[:, 1, :2] - place[:, 0, :2], place[:, 2, :2] - place[:, 0, :2]
            front = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0] < 0.0
            shown = front if thick == 0.0 else ~front
            lit = (facing[own] @ LIGHT)[mesh.triangles][shown]
            corners.append(np.concatenate([place[shown], lit[..., None]], axis=2))
            tones.append(np.tile(np.array([light, dark]), (int(shown.sum()), 1, 1)))
    picture = _filled(np.concatenate(corners), np.concatenate(tones), width, height)
    return np.asarray(picture.reshape(size[1], FINER, size[0], FINER, 3).mean(axis=(1, 3)))


def _filled(corners: Array, tones: Array, width: int, height: int) -> Array:
    """Triangles (T, 3) of x, y, depth and light in their two tones (T, 2, 3); the nearest one wins at every pixel."""
    low = np.maximum(np.floor(corners[..., :2].min(axis=1)).astype(int), 0)
    high = np.minimum(np.ceil(corners[..., :2].max(axis=1)).astype(int), [width, height])
    wide, tall = np.maximum(high - low, 0).T
    owner = np.repeat(np.arange(len(corners)), wide * tall)
    nth = np.arange(len(owner)) - np.repeat(np.cumsum(wide * tall) - wide * tall, wide * tall)
    x, y = low[owner, 0] + nth % wide[owner], low[owner, 1] + nth // wide[owner]
    (x0, y0), (x1, y1), (x2, y2) = (corners[owner, n, :2].T for n in range(3))
    area = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    area = np.where(area == 0.0, 1e-12, area)
    u = ((x1 - x - 0.5) * (y2 - y - 0.5) - (x2 - x - 0.5) * (y1 - y - 0.5)) / area
    v = ((x2 - x - 0.5) * (y0 - y - 0.5) - (x0 - x - 0.5) * (y2 - y - 0.5)) / area
    inside = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0)
    owner, u, v = owner[inside], u[inside], v[inside]
    spot = (y * width + x)[inside]
    shares = np.stack([u, v, 1.0 - u - v], axis=-1)
    depth, light = np.einsum("pk,pkc->cp", shares, corners[owner, :, 2:])
    order = np.lexsort((depth, spot))
    last = order[np.append(np.diff(spot[order]) > 0, True)]
    picture = np.tile(np.array(PAPER), (width * height, 1))
    picture[spot[last]] = np.where((light[last] > 0.0)[:, None], tones[owner[last], 0], tones[owner[last], 1])
    return picture.reshape(height, width, 3)


def standing(body: Character) -> Motion:
    """A person with lowered arms; an animal as it is."""
    rotations = np.array(body.skeleton.rest)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        if f"{side}_fingers" in body.skeleton.names:
            for joint, axis, degrees in (("upper_arm", "Z", -74.0), ("lower_arm", "Y", -14.0), ("fingers", "Z", -18.0)):
                turn = quat.from_euler(np.radians([sign * degrees]), axis)
                rotations[body.skeleton.index(f"{side}_{joint}")] = turn
    return Motion(body.skeleton, 24.0, rotations[None], body.skeleton.offsets[None])


def worn(body: Character, motion: Motion, frame: int) -> Motion:
    """A frame of a sample on a body whose first joints are the built-in one's; it stays where the picture is."""
    rotations, positions = np.array(body.skeleton.rest), np.array(body.skeleton.offsets)
    rotations[: len(motion.skeleton)] = motion.rotations[frame]
    positions[0, 1] *= motion.positions[frame, 0, 1] / motion.skeleton.offsets[0, 1]
    return Motion(body.skeleton, motion.fps, rotations[None], positions[None])


def saved(name: str, *rows: list[Array]) -> None:
    """Pictures in rows as one PNG of few colours."""
    whole = np.concatenate([np.concatenate(row, axis=1) for row in rows])
    image = Image.fromarray((whole * 255.0 + 0.5).astype(np.uint8))
    image.quantize(128, dither=Image.Dither.NONE).save(PICTURES / f"characters-{name}.png", optimize=True)


def main() -> None:
    """All three at rest, the girl's face, the girl at play, and the horse's gaits."""
    mannequin, girl, horse = (character(name) for name in ("mannequin", "girl", "horse"))
    row = []
    for body, yaw, wide in ((mannequin, -25.0, 300), (girl, -25.0, 330), (horse, -55.0, 620)):
        middle = (0.0, 0.93, 0.1 if body is horse else -0.06)
        row.append(painted(body, standing(body), yaw_deg=yaw, centre=middle, height_m=2.0, size=(wide, 560)))
    saved("all", row)

    close = {"centre": (0.0, 1.44, 0.0), "height_m": 0.42, "size": (360, 360)}
    looks = ((0.0, {}), (-38.0, {}), (25.0, {"happy": 1.0}), (-15.0, {"blink": 1.0}))
    pose = standing(girl)
    saved("face", [painted(girl, pose, yaw_deg=yaw, expressions=look, **close) for yaw, look in looks])

    play = {"yaw_deg": -60.0, "centre": (0.0, 0.80, 0.0), "height_m": 1.9, "size": (300, 350)}
    pitch, kick = sample("pitch"), sample("kick")
    saved(
        "girl",
        [painted(girl, worn(girl, pitch, frame), **play) for frame in (36, 52, 66, 71, 74)],
        [painted(girl, worn(girl, kick, frame), **play) for frame in (26, 35, 38, 41, 46)],
    )
    strips = []
    for name, frames in (("walk", (0, 7, 14, 21)), ("trot", (0, 3, 7, 12))):
        strip = []
        for frame in frames:
            clip = horse.motions[name][frame : frame + 1]
            middle = (0.0, 0.95, float(clip.positions[0, 0, 2]) + 0.58)
            strip.append(painted(horse, clip, yaw_deg=-78.0, centre=middle, height_m=2.1, size=(400, 320)))
        strips.append(strip)
    saved("horse", *strips)


if __name__ == "__main__":
    main()
