"""Skeletons and animations of a USD stage (UsdSkel) as motions, in metres with Y up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from komadori import quat, rates
from komadori.errors import FormatError, OptionError, one_line, one_of
from komadori.formats import moving, rigid
from komadori.formats.format import no_clip, refuse
from komadori.formats.units import METRES
from komadori.formats.usd import values
from komadori.formats.usd.opening import quiet, stage_at
from komadori.motion import Motion
from komadori.quat import Array
from komadori.skeleton import Skeleton
from komadori.words import Fact, Note

MOST_JOINT_FRAMES = 20_000_000
"""A stage may state any length: this bounds the memory that it takes."""
MOST_JOINTS = 20_000
FASTEST = 1000.0
FPS_KEY = "komadori:fps"
"""Where a SkelAnimation that komadori wrote says its frame rate, in its custom data."""


@dataclass(frozen=True, eq=False)
class Rig:
    """A Skeleton prim and what was made of it.

    `tokens` are its joints' paths in komadori's order, `order` their numbers in the file. `here` (4, 4) takes the stage's
    coordinates to metres with Y up. `stretch` (J, 3, 3) is each joint's size at rest.
    """

    prim: Any
    tokens: tuple[str, ...]
    order: NDArray[np.intp]
    skeleton: Skeleton
    rest: Array
    """(J, 4, 4) local to the parent, in the stage's units."""
    here: Array
    stretch: Array
    notes: tuple[Note, ...]


def read_motion_here(path: Path, unit: str | None = None, clip: str | None = None) -> Motion:
    """The animation called `clip`, or the first that moves the first animated skeleton; one frame of rest without any."""
    with quiet(path):
        stage = stage_at(path)
        rig, animation = rig_of(stage, path, unit)
        known = animations_of(stage, rig)
        if clip is None and len(known) < 2:
            return motion_of(stage, rig, animation, path)
        if clip is None:
            return moving.chosen(list(known), lambda name: motion_of(stage, rig, known[name], path))
        if clip not in known:
            raise no_clip(path, clip, known)
        return motion_of(stage, rig, known[clip], path)


def rig_of(stage: Any, path: Path, unit: str | None) -> tuple[Rig, Any]:
    """The first skeleton that is animated (or the first at all), and its SkelAnimation prim or None."""
    from pxr import UsdSkel

    skeletons = [prim for prim in prims(stage) if prim.IsA(UsdSkel.Skeleton)]
    if not skeletons:
        raise FormatError(path, problem=Note("no Skeleton prim (UsdSkel) in the file"))
    animated = [(prim, animation_of(prim)) for prim in skeletons]
    prim, animation = next((pair for pair in animated if pair[1] is not None), animated[0])
    here, notes = _here(stage, path, unit)
    if len(skeletons) > 1:
        template = "Read the skeleton {name}, one of {count} in the file."
        notes.append(Note(template, name=prim.GetName(), count=len(skeletons)))
    return _rig(stage, prim, here, notes, path), animation


def animation_of(prim: Any) -> Any:
    """The SkelAnimation prim that a skeleton is bound to, or None."""
    from pxr import UsdSkel

    source = UsdSkel.BindingAPI(prim).GetInheritedAnimationSource()
    return source if source and source.IsA(UsdSkel.Animation) else None


def animations_of(stage: Any, rig: Rig) -> dict[str, Any]:
    """The SkelAnimation prims that move joints of `rig`, by name; the one that it is bound to comes first."""
    from pxr import UsdSkel

    bound, joints = animation_of(rig.prim), set(rig.tokens)
    found = [] if bound is None else [bound]
    for prim in prims(stage):
        if not prim.IsA(UsdSkel.Animation) or prim == bound:
            continue
        if joints.intersection(values.tokens(UsdSkel.Animation(prim).GetJointsAttr())):
            found.append(prim)
    return dict(zip(rigid.different(map(name_of, found)), found, strict=True))


def prims(stage: Any) -> list[Any]:
    """Every prim of the stage, those of instances too."""
    from pxr import Usd

    return list(Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()))


def _here(stage: Any, path: Path, unit: str | None) -> tuple[Array, list[Note]]:
    """The stage's coordinates to metres with Y up, (4, 4)."""
    from pxr import UsdGeom

    notes: list[Note] = []
    stated = UsdGeom.StageHasAuthoredMetersPerUnit(stage)
    metres = float(UsdGeom.GetStageMetersPerUnit(stage))
    if unit is not None:
        if unit not in METRES:
            raise OptionError("unit", expected=one_of(METRES), found=unit)
        if stated:
            refuse(path, unit=unit)
        metres = METRES[unit]
    elif not stated:
        notes.append(Fact("No unit on the stage; used centimetres, the default of USD."))
    if not (math.isfinite(metres) and 1e-9 <= metres <= 1e9):
        raise FormatError(path, "metersPerUnit", expected=Note("a sensible unit of length"), found=f"{metres:g}")
    turn = rigid.Y_UP_FROM_Z_UP if UsdGeom.GetStageUpAxis(stage) == "Z" else np.eye(3)
    return rigid.affine(metres * turn), notes


