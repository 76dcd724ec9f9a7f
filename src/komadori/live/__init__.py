"""Live: a performer's motion in, limited animation out, in real time. VMC in and out, mocopi, and files played as if they were live.

>>> from komadori import characters, live
>>> session = live.Session(characters.character("girl"))
>>> played = live.played("sample:pitch", session.character)
>>> loop = live.Loop(session, played, [])
"""

from __future__ import annotations

from komadori.live.opening import opened, played
from komadori.live.places import Place
from komadori.live.running import Loop, RealClock
from komadori.live.session import LiveOptions, Session, Shown
from komadori.live.sinks import Recording, VmcSink
from komadori.live.sources import FileSource, Listener, UdpSource
from komadori.live.status import Status

__all__ = [
    "FileSource",
    "Listener",
    "LiveOptions",
    "Loop",
    "Place",
    "RealClock",
    "Recording",
    "Session",
    "Shown",
    "Status",
    "UdpSource",
    "VmcSink",
    "opened",
    "played",
]
