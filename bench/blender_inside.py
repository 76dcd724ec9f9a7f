"""Run by Blender's Python for bench/blender.py: times the operator Limited and both ways of putting its keys.

Arguments: the extension's zip, the folder with FRAMES.bvh (answer.json goes there), numbers of frames.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np

REPEATS = 3
SLOW_REPEATS = 1
"""Of what takes long: keys one by one."""
MOST_KEYS = 150_000
"""More are not put one by one: that takes minutes."""


def best(work: Callable[[], object], undo: Callable[[], object], repeats: int) -> float:
    """The least processor time of `work`; `undo` is not counted."""
    found = float("inf")
    for _ in range(repeats):
        gc.collect()
        begun = time.process_time()
        work()
        found = min(found, time.process_time() - begun)
        undo()
    return found


def imported(path: Path) -> Any:
    """An empty scene with the armature of a BVH, selected."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=False)
    bpy.context.scene.render.fps = 24
    bpy.ops.import_anim.bvh(filepath=str(path), global_scale=0.01, use_fps_scale=False, frame_start=1)
    ob = bpy.context.view_layer.objects.active
    ob.select_set(True)
    return ob


def curves(ob: Any) -> list[Any]:
    """The curves of the action that plays."""
    from bl_ext.user_default.komadori import actions

    return list(actions.curves_of(ob))


def values(ob: Any) -> dict[tuple[str, int], np.ndarray]:
    """Path and index -> its keys (K, 2)."""
    found = {}
    for curve in curves(ob):
        points = np.empty(2 * len(curve.keyframe_points), dtype=np.float32)
        curve.keyframe_points.foreach_get("co", points)
        found[curve.data_path, curve.array_index] = points.reshape(-1, 2)
    return found


def in_bulk(ob: Any, keys: dict[tuple[str, int], np.ndarray]) -> None:
    """A new action as the extension writes it."""
    from bl_ext.user_default.komadori import actions

    action, slot = actions.made_for(ob, "in bulk")
    home = actions.home(action, slot)
    for (path, index), points in keys.items():
        constant = np.full(len(points), actions.CONSTANT)
        actions.write(home.new(path, index=index), actions.Keys(points[:, 0], points[:, 1], constant))
    actions.assign(ob, action, slot)


def one_by_one(ob: Any, keys: dict[tuple[str, int], np.ndarray]) -> None:
    """A new action as a plain script writes it."""
    action = bpy.data.actions.new("one by one")
    ob.animation_data.action = action
    by_path: dict[str, list[np.ndarray]] = {}
    for (path, _), points in sorted(keys.items()):
        by_path.setdefault(path, []).append(points)
    for path, columns in by_path.items():
        bone, _, name = path.rpartition(".")
        owner = ob.path_resolve(bone)
        for row in zip(*columns, strict=True):
            setattr(owner, name, [float(point[1]) for point in row])
            owner.keyframe_insert(name, frame=float(row[0][0]))
    for curve in curves(ob):
        for point in curve.keyframe_points:
            point.interpolation = "CONSTANT"


def dropped(ob: Any) -> Callable[[], None]:
    """Takes the action that plays away, without counting it."""

    def drop() -> None:
        made, ob.animation_data.action = ob.animation_data.action, None
        bpy.data.actions.remove(made)

    return drop


def run(path: Path) -> dict[str, Any]:
    """All figures of one clip."""
    ob = imported(path)
    result: dict[str, Any] = {"bones": len(ob.data.bones), "repeats": REPEATS}
    result["frames"] = int(ob.animation_data.action.frame_range[1])

    def restored() -> None:
        made = ob.animation_data.action
        bpy.ops.komadori.restore()
        bpy.data.actions.remove(made)

    result["limited"] = best(lambda: bpy.ops.komadori.limited(), restored, REPEATS)
    bpy.ops.komadori.limited()
    keys = values(ob)
    result["drawings"] = len(next(iter(keys.values())))
    result["keys"] = sum(map(len, keys.values()))
    bpy.ops.komadori.restore()
    ob.animation_data.action = None
    result["writing"] = best(lambda: in_bulk(ob, keys), dropped(ob), REPEATS)
    if result["keys"] > MOST_KEYS:
        return result
    result["one_by_one"] = best(lambda: one_by_one(ob, keys), dropped(ob), SLOW_REPEATS)
    one_by_one(ob, keys)
    found = values(ob)
    if found.keys() != keys.keys() or any(len(found[name]) != len(points) for name, points in keys.items()):
        raise RuntimeError("both ways must put the same keys")
    result["off"] = max(float(np.abs(found[name] - points).max()) for name, points in keys.items())
    return result


def main() -> None:
    """Install the extension, and measure every clip."""
    zip_file, folder, *frames = sys.argv[1:]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.extensions.package_install_files(filepath=zip_file, repo="user_default", enable_on_install=True)
    found = {"version": list(bpy.app.version), "runs": [run(Path(folder) / f"{count}.bvh") for count in frames]}
    (Path(folder) / "answer.json").write_text(json.dumps(found), encoding="utf-8")
    sys.stdout.flush()
    # Blender may wait for itself as it ends.
    os._exit(0)


if __name__ == "__main__":
    main()
