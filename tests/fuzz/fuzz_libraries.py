"""Sound files of USD and C3D, as their own libraries make them, into a folder."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "formats"))


def make(folder: str) -> None:
    """Writes the files for which there are libraries."""
    from extras import small_character

    from komadori.characters.samples import sample
    from komadori.formats import encoded

    if find_spec("pxr"):
        for suffix in (".usda", ".usdc", ".usdz"):
            Path(folder, f"clip{suffix}").write_bytes(encoded(sample("pitch")[:4], f"a{suffix}"))
            Path(folder, f"body{suffix}").write_bytes(encoded(small_character(), f"a{suffix}"))
    if find_spec("ezc3d"):
        from test_c3d import made

        made(Path(folder, "a.c3d"), y_screen="+Z")
