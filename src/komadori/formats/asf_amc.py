"""Acclaim skeletons (.asf) and motions (.amc), the format of the CMU library: reading only.

A bone's joint lies where its parent's bone ends. Rotations are about fixed axes, in the order in which a bone lists
its channels: "rx ry rz" is R = Rz Ry Rx, and in the parent's frame it is C R C^-1, C being the bone's `axis`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from komadori import quat
from komadori.errors import FormatError
from komadori.files import read_bytes
from komadori.formats.acclaim import AmcDocument, AsfBone, AsfDocument, parse_amc, parse_asf
from komadori.formats.format import Format, refuse
from komadori.motion import Motion, Origin
from komadori.quat import Array
from komadori.skeleton import END_SUFFIX, Skeleton
from komadori.words import Fact, Note

__all__ = ["AmcDocument", "AsfBone", "AsfDocument", "parse_amc", "parse_asf", "read", "read_pair", "to_motion"]

FPS = 120.0
"""The frame rate of a motion that states none: the whole CMU library's."""
MOST_JOINT_FRAMES = 20_000_000
"""A motion file names only the bones that move, so a small one could ask for any amount of memory."""


def read(path: Path) -> Motion:
    """The motion of an .amc file, with the skeleton that lies beside it; or one frame of rest of an .asf file."""
    path = Path(path)
    if path.suffix.casefold() == ".asf":
        return _resting(parse_asf(read_bytes(path), str(path)))
    data = read_bytes(path)
    return _paired(_skeleton_beside(path), path, data)


def read_pair(asf_path: Path, amc_path: Path) -> Motion:
    """The motion in `amc_path` on the skeleton in `asf_path`, wherever they lie."""
    return _paired(Path(asf_path), Path(amc_path), read_bytes(amc_path))


def _paired(asf_path: Path, amc_path: Path, data: bytes) -> Motion:
    skeleton = parse_asf(read_bytes(asf_path), str(asf_path))
    motion = to_motion(parse_amc(data, str(amc_path), skeleton))
    subject, clip = asf_path.stem.casefold(), amc_path.stem.casefold()
    if clip == subject or clip.startswith(subject + "_"):
        return motion
    return motion.noted(
        Note(
            "The skeleton {skeleton} does not match the motion {motion} by name, so bone lengths may be another performer's. Put the right .asf next to the motion.",
            skeleton=asf_path.name,
            motion=amc_path.name,
        )
    )


def _skeleton_beside(path: Path) -> Path:
    try:
        beside = (file for file in path.absolute().parent.iterdir() if file.suffix.casefold() == ".asf")
        # A pipe of that name would block forever.
        files = sorted(file for file in beside if file.is_file())
    except OSError:
        files = []
    wanted = [path.stem, path.stem.rpartition("_")[0]]
    for stem in filter(None, wanted):
        for file in files:
            if file.stem.casefold() == stem.casefold():
                return path.parent / file.name
    if len(files) == 1:
        return path.parent / files[0].name
    names = " or ".join(f"{stem}.asf" for stem in filter(None, wanted))
    found = Note("{count} .asf files of other names", count=len(files)) if files else Note("no .asf file")
    raise FormatError(
        path,
        expected=Note("its skeleton {names} in the same folder", names=names),
        found=found,
        advice=Note("rename the skeleton to match"),
    )


@dataclass(frozen=True, eq=False)
class _Body:
    """A document's skeleton in metres, and where its bones are among the joints."""

    skeleton: Skeleton
    joint: tuple[int, ...]
    """Of each bone."""
    carried: tuple[tuple[int, ...], ...]
    """The joints at the end of each bone: its children's and its end site's."""
    axes: Array
    """(B, 4) how each bone's axes are turned at rest."""


def _body(document: AsfDocument) -> _Body:
    names: list[str] = []
    parents: list[int] = []
    joint: list[int] = []
    carried: list[list[int]] = [[] for _ in document.bones]
    taken, inner = {bone.name for bone in document.bones}, set(document.parents)
    for number, (bone, parent) in enumerate(zip(document.bones, document.parents, strict=True)):
        joint.append(len(names))
        parents.append(joint[parent] if parent >= 0 else -1)
        if parent >= 0:
            carried[parent].append(len(names))
        names.append(bone.name)
        if number > 0 and number not in inner:
            end = bone.name + END_SUFFIX
            while end in taken:
                end += END_SUFFIX
            taken.add(end)
            carried[number].append(len(names))
            names.append(end)
            parents.append(joint[number])
    offsets, rest = np.zeros((len(names), 3)), quat.identity(len(names))
    axes = np.stack([_axes(bone, document.degrees) for bone in document.bones])
    for bone, ends in zip(document.bones, carried, strict=True):
        offsets[ends] = np.multiply(bone.direction, bone.length * document.metres)
    offsets[0] = np.multiply(document.bones[0].position, document.metres)
    rest[0] = axes[0]
    skeleton = Skeleton(tuple(names), np.array(parents), offsets, rest)
    return _Body(skeleton, tuple(joint), tuple(map(tuple, carried)), axes)


