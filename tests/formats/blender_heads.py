"""Run by Blender's Python: imports a BVH, and writes joint head positions (frames, joints, 3) as JSON.

Arguments: the BVH file, the JSON file to write, frame numbers from 0.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main() -> None:
    import bpy

    source, target, *frames = sys.argv[1:]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_anim.bvh(filepath=source, axis_forward="Y", axis_up="Z", global_scale=1.0, rotate_mode="QUATERNION")
    armature = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    heads = []
    for frame in frames:
        bpy.context.scene.frame_set(1 + int(frame))
        heads.append({bone.name: list(armature.matrix_world @ bone.head) for bone in armature.pose.bones})
    Path(target).write_text(json.dumps(heads), encoding="utf-8")


if __name__ == "__main__":
    main()
