"""Other programs agree: pybvh on what files mean, pybvh and Blender on what we write."""

from __future__ import annotations

import json
import subprocess
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import komadori
from komadori import quat
from komadori.formats.bvh import Document
from komadori.formats.bvh.axes import z_up
from komadori.motion import Motion
from komadori.skeleton import Skeleton

import blenders
from realdata import real, reals

HERE = Path(__file__).parent


BLENDER = next(iter(blenders.pythons()), None)


def sampled() -> Motion:
    """A made body with a tilted rest pose, limbs that turn freely, and one joint that slides."""
    rng = np.random.default_rng(4)
    names = ("Hips", "Spine", "Spine_end", "Leg", "Foot", "Foot_end")
    rest = quat.normalized(rng.normal(size=(6, 4)))
    rest[[2, 5]] = quat.IDENTITY
    skeleton = Skeleton(names, np.array([-1, 0, 1, 0, 3, 4]), rng.uniform(-0.5, 0.5, (6, 3)), rest)
    turns = quat.exp(np.cumsum(rng.normal(size=(30, 6, 3)) * 0.1, axis=0))
    turns[:, [2, 5]] = quat.IDENTITY
    positions = np.repeat(skeleton.offsets[None], 30, axis=0)
    positions[:, 0] += np.cumsum(rng.normal(size=(30, 3)) * 0.02, axis=0)
    return Motion(skeleton, 24, quat.continuous(quat.multiply(rest, turns)), positions)


def pybvh_world(path: Path) -> Any:
    pybvh = pytest.importorskip("pybvh")
    with warnings.catch_warnings():
        # It warns if it has to guess which way is up.
        warnings.simplefilter("ignore")
        return pybvh.read_bvh_file(str(path)).node_positions()


@pytest.mark.parametrize("path", reals("human_cmu_bvh/*.bvh", "human_other_bvh/an*.bvh", "human_other_bvh/t*.bvh", "odd_bvh/bvh*.bvh", "odd_bvh/pybvh*.bvh"))  # fmt: skip
def test_pybvh_reads_the_same_places(path: Path) -> None:
    motion = komadori.load(path)
    assert motion.origin is not None
    document = motion.origin.document
    assert isinstance(document, Document)
    world = motion.world_positions()
    if document.up == "Z":
        world = z_up(world)
    assert np.abs(pybvh_world(path) - world / document.scale).max() < 1e-9


def test_pybvh_reads_what_we_write(tmp_path: Path) -> None:
    motion = sampled()
    komadori.save(motion, tmp_path / "made.bvh")
    back = komadori.load(tmp_path / "made.bvh", unit="cm")
    assert np.abs(pybvh_world(tmp_path / "made.bvh") * 0.01 - back.world_positions()).max() < 1e-12
    assert np.abs(back.world_positions() - motion.world_positions()).max() < 1e-12


def test_pybvh_reads_a_clip_that_went_through_us(tmp_path: Path) -> None:
    source = real("human_cmu_bvh/02_01.bvh")
    komadori.save(komadori.load(source), tmp_path / "same.bvh")
    assert np.array_equal(pybvh_world(tmp_path / "same.bvh"), pybvh_world(source))


@pytest.mark.skipif(BLENDER is None, reason=blenders.MISSING)
@pytest.mark.parametrize("kind", ["made", "real", "resampled", "slides"])
def test_blender_imports_what_we_write(kind: str, tmp_path: Path) -> None:
    motion = sampled()
    if kind in ("real", "resampled"):
        motion = komadori.load(real("human_cmu_bvh/02_01.bvh"))[:40]
        motion = motion.resampled(50) if kind == "resampled" else motion
    if kind == "slides":
        positions = motion.positions.copy()
        positions[:, 4, 1] += np.linspace(0.0, 0.3, len(motion))
        motion = replace(motion, positions=positions)
    metres = motion.origin.document.scale if motion.origin is not None else 0.01  # type: ignore[attr-defined]
    bvh, answer = tmp_path / "ours.bvh", tmp_path / "heads.json"
    komadori.save(motion, bvh)
    frames = [0, 3, len(motion) - 1]
    assert BLENDER is not None
    command = [BLENDER, str(HERE / "blender_heads.py"), str(bvh), str(answer), *map(str, frames)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    world = motion.world_positions()
    for frame, heads in zip(frames, json.loads(answer.read_text(encoding="utf-8")), strict=True):
        assert len(heads) == (~motion.skeleton.end_sites).sum()
        for name, head in heads.items():
            # Blender keeps single precision.
            assert np.abs(np.array(head) * metres - world[frame, motion.skeleton.index(name)]).max() < 5e-6
