"""`komadori info`: what files hold, for people and for programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from komadori import kinematics, roles
from komadori.character import Character
from komadori.cli import inputs
from komadori.cli.json_out import print_json
from komadori.cli.page import Argument, Command
from komadori.cli.say import Say, captured_length, complain, length
from komadori.cut import Cut
from komadori.errors import FormatError
from komadori.formats import load_character, suffixes
from komadori.motion import Motion
from komadori.skeleton import END_SUFFIX, Skeleton
from komadori.timesheet import Timesheet
from komadori.words import Note

Facts = dict[str, Any]
Rows = list[tuple[str, str]]

FEW = 4
"""So many missing roles are listed by name."""

TOLD = {
    "title": Note("title"),
    "name": Note("name"),
    "author": Note("author"),
    "authors": Note("authors"),
    "licenseName": Note("licence"),
    "licenseUrl": Note("licence"),
    "copyright": Note("copyright"),
}
"""The fields of a character's meta that are shown; all of them are in --json."""

HEADING = {"title": Note("title"), "episode": Note("episode"), "scene": Note("scene"), "cut": Note("cut")}
"""The fields of a sheet's heading that are shown."""

CHAINS = {
    "hair": Note("hair"),
    "skirt": Note("skirt"),
    "ribbon": Note("ribbon"),
    "tail": Note("tail"),
    "ear": Note("ear"),
    "cloth": Note("cloth"),
    "other": Note("other"),
}
"""What a kind of chain is called."""

PLANS = {"biped": Note("biped"), "quadruped": Note("quadruped"), "unknown": Note("not recognised")}


def run(say: Say, files: tuple[str, ...], unit: str | None, as_json: bool) -> None:
    """Describe every file; one that cannot be read gets an error line, and the others are still described."""
    failed = False
    for place, path in enumerate(files):
        try:
            with say.stage(Note("reading {path}", path=path)):
                facts = facts_of(path, unit)
        except FormatError as error:
            complain(error.in_language(say.language))
            failed = True
            continue
        if as_json:
            print_json(facts)
            continue
        if place:
            print()
        say.line(path)
        say.rows(_motion_rows(facts) if facts["kind"] == "motion" else _sheet_rows(facts))
    if failed:
        raise click.exceptions.Exit(1)


def facts_of(path: str, unit: str | None) -> Facts:
    """What is in the file (or sample) at `path`, by name."""
    thing = inputs.thing(path, unit)
    facts = _motion_facts(thing) if isinstance(thing, Motion) else _sheet_facts(thing)
    file = inputs.split(path)[0]
    if Path(file).suffix.lower() in suffixes("read_character"):
        facts["character"] = _character_facts(load_character(file))
    return {"input": path, "format": inputs.format_name(path), **facts}


def _character_facts(character: Character) -> Facts:
    kinds = Counter(chain.kind for chain in character.chains())
    return {
        "name": character.name,
        "meshes": len(character.meshes),
        "vertices": sum(len(mesh.vertices) for mesh in character.meshes),
        "chains": dict(kinds.most_common()),
        "expressions": sorted(character.expressions),
        "motions": {name: len(motion) for name, motion in character.motions.items()},
        "meta": {name: _plain_text(value) for name, value in character.meta.items()},
    }


def _motion_facts(motion: Motion) -> Facts:
    skeleton = motion.skeleton
    return {
        "kind": "motion",
        "frames": len(motion),
        "fps": motion.fps,
        "frame_time": getattr(motion.origin and motion.origin.document, "frame_time_text", None),
        "duration_s": motion.duration_s,
        "joints": len(skeleton),
        "end_sites": sum(name.endswith(END_SUFFIX) for name in skeleton.names),
        "height_m": _height_m(skeleton),
        "body": roles.body_plan(skeleton, motion.pose(0) if len(motion) else None),
        "roles": {role: skeleton.names[joint] for role, joint in roles.known(skeleton).items()},
        "notes": motion.notes,
        "cleaning": motion.prepared(fps=motion.fps).notes[len(motion.notes) :],
    }


def _plain_text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def _first(names: Sequence[str], most: int = 10) -> str:
    """The names, or the first few of many."""
    return ", ".join(names[:most]) + (f", ... ({len(names)})" if len(names) > most else "")


def _height_m(skeleton: Skeleton) -> float:
    """How tall the rest pose stands: joints with roles and what ends them, so that stray bones do not count."""
    rest = kinematics.world_positions(skeleton, skeleton.rest[None], skeleton.offsets[None])[0]
    body = set(skeleton.roles.values())
    body |= {kid for joint in body for kid in skeleton.children[joint] if skeleton.end_sites[kid]}
    return float(np.ptp(rest[sorted(body), 1] if body else rest[:, 1]))


