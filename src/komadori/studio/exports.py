"""Files that were made and wait to be fetched: in memory, the last few."""

from __future__ import annotations

import secrets
from collections import OrderedDict

from komadori.studio.bilingual import in_both_languages
from komadori.studio.exporting import File
from komadori.studio.messages import ExportUpdate

KEPT = 4


class Exports:
    """Finished files by keys that cannot be guessed; nothing is left on disk."""

    def __init__(self) -> None:
        self._files: OrderedDict[str, File] = OrderedDict()

    def put(self, file: File) -> ExportUpdate:
        """Keeps a file and says where it is fetched."""
        key = secrets.token_urlsafe(12)
        self._files[key] = file
        while len(self._files) > KEPT:
            self._files.popitem(last=False)
        return ExportUpdate(f"api/export/{key}", file.name, len(file.data), in_both_languages(file.notes))

    def get(self, key: str) -> File | None:
        """The file behind a key, or None if there is none any more."""
        return self._files.get(key)
