"""Options made from a parameters class: every kind, its help, and what happens to wrong values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import click
import pytest

from komadori.cli.options import chosen, rate, settings
from komadori.cli.page import Command, page
from komadori.cli.say import Say
from komadori.errors import OptionError
from komadori.parameters import check, parameter
from komadori.words import Note


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """Every kind of parameter that there is."""

    count: int = parameter(4, "how many", unit="frames", low=0, high=100)
    most: int | None = parameter(None, "at most", low=1, high=1e9)
    share: float = parameter(0.5, "how much", low=0.0, high=1.0)
    keep_all: bool = parameter(True, "keep all")
    way: Literal["fast", "slow-ly"] = parameter("fast", "which way")
    pins: tuple[int, ...] = parameter((), "kept frames")
    camera: object = parameter(None, "a thing that cannot be typed", faces=False)

    def __post_init__(self) -> None:
        check(self)
        if self.count == 99:
            raise OptionError("count", expected=Note("a number that is free"), found=self.count)


def parsed(*args: str) -> Wishes:
    found: list[Wishes] = []

    def run(**given: Any) -> None:
        found.append(chosen(Wishes, given))

    command = Command("wish", params=settings(Wishes), help="Make a wish.", callback=run)
    with command.make_context("wish", list(args), obj=Say()) as ctx:
        command.invoke(ctx)
    return found[0]


def test_nothing_given_means_the_defaults() -> None:
    assert parsed() == Wishes()


def test_every_kind_of_value_arrives() -> None:
    numbers = ["--count", "7", "--most", "3", "--share", "0.25", "--pins", "3,5", "--pins", "9"]
    assert parsed(*numbers, "--no-keep-all", "--way", "slow-ly") == Wishes(
        count=7, most=3, share=0.25, keep_all=False, way="slow-ly", pins=(3, 5, 9)
    )


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--count", "-1"], "'--count': expected a whole number of at least 0, found -1"),
        (["--count", "101"], "up to 100, found 101"),
        (["--count", "2.5"], "expected a whole number, found '2.5'"),
        (["--count", "many"], "expected a whole number, found 'many'"),
        (["--share", "nan"], "expected a number, found 'nan'"),
        (["--share", "inf"], "expected a number, found 'inf'"),
        (["--share", "1.5"], "up to 1, found 1.5"),
        (["--way", "sideways"], "expected one of fast, slow-ly, found 'sideways'"),
        (["--pins", "3,x"], "such as 12,40, found '3,x'"),
        (["--pins", ","], "such as 12,40, found ','"),
        (["--pins", "-3"], "such as 12,40, found '-3'"),
        (["--camera", "x"], "No such option"),
    ],
)
def test_a_wrong_value_is_a_usage_error_that_says_what_would_do(args: list[str], words: str) -> None:
    with pytest.raises(click.UsageError) as caught:
        parsed(*args)
    assert words in caught.value.format_message()


def test_what_only_the_method_knows_is_said_with_the_options_name() -> None:
    with pytest.raises(OptionError, match=r"^--count: expected a number that is free, found 99$"):
        parsed("--count", "99")


def test_the_help_page_tells_range_unit_and_default() -> None:
    command = Command("wish", params=settings(Wishes), help="Make a wish.", callback=print)
    ctx = click.Context(command, info_name="wish", obj=Say())
    text = " ".join(page(command, ctx, 100).split())
    assert "--count N how many [0 to 100 frames, default 4]" in text
    assert "--most N at most [1 or more]" in text
    assert "--keep-all / --no-keep-all keep all [default --keep-all]" in text
    assert "--way CHOICE which way [fast | slow-ly, default fast]" in text
    assert "--camera" not in text
    assert "--lang" in text
    assert "--help" in text


@pytest.mark.parametrize(
    ("text", "meant"),
    [("24", 24.0), ("23.976", 24000 / 1001), ("24000/1001", 24000 / 1001), ("29.97", 30000 / 1001), ("12.5", 12.5)],
)
def test_a_rate_is_the_one_that_was_meant(text: str, meant: float) -> None:
    assert rate(text) == pytest.approx(meant, rel=1e-15)


@pytest.mark.parametrize("text", ["0", "-24", "fast", "nan", "inf", "1/0", "1e9", "0.5", "", "1e400"])
def test_what_is_no_rate_is_refused(text: str) -> None:
    with pytest.raises(click.UsageError, match="expected"):
        rate(text)