def _sheet_facts(sheets: Mapping[str, Timesheet]) -> Facts:
    cut = Cut.of(sheets)
    return {
        "kind": "timesheet",
        "frames": cut.frames,
        "fps": cut.fps,
        "duration_s": cut.frames / cut.fps,
        **{key: value for key in HEADING if (value := getattr(cut, key))},
        "tracks": {name: _track(sheet) for name, sheet in cut.items()},
        "dialogue": len(cut.dialogue),
        "camera": len(cut.camera),
        "notes": cut.notes,
    }


def _track(sheet: Timesheet) -> Facts:
    exposures = Counter(run.length for run in sheet.runs())
    return {"frames": len(sheet), "drawings": len(sheet.drawings), "exposures": dict(sorted(exposures.items()))}


def _length(facts: Facts) -> tuple[str, str]:
    row, told = (captured_length if facts["kind"] == "motion" else length)(facts["frames"], facts["fps"])
    if facts.get("frame_time"):
        told = Note("{length} (frame time {time} as written)", length=told, time=facts["frame_time"])
    return row, told


def _motion_rows(facts: Facts) -> Rows:
    joints = Note("{count}, {ends} of them end sites", count=facts["joints"], ends=facts["end_sites"])
    return [
        (Note("format"), facts["format"]),
        _length(facts),
        (Note("joints"), joints),
        (Note("height"), Note("{metres:.3g} m in the rest pose", metres=facts["height_m"])),
        (Note("body"), PLANS[facts["body"]]),
        (Note("roles"), _roles(facts["roles"])),
        *_character_rows(facts.get("character")),
        *((Note("note"), note) for note in facts["notes"]),
        *((Note("cleaning"), note) for note in facts["cleaning"]),
    ]


def _character_rows(facts: Facts | None) -> Rows:
    """Only what the character has: a skeleton alone adds nothing."""
    if facts is None:
        return []
    rows: Rows = []
    if facts["meshes"]:
        skin = Note(
            "{meshes:mesh|meshes}, {vertices:vertex|vertices}", meshes=facts["meshes"], vertices=facts["vertices"]
        )
        rows.append((Note("skin"), skin))
    if facts["chains"]:
        rows.append((Note("chains"), _chains(list(facts["chains"].items()))))
    if facts["expressions"]:
        rows.append((Note("faces"), _first(facts["expressions"])))
    if facts["motions"]:
        rows.append((Note("clips"), _first([f"{name} ({count})" for name, count in facts["motions"].items()])))
    rows += [(TOLD[name], value) for name, value in facts["meta"].items() if name in TOLD and value]
    return rows


def _chains(kinds: Sequence[tuple[str, int]]) -> Note:
    (kind, count), *rest = kinds
    one = Note("{count} {kind}", count=count, kind=CHAINS[kind])
    return Note("{first}, {second}", first=one, second=_chains(rest)) if rest else one


def _roles(found: Mapping[str, str]) -> Note:
    missing = [role for role in roles.MAIN if role not in found]
    if not missing:
        return Note("{count} found, including all the main ones", count=len(found))
    if len(missing) > FEW:
        return Note(
            "{count} found; {missing} of the {main} main ones are missing",
            count=len(found),
            missing=len(missing),
            main=len(roles.MAIN),
        )
    return Note("{count} found; missing: {missing}", count=len(found), missing=", ".join(missing))


def _sheet_rows(facts: Facts) -> Rows:
    rows: Rows = [(Note("format"), facts["format"]), _length(facts)]
    rows += [(said, facts[key]) for key, said in HEADING.items() if key in facts]
    for name, track in facts["tracks"].items():
        shown = ", ".join(f"{length} x {count}" for length, count in track["exposures"].items())
        told = Note("{count:drawing|drawings}; exposure x count: {shown}", count=track["drawings"], shown=shown)
        rows.append((name, told))
    if facts["dialogue"] or facts["camera"]:
        beside = Note(
            "{lines:line|lines} of dialogue, {camera:camera instruction|camera instructions}",
            lines=facts["dialogue"],
            camera=facts["camera"],
        )
        rows.append((Note("beside"), beside))
    return [*rows, *((Note("note"), note) for note in facts["notes"])]


command = Command(
    "info",
    help="Show what a file holds: frames, rate, joints, body, and anything unusual.",
    params=[
        Argument("files", "files to look at (.bvh, .amc, .xdts ...), or sample:pitch", metavar="IN...", nargs=-1),
        inputs.UNIT,
        inputs.AS_JSON,
    ],
    callback=click.pass_obj(run),
)
