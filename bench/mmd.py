"""MikuMikuDance files: reading and writing keys, playing them, and models, beside mmd-parser in Node if it is installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

import komadori
from bench.clips import clip
from bench.tables import Table, spoken, together
from komadori.formats import load_character
from komadori.formats.mmd import pmx, standard, vmd, writing
from komadori.formats.mmd.binary import padded

KEYS = 155_000
ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("KOMADORI_DATA", ROOT.parent / "shared" / "data"))
_NODE = """
const { Parser } = require("mmd-parser");
const fs = require("fs");
const [kind, file] = process.argv.slice(1);
const bytes = fs.readFileSync(file);
const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
let best = Infinity;
for (let i = 0; i < 7; i++) {
  const start = performance.now();
  kind === "pmx" ? new Parser().parsePmx(buffer, true) : new Parser().parseVmd(buffer, true);
  best = Math.min(best, performance.now() - start);
}
console.log(JSON.stringify(best / 1000));
"""


def tables() -> list[Table]:
    return [_motions(), *_models()]


def _keys() -> bytes:
    """A file of 155,000 bone keys: 60 standard bones, each in every frame."""
    names = [bone.name for bone in standard.model().bones[:60]]
    rows = np.zeros(KEYS, vmd.BONE)
    rows["name"] = np.array([list(padded(name, 15)) for name in names], dtype=np.uint8)[np.arange(KEYS) % 60]
    rows["frame"] = np.arange(KEYS) // 60
    rows["turn"] = np.random.default_rng(0).normal(size=(KEYS, 4))
    rows["turn"] /= np.linalg.norm(rows["turn"], axis=1, keepdims=True)
    rows["curves"] = np.frombuffer(vmd.key_curves((64, 0, 64, 127)), np.uint8)
    return vmd.VmdDocument("bench", vmd.MAGIC.ljust(50, b"\0"), rows).emit()


def _motions() -> Table:
    data = _keys()
    document = vmd.parse(data, "bench.vmd")
    dance = clip(5000)
    works: dict[str, Callable[[], object]] = {
        "komadori, read": lambda: vmd.parse(data, "bench.vmd"),
        "komadori, write": document.emit,
        "komadori, read and sort into tracks": lambda: vmd.parse(data, "bench.vmd").bone_tracks,
    }
    times = together(works)
    times |= together(
        {
            "komadori, play: curves, append, IK of both legs in every frame": document.motion,
            f"komadori, write {len(dance)} frames of another body as VMD": lambda: writing.emit(dance),
        },
        repeats=2,
    )
    times |= _beside("vmd", data)
    read = times["komadori, read"]
    failed = ("reading takes more than 5 ms",) if read > 0.005 else ()
    rows = tuple((name, spoken(value)) for name, value in times.items())
    frames = len(document)
    about = f"{KEYS} bone keys, {frames} frames, {len(data) / 1e6:.1f} MB, from memory."
    return Table("VMD", ("work", "time"), rows, about, failed)


def _models() -> list[Table]:
    path = DATA / "character_mmd" / "Gene" / "Gene.pmx"
    if not path.is_file():
        return []
    data = path.read_bytes()
    laugh = path.parent / "motion" / "02_laugh.vmd"
    times = together(
        {
            "komadori, read": lambda: pmx.parse(data, "Gene.pmx"),
            "komadori.load_character (meshes, morphs, chains)": lambda: load_character(path),
            "komadori.load of a VMD beside it (301 frames)": lambda: komadori.load(laugh),
        },
        repeats=5,
    )
    times |= _beside("pmx", data)
    whole = times["komadori.load_character (meshes, morphs, chains)"]
    failed = ("loading the character takes more than 0.3 s",) if whole > 0.3 else ()
    rows = tuple((name, spoken(value)) for name, value in times.items())
    about = "Gene: 28,646 vertices, 47,106 triangles, 224 bones, 184 morphs, 2.8 MB."
    return [Table("PMX", ("work", "time"), rows, about, failed)]


def _beside(kind: str, data: bytes) -> dict[str, float]:
    """The time that mmd-parser takes inside Node, or nothing if it is not installed."""
    home, node = ROOT / ".judges", shutil.which("node")
    if node is None or not (home / "node_modules" / "mmd-parser").is_dir():
        return {}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"bench.{kind}"
        file.write_bytes(data)
        done = subprocess.run(
            [node, "-e", _NODE, kind, str(file)], cwd=home, capture_output=True, text=True, check=True
        )
    return {"mmd-parser (JavaScript, Node), read": float(json.loads(done.stdout))}