def _rig(stage: Any, prim: Any, here: Array, notes: list[Note], path: Path) -> Rig:
    from pxr import UsdSkel

    schema = UsdSkel.Skeleton(prim)
    given = values.tokens(schema.GetJointsAttr())
    if not given or len(given) > MOST_JOINTS:
        place = str(prim.GetPath())
        raise FormatError(path, place, expected=Note("1 to {most:,} joints", most=MOST_JOINTS), found=str(len(given)))
    if len(set(given)) != len(given):
        raise FormatError(path, str(prim.GetPath()), problem=Note("a joint is listed twice"))
    order = np.array(sorted(range(len(given)), key=lambda joint: given[joint].count("/")), dtype=np.intp)
    if all(token.rpartition("/")[0] in ("", *given[:place]) for place, token in enumerate(given)):
        order = np.arange(len(given))
    tokens = tuple(given[joint] for joint in order)
    parents = _parents(tokens)
    rest = values.matrices(schema.GetRestTransformsAttr(), len(given))
    if rest is None:
        bind = values.matrices(schema.GetBindTransformsAttr(), len(given))
        if bind is None:
            raise FormatError(
                path, str(prim.GetPath()), expected=Note("a rest or bind transform per joint"), found=Note("neither")
            )
        rest = _local_matrices(bind[order], parents)
        notes.append(Fact("No rest pose in the skeleton; used its bind pose."))
    else:
        rest = rest[order]
    worlds = _composed(_outer(prim, here, None), rest[None], parents)
    if not np.isfinite(worlds).all():
        raise FormatError(path, str(prim.GetPath()), problem=Note("the rest pose has NaN or infinity"))
    turned, stretch = rigid.decomposed(worlds[0, :, :3, :3])
    rotations, positions = rigid.local(parents, turned[None], worlds[:, :, :3, 3])
    skeleton = Skeleton(_names(schema, given, order, tokens), parents, positions[0], rotations[0])
    return Rig(prim, tokens, order, skeleton, rest, here, stretch, tuple(notes))


def _names(schema: Any, given: list[str], order: NDArray[np.intp], tokens: tuple[str, ...]) -> tuple[str, ...]:
    """`jointNames` if the file has one for each, else the ends of their paths."""
    named = values.tokens(schema.GetJointNamesAttr())
    if len(named) == len(given) and len(set(named)) == len(named) and all(named):
        return tuple(named[joint] for joint in order)
    return rigid.different(token.rpartition("/")[2] or "joint" for token in tokens)


def _parents(tokens: tuple[str, ...]) -> NDArray[np.intp]:
    number = {token: joint for joint, token in enumerate(tokens)}
    parents = []
    for token in tokens:
        above = token.rpartition("/")[0]
        while above and above not in number:
            above = above.rpartition("/")[0]
        parents.append(number[above] if above else -1)
    return np.array(parents, dtype=np.intp)


def _local_matrices(worlds: Array, parents: NDArray[np.intp]) -> Array:
    result = worlds.copy()
    for joint, parent in enumerate(parents.tolist()):
        if parent >= 0 and abs(np.linalg.det(worlds[parent])) > 1e-18:
            result[joint] = np.linalg.inv(worlds[parent]) @ worlds[joint]
    return result


def _composed(outer: Array, locals_: Array, parents: NDArray[np.intp]) -> Array:
    """World matrices (F, J, 4, 4) of local ones; `outer` (F, 4, 4) is where the skeleton itself stands."""
    result = np.empty_like(locals_)
    for joint, parent in enumerate(parents.tolist()):
        with np.errstate(over="ignore", invalid="ignore"):
            result[:, joint] = (outer if parent < 0 else result[:, parent]) @ locals_[:, joint]
    return result


