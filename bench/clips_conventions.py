"""BVH files as other programs and collections write them: names, joints, zero poses, axes, units and rates, made by code.

One movement is told in every convention, so the truth is known: where each joint is, and which role it plays. The files are written
here, number by number, and not by komadori.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from komadori import Motion, Skeleton, quat
from komadori.characters import sample
from komadori.formats.bvh.axes import z_up
from komadori.quat import Array
from komadori.roles import MIDDLE

SIDES = ("left", "right")
_NODE = re.compile(r"([^\s()=]+)=([\w]+)(?:@(-?[\d.]+),(-?[\d.]+),(-?[\d.]+))?|([()])")
_ENDS = {"head": (0.0, 0.17, 0.0), "hand": (0.09, 0.0, 0.0), "toes": (0.0, -0.01, 0.07), "foot": (0.0, -0.055, 0.12)}
"""Where the bone of a joint without others below it ends, on the left."""


@dataclass(frozen=True)
class Told:
    """How a file tells a movement.

    `tree` has a joint as NAME=ROLE, its own ones in brackets after it; one with "{}" in its name comes twice, with each of `sides`.
    ROLE@X,Y,Z is a joint that goes with ROLE, so far from it in metres. `zero` is the pose of a body whose turns are all 0.
    """

    tree: str
    sides: tuple[str, str] = ("Left", "Right")
    zero: str = "T"
    order: str = "ZXY"
    unit_m: float = 0.01
    up: str = "Y"
    fps: float = 60.0
    clip: str = "walk"
    positions: bool = False
    """Whether every joint has position channels."""
    template: float = 1.0
    """How large the bones of OFFSET are: the positions of the rows are what counts, and OFFSET may be that of another body, or nothing."""
    facing_deg: float = 0.0
    away_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    travels: bool = True
    """Whether the root has a place, or stays at the origin."""
    calibration: bool = False
    """Whether frame 0 is a T-pose at the origin."""
    newline: str = "\n"
    digits: int = 6


_LEG = "{}UpLeg=upper_leg({}Leg=lower_leg({}Foot=foot({}ToeBase=toes)))"
_ARM = "{}Shoulder=shoulder({}Arm=upper_arm({}ForeArm=lower_arm({}Hand=hand)))"
_FINGERS = "".join(
    f"{{}}Hand{name}1=hand@{x},0,{z}({{}}Hand{name}2=hand@{x + 0.03:.2f},0,{z}({{}}Hand{name}3=hand@{x + 0.05:.2f},0,{z}))"
    for name, x, z in (("Thumb", 0.03, 0.03), ("Index", 0.08, 0.02), ("Middle", 0.08, 0.0), ("Ring", 0.08, -0.02), ("Pinky", 0.07, -0.04))
)  # fmt: skip
_CLASSIC_LEG = "{}Hip=upper_leg({}Knee=lower_leg({}Ankle=foot({}Toe=toes)))"
_CLASSIC_ARM = "{}Collar=shoulder({}Shoulder=upper_arm({}Elbow=lower_arm({}Wrist=hand)))"

CONVENTIONS: dict[str, Told] = {
    # Every bone along its own x, so that trunk and legs of the zero pose point the same way.
    "LAFAN1": Told(
        f"Hips=hips({_LEG.replace('ToeBase', 'Toe')} Spine=spine(Spine1=chest(Spine2=upper_chest(Neck=neck(Head=head) {_ARM}))))",
        zero="along x", order="ZYX", fps=30.0, facing_deg=70.0, away_m=(2.5, 0.0, -1.2),
    ),
    "100STYLE, Xsens": Told(
        f"Hips=hips(Chest=spine(Chest2=spine@0,0.06,0(Chest3=chest(Chest4=upper_chest(Neck=neck(Head=head) {_CLASSIC_ARM})))) {_CLASSIC_LEG})",
        order="YXZ", fps=60.0, facing_deg=180.0,
    ),
    "Xsens MVN": Told(
        "Pelvis=hips(L5=spine(L3=spine@0,0.06,0(T12=chest(T8=upper_chest(Neck=neck(Head=head) {}Shoulder=shoulder({}UpperArm=upper_arm({}Forearm=lower_arm({}Hand=hand)))))))"
        " {}UpperLeg=upper_leg({}LowerLeg=lower_leg({}Foot=foot({}Toe=toes))))",
        order="YXZ", fps=240.0, up="Z", unit_m=0.01,
    ),
    "Mixamo": Told(
        f"Hips=hips(Spine=spine(Spine1=chest(Spine2=upper_chest(Neck=neck(Head=head) {_ARM.replace('Hand=hand', 'Hand=hand(' + _FINGERS + ')')}))) {_LEG})".replace("{}", "mixamorig:{}").replace("Hips", "mixamorig:Hips").replace("Spine", "mixamorig:Spine").replace("Neck", "mixamorig:Neck").replace("Head", "mixamorig:Head"),
        zero="turned", fps=30.0,
    ),
    "SFU": Told(
        f"Hips=hips(LowerBack=spine(Spine=chest(Spine1=upper_chest(Neck=upper_chest@0,0.11,0(Neck1=neck(Head=head)) {_ARM}))) " "{}HipJoint=hips(" + _LEG + "))",
        order="ZYX", unit_m=0.01, fps=120.0, facing_deg=-90.0,
    ),
    "Perception Neuron": Told(
        f"Hips=hips({_LEG.replace('({}ToeBase=toes)', '')} Spine=spine(Spine1=spine@0,0.06,0(Spine2=chest(Spine3=upper_chest(Neck=neck(Head=head) {_ARM.replace('Hand=hand', 'Hand=hand(' + _FINGERS + ')')})))))",
        order="YXZ", fps=125.0, positions=True,
    ),
    "Axis Neuron, named body": Told(
        f"Robot_Hips=hips({_LEG.replace('({}ToeBase=toes)', '')} Robot_Spine=spine(Robot_Spine1=chest(Robot_Spine2=upper_chest(Robot_Neck=neck(Robot_Head=head) {_ARM}))))".replace("{}", "Robot_{}"),
        order="XYZ", fps=120.0, positions=True, template=0.8,
    ),
    "positions alone": Told(
        f"Hips=hips({_LEG} Spine=spine(Spine1=chest(Spine2=upper_chest(Neck=neck(Head=head) {_ARM}))))",
        order="ZYX", fps=30.0, positions=True, template=0.0, clip="kick",
    ),
    "Kinect": Told(
        "SpineBase=hips(SpineMid=spine(SpineShoulder=upper_chest(Neck=neck(Head=head) Shoulder{}=upper_arm(Elbow{}=lower_arm(Wrist{}=hand(Hand{}=hand@0.07,0,0))))) Hip{}=upper_leg(Knee{}=lower_leg(Ankle{}=foot(Foot{}=toes))))",
        unit_m=1.0, fps=30.0, facing_deg=180.0, away_m=(0.2, -1.0, 2.4),
    ),
    "Azure Kinect": Told(
        "PELVIS=hips(SPINE_NAVEL=spine(SPINE_CHEST=upper_chest(NECK=neck(HEAD=head) CLAVICLE_{}=shoulder(SHOULDER_{}=upper_arm(ELBOW_{}=lower_arm(WRIST_{}=hand(HAND_{}=hand@0.07,0,0)))))) HIP_{}=upper_leg(KNEE_{}=lower_leg(ANKLE_{}=foot(FOOT_{}=toes))))",
        ("LEFT", "RIGHT"), unit_m=0.001, up="-Y", fps=30.0, away_m=(0.0, 0.3, -2.4),
    ),
    "DAZ-friendly": Told(
        "hip=hips({}Buttock=hips({}Thigh=upper_leg({}Shin=lower_leg({}Foot=foot({}Toe=toes)))) abdomen=spine(chest=upper_chest(neck=neck(head=head(leftEye=head@0.03,0.08,0.08 rightEye=head@-0.03,0.08,0.08)) {}Collar=shoulder({}Shldr=upper_arm({}ForeArm=lower_arm({}Hand=hand))))))",
        ("l", "r"), order="YZX", fps=120.0, calibration=True, clip="kick",
    ),
    "Poser": Told(
        "hip=hips(abdomen=spine(chest=upper_chest(neck=neck(head=head) {}Collar=shoulder({}Shldr=upper_arm({}ForeArm=lower_arm({}Hand=hand))))) {}Thigh=upper_leg({}Shin=lower_leg({}Foot=foot)))",
        ("l", "r"), order="XZY", unit_m=0.0254, fps=30.0, newline="\r\n",
    ),
    "3ds Max, cgspeed": Told(
        f"Hips=hips({_CLASSIC_LEG.replace('({}Toe=toes)', '')} Chest=spine({_CLASSIC_ARM} Neck=neck(Head=head)))",
        order="ZXY", unit_m=0.0254, fps=120.0, calibration=True, clip="pitch",
    ),
    "3ds Max Biped": Told(
        "Bip01=hips(Bip01_Pelvis=hips(Bip01_Spine=spine(Bip01_Spine1=chest(Bip01_Spine2=upper_chest(Bip01_Neck=neck(Bip01_Head=head) Bip01_{}_Clavicle=shoulder(Bip01_{}_UpperArm=upper_arm(Bip01_{}_Forearm=lower_arm(Bip01_{}_Hand=hand)))))) Bip01_{}_Thigh=upper_leg(Bip01_{}_Calf=lower_leg(Bip01_{}_Foot=foot(Bip01_{}_Toe0=toes)))))",
        ("L", "R"), zero="along x", order="ZXY", up="Z", unit_m=0.0254, fps=30.0,
    ),
    "MotionBuilder": Told(
        f"Reference=ground(Hips=hips({_LEG} Spine=spine(Spine1=chest(Spine2=upper_chest(Neck=neck(Head=head) {_ARM})))))",
        order="XYZ", fps=29.97, positions=True, facing_deg=30.0, away_m=(-4.0, 0.0, 3.0),
    ),
    "Biovision": Told(
        "Hips=hips(Chest=spine({}Collar=shoulder({}UpArm=upper_arm({}LowArm=lower_arm({}Hand=hand))) Neck=neck(Head=head)) {}UpLeg=upper_leg({}LowLeg=lower_leg({}Foot=foot)))",
        unit_m=0.0254, fps=30.0, zero="arms down", digits=2,
    ),
    "Eyes Japan": Told(
        f"Hips=hips({_CLASSIC_LEG} Chest=spine(Chest2=chest(Chest3=upper_chest({_CLASSIC_ARM} Neck=neck(Head=head)))))",
        fps=30.0, order="ZXY", zero="arms down", clip="pitch",
    ),
    "Bandai Namco": Told(
        "joint_Root=ground(Hips=hips(Spine=spine(Chest=upper_chest(Neck=neck(Head=head) Shoulder_{}=shoulder(UpperArm_{}=upper_arm(LowerArm_{}=lower_arm(Hand_{}=hand))))) UpperLeg_{}=upper_leg(LowerLeg_{}=lower_leg(Foot_{}=foot(Toes_{}=toes)))))",
        ("L", "R"), zero="along x", order="ZYX", fps=30.0, positions=True,
    ),
    "Rokoko": Told(
        "Hips=hips(Spine1=spine(Spine2=spine@0,0.06,0(Spine3=chest(Spine4=upper_chest(Neck=neck(Head=head) {}Shoulder=shoulder({}Arm=upper_arm({}ForeArm=lower_arm({}Hand=hand))))))) {}Thigh=upper_leg({}Shin=lower_leg({}Foot=foot({}Toe=toes))))",
        zero="turned", order="XYZ", fps=100.0,
    ),
    "mocopi": Told(
        "root=hips(torso_1=hips@0,0.03,0(torso_2=spine(torso_3=spine@0,0.04,0(torso_4=chest(torso_5=chest@0,0.04,0(torso_6=upper_chest(torso_7=upper_chest@0,0.06,0(neck_1=neck(neck_2=neck@0,0.04,0(head=head)) {}_shoulder=shoulder({}_up_arm=upper_arm({}_low_arm=lower_arm({}_hand=hand))))))))) {}_up_leg=upper_leg({}_low_leg=lower_leg({}_foot=foot({}_toes=toes))))",
        ("l", "r"), order="XYZ", fps=50.0, positions=True,
    ),
    "SMPL": Told(
        "Pelvis=hips({}_Hip=upper_leg({}_Knee=lower_leg({}_Ankle=foot({}_Foot=toes))) Spine1=spine(Spine2=chest(Spine3=upper_chest(Neck=neck(Head=head) {}_Collar=shoulder({}_Shoulder=upper_arm({}_Elbow=lower_arm({}_Wrist=hand({}_Hand=hand@0.08,0,0)))))))) ",
        ("L", "R"), order="ZYX", unit_m=1.0, fps=20.0, up="Z",
    ),
    "BEAT": Told(
        "Hips=hips(Spine=spine(Spine1=chest(Spine2=upper_chest(Neck=neck(Neck1=neck@0,0.04,0(Head=head(HeadEnd=head@0,0.17,0))) {}Shoulder=shoulder({}Arm=upper_arm({}Arm1=upper_arm@0.13,0,0({}ForeArm=lower_arm({}ForeArm1=lower_arm@0.12,0,0({}Hand=hand)))))))) {}UpLeg=upper_leg({}Leg=lower_leg({}Foot=foot({}ForeFoot=foot@0,-0.05,0.08({}ToeBase=toes)))))",
        ("L", "R"), order="XYZ", fps=120.0, clip="pitch",
    ),
    "Berkeley MHAD": Told(
        "Hips=hips(spine=spine(spine1=chest(spine2=upper_chest(Neck=neck(Head=head) {}Shoulder=shoulder({}Arm=upper_arm({}ArmRoll=upper_arm@0.13,0,0({}ForeArm=lower_arm({}ForeArmRoll=lower_arm@0.12,0,0({}Hand=hand)))))))) {}UpLeg=upper_leg({}UpLegRoll=upper_leg@0,-0.2,0({}Leg=lower_leg({}LegRoll=lower_leg@0,-0.2,0({}Foot=foot({}ToeBase=toes))))))",
        order="ZXY", unit_m=0.001, fps=480.0, up="Z",
    ),
    "OptiTrack": Told(
        "Skeleton_001_Hip=hips(Skeleton_001_Ab=spine(Skeleton_001_Chest=upper_chest(Skeleton_001_Neck=neck(Skeleton_001_Head=head) Skeleton_001_{}Shoulder=shoulder(Skeleton_001_{}UArm=upper_arm(Skeleton_001_{}FArm=lower_arm(Skeleton_001_{}Hand=hand))))) Skeleton_001_{}Thigh=upper_leg(Skeleton_001_{}Shin=lower_leg(Skeleton_001_{}Foot=foot(Skeleton_001_{}Toe=toes))))",
        ("L", "R"), order="XYZ", fps=120.0, clip="kick",
    ),
    "Unreal": Told(
        "root=ground(pelvis=hips(spine_01=spine(spine_02=chest(spine_03=upper_chest(neck_01=neck(head=head) clavicle_{}=shoulder(upperarm_{}=upper_arm(upperarm_twist_01_{}=upper_arm@0.1,0,0 lowerarm_{}=lower_arm(hand_{}=hand)))))) thigh_{}=upper_leg(calf_{}=lower_leg(foot_{}=foot(ball_{}=toes)))))",
        ("l", "r"), zero="along x", order="XYZ", up="Z", fps=30.0, clip="jog", positions=True,
    ),
    # Hips that stay at the origin, in a file that has the room's Z up: nothing but the body itself tells which way that is.
    "Unreal, in place": Told(
        "pelvis=hips(spine_01=spine(spine_02=chest(spine_03=upper_chest(neck_01=neck(head=head) clavicle_{}=shoulder(upperarm_{}=upper_arm(lowerarm_{}=lower_arm(hand_{}=hand)))))) thigh_{}=upper_leg(calf_{}=lower_leg(foot_{}=foot(ball_{}=toes))))",
        ("l", "r"), zero="along x", order="XYZ", up="Z", fps=30.0, clip="jog", travels=False,
    ),
    "Second Life": Told(
        "hip=hips(abdomen=spine(chest=upper_chest(neckDummy=upper_chest@0,0.12,0(neck=neck(head=head(figureHair=head@0,0.1,0))) {}Collar=shoulder({}Shldr=upper_arm({}ForeArm=lower_arm({}Hand=hand))))) {}Thigh=upper_leg({}Shin=lower_leg({}Foot=foot)))",
        ("l", "r"), order="XZY", unit_m=0.0254, fps=30.0,
    ),
    "MakeHuman": Told(
        "root=hips(spine05=spine(spine04=chest(spine02=upper_chest(neck01=neck(head=head) clavicle.{}=shoulder(upperarm01.{}=upper_arm(upperarm02.{}=upper_arm@0.13,0,0(lowerarm01.{}=lower_arm(lowerarm02.{}=lower_arm@0.12,0,0(wrist.{}=hand)))))))) pelvis.{}=hips@0.04,0,0(upperleg01.{}=upper_leg(upperleg02.{}=upper_leg@0,-0.2,0(lowerleg01.{}=lower_leg(lowerleg02.{}=lower_leg@0,-0.2,0(foot.{}=foot(toe1-1.{}=toes)))))))",
        ("L", "R"), order="XYZ", unit_m=0.1, up="Z", zero="turned", fps=25.0,
    ),
    "no names": Told(
        "joint0=hips(joint1=spine(joint2=chest(joint3=upper_chest(joint4=neck(joint5=head) j{}1=shoulder(j{}2=upper_arm(j{}3=lower_arm(j{}4=hand)))))) k{}1=upper_leg(k{}2=lower_leg(k{}3=foot(k{}4=toes))))",
        ("a", "b"), zero="along x", fps=60.0,
    ),
    # Written down after everything above was made to work, and understood as they are.
    "Unreal 5, with bones for inverse kinematics": Told(
        "root=ground(pelvis=hips(spine_01=spine(spine_02=spine@0,0.05,0(spine_03=chest(spine_04=chest@0,0.05,0(spine_05=upper_chest(neck_01=neck(neck_02=neck@0,0.04,0(head=head)) clavicle_{}=shoulder(upperarm_{}=upper_arm(lowerarm_{}=lower_arm(hand_{}=hand(index_metacarpal_{}=hand@0.04,0,0.02(index_01_{}=hand@0.08,0,0.02(index_02_{}=hand@0.1,0,0.02(index_03_{}=hand@0.12,0,0.02))) thumb_01_{}=hand@0.03,0,0.03(thumb_02_{}=hand@0.05,0,0.04)) lowerarm_twist_02_{}=lower_arm@0.08,0,0 lowerarm_twist_01_{}=lower_arm@0.16,0,0 lowerarm_correctiveRoot_{}=lower_arm@0,0,0.001) upperarm_twist_01_{}=upper_arm@0.05,0,0 upperarm_twist_02_{}=upper_arm@0.1,0,0 upperarm_correctiveRoot_{}=upper_arm@0.001,0,0)) clavicle_pec_{}=upper_chest@0.06,0.02,0.08))))) thigh_{}=upper_leg(calf_{}=lower_leg(foot_{}=foot(ball_{}=toes) calf_twist_02_{}=lower_leg@0,-0.1,0 calf_twist_01_{}=lower_leg@0,-0.2,0) thigh_twist_01_{}=upper_leg@0,-0.1,0 thigh_twist_02_{}=upper_leg@0,-0.2,0)) ik_foot_root=ground(ik_foot_{}=foot) ik_hand_root=ground(ik_hand_gun=right_hand(ik_hand_{}=hand)) interaction=ground center_of_mass=ground)",
        ("l", "r"), zero="along x", order="XYZ", up="Z", fps=30.0, positions=True,
    ),
    "Rigify, deforming bones": Told(
        "DEF-spine=hips(DEF-spine.001=spine(DEF-spine.002=chest(DEF-spine.003=upper_chest(DEF-spine.004=neck(DEF-spine.005=neck@0,0.04,0(DEF-spine.006=head)) DEF-shoulder.{}=shoulder(DEF-upper_arm.{}=upper_arm(DEF-upper_arm.{}.001=upper_arm@0.13,0,0(DEF-forearm.{}=lower_arm(DEF-forearm.{}.001=lower_arm@0.12,0,0(DEF-hand.{}=hand))))) DEF-breast.{}=upper_chest@0.08,-0.05,0.1))) DEF-pelvis.{}=hips@0.04,0.04,0 DEF-thigh.{}=upper_leg(DEF-thigh.{}.001=upper_leg@0,-0.2,0(DEF-shin.{}=lower_leg(DEF-shin.{}.001=lower_leg@0,-0.2,0(DEF-foot.{}=foot(DEF-toe.{}=toes))))))",
        ("L", "R"), zero="turned", unit_m=1.0, up="Z", order="XYZ", fps=24.0,
    ),
    "Rigify metarig": Told(
        "spine=hips(spine.001=spine(spine.002=chest(spine.003=upper_chest(spine.004=neck(spine.005=neck@0,0.04,0(spine.006=head(face=head@0,0.01,0.01(nose=head@0,0.06,0.1 jaw=head@0,0.02,0.05(chin=head@0,0.0,0.09))))) shoulder.{}=shoulder(upper_arm.{}=upper_arm(forearm.{}=lower_arm(hand.{}=hand(palm.01.{}=hand@0.03,0,0.02(f_index.01.{}=hand@0.08,0,0.02(f_index.02.{}=hand@0.1,0,0.02)))))) breast.{}=upper_chest@0.08,-0.05,0.1))) pelvis.{}=hips@0.04,0.04,0 thigh.{}=upper_leg(shin.{}=lower_leg(foot.{}=foot(toe.{}=toes heel.02.{}=foot@0,-0.06,-0.03))))",
        ("L", "R"), zero="turned", unit_m=1.0, up="Z", order="XYZ", fps=24.0, positions=True,
    ),
    "Character Creator, shared bones": Told(
        "RL_BoneRoot=ground(CC_Base_Hip=hips(CC_Base_Pelvis=hips@0,0.001,0(CC_Base_{}_Thigh=upper_leg(CC_Base_{}_ThighTwist01=upper_leg@0,-0.02,0(CC_Base_{}_ThighTwist02=upper_leg@0,-0.2,0) CC_Base_{}_Calf=lower_leg(CC_Base_{}_KneeShareBone=lower_leg@0,-0.01,0 CC_Base_{}_CalfTwist01=lower_leg@0,-0.02,0(CC_Base_{}_CalfTwist02=lower_leg@0,-0.2,0) CC_Base_{}_Foot=foot(CC_Base_{}_ToeBaseShareBone=foot@0,-0.05,0.1 CC_Base_{}_ToeBase=toes(CC_Base_{}_BigToe1=toes@0.01,0,0.03))))) CC_Base_Waist=spine(CC_Base_Spine01=chest(CC_Base_Spine02=upper_chest(CC_Base_NeckTwist01=neck(CC_Base_NeckTwist02=neck@0,0.04,0(CC_Base_Head=head(CC_Base_FacialBone=head@0,0.01,0(CC_Base_JawRoot=head@0,0.03,0.02(CC_Base_Tongue01=head@0,0.02,0.05)) CC_Base_{}_Eye=head@0.03,0.08,0.08))) CC_Base_{}_RibsTwist=upper_chest@0.05,0,0.05 CC_Base_{}_Breast=upper_chest@0.08,0,0.1 CC_Base_{}_Clavicle=shoulder(CC_Base_{}_Upperarm=upper_arm(CC_Base_{}_UpperarmTwist01=upper_arm@0.05,0,0(CC_Base_{}_UpperarmTwist02=upper_arm@0.1,0,0) CC_Base_{}_Forearm=lower_arm(CC_Base_{}_ElbowShareBone=lower_arm@0.001,0,0 CC_Base_{}_ForearmTwist01=lower_arm@0.05,0,0(CC_Base_{}_ForearmTwist02=lower_arm@0.1,0,0) CC_Base_{}_Hand=hand(CC_Base_{}_Thumb1=hand@0.03,0,0.03 CC_Base_{}_Mid1=hand@0.08,0,0(CC_Base_{}_Mid2=hand@0.1,0,0)))))))))))",
        ("L", "R"), zero="along x", order="XYZ", fps=30.0, positions=True,
    ),
    "Maya Advanced Skeleton": Told(
        "Root_M=hips(Hip_{}=upper_leg(HipPart1_{}=upper_leg@0,-0.2,0(Knee_{}=lower_leg(Ankle_{}=foot(Toes_{}=toes(ToesEnd_{}=toes@0,0,0.05))))) Spine1_M=spine(Spine2_M=chest(Chest_M=upper_chest(Scapula_{}=shoulder(Shoulder_{}=upper_arm(ShoulderPart1_{}=upper_arm@0.13,0,0(Elbow_{}=lower_arm(Wrist_{}=hand(MiddleFinger1_{}=hand@0.08,0,0(MiddleFinger2_{}=hand@0.1,0,0) Cup_{}=hand@0.04,0,-0.02))))) Neck_M=neck(Head_M=head(HeadEnd_M=head@0,0.17,0 Jaw_M=head@0,0.02,0.02(JawEnd_M=head@0,0,0.1) Eye_{}=head@0.03,0.08,0.08(EyeEnd_{}=head@0.03,0.08,0.1)))))))",
        ("L", "R"), zero="along x", order="XYZ", fps=24.0,
    ),
    "Daz Genesis 8, twist bones": Told(
        "Genesis8Female=ground(hip=hips(pelvis=hips@0,0.001,0({}ThighBend=upper_leg({}ThighTwist=upper_leg@0,-0.2,0({}Shin=lower_leg({}Foot=foot({}Metatarsals=foot@0,-0.04,0.05({}Toe=toes({}SmallToe1=toes@0.01,0,0.02({}SmallToe1_2=toes@0.01,0,0.03))))))) abdomenLower=spine(abdomenUpper=spine@0,0.07,0(chestLower=chest(chestUpper=upper_chest({}Collar=shoulder({}ShldrBend=upper_arm({}ShldrTwist=upper_arm@0.13,0,0({}ForearmBend=lower_arm({}ForearmTwist=lower_arm@0.12,0,0({}Hand=hand({}Thumb1=hand@0.03,0,0.03 {}Carpal1=hand@0.02,0,0.02({}Index1=hand@0.08,0,0.02({}Index2=hand@0.1,0,0.02)))))))) neckLower=neck(neckUpper=neck@0,0.04,0(head=head(upperTeeth=head@0,0.02,0.06 lowerJaw=head@0,0.02,0.02(tongue01=head@0,0.02,0.05) {}Eye=head@0.03,0.08,0.08 {}Ear=head@0.07,0.06,0))) {}Pectoral=upper_chest@0.08,-0.05,0.08))))))",
        ("l", "r"), order="XYZ", fps=30.0, positions=True,
    ),
    "Skyrim": Told(
        "NPC_Root_[Root]=ground(NPC_COM_[COM_]=hips(NPC_Pelvis_[Pelv]=hips@0,0.001,0(NPC_{}_Thigh_[{}Thg]=upper_leg(NPC_{}_Calf_[{}Clf]=lower_leg(NPC_{}_Foot_[{}ft_]=foot(NPC_{}_Toe0_[{}Toe]=toes)))) NPC_Spine_[Spn0]=spine(NPC_Spine1_[Spn1]=chest(NPC_Spine2_[Spn2]=upper_chest(NPC_Neck_[Neck]=neck(NPC_Head_[Head]=head) NPC_{}_Clavicle_[{}Clv]=shoulder(NPC_{}_UpperArm_[{}Uar]=upper_arm(NPC_{}_Forearm_[{}Lar]=lower_arm(NPC_{}_Hand_[{}Hnd]=hand(NPC_{}_Finger00_[{}F00]=hand@0.03,0,0.03)))))))))",
        ("L", "R"), zero="along x", up="Z", fps=30.0, positions=True,
    ),
    "SMPL-X, face and fingers": Told(
        "pelvis=hips({}_hip=upper_leg({}_knee=lower_leg({}_ankle=foot({}_foot=toes))) spine1=spine(spine2=chest(spine3=upper_chest(neck=neck(head=head(jaw=head@0,0.02,0.03 {}_eye_smplhf=head@0.03,0.08,0.08)) {}_collar=shoulder({}_shoulder=upper_arm({}_elbow=lower_arm({}_wrist=hand({}_index1=hand@0.08,0,0.02({}_index2=hand@0.1,0,0.02) {}_thumb1=hand@0.03,0,0.03))))))))",
        ("left", "right"), unit_m=1.0, fps=30.0,
    ),
    "OpenNI, root in the torso": Told(
        "torso=spine(neck=neck(head=head) {}_shoulder=upper_arm({}_elbow=lower_arm({}_hand=hand)) {}_hip=upper_leg({}_knee=lower_leg({}_foot=foot)))",
        ("left", "right"), unit_m=0.001, fps=30.0, positions=True,
    ),
    "Quest, palms and ankles": Told(
        "Body_Root=ground(Body_Hips=hips(Body_SpineLower=spine(Body_SpineMiddle=spine@0,0.05,0(Body_SpineUpper=chest(Body_Chest=upper_chest(Body_Neck=neck(Body_Head=head) Body_{}Shoulder=shoulder(Body_{}Scapula=shoulder@0.02,0,-0.05 Body_{}ArmUpper=upper_arm(Body_{}ArmLower=lower_arm(Body_{}HandWristTwist=hand@-0.01,0,0 Body_{}HandWrist=hand(Body_{}HandPalm=hand@0.05,0,0)))))))) Body_{}UpperLeg=upper_leg(Body_{}LowerLeg=lower_leg(Body_{}FootAnkleTwist=foot@0,0.01,0 Body_{}FootAnkle=foot(Body_{}FootSubtalar=foot@0,-0.04,0(Body_{}FootTransverse=foot@0,-0.04,0.05(Body_{}FootBall=toes)))))))",
        unit_m=1.0, fps=30.0, zero="turned", positions=True,
    ),
    "ARKit, seven spine joints": Told(
        "root=ground(hips_joint=hips({}_upLeg_joint=upper_leg({}_leg_joint=lower_leg({}_foot_joint=foot({}_toes_joint=toes({}_toesEnd_joint=toes@0,0,0.05)))) spine_1_joint=hips@0,0.05,0(spine_2_joint=spine(spine_3_joint=spine@0,0.04,0(spine_4_joint=chest(spine_5_joint=chest@0,0.04,0(spine_6_joint=upper_chest(spine_7_joint=upper_chest@0,0.06,0({}_shoulder_1_joint=shoulder({}_arm_joint=upper_arm({}_forearm_joint=lower_arm({}_hand_joint=hand({}_handIndexStart_joint=hand@0.03,0,0.02({}_handIndex_1_joint=hand@0.08,0,0.02))))) neck_1_joint=neck(neck_2_joint=neck@0,0.02,0(neck_3_joint=neck@0,0.03,0(neck_4_joint=neck@0,0.04,0(head_joint=head(jaw_joint=head@0,0.02,0.03 nose_joint=head@0,0.05,0.1 {}_eye_joint=head@0.03,0.08,0.08))))))))))))))",
        ("left", "right"), zero="along x", unit_m=1.0, fps=60.0, order="XYZ", positions=True,
    ),
    "3ds Max Biped, with footsteps": Told(
        "Bip001=hips(Bip001_Footsteps=ground Bip001_Pelvis=hips(Bip001_Spine=spine(Bip001_{}_Thigh=upper_leg(Bip001_{}_Calf=lower_leg(Bip001_{}_Foot=foot(Bip001_{}_Toe0=toes))) Bip001_Spine1=upper_chest(Bip001_Neck=neck(Bip001_{}_Clavicle=shoulder(Bip001_{}_UpperArm=upper_arm(Bip001_{}_Forearm=lower_arm(Bip001_{}_Hand=hand(Bip001_{}_Finger0=hand@0.03,0,0.03 Bip001_{}_Finger1=hand@0.08,0,0(Bip001_{}_Finger11=hand@0.1,0,0))))) Bip001_Head=head(Bip001_HeadNub=head@0,0.17,0) Bip001_Ponytail1=head@0,0.1,-0.1(Bip001_Ponytail11=head@0,0,-0.15))))))",
        ("L", "R"), zero="along x", up="Z", unit_m=0.0254, fps=30.0, positions=True,
    ),
    "Vicon Blade": Told(
        "Root=hips(Pelvis=hips@0,0.001,0(Spine=spine(Thorax=upper_chest(Neck=neck(Head=head) {}Clav=shoulder({}Humerus=upper_arm({}Radius=lower_arm({}Hand=hand))))) {}Femur=upper_leg({}Tibia=lower_leg({}Foot=foot({}Toes=toes)))))",
        ("L", "R"), unit_m=0.001, up="Z", fps=120.0, order="XYZ",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class _Joint:
    name: str
    parent: int
    role: str
    beside: Array


def _joints(told: Told) -> list[_Joint]:
    """The joints of a file, parents before their own."""
    return list(_read(_both(told.tree, told.sides)))


def _both(tree: str, sides: tuple[str, str]) -> str:
    """The tree with every sided branch twice: names with the side, roles with left_ and right_, places mirrored."""
    result, place = "", 0
    while place < len(tree):
        head = re.match(r"[^\s()=]*\{\}[^\s()=]*=", tree[place:])
        if not head:
            result, place = result + tree[place], place + 1
            continue
        # The whole branch: as far as its brackets reach.
        end = place + (re.match(r"[^\s()]+", tree[place:]) or head).end()
        if tree[end : end + 1] == "(":
            deep = 1
            while deep:
                end += 1
                deep += {"(": 1, ")": -1}.get(tree[end], 0)
            end += 1
        branch = tree[place:end]
        result += " " + " ".join(_sided(branch, side, word) for side, word in zip(SIDES, sides, strict=True)) + " "
        place = end
    return result


def _sided(branch: str, side: str, word: str) -> str:
    def told(match: re.Match[str]) -> str:
        role = match[1] if match[1] in MIDDLE else f"{side}_{match[1]}"
        sign = "-" if side == "right" and match[2] and match[2][0] != "-" else ""
        return f"={role}" + (f"@{sign}{match[2]}" if match[2] else "")

    return re.sub(r"=(\w+)(?:@(-?[\d.]+))?", told, branch.replace("{}", word))


def _read(tree: str) -> Iterator[_Joint]:
    above, last, count = [-1], -1, 0
    for match in _NODE.finditer(tree):
        if match[6] == "(":
            above.append(last)
        elif match[6] == ")":
            above.pop()
        else:
            beside = np.array([float(match[n] or 0.0) for n in (3, 4, 5)])
            yield _Joint(match[1], above[-1], match[2], beside)
            last, count = count, count + 1


def truth(told: Told) -> Motion:
    """The movement as the file's own joints make it, in metres and Y up; its skeleton has the roles that they play."""
    joints = _joints(told)
    motion = sample(told.clip, told.fps)
    source = motion.skeleton
    of_role = dict(source.roles)
    used = {of_role[joint.role] for joint in joints if joint.role in of_role}
    # A rig with fewer joints is stiff if it has none.
    turns = np.array(motion.rotations)
    for number in range(len(source)):
        if number not in used:
            turns[:, number] = source.rest[number]
    motion = motion.replaced(rotations=turns)
    motion = _placed(motion, told)
    world_q, world_p = motion.world_transforms()
    names: list[str] = []
    parents: list[int] = []
    roles: dict[str, int] = {}
    places: list[Array] = []
    q: list[Array] = []
    ends: list[tuple[str, int, Array]] = []
    for number, joint in enumerate(joints):
        names.append(joint.name)
        parents.append(joint.parent)
        if joint.role == "ground":
            q.append(quat.identity(len(motion)))
            places.append(np.zeros((len(motion), 3)))
            if not any(other.parent == number for other in joints):
                ends.append((f"{joint.name}_end", number, np.broadcast_to([0.0, 0.02, 0.0], (len(motion), 3))))
            continue
        at = of_role[joint.role]
        q.append(world_q[:, at])
        places.append(world_p[:, at] + quat.rotate(world_q[:, at], joint.beside))
        if not joint.beside.any():
            # Of joints at the same place, Bip01 and its pelvis, either will do.
            roles.setdefault(joint.role, number)
        if not any(other.parent == number for other in joints):
            kind = joint.role.removeprefix("left_").removeprefix("right_")
            way = np.array(_ENDS.get(kind, (0.0, 0.02, 0.0)))
            way[0] *= -1.0 if joint.role.startswith("right_") else 1.0
            ends.append((f"{joint.name}_end", number, world_p[:, at] + quat.rotate(world_q[:, at], joint.beside + way)))
    for name, parent, place in ends:
        names.append(name)
        parents.append(parent)
        q.append(q[parent])
        places.append(place)
    turn, place = np.stack(q, axis=1), np.stack(places, axis=1)
    turn = quat.multiply(turn, _frames(told, names, parents, turn, place, joints))
    local_q, local_p = np.array(turn), np.array(place)
    for number, parent in enumerate(parents):
        if parent >= 0:
            back = quat.inverse(turn[:, parent])
            local_q[:, number] = quat.multiply(back, turn[:, number])
            local_p[:, number] = quat.rotate(back, place[:, number] - place[:, parent])
    stiff = np.ptp(local_p[:, 1:], axis=0).max(axis=1)
    loose = [names[n + 1] for n in np.flatnonzero(stiff > 1e-9) if n or joints[0].role != "ground"]
    assert told.positions or not loose, f"bones that change their length: {loose}"
    if not told.travels:
        local_p[:, 0] = 0.0
    offsets = np.array(local_p[0])
    offsets[0] = 0.0
    if "ground" in [joint.role for joint in joints]:
        offsets[1] = 0.0
    if told.calibration:
        local_q = np.concatenate([quat.identity(1, len(names)), local_q])
        local_p = np.concatenate([offsets[None], local_p])
    skeleton = Skeleton(tuple(names), np.array(parents), offsets).with_roles(roles)
    return Motion(skeleton, motion.fps, local_q, local_p)


