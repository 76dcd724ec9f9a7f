"""Dask or Ray: the same 2,000 small clips on each, while workers and heads are killed, a disk fills and clips misbehave.

`python -m bench.engines FOLDER` puts both into environments of their own below FOLDER, runs every trouble that is not recorded there yet, and
writes docs/benchmarks/engines.md, on which docs/decisions rests. Ray is needed by this program alone. `--only Ray:kills` runs that and leaves the
other rows of the page as they are.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.tables import Table, page

COUNT, WORKERS, MEMORY_MB = 2000, 3, 700
KILLS, KILL_S = 10, 2.0
"""How many workers are killed in a run, and the time between two kills."""
DISK_MB = 12
"""A disk that holds about a third of the results."""
BAD = "walk-0050.bvh"
"""The clip that crashes the interpreter, or takes all the memory."""
PACKAGES = {"Dask": "distributed", "Ray": "ray"}
CONTESTANTS = ("Dask", "Ray", "batch on Dask")
TROUBLES = {
    "none": "nothing",
    "kills": f"workers killed with signal 9, up to {KILLS} times",
    "head": "the scheduler (Dask) or head (Ray) killed with signal 9",
    "full": f"a disk of {DISK_MB} MB, full after a part of the clips",
    "slow": "one worker stopped for 0.9 s of every second",
    "crash": "a clip that crashes the interpreter",
    "memory": "a clip that takes 4 GB",
}
EMPTY = 3
"""How often pieces without work are timed."""
HOOK = '''
"""Makes one clip bad, whoever reads it."""
import os, signal, sys, time
def hook(event, args):
    if event == "open" and isinstance(args[0], (str, bytes, os.PathLike)) and os.fsdecode(args[0]).endswith(os.environ["BAD_CLIP"]):
        if os.environ["BAD_HOW"] == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        held = []
        for _ in range(80):
            held.append(bytearray(os.urandom(1 << 20)) * 50)
            time.sleep(0.05)
sys.addaudithook(hook)
'''


@dataclass(frozen=True)
class Outcome:
    """The outcome of one run."""

    contestant: str
    trouble: str
    ended: str
    answers: int
    records: int
    """Clips whose record lies there when the run has ended."""
    seconds: float
    wrong: int
    """Rows of the table that are lost, doubled or changed after --resume."""
    start_s: float = 0.0
    rest_mb: float = 0.0
    hit: int = 0
    """How often somebody was killed."""


def main() -> int:
    """Every trouble on every contestant; what FOLDER already has is kept."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=180.0, help="the longest that a run may take")
    parser.add_argument("--only", default="", help="run this alone, as in Ray:kills; the page keeps its other rows")
    options = parser.parse_args()
    folder: Path = options.folder.absolute()
    for name in PACKAGES:
        _installed(folder, name)
    _shelf(folder)
    undisturbed = folder / "whole"
    if not (undisturbed / "table.csv").exists():
        _resumed(folder, undisturbed)
    kept = folder / "runs"
    kept.mkdir(exist_ok=True)
    for trouble in TROUBLES:
        for name in CONTESTANTS:
            wanted = options.only in ("", f"{name}:{trouble}")
            if wanted and not (kept / f"{name}-{trouble}.json").exists():
                made = _one(folder, name, trouble, options.seconds)
                (kept / f"{name}-{trouble}.json").write_text(json.dumps(asdict(made)))
    for name in PACKAGES:
        if not options.only and not (kept / f"{name}-empty.json").exists():
            told = _driven(folder, name, "empty", options.seconds, folder / "nothing")
            (kept / f"{name}-empty.json").write_text(json.dumps(told))
    target = Path(__file__).parent.parent / "docs" / "benchmarks" / "engines.md"
    before = _rows_of(target) if options.only else {}
    text = page("Dask or Ray", [_troubles(kept, before), _costs(folder, kept, before)])
    target.write_text(text.replace("`make bench`", "`python -m bench.engines FOLDER`"), encoding="utf-8")
    print(text)
    return 0


