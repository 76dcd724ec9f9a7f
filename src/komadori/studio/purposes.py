"""What each kind of file is for, and what opens it: the Export dialog says so."""

from __future__ import annotations

from komadori.studio.messages.export import ExportKind

PURPOSES: dict[tuple[ExportKind, str], str] = {
    ("motion", ".bvh"): "the skeleton's motion as plain text. Blender, MotionBuilder and most motion tools open it",
    ("motion", ".glb"): "the moving skeleton for game engines and the web. Blender, Godot and three.js open it",
    (
        "character",
        ".glb",
    ): "the character with its motion, for game engines and the web. Blender, Godot and three.js open it",
    ("motion", ".gltf"): "as .glb, but as text that people and scripts can read. Blender, Godot and three.js open it",
    (
        "character",
        ".gltf",
    ): "as .glb, but as text that people and scripts can read. Blender, Godot and three.js open it",
    ("motion", ".vmd"): "motion for a model of MikuMikuDance. MikuMikuDance opens it, and Blender with MMD Tools",
    (
        "motion",
        ".vpd",
    ): "the first pose for a model of MikuMikuDance. MikuMikuDance opens it, and Blender with MMD Tools",
    (
        "character",
        ".vrm",
    ): "the avatar with its motion as an animation. Apps for VRM avatars open it, and Blender and Unity with a VRM add-on",
    ("motion", ".vrma"): "motion that any VRM avatar can play. Apps that support VRM Animation open it",
    ("motion", ".usda"): "the moving skeleton as text, for film pipelines. Blender, Houdini, Maya and usdview open it",
    (
        "character",
        ".usda",
    ): "the character with its motion as text, for film pipelines. Blender, Houdini, Maya and usdview open it",
    ("motion", ".usd"): "the moving skeleton for film pipelines. Blender, Houdini, Maya and usdview open it",
    (
        "character",
        ".usd",
    ): "the character with its motion for film pipelines. Blender, Houdini, Maya and usdview open it",
    (
        "motion",
        ".usdc",
    ): "the moving skeleton in binary, for film pipelines. Blender, Houdini, Maya and usdview open it",
    (
        "character",
        ".usdc",
    ): "the character with its motion in binary, for film pipelines. Blender, Houdini, Maya and usdview open it",
    ("motion", ".usdz"): "the moving skeleton in one package. usdview and Apple's Quick Look open it",
    (
        "character",
        ".usdz",
    ): "the character with its motion and pictures in one package. usdview and Apple's Quick Look open it",
    (
        "motion",
        ".fbx",
    ): "the moving skeleton for 3D programs and game engines. Maya, MotionBuilder, Blender, Unity and Unreal Engine open it",
    (
        "character",
        ".fbx",
    ): "the character with its motion for 3D programs and game engines. Maya, MotionBuilder, Blender, Unity and Unreal Engine open it",
    ("motion", ".npz"): "motion of a SMPL body, for research. Tools for AMASS open it, and Python with NumPy",
    ("sheet", ".xdts"): "a digital timesheet for 2D animation. Clip Studio Paint and OpenToonz open it",
    ("sheet", ".tdts"): "a digital timesheet for 2D animation. Toei Animation's digital timesheet program opens it",
    ("sheet", ".sts"): "a timesheet of cels alone, at 24 fps. Shirahei's time sheet program opens it",
    ("sheet", ".sxf"): "a timesheet for RETAS STUDIO. Stylos and OpenToonz open it",
    ("sheet", ".json"): "the timesheet for scripts. komadori reads it back exactly",
    (
        "sheet",
        ".csv",
    ): "the timesheet as a table, one row per frame. Any spreadsheet opens it, and komadori reads it back exactly",
    (
        "sheet",
        ".celsys.csv",
    ): "the timesheet as the table that Clip Studio Paint writes. Stylos and spreadsheets open it",
    ("sheet", ".tvpaint.csv"): "the timesheet as the table that TVPaint writes. Krita and spreadsheets open it",
    (
        "sheet",
        ".txt",
    ): "the timing of one cel as time remapping. Copy the text and paste it onto a layer in After Effects",
    ("sheet", ".pdf"): "the timesheet to print, as on paper. Any PDF viewer opens it",
    (
        "sheet",
        ".svg",
    ): "the timesheet as a drawing that stays sharp at any size. Browsers, Inkscape and Illustrator open it",
    ("sheet", ".png"): "the timesheet as a picture, to show or to send. Any image viewer opens it",
    ("picture", ".mp4"): "a film for players, phones and editing programs. Nearly everything opens it",
    ("picture", ".webm"): "a film for the web. Browsers and VLC open it",
    ("picture", ".gif"): "a short film that repeats by itself, for chats and web pages. Any browser opens it",
    ("picture", ".png"): "the drawings side by side in one picture, as a poster. Any image viewer opens it",
    (
        "frames",
        ".zip",
    ): "a numbered picture of every frame, for compositing. After unpacking, After Effects, Blender and OpenToonz open them",
    ("recipe", ".toml"): "the steps and settings that gave this result. The komadori command runs them on any clip",
}
"""Kind and suffix -> a phrase that follows the name of the format."""
