"""Cameras (.json): {"position": [x, y, z], "target": [x, y, z], "up": [x, y, z], "fov_deg": 40}; metres.

Each of the three may be a list of such rows, one per frame. `up` and `fov_deg` may be omitted.
"""

from __future__ import annotations

import json
from typing import Any

from komadori import json_text
from komadori.camera import Camera
from komadori.errors import FormatError, OptionError
from komadori.formats.format import Format
from komadori.words import Note

_KEYS = {"position", "target", "up", "fov_deg"}


def parse(data: bytes, name: str) -> Camera:
    """The camera in `data`; `name` is the file's, for messages."""
    found = json_text.loaded(json_text.decoded(data, name), name)
    if not isinstance(found, dict) or not {"position", "target"} <= set(found) or not set(found) <= _KEYS:
        keyed = isinstance(found, dict) and found
        shape = Note("the keys {names}", names=", ".join(found)) if keyed else json_text.kind(found)
        raise FormatError(
            name, expected=Note('an object with "position" and "target" (and "up", "fov_deg")'), found=shape
        )
    try:
        fov_deg = float(found.pop("fov_deg", 40.0))
        return Camera(**found, fov_deg=fov_deg)
    except OptionError as error:
        raise error.in_file(name) from None
    except (TypeError, ValueError, OverflowError):
        raise FormatError(name, problem=Note("the camera has values that are not numbers")) from None


def emit(camera: Camera) -> bytes:
    """The camera as JSON, numbers in full."""
    values = {name: getattr(camera, name).tolist() for name in ("position", "target", "up")}
    lines = [f" {json.dumps(name)}: {json.dumps(value)}," for name, value in values.items()]
    return "\n".join(["{", *lines, f' "fov_deg": {json.dumps(float(camera.fov_deg))}', "}", ""]).encode()


def _is_one(value: Any) -> bool:
    return isinstance(value, dict) and {"position", "target"} <= set(value)


FORMAT = Format("camera", (".json",), kind="camera", holds="Camera", parse=parse, emit=emit, fits=_is_one)
