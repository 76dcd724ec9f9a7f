"""`make clips`: every clip at hand through the whole job, and a table in which every column has a limit.

Each clip is measured in a separate process: one that hangs, crashes or is refused is a row with its error.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench import clips_made, clips_roles
from bench.clips import real_data
from bench.clips_measures import Measured, from_json
from bench.clips_table import EXCUSED, TUNED, Limits, failures, half, matches, tables
from bench.tables import Table, machine
from komadori.characters import SAMPLES
from komadori.formats import SAMPLE, suffixes
from komadori.pipeline import LOOKS

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "benchmarks" / "clips.md"
OUT = ROOT / "out"
ROWS = "clips.jsonl"
"""In OUT, the rows that are measured already, one per line."""
PARTS_OF_OTHERS = (".asf",)
"""Files that hold no motion themselves, and are read with one beside them."""
TIMEOUT_S, MEMORY_GB, JOBS = 300.0, 6.0, 2
NAMES = "names:"
OF_EACH = 24
CLOSED = re.compile(r"\b(NC|ND)\b|non-?commercial|non-?profit", re.IGNORECASE)
"""Words in a licence, or in a folder's name, that keep a clip's figures out of the page."""


def clips_in(folder: Path) -> list[str]:
    """Every file below `folder` that may hold a motion or a character, by its path in it."""
    able = {*suffixes("read"), *suffixes("read_character")} - {*PARTS_OF_OTHERS}
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.suffix.lower() in able)


def measured_apart(
    clip: str,
    folder: Path,
    *,
    seconds: float | None = None,
    films: Path | None = None,
    timeout_s: float = TIMEOUT_S,
    memory_gb: float = MEMORY_GB,
) -> Measured:
    """The clip measured in a separate process, which may take so much time and memory."""
    words = [sys.executable, "-m", "bench.clips_measures", f"--folder={folder}", f"--memory={memory_gb}"]
    words += [] if seconds is None else [f"--seconds={seconds}"]
    words += [] if films is None else [f"--films={films}"]
    path = os.pathsep.join([str(ROOT), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    # One clip, one thread: several are measured side by side.
    env = {**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    try:
        done = subprocess.run([*words, "--", clip], capture_output=True, text=True, timeout=timeout_s, env=env)
    except subprocess.TimeoutExpired:
        return Measured(clip, error=f"not done after {timeout_s:g} s")
    if done.returncode or not done.stdout.strip():
        said = done.stderr.strip().splitlines()
        return Measured(clip, error=said[-1] if said else f"ended with status {done.returncode}")
    return from_json(done.stdout.strip().splitlines()[-1])


def named(only: Sequence[str], limits: Limits) -> tuple[list[Table], list[str]]:
    """Role recognition over bodies whose joints are named in every way that rigs are, and the namings that fail."""
    wanted = [naming for naming in clips_roles.NAMINGS if matches(f"{NAMES}{naming.name}", only)]
    if not wanted:
        return [], []
    lines, failed = [], []
    for row in clips_roles.score(list(clips_roles.variants(of_each=OF_EACH, namings=wanted))):
        which = "aside" if row.group in clips_roles.KEPT_ASIDE else "tuned"
        found = row.found / max(row.roles, 1)
        lines.append((row.group, which, str(row.cases), f"{row.rate:.1%}", f"{found:.1%}"))
        if row.rate < limits.names:
            failed.append(
                f"{NAMES}{row.group}: roles: {row.rate:.1%} of {row.cases} bodies, at least {limits.names:.1%}"
            )
    columns = ("names", "half", "bodies", "all main roles right", "roles right")
    about = (
        "One body under the names of many rigs and languages, with prefixes, suffixes, cases and sides in every place."
    )
    return [Table("Names", columns, tuple(lines), about)], failed


def shown(folder: Path, clips: Sequence[str]) -> list[str]:
    """Those of `clips` whose licence lets their figures stand in public."""
    listed = folder / "MANIFEST.tsv"
    lines = listed.read_text(encoding="utf-8").splitlines() if listed.is_file() else []
    closed = {line.split("\t")[0] for line in lines if CLOSED.search("\t".join(line.split("\t")[2:3]))}
    return [clip for clip in clips if clip not in closed and not CLOSED.search(clip.replace("_", " "))]


def main(given: list[str]) -> int:
    """Measure, write the page and the CSV, and list what passes its limit; 1 if anything does."""
    options = _parser().parse_args(given)
    folder: Path | None = options.folder or real_data()
    if folder is not None and not folder.is_dir():
        print(f"clips: not a folder: {folder}", file=sys.stderr)
        return 2
    try:
        limits = Limits().changed(options.limit)
    except ValueError as error:
        print(f"clips: --limit: {error}", file=sys.stderr)
        return 2
    excused = [*EXCUSED, *options.excuse]
    only = options.only or ["*"]
    every = [*(SAMPLE + name for name in SAMPLES), *clips_made.CLIPS, *(clips_in(folder) if folder else ())]
    clips = [clip for clip in every if matches(clip, only)]
    began = time.monotonic()
    films = options.out / "clips" if options.films else None
    kept = options.out / ROWS
    before = {row.clip: row for row in _kept(kept)} if options.resume else {}
    kept.parent.mkdir(parents=True, exist_ok=True)
    if not options.resume:
        kept.unlink(missing_ok=True)

    def work(clip: str) -> Measured:
        return before.get(clip) or measured_apart(
            clip, folder or Path(), seconds=options.seconds, films=films, timeout_s=options.timeout, memory_gb=options.memory
        )  # fmt: skip

    rows = []
    for row in _told(clips, work, options.jobs):
        rows.append(row)
        if row.clip not in before:
            with kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(vars(row)) + "\n")
    names, failed = named(only, limits)
    failed = [*failures(rows, limits, excused), *failed]
    _write_csv(rows, limits, options.out / "clips.csv")
    hidden = set(clips) - set(shown(folder, clips)) if folder else set()
    about = _about(options.seconds, len(hidden), options.films)
    whole = options.folder is None and not options.only and folder is not None and not options.limit
    page = options.page or (PAGE if whole else options.out / "clips.md")
    made = [*tables(rows, limits, sorted(hidden)), *names]
    public = [line for line in failed if line.partition(": ")[0] not in hidden]
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("\n".join([about, *(table.markdown() for table in made), _missed(public)]), encoding="utf-8")
    print("\n".join(table.markdown() for table in made[:2]))
    print(f"{len(rows)} clips in {time.monotonic() - began:.0f} s, written to {page} and {options.out / 'clips.csv'}")
    print(f"past their limits: {len(failed) or 'none'}")
    print("\n".join(f"  {line}" for line in failed))
    if folder is None:
        print("The real clips are not at hand (set KOMADORI_DATA to their folder): built-in and made ones alone.")
    return 1 if failed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.clips_all", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="folder of clips (KOMADORI_DATA if not given)")
    parser.add_argument("--only", action="append", metavar="GLOB", help="clips whose name matches; may be repeated")
    parser.add_argument("--seconds", type=float, help="cut longer clips to so many seconds")
    parser.add_argument("--jobs", type=int, default=JOBS, help="clips side by side (default: %(default)s)")
    parser.add_argument("--timeout", type=float, default=TIMEOUT_S, help="seconds a clip may take (%(default)g)")
    parser.add_argument("--memory", type=float, default=MEMORY_GB, help="GB a clip may take (%(default)g)")
    parser.add_argument("--films", action="store_true", help="also draw every film, into OUT/clips")
    parser.add_argument("--limit", action="append", default=[], metavar="COLUMN=NUMBER", help="another limit")
    parser.add_argument(
        "--excuse",
        action="append",
        default=[],
        type=_excuse,
        metavar="COLUMN=GLOB",
        help="clips that may pass a limit, or be refused",
    )
    parser.add_argument(
        "--resume",
        action="store_true",
        help="measure only what OUT has no row of: for a long run in parts, with the same options",
    )
    parser.add_argument("--out", type=Path, default=OUT, help="where the CSV and the films go")
    parser.add_argument("--page", type=Path, help="where the page goes (docs/benchmarks, or OUT for part of the clips)")
    return parser


def _kept(path: Path) -> list[Measured]:
    """The rows of an earlier run, as far as it came."""
    if not path.is_file():
        return []
    return [from_json(line) for line in path.read_text(encoding="utf-8").splitlines() if line.endswith("}")]


def _excuse(text: str) -> tuple[str, str]:
    column, mark, pattern = text.partition("=")
    if not mark:
        raise argparse.ArgumentTypeError(f"expected COLUMN=GLOB, such as upright=lying_*, found {text!r}")
    return column, pattern


def _told(clips: Sequence[str], work: Callable[[str], Measured], jobs: int) -> Iterator[Measured]:
    """Every row in the order of `clips`, and a line for each as it is done."""
    with ThreadPoolExecutor(max(1, jobs)) as pool:
        for number, row in enumerate(pool.map(work, clips), start=1):
            print(f"[{number}/{len(clips)}] {row.clip} {row.error}".rstrip(), file=sys.stderr, flush=True)
            yield row


def _about(seconds: float | None, hidden: int, films: bool) -> str:
    lines = [
        "# Every clip",
        "",
        f"Written by `make clips`: {machine()}. The look {LOOKS[0]} on the built-in girl for people, on their own bodies for animals",
        "and characters; a character without a motion takes the sample kick. Peaks are those of all looks.",
        "" if seconds is None else f"Clips are cut to their first {seconds:g} seconds.",
        "" if films else "No films were drawn: the time leaves drawing out, although its limit is that of the whole job. Add `--films` to include it.",
        f"Figures of {hidden} clips whose licence forbids it are not among the rows below, but counted." if hidden else "",
        "",
        "Tuned are the clips that defaults and methods were chosen on: " + ", ".join(f"`{each}`" for each in TUNED) + ".",
        "All others were kept aside.",
        "",
    ]  # fmt: skip
    return "\n".join(lines)


def _missed(failed: Sequence[str]) -> str:
    return "\n".join(["## Past their limits", "", *(f"- {line}" for line in failed), ""]) if failed else ""


def _write_csv(rows: Sequence[Measured], limits: Limits, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    names = [column.name for column in limits.columns]
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["clip", "half", "plan", "on", "frames", "cut", "unit", "up", *names, "error"])
        for row in rows:
            values = ["" if (value := row.values.get(name)) is None else f"{value:.6g}" for name in names]
            told = [row.told.get(name, "") for name in ("unit", "up")]
            table.writerow([row.clip, half(row.clip), row.plan, row.on, row.frames, int(row.cut), *told, *values, row.error])  # fmt: skip


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
