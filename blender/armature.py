# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature as komadori sees it: which bones count, what they are, and where they are at rest, in metres with Y up."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from komadori import quat, roles
from komadori.errors import OptionError, quoted
from komadori.skeleton import Skeleton
from komadori.words import Note

Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
"""Blender's axes (Z up) -> komadori's (Y up)."""
TURN = quat.from_matrix(Y_UP)
EVEN = 1e-3
"""How far the three scales of an object may lie apart and still count as one."""

_SIDE = re.compile(r"^(?P<bare>.*?)[._](?P<side>[LR])$")
_JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_MADE_FOR_RIG = re.compile(r"^(?:ORG|MCH|VIS|WGT)-")


@dataclass(frozen=True, eq=False)
class Rig:
    """An armature object and the skeleton that was made of it. Joints without a bone are the ends of bones."""

    object: Any
    skeleton: Skeleton
    bones: tuple[str, ...]
    """The bone of every joint; empty at ends."""
    controlled: bool
    """Whether other bones drive these by constraints: only what deforms was taken."""
    metres: float
    """Metres of one Blender unit."""
    rests: np.ndarray = field(repr=False)
    """(B, 4, 4) every bone of the armature at rest, in the armature's space."""

    @cached_property
    def number(self) -> dict[str, int]:
        """Bone -> its number in the armature."""
        return {bone.name: n for n, bone in enumerate(self.object.data.bones)}

    @cached_property
    def parents(self) -> np.ndarray:
        """(B,) the parent of every bone of the armature, -1 for none."""
        return np.array([self.number[b.parent.name] if b.parent else -1 for b in self.object.data.bones], dtype=np.intp)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The armature's bones, parents first."""
        return tuple(_parents_first(self.parents.tolist()))

    @cached_property
    def joints(self) -> np.ndarray:
        """(J,) the bone of every joint by its number; -1 at ends."""
        return np.array([self.number.get(name, -1) for name in self.bones], dtype=np.intp)


def rig_of(ob: Any, scene: Any, *, at_home: bool = False) -> Rig:
    """`ob` as a Rig; an OptionError if it is no armature that komadori can work on.

    `at_home` leaves out where the object stands in the world.
    """
    check(ob)
    bones = list(ob.data.bones)
    metres = float(scene.unit_settings.scale_length) or 1.0
    chosen, controlled = _chosen(ob)
    number = {bone.name: n for n, bone in enumerate(bones)}
    above = [number[b.parent.name] if b.parent else -1 for b in bones]
    parent_of = _within(chosen, above, [bone.name for bone in bones])
    order = [n for n in _parents_first(parent_of) if n in chosen]
    rests = np.array([np.array(bone.matrix_local) for bone in bones], dtype=np.float64)
    joint_of = {bone: joint for joint, bone in enumerate(order)}
    parents = [joint_of.get(parent_of[n], -1) for n in order]
    names, taken = [bones[n].name for n in order], {bones[n].name for n in order}
    of_bone = list(names)
    # A bone ends where another begins; the last ones end in joints of their own.
    leaves = [joint for joint in range(len(order)) if joint not in set(parents)]
    tails = []
    for joint in leaves:
        name = f"{names[joint]}_end"
        while name in taken:
            name = f"{name[:-4]}_tip_end"
        taken.add(name)
        parents.append(joint)
        names.append(name)
        of_bone.append("")
        tails.append(bones[order[joint]].length)
    world = np.eye(4) if at_home else np.array(ob.matrix_world, dtype=np.float64)
    turns, places = in_world(world[None], rests[None][:, order], metres)
    turns, places = local(turns, places, parents[: len(order)])
    scale = float(np.linalg.norm(world[:3, 0]))
    offsets = np.concatenate([places[0], [[0.0, length * scale * metres, 0.0] for length in tails]])
    rest = np.concatenate([turns[0], quat.identity(len(tails))])
    skeleton = Skeleton(tuple(names), np.array(parents), offsets, rest)
    skeleton = skeleton.with_roles(_roles(ob, skeleton, of_bone))
    return Rig(ob, skeleton, tuple(of_bone), controlled, metres, rests)


def check(ob: Any) -> None:
    """An OptionError if `ob` is nothing that can be worked on."""
    if ob is None or ob.type != "ARMATURE":
        raise OptionError(Note("Select an armature first."))
    if ob.library is not None:
        raise OptionError(
            Note(
                "{name} is linked from another file and cannot be changed here. Make a library override first.",
                name=quoted(ob.name),
            )
        )
    if ob.mode == "EDIT":
        raise OptionError(Note("{name} is in Edit Mode. Leave it first.", name=quoted(ob.name)))
    if ob.animation_data is not None and ob.animation_data.use_tweak_mode:
        raise OptionError(Note("{name} is in NLA tweak mode. Leave it first (Tab).", name=quoted(ob.name)))
    if not len(ob.data.bones):
        raise OptionError(Note("{name} has no bones.", name=quoted(ob.name)))
    if ob.data.pose_position == "REST":
        raise OptionError(
            Note(
                "{name} is shown in its rest position. Choose Pose Position in the armature's properties.",
                name=quoted(ob.name),
            )
        )
    matrix = np.array(ob.matrix_world, dtype=np.float64)[:3, :3]
    sizes = np.linalg.norm(matrix, axis=0)
    if sizes.min() <= 0.0 or sizes.max() / sizes.min() > 1.0 + EVEN or np.linalg.det(matrix) < 0.0:
        raise OptionError(
            Note(
                "{name} is scaled by {x:.3g}, {y:.3g}, {z:.3g}. Apply the scale first (Ctrl+A), or scale it evenly.",
                name=quoted(ob.name),
                **dict(zip("xyz", map(float, ob.matrix_world.to_scale()), strict=True)),
            )
        )


