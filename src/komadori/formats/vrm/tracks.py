"""Writing motion as the animation of a VRMA: few keys, and steps where poses are held."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori.formats.gltf.builder import Builder
from komadori.quat import Array


@dataclass
class Tracks:
    """An animation that is being written; `stepped` says that its poses are switched and not blended."""

    builder: Builder
    fps: float
    stepped: bool
    channels: list[dict[str, Any]] = field(default_factory=list)
    samplers: list[dict[str, Any]] = field(default_factory=list)

    def add(self, node: int, path: str, values: Array, to_the_end: bool = False) -> None:
        """Keys for `values` (F, n) of a node's "rotation" or "translation"; `to_the_end` keys the last frame in any case."""
        numbers = values.astype("<f4")
        frames = keys(numbers, to_the_end)
        times = (frames / self.fps).astype("<f4")
        # The builder states the same times once.
        view = -1 if self.builder.knows_times(times) else self.builder.view(times.tobytes())
        source = self.builder.key_times(times, view, 0)
        output = self.builder.accessor(numbers[frames], "VEC4" if values.shape[1] == 4 else "VEC3")
        how = "STEP" if self.stepped else "LINEAR"
        self.channels.append({"sampler": len(self.samplers), "target": {"node": node, "path": path}})
        self.samplers.append({"input": source, "interpolation": how, "output": output})


def keys(values: NDArray[np.float32], to_the_end: bool) -> NDArray[np.intp]:
    """The frames of `values` (F, n) that need a key.

    A hold has two, at its first and its last frame: three-vrm draws a line between the keys of a turn whatever the file
    says, and so shows every frame right all the same.
    """
    changes = (values[1:] != values[:-1]).any(axis=1)
    needed = np.zeros(len(values), dtype=bool)
    needed[1:] |= changes
    needed[:-1] |= changes
    needed[0] = True
    needed[-1] |= to_the_end or changes.any()
    return np.flatnonzero(needed)
