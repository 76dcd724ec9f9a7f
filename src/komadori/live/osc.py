"""OSC datagrams: python-osc reads and writes the messages; what it would trust, sizes and nesting, is checked here first."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from komadori.errors import OptionError
from komadori.words import Note

LARGEST = 65_535
"""Bytes of a datagram."""
MOST_MESSAGES = 1024
"""Messages in one datagram: a whole body with fingers and face sends some two hundred."""
DEEPEST = 4
"""Bundles within bundles."""
BUNDLE = b"#bundle\x00"
PLAIN = b"ifsdhTF"
"""The types that VMC and controllers use. Others are not read: python-osc would log a warning about some of them for every packet."""


class Malformed(ValueError):
    """A datagram that is not OSC, or larger than anybody sends."""


@dataclass(frozen=True)
class Message:
    """An address, and what was sent to it."""

    address: str
    values: tuple[Any, ...]


def library() -> Any:
    """python-osc, or an error on how to install it."""
    try:
        from pythonosc import osc_message
    except ModuleNotFoundError as error:
        raise OptionError(
            Note("live input needs {library}, which is not installed: pip install 'komadori[live]'", library=error.name)
        ) from None
    return osc_message


def messages(datagram: bytes, known: Container[str], prefix: str | None = None) -> Iterator[Message]:
    """The messages of a datagram to addresses that are `known`, or begin with `prefix`; all others are ignored unread.

    Raises Malformed where a size or a message cannot be right. No datagram makes this slow.
    """
    if len(datagram) > LARGEST:
        raise Malformed("too large")
    reader = library()
    count = 0
    for part in _parts(datagram, 0):
        count += 1
        if count > MOST_MESSAGES:
            raise Malformed("too many messages")
        end = part.find(b"\x00")
        try:
            address = part[: end if end >= 0 else len(part)].decode("ascii")
        except UnicodeDecodeError:
            raise Malformed("an address that is no ASCII") from None
        if address not in known and not (prefix is not None and address.startswith(prefix)):
            continue
        if not _plainly_typed(part, end):
            raise Malformed("types")
        try:
            yield Message(address, tuple(reader.OscMessage(part).params))
        except (reader.ParseError, ValueError) as error:
            raise Malformed(str(error)) from None


def _plainly_typed(part: bytes, end: int) -> bool:
    start = (end // 4 + 1) * 4
    tags = part[start : part.find(b"\x00", start)] if end >= 0 else b""
    return not tags or (tags[:1] == b"," and not tags[1:].strip(PLAIN))


def _parts(datagram: bytes, depth: int) -> Iterator[bytes]:
    """The messages' own bytes, out of bundles however they are nested."""
    if not datagram.startswith(BUNDLE):
        if not datagram.startswith(b"/"):
            raise Malformed("neither a message nor a bundle")
        yield datagram
        return
    if depth >= DEEPEST:
        raise Malformed("nested too deeply")
    at = len(BUNDLE) + 8
    while at < len(datagram):
        size = int.from_bytes(datagram[at : at + 4], "big", signed=True)
        at += 4
        if size <= 0 or size % 4 or at + size > len(datagram):
            raise Malformed("a size that does not fit")
        yield from _parts(datagram[at : at + size], depth + 1)
        at += size


def bundle(sent: Sequence[Message]) -> bytes:
    """One bundle of messages, to be carried out at once."""
    library()
    from pythonosc.osc_bundle_builder import IMMEDIATELY, OscBundleBuilder
    from pythonosc.osc_message_builder import OscMessageBuilder

    made = OscBundleBuilder(IMMEDIATELY)
    for message in sent:
        one = OscMessageBuilder(message.address)
        for value in message.values:
            one.add_arg(value)
        made.add_content(one.build())
    return bytes(made.build().dgram)