def _installed(folder: Path, name: str) -> None:
    """An environment of its own for one engine, with komadori in it."""
    if _python(folder, name).exists():
        return
    subprocess.run([sys.executable, "-m", "venv", folder / name], check=True)
    home = Path(__file__).parent.parent
    subprocess.run([_python(folder, name), "-m", "pip", "install", "-q", PACKAGES[name], "-e", home], check=True)


def _python(folder: Path, name: str) -> Path:
    return folder / ("Ray" if name == "Ray" else "Dask") / "bin" / "python"


def _shelf(folder: Path) -> Path:
    """The library: 2,000 clips of one to two seconds."""
    from komadori import save
    from komadori.characters import sample

    shelf = folder / "shelf"
    if not shelf.exists():
        for number in range(COUNT):
            name = ("walk", "kick", "pitch", "slow-walk")[number % 4] if number != 50 else "walk"
            save(sample(name)[: 24 + number % 24], folder / "making" / f"{name}-{number:04d}.bvh")
        (folder / "making").rename(shelf)
    return shelf


def _one(folder: Path, name: str, trouble: str, most_s: float) -> Outcome:
    """One run in a fresh folder, then --resume without trouble, and the table beside that of an undisturbed run."""
    out = folder / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    if trouble == "full":
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", out], check=True)
    try:
        told = _driven(folder, name, trouble, most_s, out)
        records = len(list((out / "records").rglob("*.json")))
        if trouble == "full":
            subprocess.run(["mount", "-o", "remount,size=500m", out], check=True)
        _resumed(folder, out)
        mine, want = _rows(out), _rows(folder / "whole")
        wrong = sum(mine.get(clip) != row for clip, row in want.items()) + len(mine.keys() - want.keys())
    finally:
        if trouble == "full":
            subprocess.run(["umount", out], check=True)
    return Outcome(name, trouble, records=records, wrong=wrong, **told)


def _driven(folder: Path, name: str, trouble: str, most_s: float, out: Path) -> dict[str, Any]:
    """What the contestant's own process tells of its run."""
    hook = folder / "hook"
    hook.mkdir(exist_ok=True)
    (hook / "sitecustomize.py").write_text(HOOK)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    if trouble in ("crash", "memory"):
        environment |= {"BAD_CLIP": BAD, "BAD_HOW": trouble, "PYTHONPATH": str(hook)}
    command = [_python(folder, name), "-m", "bench.engines_run", name, trouble, folder / "shelf", out, str(most_s)]
    print(f"{name}, {trouble} ...", flush=True)
    begin = time.perf_counter()
    with open(folder / "log.txt", "ab") as log:  # noqa: PTH123
        process = subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, stderr=log, text=True, env=environment, cwd=Path(__file__).parent.parent, start_new_session=True)  # fmt: skip
        try:
            text = process.communicate(timeout=most_s + 60.0)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            text = process.communicate()[0]
    rows = [line.removeprefix("TOLD ") for line in text.splitlines() if line.startswith("TOLD ")]
    if rows:
        told: dict[str, Any] = json.loads(rows[-1])
        return told
    return {"ended": "its own process was ended", "answers": 0, "seconds": time.perf_counter() - begin}


def _resumed(folder: Path, out: Path) -> None:
    """What a user does after any trouble."""
    command = [_python(folder, "Dask"), "-m", "komadori", "batch", folder / "shelf", "-o", out, "--resume"]
    subprocess.run([*map(str, command)], check=True, stdout=subprocess.DEVNULL)


def _rows(out: Path) -> dict[str, dict[str, str]]:
    rows = list(csv.DictReader((out / "table.csv").read_text(encoding="utf-8").splitlines()))
    made = {row["clip"]: {name: value for name, value in row.items() if name != "seconds"} for row in rows}
    assert len(made) == len(rows), "a row is doubled"
    return made


def _rows_of(target: Path) -> dict[tuple[str, str], tuple[str, ...]]:
    """The rows of the page as it is, by trouble and engine; those of the second table by engine alone."""
    cells = [tuple(cell.strip() for cell in line.strip("| ").split(" | ")) for line in target.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]  # fmt: skip
    return {
        (re.sub(r" \(\d+\)$", "", row[0]), row[1]) if len(row) == 7 else ("", row[0].split()[0]): row for row in cells
    }


