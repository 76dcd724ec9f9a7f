"""Exchange: how far files come back from where they were, how long FBX takes, and how many keys a VMD needs."""

from __future__ import annotations

import gc
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import komadori
from bench.gltf import FRAMES, JOINTS
from bench.gltf import _clip as busy_clip
from bench.tables import Table
from komadori import Motion, quat
from komadori.character import Character
from komadori.formats import encoded, load_character
from komadori.formats.mmd import curves, vmd, writing

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("KOMADORI_DATA", ROOT.parent / "shared" / "data"))
WRITE_MS, READ_MS = 100.0, 200.0
MOST_MM, MOST_DEG = 0.01, 0.001
CHARACTERS = (
    "character_gltf/*.glb", "character_vrm/*.vrm", "character_mmd/*/*.pmx", "quadruped_gltf/*.glb", "quadruped_fbx/*.fbx", "odd_fbx/*.fbx",
)  # fmt: skip
CLIPS = (
    "human_cmu_bvh/*.bvh", "human_cmu_styles/*.bvh", "human_cmu_asfamc/*.amc", "human_bandai_bvh_NC/*.bvh", "human_other_bvh/*.bvh",
    "human_amass_NC/*.npz", "quadruped_tencent_dog_bvh/*.bvh", "quadruped_mann_dog_bvh_NC/*.bvh", "odd_bvh/*.bvh", "character_vrma/*.vrma",
    "character_mmd/*/motion/*.vmd",
)  # fmt: skip
EVERY = 12
"""Of the clips of which VMD keys are counted, every twelfth by name."""


def tables() -> list[Table]:
    made = [_keys(), _speed_of_writing()]
    if find_spec("ufbx") is not None:
        made[1:] = [_speed(), _characters(), _clips()]
    return made


def _spent_ms(work: Callable[[], object], repeats: int = 7) -> float:
    """Processor time in milliseconds, the best of several: other programs on the machine do not count."""
    best = float("inf")
    gc.disable()
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    gc.enable()
    return 1e3 * best


