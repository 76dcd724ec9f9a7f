"""Projects: folders with names in the user's data folder, and those that were named on the command line. One file carries one elsewhere."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import shutil
import time
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from komadori.errors import FormatError, KomadoriError, OptionError
from komadori.files import is_plain, read_bytes, write_bytes
from komadori.studio.decoding import WRONG_JSON
from komadori.studio.messages import ProjectItem
from komadori.studio.saving import NAME, parsed
from komadori.studio.scene import Scene
from komadori.studio.shelf import MOST_FILES, Shelf, stored_name
from komadori.studio.spelling import can_be_spelled, spelled
from komadori.studio.uploads import MOST_BYTES
from komadori.words import Note

MOST_TIMES, SPARE_BYTES = 50, 16 << 20
"""How many times its own size a project that comes as one file may unfold to, and how much more: motions as text shrink to a tenth."""

FOLDER = "projects"
RECENT = "recent.json"
FILES = "files"
MOST_RECENT = 40
FIRST = "Untitled"
"""What the project in the data folder itself is called."""
_BESIDE = {".bin", ".bmp", ".dds", ".gif", ".jpeg", ".jpg", ".png", ".spa", ".sph", ".tga", ".tif", ".tiff", ".webp"}
"""What lies beside a model and belongs to it."""
_REFERS = {".fbx", ".gltf", ".pmd", ".pmx", ".usd", ".usda", ".usdc"}
"""Models that refer to files beside them."""
_PACKED_NAMES, _TEXTURES = b"PXR-USDC", "textures"
"""How a USD file begins whose texts are compressed, and the folder in which such files keep their pictures as a rule."""
_FIXED = (1980, 1, 1, 0, 0, 0)


class _Recent(msgspec.Struct):
    folders: list[str] = []


class Projects:
    """The projects that can be opened: nothing else can be opened, whatever a page asks for."""

    def __init__(self, data: Path) -> None:
        self._data = data

    def listed(self, now: Path) -> list[ProjectItem]:
        """All projects, the one that was open last first; `now` is open."""
        folders = self._folders(now)
        return [
            ProjectItem(spelled(folder), self.name(folder), self._age(folder), folder == now.absolute())
            for folder in folders
            if folder == now.absolute() or (folder / NAME).is_file()
        ]

    def name(self, folder: Path) -> str:
        """What a project is called."""
        return FIRST if folder.absolute() == self._data.absolute() else folder.absolute().name

    def known(self, key: str) -> Path:
        """The folder of a project that is listed; nothing else is opened."""
        known = self._folders(Path(key) if self._is_named(Path(key)) else self._data)
        folder = next((folder for folder in known if spelled(folder) == key), None)
        if folder is None:
            raise OptionError(Note("there is no project called {name}", name=Path(key).name))
        return folder

    def new(self, name: str) -> Path:
        """The folder of a new project, which must not be there yet."""
        wanted = re.sub(r"\s+", " ", name).strip()
        try:
            stored = stored_name(wanted)
        except OptionError:
            stored = ""
        if not stored or "/" in stored or len(stored) > 80 or stored.startswith("."):
            raise OptionError("name", expected=Note("a name that a folder can have"), found=wanted[:80])
        folder = self._data / FOLDER / stored
        if os.path.lexists(folder):
            raise OptionError(Note("there is a project called {name} already", name=stored))
        return folder

    def free(self, name: str) -> str:
        """`name`, or with a number behind it if there is such a project."""
        number, tried = 1, name
        while os.path.lexists(self._data / FOLDER / tried):
            number += 1
            tried = f"{name} {number}"
        return tried

    def remember(self, folder: Path) -> None:
        """Notes that a project was opened now. An OutputError if that cannot be written."""
        if not can_be_spelled(folder.absolute()):
            return
        known = [str(folder.absolute()), *(one for one in self._recent() if one != str(folder.absolute()))]
        if known != self._recent():
            write_bytes(self._data / RECENT, msgspec.json.encode(_Recent(known[:MOST_RECENT])), follow=False)

    def last(self) -> Path:
        """The project in the data folder that was open last."""
        own = (Path(one) for one in self._recent())
        return next((path for path in own if path == self._data.absolute() or self._is_named(path)), self._data)

    def _is_named(self, folder: Path) -> bool:
        return (
            folder.is_absolute()
            and folder.parent == self._data / FOLDER
            and folder.is_dir()
            and not folder.is_symlink()
        )

    def _folders(self, now: Path) -> list[Path]:
        named = self._data / FOLDER
        found = sorted(named.iterdir()) if named.is_dir() else []
        own = [path for path in found if path.is_dir() and not path.is_symlink()]
        recent = [Path(one) for one in self._recent() if Path(one).is_absolute()]
        return list(dict.fromkeys([*recent, now.absolute(), *own, self._data.absolute()]))

    def _recent(self) -> list[str]:
        try:
            return msgspec.json.decode(read_bytes(self._data / RECENT), type=_Recent).folders
        except (KomadoriError, *WRONG_JSON):
            return []

    @staticmethod
    def _age(folder: Path) -> int:
        """Seconds since it was last saved, -1 where it never was."""
        try:
            return max(0, int(time.time() - (folder / NAME).stat().st_mtime))
        except OSError:
            return -1


def copied(before: Path, after: Path) -> None:
    """Copies a project's own files; links in it are omitted."""
    for folder, names, files in os.walk(before / FILES):
        names[:] = [name for name in names if not Path(folder, name).is_symlink()]
        for name in files:
            if is_plain(path := Path(folder, name)):
                target = after / FILES / path.relative_to(before / FILES)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target, follow_symlinks=False)


