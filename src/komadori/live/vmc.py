"""The VMC protocol: performers as OSC over UDP, as VSeeFace, VMagicMirror, Warudo, XR Animator and others send and show them.

Unity's axes are left-handed: x changes its sign on the way. Bones carry the local turns of a normalised body, by Unity's names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from komadori import quat
from komadori.live.heard import NUMBER, ROLES, Heard, finite_place, finite_turn, unturned
from komadori.live.osc import Malformed, Message, bundle, messages
from komadori.quat import Array

PORT = 39539
"""Where senders of VMC send to by default."""
BONE, ROOT = "/VMC/Ext/Bone/Pos", "/VMC/Ext/Root/Pos"
VALUE, APPLY = "/VMC/Ext/Blend/Val", "/VMC/Ext/Blend/Apply"
TIME, READY = "/VMC/Ext/T", "/VMC/Ext/OK"
KNOWN = frozenset({BONE, ROOT, VALUE, APPLY, TIME, READY})
MOST_SHAPES = 512
LONGEST_NAME = 128
IN_A_BUNDLE = 24
"""Messages in a bundle that is sent: larger ones do not fit into one packet of a network."""


def _unity_name(role: str) -> str:
    """Unity's name of a bone: its thumb is named one joint further out than VRM 1.0's."""
    name = "".join(word.capitalize() for word in role.split("_"))
    return name.replace("ThumbProximal", "ThumbIntermediate").replace("ThumbMetacarpal", "ThumbProximal")


NAMES: tuple[str, ...] = tuple(_unity_name(role) for role in ROLES)
_ROLES: Mapping[str, int] = {name.lower(): number for number, name in enumerate(NAMES)}
MIRROR_TURN = np.array([1.0, -1.0, -1.0, 1.0])
MIRROR_PLACE = np.array([-1.0, 1.0, 1.0])


class VmcReader:
    """Puts the messages of one sender together to frames.

    A frame is what comes in one datagram, or, where a sender sends its bones one by one, what comes before a bone comes again or the
    time is told.
    """

    def __init__(self) -> None:
        self._face: dict[str, float] = {}
        self._coming: dict[str, float] = {}
        self._root: tuple[Array, Array] | None = None
        self._start()

    def _start(self) -> None:
        self._turns, self._known = unturned(), np.zeros(len(ROLES), dtype=bool)
        self._hips: Array | None = None
        self._sent_s: float | None = None

    def read(self, datagram: bytes) -> list[Heard]:
        """The frames that this datagram completes; raises Malformed if it is not VMC."""
        made: list[Heard] = []
        bones = 0
        told = list(messages(datagram, KNOWN))
        for message in told:
            if message.address == BONE:
                bones += 1
                made += self._bone(message.values)
            else:
                self._other(message)
            if message.address == TIME and len(told) == 1:
                made += self._done()
        if bones > 1:
            made += self._done()
        return made

    def _bone(self, values: Sequence[object]) -> list[Heard]:
        name, numbers = _named(values, 7)
        role = _ROLES.get(name.lower())
        if role is None:
            return []
        made = self._done() if self._known[role] else []
        turn, place = finite_turn(*numbers[3:7]), finite_place(*numbers[:3])
        if turn is not None:
            self._turns[role], self._known[role] = turn * MIRROR_TURN, True
        if role == NUMBER["hips"] and place is not None:
            self._hips = place * MIRROR_PLACE
        return made

    def _other(self, message: Message) -> None:
        if message.address == VALUE:
            name, (weight,) = _named(message.values, 1)
            if len(self._coming) < MOST_SHAPES and np.isfinite(weight) and len(name) <= LONGEST_NAME:
                self._coming[name] = float(np.clip(weight, 0.0, 1.0))
        elif message.address == APPLY:
            self._face, self._coming = self._coming, {}
        elif message.address == ROOT:
            _, numbers = _named(message.values, 7)
            turn, place = finite_turn(*numbers[3:7]), finite_place(*numbers[:3])
            if turn is not None and place is not None:
                self._root = turn * MIRROR_TURN, place * MIRROR_PLACE
        elif message.address == TIME and message.values and isinstance(message.values[0], float | int):
            self._sent_s = float(message.values[0]) if np.isfinite(message.values[0]) else None

    def _done(self) -> list[Heard]:
        if not self._known.any():
            return []
        turns, hips = self._turns, self._hips
        if self._root is not None:
            # The body stands on its root; here the hips carry all of its travel.
            turn, place = self._root
            turns[NUMBER["hips"]] = quat.multiply(turn, turns[NUMBER["hips"]])
            hips = None if hips is None else place + quat.rotate(turn, hips)
        made = Heard(turns, self._known, hips, dict(self._face), self._sent_s)
        self._start()
        return [made]


def _named(values: Sequence[object], count: int) -> tuple[str, list[float]]:
    """A name and the numbers behind it, or Malformed."""
    if len(values) < 1 + count or not isinstance(values[0], str):
        raise Malformed("a name and numbers")
    numbers = values[1 : 1 + count]
    if not all(isinstance(each, float | int) for each in numbers):
        raise Malformed("numbers")
    return values[0], [float(each) for each in numbers]  # type: ignore[arg-type]


def written(
    rotations: Array, present: Sequence[int], hips: Array, face: Mapping[str, float], time_s: float
) -> list[bytes]:
    """The datagrams of one frame: normalised `rotations` (R, 4) of the bones `present`, where the hips are, and the face."""
    root = ("root", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    sent = [Message(READY, (1,)), Message(TIME, (float(time_s),)), Message(ROOT, root)]
    place = hips * MIRROR_PLACE
    for role in present:
        turn = (rotations[role] * MIRROR_TURN).tolist()
        at = place.tolist() if role == NUMBER["hips"] else [0.0, 0.0, 0.0]
        sent.append(Message(BONE, (NAMES[role], *at, *turn)))
    sent += [Message(VALUE, (name, float(weight))) for name, weight in face.items()]
    sent += [Message(APPLY, ())] if face else []
    return [bundle(sent)] if len(sent) <= IN_A_BUNDLE else _split(sent)


def _split(sent: Sequence[Message]) -> list[bytes]:
    return [bundle(sent[start : start + IN_A_BUNDLE]) for start in range(0, len(sent), IN_A_BUNDLE)]
