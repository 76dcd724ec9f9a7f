"""Live in the studio, over the wire: a performer's poses on the stage, takes on the shelf, controllers as OSC."""

from __future__ import annotations

import asyncio
import json
import socket
from typing import Any

import numpy as np
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from komadori.characters import character
from komadori.studio.messages.live import OscHeard
from komadori.studio.streaming import Controllers

from browser import Studio
from live_packets import message, vmc
from wire import ask, heard, in_a_loop, live, own, unpacked


def stream(house: Studio, token: str | None = None) -> ClientConnection:
    address = f"ws://127.0.0.1:{house.port}/stream?token={house.token if token is None else token}"
    return connect(address, origin=own(house), proxy=None, max_size=None)


def until(line: ClientConnection, kind: str, ready: Any = lambda found: True) -> dict[str, Any]:
    while True:
        got = line.recv(timeout=60)
        if isinstance(got, str) and (found := json.loads(got))["type"] == kind and ready(found):
            return found


def poses(line: ClientConnection, count: int) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    while len(made) < count:
        got = line.recv(timeout=60)
        if isinstance(got, bytes):
            made.append(unpacked(got))
    return made


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def test_the_open_motion_is_performed_recorded_and_put_on_the_shelf(studio: Studio) -> None:
    with stream(studio) as line:
        assert until(line, "live")["running"] is False
        line.send(json.dumps({"type": "start", "source": "file:scene", "hair": "none"}))
        until(line, "live", lambda found: found["heard"])
        line.send(json.dumps({"type": "record", "on": True}))
        made = poses(line, 30)
        turns = np.array([pose["rotations"] for pose in made])
        assert {pose["type"] for pose in made} == {"live_pose"}
        np.testing.assert_allclose(np.linalg.norm(turns, axis=-1), 1.0, atol=1e-5)
        held = np.array([not pose["new"] for pose in made[1:]])
        follows = np.diff([pose["number"] for pose in made]) == 1
        assert held.any()
        assert (np.abs(np.diff(turns, axis=0)).max(axis=(1, 2))[held & follows] == 0.0).all()
        told = until(line, "live", lambda found: found["recording"] > 5)
        assert told["packets_s"] > 5
        assert told["line"]["ja"] != told["line"]["en"]
        line.send(json.dumps({"type": "record", "on": False}))
        key = until(line, "live-take")["motion"]
        shelf = json.loads(ask(studio, "/api/shelf")[2])
        assert any(key in item["motions"] for item in shelf["items"])
        line.send(json.dumps({"type": "stop"}))
        until(line, "live", lambda found: not found["running"])


def test_an_animal_on_the_stage_is_acted_by_the_performer(studio: Studio) -> None:
    with live(studio) as page, stream(studio) as line:
        page.send(json.dumps({"type": "open", "character": "character:horse"}))
        while heard(page, "scene")["scene"]["character"] != "character:horse":
            pass
        line.send(json.dumps({"type": "start", "source": "file:sample:walk", "hair": "none"}))
        until(line, "live", lambda found: found["heard"])
        made = poses(line, 40)
        joints = len(character("horse").skeleton)
        assert {np.shape(pose["rotations"]) for pose in made} == {(joints, 4)}
        way = np.array([pose["positions"][0] for pose in made])
        assert np.hypot(*(way[-1] - way[0])[[0, 2]]) > 0.5
        assert until(line, "live", lambda found: found["delay_ms"] > 0)["delay_ms"] > 600
        line.send(json.dumps({"type": "stop"}))
        until(line, "live", lambda found: not found["running"])


def test_packets_over_the_loopback_come_onto_the_stage_and_the_meter_tells(studio: Studio) -> None:
    port = free_port()
    with stream(studio) as line, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        line.send(json.dumps({"type": "start", "source": f"vmc:{port}", "look_ahead": 1, "hair": "none"}))
        until(line, "live", lambda found: found["running"])
        for frame in range(40):
            sender.sendto(vmc(frame / 20.0), ("127.0.0.1", port))
            sender.sendto(b"nonsense", ("127.0.0.1", port))
            poses(line, 1) if frame > 3 else None
        told = until(line, "live", lambda found: found["dropped"] > 3 and found["packets_s"] > 0)
        assert "malformed" in told["line"]["en"]
        assert told["delay_ms"] > 40


def test_controllers_are_heard_as_osc(studio: Studio) -> None:
    port = free_port()
    with stream(studio) as line, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        line.send(json.dumps({"type": "osc-listen", "port": port}))
        until(line, "live")
        for _ in range(200):
            sender.sendto(b"\x00nonsense", ("127.0.0.1", port))
            sender.sendto(message("/fader/3", 0.25, 0.75), ("127.0.0.1", port))
            try:
                got = json.loads(line.recv(timeout=0.2))
            except TimeoutError:
                continue
            if got["type"] == "osc":
                break
        assert got == {"type": "osc", "address": "/fader/3", "index": 0, "value": 0.25}


@pytest.mark.parametrize("between", [(), (0,)])
@pytest.mark.parametrize("rounds", range(5))
def test_a_port_that_is_asked_for_again_is_still_heard(rounds: int, between: tuple[int, ...]) -> None:
    """A page asks when the number is typed and once more when the field is left, however far the first opening has come by then."""

    async def asked() -> list[object]:
        heard: list[object] = []
        port = free_port()
        controllers = Controllers(heard.append)
        for one in (port, *between, port):
            controllers.listen(one)
            for _ in range(rounds):
                await asyncio.sleep(0)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            for _ in range(500):
                sender.sendto(message("/fader/3", 0.25), ("127.0.0.1", port))
                await asyncio.sleep(0.01)
                if heard:
                    break
        controllers.listen(0)
        await asyncio.sleep(0.05)
        return heard

    assert in_a_loop(asked)[0] == OscHeard("/fader/3", 0, 0.25)


def test_a_port_of_another_program_is_told(studio: Studio) -> None:
    with stream(studio) as line, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        line.send(json.dumps({"type": "osc-listen", "port": port}))
        said = until(line, "live-trouble")["message"]
        assert str(port) in said["en"]
        assert "in use" in said["en"]
        assert str(port) in said["ja"]


@pytest.mark.parametrize(
    "words",
    [
        "nonsense", '{"type": "start"}', '{"type": "start", "source": "kinect:1"}', '{"type": "start", "source": "file:/etc/passwd"}',
        '{"type": "start", "source": "vmc:1", "look_ahead": 99}', '{"type": "record", "on": true, "more": 1}', "[" * 5000,
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_and_the_line_stays(studio: Studio, words: str) -> None:
    with stream(studio) as line:
        line.send(words)
        said = until(line, "live-trouble")["message"]
        assert said["en"]
        line.send(json.dumps({"type": "stop"}))
        line.send(json.dumps({"type": "record", "on": False}))
        assert until(line, "live")["running"] is False


def test_strangers_do_not_come_in(studio: Studio) -> None:
    with pytest.raises(InvalidStatus), stream(studio, token="wrong"):
        pass
