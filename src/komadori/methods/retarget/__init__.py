"""Retargeting: a motion put onto another body, by roles; limbs point as they did, feet stand where they stand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, MISSING, dataclass, replace

import numpy as np

from komadori import feet, quat
from komadori.character import Character
from komadori.errors import OptionError
from komadori.feet import Contacts, Slip
from komadori.methods.retarget.bodies import (
    SIDES,
    Body,
    alike,
    armless,
    body_of,
    neck_line,
    notes_on,
    standing_height,
    trunk_line,
    with_arms_down,
)
from komadori.methods.retarget.standing import contacts_on, on_the_ground
from komadori.methods.retarget.turning import LIMBS, wanted_rotations
from komadori.motion import Motion
from komadori.parameters import check, parameter
from komadori.quat import Array
from komadori.registry import method
from komadori.result import Measure, Result
from komadori.skeleton import Skeleton
from komadori.timesheet import Timesheet
from komadori.words import Fact, Note

__all__ = ["RetargetOptions", "RetargetResult", "retarget"]

_AGREE = 0.04
"""Leg lengths by which a measured height of the ankle may miss that of the rest pose and still be the same."""
_SHARED = ("spine", "chest", "upper_chest", "neck")
"""Roles whose turns are shared out along the trunk, anybody who plays them."""
_ARMS = ("upper_arm", "lower_arm", "hand")


@dataclass(frozen=True)
class RetargetOptions:
    """What can be asked of `retarget`."""

    character: Character | Skeleton | Motion = parameter(
        MISSING, "character to retarget to, or a motion file with its skeleton",
        reads="body", flag="--to",
    )  # fmt: skip
    _: KW_ONLY
    plant_feet: bool = parameter(True, "lock planted feet on the ground; the legs bend to reach them")
    scale: float | None = parameter(
        None, "scale of the travel (the ratio of leg lengths if not given)", low=0.001, high=1000.0
    )
    ground: float | None = parameter(
        None,
        "height of the floor in the result (as in the motion if not given)",
        unit="m",
        low=-1e3,
        high=1e3,
    )


@dataclass(frozen=True, eq=False)
class RetargetResult(Result):
    """The motion on the other body, and how well it sits there."""

    source_motion: Motion
    options: RetargetOptions
    motion: Motion
    scale: float
    """Metres of the result for one of the source."""
    bones: Mapping[str, tuple[float, float]]
    """For each limb bone by its role: the mean and the largest angle in degrees between the two bodies' directions."""
    slip: Slip
    """How far the target's standing feet move over the ground."""
    source_slip: Slip
    """How far the source's do."""
    height_mean_m: float
    height_worst_m: float
    """How far off the ground standing feet are: the mean, and the largest."""
    contacts: Contacts
    """Where the target's feet stand."""
    notes: tuple[Note, ...] = ()
    trunk_deg: tuple[float, float] = (0.0, 0.0)
    """The mean and the largest angle in degrees between the two bodies' lines from the hips to the neck."""
    head_deg: tuple[float, float] = (0.0, 0.0)
    """The same from the neck to the head. Rigs set these joints differently: some ten degrees are not an error."""
    sheet: Timesheet | None = None

    @property
    def measures(self) -> Mapping[str, Measure]:
        """The scale, how far limbs point off, and how feet stand, in the source and here."""
        return {
            "scale": Measure(self.scale),
            "direction_mean_deg": Measure(self.mean_deg, "degrees"),
            "direction_max_deg": Measure(self.max_deg, "degrees"),
            "trunk_mean_deg": Measure(self.trunk_deg[0], "degrees"),
            "head_mean_deg": Measure(self.head_deg[0], "degrees"),
            "slip_mm_per_s": Measure(1e3 * self.slip.per_second, "mm/s"),
            "source_slip_mm_per_s": Measure(1e3 * self.source_slip.per_second, "mm/s"),
            "height_mean_mm": Measure(1e3 * self.height_mean_m, "mm"),
            "height_max_mm": Measure(1e3 * self.height_worst_m, "mm"),
        }

    @property
    def mean_deg(self) -> float:
        """Mean error of direction over arms and legs, in degrees."""
        return float(np.mean([mean for mean, _ in self.bones.values()])) if self.bones else 0.0

    @property
    def max_deg(self) -> float:
        """Largest error of direction of any arm or leg bone in any frame, in degrees."""
        return max((worst for _, worst in self.bones.values()), default=0.0)


