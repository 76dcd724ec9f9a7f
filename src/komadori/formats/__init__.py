"""Files in and out: `load` and `save` for everything that can be a file, and the tuple of the formats that they know."""

from __future__ import annotations

from komadori.formats.choosing import format_of as format_of
from komadori.formats.choosing import suffixes as suffixes
from komadori.formats.format import Clip as Clip
from komadori.formats.format import Format as Format
from komadori.formats.format import Kind as Kind
from komadori.formats.loading import SAMPLE as SAMPLE
from komadori.formats.loading import load as load
from komadori.formats.loading import load_character as load_character
from komadori.formats.loading import load_sheet as load_sheet
from komadori.formats.loading import split as split
from komadori.formats.saving import LONE_TRACK as LONE_TRACK
from komadori.formats.saving import Saved as Saved
from komadori.formats.saving import encoded as encoded
from komadori.formats.saving import left_out as left_out
from komadori.formats.saving import save as save
from komadori.formats.table import FORMATS as FORMATS
