"""Translation in the studio: the person on the left drives an animal, or the legs drive the arms."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from komadori import feet
from komadori.character import Character
from komadori.errors import OptionError
from komadori.methods.translate import QuadrupedResult, TranslateOptions, Translator, gaits, quadruped
from komadori.methods.translate.quadruped_options import ActingOptions
from komadori.motion import Motion
from komadori.render.stand_in import stand_in
from komadori.studio import working
from komadori.studio.bilingual import in_both_languages
from komadori.studio.messages import Cast, FeetInfo, PartnerInfo, ProgressUpdate, TranslateUpdate, TrialInfo
from komadori.studio.parts.sheet import plain
from komadori.studio.parts.translate_options import DriveOptions
from komadori.studio.scene import Opened, Scene
from komadori.studio.shelf import Shelf
from komadori.studio.stage import Stage, Staged
from komadori.studio.working import Progress
from komadori.words import Note

KEPT = 8
"""Results that are kept."""
MOST_CLIPS = 64
"""Clips that arms can learn from at one time."""
PERSON = ("L", "R")


@dataclass(frozen=True, eq=False)
class Driven:
    """What is driven, and by what: all on the result's frames.

    `staged` is the driven body with its motion; `source` (F,) the frame of the clip on the stage beside each frame;
    `person` the clip at the pace at which it was taken.
    """

    staged: Staged
    person: Motion
    source: NDArray[np.intp]
    options: DriveOptions
    translator: Translator | None
    performance: QuadrupedResult | None = None
    """How the animal stands and goes, if it is one."""

    @cached_property
    def inner(self) -> tuple[int, ...]:
        """The joints of an animal that follow a live person: all that turn but the root, which goes its way."""
        skeleton = self.staged.motion.skeleton
        pairs = zip(skeleton.children, skeleton.parents.tolist(), strict=True)
        return tuple(joint for joint, (kids, parent) in enumerate(pairs) if kids and parent >= 0)


class Driver:
    """Makes what the translate part shows; what was asked for lately is kept."""

    def __init__(self, shelf: Shelf, stage: Stage) -> None:
        self._shelf, self._stage = shelf, stage
        self._kept: OrderedDict[tuple[Opened, bytes], Driven] = OrderedDict()

    def made(self, scene: Scene, progress: Progress = lambda done, total: None) -> Driven:
        """The driven body of the scene."""
        driven = self.kept(scene)
        if driven is None:
            options = DriveOptions(**plain(scene.translate.options, DriveOptions))
            make = self._animal if options.to == "animal" else self._arms
            self._kept[_cache_key(scene)] = driven = make(scene, options, progress)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return driven

    def body(self, scene: Scene) -> Character | None:
        """The body that is driven; None if that is a skeleton without its own figure."""
        if scene.translate.options.get("to") == "arms":
            return self._stage.ready(*scene.opened).character
        animal = self._animal_of(scene.translate.animal)
        return animal if isinstance(animal, Character) else None

    def kept(self, scene: Scene) -> Driven | None:
        """The driven body of the scene if it was made already."""
        return self._kept.get(_cache_key(scene))

    def answers(
        self, revision: int, scene: Scene, offer: Callable[[str, Driven], tuple[str, str]]
    ) -> Iterator[ProgressUpdate | TranslateUpdate]:
        """How far the learning is, then the answer; `offer` gives the addresses of the driven figure and motion."""
        for step in working.steps(lambda progress: self.made(scene, progress)):
            match step:
                case working.Step(done, total):
                    yield ProgressUpdate("translate", done, total)
                case working.Finished(driven):
                    yield update(revision, driven, *offer(f"translate-{revision}", driven))

    def check(self, ask: Cast) -> None:
        """Reads what `ask` names: anything that is wrong with it is raised here."""
        if ask.animal is not None:
            self._animal_of(ask.animal)
        for key in ask.train or ():
            self._shelf.motion(key)

    def _animal(self, scene: Scene, options: DriveOptions, progress: Progress) -> Driven:
        person, source = self._person(scene, options)
        animal = self._animal_of(scene.translate.animal)
        made = quadruped(person, animal=animal, **_acting(options))
        body = animal if isinstance(animal, Character) else stand_in(made.motion.skeleton)
        return Driven(Staged(body.name, body, made.motion), person, source, options, None, made)

    def _arms(self, scene: Scene, options: DriveOptions, progress: Progress) -> Driven:
        person, source = self._person(scene, options)
        taught = [
            self._stage.ready(key, scene.character, scene.fps).motion for key in scene.translate.train or [scene.motion]
        ]
        own = {item.name: getattr(options, item.name) for item in fields(TranslateOptions)}
        translator = Translator.fit([(clip, clip) for clip in taught], "legs", "arms", progress=progress, **own)
        staged = self._stage.ready(*scene.opened)
        return Driven(
            replace(staged, motion=translator.run(person, loop=options.loop)), person, source, options, translator
        )

    def _person(self, scene: Scene, options: DriveOptions) -> tuple[Motion, NDArray[np.intp]]:
        clip = self._stage.ready(*scene.opened).motion
        if not scene.motion:
            raise OptionError(Note("nothing moves: open a motion of a person first"))
        return taken_at(clip, options.speed)

    def _animal_of(self, key: str) -> Character | Motion:
        if "#" in key or not self._shelf.holds_character(key):
            clip = self._shelf.motion(key)
            return clip.prepared(clip.fps)
        return self._shelf.character(key)


def _acting(options: DriveOptions) -> dict[str, Any]:
    """What of a scene's options says how an animal is acted."""
    return {item.name: getattr(options, item.name) for item in fields(ActingOptions)}


