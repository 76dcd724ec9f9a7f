"""Make the pictures of docs/hair.md again: `python docs/make_pictures/hair.py [Godette_vrm_v4.vrm]`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import komadori
from characters import painted, standing
from komadori import Camera, Motion, quat
from komadori.character import Character
from komadori.characters import character, sample
from komadori.methods.hair import PRESETS, HairResult, hair, joints, tilts
from komadori.quat import Array
from komadori.render.drawing import Circle, Drawing, Item, Polyline, Text, save
from komadori.render.shot import shot_of

PICTURES = Path(__file__).parent.parent / "pictures"
GREY, INK = "#9aa3ad", "#22272e"


def posed(body: Character, seconds: float = 12.0) -> Motion:
    """The girl with lowered arms, standing."""
    pose = standing(body)
    return pose.taken(np.zeros(round(seconds * 24), dtype=np.intp))


def on_body(result: HairResult, frame: int) -> Motion:
    """A frame with the hair, the body where the picture is."""
    shown = result.motion[frame : frame + 1]
    positions = np.array(shown.positions)
    positions[:, 0, [0, 2]] = result.character.skeleton.offsets[0, [0, 2]]
    return replace(shown, positions=positions)


def sheet(name: str, rows: Sequence[Sequence[Array]]) -> None:
    """Pictures in rows as one PNG of few colours."""
    whole = np.concatenate([np.concatenate(row, axis=1) for row in rows])
    image = Image.fromarray((whole * 255.0 + 0.5).astype(np.uint8))
    image.quantize(96, dither=Image.Dither.NONE).save(PICTURES / f"{name}.png", optimize=True)


def preset_rows(body: Character, count: int, look: dict[str, Any]) -> list[list[Array]]:
    """`count` drawings of a cycle of a body that stands, a preset a row."""
    rows = []
    for preset in PRESETS:
        result = hair(body, posed(body), preset=preset, still=1.0)
        cycle = round(result.period_s * 24)
        rows.append([painted(body, on_body(result, 24 + cycle * n // count), **look) for n in range(count)])
    return rows


def presets() -> None:
    """Six drawings of a cycle, a preset a row."""
    look = {"yaw_deg": -75.0, "centre": (0.0, 1.2, -0.36), "height_m": 1.25, "size": (250, 220)}
    sheet("hair-presets", preset_rows(character("girl"), 6, look))


def runner(body: Character) -> Motion:
    """A run that turns to one side and stops: the sample jog along a bent way."""
    jog = komadori.retarget(sample("jog"), body).motion
    count = len(jog)
    hips, way = jog.skeleton.roles["hips"], np.array(jog.positions)
    steps = np.diff(way[:, hips], axis=0, prepend=way[:1, hips]) * [1.0, 0.0, 1.0]
    frames = np.arange(count + 36)
    turn = np.radians(100.0) * _eased((frames - 0.45 * count) / 10.0)
    pace = 1.0 - _eased((frames - count + 6.0) / 6.0)
    held = np.minimum(frames, count - 1)
    about = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), turn)
    rotations, positions = np.array(jog.rotations[held]), way[held]
    rotations[:, hips] = quat.multiply(about, rotations[:, hips])
    ahead = np.where((frames < count)[:, None], steps[held], 0.0)
    positions[:, hips] = np.cumsum(quat.rotate(about, ahead * pace[:, None]), axis=0) + positions[:, hips] * [
        0.0,
        1.0,
        0.0,
    ]
    return replace(jog, rotations=quat.continuous(rotations), positions=positions)


def _eased(part: Array) -> Array:
    part = np.clip(part, 0.0, 1.0)
    return np.asarray(part * part * (3.0 - 2.0 * part))


def running() -> None:
    """A run, a turn and a stop; the picture goes along with the body."""
    girl = character("girl")
    clip = runner(girl)
    result = hair(girl, clip)
    count = len(clip) - 36
    look = {"yaw_deg": -75.0, "centre": (0.0, 0.95, -0.15), "height_m": 1.9, "size": (230, 260)}
    turned = {**look, "yaw_deg": -20.0}
    rows = [
        [painted(girl, on_body(result, frame), **look) for frame in range(6, 24, 3)],
        [
            painted(girl, on_body(result, frame), **turned)
            for frame in range(int(0.45 * count), int(0.45 * count) + 24, 4)
        ],
        [
            painted(girl, on_body(result, frame), **{**look, "yaw_deg": 190.0})
            for frame in range(count - 5, count + 31, 6)
        ],
    ]
    sheet("hair-running", rows)


def strips() -> None:
    """A straight strand over a cycle, the lump of air, and the 8 that the tip draws; then three strands out of step."""
    lengths = np.full(10, 0.1)
    t = 2.0 * np.pi * np.arange(96) / 96.0
    whole = joints(lengths, tilts(lengths, t, k=0.5, s=1.5, p=1.2, a=0.65))
    items: list[Item] = []
    for column in range(12):
        at = whole[column * 8] * 150.0
        left, top = 20.0 + 170.0 * (column % 6), 70.0 + 110.0 * (column // 6)
        way = whole[:, -1] * 150.0
        items.append(Polyline(tuple((left + x, top - y) for x, y in [*way, way[0]]), GREY, 0.8))
        items.append(Polyline(tuple((left + x, top - y) for x, y in at), INK, 2.2))
        items += [Circle(left + x, top - y, 2.0, INK) for x, y in at]
        items.append(Text(left, top + 42.0, str(column + 1), 9.0, GREY))
    save(Drawing(1040.0, 240.0, tuple(items), "the wave in twelve drawings"), PICTURES / "hair-wave.png")


def horse() -> None:
    """The horse's tail and mane: at a trot, then standing, a preset a row."""
    body = character("horse")
    look = {"yaw_deg": -78.0, "centre": (0.0, 1.02, -0.10), "height_m": 1.95, "size": (345, 250)}
    trot = hair(body, body.motions["trot"])
    rows = [[painted(body, on_body(trot, 24 + 4 * n), **look) for n in range(4)]]
    rows += preset_rows(body, 4, {**look, "centre": (0.0, 1.22, -0.18), "height_m": 2.1})
    sheet("hair-horse", rows)


