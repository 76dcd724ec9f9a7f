"""One clip in every format that can hold it: world positions agree to a tenth of a millimetre."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import komadori
from komadori.characters import SAMPLES, sample

from realdata import real

TENTH_MM = 1e-4
USD = pytest.mark.skipif(find_spec("pxr") is None, reason="the optional extra `usd` is not installed")
SUFFIXES = [".bvh", ".glb", ".gltf", pytest.param(".usda", marks=USD), pytest.param(".usdc", marks=USD)]


def by_role(motion: komadori.Motion) -> dict[str, np.ndarray]:
    places = motion.world_positions()
    return {role: places[:, joint] for role, joint in motion.skeleton.roles.items()}


def apart_m(a: komadori.Motion, b: komadori.Motion) -> float:
    """The farthest that a joint of some role lies from its counterpart; all roles of `a` must be in `b`."""
    assert len(a) == len(b)
    assert a.fps == b.fps
    ours, theirs = by_role(a), by_role(b)
    assert set(ours) <= set(theirs)
    return max(float(np.abs(places - theirs[role]).max()) for role, places in ours.items())


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_the_same_clip_in_every_format(tmp_path: Path, name: str, suffix: str) -> None:
    motion = sample(name)
    path = tmp_path / f"clip{suffix}"
    komadori.save(motion, path)
    assert apart_m(motion, komadori.load(path)) < TENTH_MM


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_captured_clip_is_the_same_in_every_format(tmp_path: Path, suffix: str) -> None:
    motion = komadori.load(real("human_cmu_bvh/124_01.bvh")).prepared(fps=24)
    path = tmp_path / f"clip{suffix}"
    komadori.save(komadori.limited(motion).motion, path)
    again = komadori.load(path) if suffix != ".bvh" else komadori.load(path, unit="cmu")
    assert apart_m(komadori.limited(motion).motion, again) < TENTH_MM


def test_mmd_and_vrm_carry_the_same_limbs(tmp_path: Path) -> None:
    """VMD and VRMA move their own body: directions of the limbs are what must agree."""
    motion = sample("kick", fps=30.0)
    limbs = [
        (f"{side}_{upper}", f"{side}_{lower}")
        for side in ("left", "right")
        for upper, lower in (("upper_arm", "lower_arm"), ("lower_arm", "hand"), ("upper_leg", "lower_leg"), ("lower_leg", "foot"))
    ]  # fmt: skip
    for suffix in (".vmd", ".vrma"):
        komadori.save(motion, tmp_path / f"kick{suffix}")
        again = komadori.load(tmp_path / f"kick{suffix}")
        ours, theirs = by_role(motion), by_role(again)
        for a, b in limbs:
            u, v = ours[b] - ours[a], theirs[b] - theirs[a]
            cosine = np.einsum("fi,fi->f", u, v) / np.linalg.norm(u, axis=1) / np.linalg.norm(v, axis=1)
            assert np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))).max() < 0.5, (suffix, a, b)
