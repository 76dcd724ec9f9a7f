"""Papers: timesheets, recipes, puppets and traces that are opened again. They change the scene that there is."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from komadori.cut import Cut
from komadori.errors import FormatError, OptionError
from komadori.files import write_bytes
from komadori.formats import load, suffixes
from komadori.methods import declared
from komadori.methods.hair.traces import Trace
from komadori.methods.puppet import Puppet
from komadori.methods.retime import RetimeOptions, sourced
from komadori.methods.retime import taken as numbers_taken
from komadori.pipeline import Recipe
from komadori.studio.desk import Desk
from komadori.studio.locks import MOST_EXPOSURES, all_locked
from komadori.studio.messages import LoadPuppet, SetWind, TakeTrace
from komadori.studio.panels import panels
from komadori.studio.parts.sheet import merged
from komadori.studio.scene import Scene
from komadori.words import Note

TEXTS = (".toml", ".json", ".csv")
STAGED = ("prepare", "retarget", "plant", "floor")
"""Steps that the stage takes by itself."""


def are_papers(names: Sequence[str]) -> bool:
    """Whether files by these names are papers, all of them; beside a model such files are the model's."""
    # A .txt may be anything; if it is not a motion or model, that is reported.
    known = {*suffixes("read_sheets"), *TEXTS} - {".txt"}
    return bool(names) and all(Path(name).suffix.lower() in known for name in names)


def read(name: str, data: bytes) -> Any:
    """What a paper holds; an error that names it as it was given."""
    last = Path(name.replace("\\", "/")).name
    with tempfile.TemporaryDirectory(prefix="komadori-") as folder:
        path = Path(folder) / f"paper{Path(last).suffix.lower()}"
        write_bytes(path, data)
        try:
            return load(path)
        except FormatError as error:
            raise error.of(last) from None


def taken(desk: Desk, part: str, name: str, data: bytes, thing: Any) -> Note:
    """Puts what `read` gave into the desk's scene; what there is to say of it. `part` is the one that the page looks at."""
    match thing:
        case Cut():
            return _sheet(desk, part, name, thing)
        case Recipe():
            return _recipe(desk, name, thing)
        case Puppet():
            desk.do(LoadPuppet(name, data.decode("utf-8", "replace")))
            return Note("{file}: its keys are the key set {name}", file=name, name=desk.scene.puppet.set)
        case Trace():
            desk.prepare(TakeTrace(name, data.decode("utf-8", "replace")))
            desk.do(TakeTrace(name, data.decode("utf-8", "replace")))
            return Note("{file}: its strands are laid over their frames", file=name)
    raise FormatError(name, problem=Note("the studio takes a timesheet, a recipe, a puppet or a trace of hair"))


def _sheet(desk: Desk, part: str, name: str, cut: Cut) -> Note:
    scene = desk.scene
    where = part if part in panels() and declared(part).makes_sheet else "limited"
    track, sheet = next(iter(cut.items()), (None, None))
    if sheet is None or not len(sheet):
        raise FormatError(name, problem=Note("the timesheet has no frames"))
    motion = desk.results.staged(scene).motion
    frames = len(motion)
    if abs(sheet.fps - scene.fps) > 1e-6:
        raise FormatError(
            name,
            expected=Note("{fps:g} fps, as in the studio", fps=scene.fps),
            found=Note("{fps:g}", fps=sheet.fps),
            advice=Note("choose that frame rate beside the playback speed"),
        )
    # An animator counts drawings 1, 2, 3; what is exported here counts frames of the clip.
    dense = np.array_equal(sheet.drawings, np.arange(len(sheet.drawings)))
    if int(sheet.source.max()) >= frames and not dense:
        raise FormatError(
            name,
            expected=Note("drawings of the open clip, frames 1 to {last}", last=frames),
            found=Note("frame {frame}", frame=int(sheet.source.max()) + 1),
            advice=Note("open the clip that the sheet was made for"),
        )
    if len(sheet) > MOST_EXPOSURES:
        raise FormatError(name, expected=Note("at most {count} frames", count=MOST_EXPOSURES), found=str(len(sheet)))
    numbers: Literal["source", "drawing"] = "drawing" if dense else "source"
    sheet, drawn = sourced(cut, str(track), motion, RetimeOptions(numbers=numbers))
    desk.put(scene.with_part(where, locks=all_locked(sheet.source.tolist())))
    told = Note(
        "{file}: {drawings:drawing|drawings} in {frames:frame|frames}, all locked",
        file=name,
        drawings=len(sheet.drawings),
        frames=len(sheet),
    )
    told = Note("{told}; {how}", told=told, how=numbers_taken(drawn)) if drawn else told
    others = [other for other in cut if other != track]
    if not others:
        return told
    return Note("{told}; showing the track {track}", told=told, track=track)


def _recipe(desk: Desk, name: str, recipe: Recipe) -> Note:
    scene, unknown = desk.scene, []
    for step in recipe.steps:
        if step.use in STAGED:
            continue
        if step.use not in panels():
            unknown.append(step.use)
            continue
        scene = _with_step(scene, step.use, dict(step.given))
    if scene == desk.scene and not any(step.use in panels() for step in recipe.steps):
        raise OptionError(
            Note("{file}: none of its steps has a tab here: {steps}", file=name, steps=", ".join(unknown))
        )
    desk.put(scene)
    if unknown:
        return Note("{file}: set, except for steps without a tab: {steps}", file=name, steps=", ".join(unknown))
    return Note("{file}: its settings are set", file=name)


def _with_step(scene: Scene, use: str, given: dict[str, Any]) -> Scene:
    """The scene with the settings of one step, and those that it leaves out at their defaults."""
    panel = panels()[use]
    known = {item.name for item in panel.parameters}
    wind = given.pop("wind", None)
    plain = {key: list(value) if isinstance(value, tuple) else value for key, value in given.items() if key in known}
    scene = scene.with_part(use, options=merged({}, plain, panel.options), locks=[])
    if use == "hair":
        scene = scene.with_part("hair", wind=None if wind is None else list(SetWind(list(wind)).wind or []))
    return scene
