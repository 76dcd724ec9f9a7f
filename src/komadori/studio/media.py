"""Sounds, films and stills that a shot is timed against: which files can be one, determined by what they hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Literal, TypeAlias

from komadori.errors import FormatError
from komadori.words import Note

Kind: TypeAlias = Literal["", "sound", "film", "stills"]
SUFFIXES: dict[str, Kind] = {
    **dict.fromkeys((".wav", ".mp3", ".ogg", ".flac", ".m4a"), "sound"),
    **dict.fromkeys((".mp4", ".webm", ".m4v", ".mov"), "film"),
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".webp"), "stills"),
}
TYPES = {
    ".wav": "audio/wav",
    ".mp3": "audio/mpeg",
    ".ogg": "audio/ogg",
    ".flac": "audio/flac",
    ".m4a": "audio/mp4",
    ".mp4": "video/mp4",
    ".m4v": "video/mp4",
    ".mov": "video/quicktime",
    ".webm": "video/webm",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".webp": "image/webp",
}
"""What the page is told that a file is: it plays nothing else."""


def kind_of(name: str) -> Kind:
    """What a file's name says that it is."""
    return SUFFIXES.get(PurePosixPath(name).suffix.lower(), "")


def check(name: str, head: bytes) -> None:
    """A FormatError if a file does not begin as its name says."""
    suffix = PurePosixPath(name).suffix.lower()
    if not _begins(suffix, head):
        found = Note("nothing") if not head else Note("something else")
        raise FormatError(name, expected=Note("a file that begins as {suffix} does", suffix=suffix), found=found)


def in_order(names: Sequence[str]) -> list[str]:
    """Stills in the order of their numbers: 2.png comes before 10.png."""

    def key(name: str) -> list[tuple[int, int, str]]:
        parts: list[tuple[int, int, str]] = []
        digits = ""
        for letter in f"{name}\0":
            if letter.isascii() and letter.isdigit():
                digits += letter
                continue
            if digits:
                parts.append((0, int(digits[:18]), ""))
                digits = ""
            parts.append((1, 0, letter))
        return parts

    return sorted(names, key=key)


def _begins(suffix: str, head: bytes) -> bool:
    match suffix:
        case ".wav":
            return head[:4] in (b"RIFF", b"RF64") and head[8:12] == b"WAVE"
        case ".mp3":
            return head[:3] == b"ID3" or (len(head) > 1 and head[0] == 0xFF and head[1] & 0xE6 in (0xE2, 0xE4, 0xE6))
        case ".ogg":
            return head[:4] == b"OggS"
        case ".flac":
            return head[:4] == b"fLaC"
        case ".mp4" | ".m4v" | ".m4a" | ".mov":
            return head[4:8] in (b"ftyp", b"moov", b"mdat", b"wide", b"free")
        case ".webm":
            return head[:4] == b"\x1a\x45\xdf\xa3"
        case ".png":
            return head[:8] == b"\x89PNG\r\n\x1a\n"
        case ".jpg" | ".jpeg":
            return head[:3] == b"\xff\xd8\xff"
        case ".webp":
            return head[:4] == b"RIFF" and head[8:12] == b"WEBP"
    return False
