"""Attempts to break into the studio, over real sockets: each must fail, and leave the studio at work."""

from __future__ import annotations

import gzip
import json
import re
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection

from komadori.formats import save
from komadori.studio.desk import Desk
from komadori.studio.saving import Save
from komadori.studio.server import app
from komadori.studio.shelf import Shelf

from browser import Opener, Studio
from wire import ask, drop, heard, live, own

SECRET = "root:x:0:0"
"""What a file that nobody opened would begin with."""


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """A studio that all attempts of this file are made on: none may break it for the next."""
    running = Studio(tmp_path_factory.mktemp("house") / "project")
    yield running
    said = running.close()
    assert "Traceback" not in said
    assert running.token not in said, "the token is printed once, with the address, and never logged"


# ---- the door ----------------------------------------------------------------------------------------------------------


def test_only_this_machine_can_reach_it(house: Studio) -> None:
    addresses = {row[1] for row in _listening_sockets() if row[0] == house.port}
    if not addresses:
        pytest.skip("this system has no /proc/net/tcp")
    assert addresses == {"127.0.0.1"}


def _listening_sockets() -> list[tuple[int, str]]:
    found = []
    for table in (Path("/proc/net/tcp"), Path("/proc/net/tcp6")):
        for line in table.read_text().splitlines()[1:] if table.is_file() else []:
            local, state = line.split()[1], line.split()[3]
            host, _, port = local.rpartition(":")
            if state == "0A":
                name = socket.inet_ntoa(struct.pack("<I", int(host, 16))) if len(host) == 8 else host
                found.append((int(port, 16), name))
    return found


@pytest.mark.parametrize("token", [None, "", "wrong", "right "], ids=["none", "empty", "wrong", "nearly"])
@pytest.mark.parametrize("path", ["/api/shelf", "/api/offer/x", "/anything", "/live", "/scene.json"])
def test_without_the_token_nothing_is_told(house: Studio, path: str, token: str | None) -> None:
    status, _, body = ask(house, path, token=house.token[:-1] if token == "right " else token)
    assert status == 401
    assert house.token not in body.decode()


def test_the_token_must_be_given_once(house: Studio) -> None:
    assert ask(house, "/api/shelf", token=None)[0] == 401
    assert ask(house, f"/api/shelf?token={house.token}", token=None)[0] == 200
    assert ask(house, f"/api/shelf?token={house.token}&token=x", token=None)[0] == 401
    assert ask(house, f"/api/shelf?token={house.token}&token=", token=None)[0] == 401
    assert ask(house, f"/api/shelf?token={house.token}")[0] == 401


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.:{port}", ""]
)
@pytest.mark.parametrize("path", ["/", "/api/shelf"])
def test_a_name_of_another_cannot_be_bound_to_it(house: Studio, path: str, host: str) -> None:
    status, _, body = ask(house, path, Host=host.format(port=house.port))
    assert status == 421
    assert b"<script" not in body


def test_two_hosts_are_as_good_as_none(house: Studio) -> None:
    with socket.create_connection(("127.0.0.1", house.port)) as line:
        own_host = f"Host: 127.0.0.1:{house.port}\r\n"
        line.sendall(f"GET / HTTP/1.1\r\n{own_host}Host: evil.example\r\nConnection: close\r\n\r\n".encode())
        assert line.makefile("rb").readline().split()[1] in (b"400", b"421")


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1", ""]
)
def test_another_site_cannot_post_or_listen(house: Studio, origin: str) -> None:
    origin = origin.format(port=house.port)
    assert ask(house, "/api/drop", "POST", drop(("a.bvh", b"")), Origin=origin)[0] == 403
    assert ask(house, "/api/shelf", Origin=origin)[0] == 403
    with pytest.raises(InvalidStatus) as refused:
        live(house, origin=origin)
    assert refused.value.response.status_code == 403


def test_posts_and_lines_must_say_where_they_come_from(house: Studio) -> None:
    assert ask(house, "/api/drop", "POST", drop(("a.bvh", b"")))[0] == 403
    with pytest.raises(InvalidStatus):
        live(house, origin=None)


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_another_page_in_the_same_browser_cannot_fetch(house: Studio, site: str) -> None:
    assert ask(house, "/api/shelf", Sec_Fetch_Site=site)[0] == 403
    assert ask(house, "/assets/x.js", Sec_Fetch_Site=site)[0] == 403
    assert ask(house, "/api/shelf", Sec_Fetch_Site="same-origin")[0] == 200
    # The address itself may be clicked anywhere: what it shows holds no secret.
    assert ask(house, "/", Sec_Fetch_Site=site)[0] in (200, 503)


