"""The shelf: what can be opened. Built-in samples and characters, files named on the command line, files dropped on the page."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath
from shutil import rmtree

from komadori import roles
from komadori.character import Character
from komadori.characters import character as built_in
from komadori.characters.gallery import CHARACTER_DESCRIPTIONS, CHARACTERS
from komadori.characters.samples import DESCRIPTIONS, SAMPLES, sample
from komadori.errors import FormatError, KomadoriError, OptionError, one_of, quoted
from komadori.files import write_bytes
from komadori.formats import load, load_character, suffixes
from komadori.motion import Motion, Pose
from komadori.skeleton import Skeleton
from komadori.studio.bilingual import both_of
from komadori.studio.messages import Dropped, Said, ShelfItem
from komadori.words import Note, translated

FPS = 24.0
CACHED = 16
"""Files that are kept in memory."""
MOST_FILES = 2000
"""Files in one drop: a model with all its textures has fewer."""
MOST_FOLDERS = 12
"""Folders in each other in one drop."""
_DEVICES = {"CON", "PRN", "AUX", "NUL", *(f"{port}{n}" for port in ("COM", "LPT") for n in range(10))}


def said(text: str, **values: object) -> Said:
    """A template in both languages."""
    return Said(text.format(**values), translated(text, "ja").format(**values))


class Shelf:
    """Finds motions and characters by their keys.

    A key is `sample:NAME`, `character:NAME`, `drop:ID/NAME` (kept in `folder`) or `path:FILE` (of those that the user
    named, now or `earlier`); `#CLIP` behind it names one of several motions. No other place can be read through it.
    """

    def __init__(self, folder: Path, paths: Iterable[Path] = (), earlier: Iterable[Path] = ()) -> None:
        self._folder = folder
        self._named = [Path(path).absolute() for path in paths]
        self._paths = list(dict.fromkeys([*self._named, *earlier]))
        self._character = lru_cache(CACHED)(self._read_character)
        self._motion = lru_cache(CACHED)(self._read_motion)

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
        keys = [f"path:{path}" for path in self._paths] + [f"drop:{name}" for name in self._dropped()]
        for key in keys:
            try:
                found += self._items_of(key)
            except KomadoriError:
                continue  # It was told when it came; a file that has gone since is simply not there.
        return found

    def opened(self) -> tuple[list[ShelfItem], list[Said]]:
        """What the files named on the command line gave, and what could not be read of them."""
        return self._gathered(f"path:{path}" for path in self._named)

    def dropped(self, files: Sequence[tuple[str, bytes]]) -> Dropped:
        """Puts files that came together (a model and its textures) on the shelf."""
        if len(files) > MOST_FILES:
            raise OptionError(
                Note("at most {most} files can be dropped at once, not {count}", most=MOST_FILES, count=len(files))
            )
        names = [_stored_name(name) for name, _ in files]
        digest = hashlib.sha256()
        for name, (_, data) in zip(names, files, strict=True):
            digest.update(f"{name}\0{len(data)}\0".encode())
            digest.update(data)
        place = digest.hexdigest()[:16]
        for name, (_, data) in zip(names, files, strict=True):
            target = self._folder / place / name
            if not target.exists():
                write_bytes(target, data)
        wanted = [name for name in names if Path(name).suffix.lower() in _readable()]
        items, troubles = self._gathered(f"drop:{place}/{name}" for name in wanted)
        if not wanted:
            found = ", ".join(sorted({Path(name).suffix or quoted(name) for name in names})) or Note("nothing")
            expected = Note("a file of {names}", names=", ".join(_readable()))
            troubles.append(both_of(FormatError("drop", expected=expected, found=found)))
        return Dropped(items, troubles)

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
            rmtree(self._folder / path.relative_to(self._folder).parts[0])
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
        path = self._file_of(key)
        suffix = path.suffix.lower()
        if suffix in suffixes("read_character"):
            character = self.character(key)
            clips = [f"{key}#{name}" for name in character.motions]
            if character.meshes or clips:
                about = said("{joints} joints, {motions} motion(s)", joints=len(character.skeleton), motions=len(clips))
                animal = _on_four(character.skeleton)
                return [ShelfItem(key, path.name, about, bool(character.meshes), clips, animal)]
        motion = self.motion(key)
        about = said("{frames} frames at {fps:g} a second", frames=len(motion), fps=motion.fps)
        animal = _on_four(motion.skeleton, motion.pose(0)) if len(motion) else False
        return [ShelfItem(key, path.name, about, False, [key], animal)]

    def _file_of(self, key: str) -> Path:
        """The file of a key, which must be one that was dropped or named; nothing else is ever read."""
        kind, _, rest = key.partition(":")
        if kind == "path" and Path(rest) in self._paths:
            return Path(rest)
        if kind == "drop" and _stored_name(rest) == rest and self._is_kept(self._folder / rest):
            return self._folder / rest
        again = (
            Note("name the file on the command line again, or drop it")
            if kind == "path"
            else Note("drop the file again")
        )
        raise OptionError(Note("{name} is not on the shelf; {again}", name=quoted(key), again=again))

    def _is_kept(self, path: Path) -> bool:
        """Whether this is a file in the folder itself: a link in a project from elsewhere may point anywhere."""
        real = Path(os.path.realpath(path))
        return real.is_relative_to(os.path.realpath(self._folder)) and real.is_file()

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
        if not self._folder.is_dir():
            return []
        kept = [path for path in sorted(self._folder.rglob("*")) if path.suffix.lower() in _readable()]
        return [path.relative_to(self._folder).as_posix() for path in kept]


def _on_four(skeleton: Skeleton, pose: Pose | None = None) -> bool:
    return roles.body_plan(skeleton, pose) == "quadruped"


def _readable() -> tuple[str, ...]:
    return tuple(dict.fromkeys((*suffixes("read"), *suffixes("read_character"))))


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


def _stored_name(name: str) -> str:
    """A file's name or path below a folder, as it may be stored; refused where it would lead elsewhere."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    if not parts or len(parts) > MOST_FOLDERS or not all(map(_can_be_stored, parts)):
        raise OptionError(Note("{name} cannot be a file's name here; rename it and drop it again", name=quoted(name)))
    return "/".join(parts)
