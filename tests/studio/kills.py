"""`python tests/studio/kills.py ROUNDS`: a studio is killed with signal 9 in the middle of edits and uploads, again and again.

Each round opens the same project in a separate process, and a client edits and uploads as fast as it can until the kill, at a moment drawn at
random. After that the project must hold what the client was told to be saved, and every byte of every file that was taken.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import random
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent.parent))

from websockets.exceptions import ConnectionClosed

from komadori.characters.samples import sample
from komadori.files import PART_PREFIX
from komadori.formats import encoded
from komadori.studio.saving import Save

from browser import Studio
from wire import ask, drop, heard, live, own

LONGEST_S = 1.5
"""Rounds are killed between the first edit and so long after it."""
EDIT_S = 0.01
TEXTURE = 1_000_000
"""Bytes beside each clip that is uploaded, so that many kills meet a file that is half-written."""
ALLOWED_S = 1.0


@dataclass
class Round:
    """What the client did until the kill: when each edit was sent, the last revision that it was told to be on disk, what was taken."""

    first: int
    edits: list[float] = field(default_factory=list)
    saved: int = -1
    taken: dict[str, str] = field(default_factory=dict)
    """The digest of each file that was taken, by its place in the project."""
    begun: int = 0
    killed: float = 0.0


@dataclass
class Report:
    """The outcome of all rounds."""

    rounds: int = 0
    edits: int = 0
    uploads: int = 0
    cut_off: int = 0
    files: dict[str, str] = field(default_factory=dict)
    lost_s: list[float] = field(default_factory=list)
    """The age of the oldest edit that was lost, in each round."""
    faults: list[str] = field(default_factory=list)


def value_of(number: int) -> int:
    """The option that edit `number` sets: each unlike those around it."""
    return 1 + number % 997


def killed(project: Path, rng: random.Random, first: int, clip: bytes) -> Round:
    """One round: open, work, kill."""
    studio = Studio(project)
    done = Round(first)
    over = threading.Event()
    threads = [
        threading.Thread(target=_edit, args=(studio, done, over), daemon=True),
        threading.Thread(target=_upload, args=(studio, done, over, clip, rng.randrange(2**32)), daemon=True),
    ]
    for thread in threads:
        thread.start()
    wait = rng.uniform(0.0, LONGEST_S)
    end = time.monotonic() + 60.0
    while not done.edits and time.monotonic() < end:
        time.sleep(0.005)
    time.sleep(wait)
    studio.process.kill()
    done.killed = time.monotonic()
    over.set()
    studio.close()
    for thread in threads:
        thread.join(60.0)
    return done


def _edit(studio: Studio, done: Round, over: threading.Event) -> None:
    try:
        with live(studio) as line:
            while not over.is_set():
                number = done.first + len(done.edits)
                sent = time.monotonic()
                line.send(json.dumps({"type": "change", "part": "limited", "options": {"omit": value_of(number)}}))
                done.edits.append(sent)
                _listen(line, done)
    except (ConnectionClosed, OSError, EOFError):
        return


def _listen(line: object, done: Round) -> None:
    """Takes what has come within the time between two edits."""
    end = time.monotonic() + EDIT_S
    while (left := end - time.monotonic()) > 0:
        try:
            message = line.recv(timeout=left)  # type: ignore[attr-defined]
        except TimeoutError:
            return
        if isinstance(message, str) and '"saved"' in message:
            told = json.loads(message)
            if told["type"] == "saved":
                done.saved = max(done.saved, told["revision"])


def _upload(studio: Studio, done: Round, over: threading.Event, clip: bytes, seed: int) -> None:
    rng = random.Random(seed)
    while not over.is_set():
        name, texture = f"{seed}-{done.begun}", rng.randbytes(rng.randrange(TEXTURE))
        files = ((f"{name}.bvh", clip), (f"{name}.bin", texture))
        done.begun += 1
        try:
            status, _, body = ask(studio, "/api/drop", "POST", drop(*files), Origin=own(studio))
        except (OSError, http.client.HTTPException):
            return
        if status == 200:
            place = json.loads(body)["items"][0]["key"].removeprefix("drop:").partition("/")[0]
            for file, data in files:
                done.taken[f"{place}/{file}"] = hashlib.sha256(data).hexdigest()


def checked(project: Path, done: Round, report: Report) -> None:
    """Adds a round to the report: what is on disk against what the client knows."""
    report.rounds += 1
    report.edits += len(done.edits)
    report.uploads += len(done.taken) // 2
    report.cut_off += done.begun - len(done.taken) // 2
    report.files.update(done.taken)
    scene, note = Save(project).read()
    if note is not None or list(project.glob("scene.unreadable*")):
        report.faults.append(f"round {report.rounds}: {note}")
    omit = None if scene is None else scene.part("limited").options.get("omit")
    values = [value_of(done.first + number) for number in range(len(done.edits))]
    # The value before the first edit of this round may still be there.
    kept = next((number for number in reversed(range(len(values))) if values[number] == omit), -1)
    if kept < 0 and done.first and omit != value_of(done.first - 1):
        report.faults.append(f"round {report.rounds}: the scene holds {omit}, which is of no edit")
    if kept + 1 < done.saved:
        report.faults.append(f"round {report.rounds}: revision {done.saved} was saved, and {kept + 1} is there")
    report.lost_s.append(done.killed - done.edits[kept + 1] if kept + 1 < len(done.edits) else 0.0)
    report.faults += [f"round {report.rounds}: {fault}" for fault in missing(project, done.taken)]


def missing(project: Path, taken: Mapping[str, str]) -> list[str]:
    """What is said of files that were taken and are not there, byte for byte."""
    faults = []
    for place, digest in taken.items():
        path = project / "files" / place
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != digest:
            faults.append(f"{place} was taken, and is not there whole")
    return faults


def run(rounds: int, folder: Path, seed: int = 0) -> Report:
    """So many rounds on one project in `folder`; then it is opened a last time."""
    rng, report, project = random.Random(seed), Report(), folder / "project"
    clip = encoded(sample("walk", 24.0)[:3], "walk.bvh")
    first = 0
    for _ in range(rounds):
        done = killed(project, rng, first, clip)
        if not done.edits:
            report.faults.append("no edit came through")
            break
        checked(project, done, report)
        # The next round begins behind the value at which the project stands.
        first = _omit(project) or 0
    report.faults += missing(project, report.files)
    last = Studio(project)
    with live(last) as line:
        while heard(line, "saved")["revision"] < 0:
            pass  # What it writes as it opens is on the way.
    if left := list(project.rglob(f"{PART_PREFIX}*")):
        report.faults.append(f"{len(left)} temporary files stay behind")
    try:
        status, _, body = ask(last, "/api/shelf")
    except TimeoutError:
        # After very many rounds each of hundreds of files is read for the list.
        report.faults.append(f"the shelf of {len(report.files) // 2} uploads was not listed within a minute")
        last.close()
        return report
    listed = {item["key"].removeprefix("drop:").partition("#")[0] for item in json.loads(body)["items"]}
    unlisted = [place for place in report.files if place.endswith(".bvh") and place not in listed]
    if status != 200 or unlisted:
        report.faults.append(f"{len(unlisted)} files that were taken are not on the shelf")
    if "Traceback" in last.close():
        report.faults.append("the studio failed")
    return report


def _omit(project: Path) -> int | None:
    scene, _ = Save(project).read()
    held = None if scene is None else scene.part("limited").options.get("omit")
    return held if isinstance(held, int) else None


def main() -> int:
    """Runs, and tells; 1 where anything was lost."""
    with tempfile.TemporaryDirectory() as folder:
        report = run(int(sys.argv[1]), Path(folder))
    late = [seconds for seconds in report.lost_s if seconds > ALLOWED_S]
    ranked = sorted(report.lost_s)
    print(f"{report.rounds} kills, {report.edits} edits, {report.uploads} uploads taken, {report.cut_off} cut off")
    print(
        f"lost: median {ranked[len(ranked) // 2]:.2f} s, at most {ranked[-1]:.2f} s; {len(late)} over {ALLOWED_S:g} s"
    )
    print("\n".join(report.faults) or "no fault")
    return 1 if report.faults or late else 0


if __name__ == "__main__":
    sys.exit(main())
