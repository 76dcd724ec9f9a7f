"""Batch: a row for every clip whatever happens to it, and a state from which the work always continues."""

from __future__ import annotations

import csv
import io
import json
import logging
import os
import pickle
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import komadori
from bench import kills
from komadori.characters import sample
from komadori.cli import run
from komadori.errors import FileNotFound, OptionError, OutputError, UnreadableFile
from komadori.library import cluster, local
from komadori.library.batching import State, checked_files
from komadori.library.finding import clips
from komadori.library.hands import Hand, Limits
from komadori.library.jobs import TIMES, Job, Record, balanced, decoded
from komadori.library.work import worked
from komadori.library.worker import LENGTH, receive
from komadori.pipeline import look

COMMAND = [sys.executable, "-m", "komadori", "batch"]


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small library: good clips, a broken one, and names that meet."""
    folder = tmp_path_factory.mktemp("shelf")
    for number, name in enumerate(["walk", "kick", "pitch", "slow-walk"]):
        komadori.save(sample(name)[: 30 + 5 * number], folder / "in" / f"{name}.bvh")
    komadori.save(sample("walk")[:30], folder / "in" / "walk.glb")
    komadori.save(sample("kick")[10:40], folder / "in" / "deep" / "walk.bvh")
    (folder / "in" / "broken.bvh").write_text("HIERARCHY\nROOT\n")
    return folder / "in"


def table(folder: Path) -> list[dict[str, str]]:
    """The rows of a batch's table, without what differs from run to run."""
    rows = csv.DictReader((folder / "table.csv").read_text(encoding="utf-8").splitlines())
    return [{name: value for name, value in row.items() if name not in TIMES} for row in rows]


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in (folder / "clips").rglob("*") if path.is_file()}  # fmt: skip


@pytest.fixture(scope="module")
def whole(shelf: Path) -> Path:
    """What an undisturbed run gives."""
    out = shelf.parent / "whole"
    result = komadori.batch(shelf, out, jobs=2)
    assert [record.clip for record in result.failed] == ["broken"]
    return out


def test_every_clip_has_its_row_and_its_files(whole: Path, shelf: Path) -> None:
    rows = {row["clip"]: row for row in table(whole)}
    assert list(rows) == ["broken", "deep/walk", "kick", "pitch", "slow-walk", "walk-bvh", "walk-glb"]
    assert rows["broken"]["status"] == "failed"
    assert "broken.bvh, line 2" in rows["broken"]["error"]
    assert rows["kick"]["status"] == "done"
    assert set(files(whole)) == {f"clips/{name}/{name.split('/')[-1]}{end}" for name in rows if name != "broken" for end in (".glb", ".xdts")}  # fmt: skip
    made = look("tv").run(komadori.load(shelf / "kick.bvh"))
    assert int(rows["kick"]["drawings"]) == made.drawings
    wanted = komadori.measure(made.motion, sheet=made.sheet, against=made.original)
    assert float(rows["kick"]["skating"]) == pytest.approx(wanted["skating"].value, abs=1e-6)
    assert len(rows["kick"]["input_sha256"]) == 64
    assert komadori.load(whole / "clips/kick/kick.glb").duration_s == pytest.approx(len(made.motion) / 24.0, abs=0.05)


def test_the_tables_hold_the_same(whole: Path) -> None:
    base = sqlite3.connect(whole / "table.sqlite")
    held = base.execute("SELECT clip, status, drawings FROM clips ORDER BY rowid").fetchall()
    base.close()
    assert [(row["clip"], row["status"], row["drawings"] or None) for row in table(whole)] == [
        (clip, status, None if drawings is None else str(drawings)) for clip, status, drawings in held
    ]


