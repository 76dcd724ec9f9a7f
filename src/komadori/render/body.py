"""A body as flat shapes: limbs with volume, seen from one side, far ones first."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from komadori import flesh
from komadori.errors import OptionError, one_of
from komadori.quat import Array
from komadori.render.drawing import Circle, Item, Point, Polygon
from komadori.skeleton import Skeleton

VIEWS = {"front": 0.0, "three-quarter": math.radians(40.0), "side": math.radians(90.0)}
UP = np.array([0.0, 1.0, 0.0])

OUTLINE = "#223040"
NEAR, FAR = (0xF1, 0xF6, 0xFB), (0x8C, 0xA5, 0xC0)
TONES = 5

LIMB_ROLES = ("left_upper_arm", "right_upper_arm", "left_upper_leg", "right_upper_leg")
SHORT = 0.16
"""A branch belongs to the trunk for this length: a collar bone, half of the pelvis."""
SMALL = 0.13
"""A part smaller than this, with everything below it, belongs to its limb: fingers, toes."""


@dataclass(frozen=True)
class Camera:
    """An orthographic view: `right` and `toward` (3,) are the picture's right and the way to the eye."""

    right: Array
    toward: Array

    def seen(self, points: Array) -> Array:
        """(..., 3) world points as right, up, and nearness to the eye."""
        return np.stack([points @ self.right, points @ UP, points @ self.toward], axis=-1)


@dataclass(frozen=True, eq=False)
class Body:
    """A skeleton's limbs: `bones` (B, 2) parent and child, their `limbs` (B,), a radius in metres for each joint."""

    bones: NDArray[np.intp]
    limbs: NDArray[np.intp]
    radii: Array
    head: int | None
    middle: int
    """The joint that the body hangs from: its hips."""
    height: float


def camera_of(skeleton: Skeleton, positions: Array, view: str) -> Camera:
    """The camera for `view` of a body whose joints stand at `positions` (J, 3): it faces us at "front"."""
    if view not in VIEWS:
        raise OptionError("view", expected=one_of(VIEWS), found=view)
    return turned_to(facing_of(skeleton, positions), view)


def facing_of(skeleton: Skeleton, positions: Array) -> Array:
    """(..., 3) the level direction in which a body faces whose joints stand at `positions` (..., J, 3)."""
    across = np.zeros((*positions.shape[:-2], 3))
    for left, right in _pairs(skeleton):
        across += positions[..., left, :] - positions[..., right, :]
    across[..., 1] = 0.0
    length = np.linalg.norm(across, axis=-1, keepdims=True)
    left_hand = np.where(length > 1e-9, across / np.maximum(length, 1e-9), np.array([1.0, 0.0, 0.0]))
    return np.asarray(np.cross(left_hand, UP))


def turned_to(facing: Array, view: str) -> Camera:
    """The camera for `view` of a body that faces the level direction `facing` (3,)."""
    left_hand, angle = np.cross(UP, facing), VIEWS[view]
    # From the side, the body walks to the picture's right.
    toward = math.cos(angle) * facing - math.sin(angle) * left_hand
    return Camera(np.cross(UP, toward), toward)


def _pairs(skeleton: Skeleton) -> list[tuple[int, int]]:
    """Hips and shoulders, left and right: by role, else by any names that differ in left and right alone."""
    roles = skeleton.roles
    sides = [(roles.get(f"left_{part}"), roles.get(f"right_{part}")) for part in ("upper_leg", "upper_arm")]
    found = [(left, right) for left, right in sides if left is not None and right is not None]
    if found:
        return found
    index = {name.lower(): joint for joint, name in enumerate(skeleton.names)}
    named = ((joint, index.get(name.replace("left", "right"))) for name, joint in index.items() if "left" in name)
    return [(left, right) for left, right in named if right is not None]


def body_of(skeleton: Skeleton, positions: Array) -> Body:
    """Limbs and their thickness, from the lengths of bones in one pose, `positions` (J, 3)."""
    parents = skeleton.parents
    count = len(skeleton)
    lengths, below = flesh.bone_lengths(skeleton, positions)
    radii, height = flesh.radii(skeleton, positions)
    head = _head(skeleton)
    middle = _middle(skeleton)
    # The skull stands for whatever hangs from the head, and nothing is drawn from a root on the ground to the hips.
    hidden = ~skeleton.below([middle]) | (np.arange(count) == middle)
    hidden |= np.zeros(count, dtype=bool) if head is None else skeleton.below(skeleton.children[head])
    bones = [(int(parents[joint]), joint) for joint in range(count) if parents[joint] >= 0 and not hidden[joint]]
    limbs = _limbs(skeleton, bones, lengths / height, below / height)
    return Body(np.array(bones, dtype=np.intp).reshape(-1, 2), limbs, radii, head, middle, height)


