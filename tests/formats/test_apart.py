"""Reading in a separate process: whatever happens there harms nobody, runs nothing of a stranger's, and comes to an end."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from komadori.characters import character
from komadori.errors import FileNotFound, FormatError, OptionError
from komadori.formats import apart, parcel
from komadori.words import Note

CRASHER = """
import os, signal, sys, time
from komadori.errors import FormatError, OptionError
from komadori.words import Note
def read_here(path, how):
    print("noise"); print("noise", file=sys.stderr)
    if how == "crash": os.kill(os.getpid(), signal.SIGSEGV)
    if how == "memory": return bytearray(64 << 30)
    if how == "format": raise FormatError(path, "line 1", expected="a", found="b", advice="c")
    if how == "option": raise OptionError(Note("clip: none"))
    if how == "bug": raise ZeroDivisionError("oh")
    if how == "hang": signal.pause()
    return {"answer": 42}
"""


@pytest.mark.parametrize(
    ("how", "error", "match"),
    [
        ("crash", FormatError, "a crash in that library"),
        ("memory", FormatError, "memory"),
        ("format", FormatError, "line 1: expected a, found b; c"),
        ("option", OptionError, "clip: none"),
        ("bug", FormatError, "ZeroDivisionError: oh"),
        ("hang", FormatError, "no result after"),
    ],
)
def test_a_reader_may_do_anything(
    how: str,
    error: type[Exception],
    match: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "crasher.py").write_text(CRASHER)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(apart, "SECONDS", 2.0 if how == "hang" else 60.0)
    here = apart.Extra("A", "json", "json", "json")
    with pytest.raises(error, match=match) as caught:
        apart.read("crasher", tmp_path / "file", here, how=how)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_nothing_is_imported_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "crasher.py").write_text(CRASHER)
    # The first entry is the working directory, as `python -m` has it, and the variables are as bad as can be.
    strange = tmp_path / "downloaded"
    strange.mkdir()
    for name in ("json", "sitecustomize", "numpy", "komadori", "signal"):
        (strange / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    monkeypatch.chdir(strange)
    monkeypatch.setattr(sys, "path", ["", str(strange), *sys.path, str(tmp_path / "own")])
    monkeypatch.setenv("PYTHONPATH", str(strange))
    found = apart.read("crasher", tmp_path / "file", apart.Extra("A", "ast", "json", "json"), how="well")
    assert found == {"answer": 42}
    assert not (tmp_path / "ran").exists()


def test_what_a_reader_sends_back_is_never_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Bomb:
        def __reduce__(self) -> tuple[Any, ...]:
            return (os.mkdir, (str(tmp_path / "ran"),))

    class Ended:
        returncode, stdout, stderr = 0, pickle.dumps(Bomb()), b""

    monkeypatch.setattr(apart, "_run", lambda *_: Ended())
    with pytest.raises(FormatError, match="an error in that library"):
        apart.read("crasher", tmp_path / "file", apart.Extra("A", "json", "json", "json"), how="x")
    assert not (tmp_path / "ran").exists()


def test_a_reader_that_was_lost_is_not_started_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "crasher.py").write_text(CRASHER)
    monkeypatch.syspath_prepend(str(tmp_path))
    file, here = tmp_path / "file", apart.Extra("A", "json", "json", "json")
    file.write_bytes(b"one")
    with pytest.raises(FormatError, match="a crash in that library") as first:
        apart.read("crasher", file, here, how="crash")
    started: list[object] = []
    monkeypatch.setattr(apart, "_run", lambda *_: started.append(1))
    with pytest.raises(FormatError, match="a crash in that library") as again:
        apart.read("crasher", file, here, how="crash")
    assert str(first.value) == str(again.value)
    assert not started
    # A file that has changed since is another.
    file.write_bytes(b"other")
    with pytest.raises(AttributeError):
        apart.read("crasher", file, here, how="crash")
    assert started


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux alone ends children with their parent")
def test_a_reader_ends_with_its_parent(tmp_path: Path) -> None:
    fifo = tmp_path / "alive"
    os.mkfifo(fifo)
    (tmp_path / "holder.py").write_text(
        "import os, signal\ndef read_here(path):\n"
        "    held = os.open(path, os.O_WRONLY)\n    os.write(held, b'here')\n    signal.pause()\n"
    )
    program = (
        "from pathlib import Path; from komadori.formats import apart; "
        f"apart.read('holder', Path({str(fifo)!r}), apart.Extra('A', 'json', 'json', 'json'))"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    parent = subprocess.Popen([sys.executable, "-c", program], env=env)
    with fifo.open("rb") as pipe:
        assert pipe.read(4) == b"here"
        parent.kill()
        parent.wait()
        # The end of the pipe comes when nobody holds it any more.
        assert pipe.read() == b""


def test_readers_can_be_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "crasher.py").write_text(CRASHER)
    monkeypatch.syspath_prepend(str(tmp_path))
    ended: list[str] = []

    def read() -> None:
        with pytest.raises(FormatError, match="signal 9") as caught:
            apart.read("crasher", tmp_path / "file", apart.Extra("A", "json", "json", "json"), how="hang")
        ended.append(str(caught.value))

    reading = threading.Thread(target=read)
    reading.start()
    while not apart._RUNNING:
        assert reading.is_alive()
    while reading.is_alive():
        apart.stop()
    assert len(ended) == 1


def test_limits_grow_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = []

    def run(_: object, __: object, asked: bytes, timeout: float) -> None:
        given.append((json.loads(asked)["memory"], json.loads(asked)["seconds"], timeout))
        raise OSError

    monkeypatch.setattr(apart, "_run", run)
    for size in (1024, 20_000_000):
        with (tmp_path / "file").open("wb") as file:
            file.truncate(size)
        with pytest.raises(OptionError):
            apart.read("crasher", tmp_path / "file", apart.Extra("A", "json", "json", "json"))
    assert given[0][1] < 30.0
    assert given[1][1] > given[0][1] + 30.0
    assert given[1][0] > given[0][0]
    assert all(timeout > seconds for _, seconds, timeout in given)


def test_a_reader_may_print_and_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "crasher.py").write_text(CRASHER)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert apart.read("crasher", tmp_path, apart.Extra("A", "json", "json", "json"), how="well") == {"answer": 42}


def test_a_parcel_holds_a_whole_character() -> None:
    given = character("horse")
    back = parcel.opened(parcel.packed(given))
    assert repr(back) == repr(given)
    assert back.skeleton.names == given.skeleton.names
    assert dict(back.skeleton.roles) == dict(given.skeleton.roles)
    for ours, theirs in zip(back.meshes, given.meshes, strict=True):
        assert np.array_equal(ours.vertices, theirs.vertices)
        assert np.array_equal(ours.joints, theirs.joints)
    assert list(back.motions) == list(given.motions)
    for name, motion in given.motions.items():
        assert np.array_equal(back.motions[name].rotations, motion.rotations)
    # One skeleton stays one.
    assert len({id(motion.skeleton) for motion in back.motions.values()}) == len(
        {id(motion.skeleton) for motion in given.motions.values()}
    )


def test_an_error_crosses_as_its_parts() -> None:
    given = FormatError("a.fbx", Note("line {number}", number=3), expected=Note("a readable file"), found="b")
    back = parcel.opened(parcel.packed(given))
    assert type(back) is FormatError
    assert (str(back), back.place, back.found) == (str(given), given.place, given.found)
    assert back.in_language("ja") == given.in_language("ja") != str(given)
    assert type(parcel.opened(parcel.packed(FileNotFound("a")))) is FileNotFound


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"5",
        b"{}\n",
        b'{"object":["Popen",{"args":"true"}]}\n',
        b'{"object":["Motion",{"fps":1}]}\n',
        b'{"error":["Exception",[],{"dict":[]}]}\n',
        b'{"error":["FormatError",["a"],{"dict":[]}]}\n',
        b'{"array":["|O",[1]]}\n12345678',
        b'{"array":["<f8",[1000000000]]}\n12345678',
        b'{"array":["<f8",[-1]]}\n12345678',
        b'{"bytes":9}\n1234',
        b'{"again":3}\n',
        b'{"note":["{a.__class__}",{"dict":[]}]}\n',
        b'{"list":' * 5000 + b"\n",
    ],
)
def test_a_damaged_parcel_is_refused(head: bytes) -> None:
    with pytest.raises(parcel.Damaged):
        parcel.opened(head)


def test_a_parcel_refuses_what_it_cannot_hold() -> None:
    for value in (object(), np.array([object()]), sys):
        with pytest.raises(TypeError):
            parcel.packed(value)
