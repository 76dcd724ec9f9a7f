"""Packets for tests: a performer's frames as other programs' libraries send them."""

from __future__ import annotations

import struct

import numpy as np
from pythonosc.osc_bundle import OscBundle
from pythonosc.osc_bundle_builder import IMMEDIATELY, OscBundleBuilder
from pythonosc.osc_message import OscMessage
from pythonosc.osc_message_builder import OscMessageBuilder

from komadori import quat
from komadori.live.heard import NUMBER, ROLES
from komadori.live.mocopi import PARENTS
from komadori.live.vmc import NAMES

BODY = [
    NUMBER[role]
    for role in ("hips", "spine", "chest", "neck", "head", *(f"{s}_{r}" for s in ("left", "right") for r in (
        "upper_arm", "lower_arm", "hand", "upper_leg", "lower_leg", "foot")))
]  # fmt: skip


def message(address: str, *values: object) -> bytes:
    made = OscMessageBuilder(address)
    for value in values:
        made.add_arg(value)
    return made.build().dgram


def bundled(*parts: bytes) -> bytes:
    made = OscBundleBuilder(IMMEDIATELY)
    for each in parts:
        made.add_content(OscBundle(each) if each.startswith(b"#bundle") else OscMessage(each))
    return made.build().dgram


def turns(seconds: float, seed: int = 0, size: float = 0.6) -> np.ndarray:
    """(R, 4) a smooth dance."""
    rng = np.random.default_rng(seed)
    phase, rate = rng.uniform(0.0, 6.0, (len(ROLES), 3)), rng.uniform(0.5, 5.0, (len(ROLES), 3))
    return quat.exp(size * np.sin(seconds * rate + phase))


def bundle_of(
    seconds: float,
    *,
    seed: int = 0,
    stamp: float | None = None,
    size: float = 0.6,
    hips: tuple[float, float, float] = (0.0, 0.9, 0.0),
) -> OscBundle:
    """One VMC bundle of the dance, in Unity's axes, as a sender that is not ours makes it."""
    made = turns(seconds, seed, size)
    parts = [message("/VMC/Ext/OK", 1)]
    if stamp is not None:
        parts.append(message("/VMC/Ext/T", float(stamp)))
    for role in BODY:
        x, y, z, w = made[role]
        place = (-hips[0], hips[1], hips[2]) if role == NUMBER["hips"] else (0.0, 0.0, 0.0)
        parts.append(message("/VMC/Ext/Bone/Pos", NAMES[role], *place, float(x), float(-y), float(-z), float(w)))
    parts += [message("/VMC/Ext/Blend/Val", "Blink", 0.5 + 0.5 * np.sin(seconds)), message("/VMC/Ext/Blend/Apply")]
    return OscBundle(bundled(*parts))


def vmc(seconds: float, *, stamped: bool = True, **more: object) -> bytes:
    """The bytes of such a bundle."""
    return bundle_of(seconds, stamp=seconds if stamped else None, **more).dgram


def field(name: bytes, data: bytes) -> bytes:
    return struct.pack("<I", len(data)) + name + data


def mocopi(number: int, seconds: float) -> bytes:
    """One frame packet of mocopi: every bone turned about x."""
    bones = b""
    for bone in PARENTS:
        turn = quat.exp(np.array([0.1 * np.sin(seconds + bone), 0.0, 0.0]))
        values = struct.pack("<7f", *turn, 0.0, 0.93 if bone == 0 else 0.1, 0.0)
        bones += field(b"btdt", field(b"bnid", struct.pack("<H", bone)) + field(b"tran", values))
    inner = field(b"fnum", struct.pack("<I", number)) + field(b"time", struct.pack("<I", 0))
    inner += field(b"uttm", struct.pack("<d", 1.7e9 + seconds)) + field(b"btrs", bones)
    return field(b"head", field(b"ftyp", b"sony motion format") + field(b"vrsn", b"\x01")) + field(b"fram", inner)
