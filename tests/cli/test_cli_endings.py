"""However a run ends: one clear line, the right status, no traceback, and no half-written file."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli_running import COMMAND, environment, komadori, names, only_line

CLIP = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Arm
  {
    OFFSET 0 30 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 140 0
    }
  }
}
MOTION
Frames: 12
Frame Time: 0.0416667
""" + "".join(f"{n * n}.5 90 {n} {3 * n} 0 0 {n} {2 * n} 0\n" for n in range(12))


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    path = tmp_path / "clip.bvh"
    path.write_text(CLIP, encoding="ascii")
    return path


def test_a_good_run_ends_with_0_and_says_nothing_on_stderr(clip: Path, tmp_path: Path) -> None:
    result = komadori("limited", clip, "-o", tmp_path / "new" / "out.bvh")
    assert (result.returncode, result.stderr) == (0, "")
    assert "out.bvh" in result.stdout
    assert names(tmp_path) == ["clip.bvh", "new", "new/out.bvh"]


@pytest.mark.parametrize(
    ("args", "status", "words"),
    [
        (["info", "missing.bvh"], 1, ["File not found: missing.bvh"]),
        (["info", "missing"], 1, ["File not found: missing"]),
        (["info", "pitch"], 1, ["sample:pitch"]),
        (["info", "."], 1, ["a folder"]),
        (["limited", "folder.bvh", "-o", "x.bvh"], 1, ["folder.bvh", "a folder"]),
        (["limited", "clip.txt", "-o", "x.bvh"], 1, ["clip.txt", ".bvh", "'.txt'"]),
        (["limited", "empty.bvh", "-o", "x.bvh"], 1, ["empty.bvh", "HIERARCHY"]),
        (["limited", "noise.bvh", "-o", "x.bvh"], 1, ["noise.bvh", "HIERARCHY"]),
        (["limited", "still.bvh", "-o", "x.bvh"], 1, ["still.bvh", "frames"]),
        (["limited", "clip.bvh", "-o", "clip.txt/x.bvh"], 1, ["clip.txt/x.bvh", "cannot be written"]),
        (["limited", "clip.bvh", "-o", "folder.bvh"], 1, ["folder.bvh", "name a file in it"]),
        (["limited", "clip.bvh", "-o", "x.bvh", "--camera", "missing.json"], 1, ["File not found: missing.json"]),
        (["limited", "clip.bvh", "-o", "x.bvh", "--camera", "clip.txt"], 1, ["clip.txt", "JSON"]),
        (["limited", "a\nb\x1b[31m.bvh", "-o", "x.bvh"], 1, [r"a\nb\x1b[31m.bvh"]),
        (["convert", "clip.txt", "x.bvh"], 1, ["clip.txt"]),
        (["limited"], 2, ["IN", "try: komadori limited --help"]),
        (["limited", "clip.bvh"], 2, ["-o FILE", "try: komadori limited --help"]),
        (["limited", "clip.bvh", "-o", "x.mov"], 2, ["'x.mov'", ".bvh", "found 'x.mov'"]),
        (["limited", "clip.bvh", "-o", "x"], 2, ["'x'", ".bvh", "found 'x'"]),
        (["limited", "clip.bvh", "--sheet", "x.bvh"], 2, ["--sheet: ", "found 'x.bvh'", ".xdts"]),
        (["limited", "clip.bvh", "--chart", "x.xdts"], 2, ["--chart: ", "found 'x.xdts'", ".svg"]),
        (["limited", "clip.bvh", "-o", "clip.bvh"], 2, ["is also an input"]),
        (["limited", "clip.bvh", "-o", "./folder.bvh/../clip.bvh"], 2, ["is also an input"]),
        (["limited", "clip.bvh", "-o", "link.bvh"], 2, ["is also an input"]),
        (["limited", "clip.bvh", "-o", "twin.bvh"], 2, ["is also an input"]),
        (["limited", "clip.bvh", "--sheet", "a.csv", "--sheet", "./a.csv"], 2, ["a.csv' is named twice"]),
        (["limited", "clip.bvh", "-o", "x.bvh", "--omit", "many"], 2, ["--omit", "a whole number", "'many'"]),
        (["limited", "clip.bvh", "-o", "x.bvh", "--omit", "-1"], 2, ["--omit", "at least 0", "-1"]),
        (["limited", "clip.bvh", "-o", "x.bvh", "--solver", "magic"], 2, ["--solver", "greedy", "magic"]),
        (["limited", "clip.bvh", "-o", "x.bvh", "--fps", "0"], 2, ["--fps", "23.976", "'0'"]),
        (
            ["limited", "clip.bvh", "-o", "x.bvh", "--pins", "99"],
            2,
            ["--pins: ", "0 to 11", "try: komadori limited --help"],
        ),
        (["limited", "ages.bvh", "-o", "x.bvh"], 1, ["ages.bvh", "1,000,000 frames", "frame time"]),
        (["convert", "ages.bvh", "x.bvh", "--fps", "24"], 1, ["ages.bvh", "1,000,000 frames", "frame time"]),
        (["limited", "clip.bvh", "-o", "x.bvh", "--omitt", "3"], 2, ["--omitt", "try: komadori limited --help"]),
        (["limited", "clip.bvh", "-o", "x.bvh", "--unit", "miles"], 2, ["--unit", "miles", "cm"]),
        (["limited", "sample:dance", "-o", "x.bvh"], 2, ["'dance'", "pitch, kick"]),
        (["samples", "dance", "-o", "x.bvh"], 2, ["'dance'", "pitch, kick"]),
        (["samples", "pitch"], 2, ["komadori samples pitch -o pitch.bvh"]),
        (["convert", "clip.bvh"], 2, ["komadori convert IN OUT"]),
        (["convert", "clip.bvh", "x.xdts"], 2, ["'x.xdts'", ".bvh"]),
        (["limitd", "clip.bvh"], 2, ["'limitd'", "did you mean 'limited'?"]),
        (["clip.bvh"], 2, ["is a file, not a command", "komadori info"]),
        (["--lang", "klingon", "info", "clip.bvh"], 2, ["--lang", "klingon"]),
    ],
)
def test_whatever_is_wrong_ends_in_one_line(
    clip: Path, tmp_path: Path, args: list[str], status: int, words: list[str]
) -> None:
    (tmp_path / "folder.bvh").mkdir()
    (tmp_path / "clip.txt").write_text(CLIP, encoding="ascii")
    (tmp_path / "empty.bvh").touch()
    (tmp_path / "noise.bvh").write_bytes(bytes(range(256)) * 8)
    (tmp_path / "still.bvh").write_text(CLIP.split("Frames:")[0] + "Frames: 0\nFrame Time: 0.1\n", encoding="ascii")
    (tmp_path / "ages.bvh").write_text(CLIP.replace("0.0416667", "10000"), encoding="ascii")
    (tmp_path / "link.bvh").symlink_to(clip)
    (tmp_path / "twin.bvh").hardlink_to(clip)
    before = names(tmp_path)
    result = komadori(*args, cwd=tmp_path)
    line = only_line(result)
    assert result.returncode == status
    for word in words:
        assert word in line
    assert names(tmp_path) == before
    assert clip.read_text(encoding="ascii") == CLIP


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_what_may_not_be_read_or_written(clip: Path, tmp_path: Path) -> None:
    clip.chmod(0)
    assert "permission denied" in only_line(komadori("info", clip))
    clip.chmod(0o600)
    (tmp_path / "locked").mkdir(mode=0o500)
    assert "permission denied" in only_line(komadori("convert", clip, tmp_path / "locked" / "x.bvh"))


