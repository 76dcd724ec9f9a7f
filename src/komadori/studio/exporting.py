"""Exporting: what the studio shows, as the files that the library writes."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from komadori.character import Character
from komadori.errors import OptionError, one_of, unquoted
from komadori.formats import FORMATS, LONE_TRACK, encoded, vrm
from komadori.motion import Motion
from komadori.render import drawing, film, pdf, png
from komadori.render.sheets import printed_sheet
from komadori.render.shot import Shot, shot_of
from komadori.render.toon import Pixels
from komadori.studio.bilingual import both
from komadori.studio.desk import Desk
from komadori.studio.messages import Export, FormatItem, Said
from komadori.studio.messages.export import ExportKind
from komadori.studio.panels import panel, panels
from komadori.studio.parts import puppet
from komadori.studio.purposes import PURPOSES
from komadori.studio.recipe import recipe_of
from komadori.studio.scene import Scene
from komadori.studio.working import Progress
from komadori.timesheet import Timesheet
from komadori.words import Note

FRAMES = ".zip"
"""A picture a frame, in one file."""
MOST_FRAMES = 10_000
LONGEST_NAME = 80
_PRINTED = {".pdf": ("PDF", "reportlab", pdf.MISSING), ".svg": ("SVG", "", ""), ".png": ("PNG", "PIL", png.MISSING)}
_FILMS = {
    ".mp4": ("MP4", "av", film.MISSING_VIDEO),
    ".webm": ("WebM", "av", film.MISSING_VIDEO),
    ".gif": ("GIF", "PIL", png.MISSING),
    ".png": ("PNG", "PIL", png.MISSING),
}
_USD = Note("USD files need OpenUSD: pip install 'komadori[usd]'")


@dataclass(frozen=True, eq=False)
class Made:
    """What a part gives: the motion, the body that plays it, and the timesheets if it has some."""

    motion: Motion
    character: Character
    sheets: Mapping[str, Timesheet] | None = None


@dataclass(frozen=True)
class File:
    """A file to be fetched, and what there is to say of it."""

    name: str
    data: bytes
    notes: tuple[Note, ...] = ()


def formats() -> list[FormatItem]:
    """Everything that can be written, and what is missing for it on this machine."""
    found = []
    for form in FORMATS:
        for suffix in form.suffixes:
            missing = both(_USD) if suffix.startswith(".usd") and find_spec("pxr") is None else None
            if form.write is not None:
                found.append(_item("motion", suffix, form.name, missing))
            if form.write_character is not None:
                found.append(_item("character", suffix, form.name, missing))
            if form.write_sheets is not None:
                found.append(_item("sheet", suffix, form.name))
    found += [_item("sheet", suffix, name, _lacking(*need)) for suffix, (name, *need) in _PRINTED.items()]
    found += [_item("picture", suffix, name, _lacking(*need)) for suffix, (name, *need) in _FILMS.items()]
    found.append(_item("frames", FRAMES, "PNG", _lacking("PIL", png.MISSING)))
    found.append(_item("recipe", ".toml", "TOML"))
    return found


def _item(kind: ExportKind, suffix: str, name: str, missing: Said | None = None) -> FormatItem:
    return FormatItem(kind, suffix, name, both(PURPOSES[kind, suffix]), missing)


def unfit(desk: Desk, scene: Scene) -> dict[str, list[str]]:
    """What each method's body cannot be written as: a .vrm is made of a whole humanoid."""
    bodies = {"": desk.results.staged(scene).character, "translate": desk.results.driver.body(scene)}
    cannot = {name: [] if body is not None and vrm.fits(body) else ["character .vrm"] for name, body in bodies.items()}
    return {name: cannot.get(name, cannot[""]) for name in ("original", *panels())}


NOT_A_VRM = Note("only a whole humanoid can be a VRM avatar; export a .glb instead")


def _lacking(module: str, message: str) -> Said | None:
    return both(message) if module and find_spec(module) is None else None


def exported(desk: Desk, scene: Scene, ask: Export, progress: Progress) -> File:
    """The file that was asked for, as the library writes it."""
    known = [item.suffix for item in formats() if item.kind == ask.kind]
    if ask.suffix not in known:
        raise OptionError("suffix", expected=one_of(known), found=ask.suffix)
    name = file_name(scene, ask)
    if ask.kind == "recipe":
        chains = [chain.name for chain in desk.results.stage.ready(*scene.opened).character.chains()]
        recipe, notes = recipe_of(scene, ask.what, chains)
        return File(name, recipe.toml().encode(), notes)
    made = product(desk, scene, ask.what, progress)
    if ask.what == "puppet" and ask.kind in ("motion", "character") and scene.puppet.together:
        return _company_file(desk, scene, ask, made, name)
    match ask.kind:
        case "motion":
            return File(name, encoded(made.motion, name), made.motion.notes)
        case "character":
            whole = replace(made.character, motions={Path(name).stem: made.motion})
            return File(name, encoded(whole, name), made.motion.notes)
        case "sheet":
            return _sheet_file(made, name, ask)
        case _:
            return _picture_file(made, name, ask, progress)