def _outer(prim: Any, here: Array, times: Array | None) -> Array:
    """Where the skeleton's own frame stands in komadori's world at `times` (F,), (F, 4, 4); None is USD's default time."""
    from pxr import Usd, UsdGeom

    if times is None:
        moments = [UsdGeom.XformCache(Usd.TimeCode.Default())]
    elif not _moves(prim):
        moments = [UsdGeom.XformCache(Usd.TimeCode(float(times[0])))]
    else:
        moments = [UsdGeom.XformCache(Usd.TimeCode(float(time))) for time in times]
    found = np.stack([np.array(moment.GetLocalToWorldTransform(prim)).T for moment in moments])
    outer = here @ found
    return outer if times is None or len(outer) == len(times) else np.repeat(outer, len(times), axis=0)


def _moves(prim: Any) -> bool:
    """Whether the prim or something above it is moved by time samples."""
    from pxr import UsdGeom

    while prim and not prim.IsPseudoRoot():
        if prim.IsA(UsdGeom.Xformable) and UsdGeom.Xformable(prim).TransformMightBeTimeVarying():
            return True
        prim = prim.GetParent()
    return False


def motion_of(stage: Any, rig: Rig, animation: Any, path: Path) -> Motion:
    """The motion of a SkelAnimation prim on `rig`; None gives one frame of rest (or the skeleton's own movement)."""
    times, fps, notes = _times(stage, rig, animation, path)
    locals_ = np.broadcast_to(rig.rest, (len(times), *rig.rest.shape)).copy()
    if animation is not None:
        notes += _animate(locals_, rig, animation, times, path)
    elif len(times) == 1:
        notes.append(Fact("The file holds no animation; read one frame of its rest pose."))
    worlds = _composed(_outer(rig.prim, rig.here, times), locals_, rig.skeleton.parents)
    if not np.isfinite(worlds).all():
        raise FormatError(path, _place(rig, animation), problem=Note("a pose has NaN or infinity"))
    turned, stretch = rigid.decomposed(worlds[..., :3, :3])
    rotations, positions = rigid.local(rig.skeleton.parents, turned, worlds[..., :3, 3])
    if grown := rigid.growing(stretch):
        template = "{count:joint is|joints are} scaled in {name}. Joint positions follow the file, but the mesh keeps its size."
        notes.append(Fact(template, count=grown, name=name_of(animation) if animation else rig.prim.GetName()))
    return Motion(rig.skeleton, fps, rotations, positions, notes=(*rig.notes, *notes))


def name_of(prim: Any) -> str:
    """What people call a prim: its display name, or its own."""
    return one_line(str(prim.GetDisplayName() or prim.GetName()), 120)


def _place(rig: Rig, animation: Any) -> str:
    return str((animation or rig.prim).GetPath())


def _times(stage: Any, rig: Rig, animation: Any, path: Path) -> tuple[Array, float, list[Note]]:
    """The time codes of the frames, (F,), and how many frames per second."""
    per_second = float(stage.GetTimeCodesPerSecond())
    if not (math.isfinite(per_second) and 0.0 < per_second <= 1e6):
        raise FormatError(path, "timeCodesPerSecond", expected=Note("a rate above 0"), found=f"{per_second:g}")
    samples = _samples(rig, animation)
    bound = animation is None or animation == animation_of(rig.prim)
    if bound and stage.HasAuthoredTimeCodeRange() and (len(samples) or animation is not None):
        first, last = float(stage.GetStartTimeCode()), float(stage.GetEndTimeCode())
    elif len(samples):
        first, last = float(samples[0]), float(samples[-1])
    else:
        return np.zeros(1), _usual(per_second), []
    fps, notes = _rate(animation, samples - first, per_second)
    count = (last - first) * fps / per_second
    if not (math.isfinite(count) and count >= 0.0 and (count + 1.0) * len(rig.tokens) <= MOST_JOINT_FRAMES):
        found = Note(
            "time codes {first:g} to {last:g} of {count} joints", first=first, last=last, count=len(rig.tokens)
        )
        raise FormatError(
            path,
            expected=Note("at most {most:,} joints x frames", most=MOST_JOINT_FRAMES),
            found=found,
        )
    frames = np.arange(math.floor(count + 1e-3) + 1)
    return np.asarray(first + frames * (per_second / fps), dtype=np.float64), fps, notes


def _samples(rig: Rig, animation: Any) -> Array:
    """Every time code at which something of the skeleton is stated, rising."""
    from pxr import UsdGeom, UsdSkel

    found: set[float] = set()
    if animation is not None:
        schema = UsdSkel.Animation(animation)
        for attribute in (schema.GetTranslationsAttr(), schema.GetRotationsAttr(), schema.GetScalesAttr()):
            found.update(attribute.GetTimeSamples())
    prim = rig.prim
    while prim and not prim.IsPseudoRoot():
        if prim.IsA(UsdGeom.Xformable):
            found.update(UsdGeom.Xformable(prim).GetTimeSamples())
        prim = prim.GetParent()
    return np.array(sorted(time for time in found if math.isfinite(time)))


