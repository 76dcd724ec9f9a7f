from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from komadori import rates
from komadori.errors import OptionError


@pytest.mark.parametrize("rate", rates.COMMON, ids=str)
@pytest.mark.parametrize("digits", [6, 7, 8, 12])
def test_a_frame_time_written_with_a_few_digits_means_its_rate(rate: Fraction, digits: int) -> None:
    written = float(f"{float(1 / rate):.{digits}f}")
    if abs(written * float(rate) - 1.0) <= 2e-4:
        assert rates.meant(written) == float(rate)


@pytest.mark.parametrize(
    ("written", "fps"),
    [
        (0.0083333, 120.0),
        (0.008333, 120.0),
        (0.041708, 24000 / 1001),
        (0.0416667, 24.0),
        (0.0417083750417, 24000 / 1001),
        (0.033333, 30.0),
        (0.0333667, 30000 / 1001),
        (0.01, 100.0),
        (0.02, 50.0),
    ],
)
def test_frame_times_seen_in_the_wild(written: float, fps: float) -> None:
    assert rates.meant(written) == fps


def test_a_time_near_no_rate_is_taken_at_its_word() -> None:
    assert rates.meant(0.0173) == 1 / 0.0173
    assert rates.meant(2.0) == 0.5


@given(st.floats())
def test_meant_gives_a_positive_rate_or_an_option_error(seconds: float) -> None:
    if math.isfinite(seconds) and seconds > 0.0:
        assert rates.meant(seconds) > 0.0
    else:
        with pytest.raises(OptionError, match="frame_time_s: expected"):
            rates.meant(seconds)


@given(st.integers(1, 100_000), st.integers(1, 1001))
def test_simple_fractions_come_back_exactly(numerator: int, denominator: int) -> None:
    rate = Fraction(numerator, denominator)
    assert rates.exact(float(rate)) == rate


@given(st.floats(1e-6, 1e6))
def test_exact_stays_within_a_billionth(fps: float) -> None:
    assert abs(float(rates.exact(fps)) - fps) <= 1e-9 * fps


@pytest.mark.parametrize("fps", [0.0, -24.0, math.nan, math.inf, 1e7])
def test_no_rate(fps: float) -> None:
    with pytest.raises(OptionError, match="fps: expected a frame rate from"):
        rates.exact(fps)