def _company_file(desk: Desk, scene: Scene, ask: Export, made: Made, name: str) -> File:
    """A file for each character on the handle, named as the command line names them, in one ZIP."""
    members = desk.results.company.of(scene, desk.results.skeleton(scene))
    each = [made, *(Made(member.motion(), member.staged.character) for member in members)]
    stem, files = Path(name).stem, {}
    for number, one in enumerate(each, 1):
        own = f"{stem}{f'-{number}' if number > 1 else ''}{ask.suffix}"
        whole = replace(one.character, motions={stem: one.motion})
        files[own] = encoded(whole if ask.kind == "character" else one.motion, own)
    return File(f"{stem}{FRAMES}", _zipped(files.items()), made.motion.notes)


def product(desk: Desk, scene: Scene, what: str, progress: Progress) -> Made:
    """What a part gives with this scene, hand edits included."""
    staged = desk.results.stage.ready(*scene.opened)
    match what:
        case "original":
            return Made(staged.motion, staged.character)
        case "hair":
            blown = desk.results.hair.result(scene)
            if blown is None:
                raise OptionError(Note("no hair moves: the character has no chains, or all are switched off"))
            return Made(blown.motion, staged.character)
        case "puppet":
            if not puppet.plays(scene.puppet):
                raise OptionError(Note("the puppet plays nothing yet: record a take, or choose one to show"))
            return Made(puppet.performed(scene.puppet, staged.motion.skeleton, scene.fps)[0], staged.character)
        case "translate":
            driven = desk.results.driver.made(scene, progress)
            return Made(driven.staged.motion, driven.staged.character)
    method, result = panel(what).method, desk.results.method(scene, what)
    if not method.makes_sheet:
        return Made(result.motion, staged.character)
    shown = desk.results.sheet(scene, what)
    clip = desk.results.clip(scene, what)
    if shown.edited or clip is not staged.motion:
        return Made(clip.retimed(shown.sheet), staged.character, {LONE_TRACK: shown.sheet})
    return Made(result.motion, staged.character, getattr(result, "layers", None) or {LONE_TRACK: shown.sheet})


def file_name(scene: Scene, ask: Export) -> str:
    """A name that any system can hold: the clip's, the part's, the format's.

    >>> file_name(Scene(motion="drop:ab12/../wa lk?.bvh"), Export("limited", "motion", ".glb"))
    'wa_lk_-limited.glb'
    """
    key = scene.motion or scene.character
    clip = key.rpartition("#")[2] if "#" in key else key.partition(":")[2].rpartition("/")[2].rpartition(".")[0]
    stem = re.sub(r"[^\w-]+", "_", clip or key.partition(":")[2])[:LONGEST_NAME] or "clip"
    made = "" if ask.what == "original" else f"-{ask.what}"
    return f"{stem}{made}{'-frames' if ask.kind == 'frames' else ''}{ask.suffix}"


def _sheet_file(made: Made, name: str, ask: Export) -> File:
    if made.sheets is None:
        raise OptionError(Note("{name} has no timesheet", name=ask.what))
    if ask.suffix not in _PRINTED:
        return File(name, encoded(made.sheets, name))
    pages = drawing.encoded(printed_sheet(made.sheets, title=Path(name).stem, language=ask.language), name)
    return _one({path.name: data for path, data in pages.items()}, name)


def _picture_file(made: Made, name: str, ask: Export, progress: Progress) -> File:
    size = (ask.width, ask.height)
    if ask.suffix in (".mp4", ".webm") and (size[0] % 2 or size[1] % 2):
        raise OptionError(
            "size", expected=Note("an even width and height, as a video needs"), found=unquoted(f"{size[0]}x{size[1]}")
        )
    progress(0, len(made.motion))
    shot = shot_of(made.motion, made.character, camera=ask.camera, style=ask.style, size=size)
    if ask.kind == "picture" and ask.suffix == ".png":
        return File(name, film.png(film.poster(shot)))
    # Closed whatever happens: an error that somebody keeps would keep the processes that draw.
    with closing(shot.pictures()) as drawn:
        return File(name, _filmed(shot, _counted(drawn, len(shot), progress), Path(name).stem, ask))


def _filmed(shot: Shot, pictures: Iterator[Pixels], stem: str, ask: Export) -> bytes:
    """The file of a shot's `pictures`."""
    if ask.strip:
        pictures = film.with_sheet(pictures, shot.sheet)
    if ask.kind == "frames":
        if len(shot) > MOST_FRAMES:
            raise OptionError(
                "frames",
                expected=Note("at most {most:,} pictures", most=MOST_FRAMES),
                found=len(shot),
                advice=Note("export a film instead"),
            )
        stem = stem.removesuffix("-frames")
        return _zipped((f"{stem}-{n:04}.png", film.png(picture)) for n, picture in enumerate(pictures))
    return film.gif(pictures, shot.fps) if ask.suffix == ".gif" else film.video(pictures, shot.fps, ask.suffix[1:])


def _counted(pictures: Iterable[Pixels], total: int, progress: Progress) -> Iterator[Pixels]:
    for done, picture in enumerate(pictures):
        progress(done, total)
        yield picture


def _one(files: Mapping[str, bytes], name: str) -> File:
    """The only file as it is, several in a ZIP."""
    if len(files) == 1:
        return File(*next(iter(files.items())))
    return File(f"{Path(name).stem}{FRAMES}", _zipped(files.items()))


def _zipped(files: Iterable[tuple[str, bytes]]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_STORED) as archive:
        for name, content in files:
            # A fixed date: the same work gives the same bytes.
            archive.writestr(zipfile.ZipInfo(name), content)
    return data.getvalue()
