"""`make bench-check`: what is slower is found, a busy moment is not."""

from __future__ import annotations

import json

import pytest

from bench import check
from bench.ratios import Pair


def nothing() -> None: ...


PAIRS = [Pair("one", nothing, nothing), Pair("two", nothing, nothing), Pair("new", nothing, nothing)]


def measured_as(monkeypatch: pytest.MonkeyPatch, ratios: dict[str, list[float]]) -> None:
    rounds = {name: iter(values) for name, values in ratios.items()}
    monkeypatch.setattr(check, "measured", lambda pairs: {pair.name: next(rounds[pair.name]) for pair in pairs})


def test_only_what_stays_slower_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    measured_as(monkeypatch, {"one": [1.31, 1.4, 1.32], "two": [9.0, 2.5], "new": [7.0]})
    assert check.slower(PAIRS, {"one": 1.0, "two": 2.0}) == {"one": 1.31}


def test_a_slowdown_fails_and_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    kept = json.loads(check.KEPT.read_text())
    name = next(iter(kept))
    monkeypatch.setattr(check, "beside", lambda: [Pair(name, nothing, nothing)])
    monkeypatch.setattr(check, "growth", list)
    measured_as(monkeypatch, {name: [2.0 * kept[name]] * check.TRIES})
    assert check.main([]) == 1
    assert f"slower: {name}" in capsys.readouterr().err
    measured_as(monkeypatch, {name: [kept[name]]})
    assert check.main([]) == 0
