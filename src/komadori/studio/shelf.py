"""The shelf: what can be opened. Built-in samples and characters, files named on the command line, files dropped on the page."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath

from komadori import roles
from komadori.character import Character
from komadori.characters import character as built_in
from komadori.characters.gallery import CHARACTER_DESCRIPTIONS, CHARACTERS
from komadori.characters.samples import DESCRIPTIONS, SAMPLES, sample
from komadori.errors import FormatError, KomadoriError, OptionError, UnreadableFile, one_of, quoted
from komadori.files import PART_PREFIX, PART_SUFFIX, is_plain, write_bytes
from komadori.formats import load, load_character, suffixes
from komadori.motion import Motion, Pose
from komadori.skeleton import Skeleton
from komadori.studio import media
from komadori.studio.bilingual import both_of
from komadori.studio.messages import Dropped, Said, ShelfItem
from komadori.studio.scene import FPS
from komadori.studio.spelling import spelled
from komadori.words import Note

CACHED = 16
"""Files that are kept in memory."""
MOST_FILES = 2000
"""Files in one drop: a model with all its textures has fewer."""
MOST_FOLDERS = 12
"""Folders in each other in one drop."""
_PLACE = re.compile("[0-9a-f]{16}")
"""The folder of one drop."""
_DEVICES = {"CON", "PRN", "AUX", "NUL", *(f"{port}{n}" for port in ("COM", "LPT") for n in range(10))}


def said(text: str, **values: object) -> Said:
    """A template in both languages."""
    note = Note(text, **values)
    return Said(str(note), note.in_language("ja"))


class Shelf:
    """Finds motions and characters by their keys.

    A key is `sample:NAME`, `character:NAME`, `drop:ID/NAME` (kept in `folder`) or `path:FILE` (of those that the user
    named, now or `earlier`); `#CLIP` behind it names one of several motions. No other place can be read through it.
    """

    def __init__(self, folder: Path, paths: Iterable[Path] = (), earlier: Iterable[Path] = ()) -> None:
        self._folder = folder
        self._named = [Path(path).absolute() for path in paths]
        self._paths = list(dict.fromkeys([*self._named, *earlier]))
        self._failed: dict[str, tuple[tuple[int, int], KomadoriError]] = {}
        self._character = lru_cache(CACHED)(self._read_character)
        self._motion = lru_cache(CACHED)(self._read_motion)

    @property
    def folder(self) -> Path:
        """Where dropped files are kept."""
        return self._folder

    @property
    def paths(self) -> list[Path]:
        """The files that the user named."""
        return list(self._paths)

    def file_and_clip(self, key: str) -> tuple[Path, str]:
        """The file of a `path:` or `drop:` key, and the clip that the key names in it ("#walk", or nothing)."""
        if self._is_file(key):
            return self._file_of(key), ""
        whole, _, clip = key.rpartition("#")
        return self._file_of(whole), f"#{clip}"

    def items(self) -> list[ShelfItem]:
        """Everything that can be opened: the built-in things, then files."""
        found = [
            ShelfItem(f"sample:{name}", name, said(DESCRIPTIONS[name]), False, [f"sample:{name}"]) for name in SAMPLES
        ]
        for name in CHARACTERS:
            key = f"character:{name}"
            clips = [f"{key}#{clip}" for clip in built_in(name).motions]
            animal = _on_four(built_in(name).skeleton)
            found.append(ShelfItem(key, name, said(CHARACTER_DESCRIPTIONS[name]), True, clips, animal))
        keys = [f"path:{spelled(path)}" for path in self._paths] + [f"drop:{spelled(name)}" for name in self._dropped()]
        for key in keys:
            try:
                found += self._items_of(key)
            except KomadoriError:
                # It was told when it came. What is still there can be removed; what has gone since is simply not there.
                with contextlib.suppress(OptionError):
                    found.append(ShelfItem(key, self._file_of(key, there=True).name, said("cannot be read"), False, []))
        return found

    def check(self, key: str) -> None:
        """An OptionError if `key` names nothing that is on the shelf (any more)."""
        kind, _, name = key.partition(":")
        known = {"sample": SAMPLES, "character": CHARACTERS}.get(kind)
        if known is not None:
            if name.partition("#")[0] not in known:
                raise OptionError(Note("{name} is not on the shelf", name=quoted(key)))
        elif not self._is_file(key):
            self._file_of(key.rpartition("#")[0] or key)

    def swept(self) -> None:
        """Deletes what a write that was cut off left in the project."""
        name = f"{PART_PREFIX}*{PART_SUFFIX}"
        kept = (path for path in self._folder.rglob(name) if self._is_kept(path))
        for path in (*self._folder.parent.glob(name), *kept):
            with contextlib.suppress(OSError):
                path.unlink()

    def opened(self) -> list[ShelfItem]:
        """What the files named on the command line gave; what cannot be read of them is raised."""
        return [item for path in self._named for item in self._items_of(f"path:{spelled(path)}")]

    def dropped(self, files: Sequence[tuple[str, bytes]]) -> Dropped:
        """Puts files that came together (a model and its textures) on the shelf."""
        if len(files) > MOST_FILES:
            raise OptionError(
                Note("at most {most} files can be dropped at once, not {count}", most=MOST_FILES, count=len(files))
            )
        names = [stored_name(name) for name, _ in files]
        digest = hashlib.sha256()
        for name, (_, data) in zip(names, files, strict=True):
            digest.update(f"{name}\0{len(data)}\0".encode())
            digest.update(data)
        place = digest.hexdigest()[:16]
        wanted = _shelved(names)
        if not wanted:
            # Nothing here could ever be listed, opened or removed: it is not kept.
            found = ", ".join(sorted({Path(name).suffix or quoted(name) for name in names})) or Note("nothing")
            expected = Note("a file of {names}", names=", ".join((*_readable(), *media.SUFFIXES)))
            return Dropped([], [both_of(FormatError("drop", expected=expected, found=found))])
        for name, (_, data) in zip(names, files, strict=True):
            self._keep(self._folder / place / name, data)
        items, troubles = self._gathered(f"drop:{place}/{name}" for name in wanted)
        return Dropped(items, troubles)

    def media_file(self, key: str, *kinds: media.Kind) -> Path:
        """The file of a sound, a film or a still; an OptionError if `key` names none of these `kinds`."""
        path = self._file_of(key)
        if media.kind_of(path.name) not in (kinds or ("sound", "film", "stills")):
            raise OptionError(Note("{name} is not a file of this kind", name=quoted(path.name)))
        return path

    def motion(self, key: str) -> Motion:
        """The motion that `key` names, as its file has it."""
        return self._motion(key)

    def character(self, key: str) -> Character:
        """The character that `key` names."""
        return self._character(key)

    def holds_character(self, key: str) -> bool:
        """Whether `key` names a character: a built-in one, or a file whose format can hold one with clips or a skin."""
        kind, _, _ = key.partition(":")
        if kind in ("character", "sample"):
            return kind == "character"
        if self._file_of(key).suffix.lower() not in suffixes("read_character"):
            return False
        found = self.character(key)
        return bool(found.meshes or found.motions)

    def removed(self, key: str) -> None:
        """Takes a file from the shelf: a dropped one is deleted with all that came with it; one that was named stays on disk."""
        path = self._file_of(key)
        if key.startswith("path:"):
            self._paths.remove(path)
        else:
            self._delete(path)
        self._character.cache_clear()
        self._motion.cache_clear()

    def _gathered(self, keys: Iterable[str]) -> tuple[list[ShelfItem], list[Said]]:
        items: list[ShelfItem] = []
        troubles: list[Said] = []
        for key in keys:
            try:
                items += self._items_of(key)
            except KomadoriError as error:
                troubles.append(both_of(self._as_dropped(error)))
        return items, troubles

    def _as_dropped(self, error: KomadoriError) -> KomadoriError:
        """The error with the name under which the file was dropped: where a drop is kept is ours alone."""
        if not isinstance(error, FormatError) or not Path(error.file).is_relative_to(self._folder):
            return error
        return error.of("/".join(Path(error.file).relative_to(self._folder).parts[1:]))

    def _items_of(self, key: str) -> list[ShelfItem]:
        """What a file gives, or its error; as long as the file is the same, an error is remembered."""
        path = self._file_of(key)
        try:
            about = path.stat()
        except OSError:
            return self._read_items(key, path)
        same = (about.st_size, about.st_mtime_ns)
        failed = self._failed.get(key)
        if failed is not None and failed[0] == same:
            raise failed[1]
        try:
            return self._read_items(key, path)
        except KomadoriError as error:
            self._failed[key] = (same, error)
            raise

    def _read_items(self, key: str, path: Path) -> list[ShelfItem]:
        suffix = path.suffix.lower()
        if kind := media.kind_of(path.name):
            return self._media_items(key, path, kind)
        if suffix in suffixes("read_character"):
            character = self.character(key)
            clips = [f"{key}#{name}" for name in character.motions]
            if character.meshes or clips:
                about = said(
                    "{joints} joints, {motions:motion|motions}", joints=len(character.skeleton), motions=len(clips)
                )
                animal = _on_four(character.skeleton)
                return [ShelfItem(key, path.name, about, bool(character.meshes), clips, animal)]
        motion = self.motion(key)
        about = said("{frames} frames at {fps:g} fps", frames=len(motion), fps=motion.fps)
        animal = _on_four(motion.skeleton, motion.pose(0)) if len(motion) else False
        return [ShelfItem(key, path.name, about, False, [key], animal)]

    def _media_items(self, key: str, path: Path, kind: media.Kind) -> list[ShelfItem]:
        """A sound or a film; stills that came together are one thing, which the first of them names."""
        try:
            with path.open("rb") as file:
                media.check(str(path), file.read(16))
        except OSError as error:
            raise UnreadableFile(path, str(error.strerror)) from None
        stills = [key]
        if kind == "stills" and key.startswith("drop:"):
            beside = [f"drop:{one}" for one in self._dropped() if media.kind_of(one) == "stills"]
            home = key.partition("/")[0]
            stills = media.in_order([one for one in beside if one.partition("/")[0] == home])
        if stills[0] != key:
            return []
        about = said("{count} stills", count=len(stills)) if len(stills) > 1 else said(kind)
        return [ShelfItem(key, path.name, about, False, [], False, kind, stills if kind == "stills" else [])]

    def _file_of(self, key: str, there: bool = False) -> Path:
        """The file of a key, which must be one that was dropped or named; nothing else is ever read.

        With `there` it is an error too that a file which was named is not there any more.
        """
        kind, _, rest = key.partition(":")
        if kind == "path":
            named = next((path for path in self._paths if spelled(path) == rest), None)
            if named is not None and (not there or named.exists()):
                return named
        if kind == "drop" and (found := self._dropped_file(rest)) is not None:
            return found
        again = (
            Note("give the file on the command line again, or drop it")
            if kind == "path"
            else Note("drop the file again")
        )
        raise OptionError(Note("{name} is not on the shelf; {again}", name=quoted(key), again=again))

    def _dropped_file(self, name: str) -> Path | None:
        """The file in the folder whose name, as keys spell it, is `name`: one that was dropped, or that somebody put there."""
        if _can_be_stored_at(name):
            return self._folder / name if self._is_kept(self._folder / name) else None
        # No path is made of what cannot be a name here: it can only be one of those that are there.
        return next((self._folder / one for one in self._dropped() if spelled(one) == name), None)

    def _is_kept(self, path: Path) -> bool:
        """Whether this is a file in the folder itself: a link in a project from elsewhere may point anywhere."""
        return self._is_inside(path) and is_plain(path)

    def _is_inside(self, path: Path) -> bool:
        """Whether `path`, with every link on the way followed, is still the same place in the folder."""
        home = Path(os.path.realpath(self._folder.parent)) / self._folder.name
        return Path(os.path.realpath(path)) == home / path.relative_to(self._folder)

    def _keep(self, path: Path, data: bytes) -> None:
        if not self._is_inside(path):
            raise OptionError(
                Note("{folder} leads out of the project; put a folder there instead of a link", folder=self._folder)
            )
        if not path.exists():
            write_bytes(path, data, follow=False)

    def _delete(self, path: Path) -> None:
        """Deletes a dropped file and all that came with it, file by file; no link is followed."""
        place = self._folder / path.relative_to(self._folder).parts[0]
        if not _PLACE.fullmatch(place.name):
            path.unlink(missing_ok=True)  # We did not put it there: whatever lies beside it is not ours.
            return
        for folder, _, names in os.walk(place, topdown=False):
            for name in names:
                Path(folder, name).unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                # A link to a folder is not entered: it stays, and its folder with it.
                Path(folder).rmdir()

    def _read_character(self, key: str) -> Character:
        kind, _, name = key.partition(":")
        return built_in(name) if kind == "character" else load_character(self._file_of(key))

    def _read_motion(self, key: str) -> Motion:
        kind, _, name = key.partition(":")
        if kind == "sample":
            return sample(name, FPS)
        whole, mark, clip = key.rpartition("#")
        if kind == "character" or (mark and not self._is_file(key)):
            motions = self.character(whole).motions
            if clip not in motions:
                raise OptionError("motion", expected=one_of(motions), found=clip)
            return motions[clip]
        return load(self._file_of(key), kind="motion")

    def _is_file(self, key: str) -> bool:
        try:
            self._file_of(key)
        except OptionError:
            return False
        return True

    def _dropped(self) -> list[str]:
        """Files of all drops that can be opened, by their names in the folder."""
        if not self._is_inside(self._folder):
            return []
        found = (Path(folder, name) for folder, _, names in os.walk(self._folder) for name in names)
        names = [path.relative_to(self._folder).as_posix() for path in sorted(found) if self._is_kept(path)]
        places: dict[str, list[str]] = {}
        for name in names:
            places.setdefault(name.partition("/")[0], []).append(name)
        return [name for inside in places.values() for name in _shelved(inside)]


def _on_four(skeleton: Skeleton, pose: Pose | None = None) -> bool:
    return roles.body_plan(skeleton, pose) == "quadruped"


def _readable() -> tuple[str, ...]:
    return tuple(dict.fromkeys((*suffixes("read"), *suffixes("read_character"))))


def _shelved(names: list[str]) -> list[str]:
    """Of files that came together, those that can be opened: pictures beside a model are its textures."""
    models = [name for name in names if Path(name).suffix.lower() in _readable()]
    kinds: tuple[media.Kind, ...] = ("sound", "film") if models else ("sound", "film", "stills")
    return [name for name in names if name in models or media.kind_of(name) in kinds]


def _can_be_stored(part: str) -> bool:
    """Whether every system takes `part` as the name of a file or folder, and none as anything else."""
    whole = len(part.encode("utf-8", "surrogatepass")) <= 200 and not any(
        "\ud800" <= letter <= "\udfff" for letter in part
    )
    plain = not any(letter < " " or letter in '<>:"|?*/\x7f' for letter in part)
    # Windows drops a point or space at the end, so that `..` could hide in it, and gives these names to devices.
    named = (
        part not in ("", ".", "..") and part[-1] not in ". " and part.partition(".")[0].strip().upper() not in _DEVICES
    )
    return whole and plain and named


def _can_be_stored_at(name: str) -> bool:
    try:
        return stored_name(name) == name
    except OptionError:
        return False


def stored_name(name: str) -> str:
    """A file's name or path below a folder, as it may be stored; refused if it would lead elsewhere."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or len(parts) > MOST_FOLDERS or not all(map(_can_be_stored, parts)):
        raise OptionError(Note("{name} cannot be a file's name here; rename it and drop it again", name=quoted(name)))
    return "/".join(parts)
