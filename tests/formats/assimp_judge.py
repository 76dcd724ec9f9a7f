"""What assimp, another reader of FBX, makes of a file: where its nodes are at a frame."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from komadori import quat

ASSIMP = shutil.which("assimp")
needs_assimp = pytest.mark.skipif(ASSIMP is None, reason="assimp is not installed (Debian: assimp-utils)")


def told(path: Path, folder: Path) -> dict[str, Any]:
    """Everything that assimp reads from `path`."""
    answer = folder / "answer.assjson"
    assert ASSIMP is not None
    subprocess.run([ASSIMP, "export", str(path), str(answer), "-fassjson"], check=True, capture_output=True)
    found: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
    return found


def places(scene: dict[str, Any], clip: int, frame: int) -> dict[str, NDArray[np.float64]]:
    """The place of every node at a frame of an animation, in the file's own unit."""
    channels = {channel["name"]: channel for channel in scene["animations"][clip]["channels"]}
    found: dict[str, NDArray[np.float64]] = {}

    def visit(node: dict[str, Any], above: NDArray[np.float64]) -> None:
        own = np.array(node["transformation"]).reshape(4, 4)
        if node["name"] in channels:
            own = _posed(channels[node["name"]], frame)
        here = above @ own
        found[node["name"]] = here[:3, 3]
        for child in node.get("children", []):
            visit(child, here)

    visit(scene["rootnode"], np.eye(4))
    return found


def _posed(channel: dict[str, Any], frame: int) -> NDArray[np.float64]:
    result = np.eye(4)
    w, x, y, z = _at(channel["rotationkeys"], frame)
    result[:3, :3] = quat.to_matrix(quat.normalized([x, y, z, w])) * _at(channel["scalingkeys"], frame)
    result[:3, 3] = _at(channel["positionkeys"], frame)
    return result


def _at(keys: list[Any], frame: int) -> NDArray[np.float64]:
    """The key at a frame, or what lies between the two around it."""
    times, values = np.array([key[0] for key in keys]), np.array([key[1] for key in keys])
    values = np.where((values @ values[0] < 0.0)[:, None] & (values.shape[1] == 4), -values, values)
    return np.array([np.interp(frame, times, column) for column in values.T])