@pytest.mark.parametrize("token", ["", "wrong"])
def test_a_line_needs_the_token(house: Studio, token: str) -> None:
    with pytest.raises(InvalidStatus):
        live(house, token=token)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_other_methods_do_nothing(house: Studio, method: str) -> None:
    assert ask(house, "/api/drop", method, b"", Origin=own(house))[0] in (400, 405)


def test_every_answer_has_the_strict_policy(house: Studio) -> None:
    answers = {
        "page": ask(house, "/"),
        "refused": ask(house, "/api/shelf", token=None),
        "foreign": ask(house, "/", Host="evil.example"),
        "missing": ask(house, "/nothing"),
        "no method": ask(house, "/api/shelf", "POST", b"", Origin=own(house)),
        "shelf": ask(house, "/api/shelf"),
        "bad drop": ask(house, "/api/drop", "POST", b"x", Origin=own(house)),
    }
    for name, (_, headers, _) in answers.items():
        policy = dict(part.strip().split(" ", 1) for part in headers["content-security-policy"].split(";"))
        assert policy["default-src"] == "'none'", name
        assert policy["script-src"] == policy["style-src"] == "'self'", name
        assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'", name
        assert "unsafe" not in headers["content-security-policy"], name
        sources = set(policy["connect-src"].split())
        assert sources == {"'self'", "blob:", f"ws://127.0.0.1:{house.port}", f"ws://localhost:{house.port}"}, name
        assert headers["referrer-policy"] == "no-referrer", name
        assert headers["x-content-type-options"] == "nosniff", name
        assert headers["cross-origin-resource-policy"] == "same-origin", name
        assert "access-control-allow-origin" not in headers, name
        assert headers["cache-control"] in ("no-store", "no-cache"), name
        assert "set-cookie" not in headers, name


# ---- places that nobody opened -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../../server.py",
        "/assets/%2e%2e/%2e%2e/server.py",
        "/assets/..%2f..%2fserver.py",
        "/assets/..\\..\\server.py",
        "/assets//etc/passwd",
        "/assets/%00",
        "/assets/",
        "/../etc/passwd",
        "/api/offer/..%2f..%2fetc%2fpasswd",
        "/api/offer/%2e%2e",
    ],
)
def test_no_path_leads_out_of_the_page(house: Studio, path: str) -> None:
    status, _, body = ask(house, path)
    assert status in (400, 404, 405)
    assert SECRET.encode() not in body
    assert b"import" not in body


@pytest.mark.parametrize(
    "name",
    [
        "../walk.bvh", "a/../../walk.bvh", "/tmp/walk.bvh", "C:\\walk.bvh", "C:walk.bvh", "..\\walk.bvh", "walk.bvh:stream",
        "walk\0.bvh", "", ".", "..", "a//../b.bvh", "walk.bvh.", "walk.bvh ", "CON", "nul.bvh", "com1.bvh", "a\nb.bvh", "x" * 300 + ".bvh",
        "/".join("a" * 40) + "/walk.bvh", "\ud800.bvh", "what?.bvh", "~/x<y.bvh",
    ],
)  # fmt: skip
def test_a_dropped_name_that_leads_elsewhere_is_refused(house: Studio, name: str) -> None:
    status, _, body = ask(house, "/api/drop", "POST", drop((name, b"HIERARCHY")), Origin=own(house))
    assert status == 422
    assert len(json.loads(body)["message"].splitlines()) == 1
    outside = [path for path in house.project.parent.rglob("*walk*") if (house.project / "files") not in path.parents]
    assert outside == []


def test_japanese_names_and_folders_are_welcome(house: Studio) -> None:
    status, _, body = ask(house, "/api/drop", "POST", drop(("初音/歩き.bvh", b"no bvh")), Origin=own(house))
    assert status == 200
    assert "歩き.bvh" in json.loads(body)["troubles"][0]["en"]
    assert str(house.project) not in json.loads(body)["troubles"][0]["en"], (
        "the page need not know where the project lies"
    )


@pytest.mark.parametrize(
    "key",
    ["path:/etc/passwd", "path:../../etc/passwd", "drop:../../../../etc/passwd", "drop:/etc/passwd", "drop:", "path:", "",
     "file:///etc/passwd", "drop:..\\..\\x", "sample:../x", "character:../girl", "sample:pitch#x", "character:girl#x", "\0", "drop:a\0b"],
)  # fmt: skip
@pytest.mark.parametrize("what", ["motion", "character"])
def test_a_key_opens_only_what_is_on_the_shelf(house: Studio, what: str, key: str) -> None:
    if key == "" and what == "character":
        return  # It means the motion's own skeleton.
    with live(house) as line:
        before = heard(line, "scene")["scene"]
        line.send(json.dumps({"type": "open", what: key, **({"character": ""} if not key else {})}))
        trouble = str(heard(line, "error")["message"])
        assert SECRET not in trouble
        assert len(trouble.splitlines()) == 1
        assert heard(line, "scene")["scene"] == before


