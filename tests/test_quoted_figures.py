"""Figures in prose that come from a measured table, or from the code, agree with it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from komadori.characters import character, sample
from komadori.characters.samples import SAMPLES
from komadori.live.session import LiveOptions
from komadori.parameters import parameters_of
from komadori.pipeline import look
from komadori.pipeline.looks import LOOKS

DOCS = Path(__file__).parents[1] / "docs"
TWINS = ("", "ja/")


def rows(page: str, heading: str) -> list[dict[str, str]]:
    """The table under `heading` of a page of benchmarks, a dict for each row."""
    text = (DOCS / "benchmarks" / page).read_text(encoding="utf-8")
    part = re.split(r"^## ", text.partition(f"## {heading}\n")[2], flags=re.M)[0]
    lines = [line.strip("| ").split(" | ") for line in part.splitlines() if line.startswith("|")]
    assert lines, f"{page} has no table under {heading!r}"
    return [dict(zip(lines[0], line, strict=True)) for line in lines[2:]]


def quoted(page: str, pattern: str) -> tuple[str, ...]:
    """What the groups of `pattern` match on a page of the documentation."""
    found = re.search(pattern, (DOCS / page).read_text(encoding="utf-8"))
    assert found, f"docs/{page} no longer has {pattern!r}"
    return found.groups()


def test_greedy_holds_beside_the_optimum() -> None:
    ratios = [float(row["ratio"]) for row in rows("limited.md", "What holds cost")]
    assert quoted("limited.md", r"\[(\S+) to (\S+) on the samples\]\(benchmarks/limited\.md\)") == (
        f"{min(ratios):.1f}",
        f"{max(ratios):.1f}",
    )


def test_greedy_keys_beside_the_optimum() -> None:
    ratios = [
        float(row["greedy / optimum"])
        for row in rows("keyposes.md", "Greedy beside the optimum and evenly spread keys")
    ]
    assert quoted("keyposes.md", r"\[(\S+) to (\S+) times the optimum\]\(benchmarks/keyposes\.md\)") == (
        f"{min(ratios):.1f}",
        f"{max(ratios):.1f}",
    )


def test_about_half_a_millisecond_is_what_was_measured() -> None:
    quoted("limited.md", r"about half a (millisecond) of processor time for the paper's clips")
    for row in rows("limited.md", "The paper's sizes"):
        number, unit = row["komadori"].split()
        assert 0.3 <= float(number) * {"ms": 1.0, "µs": 1e-3}[unit] <= 0.7, row


def test_optimal_takes_a_second_at_most_where_auto_chooses_it() -> None:
    (frames,) = quoted("limited.md", r"if it takes a second or less \(about ([\d,]+) frames")
    (time,) = [
        row["time"]
        for row in rows("limited.md", "The exact optimum")
        if row["solver"] == "optimal" and row["frames"] == frames
    ]
    number, unit = time.split()
    assert float(number) * {"ms": 1.0, "s": 1000.0}[unit] <= 1000.0
    assert quoted("ja/limited.md", r"1 秒以内で求まるなら（3 コマ打ちで約 ([\d,]+) フレームまで）") == (frames,)


def test_more_look_ahead_than_the_default_gains_little() -> None:
    (frames,) = quoted("live.md", r"; (\d) is the default; more gains little")
    medians = {
        (row["look-ahead"], row["half"]): float(row["times the optimum: median"])
        for row in rows("live.md", "Against the offline optimum, as many drawings as on twos")
    }
    for half in ("chosen on", "kept aside"):
        assert medians[frames, half] - medians["6", half] <= 0.02
        assert medians["0", half] - medians[frames, half] >= 0.1


def test_fewer_keys_in_a_vmd() -> None:
    table = rows("exchange.md", "VMD: keys against error")
    fewer = [float(row["times fewer"]) for row in table]
    assert quoted("formats.md", r"This takes (\S+) to (\S+) times fewer keys") == (str(min(fewer)), str(max(fewer)))
    (worst,) = quoted("formats.md", r"with joints up to (\S+) mm off")
    assert max(float(row["worst joint, mm"]) for row in table) == pytest.approx(float(worst), abs=0.05)
    assert quoted("ja/formats.md", r"キーは (\S+)〜(\S+) 分の 1、関節のずれは最大 (\S+) mm です") == (
        str(min(fewer)),
        str(max(fewer)),
        worst,
    )


def test_correlation_of_acted_walks() -> None:
    table = [row for row in rows("acting.md", "Style") if row["clips"] == "all 15"]
    means = [float(row["mean"]) for row in table]
    least = min(float(row[name]) for row in table for name in row if name not in {"animal", "clips", "mean"})
    pattern = r"mean correlation of (\S+) to (\S+) over nine traits, and at least (\S+) for each"
    figures = (f"{min(means):.2f}", f"{max(means):.2f}", f"{least:.2f}")
    assert quoted("translate.md", pattern) == figures
    assert quoted("ja/translate.md", r"相関は平均 ([\d.]+)〜([\d.]+)、どの特徴でも ([\d.]+) 以上です") == figures


def test_an_eighth_of_a_second_is_what_looking_ahead_takes() -> None:
    (parameter,) = [item for item in parameters_of(LiveOptions) if item.name == "look_ahead"]
    for page, pattern in (
        ("../README.md", "an (eighth) of a second later"),
        ("../README.ja.md", r"(8) 分の 1 秒の遅れ"),
        ("live.md", "an (eighth) of a second"),
        ("ja/live.md", r"(8) 分の 1 秒です"),
        ("tutorials/live.md", "an (eighth) of a second later"),
    ):
        assert quoted(page, pattern) in {("eighth",), ("8",)}
    assert parameter.default / 24.0 == 1 / 8


@pytest.mark.parametrize("page", ["../README.md", "../README.ja.md"])
def test_the_readme_names_the_looks_and_samples_that_there_are(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    assert all(f"`sample:{name}`" in text for name in SAMPLES)
    assert re.search(r"one of (four) looks|(4) つのルック", text)
    assert len(LOOKS) == 4


def test_what_a_film_without_gpl_code_costs() -> None:
    table = {row["encoder"]: row for row in rows("films.md", "Codecs")}
    ours = {row["codec"]: row for name, row in table.items() if name.startswith("**")}
    assert set(ours) == {"H.264", "VP9"}
    assert (ours["H.264"]["GPL"], ours["VP9"]["GPL"]) == ("yes", "no")
    for page, pattern in (("start.md", r"at \[(\S+) times the size\]"), ("ja/start.md", r"\[サイズが (\S+) 倍\]")):
        assert quoted(page, pattern) == (ours["VP9"]["size / x264"],), page
    # "The same quality": nobody sees half a decibel.
    assert float(ours["H.264"]["PSNR, dB"]) - float(ours["VP9"]["PSNR, dB"]) <= 0.5
    (decibels,) = quoted("decisions/0036-films.md", r"CRF 16 \| 125 % of the size, 1.6 times the work, (\S+) dB worse")
    assert float(ours["H.264"]["PSNR, dB"]) - float(ours["VP9"]["PSNR, dB"]) == pytest.approx(float(decibels), abs=0.01)


@pytest.mark.parametrize("name", ["tv", "film", "snappy", "subtle"])
def test_drawings_of_each_look(name: str) -> None:
    result = look(name).run(sample("pitch"), character("girl"))
    assert result.sheet is not None
    for twin in TWINS:
        (drawings,) = quoted(f"{twin}anime.md", rf"(?m)^\| `{name}` \|.*\| (\d+) \|$")
        assert int(drawings) == len(result.sheet.drawings), f"{twin}anime.md"