def _troubles(kept: Path, before: dict[tuple[str, str], tuple[str, ...]]) -> Table:
    rows = []
    wrong = 0
    for trouble, told in TROUBLES.items():
        for name in CONTESTANTS:
            if (told, name) in before and not (kept / f"{name}-{trouble}.json").exists():
                rows.append(before[told, name])
                wrong += int(rows[-1][-1])
                continue
            made = Outcome(**json.loads((kept / f"{name}-{trouble}.json").read_text()))
            wrong += made.wrong
            often = f" ({made.hit})" if made.hit > 1 else ""
            rows.append((told + often, name, f"{made.answers:,}", f"{made.records:,}", made.ended.replace(f"{kept.parent}/", ""), f"{made.seconds:.0f} s", str(made.wrong)))  # fmt: skip
    about = (
        f"{COUNT:,} clips of 1 to 2 seconds, look tv, GLB and XDTS, {WORKERS} worker processes on one machine, {MEMORY_MB} MB each where the engine can limit it. "
        "`Dask` and `Ray` run the work on a clip as a task of theirs, with 3 retries; `batch on Dask` is `komadori batch --on dask://...`, in which a task "
        "hands its clips to a process of ours. Answers: clips of which the caller got a result. Records: clips whose record lay there when the run had ended. "
        "Wrong after --resume: rows that are lost, doubled or differ from those of an undisturbed run. The machine was shared, more on some days than on others: times show the order of things, no more."
    )
    columns = ("trouble", "engine", "answers", "records", "how it ended", "time", "wrong after --resume")
    return Table("What each loses", columns, tuple(rows), about, (f"{wrong} rows are wrong",) if wrong else ())


def _costs(folder: Path, kept: Path, before: dict[tuple[str, str], tuple[str, ...]]) -> Table:
    rows = []
    for name, package in PACKAGES.items():
        if ("", name) in before and not (kept / f"{name}-empty.json").exists():
            rows.append(before["", name])
            continue
        told = json.loads((kept / f"{name}-empty.json").read_text())
        count, size = _size(_python(folder, name), package)
        rows.append((f"{name} ({told['version']})", f"{told['overhead_ms']:.2f} ms", f"{told['start_s']:.1f} s", f"{told['rest_mb']:.0f} MB", f"{size:.0f} MB, {count} packages"))  # fmt: skip
    about = f"Overhead: {COUNT:,} tasks without work, the best of {EMPTY} runs. Start-up: until {WORKERS} workers have answered. At rest: memory of all processes of the engine (proportional set size). Install: the engine with all that it needs, beyond what komadori needs."
    columns = ("engine", "overhead a task", "start-up", "memory at rest", "install")
    return Table("What each costs", columns, tuple(rows), about)


def _size(python: Path, package: str) -> tuple[int, float]:
    """Distributions that `package` brings beyond komadori's own, and their megabytes."""
    script = (
        "import re, sys\nfrom importlib import metadata\n"
        "def closure(name, seen):\n"
        "    try: held = metadata.distribution(name)\n"
        "    except metadata.PackageNotFoundError: return seen\n"
        "    key = re.sub('[-_.]+', '-', name).lower()\n"
        "    if key in seen: return seen\n"
        "    seen[key] = sum(f.locate().stat().st_size for f in held.files or () if f.locate().is_file())\n"
        "    for line in held.requires or ():\n"
        "        if 'extra' not in line: closure(re.match(r'[\\w.-]+', line)[0], seen)\n"
        "    return seen\n"
        f"own = closure('komadori', {{}})\nall_ = closure({package!r}, {{}})\n"
        "more = {k: v for k, v in all_.items() if k not in own}\nprint(len(more), sum(more.values()))\n"
    )
    count, size = subprocess.run([python, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    return int(count), int(size) / 1e6


if __name__ == "__main__":
    sys.exit(main())
