"""Judges that are not ours: python-osc sends and receives over the loopback, three-vrm shows the pose that came out."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
from pathlib import Path

import numpy as np
import pytest
from pythonosc.osc_packet import OscPacket
from pythonosc.udp_client import UDPClient

from komadori import kinematics
from komadori.characters import character
from komadori.formats import load_character
from komadori.formats.vrm.facing import BACK
from komadori.formats.vrm.humanoid import BONES
from komadori.live import LiveOptions, Loop, Place, Session, UdpSource, VmcSink
from komadori.live.heard import NUMBER
from komadori.live.vmc import NAMES

from live_packets import BODY, bundle_of, turns
from realdata import real

JUDGES = Path(__file__).parents[1] / "judges"
MODULES = Path(__file__).parents[2] / ".judges"
READY = shutil.which("node") is not None and (MODULES / "node_modules" / "@pixiv" / "three-vrm").is_dir()
EXACT = LiveOptions(look_ahead=0, tolerance=0.0, omit_up_to=0, clean=False, feet=False, hair="none")
SECONDS = 0.9


def hips(session: Session) -> tuple[float, float, float]:
    """A step away from where the body rests, at its own height: nothing is to be scaled."""
    return 0.1, round(session.body.hips_m, 3), -0.2


class Real:
    """A sender that sends the same pose before every frame, over a socket of python-osc."""

    ended = False

    def __init__(self, source: UdpSource) -> None:
        self._source = source
        self._client = UDPClient("127.0.0.1", source.port)
        self.count = 0

    def poll(self, session: Session, now_s: float) -> None:
        self._client.send(bundle_of(SECONDS, hips=hips(session), stamp=self.count / 60.0))
        self.count += 1
        self._source.poll(session, now_s)

    def close(self) -> None:
        self._source.close()
        self._client._sock.close()


class Clock:
    now_s = 0.0

    def now(self) -> float:
        return self.now_s

    def wait(self, until_s: float, source: object) -> None:
        self.now_s = until_s


def through(body: object) -> tuple[Session, dict[str, list[float]], dict[str, float]]:
    """What python-osc receives of a session to which python-osc sent: the last numbers of every bone, and the face."""
    session = Session(body, EXACT)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(5.0)
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        source = Real(UdpSource(Place("vmc", port=0)))
        sink = VmcSink(Place("vmc", port=receiver.getsockname()[1]), session.body, 24.0)
        Loop(session, source, [sink], Clock()).run(0.5)
        sink.close()
        source.close()
        receiver.setblocking(False)
        bones: dict[str, list[float]] = {}
        face: dict[str, float] = {}
        addresses = set()
        while True:
            try:
                packet = OscPacket(receiver.recv(65535))
            except BlockingIOError:
                break
            for timed in packet.messages:
                addresses.add(timed.message.address)
                if timed.message.address == "/VMC/Ext/Bone/Pos":
                    name, *numbers = timed.message.params
                    bones[name] = numbers
                elif timed.message.address == "/VMC/Ext/Blend/Val":
                    face[timed.message.params[0]] = timed.message.params[1]
    assert {"/VMC/Ext/OK", "/VMC/Ext/T", "/VMC/Ext/Root/Pos", "/VMC/Ext/Blend/Apply"} <= addresses
    return session, bones, face


def test_what_python_osc_sends_it_receives_again() -> None:
    session, bones, face = through(character("mannequin"))
    given = turns(SECONDS)
    assert session.counts.malformed == 0
    for role in BODY:
        x, y, z, w = given[role]
        got = np.array(bones[NAMES[role]][3:])
        sent = np.array([x, -y, -z, w])
        assert min(np.abs(got - sent).max(), np.abs(got + sent).max()) < 1e-6
    np.testing.assert_allclose(bones["Hips"][:3], np.array(hips(session)) * [-1.0, 1.0, 1.0], atol=1e-6)
    assert face["Blink"] == pytest.approx(0.5 + 0.5 * np.sin(SECONDS), abs=1e-6)


@pytest.mark.skipif(not READY, reason="three-vrm is not at hand (make judges)")
@pytest.mark.parametrize("name", ["Godette_vrm_v4.vrm", "vrmaddon_Example.vrm"])
def test_three_vrm_shows_the_pose_that_was_sent(name: str, tmp_path: Path) -> None:
    path = real(f"character_vrm/{name}")
    body = load_character(path)
    session, bones, _ = through(body)
    (tmp_path / "pose.json").write_text(json.dumps(bones))
    script = (JUDGES / "vmc_pose.mjs").read_text(encoding="utf-8")
    command = ["node", "--input-type=module", "-", str(path), str(tmp_path / "pose.json")]
    done = subprocess.run(command, input=script, capture_output=True, text=True, cwd=MODULES, check=False, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout)
    given = np.tile([0.0, 0.0, 0.0, 1.0], (len(NUMBER), 1))
    given[BODY] = turns(SECONDS)[BODY]
    pose = session.body.posed(given, np.array(hips(session)))
    ours = kinematics.world_positions(body.skeleton, pose[0][None], pose[1][None])[0]
    front = BACK if said["version"] == "0" else np.ones(3)
    away = [
        np.abs(ours[body.skeleton.roles[BONES[bone]]] * front - place).max()
        for bone, place in said["bones"].items()
        if BONES[bone] in body.skeleton.roles
    ]
    assert len(away) > 15
    assert max(away) < 1e-5