def _rows(result: RetargetResult) -> list[tuple[str, str]]:
    if not result.bones:
        return []
    off = Note(
        "limbs {mean:.1f} degrees on average, {worst:.1f} at most; trunk {trunk:.1f}, head {head:.1f}",
        mean=result.mean_deg,
        worst=result.max_deg,
        trunk=result.trunk_deg[0],
        head=result.head_deg[0],
    )
    slip = Note(
        "{after:.1f} mm/s (captured: {before:.1f})",
        after=1e3 * result.slip.per_second,
        before=1e3 * result.source_slip.per_second,
    )
    scale = Note("scaled by {scale:.3f}", scale=result.scale)
    return [(Note("direction error"), off), (Note("foot slip"), slip), (Note("travel"), scale)]


@method(
    RetargetOptions,
    stage="place",
    rows=_rows,
    files=("motion", "character"),
    fps=None,
    panel=False,
    title="{path}: retargeted to {to}",
    working="retargeting {count} frames to {to}",
    example="komadori retarget walk.bvh --to girl -o walk.glb",
)
def retarget(motion: Motion, options: RetargetOptions) -> RetargetResult:
    """`motion` on the skeleton of another body, given as a character, a skeleton or any motion of it.

    Joints are paired by roles. Arms, legs and fingers point the same way in the world whatever the rest poses are; hips,
    trunk, neck and head turn alike, spines of another number of joints share the bend; hands and feet turn as the
    poses in which both bodies stand straight say. Travel is scaled by the ratio of leg lengths, planted feet stay on the
    ground and in place. Joints without a partner keep their rest pose, arms without one hang. The result carries the evidence: errors of direction by bone,
    slip and height of standing feet, the scale.
    """
    check(options)
    given, motion = motion, motion.with_worlds()
    skeleton, shown = _target(options.character)
    found = feet.contacts(motion)
    if skeleton.same_joints(motion.skeleton) and options.scale in (None, 1.0) and options.ground is None:
        slip = feet.slippage(motion, found)
        same = {role: (0.0, 0.0) for role, _ in LIMBS if role in motion.skeleton.roles}
        note = Fact("Both skeletons are the same, so the motion was not changed.")
        kept = given.with_skeleton(skeleton).noted(note)
        return RetargetResult(given, options, kept, 1.0, same, slip, slip, 0.0, 0.0, found, (note,))
    source = body_of(motion.skeleton, motion, found, what="motion")
    # The motion itself may show how the target stands: it is computed once.
    shown = motion if shown is given else None if shown is None else shown.with_worlds()
    shown_contacts = None if shown is None else feet.contacts(shown)
    target = with_arms_down(body_of(skeleton, shown, shown_contacts), armless(source))
    scale = options.scale or _scale(source, target)
    notes = [*notes_on(source, target), *_unpaired(source, target)]
    turned, places = motion.world_transforms()
    lifts = _lifts(source, target, scale, _heights(source, motion, found), _heights(target, shown, shown_contacts))
    lift = float(np.mean(list(lifts.values()))) if lifts else 0.0
    if options.ground is not None:
        lift += options.ground - scale * _ground(source, motion, found)
        lifts = dict.fromkeys(lifts, lift)
    wanted = wanted_rotations(source, target, turned, places)
    rotations = _local_rotations(target, wanted, len(motion))
    positions = np.broadcast_to(skeleton.offsets, (len(motion), len(skeleton), 3)).copy()
    worlds = _place_hips(source, target, places, rotations, positions, scale, lift)
    moved = Motion(skeleton, motion.fps, quat.continuous(rotations), positions).with_worlds(worlds)
    stands = contacts_on(moved, motion, found)
    planted, heights = on_the_ground(moved, stands, source, target, places, scale, lifts, plant=options.plant_feet)
    result = _stated(motion, options, planted, scale, source, target, stands, found, heights)
    result = replace(result, source_motion=given)
    notes += [*planted.notes, *_figures(result)]
    final = replace(planted, notes=(*motion.notes, *notes))
    if motion.stretch is not None:
        away = [
            one.world_positions()[:, body.roles["hips"]] - one.positions[:, 0]
            for one, body in ((motion, source), (final, target))
        ]
        final = replace(final, stretch=motion.stretch.onto(away[0], away[1], scale))
    if isinstance(options.character, Character):
        # Joints that follow others (MikuMikuDance's append) have no role of their own: they go along last.
        final = options.character.followed(final)
    return replace(result, motion=final, notes=tuple(notes))


