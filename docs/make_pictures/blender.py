"""Make the pictures of docs/blender.md again: `python docs/make_pictures/blender.py CMU_124_01.bvh [PYTHON_WITH_BPY]`.

The baseball pitch is 124_01 of CMU's motion capture database, which is free for all uses. Blender's Python runs this very file as a child:
it installs the extension, imports the built-in girl with the captured pitch twice, limits one of the two, and renders both with Workbench.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
SIZE = (320, 213)
ROW = (84, 98)
"""The frames of the contact sheet: the throw itself."""
TIMEOUT_S = 500
APART_M = 1.9
MIDDLE_M = 0.31
"""Where the pitch is, from side to side, on the whole."""


def inside(zip_file: str, folder: str) -> None:
    """Within Blender."""
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.extensions.package_install_files(filepath=zip_file, repo="user_default", enable_on_install=True)
    scene = bpy.context.scene
    scene.render.fps = 24
    bodies = [_imported(bpy, f"{folder}/pitch.glb", side * APART_M / 2.0) for side in (-1.0, 1.0)]
    for ob in bpy.context.view_layer.objects:
        ob.select_set(ob == bodies[1])
    bpy.context.view_layer.objects.active = bodies[1]
    bpy.ops.komadori.limited()
    first, last = (int(end) for end in bodies[0].animation_data.action.frame_range)
    _lit(bpy, scene)
    for frame in range(first, last + 1):
        scene.frame_set(frame)
        scene.render.filepath = f"{folder}/{frame - first:04}.png"
        bpy.ops.render.render(write_still=True)
    sys.stdout.flush()
    # Blender may wait for itself as it ends.
    os._exit(0)


def _imported(bpy: Any, path: str, aside: float) -> Any:
    before = set(bpy.data.objects)
    bpy.ops.import_scene.gltf(filepath=path)
    new = [ob for ob in bpy.data.objects if ob not in before]
    found = next(ob for ob in new if ob.type == "ARMATURE")
    for ob in new:
        # The importer shows bones as its own ball.
        ob.hide_render = ob.type == "MESH" and not ob.find_armature()
    top = found
    while top.parent is not None:
        top = top.parent
    top.location.x += aside
    return found


def _lit(bpy: Any, scene: Any) -> None:
    data = bpy.data.cameras.new("camera")
    eye = bpy.data.objects.new("camera", data)
    scene.collection.objects.link(eye)
    eye.location, eye.rotation_euler = (MIDDLE_M, -7.5, 0.92), (1.5708, 0.0, 0.0)
    data.lens = 70.0
    scene.camera = eye
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x, scene.render.resolution_y = SIZE
    scene.render.image_settings.file_format = "PNG"
    scene.view_settings.view_transform = "Standard"
    world = bpy.data.worlds.new("world")
    world.color = (0.82, 0.84, 0.87)
    scene.world = world
    scene.display.render_aa = "8"
    shading = scene.display.shading
    shading.light, shading.color_type = "STUDIO", "MATERIAL"
    shading.studio_light = "paint.sl"
    shading.show_object_outline = True
    shading.background_type = "WORLD"


def main(captured: str, program: str) -> None:
    """Beside Blender: prepare, start it, put what it rendered together."""
    from PIL import Image

    import komadori

    girl = komadori.characters.character("girl")
    pitch = komadori.hair(girl, komadori.retarget(komadori.load(captured).prepared(fps=24), girl).motion).motion
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        komadori.save(girl, folder / "pitch.glb", motions={"pitch": pitch})
        subprocess.run([sys.executable, ROOT / "blender" / "build.py", folder], check=True, capture_output=True)
        own = {"BLENDER_USER_RESOURCES": place, "PYTHONPATH": ""}
        command = [program, __file__, "inside", next(folder.glob("*.zip")), folder]
        subprocess.run(command, check=True, timeout=TIMEOUT_S, env={**os.environ, **own}, stdout=subprocess.DEVNULL)
        frames = [Image.open(path).convert("RGB") for path in sorted(folder.glob("[0-9]*.png"))]
    few = [frame.quantize(32, dither=Image.Dither.NONE) for frame in frames]
    few[0].save(
        PICTURES / "blender-pitch.gif", save_all=True, append_images=few[1:], duration=40, loop=0, optimize=True
    )
    half = SIZE[0] // 2
    shown = frames[slice(*ROW, 2)]
    whole = Image.new("RGB", (half * len(shown), 2 * SIZE[1]))
    for row in range(2):
        for column, frame in enumerate(shown):
            whole.paste(frame.crop((row * half, 0, (row + 1) * half, SIZE[1])), (column * half, row * SIZE[1]))
    whole.quantize(64, dither=Image.Dither.NONE).save(PICTURES / "blender-limited.png", optimize=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["inside"]:
        inside(*sys.argv[2:])
    else:
        main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else str(ROOT / ".venv-blender" / "bin" / "python"))
