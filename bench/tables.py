"""What every measurement shares: timing, tables, and the machine they were taken on."""

from __future__ import annotations

import gc
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Table:
    """One table of results: a title, column names, rows of text, and a sentence on what was measured."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    about: str = ""
    failed: tuple[str, ...] = field(default=())
    """Targets that were missed, one line each."""

    def markdown(self) -> str:
        """The table as Markdown."""
        lines = [f"## {self.title}", ""]
        if self.about:
            lines += [self.about, ""]
        lines.append("| " + " | ".join(self.columns) + " |")
        lines.append("|" + "---|" * len(self.columns))
        lines += ["| " + " | ".join(row) + " |" for row in self.rows]
        if self.failed:
            lines += ["", *(f"Missed: {line}" for line in self.failed)]
        return "\n".join(lines) + "\n"


def seconds(work: Callable[[], object], repeats: int = 7) -> float:
    """The best time of `repeats` runs: on a noisy machine the least disturbed one says most."""
    return together({"": work}, repeats)[""]


def together(works: Mapping[str, Callable[[], object]], repeats: int = 7) -> dict[str, float]:
    """The best time of each work, taken in turns, so that a slow moment of the machine hits all alike.

    What takes less than a millisecond is run several times in a row and divided.
    """
    best = dict.fromkeys(works, float("inf"))
    often = {name: max(1, min(50, int(0.002 / max(_once(work), 1e-6)))) for name, work in works.items()}
    gc.disable()
    for _ in range(repeats):
        for name, work in works.items():
            gc.collect()
            start = time.perf_counter()
            for _ in range(often[name]):
                work()
            best[name] = min(best[name], (time.perf_counter() - start) / often[name])
    gc.enable()
    return best


def worked(work: Callable[[], object], repeats: int = 5) -> float:
    """The least processor time of `repeats` runs, all threads together: what else the machine does hardly changes it."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def _once(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def spoken(duration_s: float) -> str:
    """A duration with three digits: 0.0213 s is "21.3 ms"."""
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if duration_s * scale >= 1.0:
            return f"{duration_s * scale:.3g} {unit}"
    return f"{duration_s * 1e9:.3g} ns"


def machine() -> str:
    """One line on where the figures come from."""
    import numpy

    return (
        f"Python {platform.python_version()}, NumPy {numpy.__version__}, {os.cpu_count()} cores, {platform.machine()}"
    )


def page(name: str, tables: Sequence[Table]) -> str:
    """A whole page of tables."""
    head = f"# {name}\n\nWritten by `make bench`: {machine()}. Best of several runs taken in turns; ratios count.\n"
    return "\n".join([head, *(table.markdown() for table in tables)])
