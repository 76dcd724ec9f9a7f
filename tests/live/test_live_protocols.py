"""VMC and mocopi: what is read is what was sent, and nothing that is sent does harm."""

from __future__ import annotations

import contextlib
import os
import random

import numpy as np
import pytest

from komadori import quat
from komadori.characters import character
from komadori.live.body import Body
from komadori.live.heard import NUMBER, ROLES
from komadori.live.mocopi import MocopiReader
from komadori.live.osc import MOST_MESSAGES, Malformed
from komadori.live.session import LiveOptions, Session
from komadori.live.sources import Listener
from komadori.live.vmc import VmcReader, written

from live_packets import BODY, bundled, field, message, mocopi, turns, vmc
from realdata import real

FUZZED = int(os.environ.get("KOMADORI_FUZZ", "100000"))


def apart(a: np.ndarray, b: np.ndarray) -> float:
    return float(quat.angle(quat.multiply(a, quat.inverse(b))).max())


def test_a_bundle_of_another_program_is_read_bone_by_bone() -> None:
    (heard,) = VmcReader().read(vmc(1.25, hips=(0.3, 0.9, -0.2)))
    assert np.flatnonzero(heard.known).tolist() == sorted(BODY)
    assert apart(heard.rotations[BODY], turns(1.25)[BODY]) < 1e-6
    np.testing.assert_allclose(heard.hips, [0.3, 0.9, -0.2], atol=1e-6)
    assert heard.sent_s == pytest.approx(1.25)
    assert heard.face["Blink"] == pytest.approx(0.5 + 0.5 * np.sin(1.25), abs=1e-6)


def test_bones_that_come_one_by_one_are_one_frame_when_the_first_comes_again() -> None:
    reader = VmcReader()
    made = [
        reader.read(message("/VMC/Ext/Bone/Pos", name, 0.0, 0.9, 0.0, 0.0, 0.0, 0.0, 1.0))
        for name in ("Hips", "spine", "Head")
    ]
    assert made == [[], [], []]
    (frame,) = reader.read(message("/VMC/Ext/Bone/Pos", "Hips", 0.0, 0.9, 0.0, 0.0, 0.0, 0.0, 1.0))
    assert [ROLES[number] for number in np.flatnonzero(frame.known)] == ["hips", "spine", "head"]
    (frame,) = reader.read(message("/VMC/Ext/T", 2.0))
    assert [ROLES[number] for number in np.flatnonzero(frame.known)] == ["hips"]