def test_a_bad_file_among_good_ones_does_not_hide_them(clip: Path) -> None:
    result = komadori("info", clip, "missing.bvh", clip)
    assert result.returncode == 1
    assert result.stderr.count("\n") == 1
    assert "missing.bvh" in result.stderr
    assert result.stdout.count("clip.bvh\n") == 2


def small_files_only() -> None:
    """The disk is full after 2,000 bytes, as far as this process can tell."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))


def test_a_full_disk_leaves_the_old_file_whole(tmp_path: Path) -> None:
    (tmp_path / "out.bvh").write_text("the old one", encoding="ascii")
    result = komadori("limited", "sample:kick", "-o", tmp_path / "out.bvh", before=small_files_only)
    assert result.returncode == 1
    assert "out.bvh: cannot be written" in only_line(result)
    assert names(tmp_path) == ["out.bvh"]
    assert (tmp_path / "out.bvh").read_text(encoding="ascii") == "the old one"


WITHOUT_PICTURES = """
import sys
from komadori.cli import main

for name in ("PIL", "PIL.Image", "reportlab"):
    sys.modules[name] = None
sys.exit(main(["limited", "sample:kick", "-o", "out.bvh", "--sheet", "a.xdts", {wish}]))
"""


@pytest.mark.parametrize("wish", ['"--chart", "a.png"', '"--sheet", "a.pdf"'])
def test_what_cannot_be_drawn_keeps_everything_from_being_written(tmp_path: Path, wish: str) -> None:
    result = run_python(WITHOUT_PICTURES.format(wish=wish), tmp_path)
    assert result.returncode in (1, 2)
    assert "komadori[pictures]" in only_line(result)
    assert names(tmp_path) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("args", [["--help"], ["samples"], ["info", "sample:kick", "--json"]])
def test_standard_output_may_be_full(args: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [*COMMAND, *args], stdout=full, stderr=subprocess.PIPE, text=True, env=environment(), check=False
        )
    assert result.returncode == 1
    assert result.stderr.startswith("komadori: ")
    assert result.stderr.count("\n") == 1
    assert "space" in result.stderr


@pytest.mark.parametrize("args", [["--help"], ["samples"], ["info", "sample:kick"]])
def test_a_reader_that_goes_away_is_no_reason_to_complain(args: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as closed:
        result = subprocess.run(
            [*COMMAND, *args], stdout=closed, stderr=subprocess.PIPE, text=True, env=environment(), check=False
        )
    assert (result.returncode, result.stderr) == (1, "")


LONG_WORK = """
import select, signal, sys
from komadori.cli import inputs, main

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever starts the tests in the background has it ignored

