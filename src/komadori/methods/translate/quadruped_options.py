"""The parameters of driving an animal, defined once for every face."""

from __future__ import annotations

from dataclasses import MISSING, dataclass
from typing import Literal

from komadori.character import Character
from komadori.motion import Motion
from komadori.parameters import check, parameter

Gait = Literal["auto", "walk", "trot", "gallop", "run"]


@dataclass(frozen=True, kw_only=True)
class ActingOptions:
    """How a person's acting shows in an animal. The strengths are 1 for as much as in the person, 0 for none of it."""

    gait: Gait = parameter(
        "auto", "gait of the animal; auto follows the person's speed and whether they run", label="gait of the animal"
    )
    loop: bool = parameter(False, "the input is a loop: make the result loop too", label="make a loop")
    stoop: float = parameter(
        1.0, "how much a stoop or a crouch lowers neck and body", low=0.0, high=2.0, label="stoop and crouch"
    )
    head: float = parameter(
        1.0, "how much the head nods, tilts and looks around", low=0.0, high=2.0, label="nods and looks"
    )
    lift: float = parameter(
        1.0, "how much steps are higher or lower than in a plain walk", low=0.0, high=2.0, label="height of steps"
    )
    stride: float = parameter(
        1.0, "how much strides are longer or shorter than in a plain walk", low=0.0, high=2.0, label="length of strides"
    )
    bounce: float = parameter(1.0, "how much the body goes up and down", low=0.0, high=2.0, label="up and down")
    sway: float = parameter(
        1.0, "how much the hips roll, turn and swing sideways", low=0.0, high=2.0, label="swing of the hips"
    )
    lean: float = parameter(
        1.0, "how much the trunk leans, and the body leans into curves", low=0.0, high=2.0, label="lean of the trunk"
    )
    asymmetry: float = parameter(
        1.0, "how much left and right differ", low=0.0, high=2.0, label="left and right differ"
    )
    timing: float = parameter(
        1.0,
        "whose timing the steps have: 1 the person's, 0 the animal's own, 2 exaggerated",
        low=0.0,
        high=2.0,
        label="the person's timing",
    )
    arms: float = parameter(
        1.0,
        "how much raised or swinging arms show in fore legs and tail",
        low=0.0,
        high=2.0,
        label="arms show in the animal",
    )

    def __post_init__(self) -> None:
        check(self)


@dataclass(frozen=True)
class QuadrupedOptions(ActingOptions):
    """The options of `quadruped`."""

    animal: Character | Motion = parameter(
        MISSING, "the animal: a character with a clip named walk, or a clip of an animal", reads="animal"
    )
    people: tuple[Motion, ...] = parameter(
        (),
        "person in a style of which the animal has a clip, one for each --clip; may be repeated",
        reads="motions",
        flag="--person",
    )
    clips: tuple[Motion, ...] = parameter(
        (), "the animal in that style; hind and fore legs then follow the person's legs as in these pairs (the paper's way)",
        reads="motions", flag="--clip",
    )  # fmt: skip