def _placed(motion: Motion, told: Told) -> Motion:
    """The performer elsewhere in the room, and looking another way."""
    turn = quat.from_axis_angle((0.0, 1.0, 0.0), np.radians(told.facing_deg))
    rotations, positions = np.array(motion.rotations), np.array(motion.positions)
    rotations[:, 0] = quat.multiply(turn, rotations[:, 0])
    positions[:, 0] = quat.rotate(turn, positions[:, 0]) + np.array(told.away_m)
    return motion.replaced(rotations=rotations, positions=positions)


def _frames(
    told: Told, names: list[str], parents: list[int], turn: Array, place: Array, joints: list[_Joint]
) -> Array:  # fmt: skip
    """(J, 4): how the axes of each joint lie in those of the body, by the zero pose."""
    result = quat.identity(len(names))
    for number, name in enumerate(names):
        if told.zero == "arms down" and number < len(joints):
            role = joints[number].role
            if role.endswith(("_arm", "hand")):
                sign = 1.0 if role.startswith("left") else -1.0
                result[number] = quat.from_axis_angle((0.0, 0.0, 1.0), sign * np.pi / 2)
        elif told.zero == "along x":
            kids = [kid for kid, parent in enumerate(parents) if parent == number]
            if kids and number:
                way = quat.rotate(quat.inverse(turn[0, number]), place[0, kids[0]] - place[0, number])
                if np.linalg.norm(way) > 1e-6:
                    result[number] = quat.between((1.0, 0.0, 0.0), way / np.linalg.norm(way))
        elif told.zero == "turned" and number:
            random = np.random.default_rng(sum(map(ord, name)))
            result[number] = quat.exp(random.normal(scale=0.9, size=3))
    if told.zero == "arms down":
        for number in range(len(joints), len(names)):
            result[number] = result[parents[number]]
    return result


