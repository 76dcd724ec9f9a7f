"""The Blender extension: limiting a long action of many bones inside Blender, beside keys that are put one by one.

Skipped with a line if there is no Blender (`make blender` fetches one); `KOMADORI_BLENDER_PYTHON` names another Python with `bpy`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import komadori
from bench.tables import Table, spoken
from komadori import Motion, Skeleton

ROOT = Path(__file__).parent.parent
BONES, JOINTS, FRAMES, LONGER = 60, 65, 1000, 10
WANTED_S, PER_KEY, GROWTH = 1.0, 10.0, 15.0
"""Limiting at most so long, keys one by one at least so many times as long, LONGER times the frames at most so many times as long."""
TIMEOUT_S = 900


class BlenderMissing(ImportError):
    """No Python with Blender in it."""

    def __init__(self) -> None:
        super().__init__("no Blender is at hand: `make blender` fetches one", name="Blender (`make blender`)")


def python() -> str:
    """The Python that has `bpy`, as the tests find it."""
    named = os.environ.get("KOMADORI_BLENDER_PYTHON", "").split(os.pathsep)[0]
    found = Path(named) if named else ROOT / ".venv-blender" / "bin" / "python"
    if not found.is_file():
        raise BlenderMissing
    return str(found)


def clip(frames: int) -> Motion:
    """The built-in girl pitches forth and back for `frames` frames, her hair moves; of her joints the first that make BONES bones."""
    girl = komadori.characters.character("girl")
    pitch = komadori.hair(girl, komadori.retarget(komadori.sample("pitch"), girl).motion).motion
    there_and_back = np.concatenate([np.arange(len(pitch)), np.arange(len(pitch) - 2, 0, -1)])
    at = np.resize(there_and_back, frames)
    old = pitch.skeleton
    skeleton = Skeleton(old.names[:JOINTS], old.parents[:JOINTS], old.offsets[:JOINTS])
    return Motion(skeleton, pitch.fps, pitch.rotations[at, :JOINTS], pitch.positions[at, :JOINTS])


def measured(program: str) -> dict[str, Any]:
    """What bench/blender_inside.py found in the Blender of `program`."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        subprocess.run(
            [sys.executable, str(ROOT / "blender" / "build.py"), str(folder)],
            check=True,
            capture_output=True,
            timeout=TIMEOUT_S,
        )
        for frames in (FRAMES, LONGER * FRAMES):
            komadori.save(clip(frames), folder / f"{frames}.bvh")
        own = {"BLENDER_USER_RESOURCES": place, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": ""}
        command = [program, str(Path(__file__).with_name("blender_inside.py")), str(next(folder.glob("*.zip"))), place]
        command += [str(FRAMES), str(LONGER * FRAMES)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, env={**os.environ, **own})
        answer = folder / "answer.json"
        if done.returncode or not answer.exists():
            raise RuntimeError(f"Blender ended with {done.returncode}: {done.stderr[-2000:]}")
        found: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
    return found


def tables() -> list[Table]:
    found = measured(python())
    short, long = found["runs"]
    bones = short["bones"]
    rows = tuple(
        (
            f"{run['frames']}",
            f"{run['drawings']}",
            f"{run['keys']}",
            spoken(run["limited"]),
            spoken(run["writing"]),
            spoken(run["one_by_one"]) if "one_by_one" in run else "not tried",
            f"{run['one_by_one'] / run['writing']:.0f}" if "one_by_one" in run else "",
        )
        for run in (short, long)
    )
    failed = []
    if bones != BONES:
        failed.append(f"the armature has {bones} bones, {BONES} meant")
    if short["limited"] > WANTED_S:
        failed.append(f"limiting {FRAMES} frames takes {spoken(short['limited'])}, {spoken(WANTED_S)} allowed")
    if short["one_by_one"] < PER_KEY * short["writing"]:
        failed.append(f"keys in bulk are less than {PER_KEY:g} times as fast as one by one")
    if (grown := long["limited"] / short["limited"]) > GROWTH:
        failed.append(f"{LONGER} times the frames take {grown:.3g} times as long, {GROWTH:g} allowed")
    if short["off"] > 0.0:
        failed.append(f"both ways of putting keys differ by {short['off']:g}")
    version = ".".join(map(str, found["version"]))
    about = (
        f"Processor time in Blender {version}, best of {short['repeats']}: the operator Limited on an armature of {bones} bones whose BVH Blender"
        " imported (the built-in girl pitches forth and back, with hair), from reading the action to the new action with its markers, without the undo"
        " step that Blender itself saves. Beside it the same keys alone: in bulk as the extension writes them, and one by one with `keyframe_insert`"
        f" and the interpolation set afterwards; both give the same curves. {LONGER} times the frames take {grown:.3g} times as long."
    )
    columns = ("frames", "drawings", "keys", "Limited, whole", "keys in bulk", "keys one by one", "times")
    return [Table("Limiting in Blender", columns, rows, about, tuple(failed))]