def test_a_scene_from_a_stranger_reads_nothing_that_was_not_opened(tmp_path: Path, studios: Opener) -> None:
    secret = tmp_path / "secret.bvh"
    secret.write_text("SECRET of another")
    project = tmp_path / "project"
    (project / "files" / "0123").mkdir(parents=True)
    (project / "files" / "0123" / "link.bvh").symlink_to(secret)
    for key in (f"path:{secret}", "drop:0123/link.bvh"):
        (project / "scene.json").write_text(json.dumps({"version": 1, "motion": key, "character": ""}))
        (project / "opened.json").write_text(json.dumps({"projects": {str(project): [str(secret)]}}))
        running = studios(project)
        with live(running) as line:
            trouble = str(heard(line, "error")["message"])
        running.close()
        assert "is not on the shelf" in trouble
        assert "SECRET" not in trouble


# ---- too much, and nonsense ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        b"", b"\xff\xff\xff\xff", b"\x04\x00\x00\x00null", b"\x02\x00\x00\x00{}", drop(("a.bvh", b"x"), sizes={"a.bvh": 10**12}),
        drop(("a.bvh", b"x"), sizes={"a.bvh": -1}), drop(("a.bvh", b"x"), sizes={"a.bvh": 2**70}),
        b'\x26\x00\x00\x00{"files":[{"name":"a\xff.bvh","size":1}]}x',
        (400_010).to_bytes(4, "little") + b'{"files":' + b"[" * 400_000, drop(), drop(*[("a.bvh", b"")] * 2001),
    ],
)  # fmt: skip
def test_a_drop_that_lies_is_refused_in_one_line(house: Studio, body: bytes) -> None:
    status, _, said = ask(house, "/api/drop", "POST", body, Origin=own(house))
    found = json.loads(said)
    assert status == 422 or (status == 200 and found["items"] == [])
    assert len((found.get("message") or found["troubles"][0]["en"]).splitlines()) == 1


ASKS = [
    "", "null", "[]", "{}", '"open"', '{"type":"nothing"}', '{"type":"watch"}', '{"type":"watch","part":"../x"}', '{"type":"undo","more":1}',
    '{"type":"change","part":"limited","options":{"omit":1e400}}', '{"type":"change","part":"limited","options":{"omit":"x"}}',
    '{"type":"change","part":"limited","options":{"omit":[1]}}', '{"type":"change","part":"limited","options":{"nothing":1}}',
    '{"type":"change","part":"limited","options":{"omit":-1}}', '{"type":"change","part":"limited","options":{"omit":true}}',
    '{"type":"change","part":"limited","options":{"pins":[99999999999999999999]}}',
    '{"type":"change","part":"limited","options":{"pins":[1.5]}}', '{"type":"change","part":"limited","options":{"pins":["a"]}}',
    '{"type":"change","part":"keyposes","options":{"count":-4}}', '{"type":"sheet","part":"limited","edit":"edge","frame":-1,"to":5}',
    '{"type":"sheet","part":"limited","edit":"draw","frame":0,"to":99999999999999999999}',
    '{"type":"sheet","part":"limited","edit":"insert","frame":123456789012345678901234567890}',
    '{"type":"sheet","part":"limited","edit":"pin","frame":-3}', "[" * 200_000, '{"type":"undo","x":' + "[" * 200_000, "\\ud800", "{" * 1000,
]  # fmt: skip


@pytest.mark.parametrize("text", ASKS, ids=range(len(ASKS)))
def test_nonsense_is_answered_in_one_line_and_the_line_stays(house: Studio, text: str) -> None:
    with live(house) as line:
        before = heard(line, "scene")["scene"]
        line.send(text)
        assert len(str(heard(line, "error")["message"]).splitlines()) == 1
        line.send('{"type":"save"}')
        heard(line, "saved")
    with live(house) as line:
        assert heard(line, "scene")["scene"] == before


def test_bytes_that_nobody_asked_for_are_no_harm(house: Studio) -> None:
    with live(house) as line:
        heard(line, "scene")
        for data in (b"", b"\0" * 7, b"\xff" * 100_000):
            line.send(data)
        line.send('{"type":"save"}')
        heard(line, "saved")


def _flood(line: ClientConnection) -> None:
    line.send(" " * (65 * 1024 * 1024))
    heard(line, "nothing")


