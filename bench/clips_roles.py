"""Role recognition, scored: real skeletons, and one body whose joints are named in every way that rigs are.

`score` gives a row for each group of cases; `variants` makes the cases. A case is right when every main role is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from komadori import roles
from komadori.roles import names, words
from komadori.skeleton import Skeleton

MIDDLES = {
    5: ("hips", "spine", "chest", "neck", "head"),
    6: ("hips", "spine", "chest", "upper_chest", "neck", "head"),
}
ARM = ("shoulder", "upper_arm", "lower_arm", "hand")
LEG = ("upper_leg", "lower_leg", "foot", "toes")


@dataclass(frozen=True)
class Naming:
    """The names of one rig: trunk, arm and leg from the hips or shoulder on ("-" for none), and the two sides.

    A sided name has "{}" where its side stands; words are parted by spaces and each is one word of a name ("fore arm").
    """

    name: str
    middle: str
    arm: str
    leg: str
    sides: tuple[str, str]


NAMINGS = (
    Naming("Biovision", "Hips,Chest,Chest 2,Neck,Head", "{} Collar,{} Up Arm,{} Low Arm,{} Hand", "{} Up Leg,{} Low Leg,{} Foot,-", ("Left", "Right")),
    Naming("Mixamo", "Hips,Spine,Spine 1,Spine 2,Neck,Head", "{} Shoulder,{} Arm,{} Fore Arm,{} Hand", "{} Up Leg,{} Leg,{} Foot,{} Toe Base", ("Left", "Right")),
    Naming("plain English", "Pelvis,Waist,Chest,Neck,Head", "{} Clavicle,{} Upper Arm,{} Fore Arm,{} Wrist", "{} Thigh,{} Calf,{} Ankle,{} Ball", ("Left", "Right")),
    Naming("short English", "Hip,Abdomen,Torso,Neck,Skull", "{} Clav,{} Uarm,{} Farm,{} Palm", "{} Uleg,{} Knee,{} Ankle,{} Toe", ("L", "R")),
    Naming("joints", "Root,Spine,Chest,Neck,Head", "{} Scapula,{} Shoulder,{} Elbow,{} Wrist", "{} Hip,{} Knee,{} Ankle,{} Toes", ("Left", "Right")),
    Naming("anatomy", "Pelvis,Lumbar,Thorax,Neck,Cranium", "{} Scapula,{} Humerus,{} Radius,{} Carpus", "{} Femur,{} Tibia,{} Talus,{} Metatarsal", ("L", "R")),
    Naming("lower and upper", "Pelvis,Lower Back,Upper Back,Neck,Head", "{} Shoulder,{} Upper Arm,{} Lower Arm,{} Hand", "{} Upper Leg,{} Lower Leg,{} Foot,{} Toes", ("Lft", "Rgt")),
    Naming("German", "Hüfte,Wirbelsäule,Brust,Hals,Kopf", "{} Schulter,{} Oberarm,{} Unterarm,{} Hand", "{} Oberschenkel,{} Unterschenkel,{} Fuß,{} Zehen", ("Links", "Rechts")),
    Naming("German, plain letters", "Becken,Ruecken,Brustkorb,Nacken,Kopf", "{} Schluesselbein,{} Oberarm,{} Ellbogen,{} Handgelenk", "{} Oberschenkel,{} Knie,{} Fuss,{} Zehe", ("linker", "rechter")),
    Naming("French", "Bassin,Colonne,Poitrine,Cou,Tête", "Épaule {},Bras {},Avant Bras {},Main {}", "Cuisse {},Jambe {},Pied {},Orteils {}", ("Gauche", "Droite")),
    Naming("French, short", "Hanches,Dos,Torse,Cou,Tete", "Clavicule {},Bras {},Coude {},Poignet {}", "Cuisse {},Genou {},Cheville {},Orteil {}", ("G", "D")),
    Naming("Spanish", "Cadera,Columna,Pecho,Cuello,Cabeza", "Hombro {},Brazo {},Antebrazo {},Mano {}", "Muslo {},Pierna {},Pie {},Punta {}", ("Izq", "Der")),
    Naming("Spanish, long", "Pelvis,Espalda,Torso,Cuello,Cabeza", "Clavícula {},Brazo {},Codo {},Muñeca {}", "Muslo {},Rodilla {},Tobillo {},Punta {}", ("Izquierda", "Derecha")),
    Naming("Italian", "Bacino,Schiena,Petto,Collo,Testa", "Spalla {},Braccio {},Avambraccio {},Mano {}", "Coscia {},Gamba {},Piede {},Punta {}", ("Sx", "Dx")),
    Naming("Portuguese", "Quadril,Coluna,Peito,Pescoço,Cabeça", "Ombro {},Braço {},Antebraço {},Mão {}", "Coxa {},Canela {},Pé {},-", ("Esq", "Dir")),
    Naming("Japanese", "腰,背骨,胸,首,頭", "{}肩,{}上腕,{}前腕,{}手", "{}太もも,{}すね,{}足首,{}つま先", ("左", "右")),
    Naming("Japanese, MMD", "センター,上半身,上半身2,首,頭", "{}肩,{}腕,{}ひじ,{}手首", "{}足,{}ひざ,{}足首,{}つま先", ("左", "右")),
    Naming("Japanese in Latin letters", "Koshi,Sebone,Mune,Kubi,Atama", "{} Kata,{} Ude,{} Hiji,{} Tekubi", "{} Momo,{} Hiza,{} Ashikubi,{} Tsumasaki", ("Hidari", "Migi")),
    Naming("Chinese", "骨盆,脊椎,胸,脖子,头", "{}肩,{}上臂,{}前臂,{}手", "{}大腿,{}小腿,{}脚,{}脚趾", ("左", "右")),
    Naming("Chinese in Latin letters", "Kuan,Jizhui,Xiong,Jing,Tou", "{} Jian,{} Dabi,{} Xiaobi,{} Shou", "{} Datui,{} Xiaotui,{} Jiao,{} Jiaozhi", ("Zuo", "You")),
    Naming("Russian", "таз,спина,грудь,шея,голова", "{} ключица,{} плечо,{} предплечье,{} кисть", "{} бедро,{} голень,{} стопа,{} носок", ("Лев", "Прав")),
    Naming("Russian in Latin letters", "Taz,Spina,Grud,Sheya,Golova", "{} Klyuchitsa,{} Plecho,{} Predplechye,{} Kist", "{} Bedro,{} Golen,{} Stopa,{} Nosok", ("Lev", "Prav")),
    Naming("Korean", "골반,척추,가슴,목,머리", "{}어깨,{}위팔,{}아래팔,{}손", "{}허벅지,{}종아리,{}발,{}발가락", ("왼", "오른")),
    # Written down after the word lists, and tried as they are.
    Naming("Character Creator", "CC Base Hip,CC Base Waist,CC Base Spine 01,CC Base Spine 02,CC Base Neck Twist 01,CC Base Head", "CC Base {} Clavicle,CC Base {} Upperarm,CC Base {} Forearm,CC Base {} Hand", "CC Base {} Thigh,CC Base {} Calf,CC Base {} Foot,CC Base {} Toe Base", ("L", "R")),
    Naming("Xsens", "Pelvis,L 5,T 12,T 8,Neck,Head", "{} Shoulder,{} Upper Arm,{} Fore Arm,{} Hand", "{} Upper Leg,{} Lower Leg,{} Foot,{} Toe", ("Left", "Right")),
    Naming("SMPL", "Pelvis,Spine 1,Spine 2,Spine 3,Neck,Head", "{} Collar,{} Shoulder,{} Elbow,{} Wrist", "{} Hip,{} Knee,{} Ankle,{} Foot", ("L", "R")),
    Naming("Kinect", "Spine Base,Spine Mid,Spine Shoulder,Neck,Head", "-,Shoulder {},Elbow {},Wrist {}", "Hip {},Knee {},Ankle {},Foot {}", ("Left", "Right")),
    Naming("OptiTrack", "Hip,Ab,Chest,Neck,Head", "{} Shoulder,{} UArm,{} FArm,{} Hand", "{} Thigh,{} Shin,{} Foot,{} Toe", ("L", "R")),
    Naming("Second Life", "m Pelvis,m Torso,m Chest,m Neck,m Head", "m Collar {},m Shoulder {},m Elbow {},m Wrist {}", "m Hip {},m Knee {},m Ankle {},m Foot {}", ("Left", "Right")),
    Naming("Roblox", "Root,Lower Torso,Upper Torso,Neck,Head", "-,{} Upper Arm,{} Lower Arm,{} Hand", "{} Upper Leg,{} Lower Leg,{} Foot,-", ("Left", "Right")),
    Naming("Dutch", "Heup,Ruggengraat,Borst,Nek,Hoofd", "{} Schouder,{} Bovenarm,{} Onderarm,{} Hand", "{} Dijbeen,{} Scheenbeen,{} Voet,{} Tenen", ("Linker", "Rechter")),
    Naming("Polish", "Miednica,Kregoslup,Klatka,Szyja,Glowa", "{} Bark,{} Ramie,{} Przedramie,{} Dlon", "{} Udo,{} Lydka,{} Stopa,{} Palce", ("Lewy", "Prawy")),
)  # fmt: skip

LATER = ("Character Creator", "Xsens", "SMPL", "Kinect", "OptiTrack", "Second Life", "Roblox", "Dutch", "Polish")
KEPT_ASIDE = (
    *LATER,
    "short English",
    "anatomy",
    "German, plain letters",
    "French, short",
    "Spanish, long",
    "Portuguese",
    "Chinese",
    "Russian",
)
"""Namings that the word lists were not tried on while they were written."""  # fmt: skip

Words = Sequence[str]
STYLES: dict[str, Callable[[Words], str]] = {
    "LeftUpLeg": lambda words: "".join(word[:1].upper() + word[1:] for word in words),
    "leftUpLeg": lambda words: words[0].lower() + "".join(word[:1].upper() + word[1:].lower() for word in words[1:]),
    "left_up_leg": lambda words: "_".join(words).lower(),
    "Left Up Leg": " ".join,
    "LEFT_UPLEG": lambda words: "_".join([words[0], "".join(words[1:])] if len(words) > 2 else words).upper(),
    "left-up-leg": lambda words: "-".join(words).lower(),
    "leftupleg": lambda words: "".join(words).lower(),
}
PREFIXES = ("", "mixamorig:", "Bip01 ", "Character1_", "rig_", "Armature|", "hero:hero_", "b_", "DEF-")
SUFFIXES = ("", "_jnt", "_bind", "_JNT", ".x", "_bone", "_01")
PLACES = ("as named", "before", "after", "dot")
"""Where the side stands: as the naming has it, before the rest, after it, or after a dot (".L")."""


@dataclass(frozen=True)
class Case:
    """A skeleton, and the joint that plays each role in it."""

    group: str
    name: str
    skeleton: Skeleton
    wanted: dict[str, int]


@dataclass(frozen=True)
class Row:
    """How many of a group's cases are right in every main role, and how many roles of all there are."""

    group: str
    cases: int
    right: int
    roles: int
    found: int
    wrong: tuple[str, ...]

    @property
    def rate(self) -> float:
        """The share of cases that are right."""
        return self.right / self.cases if self.cases else 1.0