def test_the_root_carries_the_hips() -> None:
    half = float(np.sqrt(0.5))
    parts = [
        message("/VMC/Ext/Root/Pos", "root", -1.0, 0.0, 2.0, 0.0, half, 0.0, half),
        message("/VMC/Ext/Bone/Pos", "Hips", 0.0, 1.0, 0.5, 0.0, 0.0, 0.0, 1.0),
        message("/VMC/Ext/Bone/Pos", "Spine", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
    ]
    (heard,) = VmcReader().read(bundled(*parts))
    # A quarter turn to the left-handed right: what was ahead (+z) is now at -x here.
    np.testing.assert_allclose(heard.hips, [1.0 - 0.5, 1.0, 2.0], atol=1e-6)
    assert apart(heard.rotations[[0]], np.array([[0.0, -half, 0.0, half]])) < 1e-6


@pytest.mark.parametrize("name", ["girl", "mannequin"])
def test_a_pose_goes_onto_a_body_and_comes_back(name: str) -> None:
    body = Body(character(name).skeleton)
    given, hips = turns(3.0), np.array([0.2, 0.8, -0.4])
    made, place = body.told(*body.posed(given, hips))
    assert apart(made[list(body.present)], given[list(body.present)]) < 1e-7
    np.testing.assert_allclose(place, hips, atol=1e-9)


def test_what_is_written_is_read_again() -> None:
    given, hips = turns(0.7), np.array([0.2, 0.8, -0.4])
    sent = written(given, range(len(ROLES)), hips, {"A": 0.25}, 12.5)
    assert len(sent) > 1
    assert max(map(len, sent)) < 2048
    reader = VmcReader()
    frames = [heard for datagram in sent for heard in reader.read(datagram)]
    known = np.zeros(len(ROLES), dtype=int)
    for heard in frames:
        known += heard.known
        assert apart(heard.rotations[heard.known], given[heard.known]) < 1e-6
    assert (known == 1).all()
    np.testing.assert_allclose(next(heard.hips for heard in frames if heard.hips is not None), hips, atol=1e-6)


def test_mocopi_of_a_real_device_is_read() -> None:
    reader = MocopiReader()
    assert reader.read(real("live_mocopi/sample_skdf.bin").read_bytes()) == []
    (heard,) = reader.read(real("live_mocopi/sample_fram.bin").read_bytes())
    assert int(heard.known.sum()) == 22
    assert heard.hips_rest_m == pytest.approx(0.93293, abs=1e-4)
    np.testing.assert_allclose(heard.hips, [0.0, 0.93293, 0.0], atol=1e-4)
    assert apart(heard.rotations, np.tile(quat.IDENTITY, (len(ROLES), 1))) < 1e-6
    assert heard.number == 1


def test_mocopis_spine_of_seven_joints_turns_as_far_as_all_of_them_together() -> None:
    (heard,) = MocopiReader().read(mocopi(5, 0.4))
    angle = sum(0.1 * np.sin(0.4 + bone) for bone in range(1, 8))
    found = sum(2.0 * np.arcsin(heard.rotations[NUMBER[role], 0]) for role in ("spine", "chest", "upper_chest"))
    assert found == pytest.approx(angle, abs=1e-6)
    assert heard.number == 5


@pytest.mark.parametrize(
    "datagram",
    [
        b"", b"x", b"/", b"#bundle\x00", b"#bundle\x00" + bytes(8) + b"\xff\xff\xff\xfc" * 4,
        b"#bundle\x00" + bytes(8) + b"\x00\x00\x00\x00" * 8, b"\x00" * 64,
        b"/VMC/Ext/Bone/Pos\x00\x00\x00,sfffffff\x00\x00\x00", b"/VMC/Ext/Bone/Pos\x00\x00\x00,s[[[\x00\x00\x00",
        message("/VMC/Ext/Bone/Pos", "Hips"), message("/VMC/Ext/Bone/Pos", 1.0, "x"), message("/VMC/Ext/Blend/Val", "A", "B"),
        bundled(*[message("/VMC/Ext/OK", 1)] * (MOST_MESSAGES + 1)),
        bundled(bundled(bundled(bundled(bundled(message("/VMC/Ext/OK", 1)))))),
    ],
)  # fmt: skip
def test_what_is_no_vmc_is_refused_or_says_nothing(datagram: bytes) -> None:
    reader = VmcReader()
    with contextlib.suppress(Malformed):
        assert reader.read(datagram) == []
    assert len(reader.read(vmc(0.5))) == 1


def test_numbers_that_are_none_leave_the_bone_as_it_was() -> None:
    parts = [
        message("/VMC/Ext/Bone/Pos", "Hips", float("nan"), 0.9, 0.0, 0.0, 0.0, 0.0, 1.0),
        message("/VMC/Ext/Bone/Pos", "Spine", 0.0, 0.0, 0.0, float("inf"), 0.0, 0.0, 1.0),
        message("/VMC/Ext/Bone/Pos", "Head", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        message("/VMC/Ext/Bone/Pos", "Tail", 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0),
    ]
    (heard,) = VmcReader().read(bundled(*parts))
    assert heard.hips is None
    assert [ROLES[number] for number in np.flatnonzero(heard.known)] == ["hips"]
    assert np.isfinite(heard.rotations).all()


def test_unknown_addresses_are_ignored_unread() -> None:
    """The second message has types that nobody knows: were it read, it would be malformed."""
    odd = b"/other\x00\x00,zzzz\x00\x00\x00"
    known = message("/VMC/Ext/Bone/Pos", "Hips", 0.0, 0.9, 0.0, 0.0, 0.0, 0.0, 1.0)
    parts = [message("/avatar/parameters/x", 1.0), odd, known, message("/VMC/Ext/T", 1.0)]
    sizes = b"".join(len(each).to_bytes(4, "big") + each for each in parts)
    reader = VmcReader()
    assert reader.read(b"#bundle\x00" + bytes(8) + sizes) == []
    (heard,) = reader.read(message("/VMC/Ext/T", 2.0))
    assert heard.known[0]
    with pytest.raises(Malformed):
        reader.read(odd.replace(b"/other\x00\x00", b"/VMC/Ext/OK\x00"))


def _mutated(rng: random.Random, seeds: list[bytes]) -> bytes:
    data = bytearray(rng.choice(seeds))
    for _ in range(rng.randint(1, 6)):
        kind = rng.randrange(6)
        at = rng.randrange(len(data)) if data else 0
        if kind == 0 and data:
            data[at] = rng.randrange(256)
        elif kind == 1:
            del data[at : at + rng.randrange(64)]
        elif kind == 2:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(32)))
        elif kind == 3 and len(data) > 8:
            data[at : at + 4] = rng.choice(
                [
                    b"\xff\xff\xff\xff",
                    b"\x7f\xff\xff\xff",
                    b"\x00\x00\x00\x00",
                    b"\x80\x00\x00\x00",
                    b"\x7f\xc0\x00\x00",
                ]
            )
        elif kind == 4:
            data = data[: rng.randrange(len(data) + 1)]
        else:
            other = rng.choice(seeds)
            data[at:at] = other[rng.randrange(len(other)) :][: rng.randrange(200)]
    return bytes(data[:65535])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["vmc", "mocopi"])
def test_fuzzed_packets_raise_nothing_and_the_body_stays_one(kind: str) -> None:
    rng = random.Random(18)
    seeds = (
        [vmc(t / 7, stamped=t % 2 == 0) for t in range(6)] if kind == "vmc" else [mocopi(n, n / 50) for n in range(6)]
    )
    seeds += [field(b"head", b"x" * 9), message("/VMC/Ext/T", 1.0), bundled()]
    session = Session(character("mannequin"), LiveOptions(hair="none"))
    listener = Listener(kind)
    for number in range(FUZZED // 2):
        now = number / 60.0
        listener.take(session, _mutated(rng, seeds), number % 3, now)
        if number % 50 == 0:
            listener.take(session, vmc(now) if kind == "vmc" else mocopi(10 + number, now), 0, now)
            shown = session.tick(now)
            if shown is not None:
                assert np.isfinite(shown.rotations).all()
                np.testing.assert_allclose(np.linalg.norm(shown.rotations, axis=-1), 1.0, atol=1e-9)
                assert np.abs(shown.positions).max() < 1e4
    assert session.counts.malformed > FUZZED // 20
    assert session.counts.shown > 0
