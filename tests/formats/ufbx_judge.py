"""What ufbx itself says of an FBX file, asked in a separate process, because it may crash: keys, poses of every frame, and skins."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PREFACE = """
import ctypes, gc, json, os, sys
gc.disable()
import numpy as np, ufbx
path, out = sys.argv[1:3]

def members(listed):
    found = []
    for place in range(len(listed)):
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(listed[place]))
        found.append(listed[place])
    return found
"""

KEYS = """
scene = ufbx.load_file(path)
found = {"fps": scene.settings.frames_per_second, "metres": scene.settings.unit_meters,
         "axes": [str(axis) for axis in scene.settings.axes], "warnings": len(scene.metadata.warnings), "clips": {}}
for stack in members(scene.anim_stacks):
    clip = found["clips"][stack.name] = {"begin": stack.time_begin, "end": stack.time_end, "curves": {}}
    for layer in members(stack.layers):
        for prop in members(layer.anim_props):
            for axis, curve in zip("XYZ", prop.anim_value.curves):
                if curve is not None:
                    keys = [(k.time, k.value, k.interpolation.name, k.left.dx, k.left.dy, k.right.dx, k.right.dy)
                            for k in members(curve.keyframes)]
                    clip["curves"][f"{prop.element.name} {prop.prop_name} {axis}"] = keys
"""

POSES = """
scene = ufbx.load_file(path, target_axes=ufbx.axes_right_handed_y_up, target_unit_meters=1.0,
                       space_conversion=ufbx.SpaceConversion.MODIFY_GEOMETRY)
found, kept = {}, []
for stack in members(scene.anim_stacks):
    frames = found[stack.name] = []
    rate = scene.settings.frames_per_second
    for frame in range(int((stack.time_end - stack.time_begin) * rate + 1e-3) + 1):
        # FBX counts time in whole ticks: beside one, a stepped key is not met.
        time = round((stack.time_begin + frame / rate) * 46186158000) / 46186158000
        posed = scene.evaluate(stack.anim, time, evaluate_skinning=True)
        nodes, meshes, points = members(posed.nodes), members(posed.meshes), []
        # Nothing of a scene may be freed: this version of ufbx does not count who holds what.
        kept += [posed, nodes, meshes]
        for mesh in meshes:
            if len(mesh.skin_deformers) and not mesh.skinned_is_local:
                points += np.array(mesh.skinned_position.values).tolist()
        matrices = {}
        for node in nodes:
            m = node.node_to_world
            matrices[node.name] = [list(m.c0), list(m.c1), list(m.c2), list(m.c3)]
        frames.append({"matrices": matrices, "skin": points})
"""

ENDING = """
with open(out, "w", encoding="utf-8") as file:
    json.dump(found, file)
os._exit(0)
"""


def asked(question: str, path: Path, folder: Path) -> Any:
    """The answer to `KEYS` or `POSES` for the file at `path`."""
    answer = folder / "ufbx.json"
    command = [sys.executable, "-c", PREFACE + question + ENDING, str(path), str(answer)]
    subprocess.run(command, check=True, capture_output=True)
    return json.loads(answer.read_text(encoding="utf-8"))
