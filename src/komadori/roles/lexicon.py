"""Words for parts of the body in the languages used in rigs, and how a name is split into them."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_PARTS = {
    # Words for one part, whatever the language; "upper" and "lower" stand before arm, leg and back.
    "hips": "hips hip pelvis pelvic buttocks butt groin crotch cog 腰 骨盤 お尻 下半身 koshi kotsuban becken huefte hufte huften huefts bassin hanche hanches"
    " cadera caderas pelvica bacino anca anche quadril quadris 骨盆 臀部 臀 髋 髋部 kuan kuanbu gupen tunbu taz 골반 엉덩이",
    "trunk": "spine back torso chest abdomen abs ab belly stomach waist thorax ribcage ribs sternum lumbar lowback trunk body tummy"
    " 背骨 脊椎 脊柱 背 背中 胸 胸部 腹 腹部 上半身 体 sebone mune hara joutai wirbelsaule wirbelsaeule ruecken rucken brust brustkorb bauch rumpf"
    " colonne dos poitrine torse abdomen ventre buste columna espalda pecho torax espina colonna schiena petto torace addome"
    " coluna costas peito tronco jizhui jizhu yao yaobu xiong xiongbu fubu 腰部 胸腔 pozvonochnik spina grud zhivot 척추 가슴 허리",
    "neck": "neck cervical collum 首 頚 頸 颈 颈部 脖子 脖 kubi hals nacken genick cou nuque cuello collo pescoco jing jingbu bozi sheya 목",
    "head": "head skull cranium kopf schaedel 頭 头 头部 頭部 atama tete crane cabeza cabeca testa capo tou toubu golova 머리",
    "jaw": "jaw chin mandible 顎 あご 下巴 ago kiefer machoire mandibula mandibola",
    "eye": "eye eyeball 目 眼 眼睛 me auge oeil ojo occhio olho yanjing glaz 눈",
    "tail": "tail 尻尾 しっぽ 尾 尾巴 shippo schwanz queue cola coda rabo weiba khvost",
    "collar": "collar collarbone clavicle clav scapula shoulderblade 鎖骨 锁骨 sakotsu schluesselbein schlusselbein clavicule clavicula clavicola"
    " suogu klyuchitsa kliuchitsa 쇄골",
    "shoulder": "shoulder shldr shoul shld shou 肩 肩部 肩膀 kata schulter epaule hombro spalla ombro jian jianbu jianbang plecho 어깨",
    "arm": "arm 腕 手臂 胳膊 ude bras brazo braccio braco arme gebo ruka 팔",
    "upper_arm": "uparm uarm humerus bicep biceps 上腕 上臂 大臂 jouwan joowan johwan oberarm hautbras shangbi dabi 상완 위팔 윗팔",
    "lower_arm": "forearm lowarm loarm larm elbow radius ulna 肘 ひじ 前腕 下腕 前臂 小臂 下臂 肘部 hiji zenwan kawan unterarm ellbogen ellenbogen avantbras coude"
    " antebrazo codo avambraccio gomito antebraco cotovelo qianbi xiaobi zhou zhoubu predplechye predplechie lokot 전완 아래팔 아랫팔 팔꿈치",
    "hand": "hand wrist palm carpus carpal paw handwurzel handgelenk 手 手首 手腕 手掌 te tekubi main poignet mano muneca polso mao pulso punho shou shouwan"
    " kist zapyastye 손 손목",
    "leg": "leg 脚 足 腿 ashi bein jambe pierna gamba perna tui noga 다리",
    "upper_leg": "thigh upleg upperleg uleg femur 太もも 太腿 大腿 腿根 もも 腿部 momo futomomo daitai oberschenkel cuisse muslo coscia coxa datui bedro 허벅지",
    "lower_leg": "shin calf knee lowleg loleg lleg tibia fibula shank 膝 ひざ 脛 すね 下腿 小腿 膝盖 hiza sune katai unterschenkel knie schienbein wade genou mollet"
    " tibias rodilla espinilla pantorrilla canilla ginocchio polpaccio stinco joelho canela panturrilha xiaotui xi xigai golen koleno 종아리 무릎 정강이",
    "ankle": "ankle talus tarsus tarsal hock 足首 脚踝 踝 脚腕 ashikubi knoechel knochel fussgelenk cheville tobillo caviglia tornozelo jiaohuai jiaowan"
    " lodyzhka shchikolotka 발목",
    "foot": "foot feet hoof 脚掌 足部 fuss pied pie piede pe jiao jiaozhang stopa 발",
    "toes": "toe toes toebase ball forefoot metatarsal つま先 足先 爪先 脚趾 足趾 脚尖 tsumasaki zehe zehen orteil orteils dedopie dedospie dedosdelpie"
    " dita dedosdope puntapie punta jiaozhi jiaojian nosok paltsynogi 발가락 발끝",
    "thumb": "thumb 親指 拇指 大拇指 oyayubi daumen pouce pulgar pollice polegar muzhi 엄지",
    "index": "index indexfinger pointer fore_finger 人差指 人差し指 人指 食指 hitosashi zeigefinger indice shizhi 검지",
    "middle": "middle middlefinger mid 中指 nakayubi mittelfinger majeur medio medius zhongzhi 중지",
    "ring": "ring ringfinger 薬指 无名指 kusuriyubi ringfinger annulaire anular anulare anelar wumingzhi 약지",
    "little": "little littlefinger pinky pinkie small 小指 koyubi kleinerfinger auriculaire menique mignolo mindinho xiaozhi 새끼",
    "finger": "finger fingers 指 yubi doigt dedo dito shouzhi 손가락",
}

_QUALIFIERS = {
    "upper": "upper up upr uppr top high proximal ober 上 上部 sup superior superieur haut alto superiore shang verh verkh",
    "lower": "lower low lo lwr dn down bottom distal unter 下 下部 inf inferior inferieur bas bajo inferiore xia nizh",
    "front": "front fore frt fr vorder vorne avant delantero anteriore qian 前",
    "hind": "hind rear bk hinter arriere trasero posteriore hou 後",
}

_SYSTEMS = (
    ("left lft lf lt l", "right rgt rt rgh r"),
    ("左", "右"),
    ("hidari", "migi"),
    ("links linker linke linkes li", "rechts rechter rechte rechtes re"),
    ("gauche gau g", "droite droit dro d"),
    ("izquierdo izquierda izq", "derecho derecha der"),
    ("sinistro sinistra sin sx", "destro destra des dx"),
    ("esquerdo esquerda esq", "direito direita dir"),
    ("zuo", "you"),
    ("левый левая левое лев л", "правый правая правое прав п"),
    ("levyy levyi levaya levaia levoe lev", "pravyy pravyi pravaya pravaia pravoe prav"),
    ("왼쪽 왼", "오른쪽 오른"),
)
"""Words for left and right, a pair of lists for each language."""

_CYRILLIC = {
    "hips": "таз",
    "trunk": "позвоночник спина грудь живот торс",
    "neck": "шея",
    "head": "голова",
    "collar": "ключица",
    "shoulder": "плечо",
    "arm": "рука",
    "lower_arm": "предплечье локоть",
    "hand": "кисть запястье",
    "leg": "нога",
    "upper_leg": "бедро",
    "lower_leg": "голень колено",
    "ankle": "лодыжка",
    "foot": "стопа",
    "toes": "носок",
}

_NOISE = (
    "bone joint jnt jt bn bind skin def deform rig sk skel skeleton biped bip base main char character actor avatar armature node"
    " b j c m ctr center centre bnd drv fk link of the de la le el du del della des rt0 骨 关节 関節 gu knochen os hueso osso"
)
_BAD = (
    "twist roll ik pole target ctrl control controller helper nub end tip effector eff socket dummy attach weapon prop hair skirt cloth cape"
    " breast bust boob muscle corrective pad armor armour ponytail ribbon ear brow lid lip tongue tooth teeth cheek nose face mouth hat ctl"
    " null handle locator marker mesh geo offset grp group space parent constraint aim up_vector null leaf scale 先 捩 捻 親 补助 補助 髪 胸飾"
)

FINGER_WORDS = ("thumb", "index", "middle", "ring", "little")
GENERIC = ("arm", "leg", "shoulder", "hips", "trunk", "finger", "hand")
"""Parts made more specific by another word in the same name: a thumb of the hand is a thumb."""

_CAMEL = re.compile(r"(?<=[a-zà-ÿ0-9])(?=[A-ZÀ-Þ])|(?<=[A-Z])(?=[A-Z][a-zà-ÿ])")
_SPLIT = re.compile(r"[^\w]+|_+")
_DIGITS = re.compile(r"\d+")


def _table() -> dict[str, tuple[str, str]]:
    """Word -> (kind, meaning)."""
    table: dict[str, tuple[str, str]] = {}
    lists = [("bad", "", _BAD), ("noise", "", _NOISE)]
    lists += [("qualifier", name, words) for name, words in _QUALIFIERS.items()]
    lists += [("part", name, words) for group in (_PARTS, _CYRILLIC) for name, words in group.items()]
    for kind, meaning, words in lists:
        table |= {plain(word): (kind, meaning) for word in words.split()}
    return table


def plain(word: str) -> str:
    """A word without case and without the accents of Latin letters."""
    folded = unicodedata.normalize("NFKC", word).casefold()
    if folded.isascii():
        return folded
    return "".join(
        unicodedata.normalize("NFD", letter)[0] if letter.isalpha() and letter < "ɐ" else letter for letter in folded
    )


@cache
def table() -> dict[str, tuple[str, str]]:
    """Every word but those for left and right, in plain letters -> (kind, meaning)."""
    return _table()


@cache
def systems() -> tuple[dict[str, str], ...]:
    """For each language its words for left and right -> the side."""
    return tuple(
        {plain(word): side for side, words in zip(("left", "right"), pair, strict=True) for word in words.split()}
        for pair in _SYSTEMS
    )


def tokens(name: str) -> list[str]:
    """The pieces of a name between separators, changes of case and numbers, in plain letters.

    >>> tokens("mixamorig:LeftUpLeg_01")
    ['left', 'up', 'leg']
    """
    bare = re.split(r"[:|/]", unicodedata.normalize("NFKC", name))[-1]
    pieces = [part for piece in _SPLIT.split(_DIGITS.sub(" ", bare)) for part in _CAMEL.split(piece)]
    return [plain(piece) for piece in pieces if piece]


@cache
def words_in(token: str, system: int) -> tuple[tuple[str, str], ...] | None:
    """The fewest known words that a token is made of, as (kind, meaning); None if some of it is not known.

    >>> words_in("leftupleg", 0)
    (('side', 'left'), ('part', 'upper_leg'))
    """
    sides, known = systems()[system], table()
    best: list[tuple[tuple[str, str], ...] | None] = [()] + [None] * len(token)
    for end in range(1, len(token) + 1):
        for start in range(max(0, end - 16), end):
            before, word = best[start], token[start:end]
            if before is None:
                continue
            side = sides.get(word)
            whole = start == 0 and end == len(token)
            # A single letter is a side at the edge of a name, and noise by itself alone.
            if side is not None and len(word) <= 2 and not (start == 0 or end == len(token)) and word.isascii():
                side = None
            meaning = ("side", side) if side is not None else known.get(word)
            if meaning is None or (meaning[0] == "noise" and len(word) == 1 and not whole):
                continue
            found = best[end]
            if found is None or len(before) + 1 < len(found):
                best[end] = (*before, meaning)
    return best[-1]
