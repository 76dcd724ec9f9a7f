"""Run by Blender's Python: imports a glTF or an FBX, and writes the places of its bones by frame as JSON, Y up.

Arguments: the file, the JSON file to write, frames per second, frame numbers from 0.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main() -> None:
    import bpy

    source, target, fps, *frames = sys.argv[1:]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = int(fps)
    if source.endswith(".fbx"):
        bpy.ops.import_scene.fbx(filepath=source, anim_offset=0.0)
    else:
        bpy.ops.import_scene.gltf(filepath=source)
    armatures = [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]
    meshes = [thing for thing in bpy.data.objects if thing.type == "MESH" and thing.find_armature()]
    found = []
    for frame in frames:
        scene.frame_set(int(frame))
        graph = bpy.context.evaluated_depsgraph_get()
        heads = {}
        for armature in armatures:
            for bone in armature.pose.bones:
                x, y, z = armature.matrix_world @ bone.head
                heads[bone.name] = [x, z, -y]
        skins = {}
        for mesh in meshes:
            shown = mesh.evaluated_get(graph)
            points = [shown.matrix_world @ vertex.co for vertex in shown.data.vertices]
            skins[mesh.name] = [[x, z, -y] for x, y, z in points]
        found.append({"heads": heads, "skins": skins})
    Path(target).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
