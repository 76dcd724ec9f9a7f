"""The whole result of a recipe as files: animation, timesheet, film, poster and a page that shows it all."""

from __future__ import annotations

from komadori.anime.files import ExportOptions, files_of

__all__ = ["ExportOptions", "files_of"]
