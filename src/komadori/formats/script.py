"""Scripts of a puppet's handle (.txt). Their grammar lives with `Script`; here they are files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from komadori.formats.format import Format
from komadori.json_text import decoded

if TYPE_CHECKING:
    from komadori.methods.puppet.script import Script


def parse(data: bytes, name: str) -> Script:
    """The script in `data`; `name` is the file's, for messages."""
    from komadori.methods.puppet.script import parsed

    return parsed(decoded(data, name), name)


def emit(script: Script) -> bytes:
    """The script as it was written."""
    return script.text.encode("utf-8", "replace")


def _any(text: str) -> bool:
    """A text that is nothing else is a script: its own error says what is wrong with it."""
    return True


FORMAT = Format("script", (".txt",), kind="script", holds="Script", parse=parse, emit=emit, fits=_any)
