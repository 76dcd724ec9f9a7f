"""The command of a method, made from its declaration: what it reads, its options, what it writes, what it prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import click

from komadori.character import Character
from komadori.cli import inputs, outputs
from komadori.cli.hooks import HOOKS, Hook
from komadori.cli.json_out import print_json
from komadori.cli.options import as_typed, chosen, flag_of, settings
from komadori.cli.page import Argument, Command, Option, Words
from komadori.cli.say import Say, length, note_rows
from komadori.cut import NUMBERINGS, Cut, Numbering
from komadori.errors import OptionError
from komadori.formats import encoded, suffixes
from komadori.library import tables
from komadori.methods.clean.changes import COLUMNS
from komadori.methods.retarget import retarget
from komadori.motion import Motion
from komadori.parameters import THINGS, Parameter
from komadori.registry import Listed, Method
from komadori.result import Result
from komadori.words import Note

SHEET_FORMS = ("6", "3")
SUBJECTS: Mapping[str, Argument] = {
    "motion": inputs.INPUT,
    "character": Argument("input", "character file (.vrm, .pmx, .glb), or girl, horse", metavar="CHARACTER"),
    "puppet": Argument("input", "puppet file to play (.json), or the word new or demo", metavar="PUPPET"),
}
FILES: Mapping[str, Option] = {
    "motion": Option("-o", "--output", metavar="FILE", help="motion file to write, such as out.bvh"),
    "character": Option("-o", "--output", metavar="FILE", help="motion or character file to write"),
    "sheet": Option(
        "--sheet",
        "sheets",
        metavar="FILE",
        multiple=True,
        help="timesheet to write: .xdts .tdts .sts .sxf .csv .json, .txt for After Effects, or .svg .pdf .png to print; may be repeated",
    ),
    "strip": Option(
        "--strip",
        "strips",
        metavar="FILE",
        multiple=True,
        help="the key poses in a row: .svg .pdf .png; may be repeated",
    ),
    "chart": Option(
        "--chart", "charts", metavar="FILE", multiple=True, help="chart of the result: .svg .pdf .png; may be repeated"
    ),
    "changes": Option(
        "--changes", metavar="FILE", help="table of every change, by joint and frame: .csv .sqlite .parquet"
    ),
    "translator": Option("--save", metavar="FILE", help="write the trained translator to this file (.json)"),
}
"""Kind of output -> the option that names the file."""
SHEET_LOOKS = (
    Option(
        "--numbering",
        type=Words(NUMBERINGS),
        metavar="CHOICE",
        limits=" | ".join(NUMBERINGS),
        default="source",
        show_default=True,
        help="numbers in a timesheet: source frames from 1, or the drawings of each cel as 1, 2, 3",
    ),
    Option(
        "--sheet-form",
        type=Words(SHEET_FORMS),
        metavar="SECONDS",
        limits=" | ".join(SHEET_FORMS),
        default=SHEET_FORMS[0],
        show_default=True,
        help="seconds on a page of a printed timesheet",
    ),
    Option("--scene", metavar="NUMBER", default="", help="scene number in the heading of a timesheet"),
    Option("--cut", metavar="NUMBER", default="", help="cut number in the heading of a timesheet"),
)
"""Options for writing a timesheet, whatever method made it."""


@dataclass(frozen=True)
class Targets:
    """Where the files of one call go."""

    output: str | None
    sheets: tuple[str, ...] = ()
    strips: tuple[str, ...] = ()
    charts: tuple[str, ...] = ()
    save: str | None = None
    numbering: Numbering = "source"
    sheet_form: str = SHEET_FORMS[0]
    scene: str = ""
    cut: str = ""
    changes: str | None = None

    @property
    def paths(self) -> list[str]:
        """All of them."""
        lone = [self.output, self.save, self.changes]
        return [*self.sheets, *self.strips, *self.charts, *(path for path in lone if path)]


def command_of(line: Listed) -> Command:
    """The click command of a method."""
    method = line.load()
    hook = HOOKS.get(method.name, Hook())
    # A method that works on raw captured clips neither resamples first nor expects the calibration pose to be gone.
    own_rate = method.stage == "clean" or any(item.name == "fps" and item.faces for item in method.parameters)
    things = [_thing(item) for item in method.parameters if item.reads]
    clips = method.subject == "motion" or any(item.reads in ("motion", "motions") for item in method.parameters)
    forms = [name for name in method.files if name != "motion" or "character" not in method.files]
    example = f"Example: {method.example}" if method.example else ""
    return Command(
        method.name,
        help="\n\n".join(filter(None, [line.summary, method.about, *hook.examples, example])),
        params=[
            hook.argument or SUBJECTS[method.subject],
            *(FILES[name] for name in forms),
            *(SHEET_LOOKS if "sheet" in forms else ()),
            *things,
            *hook.options,
            *([] if own_rate else [inputs.fps_option(method.fps)]),
            *([inputs.KEEP_FIRST] if clips and not own_rate else []),
            *([inputs.UNIT] if clips else []),
            *settings(method.options),
            inputs.AS_JSON,
        ],
        callback=click.pass_obj(_callback(method, hook)),
    )


def _callback(method: Method, hook: Hook) -> Callable[..., None]:
    def run(say: Say, **given: Any) -> None:
        names = [item.name for item in fields(Targets)]
        targets = Targets(**{name: given.pop(name) for name in names if name in given})
        if hook.instead is None or not hook.instead(say, targets.output, given):
            _Call(method, hook, say, targets, given).run()

    return run


@dataclass(frozen=True)
class _Call:
    """One call of a method's command."""

    method: Method
    hook: Hook
    say: Say
    targets: Targets
    given: Mapping[str, Any]

    def run(self) -> None:
        """Read, run, write, report."""
        self._check_targets()
        given = self.hook.given(dict(self.given)) if self.hook.given else dict(self.given)
        path: str = given["input"]
        things = {item.name: given.pop(_variable(item)) for item in self.method.parameters if item.reads}
        named = {
            _variable(item): given_name for item in self.method.parameters if (given_name := things.get(item.name))
        }
        files = [things[item.name] for item in self.method.parameters if item.reads in THINGS]
        read = [path, *(name for names in files for name in _listed(names))]
        outputs.check_paths(self.targets.paths, [path for name in read for path in inputs.files(name)])
        if self.method.subject == "character":
            subject = self._subject(path, given)
            options = self._options(given, self._read(things, given, subject))
        else:
            options = self._options(given, self._read(things, given, None))
            subject = self._subject(path, given, options)
        count = len(subject) if isinstance(subject, Motion) else 0
        words = {**named, "path": path, "count": count, "clips": len(_listed(things.get("train")))}
        with self.say.stage(Note(self.method.working, **words)):
            try:
                result = self.method.call(subject, options)
            except OptionError as error:
                raise as_typed(error, self.method.options) from None
        body = _body(subject, [getattr(options, item.name) for item in self.method.parameters if item.reads])
        with self.say.stage(Note("drawing and writing")):
            title = inputs.stem(str(things["motion"])) if things.get("motion") else inputs.stem(path)
            title = self.method.name if body is subject and not things.get("motion") else title
            files = self._files(result, body, title)
            files += self.hook.more(result, self.targets.output, self.given) if self.hook.more else []
            written = [path for path, _ in files]
            outputs.check_paths(written, [path for name in read for path in inputs.files(name)])
            outputs.write_all(files)
        source = subject.notes if isinstance(subject, Motion) else ()
        lost = [note for path in self.targets.sheets for note in outputs.left_out_sheets(self._cut(result), path)]
        told = [
            *source,
            *result.motion.notes,
            *result.notes,
            *outputs.left_out(result.motion, self.targets.output),
            *lost,
        ]
        self._tell(result, words, tuple(dict.fromkeys(told)), written)

    def _check_targets(self) -> None:
        method, targets = self.method, self.targets
        asked_to_compare = any(self.given.get(item.name) for item in method.parameters if item.reads == "trace")
        if not (targets.paths or self.given["as_json"] or asked_to_compare):
            flags = dict.fromkeys(f"{max(FILES[name].opts, key=_first_letter)} FILE" for name in method.files)
            raise OptionError(Note("name a file to write: {flags}; or use --json", flags=", ".join(flags)))
        bodies = suffixes("write_character") if "character" in method.files else ()
        for flag, paths, known in (
            ("-o", filter(None, [targets.output]), tuple(dict.fromkeys([*outputs.MOTION, *bodies]))),
            ("--sheet", targets.sheets, (*outputs.SHEET, *outputs.PICTURE)),
            ("--strip", targets.strips, outputs.PICTURE),
            ("--chart", targets.charts, outputs.PICTURE),
            ("--save", filter(None, [targets.save]), (".json",)),
            ("--changes", filter(None, [targets.changes]), tables.SUFFIXES),
        ):
            for path in paths:
                outputs.check_suffix(flag, path, known)

    def _subject(self, input: str, given: Mapping[str, Any], options: Any = None) -> Any:
        """What the method works on, read."""
        if self.hook.subject is not None:
            return self.hook.subject(input, given, options)
        with self.say.stage(Note("reading {path}", path=input)):
            if self.method.subject == "character":
                return inputs.character(input)
            return self._clip(input, given, self.method.stage not in ("clean", "prepare"))

    def _clip(self, path: str, given: Mapping[str, Any], prepare: bool = True) -> Motion:
        if not prepare:
            return inputs.motion(path, given.get("unit"))
        return inputs.prepared(path, given.get("unit"), given.get("fps"), given.get("keep_first", False))

    def _read(self, things: Mapping[str, Any], given: Mapping[str, Any], character: Character | None) -> dict[str, Any]:
        """What the options name, read: a camera, a body, clips."""
        found: dict[str, Any] = {}
        if given.get("unit") and character is not None and not things.get("motion"):
            raise OptionError(
                "--unit",
                problem=Note("a unit is for a motion file"),
                advice=Note("name the file with --motion"),
            )
        for item in self.method.parameters:
            name = things.get(item.name)
            if not item.reads or name is None or name == ():
                continue
            with self.say.stage(Note("reading {path}", path=name if isinstance(name, str) else name[-1])):
                if item.reads == "motions":
                    found[item.name] = tuple(self._clip(path, given) for path in name)
                elif item.reads == "motion":
                    found[item.name] = self._moving(name, given, character)
                else:
                    found[item.name] = inputs.READERS[item.reads](name)
        return found

    def _moving(self, path: str, given: Mapping[str, Any], character: Character | None) -> Motion:
        """A motion beside the subject; put onto the character if it is another body's."""
        if character is None:
            return inputs.motion(path, given.get("unit"))
        clip = self._clip(path, given)
        return clip if clip.skeleton.same_joints(character.skeleton) else retarget(clip, character).motion

    def _options(self, given: Mapping[str, Any], read: dict[str, Any]) -> Any:
        rates = {item.name for item in self.method.parameters if item.name == "fps" and not item.faces}
        if rates and "motion" not in read and given.get("fps") is not None:
            read = {**read, "fps": given["fps"]}
        plain = {name: value for name, value in given.items() if name != "fps" or not rates}
        return chosen(self.method.options, plain, **read)

    def _files(self, result: Any, body: Character | None, title: str) -> outputs.Files:
        """Every file that was asked for, complete."""
        targets, files = self.targets, []
        if targets.output is not None:
            path = targets.output
            whole = body is not None and Path(path).suffix.lower() in suffixes("write_character")
            thing = replace(body, motions={title: result.clip}) if body is not None and whole else result.clip
            files.append((path, encoded(thing, path)))
        for path in targets.sheets:
            files += outputs.sheet_files(self._cut(result), path, title, self.say.language, int(targets.sheet_form))
        for path in targets.strips:
            files += outputs.strip_files(result, path)
        for path in targets.charts:
            files += outputs.chart_files(result, path, title, self.say.language)
        if targets.save is not None:
            files.append((targets.save, encoded(result.translator, targets.save)))
        if targets.changes is not None:
            rows = [change.plain(result.motion.skeleton.names) for change in result.changes]
            files.append((targets.changes, tables.encoded(rows, COLUMNS, Path(targets.changes).suffix.lower())))
        return files

    def _cut(self, result: Result) -> Cut:
        """The timesheets of a result, numbered as was asked for."""
        told = self.targets
        return Cut(outputs.tracks(result), numbering=told.numbering, scene=told.scene, cut=told.cut)

    def _tell(self, result: Result, words: Mapping[str, Any], notes: tuple[Note, ...], files: list[str]) -> None:
        method, motion = self.method, result.motion
        if self.given["as_json"]:
            subject = {("character" if method.subject == "character" else "input"): words["path"]}
            bodies = [item for item in method.parameters if item.reads in ("body", "animal")]
            others = {_variable(item): words[_variable(item)] for item in bodies}
            print_json({**subject, **others, **method.facts(result), "notes": notes, "outputs": files})
            return
        measures = {name: one.value for name, one in result.measures.items()}
        self.say.line(Note(method.title, **{**measures, **words, "frames": len(motion)}))
        rows = [length(len(motion), motion.fps), *method.rows(result)]
        rows += note_rows(notes)
        self.say.rows([*rows, *((Note("written"), path) for path in files)])


def _thing(item: Parameter) -> Option:
    """The option of a parameter that is read from a file, a built-in name, or several values."""
    many = item.reads in ("motions", "names")
    metavar = _METAVARS.get(item.reads, "FILE")
    attributes: dict[str, Any] = {"required": True} if item.required and item.reads != "animal" else {}
    if item.reads == "animal":
        attributes = {"default": "horse", "show_default": True}
    return Option(flag_of(item), _variable(item), metavar=metavar, multiple=many, help=item.help, **attributes)


_METAVARS = {
    "motion": "IN",
    "motions": "IN",
    "body": "CHARACTER",
    "character": "CHARACTER",
    "animal": "ANIMAL",
    "names": "NAME",
    "vector": "X,Y,Z",
}


def _variable(item: Parameter) -> str:
    """What click calls an option's value."""
    return flag_of(item).removeprefix("--").replace("-", "_")


def _listed(names: Any) -> list[str]:
    return [names] if isinstance(names, str) else list(names or ())


def _first_letter(option: str) -> int:
    return -len(option)


def _body(subject: Any, things: list[Any]) -> Character | None:
    """The character that plays the result, if one was given."""
    return next((thing for thing in [subject, *things] if isinstance(thing, Character)), None)
