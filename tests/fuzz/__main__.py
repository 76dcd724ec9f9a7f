"""`make fuzz MINUTES=5`: broken files of every format, one process each, until the time is over; what does harm is kept in out/fuzz."""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from fuzz_mutators import mutated
from fuzz_running import harm_of, shrunk
from fuzz_seeds import seeds

from komadori import formats


def main() -> int:
    """Runs; 1 where something was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out/fuzz"))
    asked = parser.parse_args()
    rng, known = random.Random(asked.seed), list(seeds())
    end, cases = time.monotonic() + 60.0 * asked.minutes, Counter[str]()
    found: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        for suffix, sound in known:
            # What is not broken is read, and so every module is loaded before the first fork.
            path = Path(folder) / f"case{suffix}"
            path.write_bytes(sound)
            formats.load(path)
        while time.monotonic() < end:
            suffix, sound = rng.choice(known)
            data, path = mutated(sound, suffix, rng), Path(folder) / f"case{suffix}"
            harm = harm_of(data, path)
            cases[suffix] += 1
            if (
                harm
                and (key := f"{suffix} {harm.split(':')[0]} {harm.split(':')[1][:6] if ':' in harm else ''}") in found
            ):
                found[key] += 1
            elif harm:
                found[key] = 1
                least = shrunk(data, path, harm)
                asked.out.mkdir(parents=True, exist_ok=True)
                kept = asked.out / f"{hashlib.sha256(least).hexdigest()[:12]}{suffix}"
                kept.write_bytes(least)
                print(f"{suffix}: {harm} ({len(least)} bytes, kept as {kept})", flush=True)
            if sum(cases.values()) % 2000 == 0:
                print(f"{sum(cases.values()):,} cases, {sum(found.values())} findings", flush=True)
    print(f"{sum(cases.values()):,} cases, {sum(found.values())} findings of {len(found)} kinds; seed {asked.seed}")
    print(", ".join(f"{suffix} {count:,}" for suffix, count in sorted(cases.items())))
    return 1 if found else 0


if __name__ == "__main__":
    if not hasattr(os, "fork"):
        sys.exit("fuzzing needs a system that can fork")
    sys.exit(main())