def _usual(per_second: float) -> float:
    return rates.meant(1.0 / per_second) if 1.0 <= per_second <= FASTEST else 24.0


def _rate(animation: Any, samples: Array, per_second: float) -> tuple[float, list[Note]]:
    """Frames per second: what komadori wrote, or a frame a time code, or finer where samples lie evenly between codes."""
    said = animation.GetCustomDataByKey(FPS_KEY) if animation is not None else None
    if isinstance(said, float) and 0.0 < said <= 1e6:
        return said, []
    usual = _usual(per_second)
    steps = np.diff(samples)
    if not len(steps):
        return usual, []
    step = float(steps.min())
    even = np.abs(samples / step - np.rint(samples / step)).max() < 0.05 if step > 0.0 else False
    whole = np.abs(samples - np.rint(samples)).max() < 1e-3
    if even and 1.0 <= per_second / step <= FASTEST and (not whole or per_second > FASTEST):
        return rates.meant(step / per_second), []
    if whole and per_second <= FASTEST:
        return usual, []
    return usual, [
        Fact("Some samples lie between the frames at {fps:g} fps; read the animation at whole frames.", fps=usual)
    ]


def _animate(locals_: Array, rig: Rig, animation: Any, times: Array, path: Path) -> list[Note]:
    """Puts the animation into `locals_` (F, J, 4, 4), which hold the rest pose; joints that it does not name keep it."""
    from pxr import UsdSkel

    schema = UsdSkel.Animation(animation)
    names = values.tokens(schema.GetJointsAttr()) or values.tokens(rig.prim.GetAttribute("joints"))
    number = {token: joint for joint, token in enumerate(rig.tokens)}
    pairs = [(place, number[name]) for place, name in enumerate(names) if name in number]
    notes: list[Note] = []
    if len(pairs) < len(names):
        notes.append(
            Fact(
                "{count:animated joint is|animated joints are} not in the skeleton and were ignored.",
                count=len(names) - len(pairs),
            )
        )
    if not pairs:
        return notes
    source, target = np.array(pairs, dtype=np.intp).T
    turned, stretch = rigid.decomposed(rig.rest[target, :3, :3])
    parts: dict[str, Array] = {}
    for label, attribute, width in (
        ("translations", schema.GetTranslationsAttr(), 3),
        ("rotations", schema.GetRotationsAttr(), 4),
        ("scales", schema.GetScalesAttr(), 3),
    ):
        stated = _over_time(attribute, times, len(names), width, path)
        if stated is not None:
            parts[label] = stated[:, source]
    if absent := [label for label in ("translations", "rotations", "scales") if label not in parts]:
        notes.append(Fact("No {parts} in the animation; used those of the rest pose.", parts=", ".join(absent)))
    size = parts["scales"][..., None] * np.eye(3) if "scales" in parts else stretch[None]
    turn = quat.normalized(parts["rotations"]) if "rotations" in parts else turned[None]
    moved = locals_[:, target]
    moved[..., :3, :3] = quat.to_matrix(turn) @ size
    if "translations" in parts:
        moved[..., :3, 3] = parts["translations"]
    locals_[:, target] = moved
    return notes


def _over_time(attribute: Any, times: Array, joints: int, width: int, path: Path) -> Array | None:
    """An attribute's values at `times`, (F, joints, width), or None if it has none; rotations are x, y, z, w."""
    if not attribute.HasAuthoredValue():
        return None
    moments = times.tolist() if attribute.GetNumTimeSamples() > 1 else [float(times[0])]
    result = np.empty((len(moments), joints, width))
    for frame, time in enumerate(moments):
        value = _value_at(attribute, time)
        if value is None:
            return None
        rows = values.numbers(attribute, value, (-1, width))
        if len(rows) != joints:
            place = one_line(f"{attribute.GetPath()} at {time:g}", 100)
            raise FormatError(
                path, place, expected=Note("{joints} values, one per joint", joints=joints), found=str(len(rows))
            )
        result[frame] = rows
    return result if len(result) == len(times) else np.repeat(result, len(times), axis=0)


def _value_at(attribute: Any, time: float) -> Any:
    """Between two samples that say the same nothing moves, not even by the rounding of an interpolation."""
    around = attribute.GetBracketingTimeSamples(time)
    if len(around) == 2 and around[0] != around[1]:
        before = attribute.Get(around[0])
        if before == attribute.Get(around[1]):
            return before
    return attribute.Get(time)