def _axes(bone: AsfBone, degrees: bool) -> Array:
    values = np.array([bone.axis["XYZ".index(letter)] for letter in bone.axis_order])
    return _about_fixed_axes(np.radians(values) if degrees else values, bone.axis_order)


def _about_fixed_axes(radians: Array, order: str) -> Array:
    """Turns about axes that stay put, the first letter's first: the mirror of moving axes."""
    return quat.from_euler(radians[..., ::-1], order[::-1])


def _resting(document: AsfDocument) -> Motion:
    skeleton = _body(document).skeleton
    note = Fact("The file holds a skeleton without a motion; read one frame of its rest pose.")
    return Motion(skeleton, FPS, skeleton.rest[None], skeleton.offsets[None], notes=(_unit_note(document), note))


def _unit_note(document: AsfDocument) -> Note:
    return Fact(
        "One unit of the skeleton is {cm:.4g} cm: its unit of length is {length:g}, read in inches.",
        cm=100.0 * document.metres,
        length=document.length,
    )


def to_motion(document: AmcDocument) -> Motion:
    """The motion in metres, with a joint for each bone where its parent ends, and end sites at the tips."""
    body, frames = _body(document.skeleton), len(document.numbers)
    joints = len(body.skeleton)
    if frames * joints > MOST_JOINT_FRAMES:
        raise FormatError(
            document.name,
            expected=Note("at most {most:,} joints x frames", most=MOST_JOINT_FRAMES),
            found=f"{joints} x {frames}",
        )
    rotations = np.broadcast_to(body.skeleton.rest, (frames, joints, 4)).copy()
    positions = np.broadcast_to(body.skeleton.offsets, (frames, joints, 3)).copy()
    metres = document.skeleton.metres
    for number, bone in enumerate(document.skeleton.bones):
        if not bone.channels:
            continue
        values, joint, axes = document.values[bone.name], body.joint[number], body.axes[number]
        turns = [i for i, channel in enumerate(bone.channels) if channel[0] == "R"]
        if turns:
            angles = np.radians(values[:, turns]) if document.degrees else values[:, turns]
            turn = _about_fixed_axes(angles, "".join(bone.channels[i][1] for i in turns))
            # The root turns from its pre-set orientation; a bone turns about its own axes and rests unturned.
            turn = (
                quat.multiply(turn, axes)
                if number == 0
                else quat.multiply(quat.multiply(axes, turn), quat.inverse(axes))
            )
            rotations[:, joint] = turn
        for i, channel in enumerate(bone.channels):
            if channel[0] == "T":
                along = np.eye(3)["XYZ".index(channel[1])]
                along = along if number == 0 else quat.rotate(axes, along)
                positions[:, joint] += along * (values[:, i, None] * metres)
            elif channel == "L":
                stretch = np.multiply(bone.direction, values[:, i, None] * metres)
                positions[:, body.carried[number]] += stretch[:, None]
    return Motion(
        body.skeleton,
        document.fps or FPS,
        quat.continuous(rotations),
        positions,
        Origin(document, np.arange(frames)[:, None]),
        tuple(_notes(document)),
    )


def _notes(document: AmcDocument) -> Iterator[Note]:
    yield _unit_note(document.skeleton)
    if document.fps is None:
        yield Note("No frame rate in the file; assumed {fps:g} fps.", fps=FPS)
    missing = document.numbers[-1] - document.numbers[0] + 1 - len(document.numbers)
    if missing:
        yield Fact(
            "{count:frame number is|frame numbers are} missing in the file. Its frames were read one after another.",
            count=missing,
        )


def _read_file(path: Path, unit: str | None, clip: str | None) -> Motion:
    refuse(path, unit=unit, clip=clip)
    return read(path)


FORMAT = Format("Acclaim ASF/AMC", (".amc", ".asf"), read=_read_file)
