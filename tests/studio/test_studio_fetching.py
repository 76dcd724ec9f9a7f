"""Opening, removing and fetching over the server's own doors: the shelf, exports with their progress, live answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from websockets.sync.client import ClientConnection, connect

from komadori.characters import sample
from komadori.errors import KomadoriError, OptionError
from komadori.formats import encoded
from komadori.studio.desk import Desk
from komadori.studio.messages import Cast, Open, Remove
from komadori.studio.scene import Scene
from komadori.studio.server import app
from komadori.studio.serving import opened
from komadori.studio.shelf import Shelf

from wire import unpacked

PATIENCE_S = 60.0


@pytest.fixture
def walk() -> bytes:
    return encoded(sample("walk")[:30], "walk.bvh")


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(Shelf(tmp_path / "files"), Scene(motion="sample:walk"))


@dataclass(frozen=True)
class Client:
    """A page of the studio without a browser."""

    desk: Desk
    host: str
    token: str

    def get(self, path: str, token: str | None = None) -> httpx.Response:
        headers = {"x-komadori-token": self.token if token is None else token}
        return httpx.get(f"http://{self.host}/{path}", headers=headers, timeout=PATIENCE_S)

    @contextmanager
    def line(self) -> Iterator[ClientConnection]:
        with connect(f"ws://{self.host}/live?token={self.token}", origin=f"http://{self.host}") as socket:
            yield socket


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    studio = opened(project=tmp_path)
    studio.desk.do(Open(motion="sample:walk"))
    made = app(studio.desk, studio.save, studio.hosts, studio.token)
    server = uvicorn.Server(uvicorn.Config(made, log_level="warning", lifespan="on"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [studio.socket]})
    thread.start()
    yield Client(studio.desk, studio.hosts[0], studio.token)
    server.should_exit = True
    thread.join(PATIENCE_S)
    studio.socket.close()
    studio.save.release()


def do(desk: Desk, ask: object) -> None:
    desk.prepare(ask)
    desk.do(ask)


def ask(line: ClientConnection, type_: str, **given: object) -> None:
    line.send(json.dumps({"type": type_, **given}))


def until(line: ClientConnection, kind: str) -> list[dict[str, Any]]:
    """What is told up to the first message of this kind."""
    heard: list[dict[str, Any]] = []
    while not heard or heard[-1]["type"] != kind:
        heard.append(json.loads(line.recv(PATIENCE_S)))
    return heard


# ---- the shelf ---------------------------------------------------------------------------------------------------------


def test_a_dropped_file_can_be_removed_with_what_came_with_it(desk: Desk, walk: bytes, tmp_path: Path) -> None:
    (one,) = desk.shelf.dropped([("walk.bvh", walk), ("notes/readme.txt", b"hello")]).items
    (other,) = desk.shelf.dropped([("other.bvh", walk)]).items
    do(desk, Remove(one.key))
    keys = [item.key for item in desk.shelf.items()]
    assert one.key not in keys
    assert other.key in keys
    assert [path.name for path in (tmp_path / "files").rglob("*") if path.is_file()] == ["other.bvh"]
    with pytest.raises(OptionError, match="not on the shelf"):
        desk.shelf.motion(one.key)


def test_a_file_in_use_stays(desk: Desk, walk: bytes) -> None:
    (item,) = desk.shelf.dropped([("walk.bvh", walk)]).items
    do(desk, Open(motion=item.key))
    with pytest.raises(OptionError, match="in use"):
        do(desk, Remove(item.key))
    do(desk, Open(motion="sample:walk"))
    do(desk, Cast(train=[item.key]))
    with pytest.raises(OptionError, match="in use"):
        do(desk, Remove(item.key))
    do(desk, Cast(train=[]))
    do(desk, Remove(item.key))
    assert item.key not in [found.key for found in desk.shelf.items()]


def test_a_file_that_came_with_one_in_use_stays(desk: Desk, walk: bytes) -> None:
    one, other = desk.shelf.dropped([("a.bvh", walk), ("b.bvh", walk)]).items
    do(desk, Open(motion=one.key))
    with pytest.raises(OptionError, match="in use"):
        do(desk, Remove(other.key))


def test_a_file_named_on_the_command_line_is_never_deleted(tmp_path: Path, walk: bytes) -> None:
    path = tmp_path / "mine" / "walk.bvh"
    path.parent.mkdir()
    path.write_bytes(walk)
    desk = Desk(Shelf(tmp_path / "files", [path]), Scene(motion="sample:walk"))
    do(desk, Remove(f"path:{path}"))
    assert path.read_bytes() == walk
    assert f"path:{path}" not in [item.key for item in desk.shelf.items()]


@pytest.mark.parametrize(
    "key", ["sample:walk", "character:girl", "drop:..", "drop:../x", "path:/etc/passwd", "", "drop:"]
)
def test_nothing_else_can_be_removed(desk: Desk, key: str, walk: bytes, tmp_path: Path) -> None:
    desk.shelf.dropped([("walk.bvh", walk)])
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(KomadoriError):
        do(desk, Remove(key))
    assert sorted(tmp_path.rglob("*")) == before


def test_animals_are_known_by_their_legs(desk: Desk) -> None:
    assert [item.name for item in desk.shelf.items() if item.animal] == ["horse"]


# ---- fetching ----------------------------------------------------------------------------------------------------------


def test_an_export_is_told_fetched_and_named(client: Client) -> None:
    with client.line() as line:
        ask(line, "export", what="limited", kind="sheet", suffix=".xdts")
        told = next(message for message in until(line, "export_ended") if message["type"] == "export")
    answer = client.get(told["address"])
    assert answer.status_code == 200
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''walk-limited.xdts"
    assert answer.headers["content-type"] == "application/octet-stream"
    assert len(answer.content) == told["size"]
    assert answer.content.startswith(b"exchangeDigitalTimeSheet")


def test_an_export_needs_the_token_and_a_key_that_was_told(client: Client) -> None:
    assert client.get("api/export/nothing").status_code == 404
    assert client.get("api/export/..%2Fscene.json").status_code == 404
    assert client.get("api/export/nothing", token="wrong").status_code == 401
    assert client.get("api/formats", token="wrong").status_code == 401


def test_what_cannot_be_exported_ends_with_one_line_and_the_line_goes_on(client: Client) -> None:
    with client.line() as line:
        ask(line, "export", what="original", kind="sheet", suffix=".xdts")
        assert "no timesheet" in until(line, "export_ended")[-1]["message"]["en"]
        ask(line, "export", what="limited", kind="recipe", suffix=".toml")
        assert until(line, "export_ended")[-1]["message"] is None


def test_a_film_can_be_given_up(client: Client) -> None:
    with client.line() as line:
        ask(line, "export", what="limited", kind="picture", suffix=".gif", width=640, height=480)
        until(line, "progress")
        ask(line, "stop_export")
        heard = until(line, "export_ended")
        assert all(message["type"] != "export" for message in heard)
        assert heard[-1]["message"] is None


def test_what_can_be_written_is_listed(client: Client) -> None:
    told = client.get("api/formats").json()
    bvh = next(item for item in told["items"] if item["suffix"] == ".bvh")
    assert (bvh["kind"], bvh["name"], bvh["missing"]) == ("motion", "BVH", None)
    assert "Blender" in bvh["purpose"]["en"]
    assert "three-quarter" in told["cameras"]
    assert "toon" in told["styles"]


def test_a_removed_file_is_told_to_every_page(client: Client, walk: bytes) -> None:
    (item,) = client.desk.shelf.dropped([("walk.bvh", walk)]).items
    with client.line() as line, client.line() as other:
        until(other, "scene")
        ask(line, "remove", key=item.key)
        until(line, "shelf")
        until(other, "shelf")
    assert item.key not in [found["key"] for found in client.get("api/shelf").json()["items"]]


def test_live_answers_come_once_there_is_something_to_follow(client: Client) -> None:
    with client.line() as line:
        ask(line, "follow", frame=3, serial=1)
        ask(line, "watch", part="translate")
        until(line, "translate")
        ask(line, "follow", frame=3, serial=2)
        # The pose comes among what else is told, such as that a method has answered.
        answer = next(told for told in iter(lambda: line.recv(PATIENCE_S), None) if isinstance(told, bytes))
        assert (unpacked(answer)["serial"], unpacked(answer)["frame"]) == (2, 3)


def test_an_error_is_said_in_both_languages(client: Client) -> None:
    with client.line() as line:
        ask(line, "trace", name="no.csv", text="not,a,trace\n")
        *_, found = until(line, "error")
    assert found["message"].startswith("no.csv")
    assert any(letter > "\u3000" for letter in found["ja"]), found
