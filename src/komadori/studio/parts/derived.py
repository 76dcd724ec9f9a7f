"""A method in the studio by its declaration alone: its options from the scene in, its rows, motion and sheet out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from komadori.errors import OptionError
from komadori.registry import Method
from komadori.result import Result
from komadori.studio.bilingual import both, in_both_languages
from komadori.studio.messages import MethodUpdate, RowInfo
from komadori.studio.offers import Offer
from komadori.studio.packing import packed_motion
from komadori.studio.parts.sheet import Edited, plain
from komadori.studio.scene import Option
from komadori.studio.stage import Staged
from komadori.words import Note


def run(method: Method, staged: Staged, given: Mapping[str, Option]) -> Result:
    """What the method makes of the body on the stage and its motion, with the scene's options."""
    things: dict[str, Any] = {"motion": staged.motion, "character": staged.character, "body": staged.character}
    if method.subject not in things:
        raise OptionError(
            Note(
                "{method} needs something that the stage does not have: {subject}",
                method=method.name,
                subject=method.subject,
            )
        )
    taken = {item.name: things[item.reads] for item in method.parameters if item.reads in things}
    result: Result = method.call(things[method.subject], **taken, **plain(given, method.options))
    return result


def update(
    revision: int, method: Method, made: Result, sheet: Edited | None, staged: Staged, offer: Offer
) -> MethodUpdate:
    """The answer for the page."""
    if not made.motion.skeleton.same_joints(staged.motion.skeleton):
        raise OptionError(
            Note("{method} makes a motion of another body, which the stage cannot show", method=method.name)
        )
    # A sheet of the clip's frames tells the motion, unless each part of the body has its own and nobody edited them.
    edited = sheet is not None and sheet.edited
    told = edited or (sheet is not None and not getattr(made, "layers", None))
    name = f"{method.name}-{revision}.motion"
    return MethodUpdate(
        revision=revision,
        part=method.name,
        rows=[RowInfo(both(label), both(value)) for label, value in method.rows(made)],
        motion="" if told else offer(name, lambda: packed_motion(made.motion)),
        source=[] if sheet is None else sheet.sheet.source.tolist(),
        edited=edited,
        notes=in_both_languages(made.notes),
    )