def variants(seed: int = 0, of_each: int = 24, namings: Sequence[Naming] = NAMINGS) -> Iterator[Case]:
    """`of_each` cases of every naming, each with a prefix, a suffix, a case style and a place for its sides by `seed`."""
    random = np.random.default_rng(seed)
    for naming in namings:
        for number in range(of_each):
            style = list(STYLES)[number % len(STYLES)]
            prefix, suffix = str(random.choice(PREFIXES)), str(random.choice(SUFFIXES))
            place = str(random.choice(PLACES))
            spelled = _spelling(STYLES[style], prefix, suffix, place, naming.sides)
            yield _case(naming, f"{prefix}{style}{suffix} ({place})", spelled, random)


def _spelling(
    style: Callable[[Words], str], prefix: str, suffix: str, place: str, sides: tuple[str, str]
) -> Callable[[str, str], str]:
    def spelled(template: str, side: str) -> str:
        before, mark, after = template.partition("{}")
        words = [*before.split(), *([side] if mark else []), *after.split()]
        if mark and place != "as named":
            rest = [word for word in words if word != side]
            words = [side, *rest] if place == "before" else [*rest, side]
        if mark and place == "dot":
            return f"{prefix}{style(words[:-1])}.{side}{suffix}"
        return f"{prefix}{style(words)}{suffix}"

    return spelled