def godette(path: str) -> None:
    """Godette's hair, a preset a row, by the toon renderer; her file is not ours to keep here (see the docs for credit)."""
    body = komadori.load_character(path)
    camera = Camera(np.array([2.8, 1.35, 2.4]), np.array([0.0, 1.1, -0.02]), fov_deg=12.0)
    rows = []
    for preset in PRESETS:
        result = hair(body, preset=preset)
        cycle = round(result.period_s * 24)
        shot = shot_of(result.motion, body, camera=camera, size=(200, 200))
        rows.append([shot.picture(cycle * n // 6).astype(np.float64) / 255.0 for n in range(6)])
    sheet("hair-godette", rows)


def passing() -> None:
    """A girl who stands while the camera goes by: what it travels on its own blows her hair the other way."""
    girl = character("girl")
    clip = posed(girl, 3.0)
    way = np.stack([np.zeros(72), np.zeros(72), 3.0 * np.arange(72) / 24.0 - 4.5], axis=1)
    result = hair(girl, clip, camera=Camera(way + np.array([4.0, 1.2, 0.0]), way + np.array([0.0, 1.1, 0.0])))
    look = {"yaw_deg": -75.0, "centre": (0.0, 1.15, -0.05), "height_m": 1.2, "size": (230, 230)}
    sheet("hair-camera", [[painted(girl, on_body(result, 24 + 4 * n), **look) for n in range(6)]])


def front() -> None:
    """Bangs, locks and ribbons from the front: never all in step, gathering and parting."""
    girl = character("girl")
    result = hair(girl, posed(girl), wind=(1.5, 0.4, -2.0), still=1.0)
    look = {"yaw_deg": -20.0, "centre": (0.0, 1.33, 0.0), "height_m": 0.75, "size": (230, 230)}
    sheet("hair-front", [[painted(girl, on_body(result, 24 + 4 * n), **look) for n in range(6)]])


if __name__ == "__main__":
    strips()
    presets()
    running()
    front()
    horse()
    passing()
    if len(sys.argv) > 1:
        godette(sys.argv[1])
