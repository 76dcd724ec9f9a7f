from __future__ import annotations

import contextlib
import csv
import io
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from komadori.errors import FormatError, OptionError
from komadori.formats import sheet_tables as tables
from komadori.timesheet import Timesheet

RATES = st.sampled_from([24, 30, 12.5, 24000 / 1001, 120, 7.123456789])
SOURCES = st.lists(st.integers(0, 2**40), max_size=40)
NAMES = st.text("A髪,\"b[1,  2]; '", min_size=1, max_size=8).filter(lambda name: name == name.strip())
SHEETS = st.builds(
    lambda tracks, fps: {name: Timesheet(fps, np.array(source, dtype=int)) for name, source in tracks.items()},
    st.dictionaries(NAMES, SOURCES, min_size=1, max_size=4),
    RATES,
)


@given(SHEETS)
def test_json_reads_back_the_same(sheets: dict[str, Timesheet]) -> None:
    assert tables.parse_json(tables.emit_json(sheets), "x.json") == sheets


@given(SHEETS)
def test_csv_reads_back_the_same(sheets: dict[str, Timesheet]) -> None:
    assert tables.parse_csv(tables.emit_csv(sheets), "x.csv") == sheets


def test_json_says_what_it_is_and_shows_runs_and_drawings_for_people() -> None:
    data = tables.emit_json({"A": Timesheet(24, np.array([0, 0, 5, 5, 0]))}, title="投球")
    document = json.loads(data)
    assert (document["komadori"], document["version"], document["fps"]) == ("timesheet", 1, 24)
    track = document["tracks"]["A"]
    assert track["source"] == [0, 0, 5, 5, 0]
    assert track["runs (start, length, source, drawing)"] == [[0, 2, 0, 1], [2, 2, 5, 2], [4, 1, 0, 1]]
    assert b"[0, 0, 5, 5, 0]" in data
    assert "投球" in data.decode()


def test_csv_has_a_row_a_frame() -> None:
    data = tables.emit_csv({"A": Timesheet(24, np.array([0, 0, 5])), "B": Timesheet(24, np.array([7]))})
    rows = list(csv.DictReader(io.StringIO(data.decode())))
    assert [row["A source"] for row in rows] == ["0", "0", "5"]
    assert [row["A drawing"] for row in rows] == ["1", "1", "2"]
    assert [row["B drawing"] for row in rows] == ["1", "", ""]
    assert [float(row["time (s at 24 fps)"]) for row in rows] == pytest.approx([0, 1 / 24, 2 / 24], abs=1e-6)


def test_a_table_typed_by_hand_is_read_at_24() -> None:
    assert tables.parse_csv(b"A source\n0\n0\n4\n\n", "x.csv") == {"A": Timesheet(24, np.array([0, 0, 4]))}


def test_excel_sees_that_japanese_is_utf_8() -> None:
    assert tables.emit_csv({"髪": Timesheet.ones(1)}).startswith(b"\xef\xbb\xbf")
    assert tables.emit_csv({"A": Timesheet.ones(1)}).startswith(b"frame")


def sheet_json(**changes: Any) -> bytes:
    return json.dumps(
        {"komadori": "timesheet", "version": 1, "fps": 24, "tracks": {"A": {"source": [0]}}} | changes
    ).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"[" * 200_000,
        b"\xff",
        b'{"komadori": "timesheet", "fps": NaN}',
        sheet_json(komadori="motion"),
        sheet_json(version=2),
        sheet_json(version=True),
        sheet_json(fps=0),
        sheet_json(fps=-24),
        sheet_json(fps="24"),
        sheet_json(fps=True),
        sheet_json(fps=10**400),
        sheet_json(tracks={}),
        sheet_json(tracks=[]),
        sheet_json(tracks={"A": []}),
        sheet_json(tracks={"A": {}}),
        sheet_json(tracks={"A": {"source": [0.5]}}),
        sheet_json(tracks={"A": {"source": [-1]}}),
        sheet_json(tracks={"A": {"source": [10**30]}}),
        sheet_json(tracks={"A": {"source": [True]}}),
        sheet_json(tracks={"A": {"source": "0"}}),
    ],
)
def test_hostile_json_is_refused_in_one_line(data: bytes) -> None:
    with pytest.raises(FormatError) as error:
        tables.parse_json(data, "x.json")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "line 1"),
        (b"moment,time\n0,0\n", "<track> source"),
        (b"frame,time\n0,0\n", "no track with cells"),
        (b"A source,A source\n0,0\n", "two tracks have the same name"),
        (b"A source\n1.5\n", "line 2"),
        (b"A source\n-1\n", "line 2"),
        (b"A source\n99999999999999999999\n", "line 2"),
        ("A source\n٣\n".encode(), "line 2"),
        (b"frame,A source\n0,1\n1,\n2,3\n", "line 4"),
        (b"A source\n0\0\n", "zero byte"),
        (b"A source\n\xff\n", "line 2"),
        (b"A source,time (s at 0 fps)\n0\n", "line 1"),
        (b"A source,time (s at 1e999 fps)\n0\n", "line 1"),
        (b"A source,time (s at 1.2.3 fps)\n0\n", "line 1"),
        (b"A source\n" + b'"' + b"9" * 200_000, "line"),
    ],
)
def test_hostile_csv_is_refused_in_one_line(data: bytes, said: str) -> None:
    with pytest.raises(FormatError) as error:
        tables.parse_csv(data, "x.csv")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@settings(max_examples=300)
@given(st.sampled_from(["json", "csv"]), st.data())
def test_broken_bytes_never_crash_the_readers(which: str, data: st.DataObject) -> None:
    emit, parse = (tables.emit_json, tables.parse_json) if which == "json" else (tables.emit_csv, tables.parse_csv)
    good = bytearray(emit({"A": Timesheet.on(2, 9), "髪": Timesheet.ones(5)}))
    for _ in range(data.draw(st.integers(1, 4))):
        good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(FormatError):
        parse(bytes(good), "x")


@pytest.mark.parametrize("emit", [tables.emit_json, tables.emit_csv])
def test_sheets_of_two_rates_are_refused(emit: Any) -> None:
    with pytest.raises(OptionError, match="one frame rate"):
        emit({"A": Timesheet.ones(3, 24), "B": Timesheet.ones(3, 30)})


def test_a_name_that_no_column_can_have_is_refused() -> None:
    for name in ("", " A", "A\n"):
        with pytest.raises(OptionError, match="column"):
            tables.emit_csv({name: Timesheet.ones(3)})