def _target(given: object) -> tuple[Skeleton, Motion | None]:
    """The skeleton of a target, and a motion of it that shows how it stands, if there is one."""
    if isinstance(given, Skeleton):
        return given, None
    if isinstance(given, Character):
        own = [m for m in given.motions.values() if m.skeleton.same_joints(given.skeleton) and len(m)]
        return given.skeleton, own[0] if own else None
    if isinstance(given, Motion):
        return given.skeleton, given
    raise OptionError("character", expected=Note("a Character, a Skeleton or a Motion"), found=type(given).__name__)


def _scale(source: Body, target: Body) -> float:
    """Leg length to leg length; height of the trunk where legs are unknown."""
    legs = source.leg_length, target.leg_length
    if legs[0] is not None and legs[1] is not None:
        return legs[1] / legs[0]
    if "head" in source.roles and "head" in target.roles:
        trunks = [float(np.linalg.norm(body.line("hips", "head"))) for body in (source, target)]
        if min(trunks) > 1e-6:
            return trunks[1] / trunks[0]
    return 1.0


def _heights(body: Body, motion: Motion | None, found: Contacts | None) -> dict[str, float]:
    """How high each ankle stands above the floor, as a motion shows it or as the rest pose says; {} where unknown."""
    result = {}
    for side in SIDES:
        if f"{side}_foot" in body.roles:
            height = None if motion is None or found is None else standing_height(body, side, motion, found)
            rested = None if body.floor is None else body.ankle_height(side)
            # Where both are known and agree, the rest pose is the exact one.
            if height is None or (rested is not None and abs(height - rested) < _AGREE * (body.leg_length or 0.0)):
                height = rested
            if height is not None:
                result[side] = height
    return result


def _lifts(
    source: Body, target: Body, scale: float, theirs: Mapping[str, float], ours: Mapping[str, float]
) -> dict[str, float]:
    """For each leg, how much higher the target's ankle stands than the scaled source's."""
    result = {}
    for side in SIDES:
        if f"{side}_foot" not in source.roles or f"{side}_foot" not in target.roles:
            continue
        # Heights above a floor and heights above a toe are two things: compare like with like.
        if side in theirs and side in ours:
            result[side] = ours[side] - scale * theirs[side]
        else:
            bare = [replace(body, floor=None).ankle_height(side) for body in (source, target)]
            result[side] = bare[1] - scale * bare[0]
    return result


def _ground(source: Body, motion: Motion, found: Contacts) -> float:
    """How high the floor is in the source."""
    sides = [side for side in SIDES if f"{side}_foot" in source.roles]
    if any(standing_height(source, side, motion, found) is not None for side in sides):
        return 0.0
    return found.ground


def _local_rotations(target: Body, wanted: Mapping[int, Array], frames: int) -> Array:
    """(F, J, 4) from the world rotations of some joints; all others stay as they are in the body's pose."""
    skeleton = target.skeleton
    rotations = np.broadcast_to(target.local, (frames, len(skeleton), 4)).copy()
    leads = np.zeros(len(skeleton), dtype=bool)
    for joint in wanted:
        while joint >= 0 and not leads[joint]:
            leads[joint] = True
            joint = int(skeleton.parents[joint])
    world: dict[int, Array] = {-1: quat.identity(frames)}
    for joint in np.flatnonzero(leads).tolist():
        above = world[int(skeleton.parents[joint])]
        if joint in wanted:
            rotations[:, joint] = quat.multiply(quat.inverse(above), wanted[joint])
            world[joint] = wanted[joint]
        else:
            world[joint] = quat.multiply(above, rotations[:, joint])
    return rotations


