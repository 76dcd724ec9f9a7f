"""Decimal numbers in text, many at a time: to exactly the double that Python's float() gives, several times faster."""

from __future__ import annotations

import re
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from komadori.quat import Array

NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
"""What counts as a number: no NaN, no infinity, no underscores, no hexadecimal."""

BLOCK = 1 << 17
"""Bytes worked on at once, so that the vectors of one block stay in the processor's cache."""

LONGEST = 4096
"""No number is written with more characters than this."""

_GAP = re.compile(rb"[ \t\r\n]")
_SPACE, _DOT, _MINUS, _LF, _CR, _TAB = 32, 46, 45, 10, 13, 9
_LETTERS_OF_NUMBERS = b"0123456789+-.eE \t\r\n"

Octets: TypeAlias = NDArray[np.uint8]
Words: TypeAlias = NDArray[np.uint64]
Places: TypeAlias = NDArray[np.intp]

_u64 = np.uint64
_ZEROS = _u64(0x3030303030303030)
_HIGH_BITS = _u64(0x8080808080808080)
_ABOVE_NINE = _u64(0x7676767676767676)
_POWERS = np.array([10.0**n for n in range(23)])
_WHOLE_POWERS = np.array([10**n for n in range(17)], dtype=np.uint64)


class Numbers(NamedTuple):
    """`values` (n,), and `line_ends` (lines,): how many of them have been read at the end of each line."""

    values: Array
    line_ends: Places


def parsed(data: bytes, start: int) -> Numbers | None:
    """Every number in `data` from byte `start` on, which must lie 16 or more bytes in; None if something is not one.

    A decimal whose digits make a whole number m below 2^53, with n <= 22 of them behind the point, is m / 10^n
    correctly rounded (Clinger 1990), which one division gives. Any other is left to float().
    """
    if data and data[-1] not in b"\r\n":
        data += b"\n"
    if start >= len(data):
        return Numbers(np.empty(0), np.empty(0, dtype=np.intp))
    octets = np.frombuffer(data, np.uint8)
    words = np.ndarray((len(data) - 7,), np.uint64, data, 0, (1,)) if len(data) >= 8 else np.empty(0, np.uint64)
    values: list[Array] = []
    line_ends: list[Places] = []
    seen = 0
    while start < len(data):
        stop = _cut(data, start)
        block = _block(data, octets, words, start, stop) if stop else None
        if block is None:
            return None
        values.append(block.values)
        line_ends.append(block.line_ends + seen)
        seen += len(block.values)
        start = stop
    return Numbers(np.concatenate(values), np.concatenate(line_ends))


def _cut(data: bytes, start: int) -> int:
    """Where the block that begins at `start` ends: behind a space, so that no number is cut; 0 if there is none."""
    nominal = start + BLOCK
    if nominal >= len(data):
        return len(data)
    space = _GAP.search(data, nominal - 1, nominal + LONGEST)
    return space.end() if space else 0


def _block(data: bytes, octets: Octets, words: Words, start: int, stop: int) -> Numbers | None:
    """The numbers between two bytes of the data, or None."""
    here = octets[start:stop]
    marks = here <= _SPACE
    marks |= here == _DOT
    places: Places = np.flatnonzero(marks)
    places += start
    letters = octets[places]
    pairs = letters.view(np.uint16) if len(letters) % 2 == 0 else np.empty(0, np.uint16)
    pointed: Words | np.uint64
    if len(pairs) and ((pairs & 0xFF) == _DOT).all() and ((pairs >> 8) != _DOT).all():
        # The plain case: every number has a point, and one character stands between two of them.
        dot, end, gaps, pointed = places[::2], places[1::2], pairs >> 8, _u64(1)
    else:
        is_dot = letters == _DOT
        end, gaps = places[~is_dot], letters[~is_dot].astype(np.uint16)
        dots = np.flatnonzero(is_dot)
        dot = end.copy()
        dot[dots - np.arange(len(dots))] = places[dots]
        pointed = (dot < end).view(np.uint8).astype(np.uint64)
    breaks = gaps == _LF
    breaks |= gaps == _CR
    if not (breaks | (gaps == _SPACE) | (gaps == _TAB)).all():
        return None
    begin = np.empty_like(end)
    begin[0] = start
    np.add(end[:-1], 1, out=begin[1:])
    lines: Places = np.flatnonzero(breaks)
    filled = begin < end
    line_ends: Places
    if filled.all():
        line_ends = lines + 1
    else:
        line_ends = np.cumsum(filled, dtype=np.intp)[lines]
        begin, end, dot = begin[filled], end[filled], dot[filled]
        pointed = pointed[filled] if isinstance(pointed, np.ndarray) else pointed
    if not len(end):
        return Numbers(np.empty(0), line_ends)
    values, odd = _decimals(octets, words, begin, dot, end, pointed)
    if len(odd) and not _by_float(data[start:stop], values, odd):
        return None
    return Numbers(values, line_ends)