def _limbs(skeleton: Skeleton, bones: list[tuple[int, int]], lengths: Array, below: Array) -> NDArray[np.intp]:
    """(B,) which limb each bone belongs to; 0 is the trunk. Each limb gets one outline around all of its bones."""
    count = len(skeleton)
    fork = [
        sum(below[child] + lengths[child] > SMALL for child in skeleton.children[joint]) > 1 for joint in range(count)
    ]
    starts = [skeleton.roles[role] for role in LIMB_ROLES if role in skeleton.roles]
    head = _head(skeleton)
    # The trunk runs from fork to fork, to the head, and to where the limbs are known to begin.
    trunk = [fork[joint] or joint == head or joint in starts for joint in range(count)]
    for joint in range(count - 1, 0, -1):
        if trunk[joint] and skeleton.parents[joint] >= 0:
            trunk[skeleton.parents[joint]] = True
    own = np.zeros(count, dtype=np.intp)
    off = np.zeros(count)
    used = 0
    for parent, joint in bones:
        off[joint] = lengths[joint] + (0.0 if fork[parent] else off[parent])
        own[joint] = own[parent]
        outside = parent in starts or (not trunk[joint] and off[joint] >= SHORT and any(fork))
        if own[parent] == 0 and outside:
            used += 1
            own[joint] = used
    return own[[joint for _, joint in bones]]


def _middle(skeleton: Skeleton) -> int:
    """The joint where the body begins: the last one that carries all of it. Some roots lie on the ground below."""
    joint = 0
    wanted = (
        skeleton.below([0]) if not skeleton.roles else np.isin(np.arange(len(skeleton)), list(skeleton.roles.values()))
    )
    leads = wanted.tolist()
    for child in range(len(skeleton) - 1, 0, -1):
        parent = int(skeleton.parents[child])
        if parent >= 0:
            leads[parent] = leads[parent] or leads[child]
    while True:
        inner = [child for child in skeleton.children[joint] if leads[child]]
        if (wanted[joint] and skeleton.roles) or len(inner) != 1 or not skeleton.children[inner[0]]:
            return joint
        joint = inner[0]


def _head(skeleton: Skeleton) -> int | None:
    if "head" in skeleton.roles:
        return skeleton.roles["head"]
    return next((joint for joint, name in enumerate(skeleton.names) if name.lower().endswith("head")), None)


def drawn(body: Body, skeleton: Skeleton, seen: Array, place: Point, scale: float, outline: float) -> list[Item]:
    """The body at `seen` (J, 3: right, up, nearness) as shapes; `place` is where (0, 0) lies, `scale` points per metre."""
    flat = np.stack([place[0] + seen[:, 0] * scale, place[1] - seen[:, 1] * scale], axis=-1)
    radii = body.radii * scale
    depth = seen[:, 2]
    groups: list[tuple[float, list[Polygon | Circle]]] = []
    for limb in range(int(body.limbs.max(initial=0)) + 1):
        bones = body.bones[body.limbs == limb]
        shapes: list[Polygon | Circle] = [
            Polygon(capsule(tuple(flat[a]), tuple(flat[b]), radii[a], radii[b])) for a, b in bones
        ]
        if body.head is not None and limb == _limb_of(body, body.head):
            shapes.append(_skull(body, skeleton, flat, scale))
        if shapes:
            groups.append((float(depth[bones].mean()) if len(bones) else 0.0, shapes))
    middle = float(depth.mean())
    items: list[Item] = []
    for nearness, shapes in sorted(groups, key=lambda group: group[0]):
        fill = _tone((nearness - middle) / (0.12 * body.height))
        # All outlines of a limb first, then its areas: where its bones overlap, no line shows.
        items.extend(replace(shape, colour=OUTLINE, width=2 * outline) for shape in shapes)
        items.extend(replace(shape, fill=fill) for shape in shapes)
    return items


def _limb_of(body: Body, joint: int) -> int:
    at = np.flatnonzero(body.bones[:, 1] == joint)
    return int(body.limbs[at[0]]) if len(at) else 0


def _skull(body: Body, skeleton: Skeleton, flat: Array, scale: float) -> Circle:
    """The head: around the middle of its own bone if it has one."""
    assert body.head is not None
    centre = flesh.skull(skeleton, body.head, flat)
    return Circle(float(centre[0]), float(centre[1]), flesh.HEAD * body.height * scale)


def _tone(nearness: float) -> str:
    # A few flat tones, as cel painters use: they also keep a GIF small.
    t = round(min(1.0, max(0.0, 0.5 + 0.5 * nearness)) * TONES) / TONES
    return "#" + "".join(f"{round(far + t * (near - far)):02x}" for near, far in zip(NEAR, FAR, strict=True))


def capsule(a: Point, b: Point, ra: float, rb: float, points: int = 8) -> tuple[Point, ...]:
    """The outline around two circles: a limb that tapers from `a` (radius `ra`) to `b` (radius `rb`)."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = math.hypot(dx, dy)
    if length <= abs(ra - rb) + 1e-9:
        # One circle lies within the other.
        (x, y), r = (a, ra) if ra >= rb else (b, rb)
        turns = [2.0 * math.pi * n / (2 * points) for n in range(2 * points)]
        return tuple((x + r * math.cos(turn), y + r * math.sin(turn)) for turn in turns)
    along = math.atan2(dy, dx)
    # The straight sides touch both circles where the radius stands at this angle to the axis.
    side = math.acos((ra - rb) / length)
    far = [along + side + (2.0 * math.pi - 2.0 * side) * n / points for n in range(points + 1)]
    near = [along - side + 2.0 * side * n / points for n in range(points + 1)]
    around_a = [(a[0] + ra * math.cos(turn), a[1] + ra * math.sin(turn)) for turn in far]
    around_b = [(b[0] + rb * math.cos(turn), b[1] + rb * math.sin(turn)) for turn in near]
    return tuple(around_a + around_b)