def in_world(worlds: np.ndarray, poses: np.ndarray, metres: float) -> tuple[np.ndarray, np.ndarray]:
    """(F, J, 4) and (F, J, 3): bones `poses` (F, J, 4, 4) of objects `worlds` (F, 4, 4) in komadori's world."""
    found = worlds[:, None] @ poses
    turn = found[..., :3, :3]
    turn = turn / np.linalg.norm(turn, axis=-2, keepdims=True)
    return quat.multiply(TURN, quat.from_matrix(turn)), metres * (found[..., :3, 3] @ Y_UP.T)


def local(turns: np.ndarray, places: np.ndarray, parents: Any) -> tuple[np.ndarray, np.ndarray]:
    """World rotations and positions as those against the parent."""
    parents = np.asarray(parents, dtype=np.intp)
    roots = parents < 0
    back = quat.inverse(turns[:, np.maximum(parents, 0)])
    own, moved = quat.multiply(back, turns), quat.rotate(back, places - places[:, np.maximum(parents, 0)])
    own[:, roots], moved[:, roots] = turns[:, roots], places[:, roots]
    return own, moved


def is_selected(bone: Any) -> bool:
    """Whether a pose bone is selected; Blender 5 asks it, earlier ones its bone."""
    return bool(bone.select if hasattr(bone, "select") else bone.bone.select)


def to_blender(vector: Any) -> np.ndarray:
    """komadori's (..., 3) as Blender's axes; lengths stay."""
    return np.asarray(vector, dtype=np.float64) @ Y_UP


def from_blender(vector: Any) -> np.ndarray:
    """Blender's (..., 3) as komadori's axes; lengths stay."""
    return np.asarray(vector, dtype=np.float64) @ Y_UP.T


def acting(constraint: Any) -> bool:
    """Whether a constraint moves anything."""
    return not constraint.mute and constraint.influence > 0.0


def _chosen(ob: Any) -> tuple[set[int], bool]:
    """The bones that the body is made of, and whether a control rig drives them."""
    bones = ob.data.bones
    everything = set(range(len(bones)))
    deforming = {n for n, bone in enumerate(bones) if bone.use_deform}
    driven = {n for n, bone in enumerate(ob.pose.bones) if n in deforming and any(map(acting, bone.constraints))}
    helpers = any(_MADE_FOR_RIG.match(bone.name) for bone in bones)
    if deforming and deforming != everything and (helpers or 2 * len(driven) > len(deforming)):
        return deforming, True
    return everything, bool(driven)


def _within(chosen: set[int], above: list[int], names: list[str]) -> list[int]:
    """The parent of every chosen bone among the chosen ones, -1 if there is none.

    Rigify hangs what deforms from its ORG- bones: DEF-upper_arm from ORG-shoulder, which DEF-shoulder follows and stands for.
    """
    deforms = {names[n]: n for n in chosen}
    found = [-1] * len(above)
    for n in chosen:
        parent = above[n]
        while parent >= 0 and parent not in chosen:
            twin = (
                deforms.get(f"DEF-{names[parent].removeprefix('ORG-')}") if names[parent].startswith("ORG-") else None
            )
            if twin is not None and twin != n:
                parent = twin
                break
            parent = above[parent]
        found[n] = parent
    return found


def _parents_first(parents: list[int]) -> list[int]:
    children: dict[int, list[int]] = {}
    for n, parent in enumerate(parents):
        children.setdefault(parent, []).append(n)
    order, todo = [], list(reversed(children.get(-1, [])))
    while todo:
        n = todo.pop()
        order.append(n)
        todo += reversed(children.get(n, []))
    return order


def _roles(ob: Any, skeleton: Skeleton, bones: list[str]) -> dict[str, int]:
    """What the add-on for VRM says, else what the names say as the rig's maker wrote them."""
    joint = {name: n for n, name in enumerate(bones) if name}
    stated = {role: joint[name] for role, name in _vrm_roles(ob.data).items() if name in joint}
    if "hips" in stated and "head" in stated:
        return stated
    told = [_told_name(ob.pose.bones[name]) if name else skeleton.names[n] for n, name in enumerate(bones)]
    if len(set(told)) == len(told):
        named = Skeleton(tuple(told), skeleton.parents, skeleton.offsets, skeleton.rest)
        found = roles.find(named)
        if found:
            return found
    return roles.find(skeleton)


def _told_name(bone: Any) -> str:
    """A bone's name as its maker wrote it: MMD Tools writes 腕.L for 左腕, and remembers the other."""
    remembered = getattr(getattr(bone, "mmd_bone", None), "name_j", "")
    if remembered:
        return str(remembered)
    match = _SIDE.match(bone.name)
    if match and _JAPANESE.search(match["bare"]):
        return ("左" if match["side"] == "L" else "右") + match["bare"]
    return str(bone.name)


def _vrm_roles(data: Any) -> dict[str, str]:
    """Role -> bone, as the VRM add-on keeps them on an armature; {} if it is not there."""
    kept = getattr(data, "vrm_addon_extension", None)
    found: dict[str, str] = {}
    for human in getattr(getattr(getattr(kept, "vrm0", None), "humanoid", None), "human_bones", ()):
        found[_snake(human.bone)] = human.node.bone_name
    bones = getattr(getattr(getattr(kept, "vrm1", None), "humanoid", None), "human_bones", None)
    for role in (*roles.MIDDLE, *(f"{side}_{one}" for side in ("left", "right") for one in roles.SIDED)):
        name = getattr(getattr(getattr(bones, role, None), "node", None), "bone_name", "")
        if name:
            found[role] = name
    return {role: name for role, name in found.items() if name}


def _snake(camel: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", camel).lower()