def test_a_message_beyond_all_measure_closes_only_its_own_line(house: Studio) -> None:
    with live(house) as other:
        heard(other, "scene")
        with live(house) as line, pytest.raises(ConnectionClosed):
            _flood(line)
        other.send('{"type":"save"}')
        heard(other, "saved")


def test_a_page_that_does_not_listen_stalls_no_other(house: Studio) -> None:
    """The stuck page's socket is never read, while another page continues changing and being told."""
    key = "dGhlIHNhbXBsZSBub25jZQ=="
    with socket.socket() as stuck:
        stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
        stuck.connect(("127.0.0.1", house.port))
        stuck.sendall(
            f"GET /live?token={house.token} HTTP/1.1\r\nHost: 127.0.0.1:{house.port}\r\nOrigin: {own(house)}\r\n"
            f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        with live(house) as line:
            line.send('{"type":"watch","part":"limited"}')
            heard(line, "limited")
            for number in range(60):
                line.send(json.dumps({"type": "change", "part": "limited", "options": {"omit": number % 5}}))
            line.send('{"type":"save"}')
            heard(line, "saved")


def test_a_drop_is_bounded_while_it_arrives(tmp_path: Path) -> None:
    """Measured as it comes, because a stated length can lie or be omitted: most of an endless body is never read."""
    desk = Desk(Shelf(tmp_path / "files"))
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        port = listening.getsockname()[1]
        made = app(desk, Save(tmp_path), (f"127.0.0.1:{port}",), "token", most_bytes=1000)
        server = uvicorn.Server(uvicorn.Config(made, log_level="warning", lifespan="on"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            head = f"POST /api/drop HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nX-Komadori-Token: token\r\n"
            for length in ("Transfer-Encoding: chunked", "Content-Length: 100000000000"):
                with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
                    line.sendall(f"{head}{length}\r\n\r\n".encode())
                    line.sendall(b"2000\r\n" + b"x" * 0x2000 + b"\r\n")
                    assert line.makefile("rb").readline().split()[1] == b"413"
        finally:
            server.should_exit = True
            thread.join()
    assert not (tmp_path / "files").exists()


def test_a_picture_that_would_unfold_into_gigabytes_is_left_out(house: Studio) -> None:
    """A PNG of a few bytes that states 60,000 x 60,000 pixels, laid on a model's surface."""
    from dataclasses import replace

    from komadori.character import Image
    from komadori.characters import character

    bomb = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 60_000, 60_000) + b"\x08\x06\0\0\0" + b"\0" * 40
    girl = character("girl")
    materials = tuple(replace(material, image=0) for material in girl.materials)
    model = replace(girl, document=None, images=(Image("bomb.png", "image/png", bomb),), materials=materials)
    path = house.project.parent / "bomb.glb"
    save(model, path)
    status, _, body = ask(house, "/api/drop", "POST", drop(("bomb.glb", path.read_bytes())), Origin=own(house))
    assert status == 200
    with live(house) as line:
        heard(line, "body")
        line.send(json.dumps({"type": "open", "character": json.loads(body)["items"][0]["key"]}))
        told = heard(line, "body")
        line.send('{"type":"undo"}')
    assert any("bomb.png" in note["en"] for note in told["notes"])
    figure = ask(house, f"/{told['figure']}")[2]
    (length,) = struct.unpack_from("<I", figure, 12)
    assert b"baseColorTexture" not in figure[20 : 20 + length]
    assert bomb[:24] not in figure


def test_the_page_is_sent_compressed_and_once(studio: Studio) -> None:
    _, _, index = ask(studio, "/", token=None)
    (script,) = re.findall(rb'src="\./(assets/[^"]+\.js)"', index)
    status, headers, small = ask(studio, f"/{script.decode()}", token=None, Accept_Encoding="gzip")
    assert (status, headers["content-encoding"]) == (200, "gzip")
    assert "immutable" in headers["cache-control"]
    _, plain_headers, plain = ask(studio, f"/{script.decode()}", token=None)
    assert "content-encoding" not in plain_headers
    assert gzip.decompress(small) == plain
    assert len(small) < 0.4 * len(plain)
    tag = headers["etag"]
    status, _, nothing = ask(studio, f"/{script.decode()}", token=None, If_None_Match=tag)
    assert (status, nothing) == (304, b"")
    status, headers, _ = ask(studio, "/", token=None)
    assert headers["cache-control"] == "no-cache"
    status, _, nothing = ask(studio, "/", token=None, If_None_Match=headers["etag"])
    assert (status, nothing) == (304, b"")
    for name in ("..%2findex.html", "nothing.js", "..%2f..%2fserver.py", "."):
        assert ask(studio, f"/assets/{name}", token=None)[0] in (307, 404)
