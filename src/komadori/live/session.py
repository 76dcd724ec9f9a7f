"""One live session: what senders say goes in whenever it comes, limited animation of a character comes out at its rate."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from komadori.character import Character
from komadori.live.body import Body, four_legged, performer
from komadori.live.cleaning import Steady, Tracker
from komadori.live.heard import NUMBER, Heard
from komadori.live.standing import Standing
from komadori.live.status import Counts, Status
from komadori.methods.hair import SpringStream
from komadori.methods.limited import LimitedStream, StreamOptions
from komadori.methods.limited.streaming import CausalOptions
from komadori.methods.translate import ActingOptions, QuadrupedStream
from komadori.parameters import check, parameter
from komadori.pipeline import Recipe
from komadori.quat import Array

SILENT_S = 1.0
"""Another sender takes over after the first has been silent for this long."""
RESTARTED_S = 1.0
"""A sender whose clock or count goes back by more than this has been started again."""
SAME_BODY = 0.25
"""If hip heights differ by less than this share, they count as equal and travel is not scaled."""
THREES = 3
Stands = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class LiveOptions(CausalOptions):
    """How a session works."""

    clean: bool = parameter(True, "filter jitter and fill in lost packets")
    feet: bool = parameter(True, "lock planted feet, and always draw the frames in which they touch down")
    hair: Literal["drawn", "ones", "none"] = parameter(
        "drawn",
        "drawn: hair is held with the body; ones: hair moves on ones while the body is held; none: hair does not move",
    )
    face: Literal["through", "threes"] = parameter(
        "through", "through: blink and mouth on every frame; threes: on every third"
    )

    def __post_init__(self) -> None:
        check(self)

    @classmethod
    def of_look(cls, look: Recipe, **given: object) -> LiveOptions:
        """The options that come nearest to a look; those that are given by name stay."""
        found: dict[str, object] = {}
        names = [step.use for step in look.steps]
        for step in look.steps:
            values: Mapping[str, object] = dict(step.given)
            if step.use == "limited":
                found |= {key: values[key] for key in ("hold_share", "max_exposures", "omit_up_to") if key in values}
                if values.get("omit") == 0:
                    found["omit_up_to"] = 0
            elif step.use == "hair":
                found["hair"] = "ones" if "limited" in names[: names.index("hair")] else "drawn"
        if "plant" not in names:
            found["feet"] = False
        return cls(**{**found, **given})  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class Shown:
    """One frame of the output: local `rotations` (J, 4) and `positions` (J, 3), the face, and whether the drawing is a new one.

    `number` counts frames of time from the first that was shown: numbers that are missing were skipped.
    """

    number: int
    rotations: Array
    positions: Array
    face: Mapping[str, float]
    new: bool


class Session:
    """A performer on `character`. `hear` what came, `tick` once a frame; nothing in it waits, reads a clock or grows.

    An animal on four legs is acted, as `acting` says, by the built-in body, which moves as the performer does.
    """

    def __init__(
        self, character: Character, options: LiveOptions | None = None, acting: ActingOptions | None = None
    ) -> None:
        self.character, self.options = character, options or LiveOptions()
        chosen = self.options
        self.body = Body(performer(character))
        self._animal = (
            QuadrupedStream(self.body.skeleton, character, chosen.fps, acting) if four_legged(character) else None
        )
        self._tracker = Tracker(self.body.resting, chosen.clean)
        self._stream = LimitedStream(
            character.skeleton,
            StreamOptions(
                look_ahead=chosen.look_ahead,
                fps=chosen.fps,
                tolerance=chosen.tolerance,
                hold_share=chosen.hold_share,
                max_exposures=chosen.max_exposures,
                omit_up_to=chosen.omit_up_to,
            ),
        )
        rest, _ = self.body.posed(np.tile([0.0, 0.0, 0.0, 1.0], (len(NUMBER), 1)), self.body.resting)
        # An animal's hooves stand where they are set, whatever the performer's feet do.
        feet = chosen.feet and self._animal is None
        self._standing = Standing(character.skeleton, rest, chosen.fps) if feet else None
        self._stood: Stands | None = None
        self._springs = SpringStream(character, chosen.fps) if chosen.hair != "none" else None
        if self._springs is not None:
            # Let hair settle before the first frame, so that the first frame is not late.
            resting = rest if self._animal is None else character.skeleton.rest
            self._springs.push(resting, character.skeleton.offsets)
        self._faces: deque[Mapping[str, float]] = deque(maxlen=self.look_ahead + 1)
        self._face: Mapping[str, float] = {}
        self._sender: object = None
        self._scale: float | None = None
        self._newest_sent_s: float | None = None
        self._newest_number: int | None = None
        self._shown = 0
        self.counts = Counts()

    @property
    def look_ahead(self) -> int:
        """Frames by which the output is behind: those of limited animation, and for an animal those in which its next step is planned."""
        return self.options.look_ahead + (self._animal.look_ahead if self._animal is not None else 0)

    def hear(self, heard: Heard, now_s: float, sender: object = None) -> None:
        """Take in a frame that `sender` sent and that came at `now_s`."""
        if sender != self._sender:
            if self._sender is not None and now_s - self._tracker.newest_s < SILENT_S:
                self.counts.others += 1
                return
            if self._sender is not None:
                self.counts.switched += 1
                self._tracker.startled()
            self._sender, self._newest_sent_s, self._newest_number, self._scale = sender, None, None, None
        if not self._in_order(heard, now_s):
            return
        self.counts.came(now_s)
        if heard.hips is not None:
            heard = replace(heard, hips=self._scaled(heard))
        self._tracker.hear(heard, now_s)

    def malformed(self) -> None:
        """Note a packet that could not be read."""
        self.counts.malformed += 1

    def _in_order(self, heard: Heard, now_s: float) -> bool:
        """Whether the frame is newer than all before it; missing, late and duplicate frames are counted."""
        if heard.number is not None and self._newest_number is not None:
            step = heard.number - self._newest_number
            if -self.options.fps * 60 < step <= 0 and now_s - self._tracker.newest_s < SILENT_S:
                self._count_old(step == 0)
                return False
            self.counts.lost += step - 1 if 1 < step < 1000 else 0
        elif heard.sent_s is not None and self._newest_sent_s is not None:
            step_s = heard.sent_s - self._newest_sent_s
            if -RESTARTED_S < step_s <= 0.0:
                self._count_old(step_s == 0.0)
                return False
        self._newest_number = heard.number if heard.number is not None else self._newest_number
        self._newest_sent_s = heard.sent_s if heard.sent_s is not None else self._newest_sent_s
        return True

    def _count_old(self, same: bool) -> None:
        if same:
            self.counts.doubled += 1
        else:
            self.counts.late += 1

    def _scaled(self, heard: Heard) -> Array:
        assert heard.hips is not None
        if self._scale is None:
            theirs = heard.hips_rest_m or float(heard.hips[1])
            ratio = self.body.hips_m / theirs if theirs > 0.1 else 1.0
            exact = heard.hips_rest_m is not None
            self._scale = ratio if exact or abs(ratio - 1.0) > SAME_BODY else 1.0
            self._scale = self._scale if 0.05 < self._scale < 20.0 else 1.0
        return np.asarray(heard.hips * self._scale)

    def tick(self, now_s: float) -> Shown | None:
        """The next frame of the output, to be called once a frame; None until the first frames have been heard."""
        pose = self._tracker.at(now_s)
        if pose is None:
            return None
        return self._made(pose)

    def skip(self, frames: int) -> None:
        """Note frames that could not be shown in time: those that follow keep their own numbers, and so their time."""
        self.counts.skipped += frames
        self._shown += frames if self._shown else 0

    def _made(self, pose: Steady) -> Shown | None:
        rotations, positions = self.body.posed(pose.rotations, pose.hips)
        touched = False
        if self._standing is not None:
            rotations, touched = self._standing.push(rotations, positions)
        self._faces.append(pose.face)
        if self._animal is not None:
            frame = self._animal.push(rotations, positions)
            if frame is None:
                return None
            rotations, positions = frame.rotations, frame.positions
            touched = self.options.feet and self._stood is not None and bool((frame.stands & ~self._stood).any())
            self._stood = frame.stands
        if self._springs is not None and self.options.hair == "drawn":
            rotations = self._springs.push(rotations, positions)
        drawing = self._stream.push(rotations, positions, must=touched)
        if drawing is None:
            return None
        if self.options.face == "through" or self._shown % THREES == 0:
            self._face = self._faces[0]
        rotations = drawing.rotations
        if self._springs is not None and self.options.hair == "ones":
            rotations = self._springs.push(rotations, drawing.positions)
        self._shown += 1
        self.counts.shown += 1
        self.counts.drawn += drawing.new
        return Shown(self._shown - 1, rotations, drawing.positions, self._face, drawing.new)

    def status(self, now_s: float, work_s: float = 0.0) -> Status:
        """What the status line says."""
        return self.counts.status(now_s, self.look_ahead / self.options.fps + work_s, self._tracker.finding_back)
