"""What a step back changed, in words: the page says it, and shows the part in which it happened."""

from __future__ import annotations

from collections.abc import Mapping

from komadori.parameters import Parameter
from komadori.studio.bilingual import both
from komadori.studio.messages import UndoneUpdate
from komadori.studio.panels import panel
from komadori.studio.scene import HairPart, PuppetPart, Scene, TranslatePart
from komadori.studio.shot import Shot
from komadori.words import Note

OWN = ("hair", "puppet", "translate")


def undone(before: Scene, after: Scene, again: bool = False) -> UndoneUpdate:
    """What is different after a step back (or forward `again`)."""
    part, what = difference(before, after)
    if part:
        what = Note("{part}: {what}", part=Note(panel(part).method.label), what=what)
    note = Note("Redone: {what}", what=what) if again else Note("Undone: {what}", what=what)
    return UndoneUpdate(part, both(note))


def difference(before: Scene, after: Scene) -> tuple[str, Note]:
    """The part in which two scenes differ (empty: what is open), and what it is."""
    if before.motion != after.motion or before.character != after.character:
        name = "motion" if before.motion != after.motion else "character"
        return "", Note("the open {kind}", kind=Note(name))
    if before.fps != after.fps:
        return "", Note("the frame rate")
    for name in dict.fromkeys((*before.parts, *after.parts, *OWN)):
        one, two = before.part(name), after.part(name)
        if one == two:
            continue
        if isinstance(one, PuppetPart) and isinstance(two, PuppetPart) and (one.set != two.set or one.sets != two.sets):
            return name, Note("the key sets")
        if one.options != two.options:
            return name, _options(name, one.options, two.options)
        if isinstance(one, PuppetPart) and isinstance(two, PuppetPart):
            return name, _puppet(one, two)
        if isinstance(one, HairPart) and isinstance(two, HairPart):
            return name, _hair(one, two)
        if isinstance(one, TranslatePart):
            return name, Note("the animal or what it learns from")
        return name, Note("a key pose") if before.poses(name) != after.poses(name) else Note("the exposure sheet")
    if before.shot != after.shot:
        return "", _shot(before.shot, after.shot)
    return "", Note("nothing visible")


def _shot(one: Shot, two: Shot) -> Note:
    if (one.first, one.last) != (two.first, two.last):
        return Note("the in and out points")
    if one.sound != two.sound:
        return Note("the sound")
    if one.reference != two.reference:
        return Note("the reference")
    if one.view != two.view:
        return Note("the view that counts")
    return Note("which rows are shown")


def _options(name: str, one: Mapping[str, object], two: Mapping[str, object]) -> Note:
    changed = [item for item in panel(name).parameters if one.get(item.name) != two.get(item.name)]
    if len(changed) != 1:
        return Note("{count:setting|settings}", count=len(changed))
    (item,) = changed
    if item.name == "pins":
        return Note("a pinned frame")
    values = [given.get(item.name, item.default) for given in (one, two)]
    shown = [_value(item, value) for value in values]
    return Note("{name} from {before} to {after}", name=Note(item.words), before=shown[0], after=shown[1])


def _value(item: Parameter, value: object) -> str:
    if isinstance(value, bool):
        return Note("switched on") if value else Note("switched off")
    if isinstance(value, int | float):
        return f"{value:g}"
    # Anything else is one of the option's choices.
    return Note("auto") if value is None else Note(item.choice_words(str(value)))


def _puppet(one: PuppetPart, two: PuppetPart) -> Note:
    if len(one.keys) != len(two.keys) or one.keys != two.keys:
        return Note("a key")
    if one.takes != two.takes or one.recording != two.recording:
        return Note("a take")
    if one.sequence != two.sequence:
        return Note("the sequence")
    if one.controls != two.controls:
        return Note("a control")
    return Note("the pose in hand")


def _hair(one: HairPart, two: HairPart) -> Note:
    if one.wind != two.wind:
        return Note("the wind")
    if one.strands != two.strands or one.fit != two.fit:
        return Note("what was traced")
    return Note("the chains that move")
