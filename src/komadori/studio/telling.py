"""Telling the page: the scene, the body on the stage, and what each part gives."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import partial
from typing import TypeAlias

from komadori.studio.bilingual import both, in_both_languages
from komadori.studio.history import History
from komadori.studio.messages import BodyUpdate, ChainInfo, HairChecked, OptimumUpdate, Said, SceneUpdate, Tell
from komadori.studio.offers import Offers
from komadori.studio.panels import panel
from komadori.studio.parts import derived, keyposes, limited, puppet, translate
from komadori.studio.parts.poses import grabs
from komadori.studio.results import Results
from komadori.studio.scene import Scene
from komadori.studio.stage import notes_of
from komadori.words import Note

LONG = 30_000
"""Frames above which a clip is so long that it is said: about twenty minutes."""
Answer: TypeAlias = Tell | bytes
"""What the page is told of a part: messages, and arrays (`packing.packed`)."""


def scene_update(revision: int, history: History, heard: int, session: str, project: str) -> SceneUpdate:
    """The scene for the page."""
    return SceneUpdate(revision, history.present, bool(history.past), bool(history.future), heard, session, project)


def long_clip(frames: int) -> Said | None:
    """What to expect of a very long clip, or None."""
    if frames < LONG:
        return None
    return both(
        Note("{frames:,} frames are open; a slider takes seconds to answer. Cut the clip to work faster", frames=frames)
    )


class Teller:
    """Puts results into messages; what is too large for one is offered to be fetched."""

    def __init__(self, results: Results) -> None:
        self.offers = Offers()
        self._results = results

    def body(self, revision: int, scene: Scene) -> BodyUpdate:
        """What stands on the stage."""
        staged = self._results.staged(scene)
        skeleton = staged.motion.skeleton
        name = hashlib.sha256(f"{scene.motion}\0{scene.character}\0{scene.fps}".encode()).hexdigest()[:16]
        figure = hashlib.sha256(f"figure\0{scene.character or scene.motion}".encode()).hexdigest()[:16]
        return BodyUpdate(
            revision=revision,
            figure=self.offers.put(f"{figure}.glb", lambda: staged.figure),
            motion=self.offers.put(f"{name}.motion", lambda: staged.arrays),
            name=staged.name,
            frames=len(staged.motion),
            fps=staged.motion.fps,
            joints=list(skeleton.names),
            parents=skeleton.parents.tolist(),
            roles={role: int(joint) for role, joint in skeleton.roles.items()},
            chains=[ChainInfo(c.name, c.kind, [int(j) for j in c.joints]) for c in staged.character.chains()],
            grabs=grabs(skeleton),
            height=staged.height,
            notes=in_both_languages(notes_of(staged)),
            long=long_clip(len(staged.motion)),
        )

    def answers(self, part: str, revision: int, scene: Scene, frame: int = 0) -> Iterator[Answer]:
        """What `part` gives with this scene, at once: a slider waits for it. What comes in several pieces may be left off.

        Of those, the ones about `frame`, which the page shows, come first.
        """
        results, offers = self._results, self.offers
        match part:
            case "hair":
                yield from results.hair.answers(revision, scene, frame, offers.put)
            case "translate":
                yield from results.driver.answers(revision, scene, self._offer_driven)
            case "puppet":
                staged, made = results.staged(scene), results.puppet(scene)[1]
                others = partial(results.company.told, scene, staged.motion.skeleton, offers.put_now)
                yield from puppet.answers(revision, scene, staged, made, others, offers.put_now)
            case _:
                method = panel(part).method
                shown = results.sheet(scene, part) if method.makes_sheet else None
                result, staged = results.method(scene, part), results.staged(scene)
                yield derived.update(revision, method, result, shown, staged, results.clip(scene, part), offers.put)
                if part == "limited" and shown is not None:
                    yield limited.update(revision, results.limited(scene), shown)
                elif part == "keyposes":
                    yield keyposes.update(revision, results.keyposes(scene))
                if shown is not None and scene.shot.hair:
                    # A cel of its own beside the body's: it waves by the clock, whatever the body's sheet holds.
                    yield from results.hair.answers(revision, scene, frame, offers.put)

    def afterthoughts(self, part: str, revision: int, scene: Scene) -> list[Answer]:
        """The slower part of the answer for `part`: it is computed when the hand rests."""
        best: OptimumUpdate | HairChecked | None = None
        match part:
            case "limited":
                best = limited.optimum(revision, scene, self._results.limited(scene))
            case "keyposes":
                best = keyposes.optimum(revision, scene, self._results.keyposes(scene))
            case "hair":
                best = self._results.hair.checked(revision, scene)
        return [] if best is None else [best]

    def _offer_driven(self, name: str, driven: translate.Driven) -> tuple[str, str]:
        staged = driven.staged
        figure = hashlib.sha256(staged.figure).hexdigest()[:16]
        return (
            self.offers.put(f"{figure}.glb", lambda: staged.figure),
            self.offers.put(f"{name}.motion", lambda: staged.arrays),
        )
