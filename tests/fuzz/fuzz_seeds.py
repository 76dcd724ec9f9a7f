"""Sound files of every format, small enough to be broken by the thousand."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np

import komadori
from komadori.camera import Camera
from komadori.character import Character, Mesh
from komadori.characters import character
from komadori.characters.samples import sample
from komadori.formats import encoded
from komadori.formats.table import FORMATS
from komadori.methods.puppet import Key, Puppet, Take
from komadori.methods.translate import Translator
from komadori.timesheet import Timesheet

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "formats"))
from fbx_files import with_rigid_mesh
from fuzz_packets import sound
from fuzz_shapes import BY_PROTOCOL
from mmd_files import leg, pmd
from test_gltf_packed import dracoed, meshopted
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
AMC = """:FULLY-SPECIFIED
:DEGREES
1
root 0 1 0 0 0 0
leg 10 0 5
2
root 0 1 0.1 0 3 0
leg 12 0 5
"""
VPD = """Vocaloid Pose Data file

model.osm;
1;

Bone0{\u30bb\u30f3\u30bf\u30fc
  0.0,1.0,0.0;
  0.0,0.0,0.0,1.0;
}
"""


TRC = """PathFileType\t4\t(X/Y/Z)\ta.trc
DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames
60.00\t60.00\t3\t2\tmm\t60.00\t1\t3
Frame#\tTime\tHip\t\t\tHead\t\t\t
\t\tX1\tY1\tZ1\tX2\tY2\tZ2\t

1\t0.000\t10.0\t1000.0\t20.0\t12.0\t1700.0\t25.0\t
2\t0.017\t11.0\t1001.0\t21.0\t\t\t\t
3\t0.033\t12.0\t1002.0\t22.0\t14.0\t1702.0\t27.0\t
"""


def smpl() -> bytes:
    """A few frames of SMPL parameters, not compressed, so that broken bytes reach the arrays."""
    packed = io.BytesIO()
    angles = np.linspace(-0.2, 0.2, 4 * 72).reshape(4, 72)
    rest = {"betas": np.zeros(10), "gender": np.array("male"), "mocap_framerate": np.array(60.0)}
    np.savez(packed, poses=angles, trans=np.zeros((4, 3)), **rest)
    return packed.getvalue()


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


@dataclass(frozen=True)
class Seed:
    """One sound file of a format (its name and first suffix), and the files that belong beside it."""

    form: str
    suffix: str
    data: bytes
    beside: Mapping[str, bytes] = field(default_factory=dict)


def seeds() -> Iterator[Seed]:
    """Sound files of every format, and packets of every protocol."""
    yield from _clips()
    yield from _bodies()
    yield from _sheets()
    yield from _others()
    for name in BY_PROTOCOL:
        suffix = name.split()[-1]
        yield Seed(name, suffix, sound(suffix))


def _clips() -> Iterator[Seed]:
    clip = sample("pitch")[:6]
    forms = (
        ("BVH .bvh", ".bvh"), ("glTF binary .glb", ".glb"), ("glTF .gltf", ".gltf"), ("VRM animation .vrma", ".vrma"),
        ("MikuMikuDance motion .vmd", ".vmd"), ("FBX .fbx", ".fbx"),
    )  # fmt: skip
    for form, suffix in forms:
        yield Seed(form, suffix, encoded(clip, f"a{suffix}"))
    yield Seed("AMASS .npz", ".npz", smpl())
    yield Seed("TRC .trc", ".trc", TRC.encode())
    yield Seed("Acclaim ASF/AMC .amc", ".asf", ASF.encode())
    yield Seed("Acclaim ASF/AMC .amc", ".amc", AMC.encode(), {"case.asf": ASF.encode()})
    yield Seed("MikuMikuDance pose .vpd", ".vpd", VPD.encode("cp932"))


def _bodies() -> Iterator[Seed]:
    body = small()
    glb = encoded(body, "a.glb")
    yield Seed("glTF binary .glb", ".glb", glb)
    if find_spec("DracoPy"):
        yield Seed("glTF binary .glb", ".glb", dracoed(glb))
    if find_spec("meshoptimizer"):
        yield Seed("glTF binary .glb", ".glb", meshopted(glb))
    yield Seed("VRM avatar .vrm", ".vrm", packed(avatar_0()))
    yield Seed("VRM avatar .vrm", ".vrm", packed(*face(avatar_1(), 0, ("smile",))))
    yield Seed("MikuMikuDance model .pmx", ".pmx", leg().emit())
    yield Seed("MikuMikuDance model .pmx", ".pmd", pmd())
    yield Seed("FBX .fbx", ".fbx", encoded(body, "a.fbx"))
    yield Seed("FBX .fbx", ".fbx", with_rigid_mesh())
    yield from made_apart()


def made_apart() -> Iterator[Seed]:
    """Those of USD and C3D, made in another process: their libraries start threads, and no process with threads may fork."""
    with tempfile.TemporaryDirectory() as folder:
        code = f"import fuzz_libraries; fuzz_libraries.make({folder!r})"
        subprocess.run(
            [sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        )
        for path in sorted(Path(folder).iterdir()):
            form = {".usda": "USD text .usda", ".usdz": "USDZ .usdz", ".c3d": "C3D .c3d"}.get(path.suffix, "USD .usd")
            yield Seed(form, path.suffix, path.read_bytes())


def _sheets() -> Iterator[Seed]:
    sheets = {"A": Timesheet(24.0, np.array([0, 0, 3, 3, 5])), "B": Timesheet(24.0, np.array([1, 1, 2]))}
    for form in FORMATS:
        if form.write_sheets is not None:
            suffix = form.suffixes[0]
            held = {"A": sheets["A"]} if suffix == ".txt" else sheets
            yield Seed(f"{form.name} {suffix}", suffix, encoded(held, f"a{suffix}"))


def _others() -> Iterator[Seed]:
    clip = sample("pitch")[:6]
    camera = Camera(np.array([0.0, 1.0, 3.0]), np.array([0.0, 1.0, 0.0]))
    yield Seed("camera .json", ".json", encoded(camera, "camera.json"))
    yield Seed("recipe .toml", ".toml", encoded(komadori.look("tv"), "a.toml"))
    poses = [clip.pose(0), clip.pose(3)]
    keys = [Key(np.array([float(n), 1.0, 0.0]), pose, f"k{n}") for n, pose in enumerate(poses)]
    yield Seed("puppet .json", ".json", encoded(Puppet(clip.skeleton, keys), "puppet.json"))
    yield Seed("take .csv", ".csv", encoded(Take.recorded(np.linspace(0, 1, 15).reshape(5, 3)), "take.csv"))
    table = b"# fps: 24\nx0,y0,x1,y1,x2,y2\n0,0,0,-1,0,-2\n0,0,0.1,-1,0.2,-2\n0,0,0,-1,0,-2\n"
    yield Seed("trace .csv", ".csv", table)
    traced = {"fps": 24, "frames": [[[0, 0], [0, -1], [0, -2]], [[0, 0], [0.1, -1], [0, -2]]]}
    yield Seed("trace .json", ".json", json.dumps(traced).encode())
    yield Seed("script .txt", ".txt", b"seconds = 2\na = sin(t * tau)\nx = a\ny = 1 + a / 2\nz = 0\n")
    walk = sample("walk")
    for model in ("static", "fir"):
        made = Translator.fit([(walk, walk)], ["left_upper_leg"], ["left_upper_arm"], model=model)
        yield Seed("translator .json", ".json", encoded(made, "translator.json"))
