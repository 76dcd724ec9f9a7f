"""Killed in the middle of edits and uploads, the studio loses nothing that it said to have. `kills.py` does it as often as one likes."""

from __future__ import annotations

from pathlib import Path

import kills


def test_what_was_saved_and_what_was_taken_survives_every_kill(tmp_path: Path) -> None:
    report = kills.run(3, tmp_path, seed=1)
    assert report.faults == []
    assert report.rounds == 3


def test_a_loss_would_be_seen(tmp_path: Path) -> None:
    report = kills.Report()
    done = kills.Round(
        first=0, edits=[0.0, 1.0, 2.0], saved=3, taken={"0" * 16 + "/a.bvh": "none"}, begun=1, killed=3.0
    )
    kills.checked(tmp_path, done, report)
    assert [fault.partition(": ")[2] for fault in report.faults] == [
        "revision 3 was saved, and 0 is there",
        "0000000000000000/a.bvh was taken, and is not there whole",
    ]
    assert report.lost_s == [3.0]