def packed(scene: Scene, shelf: Shelf) -> bytes:
    """A project as one file: the scene and the files that it uses. What lies elsewhere on this machine is put in too."""
    shot = [one.key for one in (scene.shot.sound, scene.shot.reference) if one is not None]
    used = dict.fromkeys((scene.motion, scene.character, scene.translate.animal, *scene.translate.train, *shot))
    keys: dict[str, str] = {}
    inside: dict[str, bytes] = {}
    for key in used:
        if not key.startswith(("path:", "drop:")):
            continue
        path, clip = shelf.file_and_clip(key)
        place, files = _with_what_it_needs(path, shelf, key)
        inside |= {f"{FILES}/{place}/{name}": data for name, data in files.items()}
        rest = key.partition(":")[2].partition("/")[2].removesuffix(clip)
        name = rest if key.startswith("drop:") and rest else path.name
        keys[key] = f"drop:{place}/{_inner(name)}{clip}"
    there = _with_keys(msgspec.to_builtins(scene), keys)
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {NAME: msgspec.json.encode(there), **inside}.items():
            # A fixed date: the same work gives the same bytes.
            archive.writestr(zipfile.ZipInfo(name, _FIXED), data, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def _with_keys(told: Any, keys: dict[str, str]) -> Any:
    """A scene as plain JSON with other keys in place of some."""
    if isinstance(told, dict):
        return {name: _with_keys(value, keys) for name, value in told.items()}
    if isinstance(told, list | tuple):
        return [_with_keys(value, keys) for value in told]
    return keys.get(told, told) if isinstance(told, str) else told


def unpacked(data: bytes, name: str, folder: Path) -> None:
    """Puts a project that came as one file into a new folder; nothing of it can lie anywhere else."""
    most = min(MOST_BYTES, SPARE_BYTES + MOST_TIMES * len(data))
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = [info for info in archive.infolist() if not info.is_dir()]
            if len(infos) > MOST_FILES or sum(info.file_size for info in infos) > most:
                raise FormatError(
                    name,
                    problem=Note(
                        "the project would unfold to more than {most:,} bytes, too much for its size", most=most
                    ),
                )
            if any(info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for info in infos):
                raise FormatError(
                    name,
                    problem=Note("the ZIP is compressed in a way that cannot be read"),
                    advice=Note("save the project as a file again, in the studio"),
                )
            files = {info.filename: archive.read(info) for info in infos}
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, ValueError, OSError) as error:
        raise FormatError(name, expected=Note("a project's ZIP"), found=str(error)) from None
    scene = files.pop(NAME, None)
    if scene is None:
        raise FormatError(name, problem=Note("not a project: the ZIP has no {file}", file=NAME))
    parsed(scene)
    for inner in files:
        parts = stored_name(inner).split("/")
        if stored_name(inner) != inner or parts[0] != FILES or len(parts) < 3:
            raise FormatError(name, expected=Note("only files of a project"), found=inner[:80])
    for inner, content in files.items():
        write_bytes(folder / inner, content, follow=False)
    # The scene comes last: a folder without one is not a project.
    write_bytes(folder / NAME, scene, follow=False)


def is_project(files: list[tuple[str, bytes]]) -> bool:
    """Whether a drop is one project as a file."""
    return len(files) == 1 and files[0][0].lower().endswith(".zip")


def _with_what_it_needs(path: Path, shelf: Shelf, key: str) -> tuple[str, dict[str, bytes]]:
    """The place under which a file is kept in a project, and the file with all that belongs to it."""
    place, mark, _ = key.partition(":")[2].partition("/")
    if key.startswith("drop:") and mark:
        root = shelf.folder / place
        return place, {_inner(one.relative_to(root).as_posix()): read_bytes(one) for one in _plain_files(root)}
    files = {_inner(path.name): read_bytes(path)}
    if path.suffix.lower() in _REFERS:
        beside = _belonging(path, files[_inner(path.name)])[: MOST_FILES - 1]
        files |= {_inner(one.relative_to(path.parent).as_posix()): read_bytes(one) for one in beside}
    digest = hashlib.sha256()
    for name, data in files.items():
        digest.update(f"{name}\0{len(data)}\0".encode())
        digest.update(data)
    return digest.hexdigest()[:16], files


def _belonging(model: Path, data: bytes) -> list[Path]:
    """The files beside a model that it names: whatever else is in that folder stays private."""
    near = [one for one in _plain_files(model.parent) if one.suffix.lower() in _BESIDE]
    if data.startswith(_PACKED_NAMES):
        return [one for one in near if one.relative_to(model.parent).parts[0].lower() == _TEXTURES]
    text = data.lower()
    return [one for one in near if any(code in text for code in _spellings(one.name.lower()))]


def _spellings(name: str) -> Iterator[bytes]:
    """The bytes that may stand for a file's name in a model: as they are, escaped in an address or in JSON, in PMX and in PMD."""
    yield os.fsencode(name)
    yield quote(os.fsencode(name)).lower().encode()
    for code in ("unicode_escape", "utf-16-le", "cp932"):
        with contextlib.suppress(UnicodeEncodeError):
            yield name.encode(code)


def _inner(name: str) -> str:
    """The name of a file inside a project's ZIP: one with a backslash, or that is not UTF-8, could not be unpacked."""
    return spelled(name).replace("\\", "_")


def _plain_files(root: Path) -> Iterator[Path]:
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if not Path(folder, name).is_symlink())
        yield from (path for name in sorted(files) if is_plain(path := Path(folder, name)))