def acting_of(scene: Scene) -> ActingOptions:
    """How a live performer acts an animal in the scene: as a clip does, but on and on."""
    options = DriveOptions(**plain(scene.translate.options, DriveOptions))
    return replace(ActingOptions(**_acting(options)), loop=False)


def _cache_key(scene: Scene) -> tuple[Opened, bytes]:
    return scene.opened, msgspec.json.encode(scene.translate, order="sorted")


def taken_at(clip: Motion, speed: float) -> tuple[Motion, NDArray[np.intp]]:
    """`clip` so many times as fast at its own frame rate, and its frame beside each of the result's."""
    if speed == 1.0:
        return clip, np.arange(len(clip))
    quick = Motion(clip.skeleton, clip.fps * speed, clip.rotations, clip.positions, notes=clip.notes)
    made = replace(quick.resampled(clip.fps), origin=None)
    beside = np.floor(np.arange(len(made)) * speed + 1e-9)
    return made, np.minimum(beside, len(clip) - 1).astype(np.intp)


def update(revision: int, driven: Driven, figure: str, motion: str) -> TranslateUpdate:
    """The answer for the page."""
    made = driven.staged.motion
    animal = driven.performance
    falls = animal.footfalls if animal is not None else None
    translator = driven.translator
    report = translator.report if translator is not None else None
    outside = translator.outside(driven.person).nonzero()[0].tolist() if translator is not None else []
    return TranslateUpdate(
        revision=revision,
        to=driven.options.to,
        partner=_partner_info(driven.staged, figure, motion),
        source=driven.source.tolist(),
        person=_feet_info(feet.contacts(driven.person), PERSON),
        animal=_feet_info(animal.contacts, gaits.FEET) if animal is not None else FeetInfo([], []),
        gait=falls.name if falls else "",
        order=list(falls.order) if falls else [],
        cycle_s=falls.cycle_s if falls else 0.0,
        skate_m_s=animal.slip.per_second if animal is not None else 0.0,
        trials=[_trial_info(trial.candidate.told, trial.error_deg) for trial in report.trials] if report else [],
        chosen=report.chosen.told if report else "",
        outside=outside,
        notes=in_both_languages((*(translator.notes if translator else ()), *made.notes)),
    )


def _trial_info(model: str, error_deg: float) -> TrialInfo:
    return TrialInfo(model, error_deg if np.isfinite(error_deg) else -1.0)


def _partner_info(staged: Staged, figure: str, motion: str) -> PartnerInfo:
    size = max(staged.extent) or 1.0
    return PartnerInfo(figure, motion, staged.name, len(staged.motion), staged.height, size)


def _feet_info(contacts: feet.Contacts, names: tuple[str, ...]) -> FeetInfo:
    standing = contacts.standing
    return FeetInfo(list(names[: standing.shape[1]]), [stances(standing[:, foot]) for foot in range(standing.shape[1])])


def stances(on: NDArray[np.bool_]) -> list[int]:
    """The frames at which (F,) `on` begins and ends, one after another.

    >>> stances(np.array([True, True, False, True]))
    [0, 2, 3, 4]
    """
    padded = np.concatenate([[False], on, [False]])
    return [int(frame) for frame in np.flatnonzero(padded[1:] != padded[:-1])]


def cast(scene: Scene, ask: Cast) -> Scene:
    """The scene with another animal, or other clips to learn from."""
    if len(ask.train or ()) > MOST_CLIPS:
        raise OptionError("train", expected=Note("at most {most} clips", most=MOST_CLIPS), found=len(ask.train or ()))
    asked = {"animal": ask.animal, "train": ask.train}
    return changed(scene, **{name: value for name, value in asked.items() if value is not None})


def changed(scene: Scene, **parts: Any) -> Scene:
    """The scene with some of this part's fields replaced; it has no timesheet."""
    parts.pop("sheet", None)
    return msgspec.structs.replace(scene, translate=msgspec.structs.replace(scene.translate, **parts))
