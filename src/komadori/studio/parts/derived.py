"""A method in the studio by its declaration alone: its options from the scene in, its rows, motion and sheet out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from komadori import roles
from komadori.camera import Camera
from komadori.errors import OptionError
from komadori.motion import Motion
from komadori.registry import Method
from komadori.result import Result
from komadori.studio.bilingual import both, in_both_languages
from komadori.studio.messages import MethodUpdate, RowInfo
from komadori.studio.offers import Offer
from komadori.studio.packing import packed_motion
from komadori.studio.parts.sheet import Edited, plain
from komadori.studio.scene import Option
from komadori.studio.shot import View
from komadori.studio.stage import Staged
from komadori.words import Note


def run(method: Method, staged: Staged, given: Mapping[str, Option], view: View | None = None) -> Result:
    """What the method makes of the body on the stage and its motion, with the scene's options, and seen in the scene's view."""
    things: dict[str, Any] = {"motion": staged.motion, "character": staged.character, "body": staged.character}
    if view is not None:
        things["camera"] = camera_of(view, staged)
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


def camera_of(view: View, staged: Staged) -> Camera:
    """The camera of a view; one that follows goes with the body over the ground."""
    eye, target = np.array(view.eye), np.array(view.target)
    if view.follows:
        hips = roles.known(staged.motion.skeleton).get("hips", 0)
        way = staged.motion.world_positions()[:, hips] * np.array([1.0, 0.0, 1.0])
        eye, target = eye + way, target + way
    return Camera(eye, target, fov_deg=view.fov_deg)


def update(
    revision: int, method: Method, made: Result, sheet: Edited | None, staged: Staged, clip: Motion, offer: Offer
) -> MethodUpdate:
    """The answer for the page. `clip` is the motion whose frames the sheet shows: the staged one, but for poses redrawn by hand."""
    if not made.motion.skeleton.same_joints(staged.motion.skeleton):
        raise OptionError(
            Note("{method} makes a motion of another body, which the stage cannot show", method=method.name)
        )
    # A sheet of the clip's frames tells the motion, unless each part of the body has its own and nobody edited them.
    edited = sheet is not None and sheet.edited
    drawn = sheet is not None and clip is not staged.motion
    told = not drawn and (edited or (sheet is not None and not getattr(made, "layers", None)))
    name = f"{method.name}-{revision}.motion"

    def motion() -> Motion:
        return clip.retimed(sheet.sheet) if drawn and sheet is not None else made.motion

    return MethodUpdate(
        revision=revision,
        part=method.name,
        rows=[RowInfo(both(label), both(value)) for label, value in method.rows(made)],
        motion="" if told else offer(name, lambda: packed_motion(motion())),
        source=[] if sheet is None else sheet.sheet.source.tolist(),
        edited=edited,
        locked=[] if sheet is None else sheet.laid.locked,
        notes=in_both_languages(made.notes),
    )
