"""`kill -9` of the studio and of the browser, two hundred times: what is lost of edits and of files.

The rounds take a quarter of an hour. They are done in slices, each of which adds a line to `out/studio-kills.jsonl`: a run that is
interrupted continues where it was. `python -m bench.studio_kills SECONDS` does slices for so long.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.tables import Table

ROOT = Path(__file__).parents[1]
DONE = ROOT / "out" / "studio-kills.jsonl"
WANTED = {"studio": 150, "browser": 50}
SLICE = {"studio": 15, "browser": 5}
ALLOWED_S = 1.0


def _done() -> list[dict[str, Any]]:
    return [json.loads(line) for line in DONE.read_text("utf-8").splitlines()] if DONE.is_file() else []


def _count(kind: str) -> int:
    return sum(one["rounds"] for one in _done() if one["kind"] == kind)


def go_on(until: float = float("inf")) -> None:
    """Slices until all kills are done, or the clock says `until`."""
    sys.path[:0] = [str(ROOT / "tests" / "studio"), str(ROOT / "tests")]
    DONE.parent.mkdir(exist_ok=True)
    for kind, slice_of in (("studio", _studio), ("browser", _browser)):
        while (left := WANTED[kind] - _count(kind)) > 0 and time.monotonic() < until:
            with tempfile.TemporaryDirectory() as folder:
                line = {"kind": kind, **slice_of(Path(folder), min(left, SLICE[kind]), seed=100 + len(_done()))}
            with DONE.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")


def _studio(folder: Path, rounds: int, seed: int) -> dict[str, Any]:
    report = import_module("kills").run(rounds, folder, seed)
    return {
        "rounds": report.rounds,
        "edits": report.edits,
        "uploads": report.uploads,
        "lost_s": report.lost_s,
        "faults": report.faults,
    }


def _browser(folder: Path, rounds: int, seed: int) -> dict[str, Any]:
    browsers = import_module("browser_kills")
    chance, studio = random.Random(seed), import_module("browser").Studio(folder / "project")
    ends = [browsers.dragged_and_killed(studio, chance) for _ in range(rounds)]
    faults = [] if studio.process.poll() is None else ["the studio ended with the browser"]
    studio.close()
    lost = [max(0, sent - told) * browsers.EDIT_MS / 1000 for sent, told in ends]
    return {"rounds": rounds, "edits": ends[-1][0], "uploads": 0, "lost_s": lost, "faults": faults}


def tables() -> list[Table]:
    go_on()
    return told()


def told() -> list[Table]:
    """What the slices that are done have found."""
    rows, failed = [], []
    for kind, what in (("studio", "the studio, while edits and files come in"), ("browser", "the browser, in a drag")):
        lines = [one for one in _done() if one["kind"] == kind]
        lost = sorted(seconds for one in lines for seconds in one["lost_s"])
        faults = [fault for one in lines for fault in one["faults"]]
        edits, uploads = (sum(one[name] for one in lines) for name in ("edits", "uploads"))
        middle = lost[len(lost) // 2]
        rows.append(
            (
                what,
                str(len(lost)),
                f"{edits:,}",
                f"{uploads:,}",
                f"{middle:.2f} s",
                f"{lost[-1]:.2f} s",
                str(len(faults)),
            )
        )
        failed += [f"{what}: {fault}" for fault in faults]
        late = sum(seconds > ALLOWED_S for seconds in lost)
        if late:
            failed.append(
                f"{what}: {late} of {len(lost)} kills lost more than {ALLOWED_S:g} s, {lost[-1]:.2f} s at most"
            )
        if len(lost) < WANTED[kind]:
            failed.append(f"{what}: {len(lost)} kills of {WANTED[kind]} were done")
    about = (
        "After every kill the project is opened again, and must hold what the page was told to be saved and every byte of every file that "
        f"was taken. What is lost counts from the moment at which an edit was sent, {ALLOWED_S:g} s at most; on a machine that does other things, "
        f"the studio may not have been let to hear it yet (the load was {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores when this was "
        "written). A fault is anything else that is missing, damaged or left behind."
    )
    columns = ("killed with signal 9", "times", "edits", "files taken", "lost, median", "lost at most", "faults")
    return [Table("Kills", columns, tuple(rows), about, tuple(failed))]


if __name__ == "__main__":
    go_on(time.monotonic() + float(sys.argv[1]))
