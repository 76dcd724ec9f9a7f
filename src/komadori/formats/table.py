"""The formats, all of them: to add one, declare it in its own file and name it here."""

from __future__ import annotations

from komadori.formats import (
    asf_amc,
    bvh,
    c3d,
    camera,
    fbx,
    gltf,
    mmd,
    puppet,
    recipe,
    script,
    sheet_tables,
    take,
    trace,
    translator,
    usd,
    vrm,
    xdts,
)
from komadori.formats.format import Format

FORMATS: tuple[Format, ...] = (
    bvh.FORMAT,
    asf_amc.FORMAT,
    gltf.GLB,
    gltf.GLTF,
    mmd.MODEL,
    mmd.MOTION,
    mmd.POSE,
    vrm.AVATAR,
    vrm.ANIMATION,
    usd.TEXT,
    usd.BINARY,
    usd.PACKAGE,
    fbx.FORMAT,
    c3d.FORMAT,
    xdts.FORMAT,
    sheet_tables.JSON,
    sheet_tables.CSV,
    puppet.FORMAT,
    translator.FORMAT,
    trace.JSON,
    trace.CSV,
    take.FORMAT,
    script.FORMAT,
    recipe.FORMAT,
    camera.FORMAT,
)