def motion(*_):
    print("at work", flush=True)
    while True:
        select.select([], [], [], 0.01)

inputs.motion = motion
sys.exit(main(["limited", "sample:kick", "-o", "out.bvh"]))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_during_the_work(tmp_path: Path, number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", LONG_WORK],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=environment(),
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "at work\n"
        child.send_signal(number)
        try:
            out, err = child.communicate(timeout=60)
        finally:
            child.kill()
    assert (child.returncode, out) == (1, "")
    assert err == "komadori: stopped; no file is left half-written\n"
    assert names(tmp_path) == []


STOPPED_WHILE_WRITING = """
import os, signal, sys
from komadori.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)

def interrupted(handle):
    os.kill(os.getpid(), signal.SIGINT)

os.fsync = interrupted
sys.exit(main(["samples", "kick", "-o", "out.bvh"]))
"""


def test_an_interrupt_while_writing_leaves_nothing(tmp_path: Path) -> None:
    result = run_python(STOPPED_WHILE_WRITING, tmp_path)
    assert result.returncode == 1
    assert "stopped" in only_line(result)
    assert names(tmp_path) == []


def run_python(script: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", script],
        cwd=cwd,
        env=environment(**env),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


RAISING = """
import sys
import komadori.characters.samples as samples
import komadori.cli.samples as command
from komadori.cli import main

def sample(name, fps):
    raise {error}

command.sample = sample
sys.exit(main(["samples", "kick", "-o", "out.bvh"]))
"""


@pytest.mark.parametrize(("error", "words"), [("MemoryError", "memory"), ("RecursionError", "nested")])
def test_too_little_memory_or_stack_is_said_in_one_line(tmp_path: Path, error: str, words: str) -> None:
    result = run_python(RAISING.format(error=error), tmp_path)
    assert result.returncode == 1
    assert words in only_line(result)


def test_a_warning_of_a_library_stays_inside(tmp_path: Path) -> None:
    shouting = RAISING.format(error="OptionError(Note('no'))").replace(
        "    raise",
        "    import warnings; warnings.warn('careful'); from komadori.errors import OptionError; from komadori.words import Note\n    raise",
    )
    result = run_python(shouting, tmp_path)
    assert result.returncode == 2
    assert only_line(result) == "komadori: no; try: komadori samples --help"


def test_a_bug_says_that_it_is_one(tmp_path: Path) -> None:
    script = RAISING.format(error="ZeroDivisionError('oh')")
    result = run_python(script, tmp_path)
    assert result.returncode == 1
    line = only_line(result)
    assert "bug in komadori" in line
    assert "ZeroDivisionError" in line
    assert "KOMADORI_DEBUG=1" in line
    told = run_python(script, tmp_path, KOMADORI_DEBUG="1")
    assert told.returncode == 1
    assert told.stderr.startswith("Traceback")
