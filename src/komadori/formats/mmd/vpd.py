"""VPD, MikuMikuDance's poses: a text of bones with their offsets and rotations, in cp932."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from komadori import quat
from komadori.errors import FormatError, OptionError, at_line, quoted
from komadori.formats.mmd import bones, standard
from komadori.formats.mmd.binary import cut
from komadori.motion import Motion
from komadori.quat import Array
from komadori.words import Fact, Note

if TYPE_CHECKING:
    from komadori.character import Character
    from komadori.formats.mmd.model import Model

FARTHEST = 1e12
"""No number of a pose is larger than this."""
FIRST_LINE = "Vocaloid Pose Data file"

_BLOCK = re.compile(r"(Bone|Morph)\d+\s*\{([^\n{}]*)\n([^{}]*)\}")
_COMMENT = re.compile(r"//[^\n]*")
Value = tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True)
class VpdDocument:
    """A pose: bone -> (shift x, y, z in units; turn x, y, z, w), morph -> weight, in MikuMikuDance's axes."""

    name: str
    model_name: str
    bones: Mapping[str, Value]
    morphs: Mapping[str, float] = field(default_factory=dict)

    def motion(self, character: Character | Model | None = None) -> Motion:
        """The pose as a motion of one frame on `character` (from PMX or PMD), or on a standard skeleton."""
        from komadori.formats.mmd import playing

        model = standard.model() if character is None else playing.model_of(character)
        turns, shifts = quat.identity(1, len(model.bones)), np.zeros((1, len(model.bones), 3))
        for name, (shift, turn) in self.bones.items():
            bone = model.by_key.get(cut(name))
            if bone is not None:
                shifts[0, bone], turns[0, bone] = shift, quat.normalized(turn)
        posed = bones.solved(model, turns, shifts, np.ones((1, len(model.bones)), dtype=bool))
        made = playing.to_motion(model, playing.skeleton_of(character, model), posed)
        if character is None:
            made = made.noted(
                Fact(
                    "No model was given; put the motion on a standard skeleton {metres:.2f} m tall.",
                    metres=standard.HEIGHT_M,
                )
            )
        return made

    def emit(self) -> bytes:
        """The file."""
        lines = [
            FIRST_LINE,
            "",
            f"{self.model_name};\t\t// 親ファイル名",
            f"{len(self.bones)};\t\t\t\t// 総ポーズボーン数",
            "",
        ]
        for n, (name, (shift, turn)) in enumerate(self.bones.items()):
            lines += [f"Bone{n}{{{name}", f"  {_numbers(shift)};\t\t\t\t// trans x,y,z"]
            lines += [f"  {_numbers(turn)};\t\t// Quaternion x,y,z,w", "}", ""]
        for n, (name, weight) in enumerate(self.morphs.items()):
            lines += [f"Morph{n}{{{name}", f"  {weight:.6f};", "}", ""]
        return "\r\n".join(lines).encode("cp932", "replace")


def _numbers(values: tuple[float, ...]) -> str:
    return ",".join(f"{value:.6f}" for value in values)


def parse(data: bytes, name: str) -> VpdDocument:
    """The pose in the bytes of a VPD file; errors use `name` for it."""
    text = data.decode("cp932", "replace").replace("\r\n", "\n").replace("\r", "\n")
    if not text.startswith(FIRST_LINE):
        found = quoted(text.partition("\n")[0])
        raise FormatError(
            name,
            at_line(1),
            expected=Note("a VPD pose to begin with {first_line}", first_line=quoted(FIRST_LINE)),
            found=found,
        )
    plain = _COMMENT.sub("", text)
    head = plain.partition("\n")[2].partition("{")[0].split(";")
    found_bones: dict[str, Value] = {}
    morphs: dict[str, float] = {}
    for block in _BLOCK.finditer(plain):
        line = f"line {plain.count(chr(10), 0, block.start()) + 1}"
        kind, label = block[1], block[2].strip()
        rows = [_floats(row, name, line) for row in block[3].split(";") if row.strip()]
        if kind == "Morph":
            if len(rows) != 1 or len(rows[0]) != 1:
                raise FormatError(name, line, expected=Note("one weight"), found=quoted(block[3].strip()))
            morphs[label] = rows[0][0]
        else:
            if [len(row) for row in rows] != [3, 4]:
                raise FormatError(name, line, expected=Note("3 numbers, then 4"), found=quoted(block[3].strip()))
            found_bones[label] = (rows[0], rows[1])
    declared = head[1].strip() if len(head) > 1 else ""
    if declared.isdecimal() and len(declared) < 10 and int(declared) > len(found_bones):
        raise FormatError(
            name, expected=Note("the {declared} bones that it declares", declared=declared), found=f"{len(found_bones)}"
        )
    return VpdDocument(name, head[0].strip(), found_bones, morphs)


def _floats(row: str, name: str, line: str) -> tuple[float, ...]:
    try:
        values = tuple(float(part) for part in row.split(","))
    except ValueError:
        raise FormatError(name, line, expected=Note("numbers separated by commas"), found=quoted(row.strip())) from None
    if not (np.abs(values) < FARTHEST).all():
        raise FormatError(name, line, expected=Note("finite numbers"), found=quoted(row.strip()))
    return values


def document_of(motion: Motion, character: Character | Model | None = None, frame: int = 0) -> VpdDocument:
    """The pose of `motion` at `frame`. A pose cannot switch IK off, so the IK bones go to where the legs end."""
    from komadori.formats.mmd import writing

    if not -len(motion) <= frame < len(motion):
        raise OptionError(
            Note("there is no frame {frame}: the motion has {count} frames", frame=frame, count=len(motion))
        )
    frame %= len(motion)
    clip = motion[frame : frame + 1]
    model = writing.model_for(motion, character)
    posed = writing.posed_on(clip, model)
    turns, shifts = bones.own(model, posed)
    bones.put_ik_bones(model, posed, turns, shifts)
    usual = {standard.CENTRE, *standard.ROLE_BONES.values()}
    chosen: dict[str, Value] = {}
    for n, bone in enumerate(model.bones):
        moved = np.abs(shifts[0, n]).max() > 1e-6 or np.abs(turns[0, n, :3]).max() > 1e-6
        if (moved or bone.name in usual) and bone.name not in chosen:
            chosen[bone.name] = (tuple(_plain(shifts[0, n])), tuple(_plain(turns[0, n])))
    return VpdDocument("komadori", "komadori.osm", chosen)


def _plain(values: Array) -> list[float]:
    return [float(value) for value in values]


def left_out(motion: Motion) -> tuple[Note, ...]:
    """What a VPD of `motion` does not hold: all poses but the first, and joints that no standard bone plays."""
    from komadori.formats.mmd import writing

    first = motion[:1]
    lone = (
        (Note("A pose file holds one pose; wrote the first of {count} frames.", count=len(motion)),)
        if len(motion) > 1
        else ()
    )
    return (*lone, *writing.left_out_of_bones(first))


def emit(motion: Motion) -> bytes:
    """The first pose of `motion` as the bytes of a VPD file."""
    return document_of(motion).emit()