def _works() -> tuple[dict[str, float], Motion]:
    clip = busy_clip()
    twos = clip.taken(np.arange(len(clip)) // 2 * 2)
    return {
        "written, a linear key per frame": _spent_ms(lambda: encoded(clip, "a.fbx")),
        "written, on twos with constant keys": _spent_ms(lambda: encoded(twos, "a.fbx")),
    }, clip


def _table(times: dict[str, float]) -> Table:
    failed = [f"FBX takes {ms:.0f} ms to write" for name, ms in times.items() if "written" in name and ms > WRITE_MS]
    failed += [f"FBX takes {ms:.0f} ms to read" for name, ms in times.items() if "read" in name and ms > READ_MS]
    rows = tuple((name, f"{ms:.0f} ms") for name, ms in times.items())
    about = f"{FRAMES} frames by {JOINTS} joints that all turn, processor time, the start of a process aside."
    return Table("FBX: time", ("work", "processor time"), rows, about, tuple(failed))


def _speed_of_writing() -> Table:
    return _table(_works()[0])


def _speed() -> Table:
    from komadori.formats.fbx import read_here

    times, clip = _works()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.fbx"
        path.write_bytes(encoded(clip, path))
        times["read, with ufbx in this process"] = _spent_ms(lambda: read_here(path))
    return _table(times)


def _away(one: Motion, other: Motion) -> tuple[float, float]:
    """Millimetres and degrees between two motions, at worst."""
    order = [other.skeleton.index(name) for name in one.skeleton.names]
    q, p = one.world_transforms()
    q_2, p_2 = other.world_transforms()
    turned = quat.angle(quat.multiply(q, quat.inverse(q_2[:, order])))
    return 1e3 * float(np.abs(p - p_2[:, order]).max(initial=0.0)), float(np.degrees(turned.max(initial=0.0)))


def _files(patterns: tuple[str, ...], every: int = 1) -> Iterator[Path]:
    for pattern in patterns:
        yield from sorted(DATA.glob(pattern))[::every]


def _characters() -> Table:
    rows, failed = [], []
    for path in _files(CHARACTERS):
        try:
            given = load_character(path)
        except komadori.FormatError:
            continue
        back = _through_fbx(given)
        apart = [_away(motion, back.motions[name]) for name, motion in given.motions.items()]
        mm, degrees = (max(values, default=0.0) for values in zip(*apart, strict=True)) if apart else (0.0, 0.0)
        shapes = [sum(len(mesh.morphs) for mesh in one.meshes) for one in (given, back)]
        pictures = [sum(m.image is not None for m in one.materials) for one in (given, back)]
        name = path.relative_to(DATA).as_posix()
        if mm > MOST_MM or degrees > MOST_DEG or shapes[0] != shapes[1] or pictures[0] != pictures[1]:
            failed.append(f"{name} comes back {mm:.4f} mm and {degrees:.5f} degrees away")
        clips = f"{len(back.motions)} of {len(given.motions)}"
        told = f"{shapes[1]} of {shapes[0]}", f"{pictures[1]} of {pictures[0]}"
        rows.append((name, str(len(given.skeleton)), clips, *told, f"{mm:.4f}", f"{degrees:.5f}"))
    columns = ("file", "joints", "clips", "blend shapes", "textured materials", "mm", "degrees")
    about = "Written as FBX and read again: the farthest that any joint lies or turns from where it was, in any frame."
    return Table("FBX: characters out and back", columns, tuple(rows), about, tuple(failed))


def _through_fbx(given: Character) -> Character:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.fbx"
        komadori.save(given, path)
        return load_character(path)


def _clips() -> Table:
    rows, failed = [], []
    for pattern in CLIPS:
        for kind in ("as captured", "limited"):
            apart, count = [(0.0, 0.0)], 0
            for path in _files((pattern,)):
                try:
                    motion = komadori.load(path)
                    motion = komadori.limited(motion.prepared(fps=24.0)).motion if kind == "limited" else motion
                except komadori.KomadoriError:
                    # A broken file of the folder of odd ones, or one without a body that could be timed.
                    continue
                if not len(motion):
                    # Nor has FBX a place for a clip of no frames.
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    komadori.save(motion, Path(folder) / "a.fbx")
                    apart.append(_away(motion, komadori.load(Path(folder) / "a.fbx")))
                count += 1
            mm, degrees = (max(values) for values in zip(*apart, strict=True))
            if mm > MOST_MM or degrees > MOST_DEG:
                failed.append(f"{pattern}, {kind}: {mm:.4f} mm and {degrees:.5f} degrees")
            rows.append((pattern, kind, str(count), f"{mm:.4f}", f"{degrees:.5f}"))
    columns = ("clips", "keys", "files", "mm", "degrees")
    about = "Every file: as captured at its own rate, or at 24 frames per second, 'limited' with constant keys; the worst of all frames."
    return Table("FBX: clips out and back", columns, tuple(rows), about, tuple(failed))


def _keys() -> Table:
    """VMD keys with fitted curves beside a key on every frame that moves."""
    clips = {f"sample:{name}": komadori.sample(name, 30.0) for name in ("walk", "pitch", "kick", "jog")}
    for path in _files(("human_cmu_bvh/*.bvh",), EVERY):
        clips[path.stem] = komadori.load(path).prepared(fps=30.0)
    rows = []
    for name, clip in clips.items():
        count, motion = _as_vmd(clip)
        kept = curves.LEAST_FRAMES
        try:
            curves.LEAST_FRAMES = 10**9
            every, exact = _as_vmd(clip)
        finally:
            curves.LEAST_FRAMES = kept
        away = 1e3 * np.linalg.norm(motion.world_positions() - exact.world_positions(), axis=-1)
        told = f"{count:,}", f"{every / count:.1f}", f"{away.max():.2f}", f"{np.percentile(away, 95):.2f}"
        rows.append((name, str(len(clip)), f"{every:,}", *told))
    columns = ("clip", "frames", "keys, one a frame", "keys, fitted", "times fewer", "worst joint, mm", "95 of 100, mm")
    bound = np.degrees(curves.MOST_RAD)
    about = f"Each bone's own turn stays within {bound:.2f} degrees; the error adds up along the bones to a joint."
    return Table("VMD: keys against error", columns, tuple(rows), about)


def _as_vmd(clip: Motion) -> tuple[int, Motion]:
    document = writing.document_of(clip)
    return len(document.bones), vmd.parse(document.emit(), "bench.vmd").motion()
