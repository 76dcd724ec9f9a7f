"""Hair: 200 chains of 8 bones in closed form, beside the VRM spring bone step in NumPy, and three-vrm's under node."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np

from bench.tables import Table, spoken, together
from komadori import Motion, quat
from komadori.character import Character
from komadori.methods.hair import hair, simulate_springs, springs_of
from komadori.methods.hair.springs import RATE
from komadori.skeleton import Skeleton

CHAINS, BONES, FRAMES, FPS = 200, 8, 1_000, 24.0
WHOLE_S, ONE_S = 0.5, 0.001
MODULES = Path(__file__).parent.parent / ".judges"


def tables() -> list[Table]:
    return [_hair()]


def curly() -> Character:
    """A head with 200 slightly curved strands all round."""
    rng = np.random.default_rng(1)
    names, parents, offsets = ["head"], [-1], [np.array([0.0, 1.5, 0.0])]
    for chain in range(CHAINS):
        angle = 2.0 * np.pi * chain / CHAINS
        step = np.array([0.02 * np.sin(angle), -0.08, -0.02 * np.cos(angle)])
        before = 0
        for bone in range(BONES + 1):
            names.append(f"hair_{chain}_{bone}" if bone < BONES else f"hair_{chain}_end")
            parents.append(before)
            root = np.array([0.1 * np.sin(angle), 0.1, -0.1 * np.cos(angle)])
            offsets.append(root if bone == 0 else step + 0.01 * rng.normal(size=3))
            before = len(names) - 1
    return Character("bench", Skeleton(tuple(names), np.array(parents), np.array(offsets), roles={"head": 0}))


def wandering(body: Character) -> Motion:
    """The head on a way of 1,000 frames."""
    rng = np.random.default_rng(2)
    skeleton = body.skeleton
    positions = np.broadcast_to(skeleton.offsets, (FRAMES, len(skeleton), 3)).copy()
    rotations = np.broadcast_to(skeleton.rest, (FRAMES, len(skeleton), 4)).copy()
    positions[:, 0] += np.cumsum(0.02 * rng.normal(size=(FRAMES, 3)), axis=0)
    rotations[:, 0] = quat.exp(0.5 * np.sin(np.arange(FRAMES)[:, None] / [11.0, 17.0, 29.0]))
    return Motion(skeleton, FPS, rotations, positions)


def _hair() -> Table:
    body = curly()
    springy = replace(body, springs=springs_of(body))
    motion = wandering(body)
    short = motion[:25]
    still, moving = hair(body, seconds=FRAMES / FPS), hair(body, motion)
    best = together(
        {
            "standing": lambda: hair(body, seconds=FRAMES / FPS).motion,
            "windy": lambda: hair(body, seconds=FRAMES / FPS, wind=(0.0, 0.0, -3.0)).motion,
            "moving": lambda: hair(body, motion).motion,
            "standing, one": lambda: still.at(20.0),
            "moving, one": lambda: moving.at(20.0),
            "springs": lambda: simulate_springs(springy, short),
        },
        repeats=5,
    )
    steps = (len(short) - 1) * int(np.ceil(RATE / FPS))
    a_step = best["springs"] / steps
    a_second = int(np.ceil(RATE / FPS)) * FPS
    rows = [
        (f"{FRAMES:,} frames, the head standing", spoken(best["standing"]), f"under {spoken(WHOLE_S)}"),
        (f"{FRAMES:,} frames in the wind", spoken(best["windy"]), f"under {spoken(WHOLE_S)}"),
        (f"{FRAMES:,} frames, following a moving head", spoken(best["moving"]), f"under {spoken(WHOLE_S)}"),
        ("one frame alone, the head standing", spoken(best["standing, one"]), f"under {spoken(ONE_S)}"),
        ("one frame alone, following a moving head", spoken(best["moving, one"]), f"under {spoken(ONE_S)}"),
        ("VRM spring bones in NumPy: one step", spoken(a_step), ""),
        (
            f"VRM spring bones in NumPy: {FRAMES:,} frames, {a_second:g} steps per second",
            spoken(a_step * FRAMES * a_second / FPS),
            "",
        ),
    ]
    theirs = _three_vrm()
    if theirs is not None:
        rows.append(("three-vrm under node: one step", spoken(theirs), ""))
        rows.append(
            (
                f"three-vrm under node: {FRAMES:,} frames, {a_second:g} steps per second",
                spoken(theirs * FRAMES * a_second / FPS),
                "",
            )
        )
    failed = [
        f"{name}: {spoken(best[name])}, more than {spoken(limit)}"
        for name, limit in (
            ("standing", WHOLE_S),
            ("windy", WHOLE_S),
            ("moving", WHOLE_S),
            ("standing, one", ONE_S),
            ("moving, one", ONE_S),
        )
        if best[name] > limit
    ]
    about = f"{CHAINS} chains of {BONES} bones. The wave is a closed form; springs must be stepped through all frames before."
    return Table("Hair", ("work", "time", "target"), tuple(rows), about, tuple(failed))


SCRIPT = """
import * as THREE from "three";
import { VRMSpringBoneJoint, VRMSpringBoneManager } from "@pixiv/three-vrm";
const [chains, bones] = JSON.parse(process.argv[2]);
const head = new THREE.Object3D(), manager = new VRMSpringBoneManager();
for (let c = 0; c < chains; c += 1) {
  let above = head;
  const row = [];
  for (let b = 0; b <= bones; b += 1) {
    const node = new THREE.Object3D();
    node.position.set(b ? 0 : Math.sin(c), -0.08, b ? 0.02 : Math.cos(c));
    above.add(node);
    above = node;
    row.push(node);
  }
  for (let b = 0; b < bones; b += 1)
    manager.addJoint(new VRMSpringBoneJoint(row[b], row[b + 1], { stiffness: 0.6, dragForce: 0.35, gravityPower: 0.3 }));
}
head.updateMatrixWorld(true);
manager.setInitState();
const run = (steps) => {
  for (let n = 0; n < steps; n += 1) {
    head.position.x = Math.sin(0.1 * n);
    head.updateMatrixWorld(true);
    manager.update(1 / 60);
  }
};
run(60);
let best = Infinity;
for (let n = 0; n < 7; n += 1) {
  const start = performance.now();
  run(30);
  best = Math.min(best, (performance.now() - start) / 30);
}
console.log(best / 1000);
"""


def _three_vrm() -> float | None:
    """Seconds a step, where node and three-vrm are at hand."""
    if shutil.which("node") is None or not (MODULES / "node_modules" / "@pixiv" / "three-vrm").is_dir():
        return None
    command = ["node", "--input-type=module", "-", json.dumps([CHAINS, BONES])]
    done = subprocess.run(command, input=SCRIPT, capture_output=True, text=True, cwd=MODULES, check=True, timeout=300)
    return float(done.stdout)
