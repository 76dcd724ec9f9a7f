"""How long it takes to begin: importing, and the help page."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

from bench.tables import Table, spoken, together


def _run(*args: str) -> None:
    subprocess.run([sys.executable, *args], check=True, capture_output=True)


def tables() -> list[Table]:
    times = together(
        {
            "bare Python": partial(_run, "-c", "pass"),
            "import numpy": partial(_run, "-c", "import numpy"),
            "import komadori": partial(_run, "-c", "import komadori"),
            "import komadori, and use load and limited": partial(
                _run, "-c", "import komadori; komadori.load; komadori.limited"
            ),
            "komadori --help": partial(_run, "-m", "komadori", "--help"),
        },
        repeats=15,
    )
    rows = tuple((name, spoken(value)) for name, value in times.items())
    over_numpy = times["import komadori, and use load and limited"] - times["import numpy"]
    over_python = times["komadori --help"] - times["bare Python"]
    failed = []
    if over_numpy > 0.1:
        failed.append(f"komadori takes {spoken(over_numpy)} over NumPy, 100 ms allowed")
    if over_python > 0.15:
        failed.append(f"the help page takes {spoken(over_python)} over bare Python, 150 ms allowed")
    about = f"komadori with load and limited is {spoken(max(over_numpy, 0))} over NumPy; the help page {spoken(over_python)} over bare Python."
    return [Table("Starting up", ("what", "time"), rows, about, tuple(failed))]
