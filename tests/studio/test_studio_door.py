"""The studio's door: slow and idle guests do not stay, a crowd does no harm, and the token is on no command line."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
from pathlib import Path

import pytest

from komadori.cli import studio as command
from komadori.studio import door, serving

from browser import Opener, Studio
from wire import ask, drop, own

IMPATIENT = """
from komadori.studio import door, dropping
door.PATIENCE_S = dropping.PATIENCE_S = 0.3
door.MOST_CONNECTIONS = 8
from komadori.cli import main
main()
"""


@pytest.fixture
def impatient(tmp_path: Path, studios: Opener) -> Studio:
    program = tmp_path / "impatient.py"
    program.write_text(IMPATIENT)
    return studios(tmp_path / "project", program=program)


def test_the_browser_is_started_without_the_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    visited: list[str] = []
    monkeypatch.setattr("webbrowser.open", visited.append)
    studio = serving.opened(project=tmp_path / "project")
    monkeypatch.setattr(serving, "opened", lambda *_: studio)
    monkeypatch.setattr(serving, "serve", lambda _, ready: ready())

    class Say:
        def line(self, _: str) -> None: ...

    command.run(Say(), (), 0, None, True)
    assert visited == [studio.entrance]
    assert studio.token not in studio.entrance
    studio.close()


def test_a_ticket_is_good_once() -> None:
    ticket = door.Ticket()
    assert not ticket.taken("")
    assert not ticket.taken(ticket.code[:-1])
    assert ticket.taken(ticket.code)
    assert not ticket.taken(ticket.code)


def test_a_ticket_leads_to_the_page(tmp_path: Path, studios: Opener) -> None:
    program = tmp_path / "told.py"
    program.write_text(
        "import komadori.studio.door as door\n"
        "door.secrets.token_urlsafe = lambda n: 'known-code'\n"
        "from komadori.cli import main\nmain()\n"
    )
    studio = studios(tmp_path / "project", program=program)
    status, headers, _ = ask(studio, "/?code=known-code", token=None)
    assert (status, headers["location"]) == (303, f"/?token={studio.token}")
    status, headers, body = ask(studio, "/?code=known-code", token=None)
    assert status in (200, 503)
    assert studio.token not in body.decode() + str(headers)


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n"])
def test_one_that_never_asks_is_not_waited_for(sent: bytes, impatient: Studio) -> None:
    with socket.create_connection(("127.0.0.1", impatient.port), timeout=60) as guest:
        guest.sendall(sent)
        with contextlib.suppress(ConnectionResetError):
            assert guest.recv(100) == b""


def test_a_body_that_stops_is_given_up(impatient: Studio) -> None:
    body = drop(("a.bvh", b"x" * 100))
    head = (
        f"POST /api/drop HTTP/1.1\r\nHost: 127.0.0.1:{impatient.port}\r\nOrigin: {own(impatient)}\r\n"
        f"X-Komadori-Token: {impatient.token}\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", impatient.port), timeout=60) as guest:
        guest.sendall(head.encode() + body[:50])
        assert b"nothing arrived for 0.3 s" in guest.recv(10_000) + guest.recv(10_000)


def test_a_crowd_is_turned_away_quietly(impatient: Studio) -> None:
    crowd = [socket.create_connection(("127.0.0.1", impatient.port), timeout=60) for _ in range(60)]
    for guest in crowd:
        with contextlib.suppress(ConnectionResetError):
            assert guest.recv(100) == b""
        guest.close()
    assert ask(impatient, "/api/shelf")[0] == 200
    assert len(impatient.close()) < 2000


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_ctrl_c_closes_the_studio_in_the_middle_of_a_read(tmp_path: Path, studios: Opener) -> None:
    """A reader that never ends is asked for by a listing; the studio ends all the same, and the reader with it."""
    pipe = tmp_path / "reading"
    os.mkfifo(pipe)
    (tmp_path / "holder.py").write_text(
        "import os, signal\ndef read_here(path):\n    signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        f"    held = os.open({str(pipe)!r}, os.O_WRONLY)\n    os.write(held, b'here')\n    signal.pause()\n"
    )
    program = tmp_path / "reads.py"
    program.write_text(
        "import pathlib\nfrom komadori.formats import apart\nfrom komadori.studio import shelf\n"
        "def items(self):\n"
        "    apart.read('holder', pathlib.Path('none'), apart.Extra('A', 'json', 'json', 'json'))\n"
        "shelf.Shelf.items = items\n"
        "from komadori.cli import main\nmain()\n"
    )
    studio = studios(tmp_path / "project", program=program)
    with socket.create_connection(("127.0.0.1", studio.port), timeout=60) as guest:
        guest.sendall(
            f"GET /api/shelf HTTP/1.1\r\nHost: 127.0.0.1:{studio.port}\r\n"
            f"X-Komadori-Token: {studio.token}\r\n\r\n".encode()
        )
        with pipe.open("rb") as reading:
            assert reading.read(4) == b"here"
            studio.process.send_signal(signal.SIGINT)
            assert reading.read() == b""
        assert studio.process.wait(60) is not None
