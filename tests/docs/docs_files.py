"""The files that the documentation speaks of, made by code: a reader has their own of these names."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from mmd_files import ROTATES, Pmx
from vrm_files import humanoid

import komadori
from komadori.characters import character
from komadori.formats.mmd import standard


def _motion(name: str) -> Callable[[Path], None]:
    return lambda path: komadori.save(komadori.load(f"sample:{name}"), path)


def _avatar(path: Path) -> None:
    """The built-in girl as somebody's VRM: her glTF with the names that make it an avatar."""
    girl = character("girl")
    whole = path.with_suffix(".glb")
    komadori.save(girl, whole)
    data = whole.read_bytes()
    whole.unlink()
    size = struct.unpack_from("<I", data, 12)[0]
    document, rest = json.loads(data[20 : 20 + size]), data[20 + size :]
    number = {node.get("name"): index for index, node in enumerate(document["nodes"])}
    bones = {
        humanoid.bone_name(role): {"node": number[girl.skeleton.names[joint]]}
        for role, joint in girl.skeleton.roles.items()
        if humanoid.bone_name(role) and girl.skeleton.names[joint] in number
    }
    meta = {"name": "Avatar", "authors": ["A reader"], "licenseUrl": "https://vrm.dev/licenses/1.0/"}
    vrm = {"specVersion": "1.0", "meta": meta, "humanoid": {"humanBones": bones}}
    document.setdefault("extensions", {})["VRMC_vrm"] = vrm
    document["extensionsUsed"] = [*document.get("extensionsUsed", []), "VRMC_vrm"]
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 20 + len(text) + len(rest)) + struct.pack("<I4s", len(text), b"JSON")
    path.write_bytes(head + text + rest)


def _model(path: Path) -> None:
    """A PMX with the standard bones, a strand of hair and next to no mesh."""
    bones = standard.model().bones
    pmx = Pmx()
    pmx.bones = [
        (
            bone.name,
            bone.parent,
            (float(bone.position[0]), float(bone.position[1]), float(bone.position[2])),
            ROTATES | 4 * ("センター" in bone.name),
            b"",
        )
        for bone in bones
    ]
    head = next(number for number, bone in enumerate(bones) if bone.name == "頭")
    x, y, z = pmx.bones[head][2]
    for link in range(4):
        parent = head if link == 0 else len(pmx.bones) - 1
        pmx.bones.append((f"髪{link + 1}", parent, (x, y + 1.5 - 1.2 * link, z + 1.0), ROTATES, b""))
    path.write_bytes(pmx.emit())


def _puppet(path: Path) -> None:
    clip = komadori.load("sample:pitch")
    keys = [((0, 1, 0), clip.pose(30)), ((1, 1, 0), clip.pose(60))]
    komadori.save(komadori.Puppet(clip.skeleton, keys, ik="right_hand"), path)


def _duel(path: Path) -> None:
    """Two bodies in one file, as two trees."""
    clip = komadori.load("sample:kick")
    one, count = clip.skeleton, len(clip.skeleton)
    names = tuple(f"{who}:{name.capitalize()}" for who in ("Ann", "Bob") for name in one.names)
    parents = np.concatenate([one.parents, np.where(one.parents < 0, -1, one.parents + count)])
    both = komadori.Skeleton(names, parents, np.tile(one.offsets, (2, 1)))
    komadori.save(
        komadori.Motion(both, clip.fps, np.tile(clip.rotations, (1, 2, 1)), np.tile(clip.positions, (1, 2, 1))), path
    )


def _sheet(path: Path) -> None:
    komadori.save(komadori.limited(komadori.load("sample:walk").prepared(fps=24)).sheet, path)


def _limited(path: Path) -> None:
    komadori.save(komadori.limited(komadori.load("sample:walk").prepared(fps=24)).motion, path)


def _limited_sheet(path: Path) -> None:
    komadori.save(komadori.limited(komadori.load("sample:walk").prepared(fps=24)).sheet, path)


def _drawings(path: Path) -> None:
    komadori.save(komadori.Timesheet.on(3, 48, 24.0), path)


def _throw(path: Path) -> None:
    """The script that the tutorial shows, from its page."""
    page = Path(__file__).parents[2] / "docs" / "tutorials" / "puppet.md"
    path.write_text(page.read_text(encoding="utf-8").split("```text\n")[1].split("```")[0], encoding="utf-8")


def _folder(*names: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.mkdir()
        for name in names:
            _motion(name)(path / f"{name}.bvh")

    return write


def _horse(path: Path) -> None:
    horse = character("horse")
    walk = komadori.quadruped(komadori.load("sample:walk").prepared(fps=30), horse).motion
    slow = komadori.quadruped(komadori.load("sample:slow-walk").prepared(fps=30), horse).motion
    komadori.save(horse, path, motions={"walk": walk, "March": walk, "Sad": slow})


NEEDED: dict[str, Callable[[Path], None]] = {
    "slow-walk.bvh": _motion("slow-walk"),
    "walk.bvh": _motion("walk"),
    "jog.bvh": _motion("jog"),
    "new.bvh": _motion("jog"),
    "sad.bvh": _motion("slow-walk"),
    "march.bvh": _motion("walk"),
    "pitch.bvh": _motion("pitch"),
    "kick.bvh": _motion("kick"),
    "124_01.bvh": _motion("pitch"),
    "kick.glb": lambda path: komadori.save(komadori.load("sample:kick"), path),
    "avatar.vrm": _avatar,
    "girl.vrm": _avatar,
    "model.pmx": _model,
    "horse.glb": _horse,
    "duel.bvh": _duel,
    "pitch.json": _puppet,
    "cut.xdts": _sheet,
    "cut.tdts": _drawings,
    "limited.bvh": _limited,
    "limited.xdts": _limited_sheet,
    "clips": _folder("walk", "jog"),
    "walks": _folder("slow-walk"),
    "more.txt": lambda path: path.write_text("sample:jog\n", encoding="utf-8") and None,
    "throw.txt": _throw,
}
"""Name -> what writes it."""


def write_files(folder: Path, names: Iterable[str]) -> None:
    """Writes the files of these names into `folder`."""
    for name in names:
        NEEDED[name](folder / name)