def _decimals(
    octets: Octets, words: Words, begin: Places, dot: Places, end: Places, pointed: Words | np.uint64
) -> tuple[Array, Places]:
    """Values (n,) of the numbers that stand in octets[begin:end], and which of them were not understood.

    `dot` is where a number's point is, or its end if it has none; `pointed` is 1 if it has one. Eight digits are
    read as one 64-bit word (little-endian, as every machine is that NumPy has wheels for).
    """
    minus = octets[begin] == _MINUS
    begin = begin + minus
    length = (end - begin).view(np.uint64)
    digits = length - pointed
    places = (end - dot).view(np.uint64)
    places -= pointed
    wrong: NDArray[np.bool_] | None
    if length.max() <= 8:
        # The whole number lies in one word: push what stands before the point up over it.
        word = words[end - 8]
        head = word << (pointed << _u64(3))
        tail = places << _u64(3)
        head <<= tail
        head >>= tail
        tail = _u64(64) - tail
        word >>= tail
        word <<= tail
        word |= head
        whole, wrong = _eight_digits(word, digits)
    else:
        whole, wrong = _up_to_fifteen_digits(words, dot, end, digits, places)
    if not digits.all():
        wrong = (digits == 0) if wrong is None else wrong | (digits == 0)
    values = whole.astype(np.float64)
    values /= _POWERS[np.minimum(places, _u64(22)).view(np.intp)]
    bits = values.view(np.uint64)
    bits ^= minus.astype(np.uint64) << _u64(63)
    return values, np.flatnonzero(wrong) if wrong is not None else np.empty(0, np.intp)


def _up_to_fifteen_digits(
    words: Words, dot: Places, end: Places, digits: Words, places: Words
) -> tuple[Words, NDArray[np.bool_]]:
    """The digits before and behind the point as one whole number, and if that does not work."""
    eight = _u64(8)
    # With 15 digits at most the number is below 2^53, and nothing here can overflow.
    wrong = digits > _u64(15)
    ahead, few = digits - places, np.minimum(places, eight)
    parts = [(words[dot - 8], ahead), (words[end - 8], few)]
    if places.max() > eight:
        parts.insert(1, (words[end - 16], places - few))
    whole = np.zeros(len(dot), dtype=np.uint64)
    for word, count in parts:
        wrong |= count > eight
        part, odd = _eight_digits(word, np.minimum(count, eight))
        whole *= _WHOLE_POWERS[np.minimum(count, eight).view(np.intp)]
        whole += part
        if odd is not None:
            wrong |= odd
    return whole, wrong


def _eight_digits(word: Words, count: Words) -> tuple[Words, NDArray[np.bool_] | None]:
    """The last `count` (0 to 8) characters of each word as a whole number, and where they are not all digits.

    Three multiplications join neighbours: single digits, then pairs, then fours.
    """
    empty = (_u64(8) - count) << _u64(3)
    word = word ^ _ZEROS
    word >>= empty
    word <<= empty
    check = word + _ABOVE_NINE
    check |= word
    check &= _HIGH_BITS
    wrong = check != 0 if check.any() else None
    word *= _u64(2561)
    word >>= _u64(8)
    word &= _u64(0x00FF00FF00FF00FF)
    word *= _u64(6553601)
    word >>= _u64(16)
    word &= _u64(0x0000FFFF0000FFFF)
    word *= _u64(42949672960001)
    word >>= _u64(32)
    return word, wrong


def _by_float(block: bytes, values: Array, odd: Places) -> bool:
    """Fills values[odd] with float() of those words of the block; False if one is not a finite number."""
    if block.translate(None, _LETTERS_OF_NUMBERS):
        return False
    words = block.split()
    try:
        values[odd] = [float(words[i]) for i in odd.tolist()]
    except ValueError:
        return False
    return bool(np.isfinite(values[odd]).all())