def test_the_page_shows_failures_first_and_loads_nothing(whole: Path) -> None:
    text = (whole / "index.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in text.replace("&#x27;", "'")
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    data = json.loads(text.split("const DATA = ", 1)[1].split(";\n", 1)[0])
    assert len(data["rows"]) == 7
    assert sum("<svg" in row["poster"] for row in data["rows"]) == 6
    assert "clips/deep/walk/walk.glb" in json.dumps(data)


def test_going_on_repeats_nothing_that_is_whole(whole: Path, shelf: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(whole, out)
    (out / "clips/kick/kick.glb").write_bytes(b"cut off")
    (out / "records/pitch.json").write_text("{}")
    before = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}
    seen: list[State] = []
    komadori.batch(shelf, out, jobs=2, resume=True, progress=seen.append)
    assert (seen[-1].done, seen[-1].count, seen[-1].failed, seen[-1].kept) == (7, 7, 1, 4)
    assert seen[-1].left_s == 0.0
    # What was kept took no time, and tells nothing of the time that is left.
    assert seen[-1].a_minute == pytest.approx(60.0 * 3 / seen[-1].seconds)
    assert all(0.0 < one.share < 1.0 for one in seen[:-1] if one.done - one.kept)
    changed = {path.relative_to(out).as_posix() for path, when in before.items() if path.stat().st_mtime_ns != when}
    again = {name for name in changed if name.startswith(("clips", "records"))}
    # What failed is tried again: the reason may be gone.
    assert again == {
        "clips/kick/kick.glb", "clips/kick/kick.xdts", "records/kick.json",
        "clips/pitch/pitch.glb", "clips/pitch/pitch.xdts", "records/pitch.json", "records/broken.json",
    }  # fmt: skip
    assert table(out) == table(whole)
    assert files(out) == files(whole)


def test_another_recipe_or_another_clip_is_other_work(whole: Path, shelf: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(whole, out)
    komadori.batch([shelf / "kick.bvh", shelf / "pitch.bvh"], out, jobs=1, resume=True, look="film")
    other = {row["clip"]: row for row in table(out)}
    same = {row["clip"]: row for row in table(whole)}
    assert other["kick"]["recipe_sha256"] != same["kick"]["recipe_sha256"]
    assert other["pitch"]["drawings"] != same["pitch"]["drawings"]


# Processes that die. Each kill is of the real thing, with signal 9, and is followed by --resume.


def begun(*args: str | Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*COMMAND, *map(str, args)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def children(pid: int) -> list[int]:
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True).stdout
    return [int(word) for word in found.split()]


def records(out: Path) -> int:
    return len(list((out / "records").rglob("*.json"))) if out.exists() else 0


def until(holds: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    """Wait until something holds or the process has ended."""
    deadline = time.monotonic() + 100.0
    while not holds() and process.poll() is None:
        assert time.monotonic() < deadline, "nothing happens"
        time.sleep(0.01)


@pytest.fixture(scope="module")
def killing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which rounds of kills share their clips and their undisturbed run."""
    return tmp_path_factory.mktemp("kills")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.slow
@pytest.mark.parametrize("victim", [kills.WORKER, kills.PARENT])
def test_nothing_is_lost_or_doubled_when_processes_are_killed(victim: str, killing: Path) -> None:
    """One round each of what `python -m bench.kills` does fifty times; a cluster's worker and scheduler are killed further below."""
    (made,) = kills.rounds(killing, 1, first=len(victim), victims=(victim,))
    assert made == kills.Round(victim, made.done, repeated=0, lost=0, doubled=0, changed=0, files=0)
    assert not list((killing / "out").rglob(".komadori-*.part"))


def test_a_round_of_kills_sees_what_is_wrong(whole: Path, tmp_path: Path) -> None:
    """The comparison that the kills rest on: a row lost, a row changed, a file cut short."""
    out = tmp_path / "out"
    shutil.copytree(whole, out)
    assert kills.rows(out) == kills.rows(whole)
    assert kills.contents(out) == kills.contents(whole)
    lines = (out / "table.csv").read_text(encoding="utf-8").splitlines()
    (out / "table.csv").write_text("\n".join([*lines[:-1], lines[-2]]), encoding="utf-8")
    (out / "clips/kick/kick.glb").write_bytes(b"cut")
    (out / ".komadori-x.part").write_bytes(b"")
    assert kills.rows(out) != kills.rows(whole)
    differs = {name for name in kills.contents(out) if kills.contents(out)[name] != kills.contents(whole).get(name)}
    assert differs == {"clips/kick/kick.glb", ".komadori-x.part"}


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_ctrl_c_leaves_a_table_and_a_state_to_go_on_from(shelf: Path, whole: Path, tmp_path: Path) -> None:
    """The smallest file is worked on last: a pipe into which nobody writes holds the batch there until Ctrl+C comes."""
    names = [shelf / f"{name}.bvh" for name in ("kick", "pitch", "slow-walk", "broken")]
    stuck, listed, out = tmp_path / "stuck.bvh", tmp_path / "all.txt", tmp_path / "out"
    listed.write_text("".join(f"{path}\n" for path in [*names, stuck]), encoding="utf-8")
    os.mkfifo(stuck)
    process = subprocess.Popen([*COMMAND, listed, "-o", out, "--jobs", "1"], stderr=subprocess.PIPE, text=True)
    until(lambda: records(out) >= len(names), process)
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=60.0)[1]
    assert process.returncode == 1
    # The newest record may lie there before its process has told of it.
    assert re.fullmatch(rf"komadori: stopped after \d of {len(names) + 1} clips; continue with --resume\n", told), told
    states = {row["clip"]: row["status"] for row in table(out)}
    assert states.pop("stuck") == "waiting"
    assert set(states.values()) == {"done", "failed"}
    stuck.unlink()
    komadori.save(sample("walk")[:30], stuck)
    assert begun(listed, "-o", out, "--jobs", "1", "--resume").wait(100.0) == 1
    rows = {row["clip"]: row for row in table(out)}
    assert rows.pop("stuck")["status"] == "done"
    assert list(rows.values()) == [row for row in table(whole) if row["clip"] in rows]


def job(given: str, out: Path, **more: object) -> Job:
    recipe = look("tv")
    made = {"name": "x", "files": (".glb",), "character": None, "unit": None, "version": "0", "size": 0, "output": str(out), **more}  # fmt: skip
    return Job(given=given, recipe=recipe.toml(), look="tv", **made)


def test_a_clip_that_eats_all_memory_gets_its_row_and_the_next_goes_on(tmp_path: Path) -> None:
    long = sample("walk")
    komadori.save(long.taken([n % len(long) for n in range(10_000)]), tmp_path / "long.bvh")
    hand = Hand(Limits(memory_mb=150))
    try:
        bad = hand.work(job(str(tmp_path / "long.bvh"), tmp_path / "out"))
        assert bad.status in ("failed", "crashed")
        assert "memory" in bad.error
        assert hand.work(job("sample:walk", tmp_path / "out", name="y")).status == "done"
    finally:
        hand.close()


def test_a_clip_that_hangs_is_ended(tmp_path: Path) -> None:
    pipe = tmp_path / "endless.bvh"
    os.mkfifo(pipe)
    hand = Hand(Limits(timeout_s=1.5))
    try:
        record = hand.work(job(str(pipe), tmp_path / "out"))
    finally:
        hand.close()
    assert record.status == "failed"
    assert "--timeout" in record.error
    assert decoded((tmp_path / "out/records/x.json").read_bytes()) == record


def test_a_full_disk_ends_the_batch_with_one_line(
    shelf: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full")
    out = tmp_path / "out"
    (out / "clips" / "kick").mkdir(parents=True)
    (out / "records").mkdir()
    (out / "records" / "kick.json").symlink_to(full)
    assert run(["batch", str(shelf / "kick.bvh"), "-o", str(out)]) == 1
    told = capsys.readouterr().err
    assert "no space left on the disk" in told
    assert told.count("\n") == 1


# Bad input: one row or one line each.


@pytest.mark.parametrize(
    ("args", "status", "words"),
    [
        (["empty", "-o", "out"], 2, "in 'empty'"),
        (["in", "-o", "in/out"], 2, "lies in"),
        (["in", "-o", "afile"], 1, "name a folder"),
        (["in", "-o", "out", "--look", "nosuch"], 2, "--look"),
        (["in", "-o", "out", "--files", "glb,docx"], 2, "--files"),
        (["in", "-o", "out", "--on", "moon"], 2, "dask://HOST:PORT"),
        (["in", "-o", "out", "--on", "dask://127.0.0.1:1"], 1, "no Dask scheduler answers"),
        (["in", "-o", "out", "--character", "nosuch.vrm"], 1, "File not found"),
        (["in", "-o", "out", "--jobs", "0"], 2, "--jobs"),
    ],
)
def test_wrong_calls_get_one_line(
    args: list[str],
    status: int,
    words: str,
    shelf: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("komadori.library.cluster.CONNECT_S", 0.5)
    (tmp_path / "empty").mkdir()
    (tmp_path / "afile").write_text("x")
    (tmp_path / "in").mkdir()
    shutil.copy(shelf / "kick.bvh", tmp_path / "in")
    assert run(["batch", *args]) == status
    told = capsys.readouterr().err
    assert words in told
    assert told.count("\n") == 1


def test_a_missing_file_and_one_of_an_unknown_kind_are_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes.doc").write_text("x")
    args = [str(tmp_path / "gone.bvh"), str(tmp_path / "notes.doc"), "sample:walk", "-o", str(tmp_path / "out")]
    assert run(["batch", *args]) == 1
    rows = {row["clip"]: row for row in table(tmp_path / "out")}
    assert "File not found" in rows["gone"]["error"]
    assert rows["notes"]["status"] == "failed"
    assert rows["walk"]["status"] == "done"
    assert "1 of 3 clips done" in capsys.readouterr().out


def test_every_unreadable_file_is_one_row_with_one_line(tmp_path: Path) -> None:
    noise = bytes(range(256)) * 40
    komadori.save(sample("walk")[:4], tmp_path / "in" / "no-frames.bvh")
    whole = (tmp_path / "in" / "no-frames.bvh").read_text(encoding="utf-8")
    head = whole.split("Frames:")[0]
    (tmp_path / "in" / "no-frames.bvh").write_text(f"{head}Frames: 0\nFrame Time: 0.04\n", encoding="utf-8")
    (tmp_path / "in" / "cut-off.bvh").write_text(whole[: len(whole) // 2], encoding="utf-8")
    (tmp_path / "in" / "empty.bvh").write_bytes(b"")
    for suffix in ("bvh", "glb", "fbx", "vmd", "c3d"):
        (tmp_path / "in" / f"noise-{suffix}.{suffix}").write_bytes(noise)
    (tmp_path / "in" / "link.bvh").symlink_to(tmp_path / "nowhere.bvh")
    result = komadori.batch([tmp_path / "in", "sample:kick"], tmp_path / "out", jobs=1)
    rows = {row["clip"]: row for row in result.rows()}
    assert rows.pop("kick")["status"] == "done"
    assert len(rows) == 9
    for name, row in rows.items():
        assert row["status"] == "failed", name
        assert row["error"], name
        assert "\n" not in row["error"], name
    assert not list((tmp_path / "out" / "clips").glob("[!k]*")), "nothing half-written"


def test_a_fault_of_ours_is_a_row_that_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("komadori.library.work.measure", lambda *args, **more: 1 // 0)
    record = worked(job("sample:kick", tmp_path))
    assert record.status == "failed"
    assert record.error.startswith("this is a bug in komadori, not in your file: ZeroDivisionError at test_batch.py:")
    assert decoded((tmp_path / "records/x.json").read_bytes()) == record


def test_hair_on_a_body_without_it_is_one_row_with_a_note(tmp_path: Path) -> None:
    result = komadori.batch("sample:walk", tmp_path / "out", look="tv", character="mannequin", jobs=1)
    (record,) = result.records
    assert record.status == "done"
    assert any("hair" in note for note in record.notes)


@pytest.mark.parametrize("scheme", ["file://", "local://"])
def test_addresses_of_this_machine_are_its_paths(tmp_path: Path, scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    komadori.save(sample("walk")[:30], tmp_path / "in" / "walk.bvh")
    with pytest.raises(OptionError, match="lies in"):
        komadori.batch(f"{scheme}{tmp_path}/in", f"{scheme}{tmp_path}/in/out", jobs=1)
    result = komadori.batch(f"{scheme}{tmp_path}/in", f"{scheme}{tmp_path}/out", files=("xdts",), jobs=1)
    assert [record.status for record in result.records] == ["done"]
    assert (tmp_path / "out" / "clips" / "walk" / "walk.xdts").is_file()
    assert (tmp_path / "out" / "records" / "walk.json").is_file()
    assert not list((tmp_path / "here").iterdir())


def test_the_memory_of_one_process_is_no_place_for_results() -> None:
    with pytest.raises(OptionError, match="all processes see"):
        komadori.batch("sample:walk", "memory://out", jobs=1)


def test_long_clips_come_first() -> None:
    jobs = [job("a", Path("o"), name=str(n), size=size) for n, size in enumerate([3, 9, 1, 9])]
    assert [one.name for one in balanced(jobs)] == ["1", "3", "0", "2"]


def test_suffixes_are_checked() -> None:
    assert checked_files([" GLB", ".xdts", "glb", ""]) == (".glb", ".xdts")
    with pytest.raises(OptionError, match="files"):
        checked_files(["exe"])
    with pytest.raises(OutputError):
        komadori.batch("sample:walk", __file__)


# Other places: an address, and a cluster of real workers.


@pytest.fixture(scope="module")
def bucket() -> Iterator[Any]:
    """A server that speaks S3's protocol, with one bucket called studio."""
    pytest.importorskip("s3fs")
    moto, boto3 = pytest.importorskip("moto.server"), pytest.importorskip("boto3")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    with pytest.MonkeyPatch.context() as patch:
        host, port = server.get_host_and_port()
        for name, value in (("ENDPOINT_URL", f"http://{host}:{port}"), ("ACCESS_KEY_ID", "x"), ("SECRET_ACCESS_KEY", "x"), ("DEFAULT_REGION", "us-east-1")):  # fmt: skip
            patch.setenv(f"AWS_{name}", value)
        client = boto3.client("s3")
        client.create_bucket(Bucket="studio")
        yield client
    server.stop()


def test_clips_and_results_lie_in_a_bucket(bucket: Any, shelf: Path, whole: Path, tmp_path: Path) -> None:
    for path in shelf.rglob("*.*"):
        bucket.upload_file(str(path), "studio", f"clips/{path.relative_to(shelf).as_posix()}")
    komadori.batch("s3://studio/clips", "s3://studio/out", jobs=1)
    again = komadori.batch("s3://studio/clips", "s3://studio/out", jobs=1, resume=True)
    assert {record.clip for record in again.records if not record.kept} == {"broken"}
    for held in bucket.list_objects_v2(Bucket="studio", Prefix="out/")["Contents"]:
        target = tmp_path / held["Key"]
        target.parent.mkdir(parents=True, exist_ok=True)
        bucket.download_file("studio", held["Key"], str(target))
    mine, want = ({row["clip"]: row for row in table(folder)} for folder in (tmp_path / "out", whole))
    assert mine["broken"]["error"].startswith("s3://studio/clips/broken.bvh, line 2")
    for row in (*mine.values(), *want.values()):
        del row["input"], row["error"]
    assert mine == want
    assert files(tmp_path / "out") == files(whole)
    globbed = clips(["s3://studio/clips/w*.bvh", "s3://studio/clips/d*"])
    assert {clip.given for clip in globbed} == {"s3://studio/clips/walk.bvh", "s3://studio/clips/deep/walk.bvh"}


def test_a_bucket_that_is_not_there_is_told_and_not_made(bucket: Any, tmp_path: Path) -> None:
    with pytest.raises(FileNotFound, match="s3://nobody/clips"):
        komadori.batch("s3://nobody/clips", tmp_path / "out")
    with pytest.raises(OutputError, match="s3://nobody/out"):
        komadori.batch("sample:kick", "s3://nobody/out", jobs=1)
    assert [one["Name"] for one in bucket.list_buckets()["Buckets"]] == ["studio"]


def test_a_storage_that_does_not_answer_ends_the_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What S3's client raises there is no OSError, and no thread may end without a word."""
    fsspec = pytest.importorskip("fsspec")

    class Silent(fsspec.AbstractFileSystem):  # type: ignore[misc, name-defined]
        protocol = "silent"

        def find(self, *args: object, **more: object) -> None:
            raise LookupError("nobody answers")

        cat_file = pipe_file = find

    fsspec.register_implementation("silent", Silent, clobber=True)
    with pytest.raises(UnreadableFile, match="silent://studio/clips: cannot be read: nobody answers"):
        komadori.batch("silent://studio/clips", tmp_path / "out")
    with pytest.raises(OutputError, match="nobody answers"):
        worked(job("sample:kick", tmp_path, output="silent://studio/out"))
    monkeypatch.setattr(Hand, "work", lambda hand, job: [][1])
    with pytest.raises(IndexError):
        list(local.run([job("sample:kick", tmp_path)], 1, Limits()))


def test_a_cluster_gives_the_same_and_survives_a_killed_worker(shelf: Path, whole: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    out = tmp_path / "out"
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as there:
        address = there.scheduler_address.removeprefix("tcp://")
        process = begun(shelf, "-o", out, "--on", f"dask://{address}")
        until(lambda: records(out) >= 1, process)
        os.kill(next(iter(there.workers.values())).pid, signal.SIGKILL)
        assert process.wait(100.0) == 1
    assert table(out) == table(whole)
    assert files(out) == files(whole)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_lost_scheduler_is_one_line_and_no_clip_is_blamed_for_it(shelf: Path, whole: Path, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    out, file = tmp_path / "out", tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    common = ["--no-dashboard", "--scheduler-file", str(file)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = subprocess.Popen([*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", *common], **quiet)
    until(lambda: file.exists() and file.read_text().endswith("}"), scheduler)
    worker = subprocess.Popen([*dask, "worker", "--no-nanny", "--nthreads", "1", *common], **quiet)
    address = json.loads(file.read_text())["address"].removeprefix("tcp://")
    command = [*COMMAND, str(shelf), "-o", str(out), "--on", f"dask://{address}"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        until(lambda: records(out) >= 1, process)
        scheduler.kill()
        told = process.communicate(timeout=100.0)[1]
    finally:
        for one in (scheduler, worker):
            one.kill()
            one.wait()
    assert process.returncode == 1
    assert "lost the connection to the scheduler" in told.strip().splitlines()[-1]
    assert {row["status"] for row in table(out)} <= {"done", "failed", "waiting"}
    assert begun(shelf, "-o", out, "--jobs", "2", "--resume").wait(100.0) == 1
    assert table(out) == table(whole)


def test_a_worker_with_another_version_says_so(tmp_path: Path) -> None:
    (record,) = cluster.work_on([job("sample:walk", tmp_path / "out", version="0.0.1")], Limits())
    assert isinstance(record, Record)
    assert record.status == "crashed"
    assert f"has komadori {komadori.__version__}, and 0.0.1 was asked for" in record.error


def test_a_second_batch_on_a_cluster_has_limits_of_its_own(tmp_path: Path) -> None:
    first, second = Limits(memory_mb=900), Limits(memory_mb=800)
    same = [job("sample:walk", tmp_path / "out", version=komadori.__version__)]
    try:
        assert [one.status for one in cluster.work_on(same, first) if isinstance(one, Record)] == ["done"]
        assert cluster._hand(first) is cluster._hand(first)
        assert cluster._hand(second).limits == second
    finally:
        cluster._hand(second).close()


def test_a_process_that_nobody_asks_ends() -> None:
    code = "from komadori.library import worker; worker.IDLE_S = 0.0; raise SystemExit(worker.main(0))"
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)
    assert process.wait(60.0) == 0
    assert process.stdin is not None
    process.stdin.close()


def test_nothing_in_the_working_directory_is_run(tmp_path: Path) -> None:
    for module in ("json", "numpy", "komadori", "sitecustomize"):
        (tmp_path / f"{module}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w').close()\n", encoding="utf-8")
    command = [str(Path(sys.executable).parent / "komadori"), "batch", "sample:kick", "-o", "out", "--jobs", "1"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "ran").exists()


def test_what_a_process_sends_back_cannot_run_code(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, ...]:
            return (Path(tmp_path / "ran").touch, ())

    data = pickle.dumps(Evil())
    with pytest.raises(EOFError):
        receive(io.BytesIO(LENGTH.pack(len(data)) + data))
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"facts": {"frames": 10**400}}, {"facts": {"fps": [1]}}, {"facts": 5}, {"files": [1]}, {"files": {"a": "b"}},
        {"notes": [5]}, {"poster": 5}, {"seconds": "x"}, {"status": "waiting"}, {"status": None}, {"more": 1},
    ],
    ids=str,
)  # fmt: skip
def test_a_record_of_a_stranger_is_no_record(wrong: dict[str, object]) -> None:
    sound = json.loads(Record("a", "b", "done", facts={"frames": 5}, notes=("x",), files={"a.glb": 7}).encoded())
    assert decoded(json.dumps(sound).encode()) is not None
    assert decoded(json.dumps({**sound, **wrong}).encode()) is None
