"""What decoding JSON of unknown origin may raise."""

from __future__ import annotations

import msgspec

WRONG_JSON = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
"""Not JSON or not of the type asked for, too deeply nested, or a text that is not UTF-8: msgspec has no error of its own for that."""