def _case(naming: Naming, name: str, spelled: Callable[[str, str], str], random: np.random.Generator) -> Case:
    """The naming on a body that stands: trunk in a row, arms at the chest, legs at the hips, and things that hang about."""
    middle = naming.middle.split(",")
    joints = [spelled(template, "") for template in middle]
    parents = [-1, *range(len(middle) - 1)]
    stretch = random.uniform(0.8, 1.25, size=3)
    offsets = [[0.0, 1.0, 0.0]] + [[0.0, 0.15 * stretch[0], 0.0]] * (len(middle) - 1)
    wanted = {role: joint for joint, role in enumerate(MIDDLES[len(middle)])}
    for side, word, sign in zip(("left", "right"), naming.sides, (1.0, -1.0), strict=True):
        for limb, kinds, at, bones in (
            (naming.arm, ARM, len(middle) - 3, [[0.03, 0.1, 0.0], [0.12, 0.0, 0.0], [0.3 * stretch[1], 0.0, 0.0], [0.25 * stretch[1], 0.0, 0.0]]),
            (naming.leg, LEG, 0, [[0.1, -0.05, 0.0], [0.0, -0.42 * stretch[2], 0.0], [0.0, -0.4 * stretch[2], 0.0], [0.0, -0.06, 0.14]]),
        ):  # fmt: skip
            for template, kind, bone in zip(limb.split(","), kinds, bones, strict=True):
                if template == "-":
                    continue
                parents.append(at)
                at = len(joints)
                wanted[f"{side}_{kind}"] = at
                joints.append(spelled(template, word))
                offsets.append([sign * bone[0], bone[1], bone[2]])
    # Shuffled places say nothing to one who reads names: turned joints and hair that no shape would take for a body.
    joints += ["Hair_1", "Hair_2", "LeftArmTwist", "IK_Foot_L"]
    parents += [len(middle) - 1, len(joints) - 4, wanted["left_upper_arm"], 0]
    offsets += [[0.0, 0.1, -0.1], [0.0, -0.3, 0.0], [0.1, 0.0, 0.0], [0.1, -0.9, 0.0]]
    skeleton = Skeleton(tuple(_different(joints)), np.array(parents), np.array(offsets))
    return Case(naming.name, name, skeleton, wanted)