def _place_hips(
    source: Body, target: Body, places: Array, rotations: Array, positions: Array, scale: float, lift: float
) -> tuple[Array, Array]:
    """Move the target's hips, in `positions`, so that its legs begin where the source's do, scaled.

    Gives the world rotations (F, J, 4) and positions (F, J, 3) that it then has.
    """
    both = all(f"{side}_upper_leg" in body.roles for side in SIDES for body in (source, target))
    roles = [f"{side}_upper_leg" for side in SIDES] if both else ["hips"]
    goal = scale * places[:, [source.roles[role] for role in roles]].mean(axis=1)
    goal[:, 1] += lift
    hips = target.roles["hips"]
    now_q, now_p = Motion(target.skeleton, 24.0, rotations, positions).world_transforms()
    now = now_p[:, [target.roles[role] for role in roles]].mean(axis=1)
    above = int(target.skeleton.parents[hips])
    step = goal - now
    positions[:, hips] += quat.rotate(quat.inverse(now_q[:, above]), step) if above >= 0 else step
    now_p[:, target.skeleton.below([hips])] += step[:, None]
    return now_q, now_p


def _stated(
    motion: Motion,
    options: RetargetOptions,
    result: Motion,
    scale: float,
    source: Body,
    target: Body,
    stands: Contacts,
    found: Contacts,
    heights: Array,
) -> RetargetResult:
    before, after = motion.world_positions(), result.world_positions()
    bones = {}
    for role, tip in LIMBS:
        if all(name in body.roles for name in (role, tip) for body in (source, target)):
            was = before[:, source.roles[tip]] - before[:, source.roles[role]]
            now = after[:, target.roles[tip]] - after[:, target.roles[role]]
            bones[role] = _apart(was, now)
    theirs, ours = alike(source.roles, target.roles)
    lines = [
        [line(world, found) for world, found in ((before, theirs), (after, ours))] for line in (trunk_line, neck_line)
    ]
    off = np.abs(heights)
    return RetargetResult(
        motion,
        options,
        result,
        scale,
        bones,
        feet.slippage(result, stands),
        feet.slippage(motion, found),
        float(off.mean()) if len(off) else 0.0,
        float(off.max(initial=0.0)),
        stands,
        trunk_deg=_apart(*lines[0]),
        head_deg=_apart(*lines[1]),
    )


def _apart(one: Array | None, other: Array | None) -> tuple[float, float]:
    """The mean and the largest angle in degrees between lines (F, 3); 0 where one is unknown."""
    if one is None or other is None or not len(one):
        return 0.0, 0.0
    angles = np.degrees(quat.angle(quat.between(one, other)))
    return float(angles.mean()), float(angles.max())


def _unpaired(source: Body, target: Body) -> list[Note]:
    lost = [role for role in source.roles if role not in target.roles and role not in _SHARED]
    still = [role for role in target.roles if role not in source.roles and role not in _SHARED]
    hanging = [
        role for role in still if not target.four and role.endswith(_ARMS) and role.split("_")[0] in armless(source)
    ]
    still = [role for role in still if role not in hanging]
    notes = []
    if source.four != target.four:
        notes.append(
            Note(
                "One of the bodies is a biped and the other a quadruped. To put a person's motion on an animal, use komadori quadruped."
            )
        )
    if lost:
        notes.append(Fact("The character has no joint for {roles}; their rotations are not used.", roles=_listed(lost)))
    if still:
        notes.append(Fact("The motion does not move {roles}; they stay in the rest pose.", roles=_listed(still)))
    if hanging:
        notes.append(Fact("The motion does not move {roles}; the arm hangs down.", roles=_listed(hanging)))
    return notes


def _listed(roles: list[str]) -> str:
    return ", ".join(roles[:6]) + (f" ... ({len(roles)})" if len(roles) > 6 else "")


def _figures(result: RetargetResult) -> list[Note]:
    return [
        Fact(
            "Direction error against the motion: arms and legs {mean:.2f} degrees on average and {worst:.1f} at most, "
            "trunk {trunk:.1f}, head {head:.1f}. Travel is scaled by {scale:.3f}.",
            mean=result.mean_deg,
            worst=result.max_deg,
            trunk=result.trunk_deg[0],
            head=result.head_deg[0],
            scale=result.scale,
        ),
        Fact(
            "Planted feet slip {after:.1f} mm/s (captured: {before:.1f}) and are {height:.1f} mm off the ground on average, {worst:.1f} mm at most.",
            after=1e3 * result.slip.per_second,
            before=1e3 * result.source_slip.per_second,
            height=1e3 * result.height_mean_m,
            worst=1e3 * result.height_worst_m,
        ),
    ]
