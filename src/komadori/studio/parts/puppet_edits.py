"""What fingers do to the puppet's keys, pose and takes, as functions from scene to scene."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeVar, get_args

import msgspec
import numpy as np

from komadori.errors import FormatError, OptionError, one_of, quoted
from komadori.formats.puppet import reading
from komadori.methods.puppet import Key, Puppet, Take, mirrored, rest_pose
from komadori.methods.puppet.keys import place as checked_place
from komadori.methods.puppet.transfer import growth
from komadori.motion import Pose
from komadori.skeleton import Skeleton
from komadori.studio.messages import (
    EditControls,
    EditKey,
    EditKeySet,
    EditPose,
    EditSequence,
    EditTake,
    EditTogether,
    LoadPuppet,
    PuppetAsk,
)
from komadori.studio.parts.poses import fits, stored, turned
from komadori.studio.parts.puppet import Grip, PuppetOptions, changed, options, pose_of, present, take_of
from komadori.studio.parts.sheet import merged
from komadori.studio.scene import (
    MOST_KEYS,
    MOST_SETS,
    MOST_TAKES,
    KeySet,
    Option,
    PuppetKey,
    PuppetPart,
    PuppetTake,
    Recording,
    Scene,
)
from komadori.studio.stage import Staged
from komadori.words import Note

T = TypeVar("T", PuppetKey, PuppetTake, KeySet)
SAME_PLACE_M = 2e-3
"""A key that is dropped this near to another takes its place."""
SHORTEST_S = 0.1
"""A recording shorter than this was a slip."""


def edited(scene: Scene, ask: PuppetAsk, staged: Staged, puppet: Puppet | None) -> Scene:
    """The scene after one edit of the puppet; what cannot be is refused."""
    match ask:
        case EditKey():
            return _edited_key(scene, ask, staged.motion.skeleton, puppet)
        case EditPose():
            return _edited_pose(scene, ask, staged, puppet)
        case EditTake():
            return _edited_take(scene, ask)
        case EditSequence():
            for entry in ask.entries:
                _found(scene.puppet.takes, entry.take, "take")
            shown = "sequence" if ask.entries else ""
            return changed(scene, sequence=list(ask.entries), shown=shown)
        case LoadPuppet():
            return _loaded(scene, ask, staged.motion.skeleton)
        case EditKeySet():
            return _edited_set(scene, ask)
        case EditControls():
            return changed(scene, controls=list(ask.controls))
        case EditTogether():
            return together(scene, ask)


def together(scene: Scene, ask: EditTogether) -> Scene:
    """The scene with these characters on the handle beside the first."""
    return changed(scene, together=list(ask.characters))


def finished(scene: Scene, until_s: float = 0.0) -> Scene:
    """The scene with its recording as a take, which is shown; one that is too short to be meant is dropped."""
    part, recording = scene.puppet, scene.puppet.recording
    if recording is None:
        return scene
    rest = changed(scene, recording=None)
    path, times = list(recording.path), list(recording.times)
    until = round(until_s, 4)
    if times and times[-1] < until < times[-1] + 600.0:
        # The hand rested at the end: so shall the body.
        path, times = [*path, *path[-3:]], [*times, until]
    if len(times) < 2 or times[-1] - times[0] < SHORTEST_S:
        return rest
    retimed = next((take for take in part.takes if take.name == recording.retime), None)
    if retimed is not None:
        again = take_of(retimed).retimed(take_of(PuppetTake("again", path, times)))
        return _with_take(rest, retimed.name, again)
    if len(part.takes) >= MOST_TAKES:
        raise OptionError(Note("there are {count} takes already: delete some first", count=MOST_TAKES))
    name = _free("take", (take.name for take in part.takes))
    begin = times[0]
    take = PuppetTake(name, path, [round(time - begin, 4) for time in times], part.set)
    return changed(rest, takes=[*part.takes, take], shown=f"take:{name}")


def moved(scene: Scene, before: Skeleton, after: Skeleton) -> Scene:
    """The scene with its key sets and takes moved to another body; left as they are where roles do not tell how."""
    part = scene.puppet
    if before is after or (before.same_joints(after) and np.array_equal(before.offsets, after.offsets)):
        return scene
    sets = {one.name: _moved_set(one, before, after) for one in (in_hand(part), *part.sets)}
    takes = [
        msgspec.structs.replace(take, path=np.round(sets[take.keys][1] * np.array(take.path), 5).tolist())
        if take.keys in sets and sets[take.keys][1] != 1.0
        else take
        for take in part.takes
    ]
    others = [sets[one.name][0] for one in part.sets]
    return _usable(changed(scene, keys=sets[part.set][0].keys, sets=others, takes=takes, posed=None), before, after)


def _usable(scene: Scene, before: Skeleton, after: Skeleton) -> Scene:
    """The scene with a key set of this body in hand: keys of a body that roles do not match wait among the others until it is back."""
    part = scene.puppet
    back = [one for one in part.sets if one.keys and _all_fit(one, after) and not _all_fit(one, before)]
    if part.keys and not _all_fit(in_hand(part), after):
        ready = next((one for one in part.sets if one.keys and _all_fit(one, after)), None)
        ready = ready or next((one for one in part.sets if not one.keys), None)
        if ready is None and len(part.sets) >= MOST_SETS:
            return scene
        names = [part.set, *(one.name for one in part.sets)]
        scene = _taken_up(scene, ready or KeySet(_free("keys", names), [], {}))
    elif not part.keys and back:
        scene = _taken_up(scene, back[0])
    part = scene.puppet
    led = {take.name: take.keys for take in part.takes}
    sets = {one.name: one for one in (in_hand(part), *part.sets)}
    kind, _, name = part.shown.partition(":")
    played = [name] if kind == "take" else [entry.take for entry in part.sequence] if kind == "sequence" else []
    lost = any(not _all_fit(sets[led[one]], after) for one in played if one in led and led[one] in sets)
    return changed(scene, shown="") if lost or (kind == "walk" and not part.keys) else scene


def _all_fit(one: KeySet, skeleton: Skeleton) -> bool:
    return all(fits(key.pose, skeleton) for key in one.keys)


def in_hand(part: PuppetPart) -> KeySet:
    """The key set in hand."""
    return KeySet(part.set, part.keys, part.options)


def _moved_set(one: KeySet, before: Skeleton, after: Skeleton) -> tuple[KeySet, float]:
    """A key set on another body, and how many times larger its places are there."""
    if not one.keys or not all(fits(key.pose, before) for key in one.keys):
        return one, 1.0
    keys = [Key(np.array(key.place), pose_of(key.pose, before), key.name) for key in one.keys]
    own = options(one)
    try:
        there = Puppet(before, keys, ik=own.grip, ground=own.ground if own.walks else None).moved_to(after)
    except OptionError:
        return one, 1.0
    return msgspec.structs.replace(one, keys=_stored_keys(there.keys)), growth(keys, there.keys)


def _edited_set(scene: Scene, ask: EditKeySet) -> Scene:
    part = scene.puppet
    names = [part.set, *(one.name for one in part.sets)]
    match ask.edit:
        case "new":
            return _taken_up(scene, KeySet(_free("keys", names), [], part.options))
        case "pick":
            return scene if ask.name == part.set else _taken_up(scene, _found(part.sets, ask.name, "keys"))
        case "rename":
            _found([in_hand(part), *part.sets], ask.name, "keys")
            to = _renamed(names, ask.name, ask.to, "keys")
            sets = [msgspec.structs.replace(one, name=to) if one.name == ask.name else one for one in part.sets]
            takes = [msgspec.structs.replace(take, keys=to) if take.keys == ask.name else take for take in part.takes]
            return changed(scene, set=to if part.set == ask.name else part.set, sets=sets, takes=takes)
        case "delete":
            if any(take.keys == ask.name for take in part.takes):
                raise OptionError(Note("takes are performed with the key set {name}: delete them first", name=ask.name))
            if ask.name != part.set:
                gone = _found(part.sets, ask.name, "keys")
                return changed(scene, sets=[one for one in part.sets if one is not gone])
            if not part.sets:
                return changed(scene, keys=[], posed=None)
            first, *rest = part.sets
            return changed(scene, set=first.name, keys=first.keys, options=first.options, sets=rest, posed=None)


def _taken_up(scene: Scene, one: KeySet) -> Scene:
    """The scene with this key set in hand, and the one that was with the others."""
    part = scene.puppet
    if len(part.sets) >= MOST_SETS:
        raise OptionError(Note("there are {count} key sets already: delete some first", count=MOST_SETS))
    others = [other for other in part.sets if other.name != one.name]
    return changed(scene, set=one.name, keys=one.keys, options=one.options, sets=[*others, in_hand(part)], posed=None)


def _edited_key(scene: Scene, ask: EditKey, skeleton: Skeleton, puppet: Puppet | None) -> Scene:
    part = scene.puppet
    names = [key.name for key in part.keys]
    if ask.edit == "drop":
        place = _place(ask.place)
        pose, _ = present(part, skeleton, puppet, place)
        near = [key for key in part.keys if np.linalg.norm(np.subtract(key.place, place)) < SAME_PLACE_M]
        if near:
            posed = msgspec.structs.replace(near[-1], pose=stored(pose))
            return changed(scene, keys=[posed if key is near[-1] else key for key in part.keys], posed=None)
        if len(names) >= MOST_KEYS:
            raise OptionError(Note("there are {count} keys already: delete some first", count=MOST_KEYS))
        key = PuppetKey(_free("key", names), place, stored(pose))
        return changed(scene, keys=[*part.keys, key], posed=None)
    old = _found(part.keys, ask.name, "key")
    if ask.edit == "delete":
        return changed(scene, keys=[key for key in part.keys if key is not old])
    if ask.edit == "move":
        new = msgspec.structs.replace(old, place=_place(ask.place))
    else:
        new = msgspec.structs.replace(old, name=_renamed(names, ask.name, ask.to, "key"))
    return changed(scene, keys=[new if key is old else key for key in part.keys])


def _edited_pose(scene: Scene, ask: EditPose, staged: Staged, puppet: Puppet | None) -> Scene:
    skeleton = staged.motion.skeleton
    match ask.edit:
        case "keep":
            return scene
        case "release":
            return changed(scene, posed=None)
        case "rest":
            return changed(scene, posed=stored(rest_pose(skeleton)))
        case "clip":
            if not 0 <= ask.frame < len(staged.motion):
                raise OptionError(
                    "frame",
                    expected=Note("a frame of the motion, 1 to {last}", last=len(staged.motion)),
                    found=ask.frame + 1,
                )
            return changed(scene, posed=stored(_in_place(staged.motion.pose(ask.frame))))
        case "turn":
            pose, _ = present(scene.puppet, skeleton, puppet, _place(ask.place))
            return changed(scene, posed=stored(turned(skeleton, pose, ask.joint, ask.rotation)))
        case "mirror":
            pose, _ = present(scene.puppet, skeleton, puppet, _place(ask.place))
            return changed(scene, posed=stored(mirrored(skeleton, pose)))


def _edited_take(scene: Scene, ask: EditTake) -> Scene:
    part = scene.puppet
    match ask.edit:
        case "begin":
            if not part.keys:
                raise OptionError(Note("add a key first: without keys there is nothing to perform"))
            if ask.name:
                _found(part.takes, ask.name, "take")
            before = finished(scene)
            return changed(before, recording=Recording(ask.number, ask.name), posed=None)
        case "finish":
            same = part.recording is not None and part.recording.number == ask.number
            return finished(scene, ask.value) if same else scene
        case "discard":
            return changed(scene, recording=None)
        case "show":
            if ask.what == "take":
                _found(part.takes, ask.name, "take")
            shown = {"take": f"take:{ask.name}", "nothing": ""}.get(ask.what, ask.what)
            return changed(scene, shown=shown)
    old = _found(part.takes, ask.name, "take")
    match ask.edit:
        case "delete":
            left = [take for take in part.takes if take is not old]
            entries = [entry for entry in part.sequence if entry.take != old.name]
            shown = "" if part.shown == f"take:{old.name}" else part.shown
            return changed(scene, takes=left, sequence=entries, shown=shown)
        case "lasting":
            return _with_take(scene, old.name, take_of(old).lasting(ask.value))
        case "smooth":
            return _with_take(scene, old.name, take_of(old).smoothed(ask.value))
        case _:
            name = _renamed([take.name for take in part.takes], old.name, ask.to, "take")
            takes = [msgspec.structs.replace(take, name=name) if take is old else take for take in part.takes]
            entries = [
                msgspec.structs.replace(entry, take=name) if entry.take == old.name else entry
                for entry in part.sequence
            ]
            shown = f"take:{name}" if part.shown == f"take:{old.name}" else part.shown
            return changed(scene, takes=takes, sequence=entries, shown=shown)


def _with_take(scene: Scene, name: str, take: Take) -> Scene:
    """The scene with other numbers in the take called `name`, which is shown."""
    times = np.round(take.times - take.times[0], 4)
    # Times that fell together in rounding are one moment; the last place of it counts.
    last = np.append(np.diff(times) > 0.0, True)
    if not last[:-1].any():
        raise OptionError(Note("the take would be too short to be seen"))
    led = next(old.keys for old in scene.puppet.takes if old.name == name)
    new = PuppetTake(name, np.round(take.path[last], 5).ravel().tolist(), times[last].tolist(), led)
    takes = [new if old.name == name else old for old in scene.puppet.takes]
    return changed(scene, takes=takes, shown=f"take:{name}")


def _loaded(scene: Scene, ask: LoadPuppet, skeleton: Skeleton) -> Scene:
    name = ask.name[:200]
    puppet = reading.parse(ask.text.encode("utf-8", "replace"), name)
    if len(puppet.keys) > MOST_KEYS:
        raise FormatError(
            name,
            '"keys"',
            expected=Note("at most {most} keys in the studio", most=MOST_KEYS),
            found=str(len(puppet.keys)),
        )
    if not puppet.skeleton.same_joints(skeleton):
        puppet = puppet.moved_to(skeleton)
    held = "none" if puppet.ik is None else puppet.ik.effector
    own: dict[str, Option] = {
        "kernel": puppet.kernel,
        "polynomial": puppet.polynomial,
        "ik": held if held in get_args(Grip) else "none",
        "walks": puppet.ground is not None,
        "ground": puppet.ground or 0.0,
    }
    part = scene.puppet
    if part.keys or any(take.keys == part.set for take in part.takes):
        # What is there stays: takes are performed with it.
        named = _free(
            re.sub(r"\.\w+$", "", name)[:50].strip() or "keys", [part.set, *(one.name for one in part.sets)], bare=True
        )
        scene = _taken_up(scene, KeySet(named, [], part.options))
    return changed(
        scene, keys=_stored_keys(puppet.keys), options=merged(scene.puppet.options, own, PuppetOptions), posed=None
    )


def _stored_keys(keys: Iterable[Key]) -> list[PuppetKey]:
    made: list[PuppetKey] = []
    for key in keys:
        name = key.name[:60] or _free("key", (other.name for other in made))
        made.append(PuppetKey(name, np.round(key.position, 6).tolist(), stored(key.pose)))
    return made


def _in_place(pose: Pose) -> Pose:
    """The pose over the origin: where in the world the clip had come to says nothing here."""
    positions = np.array(pose.positions)
    positions[0, ::2] = 0.0
    return Pose(pose.rotations, positions)


def _place(given: list[float] | None) -> list[float]:
    if given is None:
        raise OptionError("place", expected=Note("three numbers in metres"), found=Note("none"))
    return [round(float(number), 6) for number in checked_place(given, "place")]


def _free(kind: str, names: Iterable[str], bare: bool = False) -> str:
    """A name that is not taken: "key 3", or the `bare` kind itself."""
    taken = set(names)
    if bare and kind not in taken:
        return kind
    number = 1
    while f"{kind} {number}" in taken:
        number += 1
    return f"{kind} {number}"


def _renamed(names: list[str], before: str, to: str | None, kind: str) -> str:
    name = (to or "").strip()
    if not name:
        raise OptionError("name", problem=Note("give a name"))
    if name != before and name in names:
        raise OptionError("name", problem=Note("the name {name} is taken", name=quoted(name)))
    return name


def _found(items: list[T], name: str, kind: str) -> T:
    for item in items:
        if item.name == name:
            return item
    raise OptionError(
        kind,
        expected=one_of(item.name for item in items) if items else Note("none, since there are none yet"),
        found=name,
    )


def recovered(scene: Scene) -> Scene:
    """The scene as it is opened again: a recording that was cut off is a take."""
    try:
        return finished(scene)
    except OptionError:
        return changed(scene, recording=None)


def recorded(part: PuppetPart, path: list[float], times: list[float]) -> Recording | None:
    """The recording of `part` with more places."""
    old = part.recording
    if old is None:
        return None
    return msgspec.structs.replace(old, path=[*old.path, *path], times=[*old.times, *times])
