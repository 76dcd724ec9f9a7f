"""Rig namings: one table a convention, which of its joint names plays which role."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Plan = Literal["biped", "quadruped", "unknown"]

MIDDLE = ("hips", "spine", "chest", "upper_chest", "neck", "head", "jaw", "tail")
"""Roles that a body has once, in the order in which they hang from each other."""

ARM = ("shoulder", "upper_arm", "lower_arm", "hand")
LEG = ("upper_leg", "lower_leg", "foot", "toes")
THUMB = ("thumb_metacarpal", "thumb_proximal", "thumb_distal")
FINGERS = tuple(
    f"{finger}_{bone}"
    for finger in ("index", "middle", "ring", "little")
    for bone in ("proximal", "intermediate", "distal")
)
SIDED = ("eye", *ARM, *LEG, *THUMB, *FINGERS)
"""Roles that a body has on the left and on the right: "left_hand", "right_hand"."""

SIDES = ("left", "right")

MAIN = (
    "hips",
    "head",
    *(f"{side}_{role}" for side in SIDES for role in (*ARM[1:], *LEG[:3])),
)
"""The roles without which a body cannot be worked with."""


@dataclass(frozen=True, eq=False)
class Convention:
    """One rig naming: role (without its side) -> the joint names that may play it, the preferred one first.

    Names are compared without case, separators and leading zeros. A sided name stands for itself with any of
    `sides` before or after it ("Arm" for LeftArm, arm.L, l_arm), or in the place of "{}".
    """

    name: str
    names: Mapping[str, tuple[str, ...]]
    plan: Plan = "unknown"
    sides: tuple[tuple[str, ...], tuple[str, ...]] = (("left", "l"), ("right", "r"))


def _fingers(first: int, thumb: str, *others: str) -> dict[str, tuple[str, ...]]:
    """Roles of numbered finger joints: `thumb` and up to four others, whose joints count up from `first`."""
    roles: dict[str, tuple[str, ...]] = {role: (f"{thumb}{first + n}",) for n, role in enumerate(THUMB)}
    for i, stem in enumerate(others):
        roles |= {role: (f"{stem}{first + n}",) for n, role in enumerate(FINGERS[3 * i : 3 * i + 3])}
    return roles


MIXAMO = Convention(
    "Mixamo, Rokoko, HumanIK",
    {
        "hips": ("Hips",),
        "spine": ("Spine",),
        "chest": ("Spine1",),
        "upper_chest": ("Spine3", "Spine2"),
        "neck": ("Neck",),
        "head": ("Head",),
        "jaw": ("Jaw",),
        "tail": ("Tail", "Tail1"),
        "eye": ("Eye",),
        "shoulder": ("Shoulder",),
        "upper_arm": ("Arm",),
        "lower_arm": ("ForeArm",),
        "hand": ("Hand",),
        "upper_leg": ("UpLeg",),
        "lower_leg": ("Leg",),
        "foot": ("Foot",),
        "toes": ("ToeBase", "ForeFoot", "Toe"),
        **_fingers(1, "HandThumb", "HandIndex", "HandMiddle", "HandRing", "HandPinky"),
    },
)

CMU_BVH = Convention(
    "CMU BVH",
    {
        **MIXAMO.names,
        "spine": ("LowerBack",),
        "chest": ("Spine",),
        "upper_chest": ("Spine1",),
        "thumb_metacarpal": ("Thumb",),
        "index_proximal": ("HandIndex1",),
    },
    plan="biped",
)

CMU_ASF = Convention(
    "CMU ASF/AMC",
    {
        "hips": ("root",),
        "spine": ("lowerback",),
        "chest": ("upperback",),
        "upper_chest": ("thorax",),
        "neck": ("lowerneck",),
        "head": ("head",),
        "shoulder": ("clavicle",),
        "upper_arm": ("humerus",),
        "lower_arm": ("radius",),
        "hand": ("wrist", "hand"),
        "thumb_metacarpal": ("thumb",),
        "index_proximal": ("fingers",),
        "upper_leg": ("femur",),
        "lower_leg": ("tibia",),
        "foot": ("foot",),
        "toes": ("toes",),
    },
    plan="biped",
)

VRM = Convention(
    "VRM, VRoid, Bandai Namco, Blender's VRM add-on",
    {
        "hips": ("hips", "pelvis"),
        "spine": ("spine",),
        "chest": ("chest",),
        "upper_chest": ("upperChest",),
        "neck": ("neck",),
        "head": ("head",),
        "jaw": ("jaw",),
        "tail": ("tail", "tail1"),
        "eye": ("eye", "FaceEye"),
        "shoulder": ("shoulder",),
        "upper_arm": ("upperArm",),
        "lower_arm": ("lowerArm",),
        "hand": ("hand",),
        "upper_leg": ("upperLeg",),
        "lower_leg": ("lowerLeg",),
        "foot": ("foot",),
        "toes": ("toes", "toe", "ToeBase"),
        # VRM 0 calls the thumb's joints proximal, intermediate, distal; VRM 1 metacarpal, proximal, distal.
        "thumb_metacarpal": ("thumbMetacarpal", "thumbProximal", "thumb1"),
        "thumb_proximal": ("thumbIntermediate", "thumbProximal", "thumb2"),
        "thumb_distal": ("thumbDistal", "thumb3"),
        **{role: (role, f"{role.split('_')[0]}{1 + n % 3}") for n, role in enumerate(FINGERS)},
    },
    plan="biped",
)

RIGIFY = Convention(
    "Blender Rigify and hand-made Blender rigs",
    {
        "hips": ("hips", "pelvis", "spine"),
        "spine": ("tummy", "spine1", "spine"),
        "chest": ("chest", "spine2"),
        "upper_chest": ("spine3",),
        "neck": ("neck", "spine4"),
        "head": ("head", "spine6", "face"),
        "jaw": ("jaw",),
        "tail": ("tail", "tail1"),
        "eye": ("eye",),
        "shoulder": ("shoulder", "clavicle"),
        "upper_arm": ("upper_arm",),
        "lower_arm": ("forearm", "lowerarm"),
        "hand": ("hand",),
        "upper_leg": ("thigh",),
        "lower_leg": ("shin", "calf"),
        "foot": ("foot",),
        "toes": ("toes", "toe"),
        **_fingers(1, "thumb", "f_index", "f_middle", "f_ring", "f_pinky"),
    },
    plan="biped",
)

UNREAL = Convention(
    "Unreal mannequin",
    {
        "hips": ("pelvis",),
        "spine": ("spine_01",),
        "chest": ("spine_02",),
        "upper_chest": ("spine_05", "spine_04", "spine_03"),
        "neck": ("neck_01",),
        "head": ("head",),
        "shoulder": ("clavicle",),
        "upper_arm": ("upperarm",),
        "lower_arm": ("lowerarm",),
        "hand": ("hand",),
        "upper_leg": ("thigh",),
        "lower_leg": ("calf",),
        "foot": ("foot",),
        "toes": ("ball",),
        **_fingers(1, "thumb", "index", "middle", "ring", "pinky"),
    },
    plan="biped",
)

BIPED = Convention(
    "3ds Max Biped",
    {
        "hips": ("Pelvis",),
        "spine": ("Spine",),
        "chest": ("Spine1",),
        "upper_chest": ("Spine3", "Spine2"),
        "neck": ("Neck",),
        "head": ("Head",),
        "tail": ("Tail",),
        "shoulder": ("Clavicle",),
        "upper_arm": ("UpperArm",),
        "lower_arm": ("Forearm",),
        "hand": ("Hand",),
        "upper_leg": ("Thigh",),
        "lower_leg": ("Calf",),
        "foot": ("Foot",),
        "toes": ("Toe0",),
        "thumb_metacarpal": ("Finger0",),
        "thumb_proximal": ("Finger01",),
        "thumb_distal": ("Finger02",),
        **{role: (f"Finger{1 + n // 3}{n % 3 or ''}",) for n, role in enumerate(FINGERS)},
    },
)

MMD = Convention(
    "MikuMikuDance",
    {
        "hips": ("センター", "腰", "下半身"),
        "spine": ("上半身",),
        "chest": ("上半身2",),
        "upper_chest": ("上半身3",),
        "neck": ("首",),
        "head": ("頭",),
        "jaw": ("顎", "あご"),
        "tail": ("尻尾", "尻尾1", "しっぽ", "しっぽ1"),
        "eye": ("目",),
        "shoulder": ("肩",),
        "upper_arm": ("腕",),
        "lower_arm": ("ひじ", "肘"),
        "hand": ("手首",),
        # The skin follows the D bones if there are any, and those take their turns from the plain ones.
        "upper_leg": ("足D", "足"),
        "lower_leg": ("ひざD", "ひざ", "膝"),
        "foot": ("足首D", "足首"),
        "toes": ("足先EX", "つま先EX", "つま先"),
        **_fingers(0, "親指"),
        **{
            f"{finger}_{bone}": (f"{word}{1 + n}",)
            for finger, word in (("index", "人指"), ("middle", "中指"), ("ring", "薬指"), ("little", "小指"))
            for n, bone in enumerate(("proximal", "intermediate", "distal"))
        },
    },
    plan="biped",
    sides=(("左",), ("右",)),
)

MOCOPI = Convention(
    "mocopi",
    {
        "hips": ("root",),
        "spine": ("torso_2",),
        "chest": ("torso_4",),
        "upper_chest": ("torso_7",),
        "neck": ("neck_1",),
        "head": ("head",),
        "shoulder": ("shoulder",),
        "upper_arm": ("up_arm",),
        "lower_arm": ("low_arm",),
        "hand": ("hand",),
        "upper_leg": ("up_leg",),
        "lower_leg": ("low_leg",),
        "foot": ("foot",),
        "toes": ("toes",),
    },
    plan="biped",
)

CLASSIC = Convention(
    "joints named as joints: collar, shoulder, elbow, wrist",
    {
        "hips": ("Hips", "Hip", "Pelvis", "Root"),
        "spine": ("Ab", "Abdomen", "Waist", "Spine", "Spine1", "Chest"),
        "chest": ("Chest2", "Chest", "Spine2"),
        "upper_chest": ("Chest4", "Chest3", "Spine3"),
        "neck": ("Neck",),
        "head": ("Head",),
        "jaw": ("Jaw",),
        "shoulder": ("Collar",),
        "upper_arm": ("Shoulder",),
        "lower_arm": ("Elbow",),
        "hand": ("Wrist",),
        "upper_leg": ("Hip",),
        "lower_leg": ("Knee",),
        "foot": ("Ankle",),
        "toes": ("Toes", "Toe", "Foot"),
    },
    plan="biped",
)

POSER = Convention(
    "Poser, DAZ",
    {
        "hips": ("hip", "pelvis"),
        "spine": ("abdomen", "abdomenLower"),
        "chest": ("chest", "chestLower"),
        "upper_chest": ("chestUpper",),
        "neck": ("neck", "neckLower"),
        "head": ("head",),
        "eye": ("Eye",),
        "shoulder": ("Collar",),
        "upper_arm": ("Shldr", "ShldrBend"),
        "lower_arm": ("ForeArm", "ForearmBend"),
        "hand": ("Hand",),
        "upper_leg": ("Thigh", "ThighBend"),
        "lower_leg": ("Shin",),
        "foot": ("Foot",),
        "toes": ("Toe",),
        **_fingers(1, "Thumb", "Index", "Mid", "Ring", "Pinky"),
    },
    plan="biped",
)

KHRONOS_FIGURE = Convention(
    "Khronos' sample figures",
    {
        "hips": ("torso_joint_1",),
        "spine": ("torso_joint_2",),
        "chest": ("torso_joint_3",),
        "neck": ("neck_joint_1",),
        "head": ("neck_joint_2",),
        "upper_arm": ("arm_joint_{}_1",),
        "lower_arm": ("arm_joint_{}_2",),
        "hand": ("arm_joint_{}_3",),
        "upper_leg": ("leg_joint_{}_1",),
        "lower_leg": ("leg_joint_{}_2",),
        "foot": ("leg_joint_{}_3",),
        "toes": ("leg_joint_{}_5",),
    },
    plan="biped",
)

BIPED_DOG = Convention(
    "a dog made with 3ds Max Biped (Tencent)",
    {
        "hips": ("Hips",),
        "spine": ("Spine",),
        "chest": ("Spine1",),
        "upper_chest": ("Spine3",),
        "neck": ("Neck",),
        "head": ("Head",),
        "jaw": ("Dog_Jaw",),
        "tail": ("Tail001",),
        "shoulder": ("Clav",),
        "upper_arm": ("Arm",),
        "lower_arm": ("ForeArm",),
        "hand": ("Hand",),
        "upper_leg": ("LegUpper",),
        "lower_leg": ("Leg",),
        # The hock is an animal's ankle; what this rig calls so is where its toes begin.
        "foot": ("Leg1",),
        "toes": ("Ankle",),
    },
    plan="quadruped",
)

QUATERNIUS = Convention(
    "Quaternius' animals: horse, wolf, husky, fox",
    {
        "hips": ("Back",),
        "spine": ("Torso",),
        "chest": ("Torso2",),
        "upper_chest": ("Torso3",),
        "neck": ("Neck1", "Neck"),
        "head": ("Head",),
        "tail": ("Tail1",),
        "shoulder": ("FrontShoulder",),
        "upper_arm": ("FrontUpperLeg",),
        "lower_arm": ("FrontLowerLeg",),
        "hand": ("FrontLowerLeg.{}_end", "FrontFoot"),
        "upper_leg": ("BackLeg",),
        "lower_leg": ("BackUpperLeg",),
        "foot": ("BackLowerLeg",),
        "toes": ("BackLowerLeg.{}_end", "BackFoot"),
    },
    plan="quadruped",
)

KHRONOS_FOX = Convention(
    "Khronos' sample fox",
    {
        "hips": ("Hip",),
        "spine": ("Spine01",),
        "chest": ("Spine02",),
        "neck": ("Neck",),
        "head": ("Head",),
        "tail": ("Tail01",),
        "upper_arm": ("UpperArm",),
        "lower_arm": ("ForeArm",),
        "hand": ("Hand",),
        "upper_leg": ("Leg01",),
        "lower_leg": ("Leg02",),
        "foot": ("Foot01",),
        "toes": ("Foot02",),
    },
    plan="quadruped",
)

CONVENTIONS = (
    MIXAMO,
    CMU_BVH,
    CMU_ASF,
    VRM,
    RIGIFY,
    UNREAL,
    BIPED,
    MMD,
    MOCOPI,
    CLASSIC,
    POSER,
    KHRONOS_FIGURE,
    BIPED_DOG,
    QUATERNIUS,
    KHRONOS_FOX,
)
"""Every naming we know; where two fit equally well, the earlier one is taken."""