def written(name: str, folder: Path) -> tuple[Path, Motion]:
    """The file of a convention in `folder`, and the movement that it means."""
    told = CONVENTIONS[name]
    motion = truth(told)
    path = folder / "told.bvh"
    path.write_bytes(_text(motion, told).encode())
    return path, motion


def _text(motion: Motion, told: Told) -> str:
    skeleton = motion.skeleton
    turns, places = z_up(motion.rotations, told.up), z_up(motion.positions, told.up) / told.unit_m
    offsets = z_up(skeleton.offsets, told.up) / told.unit_m
    ends_of = np.array([name.endswith("_end") for name in skeleton.names])[:, None]
    listed = np.where(ends_of, 1.0, told.template) * offsets
    degrees = np.degrees(quat.to_euler(turns, told.order))
    channels = " ".join(f"{axis}rotation" for axis in told.order)
    first = "Xposition Yposition Zposition"
    lines, columns = ["HIERARCHY"], []
    ends = {number for number in range(len(skeleton)) if skeleton.names[number].endswith("_end")}

    def number_text(values: Array) -> str:
        return " ".join(f"{value:.{told.digits}f}" for value in values)

    def joint(number: int, deep: int) -> None:
        tab = "\t" * deep
        lines.append(
            f"{tab}End Site" if number in ends else f"{tab}{'JOINT' if deep else 'ROOT'} {skeleton.names[number]}"
        )
        lines.extend([f"{tab}{{", f"{tab}\tOFFSET {number_text(listed[number])}"])
        if number not in ends:
            with_places = deep == 0 or told.positions
            lines.append(f"{tab}\tCHANNELS {6 if with_places else 3} {first + ' ' if with_places else ''}{channels}")
            columns.extend([places[:, number]] if with_places else [])
            columns.append(degrees[:, number])
            for kid in range(len(skeleton)):
                if skeleton.parents[kid] == number:
                    joint(kid, deep + 1)
        lines.append(f"{tab}}}")

    joint(0, 0)
    rows = np.concatenate(columns, axis=1)
    lines += ["MOTION", f"Frames: {len(rows)}", f"Frame Time: {1.0 / told.fps:.7f}", *map(number_text, rows), ""]
    return told.newline.join(lines)
