"""Japanese for every note, help line, label and error: English template -> Japanese template, one dict from a file an area."""

from __future__ import annotations

from komadori.words_ja import errors, general, option_errors

JAPANESE: dict[str, str] = {**general.JAPANESE, **errors.JAPANESE, **option_errors.JAPANESE}
