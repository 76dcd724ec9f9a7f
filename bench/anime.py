"""`komadori anime`: how long the demo takes, part by part, and what the looks do to clips."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median

import komadori
from bench.clips import real_data
from bench.tables import Table, seconds, spoken
from komadori.anime.files import ExportOptions, files_of
from komadori.anime.pair import pair_of
from komadori.anime.poster import poster
from komadori.characters import character, sample
from komadori.methods.limited import LimitedResult
from komadori.motion import Motion
from komadori.pipeline import LOOKS, look
from komadori.render import film
from komadori.words import Note

WANTED_S, WANTED_FRAME_S = 2.5, 0.025
"""The whole demo, and what of a film comes to a frame, by the clock."""
EVERY = 3
"""Of the real clips, one of so many is filmed."""
REAL = (
    "human_cmu_bvh/124_01.bvh",
    "human_cmu_bvh/02_01.bvh",
    "human_other_bvh/animateddrawings_rokoko_jesse_dance.bvh",
)


def tables() -> list[Table]:
    return [_demo(), *_films(), _looks()]


def _command(*clip: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "komadori", "anime", *clip, "-o", folder]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _films() -> list[Table]:
    """What a frame of a film costs, over clips that nobody here made."""
    data = real_data()
    if data is None:
        return []
    files = [file for folder in ("human_cmu_bvh", "human_other_bvh") for file in sorted((data / folder).glob("*.bvh"))]
    rows, clock, work = [], [], []
    for file in files[::EVERY]:
        before, begin = _children_s(), time.perf_counter()
        told = _command(str(file))
        took, worked = time.perf_counter() - begin, _children_s() - before
        found = re.search(r"([0-9,]+) frames", told)
        assert found, told
        frames = int(found[1].replace(",", ""))
        clock.append(took / frames)
        work.append(worked / frames)
        rows.append((file.stem, f"{frames:,}", spoken(took), spoken(took / frames), spoken(worked / frames)))
    rows.append(("median", "", "", spoken(median(clock)), spoken(median(work))))
    failed = []
    if median(clock) > WANTED_FRAME_S:
        failed.append(f"a film's frame takes {spoken(median(clock))}, {spoken(WANTED_FRAME_S)} allowed")
    about = (
        "`komadori anime` on captured clips, from start to end: start-up, recipe, film of both sides, poster and timesheet. A frame is shown "
        "for 42 ms. Processor time is that of all processes together."
    )
    columns = ("clip", "frames of the film", "time", "a frame, by the clock", "a frame, processor time")
    return [Table("Films of captured clips", columns, tuple(rows), about, tuple(failed))]


def _children_s() -> float:
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _demo() -> Table:
    girl = character("girl")
    result = look("tv").run(sample("pitch"), girl)
    options = ExportOptions("pitch")
    pair = pair_of(result, options.camera, options.style, options.size)
    pictures = list(pair.pictures(Note("captured"), Note("look: {name}", name="tv")))
    whole = seconds(_command, 2)
    rows = (
        ("the recipe", spoken(seconds(lambda: look("tv").run(sample("pitch"), girl), 3))),
        (
            f"drawing {len(pictures)} pictures of both sides",
            spoken(seconds(lambda: sum(1 for _ in pair.pictures(Note("captured"), Note("captured"))), 2)),
        ),
        ("writing the MP4", spoken(seconds(lambda: film.video(pictures, 24.0), 2))),
        (
            "the poster",
            spoken(seconds(lambda: poster(result, title="", view="front", style="toon", language="en"), 2)),
        ),
        ("all files", spoken(seconds(lambda: files_of(result, options), 2))),
        ("`komadori anime`, from start to end", spoken(whole)),
        ("of it for a frame of the film", spoken(whole / len(pictures))),
    )
    failed = []
    if whole > WANTED_S:
        failed.append(f"the demo takes {spoken(whole)}, {WANTED_S:g} s allowed")
    about = "The built-in pitch (129 frames) on the built-in girl, as `make demo` runs it."
    return Table("The demo", ("what", "time"), rows, about, tuple(failed))


def _looks() -> Table:
    girl = character("girl")
    clips: dict[str, Motion] = {name: sample(name) for name in ("pitch", "kick", "walk")}
    data = real_data()
    clips |= {Path(name).stem: komadori.load(data / name) for name in REAL} if data else {}
    rows = []
    for clip, motion in clips.items():
        for name in LOOKS:
            result = look(name).run(motion, girl)
            timing = result.timing
            assert isinstance(timing, LimitedResult)
            slips = [
                f"{100.0 * s.per_frame:.2f} / {100.0 * s.largest:.2f}" for s in (result.slip_before, result.slip_after)
            ]
            shown = (f"{len(result.motion)}", f"{result.drawings}", f"{timing.omitted}", f"{timing.held}")
            rows.append((clip, name, *shown, f"{timing.ratio:.2f}", *slips))
    columns = (
        "clip",
        "look",
        "frames",
        "drawings",
        "left out",
        "held",
        "error / optimum",
        "slip before",
        "slip after",
    )
    about = (
        "On the built-in girl. Slip: mean / largest, in cm per frame; before is the clip as captured, on its own body."
    )
    return Table("Looks", columns, tuple(rows), about)
