"""Many numbers at once: each is exactly what float() makes of it, and nothing else counts as a number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from komadori.formats import decimals

LEAD = b"Frame Time: 0.008333\n"

digits = st.text("0123456789", max_size=20)
plain = st.builds(lambda s, a, b: f"{s}{a or '0'}.{b}", st.sampled_from(["", "-", "+"]), digits, digits)
bare = st.builds(lambda s, b: f"{s}.{b}", st.sampled_from(["", "-"]), st.text("0123456789", min_size=1, max_size=24))
short = st.builds(lambda n, p: f"{n / 10**p:.{p}f}", st.integers(-(10**8), 10**8), st.integers(0, 6))
whole = st.integers(-(10**25), 10**25).map(str)
exact = st.floats(allow_nan=False, allow_infinity=False).map(repr)
power = st.builds(lambda m, e: f"{m}e{e:+03d}", st.integers(-(10**6), 10**6), st.integers(-330, 290))
number = st.one_of(short, plain, bare, whole, exact, power)


def same(found: decimals.Numbers | None, words: list[str]) -> None:
    assert found is not None
    expected = np.array([float(word) for word in words])
    # Bit by bit, so that -0.0 is not 0.0.
    assert found.values.view(np.uint64).tolist() == expected.view(np.uint64).tolist()


@settings(max_examples=400)
@given(st.lists(number, max_size=40), st.sampled_from([" ", "\t", "  ", "\n", "\r\n", " \r"]))
@example(["-0.0000", "0", "-0", "-.0", "1.", "00012.50"], " ")
@example(["9007199254740993", "9007199254740992.5", "0.000000000000000000000012"], " ")
@example(["123456789012.345", "1234567890123.45", "123456789.123456789", "1.23456789012345"], " ")
def test_every_number_is_the_double_of_float(words: list[str], gap: str) -> None:
    same(decimals.parsed(LEAD + gap.join(words).encode(), len(LEAD)), words)


@settings(max_examples=100)
@given(st.lists(st.lists(short, max_size=5), max_size=30), st.integers(1, 64))
def test_blocks_may_end_anywhere(rows: list[list[str]], block: int) -> None:
    data = LEAD + "".join(" ".join(row) + "\n" for row in rows).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(decimals, "BLOCK", block)
        found = decimals.parsed(data, len(LEAD))
    same(found, [word for row in rows for word in row])
    assert found is not None
    assert np.diff(found.line_ends, prepend=0).tolist() == [len(row) for row in rows]


def test_a_million_plain_numbers() -> None:
    values = np.random.default_rng(1).uniform(-400, 400, 1_000_000)
    for form in ("{:.4f}", "{:.6f}", "{:.9f}", "{:.6g}"):
        words = [form.format(value) for value in values[:250_000].tolist()]
        same(decimals.parsed(LEAD + " ".join(words).encode(), len(LEAD)), words)


WRONG = "nan inf -inf infinity 1_0 0x10 1,5 1.2.3 1..2 . - + -. e 1e 1e+ --1 +-1 1- 1-2 12345678- 1/2 1:2 ٣ 1e999 5\x00 5\x0b a"


@pytest.mark.parametrize("wrong", WRONG.split(" "))
@pytest.mark.parametrize("around", [lambda w: f"1.5 {w} 2.5", lambda w: f"{w}", lambda w: f"123456789.123 {w}\n7"])
def test_nothing_else_is_a_number(wrong: str, around: Callable[[str], str]) -> None:
    assert decimals.parsed(LEAD + around(wrong).encode(), len(LEAD)) is None


def test_no_number_is_endless() -> None:
    assert decimals.parsed(LEAD + b"1" * (decimals.BLOCK + decimals.LONGEST + 1), len(LEAD)) is None


def test_nothing_is_no_numbers() -> None:
    for text in (b"", b"\n\n", b" \t "):
        found = decimals.parsed(LEAD + text, len(LEAD))
        assert found is not None
        assert len(found.values) == 0
