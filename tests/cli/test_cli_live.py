"""`komadori live` as a user runs it: real sockets on the loopback, Ctrl+C, and what is refused."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import komadori
from komadori.cli import main

from live_packets import vmc


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def test_a_file_is_played_and_recorded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "take.bvh"
    assert (
        main(
            [
                "live",
                "--from",
                "file:sample:kick",
                "--record",
                str(out),
                "--seconds",
                "0.6",
                "--character",
                "mannequin",
                "--hair",
                "none",
            ]
        )
        == 0
    )
    said = capsys.readouterr().out
    assert "take.bvh" in said
    assert "take.xdts" in said
    assert "packets/s" in said
    # At most 0.6 s of frames; fewer on a machine that has no time for this.
    assert 2 <= len(komadori.load(out, kind="motion")) <= 15


def test_ctrl_c_finishes_the_recording_of_packets_from_the_loopback(tmp_path: Path) -> None:
    port, out = free_port(), tmp_path / "take.vrma"
    words = [
        "live",
        "--from",
        f"vmc:{port}",
        "--to",
        f"vmc:{free_port()}",
        "--look",
        "tv",
        "--record",
        str(out),
        "--character",
        "mannequin",
    ]
    code = "import sys; from komadori.cli import main; sys.exit(main(sys.argv[1:]))"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    running = subprocess.Popen(
        [sys.executable, "-c", code, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    )
    assert running.stdout is not None
    assert "Live from" in running.stdout.readline()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for frame in range(60):
            sender.sendto(vmc(frame / 30.0), ("127.0.0.1", port))
            time.sleep(1.0 / 60.0)
    running.send_signal(signal.SIGINT)
    said, complaints = running.communicate(timeout=60)
    assert running.returncode == 0, complaints
    assert "take.vrma" in said
    assert len(komadori.load(out, kind="motion")) >= 1
    assert (tmp_path / "take.xdts").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--from", "vmc:99999", "--record", "x.bvh"], "0 to 65535"),
        (["--from", "kinect:1", "--record", "x.bvh"], "vmc:PORT, mocopi:PORT or file:FILE"),
        (["--from", "vmc:0", "--to", "mocopi:5"], "vmc:PORT"),
        (["--from", "vmc:0"], "give an output"),
        (["--from", "vmc:0", "--record", "x.txt"], ".bvh"),
        (["--from", "file:sample:kick", "--record", "x.bvh", "--look-ahead", "9"], "6"),
        (["--from", "vmc:nowhere.invalid:1", "--record", "x.bvh"], "cannot listen"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["live", *words, "--seconds", "0.1"]) == 2
    complaint = capsys.readouterr().err
    assert said in complaint
    assert complaint.count("\n") == 1


def test_a_port_that_is_taken_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        assert main(["live", "--from", f"vmc:{port}", "--record", "x.bvh"]) == 2
    assert f"port {port} is in use" in capsys.readouterr().err
