"""The desk: the one scene that is being worked on, its history, and what the methods make of it."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TypeAlias, get_args

import msgspec

from komadori.errors import OptionError
from komadori.methods.keyposes import KeyposesResult
from komadori.methods.limited import LimitedResult
from komadori.methods.puppet import Puppet
from komadori.skeleton import Skeleton
from komadori.studio.history import History
from komadori.studio.messages import (
    Ask,
    BodyTold,
    Cast,
    ChainTold,
    Change,
    EditKey,
    EditPose,
    EditSequence,
    EditSheet,
    EditTake,
    HairAsk,
    HairChecked,
    LoadPuppet,
    Open,
    OptimumTold,
    Part,
    PuppetAsk,
    Redo,
    Remove,
    SceneTold,
    SheetPart,
    Tell,
    Undo,
)
from komadori.studio.packing import packed_motion
from komadori.studio.parts import keyposes, limited, puppet, puppet_edits, translate
from komadori.studio.parts.hair import Hair, of_another
from komadori.studio.parts.options import OPTIONS
from komadori.studio.parts.sheet import Edited, edit, merged
from komadori.studio.scene import Scene
from komadori.studio.shelf import Shelf
from komadori.studio.stage import Stage, Staged, notes_of
from komadori.studio.told import all_said

OFFERS = 64
"""Arrays and figures that can be fetched at one time."""
HAIR_ASKS = get_args(HairAsk)
KEPT = 16
"""Results of each method that are kept."""
Answer: TypeAlias = Tell | bytes
"""What the page is told of a part: messages, and arrays (`packing.packed`)."""


class Desk:
    """Holds the scene; `prepare` does what takes time (call it off the event loop), `do` changes the scene at once."""

    def __init__(self, shelf: Shelf, scene: Scene | None = None) -> None:
        self.shelf = shelf
        self.stage = Stage(shelf)
        self.history = History(puppet_edits.recovered(scene or Scene()))
        self.revision = 0
        self._offers: OrderedDict[str, Callable[[], bytes]] = OrderedDict()
        self._puppets = puppet.Maker()
        self._limited = lru_cache(KEPT)(self._make_limited)
        self._keyposes = lru_cache(KEPT)(self._make_keyposes)
        self.hair = Hair(self.stage)
        self.driver = translate.Driver(shelf, self.stage)

    @property
    def scene(self) -> Scene:
        """The scene as it is now."""
        return self.history.present

    # ---- changing the scene --------------------------------------------------------------------------------------------

    def prepare(self, ask: Ask) -> None:
        """What `ask` will need, read and computed: anything that is wrong with it is raised here."""
        match ask:
            case Open():
                after = self._opened(ask)
                self.stage.ready(after.motion, after.character)
            case EditSheet():
                self._sheet(self.scene, ask.part)
            case _ if isinstance(ask, HAIR_ASKS):
                self.hair.asked(self.scene, ask)
            case Cast():
                self.driver.check(ask)
            case Remove():
                self._remove(ask)
            case _ if isinstance(ask, get_args(PuppetAsk)):
                self.puppet(self.scene)

    def do(self, ask: Ask) -> None:
        """Changes the scene as asked."""
        match ask:
            case Undo():
                self._now(self.history.undone())
            case Redo():
                self._now(self.history.redone())
            case Open():
                self._now(self.history.changed(self._opened(ask)))
            case Change():
                self._now(self.history.changed(_changed(self.scene, ask), ask.gesture))
            case EditSheet():
                self._now(self.history.changed(self._edited(ask), ask.gesture))
            case _ if isinstance(ask, HAIR_ASKS):
                self._now(self.history.changed(self.hair.asked(self.scene, ask), getattr(ask, "gesture", "")))
            case Cast():
                self._now(self.history.changed(translate.cast(self.scene, ask)))
            case EditKey() | EditPose() | EditTake() | EditSequence() | LoadPuppet():
                scene = puppet_edits.edited(self.scene, ask, self._staged(self.scene), self.puppet(self.scene)[1])
                if isinstance(ask, EditTake) and ask.edit == "show":
                    self._now(self.history.seen(scene))
                else:
                    self.put(scene, ask.gesture)

    def put(self, scene: Scene, gesture: str = "") -> None:
        """Makes `scene` the one that is worked on; what belongs to one gesture is undone together."""
        self._now(self.history.changed(scene, gesture))

    def _now(self, history: History) -> None:
        if history.present != self.history.present:
            self.revision += 1
        self.history = history

    def _remove(self, ask: Remove) -> None:
        """Takes a file from the shelf, unless the scene needs it."""
        scene = self.scene
        used = [scene.motion, scene.character, scene.translate.animal, *scene.translate.train]
        place = ask.key.partition("/")[0] if ask.key.startswith("drop:") else ask.key
        if any(key.partition("#")[0] == ask.key or key.startswith(f"{place}/") for key in used):
            raise OptionError("this file, or one that came with it, is in use: open another first")
        self.shelf.removed(ask.key)

    def _opened(self, ask: Open) -> Scene:
        """The scene with another motion or character; sheets that were edited by hand belonged to the old clip."""
        motion = self.scene.motion if ask.motion is None else ask.motion
        character = self.scene.character if ask.character is None else ask.character
        if not motion and not character:
            raise OptionError("open a motion, a character, or both")
        scene = of_another(msgspec.structs.replace(self.scene, motion=motion, character=character))
        if scene.puppet.keys:
            scene = puppet_edits.moved(scene, self._skeleton(self.scene), self._skeleton(scene))
        if ask.motion is None:
            return scene
        for name, changed in _WITH_SHEET.items():
            options = {key: value for key, value in getattr(scene, name).options.items() if key not in _OF_ONE_CLIP}
            scene = changed(scene, sheet=None, options=options)
        return scene

    def _edited(self, ask: EditSheet) -> Scene:
        changed = _WITH_SHEET[ask.part]
        sheet = self._sheet(self.scene, ask.part).sheet
        frames = len(self._staged(self.scene).motion)
        if ask.edit == "reset":
            return changed(self.scene, sheet=None)
        if ask.edit == "pin":
            if not 0 <= ask.frame < len(sheet):
                raise OptionError(f"frame {ask.frame} is not on the sheet, which has {len(sheet)}")
            pins = set(getattr(self.scene, ask.part).options.get("pins", []))
            pinned = sorted(pins ^ {int(sheet.source[ask.frame])})
            return _changed(self.scene, Change(ask.part, {"pins": pinned}))
        return changed(self.scene, sheet=edit(sheet.source.tolist(), ask, frames))

    # ---- telling the page ----------------------------------------------------------------------------------------------

    def scene_told(self) -> SceneTold:
        """The scene for the page."""
        history = self.history
        return SceneTold(self.revision, history.present, bool(history.past), bool(history.future))

    def body_told(self, revision: int, scene: Scene) -> BodyTold:
        """What stands on the stage."""
        staged = self._staged(scene)
        skeleton = staged.motion.skeleton
        name = hashlib.sha256(f"{scene.motion}\0{scene.character}".encode()).hexdigest()[:16]
        figure = hashlib.sha256(f"figure\0{scene.character or scene.motion}".encode()).hexdigest()[:16]
        return BodyTold(
            revision=revision,
            figure=self._offer(f"{figure}.glb", lambda: staged.figure),
            motion=self._offer(f"{name}.motion", lambda: staged.arrays),
            name=staged.name,
            frames=len(staged.motion),
            fps=staged.motion.fps,
            joints=list(skeleton.names),
            parents=skeleton.parents.tolist(),
            roles={role: int(joint) for role, joint in skeleton.roles.items()},
            chains=[ChainTold(c.name, c.kind, [int(j) for j in c.joints]) for c in staged.character.chains()],
            height=staged.height,
            notes=all_said(notes_of(staged)),
        )

    def answers(self, part: Part, revision: int, scene: Scene, frame: int = 0) -> Iterator[Answer]:
        """What `part` gives with this scene, at once: a slider waits for it. What comes in several pieces may be left off.

        Of those, the ones about `frame`, which the page shows, come first.
        """
        match part:
            case "limited":
                made = self.limited(scene)
                address = (
                    self._offer(f"limited-{revision}.motion", lambda: packed_motion(made.motion)) if made.layers else ""
                )
                yield limited.told(revision, scene, made, address)
            case "keyposes":
                yield keyposes.told(revision, scene, self.keyposes(scene))
            case "hair":
                yield from self.hair.answers(revision, scene, frame, self._offer)
            case "translate":
                yield from self.driver.answers(revision, scene, self._offer_driven)
            case "puppet":
                yield from puppet.answers(revision, scene, self._staged(scene), self.puppet(scene)[1], self._offer_now)

    def afterthoughts(self, part: Part, revision: int, scene: Scene) -> list[Answer]:
        """What else there is to say of `part`, but takes longer: it is asked for when the hand rests."""
        best: OptimumTold | HairChecked | None = None
        match part:
            case "limited":
                best = limited.optimum(revision, scene, self.limited(scene))
            case "keyposes":
                best = keyposes.optimum(revision, scene, self.keyposes(scene))
            case "hair":
                best = self.hair.checked(revision, scene)
        return [] if best is None else [best]

    def offered(self, name: str) -> bytes | None:
        """The bytes behind an address that was told to the page, or None where it was never told or is long gone."""
        make = self._offers.get(name)
        return None if make is None else make()

    def limited(self, scene: Scene) -> LimitedResult:
        """Limited animation of the scene's clip."""
        return self._limited(scene.motion, scene.character, msgspec.json.encode(scene.limited.options, order="sorted"))

    def keyposes(self, scene: Scene) -> KeyposesResult:
        """Key poses of the scene's clip."""
        # One run finds the keys of every count: the slider only chooses among them.
        options = {name: value for name, value in scene.keyposes.options.items() if name != "count"}
        found = self._keyposes(scene.motion, scene.character, msgspec.json.encode(options, order="sorted"))
        count = scene.keyposes.options.get("count")
        return found.at(count) if isinstance(count, int) else found

    def puppet(self, scene: Scene) -> tuple[Skeleton, Puppet | None]:
        """The body on the stage, and its puppet where there are keys."""
        skeleton = self._skeleton(scene)
        return skeleton, self._puppets.of(scene.puppet, skeleton)

    def _make_limited(self, motion: str, character: str, options: bytes) -> LimitedResult:
        scene = limited.changed(Scene(), options=msgspec.json.decode(options))
        return limited.result(scene, self.stage.ready(motion, character))

    def _make_keyposes(self, motion: str, character: str, options: bytes) -> KeyposesResult:
        scene = keyposes.changed(Scene(), options=msgspec.json.decode(options))
        return keyposes.result(scene, self.stage.ready(motion, character))

    def _offer_driven(self, name: str, driven: translate.Driven) -> tuple[str, str]:
        staged = driven.staged
        figure = hashlib.sha256(staged.figure).hexdigest()[:16]
        return self._offer(f"{figure}.glb", lambda: staged.figure), self._offer(f"{name}.motion", lambda: staged.arrays)

    def _staged(self, scene: Scene) -> Staged:
        return self.stage.ready(scene.motion, scene.character)

    def _skeleton(self, scene: Scene) -> Skeleton:
        return self._staged(scene).motion.skeleton

    def _sheet(self, scene: Scene, part: SheetPart) -> Edited:
        if part == "limited":
            return limited.shown(scene, self.limited(scene))
        return keyposes.shown(scene, self.keyposes(scene))

    def _offer(self, name: str, make: Callable[[], bytes]) -> str:
        self._offers[name] = make
        self._offers.move_to_end(name)
        while len(self._offers) > OFFERS:
            self._offers.popitem(last=False)
        return f"api/offer/{name}"

    def _offer_now(self, name: str, make: Callable[[], bytes]) -> str:
        """As `_offer`, but made at once: what is wrong with it is raised here, not when it is fetched."""
        kept = self._offers.get(name)
        data = make() if kept is None else kept()
        return self._offer(name, lambda: data)


_WITH_SHEET: dict[str, Callable[..., Scene]] = {"limited": limited.changed, "keyposes": keyposes.changed}
"""Part with a timesheet -> the scene with fields of that part replaced."""
_OF_ONE_CLIP = {"pins", "cuts", "action_omits"}
"""Options that name frames of a clip, and mean nothing for another."""


def _changed(scene: Scene, ask: Change) -> Scene:
    """The scene with other options of a part; a sheet edited by hand gives way to what the method now says."""
    part = getattr(scene, ask.part)
    fields: dict[str, object] = {"options": merged(part.options, ask.options, OPTIONS[ask.part])}
    if ask.part in get_args(SheetPart):
        fields["sheet"] = None
    return msgspec.structs.replace(scene, **{ask.part: msgspec.structs.replace(part, **fields)})
