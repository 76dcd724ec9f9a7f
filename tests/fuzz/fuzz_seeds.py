"""Sound files of every format that is read in this process, small enough to be broken by the thousand."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

import komadori
from komadori.camera import Camera
from komadori.character import Character, Mesh
from komadori.characters import character
from komadori.characters.samples import sample
from komadori.formats import encoded
from komadori.methods.puppet import Key, Puppet, Take
from komadori.timesheet import Timesheet

sys.path.insert(0, str(Path(__file__).parent.parent / "formats"))
from mmd_files import leg, pmd
from vrm_files import avatar_0, avatar_1, face, packed

ASF = """:version 1.10
:name fuzz
:units
  mass 1.0
  length 0.45
  angle deg
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    id 1
    name leg
    direction 0 -1 0
    length 4.5
    axis 0 0 20 XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-60.0 70.0)
  end
:hierarchy
  begin
    root leg
  end
"""
VPD = """Vocaloid Pose Data file

model.osm;
1;

Bone0{\u30bb\u30f3\u30bf\u30fc
  0.0,1.0,0.0;
  0.0,0.0,0.0,1.0;
}
"""


def small() -> Character:
    """A girl with a tenth of her skin."""
    girl = character("girl")
    meshes = tuple(_cut(mesh) for mesh in girl.meshes[:2])
    return replace(girl, meshes=meshes, motions={}, expressions={})


def _cut(mesh: Mesh) -> Mesh:
    kept = 60
    triangles = mesh.triangles[(mesh.triangles < kept).all(axis=1)]
    return replace(
        mesh,
        vertices=mesh.vertices[:kept],
        normals=mesh.normals[:kept],
        joints=mesh.joints[:kept],
        weights=mesh.weights[:kept],
        uvs=None if mesh.uvs is None else mesh.uvs[:kept],
        triangles=triangles,
        morphs={},
    )


def seeds() -> Iterator[tuple[str, bytes]]:
    """(suffix, bytes) of one sound file each."""
    clip, body = sample("pitch")[:6], small()
    for suffix in (".bvh", ".glb", ".gltf", ".vrma", ".vmd"):
        yield suffix, encoded(clip, f"a{suffix}")
    yield ".glb", encoded(body, "a.glb")
    yield ".vrm", packed(avatar_0())
    yield ".vrm", packed(*face(avatar_1(), 0, ("smile",)))
    sheets = {"A": Timesheet(24.0, np.array([0, 0, 3, 3, 5])), "B": Timesheet(24.0, np.array([1, 1, 2]))}
    for suffix in (".xdts", ".json", ".csv"):
        yield suffix, encoded(sheets, f"a{suffix}")
    yield ".json", encoded(Camera(np.array([0.0, 1.0, 3.0]), np.array([0.0, 1.0, 0.0])), "camera.json")
    yield ".toml", encoded(komadori.look("tv"), "a.toml")
    poses = [clip.pose(0), clip.pose(3)]
    keys = [Key(np.array([float(n), 1.0, 0.0]), pose, f"k{n}") for n, pose in enumerate(poses)]
    yield ".json", encoded(Puppet(clip.skeleton, keys), "puppet.json")
    yield ".csv", encoded(Take.recorded(np.linspace(0, 1, 15).reshape(5, 3)), "take.csv")
    yield ".csv", b"# fps: 24\nx0,y0,x1,y1,x2,y2\n0,0,0,-1,0,-2\n0,0,0.1,-1,0.2,-2\n0,0,0,-1,0,-2\n"
    yield (
        ".json",
        json.dumps({"fps": 24, "frames": [[[0, 0], [0, -1], [0, -2]], [[0, 0], [0.1, -1], [0, -2]]]}).encode(),
    )
    yield ".pmx", leg().emit()
    yield ".pmd", pmd()
    yield ".txt", b"seconds = 2\na = sin(t * tau)\nx = a\ny = 1 + a / 2\nz = 0\n"
    yield ".asf", ASF.encode()
    yield ".vpd", VPD.encode("cp932")