def _different(names: list[str]) -> list[str]:
    return [name if names.index(name) == place else f"{name} {place}" for place, name in enumerate(names)]


def score(cases: Sequence[Case], find: Callable[[Skeleton], dict[str, int]] = roles.find) -> list[Row]:
    """A row for each group of `cases`, in the order in which they come."""
    rows = []
    for group in dict.fromkeys(case.group for case in cases):
        own = [case for case in cases if case.group == group]
        right = total = found = 0
        wrong = []
        for case in own:
            told = find(case.skeleton)
            total += len(case.wanted)
            found += sum(told.get(role) == joint for role, joint in case.wanted.items())
            good = all(told.get(role) == case.wanted[role] for role in roles.MAIN if role in case.wanted)
            right += good
            wrong += [] if good else [case.name]
        rows.append(Row(group, len(own), right, total, found, tuple(wrong)))
    return rows


def table(rows: Sequence[Row]) -> str:
    """The rows as a table in Markdown, with their sum."""
    lines = ["| names | cases | all main roles right | roles right |", "|---|---|---|---|"]
    total = Row(
        "all", sum(r.cases for r in rows), sum(r.right for r in rows), sum(r.roles for r in rows), sum(r.found for r in rows), ()
    )  # fmt: skip
    lines += [f"| {r.group} | {r.cases} | {r.rate:.1%} | {r.found / max(r.roles, 1):.1%} |" for r in (*rows, total)]
    return "\n".join(lines)


def nameless(skeleton: Skeleton) -> Skeleton:
    """The same body with names that say nothing; end sites stay end sites."""
    names = (f"n{joint}" + ("_end" if end else "") for joint, end in enumerate(skeleton.end_sites))
    return Skeleton(tuple(names), skeleton.parents, skeleton.offsets, skeleton.rest)


def by_names_alone(skeleton: Skeleton) -> dict[str, int]:
    """Roles as names alone tell them, known rigs or words, whichever tell more."""
    readings = (names.by_name(skeleton)[0], words.by_words(skeleton))
    return max(readings, key=lambda found: sum(role in found for role in roles.MAIN))


if __name__ == "__main__":
    every = score(list(variants()))
    print(table([row for row in every if row.group not in KEPT_ASIDE]))
    print(table([row for row in every if row.group in KEPT_ASIDE]))
    print(table(score(list(variants()), by_names_alone)))
    for each in every:
        print(each.group, *(re.sub(r"\s+", " ", name) for name in each.wrong), sep="\n  ")
